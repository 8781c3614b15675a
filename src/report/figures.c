/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's numbers: where nothing was measured they are 0, never nan or inf. */
#include "figures.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

const struct weir_phase *weir_figures_phase(const struct weir_plan *plan,
                                            const struct weir_phase_result *result)
{
    return weir_plan_find_phase(plan, result->test, result->phase);
}

bool weir_figures_has_row(const struct weir_plan *plan, const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);

    if (!phase || phase->is_check || phase->is_prefill)
        return false;
    /* After a failure removals are done all the same, of what may be nothing. */
    if (weir_verb_works_on_trees(phase->verb) || phase->verb == WEIR_PROGRAM)
        return result->outcome != WEIR_OUTCOME_SKIPPED && result->op_count > 0;
    if (!weir_verb_moves_data(phase->verb))
        return false;
    return result->outcome == WEIR_OUTCOME_COMPLETE ||
           (result->outcome == WEIR_OUTCOME_PARTIAL && result->byte_count > 0);
}

bool weir_figures_has_failed(const struct weir_phase_result *result)
{
    return result->outcome == WEIR_OUTCOME_PARTIAL &&
           (result->failure[0] != '\0' || result->error_count > 0);
}

bool weir_figures_has_end(const struct weir_plan *plan, const struct weir_result *result)
{
    bool is_explained = weir_result_judge(result) != WEIR_EXIT_DONE ||
                        plan->output.warnings_are_errors || plan->output.expect != NULL;

    /* A run that was killed has no end. An error that no phase has ended it between phases. */
    if (result->finished_s <= 0.0 || result->is_interrupted || result->given_up != NULL ||
        result->test_count + result->left_out_tests < plan->test_count ||
        result->exit_code > WEIR_EXIT_FLAWED ||
        (result->exit_code == WEIR_EXIT_FLAWED && !is_explained))
        return false;
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->outcome == WEIR_OUTCOME_PARTIAL || phase->is_interrupted ||
            (phase->outcome == WEIR_OUTCOME_SKIPPED && phase->failure[0] != '\0'))
            return false;
    }
    return true;
}

bool weir_figures_has_removal(const struct weir_plan *plan, const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);

    return phase && phase->verb == WEIR_REMOVE && result->outcome != WEIR_OUTCOME_SKIPPED;
}

bool weir_figures_has_wear_out(const struct weir_plan *plan, const struct weir_phase_result *result)
{
    return weir_figures_phase(plan, result)->stop.has_wear_out && result->stonewall.has_deadline;
}

static double or_zero(double value)
{
    return isfinite(value) ? value : 0.0;
}

/* No clock resolves less than this. */
#define SHORTEST_S 1e-9

double weir_figures_rate(double amount, double seconds)
{
    return seconds >= SHORTEST_S ? or_zero(amount / seconds) : 0.0;
}

double weir_figures_percent(double part, double whole)
{
    return whole != 0.0 ? or_zero(100.0 * (part / whole)) : 0.0;
}

struct weir_ior_row weir_figures_row(const struct weir_plan *plan,
                                     const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);
    uint64_t transfer_bytes = phase->transfers.layout.transfer_bytes;
    uint64_t whole_transfers = transfer_bytes ? result->byte_count / transfer_bytes : 0;

    return (struct weir_ior_row){
        .access = weir_verb_name(phase->verb),
        .mib_per_s =
            weir_figures_rate((double)result->byte_count / WEIR_MIB, result->windows.total_s),
        .ops_per_s = weir_figures_rate((double)whole_transfers, result->windows.transfer_s),
        .latency_s = result->op_s_min,
        .block_kib = (double)phase->transfers.layout.block_bytes / WEIR_KIB,
        .transfer_kib = (double)transfer_bytes / WEIR_KIB,
        .windows = result->windows,
    };
}

/* ---- trees ---- */

bool weir_figures_is_of_one_rank(const struct weir_phase *phase)
{
    const struct weir_names *names = &phase->names;

    if (names->item == NULL && phase->target->tree != NULL && !phase->target->tree->is_own)
        return true;
    return names->by_first_rank || (names->is_shared && weir_verb_removes(phase->verb));
}

double weir_figures_rank_ops(const struct weir_phase *phase, const struct weir_phase_result *result)
{
    uint64_t ops = result->rank_ops_min;

    if (weir_figures_is_of_one_rank(phase))
        return (double)result->op_count;
    if (phase->names.item == NULL) /* trees of ranks, all of one size */
        return (double)result->op_count / (result->rank_count ? result->rank_count : 1);
    if (phase->verb == WEIR_RENAME && phase->names.new_item == NULL && phase->target->tree != NULL)
        ops = fmin((double)ops, (double)weir_tree_items(phase->target->tree));
    return (double)ops;
}

double weir_figures_waiting(const struct weir_phase *phase, const struct weir_phase_result *result)
{
    double share = 100.0 - weir_figures_percent(result->rank_s_mean, result->windows.total_s);

    return !weir_figures_is_of_one_rank(phase) && result->windows.total_s > 0.0 && share > 0.0
               ? share
               : 0.0;
}

double weir_figures_ops_per_s(const struct weir_phase *phase,
                              const struct weir_phase_result *result)
{
    double ranks = weir_figures_is_of_one_rank(phase) ? 1.0 : result->rank_count;

    return weir_figures_rate(weir_figures_rank_ops(phase, result) * ranks, result->windows.total_s);
}

/* ---- over repetitions ---- */

static double mean_of(const struct weir_sums *all)
{
    return all->count ? or_zero(all->sum / all->count) : 0.0;
}

struct weir_spread weir_figures_spread(const struct weir_sums *all)
{
    double mean_distance = all->distance_sum / all->count;
    double variance = all->square_sum / all->count - mean_distance * mean_distance;

    return (struct weir_spread){
        .max = all->max,
        .min = all->min,
        .mean = mean_of(all),
        .stddev = or_zero(sqrt(fmax(variance, 0.0))),
    };
}

struct summary_gathering {
    struct weir_sums mib_per_s;
    struct weir_sums ops_per_s;
    struct weir_sums total_s;
    struct weir_sums stonewall_s;
    struct weir_sums stonewall_mib_per_s;
};

static void gather_phase(struct summary_gathering *all, const struct weir_plan *plan,
                         const struct weir_phase_result *result)
{
    uint64_t transfer_bytes = weir_figures_phase(plan, result)->transfers.layout.transfer_bytes;
    double transfers = transfer_bytes ? (double)result->byte_count / (double)transfer_bytes : 0.0;
    double total_s = result->windows.total_s;
    const struct weir_stonewall *stonewall = &result->stonewall;

    weir_sums_add(&all->mib_per_s,
                  weir_figures_rate((double)result->byte_count / WEIR_MIB, total_s));
    weir_sums_add(&all->ops_per_s, weir_figures_rate(transfers, total_s));
    weir_sums_add(&all->total_s, total_s);
    if (weir_figures_has_wear_out(plan, result)) {
        weir_sums_add(&all->stonewall_s, stonewall->seconds);
        weir_sums_add(&all->stonewall_mib_per_s,
                      weir_figures_rate(stonewall->bytes_mean / WEIR_MIB, stonewall->seconds));
    }
}

static bool is_of_row(const struct weir_plan *plan, const struct weir_phase_result *phase,
                      const struct weir_test *test, enum weir_verb verb)
{
    return phase->test == test->number && weir_figures_has_row(plan, phase) &&
           weir_figures_phase(plan, phase)->verb == verb;
}

static bool has_complete(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_test *test, enum weir_verb verb)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].outcome == WEIR_OUTCOME_COMPLETE &&
            is_of_row(plan, &result->phases[i], test, verb))
            return true;
    return false;
}

/* Later repetitions may be missing. */
static bool is_cut(const struct weir_result *result, const struct weir_test *test)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].test == test->number &&
            result->phases[i].outcome == WEIR_OUTCOME_PARTIAL)
            return true;
    return false;
}

uint64_t weir_figures_repetitions(const struct weir_result *result, const struct weir_test *test)
{
    uint64_t count = 0;

    for (unsigned i = 0; test->interval_ppm > 0 && i < result->phase_count; i++)
        if (result->phases[i].test == test->number && result->phases[i].repetition >= count)
            count = result->phases[i].repetition + 1;
    return count > 0 ? count : test->repetitions;
}

bool weir_figures_summary(const struct weir_plan *plan, const struct weir_result *result,
                          const struct weir_test *test, enum weir_verb verb,
                          struct weir_ior_summary *summary)
{
    struct summary_gathering all = {.total_s = {.count = 0}};
    bool takes_partial = !has_complete(plan, result, test, verb);
    uint64_t first_bytes = 0;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (!is_of_row(plan, phase, test, verb) || weir_figures_has_failed(phase) ||
            (phase->outcome != WEIR_OUTCOME_COMPLETE && !takes_partial))
            continue;
        if (all.total_s.count == 0)
            first_bytes = phase->byte_count;
        gather_phase(&all, plan, phase);
    }
    if (all.total_s.count == 0)
        return false;
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];
        const struct weir_phase_history *history =
            weir_result_history(result, test->number, phase->number);

        if (history != NULL && phase->verb == verb && !phase->is_check && !phase->is_prefill) {
            /* Those without a record. */
            uint64_t transfer_bytes = phase->transfers.layout.transfer_bytes;

            weir_sums_merge(&all.mib_per_s, &history->bytes_per_s, 1.0 / WEIR_MIB);
            weir_sums_merge(&all.ops_per_s, &history->bytes_per_s,
                            transfer_bytes ? 1.0 / (double)transfer_bytes : 0.0);
            weir_sums_merge(&all.total_s, &history->total_s, 1.0);
        }
    }
    *summary = (struct weir_ior_summary){
        .count = all.total_s.count,
        .repetitions =
            is_cut(result, test) ? all.total_s.count : weir_figures_repetitions(result, test),
        .mib_per_s = weir_figures_spread(&all.mib_per_s),
        .ops_per_s = weir_figures_spread(&all.ops_per_s),
        .mean_s = mean_of(&all.total_s),
        .first_bytes = first_bytes,
        .has_stonewall = all.stonewall_s.count > 0,
        .stonewall_s = mean_of(&all.stonewall_s),
        .stonewall_mib_per_s = mean_of(&all.stonewall_mib_per_s),
    };
    return true;
}

/* ---- dates ---- */

/* Some 30,000 years from now: a damaged file may hold more, which is no date. */
#define LATEST_S 1e12

static bool find_date(double seconds, struct tm *date)
{
    time_t when;

    if (!(fabs(seconds) < LATEST_S))
        return false;
    when = (time_t)floor(seconds);
    return localtime_r(&when, date) != NULL;
}

char *weir_date_format(double seconds, char buffer[WEIR_DATE_BYTES])
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm date;

    buffer[0] = '\0';
    if (find_date(seconds, &date))
        snprintf(buffer, WEIR_DATE_BYTES, "%s %s %2d %02d:%02d:%02d %d", days[date.tm_wday],
                 months[date.tm_mon], date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                 date.tm_year + 1900);
    return buffer;
}

char *weir_date_format_american(double seconds, char buffer[WEIR_DATE_BYTES])
{
    struct tm date;

    buffer[0] = '\0';
    if (find_date(seconds, &date))
        snprintf(buffer, WEIR_DATE_BYTES, "%02d/%02d/%d %02d:%02d:%02d", date.tm_mon + 1,
                 date.tm_mday, date.tm_year + 1900, date.tm_hour, date.tm_min, date.tm_sec);
    return buffer;
}

char *weir_date_format_iso(double seconds, char buffer[WEIR_DATE_BYTES])
{
    struct tm date;

    buffer[0] = '\0';
    if (find_date(seconds, &date))
        snprintf(buffer, WEIR_DATE_BYTES, "%d-%02d-%02d %02d:%02d:%02d", date.tm_year + 1900,
                 date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
    return buffer;
}

char *weir_date_format_utc(double seconds, char buffer[WEIR_DATE_BYTES])
{
    const time_t whole = seconds > 0.0 && seconds < LATEST_S ? (time_t)seconds : 0;
    struct tm date;

    buffer[0] = '\0';
    if (whole > 0 && gmtime_r(&whole, &date) != NULL)
        snprintf(buffer, WEIR_DATE_BYTES, "%d-%02d-%02dT%02d:%02d:%02d.%03dZ", date.tm_year + 1900,
                 date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                 (int)((seconds - (double)whole) * 1000.0));
    return buffer;
}
