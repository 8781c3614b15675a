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
        .layout = {.segment_count = 1, .block_bytes = MIB, .transfer_bytes = 4096}, .depth = 1};

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
SPOIL(limp, x->record.rank_s_max = 2.0)
SPOIL(straggle, x->test->outlier_ns = 500000000; x->record.slowest_count = 1;
      x->record.slowest[0].rank = 3; x->record.slowest[0].seconds = 1.5)
SPOIL(tolerate, straggle(x); x->test->outlier_ns = 600000000)

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
        {limp, "imbalance", WEIR_NOTE, true},
        {straggle, "outlier", WEIR_WARNING, true},
        {tolerate, "outlier", WEIR_WARNING, false},
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
        cmocka_unit_test(a_sound_phase_raises_no_doubt),
    };

    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
