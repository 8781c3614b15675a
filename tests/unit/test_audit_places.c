/* SPDX-License-Identifier: Apache-2.0 */
/* Each doubt about where ranks ran: the nodes that raise it, and those that just do not. */
#include "weir/audit/audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define NODES 3
#define RANKS 12

/* The record of a write by twelve ranks on three nodes with four cores each, sound until a case
 * spoils it. */
struct subject {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_target target;
    struct weir_phase_result record;
    struct weir_histogram latency;
    struct weir_node_places nodes[NODES];
    struct weir_rank_place ranks[RANKS];
};

static const struct weir_descriptor backend = {.name = "direct",
                                               .label = "DIRECT",
                                               .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP |
                                                            WEIR_CAN_NAME | WEIR_BYPASSES_CACHE};

static void set_up_places(struct subject *subject)
{
    for (unsigned i = 0; i < NODES; i++) {
        struct weir_node_places *node = &subject->nodes[i];

        *node = (struct weir_node_places){.rank_count = 4,
                                          .cpus = {.words = {15}},
                                          .core_count = 4,
                                          .given_core_count = 4,
                                          .cpu_nodes = 1,
                                          .page_nodes = 1,
                                          .cpu_s = 3.0,
                                          .wall_s = 2.0,
                                          .migrations = 5,
                                          .preemptions = 17};
        snprintf(node->host, sizeof node->host, "n%u", i + 1);
    }
    for (unsigned i = 0; i < RANKS; i++)
        subject->ranks[i] = (struct weir_rank_place){
            .rank = i, .node = i / 4, .cpus = {.words = {15}}, .cpu_nodes = 1, .page_nodes = 1};
    subject->record.node_places = subject->nodes;
    subject->record.rank_places = subject->ranks;
}

static void set_up(struct subject *subject)
{
    static const char *const words[] = {"ior"};
    static const char *const paths[] = {"f"};
    struct weir_phase phase = {
        .verb = WEIR_WRITE,
        .transfers.layout = {.segment_count = 1, .block_bytes = MIB, .transfer_bytes = 4096},
        .depth = 1,
        .transfers.batch = 1};

    memset(subject, 0, sizeof *subject);
    subject->target = (struct weir_target){.paths = paths, .path_count = 1, .is_shared = true};
    subject->plan = weir_plan_open("ior", 1, words);
    subject->test = weir_plan_add_test(subject->plan);
    subject->test->backend = &backend;
    phase.target = &subject->target;
    weir_plan_add_phase(subject->plan, subject->test, &subject->test->steps, &phase);
    subject->record = (struct weir_phase_result){
        .arena = &subject->plan->arena,
        .phase = subject->test->phases[0]->number,
        .failure = "",
        .rank_count = RANKS,
        .node_count = NODES,
        .op_count = 3072,
        .byte_count = RANKS * MIB,
        .expected_bytes = RANKS * MIB,
        .file_bytes = RANKS * MIB,
        .windows = {.transfer_s = 1.9, .total_s = 2.0},
        .rank_s_min = 1.8,
        .rank_s_mean = 1.85,
        .rank_s_max = 1.9,
        .common_s = 1.8,
    };
    set_up_places(subject);
}

/* ---- what spoils it ---- */

static void no_places(struct subject *subject)
{
    subject->record.node_places = NULL;
    subject->record.rank_places = NULL;
}

static void no_ranks(struct subject *subject)
{
    subject->record.rank_places = NULL;
}

static void five_ranks(struct subject *subject)
{
    subject->nodes[1].rank_count = 5;
    subject->nodes[1].crowded_count = 1;
}

static void five_and_nine_ranks(struct subject *subject)
{
    five_ranks(subject);
    subject->nodes[2].rank_count = 9;
    subject->nodes[2].crowded_count = 5;
}

static void five_ranks_of_which_one_is_not_known(struct subject *subject)
{
    subject->nodes[1].rank_count = 5;
}

static void seven_ranks_of_which_two_are_not_known(struct subject *subject)
{
    subject->nodes[1].rank_count = 7;
    subject->nodes[1].crowded_count = 1;
}

static void two_ranks_and_one_core(struct subject *subject)
{
    subject->nodes[0].rank_count = 2;
    subject->nodes[0].core_count = subject->nodes[0].given_core_count = 1;
    subject->nodes[0].crowded_count = 1;
}

/* A list of --pin that names one processor twice. */
static void one_core_of_four_for_two(struct subject *subject)
{
    subject->nodes[2].rank_count = 2;
    subject->nodes[2].core_count = 1;
    subject->nodes[2].crowded_count = 1;
    subject->nodes[2].first_crowded = 9;
    subject->nodes[2].crowded_cpu = 3;
}

static void shared_core(struct subject *subject)
{
    subject->nodes[1].crowded_count = 1;
    subject->nodes[1].first_crowded = 6;
    subject->nodes[1].crowded_cpu = 2;
}

static void shared_cores(struct subject *subject)
{
    shared_core(subject);
    subject->nodes[2].crowded_count = 2;
    subject->nodes[2].first_crowded = 8;
}

static void shared_by_a_list(struct subject *subject)
{
    shared_core(subject);
    subject->test->pinning.policy = WEIR_PIN_LIST;
}

static void oversubscribed_and_badly_spread(struct subject *subject)
{
    subject->nodes[0].rank_count = 6;
    subject->nodes[0].crowded_count = 3;
}

static void moved(struct subject *subject)
{
    subject->nodes[1].moved_count = 1;
    subject->nodes[1].first_moved = 7;
}

static void moved_in_crowds(struct subject *subject)
{
    moved(subject);
    subject->nodes[2].moved_count = 3;
    subject->nodes[2].first_moved = 9;
}

static void away(struct subject *subject)
{
    subject->nodes[1].away_count = 1;
    subject->nodes[1].first_away = 4;
    subject->nodes[1].away_permille = 875;
    subject->nodes[1].cpu_nodes = 3;
    subject->nodes[1].page_nodes = 3;
    subject->ranks[4].page_nodes = 3;
    subject->ranks[4].cpu_nodes = 2;
}

static void away_of_thousands(struct subject *subject)
{
    away(subject);
    no_ranks(subject);
    subject->nodes[0].away_count = 2;
    subject->nodes[0].away_permille = 10;
}

static void away_as_the_rank_was_moved(struct subject *subject)
{
    away(subject);
    subject->nodes[1].moved_count = 1;
    subject->nodes[1].first_moved = 4;
    subject->ranks[4].is_moved = true;
}

/* Who was moved is not who has its buffers elsewhere. */
static void away_and_another_one_was_moved(struct subject *subject)
{
    away(subject);
    moved(subject);
    subject->ranks[7].is_moved = true;
}

static void away_and_moved_of_thousands(struct subject *subject)
{
    away_as_the_rank_was_moved(subject);
    no_ranks(subject);
}

static void hardly_away(struct subject *subject)
{
    away(subject);
    subject->nodes[1].away_permille = 9;
}

static void away_from_where_it_was_asked_for(struct subject *subject)
{
    away(subject);
    subject->test->membind.policy = WEIR_MEMBIND_NODE;
    subject->nodes[1].asks_nodes = true;
}

/* --membind node:1, and the pages are there. */
static void remote_as_asked(struct subject *subject)
{
    subject->test->membind = (struct weir_membind){WEIR_MEMBIND_NODE, 1};
    subject->nodes[2].asks_nodes = true;
    subject->nodes[2].remote_count = 4;
    subject->nodes[2].first_remote = 8;
    subject->nodes[2].page_nodes = subject->ranks[8].page_nodes = 2;
}

/* The same by numactl. */
static void remote_as_started(struct subject *subject)
{
    remote_as_asked(subject);
    subject->test->membind.policy = WEIR_MEMBIND_AUTO;
}

static void remote_and_not_asked(struct subject *subject)
{
    remote_as_asked(subject);
    subject->nodes[2].asks_nodes = false;
}

static void throttled(struct subject *subject)
{
    subject->nodes[0].throttled_s = 0.02;
    subject->nodes[1].throttled_s = 1.5;
}

static void hardly_throttled(struct subject *subject)
{
    subject->nodes[1].throttled_s = 0.0199;
}

static void stolen(struct subject *subject)
{
    subject->nodes[2].stolen_share = 0.02;
    subject->nodes[0].stolen_share = 0.125;
}

static void hardly_stolen(struct subject *subject)
{
    subject->nodes[0].stolen_share = 0.0199;
}

/* One tick of 10 ms or two. */
static void stolen_in_a_moment(struct subject *subject)
{
    subject->nodes[0].wall_s = 0.1;
    subject->nodes[0].stolen_share = 0.2;
}

static void narrowed(struct subject *subject)
{
    subject->nodes[0].narrowed_count = 1;
    subject->nodes[2].narrowed_count = 3;
}

static void far_off(struct subject *subject)
{
    subject->nodes[2].far_count = 1;
}

static void waiting(struct subject *subject)
{
    subject->nodes[0].waited_share = 0.2;
    subject->nodes[1].waited_share = 0.43;
    subject->nodes[1].first_waited = 5;
    subject->nodes[1].pressure = (struct weir_pressure){
        .load_hundredths = 620, .busiest_permille = 984, .busiest = "stress-ng"};
}

/* 0.43 of the time of a rank, of which other processes had a part; and all. */
static void waiting_for_the_kernel(struct subject *subject)
{
    waiting(subject);
    subject->nodes[0].waited_share = 0.0;
    subject->nodes[1].pressure.is_sampled = true;
    subject->nodes[1].pressure.foreign_permille = 420;
}

static void waiting_for_others_and_the_kernel(struct subject *subject)
{
    waiting_for_the_kernel(subject);
    subject->nodes[1].pressure.foreign_permille = 430;
}

static void hardly_waiting_for_the_kernel(struct subject *subject)
{
    waiting_for_the_kernel(subject);
    subject->nodes[1].waited_share = 0.24;
    subject->nodes[1].pressure.foreign_permille = 230;
}

static void hardly_waiting(struct subject *subject)
{
    subject->nodes[1].waited_share = 0.0999;
}

/* A few time slices. */
static void waiting_in_a_moment(struct subject *subject)
{
    subject->nodes[1].wall_s = 0.03;
    subject->nodes[1].waited_share = 0.5;
}

static void waiting_in_a_dry_run(struct subject *subject)
{
    waiting(subject);
    subject->test->is_dry_run = true;
}

/* 8 ranks on 4 cores wait for one another for half of their time. */
static void waiting_for_one_another(struct subject *subject)
{
    subject->nodes[1].rank_count = 8;
    subject->nodes[1].crowded_count = 4;
    subject->nodes[1].waited_share = 0.6;
}

static void waiting_for_one_another_and_for_others(struct subject *subject)
{
    waiting_for_one_another(subject);
    subject->nodes[1].waited_share = 0.75;
}

static void waiting_on_a_shared_core(struct subject *subject)
{
    shared_core(subject);
    subject->nodes[1].waited_share = 0.5;
}

static void waiting_for_a_quota(struct subject *subject)
{
    subject->nodes[1].throttled_s = 1.6;
    subject->nodes[1].waited_share = 0.8;
}

/* The slowest rank is on n2, and n2 is under pressure. */
static void slow_and_waiting(struct subject *subject)
{
    waiting(subject);
    subject->record.slowest_count = 1;
    subject->record.slowest[0] =
        (struct weir_slow_rank){.rank = 5, .seconds = 4.0, .waited_s = 1.5, .host = "n2"};
    subject->record.rank_s_max = 4.0;
}

static void slow_and_others_waiting(struct subject *subject)
{
    slow_and_waiting(subject);
    subject->record.slowest[0] =
        (struct weir_slow_rank){.rank = 9, .seconds = 4.0, .waited_s = 0.1, .host = "n3"};
}

static void slow_for_want_of_a_cpu(struct subject *subject)
{
    slow_and_waiting(subject);
    subject->nodes[0].waited_share = subject->nodes[1].waited_share = 0.0;
}

static void nothing(struct subject *subject)
{
    (void)subject;
}

#define NONE NULL

/* Names with NULL at the end: all findings that there are. */
static const struct {
    void (*spoil)(struct subject *subject);
    const char *names[3];
    enum weir_severity severity;
    const char *sentence; /* a part of the first one */
} cases[] = {
    {nothing, {NONE}, WEIR_NOTE, NULL},
    {no_places, {NONE}, WEIR_NOTE, NULL},
    {five_ranks, {"oversubscribed"}, WEIR_WARNING, "n2 has 5 ranks for 4 cores -> fewer ranks"},
    {five_and_nine_ranks,
     {"oversubscribed"},
     WEIR_WARNING,
     "n3 has 9 ranks for 4 cores (and 1 more node) -> "},
    {five_ranks_of_which_one_is_not_known, {NONE}, WEIR_NOTE, NULL},
    {seven_ranks_of_which_two_are_not_known,
     {"oversubscribed"},
     WEIR_WARNING,
     "n2 has 7 ranks for 4 cores"},
    {two_ranks_and_one_core, {"oversubscribed"}, WEIR_WARNING, "n1 has 2 ranks for 1 core -> "},
    {one_core_of_four_for_two,
     {"shared-core"},
     WEIR_WARNING,
     "rank 9 on n3 shares the core of CPU 3 while cores are idle"},
    {shared_core,
     {"shared-core"},
     WEIR_WARNING,
     "rank 6 on n2 shares the core of CPU 2 while cores are idle -> --pin core"},
    {shared_cores, {"shared-core"}, WEIR_WARNING, "rank 8 on n3 "},
    {shared_cores, {"shared-core"}, WEIR_WARNING, "are idle (and 2 more ranks) -> "},
    {shared_by_a_list, {"shared-core"}, WEIR_WARNING, "idle -> other CPUs in the list of --pin"},
    {oversubscribed_and_badly_spread,
     {"oversubscribed", "shared-core"},
     WEIR_WARNING,
     "n1 has 6 ranks for 4 cores"},
    {moved, {"migrated"}, WEIR_WARNING, "rank 7 on n2 was moved off its CPUs -> "},
    {moved_in_crowds, {"migrated"}, WEIR_WARNING, "rank 9 on n3 was moved"},
    {moved_in_crowds, {"migrated"}, WEIR_WARNING, "off its CPUs (and 3 more ranks)"},
    {away,
     {"wrong-node"},
     WEIR_WARNING,
     "87.5 % of the buffers of rank 4 on n2 are away from its CPUs (NUMA nodes 0-1) -> "
     "--membind local"},
    {away_and_another_one_was_moved,
     {"migrated", "wrong-node"},
     WEIR_WARNING,
     "rank 7 on n2 was moved"},
    {away_of_thousands,
     {"wrong-node"},
     WEIR_WARNING,
     "87.5 % of the buffers of rank 4 on n2 are away from its CPUs (NUMA nodes 0-1) (and 2 more "
     "ranks) -> "},
    {away_as_the_rank_was_moved,
     {"migrated", "wrong-node"},
     WEIR_WARNING,
     "off its CPUs -> look for taskset"},
    {hardly_away, {NONE}, WEIR_NOTE, NULL},
    {away_from_where_it_was_asked_for,
     {"wrong-node"},
     WEIR_WARNING,
     "are away from --membind (NUMA nodes 0-1) -> free memory there"},
    {remote_as_asked,
     {"remote-memory"},
     WEIR_NOTE,
     "buffers of rank 8 on n3 are on NUMA node 1, its CPUs on NUMA node 0, as --membind asks (and "
     "3 more ranks)"},
    {remote_as_started,
     {"remote-memory"},
     WEIR_NOTE,
     "on NUMA node 1, its CPUs on NUMA node 0, as numactl asks (and 3 more ranks)"},
    {remote_and_not_asked, {NONE}, WEIR_NOTE, NULL},
    {throttled,
     {"throttled"},
     WEIR_WARNING,
     "a CPU quota stopped ranks on n2 for 1.50 s of 2.00 s (and 1 more node) -> "},
    {hardly_throttled, {NONE}, WEIR_NOTE, NULL},
    {stolen,
     {"steal"},
     WEIR_WARNING,
     "the hypervisor took 12.5 % of the CPUs of ranks on n1 (and 1 more node) -> "},
    {hardly_stolen, {NONE}, WEIR_NOTE, NULL},
    {stolen_in_a_moment, {NONE}, WEIR_NOTE, NULL},
    {narrowed,
     {"pin-narrowed"},
     WEIR_NOTE,
     "4 ranks on n3 and others got fewer CPUs than --pin asks for"},
    {waiting,
     {"cpu-pressure"},
     WEIR_WARNING,
     "rank 5 on n2 waited 43 % for a CPU (load 6.2, stress-ng 98 %) (and 1 more node) -> "},
    {hardly_waiting, {NONE}, WEIR_NOTE, NULL},
    {waiting_for_the_kernel,
     {"cpu-pressure"},
     WEIR_NOTE,
     "ranks on n2 waited up to 43 % for a CPU in use by ranks or the kernel -> fewer ranks per "
     "node"},
    {waiting_for_others_and_the_kernel, {"cpu-pressure"}, WEIR_WARNING, NULL},
    {hardly_waiting_for_the_kernel, {NONE}, WEIR_NOTE, NULL},
    {waiting_in_a_moment, {NONE}, WEIR_NOTE, NULL},
    {waiting_in_a_dry_run, {"no-storage"}, WEIR_NOTE, NULL},
    {waiting_for_one_another, {"oversubscribed"}, WEIR_WARNING, NULL},
    {waiting_for_one_another_and_for_others,
     {"oversubscribed", "cpu-pressure"},
     WEIR_WARNING,
     NULL},
    {waiting_on_a_shared_core, {"shared-core"}, WEIR_WARNING, NULL},
    {waiting_for_a_quota, {"throttled"}, WEIR_WARNING, NULL},
    {slow_for_want_of_a_cpu,
     {"imbalance"},
     WEIR_NOTE,
     "rank 5 on n2 took 4.00 s, the others 1.65 s (59 % lost); it waited for a CPU -> "},
    {far_off, {"pin-far"}, WEIR_NOTE, "1 rank on n3 found no CPU near the device"},
};

static void assert_findings(const struct weir_phase_result *record, size_t i)
{
    unsigned expected = 0;

    for (; expected < 3 && cases[i].names[expected]; expected++) {
        const struct weir_finding *finding = &record->findings[expected];

        if (expected >= record->finding_count)
            fail_msg("case %zu: %s is missing", i, cases[i].names[expected]);
        assert_string_equal(finding->name, cases[i].names[expected]);
        assert_int_equal(finding->severity, cases[i].severity);
        assert_in_range(strlen(finding->text), 1, WEIR_FINDING_TEXT_BYTES - 2);
    }
    if (record->finding_count > expected)
        fail_msg("case %zu: %s is too much: %s", i, record->findings[expected].name,
                 record->findings[expected].text);
    if (cases[i].sentence && !strstr(record->findings[0].text, cases[i].sentence))
        fail_msg("case %zu: %s", i, record->findings[0].text);
}

static void each_finding_is_made_for_what_spoils_a_number_and_for_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject subject;

        set_up(&subject);
        subject.record.latency = &subject.latency;
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &(struct weir_test_result){0}, &subject.record);
        assert_findings(&subject.record, i);
        weir_plan_close(subject.plan);
    }
}

/* Waits that are explained otherwise are no evidence of other processes. */
static void evidence_of_the_cpu_is_that_of_the_finding(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        enum weir_evidence_state state;
    } ways[] = {{waiting, WEIR_SEEN},
                {hardly_waiting, WEIR_NOT_SEEN},
                {waiting_in_a_moment, WEIR_NOT_SEEN},
                {waiting_for_one_another, WEIR_NOT_SEEN},
                {waiting_for_one_another_and_for_others, WEIR_SEEN},
                {waiting_on_a_shared_core, WEIR_NOT_SEEN},
                {waiting_for_a_quota, WEIR_NOT_SEEN}};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct subject subject;

        set_up(&subject);
        subject.record.latency = &subject.latency;
        ways[i].spoil(&subject);
        weir_audit_phase(subject.plan, &(struct weir_test_result){0}, &subject.record);
        if (subject.record.evidence[WEIR_EVIDENCE_CPU].state != ways[i].state)
            fail_msg("case %zu", i);
        weir_plan_close(subject.plan);
    }
}

static void pressure_explains_a_slow_rank_of_its_node_only(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        bool is_explained;
    } ways[] = {{slow_and_waiting, true}, {slow_and_others_waiting, false}};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct subject subject;
        const struct weir_finding *finding;

        set_up(&subject);
        subject.record.latency = &subject.latency;
        ways[i].spoil(&subject);
        weir_audit_phase(subject.plan, &(struct weir_test_result){0}, &subject.record);
        assert_int_equal(subject.record.finding_count, 2);
        assert_int_equal(subject.record.evidence[WEIR_EVIDENCE_CPU].state, WEIR_SEEN);
        finding = &subject.record.findings[1];
        assert_string_equal(finding->name, "imbalance");
        assert_int_equal(finding->explained_by != NULL, ways[i].is_explained);
        weir_plan_close(subject.plan);
    }
}

/* 8 MiB/s on each of two nodes, and what ranks and devices moved in a second. */
static void an_io_limit_is_noted_and_warned_of_where_the_rate_lies_at_it(void **state)
{
    static const struct {
        uint64_t moved_mib, passed_mib;
        enum weir_severity severity;
        enum weir_effect effect;
    } ways[] = {
        {15, 15, WEIR_WARNING, WEIR_QUALIFY}, {14, 14, WEIR_NOTE, WEIR_INFORM},
        {15, 90, WEIR_WARNING, WEIR_QUALIFY}, {90, 15, WEIR_WARNING, WEIR_QUALIFY},
        {90, 90, WEIR_NOTE, WEIR_INFORM}, /* it does not apply to these */
    };
    struct weir_storage_group storage = {.count = 2, .hosts = "n[1-2]"};
    struct weir_test_result begun = {.storages = &storage, .storage_count = 1};

    (void)state;
    storage.facts.limits.per_s[WEIR_LIMIT_WRITE_BYTES] = 8 * MIB;
    storage.facts.limits.per_s[WEIR_LIMIT_READ_BYTES] = MIB; /* of no interest to writes */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct subject subject;

        set_up(&subject);
        subject.record.latency = &subject.latency;
        subject.record.windows.transfer_s = 1.0;
        subject.record.byte_count = subject.record.expected_bytes = subject.record.file_bytes =
            ways[i].moved_mib * MIB;
        subject.record.traffic = (struct weir_traffic){
            .has_devices = true, .device_written_bytes = ways[i].passed_mib * MIB};
        weir_audit_phase(subject.plan, &begun, &subject.record);
        for (unsigned k = 0; k < subject.record.finding_count; k++) {
            const struct weir_finding *finding = &subject.record.findings[k];

            if (strcmp(finding->name, "io-limit") != 0)
                continue;
            assert_int_equal(finding->severity, ways[i].severity);
            assert_int_equal(finding->effect, ways[i].effect);
            subject.record.depth = 77;
        }
        assert_int_equal(subject.record.depth, 77);
        weir_plan_close(subject.plan);
    }
}

static void who_was_moved_is_not_sent_to_membind(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        bool blames_mover;
    } ways[] = {
        {away_as_the_rank_was_moved, true},
        {away_and_moved_of_thousands, true},
        {away_and_another_one_was_moved, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct subject subject;
        const struct weir_finding *finding;

        set_up(&subject);
        subject.record.latency = &subject.latency;
        ways[i].spoil(&subject);
        weir_audit_phase(subject.plan, &(struct weir_test_result){0}, &subject.record);
        assert_in_range(subject.record.finding_count, 2, 9);
        finding = &subject.record.findings[1];
        assert_string_equal(finding->name, "wrong-node");
        assert_int_equal(!!strstr(finding->text, "find out who moved the rank"),
                         ways[i].blames_mover);
        assert_int_equal(!!strstr(finding->text, "--membind local"), !ways[i].blames_mover);
        weir_plan_close(subject.plan);
    }
}

/* Long names must not cut off the way out. */
static void all_findings_at_once_have_room(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    subject.record.latency = &subject.latency;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].spoil != no_places && cases[i].spoil != remote_and_not_asked)
            cases[i].spoil(&subject);
    for (unsigned i = 0; i < NODES; i++) {
        subject.nodes[i].wall_s = 2.0;
        subject.nodes[i].stolen_share = 0.5;
        subject.nodes[i].away_count = 4;
        subject.nodes[i].away_permille = 999;
        subject.nodes[i].throttled_s = 1.0;
        subject.nodes[i].asks_nodes = i == 2;
        memset(subject.nodes[i].host, 'h', sizeof subject.nodes[i].host - 1);
    }
    weir_audit_phase(subject.plan, &(struct weir_test_result){0}, &subject.record);
    assert_int_equal(subject.record.finding_count, 11);
    for (unsigned i = 0; i < subject.record.finding_count; i++)
        assert_in_range(strlen(subject.record.findings[i].text), 1, WEIR_FINDING_TEXT_BYTES - 2);
    weir_plan_close(subject.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finding_is_made_for_what_spoils_a_number_and_for_nothing_else),
        cmocka_unit_test(who_was_moved_is_not_sent_to_membind),
        cmocka_unit_test(evidence_of_the_cpu_is_that_of_the_finding),
        cmocka_unit_test(pressure_explains_a_slow_rank_of_its_node_only),
        cmocka_unit_test(an_io_limit_is_noted_and_warned_of_where_the_rate_lies_at_it),
        cmocka_unit_test(all_findings_at_once_have_room),
    };

    return cmocka_run_group_tests_name("audit_places", tests, NULL, NULL);
}
