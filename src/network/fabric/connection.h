/* SPDX-License-Identifier: Apache-2.0 */
/* Connections while their handshake lasts: connection.c moves them, listener.c keeps them. */
#ifndef WEIR_NETWORK_FABRIC_CONNECTION_H
#define WEIR_NETWORK_FABRIC_CONNECTION_H

#include "handshake.h"
#include "listener.h"
#include "refusals.h"

#include <netdb.h>

struct weir_connection {
    struct weir_listener *listener;
    struct weir_connection *next, *previous;
    int fd;                 /* -1: none yet, or the link's */
    bool is_connecting;     /* the kernel does */
    bool is_gone;           /* to be freed by sweep */
    struct weir_link *link; /* NULL: none yet, or no more */
    uint64_t deadline_ns, since_ns;
    struct addrinfo *found; /* addresses to be tried: `next_place` is next */
    struct addrinfo *next_place;
    char name[WEIR_ADDRESS_BYTES]; /* "10.0.0.7:41000" */
    struct weir_handshake handshake;
};

struct weir_listener {
    struct weir_fabric *fabric;
    int fd;           /* -1: nobody listens */
    uint64_t open_ns; /* not before is accepted again, for want of room or of descriptors;
                         UINT64_MAX: it accepts */
    bool is_full;     /* of unproven connections: the next one that proves itself opens it */
    struct weir_connection *connections; /* the newest first */
    struct weir_connection *gone;
    uint64_t deadline_ns; /* no connection's comes before */
    struct weir_handshake_counts counts;
    struct weir_refusals refusals;
};

/* A new one, without a socket; NULL: no memory, or no random numbers. */
struct weir_connection *weir_connection_add(struct weir_listener *listener, bool is_server);
/* It is closed, but for the socket of its link, and freed by weir_listener_sweep. */
void weir_connection_drop(struct weir_connection *connection);
/* The connection, and with it its link, has failed because of `code`. A sentence is logged where
 * `reason` is not NULL: "does not know the secret". */
void weir_connection_fail(struct weir_connection *connection, int code, const char *reason);
/* Epoll has to do with its socket, for what the handshake waits for. */
void weir_connection_watch(struct weir_connection *connection);
/* Takes what has come. */
void weir_connection_receive(struct weir_connection *connection);
void weir_connection_woken(struct weir_connection *connection, uint32_t events);

#endif
