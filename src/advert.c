/* SPDX-License-Identifier: Apache-2.0 */
/* Under a lock that network file systems know as well (OFD), a new file takes the place of the old
 * one, so that readers need no lock. */
#include "advert.h"

#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the lock ---- */

/* Whoever has waited for the lock may have got that of a file whose place was taken since. */
static bool is_in_place(int fd, const char *path)
{
    struct stat held, now;

    return fstat(fd, &held) == 0 && stat(path, &now) == 0 && held.st_dev == now.st_dev &&
           held.st_ino == now.st_ino;
}

static int lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result;

    do {
        result = fcntl(fd, F_OFD_SETLKW, &whole);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

/* The descriptor of the file, locked; or -errno. */
static int open_locked(const char *path, int flags)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0644);
        int code;

        if (fd < 0)
            return -errno;
        code = lock(fd);
        if (code == 0 && is_in_place(fd, path))
            return fd;
        close(fd);
        if (code != 0)
            return code;
    }
}

/* ---- lines ---- */

static int read_all(int fd, struct weir_text *text)
{
    char piece[4096];
    ssize_t bytes;

    while ((bytes = read(fd, piece, sizeof piece)) != 0) {
        if (bytes < 0 && errno != EINTR)
            return -errno;
        if (bytes > 0)
            weir_text_add(text, "%.*s", (int)bytes, piece);
    }
    return 0;
}

/* Copies all lines but `line`; true if it was among them. */
static bool copy_others(const char *old, const char *line, struct weir_text *text)
{
    const size_t length = strlen(line);
    bool is_there = false;

    while (*old != '\0') {
        size_t bytes = strcspn(old, "\n");

        if (bytes == length && memcmp(old, line, length) == 0)
            is_there = true;
        else if (bytes > 0)
            weir_text_add(text, "%.*s\n", (int)bytes, old);
        old += bytes + (old[bytes] == '\n');
    }
    return is_there;
}

static int write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(fd, text, bytes);

        if (written < 0 && errno != EINTR)
            return -errno;
        text += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static int write_new(int fd, const struct stat *like, const char *text)
{
    int code = write_all(fd, text, strlen(text));

    if (code == 0 && fchmod(fd, like->st_mode & 07777) != 0)
        code = -errno;
    if (close(fd) != 0 && code == 0)
        code = -errno;
    return code;
}

/* Only who has the lock comes here: one name beside it will do. */
static int replace(int held, const char *path, const char *text)
{
    char new_path[PATH_MAX];
    struct stat like;
    int code, fd;

    if (snprintf(new_path, sizeof new_path, "%s.new", path) >= (int)sizeof new_path)
        return -ENAMETOOLONG;
    if (fstat(held, &like) != 0)
        return -errno;
    fd = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    code = write_new(fd, &like, text);
    if (code == 0 && rename(new_path, path) != 0)
        code = -errno;
    if (code != 0)
        unlink(new_path);
    return code;
}

/* ---- coming and going ---- */

static int change(int held, const char *path, const char *line, bool is_added)
{
    struct weir_text old = {0}, now = {0};
    int code = read_all(held, &old);
    bool is_there = code == 0 && copy_others(weir_text_string(&old), line, &now);

    if (is_added)
        weir_text_add(&now, "%s\n", line);
    if (code == 0 && *weir_text_string(&now) == '\0')
        code = unlink(path) != 0 ? -errno : 0;
    else if (code == 0 && is_there != is_added)
        code = replace(held, path, weir_text_string(&now));
    weir_text_close(&old);
    weir_text_close(&now);
    return code;
}

static int change_file(const char *path, const char *line, bool is_added)
{
    int fd = open_locked(path, is_added ? O_CREAT : 0);
    int code;

    if (fd < 0)
        return fd;
    code = change(fd, path, line, is_added);
    close(fd);
    return code;
}

int weir_advert_add(const char *path, const char *line, struct weir_error *error)
{
    int code = change_file(path, line, true);

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "serve",
                       "--advertise: %s cannot be written: %s: name a file in a directory where "
                       "new files can be made",
                       path, strerror(-code));
    return code;
}

int weir_advert_remove(const char *path, const char *line, struct weir_error *error)
{
    int code = change_file(path, line, false);

    if (code == -ENOENT)
        return 0;
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "serve",
                       "--advertise: %s still names this server, as it cannot be written: %s: take "
                       "the line %s out",
                       path, strerror(-code), line);
    return code;
}
