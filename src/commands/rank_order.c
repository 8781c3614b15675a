/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The ranks of each node: those of node n from group->node_start[n] on. */
struct places {
    const struct weir_group *group;
    int *ranks;
    int *taken; /* of each node, its first ones */
};

static void open_places(struct places *places, const struct weir_group *group)
{
    assert(group->size > 0 && group->node_count > 0);
    *places = (struct places){.group = group,
                              .ranks = calloc((size_t)group->size, sizeof *places->ranks),
                              .taken = calloc((size_t)group->node_count, sizeof *places->taken)};
    if (places->ranks == NULL || places->taken == NULL)
        weir_error_out_of_memory();
    for (int rank = 0; rank < group->size; rank++) {
        int node = group->node_of_rank[rank];

        places->ranks[group->node_start[node] + places->taken[node]++] = rank;
    }
    memset(places->taken, 0, (size_t)group->node_count * sizeof *places->taken);
}

static void close_places(struct places *places)
{
    free(places->ranks);
    free(places->taken);
}

static int size_of(const struct places *places, int node)
{
    return places->group->node_start[node + 1] - places->group->node_start[node];
}

static int take(struct places *places, int node)
{
    return places->ranks[places->group->node_start[node] + places->taken[node]++];
}

static void deal(struct places *places, int launched[])
{
    for (int count = 0; count < places->group->size;)
        for (int node = 0; node < places->group->node_count; node++)
            if (places->taken[node] < size_of(places, node))
                launched[count++] = take(places, node);
}

/* ---- a list of hosts ---- */

/* Without the domain, where one of both has none. "localhost" is the only node of a job. */
static bool is_host(const struct weir_group *group, int node, const char *name)
{
    const char *host = group->node_names[node];
    size_t length = strcspn(name, "."), host_length = strcspn(host, ".");

    if (group->node_count == 1 && strcasecmp(name, "localhost") == 0)
        return true;
    if (name[length] != '\0' && host[host_length] != '\0')
        return strcasecmp(name, host) == 0;
    return length == host_length && strncasecmp(name, host, length) == 0;
}

/* The number of a node on that host with a rank that is free; -1: there is none. */
static int find_node(const struct places *places, const char *name, int *ranks_there)
{
    *ranks_there = 0;
    for (int node = 0; node < places->group->node_count; node++) {
        if (!is_host(places->group, node, name))
            continue;
        if (places->taken[node] < size_of(places, node))
            return node;
        *ranks_there += size_of(places, node);
    }
    return -1;
}

static int refuse_line(const struct weir_group *group, size_t line, const char *name,
                       int ranks_there, struct weir_error *error)
{
    if (ranks_there > 0)
        return weir_error_usage(error, "list of hosts",
                                "line %zu names %.128s once more than the %d ranks that are there: "
                                "start more on it, with mpiexec --host or -hostfile, or name it "
                                "less often",
                                line, name, ranks_there);
    return weir_error_usage(
        error, "list of hosts",
        "line %zu names %.128s, where none of the %d ranks is (the first one is "
        "on %s): start ranks on it, with mpiexec --host or -hostfile, or change "
        "the line",
        line, name, group->size, group->node_names[0]);
}

static int list(struct places *places, const struct weir_rank_order *order, int launched[],
                struct weir_error *error)
{
    const struct weir_group *group = places->group;
    bool *is_listed = calloc((size_t)group->size, sizeof *is_listed);
    int count = 0, node = 0, ranks_there;

    if (is_listed == NULL)
        weir_error_out_of_memory();
    for (size_t i = 0; i < order->host_count && node >= 0; i++) {
        node = find_node(places, order->hosts[i], &ranks_there);
        if (node < 0)
            refuse_line(group, i + 1, order->hosts[i], ranks_there, error);
        else
            is_listed[launched[count++] = take(places, node)] = true;
    }
    for (int rank = 0; rank < group->size && node >= 0; rank++)
        if (!is_listed[rank])
            launched[count++] = rank;
    free(is_listed);
    return error->code;
}

/* ---- the order ---- */

int weir_rank_order_find(const struct weir_rank_order *order, const struct weir_group *group,
                         int launched[], struct weir_error *error)
{
    struct places places;
    int code = 0;

    open_places(&places, group);
    for (int rank = 0; rank < group->size; rank++)
        launched[rank] = order->kind == WEIR_RANKS_PACKED ? places.ranks[rank] : rank;
    if (order->kind == WEIR_RANKS_ROUND_ROBIN)
        deal(&places, launched);
    else if (order->kind == WEIR_RANKS_LISTED)
        code = list(&places, order, launched, error);
    close_places(&places);
    return code;
}

static int reorder(struct weir_group *group, const int launched[], struct weir_group **ordered)
{
    bool is_same = true;
    int place = 0;

    for (int rank = 0; rank < group->size; rank++) {
        is_same &= launched[rank] == rank;
        if (launched[rank] == group->rank)
            place = rank;
    }
    return is_same ? 0 : weir_group_reorder(group, place, ordered);
}

int weir_rank_order_open(const struct weir_plan *plan, struct weir_group *group,
                         struct weir_group **ordered, struct weir_error *error)
{
    int *launched;
    int code;

    *ordered = group;
    if (plan->rank_order.kind == WEIR_RANKS_AS_LAUNCHED)
        return 0;
    launched = calloc((size_t)group->size, sizeof *launched);
    if (launched == NULL)
        weir_error_out_of_memory();
    if (weir_rank_order_find(&plan->rank_order, group, launched, error) == 0) {
        code = reorder(group, launched, ordered);
        if (code != 0)
            weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                           "the ranks cannot be put in another order: %s", strerror(-code));
    }
    free(launched);
    return weir_group_agree(group, error);
}
