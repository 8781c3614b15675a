/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the way to a server is told before anything is measured: each step by name,
 * and what can be done about it. */
#include "client_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_BYTES_MAX = 1 << 20, TOUCH_BYTES = 8 };

/* Full-size data on their way out and back, or a few bytes that are read. */
struct trial {
    unsigned char *out;
    unsigned char *back;
    size_t bytes;
    struct weir_region *region;
};

enum trial_step { STEP_LINK, STEP_MESSAGE, STEP_WRITE, STEP_READ, STEP_COMPARE };

static const struct {
    const char *name;
    const char *way_out;
} steps[] = {
    [STEP_LINK] = {"connecting to it",
                   "see that it runs, that both have the same secret, and that no firewall is "
                   "between them"},
    [STEP_MESSAGE] = {"a message of full size to it and back",
                      "the way there may have a smaller MTU than its ends: try --rdma.mtu 1024, or "
                      "another --rdma.gid"},
    [STEP_WRITE] = {"a WRITE of full size to its memory",
                    "the way there may have a smaller MTU than its ends: try --rdma.mtu 1024, or "
                    "another --rdma.gid; for shm, processes must be allowed to see each other"},
    [STEP_READ] = {"a READ from its memory",
                   "the way there may have a smaller MTU than its ends: try --rdma.mtu 1024, or "
                   "fewer READs at once, --rdma.read-depth 1"},
    [STEP_COMPARE] = {"what was written and read again",
                      "data are spoilt on their way: do not trust this device"},
};

/* ---- memory ---- */

static int open_trial(struct weir_object_client *client, struct trial *trial,
                      struct weir_error *error)
{
    int rc;

    *trial = (struct trial){.bytes = TRIAL_BYTES_MAX};
    trial->out = aligned_alloc(4096, 2 * trial->bytes);
    if (!trial->out)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "objects", "out of memory");
    trial->back = trial->out + trial->bytes;
    for (size_t i = 0; i < trial->bytes; i++)
        trial->out[i] = (unsigned char)(i * 7 + i / 4096 * 13 + 1);
    rc = weir_region_open(client->fabric, trial->out, 2 * trial->bytes, NULL, WEIR_REGION_LOCAL,
                          &trial->region, error);
    if (rc < 0)
        free(trial->out);
    return rc;
}

static void close_trial(struct trial *trial)
{
    weir_region_close(trial->region);
    free(trial->out);
}

static struct trial touch_of(const struct weir_object_client *client)
{
    return (struct trial){
        .back = client->request, .bytes = TOUCH_BYTES, .region = client->request_region};
}

/* ---- steps ---- */

static int exchange_message(struct weir_object_client *client, struct client_server *server,
                            const struct trial *trial)
{
    size_t there = server->message_bytes - sizeof(struct weir_request);
    size_t here = client->request_bytes - sizeof(struct weir_request);
    size_t bytes = there < here ? there : here;
    int rc = weir_client_call(client, server, &(struct weir_request){.verb = WEIR_VERB_PING},
                              &(struct parts){.payload = trial->out, .payload_bytes = bytes});

    if (rc < 0)
        return rc;
    return client->call.answer.payload_bytes == bytes &&
                   memcmp(client->call.payload, trial->out, bytes) == 0
               ? 0
               : -EBADMSG;
}

/* So much goes there and back with one work request. */
static uint64_t trial_bytes(const struct weir_object_client *client,
                            const struct client_server *server, const struct trial *trial)
{
    uint64_t bytes = trial->bytes;

    if (bytes > server->scratch_bytes)
        bytes = server->scratch_bytes;
    return bytes < client->facts->longest_wr_bytes ? bytes : client->facts->longest_wr_bytes;
}

static int move_wr(struct weir_object_client *client, struct client_server *server,
                   const struct trial *trial, enum weir_wr_verb verb)
{
    struct op *op = weir_client_take_op(server, NULL);
    uint64_t until_ns = 0;
    struct weir_wr *wr;

    if (!op)
        return -EBUSY;
    client->call.is_waiting = true;
    /* It may have gone after it answered the step before: then nothing would come back. */
    wr = weir_client_next_wr(client, server);
    if (!wr) {
        weir_client_cancel_op(op);
        client->call.is_waiting = false;
        return server->lost_code;
    }
    server->was_touched = true;
    *wr = (struct weir_wr){
        .verb = verb,
        .data = verb == WEIR_WR_WRITE ? trial->out : trial->back,
        .bytes = trial_bytes(client, server, trial),
        .region = trial->region,
        .remote_address = server->scratch_address,
        .remote = &server->key,
        .context = op,
    };
    weir_client_flush(client);
    while (client->call.is_waiting)
        if (weir_client_wait(client, UINT64_MAX, &until_ns) == WAIT_BROKEN)
            return -EIO;
    return client->call.status;
}

static int take_step(struct weir_object_client *client, struct client_server *server,
                     struct trial *trial, enum trial_step step)
{
    switch (step) {
    case STEP_LINK:
        return weir_client_reach(client, server);
    case STEP_MESSAGE:
        return exchange_message(client, server, trial);
    case STEP_WRITE:
        return move_wr(client, server, trial, WEIR_WR_WRITE);
    case STEP_READ:
        memset(trial->back, 0, trial->bytes);
        return move_wr(client, server, trial, WEIR_WR_READ);
    case STEP_COMPARE:
        return memcmp(trial->out, trial->back, trial_bytes(client, server, trial)) == 0 ? 0
                                                                                        : -EBADMSG;
    }
    return 0;
}

/* A server that refuses the greeting says why itself. */
static int tell(const struct weir_object_client *client, const struct client_server *server,
                enum trial_step step, int rc, struct weir_error *error)
{
    const char *address = client->addresses[server->number];
    int length = (int)client->call.answer.payload_bytes;

    if (step == STEP_LINK && client->call.answer.status == rc && rc == -EPROTO && length > 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "rdma", "server %u at %s: %.*s",
                              server->number, address, length < 400 ? length : 400,
                              (const char *)client->call.payload);
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "rdma",
                          "server %u at %s: %s failed: %s; %s", server->number, address,
                          steps[step].name, strerror(-rc), steps[step].way_out);
}

static int try_server(struct weir_object_client *client, struct client_server *server,
                      struct trial *trial, struct weir_error *error)
{
    for (int step = STEP_LINK; step <= STEP_COMPARE; step++) {
        int rc;

        if (client->params.leaves_trial && step != STEP_LINK && step != STEP_READ)
            continue;
        rc = take_step(client, server, trial, (enum trial_step)step);
        if (rc < 0)
            return tell(client, server, (enum trial_step)step, rc, error);
    }
    return 0;
}

int weir_client_touch(struct weir_object_client *client, struct client_server *server)
{
    const struct trial trial = touch_of(client);

    return move_wr(client, server, &trial, WEIR_WR_READ);
}

int weir_object_client_preflight(struct weir_object_client *client, struct weir_error *error)
{
    const unsigned count = client->params.server_count;
    const bool leaves_trial = client->params.leaves_trial;
    /* All of them hold a part of each object, and to connect to them while it is timed is too late.
     */
    const bool needs_all = !leaves_trial || client->params.stripe_count == count;
    struct trial trial = touch_of(client);
    int rc = leaves_trial ? 0 : open_trial(client, &trial, error);

    if (rc < 0)
        return rc;
    for (unsigned i = 0; rc == 0 && i < (needs_all ? count : 1); i++)
        rc = try_server(client, &client->servers[(client->params.first_server + i) % count], &trial,
                        error);
    if (!leaves_trial)
        close_trial(&trial);
    return rc;
}
