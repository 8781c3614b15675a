/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to servers and comes from them: work requests in batches, requests as far as there is
 * credit, answers to those who wait for them. */
#include "client_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATION_SHIFT = 16 };

/* ---- operations ---- */

struct op *weir_client_take_op(struct client_server *server, struct slot *slot)
{
    struct op *op;

    if (server->first_free == NO_OP)
        return NULL;
    op = &server->ops[server->first_free];
    server->first_free = op->next_free;
    op->slot = slot;
    op->place = NULL;
    op->shard = NULL;
    op->is_request = false;
    op->is_probe = false;
    op->is_outstanding = true;
    if (slot)
        slot->pending++;
    /* How long it was silent before, when nobody asked for anything, does not count. */
    if (server->outstanding++ == 0)
        server->quiet_ns = 0;
    return op;
}

void weir_client_give_op(struct op *op)
{
    struct client_server *server = op->server;

    op->is_outstanding = false;
    op->generation++;
    op->next_free = server->first_free;
    server->first_free = (uint16_t)(op - server->ops);
    server->outstanding--;
    server->asked -= op->is_request;
}

bool weir_client_cancel_op(struct op *op)
{
    struct slot *slot = op->slot;

    if (!op->is_outstanding)
        return false;
    weir_client_give_op(op);
    if (slot)
        slot->pending--;
    return true;
}

static uint64_t id_of(const struct op *op)
{
    return (uint64_t)(op - op->server->ops) | (uint64_t)op->generation << GENERATION_SHIFT;
}

static struct op *find_op(struct client_server *server, uint64_t id)
{
    uint64_t number = id & ((UINT64_C(1) << GENERATION_SHIFT) - 1);
    struct op *op = &server->ops[number];

    if (number >= server->op_count || !op->is_outstanding || !op->is_request || id_of(op) != id)
        return NULL;
    return op;
}

/* ---- work requests ---- */

static void flush(struct weir_object_client *client, struct client_server *server)
{
    int count;

    if (server->batch_count == 0 || !server->link)
        return;
    count = weir_link_post(server->link, server->batch, server->batch_count);
    if (count < 0) {
        weir_client_lose_server(client, server, -EHOSTDOWN);
        return;
    }
    server->batch_count -= (unsigned)count;
    memmove(server->batch, server->batch + count, server->batch_count * sizeof *server->batch);
}

struct weir_wr *weir_client_next_wr(struct weir_object_client *client, struct client_server *server)
{
    if (server->batch_count == BATCH)
        flush(client, server);
    if (server->batch_count == BATCH || server->state == SERVER_GONE)
        return NULL;
    if (!server->is_in_posts) {
        server->is_in_posts = true;
        client->posts[client->post_count++] = server;
    }
    return &server->batch[server->batch_count++];
}

/* Those that the link does not take yet stay in the list. */
void weir_client_flush(struct weir_object_client *client)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < client->post_count; i++) {
        struct client_server *server = client->posts[i];

        flush(client, server);
        server->is_in_posts = server->batch_count > 0;
        if (server->is_in_posts)
            client->posts[kept++] = server;
    }
    client->post_count = kept;
}

/* ---- requests of slots ---- */

static struct op *take_credit(struct client_server *server, struct slot *slot,
                              const struct weir_request *request, unsigned reserve)
{
    struct op *op = server->credits > reserve ? weir_client_take_op(server, slot) : NULL;

    if (!op)
        return NULL;
    op->is_request = true;
    /* How long it said nothing while nobody asked does not count, whatever else was under way. */
    if (server->asked++ == 0)
        server->quiet_ns = 0;
    op->request = *request;
    op->request.id = id_of(op);
    return op;
}

static struct op *take_request(struct client_server *server, struct slot *slot,
                               const struct weir_request *request)
{
    return take_credit(server, slot, request, server->reserve);
}

/* Behind whatever is in the batch, at once: the ranges are not kept. */
static bool post_now(struct weir_object_client *client, struct client_server *server,
                     const struct weir_wr *wr)
{
    flush(client, server);
    return server->batch_count == 0 && server->link && weir_link_post(server->link, wr, 1) == 1;
}

/* Whatever of `wr` is not the request itself. `is_kept`: it stays as it is until the flush. */
static bool send_request(struct weir_object_client *client, struct op *op, struct weir_wr wr,
                         bool is_kept)
{
    struct client_server *server = op->server;
    struct weir_wr *next;

    wr.verb = WEIR_WR_SEND;
    if (!wr.header) {
        wr.header = &op->request;
        wr.header_bytes = sizeof op->request;
    }
    next = is_kept ? weir_client_next_wr(client, server) : NULL;
    if (next)
        *next = wr;
    else if (is_kept || !post_now(client, server, &wr))
        return !weir_client_cancel_op(op);
    server->credits--;
    return true;
}

bool weir_client_send_size(struct weir_object_client *client, struct slot *slot)
{
    const struct shared_object *shared_object = slot->io->object->shared_object;
    struct client_server *server = &client->servers[weir_object_home(shared_object->id)];
    struct op *op;

    if (server->state != SERVER_UP) {
        slot->error = server->state == SERVER_GONE ? server->lost_code : -EHOSTDOWN;
        weir_client_note_failure(client, server, slot->error);
        weir_client_schedule(client, slot);
        return true;
    }
    op = take_request(server, slot,
                      &(struct weir_request){.verb = WEIR_VERB_SIZE,
                                             .object = shared_object->id,
                                             .generation = shared_object->facts.generation,
                                             .bytes = shared_object->facts.bytes});
    if (!op)
        return false;
    op->bytes = shared_object->facts.bytes;
    return send_request(client, op, (struct weir_wr){0}, true);
}

bool weir_client_send_commit(struct weir_object_client *client, struct slot *slot,
                             struct shard *shard)
{
    const struct shared_object *shared_object = slot->io->object->shared_object;
    struct client_server *server = shard->server;
    unsigned char header[sizeof(struct weir_request) + sizeof shard->dirty_ranges->ranges];
    struct weir_request request = {.verb = WEIR_VERB_COMMIT,
                                   .object = shared_object->id,
                                   .generation = shared_object->facts.generation};
    struct op *op;

    if (shard->dirty_ranges) {
        request.flags = WEIR_REQUEST_STORAGE;
        request.count = shard->dirty_ranges->count;
        request.payload_bytes = (uint32_t)(request.count * sizeof *shard->dirty_ranges->ranges);
        memcpy(header + sizeof request, shard->dirty_ranges->ranges, request.payload_bytes);
    }
    op = take_request(server, slot, &request);
    if (!op)
        return false;
    op->shard = shard;
    op->bytes = shard->written;
    memcpy(header, &op->request, sizeof request);
    if (!send_request(
            client, op,
            (struct weir_wr){.header = header,
                             .header_bytes = (uint32_t)sizeof request + request.payload_bytes},
            false))
        return false;
    if (op->is_outstanding && shard->dirty_ranges)
        shard->dirty_ranges->count = 0;
    return true;
}

bool weir_client_send_probe(struct weir_object_client *client, struct client_server *server)
{
    struct op *op = take_credit(server, NULL, &(struct weir_request){.verb = WEIR_VERB_PING}, 0);

    if (!op)
        return false;
    op->is_probe = true;
    return send_request(client, op, (struct weir_wr){0}, true);
}

static enum weir_verb data_verb(const struct weir_object_client *client, bool is_write)
{
    if (client->params.mode == WEIR_OBJECT_PULL)
        return is_write ? WEIR_VERB_WRITE_PULL : WEIR_VERB_READ_PUSH;
    return is_write ? WEIR_VERB_WRITE_SEND : WEIR_VERB_READ_SEND;
}

/* SEND: the message with the data, or the answer with them, has an end. */
static uint64_t most_bytes(const struct weir_object_client *client,
                           const struct client_server *server, bool is_write)
{
    const uint64_t own = client->params.fabric.message_bytes;

    if (client->params.mode == WEIR_OBJECT_PULL)
        return WEIR_PULL_BYTES_MAX;
    if (is_write)
        return server->message_bytes - sizeof(struct weir_request);
    /* It has no more room to put an answer together than to hear one. */
    return (server->message_bytes < own ? server->message_bytes : own) - sizeof(struct weir_answer);
}

bool weir_client_send_data(struct weir_object_client *client, struct slot *slot, uint64_t *bytes,
                           struct shard *shard, uint64_t offset)
{
    const struct shared_object *shared_object = slot->io->object->shared_object;
    struct client_server *server = shard->server;
    bool is_write = slot->io->verb == WEIR_OBJECT_WRITE;
    uint64_t most = most_bytes(client, server, is_write);
    uint64_t moved = *bytes < most ? *bytes : most;
    struct data_place place = weir_client_data_place(client, slot);
    struct weir_request request = {.verb = data_verb(client, is_write),
                                   .object = shared_object->id,
                                   .generation = shared_object->facts.generation,
                                   .offset = offset,
                                   .bytes = moved};
    struct weir_wr wr = {0};
    struct op *op;

    if (client->params.mode == WEIR_OBJECT_PULL) {
        request.memory = weir_region_key(place.region);
        request.address = request.memory.address + place.offset;
    } else if (is_write) {
        request.payload_bytes = (uint32_t)moved;
        wr.data = place.data;
        wr.bytes = moved;
        wr.region = place.region;
    }
    op = take_request(server, slot, &request);
    if (!op)
        return false;
    op->place = request.verb == WEIR_VERB_READ_SEND ? place.data : NULL;
    op->bytes = moved;
    if (!send_request(client, op, wr, true))
        return false;
    *bytes = moved;
    return true;
}

/* ---- answers ---- */

static void take_call(struct weir_object_client *client, const struct weir_answer *answer,
                      const unsigned char *payload)
{
    struct client_call *call = &client->call;

    memcpy(client->answer, payload, answer->payload_bytes);
    call->answer = *answer;
    call->payload = client->answer;
    call->status = answer->status;
    call->is_waiting = false;
}

static int take_size(struct shared_object *shared_object, const struct op *op)
{
    if (op->bytes > shared_object->told_bytes)
        shared_object->told_bytes = op->bytes;
    return 0;
}

static int take_commit(struct slot *slot, const struct op *op,
                       const struct weir_object_client *client, const struct weir_answer *answer)
{
    enum weir_object_flush level = (enum weir_object_flush)answer->level;

    if (slot->level == WEIR_FLUSH_BEST || level < slot->level)
        slot->level = level;
    /* It stays uncommitted: the next sync must not find nothing to do, and succeed. */
    if (client->params.flush == WEIR_FLUSH_STORAGE && level < WEIR_FLUSH_STORAGE)
        return -EOPNOTSUPP;
    if (op->bytes > op->shard->committed)
        op->shard->committed = op->bytes;
    return 0;
}

/* What the answer to a slot's request makes of it. */
static int settle(struct weir_object_client *client, struct op *op,
                  const struct weir_answer *answer, const unsigned char *payload)
{
    struct slot *slot = op->slot;

    if (answer->status < 0) {
        if (op->shard)
            weir_client_note_all_written(op->shard);
        return answer->status;
    }
    switch ((enum weir_verb)op->request.verb) {
    case WEIR_VERB_SIZE:
        return take_size(slot->io->object->shared_object, op);
    case WEIR_VERB_COMMIT:
        return take_commit(slot, op, client, answer);
    case WEIR_VERB_READ_SEND:
        if (answer->payload_bytes != op->bytes)
            return -EIO;
        memcpy(op->place, payload, op->bytes);
        return 0;
    case WEIR_VERB_READ_PUSH:
        return answer->bytes == op->bytes ? 0 : -EIO;
    default:
        return 0;
    }
}

void weir_client_take_message(struct weir_object_client *client, struct client_server *server,
                              const struct weir_event *event)
{
    const unsigned char *payload;
    struct weir_answer answer;
    struct op *op;
    int rc = weir_answer_parse(event->message, event->bytes, &answer, &payload);

    op = rc == 0 && server->ops ? find_op(server, answer.id) : NULL;
    if (!op) {
        weir_link_release(server->link, event->message);
        weir_client_lose_server(client, server, -EPROTO);
        return;
    }
    server->credits++;
    server->has_answered = true;
    if (op->slot) {
        weir_client_complete_op(client, op, settle(client, op, &answer, payload));
    } else {
        if (!op->is_probe)
            take_call(client, &answer, payload);
        weir_client_give_op(op);
    }
    weir_link_release(server->link, event->message);
}

/* ---- calls ---- */

int weir_client_open_messages(struct weir_object_client *client, struct weir_error *error)
{
    client->request_bytes = client->params.fabric.message_bytes;
    client->answer = calloc(1, client->request_bytes);
    client->request = calloc(1, client->request_bytes);
    if (!client->answer || !client->request)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "objects", "out of memory");
    return weir_region_open(client->fabric, client->request, client->request_bytes, NULL,
                            WEIR_REGION_LOCAL, &client->request_region, error);
}

void weir_client_close_messages(struct weir_object_client *client)
{
    weir_region_close(client->request_region);
    free(client->request);
    free(client->answer);
}

static void add_part(struct weir_object_client *client, size_t *length, const void *bytes,
                     size_t count)
{
    if (count > 0)
        memcpy(client->request + *length, bytes, count);
    *length += count;
}

/* The request, but for the id; -errno if it does not fit. */
static int compose_request(struct weir_object_client *client, const struct client_server *server,
                           const struct weir_request *request, const struct parts *parts,
                           size_t *length)
{
    struct weir_request whole = *request;
    const size_t path = parts->path.count;
    const size_t new_path = parts->new_path.count;
    size_t bytes = sizeof whole + path + new_path + parts->payload_bytes;

    if (path > WEIR_PATH_BYTES_MAX || new_path > WEIR_PATH_BYTES_MAX)
        return -ENAMETOOLONG;
    if (bytes > client->request_bytes || bytes > server->message_bytes)
        return -EMSGSIZE;
    whole.path_bytes = (uint16_t)path;
    whole.new_path_bytes = (uint16_t)new_path;
    whole.payload_bytes = (uint32_t)parts->payload_bytes;
    *length = 0;
    add_part(client, length, &whole, sizeof whole);
    add_part(client, length, parts->path.bytes, path);
    add_part(client, length, parts->new_path.bytes, new_path);
    add_part(client, length, parts->payload, parts->payload_bytes);
    return 0;
}

/* What does not fit into a header comes out of registered memory. */
static struct weir_wr request_wr(const struct weir_object_client *client, size_t length)
{
    struct weir_wr wr = {.header = client->request};

    wr.header_bytes =
        length <= WEIR_HEADER_BYTES ? (uint32_t)length : (uint32_t)sizeof(struct weir_request);
    if (length > wr.header_bytes) {
        wr.data = client->request + wr.header_bytes;
        wr.bytes = length - wr.header_bytes;
        wr.region = client->request_region;
    }
    return wr;
}

static bool post_request(struct weir_object_client *client, struct client_server *server,
                         size_t length, struct weir_request *request)
{
    struct op *op = take_request(server, NULL, request);
    struct weir_wr wr = request_wr(client, length);

    if (!op)
        return false;
    memcpy(client->request + offsetof(struct weir_request, id), &op->request.id,
           sizeof op->request.id);
    client->call.is_waiting = true;
    if (send_request(client, op, wr, false))
        return true;
    client->call.is_waiting = false;
    return false;
}

/* A server that takes no message for so long is silent, though there may be nothing in flight. */
static int wait_or_lose(struct weir_object_client *client, struct client_server *server,
                        uint64_t *until_ns)
{
    enum wait_end end = weir_client_wait(client, 2 * client->params.fabric.timeout_ns, until_ns);

    if (end == WAIT_BROKEN)
        return -EIO;
    if (end == WAIT_OVER)
        weir_client_lose_server(client, server, -ETIMEDOUT);
    return 0;
}

int weir_client_call(struct weir_object_client *client, struct client_server *server,
                     const struct weir_request *request, const struct parts *parts)
{
    static const struct parts none;
    struct weir_request own = *request;
    uint64_t until_ns = 0;
    size_t length;
    int rc;

    assert(!client->call.is_waiting);
    rc = compose_request(client, server, request, parts ? parts : &none, &length);
    while (rc == 0 && server->state != SERVER_GONE && !post_request(client, server, length, &own))
        rc = wait_or_lose(client, server, &until_ns);
    until_ns = 0;
    while (rc == 0 && client->call.is_waiting)
        rc = wait_or_lose(client, server, &until_ns);
    client->call.is_waiting = false;
    if (rc < 0)
        return rc;
    /* Over tcp it is now that the server hears that its answer has come: the next poll may be later
     * than it waits for that. */
    if (weir_client_poll(client, 0) < 0)
        return -EIO;
    if (server->state == SERVER_GONE)
        return server->lost_code;
    return client->call.status;
}

/* Of so many, one can be kept for a probe. */
enum { CREDITS_TO_SPARE = 4 };

int weir_client_say_hello(struct weir_object_client *client, struct client_server *server)
{
    const struct weir_hello hello = {
        .magic = WEIR_PROTOCOL_MAGIC,
        .version = WEIR_PROTOCOL_VERSION,
        .server_count = client->params.server_count,
        .server_index = server->number,
        .stripe_count = client->params.stripe_count,
        .unit_bytes = client->params.stripe_unit_bytes,
        .client_count = client->params.client_count,
    };
    struct weir_welcome welcome;
    int rc = weir_client_call(client, server, &(struct weir_request){.verb = WEIR_VERB_HELLO},
                              &(struct parts){.payload = &hello, .payload_bytes = sizeof hello});

    if (rc < 0)
        return rc;
    if (client->call.answer.payload_bytes != sizeof welcome)
        return -EPROTO;
    memcpy(&welcome, client->call.payload, sizeof welcome);
    if (welcome.magic != WEIR_PROTOCOL_MAGIC || welcome.version != WEIR_PROTOCOL_VERSION ||
        welcome.message_credits == 0)
        return -EPROTO;
    server->key = welcome.slab;
    server->scratch_address = welcome.scratch_address;
    server->scratch_bytes = welcome.scratch_bytes;
    server->has_backing = welcome.has_backing != 0;
    if (server->credits > welcome.message_credits)
        server->credits = welcome.message_credits;
    server->reserve = server->credits >= CREDITS_TO_SPARE;
    return 0;
}
