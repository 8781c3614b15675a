/* SPDX-License-Identifier: Apache-2.0 */
/* A root is the user's directory, unless it was not there; a top is ours by its name. */
#include "tree_places.h"

#include "marks.h"

#include "weir/base/call_watch.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/system/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of the attribute of a root that was made: how many directories, and a hash of the path
 * at which they were. There is room for 99 directories. */
#define MADE_FORMAT "made %u %08" PRIx32

static const struct weir_name_ops *names_of(const struct weir_run *run)
{
    return weir_backend_item_names(run->backend);
}

/* ---- checking ---- */

static int refuse(const struct weir_run *run, const char *path, const char *what,
                  struct weir_error *error)
{
    return weir_error_usage(error, run->backend->descriptor.name,
                            "%s %s: trees are made in a directory; choose another one "
                            "with " WEIR_REMEDY_PATH,
                            path, what);
}

static int check_root(struct weir_run *run, const char *path, struct weir_error *error)
{
    struct weir_name_facts facts;
    int code = weir_run_stat(run, path, &facts);

    /* A root may be reached by a link: it is the user's. What a link leads to, mkdir will tell. */
    if (code != 0 || facts.kind == WEIR_NAME_DIRECTORY || facts.kind == WEIR_NAME_LINK)
        return 0;
    return refuse(run, path, "is no directory", error);
}

static int init_tops(const struct weir_run *run, const struct weir_phase *phase, size_t root,
                     struct weir_tree_paths *paths)
{
    return weir_tree_paths_init(paths, phase->target->tree,
                                &(struct weir_tree_names){.root = phase->target->paths[root],
                                                          .tree_owner = (uint64_t)run->group->rank,
                                                          .item_owner = (uint64_t)run->group->rank,
                                                          .repetition = run->repetition});
}

static int check_top(struct weir_run *run, const struct weir_tree_paths *paths, uint64_t set,
                     struct weir_error *error)
{
    struct weir_name_facts facts;
    char path[WEIR_PATH_BYTES];

    if (weir_tree_top_path(paths, set, path) != 0 || weir_run_stat(run, path, &facts) != 0 ||
        facts.kind == WEIR_NAME_DIRECTORY)
        return 0;
    return refuse(run, path,
                  facts.kind == WEIR_NAME_LINK ? "is a symbolic link" : "is no directory", error);
}

/* Sets are many only if each is small: the first ones tell as much as all. */
enum { SETS_LOOKED_AT = 64 };

int weir_tree_places_check(struct weir_run *run, const struct weir_phase *phase,
                           struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    uint64_t sets = target->tree->set_count;
    struct weir_tree_paths paths;
    int code = 0;

    if (run->group->rank != 0)
        return 0;
    for (size_t i = 0; i < target->path_count && code == 0; i++) {
        code = check_root(run, target->paths[i], error);
        if (code == 0 && init_tops(run, phase, i, &paths) != 0)
            code = weir_error_usage(error, run->test->dialect,
                                    WEIR_REMEDY_PATH
                                    ": a path of the tree would be longer than %d bytes",
                                    WEIR_PATH_BYTES - 1);
        for (uint64_t set = 0; set < sets && set < SETS_LOOKED_AT && code == 0; set++)
            code = check_top(run, &paths, set, error);
    }
    return code;
}

/* What stands in the place of a directory of the tree. What is no directory at all, mkdir and rmdir
 * tell. */
static int check_place(struct weir_run *run, const char *path, bool *is_there,
                       struct weir_error *error)
{
    struct weir_name_facts facts;

    *is_there = weir_run_stat(run, path, &facts) == 0;
    if (*is_there && facts.kind == WEIR_NAME_LINK)
        return weir_error_set(error, WEIR_EXIT_FLAWED, -ELOOP, run->backend->descriptor.name,
                              "%s is a symbolic link in the place of a directory of the tree: "
                              "nothing is done behind it, so remove it first",
                              path);
    if (*is_there && facts.is_others && !run->test->may_overwrite)
        return weir_error_usage(error, run->backend->descriptor.name,
                                "%s belongs to another user: choose another directory "
                                "with " WEIR_REMEDY_PATH ", or allow its loss with --overwrite",
                                path);
    return 0;
}

/* Directories of a tree that is not there are not looked at: most are made by this run. */
static int check_set(struct weir_run *run, struct weir_tree_paths *paths, uint64_t set,
                     struct weir_error *error)
{
    const struct weir_tree *tree = paths->tree;
    uint64_t count = weir_tree_directories(tree);
    uint64_t step = tree->is_own ? 1 : (uint64_t)run->group->size;
    char path[WEIR_PATH_BYTES];
    bool is_there = true;
    int code = 0;

    if (weir_tree_top_path(paths, set, path) == 0)
        code = check_place(run, path, &is_there, error);
    if (code != 0 || !is_there || tree->node == NULL)
        return code;
    for (uint64_t i = tree->is_own ? 0 : (uint64_t)run->group->rank; i < count && code == 0;
         i += step) {
        weir_tree_directory_path(paths, set * count + i, path);
        code = check_place(run, path, &is_there, error);
    }
    return code;
}

int weir_tree_places_check_directories(struct weir_run *run, const struct weir_phase *phase,
                                       struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    struct weir_made *checked = &run->checked_tree;
    struct weir_tree_paths paths;
    int code = 0;

    if (checked->target == target &&
        (phase->names.rotation.count > 0 || checked->repetition == run->repetition))
        return 0;
    for (size_t i = 0; i < target->path_count && code == 0; i++) {
        if (init_tops(run, phase, i, &paths) != 0)
            continue;
        for (uint64_t set = 0; set < target->tree->set_count && code == 0; set++)
            code = check_set(run, &paths, set, error);
    }
    /* Where one was found, what is left to be removed comes here again. */
    if (code == 0)
        *checked = (struct weir_made){.target = target, .repetition = run->repetition};
    return code;
}

bool weir_tree_places_exist(struct weir_run *run, const struct weir_phase *phase)
{
    const struct weir_target *target = phase->target;
    uint64_t sets = target->tree->set_count, count = weir_tree_directories(target->tree);
    struct weir_tree_paths paths;
    struct weir_name_facts facts;
    char path[WEIR_PATH_BYTES];

    for (size_t i = 0; i < target->path_count; i++) {
        if (init_tops(run, phase, i, &paths) != 0)
            continue;
        for (uint64_t set = 0; set < sets && set < SETS_LOOKED_AT; set++) {
            if (weir_tree_top_path(&paths, set, path) != 0)
                weir_tree_directory_path(&paths, set * count, path);
            if (names_of(run)->stat(run->session, path, &facts) == 0)
                return true;
        }
    }
    return false;
}

bool weir_tree_places_are_inherited(const struct weir_run *run, const struct weir_target *target)
{
    for (size_t i = 0; i < target->path_count; i++) {
        const struct weir_mark *mark = weir_marks_of_root(run, target, i);

        if (mark != NULL && mark->is_inherited)
            return true;
    }
    return false;
}

/* ---- making ---- */

static int fail_to_make(const struct weir_run *run, const char *path, int code,
                        struct weir_error *error)
{
    return weir_error_set(error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
                          "make the directory %s: %s", path, strerror(-code));
}

static int make_one(struct weir_run *run, const char *path, struct weir_error *error)
{
    struct weir_name_facts facts;
    int code = weir_run_mkdir(run, path);

    if (code == -EEXIST && weir_run_stat(run, path, &facts) == 0)
        code = facts.kind == WEIR_NAME_DIRECTORY ? 0 : -ENOTDIR;
    return code == 0 ? 0 : fail_to_make(run, path, code, error);
}

/* With the directories above it that are missing: adds to *made what was made. */
static int make_with_parents(struct weir_run *run, char *path, unsigned *made)
{
    int code = weir_run_mkdir(run, path);
    char *slash = strrchr(path, '/');

    if (code == -ENOENT && slash != NULL && slash != path) {
        *slash = '\0';
        code = make_with_parents(run, path, made);
        *slash = '/';
        if (code == 0)
            code = weir_run_mkdir(run, path);
    }
    *made += code == 0;
    return code == -EEXIST ? 0 : code;
}

/* True if the sets of the tree are directories without a tree in them: those of a working set,
 * which one run makes, others work on and one removes with its root. */
static bool is_of_several_runs(const struct weir_tree *tree)
{
    return tree->node == NULL;
}

/* Returns a hash of the absolute path of a root. Paths of a backend without a file system are what
 * was typed. */
static uint32_t hash_place(const char *path)
{
    char place[PATH_MAX];

    weir_call_begin("realpath", path);
    if (realpath(path, place) != NULL)
        path = place;
    weir_call_end();
    return (uint32_t)weir_text_hash(path, strlen(path));
}

/* Keeps in an extended attribute of the root how many directories were made for it, with those
 * above it, so that the run that removes the sets removes these too. File systems without
 * attributes keep the root. */
static void note_made(struct weir_run *run, const char *path, unsigned made)
{
    char value[32] = "";

    if (names_of(run)->setxattr == NULL ||
        snprintf(value, sizeof value, MADE_FORMAT, made, hash_place(path)) > WEIR_XATTR_BYTES)
        return;
    weir_call_begin("setxattr", path);
    names_of(run)->setxattr(run->session, path, (const unsigned char *)value);
    weir_call_end();
}

/* Returns how many directories an earlier run has made for the root, 0 = it was there before, or it
 * has been moved since: the directories above it are others then. */
static unsigned noted_made(struct weir_run *run, const char *path)
{
    char value[WEIR_XATTR_BYTES + 1] = "";
    uint32_t place = 0;
    unsigned made = 0;
    int code;

    if (names_of(run)->getxattr == NULL)
        return 0;
    weir_call_begin("getxattr", path);
    code = names_of(run)->getxattr(run->session, path, (unsigned char *)value);
    weir_call_end();
    if (code != 0 || sscanf(value, "made %u %" SCNx32, &made, &place) != 2)
        return 0;
    return place == hash_place(path) ? made : 0;
}

/* What is known of the roots; NULL: no memory. A run that was killed has made those that its mark
 * says, and one that left its sets those that their root says. */
static struct weir_tree_roots *open_roots(struct weir_run *run, const struct weir_target *target)
{
    struct weir_tree_roots *roots = &run->tree_roots;
    const struct weir_mark *mark;

    if (roots->target == target)
        return roots;
    free(roots->made);
    *roots = (struct weir_tree_roots){.made = calloc(target->path_count, sizeof *roots->made)};
    if (roots->made == NULL)
        return NULL;
    roots->target = target;
    for (size_t i = 0; i < target->path_count; i++) {
        mark = weir_marks_of_root(run, target, i);
        roots->made[i] = mark != NULL ? mark->made : 0;
        if (roots->made[i] == 0 && is_of_several_runs(target->tree))
            roots->made[i] = noted_made(run, target->paths[i]);
    }
    return roots;
}

static int make_root(struct weir_run *run, const struct weir_phase *phase, size_t root,
                     struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    struct weir_tree_roots *roots = open_roots(run, target);
    char path[WEIR_PATH_BYTES];
    struct weir_mark *mark;
    int code;

    snprintf(path, sizeof path, "%s", target->paths[root]);
    code = roots != NULL ? make_with_parents(run, path, &roots->made[root]) : -ENOMEM;
    if (code != 0)
        return fail_to_make(run, target->paths[root], code, error);
    if (roots->made[root] > 0 && is_of_several_runs(target->tree))
        note_made(run, target->paths[root], roots->made[root]);
    code = weir_marks_take_root(run, phase, root, error);
    mark = weir_marks_of_root(run, target, root);
    if (mark != NULL && roots->made[root] > 0) {
        mark->made = roots->made[root];
        weir_mark_write_notes(mark);
    }
    return code;
}

int weir_tree_places_make(struct weir_run *run, const struct weir_phase *phase,
                          struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    struct weir_tree_paths paths;
    char path[WEIR_PATH_BYTES];
    int code = 0;

    if (run->group->rank != 0)
        return 0;
    for (size_t i = 0; i < target->path_count && code == 0; i++) {
        code = make_root(run, phase, i, error);
        if (code == 0)
            code = init_tops(run, phase, i, &paths);
        for (uint64_t set = 0; code == 0 && set < target->tree->set_count &&
                               weir_tree_top_path(&paths, set, path) == 0;
             set++)
            code = make_one(run, path, error);
    }
    return code;
}

/* ---- removing ---- */

static void remove_top(struct weir_run *run, const char *path, struct weir_items *items)
{
    int code = weir_run_rmdir(run, path);

    if (code == -ENOTEMPTY || code == -EEXIST) {
        if (items->left_count++ == 0)
            snprintf(items->left, sizeof items->left, "%s", path);
    } else if (code != 0 && code != -ENOENT) {
        weir_run_fail(run, code, "rmdir", path);
    }
}

/* What this run has made, or one that was killed, from the root up. Others may have put something
 * there: then it stays. */
static void remove_root(struct weir_run *run, const struct weir_target *target, size_t root)
{
    struct weir_tree_roots *roots = open_roots(run, target);
    char path[WEIR_PATH_BYTES];

    if (roots == NULL || roots->made[root] == 0)
        return;
    /* The mark stays while it lists names that could not be removed. */
    if (run->reach.target == target && run->reach.has_earlier)
        return;
    weir_marks_drop_root(run, target, root);
    snprintf(path, sizeof path, "%s", target->paths[root]);
    while (roots->made[root] > 0 && weir_run_rmdir(run, path) == 0) {
        roots->made[root]--;
        for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
            path[length - 1] = '\0';
        weir_text_cut_name(path);
    }
}

void weir_tree_places_remove(struct weir_run *run, const struct weir_phase *phase,
                             struct weir_items *items)
{
    const struct weir_target *target = phase->target;
    struct weir_tree_paths paths;
    char path[WEIR_PATH_BYTES];

    if (run->group->rank != 0)
        return;
    /* The last one first: roots may lie in one directory, which the first one made. */
    for (size_t i = target->path_count; i-- > 0;) {
        if (init_tops(run, phase, i, &paths) != 0)
            continue;
        for (uint64_t set = 0;
             set < target->tree->set_count && weir_tree_top_path(&paths, set, path) == 0; set++)
            remove_top(run, path, items);
        remove_root(run, target, i);
    }
}

void weir_tree_places_remove_tops(struct weir_run *run, const struct weir_phase *phase)
{
    const struct weir_target *target = phase->target;
    struct weir_tree_paths paths;
    char path[WEIR_PATH_BYTES];

    for (size_t i = 0; run->group->rank == 0 && i < target->path_count; i++)
        for (uint64_t set = 0;
             set < target->tree->set_count && init_tops(run, phase, i, &paths) == 0 &&
             weir_tree_top_path(&paths, set, path) == 0;
             set++)
            names_of(run)->rmdir(run->session, path);
}

/* ---- what was left ---- */

struct first_name {
    char text[256];
};

static int keep_first(void *context, const char *name)
{
    struct first_name *first = context;

    snprintf(first->text, sizeof first->text, "%s", name);
    return 1;
}

static struct first_name first_in(struct weir_run *run, const char *path)
{
    struct first_name first = {""};
    uint64_t found;

    if (names_of(run)->list != NULL) {
        weir_call_begin("readdir", path);
        names_of(run)->list(run->session, path, keep_first, &first, NULL, &found);
        weir_call_end();
    }
    return first;
}

/* Where a rank could not remove its own tree, rank 0 meets that tree: on to what is in it. */
static struct first_name find_stranger(struct weir_run *run, char path[WEIR_PATH_BYTES])
{
    struct first_name first = first_in(run, path);

    for (;;) {
        char below[WEIR_PATH_BYTES];
        struct first_name next = {""};
        int length = snprintf(below, sizeof below, "%s/%s", path, first.text);

        if (first.text[0] != '\0' && length < (int)sizeof below)
            next = first_in(run, below);
        if (next.text[0] == '\0')
            return first;
        memcpy(path, below, sizeof below);
        first = next;
    }
}

void weir_tree_places_tell_left(struct weir_run *run, const struct weir_items *items)
{
    char path[WEIR_PATH_BYTES];
    struct first_name first;
    char reason[400];

    if (items->left_count == 0)
        return;
    snprintf(path, sizeof path, "%s", items->left);
    first = find_stranger(run, path);
    if (first.text[0] != '\0')
        snprintf(reason, sizeof reason, "it still holds %s, which is left as it is", first.text);
    else
        snprintf(reason, sizeof reason, "%s", strerror(ENOTEMPTY));
    weir_run_fail_for(run, -ENOTEMPTY, "rmdir", path, reason);
}
