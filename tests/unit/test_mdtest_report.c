/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of mdtest against outputs of mdtest itself: with the same numbers they are the same, byte
 * for byte but for what is said here. */
#include "report_scenes.h"

#include <jansson.h>
#include <math.h>
#include <time.h>

#define ITEMS 8

/* ---- scenes ---- */

enum { DIRECTORIES = 1, FILES = 2, BOTH = 3 };

/* The steps of a default test of mdtest: the tree, directories, files, the tree again. */
struct md_step {
    const char *name;
    int group; /* DIRECTORIES, FILES, BOTH: the tree */
    enum weir_verb verb;
};
static const struct md_step md_steps[] = {
    {"Tree creation", BOTH, WEIR_MKDIR},
    {"Directory creation", DIRECTORIES, WEIR_MKDIR},
    {"Directory stat", DIRECTORIES, WEIR_STAT},
    {"Directory rename", DIRECTORIES, WEIR_RENAME},
    {"Directory removal", DIRECTORIES, WEIR_RMDIR},
    {"File creation", FILES, WEIR_CREATE},
    {"File stat", FILES, WEIR_STAT},
    {"File read", FILES, WEIR_READ_FILE},
    {"File removal", FILES, WEIR_UNLINK},
    {"Tree removal", BOTH, WEIR_RMDIR},
};
#define STEP_COUNT (sizeof md_steps / sizeof *md_steps)

struct md_scene {
    struct scene all;
    struct weir_test *test;
    struct weir_tree *tree;
    struct weir_phase *phases[STEP_COUNT]; /* NULL: not in the plan */
};

static void setting_of(struct md_scene *scene, const char *key, const char *value)
{
    struct weir_setting *settings = weir_arena_take(
        &scene->all.plan->arena, (scene->test->setting_count + 1) * sizeof *settings);

    for (size_t i = 0; i < scene->test->setting_count; i++)
        settings[i] = scene->test->settings[i];
    settings[scene->test->setting_count] = (struct weir_setting){key, value};
    scene->test->settings = settings;
    scene->test->setting_count++;
}

/* `groups` of items, and only phases whose verb is not removed by `is_left_out`. */
static struct md_scene md_open(struct scene all, int groups, uint64_t items)
{
    struct md_scene scene = {.all = all};
    struct weir_target *target;
    struct weir_test_result *begun;

    all.plan->output.reporter = "mdtest";
    scene.test = scene_test(&scene.all, 2, "/scratch/md/test-dir.0-0");
    scene.test->dialect = "mdtest";
    begun = &all.result->tests[0];
    begun->node_map = "11";
    begun->filesystem.bytes_used = 252 * GIB / 1000 * 59;
    begun->filesystem.inodes_used = 16 * MIB / 1000 * 27;
    target = scene_target(&scene.all, "/scratch/md", false);
    scene.tree = weir_arena_take(&all.plan->arena, sizeof *scene.tree);
    *scene.tree = (struct weir_tree){.top = "test-dir.%i-%s",
                                     .node = "mdtest_tree.%k",
                                     .set_count = 1,
                                     .branching = 1,
                                     .items_per_directory = items};
    target->tree = scene.tree;
    for (size_t i = 0; i < STEP_COUNT; i++) {
        const struct md_step *step = &md_steps[i];
        struct weir_phase phase = {.verb = step->verb, .target = target, .depth = 1};

        if (!(step->group & groups))
            continue;
        if (step->group != BOTH)
            phase.names.item = step->group == FILES ? "file.mdtest.%r.%n" : "dir.mdtest.%r.%n";
        phase.names.is_directory = step->group != FILES;
        scene.phases[i] = weir_plan_add_phase(all.plan, scene.test, &scene.test->steps, &phase);
    }
    return scene;
}

static size_t step_of(const char *name)
{
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (strcmp(md_steps[i].name, name) == 0)
            return i;
    fail_msg("no step %s", name);
    return 0;
}

/* An iteration of a phase that had this rate. */
static struct weir_phase_result *md_done(struct md_scene *scene, const char *name,
                                         unsigned iteration, double rate)
{
    const struct weir_phase *phase = scene->phases[step_of(name)];
    struct weir_phase_result *done = weir_result_add_phase(scene->all.result);
    bool is_of_tree = phase->names.item == NULL;
    uint64_t items = weir_tree_items(scene->tree);
    uint64_t counted = is_of_tree ? weir_tree_directories(scene->tree) : 2 * items;
    double seconds = (double)counted / rate;

    done->test = 0;
    done->phase = phase->number;
    done->repetition = iteration;
    done->rank_count = 2;
    done->node_count = 1;
    done->op_count = counted;
    done->rank_ops_min = is_of_tree ? 0 : items;
    if (phase->verb == WEIR_RENAME) {
        done->op_count += 2;
        done->rank_ops_min++;
    }
    done->rank_ops_max = is_of_tree ? counted : done->rank_ops_min;
    done->windows = (struct weir_windows){.transfer_s = seconds, .total_s = seconds};
    done->rank_s_min = 0.5 * seconds;
    done->rank_s_mean = 0.75 * seconds;
    done->rank_s_max = seconds;
    done->rank_ops_per_s_min = (double)done->rank_ops_min / seconds;
    done->rank_ops_per_s_max = 2.0 * done->rank_ops_per_s_min;
    done->rank_ops_per_s_mean = 1.5 * done->rank_ops_per_s_min;
    done->submission = done->response = NULL;
    done->write_latency = done->read_latency = NULL;
    done->depth = 1;
    done->failure = "";
    return done;
}

struct md_rates {
    const char *name;
    double max, min;
};

/* In two iterations, of which the first one is the faster one; else in one. */
static void md_rates(struct md_scene *scene, const struct md_rates *rates, size_t count)
{
    for (unsigned i = 0; i < scene->test->repetitions; i++)
        for (size_t k = 0; k < count; k++)
            md_done(scene, rates[k].name, i, i == 0 ? rates[k].max : rates[k].min);
}

static void set_time(struct md_scene *scene, double begun_s, double finished_s)
{
    scene->all.result->begun_s = begun_s;
    scene->all.result->finished_s = finished_s;
}

/* 11/21/2026 00:04:20, in UTC */
#define AT_00_04_20 (BEGUN_S + 159.0)

/* ---- comparing ---- */

/* The rates of the samples are rounded, so that the last digit of what is made of them differs. */
static bool is_alike(const char *one, const char *other, size_t length)
{
    size_t i = 0;

    while (i < length) {
        char *end, *other_end;

        if (one[i] == '.' && i >= 1 && i + 3 < length + 1) {
            double a = strtod(one + i, &end);
            double b = strtod(other + i, &other_end);

            if (end - one == other_end - other && end - (one + i) == 4 && fabs(a - b) < 0.0015) {
                i += 4;
                continue;
            }
        }
        if (one[i] != other[i])
            return false;
        i++;
    }
    return true;
}

static void assert_alike(const char *actual, const char *expected)
{
    while (*actual || *expected) {
        size_t length = strcspn(actual, "\n");
        size_t expected_length = strcspn(expected, "\n");

        if (length != expected_length || !is_alike(actual, expected, length))
            fail_msg("\n%.*s\nis not\n%.*s", (int)length, actual, (int)expected_length, expected);
        actual += length + (actual[length] == '\n');
        expected += expected_length + (expected[expected_length] == '\n');
    }
}

/* Cuts the line with `key` out of a text. */
static void cut_line(char *text, const char *key)
{
    char *line = strstr(text, key);
    size_t length;

    if (line == NULL)
        return;
    length = strcspn(line, "\n") + 1;
    memmove(line, line + length, strlen(line + length) + 1);
}

static struct weir_text report_of(struct md_scene *scene)
{
    struct weir_text text = {0};

    scene->all.plan->output.is_plain = true;
    weir_report_whole(&text, scene->all.plan, scene->all.result);
    return text;
}

/* The line that ran mdtest is not in ours, and the sample is of a development build. */
static void assert_is_sample(struct md_scene *scene, const char *sample)
{
    struct weir_text expected = {0};
    struct weir_text actual = report_of(scene);
    char name[64];
    char *banner;

    snprintf(name, sizeof name, "samples/%s", sample);
    scene_load(scene_golden(name), &expected);
    cut_line(expected.data, "$ mpiexec");
    banner = strstr(actual.data, "mdtest-");
    assert_non_null(strstr(banner, ".0 was launched with 2 total task(s) on 1 node(s)\n"));
    cut_line(actual.data, "mdtest-");
    cut_line(expected.data, "mdtest-");
    assert_alike(actual.data, expected.data);
    weir_text_close(&actual);
    weir_text_close(&expected);
    scene_close(&scene->all);
}

/* The line of a row in the table under `title`. */
static const char *row_in(const char *text, const char *title, const char *name)
{
    const char *row = strstr(text, title);

    assert_non_null(row);
    row = strstr(row, name);
    assert_non_null(row);
    return row + strlen(name);
}

static void assert_row(const char *text, const char *title, const char *name, double max,
                       double min)
{
    const char *row = row_in(text, title, name);
    char *end;

    assert_true(fabs(strtod(row + strspn(row, " :"), &end) - max) < 0.0015);
    assert_true(fabs(strtod(end, NULL) - min) < 0.0015);
}

/* ---- samples ---- */

static const struct md_rates rates_of_4_1[] = {
    {"Tree creation", 127100.121, 35848.752},     {"Directory creation", 101989.155, 68061.728},
    {"Directory stat", 2236962.133, 1597830.095}, {"Directory rename", 254200.242, 235469.698},
    {"Directory removal", 661.732, 454.649},      {"File creation", 136956.865, 120266.781},
    {"File stat", 1766022.737, 1597830.095},      {"File read", 1766022.737, 1597830.095},
    {"File removal", 482797.583, 173857.161},     {"Tree removal", 6626.073, 267.085},
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct md_scene make_4_1(void)
{
    struct md_scene scene =
        md_open(SCENE_OPEN("mdtest", "-n", "8", "-i", "2", "-d", "/scratch/md"), BOTH, ITEMS);

    scene.test->repetitions = 2;
    md_rates(&scene, rates_of_4_1, COUNT(rates_of_4_1));
    set_time(&scene, AT_00_04_20 + 35.0, AT_00_04_20 + 36.0);
    return scene;
}

static void the_newest_layout_is_that_of_4_1(void **state)
{
    struct md_scene scene = make_4_1();

    (void)state;
    assert_is_sample(&scene, "mdtest.txt");
}

static void the_layout_of_4_0(void **state)
{
    static const struct md_rates rates[] = {
        {"Tree creation", 83886.080, 29330.797},      {"Directory creation", 83365.048, 61063.571},
        {"Directory stat", 2684354.560, 1458888.348}, {"Directory rename", 276168.165, 216480.206},
        {"Directory removal", 685.694, 561.820},      {"File creation", 101989.155, 93466.384},
        {"File stat", 1813753.081, 1766022.737},      {"File read", 1766022.737, 1458888.348},
        {"File removal", 516222.031, 432960.413},     {"Tree removal", 7463.174, 5315.975},
    };
    struct md_scene scene =
        md_open(SCENE_OPEN("/scratch/old/4.0.0/mdtest", "-n", "8", "-i", "2", "-d", "/scratch/md"),
                BOTH, ITEMS);

    (void)state;
    scene.test->repetitions = 2;
    scene.all.plan->output.style = "mdtest 4.0";
    md_rates(&scene, rates, COUNT(rates));
    set_time(&scene, AT_00_04_20 + 1.0, AT_00_04_20 + 2.0);
    /* 4.0 has that warning once for each task. */
    weir_plan_add_remark(scene.all.plan, scene.test, "%s",
                         "Read bytes is 0, thus, a read test will actually just open/close");
    assert_is_sample(&scene, "mdtest-old-4.0.0.txt");
}

/* Readers of releases take no more than digits and dots: that is what --compat and --plain print.
 */
static void the_version_is_bare_where_a_layout_is_asked_for(void **state)
{
    static const struct {
        const char *style;
        bool is_plain;
        const char *line;
    } cases[] = {
        {NULL, false, "\nmdtest-4.1.0+weir-" WEIR_VERSION " was launched with 2 "},
        {NULL, true, "\nmdtest-4.1.0 was launched with 2 "},
        {"mdtest 4.1", false, "\nmdtest-4.1.0 was launched with 2 "},
        {"mdtest 4.0", false, "\nmdtest-4.0.0 was launched with 2 "},
        {"mdtest 3.3", false, "\nmdtest-3.3.0 was launched with 2 "},
        {"mdtest 3.2", false, "\nmdtest-1.9.3 was launched with 2 "},
    };
    struct md_scene scene =
        md_open(SCENE_OPEN("mdtest", "-n", "8", "-d", "/scratch/md"), BOTH, ITEMS);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_text actual = {0};

        scene.all.plan->output.style = cases[i].style;
        scene.all.plan->output.is_plain = cases[i].is_plain;
        weir_report_whole(&actual, scene.all.plan, scene.all.result);
        assert_non_null(strstr(actual.data, cases[i].line));
        weir_text_close(&actual);
    }
    scene_close(&scene.all);
}

/* 3.3 takes the mean and the standard deviation over the ranks too: the columns behind "Min" are
 * cut off. */
static void cut_columns(char *text)
{
    for (char *line = strstr(text, "   Directory creation"); line && line[0] == ' ';) {
        size_t length = strcspn(line, "\n");
        size_t cut = 2 * strlen(" 1234567890.123");

        memmove(line + length - cut, line + length, strlen(line + length) + 1);
        line = strchr(line, '\n') + 1;
    }
}

static void assert_is_old_sample(const char *version, const char *style, const char *sample,
                                 const struct md_rates *rates, size_t count)
{
    struct md_scene scene =
        md_open(SCENE_OPEN("mdtest", "-n", "8", "-i", "2", "-d", "/scratch/md"), BOTH, ITEMS);
    struct weir_text expected = {0};
    struct weir_text actual;
    char name[64];

    scene.test->repetitions = 2;
    scene.all.plan->output.style = style;
    md_rates(&scene, rates, count);
    /* Which 3.x has no row for. */
    md_rates(&scene, (const struct md_rates[]){{"Directory rename", 2.0, 1.0}}, 1);
    set_time(&scene, AT_00_04_20, AT_00_04_20 + (strstr(sample, "3.3") ? 1.0 : 0.0));
    actual = report_of(&scene);
    assert_non_null(strstr(actual.data, version));
    snprintf(name, sizeof name, "samples/%s", sample);
    scene_load(scene_golden(name), &expected);
    cut_line(expected.data, "$ mpiexec");
    cut_line(expected.data, "mdtest-");
    cut_line(actual.data, "mdtest-");
    cut_line(expected.data, "Command line used:");
    cut_line(actual.data, "Command line used:");
    if (strstr(sample, "3.3")) {
        cut_columns(expected.data);
        cut_columns(actual.data);
    }
    assert_alike(actual.data, expected.data);
    weir_text_close(&actual);
    weir_text_close(&expected);
    scene_close(&scene.all);
}

static void the_layout_of_3_3(void **state)
{
    static const struct md_rates rates[] = {
        {"Tree creation", 88873.089, 63479.972},      {"Directory creation", 96429.110, 60501.558},
        {"Directory stat", 2398800.600, 1940570.042}, {"Directory removal", 670.823, 506.779},
        {"File creation", 101755.279, 93886.796},     {"File stat", 2244983.864, 2167727.950},
        {"File read", 1782729.805, 1654944.146},      {"File removal", 562429.696, 551059.067},
        {"Tree removal", 7824.542, 7002.017},
    };

    (void)state;
    assert_is_old_sample("mdtest-3.3.0 was launched", "mdtest 3.3", "mdtest-old-3.3.0.txt", rates,
                         COUNT(rates));
}

static void renames_have_a_row_in_layouts_of_3_x_only_if_asked_for(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_text text;

    (void)state;
    scene.all.plan->output.style = "mdtest 3.3";
    text = report_of(&scene);
    assert_null(strstr(text.data, "rename"));
    weir_text_close(&text);
    setting_of(&scene, "rename-dirs", "1");
    text = report_of(&scene);
    assert_row(text.data, "SUMMARY rate:", "Directory rename", 254200.242, 235469.698);
    weir_text_close(&text);
    scene_close(&scene.all);
}

static void the_layout_of_3_2(void **state)
{
    static const struct md_rates rates[] = {
        {"Tree creation", 76109.293, 63812.137},      {"Directory creation", 91098.534, 91095.941},
        {"Directory stat", 2392702.258, 2337814.144}, {"Directory removal", 599.759, 599.740},
        {"File creation", 116455.107, 114484.427},    {"File stat", 2082519.849, 2053915.276},
        {"File read", 1831711.505, 1805869.074},      {"File removal", 516378.893, 513858.111},
        {"Tree removal", 7326.812, 6768.877},
    };

    (void)state;
    assert_is_old_sample("mdtest-1.9.3 was launched", "mdtest 3.2", "mdtest-old-3.2.1.txt", rates,
                         COUNT(rates));
}

static void words_of_the_command_line_are_quoted_as_the_version_does(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_text text = report_of(&scene);

    (void)state;
    assert_non_null(strstr(text.data, "used: mdtest '-n' '8' '-i' '2' '-d' '/scratch/md'\n"));
    weir_text_close(&text);
    scene.all.plan->output.style = "mdtest 3.2";
    text = report_of(&scene);
    assert_non_null(strstr(text.data, "used: mdtest \"-n\" \"8\" \"-i\" \"2\" "));
    weir_text_close(&text);
    scene_close(&scene.all);
}

/* mdtest 4.1 prints 0.032 s under "ms/op": the removal of a directory took twice as many
 * milliseconds as the rate of two tasks says. */
static void the_newest_layout_has_times_of_operations_in_the_unit_that_it_names(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_text text;

    (void)state;
    setting_of(&scene, "print-rate-and-time", "1");
    text = report_of(&scene);
    assert_row(text.data, "SUMMARY rate (in ops/sec):", "Directory removal", 661.732, 454.649);
    assert_row(text.data, "SUMMARY time (in ms/op):", "Directory removal", 2e3 / 454.649,
               2e3 / 661.732);
    assert_row(text.data, "SUMMARY time (in ms/op):", "Tree removal", 1e3 / 267.085,
               1e3 / 6626.073);
    assert_true(strstr(text.data, "SUMMARY rate") < strstr(text.data, "SUMMARY time"));
    weir_text_close(&text);
    scene_close(&scene.all);
}

static void older_layouts_have_the_seconds_of_phases(void **state)
{
    static const char *const styles[] = {"mdtest 4.0", "mdtest 3.3", "mdtest 3.2"};

    (void)state;
    for (size_t i = 0; i < COUNT(styles); i++) {
        struct md_scene scene = make_4_1();
        struct weir_text text;

        scene.all.plan->output.style = styles[i];
        setting_of(&scene, "print-time", "1");
        text = report_of(&scene);
        assert_null(strstr(text.data, "SUMMARY rate"));
        assert_row(text.data, "SUMMARY time: (of 2 iterations)", "Directory removal",
                   2 * ITEMS / 454.649, 2 * ITEMS / 661.732);
        weir_text_close(&text);
        scene_close(&scene.all);
    }
}

/* The numbers of a line, and the columns in which they end. */
static unsigned numbers_of(const char *line, double values[], size_t ends[])
{
    const char *at = line;
    unsigned count = 0;

    while (*at && *at != '\n' && count < 8) {
        char *end;

        if (*at != ' ' || at[1] < '0' || at[1] > '9') {
            at++;
            continue;
        }
        values[count] = strtod(at, &end);
        ends[count++] = (size_t)(end - line);
        at = end;
    }
    return count;
}

static void columns_of_ranks_stand_where_the_sample_has_them(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_text sample = {0};
    struct weir_text text;

    (void)state;
    setting_of(&scene, "print-rate-and-time", "1");
    setting_of(&scene, "showRankStatistics", "1");
    text = report_of(&scene);
    scene_load(scene_golden("samples/mdtest-Z-rankstats.txt"), &sample);
    for (size_t i = 0; i < STEP_COUNT; i++) {
        const char *ours = row_in(text.data, "SUMMARY time", md_steps[i].name);
        const char *theirs = row_in(sample.data, "SUMMARY time", md_steps[i].name);
        double values[8], other_values[8];
        size_t ends[8], other_ends[8];

        assert_int_equal(numbers_of(ours, values, ends), 7);
        assert_int_equal(numbers_of(theirs, other_values, other_ends), 7);
        assert_memory_equal(ends, other_ends, 7 * sizeof *ends);
    }
    assert_memory_equal(strstr(text.data, "   Operation     per Rank:"),
                        strstr(sample.data, "   Operation     per Rank:"), 261);
    /* of a rank: all in half the time or less */
    {
        double values[8];
        size_t ends[8];

        numbers_of(row_in(text.data, "SUMMARY rate", "Directory removal"), values, ends);
        assert_true(fabs(values[0] - 661.732) < 0.002);
        assert_true(fabs(values[1] - 454.649 / 2) < 0.002);
        assert_true(fabs(values[2] - 0.75 * (661.732 + 454.649) / 2) < 0.002);
        assert_true(fabs(values[3] - 661.732) < 0.002);
        numbers_of(row_in(text.data, "SUMMARY time", "Directory removal"), values, ends);
        assert_true(fabs(values[0] - 2e3 / 454.649) < 0.002);
        assert_true(fabs(values[1] - 1e3 / 661.732) < 0.002);
    }
    weir_text_close(&text);
    weir_text_close(&sample);
    scene_close(&scene.all);
}

/* ---- what is in the lines ---- */

static void assert_has(struct md_scene *scene, const char *line, bool has)
{
    struct weir_text text = report_of(scene);

    if ((strstr(text.data, line) != NULL) != has)
        fail_msg("%s is %s\n%s", line, has ? "not in" : "in", text.data);
    weir_text_close(&text);
}

static void a_stonewall_that_was_hit_has_its_line(void **state)
{
    struct md_scene scene = md_open(SCENE_OPEN("mdtest", "-F", "-W", "1"), FILES, 100000);
    struct weir_phase_result *done;

    (void)state;
    scene.phases[step_of("File creation")]->stop =
        (struct weir_stop){.deadline_ns = SECOND_NS, .has_wear_out = true};
    done = md_done(&scene, "File creation", 0, 1804.228);
    done->stonewall = (struct weir_stonewall){
        .has_deadline = true, .ops_min = 903, .ops_max = 909, .ops_mean = 906.0};
    assert_has(&scene, "stonewall", false);
    done->stonewall.is_hit = true;
    assert_has(&scene,
               "2 tasks, 200000 files\nContinue stonewall hit min: 903 max: 909 avg: 906.0 \n\n",
               true);
    assert_has(&scene, "Directory", false);
    assert_has(&scene, "File stat                       0.000          0.000", true);
    scene_close(&scene.all);
}

static void items_are_counted_as_mdtest_does(void **state)
{
    struct md_scene both = make_4_1();
    struct md_scene directories = md_open(SCENE_OPEN("mdtest", "-D"), DIRECTORIES, 5);
    struct md_scene shared = md_open(SCENE_OPEN("mdtest", "-S"), FILES, 1);

    (void)state;
    assert_has(&both, "\n2 tasks, 16 files/directories\n", true);
    directories.tree->depth = 1;
    directories.tree->branching = 2;
    assert_has(&directories, "\n2 tasks, 30 directories\n", true);
    directories.tree->only_leaves = true;
    assert_has(&directories, "\n2 tasks, 20 directories\n", true);
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (shared.phases[i] && shared.phases[i]->names.item)
            shared.phases[i]->names.is_shared = true;
    assert_has(&shared, "\n2 tasks, 1 file\n", true);
    shared.tree->items_per_directory = 7;
    assert_has(&shared, "\n2 tasks, 7 files\n", true);
    scene_close(&both.all);
    scene_close(&directories.all);
    scene_close(&shared.all);
}

/* One iteration has rows of its own; of many the slowest is told. */
static void slow_directories_are_named(void **state)
{
    static const char *const paths[] = {"/scratch/md/slow", "/scratch/md/slower"};
    struct md_scene scene = md_open(SCENE_OPEN("mdtest", "-F"), FILES, 8);
    struct weir_text text = {0};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct weir_phase_result *done = md_done(&scene, "File stat", i, 1000.0);

        done->slow_directory_count = 2;
        done->slow_directories[0] = (struct weir_slow_directory){
            .path = paths[i == 3], .op_count = 7, .rank_count = 2, .mean_s = i == 3 ? 9e-3 : 5e-3};
        done->slow_directories[1] =
            (struct weir_slow_directory){.path = "/scratch/md/second", .op_count = 1, .max_s = 4.0};
        if (i > 0 && i < 4)
            continue;
        weir_report_trust(&text, scene.all.plan, scene.all.result);
        assert_int_equal(i == 0, strstr(weir_text_string(&text), "/scratch/md/slow\n") != NULL);
        assert_int_equal(i == 4, strstr(weir_text_string(&text), "/scratch/md/slower\n") != NULL);
        assert_non_null(strstr(weir_text_string(&text), "/scratch/md/second\n"));
        weir_text_close(&text);
        text = (struct weir_text){0};
    }
    scene_close(&scene.all);
}

/* Directories whose operations take about as long as all others are left out, and so is a table of
 * none but these. */
static void directories_that_are_alike_are_not_slow(void **state)
{
    struct md_scene scene = md_open(SCENE_OPEN("mdtest", "-F"), FILES, 8);
    struct weir_phase_result *done = md_done(&scene, "File stat", 0, 1000.0);
    struct weir_histogram *latency = weir_arena_take(&scene.all.plan->arena, sizeof *latency);
    struct weir_text text = {0};

    (void)state;
    weir_histogram_reset(latency);
    weir_histogram_add_many(latency, 1000000, 8);
    done->latency = latency;
    done->slow_directory_count = 2;
    done->slow_directories[0] = (struct weir_slow_directory){
        .path = "/scratch/md/slow", .op_count = 4, .rank_count = 1, .mean_s = 2e-3};
    done->slow_directories[1] = (struct weir_slow_directory){
        .path = "/scratch/md/usual", .op_count = 4, .rank_count = 1, .mean_s = 1.2e-3};
    weir_report_trust(&text, scene.all.plan, scene.all.result);
    assert_non_null(strstr(weir_text_string(&text), "/scratch/md/slow\n"));
    assert_null(strstr(weir_text_string(&text), "/scratch/md/usual\n"));
    weir_text_close(&text);
    text = (struct weir_text){0};
    done->slow_directories[0].mean_s = 1.1e-3;
    weir_report_trust(&text, scene.all.plan, scene.all.result);
    assert_null(strstr(weir_text_string(&text), "slow directories"));
    weir_text_close(&text);
    scene_close(&scene.all);
}

static void shifts_are_told_in_tasks(void **state)
{
    struct md_scene scene = make_4_1();

    (void)state;
    scene.phases[step_of("File stat")]->shift =
        (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = 2};
    scene.phases[step_of("File read")]->shift =
        (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = 4};
    assert_has(&scene, "V-0: Rank   0 Line  2594 Shifting ranks by 2 for each phase.\n2 tasks",
               true);
    scene.all.result->tests[0].node_count = 2;
    scene.all.result->tests[0].ranks_per_node = 3;
    assert_has(&scene, "Shifting ranks by 6 for each phase.\n", true);
    /* -N says it, whichever phases there are. */
    setting_of(&scene, "nstride", "1");
    assert_has(&scene, "Shifting ranks by 3 for each phase.\n", true);
    scene_close(&scene.all);
}

static void lines_of_iterations_are_those_that_old_readers_know(void **state)
{
    static const char *const lines[] = {
        "V-1: Rank   0 Line  2678    Operation               Duration              Rate\n",
        "V-1: Rank   0 Line  2063 main: * iteration 1 *\n"
        "V-1: Rank   0 Line  2139 V-1: main:   Tree creation     :          0.000 sec,     "
        "127100.121 ops/sec\n"
        "V-1: Rank   0 Line  1125    Directory creation:          0.000 sec,     101989.155 "
        "ops/sec\n",
        "V-1: Rank   0 Line  1127    Directory rename :          0.000 sec,     254200.242 "
        "ops/sec\n"
        "V-1: Rank   0 Line  1128    Directory removal :          0.024 sec,        661.732 "
        "ops/sec\n"
        "V-1: Rank   0 Line  1435   File creation     :          0.000 sec,     136956.865 "
        "ops/sec\n",
        "V-1: Rank   0 Line  2249 main   Tree removal      :          0.000 sec,       6626.073 "
        "ops/sec\n"
        "V-1: Rank   0 Line  2063 main: * iteration 2 *\n",
    };
    struct md_scene scene = make_4_1();

    (void)state;
    assert_has(&scene, "V-1", false);
    scene.all.plan->output.verbosity = 1;
    for (size_t i = 0; i < COUNT(lines); i++)
        assert_has(&scene, lines[i], true);
    scene_close(&scene.all);
}

static void nodes_that_are_not_there_are_named_first(void **state)
{
    struct md_scene scene = make_4_1();

    (void)state;
    weir_plan_add_remark(scene.all.plan, scene.test, "Fake number of node: using 2");
    weir_plan_add_remark(scene.all.plan, scene.test, "-k: it changes nothing");
    assert_has(&scene, "Fake number of node: using 2\n-- started at", true);
    assert_has(&scene, "WARNING: Fake", false);
    assert_has(&scene, "WARNING: -k: it changes nothing\n", true);
    scene_close(&scene.all);
}

static void verbose_reports_begin_with_the_options(void **state)
{
    struct md_scene scene = make_4_1();

    (void)state;
    scene.all.plan->output.verbosity = 1;
    setting_of(&scene, "items", "8");
    setting_of(&scene, "unique-dir-per-task", "1");
    assert_has(&scene,
               "V-1: Rank   0 Line  2446 dirpath(s):\nV-1: Rank   0 Line  2448 \t/scratch/md\n",
               true);
    assert_has(&scene, "V-1: Rank   0 Line  2462 items                   : 8\n", true);
    assert_has(&scene, "V-1: Rank   0 Line  2472 unique_dir_per_task     : True\n", true);
    assert_has(&scene, "V-1: Rank   0 Line  2471 stat_only               : True\n", true);
    assert_has(&scene, "V-1: Rank   0 Line  2477 make_node               : 0\n", true);
    /* Numbers and seconds, as mdtest prints them, whatever unit was typed. */
    setting_of(&scene, "write-bytes", "1k");
    setting_of(&scene, "items-per-dir", "2k");
    setting_of(&scene, "random-seed", "-1");
    setting_of(&scene, "pre-delay", "1.5");
    setting_of(&scene, "stone-wall-timer-seconds", "2m");
    assert_has(&scene, " write_bytes             : 1024\n", true);
    assert_has(&scene, " items_per_dir           : 2048\n", true);
    assert_has(&scene, " random_seed             : -1\n", true);
    assert_has(&scene, " pre_delay               : 1.5\n", true);
    assert_has(&scene, " stone_wall_timer_seconds: 120\n", true);
    /* One phase that is named turns the others off, as -F does directories. */
    setting_of(&scene, "create-only", "1");
    setting_of(&scene, "files-only", "1");
    assert_has(&scene, "V-1: Rank   0 Line  2471 stat_only               : False\n", true);
    assert_has(&scene, "V-1: Rank   0 Line  2450 dirs_only               : False\n", true);
    assert_has(&scene, "V-1: Rank   0 Line  2443 barriers                : True\n", true);
    scene_close(&scene.all);
}

/* mdtest-F-L-u-tree.txt: 7 directories of a task in 1.3 ms, which -P prints as 0.001 s. */
static void trees_of_tasks_are_counted_once(void **state)
{
    struct md_scene scene = md_open(SCENE_OPEN("mdtest", "-F -u"), FILES, 8);
    struct weir_phase_result *done;

    (void)state;
    scene.tree->is_own = true;
    scene.tree->depth = scene.tree->branching = 2;
    done = md_done(&scene, "Tree removal", 0, 5000.0);
    done->op_count = 14;
    done->windows.total_s = 0.0014;
    assert_has(&scene, "   Tree removal                 5000.000       5000.000       5000.000",
               true);
    scene.all.plan->output.verbosity = 1;
    assert_has(&scene, "main   Tree removal      :          0.001 sec,       5000.000 ops/sec\n",
               true);
    /* Formats of ours have all trees. */
    scene.all.plan->output.reporter = WEIR_REPORTER_CSV;
    assert_has(&scene, ",Tree removal,rmdir,", true);
    assert_has(&scene, ",ops,10000,1/s,higher,1\n", true);
    scene_close(&scene.all);
}

static void values_of_all_processes_are_told_while_they_are_there(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_rank_row rows[2] = {{.op_count = 8}, {.op_count = 8}};

    (void)state;
    setting_of(&scene, "print-all-procs", "1");
    rows[0].stamps_ns[WEIR_STAMP_MOVE_STOP] = 8000;
    rows[1].stamps_ns[WEIR_STAMP_MOVE_STOP] = 16000;
    scene.all.result->phases[step_of("File stat")].rows = rows;
    assert_has(&scene, "\n\nPer process result (rate):\nTest File stat 1.000000e+06,5.000000e+05\n",
               true);
    setting_of(&scene, "print-time", "1");
    assert_has(&scene, "\n\nPer process result (time):\nTest File stat 8.000000e-06,1.600000e-05\n",
               true);
    scene_close(&scene.all);
}

static void what_failed_is_told_and_in_no_figure(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_phase_result *phases = scene.all.result->phases;
    struct weir_phase_result *failed = &phases[step_of("File creation")];
    struct weir_phase_result *wrong = &phases[step_of("File read")];

    (void)state;
    failed->outcome = WEIR_OUTCOME_PARTIAL;
    failed->failure = "rank 1 on host n2: create a/b: No space left on device";
    wrong->mismatches.wrong_transfers = 3;
    assert_has(&scene,
               "ERROR: File creation, iteration 1: rank 1 on host n2: create a/b: No space left on "
               "device\n",
               true);
    assert_has(
        &scene,
        "ERROR: verifying the data on read (3 errors)! Take the performance values with care!\n",
        true);
    assert_has(
        &scene,
        "File creation              120266.781     120266.781     120266.781          0.000\n",
        true);
    assert_has(&scene, "INCOMPLETE rate (in ops/sec): (of 2 iterations, not all of which", true);
    assert_has(&scene, "SUMMARY", false);
    assert_has(&scene, "-- ended early at ", true);
    assert_has(&scene, "finished", false);
    /* With wrong data all was done. */
    failed->outcome = WEIR_OUTCOME_COMPLETE;
    failed->failure = "";
    assert_has(&scene, "SUMMARY rate", true);
    assert_has(&scene, "-- finished at ", true);
    /* A phase that was not begun has no record. */
    scene.all.result->phase_count = COUNT(rates_of_4_1) - 1;
    assert_has(&scene, "SUMMARY", false);
    scene_close(&scene.all);
}

static void what_did_nothing_has_neither_a_table_nor_an_end(void **state)
{
    struct md_scene scene = make_4_1();

    (void)state;
    for (unsigned i = 0; i < scene.all.result->phase_count; i++)
        scene.all.result->phases[i].op_count = 0;
    assert_has(&scene, "SUMMARY", false);
    assert_has(&scene, "finished", true); /* there was nothing to do */
    scene.all.result->exit_code = WEIR_EXIT_FLAWED;
    assert_has(&scene, "finished", false);
    scene_close(&scene.all);
}

static void its_files_are_known(void **state)
{
    struct weir_output output = {.reporter = "mdtest"};

    (void)state;
    assert_true(
        weir_reporter_find(&output)->is_held("-- started at 11/21/2026 00:04:55 --\n\nmdt"));
    assert_true(weir_report_is_held("V-1: Entering PrintTimestamp...\n-- started at 11/21/2026"));
    assert_true(weir_report_is_held("WARNING: DUMMY initialized\n-- started at 11/21/2026 00:"));
    assert_false(weir_report_is_held("WARNING: x\n"));
    assert_false(weir_report_is_held("a -- started at 11/21/2026"));
}

/* ---- documents ---- */

static void a_document_has_each_phase_with_its_name_and_rate(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_text text;
    json_t *report, *phases, *phase, *figures;

    (void)state;
    scene.all.plan->output.reporter = WEIR_REPORTER_JSON;
    text = report_of(&scene);
    report = json_loads(text.data, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(report);
    assert_true(weir_report_is_held(text.data));
    phases = json_object_get(json_array_get(json_object_get(report, "runs"), 0), "phases");
    assert_int_equal(json_array_size(phases), 20);
    phase = json_array_get(phases, 14);
    assert_string_equal(json_string_value(json_object_get(phase, "name")), "Directory removal");
    assert_string_equal(json_string_value(json_object_get(phase, "path")),
                        "/scratch/md/test-dir.0-0");
    assert_int_equal(json_integer_value(json_object_get(phase, "repetition")), 1);
    figures = json_object_get(phase, "figures");
    assert_true(fabs(json_number_value(json_object_get(json_object_get(figures, "ops"), "value")) -
                     454.649) < 1e-6);
    assert_true(fabs(json_number_value(json_object_get(json_object_get(figures, "time"), "value")) -
                     16 / 454.649) < 1e-6);
    json_decref(report);
    weir_text_close(&text);
    scene_close(&scene.all);
}

/* ---- the file with the figures of each rank ---- */

static void figures_of_ranks_are_written_when_an_iteration_is_over(void **state)
{
    static const char lines[] =
        "all,8,,,,,,,2.5420024200e+05,6.2942504988e-05,,,,,1.7660227370e+06,9.0599060050e-06,,,,,,"
        ",6.6260730000e+03,1.5091895305e-04\n"
        "0,,,,,,,,1.0000000000e+06,8.0000000000e-06,,,,,1.1250000000e+06,8.0000000000e-06,,,,,,"
        ",1.2500000000e+05,8.0000000000e-06\n"
        "1,,,,,,,,5.0000000000e+05,1.6000000000e-05,,,,,5.6250000000e+05,1.6000000000e-05,,,,,,,,"
        "\n";
    struct md_scene scene = make_4_1();
    struct weir_phase_result *phases = scene.all.result->phases;
    struct weir_rank_row rows[2] = {{.op_count = 9}, {.op_count = 9}};
    struct weir_rank_row of_one[2] = {{.op_count = 1}};
    struct weir_rank_csv held = {0};
    struct weir_text text = {0};
    struct weir_text sample = {0};

    (void)state;
    scene_load(scene_golden("samples/mdtest-easy-io500.txt"), &sample);
    assert_non_null(strstr(sample.data, weir_rank_csv_header(scene.all.plan, 0)));
    rows[0].stamps_ns[WEIR_STAMP_MOVE_STOP] = 8000;
    rows[1].stamps_ns[WEIR_STAMP_MOVE_STOP] = 16000;
    of_one[0].stamps_ns[WEIR_STAMP_MOVE_STOP] = 8000;
    phases[step_of("Directory rename")].rows = rows;
    phases[step_of("File stat")].rows = rows;
    phases[step_of("Tree removal")].rows = of_one;
    for (size_t i = 0; i < STEP_COUNT; i++) {
        assert_int_equal(text.length, 0);
        weir_rank_csv_add(&held, &text, scene.all.plan, &phases[i]);
    }
    assert_string_equal(text.data, lines);
    weir_rank_csv_end(&held, &text, scene.all.plan, 0);
    assert_int_equal(text.length, strlen(lines));
    /* an iteration that was cut */
    weir_text_clear(&text);
    weir_rank_csv_add(&held, &text, scene.all.plan, &phases[step_of("File stat")]);
    assert_int_equal(text.length, 0);
    phases[STEP_COUNT].rows = rows;
    weir_rank_csv_add(&held, &text, scene.all.plan, &phases[STEP_COUNT]);
    assert_int_equal(strncmp(weir_text_string(&text), "all,8,,,,,,", 11), 0);
    weir_rank_csv_end(&held, &text, scene.all.plan, 0);
    weir_text_close(&text);
    weir_text_close(&sample);
    scene_close(&scene.all);
}

/* ---- our own block ---- */

static struct weir_text block_of(struct md_scene *scene)
{
    struct weir_text text = {0};

    scene->all.plan->output.is_plain = false;
    weir_report_trust(&text, scene->all.plan, scene->all.result);
    return text;
}

static void assert_in_block(struct md_scene *scene, const char *line)
{
    struct weir_text text = block_of(scene);

    if (strstr(text.data, line) == NULL)
        fail_msg("%s is not in\n%s", line, text.data);
    weir_text_close(&text);
}

static void assert_not_in_block(struct md_scene *scene, const char *word)
{
    struct weir_text text = block_of(scene);

    if (strstr(text.data, word) != NULL)
        fail_msg("%s is in\n%s", word, text.data);
    weir_text_close(&text);
}

static void our_block_tells_operations_and_waiting_and_no_bytes(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_phase_result *made = &scene.all.result->phases[step_of("File creation")];

    (void)state;
    for (unsigned i = 0; i < 16; i++)
        weir_histogram_add(made->latency, 1000);
    assert_in_block(&scene,
                    "weir       0    0 create    files          16   1.00 us   1.00 us   1.00 us");
    /* half of the ranks' time, on average three quarters of the phase */
    assert_in_block(&scene, "weir       0    0 create    files    117 us   58.4 us   87.6 us    "
                            "117 us    25.0%         -");
    assert_in_block(&scene, "weir       0    1 rmdir     tree    3.74 ms   1.87 ms   2.81 ms   "
                            "3.74 ms        -         -");
    assert_not_in_block(&scene, "MiB");
    assert_not_in_block(&scene, "transfer");
    made->pace.asked_per_s = 5000.0;
    made->pace.max_backlog = 7;
    assert_in_block(&scene, "weir       0    0 create    files      5000.0    136956.9         7");
    scene_close(&scene.all);
}

static void verbs_of_a_cycle_have_a_line_each(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_phase_result *made = &scene.all.result->phases[step_of("File creation")];
    struct weir_histogram *histogram = weir_arena_take(&scene.all.plan->arena, sizeof *histogram);

    (void)state;
    weir_histogram_reset(histogram);
    weir_histogram_add(histogram, 2000);
    made->verb_count = 1;
    made->verbs[0] = (struct weir_verb_result){WEIR_STAT, 1, 0, histogram};
    assert_in_block(&scene, "weir       0    0 create    files           1   2.00 us");
    scene_close(&scene.all);
}

static void our_block_tells_what_was_left_and_cut(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_phase_result *phases = scene.all.result->phases;
    struct weir_phase_result *tree = &phases[step_of("Tree removal")];
    struct weir_phase_result *made = &phases[step_of("Directory creation")];

    (void)state;
    assert_not_in_block(&scene, "left");
    tree->left_count = 2;
    made->outcome = WEIR_OUTCOME_PARTIAL;
    made->op_count = 5;
    assert_in_block(&scene, "warning left rmdir tree 0: 2 directories");
    assert_in_block(&scene, "warning partial mkdir dirs 0: 5 operations were done\n");
    scene_close(&scene.all);
}

static void wrong_data_are_told_with_the_path_of_the_item(void **state)
{
    struct md_scene scene = make_4_1();
    struct weir_phase *read = scene.phases[step_of("File read")];
    struct weir_phase_result *done = &scene.all.result->phases[10 + step_of("File read")];
    struct weir_mismatch first = {
        .file_number = 1, .writer = 1, .reader = 0, .offset = 3 * 8192 + 512, .bytes = 8};

    (void)state;
    read->names.bytes = 5000;
    done->mismatches = (struct weir_mismatch_summary){
        .wrong_transfers = 1, .checked_transfers = 16, .kept = 1, .first = &first};
    assert_in_block(&scene, "/scratch/md/test-dir.1-0/mdtest_tree.0/file.mdtest.1.3, offset 512:");
    scene.tree->is_own = true;
    scene.tree->node = "mdtest_tree.%r.%k";
    assert_in_block(&scene,
                    "/scratch/md/test-dir.1-0/mdtest_tree.1.0/file.mdtest.1.3, offset 512:");
    read->names.tree_shift = (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = 1};
    assert_in_block(&scene,
                    "/scratch/md/test-dir.1-0/mdtest_tree.0.0/file.mdtest.1.3, offset 512:");
    read->names.payload.mode = WEIR_PAYLOAD_IOR;
    first.offset = 5;
    assert_in_block(&scene, "/scratch/md/test-dir.1-0/mdtest_tree.0.0/file.mdtest.1.5, offset 0:");
    scene_close(&scene.all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_layout_is_that_of_4_1),
        cmocka_unit_test(the_layout_of_4_0),
        cmocka_unit_test(the_version_is_bare_where_a_layout_is_asked_for),
        cmocka_unit_test(the_layout_of_3_3),
        cmocka_unit_test(the_layout_of_3_2),
        cmocka_unit_test(renames_have_a_row_in_layouts_of_3_x_only_if_asked_for),
        cmocka_unit_test(words_of_the_command_line_are_quoted_as_the_version_does),
        cmocka_unit_test(the_newest_layout_has_times_of_operations_in_the_unit_that_it_names),
        cmocka_unit_test(older_layouts_have_the_seconds_of_phases),
        cmocka_unit_test(columns_of_ranks_stand_where_the_sample_has_them),
        cmocka_unit_test(a_stonewall_that_was_hit_has_its_line),
        cmocka_unit_test(items_are_counted_as_mdtest_does),
        cmocka_unit_test(slow_directories_are_named),
        cmocka_unit_test(directories_that_are_alike_are_not_slow),
        cmocka_unit_test(shifts_are_told_in_tasks),
        cmocka_unit_test(lines_of_iterations_are_those_that_old_readers_know),
        cmocka_unit_test(nodes_that_are_not_there_are_named_first),
        cmocka_unit_test(verbose_reports_begin_with_the_options),
        cmocka_unit_test(trees_of_tasks_are_counted_once),
        cmocka_unit_test(values_of_all_processes_are_told_while_they_are_there),
        cmocka_unit_test(what_failed_is_told_and_in_no_figure),
        cmocka_unit_test(what_did_nothing_has_neither_a_table_nor_an_end),
        cmocka_unit_test(its_files_are_known),
        cmocka_unit_test(figures_of_ranks_are_written_when_an_iteration_is_over),
        cmocka_unit_test(our_block_tells_operations_and_waiting_and_no_bytes),
        cmocka_unit_test(verbs_of_a_cycle_have_a_line_each),
        cmocka_unit_test(our_block_tells_what_was_left_and_cut),
        cmocka_unit_test(wrong_data_are_told_with_the_path_of_the_item),
        cmocka_unit_test(a_document_has_each_phase_with_its_name_and_rate),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("mdtest_report", tests, NULL, NULL);
}
