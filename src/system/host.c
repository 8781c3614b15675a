/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel for the properties of this host and of the storage behind a path. */
#include "weir/system/host.h"

#include "weir/base/call_watch.h"
#include "weir/base/text.h"

#include "mounts.h"

#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

static void copy_cut(char *to, size_t bytes, const char *from)
{
    size_t length = strnlen(from, bytes - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

void weir_host_describe(struct weir_host_facts *facts)
{
    struct utsname host;

    memset(facts, 0, sizeof *facts);
    if (uname(&host) != 0)
        return;
    copy_cut(facts->system, sizeof facts->system, host.sysname);
    copy_cut(facts->node, sizeof facts->node, host.nodename);
    copy_cut(facts->release, sizeof facts->release, host.release);
    copy_cut(facts->version, sizeof facts->version, host.version);
    copy_cut(facts->machine, sizeof facts->machine, host.machine);
}

void weir_filesystem_count(const struct statvfs *filesystem, struct weir_filesystem_facts *facts)
{
    if (filesystem->f_bfree <= filesystem->f_blocks) {
        facts->bytes_total = (uint64_t)filesystem->f_blocks * filesystem->f_frsize;
        facts->bytes_used =
            (uint64_t)(filesystem->f_blocks - filesystem->f_bfree) * filesystem->f_frsize;
        facts->bytes_available = (uint64_t)filesystem->f_bavail * filesystem->f_frsize;
    }
    if (filesystem->f_ffree <= filesystem->f_files) {
        facts->inodes_total = filesystem->f_files;
        facts->inodes_used = filesystem->f_files - filesystem->f_ffree;
    }
}

void weir_filesystem_describe(const char *path, struct weir_filesystem_facts *facts)
{
    struct statvfs filesystem;
    char existing[PATH_MAX];
    struct weir_mount mount;
    struct stat found;
    bool is_found;

    memset(facts, 0, sizeof *facts);
    weir_call_begin("statfs", path);
    is_found =
        weir_path_find_existing(path, existing, &found) && statvfs(existing, &filesystem) == 0;
    weir_call_end();
    if (!is_found)
        return;
    facts->is_known = true;
    facts->device = (uint64_t)found.st_dev;
    facts->inode = (uint64_t)found.st_ino;
    weir_filesystem_count(&filesystem, facts);
    if (weir_mount_find("", existing, &mount))
        copy_cut(facts->type, sizeof facts->type, mount.type);
}

void weir_sight_take(const char *path, struct weir_sight *sight)
{
    struct stat found;

    *sight = (struct weir_sight){0};
    if (stat(path, &found) != 0)
        return;
    *sight = (struct weir_sight){
        .name = weir_text_hash(path, strlen(path)),
        .device = (uint64_t)(S_ISBLK(found.st_mode) ? found.st_rdev : found.st_dev),
        .inode = S_ISBLK(found.st_mode) ? 0 : (uint64_t)found.st_ino,
        .modified_s = found.st_mtime,
    };
}
