/* SPDX-License-Identifier: Apache-2.0 */
/* The words for places of ranks and of memory: which are understood, and what the others are told.
 */
#include "front/pinning_words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void assert_same_text(const char *is, const char *expected)
{
    if (!expected)
        assert_null(is);
    else
        assert_string_equal(is ? is : "(nothing)", expected);
}

/* ---- ranks ---- */

static const struct {
    struct weir_pinning_words words;
    struct weir_pinning pinning;
} good_words[] = {
    {{0}, {0}},
    {{"none", NULL, NULL}, {.policy = WEIR_PIN_NONE}},
    {{"none", "auto", "auto"}, {.policy = WEIR_PIN_NONE}},
    {{"core", NULL, NULL}, {.policy = WEIR_PIN_CORE}},
    {{"CORE", "Scatter", NULL}, {.policy = WEIR_PIN_CORE, .order = WEIR_PIN_SCATTER}},
    {{"core", "compact", "auto"}, {.policy = WEIR_PIN_CORE, .order = WEIR_PIN_COMPACT}},
    {{"pu", "auto", NULL}, {.policy = WEIR_PIN_PU}},
    {{"numa", "compact", NULL}, {.policy = WEIR_PIN_NUMA, .order = WEIR_PIN_COMPACT}},
    {{"package", NULL, NULL}, {.policy = WEIR_PIN_PACKAGE}},
    {{"storage", "scatter", NULL}, {.policy = WEIR_PIN_STORAGE, .order = WEIR_PIN_SCATTER}},
    {{"nic", NULL, NULL}, {.policy = WEIR_PIN_NIC}},
    {{"nic", NULL, "AUTO"}, {.policy = WEIR_PIN_NIC}},
    {{"nic", "compact", "mlx5_0"},
     {.policy = WEIR_PIN_NIC, .order = WEIR_PIN_COMPACT, .nic = "mlx5_0"}},
    {{"list:0", NULL, NULL}, {.policy = WEIR_PIN_LIST, .list = "0"}},
    {{"list:0-3,8", "auto", NULL}, {.policy = WEIR_PIN_LIST, .list = "0-3,8"}},
    {{"List:8,0-3,8", NULL, NULL}, {.policy = WEIR_PIN_LIST, .list = "8,0-3,8"}},
    {{"list:0-3+8+10", NULL, NULL}, {.policy = WEIR_PIN_LIST, .list = "0-3,8,10"}},
    {{"list:1023", NULL, NULL}, {.policy = WEIR_PIN_LIST, .list = "1023"}},
    {{"rankfile:a+b/r.txt", NULL, NULL},
     {.policy = WEIR_PIN_RANKFILE, .rankfile_path = "a+b/r.txt"}},
    {{"rankfile:x:y", NULL, NULL}, {.policy = WEIR_PIN_RANKFILE, .rankfile_path = "x:y"}},
};

static void words_of_a_policy_become_a_pinning(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good_words); i++) {
        const struct weir_pinning *expected = &good_words[i].pinning;
        struct weir_arena arena = {0};
        struct weir_pinning pinning = {.policy = WEIR_PIN_NUMA, .nic = "old"};
        struct weir_error error = {0};

        if (weir_pinning_read(&good_words[i].words, &arena, "ior", &pinning, &error))
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(pinning.policy, expected->policy);
        assert_int_equal(pinning.order, expected->order);
        assert_same_text(pinning.list, expected->list);
        assert_same_text(pinning.rankfile_path, expected->rankfile_path);
        assert_same_text(pinning.nic, expected->nic);
        weir_arena_close(&arena);
    }
}

#define POLICIES "none, core, pu, numa, package, storage, nic, list:0-3,8 and rankfile:PATH"

static const struct {
    struct weir_pinning_words words;
    const char *text;
} bad_words[] = {
    {{"", NULL, NULL}, "ior: --pin: there is no policy \"\"; there are: " POLICIES},
    {{"cores", NULL, NULL},
     "ior: --pin: there is no policy \"cores\" (did you mean core?); there are: " POLICIES},
    {{"cor", NULL, NULL},
     "ior: --pin: there is no policy \"cor\" (did you mean core?); there are: " POLICIES},
    {{"0-3", NULL, NULL}, "ior: --pin: there is no policy \"0-3\"; there are: " POLICIES},
    {{":core", NULL, NULL}, "ior: --pin: there is no policy \":core\"; there are: " POLICIES},
    {{"core:", NULL, NULL}, "ior: --pin: core takes nothing behind it; write core, not \"core:\""},
    {{"Nic:eth0", NULL, NULL},
     "ior: --pin: nic takes nothing behind it; write nic, not \"Nic:eth0\""},
    {{"list", NULL, NULL},
     "ior: --pin: \"list\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:", NULL, NULL},
     "ior: --pin: \"list:\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:a", NULL, NULL},
     "ior: --pin: \"list:a\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:3-1", NULL, NULL},
     "ior: --pin: \"list:3-1\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:0,", NULL, NULL},
     "ior: --pin: \"list:0,\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:0 1", NULL, NULL},
     "ior: --pin: \"list:0 1\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:-1", NULL, NULL},
     "ior: --pin: \"list:-1\" names no processors; give numbers and ranges, such as list:0-3,8"},
    {{"list:0-4096", NULL, NULL},
     "ior: --pin: \"list:0-4096\": processors have numbers from 0 to 4095"},
    {{"rankfile", NULL, NULL},
     "ior: --pin: rankfile has no path; give one, such as rankfile:ranks.txt"},
    {{"rankfile:", NULL, NULL},
     "ior: --pin: rankfile has no path; give one, such as rankfile:ranks.txt"},
    {{"core", "spread", NULL},
     "ior: --pin-order: \"spread\" is no order; there are: auto, compact and scatter"},
    {{NULL, "scatter", NULL},
     "ior: --pin-order: ranks stay where the launcher has placed them; give --pin, or say auto"},
    {{"none", "compact", NULL},
     "ior: --pin-order: ranks stay where the launcher has placed them; give --pin, or say auto"},
    {{"list:0", "scatter", NULL},
     "ior: --pin-order: ranks take the processors of a list in its own order; say auto"},
    {{"rankfile:r", "compact", NULL},
     "ior: --pin-order: a rankfile says itself what each rank gets; say auto"},
    {{"core", NULL, "eth0"},
     "ior: --nic: only --pin nic looks for a network device, and this is --pin core; say auto, or "
     "give --pin nic"},
    {{NULL, NULL, "eth0"},
     "ior: --nic: only --pin nic looks for a network device, and this is --pin none; say auto, or "
     "give --pin nic"},
};

static void words_that_make_no_sense_are_told_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_words); i++) {
        struct weir_arena arena = {0};
        struct weir_pinning pinning = {.policy = WEIR_PIN_NUMA, .nic = "old"};
        struct weir_error error = {0};

        assert_int_equal(weir_pinning_read(&bad_words[i].words, &arena, "ior", &pinning, &error),
                         -EINVAL);
        assert_string_equal(error.text, bad_words[i].text);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        assert_int_equal(pinning.policy, WEIR_PIN_NUMA);
        assert_string_equal(pinning.nic, "old");
        weir_arena_close(&arena);
    }
}

static void texts_are_copies(void **state)
{
    char list[] = "list:0+1";
    const struct weir_pinning_words words = {list, NULL, NULL};
    struct weir_arena arena = {0};
    struct weir_pinning pinning;
    struct weir_error error = {0};

    (void)state;
    assert_int_equal(weir_pinning_read(&words, &arena, "ior", &pinning, &error), 0);
    assert_string_equal(list, "list:0+1");
    memset(list, 'x', sizeof list - 1);
    assert_string_equal(pinning.list, "0,1");
    weir_arena_close(&arena);
}

/* ---- memory ---- */

static void words_for_memory_become_a_policy(void **state)
{
    static const struct {
        const char *word;
        struct weir_membind membind;
    } cases[] = {
        {NULL, {WEIR_MEMBIND_AUTO, 0}},      {"auto", {WEIR_MEMBIND_AUTO, 0}},
        {"Local", {WEIR_MEMBIND_LOCAL, 0}},  {"interleave", {WEIR_MEMBIND_INTERLEAVE, 0}},
        {"none", {WEIR_MEMBIND_NONE, 0}},    {"node:0", {WEIR_MEMBIND_NODE, 0}},
        {"NODE:07", {WEIR_MEMBIND_NODE, 7}}, {"node:63", {WEIR_MEMBIND_NODE, 63}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_membind membind = {WEIR_MEMBIND_NODE, 5};
        struct weir_error error = {0};

        if (weir_membind_read(cases[i].word, "ior", &membind, &error))
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(membind.policy, cases[i].membind.policy);
        assert_int_equal(membind.node, cases[i].membind.node);
    }
}

#define PLACES "there are: auto, local, interleave, node:N and none"

static void words_for_no_memory_are_told_which_there_are(void **state)
{
    static const struct {
        const char *word;
        const char *text;
    } cases[] = {
        {"", "ior: --membind: \"\" is no place for buffers; " PLACES},
        {"near", "ior: --membind: \"near\" is no place for buffers; " PLACES},
        {"node", "ior: --membind: \"node\" is no place for buffers; " PLACES},
        {"local:1", "ior: --membind: \"local:1\" is no place for buffers; " PLACES},
        {"node:", "ior: --membind: \"node:\" is no NUMA node; give one from node:0 to node:63"},
        {"node:64", "ior: --membind: \"node:64\" is no NUMA node; give one from node:0 to node:63"},
        {"node:-1", "ior: --membind: \"node:-1\" is no NUMA node; give one from node:0 to node:63"},
        {"node:1k", "ior: --membind: \"node:1k\" is no NUMA node; give one from node:0 to node:63"},
        {"node:99999999999999999999",
         "ior: --membind: \"node:99999999999999999999\" is no NUMA node; give one from node:0 to "
         "node:63"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_membind membind = {WEIR_MEMBIND_NODE, 5};
        struct weir_error error = {0};

        assert_int_equal(weir_membind_read(cases[i].word, "ior", &membind, &error), -EINVAL);
        assert_string_equal(error.text, cases[i].text);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        assert_int_equal(membind.node, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_policy_become_a_pinning),
        cmocka_unit_test(words_that_make_no_sense_are_told_why),
        cmocka_unit_test(texts_are_copies),
        cmocka_unit_test(words_for_memory_become_a_policy),
        cmocka_unit_test(words_for_no_memory_are_told_which_there_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
