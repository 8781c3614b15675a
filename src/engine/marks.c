/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that see different directories under one path would each measure a file of their own, and
 * some MPI libraries never return from opening one that only some can see. The mark of rank 0 tells
 * them, where the file itself is not there yet. */
#include "marks.h"

#include "weir/base/call_watch.h"
#include "weir/base/log.h"
#include "weir/base/remedy.h"
#include "weir/system/mark.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOB_BYTES = 128 };

/* ---- which ---- */

static bool has_mark(const struct weir_run *run, const struct weir_phase *phase)
{
    bool changes_tree = phase->verb == WEIR_MKDIR || phase->verb == WEIR_CREATE ||
                        phase->verb == WEIR_MKNOD || phase->verb == WEIR_CYCLE;

    return (weir_verb_writes(phase->verb) || weir_verb_removes(phase->verb) || changes_tree) &&
           !phase->target->is_device && !run->test->is_dry_run && weir_run_has_storage(run);
}

/* Of this test's phases, the first one with the same target. */
static bool is_first_of_target(const struct weir_run *run, const struct weir_phase *phase)
{
    size_t i = 0;

    while (run->test->phases[i] != phase &&
           (run->test->phases[i]->target != phase->target || !has_mark(run, run->test->phases[i])))
        i++;
    return run->test->phases[i] == phase;
}

/* That of a file lies beside it; that of trees in their root, whatever name this is reached by. */
static int find_path(const struct weir_run *run, const struct weir_target *target, size_t root,
                     char path[WEIR_MARK_PATH_BYTES])
{
    const struct weir_name_ops *names = run->backend->names;
    char file_path[WEIR_PATH_BYTES];
    const char *kernel_path = file_path;
    int code = 0;

    if (target->tree == NULL)
        code = weir_run_path(run, target, 0, file_path);
    else if (snprintf(file_path, sizeof file_path, "%s/", target->paths[root]) >= WEIR_PATH_BYTES)
        code = -ENAMETOOLONG;

    if (code == 0 && names->kernel_path != NULL)
        kernel_path = names->kernel_path(run->session, file_path);
    if (code != 0 || kernel_path == NULL)
        return code != 0 ? code : -ENOENT;
    return weir_mark_path(kernel_path, target->has_own_directory, path);
}

/* Of those that this run holds; NULL: none. Two roots may be one directory. */
static struct weir_mark *find_held(const struct weir_run *run, const char *path)
{
    uint64_t device, inode, held_device, held_inode;

    if (weir_mark_stat(path, &device, &inode) != 0)
        return NULL;
    for (size_t i = 0; i < run->mark_count; i++)
        if (weir_mark_stat(run->marks[i].path, &held_device, &held_inode) == 0 &&
            device == held_device && inode == held_inode)
            return &run->marks[i];
    return NULL;
}

struct weir_mark *weir_marks_of_root(const struct weir_run *run, const struct weir_target *target,
                                     size_t root)
{
    char path[WEIR_MARK_PATH_BYTES];

    return run->mark_count > 0 && find_path(run, target, root, path) == 0 ? find_held(run, path)
                                                                          : NULL;
}

/* ---- taking ---- */

/* False where a file that is there already is written in its place. */
static bool makes_file(struct weir_run *run, const struct weir_phase *phase, const char *path)
{
    struct weir_name_facts facts;

    return weir_verb_makes_files(phase->verb) &&
           (phase->transfers.must_replace || weir_run_stat(run, path, &facts) == -ENOENT);
}

/* The job and step of this process as the mark of another run shows them; "" = in no job. */
static void describe_job(char text[JOB_BYTES], const char *separator)
{
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");

    text[0] = '\0';
    if (job != NULL)
        snprintf(text, JOB_BYTES, "%sjob %.64s%s%.16s", separator, job,
                 step != NULL ? ", step " : "", step != NULL ? step : "");
}

/* Whether a mark is of the job and step of this process, or neither is of any. */
static bool is_of_own_step(const struct weir_mark *mark)
{
    const char *job = strstr(mark->others, ", job ");
    char own[JOB_BYTES];

    describe_job(own, ", ");
    return strcmp(job != NULL ? job : "", own) == 0;
}

static int tell_outcome(struct weir_run *run, const struct weir_phase *phase, size_t root,
                        enum weir_mark_outcome outcome, struct weir_error *error)
{
    const char *place = run->backend->descriptor.name;
    const struct weir_mark *mark = &run->marks[run->mark_count];
    int reason = errno;
    const char *what = phase->target->tree != NULL ? "in this directory" : "on this file";
    const struct weir_launch_mismatch *mismatch = &run->group->mismatch;
    char path[WEIR_PATH_BYTES];

    if (phase->target->tree != NULL)
        snprintf(path, sizeof path, "%s", phase->target->paths[root]);
    else
        weir_run_path(run, phase->target, 0, path);
    if (outcome == WEIR_MARK_HELD && mismatch->fact[0] != '\0' && is_of_own_step(mark))
        return weir_error_usage(
            error, place,
            "%s: another run works %s (%s), most likely another task of this launch: %s; %s", path,
            what, mark->others, mismatch->fact, mismatch->remedy);
    if (outcome == WEIR_MARK_HELD)
        return weir_error_usage(
            error, place,
            "%s: another run works %s (%s), and each would remove what the other one writes: "
            "choose another name with " WEIR_REMEDY_PATH ", or wait for its end",
            path, what, mark->others);
    if (outcome == WEIR_MARK_IN_DOUBT)
        weir_log(WEIR_LOG_WARNING,
                 "%s: a run on another host has worked %s and left its mark (%s); its lock is "
                 "free, so it is taken for dead: if it still runs, locks do not reach from node to "
                 "node here, and the figures of both are wrong",
                 path, what, mark->others);
    if (outcome == WEIR_MARK_NONE && (reason == EACCES || reason == EROFS || reason == EPERM) &&
        makes_file(run, phase, path))
        return weir_error_set(error, WEIR_EXIT_FLAWED, -reason, place,
                              "make %s: %s: choose another directory with " WEIR_REMEDY_PATH, path,
                              strerror(reason));
    return 0;
}

static void let_go(struct weir_run *run, struct weir_mark *mark)
{
    weir_mark_drop(mark);
    *mark = run->marks[--run->mark_count];
}

/* Marks of which the file was removed meanwhile: their places are for the next ones. */
static void let_go_of_lost(struct weir_run *run, const char *path)
{
    for (size_t i = run->mark_count; i-- > 0;)
        if (strcmp(run->marks[i].path, path) == 0)
            let_go(run, &run->marks[i]);
}

static int take(struct weir_run *run, const struct weir_phase *phase, size_t root,
                struct weir_error *error)
{
    char path[WEIR_MARK_PATH_BYTES], text[WEIR_MARK_TEXT_BYTES], job[JOB_BYTES];
    struct weir_mark *mark;
    size_t length;

    if (find_path(run, phase->target, root, path) != 0 || find_held(run, path) != NULL)
        return 0;
    let_go_of_lost(run, path);
    mark = &run->marks[run->mark_count];
    memcpy(mark->path, path, sizeof path);
    weir_mark_describe_self(text, sizeof text);
    length = strlen(text);
    describe_job(job, "");
    if (job[0] != '\0')
        snprintf(text + length, sizeof text - length, "%s\n", job);
    if (tell_outcome(run, phase, root, weir_mark_take(mark, text), error) == 0)
        run->mark_count += mark->fd >= 0;
    return error->code;
}

static size_t marks_of(const struct weir_phase *phase)
{
    return phase->target->tree != NULL ? phase->target->path_count : 1;
}

static int make_room(struct weir_run *run, struct weir_error *error)
{
    size_t count = 0;

    for (size_t i = 0; i < run->test->phase_count; i++)
        count += marks_of(run->test->phases[i]);
    run->marks = calloc(count, sizeof *run->marks);
    if (run->marks == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    return error->code;
}

int weir_marks_take(struct weir_run *run, struct weir_error *error)
{
    const struct weir_test *test = run->test;

    if (make_room(run, error) != 0)
        return error->code;
    for (size_t i = 0; i < test->phase_count; i++)
        if (has_mark(run, test->phases[i]) && is_first_of_target(run, test->phases[i]))
            for (size_t k = 0; k < marks_of(test->phases[i]) && !weir_error_is_set(error); k++)
                take(run, test->phases[i], k, error);
    return error->code;
}

int weir_marks_take_root(struct weir_run *run, const struct weir_phase *phase, size_t root,
                         struct weir_error *error)
{
    return has_mark(run, phase) ? take(run, phase, root, error) : 0;
}

void weir_marks_drop_root(struct weir_run *run, const struct weir_target *target, size_t root)
{
    struct weir_mark *mark = weir_marks_of_root(run, target, root);

    if (mark != NULL)
        let_go(run, mark);
}

void weir_marks_note_reach(struct weir_run *run)
{
    const struct weir_reach *reach = &run->reach;
    struct weir_mark *mark =
        reach->target != NULL ? weir_marks_of_root(run, reach->target, 0) : NULL;

    if (mark == NULL)
        return;
    mark->first_item = reach->first;
    mark->end_item = reach->end;
    weir_mark_write_notes(mark);
}

int weir_marks_read_reach(struct weir_run *run)
{
    const struct weir_phase *phase = NULL;
    const struct weir_mark *mark = NULL;
    uint64_t range[2] = {0, 0};
    int code;

    for (size_t i = 0; i < run->test->phase_count && phase == NULL; i++)
        if (run->test->phases[i]->names.rotation.count > 0)
            phase = run->test->phases[i];
    if (phase == NULL)
        return 0;
    if (run->group->rank == 0)
        mark = weir_marks_of_root(run, phase->target, 0);
    if (mark != NULL) {
        range[0] = mark->first_item;
        range[1] = mark->end_item;
    }
    code = weir_group_broadcast(run->group, range, sizeof range, 0);
    if (code == 0 && range[1] > 0)
        run->reach = (struct weir_reach){.target = phase->target,
                                         .first = range[0],
                                         .end = range[1],
                                         .is_ragged = true,
                                         .is_earlier = true,
                                         .has_earlier = true};
    return code;
}

void weir_marks_drop(struct weir_run *run)
{
    const struct weir_reach *reach = &run->reach;

    /* A run that ended between two phases has whole sets, but does not store its position. */
    if (reach->target != NULL && (reach->is_ragged || run->is_ending)) {
        struct weir_mark *mark = weir_marks_of_root(run, reach->target, 0);

        if (mark != NULL) {
            weir_log(
                WEIR_LOG_WARNING,
                "%s: files of the items %" PRIu64 " to %" PRIu64
                " stay there, of which some may be missing: remove them with " WEIR_REMEDY_REMOVE,
                reach->target->paths[0], reach->first, reach->end - 1);
            weir_mark_leave(mark);
        }
    }
    for (size_t i = 0; i < run->mark_count; i++)
        weir_mark_drop(&run->marks[i]);
    free(run->marks);
    run->marks = NULL;
    run->mark_count = 0;
}

/* ---- comparing ---- */

/* What a rank sees of a mark, or of a file that is there before the test. */
struct sight {
    bool is_seen;
    struct weir_file_id id;
};

static struct sight see_mark(struct weir_run *run, const struct weir_phase *phase, size_t root)
{
    struct sight sight = {0};
    char path[WEIR_MARK_PATH_BYTES];

    if (find_path(run, phase->target, root, path) == 0)
        sight.is_seen = weir_mark_stat(path, &sight.id.device, &sight.id.inode) == 0;
    return sight;
}

/* The path of the file of rank 0, or of the first directory of its tree in a root. Returns 0 or
 * -ENAMETOOLONG. */
static int find_first_path(const struct weir_run *run, const struct weir_phase *phase, size_t root,
                           char path[WEIR_PATH_BYTES])
{
    const struct weir_target *target = phase->target;
    const struct weir_tree_names names = {.root = target->paths[root],
                                          .repetition = run->repetition};
    struct weir_tree_paths paths;
    int code;

    if (target->tree == NULL)
        return weir_run_path(run, target, 0, path);
    code = weir_tree_paths_init(&paths, target->tree, &names);
    return code != 0 ? code : weir_tree_top_path(&paths, 0, path);
}

/* Every rank stats the file, so what its node knows of it must do where the file is seen: the
 * server is asked only by ranks that do not see it. */
static struct sight see_file(struct weir_run *run, const char *path)
{
    /* DUMMY has operations on items of trees, and none on files. */
    const struct weir_name_ops *names =
        run->backend->names != NULL ? run->backend->names : weir_backend_item_names(run->backend);
    struct sight sight = {0};
    struct weir_name_facts facts;

    weir_call_begin("stat", path);
    sight.is_seen =
        (names->stat_item != NULL && names->stat_item(run->session, path, &facts) == 0) ||
        names->stat(run->session, path, &facts) == 0;
    weir_call_end();
    if (sight.is_seen)
        sight.id = facts.id;
    return sight;
}

/* What rank 0 does not see either is simply not there: opening it will tell. */
struct opinion {
    bool is_of_mark;
    struct sight sight;
};

/* What the ranks do without files that they share. */
static const char *remedy_of(const struct weir_phase *phase)
{
    if (phase->target->tree != NULL)
        return "choose another directory with " WEIR_REMEDY_PATH;
    if (phase->target->is_shared)
        return "use " WEIR_REMEDY_FILE_PER_RANK;
    switch (phase->shift.kind) {
    case WEIR_SHIFT_RANDOM:
        return "leave " WEIR_REMEDY_SHIFT_RANDOM " out";
    case WEIR_SHIFT_PERMUTATION:
        return "leave " WEIR_REMEDY_SHIFT_PERMUTATION " out";
    default:
        return "leave " WEIR_REMEDY_SHIFT_NODES " out";
    }
}

/* Compares what this rank sees in a root, or of the file, with what rank 0 does, if it depends on
 * it (must_see): a rank asks nothing of the roots of others. Collective. */
static void compare_root(struct weir_run *run, const struct weir_phase *phase, size_t root,
                         bool must_see, struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    struct opinion first = {.is_of_mark = weir_marks_of_root(run, target, root) != NULL};
    char path[WEIR_PATH_BYTES];
    struct sight own;

    if (find_first_path(run, phase, root, path) != 0)
        return;
    if (run->group->rank == 0)
        first.sight = first.is_of_mark ? see_mark(run, phase, root) : see_file(run, path);
    if (weir_group_broadcast(run->group, &first, sizeof first, 0) != 0 || !first.sight.is_seen ||
        !must_see)
        return;
    own = first.is_of_mark ? see_mark(run, phase, root) : see_file(run, path);
    if (target->is_shared)
        run->view = (struct weir_view){
            .has_same_numbers = own.id.inode == first.sight.id.inode,
            .device = own.id.device,
        };
    if (!own.is_seen)
        weir_error_set(error, WEIR_EXIT_USAGE, -ENOENT, run->backend->descriptor.name,
                       "%s: this rank does not see the %s that rank 0 sees: is it on a file "
                       "system that all nodes share? If not, %s",
                       target->tree != NULL ? target->paths[root] : path,
                       target->tree != NULL ? "directory" : "file", remedy_of(phase));
}

int weir_marks_compare(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    const size_t roots = marks_of(phase);
    const size_t own_root = (size_t)run->group->rank % roots;

    for (size_t root = 0; root < roots; root++)
        compare_root(run, phase, root, target->tree == NULL || root == own_root, error);
    return weir_group_agree(run->group, error);
}
