/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing here knows what the data mean. */
#include "samples.h"

#include "weir/base/call_watch.h"

#include <errno.h>
#include <stdio.h>

int weir_samples_open(struct weir_samples *samples, struct weir_run *run, const char *path,
                      const struct weir_file_id *id)
{
    struct weir_file_params params = {.path = path, .can_read = true, .group = run->self};
    struct weir_buffers_params memory = {
        .slots = 1, .transfer_bytes = WEIR_SAMPLE_BYTES, .alignment = WEIR_PIECE_BYTES};
    int64_t bytes;
    int code;

    *samples = (struct weir_samples){.run = run};
    if (id != NULL && id->inode != 0) {
        params.claim = WEIR_CLAIM_OWN;
        params.id = *id;
    }
    snprintf(samples->path, sizeof samples->path, "%s", path);
    weir_call_begin("open", path);
    code = run->backend->file->open(run->session, &params, &samples->file);
    weir_call_end();
    if (code != 0)
        return code;
    weir_call_begin("stat", path);
    bytes = run->backend->file->size(run->session, samples->file);
    weir_call_end();
    if (bytes >= 0 && weir_buffers_open(&samples->buffers, &memory) == 0) {
        samples->data = samples->buffers.memory;
        samples->file_bytes = (uint64_t)bytes;
        return 0;
    }
    weir_samples_close(samples);
    return bytes < 0 ? (int)bytes : -ENOMEM;
}

/* It may wait, whatever the session forbids transfers that are timed. */
int64_t weir_samples_read(struct weir_samples *samples, uint64_t offset)
{
    const struct weir_found_file *found = samples->found;
    struct weir_op *op, *done;
    struct weir_queue *queue;
    int64_t moved;
    int count;

    if (found != NULL)
        return found->read(found, samples->buffers.memory, WEIR_SAMPLE_BYTES, offset);
    queue = &samples->run->queue;
    op = weir_queue_take(queue);
    if (op == NULL)
        return -EPIPE;
    op->verb = WEIR_OP_READ;
    op->may_wait = true;
    op->is_collective = false;
    op->file = samples->file;
    op->data = samples->buffers.memory;
    op->offset = offset;
    op->size = WEIR_SAMPLE_BYTES;
    weir_call_begin("read", samples->path);
    weir_queue_send(queue, op);
    do
        count = weir_queue_reap(queue, &done, 1, 1, WEIR_FOREVER);
    while (count == 0);
    weir_call_end();
    if (count < 0)
        return count;
    moved = done->result;
    done->may_wait = false;
    weir_queue_give(queue, done);
    return moved;
}

int64_t weir_samples_next_data(const struct weir_samples *samples, uint64_t offset)
{
    const struct weir_run *run = samples->run;

    if (samples->found != NULL || run->backend->file->next_data == NULL)
        return (int64_t)offset;
    return run->backend->file->next_data(run->session, samples->file, offset);
}

int weir_samples_close(struct weir_samples *samples)
{
    int code;

    weir_buffers_close(&samples->buffers);
    weir_call_begin("close", samples->path);
    code = samples->run->backend->file->close(samples->run->session, samples->file);
    weir_call_end();
    return code;
}

/* Not all differ: a small file has fewer places. */
static uint64_t offset_of(uint64_t bytes, unsigned number)
{
    uint64_t offset;

    if (number + 1 == WEIR_SAMPLES)
        offset = bytes > WEIR_SAMPLE_BYTES ? bytes - WEIR_SAMPLE_BYTES : 0;
    else
        offset = bytes / WEIR_SAMPLES * number;
    return (offset + WEIR_PIECE_BYTES - 1) / WEIR_PIECE_BYTES * WEIR_PIECE_BYTES;
}

int weir_samples_visit(struct weir_samples *samples, uint64_t bytes,
                       void (*visit)(void *context, const struct weir_sample *sample),
                       void *context, uint64_t *failed_offset)
{
    uint64_t end = 0;

    if (samples->file_bytes < bytes)
        bytes = samples->file_bytes;
    for (unsigned i = 0; i < WEIR_SAMPLES; i++) {
        uint64_t offset = offset_of(bytes, i);
        int64_t moved;

        if (offset < end)
            offset = end;
        if (i > 0 && offset >= bytes)
            continue;
        moved = weir_samples_read(samples, offset);
        if (moved < 0) {
            *failed_offset = offset;
            return (int)moved;
        }
        visit(context, &(struct weir_sample){samples->data, (size_t)moved, offset, i});
        end =
            (offset + (uint64_t)moved + WEIR_PIECE_BYTES - 1) / WEIR_PIECE_BYTES * WEIR_PIECE_BYTES;
    }
    return 0;
}
