/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks ran, node by node. */
#include "weir/measure/places.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

/* ---- a core for each rank ---- */

/* The ranks of one node and the cores that they take, each by the number of its first processor. */
struct matching {
    const struct weir_execution **ranks;
    unsigned *core_of_rank;        /* NO_CORE */
    unsigned owner[WEIR_CPUS_MAX]; /* of cores that are taken: a position in `ranks` */
    struct weir_cpu_set taken;
    struct weir_cpu_set hopeless; /* taken for good: no free core can be reached from them */
    size_t word_count;            /* of the sets: those behind are empty */
};

#define NO_CORE UINT_MAX

/* One search for a free core: all cores seen on the way, and from which rank. */
struct search {
    unsigned queue[WEIR_CPUS_MAX];
    unsigned head;
    unsigned tail;
    unsigned seen_by[WEIR_CPUS_MAX];
    struct weir_cpu_set seen;
};

/* Ranks hand their cores on until the first one of the path has one. */
static void hand_on(struct matching *matching, const struct search *search, unsigned core)
{
    while (core != NO_CORE) {
        unsigned rank = search->seen_by[core];
        unsigned left = matching->core_of_rank[rank];

        weir_cpu_set_add(&matching->taken, core);
        matching->owner[core] = rank;
        matching->core_of_rank[rank] = core;
        core = left;
    }
}

/* Looks at the cores of a rank that were not seen yet. Returns a free one, or NO_CORE. It is word
 * by word, as sets are large and this is done once for each rank and core. */
static unsigned look(const struct matching *matching, struct search *search, unsigned rank)
{
    const uint64_t *cores = matching->ranks[rank]->cores.words;
    const uint64_t *taken = matching->taken.words;
    uint64_t *seen = search->seen.words;

    for (unsigned i = 0; i < matching->word_count; i++) {
        uint64_t unused = cores[i] & ~seen[i] & ~taken[i];

        if (unused != 0) {
            unsigned core = 64 * i + (unsigned)__builtin_ctzll(unused);

            search->seen_by[core] = rank;
            return core;
        }
    }
    for (unsigned i = 0; i < matching->word_count; i++) {
        for (uint64_t news = cores[i] & ~seen[i]; news != 0; news &= news - 1) {
            unsigned core = 64 * i + (unsigned)__builtin_ctzll(news);

            search->seen_by[core] = rank;
            search->queue[search->tail++] = core;
        }
        seen[i] |= cores[i];
    }
    return NO_CORE;
}

/* An augmenting path, breadth first. What a search that failed has seen leads nowhere in any later
 * one either, so each core is left for good at most once: many ranks with equal cores are cheap. */
static bool find_core(struct matching *matching, struct search *search, unsigned rank)
{
    unsigned core;

    search->head = search->tail = 0;
    search->seen = matching->hopeless;
    core = look(matching, search, rank);
    while (core == NO_CORE && search->head < search->tail)
        core = look(matching, search, matching->owner[search->queue[search->head++]]);
    if (core == NO_CORE) {
        matching->hopeless = search->seen;
        return false;
    }
    hand_on(matching, search, core);
    return true;
}

/* ---- one node ---- */

/* The ranks of a node whose execution is known, by their positions in `placed`. */
struct tenants {
    const struct weir_placed_rank *placed;
    const unsigned *ranks;
    unsigned count;
};

static const struct weir_execution *execution_of(const struct tenants *tenants, unsigned i)
{
    return tenants->placed[tenants->ranks[i]].execution;
}

static size_t used_words(const struct weir_cpu_set *set)
{
    size_t count = sizeof set->words / sizeof *set->words;

    while (count > 0 && set->words[count - 1] == 0)
        count--;
    return count;
}

static void count_crowded(const struct tenants *tenants, struct weir_node_places *node)
{
    struct weir_arena scratch = {0};
    struct matching *matching;
    struct search *search;

    if (tenants->count < 2)
        return;
    matching = weir_arena_take(&scratch, sizeof *matching);
    search = weir_arena_take(&scratch, sizeof *search);
    matching->ranks = weir_arena_take(&scratch, tenants->count * sizeof *matching->ranks);
    matching->core_of_rank =
        weir_arena_take(&scratch, tenants->count * sizeof *matching->core_of_rank);
    for (unsigned i = 0; i < tenants->count; i++) {
        size_t word_count = used_words(&execution_of(tenants, i)->cores);

        matching->ranks[i] = execution_of(tenants, i);
        matching->core_of_rank[i] = NO_CORE;
        if (word_count > matching->word_count)
            matching->word_count = word_count;
    }
    for (unsigned i = 0; i < tenants->count; i++) {
        const struct weir_cpu_set *cores = &matching->ranks[i]->cores;

        if (weir_cpu_set_is_empty(cores) || find_core(matching, search, i))
            continue;
        if (node->crowded_count++ == 0) {
            node->first_crowded = tenants->ranks[i];
            node->crowded_cpu = weir_cpu_set_next(cores, 0);
        }
    }
    weir_arena_close(&scratch);
}

/* Counts `rank` if `has_it`, and keeps the first of those. */
static void note(bool has_it, unsigned rank, uint32_t *count, uint32_t *first)
{
    if (!has_it)
        return;
    if (*count == 0)
        *first = rank;
    ++*count;
}

/* A value unknown on all ranks is unknown; one known on some is their sum. */
static void add_known(uint64_t *sum, uint64_t value)
{
    if (value != WEIR_UNKNOWN)
        *sum = *sum == WEIR_UNKNOWN ? value : *sum + value;
}

static bool is_remote(const struct weir_execution *execution)
{
    return execution->cpu_nodes != 0 && (execution->page_nodes & ~execution->cpu_nodes) != 0;
}

static void add_places(struct weir_node_places *node, const struct weir_execution *execution,
                       unsigned rank)
{
    node->cpus = weir_cpu_set_or(&node->cpus, &execution->cpus);
    node->is_pinned |= execution->is_pinned;
    node->asks_nodes |= execution->asks_nodes;
    node->cpu_nodes |= execution->cpu_nodes;
    node->page_nodes |= execution->page_nodes;
    node->narrowed_count += execution->is_narrowed;
    node->far_count += execution->is_far;
    if (execution->given_core_count > node->given_core_count)
        node->given_core_count = execution->given_core_count;
    note(execution->is_moved, rank, &node->moved_count, &node->first_moved);
    note(execution->away_permille > 0, rank, &node->away_count, &node->first_away);
    note(is_remote(execution), rank, &node->remote_count, &node->first_remote);
    if (execution->away_permille > node->away_permille)
        node->away_permille = execution->away_permille;
}

static void add_times(struct weir_node_places *node, const struct weir_execution *execution,
                      uint64_t cpu_ns)
{
    double wall_ns = (double)execution->wall_ns;

    node->cpu_s += (double)cpu_ns * 1e-9;
    node->wall_s = fmax(node->wall_s, wall_ns * 1e-9);
    add_known(&node->migrations, execution->migrations);
    add_known(&node->preemptions, execution->preemptions);
    if (execution->throttled_ns != WEIR_UNKNOWN)
        node->throttled_s = fmax(node->throttled_s, (double)execution->throttled_ns * 1e-9);
    if (execution->stolen_ns != WEIR_UNKNOWN && execution->stolen_cpus > 0 &&
        execution->wall_ns > 0)
        node->stolen_share = fmax(node->stolen_share, (double)execution->stolen_ns /
                                                          (wall_ns * execution->stolen_cpus));
}

/* Keeps the rank that waited the largest share of its time for a CPU. */
static void add_wait(struct weir_node_places *node, const struct weir_execution *execution,
                     unsigned rank)
{
    double share = (double)NAN;

    if (execution->pressure.load_hundredths > 0 || execution->pressure.is_sampled)
        node->pressure = execution->pressure;
    if (execution->waited_ns != WEIR_UNKNOWN && execution->waited_of_ns > 0)
        share = (double)execution->waited_ns / (double)execution->waited_of_ns;
    if (isnan(share) || share <= node->waited_share)
        return;
    node->waited_share = fmin(share, 1.0);
    node->first_waited = rank;
}

static void add_tenants(struct weir_node_places *node, const struct tenants *tenants)
{
    struct weir_cpu_set cores = {0};

    for (unsigned i = 0; i < tenants->count; i++) {
        const struct weir_execution *execution = execution_of(tenants, i);

        cores = weir_cpu_set_or(&cores, &execution->cores);
        add_places(node, execution, tenants->ranks[i]);
        add_times(node, execution, tenants->placed[tenants->ranks[i]].cpu_ns);
        add_wait(node, execution, tenants->ranks[i]);
    }
    node->core_count = weir_cpu_set_count(&cores);
    count_crowded(tenants, node);
}

/* ---- all nodes ---- */

/* Ranks by node: those of node n are ranks[begins[n]] to ranks[begins[n + 1] - 1]. */
struct register_of_ranks {
    unsigned *begins;
    unsigned *ranks;
};

static bool is_known(const struct weir_placed_rank *placed)
{
    return placed->execution != NULL && placed->execution->is_known;
}

static struct register_of_ranks sort_by_node(struct weir_arena *scratch,
                                             const struct weir_placed_rank *placed,
                                             unsigned rank_count, unsigned node_count)
{
    struct register_of_ranks made = {
        .begins = weir_arena_take(scratch, (node_count + 2) * sizeof *made.begins),
        .ranks = weir_arena_take(scratch, (rank_count + 1) * sizeof *made.ranks),
    };

    /* Counted two places ahead, so that what stands one place ahead moves to its end while ranks
     * are put in. */
    for (unsigned i = 0; i < rank_count; i++)
        if (is_known(&placed[i]))
            made.begins[placed[i].node + 2]++;
    for (unsigned i = 2; i < node_count + 2; i++)
        made.begins[i] += made.begins[i - 1];
    for (unsigned i = 0; i < rank_count; i++)
        if (is_known(&placed[i]))
            made.ranks[made.begins[placed[i].node + 1]++] = i;
    return made;
}

static void name_nodes(const struct weir_placed_rank *placed, unsigned rank_count,
                       const char *const *hosts, struct weir_node_places *nodes)
{
    for (unsigned i = 0; i < rank_count; i++) {
        struct weir_node_places *node = &nodes[placed[i].node];

        if (node->rank_count++ == 0)
            snprintf(node->host, sizeof node->host, "%s", hosts[i]);
    }
}

static struct weir_rank_place *
list_ranks(struct weir_arena *arena, const struct weir_placed_rank *placed, unsigned rank_count)
{
    struct weir_rank_place *ranks = weir_arena_take(arena, rank_count * sizeof *ranks);

    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_execution *execution = placed[i].execution;
        struct weir_rank_place *rank = &ranks[i];

        *rank = (struct weir_rank_place){.rank = i,
                                         .node = placed[i].node,
                                         .migrations = WEIR_UNKNOWN,
                                         .preemptions = WEIR_UNKNOWN};
        if (!is_known(&placed[i]))
            continue;
        rank->last_cpu = execution->last_cpu;
        rank->cpus = execution->cpus;
        rank->cpu_nodes = execution->cpu_nodes;
        rank->page_nodes = execution->page_nodes;
        rank->away_permille = execution->away_permille;
        rank->is_moved = execution->is_moved;
        rank->migrations = execution->migrations;
        rank->preemptions = execution->preemptions;
    }
    return ranks;
}

void weir_places_derive(struct weir_arena *arena, const struct weir_placed_rank *placed,
                        unsigned rank_count, const char *const *hosts, unsigned node_count,
                        struct weir_node_places **nodes, struct weir_rank_place **ranks)
{
    struct weir_arena scratch = {0};
    struct register_of_ranks by_node;
    unsigned known_count = 0;

    *nodes = NULL;
    *ranks = NULL;
    for (unsigned i = 0; i < rank_count; i++) {
        assert(placed[i].node < node_count);
        known_count += is_known(&placed[i]);
    }
    if (known_count == 0)
        return;
    by_node = sort_by_node(&scratch, placed, rank_count, node_count);
    *nodes = weir_arena_take(arena, node_count * sizeof **nodes);
    name_nodes(placed, rank_count, hosts, *nodes);
    for (unsigned i = 0; i < node_count; i++) {
        const unsigned *first = by_node.ranks + by_node.begins[i];
        struct tenants tenants = {placed, first, by_node.begins[i + 1] - by_node.begins[i]};

        (*nodes)[i].migrations = (*nodes)[i].preemptions = WEIR_UNKNOWN;
        (*nodes)[i].throttled_s = (*nodes)[i].stolen_share = (double)NAN;
        (*nodes)[i].waited_share = (double)NAN;
        add_tenants(&(*nodes)[i], &tenants);
    }
    if (rank_count <= WEIR_RANK_PLACES_MAX)
        *ranks = list_ranks(arena, placed, rank_count);
    weir_arena_close(&scratch);
}
