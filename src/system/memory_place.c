/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA nodes of memory. */
#include "weir/system/memory_place.h"
uint64_t weir_memory_wanted(const struct weir_membind *membind, uint64_t cpu_nodes,
                            bool has_own_policy)
{
    (void)membind;
    (void)has_own_policy;
    return cpu_nodes;
}
bool weir_memory_has_policy(void)
{
    return false;
}
uint64_t weir_memory_nodes(void)
{
    return 1;
}
int weir_memory_bind(void *memory, size_t bytes, const struct weir_membind *membind,
                     uint64_t cpu_nodes)
{
    (void)memory;
    (void)bytes;
    (void)membind;
    (void)cpu_nodes;
    return 0;
}
int weir_memory_look(const void *memory, size_t bytes, struct weir_page_places *places)
{
    (void)memory;
    (void)bytes;
    *places = (struct weir_page_places){0};
    return 0;
}
unsigned weir_memory_away_permille(const struct weir_page_places *places, uint64_t nodes)
{
    (void)places;
    (void)nodes;
    return 0;
}
