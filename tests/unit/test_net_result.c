/* SPDX-License-Identifier: Apache-2.0 */
/* Net results: medians over repetitions, the matrix, odd pairs, and findings. */
#include "golden_text.h"
#include "net_scenes.h"

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-6 * fabs(b) + 1e-12)

static void assert_near(double value, double expected)
{
    if (!NEAR(value, expected))
        fail_msg("%.9g is not %.9g", value, expected);
}

/* Rates in MB/s are those of whole messages. */
static void assert_rate(double bytes_per_s, double mb_per_s)
{
    if (fabs(bytes_per_s / 1e6 - mb_per_s) > 0.1)
        fail_msg("%g MB/s, not %g", bytes_per_s / 1e6, mb_per_s);
}

static void fail_flow(struct weir_net_measurement *measurement)
{
    measurement->flows[0].failure = "gone";
}

/* ---- storing ---- */

static void measurements_keep_what_they_had_when_more_come(void **state)
{
    struct net_scene scene;

    net_scene_open(&scene, "tcp", 2, 1);
    for (uint32_t i = 0; i < 100; i++) {
        struct weir_net_measurement *measurement = net_scene_add(&scene, i + 1, i % 3 + 1);

        assert_int_equal(measurement->flow_count, i % 3 + 1);
        assert_int_equal(measurement->latency->total, 0);
        assert_int_equal(measurement->latency->min_ns, UINT64_MAX);
        measurement->flows[i % 3].byte_count = i;
        weir_net_result_add_interval(scene.result, &(struct weir_net_interval){.byte_count = i});
    }
    assert_int_equal(scene.result->measurement_count, 100);
    assert_int_equal(scene.result->interval_count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(scene.result->measurements[i].message_bytes, i + 1);
        assert_int_equal(scene.result->measurements[i].flows[i % 3].byte_count, i);
        assert_int_equal(scene.result->intervals[i].byte_count, i);
    }
    net_scene_close(&scene);
    weir_net_result_close(NULL);
}

static void no_finding_is_left_out(void **state)
{
    struct net_scene scene;

    net_scene_open(&scene, "tcp", 2, 1);
    for (unsigned i = 0; i < 100; i++)
        weir_net_result_find(scene.result, WEIR_FINDING_SHORT, "%0400u", i);
    assert_int_equal(scene.result->finding_count, 100);
    assert_int_equal(strlen(scene.result->findings[0].text), WEIR_FINDING_TEXT_BYTES - 1);
    net_scene_close(&scene);
}

/* ---- latencies ---- */

static void latencies_are_described_in_seconds(void **state)
{
    struct weir_histogram *histogram = calloc(1, sizeof *histogram);
    double seconds[WEIR_NET_LATENCY_COUNT];

    weir_histogram_reset(histogram);
    weir_net_latency_describe(histogram, seconds);
    for (unsigned i = 0; i < WEIR_NET_LATENCY_COUNT; i++)
        assert_true(seconds[i] == 0);
    weir_net_latency_describe(NULL, seconds);
    assert_true(seconds[WEIR_NET_LATENCY_MAX] == 0);

    /* Values below 64 ns are exact: 899 of 10, 91 of 20, 9 of 30, 1 of 50. */
    weir_histogram_add_many(histogram, 10, 899);
    weir_histogram_add_many(histogram, 20, 91);
    weir_histogram_add_many(histogram, 30, 9);
    weir_histogram_add_many(histogram, 50, 1);
    weir_net_latency_describe(histogram, seconds);
    assert_near(seconds[WEIR_NET_LATENCY_MIN], 10e-9);
    assert_near(seconds[WEIR_NET_LATENCY_MEAN], 11.13e-9);
    assert_near(seconds[WEIR_NET_LATENCY_MEDIAN], 10e-9);
    assert_near(seconds[WEIR_NET_LATENCY_P90], 20e-9);
    assert_near(seconds[WEIR_NET_LATENCY_P99], 20e-9);
    assert_near(seconds[WEIR_NET_LATENCY_P999], 30e-9);
    assert_near(seconds[WEIR_NET_LATENCY_MAX], 50e-9);
    assert_near(seconds[WEIR_NET_LATENCY_STDDEV],
                sqrt(0.899 * 1.13 * 1.13 + 0.091 * 8.87 * 8.87 + 0.009 * 18.87 * 18.87 +
                     0.001 * 38.87 * 38.87) *
                    1e-9);
    free(histogram);
}

/* ---- summaries ---- */

static void a_summary_has_the_median_of_repetitions(void **state)
{
    static const struct {
        double rates[5];
        unsigned count;
        double median, least, greatest;
    } cases[] = {
        {{100}, 1, 100, 100, 100},           {{300, 100}, 2, 200, 100, 300},
        {{300, 100, 110}, 3, 110, 100, 300}, {{5, 400, 300, 200}, 4, 250, 5, 400},
        {{1, 2, 900, 800, 3}, 5, 3, 1, 900},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_scene scene;
        struct weir_net_summary lines[4];

        net_scene_open(&scene, "tcp", 2, 1);
        for (unsigned j = 0; j < cases[i].count; j++)
            net_scene_one(&scene, 4096, 0, 1, cases[i].rates[j])->repetition = j;
        assert_int_equal(weir_net_result_summarise(scene.result, lines, 4), 1);
        assert_rate(lines[0].bytes_per_s, cases[i].median);
        assert_rate(lines[0].bytes_per_s_min, cases[i].least);
        assert_rate(lines[0].bytes_per_s_max, cases[i].greatest);
        assert_rate(lines[0].messages_per_s * 4096, cases[i].median);
        assert_near(lines[0].seconds, 2.0);
        assert_near(lines[0].cpu_cores, 1.0);
        net_scene_close(&scene);
    }
}

static void each_message_size_has_a_line_in_the_order_of_measuring(void **state)
{
    static const uint64_t sizes[] = {65536, 1, 4096, 1, 65536, 65536};
    struct net_scene scene;
    struct weir_net_summary lines[8];

    net_scene_open(&scene, "tcp", 2, 1);
    for (size_t i = 0; i < 6; i++)
        net_scene_one(&scene, sizes[i], 0, 1, 10 * (double)(i + 1))->flows[0].message_count = i + 1;
    assert_int_equal(weir_net_result_summarise(scene.result, lines, 8), 3);
    assert_int_equal(lines[0].message_bytes, 65536);
    assert_int_equal(lines[1].message_bytes, 1);
    assert_int_equal(lines[2].message_bytes, 4096);
    assert_int_equal(lines[0].message_count, 1 + 5 + 6);
    assert_rate(lines[0].bytes_per_s, 50);
    assert_rate(lines[1].bytes_per_s, 30);
    assert_int_equal(weir_net_result_summarise(scene.result, lines, 2), 2);
    net_scene_close(&scene);
}

static void latencies_of_repetitions_are_merged(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;

    net_scene_open(&scene, "tcp", 2, 1);
    for (unsigned i = 0; i < 2; i++)
        weir_histogram_add_many(net_scene_one(&scene, 8, 0, 1, 1)->latency, 10 + 20 * i, 4 - i);
    assert_int_equal(weir_net_result_summarise(scene.result, &line, 1), 1);
    assert_near(line.latency_s[WEIR_NET_LATENCY_MIN], 10e-9);
    assert_near(line.latency_s[WEIR_NET_LATENCY_MAX], 30e-9);
    assert_near(line.latency_s[WEIR_NET_LATENCY_MEAN], 130e-9 / 7);
    assert_false(line.is_latency_bound);
    scene.result->measurements[1].is_latency_bound = true;
    weir_net_result_summarise(scene.result, &line, 1);
    assert_true(line.is_latency_bound);
    net_scene_close(&scene);
}

static void pairs_alone_are_in_their_own_sum_only(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;

    net_scene_pairs(&scene);
    assert_int_equal(weir_net_result_summarise(scene.result, &line, 1), 1);
    assert_rate(line.bytes_per_s, 1220);
    assert_rate(line.bytes_per_s_min, 1020);
    assert_rate(line.bytes_per_s_max, 1420);
    assert_rate(line.flow_bytes_per_s_min, 600);
    assert_rate(line.flow_bytes_per_s_max, 620);
    assert_rate(line.alone_bytes_per_s, 2002);
    net_scene_close(&scene);
}

static void a_pair_alone_both_ways_counts_with_both_flows(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;
    struct weir_net_measurement *measurement;

    net_scene_open(&scene, "tcp", 4, 1);
    for (uint32_t i = 0; i < 2; i++) {
        measurement = net_scene_add(&scene, 4096, 2);
        net_scene_flow(measurement, 0, i, i + 2, 100, 1);
        net_scene_flow(measurement, 1, i + 2, i, 50, 1);
        net_scene_sum(measurement);
        measurement->is_alone = true;
        measurement->round = i;
    }
    assert_int_equal(weir_net_result_summarise(scene.result, &line, 1), 1);
    assert_rate(line.alone_bytes_per_s, 300);
    assert_true(line.bytes_per_s == 0);
    net_scene_close(&scene);
}

static void what_failed_is_left_out_unless_all_did(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;

    net_scene_open(&scene, "tcp", 2, 1);
    fail_flow(net_scene_one(&scene, 4096, 0, 1, 10));
    weir_net_result_summarise(scene.result, &line, 1);
    assert_rate(line.bytes_per_s, 10);
    net_scene_one(&scene, 4096, 0, 1, 100);
    weir_net_result_summarise(scene.result, &line, 1);
    assert_rate(line.bytes_per_s, 100);
    assert_rate(line.bytes_per_s_min, 100);
    net_scene_close(&scene);
}

static void a_failed_flow_is_not_the_slowest(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;

    net_scene_failed(&scene);
    net_scene_flow(scene.result->measurements, 2, 3, 0, 1, 2.0);
    weir_net_result_summarise(scene.result, &line, 1);
    assert_rate(line.flow_bytes_per_s_min, 400);
    net_scene_close(&scene);
}

static void the_peak_is_the_best_part_of_any_flow(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;

    net_scene_both(&scene);
    scene.result->measurements[0].flows[0].peak_bytes_per_s = 3e9;
    scene.result->measurements[0].flows[1].peak_bytes_per_s = 7e9;
    weir_net_result_summarise(scene.result, &line, 1);
    assert_near(line.peak_bytes_per_s, 7e9);
    net_scene_close(&scene);
}

static void nothing_measured_gives_no_lines(void **state)
{
    struct net_scene scene;
    struct weir_net_summary line;

    net_scene_open(&scene, "tcp", 2, 1);
    assert_int_equal(weir_net_result_summarise(scene.result, &line, 1), 0);
    weir_net_result_judge(scene.result);
    assert_int_equal(scene.result->finding_count, 0);
    net_scene_add(&scene, 4096, 0);
    assert_int_equal(weir_net_result_summarise(scene.result, &line, 1), 1);
    assert_true(line.bytes_per_s == 0 && line.messages_per_s == 0 && line.cpu_cores == 0);
    net_scene_close(&scene);
}

/* ---- the matrix ---- */

static void the_matrix_has_the_source_in_the_row(void **state)
{
    struct net_scene scene;
    double matrix[9];

    net_scene_open(&scene, "tcp", 3, 1);
    net_scene_one(&scene, 4096, 0, 1, 100);
    net_scene_one(&scene, 4096, 0, 1, 900);
    net_scene_one(&scene, 4096, 0, 1, 200);
    net_scene_one(&scene, 4096, 2, 0, 50);
    net_scene_one(&scene, 8192, 2, 1, 70);
    fail_flow(net_scene_one(&scene, 4096, 1, 2, 60));
    weir_net_result_matrix(scene.result, 4096, matrix);
    for (unsigned i = 0; i < 9; i++)
        assert_rate(matrix[i], i == 1 ? 200 : i == 6 ? 50 : 0);
    net_scene_close(&scene);
}

static void the_matrix_of_pairs_has_what_they_had_alone(void **state)
{
    struct net_scene scene;
    double matrix[16];

    net_scene_pairs(&scene);
    weir_net_result_matrix(scene.result, 65536, matrix);
    assert_rate(matrix[2], 1001);
    weir_net_result_matrix_of(scene.result, 65536, false, matrix);
    assert_rate(matrix[2], 600);
    assert_rate(matrix[7], 620);
    net_scene_close(&scene);
}

static void the_matrix_of_latencies_has_seconds(void **state)
{
    struct net_scene scene;
    double matrix[4];

    net_scene_latency(&scene);
    weir_net_result_matrix(scene.result, 8, matrix);
    assert_near(matrix[1], 25e-6);
    net_scene_close(&scene);
}

/* ---- odd pairs ---- */

static void a_pair_is_odd_beyond_four_deviations_and_a_tenth(void **state)
{
    static const struct {
        double values[7];
        uint32_t count;
        uint32_t worst; /* its place */
        bool is_latency;
    } cases[] = {
        {{100, 100, 100, 100, 89}, 1, 4, false},
        {{100, 100, 100, 100, 91}, 0, 0, false},   /* not a tenth */
        {{100, 100, 100, 100, 1000}, 0, 0, false}, /* faster is not odd */
        /* A deviation of 10: 40 are within it. */
        {{90, 110, 90, 110, 100, 61, 100}, 0, 0, false},
        {{90, 110, 90, 110, 100, 59, 100}, 1, 5, false},
        {{100, 30, 100, 10, 100, 100, 100}, 2, 3, false},
        {{100, 10}, 0, 0, false}, /* nobody knows which of two is the odd one */
        {{100, 100, 10}, 1, 2, false},
        {{100, 100, 100, 300, 100}, 1, 3, true},
        {{100, 100, 100, 109, 100}, 0, 0, true},
        {{100, 100, 100, 30, 100}, 0, 0, true},
        {{100, 100, 200, 400, 100}, 2, 3, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_scene scene;
        struct weir_net_odd_pair pairs[8] = {{0}};
        uint32_t count;

        net_scene_open(&scene, "tcp", 8, 1);
        scene.result->is_latency = cases[i].is_latency;
        for (uint32_t j = 0; j < 7 && cases[i].values[j] > 0; j++)
            net_scene_one(&scene, 1, 7, j, cases[i].values[j])->flows[0].latency_median_s =
                cases[i].values[j] * 1e-6;
        count = weir_net_result_odd_pairs(scene.result, 1, pairs, 8);
        if (count != cases[i].count)
            fail_msg("case %zu: %u", i, count);
        if (count > 0) {
            assert_int_equal(pairs[0].source, 7);
            assert_int_equal(pairs[0].sink, cases[i].worst);
            assert_near(pairs[0].value,
                        cases[i].values[cases[i].worst] * (cases[i].is_latency ? 1e-6 : 1e6));
            assert_near(pairs[0].median, 100 * (cases[i].is_latency ? 1e-6 : 1e6));
        }
        net_scene_close(&scene);
    }
}

static void only_as_many_odd_pairs_are_written_as_there_is_room_for(void **state)
{
    struct net_scene scene;
    struct weir_net_odd_pair pairs[2] = {{0}};

    net_scene_open(&scene, "tcp", 8, 1);
    for (uint32_t i = 0; i < 7; i++)
        net_scene_one(&scene, 1, 7, i, i < 5 ? 100 : 10.0 * i - 40);
    assert_int_equal(weir_net_result_odd_pairs(scene.result, 1, pairs, 1), 2);
    assert_int_equal(pairs[0].sink, 5);
    assert_int_equal(pairs[1].sink, 0);
    net_scene_close(&scene);
}

/* ---- too many flows ---- */

static void of_many_flows_the_worst_are_kept_and_totals_of_all(void **state)
{
    struct net_scene scene;
    struct weir_net_odd_pair odd[4];
    struct weir_net_summary line;
    const struct weir_net_measurement *one;

    net_scene_many(&scene);
    one = &scene.result->measurements[1];
    assert_int_equal(one->flow_count, 4);
    assert_string_equal(one->flows[0].failure, "gone");
    assert_int_equal(one->flows[0].source, 20);
    assert_int_equal(one->flows[1].wrong_count, 1);
    assert_int_equal(one->flows[2].source, 17);
    assert_int_equal(one->flows[3].source, 0);
    assert_int_equal(one->totals->flow_count, 50);
    assert_int_equal(one->totals->failed_count, 1);
    assert_int_equal(one->totals->wrong_count, 1);
    assert_int_equal(one->totals->odd_count, 1);
    assert_int_equal(one->totals->retransmit_count, 5);
    assert_rate(one->totals->slowest_bytes_per_s, 200);
    assert_rate(one->totals->fastest_bytes_per_s, 1009);
    assert_rate(one->totals->first_percentile, 200);
    assert_rate(one->totals->median, 1004);
    assert_rate(one->totals->last_percentile, 1009);
    assert_null(scene.result->measurements[0].latency);
    assert_int_equal(weir_net_result_odd_pairs(scene.result, 65536, odd, 1), 3);
    assert_int_equal(odd[0].source, 17);
    assert_rate(odd[0].value, 100);
    /* That of the round in which a flow failed is left out. */
    weir_net_result_summarise(scene.result, &line, 1);
    assert_rate(line.flow_bytes_per_s_min, 200);
    assert_near(line.latency_s[WEIR_NET_LATENCY_MEAN], 2e-6);
    net_scene_close(&scene);
}

/* ---- findings ---- */

static void good(struct net_scene *scene, unsigned variant)
{
    net_scene_open(scene, "tcp", 2, 1);
    net_scene_one(scene, 4096, 0, 1, 100);
}

/* One of those that have a name. */
static void named(struct net_scene *scene, unsigned variant)
{
    net_scenes[variant].open(scene);
}

/* On one host; of which some flows never leave their host; and which add up. */
static void pairs(struct net_scene *scene, unsigned variant)
{
    net_scene_pairs(scene);
    for (unsigned i = 0; variant == 0 && i < 4; i++)
        snprintf(scene->result->ranks[i].host, WEIR_HOST_NAME_BYTES, "n1");
    if (variant == 1)
        snprintf(scene->result->ranks[2].host, WEIR_HOST_NAME_BYTES, "n1");
    for (uint32_t i = 2; variant == 2 && i < 9; i += 3)
        scene->result->measurements[i].bytes_per_s = 1900e6;
}

/* One message of 2 s among thousands of 1 ms: an end was stopped. A tenth of a second happens, and
 * a third is nothing beside a minute. */
static void stuck(struct net_scene *scene, unsigned variant)
{
    static const double times[][2] = {{2, 6}, {0.3, 2}, {0.1, 1}, {0.3, 60}};
    struct weir_net_measurement *measurement;

    good(scene, 0);
    measurement = scene->result->measurements;
    measurement->seconds = times[variant][1];
    weir_histogram_add_many(measurement->latency, 1000000, 4000);
    weir_histogram_add(measurement->latency, (uint64_t)(times[variant][0] * 1e9));
}

/* A short time together, and a long one; one flow overlaps with nobody. */
static void together(struct net_scene *scene, unsigned variant)
{
    static const double common_s[] = {0.5, 1.85, 0};

    if (variant < 2)
        net_scene_both(scene);
    else
        good(scene, 0);
    scene->result->measurements->common_s = common_s[variant];
}

static void wrong(struct net_scene *scene, unsigned variant)
{
    net_scene_both(scene);
    scene->result->measurements->flows[1].wrong_count = 7;
}

static void provided(struct net_scene *scene, unsigned variant)
{
    static const struct {
        const char *provider, *device;
        uint32_t per_host;
    } cases[] = {
        {"shm", "", 2}, {"tcp", "", 2},         {"tcp", "", 1},         {"mpi", "", 2},
        {"mpi", "", 1}, {"verbs", "rxe0/1", 1}, {"verbs", "mlx5_0", 2}, {"verbs", "mlx5_0", 1},
    };

    net_scene_open(scene, cases[variant].provider, 2, cases[variant].per_host);
    snprintf(scene->result->ranks[1].device, 32, "%s", cases[variant].device);
    net_scene_one(scene, 4096, 0, 1, 100);
}

static void cached(struct net_scene *scene, unsigned variant)
{
    static const struct {
        uint64_t set, cache;
        bool is_latency;
        double copy_mb_per_s;
    } cases[] = {
        {1 << 20, 1 << 25, false, 125}, {1 << 25, 1 << 25, false, 125},
        {1 << 26, 1 << 25, false, 125}, {0, 1 << 25, false, 125},
        {1 << 20, 0, false, 125},       {1 << 20, 1 << 25, true, 125},
        {1 << 20, 1 << 25, false, 333}, {1 << 20, 1 << 25, false, 0},
    };

    net_scene_open(scene, "tcp", 2, 1);
    net_scene_one(scene, 4096, 0, 1, 100);
    scene->result->copy_bytes_per_s = cases[variant].copy_mb_per_s * 1e6;
    scene->result->working_set_bytes = cases[variant].set;
    scene->result->cache_bytes = cases[variant].cache;
    scene->result->is_latency = cases[variant].is_latency;
}

/* A flow of 100 MB/s, with a peak of 120 in the last two, where memory has so much. */
static void above_memory(struct net_scene *scene, unsigned variant)
{
    static const struct {
        const char *provider;
        uint32_t per_host;
        double copy_mb_per_s;
    } cases[] = {
        {"tcp", 1, 0},  {"tcp", 1, 67},   {"tcp", 1, 66}, {"shm", 2, 50}, {"mpi", 2, 50},
        {"mpi", 1, 50}, {"verbs", 1, 50}, {"tcp", 1, 79}, {"tcp", 1, 80},
    };
    struct weir_net_measurement *measurement;

    net_scene_open(scene, cases[variant].provider, 2, cases[variant].per_host);
    scene->result->copy_bytes_per_s = cases[variant].copy_mb_per_s * 1e6;
    net_scene_one(scene, 4096, 0, 1, 100);
    measurement = &scene->result->measurements[scene->result->measurement_count - 1];
    measurement->flows[0].peak_bytes_per_s = variant >= 7 ? 120e6 : 0;
}

/* A rank waits for a CPU that processes outside of the job use, or ranks and the kernel. */
static void waiting(struct net_scene *scene, unsigned variant)
{
    static const struct {
        double share, excess;
        struct weir_pressure pressure;
    } cases[] = {
        {0.10, 0, {.load_hundredths = 310}},
        {0.0999, 0, {.load_hundredths = 310}},
        {0.43,
         0,
         {.is_sampled = true,
          .foreign_permille = 430,
          .busiest_permille = 400,
          .busiest = "stress"}},
        {0.43, 0, {.is_sampled = true, .foreign_permille = 420}},
        {0.2499, 0, {.is_sampled = true, .foreign_permille = 100}},
        /* Two ranks share a CPU. */
        {0.64, 2, {.load_hundredths = 310}},
        {0.65, 2, {.load_hundredths = 310}},
    };
    struct weir_net_measurement *measurement;

    net_scene_open(scene, "tcp", 2, 1);
    net_scene_one(scene, 4096, 0, 1, 100);
    measurement = &scene->result->measurements[scene->result->measurement_count - 1];
    measurement->waited_share = cases[variant].share;
    measurement->waited_rank = 1;
    measurement->rank_excess = cases[variant].excess;
    measurement->pressure = cases[variant].pressure;
}

/* Ranks on four hosts, of which some have one address. */
static void with_addresses(struct net_scene *scene, unsigned variant)
{
    static const char *const addresses[][4] = {
        {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"},
        {"10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.1"},
        {"", "", "", ""},
    };

    net_scene_open(scene, "tcp", 4, 1);
    for (unsigned rank = 0; rank < 4; rank++)
        snprintf(scene->result->ranks[rank].address, 64, "%s", addresses[variant][rank]);
    net_scene_one(scene, 4096, 0, 1, 100);
}

/* Four pairs' ranks on two hosts, or each on a host of its own; a link that is used to its rate. */
static void on_links(struct net_scene *scene, unsigned variant)
{
    net_scene_pairs(scene);
    for (unsigned i = 0; variant == 1 && i < 4; i++)
        snprintf(scene->result->ranks[i].host, WEIR_HOST_NAME_BYTES, "n%u", i + 1);
    for (unsigned i = 0; variant == 2 && i < 4; i++)
        snprintf(scene->result->ranks[i].device, 32, "mlx5_%u/1", i % 2);
}

static void counted(struct net_scene *scene, unsigned variant)
{
    struct weir_net_measurement *measurement;

    good(scene, 0);
    measurement = scene->result->measurements;
    measurement->flows[0].byte_count += variant == 1 ? 1 : 0;
    scene->result->link_bits_per_s = variant == 2   ? UINT64_C(700000000)
                                     : variant == 3 ? UINT64_C(800000000)
                                                    : 0;
    scene->result->is_latency = variant >= 4;
    if (variant >= 4) /* of a flow of 2 s */
        weir_histogram_add_many(measurement->latency, 1000000, variant == 4 ? 2000 : 2400);
}

/* Both flows of a port see the port's. */
static void of_a_port(struct net_scene *scene, unsigned variant)
{
    net_scene_both(scene);
    snprintf(scene->result->provider, sizeof scene->result->provider, "verbs");
}

static void with_mtus(struct net_scene *scene, unsigned variant)
{
    static const uint32_t mtus[][3] = {
        {4096, 4096, 4096}, {0, 0, 0}, {0, 1024, 0}, {4096, 1024, 4096}, {0, 1024, 2048}};

    net_scene_open(scene, "verbs", 3, 1);
    for (unsigned i = 0; i < 3; i++)
        scene->result->ranks[i].mtu_bytes = mtus[variant][i];
}

/* Huge pages of three ranks, the last of which has no flow and so no buffers in some. */
static void with_huge_pages(struct net_scene *scene, unsigned variant)
{
    static const struct {
        uint64_t buffers, huge;
    } ranks[][3] = {
        {{8, 8}, {8, 2}, {0, 0}},
        {{8, 0}, {8, 0}, {0, 0}},
        {{8, 8}, {8, 0}, {8, 8}},
        {{8, UINT64_MAX}, {8, UINT64_MAX}, {0, UINT64_MAX}},
    };

    net_scene_open(scene, "tcp", 3, 1);
    for (unsigned i = 0; i < 3; i++) {
        scene->result->ranks[i].buffer_bytes = ranks[variant][i].buffers;
        scene->result->ranks[i].huge_page_bytes = ranks[variant][i].huge;
    }
    net_scene_one(scene, 65536, 0, 1, 100);
}

/* The second has a bound of latencies of which none were taken. */
static void brief(struct net_scene *scene, unsigned variant)
{
    good(scene, variant);
    scene->result->measurements->seconds = 0.02;
    net_scene_one(scene, 4096, 0, 1, 100)->is_latency_bound = true;
    scene->result->is_interrupted = true;
}

/* Each variant of each, and all that is found, against tests/golden/net/findings. */
static void findings_are_the_golden_ones(void **state)
{
    static const struct {
        const char *name;
        void (*open)(struct net_scene *scene, unsigned variant);
        unsigned variants;
    } cases[] = {
        {"good", good, 1},
        {"named", named, NET_SCENES},
        {"pairs", pairs, 3},
        {"stuck", stuck, 4},
        {"together", together, 3},
        {"wrong", wrong, 1},
        {"provided", provided, 8},
        {"cpu-cache", cached, 8},
        {"on links", on_links, 3},
        {"counted", counted, 6},
        {"of a port", of_a_port, 1},
        {"mtus", with_mtus, 5},
        {"short", brief, 1},
        {"above memory", above_memory, 9},
        {"waiting", waiting, 7},
        {"addresses", with_addresses, 3},
        {"huge pages", with_huge_pages, 4},
    };
    struct weir_text text = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned variant = 0; variant < cases[i].variants; variant++) {
            struct net_scene scene;

            cases[i].open(&scene, variant);
            weir_net_result_judge(scene.result);
            weir_text_add(&text, "== %s %u%s\n", cases[i].name, variant,
                          scene.result->has_failed ? ", failed" : "");
            for (unsigned k = 0; k < scene.result->finding_count; k++) {
                const struct weir_finding *found = &scene.result->findings[k];

                weir_text_add(&text,
                              "%s %s: ", found->severity == WEIR_WARNING ? "warning" : "note",
                              found->name);
                weir_text_add_visible(&text, found->text);
                weir_text_add(&text, "\n");
            }
            net_scene_close(&scene);
        }
    golden_expect("findings", &text);
    weir_text_close(&text);
}

/* What --measure names is what the run is to measure. */
static void a_cache_that_is_measured_on_purpose_leaves_the_figure_as_asked(void **state)
{
    static const struct {
        enum weir_measure intent, believed_as;
        enum weir_effect effect;
    } cases[] = {{WEIR_MEASURE_STORAGE, WEIR_MEASURE_STORAGE, WEIR_QUALIFY},
                 {WEIR_MEASURE_MEMORY, WEIR_MEASURE_STORAGE, WEIR_QUALIFY},
                 {WEIR_MEASURE_CACHE, WEIR_MEASURE_CACHE, WEIR_INFORM}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_net_plan plan = {.intent = cases[i].intent};
        struct net_scene scene;

        cached(&scene, 0);
        weir_net_result_judge(scene.result);
        weir_net_result_believe(scene.result, &plan);
        assert_int_equal(scene.result->finding_count, 1);
        assert_string_equal(scene.result->findings[0].name, "cpu-cache");
        assert_int_equal(scene.result->findings[0].effect, cases[i].effect);
        assert_int_equal(scene.result->believed_as, cases[i].believed_as);
        assert_int_equal(scene.result->believed, WEIR_BELIEVED_CAUTION);
        net_scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measurements_keep_what_they_had_when_more_come),
        cmocka_unit_test(no_finding_is_left_out),
        cmocka_unit_test(latencies_are_described_in_seconds),
        cmocka_unit_test(a_summary_has_the_median_of_repetitions),
        cmocka_unit_test(each_message_size_has_a_line_in_the_order_of_measuring),
        cmocka_unit_test(latencies_of_repetitions_are_merged),
        cmocka_unit_test(pairs_alone_are_in_their_own_sum_only),
        cmocka_unit_test(a_pair_alone_both_ways_counts_with_both_flows),
        cmocka_unit_test(what_failed_is_left_out_unless_all_did),
        cmocka_unit_test(a_failed_flow_is_not_the_slowest),
        cmocka_unit_test(the_peak_is_the_best_part_of_any_flow),
        cmocka_unit_test(nothing_measured_gives_no_lines),
        cmocka_unit_test(the_matrix_has_the_source_in_the_row),
        cmocka_unit_test(the_matrix_of_pairs_has_what_they_had_alone),
        cmocka_unit_test(the_matrix_of_latencies_has_seconds),
        cmocka_unit_test(a_pair_is_odd_beyond_four_deviations_and_a_tenth),
        cmocka_unit_test(only_as_many_odd_pairs_are_written_as_there_is_room_for),
        cmocka_unit_test(of_many_flows_the_worst_are_kept_and_totals_of_all),
        cmocka_unit_test(findings_are_the_golden_ones),
        cmocka_unit_test(a_cache_that_is_measured_on_purpose_leaves_the_figure_as_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
