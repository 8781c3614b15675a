/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the files of a plan are different ones: data, status, results and side files. */
#include "check.h"

#include "weir/plan/side_files.h"

#include <stdlib.h>
#include <string.h>

/* A path without ".", empty parts and, as far as the text tells, ".." in it. */
struct plain_path {
    char data[WEIR_PATH_BYTES];
};

/* Removes the last part of a plain path, which ends with a slash. False: there is none that ".."
 * could leave. */
static bool leave_part(const char *plain, size_t *length)
{
    size_t start = *length;

    if (start == 1 && plain[0] == '/')
        return true;
    while (start > 0 && (start == *length || plain[start - 1] != '/'))
        start--;
    if (start == *length || strncmp(plain + start, "../", *length - start) == 0)
        return false;
    *length = start;
    return true;
}

/* False if the path is too long for any file to have it. Symbolic links are not followed: a plan is
 * checked without files, and two paths that are refused for one text have cheap remedies. */
static bool make_plain(const char *path, struct plain_path *plain)
{
    size_t length = 0;

    if (strlen(path) >= sizeof plain->data)
        return false;
    for (const char *part = path; *part != '\0';) {
        size_t size = strcspn(part, "/");
        bool says_nothing = size == 0 ? part != path : size == 1 && part[0] == '.';
        bool leaves = size == 2 && strncmp(part, "..", size) == 0;

        size += part[size] == '/';
        if (!says_nothing && !(leaves && leave_part(plain->data, &length))) {
            memcpy(plain->data + length, part, size);
            length += size;
        }
        part += size;
    }
    plain->data[length] = '\0';
    return true;
}

/* These step over the beginning of `*text`, if it is what they look for. */
static bool step_over(const char **text, const char *part, size_t length)
{
    if (strncmp(*text, part, length) != 0)
        return false;
    *text += length;
    return true;
}

static bool step_over_number(const char **text)
{
    size_t length = strspn(*text, "0123456789");

    *text += length;
    return length > 0;
}

/* Whether a path begins with a name that can be made of a pattern. */
static bool step_over_pattern(const char **path, const char *pattern)
{
    for (; *pattern != '\0'; pattern++) {
        bool is_number = *pattern == '%' && *++pattern != '%';

        if (is_number ? !step_over_number(path) : !step_over(path, pattern, 1))
            return false;
    }
    return true;
}

/* Whether the target makes, for some file and repetition, `path` out of its own `name`: see
 * weir_target_path. */
static bool can_be_made(const struct weir_target *target, const char *name, const char *path)
{
    bool is_numbered = !(target->is_shared || target->is_device || target->has_exact_names);
    int numbers = is_numbered + target->is_new_each_repetition;
    const char *slash = strrchr(name, '/');

    if (target->has_own_directory) {
        if (slash && !step_over(&path, name, (size_t)(slash + 1 - name)))
            return false;
        if (!step_over_number(&path) || !step_over(&path, "/", 1))
            return false;
        name = slash ? slash + 1 : name;
    }
    if (target->has_exact_names ? !step_over_pattern(&path, name)
                                : !step_over(&path, name, strlen(name)))
        return false;
    if (target->has_package_directory &&
        !(step_over_number(&path) && step_over(&path, "/data", strlen("/data"))))
        return false;
    while (numbers > 0 && step_over(&path, ".", 1) && step_over_number(&path))
        numbers--;
    return numbers == 0 && *path == '\0';
}

/* ---- exact names ---- */

static int check_pattern(const struct weir_check_scope *scope, const char *pattern)
{
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2)
        if (at[1] != 'r' && at[1] != '%')
            return REFUSE(scope,
                          "%%%.1s in the path %.256s says nothing: %%r is the number of the rank, "
                          "and %%%% a percent sign",
                          at + 1, pattern);
    return 0;
}

/* Only of the first files, one for each path, is it known that there may be so many. */
static int check_names_differ(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;
    uint64_t limit = scope->phase->rank_limit;
    size_t count = limit > 0 && limit < target->path_count ? limit : target->path_count;
    struct weir_arena arena = {0};
    const char **plain = weir_arena_take(&arena, count * sizeof *plain);
    int status = 0;

    for (size_t i = 0; i < count && !status; i++) {
        char path[WEIR_PATH_BYTES] = "";
        struct plain_path own = {""};

        weir_target_path(target, &(struct weir_file_place){.number = i}, path);
        make_plain(path, &own);
        plain[i] = weir_arena_copy(&arena, own.data);
        for (size_t k = 0; k < i && !status; k++)
            if (strcmp(plain[i], plain[k]) == 0)
                status = REFUSE(scope,
                                "ranks %zu and %zu would have one file, %.256s: list different "
                                "paths, or put %%r, the number of the rank, into them",
                                k, i, path);
    }
    weir_arena_close(&arena);
    return status;
}

int weir_check_exact_names(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;
    int status = 0;

    if (!target->has_exact_names)
        return 0;
    if (target->is_shared || target->is_device || target->has_own_directory ||
        target->has_package_directory)
        return REFUSE(scope, "names as they are given, but a file for all, a device or a directory "
                             "of ours: choose one of them");
    for (size_t i = 0; i < target->path_count && !status; i++)
        status = check_pattern(scope, target->paths[i]);
    return status ? status : check_names_differ(scope);
}

/* ---- files that hold no data ---- */

enum other_kind {
    RESULT_FILE,
    SUMMARY_FILE,
    STATUS_FILE,
    POSITION_FILE,
    LIVE_FILE,
    RANK_FILE,
    OP_FILES,
    OFFSET_FILES,
    HISTOGRAM_FILES
};

static const char *const other_names[] = {
    [RESULT_FILE] = "result file",
    [SUMMARY_FILE] = "summary file",
    [STATUS_FILE] = "status file",
    [POSITION_FILE] = "file of the position",
    [LIVE_FILE] = "file of live lines",
    [RANK_FILE] = "file of figures of ranks",
    [OP_FILES] = "file of figures of transfers",
    [OFFSET_FILES] = "file of offsets of transfers",
    [HISTOGRAM_FILES] = "file of latencies of a rank",
};

struct other {
    enum other_kind kind;
    const char *path;  /* as it was given; of OP_FILES: what their names begin with, and of the two
                          kinds after them: with %r, if there is one for each rank */
    const char *plain; /* the same without "." and empty parts */
};

struct others {
    struct weir_arena arena;
    struct other *files;
    size_t count;
    struct weir_error *error;
    const char *place;
};

/* Tests of a script inherit paths: one that is like the one before it is left out. */
static void add_other(struct others *others, enum other_kind kind, const char *path)
{
    struct plain_path plain;

    if (!path || !make_plain(path, &plain))
        return;
    for (size_t i = others->count; i > 0; i--) {
        const struct other *last = &others->files[i - 1];

        if (last->kind == kind && strcmp(last->plain, plain.data) == 0)
            return;
        if (last->kind == kind)
            break;
    }
    others->files[others->count++] =
        (struct other){kind, path, weir_arena_copy(&others->arena, plain.data)};
}

/* With %r for the number of a rank. A name that is too long is refused by who opens it. */
static void add_files_of_ranks(struct others *others, const struct weir_test *test)
{
    char name[WEIR_PATH_BYTES];
    const int most = sizeof name;

    if (test->rank_histogram_prefix && weir_test_latency_file(test, "%r", name, sizeof name) < most)
        add_other(others, HISTOGRAM_FILES, weir_arena_copy(&others->arena, name));
    for (size_t i = 0; test->op_csv_prefix && i < test->phase_count; i++) {
        const char *log_name = test->phases[i]->transfers.log_name;

        if (log_name && weir_test_offset_file(test, log_name, "%r", name, sizeof name) < most)
            add_other(others, OFFSET_FILES, weir_arena_copy(&others->arena, name));
    }
}

static void list_others(struct others *others, const struct weir_plan *plan)
{
    size_t room = 4 + 3 * plan->test_count + 2 * plan->phase_count;

    others->files = weir_arena_take(&others->arena, room * sizeof *others->files);
    add_other(others, RESULT_FILE, plan->output.result_path);
    add_other(others, SUMMARY_FILE, plan->output.summary_path);
    add_other(others, POSITION_FILE, plan->output.position_path);
    if (plan->output.live.path && !weir_text_begins(plan->output.live.path, WEIR_LIVE_SOCKET))
        add_other(others, LIVE_FILE, plan->output.live.path);
    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];

        add_other(others, RANK_FILE, test->rank_csv_path);
        add_other(others, OP_FILES, test->op_csv_prefix);
        for (size_t k = 0; k < test->phase_count; k++)
            add_other(others, STATUS_FILE, test->phases[k]->stop.status_path);
        add_files_of_ranks(others, test);
    }
}

/* Files of transfers are called PREFIX-...csv. */
static bool begins_with_prefix(const char *plain, const char *prefix)
{
    size_t length = strlen(plain), end = strlen(".csv");

    return step_over(&plain, prefix, strlen(prefix)) && *plain == '-' && length >= end &&
           strcmp(plain + strlen(plain) - end, ".csv") == 0;
}

/* Whether one of several files, of which `other` tells the names, has this one. */
static bool is_one_of(const struct other *other, const char *plain)
{
    if (other->kind == OP_FILES)
        return begins_with_prefix(plain, other->plain);
    return other->kind > OP_FILES && step_over_pattern(&plain, other->plain) && *plain == '\0';
}

static bool can_be_same(const struct other *one, const struct other *two)
{
    if (one->kind == two->kind)
        return false;
    return is_one_of(one, two->plain) || is_one_of(two, one->plain) ||
           strcmp(one->plain, two->plain) == 0;
}

static int check_others_differ(const struct others *others)
{
    for (size_t i = 0; i < others->count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct other *one = &others->files[i], *two = &others->files[k];

            if (can_be_same(one, two))
                return REFUSE(others, "%s and %s are both %.256s: give them different paths",
                              other_names[two->kind], other_names[one->kind],
                              two->kind >= OP_FILES ? one->path : two->path);
        }
    }
    return 0;
}

/* ---- data ---- */

/* The name itself counts too: only the data may have it. */
static bool is_data(const struct other *other, const struct weir_target *target, const char *name)
{
    if (other->kind >= OP_FILES)
        return is_one_of(other, name);
    return (!target->has_exact_names && strcmp(name, other->plain) == 0) ||
           can_be_made(target, name, other->plain);
}

/* Whether the path is that of the directory with the trees, or of anything in one of them. */
static bool is_in_tree(const struct other *other, const struct weir_tree *tree, const char *root)
{
    const char *path = other->plain, *name = tree->top ? tree->top : tree->node;
    size_t length = strlen(root);

    if (length > 0 && root[length - 1] == '/')
        length--;
    if (!step_over(&path, root, length))
        return false;
    if (*path == '\0')
        return true;
    if (root[0] != '\0' && !step_over(&path, "/", 1))
        return false;
    return *path != '/' &&
           (!name || (step_over_pattern(&path, name) && (*path == '\0' || *path == '/')));
}

static int check_tree(const struct others *others, const struct weir_target *target)
{
    struct plain_path root;

    for (size_t i = 0; i < target->path_count; i++) {
        if (!make_plain(target->paths[i], &root))
            continue;
        for (size_t k = 0; k < others->count; k++)
            if (is_in_tree(&others->files[k], target->tree, root.data))
                return REFUSE(others,
                              "%s %.256s is in the trees of directories in %.256s: give it a path "
                              "of its own",
                              other_names[others->files[k].kind], others->files[k].path,
                              target->paths[i]);
    }
    return 0;
}

static int check_target(const struct others *others, const struct weir_target *target)
{
    struct plain_path name;

    for (size_t i = 0; i < target->path_count; i++) {
        if (!make_plain(target->paths[i], &name))
            continue;
        for (size_t k = 0; k < others->count; k++) {
            const struct other *other = &others->files[k];

            if (is_data(other, target, name.data))
                return REFUSE(others,
                              "%s %.256s is one of the data files %.256s: give it a path of its "
                              "own",
                              other_names[other->kind], other->path, target->paths[i]);
        }
    }
    return 0;
}

static int check_data(const struct others *others, const struct weir_plan *plan)
{
    const struct weir_target *last = NULL;
    int status = 0;

    for (size_t i = 0; i < plan->test_count; i++) {
        for (size_t k = 0; k < plan->tests[i]->phase_count && !status; k++) {
            const struct weir_target *target = plan->tests[i]->phases[k]->target;

            if (target != last)
                status = target->tree ? check_tree(others, target) : check_target(others, target);
            last = target;
        }
    }
    return status;
}

/* Tests may share data files and status files. */
int weir_check_paths(const struct weir_plan *plan, struct weir_error *error)
{
    struct others others = {.error = error, .place = plan->dialect};
    int status;

    list_others(&others, plan);
    status = check_others_differ(&others);
    if (!status)
        status = check_data(&others, plan);
    weir_arena_close(&others.arena);
    return status;
}
