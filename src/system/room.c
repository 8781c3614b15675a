/* SPDX-License-Identifier: Apache-2.0 */
/* Free room by statvfs and by the quota of the user. */
#include "weir/system/room.h"

#include "mounts.h"

#include "weir/base/call_watch.h"
#include "weir/base/random.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/quota.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SECTOR_BYTES 512
#define XFS_MAGIC 0x58465342
#define JFS_MAGIC 0x3153464a
#define BCACHEFS_MAGIC 0xca451a4e
#define EXFAT_MAGIC 0x2011bab0
#define NTFS3_MAGIC 0x7366746e
#define ZFS_MAGIC 0x2fc12fc1
/* Where the C library knows no number for quotactl_fd: the same on all architectures. */
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

/* Each node has its own. */
static bool is_local(int64_t type)
{
    static const int64_t types[] = {EXT4_SUPER_MAGIC,
                                    XFS_MAGIC,
                                    BTRFS_SUPER_MAGIC,
                                    TMPFS_MAGIC,
                                    ZFS_MAGIC,
                                    F2FS_SUPER_MAGIC,
                                    OVERLAYFS_SUPER_MAGIC,
                                    RAMFS_MAGIC,
                                    HUGETLBFS_MAGIC,
                                    JFS_MAGIC,
                                    BCACHEFS_MAGIC,
                                    EXFAT_MAGIC,
                                    NTFS3_MAGIC,
                                    REISERFS_SUPER_MAGIC,
                                    NILFS_SUPER_MAGIC,
                                    MSDOS_SUPER_MAGIC};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type == types[i])
            return true;
    return false;
}

static uint64_t number_store(const char *existing, const struct statvfs *room, dev_t device,
                             int node)
{
    struct statfs kind;
    uint64_t store;

    if (statfs(existing, &kind) != 0)
        return 0;
    store = weir_mix64((uint64_t)kind.f_type) ^ room->f_blocks;
    if (is_local(kind.f_type))
        store = weir_mix64(store ^ weir_mix64((uint64_t)device) ^ weir_mix64(~(uint64_t)node));
    return store;
}

static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return limit == 0 ? UINT64_MAX : limit > used ? limit - used : 0;
}

/* Quotas do not hold for root. */
static void apply_quota(const char *existing, struct weir_room_facts *facts)
{
    struct if_dqblk quota = {0};
    int descriptor = geteuid() != 0 ? open(existing, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    uint64_t bytes, inodes;

    if (descriptor < 0)
        return;
    if (syscall(SYS_quotactl_fd, descriptor, QCMD(Q_GETQUOTA, USRQUOTA), geteuid(), &quota) == 0) {
        bytes = left_of(quota.dqb_bhardlimit * QIF_DQBLKSIZE, quota.dqb_curspace);
        inodes = left_of(quota.dqb_ihardlimit, quota.dqb_curinodes);
        facts->is_quota = bytes < facts->bytes_free || inodes < facts->inodes_free;
        if (bytes < facts->bytes_free)
            facts->bytes_free = bytes;
        if (inodes < facts->inodes_free)
            facts->inodes_free = inodes;
    }
    close(descriptor);
}

void weir_room_count(const struct statvfs *reported, struct weir_room_facts *facts)
{
    facts->bytes_free = facts->inodes_free = UINT64_MAX;
    if (reported->f_blocks > 0 && reported->f_bavail <= reported->f_blocks)
        facts->bytes_free = (uint64_t)reported->f_bavail * reported->f_frsize;
    if (reported->f_files > 0 && reported->f_ffree <= reported->f_files &&
        reported->f_favail <= reported->f_files)
        facts->inodes_free = reported->f_favail;
}

void weir_room_describe(const char *path, int node, struct weir_room_facts *facts)
{
    struct statvfs room;
    char existing[PATH_MAX];
    struct stat found;
    bool is_found;

    *facts = (struct weir_room_facts){.bytes_free = UINT64_MAX, .inodes_free = UINT64_MAX};
    /* The quota is asked of the same file system. */
    weir_call_begin("statfs", path);
    is_found = weir_path_find_existing(path, existing, &found) && statvfs(existing, &room) == 0;
    if (!is_found) {
        weir_call_end();
        return;
    }
    facts->is_known = true;
    facts->is_there = strcmp(existing, path) == 0;
    if (facts->is_there && S_ISREG(found.st_mode))
        facts->file_bytes = (uint64_t)found.st_blocks * SECTOR_BYTES;
    facts->store = number_store(existing, &room, found.st_dev, node);
    weir_room_count(&room, facts);
    apply_quota(existing, facts);
    weir_call_end();
}
