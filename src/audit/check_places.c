/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that ranks ran where they should, undisturbed: one finding of a kind for all nodes, which
 * names the worst of them. */
#include "checks.h"

#include "weir/base/text.h"

#include <inttypes.h>
#include <stdio.h>

/* Of the pages of a rank's buffers: the kernel puts a few elsewhere when lists of free pages are
 * short, and that many change no rate measurably. */
#define AWAY_PERMILLE 10
/* Of the phase. A group that is not at its quota is never kept from running at all, so that less
 * than this is the end of one period, not a limit. */
#define THROTTLED_SHARE 0.01
/* From here on it is more than the clocks of virtual machines and the noise of repetitions. */
#define STOLEN_SHARE 0.02
/* The kernel counts stolen time in ticks of up to 10 ms: fewer than three may be one that was
 * counted twice. */
#define STOLEN_LEAST_S 0.03

/* ---- nodes ---- */

/* The badness of a node; 0: nothing to report. */
typedef double measure(const struct weir_node_places *node);

/* The worst node, and how many are bad; NULL if none is. */
static const struct weir_node_places *find_worst(const struct weir_phase_result *record,
                                                 measure *badness, unsigned *bad_count)
{
    const struct weir_node_places *worst = NULL;

    *bad_count = 0;
    for (unsigned i = 0; i < record->node_count; i++) {
        const struct weir_node_places *node = &record->node_places[i];

        if (badness(node) <= 0.0)
            continue;
        ++*bad_count;
        if (worst == NULL || badness(node) > badness(worst))
            worst = node;
    }
    return worst;
}

/* The others of their kind: " (and 3 more ranks)", "" if there are none. */
#define OTHERS_BYTES 40
static const char *others(unsigned count, const char *kind, char buffer[OTHERS_BYTES])
{
    buffer[0] = '\0';
    if (count > 1)
        snprintf(buffer, OTHERS_BYTES, " (and %u more %s%s)", count - 1, kind,
                 count > 2 ? "s" : "");
    return buffer;
}

/* NUMA nodes in words: "NUMA node 0", "NUMA nodes 0-1,3". */
#define NUMA_BYTES 128
static const char *name_numa(uint64_t nodes, char buffer[NUMA_BYTES])
{
    struct weir_cpu_set set = {.words = {nodes}};
    struct weir_text list = {0};

    weir_cpu_set_format(&set, &list);
    snprintf(buffer, NUMA_BYTES, "NUMA node%s %s", weir_cpu_set_count(&set) == 1 ? "" : "s",
             weir_text_string(&list));
    weir_text_close(&list);
    return buffer;
}

static const struct weir_rank_place *find_rank(const struct weir_phase_result *record,
                                               unsigned rank)
{
    return record->rank_places != NULL && rank < record->rank_count ? &record->rank_places[rank]
                                                                    : NULL;
}

/* ---- cores ---- */

/* Cores for the ranks: those that they may run on, or might have without --pin. */
static unsigned cores_of(const struct weir_node_places *node)
{
    return node->given_core_count > node->core_count ? node->given_core_count : node->core_count;
}

static unsigned superfluous(const struct weir_node_places *node)
{
    return node->rank_count > cores_of(node) ? node->rank_count - cores_of(node) : 0;
}

/* Ranks of which nothing is known may be elsewhere: at least one must really be without a core. */
static double oversubscription(const struct weir_node_places *node)
{
    if (superfluous(node) == 0 || node->crowded_count == 0)
        return 0.0;
    return (double)node->rank_count / cores_of(node);
}

static void check_room(struct weir_phase_result *record)
{
    char more[OTHERS_BYTES];
    unsigned count;
    const struct weir_node_places *node = find_worst(record, oversubscription, &count);

    if (node == NULL)
        return;
    weir_result_find(
        record, WEIR_FINDING_OVERSUBSCRIBED,
        "%s has %u ranks for the %u core%s that they may use%s: they take turns, which "
        "is in the times of all of them: use fewer ranks or more nodes",
        node->host, node->rank_count, cores_of(node), cores_of(node) == 1 ? "" : "s",
        others(count, "node", more));
}

/* Ranks without a core of their own, beyond those for which the node has none. */
static double needless_sharing(const struct weir_node_places *node)
{
    return node->crowded_count > superfluous(node) ? node->crowded_count - superfluous(node) : 0.0;
}

static const char *way_to_a_core(const struct weir_audit_input *input)
{
    switch (input->test->pinning.policy) {
    case WEIR_PIN_LIST:
        return "name other processors in the list";
    case WEIR_PIN_RANKFILE:
        return "name other processors in the rankfile";
    case WEIR_PIN_NONE:
    case WEIR_PIN_PU:
        return "--pin core gives each rank a core of its own, if its launcher does not bind it";
    default:
        return "leave --pin out, or give the job more cores of that kind";
    }
}

static void check_sharing(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char more[OTHERS_BYTES];
    unsigned rank_count = 0;
    unsigned count;
    const struct weir_node_places *node = find_worst(record, needless_sharing, &count);

    if (node == NULL)
        return;
    for (unsigned i = 0; i < record->node_count; i++)
        rank_count += (unsigned)needless_sharing(&record->node_places[i]);
    weir_result_find(record, WEIR_FINDING_SHARED_CORE,
                     "rank %u on %s has to share the core of processor %u with another rank, "
                     "while other cores are free%s: %s",
                     node->first_crowded, node->host, node->crowded_cpu,
                     others(rank_count, "rank", more), way_to_a_core(input));
}

/* ---- ranks that were moved ---- */

static double move_count(const struct weir_node_places *node)
{
    return node->moved_count;
}

static void check_rest(struct weir_phase_result *record)
{
    char more[OTHERS_BYTES];
    unsigned rank_count = 0;
    unsigned count;
    const struct weir_node_places *node = find_worst(record, move_count, &count);

    if (node == NULL)
        return;
    for (unsigned i = 0; i < record->node_count; i++)
        rank_count += record->node_places[i].moved_count;
    weir_result_find(
        record, WEIR_FINDING_MIGRATED,
        "rank %u on %s was moved from the processors that it had when the test began, "
        "by whom is not known%s: find out (taskset, a daemon, a cpuset that changed), and "
        "measure again",
        node->first_moved, node->host, others(rank_count, "rank", more));
}

/* ---- memory ---- */

static double far_pages(const struct weir_node_places *node)
{
    return node->away_count > 0 && node->away_permille >= AWAY_PERMILLE ? node->away_permille : 0.0;
}

/* By an option of ours: a policy that the process was started with was meant so. */
static bool is_asked_for(const struct weir_audit_input *input)
{
    return input->test->membind.policy != WEIR_MEMBIND_AUTO &&
           input->test->membind.policy != WEIR_MEMBIND_NONE;
}

/* Where buffers are, and where they should be: of the rank if it is known by itself, else of its
 * node. */
static void tell_away(const struct weir_audit_input *input, const struct weir_node_places *node,
                      struct weir_text *text)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_rank_place *rank = find_rank(record, node->first_away);
    char pages[NUMA_BYTES];
    char processors[NUMA_BYTES];

    weir_text_add(text, "buffers of rank %u on %s are on %s", node->first_away, node->host,
                  name_numa(rank != NULL ? rank->page_nodes : node->page_nodes, pages));
    if (is_asked_for(input))
        weir_text_add(text, ", not all where --membind wants them");
    else
        weir_text_add(text, ", its processors on %s",
                      name_numa(rank != NULL ? rank->cpu_nodes : node->cpu_nodes, processors));
    weir_text_add(text, ", %s%.1f %% of the pages away", node->away_count > 1 ? "at most " : "",
                  0.1 * node->away_permille);
}

/* Pages stay where they were when their rank goes elsewhere: then no word for memory helps. */
static bool was_left(const struct weir_phase_result *record, const struct weir_node_places *node)
{
    const struct weir_rank_place *rank = find_rank(record, node->first_away);

    return rank != NULL ? rank->is_moved : node->moved_count > 0;
}

static const char *way_to_near_memory(const struct weir_audit_input *input,
                                      const struct weir_node_places *node)
{
    if (was_left(input->record, node))
        return "the rank was moved away from them: find out by whom, and measure again";
    if (is_asked_for(input))
        return "there was no room, or another process has moved them: numactl -H shows what is "
               "free";
    return "there was no room, or another process has moved them: numactl -H shows what is free, "
           "and "
           "--membind local takes nothing else";
}

static void check_memory(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    struct weir_text text = {0};
    char more[OTHERS_BYTES];
    unsigned rank_count = 0;
    unsigned count;
    const struct weir_node_places *node = find_worst(record, far_pages, &count);

    if (node == NULL)
        return;
    for (unsigned i = 0; i < record->node_count; i++)
        if (far_pages(&record->node_places[i]) > 0.0)
            rank_count += record->node_places[i].away_count;
    tell_away(input, node, &text);
    weir_result_find(record, WEIR_FINDING_WRONG_NODE, "%s%s: %s", weir_text_string(&text),
                     others(rank_count, "rank", more), way_to_near_memory(input, node));
    weir_text_close(&text);
}

static double asked_remote(const struct weir_node_places *node)
{
    return node->asks_nodes ? node->remote_count : 0.0;
}

static void note_remote_memory(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char pages[NUMA_BYTES];
    char processors[NUMA_BYTES];
    char more[OTHERS_BYTES];
    unsigned rank_count = 0;
    unsigned count;
    const struct weir_node_places *node = find_worst(record, asked_remote, &count);
    const struct weir_rank_place *rank;

    if (node == NULL)
        return;
    for (unsigned i = 0; i < record->node_count; i++)
        rank_count += (unsigned)asked_remote(&record->node_places[i]);
    rank = find_rank(record, node->first_remote);
    weir_result_find(
        record, WEIR_FINDING_REMOTE_MEMORY,
        "buffers of rank %u on %s are on %s and its processors on %s, as %s wants it%s",
        node->first_remote, node->host,
        name_numa(rank != NULL ? rank->page_nodes : node->page_nodes, pages),
        name_numa(rank != NULL ? rank->cpu_nodes : node->cpu_nodes, processors),
        is_asked_for(input) ? "--membind" : "the policy it was started with (numactl)",
        others(rank_count, "rank", more));
}

/* ---- time that was taken ---- */

static double throttled_share(const struct weir_node_places *node)
{
    double share = node->wall_s > 0.0 ? node->throttled_s / node->wall_s : 0.0;

    return share >= THROTTLED_SHARE ? share : 0.0;
}

static void check_quota(struct weir_phase_result *record)
{
    char throttled[WEIR_DURATION_TEXT_BYTES];
    char wall[WEIR_DURATION_TEXT_BYTES];
    char more[OTHERS_BYTES];
    unsigned count;
    const struct weir_node_places *node = find_worst(record, throttled_share, &count);

    if (node == NULL)
        return;
    weir_result_find(record, WEIR_FINDING_THROTTLED,
                     "a control group on %s kept ranks from running for %s of %s, added up over "
                     "processors, as its quota was used up%s: ask for more processors or use "
                     "fewer ranks",
                     node->host, weir_duration_format(node->throttled_s, throttled),
                     weir_duration_format(node->wall_s, wall), others(count, "node", more));
}

static double stolen_share(const struct weir_node_places *node)
{
    return node->stolen_share >= STOLEN_SHARE && node->stolen_share * node->wall_s >= STOLEN_LEAST_S
               ? node->stolen_share
               : 0.0;
}

static void check_hypervisor(struct weir_phase_result *record)
{
    char more[OTHERS_BYTES];
    unsigned count;
    const struct weir_node_places *node = find_worst(record, stolen_share, &count);

    if (node == NULL)
        return;
    weir_result_find(
        record, WEIR_FINDING_STEAL,
        "the hypervisor took %.1f %% of the processors' time of ranks on %s%s: measure "
        "again when other guests are quiet",
        100.0 * node->stolen_share, node->host, others(count, "node", more));
}

/* ---- what became of --pin ---- */

static double narrowed_count(const struct weir_node_places *node)
{
    return node->narrowed_count;
}

static double far_count(const struct weir_node_places *node)
{
    return node->far_count;
}

/* On how many ranks of which nodes: "3 ranks on n1", "12 ranks on n1 and others". */
static void note_pin(struct weir_phase_result *record, measure *of_ranks,
                     enum weir_finding_kind kind, const char *sentence)
{
    unsigned rank_count = 0;
    unsigned count;
    const struct weir_node_places *node = find_worst(record, of_ranks, &count);

    if (node == NULL)
        return;
    for (unsigned i = 0; i < record->node_count; i++)
        rank_count += (unsigned)of_ranks(&record->node_places[i]);
    weir_result_find(record, kind, "%u rank%s on %s%s %s", rank_count, rank_count == 1 ? "" : "s",
                     node->host, count > 1 ? " and others" : "", sentence);
}

void weir_audit_places(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;

    if (record->node_places == NULL)
        return;
    check_room(record);
    check_sharing(input);
    check_rest(record);
    check_memory(input);
    note_remote_memory(input);
    check_quota(record);
    check_hypervisor(record);
    note_pin(record, narrowed_count, WEIR_FINDING_PIN_NARROWED,
             "got less than --pin wants for them, as a launcher or a control group keeps the rest "
             "from them: start them without a binding (mpiexec --bind-to none, srun "
             "--cpu-bind=none)");
    note_pin(
        record, far_count, WEIR_FINDING_PIN_FAR,
        "found no processor near the device, as others have them, or a launcher keeps the rank "
        "from them: use fewer ranks on a node, or start them without a binding");
}
