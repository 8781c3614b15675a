/* SPDX-License-Identifier: Apache-2.0 */
/* Files on BeeGFS: targets and chunk size through its striping API. Written from the documentation
 * of that API; tried with a stand-in for it only. */
#include "striping.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <beegfs/beegfs.h>

enum { BEEGFS_MAGIC = 0x19830326, CHUNK_MIN = 65536 };

/* The spelling that the striping API, the directory and these options share. */
enum { API_DEFAULT = 0, OUR_DEFAULT = -1 };

/* False if it is not a size. */
static bool read_chunk_bytes(const struct weir_beegfs_options *beegfs, uint64_t *bytes)
{
    *bytes = API_DEFAULT;
    return !beegfs->chunk_size || strcmp(beegfs->chunk_size, "-1") == 0 ||
           (weir_size_parse(beegfs->chunk_size, bytes) == 0 && *bytes >= CHUNK_MIN &&
            *bytes <= UINT_MAX && (*bytes & (*bytes - 1)) == 0);
}

static bool beegfs_is_asked(const struct weir_striping_options *options)
{
    const struct weir_beegfs_options *beegfs = &options->beegfs;

    return beegfs->target_count != OUR_DEFAULT ||
           (beegfs->chunk_size && strcmp(beegfs->chunk_size, "-1") != 0);
}

static int beegfs_check(const struct weir_striping_options *options, const char *place,
                        struct weir_error *error)
{
    const struct weir_beegfs_options *beegfs = &options->beegfs;
    uint64_t bytes;

    if (!read_chunk_bytes(beegfs, &bytes))
        return weir_error_usage(error, place,
                                "--posix.beegfs.ChunkSize: \"%s\" is not a power of two from 64k "
                                "to 2g: give 64k, 512k, 1m or the like, or -1 for what the "
                                "directory says",
                                beegfs->chunk_size);
    if (beegfs->target_count != OUR_DEFAULT &&
        (beegfs->target_count < 1 || beegfs->target_count > INT_MAX))
        return weir_error_usage(error, place,
                                "--posix.beegfs.NumTargets: %lld is not a count of storage "
                                "targets: give 1 or more, or -1 for what the directory says",
                                (long long)beegfs->target_count);
    return 0;
}

/* Opens the directory of `path`; *name is where the file name begins in it. */
static int open_directory(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    int fd;

    *name = slash ? slash + 1 : path;
    if (snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash + 1 - path) : 1,
                 slash ? path : ".") >= (int)sizeof directory)
        return -ENAMETOOLONG;
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int beegfs_create(struct weir_striped *file, const char *path, int flags, mode_t mode)
{
    const struct weir_beegfs_options *beegfs = &file->options->beegfs;
    int64_t target_count = beegfs->target_count == OUR_DEFAULT ? API_DEFAULT : beegfs->target_count;
    const char *name;
    uint64_t chunk_bytes;
    int directory, rc;

    read_chunk_bytes(beegfs, &chunk_bytes);
    directory = open_directory(path, &name);
    if (directory < 0)
        return directory;
    rc = beegfs_createFile(directory, name, mode, (unsigned)target_count, (unsigned)chunk_bytes)
             ? 0
             : -errno;
    close(directory);
    if (rc < 0)
        return rc;
    rc = open(path, flags);
    return rc < 0 ? -errno : rc;
}

extern const struct weir_striping weir_striping_beegfs;

const struct weir_striping weir_striping_beegfs = {
    .label = "BeeGFS",
    .options = "--posix.beegfs.*",
    .magic = BEEGFS_MAGIC,
    .is_asked = beegfs_is_asked,
    .check = beegfs_check,
    .create = beegfs_create,
};
