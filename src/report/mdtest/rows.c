/* SPDX-License-Identifier: Apache-2.0 */
/* mdtest's numbers, and ours for what it does not do: where nothing was measured they are 0. */

#include "mdtest.h"

#include "weir/base/version.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- names ---- */

enum group { DIRECTORIES, FILES, TREES };

struct row {
    enum group group;
    enum weir_verb verb;
    const char *name;
};

/* mdtest has a name for reads of directories, in its file of ranks, and never reads one. */
static const struct row rows[] = {
    {DIRECTORIES, WEIR_MKDIR, "Directory creation"},
    {DIRECTORIES, WEIR_STAT, "Directory stat"},
    {DIRECTORIES, WEIR_READ_FILE, "Directory read"},
    {DIRECTORIES, WEIR_RENAME, "Directory rename"},
    {DIRECTORIES, WEIR_RMDIR, "Directory removal"},
    {FILES, WEIR_CREATE, "File creation"},
    {FILES, WEIR_STAT, "File stat"},
    {FILES, WEIR_READ_FILE, "File read"},
    {FILES, WEIR_UNLINK, "File removal"},
    {TREES, WEIR_MKDIR, "Tree creation"},
    {TREES, WEIR_RMDIR, "Tree removal"},
    /* of ours: */
    {DIRECTORIES, WEIR_LOOKUP, "Directory lookup"},
    {DIRECTORIES, WEIR_SYMLINK, "Directory symlink"},
    {DIRECTORIES, WEIR_CHMOD, "Directory chmod"},
    {DIRECTORIES, WEIR_SETXATTR, "Directory setxattr"},
    {DIRECTORIES, WEIR_GETXATTR, "Directory getxattr"},
    {DIRECTORIES, WEIR_LIST, "Directory list"},
    {DIRECTORIES, WEIR_LIST_STAT, "Directory list-stat"},
    {DIRECTORIES, WEIR_UNLINK, "Directory unlink"},
    {DIRECTORIES, WEIR_CYCLE, "Directory cycle"},
    {FILES, WEIR_OPEN, "File open"},
    {FILES, WEIR_LOOKUP, "File lookup"},
    {FILES, WEIR_RENAME, "File rename"},
    {FILES, WEIR_LINK, "File link"},
    {FILES, WEIR_SYMLINK, "File symlink"},
    {FILES, WEIR_CHMOD, "File chmod"},
    {FILES, WEIR_SETXATTR, "File setxattr"},
    {FILES, WEIR_GETXATTR, "File getxattr"},
    {FILES, WEIR_CYCLE, "File cycle"},
    {TREES, WEIR_LIST, "Tree list"},
    {TREES, WEIR_LIST_STAT, "Tree list-stat"},
    {TREES, WEIR_STAT, "Tree stat"},
};
#define ROW_COUNT ((int)(sizeof rows / sizeof *rows))

static enum group group_of(const struct weir_phase *phase)
{
    if (phase->names.item == NULL)
        return TREES;
    return phase->names.is_directory ? DIRECTORIES : FILES;
}

/* It only undoes what --also did in the phase before: the names are those that were made there. */
static bool is_undoing(const struct weir_phase *phase)
{
    static const char *const suffixes[] = {".link", ".symlink", ".renamed"};
    const char *suffix = phase->names.item != NULL ? strrchr(phase->names.item, '.') : NULL;

    for (size_t i = 0; suffix != NULL && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i]) == 0)
            return true;
    return false;
}

int weir_mdtest_row(const struct weir_phase *phase)
{
    enum weir_verb verb = phase->verb == WEIR_MKNOD ? WEIR_CREATE : phase->verb;

    if (!weir_verb_works_on_trees(verb) || is_undoing(phase))
        return -1;
    for (int i = 0; i < ROW_COUNT; i++)
        if (rows[i].group == group_of(phase) && rows[i].verb == verb)
            return i;
    return -1;
}

const char *weir_mdtest_row_name(int row)
{
    assert(row >= 0);
    return row < ROW_COUNT ? rows[row].name : NULL;
}

/* ---- which are shown ---- */

bool weir_mdtest_is_set(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);

    return value != NULL && strcmp(value, "0") != 0;
}

static bool has_group(const struct weir_test *test, enum group group)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_mdtest_row(test->phases[i]) >= 0 && group_of(test->phases[i]) == group)
            return true;
    return false;
}

static bool has_phase(const struct weir_test *test, int row)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_mdtest_row(test->phases[i]) == row)
            return true;
    return false;
}

bool weir_mdtest_has_row(const struct weir_test *test, int row)
{
    enum group group;

    if (row >= ROW_COUNT)
        return false;
    group = rows[row].group;
    if (row >= WEIR_MDTEST_ROWS || (group == DIRECTORIES && rows[row].verb == WEIR_READ_FILE))
        return has_phase(test, row);
    return group == TREES || has_group(test, group);
}

bool weir_mdtest_is_shown(const struct weir_plan *plan, const struct weir_phase_result *result)
{
    return weir_figures_has_row(plan, result) &&
           weir_mdtest_row(weir_figures_phase(plan, result)) >= 0;
}

/* ---- what is in the plan ---- */

uint64_t weir_mdtest_items(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->names.rotation.count > 0)
            return test->phases[i]->names.rotation.count * test->phases[i]->target->tree->set_count;
        else if (test->phases[i]->names.item != NULL && test->phases[i]->target->tree != NULL)
            return weir_tree_items(test->phases[i]->target->tree);
    return 0;
}

uint64_t weir_mdtest_items_done(const struct weir_plan *plan,
                                const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);
    double ops = weir_figures_rank_ops(phase, result);

    if (phase->names.item == NULL || phase->verb == WEIR_RENAME)
        return 0;
    if (phase->verb == WEIR_CYCLE)
        ops /= phase->names.cycle_count;
    if (weir_figures_is_of_one_rank(phase) && !phase->names.is_shared && result->rank_count > 0)
        ops /= result->rank_count;
    return (uint64_t)ops;
}

/* How often the steps do a phase; 0 = they do not hold it. */
static uint64_t rounds_of(const struct weir_step *step, const struct weir_phase *phase)
{
    for (; step != NULL; step = step->next) {
        uint64_t rounds = step->phase == phase ? 1 : rounds_of(step->body, phase);

        if (rounds > 0)
            return step->kind == WEIR_STEP_REPEAT ? rounds * step->count : rounds;
    }
    return 0;
}

bool weir_mdtest_is_done(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];
        const struct weir_phase_history *history =
            weir_result_history(result, test->number, phase->number);
        uint64_t done = history != NULL && history->sum != NULL ? history->total_s.count : 0;

        for (unsigned k = 0; k < result->phase_count; k++) {
            const struct weir_phase_result *found = &result->phases[k];

            if (found->test != test->number || weir_figures_phase(plan, found) != phase)
                continue;
            if (found->outcome != WEIR_OUTCOME_COMPLETE || found->is_interrupted ||
                weir_figures_has_failed(found))
                return false;
            done++;
        }
        if (done < rounds_of(test->steps, phase))
            return false;
    }
    return true;
}

const char *weir_mdtest_path(const struct weir_test *test, const struct weir_test_result *begun)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->target->tree != NULL)
            return test->phases[i]->target->paths[0];
    return begun->path;
}

/* ---- one iteration ---- */

static struct weir_spread scaled(double min, double mean, double max, double factor)
{
    return (struct weir_spread){.min = min * factor, .mean = mean * factor, .max = max * factor};
}

/* A chain of renames has more operations than items. */
static double items_of_op(const struct weir_phase *phase, const struct weir_phase_result *result)
{
    if (weir_figures_is_of_one_rank(phase) || phase->names.item == NULL ||
        result->rank_ops_min == 0)
        return 1.0;
    return weir_figures_rank_ops(phase, result) / (double)result->rank_ops_min;
}

struct weir_mdtest_figures weir_mdtest_figures(const struct weir_plan *plan,
                                               const struct weir_phase_result *result)
{
    const struct weir_phase *phase = weir_figures_phase(plan, result);
    double ops = weir_figures_rank_ops(phase, result);
    double total_s = result->windows.total_s;
    double ms_of_one = weir_figures_rate(1e3, ops);
    struct weir_mdtest_figures figures = {
        .all = {[WEIR_MDTEST_RATE] = weir_figures_ops_per_s(phase, result),
                [WEIR_MDTEST_SECONDS] = total_s,
                [WEIR_MDTEST_OP_MS] = total_s * ms_of_one},
        .trees = phase->names.item == NULL && !weir_figures_is_of_one_rank(phase) &&
                         result->rank_count > 0
                     ? result->rank_count
                     : 1,
    };

    for (int i = 0; weir_figures_is_of_one_rank(phase) && i < WEIR_MDTEST_QUANTITIES; i++)
        figures.ranks[i] = scaled(1.0, 1.0, 1.0, figures.all[i]);
    if (weir_figures_is_of_one_rank(phase))
        return figures;
    figures.ranks[WEIR_MDTEST_RATE] =
        scaled(result->rank_ops_per_s_min, result->rank_ops_per_s_mean, result->rank_ops_per_s_max,
               items_of_op(phase, result));
    figures.ranks[WEIR_MDTEST_SECONDS] =
        scaled(result->rank_s_min, result->rank_s_mean, result->rank_s_max, 1.0);
    figures.ranks[WEIR_MDTEST_OP_MS] =
        scaled(result->rank_s_min, result->rank_s_mean, result->rank_s_max, ms_of_one);
    return figures;
}

void weir_mdtest_of_rank(const struct weir_plan *plan, const struct weir_phase_result *result,
                         unsigned rank, double *rate, double *seconds)
{
    const struct weir_rank_row *row = &result->rows[rank];
    int64_t ns = row->stamps_ns[WEIR_STAMP_MOVE_STOP] - row->stamps_ns[WEIR_STAMP_MOVE_START];
    double items = (double)row->op_count * items_of_op(weir_figures_phase(plan, result), result);

    *seconds = ns > 0 ? (double)ns / 1e9 : 0.0;
    *rate = weir_figures_rate(items, *seconds);
}

/* ---- over iterations ---- */

struct gathering {
    struct weir_sums all[WEIR_MDTEST_QUANTITIES];
    struct weir_sums ranks[WEIR_MDTEST_QUANTITIES]; /* of their means, with extremes of extremes */
};

/* Iterations without a record did as many operations as one that has one. */
static void gather_history(struct gathering *sums, const struct weir_plan *plan,
                           const struct weir_phase_result *like,
                           const struct weir_phase_history *history)
{
    const struct weir_phase *phase = weir_figures_phase(plan, like);
    double ops = weir_figures_rank_ops(phase, like);
    double ranks = weir_figures_is_of_one_rank(phase) ? 1.0 : like->rank_count;

    weir_sums_merge(&sums->all[WEIR_MDTEST_RATE], &history->ops_per_s,
                    weir_figures_rate(ops * ranks, (double)like->op_count));
    weir_sums_merge(&sums->all[WEIR_MDTEST_SECONDS], &history->total_s, 1.0);
    weir_sums_merge(&sums->all[WEIR_MDTEST_OP_MS], &history->total_s, weir_figures_rate(1e3, ops));
}

static bool is_of_row(const struct weir_plan *plan, const struct weir_phase_result *result,
                      const struct weir_test *test, int row, enum weir_outcome outcome)
{
    return result->test == test->number && result->outcome == outcome &&
           weir_figures_has_row(plan, result) && !weir_figures_has_failed(result) &&
           weir_mdtest_row(weir_figures_phase(plan, result)) == row;
}

/* Returns the last record of the row; NULL = it has none. */
static const struct weir_phase_result *gather_all(struct gathering *sums,
                                                  const struct weir_plan *plan,
                                                  const struct weir_result *result,
                                                  const struct weir_test *test, int row)
{
    static const enum weir_outcome outcomes[] = {WEIR_OUTCOME_COMPLETE, WEIR_OUTCOME_PARTIAL};
    const struct weir_phase_result *last = NULL;

    for (int k = 0; k < 2 && last == NULL; k++)
        for (unsigned i = 0; i < result->phase_count; i++)
            if (is_of_row(plan, &result->phases[i], test, row, outcomes[k])) {
                last = &result->phases[i];

                struct weir_mdtest_figures figures = weir_mdtest_figures(plan, last);

                for (int j = 0; j < WEIR_MDTEST_QUANTITIES; j++) {
                    const struct weir_spread *ranks = &figures.ranks[j];
                    struct weir_sums *sum = &sums->ranks[j];

                    weir_sums_add(&sums->all[j], figures.all[j]);
                    weir_sums_add(sum, ranks->mean);
                    sum->min = sum->count == 1 ? ranks->min : fmin(sum->min, ranks->min);
                    sum->max = fmax(sum->max, ranks->max);
                }
            }
    if (last != NULL && weir_result_history(result, test->number, last->phase) != NULL)
        gather_history(sums, plan, last, weir_result_history(result, test->number, last->phase));
    return last;
}

/* Of a task in a row: what its last phase worked on, or the most that a phase of the test did. */
static uint64_t items_of(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_test *test, const struct weir_phase_result *last)
{
    uint64_t items = weir_mdtest_items_done(plan, last);

    for (unsigned i = 0; items == 0 && i < result->phase_count; i++)
        if (result->phases[i].test == test->number &&
            weir_mdtest_is_shown(plan, &result->phases[i]))
            items = weir_mdtest_items_done(plan, &result->phases[i]);
    return items > 0 ? items : weir_mdtest_items(test);
}

struct weir_mdtest_summary weir_mdtest_summary(const struct weir_plan *plan,
                                               const struct weir_result *result,
                                               const struct weir_test *test, int row)
{
    struct gathering sums = {.all = {{.count = 0}}};
    struct weir_mdtest_summary summary = {.count = 0};
    const struct weir_phase_result *last = gather_all(&sums, plan, result, test, row);
    double of_sample;

    summary.count = sums.all[0].count;
    if (last == NULL || summary.count == 0)
        return summary;
    summary.items = items_of(plan, result, test, last);
    summary.trees = weir_mdtest_figures(plan, last).trees;
    of_sample = weir_mdtest_layout_of(plan)->has_population_deviation ? 1.0
                : summary.count > 1 ? sqrt((double)summary.count / (summary.count - 1))
                                    : 0.0;
    for (int i = 0; i < WEIR_MDTEST_QUANTITIES; i++) {
        summary.all[i] = weir_figures_spread(&sums.all[i]);
        summary.all[i].stddev *= of_sample;
        summary.ranks[i] = weir_figures_spread(&sums.ranks[i]);
    }
    return summary;
}

/* ---- versions ---- */

/* mdtest 4.1 says "in ms/op" over a table of seconds: here it has milliseconds. The titles of older
 * versions name no unit, and have the seconds that they always had. */
static const struct weir_mdtest_layout layouts[] = {
    {"mdtest 4.1", WEIR_IOR_VERSION, .rate_title = "SUMMARY rate (in ops/sec):",
     .time_title = "SUMMARY time (in ms/op):", .key = "%-20s: ", .head = "", .quote = '\'',
     .has_rename = true, .has_op_times = true, .has_read_warning = true, .has_node_map = true,
     .has_node_map_first = true, .has_gap_after_end = true},
    {"mdtest 4.0", "4.0.0", .rate_title = "SUMMARY rate:", .time_title = "SUMMARY time:",
     .key = "%-20s: ", .head = "", .quote = '\'', .has_rename = true, .has_read_warning = true,
     .has_node_map = true, .has_gap_after_end = true},
    {"mdtest 3.3", "3.3.0",
     .rate_title = "SUMMARY rate:", .time_title = "SUMMARY time:", .key = "%s: ", .head = " ",
     .quote = '\'', .label_columns = 26, .has_population_deviation = true, .has_node_map = true,
     .has_directory_above = true, .has_gap_before_tasks = true, .has_gap_after_end = true},
    {"mdtest 3.2", "1.9.3",
     .rate_title = "SUMMARY rate:", .time_title = "SUMMARY time:", .key = "%s: ", .head = " ",
     .quote = '"', .label_columns = 18, .has_population_deviation = true,
     .has_directory_above = true, .has_gap_before_tasks = true, .has_gap_before_end = true},
};

const struct weir_mdtest_layout *weir_mdtest_layout_of(const struct weir_plan *plan)
{
    const char *style = plan->output.style;

    for (size_t i = 0; style && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(style, layouts[i].name) == 0)
            return &layouts[i];
    return &layouts[0];
}
