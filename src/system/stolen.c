/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up, for each set, the column "steal" of its processors in /proc/stat. */
#include "weir/system/stolen.h"

#include "weir/base/execution.h"
#include "weir/base/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* A name and ten numbers of up to 19 digits, on average, for each processor. */
#define STAT_BYTES (WEIR_CPUS_MAX * 200)

struct weir_stolen_watch {
    int fd; /* -1: not there */
    uint64_t ns_per_tick;
    unsigned count;
    struct weir_cpu_set *sets;
    uint64_t *before_ns;
    uint64_t *now_ns;
    uint64_t begun_ns;
    struct weir_stolen *stolen;
    char *text; /* STAT_BYTES for what the file tells of processors */
};

struct weir_stolen_watch *weir_stolen_open(const char *root, const struct weir_cpu_set *sets,
                                           unsigned count)
{
    struct weir_stolen_watch *watch = weir_memory_take(sizeof *watch);
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/proc/stat", root);
    watch->fd = open(path, O_RDONLY | O_CLOEXEC);
    watch->ns_per_tick = NS_PER_S / (uint64_t)(ticks_per_s > 0 ? ticks_per_s : 100);
    watch->count = count;
    /* One more than there are, as there may be none. */
    watch->sets = weir_memory_take((count + 1) * sizeof *watch->sets);
    if (count > 0)
        memcpy(watch->sets, sets, count * sizeof *watch->sets);
    watch->before_ns = weir_memory_take((count + 1) * sizeof *watch->before_ns);
    watch->now_ns = weir_memory_take((count + 1) * sizeof *watch->now_ns);
    watch->stolen = weir_memory_take((count + 1) * sizeof *watch->stolen);
    watch->text = weir_memory_take(STAT_BYTES);
    return watch;
}

void weir_stolen_close(struct weir_stolen_watch *watch)
{
    if (watch == NULL)
        return;
    if (watch->fd >= 0)
        close(watch->fd);
    free(watch->sets);
    free(watch->before_ns);
    free(watch->now_ns);
    free(watch->stolen);
    free(watch->text);
    free(watch);
}

/* A line of /proc/stat: the name, then times as user, nice, system, idle, iowait, irq, softirq,
 * steal. False if it has fewer, as with kernels before 2.6.11. */
static bool read_steal(const char *numbers, uint64_t *ticks)
{
    char *end;

    for (unsigned column = 1;; column++) {
        unsigned long long number = strtoull(numbers, &end, 10);

        if (end == numbers || *end == '\0')
            return false;
        if (column == 8) {
            *ticks = number;
            return true;
        }
        numbers = end;
    }
}

static void add_to_sets(struct weir_stolen_watch *watch, unsigned cpu, uint64_t stolen_ns)
{
    for (unsigned i = 0; i < watch->count; i++) {
        if (!weir_cpu_set_has(&watch->sets[i], cpu))
            continue;
        watch->now_ns[i] = (watch->now_ns[i] == WEIR_UNKNOWN ? 0 : watch->now_ns[i]) + stolen_ns;
    }
}

/* Lines of processors come first, in the order of their numbers; those that are off have none. */
static void add_processors(struct weir_stolen_watch *watch)
{
    const char *text = watch->text;
    uint64_t ticks;

    while (strncmp(text, "cpu", 3) == 0) {
        const char *line_end = strchr(text, '\n');
        char *end;
        unsigned long cpu = strtoul(text + 3, &end, 10);

        if (line_end == NULL)
            break;
        /* The first line, with a blank behind "cpu", is of all together. */
        if (text[3] != ' ' && cpu < WEIR_CPUS_MAX && read_steal(end, &ticks))
            add_to_sets(watch, (unsigned)cpu, ticks * watch->ns_per_tick);
        text = line_end + 1;
    }
}

static void read_all(struct weir_stolen_watch *watch)
{
    ssize_t length = watch->fd < 0 ? -1 : pread(watch->fd, watch->text, STAT_BYTES - 1, 0);

    for (unsigned i = 0; i < watch->count; i++)
        watch->now_ns[i] = weir_cpu_set_is_empty(&watch->sets[i]) ? 0 : WEIR_UNKNOWN;
    watch->text[length > 0 ? length : 0] = '\0';
    add_processors(watch);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void begin_again(struct weir_stolen_watch *watch, uint64_t at_ns)
{
    uint64_t *freed = watch->before_ns;

    watch->begun_ns = at_ns;
    watch->before_ns = watch->now_ns;
    watch->now_ns = freed;
}

void weir_stolen_begin(struct weir_stolen_watch *watch)
{
    uint64_t at_ns = now_ns();

    read_all(watch);
    begin_again(watch, at_ns);
}

const struct weir_stolen *weir_stolen_unknown(struct weir_stolen_watch *watch)
{
    for (unsigned i = 0; i < watch->count; i++)
        watch->stolen[i] = (struct weir_stolen){WEIR_UNKNOWN, 0};
    return watch->stolen;
}

const struct weir_stolen *weir_stolen_end(struct weir_stolen_watch *watch)
{
    uint64_t at_ns, interval_ns;

    read_all(watch);
    at_ns = now_ns();
    interval_ns = at_ns - watch->begun_ns;
    for (unsigned i = 0; i < watch->count; i++)
        watch->stolen[i] =
            (struct weir_stolen){weir_growth(watch->before_ns[i], watch->now_ns[i]), interval_ns};
    begin_again(watch, at_ns);
    return watch->stolen;
}
