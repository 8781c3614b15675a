/* SPDX-License-Identifier: Apache-2.0 */
/* The least that io_uring needs: registered file, buffers and ring; one system call to submit and
 * to wait for one; all that is done goes out again at once. No statistics. */
#include "bare_job.h"

#include <liburing.h>

/* Flags that the kernel may know, all or fewer. */
static int open_ring(struct io_uring *ring, unsigned depth)
{
    static const unsigned wishes[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
                                      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
                                      IORING_SETUP_COOP_TASKRUN, 0};
    int error = -EINVAL;

    for (size_t i = 0; error == -EINVAL && i < sizeof wishes / sizeof wishes[0]; i++)
        error = io_uring_queue_init(depth, ring, wishes[i]);
    return error;
}

static int register_all(struct io_uring *ring, const struct bare_job *job)
{
    struct iovec data = {job->data, (size_t)job->depth * BARE_TRANSFER_BYTES};
    int error = io_uring_register_files(ring, &job->fd, 1);

    if (error == 0)
        error = io_uring_register_buffers(ring, &data, 1);
    if (error == 0)
        io_uring_register_ring_fd(ring);
    return error;
}

static void launch(struct io_uring *ring, struct bare_job *job, uint64_t slot)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    char *data = job->data + slot * BARE_TRANSFER_BYTES;
    uint64_t offset = bare_next_offset(job);

    if (job->must_write)
        io_uring_prep_write_fixed(sqe, 0, data, BARE_TRANSFER_BYTES, offset, 0);
    else
        io_uring_prep_read_fixed(sqe, 0, data, BARE_TRANSFER_BYTES, offset, 0);
    sqe->flags = IOSQE_FIXED_FILE;
    sqe->user_data = slot;
}

static int transfer_all(struct io_uring *ring, struct bare_job *job)
{
    unsigned flying = job->depth;

    for (unsigned slot = 0; slot < job->depth; slot++)
        launch(ring, job, slot);
    while (flying > 0) {
        bool goes_on = bare_goes_on(job);
        struct io_uring_cqe *cqe;
        unsigned head, done = 0;
        int error = io_uring_submit_and_wait(ring, 1);

        if (error < 0)
            return error;
        io_uring_for_each_cqe(ring, head, cqe)
        {
            if (cqe->res != BARE_TRANSFER_BYTES)
                return cqe->res < 0 ? cqe->res : -EIO;
            if (goes_on)
                launch(ring, job, cqe->user_data);
            done++;
        }
        io_uring_cq_advance(ring, done);
        job->op_count += done;
        flying -= goes_on ? 0 : done;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct bare_job job = {0};
    struct io_uring ring;
    int error = bare_prepare(&job, argc, argv);

    if (error == 0)
        error = open_ring(&ring, job.depth);
    if (error != 0)
        return bare_end(&job, error);
    error = register_all(&ring, &job);
    if (error == 0) {
        bare_begin(&job);
        error = transfer_all(&ring, &job);
        bare_stop(&job);
    }
    io_uring_queue_exit(&ring);
    return bare_end(&job, error);
}
