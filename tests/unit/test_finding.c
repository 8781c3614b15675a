/* SPDX-License-Identifier: Apache-2.0 */
/* The table of findings, the verdict, and what --allow and --measure do to it. */
#include "weir/base/finding.h"

#include "weir/measure/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void each_row_has_a_name_and_a_page(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WEIR_FINDING_COUNT; i++) {
        const struct weir_finding_row *row = &weir_finding_rows[i];

        assert_non_null(row->name);
        assert_int_equal(weir_finding_lookup(row->name), i);
        assert_true(i == 0 || strcmp(weir_finding_rows[i - 1].name, row->name) < 0);
        assert_non_null(row->meaning);
        for (size_t k = 0; k < WEIR_FINDING_FORMER_MAX && row->former[k] != NULL; k++)
            assert_true(weir_finding_lookup(row->former[k]) == i ||
                        strcmp(weir_finding_rows[weir_finding_lookup(row->former[k])].name,
                               row->former[k]) == 0);
    }
    assert_int_equal(weir_finding_lookup("no-such-finding"), WEIR_FINDING_COUNT);
    assert_int_equal(weir_finding_lookup("stalled"), WEIR_FINDING_NO_PROGRESS);
}

/* ---- the order of verdicts ---- */

static void wrong_data(struct weir_phase_result *phase)
{
    phase->mismatches.wrong_transfers = 1;
}

static void lost_bytes(struct weir_phase_result *phase)
{
    phase->has_lost_bytes = true;
}

static void void_it(struct weir_phase_result *phase)
{
    weir_result_find(phase, WEIR_FINDING_RESIDENT, "all of it");
}

static void cut(struct weir_phase_result *phase)
{
    phase->outcome = WEIR_OUTCOME_PARTIAL;
}

static void interrupt(struct weir_phase_result *phase)
{
    phase->is_interrupted = true;
}

static void fail_once(struct weir_phase_result *phase)
{
    phase->error_count = 1;
}

static void hide(struct weir_phase_result *phase)
{
    weir_result_observe(phase, WEIR_EVIDENCE_SUPPLIED, WEIR_CANNOT_OBSERVE, "no counters");
}

static void hide_the_cpu(struct weir_phase_result *phase)
{
    weir_result_observe(phase, WEIR_EVIDENCE_CPU, WEIR_CANNOT_OBSERVE, "no schedstat");
}

static void answer(struct weir_phase_result *phase)
{
    weir_result_observe(phase, WEIR_EVIDENCE_SUPPLIED, WEIR_NOT_SEEN, NULL);
}

static void qualify(struct weir_phase_result *phase)
{
    weir_result_find(phase, WEIR_FINDING_SHORT, "13 ms");
}

static void inform(struct weir_phase_result *phase)
{
    weir_result_find(phase, WEIR_FINDING_PIN_FAR, "far");
}

typedef void change(struct weir_phase_result *phase);

static void the_verdict_is_the_worst_that_follows(void **state)
{
    static const struct {
        change *changes[4];
        enum weir_believed believed;
    } cases[] = {
        {{NULL}, WEIR_BELIEVED_OK},
        {{inform}, WEIR_BELIEVED_OK},
        {{hide_the_cpu}, WEIR_BELIEVED_OK},
        {{qualify, inform}, WEIR_BELIEVED_CAUTION},
        {{qualify, hide}, WEIR_BELIEVED_UNVERIFIED},
        {{hide, answer}, WEIR_BELIEVED_OK},
        {{answer, hide}, WEIR_BELIEVED_OK},
        {{cut, hide}, WEIR_BELIEVED_PARTIAL},
        {{interrupt}, WEIR_BELIEVED_PARTIAL},
        {{fail_once, qualify}, WEIR_BELIEVED_PARTIAL},
        {{void_it, cut, hide}, WEIR_BELIEVED_DO_NOT_USE},
        {{wrong_data, void_it, cut}, WEIR_BELIEVED_WRONG_DATA},
        {{lost_bytes}, WEIR_BELIEVED_WRONG_DATA},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_result *result = weir_result_open(1);
        struct weir_phase_result *phase = weir_result_add_phase(result);

        for (size_t k = 0; k < 4 && cases[i].changes[k] != NULL; k++)
            cases[i].changes[k](phase);
        weir_result_believe(phase);
        assert_int_equal(phase->believed, cases[i].believed);
        assert_int_equal(weir_result_believed(result), cases[i].believed);
        weir_result_close(result);
    }
}

static void a_verdict_is_found_however_it_is_typed(void **state)
{
    static const struct {
        const char *typed;
        enum weir_believed believed;
    } cases[] = {
        {"OK", WEIR_BELIEVED_OK},
        {"ok", WEIR_BELIEVED_OK},
        {"Do-Not_use", WEIR_BELIEVED_DO_NOT_USE},
        {"CAUTION memory, as asked", WEIR_BELIEVED_CAUTION},
        {"caution cache, as ASKED", WEIR_BELIEVED_CAUTION},
        {"CAUTION cache", WEIR_BELIEVED_COUNT},
        {"OKAY", WEIR_BELIEVED_COUNT},
        {"DO NOT", WEIR_BELIEVED_COUNT},
        {"DONOTUSE", WEIR_BELIEVED_COUNT},
        {"PAR-TIAL", WEIR_BELIEVED_COUNT},
        {"", WEIR_BELIEVED_COUNT},
    };

    (void)state;
    for (unsigned i = 0; i < WEIR_BELIEVED_COUNT; i++) {
        assert_int_equal(weir_believed_lookup(weir_believed_names[i]), i);
        assert_non_null(weir_believed_pages[i].meaning);
        assert_non_null(weir_believed_pages[i].cause);
        assert_non_null(weir_believed_pages[i].action);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(weir_believed_lookup(cases[i].typed), cases[i].believed);
}

/* ---- measurements of something else ---- */

static void what_is_allowed_has_no_effect(void **state)
{
    static const struct {
        const char *allowed;
        enum weir_measure measure;
        enum weir_believed believed;
        const char *text;
    } cases[] = {
        {NULL, WEIR_MEASURE_STORAGE, WEIR_BELIEVED_DO_NOT_USE, "DO NOT USE"},
        {"resident", WEIR_MEASURE_STORAGE, WEIR_BELIEVED_CAUTION, "CAUTION"},
        {"short,resident", WEIR_MEASURE_STORAGE, WEIR_BELIEVED_OK, "OK"},
        {"residen,resident-x", WEIR_MEASURE_STORAGE, WEIR_BELIEVED_DO_NOT_USE, "DO NOT USE"},
        {NULL, WEIR_MEASURE_CACHE, WEIR_BELIEVED_CAUTION, "CAUTION cache, as asked"},
        {NULL, WEIR_MEASURE_MEMORY, WEIR_BELIEVED_DO_NOT_USE, "DO NOT USE"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_result *result = weir_result_open(1);
        struct weir_phase_result *phase = weir_result_add_phase(result);
        char text[WEIR_BELIEVED_TEXT_BYTES];

        void_it(phase);
        qualify(phase);
        phase->believed_as = weir_findings_allow(phase->findings, phase->finding_count,
                                                 cases[i].allowed, cases[i].measure);
        weir_result_believe(phase);
        assert_int_equal(phase->believed, cases[i].believed);
        assert_string_equal(weir_result_believed_text(phase, text), cases[i].text);
        assert_int_equal(phase->findings[0].is_allowed,
                         cases[i].believed != WEIR_BELIEVED_DO_NOT_USE);
        weir_result_close(result);
    }
}

static void the_weightiest_is_first_and_each_is_there_once(void **state)
{
    static const struct weir_finding findings[] = {
        {.name = "absent", .severity = WEIR_NOTE, .effect = WEIR_INFORM},
        {.name = "short", .severity = WEIR_NOTE, .effect = WEIR_QUALIFY},
        {.name = "resident", .severity = WEIR_NOTE, .effect = WEIR_VOID},
        {.name = "spread", .severity = WEIR_NOTE, .effect = WEIR_QUALIFY},
        {.name = "wrong-data", .severity = WEIR_WARNING, .effect = WEIR_VOID},
        {.name = "failed", .severity = WEIR_WARNING, .effect = WEIR_QUALIFY},
    };
    static const unsigned order[] = {4, 2, 5, 1, 3, 0};
    const struct weir_finding *finding = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        finding = weir_finding_next(findings, sizeof findings / sizeof *findings, finding);
        assert_ptr_equal(finding, &findings[order[i]]);
    }
    assert_null(weir_finding_next(findings, sizeof findings / sizeof *findings, finding));
    assert_null(weir_finding_next(NULL, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_has_a_name_and_a_page),
        cmocka_unit_test(the_verdict_is_the_worst_that_follows),
        cmocka_unit_test(a_verdict_is_found_however_it_is_typed),
        cmocka_unit_test(what_is_allowed_has_no_effect),
        cmocka_unit_test(the_weightiest_is_first_and_each_is_there_once),
    };

    return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
