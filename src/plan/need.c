/* SPDX-License-Identifier: Apache-2.0 */
/* The room that a test needs: how much of its files exists at one time. */
#include "weir/plan/need.h"

#include "weir/base/saturate.h"
#include "weir/plan/tree.h"

#include <string.h>

static uint64_t bytes_of_phase(const struct weir_phase *phase)
{
    uint64_t ops = weir_layout_ops_per_rank(&phase->transfers.layout);

    if (phase->stop.op_limit > 0 && phase->stop.op_limit < ops)
        ops = phase->stop.op_limit;
    return ops * weir_layout_op_bytes(&phase->transfers.layout);
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

/* ---- trees ---- */

/* What is there of a tree: items of each kind, files and directories, and its own directories. */
struct amounts {
    const char *names[2]; /* of items that are made; NULL: none yet */
    uint64_t items[2];
    uint64_t bytes[2];
    uint64_t directories;
};

uint64_t weir_phase_items(const struct weir_phase *phase)
{
    const struct weir_tree *tree = phase->target->tree;

    if (phase->names.rotation.count > 0)
        return phase->names.rotation.count * tree->set_count;
    return phase->names.item == NULL ? tree->set_count * weir_tree_directories(tree)
                                     : weir_tree_items(tree);
}

/* Names that are made beside those of items, and removed at once, are left out. */
static void apply(const struct weir_phase *phase, struct amounts *there)
{
    const struct weir_names *names = &phase->names;
    unsigned kind = names->is_directory;

    if (names->item == NULL && weir_verb_makes_items(phase->verb)) {
        there->directories = weir_phase_items(phase);
    } else if (names->item == NULL && weir_verb_removes(phase->verb)) {
        there->directories = 0;
    } else if (names->item != NULL && weir_verb_makes_items(phase->verb)) {
        there->names[kind] = names->item;
        there->items[kind] = weir_phase_items(phase);
        there->bytes[kind] = weir_times(there->items[kind], names->bytes);
    } else if (weir_verb_removes(phase->verb) && there->names[kind] != NULL &&
               strcmp(names->item, there->names[kind]) == 0) {
        there->items[kind] = there->bytes[kind] = 0;
    }
}

static void keep_greatest(const struct amounts *there, struct weir_tree_need *need)
{
    uint64_t items = there->items[0] + there->items[1];
    uint64_t bytes = weir_plus(there->bytes[0], there->bytes[1]);

    need->items = items > need->items ? items : need->items;
    need->bytes = bytes > need->bytes ? bytes : need->bytes;
    if (there->directories > need->directories)
        need->directories = there->directories;
}

/* What each repetition before the last leaves behind, if its names are its own. */
static void add_left(const struct weir_test *test, const struct amounts *left,
                     struct weir_tree_need *need)
{
    const struct weir_tree *tree = need->phase->target->tree;
    bool is_new = tree->top != NULL && strstr(tree->top, "%i") != NULL;
    uint64_t times = is_new ? test->repetitions - 1 : 0;
    uint64_t tops = tree->top != NULL && tree->node != NULL ? tree->set_count : 0;

    need->items = weir_plus(need->items, weir_times(times, left->items[0] + left->items[1]));
    need->bytes =
        weir_plus(need->bytes, weir_times(times, weir_plus(left->bytes[0], left->bytes[1])));
    need->directories = weir_plus(need->directories, weir_times(times, left->directories));
    need->tops = weir_times(tops, left->directories > 0 ? times + 1 : 1);
}

void weir_test_tree_need(const struct weir_test *test, struct weir_tree_need *need)
{
    struct amounts there = {0};

    *need = (struct weir_tree_need){.phase = NULL};
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];

        if (!weir_verb_works_on_trees(phase->verb))
            continue;
        if (weir_verb_makes_items(phase->verb)) {
            if (need->phase == NULL || phase->names.item != NULL)
                need->phase = phase;
            need->may_be_cut |= phase->stop.deadline_ns > 0;
        }
        apply(phase, &there);
        keep_greatest(&there, need);
    }
    if (need->phase != NULL)
        add_left(test, &there, need);
}
