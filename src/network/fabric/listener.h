/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets over which links are made: one TCP connection per link, which stays open as long as the
 * link does. What is said over it is in handshake.h. */
#ifndef WEIR_NETWORK_FABRIC_LISTENER_H
#define WEIR_NETWORK_FABRIC_LISTENER_H

#include "provider.h"

int weir_listener_open(struct weir_fabric *fabric);
/* All handshakes are broken off. NULL is allowed. */
void weir_listener_close(struct weir_listener *listener);

int weir_listener_listen(struct weir_listener *listener, const char *where,
                         char address[WEIR_ADDRESS_BYTES], struct weir_error *error);
/* Begins to connect a link that link_open has made, whose greeting is filled in. 0 or -errno. */
int weir_listener_connect(struct weir_listener *listener, struct weir_link *link,
                          const char *address, const struct weir_endpoint_info *info);
/* Breaks off the handshake of a link that is closed or lost, if it is not over. */
void weir_listener_forget(struct weir_link *link);

/* Epoll said `events` of a descriptor of the listener (`connection` NULL: that at which it
 * accepts). */
void weir_listener_woken(struct weir_listener *listener, struct weir_connection *connection,
                         uint32_t events);
/* Ends handshakes that took too long, and accepts again after a lack of room. */
void weir_listener_tick(struct weir_listener *listener, uint64_t now_ns);
/* When tick has something to do: UINT64_MAX: never. */
uint64_t weir_listener_deadline(const struct weir_listener *listener);
/* Frees connections that ended: no event of epoll can name them any more. */
void weir_listener_sweep(struct weir_listener *listener);
struct weir_handshake_counts weir_listener_counts(const struct weir_listener *listener);

/* Epoll said so of the socket of a link that is up, which no provider watches. */
void weir_link_socket_woken(struct weir_link *link);

/* How sockets of links are: nothing waits to be sent, and dead peers are noticed within the
 * timeout. */
void weir_listener_set_socket(int fd, uint64_t timeout_ns);

/* fabric.c: into one of the lists of the fabric, and out of the one that it is in: a lost link
 * whose end was not told yet is in `leaving`. */
void weir_link_put(struct weir_link **list, struct weir_link *link);
void weir_link_take_out(struct weir_link *link);
/* fabric.c: a new link is in the handshake; it is up, and JOINED is to be told. */
void weir_fabric_add_link(struct weir_fabric *fabric, struct weir_link *link);
void weir_fabric_join_link(struct weir_link *link);

/* poll.c: whose descriptor epoll has to do with. */
enum weir_watched {
    WEIR_WATCHED_PROVIDER,
    WEIR_WATCHED_CONNECTION, /* context: of listener.c; NULL: where it accepts */
    WEIR_WATCHED_LINK,       /* context: a link that is up */
    WEIR_WATCHED_WAKEUP
};
/* `context` is aligned to 8 bytes. 0 or -errno. */
int weir_fabric_watch_as(struct weir_fabric *fabric, int fd, enum weir_watched who, void *context,
                         uint32_t events);

#endif
