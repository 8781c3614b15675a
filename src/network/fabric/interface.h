/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of this host, and addresses in words. */
#ifndef WEIR_NETWORK_FABRIC_INTERFACE_H
#define WEIR_NETWORK_FABRIC_INTERFACE_H

#include "weir/fabric/fabric.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* An address of a socket, IPv4 or IPv6. */
struct weir_place {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    };
    socklen_t bytes;
};

/* The address that others reach this host by: of the network device `wanted`, or that IP address;
 * NULL: what the host's name stands for, if it is an address of this host and not loopback, else
 * that of the first device that is up, else loopback. `name` (of 32 bytes) receives the device's,
 * "" if it is not known. 0 or the error. */
int weir_interface_find(const char *wanted, struct weir_place *place, char name[32],
                        struct weir_error *error);

/* Takes "HOST:PORT", "[ADDRESS]:PORT", "HOST" and "[ADDRESS]" apart; a port that is missing is "0".
 * 0 or -EINVAL. */
#define WEIR_HOST_BYTES 112
struct weir_host_port {
    char host[WEIR_HOST_BYTES];
    char port[8];
};
int weir_host_port_parse(const char *text, struct weir_host_port *parsed);

/* "10.0.0.1:7471", "[fe80::1%eth0]:7471" */
void weir_place_format(const struct weir_place *place, char text[WEIR_ADDRESS_BYTES]);
/* Without the port and without brackets. */
void weir_place_format_host(const struct weir_place *place, char text[WEIR_ADDRESS_BYTES]);

/* The address and port to listen at: those of `where` ("HOST:PORT", "HOST"), or, if it is NULL,
 * any port of the interface (as of weir_interface_find). 0, or the error. */
int weir_interface_listen_at(const char *where, const char *interface, struct weir_place *place,
                             struct weir_error *error);

/* "HOST:PORT" that peers can use for the place where this process listens: where that is any
 * address of the host ("0.0.0.0"), *place becomes that of the interface. 0, or the error. */
int weir_interface_tell(const char *interface, struct weir_place *place,
                        char address[WEIR_ADDRESS_BYTES], struct weir_error *error);

#endif
