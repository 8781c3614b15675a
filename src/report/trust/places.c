/* SPDX-License-Identifier: Apache-2.0 */
/* Our tables of where ranks ran, and of what of their data was cached before and passed devices and
 * networks meanwhile. */
#include "figures.h"
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- caches, devices, networks ---- */

/* Whether data leave the node; true if that is not known. */
static bool is_network_storage(const struct weir_result *result, unsigned test)
{
    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test_result *begun = &result->tests[i];

        for (unsigned j = 0; begun->test == test && j < begun->storage_count; j++)
            if (weir_storage_is_local(&begun->storages[j].facts))
                return false;
    }
    return true;
}

static bool has_devices(const struct weir_result *result, const struct weir_phase_result *phase)
{
    (void)result;
    return phase->traffic.has_devices;
}

/* The traffic of networks says nothing about a disk of the node's own. */
static bool has_network(const struct weir_result *result, const struct weir_phase_result *phase)
{
    return phase->traffic.has_network && is_network_storage(result, phase->test);
}

static bool has_residency(const struct weir_result *result, const struct weir_phase_result *phase)
{
    (void)result;
    return phase->residency.asked_bytes > 0;
}

static bool has_memory(const struct weir_result *result, const struct weir_phase_result *phase)
{
    (void)result;
    return phase->node_memory_bytes > 0 && phase->node_count > 0 && phase->program == NULL;
}

static double mib(uint64_t bytes)
{
    return (double)bytes / WEIR_MIB;
}

static double moved(const struct weir_phase_result *phase)
{
    return mib(phase->byte_count);
}

static double resident(const struct weir_phase_result *phase)
{
    return weir_figures_percent((double)phase->residency.resident_bytes,
                                (double)phase->residency.asked_bytes);
}

static double device_read(const struct weir_phase_result *phase)
{
    return mib(phase->traffic.device_read_bytes);
}

static double device_written(const struct weir_phase_result *phase)
{
    return mib(phase->traffic.device_written_bytes);
}

static bool has_client(const struct weir_result *result, const struct weir_phase_result *phase)
{
    (void)result;
    return phase->traffic.has_client;
}

static double client_read(const struct weir_phase_result *phase)
{
    return mib(phase->traffic.client_read_bytes);
}

static double client_written(const struct weir_phase_result *phase)
{
    return mib(phase->traffic.client_written_bytes);
}

static double network_received(const struct weir_phase_result *phase)
{
    return mib(phase->traffic.network_received_bytes);
}

static double network_sent(const struct weir_phase_result *phase)
{
    return mib(phase->traffic.network_sent_bytes);
}

/* Its files, as far as they are known, on each node alike. */
static double per_node(const struct weir_phase_result *phase)
{
    bool is_known = phase->file_bytes > 0 && phase->file_bytes != UINT64_MAX;

    return mib(is_known ? phase->file_bytes : phase->expected_bytes) / phase->node_count;
}

static double of_memory(const struct weir_phase_result *phase)
{
    return weir_figures_percent(per_node(phase), mib(phase->node_memory_bytes));
}

/* Columns that no phase has are left out. */
static const struct column {
    const char *title;
    const char *meaning; /* of it and the next one, in the table's heading; NULL: see before */
    bool (*is_known)(const struct weir_result *result, const struct weir_phase_result *phase);
    double (*value)(const struct weir_phase_result *phase);
    bool is_share;
} columns[] = {
    {"moved", "moved by ranks", NULL, moved, false},
    {"cached", "in page caches before the read", has_residency, resident, true},
    {"dev. read", "passed the devices meanwhile, of all processes", has_devices, device_read,
     false},
    {"dev. written", NULL, has_devices, device_written, false},
    {"from servers", "passed the file system's client meanwhile", has_client, client_read, false},
    {"to servers", NULL, has_client, client_written, false},
    {"received", "passed the networks meanwhile, of all processes", has_network, network_received,
     false},
    {"sent", NULL, has_network, network_sent, false},
    {"files/node", "files against memory", has_memory, per_node, false},
    {"of memory", NULL, has_memory, of_memory, true},
};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)
#define COLUMN_WIDTH 13

/* The rows shown. */
struct data_table {
    struct weir_trust_table table;
    const struct weir_result *result;
    bool shows[COLUMN_COUNT];
};

static void add_data(struct weir_text *text, struct data_table *data, const char *name,
                     const struct weir_phase_result *phase)
{
    struct weir_text cells = {0};

    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const struct column *column = &columns[i];

        if (!data->shows[i])
            continue;
        if (column->is_known && !column->is_known(data->result, phase))
            weir_text_add(&cells, "%*s", COLUMN_WIDTH, "-");
        else if (column->is_share)
            weir_text_add(&cells, "%*.1f%%", COLUMN_WIDTH - 1, column->value(phase));
        else
            weir_text_add(&cells, "%*.2f", COLUMN_WIDTH, column->value(phase));
    }
    weir_trust_begin(text, &data->table);
    weir_trust_line(text, "%s%s", name, weir_text_string(&cells));
    weir_text_close(&cells);
}

static void add_traffic(struct weir_text *text, const struct weir_trust_view *view)
{
    struct data_table data = {.result = view->result};
    struct weir_text heading = {0}, titles = {0};
    char name[WEIR_TRUST_PHASE_BYTES];

    for (unsigned i = 0; i < view->result->phase_count; i++)
        for (size_t j = 1; j < COLUMN_COUNT; j++)
            if (columns[j].is_known(view->result, &view->result->phases[i]))
                data.shows[j] = data.shows[0] = true;
    if (!data.shows[0])
        return;
    /* Names of programs are as wide as those of phases on trees; a plan has no others beside them.
     */
    weir_text_add(&heading, "data in MiB");
    weir_text_add(&titles, "%s",
                  view->phase_count > 0 && view->phases[0].phase->program != NULL
                      ? WEIR_TRUST_NAMES_HEADER
                      : WEIR_TRUST_PHASE_HEADER);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!data.shows[i])
            continue;
        weir_text_add(&titles, "%*s", COLUMN_WIDTH, columns[i].title);
        if (columns[i].meaning != NULL)
            weir_text_add(&heading, "%s%s", i == 0 ? ": " : "; ", columns[i].meaning);
    }
    data.table.title = weir_text_string(&heading);
    data.table.columns = weir_text_string(&titles);
    for (unsigned i = 0; i < view->phase_count; i++) {
        const struct weir_repetitions *all = &view->phases[i];

        if (weir_verb_works_on_trees(all->phase->verb))
            continue;
        if (all->whole)
            add_data(text, &data, weir_trust_phase(all, "all", name), all->whole);
        for (unsigned j = 0; !all->whole && j < all->row_count; j++)
            add_data(text, &data, weir_trust_repetition(all, all->rows[j], name), all->rows[j]);
    }
    weir_text_close(&heading);
    weir_text_close(&titles);
}

/* ---- where ranks ran ---- */

/* Nodes whose lines differ are shown so far. */
#define LINES_MAX 12
#define HOSTS_SHOWN 4
#define LIST_WIDTH 20

/* One node over all phases of a test. */
struct stay {
    const char *host;
    unsigned rank_count;
    unsigned core_count;
    struct weir_cpu_set cpus;
    uint64_t cpu_nodes;
    uint64_t page_nodes;
    bool is_pinned;
    double cpu_s;
    double core_s; /* time that its cores had */
    uint64_t migrations;
    uint64_t preemptions;
    double waited_share; /* most of a rank in a phase: runnable without a CPU */
    bool is_told;
};

static void add_known(uint64_t *sum, uint64_t value)
{
    if (value != WEIR_UNKNOWN)
        *sum = *sum == WEIR_UNKNOWN ? value : *sum + value;
}

/* All nodes of a test, *count of them; a test has the same nodes in all of its phases. */
static struct stay *list_stays(struct weir_arena *arena, const struct weir_result *result,
                               unsigned test, unsigned *count)
{
    const struct weir_node_places *latest = NULL;
    struct stay *stays = NULL;

    *count = 0;
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->test != test || !phase->node_places || phase->node_places == latest)
            continue;
        latest = phase->node_places; /* may be those of several phases in a row */
        if (!stays) {
            *count = phase->node_count;
            stays = weir_arena_take(arena, *count * sizeof *stays);
            for (unsigned j = 0; j < *count; j++)
                stays[j].migrations = stays[j].preemptions = WEIR_UNKNOWN;
        }
        for (unsigned j = 0; j < *count && j < phase->node_count; j++) {
            const struct weir_node_places *node = &phase->node_places[j];
            struct stay *stay = &stays[j];

            stay->host = node->host;
            stay->rank_count = node->rank_count;
            if (node->core_count > stay->core_count)
                stay->core_count = node->core_count;
            stay->cpus = weir_cpu_set_or(&stay->cpus, &node->cpus);
            stay->cpu_nodes |= node->cpu_nodes;
            stay->page_nodes |= node->page_nodes;
            stay->is_pinned |= node->is_pinned;
            stay->cpu_s += node->cpu_s;
            stay->core_s += node->wall_s * node->core_count;
            add_known(&stay->migrations, node->migrations);
            add_known(&stay->preemptions, node->preemptions);
            stay->waited_share = fmax(stay->waited_share, node->waited_share); /* NAN is ignored */
        }
    }
    return stays;
}

static bool is_alike(const struct stay *a, const struct stay *b)
{
    return a->rank_count == b->rank_count && a->core_count == b->core_count &&
           weir_cpu_set_equals(&a->cpus, &b->cpus) && a->cpu_nodes == b->cpu_nodes &&
           a->page_nodes == b->page_nodes && a->is_pinned == b->is_pinned;
}

/* Extremes of nodes that are alike. */
struct range {
    double least;
    double most;
    bool is_known;
};

static void widen(struct range *range, bool is_known, double value)
{
    if (!is_known)
        return;
    range->least = range->is_known ? fmin(range->least, value) : value;
    range->most = range->is_known ? fmax(range->most, value) : value;
    range->is_known = true;
}

#define RANGE_BYTES 48
static const char *format_range(const struct range *range, const char *unit,
                                char buffer[RANGE_BYTES])
{
    if (!range->is_known)
        snprintf(buffer, RANGE_BYTES, "-");
    else if (lround(range->least) == lround(range->most))
        snprintf(buffer, RANGE_BYTES, "%.0f%s", range->most, unit);
    else
        snprintf(buffer, RANGE_BYTES, "%.0f-%.0f%s", range->least, range->most, unit);
    return buffer;
}

/* A set, or so much of it as there is room for. */
static const char *format_set(const struct weir_cpu_set *set, char buffer[LIST_WIDTH + 1])
{
    struct weir_text list = {0};
    char count[16];

    weir_cpu_set_format(set, &list);
    snprintf(count, sizeof count, "... (%u)", weir_cpu_set_count(set));
    if (list.length == 0) {
        snprintf(buffer, LIST_WIDTH + 1, "-");
    } else if (list.length <= LIST_WIDTH) {
        snprintf(buffer, LIST_WIDTH + 1, "%s", weir_text_string(&list));
    } else {
        size_t room = LIST_WIDTH - strlen(count);

        while (room > 0 && list.data[room] != ',')
            room--;
        snprintf(buffer, LIST_WIDTH + 1, "%.*s%s", (int)room, list.data, count);
    }
    weir_text_close(&list);
    return buffer;
}

static const char *format_numa(uint64_t nodes, char buffer[LIST_WIDTH + 1])
{
    struct weir_cpu_set set = {.words = {nodes}};

    return format_set(&set, buffer);
}

#define STAY_COLUMNS                                                                               \
    "  test ranks cores processors           NUMA    buffers      busy   migrations  preemptions"  \
    "  nodes"
/* The same with the share of time that ranks waited for CPUs, where that is known. */
#define STAY_COLUMNS_WAITS                                                                         \
    "  test ranks cores processors           NUMA    buffers      busy   migrations  preemptions"  \
    "  CPU wait  nodes"

/* Names of the nodes of a line, and the extremes of what was counted on them. */
struct line {
    const char **hosts;
    unsigned host_count;
    struct range busy;
    struct range migrations;
    struct range preemptions;
    struct range waits;
    bool shows_waits;
};

/* The lines left, and the number of nodes for which none was left. */
struct room {
    struct weir_trust_table table;
    unsigned line_count;
    unsigned untold_count;
    bool shows_waits;
};

static void add_stays(struct weir_text *text, struct room *room, unsigned test, struct stay *stays,
                      unsigned count)
{
    struct weir_arena arena = {0};
    const char **hosts = weir_arena_take(&arena, (count + 1) * sizeof *hosts);

    for (unsigned i = 0; i < count; i++) {
        struct line line = {.hosts = hosts, .shows_waits = room->shows_waits};

        if (stays[i].is_told)
            continue;
        if (room->line_count == LINES_MAX) {
            room->untold_count++;
            continue;
        }
        for (unsigned j = i; j < count; j++)
            if (!stays[j].is_told && is_alike(&stays[i], &stays[j])) {
                stays[j].is_told = true;
                line.hosts[line.host_count++] = stays[j].host;
                widen(&line.busy, stays[j].core_s > 0.0,
                      weir_figures_percent(stays[j].cpu_s, stays[j].core_s));
                widen(&line.migrations, stays[j].migrations != WEIR_UNKNOWN,
                      (double)stays[j].migrations);
                widen(&line.preemptions, stays[j].preemptions != WEIR_UNKNOWN,
                      (double)stays[j].preemptions);
                widen(&line.waits, true, 100.0 * stays[j].waited_share);
            }
        weir_trust_begin(text, &room->table);

        char cpus[LIST_WIDTH + 1], numa[LIST_WIDTH + 1], pages[LIST_WIDTH + 1];
        char busy[RANGE_BYTES], migrations[RANGE_BYTES], preemptions[RANGE_BYTES];
        char waits[RANGE_BYTES], cell[RANGE_BYTES + 2] = "";

        if (line.shows_waits)
            snprintf(cell, sizeof cell, "%10s", format_range(&line.waits, "%", waits));

        weir_trust_line(
            text, "  %4u %5u %5u %-20s %-7s %-7s %9s %12s %12s%s  %s%s", test, stays[i].rank_count,
            stays[i].core_count, format_set(&stays[i].cpus, cpus),
            format_numa(stays[i].cpu_nodes, numa), format_numa(stays[i].page_nodes, pages),
            format_range(&line.busy, "%", busy), format_range(&line.migrations, "", migrations),
            format_range(&line.preemptions, "", preemptions), cell,
            weir_hosts_fold(&arena, line.hosts, line.host_count, HOSTS_SHOWN),
            stays[i].is_pinned ? ", by --pin" : "");

        room->line_count++;
    }
    weir_arena_close(&arena);
}

/* ---- rank by rank, with -v ---- */

/* The last phase of a test that knows its ranks: by then they were moved if ever. */
static const struct weir_phase_result *find_ranks(const struct weir_result *result, unsigned test)
{
    const struct weir_phase_result *found = NULL;

    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].test == test && result->phases[i].rank_places)
            found = &result->phases[i];
    return found;
}

void weir_trust_places(struct weir_text *text, const struct weir_trust_view *view)
{
    struct room room = {.table = {.title = "where ranks ran: cores and processors that they might "
                                           "use, NUMA nodes of these and of their buffers, how "
                                           "busy they kept the cores",
                                  .columns = STAY_COLUMNS}};
    struct weir_trust_table table = {
        .title = "rank by rank, at the end: processors that it might use and that it ran on last, "
                 "NUMA nodes of these and of its buffers",
        .columns = "  test  rank processors                last NUMA       buffers    node",
    };

    add_traffic(text, view);
    for (unsigned i = 0; i < view->result->phase_count && !room.shows_waits; i++)
        for (unsigned j = 0;
             view->result->phases[i].node_places && j < view->result->phases[i].node_count; j++)
            room.shows_waits |= view->result->phases[i].node_places[j].waited_share > 0.0;
    if (room.shows_waits)
        room.table.columns = STAY_COLUMNS_WAITS;
    for (unsigned i = 0; i < view->result->test_count; i++) {
        struct weir_arena arena = {0};
        unsigned count;
        struct stay *stays = list_stays(&arena, view->result, view->result->tests[i].test, &count);

        add_stays(text, &room, view->result->tests[i].test, stays, count);
        weir_arena_close(&arena);
    }
    if (room.untold_count > 0)
        weir_trust_line(text,
                        "  and %u more node%s alike to none of these: --result keeps them all",
                        room.untold_count, room.untold_count == 1 ? "" : "s");
    for (unsigned i = 0; view->plan->output.verbosity > 0 && i < view->result->test_count; i++) {
        const struct weir_phase_result *phase =
            find_ranks(view->result, view->result->tests[i].test);

        for (unsigned k = 0; phase && k < phase->rank_count; k++) {
            weir_trust_begin(text, &table);

            char cpus[LIST_WIDTH + 1], nodes[LIST_WIDTH + 1], pages[LIST_WIDTH + 1];

            weir_trust_line(
                text, "  %4u %5u %-20s %9u %-10s %-10s %s", phase->test, phase->rank_places[k].rank,
                format_set(&phase->rank_places[k].cpus, cpus), phase->rank_places[k].last_cpu,
                format_numa(phase->rank_places[k].cpu_nodes, nodes),
                format_numa(phase->rank_places[k].page_nodes, pages),
                phase->node_places[phase->rank_places[k].node].host);
        }
    }
}
