/* SPDX-License-Identifier: Apache-2.0 */
/* Which doubts are due for a phase, and whether there is anything to warn of at all. */
#include "weir/audit/audit.h"

#include "doubts.h"

#include <assert.h>
#include <string.h>

/* ---- what is doubted ---- */

static bool moves_data(const struct weir_subject *subject)
{
    return subject->phase->verb != WEIR_REMOVE && subject->record->op_count > 0;
}

bool weir_subject_passes_cache(const struct weir_subject *subject)
{
    const char *odirect = weir_test_setting(subject->test, "posix.odirect");

    return (weir_test_abilities(subject->test) & WEIR_BYPASSES_CACHE) == 0 &&
           (odirect == NULL || strcmp(odirect, "0") == 0);
}

const char *weir_subject_deed(const struct weir_subject *subject)
{
    if (subject->phase->verb == WEIR_MIXED)
        return subject->phase->must_verify ? "making and checking" : "making";
    return subject->phase->verb == WEIR_WRITE ? "making" : "checking";
}

const char *weir_subject_data_advice(const struct weir_subject *subject)
{
    enum weir_payload_mode mode = subject->phase->payload.mode;

    return mode == WEIR_PAYLOAD_FULL || mode == WEIR_PAYLOAD_IOR ? ", or --data stamp" : "";
}

void weir_audit_phase(const struct weir_plan *plan, struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];
    struct weir_subject subject = {.plan = plan,
                                   .test = test,
                                   .phase = weir_plan_find_phase(plan, record->test, record->phase),
                                   .record = record};

    assert(subject.phase != NULL);
    weir_doubt_completeness(&subject);
    if (!moves_data(&subject))
        return;
    weir_doubt_work(&subject);
    weir_doubt_cache(&subject);
    if (subject.phase->is_check || subject.phase->is_prefill)
        return;
    weir_doubt_time(&subject);
    weir_doubt_stalls(&subject);
    weir_doubt_load(&subject);
    weir_doubt_places(&subject);
    weir_doubt_ranks(&subject);
}

/* ---- is there anything at all? ---- */

static bool warns_of_test(const struct weir_test *test, const struct weir_test_result *begun)
{
    return test->remark_count > 0 || test->rank_limit > begun->rank_count ||
           begun->existing_count > 0;
}

static bool warns_of_phase(const struct weir_plan *plan, const struct weir_phase_result *record)
{
    const struct weir_phase *phase = weir_plan_find_phase(plan, record->test, record->phase);
    bool has_size = phase->verb != WEIR_REMOVE && !plan->tests[record->test]->is_dry_run &&
                    record->outcome != WEIR_OUTCOME_SKIPPED;

    for (unsigned i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity == WEIR_WARNING)
            return true;
    return has_size && weir_result_has_odd_size(record, phase->stop.minimum_ns > 0);
}

bool weir_audit_warns(const struct weir_plan *plan, const struct weir_result *result)
{
    for (unsigned i = 0; i < result->test_count; i++)
        if (warns_of_test(plan->tests[result->tests[i].test], &result->tests[i]))
            return true;
    for (unsigned i = 0; i < result->phase_count; i++)
        if (warns_of_phase(plan, &result->phases[i]))
            return true;
    return false;
}
