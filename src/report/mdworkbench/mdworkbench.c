/* SPDX-License-Identifier: Apache-2.0 */
/* md-workbench's lines, byte for byte as parsers of them know them, and the numbers in them. */
#include "figures.h"
#include "mdtest/mdtest.h"

#include "weir/base/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of a line, which one or two phases of the plan make ---- */

enum line {
    PRECREATE, /* directories, then objects */
    BENCHMARK, /* an iteration */
    CLEANUP    /* objects, then directories */
};

/* In the order of md-workbench's lines. */
enum op { READ, STAT, CREATE, DELETE, OPS };

struct row {
    enum line line;
    const struct weir_phase_result *objects;     /* the phase that works on objects */
    const struct weir_rank_row *rows;            /* of its tasks; NULL: not there */
    const struct weir_rank_times *times;         /* likewise */
    const struct weir_phase_result *directories; /* NULL: none */
    double directories_s;                        /* time of those, which all tasks have in common */
    double max_s;                                /* of all tasks, the directories' with it */
    double min_s;
    double mean_s;
    double stddev_s;    /* of a sample */
    uint64_t data_sets; /* that were made or removed */
    uint64_t done[OPS];
    bool is_timed[OPS]; /* else there is no such operation */
    uint64_t quantile_ns[OPS][WEIR_QUANTILES];
    uint64_t object_count;
    uint64_t op_count; /* operations on objects and directories */
    uint64_t error_count;
    double op_max_s;
    double moved_bytes; /* written and read */
    double waiting;     /* pauses, in parts of what operations took; below 0: none were asked for */
    uint64_t stonewall_iteration; /* objects of a data set when the deadline came; 0: it did not */
};

static const enum weir_verb verbs[OPS] = {WEIR_READ_FILE, WEIR_STAT, WEIR_CREATE, WEIR_UNLINK};

static bool is_of_directories(const struct weir_phase *planned)
{
    return planned->names.item == NULL;
}

/* The phase before, which is the other one of the same line. */
static const struct weir_phase_result *partner_of(const struct weir_plan *plan,
                                                  const struct weir_result *result,
                                                  const struct weir_phase_result *phase,
                                                  enum weir_verb verb)
{
    const struct weir_phase_result *before = phase > result->phases ? phase - 1 : NULL;
    const struct weir_phase *planned = before != NULL ? weir_figures_phase(plan, before) : NULL;

    if (planned == NULL || before->test != phase->test || planned->verb != verb ||
        !weir_figures_has_row(plan, before))
        return NULL;
    return before;
}

static bool find_phases(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct row *row)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    if (planned == NULL || !weir_figures_has_row(plan, phase))
        return false;
    row->objects = phase;
    if (planned->verb == WEIR_CYCLE) {
        row->line = BENCHMARK;
    } else if (planned->verb == WEIR_CREATE) {
        row->line = PRECREATE;
        row->directories = partner_of(plan, result, phase, WEIR_MKDIR);
    } else if (planned->verb == WEIR_RMDIR && is_of_directories(planned)) {
        row->line = CLEANUP;
        row->objects = partner_of(plan, result, phase, WEIR_UNLINK);
        row->directories = phase;
    } else {
        return false;
    }
    return row->objects != NULL;
}

/* How often the benchmark is done. */
static double rounds_of(const struct weir_test *test)
{
    double rounds = 0;

    for (size_t i = 0; i < test->phase_count; i++)
        rounds += test->phases[i]->verb == WEIR_CYCLE;
    return rounds * (double)test->repetitions;
}

/* ---- what they found ---- */

/* Where the verb is among those of the phase; -1: nowhere. */
static int place_of(const struct weir_phase *planned, const struct weir_phase_result *objects,
                    enum weir_verb verb)
{
    for (unsigned i = 0; i < objects->verb_count; i++)
        if (objects->verbs[i].verb == verb)
            return (int)i;
    return planned->verb == verb ? 0 : -1;
}

static void add_up_ops(const struct weir_phase *planned, struct row *row)
{
    for (int op = 0; op < OPS; op++)
        row->op_max_s = fmax(row->op_max_s, (double)row->quantile_ns[op][WEIR_QUANTILES - 1] / 1e9);
    row->object_count = row->done[planned->verb == WEIR_CYCLE    ? STAT
                                  : planned->verb == WEIR_CREATE ? CREATE
                                                                 : DELETE];
}

/* That of the task that came furthest. */
static uint64_t stonewall_iteration_of(const struct weir_phase *planned,
                                       const struct weir_stonewall *stonewall)
{
    uint64_t ops = planned->names.cycle_count * planned->target->tree->set_count;

    return stonewall->is_hit && ops > 0 ? (stonewall->ops_max + ops - 1) / ops : 0;
}

/* The line that ends with this phase. False: none does. */
static bool find_row(const struct weir_plan *plan, const struct weir_result *result,
                     const struct weir_phase_result *phase, struct row *row)
{
    const struct weir_phase_result *objects;
    const struct weir_phase *planned;
    double ranks;

    *row = (struct row){.objects = NULL};
    if (!find_phases(plan, result, phase, row))
        return false;
    objects = row->objects;
    ranks = objects->rank_count;
    planned = weir_figures_phase(plan, objects);
    row->rows = objects == phase ? phase->rows : phase->earlier_rows;
    row->times = objects == phase ? phase->rank_times : phase->earlier_rank_times;
    for (int op = 0; op < OPS; op++) {
        int place = place_of(planned, objects, verbs[op]);
        const struct weir_histogram *latency;

        if (place >= 0) {
            latency = objects->verb_count > 0 ? objects->verbs[place].latency : objects->latency;
            row->done[op] =
                objects->verb_count > 0 ? objects->verbs[place].op_count : objects->op_count;
            row->is_timed[op] = latency != NULL;
            for (unsigned i = 0; latency != NULL && i < WEIR_QUANTILES; i++)
                row->quantile_ns[op][i] =
                    weir_histogram_percentile(latency, weir_quantile_fractions[i]);
        }
    }
    add_up_ops(planned, row);
    if (row->directories != NULL)
        row->directories_s = row->directories->windows.total_s;
    row->max_s = row->directories_s + objects->windows.total_s;
    row->min_s = row->directories_s + objects->rank_s_min;
    row->mean_s = row->directories_s + objects->rank_s_mean;
    row->stddev_s = ranks > 1 ? objects->rank_s_stddev * sqrt(ranks / (ranks - 1)) : 0.0;
    row->data_sets = row->directories != NULL ? row->directories->op_count : 0;
    row->op_count = objects->op_count + row->data_sets;
    row->error_count = objects->error_count +
                       (row->directories != NULL ? row->directories->error_count : 0) +
                       objects->mismatches.wrong_transfers;
    row->moved_bytes = (double)objects->byte_count;
    row->waiting = -1.0;
    if (weir_mdtest_is_set(plan->tests[phase->test], "adaptive-waiting") || planned->think_ppm > 0)
        row->waiting = planned->verb == WEIR_CYCLE ? (double)planned->think_ppm / 1e6 : -1.0;
    row->stonewall_iteration = stonewall_iteration_of(planned, &objects->stonewall);
    return true;
}

/* The part of one task, whose rows and times are there. */
static struct row row_of_rank(const struct weir_plan *plan, const struct row *row, unsigned rank)
{
    const struct weir_phase *planned = weir_figures_phase(plan, row->objects);
    const struct weir_rank_row *own = &row->rows[rank];
    int64_t ns = own->stamps_ns[WEIR_STAMP_MOVE_STOP] - own->stamps_ns[WEIR_STAMP_MOVE_START];
    struct row part = {
        .line = row->line,
        .objects = row->objects,
        .directories = row->directories,
        .data_sets = row->directories != NULL ? planned->target->tree->set_count : 0,
        .max_s = row->directories_s + (ns > 0 ? (double)ns / 1e9 : 0.0),
        .error_count = own->error_count,
        .moved_bytes = (double)own->byte_count,
        .waiting = row->waiting,
    };

    part.op_count = own->op_count + part.data_sets;
    for (int op = 0; op < OPS; op++) {
        int place = place_of(planned, part.objects, verbs[op]);

        if (place >= 0) {
            part.done[op] = row->times[rank].op_count[place];
            part.is_timed[op] = true;
            memcpy(part.quantile_ns[op], row->times[rank].ns[place],
                   sizeof row->times[rank].ns[place]);
        }
    }
    add_up_ops(planned, &part);
    return part;
}

static const char *const line_names[] = {"precreate", "benchmark", "cleanup"};
static const char *const op_names[OPS] = {"read", "stat", "create", "delete"};

/* ---- the head ---- */

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    const struct weir_plan_source *source = &plan->source;

    (void)result;
    if (plan->test_count > 0 && weir_mdtest_is_set(plan->tests[0], "quiet"))
        return;
    weir_text_add(text, "Args:");
    for (size_t i = 0; i < source->word_count; i++) {
        weir_text_add(text, i > 0 ? " \"" : " ");
        weir_text_add_visible(text, source->words[i]);
        weir_text_add(text, i > 0 ? "\"" : "");
    }
    weir_text_add(text, "\n");
}

/* Returns a size option as a number: a setting is the text that was given, such as "1m". */
static double number_of(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);
    uint64_t number;

    return value != NULL && weir_size_parse(value, &number) == 0 ? (double)number : 0.0;
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    double sets = begun->rank_count * number_of(test, "data-sets");
    double there = number_of(test, "precreate-per-set");
    /* As md-workbench counts: with -1 and -3, too, those of all iterations. */
    double rounds = rounds_of(test);
    double made =
        (rounds > 0 ? rounds : number_of(test, "iterations")) * number_of(test, "obj-per-proc");
    char date[WEIR_DATE_BYTES], version[WEIR_REPORT_VERSION_BYTES];

    (void)result;
    if (begun->node_map != NULL)
        weir_text_add(text, "Nodemap: %s\n", begun->node_map);
    weir_text_add(text,
                  "MD-Workbench total objects: %.0f workingset size: %.3f MiB (version: "
                  "%s) time: %s\n",
                  sets * (there + made), sets * there * number_of(test, "object-size") / WEIR_MIB,
                  weir_report_version(plan, WEIR_IOR_VERSION, version),
                  weir_date_format_iso(begun->begun_s, date));
    if (weir_mdtest_is_set(test, "print-detailed-stats"))
        weir_text_add(text, "phase\t\td name\tcreate\tdelete\tob nam\tcreate\tread\tstat\tdelete\t"
                            "t_inc_b\tt_no_bar\tthp\tmax_t\n");
    weir_report_remarks(text, "WARNING: ", plan, test);
    weir_report_room(text, "WARNING: ", begun);
}

/* ---- phases ---- */

static void add_row(struct weir_text *text, const struct row *row, bool is_of_all)
{
    weir_text_add(text, "%s process max:%.2fs", line_names[row->line], row->max_s);
    if (is_of_all)
        weir_text_add(text, " min:%.2fs mean: %.2fs balance:%.1f stddev:%.1f", row->min_s,
                      row->mean_s, weir_figures_percent(row->min_s, row->max_s), row->stddev_s);

    unsigned long long objects = row->object_count, sets = row->data_sets;
    double objects_per_s = weir_figures_rate((double)objects, row->max_s);
    double sets_per_s = weir_figures_rate((double)sets, row->max_s);

    weir_text_add(text, " rate:%.1f iops/s", weir_figures_rate((double)row->op_count, row->max_s));
    if (row->line == PRECREATE)
        weir_text_add(text, " dsets: %llu objects:%llu rate:%.3f dset/s rate:%.1f obj/s", sets,
                      objects, sets_per_s, objects_per_s);
    else if (row->line == BENCHMARK)
        weir_text_add(text, " objects:%llu rate:%.1f obj/s", objects, objects_per_s);
    else
        weir_text_add(text, " objects:%llu dsets: %llu rate:%.1f obj/s rate:%.3f dset/s", objects,
                      sets, objects_per_s, sets_per_s);
    if (row->line != CLEANUP)
        weir_text_add(text, " tp:%.1f MiB/s",
                      weir_figures_rate(row->moved_bytes / WEIR_MIB, row->max_s));
    weir_text_add(text, " op-max:%.4es (%llu errs%s)", row->op_max_s,
                  (unsigned long long)row->error_count, row->error_count > 0 ? "!!!" : "");

    if (row->stonewall_iteration > 0)
        weir_text_add(text, " stonewall-iter:%llu", (unsigned long long)row->stonewall_iteration);
    for (int op = 0; op < OPS; op++) {
        if (!row->is_timed[op])
            continue;
        weir_text_add(text, " %s", op_names[op]);
        for (size_t i = 0; i < WEIR_QUANTILES; i++)
            weir_text_add(text, "%s%.4es", i > 0 ? ", " : "(",
                          (double)row->quantile_ns[op][i] / 1e9);
        weir_text_add(text, ")");
    }
    if (row->waiting >= 0.0)
        weir_text_add(text, " waiting:%.4f", row->waiting);
    weir_text_add(text, "\n");
}

static void add_details(struct weir_text *text, const struct row *row, double own_s)
{
    unsigned long long made = row->line == PRECREATE ? row->data_sets : 0;
    unsigned long long removed = row->line == CLEANUP ? row->data_sets : 0;

    weir_text_add(text, "%s \t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%.3fs\t%.3fs\t%.2f MiB/s %.4e\n",
                  line_names[row->line], made, removed, (unsigned long long)row->done[CREATE],
                  (unsigned long long)row->done[READ], (unsigned long long)row->done[STAT],
                  (unsigned long long)row->done[DELETE], row->max_s, own_s,
                  weir_figures_rate(row->moved_bytes / WEIR_MIB, row->max_s), row->op_max_s);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    struct row row;
    bool has_details;

    if (planned == NULL || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (phase->notes)
        weir_report_notes(text, phase);
    if (phase->failure[0] != '\0') {
        weir_text_add(text, "ERROR: %s: ", weir_verb_name(planned->verb));
        weir_text_add_visible(text, phase->failure);
        weir_text_add(text, "\n");
    } else if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
        weir_text_add(text, "WARNING: %s %s after %llu operations\n", weir_verb_name(planned->verb),
                      weir_figures_has_failed(phase) ? "failed" : "was interrupted",
                      (unsigned long long)phase->op_count);
    }
    if (!find_row(plan, result, phase, &row))
        return;
    has_details = weir_mdtest_is_set(plan->tests[phase->test], "print-detailed-stats");
    if (has_details)
        add_details(text, &row, row.directories_s + row.objects->rank_s_max);
    else
        add_row(text, &row, true);
    /* Figures of single ranks are there while their phase is the latest one. */
    if (row.rows == NULL || row.times == NULL ||
        !weir_mdtest_is_set(plan->tests[phase->test], "process-reports"))
        return;
    for (unsigned rank = 0; rank < row.objects->rank_count; rank++) {
        struct row part = row_of_rank(plan, &row, rank);

        weir_text_add(text, "%u: ", rank);
        if (has_details)
            add_details(text, &part, part.max_s);
        else
            add_row(text, &part, false);
    }
}

/* ---- the end ---- */

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    char date[WEIR_DATE_BYTES];

    if (!weir_figures_has_end(plan, result))
        return;
    weir_text_add(text, "Total runtime: %.0fs time: %s\n", result->finished_s - result->begun_s,
                  weir_date_format_iso(result->finished_s, date));
}

static const struct weir_reporter reporter = {
    .name = "md-workbench",
    .is_text = true,
    .warning_label = "WARNING: ",
    .openings = (const char *const[]){"Args: ", "Nodemap: ", "MD-Workbench total objects: ", NULL},
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .end = end,
};

/* ---- the dialect ---- */

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_DETAILS, "-v"},
    {WEIR_REMEDY_PATH, "-o"},
    {WEIR_REMEDY_BACKEND, "-a"},
    {WEIR_REMEDY_KEEP, "-1"},
    {WEIR_REMEDY_REMOVE, "-3"},
    {WEIR_REMEDY_WRITE, "-1"},
    {WEIR_REMEDY_READ, "-2"},
    {WEIR_REMEDY_TRANSFER_SIZE, "-S"},
    {WEIR_REMEDY_REPETITIONS, "-R"},
    {WEIR_REMEDY_LONGER_PHASE, "-I"},
    {WEIR_REMEDY_SHIFT_DISTANCE, "-O"},
    {WEIR_REMEDY_PATTERN, "--dataPacketType"},
    {WEIR_REMEDY_SEED, "-G"},
    {WEIR_REMEDY_VERIFY_READS, "-X"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_OP_FILES, "-L"},
    {0},
};

/* The line that the phase is part of. */
static const char *name_row(const struct weir_test *test, const struct weir_phase *phase)
{
    (void)test;
    if (phase->verb == WEIR_CYCLE)
        return "benchmark";
    return weir_verb_makes_items(phase->verb) ? "precreate" : "cleanup";
}

static const struct weir_reporter *const reporters[] = {&reporter, NULL};

static bool find_figure(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure)
{
    struct row row;

    if (!find_row(plan, result, phase, &row))
        return false;
    *figure =
        (struct weir_shown_figure){.value = weir_figures_rate((double)row.op_count, row.max_s),
                                   .unit = "iops/s",
                                   .decimals = 1};
    return true;
}

const struct weir_dialect_reports weir_mdworkbench_reports = {.dialect = "md-workbench",
                                                              .work = WEIR_WORKS_ON_TREES,
                                                              .reporters = reporters,
                                                              .remedies = remedies,
                                                              .rank_csv = &weir_mdtest_rank_csv,
                                                              .name_row = name_row,
                                                              .find_figure = find_figure};
