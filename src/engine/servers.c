/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks come to the same roles, and only what differs between them, opening, is agreed upon. */
#include "servers.h"

#include "weir/base/options.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/system/block_device.h"
#include "weir/system/memory_place.h"
#include "weir/system/running.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Sleep between two looks of a rank that is not in the test. */
#define PAUSE_NS 2000000

static bool serves(unsigned role)
{
    return (role & WEIR_ROLE_SERVER) != 0;
}

/* Among the first `ranks` ranks. */
static unsigned count_before(const unsigned roles[], int ranks, enum weir_role role)
{
    unsigned count = 0;

    for (int rank = 0; rank < ranks; rank++)
        count += (roles[rank] & role) != 0;
    return count;
}

static unsigned count_servers(const struct weir_servers *servers)
{
    return count_before(servers->roles, servers->group->size, WEIR_ROLE_SERVER);
}

static unsigned count_on_node(const struct weir_servers *servers)
{
    const struct weir_group *group = servers->group;
    unsigned count = 0;

    for (int rank = 0; rank < group->size; rank++)
        count += group->node_of_rank[rank] == group->node && serves(servers->roles[rank]);
    return count;
}

/* ---- whose servers ---- */

/* The backend that may have servers: the one inside, if another is wrapped around it. */
struct server_request {
    const struct weir_backend *backend;
    const void *options;
};

static struct server_request request_of(const struct weir_engine_params *params,
                                        const struct weir_test *test)
{
    const bool is_wrapped = test->inner != NULL;
    const char *name = is_wrapped ? test->inner->name : test->backend->name;

    return (struct server_request){
        .backend = weir_backend_find(params->registry, name),
        .options = is_wrapped ? test->inner_options : test->backend_options,
    };
}

/* Those that are open do for this test. */
static bool do_already(const struct weir_servers *servers, const struct server_request *request)
{
    const struct weir_server_ops *ops = request->backend->server;

    if (servers->backend != request->backend ||
        memcmp(servers->roles, servers->serving_roles,
               (size_t)servers->group->size * sizeof *servers->roles) != 0)
        return false;
    if (ops->is_same != NULL)
        return ops->is_same(servers->options, request->options);
    return weir_options_are_same(&request->backend->descriptor.options, servers->options,
                                 request->options);
}

/* ---- opening and closing ---- */

int weir_servers_open(struct weir_servers *servers, struct weir_group *group,
                      struct weir_error *error)
{
    const size_t ranks = (size_t)group->size;

    *servers = (struct weir_servers){.group = group};
    servers->roles = calloc(ranks, sizeof *servers->roles);
    servers->serving_roles = calloc(ranks, sizeof *servers->serving_roles);
    if (servers->roles == NULL || servers->serving_roles == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    return weir_group_agree(group, error);
}

/* Other ranks may still be about to close their sessions. */
static void close_servers(struct weir_servers *servers)
{
    if (servers->backend == NULL)
        return;
    weir_group_barrier(servers->group);
    if (servers->mine != NULL)
        servers->backend->server->close(servers->mine);
    free(servers->addresses);
    free(servers->address_list);
    explicit_bzero(servers->secret, sizeof servers->secret);
    servers->backend = NULL;
    servers->mine = NULL;
    servers->addresses = NULL;
    servers->address_list = NULL;
    servers->count = 0;
}

void weir_servers_close(struct weir_servers *servers)
{
    close_servers(servers);
    free(servers->roles);
    free(servers->serving_roles);
    *servers = (struct weir_servers){0};
}

static int share_secret(struct weir_servers *servers)
{
    int code = 0;

    if (servers->group->rank == 0 &&
        getrandom(servers->secret, sizeof servers->secret, 0) != (ssize_t)sizeof servers->secret)
        code = -EIO;
    if (weir_group_any(servers->group, code != 0))
        return -EIO;
    return weir_group_broadcast(servers->group, servers->secret, sizeof servers->secret, 0);
}

static unsigned number_on_node(const struct weir_servers *servers)
{
    const struct weir_group *group = servers->group;
    unsigned count = 0;

    for (int rank = 0; rank < group->rank; rank++)
        count += group->node_of_rank[rank] == group->node && serves(servers->roles[rank]);
    return count;
}

static void open_mine(struct weir_servers *servers, struct weir_error *error)
{
    const struct weir_server_params params = {
        .options = servers->options,
        .server_number = count_before(servers->roles, servers->group->rank, WEIR_ROLE_SERVER),
        .number_on_node = number_on_node(servers),
        .client_count = count_before(servers->roles, servers->group->size, WEIR_ROLE_CLIENT),
        .server_count = servers->count,
        .node_server_count = count_on_node(servers),
        .is_on_one_node = servers->group->node_count == 1,
        .secret = servers->secret,
        .place = weir_memory_place_near,
        .bind = weir_running_bind_near,
        .check_device = weir_block_device_check_empty,
    };

    if (!serves(servers->roles[servers->group->rank]))
        return;
    if (servers->backend->server->open(&params, &servers->mine, error) != 0)
        servers->mine = NULL;
}

/* All that ranks other than 0 get is the addresses of the servers, in the order of ranks. */
static int share_addresses(struct weir_servers *servers)
{
    const size_t bytes = WEIR_SERVER_ADDRESS_BYTES;
    struct weir_group *group = servers->group;
    const bool is_first = group->rank == 0;
    char(*all)[WEIR_SERVER_ADDRESS_BYTES] = is_first ? calloc((size_t)group->size, bytes) : NULL;
    char mine[WEIR_SERVER_ADDRESS_BYTES] = {0};
    unsigned found = 0;
    int code = -ENOMEM;

    servers->addresses = calloc(servers->count, bytes);
    servers->address_list = calloc(servers->count, sizeof *servers->address_list);
    if (!weir_group_any(group, servers->addresses == NULL || servers->address_list == NULL ||
                                   (is_first && all == NULL))) {
        if (servers->mine != NULL)
            memcpy(mine, servers->mine->address, bytes);
        code = weir_group_gather(group, mine, bytes, all);
    }
    for (int rank = 0; code == 0 && all != NULL && rank < group->size; rank++)
        if (serves(servers->roles[rank]))
            memcpy(servers->addresses[found++], all[rank], bytes);
    free(all);
    if (code == 0)
        code = weir_group_broadcast(group, servers->addresses, servers->count * bytes, 0);
    for (unsigned i = 0; code == 0 && i < servers->count; i++)
        servers->address_list[i] = servers->addresses[i];
    return code;
}

static int open_servers(struct weir_servers *servers, const struct server_request *request,
                        struct weir_error *error)
{
    int code;

    servers->backend = request->backend;
    servers->options = request->options;
    servers->count = count_servers(servers);
    memcpy(servers->serving_roles, servers->roles,
           (size_t)servers->group->size * sizeof *servers->roles);
    code = share_secret(servers);
    if (code == 0)
        open_mine(servers, error);
    else
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, request->backend->descriptor.name,
                       "the ranks cannot share a secret for their servers: %s", strerror(-code));
    if (weir_group_agree(servers->group, error) != 0)
        return error->code;
    code = share_addresses(servers);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, request->backend->descriptor.name,
                       "the ranks cannot tell each other where servers are: %s", strerror(-code));
    return weir_group_agree(servers->group, error);
}

/* ---- before a test ---- */

/* Behind the last rank that takes part, where `limit` clients do; 0: all of them. */
static int end_of_clients(const struct weir_servers *servers, uint64_t limit)
{
    uint64_t count = 0;
    int rank = 0;

    while (rank < servers->group->size && (limit == 0 || count < limit))
        count += (servers->roles[rank++] & WEIR_ROLE_CLIENT) != 0;
    return rank;
}

/* There are as many ranks as the test takes of each node, but some may be servers. */
static int check_clients(const struct weir_group *group, const struct weir_test *test,
                         const uint64_t counts[], struct weir_error *error)
{
    for (int node = 0; node < group->node_count; node++) {
        if (test->node_limit > 0 && (uint64_t)node >= test->node_limit)
            break;
        if (counts[node] < test->ranks_per_node_limit)
            return weir_error_usage(error, test->dialect,
                                    "%" PRIu64 " clients per node are needed, and %s has %" PRIu64
                                    " beside its servers: start more there, "
                                    "or " WEIR_REMEDY_FEWER_RANKS,
                                    test->ranks_per_node_limit, group->node_names[node],
                                    counts[node]);
    }
    return 0;
}

/* Ranks beyond what the test takes of each node, and nodes beyond those that it takes, are no
 * clients. Rank 0 is the first one of the first node. */
static int limit_nodes(struct weir_servers *servers, const struct weir_test *test,
                       struct weir_error *error)
{
    const struct weir_group *group = servers->group;
    uint64_t *counts;
    int code;

    if (test->node_limit == 0 && test->ranks_per_node_limit == 0)
        return 0;
    counts = calloc((size_t)group->node_count, sizeof *counts);
    if (counts == NULL)
        weir_error_out_of_memory();
    for (int rank = 0; rank < group->size; rank++) {
        int node = group->node_of_rank[rank];

        if ((servers->roles[rank] & WEIR_ROLE_CLIENT) == 0)
            continue;
        counts[node]++;
        if ((test->node_limit > 0 && (uint64_t)node >= test->node_limit) ||
            (test->ranks_per_node_limit > 0 && counts[node] > test->ranks_per_node_limit))
            servers->roles[rank] &= ~(unsigned)WEIR_ROLE_CLIENT;
    }
    code = check_clients(group, test, counts, error);
    free(counts);
    return code;
}

static int assign_roles(struct weir_servers *servers, const struct server_request *request,
                        const struct weir_test *test, struct weir_error *error)
{
    const struct weir_server_ops *ops = request->backend->server;

    for (int rank = 0; rank < servers->group->size; rank++)
        servers->roles[rank] = WEIR_ROLE_CLIENT;
    if (ops != NULL)
        ops->assign(request->options, servers->group, servers->roles, error);
    if (weir_group_agree(servers->group, error) != 0)
        return error->code;
    assert((servers->roles[0] & WEIR_ROLE_CLIENT) != 0);
    servers->client_end = 0;
    if (limit_nodes(servers, test, error) != 0)
        return weir_group_agree(servers->group, error);
    servers->client_end = end_of_clients(servers, test->rank_limit);
    return 0;
}

int weir_servers_prepare(struct weir_servers *servers, const struct weir_engine_params *params,
                         const struct weir_test *test, struct weir_error *error)
{
    const struct server_request request = request_of(params, test);
    int code = assign_roles(servers, &request, test, error);

    if (code != 0 || count_servers(servers) == 0 || do_already(servers, &request))
        return code;
    close_servers(servers);
    code = open_servers(servers, &request, error);
    if (code != 0)
        close_servers(servers);
    return code;
}

bool weir_servers_is_client(const struct weir_servers *servers, int rank)
{
    return rank < servers->client_end && (servers->roles[rank] & WEIR_ROLE_CLIENT) != 0;
}

void weir_servers_fill_params(const struct weir_servers *servers,
                              struct weir_session_params *params)
{
    if (count_servers(servers) == 0)
        return;
    params->servers = servers->address_list;
    params->server_count = servers->count;
    params->secret = servers->secret;
}

/* ---- sitting a test out ---- */

int weir_servers_wait(const struct weir_servers *servers, const volatile sig_atomic_t *stop_signal)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct weir_group *group = servers->group;
    unsigned char word;

    while (!group->ops->has_message(group, 0)) {
        nanosleep(&pause, NULL);
        /* The timer of --stop-before expires on all ranks. */
        if (*stop_signal != 0 && *stop_signal != SIGALRM)
            weir_group_raise_alarm(group, WEIR_ALARM_CALL_OFF);
        weir_group_hears_alarm(group, WEIR_ALARM_CALL_OFF);
    }
    return group->ops->receive(group, &word, sizeof word, 0);
}

int weir_servers_end_wait(const struct weir_servers *servers)
{
    struct weir_group *group = servers->group;
    const unsigned char word = 0;
    int code = 0;

    for (int rank = 1; rank < group->size; rank++) {
        int sent = 0;

        if (!weir_servers_is_client(servers, rank))
            sent = group->ops->send(group, &word, sizeof word, rank);
        code = code != 0 ? code : sent;
    }
    return code;
}
