/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's data: the bytes that were seen in its files, and what they tell when they are wrong. */
#include "weir/payload/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIB ((size_t)1 << 10)

static const enum weir_ior_pattern patterns[] = {WEIR_IOR_TIMESTAMP, WEIR_IOR_OFFSET,
                                                 WEIR_IOR_INCOMPRESSIBLE, WEIR_IOR_RANDOM};
#define PATTERN_COUNT 4

/* Makes a transfer as the engine does: the buffer is laid out once, and has held another transfer
 * before. */
static uint64_t *make(struct weir_source *source, enum weir_ior_pattern pattern, int32_t signature,
                      uint32_t writer, uint64_t offset, uint64_t transfer_bytes)
{
    struct weir_identity identity = {.transfer_bytes = transfer_bytes,
                                     .seed = (uint32_t)signature,
                                     .mode = WEIR_PAYLOAD_IOR,
                                     .pattern = pattern};
    uint64_t *words = aligned_alloc(4096, (transfer_bytes + 4095) / 4096 * 4096);

    assert_non_null(words);
    weir_source_init(source, &identity, NULL, 0, writer);
    weir_source_init_buffer(source, words, 0);
    weir_source_fill(source, words, offset + 3 * transfer_bytes, 0);
    weir_source_fill(source, words, offset, 0);
    return words;
}

/* ---- bytes ---- */

/* Dumps of IOR 4.0 and 4.1 with -G 42 -t 64k, rank 0; the others follow from their description. */
static void words_are_those_of_ior(void **state)
{
    static const struct {
        enum weir_ior_pattern pattern;
        int32_t signature;
        uint32_t writer;
        uint64_t offset;
        size_t index;
        uint64_t word;
    } cases[] = {
        {WEIR_IOR_TIMESTAMP, 42, 0, 0, 0, 0x2a},
        {WEIR_IOR_TIMESTAMP, 42, 0, 0, 1, 0x2b},
        {WEIR_IOR_TIMESTAMP, 42, 0, 0x10000, 2, 0x2c},
        {WEIR_IOR_TIMESTAMP, 42, 0, 0x10000, 8191, 42 + 8191},
        {WEIR_IOR_TIMESTAMP, 42, 3, 0x10000, 512, UINT64_C(3) << 32 | (42 + 512)},
        {WEIR_IOR_TIMESTAMP, INT32_MAX, 3, 0, 1, UINT64_C(3) << 32 | 0x80000000},
        {WEIR_IOR_TIMESTAMP, -1, 3, 0, 0, UINT64_MAX},
        {WEIR_IOR_TIMESTAMP, -1, 3, 0, 1, UINT64_C(3) << 32},
        {WEIR_IOR_TIMESTAMP, INT32_MIN, 3, 0, 8191, UINT64_C(0xffffffff80001fff)},
        {WEIR_IOR_OFFSET, 42, 0, 0, 0, 0},
        {WEIR_IOR_OFFSET, 42, 0, 0, 1, 0x2b},
        {WEIR_IOR_OFFSET, 42, 0, 0, 512, 0},
        {WEIR_IOR_OFFSET, 42, 0, 0, 513, 42 + 513},
        {WEIR_IOR_OFFSET, 42, 0, 0x10000, 0, 0x10000},
        {WEIR_IOR_OFFSET, 42, 0, 0x10000, 512, 0x20000},
        {WEIR_IOR_OFFSET, 42, 5, 0x10000, 7680, UINT64_C(5) << 32 | 0x100000},
        {WEIR_IOR_OFFSET, 42, 5, 0x510000, 512, UINT64_C(5) << 32 | 0xa20000},
        {WEIR_IOR_OFFSET, 42, 5, UINT64_C(0x780010000), 512, UINT64_C(5) << 32 | 0x20000},
        {WEIR_IOR_OFFSET, 42, 5, UINT64_C(0x780010000), 1024, UINT64_C(5) << 32 | 0x80030000},
        {WEIR_IOR_OFFSET, -1, 5, 0x10000, 0, UINT64_C(5) << 32 | 0x10000},
        {WEIR_IOR_OFFSET, -9, 5, 0x10000, 1, UINT64_C(0xfffffffffffffff8)},
        {WEIR_IOR_INCOMPRESSIBLE, 42, 0, 0, 0, 0},
        {WEIR_IOR_INCOMPRESSIBLE, 42, 0, 0, 1, UINT64_C(0x289a27a537588045)},
        {WEIR_IOR_INCOMPRESSIBLE, 42, 0, 0x10000, 8191, UINT64_C(0x289a27a537588045)},
        {WEIR_IOR_INCOMPRESSIBLE, 42, 2, 0x10000, 1024, UINT64_C(2) << 32 | 0x30000},
        {WEIR_IOR_RANDOM, 42, 0, 0, 0, UINT64_C(0x1042ebb2f140c4f4)},
        {WEIR_IOR_RANDOM, 42, 0, 0, 1, UINT64_C(0x01dae4d5fbae189e)},
        {WEIR_IOR_RANDOM, 32, 2, 8, 1, UINT64_C(0x01dae4d5fbae189e)},
        {WEIR_IOR_RANDOM, 42, 0, UINT64_C(3) << 32, 1, UINT64_C(0x01dae4d5fbae189e)},
        {WEIR_IOR_RANDOM, -65494, 0, 0x10000, 1, UINT64_C(0x01dae4d5fbae189e)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_source source;
        uint64_t *words = make(&source, cases[i].pattern, cases[i].signature, cases[i].writer,
                               cases[i].offset, 64 * KIB);

        if (words[cases[i].index] != cases[i].word)
            fail_msg("case %zu: word %zu is %016llx", i, cases[i].index,
                     (unsigned long long)words[cases[i].index]);
        free(words);
    }
}

static void bytes_behind_the_last_word_hold_their_number(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        struct weir_source source;
        unsigned char *bytes = (unsigned char *)make(&source, patterns[p], 42, 1, 0, 4103);

        for (size_t i = 4096; i < 4103; i++)
            assert_int_equal(bytes[i], i % 256);
        free(bytes);
    }
}

/* All but the timestamp pattern, of which the engine fills a buffer once. */
static void only_the_timestamp_pattern_is_the_same_in_all_transfers(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        struct weir_source source;
        uint64_t *here = make(&source, patterns[p], 42, 1, 0x10000, 64 * KIB);
        uint64_t *there = make(&source, patterns[p], 42, 1, 0x20000, 64 * KIB);

        assert_int_equal(memcmp(here, there, 64 * KIB) != 0, patterns[p] != WEIR_IOR_TIMESTAMP);
        assert_int_equal(weir_source_varies(&source), patterns[p] != WEIR_IOR_TIMESTAMP);
        free(here);
        free(there);
    }
}

/* ---- verification ---- */

struct bed {
    struct weir_source source;
    struct weir_expectation reading;
    struct weir_mismatch_log log;
    uint64_t *words;
    unsigned char *bytes;
};

static void set_up(struct bed *bed, enum weir_ior_pattern pattern, int32_t signature,
                   uint64_t transfer_bytes)
{
    uint64_t offset = 8 * transfer_bytes;

    memset(bed, 0, sizeof *bed);
    bed->words = make(&bed->source, pattern, signature, 3, offset, transfer_bytes);
    bed->bytes = (unsigned char *)bed->words;
    bed->reading = (struct weir_expectation){
        .offset = offset, .bytes = transfer_bytes, .writer = 3, .reader = 1, .ranks = 8};
}

static bool is_right(struct bed *bed)
{
    return weir_verify(&bed->source, &bed->reading, bed->words, &bed->log);
}

/* What is there instead: from another writer, place or signature. */
static void replace(struct bed *bed, int32_t signature, uint32_t writer, uint64_t offset)
{
    struct weir_source source;
    uint64_t *words = make(&source, bed->source.ior.pattern, signature, writer, offset,
                           bed->source.identity.transfer_bytes);

    memcpy(bed->words, words, bed->source.identity.transfer_bytes);
    free(words);
}

static void no_single_byte_changes_unnoticed(void **state)
{
    static const uint64_t sizes[] = {8, 16, 72, 4096, 4104, 8192, 8256, 4103};
    static const int32_t signatures[] = {42, -5};

    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++)
        for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
            uint64_t size = sizes[i / 2];
            struct bed bed;

            set_up(&bed, patterns[p], signatures[i % 2], size);
            for (size_t at = 0; at < size; at++) {
                bed.bytes[at] ^= 1u << at % 8;
                assert_false(is_right(&bed));
                bed.bytes[at] ^= 1u << at % 8;
            }
            assert_true(is_right(&bed));
            assert_int_equal(bed.log.checked_transfers, size + 1);
            assert_int_equal(bed.log.wrong_transfers, size);
            free(bed.words);
        }
}

static void a_spoiled_buffer_does_not_verify(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        struct bed bed;

        set_up(&bed, patterns[p], 42, 16 * KIB);
        weir_source_poison(&bed.source, bed.words);
        assert_false(is_right(&bed));
        free(bed.words);
    }
}

static void spoil_writer(struct bed *bed)
{
    replace(bed, 42, 5, bed->reading.offset);
}

static void spoil_place(struct bed *bed)
{
    replace(bed, 42, 3, 0);
}

static void spoil_signature(struct bed *bed)
{
    replace(bed, 1234567, 3, bed->reading.offset);
}

static void spoil_bit(struct bed *bed)
{
    bed->bytes[9000] ^= 16;
}

static void spoil_first_bit(struct bed *bed)
{
    bed->bytes[8194] ^= 2;
}

/* The first word of a piece holds its place: bits of it that make no place, ... */
static void spoil_rank_bits(struct bed *bed)
{
    bed->bytes[8197] ^= 15;
}

static void spoil_offset_bits(struct bed *bed)
{
    bed->bytes[8192] ^= 6;
}

/* ... and one that makes another place, at which the rest of the transfer does not belong. */
static void spoil_place_bit(struct bed *bed)
{
    bed->bytes[2] ^= 2;
}

static void spoil_sector(struct bed *bed)
{
    memset(bed->bytes + 8704, 0, 512);
}

static void spoil_piece(struct bed *bed)
{
    memset(bed->bytes + 8192, 0, 4096);
}

static void spoil_all(struct bed *bed)
{
    memset(bed->bytes, 0, bed->reading.bytes);
}

static void spoil_tail(struct bed *bed)
{
    for (size_t at = 10240; at < 12288; at++)
        bed->bytes[at] = (unsigned char)(weir_random_at(99, at) | 1);
}

static void spoil_with_filler(struct bed *bed)
{
    for (size_t at = 8192; at < 12288; at++)
        bed->bytes[at] = (unsigned char)(weir_random_at(99, at) | 1);
}

static void spoil_with_a_stamp(struct bed *bed)
{
    struct weir_identity identity = {
        .generation = 7, .transfer_bytes = 4096, .seed = 1, .mode = WEIR_PAYLOAD_FULL};
    struct weir_source source;

    weir_source_init(&source, &identity, NULL, 0, 3);
    weir_source_fill(&source, bed->bytes + 8192, 8192, 0);
}

#define ALL_PATTERNS 15u
#define T (1u << WEIR_IOR_TIMESTAMP)

static void each_kind_of_damage_is_told_with_its_place(void **state)
{
    static const struct {
        void (*spoil)(struct bed *bed);
        unsigned patterns;
        enum weir_mismatch_kind kind;
        uint64_t at;
        uint64_t bytes;
    } cases[] = {
        {spoil_writer, ALL_PATTERNS, WEIR_MISMATCH_MISPLACED, 0, 65536},
        {spoil_place, ALL_PATTERNS & ~T, WEIR_MISMATCH_MISPLACED, 0, 65536},
        {spoil_signature, ALL_PATTERNS, WEIR_MISMATCH_FOREIGN, 0, 65536},
        {spoil_with_a_stamp, ALL_PATTERNS, WEIR_MISMATCH_FOREIGN, 8192, 4096},
        {spoil_bit, ALL_PATTERNS, WEIR_MISMATCH_FLIP, 9000, 1},
        {spoil_first_bit, ALL_PATTERNS, WEIR_MISMATCH_FLIP, 8194, 1},
        {spoil_rank_bits, ALL_PATTERNS, WEIR_MISMATCH_FLIP, 8197, 1},
        {spoil_offset_bits, ALL_PATTERNS, WEIR_MISMATCH_FLIP, 8192, 1},
        {spoil_place_bit, ALL_PATTERNS, WEIR_MISMATCH_FLIP, 2, 1},
        {spoil_sector, ALL_PATTERNS, WEIR_MISMATCH_ZERO, 8704, 512},
        {spoil_piece, ALL_PATTERNS, WEIR_MISMATCH_ZERO, 8192, 4096},
        {spoil_all, ALL_PATTERNS, WEIR_MISMATCH_ZERO, 0, 65536},
        {spoil_tail, ALL_PATTERNS, WEIR_MISMATCH_TORN, 10240, 2048},
        {spoil_with_filler, ALL_PATTERNS, WEIR_MISMATCH_GARBAGE, 8192, 4096},
    };

    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct weir_mismatch *first;
            struct bed bed;

            if ((cases[i].patterns & 1u << patterns[p]) == 0)
                continue;
            set_up(&bed, patterns[p], 42, 64 * KIB);
            cases[i].spoil(&bed);
            assert_false(is_right(&bed));
            first = &bed.log.first[0];
            if (first->kind != cases[i].kind || bed.log.kept != 1 ||
                first->offset != bed.reading.offset + cases[i].at || first->bytes != cases[i].bytes)
                fail_msg("pattern %zu, case %zu: %s, %llu bytes at %llu", p, i,
                         weir_mismatch_name((enum weir_mismatch_kind)first->kind),
                         (unsigned long long)first->bytes,
                         (unsigned long long)(first->offset - bed.reading.offset));
            assert_int_equal(first->writer, 3);
            assert_int_equal(first->reader, 1);
            free(bed.words);
        }
}

static void misplaced_data_say_where_they_belong(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        const struct weir_mismatch *first;
        struct bed bed;

        set_up(&bed, patterns[p], 42, 64 * KIB);
        replace(&bed, 42, 5, 0x30000);
        assert_false(is_right(&bed));
        first = &bed.log.first[0];
        assert_int_equal(first->kind, WEIR_MISMATCH_MISPLACED);
        assert_int_equal(first->found_writer, 5);
        assert_int_equal(first->found_file, 0);
        if (patterns[p] == WEIR_IOR_TIMESTAMP) {
            assert_int_equal(first->has_found, WEIR_FOUND_WRITER);
        } else {
            assert_int_equal(first->has_found, WEIR_FOUND_PLACE);
            assert_int_equal(first->found_offset, 0x30000);
        }
        free(bed.words);
    }
}

/* A page at the wrong place within a transfer that is right otherwise. */
static void a_misplaced_piece_is_told_from_its_transfer(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        struct bed bed;

        set_up(&bed, patterns[p], 42, 64 * KIB);
        memcpy(bed.bytes + 8192, bed.bytes + 20480, 4096);
        assert_false(is_right(&bed));
        assert_int_equal(bed.log.kept, 1);
        assert_int_equal(bed.log.first[0].kind, WEIR_MISMATCH_MISPLACED);
        assert_int_equal(bed.log.first[0].offset, bed.reading.offset + 8192);
        assert_int_equal(bed.log.first[0].bytes, 4096);
        free(bed.words);
    }
}

static void anyone_may_have_written_where_orders_are_random(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERN_COUNT; p++) {
        struct bed bed;

        set_up(&bed, patterns[p], 42, 64 * KIB);
        replace(&bed, 42, 6, bed.reading.offset);
        assert_false(is_right(&bed));
        bed.reading.any_writer = true;
        assert_true(is_right(&bed));
        bed.reading.ranks = 6; /* then there is no rank 6 */
        assert_false(is_right(&bed));
        free(bed.words);
    }
}

/* ---- recognition ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_ior),
        cmocka_unit_test(bytes_behind_the_last_word_hold_their_number),
        cmocka_unit_test(only_the_timestamp_pattern_is_the_same_in_all_transfers),
        cmocka_unit_test(no_single_byte_changes_unnoticed),
        cmocka_unit_test(a_spoiled_buffer_does_not_verify),
        cmocka_unit_test(each_kind_of_damage_is_told_with_its_place),
        cmocka_unit_test(misplaced_data_say_where_they_belong),
        cmocka_unit_test(a_misplaced_piece_is_told_from_its_transfer),
        cmocka_unit_test(anyone_may_have_written_where_orders_are_random),
    };

    return cmocka_run_group_tests_name("payload_ior", tests, NULL, NULL);
}
