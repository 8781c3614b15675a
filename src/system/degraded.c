/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the disks, paths and servers of a storage that have failed. */
#include "weir/system/environment.h"

#include "client_stats.h"
#include "stripes.h"
#include "weir/system/small_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The parts of a storage by now. */
struct parts {
    const char *kind; /* in the singular */
    unsigned count;   /* 0 = not known */
    unsigned failed;
};

/* Paths of one disk: `slaves` are SCSI disks, whose state is "running". */
static struct parts count_paths(const char *device)
{
    struct parts parts = {.kind = "path"};
    struct weir_name_list slaves;
    char uuid[128], state[32];

    if (!weir_small_file_line(uuid, sizeof uuid, "%s/dm/uuid", device) ||
        strncmp(uuid, "mpath-", 6) != 0)
        return parts;
    weir_name_list_open(&slaves, "%s/slaves", device);
    for (size_t i = 0; i < slaves.count; i++) {
        parts.count++;
        parts.failed += weir_small_file_line(state, sizeof state, "%s/slaves/%s/device/state",
                                             device, slaves.entries[i]->d_name) &&
                        strcmp(state, "running") != 0 && strcmp(state, "live") != 0;
    }
    weir_name_list_close(&slaves);
    return parts;
}

/* md/degraded of RAID levels with redundancy; the others have no such file. */
static struct parts count_disks(const char *device)
{
    struct parts parts = {.kind = "RAID disk"};
    int64_t failed, count;

    if (weir_small_file_number(&failed, "%s/md/degraded", device) && failed > 0 &&
        weir_small_file_number(&count, "%s/md/raid_disks", device)) {
        parts.count = (unsigned)count;
        parts.failed = (unsigned)failed;
    }
    return parts;
}

/* `missing` of each device of the file system that has one of ours (kernel 5.6 and later). */
static struct parts count_btrfs(const char *root, const struct weir_storage_facts *facts)
{
    struct parts parts = {.kind = "btrfs device"};
    struct weir_name_list systems, devices;
    int64_t is_missing;

    weir_name_list_open(&systems, "%s/sys/fs/btrfs", root);
    for (size_t i = 0; i < systems.count && facts->device_count > 0; i++) {
        const char *system = systems.entries[i]->d_name;

        if (!weir_small_file_is_there("%s/sys/fs/btrfs/%s/devices/%s", root, system,
                                      facts->devices[0].name))
            continue;
        weir_name_list_open(&devices, "%s/sys/fs/btrfs/%s/devinfo", root, system);
        for (size_t k = 0; k < devices.count; k++) {
            parts.count++;
            parts.failed +=
                weir_small_file_number(&is_missing, "%s/sys/fs/btrfs/%s/devinfo/%s/missing", root,
                                       system, devices.entries[k]->d_name) &&
                is_missing == 1;
        }
        weir_name_list_close(&devices);
    }
    weir_name_list_close(&systems);
    return parts;
}

/* The source is POOL or POOL/DATASET. */
static struct parts count_zfs(const char *root, const struct weir_storage_facts *facts)
{
    struct parts parts = {.kind = "ZFS pool"};
    char state[32];

    if (weir_small_file_line(state, sizeof state, "%s/proc/spl/kstat/zfs/%.*s/state", root,
                             (int)strcspn(facts->source, "/"), facts->source)) {
        parts.count = 1;
        parts.failed = strcmp(state, "ONLINE") != 0;
    }
    return parts;
}

/* Each client of an object storage target is a directory "FSNAME-OST0000-osc-ffff..." with a file
 * `active`: 0 if an administrator or the servers have deactivated it. Written from the manual of
 * Lustre. */
static struct parts count_lustre(const char *root, const struct weir_storage_facts *facts)
{
    static const char *const places[] = {"sys/fs/lustre", "proc/fs/lustre"};
    struct parts parts = {.kind = "OST"};
    char prefix[WEIR_LUSTRE_PREFIX_BYTES];
    struct weir_name_list clients;

    if (!weir_lustre_prefix(facts->source, prefix))
        return parts;
    for (size_t i = 0; i < sizeof places / sizeof *places && parts.count == 0; i++) {
        weir_name_list_open(&clients, "%s/%s/osc", root, places[i]);
        for (size_t k = 0; k < clients.count; k++) {
            const char *client = clients.entries[k]->d_name;
            int64_t is_active;

            if (strncmp(client, prefix, strlen(prefix)) != 0 ||
                !weir_small_file_number(&is_active, "%s/%s/osc/%s/active", root, places[i], client))
                continue;
            parts.count++;
            parts.failed += is_active == 0;
        }
        weir_name_list_close(&clients);
    }
    return parts;
}

/* "osd0\t[v2:...]\t100%\t(exists, up)": one line per OSD in a file that root alone reads. Written
 * from the source of the kernel's debugfs. */
static struct parts count_ceph(const char *root)
{
    struct parts parts = {.kind = "OSD"};
    struct weir_name_list clients;

    weir_name_list_open(&clients, "%s/sys/kernel/debug/ceph", root);
    for (size_t i = 0; i < clients.count && clients.count == 1; i++) {
        char path[WEIR_ROOTED_PATH_BYTES], line[512];
        FILE *file;

        snprintf(path, sizeof path, "%s/sys/kernel/debug/ceph/%s/osdmap", root,
                 clients.entries[i]->d_name);
        file = fopen(path, "re");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            if (strncmp(line, "osd", 3) != 0 || strstr(line, "exists") == NULL)
                continue;
            parts.count++;
            parts.failed += strstr(line, "up)") == NULL;
        }
        if (file != NULL)
            fclose(file);
    }
    weir_name_list_close(&clients);
    return parts;
}

static struct parts count_of_type(const char *root, const struct weir_storage_facts *facts)
{
    char graph[WEIR_ROOTED_PATH_BYTES];
    struct parts parts = {.kind = "brick"};

    if (strcmp(facts->type, "btrfs") == 0)
        return count_btrfs(root, facts);
    if (strcmp(facts->type, "zfs") == 0)
        return count_zfs(root, facts);
    if (strcmp(facts->type, "lustre") == 0)
        return count_lustre(root, facts);
    if (strcmp(facts->type, "ceph") == 0)
        return count_ceph(root);
    if (strcmp(facts->type, "fuse.glusterfs") == 0) {
        snprintf(graph, sizeof graph, "%s%s/.meta/graphs/active", root, facts->mount_point);
        weir_stripes_count_bricks(graph, &parts.count, &parts.failed);
    }
    return parts;
}

void weir_storage_count_failed(const char *root, struct weir_storage_facts *facts)
{
    struct parts worst = count_of_type(root, facts);
    char device[WEIR_ROOTED_PATH_BYTES];

    for (uint32_t i = 0; i < facts->device_count && worst.failed == 0; i++) {
        snprintf(device, sizeof device, "%s/sys/class/block/%s", root, facts->devices[i].name);
        worst = count_disks(device);
        if (worst.failed == 0)
            worst = count_paths(device);
    }
    memset(facts->part_kind, 0, sizeof facts->part_kind);
    facts->failed_count = worst.failed;
    facts->part_count = worst.failed > 0 ? worst.count : 0;
    if (worst.failed > 0)
        memcpy(facts->part_kind, worst.kind, strlen(worst.kind) + 1);
}
