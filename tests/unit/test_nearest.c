/* SPDX-License-Identifier: Apache-2.0 */
/* Mistyped words: what is near, and what is nothing like it. */
#include "weir/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const words[] = {
    "depth",    "batch",        "blockSize",         "keepFile",
    "version",  "segmentCount", "keepFileWithError", "compat",
    "numNodes", "result",       "randomOffset",      "randomPrefill",
    "pattern"};

static const char *nearest_of(const char *typed)
{
    struct weir_nearest nearest = {.typed = typed, .length = strlen(typed)};

    for (size_t i = 0; i < COUNT(words); i++)
        weir_nearest_offer(&nearest, words[i]);
    return weir_nearest_word(&nearest);
}

static void what_is_mistyped_once_or_not_finished_is_found(void **state)
{
    static const char *const pairs[][2] = {
        {"depht", "depth"},
        {"dpeth", "depth"},
        {"DEPTHS", "depth"},
        {"block", "blockSize"},
        {"segm", "segmentCount"},
        {"block-size", "blockSize"},
        {"blksize", "blockSize"},
        {"patern", "pattern"},
        {"randomof", "randomOffset"},
        {"ersion", "version"},
        /* the shorter of two that begin alike, as the longer one goes on from it */
        {"keep", "keepFile"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const char *word = nearest_of(pairs[i][0]);

        assert_non_null(word);
        assert_string_equal(word, pairs[i][1]);
    }
}

static void what_is_like_nothing_is_nothing(void **state)
{
    static const char *const typed[] = {
        "verify",
        "repeat",
        "format",
        "numjobs",
        "size",
        "de",
        "d",
        "",
        "random",
        "xyz",
        "a-word-of-more-letters-than-any-of-ours-has-which-is-not-compared-at-all"};

    (void)state;
    for (size_t i = 0; i < COUNT(typed); i++)
        assert_null(nearest_of(typed[i]));
}

static void what_is_typed_need_not_end(void **state)
{
    struct weir_nearest nearest = {.typed = "batsh=8", .length = 5};

    (void)state;
    weir_nearest_offer(&nearest, "batch");
    assert_string_equal(weir_nearest_word(&nearest), "batch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_mistyped_once_or_not_finished_is_found),
        cmocka_unit_test(what_is_like_nothing_is_nothing),
        cmocka_unit_test(what_is_typed_need_not_end),
    };

    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
