/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of processors, by the numbers that the kernel gives them: those of taskset and of
 * /sys/devices/system/cpu. */
#ifndef WEIR_BASE_CPU_SET_H
#define WEIR_BASE_CPU_SET_H

#include "weir/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Twice as many as the largest host that runs one Linux; a host with more is refused
 * (weir_topology_open). */
#define WEIR_CPUS_MAX 4096

/* Plain data, so that ranks can exchange it. All zero is empty. */
struct weir_cpu_set {
    uint64_t words[WEIR_CPUS_MAX / 64];
};

/* Numbers of WEIR_CPUS_MAX and more are not added, and in no set. */
void weir_cpu_set_add(struct weir_cpu_set *set, unsigned cpu);
bool weir_cpu_set_has(const struct weir_cpu_set *set, unsigned cpu);

unsigned weir_cpu_set_count(const struct weir_cpu_set *set);
/* The least number in the set that is at least `from`; WEIR_CPUS_MAX if there is none. */
unsigned weir_cpu_set_next(const struct weir_cpu_set *set, unsigned from);

bool weir_cpu_set_is_empty(const struct weir_cpu_set *set);
bool weir_cpu_set_equals(const struct weir_cpu_set *a, const struct weir_cpu_set *b);
/* True if all of `part` are in `whole`. */
bool weir_cpu_set_is_within(const struct weir_cpu_set *part, const struct weir_cpu_set *whole);

/* Union and intersection. */
struct weir_cpu_set weir_cpu_set_or(const struct weir_cpu_set *a, const struct weir_cpu_set *b);
struct weir_cpu_set weir_cpu_set_and(const struct weir_cpu_set *a, const struct weir_cpu_set *b);

/* Reads numbers and ranges with commas between them, as the kernel writes them: "0-3,8". 0; -EINVAL
 * if the text is something else or names none; -ERANGE for numbers of WEIR_CPUS_MAX and more. */
int weir_cpu_set_parse(const char *list, struct weir_cpu_set *set);

/* Appends the set in that form; nothing if it is empty. */
void weir_cpu_set_format(const struct weir_cpu_set *set, struct weir_text *text);

#endif
