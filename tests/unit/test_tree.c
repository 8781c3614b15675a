/* SPDX-License-Identifier: Apache-2.0 */
/* Trees: paths as mdtest makes them, and over many random trees that each item is in one directory
 * and each directory behind the one that it is in. */
#include "weir/plan/tree.h"

#include "weir/base/random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOP "test-dir.%i-%s"
#define NODE "mdtest_tree.%k"
#define OWN_NODE "mdtest_tree.%r.%k"
#define FILES "file.mdtest.%r.%n"

static const struct weir_tree one_directory = {
    .top = TOP, .node = NODE, .set_count = 1, .items_per_directory = 4};
static const struct weir_tree two_sets = {
    .top = TOP, .node = NODE, .set_count = 2, .items_per_directory = 4};
static const struct weir_tree binary = {
    .top = TOP, .node = NODE, .set_count = 1, .depth = 2, .branching = 2, .items_per_directory = 3};
static const struct weir_tree leaves = {.top = TOP,
                                        .node = NODE,
                                        .set_count = 1,
                                        .depth = 2,
                                        .branching = 2,
                                        .items_per_directory = 3,
                                        .only_leaves = true};
static const struct weir_tree leaves_of_sets = {.top = TOP,
                                                .node = NODE,
                                                .set_count = 3,
                                                .depth = 1,
                                                .branching = 3,
                                                .items_per_directory = 2,
                                                .only_leaves = true};
static const struct weir_tree chain = {
    .top = TOP, .node = NODE, .set_count = 1, .depth = 3, .branching = 1, .items_per_directory = 2};
static const struct weir_tree end_of_chain = {.top = TOP,
                                              .node = NODE,
                                              .set_count = 1,
                                              .depth = 3,
                                              .branching = 1,
                                              .items_per_directory = 2,
                                              .only_leaves = true};
static const struct weir_tree own = {.top = TOP,
                                     .node = OWN_NODE,
                                     .set_count = 1,
                                     .depth = 1,
                                     .branching = 10,
                                     .items_per_directory = 1,
                                     .is_own = true};
static const struct weir_tree deep = {.top = TOP,
                                      .node = NODE,
                                      .set_count = 1,
                                      .depth = 3,
                                      .branching = 10,
                                      .items_per_directory = 1000};
/* As md-workbench has them: no tree below the directory of a set. */
static const struct weir_tree flat = {
    .top = "%r_%s", .set_count = 2, .items_per_directory = 5, .is_own = true};
static const struct weir_tree skewed = {.top = TOP,
                                        .node = NODE,
                                        .set_count = 2,
                                        .depth = 2,
                                        .branching = 2,
                                        .items_per_directory = 1,
                                        .crowded_count = 2,
                                        .crowded_items = 1000};
static const struct weir_tree skewed_leaves = {.top = TOP,
                                               .node = NODE,
                                               .set_count = 1,
                                               .depth = 2,
                                               .branching = 2,
                                               .crowded_count = 3,
                                               .crowded_items = 5,
                                               .only_leaves = true};
static const struct weir_tree bare = {.set_count = 1, .items_per_directory = 5};
static const struct weir_tree percents = {
    .top = "100%%", .node = "%%%k%%", .set_count = 1, .items_per_directory = 5};
static const struct weir_tree empty = {
    .top = TOP, .node = NODE, .set_count = 1, .depth = 2, .branching = 3};

static struct weir_tree_paths paths_of(const struct weir_tree *tree, const char *item)
{
    const struct weir_tree_names names = {
        .root = "/d", .item = item, .tree_owner = 7, .item_owner = 13, .repetition = 5};
    struct weir_tree_paths paths;

    assert_int_equal(weir_tree_paths_init(&paths, tree, &names), 0);
    return paths;
}

/* ---- how many ---- */

static void directories_and_items_are_counted_as_mdtest_does(void **state)
{
    static const struct {
        const struct weir_tree *tree;
        uint64_t directories, item_directories, items;
    } rows[] = {
        {&one_directory, 1, 1, 4},  {&two_sets, 1, 1, 8},        {&binary, 7, 7, 21},
        {&leaves, 7, 4, 12},        {&leaves_of_sets, 4, 3, 18}, {&chain, 4, 4, 8},
        {&end_of_chain, 4, 1, 2},   {&own, 11, 11, 11},          {&deep, 1111, 1111, 1111000},
        {&flat, 1, 1, 10},          {&empty, 13, 13, 0},         {&skewed, 7, 7, 4010},
        {&skewed_leaves, 7, 4, 15},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(weir_tree_directories(rows[i].tree), rows[i].directories);
        assert_int_equal(weir_tree_item_directories(rows[i].tree), rows[i].item_directories);
        assert_int_equal(weir_tree_items(rows[i].tree), rows[i].items);
    }
}

static void counts_that_are_too_great_are_told(void **state)
{
    /* 2^63 - 1 directories are the most that a binary tree can have in 64 bits but one level. */
    const struct weir_tree most = {.node = NODE, .set_count = 1, .depth = 62, .branching = 2};
    const struct weir_tree more = {.node = NODE, .set_count = 1, .depth = 64, .branching = 2};
    const struct weir_tree wide = {
        .node = NODE, .set_count = 1, .depth = 2, .branching = UINT64_C(1) << 32};
    const struct weir_tree endless = {
        .node = NODE, .set_count = 1, .depth = UINT64_MAX, .branching = 1};
    const struct weir_tree full = {
        .node = NODE, .set_count = UINT64_C(1) << 32, .items_per_directory = UINT64_C(1) << 32};

    (void)state;
    assert_int_equal(weir_tree_directories(&most), (UINT64_C(1) << 63) - 1);
    assert_int_equal(weir_tree_directories(&more), 0);
    assert_int_equal(weir_tree_directories(&wide), 0);
    assert_int_equal(weir_tree_directories(&endless), 0);
    assert_true(weir_tree_items(&full) == UINT64_MAX);
}

/* ---- paths ---- */

static void items_lie_where_mdtest_puts_them(void **state)
{
    static const struct {
        const struct weir_tree *tree;
        const char *item;
        uint64_t index;
        const char *path;
    } rows[] = {
        {&one_directory, FILES, 0, "/d/test-dir.5-0/mdtest_tree.0/file.mdtest.13.0"},
        {&one_directory, FILES, 3, "/d/test-dir.5-0/mdtest_tree.0/file.mdtest.13.3"},
        {&one_directory, "file.mdtest.shared.%n", 2,
         "/d/test-dir.5-0/mdtest_tree.0/file.mdtest.shared.2"},
        {&two_sets, FILES, 3, "/d/test-dir.5-0/mdtest_tree.0/file.mdtest.13.3"},
        {&two_sets, FILES, 4, "/d/test-dir.5-1/mdtest_tree.0/file.mdtest.13.0"},
        {&binary, FILES, 2, "/d/test-dir.5-0/mdtest_tree.0/file.mdtest.13.2"},
        {&binary, FILES, 3, "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.1/file.mdtest.13.3"},
        {&binary, FILES, 8, "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.2/file.mdtest.13.8"},
        {&binary, FILES, 15,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.2/mdtest_tree.5/file.mdtest.13.15"},
        {&binary, FILES, 20,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.2/mdtest_tree.6/file.mdtest.13.20"},
        /* the first of four leaves is directory 3: the first number is 3 * (7 - 2^2) */
        {&leaves, FILES, 0,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.1/mdtest_tree.3/file.mdtest.13.9"},
        {&leaves, FILES, 11,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.2/mdtest_tree.6/file.mdtest.13.20"},
        {&leaves_of_sets, FILES, 6, "/d/test-dir.5-1/mdtest_tree.0/mdtest_tree.1/file.mdtest.13.2"},
        {&leaves_of_sets, FILES, 17,
         "/d/test-dir.5-2/mdtest_tree.0/mdtest_tree.3/file.mdtest.13.7"},
        {&chain, FILES, 5,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.1/mdtest_tree.2/file.mdtest.13.5"},
        {&end_of_chain, "dir.mdtest.%r.%n", 0,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.1/mdtest_tree.2/mdtest_tree.3/"
         "dir.mdtest.13.6"},
        {&own, FILES, 10, "/d/test-dir.5-0/mdtest_tree.7.0/mdtest_tree.7.10/file.mdtest.13.10"},
        {&deep, FILES, 1110999,
         "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.10/mdtest_tree.110/mdtest_tree.1110/"
         "file.mdtest.13.1110999"},
        {&flat, "file-%n", 7, "/d/7_1/file-2"},
        {&bare, "%n", 4, "/d/4"},
        {&percents, "%%%n%%n%i.%s.%k", 4, "/d/100%/%0%/%4%n5.0.0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_tree_paths paths = paths_of(rows[i].tree, rows[i].item);
        char path[WEIR_TREE_PATH_BYTES];

        assert_int_equal(weir_tree_item_path(&paths, rows[i].index, path), strlen(rows[i].path));
        assert_string_equal(path, rows[i].path);
    }
}

static void directories_lie_in_their_parents(void **state)
{
    static const struct {
        const struct weir_tree *tree;
        uint64_t index;
        const char *path;
    } rows[] = {
        {&one_directory, 0, "/d/test-dir.5-0/mdtest_tree.0"},
        {&two_sets, 1, "/d/test-dir.5-1/mdtest_tree.0"},
        {&binary, 6, "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.2/mdtest_tree.6"},
        {&leaves, 1, "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.1"},
        {&leaves_of_sets, 11, "/d/test-dir.5-2/mdtest_tree.0/mdtest_tree.3"},
        {&chain, 3, "/d/test-dir.5-0/mdtest_tree.0/mdtest_tree.1/mdtest_tree.2/mdtest_tree.3"},
        {&own, 10, "/d/test-dir.5-0/mdtest_tree.7.0/mdtest_tree.7.10"},
        {&flat, 1, "/d/7_1"},
        {&bare, 0, "/d"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_tree_paths paths = paths_of(rows[i].tree, NULL);
        char path[WEIR_TREE_PATH_BYTES];

        assert_int_equal(weir_tree_directory_path(&paths, rows[i].index, path),
                         strlen(rows[i].path));
        assert_string_equal(path, rows[i].path);
    }
}

static void sets_have_a_directory_of_their_own(void **state)
{
    struct weir_tree_paths paths = paths_of(&two_sets, NULL);
    char path[WEIR_TREE_PATH_BYTES];

    (void)state;
    assert_int_equal(weir_tree_top_path(&paths, 1, path), 0);
    assert_string_equal(path, "/d/test-dir.5-1");
    paths = paths_of(&flat, NULL);
    assert_int_equal(weir_tree_top_path(&paths, 0, path), 0);
    assert_string_equal(path, "/d/7_0");
    paths = paths_of(&bare, NULL);
    assert_int_equal(weir_tree_top_path(&paths, 0, path), -ENOENT);
}

/* "/" and "d/" get no second slash. */
static void slashes_are_not_doubled(void **state)
{
    static const struct {
        const char *root, *item, *directory;
    } rows[] = {{"/", "/5", "/"}, {"d/", "d/5", "d"}, {"d", "d/5", "d"}, {"a/b", "a/b/5", "a/b"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct weir_tree tree = {.set_count = 1, .items_per_directory = 9};
        const struct weir_tree_names names = {.root = rows[i].root, .item = "%n"};
        struct weir_tree_paths paths;
        char path[WEIR_TREE_PATH_BYTES];

        assert_int_equal(weir_tree_paths_init(&paths, &tree, &names), 0);
        weir_tree_item_path(&paths, 5, path);
        assert_string_equal(path, rows[i].item);
        weir_tree_directory_path(&paths, 0, path);
        assert_string_equal(path, rows[i].directory);
    }
}

static void numbers_have_all_their_digits(void **state)
{
    (void)state;
    for (uint64_t power = 1, digits = 1; digits <= 19; digits++, power *= 10) {
        const uint64_t numbers[] = {power - 1, power, power + 1};

        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const struct weir_tree_names names = {
                .root = "d", .item = "%r", .item_owner = numbers[i]};
            struct weir_tree_paths paths;
            char path[WEIR_TREE_PATH_BYTES], expected[32];

            assert_int_equal(weir_tree_paths_init(&paths, &bare, &names), 0);
            snprintf(expected, sizeof expected, "d/%llu", (unsigned long long)numbers[i]);
            assert_int_equal(weir_tree_item_path(&paths, 0, path), strlen(expected));
            assert_string_equal(path, expected);
        }
    }
}

/* ---- properties ---- */

static struct weir_tree random_tree(uint64_t number)
{
    return (struct weir_tree){
        .top = number % 5 ? TOP : NULL,
        .node = number % 2 ? NODE : "%s.%r.%k",
        .set_count = 1 + weir_random_below(weir_random_at(number, 0), 3),
        .depth = weir_random_below(weir_random_at(number, 1), 4),
        .branching = 1 + weir_random_below(weir_random_at(number, 2), 4),
        .items_per_directory = weir_random_below(weir_random_at(number, 3), 7),
        .only_leaves = weir_random_at(number, 4) & 1,
    };
}

/* A third of them have no skew, and in another one the others may be empty. */
static struct weir_tree random_skewed_tree(uint64_t number)
{
    struct weir_tree tree = random_tree(number);
    uint64_t directories = weir_tree_item_directories(&tree);

    if (number % 3 == 0 || directories < 2)
        return tree;
    tree.crowded_count = 1 + weir_random_below(weir_random_at(number, 5), directories - 1);
    tree.crowded_items =
        tree.items_per_directory + 1 + weir_random_below(weir_random_at(number, 6), 20);
    return tree;
}

/* The model: an item after the other is put into the first directory that has room. */
static struct weir_tree_item next_item(const struct weir_tree *tree, struct weir_tree_item before,
                                       uint64_t *in_directory)
{
    uint64_t first = weir_tree_directories(tree) - weir_tree_item_directories(tree);
    struct weir_tree_item item = before;

    item.number++;
    while (*in_directory == (item.directory - first < tree->crowded_count
                                 ? tree->crowded_items
                                 : tree->items_per_directory)) {
        *in_directory = 0;
        if (++item.directory < weir_tree_directories(tree))
            continue;
        item.directory = first;
        item.number = first * tree->items_per_directory;
        item.set++;
    }
    ++*in_directory;
    return item;
}

/* The path of the directory that holds an item, from the item's directory by number. */
static void assert_is_in(struct weir_tree_paths *paths, const struct weir_tree *tree,
                         const struct weir_tree_item *item, const char *path)
{
    char directory[WEIR_TREE_PATH_BYTES];
    size_t length = weir_tree_directory_path(
        paths, item->set * weir_tree_directories(tree) + item->directory, directory);

    assert_memory_equal(path, directory, length);
    assert_int_equal(path[length], '/');
    assert_null(strchr(path + length + 1, '/'));
}

static void each_number_is_in_its_directory_once(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 600; i++) {
        struct weir_tree tree = random_skewed_tree(i);
        struct weir_tree_paths paths = paths_of(&tree, FILES), others = paths_of(&tree, NULL);
        uint64_t items = weir_tree_items(&tree), in_directory = 0;
        uint64_t first = weir_tree_directories(&tree) - weir_tree_item_directories(&tree);
        struct weir_tree_item expected = {.directory = first,
                                          .number = first * tree.items_per_directory - 1};

        for (uint64_t k = 0; k < items; k++) {
            struct weir_tree_item item = weir_tree_find_item(&tree, k);
            char path[WEIR_TREE_PATH_BYTES], end[64];
            size_t length = weir_tree_item_path(&paths, k, path);

            expected = next_item(&tree, expected, &in_directory);
            assert_memory_equal(&item, &expected, sizeof item);
            assert_true(tree.crowded_count > 0 ||
                        item.directory == item.number / tree.items_per_directory);
            assert_int_equal(length, strlen(path));
            snprintf(end, sizeof end, "/file.mdtest.13.%llu", (unsigned long long)item.number);
            assert_string_equal(strrchr(path, '/'), end);
            assert_is_in(&others, &tree, &item, path);
        }
        assert_int_equal(items > 0 ? expected.set + 1 : tree.set_count, tree.set_count);
    }
}

static void parents_come_before_their_children(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++) {
        struct weir_tree tree = random_tree(i);
        struct weir_tree_paths paths = paths_of(&tree, NULL);
        uint64_t per_set = weir_tree_directories(&tree);

        for (uint64_t k = 0; k < tree.set_count * per_set; k++) {
            uint64_t number = k % per_set, level = 0;
            char path[WEIR_TREE_PATH_BYTES], parent[WEIR_TREE_PATH_BYTES];
            size_t length = weir_tree_directory_path(&paths, k, path);

            assert_int_equal(length, strlen(path));
            for (uint64_t up = number; up > 0; up = (up - 1) / tree.branching)
                level++;
            assert_in_range(level, 0, tree.depth);
            if (number == 0)
                continue;
            weir_tree_directory_path(&paths, k - number + (number - 1) / tree.branching, parent);
            *strrchr(path, '/') = '\0';
            assert_string_equal(path, parent);
        }
    }
}

/* What is kept of one path must not get into another one. */
static void order_changes_no_path(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        struct weir_tree tree = random_skewed_tree(i);
        struct weir_tree_paths paths = paths_of(&tree, FILES);
        uint64_t items = weir_tree_items(&tree);
        uint64_t directories = tree.set_count * weir_tree_directories(&tree);

        for (uint64_t k = 0; k < 300 && items > 0; k++) {
            struct weir_tree_paths fresh = paths_of(&tree, FILES);
            uint64_t index = weir_random_below(weir_random_at(i, 100 + k), items);
            struct weir_tree_item item;
            char path[WEIR_TREE_PATH_BYTES], expected[WEIR_TREE_PATH_BYTES];

            if (k % 4 == 0)
                weir_tree_directory_path(
                    &paths, weir_random_below(weir_random_at(i, 500 + k), directories), path);
            weir_tree_item_path(&paths, index, path);
            weir_tree_item_path(&fresh, index, expected);
            assert_string_equal(path, expected);
            item = weir_tree_find_item(&tree, index);
            assert_int_equal(paths.directory_number,
                             (7 * tree.set_count + item.set) * weir_tree_directories(&tree) +
                                 item.directory); /* paths_of: the trees of rank 7 */
        }
    }
}

/* ---- what is refused ---- */

static void patterns_that_make_no_name_are_refused(void **state)
{
    static const char *const everywhere[] = {"",
                                             ".",
                                             "..",
                                             "a/b",
                                             "/",
                                             "a/",
                                             "a%",
                                             "%x",
                                             "%r%",
                                             "%d",
                                             "% ",
                                             "%R",
                                             "%s%s%s%s%s%s%s%s%s%s%s%s%s"};
    static const struct {
        const char *top, *node, *item;
    } rows[] = {{"%k", NODE, FILES}, {"%n", NODE, FILES}, {TOP, "%n", FILES}};

    (void)state;
    for (size_t i = 0; i < 3 * (sizeof everywhere / sizeof *everywhere); i++) {
        const char *bad = everywhere[i / 3];
        const struct weir_tree tree = {
            .top = i % 3 == 0 ? bad : TOP, .node = i % 3 == 1 ? bad : NODE, .set_count = 1};
        const struct weir_tree_names names = {.root = "d", .item = i % 3 == 2 ? bad : FILES};
        struct weir_tree_paths paths;

        assert_int_equal(weir_tree_paths_init(&paths, &tree, &names), -EINVAL);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct weir_tree tree = {.top = rows[i].top, .node = rows[i].node, .set_count = 1};
        const struct weir_tree_names names = {.root = "d", .item = rows[i].item};
        struct weir_tree_paths paths;

        assert_int_equal(weir_tree_paths_init(&paths, &tree, &names), -EINVAL);
    }
}

static void names_with_dots_and_the_most_pieces_are_names(void **state)
{
    static const char *const good[] = {"...", ".%n", "#.", "%s%s%s%s%s%s%s%s%s%s%s%s",
                                       "%r%r%r%r%r%r%r%r%r%r%r%r%r"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct weir_tree_names names = {.root = "d", .item = good[i]};
        struct weir_tree_paths paths;

        assert_int_equal(weir_tree_paths_init(&paths, &one_directory, &names), 0);
    }
}

/* Roots grow by a byte until the longest path does not fit; the one before has that many bytes. */
static void longest_path_is_found_before_it_is_made(void **state)
{
    static const struct weir_tree *const trees[] = {
        &one_directory, &two_sets, &binary, &leaves, &chain, &own, &flat, &bare, &skewed};

    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        char root[WEIR_TREE_PATH_BYTES + 1] = "";
        struct weir_tree_names names = {.root = root, .item = FILES, .item_owner = 99};
        struct weir_tree_paths paths;
        char path[WEIR_TREE_PATH_BYTES];
        size_t longest = 0;

        memset(root, 'x', WEIR_TREE_PATH_BYTES - 200);
        while (weir_tree_paths_init(&paths, trees[i], &names) == 0) {
            longest = weir_tree_item_path(&paths, weir_tree_items(trees[i]) - 1, path);
            root[strlen(root)] = 'x';
        }
        assert_int_equal(weir_tree_paths_init(&paths, trees[i], &names), -ENAMETOOLONG);
        assert_int_equal(longest, WEIR_TREE_PATH_BYTES - WEIR_TREE_PATH_SPARE - 1);
    }
}

/* A chain that is as deep as a number can say is refused at once. */
static void chains_without_an_end_are_refused(void **state)
{
    const struct weir_tree tree = {
        .node = NODE, .set_count = 1, .depth = UINT64_MAX - 1, .branching = 1};
    struct weir_tree_paths paths;

    (void)state;
    assert_int_equal(weir_tree_paths_init(&paths, &tree, &(struct weir_tree_names){.root = "d"}),
                     -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directories_and_items_are_counted_as_mdtest_does),
        cmocka_unit_test(counts_that_are_too_great_are_told),
        cmocka_unit_test(items_lie_where_mdtest_puts_them),
        cmocka_unit_test(directories_lie_in_their_parents),
        cmocka_unit_test(sets_have_a_directory_of_their_own),
        cmocka_unit_test(slashes_are_not_doubled),
        cmocka_unit_test(numbers_have_all_their_digits),
        cmocka_unit_test(each_number_is_in_its_directory_once),
        cmocka_unit_test(parents_come_before_their_children),
        cmocka_unit_test(order_changes_no_path),
        cmocka_unit_test(patterns_that_make_no_name_are_refused),
        cmocka_unit_test(names_with_dots_and_the_most_pieces_are_names),
        cmocka_unit_test(longest_path_is_found_before_it_is_made),
        cmocka_unit_test(chains_without_an_end_are_refused),
    };

    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
