/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to servers and comes from them: wires in batches, requests as far as there is credit,
 * answers to those who wait for them. */
#include "client_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { GENERATION_SHIFT = 16 };

/* ---- flights ---- */

struct flight *take_flight(struct server_end *server, struct slot *slot)
{
    struct flight *flight;

    if (server->first_free == NO_FLIGHT)
        return NULL;
    flight = &server->flights[server->first_free];
    server->first_free = flight->next_free;
    flight->slot = slot;
    flight->place = NULL;
    flight->shard = NULL;
    flight->is_request = false;
    flight->is_probe = false;
    flight->is_flying = true;
    if (slot)
        slot->pending++;
    /* How long it was silent before, when nobody asked for anything, does not count. */
    if (server->flying++ == 0)
        server->quiet_ns = 0;
    return flight;
}

void give_flight(struct flight *flight)
{
    struct server_end *server = flight->server;

    flight->is_flying = false;
    flight->generation++;
    flight->next_free = server->first_free;
    server->first_free = (uint16_t)(flight - server->flights);
    server->flying--;
    server->asked -= flight->is_request;
}

bool take_back(struct flight *flight)
{
    struct slot *slot = flight->slot;

    if (!flight->is_flying)
        return false;
    give_flight(flight);
    if (slot)
        slot->pending--;
    return true;
}

static uint64_t id_of(const struct flight *flight)
{
    return (uint64_t)(flight - flight->server->flights) | (uint64_t)flight->generation
                                                              << GENERATION_SHIFT;
}

static struct flight *find_flight(struct server_end *server, uint64_t id)
{
    uint64_t number = id & ((UINT64_C(1) << GENERATION_SHIFT) - 1);
    struct flight *flight = &server->flights[number];

    if (number >= server->flight_count || !flight->is_flying || !flight->is_request ||
        id_of(flight) != id)
        return NULL;
    return flight;
}

/* ---- wires ---- */

static void flush(struct weir_object_client *client, struct server_end *server)
{
    int count;

    if (server->batch_count == 0 || !server->link)
        return;
    count = weir_link_post(server->link, server->batch, server->batch_count);
    if (count < 0) {
        lose_server(client, server, -EHOSTDOWN);
        return;
    }
    server->batch_count -= (unsigned)count;
    memmove(server->batch, server->batch + count, server->batch_count * sizeof *server->batch);
}

bool push_wire(struct weir_object_client *client, struct server_end *server,
               const struct weir_wire *wire)
{
    if (server->batch_count == BATCH)
        flush(client, server);
    if (server->batch_count == BATCH || server->state == SERVER_GONE)
        return false;
    server->batch[server->batch_count++] = *wire;
    if (!server->is_in_posts) {
        server->is_in_posts = true;
        client->posts[client->post_count++] = server;
    }
    return true;
}

/* Those that the link does not take yet stay in the list. */
void flush_posts(struct weir_object_client *client)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < client->post_count; i++) {
        struct server_end *server = client->posts[i];

        flush(client, server);
        server->is_in_posts = server->batch_count > 0;
        if (server->is_in_posts)
            client->posts[kept++] = server;
    }
    client->post_count = kept;
}

/* ---- requests of slots ---- */

static struct flight *take_credit(struct server_end *server, struct slot *slot,
                                  const struct weir_request *request, unsigned reserve)
{
    struct flight *flight = server->credits > reserve ? take_flight(server, slot) : NULL;

    if (!flight)
        return NULL;
    flight->is_request = true;
    /* How long it said nothing while nobody asked does not count, whatever else was under way. */
    if (server->asked++ == 0)
        server->quiet_ns = 0;
    flight->request = *request;
    flight->request.id = id_of(flight);
    return flight;
}

static struct flight *take_request(struct server_end *server, struct slot *slot,
                                   const struct weir_request *request)
{
    return take_credit(server, slot, request, server->reserve);
}

/* Behind whatever is in the batch, at once: the ranges are not kept. */
static bool post_now(struct weir_object_client *client, struct server_end *server,
                     const struct weir_wire *wire)
{
    flush(client, server);
    return server->batch_count == 0 && server->link && weir_link_post(server->link, wire, 1) == 1;
}

static bool note_sent(struct server_end *server)
{
    server->credits--;
    return true;
}

/* A request that is all in its header. */
static bool send_bare(struct weir_object_client *client, struct flight *flight)
{
    struct server_end *server = flight->server;

    if (!push_wire(client, server,
                   &(struct weir_wire){.verb = WEIR_WIRE_SEND,
                                       .header = &flight->request,
                                       .header_bytes = sizeof flight->request}))
        return !take_back(flight);
    return note_sent(server);
}

bool send_request_size(struct weir_object_client *client, struct slot *slot)
{
    const struct body *body = slot->io->object->body;
    struct server_end *server = &client->servers[weir_object_home(body->id)];
    struct flight *flight;

    if (server->state != SERVER_UP) {
        slot->error = server->state == SERVER_GONE ? server->lost_code : -EHOSTDOWN;
        note_failure(client, server, slot->error);
        attend(client, slot);
        return true;
    }
    flight = take_request(server, slot,
                          &(struct weir_request){.verb = WEIR_VERB_SIZE,
                                                 .object = body->id,
                                                 .generation = body->facts.generation,
                                                 .bytes = body->facts.bytes});
    if (!flight)
        return false;
    flight->bytes = body->facts.bytes;
    return send_bare(client, flight);
}

bool send_request_commit(struct weir_object_client *client, struct slot *slot, struct shard *shard)
{
    const struct body *body = slot->io->object->body;
    struct server_end *server = shard->server;
    unsigned char header[sizeof(struct weir_request) + sizeof shard->dirt->ranges];
    struct weir_request request = {
        .verb = WEIR_VERB_COMMIT, .object = body->id, .generation = body->facts.generation};
    struct flight *flight;

    if (shard->dirt) {
        request.flags = WEIR_REQUEST_STORAGE;
        request.count = shard->dirt->count;
        request.payload_bytes = (uint32_t)(request.count * sizeof *shard->dirt->ranges);
        memcpy(header + sizeof request, shard->dirt->ranges, request.payload_bytes);
    }
    flight = take_request(server, slot, &request);
    if (!flight)
        return false;
    flight->shard = shard;
    flight->bytes = shard->written;
    memcpy(header, &flight->request, sizeof request);
    if (!post_now(
            client, server,
            &(struct weir_wire){.verb = WEIR_WIRE_SEND,
                                .header = header,
                                .header_bytes = (uint32_t)sizeof request + request.payload_bytes}))
        return !take_back(flight);
    if (shard->dirt)
        shard->dirt->count = 0;
    return note_sent(server);
}

bool send_probe(struct weir_object_client *client, struct server_end *server)
{
    struct flight *flight =
        take_credit(server, NULL, &(struct weir_request){.verb = WEIR_VERB_PING}, 0);

    if (!flight)
        return false;
    flight->is_probe = true;
    return send_bare(client, flight);
}

static enum weir_verb data_verb(const struct weir_object_client *client, bool is_write)
{
    if (client->params.mode == WEIR_OBJECT_PULL)
        return is_write ? WEIR_VERB_WRITE_PULL : WEIR_VERB_READ_PUSH;
    return is_write ? WEIR_VERB_WRITE_SEND : WEIR_VERB_READ_SEND;
}

/* SEND: the message with the data, or the answer with them, has an end. */
static uint64_t most_bytes(const struct weir_object_client *client, const struct server_end *server,
                           bool is_write)
{
    const uint64_t own = client->params.fabric.message_bytes;

    if (client->params.mode == WEIR_OBJECT_PULL)
        return WEIR_PULL_BYTES_MAX;
    if (is_write)
        return server->message_bytes - sizeof(struct weir_request);
    /* It has no more room to put an answer together than to hear one. */
    return (server->message_bytes < own ? server->message_bytes : own) - sizeof(struct weir_answer);
}

bool send_request_data(struct weir_object_client *client, struct slot *slot, uint64_t *bytes,
                       struct shard *shard, uint64_t offset)
{
    const struct body *body = slot->io->object->body;
    struct server_end *server = shard->server;
    bool is_write = slot->io->verb == WEIR_OBJECT_WRITE;
    uint64_t most = most_bytes(client, server, is_write);
    uint64_t moved = *bytes < most ? *bytes : most;
    struct data_place place = place_of(client, slot);
    struct weir_request request = {.verb = data_verb(client, is_write),
                                   .object = body->id,
                                   .generation = body->facts.generation,
                                   .offset = offset,
                                   .bytes = moved};
    struct weir_wire wire = {.verb = WEIR_WIRE_SEND, .header_bytes = sizeof request};
    struct flight *flight;

    if (client->params.mode == WEIR_OBJECT_PULL) {
        request.memory = weir_region_key(place.region);
        request.address = request.memory.address + place.offset;
    } else if (is_write) {
        request.payload_bytes = (uint32_t)moved;
        wire.data = place.data;
        wire.bytes = moved;
        wire.region = place.region;
    }
    flight = take_request(server, slot, &request);
    if (!flight)
        return false;
    flight->place = request.verb == WEIR_VERB_READ_SEND ? place.data : NULL;
    flight->bytes = moved;
    wire.header = &flight->request;
    if (!push_wire(client, server, &wire))
        return !take_back(flight);
    *bytes = moved;
    return note_sent(server);
}

/* ---- answers ---- */

static void take_call(struct weir_object_client *client, const struct weir_answer *answer,
                      const unsigned char *payload)
{
    struct call *call = &client->call;

    memcpy(client->answer, payload, answer->payload_bytes);
    call->answer = *answer;
    call->payload = client->answer;
    call->status = answer->status;
    call->is_waiting = false;
}

static int take_size(struct body *body, const struct flight *flight)
{
    if (flight->bytes > body->told_bytes)
        body->told_bytes = flight->bytes;
    return 0;
}

static int take_commit(struct slot *slot, const struct flight *flight,
                       const struct weir_object_client *client, const struct weir_answer *answer)
{
    enum weir_object_flush level = (enum weir_object_flush)answer->level;

    if (slot->level == WEIR_FLUSH_BEST || level < slot->level)
        slot->level = level;
    /* It stays uncommitted: the next sync must not find nothing to do, and succeed. */
    if (client->params.flush == WEIR_FLUSH_STORAGE && level < WEIR_FLUSH_STORAGE)
        return -EOPNOTSUPP;
    if (flight->bytes > flight->shard->committed)
        flight->shard->committed = flight->bytes;
    return 0;
}

/* What the answer to a slot's request makes of it. */
static int settle(struct weir_object_client *client, struct flight *flight,
                  const struct weir_answer *answer, const unsigned char *payload)
{
    struct slot *slot = flight->slot;

    if (answer->status < 0) {
        if (flight->shard)
            note_all_written(flight->shard);
        return answer->status;
    }
    switch ((enum weir_verb)flight->request.verb) {
    case WEIR_VERB_SIZE:
        return take_size(slot->io->object->body, flight);
    case WEIR_VERB_COMMIT:
        return take_commit(slot, flight, client, answer);
    case WEIR_VERB_READ_SEND:
        if (answer->payload_bytes != flight->bytes)
            return -EIO;
        memcpy(flight->place, payload, flight->bytes);
        return 0;
    case WEIR_VERB_READ_PUSH:
        return answer->bytes == flight->bytes ? 0 : -EIO;
    default:
        return 0;
    }
}

void take_message(struct weir_object_client *client, struct server_end *server,
                  const struct weir_event *event)
{
    const unsigned char *payload;
    struct weir_answer answer;
    struct flight *flight;
    int rc = weir_answer_parse(event->message, event->bytes, &answer, &payload);

    flight = rc == 0 && server->flights ? find_flight(server, answer.id) : NULL;
    if (!flight) {
        weir_link_release(server->link, event->message);
        lose_server(client, server, -EPROTO);
        return;
    }
    server->credits++;
    server->has_answered = true;
    server->has_orphans |= (answer.flags & WEIR_ANSWER_ORPHANS) != 0;
    if (flight->slot) {
        land(client, flight, settle(client, flight, &answer, payload));
    } else {
        if (!flight->is_probe)
            take_call(client, &answer, payload);
        give_flight(flight);
    }
    weir_link_release(server->link, event->message);
}

/* ---- calls ---- */

int open_letters(struct weir_object_client *client, struct weir_error *error)
{
    client->letter_bytes = client->params.fabric.message_bytes;
    client->answer = calloc(1, client->letter_bytes);
    client->letter = calloc(1, client->letter_bytes);
    if (!client->answer || !client->letter)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "objects", "out of memory");
    return weir_region_open(client->fabric, client->letter, client->letter_bytes, NULL, false,
                            &client->letter_region, error);
}

void close_letters(struct weir_object_client *client)
{
    weir_region_close(client->letter_region);
    free(client->letter);
    free(client->answer);
}

static void add_part(struct weir_object_client *client, size_t *length, const void *bytes,
                     size_t count)
{
    if (count > 0)
        memcpy(client->letter + *length, bytes, count);
    *length += count;
}

/* The letter, but for the id; -errno if it does not fit. */
static int write_letter(struct weir_object_client *client, const struct server_end *server,
                        const struct weir_request *request, const struct parts *parts,
                        size_t *length)
{
    struct weir_request whole = *request;
    const size_t path = parts->path.count;
    const size_t new_path = parts->new_path.count;
    size_t bytes = sizeof whole + path + new_path + parts->payload_bytes;

    if (path > WEIR_PATH_BYTES_MAX || new_path > WEIR_PATH_BYTES_MAX)
        return -ENAMETOOLONG;
    if (bytes > client->letter_bytes || bytes > server->message_bytes)
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
static struct weir_wire letter_wire(const struct weir_object_client *client, size_t length)
{
    struct weir_wire wire = {.verb = WEIR_WIRE_SEND, .header = client->letter};

    wire.header_bytes =
        length <= WEIR_HEADER_BYTES ? (uint32_t)length : (uint32_t)sizeof(struct weir_request);
    if (length > wire.header_bytes) {
        wire.data = client->letter + wire.header_bytes;
        wire.bytes = length - wire.header_bytes;
        wire.region = client->letter_region;
    }
    return wire;
}

static bool post_letter(struct weir_object_client *client, struct server_end *server, size_t length,
                        struct weir_request *request)
{
    struct flight *flight = take_request(server, NULL, request);
    struct weir_wire wire = letter_wire(client, length);

    if (!flight)
        return false;
    memcpy(client->letter + offsetof(struct weir_request, id), &flight->request.id,
           sizeof flight->request.id);
    if (!post_now(client, server, &wire)) {
        take_back(flight);
        return false;
    }
    server->credits--;
    client->call.is_waiting = true;
    return true;
}

/* A server that takes no message for so long is silent, though there may be nothing in flight. */
static int wait_or_lose(struct weir_object_client *client, struct server_end *server,
                        uint64_t *until_ns)
{
    enum wait_end end = wait_a_while(client, 2 * client->params.fabric.timeout_ns, until_ns);

    if (end == WAIT_BROKEN)
        return -EIO;
    if (end == WAIT_OVER)
        lose_server(client, server, -ETIMEDOUT);
    return 0;
}

int call(struct weir_object_client *client, struct server_end *server,
         const struct weir_request *request, const struct parts *parts)
{
    static const struct parts none;
    struct weir_request own = *request;
    uint64_t until_ns = 0;
    size_t length;
    int rc;

    assert(!client->call.is_waiting);
    rc = write_letter(client, server, request, parts ? parts : &none, &length);
    while (rc == 0 && server->state != SERVER_GONE && !post_letter(client, server, length, &own))
        rc = wait_or_lose(client, server, &until_ns);
    until_ns = 0;
    while (rc == 0 && client->call.is_waiting)
        rc = wait_or_lose(client, server, &until_ns);
    client->call.is_waiting = false;
    if (rc < 0)
        return rc;
    if (server->state == SERVER_GONE)
        return server->lost_code;
    return client->call.status;
}

/* Of so many, one can be kept for a probe. */
enum { CREDITS_TO_SPARE = 4 };

int say_hello(struct weir_object_client *client, struct server_end *server)
{
    const struct weir_hello hello = {
        .magic = WEIR_PROTOCOL_MAGIC,
        .version = WEIR_PROTOCOL_VERSION,
        .server_count = client->params.server_count,
        .server_index = server->number,
        .stripe_count = client->params.stripe_count,
        .unit_bytes = client->params.stripe_unit_bytes,
    };
    struct weir_welcome welcome;
    int rc = call(client, server, &(struct weir_request){.verb = WEIR_VERB_HELLO},
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
