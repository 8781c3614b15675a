/* SPDX-License-Identifier: Apache-2.0 */
/* A server of objects: what it opens, and its thread. */
#include "server_parts.h"

#include "weir/base/clock.h"
#include "weir/base/log.h"
#include "weir/base/pages.h"
#include "weir/base/thread.h"
#include "weir/system/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLIENT_LIMIT 1024
#define MESSAGE_BYTES WEIR_OBJECT_MESSAGE_BYTES
#define MESSAGE_CREDITS 32
#define MESSAGE_CREDITS_LEAST 4
/* Peers that are refused are not told of: so often they are counted. */
#define LOOK_AROUND_NS UINT64_C(1000000000)

/* ---- the thread ---- */

static void wake(void *context)
{
    weir_fabric_wake(((struct weir_object_server *)context)->fabric);
}

static void tell_broken(struct weir_object_server *server, int code)
{
    weir_log(WEIR_LOG_ERROR, "server %s: the network is broken: %s", server->address,
             strerror(-code));
    atomic_store(&server->told.is_broken, true);
}

static void tell_facts(struct weir_object_server *server)
{
    atomic_store(&server->told.used_bytes, weir_store_used_bytes(server->store));
    atomic_store(&server->told.object_count, weir_store_object_count(server->store));
    atomic_store(&server->told.client_count, server->client_count);
    atomic_store(&server->told.refused_count, weir_fabric_handshake_counts(server->fabric).refused);
}

static void *run(void *context)
{
    struct weir_object_server *server = context;
    struct weir_event events[WEIR_SERVER_EVENTS_MAX];
    bool is_tidy = true;

    if (server->params.bind)
        server->params.bind(weir_fabric_facts(server->fabric)->numa_node);
    while (!atomic_load(&server->is_closing)) {
        int count = weir_fabric_poll(server->fabric, events, WEIR_SERVER_EVENTS_MAX,
                                     is_tidy ? LOOK_AROUND_NS : 0);

        if (count < 0) {
            tell_broken(server, count);
            break;
        }
        weir_server_take_events(server, events, (unsigned)count);
        weir_server_reap_jobs(server);
        /* One chunk at a time, and only when nobody asks for anything. */
        is_tidy = !count ? !weir_store_tidy(server->store) : false;
        tell_facts(server);
    }
    weir_server_disconnect_all(server);
    return NULL;
}

static int start(struct weir_object_server *server)
{
    int code = weir_thread_start(&server->thread, run, server);

    server->has_thread = !code;
    return code;
}

/* ---- opening ---- */

static int fail(struct weir_error *error, int code, const char *what)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "rdma", "%s: %s", what,
                          strerror(-code));
}

unsigned weir_server_credits(const struct weir_object_server_params *params,
                             uint64_t available_bytes)
{
    uint64_t credit_bytes = (uint64_t)params->fabric.message_bytes * params->client_count;
    uint64_t most_bytes =
        available_bytes / 8 / (params->node_server_count ? params->node_server_count : 1);
    unsigned credits = MESSAGE_CREDITS;

    while (credits > MESSAGE_CREDITS_LEAST && credits * credit_bytes > most_bytes)
        credits /= 2;
    return credits;
}

static void fill_in(struct weir_object_server *server,
                    const struct weir_object_server_params *params)
{
    struct weir_memory_facts memory;

    server->params = *params;
    if (!server->params.client_limit)
        server->params.client_limit = CLIENT_LIMIT;
    server->params.fabric.incoming_limit = server->params.client_limit;
    if (!server->params.client_count)
        server->params.client_count = server->params.client_limit;
    if (!server->params.fabric.message_bytes)
        server->params.fabric.message_bytes = MESSAGE_BYTES;
    if (!server->params.fabric.message_credits)
        server->params.fabric.message_credits = weir_server_credits(
            &server->params,
            weir_memory_describe("", &memory) == 0 ? memory.bytes_available : UINT64_MAX);
}

static int check(const struct weir_object_server *server, struct weir_error *error)
{
    const struct weir_object_server_params *params = &server->params;

    if (!params->capacity_bytes || params->capacity_bytes > (UINT64_C(1) << 31) * WEIR_CHUNK_BYTES)
        return weir_error_set(error, WEIR_EXIT_USAGE, -EINVAL, "rdma",
                              "a capacity of %llu bytes is out of range: give one from 1m to 2p "
                              "(--rdma.capacity, weir serve --capacity)",
                              (unsigned long long)params->capacity_bytes);
    return 0;
}

static int place(void *context, void *memory, size_t bytes)
{
    const struct weir_object_server *server = context;

    return server->params.place(server->params.place_context, memory, bytes,
                                weir_fabric_facts(server->fabric)->numa_node);
}

static int open_slab(struct weir_object_server *server, struct weir_error *error)
{
    const struct weir_object_server_params *params = &server->params;
    struct weir_slab_params slab = {
        /* One more than the capacity: nobody's, for the first steps of a client. */
        .bytes = (server->chunk_count + UINT64_C(1)) * WEIR_CHUNK_BYTES,
        /* A device that translates addresses keeps few pages: large ones, where there are any. */
        .wants_huge_pages = true,
        .place = params->place ? place : NULL,
        .place_context = server,
    };
    int code = weir_slab_open(&server->slab, &slab);

    if (code) {
        const char *denied_call = server->slab.denied_call;
        char size[WEIR_SIZE_TEXT_BYTES];

        server->slab = (struct weir_slab){.fd = -1};
        if (denied_call != NULL)
            return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "rdma",
                                  "the server has no memory to share: " WEIR_SLAB_DENIED,
                                  denied_call);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "rdma",
                              "the server cannot have %s of memory: %s; give less capacity "
                              "(--rdma.capacity, weir serve --capacity)",
                              weir_size_format_exact(params->capacity_bytes, size),
                              strerror(-code));
    }
    if (params->needs_huge_pages && !server->slab.is_huge)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "rdma",
                              "there are too few huge pages in reserve for %zu bytes: as root, "
                              "sysctl vm.nr_hugepages=N, or leave --huge-pages out: they are used "
                              "where there are enough",
                              server->slab.bytes);
    return 0;
}

static size_t reply_bytes(const struct weir_object_server *server)
{
    return (size_t)server->params.fabric.message_bytes * WEIR_REPLY_COUNT;
}

static int register_memory(struct weir_object_server *server, struct weir_error *error)
{
    int code = weir_region_open(server->fabric, server->slab.memory, server->slab.bytes,
                                &server->slab, WEIR_REGION_SERVED, &server->slab_region, error);

    if (code)
        return code;
    server->slab_key = weir_region_key(server->slab_region);
    server->zeros = weir_pages_map(WEIR_CHUNK_BYTES);
    server->replies = weir_pages_map(reply_bytes(server));
    if (!server->zeros || !server->replies)
        return fail(error, -ENOMEM, "no memory for messages");
    code = weir_region_open(server->fabric, server->zeros, WEIR_CHUNK_BYTES, NULL,
                            WEIR_REGION_LOCAL, &server->zeros_region, error);
    if (!code)
        code = weir_region_open(server->fabric, server->replies, reply_bytes(server), NULL,
                                WEIR_REGION_LOCAL, &server->replies_region, error);
    for (unsigned i = 0; i < WEIR_REPLY_COUNT; i++)
        server->free_replies[i] = server->replies + (size_t)i * server->params.fabric.message_bytes;
    server->free_reply_count = WEIR_REPLY_COUNT;
    return code;
}

static int open_store(struct weir_object_server *server, struct weir_error *error)
{
    unsigned char drawn[WEIR_SECRET_BYTES];
    struct weir_store_params store = {.memory = server->slab.memory,
                                      .chunk_count = server->chunk_count};
    int code = weir_secret_draw(drawn); /* any random number that no other server has */

    if (code)
        return fail(error, code, "no random number");
    memcpy(&server->boot_id, drawn, sizeof server->boot_id);
    /* Microseconds, and room for as many objects as can be made in one. */
    store.first_generation = ((uint64_t)(weir_wall_clock_s() * 1e6) << 12) + 1;
    code = weir_server_clients_open(server);
    code = !code ? weir_store_open(&store, &server->store) : -ENOMEM;
    return code ? fail(error, code, "no memory for the store") : 0;
}

static int open_backing(struct weir_object_server *server, struct weir_error *error)
{
    struct weir_backing_params params = {
        .path = server->params.backing_path,
        .bytes = server->chunk_count * WEIR_CHUNK_BYTES,
        .memory = server->slab.memory,
        .check_device = server->params.check_device,
        .wake = wake,
        .context = server,
    };

    return params.path ? weir_backing_open(&params, &server->backing, error) : 0;
}

/* The slab, zeros and replies are registered. */
static int check_need(const struct weir_object_server *server, struct weir_error *error)
{
    const uint64_t slab_bytes = (server->chunk_count + UINT64_C(1)) * WEIR_CHUNK_BYTES;
    const struct weir_fabric_need need = {
        .locked_bytes = slab_bytes + WEIR_CHUNK_BYTES + reply_bytes(server),
        .region_bytes = slab_bytes,
        .regions = 3,
        .links = server->params.client_count,
    };

    return weir_fabric_check(server->fabric, &need, error);
}

static int open_all(struct weir_object_server *server, struct weir_error *error)
{
    const struct weir_object_server_params *params = &server->params;
    int code = check(server, error);

    if (code)
        return code;
    server->chunk_count =
        (uint32_t)((params->capacity_bytes + WEIR_CHUNK_BYTES - 1) / WEIR_CHUNK_BYTES);
    code = weir_fabric_open(&params->fabric, &server->fabric, error);
    /* Before memory is touched: that takes long, and the refusal would come late. */
    if (!code)
        code = check_need(server, error);
    if (!code)
        code = open_slab(server, error);
    if (!code)
        code = register_memory(server, error);
    if (!code)
        code = open_store(server, error);
    if (!code)
        code = open_backing(server, error);
    if (!code)
        code = weir_fabric_listen(server->fabric, params->listen, server->address, error);
    if (code)
        return code;
    code = start(server);
    return code ? fail(error, code, "no thread can be started") : 0;
}

int weir_object_server_open(const struct weir_object_server_params *params,
                            struct weir_object_server **server, struct weir_error *error)
{
    struct weir_object_server *made = calloc(1, sizeof *made);
    int code;

    if (!made)
        return fail(error, -ENOMEM, "no memory");
    made->slab.fd = -1;
    fill_in(made, params);
    code = open_all(made, error);
    if (code) {
        weir_object_server_close(made);
        return code;
    }
    *server = made;
    return 0;
}

const char *weir_object_server_address(const struct weir_object_server *server)
{
    return server->address;
}

void weir_object_server_facts(struct weir_object_server *server,
                              struct weir_object_server_facts *facts)
{
    *facts = (struct weir_object_server_facts){
        .fabric = *weir_fabric_facts(server->fabric),
        .capacity_bytes = server->chunk_count * WEIR_CHUNK_BYTES,
        .used_bytes = atomic_load(&server->told.used_bytes),
        .object_count = atomic_load(&server->told.object_count),
        .client_count = atomic_load(&server->told.client_count),
        .message_count = atomic_load(&server->told.message_count),
        .refused_count = atomic_load(&server->told.refused_count),
        .is_broken = atomic_load(&server->told.is_broken),
        .is_huge = server->slab.is_huge,
        .has_backing = server->backing,
    };
}

static void release_tasks(struct weir_object_server *server)
{
    for (struct weir_task *task = server->free_tasks, *next; task; task = next) {
        next = task->next;
        free(task);
    }
}

void weir_object_server_close(struct weir_object_server *server)
{
    if (!server)
        return;
    atomic_store(&server->is_closing, true);
    if (server->has_thread) {
        weir_fabric_wake(server->fabric);
        pthread_join(server->thread, NULL);
    }
    weir_backing_close(server->backing);
    weir_region_close(server->replies_region);
    weir_region_close(server->zeros_region);
    weir_region_close(server->slab_region);
    if (server->fabric)
        weir_fabric_close(server->fabric);
    weir_store_close(server->store);
    if (server->slab.memory)
        weir_slab_close(&server->slab);
    weir_pages_unmap(server->zeros, WEIR_CHUNK_BYTES);
    weir_pages_unmap(server->replies, reply_bytes(server));
    release_tasks(server);
    free(server->clients);
    free(server);
}
