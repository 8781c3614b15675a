/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of work of each verb: one row for each. */
#include "weir/plan/plan.h"

#include <assert.h>

enum trait {
    MOVES_DATA = 1,
    WRITES = 2,
    READS = 4,
    MAKES_FILES = 8,
    WORKS_ON_NAMES = 16,
    REMOVES = 32,
    WORKS_ON_TREES = 64,
    IS_REPEATABLE = 128,
    MAKES_ITEMS = 256,
};

#define IN_TREES (WORKS_ON_NAMES | WORKS_ON_TREES)

static const unsigned traits[WEIR_VERB_COUNT] = {
    [WEIR_WRITE] = MOVES_DATA | WRITES | MAKES_FILES,
    [WEIR_READ] = MOVES_DATA | READS,
    [WEIR_MIXED] = MOVES_DATA | WRITES | READS,
    [WEIR_REMOVE] = WORKS_ON_NAMES | REMOVES,
    [WEIR_CREATE] = IN_TREES | MAKES_ITEMS,
    [WEIR_MKNOD] = IN_TREES | MAKES_ITEMS,
    [WEIR_OPEN] = IN_TREES | IS_REPEATABLE,
    [WEIR_READ_FILE] = IN_TREES | IS_REPEATABLE,
    [WEIR_STAT] = IN_TREES | IS_REPEATABLE,
    [WEIR_LOOKUP] = IN_TREES | IS_REPEATABLE,
    [WEIR_RENAME] = IN_TREES,
    [WEIR_LINK] = IN_TREES,
    [WEIR_SYMLINK] = IN_TREES,
    [WEIR_CHMOD] = IN_TREES | IS_REPEATABLE,
    [WEIR_SETXATTR] = IN_TREES,
    [WEIR_GETXATTR] = IN_TREES | IS_REPEATABLE,
    [WEIR_LIST] = IN_TREES | IS_REPEATABLE,
    [WEIR_LIST_STAT] = IN_TREES | IS_REPEATABLE,
    [WEIR_UNLINK] = IN_TREES | REMOVES,
    [WEIR_MKDIR] = IN_TREES | MAKES_ITEMS,
    [WEIR_RMDIR] = IN_TREES | REMOVES,
    [WEIR_CYCLE] = IN_TREES,
    [WEIR_PROGRAM] = 0,
};

const char *const weir_verb_names[WEIR_VERB_COUNT] = {
    [WEIR_WRITE] = "write",       [WEIR_READ] = "read",           [WEIR_MIXED] = "mixed",
    [WEIR_REMOVE] = "remove",     [WEIR_CREATE] = "create",       [WEIR_MKNOD] = "mknod",
    [WEIR_OPEN] = "open",         [WEIR_READ_FILE] = "read-file", [WEIR_STAT] = "stat",
    [WEIR_LOOKUP] = "lookup",     [WEIR_RENAME] = "rename",       [WEIR_LINK] = "link",
    [WEIR_SYMLINK] = "symlink",   [WEIR_CHMOD] = "chmod",         [WEIR_SETXATTR] = "setxattr",
    [WEIR_GETXATTR] = "getxattr", [WEIR_LIST] = "list",           [WEIR_LIST_STAT] = "list-stat",
    [WEIR_UNLINK] = "unlink",     [WEIR_MKDIR] = "mkdir",         [WEIR_RMDIR] = "rmdir",
    [WEIR_CYCLE] = "cycle",       [WEIR_PROGRAM] = "program",
};

const char *weir_verb_name(enum weir_verb verb)
{
    assert(verb < WEIR_VERB_COUNT);
    return weir_verb_names[verb];
}

static bool has(enum weir_verb verb, enum trait trait)
{
    assert(verb < WEIR_VERB_COUNT);
    return (traits[verb] & trait) != 0;
}

bool weir_verb_moves_data(enum weir_verb verb)
{
    return has(verb, MOVES_DATA);
}

bool weir_verb_works_on_names(enum weir_verb verb)
{
    return has(verb, WORKS_ON_NAMES);
}

bool weir_verb_writes(enum weir_verb verb)
{
    return has(verb, WRITES);
}

bool weir_verb_reads(enum weir_verb verb)
{
    return has(verb, READS);
}

bool weir_verb_makes_files(enum weir_verb verb)
{
    return has(verb, MAKES_FILES);
}

bool weir_verb_removes(enum weir_verb verb)
{
    return has(verb, REMOVES);
}

bool weir_verb_works_on_trees(enum weir_verb verb)
{
    return has(verb, WORKS_ON_TREES);
}

bool weir_verb_is_repeatable(enum weir_verb verb)
{
    return has(verb, IS_REPEATABLE);
}

bool weir_verb_makes_items(enum weir_verb verb)
{
    return has(verb, MAKES_ITEMS);
}
