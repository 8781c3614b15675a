/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA verbs: queue pairs of InfiniBand, RoCE and iWARP devices. */
#include "provider.h"

#include <errno.h>

extern const struct weir_provider weir_provider_verbs;

static int verbs_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                      struct weir_error *error)
{
    (void)params;
    (void)fabric;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, "verbs", "not built yet");
}

const struct weir_provider weir_provider_verbs = {
    .name = "verbs",
    .open = verbs_open,
};
