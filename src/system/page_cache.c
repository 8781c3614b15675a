/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel which pages of a file it caches, without touching them, and makes it drop
 * them. */
#include "weir/system/page_cache.h"

#include "mounts.h"
#include "weir/system/small_file.h"

#include "weir/base/call_watch.h"
#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Headers before those of Linux 6.5 do not know it; all machines but Alpha have the same number. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
/* So much of a file is mapped at a time. */
#define PIECE_BYTES (UINT64_C(64) << 20)
#define DROP_CACHES "/proc/sys/vm/drop_caches"

struct weir_residency_probe {
    int fd;
    int stat_fd; /* that cachestat is asked about: fd, or the upper file of an overlay */
    uint64_t file_bytes;
    uint64_t page_bytes;
    const char *path;     /* of the caller, until the probe is closed */
    unsigned char *pages; /* mincore: a byte for each page of a piece; NULL: cachestat */
};

/* ---- cachestat ---- */

/* As in linux/mman.h of 6.5 and later, by names of our own: older headers have neither. */
struct cache_range {
    uint64_t offset;
    uint64_t bytes; /* 0: up to the end */
};
struct cache_counts {
    uint64_t cached; /* pages, and so on */
    uint64_t dirty;
    uint64_t writeback;
    uint64_t evicted;
    uint64_t recently_evicted;
};

/* Pages of a range. */
struct page_counts {
    uint64_t cached;
    uint64_t dirty;
};

/* A page that is dirtied again while it is written back counts as both. */
static int count_by_cachestat(const struct weir_residency_probe *probe, uint64_t offset,
                              uint64_t bytes, struct page_counts *pages)
{
    struct cache_range range = {.offset = offset, .bytes = bytes};
    struct cache_counts counts = {0};

    if (syscall(SYS_cachestat, probe->stat_fd, &range, &counts, 0) != 0)
        return -errno;
    pages->cached = counts.cached;
    pages->dirty = counts.dirty + counts.writeback;
    if (pages->dirty > counts.cached)
        pages->dirty = counts.cached;
    return 0;
}

/* ---- mincore ---- */

/* The kernel's own rule: the owner of the file, who may act as one, or who may write it. Only the
 * first two may ask to leave the time of the last access alone. */
static bool may_trust_mincore(int fd, const char *path)
{
    return fcntl(fd, F_SETFL, O_NONBLOCK | O_NOATIME) == 0 ||
           faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

static int count_piece(const struct weir_residency_probe *probe, uint64_t offset, uint64_t bytes,
                       struct page_counts *pages)
{
    /* Nothing is read through it, so no access is needed. */
    void *piece = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, probe->fd, (off_t)offset);
    int code = 0;

    if (piece == MAP_FAILED)
        return -errno;
    if (mincore(piece, bytes, probe->pages) != 0)
        code = -errno;
    munmap(piece, bytes);
    for (uint64_t page = 0; code == 0 && page < bytes / probe->page_bytes; page++)
        pages->cached += probe->pages[page] & 1;
    return code;
}

static int count_by_mincore(const struct weir_residency_probe *probe, uint64_t offset,
                            uint64_t bytes, struct page_counts *pages)
{
    int code = 0;

    *pages = (struct page_counts){0};
    for (uint64_t done = 0; code == 0 && done < bytes; done += PIECE_BYTES)
        code = count_piece(probe, offset + done,
                           bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES, pages);
    return code;
}

/* ---- either of them ---- */

static int find_size(int fd, uint64_t *bytes)
{
    struct stat facts;
    off_t end;

    if (fstat(fd, &facts) != 0)
        return -errno;
    if (!S_ISREG(facts.st_mode) && !S_ISBLK(facts.st_mode))
        return -EINVAL;
    end = S_ISREG(facts.st_mode) ? facts.st_size : lseek(fd, 0, SEEK_END);
    if (end < 0)
        return -errno;
    *bytes = (uint64_t)end;
    return 0;
}

/* Finds the overlay that `path`, which becomes `resolved`, is on. False if its upper directory is
 * relative to where mount(8) ran. */
static bool find_upper(const char *path, char resolved[PATH_MAX], struct weir_mount *mount,
                       char directory[PATH_MAX])
{
    return realpath(path, resolved) != NULL && weir_mount_find("", resolved, mount) &&
           weir_small_list_value(mount->super_options, "upperdir", directory, PATH_MAX) &&
           directory[0] == '/';
}

/* The inode of an overlay has no pages: they belong to the file in the upper directory, or in a
 * lower one, which has the same size. Returns -1 if that file cannot be opened here: the option may
 * name a directory outside of the container. */
static int open_upper(const struct weir_residency_probe *probe)
{
    char resolved[PATH_MAX], upper[3 * PATH_MAX], directory[PATH_MAX];
    struct weir_mount mount;
    struct statfs system;
    struct stat facts;
    size_t length;
    int fd;

    if (!find_upper(probe->path, resolved, &mount, directory))
        return -1;
    length = strcmp(mount.point, "/") == 0 ? 0 : strlen(mount.point);
    if (strncmp(resolved, mount.point, length) != 0)
        return -1;
    snprintf(upper, sizeof upper, "%s%s%s", directory,
             strcmp(mount.part, "/") == 0 ? "" : mount.part, resolved + length);
    fd = open(upper, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    /* Pages in memory are never dirty. */
    if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
        (uint64_t)facts.st_size == probe->file_bytes && fstatfs(fd, &system) == 0 &&
        (unsigned long)system.f_type != TMPFS_MAGIC)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* A kernel before 6.5, a container's filter of system calls and huge pages all refuse cachestat,
 * and newer kernels refuse it to processes that mincore would give no true answer. */
static int choose_source(struct weir_residency_probe *probe, const char *path)
{
    struct page_counts pages;
    struct statfs facts;

    probe->stat_fd = probe->fd;
    if (fstatfs(probe->fd, &facts) == 0 && facts.f_type == OVERLAYFS_SUPER_MAGIC)
        probe->stat_fd = open_upper(probe);
    if (probe->stat_fd >= 0 && count_by_cachestat(probe, 0, 1, &pages) == 0)
        return 0;
    if (!may_trust_mincore(probe->fd, path))
        return -EPERM;
    probe->pages = malloc(PIECE_BYTES / probe->page_bytes);
    return probe->pages == NULL ? -ENOMEM : 0;
}

int weir_residency_open(const char *path, struct weir_residency_probe **probe)
{
    struct weir_residency_probe *made = calloc(1, sizeof *made);
    int code;

    if (made == NULL)
        return -ENOMEM;
    made->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    /* A pipe would wait for its writer. */
    made->path = path;
    weir_call_begin("open", path);
    made->stat_fd = -1;
    made->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    code = made->fd < 0 ? -errno : find_size(made->fd, &made->file_bytes);
    if (code == 0)
        code = choose_source(made, path);
    weir_call_end();
    if (code != 0)
        weir_residency_close(made);
    else
        *probe = made;
    return code;
}

void weir_residency_close(struct weir_residency_probe *probe)
{
    if (probe == NULL)
        return;
    weir_call_begin("close", probe->path);
    if (probe->stat_fd >= 0 && probe->stat_fd != probe->fd)
        close(probe->stat_fd);
    if (probe->fd >= 0)
        close(probe->fd);
    weir_call_end();
    free(probe->pages);
    free(probe);
}

const char *weir_residency_source(const struct weir_residency_probe *probe)
{
    return probe->pages == NULL ? "cachestat" : "mincore";
}

bool weir_residency_knows_dirty(const struct weir_residency_probe *probe)
{
    return probe->pages == NULL;
}

bool weir_residency_finds_pages(const char *path)
{
    char resolved[PATH_MAX], directory[PATH_MAX];
    struct weir_mount mount;
    struct statfs facts;

    if (statfs(path, &facts) != 0)
        return false;
    if (facts.f_type != OVERLAYFS_SUPER_MAGIC)
        return true;
    return find_upper(path, resolved, &mount, directory) && statfs(directory, &facts) == 0 &&
           (unsigned long)facts.f_type != TMPFS_MAGIC;
}

int weir_residency_add(struct weir_residency_probe *probe, struct weir_extent extent,
                       struct weir_residency *sum)
{
    uint64_t page = probe->page_bytes;
    struct page_counts pages = {0};
    uint64_t first, end;
    int code;

    if (extent.bytes == 0 || extent.offset >= probe->file_bytes)
        return 0;
    if (extent.bytes > probe->file_bytes - extent.offset)
        extent.bytes = probe->file_bytes - extent.offset;
    first = extent.offset / page * page;
    end = (extent.offset + extent.bytes + page - 1) / page * page;
    weir_call_begin(weir_residency_source(probe), probe->path);
    code = (probe->pages == NULL ? count_by_cachestat : count_by_mincore)(probe, first, end - first,
                                                                          &pages);
    weir_call_end();
    if (code != 0)
        return code;
    sum->asked_bytes += end - first;
    sum->resident_bytes += pages.cached * page;
    sum->dirty_bytes += pages.dirty * page;
    return 0;
}

/* ---- what is under a file ---- */

#define EXTENTS_AT_ONCE 64

static void count_extent(const struct fiemap_extent *extent, uint64_t bytes,
                         struct weir_extent_map *sum)
{
    sum->mapped_bytes += bytes;
    if (extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
        sum->unwritten_bytes += bytes;
    if (extent->fe_flags & FIEMAP_EXTENT_DATA_INLINE)
        sum->inline_bytes += bytes;
    if (extent->fe_flags & FIEMAP_EXTENT_ENCODED)
        sum->encoded_bytes += bytes;
    if (extent->fe_flags & FIEMAP_EXTENT_SHARED)
        sum->shared_bytes += bytes;
}

/* Reads that pass no block layer: of persistent memory that is mapped, data are copied from it. */
static bool is_copied_from_memory(int fd)
{
    struct statx facts;

    return statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &facts) == 0 &&
           (facts.stx_attributes & STATX_ATTR_DAX) != 0;
}

int weir_extent_map_add(const struct weir_residency_probe *probe, struct weir_extent extent,
                        struct weir_extent_map *sum)
{
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + EXTENTS_AT_ONCE * sizeof(struct fiemap_extent)];
    } request = {.map = {.fm_start = extent.offset, .fm_extent_count = EXTENTS_AT_ONCE}};
    uint64_t end;

    if (extent.offset >= probe->file_bytes)
        return 0;
    if (is_copied_from_memory(probe->fd))
        return -EOPNOTSUPP;
    if (extent.bytes > probe->file_bytes - extent.offset)
        extent.bytes = probe->file_bytes - extent.offset;
    request.map.fm_length = extent.bytes;
    end = extent.offset + extent.bytes;
    if (ioctl(probe->fd, FS_IOC_FIEMAP, &request.map) != 0)
        return -errno;
    for (unsigned i = 0; i < request.map.fm_mapped_extents; i++) {
        const struct fiemap_extent *found = &request.map.fm_extents[i];
        uint64_t first = found->fe_logical > extent.offset ? found->fe_logical : extent.offset;
        uint64_t last = found->fe_logical + found->fe_length;

        /* A full table: later extents are not known. */
        if (i + 1 == EXTENTS_AT_ONCE && last < end)
            end = last;
        last = last < end ? last : end;
        if (last > first)
            count_extent(found, last - first, sum);
    }
    sum->asked_bytes += end - extent.offset;
    return 0;
}

/* ---- emptying ---- */

/* A read-only file system cannot be synced, and has nothing to write back. */
static int write_back(int fd)
{
    if (fdatasync(fd) == 0 || errno == EROFS || errno == EINVAL)
        return 0;
    return -errno;
}

static int drop_pages_unwatched(const char *path, bool are_clean)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int code;

    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    /* The kernel drops clean pages only. */
    code = are_clean ? 0 : write_back(fd);
    if (code == 0)
        code = -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    return code;
}

static int drop_pages(const char *path, bool are_clean)
{
    int code;

    weir_call_begin(are_clean ? "fadvise" : "fdatasync and fadvise", path);
    code = drop_pages_unwatched(path, are_clean);
    weir_call_end();
    return code;
}

int weir_cache_drop_file(const char *path)
{
    return drop_pages(path, false);
}

int weir_cache_drop_clean_file(const char *path)
{
    return drop_pages(path, true);
}

static int open_switch(const char *root)
{
    char path[PATH_MAX];
    int fd;

    if (snprintf(path, sizeof path, "%s" DROP_CACHES, root) >= (int)sizeof path)
        return -ENAMETOOLONG;
    fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Mode bits do not decide it: in a user namespace root is not the root of the host, and
 * containers often see /proc/sys read-only. */
bool weir_cache_may_drop_node(const char *root)
{
    int fd = open_switch(root);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* The path, or its nearest parent that can be opened. */
static int open_nearest(const char *path)
{
    char nearest[PATH_MAX];
    int fd;

    if (strlen(path) >= sizeof nearest)
        return -ENAMETOOLONG;
    memcpy(nearest, path, strlen(path) + 1);
    do
        fd = open(nearest, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && weir_text_cut_name(nearest));
    return fd < 0 ? -errno : fd;
}

/* syncfs of a device means the file system that its name is in, so it is written back itself. */
int weir_cache_write_back(const char *path)
{
    int fd = open_nearest(path);
    int code;

    if (fd < 0)
        return fd;
    code = write_back(fd);
    if (code == 0 && syncfs(fd) != 0)
        code = -errno;
    close(fd);
    return code;
}

int weir_cache_drop_node(const char *root, const char *path, bool with_names)
{
    int code = weir_cache_write_back(path);
    int fd = code == 0 ? open_switch(root) : code;

    if (fd < 0)
        return fd;
    /* 1 is the page cache, and 2 are names and inodes. Blocks that the journal of an ext4 still
     * holds, tables of inodes among them, are let go by 2 alone, and dropped by what follows. */
    for (int i = with_names ? 2 : 1; i > 0 && code == 0; i--)
        code = pwrite(fd, with_names ? "3" : "1", 1, 0) == 1 ? 0 : -errno;
    close(fd);
    return code;
}
