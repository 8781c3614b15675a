/* SPDX-License-Identifier: Apache-2.0 */
/* Files on GPFS (IBM Storage Scale): hints through gpfs_fcntl(). Written from the documentation of
 * that call; tried with a stand-in for it only. */
#include "striping.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <gpfs_fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { GPFS_MAGIC = 0x47504653 };

/* One argument of gpfs_fcntl(): a header, and hints right behind one another. */
struct hints {
    _Alignas(8) unsigned char bytes[256];
    size_t length;
};

static void begin(struct hints *hints)
{
    hints->length = sizeof(gpfsFcntlHeader_t);
}

static void add(struct hints *hints, const void *hint, size_t length)
{
    assert(hints->length + length <= sizeof hints->bytes);
    memcpy(hints->bytes + hints->length, hint, length);
    hints->length += length;
}

static int give(struct hints *hints, int fd)
{
    gpfsFcntlHeader_t header = {.totalLength = (int)hints->length,
                                .fcntlVersion = GPFS_FCNTL_CURRENT_VERSION};

    if (hints->length == sizeof header)
        return 0;
    memcpy(hints->bytes, &header, sizeof header);
    return gpfs_fcntl(fd, hints->bytes) == 0 ? 0 : -errno;
}

static bool gpfs_is_asked(const struct weir_striping_options *options)
{
    const struct weir_gpfs_options *gpfs = &options->gpfs;

    return gpfs->must_hint_access || gpfs->must_release_token || gpfs->is_fine_grain_write ||
           gpfs->is_fine_grain_read || gpfs->is_create_sharing;
}

/* ---- the directory ---- */

/* The hint is about the directory and its new files; the directory stays open as long as the file
 * does, for hints end with their descriptor. */
static int share_directory(struct weir_striped *file, const char *path)
{
    const gpfsCreateSharing_t sharing = {
        .structLen = sizeof sharing, .structType = GPFS_CREATE_SHARING, .enable = 1};
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    struct hints hints;

    if (snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash + 1 - path) : 1,
                 slash ? path : ".") >= (int)sizeof directory)
        return -ENAMETOOLONG;
    file->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->directory < 0)
        return -errno;
    begin(&hints);
    add(&hints, &sharing, sizeof sharing);
    return give(&hints, file->directory);
}

static int gpfs_create(struct weir_striped *file, const char *path, int flags, mode_t mode)
{
    int rc = file->options->gpfs.is_create_sharing ? share_directory(file, path) : 0;

    if (rc < 0)
        return rc;
    rc = open(path, flags | O_CREAT | O_EXCL, mode);
    return rc < 0 ? -errno : rc;
}

/* ---- the file ---- */

static void add_release(struct hints *hints)
{
    const gpfsCancelHints_t cancel = {.structLen = sizeof cancel, .structType = GPFS_CANCEL_HINTS};
    /* No length: to the end of the file. */
    const gpfsFreeRange_t all = {.structLen = sizeof all, .structType = GPFS_FREE_RANGE};

    add(hints, &cancel, sizeof cancel);
    add(hints, &all, sizeof all);
}

static void add_sharing(struct hints *hints, const struct weir_striped *file)
{
    const gpfsFineGrainWriteSharing_t writes = {.structLen = sizeof writes,
                                                .structType = GPFS_FINE_GRAIN_WRITE_SHARING,
                                                .fineGrainWriteSharing = 1,
                                                .taskId = -1,
                                                .totalTasks = -1,
                                                .recordSize = -1};
    const gpfsFineGrainReadSharing_t reads = {.structLen = sizeof reads,
                                              .structType = GPFS_FINE_GRAIN_READ_SHARING,
                                              .fineGrainReadSharing = 1};

    if (file->options->gpfs.is_fine_grain_write && file->can_write)
        add(hints, &writes, sizeof writes);
    if (file->options->gpfs.is_fine_grain_read && file->can_read)
        add(hints, &reads, sizeof reads);
}

static void add_range(struct hints *hints, const struct weir_striped *file)
{
    const gpfsAccessRange_t range = {
        .structLen = sizeof range,
        .structType = GPFS_ACCESS_RANGE,
        .start = (long long)file->declared_from,
        .length = (long long)(file->declared_to - file->declared_from),
        .isWrite = file->can_write ? 1 : 0,
    };

    add(hints, &range, sizeof range);
}

/* The block that the transfer lies in; the transfer itself, where no block is known. */
static void find_range(struct weir_striped *file, uint64_t offset, uint64_t size)
{
    const struct weir_file_part *part = &file->part;
    uint64_t number = 0, begins;

    file->declared_from = offset;
    file->declared_to = offset + size;
    if (part->block_count == 0 || offset < part->first_byte)
        return;
    if (part->stride_bytes > 0)
        number = (offset - part->first_byte) / part->stride_bytes;
    begins = part->first_byte + number * part->stride_bytes;
    if (number >= part->block_count || offset + size > begins + part->block_bytes)
        return;
    file->declared_from = begins;
    file->declared_to = begins + part->block_bytes;
}

static int gpfs_opened(struct weir_striped *file, int fd)
{
    const struct weir_gpfs_options *gpfs = &file->options->gpfs;
    struct hints hints;

    begin(&hints);
    if (gpfs->must_release_token)
        add_release(&hints);
    add_sharing(&hints, file);
    if (gpfs->must_hint_access && file->part.block_count > 0) {
        find_range(file, file->part.first_byte, file->part.block_bytes);
        add_range(&hints, file);
    }
    return give(&hints, fd);
}

static int gpfs_before(struct weir_striped *file, int fd, uint64_t offset, uint64_t size)
{
    struct hints hints;
    int rc;

    if (!file->options->gpfs.must_hint_access)
        return 0;
    if (offset >= file->declared_from && offset + size <= file->declared_to)
        return 0;
    find_range(file, offset, size);
    begin(&hints);
    add_range(&hints, file);
    rc = give(&hints, fd);
    if (rc < 0)
        file->declared_to = file->declared_from;
    return rc;
}

extern const struct weir_striping weir_striping_gpfs;

const struct weir_striping weir_striping_gpfs = {
    .label = "GPFS",
    .options = "--posix.gpfs.*",
    .magic = GPFS_MAGIC,
    .is_asked = gpfs_is_asked,
    .create = gpfs_create,
    .opened = gpfs_opened,
    .before = gpfs_before,
};
