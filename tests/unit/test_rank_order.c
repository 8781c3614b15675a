/* SPDX-License-Identifier: Apache-2.0 */
/* Which process of the launcher becomes which rank. */
#include "commands/rank_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS_MAX = 8, NODES_MAX = 4 };

/* Where processes are, a digit for each, and the order that comes of it, likewise. */
struct scene {
    const char *nodes;
    enum weir_rank_order_kind kind;
    const char *hosts[RANKS_MAX + 1];
    const char *launched; /* NULL: refused */
    const char *refusal;
};

static const char names[NODES_MAX][WEIR_NODE_NAME_BYTES] = {"n1", "n2.cluster", "N3", "n3.other"};

static const struct scene scenes[] = {
    {"0011", WEIR_RANKS_AS_LAUNCHED, {NULL}, "0123", NULL},
    {"0011", WEIR_RANKS_ROUND_ROBIN, {NULL}, "0213", NULL},
    {"000112", WEIR_RANKS_ROUND_ROBIN, {NULL}, "035142", NULL},
    {"0101", WEIR_RANKS_ROUND_ROBIN, {NULL}, "0123", NULL},
    {"0101", WEIR_RANKS_PACKED, {NULL}, "0213", NULL},
    {"012012", WEIR_RANKS_PACKED, {NULL}, "031425", NULL},
    {"000", WEIR_RANKS_PACKED, {NULL}, "012", NULL},
    {"0011", WEIR_RANKS_LISTED, {"n2", "n1", "n2", "n1"}, "2031", NULL},
    {"0011", WEIR_RANKS_LISTED, {"N2.Cluster", "n1.cluster", NULL}, "2013", NULL},
    {"0011", WEIR_RANKS_LISTED, {NULL}, "0123", NULL},
    {"000", WEIR_RANKS_LISTED, {"localhost", "n1"}, "012", NULL},
    {"0123", WEIR_RANKS_LISTED, {"n3", "n3", "n1"}, "2301", NULL}, /* both are called so */
    {"0123", WEIR_RANKS_LISTED, {"n3.other"}, "2013", NULL},
    {"0011", WEIR_RANKS_LISTED, {"n1", "n2", "n1", "n1"}, NULL, "line 4 names n1 once more than"},
    {"0011", WEIR_RANKS_LISTED, {"n1", "n9"}, NULL, "line 2 names n9, where none of the 4 ranks"},
    {"0011", WEIR_RANKS_LISTED, {"n2.elsewhere"}, NULL, "line 1 names n2.elsewhere, where none"},
    {"0011", WEIR_RANKS_LISTED, {"localhost"}, NULL, "line 1 names localhost, where none"},
    {"0011", WEIR_RANKS_LISTED, {"n"}, NULL, "line 1 names n, where none"},
};

static void find(const struct scene *scene, int launched[], struct weir_error *error)
{
    int node_of_rank[RANKS_MAX], node_start[NODES_MAX + 1] = {0};
    struct weir_rank_order order = {.kind = scene->kind, .hosts = scene->hosts};
    struct weir_group group = {.size = (int)strlen(scene->nodes),
                               .node_of_rank = node_of_rank,
                               .node_start = node_start,
                               .node_names = names};

    while (scene->hosts[order.host_count] != NULL)
        order.host_count++;
    for (int rank = 0; rank < group.size; rank++) {
        node_of_rank[rank] = scene->nodes[rank] - '0';
        node_start[node_of_rank[rank] + 1]++;
        if (node_of_rank[rank] >= group.node_count)
            group.node_count = node_of_rank[rank] + 1;
    }
    for (int node = 0; node < group.node_count; node++)
        node_start[node + 1] += node_start[node];
    weir_rank_order_find(&order, &group, launched, error);
}

static void ranks_are_where_the_order_wants_them(void **state)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char found[RANKS_MAX + 1] = "";
        struct weir_error error = {0};
        int launched[RANKS_MAX];

        find(&scenes[i], launched, &error);
        if (scenes[i].launched == NULL) {
            assert_int_equal(error.exit, WEIR_EXIT_USAGE);
            assert_non_null(strstr(error.text, scenes[i].refusal));
            assert_non_null(strstr(error.text, "--host"));
            continue;
        }
        assert_int_equal(error.code, 0);
        for (size_t rank = 0; rank < strlen(scenes[i].nodes); rank++)
            snprintf(found + rank, 2, "%d", launched[rank]);
        assert_string_equal(found, scenes[i].launched);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_where_the_order_wants_them),
    };

    return cmocka_run_group_tests_name("rank_order", tests, NULL, NULL);
}
