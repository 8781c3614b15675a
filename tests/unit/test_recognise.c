/* SPDX-License-Identifier: Apache-2.0 */
/* What benchmarks write is recognised from any place of a file; what others write is not. */
#include "weir/payload/recognise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 8192 /* of a stretch */
#define FILE_WORDS (4 * WORDS)

static uint64_t file[FILE_WORDS];
/* A run of IOR that began at this signature has ended. */
#define SIGNATURE 1700000000
static int64_t modified_s = SIGNATURE + 60;

/* The verdict on the whole file, from stretches at its beginning and further on. */
static bool is_benchmarks(struct weir_traces *traces)
{
    bool is_known = true, has_data = false;

    *traces = (struct weir_traces){0};
    for (size_t at = 0; at < FILE_WORDS; at += WORDS + 512) {
        struct weir_stretch stretch = {
            .words = file + at,
            .count = FILE_WORDS - at < WORDS ? FILE_WORDS - at : WORDS,
            .offset = at * sizeof *file,
        };
        enum weir_content content = weir_recognise(traces, &stretch);

        is_known &= content != WEIR_CONTENT_FOREIGN;
        has_data |= content != WEIR_CONTENT_ZERO && content != WEIR_CONTENT_ONES &&
                    content != WEIR_CONTENT_UNIFORM;
    }
    return is_known && has_data && weir_traces_suffice(traces, sizeof file, modified_s);
}

/* As ranks of IOR leave a file that they share, with blocks of two transfers. */
static void fill_ior(enum weir_ior_pattern pattern, int32_t signature, size_t transfer_bytes)
{
    struct weir_identity identity = {.transfer_bytes = transfer_bytes,
                                     .mode = WEIR_PAYLOAD_IOR,
                                     .pattern = pattern,
                                     .seed = (uint32_t)signature};
    unsigned char *to = (unsigned char *)file;

    for (size_t at = 0; at < sizeof file; at += transfer_bytes) {
        struct weir_source source;
        uint32_t rank = (uint32_t)(at / transfer_bytes / 2 % 3);

        weir_source_init(&source, &identity, NULL, 0, rank);
        weir_source_init_buffer(&source, to + at, 0);
        weir_source_fill(&source, to + at, at, 0);
    }
}

static const enum weir_ior_pattern patterns[] = {WEIR_IOR_TIMESTAMP, WEIR_IOR_OFFSET,
                                                 WEIR_IOR_INCOMPRESSIBLE, WEIR_IOR_RANDOM};
static const int32_t signatures[] = {42, 1700000000, INT32_MAX, -7};

static void ior_is_recognised_with_any_signature(void **state)
{
    static const size_t sizes[] = {64, 512, 4096, 65536};
    struct weir_traces traces;

    (void)state;
    for (size_t p = 0; p < 4; p++)
        for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                fill_ior(patterns[p], signatures[i], sizes[s]);
                if (!is_benchmarks(&traces))
                    fail_msg("pattern %zu, signature %d, size %zu", p, signatures[i], sizes[s]);
                assert_int_equal(traces.pattern, patterns[p]);
                if (p < 2)
                    assert_int_equal(traces.signature, (uint32_t)signatures[i]);
            }
}

static void holes_and_damage_do_not_hide_it(void **state)
{
    struct weir_traces traces;

    (void)state;
    for (size_t p = 0; p < 4; p++) {
        fill_ior(patterns[p], 1700000000, 4096);
        for (size_t at = 1024; at < FILE_WORDS; at += 2048)
            memset(file + at, 0, 8192);
        file[500] ^= 16;
        memset(file + 700, 0xee, 512);
        if (!is_benchmarks(&traces))
            fail_msg("pattern %zu", p);
    }
}

/* As IOR 3 wrote it: rank and signature, then a place. */
static void fill_old_places(bool is_in_file, size_t transfer_words)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i % 2 == 0 ? UINT64_C(1) << 32 | 42
                             : (is_in_file ? i : i % transfer_words) * sizeof *file;
}

static void older_releases_are_recognised(void **state)
{
    uint32_t seed = 42;
    struct weir_traces traces;

    (void)state;
    fill_old_places(false, 32768);
    assert_true(is_benchmarks(&traces));
    fill_old_places(false, 512);
    assert_true(is_benchmarks(&traces));
    fill_old_places(true, 512);
    assert_true(is_benchmarks(&traces));
    for (size_t i = 0; i < FILE_WORDS; i++) {
        uint64_t upper;

        if (i % WORDS == 0)
            seed = 42;
        upper = weir_ior_next_number(&seed);
        file[i] = upper << 32 | weir_ior_next_number(&seed);
    }
    assert_int_equal(file[0], 0x289a27a537588045);
    assert_int_equal(file[1], 0x56de1261381d5212);
    assert_true(is_benchmarks(&traces));
}

static void small_transfers_of_ours_tell_their_key(void **state)
{
    static const size_t sizes[] = {8, 16, 56};
    struct weir_traces traces;

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct weir_identity identity = {.transfer_bytes = sizes[s], .seed = 4711};
        struct weir_source source;

        weir_source_init(&source, &identity, NULL, 3, 3);
        memset(file, 0, sizeof file);
        for (size_t at = 0; at + sizes[s] <= sizeof file; at += sizes[s])
            weir_source_fill(&source, (unsigned char *)file + at, at, 0);
        assert_true(is_benchmarks(&traces));
        assert_int_equal(traces.bare_key, UINT64_C(3) << 32 | 4711);
    }
}

/* ---- of others ---- */

static void fill_text(void)
{
    static const char text[] = "to whom it may concern: these are not the data of a benchmark. ";

    for (size_t at = 0; at < sizeof file; at++)
        ((char *)file)[at] = text[at % (sizeof text - 1)];
}

static void fill_noise(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = weir_random_at(1, i);
}

static void fill_indices(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i;
}

/* They count as IOR's words do, but never begin again: no transfer is seen to end. */
static void fill_numbers_from_one(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i + 1;
}

static void fill_numbers_with_gaps(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = 1700000000 + i + i / 100;
}

static void fill_steps_of_two(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = 42 + 2 * i;
}

static void fill_start_of_a_count(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i < 300 ? 1700000000 + i : 7;
}

static void fill_ones(void)
{
    memset(file, 0xff, sizeof file);
}

static void fill_letters(void)
{
    memset(file, 'A', sizeof file);
}

/* One word, and it is not rand_r's. */
static void fill_one_word(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i % 512 == 0 ? i * 8 : 0x289a27a537588046;
}

/* It is, but nothing marks the offsets of transfers. */
static void fill_word_of_rand(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = 0x289a27a537588045;
}

static void fill_numbered_pages(void)
{
    memset(file, 0xa5, sizeof file);
    for (size_t i = 0; i < FILE_WORDS; i += 512)
        file[i] = i / 512;
}

static void fill_doubles(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++) {
        double value = (double)i * 0.5;

        memcpy(&file[i], &value, sizeof value);
    }
}

static void fill_pairs(void)
{
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i % 2 == 0 ? 5 : 100 + i / 2;
}

/* A disk image, with something of somebody in it. */
static void fill_some_text(void)
{
    fill_text();
    memset(file, 0, 20000);
    memset(file + 5000, 0, sizeof file - 40000);
}

static void fill_text_behind_ior(void)
{
    fill_text();
    for (size_t i = 0; i < 2 * WORDS; i++)
        file[i] = 1700000000 + i % 512;
}

static void fill_ior_behind_text(void)
{
    fill_ior(WEIR_IOR_TIMESTAMP, 1700000000, 4096);
    memset(file, 'A', 65536);
}

static void others_files_are_not_recognised(void **state)
{
    static void (*const fills[])(void) = {
        fill_text,
        fill_noise,
        fill_indices,
        fill_numbers_from_one,
        fill_steps_of_two,
        fill_start_of_a_count,
        fill_ones,
        fill_letters,
        fill_one_word,
        fill_word_of_rand,
        fill_numbered_pages,
        fill_doubles,
        fill_pairs,
        fill_some_text,
        fill_text_behind_ior,
        fill_ior_behind_text,
        fill_numbers_with_gaps,
    };
    struct weir_traces traces;

    (void)state;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        fills[i]();
        if (is_benchmarks(&traces))
            fail_msg("file %zu is taken for a benchmark's", i);
    }
}

/* One transfer of IOR and a record of times hold the same words; the record is written when the
 * last of them is over. */
static void seconds_that_were_over_are_somebodys(void **state)
{
    struct weir_traces traces;

    (void)state;
    fill_ior(WEIR_IOR_TIMESTAMP, SIGNATURE, sizeof file);
    assert_true(is_benchmarks(&traces));
    modified_s = SIGNATURE + FILE_WORDS;
    assert_false(is_benchmarks(&traces));
    modified_s = SIGNATURE - 1; /* times to come are no record */
    assert_true(is_benchmarks(&traces));
    modified_s = SIGNATURE + 60;
}

static void a_word_proves_nothing(void **state)
{
    static const uint64_t words[] = {1700000000};
    struct weir_stretch stretch = {.words = words};
    struct weir_traces traces = {0};

    (void)state;
    assert_int_equal(weir_recognise(&traces, &stretch), WEIR_CONTENT_ZERO);
    stretch.count = 1;
    assert_int_equal(weir_recognise(&traces, &stretch), WEIR_CONTENT_FOREIGN);
}

/* ---- signatures ---- */

static void most_words_tell_the_signature(void **state)
{
    static const size_t sizes[] = {64, 4096, 65536};

    (void)state;
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct weir_stretch stretch = {
                    .words = file + 1536, .count = WORDS, .offset = 1536 * sizeof *file};
                int32_t found = 0;

                fill_ior(patterns[p], signatures[i], sizes[s]);
                memset(file + 1536, 0xee, WORDS * sizeof *file / 4);
                assert_true(weir_recognise_signature(&stretch, sizes[s], p == 1, &found));
                assert_int_equal(found, signatures[i]);
            }
}

static void noise_has_no_signature(void **state)
{
    struct weir_stretch stretch = {.words = file, .count = WORDS};
    int32_t found;

    (void)state;
    fill_noise();
    assert_false(weir_recognise_signature(&stretch, 4096, false, &found));
    fill_letters();
    assert_false(weir_recognise_signature(&stretch, 4096, false, &found));
    memset(file, 0, sizeof file);
    assert_false(weir_recognise_signature(&stretch, 4096, false, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ior_is_recognised_with_any_signature),
        cmocka_unit_test(holes_and_damage_do_not_hide_it),
        cmocka_unit_test(older_releases_are_recognised),
        cmocka_unit_test(small_transfers_of_ours_tell_their_key),
        cmocka_unit_test(others_files_are_not_recognised),
        cmocka_unit_test(seconds_that_were_over_are_somebodys),
        cmocka_unit_test(a_word_proves_nothing),
        cmocka_unit_test(most_words_tell_the_signature),
        cmocka_unit_test(noise_has_no_signature),
    };

    return cmocka_run_group_tests_name("recognise", tests, NULL, NULL);
}
