/* SPDX-License-Identifier: Apache-2.0 */
/* Time that a hypervisor took from processors, as /proc/stat tells it. The kernel writes that file
 * whole for each reading, which takes milliseconds on large hosts: one process of a host reads it
 * for all. */
#ifndef WEIR_SYSTEM_STOLEN_H
#define WEIR_SYSTEM_STOLEN_H

#include "weir/base/cpu_set.h"

#include <stdint.h>

struct weir_stolen_watch;

/* Of the processors of one set, together. */
struct weir_stolen {
    uint64_t ns;          /* WEIR_UNKNOWN (base/execution.h) if the kernel does not tell */
    uint64_t interval_ns; /* in which it was taken */
};

/* Watches `count` sets, below `root` ("" but for tests). Never NULL. */
struct weir_stolen_watch *weir_stolen_open(const char *root, const struct weir_cpu_set *sets,
                                           unsigned count);
void weir_stolen_close(struct weir_stolen_watch *watch);

/* Begins an interval, and ends it: an entry for each set, which is the watch's. One reading of the
 * file each; nothing is allocated. Times are in the kernel's ticks, of up to 10 ms. The end of an
 * interval begins another one. */
void weir_stolen_begin(struct weir_stolen_watch *watch);
const struct weir_stolen *weir_stolen_end(struct weir_stolen_watch *watch);
/* Entries that tell nothing; reads nothing. */
const struct weir_stolen *weir_stolen_unknown(struct weir_stolen_watch *watch);

#endif
