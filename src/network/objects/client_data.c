/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers of a client: taken, handed back, and walked from one piece to the next. */
#include "client_parts.h"

#include "weir/base/pages.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of slots ---- */

static void ring_add(const struct weir_object_client *client, struct slot_ring *ring,
                     struct slot *slot)
{
    assert(ring->count <= client->params.depth);
    ring->slots[(ring->begin + ring->count++) % (client->params.depth + 1)] = slot;
}

static struct slot *ring_take(const struct weir_object_client *client, struct slot_ring *ring)
{
    struct slot *slot = ring->slots[ring->begin];

    ring->begin = (ring->begin + 1) % (client->params.depth + 1);
    ring->count--;
    return slot;
}

void weir_client_schedule(struct weir_object_client *client, struct slot *slot)
{
    if (slot->is_listed)
        return;
    slot->is_listed = true;
    ring_add(client, &client->todo, slot);
}

static void finish(struct weir_object_client *client, struct slot *slot, int64_t result)
{
    struct weir_object *object = slot->io->object;

    slot->io->result = result;
    slot->phase = SLOT_FREE;
    object->slots--;
    /* The last one is that of the sync that blocks. */
    if (slot != &client->slots[client->params.depth])
        ring_add(client, &client->done, slot);
}

/* ---- memory ---- */

/* Once, for the first transfer that needs it: who lends all memory never pays for it. */
int weir_client_open_bounce(struct weir_object_client *client)
{
    const uint64_t depth = client->params.depth;
    struct weir_error error = {0};
    uint64_t piece = BOUNCE_TOTAL_BYTES / depth;
    int rc;

    if (client->bounce)
        return 0;
    if (piece > BOUNCE_PIECE_BYTES)
        piece = BOUNCE_PIECE_BYTES;
    piece = (piece + 4095) / 4096 * 4096;
    client->bounce_bytes = piece;
    client->bounce = weir_pages_map(depth * piece);
    if (!client->bounce)
        return -ENOMEM;
    /* Only where servers reach into it: others need no right to. */
    rc = weir_region_open(client->fabric, client->bounce, depth * piece, NULL,
                          client->params.mode == WEIR_OBJECT_PULL ? WEIR_REGION_SERVED
                                                                  : WEIR_REGION_LOCAL,
                          &client->bounce_region, &error);
    if (rc < 0) {
        weir_pages_unmap(client->bounce, depth * piece);
        client->bounce = NULL;
    }
    return rc;
}

void weir_client_close_bounce(struct weir_object_client *client)
{
    if (!client->bounce)
        return;
    weir_region_close(client->bounce_region);
    weir_pages_unmap(client->bounce, client->params.depth * client->bounce_bytes);
    client->bounce = NULL;
}

static bool is_lent(const struct weir_object_client *client, const struct weir_object_io *io)
{
    const unsigned char *data = io->data;

    return client->lent_region && data >= client->lent && io->bytes <= client->lent_bytes &&
           (size_t)(data - client->lent) <= client->lent_bytes - io->bytes;
}

static unsigned char *bounce_of(const struct weir_object_client *client, const struct slot *slot)
{
    return client->bounce + (size_t)(slot - client->slots) * client->bounce_bytes;
}

struct data_place weir_client_data_place(const struct weir_object_client *client,
                                         const struct slot *slot)
{
    unsigned char *base = slot->is_bounced ? client->bounce : client->lent;
    unsigned char *data = slot->is_bounced
                              ? bounce_of(client, slot) + (slot->sent - slot->window_begin)
                              : (unsigned char *)slot->io->data + slot->sent;

    return (struct data_place){
        .data = data,
        .region = slot->is_bounced ? client->bounce_region : client->lent_region,
        .offset = (uint64_t)(data - base),
    };
}

static void open_window(struct weir_object_client *client, struct slot *slot)
{
    uint64_t bytes = slot->limit - slot->sent;

    if (slot->is_bounced && bytes > client->bounce_bytes)
        bytes = client->bounce_bytes;
    slot->window_begin = slot->sent;
    slot->window_end = slot->sent + bytes;
    if (slot->is_bounced && bytes > 0 && slot->io->verb == WEIR_OBJECT_WRITE)
        memcpy(bounce_of(client, slot), (unsigned char *)slot->io->data + slot->sent, bytes);
}

static void close_window(struct weir_object_client *client, const struct slot *slot)
{
    uint64_t bytes = slot->window_end - slot->window_begin;

    if (slot->is_bounced && bytes > 0 && slot->io->verb == WEIR_OBJECT_READ)
        memcpy((unsigned char *)slot->io->data + slot->window_begin, bounce_of(client, slot),
               bytes);
}

/* ---- the next piece ---- */

/* Bytes of a transfer that lie together at one server. */
struct piece {
    struct shard *shard;
    uint64_t offset;  /* in the shard */
    uint64_t address; /* at the server; WEIR_NO_CHUNK: nobody ever wrote there */
    uint64_t bytes;
};

static uint64_t chunk_address(const struct shard *shard, uint64_t offset)
{
    uint64_t chunk = offset / WEIR_CHUNK_BYTES;

    return chunk < shard->chunk_count ? shard->chunks[chunk] : WEIR_NO_CHUNK;
}

/* Up to the end of what lies behind each other in the shard and in the server's memory. */
static struct piece place_piece(struct shard *shard, uint64_t offset, uint64_t bytes)
{
    struct piece piece = {.shard = shard, .offset = offset};
    uint64_t begin = offset % WEIR_CHUNK_BYTES;
    uint64_t first = chunk_address(shard, offset);

    piece.address = first == WEIR_NO_CHUNK ? first : first + begin;
    piece.bytes = WEIR_CHUNK_BYTES - begin;
    while (piece.bytes < bytes) {
        uint64_t next = chunk_address(shard, offset + piece.bytes);

        if (next != (first == WEIR_NO_CHUNK ? first : piece.address + piece.bytes))
            break;
        piece.bytes += WEIR_CHUNK_BYTES;
    }
    if (piece.bytes > bytes)
        piece.bytes = bytes;
    return piece;
}

/* Stripe units that follow each other in one shard, as they do with a single server, are one range.
 */
static struct piece next_piece(const struct slot *slot)
{
    struct shared_object *shared_object = slot->io->object->shared_object;
    uint64_t offset = slot->io->offset + slot->sent;
    uint64_t rest = slot->window_end - slot->sent;
    struct weir_stripe_piece stripe = weir_stripe_locate(&shared_object->pattern, offset, rest);

    if (shared_object->pattern.count == 1)
        stripe.bytes = rest;
    return place_piece(&shared_object->shards[stripe.shard], stripe.offset, stripe.bytes);
}

/* ---- moving ---- */

/* By the client itself. False: there is no room on the link. */
static bool send_one_sided(struct weir_object_client *client, struct slot *slot,
                           struct piece *piece)
{
    struct client_server *server = piece->shard->server;
    struct op *op = weir_client_take_op(server, slot);
    struct data_place place = weir_client_data_place(client, slot);
    bool is_write = slot->io->verb == WEIR_OBJECT_WRITE;
    struct weir_wr *wr;

    if (!op)
        return false;
    if (piece->bytes > client->facts->longest_wr_bytes)
        piece->bytes = client->facts->longest_wr_bytes;
    wr = weir_client_next_wr(client, server);
    if (!wr)
        return !weir_client_cancel_op(op);
    *wr = (struct weir_wr){
        .verb = is_write ? WEIR_WR_WRITE : WEIR_WR_READ,
        .data = place.data,
        .bytes = piece->bytes,
        .region = place.region,
        .remote_address = piece->address,
        .remote = &server->key,
        .context = op,
    };
    return true;
}

/* False, with the server to wait for: there is no room. */
static bool send_piece(struct weir_object_client *client, struct slot *slot)
{
    struct piece piece = next_piece(slot);
    struct client_server *server = piece.shard->server;
    bool is_write = slot->io->verb == WEIR_OBJECT_WRITE;
    bool is_sent = true;

    if (server->state != SERVER_UP) {
        slot->error = server->lost_code;
        weir_client_note_failure(client, server, server->lost_code);
        return true;
    }
    if (piece.address == WEIR_NO_CHUNK) {
        assert(!is_write);
        memset(weir_client_data_place(client, slot).data, 0, piece.bytes);
    } else if (client->params.mode == WEIR_OBJECT_ONE_SIDED) {
        is_sent = send_one_sided(client, slot, &piece);
    } else {
        is_sent = weir_client_send_data(client, slot, &piece.bytes, piece.shard, piece.offset);
    }
    if (is_sent)
        slot->sent += piece.bytes;
    else
        slot->full = server;
    return is_sent;
}

/* ---- what a slot does next; true: it waits for room on the link of slot->full ---- */

/* What was written must be there when a sync is done, and nothing wakes the sync but this. */
static void wake_syncs(struct weir_object_client *client, const struct shared_object *shared_object)
{
    for (unsigned i = 0; client->waiting_syncs > 0 && i <= client->params.depth; i++)
        if (client->slots[i].phase == SLOT_WAITING &&
            client->slots[i].io->object->shared_object == shared_object)
            weir_client_schedule(client, &client->slots[i]);
}

static bool end_transfer(struct weir_object_client *client, struct slot *slot)
{
    struct weir_object_io *io = slot->io;
    struct shared_object *shared_object = io->object->shared_object;
    uint64_t end = io->offset + io->bytes;
    bool is_write = io->verb == WEIR_OBJECT_WRITE;

    if (is_write && slot->sent > 0)
        weir_client_note_written(shared_object, io->offset, slot->sent);
    if (slot->error == 0 && is_write) {
        if (end > shared_object->facts.bytes)
            shared_object->facts.bytes = end;
        if (client->params.tells_size_at_once && end > shared_object->told_bytes) {
            slot->phase = SLOT_TELLING;
            weir_client_schedule(client, slot);
            return false;
        }
    }
    finish(client, slot, slot->error < 0 ? slot->error : (int64_t)slot->limit);
    if (is_write)
        wake_syncs(client, shared_object);
    return false;
}

static bool move_on(struct weir_object_client *client, struct slot *slot)
{
    while (slot->error == 0) {
        if (slot->sent < slot->window_end) {
            if (!send_piece(client, slot))
                return true;
            continue;
        }
        if (slot->pending > 0)
            return false;
        close_window(client, slot);
        if (slot->sent == slot->limit)
            break;
        open_window(client, slot);
    }
    return slot->pending > 0 ? false : end_transfer(client, slot);
}

static bool must_wait(const struct weir_object_client *client, const struct slot *sync)
{
    for (unsigned i = 0; i < client->params.depth; i++) {
        const struct slot *slot = &client->slots[i];

        if (slot->phase != SLOT_FREE && slot->number < sync->number &&
            slot->io->object->shared_object == sync->io->object->shared_object &&
            slot->io->verb == WEIR_OBJECT_WRITE)
            return true;
    }
    return false;
}

/* Of a write that makes its object longer, and of a sync. */
static bool tell_size(struct weir_object_client *client, struct slot *slot)
{
    struct shared_object *shared_object = slot->io->object->shared_object;
    bool is_write = slot->io->verb == WEIR_OBJECT_WRITE;

    if (slot->error == 0 && shared_object->facts.bytes > shared_object->told_bytes) {
        if (weir_client_send_size(client, slot))
            return false;
        slot->full = &client->servers[weir_object_home(shared_object->id)];
        return true;
    }
    finish(client, slot, slot->error < 0 ? slot->error : is_write ? (int64_t)slot->limit : 0);
    if (is_write)
        wake_syncs(client, shared_object);
    return false;
}

static void note_level(struct weir_object_client *client, enum weir_object_flush level)
{
    if (client->flushed == WEIR_FLUSH_BEST || level < client->flushed)
        client->flushed = level;
}

static bool commit(struct weir_object_client *client, struct slot *slot)
{
    struct shared_object *shared_object = slot->io->object->shared_object;

    while (slot->error == 0 && slot->sent < shared_object->pattern.count) {
        struct shard *shard = &shared_object->shards[slot->sent];

        if (shard->written != shard->committed) {
            if (shard->server->state != SERVER_UP) {
                slot->error = shard->server->lost_code;
                weir_client_note_failure(client, shard->server, slot->error);
                break;
            }
            if (!weir_client_send_commit(client, slot, shard)) {
                slot->full = shard->server;
                return true;
            }
        }
        slot->sent++;
    }
    if (slot->pending > 0)
        return false;
    if (slot->level != WEIR_FLUSH_BEST)
        note_level(client, slot->level);
    slot->phase = SLOT_TELLING;
    return tell_size(client, slot);
}

static bool begin_sync(struct weir_object_client *client, struct slot *slot)
{
    if (must_wait(client, slot))
        return false;
    client->waiting_syncs--;
    if (client->params.flush == WEIR_FLUSH_ACCEPTED) {
        note_level(client, WEIR_FLUSH_ACCEPTED);
        slot->phase = SLOT_TELLING;
        return tell_size(client, slot);
    }
    slot->phase = SLOT_COMMITTING;
    return commit(client, slot);
}

static bool step(struct weir_object_client *client, struct slot *slot)
{
    switch (slot->phase) {
    case SLOT_MOVING:
        return move_on(client, slot);
    case SLOT_TELLING:
        return slot->pending == 0 && tell_size(client, slot);
    case SLOT_WAITING:
        return begin_sync(client, slot);
    case SLOT_COMMITTING:
        return commit(client, slot);
    case SLOT_FREE:
        break;
    }
    return false;
}

/* Whoever has waited already keeps the place at the head. */
static void stall(struct slot *slot, bool has_waited)
{
    struct client_server *server = slot->full;

    slot->is_listed = true;
    slot->next_stalled = has_waited ? server->stalled : NULL;
    if (has_waited || !server->stalled) {
        if (!server->stalled)
            server->last_stalled = slot;
        server->stalled = slot;
    } else {
        server->last_stalled->next_stalled = slot;
        server->last_stalled = slot;
    }
}

/* Takes the next slot of `todo` as far as it goes. One that waited for room and found it may have
 * left some: the next one that waits there is tried, until one finds none. So slots wait only while
 * something is in flight, whose end wakes them. */
static void run_slot(struct weir_object_client *client)
{
    struct slot *slot = ring_take(client, &client->todo);
    struct client_server *waited_for = slot->full;
    bool is_stalled;

    slot->is_listed = false;
    slot->full = NULL;
    is_stalled = step(client, slot) && !slot->is_listed;
    if (is_stalled)
        stall(slot, slot->full == waited_for);
    if (waited_for && !(is_stalled && slot->full == waited_for))
        weir_client_retry_stalled(client, waited_for, false);
}

void weir_client_run_slots(struct weir_object_client *client)
{
    do {
        while (client->todo.count > 0)
            run_slot(client);
        /* A link that is found to be gone here gives its slots back. */
        weir_client_flush(client);
    } while (client->todo.count > 0);
}

void weir_client_retry_stalled(struct weir_object_client *client, struct client_server *server,
                               bool all)
{
    while (server->stalled) {
        struct slot *slot = server->stalled;

        server->stalled = slot->next_stalled;
        ring_add(client, &client->todo, slot);
        if (!all)
            return;
    }
}

void weir_client_complete_op(struct weir_object_client *client, struct op *op, int result)
{
    struct slot *slot = op->slot;

    if (result < 0)
        weir_client_note_failure(client, op->server, result);
    if (slot) {
        if (result < 0 && slot->error == 0)
            slot->error = result;
        if (--slot->pending == 0)
            weir_client_schedule(client, slot);
    } else if (!op->is_probe) {
        client->call.is_waiting = false;
        client->call.status = result;
        client->call.answer = (struct weir_answer){0};
    }
    weir_client_give_op(op);
}

/* ---- submit ---- */

/* Chunks and sizes that are not known yet are asked for at once: this is the slow way, which a
 * transfer takes where nobody was before. */
static int prepare(struct weir_object_client *client, struct slot *slot)
{
    struct weir_object_io *io = slot->io;
    struct shared_object *shared_object = io->object->shared_object;
    bool is_write = io->verb == WEIR_OBJECT_WRITE;
    int rc = 0;

    assert(io->bytes > 0);
    if (!(is_write ? io->object->can_write : io->object->can_read))
        return -EBADF;
    if (io->bytes > INT64_MAX || io->offset > INT64_MAX - io->bytes)
        return -EFBIG;
    slot->limit = io->bytes;
    if (!is_write) {
        if (io->offset + io->bytes > shared_object->facts.bytes)
            rc = weir_client_ask_size(client, shared_object);
        if (io->offset + io->bytes > shared_object->facts.bytes)
            slot->limit = io->offset < shared_object->facts.bytes
                              ? shared_object->facts.bytes - io->offset
                              : 0;
    }
    if (rc == 0 && slot->limit > 0)
        rc = weir_client_map(client, shared_object, io->offset, slot->limit, is_write);
    slot->is_bounced = !is_lent(client, io);
    if (rc == 0 && slot->is_bounced && slot->limit > 0)
        rc = weir_client_open_bounce(client);
    return rc;
}

static void begin(struct weir_object_client *client, struct slot *slot, struct weir_object_io *io)
{
    assert(slot->phase == SLOT_FREE);
    *slot = (struct slot){.io = io, .number = ++client->submitted, .phase = SLOT_MOVING};
    io->object->slots++;
    if (io->verb == WEIR_OBJECT_SYNC) {
        slot->phase = SLOT_WAITING;
        client->waiting_syncs++;
        weir_client_schedule(client, slot);
        return;
    }
    slot->error = prepare(client, slot);
    if (slot->error == 0)
        open_window(client, slot);
    weir_client_schedule(client, slot);
}

int weir_object_submit(struct weir_object_client *client, struct weir_object_io *const ios[],
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert(ios[i]->slot < client->params.depth);
        begin(client, &client->slots[ios[i]->slot], ios[i]);
    }
    weir_client_run_slots(client);
    return (int)count;
}

/* ---- reap ---- */

static unsigned hand_back(struct weir_object_client *client, struct weir_object_io *done[],
                          unsigned max)
{
    unsigned count = 0;

    while (count < max && client->done.count > 0)
        done[count++] = ring_take(client, &client->done)->io;
    return count;
}

int weir_object_reap(struct weir_object_client *client, struct weir_object_io *done[], unsigned min,
                     unsigned max, uint64_t timeout_ns)
{
    uint64_t until_ns = 0;

    if (client->done.count < max) {
        int rc = weir_client_poll(client, 0);

        if (rc < 0)
            return rc;
    }
    while (client->done.count < min) {
        enum wait_end end = weir_client_wait(client, timeout_ns, &until_ns);

        if (end == WAIT_BROKEN)
            return -EIO;
        if (end == WAIT_OVER || end == WAIT_SIGNAL)
            break;
    }
    return (int)hand_back(client, done, max);
}

/* ---- the sync that blocks has a slot of its own ---- */

int weir_object_sync(struct weir_object_client *client, struct weir_object *object)
{
    struct slot *slot = &client->slots[client->params.depth];
    struct weir_object_io io = {.object = object, .verb = WEIR_OBJECT_SYNC};
    uint64_t until_ns = 0;

    io.slot = client->params.depth;
    begin(client, slot, &io);
    weir_client_run_slots(client);
    while (slot->phase != SLOT_FREE)
        if (weir_client_wait(client, UINT64_MAX, &until_ns) == WAIT_BROKEN)
            return -EIO;
    return (int)io.result;
}
