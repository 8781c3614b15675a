/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are alike, put together. */
#include "weir/measure/result.h"

#include <string.h>

/* Names and ranges of names of a group: more are not shown. */
#define HOSTS_SHOWN 8

/* Which of `count` things of `bytes` bytes each are alike. */
struct kinds {
    const unsigned char *things;
    size_t bytes;
    unsigned *kind_of; /* of each thing, numbered in the order of the first of each kind */
    unsigned *first;   /* thing of each kind */
    unsigned count;
};

static unsigned find_kind(const struct kinds *kinds, unsigned thing)
{
    unsigned kind = 0;

    while (kind < kinds->count && memcmp(kinds->things + kinds->bytes * kinds->first[kind],
                                         kinds->things + kinds->bytes * thing, kinds->bytes) != 0)
        kind++;
    return kind;
}

static struct kinds sort(struct weir_arena *scratch, const void *things, size_t bytes,
                         unsigned count)
{
    struct kinds kinds = {
        .things = things,
        .bytes = bytes,
        .kind_of = weir_arena_take(scratch, (count + 1) * sizeof *kinds.kind_of),
        .first = weir_arena_take(scratch, (count + 1) * sizeof *kinds.first),
    };

    for (unsigned i = 0; i < count; i++) {
        kinds.kind_of[i] = find_kind(&kinds, i);
        if (kinds.kind_of[i] == kinds.count)
            kinds.first[kinds.count++] = i;
    }
    return kinds;
}

/* Names of a kind, folded; *member_count of them. */
static const char *fold(struct weir_arena *arena, const struct kinds *kinds, unsigned kind,
                        const char *const *hosts, unsigned count, unsigned *member_count)
{
    struct weir_arena scratch = {0};
    const char **names = weir_arena_take(&scratch, count * sizeof *names);
    const char *folded;

    *member_count = 0;
    for (unsigned i = 0; i < count; i++)
        if (kinds->kind_of[i] == kind)
            names[(*member_count)++] = hosts[i];
    folded = weir_hosts_fold(arena, names, *member_count, HOSTS_SHOWN);
    weir_arena_close(&scratch);
    return folded;
}

void weir_result_set_nodes(struct weir_result *result, const char *const *hosts,
                           const struct weir_node_facts *facts, unsigned count)
{
    struct weir_arena scratch = {0};
    struct kinds kinds = sort(&scratch, facts, sizeof *facts, count);
    struct weir_node_group *groups =
        weir_arena_take(&result->arena, (kinds.count + 1) * sizeof *groups);

    for (unsigned i = 0; i < kinds.count; i++) {
        groups[i].facts = facts[kinds.first[i]];
        groups[i].hosts = fold(&result->arena, &kinds, i, hosts, count, &groups[i].count);
    }
    result->node_groups = groups;
    result->node_group_count = kinds.count;
    weir_arena_close(&scratch);
}

void weir_result_set_storages(struct weir_result *result, struct weir_test_result *test,
                              const char *const *hosts, const struct weir_storage_facts *facts,
                              unsigned count)
{
    struct weir_arena scratch = {0};
    struct kinds kinds = sort(&scratch, facts, sizeof *facts, count);
    struct weir_storage_group *groups =
        weir_arena_take(&result->arena, (kinds.count + 1) * sizeof *groups);

    for (unsigned i = 0; i < kinds.count; i++) {
        groups[i].facts = facts[kinds.first[i]];
        groups[i].hosts = fold(&result->arena, &kinds, i, hosts, count, &groups[i].count);
    }
    test->storages = groups;
    test->storage_count = kinds.count;
    weir_arena_close(&scratch);
}
