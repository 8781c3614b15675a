/* SPDX-License-Identifier: Apache-2.0 */
/* How the launcher placed the ranks on nodes, as far as shifts of work between nodes need it. */
#ifndef WEIR_BASE_PLACEMENT_H
#define WEIR_BASE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

struct weir_placement {
    uint64_t ranks;
    uint64_t nodes;
    uint64_t ranks_per_node; /* on the node of rank 0 */
    bool is_block;           /* ranks 0 and 1 share a node, or there is one rank per node */
    bool is_even;            /* equally many ranks on each node, in block order */
};

#endif
