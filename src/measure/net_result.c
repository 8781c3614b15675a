/* SPDX-License-Identifier: Apache-2.0 */
/* What a net run found: summaries, the matrix, and what is odd in it. */
#include "weir/measure/net_result.h"

#include <errno.h>

struct weir_net_result *weir_net_result_open(void)
{
    return NULL;
}

void weir_net_result_close(struct weir_net_result *result)
{
    (void)result;
}

struct weir_net_measurement *weir_net_result_add(struct weir_net_result *result,
                                                 uint32_t flow_count)
{
    (void)result;
    (void)flow_count;
    return NULL;
}

uint32_t weir_net_result_summarise(const struct weir_net_result *result,
                                   struct weir_net_summary *lines, uint32_t capacity)
{
    (void)result;
    (void)lines;
    (void)capacity;
    return 0;
}

void weir_net_result_matrix(const struct weir_net_result *result, uint64_t message_bytes,
                            double *matrix)
{
    (void)result;
    (void)message_bytes;
    (void)matrix;
}

uint32_t weir_net_result_odd_pairs(const struct weir_net_result *result, uint64_t message_bytes,
                                   struct weir_net_odd_pair *pairs, uint32_t capacity)
{
    (void)result;
    (void)message_bytes;
    (void)pairs;
    (void)capacity;
    return 0;
}

void weir_net_result_judge(struct weir_net_result *result)
{
    (void)result;
}
