/* SPDX-License-Identifier: Apache-2.0 */
/* What a port counts of packets lost, late or held up, under the names of its driver. */
#include "verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first that are there are told: losses go before congestion, and that before cables. */
static const char *const names[] = {
    "hw_counters/out_of_sequence",       "hw_counters/out_of_seq_request",
    "hw_counters/packet_seq_err",        "hw_counters/rcvd_seq_err",
    "hw_counters/local_ack_timeout_err", "hw_counters/retry_exceeded_err",
    "hw_counters/rnr_nak_retry_err",     "hw_counters/rcvd_rnr_err",
    "hw_counters/duplicate_request",     "hw_counters/np_cnp_sent",
    "hw_counters/rp_cnp_handled",        "hw_counters/np_ecn_marked_roce_packets",
    "counters/port_xmit_wait",           "counters/port_xmit_discards",
    "counters/port_rcv_errors",          "counters/symbol_error",
    "counters/link_error_recovery",      "counters/link_downed",
};

void weir_verbs_counters(const struct weir_fabric *base, struct weir_fabric_counters *counters)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_const_fabric_of(base);
    const char *device = ibv_get_device_name(fabric->context->device);

    for (size_t i = 0; i < sizeof names / sizeof *names && counters->count < WEIR_FABRIC_COUNTERS;
         i++) {
        struct weir_fabric_counter *counter = &counters->counters[counters->count];
        char path[96], line[64], *end;

        snprintf(path, sizeof path, "ports/%u/%s", fabric->port, names[i]);
        if (!weir_verbs_sysfs_line(device, path, line, sizeof line))
            continue;
        counter->value = strtoull(line, &end, 10);
        if (end == line)
            continue;
        snprintf(counter->name, sizeof counter->name, "%s", strchr(names[i], '/') + 1);
        counters->count++;
    }
}
