/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA nodes of memory: what the kernel is asked for, in a host that is made up, and what it does,
 * in this one. */
#include "weir/system/memory_place.h"

#include "planted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFERRED_MANY 5
#define ENOUGH 8

/* ---- a kernel that is made up ---- */

/* A call of mbind, as it came in. */
struct binding {
    long mode;
    uint64_t nodes;
    unsigned long bits;
    unsigned long flags;
};

static struct {
    bool is_used;        /* else this host's own is asked */
    const char *allowed; /* Mems_allowed_list; NULL: no such line */
    uint64_t mems;       /* what get_mempolicy says instead; 0: -ENOSYS */
    int mode;            /* the policy that the process was started with */
    int error;           /* of mbind */
    bool is_old;         /* knows no MPOL_PREFERRED_MANY */
    struct binding bound[ENOUGH];
    unsigned bound_count;  /* attempts, too */
    uintptr_t asked[1024]; /* pages that move_pages was asked about */
    size_t asked_count;
    int (*node_of)(size_t page);
} kernel;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

FILE *__wrap_fopen(const char *path, const char *mode)
{
    static char status[256];

    if (!kernel.is_used || strcmp(path, "/proc/self/status") != 0)
        return __real_fopen(path, mode);
    snprintf(status, sizeof status, "Name:\tweir\nMems_allowed:\tff\n%s%s%sThreads:\t1\n",
             kernel.allowed != NULL ? "Mems_allowed_list:\t" : "",
             kernel.allowed != NULL ? kernel.allowed : "", kernel.allowed != NULL ? "\n" : "");
    return fmemopen(status, strlen(status), "r");
}

static long fail_with(int error)
{
    errno = error;
    return -1;
}

static long bind_made_up(long mode, const uint64_t *nodes, long bits, long flags)
{
    struct binding *binding = &kernel.bound[kernel.bound_count++];

    assert_true(kernel.bound_count < ENOUGH);
    *binding = (struct binding){mode, *nodes, (unsigned long)bits, (unsigned long)flags};
    if (kernel.error != 0)
        return fail_with(kernel.error);
    return kernel.is_old && mode == PREFERRED_MANY ? fail_with(EINVAL) : 0;
}

static long policy_made_up(int *mode, unsigned long *mask, long bits, long flags)
{
    if (kernel.error == ENOSYS || (flags == MPOL_F_MEMS_ALLOWED && kernel.mems == 0))
        return fail_with(ENOSYS);
    if (flags == MPOL_F_MEMS_ALLOWED) {
        assert_true(bits >= 1024);
        memcpy(mask, &kernel.mems, sizeof kernel.mems);
    } else {
        *mode = kernel.mode;
    }
    return 0;
}

static long look_made_up(long count, void *const *pages, const void *targets, int *nodes)
{
    assert_null(targets);
    assert_true((size_t)count <= sizeof kernel.asked / sizeof *kernel.asked);
    for (long i = 0; i < count; i++) {
        kernel.asked[i] = (uintptr_t)pages[i];
        nodes[i] = kernel.node_of((size_t)i);
    }
    kernel.asked_count = (size_t)count;
    return kernel.error != 0 ? fail_with(kernel.error) : 0;
}

long __wrap_syscall(long number, ...)
{
    const int count = number == SYS_get_mempolicy ? 5 : 6;
    long words[6] = {0};
    va_list list;

    va_start(list, number);
    for (int i = 0; i < count; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (kernel.is_used && number == SYS_mbind)
        return bind_made_up(words[2], (const uint64_t *)words[3], words[4], words[5]);
    if (kernel.is_used && number == SYS_get_mempolicy)
        return policy_made_up((int *)words[0], (unsigned long *)words[1], words[2], words[4]);
    if (kernel.is_used && number == SYS_move_pages)
        return look_made_up(words[1], (void *const *)words[2], (const void *)words[3],
                            (int *)words[4]);
    return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static int forget(void **state)
{
    (void)state;
    memset(&kernel, 0, sizeof kernel);
    return 0;
}

/* ---- what is wanted ---- */

static void wanted_nodes_are_those_of_the_policy(void **state)
{
    static const struct {
        struct weir_membind membind;
        uint64_t cpu_nodes;
        bool has_own_policy;
        uint64_t wanted;
    } cases[] = {
        {{WEIR_MEMBIND_AUTO, 0}, 2, false, 2},
        {{WEIR_MEMBIND_AUTO, 0}, 2, true, 0},
        {{WEIR_MEMBIND_LOCAL, 0}, 3, false, 3},
        {{WEIR_MEMBIND_LOCAL, 0}, 2, true, 2},
        {{WEIR_MEMBIND_INTERLEAVE, 0}, 2, false, 7},
        {{WEIR_MEMBIND_NODE, 1}, 1, false, 2},
        {{WEIR_MEMBIND_NODE, 63}, 1, true, UINT64_C(1) << 63},
        {{WEIR_MEMBIND_NODE, 64}, 1, false, 0},
        {{WEIR_MEMBIND_NONE, 0}, 2, false, 0},
    };

    (void)state;
    kernel.is_used = true;
    kernel.allowed = "0-2";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            weir_memory_wanted(&cases[i].membind, cases[i].cpu_nodes, cases[i].has_own_policy),
            cases[i].wanted);
}

static void allowed_nodes_are_those_of_the_kernel(void **state)
{
    static const struct {
        const char *allowed;
        uint64_t mems;
        uint64_t nodes;
    } cases[] = {
        {"0", 0, 1},  {"0-1", 0, 3}, {"1,3", 0, 10},    {"8", 1, 256},
        {NULL, 5, 5}, {NULL, 0, 0},  {"rubbish", 3, 3}, {"62-70", 0, UINT64_C(3) << 62},
    };

    (void)state;
    kernel.is_used = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kernel.allowed = cases[i].allowed;
        kernel.mems = cases[i].mems;
        assert_int_equal(weir_memory_nodes(), cases[i].nodes);
    }
}

static void a_policy_of_the_process_is_seen(void **state)
{
    static const int modes[] = {MPOL_DEFAULT, MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE,
                                MPOL_LOCAL};

    (void)state;
    kernel.is_used = true;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        kernel.mode = modes[i];
        assert_int_equal(weir_memory_has_policy(), modes[i] != MPOL_DEFAULT);
    }
    kernel.error = ENOSYS;
    assert_false(weir_memory_has_policy());
}

/* ---- what the kernel is asked for ---- */

#define NO_CALL -1

struct request {
    const char *what;
    struct weir_membind membind;
    uint64_t cpu_nodes;
    const char *allowed;
    int own_mode;
    int error;
    bool is_old;
    int code;
    long mode; /* of the last call of mbind, or NO_CALL */
    uint64_t nodes;
};

static const struct request requests[] = {
    {"auto prefers", {WEIR_MEMBIND_AUTO, 0}, 2, "0-1", 0, 0, false, 0, PREFERRED_MANY, 2},
    {"auto prefers several", {WEIR_MEMBIND_AUTO, 0}, 3, "0-3", 0, 0, false, 0, PREFERRED_MANY, 3},
    {"auto, old kernel, one", {WEIR_MEMBIND_AUTO, 0}, 2, "0-1", 0, 0, true, 0, MPOL_PREFERRED, 2},
    {"auto, old kernel, two", {WEIR_MEMBIND_AUTO, 0}, 3, "0-3", 0, 0, true, 0, PREFERRED_MANY, 3},
    {"auto under numactl", {WEIR_MEMBIND_AUTO, 0}, 2, "0-1", MPOL_BIND, 0, false, 0, NO_CALL, 0},
    {"auto, nodes unknown", {WEIR_MEMBIND_AUTO, 0}, 0, "0-1", 0, 0, false, 0, NO_CALL, 0},
    {"auto, no NUMA", {WEIR_MEMBIND_AUTO, 0}, 1, NULL, 0, ENOSYS, false, 0, MPOL_PREFERRED, 1},
    {"auto, forbidden", {WEIR_MEMBIND_AUTO, 0}, 1, "0-1", 0, EPERM, false, 0, MPOL_PREFERRED, 1},
    {"none", {WEIR_MEMBIND_NONE, 0}, 2, "0-1", 0, 0, false, 0, NO_CALL, 0},
    {"local", {WEIR_MEMBIND_LOCAL, 0}, 2, "0-1", MPOL_BIND, 0, false, 0, MPOL_BIND, 2},
    {"local, in part", {WEIR_MEMBIND_LOCAL, 0}, 6, "0-1", 0, 0, false, 0, MPOL_BIND, 2},
    {"local, elsewhere", {WEIR_MEMBIND_LOCAL, 0}, 2, "0", 0, 0, false, -EINVAL, NO_CALL, 0},
    {"local, unknown", {WEIR_MEMBIND_LOCAL, 0}, 0, "0-1", 0, 0, false, -EINVAL, NO_CALL, 0},
    {"local, no NUMA", {WEIR_MEMBIND_LOCAL, 0}, 1, NULL, 0, ENOSYS, false, 0, MPOL_BIND, 1},
    {"local, no nodes at all", {WEIR_MEMBIND_LOCAL, 0}, 0, NULL, 0, ENOSYS, false, 0, NO_CALL, 0},
    {"local, one, forbidden", {WEIR_MEMBIND_LOCAL, 0}, 1, "0", 0, EPERM, false, 0, MPOL_BIND, 1},
    {"local, forbidden", {WEIR_MEMBIND_LOCAL, 0}, 1, "0-1", 0, EPERM, false, -EPERM, MPOL_BIND, 1},
    {"local, one, no memory",
     {WEIR_MEMBIND_LOCAL, 0},
     1,
     "0",
     0,
     ENOMEM,
     false,
     -ENOMEM,
     MPOL_BIND,
     1},
    {"interleave", {WEIR_MEMBIND_INTERLEAVE, 0}, 2, "0-2", 0, 0, false, 0, MPOL_INTERLEAVE, 7},
    {"interleave, no NUMA",
     {WEIR_MEMBIND_INTERLEAVE, 0},
     1,
     NULL,
     0,
     ENOSYS,
     false,
     -ENOSYS,
     NO_CALL,
     0},
    {"node", {WEIR_MEMBIND_NODE, 1}, 1, "0-1", 0, 0, false, 0, MPOL_BIND, 2},
    {"node, not there", {WEIR_MEMBIND_NODE, 2}, 1, "0-1", 0, 0, false, -EINVAL, NO_CALL, 0},
    {"node, beyond", {WEIR_MEMBIND_NODE, 64}, 1, "0-1", 0, 0, false, -EINVAL, NO_CALL, 0},
    {"node, beyond, no NUMA",
     {WEIR_MEMBIND_NODE, 64},
     1,
     NULL,
     0,
     ENOSYS,
     false,
     -EINVAL,
     NO_CALL,
     0},
    {"node, no NUMA", {WEIR_MEMBIND_NODE, 0}, 1, NULL, 0, ENOSYS, false, -ENOSYS, MPOL_BIND, 1},
};

static void the_kernel_is_asked_for_what_the_policy_means(void **state)
{
    char memory[1];

    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const struct request *request = &requests[i];
        const struct binding *last;
        int code;

        forget(NULL);
        kernel.is_used = true;
        kernel.allowed = request->allowed;
        kernel.mode = request->own_mode;
        kernel.error = request->error;
        kernel.is_old = request->is_old;
        code = weir_memory_bind(memory, 1, &request->membind, request->cpu_nodes);
        last = kernel.bound_count > 0 ? &kernel.bound[kernel.bound_count - 1] : NULL;
        if (code != request->code || (last == NULL) != (request->mode == NO_CALL) ||
            (last != NULL && (last->mode != request->mode || last->nodes != request->nodes)))
            fail_msg("%s: %d, mode %ld, nodes %llx", request->what, code,
                     last != NULL ? last->mode : NO_CALL,
                     last != NULL ? (unsigned long long)last->nodes : 0);
        if (last != NULL) {
            /* One more than there are, as the kernel counts. */
            assert_int_equal(last->bits, 65);
            assert_int_equal(last->flags, 0);
        }
    }
}

/* ---- where pages are ---- */

static int always_node_3(size_t page)
{
    (void)page;
    return 3;
}

static void pages_are_asked_about_evenly_and_once(void **state)
{
    static const struct {
        size_t offset;
        size_t bytes;
        size_t pages;
    } cases[] = {
        {0, 0, 0},
        {0, 1, 1},
        {4095, 1, 1},
        {4095, 2, 2},
        {0, 4096, 1},
        {0, 4097, 2},
        {0, 1 << 22, 1024},
        {1, 1 << 22, 1024},
        {0, 1025 * 4096, 1024},
        {0, (size_t)1 << 40, 1024},
        {0, 1536 * 4096, 1024},
    };
    const uintptr_t base = (uintptr_t)1 << 44;

    (void)state;
    if (sysconf(_SC_PAGESIZE) != 4096)
        skip();
    kernel.is_used = true;
    kernel.node_of = always_node_3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uintptr_t begin = base + cases[i].offset;
        const uintptr_t end = begin + cases[i].bytes;
        struct weir_page_places places;

        kernel.asked_count = 0;
        assert_int_equal(weir_memory_sample_places((const void *)begin, cases[i].bytes, &places),
                         0);
        assert_int_equal(kernel.asked_count, cases[i].pages);
        assert_int_equal(places.pages, cases[i].pages);
        assert_int_equal(places.on_node[3], cases[i].pages);
        assert_int_equal(places.nodes, cases[i].pages > 0 ? 8 : 0);
        if (kernel.asked_count > 0)
            assert_true(end - kernel.asked[kernel.asked_count - 1] <=
                        (cases[i].bytes / 4096 / 1024 + 1) * 4096);
        for (size_t page = 0; page < kernel.asked_count; page++) {
            uintptr_t address = kernel.asked[page];
            uintptr_t step = page > 0 ? address - kernel.asked[page - 1] : 0;

            assert_int_equal(address % 4096, 0);
            assert_true(address + 4096 > begin && address < end);
            if (page == 0)
                continue;
            assert_true(step >= 4096);
            assert_true(step < 2 * (cases[i].bytes / 4096 / 1024 + 1) * 4096);
        }
    }
}

/* Pages that take turns. */
static int interleaved_nodes(size_t sample)
{
    return (int)(kernel.asked[sample] / (uintptr_t)sysconf(_SC_PAGESIZE) % 2);
}

static void pages_on_nodes_in_turn_are_seen_on_all_of_them(void **state)
{
    (void)state;
    kernel.is_used = true;
    kernel.node_of = interleaved_nodes;
    for (size_t step = 1; step <= 16; step++) {
        struct weir_page_places places;

        assert_int_equal(weir_memory_sample_places((const void *)((uintptr_t)1 << 44),
                                                   step * 1024 * (size_t)sysconf(_SC_PAGESIZE),
                                                   &places),
                         0);
        assert_int_equal(places.pages, 1024);
        assert_in_range(places.on_node[1], 512 - 64, 512 + 64);
    }
}

/* One in four is on node 1, one has not been touched, one is on a node beyond those that count. */
static int mixed_nodes(size_t page)
{
    static const int nodes[] = {0, 1, 0, 0, 0, 1, -ENOENT, 70};

    return nodes[page % 8];
}

static void only_pages_that_are_somewhere_count(void **state)
{
    struct weir_page_places places;

    (void)state;
    kernel.is_used = true;
    kernel.node_of = mixed_nodes;
    assert_int_equal(weir_memory_sample_places((const void *)(uintptr_t)(1 << 30),
                                               8 * (size_t)sysconf(_SC_PAGESIZE), &places),
                     0);
    assert_int_equal(places.pages, 6);
    assert_int_equal(places.nodes, 3);
    assert_int_equal(places.on_node[0], 4);
    assert_int_equal(places.on_node[1], 2);
}

static void a_kernel_that_does_not_tell_is_an_error(void **state)
{
    struct weir_page_places places = {.pages = 7};

    (void)state;
    kernel.is_used = true;
    kernel.node_of = always_node_3;
    kernel.error = ENOSYS;
    assert_int_equal(weir_memory_sample_places((const void *)(uintptr_t)(1 << 30), 1, &places),
                     -ENOSYS);
    kernel.error = EPERM;
    assert_int_equal(weir_memory_sample_places((const void *)(uintptr_t)(1 << 30), 1, &places),
                     -EPERM);
    assert_int_equal(places.pages, 7);
}

static void the_share_that_is_away_never_vanishes(void **state)
{
    static const struct {
        struct weir_page_places places;
        uint64_t nodes;
        unsigned permille;
    } cases[] = {
        {{.pages = 0}, 1, 0},
        {{.pages = 4, .on_node = {4}}, 1, 0},
        {{.pages = 4, .on_node = {4}}, 2, 1000},
        {{.pages = 4, .on_node = {3, 1}}, 1, 250},
        {{.pages = 4, .on_node = {2, 1, 1}}, 5, 250},
        {{.pages = 1024, .on_node = {1023, 1}}, 1, 1},
        {{.pages = 1024, .on_node = {1, 1023}}, 1, 1000},
        {{.pages = 3, .on_node = {2, [63] = 1}}, UINT64_C(1) << 63 | 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(weir_memory_away_permille(&cases[i].places, cases[i].nodes),
                         cases[i].permille);
}

/* ---- this host ---- */

enum { BYTES = 8 << 20 };

/* What the kernel's own table of mappings says of the one that begins there: pages on `node`. */
static unsigned long count_in_numa_maps(const void *memory, unsigned node)
{
    FILE *maps = fopen("/proc/self/numa_maps", "re");
    unsigned long pages = 0;
    char key[16], line[1024];

    if (maps == NULL)
        return 0;
    snprintf(key, sizeof key, " N%u=", node);
    while (fgets(line, sizeof line, maps) != NULL) {
        const char *found = strstr(line, key);

        if (strtoul(line, NULL, 16) == (uintptr_t)memory && found != NULL)
            pages = strtoul(found + strlen(key), NULL, 10);
    }
    fclose(maps);
    return pages;
}

static void *map(void)
{
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    /* So that it is no part of another mapping in the kernel's table. */
    madvise(memory, BYTES, MADV_DONTFORK);
    return memory;
}

/* Not all kernels do these, nor do all containers let them. */
static void need_numa(void)
{
    const struct weir_membind here = {WEIR_MEMBIND_NODE,
                                      (unsigned)__builtin_ctzll(weir_memory_nodes() | 1ULL << 63)};
    void *memory = map();
    int code = weir_memory_bind(memory, BYTES, &here, 1);

    munmap(memory, BYTES);
    if (code == 0)
        return;
    print_message("[  REASON  ] this kernel does not bind memory: %s\n", strerror(-code));
    skip();
}

static void pages_come_to_be_on_each_node_that_is_named(void **state)
{
    uint64_t nodes = weir_memory_nodes();
    const unsigned pages = BYTES / (unsigned)sysconf(_SC_PAGESIZE);

    (void)state;
    need_numa();
    for (unsigned node = 0; node < WEIR_NUMA_NODES_MAX; node++) {
        const struct weir_membind membind = {WEIR_MEMBIND_NODE, node};
        struct weir_page_places places;
        void *memory = map();

        if ((nodes >> node & 1) == 0) {
            assert_int_equal(weir_memory_bind(memory, BYTES, &membind, 1), -EINVAL);
            munmap(memory, BYTES);
            continue;
        }
        assert_int_equal(weir_memory_bind(memory, BYTES, &membind, 1), 0);
        assert_int_equal(weir_memory_sample_places(memory, BYTES, &places), 0);
        assert_int_equal(places.pages, 0);
        memset(memory, 0x5a, BYTES);
        assert_int_equal(weir_memory_sample_places(memory, BYTES, &places), 0);
        assert_int_equal(places.pages, pages < 1024 ? pages : 1024);
        assert_int_equal(places.nodes, UINT64_C(1) << node);
        assert_int_equal(weir_memory_away_permille(&places, UINT64_C(1) << node), 0);
        assert_int_equal(weir_memory_away_permille(&places, ~(UINT64_C(1) << node)), 1000);
        assert_int_equal(count_in_numa_maps(memory, node), pages);
        print_message("[  NODE %2u ] %u pages looked at, %lu in numa_maps\n", node, places.pages,
                      count_in_numa_maps(memory, node));
        munmap(memory, BYTES);
    }
}

static void interleaved_pages_are_on_all_nodes_alike(void **state)
{
    const struct weir_membind membind = {WEIR_MEMBIND_INTERLEAVE, 0};
    uint64_t nodes = weir_memory_nodes();
    struct weir_page_places places;
    void *memory = map();

    (void)state;
    need_numa();
    assert_int_equal(weir_memory_bind(memory, BYTES, &membind, 1), 0);
    /* A huge page is on one node. */
    madvise(memory, BYTES, MADV_NOHUGEPAGE);
    memset(memory, 0x5a, BYTES);
    assert_int_equal(weir_memory_sample_places(memory, BYTES, &places), 0);
    assert_int_equal(places.nodes, nodes);
    for (unsigned node = 0; node < WEIR_NUMA_NODES_MAX; node++) {
        unsigned share = places.pages / (unsigned)__builtin_popcountll(nodes);

        if ((nodes >> node & 1) != 0)
            assert_in_range(places.on_node[node], share * 3 / 4, share * 5 / 4);
    }
    munmap(memory, BYTES);
}

static void all_policies_but_node_suit_every_host(void **state)
{
    static const enum weir_membind_policy policies[] = {WEIR_MEMBIND_AUTO, WEIR_MEMBIND_NONE};

    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const struct weir_membind membind = {policies[i], 0};
        void *memory = map();

        assert_int_equal(weir_memory_bind(memory, BYTES, &membind, weir_memory_nodes()), 0);
        memset(memory, 0x5a, BYTES);
        munmap(memory, BYTES);
    }
}

/* ---- huge pages ---- */

static void huge_pages_count_as_far_as_they_can_be_of_that_memory(void **state)
{
    static const struct planted_file smaps = {
        "proc/self/smaps",
        "10000000-10400000 rw-p 00000000 00:00 0\n"
        "Size:               4096 kB\n"
        "AnonHugePages:      2048 kB\n"
        "20000000-20800000 rw-p 00000000 00:00 0\n"
        "AnonHugePages:      8192 kB\n"
        "Private_Hugetlb:       0 kB\n"
        "30000000-30200000 rw-s 00000000 00:0f 7   /anon_hugepage (deleted)\n"
        "AnonHugePages:         0 kB\n"
        "Private_Hugetlb:    2048 kB\n"
        "50000000-50800000 rw-s 00000000 00:01 8   /memfd:weir (deleted)\n"
        "AnonHugePages:         0 kB\n"
        "ShmemPmdMapped:     4096 kB\n",
    };
    static const struct {
        uintptr_t begin;
        size_t mib;
        uint64_t huge_mib;
    } cases[] = {
        {0x10000000, 4, 2},   /* half of the mapping */
        {0x10200000, 1, 1},   /* no more than there is */
        {0x20000000, 8, 8},   /* all of it */
        {0x20600000, 4, 2},   /* what lies behind its end is not mapped */
        {0x30000000, 2, 2},   /* reserved ones */
        {0x40000000, 2, 0},   /* not mapped at all */
        {0x50000000, 8, 4},   /* memory that others may map, too */
        {0x10000000, 264, 10} /* two mappings */
    };
    char root[64];

    (void)state;
    plant(root, &smaps, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            weir_memory_huge_bytes(root, (const void *)cases[i].begin, cases[i].mib << 20),
            cases[i].huge_mib << 20);
    assert_int_equal(weir_memory_huge_bytes("/nowhere", cases, sizeof cases), 0);
    fell(root);
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wanted_nodes_are_those_of_the_policy),
        TEST(allowed_nodes_are_those_of_the_kernel),
        TEST(a_policy_of_the_process_is_seen),
        TEST(the_kernel_is_asked_for_what_the_policy_means),
        TEST(pages_are_asked_about_evenly_and_once),
        TEST(pages_on_nodes_in_turn_are_seen_on_all_of_them),
        TEST(only_pages_that_are_somewhere_count),
        TEST(a_kernel_that_does_not_tell_is_an_error),
        TEST(the_share_that_is_away_never_vanishes),
        TEST(pages_come_to_be_on_each_node_that_is_named),
        TEST(interleaved_pages_are_on_all_nodes_alike),
        TEST(all_policies_but_node_suit_every_host),
        TEST(huge_pages_count_as_far_as_they_can_be_of_that_memory),
    };

    return cmocka_run_group_tests_name("memory_place", tests, NULL, NULL);
}
