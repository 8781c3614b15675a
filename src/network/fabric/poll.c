/* SPDX-License-Identifier: Apache-2.0 */
/* What has happened: the provider is asked, then the door, then the kernel, which may wait. */
#include "door.h"

#include "weir/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

/* Since when nothing has happened. */
struct vigil {
    uint64_t start_ns, now_ns;
};

/* Epoll says so much at once. */
#define WOKEN_MAX 32

/* While there is something to do, and the provider sees it without the kernel, so often is looked
 * at the door. */
#define ROUNDS_PER_LOOK 256
/* And where rounds are slow, so often. */
#define LOOK_NS UINT64_C(10000000)
/* So often the clock is read: that costs more than a look at a queue. */
#define ROUNDS_PER_CLOCK 16

/* Providers look at their own deadlines when poll wakes up, which it does so often. */
#define LONGEST_SLEEP_NS UINT64_C(500000000)

/* ---- the kernel ---- */

static int watch(struct weir_fabric *fabric, int fd, void *data, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = data};

    if (epoll_ctl(fabric->epoll, EPOLL_CTL_ADD, fd, &event) == 0)
        return 0;
    if (errno == EEXIST && epoll_ctl(fabric->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
        return 0;
    return -errno;
}

int weir_fabric_watch(struct weir_fabric *fabric, int fd, void *context, uint32_t events)
{
    assert(((uintptr_t)context & 1) == 0);
    return watch(fabric, fd, context, events);
}

/* Its lowest bit tells whose a context is. */
int weir_fabric_watch_door(struct weir_fabric *fabric, int fd, void *context, uint32_t events)
{
    return watch(fabric, fd, (unsigned char *)context + 1, events);
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
    uintptr_t context = (uintptr_t)woken->data.ptr;
    uint64_t count;

    if ((context & 1) == 0) {
        fabric->provider->woken(fabric, woken->data.ptr, woken->events);
    } else if (context - 1 == (uintptr_t)fabric) {
        fabric->is_woken = read(fabric->wakeup, &count, sizeof count) > 0;
    } else {
        weir_door_woken(fabric->door, (unsigned char *)woken->data.ptr - 1, woken->events);
    }
}

/* Sleeps until epoll has something to say, for `timeout_ns` at most. How much it said, or -errno.
 */
static int wait_kernel(struct weir_fabric *fabric, uint64_t timeout_ns)
{
    struct epoll_event woken[WOKEN_MAX];
    struct timespec timeout = {(time_t)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
    int count = timeout_ns == 0 ? epoll_wait(fabric->epoll, woken, WOKEN_MAX, 0)
                                : epoll_pwait2(fabric->epoll, woken, WOKEN_MAX, &timeout, NULL);

    if (count < 0 && errno == ENOSYS)
        count = epoll_wait(fabric->epoll, woken, WOKEN_MAX, (int)(timeout_ns / 1000000) + 1);
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++)
        dispatch(fabric, &woken[i]);
    return count;
}

/* A message that comes before the READY of its link says the same: JOINED goes in before it. */
static unsigned tell_joined_first(struct weir_fabric *fabric, struct weir_event events[],
                                  unsigned count, unsigned max)
{
    struct weir_event joined;

    for (unsigned i = 0; i < count; i++) {
        if (events[i].link->is_told)
            continue;
        if (!weir_door_tell_early(events[i].link, &joined)) {
            memmove(&events[i], &events[i + 1], (count - i - 1) * sizeof *events);
            count--;
            i--;
        } else if (count == max) {
            /* There was room for one only. */
            fabric->held = events[i];
            fabric->has_held = true;
            events[i] = joined;
        } else {
            memmove(&events[i + 1], &events[i], (count - i) * sizeof *events);
            events[i++] = joined;
            count++;
        }
    }
    return count;
}

static void land(struct weir_event events[], unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        events[i].link->flying -= events[i].kind == WEIR_EVENT_DONE;
}

/* How many, or -errno. */
static int collect(struct weir_fabric *fabric, struct weir_event events[], unsigned max)
{
    bool may_be_early = weir_door_arriving(fabric->door) > 0;
    unsigned count = 0;
    int got;

    if (fabric->has_held) {
        fabric->has_held = false;
        events[0] = fabric->held;
        return 1;
    }
    got = fabric->provider->progress(fabric, events, may_be_early ? (max + 1) / 2 : max);
    if (got < 0)
        return got;
    count = (unsigned)got;
    land(events, count);
    if (may_be_early && count > 0)
        count = tell_joined_first(fabric, events, count, max);
    return (int)count;
}

/* Of links that are lost: their wires, then that they have left. */
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
        land(events + count, drained);
        count += drained;
        if (drained > 0)
            continue;
        assert(link->flying == 0);
        weir_door_forget(link);
        weir_link_take_out(link);
        weir_link_put(&fabric->links, link);
        link->has_left = true;
        events[count++] =
            (struct weir_event){.kind = WEIR_EVENT_LEFT, .link = link, .result = link->lost_code};
    }
    return count;
}

/* One look at everything but the kernel. */
static int look(struct weir_fabric *fabric, struct weir_event events[], unsigned max)
{
    int count = collect(fabric, events, max);

    if (count < 0)
        return count;
    if ((unsigned)count < max && weir_door_arriving(fabric->door) > 0)
        count += weir_door_tell(fabric->door, events + count, max - (unsigned)count);
    if ((unsigned)count < max && fabric->leaving != NULL)
        count += (int)tell_leaving(fabric, events + count, max - (unsigned)count);
    return count;
}

static uint64_t after(uint64_t now_ns, uint64_t more_ns)
{
    return more_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + more_ns;
}

static int sleep_until(struct weir_fabric *fabric, uint64_t now_ns, uint64_t end_ns)
{
    uint64_t deadline_ns = weir_door_deadline(fabric->door);

    if (fabric->provider->arm(fabric))
        return 0;
    if (deadline_ns < end_ns)
        end_ns = deadline_ns;
    if (after(now_ns, LONGEST_SLEEP_NS) < end_ns)
        end_ns = after(now_ns, LONGEST_SLEEP_NS);
    return wait_kernel(fabric, end_ns > now_ns ? end_ns - now_ns : 0);
}

/* Whether it is time to look at the door, whatever else happens: by rounds where they are many, by
 * the clock where they are few. */
static bool is_doors_turn(struct weir_fabric *fabric, bool asks_clock)
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

/* Nothing has happened in this round: the kernel is asked if `looks`, or waited for. How much it
 * said, or -errno: -EINTR after a signal. */
static int idle(struct weir_fabric *fabric, unsigned round, bool looks, uint64_t timeout_ns,
                struct vigil *vigil)
{
    int heard = looks ? wait_kernel(fabric, 0) : 0;

    if (round % ROUNDS_PER_CLOCK != 0 && !looks)
        return heard;
    vigil->now_ns = weir_clock_kernel_ns();
    if (round == 0)
        vigil->start_ns = vigil->now_ns;
    weir_door_tick(fabric->door, vigil->now_ns);
    /* The peer may wait for this very processor. */
    if (timeout_ns > 0 && round % ROUNDS_PER_CLOCK == ROUNDS_PER_CLOCK - 1)
        sched_yield();
    /* What was heard, and links that were lost by it or by the tick, are to be told before anybody
     * sleeps: nothing else would wake this poll. */
    if (heard == 0 && fabric->leaving == NULL &&
        vigil->now_ns - vigil->start_ns >= fabric->params.spin_ns &&
        vigil->now_ns - vigil->start_ns < timeout_ns)
        heard = sleep_until(fabric, vigil->now_ns, after(vigil->start_ns, timeout_ns));
    return heard;
}

int weir_fabric_poll(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                     uint64_t timeout_ns)
{
    struct vigil vigil = {0};

    assert(max > 0);
    for (unsigned round = 0;; round++) {
        int heard, count;
        bool looks;

        weir_door_sweep(fabric->door);
        count = look(fabric, events, max);
        if (count != 0) {
            /* Others are not to starve while one link is busy. */
            if (is_doors_turn(fabric, fabric->rounds % ROUNDS_PER_CLOCK == 0)) {
                wait_kernel(fabric, 0);
                weir_door_tick(fabric->door, weir_clock_kernel_ns());
            }
            return count;
        }
        looks = fabric->provider->is_driven_by_kernel || is_doors_turn(fabric, round == 0);
        /* Who asks again and again without waiting pays for no more than it needs. */
        if (timeout_ns == 0 && !looks)
            return 0;
        heard = idle(fabric, round, looks, timeout_ns, &vigil);
        if (heard < 0 && heard != -EINTR)
            return heard;
        if (heard == -EINTR || fabric->is_woken || vigil.now_ns - vigil.start_ns >= timeout_ns) {
            fabric->is_woken = false;
            return look(fabric, events, max);
        }
    }
}
