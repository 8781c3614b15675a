/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect iozone, and remedies in its options. */
#include "iozone.h"

static const struct weir_reporter *const reporters[] = {&weir_reporter_iozone, NULL};

/* `path` is the option that names the files of the test. */
#define REMEDIES(path)                                                                             \
    {                                                                                              \
        {WEIR_REMEDY_PATH, path}, {WEIR_REMEDY_BACKEND, "--backend"}, {WEIR_REMEDY_KEEP, "-w"},    \
            {WEIR_REMEDY_DEVICE, "weir ior --device allow"},                                       \
            {WEIR_REMEDY_DEVICE_FORCE, "weir ior --device force"},                                 \
            {WEIR_REMEDY_REPETITIONS, "the same command again"},                                   \
            {WEIR_REMEDY_USE_EXISTING, "-+N"}, {WEIR_REMEDY_WRITE, "-i 0"},                        \
            {WEIR_REMEDY_READ, "-i 1"}, {WEIR_REMEDY_TRANSFER_SIZE, "-r"},                         \
            {WEIR_REMEDY_BLOCK_SIZE, "-s"}, {WEIR_REMEDY_LESS_DATA, "-s"},                         \
            {WEIR_REMEDY_LONGER_PHASE, "-s"}, {WEIR_REMEDY_SYNC, "-e"},                            \
            {WEIR_REMEDY_SYNC_ALL, "-e"}, {WEIR_REMEDY_WEAR_OUT, "-x"},                            \
            {WEIR_REMEDY_BUFFERED, "leave -I (--direct) out"},                                     \
            {WEIR_REMEDY_SHIFT_NODES, "a later run with the hosts of -+m in another order"},       \
            {WEIR_REMEDY_FOREIGN_DATA, "-+E"},                                                     \
            {WEIR_REMEDY_UNKNOWN_DATA, "leave -V and -+d out, or read files of others with -+E"},  \
            {WEIR_REMEDY_PATTERN, "-V"}, {WEIR_REMEDY_VERIFY_READS, "-+d"},                        \
            {WEIR_REMEDY_REPORT_FILE, "--summaryFile"}, {WEIR_REMEDY_RANK_FILE, "-b"},             \
            {WEIR_REMEDY_OP_FILES, "-Q"}, {WEIR_REMEDY_HISTOGRAMS, "-+z"}, {0},                    \
    }

static const struct weir_remedy_word remedies[] = REMEDIES("-f");
static const struct weir_remedy_word remedies_of_children[] = REMEDIES("-F");
static const struct weir_remedy_word remedies_of_hosts[] = REMEDIES("-+m");

static const struct weir_remedy_word *remedies_of(const struct weir_test *test)
{
    if (weir_iozone_is_set(test, "clustered"))
        return remedies_of_hosts;
    return weir_iozone_is_throughput(test) ? remedies_of_children : remedies;
}

static double time_s(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    return weir_iozone_figures(plan, phase).wall_s;
}

static const char *name_phase(const struct weir_test *test, const struct weir_phase *phase)
{
    enum weir_iozone_test which = weir_iozone_test_planned(test, phase);

    return which != WEIR_IOZONE_TESTS ? weir_iozone_name(which) : NULL;
}

/* What was moved until the last child was done, as its "Parent sees throughput" has it. */
static bool find_figure(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure)
{
    bool counts_ops = weir_iozone_counts_ops(plan->tests[phase->test]);

    (void)result;
    if (weir_iozone_test_of(plan, phase) == WEIR_IOZONE_TESTS ||
        !weir_iozone_has_number(plan, phase))
        return false;
    *figure = (struct weir_shown_figure){
        .value = weir_iozone_figures(plan, phase).parent,
        .unit = counts_ops ? "ops/s" : "kB/s",
        .decimals = weir_iozone_is_throughput(plan->tests[phase->test]) ? 2 : 0};
    return true;
}

/* ---- the file of -b ---- */

static const char header[] = "access,mode,unit,children,fileKB,recordKB,childrenSum,parent,min,max,"
                             "mean,minXfer,p50(us),p99(us),total(s),iter\n";

/* Empty if there are no times of single transfers, or too few of them. */
static void add_percentile(struct weir_text *text, const struct weir_histogram *latency,
                           double fraction)
{
    weir_text_add(text, ",");
    if (latency != NULL && weir_histogram_has_quantile(latency, fraction))
        weir_text_add(text, "%.3f", (double)weir_histogram_percentile(latency, fraction) / 1e3);
}

static void add_to_file(struct weir_rank_csv *held, struct weir_text *text,
                        const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    struct weir_iozone_figures figures;

    (void)held;

    const struct weir_test *test = plan->tests[phase->test];
    const char *mode = weir_test_setting(test, "mode");
    enum weir_iozone_test which = weir_iozone_test_of(plan, phase);

    if (which == WEIR_IOZONE_TESTS || !weir_iozone_has_number(plan, phase))
        return;
    figures = weir_iozone_figures(plan, phase);
    weir_text_add(text, "%s,%s,%s,%u,%llu,%llu,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f",
                  weir_iozone_name(which), mode != NULL ? mode : "single",
                  weir_iozone_counts_ops(test) ? "ops" : "kB", phase->rank_count,
                  (unsigned long long)weir_iozone_number(test, "file-kb"),
                  (unsigned long long)weir_iozone_number(test, "record-kb"), figures.children,
                  figures.parent, figures.min, figures.max, figures.mean, figures.min_xfer);
    add_percentile(text, phase->latency, 0.5);
    add_percentile(text, phase->latency, 0.99);
    weir_text_add(text, ",%.9f,%u\n", figures.wall_s, phase->repetition);
}

/* The lines of the file of -b. */
static const struct weir_rank_csv_format rank_csv = {.header = header, .add = add_to_file};

/* ---- the dialect ---- */

const struct weir_dialect_reports weir_iozone_reports = {.dialect = "iozone",
                                                         .work = WEIR_WORKS_ON_FILES,
                                                         .reporters = reporters,
                                                         .remedies = remedies,
                                                         .remedies_of = remedies_of,
                                                         .rank_csv = &rank_csv,
                                                         .name_phase = name_phase,
                                                         .time_s = time_s,
                                                         .counts_ops = weir_iozone_counts_ops,
                                                         .find_figure = find_figure};
