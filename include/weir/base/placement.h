/* SPDX-License-Identifier: Apache-2.0 */
/* How the launcher placed the ranks on nodes, as far as shifts of work between nodes need it. */
#ifndef WEIR_BASE_PLACEMENT_H
#define WEIR_BASE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Regular are blocks of ranks_per_node ranks, equally many on each node, and ranks that are dealt
 * to the nodes in turn, equally many to each. */
struct weir_placement {
    uint64_t ranks;
    uint64_t nodes;
    uint64_t ranks_per_node; /* on the node of rank 0 */
    bool is_block;           /* ranks 0 and 1 share a node, or there is one rank per node */
    /* The node of each rank, and how many ranks the nodes below each one have (`nodes` + 1
     * entries). Nodes are numbered in the order of their first ranks. Borrowed; node_of_rank is
     * NULL where the placement is regular, or was given by the user. */
    const int *node_of_rank;
    const int *node_start;
};

#endif
