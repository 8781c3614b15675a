/* SPDX-License-Identifier: Apache-2.0 */
/* The storage behind a path: its mount, and block devices from /sys/class/block. */
#include "weir/system/environment.h"

#include "block_chain.h"
#include "client_stats.h"
#include "mask.h"
#include "mounts.h"
#include "stripes.h"
#include "weir/system/limiting_group.h"
#include "weir/system/small_file.h"

#include "weir/base/text.h"

#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define SECTOR_BYTES 512

/* ---- the mount ---- */

static bool has_type(const char *const types[], size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static bool is_network_type(const char *type)
{
    static const char *const types[] = {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "dvs",
        "fhgfs",
        "glusterfs",
        "gpfs",
        "kafs",
        "lustre",
        "mfs",
        "nfs",
        "nfs4",
        "orangefs",
        "panfs",
        "pvfs2",
        "smb3",
        "smbfs",
        "virtiofs",
        "wekafs",
        "fuse.beegfs",
        "fuse.ceph",
        "fuse.ceph-fuse",
        "fuse.curlftpfs",
        "fuse.daos",
        "fuse.davfs",
        "fuse.dfuse",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.goofys",
        "fuse.juicefs",
        "fuse.JuiceFS",
        "fuse.lizardfs",
        "fuse.mfs",
        "fuse.moosefs",
        "fuse.orangefs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.saunafs",
        "fuse.seaweedfs",
        "fuse.sshfs",
        "fuse.unifyfs",
    };

    return has_type(types, sizeof types / sizeof *types, type);
}

/* File systems of one node, of which no other node changes anything. Not so OCFS2 and GFS2, whose
 * nodes share a block device, and what lies on top of another file system. */
static bool is_local_type(const char *type)
{
    static const char *const types[] = {
        "bcachefs", "btrfs",   "devtmpfs", "erofs",   "exfat",     "ext2",    "ext3",     "ext4",
        "f2fs",     "fuseblk", "hfs",      "hfsplus", "hugetlbfs", "iso9660", "jfs",      "minix",
        "msdos",    "nilfs2",  "ntfs",     "ntfs3",   "overlay",   "ramfs",   "reiserfs", "rootfs",
        "squashfs", "tmpfs",   "udf",      "ufs",     "vfat",      "xfs",     "zfs",
    };

    return has_type(types, sizeof types / sizeof *types, type);
}

/* The subtype of a FUSE file system that its type does not name: older libraries write
 * "mfs#HOST:PORT" as the source. */
static bool has_network_subtype(const char *source)
{
    size_t length = strcspn(source, "#");
    char type[64];

    if (source[length] == '\0' || length == 0)
        return false;
    snprintf(type, sizeof type, "fuse.%.*s", (int)length, source);
    return is_network_type(type);
}

/* "//HOST/SHARE", "SCHEME://HOST/...", "HOST:PORT" and "HOST:/PATH". Whatever else an unknown FUSE
 * file system calls its source says nothing. */
static bool is_network_source(const char *source)
{
    const char *at = strchr(source, ':'), *slash = strchr(source, '/');
    size_t digits = at != NULL ? strspn(at + 1, "0123456789") : 0;

    if (strncmp(source, "//", 2) == 0)
        return true;
    if (at == NULL || at == source || (slash != NULL && slash < at))
        return false;
    if (strncmp(at, "://", 3) == 0)
        return strncmp(source, "file:", 5) != 0;
    return at[1] == '/' || (digits > 0 && strchr(",/", at[1 + digits]) != NULL);
}

static void find_reach(struct weir_storage_facts *facts, const struct weir_mount *mount)
{
    bool is_fuse = strcmp(mount->type, "fuse") == 0 || strncmp(mount->type, "fuse.", 5) == 0;

    facts->is_network =
        is_network_type(mount->type) ||
        (is_fuse && (has_network_subtype(mount->source) || is_network_source(mount->source)));
    facts->may_be_network = !facts->is_network && !is_local_type(mount->type);
}

/* Of overlays: paths with numbers of containers in them, of no meaning within these. */
static bool is_layer(const char *option)
{
    return strncmp(option, "lowerdir", 8) == 0 || strncmp(option, "upperdir=", 9) == 0 ||
           strncmp(option, "workdir=", 8) == 0;
}

/* Adds what is not there yet and still fits whole. */
static void add_options(char *list, size_t bytes, char *options)
{
    char *rest = options;

    while (rest != NULL) {
        char *option = strsep(&rest, ",");
        size_t length = strlen(list);

        if (*option == '\0' || strcmp(option, "rw") == 0 || strcmp(option, "ro") == 0 ||
            weir_mask_is_private(option) || is_layer(option) || weir_text_list_has(list, option))
            continue;
        weir_mask_user(option);
        weir_mask_addresses(option);
        weir_text_make_visible(option, "");
        if (length + 1 + strlen(option) < bytes)
            snprintf(list + length, bytes - length, ",%s", option);
    }
}

/* Of the mount and of the file system: both decide whether it is writable. */
static void keep_options(struct weir_storage_facts *facts, struct weir_mount *mount)
{
    bool is_read_only =
        weir_text_list_has(mount->options, "ro") || weir_text_list_has(mount->super_options, "ro");

    snprintf(facts->options, sizeof facts->options, is_read_only ? "ro" : "rw");
    add_options(facts->options, sizeof facts->options, mount->options);
    add_options(facts->options, sizeof facts->options, mount->super_options);
}

static void keep_mount(struct weir_storage_facts *facts, struct weir_mount *mount)
{
    weir_small_text_copy(facts->mount_point, sizeof facts->mount_point, mount->point);
    weir_small_text_copy(facts->type, sizeof facts->type, mount->type);
    find_reach(facts, mount);
    weir_mask_user(mount->source);
    if (strcmp(mount->type, "fuse.sshfs") == 0 || strncmp(mount->source, "sshfs#", 6) == 0)
        weir_mask_login(mount->source);
    weir_mask_addresses(mount->source);
    weir_small_text_copy(facts->source, sizeof facts->source, mount->source);
    keep_options(facts, mount);
}

/* ---- one device ---- */

/* The kind of a device: of a volume ("LVM", "CRYPT"), of a RAID. In the name of a volume a
 * number follows the kind. */
static void find_model(const char *device, char *model, size_t bytes)
{
    if (weir_small_file_line(model, bytes, "%s/device/model", device) ||
        weir_small_file_line(model, bytes, "%s/device/name", device) ||
        weir_small_file_line(model, bytes, "%s/md/level", device) ||
        !weir_small_file_line(model, bytes, "%s/dm/uuid", device))
        return;
    memset(model + strcspn(model, "-"), 0, bytes - strcspn(model, "-"));
}

static uint32_t find_count(const char *device, const char *file)
{
    int64_t number;

    if (!weir_small_file_number(&number, "%s/%s", device, file) || number < 0 ||
        number > UINT32_MAX)
        return 0;
    return (uint32_t)number;
}

static uint32_t count_queues(const char *device)
{
    struct weir_name_list queues;
    size_t count;

    weir_name_list_open(&queues, "%s/mq", device);
    count = queues.count;
    weir_name_list_close(&queues);
    return (uint32_t)count;
}

/* Of NVMe with several paths, the device is no part of a controller: the first one counts. */
static int32_t find_numa_node(const char *device)
{
    int32_t node = weir_numa_node_above("%s", device);
    struct weir_name_list paths;

    weir_name_list_open(&paths, "%s/device", device);
    for (size_t i = 0; i < paths.count && node == WEIR_NUMA_UNKNOWN; i++) {
        const char *name = paths.entries[i]->d_name;

        if (strncmp(name, "nvme", 4) == 0 && name[4 + strspn(name + 4, "0123456789")] == '\0')
            node = weir_numa_node_above("%s/device/%s", device, name);
    }
    weir_name_list_close(&paths);
    return node;
}

/* Names of RAM disks are those of their drivers. */
static bool is_memory_device(const char *root, const char *name)
{
    char file[WEIR_ROOTED_PATH_BYTES];
    struct statfs facts;

    if (strncmp(name, "ram", 3) == 0 || strncmp(name, "zram", 4) == 0 ||
        strncmp(name, "nullb", 5) == 0)
        return true;
    return strncmp(name, "loop", 4) == 0 &&
           weir_small_file_line(file, sizeof file, "%s/sys/class/block/%s/loop/backing_file", root,
                                name) &&
           statfs(file, &facts) == 0 &&
           (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC);
}

/* Disks that a hypervisor emulates or provides: by their drivers, and by the models that QEMU,
 * VMware, VirtualBox and Hyper-V give to emulated SCSI, IDE and NVMe disks. */
static bool is_virtual(const char *device, const char *model)
{
    static const char *const drivers[] = {"virtio_blk", "vbd", "xen-blkfront"};
    static const char *const models[] = {"QEMU", "VMware", "VBOX", "Virtual disk", "Virtual Disk"};
    char driver[32];

    weir_link_name(driver, sizeof driver, "%s/device/driver", device);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strstr(model, models[i]) != NULL)
            return true;
    return has_type(drivers, sizeof drivers / sizeof *drivers, driver);
}

/* A partition has the queue of its disk, where it is reported; but "rotates" has no value for
 * "unknown". */
static void describe_device(const char *root, const struct weir_block_link *link,
                            struct weir_device_facts *facts)
{
    char device[WEIR_ROOTED_PATH_BYTES];
    char choices[256];
    int64_t sectors, is_direct;

    snprintf(device, sizeof device, "%s/sys/class/block/%s", root, link->name);
    weir_small_text_copy(facts->name, sizeof facts->name, link->name);
    facts->level = link->level;
    facts->is_partition = link->is_partition;
    facts->is_memory = is_memory_device(root, link->name);
    facts->is_rotational = find_count(device, "queue/rotational") != 0 ||
                           (link->is_partition && find_count(device, "../queue/rotational") != 0);
    if (weir_small_file_number(&sectors, "%s/size", device) && sectors > 0)
        facts->bytes = (uint64_t)sectors * SECTOR_BYTES;
    find_model(device, facts->model, sizeof facts->model);
    facts->is_virtual = is_virtual(device, facts->model);
    facts->is_buffered_loop =
        weir_small_file_number(&is_direct, "%s/loop/dio", device) && is_direct == 0;
    weir_small_file_line(choices, sizeof choices, "%s/queue/scheduler", device);
    if (!weir_small_text_choice(facts->scheduler, sizeof facts->scheduler, choices))
        weir_small_text_copy(facts->scheduler, sizeof facts->scheduler, choices);
    weir_small_file_line(facts->write_cache, sizeof facts->write_cache, "%s/queue/write_cache",
                         device);
    facts->request_count = find_count(device, "queue/nr_requests");
    facts->queue_depth = find_count(device, "device/queue_depth");
    facts->hardware_queues = count_queues(device);
    facts->numa_node = find_numa_node(device);
}

static void keep_devices(struct weir_storage_facts *facts, const char *root,
                         const struct weir_block_chain *chain)
{
    for (size_t i = 0; i < chain->count && i < WEIR_DEVICES_KEPT; i++)
        describe_device(root, &chain->links[i], &facts->devices[facts->device_count++]);
}

/* ---- all of it ---- */

static void describe_mount(const char *root, const char *path, struct weir_block_chain *chain,
                           struct weir_storage_facts *facts)
{
    struct weir_text striping = {0};
    struct weir_mount mount;

    if (!weir_mount_find(root, path, &mount))
        return;
    facts->is_known = true;
    weir_block_chain_add_mount(chain, root, &mount);
    weir_stripes_describe(path, mount.type, &striping);
    weir_small_text_copy(facts->striping, sizeof facts->striping, weir_text_string(&striping));
    weir_text_close(&striping);
    keep_mount(facts, &mount);
    weir_client_describe_cache(root, facts, facts->client_cache, sizeof facts->client_cache);
}

static void describe_block_device(const char *root, const char *path, dev_t number,
                                  struct weir_block_chain *chain, struct weir_storage_facts *facts)
{
    facts->is_known = true;
    weir_small_text_copy(facts->source, sizeof facts->source, path);
    weir_small_text_copy(facts->type, sizeof facts->type, "block device");
    weir_block_chain_add_number(chain, root, number);
}

void weir_storage_describe(const char *root, const char *path, struct weir_storage_facts *facts)
{
    struct weir_block_chain chain = {0};
    char existing[PATH_MAX];
    struct stat found;

    memset(facts, 0, sizeof *facts);
    if (!weir_path_find_existing(path, existing, &found))
        return;
    if (S_ISBLK(found.st_mode))
        describe_block_device(root, existing, found.st_rdev, &chain, facts);
    else
        describe_mount(root, existing, &chain, facts);
    keep_devices(facts, root, &chain);
    weir_storage_count_failed(root, facts);
    weir_io_limits_find(root, facts);
}

/* Not in linux/magic.h. */
#define JFS_MAGIC 0x3153464a
#define NTFS3_MAGIC 0x7366746e
#define EXFAT_MAGIC 0x2011BAB0

bool weir_storage_counts_reads(const char *path)
{
    static const unsigned long types[] = {
        EXT4_SUPER_MAGIC,     XFS_SUPER_MAGIC,      BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
        MSDOS_SUPER_MAGIC,    EXFAT_MAGIC,          JFS_MAGIC,         NTFS3_MAGIC,
        NILFS_SUPER_MAGIC,    REISERFS_SUPER_MAGIC, ISOFS_SUPER_MAGIC, UDF_SUPER_MAGIC,
        OVERLAYFS_SUPER_MAGIC};
    char existing[PATH_MAX];
    struct statfs facts;
    struct stat found;

    if (!weir_path_find_existing(path, existing, &found))
        return false;
    if (S_ISBLK(found.st_mode))
        return true;
    if (statfs(existing, &facts) != 0)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((unsigned long)facts.f_type == types[i])
            return true;
    return false;
}
