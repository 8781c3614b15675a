/* SPDX-License-Identifier: Apache-2.0 */
/* Names as paths of the kernel: one system call an operation, but for the stat of files that data
 * are moved to. */
#include "posix_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Newer than the headers of the C library; one number on all architectures but Alpha. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static int answer(int rc)
{
    return rc == 0 ? 0 : -errno;
}

/* ---- facts ---- */

enum weir_name_kind weir_posix_kind(mode_t mode)
{
    if (S_ISREG(mode))
        return WEIR_NAME_FILE;
    if (S_ISDIR(mode))
        return WEIR_NAME_DIRECTORY;
    return S_ISBLK(mode) || S_ISCHR(mode) ? WEIR_NAME_DEVICE : WEIR_NAME_OTHER;
}

/* `name` is from lstat(2), `found` from stat(2), which follows links. */
static enum weir_name_kind kind_of_name(const struct stat *name, const struct stat *found)
{
    enum weir_name_kind kind = weir_posix_kind(found->st_mode);

    return S_ISLNK(name->st_mode) && kind != WEIR_NAME_DEVICE ? WEIR_NAME_LINK : kind;
}

/* 0 of a device that may not be opened, or has no medium. */
static uint64_t find_size(const char *path, const struct stat *found)
{
    int fd = S_ISBLK(found->st_mode) ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    int64_t bytes = fd < 0 ? found->st_size : weir_posix_device_bytes(fd);

    if (fd >= 0)
        close(fd);
    return bytes < 0 ? 0 : (uint64_t)bytes;
}

/* Servers that do not trust a client's root, or any of its users, show all of them as one. */
static bool is_of_others(const struct stat *name)
{
    const uid_t untrusted = 65534;

    return name->st_uid != geteuid() && name->st_uid != untrusted;
}

int weir_posix_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    struct stat name, found;
    struct statx fresh;

    (void)session;
    if (lstat(path, &name) != 0)
        return -errno;
    /* The size is to be the server's, not one of before other nodes wrote. */
    (void)statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_SIZE, &fresh);
    if (stat(path, &found) != 0)
        found = (struct stat){0};
    *facts = (struct weir_name_facts){
        .kind = kind_of_name(&name, &found),
        .bytes = find_size(path, &found),
        .id = weir_posix_id(&name),
        .link_count = name.st_nlink,
        .modified_s = name.st_mtime,
        .is_others = is_of_others(&name),
    };
    return 0;
}

/* `flags` of fstatat(2): AT_SYMLINK_NOFOLLOW: of the name alone. */
static int look_at(int directory, const char *path, int flags, struct weir_name_facts *facts)
{
    struct stat name;

    if (fstatat(directory, path, &name, flags) != 0)
        return -errno;
    *facts = (struct weir_name_facts){
        .kind = S_ISLNK(name.st_mode) ? WEIR_NAME_LINK : weir_posix_kind(name.st_mode),
        .bytes = S_ISLNK(name.st_mode) ? 0 : (uint64_t)name.st_size,
        .id = weir_posix_id(&name),
        .link_count = name.st_nlink,
        .modified_s = name.st_mtime,
    };
    return 0;
}

int weir_posix_stat_item(struct weir_session *session, const char *path,
                         struct weir_name_facts *facts)
{
    (void)session;
    return look_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, facts);
}

int weir_posix_stat_target(struct weir_session *session, const char *path,
                           struct weir_name_facts *facts)
{
    (void)session;
    return look_at(AT_FDCWD, path, 0, facts);
}

/* ---- one name, or two ---- */

static bool is_link(const char *path)
{
    struct stat name;

    return lstat(path, &name) == 0 && S_ISLNK(name.st_mode);
}

int weir_posix_unlink(struct weir_session *session, const char *path)
{
    (void)session;
    return answer(unlink(path));
}

int weir_posix_mkdir(struct weir_session *session, const char *path)
{
    return answer(mkdir(path, weir_posix_directory_mode(session)));
}

int weir_posix_rmdir(struct weir_session *session, const char *path)
{
    (void)session;
    return answer(rmdir(path));
}

int weir_posix_rename(struct weir_session *session, const char *path, const char *new_path)
{
    (void)session;
    return answer(rename(path, new_path));
}

int weir_posix_mknod(struct weir_session *session, const char *path)
{
    (void)session;
    return answer(mknod(path, S_IFREG | WEIR_POSIX_FILE_MODE, 0));
}

int weir_posix_link(struct weir_session *session, const char *path, const char *new_path)
{
    (void)session;
    return answer(link(path, new_path));
}

int weir_posix_symlink(struct weir_session *session, const char *path, const char *new_path)
{
    (void)session;
    return answer(symlink(path, new_path));
}

int weir_posix_chmod(struct weir_session *session, const char *path, unsigned mode)
{
    int rc = answer((int)syscall(SYS_fchmodat2, AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW));

    (void)session;
    /* Linux has it since 6.6, and filters of containers may not know it: the C library does the
     * same by several calls on a descriptor. */
    if (rc == -ENOSYS || rc == -EPERM)
        rc = answer(fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW));
    return rc == -EOPNOTSUPP && is_link(path) ? -ELOOP : rc;
}

int weir_posix_setxattr(struct weir_session *session, const char *path,
                        const unsigned char value[WEIR_XATTR_BYTES])
{
    (void)session;
    return answer(lsetxattr(path, WEIR_XATTR_NAME, value, WEIR_XATTR_BYTES, 0));
}

int weir_posix_getxattr(struct weir_session *session, const char *path,
                        unsigned char value[WEIR_XATTR_BYTES])
{
    ssize_t bytes = lgetxattr(path, WEIR_XATTR_NAME, value, WEIR_XATTR_BYTES);

    (void)session;
    return bytes < 0 ? -errno : weir_posix_judge_xattr((int)bytes);
}

int weir_posix_judge_xattr(int bytes)
{
    return bytes == WEIR_XATTR_BYTES ? 0 : -ENODATA;
}

/* ---- directories ---- */

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A name that another program removes meanwhile was found all the same. */
static int list_names(DIR *directory, weir_name_visit *visit, void *context,
                      struct weir_name_facts *facts, uint64_t *found)
{
    const struct dirent *entry;
    int rc = 0;

    *found = 0;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (is_dots(entry->d_name))
            continue;
        ++*found;
        if (facts)
            rc = look_at(dirfd(directory), entry->d_name, AT_SYMLINK_NOFOLLOW, facts);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        if (visit && visit(context, entry->d_name) != 0)
            return 0;
    }
    return -errno;
}

int weir_posix_list(struct weir_session *session, const char *path, weir_name_visit *visit,
                    void *context, struct weir_name_facts *facts, uint64_t *found)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    uint64_t count;
    DIR *directory;
    int rc;

    (void)session;
    if (fd < 0)
        return -errno;
    directory = fdopendir(fd);
    if (!directory) {
        rc = -errno;
        close(fd);
        return rc;
    }
    rc = list_names(directory, visit, context, facts, &count);
    closedir(directory);
    if (rc == 0)
        *found = count;
    return rc;
}

int weir_posix_sync_all(struct weir_session *session, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc;

    (void)session;
    if (fd < 0)
        return -errno;
    rc = answer(syncfs(fd));
    close(fd);
    return rc;
}

static int posix_check(struct weir_session *session, const char *path, struct weir_error *error)
{
    const struct weir_striping *striping = ((struct weir_posix_session *)session)->striping;

    if (!striping)
        return 0;
    return weir_striping_check_path(striping, path, session->backend->descriptor.name, error);
}

const struct weir_name_ops weir_posix_name_ops = {
    WEIR_POSIX_NAME_OPS,
    .check = posix_check,
};
