/* SPDX-License-Identifier: Apache-2.0 */
/* Which control group, of those around this process, holds it back most, and where that is
 * changed. */
#ifndef WEIR_SYSTEM_LIMITING_GROUP_H
#define WEIR_SYSTEM_LIMITING_GROUP_H

#include "weir/base/facts.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum weir_group_limit {
    WEIR_GROUP_CPU_QUOTA, /* thousandths of a processor */
    WEIR_GROUP_MEMORY     /* bytes */
};

struct weir_limiting_group {
    uint64_t limit;
    char file[2 * PATH_MAX]; /* that the limit is written to, with `root` in front */
    const char *unlimited;   /* what is written to it for no limit */
};

/* The least limit of the groups of versions 1 and 2, up to the outermost that can be seen; of equal
 * ones, that of the innermost. False, and *group as it was, if none has one. `root` is "" but for
 * tests. */
bool weir_limiting_group_find(const char *root, enum weir_group_limit kind,
                              struct weir_limiting_group *group);

/* Sets facts->limits to the lowest I/O limits that control groups set for the devices of `facts`.
 * Version 2: of all groups up to the root (io.max). Version 1: of the group of the process alone
 * (blkio.throttle), as the kernel does not apply those of its parents. */
void weir_io_limits_find(const char *root, struct weir_storage_facts *facts);

#endif
