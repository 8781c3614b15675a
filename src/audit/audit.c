/* SPDX-License-Identifier: Apache-2.0 */
/* Which checks are due for a phase, and whether there is anything to warn of at all. */
#include "weir/audit/audit.h"

#include "checks.h"

#include <assert.h>
#include <string.h>

/* ---- the phase that is checked ---- */

static bool moves_data(const struct weir_audit_input *input)
{
    return weir_verb_moves_data(input->phase->verb) && input->record->op_count > 0;
}

bool weir_audit_moves_to_storage(const struct weir_audit_input *input)
{
    return !input->test->is_dry_run && (weir_test_abilities(input->test) & WEIR_CAN_KEEP) != 0;
}

const struct weir_storage_facts *weir_audit_first_storage(const struct weir_audit_input *input)
{
    static const struct weir_storage_facts unknown;

    return input->begun->storage_count > 0 ? &input->begun->storages[0].facts : &unknown;
}

bool weir_audit_uses_page_cache(const struct weir_audit_input *input)
{
    return (weir_test_abilities(input->test) & WEIR_BYPASSES_CACHE) == 0 &&
           !input->record->bypasses_cache;
}

const char *weir_audit_unit(const struct weir_audit_input *input)
{
    return weir_verb_moves_data(input->phase->verb) ? "transfer" : "operation";
}

const char *weir_audit_advice_more(const struct weir_audit_input *input)
{
    if (input->phase->verb == WEIR_PROGRAM)
        return "repeat its statements";
    return weir_verb_works_on_trees(input->phase->verb) ? "make more items" : "move more data";
}

const char *weir_audit_activity(const struct weir_audit_input *input)
{
    if (input->phase->verb == WEIR_MIXED)
        return input->phase->transfers.must_verify ? "making and checking" : "making";
    return weir_verb_makes_files(input->phase->verb) || input->phase->verb == WEIR_CREATE
               ? "making"
               : "checking";
}

const char *weir_audit_data_advice(const struct weir_audit_input *input)
{
    enum weir_payload_mode mode = input->phase->transfers.payload.mode;

    return mode == WEIR_PAYLOAD_FULL || mode == WEIR_PAYLOAD_IOR ? ", or --data stamp" : "";
}

/* Of phases whose ranks all work in one window of time. */
static void audit_course(struct weir_audit_input *input)
{
    weir_audit_time(input);
    input->stop_s = weir_audit_stalls(input);
    weir_audit_course(input);
    weir_audit_load(input);
    weir_audit_places(input);
    weir_audit_ranks(input);
}

/* Where rank 0 works for all, the others have no times to be compared with. */
static void audit_tree(struct weir_audit_input *input)
{
    if (input->record->op_count == 0 && input->record->absent_count == 0)
        return;
    weir_audit_work(input);
    weir_audit_names(input);
    weir_audit_sync(input);
    weir_audit_targets(input);
    weir_audit_tree_supply(input);
    if (input->phase->names.item != NULL && input->record->rank_ops_min > 0)
        audit_course(input);
}

/* Ranks of a program wait, sleep and go on alone as it says: of that nothing is a finding. */
static void audit_program(const struct weir_audit_input *input)
{
    weir_audit_program(input);
    weir_audit_program_names(input);
    weir_audit_targets(input);
    weir_audit_load(input);
    weir_audit_places(input);
}

static void audit_data(struct weir_audit_input *input)
{
    weir_audit_work(input);
    weir_audit_cache(input);
    weir_audit_targets(input);
    if (!input->phase->is_check && !input->phase->is_prefill)
        audit_course(input);
}

/* ---- evidence ---- */

static void observe_page_cache(struct weir_phase_result *record)
{
    const struct weir_residency_result *residency = &record->residency;

    if (residency->asked_bytes == 0)
        weir_result_observe(record, WEIR_EVIDENCE_PAGE_CACHE, WEIR_CANNOT_OBSERVE,
                            "the kernel does not tell what is in the page cache");
    else
        weir_result_observe(record, WEIR_EVIDENCE_PAGE_CACHE,
                            (double)residency->resident_bytes >=
                                    WEIR_RESIDENT_SHARE * (double)residency->asked_bytes
                                ? WEIR_SEEN
                                : WEIR_NOT_SEEN,
                            NULL);
}

/* Asks the questions that the figure of a phase depends on, and answers them from readings that the
 * record has. Detectors have recorded theirs before. */
static void ask_for_evidence(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    const char *lack;
    enum weir_effect least;

    if (!weir_audit_moves_to_storage(input) || input->phase->is_check || input->phase->is_prefill)
        return;
    if (weir_audit_memory(input) != NULL && weir_audit_moved_bytes(input, false) > 0)
        weir_result_observe(record, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, "the files are in memory");
    if (!moves_data(input) || !weir_verb_reads(input->phase->verb))
        return;
    if (weir_audit_uses_page_cache(input))
        observe_page_cache(record);
    if (weir_audit_is_server_memory(input))
        return;
    lack = weir_audit_obstacle(input, WEIR_EVIDENCE_SUPPLIED);
    /* A small share from the page cache says nothing about the rest. */
    least = lack != NULL ? WEIR_VOID : WEIR_QUALIFY;
    if (weir_audit_has_finding(record, WEIR_FINDING_RESIDENT, least) ||
        weir_audit_has_finding(record, WEIR_FINDING_REPEATED, least))
        weir_result_observe(record, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, "the page cache had it");
    weir_result_observe(record, WEIR_EVIDENCE_SUPPLIED,
                        lack != NULL ? WEIR_CANNOT_OBSERVE : WEIR_NOT_SEEN, lack);
}

void weir_audit_phase(const struct weir_plan *plan, const struct weir_test_result *begun,
                      struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];
    struct weir_audit_input input = {.plan = plan,
                                     .test = test,
                                     .phase =
                                         weir_plan_find_phase(plan, record->test, record->phase),
                                     .begun = begun,
                                     .record = record};

    assert(input.phase != NULL);
    weir_audit_completeness(&input);
    weir_audit_degraded(&input);
    if (weir_verb_works_on_trees(input.phase->verb))
        audit_tree(&input);
    if (input.phase->verb == WEIR_PROGRAM && record->op_count > 0)
        audit_program(&input);
    if (moves_data(&input))
        audit_data(&input);
    weir_audit_storage(&input);
    weir_audit_lower(&input);
    ask_for_evidence(&input);
    weir_audit_conclude(plan, record);
}

/* ---- what follows from the findings ---- */

/* A finding of the second kind is a symptom where the same phase has one of the first kind. That
 * CPU pressure of a node explains a slow rank of it, and that ranks wait for one another, is
 * decided by check_ranks.c and check_places.c: node by node. */
static const struct {
    enum weir_finding_kind cause;
    enum weir_finding_kind symptom;
} causes[] = {
    {WEIR_FINDING_STALL, WEIR_FINDING_IMBALANCE},
    {WEIR_FINDING_NO_PROGRESS, WEIR_FINDING_STALL},
    {WEIR_FINDING_NO_PROGRESS, WEIR_FINDING_IMBALANCE},
    {WEIR_FINDING_STALL, WEIR_FINDING_LATE_ISSUE},
    {WEIR_FINDING_STALL, WEIR_FINDING_RATE_NOT_SHOWN},
    {WEIR_FINDING_INTERRUPTED, WEIR_FINDING_LATE_ISSUE},
    {WEIR_FINDING_INTERRUPTED, WEIR_FINDING_RATE_NOT_SHOWN},
    {WEIR_FINDING_CPU_PRESSURE, WEIR_FINDING_LATE_ISSUE},
    {WEIR_FINDING_CPU_PRESSURE, WEIR_FINDING_SPREAD},
    {WEIR_FINDING_CPU_PRESSURE, WEIR_FINDING_WARM_UP},
    {WEIR_FINDING_CPU_PRESSURE, WEIR_FINDING_TREND},
    {WEIR_FINDING_RESIDENT, WEIR_FINDING_SHORT},
    {WEIR_FINDING_NO_DEVICE_IO, WEIR_FINDING_SHORT},
    {WEIR_FINDING_REPEATED, WEIR_FINDING_NO_DEVICE_IO},
    {WEIR_FINDING_SUBMIT_BLOCKS, WEIR_FINDING_DEPTH_NOT_REACHED},
    {WEIR_FINDING_CPU_BOUND, WEIR_FINDING_DEPTH_NOT_REACHED},
    {WEIR_FINDING_DATA_IN_FLIGHT, WEIR_FINDING_DEPTH_NOT_REACHED},
    {WEIR_FINDING_DATA_SHARE, WEIR_FINDING_DEPTH_NOT_REACHED},
    {WEIR_FINDING_BUFFERED_DIRECT, WEIR_FINDING_NO_DEVICE_IO},
    {WEIR_FINDING_IN_MEMORY, WEIR_FINDING_SHORT},
    {WEIR_FINDING_LOWER_CACHE, WEIR_FINDING_SHORT},
    {WEIR_FINDING_CLIENT_CACHE, WEIR_FINDING_NO_DEVICE_IO},
    {WEIR_FINDING_CLIENT_CACHE, WEIR_FINDING_SHORT},
    {WEIR_FINDING_NO_STORAGE, WEIR_FINDING_SHORT},
    {WEIR_FINDING_VOLATILE_MOUNT, WEIR_FINDING_SYNC_NO_EFFECT},
    {WEIR_FINDING_SYNC_NO_EFFECT, WEIR_FINDING_UNSYNCED},
    {WEIR_FINDING_UNSYNCED, WEIR_FINDING_SHORT},
    {WEIR_FINDING_SHORT, WEIR_FINDING_SPREAD},
    {WEIR_FINDING_SHORT, WEIR_FINDING_WARM_UP},
    {WEIR_FINDING_WARM_UP, WEIR_FINDING_SPREAD},
    {WEIR_FINDING_CPU_PRESSURE, WEIR_FINDING_PERIODIC_STALLS},
    {WEIR_FINDING_PERIODIC_STALLS, WEIR_FINDING_STALL},
    {WEIR_FINDING_PERIODIC_STALLS, WEIR_FINDING_TREND},
    {WEIR_FINDING_STALL, WEIR_FINDING_TREND},
    {WEIR_FINDING_NO_PROGRESS, WEIR_FINDING_TREND},
    {WEIR_FINDING_RESIDENT, WEIR_FINDING_TREND},
    {WEIR_FINDING_RESIDENT, WEIR_FINDING_FOREIGN_IO},
    /* Where memory answers, buffers are filled and checked as fast as data are moved. */
    {WEIR_FINDING_RESIDENT, WEIR_FINDING_DATA_SHARE},
    {WEIR_FINDING_UNSYNCED, WEIR_FINDING_DATA_SHARE},
    {WEIR_FINDING_IN_MEMORY, WEIR_FINDING_DATA_SHARE},
};

bool weir_audit_has_finding(const struct weir_phase_result *record, enum weir_finding_kind kind,
                            enum weir_effect least)
{
    for (unsigned i = 0; i < record->finding_count; i++)
        if (strcmp(record->findings[i].name, weir_finding_rows[kind].name) == 0 &&
            record->findings[i].effect >= least)
            return true;
    return false;
}

void weir_audit_conclude(const struct weir_plan *plan, struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];

    enum weir_measure removed =
        weir_findings_allow(record->findings, record->finding_count, test->allowed, test->measure);

    if (removed != WEIR_MEASURE_STORAGE)
        record->believed_as = removed;
    /* What makes the verdict is never hidden by a finding that weighs less. */
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        for (unsigned k = 0; k < record->finding_count; k++)
            if (strcmp(record->findings[k].name, weir_finding_rows[causes[i].symptom].name) == 0 &&
                weir_audit_has_finding(record, causes[i].cause, record->findings[k].effect))
                record->findings[k].explained_by = weir_finding_rows[causes[i].cause].name;
    weir_result_believe(record);
}

bool weir_audit_voids(const struct weir_result *result)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        for (unsigned k = 0; k < result->phases[i].finding_count; k++)
            if (result->phases[i].findings[k].effect == WEIR_VOID)
                return true;
    return false;
}

void weir_audit_launch(const struct weir_result *result, struct weir_phase_result *record)
{
    const char *mismatch = result->launch_mismatch;

    /* Text after the colon is left out: weir help launcher-mismatch has it. */
    if (mismatch != NULL)
        weir_result_find(record, WEIR_FINDING_LAUNCHER_MISMATCH, "%.*s -> %s",
                         (int)strcspn(mismatch, ":"), mismatch,
                         strstr(mismatch, "with srun") != NULL ? "srun --mpi" : "its mpiexec");
}

/* ---- is there anything at all? ---- */

static bool warns_of_test(const struct weir_test *test, const struct weir_test_result *begun)
{
    return test->remark_count > 0 || test->rank_limit > begun->rank_count ||
           begun->existing_count > 0;
}

/* A read of the first part of a longer file is asked for: IOR's line about it is no warning. */
static bool reads_part(const struct weir_phase *phase, const struct weir_phase_result *record)
{
    bool is_all = phase->stop.minimum_ns > 0 ? record->byte_count >= record->expected_bytes
                                             : record->byte_count == record->expected_bytes;

    return phase->verb == WEIR_READ && is_all && record->file_bytes != UINT64_MAX &&
           record->file_bytes > record->expected_bytes;
}

static bool warns_of_phase(const struct weir_plan *plan, const struct weir_phase_result *record)
{
    const struct weir_phase *phase = weir_plan_find_phase(plan, record->test, record->phase);
    bool has_size = weir_verb_moves_data(phase->verb) && !plan->tests[record->test]->is_dry_run &&
                    record->outcome != WEIR_OUTCOME_SKIPPED;

    for (unsigned i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity == WEIR_WARNING)
            return true;
    return has_size && !reads_part(phase, record) &&
           weir_result_has_odd_size(record, phase->stop.minimum_ns > 0);
}

bool weir_audit_warns(const struct weir_plan *plan, const struct weir_result *result)
{
    if (result->launch_mismatch != NULL)
        return true;
    for (unsigned i = 0; i < result->test_count; i++)
        if (warns_of_test(plan->tests[result->tests[i].test], &result->tests[i]))
            return true;
    for (unsigned i = 0; i < result->phase_count; i++)
        if (warns_of_phase(plan, &result->phases[i]))
            return true;
    return false;
}
