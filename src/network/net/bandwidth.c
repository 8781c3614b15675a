/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that measures bandwidth: many messages in flight, handed over in lists. */
#include "run.h"

#include "stamps.h"

#include <string.h>

enum { EVENTS_MAX = 64 };

/* How long a look at what happened may wait: signals and the end of others are seen so late. */
#define TIMEOUT_NS 1000000

/* The next `count` messages; their tokens are at the head of the ring. */
static void make_pieces(struct net_run *run, struct net_endpoint *end,
                        const struct net_trial *trial, struct net_piece pieces[], unsigned count)
{
    uint64_t slot = end->next_slot;
    uint32_t at = end->free_head;

    for (unsigned i = 0; i < count; i++) {
        uint32_t token = end->free_tokens[at];
        uint64_t place = trial->must_verify ? token : slot;
        uint64_t from = place * trial->stride;

        pieces[i] =
            (struct net_piece){token, end->transfer.offset + from, end->remote_offset + from};
        if (trial->must_verify && end->transfer.verb == WEIR_NET_READ)
            net_stamp_spoil(run->transport->memory + pieces[i].offset, trial->bytes);
        else if (trial->must_verify)
            net_stamp_put(run->transport->memory + pieces[i].offset, trial->bytes, end->seed,
                          end->tally.posted + i);
        slot = slot + 1 < trial->slot_count ? slot + 1 : 0;
        at = at + 1 < trial->depth ? at + 1 : 0;
    }
}

/* Those were taken: they are in flight since `now_ns`. */
static void take_tokens(struct net_endpoint *end, const struct net_trial *trial,
                        const struct net_piece pieces[], unsigned taken, uint64_t now_ns)
{
    for (unsigned i = 0; i < taken; i++) {
        end->post_ns[pieces[i].token] = now_ns;
        if (trial->must_verify)
            end->last_number[pieces[i].token] = end->tally.posted + i;
    }
    end->free_head += taken;
    if (end->free_head >= trial->depth)
        end->free_head -= trial->depth;
    end->free_count -= taken;
    end->next_slot = (end->next_slot + taken) % trial->slot_count;
    net_tally_post(&end->tally, now_ns, taken);
}

/* Lists are full, but for the last one. */
static unsigned list_length(const struct net_endpoint *end, const struct net_trial *trial)
{
    const struct net_tally *tally = &end->tally;
    uint64_t left = tally->post_limit > tally->posted ? tally->post_limit - tally->posted : 0;
    uint64_t length = trial->batch;

    if (length > left)
        length = left;
    return length <= end->free_count ? (unsigned)length : 0;
}

static void fill(struct net_run *run, struct net_endpoint *end, const struct net_trial *trial)
{
    struct net_piece pieces[WEIR_NET_BATCH_MAX];
    unsigned length;

    while ((length = list_length(end, trial)) > 0) {
        uint64_t now_ns = weir_clock_ns(run->clock);
        int taken;

        make_pieces(run, end, trial, pieces, length);
        taken = run->transport->ops->post(end->link, &end->transfer, pieces, length);
        if (taken < 0) {
            net_endpoint_fail(run, end, "messages to rank %u cannot be handed over: %s", end->peer,
                              strerror(-taken));
            return;
        }
        if (taken > 0)
            take_tokens(end, trial, pieces, (unsigned)taken, now_ns);
        if ((unsigned)taken < length)
            return;
    }
}

static void settle(struct net_run *run, const struct net_trial *trial,
                   const struct net_event *event, uint64_t now_ns)
{
    struct net_endpoint *end = event->link->end;
    uint64_t number;
    uint32_t tail;

    if (end == NULL || end->state == NET_ENDPOINT_OVER)
        return;
    if (event->code < 0) {
        net_endpoint_fail(run, end, "a %s of %llu bytes with rank %u failed: %s",
                          weir_net_verb_name(end->transfer.verb), (unsigned long long)trial->bytes,
                          end->peer, strerror(-event->code));
        return;
    }
    if (end->tally.state == NET_TALLY_COUNTING)
        weir_histogram_add(end->latency, now_ns - end->post_ns[event->token]);
    if (trial->must_verify && end->transfer.verb == WEIR_NET_READ &&
        (!net_stamp_get(run->transport->memory + end->transfer.offset +
                            event->token * trial->stride,
                        trial->bytes, end->seed, &number) ||
         number != event->token))
        end->wrong_count++;
    tail = end->free_head + end->free_count;
    end->free_tokens[tail < trial->depth ? tail : tail - trial->depth] = event->token;
    end->free_count++;
    end->done_now++;
}

/* Counts the completions that one poll has found; `is_all`: no others were left. */
static void account(struct net_run *run, uint64_t now_ns, bool is_all)
{
    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];

        if (!end->is_opener || end->state != NET_ENDPOINT_RUNNING)
            continue;
        if (end->done_now > 0) {
            net_tally_add(&end->tally, now_ns, end->done_now, is_all);
            end->heard_ns = now_ns;
        }
        end->done_now = 0;
        if (end->tally.state == NET_TALLY_OVER && end->tally.completed == end->tally.posted)
            net_endpoint_finish(run, end);
    }
}

/* 0 or -errno of a transport that is broken. */
static int look(struct net_run *run, const struct net_trial *trial)
{
    struct net_event events[EVENTS_MAX];
    int count = net_endpoints_poll(run, trial, events, EVENTS_MAX, TIMEOUT_NS);
    uint64_t now_ns;

    if (count < 0)
        return count;
    now_ns = weir_clock_ns(run->clock);
    for (int i = 0; i < count; i++) {
        if (events[i].kind == NET_EVENT_DONE)
            settle(run, trial, &events[i], now_ns);
        else
            net_endpoint_hear(run, trial, &events[i]);
    }
    account(run, now_ns, count < EVENTS_MAX);
    return 0;
}

int net_bandwidth_run(struct net_run *run, const struct net_trial *trial, uint64_t start_ns)
{
    struct net_barrier barrier;
    int code = 0;

    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_tally *tally = &run->endpoints[i].tally;

        if (!run->endpoints[i].is_opener || run->endpoints[i].state != NET_ENDPOINT_RUNNING)
            continue;
        run->endpoints[i].heard_ns = start_ns;
        tally->warm_until_ns = start_ns + trial->warm_up_ns;
        net_tally_begin(tally, start_ns);
    }
    net_barrier_begin(&barrier, run->group, run->clock, run->plan);
    while (code == 0) {
        for (uint32_t i = 0; i < run->endpoint_count; i++)
            if (run->endpoints[i].is_opener && run->endpoints[i].state == NET_ENDPOINT_RUNNING)
                fill(run, &run->endpoints[i], trial);
        if (look(run, trial) < 0)
            net_endpoints_break(run);
        if (net_is_stopping(run))
            net_endpoints_stop(run);
        code = net_barrier_step(&barrier, net_endpoints_are_over(run, trial), net_is_stopping(run));
    }
    run->has_stopped |= barrier.flag != 0;
    return code < 0 ? code : 0;
}
