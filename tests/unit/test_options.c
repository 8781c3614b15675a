/* SPDX-License-Identifier: Apache-2.0 */
/* Option tables: every form of a value, every error, help and dumps. */
#include "weir/base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define WORDS_MAX 8

struct values {
    int64_t write, read, verbose, keep;
    int64_t transfer_bytes, count, seed;
    uint64_t pause_ns, deadline_ns, limit_ns;
    int64_t wait_ns;
    const char *path;
    const char *kind;
    const char *animal;
};

#define AT(member) WEIR_OPTION_AT(struct values, member)

static const struct weir_option rows[] = {
    {'w', "writeFile", WEIR_OPTION_FLAG, AT(write), .help = "write"},
    {'r', NULL, WEIR_OPTION_FLAG, AT(read), .help = "read"},
    {'v', "verbose", WEIR_OPTION_FLAG, AT(verbose), .help = "say more"},
    {'k', "keepFile", WEIR_OPTION_FLAG, AT(keep), .help = "keep"},
    {'t', "transferSize", WEIR_OPTION_SIZE, AT(transfer_bytes), "256k", .help = "bytes"},
    {'s', "segmentCount", WEIR_OPTION_COUNT, AT(count), "1", .help = "segments"},
    {'X', "seed", WEIR_OPTION_INTEGER, AT(seed), "-1", .help = "seed"},
    {0, "pause", WEIR_OPTION_MICROSECONDS, AT(pause_ns), .help = "pause"},
    {'D', "deadline", WEIR_OPTION_SECONDS, AT(deadline_ns), .help = "deadline"},
    {0, "wait", WEIR_OPTION_DELAY, AT(wait_ns), .help = "wait"},
    {'T', "limit", WEIR_OPTION_MINUTES, AT(limit_ns), .help = "limit"},
    {'o', "testFile", WEIR_OPTION_TEXT, AT(path), "file", .help = "path"},
    {'l', "kind", WEIR_OPTION_CHOICE, AT(kind), "time", "offset|time|random|rain", .help = "kind"},
    {0, "animal", WEIR_OPTION_CHOICE, AT(animal), "cat", "cat|dog|...", .help = "animal"},
    {'O', NULL, WEIR_OPTION_DIRECTIVES, .help = "directives"},
    {'M', "memory", WEIR_OPTION_SIZE, .refusal = "refused: not built; use -C"},
    {'y', NULL, WEIR_OPTION_FLAG, .refusal = "refused: not built; use -o"},
    {0, "far.*", WEIR_OPTION_TEXT, .refusal = "far away"},
    {'q', "quiet", WEIR_OPTION_TEXT, .refusal = "far away"},
    {0, "alignment", WEIR_OPTION_SIZE, .standard = "1", .refusal = "far away"},
    {0},
};
static const struct weir_option_set set = {"TEST", rows, sizeof(struct values)};

static const struct weir_foreign_word foreign_words[] = {
    {"bs|record", "-t SIZE"}, {"n|np", "a launcher"}, {0}};

struct extra {
    int64_t direct;
    int64_t near;
};
static const struct weir_option extra_rows[] = {
    {0, "x.direct", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct extra, direct), .help = "direct"},
    {0, "far.but.here", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct extra, near), .help = "near"},
    {0},
};
static const struct weir_option_set extra_set = {"X", extra_rows, sizeof(struct extra)};
static const struct weir_option_set empty_set = {"EMPTY", NULL, 0};

/* One parser over four tables, two of them alike, as backends can be. */
struct fixture {
    struct weir_arena arena;
    struct values values;
    struct extra extras[2];
    struct weir_option_binding bindings[4];
    struct weir_option_parser parser;
    struct weir_error error;
};

static void open_fixture(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    fixture->bindings[0] = (struct weir_option_binding){&set, &fixture->values};
    fixture->bindings[1] = (struct weir_option_binding){&empty_set, NULL};
    fixture->bindings[2] = (struct weir_option_binding){&extra_set, &fixture->extras[0]};
    fixture->bindings[3] = (struct weir_option_binding){&extra_set, &fixture->extras[1]};
    fixture->parser = (struct weir_option_parser){.place = "ior",
                                                  .arena = &fixture->arena,
                                                  .bindings = fixture->bindings,
                                                  .binding_count = 4,
                                                  .foreign = foreign_words};
    weir_options_reset(&fixture->parser);
}

static int parse(struct fixture *fixture, const char *const words[WORDS_MAX])
{
    int count = 0;

    while (count < WORDS_MAX && words[count])
        count++;
    return weir_options_parse(&fixture->parser, count, words, &fixture->error);
}

/* Value of the row with this letter or name, as a user would write it. */
static const char *value_of(struct fixture *fixture, const char *key)
{
    struct weir_text text = {0};
    const char *value;

    for (const struct weir_option *row = rows; row->letter || row->name; row++) {
        bool is_letter = strlen(key) == 1 && row->letter == key[0];

        if (is_letter || (row->name && strcmp(row->name, key) == 0))
            weir_options_value(&text, row, &fixture->values);
    }
    value = weir_arena_copy(&fixture->arena, weir_text_string(&text));
    weir_text_close(&text);
    return value;
}

static void defaults_are_set_and_are_no_change(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    assert_true(fixture.values.transfer_bytes == 262144);
    assert_true(fixture.values.seed == -1);
    assert_string_equal(fixture.values.path, "file");
    assert_string_equal(fixture.values.kind, "time");
    for (const struct weir_option *row = rows; row->letter || row->name; row++)
        assert_false(weir_options_is_changed(row, &fixture.values));
    weir_arena_close(&fixture.arena);
}

static const struct {
    const char *words[WORDS_MAX];
    const char *key;
    const char *value;
} forms[] = {
    {{"-t", "1m"}, "t", "1m"},
    {{"-t=1m"}, "t", "1m"},
    {{"-t1m"}, "t", "1m"},
    {{"--transferSize", "1m"}, "t", "1m"},
    {{"--transferSize=1m"}, "t", "1m"},
    {{"--TRANSFERSIZE=1m"}, "t", "1m"},
    {{"-wrt", "4k"}, "t", "4k"},
    {{"-vvt4k"}, "t", "4k"},
    {{"-vvt=4k"}, "v", "2"},
    {{"-v", "-v"}, "v", "2"},
    {{"-vvv"}, "v", "3"},
    {{"-v=3"}, "v", "3"},
    {{"-v", "-v=0"}, "v", "0"},
    {{"-wv=2"}, "v", "2"},
    {{"-k=0"}, "k", "0"},
    {{"-k=-1"}, "k", "0"},
    {{"-t", " 1m\t"}, "t", "1m"},
    {{"-O", "transferSize= 1m ,verbose=1"}, "t", "1m"},
    {{"--wait", "-0.25"}, "wait", "-0.25"},
    {{"--wait=-2"}, "wait", "-2"},
    {{"--wait=1.5"}, "wait", "1.5"},
    {{"--verbose"}, "v", "1"},
    {{"--verbose=4"}, "v", "4"},
    {{"-X", "-5"}, "X", "-5"},
    {{"-X-5"}, "X", "-5"},
    {{"-X=-5"}, "X", "-5"},
    {{"-o/tmp/time"}, "o", "/tmp/time"},
    {{"-o=-dash"}, "o", "-dash"},
    {{"-o", "a=b"}, "o", "a=b"},
    {{"--testFile=a=b"}, "o", "a=b"},
    {{"-D", "0.1"}, "D", "0.1"},
    {{"-T", "0.5"}, "T", "0.5"},
    {{"--pause", "1.5"}, "pause", "1.5"},
    {{"-s", "1k"}, "s", "1024"},
    {{"-l", "o"}, "l", "offset"},
    {{"-lO"}, "l", "offset"},
    {{"-l", "ran"}, "l", "random"},
    {{"-l", "RAIN"}, "l", "rain"},
    {{"--animal", "dog"}, "animal", "dog"},
    {{"--animal=cow"}, "animal", "cat"},
    {{"--animal=D"}, "animal", "dog"},
    {{"-O", "verbose=2,keepFile=1,"}, "k", "1"},
    {{"-O", "verbose=2,keepFile=1, "}, "k", "1"},
    {{"-t", "1m", "-t", "2m"}, "t", "2m"},
    {{"-O", "transferSize=8"}, "t", "8"},
    {{"-O", "seed=-3,transferSize=8"}, "X", "-3"},
    {{"-O=seed=4"}, "X", "4"},
    {{"-Oseed=4"}, "X", "4"},
    {{"-O", " TRANSFERsize = 1m # of data"}, "t", "1m"},
    {{"-O", "verbose=2,#nothing,keepFile=1"}, "k", "1"},
    {{"-O", "-X=5"}, "X", "5"},
    {{"-O", "X=5"}, "X", "5"},
    {{"-O", "--seed=5"}, "X", "5"},
};

static void every_form_of_a_value_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct fixture fixture;

        open_fixture(&fixture);
        if (parse(&fixture, forms[i].words))
            fail_msg("%s: %s", forms[i].words[0], fixture.error.text);
        assert_string_equal(value_of(&fixture, forms[i].key), forms[i].value);
        weir_arena_close(&fixture.arena);
    }
}

static void the_letters_of_a_value_are_not_options(void **state)
{
    static const char *const words[WORDS_MAX] = {"-o/wrkv", "-t1k"};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    assert_int_equal(parse(&fixture, words), 0);
    assert_true(fixture.values.write + fixture.values.read + fixture.values.keep +
                    fixture.values.verbose ==
                0);
    weir_arena_close(&fixture.arena);
}

static void a_name_reaches_every_table_that_has_it(void **state)
{
    static const char *const words[WORDS_MAX] = {"--x.direct", "--x.direct"};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    assert_int_equal(parse(&fixture, words), 0);
    assert_true(fixture.extras[0].direct == 2 && fixture.extras[1].direct == 2);
    assert_int_equal(weir_options_assign(&fixture.parser, "here", "x.DIRECT", "1", &fixture.error),
                     0);
    assert_true(fixture.extras[0].direct == 1 && fixture.extras[1].direct == 1);
    assert_true(weir_options_is_changed(extra_rows, &fixture.extras[1]));
    weir_arena_close(&fixture.arena);
}

static const struct {
    const char *words[WORDS_MAX];
    const char *text;
} erroneous_words[] = {
    {{"file"}, "ior: \"file\" is not an option; options begin with -"},
    {{""}, "ior: \"\" is not an option; options begin with -"},
    {{"-"}, "ior: \"-\" is an option without a name"},
    {{"--"}, "ior: \"--\" is an option without a name"},
    {{"-j"}, "ior: -j: unknown option"},
    {{"-wj"}, "ior: -j: unknown option"},
    {{"--far.away", "1"}, "ior: --far.away: far away"},
    {{"--far.away=1"}, "ior: --far.away: far away"},
    {{"-O", "FAR.x=1"}, "ior: -O: FAR.x: far away"},
    {{"--far."}, "ior: --far.: unknown option (did you mean --far.but.here?)"},
    {{"--animal=eel"}, "ior: --animal: \"eel\" is not one of cat|dog"},
    {{"--animal=..."}, "ior: --animal: \"...\" is not one of cat|dog"},
    {{"-O", ","}, "ior: -O: a key=value is missing (is there a comma too many?)"},
    {{"-O", "keepFile=1,,"}, "ior: -O: a key=value is missing (is there a comma too many?)"},
    {{"--transfersize1"}, "ior: --transfersize1: unknown option (did you mean --transferSize?)"},
    {{"--BS", "4k"}, "ior: --BS: unknown option: use -t SIZE"},
    {{"--b", "4k"}, "ior: --b: unknown option"},
    {{"-w", "-w", "4"}, "ior: \"4\" is not an option; options begin with -"},
    {{"--np", "4"}, "ior: --np: unknown option: use a launcher"},
    {{"-O", "record=4k"}, "ior: -O: unknown key \"record\": use -t SIZE"},
    {{"---"}, "ior: \"---\" is an option without a name"},
    {{"--transfersise=1m"}, "ior: --transfersise: unknown option (did you mean --transferSize?)"},
    {{"--nothinglikeit"}, "ior: --nothinglikeit: unknown option"},
    {{"-t"}, "ior: -t: value is missing"},
    {{"--transferSize"}, "ior: --transferSize: value is missing"},
    {{"-t", "-w"}, "ior: -t: value is missing (the next word, -w, is an option)"},
    {{"-O", "-w"}, "ior: -O: value is missing (the next word, -w, is an option)"},
    {{"-o", "-dash"}, "ior: -o: value is missing (the next word, -dash, is an option)"},
    {{"-t="}, "ior: -t: value is empty"},
    {{"-t", ""}, "ior: -t: value is empty"},
    {{"--x.direct="}, "ior: --x.direct: value is empty"},
    {{"-k="}, "ior: -k: value is empty"},
    {{"-O", "keepFile="}, "ior: -O: keepFile: value is empty"},
    {{"-t", "abc"},
     "ior: -t: \"abc\" is not a size (whole bytes, or a number with k, m, g, t or p behind "
     "it)"},
    {{"-t", "-1"},
     "ior: -t: \"-1\" is not a size (whole bytes, or a number with k, m, g, t or p behind it)"},
    {{"-t", "9000p"}, "ior: -t: 9000p is out of range"},
    {{"-s", "1.5"}, "ior: -s: \"1.5\" is not a count (a whole number, 0 or more)"},
    {{"-X", "two"}, "ior: -X: \"two\" is not a whole number"},
    {{"-k=yes"}, "ior: -k: \"yes\" is not a flag's count (nothing, or =0, =1, ...)"},
    {{"--wait=soon"},
     "ior: --wait: \"soon\" is not a time: seconds, or a number with ms, s, m or h behind it"},
    {{"--wait=--1"},
     "ior: --wait: \"--1\" is not a time: seconds, or a number with ms, s, m or h behind it"},
    {{"--far.other"}, "ior: --far.other: far away"},
    {{"-D", "-1"},
     "ior: -D: \"-1\" is not a time (0 or more): seconds, or a number with ms, s, m or h behind "
     "it"},
    {{"-T", "1d"},
     "ior: -T: \"1d\" is not a time (0 or more): minutes, or a number with ms, s, m or h behind "
     "it"},
    {{"--pause=x"},
     "ior: --pause: \"x\" is not a time (0 or more): microseconds, or a number with ms, s, m or h "
     "behind it"},
    {{"-l", "x"}, "ior: -l: \"x\" is not one of offset|time|random|rain"},
    {{"-l", "ra"}, "ior: -l: \"ra\" is not one of offset|time|random|rain"},
    {{"-M", "1g"}, "ior: -M: refused: not built; use -C"},
    {{"-M"}, "ior: -M: refused: not built; use -C"},
    {{"-wy"}, "ior: -y: refused: not built; use -o"},
    {{"-O", "memory=1"}, "ior: -O: memory: refused: not built; use -C"},
    {{"-M", "x"}, "ior: -M: refused: not built; use -C"},
    {{"-M", "0", "-y=1"}, "ior: -y: refused: not built; use -o"},
    {{"-M", "-w"}, "ior: -M: refused: not built; use -C"},
    {{"-q", "1"}, "ior: -q: far away"},
    {{"-l", "-w"},
     "ior: -l: value is missing (the next word, -w, is an option); there are "
     "offset|time|random|rain"},
    {{"-l"}, "ior: -l: value is missing; there are offset|time|random|rain"},
    {{"-O", "foo=1"}, "ior: -O: unknown key \"foo\""},
    {{"-O", "transfersise=1"},
     "ior: -O: unknown key \"transfersise\" (did you mean transferSize?)"},
    {{"-O", "keepFile"}, "ior: -O: \"keepFile\" is not key=value"},
    {{"-O", "=1"}, "ior: -O: \"=1\" is not key=value"},
    {{"-O", "keepFile # = 1"}, "ior: -O: \"keepFile\" is not key=value"},
    {{"-O", "keepFile=1,,seed=2"}, "ior: -O: a key=value is missing (is there a comma too many?)"},
    {{"-O", "seed=x"}, "ior: -O: seed: \"x\" is not a whole number"},
    {{"-O", "O=seed=1"}, "ior: -O: unknown key \"O\""},
    {{"-O", "-=1"}, "ior: -O: unknown key \"-\""},
};

static void a_family_leaves_names_to_those_that_have_a_row(void **state)
{
    static const char *const words[WORDS_MAX] = {"--far.but.here", "-O", "FAR.but.here=1"};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    if (parse(&fixture, words))
        fail_msg("%s", fixture.error.text);
    assert_true(fixture.extras[0].near == 1 && fixture.extras[1].near == 1);
    weir_arena_close(&fixture.arena);
}

static void what_is_refused_may_have_the_value_that_asks_for_nothing(void **state)
{
    static const char *const words[WORDS_MAX] = {
        "-M", "0", "-M0", "--memory=0k", "-y=0", "-O", "memory=0,y=0,alignment=1", "-w"};
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    if (parse(&fixture, words))
        fail_msg("%s", fixture.error.text);
    assert_string_equal(value_of(&fixture, "w"), "1");
    assert_int_equal(weir_options_assign(&fixture.parser, "here", "alignment", "0", &fixture.error),
                     -EINVAL);
    assert_string_equal(fixture.error.text, "here: alignment: far away");
    weir_arena_close(&fixture.arena);
}

static void errors_name_the_place_and_the_way_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(erroneous_words); i++) {
        struct fixture fixture;

        open_fixture(&fixture);
        assert_int_equal(parse(&fixture, erroneous_words[i].words), -EINVAL);
        assert_string_equal(fixture.error.text, erroneous_words[i].text);
        assert_int_equal(fixture.error.exit, WEIR_EXIT_USAGE);
        weir_arena_close(&fixture.arena);
    }
}

static void a_directive_names_where_it_stands(void **state)
{
    struct fixture fixture;

    (void)state;
    open_fixture(&fixture);
    assert_int_equal(
        weir_options_assign_list(&fixture.parser, "ior: job.ior:12", "foo=1", &fixture.error),
        -EINVAL);
    assert_string_equal(fixture.error.text, "ior: job.ior:12: unknown key \"foo\"");
    weir_arena_close(&fixture.arena);
}

static void values_are_written_so_that_they_can_be_read_again(void **state)
{
    static const uint64_t durations_ns[] = {
        0, 1, 999, 1000, 1500, 16666666667, 1000000000, 60000000000, UINT64_C(86400000000001)};

    (void)state;
    for (size_t i = 0; i < COUNT(durations_ns); i++) {
        struct fixture fixture;

        open_fixture(&fixture);
        for (const struct weir_option *row = rows; row->letter || row->name; row++) {
            uint64_t *slot = (uint64_t *)(void *)((char *)&fixture.values + row->offset);

            if (row->type != WEIR_OPTION_MICROSECONDS && row->type != WEIR_OPTION_SECONDS &&
                row->type != WEIR_OPTION_MINUTES)
                continue;
            *slot = durations_ns[i];
            assert_int_equal(weir_options_assign(&fixture.parser, "here", row->name,
                                                 value_of(&fixture, row->name), &fixture.error),
                             0);
            assert_true(*slot == durations_ns[i]);
        }
        weir_arena_close(&fixture.arena);
    }
}

static void help_shows_flags_options_with_defaults_and_refusals(void **state)
{
    struct weir_text text = {0};
    const char *flags, *options, *refused;

    (void)state;
    weir_options_help(&text, &set);
    flags = strstr(weir_text_string(&text), "\nFlags\n");
    options = strstr(weir_text_string(&text), "\nOptional arguments\n");
    refused = strstr(weir_text_string(&text), "\nKnown, but refused\n");
    assert_true(flags && options && refused && flags < options && options < refused);
    assert_non_null(strstr(flags, "  -w, --writeFile "));
    assert_non_null(strstr(options, "  -t, --transferSize=256k "));
    assert_non_null(strstr(options, "  --pause=0 "));
    assert_non_null(strstr(options, "[offset|time|random|rain]"));
    assert_string_equal(refused, "\nKnown, but refused\n"
                                 "  -M, --memory\n      refused: not built; use -C\n"
                                 "  -y\n      refused: not built; use -o\n"
                                 "  --far.*, -q, --quiet, --alignment\n      far away\n");
    weir_text_clear(&text);
    weir_options_help(&text, &empty_set);
    assert_int_equal(text.length, 0);
    weir_text_close(&text);
}

/* ---- members of other sizes, and bounds ---- */

struct typed {
    bool flag;
    int integer;
    unsigned count;
    enum { RED, GREEN, BLUE } colour;
    int shape;
};

#define TYPED(member) WEIR_OPTION_AT(struct typed, member)
static const struct weir_option typed_rows[] = {
    {0, "flag", WEIR_OPTION_FLAG, TYPED(flag), .help = "flag"},
    {0, "integer", WEIR_OPTION_INTEGER, TYPED(integer), "-1", .help = "integer", .least = -2,
     .most = 9},
    {0, "count", WEIR_OPTION_COUNT, TYPED(count), .help = "count"},
    {0, "colour", WEIR_OPTION_CHOICE, TYPED(colour), "green", "red|green|blue", .help = "colour"},
    {0, "shape", WEIR_OPTION_CHOICE, TYPED(shape), NULL, "round|square", .help = "shape"},
    {0},
};
static const struct weir_option_set typed_set = {"T", typed_rows, sizeof(struct typed)};

static void options_fill_members_of_their_own_size_and_keep_their_bounds(void **state)
{
    static const char *const bad[][2] = {
        {"integer=-3", "integer: -3 is not between -2 and 9"},
        {"integer=10", "integer: 10 is not between -2 and 9"},
        {"count=4g", "count: 4g is not between 0 and 2147483647"},
        {"colour=pink", "colour: \"pink\" is not one of red|green|blue"},
    };
    static const char *const names[] = {"flag", "shape", NULL};
    struct typed values;
    struct weir_arena arena = {0};
    struct weir_option_binding binding = {&typed_set, &values};
    const struct weir_option_parser parser = {
        .place = "test", .arena = &arena, .bindings = &binding, .binding_count = 1};
    struct weir_text text = {0};
    struct weir_error error = {0};

    (void)state;
    weir_options_reset(&parser);
    assert_true(!values.flag && values.integer == -1 && values.count == 0);
    assert_true(values.colour == GREEN && values.shape == -1);
    assert_null(weir_options_find_changed(typed_rows, &values, names));
    assert_int_equal(weir_options_assign_list(&parser, "test",
                                              "flag=2,integer=-2,count=2147483647,colour=b,shape=s",
                                              &error),
                     0);
    assert_true(values.flag && values.integer == -2 && values.count == 2147483647);
    assert_true(values.colour == BLUE && values.shape == 1);
    assert_string_equal(weir_options_find_changed(typed_rows, &values, names), "flag");
    for (const struct weir_option *row = typed_rows; row->name; row++) {
        assert_true(weir_options_is_changed(row, &values));
        weir_options_value(&text, row, &values);
        weir_text_add(&text, " ");
    }
    assert_string_equal(weir_text_string(&text), "1 -2 2147483647 blue square ");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (struct weir_error){0};
        assert_true(weir_options_assign_list(&parser, "test", bad[i][0], &error) != 0);
        assert_non_null(strstr(error.text, bad[i][1]));
    }
    weir_text_close(&text);
    weir_arena_close(&arena);
}

/* A row of one table hides that of another; what is given again is added. */
static void a_final_row_keeps_its_value_and_a_list_grows(void **state)
{
    static const struct weir_option near_rows[] = {
        {'g', "group", WEIR_OPTION_TEXT, 0, sizeof(char *), .help = "groups", .is_list = true},
        {0, "on-error", WEIR_OPTION_TEXT, sizeof(char *), sizeof(char *), .help = "policy",
         .is_final = true},
        {0},
    };
    static const struct weir_option far_rows[] = {
        {0, "on-error", WEIR_OPTION_CHOICE, 0, sizeof(char *), "stop", "stop|continue",
         .help = "policy"},
        {0},
    };
    static const struct weir_option_set sets[] = {{"near", near_rows, 2 * sizeof(char *)},
                                                  {"far", far_rows, sizeof(char *)}};
    const char *near_values[2] = {NULL, NULL}, *far_values[1] = {NULL};
    const struct weir_option_binding bindings[] = {{&sets[0], near_values}, {&sets[1], far_values}};
    struct weir_arena arena = {0};
    struct weir_error error = {0};
    const struct weir_option_parser parser = {
        .place = "test", .arena = &arena, .bindings = bindings, .binding_count = 2};

    weir_options_reset(&parser);
    assert_int_equal(
        weir_options_parse(&parser, 5,
                           (const char *const[]){"-ga:1", "--group", "b:2", "--on-error=7", "-g=c"},
                           &error),
        0);
    assert_string_equal(near_values[0], "a:1\nb:2\nc");
    assert_string_equal(near_values[1], "7");
    assert_string_equal(far_values[0], "stop");
    weir_arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_set_and_are_no_change),
        cmocka_unit_test(every_form_of_a_value_is_understood),
        cmocka_unit_test(the_letters_of_a_value_are_not_options),
        cmocka_unit_test(a_name_reaches_every_table_that_has_it),
        cmocka_unit_test(a_family_leaves_names_to_those_that_have_a_row),
        cmocka_unit_test(what_is_refused_may_have_the_value_that_asks_for_nothing),
        cmocka_unit_test(errors_name_the_place_and_the_way_out),
        cmocka_unit_test(a_directive_names_where_it_stands),
        cmocka_unit_test(values_are_written_so_that_they_can_be_read_again),
        cmocka_unit_test(help_shows_flags_options_with_defaults_and_refusals),
        cmocka_unit_test(options_fill_members_of_their_own_size_and_keep_their_bounds),
        cmocka_unit_test(a_final_row_keeps_its_value_and_a_list_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
