/* SPDX-License-Identifier: Apache-2.0 */
/* Places for ranks, by policy. */
#include "weir/system/seats.h"
int weir_seats_plan(const struct weir_topology *topology, const struct weir_seat_request *request,
                    struct weir_seat *seats, struct weir_error *error)
{
    (void)error;
    for (unsigned i = 0; i < request->rank_count; i++)
        seats[i] = (struct weir_seat){.cpus = request->given[i],
                                      .cores = weir_topology_cores(topology, &request->given[i]),
                                      .numa_nodes = 1};
    return 0;
}
