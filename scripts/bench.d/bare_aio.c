/* SPDX-License-Identifier: Apache-2.0 */
/* The least that libaio needs: one system call to submit what is free, and one to wait for one
 * where the mapped ring is empty; all that is done goes out again at once. No statistics. */
#include "bare_job.h"

#include <libaio.h>
#include <stdatomic.h>

/* What io_setup maps into the program, as the kernel has it since 2.5 (aio(7) does not tell; the
 * magic does). */
struct mapped_ring {
    unsigned id, count;
    _Atomic unsigned head, tail;
    unsigned magic, compatible, incompatible, header_bytes;
    struct io_event events[];
};

enum { RING_MAGIC = 0xa10a10a1 };

struct loop {
    io_context_t context;
    struct mapped_ring *ring; /* NULL: not as expected */
    struct iocb *requests;
    struct iocb **waiting; /* to be submitted */
    struct io_event *done;
    unsigned depth;
};

static int open_loop(struct loop *loop, unsigned depth)
{
    int error = io_setup((int)depth, &loop->context);

    if (error < 0)
        return error;
    loop->depth = depth;
    loop->ring = (struct mapped_ring *)loop->context;
    if (loop->ring->magic != (unsigned)RING_MAGIC || loop->ring->incompatible != 0)
        loop->ring = NULL;
    loop->requests = calloc(depth, sizeof *loop->requests);
    loop->waiting = calloc(depth, sizeof *loop->waiting);
    loop->done = calloc(depth, sizeof *loop->done);
    return loop->requests && loop->waiting && loop->done ? 0 : -ENOMEM;
}

static void close_loop(struct loop *loop)
{
    if (loop->context != NULL)
        io_destroy(loop->context);
    free(loop->requests);
    free(loop->waiting);
    free(loop->done);
}

static struct iocb *prepared(struct loop *loop, struct bare_job *job, struct iocb *request)
{
    char *data = job->data + (size_t)(request - loop->requests) * BARE_TRANSFER_BYTES;
    long long offset = (long long)bare_next_offset(job);

    if (job->must_write)
        io_prep_pwrite(request, job->fd, data, BARE_TRANSFER_BYTES, offset);
    else
        io_prep_pread(request, job->fd, data, BARE_TRANSFER_BYTES, offset);
    return request;
}

static int submit(struct loop *loop, unsigned count)
{
    for (unsigned taken = 0; taken < count;) {
        int accepted = io_submit(loop->context, (long)(count - taken), loop->waiting + taken);

        if (accepted < 0)
            return accepted;
        taken += (unsigned)accepted;
    }
    return 0;
}

static int reap_mapped(struct loop *loop)
{
    struct mapped_ring *ring = loop->ring;
    unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    int count = 0;

    while (head != tail && count < (int)loop->depth) {
        loop->done[count++] = ring->events[head];
        head = head + 1 == ring->count ? 0 : head + 1;
    }
    atomic_store_explicit(&ring->head, head, memory_order_release);
    return count;
}

static int reap(struct loop *loop)
{
    int count = loop->ring != NULL ? reap_mapped(loop) : 0;

    while (count == 0 || count == -EINTR)
        count = io_getevents(loop->context, 1, (long)loop->depth, loop->done, NULL);
    return count;
}

static int transfer_all(struct loop *loop, struct bare_job *job)
{
    unsigned flying = job->depth;
    unsigned free_count = flying;

    for (unsigned i = 0; i < loop->depth; i++)
        loop->waiting[i] = prepared(loop, job, &loop->requests[i]);
    while (flying > 0) {
        bool goes_on = bare_goes_on(job);
        int count = submit(loop, free_count);

        if (count == 0)
            count = reap(loop);
        if (count < 0)
            return count;
        for (int i = 0; i < count; i++) {
            if (loop->done[i].res != BARE_TRANSFER_BYTES)
                return (long)loop->done[i].res < 0 ? (int)loop->done[i].res : -EIO;
            if (goes_on)
                loop->waiting[i] = prepared(loop, job, loop->done[i].obj);
        }
        free_count = goes_on ? (unsigned)count : 0;
        job->op_count += (unsigned)count;
        flying -= goes_on ? 0 : (unsigned)count;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct bare_job job = {0};
    struct loop loop = {0};
    int error = bare_prepare(&job, argc, argv);

    if (error == 0)
        error = open_loop(&loop, job.depth);
    if (error == 0) {
        bare_begin(&job);
        error = transfer_all(&loop, &job);
        bare_stop(&job);
    }
    close_loop(&loop);
    return bare_end(&job, error);
}
