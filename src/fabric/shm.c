/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: processes of one node. */
#include "provider.h"

#include <errno.h>

extern const struct weir_provider weir_provider_shm;

static int shm_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                    struct weir_error *error)
{
    (void)params;
    (void)fabric;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, "shm", "not built yet");
}

const struct weir_provider weir_provider_shm = {
    .name = "shm",
    .open = shm_open,
};
