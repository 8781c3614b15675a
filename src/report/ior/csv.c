/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's summaryFormat=CSV: a header, and a line per write and read. */
#include "figures.h"
#include "ior.h"

static const char header[] =
    "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),"
    "numTasks,iter\n";

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    struct weir_ior_row row;

    (void)result;
    if (!weir_figures_has_row(plan, phase))
        return;
    row = weir_figures_row(plan, phase);
    weir_text_add(text, "%s,%.4f,%.4f,%.4f,%.4f,%.4f,", row.access, row.mib_per_s, row.ops_per_s,
                  row.latency_s, row.block_kib, row.transfer_kib);
    weir_text_add(text, "%.4f,%.4f,%.4f,%.4f,%u,%u\n", row.windows.open_s, row.windows.transfer_s,
                  row.windows.close_s, row.windows.total_s, phase->rank_count, phase->repetition);
}

const struct weir_reporter weir_reporter_ior_csv = {
    .name = "ior csv",
    .header = header,
    .phase_done = phase_done,
};
