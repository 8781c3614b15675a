/* SPDX-License-Identifier: Apache-2.0 */
/* Our block's tables of times: of single transfers, and of the ranks. */
#include "figures.h"
#include "tables.h"

#include <stddef.h>
#include <stdio.h>

/* ---- single transfers ---- */

static bool is_filled(const struct weir_histogram *histogram)
{
    return histogram && histogram->total > 0;
}

static bool has_latency(const struct weir_phase_result *result)
{
    /* Operations on names are not of these: their window of transfers is empty. */
    return result->windows.transfer_s > 0.0 && is_filled(result->latency);
}

void weir_trust_percentiles(struct weir_text *cells, const struct weir_histogram *histogram)
{
    static const double fractions[] = {0.5, 0.9, 0.99, 0.999, 1.0};
    char value[WEIR_DURATION_TEXT_BYTES];

    weir_text_add(cells, " %9s",
                  weir_duration_format(weir_histogram_mean_ns(histogram) / 1e9, value));
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        double ns = (double)weir_histogram_percentile(histogram, fractions[i]);

        weir_text_add(cells, " %9s",
                      weir_histogram_has_quantile(histogram, fractions[i])
                          ? weir_duration_format(ns / 1e9, value)
                          : "");
    }
}

static void add_percentiles(struct weir_text *text, const char *name,
                            const struct weir_histogram *histogram, const char *note)
{
    struct weir_text cells = {0};

    weir_trust_percentiles(&cells, histogram);
    weir_trust_line(text, "%s %9llu%s  %s", name, (unsigned long long)histogram->total,
                    weir_text_string(&cells), note);
    weir_text_close(&cells);
}

/* The transfers of one kind of a mixed phase. */
static void add_part(struct weir_text *text, const char *name,
                     const struct weir_histogram *histogram, const char *kind)
{
    char note[48];

    if (!is_filled(histogram))
        return;
    snprintf(note, sizeof note, "its %s", kind);
    add_percentiles(text, name, histogram, note);
}

static void add_latency(struct weir_text *text, const char *name, const struct weir_phase *phase,
                        const struct weir_phase_result *result)
{
    struct weir_text load = {0};

    (void)phase;
    /* Depth, batch and arrival of the transfers; nothing where one is made at a time. */
    if (result->pace.asked_per_s > 0.0)
        weir_text_add(&load, "from issue%s", result->depth > 1 ? ", " : "");
    if (result->depth > 1)
        weir_text_add(&load, "depth %u, batch %u", result->depth, result->batch);
    add_percentiles(text, name, result->latency, weir_text_string(&load));
    weir_text_close(&load);
    if (is_filled(result->response))
        add_percentiles(text, name, result->response, "from when they were due");
    add_part(text, name, result->write_latency, "writes");
    add_part(text, name, result->read_latency, "reads");
}

/* ---- ranks ---- */

void weir_trust_slowest(struct weir_text *line, const struct weir_phase_result *result)
{
    for (uint32_t i = 0; i < result->slowest_count; i++) {
        const struct weir_slow_rank *rank = &result->slowest[i];
        char seconds[WEIR_DURATION_TEXT_BYTES];

        weir_text_add(line, "%s%u on %s (%s)", i > 0 ? ", " : "", rank->rank, rank->host,
                      weir_duration_format(rank->seconds, seconds));
    }
}

/* Results of older versions do not have it. */
char *weir_trust_processor(const struct weir_phase_result *result,
                           char buffer[WEIR_DURATION_TEXT_BYTES])
{
    double seconds = result->cpu_user_s + result->cpu_system_s;

    if (seconds > 0.0 && result->op_count > 0)
        return weir_duration_format(seconds / (double)result->op_count, buffer);
    snprintf(buffer, WEIR_DURATION_TEXT_BYTES, "-");
    return buffer;
}

static void add_ranks(struct weir_text *text, const char *name, const struct weir_phase *phase,
                      const struct weir_phase_result *result)
{
    double moved_mib = (double)result->byte_count / WEIR_MIB;
    char times[5][WEIR_DURATION_TEXT_BYTES];
    char estimate[32] = "-";
    struct weir_text slowest = {0};

    (void)phase;
    weir_trust_slowest(&slowest, result);
    if (result->storage_s > 0.0)
        snprintf(estimate, sizeof estimate, "%.2f",
                 weir_figures_rate(moved_mib, weir_result_estimate_s(result)));
    weir_trust_line(text, "%s %9s %9s %9s %9s %8.1f%% %10s %9s  %s", name,
                    weir_duration_format(result->rank_s_min, times[0]),
                    weir_duration_format(result->rank_s_mean, times[1]),
                    weir_duration_format(result->rank_s_max, times[2]),
                    weir_duration_format(result->common_s, times[3]),
                    weir_figures_percent(result->data_share, 1.0), estimate,
                    weir_trust_processor(result, times[4]), weir_text_string(&slowest));
    weir_text_close(&slowest);
}

void weir_trust_times(struct weir_text *text, const struct weir_trust_view *view)
{
    weir_trust_rows(text, view,
                    (struct weir_trust_rows){
                        .table = {.title = "time of single transfers",
                                  .columns = WEIR_TRUST_PHASE_HEADER
                                  "         n      mean       p50       p90       p99     p99.9"
                                  "       max"},
                        .is_due = has_latency,
                        .add = add_latency,
                    });
    weir_trust_rows(
        text, view,
        (struct weir_trust_rows){
            .table = {.title = "transfer times of the ranks (data: share of filling and checking; "
                               "estimate: MiB/s without it, at most) and processor time of a "
                               "transfer",
                      .columns = WEIR_TRUST_PHASE_HEADER
                      "       min      mean       max    common      data   estimate processor"
                      "  slowest ranks"},
            .add = add_ranks,
        });
}
