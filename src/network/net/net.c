/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a net plan: a transport, its memory and addresses, then round by round. */
#include "weir/net/net.h"

#include "run.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t longest_of(const struct weir_net_plan *plan)
{
    uint64_t longest = 0;

    for (unsigned i = 0; i < plan->size_count; i++)
        if (plan->sizes[i] > longest)
            longest = plan->sizes[i];
    return longest;
}

/* ---- how much is needed ---- */

/* What the rounds need on any rank, and on this one. */
struct needs {
    uint32_t endpoints; /* of this rank in any round */
    uint32_t openers;   /* of this rank in any round, and one at least */
    uint32_t links;     /* of this rank, open at once */
    uint32_t reports;   /* that rank 0 gets in any round */
    uint64_t flows;     /* of all rounds */
};

/* Links of a rank that stay open from round to round. Of more (--pattern all on many ranks), each
 * round opens its own. */
enum { LINKS_KEPT = 32 };

/* `seen`: the links of all rounds so far. */
static void count_round(struct net_run *run, unsigned char *seen, struct needs *needs)
{
    uint32_t me = (uint32_t)run->group->rank;
    uint32_t endpoints = 0;

    for (uint32_t i = 0; i < run->flow_count; i++) {
        uint32_t opener = net_opener_of(run, &run->flows[i]);
        uint32_t acceptor = net_acceptor_of(run, &run->flows[i]);

        endpoints += (opener == me) + (acceptor == me);
        if (opener == me && !(seen[acceptor] & 1)) {
            seen[acceptor] |= 1;
            needs->links++;
        }
        if (acceptor == me && !(seen[opener] & 2)) {
            seen[opener] |= 2;
            needs->links++;
        }
    }
    if (endpoints > needs->endpoints)
        needs->endpoints = endpoints;
    if (run->openers[me] > needs->openers)
        needs->openers = run->openers[me];
    if (run->flow_count > needs->reports)
        needs->reports = run->flow_count;
    needs->flows += run->flow_count;
}

static void list_flows(struct net_run *run, uint32_t round)
{
    run->flow_count =
        weir_net_round_flows(run->plan, (uint32_t)run->group->size, round, run->flows);
    memset(run->openers, 0, (size_t)run->group->size * sizeof *run->openers);
    run->openers_most = 0;
    for (uint32_t i = 0; i < run->flow_count; i++) {
        uint32_t *openers = &run->openers[net_opener_of(run, &run->flows[i])];

        if (++*openers > run->openers_most)
            run->openers_most = *openers;
    }
}

static struct needs count_needs(struct net_run *run, unsigned char *seen)
{
    uint32_t size = (uint32_t)run->group->size;
    uint32_t rounds = weir_net_round_count(run->plan, size);
    struct needs needs = {.openers = 1, .reports = size};

    for (uint32_t round = 0; round < rounds; round++) {
        list_flows(run, round);
        count_round(run, seen, &needs);
    }
    run->must_close_links =
        weir_group_any(run->group, needs.links > LINKS_KEPT && needs.endpoints < needs.links);
    if (run->must_close_links && needs.links > needs.endpoints)
        needs.links = needs.endpoints;
    return needs;
}

/* Memory of an end: the most that any size needs. */
static uint64_t area_of(const struct weir_net_plan *plan)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < plan->size_count; i++) {
        struct net_trial trial = net_trial_of(plan, plan->sizes[i]);
        uint64_t bytes = trial.slot_count * trial.stride;

        most = bytes > most ? bytes : most;
    }
    return (most + 4095) / 4096 * 4096;
}

/* Rank 0 keeps what each flow did in each measurement, unless there are too many. All ranks find
 * the same. */
static int choose_results(struct net_run *run, const struct needs *needs,
                          struct weir_net_result *result, struct weir_error *error)
{
    const struct weir_net_plan *plan = run->plan;
    uint64_t most = run->params->flows_most > 0 ? run->params->flows_most : WEIR_NET_FLOWS_MOST;
    uint64_t flows = needs->flows * plan->size_count * plan->repetitions;

    if (flows <= most)
        return 0;
    if (plan->format == WEIR_NET_IPERF)
        return weir_error_usage(error, "net",
                                "--format iperf: it has lines of each flow, and %llu are more than "
                                "%llu: give another format, or fewer ranks, sizes or repetitions",
                                (unsigned long long)flows, (unsigned long long)most);
    run->has_many_flows = true;
    if (result != NULL)
        weir_net_result_keep(result, needs->reports,
                             most < WEIR_NET_FLOWS_KEPT ? (uint32_t)most : WEIR_NET_FLOWS_KEPT);
    return 0;
}

/* ---- opening ---- */

struct net_block {
    struct net_block *next;
    max_align_t memory[];
};

/* Zeroed memory, given back with the run; the error is that of the first piece that is not there.
 */
static void *take(struct net_run *run, size_t count, size_t bytes, struct weir_error *error)
{
    struct net_block *block = calloc(1, sizeof *block + count * bytes);

    if (block == NULL) {
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "net",
                       "%zu bytes for the flows of this rank cannot be had", count * bytes);
        return NULL;
    }
    block->next = run->blocks;
    run->blocks = block;
    return block->memory;
}

#define TAKE(pointer, count) ((pointer) = take(run, (count), sizeof *(pointer), error))

/* What the number of ranks says. */
static unsigned char *open_tables(struct net_run *run, struct weir_error *error)
{
    size_t size = (size_t)run->group->size;
    unsigned char *seen;

    TAKE(run->flows, 2 * size);
    TAKE(run->stages, 2 * size);
    TAKE(run->openers, size);
    TAKE(run->accepted, size);
    TAKE(run->peers, size);
    TAKE(run->addresses, size);
    return TAKE(seen, size);
}

/* What the rounds say. */
static void open_ends(struct net_run *run, const struct needs *needs, struct weir_error *error)
{
    const struct weir_net_plan *plan = run->plan;
    bool is_first = run->group->rank == 0;

    if (plan->interval_ns > 0 && !run->has_many_flows)
        run->interval_capacity = (uint32_t)(plan->duration_ns / plan->interval_ns) + 2;
    TAKE(run->endpoints, needs->endpoints + 1);
    TAKE(run->transfers, needs->endpoints + 1);
    TAKE(run->intervals, (size_t)needs->openers * run->interval_capacity + 1);
    TAKE(run->reports, needs->openers);
    TAKE(run->all_reports, is_first ? needs->reports : 0);
    TAKE(run->all_intervals, is_first ? (size_t)needs->reports * run->interval_capacity : 0);
    TAKE(run->latency, 1);
    TAKE(run->latency_sums, 2 + WEIR_HISTOGRAM_BUCKETS);
    for (uint32_t i = 0; i < needs->endpoints && !weir_error_is_set(error); i++) {
        struct net_endpoint *end = &run->endpoints[i];

        TAKE(end->latency, 1);
        TAKE(end->free_tokens, plan->depth);
        TAKE(end->post_ns, plan->depth);
        TAKE(end->last_number, plan->must_verify ? plan->depth : 0);
    }
}

static void close_run(struct net_run *run)
{
    while (run->blocks != NULL) {
        struct net_block *block = run->blocks;

        run->blocks = block->next;
        free(block);
    }
    weir_run_probe_close(run->probe);
    weir_pressure_close(run->pressure_watch);
    net_transport_close(run->transport);
}

static int lost_ranks(struct weir_error *error)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "net",
                          "the ranks can no longer talk to each other");
}

static int open_one(struct net_run *run, const char *provider, const unsigned char *secret,
                    struct weir_error *error)
{
    const struct net_transport_params params = {.plan = run->plan,
                                                .group = run->group,
                                                .provider = provider,
                                                .secret = secret,
                                                .longest_bytes = longest_of(run->plan)};

    if (provider != NULL && strcmp(provider, "mpi") == 0)
        net_mpi_transport_open(&params, &run->transport, error);
    else
        net_fabric_transport_open(&params, &run->transport, error);
    return weir_group_agree(run->group, error);
}

/* All ranks must come to the same: where one has no device, none uses those of the others. */
static int open_transport(struct net_run *run, const unsigned char *secret,
                          struct weir_error *error)
{
    struct weir_fabric_facts facts;
    char first[sizeof facts.provider];
    bool differs;

    if (open_one(run, run->plan->provider, secret, error) != 0)
        return error->code;
    run->transport->ops->describe(run->transport, &facts);
    memcpy(first, facts.provider, sizeof first);
    if (weir_group_broadcast(run->group, first, sizeof first, 0) < 0)
        return lost_ranks(error);
    differs = strcmp(first, facts.provider) != 0;
    if (!weir_group_any(run->group, differs))
        return 0;
    net_transport_close(run->transport);
    run->transport = NULL;
    return open_one(run, "tcp", secret, error);
}

static int check_length(const struct net_run *run, struct weir_error *error)
{
    uint64_t longest = longest_of(run->plan);

    if (longest <= run->transport->longest_bytes)
        return 0;
    return weir_error_usage(error, "net",
                            "--size: a message of %llu bytes is too long for this network; give "
                            "up to %llu",
                            (unsigned long long)longest,
                            (unsigned long long)run->transport->longest_bytes);
}

static int exchange_addresses(struct net_run *run, struct weir_error *error)
{
    size_t bytes = (size_t)run->group->size * WEIR_ADDRESS_BYTES;
    char mine[WEIR_ADDRESS_BYTES];
    int code;

    run->transport->ops->listen(run->transport, mine, error);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    code = weir_group_gather(run->group, mine, sizeof mine,
                             run->group->rank == 0 ? run->addresses : NULL);
    if (code == 0)
        code = weir_group_broadcast(run->group, run->addresses, bytes, 0);
    if (code == 0)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "net",
                          "addresses cannot be told to the ranks");
}

/* Watches what keeps ranks from running. Collective. */
static int watch_node(struct net_run *run)
{
    pid_t *pids;
    int code = weir_group_gather_pids(run->group, &pids);

    if (code == 0 && pids != NULL)
        run->pressure_watch = weir_pressure_open("", pids, (size_t)run->group->node_size);
    free(pids);
    return code;
}

static int open_run(struct net_run *run, struct weir_net_result *result, struct weir_error *error)
{
    unsigned char secret[WEIR_SECRET_BYTES] = {0};
    unsigned char *seen = open_tables(run, error);
    struct needs needs;

    run->probe = weir_run_probe_open("");
    if (run->probe == NULL && !weir_error_is_set(error))
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "net",
                       "there is no memory for the counters of CPU time");
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    if (watch_node(run) < 0)
        return lost_ranks(error);
    needs = count_needs(run, seen);
    choose_results(run, &needs, result, error);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    open_ends(run, &needs, error);
    run->area_bytes = area_of(run->plan);
    run->must_yield = run->group->node_size > sysconf(_SC_NPROCESSORS_ONLN);
    if (run->group->rank == 0 && !weir_error_is_set(error) && weir_secret_draw(secret) < 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EIO, "net", "the kernel draws no secret");
    if (weir_group_agree(run->group, error) != 0 ||
        weir_group_broadcast(run->group, secret, sizeof secret, 0) < 0)
        return lost_ranks(error);
    if (open_transport(run, secret, error) != 0)
        return error->code;
    if (check_length(run, error) == 0 && needs.endpoints > 0)
        run->transport->ops->take_memory(run->transport, needs.endpoints * run->area_bytes,
                                         run->plan->wants_huge_pages, needs.links, error);
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    return exchange_addresses(run, error);
}

/* ---- what rank 0 tells of it ---- */

/* The rate of memcpy from memory to memory: between pieces at the begin of a buffer that is larger
 * than the last-level cache, after all of it was written. 0 if there is no memory for that. */
static double measure_copy(const struct net_run *run)
{
    const size_t piece = (size_t)16 << 20, pairs = 4;
    uint64_t cache = run->params->cache_bytes, best_ns = UINT64_MAX;
    size_t bytes = 3 * piece * pairs;
    unsigned char *buffer;

    if (cache > 0 && cache + cache / 2 > bytes)
        bytes = (size_t)(cache + cache / 2);
    buffer = bytes <= run->params->copy_memory_bytes ? malloc(bytes) : NULL;
    if (buffer == NULL)
        return 0;
    memset(buffer, 1, bytes);
    for (size_t i = 0; i < pairs; i++) {
        unsigned char *from = buffer + 2 * i * piece, *to = from + piece;
        uint64_t begin_ns = weir_clock_ns(run->clock), taken_ns;

        memcpy(to, from, piece);
        /* Keeps the compiler from removing the copy. */
        __asm__ volatile("" : : "r"(to) : "memory");
        taken_ns = weir_clock_ns(run->clock) - begin_ns;
        best_ns = taken_ns < best_ns ? taken_ns : best_ns;
    }
    free(buffer);
    return best_ns > 0 ? (double)piece * 1e9 / (double)best_ns : 0;
}

static void describe_transport(const struct net_run *run, struct weir_net_result *result)
{
    struct weir_fabric_facts facts;
    struct net_trial trial = net_trial_of(run->plan, longest_of(run->plan));

    run->transport->ops->describe(run->transport, &facts);
    snprintf(result->provider, sizeof result->provider, "%s", facts.provider);
    snprintf(result->transport, sizeof result->transport, "%s", facts.transport);
    if (strcmp(facts.provider, "mpi") == 0)
        snprintf(result->library, sizeof result->library, "%s", weir_group_library(run->group));
    result->is_latency = run->plan->measure == WEIR_NET_LATENCY;
    result->mtu_bytes = facts.mtu_bytes;
    result->inline_bytes = facts.inline_bytes;
    result->read_depth = facts.read_depth;
    result->link_bits_per_s = facts.bits_per_s;
    result->working_set_bytes = trial.slot_count * trial.stride;
    result->cache_bytes = run->params->cache_bytes;
    result->copy_bytes_per_s = measure_copy(run);
    result->rank_count = (uint32_t)run->group->size;
    result->node_count = (uint32_t)run->group->node_count;
}

static int describe(struct net_run *run, struct weir_net_result *result)
{
    struct weir_group *group = run->group;
    struct weir_net_rank mine = {0}, *all = NULL;
    struct weir_fabric_facts facts;
    int code;

    assert(run->transport != NULL);
    run->transport->ops->describe(run->transport, &facts);
    snprintf(mine.host, sizeof mine.host, "%s", group->node_names[group->node]);
    snprintf(mine.device, sizeof mine.device, "%s", facts.device);
    snprintf(mine.address, sizeof mine.address, "%s", facts.address);
    mine.numa_node = facts.numa_node;
    mine.mtu_bytes = facts.mtu_bytes;
    mine.buffer_bytes = run->transport->slab.bytes;
    mine.huge_page_bytes =
        run->plan->wants_huge_pages ? weir_slab_huge_bytes(&run->transport->slab) : UINT64_MAX;
    if (result != NULL) {
        describe_transport(run, result);
        all = weir_arena_take(&result->arena, (size_t)group->size * sizeof *all);
        result->ranks = all;
    }
    code = weir_group_gather(group, &mine, sizeof mine, all);
    /* A path has what the narrower of its ends has. */
    for (int rank = 0; code == 0 && all != NULL && rank < group->size; rank++)
        if (all[rank].mtu_bytes < result->mtu_bytes)
            result->mtu_bytes = all[rank].mtu_bytes;
    return code;
}

/* ---- the run ---- */

static int measure_rounds(struct net_run *run, uint32_t repetition, unsigned size,
                          struct weir_net_result *result, struct weir_error *error)
{
    uint32_t rounds = weir_net_round_count(run->plan, (uint32_t)run->group->size);
    bool is_new = repetition == 0 && size == 0;
    int code = 0;

    for (uint32_t round = 0; round < rounds && code == 0 && !run->has_stopped; round++) {
        list_flows(run, round);
        net_endpoints_list(run);
        if ((is_new || run->must_close_links) && net_links_open(run) < 0)
            return lost_ranks(error);
        if (is_new)
            code = net_round_try(run, error);
        if (code < 0 || run->has_stopped)
            break;
        if (result != NULL && run->params->view != NULL)
            run->params->view->run = run;
        if (result != NULL && run->params->measures != NULL)
            run->params->measures(run->params->context, run->plan->sizes[size],
                                  (repetition * run->plan->size_count + size) * rounds + round,
                                  run->plan->repetitions * run->plan->size_count * rounds);
        code = net_round_measure(run, round, repetition, run->plan->sizes[size], result, error);
        if (code == 0 && result != NULL && run->params->measured != NULL)
            run->params->measured(run->params->context, result);
        if (code == 0 && run->must_close_links && net_links_close(run) < 0)
            return lost_ranks(error);
    }
    return code;
}

static int measure_all(struct net_run *run, struct weir_net_result *result,
                       struct weir_error *error)
{
    int code = 0;

    for (uint32_t repetition = 0; repetition < run->plan->repetitions; repetition++)
        for (unsigned i = 0; i < run->plan->size_count && code == 0 && !run->has_stopped; i++)
            code = measure_rounds(run, repetition, i, result, error);
    if (result != NULL) {
        result->is_interrupted = run->has_stopped;
        weir_net_result_judge(result);
    }
    return code;
}

/* The loops write the counters with plain stores: a sum may miss the latest messages. */
uint64_t weir_net_count_messages(const struct weir_net_window *view, uint64_t *own, uint64_t *all)
{
    const struct net_run *run = view->run;
    uint64_t messages = 0;

    *own = *all = 0;
    for (uint32_t i = 0; run != NULL && i < run->endpoint_count; i++) {
        const struct net_endpoint *end = &run->endpoints[i];

        if (!end->is_opener)
            continue;
        messages += __atomic_load_n(&end->tally.completed, __ATOMIC_RELAXED);
        (*own)++;
    }
    *all = run != NULL ? run->flow_count : 0;
    return messages;
}

int weir_net_run(const struct weir_net_params *params, struct weir_net_result *result,
                 struct weir_error *error)
{
    struct net_run run = {
        .params = params, .plan = params->plan, .group = params->group, .clock = params->clock};
    int code;

    weir_net_ranks_check((uint32_t)params->group->size, &params->group->mismatch, error);
    if (weir_group_agree(params->group, error) != 0)
        return error->code;
    code = open_run(&run, result, error);
    if (code == 0 && describe(&run, result) < 0)
        code = lost_ranks(error);
    if (code == 0)
        code = measure_all(&run, result, error);
    if (result != NULL && params->ends != NULL)
        params->ends(params->context);
    close_run(&run);
    return code;
}
