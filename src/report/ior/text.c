/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's classic text of all versions. The fixed parts are byte for byte those that parsers of it
 * know. */
#include "ior.h"

#include <math.h>
#include <string.h>

/* Appends "Linux vm", and at -vv the kernel. */
static void weir_lines_machine(struct weir_text *text, const struct weir_plan *plan,
                               const struct weir_host_facts *host)
{
    struct weir_text words = {0};

    weir_words_machine(&words, plan, host);
    weir_text_add_visible(text, weir_text_string(&words));
    weir_text_close(&words);
}

void weir_lines_filesystem(struct weir_text *text, const struct weir_filesystem_facts *facts)
{
    struct weir_words_filesystem words = weir_words_filesystem(facts);

    weir_text_add(text, "%s   Used FS: %s   Inodes: %s   Used Inodes: %s", words.capacity,
                  words.used_capacity, words.inodes, words.used_inodes);
}

/* The user's remark in IOR's place for it; nothing if there is none. */
static void weir_lines_remark(struct weir_text *text, const struct weir_test *test)
{
    const char *remark = weir_words_remark(test);

    if (!remark)
        return;
    weir_text_add(text, "\n*** DEBUG MODE ***\n*** ");
    weir_text_add_visible(text, remark);
    weir_text_add(text, " ***\n");
}

/* ---- at -v, before the options ---- */

static bool says_skew(const struct weir_plan *plan)
{
    return plan->output.verbosity >= 1 && weir_ior_layout_of(plan)->has_skew;
}

static void add_skew(struct weir_text *text, double seconds)
{
    weir_text_add(text, "Start time skew across all tasks: %.2f sec\n",
                  isfinite(seconds) ? fabs(seconds) : 0.0);
}

/* At -v, of versions that have it: how far the clocks of the nodes lay apart. On several nodes that
 * is not known before the first phase, with which they are compared. */
static void weir_lines_skew_of_one_node(struct weir_text *text, const struct weir_plan *plan,
                                        const struct weir_result *result)
{
    if (says_skew(plan) && result->test_count > 0 && result->tests[0].node_count <= 1)
        add_skew(text, 0.0);
}

/* At -v, of versions that have it: how many tasks there are, and what -C takes for granted. */
static void weir_lines_tasks(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_test_result *begun)
{
    const struct weir_ior_layout *layout = weir_ior_layout_of(plan);
    struct weir_shift shift = weir_words_shift(plan->tests[begun->test]);

    if (plan->output.verbosity < 1)
        return;
    if (layout->participants)
        weir_text_add(text, "%s%u\n", layout->participants, begun->rank_count);
    if (layout->has_skew && shift.kind == WEIR_SHIFT_NODES)
        weir_text_add(text, "Using reorderTasks '-C' (expecting block, not cyclic, task "
                            "assignment)\n");
}

/* ---- over repetitions ---- */

/* The lines "Max Write" and "Max Read", and "Max Mixed" if there was such a phase, where the
 * version has them at this verbosity. */
static void weir_lines_maxima(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result, const struct weir_test *test)
{
    static const char *const words[] = {
        [WEIR_WRITE] = "Max Write: ",
        [WEIR_READ] = "Max Read:  ",
        [WEIR_MIXED] = "Max Mixed: ",
    };
    struct weir_ior_summary summary;

    if (plan->output.verbosity < 1 && !weir_ior_layout_of(plan)->has_all_maxima)
        return;
    for (enum weir_verb verb = WEIR_WRITE; verb <= WEIR_MIXED; verb++)
        if (weir_figures_summary(plan, result, test, verb, &summary))
            weir_text_add(text, "%s%.2f MiB/sec (%.2f MB/sec)\n", words[verb],
                          summary.mib_per_s.max, summary.mib_per_s.max * WEIR_MIB / 1e6);
}

/* Figures of the summary of 3.x and 4.x: four columns, each with a blank behind it. */
static void weir_lines_spread(struct weir_text *text, const struct weir_spread *spread)
{
    weir_text_add(text, "%10.2f %10.2f %10.2f %10.2f ", spread->max, spread->min, spread->mean,
                  spread->stddev);
}

/* A row for each verb of the test that has one. */
static void weir_lines_summary(struct weir_text *text, const struct weir_plan *plan,
                               const struct weir_result *result,
                               const struct weir_test_result *begun,
                               weir_lines_summary_row *add_row)
{
    const struct weir_test *test = plan->tests[begun->test];
    struct weir_ior_summary summary;

    for (enum weir_verb verb = WEIR_WRITE; verb < WEIR_VERB_COUNT; verb++)
        if (weir_figures_summary(plan, result, test, verb, &summary))
            add_row(text, plan, begun, verb, &summary);
}

static unsigned long long number(uint64_t value)
{
    return (unsigned long long)value;
}

/* ---- remarks ---- */

bool weir_notices_is_pretence(const char *remark)
{
    return weir_text_begins(remark, "Fake ");
}

static void add_remark(struct weir_text *text, const char *remark)
{
    if (!weir_notices_is_pretence(remark))
        weir_text_add(text, "WARNING: ");
    weir_text_add_visible(text, remark);
    weir_text_add(text, "\n");
}

void weir_notices_begin(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_test *first = plan->test_count > 0 ? plan->tests[0] : NULL;

    for (size_t i = 0; first && i < first->remark_count; i++)
        if (weir_notices_is_pretence(first->remarks[i]))
            add_remark(text, first->remarks[i]);
}

/* Options of the test that were changed or ignored. */
static void weir_notices_test(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_test *test)
{
    for (size_t i = 0; i < test->remark_count; i++) {
        const char *remark = test->remarks[i];

        /* Pretended nodes of all tests stand at the beginning of the report. */
        if (!weir_plan_repeats_remark(plan, test, i) &&
            (!weir_notices_is_pretence(remark) || test->number > 0))
            add_remark(text, remark);
    }
}

/* ---- before the rows ---- */

/* Findings at the start of a test: fewer ranks than asked for, files that were there already. */
static void weir_notices_begun(struct weir_text *text, const struct weir_test *test,
                               const struct weir_test_result *begun)
{
    if (test->rank_limit > begun->rank_count)
        weir_text_add(text,
                      "WARNING: More tasks requested (%llu) than available (%u), running on %u\n",
                      number(test->rank_limit), begun->rank_count, begun->rank_count);
    if (begun->existing_count != 0 && weir_test_phase(test, WEIR_WRITE)) {
        weir_text_add(text, "WARNING: The file \"");
        weir_text_add_visible(text, begun->existing_path);
        weir_text_add(text, "\" exists already and will be %s",
                      weir_words_replaces(test) ? "deleted" : "overwritten");
        if (begun->existing_count > 1)
            weir_text_add(text, " (and %llu more)", number(begun->existing_count - 1));
        weir_text_add(text, "\n");
    }
    weir_report_room(text, "WARNING: ", begun);
}

/* ---- sizes ---- */

/* A read after a write that a deadline cut expects no more than is there. IOR expects the whole. */
static uint64_t expected_by_ior(const struct weir_phase *phase,
                                const struct weir_phase_result *result)
{
    if (phase->stop.deadline_ns == 0 || phase->verb != WEIR_READ)
        return result->expected_bytes;
    return weir_layout_bytes_per_rank(&phase->transfers.layout) * result->rank_count;
}

static void add_sizes(struct weir_text *text, const struct weir_phase *phase,
                      const struct weir_phase_result *result)
{
    uint64_t expected_bytes = expected_by_ior(phase, result);

    if (result->has_differing_sizes)
        weir_text_add(text, "WARNING: inconsistent file size by different tasks\n");
    if (!weir_result_has_odd_size(result, phase->stop.minimum_ns > 0) &&
        result->byte_count >= expected_bytes)
        return;
    weir_text_add(text, "WARNING: Expected aggregate file size       = %llu\n",
                  number(expected_bytes));
    if (result->file_bytes != UINT64_MAX)
        weir_text_add(text, "WARNING: Stat() of aggregate file size      = %llu\n",
                      number(result->file_bytes));
    weir_text_add(text, "WARNING: Using actual aggregate bytes moved = %llu\n",
                  number(result->byte_count));
    if (phase->stop.deadline_ns > 0)
        weir_text_add(text, "WARNING: Maybe caused by deadlineForStonewalling\n");
}

/* Irregularities of a phase that moved data: stands before its row. */
static void weir_notices_phase(struct weir_text *text, const struct weir_plan *plan,
                               const struct weir_phase_result *result)
{
    static const char *const kinds[WEIR_OUTLIER_KINDS] = {
        [WEIR_OUTLIER_START] = "start time",
        [WEIR_OUTLIER_OPEN] = "elapsed create time",
        [WEIR_OUTLIER_TRANSFER] = "elapsed transfer time",
        [WEIR_OUTLIER_CLOSE] = "elapsed close time",
        [WEIR_OUTLIER_END] = "end time",
    };
    static const char *const calls[WEIR_VERB_COUNT] = {
        [WEIR_WRITE] = "write()",
        [WEIR_READ] = "read()",
        [WEIR_MIXED] = "read() or write()",
    };
    const struct weir_phase *phase = weir_figures_phase(plan, result);
    uint64_t wrong = result->mismatches.wrong_transfers;
    uint32_t kept =
        result->outlier_count < WEIR_OUTLIERS_KEPT ? result->outlier_count : WEIR_OUTLIERS_KEPT;

    if (!phase || !weir_verb_moves_data(phase->verb))
        return;
    if (weir_figures_has_row(plan, result) && !plan->tests[result->test]->is_dry_run)
        add_sizes(text, phase, result);
    if (weir_figures_has_row(plan, result)) {
        /* The row below it has the usual columns, and parsers take it for one of a phase that is
         * done. */
        bool is_repeated = result->byte_count > result->expected_bytes;

        if (result->outcome == WEIR_OUTCOME_PARTIAL)
            weir_text_add(text, "WARNING: %s %u %s: its row is of %llu %s %llu bytes%s\n",
                          weir_verb_name(phase->verb), result->repetition,
                          weir_figures_has_failed(result) ? "failed" : "was interrupted",
                          number(result->byte_count), is_repeated ? "bytes, the" : "of",
                          number(result->expected_bytes),
                          is_repeated ? " of the layout more than once" : "");
    }
    /* IOR has a line for each short transfer. */
    if (result->short_count > 0)
        weir_text_add(text, "WARNING: partial %s, %llu transfers came back short\n",
                      calls[phase->verb], number(result->short_count));
    for (uint32_t i = 0; i < kept; i++) {
        const struct weir_outlier *outlier = &result->outliers[i];

        weir_text_add(text, "WARNING: for ");
        weir_text_add_visible(text, outlier->host);
        weir_text_add(text, ", task %u, %s %s is %.6f (mean=%.6f, stddev=%.6f)\n", outlier->rank,
                      weir_verb_name(phase->verb), kinds[outlier->kind % WEIR_OUTLIER_KINDS],
                      outlier->value_s, outlier->mean_s, outlier->stddev_s);
    }
    if (result->outlier_count > kept)
        weir_text_add(text, "WARNING: %u more outliers are not shown\n",
                      result->outlier_count - kept);
    if (wrong == 0)
        return;
    weir_text_add(text, "WARNING: Incorrect data on %s (%llu errors found).\n",
                  phase->is_check ? "write" : "read", number(wrong));
    weir_text_add(text, "Used Time Stamp %llu (0x%llx) for Data Signature\n",
                  number(result->data_seed), number(result->data_seed));
}

/* ---- seeds of the data ---- */

/* IOR calls the seed of the data a time stamp, as it is one unless it was given. */
static void add_data_seed(struct weir_text *text, uint64_t seed)
{
    weir_text_add(text, "Using Time Stamp %llu (0x%llx) for Data Signature\n",
                  (unsigned long long)seed, (unsigned long long)seed);
}

static bool says_data_seed(const struct weir_plan *plan, const struct weir_phase *phase)
{
    return plan->output.verbosity >= 2 && phase &&
           phase->transfers.payload.mode != WEIR_PAYLOAD_NONE;
}

/* -vv: the seed of the data, if it was given. Stands before the table. */
static void weir_verbose_given_seed(struct weir_text *text, const struct weir_plan *plan,
                                    const struct weir_test *test)
{
    const struct weir_phase *phase = weir_words_data_phase(test);

    if (says_data_seed(plan, phase) && phase->transfers.payload.seed_is_given)
        add_data_seed(text, phase->transfers.payload.seed);
}

/* A seed that the run drew, or learned from the data, is not known before. */
static void add_drawn_seed(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    if (!says_data_seed(plan, planned) || planned->transfers.payload.seed_is_given)
        return;
    for (unsigned i = 0; i < result->phase_count && &result->phases[i] != phase; i++)
        if (result->phases[i].test == phase->test && weir_figures_has_row(plan, &result->phases[i]))
            return;
    add_data_seed(text, phase->data_seed);
}

/* ---- before a test ---- */

/* -vvv: memory that is taken away. -vvvv: the files with the times of single transfers. */
static void weir_verbose_test(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_test *test)
{
    if (plan->output.verbosity >= 3) {
        char size[WEIR_SIZE_TEXT_BYTES];

        if (test->hog.bytes_per_rank > 0)
            weir_text_add(text, "memory taken away by each task: %s\n",
                          weir_size_format(test->hog.bytes_per_rank, size));
        if (test->hog.bytes_per_node > 0)
            weir_text_add(text, "memory taken away on each node: %s\n",
                          weir_size_format(test->hog.bytes_per_node, size));
        if (test->hog.percent_of_node > 0)
            weir_text_add(text, "memory taken away on each node: %u%% of it\n",
                          test->hog.percent_of_node);
    }
    if (plan->output.verbosity >= 4 && !test->op_csv_prefix)
        weir_text_add(text, "single transfers are not listed here: -O savePerOpDataCSV=PREFIX "
                            "keeps them in files\n");
}

/* ---- pauses ---- */

/* The pause just before a phase in a list of steps; 0 if there is none, or no such phase. */
static uint64_t pause_before(const struct weir_step *step, const struct weir_phase *phase)
{
    uint64_t pause_ns = 0;

    for (; step; step = step->next) {
        uint64_t inner_ns = pause_before(step->body, phase);

        if (inner_ns > 0)
            return inner_ns;
        if (step->kind == WEIR_STEP_PHASE && step->phase->number == phase->number)
            return pause_ns;
        pause_ns = step->kind == WEIR_STEP_SLEEP ? step->sleep_ns : 0;
    }
    return 0;
}

/* ---- single ranks ---- */

/* The rank whose part a rank takes. False if that depends on how ranks are placed on nodes, which a
 * result does not hold. */
static bool find_owner(const struct weir_phase *planned, const struct weir_phase_result *phase,
                       unsigned rank, uint64_t *owner)
{
    const struct weir_placement placement = {
        .ranks = phase->rank_count,
        .nodes = 1,
        .ranks_per_node = phase->rank_count,
        .is_block = true,
    };
    struct weir_shift shift = planned->shift;

    if (shift.varies)
        shift.seed += phase->repetition;
    if (shift.kind != WEIR_SHIFT_NONE && phase->node_count != 1)
        return false;
    *owner = weir_shift_owner(&shift, &placement, rank);
    return true;
}

/* False if the name of the rank's file is not known: a processor package may be part of it. */
static bool find_path(const struct weir_phase *planned, const struct weir_phase_result *phase,
                      unsigned rank, char path[WEIR_PATH_BYTES])
{
    const struct weir_target *target = planned->target;
    struct weir_file_place place = {.repetition = phase->repetition};

    if (!target->is_shared && target->has_package_directory)
        return false;
    if (!target->is_shared && !find_owner(planned, phase, rank, &place.number))
        return false;
    return weir_target_path(target, &place, path) == 0;
}

static void add_files(struct weir_text *text, const struct weir_phase *planned,
                      const struct weir_phase_result *phase)
{
    static const char *const doing[WEIR_VERB_COUNT] = {
        [WEIR_WRITE] = "writing",
        [WEIR_READ] = "reading",
        [WEIR_MIXED] = "reading and writing",
        [WEIR_REMOVE] = "removing",
    };
    bool is_done_by_one = planned->verb == WEIR_REMOVE && planned->target->is_shared;
    unsigned count = is_done_by_one ? 1 : phase->rank_count;
    char path[WEIR_PATH_BYTES];

    for (unsigned rank = 0; rank < count; rank++) {
        if (!find_path(planned, phase, rank, path))
            return;
        weir_text_add(text, "task %u %s ", rank, doing[planned->verb]);
        weir_text_add_visible(text, path);
        weir_text_add(text, "\n");
    }
}

/* ---- phases ---- */

/* Writes and reads that have a row. */
static void add_data_phase(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_phase *planned,
                           const struct weir_phase_result *phase)
{
    int verbosity = plan->output.verbosity;
    const struct weir_ior_layout *layout = weir_ior_layout_of(plan);
    const char *verb = weir_verb_name(planned->verb);
    char date[WEIR_DATE_BYTES];

    if (verbosity >= 1) {
        uint64_t pause_ns = pause_before(plan->tests[phase->test]->steps, planned);

        if (pause_ns > 0)
            weir_text_add(text, "delay before the %s phase: %.15g s\n",
                          weir_verb_name(planned->verb), (double)pause_ns / 1e9);
    }
    if (verbosity >= 3 && phase->rows)
        add_files(text, planned, phase);
    if (plan->output.verbosity >= layout->commencing_verbosity) {
        weir_date_format(phase->begun_s, date);
        if (layout->commencing == WEIR_COMMENCING_BLOCK)
            weir_text_add(text, "\nCommencing %s performance test.\n%s\n", verb, date);
        if (layout->commencing == WEIR_COMMENCING_LINE)
            weir_text_add(text, "Commencing %s performance test: %s\n%s", verb, date,
                          layout->has_gap_before_reads && planned->verb == WEIR_READ ? "\n" : "");
    }
    add_drawn_seed(text, plan, result, phase);
    if (verbosity >= 2 && planned->shift.kind == WEIR_SHIFT_RANDOM) {
        /* IOR's random shift lets some data be read several times and some never; ours is a
         * permutation. */
        weir_text_add(text, "#File Hits Dist: 0 %u\n", phase->rank_count);
    }
    if (verbosity >= 3 && phase->rows) {
        static const char *const events[WEIR_STAMP_COUNT] = {
            [WEIR_STAMP_OPEN_START] = "open start",   [WEIR_STAMP_OPEN_STOP] = "open stop",
            [WEIR_STAMP_MOVE_START] = "start",        [WEIR_STAMP_MOVE_STOP] = "stop",
            [WEIR_STAMP_CLOSE_START] = "close start", [WEIR_STAMP_CLOSE_STOP] = "close stop",
        };

        for (unsigned k = 0; k < phase->rank_count; k++)
            for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
                weir_text_add(text, "Test %u: Iter=%u, Task=%u, Time=%.6f, %s %s\n", phase->test,
                              phase->repetition, k,
                              phase->begun_s + (double)phase->rows[k].stamps_ns[i] / 1e9,
                              weir_verb_name(planned->verb), events[i]);
    }
    if (verbosity >= 1 && phase->rows && weir_figures_has_wear_out(plan, phase)) {
        for (unsigned rank = 0; rank < phase->rank_count; rank++)
            weir_text_add(text, "%u: stonewalling pairs accessed: %llu\n", rank,
                          (unsigned long long)phase->rows[rank].stonewall_ops);
    }
}

/* The columns that 3.3 added. */
static bool has_rates(const struct weir_plan *plan)
{
    return weir_ior_layout_of(plan)->table_columns == 11;
}

static bool has_table(const struct weir_plan *plan)
{
    return weir_ior_layout_of(plan)->table_columns > 0;
}

/* The names of the columns, after an empty line; nothing for a version without a table. */
static void weir_rows_head(struct weir_text *text, const struct weir_plan *plan)
{
    if (!has_table(plan))
        return;
    weir_text_add(text,
                  "\naccess    bw(MiB/s)  %sblock(KiB) xfer(KiB)  open(s)    wr/rd(s)   "
                  "close(s)   total(s)   iter\n",
                  has_rates(plan) ? "IOPS       Latency(s)  " : "");
    weir_text_add(text,
                  "------    ---------  %s---------- ---------  --------   --------   "
                  "--------   --------   ----\n",
                  has_rates(plan) ? "----       ----------  " : "");
}

/* ---- rows ---- */

/* IOR's rule: about six digits in a column of ten. */
static void add_cell(struct weir_text *text, double value, const char *separator)
{
    int digits = value < 1.0 ? 6 : value < 3600.0 ? 2 : 0;

    weir_text_add(text, "%-10.*f%s", digits, value, separator);
}

/* Everything that is printed of a phase. As phase_done of struct weir_reporter. */
static void weir_rows_phase(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    bool has_row = weir_figures_has_row(plan, phase);
    bool is_verbose = plan->output.verbosity > 0;

    if (!planned || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (says_skew(plan) && phase == &result->phases[0] && result->tests[0].node_count > 1)
        add_skew(text, phase->clock.is_cross_node ? phase->clock.offset_s : 0.0);
    if (planned->is_check && is_verbose) {
        char date[WEIR_DATE_BYTES];

        weir_text_add(text, "Verifying contents of the file(s) just written.\n%s\n\n",
                      weir_date_format(phase->begun_s, date));
    }
    /* The lines before the row of a phase: pauses and stonewalls of single ranks (-v), a seed that
     * was drawn and how often data is read (-vv), stamps of single ranks (-vvv). Lines of single
     * ranks are printed only while the job runs: the result file does not have them. */
    if (weir_figures_has_row(plan, phase))
        add_data_phase(text, plan, result, planned, phase);
    else if (planned->is_prefill && plan->output.verbosity >= 2)
        weir_text_add(text, "prefill: %llu bytes in %.6f s\n",
                      (unsigned long long)phase->byte_count, phase->windows.total_s);
    else if (planned->verb == WEIR_REMOVE && plan->output.verbosity >= 3 && phase->rows)
        add_files(text, planned, phase);
    if (phase->notes)
        weir_report_notes(text, phase);
    if (has_row && weir_figures_has_wear_out(plan, phase))
        weir_text_add(text,
                      "stonewalling pairs accessed min: %llu max: %llu -- min data: %.1f GiB "
                      "mean data: %.1f GiB time: %.1fs\n",
                      (unsigned long long)phase->stonewall.ops_min,
                      (unsigned long long)phase->stonewall.ops_max,
                      (double)phase->stonewall.bytes_min / WEIR_GIB,
                      phase->stonewall.bytes_mean / WEIR_GIB, phase->stonewall.seconds);
    weir_notices_phase(text, plan, phase);
    if (has_row && has_table(plan)) {
        struct weir_ior_row row = weir_figures_row(plan, phase);

        weir_text_add(text, "%-10s", row.access);
        add_cell(text, row.mib_per_s, " ");
        if (has_rates(plan)) {
            add_cell(text, row.ops_per_s, " ");
            add_cell(text, row.latency_s, "  ");
        }
        add_cell(text, row.block_kib, " ");
        add_cell(text, row.transfer_kib, " ");
        add_cell(text, row.windows.open_s, " ");
        add_cell(text, row.windows.transfer_s, " ");
        add_cell(text, row.windows.close_s, " ");
        add_cell(text, row.windows.total_s, " ");
        weir_text_add(text, "%-4u\n", phase->repetition);
    }
    if (planned->verb == WEIR_REMOVE && has_table(plan) &&
        (is_verbose || weir_ior_layout_of(plan)->has_all_removals)) {
        weir_text_add(text,
                      "remove    -          %s-          -          -          -          -"
                      "          ",
                      has_rates(plan) ? "-          -           " : "");
        add_cell(text, phase->windows.total_s, " ");
        weir_text_add(text, "%-4u\n", phase->repetition);
    }
}

/* ---- after the rows ---- */

/* The number of transfers that a deadline with wear-out made of the last write of the test. */
static void weir_rows_pairs(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result, const struct weir_test_result *test)
{
    for (unsigned i = result->phase_count; i-- > 0;) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->test != test->test || !weir_figures_has_row(plan, phase) ||
            weir_figures_phase(plan, phase)->verb != WEIR_WRITE)
            continue;
        if (weir_figures_has_wear_out(plan, phase) &&
            !weir_figures_phase(plan, phase)->stop.status_path)
            weir_text_add(text, "Pairs deadlineForStonewallingaccessed: %llu\n",
                          (unsigned long long)phase->stonewall.ops_max);
        return;
    }
}

/* ---- 2.10, with one table at the end of a test, and 3.0, with a row for each phase ---- */

static void add_old_date(struct weir_text *text, const char *key, double seconds)
{
    char date[WEIR_DATE_BYTES];

    weir_text_add(text, "%s: %s\n", key, weir_date_format(seconds, date));
}

static void add_head(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result, const char *date_key)
{
    char version[WEIR_REPORT_VERSION_BYTES];

    weir_notices_begin(text, plan);
    weir_text_add(text, "IOR-%s: MPI Coordinated Test of Parallel I/O\n\n",
                  weir_words_version(plan, version));
    add_old_date(text, date_key, result->begun_s);
    weir_text_add(text, "Command line used: ");
    weir_text_add_visible(text, plan->command_line);
    weir_text_add(text, "\nMachine: ");
    weir_lines_machine(text, plan, &result->host);
    weir_text_add(text, "\n");
    weir_lines_skew_of_one_node(text, plan, result);
}

/* Where the files are, and the ranks that work on them: at -v. */
static void add_place(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_test_result *begun)
{
    struct weir_text path = {0};

    if (plan->output.verbosity < 1)
        return;
    weir_words_path(&path, plan, begun);
    weir_text_add(text, "Path: ");
    weir_text_add_visible(text, weir_text_string(&path));
    weir_text_add(text, "\nFS: ");
    weir_lines_filesystem(text, &begun->filesystem);
    weir_text_add(text, "\n");
    weir_lines_tasks(text, plan, begun);
    weir_text_close(&path);
}

/* ---- the options ---- */

static void add_old_key(struct weir_text *text, const char *key)
{
    weir_text_add(text, "\t%-19s= ", key);
}

static void add_old_line(struct weir_text *text, const char *key, const char *value)
{
    add_old_key(text, key);
    weir_text_add_visible(text, value);
    weir_text_add(text, "\n");
}

static void add_size(struct weir_text *text, const char *key, uint64_t bytes)
{
    char size[WEIR_SIZE_TEXT_BYTES];

    add_old_line(text, key, weir_size_format(bytes, size));
}

/* 2.10 leaves out the blank behind the sign where there is an offset. */
static void add_shift(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_shift *shift)
{
    bool is_2_10 = weir_ior_layout_of(plan)->release == WEIR_IOR_2_10;

    weir_text_add(text, "\tordering inter file=");
    if (shift->kind == WEIR_SHIFT_NONE) {
        weir_text_add(text, " no tasks offsets\n");
        return;
    }
    weir_text_add(text, "%s%s task offsets = %llu", is_2_10 ? "" : " ",
                  shift->kind == WEIR_SHIFT_NODES ? "constant" : "random",
                  (unsigned long long)shift->distance);
    if (shift->kind != WEIR_SHIFT_NODES)
        weir_text_add(text, ", seed=%lld", (long long)weir_words_shift_seed(shift));
    weir_text_add(text, "\n");
}

static void add_options(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);
    struct weir_text name = {0};

    weir_text_add(text, "Summary:\n");
    if (!phase)
        return;

    const char *version = test->is_dry_run ? "" : test->backend->version;

    weir_words_file_name(&name, test);
    add_old_key(text, "api");
    weir_text_add(text, "%s%s%s\n", test->label, *version ? " " : "", version);
    add_old_line(text, "test filename", weir_text_string(&name));
    add_old_key(text, "access");
    weir_text_add(text, "%s%s\n",
                  phase->target->is_shared ? "single-shared-file" : "file-per-process",
                  phase->transfers.is_collective ? ", collective" : "");
    weir_text_close(&name);

    if (plan->output.verbosity > 0) {
        add_old_key(text, "pattern");
        if (phase->transfers.layout.segment_count == 1)
            weir_text_add(text, "segmented (1 segment)\n");
        else
            weir_text_add(text, "strided (%llu segments)\n",
                          (unsigned long long)phase->transfers.layout.segment_count);
    }
    add_old_line(text, "ordering in a file",
                 phase->transfers.layout.order == WEIR_ORDER_SEQUENTIAL ? "sequential offsets"
                                                                        : "random offsets");
    add_shift(text, plan, &shift);
    add_old_key(text, "clients");
    weir_text_add(text, "%u (%u per node)\n", begun->rank_count, begun->ranks_per_node);
    if (test->hog.bytes_per_rank > 0)
        add_size(text, "memoryPerTask", test->hog.bytes_per_rank);
    if (test->hog.bytes_per_node > 0)
        add_size(text, "memoryPerNode", test->hog.bytes_per_node);
    if (test->hog.percent_of_node > 0) {
        add_old_key(text, "memoryPerNode");
        weir_text_add(text, "%u%%\n", test->hog.percent_of_node);
    }
    add_old_key(text, "repetitions");
    weir_text_add(text, "%llu\n", (unsigned long long)test->repetitions);
    add_size(text, "xfersize", phase->transfers.layout.transfer_bytes);
    add_size(text, "blocksize", phase->transfers.layout.block_bytes);
    add_size(text, "aggregate filesize",
             weir_layout_bytes_per_rank(&phase->transfers.layout) * begun->rank_count);
    if (test->is_dry_run)
        add_old_line(text, "dryRun", "1");
    if (phase->stop.deadline_ns == 0)
        return;
    add_old_key(text, "stonewallingTime");
    weir_text_add(text, "%.15g\n", (double)phase->stop.deadline_ns / 1e9);
    add_old_line(text, "stoneWallingWearOut", phase->stop.has_wear_out ? "1" : "0");
}

/* From the options on, all that stands before the first phase. */
static void add_test(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];

    add_options(text, plan, begun);
    weir_verbose_given_seed(text, plan, test);
    weir_verbose_test(text, plan, test);
    weir_notices_begun(text, test, begun);
    weir_rows_head(text, plan);
}

/* ---- what a summary repeats of a test ---- */

/* With a blank behind it. */
static void add_repeated(struct weir_text *text, const struct weir_test *test,
                         const struct weir_test_result *begun,
                         const struct weir_ior_summary *summary)
{
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);

    weir_text_add(text, "%u %u %llu %d ", begun->rank_count, begun->ranks_per_node,
                  (unsigned long long)summary->repetitions, !phase->target->is_shared);
    weir_text_add(text, "%d %llu %u %lld ", shift.kind == WEIR_SHIFT_NODES,
                  (unsigned long long)shift.distance, weir_words_random_shift_count(&shift),
                  (long long)weir_words_shift_seed(&shift));
    weir_text_add(text, "%llu %llu %llu %llu ",
                  (unsigned long long)phase->transfers.layout.segment_count,
                  (unsigned long long)phase->transfers.layout.block_bytes,
                  (unsigned long long)phase->transfers.layout.transfer_bytes,
                  (unsigned long long)summary->first_bytes);
}

/* ---- 3.0 ---- */

static void begin_3_0(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result)
{
    add_head(text, plan, result, "Began");
}

static void test_begins_3_0(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result, const struct weir_test_result *begun)
{
    char date[WEIR_DATE_BYTES];

    (void)result;
    weir_text_add(text, "\n");
    weir_notices_test(text, plan, plan->tests[begun->test]);
    weir_text_add(text, "Test %u started: %s\n", begun->test,
                  weir_date_format(begun->begun_s, date));
    add_place(text, plan, begun);
    weir_lines_remark(text, plan->tests[begun->test]);
    add_test(text, plan, begun);
}

static void test_ends_3_0(struct weir_text *text, const struct weir_plan *plan,
                          const struct weir_result *result, const struct weir_test_result *begun)
{
    weir_rows_pairs(text, plan, result, begun);
    weir_text_add(text, "\n");
    weir_lines_maxima(text, plan, result, plan->tests[begun->test]);
}

static void add_row_3_0(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_test_result *begun, enum weir_verb verb,
                        const struct weir_ior_summary *summary)
{
    const struct weir_test *test = plan->tests[begun->test];

    weir_text_add(text, "%-9s ", weir_verb_name(verb));
    weir_lines_spread(text, &summary->mib_per_s);
    weir_text_add(text, "%10.5f %u ", summary->mean_s, test->number);
    add_repeated(text, test, begun, summary);
    weir_text_add(text, "%s %lld\n", test->label, (long long)test->reference);
}

static void end_3_0(struct weir_text *text, const struct weir_plan *plan,
                    const struct weir_result *result)
{
    if (!weir_figures_has_end(plan, result))
        return;
    weir_text_add(text, "\nSummary of all tests:\n"
                        "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s) Test# "
                        "#Tasks tPN reps fPP reord reordoff reordrand seed segcnt blksiz xsize "
                        "aggsize API RefNum\n");
    for (unsigned i = 0; i < result->test_count; i++)
        weir_lines_summary(text, plan, result, &result->tests[i], add_row_3_0);
    weir_text_add(text, "\n");
    add_old_date(text, "Finished", result->finished_s);
}

static const struct weir_reporter weir_ior_old_3_0 = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .begin = begin_3_0,
    .test_begins = test_begins_3_0,
    .phase_done = weir_rows_phase,
    .test_ends = test_ends_3_0,
    .end = end_3_0,
};

/* ---- 2.10 ---- */

static void begin_2_10(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    add_head(text, plan, result, "Run began");
}

static void test_begins_2_10(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result, const struct weir_test_result *begun)
{
    (void)result;
    if (begun->test > 0 && plan->output.verbosity > 0)
        weir_text_add(text, "\n");
    weir_notices_test(text, plan, plan->tests[begun->test]);
    add_place(text, plan, begun);
    weir_lines_remark(text, plan->tests[begun->test]);
    weir_text_add(text, "\n");
    add_test(text, plan, begun);
}

/* As 2.10 counts operations: those of one segment. */
static struct weir_spread per_segment(const struct weir_spread *spread, uint64_t segments)
{
    double share = segments > 0 ? 1.0 / (double)segments : 0.0;

    return (struct weir_spread){
        .max = spread->max * share,
        .min = spread->min * share,
        .mean = spread->mean * share,
        .stddev = spread->stddev * share,
    };
}

static void add_spread_2_10(struct weir_text *text, const struct weir_spread *spread)
{
    weir_text_add(text, " %10.2f %10.2f  %10.2f %9.2f", spread->max, spread->min, spread->mean,
                  spread->stddev);
}

/* Without a given number this is -1, and 0 in all later versions. */
static long long reference_2_10(const struct weir_test *test)
{
    return test->reference != 0 ? (long long)test->reference : -1;
}

static void add_row_2_10(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_test_result *begun, enum weir_verb verb,
                         const struct weir_ior_summary *summary)
{
    const struct weir_test *test = plan->tests[begun->test];
    uint64_t segments = weir_words_data_phase(test)->transfers.layout.segment_count;
    struct weir_spread ops_per_s = per_segment(&summary->ops_per_s, segments);

    weir_text_add(text, "%-9s", weir_verb_name(verb));
    add_spread_2_10(text, &summary->mib_per_s);
    add_spread_2_10(text, &ops_per_s);
    weir_text_add(text, " %9.5f   ", summary->mean_s);
    if (plan->output.verbosity > 0) {
        add_repeated(text, test, begun, summary);
        weir_text_add(text, "%lld %s ", reference_2_10(test), test->label);
    }
    weir_text_add(text, "EXCEL\n");
}

static void test_ends_2_10(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test_result *begun)
{
    weir_rows_pairs(text, plan, result, begun);
    weir_text_add(text, "\nOperation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)  "
                        "Min (OPs)  Mean (OPs)   Std Dev  Mean (s)  ");
    if (plan->output.verbosity > 0)
        weir_text_add(text, "Op grep #Tasks tPN reps  fPP reord reordoff reordrand seed segcnt "
                            "blksiz xsize aggsize\n");
    weir_text_add(text, "\n---------  ---------  ---------  ----------   -------  ---------  "
                        "---------  ----------   -------  --------\n");
    weir_lines_summary(text, plan, result, begun, add_row_2_10);
    weir_text_add(text, "\n");
    weir_lines_maxima(text, plan, result, plan->tests[begun->test]);
}

static void end_2_10(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result)
{
    (void)plan;
    weir_text_add(text, "\n");
    if (weir_figures_has_end(plan, result))
        add_old_date(text, "Run finished", result->finished_s);
}

static const struct weir_reporter weir_ior_old_2_10 = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .begin = begin_2_10,
    .test_begins = test_begins_2_10,
    .phase_done = weir_rows_phase,
    .test_ends = test_ends_2_10,
    .end = end_2_10,
};

/* ---- 3.2 and later ---- */

static void add_key(struct weir_text *text, const char *key)
{
    weir_text_add(text, "%-20s: ", key);
}

static void add_line(struct weir_text *text, const char *key, const char *value)
{
    add_key(text, key);
    weir_text_add_visible(text, value);
    weir_text_add(text, "\n");
}

static void add_date(struct weir_text *text, const char *key, double seconds)
{
    char date[WEIR_DATE_BYTES];

    add_line(text, key, weir_date_format(seconds, date));
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    char version[WEIR_REPORT_VERSION_BYTES];

    weir_notices_begin(text, plan);
    weir_text_add(text, "IOR-%s: MPI Coordinated Test of Parallel I/O\n",
                  weir_words_version(plan, version));
    add_date(text, "Began", result->begun_s);
    add_line(text, "Command line", plan->command_line);
    add_key(text, "Machine");
    weir_lines_machine(text, plan, &result->host);
    weir_text_add(text, "\n");
    weir_lines_skew_of_one_node(text, plan, result);
}

/* ---- tests ---- */

static void say_text(void *context, const char *key, const char *value)
{
    add_line(context, key, value);
}

static void say_number(void *context, const char *key, double value)
{
    add_key(context, key);
    weir_text_add(context, "%.15g\n", value);
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    struct weir_text path = {0};

    if (begun->test > 0)
        weir_text_add(text, "\n");
    weir_notices_test(text, plan, test);
    weir_text_add(text, "%-20s: %u\n", "TestID", begun->test);
    add_date(text, "StartTime", begun->begun_s);
    weir_words_path(&path, plan, begun);
    add_line(text, "Path", weir_text_string(&path));
    weir_text_close(&path);
    add_key(text, "FS");
    weir_lines_filesystem(text, &begun->filesystem);
    weir_text_add(text, "\n");
    weir_lines_tasks(text, plan, begun);
    weir_lines_remark(text, test);

    const struct weir_words_listener listener = {
        .context = text,
        .text = say_text,
        .number = say_number,
    };

    if (plan->output.verbosity >= 3) {
        weir_text_add(text, "\nParameters: \n");
        weir_parameters_say(&listener, plan, result, begun);
    }
    weir_text_add(text, "\nOptions: \n");
    weir_words_options(&listener, plan, plan->tests[begun->test], begun);

    weir_text_add(text, "\nResults: \n");
    weir_verbose_given_seed(text, plan, test);
    weir_verbose_test(text, plan, test);
    weir_notices_begun(text, test, begun);
    weir_rows_head(text, plan);
}

/* ---- the summary ---- */

static void add_summary_head(struct weir_text *text, const struct weir_ior_layout *layout)
{
    weir_text_add(text,
                  "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  "
                  "Mean(OPs)     StdDev    Mean(s) %sTest# #Tasks tPN reps fPP reord reordoff "
                  "reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum\n",
                  layout->has_stonewall ? "Stonewall(s) Stonewall(MiB) " : "");
}

static void add_summary_figures(struct weir_text *text, const struct weir_ior_layout *layout,
                                const struct weir_ior_summary *summary)
{
    weir_lines_spread(text, &summary->mib_per_s);
    weir_lines_spread(text, &summary->ops_per_s);
    weir_text_add(text, "%10.5f ", summary->mean_s);
    if (!layout->has_stonewall)
        return;
    if (summary->has_stonewall)
        weir_text_add(text, "%10.2f %13.2f ", summary->stonewall_s, summary->stonewall_mib_per_s);
    else
        weir_text_add(text, "%10s %13s ", "NA", "NA");
}

static void add_summary_row(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_test_result *begun, enum weir_verb verb,
                            const struct weir_ior_summary *summary)
{
    const struct weir_test *test = plan->tests[begun->test];
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);

    weir_text_add(text, "%-9s ", weir_verb_name(verb));
    add_summary_figures(text, weir_ior_layout_of(plan), summary);
    weir_text_add(text, "%5u %6u %3u %4llu %3d ", test->number, begun->rank_count,
                  begun->ranks_per_node, (unsigned long long)summary->repetitions,
                  !phase->target->is_shared);
    weir_text_add(text, "%5d %8llu %9u %4lld ", shift.kind == WEIR_SHIFT_NODES,
                  (unsigned long long)shift.distance, weir_words_random_shift_count(&shift),
                  (long long)weir_words_shift_seed(&shift));
    weir_text_add(text, "%6llu %8llu %8llu %9.1f %3s %6lld\n",
                  (unsigned long long)phase->transfers.layout.segment_count,
                  (unsigned long long)phase->transfers.layout.block_bytes,
                  (unsigned long long)phase->transfers.layout.transfer_bytes,
                  (double)summary->first_bytes / WEIR_MIB, test->label, (long long)test->reference);
}

static void test_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const char *summary_always = weir_test_setting(test, "summaryAlways");

    weir_rows_pairs(text, plan, result, begun);
    weir_lines_maxima(text, plan, result, test);
    /* IOR does so at -v alone. */
    if (plan->output.verbosity == 0 || !summary_always || strcmp(summary_always, "0") == 0)
        return;
    weir_text_add(text, "\n");
    add_summary_head(text, weir_ior_layout_of(plan));
    weir_lines_summary(text, plan, result, begun, add_summary_row);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    if (!weir_figures_has_end(plan, result))
        return;
    weir_text_add(text, "\nSummary of all tests:\n");
    add_summary_head(text, weir_ior_layout_of(plan));
    for (unsigned i = 0; i < result->test_count; i++)
        weir_lines_summary(text, plan, result, &result->tests[i], add_summary_row);
    add_date(text, "Finished", result->finished_s);
}

static const struct weir_reporter of_3_2_and_later = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .is_held = weir_ior_holds_text,
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = weir_rows_phase,
    .test_ends = test_ends,
    .end = end,
};

static const struct weir_reporter *in_style(const char *style)
{
    switch (weir_ior_layout_find(style)->release) {
    case WEIR_IOR_2_10:
        return &weir_ior_old_2_10;
    case WEIR_IOR_3_0:
        return &weir_ior_old_3_0;
    default:
        return &of_3_2_and_later;
    }
}

const struct weir_reporter weir_reporter_ior = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .is_held = weir_ior_holds_text,
    .in_style = in_style,
};
