/* SPDX-License-Identifier: Apache-2.0 */
/* From the rows of all ranks to the numbers of a phase, and the record of a whole run. */
#include "weir/measure/result.h"

#include "weir/base/error.h"
#include "weir/base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* ---- windows ---- */

int64_t weir_rank_transfer_ns(const struct weir_rank_row *row)
{
    const int64_t *at = row->stamps_ns;
    int64_t ns = at[WEIR_STAMP_MOVE_STOP] - at[WEIR_STAMP_MOVE_START] - (int64_t)row->waited_ns;

    return ns > 0 ? ns : 0;
}

/* Filling and checking lie between the MOVE stamps, so they took no longer than these are apart. */
static int64_t data_ns(const struct weir_rank_row *row)
{
    int64_t limit = weir_rank_transfer_ns(row);

    return row->data_ns < (uint64_t)limit ? (int64_t)row->data_ns : limit;
}

/* The part beside transfers in flight is at most the rest. */
static int64_t overlapped_data_ns(const struct weir_rank_row *row)
{
    int64_t limit = weir_rank_transfer_ns(row) - data_ns(row);

    return row->overlapped_data_ns < (uint64_t)limit ? (int64_t)row->overlapped_data_ns : limit;
}

static double transfer_s(const struct weir_rank_row *row)
{
    return (double)weir_rank_transfer_ns(row) / NS_PER_S;
}

static double positive_s(int64_t from_ns, int64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / NS_PER_S : 0.0;
}

struct stamp_range {
    int64_t first;
    int64_t last;
};

static struct stamp_range range_of(const struct weir_rank_row *rows, unsigned rank_count,
                                   enum weir_stamp stamp)
{
    struct stamp_range range = {.first = INT64_MAX, .last = INT64_MIN};

    for (unsigned i = 0; i < rank_count; i++) {
        int64_t ns = rows[i].stamps_ns[stamp];

        range.first = ns < range.first ? ns : range.first;
        range.last = ns > range.last ? ns : range.last;
    }
    return range;
}

static void derive_windows(struct weir_phase_result *result, const struct weir_rank_row *rows,
                           unsigned rank_count)
{
    struct stamp_range at[WEIR_STAMP_COUNT];

    if (rank_count == 0) {
        result->windows = (struct weir_windows){.total_s = 0.0};
        result->common_s = 0.0;
        return;
    }
    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        at[i] = range_of(rows, rank_count, (enum weir_stamp)i);
    result->windows = (struct weir_windows){
        .open_s = positive_s(at[WEIR_STAMP_OPEN_START].first, at[WEIR_STAMP_OPEN_STOP].last),
        .transfer_s = positive_s(at[WEIR_STAMP_MOVE_START].first, at[WEIR_STAMP_MOVE_STOP].last),
        .close_s = positive_s(at[WEIR_STAMP_CLOSE_START].first, at[WEIR_STAMP_CLOSE_STOP].last),
        .total_s = positive_s(at[WEIR_STAMP_OPEN_START].first, at[WEIR_STAMP_CLOSE_STOP].last),
    };
    result->common_s = positive_s(at[WEIR_STAMP_MOVE_START].last, at[WEIR_STAMP_MOVE_STOP].first);
}

/* ---- sums and spread over ranks ---- */

static void derive_sums(struct weir_phase_result *result, const struct weir_rank_row *rows,
                        unsigned rank_count)
{
    result->op_count = 0;
    result->byte_count = 0;
    result->short_count = 0;
    result->error_count = 0;
    result->blocked_count = 0;
    result->rank_ops_min = UINT64_MAX;
    result->rank_ops_max = 0;
    for (unsigned i = 0; i < rank_count; i++) {
        uint64_t ops = rows[i].op_count;

        result->op_count += ops;
        result->rank_ops_min = ops < result->rank_ops_min ? ops : result->rank_ops_min;
        result->rank_ops_max = ops > result->rank_ops_max ? ops : result->rank_ops_max;
        result->byte_count += rows[i].byte_count;
        result->short_count += rows[i].short_count;
        result->error_count += rows[i].error_count;
        result->blocked_count += rows[i].blocked_count;
    }
}

/* The shares of the ranks' time and of their processor time. */
static void derive_shares(struct weir_phase_result *result, const struct weir_rank_row *rows,
                          unsigned rank_count)
{
    double data = 0.0, overlapped = 0.0, transfer = 0.0;

    result->cpu_user_s = 0.0;
    result->cpu_system_s = 0.0;
    for (unsigned i = 0; i < rank_count; i++) {
        data += (double)data_ns(&rows[i]);
        overlapped += (double)overlapped_data_ns(&rows[i]);
        transfer += (double)weir_rank_transfer_ns(&rows[i]);
        result->cpu_user_s += (double)rows[i].cpu_user_ns / NS_PER_S;
        result->cpu_system_s += (double)rows[i].cpu_system_ns / NS_PER_S;
    }
    result->data_share = transfer > 0.0 ? data / transfer : 0.0;
    result->overlapped_data_share = transfer > 0.0 ? overlapped / transfer : 0.0;
}

/* A rank's time without its own work, which is known if nothing of it was done beside transfers. */
static void derive_estimate(struct weir_phase_result *result, const struct weir_rank_row *rows,
                            unsigned rank_count)
{
    int64_t longest = 0;
    int64_t work = 0;

    result->storage_s = 0.0;
    for (unsigned i = 0; i < rank_count; i++) {
        int64_t rest = weir_rank_transfer_ns(&rows[i]) - data_ns(&rows[i]);

        if (rows[i].overlapped_data_ns > 0)
            return;
        longest = rest > longest ? rest : longest;
        work += data_ns(&rows[i]);
    }
    if (work > 0)
        result->storage_s = (double)longest / NS_PER_S;
}

double weir_result_estimate_s(const struct weir_phase_result *result)
{
    if (result->storage_s <= 0.0)
        return 0.0;
    return fmax(result->windows.total_s - result->windows.transfer_s, 0.0) + result->storage_s;
}

/* The lag is that of the rank furthest behind; the rate asked for is the plan's. */
static void derive_pace(struct weir_phase_result *result, const struct weir_rank_row *rows,
                        unsigned rank_count)
{
    struct weir_pace_result pace = {.asked_per_s = result->pace.asked_per_s};

    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_pace_tally *mine = &rows[i].pace;

        pace.offered_s = fmax(pace.offered_s, (double)mine->offered_ns / NS_PER_S);
        pace.end_lag_s = fmax(pace.end_lag_s, (double)mine->end_lag_ns / NS_PER_S);
        pace.max_lag_s = fmax(pace.max_lag_s, (double)mine->max_lag_ns / NS_PER_S);
        if (mine->max_backlog > pace.max_backlog)
            pace.max_backlog = mine->max_backlog;
    }
    result->pace = pace;
}

/* A rank that did nothing in no time has no rate. */
static void derive_rates(struct weir_phase_result *result, const struct weir_rank_row *rows,
                         unsigned rank_count)
{
    double sum = 0.0;

    result->rank_ops_per_s_min = rank_count ? INFINITY : 0.0;
    result->rank_ops_per_s_max = 0.0;
    for (unsigned i = 0; i < rank_count; i++) {
        double seconds = transfer_s(&rows[i]);
        double rate = seconds > 0.0 ? (double)rows[i].op_count / seconds : 0.0;

        sum += rate;
        result->rank_ops_per_s_min = fmin(result->rank_ops_per_s_min, rate);
        result->rank_ops_per_s_max = fmax(result->rank_ops_per_s_max, rate);
    }
    result->rank_ops_per_s_mean = rank_count ? sum / rank_count : 0.0;
}

static double smallest_op_s(const struct weir_rank_row *rows, unsigned rank_count)
{
    double least = INFINITY;

    for (unsigned i = 0; i < rank_count; i++)
        if (rows[i].op_count > 0)
            least = fmin(least, transfer_s(&rows[i]) / (double)rows[i].op_count);
    return isfinite(least) ? least : 0.0;
}

static void derive_spread(struct weir_phase_result *result, const struct weir_rank_row *rows,
                          unsigned rank_count)
{
    double sum = 0.0;
    double squares = 0.0;

    result->rank_s_min = rank_count ? transfer_s(&rows[0]) : 0.0;
    result->rank_s_max = 0.0;
    for (unsigned i = 0; i < rank_count; i++) {
        double seconds = transfer_s(&rows[i]);

        sum += seconds;
        result->rank_s_min = fmin(result->rank_s_min, seconds);
        result->rank_s_max = fmax(result->rank_s_max, seconds);
    }
    result->rank_s_mean = rank_count ? sum / rank_count : 0.0;
    for (unsigned i = 0; i < rank_count; i++) {
        double distance = transfer_s(&rows[i]) - result->rank_s_mean;

        squares += distance * distance;
    }
    result->rank_s_stddev = rank_count ? sqrt(squares / rank_count) : 0.0;
    result->op_s_min = smallest_op_s(rows, rank_count);
}

/* Ranks come in order, so of equally slow ones the lower stays in front. */
static void derive_slowest(struct weir_phase_result *result, const struct weir_rank_row *rows,
                           unsigned rank_count, const char *const *hosts)
{
    struct weir_slow_rank *slowest = result->slowest;

    result->slowest_count = 0;
    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_execution *execution = &rows[i].execution;
        bool is_known = execution->waited_of_ns > 0 && execution->waited_ns != WEIR_UNKNOWN;
        struct weir_slow_rank candidate = {
            .rank = i,
            .seconds = transfer_s(&rows[i]),
            .waited_s = is_known ? (double)execution->waited_ns / NS_PER_S : 0.0,
        };
        unsigned place = result->slowest_count;

        while (place > 0 && slowest[place - 1].seconds < candidate.seconds)
            place--;
        if (place == WEIR_SLOWEST_KEPT)
            continue;
        if (result->slowest_count < WEIR_SLOWEST_KEPT)
            result->slowest_count++;
        memmove(&slowest[place + 1], &slowest[place],
                (result->slowest_count - place - 1) * sizeof *slowest);
        snprintf(candidate.host, sizeof candidate.host, "%s", hosts[i]);
        slowest[place] = candidate;
    }
}

static void derive_gap(struct weir_phase_result *result, const struct weir_rank_row *rows,
                       unsigned rank_count, const char *const *hosts)
{
    struct weir_rank_gap *gap = &result->gap;

    *gap = (struct weir_rank_gap){.seconds = 0.0};
    for (unsigned i = 0; i < rank_count; i++) {
        double seconds = (double)rows[i].gap_ns / NS_PER_S;

        if (seconds <= gap->seconds)
            continue;
        gap->rank = i;
        gap->seconds = seconds;
        gap->begin_s = (double)rows[i].gap_begin_ns / NS_PER_S;
        gap->host = hosts[i];
    }
}

/* ---- outliers ---- */

static double outlier_value_s(const struct weir_rank_row *row, enum weir_outlier_kind kind)
{
    const int64_t *stamps = row->stamps_ns;

    switch (kind) {
    case WEIR_OUTLIER_START:
        return (double)stamps[WEIR_STAMP_OPEN_START] / NS_PER_S;
    case WEIR_OUTLIER_OPEN:
        return (double)(stamps[WEIR_STAMP_OPEN_STOP] - stamps[WEIR_STAMP_OPEN_START]) / NS_PER_S;
    case WEIR_OUTLIER_TRANSFER:
        return transfer_s(row);
    case WEIR_OUTLIER_CLOSE:
        return (double)(stamps[WEIR_STAMP_CLOSE_STOP] - stamps[WEIR_STAMP_CLOSE_START]) / NS_PER_S;
    case WEIR_OUTLIER_END:
        return (double)stamps[WEIR_STAMP_CLOSE_STOP] / NS_PER_S;
    }
    return 0.0;
}

struct distribution {
    double mean;
    double stddev;
};

static struct distribution distribution_of(const struct weir_rank_row *rows, unsigned rank_count,
                                           enum weir_outlier_kind kind)
{
    double sum = 0.0;
    double squares = 0.0;
    double mean;

    for (unsigned i = 0; i < rank_count; i++)
        sum += outlier_value_s(&rows[i], kind);
    mean = sum / rank_count;
    for (unsigned i = 0; i < rank_count; i++) {
        double distance = outlier_value_s(&rows[i], kind) - mean;

        squares += distance * distance;
    }
    return (struct distribution){.mean = mean, .stddev = sqrt(squares / rank_count)};
}

struct weir_outlier *weir_result_add_outlier(struct weir_phase_result *phase)
{
    if (phase->outliers == NULL)
        phase->outliers =
            weir_arena_take(phase->arena, WEIR_OUTLIERS_KEPT * sizeof *phase->outliers);
    return phase->outlier_count++ < WEIR_OUTLIERS_KEPT ? &phase->outliers[phase->outlier_count - 1]
                                                       : NULL;
}

/* Rank by rank, and of each rank kind by kind. */
static void derive_outliers(struct weir_phase_result *result, const struct weir_rank_row *rows,
                            unsigned rank_count, const char *const *hosts, double outlier_s)
{
    struct distribution all[WEIR_OUTLIER_KINDS];

    result->outlier_count = 0;
    if (outlier_s <= 0.0 || rank_count == 0)
        return;
    for (unsigned kind = 0; kind < WEIR_OUTLIER_KINDS; kind++)
        all[kind] = distribution_of(rows, rank_count, (enum weir_outlier_kind)kind);
    for (unsigned i = 0; i < rank_count * WEIR_OUTLIER_KINDS; i++) {
        unsigned rank = i / WEIR_OUTLIER_KINDS;
        enum weir_outlier_kind kind = (enum weir_outlier_kind)(i % WEIR_OUTLIER_KINDS);
        double value = outlier_value_s(&rows[rank], kind);
        struct weir_outlier *outlier;

        if (fabs(value - all[kind].mean) <= outlier_s)
            continue;
        outlier = weir_result_add_outlier(result);
        if (outlier == NULL)
            continue;
        *outlier = (struct weir_outlier){.rank = rank,
                                         .kind = kind,
                                         .value_s = value,
                                         .mean_s = all[kind].mean,
                                         .stddev_s = all[kind].stddev};
        snprintf(outlier->host, sizeof outlier->host, "%s", hosts[rank]);
    }
}

/* ---- stonewall ---- */

/* A rank that never saw the deadline was done with its whole part before it; if none did, the time
 * is that which all took. */
static void derive_stonewall(struct weir_phase_result *result, const struct weir_rank_row *rows,
                             unsigned rank_count)
{
    struct weir_stonewall wall = {.ops_min = UINT64_MAX, .bytes_min = UINT64_MAX};
    unsigned hit_count = 0;
    double hit_s = 0.0;

    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_rank_row *row = &rows[i];
        uint64_t ops = row->hit_deadline ? row->stonewall_ops : row->op_count;
        uint64_t bytes = row->hit_deadline ? row->stonewall_bytes : row->byte_count;

        wall.ops_min = ops < wall.ops_min ? ops : wall.ops_min;
        wall.ops_max = ops > wall.ops_max ? ops : wall.ops_max;
        wall.ops_mean += (double)ops / rank_count;
        wall.bytes_min = bytes < wall.bytes_min ? bytes : wall.bytes_min;
        wall.bytes_mean += (double)bytes / rank_count;
        wall.has_deadline |= row->has_deadline != 0;
        hit_count += row->hit_deadline != 0;
        hit_s += row->hit_deadline ? (double)row->stonewall_ns / NS_PER_S : 0.0;
        wall.seconds += (double)row->stonewall_ns / NS_PER_S / rank_count;
    }
    wall.is_hit = hit_count > 0;
    if (wall.is_hit)
        wall.seconds = hit_s / hit_count;
    result->stonewall = wall.has_deadline ? wall : (struct weir_stonewall){.is_hit = false};
}

/* ---- clocks ---- */

/* Part of the drift that comparisons of clocks account for, as a rate. */
static double rate_of(double ns, const struct weir_rank_row *row)
{
    return row->drift_span_ns > 0 ? ns / (double)row->drift_span_ns : 0.0;
}

/* The two nodes with the largest bounds may both be off, in opposite directions: adds both. */
static double add_two_worst(const double bounds[], unsigned rank_count, const char *const *hosts)
{
    unsigned worst = 0;
    double other = 0.0;

    for (unsigned i = 1; i < rank_count; i++)
        if (bounds[i] > bounds[worst])
            worst = i;
    for (unsigned i = 0; i < rank_count; i++)
        if (strcmp(hosts[i], hosts[worst]) != 0)
            other = fmax(other, bounds[i]);
    return bounds[worst] + other;
}

/* The rate of a node's clock against the first node's. */
struct node_drift {
    unsigned row; /* of the node's first rank */
    double ppm;
    double error_ppm;
};

static int compare_drifts(const void *one, const void *other)
{
    const struct node_drift *a = one, *b = other;

    return (a->ppm > b->ppm) - (a->ppm < b->ppm);
}

/* All nodes count alike, the first one with a drift of 0: sorted by their drifts, the odd one is at
 * an end, further from its neighbour than all others are from one another. */
static void find_odd_clock(struct weir_clock_quality *clock, struct node_drift *nodes,
                           unsigned count, const char *const *hosts)
{
    const struct node_drift *least = &nodes[0], *most = &nodes[count - 1], *odd = most;
    const struct node_drift *other = least;
    bool is_alone = false;

    qsort(nodes, count, sizeof *nodes, compare_drifts);
    if (count >= 3) {
        double below = nodes[1].ppm - least->ppm, above = most->ppm - nodes[count - 2].ppm;
        double rest = most->ppm - least->ppm - fmax(below, above);

        is_alone = fmax(below, above) > 2.0 * rest;
        if (is_alone && below > above) {
            odd = least;
            other = &nodes[1];
        } else if (is_alone) {
            other = &nodes[count - 2];
        }
    }
    snprintf(clock->odd_host, sizeof clock->odd_host, "%s", hosts[odd->row]);
    snprintf(clock->odd_other, sizeof clock->odd_other, "%s", is_alone ? "" : hosts[other->row]);
    clock->odd_ppm = odd->ppm - other->ppm;
    clock->odd_error_ppm = odd->error_ppm + other->error_ppm;
}

/* Rows of ranks that know it: the first one of each node. */
static void compare_with_kernels(struct weir_clock_quality *clock, const struct weir_rank_row *rows,
                                 unsigned rank_count, const char *const *hosts)
{
    double worst = fmax(fabs(clock->odd_ppm) - clock->odd_error_ppm, 0.0);

    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_execution *execution = &rows[i].execution;
        double beyond = fabs(execution->clock_ppm) - execution->clock_error_ppm;

        /* The cause of what nodes see of one another, if it is of that size. */
        if (execution->clock_error_ppm <= 0.0 || beyond <= 0.9 * worst)
            continue;
        worst = beyond;
        snprintf(clock->odd_host, sizeof clock->odd_host, "%s", hosts[i]);
        clock->odd_other[0] = '\0';
        clock->is_against_kernel = true;
        clock->odd_ppm = execution->clock_ppm;
        clock->odd_error_ppm = execution->clock_error_ppm;
    }
}

static void derive_odd_clock(struct weir_clock_quality *clock, const struct weir_rank_row *rows,
                             unsigned rank_count, const char *const *hosts)
{
    struct node_drift *nodes = weir_memory_grow(NULL, (rank_count + 1) * sizeof *nodes);
    unsigned count = 0;

    for (unsigned i = 0; i < rank_count; i++)
        if (rows[i].node == count) /* nodes are numbered in the order of their first ranks */
            nodes[count++] = (struct node_drift){
                .row = i,
                /* An offset that grows is a clock that falls back. */
                .ppm = -rate_of((double)rows[i].drift_ns, &rows[i]) * 1e6,
                .error_ppm = rate_of((double)rows[i].drift_error_ns, &rows[i]) * 1e6,
            };
    if (count >= 2)
        find_odd_clock(clock, nodes, count, hosts);
    compare_with_kernels(clock, rows, rank_count, hosts);
    free(nodes);
}

static void derive_clock(struct weir_phase_result *result, const struct weir_rank_row *rows,
                         unsigned rank_count, const char *const *hosts)
{
    struct weir_clock_quality clock = {.is_cross_node = false};
    struct stamp_range offset = {0, 0};
    double least_drift = 0.0, greatest_drift = 0.0;
    double *bounds;

    for (unsigned i = 0; i < rank_count; i++) {
        double drift = rate_of((double)rows[i].drift_ns, &rows[i]);

        offset.first = rows[i].offset_ns < offset.first ? rows[i].offset_ns : offset.first;
        offset.last = rows[i].offset_ns > offset.last ? rows[i].offset_ns : offset.last;
        least_drift = fmin(least_drift, drift);
        greatest_drift = fmax(greatest_drift, drift);
        if (rows[i].error_ns > 0 || strcmp(hosts[i], hosts[0]) != 0)
            clock.is_cross_node = true;
    }
    if (clock.is_cross_node) {
        bounds = weir_memory_grow(NULL, rank_count * sizeof *bounds);
        clock.offset_s = positive_s(offset.first, offset.last);
        clock.drift_ppm = (greatest_drift - least_drift) * 1e6;
        for (unsigned i = 0; i < rank_count; i++)
            bounds[i] = (double)rows[i].error_ns;
        clock.error_s = add_two_worst(bounds, rank_count, hosts) / NS_PER_S;
        for (unsigned i = 0; i < rank_count; i++)
            bounds[i] = rate_of((double)rows[i].drift_error_ns, &rows[i]);
        clock.drift_error_ppm = add_two_worst(bounds, rank_count, hosts) * 1e6;
        free(bounds);
    }
    derive_odd_clock(&clock, rows, rank_count, hosts);
    result->clock = clock;
}

void weir_result_derive(struct weir_phase_result *result, const struct weir_rank_row *rows,
                        unsigned rank_count, const char *const *hosts, double outlier_s)
{
    result->rank_count = rank_count;
    derive_windows(result, rows, rank_count);
    derive_sums(result, rows, rank_count);
    derive_shares(result, rows, rank_count);
    derive_estimate(result, rows, rank_count);
    derive_pace(result, rows, rank_count);
    derive_spread(result, rows, rank_count);
    derive_rates(result, rows, rank_count);
    derive_slowest(result, rows, rank_count, hosts);
    derive_gap(result, rows, rank_count, hosts);
    derive_outliers(result, rows, rank_count, hosts, outlier_s);
    derive_stonewall(result, rows, rank_count);
    derive_clock(result, rows, rank_count, hosts);
}

/* ---- the record of a run ---- */

struct weir_result *weir_result_open(unsigned test_capacity)
{
    struct weir_arena arena = {0};
    struct weir_result *result = weir_arena_take(&arena, sizeof *result);

    result->tests = weir_arena_take(&arena, (size_t)test_capacity * sizeof *result->tests);
    result->arena = arena;
    return result;
}

void weir_result_close(struct weir_result *result)
{
    struct weir_arena arena;

    if (!result)
        return;
    /* The result lies in its own arena. */
    arena = result->arena;
    weir_arena_close(&result->shown);
    free(result->phases);
    free(result->timed);
    free(result->histories);
    weir_arena_close(&arena);
}

static void make_room(struct weir_result *result)
{
    unsigned capacity = result->phase_capacity ? 2 * result->phase_capacity : 8;

    result->phases = weir_memory_grow(result->phases, capacity * sizeof *result->phases);
    result->phase_capacity = capacity;
}

static struct weir_histogram *make_histogram(struct weir_result *result)
{
    struct weir_histogram *histogram = weir_arena_take(&result->arena, sizeof *histogram);

    weir_histogram_reset(histogram);
    return histogram;
}

struct weir_phase_result *weir_result_begin_phase(struct weir_result *result)
{
    struct weir_phase_result *phase;

    if (result->phase_count == result->phase_capacity)
        make_room(result);
    phase = &result->phases[result->phase_count++];
    memset(phase, 0, sizeof *phase);
    phase->arena = &result->arena;
    phase->failure = "";
    return phase;
}

struct weir_phase_result *weir_result_add_phase(struct weir_result *result)
{
    struct weir_phase_result *phase = weir_result_begin_phase(result);

    phase->latency = make_histogram(result);
    phase->submission = make_histogram(result);
    phase->response = make_histogram(result);
    phase->write_latency = make_histogram(result);
    phase->read_latency = make_histogram(result);
    phase->series = weir_arena_take(&result->arena, sizeof *phase->series);
    weir_series_reset(phase->series, 0);
    return phase;
}

struct weir_timed_result *weir_result_add_timed(struct weir_result *result)
{
    struct weir_timed_result *timed;

    /* Grows at 1, 2, 4, 8, ... records. */
    if ((result->timed_count & (result->timed_count - 1)) == 0) {
        size_t room = result->timed_count > 0 ? 2 * (size_t)result->timed_count : 1;

        result->timed = weir_memory_grow(result->timed, room * sizeof *timed);
    }
    timed = &result->timed[result->timed_count++];
    memset(timed, 0, sizeof *timed);
    return timed;
}

void weir_result_find(struct weir_phase_result *phase, enum weir_finding_kind kind,
                      const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    weir_finding_add(phase->arena, &phase->findings, &phase->finding_count, kind,
                     weir_finding_rows[kind].severity, weir_finding_rows[kind].effect, format,
                     arguments);
    va_end(arguments);
}

void weir_result_find_as(struct weir_phase_result *phase, enum weir_finding_kind kind,
                         enum weir_severity severity, enum weir_effect effect, const char *format,
                         ...)
{
    va_list arguments;

    va_start(arguments, format);
    weir_finding_add(phase->arena, &phase->findings, &phase->finding_count, kind, severity, effect,
                     format, arguments);
    va_end(arguments);
}

void weir_result_observe(struct weir_phase_result *phase, enum weir_evidence_question question,
                         enum weir_evidence_state state, const char *reason)
{
    struct weir_evidence *evidence = &phase->evidence[question];

    if (state <= evidence->state)
        return;
    evidence->state = state;
    evidence->reason = reason == NULL ? NULL : weir_arena_copy(phase->arena, reason);
}

/* ---- the verdict ---- */

static bool lacks_evidence(const struct weir_phase_result *phase)
{
    for (unsigned i = 0; i < WEIR_EVIDENCE_COUNT; i++)
        if (weir_evidence_rows[i].is_decisive && phase->evidence[i].state == WEIR_CANNOT_OBSERVE)
            return true;
    return false;
}

void weir_result_believe(struct weir_phase_result *phase)
{
    phase->believed = weir_believe(&(struct weir_verdict_facts){
        .findings = phase->findings,
        .finding_count = phase->finding_count,
        .has_wrong_data = phase->mismatches.wrong_transfers > 0 || phase->has_lost_bytes,
        .is_partial = phase->outcome != WEIR_OUTCOME_COMPLETE || phase->is_interrupted ||
                      phase->error_count > 0 || (phase->failure != NULL && *phase->failure != '\0'),
        .lacks_evidence = lacks_evidence(phase),
        .is_as_asked = phase->believed_as != WEIR_MEASURE_STORAGE,
    });
}

bool weir_result_is_whole(const struct weir_result *result)
{
    return result->phase_count > 0 && !result->is_interrupted && !result->is_out_of_time &&
           result->given_up == NULL && result->lost_records == 0 &&
           result->exit_code <= WEIR_EXIT_FLAWED;
}

enum weir_believed weir_result_believed(const struct weir_result *result)
{
    enum weir_believed worst =
        weir_result_is_whole(result) ? WEIR_BELIEVED_OK : WEIR_BELIEVED_PARTIAL;

    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].believed > worst)
            worst = result->phases[i].believed;
    return worst;
}

const char *weir_result_believed_text(const struct weir_phase_result *phase,
                                      char text[WEIR_BELIEVED_TEXT_BYTES])
{
    bool is_as_asked =
        phase->believed == WEIR_BELIEVED_CAUTION && phase->believed_as != WEIR_MEASURE_STORAGE;

    snprintf(text, WEIR_BELIEVED_TEXT_BYTES, "%s%s%s%s", weir_believed_names[phase->believed],
             is_as_asked ? " " : "", is_as_asked ? weir_measure_names[phase->believed_as] : "",
             is_as_asked ? ", as asked" : "");
    return text;
}

static bool is_flawed(const struct weir_phase_result *phase)
{
    if (phase->outcome == WEIR_OUTCOME_SKIPPED) /* by the time limit, unless there is a failure */
        return phase->is_interrupted || phase->failure[0] != '\0';
    return phase->outcome == WEIR_OUTCOME_PARTIAL || phase->is_interrupted ||
           phase->has_lost_bytes || phase->error_count > 0 || phase->mismatches.wrong_transfers > 0;
}

bool weir_result_has_odd_size(const struct weir_phase_result *phase, bool may_exceed)
{
    bool is_more = may_exceed && phase->byte_count > phase->expected_bytes;
    bool is_asked = phase->file_bytes != UINT64_MAX;

    return (phase->byte_count != phase->expected_bytes && !is_more) ||
           (is_asked && phase->file_bytes != phase->expected_bytes);
}

bool weir_result_has_drift(const struct weir_phase_result *phase)
{
    const struct weir_clock_quality *clock = &phase->clock;
    double error_ppm = clock->drift_error_ppm;

    /* Records of older versions: each of the two comparisons has at most the error of both nodes.
     */
    if (error_ppm <= 0.0 && phase->windows.total_s > 0.0)
        error_ppm = 2.0 * clock->error_s / phase->windows.total_s * 1e6;
    return clock->drift_ppm > error_ppm;
}

const struct weir_phase_result *weir_result_flaw(const struct weir_result *result)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (is_flawed(&result->phases[i]))
            return &result->phases[i];
    return NULL;
}

int weir_result_judge(const struct weir_result *result)
{
    return result->is_interrupted || weir_result_flaw(result) != NULL ? WEIR_EXIT_FLAWED
                                                                      : WEIR_EXIT_DONE;
}
