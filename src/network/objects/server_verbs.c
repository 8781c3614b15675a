/* SPDX-License-Identifier: Apache-2.0 */
/* What is answered to each verb. */
#include "server_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct weir_path path_of(const struct weir_task *task)
{
    return (struct weir_path){task->parsed.path, task->parsed.request.path_bytes};
}

/* ---- hello ---- */

static int refuse(struct weir_task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(struct weir_task *task, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf((char *)task->header.payload, sizeof task->header.payload, format, arguments);
    va_end(arguments);
    task->header.answer.payload_bytes = (uint32_t)strlen((char *)task->header.payload);
    return -EPROTO;
}

/* Names would be looked for where they are not. */
static bool disagrees(const struct weir_object_server *server, const struct weir_hello *hello)
{
    return server->server_count && (server->server_count != hello->server_count ||
                                    server->server_index != hello->server_index);
}

static bool has_others(const struct weir_object_server *server,
                       const struct weir_server_client *client)
{
    for (unsigned i = 0; i < server->params.client_limit; i++)
        if (server->clients[i].has_said_hello && &server->clients[i] != client)
            return true;
    return false;
}

static int check_hello(struct weir_object_server *server, struct weir_task *task,
                       const struct weir_hello *hello)
{
    if (hello->magic != WEIR_PROTOCOL_MAGIC)
        return refuse(task, "this is a server of objects; the peer is not one of its clients");
    if (hello->version != WEIR_PROTOCOL_VERSION)
        return refuse(task,
                      "the server speaks version %u of the protocol, the client %u: use the same "
                      "weir for both",
                      WEIR_PROTOCOL_VERSION, hello->version);
    if (!hello->server_count || hello->server_count > WEIR_OBJECT_SERVERS_MAX ||
        hello->server_index >= hello->server_count)
        return refuse(task, "there is no server %u of %u", hello->server_index,
                      hello->server_count);
    if (hello->stripe_count > hello->server_count)
        return refuse(task,
                      "%u stripes do not fit on %u servers: give a smaller "
                      "--rdma.stripe-count",
                      hello->stripe_count, hello->server_count);
    if (!hello->unit_bytes || hello->unit_bytes > WEIR_OBJECT_BYTES_MAX)
        return refuse(task, "the stripe unit is out of range: give another --rdma.stripe-unit");
    if (hello->client_count > server->params.client_limit)
        return refuse(
            task,
            "the job has %u clients, and the server lets %u in at once: start it with more "
            "(weir serve --clients)",
            hello->client_count, server->params.client_limit);
    if (disagrees(server, hello) &&
        (has_others(server, task->client) || !weir_store_is_empty(server->store)))
        return refuse(task,
                      "the server is number %u of %u for the clients that it has or had, and "
                      "number %u of %u for this one: give all clients the same servers in the same "
                      "order, or start the servers anew",
                      server->server_index, server->server_count, hello->server_index,
                      hello->server_count);
    return 0;
}

static int take_hello(struct weir_object_server *server, struct weir_task *task)
{
    struct weir_hello hello;
    struct weir_welcome admit;
    int code;

    memcpy(&hello, task->parsed.payload, sizeof hello);
    code = check_hello(server, task, &hello);
    if (code)
        return code;
    if (disagrees(server, &hello) || !server->server_count)
        weir_store_set_place(server->store, hello.server_index, hello.server_count);
    server->server_count = hello.server_count;
    server->server_index = hello.server_index;
    task->client->has_said_hello = true;
    admit = (struct weir_welcome){
        .magic = WEIR_PROTOCOL_MAGIC,
        .version = WEIR_PROTOCOL_VERSION,
        .message_credits = server->params.fabric.message_credits,
        .boot_id = server->boot_id,
        .capacity_bytes = server->chunk_count * WEIR_CHUNK_BYTES,
        .slab = server->slab_key,
        .scratch_address = server->slab_key.address + server->chunk_count * WEIR_CHUNK_BYTES,
        .scratch_bytes = WEIR_CHUNK_BYTES,
        .has_backing = server->backing ? 1 : 0,
        .is_huge = server->slab.is_huge,
    };
    memcpy(task->header.payload, &admit, sizeof admit);
    task->header.answer.payload_bytes = sizeof admit;
    return 0;
}

/* ---- names and objects ---- */

static int open_object(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    struct weir_layout layout = {request->unit_bytes, request->count};
    bool creates = request->flags & WEIR_REQUEST_CREATE;

    if (creates && request->count > server->server_count)
        return -EINVAL;
    return weir_store_open_object(server->store, task->client->number, path_of(task),
                                  creates ? &layout : NULL, &task->header.answer);
}

static int stat_object(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    struct weir_answer *answer = &task->header.answer;

    return request->path_bytes ? weir_store_stat_path(server->store, path_of(task), answer)
                               : weir_store_stat_object(server->store, request->object,
                                                        request->generation, answer);
}

static int rename_object(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    struct weir_path new_path = {task->parsed.new_path, request->new_path_bytes};

    return weir_store_rename(server->store, path_of(task), new_path,
                             request->flags & WEIR_REQUEST_DIRECTORY, &task->header.answer);
}

static int map(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    struct weir_answer *answer = &task->header.answer;
    uint32_t numbers[WEIR_MAP_CHUNKS_MAX];
    struct weir_chunk_run runs[WEIR_MAP_CHUNKS_MAX];
    uint64_t expected = 0; /* the address that would go on with the run */
    int code = weir_store_map(server->store, task->client->number, request->object,
                              request->generation, request->offset / WEIR_CHUNK_BYTES,
                              request->count, request->flags & WEIR_REQUEST_ALLOCATE, numbers);

    if (code)
        return code;
    for (uint32_t i = 0; i < request->count; i++) {
        bool is_hole = numbers[i] == UINT32_MAX;
        uint64_t address =
            is_hole ? WEIR_NO_CHUNK : server->slab_key.address + numbers[i] * WEIR_CHUNK_BYTES;

        if (!i || address != expected)
            runs[answer->count++] = (struct weir_chunk_run){.address = address};
        runs[answer->count - 1].count++;
        expected = is_hole ? WEIR_NO_CHUNK : address + WEIR_CHUNK_BYTES;
    }
    answer->payload_bytes = answer->count * (uint32_t)sizeof *runs;
    memcpy(task->header.payload, runs, answer->payload_bytes);
    return 0;
}

/* ---- what needs room ---- */

static void list(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    size_t most = weir_task_most_payload(server, task);
    unsigned char *room;

    if (request->bytes < most)
        most = request->bytes;
    if (most < sizeof(struct weir_list_item) + WEIR_PATH_BYTES_MAX) {
        weir_task_finish(server, task, -EMSGSIZE); /* a name might never fit */
        return;
    }
    room = weir_task_room(server, task, most);
    if (room)
        weir_task_finish(server, task,
                         weir_store_list(server->store, path_of(task), request->cookie, room, most,
                                         &task->header.answer));
}

static void ping(struct weir_object_server *server, struct weir_task *task)
{
    uint32_t bytes = task->parsed.request.payload_bytes;
    unsigned char *room;

    if (bytes > weir_task_most_payload(server, task)) {
        weir_task_finish(server, task, -EMSGSIZE);
        return;
    }
    room = weir_task_room(server, task, bytes);
    if (!room)
        return;
    memcpy(room, task->parsed.payload, bytes);
    task->header.answer.payload_bytes = bytes;
    weir_task_finish(server, task, 0);
}

/* ---- dispatch ---- */

static void give_orphans(struct weir_object_server *server, struct weir_task *task)
{
    struct weir_orphan orphans[WEIR_ORPHANS_MAX];
    unsigned count = weir_store_take_orphans(server->store, task->client->number, orphans);

    memcpy(task->header.payload, orphans, count * sizeof *orphans);
    task->header.answer.count = count;
    task->header.answer.payload_bytes = (uint32_t)(count * sizeof *orphans);
}

/* Verbs that are answered at once, and short. */
static int answer_now(struct weir_object_server *server, struct weir_task *task)
{
    const struct weir_request *request = &task->parsed.request;
    struct weir_answer *answer = &task->header.answer;
    struct weir_store *store = server->store;
    uint32_t client = task->client->number;
    uint64_t object = request->object, generation = request->generation;

    switch (request->verb) {
    case WEIR_VERB_HELLO:
        return take_hello(server, task);
    case WEIR_VERB_OPEN:
        return open_object(server, task);
    case WEIR_VERB_CLOSE:
        return weir_store_close_object(store, client, object, generation, request->bytes, answer);
    case WEIR_VERB_STAT:
        return stat_object(server, task);
    case WEIR_VERB_SIZE:
        return weir_store_size(store, object, generation, request->bytes, answer);
    case WEIR_VERB_UNLINK:
        return weir_store_unlink(store, path_of(task), answer);
    case WEIR_VERB_RENAME:
        return rename_object(server, task);
    case WEIR_VERB_MKDIR:
        return weir_store_mkdir(store, path_of(task), answer);
    case WEIR_VERB_RMDIR:
        return weir_store_rmdir(store, path_of(task));
    case WEIR_VERB_LOCK:
        return weir_store_lock(store, client, path_of(task));
    case WEIR_VERB_UNLOCK:
        weir_store_unlock(store, client, path_of(task));
        return 0;
    case WEIR_VERB_MAP:
        return map(server, task);
    case WEIR_VERB_RELEASE:
        weir_store_release(store, client, object, generation);
        return 0;
    case WEIR_VERB_DROP:
        return weir_store_drop(store, client, object, generation);
    }
    return -EINVAL;
}

static bool may_end_objects(uint32_t verb)
{
    return verb == WEIR_VERB_OPEN || verb == WEIR_VERB_CLOSE || verb == WEIR_VERB_UNLINK ||
           verb == WEIR_VERB_RENAME;
}

void weir_server_dispatch(struct weir_object_server *server, struct weir_task *task)
{
    uint32_t verb = task->parsed.request.verb;
    int code;

    if (!task->client->has_said_hello && verb != WEIR_VERB_HELLO && verb != WEIR_VERB_PING) {
        weir_task_finish(server, task, -EINVAL);
        return;
    }
    switch (verb) {
    case WEIR_VERB_LIST:
        list(server, task);
        break;
    case WEIR_VERB_PING:
        ping(server, task);
        break;
    case WEIR_VERB_COMMIT:
        weir_server_commit(server, task);
        break;
    case WEIR_VERB_WRITE_PULL:
    case WEIR_VERB_READ_PUSH:
        weir_server_move_data(server, task);
        break;
    case WEIR_VERB_WRITE_SEND:
        weir_server_write_sent(server, task);
        break;
    case WEIR_VERB_READ_SEND:
        weir_server_read_sent(server, task);
        break;
    default:
        code = answer_now(server, task);
        if (!code && may_end_objects(verb))
            give_orphans(server, task);
        weir_task_finish(server, task, code);
    }
}
