/* SPDX-License-Identifier: Apache-2.0 */
/* What this node is. */
#include "weir/system/environment.h"
#include <string.h>
void weir_environment_describe(const char *root, const struct weir_topology *topology,
                               struct weir_node_facts *facts)
{
    (void)root;
    (void)topology;
    memset(facts, 0, sizeof *facts);
}
uint64_t weir_environment_machine(const char *root)
{
    (void)root;
    return 0;
}
