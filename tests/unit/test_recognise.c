/* SPDX-License-Identifier: Apache-2.0 */
/* What benchmarks write is recognised from any place of a file; what others write is not. */
#include "engine/ownership.h"
#include "weir/payload/recognise.h"

#include <errno.h>

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
/* Of the run that meets the file; 0: none was given. */
static uint32_t own_signature;

/* The verdict on the whole file, from stretches at its beginning and further on. */
static bool is_benchmarks(struct weir_traces *traces)
{
    bool is_known = true, has_data = false;

    *traces = (struct weir_traces){.modified_s = modified_s, .own_signature = own_signature};
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
    return is_known && has_data && weir_traces_suffice(traces);
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

static void ior_is_recognised_by_a_time_or_the_runs_signature(void **state)
{
    static const size_t sizes[] = {64, 512, 4096, 65536};
    struct weir_traces traces;

    (void)state;
    for (size_t p = 0; p < 4; p++)
        for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                fill_ior(patterns[p], signatures[i], sizes[s]);
                own_signature = 0;
                if (is_benchmarks(&traces) != (p >= 2 || signatures[i] == SIGNATURE))
                    fail_msg("pattern %zu, signature %d, size %zu, none given", p, signatures[i],
                             sizes[s]);
                own_signature = (uint32_t)signatures[i];
                if (!is_benchmarks(&traces))
                    fail_msg("pattern %zu, signature %d, size %zu", p, signatures[i], sizes[s]);
                assert_int_equal(traces.pattern, patterns[p]);
                if (p < 2)
                    assert_int_equal(traces.signature, (uint32_t)signatures[i]);
                own_signature = 0;
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
        file[i] = i % 2 == 0 ? UINT64_C(1) << 32 | SIGNATURE
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

/* ---- tables of integers ---- */

/* Made from a number and the number of the entry. */
struct table {
    const char *name;
    unsigned bytes; /* of an entry */
    uint64_t (*entry)(uint64_t i);
};

static uint64_t count_from_30000(uint64_t i)
{
    return 30000 + i;
}

static uint64_t count_behind_a_length(uint64_t i)
{
    return i == 0 ? FILE_WORDS - 1 : 30000 + i;
}

static uint64_t count_from_a_time(uint64_t i)
{
    return SIGNATURE - 400000 + i;
}

static uint64_t constant_3(uint64_t i)
{
    (void)i;
    return 3;
}

static uint64_t constant_time(uint64_t i)
{
    (void)i;
    return SIGNATURE;
}

static uint64_t label_0_3(uint64_t i)
{
    return i / 7 % 2 * 3;
}

static uint64_t mask_in_runs(uint64_t i)
{
    return i / 1000 % 2 * 0xff;
}

static uint64_t row_pointer(uint64_t i)
{
    return 8 * i;
}

static uint64_t no_data_and_noise(uint64_t i)
{
    return weir_random_at(2, i) % 100 < 8 ? weir_random_at(3, i) % 1000 : UINT64_MAX;
}

static uint64_t big_endian_0_1(uint64_t i)
{
    return weir_random_at(4, i / 9) % 2 << 8;
}

static uint64_t big_endian_count(uint64_t i)
{
    return __builtin_bswap64(100000 + i);
}

static uint64_t tiled_count(uint64_t i)
{
    return 5000 + i % 512;
}

static uint64_t one_as_double(uint64_t i)
{
    (void)i;
    return UINT64_C(0x3ff0000000000000);
}

static uint64_t missing_value(uint64_t i)
{
    (void)i;
    return UINT64_C(0xc08f380000000000); /* -999.0 */
}

static uint64_t offset_and_length(uint64_t i)
{
    return i % 2 == 0 ? 8 * i : 16;
}

static uint64_t length_and_offset(uint64_t i)
{
    return i % 2 == 0 ? 16 : 8 * i;
}

static uint64_t interval_of_a_second(uint64_t i)
{
    return SIGNATURE + i % 2;
}

static uint64_t squares(uint64_t i)
{
    return i * i;
}

static const struct table tables[] = {
    {"count", 8, count_from_30000},
    {"count of 32 bits", 4, count_from_30000},
    {"length and count", 8, count_behind_a_length},
    {"record of times", 8, count_from_a_time},
    {"constant", 8, constant_3},
    {"constant of 32 bits", 4, constant_3},
    {"constant of 16 bits", 2, constant_3},
    {"one time", 8, constant_time},
    {"labels", 8, label_0_3},
    {"labels of 32 bits", 4, label_0_3},
    {"mask", 1, mask_in_runs},
    {"row pointers", 8, row_pointer},
    {"row pointers of 32 bits", 4, row_pointer},
    {"no data", 8, no_data_and_noise},
    {"no data of 32 bits", 4, no_data_and_noise},
    {"no data of 16 bits", 2, no_data_and_noise},
    {"big-endian raster", 2, big_endian_0_1},
    {"big-endian sequence numbers", 8, big_endian_count},
    {"columns of a grid", 8, tiled_count},
    {"ones of 64 bits", 8, one_as_double},
    {"missing values", 8, missing_value},
    {"index of records", 8, offset_and_length},
    {"index behind a header", 8, length_and_offset},
    {"intervals", 8, interval_of_a_second},
    {"lookup table", 8, squares},
};

static void fill_table(const struct table *table)
{
    unsigned char *to = (unsigned char *)file;

    for (size_t i = 0; i < sizeof file / table->bytes; i++) {
        uint64_t entry = table->entry(i);

        memcpy(to + i * table->bytes, &entry, table->bytes);
    }
}

static enum weir_content recognise_bytes(const void *bytes, size_t count);

/* Whole files of them, and short ones. */
static void tables_are_not_recognised(void **state)
{
    struct weir_traces traces;

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        fill_table(&tables[i]);
        if (is_benchmarks(&traces))
            fail_msg("%s: taken for a benchmark's", tables[i].name);
        for (size_t count = 1; count <= 600; count += count < 40 ? 1 : 7) {
            enum weir_content content = recognise_bytes(file, count);

            if (content != WEIR_CONTENT_FOREIGN && content != WEIR_CONTENT_ZERO &&
                content != WEIR_CONTENT_ONES)
                fail_msg("%s: %zu bytes of it are taken for a benchmark's", tables[i].name, count);
        }
    }
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
    /* The last second of a record is that of its modification, or any one before. */
    modified_s = SIGNATURE + FILE_WORDS - 1;
    assert_false(is_benchmarks(&traces));
    modified_s = SIGNATURE + FILE_WORDS;
    assert_false(is_benchmarks(&traces));
    modified_s = SIGNATURE - 3600; /* no run begins after its data were written */
    assert_false(is_benchmarks(&traces));
    modified_s = SIGNATURE + 60;
}

/* Two sensors, or two stations; the second begins again a second later. */
static void seconds_that_are_late_are_somebodys(void **state)
{
    struct weir_traces traces;

    (void)state;
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = SIGNATURE + i - (i > 500);
    modified_s = SIGNATURE + FILE_WORDS;
    assert_false(is_benchmarks(&traces));
    modified_s = SIGNATURE + 60;
}

/* A record of times in which eight seconds of forty are missing: nothing in it begins again. */
static void seconds_between_ones_are_somebodys(void **state)
{
    struct weir_traces traces;

    (void)state;
    for (size_t i = 0; i < FILE_WORDS; i++)
        file[i] = i % 40 < 32 ? SIGNATURE + i : UINT64_MAX;
    modified_s = SIGNATURE + FILE_WORDS;
    assert_false(is_benchmarks(&traces));
    assert_false(traces.has_repeated);
    /* No record has seconds that are not over. */
    modified_s = SIGNATURE + 60;
    assert_true(is_benchmarks(&traces));
}

static enum weir_content recognise_bytes(const void *bytes, size_t count)
{
    static uint64_t words[WORDS];
    struct weir_traces traces = {.modified_s = modified_s, .own_signature = own_signature};
    struct weir_stretch stretch = {
        .words = words, .count = count / sizeof *words, .rest = count % sizeof *words};
    enum weir_content content;

    assert_true(count <= sizeof words);
    memset(words, 0, sizeof words);
    memcpy(words, bytes, count);
    content = weir_recognise(&traces, &stretch);
    return content == WEIR_CONTENT_IOR && !weir_traces_suffice(&traces) ? WEIR_CONTENT_FOREIGN
                                                                        : content;
}

static void a_few_words_prove_nothing(void **state)
{
    static const uint64_t rows[][3] = {
        {1700000000, 1700000001, 1700000002},
        {42, 43, 44},
        {1700000000, 1700000000, 1700000000},
        {0, 1700000001, 1700000002},
        {0x289a27a537588045, 0x289a27a537588045, 0x289a27a537588045},
    };

    (void)state;
    own_signature = 42;
    assert_int_equal(recognise_bytes(rows[0], 0), WEIR_CONTENT_ZERO);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (size_t bytes = row == 3 ? 9 : 1; bytes <= sizeof *rows; bytes++)
            if (recognise_bytes(rows[row], bytes) > WEIR_CONTENT_ZERO &&
                recognise_bytes(rows[row], bytes) != WEIR_CONTENT_FOREIGN)
                fail_msg("row %zu, %zu bytes", row, bytes);
    own_signature = 0;
}

/* Bytes that decide nothing, whichever they are. */
static void a_byte_proves_nothing(void **state)
{
    static unsigned char bytes[4096];

    (void)state;
    for (unsigned value = 1; value < 256; value++)
        for (size_t count = 1; count <= sizeof bytes; count = count < 80 ? count + 1 : count * 2) {
            enum weir_content content;
            bool is_written =
                count == sizeof bytes && (value == '0' || value == 0xa5 || value == 0xbb);

            memset(bytes, (int)value, sizeof bytes);
            content = recognise_bytes(bytes, count);
            if (content != (is_written      ? WEIR_CONTENT_UNIFORM
                            : value == 0xff ? WEIR_CONTENT_ONES
                                            : WEIR_CONTENT_FOREIGN))
                fail_msg("%zu bytes of %u: %u", count, value, content);
        }
    /* The mark of IOzone with and without the rest of its record. */
    memset(bytes, 0, sizeof bytes);
    memset(bytes, 0x95, 8);
    assert_int_equal(recognise_bytes(bytes, sizeof bytes), WEIR_CONTENT_IOZONE);
    for (size_t count = 8; count < 1024; count += 8)
        assert_int_equal(recognise_bytes(bytes, count), WEIR_CONTENT_FOREIGN);
    memset(bytes, 'A', 8);
    assert_int_equal(recognise_bytes(bytes, sizeof bytes), WEIR_CONTENT_FOREIGN);
}

/* ---- files ---- */

/* A file whose end was cut off after its size was read. */
static int64_t read_first_page(const struct weir_found_file *found, void *data, size_t bytes,
                               uint64_t offset)
{
    const size_t left = offset == 0 ? 4096 : 0;

    (void)found;
    assert_true(bytes >= left);
    memset(data, 0, left);
    return (int64_t)left;
}

static void a_file_that_was_cut_meanwhile_is_left_alone(void **state)
{
    const struct weir_found_file found = {
        .bytes = 1 << 20, .link_count = 1, .modified_s = modified_s, .read = read_first_page};
    struct weir_item_data item = {.bytes = found.bytes};

    (void)state;
    assert_int_equal(weir_ownership_judge_item(&item, &found), -EEXIST);
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
        cmocka_unit_test(ior_is_recognised_by_a_time_or_the_runs_signature),
        cmocka_unit_test(holes_and_damage_do_not_hide_it),
        cmocka_unit_test(older_releases_are_recognised),
        cmocka_unit_test(small_transfers_of_ours_tell_their_key),
        cmocka_unit_test(others_files_are_not_recognised),
        cmocka_unit_test(tables_are_not_recognised),
        cmocka_unit_test(seconds_that_were_over_are_somebodys),
        cmocka_unit_test(seconds_that_are_late_are_somebodys),
        cmocka_unit_test(seconds_between_ones_are_somebodys),
        cmocka_unit_test(a_few_words_prove_nothing),
        cmocka_unit_test(a_byte_proves_nothing),
        cmocka_unit_test(a_file_that_was_cut_meanwhile_is_left_alone),
        cmocka_unit_test(most_words_tell_the_signature),
        cmocka_unit_test(noise_has_no_signature),
    };

    return cmocka_run_group_tests_name("recognise", tests, NULL, NULL);
}
