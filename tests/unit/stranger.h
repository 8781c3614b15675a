/* SPDX-License-Identifier: Apache-2.0 */
/* A peer of a fabric in the handshake, byte by byte: what an honest peer says, and anything else.
 */
#ifndef WEIR_TESTS_STRANGER_H
#define WEIR_TESTS_STRANGER_H

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

struct stranger {
    int fd;
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_handshake_hello hello;
    struct weir_handshake_hello challenge;
};

static inline int stranger_dial(const char *address)
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

static inline void stranger_set_hello(struct stranger *stranger, const char *provider)
{
    stranger->hello = (struct weir_handshake_hello){.version = htole32(WEIR_HANDSHAKE_VERSION)};
    memcpy(stranger->hello.magic, WEIR_HANDSHAKE_MAGIC, sizeof stranger->hello.magic);
    memcpy(stranger->hello.provider, provider, strlen(provider));
}

static inline void stranger_say(const struct stranger *stranger, const void *text, size_t bytes)
{
    assert_int_equal(send(stranger->fd, text, bytes, MSG_NOSIGNAL), bytes);
}

/* Polls the fabric until the stranger has heard so many bytes, or the end: how many. */
static inline size_t stranger_hear(struct stranger *stranger, struct wr_end *end, void *text,
                                   size_t bytes)
{
    uint64_t start_ns = weir_clock_kernel_ns();
    size_t heard = 0;

    while (heard < bytes && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS) {
        ssize_t got =
            recv(stranger->fd, (unsigned char *)text + heard, bytes - heard, MSG_DONTWAIT);

        if (got == 0 || (got < 0 && errno != EAGAIN))
            break;
        heard += got > 0 ? (size_t)got : 0;
        wr_poll_end(end, 0);
    }
    return heard;
}

/* True if it hears nothing but the end, and that within the timeout. */
static inline bool stranger_is_hung_up_on(struct stranger *stranger, struct wr_end *end)
{
    unsigned char byte;
    uint64_t start_ns = weir_clock_kernel_ns();
    size_t heard = stranger_hear(stranger, end, &byte, 1);

    return heard == 0 && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS;
}

static inline void stranger_prove(const struct stranger *stranger, const char *role,
                                  unsigned char proof[WEIR_PROOF_BYTES])
{
    assert_int_equal(weir_secret_prove(stranger->secret, role, &stranger->hello,
                                       sizeof stranger->hello, &stranger->challenge,
                                       sizeof stranger->challenge, proof),
                     0);
}

/* HELLO, and what is answered. */
static inline void stranger_greet(struct stranger *stranger, struct wr_end *end)
{
    stranger_say(stranger, &stranger->hello, sizeof stranger->hello);
    assert_int_equal(stranger_hear(stranger, end, &stranger->challenge, sizeof stranger->challenge),
                     sizeof stranger->challenge);
}

/* PROOF, whatever it is worth, and what is answered. */
static inline struct weir_handshake_proof stranger_offer(struct stranger *stranger,
                                                         struct wr_end *end,
                                                         const struct weir_handshake_proof *proof)
{
    struct weir_handshake_proof answer = {0};

    stranger_say(stranger, proof, sizeof *proof);
    assert_int_equal(stranger_hear(stranger, end, &answer, sizeof answer), sizeof answer);
    return answer;
}

/* An honest PROOF, and what is answered. */
static inline struct weir_handshake_proof stranger_show(struct stranger *stranger,
                                                        struct wr_end *end)
{
    struct weir_handshake_proof proof = {0};

    stranger_prove(stranger, "client", proof.proof);
    return stranger_offer(stranger, end, &proof);
}

/* All but READY, with these bytes for the provider. */
static inline struct weir_handshake_endpoint
stranger_show_info(struct stranger *stranger, struct wr_end *end, const void *info, size_t bytes)
{
    struct weir_handshake_endpoint ours = {.credits = htole32(4), .message_bytes = htole32(512)};
    struct weir_handshake_endpoint theirs = {0};

    memcpy(ours.info.bytes, info, bytes);
    stranger_greet(stranger, end);
    assert_int_equal(le32toh(stranger_show(stranger, end).status), WEIR_HANDSHAKE_OK);
    stranger_say(stranger, &ours, sizeof ours);
    assert_int_equal(stranger_hear(stranger, end, &theirs, sizeof theirs), sizeof theirs);
    return theirs;
}

/* The same with an end of tcp that has `depth` requests in flight. */
static inline struct weir_handshake_endpoint
stranger_show_endpoint(struct stranger *stranger, struct wr_end *end, uint32_t depth)
{
    depth = htole32(depth);
    return stranger_show_info(stranger, end, &depth, sizeof depth);
}

/* A whole link. */
static inline struct weir_handshake_endpoint stranger_join(struct stranger *stranger,
                                                           struct wr_end *end, uint32_t depth)
{
    struct weir_handshake_endpoint theirs = stranger_show_endpoint(stranger, end, depth);
    struct weir_handshake_ready ready = {0};

    stranger_say(stranger, &ready, sizeof ready);
    return theirs;
}

#endif
