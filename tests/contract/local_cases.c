/* SPDX-License-Identifier: Apache-2.0 */
/* What the backends of the kernel's file systems promise beyond the contract: mapped files and
 * locks. */
#include "special_cases.h"

#include "bench.h"

#include "../mocks/allocated.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/magic.h>

enum { UNITS = 40 };

static struct weir_file *make_expected(struct bench *bench, const char *path,
                                       uint64_t expected_bytes)
{
    const struct weir_file_params params = {
        .path = path,
        .can_write = true,
        .must_create = true,
        .group = bench->subject->group,
        .expected_bytes = expected_bytes,
    };
    struct weir_file *file = NULL;

    assert_int_equal(bench->backend->file->open(bench->session, &params, &file), 0);
    return file;
}

static int64_t size_of(struct bench *bench, struct weir_file *file)
{
    return bench->backend->file->size(bench->session, file);
}

/* ---- mmap ---- */

void a_mapped_file_is_grown_at_once_and_never_cut(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;
    unsigned char *data;
    unsigned char *back;
    const char *path;

    open_bench(&bench, subject, NULL);
    data = make_data(&bench, 6, 1);
    back = make_data(&bench, 6, 0);
    path = path_of(&bench, "grown");
    file = make_expected(&bench, path, 4 * UNIT_BYTES);
    assert_int_equal(size_of(&bench, file), 4 * UNIT_BYTES);
    move_units(&bench, WEIR_OP_WRITE, file, data, 4, false);
    assert_int_equal(size_of(&bench, file), 4 * UNIT_BYTES);
    close_file(&bench, file);

    file = make_expected(&bench, path, UNIT_BYTES);
    assert_int_equal(size_of(&bench, file), 4 * UNIT_BYTES);
    for (uint64_t unit = 4; unit < 6; unit++)
        assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data + unit * UNIT_BYTES,
                              unit * UNIT_BYTES, UNIT_BYTES),
                         UNIT_BYTES);
    assert_int_equal(size_of(&bench, file), 6 * UNIT_BYTES);
    move_units(&bench, WEIR_OP_READ, file, back, 6, false);
    assert_memory_equal(back, data, 6 * UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

void a_mapped_file_that_another_one_grows_is_read_to_its_end(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *files[2];
    struct bench bench;
    unsigned char *data;
    unsigned char *back;
    const char *path;

    open_bench(&bench, subject, NULL);
    data = make_data(&bench, UNITS, 1);
    back = make_data(&bench, UNITS, 0);
    path = path_of(&bench, "followed");
    files[0] = make_expected(&bench, path, 0);
    files[1] = make_expected(&bench, path, 0);
    for (uint64_t unit = 0; unit < UNITS; unit++) {
        assert_int_equal(move(&bench, WEIR_OP_READ, files[1], back, unit * UNIT_BYTES, UNIT_BYTES),
                         0);
        assert_int_equal(move(&bench, WEIR_OP_WRITE, files[unit % 2], data + unit * UNIT_BYTES,
                              unit * UNIT_BYTES, UNIT_BYTES),
                         UNIT_BYTES);
    }
    move_units(&bench, WEIR_OP_READ, files[1], back, UNITS, false);
    assert_memory_equal(back, data, UNITS * UNIT_BYTES);
    close_file(&bench, files[0]);
    close_file(&bench, files[1]);
    remove_name(&bench, path);
    close_bench(&bench);
}

void a_mapped_file_without_room_is_refused_at_open(void **state)
{
    const struct subject *subject = *state;
    struct weir_file_params params = {
        .can_write = true,
        .must_create = true,
        .group = subject->group,
        .expected_bytes = INT64_MAX - UNIT_BYTES,
    };
    struct weir_file *const untouched = (struct weir_file *)&params;
    struct weir_file *file = untouched;
    struct weir_name_facts facts;
    struct bench bench;

    open_bench(&bench, subject, NULL);
    params.path = path_of(&bench, "endless");
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), -EFBIG);
    assert_ptr_equal(file, untouched);
    assert_int_equal(stat_name(&bench, params.path, &facts), -ENOENT);

    file = make_expected(&bench, params.path, UNIT_BYTES);
    close_file(&bench, file);
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), -EFBIG);
    assert_int_equal(stat_name(&bench, params.path, &facts), 0);
    assert_int_equal(facts.bytes, UNIT_BYTES);
    remove_name(&bench, params.path);
    close_bench(&bench);
}

/* Of two sessions the one that stays is still guarded when the other one is gone. */
void a_mapped_file_that_is_cut_is_a_result(void **state)
{
    const struct subject *subject = *state;
    struct sigaction before;
    struct sigaction after;
    struct weir_file *file;
    struct bench other;
    struct bench bench;
    unsigned char *data;
    const char *path;

    assert_int_equal(sigaction(SIGBUS, NULL, &before), 0);
    open_bench(&other, subject, NULL);
    open_bench(&bench, subject, NULL);
    close_bench(&other);
    data = make_data(&bench, 4, 1);
    path = path_of(&bench, "cut");
    for (int verb = WEIR_OP_WRITE; verb <= WEIR_OP_READ; verb++) {
        file = make_expected(&bench, path, 4 * UNIT_BYTES);
        move_units(&bench, WEIR_OP_WRITE, file, data, 4, false);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(truncate(path, 4 * UNIT_BYTES), 0);
            assert_int_equal(move(&bench, WEIR_OP_READ, file, data, 0, 4 * UNIT_BYTES),
                             4 * UNIT_BYTES);
            assert_int_equal(truncate(path, UNIT_BYTES), 0);
            assert_int_equal(
                move(&bench, (enum weir_op_verb)verb, file, data, 2 * UNIT_BYTES, UNIT_BYTES),
                -EIO);
            assert_int_equal(move(&bench, WEIR_OP_READ, file, data, 2 * UNIT_BYTES, UNIT_BYTES), 0);
            assert_int_equal(move(&bench, WEIR_OP_READ, file, data, 0, 2 * UNIT_BYTES), UNIT_BYTES);
        }
        close_file(&bench, file);
    }
    remove_name(&bench, path);
    close_bench(&bench);
    assert_int_equal(sigaction(SIGBUS, NULL, &after), 0);
    assert_true(before.sa_sigaction == after.sa_sigaction);
}

static volatile sig_atomic_t bus_errors;

static void count_bus_error(int signal)
{
    (void)signal;
    bus_errors++;
}

/* A page that is not there is still the error of a transfer. */
static void check_guard(struct bench *bench)
{
    const char *path = path_of(bench, "guarded");
    struct weir_file *file = make_expected(bench, path, 2 * UNIT_BYTES);

    assert_int_equal(truncate(path, UNIT_BYTES), 0);
    assert_int_equal(
        move(bench, WEIR_OP_WRITE, file, make_data(bench, 1, 1), UNIT_BYTES, UNIT_BYTES), -EIO);
    close_file(bench, file);
    remove_name(bench, path);
}

void a_bus_error_of_somebody_else_goes_where_it_went_before(void **state)
{
    const struct subject *subject = *state;
    const struct sigaction counting = {.sa_handler = count_bus_error};
    struct sigaction before;
    struct bench bench;

    assert_int_equal(sigaction(SIGBUS, &counting, &before), 0);
    open_bench(&bench, subject, NULL);
    bus_errors = 0;
    for (int sent = 1; sent <= 2; sent++) {
        assert_int_equal(raise(SIGBUS), 0);
        assert_int_equal(bus_errors, sent);
        check_guard(&bench);
        assert_int_equal(bus_errors, sent);
    }
    close_bench(&bench);
    assert_int_equal(sigaction(SIGBUS, &before, NULL), 0);
}

/* Of the file in the page cache. */
static unsigned count_resident(const char *path)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes = (size_t)UNITS * UNIT_BYTES;
    unsigned char pages[UNITS * UNIT_BYTES / 4096];
    unsigned count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *mapped;

    assert_true(fd >= 0);
    mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(mapped != MAP_FAILED);
    assert_int_equal(mincore(mapped, bytes, pages), 0);
    for (size_t page = 0; page < bytes / page_bytes; page++)
        count += pages[page] & 1;
    munmap(mapped, bytes);
    close(fd);
    return count;
}

static void check_dropping(const struct subject *subject, const char *option, bool is_dropped)
{
    struct weir_file *file;
    struct bench bench;
    unsigned char *data;
    const char *path;

    open_bench(&bench, subject, option);
    data = make_data(&bench, UNITS, 1);
    path = path_of(&bench, "dropped");
    file = make_expected(&bench, path, UNITS * UNIT_BYTES);
    move_units(&bench, WEIR_OP_WRITE, file, data, UNITS, false);
    assert_int_equal(bench.backend->file->sync(bench.session, file), 0);
    assert_true(count_resident(path) > 0);
    close_file(&bench, file);
    assert_int_equal(count_resident(path) == 0, is_dropped);
    assert_int_equal(open_file(&bench, path, false, &file), 0);
    assert_int_equal(count_resident(path) == 0, is_dropped);
    move_units(&bench, WEIR_OP_READ, file, data, UNITS, false);
    assert_true(count_resident(path) > 0);
    close_file(&bench, file);
    assert_int_equal(count_resident(path) == 0, is_dropped);
    remove_name(&bench, path);
    close_bench(&bench);
}

void pages_are_dropped_if_asked(void **state)
{
    const struct subject *subject = *state;
    struct statfs facts;

    assert_int_equal(statfs(subject->directory, &facts), 0);
    if (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC)
        skip_because("the working directory is in memory, and keeps its pages");
    check_dropping(subject, NULL, false);
    check_dropping(subject, "mmap.madv_dont_need=1", true);
    check_dropping(subject, "mmap.madvise_dont_need=1,mmap.madv_pattern=1", true);
}

/* Of the mapping of the file: kilobytes in this process, and whether it has the flag. */
static unsigned long find_mapped(const char *path, const char *flag, bool *has_flag)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    unsigned long kilobytes = 0;
    bool is_inside = false;
    char line[4096];

    assert_non_null(maps);
    *has_flag = false;
    while (fgets(line, sizeof line, maps)) {
        if (strchr(line, '-') && strchr(line, '/'))
            is_inside = strstr(line, path) != NULL;
        if (is_inside)
            sscanf(line, "Rss: %lu", &kilobytes);
        if (is_inside && strncmp(line, "VmFlags:", 8) == 0) {
            *has_flag = strstr(line, flag) != NULL;
            is_inside = false;
        }
    }
    fclose(maps);
    return kilobytes;
}

/* And a file that grows keeps the pages it had: more than the kernel maps for one touch. */
void advice_is_of_the_whole_mapping(void **state)
{
    const uint64_t bytes = 4 << 20;
    static const char *const cases[] = {"mmap.advice=random", "mmap.advice=sequential",
                                        "mmap.advice=dontneed", "mmap.advice=willneed"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_random, is_sequential;
        struct weir_file *file;
        unsigned char *data;
        struct bench bench;
        const char *path;

        open_bench(&bench, *state, cases[i]);
        path = path_of(&bench, "advised");
        file = make_expected(&bench, path, UNIT_BYTES);
        data = make_data(&bench, 1, 1);
        for (uint64_t at = 0; at < bytes; at += UNIT_BYTES)
            assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, at, UNIT_BYTES), UNIT_BYTES);
        move(&bench, WEIR_OP_WRITE, file, data, 16 * bytes, UNIT_BYTES);
        assert_true(find_mapped(path, " rr", &is_random) >= bytes / 1024);
        find_mapped(path, " sr", &is_sequential);
        assert_int_equal(is_random, i == 0);
        assert_int_equal(is_sequential, i == 1);
        close_file(&bench, file);
        remove_name(&bench, path);
        close_bench(&bench);
    }
}

/* ---- range locks ---- */

/* Another process that holds a lock until a moment after it is told to let go, or until it has lost
 * timeout, and says so just before. */
struct holder {
    pid_t pid;
    int orders; /* to it */
    int words;  /* from it */
};

static void hold(const char *path, short type, uint64_t offset, int orders, int words)
{
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = UNIT_BYTES};
    struct pollfd order = {.fd = orders, .events = POLLIN};
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0 || fcntl(fd, F_SETLK, &range) != 0 || write(words, "h", 1) != 1)
        _exit(1);
    if (poll(&order, 1, 10000) == 1 && (order.revents & POLLIN))
        usleep(100000);
    if (write(words, "r", 1) != 1)
        _exit(1);
    _exit(0);
}

static void start_holder(struct holder *holder, const char *path, short type, uint64_t offset)
{
    int orders[2];
    int words[2];
    char word;

    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    assert_int_equal(pipe2(words, O_CLOEXEC), 0);
    holder->pid = fork();
    assert_true(holder->pid >= 0);
    if (holder->pid == 0) {
        close(orders[1]); /* so that it sees the other end go */
        close(words[0]);
        hold(path, type, offset, orders[0], words[1]);
    }
    close(orders[0]);
    close(words[1]);
    holder->orders = orders[1];
    holder->words = words[0];
    assert_int_equal(read(holder->words, &word, 1), 1);
}

static void tell_to_release(const struct holder *holder)
{
    assert_int_equal(write(holder->orders, "g", 1), 1);
}

static bool has_released(const struct holder *holder)
{
    struct pollfd word = {.fd = holder->words, .events = POLLIN};

    return poll(&word, 1, 0) == 1;
}

static void stop_holder(struct holder *holder)
{
    int status;

    close(holder->orders);
    assert_int_equal(waitpid(holder->pid, &status, 0), holder->pid);
    assert_int_equal(status, 0);
    close(holder->words);
}

/* Locks of this process are gone, so that another one can have the range. */
static void check_unlocked(const char *path, uint64_t offset)
{
    struct holder holder;

    start_holder(&holder, path, F_WRLCK, offset);
    tell_to_release(&holder);
    stop_holder(&holder);
}

void a_transfer_waits_for_the_lock_on_its_range(void **state)
{
    static const struct {
        const char *options;
        short held;
        enum weir_op_verb verb;
        unsigned unit; /* number 1 is locked */
        bool waits;
    } cases[] = {
        {"posix.rangelocks=1", F_WRLCK, WEIR_OP_READ, 1, true},
        {"posix.rangelocks=1", F_WRLCK, WEIR_OP_WRITE, 1, true},
        {"posix.rangelocks=1", F_RDLCK, WEIR_OP_WRITE, 1, true},
        {"posix.rangelocks=1", F_RDLCK, WEIR_OP_READ, 1, false},
        {"posix.rangelocks=1", F_WRLCK, WEIR_OP_WRITE, 0, false},
        {"posix.rangelocks=1", F_WRLCK, WEIR_OP_WRITE, 2, false},
        {NULL, F_WRLCK, WEIR_OP_WRITE, 1, false},
    };
    const struct subject *subject = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t offset = (uint64_t)cases[i].unit * UNIT_BYTES;
        struct holder holder;
        struct weir_file *file;
        struct bench bench;
        unsigned char *data;
        const char *path;

        open_bench(&bench, subject, cases[i].options);
        data = make_data(&bench, 3, 1);
        path = path_of(&bench, "locked");
        file = make_file(&bench, path);
        move_units(&bench, WEIR_OP_WRITE, file, data, 3, false);
        start_holder(&holder, path, cases[i].held, UNIT_BYTES);
        if (cases[i].waits)
            tell_to_release(&holder);
        assert_int_equal(move(&bench, cases[i].verb, file, data, offset, UNIT_BYTES), UNIT_BYTES);
        assert_int_equal(has_released(&holder), cases[i].waits);
        stop_holder(&holder);
        check_unlocked(path, offset);
        close_file(&bench, file);
        remove_name(&bench, path);
        close_bench(&bench);
    }
}

/* What would be in the way of a writer, F_UNLCK: nothing. The close that ends the look must not end
 * the lock. */
static short find_lock(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &whole), 0);
    close(fd);
    return whole.l_type;
}

static void interrupt(int number)
{
    (void)number;
}

void a_file_is_locked_whole_while_it_is_open(void **state)
{
    static const struct {
        const char *options;
        short held;
        bool can_write, waits;
        short lock;
    } cases[] = {
        {"posix.filelock=1", F_WRLCK, true, true, F_WRLCK},
        {"posix.filelock=1", F_WRLCK, false, true, F_RDLCK},
        {"posix.filelock=1", F_RDLCK, true, true, F_WRLCK},
        {"posix.filelock=1", F_RDLCK, false, false, F_RDLCK},
        {NULL, F_WRLCK, true, false, F_UNLCK},
    };
    const struct sigaction interrupting = {.sa_handler = interrupt};
    struct sigaction before;

    assert_int_equal(sigaction(SIGALRM, &interrupting, &before), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct holder holder;
        struct weir_file *file;
        struct bench bench;
        const char *path;

        open_bench(&bench, *state, cases[i].options);
        path = path_of(&bench, "whole");
        close_file(&bench, make_file(&bench, path));
        start_holder(&holder, path, cases[i].held, UNIT_BYTES);
        if (cases[i].waits) {
            tell_to_release(&holder);
            ualarm(20000, 0); /* the holder lets go later */
        }
        assert_int_equal(open_file(&bench, path, cases[i].can_write, &file), 0);
        assert_int_equal(has_released(&holder), cases[i].waits);
        stop_holder(&holder);
        for (int look = 0; look < 2; look++)
            assert_int_equal(find_lock(path), cases[i].lock);
        close_file(&bench, file);
        assert_int_equal(find_lock(path), F_UNLCK);
        remove_name(&bench, path);
        close_bench(&bench);
    }
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

/* The ranks would wait for each other for ever. */
void a_shared_file_that_is_written_is_not_locked_whole(void **state)
{
    struct weir_group pair;
    struct weir_file_params params = {
        .can_write = true, .must_create = true, .claim = WEIR_CLAIM_NEW, .group = &pair};
    struct weir_file *file;
    struct bench bench;

    open_bench(&bench, *state, "posix.filelock=1");
    pair = *bench.subject->group;
    pair.size = 2;
    params.path = path_of(&bench, "shared");
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), -EDEADLK);
    assert_int_equal(access(params.path, F_OK), -1);
    params.group = bench.subject->group;
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), 0);
    close_file(&bench, file);
    remove_name(&bench, params.path);
    close_bench(&bench);
}

/* ---- stdio ---- */

/* What is shorter than the buffer is accepted; the error comes with the sync, and not again. */
void a_stream_tells_once_what_it_could_not_write(void **state)
{
    struct weir_file_params params = {.path = "/dev/full", .can_write = true};
    const struct weir_file_ops *ops;
    unsigned char *data;
    struct weir_file *file;
    struct bench bench;

    open_bench(&bench, *state, NULL);
    ops = bench.backend->file;
    params.group = bench.subject->group;
    params.transfer_bytes = 2 * UNIT_BYTES;
    data = make_data(&bench, 2, 1);
    assert_int_equal(ops->open(bench.session, &params, &file), 0);
    assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    assert_int_equal(ops->sync(bench.session, file), -ENOSPC);
    assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, 0, 2 * UNIT_BYTES), -ENOSPC);
    assert_int_equal(ops->close(bench.session, file), 0);
    assert_int_equal(ops->open(bench.session, &params, &file), 0);
    assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    assert_int_equal(ops->close(bench.session, file), -ENOSPC);
    close_bench(&bench);
}

void a_stream_has_its_memory_when_it_is_open(void **state)
{
    const char *path;
    struct weir_file *file;
    unsigned char *data;
    struct bench bench;
    size_t before;

    open_bench(&bench, *state, NULL);
    path = path_of(&bench, "stream");
    data = make_data(&bench, 3, 1);
    file = make_file(&bench, path);
    before = weir_test_allocated_bytes();
    for (uint64_t i = 0; i < UNITS; i++)
        assert_int_equal(
            move(&bench, WEIR_OP_WRITE, file, data, i * 7 % UNITS * UNIT_BYTES, UNIT_BYTES),
            UNIT_BYTES);
    for (uint64_t i = 0; i < UNITS; i++)
        assert_int_equal(move(&bench, WEIR_OP_READ, file, data, i * UNIT_BYTES, UNIT_BYTES),
                         UNIT_BYTES);
    assert_int_equal(weir_test_allocated_bytes(), before);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}
