/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the tree of steps. */
#include "check.h"

#include "weir/base/remedy.h"

#include <inttypes.h>

/* The steps around a step. */
struct around {
    const struct weir_check_scope *scope;
    unsigned nesting;        /* steps */
    unsigned loops;          /* among them */
    bool is_until;           /* the outermost loop ends by time */
    bool lacks_rank_0;       /* not on rank 0 */
    bool is_not_first_ranks; /* not on the first ranks only */
};

/* ---- steps by themselves ---- */

static int check_values(const struct around *around, const struct weir_step *step)
{
    if (step->kind == WEIR_STEP_REPEAT && step->count == 0)
        return REFUSE(around->scope, "0 repetitions: give at least one");
    if (step->kind == WEIR_STEP_UNTIL && step->until_ns == 0)
        return REFUSE(around->scope, "a loop of 0 s: give the time that it shall last");
    if (step->kind == WEIR_STEP_ON_RANKS && step->ranks.count == 0)
        return REFUSE(around->scope, "steps on 0 ranks: give at least one");
    if (step->kind == WEIR_STEP_ON_RANKS && step->ranks.stride == 0)
        return REFUSE(around->scope, "ranks that are 0 apart: give a distance of at least 1");
    if (step->kind == WEIR_STEP_COMMAND && step->command[0] == '\0')
        return REFUSE(around->scope, "an empty command between phases: give one, or leave it out");
    if (step->kind == WEIR_STEP_TIMED && step->label[0] == '\0')
        return REFUSE(around->scope, "timed steps without a label: give one");
    return 0;
}

/* ---- what the engine does not do ---- */

static int check_phase(const struct around *around, const struct weir_phase *phase)
{
    const struct weir_test *test = around->scope->test;

    if (around->is_not_first_ranks)
        return REFUSE(around->scope,
                      "%s on ranks other than the first ones is not built: count the ranks from "
                      "rank 0 on, 1 apart",
                      weir_verb_name(phase->verb));
    if (phase->rank_limit > 0 && phase->target && phase->target->is_device)
        return REFUSE(around->scope,
                      "devices on some of the ranks are not built: use files, or all ranks");
    if (around->is_until && phase->target && phase->target->is_new_each_repetition)
        return REFUSE(around->scope,
                      "new files for each round of a loop that ends by time: give the loop "
                      "a count, or use the same files in each round");
    if (test->op_csv_prefix && phase->verb != WEIR_REMOVE &&
        (around->loops > 1 || around->is_until))
        return REFUSE(around->scope,
                      "figures of each transfer are kept for the rounds of one loop with a count: "
                      "leave %s out, or the loops around the %s",
                      test->op_csv_prefix, weir_verb_name(phase->verb));
    return 0;
}

static bool has_same_layout(const struct weir_layout *one, const struct weir_layout *other)
{
    return one->transfer_bytes == other->transfer_bytes && one->block_bytes == other->block_bytes &&
           one->segment_count == other->segment_count && one->order == other->order &&
           one->is_at_once == other->is_at_once && one->listing.hash == other->listing.hash;
}

/* A file that stays open keeps its mode, its view and its owner. `opener`: the phase that opened
 * it. */
static int check_open_file(const struct around *around, const struct weir_step *step,
                           const struct weir_phase *opener)
{
    const struct weir_phase *phase = step->phase, *next;

    do
        step = step->next;
    while (step && (step->kind == WEIR_STEP_SLEEP || step->kind == WEIR_STEP_BARRIER));
    next = step && step->kind == WEIR_STEP_PHASE ? step->phase : NULL;
    if (!next || !weir_verb_moves_data(phase->verb) || !weir_verb_moves_data(next->verb) ||
        next->target != phase->target)
        return REFUSE(around->scope,
                      "%s leaves its file open, and no phase that moves data in it follows: add "
                      "one, or leave " WEIR_REMEDY_KEEP_OPEN " out",
                      weir_verb_name(phase->verb));
    if (weir_verb_writes(next->verb) &&
        (!weir_verb_writes(opener->verb) || next->transfers.must_replace))
        return REFUSE(around->scope,
                      "%s cannot write the file that %s leaves open: leave " WEIR_REMEDY_KEEP_OPEN
                      " out",
                      weir_verb_name(next->verb), weir_verb_name(opener->verb));
    if (phase->shift.kind != WEIR_SHIFT_NONE || next->shift.kind != WEIR_SHIFT_NONE)
        return REFUSE(around->scope,
                      "a file that stays open is that of the rank that wrote it: leave the "
                      "shift of ranks out, or " WEIR_REMEDY_KEEP_OPEN);
    if (phase->must_find_depth || next->must_find_depth)
        return REFUSE(around->scope,
                      "a search for a depth opens the file for each one: give a depth, or "
                      "leave " WEIR_REMEDY_KEEP_OPEN " out");
    if (!has_same_layout(&phase->transfers.layout, &next->transfers.layout))
        return REFUSE(around->scope,
                      "%s and %s have not the same layout in a file that stays open: give "
                      "them the same, or leave " WEIR_REMEDY_KEEP_OPEN " out",
                      weir_verb_name(phase->verb), weir_verb_name(next->verb));
    return 0;
}

static int check_step(const struct around *around, const struct weir_step *step)
{
    int status = check_values(around, step);

    if (status == 0 && around->nesting > WEIR_PLAN_NESTING_MAX)
        status = REFUSE(around->scope, "more than %d steps within one another: nest fewer",
                        WEIR_PLAN_NESTING_MAX);
    if (status == 0 && weir_step_has_body(step->kind) && !step->body)
        status =
            REFUSE(around->scope, "a loop, a set of ranks or a time around no step at all: give it "
                                  "one, or leave it out");
    if (status == 0 && step->kind == WEIR_STEP_TIMED && around->lacks_rank_0)
        status = REFUSE(around->scope,
                        "a time (%s) of ranks without rank 0 is not built, as rank 0 keeps the "
                        "results: count the ranks from rank 0 on",
                        step->label);
    if (status == 0 && step->kind == WEIR_STEP_PHASE)
        status = check_phase(around, step->phase);
    return status;
}

/* The depth of this recursion is what check_step allows. */
static int check_list(const struct around *around, const struct weir_step *steps)
{
    const struct weir_phase *opener = NULL;
    int status = 0;

    for (const struct weir_step *step = steps; step && status == 0; step = step->next) {
        bool is_loop = step->kind == WEIR_STEP_REPEAT || step->kind == WEIR_STEP_UNTIL;
        struct around inner = *around;

        inner.nesting++;
        inner.loops += is_loop;
        inner.is_until |= step->kind == WEIR_STEP_UNTIL && around->loops == 0;
        if (step->kind == WEIR_STEP_ON_RANKS) {
            inner.lacks_rank_0 |= step->ranks.first != 0;
            inner.is_not_first_ranks |= step->ranks.first != 0 || step->ranks.stride != 1;
        }
        status = check_step(around, step);
        if (status == 0 && step->kind == WEIR_STEP_PHASE) {
            opener = !step->phase->leaves_open ? NULL : opener ? opener : step->phase;
            status = opener ? check_open_file(around, step, opener) : 0;
        }
        if (status == 0)
            status = check_list(&inner, step->body);
    }
    return status;
}

/* A file's layout, and who verifies what of it, depend on the ranks that share it. */
static int check_targets(const struct weir_check_scope *scope)
{
    const struct weir_test *test = scope->test;

    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];

        for (size_t k = 0; phase->rank_limit > 0 && k < test->phase_count; k++)
            if (test->phases[k]->target == phase->target &&
                test->phases[k]->rank_limit != phase->rank_limit)
                return REFUSE(scope,
                              "%s and %s use the same files on different sets of ranks, which is "
                              "not built: give each set files of its own",
                              weir_verb_name(phase->verb), weir_verb_name(test->phases[k]->verb));
    }
    return 0;
}

int weir_check_steps(const struct weir_check_scope *scope)
{
    const struct around around = {.scope = scope};
    int status = check_list(&around, scope->test->steps);

    return status != 0 ? status : check_targets(scope);
}
