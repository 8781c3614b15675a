/* SPDX-License-Identifier: Apache-2.0 */
/* The handshake of a new connection: both ends prove that they know the secret, then exchange what
 * their providers need to know of each other. Pure: bytes in, bytes out; sockets and clocks are
 * listener.c's.
 *
 * client                     server
 *   HELLO      ------------>          version, provider, nonce
 *              <------------ CHALLENGE  the same of the server
 *   PROOF      ------------>          HMAC of both nonces, role "client"
 *              <------------ ANSWER     HMAC of both nonces, role "server"
 *   ENDPOINT   ------------>          credits, message length, greeting, the provider's bytes
 *              <------------ ENDPOINT   the same of the server
 *   READY      ------------>          the client's end is connected */
#ifndef WEIR_NETWORK_FABRIC_HANDSHAKE_H
#define WEIR_NETWORK_FABRIC_HANDSHAKE_H

#include "provider.h"

#define WEIR_HANDSHAKE_MAGIC "weirdoor"
#define WEIR_HANDSHAKE_VERSION 3u
#define WEIR_NONCE_BYTES 32
#define WEIR_PROOF_BYTES 32

/* More than any provider's default by orders of magnitude: an endpoint that says more is not
 * believed, and no fabric is opened that would say it. */
#define WEIR_CREDITS_MAX 65536
#define WEIR_MESSAGE_BYTES_MAX (16 << 20)

/* Why a peer is refused: CHALLENGE, ANSWER, ENDPOINT and READY say it. */
enum weir_handshake_status {
    WEIR_HANDSHAKE_OK,
    WEIR_HANDSHAKE_OTHER_VERSION,
    WEIR_HANDSHAKE_OTHER_PROVIDER,
    WEIR_HANDSHAKE_WRONG_SECRET,
    WEIR_HANDSHAKE_CANNOT /* the provider cannot make the link */
};

/* The messages: of fixed size, numbers little-endian. */
struct weir_handshake_hello {
    char magic[8];
    uint32_t version;
    uint32_t status; /* of HELLO: 0 */
    char provider[16];
    unsigned char nonce[WEIR_NONCE_BYTES];
}; /* CHALLENGE has the same members */

struct weir_handshake_proof {
    uint32_t status; /* of PROOF: 0 */
    uint32_t reserved;
    unsigned char proof[WEIR_PROOF_BYTES];
}; /* ANSWER has the same members */

struct weir_handshake_endpoint {
    uint32_t status;
    uint32_t credits;
    uint32_t message_bytes;
    uint32_t greeting_bytes;
    unsigned char greeting[WEIR_GREETING_BYTES];
    struct weir_endpoint_info info;
};

struct weir_handshake_ready {
    uint32_t status;
    uint32_t reserved;
};

union weir_handshake_message {
    struct weir_handshake_hello hello, challenge;
    struct weir_handshake_proof proof, answer;
    struct weir_handshake_endpoint endpoint;
    struct weir_handshake_ready ready;
};

enum weir_handshake_state {
    /* what is to come next; of the client CHALLENGE, ANSWER and ENDPOINT, of the server the rest */
    WEIR_EXPECT_HELLO,
    WEIR_EXPECT_CHALLENGE,
    WEIR_EXPECT_PROOF,
    WEIR_EXPECT_ANSWER,
    WEIR_EXPECT_ENDPOINT,
    WEIR_EXPECT_READY,
    /* nothing is to come */
    WEIR_HANDSHAKE_OFFERED, /* `theirs` is there: accept or reject it */
    WEIR_HANDSHAKE_DONE,    /* both ends are connected */
    WEIR_HANDSHAKE_REFUSED, /* and the peer is told why by what is to be sent; `code`, `reason` */
    WEIR_HANDSHAKE_FAILED   /* there is nothing to be sent any more; `code`, `reason` */
};

struct weir_handshake {
    enum weir_handshake_state state;
    bool is_server;
    const char *provider;
    const unsigned char *secret; /* WEIR_SECRET_BYTES; borrowed, as `provider` is */
    struct weir_handshake_hello hello, challenge;
    struct weir_handshake_endpoint ours;   /* the server's `info` is filled in by accept */
    struct weir_handshake_endpoint theirs; /* MEET: numbers as this host has them */
    union weir_handshake_message in;
    size_t in_bytes;
    unsigned char out[2 * sizeof(union weir_handshake_message)];
    size_t out_bytes, out_sent; /* who sends moves out_sent on */
    int code;                   /* -errno */
    char reason[128];           /* "does not know the secret"; "": none that a log needs */
};

struct weir_handshake_params {
    bool is_server;
    const char *provider;
    const unsigned char *secret;
    const unsigned char *nonce; /* WEIR_NONCE_BYTES that were never used before; copied */
    uint32_t credits;
    uint32_t message_bytes;
};

/* The client's HELLO is to be sent then; its `ours` is to be completed before ANSWER comes. */
void weir_handshake_begin(struct weir_handshake *handshake,
                          const struct weir_handshake_params *params);
/* How many bytes are to come next: take wants no more. 0: none. */
size_t weir_handshake_wants(const struct weir_handshake *handshake);
/* Takes bytes that came, up to as many as are wanted: how many. */
size_t weir_handshake_take(struct weir_handshake *handshake, const void *bytes, size_t count);
/* MEET: the provider has made the link (the server's `info`, which is sent); or cannot, because of
 * `code`, which the client is told of. */
void weir_handshake_accept(struct weir_handshake *handshake, const struct weir_endpoint_info *info);
void weir_handshake_reject(struct weir_handshake *handshake, int code);
/* A server's peer has not proven the secret yet. */
bool weir_handshake_is_unproven(const struct weir_handshake *handshake);

#endif
