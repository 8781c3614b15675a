/* SPDX-License-Identifier: Apache-2.0 */
/* Mixes: the share is exact, the order is random, and the same seed gives the same mix again. */
#include "weir/plan/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HUNDRED 100
#define HUNDREDS 64
#define COUNT (HUNDRED * HUNDREDS)

static unsigned reads_of(struct weir_mix *mix, uint64_t first, uint64_t count)
{
    unsigned reads = 0;

    for (uint64_t i = first; i < first + count; i++)
        reads += weir_mix_is_read(mix, i);
    return reads;
}

static void note_reads(unsigned percent, uint64_t seed, uint64_t first, bool reads[COUNT])
{
    struct weir_mix mix;

    weir_mix_init(&mix, percent, seed);
    for (uint64_t i = 0; i < COUNT; i++)
        reads[i] = weir_mix_is_read(&mix, first + i);
}

static void each_hundred_has_exactly_the_share_of_reads(void **state)
{
    (void)state;
    for (unsigned percent = 0; percent <= HUNDRED; percent++) {
        struct weir_mix mix;

        weir_mix_init(&mix, percent, 5 + percent);
        for (uint64_t hundred = 0; hundred < HUNDREDS; hundred++)
            assert_int_equal(reads_of(&mix, hundred * HUNDRED, HUNDRED), percent);
        assert_int_equal(reads_of(&mix, HUNDRED * (UINT64_C(1) << 40), HUNDRED), percent);
    }
}

static void any_stretch_is_close_to_the_share(void **state)
{
    struct weir_mix mix;

    (void)state;
    weir_mix_init(&mix, 70, 11);
    for (uint64_t first = 0; first + 250 <= COUNT; first += 7)
        assert_in_range(reads_of(&mix, first, 250), 140, 210);
}

static void the_same_seed_gives_the_same_mix_asked_in_any_order(void **state)
{
    static bool forth[COUNT];
    struct weir_mix mix;

    (void)state;
    note_reads(30, 99, 0, forth);
    weir_mix_init(&mix, 30, 99);
    for (uint64_t i = COUNT; i > 0; i--)
        assert_int_equal(weir_mix_is_read(&mix, i - 1), forth[i - 1]);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(weir_mix_is_read(&mix, i * 4099 % COUNT), forth[i * 4099 % COUNT]);
}

static void another_seed_gives_another_mix(void **state)
{
    static bool one[COUNT], two[COUNT];

    (void)state;
    note_reads(50, 1, 0, one);
    note_reads(50, 2, 0, two);
    assert_memory_not_equal(one, two, sizeof one);
}

/* Else a device would see the same pattern again and again. */
static void hundreds_differ_from_each_other(void **state)
{
    static bool reads[COUNT];
    unsigned same = 0;

    (void)state;
    note_reads(50, 7, 0, reads);
    for (size_t i = 1; i < HUNDREDS; i++)
        same += memcmp(reads, reads + i * HUNDRED, HUNDRED) == 0;
    assert_int_equal(same, 0);
}

/* Each place in a hundred reads about as often as any other: no place is always a write. */
static void no_place_in_a_hundred_is_preferred(void **state)
{
    unsigned reads[HUNDRED] = {0};
    struct weir_mix mix;

    (void)state;
    weir_mix_init(&mix, 50, 3);
    for (uint64_t i = 0; i < 400 * HUNDRED; i++)
        reads[i % HUNDRED] += weir_mix_is_read(&mix, i);
    /* 200 of 400; the standard deviation is 10 */
    for (size_t i = 0; i < HUNDRED; i++)
        assert_in_range(reads[i], 140, 260);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_hundred_has_exactly_the_share_of_reads),
        cmocka_unit_test(any_stretch_is_close_to_the_share),
        cmocka_unit_test(the_same_seed_gives_the_same_mix_asked_in_any_order),
        cmocka_unit_test(another_seed_gives_another_mix),
        cmocka_unit_test(hundreds_differ_from_each_other),
        cmocka_unit_test(no_place_in_a_hundred_is_preferred),
    };

    return cmocka_run_group_tests_name("mix", tests, NULL, NULL);
}
