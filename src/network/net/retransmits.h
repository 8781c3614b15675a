/* SPDX-License-Identifier: Apache-2.0 */
/* What was sent again, as the kernel counts it for a whole host or port. */
#ifndef WEIR_NETWORK_NET_RETRANSMITS_H
#define WEIR_NETWORK_NET_RETRANSMITS_H

#include "weir/fabric/fabric.h"

/* tcp: segments of this host, or of the name space that this process has to itself; verbs: retries
 * of the port. UINT64_MAX: nobody counts. Only differences mean something. */
uint64_t net_retransmits(const struct weir_fabric_facts *facts);

#endif
