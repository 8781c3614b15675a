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

/* A command line of mdtest, and the tree that it works on. */
static const char *const mdtest[] = {"mdtest"}, *const tree_paths[] = {"out"};
static const struct weir_tree tree = {.top = "t", .set_count = 1, .items_per_directory = 9};
static const struct weir_target target_tree = {.paths = tree_paths, .path_count = 1, .tree = &tree};

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
    static struct weir_storage_group storage = {.facts = {.is_known = true, .type = "ext4"}};
    static const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
    static struct weir_phase_result record;
    static const struct weir_depth_point points[] = {{.depth = 1}, {.depth = 2}};
    struct weir_test *test = weir_plan_add_test(plan);
    const struct weir_phase *looked_at = NULL;

    test->backend = &backend;
    test->cache_drop = x->drop;
    for (unsigned i = 0; i < PHASES; i++) {
        struct weir_phase phase = {
            .verb = rows[i].verb, .target = &target_tree, .depth = 1, .names.item = "f.%r.%n"};

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
        {1, STAT, 0, 2, 4, 0, false, "one node has 8 of the ranks", "as many ranks on each node, "},
        {1, UNLINK, 0, 2, 4, 0, false, NULL, NULL},
        {1, READ_FILE, 0, 3, 2, 0, false, "one node has 7 of the ranks", "as many ranks on each"},
        /* trials ask the same node for the same names, whoever made them */
        {1, STAT | TRIED, 0, 2, 0, 0, false, "trials of depths", "--depth 2,"},
        {0, STAT | TRIED, 1u << CREATE, 1, 12, 0, false, "trials of depths", "--depth 2,"},
        {0, STAT | TRIED, 1u << CREATE, 1, 12, WEIR_DROP_NODE, true, NULL, NULL},
        {0, CREATE | TRIED, 0, 1, 12, 0, false, NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_plan *plan = weir_plan_open("mdtest", 1, mdtest);
        const struct weir_finding *finding = audit(&cases[i], plan);
        const char *use = finding != NULL ? strstr(finding->text, " -> ") : NULL;

        if ((finding != NULL) != (cases[i].why != NULL))
            fail_msg("case %zu: %s", i, finding != NULL ? finding->text : "nothing is found");
        if (finding != NULL &&
            (strstr(finding->text, cases[i].why) == NULL || use == NULL ||
             strncmp(use + strlen(" -> "), cases[i].remedy, strlen(cases[i].remedy)) != 0))
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_plan *plan = weir_plan_open("mdtest", 1, mdtest);
        struct weir_test *test = weir_plan_add_test(plan);
        const struct weir_phase create = {
            .verb = WEIR_CREATE, .target = &target_tree, .depth = 1, .names.item = "f.%r.%n"};
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

/* Bytes of a device for each name tell whether a cache answered; without a counter nothing does. */
static void counters_tell_whether_a_cache_answered(void **state)
{
    static const struct {
        const char *type;
        enum weir_verb verb;
        unsigned makes_before;
        uint64_t operations, item_bytes, device_bytes;
        bool has_devices, is_remote;
        enum weir_evidence_state seen;
        unsigned effect; /* 1 + enum weir_effect; 0 = no finding */
    } cases[] = {
        {"ext4", WEIR_STAT, 0, 2000, 0, 0, true, false, WEIR_SEEN, 1 + WEIR_VOID},
        {"ext4", WEIR_STAT, 1, 2000, 0, 47999, true, false, WEIR_SEEN, 1 + WEIR_VOID},
        {"ext4", WEIR_STAT, 1, 2000, 0, 48000, true, false, WEIR_NOT_SEEN, 0},
        {"ext4", WEIR_STAT, 0, 10, 0, 0, true, false, WEIR_SEEN, 1 + WEIR_VOID},
        {"ext4", WEIR_STAT, 0, 999, 0, 500000, true, false, WEIR_CANNOT_OBSERVE, 0},
        {"ext4", WEIR_STAT, 1, 2000, 0, 0, false, false, WEIR_CANNOT_OBSERVE, 1 + WEIR_QUALIFY},
        {"ext4", WEIR_STAT, 0, 2000, 0, 0, false, false, WEIR_CANNOT_OBSERVE, 0},
        {"ext4", WEIR_STAT, 1, 2000, 0, 500000, true, true, WEIR_NOT_SEEN, 0},
        {"ext4", WEIR_STAT, 0, 2000, 0, 0, true, true, WEIR_SEEN, 1 + WEIR_VOID},
        /* the host supplies them past the ports */
        {"9p", WEIR_STAT, 0, 2000, 0, 0, true, true, WEIR_CANNOT_OBSERVE, 0},
        /* data are no names: 2000 files of a page, and inodes of 2000 */
        {"ext4", WEIR_READ_FILE, 0, 2000, 3901, 8192000, true, false, WEIR_SEEN, 1 + WEIR_VOID},
        {"ext4", WEIR_READ_FILE, 0, 2000, 3901, 8704000, true, false, WEIR_NOT_SEEN, 0},
        /* what this run made may be removed from a cache, as any run does it */
        {"ext4", WEIR_UNLINK, 1, 2000, 0, 0, true, false, WEIR_NOT_ASKED, 0},
        {"ext4", WEIR_UNLINK, 0, 2000, 0, 0, true, false, WEIR_SEEN, 1 + WEIR_VOID},
        {"ext4", WEIR_CREATE, 0, 2000, 0, 0, true, false, WEIR_NOT_ASKED, 0},
        /* on a loop device that caches its file */
        {"loop", WEIR_STAT, 0, 2000, 0, 500000, true, false, WEIR_CANNOT_OBSERVE, 0},
        {"loop", WEIR_STAT, 0, 2000, 0, 47999, true, false, WEIR_SEEN, 1 + WEIR_VOID},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_plan *plan = weir_plan_open("mdtest", 1, mdtest);
        struct weir_test *test = weir_plan_add_test(plan);
        struct weir_phase phase = {
            .verb = WEIR_CREATE, .target = &target_tree, .depth = 1, .names.item = "f.%r.%n"};
        struct weir_storage_group storage = {
            .facts = {.is_known = true,
                      .is_network = cases[i].is_remote,
                      .device_count = 1,
                      .devices[0].is_buffered_loop = strcmp(cases[i].type, "loop") == 0}};
        const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
        struct weir_phase_result record = {.arena = &plan->arena,
                                           .failure = "",
                                           .rank_count = 2,
                                           .node_count = 1,
                                           .near_rank_count = 2,
                                           .op_count = cases[i].operations,
                                           .windows = {.total_s = 1.0}};
        const struct weir_finding *finding = NULL;

        snprintf(storage.facts.type, sizeof storage.facts.type, "%s", cases[i].type);
        record.traffic.has_devices = cases[i].has_devices && !cases[i].is_remote;
        record.traffic.has_network = cases[i].has_devices;
        record.traffic.device_read_bytes = cases[i].is_remote ? 0 : cases[i].device_bytes;
        record.traffic.network_received_bytes = cases[i].is_remote ? cases[i].device_bytes : 0;
        test->backend = &backend;
        if (cases[i].makes_before)
            weir_plan_add_phase(plan, test, &test->steps, &phase);
        phase.verb = cases[i].verb;
        phase.names.bytes = cases[i].item_bytes;
        record.phase = weir_plan_add_phase(plan, test, &test->steps, &phase)->number;
        weir_audit_phase(plan, &begun, &record);
        for (unsigned k = 0; k < record.finding_count; k++)
            if (strcmp(record.findings[k].name, "names-cached") == 0)
                finding = &record.findings[k];
        if (record.evidence[WEIR_EVIDENCE_NAMES].state != cases[i].seen ||
            (finding != NULL ? 1u + finding->effect : 0) != cases[i].effect)
            fail_msg("case %zu: evidence %d, %s", i, record.evidence[WEIR_EVIDENCE_NAMES].state,
                     finding != NULL ? finding->text : "nothing is found");
        weir_plan_close(plan);
    }
}

/* On a file system that no counter sees: items are asked about, the directories around them are
 * not.
 */
static void directories_around_items_need_no_evidence(void **state)
{
    (void)state;
    for (unsigned has_items = 0; has_items < 2; has_items++) {
        struct weir_plan *plan = weir_plan_open("mdtest", 1, mdtest);
        struct weir_test *test = weir_plan_add_test(plan);
        const struct weir_phase phase = {.verb = WEIR_RMDIR,
                                         .target = &target_tree,
                                         .depth = 1,
                                         .names.item = has_items ? "f.%r.%n" : NULL};
        struct weir_storage_group storage = {
            .facts = {.is_known = true, .is_network = true, .type = "9p"}};
        const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
        struct weir_phase_result record = {.arena = &plan->arena,
                                           .failure = "",
                                           .rank_count = 2,
                                           .node_count = 1,
                                           .op_count = 1,
                                           .windows = {.total_s = 1.0}};

        test->backend = &backend;
        record.phase = weir_plan_add_phase(plan, test, &test->steps, &phase)->number;
        weir_audit_phase(plan, &begun, &record);
        assert_int_equal(record.evidence[WEIR_EVIDENCE_NAMES].state,
                         has_items ? WEIR_CANNOT_OBSERVE : WEIR_NOT_ASKED);
        assert_int_equal(record.believed, has_items ? WEIR_BELIEVED_UNVERIFIED : WEIR_BELIEVED_OK);
        weir_plan_close(plan);
    }
}

/* ---- files of ranks, and storage of nodes ---- */

enum { RANKS = 4 };

struct sights_case {
    const char *type;
    bool is_network, is_shared;
    unsigned nodes, machines; /* of four ranks, in turn */
    struct {
        uint64_t name, device, inode;
    } ranks[RANKS];
    const char *finding; /* NULL: none */
    enum weir_severity severity;
};

static void ranks_and_nodes_are_where_the_paths_say(void **state)
{
    static const struct sights_case cases[] = {
        {"ext4", false, false, 1, 1, {{1, 7, 1}, {2, 7, 2}, {3, 7, 3}, {4, 7, 4}}, NULL, 0},
        {"ext4", false, false, 1, 1, {{1, 7, 1}, {2, 7, 2}, {3, 7, 2}, {4, 7, 4}}, "same-file", 1},
        {"ext4", false, false, 1, 1, {{1, 7, 1}, {2, 8, 1}, {3, 9, 1}, {4, 6, 1}}, NULL, 0},
        {"ext4",
         false,
         false,
         2,
         2,
         {{1, 7, 1}, {2, 7, 1}, {3, 7, 3}, {4, 7, 4}},
         "storage-differs",
         0},
        {"ext4", false, false, 2, 1, {{1, 7, 1}, {2, 7, 2}, {3, 7, 3}, {4, 7, 4}}, NULL, 0},
        {"ext4",
         false,
         false,
         2,
         1,
         {{1, 7, 1}, {2, 8, 2}, {3, 7, 3}, {4, 8, 4}},
         "storage-differs",
         0},
        {"nfs4", true, false, 2, 2, {{1, 7, 1}, {2, 9, 1}, {3, 7, 3}, {4, 9, 4}}, "same-file", 1},
        {"nfs4", true, false, 2, 2, {{1, 7, 1}, {2, 9, 2}, {3, 7, 3}, {4, 9, 4}}, NULL, 0},
        {"fuse.sshfs", true, false, 2, 2, {{1, 7, 1}, {2, 9, 1}, {3, 7, 3}, {4, 9, 4}}, NULL, 0},
        {"nfs4", true, true, 2, 2, {{1, 7, 5}, {1, 9, 5}, {0}, {0}}, NULL, 0},
        {"nfs4", true, true, 2, 2, {{1, 7, 5}, {1, 9, 6}, {0}, {0}}, "storage-differs", 1},
        {"fuse.sshfs", true, true, 2, 2, {{1, 7, 5}, {1, 9, 6}, {0}, {0}}, NULL, 0},
        {"ext4", false, true, 2, 2, {{1, 7, 5}, {1, 7, 5}, {0}, {0}}, "storage-differs", 1},
        {"ext4", false, true, 2, 1, {{1, 7, 5}, {1, 7, 5}, {0}, {0}}, NULL, 0},
        {"ext4", false, true, 2, 1, {{1, 7, 5}, {1, 8, 5}, {0}, {0}}, "storage-differs", 1},
    };
    static const char *const words[] = {"ior"}, *const paths[] = {"f"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sights_case *x = &cases[i];
        struct weir_plan *plan = weir_plan_open("ior", 1, words);
        struct weir_test *test = weir_plan_add_test(plan);
        const struct weir_target target = {
            .paths = paths, .path_count = 1, .is_shared = x->is_shared};
        const struct weir_phase phase = {
            .verb = WEIR_WRITE,
            .target = &target,
            .depth = 1,
            .transfers = {
                .layout = {.segment_count = 1, .block_bytes = 4096, .transfer_bytes = 4096},
                .batch = 1}};
        struct weir_storage_group storage = {
            .hosts = "n1", .facts = {.is_known = true, .is_network = x->is_network}};
        const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
        struct weir_rank_row ranks[RANKS] = {{.op_count = 0}};
        struct weir_phase_result record = {.arena = &plan->arena,
                                           .failure = "",
                                           .rank_count = RANKS,
                                           .node_count = x->nodes,
                                           .op_count = 4,
                                           .byte_count = 16384,
                                           .expected_bytes = 16384,
                                           .file_bytes = 16384,
                                           .windows = {.transfer_s = 1.0, .total_s = 1.0},
                                           .common_s = 1.0,
                                           .rows = ranks};
        const struct weir_finding *finding = NULL;

        snprintf(storage.facts.type, sizeof storage.facts.type, "%s", x->type);
        test->backend = &backend;
        weir_plan_add_phase(plan, test, &test->steps, &phase);
        for (unsigned rank = 0; rank < RANKS; rank++)
            ranks[rank] = (struct weir_rank_row){
                .node = rank % x->nodes,
                .machine = 100 + rank % x->machines,
                .sight = {x->ranks[rank].name, x->ranks[rank].device, x->ranks[rank].inode, 0}};
        weir_audit_phase(plan, &begun, &record);
        for (unsigned k = 0; k < record.finding_count; k++)
            if (strcmp(record.findings[k].name, "same-file") == 0 ||
                strcmp(record.findings[k].name, "storage-differs") == 0)
                finding = &record.findings[k];
        if ((finding != NULL) != (x->finding != NULL) ||
            (finding != NULL &&
             (strcmp(finding->name, x->finding) != 0 || finding->severity != x->severity)))
            fail_msg("case %zu: %s", i, finding != NULL ? finding->text : "nothing is found");
        weir_plan_close(plan);
    }
}

/* What servers may have in their memory is younger than a day and less than they have. */
static void the_memory_of_servers_is_told(void **state)
{
    static const struct {
        bool is_network;
        enum weir_verb verb;
        uint64_t bytes;
        int64_t age_s; /* 0: not known */
        const char *finding;
    } cases[] = {
        {true, WEIR_READ, UINT64_C(64) << 20, 60, "fits-server-memory"},
        {true, WEIR_READ, UINT64_C(16) << 30, 60, "fits-server-memory"},
        {true, WEIR_READ, UINT64_C(17) << 30, 60, NULL},
        {true, WEIR_READ, UINT64_C(64) << 20, 0, NULL},
        {true, WEIR_READ, UINT64_C(64) << 20, 3 * 86400, "old-names"},
        {true, WEIR_WRITE, UINT64_C(64) << 20, 60, NULL},
        {false, WEIR_READ, UINT64_C(64) << 20, 60, NULL},
        {false, WEIR_READ, UINT64_C(64) << 20, 86400, "old-names"},
        {false, WEIR_READ, UINT64_C(64) << 20, 86399, NULL},
    };
    static const char *const words[] = {"ior"}, *const paths[] = {"f"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_plan *plan = weir_plan_open("ior", 1, words);
        struct weir_test *test = weir_plan_add_test(plan);
        const struct weir_target target = {.paths = paths, .path_count = 1, .is_shared = true};
        const struct weir_phase phase = {
            .verb = cases[i].verb,
            .target = &target,
            .depth = 1,
            .transfers = {
                .layout = {.segment_count = 1, .block_bytes = 4096, .transfer_bytes = 4096},
                .batch = 1}};
        struct weir_storage_group storage = {
            .facts = {.is_known = true, .is_network = cases[i].is_network, .type = "nfs4"}};
        const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
        struct weir_rank_row row = {.sight = {1, 1, 1, 0}};
        struct weir_phase_result record = {.arena = &plan->arena,
                                           .failure = "",
                                           .rank_count = 1,
                                           .node_count = 1,
                                           .op_count = 4,
                                           .begun_s = 2e9,
                                           .byte_count = cases[i].bytes,
                                           .expected_bytes = cases[i].bytes,
                                           .file_bytes = cases[i].bytes,
                                           .windows = {.transfer_s = 1.0, .total_s = 1.0},
                                           .common_s = 1.0,
                                           .rows = &row};
        const char *found = NULL;

        if (cases[i].age_s > 0)
            row.sight.modified_s = INT64_C(2000000000) - cases[i].age_s;
        test->backend = &backend;
        weir_plan_add_phase(plan, test, &test->steps, &phase);
        weir_audit_phase(plan, &begun, &record);
        for (unsigned k = 0; k < record.finding_count; k++)
            if (strcmp(record.findings[k].name, "fits-server-memory") == 0 ||
                strcmp(record.findings[k].name, "old-names") == 0)
                found = record.findings[k].name;
        if ((found != NULL) != (cases[i].finding != NULL) ||
            (found != NULL && strcmp(found, cases[i].finding) != 0))
            fail_msg("case %zu: %s", i, found != NULL ? found : "nothing is found");
        weir_plan_close(plan);
    }
}

static void names_that_did_not_exist_are_told(void **state)
{
    static struct weir_storage_group storage = {.facts = {.is_known = true, .type = "ext4"}};
    static const struct weir_test_result begun = {.storages = &storage, .storage_count = 1};
    const struct weir_phase phase = {
        .verb = WEIR_UNLINK, .target = &target_tree, .depth = 1, .names.item = "f.%r.%n"};

    (void)state;
    for (unsigned absent = 0; absent < 4; absent += 3) {
        struct weir_plan *plan = weir_plan_open("mdtest", 1, mdtest);
        struct weir_test *test = weir_plan_add_test(plan);
        struct weir_phase_result record = {.arena = &plan->arena,
                                           .failure = "",
                                           .rank_count = 2,
                                           .node_count = 1,
                                           .op_count = 100,
                                           .absent_count = absent,
                                           .depth = 1,
                                           .windows = {.total_s = 1.0}};

        test->backend = &backend;
        record.phase = weir_plan_add_phase(plan, test, &test->steps, &phase)->number;
        weir_audit_phase(plan, &begun, &record);
        assert_int_equal(count_findings(&record, "absent"), absent > 0);
        weir_plan_close(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_own_node_made_is_told_with_a_way_out),
        cmocka_unit_test(memory_is_told_in_place_of_caches),
        cmocka_unit_test(counters_tell_whether_a_cache_answered),
        cmocka_unit_test(directories_around_items_need_no_evidence),
        cmocka_unit_test(ranks_and_nodes_are_where_the_paths_say),
        cmocka_unit_test(names_that_did_not_exist_are_told),
        cmocka_unit_test(the_memory_of_servers_is_told),
    };

    return cmocka_run_group_tests_name("audit_names", tests, NULL, NULL);
}
