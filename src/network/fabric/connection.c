/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: the socket on which a handshake takes place, from its first byte until it is the
 * socket of a link, or closed. */
#include "connection.h"

#include "interface.h"
#include "secret.h"

#include "weir/base/clock.h"
#include "weir/base/log.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A refused peer has so long to read why. */
#define FAREWELL_NS UINT64_C(1000000000)

/* Of what a refused peer still says, so much is thrown away at a time. Epoll says so again. */
#define READS_MAX 64

static void set_deadline(struct weir_connection *connection, uint64_t now_ns, uint64_t more_ns)
{
    struct weir_listener *listener = connection->listener;

    connection->deadline_ns = more_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + more_ns;
    if (connection->deadline_ns < listener->deadline_ns)
        listener->deadline_ns = connection->deadline_ns;
}

struct weir_connection *weir_connection_add(struct weir_listener *listener, bool is_server)
{
    const struct weir_fabric *fabric = listener->fabric;
    struct weir_connection *connection = calloc(1, sizeof *connection);
    unsigned char nonce[WEIR_NONCE_BYTES];

    if (connection == NULL || weir_secret_random(nonce, sizeof nonce) != 0) {
        free(connection);
        return NULL;
    }
    connection->listener = listener;
    connection->fd = -1;
    connection->since_ns = weir_clock_kernel_ns();
    set_deadline(connection, connection->since_ns, fabric->params.timeout_ns);
    weir_handshake_begin(&connection->handshake, &(struct weir_handshake_params){
                                                     .is_server = is_server,
                                                     .provider = fabric->provider->name,
                                                     .secret = fabric->secret,
                                                     .nonce = nonce,
                                                     .credits = fabric->params.message_credits,
                                                     .message_bytes = fabric->params.message_bytes,
                                                 });
    connection->next = listener->connections;
    if (connection->next != NULL)
        connection->next->previous = connection;
    listener->connections = connection;
    return connection;
}

void weir_connection_drop(struct weir_connection *connection)
{
    struct weir_listener *listener = connection->listener;

    if (connection->is_gone)
        return;
    connection->is_gone = true;
    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        listener->connections = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    if (connection->link != NULL)
        connection->link->connection = NULL;
    if (connection->fd >= 0) {
        if (connection->link != NULL)
            connection->link->socket = -1;
        weir_fabric_unwatch(listener->fabric, connection->fd);
        close(connection->fd);
    }
    if (connection->found != NULL)
        freeaddrinfo(connection->found);
    connection->next = listener->gone;
    listener->gone = connection;
    /* Many that come at once, as the ranks of a job do, prove themselves in no time: those behind
     * them do not wait until the oldest has had his. */
    if (listener->is_full)
        listener->open_ns = 0;
}

/* ---- failing ---- */

static bool is_server(const struct weir_connection *connection)
{
    return connection->handshake.is_server;
}

static void log_failure(struct weir_connection *connection, const char *reason)
{
    struct weir_listener *listener = connection->listener;

    if (is_server(connection)) {
        listener->counts.refused++;
        weir_refusals_tell(&listener->refusals, connection->name,
                           reason == NULL ? "is gone before it has said who it is" : reason);
    } else if (reason != NULL) {
        weir_log(WEIR_LOG_WARNING, "%s: %s", connection->name, reason);
    }
}

void weir_connection_fail(struct weir_connection *connection, int code, const char *reason)
{
    struct weir_link *link = connection->link;

    if (connection->is_gone)
        return;
    if (connection->handshake.state != WEIR_HANDSHAKE_REFUSED)
        log_failure(connection, reason);
    weir_connection_drop(connection);
    if (link != NULL)
        weir_link_lose(link, code);
}

/* ---- sending ---- */

void weir_connection_watch(struct weir_connection *connection)
{
    const struct weir_handshake *handshake = &connection->handshake;
    bool has_output = handshake->out_sent < handshake->out_bytes;
    int code =
        weir_fabric_watch_as(connection->listener->fabric, connection->fd, WEIR_WATCHED_CONNECTION,
                             connection, EPOLLIN | EPOLLRDHUP | (has_output ? EPOLLOUT : 0));

    if (code < 0)
        weir_connection_fail(connection, code, NULL);
}

/* Sends what it can. A full socket is watched until there is room. */
static void flush(struct weir_connection *connection)
{
    struct weir_handshake *handshake = &connection->handshake;
    bool was_full = handshake->out_sent > 0;

    while (!connection->is_gone && handshake->out_sent < handshake->out_bytes) {
        ssize_t sent =
            send(connection->fd, handshake->out + handshake->out_sent,
                 handshake->out_bytes - handshake->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EAGAIN) {
            weir_connection_watch(connection);
            return;
        }
        if (sent < 0 && errno != EINTR)
            weir_connection_fail(connection, -errno, NULL);
        handshake->out_sent += sent > 0 ? (size_t)sent : 0;
    }
    if (connection->is_gone)
        return;
    handshake->out_bytes = handshake->out_sent = 0;
    if (was_full)
        weir_connection_watch(connection);
}

/* ---- what follows from what was said ---- */

/* It is closed when the peer has read why, or after a while: closing it at once could take the
 * words back. */
static void refuse(struct weir_connection *connection)
{
    log_failure(connection, connection->handshake.reason);
    flush(connection);
    if (connection->is_gone)
        return;
    shutdown(connection->fd, SHUT_WR);
    set_deadline(connection, weir_clock_kernel_ns(), FAREWELL_NS);
}

/* The peer's endpoint is there: an incoming connection gets its link. */
static int open_link(struct weir_connection *connection, struct weir_endpoint_info *info)
{
    struct weir_fabric *fabric = connection->listener->fabric;
    const struct weir_handshake_endpoint *theirs = &connection->handshake.theirs;
    struct weir_link *link = NULL;
    int code;

    if (fabric->params.incoming_limit > 0 &&
        fabric->incoming_count >= fabric->params.incoming_limit)
        return -EUSERS;
    code = fabric->provider->link_open(fabric, &link, info);
    if (code < 0)
        return code;
    weir_fabric_add_link(fabric, link);
    link->is_incoming = true;
    fabric->incoming_count++;
    link->greeting_bytes = theirs->greeting_bytes;
    memcpy(link->greeting, theirs->greeting, sizeof link->greeting);
    memcpy(link->peer, connection->name, sizeof link->peer);
    connection->link = link;
    return 0;
}

static void join_link(struct weir_connection *connection)
{
    const struct weir_provider *provider = connection->listener->fabric->provider;
    struct weir_handshake *handshake = &connection->handshake;
    struct weir_endpoint_info info = {{0}};
    int code = is_server(connection) ? open_link(connection, &info) : 0;
    struct weir_link *link = connection->link;

    if (code == 0) {
        link->peer_credits = handshake->theirs.credits;
        link->peer_message_bytes = handshake->theirs.message_bytes;
        link->socket = connection->fd; /* a provider may ask the kernel whose it is */
        code = provider->link_join(link, &handshake->theirs.info);
    }
    if (code < 0) {
        weir_handshake_reject(handshake, code);
        /* A link that was never up is not told of. */
        if (is_server(connection) && link != NULL) {
            connection->link = NULL;
            link->socket = -1;
            weir_link_close(link);
        }
        return;
    }
    weir_handshake_accept(handshake, &info);
    if (!is_server(connection))
        return;
    /* The peer may send data from now on, before its READY is read. */
    link->connection = connection;
    connection->listener->counts.joined++;
    weir_fabric_join_link(link);
}

/* Both ends are connected: the socket is the link's. */
static void finish(struct weir_connection *connection)
{
    struct weir_fabric *fabric = connection->listener->fabric;
    uint32_t events = fabric->provider->socket_events;
    struct weir_link *link = connection->link;
    int code;

    /* All that was said before was answered, so these few bytes had room. */
    if (connection->handshake.out_bytes > 0) {
        weir_connection_fail(connection, -ENOBUFS, NULL);
        return;
    }
    if (!is_server(connection)) {
        connection->listener->counts.joined++;
        weir_fabric_join_link(link);
    }
    link->is_ready = true;
    /* Whoever waits to post hears that it can. */
    fabric->is_woken |= link->is_told;
    weir_listener_set_socket(link->socket, fabric->params.timeout_ns);
    weir_fabric_unwatch(fabric, link->socket);
    connection->fd = -1;
    weir_connection_drop(connection);
    code = events != 0 ? weir_fabric_watch(fabric, link->socket, link, events)
                       : weir_fabric_watch_as(fabric, link->socket, WEIR_WATCHED_LINK, link,
                                              EPOLLIN | EPOLLRDHUP);
    if (code < 0)
        weir_link_lose(link, code);
}

static void act(struct weir_connection *connection)
{
    struct weir_handshake *handshake = &connection->handshake;

    if (handshake->state == WEIR_HANDSHAKE_OFFERED)
        join_link(connection);
    if (handshake->state == WEIR_HANDSHAKE_REFUSED) {
        refuse(connection);
        return;
    }
    if (handshake->state == WEIR_HANDSHAKE_FAILED) {
        weir_connection_fail(connection, handshake->code, handshake->reason);
        return;
    }
    flush(connection);
    if (!connection->is_gone && handshake->state == WEIR_HANDSHAKE_DONE)
        finish(connection);
}

/* ---- receiving ---- */

void weir_connection_receive(struct weir_connection *connection)
{
    union weir_handshake_message bytes;
    size_t wanted;

    while (!connection->is_gone && (wanted = weir_handshake_wants(&connection->handshake)) > 0) {
        ssize_t got = recv(connection->fd, &bytes, wanted, MSG_DONTWAIT);

        if (got < 0 && errno == EAGAIN)
            return;
        if (got == 0 || (got < 0 && errno != EINTR)) {
            weir_connection_fail(connection, got < 0 ? -errno : -ECONNRESET,
                                 is_server(connection) ? "leaves in the middle of a sentence"
                                                       : NULL);
            return;
        }
        if (got < 0)
            continue;
        weir_handshake_take(&connection->handshake, &bytes, (size_t)got);
        act(connection);
    }
}

/* Throws away what comes. False: the socket has ended, *code says how. */
static bool discard(int fd, int *code)
{
    unsigned char nothing[256];
    unsigned reads = 0;
    ssize_t got;

    do {
        got = recv(fd, nothing, sizeof nothing, MSG_DONTWAIT);
    } while ((got > 0 && ++reads < READS_MAX) || (got < 0 && errno == EINTR));
    *code = got == 0 ? -ECONNRESET : got < 0 ? -errno : 0;
    return got > 0 || *code == -EAGAIN;
}

void weir_link_socket_woken(struct weir_link *link)
{
    int code;

    if (link->state != WEIR_LINK_UP || discard(link->socket, &code))
        return;
    weir_fabric_unwatch(link->fabric, link->socket);
    weir_link_lose(link, code);
}

/* ---- connecting ---- */

static int connect_place(struct weir_connection *connection, const struct addrinfo *place)
{
    int fd = socket(place->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    int code;

    if (fd < 0)
        return -errno;
    if (connect(fd, place->ai_addr, place->ai_addrlen) != 0 && errno != EINPROGRESS)
        code = -errno;
    else
        code = weir_fabric_watch_as(connection->listener->fabric, fd, WEIR_WATCHED_CONNECTION,
                                    connection, EPOLLOUT);
    if (code < 0) {
        close(fd);
        return code;
    }
    connection->fd = fd;
    connection->is_connecting = true;
    return 0;
}

/* Tries the next of its addresses. 0: under way; or -errno, when none is left. */
static int connect_next(struct weir_connection *connection)
{
    int code = -EADDRNOTAVAIL;

    if (connection->fd >= 0) {
        weir_fabric_unwatch(connection->listener->fabric, connection->fd);
        close(connection->fd);
    }
    connection->fd = -1;
    while (connection->next_place != NULL) {
        const struct addrinfo *place = connection->next_place;

        connection->next_place = place->ai_next;
        code = connect_place(connection, place);
        if (code == 0)
            return 0;
    }
    return code;
}

static void finish_connecting(struct weir_connection *connection)
{
    socklen_t bytes = sizeof(int);
    int code = 0;

    if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &code, &bytes) != 0)
        code = errno;
    if (code != 0) {
        code = connection->next_place == NULL ? -code : connect_next(connection);
        if (code < 0)
            weir_connection_fail(connection, code, NULL);
        return;
    }
    connection->is_connecting = false;
    weir_connection_watch(connection);
    flush(connection);
}

void weir_connection_woken(struct weir_connection *connection, uint32_t events)
{
    int code;

    if (connection->is_gone || connection->fd < 0 ||
        (connection->link != NULL && connection->link->state == WEIR_LINK_LOST))
        return;
    if (connection->is_connecting) {
        finish_connecting(connection);
        return;
    }
    if (events & EPOLLOUT)
        flush(connection);
    if (connection->is_gone)
        return;
    if (connection->handshake.state != WEIR_HANDSHAKE_REFUSED)
        weir_connection_receive(connection);
    else if (!discard(connection->fd, &code))
        weir_connection_drop(connection);
}

int weir_listener_connect(struct weir_listener *listener, struct weir_link *link,
                          const char *address, const struct weir_endpoint_info *info)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct weir_host_port parsed = {.host = ""};
    struct weir_connection *connection;
    struct weir_handshake_endpoint *ours;
    int code = weir_host_port_parse(address, &parsed);

    if (code < 0 || strcmp(parsed.port, "0") == 0)
        return -EINVAL;
    connection = weir_connection_add(listener, false);
    if (connection == NULL)
        return -ENOMEM;
    connection->link = link;
    link->connection = connection;
    snprintf(link->peer, sizeof link->peer, "%.127s", address);
    memcpy(connection->name, link->peer, sizeof connection->name);
    ours = &connection->handshake.ours;
    ours->info = *info;
    ours->greeting_bytes = htole32(link->greeting_bytes);
    memcpy(ours->greeting, link->greeting, sizeof ours->greeting);
    code = getaddrinfo(parsed.host, parsed.port, &hints, &connection->found);
    if (code != 0) {
        weir_connection_drop(connection);
        return code == EAI_MEMORY ? -ENOMEM : -EHOSTUNREACH;
    }
    connection->next_place = connection->found;
    code = connect_next(connection);
    if (code < 0)
        weir_connection_drop(connection);
    return code;
}
