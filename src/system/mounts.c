/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/mountinfo. */
#include "mounts.h"

#include "weir/system/small_file.h"

#include "weir/base/call_watch.h"
#include "weir/base/text.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

bool weir_path_find_existing(const char *path, char existing[PATH_MAX], struct stat *found)
{
    if (snprintf(existing, PATH_MAX, "%s", path) >= PATH_MAX)
        return false;
    while (stat(existing, found) != 0)
        if (!weir_text_cut_name(existing))
            return false;
    return true;
}

/* ---- one line ---- */

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* Blanks, ends of lines and backslashes are written as a backslash and three octal digits. */
static void undo_escapes(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; to++) {
        if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* The next field, which may be empty; *rest is NULL behind the last one. */
static const char *take_field(char **rest)
{
    const char *field = strsep(rest, " ");

    return field != NULL ? field : "";
}

void weir_mount_path(const char *field, char path[PATH_MAX])
{
    /* Half a path is another path. */
    if (snprintf(path, PATH_MAX, "%s", field) >= PATH_MAX)
        path[0] = '\0';
    undo_escapes(path);
}

/* id, parent, major:minor, root, mount point, options, optional fields, "-", type, source, options
 * of the file system. */
static bool read_mount(char *line, struct weir_mount *mount)
{
    unsigned major_number, minor_number;
    char *rest = line;

    line[strcspn(line, "\n")] = '\0';
    mount->id = strtoull(take_field(&rest), NULL, 10);
    take_field(&rest);
    if (sscanf(take_field(&rest), "%u:%u", &major_number, &minor_number) != 2)
        return false;
    mount->device = makedev(major_number, minor_number);
    weir_mount_path(take_field(&rest), mount->part);
    weir_mount_path(take_field(&rest), mount->point);
    snprintf(mount->options, sizeof mount->options, "%s", take_field(&rest));
    while (rest != NULL && strcmp(take_field(&rest), "-") != 0)
        ;
    snprintf(mount->type, sizeof mount->type, "%s", take_field(&rest));
    weir_mount_path(take_field(&rest), mount->source);
    snprintf(mount->super_options, sizeof mount->super_options, "%s", take_field(&rest));
    undo_escapes(mount->type);
    undo_escapes(mount->options);
    undo_escapes(mount->super_options);
    return mount->type[0] != '\0';
}

/* ---- the right line ---- */

/* Device numbers alone mislead: on btrfs, stat knows others than mountinfo. */
struct mount_key {
    uint64_t id;       /* 0: not told */
    dev_t device;      /* where there is no id */
    const char *point; /* NULL: by id or device */
};

static bool is_meant(const struct weir_mount *mount, const struct mount_key *key)
{
    if (key->point != NULL)
        return strcmp(mount->point, key->point) == 0;
    return key->id != 0 ? mount->id == key->id : mount->device == key->device;
}

static bool find_line(const char *root, const struct mount_key *key, struct weir_mount *mount)
{
    char path[WEIR_ROOTED_PATH_BYTES];
    struct weir_mount each;
    size_t capacity = 0;
    bool is_found = false;
    char *line = NULL;
    FILE *mounts;

    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    mounts = fopen(path, "re");
    if (mounts == NULL)
        return false;
    while ((!is_found || key->point != NULL) && getline(&line, &capacity, mounts) > 0)
        if (read_mount(line, &each) && is_meant(&each, key)) {
            *mount = each;
            is_found = true;
        }
    free(line);
    fclose(mounts);
    return is_found;
}

/* Describes a file system without a line in mountinfo, as "/" is in a chroot that is no mount
 * point: its device and type are known, its options and the part that is mounted are not. */
static bool describe_device(const char *root, const char *path, dev_t device,
                            struct weir_mount *mount)
{
    static const struct {
        int64_t magic;
        const char *type;
    } types[] = {{EXT4_SUPER_MAGIC, "ext4"},
                 {XFS_SUPER_MAGIC, "xfs"},
                 {BTRFS_SUPER_MAGIC, "btrfs"},
                 {F2FS_SUPER_MAGIC, "f2fs"}};
    char name[NAME_MAX + 1];
    struct statfs kind;
    bool is_found;

    if (!weir_link_name(name, sizeof name, "%s/sys/dev/block/%u:%u", root, major(device),
                        minor(device)))
        return false;
    weir_call_begin("statfs", path);
    is_found = statfs(path, &kind) == 0;
    weir_call_end();
    if (!is_found)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].magic == (int64_t)kind.f_type) {
            *mount = (struct weir_mount){.device = device, .part = "/", .point = "/"};
            snprintf(mount->options, sizeof mount->options, "%s",
                     kind.f_flags & ST_RDONLY ? "ro" : "rw");
            snprintf(mount->type, sizeof mount->type, "%s", types[i].type);
            snprintf(mount->source, sizeof mount->source, "/dev/%s", name);
            return true;
        }
    return false;
}

bool weir_mount_find(const char *root, const char *path, struct weir_mount *mount)
{
    struct mount_key key = {0};
    struct statx facts;
    bool is_found;

    weir_call_begin("stat", path);
    is_found = statx(AT_FDCWD, path, 0, STATX_MNT_ID, &facts) == 0;
    weir_call_end();
    if (!is_found)
        return false;
    if (facts.stx_mask & STATX_MNT_ID)
        key.id = facts.stx_mnt_id;
    key.device = makedev(facts.stx_dev_major, facts.stx_dev_minor);
    return find_line(root, &key, mount) || describe_device(root, path, key.device, mount);
}

bool weir_mount_find_at(const char *root, const char *point, struct weir_mount *mount)
{
    return find_line(root, &(const struct mount_key){.point = point}, mount);
}
