/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are alike, put together. */
#include "weir/measure/result.h"
void weir_result_set_nodes(struct weir_result *result, const char *const *hosts,
                           const struct weir_node_facts *facts, unsigned count)
{
    (void)result;
    (void)hosts;
    (void)facts;
    (void)count;
}
void weir_result_set_storages(struct weir_result *result, struct weir_test_result *test,
                              const char *const *hosts, const struct weir_storage_facts *facts,
                              unsigned count)
{
    (void)result;
    (void)test;
    (void)hosts;
    (void)facts;
    (void)count;
}
