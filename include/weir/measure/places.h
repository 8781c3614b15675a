/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks ran, node by node: what is kept of weir_execution once all ranks have told theirs. */
#ifndef WEIR_MEASURE_PLACES_H
#define WEIR_MEASURE_PLACES_H

#include "weir/base/arena.h"
#include "weir/base/execution.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_PLACE_HOST_BYTES 64
/* Of so many ranks each one is kept by itself; of more, only their nodes are. */
#define WEIR_RANK_PLACES_MAX 256

/* All ranks of one node in one phase. */
struct weir_node_places {
    char host[WEIR_PLACE_HOST_BYTES];
    uint32_t rank_count;
    struct weir_cpu_set cpus;  /* that any of them may run on */
    uint32_t core_count;       /* of these */
    uint32_t given_core_count; /* greatest of the ranks: that its launcher let it use, --pin or
                                  not; 0: not known */
    bool is_pinned;            /* by --pin */
    /* Ranks that must share a core with another one, whichever cores all take of those that they
     * may run on (a maximum matching of ranks and cores leaves so many without one); the first of
     * them. Where there are more ranks than cores, given ones too, the node is oversubscribed. */
    uint32_t crowded_count;
    uint32_t first_crowded;
    uint32_t crowded_cpu; /* the first processor of the core that it shares */
    uint32_t moved_count; /* ranks that were moved to other processors */
    uint32_t first_moved;
    uint32_t narrowed_count; /* ranks whose launcher or control group left them less than --pin
                                wanted for them */
    uint32_t far_count;      /* ranks for which no processor near the device was left */
    uint64_t cpu_nodes;      /* NUMA nodes of `cpus` */
    uint64_t page_nodes;     /* NUMA nodes of their buffers; 0: not known */
    uint32_t away_count;     /* ranks with buffers that are not where they should be */
    uint32_t first_away;
    uint32_t away_permille; /* most of any rank's pages */
    uint32_t remote_count;  /* ranks with buffers on NUMA nodes where they have no processor,
                               wanted there or not */
    uint32_t first_remote;
    bool asks_nodes;     /* of any rank the user has asked for the NUMA nodes of the buffers */
    double cpu_s;        /* processor time of the ranks while they transferred */
    double wall_s;       /* greatest of the ranks: between the looks */
    uint64_t migrations; /* of all ranks; WEIR_UNKNOWN if of none it is known */
    uint64_t preemptions;
    double throttled_s;  /* greatest of the ranks: they may be in one control group; NAN: unknown */
    double stolen_share; /* greatest of the ranks: of the time of its processors; NAN: unknown */
    double waited_share; /* greatest of the ranks: of its time, runnable without a CPU; NAN:
                            unknown */
    uint32_t first_waited; /* the rank that waited most */
    struct weir_pressure pressure;
};

/* One rank, in short. */
struct weir_rank_place {
    uint32_t rank;
    uint32_t node; /* position among the nodes */
    uint32_t last_cpu;
    struct weir_cpu_set cpus; /* empty: nothing is known of this rank */
    uint64_t cpu_nodes;
    uint64_t page_nodes;
    uint32_t away_permille;
    bool is_moved;
    uint64_t migrations;
    uint64_t preemptions;
};

/* Derives them from one execution per rank, in the order of ranks. Ranks whose execution is
 * unknown are counted only. */
struct weir_placed_rank {
    uint32_t node; /* number of its node, from 0 on */
    const struct weir_execution *execution;
    uint64_t cpu_ns; /* processor time while it transferred */
};

/* `hosts` names each rank's host. *nodes (node_count of them) and *ranks (rank_count, or NULL for
 * more than WEIR_RANK_PLACES_MAX) are in `arena`; both are NULL if nothing is known of any rank.
 * Pure. */
void weir_places_derive(struct weir_arena *arena, const struct weir_placed_rank *placed,
                        unsigned rank_count, const char *const *hosts, unsigned node_count,
                        struct weir_node_places **nodes, struct weir_rank_place **ranks);

/* The names of hosts in short, such as "n[1-3,7]" and "login, n1": names that differ in the number
 * at their end alone are put together, unless one kind of numbers is filled up with zeros and the
 * other is not, or to another width. In their order, without doubles, in `arena`. Of more than
 * `shown_max` names and ranges the rest of the names is counted: "a, n[1-3,7] and 12 more". */
const char *weir_hosts_fold(struct weir_arena *arena, const char *const *names, unsigned count,
                            unsigned shown_max);

#endif
