/* SPDX-License-Identifier: Apache-2.0 */
/* What has happened: the provider is asked, then the kernel, which may wait. */
#include "listener.h"

#include "weir/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Headers before those of Linux 5.11 do not define it; all machines but Alpha have this number. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* Since when nothing has happened. */
struct vigil {
    uint64_t start_ns, now_ns;
    bool is_over; /* it is time to sleep */
};

/* Epoll says so much at once. */
#define WOKEN_MAX 32

/* While there is something to do, and the provider sees it without the kernel, the kernel is asked
 * so often. */
#define ROUNDS_PER_LOOK 256
/* And where rounds are slow, so often. */
#define LOOK_NS UINT64_C(10000000)
/* So often the clock is read: that costs more than a look at a queue. */
#define ROUNDS_PER_CLOCK 16

/* Providers look at their own deadlines when poll wakes up, which it does so often. */
#define LONGEST_SLEEP_NS UINT64_C(500000000)

/* ---- the kernel ---- */

/* The lowest bits of a context, which are 0, say whose it is. */
#define WHO_MASK ((uintptr_t)7)

int weir_fabric_watch_as(struct weir_fabric *fabric, int fd, enum weir_watched who, void *context,
                         uint32_t events)
{
    struct epoll_event event = {.events = events};

    assert(((uintptr_t)context & WHO_MASK) == 0);
    event.data.u64 = (uintptr_t)context | who;
    if (epoll_ctl(fabric->epoll, EPOLL_CTL_ADD, fd, &event) == 0)
        return 0;
    if (errno == EEXIST && epoll_ctl(fabric->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
        return 0;
    return -errno;
}

int weir_fabric_watch(struct weir_fabric *fabric, int fd, void *context, uint32_t events)
{
    return weir_fabric_watch_as(fabric, fd, WEIR_WATCHED_PROVIDER, context, events);
}

void weir_fabric_unwatch(struct weir_fabric *fabric, int fd)
{
    epoll_ctl(fabric->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void weir_fabric_wake(struct weir_fabric *fabric)
{
    uint64_t one = 1;
    ssize_t written;

    do {
        written = write(fabric->wakeup, &one, sizeof one);
    } while (written < 0 && errno == EINTR);
}

static void dispatch(struct weir_fabric *fabric, const struct epoll_event *woken)
{
    uintptr_t who = woken->data.u64 & WHO_MASK;
    void *context = (void *)(uintptr_t)(woken->data.u64 - who);
    uint64_t count;

    if (who == WEIR_WATCHED_PROVIDER)
        fabric->provider->woken(fabric, context, woken->events);
    else if (who == WEIR_WATCHED_CONNECTION)
        weir_listener_woken(fabric->listener, context, woken->events);
    else if (who == WEIR_WATCHED_LINK)
        weir_link_socket_woken(context);
    else
        fabric->is_woken = read(fabric->wakeup, &count, sizeof count) > 0;
}

/* Sleeps until epoll has something to say, for `timeout_ns` at most. How much it said, or -errno.
 */
static int wait_kernel(struct weir_fabric *fabric, uint64_t timeout_ns)
{
    struct epoll_event woken[WOKEN_MAX];
    struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
    int count;

    /* glibc declares epoll_pwait2() since 2.35. Linux before 5.11 fails it with ENOSYS, old
     * container runtimes with EPERM; epoll_wait, in milliseconds, is the fallback. */
    if (timeout_ns == 0)
        count = epoll_wait(fabric->epoll, woken, WOKEN_MAX, 0);
    else
        count = (int)syscall(SYS_epoll_pwait2, fabric->epoll, woken, WOKEN_MAX, &timeout, NULL, 0);
    if (count < 0 && (errno == ENOSYS || errno == EPERM))
        count = epoll_wait(fabric->epoll, woken, WOKEN_MAX, (int)(timeout_ns / 1000000) + 1);
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++)
        dispatch(fabric, &woken[i]);
    return count;
}

/* ---- events ---- */

/* Links that are up now, before anything that came over them. */
static unsigned tell_joined(struct weir_fabric *fabric, struct weir_event events[], unsigned max)
{
    unsigned count = 0;

    while (fabric->joined_first != NULL && count < max) {
        struct weir_link *link = fabric->joined_first;
        bool has_greeting = link->is_incoming && link->greeting_bytes > 0;

        fabric->joined_first = link->next_joined;
        if (link->state == WEIR_LINK_LOST)
            continue;
        link->is_told = true;
        events[count++] = (struct weir_event){
            .kind = WEIR_EVENT_JOINED,
            .link = link,
            .message = has_greeting ? link->greeting : NULL,
            .bytes = has_greeting ? link->greeting_bytes : 0,
            .is_incoming = link->is_incoming,
        };
    }
    return count;
}

static void note(struct weir_event events[], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        events[i].link->outstanding -= events[i].kind == WEIR_EVENT_DONE;
        /* A peer that sends is connected, though its READY is still to be read. */
        events[i].link->is_ready |= events[i].kind == WEIR_EVENT_MESSAGE;
    }
}

/* Of links that are lost: their work requests, then that they have left. */
static unsigned tell_leaving(struct weir_fabric *fabric, struct weir_event events[], unsigned max)
{
    unsigned count = 0;

    while (fabric->leaving != NULL && count < max) {
        struct weir_link *link = fabric->leaving;
        unsigned drained = 0;

        if (link->is_incoming && !link->is_told) {
            weir_link_close(link);
            continue;
        }
        if (link->is_told)
            drained = (unsigned)fabric->provider->drain(link, events + count, max - count);
        note(events + count, drained);
        count += drained;
        if (drained > 0)
            continue;
        assert(link->outstanding == 0);
        weir_listener_forget(link);
        weir_link_take_out(link);
        weir_link_put(&fabric->links, link);
        link->has_left = true;
        events[count++] =
            (struct weir_event){.kind = WEIR_EVENT_LEFT, .link = link, .result = link->lost_code};
    }
    return count;
}

/* One look at everything but the kernel: how many events, or -errno. `sleeps`: as of progress. */
static int look(struct weir_fabric *fabric, struct weir_event events[], unsigned max, bool *sleeps)
{
    unsigned count = fabric->joined_first != NULL ? tell_joined(fabric, events, max) : 0;
    int found = 0;

    /* Links may be up that are not told of yet: nothing of them may be told before. */
    if (count < max)
        found = fabric->provider->progress(fabric, events + count, max - count, sleeps);
    if (found < 0)
        return found;
    note(events + count, (unsigned)found);
    count += (unsigned)found;
    if (count < max && fabric->leaving != NULL)
        count += tell_leaving(fabric, events + count, max - count);
    return (int)count;
}

static uint64_t after(uint64_t now_ns, uint64_t more_ns)
{
    return more_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + more_ns;
}

static int sleep_until(struct weir_fabric *fabric, uint64_t now_ns, uint64_t end_ns)
{
    uint64_t deadline_ns = weir_listener_deadline(fabric->listener);

    if (deadline_ns < end_ns)
        end_ns = deadline_ns;
    if (after(now_ns, LONGEST_SLEEP_NS) < end_ns)
        end_ns = after(now_ns, LONGEST_SLEEP_NS);
    return wait_kernel(fabric, end_ns > now_ns ? end_ns - now_ns : 0);
}

/* Whether it is time to ask the kernel, whatever else happens: by rounds where they are many, by
 * the clock where they are few. */
static bool is_kernels_turn(struct weir_fabric *fabric, bool asks_clock)
{
    struct timespec now;
    uint64_t now_ns;

    if (++fabric->rounds % ROUNDS_PER_LOOK == 0)
        return true;
    if (!asks_clock)
        return false;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (now_ns - fabric->looked_ns < LOOK_NS)
        return false;
    fabric->looked_ns = now_ns;
    return true;
}

/* Nothing has happened in this round: the kernel is asked if `looks`. How much it said, or -errno:
 * -EINTR after a signal. */
static int idle(struct weir_fabric *fabric, unsigned round, bool looks, uint64_t timeout_ns,
                struct vigil *vigil)
{
    int heard = looks ? wait_kernel(fabric, 0) : 0;

    if (round % ROUNDS_PER_CLOCK != 0 && !looks)
        return heard;
    vigil->now_ns = weir_clock_kernel_ns();
    if (round == 0)
        vigil->start_ns = vigil->now_ns;
    weir_listener_tick(fabric->listener, vigil->now_ns);
    /* The peer may wait for this very processor. */
    if (timeout_ns > 0 && round % ROUNDS_PER_CLOCK == ROUNDS_PER_CLOCK - 1)
        sched_yield();
    vigil->is_over = vigil->now_ns - vigil->start_ns >= fabric->params.spin_ns &&
                     vigil->now_ns - vigil->start_ns < timeout_ns;
    return heard;
}

int weir_fabric_poll(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                     uint64_t timeout_ns)
{
    struct vigil vigil = {0};

    assert(max > 0);
    for (unsigned round = 0;; round++) {
        int heard, count;
        bool looks, sleeps;

        weir_listener_sweep(fabric->listener);
        count = look(fabric, events, max, NULL);
        if (count != 0) {
            /* Others are not to starve while one link is busy. */
            if (is_kernels_turn(fabric, fabric->rounds % ROUNDS_PER_CLOCK == 0)) {
                wait_kernel(fabric, 0);
                weir_listener_tick(fabric->listener, weir_clock_kernel_ns());
            }
            return count;
        }
        looks = fabric->provider->is_driven_by_kernel || is_kernels_turn(fabric, round == 0);
        /* Who asks again and again without waiting pays for no more than it needs. */
        if (timeout_ns == 0 && !looks)
            return 0;
        vigil.is_over = false;
        heard = idle(fabric, round, looks, timeout_ns, &vigil);
        /* What was heard, and links that were lost by it or by the tick, are to be told before
         * anybody sleeps: nothing else would wake this poll. */
        if (heard == 0 && vigil.is_over) {
            count = look(fabric, events, max, &sleeps);
            if (count != 0)
                return count;
            if (sleeps)
                heard = sleep_until(fabric, vigil.now_ns, after(vigil.start_ns, timeout_ns));
        }
        if (heard < 0 && heard != -EINTR)
            return heard;
        if (heard == -EINTR || fabric->is_woken || vigil.now_ns - vigil.start_ns >= timeout_ns) {
            fabric->is_woken = false;
            return look(fabric, events, max, NULL);
        }
    }
}
