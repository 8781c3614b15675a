/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of verdicts. */
#include "weir/base/diagnosis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void lines_keep_their_order_and_their_words(void **state)
{
    struct weir_diagnosis diagnosis = {0};
    char subject[16], remedy[16], text[16];

    (void)state;
    /* More than fit at first, of words that do not outlive the call. */
    for (int i = 0; i < 100; i++) {
        snprintf(subject, sizeof subject, "subject %d", i);
        snprintf(remedy, sizeof remedy, "remedy %d", i);
        weir_diagnosis_add(&diagnosis, (enum weir_verdict)(i % WEIR_VERDICTS), subject,
                           i % 2 == 0 ? remedy : NULL, "text %d", i);
    }
    assert_int_equal(diagnosis.count, 100);
    for (int i = 0; i < 100; i++) {
        const struct weir_diagnosis_line *line = &diagnosis.lines[i];

        snprintf(subject, sizeof subject, "subject %d", i);
        snprintf(remedy, sizeof remedy, "remedy %d", i);
        snprintf(text, sizeof text, "text %d", i);
        assert_int_equal(line->verdict, i % WEIR_VERDICTS);
        assert_string_equal(line->subject, subject);
        assert_string_equal(line->text, text);
        if (i % 2 == 0)
            assert_string_equal(line->remedy, remedy);
        else
            assert_null(line->remedy);
    }
    weir_diagnosis_close(&diagnosis);
    assert_int_equal(diagnosis.count, 0);
}

static void lines_belong_to_the_heading_before_them(void **state)
{
    struct weir_diagnosis diagnosis = {0};
    char heading[] = "Memory";

    (void)state;
    weir_diagnosis_add(&diagnosis, WEIR_GOOD, "a", NULL, "first");
    weir_diagnosis_begin(&diagnosis, heading);
    heading[0] = '?';
    weir_diagnosis_add(&diagnosis, WEIR_GOOD, "b", NULL, "second");
    weir_diagnosis_add(&diagnosis, WEIR_GOOD, "c", NULL, "third");
    weir_diagnosis_begin(&diagnosis, "RDMA");
    weir_diagnosis_add(&diagnosis, WEIR_GOOD, "d", NULL, "fourth");
    assert_string_equal(diagnosis.lines[0].heading, "");
    assert_string_equal(diagnosis.lines[1].heading, "Memory");
    assert_string_equal(diagnosis.lines[2].heading, "Memory");
    assert_string_equal(diagnosis.lines[3].heading, "RDMA");
    weir_diagnosis_close(&diagnosis);
}

static void ways_out_are_added_to_the_last_line(void **state)
{
    struct weir_diagnosis diagnosis = {0};

    (void)state;
    weir_diagnosis_add(&diagnosis, WEIR_LIMITED, "a", "one", "first");
    weir_diagnosis_add(&diagnosis, WEIR_LIMITED, "b", NULL, "second");
    weir_diagnosis_help(&diagnosis, "way %d", 1);
    weir_diagnosis_help(&diagnosis, "way %d", 2);
    assert_string_equal(diagnosis.lines[0].remedy, "one");
    assert_string_equal(diagnosis.lines[1].remedy, "way 1\nway 2");
    weir_diagnosis_close(&diagnosis);
}

static void verdicts_are_counted_and_have_names(void **state)
{
    static const struct {
        enum weir_verdict verdict;
        const char *name;
        size_t count;
    } cases[] = {{WEIR_GOOD, "good", 3},
                 {WEIR_LIMITED, "limited", 2},
                 {WEIR_MISSING, "missing", 1},
                 {WEIR_NOTED, "note", 4}};
    struct weir_diagnosis diagnosis = {0};

    (void)state;
    for (size_t i = 0; i < WEIR_VERDICTS; i++)
        for (size_t k = 0; k < cases[i].count; k++)
            weir_diagnosis_add(&diagnosis, cases[i].verdict, "a", NULL, "b");
    for (size_t i = 0; i < WEIR_VERDICTS; i++) {
        assert_string_equal(weir_verdict_name(cases[i].verdict), cases[i].name);
        assert_int_equal(weir_diagnosis_count(&diagnosis, cases[i].verdict), cases[i].count);
    }
    weir_diagnosis_close(&diagnosis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_keep_their_order_and_their_words),
        cmocka_unit_test(lines_belong_to_the_heading_before_them),
        cmocka_unit_test(ways_out_are_added_to_the_last_line),
        cmocka_unit_test(verdicts_are_counted_and_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
