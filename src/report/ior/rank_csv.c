/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's saveRankPerformanceDetailsCSV: a line for each rank of each phase. IOR takes every rank's
 * share of the bytes for granted; here it is what the rank has moved. */
#include "figures.h"
#include "ior.h"

static const char header[] =
    "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n";

static double seconds_between(const struct weir_rank_row *row, enum weir_stamp from,
                              enum weir_stamp to)
{
    int64_t ns = row->stamps_ns[to] - row->stamps_ns[from];

    return ns > 0 ? (double)ns / 1e9 : 0.0;
}

static void add_row(struct weir_text *text, const char *access, unsigned rank,
                    const struct weir_rank_row *row)
{
    double whole_s = seconds_between(row, WEIR_STAMP_OPEN_START, WEIR_STAMP_CLOSE_STOP);
    double transfer_s = seconds_between(row, WEIR_STAMP_MOVE_START, WEIR_STAMP_MOVE_STOP);
    double bytes = (double)row->byte_count;

    weir_text_add(text, "%s,%u,%.10e,%.10e,%.10e,%.10e\n", access, rank, whole_s, transfer_s,
                  weir_figures_rate(bytes, whole_s), weir_figures_rate(bytes, transfer_s));
}

static void add(struct weir_rank_csv *held, struct weir_text *text, const struct weir_plan *plan,
                const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    (void)held;
    if (!phase->rows || !weir_figures_has_row(plan, phase) || planned->is_prefill)
        return;
    for (unsigned rank = 0; rank < phase->rank_count; rank++)
        add_row(text, weir_verb_name(planned->verb), rank, &phase->rows[rank]);
}

const struct weir_rank_csv_format weir_ior_rank_csv = {.header = header, .add = add};
