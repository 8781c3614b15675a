/* SPDX-License-Identifier: Apache-2.0 */
/* The handler calls async-signal-safe functions only. backtrace() is one after its first call,
 * which loads a library. Functions of the program are looked up in the symbol table of its own
 * file, which has static functions as well; a stripped program prints offsets. */
#include "weir/base/crash.h"

#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define FRAMES 64
/* A handler with the largest register state (AMX, 11 KiB), backtrace() and dladdr() need 20 KiB. */
#define STACK_BYTES (64 * 1024)
/* Words above the stack pointer that are searched for return addresses. */
#define STACK_WORDS 64
/* Longer than a stack is printed; a stack too broken to be unwound must not hang the run. */
#define PRINT_LIMIT_S 10

static const struct fatal {
    int number;
    const char *name;
} fatals[] = {{SIGSEGV, "SIGSEGV"},
              {SIGBUS, "SIGBUS"},
              {SIGFPE, "SIGFPE"},
              {SIGILL, "SIGILL"},
              {SIGABRT, "SIGABRT"}};

#define FATALS (sizeof fatals / sizeof *fatals)

static struct {
    struct sigaction previous[FATALS];
    atomic_int thread; /* the one that prints; 0: none */
    int rank;
    char host[256];
    char work[512];
    char stack[STACK_BYTES] __attribute__((aligned(64)));
} crash = {.rank = -1};

/* ---- one line of the report ---- */

struct line {
    char text[1024];
    size_t length;
};

static void add_text(struct line *line, const char *text)
{
    while (*text != '\0' && line->length < sizeof line->text - 1) {
        /* Paths may hold what would steer a terminal. */
        line->text[line->length++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
        text++;
    }
}

static void add_number(struct line *line, uint64_t value, unsigned base)
{
    char digits[32];
    size_t first = sizeof digits - 1;

    digits[first] = '\0';
    do {
        digits[--first] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    add_text(line, base == 16 ? "0x" : "");
    add_text(line, digits + first);
}

static void write_line(struct line *line)
{
    ssize_t written;

    line->text[line->length++] = '\n';
    do {
        written = write(STDERR_FILENO, line->text, line->length);
    } while (written < 0 && errno == EINTR);
    *line = (struct line){0};
}

static void begin_line(struct line *line)
{
    *line = (struct line){0};
    add_text(line, "weir: ");
    if (crash.rank >= 0) {
        add_text(line, "rank ");
        add_number(line, (uint64_t)crash.rank, 10);
        add_text(line, ": ");
    }
}

/* ---- names of functions ---- */

struct program {
    const char *file; /* NULL: it cannot be read */
    size_t bytes;
    uintptr_t bias; /* from addresses in the file to those in memory */
};

/* The program headers in memory tell where the file was loaded. */
static void open_program(struct program *program)
{
    const ElfW(Phdr) *headers =
        (const ElfW(Phdr) *)getauxval(AT_PHDR); // NOLINT(performance-no-int-to-ptr)
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat facts;
    void *file = MAP_FAILED;

    *program = (struct program){0};
    for (unsigned long i = 0; headers != NULL && i < getauxval(AT_PHNUM); i++)
        if (headers[i].p_type == PT_PHDR)
            program->bias = (uintptr_t)headers - headers[i].p_vaddr;
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0 && (size_t)facts.st_size > sizeof(ElfW(Ehdr)))
        file = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file != MAP_FAILED) {
        program->file = file;
        program->bytes = (size_t)facts.st_size;
    }
}

/* The function that holds the address, or NULL. */
static const char *find_function(const struct program *program, uintptr_t address, uint64_t *offset)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)program->file;
    const ElfW(Shdr) * sections;

    if (header == NULL || header->e_shoff + header->e_shnum * sizeof *sections > program->bytes)
        return NULL;
    sections = (const ElfW(Shdr) *)(program->file + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const ElfW(Sym) *symbols = (const ElfW(Sym) *)(program->file + sections[i].sh_offset);

        if ((sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM) ||
            sections[i].sh_link >= header->e_shnum)
            continue;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
            if ((symbols[k].st_info & 0xf) == STT_FUNC && symbols[k].st_shndx != SHN_UNDEF &&
                address - program->bias - symbols[k].st_value < symbols[k].st_size) {
                *offset = address - program->bias - symbols[k].st_value;
                return program->file + sections[sections[i].sh_link].sh_offset + symbols[k].st_name;
            }
    }
    return NULL;
}

/* A return address is after its call, which may be the last instruction of a function. */
static bool print_function(const struct program *program, uintptr_t address, bool is_return,
                           const char *mark)
{
    struct line line;
    uint64_t offset;
    const char *name = find_function(program, address - is_return, &offset);

    if (name == NULL)
        return false;
    begin_line(&line);
    add_text(&line, mark);
    add_text(&line, name);
    add_text(&line, "+");
    add_number(&line, offset + is_return, 16);
    add_text(&line, " (program ");
    add_number(&line, address - program->bias, 16);
    add_text(&line, ")");
    write_line(&line);
    return true;
}

/* ---- the stack ---- */

static uintptr_t stack_pointer_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return context->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

static uintptr_t instruction_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

/* Where the stack cannot be unwound, as after a call of a null pointer, the functions of the
 * program to which addresses on the stack point: those that called, and some that called before. */
static void print_stack_words(const struct program *program, const ucontext_t *context)
{
    uintptr_t words[STACK_WORDS];
    struct iovec here = {.iov_base = words, .iov_len = sizeof words};
    struct iovec there = {.iov_base = (void *)stack_pointer_of(context), // NOLINT
                          .iov_len = sizeof words};
    /* Fails where a plain read would be a fault. */
    ssize_t bytes = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

    for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof *words; i++)
        print_function(program, words[i], true, "maybe ");
}

/* The frames before the interrupted instruction are those of the handler. */
static void print_stack(const ucontext_t *context)
{
    struct program program;
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), first = 0;
    uintptr_t instruction = instruction_of(context);
    unsigned named = 0;

    open_program(&program);
    for (int i = 0; i < count; i++)
        if ((uintptr_t)frames[i] == instruction)
            first = i;
    for (int i = first; i < count; i++) {
        bool is_return = (uintptr_t)frames[i] != instruction;
        bool is_named = print_function(&program, (uintptr_t)frames[i], is_return, "in ");

        named += is_named;
        if (!is_named)
            backtrace_symbols_fd(&frames[i], 1, STDERR_FILENO);
    }
    if (first == 0 || named == 0)
        print_stack_words(&program, context);
}

static void print_facts(const struct fatal *fatal, const siginfo_t *facts)
{
    struct line line;

    begin_line(&line);
    add_text(&line, "crashed by ");
    add_text(&line, fatal->name);
    if (facts->si_code == SI_USER || facts->si_code == SI_QUEUE) {
        add_text(&line, " from process ");
        add_number(&line, (uint64_t)facts->si_pid, 10);
    } else if (facts->si_code > 0) {
        add_text(&line, " at address ");
        add_number(&line, (uintptr_t)facts->si_addr, 16);
    }
    add_text(&line, ", host ");
    add_text(&line, crash.host);
    add_text(&line, ", process ");
    add_number(&line, (uint64_t)getpid(), 10);
    if (syscall(SYS_gettid) != getpid()) {
        add_text(&line, ", thread ");
        add_number(&line, (uint64_t)syscall(SYS_gettid), 10);
    }
    if (crash.work[0] != '\0') {
        add_text(&line, ", during ");
        add_text(&line, crash.work);
    }
    write_line(&line);
}

/* ---- the handler ---- */

/* SIGALRM without a handler ends a process whose stack cannot be printed. */
static void limit_time(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t alarms;

    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(PRINT_LIMIT_S);
}

/* The instruction that caused a fault repeats it. Errors of memory that the process does not use,
 * and mismatches of tags, may arrive at any other instruction. */
static bool is_repeated(int number, const siginfo_t *facts)
{
#ifdef SEGV_MTEAERR
    if (number == SIGSEGV && facts->si_code == SEGV_MTEAERR)
        return false;
#endif
    return facts->si_code > 0 && !(number == SIGBUS && facts->si_code == BUS_MCEERR_AO);
}

/* The signal that arrives a second time meets what was there before us: the default action, or the
 * handler of a library. One that is repeated has its address. */
static void report_crash(int number, siginfo_t *facts, void *context)
{
    const struct timespec longest = {.tv_sec = PRINT_LIMIT_S};
    size_t which = 0;
    int no_thread = 0;

    while (which < FATALS - 1 && fatals[which].number != number)
        which++;
    if (atomic_compare_exchange_strong(&crash.thread, &no_thread, (int)syscall(SYS_gettid))) {
        limit_time();
        print_facts(&fatals[which], facts);
        print_stack(context);
        alarm(0);
    } else {
        /* Another thread prints, and ends the process. */
        nanosleep(&longest, NULL);
    }
    sigaction(number, &crash.previous[which], NULL);
    if (!is_repeated(number, facts))
        raise(number);
}

void weir_crash_watch(void)
{
    struct sigaction action = {.sa_sigaction = report_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof crash.stack}, present;
    void *frame;

    /* Loads what backtrace() needs. */
    backtrace(&frame, 1);
    if (crash.host[0] == '\0')
        gethostname(crash.host, sizeof crash.host - 1);
    /* A sanitizer has one already, and unmaps at the end of a thread what it finds there. */
    if (sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0)
        sigaltstack(&stack, NULL);
    /* A fault in the handler itself ends the process. */
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < FATALS; i++)
        sigaddset(&action.sa_mask, fatals[i].number);
    for (size_t i = 0; i < FATALS; i++) {
        struct sigaction previous;

        if (sigaction(fatals[i].number, NULL, &previous) != 0 ||
            ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction == report_crash))
            continue;
        crash.previous[i] = previous;
        sigaction(fatals[i].number, &action, NULL);
    }
}

void weir_crash_allow(sigset_t *signals)
{
    for (size_t i = 0; i < FATALS; i++)
        sigdelset(signals, fatals[i].number);
}

void weir_crash_set_rank(int rank, const char *host)
{
    crash.rank = rank;
    snprintf(crash.host, sizeof crash.host, "%s", host);
}

void weir_crash_set_work(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(crash.work, sizeof crash.work, format, arguments);
    va_end(arguments);
}
