/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that measures latency: one message at a time, there and back. What is written is seen by
 * its last byte, without any help of the network. */
#include "run.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

enum { EVENTS_MAX = 16 };

/* So many looks at what is to come are one stretch of the game. Whatever else there is to do is
 * done between stretches: nobody waits for it. */
enum { LOOKS = 64 };

/* Values of the last byte go round: 0 is what nobody sends. */
enum { VALUES = 127 };

/* After so many in vain (some 50 us), somebody else may have this processor: whoever is waited for,
 * perhaps. Where nobody wants it that costs nothing. */
enum { LOOKS_AT_MEMORY_MOST = 8192, LOOKS_AT_NETWORK_MOST = 128 };

#define TIMEOUT_NS 1000000

static volatile unsigned char *last_byte(const struct net_run *run, const struct net_endpoint *end,
                                         uint64_t slot)
{
    return run->transport->memory + end->transfer.offset + slot * end->transfer.stride +
           end->transfer.bytes - 1;
}

static bool is_written(const struct net_run *run)
{
    return run->plan->verb == WEIR_NET_WRITE;
}

/* What is read comes back to who waits for it, and to nobody else; several flows of one rank are
 * not to wait for each other. */
static bool is_fetched(const struct net_run *run)
{
    return run->plan->verb == WEIR_NET_READ && run->transport->ops->post_and_wait != NULL &&
           run->endpoint_count == 1;
}

static struct net_piece ball_of(const struct net_run *run, const struct net_endpoint *end)
{
    return (struct net_piece){.offset =
                                  end->transfer.offset +
                                  (run->plan->verb == WEIR_NET_READ ? 0 : end->transfer.stride),
                              .remote_offset = end->remote_offset};
}

static void fail_to_post(struct net_run *run, struct net_endpoint *end, int code)
{
    net_endpoint_fail(run, end, "messages to rank %u cannot be handed over: %s", end->peer,
                      strerror(-code));
}

/* Sends the ping or the pong; there is room for it but for a moment. */
static void post(struct net_run *run, struct net_endpoint *end)
{
    const struct net_piece ball = ball_of(run, end);
    int taken = run->transport->ops->post(end->link, &end->transfer, &ball, 1);

    end->must_post = taken == 0;
    if (taken < 0)
        fail_to_post(run, end, taken);
}

static unsigned char next_value(unsigned char value)
{
    return (unsigned char)(value % VALUES + 1);
}

/* The opener begins a trip. */
static void serve_ball(struct net_run *run, struct net_endpoint *end, uint64_t now_ns)
{
    end->round_trip_ns = now_ns;
    net_tally_post(&end->tally, now_ns, 1);
    if (is_written(run)) {
        end->awaited = next_value(end->awaited);
        *last_byte(run, end, 1) = end->awaited;
    }
    if (is_fetched(run))
        end->must_post = true;
    else
        post(run, end);
}

/* The opener has received the ball, and sends the next one before it counts: counting is no part of
 * a trip. The end of a duration is found while one more is in the air, which counts as well; the
 * end of the warm-up too, and counting begins when that one is back. */
static void count_trip(struct net_run *run, struct net_endpoint *end)
{
    uint64_t now_ns = weir_clock_ns(run->clock);
    uint64_t round_trip_ns = now_ns - end->round_trip_ns;
    bool goes_on = end->tally.posted < end->tally.post_limit;

    if (goes_on)
        serve_ball(run, end, now_ns);
    end->heard_ns = now_ns;
    if (end->tally.state == NET_TALLY_COUNTING)
        weir_histogram_add(end->latency,
                           run->plan->verb == WEIR_NET_READ ? round_trip_ns : round_trip_ns / 2);
    net_tally_add(&end->tally, now_ns, 1, true);
    if (end->tally.state == NET_TALLY_READY)
        serve_ball(run, end, weir_clock_ns(run->clock));
    else if (!goes_on)
        net_endpoint_finish(run, end);
}

/* What was written has come. */
static void catch_ball(struct net_run *run, struct net_endpoint *end)
{
    if (end->is_opener) {
        count_trip(run, end);
        return;
    }
    *last_byte(run, end, 1) = end->awaited;
    end->awaited = next_value(end->awaited);
    post(run, end);
}

/* A trip from its beginning to its end, unless that takes longer than others do: then the network
 * tells of it. What is counted between trips is in none of them. Returns true if it came back. */
static bool fetch(struct net_run *run, struct net_endpoint *end)
{
    const struct net_piece ball = ball_of(run, end);
    int code;

    end->round_trip_ns = weir_clock_ns(run->clock);
    code = run->transport->ops->post_and_wait(end->link, &end->transfer, &ball);
    end->must_post = code == 0;
    if (code == 1)
        count_trip(run, end);
    else if (code < 0 && code != -EINPROGRESS)
        fail_to_post(run, end, code);
    return code == 1;
}

/* Returns true if what is written has come. */
static bool try_to_catch(struct net_run *run, struct net_endpoint *end)
{
    if (*last_byte(run, end, 0) != end->awaited)
        return false;
    /* What was read after the last byte is not older than it. */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    catch_ball(run, end);
    return true;
}

/* Returns true if anything had come. */
static bool watch(struct net_run *run)
{
    bool has_come = false;

    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];

        if (end->state != NET_ENDPOINT_RUNNING || end->link == NULL)
            continue;
        if (end->must_post && is_fetched(run))
            has_come |= fetch(run, end);
        else if (end->must_post)
            post(run, end);
        if (is_written(run) && !end->must_post)
            has_come |= try_to_catch(run, end);
    }
    return has_come;
}

static void hear(struct net_run *run, const struct net_trial *trial, const struct net_event *event)
{
    struct net_endpoint *end = event->kind == NET_EVENT_NONE ? NULL : event->link->end;

    if (event->kind == NET_EVENT_DONE) {
        if (end == NULL || end->state == NET_ENDPOINT_OVER)
            return;
        if (event->code < 0)
            net_endpoint_fail(run, end, "a %s with rank %u failed: %s",
                              weir_net_verb_name(run->plan->verb), end->peer,
                              strerror(-event->code));
        else if (run->plan->verb == WEIR_NET_READ && end->state == NET_ENDPOINT_RUNNING)
            count_trip(run, end);
        return;
    }
    if (event->kind != NET_EVENT_RECEIVED || end == NULL || end->state != NET_ENDPOINT_RUNNING) {
        net_endpoint_hear(run, trial, event);
        return;
    }
    run->transport->ops->release(event->link, event->data);
    end->received++;
    if (end->is_opener)
        count_trip(run, end);
    else
        post(run, end);
}

/* How many events there were, or -errno of a transport that is broken. */
static int look(struct net_run *run, const struct net_trial *trial, uint64_t timeout_ns)
{
    struct net_event events[EVENTS_MAX];
    int count = net_endpoints_poll(run, trial, events, EVENTS_MAX, timeout_ns);

    for (int i = 0; i < count; i++)
        hear(run, trial, &events[i]);
    return count;
}

/* Whether a ball is on its way to this rank, so that it must not sleep. */
static bool is_playing(const struct net_run *run)
{
    for (uint32_t i = 0; i < run->endpoint_count; i++)
        if (run->endpoints[i].state == NET_ENDPOINT_RUNNING &&
            (run->endpoints[i].is_opener || run->plan->verb != WEIR_NET_READ ||
             !run->transport->is_one_sided))
            return true;
    return false;
}

static void begin(struct net_run *run, const struct net_trial *trial, uint64_t start_ns)
{
    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];
        uint64_t now_ns;

        if (end->state != NET_ENDPOINT_RUNNING)
            continue;
        end->awaited = end->is_opener ? 0 : 1;
        if (!end->is_opener)
            continue;
        end->tally.warm_until_ns = start_ns + trial->warm_up_ns;
        end->heard_ns = now_ns = weir_clock_ns(run->clock);
        net_tally_begin(&end->tally, now_ns);
        serve_ball(run, end, now_ns);
    }
}

/* One stretch. The network is asked at its end, and when it has something to say: where balls are
 * written into memory, of the end of our own after each ball; else of what has not come yet. Counts
 * looks in vain. 0 or -errno of a transport that is broken. */
static int play(struct net_run *run, const struct net_trial *trial, bool watches, unsigned *vain)
{
    unsigned looks = run->must_yield && !watches ? 1 : LOOKS;

    for (unsigned i = 1; i <= looks; i++) {
        bool has_come = watch(run);
        int found = has_come == watches || i == looks ? look(run, trial, 0) : 0;

        if (found < 0)
            return found;
        *vain = has_come || found > 0 ? 0 : *vain + 1;
    }
    return 0;
}

int net_latency_run(struct net_run *run, const struct net_trial *trial, uint64_t start_ns)
{
    struct net_barrier barrier;
    bool watches = is_written(run) && run->transport->is_one_sided;
    unsigned most = watches ? LOOKS_AT_MEMORY_MOST : LOOKS_AT_NETWORK_MOST;
    unsigned vain = 0;
    int code = 0;

    begin(run, trial, start_ns);
    net_barrier_begin(&barrier, run->group, run->clock, run->plan);
    while (code == 0) {
        /* Who is not playing has no ball on its way, and may sleep. */
        int found =
            is_playing(run) ? play(run, trial, watches, &vain) : look(run, trial, TIMEOUT_NS);

        if (found < 0)
            net_endpoints_break(run);
        if (run->must_yield || vain > most)
            sched_yield();
        if (net_is_stopping(run))
            net_endpoints_stop(run);
        code = net_barrier_step(&barrier, net_endpoints_are_over(run, trial), net_is_stopping(run));
    }
    run->has_stopped |= barrier.flag != 0;
    return code < 0 ? code : 0;
}
