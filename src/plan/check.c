/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that hold for every dialect: what makes no sense, and what the chosen backend cannot
 * do, is refused. */
#include "check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A size as in a sentence: "1m". */
struct size_text {
    char data[WEIR_SIZE_TEXT_BYTES];
};

static struct size_text size_text(uint64_t bytes)
{
    struct size_text text = {0};

    weir_size_format_exact(bytes, text.data);
    return text;
}

static const char *verb_name(const struct weir_check_scope *scope)
{
    return weir_verb_name(scope->phase->verb);
}

/* ---- rules of phases that move data ---- */

/* Every rank makes the same transfers, in a file of its own. What is in a file after transfers of
 * many sizes is not what whole transfers would have left. */
static int check_listing(const struct weir_check_scope *scope)
{
    const struct weir_transfers *transfers = &scope->phase->transfers;
    const struct weir_listing *listing = &transfers->layout.listing;

    if ((listing->path != NULL) != (transfers->layout.order == WEIR_ORDER_LISTED))
        return REFUSE(scope, "a list of transfers and the order of a list belong together: give "
                             "both, or none");
    if (listing->path == NULL)
        return 0;
    if (scope->phase->target->is_shared || transfers->is_collective)
        return REFUSE(scope, "a list of transfers is for a file of each rank: share none, and "
                             "make no collective transfers");
    if (scope->phase->verb == WEIR_MIXED || transfers->must_verify)
        return REFUSE(scope, "a list of transfers has places that overlap: do not verify them, nor "
                             "mix reads and writes");
    if (scope->phase->must_find_depth)
        return REFUSE(scope,
                      "a list of transfers, and the best depth is to be found: give a depth");
    if (scope->phase->rate.arrivals != WEIR_ARRIVALS_CLOSED && listing->pauses_ns > 0)
        return REFUSE(scope, "a rate, and a list of transfers with pauses: choose one of both");
    return 0;
}

static int check_sizes(const struct weir_check_scope *scope)
{
    const struct weir_layout *layout = &scope->phase->transfers.layout;

    if (layout->transfer_bytes == 0)
        return REFUSE(scope, "transfer size 0: give at least one byte");
    if (layout->block_bytes == 0)
        return REFUSE(scope, "block size 0: give at least one transfer of %s",
                      size_text(layout->transfer_bytes).data);
    if (layout->segment_count == 0)
        return REFUSE(scope, "segment count 0: give at least one segment");
    if (layout->order != WEIR_ORDER_LISTED && layout->block_bytes % layout->transfer_bytes != 0)
        return REFUSE(scope,
                      "block size %s is not a multiple of transfer size %s: "
                      "choose a block size that is",
                      size_text(layout->block_bytes).data, size_text(layout->transfer_bytes).data);
    if (layout->is_at_once && layout->transfer_bytes % sizeof(uint64_t) != 0)
        return REFUSE(scope,
                      "one transfer of all blocks of a rank has data in pieces of %s: use a "
                      "multiple of 8 bytes",
                      size_text(layout->transfer_bytes).data);
    if ((layout->stride > 0) != (layout->order == WEIR_ORDER_STRIDED))
        return REFUSE(scope, "a strided order and its stride belong together: give both, or none");
    return 0;
}

/* One rank's part must have offsets below 2^63. Whether a shared file of all ranks does is known
 * when they are counted. */
static int check_total(const struct weir_check_scope *scope)
{
    const struct weir_layout *layout = &scope->phase->transfers.layout;
    uint64_t total;

    if (__builtin_mul_overflow(layout->segment_count, layout->block_bytes, &total) ||
        total > INT64_MAX)
        return REFUSE(scope,
                      "%" PRIu64 " segments of %s blocks are more than a file can hold: choose "
                      "fewer or smaller ones",
                      layout->segment_count, size_text(layout->block_bytes).data);
    return 0;
}

static int check_sharing(const struct weir_check_scope *scope)
{
    if (scope->phase->target->is_shared && !(weir_test_abilities(scope->test) & WEIR_CAN_SHARE))
        return REFUSE(scope,
                      "backend %s cannot share a file between ranks: give each rank a file of its "
                      "own, or choose another backend",
                      scope->test->backend->name);
    return 0;
}

static int check_collective(const struct weir_check_scope *scope)
{
    if (scope->phase->transfers.is_collective &&
        !(weir_test_abilities(scope->test) & WEIR_CAN_COLLECT))
        return REFUSE(scope,
                      "backend %s has no collective transfers: choose independent ones, or another "
                      "backend",
                      scope->test->backend->name);
    return 0;
}

int weir_check_stop(const struct weir_check_scope *scope)
{
    const struct weir_stop *stop = &scope->phase->stop;
    const char *path = stop->status_path;

    if (stop->ends_with_first && !weir_verb_moves_data(scope->phase->verb))
        return REFUSE(scope, "a stonewall by the first rank that is done is for phases that move "
                             "data: leave it out");
    if (stop->has_wear_out && stop->deadline_ns == 0 && !stop->ends_with_first)
        return REFUSE(scope, "wear-out without a deadline: give the deadline that it follows");
    if (path && (path[0] == '\0' || strlen(path) >= WEIR_PATH_BYTES))
        return REFUSE(scope, "the path of the status file has %zu bytes: give 1 to %d",
                      strlen(path), WEIR_PATH_BYTES - 1);
    return 0;
}

/* What a write leaves out must be there already. */
static int check_first(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_stop *stop = &phase->stop;

    if (!stop->ends_with_first)
        return 0;
    if (stop->deadline_ns > 0 || stop->minimum_ns > 0 || stop->status_path)
        return REFUSE(scope, "a stonewall by the first rank that is done, and a deadline, a least "
                             "time or a status file: choose one of them");
    if (phase->transfers.is_collective ||
        (phase->target->is_shared && (weir_test_abilities(scope->test) & WEIR_SYNCS_TOGETHER) &&
         (phase->transfers.must_sync_at_end || phase->transfers.must_sync_each)))
        return REFUSE(scope, "a stonewall by the first rank that is done, and transfers or syncs "
                             "that all ranks make together: leave one of them out");
    if (phase->must_find_depth || phase->rate.arrivals != WEIR_ARRIVALS_CLOSED)
        return REFUSE(scope, "a stonewall by the first rank that is done, and a rate or a search "
                             "for a depth: choose one of them");
    if (phase->verb == WEIR_WRITE && phase->transfers.must_replace && !stop->has_wear_out)
        return REFUSE(scope, "a write of new files that stops when the first rank is done would "
                             "leave short ones: add wear-out");
    return 0;
}

static int check_status(const struct weir_check_scope *scope)
{
    const struct weir_stop *stop = &scope->phase->stop;

    if (!stop->status_path)
        return 0;
    if (!scope->test->must_keep)
        return REFUSE(scope,
                      "status file %s is of no use if the data is removed: keep the files, or do "
                      "without it",
                      stop->status_path);
    if (weir_verb_makes_files(scope->phase->verb) && stop->deadline_ns > 0 && !stop->has_wear_out)
        return REFUSE(scope,
                      "status file %s would promise more data than slow ranks write before the "
                      "deadline: add wear-out",
                      stop->status_path);
    return 0;
}

/* Random positions repeat, so some blocks are written twice, by anyone, and some never. A mixed
 * phase has none. */
static bool is_written_at_random(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];

        if (weir_verb_makes_files(phase->verb) &&
            phase->transfers.layout.order == WEIR_ORDER_RANDOM_BLOCKS)
            return true;
    }
    return false;
}

int weir_check_verifiable(const struct weir_check_scope *scope, const struct weir_payload *payload)
{
    if (payload->mode == WEIR_PAYLOAD_NONE)
        return REFUSE(scope, "data without content cannot be verified: choose another payload, or "
                             "do not verify");
    if (!(weir_test_abilities(scope->test) & WEIR_CAN_KEEP))
        return REFUSE(scope,
                      "backend %s keeps no data that could be verified: do not verify, or choose "
                      "another backend",
                      scope->test->backend->name);
    return 0;
}

static int check_verification(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (phase->is_check && !phase->transfers.must_verify)
        return REFUSE(scope, "a check that does not verify: make it a read, or verify");
    if (phase->transfers.ends_at_mismatch && !phase->transfers.must_verify)
        return REFUSE(scope,
                      "a read that ends at a mismatch but does not verify sees none: verify, "
                      "or leave it out");
    if (!phase->transfers.must_verify)
        return 0;
    if (weir_check_verifiable(scope, &phase->transfers.payload))
        return scope->error->code;
    if (is_written_at_random(scope->test))
        return REFUSE(scope, "data written at random block positions cannot be verified, as blocks "
                             "may be written twice or never: write in shuffled order instead");
    return 0;
}

int weir_check_payload(const struct weir_check_scope *scope, const struct weir_payload *payload)
{
    if (payload->mode != WEIR_PAYLOAD_IOR && payload->pattern != WEIR_IOR_TIMESTAMP)
        return REFUSE(scope, "a pattern of IOR's for data that are not IOR's: choose one of both");
    return 0;
}

static int check_payload(const struct weir_check_scope *scope)
{
    return weir_check_payload(scope, &scope->phase->transfers.payload);
}

static int check_shift(const struct weir_check_scope *scope)
{
    const struct weir_shift *shift = &scope->phase->shift;

    if (scope->phase->verb == WEIR_MIXED && shift->kind != WEIR_SHIFT_NONE)
        return REFUSE(scope,
                      "a mixed phase writes, and a rank writes its own part only: shift reads, "
                      "or leave the shift out");
    if (shift->varies && shift->kind != WEIR_SHIFT_RANDOM && shift->kind != WEIR_SHIFT_PERMUTATION)
        return REFUSE(scope, "an order of ranks that is not random cannot vary: choose a random "
                             "one, or a fixed one");
    return 0;
}

/* ---- rules of all phases ---- */

static int check_verb(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (phase->verb != WEIR_PROGRAM && phase->program)
        return REFUSE(scope, "%s runs no program: leave it out", verb_name(scope));
    if (!weir_verb_reads(phase->verb) && phase->transfers.must_verify)
        return REFUSE(scope, "%s cannot verify: add a read that does", verb_name(scope));
    if (phase->verb != WEIR_READ && phase->is_check)
        return REFUSE(scope, "%s is no check: add a read that verifies", verb_name(scope));
    if (!weir_verb_writes(phase->verb) && phase->transfers.must_sync_each)
        return REFUSE(scope, "%s has nothing to sync: sync writes only", verb_name(scope));
    if (!weir_verb_moves_data(phase->verb) &&
        (phase->transfers.must_sync_at_end || phase->transfers.must_sync_before ||
         phase->transfers.must_sync_after))
        return REFUSE(scope, "%s has nothing to sync: sync phases that move data",
                      verb_name(scope));
    if (!weir_verb_makes_files(phase->verb) && phase->transfers.must_replace)
        return REFUSE(scope, "%s cannot replace its files: let the write do so", verb_name(scope));
    if (!weir_verb_makes_files(phase->verb) && phase->is_prefill)
        return REFUSE(scope, "%s cannot fill files: only writes can", verb_name(scope));
    if (phase->verb != WEIR_REMOVE && phase->names.only_if_clean)
        return REFUSE(scope, "%s cannot wait for clean data: only removals can", verb_name(scope));
    if (phase->verb != WEIR_REMOVE && phase->names.only_if_ending)
        return REFUSE(scope, "%s cannot wait for the end of a run: only removals can",
                      verb_name(scope));
    if (phase->verb != WEIR_MIXED && phase->transfers.read_percent > 0)
        return REFUSE(scope, "%s has no share of reads: only mixed phases have", verb_name(scope));
    if (phase->verb == WEIR_REMOVE && phase->rate.arrivals != WEIR_ARRIVALS_CLOSED)
        return REFUSE(scope, "%s has no rate: only phases that move data or work on trees have",
                      verb_name(scope));
    return 0;
}

/* Behind a path that packages have directories of, their numbers and names of files follow. */
static int check_path(const struct weir_check_scope *scope, const char *path)
{
    size_t length = path ? strlen(path) : 0;
    const char *name = length > 0 ? strrchr(path, '/') : NULL;
    bool is_directory;

    if (length == 0)
        return REFUSE(scope, "empty path: give the name of a file");
    name = name != NULL ? name + 1 : path;
    is_directory = *name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    if (is_directory && !scope->phase->target->has_package_directory)
        return REFUSE(scope, "path %.256s names a directory: add the name of a file", path);
    return 0;
}

/* The longest names that the greatest numbers make must fit. */
static int check_path_lengths(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;
    const struct weir_file_place longest = {.number = WEIR_PLAN_RANKS_MAX,
                                            .repetition = scope->test->repetitions,
                                            .package = WEIR_PLAN_RANKS_MAX};
    char path[WEIR_PATH_BYTES];

    for (size_t i = 0; i < target->path_count; i++) {
        struct weir_target single = *target;

        single.paths = &target->paths[i];
        single.path_count = 1;
        if (weir_target_path(&single, &longest, path))
            return REFUSE(scope,
                          "a path of %zu bytes is too long: %d must do, with the numbers that are "
                          "added to it",
                          strlen(target->paths[i]), WEIR_PATH_BYTES - 1);
    }
    return 0;
}

static int check_directories(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;

    if (target->is_shared && target->has_own_directory)
        return REFUSE(scope,
                      "a directory for each rank but one file for all: give each rank a file "
                      "of its own too");
    if (target->is_shared && target->has_package_directory)
        return REFUSE(scope, "a directory for each processor package but one file for all: give "
                             "each rank a file of its own too");
    if (target->has_own_directory && target->has_package_directory)
        return REFUSE(scope, "a directory for each rank and one for each processor package: choose "
                             "one of both");
    return 0;
}

/* Two ranks would write the same blocks. */
static int check_listed_once(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;

    for (size_t i = 0; i < target->path_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(target->paths[i], target->paths[k]) == 0)
                return REFUSE(scope, "device %.256s is listed twice: list each one once",
                              target->paths[i]);
    return 0;
}

static int check_device(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;
    const struct weir_test *test = scope->test;

    if (!target->is_device)
        return 0;
    if (!test->is_dry_run && !(weir_test_abilities(test) & WEIR_TAKES_DEVICES))
        return REFUSE(scope,
                      "backend %s does not take devices: choose one that does, such as posix, "
                      "direct, libaio or uring, or use a file",
                      test->backend->name);
    if (target->has_own_directory || target->has_package_directory ||
        target->is_new_each_repetition)
        return REFUSE(scope,
                      "a device has one name and no directory of ours: leave directories and "
                      "names for each repetition out");
    if (weir_verb_removes(scope->phase->verb) || scope->phase->transfers.must_replace ||
        !test->must_keep)
        return REFUSE(scope, "a device is neither removed nor replaced: keep it");
    return check_listed_once(scope);
}

static int check_target(const struct weir_check_scope *scope)
{
    const struct weir_target *target = scope->phase->target;
    int status = 0;

    if (weir_verb_works_on_trees(scope->phase->verb) || scope->phase->verb == WEIR_PROGRAM)
        return 0; /* weir_check_names, weir_check_program */
    if (!target || target->path_count == 0)
        return REFUSE(scope, "%s without a file: give a path", verb_name(scope));
    if (target->tree)
        return REFUSE(scope, "%s works on files, not on a tree: give a file", verb_name(scope));
    for (size_t i = 0; i < target->path_count && !status; i++)
        status = check_path(scope, target->paths[i]);
    if (status)
        return status;
    if (target->is_shared && target->path_count > 1)
        return REFUSE(
            scope, "%zu paths for one shared file: give one path, or each rank a file of its own",
            target->path_count);
    status = check_directories(scope);
    if (!status)
        status = check_device(scope);
    if (!status)
        status = weir_check_exact_names(scope);
    return status ? status : check_path_lengths(scope);
}

/* ---- rules of tests, and of the plan as a whole ---- */

static int check_backend(const struct weir_check_scope *scope)
{
    const struct weir_test *test = scope->test;

    assert(test->backend);
    if (test->backend->abilities & WEIR_WRAPS && !test->inner)
        return REFUSE(scope, "backend %s stands around another one: name both, as in %s:posix",
                      test->backend->name, test->backend->name);
    if (test->inner && !(test->backend->abilities & WEIR_WRAPS))
        return REFUSE(scope, "backend %s cannot stand around %s: name one of them",
                      test->backend->name, test->inner->name);
    if (test->inner && test->inner->abilities & WEIR_WRAPS)
        return REFUSE(scope, "backend %s cannot stand around %s: name one that stores data itself",
                      test->backend->name, test->inner->name);
    return 0;
}

static int check_options(const struct weir_check_scope *scope)
{
    const struct weir_test *test = scope->test;
    int status = 0;

    if (test->backend->check)
        status = test->backend->check(test->backend_options, scope->error);
    if (status == 0 && test->inner && test->inner->check)
        status = test->inner->check(test->inner_options, scope->error);
    return status;
}

static int check_work(const struct weir_check_scope *scope)
{
    if (scope->test->phase_count == 0)
        return REFUSE(scope, "nothing to do: ask for a write or a read");
    if (scope->test->repetitions == 0)
        return REFUSE(scope, "0 repetitions: give at least one");
    return weir_check_steps(scope);
}

static int check_hog(const struct weir_check_scope *scope)
{
    const struct weir_memory_hog *hog = &scope->test->hog;

    if ((hog->bytes_per_rank > 0) + (hog->bytes_per_node > 0) + (hog->percent_of_node > 0) > 1)
        return REFUSE(scope,
                      "memory to be taken away is given twice: give it per rank or per node");
    if (hog->percent_of_node > 100)
        return REFUSE(scope, "%u%% of the memory of a node: there are 100%%", hog->percent_of_node);
    return 0;
}

/* Given numbers of nodes and ranks, and bindings and memory policies. */
static int check_placement(const struct weir_check_scope *scope)
{
    const struct weir_test *test = scope->test;

    if (test->given_nodes > WEIR_PLAN_RANKS_MAX || test->given_ranks_per_node > WEIR_PLAN_RANKS_MAX)
        return REFUSE(scope,
                      "%" PRIu64 " nodes and %" PRIu64 " ranks on the first: give at most %" PRIu64,
                      test->given_nodes, test->given_ranks_per_node, WEIR_PLAN_RANKS_MAX);
    return weir_check_place(scope);
}

static int check_side_files(const struct weir_check_scope *scope)
{
    const struct weir_test *test = scope->test;

    if (test->rank_csv_path && test->rank_csv_path[0] == '\0')
        return REFUSE(scope, "empty path for the figures of ranks: give one, or leave it out");
    if (test->op_csv_prefix && test->op_csv_prefix[0] == '\0')
        return REFUSE(scope, "empty path for the figures of transfers: give one, or leave it out");
    if (test->rank_histogram_prefix && test->rank_histogram_prefix[0] == '\0')
        return REFUSE(scope, "empty path for the latencies of ranks: give one, or leave it out");
    return 0;
}

/* ---- all rules ---- */

static weir_check_rule *const test_rules[] = {
    check_backend, check_options, check_work, check_hog, check_placement, check_side_files, NULL};
static weir_check_rule *const phase_rules[] = {check_target, check_verb, NULL};
static weir_check_rule *const data_rules[] = {
    check_listing,   check_sizes,     check_total,  check_sharing,      check_collective,
    weir_check_load, weir_check_stop, check_status, check_verification, check_payload,
    check_shift,     check_first,     NULL};

int weir_check_apply(weir_check_rule *const rules[], const struct weir_check_scope *scope)
{
    int status = 0;

    for (; *rules && !status; rules++)
        status = (*rules)(scope);
    return status;
}

static int check_phase(const struct weir_check_scope *scope)
{
    int status = weir_check_apply(phase_rules, scope);

    if (status || scope->phase->verb == WEIR_REMOVE)
        return status;
    if (scope->phase->verb == WEIR_PROGRAM)
        return weir_check_program(scope);
    if (weir_verb_works_on_trees(scope->phase->verb))
        return weir_check_names(scope);
    return weir_check_apply(data_rules, scope);
}

static int check_test(struct weir_check_scope *scope)
{
    int status = weir_check_apply(test_rules, scope);

    for (size_t i = 0; i < scope->test->phase_count && !status; i++) {
        scope->phase = scope->test->phases[i];
        status = check_phase(scope);
    }
    return status;
}

int weir_output_check(const struct weir_output *output, const char *place, struct weir_error *error)
{
    if (output->summary_path && output->summary_path[0] == '\0')
        return weir_error_usage(error, place,
                                "empty path for the results: give one, or leave it "
                                "out for standard output");
    if (output->result_path && output->result_path[0] == '\0')
        return weir_error_usage(error, place,
                                "empty path for the result file: give one, or leave it out");
    return 0;
}

int weir_plan_check(const struct weir_plan *plan, struct weir_error *error)
{
    struct weir_check_scope scope = {.plan = plan, .error = error};
    int status;

    snprintf(scope.place, sizeof scope.place, "%s", plan->dialect);
    status = weir_output_check(&plan->output, scope.place, error);
    if (!status && plan->test_count == 0)
        status = REFUSE(&scope, "nothing to do: give at least one test");
    for (size_t i = 0; i < plan->test_count && !status; i++) {
        scope.test = plan->tests[i];
        scope.phase = NULL;
        if (plan->test_count > 1)
            snprintf(scope.place, sizeof scope.place, "%s: test %u", scope.test->dialect,
                     scope.test->number);
        status = check_test(&scope);
    }
    return status ? status : weir_check_paths(plan, error);
}
