/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of this node, of the storage behind a path, and of the job. Nothing here reads
 * environment variables but those named in the code, none of which holds a secret. */
#ifndef WEIR_SYSTEM_ENVIRONMENT_H
#define WEIR_SYSTEM_ENVIRONMENT_H

#include "weir/base/arena.h"
#include "weir/base/facts.h"
#include "weir/system/topology.h"

#include <stddef.h>

/* All of `facts`; files below `root` ("" but for tests). `topology` may be NULL: then nothing is
 * told of packages, cores and the like, and `cpus` are those of this process instead of those that
 * its control groups allow. No addresses and no serial numbers are read. Takes about a millisecond,
 * and ten microseconds more per processor that has a governor. */
void weir_environment_describe(const char *root, const struct weir_topology *topology,
                               struct weir_node_facts *facts);

/* A number of the machine that this node is a part of, the same for all containers and virtual
 * hosts on one kernel: a hash of its boot id. 0 if the kernel does not tell. */
uint64_t weir_environment_machine(const char *root);

/* Mount, file system and block devices of `path`, or of its nearest existing parent, or of the
 * block device that it is: then `source` is the path and `type` "block device". is_known is false
 * if there is nothing. The path itself is not below `root`. Options that hold secrets are left out,
 * and addresses and users' names in front of hosts are masked by "*". Asks the file system for
 * attributes, which may wait for its servers. */
void weir_storage_describe(const char *root, const char *path, struct weir_storage_facts *facts);

/* True if the kernel counts reads of a file at `path`, or in its nearest existing parent, for the
 * process that makes them (/proc/self/io): file systems on block devices, and block devices
 * themselves. Of an overlay it depends on the file systems below it. */
bool weir_storage_counts_reads(const char *path);
/* Describes the page pool of a GPFS client, "page pool 4G", from the output of mmlsconfig, which is
 * killed after two seconds. Only for commands that run on one node, as mmlsconfig may query the
 * configuration servers. False if there is none. */
bool weir_page_pool_describe(const char *root, char *text, size_t bytes);
/* Counts the failed parts anew and updates `facts` of weir_storage_describe(). Reads a few files of
 * /sys, of /proc or of the mount. */
void weir_storage_count_failed(const char *root, struct weir_storage_facts *facts);

/* Facts of the job: launcher, batch system with the job's number and nodes, settings of the
 * transports of MPI libraries. `get` is getenv but for tests. The list and what it points to are in
 * `arena`; returns how many there are. */
size_t weir_job_describe(const char *(*get)(const char *name), struct weir_arena *arena,
                         struct weir_fact **facts);

/* ---- bytes of devices and networks ---- */

/* The scope of the counters: the lowest devices behind a target, or all network devices with
 * hardware behind them and RDMA ports. */
struct weir_traffic_watch;

/* Never NULL. `facts` is not kept. */
struct weir_traffic_watch *weir_traffic_open(const char *root,
                                             const struct weir_storage_facts *facts);
void weir_traffic_close(struct weir_traffic_watch *watch);

/* Counters as they stand, summed over all that is watched: a microsecond or two per device or
 * port. */
void weir_traffic_read(const struct weir_traffic_watch *watch, struct weir_traffic *traffic);

/* The bytes since the watch was opened. A sum that has become smaller, because a device was
 * removed, is taken as 0. */
struct weir_traffic weir_traffic_between(const struct weir_traffic *before,
                                         const struct weir_traffic *after);

#endif
