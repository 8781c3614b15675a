/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of directories with items in them: every path is a pure function of the tree, the ranks
 * that own tree and items, the repetition, and a number. Nothing is kept of a directory or an item,
 * so that trees may be of any size. */
#ifndef WEIR_PLAN_TREE_H
#define WEIR_PLAN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are patterns, in which these stand for numbers in decimal:
 *   %r  the rank that owns what is named: the tree in `top` and `node`, the item in names of items
 *   %i  the repetition        %s  the set         %k  the directory in its tree
 *   %n  the item in its set   %%  a percent sign
 *
 * A set is one tree. Its directories are numbered level by level: 0 is the top, and those in
 * directory k are k * branching + 1 to k * branching + branching, down to level `depth`. Every
 * directory that holds items has `items_per_directory` of them for each owner of items: directory k
 * those from k * items_per_directory on (numbering of mdtest 1.9 to 4.1, as measured). With a skew
 * the first directories that hold items have more of them, and numbers still have no gap. */
struct weir_tree {
    const char *top;    /* "test-dir.%i-%s": directory in the root that holds the set; NULL: none */
    const char *node;   /* "mdtest_tree.%k": a directory of the tree. NULL: items lie in `top`, and
                           depth is 0 */
    uint64_t set_count; /* > 0 */
    uint64_t depth;
    uint64_t branching; /* > 0 if depth is */
    uint64_t items_per_directory;
    uint64_t crowded_count; /* of the directories that hold items, the first ones have ... */
    uint64_t crowded_items; /* ... so many each; both 0: no skew */
    bool only_leaves;       /* only directories of the deepest level hold items */
    bool is_own; /* a tree for each rank, which makes and removes it; else rank 0 does for all */
};

/* Directories of one set, 0 if there are more than 2^64; those of them that hold items, or would
 * without a skew; and items of one owner in a set, and in all sets, UINT64_MAX if there are too
 * many. A plan that was checked has fewer than 2^63 of each. */
uint64_t weir_tree_directories(const struct weir_tree *tree);
uint64_t weir_tree_item_directories(const struct weir_tree *tree);
uint64_t weir_tree_items_per_set(const struct weir_tree *tree);
uint64_t weir_tree_items(const struct weir_tree *tree);
/* Number of an item in its set, and its directory. `index` < weir_tree_items: set by set, in each
 * directory by directory. */
struct weir_tree_item {
    uint64_t set;
    uint64_t directory;
    uint64_t number; /* %n */
};
struct weir_tree_item weir_tree_find_item(const struct weir_tree *tree, uint64_t index);

/* What the letters of the patterns stand for. */
struct weir_tree_names {
    const char *root; /* directory in which the trees are */
    const char *item; /* pattern of items: "file.mdtest.%r.%n"; NULL: paths of directories only */
    uint64_t tree_owner;
    uint64_t item_owner;
    uint64_t repetition;
};

#define WEIR_TREE_PATH_BYTES 4096
#define WEIR_TREE_PATH_SPARE 32 /* what no path uses of them: texts are copied in pieces of 16 */
#define WEIR_TREE_NAME_MAX 255  /* bytes of a name, as file systems have it */
#define WEIR_TREE_PIECES 12     /* of a pattern: literal texts and numbers */

/* A pattern taken to pieces: literal text, among it the numbers that never change, and behind each
 * piece a number if `number` is not 0. */
struct weir_tree_pattern {
    unsigned count;
    struct {
        uint16_t start; /* in `text` */
        uint16_t length;
        unsigned char number; /* which */
    } pieces[WEIR_TREE_PIECES];
    char text[WEIR_TREE_NAME_MAX + 1 + 16];
};

/* Makes paths; those of one directory in a row share its part, which is kept. */
struct weir_tree_paths {
    const struct weir_tree *tree;
    struct weir_tree_names names;
    struct weir_tree_pattern top, node, item;
    uint64_t directories_per_set;
    uint64_t items_per_set;
    uint64_t first_item_directory;
    uint64_t latest;           /* directory of the latest item that was not in the one kept */
    uint64_t directory_number; /* of the directory of the latest path, among those of all sets of
                                  the owners 0, 1, ...; and ... */
    uint64_t kept_number;      /* ... of the directory that is kept */
    uint64_t set;              /* of that one, ... */
    uint64_t directory;        /* ... UINT64_MAX: none yet */
    uint64_t first_index;      /* its first item, ... */
    uint64_t first_number;     /* ... that item's number in its set, ... */
    uint64_t item_count;       /* ... and how many there are */
    size_t set_bytes;          /* of the path of directory 0 with the slash behind it */
    size_t directory_bytes;    /* the same of the directory that is kept */
    char directory_path[WEIR_TREE_PATH_BYTES];
};

/* 0, -EINVAL if a pattern makes no name (it is empty, "." or "..") or has a slash, too many pieces,
 * or a letter that is unknown or has no meaning in it, or -ENAMETOOLONG if the longest name or path
 * of the tree would not fit. `tree` and the texts must outlive the paths. */
int weir_tree_paths_init(struct weir_tree_paths *paths, const struct weir_tree *tree,
                         const struct weir_tree_names *names);

/* Path of item `index` (< weir_tree_items), of the directory `index` (< set_count * directories;
 * set by set, parents before children), and of the directory `top` of a set (-ENOENT: the tree has
 * none). Return the length without the NUL. */
size_t weir_tree_item_path(struct weir_tree_paths *paths, uint64_t index,
                           char path[WEIR_TREE_PATH_BYTES]);
size_t weir_tree_directory_path(struct weir_tree_paths *paths, uint64_t index,
                                char path[WEIR_TREE_PATH_BYTES]);
int weir_tree_top_path(const struct weir_tree_paths *paths, uint64_t set,
                       char path[WEIR_TREE_PATH_BYTES]);

#endif
