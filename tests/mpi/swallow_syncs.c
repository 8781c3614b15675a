/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: syncs that do nothing, as those of eatmydata. */
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

int fsync(int fd)
{
    (void)fd;
    return 0;
}

int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

int sync_file_range(int fd, off64_t offset, off64_t bytes, unsigned flags)
{
    (void)fd;
    (void)offset;
    (void)bytes;
    (void)flags;
    return 0;
}

int syncfs(int fd)
{
    (void)fd;
    return 0;
}
