/* SPDX-License-Identifier: Apache-2.0 */
/* Directories, trees, and how many items there are: mdtest's names and numbers. */
#include "lowering.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)
#define REMARK(lowering, ...) WEIR_REMARK(&(lowering)->base, __VA_ARGS__)

/* ---- where ---- */

static int check_paths(const struct weir_mdtest_lowering *lowering,
                       const struct weir_target *target)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    uint64_t ranks = lowering->base.test->rank_limit;

    if (target->path_count == 1)
        return 0;
    if (mdtest->by_first_rank)
        return REFUSE(lowering, "-c: task 0 works in one directory; leave it out, or give -d one");
    if (mdtest->rank_stride > 0)
        return REFUSE(lowering,
                      "-N: a task would look for the items of another one in its own directory; "
                      "leave it out, or give -d one directory");
    if (!mdtest->own_directory)
        return REFUSE(lowering,
                      "-d: %zu directories need a tree for each task; give -u, or one directory",
                      target->path_count);
    if (ranks > 0 && target->path_count > ranks)
        return REFUSE(lowering,
                      "-d: %zu directories are more than the %" PRIu64 " tasks of -f; give fewer "
                      "of them, or more tasks",
                      target->path_count, ranks);
    return 0;
}

/* ---- the tree ---- */

static int check_shape(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;

    if (mdtest->depth < 0)
        return REFUSE(lowering, "-z: a depth of %" PRId64 "; give 0 or more", mdtest->depth);
    if (mdtest->branching < 1 && mdtest->depth > 0)
        return REFUSE(lowering,
                      "-b: a tree whose directories have %" PRId64
                      " directories each; give 1 or more",
                      mdtest->branching);
    if (mdtest->items > 0 && mdtest->items_per_directory > 0 && mdtest->own_directory)
        return REFUSE(lowering,
                      "-I: with -u either -n says how many items a task has, or -I how many are in "
                      "each directory; leave one of the two out");
    if (mdtest->items_per_directory > 0 && mdtest->items % mdtest->items_per_directory != 0)
        return REFUSE(lowering,
                      "-n: %" PRId64 " items are no multiple of the %" PRId64
                      " in each directory; give -n a multiple of -I, or leave it out",
                      mdtest->items, mdtest->items_per_directory);
    return 0;
}

/* "80/20". 0, or a usage error. */
static int read_skew(const struct weir_mdtest_lowering *lowering, double *items,
                     double *directories)
{
    const char *skew = lowering->request->additions.skew;
    char *end;

    *items = strtod(skew, &end);
    *directories = *end == '/' && end > skew ? strtod(end + 1, &end) : 0.0;
    if (*end == '\0' && *directories > 0.0 && *items > *directories && *items <= 100.0)
        return 0;
    return REFUSE(lowering,
                  "--skew: \"%s\" is no percentage of the items, a slash and a smaller one of the "
                  "directories; give such as 80/20",
                  skew);
}

/* Of `items` in a set as many in the first directories as are asked for, to whole numbers: the
 * others get theirs, rounded, and the first ones share the rest, rounded down. */
static int skew_items(const struct weir_mdtest_lowering *lowering, struct weir_tree *tree,
                      uint64_t items)
{
    uint64_t directories = weir_tree_item_directories(tree), first, others;
    double item_percent, directory_percent;

    if (read_skew(lowering, &item_percent, &directory_percent))
        return -EINVAL;
    if (directories < 2 || items == 0)
        return REFUSE(lowering,
                      "--skew: of %" PRIu64 " items in %" PRIu64
                      " directories; give a tree of several ones, -z and -b, with items in them",
                      items, directories);
    first = (uint64_t)(directory_percent / 100.0 * (double)directories + 0.5);
    first = first == 0 ? 1 : first < directories ? first : directories - 1;
    others = directories - first;
    tree->items_per_directory =
        (uint64_t)((100.0 - item_percent) / 100.0 * (double)items / (double)others + 0.5);
    if (tree->items_per_directory > items / others ||
        (items - others * tree->items_per_directory) / first <= tree->items_per_directory)
        return REFUSE(lowering,
                      "--skew: %" PRIu64 " items are too few for a skew of %s over %" PRIu64
                      " directories; give more of them",
                      items, lowering->request->additions.skew, directories);
    tree->crowded_count = first;
    tree->crowded_items = (items - others * tree->items_per_directory) / first;
    items = weir_tree_items_per_set(tree);
    REMARK(lowering,
           "--skew: the first %" PRIu64 " of %" PRIu64 " directories: %" PRIu64
           " items per task in each, the others: %" PRIu64 ", which makes %.4g%% of %" PRIu64
           " items in %.4g%% of the directories",
           first, directories, tree->crowded_items, tree->items_per_directory,
           100.0 * (double)(first * tree->crowded_items) / (double)items, items,
           100.0 * (double)first / (double)directories);
    return 0;
}

/* -n alone: equal parts of it in each directory, rounded down. */
static int divide_items(const struct weir_mdtest_lowering *lowering, struct weir_tree *tree)
{
    uint64_t items = (uint64_t)lowering->mdtest->items;
    uint64_t directories = weir_tree_item_directories(tree);

    if (directories == 0)
        return 0; /* more than can be counted: weir_plan_check refuses it */
    if (lowering->request->additions.skew)
        return skew_items(lowering, tree, items);
    tree->items_per_directory = items / directories;
    if (items > 0 && items < directories)
        return REFUSE(lowering,
                      "-n: %" PRIu64 " items for %" PRIu64 " directories leave none for each; give "
                      "as many or more, or -I",
                      items, directories);
    if (items % directories != 0)
        REMARK(lowering,
               "-n: %" PRIu64 " items are no multiple of %" PRIu64 " directories: each has %" PRIu64
               ", which makes %" PRIu64 " per task",
               items, directories, tree->items_per_directory, items - items % directories);
    return 0;
}

static const char *top_of(const struct weir_mdtest_request *request)
{
    if (request->is_crowded)
        return weir_mdtest_has_old_names(request) ? "#test-dir.crowded.%i-%s"
                                                  : "test-dir.crowded.%i-%s";
    return weir_mdtest_has_old_names(request) ? "#test-dir.%i-%s" : "test-dir.%i-%s";
}

static int lower_tree(const struct weir_mdtest_lowering *lowering, struct weir_tree *tree)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    uint64_t per_directory = (uint64_t)mdtest->items_per_directory;

    *tree = (struct weir_tree){
        .top = top_of(lowering->request),
        .node = mdtest->own_directory ? "mdtest_tree.%r.%k" : "mdtest_tree.%k",
        .set_count = 1,
        .depth = (uint64_t)mdtest->depth,
        .branching = mdtest->branching > 0 ? (uint64_t)mdtest->branching : 1,
        .items_per_directory = per_directory,
        .only_leaves = mdtest->only_leaves,
        .is_own = mdtest->own_directory,
    };
    if (per_directory == 0)
        return divide_items(lowering, tree);
    if (mdtest->items > 0)
        tree->set_count = (uint64_t)mdtest->items / per_directory;
    if (lowering->request->additions.skew)
        return skew_items(lowering, tree, weir_tree_items_per_set(tree));
    return 0;
}

/* What is compared must differ. */
static int check_comparison(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_tree *tree = lowering->target->tree;

    if (!lowering->request->additions.compares_crowded || lowering->request->is_crowded)
        return 0;
    if (lowering->items == 0)
        return REFUSE(lowering, "--compare-crowded: there are no items; give -n or -I");
    if (!tree->is_own && tree->set_count == 1 && weir_tree_item_directories(tree) == 1)
        return REFUSE(lowering, "--compare-crowded: all items are in one directory already; give a "
                                "tree of several ones, -z and -b, or -u");
    return 0;
}

int weir_mdtest_lower_target(struct weir_mdtest_lowering *lowering)
{
    struct weir_arena *arena = &lowering->base.plan->arena;
    struct weir_target *target = weir_arena_take(arena, sizeof *target);
    struct weir_tree *tree = weir_arena_take(arena, sizeof *tree);

    if (weir_lower_paths(&lowering->base, "-d", lowering->mdtest->directories, target))
        return -EINVAL;
    if (lowering->request->is_crowded)
        target->path_count = 1;
    if (check_paths(lowering, target) || check_shape(lowering) || lower_tree(lowering, tree))
        return -EINVAL;
    target->tree = tree;
    lowering->target = target;
    lowering->items = weir_tree_items(tree);
    if (lowering->items == 0)
        REMARK(lowering, "neither -n nor -I: there are no items, and the tree alone is made and "
                         "removed");
    return check_comparison(lowering);
}
