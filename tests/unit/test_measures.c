/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, figures, cases and dimensions of stored runs of every dialect. */
#include "report_scenes.h"

#include "weir/report/measures.h"

#include <dirent.h>

/* The stored result files of this folder of tests/golden, in `paths`. */
static unsigned find_files(const char *folder, char paths[][512], unsigned most)
{
    const char *root = scene_golden(folder);
    DIR *directory = opendir(root);
    struct dirent *entry;
    unsigned count = 0;

    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL && count < most) {
        const char *end = strrchr(entry->d_name, '.');

        if (end != NULL && strcmp(end, ".result") == 0)
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

static void every_stored_file_has_rows(void **state)
{
    char paths[64][512];
    unsigned count = find_files("report", paths, 64), phases = 0;
    const char *list[64];
    struct weir_measures_query query = {.paths = list, .path_count = count};
    const struct weir_measured_run *run;
    struct weir_error error = {0};
    struct weir_measures *reader;

    assert_true(count >= 10);
    for (unsigned i = 0; i < count; i++)
        list[i] = paths[i];
    reader = weir_measures_open(&query);
    while (weir_measures_next(reader, &run, &error) > 0) {
        phases += run->phase_count;
        for (unsigned i = 0; i < run->phase_count; i++)
            assert_phase(&run->phases[i]);
    }
    assert_false(weir_error_is_set(&error));
    assert_true(phases > count);
    assert_string_equal(weir_measures_damage(reader), "");
    weir_measures_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stored_file_has_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
