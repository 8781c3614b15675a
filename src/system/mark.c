/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of open file descriptions: they end with the process, however it ends, and reach across
 * nodes where the file system's locks do. */
#include "weir/system/mark.h"

#include "weir/base/call_watch.h"
#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LINE "weir-mark 1\n"

enum { ATTEMPTS = 16, NAME_BYTES = 32, NAP_NS = 10000000 };

/* ---- names ---- */

static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    for (const char *c = text; *c != '\0'; c++)
        value = (value ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return value;
}

int weir_mark_path(const char *file_path, unsigned levels, char path[WEIR_MARK_PATH_BYTES])
{
    char name[NAME_BYTES];
    char *slash = NULL;

    if (strlen(file_path) + NAME_BYTES > WEIR_MARK_PATH_BYTES)
        return -ENAMETOOLONG;
    memcpy(path, file_path, strlen(file_path) + 1);
    for (unsigned i = 0; i <= levels; i++) {
        slash = strrchr(path, '/');
        if (i < levels && slash != NULL)
            *slash = '\0';
    }
    snprintf(name, sizeof name, ".weir-%016llx",
             (unsigned long long)hash(file_path + (slash ? slash + 1 - path : 0)));
    memcpy(slash ? slash + 1 : path, name, strlen(name) + 1);
    return 0;
}

static int stat_unwatched(const char *path, uint64_t *device, uint64_t *inode)
{
    char directory[WEIR_MARK_PATH_BYTES];
    char *slash;
    struct stat facts;
    int fd;

    if (lstat(path, &facts) != 0) {
        snprintf(directory, sizeof directory, "%s", path);
        slash = strrchr(directory, '/');
        if (slash != NULL)
            slash[1] = '\0';
        fd = open(slash != NULL ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        if (lstat(path, &facts) != 0)
            return -errno;
    }
    *device = facts.st_dev;
    *inode = facts.st_ino;
    return 0;
}

int weir_mark_stat(const char *path, uint64_t *device, uint64_t *inode)
{
    int code;

    weir_call_begin("stat", path);
    code = stat_unwatched(path, device, inode);
    weir_call_end();
    return code;
}

/* ---- processes ---- */

/* When a process began, in ticks since the host did: its number may be another one's by now. 0 if
 * there is none of that number. */
static unsigned long long start_of(long pid)
{
    unsigned long long start = 0;
    char path[64], line[1024];
    const char *end;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    /* The name in brackets may hold anything; field 22 is the 20th after it. */
    end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    for (int field = 2; end != NULL && field < 22; field++)
        end = strchr(end + 1, ' ');
    if (end != NULL)
        start = strtoull(end, NULL, 10);
    fclose(file);
    return start;
}

void weir_mark_describe_self(char *text, size_t bytes)
{
    const struct passwd *user = getpwuid(geteuid());
    char host[256] = "?", since[64] = "?";
    time_t now = time(NULL);
    struct tm parts;

    gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &parts) != NULL)
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &parts);
    snprintf(text, bytes, "host %s\npid %ld\nstart %llu\nuser %s\nsince %s\n", host, (long)getpid(),
             start_of(getpid()), user != NULL ? user->pw_name : "?", since);
}

/* ---- what is in a mark ---- */

/* The value of a line, or "". */
static void find_value(const char *text, const char *key, char *value, size_t bytes)
{
    const char *line = text;
    size_t length = strlen(key);

    *value = '\0';
    while (line != NULL && (strncmp(line, key, length) != 0 || line[length] != ' ')) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    if (line == NULL)
        return;
    line += length + 1;
    snprintf(value, bytes, "%.*s", (int)strcspn(line, "\n"), line);
    for (char *c = value; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static void tell_others(struct weir_mark *mark, const char *text)
{
    char host[256], pid[32], user[128], since[64], job[128];

    find_value(text, "host", host, sizeof host);
    find_value(text, "pid", pid, sizeof pid);
    find_value(text, "user", user, sizeof user);
    find_value(text, "since", since, sizeof since);
    find_value(text, "job", job, sizeof job);
    snprintf(mark->others, sizeof mark->others, "host %s, process %s, user %s, since %s%s%s", host,
             pid, user, since, *job != '\0' ? ", job " : "", job);
}

static bool is_of_this_host(const char *text)
{
    char host[256], own[256] = "";

    find_value(text, "host", host, sizeof host);
    gethostname(own, sizeof own - 1);
    return strcmp(host, own) == 0;
}

static bool is_alive(const char *text)
{
    char pid[32], start[32];

    find_value(text, "pid", pid, sizeof pid);
    find_value(text, "start", start, sizeof start);
    return *pid != '\0' && start_of(strtol(pid, NULL, 10)) == strtoull(start, NULL, 10);
}

/* ---- locks ---- */

/* 0, -EAGAIN if another process holds it, or another -errno if there are no locks. A file that can
 * only be read is asked with a read lock, which its writer's excludes. */
static int lock(int fd, bool can_write)
{
    struct flock range = {.l_type = can_write ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_SETLK, &range) == 0)
        return 0;
    return errno == EACCES ? -EAGAIN : -errno;
}

/* True if the name still stands for what the descriptor has open. */
static bool is_named(const char *path, int fd)
{
    struct stat name, file;

    return lstat(path, &name) == 0 && fstat(fd, &file) == 0 && name.st_ino == file.st_ino &&
           name.st_dev == file.st_dev;
}

/* ---- taking ---- */

/* -EAGAIN: another process was quicker. */
static int make(struct weir_mark *mark, const char *text)
{
    int fd = open(mark->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    int code;

    if (fd < 0)
        return -errno;
    code = lock(fd, true);
    if (code == -EAGAIN || !is_named(mark->path, fd)) {
        close(fd);
        return -EAGAIN;
    }
    if (write(fd, FIRST_LINE, strlen(FIRST_LINE)) < 0 || write(fd, text, strlen(text)) < 0) {
        /* Full: the lock says enough, and an empty mark is one as well. */
        code = 0;
    }
    mark->text_bytes = strlen(FIRST_LINE) + strlen(text);
    mark->fd = fd;
    return 0;
}

/* Marks of other users are not believed: they could have a directory or a file removed. */
static void read_notes(struct weir_mark *mark, const char *text, int fd)
{
    char made[16], items[48];
    char *end;
    struct stat facts;

    if (fstat(fd, &facts) != 0 || facts.st_uid != geteuid())
        return;
    find_value(text, "made", made, sizeof made);
    find_value(text, "items", items, sizeof items);
    mark->made = (unsigned)strtoul(made, NULL, 10);
    mark->first_item = strtoull(items, &end, 10);
    mark->end_item = strtoull(end, NULL, 10);
    if (mark->end_item <= mark->first_item)
        mark->first_item = mark->end_item = 0;
}

/* Whether this process alone may remove the mark that `fd` has open, until it closes it. A mark of
 * another user is opened for reading, and its read lock does not keep others out who remove it as
 * well: one of them would remove the new mark that the other has made meanwhile. flock(2) takes an
 * exclusive lock on such a file too. Where it is missing, as on NFS, the window stays. */
static bool removes_alone(int fd, bool can_write)
{
    return can_write || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* What there is, which another run has made. It is locked first: what its owner writes before it
 * ends is read then. */
static enum weir_mark_outcome judge(struct weir_mark *mark, int fd, bool can_write, bool *is_gone)
{
    char text[WEIR_MARK_TEXT_BYTES] = "";
    int code = lock(fd, can_write);
    ssize_t bytes = pread(fd, text, sizeof text - 1, 0);

    *is_gone = false;
    if (bytes < 0 || (bytes > 0 && !weir_text_begins(text, FIRST_LINE))) {
        errno = EEXIST;
        return WEIR_MARK_NONE;
    }
    tell_others(mark, text);
    if (code == -EAGAIN)
        return WEIR_MARK_HELD;
    if (code != 0 && is_of_this_host(text) && is_alive(text))
        return WEIR_MARK_HELD;
    if (!removes_alone(fd, can_write)) {
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        *is_gone = true; /* or soon, or replaced */
        errno = EBUSY;
        return WEIR_MARK_TAKEN;
    }
    read_notes(mark, text, fd);
    *is_gone = !is_named(mark->path, fd) || unlink(mark->path) == 0 || errno == ENOENT;
    return bytes == 0 || is_of_this_host(text) ? WEIR_MARK_TAKEN : WEIR_MARK_IN_DOUBT;
}

static enum weir_mark_outcome look_at_other(struct weir_mark *mark, bool *is_gone)
{
    enum weir_mark_outcome outcome;
    bool can_write = true;
    int fd = open(mark->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int code;

    *is_gone = false;
    if (fd < 0 && errno == EACCES) {
        can_write = false;
        fd = open(mark->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    }
    if (fd < 0) {
        *is_gone = errno == ENOENT;
        return WEIR_MARK_NONE;
    }
    outcome = judge(mark, fd, can_write, is_gone);
    code = errno;
    close(fd);
    errno = code;
    return outcome;
}

void weir_mark_write_notes(struct weir_mark *mark)
{
    char lines[96];
    int length = snprintf(lines, sizeof lines, "made %010u\nitems %020" PRIu64 " %020" PRIu64 "\n",
                          mark->made, mark->first_item, mark->end_item);

    if (mark->fd < 0 || pwrite(mark->fd, lines, (size_t)length, (off_t)mark->text_bytes) < 0) {
        /* Full: what was made stays, as if it had been there before. */
        return;
    }
}

enum weir_mark_outcome weir_mark_take(struct weir_mark *mark, const char *text)
{
    enum weir_mark_outcome outcome = WEIR_MARK_TAKEN, found;
    int code = -EAGAIN;
    bool is_gone = true;

    mark->fd = -1;
    mark->others[0] = '\0';
    mark->made = 0;
    mark->first_item = mark->end_item = 0;
    mark->is_inherited = false;
    weir_call_begin("open and lock", mark->path);
    for (int i = 0; i < ATTEMPTS && is_gone; i++) {
        code = make(mark, text);
        if (code != -EEXIST && code != -EAGAIN)
            break;
        found = code == -EEXIST ? look_at_other(mark, &is_gone) : WEIR_MARK_TAKEN;
        if (found == WEIR_MARK_HELD) {
            weir_call_end();
            return found;
        }
        if (found == WEIR_MARK_IN_DOUBT)
            outcome = found;
        mark->is_inherited |= code == -EEXIST && found != WEIR_MARK_NONE && is_gone;
    }
    if (mark->fd >= 0 && (mark->made > 0 || mark->end_item > 0))
        weir_mark_write_notes(mark);
    weir_call_end();
    if (mark->fd >= 0)
        return outcome;
    errno = -code;
    return WEIR_MARK_NONE;
}

void weir_mark_drop(struct weir_mark *mark)
{
    if (mark->fd < 0)
        return;
    weir_call_begin("unlink", mark->path);
    if (is_named(mark->path, mark->fd))
        unlink(mark->path);
    weir_mark_leave(mark);
    weir_call_end();
}

void weir_mark_leave(struct weir_mark *mark)
{
    if (mark->fd >= 0)
        close(mark->fd);
    mark->fd = -1;
}
