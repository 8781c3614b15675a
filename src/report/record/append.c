/* SPDX-License-Identifier: Apache-2.0 */
/* Puts records behind what a result file holds. */
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

/* Held for one record: appending is not atomic on network file systems, and a line that another run
 * has cut must be seen as that. A run that was stopped with the lock, or a file system without
 * locks, does not block other runs: readers know records by their ids. */
static void lock(int descriptor)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    for (unsigned i = 0; i < LOCK_TRIES; i++) {
        if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES))
            return;
        nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
    }
}

static void unlock(int descriptor)
{
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    fcntl(descriptor, F_OFD_SETLK, &whole);
}

int weir_record_append(int descriptor, const struct weir_text *text)
{
    int error = 0;

    lock(descriptor);
    if (ends_within_a_line(descriptor))
        error = weir_output_file_write(descriptor, "\n", 1);
    if (error == 0)
        error = weir_output_file_write(descriptor, weir_text_string(text), text->length);
    /* Pipes and terminals cannot be synced, and need not be. */
    if (error == 0 && fdatasync(descriptor) != 0 && errno != EINVAL && errno != EROFS &&
        errno != ENOTSUP)
        error = -errno;
    unlock(descriptor);
    return error;
}
