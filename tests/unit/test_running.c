/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of all threads, and counters of processors' time, from made-up trees of /proc and /sys
 * and from this host. */
#include "weir/system/environment.h"
#include "weir/system/running.h"

#include "weir/base/execution.h"

#include "planted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

/* ---- system calls that do as a test says ---- */

static struct {
    pid_t thread;            /* 0: all are as they are */
    int error;               /* binding this one fails */
    void (*meanwhile)(void); /* happens when all threads have been looked at, once */
} obstacle;

static unsigned allocations;
static unsigned opened;

int __real_sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set);
struct dirent *__real_readdir(DIR *directory);
struct dirent *__wrap_readdir(DIR *directory);
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set)
{
    if (obstacle.error != 0 && thread == obstacle.thread) {
        errno = obstacle.error;
        return -1;
    }
    return __real_sched_setaffinity(thread, bytes, set);
}

struct dirent *__wrap_readdir(DIR *directory)
{
    struct dirent *entry = __real_readdir(directory);
    void (*meanwhile)(void) = obstacle.meanwhile;

    if (entry == NULL && meanwhile != NULL) {
        obstacle.meanwhile = NULL;
        meanwhile();
    }
    return entry;
}

void *__wrap_malloc(size_t bytes)
{
    allocations++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    allocations++;
    return __real_calloc(count, bytes);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    opened++;
    return __real_fopen(path, mode);
}

int __wrap_open(const char *path, int flags, ...)
{
    opened++;
    return __real_open(path, flags);
}

/* ---- threads that wait ---- */

enum { WORKERS = 3 };

static struct {
    pthread_t thread;
    pid_t id;
    cpu_set_t first; /* what it sets itself, if it has any */
    sem_t ready;
    sem_t end;
} workers[WORKERS + 1];

static void *wait_for_end(void *context)
{
    size_t i = (size_t)(uintptr_t)context;

    if (CPU_COUNT(&workers[i].first) > 0)
        __real_sched_setaffinity(0, sizeof workers[i].first, &workers[i].first);
    workers[i].id = gettid();
    sem_post(&workers[i].ready);
    sem_wait(&workers[i].end);
    return NULL;
}

static void start_worker(size_t i)
{
    sem_init(&workers[i].ready, 0, 0);
    sem_init(&workers[i].end, 0, 0);
    assert_int_equal(pthread_create(&workers[i].thread, NULL, wait_for_end, (void *)(uintptr_t)i),
                     0);
    sem_wait(&workers[i].ready);
}

static void end_worker(size_t i)
{
    sem_post(&workers[i].end);
    pthread_join(workers[i].thread, NULL);
}

/* What this process had at first. */
static cpu_set_t all_cpus;

static void need_two_processors(void)
{
    if (CPU_COUNT(&all_cpus) >= 2)
        return;
    print_message("[  REASON  ] there is one processor only\n");
    skip();
}

static int give_all_back(void **state)
{
    (void)state;
    memset(&obstacle, 0, sizeof obstacle);
    __real_sched_setaffinity(0, sizeof all_cpus, &all_cpus);
    return 0;
}

static int remember_all(void **state)
{
    (void)state;
    return sched_getaffinity(0, sizeof all_cpus, &all_cpus);
}

static unsigned last_cpu(void)
{
    unsigned cpu = CPU_SETSIZE - 1;

    while (!CPU_ISSET(cpu, &all_cpus))
        cpu--;
    return cpu;
}

static struct weir_cpu_set one_cpu(unsigned cpu)
{
    struct weir_cpu_set set = {0};

    weir_cpu_set_add(&set, cpu);
    return set;
}

static bool is_bound(pid_t thread, unsigned cpu)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(thread, sizeof set, &set), 0);
    return CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

static void start_workers(void)
{
    for (size_t i = 0; i < WORKERS; i++)
        start_worker(i);
}

static void end_workers(void)
{
    for (size_t i = 0; i < WORKERS; i++)
        end_worker(i);
}

/* ---- binding ---- */

static void all_threads_are_bound_and_those_that_come_later(void **state)
{
    const struct weir_cpu_set target = one_cpu(last_cpu());
    struct weir_cpu_set present;

    (void)state;
    need_two_processors();
    start_workers();
    assert_int_equal(weir_running_bind(&target), 0);
    start_worker(WORKERS);
    for (size_t i = 0; i <= WORKERS; i++)
        assert_true(is_bound(workers[i].id, last_cpu()));
    assert_int_equal(weir_running_cpus(&present), 0);
    assert_true(weir_cpu_set_equals(&present, &target));
    assert_int_equal(sched_getcpu(), last_cpu());
    end_worker(WORKERS);
    end_workers();
}

static void start_one_that_runs_anywhere(void)
{
    workers[WORKERS].first = all_cpus;
    start_worker(WORKERS);
    CPU_ZERO(&workers[WORKERS].first);
}

static void a_thread_that_was_made_meanwhile_is_bound_too(void **state)
{
    const struct weir_cpu_set target = one_cpu(last_cpu());

    (void)state;
    need_two_processors();
    start_workers();
    obstacle.meanwhile = start_one_that_runs_anywhere;
    assert_int_equal(weir_running_bind(&target), 0);
    assert_true(workers[WORKERS].id > 0);
    assert_true(is_bound(workers[WORKERS].id, last_cpu()));
    end_worker(WORKERS);
    end_workers();
}

static void what_one_thread_meets_does_not_stop_the_others(void **state)
{
    static const struct {
        int error;
        int code;
    } cases[] = {{ESRCH, 0}, {EINVAL, 0}, {EPERM, -EPERM}};

    (void)state;
    need_two_processors();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_cpu_set target = one_cpu(last_cpu());

        start_workers();
        obstacle.thread = workers[0].id;
        obstacle.error = cases[i].error;
        assert_int_equal(weir_running_bind(&target), cases[i].code);
        assert_true(is_bound(0, last_cpu()));
        if (cases[i].code == 0)
            assert_true(is_bound(workers[WORKERS - 1].id, last_cpu()));
        end_workers();
        give_all_back(NULL);
    }
}

static void processors_that_are_not_there_are_refused(void **state)
{
    const struct weir_cpu_set beyond = one_cpu(WEIR_CPUS_MAX - 1);
    const struct weir_cpu_set none = {0};
    struct weir_cpu_set before, after;

    (void)state;
    if (CPU_ISSET(WEIR_CPUS_MAX - 1, &all_cpus))
        skip();
    assert_int_equal(weir_running_cpus(&before), 0);
    assert_int_equal(weir_cpu_set_count(&before), CPU_COUNT(&all_cpus));
    assert_int_equal(weir_running_bind(&beyond), -EINVAL);
    assert_int_equal(weir_running_bind(&none), -EINVAL);
    assert_int_equal(weir_running_cpus(&after), 0);
    assert_true(weir_cpu_set_equals(&before, &after));
}

/* ---- counters of made-up hosts ---- */

static const char sched_text[] = "cat (3748, #threads: 1)\n"
                                 "------------------------------------\n"
                                 "se.exec_start                 :      34480273.835580\n"
                                 "se.nr_migrations              :                  17\n"
                                 "nr_switches                   :                   4\n";

struct scene {
    const char *what;
    struct planted_file files[8];
    uint64_t migrations;
    uint64_t throttled_ns;
};

#define GROUP "sys/fs/cgroup"

static const struct scene scenes[] = {
    {.what = "nothing is told", .migrations = WEIR_UNKNOWN, .throttled_ns = WEIR_UNKNOWN},
    {.what = "migrations",
     .files = {{"proc/self/sched", sched_text}},
     .migrations = 17,
     .throttled_ns = WEIR_UNKNOWN},
    {.what = "version 2: the group around has waited longer; the outermost has no quota",
     .files = {{"proc/self/cgroup", "0::/job/step\n"},
               {GROUP "/job/step/cpu.stat", "usage_usec 9\nnr_throttled 1\nthrottled_usec 7\n"},
               {GROUP "/job/cpu.stat", "usage_usec 99\nthrottled_usec 4000\n"},
               {GROUP "/cpu.stat", "usage_usec 999\n"}},
     .migrations = WEIR_UNKNOWN,
     .throttled_ns = 4000000},
    {.what = "version 2 without the controller",
     .files = {{"proc/self/cgroup", "0::/job\n"}, {GROUP "/job/cpu.stat", "usage_usec 9\n"}},
     .migrations = WEIR_UNKNOWN,
     .throttled_ns = WEIR_UNKNOWN},
    {.what = "version 1 counts nanoseconds",
     .files = {{"proc/self/cgroup", "2:cpu,cpuacct:/job\n1:memory:/other\n0::/\n"},
               {GROUP "/cpu,cpuacct/job/cpu.stat", "nr_throttled 3\nthrottled_time 123456789\n"},
               {GROUP "/cpu,cpuacct/cpu.stat", "nr_throttled 0\nthrottled_time 0\n"},
               {GROUP "/memory/other/cpu.stat", "throttled_time 999999999\n"},
               {GROUP "/unified/cpu.stat", "usage_usec 7\n"}},
     .migrations = WEIR_UNKNOWN,
     .throttled_ns = 123456789},
    {.what = "a quota that has never held anybody back",
     .files = {{"proc/self/cgroup", "0::/job\n"}, {GROUP "/job/cpu.stat", "throttled_usec 0\n"}},
     .migrations = WEIR_UNKNOWN,
     .throttled_ns = 0},
};

static void counters_are_what_the_files_tell(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const struct scene *scene = &scenes[i];
        struct weir_running running;
        struct weir_run_probe *probe;
        char root[64];

        plant(root, scene->files, sizeof scene->files / sizeof *scene->files);
        probe = weir_run_probe_open(root);
        weir_run_probe_read(probe, &running);
        if (running.migrations != scene->migrations || running.throttled_ns != scene->throttled_ns)
            fail_msg("%s: %lld migrations, %lld ns throttled", scene->what,
                     (long long)running.migrations, (long long)running.throttled_ns);
        weir_run_probe_close(probe);
        fell(root);
    }
}

static void each_reading_is_new(void **state)
{
    static const struct planted_file before[] = {
        {"proc/self/sched", sched_text},
        {"proc/self/cgroup", "0::/job\n"},
        {GROUP "/job/cpu.stat", "throttled_usec 1\n"},
    };
    static const struct planted_file after[] = {
        {"proc/self/sched", "x\nse.nr_migrations   :  18\n"},
        {GROUP "/job/cpu.stat", "throttled_usec 500\n"},
    };
    struct weir_running first, second;
    struct weir_run_probe *probe;
    char root[64];

    (void)state;
    plant(root, before, sizeof before / sizeof *before);
    probe = weir_run_probe_open(root);
    weir_run_probe_read(probe, &first);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        plant_file(root, after[i].path, after[i].text);
    weir_run_probe_read(probe, &second);
    assert_int_equal(second.migrations - first.migrations, 1);
    assert_int_equal(second.throttled_ns - first.throttled_ns, 499000);
    assert_true(second.at_ns > first.at_ns);
    weir_run_probe_close(probe);
    fell(root);
}

/* Between two readings, the group that waited most counts, however long others waited before. */
static void old_waits_of_a_group_around_hide_no_new_ones(void **state)
{
    static const struct planted_file before[] = {
        {"proc/self/cgroup", "0::/job/step\n"},
        {GROUP "/job/cpu.stat", "throttled_usec 900000\n"},
        {GROUP "/job/step/cpu.stat", "throttled_usec 10\n"},
    };
    static const struct {
        const char *outer, *inner;
        uint64_t more_ns;
    } cases[] = {
        {"throttled_usec 900000\n", "throttled_usec 510\n", 500000},
        {"throttled_usec 900100\n", "throttled_usec 590\n", 100000},
        {"throttled_usec 900100\n", "throttled_usec 590\n", 0},
    };
    struct weir_running first, second;
    struct weir_run_probe *probe;
    char root[64];

    (void)state;
    plant(root, before, sizeof before / sizeof *before);
    probe = weir_run_probe_open(root);
    weir_run_probe_read(probe, &first);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plant_file(root, GROUP "/job/cpu.stat", cases[i].outer);
        plant_file(root, GROUP "/job/step/cpu.stat", cases[i].inner);
        weir_run_probe_read(probe, &second);
        assert_int_equal(second.throttled_ns - first.throttled_ns, cases[i].more_ns);
        first = second;
    }
    weir_run_probe_close(probe);
    fell(root);
}

/* ---- this host ---- */

static void spin_ns(uint64_t duration_ns)
{
    struct timespec now;
    uint64_t end_ns;

    clock_gettime(CLOCK_MONOTONIC, &now);
    end_ns = (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec + duration_ns;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec < end_ns);
}

static void reading_allocates_and_opens_nothing(void **state)
{
    struct weir_run_probe *probe = weir_run_probe_open("");
    struct weir_running running;
    unsigned allocations_before, opened_before;

    (void)state;
    allocations_before = allocations;
    opened_before = opened;
    assert_true(allocations_before > 0);
    assert_true(opened_before > 0);
    for (unsigned i = 0; i < 10; i++)
        weir_run_probe_read(probe, &running);
    assert_int_equal(allocations, allocations_before);
    assert_int_equal(opened, opened_before);
    weir_run_probe_close(probe);
}

static void a_thread_that_is_moved_has_migrated(void **state)
{
    const struct weir_cpu_set low = one_cpu((unsigned)sched_getcpu());
    struct weir_cpu_set all, high = {0};
    struct weir_running before, after;
    struct weir_run_probe *probe;

    (void)state;
    need_two_processors();
    assert_int_equal(weir_running_cpus(&all), 0);
    weir_cpu_set_add(&high, last_cpu() == weir_cpu_set_next(&low, 0) ? weir_cpu_set_next(&all, 0)
                                                                     : last_cpu());
    probe = weir_run_probe_open("");
    assert_int_equal(weir_running_bind(&low), 0);
    weir_run_probe_read(probe, &before);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(weir_running_bind(&high), 0);
        assert_int_equal(weir_running_bind(&low), 0);
    }
    assert_int_equal(weir_running_bind(&high), 0);
    weir_run_probe_read(probe, &after);
    weir_run_probe_close(probe);
    assert_int_equal(before.cpu, weir_cpu_set_next(&low, 0));
    assert_true(weir_cpu_set_equals(&before.cpus, &low));
    assert_int_equal(after.cpu, weir_cpu_set_next(&high, 0));
    assert_true(weir_cpu_set_equals(&after.cpus, &high));
    if (before.migrations == WEIR_UNKNOWN) {
        print_message("[  REASON  ] the kernel does not tell of migrations\n");
        skip();
    }
    assert_int_equal(after.migrations - before.migrations, 7);
}

static void *spin(void *context)
{
    spin_ns(*(const uint64_t *)context);
    return NULL;
}

static void two_threads_on_one_processor_preempt_each_other(void **state)
{
    const struct weir_cpu_set cpu = one_cpu((unsigned)sched_getcpu());
    uint64_t duration_ns = 200 * MS;
    struct weir_run_probe *probe = weir_run_probe_open("");
    struct weir_running before, after;
    pthread_t other;

    (void)state;
    assert_int_equal(weir_running_bind(&cpu), 0);
    weir_run_probe_read(probe, &before);
    assert_int_equal(pthread_create(&other, NULL, spin, &duration_ns), 0);
    spin_ns(duration_ns);
    pthread_join(other, NULL);
    weir_run_probe_read(probe, &after);
    weir_run_probe_close(probe);
    assert_true(after.preemptions >= before.preemptions + 3);
    assert_true(after.at_ns - before.at_ns >= duration_ns);
}

static void closing_nothing_is_no_error(void **state)
{
    (void)state;
    weir_run_probe_close(NULL);
}

/* The page cache has what was just written; what it has let go of comes from the device. */
static void reads_of_the_storage_are_counted_and_those_of_the_page_cache_are_not(void **state)
{
    enum { BYTES = 1 << 20 };
    char path[] = "/tmp/test_running.XXXXXX";
    struct weir_run_probe *probe = weir_run_probe_open("");
    int fd = mkstemp(path);
    char *data = calloc(1, BYTES);
    uint64_t before, cached, read;
    struct statfs system;
    /* The file systems below an overlay may be in memory. */
    bool counts =
        fstatfs(fd, &system) == 0 && (unsigned long)system.f_type != OVERLAYFS_SUPER_MAGIC &&
        weir_storage_counts_reads(path) && weir_run_probe_storage_read(probe) != WEIR_UNKNOWN;

    (void)state;
    assert_true(fd >= 0 && data != NULL);
    assert_int_equal(pwrite(fd, data, BYTES, 0), BYTES);
    before = weir_run_probe_storage_read(probe);
    assert_int_equal(pread(fd, data, BYTES, 0), BYTES);
    cached = weir_run_probe_storage_read(probe);
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    assert_int_equal(pread(fd, data, BYTES, 0), BYTES);
    read = weir_run_probe_storage_read(probe);
    weir_run_probe_close(probe);
    close(fd);
    unlink(path);
    free(data);
    assert_false(weir_storage_counts_reads("/proc/self"));
    if (!counts)
        skip();
    assert_in_range(cached - before, 0, BYTES / 8);
    assert_in_range(read - cached, BYTES, BYTES + BYTES / 8);
}

#define TEST(name) cmocka_unit_test_teardown(name, give_all_back)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_threads_are_bound_and_those_that_come_later),
        TEST(a_thread_that_was_made_meanwhile_is_bound_too),
        TEST(what_one_thread_meets_does_not_stop_the_others),
        TEST(processors_that_are_not_there_are_refused),
        TEST(counters_are_what_the_files_tell),
        TEST(each_reading_is_new),
        TEST(old_waits_of_a_group_around_hide_no_new_ones),
        TEST(reading_allocates_and_opens_nothing),
        TEST(a_thread_that_is_moved_has_migrated),
        TEST(two_threads_on_one_processor_preempt_each_other),
        TEST(reads_of_the_storage_are_counted_and_those_of_the_page_cache_are_not),
        TEST(closing_nothing_is_no_error),
    };

    return cmocka_run_group_tests_name("running", tests, remember_all, NULL);
}
