/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text, arenas, errors, and sizes and durations as people type them. */
#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void sizes_are_read_with_fractions_and_units(void **state)
{
    static const struct {
        const char *text;
        int status;
        uint64_t value;
    } cases[] = {
        {"0", 0, 0},
        {"47008", 0, 47008},
        {"1k", 0, KIB},
        {"1K", 0, KIB},
        {"64kB", 0, 64 * KIB},
        {"1kib", 0, KIB},
        {"1MiB", 0, MIB},
        {"1.5g", 0, GIB + GIB / 2},
        {"0.5k", 0, 512},
        {"1.000m", 0, MIB},
        {"2t", 0, 2048 * GIB},
        {"8191p", 0, UINT64_C(8191) << 50},
        {"9223372036854775807", 0, INT64_MAX},
        {"1.00000000000000000000000000", 0, 1},
        {"9223372036854775808", -ERANGE, 0},
        {"8192p", -ERANGE, 0},
        {"99999999999999999999999999", -ERANGE, 0},
        {"", -EINVAL, 0},
        {" 1", -EINVAL, 0},
        {"1 ", -EINVAL, 0},
        {"-1", -EINVAL, 0},
        {"+1", -EINVAL, 0},
        {"1.5", -EINVAL, 0},
        {"0.0001k", -EINVAL, 0},
        {"1.00000000000000000001", -EINVAL, 0},
        {".5k", -EINVAL, 0},
        {"1.", -EINVAL, 0},
        {"1.k", -EINVAL, 0},
        {"1x", -EINVAL, 0},
        {"1b", -EINVAL, 0},
        {"1kk", -EINVAL, 0},
        {"1kbs", -EINVAL, 0},
        {"1e6", -EINVAL, 0},
        {"0x10", -EINVAL, 0},
        {"k", -EINVAL, 0},
        {"abc", -EINVAL, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t value = 0;
        int status = weir_size_parse(cases[i].text, &value);

        if (status != cases[i].status || value != cases[i].value)
            fail_msg("\"%s\" gave %d and %" PRIu64, cases[i].text, status, value);
    }
}

static void integers_have_a_sign(void **state)
{
    int64_t value = 0;

    (void)state;
    assert_int_equal(weir_integer_parse("-5", &value), 0);
    assert_true(value == -5);
    assert_int_equal(weir_integer_parse("+1k", &value), 0);
    assert_true(value == 1024);
    assert_int_equal(weir_integer_parse("-2m", &value), 0);
    assert_true(value == -2 * (int64_t)MIB);
    assert_int_equal(weir_integer_parse("--5", &value), -EINVAL);
    assert_int_equal(weir_integer_parse("-", &value), -EINVAL);
    assert_int_equal(weir_integer_parse("-9223372036854775808", &value), -ERANGE);
    assert_true(value == -2 * (int64_t)MIB);
}

struct time_case {
    const char *text;
    uint64_t unit_ns;
    int status;
    uint64_t value_ns;
};

static void check_times(int (*parse)(const char *text, uint64_t unit_ns, uint64_t *value_ns),
                        const struct time_case cases[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value_ns = 0;
        int status = parse(cases[i].text, cases[i].unit_ns, &value_ns);

        if (status != cases[i].status || value_ns != cases[i].value_ns)
            fail_msg("\"%s\" gave %d and %" PRIu64, cases[i].text, status, value_ns);
    }
}

static void durations_are_exact_decimals_of_their_unit(void **state)
{
    static const struct time_case cases[] = {
        {"0", 1000000000, 0, 0},
        {"0.1", 1000000000, 0, 100000000},
        {"30", 1000000000, 0, UINT64_C(30000000000)},
        {"1.000000001", 1000000000, 0, 1000000001},
        {"0.5", 1000, 0, 500},
        {"0.5", UINT64_C(60000000000), 0, UINT64_C(30000000000)},
        {"0.333333333333333333333", 1000000000, 0, 333333333},
        {"1s", 1000000000, -EINVAL, 0},
        {"-1", 1000000000, -EINVAL, 0},
        {"", 1000000000, -EINVAL, 0},
        {"1e3", 1000000000, -EINVAL, 0},
        {"10000000000", 1000000000, -ERANGE, 0},
    };

    (void)state;
    check_times(weir_duration_parse, cases, COUNT(cases));
}

static void times_of_options_may_have_a_unit(void **state)
{
    static const struct time_case cases[] = {
        {"2", 1000000000, 0, UINT64_C(2000000000)},
        {"2", UINT64_C(60000000000), 0, UINT64_C(120000000000)},
        {"1s", 1000000000, 0, 1000000000},
        {"1S", UINT64_C(60000000000), 0, 1000000000},
        {"1.5h", 1000, 0, UINT64_C(5400000000000)},
        {"5m", 1000000000, 0, UINT64_C(300000000000)},
        {"5min", 1000, 0, UINT64_C(300000000000)},
        {"250ms", 1000000000, 0, 250000000},
        {"20us", 1000000000, -EINVAL, 0},
        {"1k", 1000000000, -EINVAL, 0},
        {"1 s", 1000000000, -EINVAL, 0},
        {"s", 1000000000, -EINVAL, 0},
        {"-1s", 1000000000, -EINVAL, 0},
        {"1sec", 1000000000, -EINVAL, 0},
        {"", 1000000000, -EINVAL, 0},
        {"9999999h", 1000000000, -ERANGE, 0},
    };

    (void)state;
    check_times(weir_time_parse, cases, COUNT(cases));
}

static void sizes_are_told_as_ior_tells_them(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 bytes"},
        {65536, "65536 bytes"},
        {MIB - 1, "1048575 bytes"},
        {MIB, "1 MiB"},
        {MIB + MIB / 4, "1.25 MiB"},
        {GIB, "1 GiB"},
        {3 * GIB / 2, "1.50 GiB"},
        {2048 * GIB, "2 TiB"},
        {2048 * 1024 * GIB, "2048 TiB"},
    };
    char buffer[WEIR_SIZE_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(weir_size_format(cases[i].bytes, buffer), cases[i].text);
}

static void exact_sizes_are_read_back_unchanged(void **state)
{
    static const uint64_t sizes[] = {
        0, 1, 1000, 1024, 47008, 262144, MIB + 8, GIB, UINT64_C(1) << 62};
    char buffer[WEIR_SIZE_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint64_t value = 1;

        assert_int_equal(weir_size_parse(weir_size_format_exact(sizes[i], buffer), &value), 0);
        assert_true(value == sizes[i]);
    }
    assert_string_equal(weir_size_format_exact(262144, buffer), "256k");
    assert_string_equal(weir_size_format_exact(MIB, buffer), "1m");
    assert_string_equal(weir_size_format_exact(47008, buffer), "47008");
}

static void times_are_told_in_three_digits_and_a_unit(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0.0, "0 s"},         {-1.0, "0 s"},         {12e-9, "12.0 ns"},
                 {999.4e-9, "999 ns"}, {999.6e-9, "1.00 us"}, {8.98e-3, "8.98 ms"},
                 {0.051, "51.0 ms"},   {0.9999, "1.00 s"},    {12345.0, "12345 s"}};
    char buffer[WEIR_DURATION_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(weir_duration_format(cases[i].seconds, buffer), cases[i].text);
}

static void text_grows_and_is_always_a_string(void **state)
{
    struct weir_text text = {0};

    (void)state;
    assert_string_equal(weir_text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        weir_text_add(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    assert_int_equal(strlen(text.data), 2000);
    weir_text_add_bytes(&text, "abcdef", 3);
    assert_string_equal(text.data + 1998, "9,abc");
    weir_text_clear(&text);
    assert_string_equal(weir_text_string(&text), "");
    weir_text_add_bytes(&text, "", 0);
    assert_int_equal(text.length, 0);
    weir_text_close(&text);
    assert_null(text.data);
}

/* Nothing that others chose may end a line or steer a terminal, and no letter is lost. */
static void what_others_chose_is_made_visible(void **state)
{
    static const struct {
        const char *given;
        const char *shown;
    } cases[] = {
        {"", ""},
        {"plain name", "plain name"},
        {"a\nb\rc\td\x1b[31m\x7f", "a?b?c?d?[31m?"},
        {"a\xc2\x85"
         "b\xc2\x9b"
         "c",
         "a??b??c"}, /* U+0085, U+009B */
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9"
         "c",
         "a???b???c"}, /* U+2028, U+2029 */
        {"\x9b"
         "31m\xff\x9b",
         "?31m\xff?"},
        {"\xc3\x9c\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0",
         "\xc3\x9c\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0"},
        {"cut \xe2\x80", "cut \xe2\x80"},
    };
    char lines[] = "a\tb\nc\rd";

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_text text = {0};

        weir_text_add(&text, "name\n");
        weir_text_add_visible(&text, cases[i].given);
        assert_memory_equal(weir_text_string(&text), "name\n", 5);
        assert_string_equal(weir_text_string(&text) + 5, cases[i].shown);
        assert_int_equal(text.length, 5 + strlen(cases[i].shown));
        weir_text_close(&text);
    }
    weir_text_make_visible(lines, "\n\t");
    assert_string_equal(lines, "a\tb\nc?d");
}

static void the_last_name_of_a_path_is_cut_off(void **state)
{
    static const char *const rows[][2] = {
        {"a/b/c", "a/b"}, {"a/b", "a"}, {"a", "."}, {"/a", "/"}, {"./a", "."}, {"a/", "a"},
    };
    static const char *const tops[] = {"/", "."};
    char path[16];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(path, sizeof path, "%s", rows[i][0]);
        assert_true(weir_text_cut_name(path));
        assert_string_equal(path, rows[i][1]);
    }
    for (size_t i = 0; i < COUNT(tops); i++) {
        snprintf(path, sizeof path, "%s", tops[i]);
        assert_false(weir_text_cut_name(path));
        assert_string_equal(path, tops[i]);
    }
}

static void hashes_tell_texts_apart(void **state)
{
    (void)state;
    assert_true(weir_text_hash("abc", 3) == weir_text_hash("abcd", 3));
    assert_true(weir_text_hash("abc", 3) != weir_text_hash("abd", 3));
    assert_true(weir_text_hash("", 0) != weir_text_hash("\0", 1));
}

static void arena_memory_is_zero_aligned_and_apart(void **state)
{
    struct weir_arena arena = {0};
    unsigned char *pieces[200];

    (void)state;
    for (size_t i = 0; i < COUNT(pieces); i++) {
        size_t bytes = i * 37;

        pieces[i] = weir_arena_take(&arena, bytes);
        assert_true((uintptr_t)pieces[i] % _Alignof(max_align_t) == 0);
        for (size_t j = 0; j < bytes; j++)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)i, bytes);
    }
    for (size_t i = 1; i < COUNT(pieces); i++)
        assert_int_equal(pieces[i][i * 37 - 1], i);
    assert_null(weir_arena_copy(&arena, NULL));
    assert_string_equal(weir_arena_copy(&arena, "copy"), "copy");
    assert_string_equal(weir_arena_printf(&arena, "%s-%d", "x", 7), "x-7");
    weir_arena_close(&arena);
    assert_null(arena.newest);
}

static void the_first_error_wins(void **state)
{
    struct weir_error error = {0};

    (void)state;
    assert_int_equal(weir_error_usage(&error, "ior: -b", "size %d", 7), -EINVAL);
    assert_int_equal(weir_error_set(&error, WEIR_EXIT_ENVIRONMENT, -EIO, NULL, "later"), -EINVAL);
    assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    assert_string_equal(error.text, "ior: -b: size 7");
}

static void an_error_too_long_keeps_its_cause(void **state)
{
    struct weir_error error = {0};
    char path[4096];

    (void)state;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    memcpy(path, "/head/", 6);
    memcpy(path + sizeof path - 6, "/tail", 5);
    assert_int_equal(
        weir_error_set(&error, WEIR_EXIT_FLAWED, -EIO, "p", "open %s of %s: the cause", path, path),
        -EIO);
    assert_in_range(strlen(error.text), WEIR_ERROR_TEXT_BYTES - 3, WEIR_ERROR_TEXT_BYTES - 1);
    assert_memory_equal(error.text, "p: open /head/xx", 16);
    assert_non_null(strstr(error.text, "x...x"));
    assert_string_equal(error.text + strlen(error.text) - 16, "/tail: the cause");
}

static void words_are_shortened_and_characters_stay_whole(void **state)
{
    char path[400] = "at ", many[400] = "";

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        memcpy(path + 3 + 2 * (size_t)i, "\xc3\xa4", 2); /* a umlaut */
    memcpy(path + 203, ": cause", 8);
    for (size_t capacity = 64; capacity < 90; capacity++) {
        char text[400];
        const char *dots;

        memcpy(text, path, sizeof text);
        weir_text_shorten(text, capacity);
        dots = strstr(text, "...");
        assert_in_range(strlen(text), capacity - 4, capacity - 1);
        assert_non_null(dots);
        assert_string_equal(text + strlen(text) - 7, ": cause");
        /* Characters of two bytes on both sides. */
        assert_int_equal((dots - text - 3) % 2, 0);
        assert_int_equal((strlen(dots + 3) - 7) % 2, 0);
    }
    for (unsigned i = 0; i < 50; i++)
        memcpy(many + 5 * (size_t)i, "word ", 6);
    weir_text_shorten(many, 64);
    assert_int_equal(strlen(many), 63);
    assert_string_equal(many + 60, "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read_with_fractions_and_units),
        cmocka_unit_test(integers_have_a_sign),
        cmocka_unit_test(durations_are_exact_decimals_of_their_unit),
        cmocka_unit_test(times_of_options_may_have_a_unit),
        cmocka_unit_test(sizes_are_told_as_ior_tells_them),
        cmocka_unit_test(exact_sizes_are_read_back_unchanged),
        cmocka_unit_test(times_are_told_in_three_digits_and_a_unit),
        cmocka_unit_test(text_grows_and_is_always_a_string),
        cmocka_unit_test(what_others_chose_is_made_visible),
        cmocka_unit_test(the_last_name_of_a_path_is_cut_off),
        cmocka_unit_test(hashes_tell_texts_apart),
        cmocka_unit_test(arena_memory_is_zero_aligned_and_apart),
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(an_error_too_long_keeps_its_cause),
        cmocka_unit_test(words_are_shortened_and_characters_stay_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
