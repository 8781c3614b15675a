/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of phases on the items and directories of trees: words that contradict each other, names
 * that would not be different ones, and operations that the backend does not have. */
#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- what verbs work on ---- */

enum need { NEVER, MAY, MUST };

struct row {
    enum need item;     /* a pattern of items, else the directories of the trees */
    enum need new_item; /* a second one */
    bool is_of_files;   /* not of directories */
    bool is_of_directories;
    bool changes_names; /* what was there before is not there afterwards, or the other way round */
    unsigned ability;   /* of enum weir_name_verb; 0: each backend with names has it */
    const char *noun;   /* of the ability */
};

static const struct row rows[WEIR_VERB_COUNT] = {
    [WEIR_CREATE] = {.item = MUST, .is_of_files = true, .changes_names = true},
    [WEIR_MKNOD] = {.item = MUST,
                    .is_of_files = true,
                    .changes_names = true,
                    .ability = WEIR_NAMES_MKNOD,
                    .noun = "mknod"},
    [WEIR_OPEN] = {.item = MUST, .is_of_files = true},
    [WEIR_READ_FILE] = {.item = MUST, .is_of_files = true},
    [WEIR_STAT] = {.item = MUST},
    [WEIR_LOOKUP] = {.item = MUST},
    [WEIR_RENAME] = {.item = MUST,
                     .new_item = MAY,
                     .changes_names = true,
                     .ability = WEIR_NAMES_RENAME,
                     .noun = "rename"},
    [WEIR_LINK] = {.item = MUST,
                   .new_item = MUST,
                   .is_of_files = true,
                   .changes_names = true,
                   .ability = WEIR_NAMES_LINK,
                   .noun = "link"},
    [WEIR_SYMLINK] = {.item = MUST,
                      .new_item = MUST,
                      .changes_names = true,
                      .ability = WEIR_NAMES_SYMLINK,
                      .noun = "symlink"},
    [WEIR_CHMOD] = {.item = MUST, .ability = WEIR_NAMES_CHMOD, .noun = "chmod"},
    [WEIR_SETXATTR] = {.item = MUST, .ability = WEIR_NAMES_XATTR, .noun = "setxattr"},
    [WEIR_GETXATTR] = {.item = MUST, .ability = WEIR_NAMES_XATTR, .noun = "getxattr"},
    [WEIR_LIST] = {.item = NEVER, .ability = WEIR_NAMES_LIST, .noun = "list"},
    [WEIR_LIST_STAT] = {.item = NEVER, .ability = WEIR_NAMES_LIST, .noun = "list"},
    [WEIR_UNLINK] = {.item = MUST, .is_of_files = true, .changes_names = true},
    [WEIR_MKDIR] = {.item = MAY, .is_of_directories = true, .changes_names = true},
    [WEIR_RMDIR] = {.item = MAY, .is_of_directories = true, .changes_names = true},
    [WEIR_CYCLE] = {.item = MUST, .new_item = MAY, .changes_names = true},
};

static const struct row *row_of(const struct weir_check_scope *scope)
{
    return &rows[scope->phase->verb];
}

static const char *verb_name(const struct weir_check_scope *scope)
{
    return weir_verb_name(scope->phase->verb);
}

static bool has_verb(const struct weir_phase *phase, enum weir_verb verb)
{
    for (unsigned i = 0; phase->verb == WEIR_CYCLE && i < phase->names.cycle_count; i++)
        if (phase->names.cycle[i] == verb)
            return true;
    return phase->verb == verb;
}

/* ---- trees ---- */

static uint64_t most_in_one(const struct weir_tree *tree)
{
    return tree->crowded_count > 0 ? tree->crowded_items : tree->items_per_directory;
}

static int check_numbers(const struct weir_check_scope *scope)
{
    const struct weir_tree *tree = scope->phase->target->tree;
    uint64_t directories;

    if (tree->set_count == 0)
        return REFUSE(scope, "0 sets of directories: give at least one");
    if (tree->depth > 0 && tree->branching == 0)
        return REFUSE(scope,
                      "a tree of depth %" PRIu64 " whose directories have no directories "
                      "in them: give a branching factor of at least 1, or depth 0",
                      tree->depth);
    if (tree->depth > 0 && !tree->node)
        return REFUSE(scope,
                      "a tree of depth %" PRIu64 " whose directories have no names: give "
                      "a pattern of their names, or depth 0",
                      tree->depth);
    directories = weir_tree_directories(tree);
    if (directories == 0 || __builtin_mul_overflow(directories, tree->set_count, &directories) ||
        directories > INT64_MAX)
        return REFUSE(scope,
                      "a tree of depth %" PRIu64 " with branching factor %" PRIu64
                      " has more directories than can be counted: choose smaller numbers",
                      tree->depth, tree->branching);
    if ((tree->crowded_count > 0 || tree->crowded_items > 0) &&
        (tree->crowded_count == 0 || tree->crowded_count >= weir_tree_item_directories(tree) ||
         tree->crowded_items <= tree->items_per_directory))
        return REFUSE(scope,
                      "%" PRIu64 " of %" PRIu64 " directories with %" PRIu64
                      " items each and the others with %" PRIu64
                      ": that is no skew; let some of them, and not all, hold more than the others",
                      tree->crowded_count, weir_tree_item_directories(tree), tree->crowded_items,
                      tree->items_per_directory);
    if (weir_tree_items(tree) > INT64_MAX ||
        __builtin_mul_overflow(weir_tree_directories(tree), tree->items_per_directory,
                               &directories) ||
        __builtin_add_overflow(directories, weir_tree_items_per_set(tree), &directories) ||
        directories > INT64_MAX)
        return REFUSE(scope,
                      "%" PRIu64 " items in each of %" PRIu64
                      " directories are more than can be counted: choose smaller numbers",
                      most_in_one(tree), weir_tree_directories(tree));
    return 0;
}

/* Paths of the greatest numbers that there can be; `item` may be NULL. */
static int check_pattern(const struct weir_check_scope *scope, const char *root, const char *item)
{
    struct weir_tree_paths paths;
    const struct weir_tree *tree = scope->phase->target->tree;
    const struct weir_tree_names names = {.root = root,
                                          .item = item,
                                          .tree_owner = WEIR_PLAN_RANKS_MAX,
                                          .item_owner = WEIR_PLAN_RANKS_MAX,
                                          .repetition = INT64_MAX};
    int status = weir_tree_paths_init(&paths, tree, &names);

    if (status == -ENAMETOOLONG)
        return REFUSE(scope,
                      "the longest path in %.256s is too long: names may have %d bytes and "
                      "paths %d: choose shorter names, or a tree of less depth",
                      root, WEIR_TREE_NAME_MAX, WEIR_TREE_PATH_BYTES - WEIR_TREE_PATH_SPARE - 1);
    if (status)
        return REFUSE(scope,
                      "\"%.256s\", \"%.256s\" and \"%.256s\" are not all patterns of names: use "
                      "no slash, and of letters behind percent signs r, i and s, k in names of "
                      "directories and items, and n in names of items",
                      tree->top ? tree->top : "", tree->node ? tree->node : "", item ? item : "");
    return 0;
}

static int check_paths(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;
    const struct weir_names *names = &scope->phase->names;
    int status = 0;

    for (size_t i = 0; i < target->path_count && !status; i++) {
        if (!target->paths[i] || target->paths[i][0] == '\0')
            return REFUSE(scope, "empty path: give the name of a directory");
        status = check_pattern(scope, target->paths[i], names->item);
        if (!status && names->new_item)
            status = check_pattern(scope, target->paths[i], names->new_item);
    }
    return status;
}

/* Whether the letter stands in the pattern, which is one. */
static bool has_letter(const char *pattern, char letter)
{
    for (; pattern && (pattern = strchr(pattern, '%')); pattern += 2)
        if (pattern[1] == letter)
            return true;
    return false;
}

/* Directories that are different ones must have different paths. */
static int check_tree_letters(const struct weir_check_scope *scope)
{
    const struct weir_tree *tree = scope->phase->target->tree;
    bool has_rank = has_letter(tree->top, 'r') || has_letter(tree->node, 'r');

    if (tree->is_own && !has_rank)
        return REFUSE(scope, "a tree for each rank, and no rank in the names of its directories: "
                             "put %%r into one of the patterns");
    if (!tree->is_own && has_rank)
        return REFUSE(scope, "a rank in the names of directories of a tree for all ranks: leave "
                             "%%r out, or give each rank a tree of its own");
    if (tree->set_count > 1 && !has_letter(tree->top, 's') && !has_letter(tree->node, 's'))
        return REFUSE(scope, "several sets of directories, and no set in their names: put %%s into "
                             "one of the patterns");
    if (tree->depth > 0 && tree->branching > 1 && !has_letter(tree->node, 'k'))
        return REFUSE(scope, "several directories in each one, and no number in their names: put "
                             "%%k into the pattern");
    return 0;
}

static int check_item_letters(const struct weir_check_scope *scope, const char *item)
{
    const struct weir_tree *tree = scope->phase->target->tree;
    bool is_shared = scope->phase->names.is_shared;

    if (most_in_one(tree) > 1 && !has_letter(item, 'n'))
        return REFUSE(scope, "several items in each directory, and no number in their names: put "
                             "%%n into the pattern");
    if (is_shared && has_letter(item, 'r'))
        return REFUSE(scope, "one set of items for all ranks, and a rank in their names: leave %%r "
                             "out, or give each rank items of its own");
    if (!is_shared && !tree->is_own && !has_letter(item, 'r'))
        return REFUSE(scope, "items of several ranks in one directory, and no rank in their names: "
                             "put %%r into the pattern");
    if (tree->node && strcmp(item, tree->node) == 0)
        return REFUSE(scope, "items and directories of the tree with the same names: choose "
                             "different patterns");
    return 0;
}

static int check_tree(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;

    if (!target || target->path_count == 0)
        return REFUSE(scope, "%s without a directory: give a path", verb_name(scope));
    if (!target->tree)
        return REFUSE(scope, "%s works on the items of a tree, not on files: give a tree",
                      verb_name(scope));
    if (target->is_shared || target->has_own_directory || target->is_new_each_repetition ||
        target->is_device || target->has_package_directory)
        return REFUSE(scope, "a tree whose path is to be that of a file too: leave the words of "
                             "files out");
    if (target->path_count > 1 && !target->tree->is_own)
        return REFUSE(scope,
                      "%zu paths for one tree: give one path, or each rank a tree of its own",
                      target->path_count);
    return check_numbers(scope);
}

/* ---- patterns of items ---- */

static int check_items(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;
    const struct row *row = row_of(scope);

    if (row->item == MUST && !names->item)
        return REFUSE(scope, "%s without items: give the pattern of their names", verb_name(scope));
    if (row->item == NEVER && names->item)
        return REFUSE(scope, "%s works on the directories of a tree: leave its items out",
                      verb_name(scope));
    if (row->new_item == MUST && !names->new_item)
        return REFUSE(scope, "%s without new names: give their pattern", verb_name(scope));
    if (row->new_item == NEVER && names->new_item)
        return REFUSE(scope, "%s makes no second names: leave their pattern out", verb_name(scope));
    if (names->new_item && strcmp(names->item, names->new_item) == 0)
        return REFUSE(scope, "old and new names are the same: choose different patterns");
    if (names->item && row->is_of_files && names->is_directory)
        return REFUSE(scope, "%s works on files, and the items are directories: choose one of both",
                      verb_name(scope));
    if (names->item && row->is_of_directories && !names->is_directory)
        return REFUSE(scope, "%s works on directories, and the items are files: choose one of both",
                      verb_name(scope));
    return 0;
}

static int check_letters(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;
    int status = check_paths(scope);

    if (!status)
        status = check_tree_letters(scope);
    if (!status && names->item)
        status = check_item_letters(scope, names->item);
    if (!status && names->new_item)
        status = check_item_letters(scope, names->new_item);
    return status;
}

/* ---- which ranks ---- */

static int check_shared_items(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;

    if (!names->is_shared)
        return 0;
    if (!names->item || names->is_directory)
        return REFUSE(scope, "directories that all ranks make: let them share files");
    if (scope->phase->target->tree->is_own)
        return REFUSE(scope, "one set of items for all ranks, and a tree for each: choose one of "
                             "both");
    if (names->is_exclusive)
        return REFUSE(scope, "one set of items for all ranks, each of which is to make them alone: "
                             "choose one of both");
    if (row_of(scope)->new_item != NEVER)
        return REFUSE(scope,
                      "%s of items that all ranks share would find them changed by others: "
                      "give each rank items of its own",
                      verb_name(scope));
    return 0;
}

static int check_shifts(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_shift *shifts[] = {&phase->shift, &phase->names.tree_shift};

    for (size_t i = 0; i < 2; i++) {
        if (shifts[i]->varies && shifts[i]->kind != WEIR_SHIFT_RANDOM &&
            shifts[i]->kind != WEIR_SHIFT_PERMUTATION)
            return REFUSE(scope, "an order of ranks that is not random cannot vary: choose a "
                                 "random one, or a fixed one");
        if (shifts[i]->kind != WEIR_SHIFT_NONE && !phase->names.item &&
            row_of(scope)->changes_names)
            return REFUSE(scope, "%s of a tree is the work of its own rank: leave the shift out",
                          verb_name(scope));
    }
    if (shifts[1]->kind != WEIR_SHIFT_NONE && !phase->target->tree->is_own)
        return REFUSE(scope, "a shift between trees, of which there is one: give each rank a tree "
                             "of its own, or leave the shift out");
    return 0;
}

/* ---- order and end ---- */

static int check_order(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;

    if (names->order == WEIR_ORDER_RANDOM_BLOCKS)
        return REFUSE(scope, "items have no blocks at random positions: choose shuffled order");
    if (names->order != WEIR_ORDER_SEQUENTIAL && !names->item && row_of(scope)->changes_names)
        return REFUSE(scope, "%s of a tree goes level by level: leave the order out",
                      verb_name(scope));
    return 0;
}

/* Each rank would move it by another number, and miss items of others later. */
static bool is_torn(const struct weir_phase *phase)
{
    return phase->names.rotation.working_set > 0 && phase->stop.deadline_ns > 0 &&
           !phase->stop.has_wear_out;
}

static int check_limits(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_stop *stop = &phase->stop;
    const struct row *row = row_of(scope);
    bool is_whole = row->changes_names && (!phase->names.item || weir_verb_removes(phase->verb));

    if (is_whole && (stop->deadline_ns > 0 || stop->op_limit > 0))
        return REFUSE(scope,
                      "%s is done for all that is there, or for nothing: leave the deadline "
                      "and the limit out",
                      verb_name(scope));
    if (is_torn(phase))
        return REFUSE(scope, "a working set that moves on until a deadline: add wear-out, so that "
                             "all ranks move it by the same number");
    if (stop->minimum_ns > 0 && row->changes_names)
        return REFUSE(scope, "%s cannot be done again: leave the least time out", verb_name(scope));
    if (!stop->status_path)
        return 0;
    if (stop->deadline_ns > 0 && !stop->has_wear_out && row->changes_names)
        return REFUSE(scope,
                      "status file %s would promise more items than slow ranks make before the "
                      "deadline: add wear-out",
                      stop->status_path);
    if (stop->deadline_ns > 0 && phase->names.by_first_rank && !phase->names.is_shared)
        return REFUSE(scope,
                      "status file %s counts the items of each rank, and until the deadline rank 0 "
                      "makes those of one rank after the other: leave the file or the deadline out",
                      stop->status_path);
    if (!phase->names.item)
        return REFUSE(scope, "a status file counts items, and %s works on a tree: leave it out",
                      verb_name(scope));
    return 0;
}

/* ---- data of files ---- */

static int check_bytes(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;

    if (names->bytes > 0 && !has_verb(scope->phase, WEIR_CREATE) &&
        !has_verb(scope->phase, WEIR_READ_FILE))
        return REFUSE(scope, "%s moves no data: leave the bytes out", verb_name(scope));
    if (names->bytes > WEIR_ITEM_BYTES_MAX)
        return REFUSE(scope, "items of %" PRIu64 " bytes: give at most %" PRIu64, names->bytes,
                      WEIR_ITEM_BYTES_MAX);
    return weir_check_payload(scope, &names->payload);
}

static int check_flags(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_names *names = &phase->names;
    bool creates = has_verb(phase, WEIR_CREATE);

    if (names->must_verify && !has_verb(phase, WEIR_READ_FILE))
        return REFUSE(scope,
                      "%s reads nothing that could be verified: read files, or do not "
                      "verify",
                      verb_name(scope));
    if (names->must_verify_made && !creates)
        return REFUSE(scope,
                      "%s writes nothing that could be verified: create files, or do not "
                      "verify",
                      verb_name(scope));
    if (names->must_sync && !creates)
        return REFUSE(scope, "%s has nothing to sync: sync files that are created",
                      verb_name(scope));
    if (names->is_exclusive && !creates)
        return REFUSE(scope, "%s makes no files by opening them: leave \"exclusive\" out",
                      verb_name(scope));
    return 0;
}

static int check_verification(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;

    if (!names->must_verify && !names->must_verify_made)
        return 0;
    if (names->bytes == 0)
        return REFUSE(scope, "files without data cannot be verified: give the bytes, or do not "
                             "verify");
    return weir_check_verifiable(scope, &names->payload);
}

static int check_commands(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;

    if ((names->command_before && names->command_before[0] == '\0') ||
        (names->command_after && names->command_after[0] == '\0'))
        return REFUSE(scope, "an empty command around %s: give one, or leave it out",
                      verb_name(scope));
    return 0;
}

/* ---- cycles ---- */

static int check_cycle_verb(const struct weir_check_scope *scope, enum weir_verb verb)
{
    const struct weir_names *names = &scope->phase->names;

    if (verb >= WEIR_VERB_COUNT || !weir_verb_works_on_trees(verb) || verb == WEIR_CYCLE ||
        rows[verb].item == NEVER)
        return REFUSE(scope,
                      "%s in a cycle, which works on one item after the other: choose "
                      "operations on items",
                      verb < WEIR_VERB_COUNT ? weir_verb_name(verb) : "an unknown verb");
    if ((verb == WEIR_RENAME || rows[verb].new_item == MUST) && !names->new_item)
        return REFUSE(scope, "%s in a cycle without new names: give their pattern",
                      weir_verb_name(verb));
    if (names->is_directory ? rows[verb].is_of_files : rows[verb].is_of_directories)
        return REFUSE(scope, "%s in a cycle on %s: choose other items", weir_verb_name(verb),
                      names->is_directory ? "directories" : "files");
    return 0;
}

static int check_cycle(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;
    int status = 0;

    if (scope->phase->verb != WEIR_CYCLE && names->cycle_count > 0)
        return REFUSE(scope, "%s is no cycle: leave its operations out", verb_name(scope));
    if (scope->phase->verb == WEIR_CYCLE &&
        (names->cycle_count == 0 || names->cycle_count > WEIR_CYCLE_MAX))
        return REFUSE(scope, "a cycle of %u operations: give 1 to %d", names->cycle_count,
                      WEIR_CYCLE_MAX);
    for (unsigned i = 0; i < names->cycle_count && !status; i++)
        status = check_cycle_verb(scope, names->cycle[i]);
    return status;
}

/* ---- rotations ---- */

static int check_rotation_words(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_names *names = &phase->names;
    const struct weir_rotation *rotation = &names->rotation;

    if (rotation->count == 0)
        return REFUSE(scope, "a working set that moves on by no items: give their count, or leave "
                             "it out");
    if (!names->item || names->new_item || names->is_directory || names->is_shared ||
        names->by_first_rank)
        return REFUSE(scope,
                      "%s of a working set that moves on: let each rank work on files of its own, "
                      "without second names",
                      verb_name(scope));
    if (phase->shift.kind != WEIR_SHIFT_NONE || names->tree_shift.kind != WEIR_SHIFT_NONE ||
        names->order != WEIR_ORDER_SEQUENTIAL)
        return REFUSE(scope, "a working set that moves on says itself whose items come when: leave "
                             "shift and order out");
    if (rotation->stride > 0 && !phase->target->tree->is_own)
        return REFUSE(scope,
                      "a working set that moves through trees of other ranks: give each rank "
                      "a tree of its own");
    return 0;
}

/* What a rank works on must not be what another one is about to make. */
static int check_rotation(const struct weir_check_scope *scope)
{
    const struct weir_rotation *rotation = &scope->phase->names.rotation;
    const struct weir_tree *tree = scope->phase->target->tree;
    uint64_t there = weir_tree_items_per_set(tree), end;
    bool creates = scope->phase->verb == WEIR_CYCLE && has_verb(scope->phase, WEIR_CREATE);
    int status;

    if (rotation->count == 0 && rotation->first == 0 && rotation->working_set == 0 &&
        rotation->stride == 0)
        return 0;
    status = check_rotation_words(scope);
    if (status)
        return status;
    if (creates && rotation->count > rotation->working_set)
        return REFUSE(scope,
                      "%" PRIu64 " items of a working set of %" PRIu64
                      " that moves on: give no more items than it has",
                      rotation->count, rotation->working_set);
    if (__builtin_add_overflow(rotation->first, rotation->count, &end) ||
        (creates && __builtin_add_overflow(end, rotation->working_set, &end)) || end > there)
        return REFUSE(scope,
                      "a working set that moves beyond the %" PRIu64
                      " items of a set: give its trees more of them",
                      there);
    return 0;
}

/* ---- what the backend can do ---- */

static int check_ability(const struct weir_check_scope *scope, unsigned ability, const char *noun)
{
    const struct weir_test *test = scope->test;
    unsigned has = test->inner ? test->inner->name_verbs : test->backend->name_verbs;

    if (ability & ~has)
        return REFUSE(scope,
                      "backend %s has no %s: choose posix, or another one that has it, or leave it "
                      "out",
                      test->backend->name, noun);
    return 0;
}

static int check_abilities(const struct weir_check_scope *scope)
{
    const struct weir_names *names = &scope->phase->names;
    const struct row *row = row_of(scope);
    unsigned has =
        scope->test->inner ? scope->test->inner->name_verbs : scope->test->backend->name_verbs;
    int status;

    if (!(weir_test_abilities(scope->test) & WEIR_CAN_NAME) && !(has & WEIR_NAMES_ARE_VOID))
        return REFUSE(scope,
                      "backend %s has no names of files and directories: choose posix, or another "
                      "one that has them",
                      scope->test->backend->name);
    status = check_ability(scope, row->ability, row->noun);
    for (unsigned i = 0; i < names->cycle_count && !status; i++)
        status = check_ability(scope, rows[names->cycle[i]].ability, rows[names->cycle[i]].noun);
    if (!status && names->must_sync_all)
        status = check_ability(scope, WEIR_NAMES_SYNC_ALL, "sync of a file system");
    return status;
}

int weir_check_names(const struct weir_check_scope *scope)
{
    static weir_check_rule *const rules[] = {check_tree,
                                             check_items,
                                             check_cycle,
                                             check_letters,
                                             check_rotation,
                                             check_shared_items,
                                             check_shifts,
                                             check_order,
                                             weir_check_load_of_names,
                                             weir_check_stop,
                                             check_limits,
                                             check_bytes,
                                             check_flags,
                                             check_verification,
                                             check_commands,
                                             check_abilities,
                                             NULL};

    return weir_check_apply(rules, scope);
}
