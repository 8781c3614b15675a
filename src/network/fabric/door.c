/* SPDX-License-Identifier: Apache-2.0 */
/* The door: who comes in, and has proven the secret. Here is who stands there and for how long;
 * what is said is in caller.c. */
#include "caller.h"
#include "interface.h"
#include "refusals.h"
#include "secret.h"

#include "weir/base/clock.h"
#include "weir/base/log.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Connections that have not proven the secret, at once. When there are that many and more arrive,
 * the oldest of those that have sent nothing is closed after SILENT_NS, else the oldest of all
 * after HONEST_NS. An honest peer sends HELLO as soon as it is connected, before it is accepted
 * here. */
#define STRANGERS_MAX 256
#define SILENT_NS UINT64_C(100000000)
#define HONEST_NS UINT64_C(1000000000)

/* Without descriptors for more, accepting is tried again after a while. */
#define RETRY_NS UINT64_C(100000000)

#define BACKLOG 4096

struct weir_door {
    struct weir_fabric *fabric;
    int listener;                /* -1: nobody listens */
    bool is_shut;                /* for want of room or of descriptors */
    bool is_full;                /* of room: whoever makes some opens it before its time */
    uint64_t open_ns;            /* accept again */
    struct weir_caller *callers; /* the newest first */
    struct weir_caller *gone;    /* to be freed when no event can name them any more */
    unsigned arriving;           /* links that may carry data and are not told of */
    uint64_t deadline_ns;        /* no caller's comes before */
    struct weir_door_counts counts;
    struct weir_refusals refusals;
};

int weir_door_open(struct weir_fabric *fabric)
{
    struct weir_door *door = calloc(1, sizeof *door);

    if (door == NULL)
        return -ENOMEM;
    door->fabric = fabric;
    door->listener = -1;
    door->open_ns = UINT64_MAX;
    door->deadline_ns = UINT64_MAX;
    fabric->door = door;
    return 0;
}

struct weir_fabric *weir_caller_fabric(const struct weir_caller *caller)
{
    return caller->door->fabric;
}

struct weir_door_counts weir_door_counts(const struct weir_door *door)
{
    return door->counts;
}

/* ---- callers ---- */

static bool is_stranger(const struct weir_caller *caller)
{
    return caller->is_incoming && (caller->state == CALLER_HELLO || caller->state == CALLER_PROOF ||
                                   caller->state == CALLER_REFUSED ||
                                   (caller->state == CALLER_CARD && caller->link == NULL));
}

static struct weir_caller *add_caller(struct weir_door *door, bool is_incoming)
{
    struct weir_caller *caller = aligned_alloc(64, (sizeof *caller + 63) / 64 * 64);
    uint64_t now_ns = weir_clock_kernel_ns();
    uint64_t timeout_ns = door->fabric->params.timeout_ns;

    if (caller == NULL)
        return NULL;
    memset(caller, 0, sizeof *caller);
    caller->door = door;
    caller->fd = -1;
    caller->is_incoming = is_incoming;
    caller->state = is_incoming ? CALLER_HELLO : CALLER_CONNECTING;
    caller->kind = WEIR_DOOR_LINK;
    caller->since_ns = now_ns;
    caller->deadline_ns = timeout_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + timeout_ns;
    if (caller->deadline_ns < door->deadline_ns)
        door->deadline_ns = caller->deadline_ns;
    caller->next = door->callers;
    if (caller->next != NULL)
        caller->next->previous = caller;
    door->callers = caller;
    return caller;
}

/* Somebody is a stranger no more. Many that come at once, as the ranks of a job do, prove
 * themselves in no time: those behind them do not wait until the oldest has had his. */
static void make_known(struct weir_door *door)
{
    if (door->is_full)
        door->open_ns = 0;
}

void weir_caller_leave(struct weir_caller *caller)
{
    struct weir_door *door = caller->door;

    if (caller->state == CALLER_GONE)
        return;
    if (caller->previous != NULL)
        caller->previous->next = caller->next;
    else
        door->callers = caller->next;
    if (caller->next != NULL)
        caller->next->previous = caller->previous;
    if (caller->is_arriving)
        door->arriving--;
    if (caller->link != NULL && caller->link->caller == caller)
        caller->link->caller = NULL;
    if (caller->fd >= 0)
        weir_fabric_unwatch(door->fabric, caller->fd);
    /* The socket of a link that is up is the link's. */
    if (caller->fd >= 0 && caller->state != CALLER_UP)
        close(caller->fd);
    if (caller->found != NULL)
        freeaddrinfo(caller->found);
    caller->fd = -1;
    caller->found = NULL;
    caller->link = NULL;
    caller->state = CALLER_GONE;
    caller->next = door->gone;
    door->gone = caller;
    make_known(door);
}

void weir_door_sweep(struct weir_door *door)
{
    while (door->gone != NULL) {
        struct weir_caller *caller = door->gone;

        door->gone = caller->next;
        free(caller);
    }
}

void weir_door_forget(struct weir_link *link)
{
    struct weir_door *door = link->fabric->door;
    struct weir_caller *next;

    for (struct weir_caller *caller = door == NULL ? NULL : door->callers; caller != NULL;
         caller = next) {
        next = caller->next;
        if (caller->link != link)
            continue;
        weir_caller_leave(caller);
    }
}

void weir_door_close(struct weir_door *door)
{
    if (door == NULL)
        return;
    while (door->callers != NULL)
        weir_caller_leave(door->callers);
    weir_door_sweep(door);
    if (door->listener >= 0)
        close(door->listener);
    free(door);
}

/* ---- who is refused ---- */

static void tell_failed(struct weir_caller *caller, const char *reason)
{
    if (caller->is_incoming && caller->state != CALLER_UP) {
        caller->door->counts.refused++;
        weir_refusals_tell(&caller->door->refusals, caller->name,
                           reason == NULL ? "is gone before it has said who it is" : reason);
    } else if (!caller->is_incoming && reason != NULL) {
        weir_log(WEIR_LOG_WARNING, "%s: %s", caller->name, reason);
    }
}

void weir_caller_fail(struct weir_caller *caller, int code, const char *reason)
{
    struct weir_link *link = caller->link;

    if (caller->state == CALLER_GONE)
        return;
    if (caller->state != CALLER_REFUSED)
        tell_failed(caller, reason);
    weir_caller_leave(caller);
    if (link != NULL)
        weir_link_lose(link, code);
}

/* The socket is closed when the peer has read why, or after a while: closing it at once could take
 * the words back. */
void weir_caller_refuse(struct weir_caller *caller, int code, const char *reason)
{
    struct weir_link *link = caller->link;

    if (caller->state == CALLER_GONE)
        return;
    tell_failed(caller, reason);
    shutdown(caller->fd, SHUT_WR);
    caller->state = CALLER_REFUSED;
    caller->link = NULL;
    caller->deadline_ns = weir_clock_kernel_ns() + HONEST_NS;
    if (caller->deadline_ns < caller->door->deadline_ns)
        caller->door->deadline_ns = caller->deadline_ns;
    if (link != NULL) {
        link->caller = NULL;
        weir_link_lose(link, code);
    }
}

/* ---- links that are up ---- */

void weir_caller_expect(struct weir_caller *caller)
{
    if (!caller->is_arriving)
        caller->door->arriving++;
    caller->is_arriving = true;
    make_known(caller->door);
}

/* Dead peers are noticed within the timeout: where data wait to be accepted, and where nothing
 * flows. */
void weir_door_set_socket(int fd, uint64_t timeout_ns)
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

void weir_caller_arrive(struct weir_caller *caller)
{
    struct weir_fabric *fabric = caller->door->fabric;
    struct weir_link *link = caller->link;
    int failure = 0;

    caller->state = CALLER_UP;
    caller->deadline_ns = UINT64_MAX;
    link->state = WEIR_LINK_UP;
    link->socket = caller->fd;
    weir_door_set_socket(caller->fd, fabric->params.timeout_ns);
    caller->door->counts.joined++;
    if (!link->is_told)
        weir_caller_expect(caller);
    if (fabric->provider->link_up != NULL) {
        weir_fabric_unwatch(fabric, caller->fd);
        caller->fd = -1;
        failure = fabric->provider->link_up(link);
    } else if (caller->is_deaf) {
        failure = weir_fabric_watch_door(fabric, caller->fd, caller, EPOLLIN | EPOLLRDHUP);
    }
    if (failure)
        weir_link_lose(link, failure);
}

void weir_door_link_is_up(struct weir_link *link)
{
    struct weir_caller *caller = link->caller;

    if (caller == NULL || link->state == WEIR_LINK_LOST)
        return;
    caller->is_joined = true;
    weir_caller_proceed(caller);
}

unsigned weir_door_arriving(const struct weir_door *door)
{
    return door->arriving;
}

static void tell(struct weir_caller *caller, struct weir_event *event)
{
    *event = (struct weir_event){
        .kind = WEIR_EVENT_JOINED,
        .link = caller->link,
        .message = caller->is_incoming && caller->greeting_bytes > 0 ? caller->greeting : NULL,
        .bytes = caller->is_incoming ? caller->greeting_bytes : 0,
        .is_incoming = caller->is_incoming,
    };
    caller->link->is_told = true;
    if (caller->is_arriving)
        caller->door->arriving--;
    caller->is_arriving = false;
}

int weir_door_tell(struct weir_door *door, struct weir_event events[], unsigned max)
{
    struct weir_caller *next;
    unsigned count = 0;

    for (struct weir_caller *caller = door->callers; caller != NULL && count < max; caller = next) {
        next = caller->next;
        if (!caller->is_arriving || caller->state != CALLER_UP ||
            caller->link->state != WEIR_LINK_UP)
            continue;
        tell(caller, &events[count++]);
        if (caller->fd < 0)
            weir_caller_leave(caller);
    }
    return (int)count;
}

bool weir_door_tell_early(struct weir_link *link, struct weir_event *event)
{
    struct weir_caller *caller = link->caller;

    /* Its caller may be gone already. */
    if (link->state == WEIR_LINK_LOST)
        return false;
    /* On one host READY is there by now, and the provider may want the socket. */
    if (caller->state == CALLER_READY)
        weir_caller_woken(caller, EPOLLIN);
    if (link->state == WEIR_LINK_LOST)
        return false;
    link->state = WEIR_LINK_UP;
    tell(caller, event);
    if (caller->state == CALLER_UP && caller->fd < 0)
        weir_caller_leave(caller);
    return true;
}

/* ---- coming in ---- */

static void shut(struct weir_door *door, uint64_t open_ns)
{
    weir_fabric_unwatch(door->fabric, door->listener);
    door->is_shut = true;
    door->open_ns = open_ns;
    if (open_ns < door->deadline_ns)
        door->deadline_ns = open_ns;
}

static bool is_silent(const struct weir_caller *caller)
{
    return caller->state == CALLER_HELLO && caller->in_bytes == 0;
}

/* Makes room for one more unproven connection. False: all that there are may still have time. */
static bool make_room(struct weir_door *door)
{
    struct weir_caller *oldest = NULL, *silent = NULL, *next_out;
    uint64_t due_ns;
    unsigned strangers = 0;

    for (struct weir_caller *caller = door->callers; caller != NULL; caller = caller->next) {
        if (!is_stranger(caller))
            continue;
        strangers++;
        oldest = caller;
        silent = is_silent(caller) ? caller : silent;
    }
    if (strangers < STRANGERS_MAX)
        return true;
    due_ns = oldest->since_ns + HONEST_NS;
    next_out = oldest;
    if (silent != NULL && silent->since_ns + SILENT_NS < due_ns) {
        due_ns = silent->since_ns + SILENT_NS;
        next_out = silent;
    }
    if (weir_clock_kernel_ns() < due_ns) {
        shut(door, due_ns);
        door->is_full = true;
        return false;
    }
    weir_caller_fail(next_out, -ETIMEDOUT, "says nothing, and others wait");
    return true;
}

static void let_in(struct weir_door *door, int fd, const struct weir_place *place)
{
    struct weir_caller *caller = add_caller(door, true);

    if (caller == NULL) {
        close(fd);
        return;
    }
    caller->fd = fd;
    weir_place_format(place, caller->name);
    if (weir_fabric_watch_door(door->fabric, fd, caller, EPOLLIN | EPOLLRDHUP) != 0)
        weir_caller_leave(caller);
    else
        /* HELLO is there where the connection has waited: it counts as silent otherwise. */
        weir_caller_woken(caller, EPOLLIN);
}

static void accept_all(struct weir_door *door)
{
    while (make_room(door)) {
        struct weir_place place = {.bytes = sizeof place.v6};
        int fd = accept4(door->listener, &place.any, &place.bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            let_in(door, fd, &place);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            shut(door, weir_clock_kernel_ns() + RETRY_NS);
            return;
        } else if (errno == EAGAIN || errno == EBADF || errno == EINVAL) {
            return;
        }
    }
}

void weir_door_woken(struct weir_door *door, void *context, uint32_t events)
{
    if (context == door)
        accept_all(door);
    else
        weir_caller_woken(context, events);
}

static int refuse_place(const char *where, int code, struct weir_error *error)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, where, "nobody can listen there: %s",
                          strerror(-code));
}

int weir_door_listen(struct weir_door *door, const char *where, char address[WEIR_ADDRESS_BYTES],
                     struct weir_error *error)
{
    const struct weir_fabric *fabric = door->fabric;
    const char *asked = fabric->params.interface;
    const char *own = asked == NULL && fabric->interface[0] != '\0' ? fabric->interface : asked;
    struct weir_place place = {0};
    int failure = weir_interface_listen_at(where, own, &place, error);
    int one = 1;
    int fd;

    assert(door->listener < 0);
    if (failure)
        return failure;
    fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0)
        return refuse_place(where == NULL ? "door" : where, -errno, error);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, &place.any, place.bytes) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, &place.any, &place.bytes) != 0)
        failure = refuse_place(where == NULL ? "door" : where, -errno, error);
    if (!failure)
        failure = weir_fabric_watch_door(door->fabric, fd, door, EPOLLIN);
    if (!failure)
        failure = weir_interface_tell(asked, &place, address, error);
    if (failure) {
        close(fd);
        return failure;
    }
    door->listener = fd;
    return 0;
}

/* ---- calling ---- */

static int resolve(struct weir_caller *caller, const char *address)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct weir_host_port parsed = {.host = ""};
    int failure = weir_host_port_parse(address, &parsed);

    if (failure || strcmp(parsed.port, "0") == 0)
        return -EINVAL;
    failure = getaddrinfo(parsed.host, parsed.port, &hints, &caller->found);
    if (failure)
        return failure == EAI_MEMORY ? -ENOMEM : -EHOSTUNREACH;
    caller->next_place = caller->found;
    snprintf(caller->name, sizeof caller->name, "%.127s", address);
    return weir_caller_connect(caller);
}

static int begin_call(struct weir_caller *caller, const char *address)
{
    int failure = resolve(caller, address);

    if (failure)
        weir_caller_leave(caller);
    return failure;
}

int weir_door_call(struct weir_door *door, struct weir_link *link, const char *address,
                   const struct weir_card *card, const void *greeting, size_t greeting_bytes)
{
    struct weir_caller *caller = add_caller(door, false);

    if (caller == NULL)
        return -ENOMEM;
    caller->link = link;
    link->caller = caller;
    caller->card = *card;
    caller->greeting_bytes = (uint32_t)greeting_bytes;
    if (greeting_bytes > 0)
        memcpy(caller->greeting, greeting, greeting_bytes);
    snprintf(link->peer, sizeof link->peer, "%.127s", address);
    return begin_call(caller, address);
}

int weir_door_call_stream(struct weir_link *link, const struct weir_stream_name *name)
{
    struct weir_caller *caller = add_caller(link->fabric->door, false);

    if (caller == NULL)
        return -ENOMEM;
    caller->link = link;
    caller->kind = WEIR_DOOR_STREAM;
    caller->stream = *name;
    return begin_call(caller, link->peer);
}

/* ---- time ---- */

uint64_t weir_door_deadline(const struct weir_door *door)
{
    return door->is_shut && door->open_ns < door->deadline_ns ? door->open_ns : door->deadline_ns;
}

void weir_door_tick(struct weir_door *door, uint64_t now_ns)
{
    struct weir_caller *next;

    if (now_ns < weir_door_deadline(door))
        return;
    door->deadline_ns = UINT64_MAX;
    for (struct weir_caller *caller = door->callers; caller != NULL; caller = next) {
        next = caller->next;
        if (caller->deadline_ns <= now_ns)
            weir_caller_fail(caller, -ETIMEDOUT,
                             caller->is_incoming ? "says nothing for too long" : NULL);
        else if (caller->deadline_ns < door->deadline_ns)
            door->deadline_ns = caller->deadline_ns;
    }
    if (door->is_shut && now_ns >= door->open_ns) {
        door->is_shut = false;
        door->is_full = false;
        door->open_ns = UINT64_MAX;
        weir_fabric_watch_door(door->fabric, door->listener, door, EPOLLIN);
    }
}
