/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of values, which mdtest does not have: a header, and a line per phase and iteration, named
 * as IOR's where they are the same. */
#include "mdtest.h"
#include "rows.h"

static const char header[] = "access,ops/s,ms/op,ops,total(s),numTasks,iter\n";

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    struct weir_mdtest_figures figures;

    (void)result;
    if (!weir_mdtest_is_shown(plan, phase))
        return;
    figures = weir_mdtest_figures(plan, phase);
    weir_text_add(text, "%s,%.4f,%.9f,%llu,%.9f,%u,%u\n",
                  weir_mdtest_row_name(weir_mdtest_row(weir_figures_phase(plan, phase))),
                  figures.all[WEIR_MDTEST_RATE], figures.all[WEIR_MDTEST_OP_MS],
                  (unsigned long long)phase->op_count, figures.all[WEIR_MDTEST_SECONDS],
                  phase->rank_count, phase->repetition);
}

const struct weir_reporter weir_reporter_mdtest_csv = {
    .name = "mdtest csv",
    .header = header,
    .phase_done = phase_done,
};
