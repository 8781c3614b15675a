/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a client: opened, linked to servers when they are needed, looking at what happens. */
#include "client_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The CPU's clock is looked at only now and then while events keep coming. */
enum { POLLS_BETWEEN_LOOKS = 1024 };

/* ---- opening ---- */

static int open_rings(struct weir_object_client *client)
{
    size_t count = client->params.depth + 1; /* one for the sync that blocks */

    client->slots = calloc(count, sizeof *client->slots);
    client->todo.slots = calloc(count, sizeof(struct slot *));
    client->done.slots = calloc(count, sizeof(struct slot *));
    return client->slots && client->todo.slots && client->done.slots ? 0 : -ENOMEM;
}

static int open_servers(struct weir_object_client *client)
{
    unsigned count = client->params.server_count;

    client->servers = calloc(count, sizeof *client->servers);
    client->addresses = calloc(count, sizeof *client->addresses);
    client->posts = calloc(count, sizeof(struct client_server *));
    if (!client->servers || !client->addresses || !client->posts)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        client->servers[i].number = i;
        strncpy(client->addresses[i], client->params.addresses[i], sizeof client->addresses[i] - 1);
    }
    client->params.addresses = NULL;
    return 0;
}

static void fill_params(struct weir_object_client *client)
{
    struct weir_object_client_params *params = &client->params;
    struct weir_fabric_params *fabric = &params->fabric;
    uint64_t longest = MESSAGE_BYTES;

    if (fabric->secret) {
        memcpy(client->secret, fabric->secret, sizeof client->secret);
        fabric->secret = client->secret;
    }
    if (params->stripe_unit_bytes == 0)
        params->stripe_unit_bytes = UINT64_C(1) << 20;
    if (params->stripe_count == 0 || params->stripe_count > params->server_count)
        params->stripe_count = params->server_count;
    if (params->send_bytes == 0)
        params->send_bytes = WEIR_OBJECT_MESSAGE_BYTES;
    if (params->mode == WEIR_OBJECT_SEND && params->send_bytes > longest)
        longest = params->send_bytes;
    if (fabric->message_bytes < longest)
        fabric->message_bytes = (unsigned)longest;
    if (fabric->message_credits == 0)
        fabric->message_credits = CREDITS;
    if (fabric->timeout_ns == 0)
        fabric->timeout_ns = TIMEOUT_NS;
}

static int fill_client(struct weir_object_client *client, struct weir_error *error)
{
    int rc;

    fill_params(client);
    if (open_rings(client) < 0 || open_servers(client) < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "objects", "out of memory");
    rc = weir_fabric_open(&client->params.fabric, &client->fabric, error);
    if (rc < 0)
        return rc;
    client->facts = weir_fabric_facts(client->fabric);
    client->failed_server = -1;
    return weir_client_open_messages(client, error);
}

int weir_object_client_open(const struct weir_object_client_params *params,
                            struct weir_object_client **client, struct weir_error *error)
{
    struct weir_object_client *opened = calloc(1, sizeof *opened);
    int rc;

    assert(params->depth > 0 && params->server_count > 0 &&
           params->server_count <= WEIR_OBJECT_SERVERS_MAX);
    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "objects", "out of memory");
    opened->params = *params;
    rc = fill_client(opened, error);
    if (rc < 0) {
        weir_object_client_close(opened);
        return rc;
    }
    *client = opened;
    return 0;
}

void weir_object_client_close(struct weir_object_client *client)
{
    if (!client)
        return;
    /* Links first: nothing touches memory any more. */
    for (unsigned i = 0; client->servers && i < client->params.server_count; i++) {
        weir_link_close(client->servers[i].link);
        free(client->servers[i].ops);
    }
    weir_client_forget_objects(client);
    weir_object_give_back(client);
    weir_client_close_bounce(client);
    weir_client_close_messages(client);
    if (client->fabric)
        weir_fabric_close(client->fabric);
    free(client->servers);
    free(client->addresses);
    free(client->posts);
    free(client->slots);
    free(client->todo.slots);
    free(client->done.slots);
    free(client);
}

const struct weir_fabric_facts *weir_object_client_facts(const struct weir_object_client *client)
{
    return client->facts;
}

unsigned weir_object_client_depth(const struct weir_object_client *client)
{
    const unsigned asked = client->params.depth;
    unsigned most = client->facts->depth;

    if (client->params.mode != WEIR_OBJECT_ONE_SIDED) {
        const unsigned count = client->params.server_count;
        const struct client_server *first = &client->servers[client->params.first_server % count];

        most = 0;
        for (unsigned i = 0; i < count && most < asked; i++) {
            const struct client_server *server = &client->servers[i];

            if (server->state == SERVER_UNTRIED)
                server = first;
            most += server->credits - server->reserve;
        }
    }
    return most < asked ? most : asked;
}

enum weir_object_flush weir_object_client_flushed(const struct weir_object_client *client)
{
    return client->flushed;
}

/* ---- memory ---- */

int weir_object_lend(struct weir_object_client *client, void *memory, size_t bytes,
                     struct weir_error *error)
{
    int rc;

    assert(!client->lent_region);
    rc = weir_region_open(client->fabric, memory, bytes, NULL,
                          client->params.mode == WEIR_OBJECT_PULL ? WEIR_REGION_SERVED
                                                                  : WEIR_REGION_LOCAL,
                          &client->lent_region, error);
    if (rc < 0) {
        client->lent_region = NULL;
        return rc;
    }
    client->lent = memory;
    client->lent_bytes = bytes;
    return 0;
}

void weir_object_give_back(struct weir_object_client *client)
{
    weir_region_close(client->lent_region);
    client->lent_region = NULL;
    client->lent = NULL;
    client->lent_bytes = 0;
}

/* ---- failures ---- */

void weir_client_note_failure(struct weir_object_client *client, const struct client_server *server,
                              int code)
{
    client->failed_server = (int)server->number;
    client->failed_code = code;
}

static const char *say(int code)
{
    switch (code) {
    case -ETIMEDOUT:
        return "does not answer";
    case -EHOSTDOWN:
        return "cut the link";
    case -ECONNREFUSED:
        return "was not there, or refused this client";
    case -ENOSPC:
        return "has no memory left: --rdma.capacity (weir serve --capacity) gives it more";
    case -EXDEV:
        return "has the name, and another one would have the new name: servers do not give names "
               "to each other";
    case -EOPNOTSUPP:
        return "has nothing behind its memory: start it with --rdma.back FILE (weir serve --back)";
    default:
        return NULL;
    }
}

void weir_object_client_explain(const struct weir_object_client *client, struct weir_text *text)
{
    const char *words;

    if (client->failed_server < 0)
        return;
    words = say(client->failed_code);
    weir_text_add(text, "server %d at %s", client->failed_server,
                  client->addresses[client->failed_server]);
    if (words)
        weir_text_add(text, " %s", words);
    else
        weir_text_add(text, ": %s", strerror(-client->failed_code));
}

static void fail_ops(struct weir_object_client *client, struct client_server *server)
{
    for (unsigned i = 0; i < server->op_count && server->outstanding > 0; i++)
        if (server->ops[i].is_outstanding)
            weir_client_complete_op(client, &server->ops[i], server->lost_code);
}

void weir_client_lose_server(struct weir_object_client *client, struct client_server *server,
                             int code)
{
    if (server->state == SERVER_GONE)
        return;
    server->state = SERVER_GONE;
    server->lost_code = code;
    weir_client_note_failure(client, server, code);
    /* Events that were told together with the one that is looked at may name it yet. */
    if (client->is_handling)
        server->old_link = server->link;
    else
        weir_link_close(server->link);
    client->has_old_links |= client->is_handling;
    server->link = NULL;
    server->batch_count = 0;
    fail_ops(client, server);
    weir_client_retry_stalled(client, server, true);
}

/* ---- looking ---- */

/* What a link that is cut is called: how far it had come makes the difference. */
static int code_of_loss(const struct client_server *server, int result)
{
    if (result == -ETIMEDOUT)
        return result;
    return server->state == SERVER_JOINING ? -ECONNREFUSED : -EHOSTDOWN;
}

/* Work requests of a link that breaks come back before that is told. */
static int code_of_wr(int result)
{
    switch (result) {
    case -ECONNRESET:
    case -ECONNABORTED:
    case -ENOTCONN:
    case -EPIPE:
    case -ECANCELED:
        return -EHOSTDOWN;
    default:
        return result;
    }
}

static void close_old_links(struct weir_object_client *client)
{
    for (unsigned i = 0; client->has_old_links && i < client->params.server_count; i++) {
        weir_link_close(client->servers[i].old_link);
        client->servers[i].old_link = NULL;
    }
    client->has_old_links = false;
}

static void handle(struct weir_object_client *client, const struct weir_event *event)
{
    struct client_server *server = weir_link_owner(event->link);

    if (!server || server->link != event->link)
        return;
    server->was_heard = true;
    switch (event->kind) {
    case WEIR_EVENT_DONE:
        if (event->context)
            weir_client_complete_op(client, event->context, code_of_wr(event->result));
        weir_client_retry_stalled(client, server, false);
        break;
    case WEIR_EVENT_MESSAGE:
        weir_client_take_message(client, server, event);
        weir_client_retry_stalled(client, server, false);
        break;
    case WEIR_EVENT_JOINED:
        server->has_joined = true;
        break;
    case WEIR_EVENT_LEFT:
        weir_client_lose_server(client, server, code_of_loss(server, event->result));
        break;
    }
}

/* One-sided transfers go on where a process has stopped: whoever owes an answer must speak. */
static bool has_spoken(const struct client_server *server)
{
    return server->asked > 0 ? server->has_answered : server->was_heard;
}

static bool may_probe(const struct client_server *server)
{
    return server->asked > 0 && server->state == SERVER_UP && !server->was_probed;
}

/* An answer may take as long as the storage behind it takes; that the server is there, it can say
 * at once. */
void weir_client_find_silent(struct weir_object_client *client, uint64_t now_ns)
{
    const uint64_t timeout_ns = client->params.fabric.timeout_ns;

    client->looked_ns = now_ns;
    for (unsigned i = 0; i < client->params.server_count; i++) {
        struct client_server *server = &client->servers[i];

        if (server->outstanding == 0 || server->state == SERVER_GONE)
            continue;
        if (has_spoken(server) || server->quiet_ns == 0) {
            server->was_heard = server->has_answered = server->was_probed = false;
            server->quiet_ns = now_ns;
        } else if (may_probe(server) && now_ns - server->quiet_ns >= timeout_ns / 4 &&
                   weir_client_send_probe(client, server)) {
            server->was_probed = true;
            /* However late that was, it has this long to answer. */
            server->quiet_ns = now_ns - timeout_ns / 4;
        } else if (now_ns - server->quiet_ns >= timeout_ns) {
            weir_client_lose_server(client, server, -ETIMEDOUT);
        }
    }
    weir_client_run_slots(client);
}

int weir_client_poll(struct weir_object_client *client, uint64_t timeout_ns)
{
    struct weir_event events[EVENTS];
    int count = weir_fabric_poll(client->fabric, events, EVENTS, timeout_ns);

    client->is_handling = true;
    for (int i = 0; i < count; i++)
        handle(client, &events[i]);
    client->is_handling = false;
    close_old_links(client);
    if (count > 0)
        weir_client_run_slots(client);
    if (++client->polls % POLLS_BETWEEN_LOOKS == 0)
        weir_client_find_silent(client, weir_clock_kernel_ns());
    return count;
}

/* No longer than it takes to find a silent server in time. */
static uint64_t slice_of(const struct weir_object_client *client)
{
    uint64_t slice_ns = client->params.fabric.timeout_ns / 8;

    return slice_ns < WAIT_SLICE_NS ? slice_ns + 1 : WAIT_SLICE_NS;
}

enum wait_end weir_client_wait(struct weir_object_client *client, uint64_t timeout_ns,
                               uint64_t *until_ns)
{
    const uint64_t now_ns = weir_clock_kernel_ns();
    uint64_t wait_ns = slice_of(client);
    uint64_t after_ns;
    int count;

    if (*until_ns == 0)
        *until_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
    if (now_ns >= *until_ns)
        return WAIT_OVER;
    if (wait_ns > *until_ns - now_ns)
        wait_ns = *until_ns - now_ns;
    /* Nor does it pass unseen while there is always something else. */
    if (now_ns - client->looked_ns >= wait_ns)
        weir_client_find_silent(client, now_ns);
    count = weir_client_poll(client, wait_ns);
    if (count != 0)
        return count < 0 ? WAIT_BROKEN : WAIT_EVENT;
    after_ns = weir_clock_kernel_ns();
    weir_client_find_silent(client, after_ns);
    if (after_ns >= *until_ns)
        return WAIT_OVER;
    /* It came back before its time: there was a signal. */
    return after_ns - now_ns + SLEEP_GRAIN_NS < wait_ns ? WAIT_SIGNAL : WAIT_EVENT;
}

/* ---- linking ---- */

static int open_ops(const struct weir_object_client *client, struct client_server *server)
{
    unsigned count = client->facts->depth + BATCH + weir_link_credits(server->link);

    if (count > OPS_MAX)
        count = OPS_MAX;
    server->ops = calloc(count, sizeof *server->ops);
    if (!server->ops)
        return -ENOMEM;
    server->op_count = count;
    for (unsigned i = 0; i < count; i++) {
        server->ops[i].server = server;
        server->ops[i].next_free = (uint16_t)(i + 1 < count ? i + 1 : NO_OP);
    }
    server->first_free = 0;
    return 0;
}

/* Until the listener has answered; the fabric gives up by itself, and this only if it does not. */
static int await_join(struct weir_object_client *client, struct client_server *server)
{
    uint64_t until_ns = weir_clock_kernel_ns() + 2 * client->params.fabric.timeout_ns;

    while (server->state == SERVER_JOINING && !server->has_joined) {
        if (weir_client_poll(client, slice_of(client)) < 0)
            return -EIO;
        if (weir_clock_kernel_ns() > until_ns)
            weir_client_lose_server(client, server, -ETIMEDOUT);
    }
    return server->state == SERVER_GONE ? server->lost_code : 0;
}

static int join(struct weir_object_client *client, struct client_server *server)
{
    int rc = weir_fabric_connect(client->fabric, client->addresses[server->number], NULL, 0,
                                 &server->link);

    if (rc < 0) {
        server->link = NULL;
        return rc;
    }
    server->state = SERVER_JOINING;
    weir_link_set_owner(server->link, server);
    rc = await_join(client, server);
    if (rc < 0)
        return rc;
    server->message_bytes = weir_link_message_bytes(server->link);
    if (server->message_bytes < WEIR_OBJECT_MESSAGE_BYTES_MIN)
        return -EPROTO;
    rc = open_ops(client, server);
    if (rc < 0)
        return rc;
    server->credits = weir_link_credits(server->link);
    /* Answers need as much room here. */
    if (server->credits > client->params.fabric.message_credits)
        server->credits = client->params.fabric.message_credits;
    return weir_client_say_hello(client, server);
}

int weir_client_reach(struct weir_object_client *client, struct client_server *server)
{
    int rc;

    if (server->state == SERVER_UP)
        return 0;
    if (server->state == SERVER_UNTRIED) {
        rc = join(client, server);
        if (rc == 0) {
            server->state = SERVER_UP;
            return 0;
        }
        weir_client_lose_server(client, server, rc);
    }
    weir_client_note_failure(client, server, server->lost_code);
    return server->lost_code;
}
