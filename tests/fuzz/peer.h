/* SPDX-License-Identifier: Apache-2.0 */
/* A peer of a fabric of tcp whose bytes are made here: its socket, and its end of the handshake. */
#ifndef WEIR_TESTS_FUZZ_PEER_H
#define WEIR_TESTS_FUZZ_PEER_H

#include "network/fabric/handshake.h"
#include "network/fabric/interface.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static inline int peer_dial(const char *address)
{
    struct weir_host_port parsed;
    struct sockaddr_in place = {.sin_family = AF_INET};
    struct linger reset = {1, 0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int failure = weir_host_port_parse(address, &parsed);

    assert(fd >= 0 && failure == 0);
    place.sin_port = htons((uint16_t)strtoul(parsed.port, NULL, 10));
    inet_pton(AF_INET, parsed.host, &place.sin_addr);
    failure = connect(fd, (struct sockaddr *)&place, sizeof place);
    assert(failure == 0);
    /* Thousands of these a second would use up all ports by waiting for their last packets. */
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    return fd;
}

/* Without a secret, and always with the same nonce: an input does the same each time. `depth`: of
 * tcp, requests in flight. */
static inline void peer_begin(struct weir_handshake *handshake, bool is_server, uint32_t credits,
                              uint32_t message_bytes, uint32_t depth)
{
    static const unsigned char secret[WEIR_SECRET_BYTES], nonce[WEIR_NONCE_BYTES];

    weir_handshake_begin(handshake,
                         &(struct weir_handshake_params){.is_server = is_server,
                                                         .provider = "tcp",
                                                         .secret = secret,
                                                         .nonce = nonce,
                                                         .credits = credits,
                                                         .message_bytes = message_bytes});
    depth = htole32(depth);
    memcpy(handshake->ours.info.bytes, &depth, sizeof depth);
}

#endif
