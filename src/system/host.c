/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel what this host is and what stands behind a path. */
#include "weir/system/host.h"

#include "weir/base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
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

/* Which line of mountinfo is meant. Device numbers alone mislead: on btrfs, stat knows others than
 * mountinfo. */
struct mount_key {
    uint64_t id; /* 0: the kernel does not tell */
    dev_t device;
};

static bool find_mount(const char *path, struct mount_key *key)
{
    struct statx facts;

    if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &facts) != 0)
        return false;
    *key = (struct mount_key){
        .id = facts.stx_mask & STATX_MNT_ID ? facts.stx_mnt_id : 0,
        .device = makedev(facts.stx_dev_major, facts.stx_dev_minor),
    };
    return true;
}

/* A line of mountinfo: id, parent, major:minor, root, mount point, options, optional fields, "-",
 * type, source ... */
static bool read_type(const char *line, const struct mount_key *key, char *type, size_t type_bytes)
{
    const char *separator = strstr(line, " - ");
    unsigned long id;
    unsigned major_number;
    unsigned minor_number;

    if (!separator || sscanf(line, "%lu %*d %u:%u", &id, &major_number, &minor_number) != 3)
        return false;
    if (key->id ? id != key->id : makedev(major_number, minor_number) != key->device)
        return false;
    separator += strlen(" - ");
    snprintf(type, type_bytes, "%.*s", (int)strcspn(separator, " "), separator);
    return true;
}

static void find_type(const char *path, char *type, size_t type_bytes)
{
    struct mount_key key;
    FILE *mounts;
    char *line = NULL;
    size_t capacity = 0;

    if (!find_mount(path, &key))
        return;
    mounts = fopen("/proc/self/mountinfo", "re");
    if (!mounts)
        return;
    while (getline(&line, &capacity, mounts) > 0)
        if (read_type(line, &key, type, type_bytes))
            break;
    free(line);
    fclose(mounts);
}

void weir_filesystem_describe(const char *path, struct weir_filesystem_facts *facts)
{
    char existing[PATH_MAX];
    struct statvfs filesystem;
    struct stat found;

    memset(facts, 0, sizeof *facts);
    copy_cut(existing, sizeof existing, path);
    while (stat(existing, &found) != 0)
        if (!weir_text_cut_name(existing))
            return;
    if (statvfs(existing, &filesystem) != 0)
        return;
    facts->is_known = true;
    facts->bytes_total = (uint64_t)filesystem.f_blocks * filesystem.f_frsize;
    facts->bytes_used = (uint64_t)(filesystem.f_blocks - filesystem.f_bfree) * filesystem.f_frsize;
    facts->inodes_total = filesystem.f_files;
    facts->inodes_used = filesystem.f_files - filesystem.f_ffree;
    find_type(existing, facts->type, sizeof facts->type);
}
