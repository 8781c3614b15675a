/* SPDX-License-Identifier: Apache-2.0 */
/* The file of -b: a header, and a line for each test of IOzone that has a number. */
#include "figures.h"
#include "iozone.h"
#include "rows.h"

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

static void add_line(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_phase_result *phase)
{
    const struct weir_test *test = plan->tests[phase->test];
    const char *mode = weir_test_setting(test, "mode");
    enum weir_iozone_test which = weir_iozone_test_of(plan, phase);
    struct weir_iozone_figures figures;

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

static void add_to_file(struct weir_rank_csv *held, struct weir_text *text,
                        const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    (void)held;
    add_line(text, plan, phase);
}

const struct weir_rank_csv_format weir_iozone_rank_csv = {.header = header, .add = add_to_file};
