/* SPDX-License-Identifier: Apache-2.0 */
/* Net results as text: our table and JSON, and lines of iperf and perftest. tests/samples has the
 * readers of these. */
#include "golden_text.h"
#include "net_scenes.h"

#include "weir/report/net_report.h"

#include <jansson.h>

/* ---- telling ---- */

static void tell(struct net_scene *scene, enum weir_net_format format, struct weir_text *text)
{
    scene->plan.format = format;
    weir_net_result_judge(scene->result);
    weir_net_report_begin(&scene->plan, scene->result, text);
    for (uint32_t i = 0; i < scene->result->measurement_count; i++)
        weir_net_report_measurement(&scene->plan, scene->result, i, text);
    weir_net_report_end(&scene->plan, scene->result, text);
}

static struct weir_text told(void (*open)(struct net_scene *scene), enum weir_net_format format)
{
    struct weir_text text = {0};
    struct net_scene scene;

    open(&scene);
    tell(&scene, format, &text);
    net_scene_close(&scene);
    return text;
}

static unsigned count_of(const struct weir_text *text, const char *words)
{
    unsigned count = 0;

    for (const char *at = weir_text_string(text); (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void assert_count(const struct weir_text *text, const char *words, unsigned expected)
{
    if (count_of(text, words) != expected)
        fail_msg("\"%s\" stands there %u times, not %u:\n%s", words, count_of(text, words),
                 expected, weir_text_string(text));
}

/* ---- whole texts ---- */

static void limited(struct net_scene *scene)
{
    net_scene_pair(scene);
    scene->plan.in_flight_bytes = 2 << 20;
}

static void in_bits(struct net_scene *scene)
{
    net_scene_pair(scene);
    scene->plan.is_in_bits = true;
}

/* Of which one pair is alone, and none is repeated. */
static void alone(struct net_scene *scene)
{
    net_scene_pairs(scene);
    scene->plan.repetitions = 1;
    scene->result->measurement_count = 3;
}

static void four_both_ways(struct net_scene *scene)
{
    static const uint32_t ends[][2] = {{0, 2}, {1, 3}, {2, 0}, {3, 1}};
    struct weir_net_measurement *measurement;

    net_scene_open(scene, "tcp", 4, 4);
    scene->plan.is_both_ways = true;
    measurement = net_scene_add(scene, 32768, 4);
    measurement->seconds = 2;
    for (uint32_t i = 0; i < 4; i++)
        net_scene_flow(measurement, i, ends[i][0], ends[i][1], 125.0 * (i + 1), 2)
            ->retransmit_count = i;
}

static void expect_golden(const char *name, void (*open)(struct net_scene *scene),
                          enum weir_net_format format)
{
    static const char *const endings[] = {"table", "json", "iperf", "perftest"};
    struct weir_text text = told(open, format);
    char file[64];

    snprintf(file, sizeof file, "%s.%s", name, endings[format]);
    golden_expect(file, &text);
    weir_text_close(&text);
}

static void texts_are_the_golden_ones(void **state)
{
    static const enum weir_net_format formats[] = {WEIR_NET_TABLE, WEIR_NET_IPERF,
                                                   WEIR_NET_PERFTEST};

    for (size_t i = 0; i < NET_SCENES; i++)
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
            /* Lines of each flow, or of each measurement alone, there are none. */
            if (formats[k] != WEIR_NET_IPERF || net_scenes[i].open != net_scene_many)
                expect_golden(net_scenes[i].name, net_scenes[i].open, formats[k]);
    expect_golden("limited", limited, WEIR_NET_TABLE);
    expect_golden("bits", in_bits, WEIR_NET_PERFTEST);
    expect_golden("alone", alone, WEIR_NET_PERFTEST);
    expect_golden("ways", four_both_ways, WEIR_NET_IPERF);
    expect_golden("many", net_scene_many, WEIR_NET_JSON);
}

static void failed_flows_and_names_of_others_cannot_steer_a_terminal(void **state)
{
    struct weir_text text;

    for (int format = WEIR_NET_TABLE; format <= WEIR_NET_PERFTEST; format++) {
        text = told(net_scene_failed, (enum weir_net_format)format);
        assert_count(&text, "\033", 0);
        weir_text_close(&text);
    }
}

static void a_run_without_measurements_is_told(void **state)
{
    for (int format = WEIR_NET_TABLE; format <= WEIR_NET_PERFTEST; format++) {
        struct weir_text text = {0};
        struct net_scene scene;

        net_scene_open(&scene, "tcp", 2, 1);
        tell(&scene, (enum weir_net_format)format, &text);
        assert_true(text.length > 0);
        assert_count(&text, "nan", 0);
        assert_count(&text, "inf ", 0);
        net_scene_add(&scene, 4096, 0);
        weir_text_clear(&text);
        tell(&scene, (enum weir_net_format)format, &text);
        assert_count(&text, "nan", 0);
        assert_count(&text, "inf ", 0);
        weir_text_close(&text);
        net_scene_close(&scene);
    }
}

/* ---- JSON ---- */

static json_t *document_of(void (*open)(struct net_scene *scene))
{
    struct weir_text text = told(open, WEIR_NET_JSON);
    json_error_t error;
    json_t *document = json_loads(weir_text_string(&text), JSON_REJECT_DUPLICATES, &error);

    if (!document)
        fail_msg("line %d: %s", error.line, error.text);
    weir_text_close(&text);
    return document;
}

static void json_is_valid_and_in_si_units(void **state)
{
    const char *begun = NULL;
    double rate = 0;
    json_int_t bytes = 0;

    for (size_t i = 0; i < sizeof net_scenes / sizeof *net_scenes; i++)
        json_decref(document_of(net_scenes[i].open));
    {
        json_t *document = document_of(net_scene_pairs);

        assert_int_equal(json_unpack(document, "{s:s,s:[{s:F,s:I}]}", "format", &begun, "summary",
                                     "bytes_per_s", &rate, "message_bytes", &bytes),
                         0);
        assert_string_equal(begun, "weir-net 1");
        assert_true(fabs(rate - 1220e6) < 1e5);
        assert_int_equal(bytes, 65536);
        assert_int_equal(json_array_size(json_object_get(document, "measurements")), 9);
        assert_int_equal(json_array_size(json_object_get(document, "intervals")), 12);
        assert_int_equal(json_array_size(json_object_get(document, "ranks")), 4);
        json_decref(document);
    }
}

/* All records of a run as one object, with its measurements in a list. */
static json_t *records_of(const struct net_scene *scene)
{
    struct weir_result *host = weir_result_open(1);
    json_t *whole = json_object(), *measurements = json_array();
    struct weir_text text = {0};
    const char *line;

    weir_net_record_run(&text, &scene->plan, scene->result, host);
    weir_net_record_network(&text, scene->result);
    for (uint32_t i = 0; i < scene->result->measurement_count; i++)
        weir_net_record_measurement(&text, scene->result, i);
    weir_net_record_end(&text, &scene->plan, scene->result);
    for (line = weir_text_string(&text); *line != '\0'; line += strcspn(line, "\n") + 1) {
        json_t *record = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);

        assert_non_null(record);
        assert_string_equal(json_string_value(json_object_get(record, "run_id")),
                            "00000000000000ab");
        json_object_del(record, "run_id");
        if (strcmp(json_string_value(json_object_get(record, "record")), "measurement") == 0) {
            json_object_del(record, "record");
            json_array_append(measurements, record);
        } else {
            json_object_update(whole, record);
        }
        json_decref(record);
    }
    json_object_set_new(whole, "measurements", measurements);
    weir_text_close(&text);
    weir_result_close(host);
    return whole;
}

static void records_have_what_the_document_has(void **state)
{
    struct net_scene scene;
    struct weir_text text = {0};
    json_t *records, *document, *value;
    const char *key;

    net_scene_all(&scene);
    scene.result->run_id = 0xab;
    tell(&scene, WEIR_NET_JSON, &text);
    records = records_of(&scene);
    document = json_loads(weir_text_string(&text), 0, NULL);
    assert_true(json_object_size(document) > 10);
    json_object_foreach(document, key, value) if (strcmp(key, "format") != 0 &&
                                                  strcmp(key, "version") != 0 &&
                                                  !json_equal(value, json_object_get(records, key)))
        fail_msg("%s", key);
    json_decref(records);
    json_decref(document);
    weir_text_close(&text);
    net_scene_close(&scene);
}

static void json_has_the_odd_pair_and_holes_in_the_matrix(void **state)
{
    json_t *document = document_of(net_scene_all);
    const json_t *line = json_array_get(json_object_get(document, "summary"), 0);
    const json_t *row = json_array_get(json_object_get(line, "matrix"), 3);
    json_t *odd = json_array_get(json_object_get(line, "odd_pairs"), 0);
    int source = 0;
    int sink = 0;

    assert_true(json_is_null(json_array_get(row, 3)));
    assert_true(fabs(json_number_value(json_array_get(row, 1)) - 310e6) < 1e5);
    assert_int_equal(json_unpack(odd, "{s:i,s:i}", "source", &source, "sink", &sink), 0);
    assert_int_equal(source, 3);
    assert_int_equal(sink, 1);
    assert_int_equal(json_array_size(json_object_get(line, "odd_pairs")), 1);
    json_decref(document);
}

static void json_tells_what_is_not_known_as_null(void **state)
{
    json_t *document = document_of(net_scene_all);
    const json_t *measurement = json_array_get(json_object_get(document, "measurements"), 0);
    const json_t *flow = json_array_get(json_object_get(measurement, "flows"), 0);

    assert_true(json_is_null(json_object_get(flow, "retransmits")));
    assert_true(json_is_null(json_object_get(measurement, "latency")));
    json_decref(document);
    document = document_of(net_scene_latency);
    measurement = json_array_get(json_object_get(document, "measurements"), 0);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(measurement, "latency"), "total")),
        1000);
    json_decref(document);
}

/* ---- iperf ---- */

static void iperf_has_its_units_and_widths(void **state)
{
    static const struct {
        double mb_per_s;
        const char *words;
    } cases[] = {
        {0.05, "[  5]   0.00-2.00   sec  96.0 KBytes   393 Kbits/sec"},
        {1.0, "[  5]   0.00-2.00   sec  1.91 MBytes  8.00 Mbits/sec"},
        {1.2497, "[  5]   0.00-2.00   sec  2.38 MBytes  9.96 Mbits/sec"},
        {1.254, "[  5]   0.00-2.00   sec  2.41 MBytes  10.1 Mbits/sec"},
        {9.99, "[  5]   0.00-2.00   sec  19.1 MBytes  80.0 Mbits/sec"},
        {112.8, "[  5]   0.00-2.00   sec   215 MBytes   902 Mbits/sec"},
        {124.98, "[  5]   0.00-2.00   sec   238 MBytes  1000 Mbits/sec"},
        {530.0, "[  5]   0.00-2.00   sec  1011 MBytes  4.24 Gbits/sec"},
        {3770.0, "[  5]   0.00-2.00   sec  7.02 GBytes  30.2 Gbits/sec"},
        {130000.0, "[  5]   0.00-2.00   sec   242 GBytes  1.04 Tbits/sec"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_scene scene;
        struct weir_text text = {0};

        net_scene_open(&scene, "tcp", 2, 1);
        net_scene_one(&scene, 32768, 0, 1, cases[i].mb_per_s);
        tell(&scene, WEIR_NET_IPERF, &text);
        assert_count(&text, cases[i].words, 2);
        weir_text_close(&text);
        net_scene_close(&scene);
    }
}

static void iperf_leaves_out_what_is_left_at_the_end(void **state)
{
    static const struct {
        double end_s;
        const char *line;
        unsigned count;
    } cases[] = {
        {1.0001, "[  5]   1.00-1.00 ", 0},
        {1.49, "[  5]   1.00-1.49 ", 0},
        {1.51, "[  5]   1.00-1.51 ", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_scene scene;
        struct weir_text text = {0};

        net_scene_open(&scene, "tcp", 2, 1);
        scene.plan.interval_ns = 1000000000;
        net_scene_one(&scene, 32768, 0, 1, 100);
        weir_net_result_add_interval(
            scene.result, &(struct weir_net_interval){.end_s = 1, .byte_count = 1000000});
        weir_net_result_add_interval(
            scene.result, &(struct weir_net_interval){
                              .begin_s = 1, .end_s = cases[i].end_s, .byte_count = 1000000});
        tell(&scene, WEIR_NET_IPERF, &text);
        assert_count(&text, "[  5]   0.00-1.00 ", 1);
        assert_count(&text, cases[i].line, cases[i].count);
        weir_text_close(&text);
        net_scene_close(&scene);
    }
}

/* ---- perftest ---- */

static void perftest_says_which_transport_it_was(void **state)
{
    static const struct {
        const char *provider, *transport, *type, *link;
    } cases[] = {
        {"verbs", "RoCE v2", "IB", "Ethernet"},
        {"verbs", "InfiniBand", "IB", "IB"},
        {"tcp", "TCP", "tcp", "Ethernet"},
        {"shm", "shared memory", "shm", "none"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_scene scene;
        struct weir_text text = {0};
        char words[64];

        net_scene_open(&scene, cases[i].provider, 2, 1);
        snprintf(scene.result->transport, 24, "%s", cases[i].transport);
        tell(&scene, WEIR_NET_PERFTEST, &text);
        snprintf(words, sizeof words, "Transport type : %s\n", cases[i].type);
        assert_count(&text, words, 1);
        snprintf(words, sizeof words, "Link type       : %s\n", cases[i].link);
        assert_count(&text, words, 1);
        weir_text_close(&text);
        net_scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_the_golden_ones),
        cmocka_unit_test(failed_flows_and_names_of_others_cannot_steer_a_terminal),
        cmocka_unit_test(a_run_without_measurements_is_told),
        cmocka_unit_test(json_is_valid_and_in_si_units),
        cmocka_unit_test(records_have_what_the_document_has),
        cmocka_unit_test(json_has_the_odd_pair_and_holes_in_the_matrix),
        cmocka_unit_test(json_tells_what_is_not_known_as_null),
        cmocka_unit_test(iperf_has_its_units_and_widths),
        cmocka_unit_test(iperf_leaves_out_what_is_left_at_the_end),
        cmocka_unit_test(perftest_says_which_transport_it_was),
    };

    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
