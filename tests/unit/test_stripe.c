/* SPDX-License-Identifier: Apache-2.0 */
/* Stripes: every byte has one place, no place has two bytes, and names spread. */
#include "weir/objects/stripe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 5000

static const struct weir_striping_pattern patterns[] = {
    {.unit_bytes = 1, .count = 1, .server_count = 1},
    {.unit_bytes = 1, .count = 3, .server_count = 3, .first_server = 2},
    {.unit_bytes = 7, .count = 4, .server_count = 5, .first_server = 4},
    {.unit_bytes = 64, .count = 2, .server_count = 9, .first_server = 8},
    {.unit_bytes = 4096, .count = 3, .server_count = 4, .first_server = 1},
    {.unit_bytes = 1 << 20, .count = 2, .server_count = 2},
};
#define PATTERN_COUNT (sizeof patterns / sizeof *patterns)

static void every_byte_has_a_place_of_its_own(void **state)
{
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        static unsigned char is_taken[8][BYTES];

        memset(is_taken, 0, sizeof is_taken);
        for (uint64_t at = 0; at < BYTES; at++) {
            struct weir_stripe_piece piece = weir_stripe_locate(&patterns[p], at, 1);

            assert_true(piece.shard < patterns[p].count);
            assert_true(piece.offset <= at);
            assert_int_equal(piece.bytes, 1);
            assert_false(is_taken[piece.shard][piece.offset]);
            is_taken[piece.shard][piece.offset] = 1;
        }
    }
}

static void pieces_of_a_range_are_those_of_its_bytes(void **state)
{
    for (size_t p = 0; p < PATTERN_COUNT; p++)
        for (uint64_t start = 0; start < 300; start += 11)
            for (uint64_t at = start; at < BYTES;) {
                struct weir_stripe_piece piece = weir_stripe_locate(&patterns[p], at, BYTES - at);
                struct weir_stripe_piece last =
                    weir_stripe_locate(&patterns[p], at + piece.bytes - 1, 1);

                assert_true(piece.bytes > 0 && piece.bytes <= patterns[p].unit_bytes);
                assert_int_equal(last.shard, piece.shard);
                assert_int_equal(last.offset, piece.offset + piece.bytes - 1);
                at += piece.bytes;
                assert_true(at == BYTES || at % patterns[p].unit_bytes == 0);
            }
}

static void shards_have_what_was_put_there(void **state)
{
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        uint64_t bytes[8] = {0};

        for (uint64_t at = 0; at < BYTES; at++) {
            for (uint32_t shard = 0; shard < patterns[p].count; shard++)
                assert_int_equal(weir_stripe_shard_bytes(&patterns[p], shard, at), bytes[shard]);
            bytes[weir_stripe_locate(&patterns[p], at, 1).shard]++;
        }
    }
}

static void the_first_server_holds_the_first_stripe(void **state)
{
    const struct weir_striping_pattern *pattern = &patterns[2];

    assert_int_equal(weir_stripe_server(pattern, weir_stripe_locate(pattern, 0, 1).shard), 4);
    assert_int_equal(weir_stripe_server(pattern, weir_stripe_locate(pattern, 7, 1).shard), 0);
    assert_int_equal(weir_stripe_server(pattern, weir_stripe_locate(pattern, 21, 1).shard), 2);
    assert_int_equal(weir_stripe_server(pattern, weir_stripe_locate(pattern, 28, 1).shard), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_has_a_place_of_its_own),
        cmocka_unit_test(pieces_of_a_range_are_those_of_its_bytes),
        cmocka_unit_test(shards_have_what_was_put_there),
        cmocka_unit_test(the_first_server_holds_the_first_stripe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
