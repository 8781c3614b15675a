/* SPDX-License-Identifier: Apache-2.0 */
/* mdtest's text from 3.2 to 4.1. The fixed parts are byte for byte those that parsers of it know.
 */
#include "ior/ior.h"
#include "mdtest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables over the iterations of a test ---- */

struct table {
    const struct weir_mdtest_layout *layout;
    const char *title;
    enum weir_mdtest_quantity quantity;
    bool has_ranks;
    bool is_done; /* all of the test */
};

/* Of what was not completed there is a table, but no "SUMMARY", which scripts take for success. */
static void add_head(struct weir_text *text, const struct table *table, uint64_t iterations)
{
    const char *blanks = table->layout->head;
    const char *of_what = table->title + strlen("SUMMARY");

    if (table->is_done)
        weir_text_add(text, "\n%s (of %llu iterations)\n", table->title,
                      (unsigned long long)iterations);
    else
        weir_text_add(text,
                      "\nINCOMPLETE%s (of %llu iterations, not all of which were completed)\n",
                      of_what, (unsigned long long)iterations);
    if (table->has_ranks)
        weir_text_add(text,
                      "   Operation     per Rank: Max            Min           Mean      "
                      "per Iteration: Max            Min           Mean        Std Dev\n"
                      "   ---------               ---            ---           ----                "
                      "      ---            ---           ----        -------\n");
    else
        weir_text_add(text,
                      "   Operation      %s               Max            Min           Mean        "
                      "Std Dev\n"
                      "   ---------      %s               ---            ---           ----        "
                      "-------\n",
                      blanks, blanks);
}

/* A table with columns of ranks holds them to the left of where names end in the other one. */
static void add_name(struct weir_text *text, const struct table *table, int row)
{
    const char *name = weir_mdtest_row_name(row);
    bool is_of_tree = weir_text_begins(name, "Tree ");

    if (table->layout->label_columns > 0)
        weir_text_add(text, "   %-*s: ", (int)table->layout->label_columns, name);
    else
        weir_text_add(text, "   %-*s ", table->has_ranks && !is_of_tree ? 18 : 22, name);
}

/* 3.x renames no directories: what it does not know of has a row only if it was asked for. */
static bool is_shown(const struct weir_mdtest_layout *layout, const struct weir_test *test, int row)
{
    if (!layout->has_rename && row == WEIR_MDTEST_DIRECTORY_RENAME &&
        !weir_mdtest_is_set(test, "rename-dirs"))
        return false;
    return weir_mdtest_has_row(test, row);
}

static void add_table(struct weir_text *text, const struct table *table,
                      const struct weir_plan *plan, const struct weir_result *result,
                      const struct weir_test *test)
{
    add_head(text, table, weir_figures_repetitions(result, test));
    for (int row = 0; weir_mdtest_row_name(row) != NULL; row++) {
        struct weir_mdtest_summary summary;

        if (!is_shown(table->layout, test, row))
            continue;
        summary = weir_mdtest_summary(plan, result, test, row);

        const struct weir_spread *all = &summary.all[table->quantity];
        /* mdtest's tables have the rate of one tree, whose directories task 0 makes in its time. */
        double trees =
            table->quantity == WEIR_MDTEST_RATE && summary.trees > 1 ? summary.trees : 1.0;

        add_name(text, table, row);

        bool is_of_tree = strncmp(weir_mdtest_row_name(row), "Tree ", strlen("Tree ")) == 0;

        if (table->has_ranks)
            weir_text_add(text, "%14.3f %14.3f %14.3f %s", summary.ranks[table->quantity].max,
                          summary.ranks[table->quantity].min, summary.ranks[table->quantity].mean,
                          is_of_tree || table->layout->label_columns > 0 ? "    " : "        ");

        weir_text_add(text, "%14.3f %14.3f %14.3f %14.3f\n", all->max / trees, all->min / trees,
                      all->mean / trees, all->stddev / trees);
    }
}

/* ---- lines of the head ---- */

static void add_date(struct weir_text *text, const struct weir_plan *plan, const char *what,
                     double seconds)
{
    char date[WEIR_DATE_BYTES];

    if (plan->output.verbosity > 0)
        weir_text_add(text, "V-1: Entering PrintTimestamp...\n");
    weir_text_add(text, "-- %s at %s --\n", what, weir_date_format_american(seconds, date));
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    char version[WEIR_REPORT_VERSION_BYTES];
    unsigned ranks = 0, nodes = 0;
    const struct weir_plan_source *source = &plan->source;
    char quote = weir_mdtest_layout_of(plan)->quote;

    /* Tests may be of some of the tasks; the number of all is not told before the last one. */
    for (unsigned i = 0; i < result->test_count; i++) {
        ranks = result->tests[i].rank_count > ranks ? result->tests[i].rank_count : ranks;
        nodes = result->tests[i].node_count > nodes ? result->tests[i].node_count : nodes;
    }
    weir_notices_begin(text, plan);
    add_date(text, plan, "started", result->begun_s);
    weir_text_add(text, "\nmdtest-%s was launched with %u total task(s) on %u node(s)\n",
                  weir_report_version(plan, weir_mdtest_layout_of(plan)->version, version), ranks,
                  nodes);
    weir_text_add(text, "Command line used:");
    for (size_t i = 0; i < source->word_count; i++) {
        weir_text_add(text, i > 0 ? " %c" : " ", quote);
        weir_text_add_visible(text, source->words[i]);
        if (i > 0)
            weir_text_add(text, "%c", quote);
    }
    weir_text_add(text, "\n");
}

/* ---- tests ---- */

static bool has_empty_read(const struct weir_test *test)
{
    const struct weir_phase *read = weir_test_phase(test, WEIR_READ_FILE);

    return read != NULL && read->names.bytes == 0;
}

static void add_place(struct weir_text *text, const struct weir_mdtest_layout *layout,
                      const struct weir_test *test, const struct weir_test_result *begun)
{
    const char *path = weir_mdtest_path(test, begun);
    const char *slash = strrchr(path, '/');
    struct weir_text shown = {0};

    if (!layout->has_directory_above)
        weir_text_add(&shown, "%s", path);
    else if (slash == NULL)
        weir_text_add(&shown, ".");
    else
        weir_text_add(&shown, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    weir_text_add(text, layout->key, "Path");
    weir_text_add_visible(text, weir_text_string(&shown));
    weir_text_add(text, "\n");
    weir_text_add(text, layout->key, "FS");
    weir_lines_filesystem(text, &begun->filesystem);
    weir_text_add(text, "\n%s", layout->has_gap_before_tasks ? "\n" : "");
    weir_text_close(&shown);
}

static void add_node_map(struct weir_text *text, const struct weir_test_result *begun)
{
    if (begun->node_map != NULL)
        weir_text_add(text, "Nodemap: %s\n", begun->node_map);
}

/* What -N asked for, whichever phases the test has; of a plan without options, the distance of
 * stat, of which others have a multiple. */
static uint64_t shift_of(const struct weir_test *test, const struct weir_test_result *begun)
{
    const char *given = weir_test_setting(test, "nstride");
    uint64_t least = 0;

    if (given != NULL && weir_size_parse(given, &least) != 0)
        least = 0;
    for (size_t i = 0; given == NULL && i < test->phase_count; i++) {
        const struct weir_shift *shifts[] = {&test->phases[i]->shift,
                                             &test->phases[i]->names.tree_shift};

        for (int k = 0; k < 2; k++)
            if (shifts[k]->kind == WEIR_SHIFT_NODES_OR_RANKS && shifts[k]->distance > 0 &&
                (least == 0 || shifts[k]->distance < least))
                least = shifts[k]->distance;
    }
    return begun->node_count > 1 ? least * begun->ranks_per_node : least;
}

/* "2 tasks, 16 files/directories": of all tasks, in one iteration. */
static void add_sizes(struct weir_text *text, const struct weir_test *test,
                      const struct weir_test_result *begun)
{
    bool has_files = false, has_directories = false, is_shared = false;
    uint64_t items = weir_mdtest_items(test);

    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];

        if (phase->names.item == NULL)
            continue;
        is_shared = phase->names.is_shared;
        has_directories = has_directories || phase->names.is_directory;
        has_files = has_files || !phase->names.is_directory;
    }
    weir_text_add(text, "%u tasks, %llu ", begun->rank_count,
                  (unsigned long long)(is_shared ? items : items * begun->rank_count));
    if (is_shared && items == 1)
        weir_text_add(text, "file\n");
    else
        weir_text_add(text, "%s\n",
                      has_files == has_directories ? "files/directories"
                      : has_files                  ? "files"
                                                   : "directories");
}

/* Prints into `number` the value of a setting, which is the text that was typed: "1k" is 1024, and
 * of times "1m" is 60. Returns it, or the text itself where it is no number. */
static const char *number_of_setting(const char *value, bool is_time, char number[32])
{
    uint64_t amount;
    int64_t integer;

    if (value == NULL)
        return NULL;
    if (is_time && weir_time_parse(value, 1000000000, &amount) == 0)
        snprintf(number, 32, "%.15g", (double)amount / 1e9);
    else if (!is_time && weir_size_parse(value, &amount) == 0)
        snprintf(number, 32, "%" PRIu64, amount);
    else if (!is_time && weir_integer_parse(value, &integer) == 0)
        snprintf(number, 32, "%" PRId64, integer);
    else
        return value;
    return number;
}

/* The options, which mdtest prints at -v, with its numbers of lines. */
static void add_settings(struct weir_text *text, const struct weir_test *test,
                         const struct weir_test_result *begun)
{
    enum kind { TEXT, NUMBER, SECONDS, FLAG, NOT, PHASE, KIND };
    static const struct {
        unsigned line;
        const char *name, *key;
        enum kind kind;
    } lines[] = {
        {2442, "api", "api", TEXT},
        {2443, "barriers", "no-barriers", NOT},
        {2444, "collective_creates", "collective-creates", FLAG},
        {2445, "create_only", "create-only", PHASE},
        {2446, "dirpath(s):", NULL, TEXT},
        {2450, "dirs_only", "dirs-only", KIND},
        {2451, "read_bytes", "read-bytes", NUMBER},
        {2452, "read_only", "read-only", PHASE},
        {2453, "first", "first", NUMBER},
        {2454, "files_only", "files-only", KIND},
        {2458, "iterations", "iterations", NUMBER},
        {2459, "items_per_dir", "items-per-dir", NUMBER},
        {2460, "last", "last", NUMBER},
        {2461, "leaf_only", "leaf-only", FLAG},
        {2462, "items", "items", NUMBER},
        {2463, "nstride", "nstride", NUMBER},
        {2464, "pre_delay", "pre-delay", SECONDS},
        {2465, "remove_only", "remove-only", PHASE},
        {2466, "random_seed", "random-seed", NUMBER},
        {2467, "stride", "stride", NUMBER},
        {2468, "shared_file", "shared-file", FLAG},
        {2469, "time_unique_dir_overhead", "time-unique-dir-overhead", FLAG},
        {2470, "stone_wall_timer_seconds", "stone-wall-timer-seconds", SECONDS},
        {2471, "stat_only", "stat-only", PHASE},
        {2472, "unique_dir_per_task", "unique-dir-per-task", FLAG},
        {2473, "write_bytes", "write-bytes", NUMBER},
        {2474, "sync_file", "sync-file", FLAG},
        {2475, "call_sync", "call-sync", FLAG},
        {2476, "depth", "tree-depth", NUMBER},
        {2477, "make_node", "make-node", TEXT},
    };
    /* Without an option that names a phase, or a kind of item, all of them are on. */
    bool has_phase =
        weir_mdtest_is_set(test, "create-only") || weir_mdtest_is_set(test, "stat-only") ||
        weir_mdtest_is_set(test, "read-only") || weir_mdtest_is_set(test, "remove-only") ||
        weir_mdtest_is_set(test, "rename-dirs");
    bool has_kind = weir_mdtest_is_set(test, "dirs-only") != weir_mdtest_is_set(test, "files-only");
    const struct weir_target *target = test->phase_count > 0 ? test->phases[0]->target : NULL;
    size_t path_count = target != NULL && target->tree != NULL ? target->path_count : 1;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool is_on = lines[i].key != NULL && weir_mdtest_is_set(test, lines[i].key);
        const char *value = lines[i].key != NULL ? weir_test_setting(test, lines[i].key) : NULL;
        char number[32];

        weir_text_add(text, "V-1: Rank   0 Line  %u ", lines[i].line);
        if (lines[i].key == NULL) {
            weir_text_add(text, "%s\n", lines[i].name);
            for (size_t k = 0; k < path_count; k++) {
                weir_text_add(text, "V-1: Rank   0 Line  2448 \t");
                weir_text_add_visible(text, path_count > 1 ? target->paths[k]
                                                           : weir_mdtest_path(test, begun));
                weir_text_add(text, "\n");
            }
            continue;
        }
        if (lines[i].kind == NUMBER || lines[i].kind == SECONDS)
            value = number_of_setting(value, lines[i].kind == SECONDS, number);
        else if (lines[i].kind != TEXT)
            value = (lines[i].kind == NOT     ? !is_on
                     : lines[i].kind == PHASE ? is_on || !has_phase
                     : lines[i].kind == KIND  ? is_on || !has_kind
                                              : is_on)
                        ? "True"
                        : "False";
        weir_text_add(text, "%-24s: %s\n", lines[i].name, value != NULL ? value : "0");
    }
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_mdtest_layout *layout = weir_mdtest_layout_of(plan);
    const struct weir_test *test = plan->tests[begun->test];

    (void)result;
    if (begun->test == 0 && plan->output.verbosity > 0)
        add_settings(text, test, begun);

    /* Each once: numbers of tasks (-f, -l) make tests that are alike. */
    bool only_opens = has_empty_read(test);

    for (unsigned i = 0; only_opens && i < test->number; i++)
        only_opens = !has_empty_read(plan->tests[i]);
    if (only_opens && weir_mdtest_layout_of(plan)->has_read_warning)
        weir_text_add(text, "WARNING: Read bytes is 0, thus, a read test will actually just "
                            "open/close\n");
    for (size_t i = 0; i < test->remark_count; i++)
        if (!weir_notices_is_pretence(test->remarks[i]) && !weir_plan_repeats_remark(plan, test, i))
            weir_report_sentence(text, "WARNING: ", test->remarks[i]);
    if (test->rank_limit > begun->rank_count)
        weir_text_add(text,
                      "WARNING: More tasks requested (%llu) than available (%u), running on %u\n",
                      (unsigned long long)test->rank_limit, begun->rank_count, begun->rank_count);
    weir_report_room(text, "WARNING: ", begun);

    if (begun->test == 0) {
        if (layout->has_node_map_first)
            add_node_map(text, begun);
        add_place(text, layout, test, begun);
        if (layout->has_node_map && !layout->has_node_map_first)
            add_node_map(text, begun);
    }

    uint64_t shift = shift_of(test, begun);

    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->names.seed_is_given) {
            weir_text_add(text, "random seed: %llu\n",
                          (unsigned long long)test->phases[i]->names.seed);
            break;
        }
    if (shift > 0)
        weir_text_add(text, "V-0: Rank   0 Line  2594 Shifting ranks by %llu for each phase.\n",
                      (unsigned long long)shift);

    add_sizes(text, test, begun);
    if (plan->output.verbosity > 0)
        weir_text_add(text, "V-1: Rank   0 Line  2677 \n"
                            "V-1: Rank   0 Line  2678    Operation               Duration         "
                            "     Rate\n"
                            "V-1: Rank   0 Line  2679    ---------               --------         "
                            "     ----\n");
    else if (weir_mdtest_is_set(test, "print-all-procs"))
        weir_text_add(text, "\n");
    if (weir_mdtest_is_set(test, "print-all-procs"))
        weir_text_add(text, "Per process result (%s):\n",
                      weir_mdtest_is_set(test, "print-time") ? "time" : "rate");
}

/* ---- phases ---- */

/* The first phase of an iteration that is shown. */
static bool is_first(const struct weir_plan *plan, const struct weir_result *result,
                     const struct weir_phase_result *phase)
{
    for (const struct weir_phase_result *before = phase; before-- > result->phases;) {
        if (before->test != phase->test || before->repetition != phase->repetition)
            return true;
        if (weir_figures_has_row(plan, before))
            return false;
    }
    return true;
}

static void add_verbose(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_phase_result *phase)
{
    /* As mdtest 4.1 numbers its lines. */
    static const struct {
        unsigned line;
        const char *name;
    } lines[WEIR_MDTEST_ROWS] = {
        {1125, "   Directory creation"},     {1126, "   Directory stat    "},
        {1126, "   Directory read"},         {1127, "   Directory rename "},
        {1128, "   Directory removal "},     {1435, "  File creation     "},
        {1439, "  File stat         "},      {1440, "  File read         "},
        {1441, "  File removal      "},      {2139, "V-1: main:   Tree creation     "},
        {2249, "main   Tree removal      "},
    };

    struct weir_mdtest_figures figures = weir_mdtest_figures(plan, phase);
    int row = weir_mdtest_row(weir_figures_phase(plan, phase));

    if (is_first(plan, result, phase))
        weir_text_add(text, "V-1: Rank   0 Line  2063 main: * iteration %u *\n",
                      phase->repetition + 1);
    if (row < WEIR_MDTEST_ROWS)
        weir_text_add(text, "V-1: Rank   0 Line %5u %s:", lines[row].line, lines[row].name);
    else
        weir_text_add(text, "V-1: Rank   0 Line %5u    %-18s:", 0, weir_mdtest_row_name(row));
    weir_text_add(text, " %14.3f sec, %14.3f ops/sec\n", figures.all[WEIR_MDTEST_SECONDS],
                  figures.all[WEIR_MDTEST_RATE] / figures.trees);
}

/* As mdtest reports the commands around a phase. */
static void add_command(struct weir_text *text, unsigned line, const char *what,
                        const char *command)
{
    if (command == NULL)
        return;
    weir_text_add(text, "V-0: Rank   0 Line %5u calling %s: \"", line, what);
    weir_text_add_visible(text, command);
    weir_text_add(text, "\"\n");
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    uint64_t wrong = phase->mismatches.wrong_transfers;

    if (!planned || weir_mdtest_row(planned) < 0 || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    add_command(text, 253, "prologue", planned->names.command_before);
    add_command(text, 272, "epilogue", planned->names.command_after);
    if (phase->notes)
        weir_report_notes(text, phase);

    const char *name = weir_mdtest_row_name(weir_mdtest_row(planned));

    if (phase->failure[0] != '\0') {
        weir_text_add(text, "ERROR: %s, iteration %u: ", name, phase->repetition + 1);
        weir_text_add_visible(text, phase->failure);
        weir_text_add(text, "\n");
    } else if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
        weir_text_add(text, "WARNING: %s, iteration %u, %s after %llu operations\n", name,
                      phase->repetition + 1,
                      weir_figures_has_failed(phase) ? "failed" : "was interrupted",
                      (unsigned long long)phase->op_count);
    }
    if (wrong > 0)
        weir_text_add(text,
                      "ERROR: verifying the data on %s (%llu errors)! Take the performance values "
                      "with care!\n",
                      planned->verb == WEIR_READ_FILE ? "read" : "write",
                      (unsigned long long)wrong);

    if (!weir_mdtest_is_shown(plan, phase))
        return;
    if (planned->stop.has_wear_out && phase->stonewall.is_hit)
        weir_text_add(text, "Continue stonewall hit min: %llu max: %llu avg: %.1f \n\n",
                      (unsigned long long)phase->stonewall.ops_min,
                      (unsigned long long)phase->stonewall.ops_max, phase->stonewall.ops_mean);
    if (plan->output.verbosity > 0)
        add_verbose(text, plan, result, phase);
    if (phase->rows != NULL && weir_mdtest_is_set(plan->tests[phase->test], "print-all-procs")) {
        /* While the job runs: figures of all ranks are not kept for longer. */
        bool is_time = weir_mdtest_is_set(plan->tests[phase->test], "print-time");

        if (is_first(plan, result, phase))
            weir_text_add(text, "iteration: %u\n", phase->repetition);
        weir_text_add(text, "Test %s ",
                      weir_mdtest_row_name(weir_mdtest_row(weir_figures_phase(plan, phase))));
        for (unsigned rank = 0; rank < phase->rank_count; rank++) {
            double rate, seconds;

            weir_mdtest_of_rank(plan, phase, rank, &rate, &seconds);
            weir_text_add(text, "%s%e", rank > 0 ? "," : "", is_time ? seconds : rate);
        }
        weir_text_add(text, "\n");
    }
}

/* ---- the end ---- */

static bool has_table(const struct weir_plan *plan, const struct weir_result *result,
                      const struct weir_test_result *begun)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].test == begun->test && weir_figures_has_row(plan, &result->phases[i]))
            return true;
    return false;
}

static void test_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *begun)
{
    if (has_table(plan, result, begun)) {
        /* The table of rates, that of times with -Z, or both with -P. */
        struct table table = {
            .layout = weir_mdtest_layout_of(plan),
            .has_ranks = weir_mdtest_is_set(plan->tests[begun->test], "showRankStatistics"),
            .is_done = weir_mdtest_is_done(plan, result, plan->tests[begun->test])};
        bool has_both = weir_mdtest_is_set(plan->tests[begun->test], "print-rate-and-time");

        table.title = table.layout->rate_title;
        table.quantity = WEIR_MDTEST_RATE;
        if (has_both || !weir_mdtest_is_set(plan->tests[begun->test], "print-time"))
            add_table(text, &table, plan, result, plan->tests[begun->test]);
        table.title = table.layout->time_title;
        table.quantity = table.layout->has_op_times ? WEIR_MDTEST_OP_MS : WEIR_MDTEST_SECONDS;
        if (has_both || weir_mdtest_is_set(plan->tests[begun->test], "print-time"))
            add_table(text, &table, plan, result, plan->tests[begun->test]);
    }
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    const struct weir_mdtest_layout *layout = weir_mdtest_layout_of(plan);
    bool has_any = false, is_done = result->test_count == plan->test_count;

    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test *test = plan->tests[result->tests[i].test];

        has_any = has_any || has_table(plan, result, &result->tests[i]);
        is_done = is_done && weir_mdtest_is_done(plan, result, test);
    }
    /* A run that was killed has no end, nor has one that failed before it did anything. */
    if (result->finished_s <= 0.0 || (!has_any && result->exit_code != WEIR_EXIT_DONE))
        return;
    if (layout->has_gap_before_end)
        weir_text_add(text, "\n");
    /* Scripts take "finished" for success. */
    add_date(text, plan, is_done ? "finished" : "ended early", result->finished_s);
    if (layout->has_gap_after_end)
        weir_text_add(text, "\n");
}

const struct weir_reporter weir_reporter_mdtest = {
    .name = "mdtest",
    .is_text = true,
    .warning_label = "WARNING: ",
    .is_held = weir_mdtest_holds_text,
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .test_ends = test_ends,
    .end = end,
};
