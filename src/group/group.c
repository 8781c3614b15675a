/* SPDX-License-Identifier: Apache-2.0 */
/* Collective operations, in terms of those of every group. */
#include "weir/group/group.h"

#include "weir/base/memory.h"
#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void weir_group_close(struct weir_group *group)
{
    if (group)
        group->ops->close(group);
}

void weir_group_shorten_version(char *version)
{
    char *again, *end = version;

    version[strcspn(version, "\r\n")] = '\0';
    for (const char *c = version; *c != '\0'; c++) {
        bool is_blank = *c == ' ' || *c == '\t';

        if (!is_blank || (end > version && end[-1] != ' '))
            *end++ = is_blank ? ' ' : *c;
    }
    *end = '\0';
    again = strstr(version, ", ident: ");
    if (again != NULL)
        *again = '\0';
}

const char *weir_group_library(const struct weir_group *group)
{
    return group->library != NULL ? group->library : "";
}

bool weir_group_any(struct weir_group *group, bool flag)
{
    uint64_t value = flag;

    /* Used to ask for failures: an agreement that fails counts as one. */
    if (weir_group_reduce(group, &value, 1, WEIR_MAX) < 0)
        return true;
    return value != 0;
}

void weir_group_raise_alarm(struct weir_group *group, enum weir_alarm alarm)
{
    if (group->ops->raise_alarm != NULL)
        group->ops->raise_alarm(group, alarm);
}

bool weir_group_hears_alarm(struct weir_group *group, enum weir_alarm alarm)
{
    return group->ops->hears_alarm != NULL && group->ops->hears_alarm(group, alarm);
}

int weir_group_end_alarm(struct weir_group *group, enum weir_alarm alarm)
{
    return group->ops->end_alarm != NULL ? group->ops->end_alarm(group, alarm) : 0;
}

void weir_group_ping(struct weir_group *group, int node)
{
    if (group->ops->ping != NULL)
        group->ops->ping(group, node);
}

bool weir_group_is_pinged(const struct weir_group *group, int node)
{
    return group->ops->is_pinged != NULL && group->ops->is_pinged(group, node);
}

bool weir_group_has_pinged(const struct weir_group *group)
{
    return group->ops->has_pinged != NULL && group->ops->has_pinged(group);
}

int weir_group_end_pings(struct weir_group *group)
{
    return group->ops->end_pings != NULL ? group->ops->end_pings(group) : 0;
}

/* Puts "rank 3 on host n2: " before the text, whose paths are shortened where it grows too long. */
static void name_the_rank(const struct weir_group *group, struct weir_error *error, int rank)
{
    char text[WEIR_ERROR_TEXT_BYTES + WEIR_NODE_NAME_BYTES + 32];

    snprintf(text, sizeof text, "rank %d on host %s: %s", rank,
             group->node_names[group->node_of_rank[rank]], error->text);
    weir_text_shorten(text, sizeof error->text);
    memcpy(error->text, text, strlen(text) + 1);
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
    int rc = group->size == 1 ? 0 : exchange_error(group, error);

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

/* ---- one rank of each node, and one node ---- */

/* A rank that has failed still takes part in all messages, so that no other rank waits for them. */
static int agree_on_code(struct weir_group *group, int code)
{
    bool has_failed = weir_group_any(group, code != 0);

    if (code == 0 && has_failed)
        return -ECOMM;
    return code;
}

/* One of several messages: the first failure counts, and the others still go. */
static void note_code(int *code, int next)
{
    if (*code == 0)
        *code = next;
}

int weir_group_gather_nodes(struct weir_group *group, const void *mine, size_t bytes, void *all)
{
    int code = 0;

    if (group->rank == 0 && bytes > 0)
        memcpy(all, mine, bytes);
    for (int node = 1; group->rank == 0 && node < group->node_count; node++)
        note_code(&code, group->ops->receive(group, (unsigned char *)all + (size_t)node * bytes,
                                             bytes, group->node_leader[node]));
    if (group->rank != 0 && group->node_rank == 0)
        code = group->ops->send(group, mine, bytes, 0);
    return agree_on_code(group, code);
}

/* With `all` of this node's first rank: the part of each other rank comes from it, or goes to it.
 * Of its own part, its number on the node is 0, it has made a copy. */
static int exchange_on_node(struct weir_group *group, unsigned char *into,
                            const unsigned char *from, size_t bytes)
{
    size_t at = 0;
    int code = 0;

    for (int rank = 0; rank < group->size; rank++) {
        if (group->node_of_rank[rank] != group->node)
            continue;
        if (rank != group->rank && into != NULL)
            note_code(&code, group->ops->receive(group, into + at, bytes, rank));
        else if (rank != group->rank)
            note_code(&code, group->ops->send(group, from + at, bytes, rank));
        at += bytes;
    }
    return code;
}

int weir_group_gather_on_node(struct weir_group *group, const void *mine, size_t bytes, void *all)
{
    int code;

    if (group->node_rank != 0) {
        code = group->ops->send(group, mine, bytes, group->node_leader[group->node]);
    } else {
        memcpy(all, mine, bytes);
        code = exchange_on_node(group, all, NULL, bytes);
    }
    return agree_on_code(group, code);
}

int weir_group_gather_pids(struct weir_group *group, pid_t **pids)
{
    pid_t mine = getpid();

    *pids = group->node_rank == 0 ? weir_memory_take((size_t)group->node_size * sizeof **pids)
                                  : NULL;
    return weir_group_gather_on_node(group, &mine, sizeof mine, *pids);
}

int weir_group_deal_on_node(struct weir_group *group, const void *all, size_t bytes, void *mine)
{
    if (group->node_rank != 0)
        return group->ops->receive(group, mine, bytes, group->node_leader[group->node]);
    memcpy(mine, all, bytes);
    return exchange_on_node(group, NULL, all, bytes);
}

int weir_group_scatter_on_node(struct weir_group *group, const void *all, size_t bytes, void *mine)
{
    return agree_on_code(group, weir_group_deal_on_node(group, all, bytes, mine));
}
