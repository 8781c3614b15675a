/* SPDX-License-Identifier: Apache-2.0 */
/* What is found of phases on trees: who asked for what its own node had made, and what would lead
 * elsewhere. */
#include "weir/audit/audit.h"
#include "weir/base/remedy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct weir_descriptor backend = {
    .name = "posix", .label = "POSIX", .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME};

enum { CREATE, STAT, READ_FILE, UNLINK, CYCLE, PHASES, TRIED = 8 };

/* As mdtest -N does it: a phase works on what was made `step` times N nodes away. */
static const struct {
    enum weir_verb verb;
    uint64_t step;
} rows[PHASES] = {[CREATE] = {WEIR_CREATE, 0},
                  [STAT] = {WEIR_STAT, 1},
                  [READ_FILE] = {WEIR_READ_FILE, 2},
                  [UNLINK] = {WEIR_UNLINK, 3},
                  [CYCLE] = {WEIR_CYCLE, 0}};

struct names_case {
    uint64_t shift;       /* N */
    unsigned phase;       /* that is looked at; and TRIED: it has tried depths */
    unsigned without;     /* 1u << each that is left out */
    unsigned nodes, near; /* of 12 ranks */
    enum weir_cache_drop drop;
    bool has_dropped;
    const char *why;    /* NULL: nothing is found */
    const char *remedy; /* and what it says in the place of the option */
};

#define ONLY(phase) (~(1u << CREATE | 1u << (phase)))
#define SEVERAL WEIR_REMEDY_SHIFT_NODES " on several nodes, "
#define DISTANCE WEIR_REMEDY_SHIFT_DISTANCE

static const struct weir_finding *audit(const struct names_case *x, struct weir_plan *plan)
{
    static const char *const paths[] = {"out"};
    static const struct weir_tree tree = {.top = "t", .set_count = 1, .items_per_directory = 9};
    static struct weir_test_result begun;
    static struct weir_phase_result record;
    static const struct weir_depth_point points[] = {{.depth = 1}, {.depth = 2}};
    const struct weir_target target = {.paths = paths, .path_count = 1, .tree = &tree};
    struct weir_test *test = weir_plan_add_test(plan);
    const struct weir_phase *looked_at = NULL;

    test->backend = &backend;
    test->cache_drop = x->drop;
    for (unsigned i = 0; i < PHASES; i++) {
        struct weir_phase phase = {
            .verb = rows[i].verb, .target = &target, .depth = 1, .names.item = "f.%r.%n"};

        if (x->without & 1u << i)
            continue;
        if (x->shift * rows[i].step > 0)
            phase.shift = (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS,
                                              .distance = x->shift * rows[i].step};
        if (i == CYCLE) {
            phase.names.cycle[phase.names.cycle_count++] = WEIR_STAT;
            phase.names.rotation.stride = 1;
        }
        looked_at = weir_plan_add_phase(plan, test, &test->steps, &phase);
        if (i == (x->phase & ~(unsigned)TRIED))
            record = (struct weir_phase_result){.arena = &plan->arena,
                                                .failure = "",
                                                .phase = looked_at->number,
                                                .rank_count = 12,
                                                .node_count = x->nodes,
                                                .near_rank_count = x->near,
                                                .op_count = 100,
                                                .has_dropped_caches = x->has_dropped,
                                                .depth = 2,
                                                .depth_curve = {x->phase & TRIED ? 2 : 0, points},
                                                .windows = {.total_s = 1.0}};
    }
    weir_audit_phase(plan, &begun, &record);
    for (unsigned i = 0; i < record.finding_count; i++)
        if (strcmp(record.findings[i].name, "names-cached") == 0)
            return &record.findings[i];
    return NULL;
}

static void what_the_own_node_made_is_told_with_a_way_out(void **state)
{
    static const struct names_case cases[] = {
        /* no shift, or no other node */
        {0, STAT, 0, 1, 12, 0, false, "12 of 12 ranks", SEVERAL},
        {0, READ_FILE, 0, 4, 12, 0, false, "12 of 12 ranks", SEVERAL},
        {1, STAT, 0, 1, 12, 0, false, "12 of 12 ranks", SEVERAL},
        {0, UNLINK, 0, 4, 12, 0, false, NULL, NULL},
        {1, UNLINK, 0, 1, 12, 0, false, NULL, NULL},
        {0, CYCLE, 0, 4, 7, 0, false, "7 of 12 ranks", "a greater " DISTANCE " on several nodes, "},
        /* what this run has not made, or another node has */
        {0, STAT, 1u << CREATE, 1, 12, 0, false, NULL, NULL},
        {1, STAT, 0, 2, 0, 0, false, NULL, NULL},
        /* dropped or not */
        {0, STAT, 0, 1, 12, WEIR_DROP_NODE, true, NULL, NULL},
        {0, CYCLE, 0, 1, 12, WEIR_DROP_NODE, true, NULL, NULL},
        {0, STAT, 0, 1, 12, WEIR_DROP_NODE, false, "12 of 12 ranks", SEVERAL},
        {0, READ_FILE, 0, 1, 12, WEIR_DROP_FILES, true, "12 of 12 ranks", SEVERAL},
        /* full circles: stat, read and removal are 1, 2 and 3 times as far */
        {1, READ_FILE, 0, 2, 12, 0, false, "2 nodes further is a full circle of 2", "4 nodes, "},
        {1, UNLINK, 0, 3, 12, 0, false, "3 nodes further is a full circle of 3", "4 nodes, "},
        {2, STAT, 0, 2, 12, 0, false, "2 nodes further is a full circle of 2", "5 nodes, "},
        {2, READ_FILE, 0, 4, 12, 0, false, "4 nodes further is a full circle of 4", DISTANCE " 1,"},
        {3, UNLINK, 0, 9, 12, 0, false, "9 nodes further is a full circle of 9", DISTANCE " 1,"},
        {6, READ_FILE, 0, 4, 12, 0, false, "12 nodes further is a full circle of 4",
         DISTANCE " 1,"},
        {1, READ_FILE, 1u << UNLINK, 2, 12, 0, false, "2 nodes further", "3 nodes, "},
        {2, READ_FILE, 1u << UNLINK, 2, 12, 0, false, "4 nodes further", "3 nodes, "},
        /* one distance alone may be any multiple of -N */
        {1, READ_FILE, ONLY(READ_FILE), 2, 12, 0, false, "2 nodes further", "3 nodes, "},
        {2, READ_FILE, ONLY(READ_FILE), 4, 12, 0, false, "4 nodes further", "5 nodes, "},
        /* more than half of the ranks on one node */
        {1, STAT, 0, 2, 4, 0, false, "as one node has 8 of them", "as many ranks on each node, "},
        {1, UNLINK, 0, 2, 4, 0, false, NULL, NULL},
        {1, READ_FILE, 0, 3, 2, 0, false, "as one node has 7 of them", "as many ranks on each"},
        /* trials ask the same node for the same names, whoever made them */
        {1, STAT | TRIED, 0, 2, 0, 0, false, "trials of depths", "--depth 2,"},
        {0, STAT | TRIED, 1u << CREATE, 1, 12, 0, false, "trials of depths", "--depth 2,"},
        {0, STAT | TRIED, 1u << CREATE, 1, 12, WEIR_DROP_NODE, true, NULL, NULL},
        {0, CREATE | TRIED, 0, 1, 12, 0, false, NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const words[] = {"mdtest"};
        struct weir_plan *plan = weir_plan_open("mdtest", 1, words);
        const struct weir_finding *finding = audit(&cases[i], plan);
        const char *use = finding != NULL ? strstr(finding->text, ": use ") : NULL;

        if ((finding != NULL) != (cases[i].why != NULL))
            fail_msg("case %zu: %s", i, finding != NULL ? finding->text : "nothing is found");
        if (finding != NULL &&
            (strstr(finding->text, cases[i].why) == NULL || use == NULL ||
             strncmp(use + strlen(": use "), cases[i].remedy, strlen(cases[i].remedy)) != 0))
            fail_msg("case %zu: %s", i, finding->text);
        weir_plan_close(plan);
    }
}

static unsigned count_findings(const struct weir_phase_result *record, const char *name)
{
    unsigned count = 0;

    for (unsigned i = 0; i < record->finding_count; i++)
        count += strcmp(record->findings[i].name, name) == 0;
    return count;
}

/* A file system in memory writes no names later, and has no server behind its caches. */
static void memory_is_told_in_place_of_caches(void **state)
{
    static const struct {
        const char *type;
        bool may_be_network;
        unsigned delayed, in_memory;
    } cases[] = {{"ext4", false, 1, 0},
                 {"fuse", true, 0, 0},
                 {"ocfs2", true, 0, 0},
                 {"tmpfs", false, 0, 1},
                 {"ramfs", false, 0, 1}};
    static const char *const words[] = {"mdtest"}, *const paths[] = {"out"};
    static const struct weir_tree tree = {.top = "t", .set_count = 1, .items_per_directory = 9};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_plan *plan = weir_plan_open("mdtest", 1, words);
        struct weir_test *test = weir_plan_add_test(plan);
        const struct weir_target target = {.paths = paths, .path_count = 1, .tree = &tree};
        const struct weir_phase create = {
            .verb = WEIR_CREATE, .target = &target, .depth = 1, .names.item = "f.%r.%n"};
        struct weir_storage_group storage = {
            .facts = {.is_known = true, .may_be_network = cases[i].may_be_network}};
        const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
        struct weir_phase_result record = {
            .arena = &plan->arena, .failure = "", .op_count = 100, .windows = {.total_s = 1.0}};

        snprintf(storage.facts.type, sizeof storage.facts.type, "%s", cases[i].type);
        test->backend = &backend;
        weir_plan_add_phase(plan, test, &test->steps, &create);
        weir_audit_phase(plan, &begun, &record);
        assert_int_equal(count_findings(&record, "names-delayed"), cases[i].delayed);
        assert_int_equal(count_findings(&record, "in-memory"), cases[i].in_memory);
        weir_plan_close(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_own_node_made_is_told_with_a_way_out),
        cmocka_unit_test(memory_is_told_in_place_of_caches),
    };

    return cmocka_run_group_tests_name("audit_names", tests, NULL, NULL);
}
