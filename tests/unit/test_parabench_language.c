/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in Parabench's language: what is refused, at which place and why; and what is taken. */
#include "front/parabench/language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A program on its way. */
struct bed {
    struct weir_plan *plan;
    struct weir_program program;
    struct weir_error error;
    const struct weir_test *test;
};

static const struct weir_pbl_group_size sizes[] = {{"one", 1}, {"two", 2}, {"three", 3}};

static int compile(struct bed *bed, const char *text)
{
    const struct weir_pbl_job job = {
        .path = "x.pbl", .text = text, .sizes = sizes, .size_count = 3};
    struct weir_lowering lowering = {.place = "parabench", .error = &bed->error};

    *bed = (struct bed){.plan = weir_plan_open("parabench", 0, NULL)};
    lowering.plan = bed->plan;
    lowering.test = weir_plan_add_test(bed->plan);
    bed->test = lowering.test;
    return weir_pbl_compile(&lowering, &job, &bed->program);
}

static void take(struct bed *bed, const char *text)
{
    if (compile(bed, text))
        fail_msg("%s\nof %s", bed->error.text, text);
}

#define GROUPS "define groups {\"one\":S, \"two\":S, \"three\"};\n"
#define PATTERNS                                                                                   \
    "define pattern {\"all\", 1, 1, 1, 0};\ndefine pattern {\"of two\", 1, 1, 1, 0, \"two\"};\n"

static const struct refused {
    const char *text;
    const char *place;  /* LINE:COLUMN */
    const char *reason; /* a part of the sentence */
} refused_programs[] = {
    /* words and signs */
    {"wriet(\"a\", 1);", "1:1", "unknown word \"wriet\" (did you mean write?)"},
    {"print 1;\n  zzzzz;", "2:3", "unknown word \"zzzzz\""},
    {"print 1;\r@;\r\n", "1:10", "no meaning"},
    {"print 1 @ 2;", "1:9", "no meaning"},
    {"print \"\xc3\xa4\xc3\xa4\", x;", "1:13", "the word x"},
    {"print \"abc;\nprint 1;", "1:7", "missing"},
    {"print 1; /* never ends", "1:10", "missing"},
    {"print 9223372036854775808;", "1:7", "2^63"},
    {"print 8t * 1 + 9000000000g;", "1:16", "2^63"},
    {"print 1.5;", "1:7", "whole"},
    {"$ = 1;", "1:1", "name"},
    {"else print 1;", "1:1", "no if"},
    {"print 1", "1:8", "; is missing"},
    {"print 1\nprint 2;", "1:8", "; is missing"},
    {"write(\"a\", 1", "1:13", ") is missing"},
    {"repeat $i 2 {\nprint 1;", "1:13", "} of this block"},
    {"repeat $i 2", "1:12", "missing"},
    {"print 1; }", "1:10", "a statement is expected"},
    {"{ print 1; }", "1:1", "a block"},
    {"print 1;\ndefine param \"a\" $a \"1\";", "2:1", "before the first statement, in line 1"},
    {"print 1; time define param \"a\" $a \"1\";", "1:15", "in line 1"},
    {"\ntime define param \"a\" $a \"1\";", "2:6", "in line 2"},
    {"define thing;", "1:8", "param, groups or pattern"},
    {"define param \"a\" a \"1\";", "1:18", "variable"},
    {"define param \"a\" $a;", "1:20", "value"},
    {"define param \"a\" $a \"1\"; define param \"b\" $a \"1\";", "1:43", "already"},
    /* expressions */
    {"$x = 1 / 0;", "1:8", "division by zero"},
    {"$x = 1;\n$y = $x % 0;", "2:9", "division by zero"},
    {"$x = 9223372036854775807 + 1;", "1:26", "64 bits"},
    {"$x = 10 ^ 19;", "1:9", "64 bits"},
    {"$x = ;", "1:6", "missing"},
    {"$x = (1;", "1:8", ") is missing"},
    {"$x = $$sise;", "1:6", "did you mean $$size?"},
    {"$x = \"$$sise\";", "1:6", "sise"},
    {"$x = \"$$env(NOT_SET_ANYWHERE)\";", "1:6", "NOT_SET_ANYWHERE"},
    {"$x = $$env;", "1:6", "inside of texts"},
    {"sleep 60s;", "1:7", "repeat"},
    {"if ($$rank = 1) print 1;", "1:12", "== compares"},
    {"if $$rank print 1;", "1:3", "( is missing"},
    /* variables */
    {"print $x;", "1:7", "$x is not set"},
    {"print \"a$x\";", "1:7", "$x is not set"},
    {"$count = 1; print $cuont;", "1:19", "did you mean $count?"},
    {"$x = $x + 1;", "1:6", "$x is not set"},
    {"repeat $i 2 print $i;\nprint $i;", "2:7", "the loop of line 1"},
    {"$i = 1; repeat $i 2 print $i;\nprint $i;", "2:7", "the loop of line 1"},
    {"repeat $i 2 print $x;\n$x = 1;", "1:19", "$x is not set"},
    {"repeat $i 2 { print $lats; $last = 1; }", "1:21", "did you mean $last?"},
    {"repeat $i 2 { print $k; repeat $k 2 print 1; }", "1:21", "the loop of line 1"},
    {"repeat $i 2 { fclose($f); $f = 1; }", "1:22", "opens a file in $f"},
    {"repeat $i 2 { if ($i) fclose($f); print $g; }\n$f = fcreat(\"a\");", "1:30", "$f"},
    /* loops and waits */
    {"repeat 5m print 1;", "1:8", "60s"},
    {"repeat $i -1 print 1;", "1:11", "-1 rounds"},
    {"repeat $i 2-3 print 1;", "1:11", "-1 rounds"},
    {"repeat $i \"3\" print 1;", "1:11", "rounds"},
    {"repeat 0s print 1;", "1:8", "no time"},
    {"sleep -1;", "1:7", "negative"},
    {"sleep 9223372036854775807;", "1:7", "292 years"},
    {"\nrepeat $i 2 sleep(9223372036854776);", "2:19", "292 years"},
    {"sleep \"9g9\";", "1:7", "none"},
    {"sleep;", "1:1", "0 arguments"},
    /* calls */
    {"write(\"a\");", "1:1", "1 argument; write(name, size"},
    {"stat(\"a\", 1);", "1:1", "2 arguments; stat(name)"},
    {"write(4, 4);", "1:7", "name of a file"},
    {"stat($$rank);", "1:6", "name of a file"},
    {"stat(\"\");", "1:6", "empty"},
    {"write(\"a\", -1);", "1:12", "-1"},
    {"write(\"a\", \"b\");", "1:12", "\"b\" is none"},
    {"read(\"a\", -2);", "1:11", "-1 or more"},
    {"write(\"a\", 1, -2);", "1:15", "-1 or more"},
    {"fopen(\"a\", \"r\");", "1:1", "$f = fopen"},
    {"$x = stat(\"a\");", "1:6", "gives nothing"},
    {"$x = 1; fclose($x);", "1:16", "opens a file in $x"},
    {"fclose(\"a\");", "1:8", "open file"},
    {"$f = fopen(\"a\", \"rw\");", "1:17", "r, w, a, r+, w+, a+"},
    {"$f = fopen(\"a\", \"O_RDWR|O_CREATE\");", "1:17", "O_CREAT"},
    {"$m = \"r\"; $f = fopen(\"a\", \"$m\");", "1:27", "without variables"},
    {"$f = fcreat(\"a\"); fseek($f, 0, 3);", "1:32", "SEEK_END"},
    /* groups */
    {"group \"none\" print 1;", "1:7", "no group \"none\""},
    {GROUPS "group \"threee\" print 1;", "2:7", "did you mean \"three\"?"},
    {"barrier(\"none\");", "1:9", "no group \"none\""},
    {GROUPS "$g = \"one\"; group \"$g\" print 1;", "2:19", "no variables"},
    {"define groups {\"a\", \"b\":S, \"a\":D};", "1:28", "twice, first in line 1"},
    {"define groups {\"a\":X};", "1:20", "S or D"},
    {"define groups {\"a\":D /};", "1:23", "missing"},
    {"define groups {\"a\":D -1};", "1:22", "negative"},
    {"define groups {\"world\"};", "1:16", "all ranks"},
    {GROUPS GROUPS, "2:1", "line 1"},
    {"master barrier;", "1:8", "wait for ever"},
    {"master { repeat $i 2 { barrier; } }", "1:24", "wait for ever"},
    {GROUPS "group \"two\" master barrier;", "2:20", "\"two\""},
    {GROUPS "master barrier(\"two\");", "2:8", "\"two\""},
    {GROUPS "group \"one\" master barrier(\"world\");", "2:20", "wait for ever"},
    {PATTERNS, "2:39", "no group \"two\""},
    {GROUPS PATTERNS "master pwrite(\"f\", \"all\");", "4:8", "wait for ever"},
    /* patterns */
    {"pwrite(\"f\", \"none\");", "1:13", "no pattern \"none\""},
    {GROUPS PATTERNS "pwrite(\"f\", \"al\");", "4:13", "no pattern \"al\""},
    {GROUPS PATTERNS "pwrite(\"f\", \"of two\");", "4:13", "\"world\""},
    {GROUPS PATTERNS "group \"two\" pwrite(\"f\", \"all\");", "4:25", "\"two\""},
    {"define pattern {\"p\", 3, 1, 1, 0};", "1:22", "1 to 2"},
    {"define pattern {\"p\", 1, 0, 1, 0};", "1:25", "1 or more"},
    {"define pattern {\"p\", 1, 1, 0, 0};", "1:28", "1 or more"},
    {"define pattern {\"p\", 1, 1, 1, 4};", "1:31", "0 to 3"},
    {"define pattern {\"p\", 1, 8g, 1g, 0};", "1:17", "2^63"},
    {"define pattern {\"p\", 1, $$size, 1, 0};", "1:25", "known now"},
    {"define pattern {\"p\", 1, 1, 1, 0};\ndefine pattern {\"p\", 1, 1, 1, 0};", "2:17", "line 1"},
};

static void programs_are_refused_at_their_place(void **state)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < sizeof refused_programs / sizeof *refused_programs; i++) {
        const struct refused *refused = &refused_programs[i];
        struct bed bed;
        char place[64];

        snprintf(place, sizeof place, "parabench: x.pbl:%s: ", refused->place);
        if (!compile(&bed, refused->text) || bed.error.exit != WEIR_EXIT_USAGE ||
            strncmp(bed.error.text, place, strlen(place)) != 0 ||
            strstr(bed.error.text, refused->reason) == NULL) {
            print_error("%s, not %s\n", bed.error.text, refused->place);
            wrong++;
        }
        weir_plan_close(bed.plan);
    }
    assert_int_equal(wrong, 0);
}

/* The line, with blanks for tabs, and the mark under the place: characters are counted. */
static void refusals_show_the_line(void **state)
{
    struct bed bed;

    assert_int_not_equal(compile(&bed, "print 1;\n\tprint \"\xc3\xa4\", $x;\r\n"), 0);
    assert_string_equal(strchr(bed.error.text, '\n'),
                        "\n     print \"\xc3\xa4\", $x;\n                ^");
    weir_plan_close(bed.plan);
}

static void long_lines_are_shown_around_the_place(void **state)
{
    char text[4096];
    const char *shown, *mark;
    struct bed bed;

    memset(text, ' ', sizeof text);
    memcpy(text + 2000, "print $x;", 9);
    text[sizeof text - 1] = '\0';
    assert_int_not_equal(compile(&bed, text), 0);
    shown = strchr(bed.error.text, '\n');
    mark = strchr(shown + 1, '\n');
    assert_non_null(strstr(bed.error.text, "x.pbl:1:2007: "));
    assert_true(mark - shown < 120);
    assert_true(strlen(mark) < 120);
    assert_int_equal(shown[strlen(mark) - 1], '$');
    weir_plan_close(bed.plan);
}

static const char *const taken_programs[] = {
    "",
    ";",
    "\xef\xbb\xbfprint 1;",
    "# only a comment",
    "print;",
    "print (1 + 2) * 3, (4);",
    "if (1) print 1; else if (2) print 2; else { }",
    "repeat $i 5print $i;",
    "repeat $i 10 { if ($i > 0) print $last; $last = $i; }",
    "repeat $i 10 { if ($i > 0) fclose($f); $f = fcreat(\"a\"); }",
    "repeat 5s { repeat $j 2 { if ($j) print \"$x\"; $x = 1; } repeat $x 2 print $x; }",
    "repeat 5s { repeat $j 2 { if ($j) print \"$x\"; } $x = 1; }",
    "$0 = 1; print \"$0_\", \"\\$none\", \"$$rank$0\";",
    "$a = 1; repeat $i 2 { $b = $i; } print $a, $b;",
    "$i = 7; if ($$rank == 0) { repeat $i 2 print $i; } print $i;",
    "if ($$rank == 0) { $x = 1; } else { $x = 2; } print $x;",
    "$f = fcreat(\"a\"); $g = $f; fwrite($g, \"4k\"); fclose($g);",
    "$n = \"a\"; write($n, $n); stat \"b\";",
    GROUPS "group \"one\" master barrier;",
    GROUPS "master group \"one\" barrier;",
    GROUPS "group \"two\" { master print 1; barrier; group \"three\" barrier; }",
    GROUPS PATTERNS "pwrite(\"f\", \"all\"); group \"two\" pwrite(\"f\", \"of two\");",
    GROUPS PATTERNS "$p = \"all\"; pread(\"f\", $p, 1);",
    "define param \"a\" $a 4k; define param \"b\" $b \"x\" print $a, $b;",
};

static void old_and_new_spellings_are_taken(void **state)
{
    for (size_t i = 0; i < sizeof taken_programs / sizeof *taken_programs; i++) {
        struct bed bed;

        take(&bed, taken_programs[i]);
        weir_plan_close(bed.plan);
    }
}

static void statements_are_counted_and_numbered(void **state)
{
    const struct weir_statement *loop, *second;
    struct bed bed;

    take(&bed, "print 1;\nrepeat $i 2 {\n time[\"t\"] print 2;\n\n barrier; }\nprint 3;");
    loop = bed.program.statements->next;
    second = loop->body->next;
    assert_int_equal(bed.program.statement_count, 6);
    assert_int_equal(bed.program.nesting, 3);
    assert_int_equal(loop->kind, WEIR_DO_REPEAT);
    assert_int_equal(second->kind, WEIR_DO_BARRIER);
    assert_int_equal(second->line, 5);
    assert_int_equal(second->number, 4);
    assert_int_equal(second->group, WEIR_INNERMOST);
    assert_int_equal(loop->next->number, 5);
    assert_null(loop->next->next);
    weir_plan_close(bed.plan);
}

static void variables_are_sorted_and_known_from_texts(void **state)
{
    struct bed bed;

    take(&bed, "define param \"z\" $z \"1\" $b = 1; $a10 = 2; $a1 = \"$b\"; print \"$z$a1\";");
    assert_int_equal(bed.program.variables.count, 4);
    assert_string_equal(bed.program.variables.names[0], "a1");
    assert_string_equal(bed.program.variables.names[1], "a10");
    assert_string_equal(bed.program.variables.names[2], "b");
    assert_string_equal(bed.program.variables.names[3], "z");
    weir_plan_close(bed.plan);
}

/* Ranks that meet in the body must agree on its rounds. */
static void bounded_loops_are_together_where_ranks_meet(void **state)
{
    static const struct {
        const char *text;
        bool is_together;
    } cases[] = {
        {"repeat 1s stat(\"a\");", false},
        {"repeat 1s barrier;", true},
        {"repeat 1s { if (1) { time barrier; } }", true},
        {"repeat 1s repeat 1s barrier;", true},
        {"barrier; repeat 1s stat(\"a\");", false},
        {"repeat $i 3 barrier;", false},
        {GROUPS "repeat 1s { group \"one\" barrier; }", false},
        {GROUPS "repeat 1s { group \"two\" barrier; }", true},
        {GROUPS "repeat 1s barrier(\"two\");", true},
        {GROUPS PATTERNS "repeat 1s pwrite(\"f\", \"all\");", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_statement *at;
        struct bed bed;

        take(&bed, cases[i].text);
        for (at = bed.program.statements; at->next != NULL;)
            at = at->next;
        assert_int_equal(at->kind, WEIR_DO_REPEAT);
        assert_int_equal(at->is_together, cases[i].is_together);
        weir_plan_close(bed.plan);
    }
}

static void durations_have_units(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {
        {"repeat 60s print 1;", UINT64_C(60000000000)},
        {"repeat $i 250ms print 1;", UINT64_C(250000000)},
        {"repeat ($i, 1.5MIN) print 1;", UINT64_C(90000000000)},
        {"repeat (2h) print 1;", UINT64_C(7200000000000)},
        {"repeat $i 2m print 1;", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;

        take(&bed, cases[i].text);
        assert_int_equal(bed.program.statements->duration_ns, cases[i].ns);
        weir_plan_close(bed.plan);
    }
}

static void modes_are_flags(void **state)
{
    static const struct {
        const char *mode;
        unsigned flags;
    } cases[] = {
        {"r", WEIR_OPEN_READ},
        {"w", WEIR_OPEN_WRITE | WEIR_OPEN_CREATE | WEIR_OPEN_TRUNCATE},
        {"a", WEIR_OPEN_WRITE | WEIR_OPEN_CREATE | WEIR_OPEN_APPEND},
        {"r+", WEIR_OPEN_READ | WEIR_OPEN_WRITE},
        {"O_CREAT", WEIR_OPEN_READ | WEIR_OPEN_CREATE},
        {"O_WRONLY|O_SYNC", WEIR_OPEN_WRITE | WEIR_OPEN_SYNC},
        {"O_RDWR O_DIRECTORY", WEIR_OPEN_READ | WEIR_OPEN_WRITE | WEIR_OPEN_DIRECTORY},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;
        char text[128];

        snprintf(text, sizeof text, "$f = fopen(\"a\", \"%s\");", cases[i].mode);
        take(&bed, text);
        assert_int_equal(bed.program.statements->open_flags, cases[i].flags);
        weir_plan_close(bed.plan);
    }
}

static void remarks_are_made_once(void **state)
{
    struct bed bed;

    take(&bed, "print 1k;\nprint 1K, 2M;\nprint 3G;");
    assert_int_equal(bed.test->remark_count, 1);
    assert_non_null(strstr(bed.test->remarks[0], "line 2"));
    weir_plan_close(bed.plan);
    take(&bed, GROUPS "group \"one\" { group \"two\" print 1; }");
    assert_int_equal(bed.test->remark_count, 2); /* no rank in common; no block of "three" */
    weir_plan_close(bed.plan);
}

/* `count` times `open`, a 1, `count` times `close`. */
static char *nested(const char *begin, const char *open, const char *inner, const char *close,
                    int count, const char *end)
{
    struct weir_text text = {0};

    weir_text_add(&text, "%s", begin);
    for (int i = 0; i < count; i++)
        weir_text_add(&text, "%s", open);
    weir_text_add(&text, "%s", inner);
    for (int i = 0; i < count; i++)
        weir_text_add(&text, "%s", close);
    weir_text_add(&text, "%s", end);
    return text.data;
}

static void nesting_is_limited(void **state)
{
    static const struct {
        const char *begin, *open, *inner, *close, *end;
        int taken;
    } cases[] = {
        {"", "time {", "print 1;", "}", "", 998},  {"", "time ", "print 1;", "", "", 998},
        {"$x = ", "(", "1", ")", ";", 998},        {"$x = ", "-", "1", "", ";", 998},
        {"$x = ", "$$rank ^ ", "1", "", ";", 998}, {"$x = ", "$$rank + ", "1", "", ";", 998},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int is_refused = 0; is_refused < 2; is_refused++) {
            char *text = nested(cases[i].begin, cases[i].open, cases[i].inner, cases[i].close,
                                is_refused ? 100000 : cases[i].taken, cases[i].end);
            struct bed bed;

            if ((compile(&bed, text) != 0) != is_refused)
                fail_msg("%zu: %s", i, bed.error.text);
            weir_plan_close(bed.plan);
            free(text);
        }
}

static void numbers_of_definitions_are_limited(void **state)
{
    struct weir_text text = {0};
    struct bed bed;

    for (int i = 0; i <= 10000; i++)
        weir_text_add(&text, "$v%d = 1;", i);
    assert_int_not_equal(compile(&bed, text.data), 0);
    weir_plan_close(bed.plan);
    weir_text_clear(&text);
    for (int i = 0; i <= 1000; i++)
        weir_text_add(&text, "define pattern {\"%d\", 1, 1, 1, 0};", i);
    assert_int_not_equal(compile(&bed, text.data), 0);
    weir_plan_close(bed.plan);
    weir_text_close(&text);
}

/* `root`: the one beside the current directory, or "": none; with "." for the current one. */
static void expect_root(const char *word, const char *root)
{
    char *directory = getcwd(NULL, 0);
    struct bed bed;
    char expected[4096];

    take(&bed, "define param \"a\" $a \"1\" define param \"b\" $b \"1\" print $a;");
    struct weir_lowering lowering = {
        .plan = bed.plan, .test = NULL, .place = "parabench", .error = &bed.error};
    assert_int_equal(weir_pbl_set_parameters(&lowering, &bed.program, 1, &word), 0);
    assert_int_equal(weir_pbl_set_roots(&lowering, &bed.program, NULL), 0);
    assert_int_equal(bed.program.root_count, *root == '\0' ? 1 : 2);
    if (*root != '\0') {
        snprintf(expected, sizeof expected, "%s%s", *root == '.' ? directory : "",
                 root + (*root == '.'));
        assert_string_equal(bed.program.roots[0], expected);
    }
    assert_string_equal(bed.program.roots[bed.program.root_count - 1], directory);
    weir_plan_close(bed.plan);
    free(directory);
}

/* The current directory is always one. The first one is where the run is looked at. */
static void roots_are_the_current_directory_and_those_of_parameters(void **state)
{
    static const struct {
        const char *word;
        const char *root;
    } cases[] = {
        {"a=1/2", ""},
        {"a=a/b", ""},
        {"a=.csv", ""},
        {"a=/", ""},
        {"a=/.//", ""},
        {"a=/..", ""},
        {"a=/tmp/..", ""},
        {"a=/no-such/../", ""},
        {"a=/tmp/../$b", ""},
        {"a=../../../../../../../../../../../../../../../../../../../../../../..", ""},
        {"a=./../../../../../../../../../../../../../../../../../../../../../../..", ""},
        {"a=.", ""},
        {"a=/data/x", "/data/x"},
        {"a=./s/", "./s"},
        {"a=/d/../e/$b", "/e"},
        {"a=$b/c", ""},
        {"a=/$b", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_root(cases[i].word, cases[i].root);
}

static int set_roots(const char *word, const char *list)
{
    struct bed bed;
    int code;

    take(&bed, "define param \"a\" $a \"1\" define param \"b\" $b \"1\" print $a;");
    struct weir_lowering lowering = {
        .plan = bed.plan, .test = NULL, .place = "parabench", .error = &bed.error};
    assert_int_equal(weir_pbl_set_parameters(&lowering, &bed.program, 1, &word), 0);
    code = weir_pbl_set_roots(&lowering, &bed.program, list);
    if (code == 0)
        assert_true(bed.program.root_count > 0);
    weir_plan_close(bed.plan);
    return code;
}

/* With / as a root every name would do, in whatever way / is written or linked to. */
static void the_directory_of_all_directories_is_no_root(void **state)
{
    static const char *const lists[] = {
        "/", "//",     "/tmp/..", "/..", "/tmp\n/", "/proc/self/root", "/no-such/../",
        "",  "\n/tmp", "/tmp\n"};
    char name[] = "roots-XXXXXX", word[64], link[64], *directory = getcwd(NULL, 0);

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_int_not_equal(set_roots("a=1", lists[i]), 0);
    assert_int_equal(set_roots("a=1", "/tmp"), 0);
    assert_non_null(mkdtemp(name));
    snprintf(link, sizeof link, "%s/link", name);
    assert_int_equal(symlink("/", link), 0);
    assert_int_not_equal(set_roots("a=1", link), 0);
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, "a=%s%s%s", (const char *[]){"./", "", "./", "./"}[i], link,
                 (const char *[]){"", "", "/tmp/..", "/./$b"}[i]);
        assert_int_not_equal(set_roots(word, NULL), 0);
    }
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_not_equal(set_roots("a=1", NULL), 0);
    assert_int_not_equal(set_roots("a=1", "."), 0);
    assert_int_equal(set_roots("a=/tmp", NULL), 0);
    assert_int_equal(chdir(directory), 0);
    free(directory);
}

/* Without ./ it may be meant, or be any other text. */
static void directories_that_are_there_are_roots(void **state)
{
    char name[] = "roots-XXXXXX", word[64], root[64];

    assert_non_null(mkdtemp(name));
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, "a=%s%s", name, (const char *[]){"", "/x", "/x$b/y", "y/x"}[i]);
        snprintf(root, sizeof root, "./%s%s", name, i == 1 ? "/x" : "");
        expect_root(word, i == 3 ? "" : root);
    }
    assert_int_equal(rmdir(name), 0);
    assert_int_equal(mkdir("10", 0700), 0);
    expect_root("a=10", "");
    assert_int_equal(rmdir("10"), 0);
}

/* A longer one overflows in nanoseconds. */
static void sleeps_are_292_years_at_most(void **state)
{
    static const struct {
        const char *statements, *word;
        bool is_refused;
    } cases[] = {
        {"sleep $n;", "n=9223372036854775", false},
        {"sleep $n;", "n=9223372036854776", true},
        {"repeat $i 2 { sleep $n; }", "n=8589934591g", true},
        {"$n = 1; sleep $n;", "n=9223372036854775807", false},
        {"print $n;", "n=9223372036854775807", false},
        {"sleep 9223372036854775;", "n=1", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_text text = {0};
        struct bed bed;

        weir_text_add(&text, "define param \"long\" $n \"1\"\n%s", cases[i].statements);
        take(&bed, text.data);
        struct weir_lowering lowering = {
            .plan = bed.plan, .test = NULL, .place = "parabench", .error = &bed.error};
        assert_int_equal(weir_pbl_set_parameters(&lowering, &bed.program, 1, &cases[i].word), 0);
        if ((weir_pbl_check_numbers(&lowering, &bed.program) != 0) != cases[i].is_refused)
            fail_msg("%s with %s", cases[i].statements, cases[i].word);
        weir_plan_close(bed.plan);
        weir_text_close(&text);
    }
}

/* Where the program cannot do without a number, and nothing else sets the variable before. */
static void parameters_that_are_no_numbers_are_refused(void **state)
{
    static const struct {
        const char *statements; /* in line 2 */
        bool is_refused;
    } cases[] = {
        {"print $n;", false},
        {"write(\"a$n\", 1);", false},
        {"write($n, 1);", false},
        {"if ($n == \"zz\") print 1;", false},
        {"if ($$rank) repeat $i $n print 1;", false},
        {"$n = 3; repeat $i $n print 1;", false},
        {"repeat $n 3 print $n;", false},
        {"repeat $i 2 time { write(\"a\", $n); }", true},
        {"read(\"a\", 1, $n);", true},
        {"sleep $n;", true},
        {"if ($n) print 1;", true},
        {"if (2 > $n) print 1;", true},
        {"print -$n;", true},
        {"$x = 2 ^ ($n % 3);", true},
        {"repeat $i $n print $i;", true},
    };
    const char *word = "n=zz", *other = "n=$b";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_text text = {0};
        struct bed bed;

        weir_text_add(&text, "define param \"many\" $n \"1\" define param \"b\" $b \"1\"\n%s",
                      cases[i].statements);
        take(&bed, text.data);
        struct weir_lowering lowering = {
            .plan = bed.plan, .test = NULL, .place = "parabench", .error = &bed.error};
        assert_int_equal(weir_pbl_set_parameters(&lowering, &bed.program, 1, &other), 0);
        assert_int_equal(weir_pbl_check_numbers(&lowering, &bed.program), 0);
        assert_int_equal(weir_pbl_set_parameters(&lowering, &bed.program, 1, &word), 0);
        if ((weir_pbl_check_numbers(&lowering, &bed.program) != 0) != cases[i].is_refused)
            fail_msg("%s", cases[i].statements);
        if (cases[i].is_refused)
            assert_non_null(strstr(bed.error.text, "n=zz (command line): that is no whole number, "
                                                   "and line 2 takes $n (\"many\")"));
        weir_plan_close(bed.plan);
        weir_text_close(&text);
    }
}

static void the_largest_call_is_found_before(void **state)
{
    static const struct {
        const char *statements;
        uint64_t bytes;
    } cases[] = {
        {"write(\"a\", 5); read(\"a\", 7);", 7},
        {"write(\"a\", $n * 2g);", WEIR_CALL_PIECE_BYTES}, /* made in pieces */
        {"repeat $s 5 { $b = 4k * 4^$s; write(\"a\", $b); }", 1 << 20},
        {"repeat $s 5 { $b = 1m / 4^$s; write(\"a\", $b); }", 1 << 20},
        {"repeat $s $n { repeat $t $n write(\"a\", 1k + $s * 10 + $t); }", 1024 + 22},
        /* What may never come, differs from rank to rank, or comes from the run. */
        {"repeat $s 41 { if ($s < 3) write(\"a\", 2^$s); }", 1},
        {"repeat $s 100 { if ($s < 3) write(\"a\", 10^$s); }", 1},
        {"$b = $$rank * 1k; write(\"a\", $b); write(\"a\", $$rank);", 0},
        {"repeat 3s { $b = $b + 1; write(\"a\", $b); }", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_text text = {0};
        struct bed bed;

        weir_text_add(&text, "define param \"many\" $n \"3\"\n%s", cases[i].statements);
        take(&bed, text.data);
        if (weir_pbl_largest_bytes(&bed.program) != cases[i].bytes)
            fail_msg("not %llu bytes: %s", (unsigned long long)cases[i].bytes, cases[i].statements);
        weir_plan_close(bed.plan);
        weir_text_close(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_refused_at_their_place),
        cmocka_unit_test(refusals_show_the_line),
        cmocka_unit_test(long_lines_are_shown_around_the_place),
        cmocka_unit_test(old_and_new_spellings_are_taken),
        cmocka_unit_test(statements_are_counted_and_numbered),
        cmocka_unit_test(variables_are_sorted_and_known_from_texts),
        cmocka_unit_test(bounded_loops_are_together_where_ranks_meet),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(modes_are_flags),
        cmocka_unit_test(remarks_are_made_once),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(numbers_of_definitions_are_limited),
        cmocka_unit_test(roots_are_the_current_directory_and_those_of_parameters),
        cmocka_unit_test(directories_that_are_there_are_roots),
        cmocka_unit_test(sleeps_are_292_years_at_most),
        cmocka_unit_test(the_directory_of_all_directories_is_no_root),
        cmocka_unit_test(parameters_that_are_no_numbers_are_refused),
        cmocka_unit_test(the_largest_call_is_found_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
