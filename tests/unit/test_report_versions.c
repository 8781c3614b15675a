/* SPDX-License-Identifier: Apache-2.0 */
/* Reports with --compat against real outputs of IOR 2.10, 3.0, 3.2, 3.3 and 4.0, and of 4.1 at
 * -vvv: with the same numbers they are the same, byte for byte but for what is said here. */
#include "report_scenes.h"

#include <time.h>

#define T64K (64 * KIB)
#define MINUTE_4_S 139.0 /* from the scenes' usual begin to 00:04:00 */

/* ---- comparing ---- */

static void load_sample(const char *sample, struct weir_text *text)
{
    char name[64];

    snprintf(name, sizeof name, "samples/%s", sample);
    scene_load(scene_golden(name), text);
}

/* As assert_string_equal, which cuts long texts short. */
static void assert_same_lines(const char *actual, const char *expected)
{
    while (*actual || *expected) {
        size_t length = strcspn(actual, "\n");
        size_t expected_length = strcspn(expected, "\n");

        if (length != expected_length || strncmp(actual, expected, length) != 0)
            fail_msg("\n%.*s\nis not\n%.*s", (int)length, actual, (int)expected_length, expected);
        actual += length + (actual[length] == '\n');
        expected += expected_length + (expected[expected_length] == '\n');
    }
}

/* What both have from the line with `key` on; the sample, up to what went to standard error. Above
 * it are the line that ran IOR, and the banner, which names us. */
static void assert_same_from(const char *key, const char *actual, char *expected)
{
    char *errors = strstr(expected, "--- stderr:");

    if (errors)
        *errors = '\0';
    actual = strstr(actual, key);
    expected = strstr(expected, key);
    assert_non_null(actual);
    assert_non_null(expected);
    assert_same_lines(actual, expected);
}

static void assert_is_sample(struct scene *scene, const char *compat, const char *sample,
                             const char *first_key)
{
    struct weir_text expected = {0};
    struct weir_text actual = {0};

    load_sample(sample, &expected);
    scene->plan->output.is_plain = true;
    scene->plan->output.style = compat;
    weir_report_whole(&actual, scene->plan, scene->result);
    assert_same_from(first_key, weir_text_string(&actual), expected.data);
    weir_text_close(&actual);
    weir_text_close(&expected);
    scene_close(scene);
}

/* ---- scenes ---- */

static void set_time(struct scene *scene, double seconds)
{
    struct weir_filesystem_facts *facts = &scene->result->tests[0].filesystem;

    facts->bytes_used = 252 * GIB / 1000 * 59;
    facts->inodes_used = 16 * MIB / 1000 * 27;
    scene->result->begun_s = BEGUN_S + MINUTE_4_S + seconds;
    scene->result->finished_s = scene->result->begun_s;
    scene->result->tests[0].begun_s = scene->result->begun_s;
    for (unsigned i = 0; i < scene->result->phase_count; i++)
        scene->result->phases[i].begun_s = scene->result->begun_s;
}

/* Write, read and removal of each of two repetitions. */
struct job {
    uint64_t bytes;
    /* Of write, read, write, read; with more digits than the sample shows, so that its means and
     * deviations come out too. */
    double mib_per_s[4];
    struct scene_row rows[4];
    double removal_s[2];
};

static void run_job(struct scene *scene, const struct job *job, struct weir_test *test,
                    bool is_shared, struct weir_layout layout)
{
    struct weir_target *target = scene_target(scene, "/scratch/f", is_shared);
    struct weir_phase *write = scene_phase(scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(scene, test, WEIR_READ, target, layout);
    struct weir_phase *removal = scene_phase(scene, test, WEIR_REMOVE, target, layout);

    test->repetitions = 2;
    for (unsigned i = 0; i < 4; i++) {
        struct scene_row row = job->rows[i];

        row.bytes = job->bytes;
        row.total_s = (double)job->bytes / (double)MIB / job->mib_per_s[i];
        scene_done(scene, test, i % 2 ? read : write, i / 2, row);
        if (i % 2)
            scene_done(scene, test, removal, i / 2,
                       (struct scene_row){.total_s = job->removal_s[i / 2]});
    }
}

/* ior -a POSIX -t 64k -b 256k -s 2 -i 2 -e -o /scratch/f */
static struct scene make_shared(const char *program, const struct job *job)
{
    struct scene scene = SCENE_OPEN(program, "-a", "POSIX", "-t", "64k", "-b", "256k", "-s", "2",
                                    "-i", "2", "-e", "-o", "/scratch/f");
    struct weir_layout layout = {
        .segment_count = 2, .block_bytes = 256 * KIB, .transfer_bytes = T64K};

    run_job(&scene, job, scene_test(&scene, 2, "/scratch/f"), true, layout);
    return scene;
}

/* ior -v -a POSIX -F -t 64k -b 256k -i 2 -e -C -o /scratch/f */
static struct scene make_own_verbose(const char *program, const struct job *job)
{
    struct scene scene = SCENE_OPEN(program, "-v", "-a", "POSIX", "-F", "-t", "64k", "-b", "256k",
                                    "-i", "2", "-e", "-C", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f.00000000");
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 256 * KIB, .transfer_bytes = T64K};

    scene.plan->output.verbosity = 1;
    run_job(&scene, job, test, false, layout);
    test->phases[1]->shift.kind = WEIR_SHIFT_NODES;
    return scene;
}

/* ---- 2.10 ---- */

static void text_of_2_10_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB,
        .mib_per_s = {8076.03 / 8, 136724.09 / 8, 5458.59 / 8, 101075.19 / 8},
    };
    struct scene scene = make_shared("/scratch/old/2.10.3/IOR", &job);

    (void)state;
    set_time(&scene, 17);
    assert_is_sample(&scene, "IOR 2.10", "ior-old-2.10.3.txt", "\n\nRun began: ");
}

static void verbose_text_of_2_10_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB / 2,
        .mib_per_s = {2010.9951 / 16, 110381.3664 / 16, 4724.9052 / 16, 118689.0828 / 16},
    };
    struct scene scene = make_own_verbose("/scratch/old/2.10.3/IOR", &job);

    (void)state;
    set_time(&scene, 17);
    assert_is_sample(&scene, "IOR 2.10", "ior-old-2.10.3-v.txt", "\n\nRun began: ");
}

/* ---- 3.0 ---- */

static void text_of_3_0_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB,
        .mib_per_s = {602.82, 11901.6401, 233.89, 20611.3299},
        .rows = {{0, 0.000045, 0.001610, 0.000040, 0, 0},
                 {0, 0.000003, 0.000080, 0.000026, 0, 0},
                 {0, 0.000012, 0.004262, 0.003323, 0, 0},
                 {0, 0.000003, 0.000045, 0.000004, 0, 0}},
        .removal_s = {0.000434, 0.000373},
    };
    struct scene scene = make_shared("/scratch/old/3.0.1/ior", &job);

    (void)state;
    set_time(&scene, 17);
    assert_is_sample(&scene, "IOR 3.0", "ior-old-3.0.1.txt", "\n\nBegan: ");
}

static void verbose_text_of_3_0_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB / 2,
        .mib_per_s = {294.2530, 4972.0551, 122.6247, 9584.5951},
        .rows = {{0, 0.000061, 0.001634, 0.000638, 0, 0},
                 {0, 0.000003, 0.000097, 0.000070, 0, 0},
                 {0, 0.000020, 0.004056, 0.003027, 0, 0},
                 {0, 0.000003, 0.000050, 0.000026, 0, 0}},
        .removal_s = {0.003608, 0.003842},
    };
    struct scene scene = make_own_verbose("/scratch/old/3.0.1/ior", &job);

    (void)state;
    set_time(&scene, 18);
    assert_is_sample(&scene, "IOR 3.0", "ior-old-3.0.1-v.txt", "\n\nBegan: ");
}

/* ---- 3.2 to 4.0 ---- */

static void text_of_3_2_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB / 2,
        .mib_per_s = {6873.4652 / 16, 203946.3551 / 16, 9285.5351 / 16, 188022.9351 / 16},
        .rows = {{0, 0.000474, 0.000701, 0.000044, 0, 0},
                 {0, 0.000003, 0.000036, 0.000004, 0, 0},
                 {0, 0.000008, 0.000852, 0.000320, 0, 0},
                 {0, 0.000002, 0.000040, 0.000004, 0, 0}},
        .removal_s = {0.000198, 0.000542},
    };
    struct scene scene = SCENE_OPEN("/scratch/old/3.2.1/ior", "-a", "POSIX", "-t", "64k", "-b",
                                    "64k", "-s", "4", "-i", "2", "-e", "-o", "/scratch/f");
    struct weir_layout layout = {.segment_count = 4, .block_bytes = T64K, .transfer_bytes = T64K};

    (void)state;
    run_job(&scene, &job, scene_test(&scene, 2, "/scratch/f"), true, layout);
    set_time(&scene, 52);
    assert_is_sample(&scene, "IOR 3.2", "ior-old-3.2.1.txt", "\nBegan ");
}

static void verbose_text_of_3_2_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB / 2,
        .mib_per_s = {5653.14 / 16, 169036.7001 / 16, 6873.99 / 16, 150438.15 / 16},
        .rows = {{0, 0.000061, 0.001371, 0.000331, 0, 0},
                 {0, 0.000007, 0.000041, 0.000006, 0, 0},
                 {0, 0.000021, 0.001142, 0.000587, 0, 0},
                 {0, 0.000006, 0.000049, 0.000006, 0, 0}},
        .removal_s = {0.000397, 0.000355},
    };
    struct scene scene = make_own_verbose("/scratch/old/3.2.1/ior", &job);

    (void)state;
    set_time(&scene, 18);
    assert_is_sample(&scene, "IOR 3.2", "ior-old-3.2.1-v.txt", "\nBegan ");
}

static void text_of_3_3_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB,
        .mib_per_s = {7384.6251 / 16, 280485.2352 / 16, 2647.6449 / 16, 347826.0851 / 16},
        .rows = {{0, 0.000050, 16 / 7569.0, 0.000368, 0, 0.000437},
                 {0, 0.000003, 16 / 302223.0, 0.000001, 0, 0.000013},
                 {0, 0.000013, 16 / 2654.47, 0.004888, 0, 0.000286},
                 {0, 0.000003, 16 / 375472.0, 0.000002, 0, 0.000010}},
        .removal_s = {0.000439, 0.000323},
    };
    struct scene scene = make_shared("/scratch/old/3.3.0/ior", &job);

    (void)state;
    set_time(&scene, 19);
    assert_is_sample(&scene, "IOR 3.3", "ior-old-3.3.0.txt", "\nBegan ");
}

static void text_of_4_0_is_that_of_the_sample(void **state)
{
    static const struct job job = {
        .bytes = MIB,
        .mib_per_s = {7107.4751 / 16, 302292.1752 / 16, 10289.6149 / 16, 372827.0249 / 16},
        .rows = {{0, 0.000043, 16 / 7243.0, 0.000739, 0, 0.000368},
                 {0, 0.000003, 16 / 319566.0, 0.000002, 0, 0.000013},
                 {0, 0.000018, 16 / 10417.0, 0.000587, 0, 0.000238},
                 {0, 0.000002, 16 / 390168.0, 0.000003, 0, 0.000010}},
        .removal_s = {0.0003, 0.0003},
    };
    struct scene scene = make_shared("/scratch/old/4.0.0/ior", &job);

    (void)state;
    set_time(&scene, 19);
    assert_is_sample(&scene, "IOR 4.0", "ior-old-4.0.0.txt", "\nBegan ");
}

/* ---- 4.1 at -vvv ---- */

/* Replaces the first place of `old`, which must be there. */
static void replace(struct weir_text *text, const char *old, const char *new)
{
    struct weir_text result = {0};
    const char *place = strstr(weir_text_string(text), old);

    assert_non_null(place);
    weir_text_add_bytes(&result, text->data, (size_t)(place - text->data));
    weir_text_add(&result, "%s%s", new, place + strlen(old));
    weir_text_close(text);
    *text = result;
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The lines in the order of the alphabet, from "Began" on. */
static void sort_lines(struct weir_text *text)
{
    struct weir_text result = {0};
    char *lines[256];
    size_t count = 0;

    for (char *line = strstr(text->data, "\nBegan ") + 1; *line && count < 256; count++) {
        char *end = strchr(line, '\n');

        assert_non_null(end);
        *end = '\0';
        lines[count] = line;
        line = end + 1;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        weir_text_add(&result, "%s\n", lines[i]);
    weir_text_close(text);
    *text = result;
}

/* Stamps of the sample in microseconds after 00:01:43. */
static void add_stamps(struct scene *scene, struct weir_phase_result *done,
                       const int stamps_us[2][WEIR_STAMP_COUNT])
{
    struct weir_rank_row *rows = weir_arena_take(&scene->plan->arena, 2 * sizeof *rows);

    for (unsigned rank = 0; rank < 2; rank++)
        for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
            rows[rank].stamps_ns[i] = (int64_t)stamps_us[rank][i] * 1000;
    done->rows = rows;
}

static struct scene make_very_verbose(void)
{
    static const int stamps_us[2][2][WEIR_STAMP_COUNT] = {
        {{325253, 325305, 325310, 326078, 326078, 326082},
         {325251, 325306, 325306, 326306, 326306, 326310}},
        {{326517, 326521, 326542, 326556, 326556, 326557},
         {326527, 326559, 326559, 326569, 326570, 326570}},
    };
    struct scene scene = SCENE_OPEN("ior", "-vvv", "-t", "64k", "-b", "128k", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 128 * KIB, .transfer_bytes = T64K};
    struct weir_phase *phases[] = {
        scene_phase(&scene, test, WEIR_WRITE, target, layout),
        scene_phase(&scene, test, WEIR_READ, target, layout),
        scene_phase(&scene, test, WEIR_REMOVE, target, layout),
    };
    const struct scene_row rows[] = {
        {MIB / 4, 55e-6, 4 / 3999.0, 232e-6, 4 / 3777.80, 384e-6},
        {MIB / 4, 42e-6, 4 / 147169.0, 14e-6, 4 / 75573.05, 7e-6},
        {0, 0, 0, 0, 62e-6, 0},
    };

    scene.plan->output.verbosity = 3;
    scene.result->host = (struct weir_host_facts){"Linux", "vm", "6.18.44-fc-v669",
                                                  "#1 SMP PREEMPT_DYNAMIC @0", "x86_64"};
    scene.result->tests[0].filesystem.bytes_used = 252 * GIB / 1000 * 53;
    scene.result->begun_s = scene.result->finished_s = scene.result->tests[0].begun_s = BEGUN_S + 2;
    for (unsigned i = 0; i < 3; i++) {
        struct weir_phase_result *done = scene_done(&scene, test, phases[i], 0, rows[i]);

        done->begun_s = BEGUN_S + 2;
        done->data_seed = 1795219303;
        add_stamps(&scene, done, stamps_us[i % 2]);
    }
    return scene;
}

/* The same lines, but for the environment, which we do not tell, and what IOR prints wrong there: a
 * letter of the data that is none, and a line of another task within one. In which order tasks come
 * to print is up to them. */
static void lines_at_vvv_are_those_of_the_sample(void **state)
{
    struct scene scene = make_very_verbose();
    struct weir_text expected = {0};
    struct weir_text actual = {0};

    (void)state;
    load_sample("ior-vvv.txt", &expected);
    replace(&expected, "STARTING ENVIRON LOOP\n", "");
    replace(&expected, "<every NAME=VALUE of rank 0 environment, one per line; elided here>\n", "");
    replace(&expected, "ENDING ENVIRON LOOP\n", "");
    replace(&expected, "outlierThreshold    : task 1 writing /scratch/f\n0\n",
            "outlierThreshold    : 0\ntask 1 writing /scratch/f\n");
    replace(&expected, "data packet type    : g\n", "data packet type    : t\n");
    scene.plan->output.is_plain = true;
    weir_report_whole(&actual, scene.plan, scene.result);
    sort_lines(&expected);
    sort_lines(&actual);
    assert_same_lines(weir_text_string(&actual), weir_text_string(&expected));
    weir_text_close(&expected);
    weir_text_close(&actual);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_2_10_is_that_of_the_sample),
        cmocka_unit_test(verbose_text_of_2_10_is_that_of_the_sample),
        cmocka_unit_test(text_of_3_0_is_that_of_the_sample),
        cmocka_unit_test(verbose_text_of_3_0_is_that_of_the_sample),
        cmocka_unit_test(text_of_3_2_is_that_of_the_sample),
        cmocka_unit_test(verbose_text_of_3_2_is_that_of_the_sample),
        cmocka_unit_test(text_of_3_3_is_that_of_the_sample),
        cmocka_unit_test(text_of_4_0_is_that_of_the_sample),
        cmocka_unit_test(lines_at_vvv_are_those_of_the_sample),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("report_versions", tests, NULL, NULL);
}
