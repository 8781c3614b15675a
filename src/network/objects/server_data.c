/* SPDX-License-Identifier: Apache-2.0 */
/* Data that the server itself moves: pulled and pushed by work requests, in messages, and to the
 * backing.
 */
#include "server_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- pull and push ---- */

struct weir_wr weir_server_next_wr(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    uint64_t longest = weir_fabric_facts(server->fabric)->longest_wr_bytes;
    struct weir_wr wr = {
        .verb = request->verb == WEIR_VERB_WRITE_PULL ? WEIR_WR_READ : WEIR_WR_WRITE,
        .remote_address = request->address + task->posted_bytes,
        .remote = &request->memory,
        .context = task,
    };
    uint64_t place;

    wr.bytes = weir_shard_piece(task->shard, request->offset + task->posted_bytes,
                                request->bytes - task->posted_bytes, &place);
    if (longest && wr.bytes > longest)
        wr.bytes = longest;
    if (place == WEIR_NO_CHUNK) {
        assert(wr.verb == WEIR_WR_WRITE); /* what is pulled has its place */
        if (wr.bytes > WEIR_CHUNK_BYTES)
            wr.bytes = WEIR_CHUNK_BYTES;
        wr.data = server->zeros;
        wr.region = server->zeros_region;
    } else {
        wr.data = (unsigned char *)server->slab.memory + place;
        wr.region = server->slab_region;
    }
    return wr;
}

void weir_server_move_data(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    int code = weir_store_pin(server->store, request->object, request->generation, request->offset,
                              request->bytes, request->verb == WEIR_VERB_WRITE_PULL, &task->shard);

    if (code) {
        task->shard = NULL;
        weir_task_finish(server, task, code);
        return;
    }
    task->header.answer.bytes = request->bytes;
    weir_task_move(server, task);
}

/* ---- in messages ---- */

void weir_server_write_sent(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    int code = weir_store_pin(server->store, request->object, request->generation, request->offset,
                              request->bytes, true, &task->shard);

    if (code)
        task->shard = NULL;
    for (uint64_t done = 0; !code && done < request->bytes;) {
        uint64_t place;
        uint64_t bytes =
            weir_shard_piece(task->shard, request->offset + done, request->bytes - done, &place);

        memcpy((unsigned char *)server->slab.memory + place, task->parsed.payload + done, bytes);
        done += bytes;
    }
    task->header.answer.bytes = code ? 0 : request->bytes;
    weir_task_finish(server, task, code);
}

void weir_server_read_sent(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    unsigned char *room;
    int code;

    if (request->bytes > weir_task_most_payload(server, task)) {
        weir_task_finish(server, task, -EMSGSIZE);
        return;
    }
    room = weir_task_room(server, task, request->bytes);
    if (!room)
        return;
    code = weir_store_pin(server->store, request->object, request->generation, request->offset,
                          request->bytes, false, &task->shard);
    if (code)
        task->shard = NULL;
    for (uint64_t done = 0; !code && done < request->bytes;) {
        uint64_t place;
        uint64_t bytes =
            weir_shard_piece(task->shard, request->offset + done, request->bytes - done, &place);

        if (place == WEIR_NO_CHUNK)
            memset(room + done, 0, bytes);
        else
            memcpy(room + done, (unsigned char *)server->slab.memory + place, bytes);
        done += bytes;
    }
    task->header.answer.bytes = code ? 0 : request->bytes;
    task->header.answer.payload_bytes = (uint32_t)task->header.answer.bytes;
    weir_task_finish(server, task, code);
}

/* ---- to the backing ---- */

static int add_piece(struct weir_backing_job *job, uint64_t place, uint64_t bytes)
{
    /* Doubles at each power of two: nothing else needs to be remembered. */
    if (!(job->count & (job->count - 1))) {
        size_t room = job->count ? 2 * (size_t)job->count : 1;
        struct weir_range *pieces = realloc(job->pieces, room * sizeof *pieces);

        if (!pieces)
            return -ENOMEM;
        job->pieces = pieces;
    }
    job->pieces[job->count++] = (struct weir_range){place, bytes};
    return 0;
}

/* *walked: before it, all that ranges before this one had was added. */
static int add_range(struct weir_task *task, const struct weir_range *range, uint64_t *walked)
{
    uint64_t shard_end = weir_shard_end(task->shard);
    uint64_t end =
        range->offset + range->bytes < shard_end ? range->offset + range->bytes : shard_end;

    if (*walked < range->offset)
        *walked = range->offset;
    while (*walked < end) {
        uint64_t place;
        uint64_t bytes = weir_shard_piece(task->shard, *walked, end - *walked, &place);

        if (place != WEIR_NO_CHUNK && add_piece(&task->job, place, bytes))
            return -ENOMEM;
        *walked += bytes;
    }
    return 0;
}

static int compare_offsets(const void *one, const void *other)
{
    const struct weir_range *a = one, *b = other;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* However the ranges overlap, no chunk is walked over twice: all clients wait meanwhile. */
static int add_ranges(struct weir_task *task)
{
    uint32_t count = task->parsed.request.count;
    struct weir_range ranges[WEIR_RANGES_MAX];
    uint64_t walked = 0;
    int code = 0;

    memcpy(ranges, task->parsed.payload, count * sizeof *ranges);
    qsort(ranges, count, sizeof *ranges, compare_offsets);
    for (uint32_t i = 0; i < count && !code; i++)
        code = add_range(task, &ranges[i], &walked);
    return code;
}

void weir_server_commit(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    bool goes_to_storage = request->flags & WEIR_REQUEST_STORAGE && server->backing;
    int code = weir_store_pin(server->store, request->object, request->generation, 0, 0, false,
                              &task->shard);

    if (code)
        task->shard = NULL;
    else if (task->shard && goes_to_storage)
        code = add_ranges(task);
    /* Nothing of its own, but perhaps a commit under way took its ranges along: it is behind that
     * one in the backing, and so it is not answered before. */
    if (!code && (task->job.count || (goes_to_storage && server->committing_count))) {
        task->state = WEIR_TASK_COMMITTING;
        /* While the disk works, the buffer can receive: only credits limit who waits. */
        weir_link_release(task->client->link, task->message);
        task->message = NULL;
        server->committing_count++;
        weir_backing_submit(server->backing, &task->job);
        return;
    }
    task->header.answer.level = goes_to_storage ? WEIR_FLUSH_STORAGE : WEIR_FLUSH_VISIBLE;
    weir_task_finish(server, task, code);
}
