/* SPDX-License-Identifier: Apache-2.0 */
/* The storage behind the path: file system, room in it, and the chain of block devices. */
#include "subjects.h"
#include "ways_out.h"

#include "weir/base/observable.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/system/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Less than this, or than a twentieth, and file systems begin to search for room. */
#define FREE_BYTES_MIN (UINT64_C(1) << 30)

#define LIST_FILESYSTEMS                                                                           \
    "take a directory on a file system with storage behind it: df -hT lists them"

static bool is_device(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISBLK(facts.st_mode);
}

/* ---- the file system ---- */

static void judge_filesystem(const struct weir_examination *examination,
                             const struct weir_storage_facts *facts)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;
    const char *path = examination->path;

    if (weir_text_list_has(facts->options, "ro")) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "file system", NULL,
                           "%s at %s, from %s, is mounted read-only", facts->type,
                           facts->mount_point, facts->source);
        weir_diagnosis_help(diagnosis, "as root: mount -o remount,rw %s", facts->mount_point);
        weir_diagnosis_help(diagnosis, "or read what is there: " WEIR_REMEDY_READ
                                       " " WEIR_REMEDY_USE_EXISTING);
    } else if (access(path, W_OK) != 0) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "file system", NULL,
                           "%s at %s, from %s; %s may not be written by this user: %s", facts->type,
                           facts->mount_point, facts->source, path, strerror(errno));
        weir_diagnosis_help(diagnosis, "name a directory of your own, or have one made there");
    } else if (weir_filesystem_is_memory(facts->type)) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "file system", LIST_FILESYSTEMS,
                           "%s at %s: this is memory of the node, no storage", facts->type,
                           facts->mount_point);
    } else if (strcmp(facts->type, "overlay") == 0) {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "file system",
                           examination->node->container[0] != '\0'
                               ? "start the container with the storage itself: -v "
                                 "DIRECTORY:DIRECTORY (Docker, Podman)"
                               : LIST_FILESYSTEMS,
                           "overlay at %s: one file system on top of another; the first write to a "
                           "file copies it",
                           facts->mount_point);
    } else {
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "file system", NULL, "%s at %s, from %s",
                           facts->type, facts->mount_point, facts->source);
    }
}

/* Caches that --drop-caches does not reach, as they are not the kernel's. */
static void tell_client_cache(const struct weir_examination *examination,
                              const struct weir_storage_facts *facts)
{
    char pool[48];

    if (strcmp(facts->type, "gpfs") == 0 &&
        weir_page_pool_describe(examination->root, pool, sizeof pool))
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "client cache",
                           "reads of more data than the pool, or " WEIR_REMEDY_SHIFT_NODES
                           " on several nodes",
                           "%s: --drop-caches does not empty it", pool);
    else if (weir_storage_has_client_cache(facts))
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "client cache",
                           "a remount before the reads, or " WEIR_REMEDY_SHIFT_NODES
                           " on several nodes",
                           "the client of %s may cache data itself: --drop-caches does not reach "
                           "it",
                           facts->type);
    else if (facts->client_cache[0] != '\0')
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "client cache", NULL, "%s",
                           facts->client_cache);
}

static void tell_filesystem(const struct weir_examination *examination,
                            const struct weir_storage_facts *facts)
{
    if (!facts->is_known) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "file system", NULL,
                           "the kernel does not tell what is behind %s (/proc/self/mountinfo)",
                           examination->path);
        return;
    }
    judge_filesystem(examination, facts);
    if (facts->options[0] != '\0')
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "mount options", NULL, "%s",
                           facts->options);
    if (facts->striping[0] != '\0')
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "striping", NULL, "%s",
                           facts->striping);
    if (facts->failed_count > 0)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "parts",
                           "repair the storage, or measure on another one",
                           "%u of %u %ss %s failed", facts->failed_count, facts->part_count,
                           facts->part_kind, facts->failed_count == 1 ? "has" : "have");
    if (facts->is_network)
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "way", NULL,
                           "data leave this node by its networks");
    else if (facts->may_be_network)
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "way", NULL,
                           "whether data leave this node is not known (%s)", facts->type);
    tell_client_cache(examination, facts);
}

/* ---- room ---- */

static void tell_room(const struct weir_examination *examination)
{
    struct weir_filesystem_facts facts;
    char total[WEIR_SIZE_TEXT_BYTES], rest[WEIR_SIZE_TEXT_BYTES];
    uint64_t unused;

    weir_filesystem_describe(examination->path, &facts);
    if (!facts.is_known || facts.bytes_total == 0)
        return;
    unused = facts.bytes_available;
    weir_size_format(facts.bytes_total, total);
    weir_size_format(unused, rest);
    if (unused < FREE_BYTES_MIN || unused < facts.bytes_total / 20)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "room",
                           "remove what nobody needs, or take a target elsewhere; a run with less "
                           "data (" WEIR_REMEDY_LESS_DATA ") fits, too",
                           "%s of %s can be had", rest, total);
    else if (facts.inodes_total > 0 && facts.inodes_used >= facts.inodes_total)
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "room",
                           "remove files that nobody needs, or take a target elsewhere",
                           "%s of %s can be had, but no file can be made: all %" PRIu64
                           " inodes are used",
                           rest, total, facts.inodes_total);
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "room", NULL, "%s of %s can be had",
                           rest, total);
}

/* ---- limits ---- */

/* Reports limits that control groups set for the devices of the path. */
static void tell_limits(const struct weir_examination *examination,
                        const struct weir_storage_facts *facts)
{
    static const char *const units[WEIR_IO_LIMITS] = {"reads to %s/s", "writes to %s/s",
                                                      "reads to %s IOPS", "writes to %s IOPS"};
    const struct weir_io_limits *limits = &facts->limits;
    struct weir_text list = {0};
    char value[WEIR_SIZE_TEXT_BYTES];

    for (unsigned i = 0; i < WEIR_IO_LIMITS; i++) {
        if (limits->per_s[i] == 0)
            continue;
        if (i < WEIR_LIMIT_READ_OPS)
            weir_size_format(limits->per_s[i], value);
        else
            snprintf(value, sizeof value, "%" PRIu64, limits->per_s[i]);
        if (list.length > 0)
            weir_text_add(&list, ", ");
        weir_text_add(&list, units[i], value);
    }
    if (list.length > 0) {
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "I/O limit", NULL,
                           "a control group limits %s on %s", weir_text_string(&list),
                           limits->device);
        weir_help_with_group(examination, "no --device-write-bps and the like", "--exclusive",
                             NULL);
        weir_diagnosis_help(examination->diagnosis,
                            "as root: write max to io.max of the control group, 0 to "
                            "blkio.throttle.* in version 1");
    } else if (facts->device_count > 0) {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "I/O limit", NULL, "none");
    }
    weir_text_close(&list);
}

/* ---- devices ---- */

static void describe_device(const struct weir_device_facts *device, struct weir_text *text)
{
    char bytes[WEIR_SIZE_TEXT_BYTES];

    weir_text_add(text, "%s%s%s%s", device->model, device->model[0] != '\0' ? ", " : "",
                  weir_size_format(device->bytes, bytes),
                  device->is_partition ? ", partition" : "");
    if (device->is_rotational)
        weir_text_add(text, ", rotational");
    if (device->scheduler[0] != '\0')
        weir_text_add(text, ", scheduler %s", device->scheduler);
    if (device->request_count > 0)
        weir_text_add(text, ", queue of %u requests", device->request_count);
    if (device->hardware_queues > 0)
        weir_text_add(text, ", hardware queues: %u", device->hardware_queues);
    if (device->queue_depth > 0)
        weir_text_add(text, " of depth %u", device->queue_depth);
    if (device->write_cache[0] != '\0')
        weir_text_add(text, ", write cache: %s", device->write_cache);
    if (device->numa_node != WEIR_NUMA_UNKNOWN)
        weir_text_add(text, ", NUMA node %d", device->numa_node);
}

/* BFQ takes a lock for each request; of the others the kernel itself gives none to a device with
 * several queues. */
static bool is_slowed(const struct weir_device_facts *device)
{
    if (device->is_rotational || device->scheduler[0] == '\0' ||
        strcmp(device->scheduler, "none") == 0)
        return false;
    return strcmp(device->scheduler, "bfq") == 0 || device->hardware_queues > 1;
}

static void tell_device(const struct weir_examination *examination,
                        const struct weir_device_facts *device)
{
    struct weir_text text = {0};

    describe_device(device, &text);
    if (is_slowed(device)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, device->name, NULL,
                           "%s: the scheduler holds requests back that the device could have",
                           weir_text_string(&text));
        weir_diagnosis_help(examination->diagnosis,
                            "as root: echo none > /sys/block/%s/queue/scheduler", device->name);
    } else if (device->is_buffered_loop) {
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, device->name, NULL,
                           "%s: the page cache of this node has the file behind it, and "
                           "--drop-caches and direct I/O stop above that",
                           weir_text_string(&text));
        weir_diagnosis_help(examination->diagnosis, "as root: losetup --direct-io=on /dev/%s",
                            device->name);
    } else {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, device->name, NULL, "%s%s",
                           weir_text_string(&text),
                           device->is_virtual ? "; a virtual disk, which its host may cache" : "");
    }
    weir_text_close(&text);
}

void weir_examine_target(const struct weir_examination *examination)
{
    struct weir_storage_facts facts = {0};

    if (examination->path == NULL) {
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "target",
                           "weir doctor DIRECTORY, where the data of a test will be",
                           "no path was given: file system, devices, O_DIRECT and polling were "
                           "left out");
        return;
    }
    weir_storage_describe(examination->root, examination->path, &facts);
    if (!is_device(examination->path)) {
        tell_filesystem(examination, &facts);
        tell_room(examination);
        tell_limits(examination, &facts);
    }
    for (uint32_t i = 0; i < facts.device_count; i++)
        tell_device(examination, &facts.devices[i]);
}
