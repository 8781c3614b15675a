/* SPDX-License-Identifier: Apache-2.0 */
/* Our block's tables of work on trees and of programs: times of single operations, of each verb,
 * and of the ranks. */
#include "figures.h"
#include "repetitions.h"
#include "tables.h"

#include <stdio.h>

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

static void add_ranks(struct weir_text *text, const char *name, const struct weir_phase *phase,
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

static void add_pace(struct weir_text *text, const char *name, const struct weir_phase *phase,
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

static bool is_open_loop(const struct weir_phase_result *result)
{
    return result->pace.asked_per_s > 0.0;
}

/* ---- one crowded directory against many ---- */

static void add_comparisons(struct weir_text *text, const struct weir_trust_view *view)
{
    struct weir_trust_table table = {
        .title = "all items in one directory against the test before: rates, their ratio, and what "
                 "the spread of the iterations leaves open of it (95 %)",
        .columns = WEIR_TRUST_NAMES_HEADER "      before        here     ratio        +-"};
    struct weir_arena arena = {0};
    char name[WEIR_TRUST_PHASE_BYTES], margin[16];
    unsigned count;
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
         .add = add_ranks,
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
         .add = add_pace,
         .counts_ops = true},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        weir_trust_rows(text, view, tables[i]);
    add_comparisons(text, view);
}
