/* SPDX-License-Identifier: Apache-2.0 */
/* Reads are of the storage only as far as the page cache does not have them: it is emptied before
 * them where the user wants it, and in any case the kernel is asked how much it holds. */
#include "cache_state.h"

#include <errno.h>
#include <string.h>

/* Asking takes time where the kernel looks at page by page: with mincore, and with cachestat where
 * much is in the cache. Who is not through after this has seen a fair sample. */
#define SURVEY_NS UINT64_C(1000000000)
/* Of the order of pieces: any number. */
#define SURVEY_SEED 1

static bool has_files(const struct weir_run *run)
{
    return !run->test->is_dry_run && weir_run_has_storage(run) &&
           (weir_test_abilities(run->test) & WEIR_CAN_NAME) != 0;
}

static const char *kernel_path(const struct weir_run *run, const char *path)
{
    const struct weir_name_ops *names = run->backend->names;

    return names->kernel_path == NULL ? path : names->kernel_path(run->session, path);
}

/* ---- what is asked for ---- */

static uint64_t divide_up(uint64_t count, uint64_t by)
{
    return (count + by - 1) / by;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many transfers of a share are sure to lie one behind the other. */
static uint64_t count_neighbours(const struct weir_share *share, uint64_t op_limit)
{
    if (share->order == WEIR_ORDER_SHUFFLED)
        return 1;
    if (share->order == WEIR_ORDER_SEQUENTIAL && share->segment_bytes == share->block_bytes)
        return op_limit;
    return share->ops_per_block;
}

void weir_cache_survey_init(struct weir_cache_survey *survey, const struct weir_share *share,
                            uint64_t op_limit)
{
    *survey = (struct weir_cache_survey){.share = share, .op_limit = op_limit};
    if (op_limit == 0)
        return;
    survey->ops_per_run = count_neighbours(share, op_limit);
    survey->run_count = divide_up(op_limit, survey->ops_per_run);
    survey->runs_asked = least(survey->run_count, WEIR_SURVEY_RUNS_MAX);
    survey->pieces_per_run =
        divide_up(survey->ops_per_run * share->transfer_bytes, WEIR_SURVEY_PIECE_BYTES);
    survey->piece_count = survey->runs_asked * survey->pieces_per_run;
    survey->share_bytes = op_limit * share->transfer_bytes;
}

/* As index * run_count / runs_asked, which may be too large for a word in between. */
static uint64_t find_run(const struct weir_cache_survey *survey, uint64_t index)
{
    return survey->run_count / survey->runs_asked * index +
           survey->run_count % survey->runs_asked * index / survey->runs_asked;
}

struct weir_extent weir_cache_survey_piece(const struct weir_cache_survey *survey, uint64_t index)
{
    uint64_t first_op = find_run(survey, index / survey->pieces_per_run) * survey->ops_per_run;
    uint64_t ops = least(survey->ops_per_run, survey->op_limit - first_op);
    uint64_t run_bytes = ops * survey->share->transfer_bytes;
    uint64_t start = index % survey->pieces_per_run * WEIR_SURVEY_PIECE_BYTES;

    if (start >= run_bytes)
        return (struct weir_extent){0};
    return (struct weir_extent){
        .offset = weir_share_offset(survey->share, first_op) + start,
        .bytes = least(run_bytes - start, WEIR_SURVEY_PIECE_BYTES),
    };
}

/* ---- measuring ---- */

/* What was not asked for is taken to be like what was. */
static void conclude(struct weir_data_phase *data, const struct weir_cache_survey *survey,
                     const struct weir_residency *sum, uint64_t seen_bytes)
{
    double scale = (double)survey->share_bytes / (double)seen_bytes;
    bool is_complete = seen_bytes == survey->share_bytes;

    data->facts.resident_asked_bytes =
        is_complete ? sum->asked_bytes : (uint64_t)((double)sum->asked_bytes * scale);
    data->facts.resident_bytes =
        is_complete ? sum->resident_bytes : (uint64_t)((double)sum->resident_bytes * scale);
}

/* In random order, so that what was seen when time is up is no special part of the file: caches
 * like to hold the end of what was written, or the beginning. */
static void ask(struct weir_data_phase *data, struct weir_residency_probe *probe)
{
    const uint64_t begun_ns = weir_run_now(data->run);
    struct weir_cache_survey survey;
    struct weir_permutation order;
    struct weir_residency sum = {0};
    uint64_t seen_bytes = 0;

    weir_cache_survey_init(&survey, &data->share, data->facts.op_limit);
    weir_permutation_init(&order, survey.piece_count, SURVEY_SEED);
    for (uint64_t i = 0; i < survey.piece_count; i++) {
        struct weir_extent piece = weir_cache_survey_piece(&survey, weir_permutation_at(&order, i));

        if (weir_residency_add(probe, piece, &sum) != 0)
            return;
        seen_bytes += piece.bytes;
        if (weir_run_now(data->run) - begun_ns > SURVEY_NS)
            break;
    }
    if (seen_bytes > 0)
        conclude(data, &survey, &sum, seen_bytes);
}

/* Where the kernel does not tell, nothing is known; and a file that is not there is for the phase
 * to complain of. */
static void measure(struct weir_data_phase *data)
{
    struct weir_residency_probe *probe;

    data->facts.resident_asked_bytes = 0;
    data->facts.resident_bytes = 0;
    if (weir_residency_open(kernel_path(data->run, data->path), &probe) != 0)
        return;
    ask(data, probe);
    weir_residency_close(probe);
}

/* ---- emptying ---- */

static void drop_file(const struct weir_data_phase *data, const char *path,
                      struct weir_error *error)
{
    int code = weir_cache_drop_file(kernel_path(data->run, path));

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, data->run->test->dialect,
                       "--drop-caches files: %s cannot be dropped from the page cache: %s", path,
                       strerror(-code));
}

/* Page caches are those of nodes. A file of its own may be in two of them: in the reader's, and
 * still unwritten in its writer's. */
static void drop_files(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;
    char own[WEIR_PATH_BYTES];

    if (data->target->is_shared) {
        if (run->group->node_rank == 0)
            drop_file(data, data->path, error);
        return;
    }
    drop_file(data, data->path, error);
    if (data->owner != (uint64_t)run->group->rank &&
        weir_run_path(run, data->target, (uint64_t)run->group->rank, own) == 0)
        drop_file(data, own, error);
}

static void drop_node(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;
    int code;

    if (run->group->node_rank != 0)
        return;
    code = weir_cache_drop_node("", kernel_path(run, data->path));
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->test->dialect,
                       "--drop-caches node: the page cache of host %s cannot be emptied: %s",
                       run->group->node_names[run->group->node], strerror(-code));
}

int weir_cache_state_prepare(struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;

    if (!weir_verb_reads(data->phase->verb) || !has_files(run))
        return 0;
    if (run->test->cache_drop == WEIR_DROP_FILES)
        drop_files(data, error);
    else if (run->test->cache_drop == WEIR_DROP_NODE)
        drop_node(data, error);
    /* None looks before all have dropped: agreeing waits for all. */
    if (run->test->cache_drop != WEIR_DROP_NOTHING && weir_group_agree(run->group, error) != 0)
        return error->code;
    measure(data);
    return 0;
}

/* ---- may it be done? ---- */

/* Of the nodes that refuse, all ranks name the first. */
static int check_nodes(const struct weir_run *run, struct weir_error *error)
{
    struct weir_group *group = run->group;
    bool refuses = group->node_rank == 0 && !weir_cache_may_drop_node("");
    uint64_t first = refuses ? (uint64_t)group->node : UINT64_MAX;
    int code = weir_group_reduce(group, &first, 1, WEIR_MIN);

    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                              "ranks cannot tell each other what they may do: %s", strerror(-code));
    if (first == UINT64_MAX)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EPERM, run->test->dialect,
                          "--drop-caches node: this process may not write "
                          "/proc/sys/vm/drop_caches on host %s: run as root there (in containers "
                          "/proc/sys is often read-only), or use --drop-caches files",
                          group->node_names[first]);
}

/* That there are files at all, the plan has been checked for. */
int weir_cache_state_check(struct weir_run *run, struct weir_error *error)
{
    if (run->test->cache_drop != WEIR_DROP_NODE || !has_files(run))
        return 0;
    return check_nodes(run, error);
}
