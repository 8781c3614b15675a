/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a peer as the shm provider reaches it: slabs and what is none, within the bounds of
 * keys, and nothing else; and who can be a peer at all. What a kernel refuses is made up. */
#include "network/fabric/shm.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, SLAB_BYTES = 16 * PAGE_BYTES };

/* What the kernel of a test does; all zero: as it is. */
struct kernel {
    int copy_error;
    size_t copied_at_most;
    const char *scope; /* of Yama */
    uid_t user;
    unsigned tracers; /* how often all were allowed to trace us */
};

static struct kernel kernel;

ssize_t __real_process_vm_readv(pid_t process, const struct iovec *ours, unsigned long our_count,
                                const struct iovec *theirs, unsigned long their_count,
                                unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t process, const struct iovec *ours, unsigned long our_count,
                                const struct iovec *theirs, unsigned long their_count,
                                unsigned long flags);
ssize_t __real_process_vm_writev(pid_t process, const struct iovec *ours, unsigned long our_count,
                                 const struct iovec *theirs, unsigned long their_count,
                                 unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t process, const struct iovec *ours, unsigned long our_count,
                                 const struct iovec *theirs, unsigned long their_count,
                                 unsigned long flags);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
uid_t __wrap_geteuid(void);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

static bool is_refused(void)
{
    errno = kernel.copy_error;
    return errno != 0;
}

static struct iovec shortened(const struct iovec *vector)
{
    struct iovec made = *vector;

    if (kernel.copied_at_most > 0 && made.iov_len > kernel.copied_at_most)
        made.iov_len = kernel.copied_at_most;
    return made;
}

ssize_t __wrap_process_vm_readv(pid_t process, const struct iovec *ours, unsigned long our_count,
                                const struct iovec *theirs, unsigned long their_count,
                                unsigned long flags)
{
    struct iovec to = shortened(ours), from = shortened(theirs);

    return is_refused()
               ? -1
               : __real_process_vm_readv(process, &to, our_count, &from, their_count, flags);
}

ssize_t __wrap_process_vm_writev(pid_t process, const struct iovec *ours, unsigned long our_count,
                                 const struct iovec *theirs, unsigned long their_count,
                                 unsigned long flags)
{
    struct iovec from = shortened(ours), to = shortened(theirs);

    return is_refused()
               ? -1
               : __real_process_vm_writev(process, &from, our_count, &to, their_count, flags);
}

int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    kernel.tracers += option == PR_SET_PTRACER && a == PR_SET_PTRACER_ANY;
    return 0;
}

uid_t __wrap_geteuid(void)
{
    return kernel.user;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (strcmp(path, "/proc/sys/kernel/yama/ptrace_scope") != 0)
        return __real_fopen(path, mode);
    if (!kernel.scope) {
        errno = ENOENT;
        return NULL;
    }
    return fmemopen((void *)(uintptr_t)kernel.scope, strlen(kernel.scope), "r");
}

static int begin(void **state)
{
    kernel = (struct kernel){.user = 0};
    return 0;
}

/* ---- a peer ---- */

/* What is said over the pipes: its keys, then a byte at a time to go on. */
struct child {
    pid_t process;
    int to, from;
    int pipe; /* a descriptor that it has */
    struct weir_region_key slab, plain;
};

static unsigned char pattern(size_t at)
{
    return (unsigned char)(at * 31 + at / 251);
}

static bool is_pattern(const unsigned char *memory, size_t bytes, unsigned char change)
{
    for (size_t at = 0; at < bytes; at++)
        if (memory[at] != (unsigned char)(pattern(at) ^ change))
            return false;
    return true;
}

static void fill(unsigned char *memory, size_t bytes, unsigned char change)
{
    for (size_t at = 0; at < bytes; at++)
        memory[at] = (unsigned char)(pattern(at) ^ change);
}

/* Serves the slab but for its first page, and as much other memory; says at last whether both were
 * written. */
static int serve(int from, int to)
{
    struct weir_region_key keys[2];
    unsigned char *plain = mmap(NULL, SLAB_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *served;
    struct weir_slab slab;
    char go;

    if (plain == MAP_FAILED || munmap(plain + SLAB_BYTES, PAGE_BYTES) != 0 ||
        weir_slab_open(&slab, &(struct weir_slab_params){.bytes = SLAB_BYTES + PAGE_BYTES}) != 0)
        return 1;
    served = (unsigned char *)slab.memory + PAGE_BYTES;
    fill(served, SLAB_BYTES, 0);
    fill(plain, SLAB_BYTES, 0);
    if (weir_shm_key_make(&keys[0], served, SLAB_BYTES, &slab) != 0 ||
        weir_shm_key_make(&keys[1], plain, SLAB_BYTES, NULL) != 0 ||
        write(to, keys, sizeof keys) != sizeof keys || read(from, &go, 1) != 1)
        return 2;
    return is_pattern(served, SLAB_BYTES, go) && is_pattern(plain, SLAB_BYTES, go) ? 0 : 3;
}

static void begin_child(struct child *child)
{
    struct weir_region_key keys[2];
    int there[2], back[2];

    assert_int_equal(pipe2(there, O_CLOEXEC), 0);
    assert_int_equal(pipe2(back, O_CLOEXEC), 0);
    child->process = fork();
    assert_true(child->process >= 0);
    if (child->process == 0) {
        close(there[1]);
        close(back[0]);
        _exit(serve(there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    child->to = there[1];
    child->from = back[0];
    child->pipe = there[0];
    assert_int_equal(read(child->from, keys, sizeof keys), sizeof keys);
    child->slab = keys[0];
    child->plain = keys[1];
}

/* `change`: what its memory must be by now. Returns its exit status. */
static int end_child(struct child *child, char change)
{
    int status;

    assert_int_equal(write(child->to, &change, 1), 1);
    close(child->to);
    close(child->from);
    assert_int_equal(waitpid(child->process, &status, 0), child->process);
    return status;
}

static int move(struct weir_shm_peer *peer, enum weir_wr_verb verb,
                const struct weir_region_key *key, uint64_t offset, void *data, uint64_t bytes)
{
    return weir_shm_move(peer, &(struct weir_wr){.verb = verb,
                                                 .data = data,
                                                 .bytes = bytes,
                                                 .remote_address = key->address + offset,
                                                 .remote = key});
}

/* In pieces of all kinds of sizes. */
static void move_all(struct weir_shm_peer *peer, enum weir_wr_verb verb,
                     const struct weir_region_key *key, unsigned char *data)
{
    size_t piece = 1;

    for (size_t at = 0; at < SLAB_BYTES; at += piece, piece = piece * 3 % 7001 + 1) {
        if (piece > SLAB_BYTES - at)
            piece = SLAB_BYTES - at;
        assert_int_equal(move(peer, verb, key, at, data + at, piece), 0);
    }
}

static void read_and_write_all(size_t copied_at_most)
{
    static unsigned char data[SLAB_BYTES];
    struct weir_shm_peer peer;
    struct child child;

    begin_child(&child);
    kernel.copied_at_most = copied_at_most;
    assert_int_equal(weir_shm_peer_open(&peer, child.process), 0);
    move_all(&peer, WEIR_WR_READ, &child.slab, data);
    assert_true(is_pattern(data, SLAB_BYTES, 0));
    memset(data, 0, sizeof data);
    move_all(&peer, WEIR_WR_READ, &child.plain, data);
    assert_true(is_pattern(data, SLAB_BYTES, 0));
    fill(data, SLAB_BYTES, 0x55);
    move_all(&peer, WEIR_WR_WRITE, &child.slab, data);
    move_all(&peer, WEIR_WR_WRITE, &child.plain, data);
    assert_int_equal(end_child(&child, 0x55), 0);
    weir_shm_peer_close(&peer);
}

static void a_peers_memory_is_read_and_written(void **state)
{
    read_and_write_all(0);
}

static void what_the_kernel_copies_in_part_is_gone_on_with(void **state)
{
    read_and_write_all(700);
}

struct bound {
    uint64_t offset, bytes;
    bool is_within;
};

static void only_what_is_within_a_key_is_touched(void **state)
{
    static const struct bound bounds[] = {
        {0, 1, true},
        {0, SLAB_BYTES, true},
        {SLAB_BYTES - 1, 1, true},
        {SLAB_BYTES, 1, false},
        {SLAB_BYTES - 1, 2, false},
        {0, SLAB_BYTES + 1, false},
        {1, SLAB_BYTES, false},
        {UINT64_MAX, 1, false},
        {UINT64_MAX - 1, 2, false},
        {UINT64_MAX - PAGE_BYTES + 1, PAGE_BYTES, false},
        {1, UINT64_MAX, false},
        {2 * SLAB_BYTES, 1, false},
    };
    static unsigned char data[SLAB_BYTES];
    struct weir_shm_peer peer;
    struct child child;

    begin_child(&child);
    assert_int_equal(weir_shm_peer_open(&peer, child.process), 0);
    for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const struct bound *bound = &bounds[i];
        int expected = bound->is_within ? 0 : -EACCES;

        assert_int_equal(move(&peer, WEIR_WR_READ, &child.slab, bound->offset, data, bound->bytes),
                         expected);
        assert_int_equal(move(&peer, WEIR_WR_READ, &child.plain, bound->offset, data, bound->bytes),
                         expected);
        if (!bound->is_within) {
            assert_int_equal(
                move(&peer, WEIR_WR_WRITE, &child.slab, bound->offset, data, bound->bytes),
                expected);
            assert_int_equal(
                move(&peer, WEIR_WR_WRITE, &child.plain, bound->offset, data, bound->bytes),
                expected);
        }
    }
    assert_int_equal(end_child(&child, 0), 0);
    weir_shm_peer_close(&peer);
}

/* Keys that claim more than there is, or something else. */
static void forged_keys_are_refused(void **state)
{
    unsigned char data[64];
    struct weir_shm_peer peer;
    struct child child;

    begin_child(&child);
    assert_int_equal(weir_shm_peer_open(&peer, child.process), 0);
    {
        const struct weir_region_key good = child.slab;
        struct weir_region_key keys[12];
        unsigned count = sizeof keys / sizeof *keys;

        for (unsigned i = 0; i < count; i++)
            keys[i] = good;
        keys[0].process = getpid();
        keys[1].process = 1;
        keys[2].process = -1;
        keys[3].fd = child.pipe;
        keys[4].fd = 9999;
        keys[5].fd = 0;
        keys[6].key += SLAB_BYTES;                          /* begins at the slab's end */
        keys[7].key ^= UINT64_C(1) << WEIR_SHM_OFFSET_BITS; /* another inode */
        keys[8].key |= (UINT64_C(1) << WEIR_SHM_OFFSET_BITS) - 1;
        keys[9].address -= 2 * SLAB_BYTES;
        keys[9].bytes *= 4; /* within the key, and not within the slab */
        keys[10] = child.plain;
        keys[10].process = getpid();
        keys[11] = child.plain;
        keys[11].bytes += PAGE_BYTES; /* not mapped there */
        for (unsigned i = 0; i < count; i++) {
            uint64_t offset = i == 9 ? 3 * SLAB_BYTES : i == 11 ? SLAB_BYTES : 0;

            assert_int_equal(move(&peer, WEIR_WR_READ, &keys[i], offset, data, sizeof data),
                             -EACCES);
            assert_int_equal(move(&peer, WEIR_WR_WRITE, &keys[i], offset, data, sizeof data),
                             -EACCES);
        }
        assert_int_equal(move(&peer, WEIR_WR_READ, &good, 0, data, sizeof data), 0);
    }
    assert_int_equal(end_child(&child, 0), 0);
    weir_shm_peer_close(&peer);
}

static void open_slab(struct weir_slab *slab, struct weir_region_key *key)
{
    assert_int_equal(weir_slab_open(slab, &(struct weir_slab_params){.bytes = PAGE_BYTES}), 0);
    assert_int_equal(weir_shm_key_make(key, slab->memory, slab->bytes, slab), 0);
}

static void a_descriptor_that_has_become_another_slab_is_noticed(void **state)
{
    struct weir_shm_peer peer;
    struct weir_region_key old_key, new_key;
    struct weir_slab old_slab, new_slab;
    unsigned char byte = 1;

    assert_int_equal(weir_shm_peer_open(&peer, getpid()), 0);
    open_slab(&old_slab, &old_key);
    assert_int_equal(move(&peer, WEIR_WR_WRITE, &old_key, 0, &byte, 1), 0);
    weir_slab_close(&old_slab);
    open_slab(&new_slab, &new_key);
    assert_int_equal(new_key.fd, old_key.fd);
    byte = 2;
    assert_int_equal(move(&peer, WEIR_WR_WRITE, &new_key, 7, &byte, 1), 0);
    assert_int_equal(((unsigned char *)new_slab.memory)[7], 2);
    assert_int_equal(move(&peer, WEIR_WR_WRITE, &old_key, 7, &byte, 1), -EACCES);
    byte = 3;
    assert_int_equal(move(&peer, WEIR_WR_WRITE, &new_key, 7, &byte, 1), 0);
    assert_int_equal(((unsigned char *)new_slab.memory)[7], 3);
    weir_shm_peer_close(&peer);
    weir_slab_close(&new_slab);
}

static size_t mapped_bytes(void)
{
    FILE *facts = fopen("/proc/self/statm", "re");
    size_t pages = 0;

    assert_non_null(facts);
    assert_int_equal(fscanf(facts, "%zu", &pages), 1);
    fclose(facts);
    return pages;
}

static void more_slabs_than_are_remembered_can_be_used(void **state)
{
    enum { SLABS = 3 * WEIR_SHM_MAPPINGS_MAX };
    struct weir_shm_peer peer;
    struct weir_region_key keys[SLABS];
    struct weir_slab slabs[SLABS];
    size_t before;

    assert_int_equal(weir_shm_peer_open(&peer, getpid()), 0);
    for (unsigned i = 0; i < SLABS; i++)
        open_slab(&slabs[i], &keys[i]);
    before = mapped_bytes();
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < SLABS; i++) {
            unsigned char byte = (unsigned char)(10 * round + i);

            assert_int_equal(move(&peer, WEIR_WR_WRITE, &keys[i], i, &byte, 1), 0);
            assert_int_equal(((unsigned char *)slabs[i].memory)[i], byte);
        }
    assert_true(mapped_bytes() <= before + WEIR_SHM_MAPPINGS_MAX);
    weir_shm_peer_close(&peer);
    assert_true(mapped_bytes() <= before);
    for (unsigned i = 0; i < SLABS; i++)
        weir_slab_close(&slabs[i]);
}

static void what_the_kernel_refuses_is_told(void **state)
{
    static const int codes[][2] = {{EPERM, -EPERM},
                                   {ENOSYS, -EPERM},
                                   {EFAULT, -EACCES},
                                   {ESRCH, -ECONNRESET},
                                   {ENOMEM, -ENOMEM}};
    struct weir_shm_peer peer;
    struct weir_region_key key;
    unsigned char there[64], data[64];

    assert_int_equal(weir_shm_peer_open(&peer, getpid()), 0);
    assert_int_equal(weir_shm_key_make(&key, there, sizeof there, NULL), 0);
    assert_int_equal(kernel.tracers, 1);
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        kernel.copy_error = codes[i][0];
        assert_int_equal(move(&peer, WEIR_WR_READ, &key, 0, data, 64), codes[i][1]);
        assert_int_equal(move(&peer, WEIR_WR_WRITE, &key, 0, data, 64), codes[i][1]);
    }
    weir_shm_peer_close(&peer);
}

/* Of a peer that has ended: its number is soon another process's, here that of this one. */
static void a_process_that_has_the_number_of_a_dead_peer_is_not_touched(void **state)
{
    struct weir_region_key plain, slab;
    unsigned char there[64] = {0}, data[64] = {1};
    struct weir_slab memory;
    struct weir_shm_peer peer;
    struct child child;

    begin_child(&child);
    assert_int_equal(weir_shm_peer_open(&peer, child.process), 0);
    assert_int_equal(end_child(&child, 0), 0);
    peer.process = getpid();
    assert_int_equal(weir_shm_key_make(&plain, there, sizeof there, NULL), 0);
    open_slab(&memory, &slab);
    assert_int_equal(move(&peer, WEIR_WR_WRITE, &plain, 0, data, 64), -ECONNRESET);
    assert_int_equal(move(&peer, WEIR_WR_READ, &plain, 0, data, 64), -ECONNRESET);
    assert_true(move(&peer, WEIR_WR_WRITE, &slab, 0, data, 64) < 0);
    assert_int_equal(there[0], 0);
    assert_int_equal(*(unsigned char *)memory.memory, 0);
    weir_shm_peer_close(&peer);
    weir_slab_close(&memory);
}

/* A slab needs nobody to trace us. */
static void slabs_open_no_process_to_others(void **state)
{
    struct weir_region_key key;
    struct weir_slab slab;

    open_slab(&slab, &key);
    assert_int_equal(kernel.tracers, 0);
    weir_slab_close(&slab);
}

/* ---- who can be a peer ---- */

static void a_peer_is_of_this_host_this_namespace_and_this_user(void **state)
{
    struct weir_shm_place ours, theirs;

    kernel.user = 1000;
    weir_shm_place_find(&ours);
    assert_int_equal(ours.process, getpid());
    assert_int_equal(strlen(ours.boot), 36);
    assert_true(ours.process_names != 0);
    theirs = ours;
    theirs.process++;
    assert_null(weir_shm_place_refuse(&ours, &theirs));
    theirs.boot[0] ^= 1;
    assert_non_null(strstr(weir_shm_place_refuse(&ours, &theirs), "another host"));
    theirs = ours;
    theirs.process_names++;
    assert_non_null(strstr(weir_shm_place_refuse(&ours, &theirs), "PID namespace"));
    theirs = ours;
    theirs.user++;
    assert_non_null(strstr(weir_shm_place_refuse(&ours, &theirs), "another user"));
    ours.user = 0; /* reaches everybody: whether the other reaches us shows when it tries */
    assert_null(weir_shm_place_refuse(&ours, &theirs));
}

struct diagnosed {
    struct kernel kernel;
    enum weir_verdict verdict;
    const char *text, *remedy; /* parts of them */
};

static void the_diagnosis_tells_what_keeps_processes_apart(void **state)
{
    static const struct diagnosed hosts[] = {
        {{.scope = NULL}, WEIR_GOOD, "reach each other", NULL},
        {{.scope = "0\n", .user = 7}, WEIR_GOOD, "reach each other", NULL},
        {{.scope = "1\n", .user = 7}, WEIR_GOOD, "reach each other", NULL},
        {{.scope = "2\n", .user = 7}, WEIR_LIMITED, "ptrace_scope is 2", "ptrace_scope=1"},
        {{.scope = "2\n", .user = 0}, WEIR_GOOD, "reach each other", NULL},
        {{.scope = "3\n", .user = 0}, WEIR_LIMITED, "ptrace_scope is 3", "provider tcp"},
        {{.copy_error = EPERM}, WEIR_LIMITED, "process_vm_readv", "provider tcp"},
        {{.copy_error = ENOSYS}, WEIR_LIMITED, "process_vm_readv", "SYS_PTRACE"},
    };

    for (unsigned i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct weir_diagnosis diagnosis = {.count = 0};

        kernel = hosts[i].kernel;
        weir_shm_diagnose(&diagnosis);
        assert_int_equal(diagnosis.count, 1);
        assert_int_equal(diagnosis.lines[0].verdict, hosts[i].verdict);
        assert_non_null(strstr(diagnosis.lines[0].text, hosts[i].text));
        if (hosts[i].remedy)
            assert_non_null(strstr(diagnosis.lines[0].remedy, hosts[i].remedy));
        else
            assert_null(diagnosis.lines[0].remedy);
        weir_diagnosis_close(&diagnosis);
    }
}

static void more_links_than_descriptors_are_refused_before(void **state)
{
    struct rlimit limit, lowered;
    struct weir_error error = {0};

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    lowered = limit;
    lowered.rlim_cur = 256;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lowered), 0);
    assert_int_equal(
        weir_shm_check(NULL, &(struct weir_fabric_need){.regions = 1, .links = 60}, &error), 0);
    assert_int_equal(
        weir_shm_check(NULL, &(struct weir_fabric_need){.regions = 1, .links = 128}, &error),
        -EMFILE);
    assert_int_equal(error.exit, WEIR_EXIT_ENVIRONMENT);
    assert_non_null(strstr(error.text, "shm: 128 links"));
    assert_non_null(strstr(error.text, "ulimit -n"));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_peers_memory_is_read_and_written, begin),
        cmocka_unit_test_setup(what_the_kernel_copies_in_part_is_gone_on_with, begin),
        cmocka_unit_test_setup(only_what_is_within_a_key_is_touched, begin),
        cmocka_unit_test_setup(forged_keys_are_refused, begin),
        cmocka_unit_test_setup(a_descriptor_that_has_become_another_slab_is_noticed, begin),
        cmocka_unit_test_setup(more_slabs_than_are_remembered_can_be_used, begin),
        cmocka_unit_test_setup(what_the_kernel_refuses_is_told, begin),
        cmocka_unit_test_setup(a_process_that_has_the_number_of_a_dead_peer_is_not_touched, begin),
        cmocka_unit_test_setup(slabs_open_no_process_to_others, begin),
        cmocka_unit_test_setup(a_peer_is_of_this_host_this_namespace_and_this_user, begin),
        cmocka_unit_test_setup(the_diagnosis_tells_what_keeps_processes_apart, begin),
        cmocka_unit_test_setup(more_links_than_descriptors_are_refused_before, begin),
    };

    return cmocka_run_group_tests_name("shm_memory", tests, NULL, NULL);
}
