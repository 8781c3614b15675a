/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks do together, in terms of what every group can do. */
#include "weir/group/group.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void weir_group_close(struct weir_group *group)
{
    if (group)
        group->ops->close(group);
}

bool weir_group_any(struct weir_group *group, bool flag)
{
    uint64_t value = flag;

    /* Ranks ask this about trouble: not to know the answer is trouble. */
    if (weir_group_reduce(group, &value, 1, WEIR_MAX) < 0)
        return true;
    return value != 0;
}

/* Puts "rank 3 on host n2: " before the text, which is cut where it grows too long. */
static void name_the_rank(const struct weir_group *group, struct weir_error *error, int rank)
{
    char text[WEIR_ERROR_TEXT_BYTES + WEIR_NODE_NAME_BYTES + 32];

    snprintf(text, sizeof text, "rank %d on host %s: %s", rank,
             group->node_names[group->node_of_rank[rank]], error->text);
    memcpy(error->text, text, sizeof error->text - 1);
    error->text[sizeof error->text - 1] = '\0';
}

static int exchange_error(struct weir_group *group, struct weir_error *error)
{
    uint64_t first = weir_error_is_set(error) ? (uint64_t)group->rank : UINT64_MAX;
    struct weir_error agreed = *error;
    uint64_t is_common;
    int rc = weir_group_reduce(group, &first, 1, WEIR_MIN);

    if (rc < 0 || first == UINT64_MAX)
        return rc;
    rc = weir_group_broadcast(group, &agreed, sizeof agreed, (int)first);
    if (rc < 0)
        return rc;
    is_common = error->code == agreed.code && strcmp(error->text, agreed.text) == 0;
    rc = weir_group_reduce(group, &is_common, 1, WEIR_MIN);
    if (rc < 0)
        return rc;
    *error = agreed;
    if (!is_common)
        name_the_rank(group, error, (int)first);
    return 0;
}

int weir_group_agree(struct weir_group *group, struct weir_error *error)
{
    int rc = exchange_error(group, error);

    if (rc < 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, NULL,
                       "the ranks can no longer talk to each other");
    return error->code;
}

/* Rank r is on node r / block_ranks; or, dealt in turn, on node r mod node_count. */
static bool is_regular(const struct weir_group *group, bool is_block, int block_ranks)
{
    for (int rank = 0; rank < group->size; rank++)
        if (group->node_of_rank[rank] != (is_block ? rank / block_ranks : rank % group->node_count))
            return false;
    return group->size == group->node_count * block_ranks;
}

struct weir_placement weir_group_placement(const struct weir_group *group)
{
    int ranks_per_node = group->node_start[1];
    bool is_block =
        group->node_count == group->size || group->node_of_rank[0] == group->node_of_rank[1];
    bool is_plain = is_regular(group, is_block, ranks_per_node);

    assert(ranks_per_node > 0);
    return (struct weir_placement){
        .ranks = (uint64_t)group->size,
        .nodes = (uint64_t)group->node_count,
        .ranks_per_node = (uint64_t)ranks_per_node,
        .is_block = is_block,
        .node_of_rank = is_plain ? NULL : group->node_of_rank,
        .node_start = is_plain ? NULL : group->node_start,
    };
}
