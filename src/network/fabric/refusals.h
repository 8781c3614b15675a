/* SPDX-License-Identifier: Apache-2.0 */
/* Peers that were refused in the handshake, host by host, so that none can fill a log. */
#ifndef WEIR_NETWORK_FABRIC_REFUSALS_H
#define WEIR_NETWORK_FABRIC_REFUSALS_H

#include "weir/fabric/fabric.h"

/* Hosts whose refusals are counted each by itself. */
#define WEIR_REFUSED_HOSTS 64

/* All zero is none. */
struct weir_refusals {
    struct weir_refused_host {
        char host[WEIR_ADDRESS_BYTES];
        uint64_t count;
    } hosts[WEIR_REFUSED_HOSTS];
};

/* Counts one, and logs it if it is the first of its host, the 10th, the 100th. `name` is
 * "HOST:PORT", `reason` what stands behind "it ". */
void weir_refusals_tell(struct weir_refusals *refusals, const char *name, const char *reason);

#endif
