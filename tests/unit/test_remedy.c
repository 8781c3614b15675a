/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies in sentences, and the words that dialects have for them. */
#include "weir/base/remedy.h"
#include "weir/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SENTENCE "use " WEIR_REMEDY_SHIFT_NODES ", or {b} of {shift-nodes"

static void a_dialect_says_a_remedy_in_its_own_words(void **state)
{
    char copy[128];
    size_t length = weir_remedy_spell(weir_report_words("ior"), SENTENCE, copy, sizeof copy);

    (void)state;
    assert_int_equal(length, strlen(copy));
    assert_string_equal(copy, "use -C, or {b} of {shift-nodes");
}

static void a_dialect_without_a_word_says_a_neutral_one(void **state)
{
    static const struct weir_remedy_word words[] = {{WEIR_REMEDY_PATH, "-d"}, {0}};
    char copy[128], of_none[128];

    (void)state;
    weir_remedy_spell(words, SENTENCE, copy, sizeof copy);
    assert_string_equal(copy, "use a shift by nodes, or {b} of {shift-nodes");
    assert_null(weir_report_words("a dialect that is none"));
    weir_remedy_spell(NULL, SENTENCE, of_none, sizeof of_none);
    assert_string_equal(of_none, copy);
}

static void a_copy_without_room_is_cut_and_its_length_told(void **state)
{
    char copy[8];

    (void)state;
    assert_int_equal(weir_remedy_spell(NULL, WEIR_REMEDY_READ WEIR_REMEDY_READ, copy, sizeof copy),
                     strlen("a reada read"));
    assert_string_equal(copy, "a reada");
    assert_int_equal(weir_remedy_spell(NULL, "", copy, sizeof copy), 0);
    assert_string_equal(copy, "");
}

static const char *word_of(const struct weir_remedy_word *words, const char *remedy)
{
    while (words->remedy && strcmp(words->remedy, remedy) != 0)
        words++;
    return words->word;
}

/* Reports may be JSON: a word must not need an escape there. */
static void every_remedy_has_a_word_of_iors_that_json_takes(void **state)
{
    const struct weir_remedy_word *words = weir_report_words("ior");

    (void)state;
    for (const struct weir_remedy_word *row = weir_remedy_neutral; row->remedy; row++) {
        assert_non_null(word_of(words, row->remedy));
        assert_null(strpbrk(row->word, "\"\\{"));
        assert_null(strpbrk(word_of(words, row->remedy), "\"\\{"));
    }
    for (; words->remedy; words++)
        assert_non_null(word_of(weir_remedy_neutral, words->remedy));
}

/* Where the neutral word is an option, it is one of other dialects. */
static void dialects_have_their_own_words_for_options(void **state)
{
    (void)state;
    assert_string_equal(word_of(weir_report_words("targets"), WEIR_REMEDY_DEVICE), "--devices");
    assert_string_equal(word_of(weir_report_words("targets"), WEIR_REMEDY_DEVICE_FORCE),
                        "--write force");
    assert_non_null(word_of(weir_report_words("dd"), WEIR_REMEDY_KEEP));
    assert_non_null(word_of(weir_report_words("dd"), WEIR_REMEDY_FEWER_RANKS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_have_their_own_words_for_options),
        cmocka_unit_test(a_dialect_says_a_remedy_in_its_own_words),
        cmocka_unit_test(a_dialect_without_a_word_says_a_neutral_one),
        cmocka_unit_test(a_copy_without_room_is_cut_and_its_length_told),
        cmocka_unit_test(every_remedy_has_a_word_of_iors_that_json_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
