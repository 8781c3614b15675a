/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's classic text of 2.10, with one table at the end of a test, and of 3.0, with a row for each
 * phase. Both print a test's options in a block "Summary". */
#include "ior.h"

/* ---- the head ---- */

static void add_date(struct weir_text *text, const char *key, double seconds)
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
    add_date(text, date_key, result->begun_s);
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

static void add_key(struct weir_text *text, const char *key)
{
    weir_text_add(text, "\t%-19s= ", key);
}

static void add_line(struct weir_text *text, const char *key, const char *value)
{
    add_key(text, key);
    weir_text_add_visible(text, value);
    weir_text_add(text, "\n");
}

static void add_size(struct weir_text *text, const char *key, uint64_t bytes)
{
    char size[WEIR_SIZE_TEXT_BYTES];

    add_line(text, key, weir_size_format(bytes, size));
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
    add_key(text, "api");
    weir_text_add(text, "%s%s%s\n", test->label, *version ? " " : "", version);
    add_line(text, "test filename", weir_text_string(&name));
    add_key(text, "access");
    weir_text_add(text, "%s%s\n",
                  phase->target->is_shared ? "single-shared-file" : "file-per-process",
                  phase->transfers.is_collective ? ", collective" : "");
    weir_text_close(&name);

    if (plan->output.verbosity > 0) {
        add_key(text, "pattern");
        if (phase->transfers.layout.segment_count == 1)
            weir_text_add(text, "segmented (1 segment)\n");
        else
            weir_text_add(text, "strided (%llu segments)\n",
                          (unsigned long long)phase->transfers.layout.segment_count);
    }
    add_line(text, "ordering in a file",
             phase->transfers.layout.order == WEIR_ORDER_SEQUENTIAL ? "sequential offsets"
                                                                    : "random offsets");
    add_shift(text, plan, &shift);
    add_key(text, "clients");
    weir_text_add(text, "%u (%u per node)\n", begun->rank_count, begun->ranks_per_node);
    if (test->hog.bytes_per_rank > 0)
        add_size(text, "memoryPerTask", test->hog.bytes_per_rank);
    if (test->hog.bytes_per_node > 0)
        add_size(text, "memoryPerNode", test->hog.bytes_per_node);
    if (test->hog.percent_of_node > 0) {
        add_key(text, "memoryPerNode");
        weir_text_add(text, "%u%%\n", test->hog.percent_of_node);
    }
    add_key(text, "repetitions");
    weir_text_add(text, "%llu\n", (unsigned long long)test->repetitions);
    add_size(text, "xfersize", phase->transfers.layout.transfer_bytes);
    add_size(text, "blocksize", phase->transfers.layout.block_bytes);
    add_size(text, "aggregate filesize",
             weir_layout_bytes_per_rank(&phase->transfers.layout) * begun->rank_count);
    if (test->is_dry_run)
        add_line(text, "dryRun", "1");
    if (phase->stop.deadline_ns == 0)
        return;
    add_key(text, "stonewallingTime");
    weir_text_add(text, "%.15g\n", (double)phase->stop.deadline_ns / 1e9);
    add_line(text, "stoneWallingWearOut", phase->stop.has_wear_out ? "1" : "0");
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
    add_date(text, "Finished", result->finished_s);
}

const struct weir_reporter weir_ior_old_3_0 = {
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
        add_date(text, "Run finished", result->finished_s);
}

const struct weir_reporter weir_ior_old_2_10 = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .begin = begin_2_10,
    .test_begins = test_begins_2_10,
    .phase_done = weir_rows_phase,
    .test_ends = test_ends_2_10,
    .end = end_2_10,
};
