/* SPDX-License-Identifier: Apache-2.0 */
/* Binds this process to processors, and reads from the kernel where it ran and what kept it from
 * running. */
#include "weir/system/running.h"

#include "weir/system/control_group.h"
#include "weir/system/processor.h"

#include "weir/base/error.h"
#include "weir/base/execution.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define BITS_PER_WORD (CHAR_BIT * sizeof(unsigned long))

enum {
    /* The kernel reports processors only into room for all that it could ever have: 8192 with
     * the settings of the distributions. */
    KERNEL_CPUS_MAX = 1 << 15,
    BIND_PASSES = 4,
    GROUPS_MAX = 32,         /* of more, the outermost are not looked at */
    SMALL_FILE_BYTES = 4096, /* sched and cpu.stat have less than half of it */
};

/* ---- binding ---- */

static int get_cpus(pid_t thread, struct weir_cpu_set *cpus)
{
    unsigned long mask[KERNEL_CPUS_MAX / BITS_PER_WORD];

    if (sched_getaffinity(thread, sizeof mask, (cpu_set_t *)mask) != 0)
        return -errno;
    memset(cpus, 0, sizeof *cpus);
    for (unsigned word = 0; word < WEIR_CPUS_MAX / BITS_PER_WORD; word++)
        for (unsigned long rest = mask[word]; rest != 0; rest &= rest - 1)
            weir_cpu_set_add(cpus, word * (unsigned)BITS_PER_WORD + (unsigned)__builtin_ctzl(rest));
    return 0;
}

static int set_cpus(pid_t thread, const struct weir_cpu_set *cpus)
{
    unsigned long mask[WEIR_CPUS_MAX / BITS_PER_WORD] = {0};

    for (unsigned cpu = weir_cpu_set_next(cpus, 0); cpu < WEIR_CPUS_MAX;
         cpu = weir_cpu_set_next(cpus, cpu + 1))
        mask[cpu / BITS_PER_WORD] |= 1UL << cpu % BITS_PER_WORD;
    return sched_setaffinity(thread, sizeof mask, (const cpu_set_t *)mask) == 0 ? 0 : -errno;
}

void weir_running_bind_near(int32_t numa_node)
{
    struct weir_cpu_set near, mine;

    if (numa_node < 0 || get_cpus(0, &mine) != 0)
        return;
    near = weir_processor_of_node("", (unsigned)numa_node);
    near = weir_cpu_set_and(&near, &mine);
    if (!weir_cpu_set_is_empty(&near))
        set_cpus(0, &near);
}

/* 1 if the thread had to be bound, 0 if it was, or -errno. */
static int bind_thread(pid_t thread, const struct weir_cpu_set *wanted,
                       const struct weir_cpu_set *granted)
{
    struct weir_cpu_set present;
    int code = get_cpus(thread, &present);

    if (code == 0 && weir_cpu_set_equals(&present, granted))
        return 0;
    if (code == 0)
        code = set_cpus(thread, wanted);
    /* It has ended meanwhile, or it is a kernel thread, which cannot be moved. */
    if (code == -ESRCH || code == -EINVAL)
        return 0;
    return code == 0 ? 1 : code;
}

/* Looks at all threads once: how many had to be bound, or -errno. */
static int bind_threads(const struct weir_cpu_set *wanted, const struct weir_cpu_set *granted)
{
    DIR *threads = opendir("/proc/self/task");
    const struct dirent *entry;
    int bound = 0;

    if (threads == NULL)
        return -errno;
    while (bound >= 0 && (entry = readdir(threads)) != NULL) {
        long thread = strtol(entry->d_name, NULL, 10);
        int code = thread > 0 ? bind_thread((pid_t)thread, wanted, granted) : 0;

        bound = code < 0 ? code : bound + code;
    }
    closedir(threads);
    return bound;
}

int weir_running_bind(const struct weir_cpu_set *cpus)
{
    struct weir_cpu_set granted;
    int code = set_cpus(0, cpus);

    if (code == 0)
        code = get_cpus(0, &granted);
    /* A thread that was not bound yet may have made one that was not seen any more. */
    for (unsigned pass = 0; code == 0 && pass < BIND_PASSES; pass++) {
        code = bind_threads(cpus, &granted);
        if (code == 0)
            return 0;
        if (code > 0)
            code = 0;
    }
    return code;
}

int weir_running_cpus(struct weir_cpu_set *cpus)
{
    return get_cpus(0, cpus);
}

/* ---- the probe ---- */

/* A cpu.stat that tells of a quota. */
struct throttle_file {
    int fd;
    const char *name; /* of the line */
    uint64_t unit_ns;
    uint64_t last_ns; /* as it was read last */
};

struct weir_run_probe {
    int sched_fd; /* -1: not there */
    int wait_fd;  /* schedstat; -1: not there */
    int io_fd;    /* /proc/self/io; -1 = hidden, or not counted */
    struct throttle_file throttles[GROUPS_MAX];
    unsigned throttle_count;
    uint64_t throttled_ns; /* sum of what each reading found to be new */
};

static int open_below(const char *root, const char *path)
{
    char whole[2 * PATH_MAX];

    snprintf(whole, sizeof whole, "%s%s", root, path);
    return open(whole, O_RDONLY | O_CLOEXEC);
}

/* The kernel writes such a file anew whenever it is read from its beginning. False if there is
 * nothing to read. */
static bool read_anew(int fd, char *text, size_t capacity)
{
    ssize_t length = fd < 0 ? -1 : pread(fd, text, capacity - 1, 0);

    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

static bool read_throttle(const struct throttle_file *throttle, uint64_t *time_ns)
{
    char text[SMALL_FILE_BYTES];
    uint64_t time;

    if (!read_anew(throttle->fd, text, sizeof text) ||
        !weir_number_find_in(text, throttle->name, &time))
        return false;
    *time_ns = time * throttle->unit_ns;
    return true;
}

static void add_group(void *context, const struct weir_control_group *group)
{
    struct weir_run_probe *probe = context;
    struct throttle_file throttle = {.name =
                                         group->version == 1 ? "throttled_time" : "throttled_usec",
                                     .unit_ns = group->version == 1 ? 1 : 1000};
    uint64_t time_ns;

    if (probe->throttle_count == GROUPS_MAX)
        return;
    throttle.fd = open_below(group->directory, "/cpu.stat");
    if (throttle.fd < 0)
        return;
    if (read_throttle(&throttle, &time_ns))
        probe->throttles[probe->throttle_count++] = throttle;
    else
        close(throttle.fd);
}

struct weir_run_probe *weir_run_probe_open(const char *root)
{
    struct weir_run_probe *probe = calloc(1, sizeof *probe);

    if (probe == NULL)
        return NULL;
    probe->sched_fd = open_below(root, "/proc/self/sched");
    probe->wait_fd = open_below(root, "/proc/thread-self/schedstat");
    probe->io_fd = open_below(root, "/proc/self/io");
    weir_control_groups_visit(root, "cpu", add_group, probe);
    return probe;
}

void weir_run_probe_close(struct weir_run_probe *probe)
{
    if (probe == NULL)
        return;
    if (probe->sched_fd >= 0)
        close(probe->sched_fd);
    if (probe->wait_fd >= 0)
        close(probe->wait_fd);
    if (probe->io_fd >= 0)
        close(probe->io_fd);
    for (unsigned i = 0; i < probe->throttle_count; i++)
        close(probe->throttles[i].fd);
    free(probe);
}

/* ---- reading ---- */

static uint64_t read_migrations(const struct weir_run_probe *probe)
{
    char text[SMALL_FILE_BYTES];
    uint64_t migrations;

    if (!read_anew(probe->sched_fd, text, sizeof text) ||
        !weir_number_find_in(text, "se.nr_migrations", &migrations))
        return WEIR_UNKNOWN;
    return migrations;
}

/* Time on CPUs, time runnable without one, and number of time slices: all zero where the kernel was
 * built without CONFIG_SCHED_INFO. */
uint64_t weir_run_probe_waited(const struct weir_run_probe *probe)
{
    char text[SMALL_FILE_BYTES];
    uint64_t ran_ns, waited_ns, slices;

    if (!read_anew(probe->wait_fd, text, sizeof text) ||
        sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ran_ns, &waited_ns, &slices) != 3 ||
        (ran_ns == 0 && slices == 0))
        return WEIR_UNKNOWN;
    return waited_ns;
}

static uint64_t read_preemptions(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : WEIR_UNKNOWN;
}

/* Groups nest: a process that is throttled by an outer group's quota does not wait for its own
 * group's at the same time. Differences count: an outer group that waited for hours last week would
 * hide all waiting of its members. */
static uint64_t read_throttled(struct weir_run_probe *probe)
{
    uint64_t greatest_ns = 0, time_ns;
    bool is_known = false;

    for (unsigned i = 0; i < probe->throttle_count; i++) {
        struct throttle_file *throttle = &probe->throttles[i];

        if (!read_throttle(throttle, &time_ns))
            continue;
        is_known = true;
        if (time_ns > throttle->last_ns && time_ns - throttle->last_ns > greatest_ns)
            greatest_ns = time_ns - throttle->last_ns;
        throttle->last_ns = time_ns;
    }
    probe->throttled_ns += greatest_ns;
    return is_known ? probe->throttled_ns : WEIR_UNKNOWN;
}

/* The kernel counts a read when a thread of the process submits it to a block device, so that
 * threads of io_uring count as well, and whatever the page cache serves does not. */
uint64_t weir_run_probe_storage_read(const struct weir_run_probe *probe)
{
    char text[SMALL_FILE_BYTES];
    uint64_t bytes;

    return read_anew(probe->io_fd, text, sizeof text) &&
                   weir_number_find_in(text, "read_bytes", &bytes)
               ? bytes
               : WEIR_UNKNOWN;
}

void weir_run_probe_read(struct weir_run_probe *probe, struct weir_running *running)
{
    int cpu = sched_getcpu();
    struct timespec now;

    *running = (struct weir_running){
        .cpu = cpu < 0 ? 0 : (uint32_t)cpu,
        .migrations = read_migrations(probe),
        .preemptions = read_preemptions(),
        .throttled_ns = read_throttled(probe),
    };
    if (get_cpus(0, &running->cpus) != 0)
        weir_cpu_set_add(&running->cpus, running->cpu);
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    running->at_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
