/* SPDX-License-Identifier: Apache-2.0 */
/* Tells trees, and the phases that work on them, as text. */
#include "explain.h"

#include <inttypes.h>
#include <string.h>

/* ---- trees ---- */

void weir_explain_tree(struct weir_text *text, const struct weir_target *target)
{
    const struct weir_tree *tree = target->tree;

    weir_text_add(text, "trees in");
    for (size_t i = 0; i < target->path_count; i++)
        weir_text_add(text, "%s %s", i > 0 ? "," : "", target->paths[i]);
    weir_text_add(text, "  one for %s: %s", tree->is_own ? "each rank" : "all ranks",
                  weir_words_count(tree->set_count, "set").text);
    if (tree->top)
        weir_text_add(text, " %s", tree->top);
    if (tree->node)
        weir_text_add(text, ", %" PRIu64 " director%s %s", weir_tree_directories(tree),
                      weir_tree_directories(tree) == 1 ? "y" : "ies", tree->node);
    if (tree->depth > 0)
        weir_text_add(text, ", %" PRIu64 " in each down to depth %" PRIu64, tree->branching,
                      tree->depth);
    /* Of a working set that moves on this is the range of its numbers. */
    if (tree->top && !tree->node) {
        weir_text_add(text, ", items numbered below %" PRIu64, tree->items_per_directory);
        return;
    }
    if (tree->crowded_count > 0)
        weir_text_add(text, ", %s in each of the first %" PRIu64 ", and",
                      weir_words_count(tree->crowded_items, "item").text, tree->crowded_count);
    else
        weir_text_add(text, ",");
    weir_text_add(text, " %s in each%s%s", weir_words_count(tree->items_per_directory, "item").text,
                  tree->crowded_count > 0 ? " other" : "",
                  tree->only_leaves ? " of the deepest" : "");
}

static bool is_same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

bool weir_tree_is_same(const struct weir_tree *one, const struct weir_tree *other)
{
    if (!one || !other)
        return one == other;
    return is_same_text(one->top, other->top) && is_same_text(one->node, other->node) &&
           one->set_count == other->set_count && one->depth == other->depth &&
           one->branching == other->branching &&
           one->items_per_directory == other->items_per_directory &&
           one->crowded_count == other->crowded_count &&
           one->crowded_items == other->crowded_items && one->only_leaves == other->only_leaves &&
           one->is_own == other->is_own;
}

/* ---- phases ---- */

static void add_order(struct weir_text *text, const struct weir_names *names)
{
    weir_text_add(text, names->order == WEIR_ORDER_SEQUENTIAL ? ", in order" : ", shuffled");
    if (names->order != WEIR_ORDER_SEQUENTIAL && names->seed_is_given)
        weir_text_add(text, " with seed %" PRIu64, names->seed);
}

/* "1000 files file.%r.%n per rank, in order" */
static void add_items(struct weir_text *text, const struct weir_phase *phase)
{
    const struct weir_names *names = &phase->names;
    const struct weir_tree *tree = phase->target ? phase->target->tree : NULL;
    uint64_t count = !tree                       ? 0
                     : names->rotation.count > 0 ? names->rotation.count * tree->set_count
                                                 : weir_tree_items(tree);

    if (!names->item) {
        weir_text_add(text, "directories of the trees");
    } else {
        weir_text_add(text, "%" PRIu64 " %s %s %s", count,
                      names->is_directory ? "directories" : "files", names->item,
                      names->is_shared ? "for all ranks" : "per rank");
    }
    add_order(text, names);
    if (names->new_item)
        weir_text_add(text, "; new names %s", names->new_item);
    else
        weir_explain_if(text, phase->verb == WEIR_RENAME, "in a chain");
}

/* "stat, read-file, unlink, create of " */
static void add_cycle(struct weir_text *text, const struct weir_names *names)
{
    for (unsigned i = 0; i < names->cycle_count; i++)
        weir_text_add(text, "%s%s", i > 0 ? ", " : "", weir_verb_name(names->cycle[i]));
    weir_text_add(text, " of ");
}

/* "; set by set in turn, from item 8 on, of rank - 1 * (set + 1), made 8 items further on for rank
 * + 1 * (set + 1)" */
static void add_rotation(struct weir_text *text, const struct weir_phase *phase)
{
    const struct weir_rotation *rotation = &phase->names.rotation;

    if (rotation->count == 0)
        return;
    weir_text_add(text, "; set by set in turn, from item %" PRIu64 " on", rotation->first);
    if (rotation->advance > 0)
        weir_text_add(text, " and %" PRIu64 " further on in each round", rotation->advance);
    if (rotation->stride > 0)
        weir_text_add(text, ", of rank - %" PRIu64 " * (set + 1)", rotation->stride);
    if (rotation->working_set > 0)
        weir_text_add(text, ", made %" PRIu64 " items further on", rotation->working_set);
    if (rotation->working_set > 0 && rotation->stride > 0)
        weir_text_add(text, " for rank + %" PRIu64 " * (set + 1)", rotation->stride);
}

static void add_data(struct weir_text *text, const struct weir_names *names)
{
    if (names->bytes > 0) {
        weir_text_add(text, "; %s each", weir_words_size(names->bytes).text);
        weir_explain_payload(text, &names->payload);
    }
    weir_explain_if(text, names->is_exclusive, "only files that are not there");
    weir_explain_if(text, names->must_verify_made, "verify what was written");
    weir_explain_if(text, names->must_verify, "verify");
    weir_explain_if(text, names->must_sync, "sync each");
    weir_explain_if(text, names->must_sync_all, "sync the file system at the end");
}

static void add_command(struct weir_text *text, const char *when, const char *command,
                        enum weir_command_ranks ranks)
{
    static const char *const names[] = {[WEIR_COMMAND_EACH_RANK] = "each rank",
                                        [WEIR_COMMAND_EACH_NODE] = "the first rank of each node",
                                        [WEIR_COMMAND_FIRST_RANK] = "rank 0"};

    if (!command)
        return;
    weir_text_add(text, "; command %s on %s: ", when, names[ranks]);
    weir_text_add_visible(text, command);
}

/* Phases that make items leave their count in a status file, and others find it there. */
static bool reads_status(const struct weir_phase *phase)
{
    return phase->verb != WEIR_CREATE && phase->verb != WEIR_MKNOD && phase->verb != WEIR_MKDIR;
}

void weir_explain_names(struct weir_text *text, const struct weir_test *test,
                        const struct weir_phase *phase)
{
    const struct weir_names *names = &phase->names;

    weir_text_add(text, "%-9s ", weir_verb_name(phase->verb));
    if (phase->verb == WEIR_CYCLE)
        add_cycle(text, names);
    add_items(text, phase);
    weir_explain_if(text, names->by_first_rank, "rank 0 for all ranks");
    weir_explain_shift(text, "items of", &phase->shift);
    weir_explain_shift(text, "in the tree of", &names->tree_shift);
    add_rotation(text, phase);
    add_data(text, names);
    weir_explain_depth(text, test, phase);
    weir_explain_rate(text, &phase->rate, "operation");
    if (phase->think_ns > 0)
        weir_text_add(text, "; pause %s after each operation",
                      weir_words_duration(phase->think_ns).text);
    if (phase->think_ppm > 0)
        weir_text_add(text, "; pause after each verb %g times what it took",
                      (double)phase->think_ppm / 1e6);
    weir_explain_stop(text, &phase->stop, "operation", reads_status(phase));
    if (names->log_name)
        weir_text_add(text, "; operations are logged as %s", names->log_name);
    add_command(text, "before", names->command_before, names->command_ranks);
    add_command(text, "after", names->command_after, names->command_ranks);
}
