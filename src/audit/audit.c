/* SPDX-License-Identifier: Apache-2.0 */
/* Which checks are due for a phase, and whether there is anything to warn of at all. */
#include "weir/audit/audit.h"

#include "checks.h"

#include <assert.h>

/* ---- the phase that is checked ---- */

static bool moves_data(const struct weir_audit_input *input)
{
    return weir_verb_moves_data(input->phase->verb) && input->record->op_count > 0;
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

/* Where rank 0 works for all, the others have no times to be compared with. */
static void audit_tree(struct weir_audit_input *input)
{
    if (input->record->op_count == 0 && input->record->absent_count == 0)
        return;
    weir_audit_work(input);
    weir_audit_names(input);
    if (input->phase->names.item == NULL || input->record->rank_ops_min == 0)
        return;
    weir_audit_time(input);
    input->stop_s = weir_audit_stalls(input);
    weir_audit_load(input);
    weir_audit_places(input);
    weir_audit_ranks(input);
}

/* Ranks of a program wait, sleep and go on alone as it says: of that nothing is a finding. */
static void audit_program(const struct weir_audit_input *input)
{
    weir_audit_program(input);
    weir_audit_load(input);
    weir_audit_places(input);
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
    if (weir_verb_works_on_trees(input.phase->verb))
        audit_tree(&input);
    if (input.phase->verb == WEIR_PROGRAM && record->op_count > 0)
        audit_program(&input);
    if (!moves_data(&input))
        return;
    weir_audit_work(&input);
    weir_audit_cache(&input);
    if (input.phase->is_check || input.phase->is_prefill)
        return;
    weir_audit_time(&input);
    input.stop_s = weir_audit_stalls(&input);
    weir_audit_load(&input);
    weir_audit_places(&input);
    weir_audit_ranks(&input);
}

void weir_audit_launch(const struct weir_result *result, struct weir_phase_result *record)
{
    if (result->launch_mismatch != NULL)
        weir_result_find(record, WEIR_WARNING, "launcher-mismatch", "%s", result->launch_mismatch);
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
