/* SPDX-License-Identifier: Apache-2.0 */
/* Which connections there are, who may stay for how long, and where new ones are accepted. */
#include "connection.h"
#include "interface.h"

#include "weir/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Connections that have not proven the secret, at once. When there are that many and more arrive,
 * the oldest of those that have sent nothing is closed after SILENT_NS, else the oldest of all
 * after HONEST_NS. An honest peer sends HELLO as soon as it is connected, before it is accepted
 * here. */
#define UNPROVEN_MAX 256
#define SILENT_NS UINT64_C(100000000)
#define HONEST_NS UINT64_C(1000000000)

/* Without descriptors for more, accepting is tried again after a while. */
#define RETRY_NS UINT64_C(100000000)

#define BACKLOG 4096

/* The kernel keeps connections to itself that have not sent anything, for about so long: where
 * thousands are silent, those that speak are not behind them in the queue, and their HELLO is not
 * lost with a queue that is full. */
#define DEFER_S 1

int weir_listener_open(struct weir_fabric *fabric)
{
    struct weir_listener *listener = calloc(1, sizeof *listener);

    if (listener == NULL)
        return -ENOMEM;
    listener->fabric = fabric;
    listener->fd = -1;
    listener->open_ns = UINT64_MAX;
    listener->deadline_ns = UINT64_MAX;
    fabric->listener = listener;
    return 0;
}

struct weir_handshake_counts weir_listener_counts(const struct weir_listener *listener)
{
    return listener->counts;
}

void weir_listener_sweep(struct weir_listener *listener)
{
    while (listener->gone != NULL) {
        struct weir_connection *connection = listener->gone;

        listener->gone = connection->next;
        free(connection);
    }
}

void weir_listener_forget(struct weir_link *link)
{
    if (link->connection != NULL)
        weir_connection_drop(link->connection);
}

void weir_listener_close(struct weir_listener *listener)
{
    if (listener == NULL)
        return;
    while (listener->connections != NULL)
        weir_connection_drop(listener->connections);
    weir_listener_sweep(listener);
    if (listener->fd >= 0)
        close(listener->fd);
    free(listener);
}

/* ---- accepting ---- */

static void shut(struct weir_listener *listener, uint64_t open_ns)
{
    weir_fabric_unwatch(listener->fabric, listener->fd);
    listener->open_ns = open_ns;
}

static bool is_silent(const struct weir_connection *connection)
{
    return connection->handshake.state == WEIR_EXPECT_HELLO && connection->handshake.in_bytes == 0;
}

/* Makes room for one more unproven connection. False: all that there are may still have time. */
static bool make_room(struct weir_listener *listener)
{
    struct weir_connection *oldest = NULL, *silent = NULL, *next_out;
    uint64_t due_ns;
    unsigned unproven = 0;

    for (struct weir_connection *connection = listener->connections; connection != NULL;
         connection = connection->next) {
        if (!weir_handshake_is_unproven(&connection->handshake))
            continue;
        unproven++;
        oldest = connection;
        silent = is_silent(connection) ? connection : silent;
    }
    if (unproven < UNPROVEN_MAX)
        return true;
    due_ns = oldest->since_ns + HONEST_NS;
    next_out = oldest;
    if (silent != NULL && silent->since_ns + SILENT_NS < due_ns) {
        due_ns = silent->since_ns + SILENT_NS;
        next_out = silent;
    }
    if (weir_clock_kernel_ns() < due_ns) {
        shut(listener, due_ns);
        listener->is_full = true;
        return false;
    }
    weir_connection_fail(next_out, -ETIMEDOUT, "says nothing, and others wait");
    return true;
}

static void let_in(struct weir_listener *listener, int fd, const struct weir_place *place)
{
    struct weir_connection *connection = weir_connection_add(listener, true);

    if (connection == NULL) {
        close(fd);
        return;
    }
    connection->fd = fd;
    weir_place_format(place, connection->name);
    weir_connection_watch(connection);
    /* HELLO is there where the connection has waited: it counts as silent otherwise. */
    if (!connection->is_gone)
        weir_connection_receive(connection);
}

static void accept_all(struct weir_listener *listener)
{
    while (make_room(listener)) {
        struct weir_place place = {.bytes = sizeof place.v6};
        int fd = accept4(listener->fd, &place.any, &place.bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            let_in(listener, fd, &place);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            shut(listener, weir_clock_kernel_ns() + RETRY_NS);
            return;
        } else if (errno == EAGAIN || errno == EBADF || errno == EINVAL) {
            return;
        }
    }
}

static int refuse_place(const char *where, int code, struct weir_error *error)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, where == NULL ? "listener" : where,
                          "nobody can listen there: %s", strerror(-code));
}

int weir_listener_listen(struct weir_listener *listener, const char *where,
                         char address[WEIR_ADDRESS_BYTES], struct weir_error *error)
{
    const struct weir_fabric *fabric = listener->fabric;
    const char *asked = fabric->params.interface;
    const char *own = asked == NULL && fabric->interface[0] != '\0' ? fabric->interface : asked;
    struct weir_place place = {0};
    int code = weir_interface_listen_at(where, own, &place, error);
    int one = 1, seconds = DEFER_S;
    int fd;

    assert(listener->fd < 0);
    if (code < 0)
        return code;
    fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0)
        return refuse_place(where, -errno, error);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
    if (bind(fd, &place.any, place.bytes) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, &place.any, &place.bytes) != 0)
        code = refuse_place(where, -errno, error);
    if (code == 0)
        code = weir_fabric_watch_as(listener->fabric, fd, WEIR_WATCHED_CONNECTION, NULL, EPOLLIN);
    if (code == 0)
        code = weir_interface_tell(asked, &place, address, error);
    if (code < 0) {
        close(fd);
        return code;
    }
    listener->fd = fd;
    return 0;
}

void weir_listener_woken(struct weir_listener *listener, struct weir_connection *connection,
                         uint32_t events)
{
    bool was_unproven;

    if (connection == NULL) {
        accept_all(listener);
        return;
    }
    was_unproven = weir_handshake_is_unproven(&connection->handshake);
    weir_connection_woken(connection, events);
    if (listener->is_full && was_unproven && !weir_handshake_is_unproven(&connection->handshake))
        listener->open_ns = 0;
}

/* ---- time ---- */

uint64_t weir_listener_deadline(const struct weir_listener *listener)
{
    return listener->open_ns < listener->deadline_ns ? listener->open_ns : listener->deadline_ns;
}

void weir_listener_tick(struct weir_listener *listener, uint64_t now_ns)
{
    struct weir_connection *next;

    if (now_ns < weir_listener_deadline(listener))
        return;
    listener->deadline_ns = UINT64_MAX;
    for (struct weir_connection *connection = listener->connections; connection != NULL;
         connection = next) {
        next = connection->next;
        if (connection->deadline_ns <= now_ns)
            weir_connection_fail(connection, -ETIMEDOUT,
                                 connection->handshake.is_server ? "says nothing for too long"
                                                                 : NULL);
        else if (connection->deadline_ns < listener->deadline_ns)
            listener->deadline_ns = connection->deadline_ns;
    }
    if (now_ns >= listener->open_ns) {
        listener->is_full = false;
        listener->open_ns = UINT64_MAX;
        weir_fabric_watch_as(listener->fabric, listener->fd, WEIR_WATCHED_CONNECTION, NULL,
                             EPOLLIN);
    }
}

/* Dead peers are noticed within the timeout: where data wait to be accepted, and where nothing
 * flows. */
void weir_listener_set_socket(int fd, uint64_t timeout_ns)
{
    uint64_t ms = timeout_ns / 1000000;
    int limit_ms = ms > INT32_MAX ? INT32_MAX : ms < 1 ? 1 : (int)ms;
    int idle_s = limit_ms / 2000 > 1 ? limit_ms / 2000 : 1;
    int interval_s = limit_ms / 6000 > 1 ? limit_ms / 6000 : 1;
    int one = 1, probes = 3;

    idle_s = idle_s > 32767 ? 32767 : idle_s;
    interval_s = interval_s > 32767 ? 32767 : interval_s;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof limit_ms);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}
