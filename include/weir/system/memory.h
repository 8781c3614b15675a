/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this process may still take. */
#ifndef WEIR_SYSTEM_MEMORY_H
#define WEIR_SYSTEM_MEMORY_H

#include <stdint.h>

/* Of the host or of the control group that this process is in, with all groups around it (versions
 * 1 and 2): whichever is least. */
struct weir_memory_facts {
    uint64_t bytes_total;
    uint64_t bytes_available; /* without swapping: free, or cache that can be dropped */
};

/* From /proc/meminfo, /proc/self/cgroup and /sys/fs/cgroup, all below `root`: "" but for tests. 0,
 * or -errno if the kernel does not tell. */
int weir_memory_describe(const char *root, struct weir_memory_facts *facts);

#endif
