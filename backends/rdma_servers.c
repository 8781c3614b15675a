/* SPDX-License-Identifier: Apache-2.0 */
/* Servers of remote memory in the job: which ranks serve, and one of them. */
#include "rdma_options.h"
#include "weir/objects/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct weir_backend weir_backend_rdma;

struct rdma_server {
    struct weir_server base;
    struct weir_object_server *server;
};

/* ---- who serves ---- */

static void make_clients(const struct weir_group *group, unsigned roles[])
{
    for (int rank = 0; rank < group->size; rank++)
        roles[rank] = WEIR_ROLE_CLIENT;
}

static int assign_all(const struct weir_group *group, unsigned roles[])
{
    for (int rank = 0; rank < group->size; rank++)
        roles[rank] = WEIR_ROLE_CLIENT | WEIR_ROLE_SERVER;
    return 0;
}

static int assign_last(const struct weir_group *group, unsigned count, unsigned roles[],
                       struct weir_error *error)
{
    if (count >= (unsigned)group->size)
        return weir_error_usage(error, "rdma",
                                "--rdma.targets %u: of %d rank%s none would be left to be a "
                                "client: start at least %u, or have every rank be both with "
                                "--rdma.targets self",
                                count, group->size, group->size == 1 ? "" : "s", count + 1);
    for (unsigned i = 0; i < count; i++)
        roles[(unsigned)group->size - 1 - i] = WEIR_ROLE_SERVER;
    return 0;
}

static int ranks_of(const struct weir_group *group, int node, int *last)
{
    int count = 0;

    for (int rank = 0; rank < group->size; rank++)
        if (group->node_of_rank[rank] == node) {
            *last = rank;
            count++;
        }
    return count;
}

static int assign_per_node(const struct weir_group *group, unsigned roles[],
                           struct weir_error *error)
{
    int last = 0;

    for (int node = 0; node < group->node_count; node++) {
        if (ranks_of(group, node, &last) < 2)
            return weir_error_usage(error, "rdma",
                                    "--rdma.targets per-node: node %s has a single rank, which "
                                    "would serve, and no client: start two or more on each node, "
                                    "or name a number of ranks",
                                    group->node_names[node]);
        roles[last] = WEIR_ROLE_SERVER;
    }
    return 0;
}

static int assign_number(const char *word, const struct weir_group *group, unsigned roles[],
                         struct weir_error *error)
{
    unsigned count = 0;
    int rc = weir_rdma_targets_read(word, &count, error);

    return rc < 0 ? rc : assign_last(group, count, roles, error);
}

static int assign(const struct weir_rdma_options *options, const struct weir_group *group,
                  unsigned roles[], struct weir_error *error)
{
    make_clients(group, roles);
    if (weir_rdma_has_hosts(options))
        return 0;
    if (!options->targets)
        return group->size == 1 ? assign_all(group, roles) : assign_last(group, 1, roles, error);
    if (strcmp(options->targets, "self") == 0)
        return assign_all(group, roles);
    if (strcmp(options->targets, "per-node") == 0)
        return assign_per_node(group, roles, error);
    return assign_number(options->targets, group, roles, error);
}

static unsigned count_servers(const struct weir_group *group, const unsigned roles[])
{
    unsigned count = 0;

    for (int rank = 0; rank < group->size; rank++)
        count += (roles[rank] & WEIR_ROLE_SERVER) != 0;
    return count;
}

/* What can only be said when it is known how many there are. */
static int check_count(const struct weir_rdma_options *options, unsigned count,
                       struct weir_error *error)
{
    if (count > WEIR_OBJECT_SERVERS_MAX)
        return weir_error_usage(error, "rdma",
                                "%u servers are more than the %d that a client can have: let fewer "
                                "ranks serve with --rdma.targets",
                                count, WEIR_OBJECT_SERVERS_MAX);
    if (options->back && count > 1 && !strstr(options->back, "%d"))
        return weir_error_usage(error, "rdma",
                                "--rdma.back %s: %u servers would share one file: put %%d where "
                                "the server's number shall stand",
                                options->back, count);
    if (options->stripe_count > count)
        return weir_error_usage(error, "rdma",
                                "--rdma.stripe-count %u: there %s only %u server%s: name at most "
                                "as many, or 0 for all",
                                options->stripe_count, count == 1 ? "is" : "are", count,
                                count == 1 ? "" : "s");
    return 0;
}

static int check_nodes(const struct weir_rdma_options *options, const struct weir_group *group,
                       struct weir_error *error)
{
    if (group->node_count > 1 && options->fabric.provider &&
        strcmp(options->fabric.provider, "shm") == 0)
        return weir_error_usage(error, "rdma",
                                "--rdma.provider shm: memory is shared within a node, and the "
                                "ranks are on %d: start them on one, or choose tcp or verbs",
                                group->node_count);
    return 0;
}

static int rdma_assign(const void *options, const struct weir_group *group, unsigned roles[],
                       struct weir_error *error)
{
    const struct weir_rdma_options *rdma = options;
    int rc = weir_rdma_options_check(rdma, error);

    if (rc == 0)
        rc = assign(rdma, group, roles, error);
    if (rc < 0 || weir_rdma_has_hosts(rdma))
        return rc;
    rc = check_nodes(rdma, group, error);
    return rc < 0 ? rc : check_count(rdma, count_servers(group, roles), error);
}

/* ---- one of them ---- */

/* "/scratch/back.%d" -> "/scratch/back.3"; what else has a % stays as it is. */
static void number_path(const char *path, unsigned number, struct weir_text *numbered)
{
    const char *place;

    while ((place = strstr(path, "%d")) != NULL) {
        weir_text_add_bytes(numbered, path, (size_t)(place - path));
        weir_text_add(numbered, "%u", number);
        path = place + 2;
    }
    weir_text_add(numbered, "%s", path);
}

/* Queue pairs go the way of their device wherever the handshake takes place; the others stay on the
 * node if all ranks are there. */
static const char *listen_at(const struct weir_rdma_options *options, bool is_on_one_node)
{
    bool is_socket = options->fabric.provider && strcmp(options->fabric.provider, "verbs") != 0;

    return is_socket && is_on_one_node && !options->fabric.interface ? "127.0.0.1" : NULL;
}

static int open_server(const struct weir_server_params *params, struct weir_object_server **server,
                       struct weir_error *error)
{
    const struct weir_rdma_options *options = params->options;
    char device[WEIR_RDMA_DEVICE_BYTES];
    struct weir_text back = {0};
    struct weir_object_server_params server_params = {
        .fabric = weir_rdma_fabric_params(options, params->number_on_node, device, params->secret),
        .listen = listen_at(options, params->is_on_one_node),
        .capacity_bytes = options->capacity_bytes,
        .place = params->place,
        .place_context = params->place_context,
        .bind = params->bind,
        .check_device = params->check_device,
        .client_count = params->client_count,
        .node_server_count = params->node_server_count,
        /* A client's next session may join before the end of its last one was noticed. */
        .client_limit = 2 * params->client_count,
    };
    int rc;

    /* Whatever the mode of this test is, the next one may send data in messages. */
    server_params.fabric.message_bytes = WEIR_OBJECT_MESSAGE_BYTES;
    if (options->back) {
        number_path(options->back, params->server_number, &back);
        server_params.backing_path = weir_text_string(&back);
    }
    rc = weir_object_server_open(&server_params, server, error);
    weir_text_close(&back);
    return rc;
}

static int rdma_server_open(const struct weir_server_params *params, struct weir_server **server,
                            struct weir_error *error)
{
    struct rdma_server *opened = calloc(1, sizeof *opened);
    int rc;

    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "rdma", "out of memory");
    rc = open_server(params, &opened->server, error);
    if (rc < 0) {
        free(opened);
        return rc;
    }
    opened->base.backend = &weir_backend_rdma;
    strncpy(opened->base.address, weir_object_server_address(opened->server),
            sizeof opened->base.address - 1);
    *server = &opened->base;
    return 0;
}

static void rdma_server_close(struct weir_server *server)
{
    struct rdma_server *rdma = (struct rdma_server *)server;

    weir_object_server_close(rdma->server);
    free(rdma);
}

/* ---- for another test ---- */

static bool is_same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

/* The caller compares which ranks serve. */
static bool rdma_is_same(const void *options, const void *others)
{
    const struct weir_rdma_options *one = options;
    const struct weir_rdma_options *other = others;

    return is_same_text(one->fabric.provider, other->fabric.provider) &&
           is_same_text(one->fabric.device, other->fabric.device) &&
           is_same_text(one->fabric.interface, other->fabric.interface) &&
           one->fabric.gid_index == other->fabric.gid_index &&
           one->fabric.mtu_bytes == other->fabric.mtu_bytes &&
           one->fabric.service_level == other->fabric.service_level &&
           one->fabric.traffic_class == other->fabric.traffic_class &&
           one->fabric.pkey_index == other->fabric.pkey_index &&
           one->capacity_bytes == other->capacity_bytes && is_same_text(one->back, other->back);
}

const struct weir_server_ops weir_rdma_server_ops = {
    .assign = rdma_assign,
    .open = rdma_server_open,
    .close = rdma_server_close,
    .is_same = rdma_is_same,
};
