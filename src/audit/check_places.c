/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that ranks ran where they should, undisturbed: one finding of a kind for all nodes, which
 * names the worst of them. */
#include "checks.h"

#include "weir/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* 1 % of a rank's pages: fewer lie elsewhere when lists of free pages are short, and change no rate
 * measurably. */
#define AWAY_PERMILLE 10
/* Throttled CPU time per wall time, summed over CPUs: below 1 % is the tail of one period. */
#define THROTTLED_SHARE 0.01
/* 2 %: below, steal time is lost in the clock error of virtual machines and in noise. */
#define STOLEN_SHARE 0.02
/* The kernel counts stolen time in ticks of up to 10 ms: fewer than three may be one that was
 * counted twice. */
#define STOLEN_LEAST_S 0.03
/* A process below 5 % of a CPU is not what ranks wait for. */
#define BUSIEST_PERMILLE 50

/* ---- nodes ---- */

/* The badness of a node; 0 = nothing to report. */
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

/* The number of others of that kind: " (and 3 more ranks)", "" = none. */
#define OTHERS_BYTES 40
static const char *others(unsigned count, const char *kind, char buffer[OTHERS_BYTES])
{
    buffer[0] = '\0';
    if (count > 1)
        snprintf(buffer, OTHERS_BYTES, " (and %u more %s%s)", count - 1, kind,
                 count > 2 ? "s" : "");
    return buffer;
}

/* "NUMA node 0", "NUMA nodes 0-1,3". */
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

/* Cores that the ranks may run on, or might without --pin. */
static unsigned cores_of(const struct weir_node_places *node)
{
    return node->given_core_count > node->core_count ? node->given_core_count : node->core_count;
}

static unsigned superfluous(const struct weir_node_places *node)
{
    return node->rank_count > cores_of(node) ? node->rank_count - cores_of(node) : 0;
}

/* Ranks without placement data may run elsewhere, so one rank known to share a core is required. */
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
    weir_result_find(record, WEIR_FINDING_OVERSUBSCRIBED,
                     "%s has %u ranks for %u core%s%s -> fewer ranks or more nodes", node->host,
                     node->rank_count, cores_of(node), cores_of(node) == 1 ? "" : "s",
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
        return "other CPUs in the list of --pin";
    case WEIR_PIN_RANKFILE:
        return "other CPUs in the rankfile";
    case WEIR_PIN_NONE:
    case WEIR_PIN_PU:
        return "--pin core";
    default:
        return "no --pin, or more cores";
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
                     "rank %u on %s shares the core of CPU %u while cores are idle%s -> %s",
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
    weir_result_find(record, WEIR_FINDING_MIGRATED,
                     "rank %u on %s was moved off its CPUs%s -> look for taskset, cpusets",
                     node->first_moved, node->host, others(rank_count, "rank", more));
}

/* ---- memory ---- */

static double far_pages(const struct weir_node_places *node)
{
    return node->away_count > 0 && node->away_permille >= AWAY_PERMILLE ? node->away_permille : 0.0;
}

/* True if --membind chose the NUMA nodes; a policy inherited from numactl is deliberate. */
static bool is_asked_for(const struct weir_audit_input *input)
{
    return input->test->membind.policy != WEIR_MEMBIND_AUTO &&
           input->test->membind.policy != WEIR_MEMBIND_NONE;
}

/* A rank that moved leaves its pages behind: no --membind setting fixes that. */
static bool was_left(const struct weir_phase_result *record, const struct weir_node_places *node)
{
    const struct weir_rank_place *rank = find_rank(record, node->first_away);

    return rank != NULL ? rank->is_moved : node->moved_count > 0;
}

/* Names the rank's own NUMA nodes if they are kept, else those of its node. */
static void check_memory(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char more[OTHERS_BYTES], pages[NUMA_BYTES];
    unsigned rank_count = 0;
    unsigned count;
    const struct weir_node_places *node = find_worst(record, far_pages, &count);
    const struct weir_rank_place *rank;

    if (node == NULL)
        return;
    for (unsigned i = 0; i < record->node_count; i++)
        if (far_pages(&record->node_places[i]) > 0.0)
            rank_count += record->node_places[i].away_count;
    rank = find_rank(record, node->first_away);
    weir_result_find(record, WEIR_FINDING_WRONG_NODE,
                     "%s%.1f %% of the buffers of rank %u on %s are away from %s (%s)%s -> %s",
                     node->away_count > 1 ? "up to " : "", 0.1 * node->away_permille,
                     node->first_away, node->host, is_asked_for(input) ? "--membind" : "its CPUs",
                     name_numa(rank != NULL ? rank->page_nodes : node->page_nodes, pages),
                     others(rank_count, "rank", more),
                     was_left(record, node) ? "find out who moved the rank"
                     : is_asked_for(input)  ? "free memory there (numactl -H)"
                                            : "--membind local");
}

static double asked_remote(const struct weir_node_places *node)
{
    return node->asks_nodes ? node->remote_count : 0.0;
}

static void note_remote_memory(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char pages[NUMA_BYTES];
    char cpus[NUMA_BYTES];
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
        "buffers of rank %u on %s are on %s, its CPUs on %s, as %s asks%s", node->first_remote,
        node->host, name_numa(rank != NULL ? rank->page_nodes : node->page_nodes, pages),
        name_numa(rank != NULL ? rank->cpu_nodes : node->cpu_nodes, cpus),
        is_asked_for(input) ? "--membind" : "numactl", others(rank_count, "rank", more));
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
                     "a CPU quota stopped ranks on %s for %s of %s%s -> more CPUs", node->host,
                     weir_duration_format(node->throttled_s, throttled),
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
    weir_result_find(record, WEIR_FINDING_STEAL,
                     "the hypervisor took %.1f %% of the CPUs of ranks on %s%s -> quiet host",
                     100.0 * node->stolen_share, node->host, others(count, "node", more));
}

/* The share of their time that ranks of a node wait for one another: for want of cores, or as they
 * share one while others are idle; or that their quota stops them. */
static double own_wait(const struct weir_node_places *node)
{
    double quota = throttled_share(node);
    double own = 0.0;

    if (oversubscription(node) > 0.0)
        own = 1.0 - 1.0 / oversubscription(node);
    else if (node->crowded_count > 0)
        own = node->crowded_count / (node->crowded_count + 1.0);
    return own > quota ? own : quota;
}

double weir_audit_pressure(const struct weir_node_places *node)
{
    return weir_pressure_weigh(&node->pressure, node->waited_share, node->wall_s, own_wait(node));
}

/* Waits of ranks for CPUs that processes outside of the job use. */
static void check_pressure(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char more[OTHERS_BYTES], busiest[WEIR_TASK_NAME_BYTES + 16] = "";
    bool is_known = false, is_seen = false;
    const struct weir_node_places *node;
    unsigned count;

    if (input->test->is_dry_run)
        return;
    for (unsigned i = 0; i < record->node_count; i++) {
        is_known |= !isnan(record->node_places[i].waited_share);
        is_seen |= weir_audit_pressure(&record->node_places[i]) > 0.0;
    }
    weir_result_observe(record, WEIR_EVIDENCE_CPU,
                        !is_known ? WEIR_CANNOT_OBSERVE
                        : is_seen ? WEIR_SEEN
                                  : WEIR_NOT_SEEN,
                        is_known ? NULL : "the kernel has no /proc/thread-self/schedstat");
    node = find_worst(record, weir_audit_pressure, &count);
    if (node == NULL)
        return;
    if (!weir_pressure_is_foreign(&node->pressure, node->waited_share)) {
        weir_result_find_as(record, WEIR_FINDING_CPU_PRESSURE, WEIR_NOTE, WEIR_QUALIFY,
                            "ranks on %s waited up to %.0f %% for a CPU in use by ranks or the "
                            "kernel%s -> fewer ranks per node",
                            node->host, 100.0 * node->waited_share, others(count, "node", more));
        return;
    }
    if (node->pressure.busiest_permille >= BUSIEST_PERMILLE)
        snprintf(busiest, sizeof busiest, ", %s %.0f %%", node->pressure.busiest,
                 0.1 * node->pressure.busiest_permille);
    weir_result_find(record, WEIR_FINDING_CPU_PRESSURE,
                     "rank %u on %s waited %.0f %% for a CPU (load %.1f%s)%s -> use an idle node",
                     node->first_waited, node->host, 100.0 * node->waited_share,
                     0.01 * node->pressure.load_hundredths, busiest, others(count, "node", more));
}

/* ---- limits of control groups ---- */

/* The rate lies at a limit from 90 % of it on. Above 150 % the limit is not the one that holds: the
 * kernel does not count buffered writes against groups of version 1. */
#define AT_LIMIT 0.9
#define BEYOND_LIMIT 1.5

/* Sum of the limits of all nodes; 0 = a node has none. */
static uint64_t limit_of_nodes(const struct weir_test_result *begun, enum weir_io_limit kind,
                               const struct weir_storage_group **limited)
{
    uint64_t sum = 0;
    bool is_whole = true;

    for (unsigned i = 0; i < begun->storage_count; i++) {
        uint64_t limit = begun->storages[i].facts.limits.per_s[kind];

        if (limit > 0 && *limited == NULL)
            *limited = &begun->storages[i];
        is_whole &= limit > 0;
        sum += limit * begun->storages[i].count;
    }
    return is_whole ? sum : 0;
}

/* Bytes or operations per second that ranks moved to or from devices; 0 = not known. Counters of
 * devices have the bytes of others, too, and ranks have those of the page cache. */
static double rate_of(const struct weir_audit_input *input, enum weir_io_limit kind)
{
    const struct weir_phase_result *record = input->record;
    bool writes = kind == WEIR_LIMIT_WRITE_BYTES || kind == WEIR_LIMIT_WRITE_OPS;
    bool is_program = input->phase->verb == WEIR_PROGRAM;
    double seconds = is_program ? record->windows.total_s : record->windows.transfer_s;
    double moved, passed;

    if (seconds <= 0.0)
        return 0.0;
    if (kind >= WEIR_LIMIT_READ_OPS)
        return input->phase->verb != WEIR_MIXED && !is_program && !weir_audit_uses_page_cache(input)
                   ? (double)record->op_count / seconds
                   : 0.0;
    moved = (double)weir_audit_written_bytes(input);
    if (!writes)
        moved = (double)record->byte_count - (weir_verb_writes(input->phase->verb) ? moved : 0.0);
    if (is_program)
        moved = (double)weir_audit_moved_bytes(input, writes);
    passed =
        (double)(writes ? record->traffic.device_written_bytes : record->traffic.device_read_bytes);
    return (record->traffic.has_devices ? fmin(moved, passed) : moved) / seconds;
}

static void check_io_limits(const struct weir_audit_input *input)
{
    char value[WEIR_SIZE_TEXT_BYTES];

    for (unsigned kind = 0; input->begun != NULL && kind < WEIR_IO_LIMITS; kind++) {
        bool writes = kind == WEIR_LIMIT_WRITE_BYTES || kind == WEIR_LIMIT_WRITE_OPS;
        const struct weir_storage_group *limited = NULL;
        uint64_t limit = limit_of_nodes(input->begun, (enum weir_io_limit)kind, &limited);
        double rate = rate_of(input, (enum weir_io_limit)kind);

        bool is_due = input->phase->verb == WEIR_PROGRAM ? weir_audit_moved_bytes(input, writes) > 0
                      : writes                           ? weir_verb_writes(input->phase->verb)
                                                         : weir_verb_reads(input->phase->verb);

        if (limited == NULL || !is_due)
            continue;
        if (kind < WEIR_LIMIT_READ_OPS)
            weir_size_format(limited->facts.limits.per_s[kind], value);
        else
            snprintf(value, sizeof value, "%" PRIu64, limited->facts.limits.per_s[kind]);
        if (rate >= AT_LIMIT * (double)limit && rate <= BEYOND_LIMIT * (double)limit && limit > 0)
            weir_result_find_as(input->record, WEIR_FINDING_IO_LIMIT, WEIR_WARNING, WEIR_QUALIFY,
                                "%s at %.0f %% of the %s%s that a control group allows on %s -> "
                                "lift io.max",
                                writes ? "writes" : "reads", 100.0 * rate / (double)limit, value,
                                kind < WEIR_LIMIT_READ_OPS ? "/s" : " IOPS", limited->hosts);
        else
            weir_result_find_as(input->record, WEIR_FINDING_IO_LIMIT, WEIR_NOTE, WEIR_INFORM,
                                "a control group limits %s to %s%s on %s (%s) -> lift io.max",
                                writes ? "writes" : "reads", value,
                                kind < WEIR_LIMIT_READ_OPS ? "/s" : " IOPS", limited->hosts,
                                limited->facts.limits.device);
    }
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

/* "3 ranks on n1 SENTENCE", "12 ranks on n1 and others SENTENCE". */
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

    check_io_limits(input);
    if (record->node_places == NULL)
        return;
    check_room(record);
    check_sharing(input);
    check_rest(record);
    check_memory(input);
    note_remote_memory(input);
    check_quota(record);
    check_hypervisor(record);
    check_pressure(input);
    note_pin(record, narrowed_count, WEIR_FINDING_PIN_NARROWED,
             "got fewer CPUs than --pin asks for -> mpiexec --bind-to none");
    note_pin(record, far_count, WEIR_FINDING_PIN_FAR,
             "found no CPU near the device -> fewer ranks per node");
}
