/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's saveRankPerformanceDetailsCSV: a line for each rank of each phase. IOR takes every rank's
 * share of the bytes for granted; here it is what the rank has moved. */
#include "figures.h"
#include "ior.h"

#define COLUMNS "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput"

static const char header[] = COLUMNS ",believed,findings\n";
static const char plain_header[] = COLUMNS "\n";

static double seconds_between(const struct weir_rank_row *row, enum weir_stamp from,
                              enum weir_stamp to)
{
    int64_t ns = row->stamps_ns[to] - row->stamps_ns[from];

    return ns > 0 ? (double)ns / 1e9 : 0.0;
}

/* `more` is the end of the line. */
static void add_row(struct weir_text *text, const char *access, unsigned rank,
                    const struct weir_rank_row *row, const char *more)
{
    double whole_s = seconds_between(row, WEIR_STAMP_OPEN_START, WEIR_STAMP_CLOSE_STOP);
    double transfer_s = seconds_between(row, WEIR_STAMP_MOVE_START, WEIR_STAMP_MOVE_STOP);
    double bytes = (double)row->byte_count;

    weir_text_add(text, "%s,%u,%.10e,%.10e,%.10e,%.10e%s\n", access, rank, whole_s, transfer_s,
                  weir_figures_rate(bytes, whole_s), weir_figures_rate(bytes, transfer_s), more);
}

static void add(struct weir_rank_csv *held, struct weir_text *text, const struct weir_plan *plan,
                const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    struct weir_text more = {0};

    (void)held;
    if (!phase->rows || !weir_figures_has_row(plan, phase) || planned->is_prefill)
        return;
    if (weir_report_has_own_columns(plan)) {
        weir_text_add(&more, ",%s,", weir_believed_names[phase->believed]);
        weir_report_add_findings(&more, phase);
    }
    for (unsigned rank = 0; rank < phase->rank_count; rank++)
        add_row(text, weir_verb_name(planned->verb), rank, &phase->rows[rank],
                weir_text_string(&more));
    weir_text_close(&more);
}

const struct weir_rank_csv_format weir_ior_rank_csv = {
    .header = header, .plain_header = plain_header, .add = add};
