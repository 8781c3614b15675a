/* SPDX-License-Identifier: Apache-2.0 */
/* TCP streams: what RDMA does in hardware, done by the kernel and by whoever polls at the other
 * end. */
#include "provider.h"

#include <errno.h>

extern const struct weir_provider weir_provider_tcp;

static int tcp_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                    struct weir_error *error)
{
    (void)params;
    (void)fabric;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, "tcp", "not built yet");
}

const struct weir_provider weir_provider_tcp = {
    .name = "tcp",
    .open = tcp_open,
};
