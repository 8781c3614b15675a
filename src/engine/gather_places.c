/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes have in common is counted once for each machine, whatever parts of it call themselves
 * nodes. */
#include "gather_places.h"

#include "weir/base/memory.h"

#include <stdlib.h>

/* ---- places ---- */

static void derive_places(const struct weir_rank_row *rows, const char *const *hosts,
                          struct weir_phase_result *record)
{
    struct weir_placed_rank *placed = weir_memory_take(record->rank_count * sizeof *placed);

    for (unsigned rank = 0; rank < record->rank_count; rank++)
        placed[rank] = (struct weir_placed_rank){
            .node = rows[rank].node,
            .execution = &rows[rank].execution,
            .cpu_ns = rows[rank].cpu_user_ns + rows[rank].cpu_system_ns,
        };
    weir_places_derive(record->arena, placed, record->rank_count, hosts, record->node_count,
                       &record->node_places, &record->rank_places);
    free(placed);
}

/* ---- sums ---- */

static void add_residency(struct weir_residency_result *sum, const struct weir_rank_row *row)
{
    if (row->resident_asked_bytes == 0)
        return;
    sum->asked_bytes += row->resident_asked_bytes;
    sum->resident_bytes += row->resident_bytes;
    sum->rank_count++;
}

/* Adds the survey of one rank. Of a collective write on several nodes, the first rank of each node
 * surveys the whole file for the others. */
static void add_dirty(struct weir_dirty_result *sum, const struct weir_rank_row *row)
{
    sum->asked_bytes += row->written_asked_bytes;
    sum->unstored_bytes += row->unstored_bytes;
    sum->synced_asked_bytes += row->synced_asked_bytes;
    sum->unsynced_bytes += row->unsynced_bytes;
    sum->rank_count += row->written_asked_bytes > 0;
}

static void add_supply(struct weir_supply_result *sum, const struct weir_rank_row *row)
{
    const struct weir_data_origin *origin = &row->origin;

    if (row->execution.is_known && row->execution.storage_read_bytes != WEIR_UNKNOWN) {
        sum->rank_count++;
        sum->storage_bytes += row->execution.storage_read_bytes;
    }
    sum->origin.left_asked_bytes += origin->left_asked_bytes;
    sum->origin.left_bytes += origin->left_bytes;
    sum->origin.extent_bytes += origin->extent_bytes;
    sum->origin.hole_bytes += origin->hole_bytes;
    sum->origin.unwritten_bytes += origin->unwritten_bytes;
    sum->origin.inline_bytes += origin->inline_bytes;
    sum->origin.encoded_bytes += origin->encoded_bytes;
    sum->origin.shared_bytes += origin->shared_bytes;
}

/* Nodes are numbered in the order of their first ranks. */
static bool is_first_of_node(const struct weir_rank_row *row, uint32_t nodes_seen)
{
    return row->node == nodes_seen;
}

/* A machine that has no number is one by itself. */
static bool is_new_machine(const uint64_t *machines, uint32_t count, uint64_t machine)
{
    for (uint32_t i = 0; machine != 0 && i < count; i++)
        if (machines[i] == machine)
            return false;
    return true;
}

/* Bytes of clients are known if all nodes know theirs: a part of them would look like a cache. */
static void add_traffic(struct weir_traffic *sum, const struct weir_traffic *node, bool is_first)
{
    sum->has_client = node->has_client && (is_first || sum->has_client);
    sum->has_devices |= node->has_devices;
    sum->has_network |= node->has_network;
    sum->has_loopback |= node->has_loopback;
    sum->has_disks |= node->has_disks;
    sum->device_read_bytes += node->device_read_bytes;
    sum->device_written_bytes += node->device_written_bytes;
    sum->network_received_bytes += node->network_received_bytes;
    sum->network_sent_bytes += node->network_sent_bytes;
    sum->loopback_bytes += node->loopback_bytes;
    sum->top_reads += node->top_reads;
    sum->top_read_bytes += node->top_read_bytes;
    sum->top_writes += node->top_writes;
    sum->top_written_bytes += node->top_written_bytes;
    sum->client_read_bytes += node->client_read_bytes;
    sum->client_written_bytes += node->client_written_bytes;
    sum->client_dirty_bytes += node->client_dirty_bytes;
    sum->client_cache_bytes += node->client_cache_bytes;
    sum->client_cached_bytes += node->client_cached_bytes;
    sum->disks_read_bytes += node->disks_read_bytes;
    sum->disks_written_bytes += node->disks_written_bytes;
    if (node->failed_count > sum->failed_count)
        sum->failed_count = node->failed_count;
}

static uint64_t least_known(uint64_t least, uint64_t value)
{
    if (least == 0 || value == 0)
        return least > value ? least : value;
    return value < least ? value : least;
}

void weir_gather_places(const struct weir_rank_row *rows, const char *const *hosts,
                        struct weir_phase_result *record)
{
    uint64_t *machines = weir_memory_take(record->node_count * sizeof *machines);
    uint32_t nodes_seen = 0;

    derive_places(rows, hosts, record);
    for (unsigned rank = 0; rank < record->rank_count; rank++) {
        const struct weir_rank_row *row = &rows[rank];

        add_residency(&record->residency, row);
        add_dirty(&record->dirty, row);
        add_supply(&record->supply, row);
        if (!is_first_of_node(row, nodes_seen))
            continue;
        if (is_new_machine(machines, nodes_seen, row->machine))
            add_traffic(&record->traffic, &row->traffic, nodes_seen == 0);
        else /* Of nodes on one machine, each may have a client of its own. */
            record->traffic.has_client = false;
        record->node_memory_bytes = least_known(record->node_memory_bytes, row->node_memory_bytes);
        machines[nodes_seen++] = row->machine;
    }
    free(machines);
}
