/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that transfers went on all the time: a gap means a stop of a rank, of its node, of the
 * network or of the storage. */
#include "checks.h"

#include "weir/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A stop is worth a sentence from so long on, or if it is this share of the phase and not short. */
#define STOP_S 1.0
#define STOP_SHARE 0.2
#define STOP_LEAST_S 0.25
/* A transfer that was stopped, against nearly all others. */
#define TAIL_TIMES 100.0
/* The time in which no transfer ended, against what one of them takes, without the slowest ones;
 * in a short phase these are all of the stop, so that a gap counts as well that is so many times
 * the median, and a few times what the slowest take. */
#define GAP_TIMES 20.0
#define GAP_MEDIANS 100.0
#define GAP_TIMES_LEAST 8.0

static bool is_a_stop(const struct weir_phase_result *record, double seconds)
{
    return seconds >= STOP_S ||
           (seconds >= STOP_LEAST_S && seconds >= STOP_SHARE * record->windows.transfer_s);
}

/* The usual time of a transfer, without the few that a stop delays: twice the transfers in
 * flight of the ranks, and at least one in a thousand, are left out. 0 if there are too few. */
static double usual_fraction(const struct weir_phase_result *record)
{
    double stopped = 2.0 * record->rank_count * fmax(record->depth, 1.0);
    double fraction = fmin(0.999, 1.0 - stopped / (double)record->latency->total);

    return fraction < 0.5 ? 0.0 : fraction;
}

static double usual_s(const struct weir_phase_result *record, double fraction)
{
    return (double)weir_histogram_percentile(record->latency, fraction) / 1e9;
}

/* Time between two operations of a rank that the plan asks for, in seconds: pauses after operations
 * and listed ones, and the intervals of a rate. Intervals of random arrivals are exponential: one
 * of GAP_TIMES their mean has a probability of 2e-9. */
static double pause_s(const struct weir_audit_input *input, double usual_s)
{
    const struct weir_phase_result *record = input->record;
    double pause_s =
        usual_s * (double)input->phase->think_ppm / 1e6 +
        (double)(input->phase->think_ns + input->phase->transfers.layout.listing.longest_pause_ns) /
            1e9;

    if (record->pace.asked_per_s > 0.0)
        pause_s += record->rank_count * fmax(record->batch, 1.0) / record->pace.asked_per_s;
    return pause_s;
}

/* Time of a rank for filling and checking the data of one transfer, in seconds: it is no stop,
 * however fast the transfer itself is. */
static double data_s(const struct weir_phase_result *record)
{
    double share = record->data_share + record->overlapped_data_share;

    return share * record->rank_s_mean * record->rank_count / (double)record->latency->total;
}

/* Part of a gap that nothing in the plan explains, in seconds; 0 = the gap is usual. `planned_s`
 * is a pause that the plan may make once in it. A slow operation is followed by a pause of
 * think_ppm of its own time. */
static double odd_part_s(const struct weir_audit_input *input, double gap_s, double planned_s)
{
    double fraction = usual_fraction(input->record);
    double stop_s = (gap_s - planned_s) / (1.0 + (double)input->phase->think_ppm / 1e6);
    double rest_s = data_s(input->record), transfer_s, median_s;

    if (fraction <= 0.0 || !is_a_stop(input->record, stop_s))
        return 0.0;
    gap_s -= planned_s;
    transfer_s = usual_s(input->record, fraction);
    transfer_s += pause_s(input, transfer_s) + rest_s;
    median_s = usual_s(input->record, 0.5);
    median_s += pause_s(input, median_s) + rest_s;
    return gap_s >= GAP_TIMES * transfer_s ||
                   (gap_s >= GAP_MEDIANS * median_s && gap_s >= GAP_TIMES_LEAST * transfer_s)
               ? gap_s
               : 0.0;
}

/* With a stagger, one rank may be done before the next one begins. */
static double check_gap_of_all(const struct weir_audit_input *input)
{
    double stagger_s = input->record->rank_count > 1 ? (double)input->phase->stagger_ns / 1e9 : 0.0;
    const struct weir_series *series = input->record->series;
    struct weir_series_gap gap = weir_series_longest_gap(series);
    double interval_s = (double)(UINT64_C(1) << series->shift) / 1e9;
    char length[WEIR_DURATION_TEXT_BYTES];
    char begin[WEIR_DURATION_TEXT_BYTES];

    if (odd_part_s(input, gap.count * interval_s, stagger_s) <= 0.0)
        return 0.0;
    weir_result_find(input->record, WEIR_FINDING_STALL,
                     "no rank ended a %s for %s, %s after the start -> repeat the run",
                     weir_audit_unit(input), weir_duration_format(gap.count * interval_s, length),
                     weir_duration_format(gap.first * interval_s, begin));
    return gap.count * interval_s;
}

static double check_gap_of_rank(const struct weir_audit_input *input)
{
    const struct weir_rank_gap *gap = &input->record->gap;
    char length[WEIR_DURATION_TEXT_BYTES];
    char begin[WEIR_DURATION_TEXT_BYTES];

    if (odd_part_s(input, gap->seconds, 0.0) <= 0.0)
        return 0.0;
    weir_result_find(input->record, WEIR_FINDING_STALL,
                     "rank %u on %s ended no %s for %s, %s after the start -> repeat the run",
                     gap->rank, gap->host, weir_audit_unit(input),
                     weir_duration_format(gap->seconds, length),
                     weir_duration_format(gap->begin_s, begin));
    return gap->seconds;
}

/* Others of the rank may have gone on meanwhile. */
static double check_tail(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double fraction = usual_fraction(record);
    double longest_s = (double)record->latency->max_ns / 1e9;
    char longest[WEIR_DURATION_TEXT_BYTES];
    char usual[WEIR_DURATION_TEXT_BYTES];

    if (fraction <= 0.0 || !is_a_stop(record, longest_s) ||
        longest_s < TAIL_TIMES * usual_s(record, fraction))
        return 0.0;
    weir_result_find(input->record, WEIR_FINDING_STALL,
                     "one of %" PRIu64 " %ss took %s, %.1f %% of them up to %s -> repeat the run",
                     record->latency->total, weir_audit_unit(input),
                     weir_duration_format(longest_s, longest), fraction * 100.0,
                     weir_duration_format(usual_s(record, fraction), usual));
    return longest_s;
}

double weir_audit_stalls(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double stop_s;

    if (input->test->is_dry_run || record->latency == NULL || record->series == NULL ||
        record->latency->total == 0)
        return 0.0;
    stop_s = check_gap_of_all(input);
    if (stop_s <= 0.0)
        stop_s = check_gap_of_rank(input);
    return stop_s > 0.0 ? stop_s : check_tail(input);
}
