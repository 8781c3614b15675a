/* SPDX-License-Identifier: Apache-2.0 */
/* Decides from the facts of a target and the counters that were found which evidence a run can
 * have. */
#include "weir/base/observable.h"

#include "weir/base/text.h"

#include <string.h>

/* How a file system's bytes leave the node, and where they may be that the pages of its files do
 * not show. */
struct kind {
    const char *type; /* of the mount; a "*" at its end stands for any rest */
    enum { BY_SOCKETS, BY_VERBS, BY_HOST, BY_UNKNOWN, IN_MEMORY } way;
    enum {
        IN_PAGES,   /* the page cache of the files has all */
        IN_BUFFERS, /* data that were written, for as long as a file is open */
        IN_CACHE    /* data that were written, and data for later reads */
    } kept;
};

/* The first row that matches. Types that are in no row: sockets where the file system is known to
 * be a network one, devices where it is local, else unknown; and pages alone. */
static const struct kind kinds[] = {
    {"tmpfs", IN_MEMORY, IN_PAGES},
    {"ramfs", IN_MEMORY, IN_PAGES},
    {"hugetlbfs", IN_MEMORY, IN_PAGES},
    /* The hypervisor's host supplies these through shared memory. */
    {"virtiofs", BY_HOST, IN_PAGES},
    {"9p", BY_HOST, IN_PAGES},
    /* WekaFS takes network ports away from the kernel (DPDK), and caches in its pages; DVS forwards
     * calls over RDMA of Slingshot or Aries; DAOS transfers by libfabric from user space. */
    {"wekafs", BY_HOST, IN_PAGES},
    {"dvs", BY_HOST, IN_PAGES},
    {"fuse.daos", BY_HOST, IN_CACHE},
    {"fuse.dfuse", BY_HOST, IN_CACHE},
    {"fuse.unifyfs", BY_HOST, IN_CACHE},
    {"lustre", BY_VERBS, IN_PAGES},
    {"gpfs", BY_VERBS, IN_CACHE},
    /* Some hundred KiB of a file (tuneFileCacheType=buffered). */
    {"beegfs", BY_VERBS, IN_BUFFERS},
    {"fhgfs", BY_VERBS, IN_BUFFERS},
    /* Closed source, and no documentation says that its pages are all. */
    {"panfs", BY_SOCKETS, IN_BUFFERS},
    /* Data are in the ARC until their transaction group is written. */
    {"zfs", BY_SOCKETS, IN_CACHE},
    {"fuse*", BY_SOCKETS, IN_CACHE},
};

static bool matches(const char *pattern, const char *type)
{
    size_t length = strcspn(pattern, "*");

    return pattern[length] == '*' ? strncmp(type, pattern, length) == 0
                                  : strcmp(type, pattern) == 0;
}

static struct kind find_row(const char *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (matches(kinds[i].type, type))
            return kinds[i];
    return (struct kind){.type = "", .way = BY_SOCKETS};
}

static struct kind find_kind(const struct weir_storage_facts *storage)
{
    struct kind kind = find_row(storage->type);

    if (!storage->is_network && kind.way == BY_SOCKETS)
        kind.way = BY_UNKNOWN;
    return kind;
}

/* ---- counters ---- */

enum weir_counted_by weir_counted_by(const struct weir_storage_facts *storage,
                                     const struct weir_traffic *traffic)
{
    struct kind kind = find_kind(storage);

    if (kind.way == IN_MEMORY)
        return WEIR_COUNTED_NOWHERE;
    if (traffic->has_client)
        return WEIR_COUNTED_BY_CLIENT;
    if (storage->is_network && kind.way != BY_HOST && strcmp(storage->type, "gpfs") != 0)
        return traffic->has_network ? WEIR_COUNTED_BY_PORTS : WEIR_COUNTED_NOWHERE;
    if (traffic->has_devices)
        return WEIR_COUNTED_BY_DEVICES;
    /* GPFS reads disks that a SAN shares, as well as servers. */
    if (storage->is_known && kind.way != BY_HOST && traffic->has_network && traffic->has_disks)
        return WEIR_COUNTED_BY_ALL;
    return WEIR_COUNTED_NOWHERE;
}

bool weir_counted_bytes(const struct weir_storage_facts *storage,
                        const struct weir_traffic *traffic, bool writes, uint64_t *bytes)
{
    /* Servers may be on this node: they are reached by loopback, which processes use for other
     * things, too. */
    uint64_t ports = (writes ? traffic->network_sent_bytes : traffic->network_received_bytes) +
                     traffic->loopback_bytes;

    switch (weir_counted_by(storage, traffic)) {
    case WEIR_COUNTED_NOWHERE:
        return false;
    case WEIR_COUNTED_BY_DEVICES:
        *bytes = writes ? traffic->device_written_bytes : traffic->device_read_bytes;
        break;
    case WEIR_COUNTED_BY_CLIENT:
        *bytes = writes ? traffic->client_written_bytes : traffic->client_read_bytes;
        break;
    case WEIR_COUNTED_BY_PORTS:
        *bytes = ports;
        break;
    case WEIR_COUNTED_BY_ALL:
        *bytes = ports + (writes ? traffic->disks_written_bytes : traffic->disks_read_bytes);
        break;
    }
    return true;
}

/* ---- caches ---- */

const struct weir_device_facts *weir_storage_buffered_loop(const struct weir_storage_facts *storage)
{
    for (uint32_t i = 0; i < storage->device_count; i++)
        if (storage->devices[i].is_buffered_loop)
            return &storage->devices[i];
    return NULL;
}

/* Caches over a device of this node ("fuseblk", ZFS) shrink when the kernel drops its own. */
bool weir_storage_has_client_cache(const struct weir_storage_facts *storage)
{
    return storage->is_known && find_kind(storage).kept == IN_CACHE &&
           !weir_storage_is_local(storage);
}

bool weir_storage_hides_writes(const struct weir_storage_facts *storage)
{
    return find_kind(storage).kept != IN_PAGES || weir_storage_buffered_loop(storage) != NULL;
}

bool weir_storage_compresses(const struct weir_storage_facts *storage)
{
    return weir_text_begins(storage->options, "compress") ||
           strstr(storage->options, ",compress") != NULL;
}

bool weir_filesystem_is_memory(const char *type)
{
    return find_row(type).way == IN_MEMORY;
}

/* ---- obstacles ---- */

/* Why nothing counts the bytes of the target. */
static struct weir_obstacle find_uncounted(const struct weir_probes *probes)
{
    const struct weir_storage_facts *storage = probes->storage;
    struct kind kind = find_kind(storage);
    bool has_statistics =
        strcmp(storage->type, "lustre") == 0 || strcmp(storage->type, "ceph") == 0;

    if (!storage->is_known)
        return (struct weir_obstacle){"the mount of the target is not known",
                                      "run where /proc/self/mountinfo lists the mount"};
    if (kind.way == BY_HOST)
        return (struct weir_obstacle){
            "no counter of this kernel sees the bytes of this file system",
            "measure on the host that supplies it, or more data than its memory"};
    if (has_statistics)
        return (struct weir_obstacle){"statistics of the client are readable by root alone, and no "
                                      "network port with hardware is counted",
                                      "run as root, with debugfs mounted on /sys/kernel/debug"};
    if (storage->is_network)
        return (struct weir_obstacle){"no network port with hardware is visible",
                                      "run in the network namespace of the host (--network host)"};
    if (kind.way == BY_UNKNOWN && !weir_storage_is_local(storage))
        return (struct weir_obstacle){"which disk or network this file system uses is not known",
                                      "measure the storage below it, or mount it as fuse.NAME of a "
                                      "known file system"};
    return (struct weir_obstacle){
        "no counter of a device or network shows the bytes of this file system",
        "run where /sys/class/block shows the devices of the host"};
}

/* The audit sees a phase with these counters: a small sum answers, but a large one does not. */
static struct weir_obstacle find_transfer_obstacle(const struct weir_probes *probes)
{
    static const struct weir_obstacle none;

    if (find_kind(probes->storage).way == IN_MEMORY)
        return none;
    /* Few bytes below the loop device prove that its cache answered. Many prove nothing: they may
     * be of others, and what a transfer left in the cache is written at any time. */
    if (weir_storage_buffered_loop(probes->storage) != NULL)
        return (struct weir_obstacle){"a loop device caches its file in the memory of this node",
                                      "losetup --direct-io=on for the loop device"};
    switch (weir_counted_by(probes->storage, probes->traffic)) {
    case WEIR_COUNTED_BY_DEVICES:
    case WEIR_COUNTED_BY_CLIENT:
    case WEIR_COUNTED_BY_PORTS:
        return none;
    case WEIR_COUNTED_BY_ALL:
        if (strcmp(probes->storage->type, "gpfs") == 0)
            return none;
        return (struct weir_obstacle){"which disk or network this file system uses is not known",
                                      "measure the storage below it, or mount it as fuse.NAME of a "
                                      "known file system"};
    case WEIR_COUNTED_NOWHERE:
        break;
    }
    return find_uncounted(probes);
}

/* The reading of the ranks and their files that answers the question, before any counter of the
 * node is needed; NULL = there is none. What is below a loop device shows in counters alone. */
static const char *find_own_reading(enum weir_evidence_question question,
                                    const struct weir_probes *probes)
{
    const struct weir_storage_facts *storage = probes->storage;
    bool is_write = question == WEIR_EVIDENCE_STORED || question == WEIR_EVIDENCE_SYNCED;

    if (find_kind(storage).way == IN_MEMORY || weir_storage_buffered_loop(storage) != NULL)
        return NULL;
    if (is_write && probes->knows_dirty && !weir_storage_hides_writes(storage))
        return "dirty pages of the files";
    if (question == WEIR_EVIDENCE_SUPPLIED && probes->counts_reads)
        return "/proc/self/io of each rank";
    return NULL;
}

struct weir_obstacle weir_obstacle_find(enum weir_evidence_question question,
                                        const struct weir_probes *probes)
{
    static const struct weir_obstacle none;
    struct weir_traffic traffic = *probes->traffic;

    switch (question) {
    case WEIR_EVIDENCE_PAGE_CACHE:
        if (!probes->knows_residency)
            return (struct weir_obstacle){"the kernel does not tell what is in the page cache",
                                          "Linux 6.5, files that you own, or direct I/O"};
        return none;
    case WEIR_EVIDENCE_CPU:
        if (!probes->knows_cpu_wait)
            return (struct weir_obstacle){"/proc/self/schedstat is not readable",
                                          "a kernel with CONFIG_SCHED_INFO"};
        return none;
    case WEIR_EVIDENCE_NAMES:
        /* Clients count payloads, not the requests for names. */
        traffic.has_client = false;
        return find_transfer_obstacle(
            &(struct weir_probes){.storage = probes->storage, .traffic = &traffic});
    case WEIR_EVIDENCE_SUPPLIED:
    case WEIR_EVIDENCE_STORED:
    case WEIR_EVIDENCE_SYNCED:
    case WEIR_EVIDENCE_COUNT:
        break;
    }
    return find_own_reading(question, probes) != NULL ? none : find_transfer_obstacle(probes);
}

const char *weir_observer_name(enum weir_evidence_question question,
                               const struct weir_probes *probes)
{
    const char *own = find_own_reading(question, probes);

    if (own != NULL)
        return own;
    if (question == WEIR_EVIDENCE_PAGE_CACHE)
        return "residency of the pages";
    if (question == WEIR_EVIDENCE_CPU)
        return "/proc/self/schedstat";
    switch (weir_counted_by(probes->storage, probes->traffic)) {
    case WEIR_COUNTED_BY_DEVICES:
        return "counters of the devices below";
    case WEIR_COUNTED_BY_CLIENT:
        return "statistics of the file system's client";
    case WEIR_COUNTED_BY_PORTS:
        return "counters of the network ports, of all processes";
    case WEIR_COUNTED_BY_ALL:
    case WEIR_COUNTED_NOWHERE:
        break;
    }
    return "counters of network ports and disks, of all processes";
}
