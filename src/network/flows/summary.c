/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of net results: medians over what was repeated, the matrix of pairs, and which of them
 * are odd. */
#include "samples.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- latencies ---- */

static double deviation_ns(const struct weir_histogram *histogram)
{
    double mean = weir_histogram_mean_ns(histogram);
    double sum = 0;

    for (unsigned i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        double middle;

        if (histogram->counts[i] == 0)
            continue;
        middle =
            ((double)weir_histogram_bucket_low(i) + ((double)weir_histogram_bucket_end(i) - 1)) / 2;
        middle = fmin(fmax(middle, (double)histogram->min_ns), (double)histogram->max_ns);
        sum += (double)histogram->counts[i] * (middle - mean) * (middle - mean);
    }
    return sqrt(sum / (double)histogram->total);
}

bool weir_net_latency_is_known(enum weir_net_latency figure, uint64_t message_count)
{
    static const uint64_t needs[WEIR_NET_LATENCY_COUNT] = {
        [WEIR_NET_LATENCY_P90] = 10,
        [WEIR_NET_LATENCY_P99] = 100,
        [WEIR_NET_LATENCY_P999] = 1000,
    };

    return message_count >= needs[figure];
}

void weir_net_latency_describe(const struct weir_histogram *histogram,
                               double seconds[WEIR_NET_LATENCY_COUNT])
{
    static const struct {
        enum weir_net_latency place;
        double fraction;
    } percentiles[] = {
        {WEIR_NET_LATENCY_MEDIAN, 0.5},
        {WEIR_NET_LATENCY_P90, 0.9},
        {WEIR_NET_LATENCY_P99, 0.99},
        {WEIR_NET_LATENCY_P999, 0.999},
    };

    memset(seconds, 0, WEIR_NET_LATENCY_COUNT * sizeof *seconds);
    if (!histogram || histogram->total == 0)
        return;
    seconds[WEIR_NET_LATENCY_MIN] = (double)histogram->min_ns * 1e-9;
    seconds[WEIR_NET_LATENCY_MEAN] = weir_histogram_mean_ns(histogram) * 1e-9;
    seconds[WEIR_NET_LATENCY_MAX] = (double)histogram->max_ns * 1e-9;
    seconds[WEIR_NET_LATENCY_STDDEV] = deviation_ns(histogram) * 1e-9;
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
        seconds[percentiles[i].place] =
            (double)weir_histogram_percentile(histogram, percentiles[i].fraction) * 1e-9;
}

/* ---- what is put together ---- */

/* Measurements of one message size, one after the other. */
struct selection {
    const struct weir_net_result *result;
    uint64_t message_bytes;
    bool is_alone;
    bool takes_failed;
    uint32_t next;
};

/* NULL: there are no more; then they begin anew. */
static const struct weir_net_measurement *next_of(struct selection *selection,
                                                  struct weir_net_totals *totals)
{
    const struct weir_net_result *result = selection->result;

    while (selection->next < result->measurement_count) {
        const struct weir_net_measurement *one = &result->measurements[selection->next++];

        if (one->message_bytes != selection->message_bytes || one->is_alone != selection->is_alone)
            continue;
        *totals = weir_net_totals_of(result, one);
        if (selection->takes_failed || totals->failed_count == 0)
            return one;
    }
    selection->next = 0;
    return NULL;
}

/* All that ran together and did not fail, or else all that ran together. */
static struct selection select_size(const struct weir_net_result *result, uint64_t message_bytes)
{
    struct selection selection = {.result = result, .message_bytes = message_bytes};
    struct weir_net_totals totals;

    selection.takes_failed = next_of(&selection, &totals) == NULL;
    selection.next = 0;
    return selection;
}

/* A value of a flow, of a pair of ranks or a round. */
struct cell_value {
    uint64_t cell;
    double value;
};

static int compare_cells(const void *first, const void *second)
{
    const struct cell_value *a = first;
    const struct cell_value *b = second;

    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* The median of the values of one cell, of which the first is at *at; that moves behind them. */
static double cell_median(const struct cell_value *values, size_t count, size_t *at,
                          struct flows_samples *samples)
{
    uint64_t cell = values[*at].cell;

    samples->count = 0;
    while (*at < count && values[*at].cell == cell)
        flows_sample(samples, values[(*at)++].value);
    return flows_median(samples);
}

/* ---- lines of a summary ---- */

/* The sum over pairs of the median over repetitions. */
static double alone_rate(const struct weir_net_result *result, uint64_t message_bytes)
{
    struct selection selection = {
        .result = result, .message_bytes = message_bytes, .is_alone = true};
    struct weir_arena arena = {0};
    struct cell_value *values =
        weir_arena_take(&arena, (result->measurement_count + 1) * sizeof *values);
    struct flows_samples samples = flows_samples_open(&arena, result->measurement_count);
    const struct weir_net_measurement *one;
    struct weir_net_totals totals;
    size_t count = 0;
    double sum = 0;

    while ((one = next_of(&selection, &totals)) != NULL)
        values[count++] = (struct cell_value){one->round, one->bytes_per_s};
    qsort(values, count, sizeof *values, compare_cells);
    for (size_t at = 0; at < count;)
        sum += cell_median(values, count, &at, &samples);
    weir_arena_close(&arena);
    return sum;
}

static void add_extremes(struct weir_net_summary *line, const struct weir_net_measurement *one,
                         const struct weir_net_totals *totals)
{
    line->bytes_per_s_min =
        line->message_bytes == 0 ? one->bytes_per_s : fmin(line->bytes_per_s_min, one->bytes_per_s);
    line->bytes_per_s_max = fmax(line->bytes_per_s_max, one->bytes_per_s);
    line->message_count += totals->message_count;
    line->is_latency_bound |= one->is_latency_bound;
    line->peak_bytes_per_s = fmax(line->peak_bytes_per_s, totals->peak_bytes_per_s);
    line->message_bytes = one->message_bytes;
}

static double per_second(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

static struct weir_net_summary line_of(const struct weir_net_result *result, uint64_t message_bytes)
{
    enum { FIGURES = 6 };
    struct selection selection = select_size(result, message_bytes);
    struct weir_net_summary line = {0};
    double *const medians[FIGURES] = {&line.seconds,
                                      &line.bytes_per_s,
                                      &line.messages_per_s,
                                      &line.flow_bytes_per_s_min,
                                      &line.flow_bytes_per_s_max,
                                      &line.cpu_cores};
    struct weir_arena arena = {0};
    struct weir_histogram *merged = weir_arena_take(&arena, sizeof *merged);
    struct flows_samples samples[FIGURES];
    const struct weir_net_measurement *one;
    struct weir_net_totals totals;

    weir_histogram_reset(merged);
    for (unsigned i = 0; i < result->latency_count; i++)
        if (result->latencies[i].message_bytes == message_bytes)
            weir_histogram_merge(merged, result->latencies[i].merged);
    for (unsigned i = 0; i < FIGURES; i++)
        samples[i] = flows_samples_open(&arena, result->measurement_count);
    while ((one = next_of(&selection, &totals)) != NULL) {
        const double figures[FIGURES] = {one->seconds,
                                         one->bytes_per_s,
                                         per_second((double)totals.message_count, one->seconds),
                                         totals.slowest_bytes_per_s,
                                         totals.fastest_bytes_per_s,
                                         per_second(one->cpu_s, one->seconds)};

        for (unsigned i = 0; i < FIGURES; i++)
            flows_sample(&samples[i], figures[i]);
        add_extremes(&line, one, &totals);
        if (one->latency != NULL)
            weir_histogram_merge(merged, one->latency);
    }
    for (unsigned i = 0; i < FIGURES; i++)
        *medians[i] = flows_median(&samples[i]);
    line.message_bytes = message_bytes;
    line.alone_bytes_per_s = alone_rate(result, message_bytes);
    weir_net_latency_describe(merged, line.latency_s);
    weir_arena_close(&arena);
    return line;
}

uint32_t weir_net_result_summarise(const struct weir_net_result *result,
                                   struct weir_net_summary *lines, uint32_t capacity)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < result->measurement_count && count < capacity; i++) {
        uint64_t message_bytes = result->measurements[i].message_bytes;
        bool is_known = false;

        for (uint32_t j = 0; j < count; j++)
            is_known |= lines[j].message_bytes == message_bytes;
        if (!is_known)
            lines[count++] = line_of(result, message_bytes);
    }
    return count;
}

/* ---- the matrix ---- */

static size_t count_kept(const struct weir_net_result *result)
{
    size_t count = 0;

    for (uint32_t i = 0; i < result->measurement_count; i++)
        count += result->measurements[i].flow_count;
    return count;
}

void weir_net_result_matrix_of(const struct weir_net_result *result, uint64_t message_bytes,
                               bool is_alone, double *matrix)
{
    struct selection selection = {.result = result,
                                  .message_bytes = message_bytes,
                                  .is_alone = is_alone,
                                  .takes_failed = true};
    size_t most = count_kept(result), count = 0;
    struct weir_arena arena = {0};
    struct cell_value *values = weir_arena_take(&arena, (most + 1) * sizeof *values);
    struct flows_samples samples = flows_samples_open(&arena, most);
    const struct weir_net_measurement *one;
    struct weir_net_totals totals;

    memset(matrix, 0, (size_t)result->rank_count * result->rank_count * sizeof *matrix);
    while ((one = next_of(&selection, &totals)) != NULL)
        for (uint32_t i = 0; i < one->flow_count; i++) {
            const struct weir_net_flow_result *flow = &one->flows[i];

            assert(flow->source < result->rank_count && flow->sink < result->rank_count);
            if (!weir_net_flow_has_failed(flow))
                values[count++] =
                    (struct cell_value){(uint64_t)flow->source * result->rank_count + flow->sink,
                                        flows_value(result, flow)};
        }
    qsort(values, count, sizeof *values, compare_cells);
    for (size_t at = 0; at < count;) {
        uint64_t cell = values[at].cell;

        matrix[cell] = cell_median(values, count, &at, &samples);
    }
    weir_arena_close(&arena);
}

static bool has_alone(const struct weir_net_result *result, uint64_t message_bytes)
{
    struct selection selection = {
        .result = result, .message_bytes = message_bytes, .is_alone = true, .takes_failed = true};
    struct weir_net_totals totals;

    return next_of(&selection, &totals) != NULL;
}

void weir_net_result_matrix(const struct weir_net_result *result, uint64_t message_bytes,
                            double *matrix)
{
    weir_net_result_matrix_of(result, message_bytes, has_alone(result, message_bytes), matrix);
}

/* ---- odd pairs ---- */

/* How many times worse than the median. */
static double badness(const struct weir_net_odd_pair *pair)
{
    return pair->value > pair->median ? pair->value / pair->median : pair->median / pair->value;
}

static int compare_pairs(const void *first, const void *second)
{
    double a = badness(first);
    double b = badness(second);

    return (a < b) - (a > b);
}

/* All of the matrix. */
static struct weir_net_odd_pair *find_odd_pairs(struct weir_arena *arena,
                                                const struct weir_net_result *result,
                                                uint64_t message_bytes, uint32_t *count)
{
    uint32_t cell_count = result->rank_count * result->rank_count;
    double *matrix = weir_arena_take(arena, (cell_count + 1) * sizeof *matrix);
    struct weir_net_odd_pair *pairs = weir_arena_take(arena, (cell_count + 1) * sizeof *pairs);
    struct flows_samples samples = flows_samples_open(arena, cell_count);
    struct flows_rule rule;

    weir_net_result_matrix(result, message_bytes, matrix);
    for (uint32_t i = 0; i < cell_count; i++)
        if (matrix[i] > 0)
            flows_sample(&samples, matrix[i]);
    rule = flows_rule_of(arena, &samples);
    for (uint32_t i = 0; i < cell_count; i++)
        if (matrix[i] > 0 && flows_is_odd(&rule, matrix[i], result->is_latency))
            pairs[(*count)++] = (struct weir_net_odd_pair){
                i / result->rank_count, i % result->rank_count, matrix[i], rule.median};
    return pairs;
}

/* All that were kept, each beside those that ran with it. */
static struct weir_net_odd_pair *find_odd_flows(struct weir_arena *arena,
                                                const struct weir_net_result *result,
                                                uint64_t message_bytes, uint32_t *count)
{
    struct selection selection = {.result = result,
                                  .message_bytes = message_bytes,
                                  .is_alone = has_alone(result, message_bytes),
                                  .takes_failed = true};
    struct weir_net_odd_pair *pairs =
        weir_arena_take(arena, (count_kept(result) + 1) * sizeof *pairs);
    const struct weir_net_measurement *one;
    struct weir_net_totals totals;

    while ((one = next_of(&selection, &totals)) != NULL)
        for (uint32_t i = 0; i < one->flow_count; i++) {
            const struct weir_net_flow_result *flow = &one->flows[i];
            const struct flows_rule rule = {totals.median, totals.odd_beyond};
            double value = flows_value(result, flow);

            if (value > 0 && !weir_net_flow_has_failed(flow) &&
                flows_is_odd(&rule, value, result->is_latency))
                pairs[(*count)++] =
                    (struct weir_net_odd_pair){flow->source, flow->sink, value, rule.median};
        }
    return pairs;
}

uint32_t weir_net_result_odd_pairs(const struct weir_net_result *result, uint64_t message_bytes,
                                   struct weir_net_odd_pair *pairs, uint32_t capacity)
{
    struct weir_arena arena = {0};
    uint32_t count = 0;
    struct weir_net_odd_pair *found = result->kept_flow_count > 0
                                          ? find_odd_flows(&arena, result, message_bytes, &count)
                                          : find_odd_pairs(&arena, result, message_bytes, &count);

    qsort(found, count, sizeof *found, compare_pairs);
    for (uint32_t i = 0; i < count && i < capacity; i++)
        pairs[i] = found[i];
    weir_arena_close(&arena);
    return count;
}
