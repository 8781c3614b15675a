/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of IOR's table: the fixed parts are byte for byte those that parsers of it know. */
#include "rows.h"

#include "dates.h"
#include "figures.h"
#include "layout.h"
#include "lines.h"
#include "notices.h"
#include "verbose.h"

#include "weir/report/report.h"

/* The columns that 3.3 added. */
static bool has_rates(const struct weir_plan *plan)
{
    return weir_ior_layout_of(plan)->table_columns == 11;
}

static bool has_table(const struct weir_plan *plan)
{
    return weir_ior_layout_of(plan)->table_columns > 0;
}

void weir_rows_head(struct weir_text *text, const struct weir_plan *plan)
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

static void add_data_row(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_phase_result *phase)
{
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

static void add_remove_row(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_phase_result *phase)
{
    weir_text_add(text,
                  "remove    -          %s-          -          -          -          -"
                  "          ",
                  has_rates(plan) ? "-          -           " : "");
    add_cell(text, phase->windows.total_s, " ");
    weir_text_add(text, "%-4u\n", phase->repetition);
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

void weir_rows_phase(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    bool has_row = weir_figures_has_row(plan, phase);
    bool is_verbose = plan->output.verbosity > 0;

    if (!planned || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    weir_lines_skew_of_nodes(text, plan, result, phase);
    if (planned->is_check && is_verbose)
        add_check_notice(text, phase->begun_s);
    weir_verbose_phase(text, plan, result, phase);
    if (phase->notes)
        weir_report_notes(text, phase);
    if (has_row && weir_figures_has_wear_out(plan, phase))
        add_stonewall(text, &phase->stonewall);
    weir_notices_phase(text, plan, phase);
    if (has_row && has_table(plan))
        add_data_row(text, plan, phase);
    if (planned->verb == WEIR_REMOVE && has_table(plan) &&
        (is_verbose || weir_ior_layout_of(plan)->has_all_removals))
        add_remove_row(text, plan, phase);
}

/* ---- after the rows ---- */

void weir_rows_pairs(struct weir_text *text, const struct weir_plan *plan,
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
