/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads: what is written is recognised, everything else is told by its kind. */
#include "weir/payload/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

struct bed {
    struct weir_source source;
    struct weir_filler filler;
    unsigned char *data;
    struct weir_mismatch_log log;
    struct weir_expectation reading;
};

static void set_up(struct bed *bed, enum weir_payload_mode mode, uint64_t transfer_bytes)
{
    struct weir_identity identity = {
        .generation = 1000, .transfer_bytes = transfer_bytes, .seed = 42, .mode = mode};

    memset(bed, 0, sizeof *bed);
    assert_int_equal(
        weir_filler_prepare(&bed->filler, weir_filler_seed(&identity), WEIR_FILLER_PIECES), 0);
    bed->data = aligned_alloc(4096, (transfer_bytes + 4095) / 4096 * 4096);
    weir_source_init(&bed->source, &identity, bed->filler.bytes, 3, 3);
    bed->reading = (struct weir_expectation){.file_number = 3,
                                             .offset = 8 * transfer_bytes,
                                             .bytes = transfer_bytes,
                                             .writer = 3,
                                             .reader = 5,
                                             .is_own_file = true};
    weir_source_init_buffer(&bed->source, bed->data, 7);
    weir_source_fill(&bed->source, bed->data, bed->reading.offset, 7);
}

static void tear_down(struct bed *bed)
{
    weir_filler_close(&bed->filler);
    free(bed->data);
}

static bool is_right(struct bed *bed)
{
    return weir_verify(&bed->source, &bed->reading, bed->data, &bed->log);
}

static const enum weir_payload_mode modes[] = {WEIR_PAYLOAD_STAMP, WEIR_PAYLOAD_FULL};

static void what_is_written_verifies_in_every_mode_and_size(void **state)
{
    static const uint64_t sizes[] = {8,    16,   56,   64,   72,    4096,    4104,  4152,
                                     4160, 8192, 8136, 8256, 47008, 1 << 20, 262144};

    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct bed bed;

            set_up(&bed, modes[m], sizes[i]);
            assert_true(is_right(&bed));
            assert_int_equal(bed.log.checked_transfers, 1);
            assert_int_equal(bed.log.wrong_transfers, 0);
            tear_down(&bed);
        }
}

/* The property that the rest stands on: no single byte can change unnoticed. */
static void every_changed_byte_is_noticed(void **state)
{
    static const uint64_t sizes[] = {16, 72, 4152, 8256};

    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct bed bed;

            set_up(&bed, modes[m], sizes[i]);
            for (size_t at = 0; at < sizes[i]; at++) {
                bed.data[at] ^= 1u << at % 8;
                assert_false(is_right(&bed));
                bed.data[at] ^= 1u << at % 8;
            }
            assert_true(is_right(&bed));
            assert_int_equal(bed.log.wrong_transfers, sizes[i]);
            tear_down(&bed);
        }
}

static void a_spoiled_buffer_does_not_verify(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        struct bed bed;

        set_up(&bed, modes[m], 16384);
        weir_source_poison(&bed.source, bed.data);
        assert_false(is_right(&bed));
        assert_int_equal(bed.log.wrong_bytes, 4 * (7 * 512 + 8));
        tear_down(&bed);
    }
}

/* ---- kinds ---- */

static void refill(struct bed *bed, uint64_t generation, uint32_t seed, uint64_t file,
                   uint64_t offset)
{
    struct weir_identity identity = bed->source.identity;
    struct weir_source other;

    identity.generation = generation;
    identity.seed = seed;
    weir_source_init(&other, &identity, bed->filler.bytes, file, (uint32_t)file);
    weir_source_fill(&other, bed->data, offset, 7);
}

static void spoil_place(struct bed *bed)
{
    refill(bed, 1000, 42, 3, 0);
}

static void spoil_file(struct bed *bed)
{
    refill(bed, 1000, 42, 4, bed->reading.offset);
}

static void spoil_generation(struct bed *bed)
{
    refill(bed, 999, 42, 3, bed->reading.offset);
}

static void spoil_future(struct bed *bed)
{
    refill(bed, 1001, 42, 3, bed->reading.offset);
}

static void spoil_seed(struct bed *bed)
{
    refill(bed, 1000, 43, 3, bed->reading.offset);
}

static void spoil_bit(struct bed *bed)
{
    bed->data[9000] ^= 16;
}

static void spoil_stamp_bit(struct bed *bed)
{
    bed->data[8192 + 20] ^= 1;
}

static void spoil_sector(struct bed *bed)
{
    memset(bed->data + 8704, 0, 512);
}

static void spoil_first_sector(struct bed *bed)
{
    memset(bed->data + 8192, 0, 512);
}

static void spoil_all(struct bed *bed)
{
    memset(bed->data, 0, bed->reading.bytes);
}

static void spoil_tail(struct bed *bed)
{
    for (size_t at = 10240; at < 12288; at++)
        bed->data[at] ^= (unsigned char)(at * 37 >> 3 | 1); /* no byte is right by chance */
}

static void spoil_with_text(struct bed *bed)
{
    for (size_t at = 8192; at < 12288; at++)
        bed->data[at] = (unsigned char)(weir_random_at(99, at) | 1);
}

static void each_kind_of_damage_is_told_with_its_place(void **state)
{
    static const struct {
        void (*spoil)(struct bed *bed);
        enum weir_mismatch_kind kind;
        uint64_t at;
        uint64_t bytes; /* 0: not told exactly */
    } cases[] = {
        {spoil_place, WEIR_MISMATCH_MISPLACED, 0, 65536},
        {spoil_file, WEIR_MISMATCH_MISPLACED, 0, 65536},
        {spoil_generation, WEIR_MISMATCH_STALE, 0, 65536},
        {spoil_future, WEIR_MISMATCH_NEWER, 0, 65536},
        {spoil_seed, WEIR_MISMATCH_FOREIGN, 0, 65536},
        {spoil_bit, WEIR_MISMATCH_FLIP, 9000, 1},
        {spoil_stamp_bit, WEIR_MISMATCH_FLIP, 8192 + 20, 1},
        {spoil_sector, WEIR_MISMATCH_ZERO, 8704, 512},
        {spoil_first_sector, WEIR_MISMATCH_ZERO, 8192, 512},
        {spoil_all, WEIR_MISMATCH_ZERO, 0, 65536},
        {spoil_tail, WEIR_MISMATCH_TORN, 10240, 2048},
        {spoil_with_text, WEIR_MISMATCH_GARBAGE, 8192, 4096},
    };

    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct weir_mismatch *first;
            struct bed bed;

            set_up(&bed, modes[m], 65536);
            cases[i].spoil(&bed);
            assert_false(is_right(&bed));
            first = &bed.log.first[0];
            assert_string_equal(weir_mismatch_name((enum weir_mismatch_kind)first->kind),
                                weir_mismatch_name(cases[i].kind));
            assert_int_equal(bed.log.kept, 1);
            assert_int_equal(bed.log.kinds[cases[i].kind], 1);
            assert_int_equal(first->offset, bed.reading.offset + cases[i].at);
            assert_int_equal(first->bytes, cases[i].bytes);
            assert_int_equal(first->file_number, 3);
            assert_int_equal(first->writer, 3);
            assert_int_equal(first->reader, 5);
            tear_down(&bed);
        }
}

static void a_misplaced_piece_says_where_it_belongs(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_STAMP, 65536);
    refill(&bed, 1000, 42, 4, 131072);
    assert_false(is_right(&bed));
    assert_true(bed.log.first[0].has_found);
    assert_int_equal(bed.log.first[0].found_file, 4);
    assert_int_equal(bed.log.first[0].found_writer, 4);
    assert_int_equal(bed.log.first[0].found_offset, 131072);
    assert_int_equal(bed.log.first[0].found_generation, 1000);
    tear_down(&bed);
}

static void the_writer_of_a_shared_file_may_be_anyone(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_STAMP, 65536);
    bed.reading.writer = 9;
    bed.reading.is_own_file = false;
    assert_true(is_right(&bed));
    bed.reading.is_own_file = true;
    assert_false(is_right(&bed));
    tear_down(&bed);
}

/* ---- sectors ---- */

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* What another file, writer or place holds where the bed's transfer lies, with the same filler. */
static unsigned char *make_other(const struct bed *bed, uint64_t file, uint32_t writer,
                                 uint64_t offset)
{
    size_t bytes = bed->source.identity.transfer_bytes;
    unsigned char *data = malloc(bytes);
    struct weir_source other;

    weir_source_init(&other, &bed->source.identity, bed->filler.bytes, file, writer);
    weir_source_init_buffer(&other, data, 7);
    weir_source_fill(&other, data, offset, 7);
    return data;
}

/* Sectors are those of the file: the first and the last of a transfer may be parts of one. */
static void no_sector_of_another_file_passes(void **state)
{
    static const uint64_t sizes[] = {64,   72,   400,  512,  520,   584,   1024,
                                     4096, 4152, 4608, 8256, 47008, 65536, 262144};

    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            unsigned char *other;
            struct bed bed;

            set_up(&bed, modes[m], sizes[i]);
            bed.reading.offset = 3 * sizes[i];
            weir_source_fill(&bed.source, bed.data, bed.reading.offset, 7);
            other = make_other(&bed, 4, 4, bed.reading.offset);
            for (uint64_t at = 0, end; at < sizes[i]; at = end) {
                unsigned char kept[512];

                end = at + 512 - (bed.reading.offset + at) % 512;
                if (end > sizes[i])
                    end = sizes[i];
                memcpy(kept, bed.data + at, end - at);
                memcpy(bed.data + at, other + at, end - at);
                assert_false(is_right(&bed));
                memcpy(bed.data + at, kept, end - at);
                assert_true(is_right(&bed));
            }
            free(other);
            tear_down(&bed);
        }
}

static void expect_stray(struct bed *bed, uint64_t at, uint64_t file, uint32_t writer,
                         uint64_t offset)
{
    const struct weir_mismatch *first = &bed->log.first[0];

    memset(&bed->log, 0, sizeof bed->log);
    assert_false(is_right(bed));
    assert_int_equal(bed->log.kept, 1);
    assert_int_equal(first->kind, WEIR_MISMATCH_MISPLACED);
    assert_int_equal(first->offset, bed->reading.offset + at);
    assert_int_equal(first->bytes, 512);
    assert_int_equal(first->has_found, WEIR_FOUND_PLACE);
    assert_int_equal(first->found_file, file);
    assert_int_equal(first->found_writer, writer);
    assert_int_equal(first->found_offset, offset + at);
    assert_int_equal(first->found_generation, 1000);
}

static void a_misplaced_sector_says_where_it_belongs(void **state)
{
    static const struct {
        uint64_t file;
        uint32_t writer;
        int64_t distance; /* in transfers */
        bool is_shared;
    } cases[] = {{4, 4, 0, false}, {3, 3, 5, false}, {3, 3, -8, false}, {3, 7, 0, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        /* In a shared file any writer is right, and the stamp says which. */
        for (size_t at = cases[i].is_shared ? 4608 : 4096; at < 8192; at += 512) {
            unsigned char *other;
            uint64_t offset;
            struct bed bed;

            set_up(&bed, WEIR_PAYLOAD_STAMP, 16384);
            bed.reading.ranks = 16;
            bed.reading.is_own_file = !cases[i].is_shared;
            offset = bed.reading.offset + (uint64_t)cases[i].distance * 16384;
            other = make_other(&bed, cases[i].file, cases[i].writer, offset);
            memcpy(bed.data + at, other + at, 512);
            expect_stray(&bed, at, cases[i].file, cases[i].writer, offset);
            free(other);
            tear_down(&bed);
        }
}

/* A stretch that belongs elsewhere is told from what is damaged behind it. */
static void damage_beside_a_misplaced_sector_is_told_for_itself(void **state)
{
    unsigned char *other;
    struct bed bed;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_STAMP, 4096);
    bed.reading.ranks = 16;
    other = make_other(&bed, 4, 4, bed.reading.offset);
    memcpy(bed.data + 512, other + 512, 1024);
    bed.data[3000] ^= 1;
    assert_false(is_right(&bed));
    assert_int_equal(bed.log.kept, 2);
    assert_int_equal(bed.log.first[0].kind, WEIR_MISMATCH_MISPLACED);
    assert_int_equal(bed.log.first[0].offset, bed.reading.offset + 512);
    assert_int_equal(bed.log.first[0].bytes, 1024);
    assert_int_equal(bed.log.first[1].kind, WEIR_MISMATCH_FLIP);
    assert_int_equal(bed.log.first[1].offset, bed.reading.offset + 3000);
    assert_int_equal(bed.log.first[1].bytes, 1);
    free(other);
    tear_down(&bed);
}

/* Where nobody knows where a sector comes from, it is torn: not a few flipped bits. */
static void a_sector_of_unknown_origin_is_torn(void **state)
{
    unsigned char *other;
    struct bed bed;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_STAMP, 4096);
    bed.reading.ranks = 4;
    other = make_other(&bed, 99, 99, bed.reading.offset);
    memcpy(bed.data + 512, other + 512, 512);
    assert_false(is_right(&bed));
    assert_int_equal(bed.log.kept, 1);
    assert_int_equal(bed.log.first[0].kind, WEIR_MISMATCH_TORN);
    assert_in_range(bed.log.first[0].offset, bed.reading.offset + 512, bed.reading.offset + 519);
    free(other);
    tear_down(&bed);
}

/* No two sectors are alike, as early builds had them each megabyte. */
static void stamps_leave_no_two_sectors_alike(void **state)
{
    size_t count = 4 * MIB / 512;
    uint64_t *hashes = malloc(count * sizeof *hashes);
    struct bed bed;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_STAMP, 4 * MIB);
    for (size_t i = 0; i < count; i++) {
        hashes[i] = 0;
        for (size_t word = 0; word < 64; word++)
            hashes[i] = weir_mix64(hashes[i] + ((uint64_t *)(void *)bed.data)[i * 64 + word]);
    }
    qsort(hashes, count, sizeof *hashes, compare_words);
    for (size_t i = 1; i < count; i++)
        assert_int_not_equal(hashes[i], hashes[i - 1]);
    free(hashes);
    tear_down(&bed);
}

/* As an early build wrote it: generation 1700000000000000, seed 42, rank 0, filler 7. */
static void a_stamp_of_the_old_format_is_known_as_such(void **state)
{
    static const uint64_t words[] = {0xf5dd14c9a1186aab, 0xe8a64d08c3555fae, 0x3268461aaafd7745,
                                     0x4236df73f3a46993, 0x86aabf77d14c9a16, 0x55faee8a64d09c35};
    struct weir_stamp_facts facts;
    struct bed bed;

    (void)state;
    assert_true(weir_stamp_read(words, &facts));
    assert_int_equal(facts.format, 0);
    assert_int_equal(facts.mode, WEIR_PAYLOAD_STAMP);
    assert_int_equal(facts.generation, 1700000000000000);
    assert_int_equal(facts.filler, 7);
    set_up(&bed, WEIR_PAYLOAD_STAMP, 4096);
    assert_true(weir_stamp_read(bed.data, &facts));
    assert_int_equal(facts.format, 2);
    tear_down(&bed);
}

/* Written in transfers of 1 MiB and read in transfers of 4 KiB: stamps do not depend on how the
 * file is read. */
static void pieces_verify_in_transfers_of_another_size(void **state)
{
    struct weir_source reader;
    struct bed bed;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_STAMP, MIB);
    bed.source.identity.transfer_bytes = 4096;
    weir_source_init(&reader, &bed.source.identity, bed.filler.bytes, 3, 3);
    for (size_t at = 0; at < MIB; at += 4096) {
        struct weir_expectation reading = bed.reading;

        reading.offset += at;
        reading.bytes = 4096;
        assert_true(weir_verify(&reader, &reading, bed.data + at, &bed.log));
    }
    tear_down(&bed);
}

/* Even a short repeat would show: all words of a full payload and all its pieces' stamps differ. */
static void full_payloads_never_repeat_a_word(void **state)
{
    size_t count = 4 * MIB / sizeof(uint64_t), repeated = 0;
    struct bed bed;
    uint64_t *words;

    (void)state;
    set_up(&bed, WEIR_PAYLOAD_FULL, 4 * MIB);
    words = (uint64_t *)(void *)bed.data;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 1; i < count; i++)
        repeated += words[i] == words[i - 1];
    assert_int_equal(repeated, 0);
    tear_down(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_verifies_in_every_mode_and_size),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(a_spoiled_buffer_does_not_verify),
        cmocka_unit_test(each_kind_of_damage_is_told_with_its_place),
        cmocka_unit_test(a_misplaced_piece_says_where_it_belongs),
        cmocka_unit_test(the_writer_of_a_shared_file_may_be_anyone),
        cmocka_unit_test(no_sector_of_another_file_passes),
        cmocka_unit_test(a_misplaced_sector_says_where_it_belongs),
        cmocka_unit_test(damage_beside_a_misplaced_sector_is_told_for_itself),
        cmocka_unit_test(a_sector_of_unknown_origin_is_torn),
        cmocka_unit_test(stamps_leave_no_two_sectors_alike),
        cmocka_unit_test(a_stamp_of_the_old_format_is_known_as_such),
        cmocka_unit_test(pieces_verify_in_transfers_of_another_size),
        cmocka_unit_test(full_payloads_never_repeat_a_word),
    };

    return cmocka_run_group_tests_name("payload", tests, NULL, NULL);
}
