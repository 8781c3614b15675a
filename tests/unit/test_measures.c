/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, figures, cases and dimensions of stored runs of every dialect. */
#include "report_scenes.h"

#include "weir/report/measures.h"

#include <dirent.h>
#include <unistd.h>

/* The stored result files of this folder of tests/golden, in `paths`. */
static unsigned find_files(const char *folder, char paths[][512], unsigned most)
{
    struct dirent *entry;
    unsigned count = 0;
    char root[512];
    DIR *directory;

    snprintf(root, sizeof root, "%s/%s", WEIR_TEST_GOLDEN, folder);
    directory = opendir(root);
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL && count < most) {
        const char *end = strrchr(entry->d_name, '.');

        if (end != NULL && (strcmp(end, ".result") == 0 || strcmp(end, ".jsonl") == 0))
            snprintf(paths[count++], 512, "%s/%s", root, entry->d_name);
    }
    closedir(directory);
    return count;
}

static void assert_phase(const struct weir_measured_phase *phase)
{
    assert_int_equal(strlen(phase->case_id), 16);
    assert_true(phase->name[0] != '\0');
    assert_true(phase->verb[0] != '\0');
    assert_true(phase->dialect[0] != '\0');
    assert_non_null(phase->findings);
    for (unsigned i = 0; i < phase->figure_count; i++) {
        const struct weir_measured_figure *figure = &phase->figures[i];

        assert_true(figure->value >= 0.0 && figure->value < 1e300);
        assert_true(figure->n > 0);
        assert_ptr_equal(weir_measured_find(phase, figure->row->name), figure);
    }
}

/* All phases of the runs of the files; asserts each of them. */
static unsigned read_all(const char *const paths[], unsigned count, struct weir_text *damage)
{
    struct weir_measures_query query = {.paths = paths, .path_count = count};
    struct weir_measures *reader = weir_measures_open(&query);
    const struct weir_measured_run *run;
    struct weir_error error = {0};
    unsigned phases = 0;

    while (weir_measures_next(reader, &run, &error) > 0) {
        phases += run->phase_count;
        for (unsigned i = 0; i < run->phase_count; i++)
            assert_phase(&run->phases[i]);
    }
    if (weir_error_is_set(&error))
        assert_true(strstr(error.text, "holds no run") != NULL ||
                    strstr(error.text, "holds no whole run") != NULL ||
                    strstr(error.text, "run 1 is damaged") != NULL);
    weir_text_clear(damage);
    weir_text_add(damage, "%s", weir_measures_damage(reader));
    weir_measures_close(reader);
    return phases;
}

static void every_stored_file_has_rows(void **state)
{
    static const char *const folders[] = {"report", "data"};
    struct weir_text damage = {0};

    for (unsigned k = 0; k < 2; k++) {
        char paths[64][512];
        const char *list[64];
        unsigned count = find_files(folders[k], paths, 64);

        assert_true(count >= 9);
        for (unsigned i = 0; i < count; i++)
            list[i] = paths[i];
        assert_true(read_all(list, count, &damage) > count);
        assert_string_equal(weir_text_string(&damage), "");
    }
    weir_text_close(&damage);
}

static unsigned line_count(const char *text)
{
    unsigned count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

/* Of a file that is cut at any place, or has a line of something else, the rest is read, and one
 * sentence says so. */
static void damaged_files_give_what_is_whole(void **state)
{
    char paths[64][512], path[] = "/tmp/weir-measures-XXXXXX";
    unsigned count = find_files("data", paths, 64);
    const char *list[] = {path};
    struct weir_text damage = {0};

    close(mkstemp(path));
    for (unsigned i = 0; i < count; i++) {
        struct weir_text whole = {0}, text = {0};
        size_t middle;
        unsigned phases, before = 0;

        scene_load(paths[i], &whole);
        scene_store(path, whole.data);
        phases = read_all(list, 1, &damage);
        assert_int_equal(line_count(weir_text_string(&damage)), 0);
        for (size_t length = 97; length < whole.length; length += 97) {
            unsigned some;

            weir_text_clear(&text);
            weir_text_add_bytes(&text, whole.data, length);
            scene_store(path, text.data);
            some = read_all(list, 1, &damage);
            assert_true(some >= before && some <= phases);
            assert_true(line_count(weir_text_string(&damage)) <= 1);
            before = some;
        }
        middle = (size_t)(strchr(whole.data + whole.length / 2, '\n') - whole.data) + 1;
        weir_text_clear(&text);
        weir_text_add_bytes(&text, whole.data, middle);
        weir_text_add(&text, "\x01 garbage {\n");
        weir_text_add(&text, "%s", whole.data + middle);
        scene_store(path, text.data);
        assert_int_equal(read_all(list, 1, &damage), phases);
        assert_non_null(strstr(weir_text_string(&damage), ": 1 line is damaged"));
        weir_text_close(&whole);
        weir_text_close(&text);
    }
    unlink(path);
    weir_text_close(&damage);
}

/* ---- cases ---- */

/* The case of the write of a small plan, after one change of it. */
static void case_of(void (*change)(struct weir_test *test, struct weir_phase *phase,
                                   struct weir_target *target),
                    char id[17])
{
    struct scene scene = SCENE_OPEN("ior");
    struct weir_test *test = scene_test(&scene, 4, "/a/f");
    struct weir_target *target = scene_target(&scene, "/a/f", true);
    struct weir_phase *phase = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);

    if (change != NULL)
        change(test, phase, target);
    weir_plan_case_id(test, phase, id);
    scene_close(&scene);
}

static const char *const other_path[] = {"/b/g"};

static void change_path(struct weir_test *test, struct weir_phase *phase,
                        struct weir_target *target)
{
    target->paths = other_path;
}

static void change_ranks(struct weir_test *test, struct weir_phase *phase,
                         struct weir_target *target)
{
    test->rank_limit = phase->rank_limit = 2;
    test->node_limit = 1;
    test->repetitions = 9;
    test->peer = "ost3";
}

static void change_layout(struct weir_test *test, struct weir_phase *phase,
                          struct weir_target *target)
{
    target->is_shared = false;
}

static void change_collective(struct weir_test *test, struct weir_phase *phase,
                              struct weir_target *target)
{
    phase->transfers.is_collective = true;
}

static void change_sync(struct weir_test *test, struct weir_phase *phase,
                        struct weir_target *target)
{
    phase->transfers.must_sync_at_end = true;
}

static void change_shift(struct weir_test *test, struct weir_phase *phase,
                         struct weir_target *target)
{
    phase->shift.kind = WEIR_SHIFT_NODES;
    phase->shift.distance = 1;
}

static void change_caches(struct weir_test *test, struct weir_phase *phase,
                          struct weir_target *target)
{
    test->cache_drop = WEIR_DROP_FILES;
}

static void change_measure(struct weir_test *test, struct weir_phase *phase,
                           struct weir_target *target)
{
    test->measure = WEIR_MEASURE_CACHE;
}

static void change_backend(struct weir_test *test, struct weir_phase *phase,
                           struct weir_target *target)
{
    test->backend = &scene_dummy;
}

static void cases_differ_by_the_work_alone(void **state)
{
    static void (*const same[])(struct weir_test *, struct weir_phase *,
                                struct weir_target *) = {change_path, change_ranks};
    static void (*const other[])(struct weir_test *, struct weir_phase *, struct weir_target *) = {
        change_layout, change_collective, change_sync,   change_shift,
        change_caches, change_measure,    change_backend};
    char usual[17], id[17];

    case_of(NULL, usual);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        case_of(same[i], id);
        assert_string_equal(id, usual);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        case_of(other[i], id);
        assert_string_not_equal(id, usual);
    }
    /* Whoever changes the text of a case parts the runs of today from those of before. */
    assert_string_equal(usual, "932c99890aa3204f");
}

/* Two phases of a test that do the same have cases of their own. */
static void equal_phases_of_a_test_are_numbered(void **state)
{
    struct scene scene = SCENE_OPEN("ior");
    struct weir_test *test = scene_test(&scene, 4, "/a/f");
    struct weir_target *target = scene_target(&scene, "/a/f", true);
    struct weir_phase *one = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct weir_phase *two = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    char first[17], second[17];

    weir_plan_case_id(test, one, first);
    weir_plan_case_id(test, two, second);
    assert_string_not_equal(first, second);
    scene_close(&scene);
}

/* ---- choices ---- */

static void runs_are_chosen_by_number_label_and_test(void **state)
{
    char paths[64][512];
    unsigned count = find_files("data", paths, 64), runs = 0;
    const char *list[64];
    const struct weir_measured_run *run;
    struct weir_error error = {0};

    for (unsigned i = 0; i < count; i++)
        list[i] = paths[i];
    for (unsigned k = 0; k < 4; k++) {
        struct weir_measures_query query = {.paths = list, .path_count = count};
        struct weir_measures *reader;

        query.run = k == 0 ? "3" : k == 3 ? "99" : NULL;
        query.label = k == 1 ? "nightly" : NULL;
        query.test = k == 2 ? "1" : NULL;
        reader = weir_measures_open(&query);
        for (runs = 0; weir_measures_next(reader, &run, &error) > 0; runs++) {
            if (k == 0)
                assert_int_equal(run->number, 2);
            if (k == 1) {
                assert_string_equal(run->dialect, "mdtest");
                assert_string_equal(run->tags[0].key, "cluster");
                assert_string_equal(run->tags[0].value, "a");
            }
            for (unsigned i = 0; k == 2 && i < run->phase_count; i++)
                assert_int_equal(run->phases[i].test, 1);
        }
        assert_int_equal(runs, k == 0 || k == 1 ? 1 : k == 2 ? count : 0);
        assert_int_equal(weir_error_is_set(&error), k == 3);
        weir_measures_close(reader);
    }
    assert_non_null(strstr(error.text, "there is no run 99"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stored_file_has_rows),
        cmocka_unit_test(damaged_files_give_what_is_whole),
        cmocka_unit_test(cases_differ_by_the_work_alone),
        cmocka_unit_test(equal_phases_of_a_test_are_numbered),
        cmocka_unit_test(runs_are_chosen_by_number_label_and_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
