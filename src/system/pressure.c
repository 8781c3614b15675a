/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the load average, PSI and the CPU time of processes. */
#include "weir/system/pressure.h"

#include "weir/base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

enum {
    WAITED_PERMILLE = 100,      /* of a phase: what samples a short one, and ... */
    SHORTEST_US = 20 * 1000,    /* ... that one's least duration */
    SAMPLED_US = 1000 * 1000,   /* a phase that is sampled in any case */
    KERNEL_THREAD = 0x00200000, /* PF_KTHREAD of the flags in /proc/PID/stat, proc_pid_stat(5) */
    TASKS_MAX = 8192, /* processes of a host; more are not sampled: 5 us each, 40 ms in all */
    LINE_BYTES = 1024,
};

struct task {
    pid_t pid;
    bool is_kernel; /* a thread of the kernel */
    uint64_t ticks; /* CPU time of all threads */
    uint64_t ended; /* CPU time of its children that have ended */
};

/* The processes of one host, in the order of their numbers. */
struct sample {
    uint64_t at_ns;
    size_t count;
    struct task *tasks; /* TASKS_MAX */
};

struct weir_pressure_watch {
    int load_fd; /* -1: not there */
    int stall_fd;
    DIR *processes; /* NULL: not there */
    uint64_t ns_per_tick;
    uint64_t begun_ns;
    uint64_t stalled_us; /* when the phase began; WEIR_UNKNOWN */
    struct sample before;
    struct sample now;
    size_t own_count;
    pid_t *own;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool read_line(int fd, char line[LINE_BYTES])
{
    ssize_t length = fd < 0 ? -1 : pread(fd, line, LINE_BYTES - 1, 0);

    line[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS" comes first. */
static uint64_t read_stalled(const struct weir_pressure_watch *watch)
{
    char line[LINE_BYTES];
    const char *total = read_line(watch->stall_fd, line) ? strstr(line, "total=") : NULL;

    return total == NULL ? WEIR_UNKNOWN : strtoull(total + strlen("total="), NULL, 10);
}

/* ---- processes ---- */

static bool is_own(const struct weir_pressure_watch *watch, pid_t pid)
{
    for (size_t i = 0; i < watch->own_count; i++)
        if (watch->own[i] == pid)
            return true;
    return false;
}

/* A line of /proc/PID/stat: number, (name), state, five numbers, flags, four numbers, user and
 * system time, and these of children that have ended. The name may contain anything. False if the
 * process has ended. */
static bool read_task(const struct weir_pressure_watch *watch, const char *number,
                      char line[LINE_BYTES], struct task *task)
{
    char name[NAME_MAX + sizeof "/stat"];
    uint64_t user, system, ended_user, ended_system;
    unsigned flags;
    const char *rest;
    bool is_read;
    int fd;

    snprintf(name, sizeof name, "%s/stat", number);
    fd = openat(dirfd(watch->processes), name, O_RDONLY | O_CLOEXEC);
    is_read = read_line(fd, line);
    if (fd >= 0)
        close(fd);
    rest = is_read ? strrchr(line, ')') : NULL;
    if (rest == NULL || sscanf(rest + 1,
                               " %*c %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %" SCNu64 " %" SCNu64
                               " %" SCNu64 " %" SCNu64,
                               &flags, &user, &system, &ended_user, &ended_system) != 5)
        return false;
    *task = (struct task){.pid = (pid_t)strtol(number, NULL, 10),
                          .is_kernel = (flags & KERNEL_THREAD) != 0,
                          .ticks = user + system,
                          .ended = ended_user + ended_system};
    return true;
}

static void keep_busiest(const char *line, const struct task *task, uint64_t permille,
                         struct weir_pressure *pressure)
{
    const char *name = strchr(line, '(');
    const char *end = strrchr(line, ')');
    size_t length = name != NULL && end > name ? (size_t)(end - name - 1) : 0;

    if (permille <= pressure->busiest_permille || length == 0)
        return;
    if (length >= sizeof pressure->busiest)
        length = sizeof pressure->busiest - 1;
    memset(pressure->busiest, 0, sizeof pressure->busiest);
    memcpy(pressure->busiest, name + 1, length);
    pressure->busiest_pid = (uint32_t)task->pid;
    pressure->busiest_permille = (uint32_t)permille;
}

static int compare_tasks(const void *one, const void *other)
{
    pid_t first = ((const struct task *)one)->pid, second = ((const struct task *)other)->pid;

    return first < second ? -1 : first > second;
}

/* CPU time since the sample before; of a process that was not in it, all of its time. Without
 * kernel threads /proc shows the processes of one PID namespace only: those of others are unknown.
 */
static void sample_tasks(struct weir_pressure_watch *watch, struct weir_pressure *pressure)
{
    struct sample *now = &watch->now;
    const struct sample *before = &watch->before;
    const struct dirent *entry;
    char line[LINE_BYTES];
    bool sees_kernel = false;
    struct sample spare;
    const struct task *old;
    uint64_t span_ns, foreign = 0, most = 1000 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

    if (watch->processes == NULL)
        return;
    rewinddir(watch->processes);
    now->at_ns = now_ns();
    now->count = 0;
    span_ns = now->at_ns - before->at_ns;
    while (now->count < TASKS_MAX && (entry = readdir(watch->processes)) != NULL) {
        struct task *task = &now->tasks[now->count];
        struct task grown;

        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
            !read_task(watch, entry->d_name, line, task))
            continue;
        grown = *task;
        old = before->count == 0
                  ? NULL
                  : bsearch(task, before->tasks, before->count, sizeof *task, compare_tasks);
        if (old != NULL) {
            grown.ticks = weir_growth(old->ticks, task->ticks);
            grown.ended = weir_growth(old->ended, task->ended);
        }
        now->count++;
        sees_kernel |= task->is_kernel;
        if (pressure == NULL || span_ns == 0 || task->is_kernel || is_own(watch, task->pid))
            continue;
        foreign += grown.ticks + grown.ended;
        keep_busiest(line, task, grown.ticks * watch->ns_per_tick * 1000 / span_ns, pressure);
    }
    if (pressure != NULL && span_ns > 0) {
        /* A child may have used part of its time before the previous sample. */
        foreign = foreign * watch->ns_per_tick * 1000 / span_ns;
        pressure->foreign_permille = (uint32_t)(foreign < most ? foreign : most);
        pressure->is_sampled = sees_kernel && now->count < TASKS_MAX;
    }
    qsort(now->tasks, now->count, sizeof *now->tasks, compare_tasks);
    spare = watch->before;
    watch->before = watch->now;
    watch->now = spare;
}

/* ---- phases ---- */

static int open_file(const char *root, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s%s", root, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

struct weir_pressure_watch *weir_pressure_open(const char *root, const pid_t own[], size_t count)
{
    struct weir_pressure_watch *watch = weir_memory_take(sizeof *watch);
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/proc", root);
    watch->load_fd = open_file(root, "/proc/loadavg");
    watch->stall_fd = open_file(root, "/proc/pressure/cpu");
    watch->processes = opendir(path);
    watch->ns_per_tick = NS_PER_S / (uint64_t)(ticks_per_s > 0 ? ticks_per_s : 100);
    watch->stalled_us = WEIR_UNKNOWN;
    watch->before.tasks = weir_memory_take(TASKS_MAX * sizeof *watch->before.tasks);
    watch->now.tasks = weir_memory_take(TASKS_MAX * sizeof *watch->now.tasks);
    watch->own_count = count;
    watch->own = weir_memory_take((count + 1) * sizeof *watch->own);
    if (count > 0)
        memcpy(watch->own, own, count * sizeof *own);
    sample_tasks(watch, NULL);
    return watch;
}

void weir_pressure_close(struct weir_pressure_watch *watch)
{
    if (watch == NULL)
        return;
    if (watch->load_fd >= 0)
        close(watch->load_fd);
    if (watch->stall_fd >= 0)
        close(watch->stall_fd);
    if (watch->processes != NULL)
        closedir(watch->processes);
    free(watch->before.tasks);
    free(watch->now.tasks);
    free(watch->own);
    free(watch);
}

void weir_pressure_begin(struct weir_pressure_watch *watch)
{
    watch->begun_ns = now_ns();
    watch->stalled_us = read_stalled(watch);
}

void weir_pressure_end(struct weir_pressure_watch *watch, uint64_t waited_ns,
                       struct weir_pressure *pressure)
{
    uint64_t stalled_us = weir_growth(watch->stalled_us, read_stalled(watch));
    uint64_t span_us = (now_ns() - watch->begun_ns) / 1000;
    uint64_t waited_us = waited_ns == WEIR_UNKNOWN ? 0 : waited_ns / 1000;
    char line[LINE_BYTES];

    *pressure = (struct weir_pressure){0};
    if (read_line(watch->load_fd, line))
        pressure->load_hundredths = (uint32_t)(strtod(line, NULL) * 100.0 + 0.5);
    if (stalled_us != WEIR_UNKNOWN && span_us > 0)
        pressure->some_permille = (uint32_t)(stalled_us * 1000 / span_us);
    if (stalled_us != WEIR_UNKNOWN && stalled_us > waited_us)
        waited_us = stalled_us;
    if (span_us >= SAMPLED_US ||
        (span_us >= SHORTEST_US && waited_us * 1000 >= span_us * WAITED_PERMILLE))
        sample_tasks(watch, pressure);
}
