/* SPDX-License-Identifier: Apache-2.0 */
/* Under a lock that network file systems know as well (OFD), a new file takes the place of the old
 * one, so that readers need no lock. */
#include "advert.h"

#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Tries for the lock, 5 ms apart: 10 s to add a line; 1 s to remove it, as a launcher whose signal
 * ends the server kills it soon after. */
enum { ADD_TRIES = 2000, REMOVE_TRIES = 200 };

/* After so many tries, 0.5 s, the wait is reported. */
enum { QUIET_TRIES = 100 };

struct advert {
    const char *path;
    const volatile sig_atomic_t *stop_signal; /* NULL = none */
    unsigned tries;
    bool is_added; /* the line; else it is removed */
};

/* ---- the lock ---- */

/* After a wait, the lock may be that of a file that has been replaced since. */
static bool is_in_place(int fd, const char *path)
{
    struct stat held, now;

    return fstat(fd, &held) == 0 && stat(path, &now) == 0 && held.st_dev == now.st_dev &&
           held.st_ino == now.st_ino;
}

/* Takes the lock. The wait for another process that holds it, maybe on a node that hangs, is
 * bounded. Returns 0, -EINTR at a signal, or -errno. */
static int lock(const struct advert *advert, int fd)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    for (unsigned i = 0; i < advert->tries; i++) {
        if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
            return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return -errno;
        if (advert->stop_signal != NULL && *advert->stop_signal != 0)
            return -EINTR;
        if (i == QUIET_TRIES)
            weir_log(WEIR_LOG_WARNING,
                     "serve: --advertise: another process has locked %s: waiting for up to %u s",
                     advert->path, advert->tries / 200);
        nanosleep(&pause, NULL);
    }
    return -ETIMEDOUT;
}

/* Sets *fd to the file's descriptor, locked. */
static int open_locked(const struct advert *advert, int *fd, struct weir_error *error)
{
    struct weir_output_file file = {.path = advert->path,
                                    .place = "serve: --advertise",
                                    .kind = WEIR_OUTPUT_SERVERS,
                                    .must_append = true};

    for (;;) {
        int code = weir_output_file_open(&file, fd, error);

        if (code != 0)
            return code;
        code = lock(advert, *fd);
        if (code == 0 && is_in_place(*fd, advert->path))
            return 0;
        close(*fd);
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

/* ---- coming and going ---- */

static int change(int held, const struct advert *advert, const char *line)
{
    struct weir_text old = {0}, now = {0};
    int code = read_all(held, &old);
    bool is_there = code == 0 && copy_others(weir_text_string(&old), line, &now);

    if (advert->is_added)
        weir_text_add(&now, "%s\n", line);
    if (code == 0 && *weir_text_string(&now) == '\0')
        code = unlink(advert->path) != 0 ? -errno : 0;
    else if (code == 0 && is_there != advert->is_added)
        code = weir_output_file_replace(advert->path, weir_text_string(&now), now.length, 0);
    weir_text_close(&old);
    weir_text_close(&now);
    return code;
}

static int change_file(const struct advert *advert, const char *line, struct weir_error *error)
{
    bool was_there = access(advert->path, F_OK) == 0;
    struct stat facts;
    int fd;
    int code = open_locked(advert, &fd, error);

    if (code != 0)
        return code;
    code = change(fd, advert, line);
    /* Without a line, the file that opening has created names no server. The lock is held. */
    if (code != 0 && !was_there && fstat(fd, &facts) == 0 && facts.st_size == 0)
        unlink(advert->path);
    close(fd);
    return code;
}

int weir_advert_add(const char *path, const char *line, const volatile sig_atomic_t *stop_signal,
                    struct weir_error *error)
{
    const struct advert advert = {
        .path = path, .stop_signal = stop_signal, .tries = ADD_TRIES, .is_added = true};
    int code = change_file(&advert, line, error);

    if (code == -ETIMEDOUT)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "serve",
                       "--advertise: another process has held the lock of %s for %u s: end it, or "
                       "name another file",
                       path, ADD_TRIES / 200);
    else if (code != 0 && code != -EINTR)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "serve",
                       "--advertise: %s cannot be written: %s: name a file in a directory where "
                       "new files can be made",
                       path, strerror(-code));
    return code;
}

int weir_advert_remove(const char *path, const char *line, struct weir_error *error)
{
    const struct advert advert = {.path = path, .tries = REMOVE_TRIES};
    struct weir_error refused = {0};
    int code = change_file(&advert, line, &refused);

    /* A file that is no list of servers any more does not name this server. */
    if (code == -ENOENT || refused.exit == WEIR_EXIT_USAGE)
        return 0;
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "serve",
                       "--advertise: %s still names this server, as it cannot be written: %s: take "
                       "the line %s out",
                       path, strerror(-code), line);
    return code;
}
