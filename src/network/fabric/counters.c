/* SPDX-License-Identifier: Apache-2.0 */
/* What the network counts of its troubles. */
#include "provider.h"

void weir_fabric_counters(const struct weir_fabric *fabric, struct weir_fabric_counters *counters)
{
    counters->count = 0;
    if (fabric->provider->counters != NULL)
        fabric->provider->counters(fabric, counters);
}
