/* SPDX-License-Identifier: Apache-2.0 */
/* Puts records behind what a result file holds. */
#include "weir/base/log.h"
#include "weir/base/output_file.h"
#include "weir/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Two seconds. */
#define LOCK_TRIES 200
#define LOCK_PAUSE_NS 10000000

/* True if the file ends within a line: a run was killed, or the disk was full, while it was
 * written. The descriptor may be open for writing only, so the file is looked at through another
 * one. */
static bool ends_within_a_line(int descriptor)
{
    struct stat status;
    char path[40];
    char last = '\n';
    int reader;

    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    reader = open(path, O_RDONLY | O_CLOEXEC);
    if (reader < 0)
        return false;
    if (pread(reader, &last, 1, status.st_size - 1) != 1)
        last = '\n';
    close(reader);
    return last != '\n';
}

/* True if the process has the lock, or the file system has none: appending is not atomic on network
 * file systems, and a line that another run has cut must be seen as that. A process that keeps the
 * lock delays the first record that finds it locked and no other one. A signal ends the wait. */
static bool take_lock(struct weir_record_file *file)
{
    unsigned tries = file->has_waited ? 1 : LOCK_TRIES;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    for (unsigned i = 0; i < tries; i++) {
        if (fcntl(file->descriptor, F_OFD_SETLK, &whole) == 0 ||
            (errno != EAGAIN && errno != EACCES))
            return true;
        if (i + 1 < tries && nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL) != 0)
            break;
    }
    return false;
}

static void unlock(int descriptor)
{
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    fcntl(descriptor, F_OFD_SETLK, &whole);
}

/* Others may empty or remove the file while the run goes on. */
static void check_file(struct weir_record_file *file)
{
    struct stat held, named;

    if (file->is_damaged || file->path == NULL || fstat(file->descriptor, &held) != 0 ||
        !S_ISREG(held.st_mode))
        return;
    if ((uint64_t)held.st_size < file->end_bytes) {
        file->is_damaged = true;
        weir_log(WEIR_LOG_WARNING,
                 "--result: %s was cut to %lld bytes by another process: records of this run are "
                 "lost",
                 file->path, (long long)held.st_size);
    } else if (stat(file->path, &named) != 0 || named.st_dev != held.st_dev ||
               named.st_ino != held.st_ino) {
        file->is_damaged = true;
        weir_log(WEIR_LOG_WARNING,
                 "--result: %s was removed or replaced by another process: it has not the records "
                 "of this run",
                 file->path);
    }
}

static int write_pending(struct weir_record_file *file)
{
    off_t end;
    int error = 0;

    check_file(file);
    if (ends_within_a_line(file->descriptor))
        error = weir_output_file_write(file->descriptor, "\n", 1);
    if (error == 0)
        error = weir_output_file_write(file->descriptor, weir_text_string(&file->pending),
                                       file->pending.length);
    /* The end is that of what was written, and not what fstat(2) says after the sync, in which the
     * file may be cut. */
    end = lseek(file->descriptor, 0, SEEK_CUR);
    file->end_bytes += error == 0 ? file->pending.length : 0;
    if (end > 0 && (uint64_t)end > file->end_bytes)
        file->end_bytes = (uint64_t)end;
    /* Pipes and terminals cannot be synced, and need not be. */
    if (error == 0 && fdatasync(file->descriptor) != 0 && errno != EINVAL && errno != EROFS &&
        errno != ENOTSUP)
        error = -errno;
    weir_text_clear(&file->pending);
    return error;
}

int weir_record_append(struct weir_record_file *file, const struct weir_text *text)
{
    int error;

    weir_text_add_bytes(&file->pending, weir_text_string(text), text->length);
    if (!take_lock(file)) {
        if (!file->has_waited) {
            /* Locks of open files have no process. */
            struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
            char process[48] = "another process";

            if (fcntl(file->descriptor, F_OFD_GETLK, &holder) == 0 && holder.l_type != F_UNLCK &&
                holder.l_pid > 0)
                snprintf(process, sizeof process, "process %ld", (long)holder.l_pid);
            weir_log(WEIR_LOG_WARNING,
                     "--result: %s is locked by %s: records are kept in memory until it is free",
                     file->path, process);
        }
        file->has_waited = true;
        return 0;
    }
    error = write_pending(file);
    unlock(file->descriptor);
    return error;
}

int weir_record_finish(struct weir_record_file *file)
{
    int error = 0;

    if (file->descriptor < 0) {
        weir_text_close(&file->pending);
        return 0;
    }
    if (file->pending.length > 0) {
        bool is_locked = !take_lock(file);

        if (is_locked)
            weir_log(WEIR_LOG_WARNING,
                     "--result: %s is still locked: the records are appended without the lock",
                     file->path);
        error = write_pending(file);
        if (!is_locked)
            unlock(file->descriptor);
    } else {
        check_file(file);
    }
    close(file->descriptor);
    file->descriptor = -1;
    weir_text_close(&file->pending);
    return error;
}
