/* SPDX-License-Identifier: Apache-2.0 */
/* What the rates of a sweep mean: up to which step they grow, where they are flat or fall, and the
 * best step. Nothing is said to differ that the noise of the repetitions can explain. */

#include "sweep.h"
#include "trust/tables.h"

#include <math.h>
#include <string.h>

/* More steps in a row are named by the first and the last. */
#define NAMED_MAX 3

/* The rows of a table that have sentences of their own. */
struct scope {
    const struct weir_sweep_table *table;
    const struct weir_sweep_row *rows;
    const struct weir_trend *trend;
    const char *axis;    /* the last one */
    const char **labels; /* values of it, with a mark where a step has findings */
    const char *prefix;  /* "backend=posix: ", or "" */
    bool is_ordered;     /* its values are numbers that grow, so that the rate may grow with them */
};

static double rate_of(const struct scope *scope, unsigned step)
{
    return scope->trend->steps[step].median;
}

static const char *value_of(const struct scope *scope, unsigned step)
{
    return scope->labels[step];
}

/* Parts of the reference that a step is below it. */
static double below(const struct scope *scope, unsigned step, unsigned reference)
{
    return 1.0 - rate_of(scope, step) / rate_of(scope, reference);
}

/* As a share of `other`, on the side of it where `step` is: to be held against `below`. */
static double noise_of(const struct scope *scope, unsigned step, unsigned other)
{
    double noise = weir_trend_noise(scope->trend, step, other);

    return 100.0 * (rate_of(scope, step) > rate_of(scope, other) ? expm1(noise) : -expm1(-noise));
}

static void add_rate(struct weir_text *line, const struct scope *scope, unsigned step)
{
    char rate[WEIR_RATE_TEXT_BYTES];

    weir_text_add(line, "%s",
                  weir_sweep_rate(rate_of(scope, step), scope->table->counts_ops, rate));
}

/* "ranks=8 (2.10 GB/s)" */
static void add_step(struct weir_text *line, const struct scope *scope, unsigned step)
{
    weir_text_add(line, "%s=%s (", scope->axis, value_of(scope, step));
    add_rate(line, scope, step);
    weir_text_add(line, ")");
}

static void end_line(struct weir_text *text, struct weir_text *line, const struct scope *scope)
{
    weir_trust_line(text, "%s%s", scope->prefix, weir_text_string(line));
    weir_text_close(line);
}

/* ---- steps that are alike ---- */

/* "ranks=16 and 32", "ranks=16, 32 and 64", "ranks=16 to 1024" */
static void add_names(struct weir_text *line, const struct scope *scope, const unsigned steps[],
                      unsigned count)
{
    weir_text_add(line, "%s=", scope->axis);
    if (count > NAMED_MAX && scope->is_ordered) {
        weir_text_add(line, "%s to %s", value_of(scope, steps[0]),
                      value_of(scope, steps[count - 1]));
        return;
    }
    for (unsigned i = 0; i < count; i++)
        weir_text_add(line, "%s%s",
                      i == 0          ? ""
                      : i + 1 < count ? ", "
                                      : " and ",
                      value_of(scope, steps[i]));
}

/* "ranks=16 to 64, ranks=256": steps that do not follow one another are named apart. */
static void add_list(struct weir_text *line, const struct scope *scope, const unsigned steps[],
                     unsigned count)
{
    for (unsigned i = 0, begin = 0; i < count; i++)
        if (i + 1 == count || steps[i + 1] != steps[i] + 1) {
            weir_text_add(line, "%s", begin > 0 ? ", " : "");
            add_names(line, scope, steps + begin, i + 1 - begin);
            begin = i + 1;
        }
    weir_text_add(line, count == 1 ? " is" : " are");
}

/* "at most 3.2 % from it, noise 5.0 %"; in place of "it", the step that was not named yet. */
static void add_distance(struct weir_text *line, const struct scope *scope, const unsigned steps[],
                         unsigned count, unsigned reference, bool reference_is_named)
{
    double most = 0.0, noise = 0.0;

    /* Both of the step that is furthest. */
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || fabs(below(scope, steps[i], reference)) > most) {
            most = fabs(below(scope, steps[i], reference));
            noise = noise_of(scope, steps[i], reference);
        }
    weir_text_add(line, "at most %.1f %% from ", 100.0 * most);
    if (reference_is_named)
        weir_text_add(line, "it");
    else
        add_step(line, scope, reference);
    weir_text_add(line, ", noise %.1f %%", noise);
}

static void add_alike(struct weir_text *line, const struct scope *scope, const unsigned steps[],
                      unsigned count, unsigned reference)
{
    if (count == 0)
        return;
    weir_text_add(line, "; ");
    add_list(line, scope, steps, count);
    weir_text_add(line, " within its noise (");
    add_distance(line, scope, steps, count, reference, true);
    weir_text_add(line, ")");
}

/* All that are not the reference, have a rate, and are neither fallen nor below the best. */
static unsigned find_alike(const struct scope *scope, unsigned reference, unsigned steps[])
{
    const struct weir_trend *trend = scope->trend;
    unsigned count = 0, before;

    for (unsigned i = scope->is_ordered ? reference + 1 : 0; i < trend->count; i++)
        if (i != reference && trend->steps[i].count > 0 &&
            !weir_trend_is_below(trend, i, trend->best) &&
            !(scope->is_ordered && weir_trend_falls(trend, i, &before)))
            steps[count++] = i;
    return count;
}

/* ---- what differs ---- */

static bool is_last(const struct scope *scope, unsigned step)
{
    for (unsigned i = step + 1; i < scope->trend->count; i++)
        if (scope->trend->steps[i].count > 0)
            return false;
    return true;
}

/* The steps behind `first` that are below the same reference, without one between that is not.
 * Returns the last of them. */
static unsigned last_of_fall(const struct scope *scope, unsigned first, unsigned reference)
{
    unsigned last = first, before;

    for (unsigned i = first + 1; i < scope->trend->count; i++) {
        if (scope->trend->steps[i].count == 0)
            continue;
        if (!weir_trend_falls(scope->trend, i, &before) || before != reference)
            break;
        last = i;
    }
    return last;
}

static unsigned lowest_of(const struct scope *scope, unsigned first, unsigned last)
{
    unsigned lowest = first;

    for (unsigned i = first; i <= last; i++)
        if (scope->trend->steps[i].count > 0 && rate_of(scope, i) < rate_of(scope, lowest))
            lowest = i;
    return lowest;
}

static void add_fall(struct weir_text *text, const struct scope *scope, unsigned first,
                     unsigned last, unsigned reference)
{
    unsigned lowest = lowest_of(scope, first, last);
    struct weir_text line = {0};

    weir_text_add(&line, "%s falls at %s=%s: ", scope->table->name, scope->axis,
                  value_of(scope, first));
    add_rate(&line, scope, first);
    weir_text_add(&line, ", %.1f %% below %s=%s, noise %.1f %%",
                  100.0 * below(scope, first, reference), scope->axis, value_of(scope, reference),
                  noise_of(scope, first, reference));
    if (last > first)
        weir_text_add(&line, "; it stays below up to %s=%s", scope->axis, value_of(scope, last));
    if (lowest != first) {
        weir_text_add(&line, " (lowest: %s=%s with ", scope->axis, value_of(scope, lowest));
        add_rate(&line, scope, lowest);
        weir_text_add(&line, ", %.1f %% below)", 100.0 * below(scope, lowest, reference));
    }
    end_line(text, &line, scope);
}

static bool is_ordered(const struct weir_sweep_axis *axis)
{
    uint64_t before = 0;

    for (unsigned i = 0; i < axis->count; i++) {
        uint64_t value;

        if (weir_size_parse(axis->values[i], &value) != 0 || (i > 0 && value <= before))
            return false;
        before = value;
    }
    return true;
}

static unsigned first_measured(const struct weir_trend *trend)
{
    unsigned first = 0;

    while (first < trend->count && trend->steps[first].count == 0)
        first++;
    return first;
}

bool weir_sweep_has_knee(const struct weir_plan *plan, const struct weir_sweep_table *table,
                         unsigned group)
{
    const struct scope scope = {.trend = &table->trends[group]};
    const struct weir_trend *trend = scope.trend;

    return is_ordered(&plan->sweep.axes[plan->sweep.axis_count - 1]) && trend->can_tell &&
           trend->knee != first_measured(trend) && !is_last(&scope, trend->knee);
}

/* What would not be seen is as much as people would want to know. */
#define NOISE_TOO_MUCH 25.0 /* percent */

static bool is_too_noisy(const struct scope *scope, const unsigned steps[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (noise_of(scope, steps[i], scope->trend->knee) > NOISE_TOO_MUCH)
            return true;
    return false;
}

static void add_growth(struct weir_text *text, const struct scope *scope, struct weir_arena *arena)
{
    const struct weir_trend *trend = scope->trend;
    unsigned *alike = weir_arena_take(arena, trend->count * sizeof *alike);
    unsigned first = first_measured(trend), count = find_alike(scope, trend->knee, alike);
    struct weir_text line = {0};

    if (trend->knee == first && count + 1 == trend->measured) {
        weir_text_add(&line,
                      is_too_noisy(scope, alike, count)
                          ? "%s: repetitions differ too much to tell steps apart; "
                          : "%s: no step differs by more than the noise; ",
                      scope->table->name);
        add_list(&line, scope, alike, count);
        weir_text_add(&line, " ");
        add_distance(&line, scope, alike, count, trend->knee, false);
    } else {
        weir_text_add(&line, trend->knee == first ? "%s does not grow from " : "%s grows up to ",
                      scope->table->name);
        add_step(&line, scope, trend->knee);
        if (trend->knee == first)
            weir_text_add(&line, " on");
        else if (is_last(scope, trend->knee))
            weir_text_add(&line, ", the last step measured: more may do better");
        add_alike(&line, scope, alike, count, trend->knee);
    }
    end_line(text, &line, scope);
}

/* Of values without an order: all against the best. */
static void add_ranking(struct weir_text *text, const struct scope *scope, struct weir_arena *arena)
{
    const struct weir_trend *trend = scope->trend;
    unsigned *alike = weir_arena_take(arena, trend->count * sizeof *alike);
    unsigned count = find_alike(scope, trend->best, alike);
    struct weir_text line = {0};

    weir_text_add(&line, "%s is highest with ", scope->table->name);
    add_step(&line, scope, trend->best);
    add_alike(&line, scope, alike, count, trend->best);
    for (unsigned i = 0; i < trend->count; i++)
        if (trend->steps[i].count > 0 && weir_trend_is_below(trend, i, trend->best))
            weir_text_add(&line, "; %s=%s is %.1f %% below it, noise %.1f %%", scope->axis,
                          value_of(scope, i), 100.0 * below(scope, i, trend->best),
                          noise_of(scope, i, trend->best));
    end_line(text, &line, scope);
}

/* ---- the best step, and the limit ---- */

static void add_best(struct weir_text *text, const struct scope *scope)
{
    unsigned best = scope->trend->best;
    const struct weir_sweep_row *row = &scope->rows[best];
    struct weir_text line = {0};

    weir_text_add(&line, "highest median of %s: ", scope->table->name);
    add_step(&line, scope, best);
    if (row->of_limit > 0.0)
        weir_text_add(&line, ", %.1f %% of the limit", 100.0 * row->of_limit);
    if (row->findings != NULL)
        weir_text_add(&line, "; mind its findings: %s", row->findings);
    end_line(text, &line, scope);
}

static void add_beyond_limit(struct weir_text *text, const struct scope *scope,
                             struct weir_arena *arena)
{
    unsigned *steps = weir_arena_take(arena, scope->trend->count * sizeof *steps), count = 0;
    struct weir_text line = {0};
    double most = 0.0;

    for (unsigned i = 0; i < scope->trend->count; i++)
        if (scope->rows[i].of_limit > 1.0) {
            steps[count++] = i;
            most = fmax(most, scope->rows[i].of_limit);
        }
    if (count == 0)
        return;
    weir_text_add(&line, "%s is above its limit in %u step%s, by %s=%s", scope->table->name, count,
                  count == 1 ? "" : "s", scope->axis, value_of(scope, steps[0]));
    for (unsigned i = 1; i < count; i++)
        weir_text_add(&line, ", %s", value_of(scope, steps[i]));
    weir_text_add(&line,
                  " (up to %.1f %%): the limit is too low, or memory or a cache had a part in it: "
                  "see the findings of these steps",
                  100.0 * most);
    end_line(text, &line, scope);
}

void weir_sweep_sentences(struct weir_text *text, const struct weir_sweep_table *table,
                          const struct weir_plan *plan)
{
    const struct weir_sweep *sweep = &plan->sweep;
    const struct weir_sweep_axis *axis = &sweep->axes[sweep->axis_count - 1];
    struct weir_arena arena = {0};

    for (unsigned g = 0; g < table->group_count; g++) {
        struct scope scope = {.table = table,
                              .rows = &table->rows[g * table->group_size],
                              .trend = &table->trends[g],
                              .axis = axis->name,
                              .prefix = "",
                              .is_ordered = is_ordered(axis)};

        if (sweep->axis_count > 1)
            scope.prefix =
                weir_arena_printf(&arena, "%s=%s: ", sweep->axes[0].name, scope.rows[0].values[0]);
        if (scope.trend->measured == 0)
            continue;
        /* With the mark of the table: a sentence shall not make more of a step than its row does.
         */
        scope.labels = weir_arena_take(&arena, scope.trend->count * sizeof *scope.labels);
        for (unsigned i = 0; i < scope.trend->count; i++) {
            const struct weir_sweep_row *row = &scope.rows[i];

            scope.labels[i] = weir_arena_printf(&arena, "%s%s", row->values[row->values[1] != NULL],
                                                row->findings != NULL ? "*" : "");
        }
        if (scope.trend->can_tell && scope.is_ordered) {
            add_growth(text, &scope, &arena);

            unsigned reference;

            for (unsigned k = 0; k < scope.trend->count; k++) {
                unsigned last;

                if (!weir_trend_falls(scope.trend, k, &reference))
                    continue;
                last = last_of_fall(&scope, k, reference);
                add_fall(text, &scope, k, last, reference);
                k = last;
            }
        } else if (scope.trend->can_tell) {
            add_ranking(text, &scope, &arena);
        } else if (scope.trend->measured > 1) {
            /* Without a noise to hold differences against, they are told as they were seen. */
            const struct weir_trend *trend = scope.trend;
            struct weir_text line = {0};

            weir_text_add(
                &line,
                "%s: with one repetition of each step the noise is not known, and no difference "
                "is sure (for that: " WEIR_REMEDY_REPETITIONS "); as seen, highest with ",
                scope.table->name);
            add_step(&line, &scope, trend->best);
            for (unsigned j = 0; j < trend->count; j++)
                if (j != trend->best && trend->steps[j].count > 0)
                    weir_text_add(&line, "; %s=%s is %.1f %% below", scope.axis,
                                  value_of(&scope, j), 100.0 * below(&scope, j, trend->best));
            end_line(text, &line, &scope);
        }
        add_best(text, &scope);
        add_beyond_limit(text, &scope, &arena);
    }
    weir_arena_close(&arena);
}
