/* SPDX-License-Identifier: Apache-2.0 */
/* Network devices and RDMA ports, from /sys/class/net and /sys/class/infiniband. */
#ifndef WEIR_SYSTEM_NETWORK_PORTS_H
#define WEIR_SYSTEM_NETWORK_PORTS_H

#include "weir/base/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More is left out. */
#define WEIR_PORTS_MAX 64

struct weir_network_port {
    char device[32];
    uint32_t number;    /* of a port of an RDMA device; 0: a network device */
    bool has_hardware;  /* else it is made by software, on top of other devices */
    bool is_infiniband; /* its link is one of InfiniBand; of a network device: bytes of it pass an
                           RDMA port, too */
};

struct weir_network_ports {
    size_t count;
    struct weir_network_port ports[WEIR_PORTS_MAX];
};

/* RDMA ports first, with or without hardware behind them, then network devices that have some; each
 * in the order of their names. Files below `root`. */
void weir_network_ports_find(const char *root, struct weir_network_ports *ports);

void weir_network_port_describe(const char *root, const struct weir_network_port *port,
                                struct weir_nic_facts *facts);

#endif
