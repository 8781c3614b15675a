/* SPDX-License-Identifier: Apache-2.0 */
/* A FUSE file system over a directory: weir-caching-fuse cache|through DIRECTORY MOUNT-POINT
 * [OPTION...]. With `cache` the daemon keeps the data in its memory and the directory has the names
 * and sizes alone, as a client with a cache of its own does that never writes back. With `through`
 * each read and write reaches the disk below the directory. */
#define FUSE_USE_VERSION 31
#include <fuse.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FILES_MAX 64

struct cached_file {
    ino_t inode;
    char *data;
    size_t bytes;
};

static int directory_fd;
static bool has_cache;
static struct cached_file files[FILES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *below(const char *path)
{
    return path[1] == '\0' ? "." : path + 1;
}

static int result(int rc)
{
    return rc < 0 ? -errno : 0;
}

/* Finds the file of a descriptor; a file that is new, or whose number was used before, is empty. */
static struct cached_file *find_file(int fd)
{
    struct cached_file *empty = NULL;
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return NULL;
    for (size_t i = 0; i < FILES_MAX; i++) {
        if (files[i].inode == facts.st_ino)
            return &files[i];
        if (files[i].inode == 0 && empty == NULL)
            empty = &files[i];
    }
    if (empty != NULL)
        empty->inode = facts.st_ino;
    return empty;
}

static void forget(int fd)
{
    struct stat facts;

    if (fd < 0 || fstat(fd, &facts) != 0)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < FILES_MAX; i++)
        if (files[i].inode == facts.st_ino) {
            free(files[i].data);
            files[i] = (struct cached_file){0};
        }
    pthread_mutex_unlock(&lock);
}

static int do_getattr(const char *path, struct stat *facts, struct fuse_file_info *info)
{
    (void)info;
    return result(fstatat(directory_fd, below(path), facts, AT_SYMLINK_NOFOLLOW));
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                      struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
    int fd = openat(directory_fd, below(path), O_RDONLY | O_DIRECTORY);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    (void)offset;
    (void)info;
    (void)flags;
    if (list == NULL)
        return -errno;
    while ((entry = readdir(list)) != NULL)
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(list);
    return 0;
}

static int do_open(const char *path, struct fuse_file_info *info)
{
    int fd = openat(directory_fd, below(path),
                    (info->flags & ~(O_APPEND | O_DIRECT | O_ACCMODE)) | O_RDWR);

    info->fh = (uint64_t)fd;
    info->direct_io = (info->flags & O_DIRECT) != 0;
    return result(fd);
}

static int do_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    int fd = openat(directory_fd, below(path),
                    (info->flags & ~(O_APPEND | O_DIRECT | O_ACCMODE)) | O_RDWR | O_CREAT, mode);

    info->fh = (uint64_t)fd;
    info->direct_io = (info->flags & O_DIRECT) != 0;
    return result(fd);
}

static int do_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    close((int)info->fh);
    return 0;
}

static int do_read(const char *path, char *buffer, size_t bytes, off_t offset,
                   struct fuse_file_info *info)
{
    int fd = (int)info->fh;
    ssize_t count = pread(fd, buffer, bytes, offset);

    (void)path;
    if (count < 0)
        return -errno;
    if (!has_cache) {
        posix_fadvise(fd, offset, (off_t)bytes, POSIX_FADV_DONTNEED);
        return (int)count;
    }
    pthread_mutex_lock(&lock);
    const struct cached_file *file = find_file(fd);
    if (file != NULL && (size_t)offset < file->bytes) {
        size_t there = file->bytes - (size_t)offset;

        memcpy(buffer, file->data + offset, there < (size_t)count ? there : (size_t)count);
    }
    pthread_mutex_unlock(&lock);
    return (int)count;
}

static int do_write(const char *path, const char *buffer, size_t bytes, off_t offset,
                    struct fuse_file_info *info)
{
    int fd = (int)info->fh;
    const size_t end = (size_t)offset + bytes;
    struct cached_file *file;
    struct stat facts;
    int rc = (int)bytes;

    (void)path;
    if (!has_cache) {
        if (pwrite(fd, buffer, bytes, offset) < 0 || fdatasync(fd) != 0)
            return -errno;
        posix_fadvise(fd, offset, (off_t)bytes, POSIX_FADV_DONTNEED);
        return (int)bytes;
    }
    pthread_mutex_lock(&lock);
    file = find_file(fd);
    if (file == NULL || fstat(fd, &facts) != 0) {
        rc = -ENOSPC;
    } else if (end > file->bytes) {
        char *grown = realloc(file->data, end);

        if (grown == NULL) {
            rc = -ENOSPC;
        } else {
            memset(grown + file->bytes, 0, end - file->bytes);
            file->data = grown;
            file->bytes = end;
        }
    }
    if (rc > 0) {
        memcpy(file->data + offset, buffer, bytes);
        if ((off_t)end > facts.st_size && ftruncate(fd, (off_t)end) != 0)
            rc = -errno;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

static int do_truncate(const char *path, off_t bytes, struct fuse_file_info *info)
{
    int fd = openat(directory_fd, below(path), O_RDWR);
    int rc = result(fd < 0 ? -1 : ftruncate(fd, bytes));

    (void)info;
    if (bytes == 0)
        forget(fd);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int do_unlink(const char *path)
{
    int fd = openat(directory_fd, below(path), O_RDONLY);

    forget(fd);
    if (fd >= 0)
        close(fd);
    return result(unlinkat(directory_fd, below(path), 0));
}

static int do_mkdir(const char *path, mode_t mode)
{
    return result(mkdirat(directory_fd, below(path), mode));
}

static int do_rmdir(const char *path)
{
    return result(unlinkat(directory_fd, below(path), AT_REMOVEDIR));
}

static int do_rename(const char *from, const char *to, unsigned flags)
{
    return result(renameat2(directory_fd, below(from), directory_fd, below(to), flags));
}

static int do_fsync(const char *path, int is_data, struct fuse_file_info *info)
{
    (void)path;
    (void)is_data;
    return has_cache ? 0 : result(fsync((int)info->fh));
}

static int do_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    (void)info;
    return result(fchmodat(directory_fd, below(path), mode, 0));
}

static int do_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
    (void)info;
    return result(utimensat(directory_fd, below(path), times, AT_SYMLINK_NOFOLLOW));
}

static int do_statfs(const char *path, struct statvfs *facts)
{
    (void)path;
    return result(fstatvfs(directory_fd, facts));
}

int main(int argc, char **argv)
{
    static const struct fuse_operations operations = {
        .getattr = do_getattr,
        .readdir = do_readdir,
        .open = do_open,
        .create = do_create,
        .release = do_release,
        .read = do_read,
        .write = do_write,
        .truncate = do_truncate,
        .unlink = do_unlink,
        .mkdir = do_mkdir,
        .rmdir = do_rmdir,
        .rename = do_rename,
        .fsync = do_fsync,
        .chmod = do_chmod,
        .utimens = do_utimens,
        .statfs = do_statfs,
    };

    if (argc < 4 || (strcmp(argv[1], "cache") != 0 && strcmp(argv[1], "through") != 0)) {
        fprintf(stderr,
                "usage: weir-caching-fuse cache|through DIRECTORY MOUNT-POINT [OPTION...]\n");
        return 2;
    }
    has_cache = strcmp(argv[1], "cache") == 0;
    directory_fd = open(argv[2], O_RDONLY | O_DIRECTORY);
    if (directory_fd < 0) {
        perror(argv[2]);
        return 1;
    }
    argv[2] = argv[0];
    return fuse_main(argc - 2, argv + 2, &operations, NULL);
}
