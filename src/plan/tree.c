/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of directories and items of a tree, made of patterns and numbers. */
#include "weir/plan/tree.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define NONE UINT64_MAX

/* ---- how many there are ---- */

/* Directories of the levels down to `depth`, or only of that one; 0 if there are too many. */
static uint64_t directories_of(const struct weir_tree *tree, bool only_deepest)
{
    uint64_t level = 1, sum = 1;

    if (tree->depth > 0 && tree->branching <= 1)
        return only_deepest ? 1 : tree->depth + 1;
    for (uint64_t i = 0; i < tree->depth; i++)
        if (__builtin_mul_overflow(level, tree->branching, &level) ||
            __builtin_add_overflow(sum, level, &sum))
            return 0;
    return only_deepest ? level : sum;
}

uint64_t weir_tree_directories(const struct weir_tree *tree)
{
    return directories_of(tree, false);
}

uint64_t weir_tree_item_directories(const struct weir_tree *tree)
{
    return directories_of(tree, tree->only_leaves);
}

uint64_t weir_tree_items(const struct weir_tree *tree)
{
    uint64_t directories = weir_tree_item_directories(tree);
    uint64_t items;

    if (tree->items_per_directory == 0)
        return 0;
    if (directories == 0 ||
        __builtin_mul_overflow(directories, tree->items_per_directory, &items) ||
        __builtin_mul_overflow(items, tree->set_count, &items))
        return UINT64_MAX;
    return items;
}

/* The directory of the first item. */
static uint64_t first_item_directory(const struct weir_tree *tree)
{
    return weir_tree_directories(tree) - weir_tree_item_directories(tree);
}

/* `per_set` items, the first of them in directory `first`. Items of a set are numbered without a
 * gap, so the number takes no second division. */
static struct weir_tree_item find_item(const struct weir_tree *tree, uint64_t per_set,
                                       uint64_t first, uint64_t index)
{
    uint64_t set = index < per_set ? 0 : index / per_set;
    uint64_t in_set = index - set * per_set;

    return (struct weir_tree_item){.set = set,
                                   .directory = first + in_set / tree->items_per_directory,
                                   .number = first * tree->items_per_directory + in_set};
}

struct weir_tree_item weir_tree_find_item(const struct weir_tree *tree, uint64_t index)
{
    return find_item(tree, weir_tree_item_directories(tree) * tree->items_per_directory,
                     first_item_directory(tree), index);
}

/* ---- patterns ---- */

/* The name must be one of a directory's entries, whatever the numbers are. */
static bool is_name(const struct weir_tree_pattern *pattern, const char *text)
{
    return pattern->count > 0 && strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

/* Numbers of `letters` may stand in it. */
static int compile(struct weir_tree_pattern *pattern, const char *text, const char *letters)
{
    pattern->count = 0;
    for (const char *rest = text; *rest != '\0';) {
        size_t length = strcspn(rest, "%/");
        char letter = rest[length] == '%' ? rest[length + 1] : '\0';

        if (rest[length] == '/' || pattern->count == WEIR_TREE_PIECES ||
            length >= WEIR_TREE_PATH_BYTES)
            return -EINVAL;
        if (rest[length] == '%' && letter != '%' && (letter == '\0' || !strchr(letters, letter)))
            return -EINVAL;
        pattern->pieces[pattern->count].text = rest;
        pattern->pieces[pattern->count].length = (uint32_t)length + (letter == '%');
        pattern->pieces[pattern->count++].letter = letter == '%' ? '\0' : letter;
        rest += length + (rest[length] == '%' ? 2 : 0);
    }
    return is_name(pattern, text) ? 0 : -EINVAL;
}

/* What the letters stand for in one name. */
struct numbers {
    uint64_t owner;
    uint64_t repetition;
    uint64_t set;
    uint64_t directory;
    uint64_t item;
};

static inline uint64_t number_of(const struct numbers *numbers, char letter)
{
    switch (letter) {
    case 'r':
        return numbers->owner;
    case 'i':
        return numbers->repetition;
    case 's':
        return numbers->set;
    case 'k':
        return numbers->directory;
    default:
        return numbers->item;
    }
}

static inline unsigned digits_of(uint64_t number)
{
    unsigned digits = 1;

    for (; number >= 10000; number /= 10000)
        digits += 4;
    return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

static inline char *put_number(char *to, uint64_t number)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    char *end = to + digits_of(number);
    char *at = end;

    for (; number >= 100; number /= 100)
        memcpy(at -= 2, &pairs[number % 100 * 2], 2);
    if (number >= 10)
        memcpy(to, &pairs[number * 2], 2);
    else
        *to = (char)('0' + number);
    return end;
}

static inline char *put_name(char *to, const struct weir_tree_pattern *pattern,
                             const struct numbers *numbers)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        memcpy(to, pattern->pieces[i].text, pattern->pieces[i].length);
        to += pattern->pieces[i].length;
        if (pattern->pieces[i].letter)
            to = put_number(to, number_of(numbers, pattern->pieces[i].letter));
    }
    return to;
}

static size_t name_bytes(const struct weir_tree_pattern *pattern, const struct numbers *numbers)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < pattern->count; i++) {
        bytes += pattern->pieces[i].length;
        if (pattern->pieces[i].letter)
            bytes += digits_of(number_of(numbers, pattern->pieces[i].letter));
    }
    return bytes;
}

/* ---- directories ---- */

static struct numbers numbers_of(const struct weir_tree_paths *paths, uint64_t set,
                                 uint64_t directory)
{
    return (struct numbers){.owner = paths->names.tree_owner,
                            .repetition = paths->names.repetition,
                            .set = set,
                            .directory = directory};
}

/* Whether the longest path, with a NUL behind it, fits: that of the last item of the last
 * directory, as no number in a path is greater than the one in the same place of this one. */
static bool do_all_fit(const struct weir_tree_paths *paths)
{
    const struct weir_tree *tree = paths->tree;
    uint64_t last = weir_tree_directories(tree) - 1;
    struct numbers numbers = numbers_of(paths, tree->set_count - 1, last);
    size_t bytes = strlen(paths->names.root) + 1;

    if (tree->top)
        bytes += name_bytes(&paths->top, &numbers) + 1;
    while (tree->node && bytes <= WEIR_TREE_PATH_BYTES) {
        bytes += name_bytes(&paths->node, &numbers) + 1;
        if (numbers.directory == 0)
            break;
        numbers.directory = (numbers.directory - 1) / tree->branching;
    }
    numbers.owner = paths->names.item_owner;
    numbers.directory = last;
    numbers.item = last * tree->items_per_directory +
                   (tree->items_per_directory > 0 ? tree->items_per_directory - 1 : 0);
    if (paths->names.item)
        bytes += name_bytes(&paths->item, &numbers) + 1;
    return bytes <= WEIR_TREE_PATH_BYTES;
}

static char *put_slash(char *to)
{
    *to = '/';
    return to + 1;
}

/* "root/top/mdtest_tree.0/", with which all paths of a set begin. */
static void keep_set(struct weir_tree_paths *paths, uint64_t set)
{
    struct numbers numbers = numbers_of(paths, set, 0);
    size_t length = strlen(paths->names.root);
    char *to = paths->directory_path;

    memcpy(to, paths->names.root, length);
    to += length;
    if (length > 0 && to[-1] != '/')
        to = put_slash(to);
    if (paths->tree->top)
        to = put_slash(put_name(to, &paths->top, &numbers));
    if (paths->tree->node)
        to = put_slash(put_name(to, &paths->node, &numbers));
    paths->set = set;
    paths->set_bytes = (size_t)(to - paths->directory_path);
}

/* Writes the directories from below directory 0 to `directory`. */
static char *put_line(const struct weir_tree_paths *paths, char *to, struct numbers *numbers,
                      uint64_t directory)
{
    uint64_t branching = paths->tree->branching;
    uint64_t line[64]; /* levels of at least two directories each */
    unsigned count = 0;

    if (branching == 1) {
        for (numbers->directory = 1; numbers->directory <= directory; numbers->directory++)
            to = put_slash(put_name(to, &paths->node, numbers));
        return to;
    }
    for (; directory > 0; directory = (directory - 1) / branching)
        line[count++] = directory;
    while (count > 0) {
        numbers->directory = line[--count];
        to = put_slash(put_name(to, &paths->node, numbers));
    }
    return to;
}

static void keep_directory(struct weir_tree_paths *paths, uint64_t set, uint64_t directory)
{
    const struct weir_tree *tree = paths->tree;
    uint64_t above = paths->first_item_directory; /* directories without items */
    struct numbers numbers = numbers_of(paths, set, directory);
    char *end;

    if (set != paths->set)
        keep_set(paths, set);
    end = put_line(paths, paths->directory_path + paths->set_bytes, &numbers, directory);
    paths->directory = directory;
    paths->directory_bytes = (size_t)(end - paths->directory_path);
    paths->item_count = directory < above ? 0 : tree->items_per_directory;
    paths->first_number = directory * tree->items_per_directory;
    paths->first_index =
        set * paths->items_per_set + paths->first_number - above * tree->items_per_directory;
}

/* ---- paths ---- */

int weir_tree_paths_init(struct weir_tree_paths *paths, const struct weir_tree *tree,
                         const struct weir_tree_names *names)
{
    int status = 0;

    assert(weir_tree_directories(tree) > 0 && tree->set_count > 0);
    assert(tree->depth == 0 || (tree->node && tree->branching > 0));
    paths->tree = tree;
    paths->names = *names;
    paths->directories_per_set = weir_tree_directories(tree);
    paths->first_item_directory = first_item_directory(tree);
    paths->items_per_set = weir_tree_item_directories(tree) * tree->items_per_directory;
    paths->set = NONE;
    paths->directory = NONE;
    paths->first_index = 0;
    paths->item_count = 0;
    if (tree->top)
        status = compile(&paths->top, tree->top, "ris");
    if (!status && tree->node)
        status = compile(&paths->node, tree->node, "risk");
    if (!status && names->item)
        status = compile(&paths->item, names->item, "riskn");
    if (status)
        return status;
    return do_all_fit(paths) ? 0 : -ENAMETOOLONG;
}

size_t weir_tree_item_path(struct weir_tree_paths *paths, uint64_t index,
                           char path[WEIR_TREE_PATH_BYTES])
{
    struct numbers numbers = {.owner = paths->names.item_owner,
                              .repetition = paths->names.repetition};
    char *to;

    assert(paths->names.item);
    if (index - paths->first_index >= paths->item_count) {
        struct weir_tree_item item =
            find_item(paths->tree, paths->items_per_set, paths->first_item_directory, index);

        keep_directory(paths, item.set, item.directory);
    }
    numbers.set = paths->set;
    numbers.directory = paths->directory;
    numbers.item = paths->first_number + (index - paths->first_index);
    memcpy(path, paths->directory_path, paths->directory_bytes);
    to = put_name(path + paths->directory_bytes, &paths->item, &numbers);
    *to = '\0';
    return (size_t)(to - path);
}

size_t weir_tree_directory_path(struct weir_tree_paths *paths, uint64_t index,
                                char path[WEIR_TREE_PATH_BYTES])
{
    uint64_t per_set = paths->directories_per_set;
    uint64_t set = index < per_set ? 0 : index / per_set;
    size_t length;

    keep_directory(paths, set, index - set * per_set);
    length = paths->directory_bytes;
    if (length > 1) /* of "/" the slash is the name */
        length--;
    memcpy(path, paths->directory_path, length);
    path[length] = '\0';
    return length;
}

int weir_tree_top_path(const struct weir_tree_paths *paths, uint64_t set,
                       char path[WEIR_TREE_PATH_BYTES])
{
    struct numbers numbers = numbers_of(paths, set, 0);
    size_t length = strlen(paths->names.root);
    char *to = path + length;

    if (!paths->tree->top)
        return -ENOENT;
    memcpy(path, paths->names.root, length);
    if (length > 0 && to[-1] != '/')
        to = put_slash(to);
    *put_name(to, &paths->top, &numbers) = '\0';
    return 0;
}
