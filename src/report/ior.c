/* SPDX-License-Identifier: Apache-2.0 */
/* IOR 4.x's classic text. The fixed parts are byte for byte those that parsers of it know. */
#include "dates.h"
#include "ior_figures.h"
#include "ior_words.h"
#include "reporters.h"

#include <ctype.h>
#include <string.h>

/* ---- lines of the head ---- */

/* A line end inside of a name must not make up a line of results. */
static void add_name(struct weir_text *text, const char *name)
{
    for (const char *byte = name; *byte; byte++)
        weir_text_add_bytes(text, iscntrl((unsigned char)*byte) ? "?" : byte, 1);
}

static void add_line(struct weir_text *text, const char *key, const char *value)
{
    weir_text_add(text, "%-20s: ", key);
    add_name(text, value);
    weir_text_add(text, "\n");
}

static void add_date(struct weir_text *text, const char *key, double seconds)
{
    char date[WEIR_DATE_BYTES];

    add_line(text, key, weir_date_format(seconds, date));
}

static void add_machine(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_host_facts *host)
{
    weir_text_add(text, "%-20s: %s %s", "Machine", host->system, host->node);
    if (plan->output.verbosity >= 2)
        weir_text_add(text, " %s %s %s", host->release, host->version, host->machine);
    weir_text_add(text, "\n");
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    weir_text_add(text, "IOR-%s: MPI Coordinated Test of Parallel I/O\n", weir_ior_version);
    add_date(text, "Began", result->begun_s);
    add_line(text, "Command line", plan->command_line);
    add_machine(text, plan, &result->host);
}

static void add_option_text(void *context, const char *key, const char *value)
{
    add_line(context, key, value);
}

static void add_option_number(void *context, const char *key, double value)
{
    weir_text_add(context, "%-20s: %.15g\n", key, value);
}

static void add_filesystem(struct weir_text *text, const struct weir_filesystem_facts *facts)
{
    struct weir_words_filesystem words = weir_words_filesystem(facts);

    weir_text_add(text, "%-20s: %s   Used FS: %s   Inodes: %s   Used Inodes: %s\n", "FS",
                  words.capacity, words.used_capacity, words.inodes, words.used_inodes);
}

/* IOR's place for a remark of the user. */
static void add_remark(struct weir_text *text, const char *remark)
{
    weir_text_add(text, "\n*** DEBUG MODE ***\n*** ");
    add_name(text, remark);
    weir_text_add(text, " ***\n");
}

/* IOR calls the seed of the data a time stamp, as it is one unless it was given. */
static void add_data_seed(struct weir_text *text, uint64_t seed)
{
    weir_text_add(text, "Using Time Stamp %llu (0x%llx) for Data Signature\n",
                  (unsigned long long)seed, (unsigned long long)seed);
}

static bool says_data_seed(const struct weir_plan *plan, const struct weir_phase *phase)
{
    return plan->output.verbosity >= 2 && phase && phase->payload.mode != WEIR_PAYLOAD_NONE;
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *test)
{
    const struct weir_words_listener listener = {
        .context = text,
        .text = add_option_text,
        .number = add_option_number,
    };

    const struct weir_test *planned = plan->tests[test->test];
    const struct weir_phase *phase = weir_words_data_phase(planned);
    const char *remark = weir_words_remark(planned);

    (void)result;
    if (test->test > 0)
        weir_text_add(text, "\n");
    weir_text_add(text, "%-20s: %u\n", "TestID", test->test);
    add_date(text, "StartTime", test->begun_s);
    add_line(text, "Path", test->path);
    add_filesystem(text, &test->filesystem);
    if (remark)
        add_remark(text, remark);
    weir_text_add(text, "\nOptions: \n");
    weir_words_options(&listener, plan, planned, test);
    weir_text_add(text, "\nResults: \n");
    if (says_data_seed(plan, phase) && phase->payload.seed_is_given)
        add_data_seed(text, phase->payload.seed);
    weir_text_add(text,
                  "\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    "
                  "wr/rd(s)   close(s)   total(s)   iter\n"
                  "------    ---------  ----       ----------  ---------- ---------  --------   "
                  "--------   --------   --------   ----\n");
}

/* ---- rows ---- */

/* IOR's rule: about six digits in a column of ten. */
static void add_cell(struct weir_text *text, double value, const char *separator)
{
    int digits = value < 1.0 ? 6 : value < 3600.0 ? 2 : 0;

    weir_text_add(text, "%-10.*f%s", digits, value, separator);
}

static void add_data_row(struct weir_text *text, const struct weir_ior_row *row,
                         unsigned repetition)
{
    weir_text_add(text, "%-10s", row->access);
    add_cell(text, row->mib_per_s, " ");
    add_cell(text, row->ops_per_s, " ");
    add_cell(text, row->latency_s, "  ");
    add_cell(text, row->block_kib, " ");
    add_cell(text, row->transfer_kib, " ");
    add_cell(text, row->windows.open_s, " ");
    add_cell(text, row->windows.transfer_s, " ");
    add_cell(text, row->windows.close_s, " ");
    add_cell(text, row->windows.total_s, " ");
    weir_text_add(text, "%-4u\n", repetition);
}

static void add_remove_row(struct weir_text *text, double total_s, unsigned repetition)
{
    weir_text_add(text, "remove    -          -          -           -          -          -"
                        "          -          -          ");
    add_cell(text, total_s, " ");
    weir_text_add(text, "%-4u\n", repetition);
}

static void add_stonewall(struct weir_text *text, const struct weir_stonewall *stonewall)
{
    weir_text_add(text,
                  "stonewalling pairs accessed min: %llu max: %llu -- min data: %.1f GiB "
                  "mean data: %.1f GiB time: %.1fs\n",
                  (unsigned long long)stonewall->ops_min, (unsigned long long)stonewall->ops_max,
                  (double)stonewall->bytes_min / WEIR_GIB, stonewall->bytes_mean / WEIR_GIB,
                  stonewall->seconds);
}

static void add_check_notice(struct weir_text *text, double begun_s)
{
    char date[WEIR_DATE_BYTES];

    weir_text_add(text, "Verifying contents of the file(s) just written.\n%s\n\n",
                  weir_date_format(begun_s, date));
}

/* A seed that the run drew, or learned from the data, is not known before. */
static void add_drawn_seed(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    if (!says_data_seed(plan, planned) || planned->payload.seed_is_given)
        return;
    for (unsigned i = 0; i < result->phase_count && &result->phases[i] != phase; i++)
        if (result->phases[i].test == phase->test && weir_figures_has_row(plan, &result->phases[i]))
            return;
    add_data_seed(text, phase->data_seed);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    bool is_verbose = plan->output.verbosity > 0;

    if (!planned || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (weir_figures_has_row(plan, phase)) {
        struct weir_ior_row row = weir_figures_row(plan, phase);

        add_drawn_seed(text, plan, result, phase);
        if (weir_figures_has_wear_out(plan, phase))
            add_stonewall(text, &phase->stonewall);
        add_data_row(text, &row, phase->repetition);
    } else if (planned->is_check && is_verbose) {
        add_check_notice(text, phase->begun_s);
    } else if (planned->verb == WEIR_REMOVE && is_verbose) {
        add_remove_row(text, phase->windows.total_s, phase->repetition);
    }
}

/* ---- after the rows ---- */

/* The number of transfers that a deadline with wear-out made of the last write. */
static void add_pairs(struct weir_text *text, const struct weir_plan *plan,
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

static void test_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test)
{
    static const struct {
        enum weir_verb verb;
        const char *words;
    } lines[] = {{WEIR_WRITE, "Max Write: "}, {WEIR_READ, "Max Read:  "}};
    struct weir_ior_summary summary;

    add_pairs(text, plan, result, test);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (weir_figures_summary(plan, result, plan->tests[test->test], lines[i].verb, &summary))
            weir_text_add(text, "%s%.2f MiB/sec (%.2f MB/sec)\n", lines[i].words,
                          summary.mib_per_s.max, summary.mib_per_s.max * WEIR_MIB / 1e6);
}

/* ---- the summary ---- */

static void add_spread(struct weir_text *text, const struct weir_spread *spread)
{
    weir_text_add(text, "%10.2f %10.2f %10.2f %10.2f ", spread->max, spread->min, spread->mean,
                  spread->stddev);
}

static void add_summary_figures(struct weir_text *text, const struct weir_ior_summary *summary)
{
    add_spread(text, &summary->mib_per_s);
    add_spread(text, &summary->ops_per_s);
    weir_text_add(text, "%10.5f ", summary->mean_s);
    if (summary->has_stonewall)
        weir_text_add(text, "%10.2f %13.2f ", summary->stonewall_s, summary->stonewall_mib_per_s);
    else
        weir_text_add(text, "%10s %13s ", "NA", "NA");
}

static void add_summary_row(struct weir_text *text, const struct weir_test *test,
                            const struct weir_test_result *begun, enum weir_verb verb,
                            const struct weir_ior_summary *summary)
{
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);

    weir_text_add(text, "%-9s ", weir_verb_name(verb));
    add_summary_figures(text, summary);
    weir_text_add(text, "%5u %6u %3u %4llu %3d ", test->number, begun->rank_count,
                  begun->ranks_per_node, (unsigned long long)test->repetitions,
                  !phase->target->is_shared);
    weir_text_add(text, "%5d %8llu %9u %4llu ", shift.kind == WEIR_SHIFT_NODES,
                  (unsigned long long)shift.distance, weir_words_random_shift_count(&shift),
                  (unsigned long long)shift.seed);
    weir_text_add(text, "%6llu %8llu %8llu %9.1f %3s %6lld\n",
                  (unsigned long long)phase->layout.segment_count,
                  (unsigned long long)phase->layout.block_bytes,
                  (unsigned long long)phase->layout.transfer_bytes,
                  (double)summary->first_bytes / WEIR_MIB, test->label, (long long)test->reference);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    struct weir_ior_summary summary;

    weir_text_add(text,
                  "\nSummary of all tests:\n"
                  "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  "
                  "Mean(OPs)     StdDev    Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN "
                  "reps fPP reord reordoff reordrand seed segcnt   blksiz    xsize aggs(MiB)   "
                  "API RefNum\n");
    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test_result *begun = &result->tests[i];
        const struct weir_test *test = plan->tests[begun->test];

        for (enum weir_verb verb = WEIR_WRITE; verb <= WEIR_READ; verb++)
            if (weir_figures_summary(plan, result, test, verb, &summary))
                add_summary_row(text, test, begun, verb, &summary);
    }
    /* A run that was killed has no end to tell. */
    if (result->finished_s > 0.0)
        add_date(text, "Finished", result->finished_s);
}

const struct weir_reporter weir_reporter_ior = {
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .test_ends = test_ends,
    .end = end,
};
