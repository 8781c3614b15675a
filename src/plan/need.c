/* SPDX-License-Identifier: Apache-2.0 */
/* The room that a test needs: how much of its files exists at one time. */
#include "weir/plan/plan.h"

static uint64_t bytes_of_phase(const struct weir_phase *phase)
{
    uint64_t ops = weir_layout_ops_per_rank(&phase->transfers.layout);

    if (phase->stop.op_limit > 0 && phase->stop.op_limit < ops)
        ops = phase->stop.op_limit;
    return ops * phase->transfers.layout.transfer_bytes;
}

void weir_test_need(const struct weir_test *test, struct weir_need *need)
{
    *need = (struct weir_need){.target = NULL};
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];

        if (!weir_verb_makes_files(phase->verb))
            continue;
        need->target = phase->target;
        need->rank_limit = phase->rank_limit;
        need->may_be_cut |= phase->stop.deadline_ns > 0;
        if (bytes_of_phase(phase) > need->bytes_per_rank)
            need->bytes_per_rank = bytes_of_phase(phase);
    }
    /* Files of earlier repetitions are there yet if they are kept. */
    need->copies = need->target && need->target->is_new_each_repetition && test->must_keep
                       ? test->repetitions
                       : 1;
}
