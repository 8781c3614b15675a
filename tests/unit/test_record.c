/* SPDX-License-Identifier: Apache-2.0 */
/* The result file: there and back, cut off, damaged. */
#include "record/record.h"
#include "report_cases.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int open_file(char *path, size_t bytes)
{
    const char *folder = getenv("TMPDIR");
    int descriptor;

    snprintf(path, bytes, "%s/weir-record-XXXXXX", folder ? folder : "/tmp");
    descriptor = mkostemp(path, O_APPEND);
    assert_true(descriptor >= 0);
    return descriptor;
}

static void assert_same_reports(struct scene *left, struct scene *right)
{
    struct weir_text a = {0};
    struct weir_text b = {0};

    for (size_t j = 0; j < FORMAT_COUNT; j++) {
        report_as(&a, left, formats[j].format);
        report_as(&b, right, formats[j].format);
        assert_string_equal(weir_text_string(&a), weir_text_string(&b));
    }
    weir_text_clear(&a);
    weir_text_clear(&b);
    record_whole(&a, left);
    record_whole(&b, right);
    assert_string_equal(weir_text_string(&a), weir_text_string(&b));
    weir_text_close(&a);
    weir_text_close(&b);
}

/* The last run of a file. */
static struct scene read_scene(const char *path)
{
    struct weir_recorded read = {0};
    struct weir_error error = {0};

    if (weir_record_read(path, WEIR_LAST_RUN, &read, &error) != 0)
        fail_msg("%s", error.text);
    return (struct scene){.plan = read.plan, .result = read.result};
}

/* What explains a plan, its id and the words that were typed: nothing of it is lost. */
static void assert_same_plan(const struct weir_plan *wrote, const struct weir_plan *read)
{
    struct weir_text a = {0};
    struct weir_text b = {0};

    weir_plan_explain(wrote, &a);
    weir_plan_explain(read, &b);
    assert_string_equal(weir_text_string(&a), weir_text_string(&b));
    weir_text_close(&a);
    weir_text_close(&b);
    assert_string_equal(read->command_line, wrote->command_line);
    assert_int_equal(read->phase_count, wrote->phase_count);
    assert_int_equal(read->source.word_count, wrote->source.word_count);
    for (size_t i = 0; i < wrote->source.word_count; i++)
        assert_string_equal(read->source.words[i], wrote->source.words[i]);
    if (wrote->source.script)
        assert_string_equal(read->source.script, wrote->source.script);
    else
        assert_null(read->source.script);
}

static int append(int descriptor, const struct weir_text *text)
{
    struct weir_record_file file = {.descriptor = descriptor};
    int code = weir_record_append(&file, text);

    weir_text_close(&file.pending);
    return code;
}

static void a_result_that_was_recorded_and_read_gives_the_same_reports(void **state)
{
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    /* Each run is appended to those before it: the last one counts. */
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct scene again;
        struct weir_text text = {0};

        record_whole(&text, &scene);
        assert_int_equal(append(descriptor, &text), 0);
        again = read_scene(path);
        assert_same_plan(scene.plan, again.plan);
        assert_same_reports(&scene, &again);
        scene_close(&again);
        weir_text_close(&text);
        scene_close(&scene);
    }
    close(descriptor);
    unlink(path);
}

/* All that came with reports of ranks, of transfers and of files that were there before. */
static struct scene make_rich(void)
{
    static const char *const remarks[] = {"-z was \"ignored\"", "so was -c\nand \xff"};
    struct scene scene = make_default();
    struct weir_test *test = scene.plan->tests[0];
    struct weir_test_result *begun = &scene.result->tests[0];
    struct weir_phase_result *done = &scene.result->phases[0];

    test->remarks = remarks;
    test->remark_count = 2;
    test->given_nodes = 8;
    test->given_ranks_per_node = 4;
    begun->existing_count = 3;
    snprintf(begun->existing_path, sizeof begun->existing_path, "out/\xfe");
    done->has_differing_sizes = true;
    done->unlogged_ops = 12345678901;
    for (unsigned i = 0; i < WEIR_OUTLIERS_KEPT; i++) {
        struct weir_outlier *outlier = weir_result_add_outlier(done);

        *outlier = (struct weir_outlier){.rank = i,
                                         .kind = (enum weir_outlier_kind)(i % WEIR_OUTLIER_KINDS),
                                         .value_s = 0.5 * i,
                                         .mean_s = 0.25,
                                         .stddev_s = 0.125};
        snprintf(outlier->host, sizeof outlier->host, "n%u", i);
    }
    done->outlier_count = 70;
    return scene;
}

static void assert_rich(const struct weir_result *result)
{
    const struct weir_phase_result *phase = &result->phases[0];

    assert_int_equal(result->tests[0].existing_count, 3);
    assert_string_equal(result->tests[0].existing_path, "out/\xfe");
    assert_true(phase->has_differing_sizes);
    assert_int_equal(phase->unlogged_ops, 12345678901);
    assert_int_equal(phase->outlier_count, 70);
    for (unsigned i = 0; i < WEIR_OUTLIERS_KEPT; i++) {
        char host[16];

        snprintf(host, sizeof host, "n%u", i);
        assert_int_equal(phase->outliers[i].rank, i);
        assert_int_equal(phase->outliers[i].kind, i % WEIR_OUTLIER_KINDS);
        assert_string_equal(phase->outliers[i].host, host);
        assert_float_equal(phase->outliers[i].value_s, 0.5 * i, 0);
        assert_float_equal(phase->outliers[i].mean_s, 0.25, 0);
        assert_float_equal(phase->outliers[i].stddev_s, 0.125, 0);
    }
}

static void outliers_sizes_logs_and_existing_files_come_back(void **state)
{
    struct scene scene = make_rich();
    struct scene again;
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    record_whole(&text, &scene);
    assert_non_null(strstr(text.data, "\"given_nodes\":8,\"given_ranks_per_node\":4"));
    assert_non_null(strstr(text.data, "\"remarks\":[\"-z was \\\"ignored\\\"\",{\"hex\":"));
    assert_int_equal(append(descriptor, &text), 0);
    again = read_scene(path);
    assert_rich(again.result);
    assert_same_reports(&scene, &again);
    scene_close(&again);
    weir_text_close(&text);
    close(descriptor);
    unlink(path);
    scene_close(&scene);
}

/* Writes the scene to a file and reads it. */
static struct scene reread(const struct scene *scene)
{
    struct scene again;
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);

    record_whole(&text, scene);
    assert_int_equal(append(descriptor, &text), 0);
    again = read_scene(path);
    close(descriptor);
    unlink(path);
    weir_text_close(&text);
    return again;
}

/* short_ns is for adding only. */
static void assert_same_times(const struct weir_histogram *one, const struct weir_histogram *other)
{
    assert_memory_equal(one, other, offsetof(struct weir_histogram, short_ns));
    assert_memory_equal(&one->first, &other->first,
                        sizeof *one - offsetof(struct weir_histogram, first));
}

static void open_loops_come_back_with_their_backlog(void **state)
{
    struct scene scene = make_open_loop();
    const struct weir_phase_result *wrote = &scene.result->phases[1];
    const struct weir_phase_result *read;
    struct scene again = reread(&scene);

    (void)state;
    read = &again.result->phases[1];
    assert_memory_equal(&read->pace, &wrote->pace, sizeof read->pace);
    assert_same_times(read->response, wrote->response);
    assert_same_times(read->submission, wrote->submission);
    assert_memory_equal(read->series, wrote->series, sizeof *read->series);
    assert_int_equal(read->series->backlog[3], 7);
    assert_int_equal(read->depth, 4);
    assert_int_equal(read->batch, 1);
    assert_float_equal(read->cpu_user_s, wrote->cpu_user_s, 0);
    assert_float_equal(read->cpu_system_s, wrote->cpu_system_s, 0);
    assert_null(read->write_latency);
    scene_close(&again);
    scene_close(&scene);
}

/* Rates of 1,000 ranks become 256, with the slowest and the fastest; the matrix comes back as it
 * was. */
static void single_ranks_come_back(void **state)
{
    static uint8_t levels[3 * 5];
    static struct weir_rank_row rows[1000];
    struct scene scene = make_open_loop();
    struct weir_phase_result *wrote = &scene.result->phases[1];
    const struct weir_phase_result *read;
    struct scene again;

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        rows[i].counted_ns = 2000000000;
        rows[i].counted_bytes = 4000 + 2 * ((i * 7) % 1000);
    }
    for (unsigned i = 0; i < sizeof levels; i++)
        levels[i] = (uint8_t)(i * 17);
    wrote->arena = &scene.result->arena;
    weir_rank_rates_derive(wrote, rows, 1000, true);
    assert_int_equal(wrote->rank_rates.count, WEIR_RANK_RATES_MAX);
    assert_float_equal(wrote->rank_rates.list[0].per_s, 2000, 0);
    assert_int_equal(wrote->rank_rates.list[0].rank, 0);
    assert_float_equal(wrote->rank_rates.list[255].per_s, 2999, 0);
    for (unsigned i = 1; i < WEIR_RANK_RATES_MAX; i++)
        assert_true(wrote->rank_rates.list[i].per_s > wrote->rank_rates.list[i - 1].per_s);
    wrote->rank_series = (struct weir_rank_series){.rows = 3,
                                                   .columns = 5,
                                                   .ranks_per_row = 4,
                                                   .interval_ns = 1 << 23,
                                                   .is_in_bytes = true,
                                                   .greatest = 12345.5,
                                                   .levels = levels};
    again = reread(&scene);
    read = &again.result->phases[1];
    assert_int_equal(read->rank_rates.count, wrote->rank_rates.count);
    for (unsigned i = 0; i < WEIR_RANK_RATES_MAX; i++) {
        assert_int_equal(read->rank_rates.list[i].rank, wrote->rank_rates.list[i].rank);
        assert_float_equal(read->rank_rates.list[i].per_s, wrote->rank_rates.list[i].per_s, 0);
    }
    assert_int_equal(read->rank_series.rows, 3);
    assert_int_equal(read->rank_series.columns, 5);
    assert_int_equal(read->rank_series.ranks_per_row, 4);
    assert_int_equal(read->rank_series.interval_ns, 1 << 23);
    assert_float_equal(read->rank_series.greatest, 12345.5, 0);
    assert_float_equal(weir_rank_series_rate(&read->rank_series, 0, 3),
                       0.04 * 12345.5 * 1e9 / (1 << 23), 1e-3);
    assert_true(read->rank_series.is_in_bytes);
    assert_true(read->rank_rates.is_in_bytes);
    assert_memory_equal(read->rank_series.levels, levels, sizeof levels);
    scene_close(&again);
    scene_close(&scene);
}

static void searches_and_grants_come_back(void **state)
{
    struct scene scene = make_depth_search();
    struct weir_phase_result *wrote = &scene.result->phases[0];
    const struct weir_phase_result *read;
    struct scene again;

    (void)state;
    wrote->granted = "ring\xff";
    wrote->blocked_count = 12345678901;
    again = reread(&scene);
    read = &again.result->phases[0];
    assert_int_equal(read->depth_curve.count, wrote->depth_curve.count);
    assert_memory_equal(read->depth_curve.points, wrote->depth_curve.points,
                        read->depth_curve.count * sizeof *read->depth_curve.points);
    assert_string_equal(read->granted, "ring\xff");
    assert_string_equal(read->shortfall, wrote->shortfall);
    assert_int_equal(read->shortfall_rank_count, 2);
    assert_int_equal(read->blocked_count, 12345678901);
    scene_close(&again);
    scene_close(&scene);
}

static void mixed_phases_come_back_with_what_reads_and_writes_took(void **state)
{
    struct scene scene = make_mixed();
    const struct weir_phase_result *wrote = &scene.result->phases[1];
    const struct weir_phase_result *read;
    struct scene again = reread(&scene);

    (void)state;
    read = &again.result->phases[1];
    assert_same_times(read->write_latency, wrote->write_latency);
    assert_same_times(read->read_latency, wrote->read_latency);
    assert_float_equal(read->overlapped_data_share, 0.375, 0);
    assert_null(read->response);
    assert_int_equal(read->depth_curve.count, 0);
    assert_null(read->shortfall);
    scene_close(&again);
    scene_close(&scene);
}

/* Every member, known or not. */
static struct scene make_known_places(void)
{
    struct scene scene = make_misplaced();
    struct weir_node_places *node = &scene.result->phases[0].node_places[0];
    struct weir_rank_place *rank = &scene.result->phases[0].rank_places[1];
    struct weir_node_facts *facts = &scene.result->node_groups[0].facts;

    scene_job(&scene);
    scene.result->job[0].value = "srun \xff";
    facts->numa_nodes = 17;
    facts->nics[1].numa_node = WEIR_NUMA_UNKNOWN;
    facts->open_files = WEIR_UNLIMITED;
    *node = (struct weir_node_places){.host = "n\xfe",
                                      .rank_count = 1,
                                      .cpus = scene_cpus("3-5,1023"),
                                      .core_count = 2,
                                      .given_core_count = 3,
                                      .is_pinned = true,
                                      .crowded_count = 4,
                                      .first_crowded = 5,
                                      .crowded_cpu = 6,
                                      .moved_count = 7,
                                      .first_moved = 8,
                                      .narrowed_count = 9,
                                      .far_count = 10,
                                      .cpu_nodes = UINT64_C(1) << 63 | 5,
                                      .page_nodes = 0,
                                      .away_count = 11,
                                      .first_away = 12,
                                      .away_permille = 13,
                                      .remote_count = 14,
                                      .first_remote = 15,
                                      .asks_nodes = true,
                                      .cpu_s = 16.5,
                                      .wall_s = 17.25,
                                      .migrations = 18,
                                      .preemptions = WEIR_UNKNOWN,
                                      .throttled_s = 19.125,
                                      .stolen_share = 0.5};
    *rank = (struct weir_rank_place){.rank = 1,
                                     .node = 1,
                                     .last_cpu = 2,
                                     .cpus = scene_cpus("2"),
                                     .cpu_nodes = 3,
                                     .page_nodes = 4,
                                     .away_permille = 5,
                                     .is_moved = true,
                                     .migrations = WEIR_UNKNOWN,
                                     .preemptions = 6};
    return scene;
}

static void assert_same_environment(const struct weir_result *a, const struct weir_result *b)
{
    const struct weir_test_result *storages[] = {&a->tests[0], &b->tests[0]};

    assert_string_equal(a->mpi_library, b->mpi_library);
    assert_int_equal(a->job_count, b->job_count);
    for (unsigned i = 0; i < a->job_count; i++) {
        assert_string_equal(a->job[i].key, b->job[i].key);
        assert_string_equal(a->job[i].value, b->job[i].value);
    }
    assert_int_equal(a->node_group_count, b->node_group_count);
    for (unsigned i = 0; i < a->node_group_count; i++) {
        assert_int_equal(a->node_groups[i].count, b->node_groups[i].count);
        assert_string_equal(a->node_groups[i].hosts, b->node_groups[i].hosts);
        assert_memory_equal(&a->node_groups[i].facts, &b->node_groups[i].facts,
                            sizeof a->node_groups[i].facts);
    }
    assert_int_equal(storages[0]->storage_count, storages[1]->storage_count);
    for (unsigned i = 0; i < storages[0]->storage_count; i++) {
        assert_string_equal(storages[0]->storages[i].hosts, storages[1]->storages[i].hosts);
        assert_memory_equal(&storages[0]->storages[i].facts, &storages[1]->storages[i].facts,
                            sizeof storages[0]->storages[i].facts);
    }
}

static void environment_and_places_come_back_in_all_their_members(void **state)
{
    struct scene scene = make_known_places();
    struct scene again = reread(&scene);
    const struct weir_phase_result *wrote = scene.result->phases;
    const struct weir_phase_result *read = again.result->phases;
    const struct weir_traffic traffic = {.has_devices = true,
                                         .has_network = true,
                                         .device_read_bytes = 3 * MIB,
                                         .device_written_bytes = 21 * MIB + MIB / 4};

    (void)state;
    assert_same_environment(scene.result, again.result);
    for (unsigned i = 0; i < 2; i++) {
        assert_memory_equal(read[i].node_places, wrote[i].node_places,
                            wrote[i].node_count * sizeof *wrote[i].node_places);
        assert_memory_equal(read[i].rank_places, wrote[i].rank_places,
                            wrote[i].rank_count * sizeof *wrote[i].rank_places);
        assert_memory_equal(&read[i].traffic, &traffic, sizeof traffic);
        assert_int_equal(read[i].node_memory_bytes, 16 * GIB);
        assert_int_equal(read[i].residency.asked_bytes, 0);
    }
    scene_close(&again);
    scene_close(&scene);
}

static void what_is_not_known_of_caches_and_networks_comes_back_as_such(void **state)
{
    struct scene scene = make_places();
    struct scene again;
    const struct weir_result *result;

    (void)state;
    scene.result->is_out_of_time = true;
    scene.result->phases[0].rank_places = NULL;
    scene.result->phases[1].node_places = NULL;
    scene.result->phases[0].traffic.has_loopback = true;
    scene.result->phases[0].traffic.loopback_bytes = 5 * MIB;
    scene.result->phases[0].dirty = (struct weir_dirty_result){8 * MIB, 3 * MIB, 0, 0, 4};
    scene.result->phases[1].dirty = (struct weir_dirty_result){8 * MIB, MIB, 7 * MIB, 2 * MIB, 3};
    again = reread(&scene);
    result = again.result;
    for (unsigned i = 0; i < 2; i++)
        assert_memory_equal(&result->phases[i].dirty, &scene.result->phases[i].dirty,
                            sizeof result->phases[i].dirty);
    assert_int_equal(result->phases[0].traffic.loopback_bytes, 5 * MIB);
    assert_false(result->phases[1].traffic.has_loopback);
    assert_true(result->is_out_of_time);
    assert_false(result->phases[0].traffic.has_devices);
    assert_true(result->phases[0].traffic.has_network);
    assert_int_equal(result->phases[0].traffic.network_sent_bytes, 17 * MIB);
    assert_memory_equal(&result->phases[1].residency, &scene.result->phases[1].residency,
                        sizeof result->phases[1].residency);
    assert_non_null(result->phases[0].node_places);
    assert_null(result->phases[0].rank_places);
    assert_null(result->phases[1].node_places);
    scene_close(&again);
    scene_close(&scene);
}

/* Takes the keys out of all lines. */
static void delete_keys(struct weir_text *text, const char *const keys[], size_t count)
{
    struct weir_text rest = {0};

    for (char *line = text->data, *end; (end = strchr(line, '\n')); line = end + 1) {
        json_t *record = json_loadb(line, (size_t)(end - line), 0, NULL);
        char *dump;

        for (size_t i = 0; i < count; i++)
            json_object_del(record, keys[i]);
        dump = json_dumps(record, JSON_COMPACT);
        weir_text_add(&rest, "%s\n", dump);
        free(dump);
        json_decref(record);
    }
    weir_text_close(text);
    *text = rest;
}

/* Keys that a later version of the same schema adds are missing in the files of an earlier one. */
static void files_without_some_keys_are_read(void **state)
{
    static const char *const keys[] = {"build",       "mpi_library", "job",
                                       "storage",     "environment", "residency",
                                       "traffic",     "placement",   "node_memory_bytes",
                                       "out_of_time", "dirty"};
    struct scene scene = make_default();
    struct scene again;
    struct weir_text text = {0};
    char path[256];

    (void)state;
    close(open_file(path, sizeof path));
    record_whole(&text, &scene);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(strstr(text.data, keys[i]));
    delete_keys(&text, keys, sizeof keys / sizeof *keys);
    assert_null(strstr(text.data, "environment"));
    scene_store(path, text.data);
    again = read_scene(path);
    assert_null(again.result->phases[0].node_places);
    assert_null(again.result->mpi_library);
    assert_same_reports(&scene, &again);
    scene_close(&again);
    weir_text_close(&text);
    unlink(path);
    scene_close(&scene);
}

/* ---- keys of older versions ---- */

/* Gives members their former keys, as the tables say; returns how many. `value` is an object, or a
 * list of objects. */
static unsigned rename_to_former(json_t *value, const struct weir_json_field *fields)
{
    unsigned count = 0;
    size_t i;
    json_t *element;

    if (!json_is_object(value)) {
        json_array_foreach(value, i, element) count += rename_to_former(element, fields);
        return count;
    }
    for (const struct weir_json_field *field = fields; field->key; field++) {
        json_t *member = json_object_get(value, field->key);

        if (field->type == WEIR_JSON_FLAT)
            count += rename_to_former(value, field->fields);
        else if (field->fields && member)
            count += rename_to_former(member, field->fields);
        if (member && field->former) {
            json_object_set(value, field->former, member);
            json_object_del(value, field->key);
            count++;
        }
    }
    return count;
}

static unsigned rename_record(json_t *record)
{
    static const struct {
        const char *kind;
        const struct weir_json_field *fields;
    } rows[] = {
        {"run", weir_record_run_fields},      {"run", weir_record_plan_fields},
        {"test", weir_record_test_fields},    {"test", weir_record_planned_test_fields},
        {"phase", weir_record_phase_fields},  {"phase", weir_record_planned_phase_fields},
        {"phase", weir_record_detail_fields}, {"timed", weir_record_timed_fields},
        {"end", weir_record_end_fields},
    };
    const char *kind = json_string_value(json_object_get(record, "record"));
    unsigned count = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(kind, rows[i].kind) == 0)
            count += rename_to_former(record, rows[i].fields);
    return count;
}

static void former_keys_are_read(void **state)
{
    unsigned most = 0;

    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make(), again;
        struct weir_text text = {0}, former = {0};
        unsigned count = 0;
        char path[256];

        close(open_file(path, sizeof path));
        record_whole(&text, &scene);
        for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
            json_t *record = json_loadb(line, (size_t)(end - line), 0, NULL);
            char *dump;

            count += rename_record(record);
            dump = json_dumps(record, JSON_COMPACT);
            weir_text_add(&former, "%s\n", dump);
            free(dump);
            json_decref(record);
        }
        most = count > most ? count : most;
        scene_store(path, former.data);
        again = read_scene(path);
        assert_same_plan(scene.plan, again.plan);
        assert_same_reports(&scene, &again);
        scene_close(&again);
        scene_close(&scene);
        weir_text_close(&text);
        weir_text_close(&former);
        unlink(path);
    }
    assert_true(most > 50);
}

/* Files that were written before keys were renamed, against the golden ones of today: the same
 * lines, though not the same members of JSON. Sentences of findings are those of their time. */
static void stored_files_with_former_keys_give_the_same_reports(void **state)
{
    static const char *const names[] = {"misplaced", "removals", "failed"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[64];
        struct scene former, today;
        struct weir_text texts[2] = {{0}};

        snprintf(file, sizeof file, "report/former/%s.result", names[i]);
        former = read_scene(scene_golden(file));
        snprintf(file, sizeof file, "report/%s.result", names[i]);
        today = read_scene(scene_golden(file));
        former.plan->output.has_details = true; /* an option since then */
        assert_same_plan(today.plan, former.plan);
        report_as(&texts[0], &today, "ior");
        report_as(&texts[1], &former, "ior");
        /* Former files have no effects, which the verdict and the order of findings follow. */
        for (size_t k = 0; k < 2; k++)
            if (texts[k].data != NULL && strstr(texts[k].data, "\nweir  ") != NULL)
                *strstr(texts[k].data, "\nweir  ") = '\0';
        assert_string_equal(weir_text_string(&texts[0]), weir_text_string(&texts[1]));
        weir_text_close(&texts[0]);
        weir_text_close(&texts[1]);
        scene_close(&today);
        scene_close(&former);
    }
}

/* Cuts the file at every length: the reader must live with each, and what it gives is never more
 * than was written. */
static void a_file_cut_off_anywhere_is_read_as_far_as_it_goes(void **state)
{
    struct scene scene = make_default();
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);
    size_t first_line;

    (void)state;
    record_whole(&text, &scene);
    first_line = (size_t)(strchr(text.data, '\n') - text.data);
    assert_int_equal(append(descriptor, &text), 0);
    for (size_t length = text.length; length-- > 0;) {
        struct weir_recorded read = {0};
        struct weir_error error = {0};
        int code;

        assert_int_equal(ftruncate(descriptor, (off_t)length), 0);
        code = weir_record_read(path, WEIR_LAST_RUN, &read, &error);
        assert_int_equal(code == 0, length >= first_line);
        assert_int_equal(code != 0, weir_error_is_set(&error));
        if (code == 0) {
            /* Only the newline of the end record may be missing. */
            assert_int_equal(read.result->is_interrupted, length < text.length - 1);
            assert_in_range(read.result->phase_count, 0, scene.result->phase_count);
        }
        weir_recorded_close(&read);
    }
    close(descriptor);
    unlink(path);
    weir_text_close(&text);
    scene_close(&scene);
}

static void a_run_appended_to_a_cut_line_begins_a_line_of_its_own(void **state)
{
    struct scene scene = make_default();
    struct weir_text text = {0};
    struct weir_text cut = {0};
    struct scene again;
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    record_whole(&text, &scene);
    weir_text_add_bytes(&cut, text.data, text.length - 100);
    assert_int_equal(append(descriptor, &cut), 0);
    assert_int_equal(append(descriptor, &text), 0);
    again = read_scene(path);
    assert_false(again.result->is_interrupted);
    assert_int_equal(again.result->phase_count, scene.result->phase_count);
    scene_close(&again);
    close(descriptor);
    unlink(path);
    weir_text_close(&cut);
    weir_text_close(&text);
    scene_close(&scene);
}

/* ---- all runs of a file ---- */

#define SOUND_TEST(number) TEST_OF(number, "\"dialect\":\"ior\",\"backend_label\":\"POSIX\",")
#define TEST_OF(number, words)                                                                     \
    "{\"test\":" number ",\"repetitions\":1," words                                                \
    "\"backend\":{\"name\":\"posix\",\"label\":\"POSIX\",\"version\":\"\"},"                       \
    "\"phases\":[{\"phase\":" number ",\"verb\":\"write\",\"target\":{\"paths\":[\"f\"]},"         \
    "\"segments\":1,\"block_bytes\":8,\"transfer_bytes\":8}]}"
#define SOUND_RUN                                                                                  \
    "\"schema\":\"weir-result-2\",\"dialect\":\"ior\",\"plan_id\":\"0123456789abcdef\",\"argv\":"  \
    "[],"                                                                                          \
    "\"plan\":{\"command_line\":\"ior\",\"tests\":[" SOUND_TEST("0") "," SOUND_TEST("1") "]}"
#define RUN_OF(id) "{\"record\":\"run\",\"run_id\":\"" id "\"," SOUND_RUN "}\n"
#define RECORD_OF(id, kind, members) "{\"record\":\"" kind "\",\"run_id\":\"" id "\"," members "}\n"
#define ID_A "00000000000000aa"
#define ID_B "00000000000000bb"

static void runs_that_are_mixed_come_in_the_order_in_which_they_began(void **state)
{
    static const char content[] = RUN_OF(ID_A) RUN_OF(ID_B) RECORD_OF(ID_B, "test", "\"test\":1")
        RECORD_OF(ID_B, "end", "\"exit_code\":7") RECORD_OF(ID_A, "test", "\"test\":0")
            RECORD_OF(ID_A, "end", "\"exit_code\":0") "{\"record\":\"run\"," SOUND_RUN "}\n";
    struct weir_recorded *runs = NULL;
    struct weir_error error = {0};
    unsigned count = 0;
    char path[256];

    (void)state;
    close(open_file(path, sizeof path));
    scene_store(path, content);
    assert_int_equal(weir_record_read_all(path, &runs, &count, &error), 0);
    assert_int_equal(count, 3);
    assert_int_equal(runs[0].result->run_id, 0xaa);
    assert_int_equal(runs[0].result->exit_code, 0);
    assert_int_equal(runs[0].result->tests[0].test, 0);
    assert_int_equal(runs[1].result->run_id, 0xbb);
    assert_int_equal(runs[1].result->exit_code, 7);
    assert_int_equal(runs[1].result->tests[0].test, 1);
    assert_int_equal(runs[1].number, 1);
    assert_true(runs[2].result->is_interrupted);
    assert_int_equal(runs[2].plan->test_count, 2);
    weir_recorded_close_all(runs, count);
    unlink(path);
}

/* A run is handed over at its end: what stands behind it was not looked at yet. */
static void a_damaged_run_does_not_hide_those_before_it(void **state)
{
    static const char content[] = RUN_OF(ID_A) RECORD_OF(
        ID_A, "end", "\"exit_code\":0") "{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n";
    struct weir_record_reader *reader = NULL;
    struct weir_recorded run = {0};
    struct weir_error error = {0};
    char path[256];

    (void)state;
    close(open_file(path, sizeof path));
    scene_store(path, content);
    assert_int_equal(weir_record_open(path, WEIR_ALL_RUNS, &reader, &error), 0);
    assert_int_equal(weir_record_next(reader, &run, &error), 1);
    assert_int_equal(run.result->run_id, 0xaa);
    weir_recorded_close(&run);
    assert_true(weir_record_next(reader, &run, &error) < 0);
    assert_non_null(strstr(error.text, "run 2 has the schema weir-result-1; this version reads "
                                       "weir-result-2"));
    assert_null(run.plan);
    weir_record_close(reader);
    unlink(path);
}

/* ---- damaged files ---- */

#define DAMAGED_RUN(member) "{\"record\":\"run\"," SOUND_RUN "," member "}\n"
#define DAMAGED_TEST(member)                                                                       \
    "{\"record\":\"run\"," SOUND_RUN "}\n{\"record\":\"test\",\"test\":0," member "}\n"
#define DAMAGED_PHASE(members)                                                                     \
    "{\"record\":\"run\"," SOUND_RUN "}\n"                                                         \
    "{\"record\":\"test\",\"test\":0}\n"                                                           \
    "{\"record\":\"phase\",\"outcome\":\"complete\",\"test\":0," members "}\n"
#define RUN_OF_TEST(test) DAMAGED_RUN("\"plan\":{\"command_line\":\"ior\",\"tests\":[" test "]}")
#define TWO_POINTS "{\"depth\":1},{\"depth\":2},"
#define EIGHT_POINTS TWO_POINTS TWO_POINTS TWO_POINTS TWO_POINTS

static void assert_refused(const char *content, const char *sentence)
{
    struct weir_recorded read = {0};
    struct weir_error error = {0};
    char path[256];

    close(open_file(path, sizeof path));
    scene_store(path, content);
    if (weir_record_read(path, WEIR_LAST_RUN, &read, &error) >= 0)
        fail_msg("%s", content);
    assert_null(read.result);
    assert_null(read.plan);
    assert_non_null(strstr(error.text, sentence));
    assert_int_equal(error.exit, WEIR_EXIT_ENVIRONMENT);
    unlink(path);
}

/* A damaged record of a test or a phase is left out, and the rest is read. */
static void assert_left_out(const char *content)
{
    struct weir_recorded read = {0};
    struct weir_error error = {0};
    char path[256];

    close(open_file(path, sizeof path));
    scene_store(path, content);
    if (weir_record_read(path, WEIR_LAST_RUN, &read, &error) != 0 || read.damaged != 1)
        fail_msg("%u damaged in %s", read.damaged, content);
    assert_int_equal(read.result->phase_count, 0);
    weir_recorded_close(&read);
    unlink(path);
}

static void files_are_refused_and_records_left_out_that_are_damaged(void **state)
{
    static const struct {
        const char *content;
        const char *sentence; /* NULL: the run is read without this record */
    } cases[] = {
        {"", "holds no run"},
        {"write 1 2 3\n", "holds no run; result files"},
        {"[1]\n{\"record\":\"phase\"}\n", "holds no whole run: 2 lines are damaged"},
        {"{\"record\":\"run\"}\n", "has the schema (none)"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-9\"}\n", "has the schema weir-result-9"},
        {"{\"record\":\"run\"," SOUND_RUN ",\"host\":{\"node\":5}}\n", "damaged"},
        {"{\"record\":\"run\"," SOUND_RUN "}\n{\"record\":\"phase\"}\n", NULL},
        {"{\"record\":\"run\"," SOUND_RUN "}\n{\"record\":\"test\",\"test\":9}\n", NULL},
        {"{\"record\":\"run\"," SOUND_RUN "}\n{\"record\":\"test\",\"test\":1}\n"
         "{\"record\":\"test\",\"test\":1}\n",
         NULL},
        {"{\"record\":\"run\"," SOUND_RUN "}\n"
         "{\"record\":\"test\",\"test\":0}\n{\"record\":\"phase\",\"outcome\":\"complete\","
         "\"test\":0,\"outlier_count\":2,\"outliers\":[{\"kind\":\"open\"}]}\n",
         NULL},
        {"{\"record\":\"run\"," SOUND_RUN "}\n"
         "{\"record\":\"test\",\"test\":0}\n{\"record\":\"phase\",\"outcome\":\"complete\","
         "\"test\":0,\"outlier_count\":1,\"outliers\":[{\"kind\":\"lunch\"}]}\n",
         NULL},
        {"{\"record\":\"run\"," SOUND_RUN ",\"dialect\":7}\n", "its first line cannot be read"},
        {"{\"record\":\"run\"," SOUND_RUN ",\"plan\":{}}\n", "its first line cannot be read"},
        {"{\"record\":\"run\"," SOUND_RUN
         ",\"plan\":{\"command_line\":\"ior\",\"tests\":[" SOUND_TEST("0") "," SOUND_TEST(
             "0") "]}}\n",
         "its first line cannot be read"},
        {"{\"record\":\"run\"," SOUND_RUN ",\"plan\":{\"command_line\":\"ior\",\"tests\":["
         "{\"test\":0,\"repetitions\":1,\"phases\":[]}]}}\n",
         "its first line cannot be read"},
        {RUN_OF_TEST(TEST_OF("0", "\"dialect\":\"ior\",")), "its first line cannot be read"},
        {RUN_OF_TEST(TEST_OF("0", "\"backend_label\":\"POSIX\",")),
         "its first line cannot be read"},
        {RUN_OF_TEST(TEST_OF("0", "\"dialect\":\"ior\",\"backend_label\":null,")),
         "its first line cannot be read"},
        /* IOR moves data in every test, and its tests are IOR's. */
        {RUN_OF_TEST(
             "{\"test\":0,\"repetitions\":1,\"dialect\":\"ior\",\"backend_label\":\"POSIX\","
             "\"backend\":{\"name\":\"posix\",\"label\":\"POSIX\",\"version\":\"\"},"
             "\"phases\":[{\"phase\":0,\"verb\":\"remove\",\"target\":{\"paths\":[\"f\"]}}]}"),
         "its first line cannot be read"},
        {RUN_OF_TEST(TEST_OF("0", "\"dialect\":\"dd\",\"backend_label\":\"POSIX\",")),
         "its first line cannot be read"},
        {RUN_OF_TEST(TEST_OF(
             "0", "\"dialect\":\"mdtest\",\"backend_label\":\"POSIX\",") "],\"sweep\":{\"axes\":[]}"
                                                                         ",\"more\":["),
         "its first line cannot be read"},
        {DAMAGED_PHASE("\"phase\":1"), NULL},
        {DAMAGED_PHASE("\"program_result\":{}"), NULL},
        {DAMAGED_PHASE("\"enabled_features\":7"), NULL},
        {DAMAGED_PHASE("\"data_share\":1e308"), NULL},
        {DAMAGED_PHASE("\"data_share\":null"), NULL},
        {DAMAGED_PHASE("\"overlap_s\":null"), NULL},
        {DAMAGED_PHASE("\"windows\":{\"total_s\":null}"), NULL},
        {DAMAGED_PHASE(
             "\"latency\":{\"total\":1,\"min_ns\":null,\"max_ns\":5,\"buckets\":[[5,1]]}"),
         NULL},
        {DAMAGED_PHASE("\"depth\":-1"), NULL},
        {DAMAGED_PHASE("\"pace\":{\"asked_per_s\":\"fast\"}"), NULL},
        {DAMAGED_PHASE("\"cpu\":{\"user_s\":\"all\"}"), NULL},
        {DAMAGED_PHASE("\"missing_features\":{\"text\":\"\",\"ranks\":-1}"), NULL},
        {DAMAGED_PHASE("\"depth_curve\":[" EIGHT_POINTS EIGHT_POINTS EIGHT_POINTS EIGHT_POINTS
                       "{\"depth\":33}]"),
         NULL},
        {DAMAGED_PHASE("\"series\":{\"interval_ns\":1048576,\"ops\":[1],\"bytes\":[1],"
                       "\"backlog\":[1,2]}"),
         NULL},
        {DAMAGED_PHASE("\"rank_series\":{\"levels\":[\"00ff\",\"00\"]}"), NULL},
        {DAMAGED_PHASE("\"rank_series\":{\"levels\":[\"0g\"]}"), NULL},
        {DAMAGED_PHASE("\"rank_series\":{\"levels\":[\"\"]}"), NULL},
        {DAMAGED_PHASE("\"rank_series\":{\"levels\":[\"000\"]}"), NULL},
        {DAMAGED_PHASE("\"each_rank\":{\"rates\":{\"rank\":[1,2],\"per_s\":[1]}}"), NULL},
        {"{\"record\":\"run\"," SOUND_RUN "}\n"
         "{\"record\":\"phase\",\"outcome\":\"complete\",\"test\":0}\n"
         "{\"record\":\"test\",\"test\":0}\n",
         NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].sentence != NULL)
            assert_refused(cases[i].content, cases[i].sentence);
        else
            assert_left_out(cases[i].content);
}

static void damaged_environments_and_places_are_left_out(void **state)
{
    static const char *const runs[] = {
        DAMAGED_RUN("\"mpi_library\":4"),
        DAMAGED_RUN("\"job\":{\"slurm job\":4711}"),
        DAMAGED_RUN("\"environment\":[{}]"),
        DAMAGED_RUN("\"environment\":[{\"count\":1,\"hosts\":\"n1\",\"cores\":-1}]"),
        DAMAGED_RUN("\"environment\":[{\"count\":1,\"hosts\":\"n1\",\"memlock_bytes\":-1}]"),
        DAMAGED_RUN("\"environment\":[{\"count\":0,\"hosts\":\"n1\"}]"),
        DAMAGED_RUN("\"environment\":[{\"count\":1,\"hosts\":\"n1\","
                    "\"nics\":[{},{},{},{},{},{},{},{},{}]}]"),
        DAMAGED_RUN("\"environment\":[{\"count\":1,\"hosts\":\"n1\","
                    "\"nics\":[{\"numa_node\":-1}]}]"),
    };
    static const char *const tests[] = {
        DAMAGED_TEST("\"storage\":[{\"hosts\":\"n1\"}]"),
        DAMAGED_TEST("\"storage\":[{\"count\":1,\"hosts\":\"n1\","
                     "\"devices\":[{},{},{},{},{},{},{},{},{}]}]"),
    };
    static const char *const phases[] = {
        DAMAGED_PHASE("\"node_memory_bytes\":-1"),
        DAMAGED_PHASE("\"residency\":{\"asked_bytes\":-1}"),
        DAMAGED_PHASE("\"traffic\":{\"device_read_bytes\":\"all\"}"),
        DAMAGED_PHASE("\"traffic\":{\"network_received_bytes\":-1}"),
        DAMAGED_PHASE("\"nodes\":2,\"placement\":{\"nodes\":{\"host\":[\"n1\"]}}"),
        DAMAGED_PHASE("\"nodes\":1,\"placement\":{\"nodes\":{\"host\":[\"n1\"],"
                      "\"cores\":[1,2]}}"),
        DAMAGED_PHASE(
            "\"nodes\":1,\"placement\":{\"nodes\":{\"host\":[\"n1\"],\"cpus\":[\"0-\"]}}"),
        DAMAGED_PHASE("\"nodes\":1,\"placement\":{\"nodes\":{\"host\":[\"n1\"],"
                      "\"cpu_numa_nodes\":[[64]]}}"),
        DAMAGED_PHASE("\"nodes\":1,\"ranks\":1,\"placement\":{\"nodes\":{\"host\":[\"n1\"]},"
                      "\"ranks\":{\"node\":[1]}}"),
        DAMAGED_PHASE(
            "\"nodes\":1,\"ranks\":1000000000,\"placement\":{\"nodes\":{\"host\":[\"n1\"]},"
            "\"ranks\":{\"node\":[0]}}"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        assert_refused(runs[i], "its first line cannot be read");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        assert_left_out(tests[i]);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        assert_left_out(phases[i]);
}

static void a_missing_file_is_an_error_with_its_name(void **state)
{
    struct weir_recorded read = {0};
    struct weir_error error = {0};

    (void)state;
    assert_int_equal(weir_record_read("/nowhere/result", WEIR_LAST_RUN, &read, &error), -2);
    assert_non_null(strstr(error.text, "/nowhere/result: No such file"));
}

static void lock_as_another(int fd, short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};

    assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
}

/* One wait, however many records: the second and third ones would take 4 s more. */
static void records_wait_in_memory_for_a_lock_of_others(void **state)
{
    char path[256];
    struct weir_record_file file = {.descriptor = open_file(path, sizeof path), .path = path};
    int other = open(path, O_RDWR);
    struct weir_text text = {0};
    struct stat status;

    (void)state;
    weir_text_add(&text, "record\n");
    lock_as_another(other, F_WRLCK);
    assert_int_equal(weir_record_append(&file, &text), 0);
    assert_true(file.has_waited);
    assert_int_equal(weir_record_append(&file, &text), 0);
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_size, 0);
    assert_int_equal(file.pending.length, 2 * text.length);
    /* Once it is free, all is appended in order. */
    lock_as_another(other, F_UNLCK);
    assert_int_equal(weir_record_append(&file, &text), 0);
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_size, 3 * text.length);
    assert_int_equal(file.pending.length, 0);
    /* What is kept at the end is not lost. */
    lock_as_another(other, F_WRLCK);
    assert_int_equal(weir_record_append(&file, &text), 0);
    assert_int_equal(weir_record_finish(&file), 0);
    assert_int_equal(file.descriptor, -1);
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_size, 4 * text.length);
    assert_false(file.is_damaged);
    close(other);
    unlink(path);
    weir_text_close(&text);
}

/* A file that is to be emptied while it is synced; NULL = none. */
static const char *cut_in_sync;
int __real_fdatasync(int descriptor);
int __wrap_fdatasync(int descriptor);

int __wrap_fdatasync(int descriptor)
{
    if (cut_in_sync != NULL)
        assert_int_equal(truncate(cut_in_sync, 0), 0);
    cut_in_sync = NULL;
    return __real_fdatasync(descriptor);
}

static void a_file_that_others_change_is_seen_as_that(void **state)
{
    (void)state;
    for (unsigned deed = 0; deed < 6; deed++) {
        char path[256], moved[300];
        struct weir_record_file file = {.descriptor = open_file(path, sizeof path), .path = path};
        struct weir_text text = {0};

        weir_text_add(&text, "record\n");
        snprintf(moved, sizeof moved, "%s.moved", path);
        cut_in_sync = deed == 5 ? path : NULL;
        assert_int_equal(weir_record_append(&file, &text), 0);
        if (deed == 1)
            assert_int_equal(truncate(path, 0), 0);
        if (deed == 2)
            assert_int_equal(unlink(path), 0);
        if (deed == 3)
            assert_int_equal(rename(path, moved), 0);
        if (deed == 4) { /* another run appends */
            int other = open(path, O_WRONLY | O_APPEND);

            assert_int_equal(append(other, &text), 0);
            close(other);
        }
        assert_int_equal(weir_record_append(&file, &text), 0);
        assert_int_equal(weir_record_finish(&file), 0);
        assert_int_equal(file.is_damaged, deed != 0 && deed != 4);
        unlink(path);
        unlink(moved);
        weir_text_close(&text);
    }
}

static void an_append_that_fails_tells_why(void **state)
{
    struct weir_text text = {0};
    int full = open("/dev/full", O_WRONLY);

    (void)state;
    if (full < 0)
        skip();
    weir_text_add(&text, "x\n");
    assert_int_equal(append(full, &text), -28);
    close(full);
    weir_text_close(&text);
}

/* Who gives a file up after a failure closes it alone. */
static void what_a_failed_file_kept_in_memory_is_freed(void **state)
{
    struct weir_record_file file = {.descriptor = open("/dev/full", O_WRONLY)};
    struct weir_text text = {0};

    (void)state;
    if (file.descriptor < 0)
        skip();
    weir_text_add(&text, "x\n");
    assert_int_equal(weir_record_append(&file, &text), -28);
    close(file.descriptor);
    file.descriptor = -1;
    assert_int_equal(weir_record_finish(&file), 0);
    assert_null(file.pending.data);
    weir_text_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_that_was_recorded_and_read_gives_the_same_reports),
        cmocka_unit_test(outliers_sizes_logs_and_existing_files_come_back),
        cmocka_unit_test(open_loops_come_back_with_their_backlog),
        cmocka_unit_test(single_ranks_come_back),
        cmocka_unit_test(searches_and_grants_come_back),
        cmocka_unit_test(mixed_phases_come_back_with_what_reads_and_writes_took),
        cmocka_unit_test(environment_and_places_come_back_in_all_their_members),
        cmocka_unit_test(what_is_not_known_of_caches_and_networks_comes_back_as_such),
        cmocka_unit_test(files_without_some_keys_are_read),
        cmocka_unit_test(former_keys_are_read),
        cmocka_unit_test(stored_files_with_former_keys_give_the_same_reports),
        cmocka_unit_test(a_file_cut_off_anywhere_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_run_appended_to_a_cut_line_begins_a_line_of_its_own),
        cmocka_unit_test(runs_that_are_mixed_come_in_the_order_in_which_they_began),
        cmocka_unit_test(a_damaged_run_does_not_hide_those_before_it),
        cmocka_unit_test(files_are_refused_and_records_left_out_that_are_damaged),
        cmocka_unit_test(damaged_environments_and_places_are_left_out),
        cmocka_unit_test(a_missing_file_is_an_error_with_its_name),
        cmocka_unit_test(records_wait_in_memory_for_a_lock_of_others),
        cmocka_unit_test(a_file_that_others_change_is_seen_as_that),
        cmocka_unit_test(an_append_that_fails_tells_why),
        cmocka_unit_test(what_a_failed_file_kept_in_memory_is_freed),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
