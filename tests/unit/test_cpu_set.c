/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of processors: what is in them, and their text. */
#include "weir/base/cpu_set.h"
#include "weir/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

static struct weir_cpu_set set_of(const char *list)
{
    struct weir_cpu_set set = {0};

    if (*list != '\0')
        assert_int_equal(weir_cpu_set_parse(list, &set), 0);
    return set;
}

static void assert_formatted(const struct weir_cpu_set *set, const char *expected)
{
    struct weir_text text = {0};

    weir_cpu_set_format(set, &text);
    assert_string_equal(weir_text_string(&text), expected);
    weir_text_close(&text);
}

static void lists_are_read_and_written_as_the_kernel_does(void **state)
{
    static const struct {
        const char *list;
        const char *written;
        unsigned count;
    } cases[] = {
        {"0", "0", 1},          {"0-3,8", "0-3,8", 5}, {"8,0-3", "0-3,8", 5},
        {"0,1", "0-1", 2},      {"1,1,1", "1", 1},     {"63-64", "63-64", 2},
        {"0-5,3-9", "0-9", 10}, {"4095", "4095", 1},   {"0-4095", "0-4095", 4096},
        {"007", "7", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_cpu_set set = set_of(cases[i].list);

        assert_formatted(&set, cases[i].written);
        assert_int_equal(weir_cpu_set_count(&set), cases[i].count);
    }
}

static void what_is_no_list_is_refused_and_leaves_the_set_alone(void **state)
{
    static const struct {
        const char *list;
        int code;
    } cases[] = {
        {"", -EINVAL},     {",", -EINVAL},      {"1,", -EINVAL},
        {",1", -EINVAL},   {"1-", -EINVAL},     {"-1", -EINVAL},
        {"3-1", -EINVAL},  {"1 ", -EINVAL},     {" 1", -EINVAL},
        {"1,,2", -EINVAL}, {"0x1", -EINVAL},    {"a", -EINVAL},
        {"+1", -EINVAL},   {"1-2-3", -EINVAL},  {"0-8:2", -EINVAL},
        {"4096", -ERANGE}, {"0-4096", -ERANGE}, {"99999999999999999999", -ERANGE},
        {"1\n", -EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_cpu_set set = set_of("5");

        assert_int_equal(weir_cpu_set_parse(cases[i].list, &set), cases[i].code);
        assert_formatted(&set, "5");
    }
}

static void an_empty_set_has_no_text(void **state)
{
    struct weir_cpu_set set = {0};

    (void)state;
    assert_true(weir_cpu_set_is_empty(&set));
    assert_formatted(&set, "");
    weir_cpu_set_add(&set, 1023);
    assert_false(weir_cpu_set_is_empty(&set));
}

static void numbers_that_are_too_large_are_in_no_set(void **state)
{
    struct weir_cpu_set set = {0};

    (void)state;
    weir_cpu_set_add(&set, WEIR_CPUS_MAX);
    weir_cpu_set_add(&set, ~0U);
    assert_true(weir_cpu_set_is_empty(&set));
    assert_false(weir_cpu_set_has(&set, WEIR_CPUS_MAX));
    assert_int_equal(weir_cpu_set_next(&set, WEIR_CPUS_MAX), WEIR_CPUS_MAX);
    assert_int_equal(weir_cpu_set_next(&set, ~0U), WEIR_CPUS_MAX);
}

static void the_next_number_is_the_least_from_there_on(void **state)
{
    static const struct {
        unsigned from;
        unsigned next;
    } cases[] = {{0, 0},     {1, 63},     {63, 63},     {64, 64},    {65, 700},
                 {700, 700}, {701, 4095}, {4095, 4095}, {4096, 4096}};
    struct weir_cpu_set set = set_of("0,63-64,700,4095");
    struct weir_cpu_set empty = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(weir_cpu_set_next(&set, cases[i].from), cases[i].next);
    assert_int_equal(weir_cpu_set_next(&empty, 0), WEIR_CPUS_MAX);
}

static void sets_are_joined_and_cut_and_compared(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        const char *either;
        const char *both;
        bool is_within; /* a in b */
    } cases[] = {
        {"0-3", "2-5", "0-5", "2-3", false},
        {"2-3", "0-5", "0-5", "2-3", true},
        {"0", "1000", "0,1000", "", false},
        {"", "7", "7", "", true},
        {"64-127", "64-127", "64-127", "64-127", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_cpu_set a = set_of(cases[i].a);
        struct weir_cpu_set b = set_of(cases[i].b);
        struct weir_cpu_set either = weir_cpu_set_or(&a, &b);
        struct weir_cpu_set both = weir_cpu_set_and(&a, &b);

        assert_formatted(&either, cases[i].either);
        assert_formatted(&both, cases[i].both);
        assert_int_equal(weir_cpu_set_is_within(&a, &b), cases[i].is_within);
        assert_int_equal(weir_cpu_set_equals(&a, &b), strcmp(cases[i].a, cases[i].b) == 0);
    }
}

static void any_set_is_read_back_from_its_text(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        struct weir_cpu_set set = {0}, back = {0};
        struct weir_text text = {0};
        unsigned seen = 0;

        for (unsigned i = 0; i < WEIR_CPUS_MAX; i++)
            if (weir_random_at(round, i / (1 + round % 9)) % (2 + round % 5) == 0)
                weir_cpu_set_add(&set, i);
        weir_cpu_set_add(&set, (unsigned)round);
        weir_cpu_set_format(&set, &text);
        assert_int_equal(weir_cpu_set_parse(weir_text_string(&text), &back), 0);
        assert_true(weir_cpu_set_equals(&set, &back));
        for (unsigned n = weir_cpu_set_next(&set, 0); n < WEIR_CPUS_MAX;
             n = weir_cpu_set_next(&set, n + 1), seen++)
            assert_true(weir_cpu_set_has(&set, n));
        assert_int_equal(seen, weir_cpu_set_count(&set));
        weir_text_close(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_and_written_as_the_kernel_does),
        cmocka_unit_test(what_is_no_list_is_refused_and_leaves_the_set_alone),
        cmocka_unit_test(an_empty_set_has_no_text),
        cmocka_unit_test(numbers_that_are_too_large_are_in_no_set),
        cmocka_unit_test(the_next_number_is_the_least_from_there_on),
        cmocka_unit_test(sets_are_joined_and_cut_and_compared),
        cmocka_unit_test(any_set_is_read_back_from_its_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
