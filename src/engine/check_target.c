/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is created or removed here. Files of others are told from ours by their data. */
#include "check_target.h"

#include "claim.h"
#include "ownership.h"

#include "weir/base/options.h"
#include "weir/base/remedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- ownership ---- */

static int refuse_kind(const struct weir_run *run, const char *path, enum weir_name_kind kind,
                       struct weir_error *error)
{
    const char *what =
        kind == WEIR_NAME_DIRECTORY ? "is a directory: give " WEIR_REMEDY_PATH " a file name in it"
        : kind == WEIR_NAME_DEVICE  ? "is a device, and " WEIR_REMEDY_PATH
                                     " names files: " WEIR_REMEDY_DEVICE
                                     " takes block devices, whose data a write destroys"
        : kind == WEIR_NAME_LINK ? "is a symbolic link: give " WEIR_REMEDY_PATH
                                   " what it leads to, or use --overwrite"
                                 : "is not a regular file";

    return weir_error_usage(error, run->backend->descriptor.name, "%s %s", path, what);
}

/* Returns the signature that the user gave for data of the test; 0 = none. */
static uint32_t given_signature(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->transfers.payload.seed_is_given)
            return test->phases[i]->transfers.payload.seed;
    return 0;
}

static int check_ours(struct weir_run *run, const struct weir_phase *phase, const char *path,
                      const struct weir_name_facts *facts, struct weir_error *error)
{
    bool is_ours = facts->bytes == 0 && facts->link_count <= 1;
    int code =
        is_ours ? 0 : weir_ownership_find(run, path, facts, given_signature(run->test), &is_ours);

    if (code == -ENOENT)
        return 0;
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_USAGE, code, run->backend->descriptor.name,
                              "%s exists and cannot be read to see whose it is (%s): --overwrite "
                              "takes it for this run",
                              path, strerror(-code));
    if (is_ours && weir_claim_add(run, facts->id) != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    if (is_ours)
        return 0;
    if (weir_verb_removes(phase->verb))
        return weir_error_usage(error, run->backend->descriptor.name,
                                "%s holds no data of a benchmark, and would be removed at the end: "
                                "keep it with " WEIR_REMEDY_KEEP
                                ", or allow its loss with --overwrite",
                                path);
    return weir_error_usage(
        error, run->backend->descriptor.name,
        "%s exists, and holds no data of a benchmark: choose another name with " WEIR_REMEDY_PATH
        ", or allow its "
        "loss with --overwrite",
        path);
}

static bool is_written_before(const struct weir_test *test, const struct weir_phase *phase)
{
    for (size_t i = 0; test->phases[i] != phase; i++)
        if (weir_verb_makes_files(test->phases[i]->verb) &&
            test->phases[i]->target == phase->target)
            return true;
    return false;
}

/* A prefill and the write after it find the same files. */
static bool is_first_write(const struct weir_test *test, const struct weir_phase *phase)
{
    return weir_verb_makes_files(phase->verb) && !is_written_before(test, phase);
}

/* A mixed phase makes no file: is it to find one? So are reads of files that are named one by one,
 * which another run wrote. */
static bool needs_file(const struct weir_test *test, const struct weir_phase *phase)
{
    bool needs =
        phase->verb == WEIR_MIXED || (phase->verb == WEIR_READ && phase->target->has_exact_names);

    return needs && !is_written_before(test, phase);
}

static void note_existing(struct weir_run *run, const struct weir_phase *phase, const char *path)
{
    if (!is_first_write(run->test, phase))
        return;
    if (run->existing.count++ == 0)
        memcpy(run->existing.path, path, strlen(path) + 1);
}

/* A file can be made only in a directory that is there; the one of its own is made with it. */
static int check_directory(struct weir_run *run, const struct weir_phase *phase, const char *path,
                           struct weir_error *error)
{
    char directory[WEIR_PATH_BYTES];
    struct weir_name_facts facts;

    if (!weir_verb_makes_files(phase->verb) || run->backend->names->implies_directories)
        return 0;
    memcpy(directory, path, strlen(path) + 1);
    weir_text_cut_name(directory);
    if (phase->target->has_own_directory)
        weir_text_cut_name(directory);
    if (weir_run_stat(run, directory, &facts) != -ENOENT)
        return 0;
    return weir_error_usage(
        error, run->backend->descriptor.name,
        "%s: %s: make the directory first, or choose another one with " WEIR_REMEDY_PATH, directory,
        strerror(ENOENT));
}

/* Files of ranks are the path with a number behind it: of a directory they would lie beside it. One
 * rank looks at each path. */
static int check_beside(struct weir_run *run, const struct weir_phase *phase,
                        struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    size_t number = (size_t)run->group->rank;
    struct weir_name_facts facts;

    if (!weir_verb_makes_files(phase->verb) || target->is_shared || target->has_exact_names ||
        target->has_own_directory || target->has_package_directory || target->tree != NULL ||
        number >= target->path_count || strlen(target->paths[number]) >= WEIR_PATH_BYTES ||
        weir_run_stat(run, target->paths[number], &facts) != 0 || facts.kind != WEIR_NAME_DIRECTORY)
        return 0;
    return weir_error_usage(error, run->backend->descriptor.name,
                            "%s is a directory, and files of ranks would lie beside it, as "
                            "%s.00000000: give " WEIR_REMEDY_PATH " a file name in it",
                            target->paths[number], target->paths[number]);
}

/* There is no such file. */
static int check_missing(struct weir_run *run, const struct weir_phase *phase, const char *path,
                         struct weir_error *error)
{
    if (needs_file(run->test, phase))
        return weir_error_usage(error, run->backend->descriptor.name,
                                "%s is not there, and a %s phase makes no file: write it first, "
                                "with " WEIR_REMEDY_WRITE ", or with " WEIR_REMEDY_WRITE
                                " " WEIR_REMEDY_KEEP " in a run of its own",
                                path, weir_verb_name(phase->verb));
    if (check_beside(run, phase, error))
        return -EINVAL;
    return check_directory(run, phase, path, error);
}

int weir_check_target(struct weir_run *run, const struct weir_phase *phase, const char *path,
                      struct weir_error *error)
{
    struct weir_name_facts facts;
    int code = weir_run_stat(run, path, &facts);

    if (code == -ENOENT)
        return check_missing(run, phase, path, error);
    /* Why it cannot be looked at, opening it will tell. */
    if (code != 0)
        return 0;
    if (facts.kind != WEIR_NAME_FILE && facts.kind != WEIR_NAME_LINK)
        return refuse_kind(run, path, facts.kind, error);
    note_existing(run, phase, path);
    if (phase->verb == WEIR_READ || run->test->may_overwrite)
        return 0;
    if (facts.kind == WEIR_NAME_LINK)
        return refuse_kind(run, path, facts.kind, error);
    return check_ours(run, phase, path, &facts, error);
}

/* ---- exact names ---- */

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Whether any two of the first files have one name, by their hashes. */
static bool has_equal_names(const struct weir_target *target, uint64_t count)
{
    uint64_t *hashes = calloc(count, sizeof *hashes);
    bool is_found = false;

    if (hashes == NULL)
        weir_error_out_of_memory();
    for (uint64_t i = 0; i < count; i++) {
        char path[WEIR_PATH_BYTES];

        if (weir_target_path(target, &(struct weir_file_place){.number = i}, path) == 0)
            hashes[i] = weir_text_hash(path, strlen(path));
    }
    qsort(hashes, count, sizeof *hashes, by_value);
    for (uint64_t i = 1; i < count; i++)
        is_found |= hashes[i] == hashes[i - 1];
    free(hashes);
    return is_found;
}

/* The first names, one for each path, were compared with the plan (weir_check_exact_names). */
int weir_check_files_differ(struct weir_run *run, const struct weir_phase *phase,
                            struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    uint64_t count = (uint64_t)run->group->size;

    if (phase->rank_limit > 0 && phase->rank_limit < count)
        count = phase->rank_limit;
    if (!target->has_exact_names || count <= target->path_count)
        return 0;
    if (!weir_target_has_numbers(target))
        return weir_error_usage(error, run->test->dialect,
                                "%llu ranks need a file each, and " WEIR_REMEDY_PATH
                                " names %zu, %.256s: use fewer ranks, list a file for each rank, "
                                "or put %%r, the number of the rank, into the names",
                                (unsigned long long)count, target->path_count, target->paths[0]);
    if (target->path_count > 1 && run->group->rank == 0 && has_equal_names(target, count))
        return weir_error_usage(
            error, run->test->dialect,
            "two of %llu ranks would have one file, of the %zu patterns in " WEIR_REMEDY_PATH
            ": end the part before %%r with a letter or a dot",
            (unsigned long long)count, target->path_count);
    return 0;
}

/* ---- a directory for each processor package ---- */

/* They are where file systems are mounted: to make one that is missing would fill the wrong one. */
int weir_check_package_directory(struct weir_run *run, const struct weir_target *target,
                                 const char *path, struct weir_error *error)
{
    char directory[WEIR_PATH_BYTES];
    struct weir_name_facts facts;

    if (!target->has_package_directory)
        return 0;
    memcpy(directory, path, strlen(path) + 1);
    weir_text_cut_name(directory);
    if (weir_run_stat(run, directory, &facts) == 0 &&
        (facts.kind == WEIR_NAME_DIRECTORY || facts.kind == WEIR_NAME_LINK))
        return 0;
    return weir_error_usage(error, run->test->dialect,
                            WEIR_REMEDY_PACKAGE_DIRECTORIES
                            ": %s is not there: ranks on this processor package need that "
                            "directory, so make it or mount something there",
                            directory);
}

/* ---- before a run, for --explain ---- */

/* Files of ranks beyond these are taken to be like them. */
#define EXAMINED_FILES 16

/* Bytes of a file that a phase reads; 0 = what there is, or less, will do. */
static uint64_t read_bytes(const struct weir_test *test, const struct weir_phase *phase,
                           uint64_t ranks)
{
    const struct weir_layout *layout = &phase->transfers.layout;

    if (phase->verb == WEIR_WRITE || is_written_before(test, phase) ||
        phase->transfers.must_verify || phase->stop.deadline_ns > 0 || phase->stop.op_limit > 0 ||
        phase->stop.ends_with_first || phase->stop.status_path != NULL ||
        test->goes_on_after_errors || layout->order == WEIR_ORDER_RANDOM_BLOCKS)
        return 0;
    return weir_layout_extent(layout, phase->target->is_shared,
                              phase->target->is_shared ? ranks : 1);
}

/* What weir_check_target leaves to the open. */
static int examine_access(struct weir_run *run, const struct weir_phase *phase, uint64_t ranks,
                          const char *path, struct weir_error *error)
{
    const struct weir_test *test = run->test;
    char directory[WEIR_PATH_BYTES];
    struct weir_name_facts facts;
    bool is_there = run->backend->names->stat(run->session, path, &facts) == 0;
    uint64_t needed = read_bytes(test, phase, ranks);

    if (weir_verb_makes_files(phase->verb)) {
        memcpy(directory, path, strlen(path) + 1);
        weir_text_cut_name(directory);
        if ((!is_there || phase->transfers.must_replace) && eaccess(directory, W_OK | X_OK) != 0 &&
            !(errno == ENOENT && phase->target->has_own_directory))
            return weir_error_usage(error, test->dialect, "%s: %s", directory, strerror(errno));
        if (is_there && !phase->transfers.must_replace && eaccess(path, W_OK) != 0)
            return weir_error_usage(error, test->dialect, "%s: %s", path, strerror(errno));
        return 0;
    }
    if (!weir_verb_moves_data(phase->verb) || is_written_before(test, phase))
        return 0;
    if (eaccess(path, phase->verb == WEIR_MIXED ? R_OK | W_OK : R_OK) != 0)
        return weir_error_usage(error, test->dialect, "%s: %s", path, strerror(errno));
    if (facts.bytes < needed)
        return weir_error_usage(error, test->dialect,
                                "%s has %llu bytes, and would be read up to %llu", path,
                                (unsigned long long)facts.bytes, (unsigned long long)needed);
    return 0;
}

/* The first phase that would not be done, as the run ends there. */
static void examine_phases(struct weir_run *run, uint64_t ranks, struct weir_text *text)
{
    struct weir_error error = {0};

    for (size_t i = 0; i < run->test->phase_count && !weir_error_is_set(&error); i++) {
        const struct weir_phase *phase = run->test->phases[i];
        const struct weir_target *target = phase->target;
        uint64_t files = target->is_shared ? 1 : ranks;
        char path[WEIR_PATH_BYTES];

        if (phase->verb == WEIR_PROGRAM || target->tree != NULL || target->is_device ||
            target->has_package_directory)
            continue;
        for (uint64_t n = 0; n < files && n < EXAMINED_FILES && !weir_error_is_set(&error); n++) {
            struct weir_file_place place = {.number = n};

            if (weir_target_path(target, &place, path) == 0 &&
                weir_check_target(run, phase, path, &error) == 0)
                examine_access(run, phase, ranks, path, &error);
        }
        if (weir_error_is_set(&error))
            weir_text_add(text, "  PROBLEM %s: %s\n", weir_verb_name(phase->verb), error.text);
    }
}

void weir_engine_examine(const struct weir_registry *registry, const struct weir_test *test,
                         uint64_t ranks, struct weir_text *text)
{
    const struct weir_backend *posix = weir_backend_find(registry, "posix");
    const struct weir_option_set *set = &posix->descriptor.options;
    struct weir_engine_params params = {.registry = registry};
    struct weir_run run = {.params = &params, .test = test, .backend = posix};
    struct weir_error error = {0};
    struct weir_arena arena = {0};
    struct weir_option_binding binding = {set, weir_arena_take(&arena, set->values_bytes)};
    struct weir_clock clock = {0};

    weir_options_reset(
        &(struct weir_option_parser){.arena = &arena, .bindings = &binding, .binding_count = 1});
    if (weir_group_self_open(&run.self) == 0) {
        run.group = run.self;
        if (posix->open(&(struct weir_session_params){.depth = 1,
                                                      .options = binding.values,
                                                      .group = run.self},
                        &run.session, &error) == 0) {
            if (weir_queue_open(&run.queue, run.session, &clock) == 0)
                examine_phases(&run, ranks, text);
            posix->close(run.session);
            weir_queue_close(&run.queue);
        }
        weir_group_close(run.self);
    }
    weir_claim_close(&run);
    weir_arena_close(&arena);
}
