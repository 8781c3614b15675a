/* SPDX-License-Identifier: Apache-2.0 */
/* Our block's tables of times and of the load: of single transfers, of work on trees and programs,
 * and of the ranks; how open loops kept up, searches for the best depth, and what sessions got. */
#include "figures.h"
#include "repetitions.h"
#include "tables.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

/* Mean, percentiles and maximum. */
static void weir_trust_percentiles(struct weir_text *cells, const struct weir_histogram *histogram)
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

/* The slowest ranks, with their hosts and times. */
static void weir_trust_slowest(struct weir_text *line, const struct weir_phase_result *result)
{
    for (uint32_t i = 0; i < result->slowest_count; i++) {
        const struct weir_slow_rank *rank = &result->slowest[i];
        char seconds[WEIR_DURATION_TEXT_BYTES];

        weir_text_add(line, "%s%u on %s (%s)", i > 0 ? ", " : "", rank->rank, rank->host,
                      weir_duration_format(rank->seconds, seconds));
    }
}

/* Results of older versions do not have it. */
static char *weir_trust_processor(const struct weir_phase_result *result,
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

/* ---- open loops ---- */

static bool is_open_loop(const struct weir_phase_result *result)
{
    return result->pace.asked_per_s > 0.0;
}

static void add_pace(struct weir_text *text, const char *name, const struct weir_phase *phase,
                     const struct weir_phase_result *result)
{
    const struct weir_pace_result *pace = &result->pace;
    double seconds = result->windows.transfer_s;
    double moved_mib = (double)result->byte_count / WEIR_MIB;
    double mib_per_op = result->op_count ? moved_mib / (double)result->op_count : 0.0;
    char end_lag[WEIR_DURATION_TEXT_BYTES];
    char max_lag[WEIR_DURATION_TEXT_BYTES];

    (void)phase;
    weir_trust_line(text, "%s %11.1f %11.1f %11.2f %11.2f %9llu %9s %9s", name, pace->asked_per_s,
                    weir_figures_rate((double)result->op_count, seconds),
                    pace->asked_per_s * mib_per_op, weir_figures_rate(moved_mib, seconds),
                    (unsigned long long)pace->max_backlog,
                    weir_duration_format(pace->end_lag_s, end_lag),
                    weir_duration_format(pace->max_lag_s, max_lag));
}

/* ---- depth search ---- */

static double best_of(const struct weir_depth_curve *curve)
{
    double best = 0.0;

    for (unsigned i = 0; i < curve->count; i++)
        best = fmax(best, curve->points[i].ops_per_s);
    return best;
}

/* The whole curve of the first search; of the others, where they came to another depth. */
static void add_searches_of(struct weir_text *text, struct weir_trust_table *table,
                            const struct weir_repetitions *all)
{
    const struct weir_phase_result *first = NULL;
    char name[WEIR_TRUST_PHASE_BYTES];

    for (unsigned i = 0; i < all->count; i++) {
        const struct weir_phase_result *result = all->members[i];

        if (result->depth_curve.count == 0)
            continue;
        weir_trust_repetition(all, result, name);
        weir_trust_begin(text, table);
        if (!first) {
            const struct weir_depth_curve *curve = &result->depth_curve;
            double best = best_of(curve);

            for (unsigned k = 0; k < curve->count; k++) {
                const struct weir_depth_point *point = &curve->points[k];

                weir_trust_line(text, "%s %9u %11.1f %10.1f%%  %s", name, point->depth,
                                point->ops_per_s, weir_figures_percent(point->ops_per_s, best),
                                point->depth == result->depth ? "taken" : "");
            }
        } else if (result->depth != first->depth) {
            weir_trust_line(text, "%s %9u %23s  taken", name, result->depth, "");
        }
        if (!first)
            first = result;
    }
}

/* ---- what the system granted ---- */

static bool is_told_before(const struct weir_result *result, unsigned position)
{
    const struct weir_phase_result *phase = &result->phases[position];

    for (unsigned i = 0; i < position; i++)
        if (result->phases[i].test == phase->test && result->phases[i].granted &&
            strcmp(result->phases[i].granted, phase->granted) == 0)
            return true;
    return false;
}

/* Each test has a session of its own, which is the same for all of its phases. */
static void add_granted(struct weir_text *text, const struct weir_trust_view *view)
{
    struct weir_trust_table table = {.title = "what sessions were granted"};

    for (unsigned i = 0; i < view->result->phase_count; i++) {
        const struct weir_phase_result *phase = &view->result->phases[i];

        if (!phase->granted || !*phase->granted || !weir_figures_phase(view->plan, phase) ||
            is_told_before(view->result, i))
            continue;
        weir_trust_begin(text, &table);
        weir_trust_line(text, "  %4u             %s", phase->test, phase->granted);
    }
}

void weir_trust_load(struct weir_text *text, const struct weir_trust_view *view)
{
    struct weir_trust_table table = {
        .title = "search for the least depth that does nearly as well as the best",
        .columns = WEIR_TRUST_PHASE_HEADER "     depth transfers/s of the best",
    };

    weir_trust_rows(
        text, view,
        (struct weir_trust_rows){
            .table = {.title = "open loop: transfers asked for and done, the most that waited"
                               " at a rank, and how late they were issued",
                      .columns = WEIR_TRUST_PHASE_HEADER
                      "     asked/s      done/s asked MiB/s  done MiB/s   waiting"
                      "   at last   at most"},
            .is_due = is_open_loop,
            .add = add_pace,
        });
    for (unsigned i = 0; i < view->phase_count; i++)
        add_searches_of(text, &table, &view->phases[i]);
    add_granted(text, view);
}

/* ---- single operations ---- */

static void add_times(struct weir_text *text, const char *name, uint64_t operations,
                      const struct weir_histogram *histogram, const char *note)
{
    struct weir_text cells = {0};

    if (histogram == NULL || histogram->total == 0)
        return;
    weir_trust_percentiles(&cells, histogram);
    weir_trust_line(text, "%s %11llu%s  %s", name, (unsigned long long)operations,
                    weir_text_string(&cells), note);
    weir_text_close(&cells);
}

static void add_operations(struct weir_text *text, const char *name, const struct weir_phase *phase,
                           const struct weir_phase_result *result)
{
    char note[64] = "";

    (void)phase;
    if (result->depth > 1)
        snprintf(note, sizeof note, "depth %u", result->depth);
    add_times(text, name, result->op_count, result->latency, note);
    add_times(text, name, result->op_count, result->response, "from when they were due");
    for (unsigned i = 0; i < result->verb_count && i < WEIR_VERB_RESULTS_MAX; i++) {
        const struct weir_verb_result *verb = &result->verbs[i];

        if (verb->verb < WEIR_VERB_COUNT)
            add_times(text, name, verb->op_count, verb->latency,
                      weir_verb_name((enum weir_verb)verb->verb));
    }
}

/* ---- ranks ---- */

static void add_op_ranks(struct weir_text *text, const char *name, const struct weir_phase *phase,
                         const struct weir_phase_result *result)
{
    char times[5][WEIR_DURATION_TEXT_BYTES];
    char share[16] = "-";
    struct weir_text slowest = {0};

    if (!weir_figures_is_of_one_rank(phase))
        snprintf(share, sizeof share, "%.1f%%", weir_figures_waiting(phase, result));
    weir_trust_slowest(&slowest, result);
    weir_trust_line(text, "%s %9s %9s %9s %9s %8s %9s  %s", name,
                    weir_duration_format(result->windows.total_s, times[0]),
                    weir_duration_format(result->rank_s_min, times[1]),
                    weir_duration_format(result->rank_s_mean, times[2]),
                    weir_duration_format(result->rank_s_max, times[3]), share,
                    weir_trust_processor(result, times[4]), weir_text_string(&slowest));
    weir_text_close(&slowest);
}

/* ---- directories ---- */

/* Half as much again: the means of directories that are alike differ by less than that. */
#define SLOW_DIRECTORY 1.5

static double mean_of_all_s(const struct weir_phase_result *result)
{
    return result->latency ? weir_histogram_mean_ns(result->latency) / 1e9 : 0.0;
}

static bool is_slow(const struct weir_phase_result *result, const struct weir_slow_directory *slow)
{
    return slow->mean_s >= SLOW_DIRECTORY * mean_of_all_s(result);
}

static void add_directories(struct weir_text *text, const char *name,
                            const struct weir_phase *phase, const struct weir_phase_result *result)
{
    char times[3][WEIR_DURATION_TEXT_BYTES];

    (void)phase;
    for (unsigned i = 0; i < result->slow_directory_count; i++) {
        const struct weir_slow_directory *slow = &result->slow_directories[i];

        if (!is_slow(result, slow))
            continue;
        weir_trust_line(text, "%s %11llu %6u %9s %9s %9s  %s", name,
                        (unsigned long long)slow->op_count, slow->rank_count,
                        weir_duration_format(slow->mean_s, times[0]),
                        weir_duration_format(mean_of_all_s(result), times[1]),
                        weir_duration_format(slow->max_s, times[2]), slow->path);
    }
}

static bool has_slow_directories(const struct weir_phase_result *result)
{
    for (unsigned i = 0; i < result->slow_directory_count; i++)
        if (is_slow(result, &result->slow_directories[i]))
            return true;
    return false;
}

/* ---- open loops ---- */

static void add_op_pace(struct weir_text *text, const char *name, const struct weir_phase *phase,
                        const struct weir_phase_result *result)
{
    const struct weir_pace_result *pace = &result->pace;
    char lags[2][WEIR_DURATION_TEXT_BYTES];

    (void)phase;
    weir_trust_line(text, "%s %11.1f %11.1f %9llu %9s %9s", name, pace->asked_per_s,
                    weir_figures_rate((double)result->op_count, result->windows.transfer_s),
                    (unsigned long long)pace->max_backlog,
                    weir_duration_format(pace->end_lag_s, lags[0]),
                    weir_duration_format(pace->max_lag_s, lags[1]));
}

/* The commands of a program have a table in its own report. */
static bool has_one_kind(const struct weir_phase_result *result)
{
    return result->program == NULL;
}

/* ---- one crowded directory against many ---- */

void weir_trust_names(struct weir_text *text, const struct weir_trust_view *view)
{
    static const struct weir_trust_rows tables[] = {
        {.table = {.title = "time of single operations on names",
                   .columns = WEIR_TRUST_NAMES_HEADER
                   "  operations      mean       p50       p90       p99     p99.9       max"},
         .is_due = has_one_kind,
         .add = add_operations,
         .counts_ops = true},
        {.table = {.title = "times of phases and of the ranks in them (waiting: share of the time "
                            "that ranks spent at barriers, on average) and processor time of an "
                            "operation",
                   .columns = WEIR_TRUST_NAMES_HEADER
                   "     total       min      mean       max  waiting processor  slowest ranks"},
         .add = add_op_ranks,
         .counts_ops = true},
        {.table = {.title = "slow directories: times of an operation in them, at least 1.5 times "
                            "those in all on average",
                   .columns = WEIR_TRUST_NAMES_HEADER
                   "  operations  ranks      mean    in all       max  directory"},
         .is_due = has_slow_directories,
         .add = add_directories,
         .counts_ops = true},
        {.table = {.title = "open loop: operations asked for and done, the most that waited at a "
                            "rank, and how late they were issued",
                   .columns = WEIR_TRUST_NAMES_HEADER
                   "     asked/s      done/s   waiting   at last   at most"},
         .is_due = is_open_loop,
         .add = add_op_pace,
         .counts_ops = true},
    };
    struct weir_trust_table table = {
        .title = "all items in one directory against the test before: rates, their ratio, and what "
                 "the spread of the iterations leaves open of it (95 %)",
        .columns = WEIR_TRUST_NAMES_HEADER "      before        here     ratio        +-"};
    struct weir_arena arena = {0};
    char name[WEIR_TRUST_PHASE_BYTES], margin[16];
    unsigned count;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        weir_trust_rows(text, view, tables[i]);

    struct weir_comparison *list =
        weir_comparisons_find(&arena, view->plan, view->phases, view->phase_count, &count);

    for (unsigned i = 0; i < count; i++) {
        const struct weir_comparison *one = &list[i];

        snprintf(margin, sizeof margin, one->is_known ? "%.3f" : "-", one->margin);
        weir_trust_begin(text, &table);
        weir_trust_line(text, "%s %11.1f %11.1f %9.3f %9s  %s",
                        weir_trust_phase(one->all, "all", name), one->before_ops_per_s,
                        one->ops_per_s, one->ratio, margin, weir_comparison_verdict(one));
    }
    weir_arena_close(&arena);
}
