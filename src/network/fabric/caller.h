/* SPDX-License-Identifier: Apache-2.0 */
/* A caller: one socket at the door, from its first byte until the link is up. door.c keeps callers,
 * caller.c listens to what they say. */
#ifndef WEIR_NETWORK_FABRIC_CALLER_H
#define WEIR_NETWORK_FABRIC_CALLER_H

#include "door.h"

#include <netdb.h>

enum weir_caller_state {
    CALLER_CONNECTING, /* we: the kernel connects */
    CALLER_HELLO,      /* they: HELLO is to come */
    CALLER_CHALLENGE,  /* we */
    CALLER_PROOF,      /* they */
    CALLER_ANSWER,     /* we */
    CALLER_CARD,       /* both: the peer's */
    CALLER_JOINING,    /* we: the provider is not done */
    CALLER_READY,      /* they: READY is to come, or the provider is not done */
    CALLER_REFUSED,    /* they have been told: until they leave */
    CALLER_UP,         /* the link is up: the door watches the socket, or has given it away */
    CALLER_GONE        /* to be freed */
};

union weir_door_text {
    struct weir_door_hello hello;
    struct weir_door_challenge challenge;
    struct weir_door_proof proof;
    struct weir_door_answer answer;
    struct weir_door_card card;
    struct weir_door_ready ready;
};

struct weir_caller {
    struct weir_door *door;
    struct weir_caller *next, *previous;
    enum weir_caller_state state;
    int fd; /* -1: not the door's any more */
    bool is_incoming;
    bool is_joined;   /* the provider is done */
    bool is_ready;    /* READY has come */
    bool is_deaf;     /* bytes have come that nothing is waiting for: EPOLLIN is not watched */
    bool is_arriving; /* its link may carry data, and is not told of */
    uint32_t kind;    /* enum weir_door_kind */
    struct weir_link
        *link; /* NULL: none yet; of a stream that we call: the one it will belong to */
    uint64_t deadline_ns;
    uint64_t since_ns;
    struct addrinfo *found; /* addresses to be tried: `next_place` is next */
    struct addrinfo *next_place;
    char name[WEIR_ADDRESS_BYTES]; /* "10.0.0.7:41000" */
    struct weir_stream_name stream;
    struct weir_door_hello hello;
    struct weir_door_challenge challenge;
    struct weir_card card; /* ours, until it is sent */
    unsigned char greeting[WEIR_GREETING_BYTES] __attribute__((aligned(64)));
    uint32_t greeting_bytes;
    union weir_door_text in;
    size_t in_bytes;
    unsigned char out[2 * sizeof(union weir_door_text)];
    size_t out_bytes, out_sent;
};

/* The socket can be read or written, or has ended. */
void weir_caller_woken(struct weir_caller *caller, uint32_t events);
/* Tries the next of its addresses. 0: under way; or -errno, when none is left. */
int weir_caller_connect(struct weir_caller *caller);
/* Goes on where what it waited for has happened. */
void weir_caller_proceed(struct weir_caller *caller);

/* door.c: the caller, and with it its link, has failed because of `code`. A sentence is logged
 * where `reason` is not NULL: "does not know the secret". */
void weir_caller_fail(struct weir_caller *caller, int code, const char *reason);
/* door.c: the same, of a peer that has been told so. */
void weir_caller_refuse(struct weir_caller *caller, int code, const char *reason);
/* door.c: no longer at the door, and its socket closed if it is still the caller's. */
void weir_caller_leave(struct weir_caller *caller);
/* door.c: the peer may send data at any time now, even before its READY is read. */
void weir_caller_expect(struct weir_caller *caller);
/* door.c: the link of the caller is up. */
void weir_caller_arrive(struct weir_caller *caller);
struct weir_fabric *weir_caller_fabric(const struct weir_caller *caller);

#endif
