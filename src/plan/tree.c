/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of directories and items of a tree, made of patterns and numbers. */
#include "weir/plan/tree.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define NONE UINT64_MAX

/* ---- numbers ---- */

/* 64-bit divisions are slow on many processors, and few trees need them. */
static inline uint64_t divide(uint64_t number, uint64_t by)
{
    return (number | by) >> 32 ? number / by : (uint32_t)number / (uint32_t)by;
}

static inline unsigned digits_of(uint64_t number)
{
    unsigned digits = 1;

    for (; number >= 10000; number /= 10000)
        digits += 4;
    return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

/* Below 100, without a zero in front. */
static inline char *put_pair(char *to, uint64_t number)
{
    bool is_short = number < 10;

    memcpy(to, &pairs[2 * number + is_short], 2);
    return to + 2 - is_short;
}

/* Of a number below 10000 all four digits. */
static inline char *put_four(char *to, uint32_t number)
{
    memcpy(to, &pairs[2 * (number / 100)], 2);
    memcpy(to + 2, &pairs[2 * (number % 100)], 2);
    return to + 4;
}

/* Below 10000, without zeros in front. */
static inline char *put_small_number(char *to, uint32_t number)
{
    if (number < 100)
        return put_pair(to, number);
    to = put_pair(to, number / 100);
    memcpy(to, &pairs[2 * (number % 100)], 2);
    return to + 2;
}

static __attribute__((noinline)) char *put_great_number(char *to, uint64_t number)
{
    const uint32_t eight_digits = 100000000;
    uint32_t low = (uint32_t)(number % eight_digits);

    if (number < eight_digits)
        return put_four(put_small_number(to, low / 10000), low % 10000);
    number /= eight_digits;
    to = number < 10000 ? put_small_number(to, (uint32_t)number) : put_great_number(to, number);
    return put_four(put_four(to, low / 10000), low % 10000);
}

/* Most numbers have few digits. */
static inline char *put_number(char *to, uint64_t number)
{
    return number < 10000 ? put_small_number(to, (uint32_t)number) : put_great_number(to, number);
}

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

uint64_t weir_tree_items_per_set(const struct weir_tree *tree)
{
    uint64_t directories = weir_tree_item_directories(tree);
    uint64_t items, crowded;

    if (tree->items_per_directory == 0 && tree->crowded_items == 0)
        return 0;
    if (directories == 0 ||
        __builtin_mul_overflow(directories - tree->crowded_count, tree->items_per_directory,
                               &items) ||
        __builtin_mul_overflow(tree->crowded_count, tree->crowded_items, &crowded) ||
        __builtin_add_overflow(items, crowded, &items))
        return UINT64_MAX;
    return items;
}

uint64_t weir_tree_items(const struct weir_tree *tree)
{
    uint64_t items = weir_tree_items_per_set(tree);

    if (items == UINT64_MAX || __builtin_mul_overflow(items, tree->set_count, &items))
        return UINT64_MAX;
    return items;
}

/* The directory of the first item. */
static uint64_t first_item_directory(const struct weir_tree *tree)
{
    return weir_tree_directories(tree) - weir_tree_item_directories(tree);
}

/* Of those that hold items: the one of an item. */
static inline uint64_t item_directory(const struct weir_tree *tree, uint64_t in_set)
{
    uint64_t crowded;

    if (__builtin_expect(tree->crowded_count == 0, 1))
        return divide(in_set, tree->items_per_directory);
    crowded = tree->crowded_count * tree->crowded_items;
    if (in_set < crowded)
        return divide(in_set, tree->crowded_items);
    return tree->crowded_count + divide(in_set - crowded, tree->items_per_directory);
}

/* `per_set` items, the first of them in directory `first`. Items of a set are numbered without a
 * gap, so the number takes no second division. */
static struct weir_tree_item find_item(const struct weir_tree *tree, uint64_t per_set,
                                       uint64_t first, uint64_t index)
{
    uint64_t set = index < per_set ? 0 : divide(index, per_set);
    uint64_t in_set = index - set * per_set;

    return (struct weir_tree_item){.set = set,
                                   .directory = first + item_directory(tree, in_set),
                                   .number = first * tree->items_per_directory + in_set};
}

struct weir_tree_item weir_tree_find_item(const struct weir_tree *tree, uint64_t index)
{
    return find_item(tree, weir_tree_items_per_set(tree), first_item_directory(tree), index);
}

/* ---- patterns ---- */

/* Numbers in a name that differ within a phase; in pieces, which of them stands behind. */
enum { NO_NUMBER, SET, DIRECTORY, ITEM, NUMBERS };

struct numbers {
    uint64_t of[NUMBERS];
};

static unsigned char number_of(char letter)
{
    return letter == 'k' ? DIRECTORY : letter == 'n' ? ITEM : SET;
}

/* A pattern that is taken to pieces. */
struct reader {
    struct weir_tree_pattern *pattern;
    size_t length; /* of its text; WEIR_TREE_NAME_MAX + 1: too long */
    size_t ended;  /* part of it that is in pieces */
    uint64_t owner;
    uint64_t repetition;
};

static void add_text(struct reader *reader, const char *text, size_t length)
{
    if (length > WEIR_TREE_NAME_MAX - reader->length) {
        reader->length = WEIR_TREE_NAME_MAX + 1;
        return;
    }
    memcpy(reader->pattern->text + reader->length, text, length);
    reader->length += length;
}

static void add_constant(struct reader *reader, uint64_t number)
{
    char digits[24];

    add_text(reader, digits, (size_t)(put_number(digits, number) - digits));
}

/* Ends a piece, behind which that number stands. */
static int end_piece(struct reader *reader, unsigned char number)
{
    struct weir_tree_pattern *pattern = reader->pattern;

    if (pattern->count == WEIR_TREE_PIECES)
        return -EINVAL;
    pattern->pieces[pattern->count].start = (uint16_t)reader->ended;
    pattern->pieces[pattern->count].length = (uint16_t)(reader->length - reader->ended);
    pattern->pieces[pattern->count++].number = number;
    reader->ended = reader->length;
    return 0;
}

static int add_letter(struct reader *reader, char letter, const char *letters)
{
    if (letter == '\0' || !strchr(letters, letter))
        return -EINVAL;
    if (letter == '%')
        add_text(reader, "%", 1);
    else if (letter == 'r')
        add_constant(reader, reader->owner);
    else if (letter == 'i')
        add_constant(reader, reader->repetition);
    else
        return reader->length <= WEIR_TREE_NAME_MAX ? end_piece(reader, number_of(letter))
                                                    : -ENAMETOOLONG;
    return 0;
}

/* `letters` may stand in it. */
static int compile(struct reader *reader, const char *text, const char *letters)
{
    memset(reader->pattern, 0, sizeof *reader->pattern);
    if (text[0] == '\0' || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return -EINVAL;
    for (const char *rest = text; *rest != '\0';) {
        size_t length = strcspn(rest, "%/");
        int status = 0;

        if (rest[length] == '/')
            return -EINVAL;
        add_text(reader, rest, length);
        rest += length;
        if (*rest == '%') {
            status = add_letter(reader, rest[1], letters);
            rest += 2;
        }
        if (status)
            return status;
    }
    if (reader->length > WEIR_TREE_NAME_MAX)
        return -ENAMETOOLONG;
    return reader->length > reader->ended ? end_piece(reader, NO_NUMBER) : 0;
}

/* Sixteen bytes are a single load and store; what is written too much is overwritten, or behind the
 * end (WEIR_TREE_PATH_SPARE). */
static inline char *put_text(char *to, const char *text, size_t length)
{
    memcpy(to, text, 16);
    for (size_t done = 16; done < length; done += 16)
        memcpy(to + done, text + done, 16);
    return to + length;
}

static inline char *put_name(char *to, const struct weir_tree_pattern *pattern,
                             const struct numbers *numbers)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        to = put_text(to, pattern->text + pattern->pieces[i].start, pattern->pieces[i].length);
        if (pattern->pieces[i].number != NO_NUMBER)
            to = put_number(to, numbers->of[pattern->pieces[i].number]);
    }
    return to;
}

static size_t name_bytes(const struct weir_tree_pattern *pattern, const struct numbers *numbers)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < pattern->count; i++) {
        bytes += pattern->pieces[i].length;
        if (pattern->pieces[i].number != NO_NUMBER)
            bytes += digits_of(numbers->of[pattern->pieces[i].number]);
    }
    return bytes;
}

/* ---- directories ---- */

/* 0, or -ENAMETOOLONG if the longest name or path does not fit: those of the last item of the last
 * directory, as no number is greater than the one in the same place of its path. */
static int check_lengths(const struct weir_tree_paths *paths)
{
    const struct weir_tree *tree = paths->tree;
    uint64_t last = paths->directories_per_set - 1;
    struct numbers numbers = {.of = {[SET] = tree->set_count - 1, [DIRECTORY] = last}};
    size_t bytes = strlen(paths->names.root) + 1;
    size_t item_bytes, longest;

    numbers.of[ITEM] = paths->first_item_directory * tree->items_per_directory;
    if (paths->items_per_set > 0)
        numbers.of[ITEM] += paths->items_per_set - 1;
    longest = item_bytes = name_bytes(&paths->item, &numbers);
    if (name_bytes(&paths->top, &numbers) > longest)
        longest = name_bytes(&paths->top, &numbers);
    if (name_bytes(&paths->node, &numbers) > longest)
        longest = name_bytes(&paths->node, &numbers);
    if (longest > WEIR_TREE_NAME_MAX)
        return -ENAMETOOLONG;
    bytes += item_bytes + 1;
    if (tree->top)
        bytes += name_bytes(&paths->top, &numbers) + 1;
    while (tree->node && bytes <= WEIR_TREE_PATH_BYTES) {
        bytes += name_bytes(&paths->node, &numbers) + 1;
        if (numbers.of[DIRECTORY] == 0)
            break;
        numbers.of[DIRECTORY] = (numbers.of[DIRECTORY] - 1) / tree->branching;
    }
    return bytes <= WEIR_TREE_PATH_BYTES - WEIR_TREE_PATH_SPARE ? 0 : -ENAMETOOLONG;
}

static char *put_slash(char *to)
{
    *to = '/';
    return to + 1;
}

/* "root/top/mdtest_tree.0/", with which all paths of a set begin. */
static void keep_set(struct weir_tree_paths *paths, uint64_t set)
{
    const struct numbers numbers = {.of = {[SET] = set}};
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
    paths->directory = NONE;
    paths->item_count = 0;
    paths->set_bytes = (size_t)(to - paths->directory_path);
}

/* "mdtest_tree.%k", as most are. */
static inline bool is_short_and_numbered(const struct weir_tree_pattern *pattern)
{
    return pattern->count == 1 && pattern->pieces[0].number == DIRECTORY &&
           pattern->pieces[0].length <= 16;
}

/* The last of `line` comes first. */
static char *put_short_names(char *to, const struct weir_tree_pattern *pattern,
                             const uint64_t line[], unsigned count)
{
    const size_t length = pattern->pieces[0].length;

    while (count > 0) {
        memcpy(to, pattern->text, 16);
        to = put_slash(put_number(to + length, line[--count]));
    }
    return to;
}

/* Writes the directories from below directory 0 to `directory`. */
static char *put_line(const struct weir_tree_paths *paths, char *to, struct numbers *numbers,
                      uint64_t directory)
{
    uint64_t branching = paths->tree->branching;
    uint64_t line[64]; /* levels of at least two directories each */
    unsigned count = 0;

    if (branching == 1) {
        for (numbers->of[DIRECTORY] = 1; numbers->of[DIRECTORY] <= directory;
             numbers->of[DIRECTORY]++)
            to = put_slash(put_name(to, &paths->node, numbers));
        return to;
    }
    for (; directory > 0; directory = divide(directory - 1, branching))
        line[count++] = directory;
    if (is_short_and_numbered(&paths->node))
        return put_short_names(to, &paths->node, line, count);
    while (count > 0) {
        numbers->of[DIRECTORY] = line[--count];
        to = put_slash(put_name(to, &paths->node, numbers));
    }
    return to;
}

static uint64_t directory_number(const struct weir_tree_paths *paths, uint64_t set,
                                 uint64_t directory)
{
    return (paths->names.tree_owner * paths->tree->set_count + set) * paths->directories_per_set +
           directory;
}

static void keep_directory(struct weir_tree_paths *paths, uint64_t set, uint64_t directory)
{
    const struct weir_tree *tree = paths->tree;
    uint64_t above = paths->first_item_directory; /* directories without items */
    uint64_t place = directory - above;
    bool is_crowded = place < tree->crowded_count;
    uint64_t crowded = is_crowded ? place : tree->crowded_count; /* before this one */
    struct numbers numbers = {.of = {[SET] = set}};
    char *end;

    if (set != paths->set)
        keep_set(paths, set);
    end = put_line(paths, paths->directory_path + paths->set_bytes, &numbers, directory);
    paths->directory = directory;
    paths->kept_number = paths->directory_number = directory_number(paths, set, directory);
    paths->directory_bytes = (size_t)(end - paths->directory_path);
    paths->item_count = directory < above ? 0
                        : is_crowded      ? tree->crowded_items
                                          : tree->items_per_directory;
    paths->first_number = directory * tree->items_per_directory +
                          crowded * (tree->crowded_items - tree->items_per_directory);
    paths->first_index =
        set * paths->items_per_set + paths->first_number - above * tree->items_per_directory;
}

/* ---- paths ---- */

int weir_tree_paths_init(struct weir_tree_paths *paths, const struct weir_tree *tree,
                         const struct weir_tree_names *names)
{
    struct reader top = {&paths->top, 0, 0, names->tree_owner, names->repetition};
    struct reader node = {&paths->node, 0, 0, names->tree_owner, names->repetition};
    struct reader item = {&paths->item, 0, 0, names->item_owner, names->repetition};
    int status = 0;

    assert(weir_tree_directories(tree) > 0 && tree->set_count > 0);
    assert(tree->depth == 0 || (tree->node && tree->branching > 0));
    *paths = (struct weir_tree_paths){
        .tree = tree,
        .names = *names,
        .directories_per_set = weir_tree_directories(tree),
        .first_item_directory = first_item_directory(tree),
        .items_per_set = weir_tree_items_per_set(tree),
        .set = NONE,
        .directory = NONE,
        .latest = NONE,
    };
    if (tree->top)
        status = compile(&top, tree->top, "%ris");
    if (!status && tree->node)
        status = compile(&node, tree->node, "%risk");
    if (!status && names->item)
        status = compile(&item, names->item, "%riskn");
    return status ? status : check_lengths(paths);
}

/* The directory of an item as it goes into `path`. It is kept when its second item in a row is
 * asked for: in random order there is none, and keeping it would be for nothing. */
static char *put_directory(struct weir_tree_paths *paths, const struct weir_tree_item *item,
                           struct numbers *numbers, char *path)
{
    if (item->set != paths->set)
        keep_set(paths, item->set);
    if (item->directory == paths->latest) {
        keep_directory(paths, item->set, item->directory);
        return put_text(path, paths->directory_path, paths->directory_bytes);
    }
    paths->latest = item->directory;
    paths->directory_number = directory_number(paths, item->set, item->directory);
    path = put_text(path, paths->directory_path, paths->set_bytes);
    return put_line(paths, path, numbers, item->directory);
}

size_t weir_tree_item_path(struct weir_tree_paths *paths, uint64_t index,
                           char path[WEIR_TREE_PATH_BYTES])
{
    struct numbers numbers;
    char *to;

    assert(paths->names.item);
    if (index - paths->first_index < paths->item_count) {
        numbers.of[SET] = paths->set;
        numbers.of[DIRECTORY] = paths->directory;
        numbers.of[ITEM] = paths->first_number + (index - paths->first_index);
        paths->directory_number = paths->kept_number;
        to = put_text(path, paths->directory_path, paths->directory_bytes);
    } else {
        struct weir_tree_item item =
            find_item(paths->tree, paths->items_per_set, paths->first_item_directory, index);

        numbers.of[SET] = item.set;
        to = put_directory(paths, &item, &numbers, path);
        numbers.of[DIRECTORY] = item.directory;
        numbers.of[ITEM] = item.number;
    }
    to = put_name(to, &paths->item, &numbers);
    *to = '\0';
    return (size_t)(to - path);
}

size_t weir_tree_directory_path(struct weir_tree_paths *paths, uint64_t index,
                                char path[WEIR_TREE_PATH_BYTES])
{
    uint64_t per_set = paths->directories_per_set;
    uint64_t set = index < per_set ? 0 : divide(index, per_set);
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
    const struct numbers numbers = {.of = {[SET] = set}};
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
