/* SPDX-License-Identifier: Apache-2.0 */
/* Our block's tables of the load: how open loops kept up, what a search for the best depth found,
 * and what sessions got of the system. */
#include "figures.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
