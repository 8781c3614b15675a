/* SPDX-License-Identifier: Apache-2.0 */
/* Reports against real outputs of IOR 4.1: with the same numbers they are the same, byte for
 * byte. */
#include "report_scenes.h"

#include <jansson.h>
#include <time.h>

#define T64K (64 * KIB)

/* ---- comparing ---- */

static bool begins_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

/* Lines that depend on the run's host, version or warnings, and the Max lines that we print at any
 * verbosity. */
static bool is_left_out(const char *line, bool has_maxima)
{
    static const char *const starts[] = {"$ ", "IOR-", "WARNING: "};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(line, starts[i]))
            return true;
    return !has_maxima && begins_with(line, "Max ");
}

static void keep_comparable(struct weir_text *kept, const char *text, bool has_maxima)
{
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) + 1 : strlen(text);

        if (!is_left_out(text, has_maxima))
            weir_text_add_bytes(kept, text, length);
        text += length;
    }
}

static void assert_is_sample(struct scene *scene, const char *sample, bool has_maxima)
{
    struct weir_text original = {0};
    struct weir_text expected = {0};
    struct weir_text report = {0};
    struct weir_text actual = {0};
    char name[64];

    snprintf(name, sizeof name, "samples/%s", sample);
    scene_load(scene_golden(name), &original);
    keep_comparable(&expected, weir_text_string(&original), has_maxima);
    scene->plan->output.is_plain = true;
    weir_report_whole(&report, scene->plan, scene->result);
    keep_comparable(&actual, weir_text_string(&report), has_maxima);
    assert_string_equal(weir_text_string(&actual), weir_text_string(&expected));
    weir_text_close(&original);
    weir_text_close(&expected);
    weir_text_close(&report);
    weir_text_close(&actual);
    scene_close(scene);
}

/* ---- the samples ---- */

static void default_sample_comes_out_byte_for_byte(void **state)
{
    struct scene scene =
        SCENE_OPEN("ior", "-a", "POSIX", "-t", "64k", "-b", "256k", "-s", "2", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 2, .block_bytes = 256 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);

    (void)state;
    scene_done(&scene, test, write, 0,
               (struct scene_row){MIB, 0.000038, 16 / 62777.0, 0.000013, 16 / 54604.45, 0.00003});
    scene_done(&scene, test, read, 0,
               (struct scene_row){MIB, 0.000002, 16 / 671089.0, 1e-6, 16 / 615677.65, 0.000003});
    assert_is_sample(&scene, "ior-default.txt", false);
}

static void repetitions_with_shift_come_out_byte_for_byte(void **state)
{
    static const struct {
        double write_iops, write_ops, write_latency, write_open, write_close;
        double read_iops, read_ops, read_latency, read_open, read_close;
    } rows[] = {
        {8879, 8569.64, 219e-6, 51e-6, 6e-6, 68409, 65091.04, 29e-6, 5e-6, 3e-6},
        {12758, 12384.01, 157e-6, 26e-6, 6e-6, 188508, 146846.55, 6e-6, 21e-6, 1e-6},
        {15813, 15563.28, 122e-6, 12e-6, 2e-6, 432960, 390167.81, 5e-6, 2e-6, 1e-6},
    };
    struct scene scene = SCENE_OPEN("ior", "-a", "POSIX", "-t", "64k", "-b", "256k", "-s", "2",
                                    "-i", "3", "-e", "-C", "-g", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 2, .block_bytes = 256 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);

    (void)state;
    read->shift.kind = WEIR_SHIFT_NODES;
    test->repetitions = 3;
    for (unsigned i = 0; i < 3; i++) {
        scene_done(&scene, test, write, i,
                   (struct scene_row){MIB, rows[i].write_open, 16 / rows[i].write_iops,
                                      rows[i].write_close, 16 / rows[i].write_ops,
                                      rows[i].write_latency});
        scene_done(&scene, test, read, i,
                   (struct scene_row){MIB, rows[i].read_open, 16 / rows[i].read_iops,
                                      rows[i].read_close, 16 / rows[i].read_ops,
                                      rows[i].read_latency});
    }
    assert_is_sample(&scene, "ior-default-reps3-e-C.txt", false);
}

static void verbose_sample_comes_out_byte_for_byte(void **state)
{
    struct scene scene = SCENE_OPEN("ior", "-v", "-t", "64k", "-b", "128k", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 128 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, layout);

    (void)state;
    scene.plan->output.verbosity = 1;
    scene.result->begun_s++;
    scene.result->finished_s++;
    scene.result->tests[0].begun_s++;
    scene_done(&scene, test, write, 0,
               (struct scene_row){MIB / 4, 41e-6, 4 / 39946.0, 17e-6, 4 / 28387.84, 43e-6});
    scene_done(&scene, test, read, 0,
               (struct scene_row){MIB / 4, 27e-6, 4 / 121574.0, 26e-6, 4 / 117323.19, 3e-6});
    scene_done(&scene, test, removal, 0, (struct scene_row){.total_s = 54e-6});
    assert_is_sample(&scene, "ior-v.txt", true);
}

static void very_verbose_sample_comes_out_byte_for_byte(void **state)
{
    struct scene scene =
        SCENE_OPEN("ior", "-v", "-v", "-t", "64k", "-b", "128k", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 128 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, layout);

    (void)state;
    scene.result->host = (struct weir_host_facts){"Linux", "vm", "6.18.44-fc-v669",
                                                  "#1 SMP PREEMPT_DYNAMIC @0", "x86_64"};
    write->transfers.payload = (struct weir_payload){.seed_is_given = true, .seed = 1795219302};
    scene.plan->output.verbosity = 2;
    scene.result->begun_s++;
    scene.result->finished_s++;
    scene.result->tests[0].begun_s++;
    scene_done(&scene, test, write, 0,
               (struct scene_row){MIB / 4, 51e-6, 4 / 32018.0, 16e-6, 4 / 22580.37, 56e-6});
    scene_done(&scene, test, read, 0,
               (struct scene_row){MIB / 4, 1e-6, 4 / 578525.0, 1e-6, 4 / 441505.684, 3e-6});
    scene_done(&scene, test, removal, 0, (struct scene_row){.total_s = 36e-6});
    assert_is_sample(&scene, "ior-vv.txt", true);
}

static void own_files_with_verification_come_out_byte_for_byte(void **state)
{
    struct scene scene = SCENE_OPEN("ior", "-a", "POSIX", "-t", "64k", "-b", "256k", "-F", "-w",
                                    "-r", "-W", "-R", "-G", "42", "-v", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f.00000000");
    struct weir_target *target = scene_target(&scene, "/scratch/f", false);
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 256 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *check = scene_phase(&scene, test, WEIR_READ, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, layout);

    (void)state;
    check->is_check = true;
    scene.plan->output.verbosity = 1;
    scene.result->begun_s++;
    scene.result->finished_s++;
    scene.result->tests[0].begun_s++;
    scene_done(&scene, test, write, 0,
               (struct scene_row){MIB / 2, 68e-6, 8 / 68339.0, 2e-6, 8 / 51228.14, 22e-6});
    scene_done(&scene, test, check, 0, (struct scene_row){.bytes = MIB / 2})->begun_s++;
    scene_done(&scene, test, read, 0,
               (struct scene_row){MIB / 2, 2e-6, 8 / 211034.0, 0.0, 8 / 205855.41, 9e-6});
    scene_done(&scene, test, removal, 0, (struct scene_row){.total_s = 39e-6});
    assert_is_sample(&scene, "ior-fpp-verify.txt", true);
}

static void wear_out_sample_comes_out_byte_for_byte(void **state)
{
    struct scene scene =
        SCENE_OPEN("ior", "-a", "DUMMY", "--dummy.delay-xfer=1000", "-t", "64k", "-b", "64k", "-s",
                   "2000", "-D", "1", "-O", "stoneWallingWearOut=1", "-w", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 2000, .block_bytes = T64K, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase_result *done;

    (void)state;
    test->backend = &scene_dummy;
    test->label = "DUMMY";
    write->stop = (struct weir_stop){.deadline_ns = SECOND_NS, .has_wear_out = true};
    scene.result->tests[0].filesystem.is_known = false;
    scene.result->begun_s += 3;
    scene.result->finished_s += 4;
    scene.result->tests[0].begun_s += 3;
    done = scene_done(
        &scene, test, write, 0,
        (struct scene_row){121503744, 0.0, 1854 / 1792.10, 0.033464, 1.034542, 0.001116});
    done->stonewall = (struct weir_stonewall){
        .has_deadline = true,
        .is_hit = true,
        .ops_min = 896,
        .ops_max = 927,
        .seconds = 1.0,
        .bytes_min = 896 * T64K,
        .bytes_mean = 56.91 * (double)MIB,
    };
    assert_is_sample(&scene, "ior-stonewall-wearout.txt", false);
}

static void csv_sample_comes_out_byte_for_byte(void **state)
{
    static const double mib_per_s[] = {1635.8440, 27594.1053, 4809.9817, 41943.0400};
    static const double iops[] = {39199.1028, 578524.6897, 86928.5803, 798915.0476};
    struct scene scene =
        SCENE_OPEN("ior", "-t", "64k", "-b", "128k", "-i", "2", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 128 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);

    (void)state;
    scene.plan->output.reporter = "ior csv";
    for (unsigned i = 0; i < 4; i++)
        scene_done(&scene, test, i % 2 ? read : write, i / 2,
                   (struct scene_row){.bytes = MIB / 4,
                                      .transfer_s = 4 / iops[i],
                                      .total_s = 0.25 / mib_per_s[i]});
    assert_is_sample(&scene, "ior-csv.txt", false);
}

static void csv_of_4_0_comes_out_byte_for_byte(void **state)
{
    static const struct {
        double mib_per_s, iops, latency_s, close_s;
    } rows[] = {
        {427.0316, 7142.2801, 0.0011, 0.0001},
        {5622.3914, 93206.7556, 0.0001, 0.0},
        {126.2964, 2025.8668, 0.0039, 0.0033},
        {9986.4381, 166111.0495, 0.0, 0.0},
    };
    struct scene scene =
        SCENE_OPEN("ior", "-t", "64k", "-b", "64k", "-s", "4", "-i", "2", "-e", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {.segment_count = 4, .block_bytes = T64K, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);

    (void)state;
    scene.plan->output.reporter = "ior csv";
    scene.plan->output.style = "IOR 4.0";
    for (unsigned i = 0; i < 4; i++)
        scene_done(&scene, test, i % 2 ? read : write, i / 2,
                   (struct scene_row){.bytes = MIB / 2,
                                      .transfer_s = 8 / rows[i].iops,
                                      .close_s = rows[i].close_s,
                                      .total_s = 0.5 / rows[i].mib_per_s,
                                      .latency_s = rows[i].latency_s});
    assert_is_sample(&scene, "ior-old-4.0.0-csv.txt", false);
}

/* ---- JSON: the same keys in the same order, with the same types ---- */

static json_t *load_json(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);

    if (!json)
        fail_msg("line %d: %s", error.line, error.text);
    return json;
}

static void assert_same_shape(json_t *actual, json_t *expected, const char *place)
{
    void *left = json_object_iter(actual);
    const char *key;
    json_t *value;

    assert_int_equal(json_typeof(actual), json_typeof(expected));
    json_object_foreach(expected, key, value)
    {
        if (!left || strcmp(json_object_iter_key(left), key) != 0)
            fail_msg("%s: \"%s\" is expected here", place, key);
        if (json_is_real(value) != json_is_real(json_object_iter_value(left)))
            fail_msg("%s: \"%s\" has another type", place, key);
        assert_same_shape(json_object_iter_value(left), value, key);
        left = json_object_iter_next(actual, left);
    }
    if (left)
        assert_string_equal(json_object_iter_key(left), "Weir");
    for (size_t i = 0; i < json_array_size(expected); i++)
        assert_same_shape(json_array_get(actual, i), json_array_get(expected, i), place);
    assert_int_equal(json_array_size(actual), json_array_size(expected));
}

/* The JSON of 3.2 has stray brackets before each removal: a comma in their place. */
static void mend(char *text)
{
    for (char *stray = strstr(text, "[ ]"); stray; stray = strstr(stray, "[ ]")) {
        *stray++ = ',';
        while (*stray != '{')
            *stray++ = ' ';
    }
}

static void assert_json_sample(const char *compat, int verbosity, const char *sample)
{
    struct scene scene =
        SCENE_OPEN("ior", "-t", "64k", "-b", "128k", "-i", "2", "-o", "/scratch/f");
    struct weir_test *test = scene_test(&scene, 2, "/scratch/f");
    struct weir_target *target = scene_target(&scene, "/scratch/f", true);
    struct weir_layout layout = {
        .segment_count = 1, .block_bytes = 128 * KIB, .transfer_bytes = T64K};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, layout);
    struct scene_row row = {MIB / 4, 41e-6, 4 / 39946.0, 17e-6, 4 / 28387.84, 43e-6};
    struct weir_text text = {0};
    struct weir_text original = {0};
    json_t *expected;
    json_t *actual;

    scene.plan->output.reporter = "ior json";
    scene.plan->output.verbosity = verbosity;
    scene.plan->output.style = compat;
    test->repetitions = 2;
    for (unsigned i = 0; i < 2; i++) {
        scene_done(&scene, test, write, i, row);
        scene_done(&scene, test, read, i, row);
        scene_done(&scene, test, removal, i, (struct scene_row){.total_s = 1e-6});
    }
    weir_report_whole(&text, scene.plan, scene.result);
    scene_load(scene_golden(sample), &original);
    actual = load_json(weir_text_string(&text));
    mend(original.data);
    expected = load_json(strchr(original.data, '{'));
    assert_same_shape(actual, expected, sample);
    json_decref(actual);
    json_decref(expected);
    weir_text_close(&text);
    weir_text_close(&original);
    scene_close(&scene);
}

static void json_has_the_keys_of_its_version_in_their_order(void **state)
{
    static const struct {
        const char *compat;
        int verbosity;
        const char *sample;
    } cases[] = {
        {NULL, 0, "samples/ior-json.txt"},
        {NULL, 1, "samples/ior-json-v1.txt"},
        {"IOR 4.0", 0, "samples/ior-old-4.0.0-json.txt"},
        {"IOR 3.3", 0, "samples/ior-old-3.3.0-json.txt"},
        {"IOR 3.2", 0, "samples/ior-old-3.2.1-json.txt"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_json_sample(cases[i].compat, cases[i].verbosity, cases[i].sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_sample_comes_out_byte_for_byte),
        cmocka_unit_test(repetitions_with_shift_come_out_byte_for_byte),
        cmocka_unit_test(verbose_sample_comes_out_byte_for_byte),
        cmocka_unit_test(very_verbose_sample_comes_out_byte_for_byte),
        cmocka_unit_test(own_files_with_verification_come_out_byte_for_byte),
        cmocka_unit_test(wear_out_sample_comes_out_byte_for_byte),
        cmocka_unit_test(csv_sample_comes_out_byte_for_byte),
        cmocka_unit_test(csv_of_4_0_comes_out_byte_for_byte),
        cmocka_unit_test(json_has_the_keys_of_its_version_in_their_order),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("report_samples", tests, NULL, NULL);
}
