/* SPDX-License-Identifier: Apache-2.0 */
/* A peer of a fabric in the handshake, byte by byte: what an honest peer says, and anything else.
 */
#ifndef WEIR_TESTS_RAW_PEER_H
#define WEIR_TESTS_RAW_PEER_H

#include "network/fabric/handshake.h"
#include "network/fabric/interface.h"
#include "network/fabric/secret.h"
#include "wr_cases.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct raw_peer {
    int fd;
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_handshake_hello hello;
    struct weir_handshake_hello challenge;
};

static inline int raw_peer_dial(const char *address)
{
    struct weir_host_port parsed;
    struct sockaddr_in place = {.sin_family = AF_INET};
    struct timeval limit = {20, 0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(weir_host_port_parse(address, &parsed), 0);
    place.sin_port = htons((uint16_t)strtoul(parsed.port, NULL, 10));
    assert_int_equal(inet_pton(AF_INET, parsed.host, &place.sin_addr), 1);
    assert_int_equal(connect(fd, (struct sockaddr *)&place, sizeof place), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    return fd;
}

static inline void raw_peer_set_hello(struct raw_peer *peer, const char *provider)
{
    peer->hello = (struct weir_handshake_hello){.version = htole32(WEIR_HANDSHAKE_VERSION)};
    memcpy(peer->hello.magic, WEIR_HANDSHAKE_MAGIC, sizeof peer->hello.magic);
    memcpy(peer->hello.provider, provider, strlen(provider));
}

static inline void raw_peer_say(const struct raw_peer *peer, const void *text, size_t bytes)
{
    assert_int_equal(send(peer->fd, text, bytes, MSG_NOSIGNAL), bytes);
}

/* Polls the fabric until the peer has heard so many bytes, or the end: how many. */
static inline size_t raw_peer_hear(struct raw_peer *peer, struct wr_end *end, void *text,
                                   size_t bytes)
{
    uint64_t start_ns = weir_clock_kernel_ns();
    size_t heard = 0;

    while (heard < bytes && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS) {
        ssize_t got = recv(peer->fd, (unsigned char *)text + heard, bytes - heard, MSG_DONTWAIT);

        if (got == 0 || (got < 0 && errno != EAGAIN))
            break;
        heard += got > 0 ? (size_t)got : 0;
        wr_poll_end(end, 0);
    }
    return heard;
}

/* True if it hears nothing but the end, and that within the timeout. */
static inline bool raw_peer_is_hung_up_on(struct raw_peer *peer, struct wr_end *end)
{
    unsigned char byte;
    uint64_t start_ns = weir_clock_kernel_ns();
    size_t heard = raw_peer_hear(peer, end, &byte, 1);

    return heard == 0 && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS;
}

static inline void raw_peer_prove(const struct raw_peer *peer, const char *role,
                                  unsigned char proof[WEIR_PROOF_BYTES])
{
    assert_int_equal(weir_secret_prove(peer->secret, role, &peer->hello, sizeof peer->hello,
                                       &peer->challenge, sizeof peer->challenge, proof),
                     0);
}

/* HELLO, and what is answered. */
static inline void raw_peer_greet(struct raw_peer *peer, struct wr_end *end)
{
    raw_peer_say(peer, &peer->hello, sizeof peer->hello);
    assert_int_equal(raw_peer_hear(peer, end, &peer->challenge, sizeof peer->challenge),
                     sizeof peer->challenge);
}

/* PROOF, whatever it is worth, and what is answered. */
static inline struct weir_handshake_proof raw_peer_offer(struct raw_peer *peer, struct wr_end *end,
                                                         const struct weir_handshake_proof *proof)
{
    struct weir_handshake_proof answer = {0};

    raw_peer_say(peer, proof, sizeof *proof);
    assert_int_equal(raw_peer_hear(peer, end, &answer, sizeof answer), sizeof answer);
    return answer;
}

/* An honest PROOF, and what is answered. */
static inline struct weir_handshake_proof raw_peer_show(struct raw_peer *peer, struct wr_end *end)
{
    struct weir_handshake_proof proof = {0};

    raw_peer_prove(peer, "client", proof.proof);
    return raw_peer_offer(peer, end, &proof);
}

/* All but READY, with these bytes for the provider. */
static inline struct weir_handshake_endpoint
raw_peer_show_info(struct raw_peer *peer, struct wr_end *end, const void *info, size_t bytes)
{
    struct weir_handshake_endpoint ours = {.credits = htole32(4), .message_bytes = htole32(512)};
    struct weir_handshake_endpoint theirs = {0};

    memcpy(ours.info.bytes, info, bytes);
    raw_peer_greet(peer, end);
    assert_int_equal(le32toh(raw_peer_show(peer, end).status), WEIR_HANDSHAKE_OK);
    raw_peer_say(peer, &ours, sizeof ours);
    assert_int_equal(raw_peer_hear(peer, end, &theirs, sizeof theirs), sizeof theirs);
    return theirs;
}

/* The same with an end of tcp that has `depth` requests in flight. */
static inline struct weir_handshake_endpoint
raw_peer_show_endpoint(struct raw_peer *peer, struct wr_end *end, uint32_t depth)
{
    depth = htole32(depth);
    return raw_peer_show_info(peer, end, &depth, sizeof depth);
}

/* A whole link. */
static inline struct weir_handshake_endpoint raw_peer_join(struct raw_peer *peer,
                                                           struct wr_end *end, uint32_t depth)
{
    struct weir_handshake_endpoint theirs = raw_peer_show_endpoint(peer, end, depth);
    struct weir_handshake_ready ready = {0};

    raw_peer_say(peer, &ready, sizeof ready);
    return theirs;
}

#endif
