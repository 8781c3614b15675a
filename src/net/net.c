/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a net plan: links, rounds, results. */
#include "weir/net/net.h"

#include <errno.h>

int weir_net_run(const struct weir_net_params *params, struct weir_net_result *result,
                 struct weir_error *error)
{
    (void)params;
    (void)result;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}
