/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of an existing file is recognised by its first bytes; of short files, by all of them.
 * */
#include "weir/base/output_file.h"

#include "weir/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BEGIN_BYTES 4096

/* ---- what a file holds ---- */

/* The beginning of a file, with a zero behind it. */
struct beginning {
    char text[BEGIN_BYTES + 1];
    size_t bytes;
    bool is_whole; /* the file has no more */
};

static bool is_result(const struct beginning *begin)
{
    const char *schema = strstr(begin->text, "\"schema\":\"weir-result-");
    const char *end = strchr(begin->text, '\n');

    return weir_text_begins(begin->text, "{\"record\":\"run\",") && schema != NULL &&
           (end == NULL || schema < end);
}

static bool is_rank_csv(const struct beginning *begin)
{
    return weir_text_begins(begin->text, "access,rank,runtime-with-openclose,runtime,"
                                         "throughput-withopenclose,throughput\n") ||
           weir_text_begins(begin->text, "access,rank,runtime-with-openclose,runtime,"
                                         "throughput-withopenclose,throughput,believed,") ||
           weir_text_begins(begin->text,
                            "rank,items,rate-Directory creation,time-Directory creation,") ||
           weir_text_begins(begin->text, "access,mode,unit,children,fileKB,recordKB,");
}

static bool is_op_csv(const struct beginning *begin)
{
    return weir_text_begins(begin->text, "time,runtime,tp\n") ||
           weir_text_begins(begin->text, "time,runtime\n");
}

static bool is_offsets(const struct beginning *begin)
{
    return weir_text_begins(begin->text, WEIR_OUTPUT_OFFSETS_HEADING);
}

static bool is_histograms(const struct beginning *begin)
{
    int length = 0;

    return sscanf(begin->text, "Child: %*u Op:%n", &length) == 0 && length > 0;
}

static bool is_status(const struct beginning *begin)
{
    size_t digits = strspn(begin->text, "0123456789");

    return begin->is_whole && digits > 0 && digits <= strlen("18446744073709551615") &&
           digits + (begin->text[digits] == '\n') == begin->bytes;
}

/* One count, or mdtest's of files and of directories. */
static bool is_counts(const struct beginning *begin)
{
    static const char key[] = "\n" WEIR_STATUS_DIRECTORIES;
    size_t digits = strspn(begin->text, "0123456789");
    struct beginning second = {.is_whole = begin->is_whole};
    const char *number;

    if (digits == 0 || !weir_text_begins(begin->text + digits, key))
        return is_status(begin);
    number = begin->text + digits + strlen(key);
    second.bytes = begin->bytes - (size_t)(number - begin->text);
    memcpy(second.text, number, second.bytes + 1);
    return is_status(&second);
}

static bool is_position(const struct beginning *begin)
{
    static const char key[] = "pos: ";
    struct beginning number = {.is_whole = begin->is_whole};

    if (!weir_text_begins(begin->text, key))
        return false;
    number.bytes = begin->bytes - strlen(key);
    memcpy(number.text, begin->text + strlen(key), number.bytes + 1);
    return is_status(&number);
}

/* HOST:PORT in each line, or a comment. */
static bool is_address(const char *line, size_t bytes)
{
    const char *colon = memrchr(line, ':', bytes);
    size_t port = colon != NULL ? (size_t)(line + bytes - colon) - 1 : 0;

    if (bytes == 0 || *line == '#')
        return true;
    return colon > line && port > 0 && strspn(colon + 1, "0123456789") == port &&
           strcspn(line, " \t") >= bytes;
}

static bool is_server_list(const struct beginning *begin)
{
    const char *line = begin->text;

    while (*line != '\0') {
        size_t bytes = strcspn(line, "\n");

        /* The last line may be cut where the beginning ends. */
        if (line[bytes] == '\0' && !begin->is_whole)
            return true;
        if (!is_address(line, bytes))
            return false;
        line += bytes + (line[bytes] == '\n');
    }
    return strlen(begin->text) == begin->bytes;
}

/* Of SQLite: whether it is one of ours is in the database. */
static bool is_database(const struct beginning *begin)
{
    return weir_text_begins(begin->text, "SQLite format 3");
}

static bool is_live(const struct beginning *begin)
{
    return weir_text_begins(begin->text, "{\"record\":\"live\",");
}

static const struct {
    const char *noun;
    bool (*is_held)(const struct beginning *begin);
} kinds[] = {
    [WEIR_OUTPUT_REPORT] = {"report", NULL}, /* as file->is_held says */
    [WEIR_OUTPUT_RESULT] = {"runs", is_result},
    [WEIR_OUTPUT_RANK_CSV] = {"figures of ranks", is_rank_csv},
    [WEIR_OUTPUT_OP_CSV] = {"times of transfers", is_op_csv},
    [WEIR_OUTPUT_OFFSETS] = {"offsets of transfers", is_offsets},
    [WEIR_OUTPUT_HISTOGRAMS] = {"latencies of a rank", is_histograms},
    [WEIR_OUTPUT_STATUS] = {"count of transfers", is_counts},
    [WEIR_OUTPUT_POSITION] = {"position", is_position},
    [WEIR_OUTPUT_SERVERS] = {"list of servers", is_server_list},
    [WEIR_OUTPUT_DATABASE] = {"database", is_database},
    [WEIR_OUTPUT_LIVE] = {"live lines", is_live},
};

static int read_beginning(int fd, struct beginning *begin)
{
    ssize_t bytes = pread(fd, begin->text, BEGIN_BYTES, 0);
    char more;

    if (bytes < 0)
        return -errno;
    begin->text[bytes] = '\0';
    begin->bytes = (size_t)bytes;
    begin->is_whole = bytes < BEGIN_BYTES || pread(fd, &more, 1, BEGIN_BYTES) == 0;
    return 0;
}

/* ---- what a file is ---- */

static int fail(const struct weir_output_file *file, int code, struct weir_error *error)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, file->place, "%s: %s", file->path,
                          strerror(-code));
}

/* Another process cannot make one of these wait: they are open. */
static bool names_descriptor(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0 ||
           weir_text_begins(path, "/dev/fd/") || weir_text_begins(path, "/proc/self/fd/");
}

/* Devices that take what is written and lose nothing: /dev/null (1, 3), /dev/full (1, 7) and
 * terminals. See admin-guide/devices of the Linux kernel. */
static bool is_harmless_device(const struct stat *facts)
{
    unsigned device_major = major(facts->st_rdev);
    unsigned device_minor = minor(facts->st_rdev);

    if (!S_ISCHR(facts->st_mode))
        return false;
    return (device_major == 1 && (device_minor == 3 || device_minor == 7)) ||
           (device_major >= 4 && device_major <= 5) || (device_major >= 136 && device_major <= 143);
}

/* A new file takes the place of the old one: no device may lose its name. */
static bool is_renamed(const struct weir_output_file *file)
{
    return file->is_renamed || file->kind == WEIR_OUTPUT_STATUS ||
           file->kind == WEIR_OUTPUT_POSITION || file->kind == WEIR_OUTPUT_SERVERS;
}

static int refuse_kind(const struct weir_output_file *file, const struct stat *facts,
                       struct weir_error *error)
{
    const char *what = S_ISDIR(facts->st_mode)    ? "a directory"
                       : S_ISFIFO(facts->st_mode) ? "a FIFO"
                       : S_ISSOCK(facts->st_mode) ? "a socket"
                                                  : "a device";

    if (S_ISREG(facts->st_mode))
        return 0;
    if (!is_renamed(file) && (is_harmless_device(facts) || names_descriptor(file->path)))
        return 0;
    return weir_error_usage(error, file->place, "%s is %s: name a regular file", file->path, what);
}

static bool is_held(const struct weir_output_file *file, const struct beginning *begin)
{
    return file->kind == WEIR_OUTPUT_REPORT ? file->is_held(begin->text)
                                            : kinds[file->kind].is_held(begin);
}

static int refuse_content(const struct weir_output_file *file, int fd, struct weir_error *error)
{
    struct beginning begin;
    int code = read_beginning(fd, &begin);

    if (code != 0)
        return fail(file, code, error);
    if (begin.bytes == 0 || is_held(file, &begin))
        return 0;
    return weir_error_usage(
        error, file->place, "%s exists and holds no %s: choose another name%s", file->path,
        kinds[file->kind].noun,
        file->must_append || file->is_renamed ? "" : ", or allow its loss with --overwrite");
}

/* Checks the file behind the descriptor, because the name may lead elsewhere by now. */
static int judge(const struct weir_output_file *file, int fd, struct weir_error *error)
{
    struct stat facts;
    int code;

    if (fstat(fd, &facts) != 0)
        return fail(file, -errno, error);
    code = refuse_kind(file, &facts, error);
    if (code != 0 || !S_ISREG(facts.st_mode) || (file->may_overwrite && !file->must_append))
        return code;
    return refuse_content(file, fd, error);
}

/* A FIFO is not waited for, and a device whose opening does something is not opened. */
static int open_output(const struct weir_output_file *file, int flags, int *fd,
                       struct weir_error *error)
{
    struct stat facts;
    int code = 0;

    if (stat(file->path, &facts) == 0)
        code = refuse_kind(file, &facts, error);
    if (code != 0)
        return code;
    flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (file->must_append ? O_APPEND : 0);
    *fd = open(file->path, flags | O_RDWR, 0666);
    /* A pipe that is open already, or a file that may be lost unread, is written only. */
    if (*fd < 0 && (errno == EACCES || errno == EINVAL) &&
        (file->may_overwrite || names_descriptor(file->path)))
        *fd = open(file->path, flags | O_WRONLY, 0666);
    return *fd < 0 ? fail(file, -errno, error) : 0;
}

/* File systems without a limit report 0 blocks or inodes in all. */
static int check_space(const char *path, bool must_create)
{
    struct statvfs facts;
    bool is_root = geteuid() == 0;

    if (statvfs(path, &facts) != 0)
        return 0;
    if (facts.f_blocks > 0 && (is_root ? facts.f_bfree : facts.f_bavail) == 0)
        return -ENOSPC;
    if (must_create && facts.f_files > 0 && (is_root ? facts.f_ffree : facts.f_favail) == 0)
        return -ENOSPC;
    return 0;
}

/* Nothing is created: failures are found before anything runs. */
int weir_output_file_check(const struct weir_output_file *file, struct weir_error *error)
{
    struct weir_error failure = {0};
    char directory[PATH_MAX];
    struct stat facts;
    int fd;
    int code = open_output(file, 0, &fd, &failure);
    bool is_missing = code == -ENOENT;

    if (code == 0) {
        code = judge(file, fd, error);
        if (code == 0 && fstat(fd, &facts) == 0 && !S_ISREG(facts.st_mode)) {
            close(fd);
            return 0;
        }
        close(fd);
        if (code != 0)
            return code;
    }
    if (failure.exit == WEIR_EXIT_USAGE)
        return weir_error_usage(error, NULL, "%s", failure.text);
    /* A file that is replaced is written beside the old one. */
    if ((code == 0 && is_renamed(file)) || is_missing) {
        if (strlen(file->path) >= sizeof directory)
            code = -ENAMETOOLONG;
        else
            memcpy(directory, file->path, strlen(file->path) + 1);
        if (code != -ENAMETOOLONG) {
            weir_text_cut_name(directory);
            code = access(directory, W_OK | X_OK) == 0 ? check_space(directory, true) : -errno;
        }
    } else if (code == 0 && file->must_append) {
        code = check_space(file->path, false);
    }
    if (code == 0 || (code == -ENOSPC && file->may_be_full))
        return 0;
    return weir_error_usage(error, file->place, "%s cannot be %s: %s", file->path,
                            is_missing ? "made" : "written", strerror(-code));
}

int weir_output_file_open(const struct weir_output_file *file, int *fd, struct weir_error *error)
{
    int opened;
    int code = open_output(file, O_CREAT, &opened, error);

    if (code != 0)
        return code;
    code = judge(file, opened, error);
    if (code == 0 && fcntl(opened, F_SETFL, file->must_append ? O_APPEND : 0) != 0)
        code = fail(file, -errno, error);
    if (code == 0 && !file->must_append && ftruncate(opened, 0) != 0 && errno != EINVAL)
        code = fail(file, -errno, error);
    if (code == 0)
        *fd = opened;
    else
        close(opened);
    return code;
}

/* ---- content ---- */

int weir_output_file_write(int fd, const char *text, size_t bytes)
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

/* A short unique name: the file's own name may leave no room for more. */
int weir_output_file_beside(const char *file, char path[PATH_MAX])
{
    char directory[PATH_MAX];

    if (strlen(file) >= sizeof directory)
        return -ENAMETOOLONG;
    memcpy(directory, file, strlen(file) + 1);
    weir_text_cut_name(directory);
    for (unsigned i = 0; i < 1000; i++) {
        int fd;

        if (snprintf(path, PATH_MAX, "%s/.weir-%d-%u.new", directory, (int)getpid(), i) >= PATH_MAX)
            return -ENAMETOOLONG;
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd >= 0 ? fd : -errno;
    }
    return -EEXIST;
}

static int fill(int fd, const char *path, const char *text, size_t bytes, unsigned mode)
{
    struct stat like;
    int code = weir_output_file_write(fd, text, bytes);

    if (mode == 0 && stat(path, &like) == 0)
        mode = like.st_mode & 07777;
    if (code == 0 && mode != 0 && fchmod(fd, mode) != 0)
        code = -errno;
    if (code == 0 && fsync(fd) != 0)
        code = -errno;
    if (close(fd) != 0 && code == 0)
        code = -errno;
    return code;
}

/* File systems that cannot sync a directory keep its entries in their own way. */
static void sync_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

int weir_output_file_settle(const char *beside, const char *path, bool may_replace)
{
    char directory[PATH_MAX];
    int failed = may_replace ? rename(beside, path)
                             : renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE);
    int code = failed != 0 ? -errno : 0;

    /* Not all file systems know the flag. */
    if (!may_replace && (code == -EINVAL || code == -ENOSYS)) {
        code = link(beside, path) != 0 ? -errno : 0;
        if (code == 0)
            unlink(beside);
    }
    if (code != 0) {
        unlink(beside);
        return code;
    }
    snprintf(directory, sizeof directory, "%s", path);
    weir_text_cut_name(directory);
    sync_directory(directory);
    return 0;
}

int weir_output_file_replace(const char *path, const char *text, size_t bytes, unsigned mode)
{
    char beside[PATH_MAX];
    int fd = weir_output_file_beside(path, beside);
    int code = fd < 0 ? fd : fill(fd, path, text, bytes, mode);

    if (fd >= 0 && code != 0)
        unlink(beside);
    return code != 0 ? code : weir_output_file_settle(beside, path, true);
}
