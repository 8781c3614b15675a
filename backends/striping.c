/* SPDX-License-Identifier: Apache-2.0 */
/* Which file system is told about files, whether a path is on it, and how a file is made there. */
#include "striping.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int weir_striping_choose(const struct weir_striping_options *options, const char *place,
                         const struct weir_striping **chosen, struct weir_error *error)
{
    const struct weir_striping *asked = NULL;
    int rc;

    for (const struct weir_striping *const *each = weir_stripings; *each; each++) {
        if (!(*each)->is_asked(options))
            continue;
        if (asked)
            return weir_error_usage(error, place,
                                    "%s and %s are for two file systems, and a file is on one: "
                                    "leave one of them out",
                                    asked->options, (*each)->options);
        asked = *each;
    }
    rc = asked && asked->check ? asked->check(options, place, error) : 0;
    if (rc == 0)
        *chosen = asked;
    return rc;
}

/* Of the path, or of the nearest directory above it that exists. */
static int find_type(const char *path, uint32_t *type)
{
    char place[PATH_MAX];
    struct statfs facts;

    if (snprintf(place, sizeof place, "%s", *path ? path : ".") >= (int)sizeof place)
        return -ENAMETOOLONG;
    while (statfs(place, &facts) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return -errno;
        if (!weir_text_cut_name(place))
            return -ENOENT;
    }
    *type = (uint32_t)facts.f_type;
    return 0;
}

int weir_striping_check_path(const struct weir_striping *striping, const char *path,
                             const char *place, struct weir_error *error)
{
    uint32_t type = 0;

    /* What cannot be looked at, opening it will tell. */
    if (find_type(path, &type) != 0 || type == striping->magic)
        return 0;
    return weir_error_usage(error, place,
                            "%s is not on %s (its file system is of type 0x%08x, not 0x%08x): "
                            "leave %s out, or choose a path on %s with " WEIR_REMEDY_PATH,
                            path, striping->label, type, striping->magic, striping->options,
                            striping->label);
}

/* The file systems' own calls may fail with the file already made. */
static void take_away(const char *path)
{
    struct stat facts;

    if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0)
        unlink(path);
}

int weir_striping_make(const struct weir_striping *striping, struct weir_striped *file,
                       const char *path, int flags, mode_t mode)
{
    struct stat facts;
    int fd, rc;

    if (lstat(path, &facts) == 0)
        return -EEXIST;
    if (errno != ENOENT)
        return -errno;
    fd = striping->create(file, path, flags, mode);
    if (fd == -EEXIST)
        return fd;
    rc = fd < 0 ? fd : 0;
    if (rc == 0 && striping->opened)
        rc = striping->opened(file, fd);
    if (rc == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    take_away(path);
    return rc;
}

void weir_striped_end(struct weir_striped *file)
{
    if (file->directory >= 0)
        close(file->directory);
    file->directory = -1;
}
