/* SPDX-License-Identifier: Apache-2.0 */
/* One small transfer tells what the kernel, a file system or a device is able to do. */
#include "uring_probes.h"

#include "posix_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PROBE_BYTES = 4096 };

int weir_uring_open_probe(const char *path, bool is_direct, bool *may_write)
{
    int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (is_direct ? O_DIRECT : 0);
    struct stat facts;
    int fd = -1;

    if (stat(path, &facts) != 0 || !S_ISBLK(facts.st_mode))
        fd = weir_posix_open_scratch(path, is_direct);
    *may_write = fd >= 0;
    return fd >= 0 ? fd : open(path, flags);
}

/* One byte or none at all: the flag is looked at first. */
bool weir_uring_takes_flag(int fd, int flag)
{
    char byte;
    struct iovec place = {.iov_base = &byte, .iov_len = 1};

    return preadv2(fd, &place, 1, 0, flag) >= 0 || errno != EOPNOTSUPP;
}

/* One read on the ring itself, which polls for it: its result. */
static int read_polled(struct weir_uring_ring *ring, int fd, void *data)
{
    struct io_uring_cqe *cqe;
    int result = -EAGAIN;

    assert(ring->flying == 0);
    if (weir_uring_ring_room(ring) == 0)
        return result;
    io_uring_prep_rw(IORING_OP_READ, io_uring_get_sqe(&ring->ring), fd, data, PROBE_BYTES, 0);
    ring->flying = 1;
    if (weir_uring_ring_turn(ring, 1, WEIR_FOREVER) == 0 &&
        io_uring_peek_cqe(&ring->ring, &cqe) == 0) {
        result = cqe->res;
        io_uring_cqe_seen(&ring->ring, cqe);
        ring->flying = 0;
    }
    weir_uring_ring_drain(ring);
    return result;
}

/* The number in a file of the device's queue, which belongs to the whole of a disk; -1 if there is
 * none. */
static long ask_queue(int fd, const char *name)
{
    char path[128];
    struct stat facts;
    dev_t device;
    long number;

    if (fstat(fd, &facts) != 0)
        return -1;
    device = S_ISBLK(facts.st_mode) ? facts.st_rdev : facts.st_dev;
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/queue/%s", major(device), minor(device),
             name);
    number = weir_posix_kernel_number(path);
    if (number >= 0)
        return number;
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/../queue/%s", major(device), minor(device),
             name);
    return weir_posix_kernel_number(path);
}

bool weir_uring_is_nvme(int fd)
{
    char path[64], target[PATH_MAX];
    struct stat facts;
    ssize_t length;
    dev_t device;

    if (fstat(fd, &facts) != 0)
        return false;
    device = S_ISBLK(facts.st_mode) ? facts.st_rdev : facts.st_dev;
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u", major(device), minor(device));
    length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return strstr(target, "/nvme") != NULL;
}

/* There must be a block to read: no device is asked for what is not there, nor polled for a write
 * that makes a file longer. */
int weir_uring_takes_polling(struct weir_uring_ring *ring, int fd, bool may_write)
{
    void *data;
    int rc = 0;

    /* Older kernels take the transfer all the same, and wait for the interrupt. */
    if (ask_queue(fd, "io_poll") == 0)
        return 0;
    data = aligned_alloc(PROBE_BYTES, PROBE_BYTES);
    if (!data)
        return -ENOMEM;
    memset(data, 0, PROBE_BYTES);
    if (may_write && pwrite(fd, data, PROBE_BYTES, 0) != PROBE_BYTES)
        rc = -EINVAL;
    else
        rc = read_polled(ring, fd, data);
    free(data);
    if (rc == -EOPNOTSUPP)
        return 0;
    return rc < 0 ? rc : 1;
}
