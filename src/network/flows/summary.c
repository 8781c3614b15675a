/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of net results: medians over what was repeated, the matrix of pairs, and which of them
 * are odd. */
#include "weir/flows/result.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair is odd beyond both of these. */
#define ODD_DEVIATIONS 4.0
#define ODD_PART 0.1

/* ---- samples ---- */

struct samples {
    double *values;
    uint32_t count;
};

static struct samples room_for(struct weir_arena *arena, size_t count)
{
    return (struct samples){.values = weir_arena_take(arena, (count + 1) * sizeof(double))};
}

static void sample(struct samples *samples, double value)
{
    samples->values[samples->count++] = value;
}

static int compare_values(const void *first, const void *second)
{
    double a = *(const double *)first;
    double b = *(const double *)second;

    return (a > b) - (a < b);
}

/* 0 if there is none. Sorts them. */
static double median(struct samples *samples)
{
    uint32_t half = samples->count / 2;

    if (samples->count == 0)
        return 0;
    qsort(samples->values, samples->count, sizeof *samples->values, compare_values);
    if (samples->count % 2)
        return samples->values[half];
    return (samples->values[half - 1] + samples->values[half]) / 2;
}

/* ---- single measurements ---- */

static double per_second(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

static double flow_rate(const struct weir_net_flow_result *flow)
{
    return per_second((double)flow->byte_count, flow->seconds);
}

static bool has_failed(const struct weir_net_measurement *measurement)
{
    for (uint32_t i = 0; i < measurement->flow_count; i++)
        if (weir_net_flow_has_failed(&measurement->flows[i]))
            return true;
    return false;
}

static uint64_t messages_of(const struct weir_net_measurement *measurement)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < measurement->flow_count; i++)
        count += measurement->flows[i].message_count;
    return count;
}

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

/* ---- lines of a summary ---- */

/* What of one message size is put together: all that ran together and did not fail, or else all
 * that ran together. */
struct selection {
    const struct weir_net_result *result;
    uint64_t message_bytes;
    bool takes_failed;
};

static bool is_together(const struct weir_net_measurement *measurement, uint64_t message_bytes)
{
    return measurement->message_bytes == message_bytes && !measurement->is_alone;
}

static bool is_selected(const struct selection *selection,
                        const struct weir_net_measurement *measurement)
{
    return is_together(measurement, selection->message_bytes) &&
           (selection->takes_failed || !has_failed(measurement));
}

static struct selection select_size(const struct weir_net_result *result, uint64_t message_bytes)
{
    struct selection selection = {.result = result, .message_bytes = message_bytes};

    for (uint32_t i = 0; i < result->measurement_count; i++)
        if (is_selected(&selection, &result->measurements[i]))
            return selection;
    selection.takes_failed = true;
    return selection;
}

static double rate_of(const struct weir_net_measurement *measurement)
{
    return measurement->bytes_per_s;
}

static double seconds_of(const struct weir_net_measurement *measurement)
{
    return measurement->seconds;
}

static double message_rate_of(const struct weir_net_measurement *measurement)
{
    return per_second((double)messages_of(measurement), measurement->seconds);
}

static double cores_of(const struct weir_net_measurement *measurement)
{
    return per_second(measurement->cpu_s, measurement->seconds);
}

/* A flow that failed has no rate that says anything, unless all did. */
static double slowest_of(const struct weir_net_measurement *measurement)
{
    double slowest = INFINITY;

    for (uint32_t i = 0; i < measurement->flow_count; i++)
        if (!weir_net_flow_has_failed(&measurement->flows[i]))
            slowest = fmin(slowest, flow_rate(&measurement->flows[i]));
    return isfinite(slowest) ? slowest : 0;
}

static double fastest_of(const struct weir_net_measurement *measurement)
{
    double fastest = 0;

    for (uint32_t i = 0; i < measurement->flow_count; i++)
        fastest = fmax(fastest, flow_rate(&measurement->flows[i]));
    return fastest;
}

static double median_of(const struct selection *selection,
                        double (*value)(const struct weir_net_measurement *))
{
    const struct weir_net_result *result = selection->result;
    struct weir_arena arena = {0};
    struct samples samples = room_for(&arena, result->measurement_count);
    double middle;

    for (uint32_t i = 0; i < result->measurement_count; i++)
        if (is_selected(selection, &result->measurements[i]))
            sample(&samples, value(&result->measurements[i]));
    middle = median(&samples);
    weir_arena_close(&arena);
    return middle;
}

static void add_extremes(struct weir_net_summary *line, const struct selection *selection)
{
    const struct weir_net_result *result = selection->result;
    double least = INFINITY;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *measurement = &result->measurements[i];

        if (!is_selected(selection, measurement))
            continue;
        least = fmin(least, measurement->bytes_per_s);
        line->bytes_per_s_max = fmax(line->bytes_per_s_max, measurement->bytes_per_s);
        line->message_count += messages_of(measurement);
        line->is_latency_bound |= measurement->is_latency_bound;
        for (uint32_t j = 0; j < measurement->flow_count; j++)
            line->peak_bytes_per_s =
                fmax(line->peak_bytes_per_s, measurement->flows[j].peak_bytes_per_s);
    }
    line->bytes_per_s_min = isfinite(least) ? least : 0;
}

static void add_latency(struct weir_net_summary *line, const struct selection *selection)
{
    const struct weir_net_result *result = selection->result;
    struct weir_arena arena = {0};
    struct weir_histogram *merged = weir_arena_take(&arena, sizeof *merged);

    weir_histogram_reset(merged);
    for (uint32_t i = 0; i < result->measurement_count; i++)
        if (is_selected(selection, &result->measurements[i]) && result->measurements[i].latency)
            weir_histogram_merge(merged, result->measurements[i].latency);
    weir_net_latency_describe(merged, line->latency_s);
    weir_arena_close(&arena);
}

static bool is_first_of_round(const struct weir_net_result *result, uint32_t place)
{
    const struct weir_net_measurement *one = &result->measurements[place];

    for (uint32_t i = 0; i < place; i++) {
        const struct weir_net_measurement *other = &result->measurements[i];

        if (other->is_alone && other->round == one->round &&
            other->message_bytes == one->message_bytes)
            return false;
    }
    return true;
}

/* The sum over pairs of the median over repetitions. */
static double alone_rate(const struct weir_net_result *result, uint64_t message_bytes)
{
    struct weir_arena arena = {0};
    double sum = 0;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *first = &result->measurements[i];
        struct samples samples;

        if (!first->is_alone || first->message_bytes != message_bytes ||
            !is_first_of_round(result, i))
            continue;
        samples = room_for(&arena, result->measurement_count);
        for (uint32_t j = i; j < result->measurement_count; j++) {
            const struct weir_net_measurement *other = &result->measurements[j];

            if (other->is_alone && other->round == first->round &&
                other->message_bytes == message_bytes && !has_failed(other))
                sample(&samples, other->bytes_per_s);
        }
        sum += median(&samples);
    }
    weir_arena_close(&arena);
    return sum;
}

static struct weir_net_summary line_of(const struct weir_net_result *result, uint64_t message_bytes)
{
    struct selection selection = select_size(result, message_bytes);
    struct weir_net_summary line = {.message_bytes = message_bytes};

    line.seconds = median_of(&selection, seconds_of);
    line.bytes_per_s = median_of(&selection, rate_of);
    line.messages_per_s = median_of(&selection, message_rate_of);
    line.flow_bytes_per_s_min = median_of(&selection, slowest_of);
    line.flow_bytes_per_s_max = median_of(&selection, fastest_of);
    line.cpu_cores = median_of(&selection, cores_of);
    line.alone_bytes_per_s = alone_rate(result, message_bytes);
    add_extremes(&line, &selection);
    add_latency(&line, &selection);
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

static double flow_value(const struct weir_net_result *result,
                         const struct weir_net_flow_result *flow)
{
    return result->is_latency ? flow->latency_median_s : flow_rate(flow);
}

/* What one flow had, and of which cell of the matrix it is. */
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

/* How many flows were measured so, and did not fail; all of them in `values` if that is not NULL.
 */
static size_t collect_cells(const struct weir_net_result *result, uint64_t message_bytes,
                            bool is_alone, struct cell_value *values)
{
    size_t count = 0;

    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *measurement = &result->measurements[i];

        if (measurement->message_bytes != message_bytes || measurement->is_alone != is_alone)
            continue;
        for (uint32_t j = 0; j < measurement->flow_count; j++) {
            const struct weir_net_flow_result *flow = &measurement->flows[j];

            assert(flow->source < result->rank_count && flow->sink < result->rank_count);
            if (weir_net_flow_has_failed(flow))
                continue;
            if (values != NULL)
                values[count] =
                    (struct cell_value){(uint64_t)flow->source * result->rank_count + flow->sink,
                                        flow_value(result, flow)};
            count++;
        }
    }
    return count;
}

void weir_net_result_matrix_of(const struct weir_net_result *result, uint64_t message_bytes,
                               bool is_alone, double *matrix)
{
    size_t count = collect_cells(result, message_bytes, is_alone, NULL);
    struct weir_arena arena = {0};
    struct cell_value *values = weir_arena_take(&arena, (count + 1) * sizeof *values);
    struct samples samples = room_for(&arena, count);

    for (uint64_t i = 0; i < (uint64_t)result->rank_count * result->rank_count; i++)
        matrix[i] = 0;
    collect_cells(result, message_bytes, is_alone, values);
    qsort(values, count, sizeof *values, compare_cells);
    for (size_t i = 0; i < count; i++) {
        sample(&samples, values[i].value);
        if (i + 1 < count && values[i + 1].cell == values[i].cell)
            continue;
        matrix[values[i].cell] = median(&samples);
        samples.count = 0;
    }
    weir_arena_close(&arena);
}

static bool has_alone(const struct weir_net_result *result, uint64_t message_bytes)
{
    for (uint32_t i = 0; i < result->measurement_count; i++)
        if (result->measurements[i].is_alone &&
            result->measurements[i].message_bytes == message_bytes)
            return true;
    return false;
}

void weir_net_result_matrix(const struct weir_net_result *result, uint64_t message_bytes,
                            double *matrix)
{
    weir_net_result_matrix_of(result, message_bytes, has_alone(result, message_bytes), matrix);
}

/* ---- odd pairs ---- */

static double median_of_pairs(struct weir_arena *arena, const double *matrix, uint32_t cell_count,
                              double centre)
{
    struct samples samples = room_for(arena, cell_count);

    for (uint32_t i = 0; i < cell_count; i++)
        if (matrix[i] > 0)
            sample(&samples, fabs(matrix[i] - centre));
    return median(&samples);
}

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

/* All of them, worst first, in `arena`. */
static struct weir_net_odd_pair *find_odd_pairs(struct weir_arena *arena,
                                                const struct weir_net_result *result,
                                                const double *matrix, uint32_t *count)
{
    uint32_t cell_count = result->rank_count * result->rank_count;
    struct weir_net_odd_pair *pairs = weir_arena_take(arena, (cell_count + 1) * sizeof *pairs);
    double middle = median_of_pairs(arena, matrix, cell_count, 0);
    double room = fmax(ODD_DEVIATIONS * median_of_pairs(arena, matrix, cell_count, middle),
                       ODD_PART * middle);

    *count = 0;
    for (uint32_t i = 0; i < cell_count; i++) {
        double lag = result->is_latency ? matrix[i] - middle : middle - matrix[i];

        if (matrix[i] > 0 && lag > room)
            pairs[(*count)++] = (struct weir_net_odd_pair){
                .source = i / result->rank_count,
                .sink = i % result->rank_count,
                .value = matrix[i],
                .median = middle,
            };
    }
    qsort(pairs, *count, sizeof *pairs, compare_pairs);
    return pairs;
}

uint32_t weir_net_result_odd_pairs(const struct weir_net_result *result, uint64_t message_bytes,
                                   struct weir_net_odd_pair *pairs, uint32_t capacity)
{
    uint32_t cell_count = result->rank_count * result->rank_count;
    struct weir_arena arena = {0};
    double *matrix = weir_arena_take(&arena, (cell_count + 1) * sizeof *matrix);
    struct weir_net_odd_pair *found;
    uint32_t count;

    weir_net_result_matrix(result, message_bytes, matrix);
    found = find_odd_pairs(&arena, result, matrix, &count);
    for (uint32_t i = 0; i < count && i < capacity; i++)
        pairs[i] = found[i];
    weir_arena_close(&arena);
    return count;
}
