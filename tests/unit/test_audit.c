/* SPDX-License-Identifier: Apache-2.0 */
/* Each doubt: the record that raises it, and the sound one that does not. */
#include "weir/audit/audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

/* A plan of one test that writes and reads, and the record of one of its phases: sound until a case
 * spoils it. */
struct subject {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_phase *write;
    struct weir_phase *read;
    struct weir_target target;
    struct weir_phase_result record;
};

static const struct weir_descriptor backend = {
    .name = "posix", .label = "POSIX", .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME};
static const struct weir_descriptor direct = {.name = "direct",
                                              .label = "DIRECT",
                                              .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP |
                                                           WEIR_CAN_NAME | WEIR_BYPASSES_CACHE};

static void set_up(struct subject *subject)
{
    static const char *const words[] = {"ior"};
    static const char *const paths[] = {"f"};
    struct weir_phase phase = {
        .layout = {.segment_count = 1, .block_bytes = MIB, .transfer_bytes = 4096},
        .depth = 1,
        .batch = 1};

    memset(subject, 0, sizeof *subject);
    subject->target = (struct weir_target){.paths = paths, .path_count = 1, .is_shared = true};
    subject->plan = weir_plan_open("ior", 1, words);
    subject->test = weir_plan_add_test(subject->plan);
    subject->test->backend = &backend;
    phase.target = &subject->target;
    phase.verb = WEIR_WRITE;
    subject->write =
        weir_plan_add_phase(subject->plan, subject->test, &subject->test->steps, &phase);
    phase.verb = WEIR_READ;
    subject->read =
        weir_plan_add_phase(subject->plan, subject->test, &subject->test->steps, &phase);
    subject->record = (struct weir_phase_result){
        .phase = subject->write->number,
        .rank_count = 4,
        .node_count = 2,
        .near_rank_count = 4,
        .op_count = 1024,
        .byte_count = 4 * MIB,
        .expected_bytes = 4 * MIB,
        .file_bytes = 4 * MIB,
        .windows = {.transfer_s = 1.0, .total_s = 1.1},
        .rank_s_min = 0.9,
        .rank_s_mean = 0.95,
        .rank_s_max = 1.0,
        .common_s = 0.8,
    };
}

static const struct weir_finding *find(const struct subject *subject, const char *name)
{
    for (unsigned i = 0; i < subject->record.finding_count; i++)
        if (strcmp(subject->record.findings[i].name, name) == 0)
            return &subject->record.findings[i];
    return NULL;
}

#define SPOIL(name, statements)                                                                    \
    static void name(struct subject *x)                                                            \
    {                                                                                              \
        statements;                                                                                \
    }

SPOIL(interrupt, x->record.is_interrupted = true; x->record.outcome = WEIR_OUTCOME_PARTIAL)
SPOIL(fail_it, snprintf(x->record.failure, sizeof x->record.failure, "posix: write f: no space");
      x->record.error_count = 1; x->record.outcome = WEIR_OUTCOME_PARTIAL)
SPOIL(skip_it, x->record.outcome = WEIR_OUTCOME_SKIPPED; x->record.op_count = 0)
SPOIL(shorten, x->record.short_count = 3)
SPOIL(stonewall, x->record.stonewall.is_hit = true; x->record.stonewall.ops_min = 10;
      x->record.stonewall.ops_max = 20)
SPOIL(wear_out, stonewall(x); x->write->stop.has_wear_out = true)
SPOIL(shrink, x->record.file_bytes = MIB)
SPOIL(shrink_after_deadline, shrink(x); stonewall(x); x->record.byte_count = MIB)
SPOIL(corrupt, x->record.mismatches.checked_transfers = 9; x->record.mismatches.wrong_transfers = 2)
SPOIL(blur_clock, x->record.clock.is_cross_node = true; x->record.clock.error_s = 0.02)
SPOIL(sharpen_clock, x->record.clock.is_cross_node = true; x->record.clock.error_s = 0.001)
SPOIL(hurry, x->record.windows.total_s = 0.01)
SPOIL(pass_by, x->record.common_s = 0)
SPOIL(ponder, x->record.data_share = 0.4)
SPOIL(read_back, x->record.phase = x->read->number)
SPOIL(read_back_elsewhere, read_back(x); x->record.near_rank_count = 0)
SPOIL(check_near, read_back(x); x->read->is_check = true)
SPOIL(read_back_directly, read_back(x); x->test->backend = &direct)
SPOIL(shift_far, read_back(x); x->read->shift.kind = WEIR_SHIFT_NODES; x->read->shift.distance = 1;
      x->record.near_rank_count = 2)
SPOIL(shift_directly, shift_far(x); x->test->backend = &direct)
SPOIL(shift_without_a_write, shift_far(x); x->write->verb = WEIR_READ)
SPOIL(shift_anywhere_directly, shift_directly(x); x->read->shift.kind = WEIR_SHIFT_PERMUTATION)
SPOIL(shift_with_success, shift_directly(x); x->record.near_rank_count = 0)
SPOIL(shift_on_one_node, shift_far(x); x->record.node_count = 1; x->record.near_rank_count = 4)
SPOIL(draw_on_one_node, shift_on_one_node(x); x->read->shift.kind = WEIR_SHIFT_RANDOM)
SPOIL(shift_round, shift_far(x); x->read->shift.distance = 4; x->record.near_rank_count = 4)
SPOIL(shift_by_nothing, shift_round(x); x->read->shift.distance = 0)
SPOIL(shift_as_given, shift_round(x); x->test->given_nodes = 4)
SPOIL(check_round, shift_round(x); x->read->is_check = true; x->read->shift.avoids_circle = true)
SPOIL(check_round_before_reads, check_round(x); x->write->verb = WEIR_READ)
SPOIL(check_past_home, check_round(x); x->read->shift.distance = 3; x->record.node_count = 3;
      x->record.near_rank_count = 2)
SPOIL(draw_far, shift_far(x); x->read->shift.kind = WEIR_SHIFT_RANDOM)
SPOIL(draw_any, shift_far(x); x->read->shift.kind = WEIR_SHIFT_PERMUTATION)
SPOIL(draw_after_check, draw_far(x); x->record.near_rank_count = 0; x->write->is_check = true)
SPOIL(draw_after_check_directly, draw_after_check(x); x->test->backend = &direct)
SPOIL(shift_after_check, draw_after_check(x); x->read->shift.kind = WEIR_SHIFT_NODES)
SPOIL(check_after_check, draw_after_check(x); x->read->is_check = true)
SPOIL(limp, x->record.rank_s_max = 2.0)
static void straggle(struct subject *x)
{
    x->record.outlier_count = 1;
    x->record.outliers[0] = (struct weir_outlier){
        .rank = 3, .kind = WEIR_OUTLIER_CLOSE, .value_s = 1.5, .mean_s = 0.95, .host = "n2"};
}

SPOIL(straggle_in_a_check, straggle(x); read_back(x); x->read->is_check = true)
SPOIL(straggle_in_a_prefill, straggle(x); x->write->is_prefill = true)
SPOIL(straggle_often, x->record.outlier_count = 1000)
SPOIL(straggle_four_times, x->record.outlier_count = 4)
SPOIL(disagree, x->record.has_differing_sizes = true)
SPOIL(overflow, x->record.unlogged_ops = 7)
SPOIL(err_without_words, x->record.error_count = 1)

static void each_doubt_is_raised_by_its_record_and_no_other(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *name;
        enum weir_severity severity;
        bool is_raised;
    } cases[] = {
        {interrupt, "interrupted", WEIR_WARNING, true},
        {fail_it, "failed", WEIR_WARNING, true},
        {skip_it, "skipped", WEIR_WARNING, true},
        {shorten, "short-transfers", WEIR_NOTE, true},
        {stonewall, "stonewall", WEIR_NOTE, true},
        {wear_out, "stonewall", WEIR_NOTE, false},
        {shrink, "size", WEIR_WARNING, true},
        {shrink_after_deadline, "size", WEIR_WARNING, false},
        {corrupt, "data", WEIR_WARNING, true},
        {blur_clock, "clock-error", WEIR_WARNING, true},
        {sharpen_clock, "clock-error", WEIR_WARNING, false},
        {hurry, "short", WEIR_NOTE, true},
        {pass_by, "no-overlap", WEIR_NOTE, true},
        {ponder, "data-share", WEIR_NOTE, true},
        {read_back, "cache", WEIR_NOTE, true},
        {read_back_elsewhere, "cache", WEIR_NOTE, false},
        {check_near, "cache", WEIR_NOTE, true},
        {read_back_directly, "cache", WEIR_NOTE, false},
        {shift_far, "cache", WEIR_NOTE, true},
        {shift_far, "near", WEIR_NOTE, false},
        {shift_directly, "near", WEIR_NOTE, true},
        {shift_without_a_write, "near", WEIR_NOTE, true},
        {shift_anywhere_directly, "near", WEIR_NOTE, false},
        {shift_with_success, "near", WEIR_NOTE, false},
        {read_back_directly, "near", WEIR_NOTE, false},
        {draw_after_check, "checked-before", WEIR_NOTE, true},
        {draw_after_check_directly, "checked-before", WEIR_NOTE, false},
        {shift_after_check, "checked-before", WEIR_NOTE, false},
        {check_after_check, "checked-before", WEIR_NOTE, false},
        {draw_far, "checked-before", WEIR_NOTE, false},
        {limp, "imbalance", WEIR_NOTE, true},
        {straggle, "outlier", WEIR_WARNING, true},
        {straggle, "outliers", WEIR_WARNING, false},
        {straggle_in_a_check, "outlier", WEIR_WARNING, false},
        {straggle_in_a_prefill, "outlier", WEIR_WARNING, false},
        {straggle_often, "outliers", WEIR_WARNING, true},
        {straggle_four_times, "outliers", WEIR_WARNING, false},
        {disagree, "sizes-differ", WEIR_WARNING, true},
        {overflow, "unlogged", WEIR_WARNING, true},
        {err_without_words, "failed", WEIR_WARNING, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.record);
        finding = find(&subject, cases[i].name);
        if ((finding != NULL) != cases[i].is_raised)
            fail_msg("case %zu: %s", i, cases[i].name);
        if (finding != NULL)
            assert_int_equal(finding->severity, cases[i].severity);
        weir_plan_close(subject.plan);
    }
}

static void a_read_of_its_own_nodes_data_is_told_why(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *why;
    } cases[] = {
        {read_back, ": use -C on several nodes, or direct I/O"},
        {shift_on_one_node, ": -C finds no other node: use several, or direct I/O"},
        {draw_on_one_node, ": -Z finds no other node: use several, or direct I/O"},
        {shift_round, ": 4 nodes further is a full circle of 2: use another -Q, or direct I/O"},
        {shift_by_nothing, ": -Q 0 asks for no other node: use -Q 1, or direct I/O"},
        {shift_as_given, ": -C took the given numbers of nodes and ranks for true: leave them out"
                         ", or direct I/O"},
        {check_round, ": 4 nodes further is a full circle of 2: use another -Q, or direct I/O"},
        {check_round_before_reads, ": -W leaves the other node to -r: verify with -R"},
        {check_past_home, ": one node has 3 of the 4 ranks: spread them evenly, or direct I/O"},
        {shift_far, ": one node has 3 of the 4 ranks: spread them evenly, or direct I/O"},
        {draw_far, ": one node has 3 of the 4 ranks: spread them evenly, or direct I/O"},
        {draw_any, ": -Z -Z takes near ranks too: use -Z, or direct I/O"},
        {shift_directly,
         "2 of 4 ranks read what their own node writes: one node has 3 of the 4 ranks: spread them "
         "evenly"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.record);
        finding = find(&subject, "cache");
        if (finding == NULL)
            finding = find(&subject, "near");
        assert_non_null(finding);
        if (strstr(finding->text, cases[i].why) == NULL)
            fail_msg("case %zu: %s", i, finding->text);
        weir_plan_close(subject.plan);
    }
}

static void an_outlier_is_told_with_rank_host_deed_and_mean(void **state)
{
    static const char *const deeds[WEIR_OUTLIER_KINDS] = {
        "rank 3 on n2 began 1.500000 s after the agreed start, ranks on average 0.950000 s",
        "rank 3 on n2 took 1.500000 s to open, ranks on average 0.950000 s",
        "rank 3 on n2 took 1.500000 s to transfer, ranks on average 0.950000 s",
        "rank 3 on n2 took 1.500000 s to close, ranks on average 0.950000 s",
        "rank 3 on n2 ended 1.500000 s after the agreed start, ranks on average 0.950000 s",
    };

    (void)state;
    for (unsigned i = 0; i < WEIR_OUTLIER_KINDS; i++) {
        struct subject subject;

        set_up(&subject);
        straggle(&subject);
        subject.record.outliers[0].kind = (enum weir_outlier_kind)i;
        weir_audit_phase(subject.plan, &subject.record);
        assert_non_null(find(&subject, "outlier"));
        assert_memory_equal(find(&subject, "outlier")->text, deeds[i], strlen(deeds[i]));
        weir_plan_close(subject.plan);
    }
}

/* Four of their own, and one that counts the others: there is room for other doubts. */
static void a_thousand_outliers_leave_room_for_other_doubts(void **state)
{
    struct subject subject;
    unsigned count = 0;

    (void)state;
    set_up(&subject);
    straggle_often(&subject);
    weir_audit_phase(subject.plan, &subject.record);
    for (unsigned i = 0; i < subject.record.finding_count; i++)
        count += strcmp(subject.record.findings[i].name, "outlier") == 0;
    assert_int_equal(count, 4);
    assert_non_null(strstr(find(&subject, "outliers")->text, "996 more times"));
    weir_plan_close(subject.plan);
}

static void a_sound_phase_raises_no_doubt(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    weir_audit_phase(subject.plan, &subject.record);
    assert_int_equal(subject.record.finding_count, 0);
    weir_plan_close(subject.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_doubt_is_raised_by_its_record_and_no_other),
        cmocka_unit_test(a_read_of_its_own_nodes_data_is_told_why),
        cmocka_unit_test(an_outlier_is_told_with_rank_host_deed_and_mean),
        cmocka_unit_test(a_thousand_outliers_leave_room_for_other_doubts),
        cmocka_unit_test(a_sound_phase_raises_no_doubt),
    };

    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
