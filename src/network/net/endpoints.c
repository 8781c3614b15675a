/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of flows: preparing them, and ending them so that both sides agree on what came. */
#include "run.h"

#include "stamps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* An opener waits so long for the answer to its end. */
#define ANSWER_TIMEOUT_NS UINT64_C(30000000000)
#define SLOWEST_NS_PER_BYTE 100

/* A poll would watch a while before it sleeps. */
#define NAP_NS 1000000

/* ---- which there are ---- */

/* Where the memory of this flow's end lies on a rank: ends have their areas in the order of flows.
 */
static uint64_t area_of(const struct net_run *run, uint32_t flow, uint32_t rank)
{
    uint64_t before = 0;

    for (uint32_t i = 0; i < flow; i++)
        before += run->flows[i].source == rank || run->flows[i].sink == rank;
    return before * run->area_bytes;
}

void net_endpoints_list(struct net_run *run)
{
    uint32_t me = (uint32_t)run->group->rank;

    run->endpoint_count = 0;
    for (uint32_t i = 0; i < run->flow_count; i++) {
        const struct weir_net_flow *flow = &run->flows[i];
        bool is_opener = net_opener_of(run, flow) == me;
        struct net_endpoint *end = &run->endpoints[run->endpoint_count];

        if (flow->source != me && flow->sink != me)
            continue;
        end->flow = i;
        end->is_opener = is_opener;
        end->peer = is_opener ? net_acceptor_of(run, flow) : net_opener_of(run, flow);
        end->transfer.offset = area_of(run, i, me);
        end->remote_offset = area_of(run, i, end->peer);
        run->endpoint_count++;
    }
}

/* ---- before ---- */

static void begin_opener(struct net_run *run, struct net_endpoint *end,
                         const struct net_trial *trial, uint32_t number)
{
    end->tally = (struct net_tally){
        .duration_ns = trial->duration_ns,
        .iterations = trial->iterations,
        .interval_ns = trial->interval_ns,
        .intervals = run->intervals + (size_t)number * run->interval_capacity,
        .interval_count = run->interval_capacity,
    };
    if (run->interval_capacity > 0)
        memset(end->tally.intervals, 0, run->interval_capacity * sizeof *end->tally.intervals);
    weir_histogram_reset(end->latency);
    for (uint32_t i = 0; i < trial->depth; i++)
        end->free_tokens[i] = i;
    end->free_head = 0;
    end->free_count = trial->depth;
    end->next_slot = 0;
    end->done_now = 0;
    for (uint64_t i = 0; trial->must_verify && i < trial->slot_count; i++)
        end->last_number[i] = UINT64_MAX;
}

/* The memory that stamps will come to, or be read from. */
static void prepare_stamps(const struct net_run *run, const struct net_endpoint *end,
                           const struct net_trial *trial)
{
    bool is_source = end->transfer.is_sending;
    unsigned char *memory = run->transport->memory + end->transfer.offset;

    for (uint64_t slot = 0; slot < trial->slot_count; slot++, memory += trial->stride) {
        if (!is_source)
            net_stamp_spoil(memory, trial->bytes);
        else if (run->plan->verb == WEIR_NET_READ)
            net_stamp_put(memory, trial->bytes, end->seed, slot);
    }
}

static void begin_end(struct net_run *run, struct net_endpoint *end, const struct net_trial *trial)
{
    struct net_peer *peer = &run->peers[end->peer];
    const struct weir_net_flow *flow = &run->flows[end->flow];
    bool is_latency = trial->is_ping_pong;
    bool is_source = flow->source == (uint32_t)run->group->rank;

    end->state = NET_ENDPOINT_RUNNING;
    end->link = end->is_opener ? peer->opened : peer->accepted;
    end->failure[0] = '\0';
    end->wrong_count = 0;
    end->received = 0;
    end->number_sum = 0;
    end->expected = UINT64_MAX;
    end->has_told_stop = false;
    end->awaited = 0;
    end->must_post = false;
    end->seed = ((uint64_t)flow->source << 40) ^ ((uint64_t)flow->sink << 20) ^ trial->number;
    if (is_latency) /* nothing has come */
        run->transport->memory[end->transfer.offset + trial->bytes - 1] = 0;
    end->transfer.link = end->link;
    end->transfer.verb = run->plan->verb;
    end->transfer.bytes = trial->bytes;
    end->transfer.stride = trial->stride;
    end->transfer.slot_count = is_latency ? 1 : trial->slot_count;
    end->transfer.depth = trial->depth;
    end->transfer.is_sending = is_latency || is_source;
    end->transfer.is_receiving = is_latency || !is_source;
}

int net_endpoints_begin(struct net_run *run, const struct net_trial *trial,
                        struct weir_error *error)
{
    unsigned count = 0;
    uint32_t openers = 0;
    int code = 0;

    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];

        begin_end(run, end, trial);
        if (end->is_opener)
            begin_opener(run, end, trial, openers++);
        if (trial->must_verify)
            prepare_stamps(run, end, trial);
        /* One that is still to come in is fetched in net_endpoint_hear. */
        if (end->link == NULL && !end->is_opener)
            continue;
        if (end->link == NULL || !end->link->is_up) {
            net_endpoint_fail(run, end, "%s",
                              run->peers[end->peer].failure[0] != '\0'
                                  ? run->peers[end->peer].failure
                                  : "there is no link");
            continue;
        }
        end->link->end = end;
        run->transfers[count++] = end->transfer;
    }
    if (run->transport->ops->begin != NULL)
        code = run->transport->ops->begin(run->transport, run->transfers, count);
    if (code < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "net",
                              "a measurement cannot begin: %s", strerror(-code));
    return 0;
}

/* ---- while it runs ---- */

void net_endpoint_fail(struct net_run *run, struct net_endpoint *end, const char *format, ...)
{
    va_list arguments;

    (void)run;
    end->state = NET_ENDPOINT_OVER;
    net_tally_stop(&end->tally);
    if (end->failure[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(end->failure, sizeof end->failure, format, arguments);
    va_end(arguments);
}

static uint64_t sum_of_numbers(const struct net_endpoint *end, uint64_t used)
{
    uint64_t sum = 0;

    for (uint64_t slot = 0; slot < used; slot++)
        sum += end->last_number[slot];
    return sum;
}

/* Of all numbers of messages sent, modulo 2^64. */
static uint64_t sum_below(uint64_t count)
{
    return count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
}

void net_endpoint_finish(struct net_run *run, struct net_endpoint *end)
{
    uint64_t used =
        end->tally.posted < end->transfer.slot_count ? end->tally.posted : end->transfer.slot_count;
    struct net_control control = {.kind = NET_CONTROL_END, .values = {end->tally.posted, used}};
    int code = run->transport->ops->tell(end->link, &control);

    if (code < 0) {
        net_endpoint_fail(run, end, "the end cannot be told: %s", strerror(-code));
        return;
    }
    end->state = NET_ENDPOINT_ENDING;
    end->heard_ns = weir_clock_ns(run->clock);
}

/* Written data lie where they came to: each place must hold one whole message. */
static void look_at_places(const struct net_run *run, struct net_endpoint *end, uint64_t used,
                           uint64_t *sum)
{
    const unsigned char *memory = run->transport->memory + end->transfer.offset;

    *sum = 0;
    for (uint64_t slot = 0; slot < used && slot < end->transfer.slot_count; slot++) {
        uint64_t number = 0;

        if (net_stamp_get(memory + slot * end->transfer.stride, end->transfer.bytes, end->seed,
                          &number))
            *sum += number;
        else
            end->wrong_count++;
    }
}

/* The acceptor answers when all that was told has come. */
static void answer(struct net_run *run, struct net_endpoint *end, const struct net_trial *trial)
{
    struct net_control control = {.kind = NET_CONTROL_ENDED};
    uint64_t sum = end->number_sum;

    if (end->expected == UINT64_MAX)
        return;
    if (run->plan->verb == WEIR_NET_SEND && !trial->is_ping_pong && end->received < end->expected)
        return;
    if (trial->must_verify && run->plan->verb == WEIR_NET_WRITE)
        look_at_places(run, end, end->end_values[1], &sum);
    control.values[0] = end->received;
    control.values[1] = end->wrong_count;
    control.values[2] = sum;
    end->state = NET_ENDPOINT_OVER;
    run->transport->ops->tell(end->link, &control);
}

/* What the acceptor has found, against what was sent. */
static void hear_answer(struct net_run *run, struct net_endpoint *end,
                        const struct net_trial *trial, const struct net_control *control)
{
    enum weir_net_verb verb = run->plan->verb;
    uint64_t used =
        end->tally.posted < end->transfer.slot_count ? end->tally.posted : end->transfer.slot_count;

    if (end->state != NET_ENDPOINT_ENDING)
        return;
    end->state = NET_ENDPOINT_OVER;
    if (run->transport->is_done_early && verb == WEIR_NET_SEND && !trial->is_ping_pong &&
        end->tally.count > 0)
        end->tally.end_ns = weir_clock_ns(run->clock);
    end->wrong_count += control->values[1];
    if (trial->must_verify && verb != WEIR_NET_READ && end->wrong_count == 0 &&
        control->values[2] !=
            (verb == WEIR_NET_WRITE ? sum_of_numbers(end, used) : sum_below(end->tally.posted)))
        end->wrong_count = 1;
    if (verb == WEIR_NET_SEND && !trial->is_ping_pong && control->values[0] != end->tally.posted)
        net_endpoint_fail(run, end, "%" PRIu64 " messages were sent and %" PRIu64 " have come",
                          end->tally.posted, control->values[0]);
}

static void hear_message(struct net_run *run, struct net_endpoint *end,
                         const struct net_trial *trial, const struct net_event *event)
{
    uint64_t number = 0;

    end->received++;
    if (event->bytes != trial->bytes ||
        (trial->must_verify && !net_stamp_get(event->data, event->bytes, end->seed, &number)))
        end->wrong_count++;
    else
        end->number_sum += number;
    if (trial->must_verify && event->bytes == trial->bytes)
        net_stamp_spoil(event->data, event->bytes);
    run->transport->ops->release(event->link, event->data);
    answer(run, end, trial);
}

static void take_control(struct net_run *run, struct net_endpoint *end,
                         const struct net_trial *trial, const struct net_control *control)
{
    switch ((enum net_control_kind)control->kind) {
    case NET_CONTROL_END:
        end->expected = control->values[0];
        memcpy(end->end_values, control->values, sizeof end->end_values);
        answer(run, end, trial);
        break;
    case NET_CONTROL_ENDED:
        hear_answer(run, end, trial, control);
        break;
    case NET_CONTROL_STOP:
        net_tally_stop(&end->tally);
        break;
    default:
        break;
    }
}

static void hear_loss(struct net_run *run, struct net_link *link, int code)
{
    struct net_endpoint *end = link->end;
    struct net_peer *peer;

    link->is_up = false;
    link->code = code;
    /* Who greeted with the number of no rank. */
    if (link->peer >= (uint32_t)run->group->size)
        return;
    peer = &run->peers[link->peer];
    if (link->is_opener && peer->failure[0] == '\0')
        snprintf(peer->failure, sizeof peer->failure, "the link to rank %u was lost: %s",
                 link->peer, strerror(-code));
    if (end != NULL && end->state != NET_ENDPOINT_OVER)
        net_endpoint_fail(run, end, "the link to rank %u was lost: %s", link->peer,
                          strerror(-code));
}

/* The opener knew before us that its link is up. */
static void fetch_link(struct net_run *run, struct net_link *link)
{
    if (link->peer >= (uint32_t)run->group->size)
        return;
    run->peers[link->peer].accepted = link;
    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];

        if (end->is_opener || end->peer != link->peer || end->link != NULL)
            continue;
        end->link = link;
        end->transfer.link = link;
        link->end = end;
    }
}

void net_endpoint_hear(struct net_run *run, const struct net_trial *trial,
                       const struct net_event *event)
{
    struct net_endpoint *end;

    if (event->kind == NET_EVENT_NONE)
        return;
    if (event->kind == NET_EVENT_LOST) {
        hear_loss(run, event->link, event->code);
        return;
    }
    if (event->kind == NET_EVENT_JOINED && !event->link->is_opener)
        fetch_link(run, event->link);
    end = event->link->end;
    if (end == NULL) {
        if (event->kind == NET_EVENT_RECEIVED)
            run->transport->ops->release(event->link, event->data);
        return;
    }
    if (event->kind == NET_EVENT_CONTROL)
        take_control(run, end, trial, &event->control);
    else if (event->kind == NET_EVENT_RECEIVED)
        hear_message(run, end, trial, event);
}

/* True of an opener whose transport would not tell that the link is lost. Large messages that are
 * in flight on a slow network take their time. */
static bool is_silent(const struct net_run *run, const struct net_endpoint *end,
                      const struct net_trial *trial)
{
    uint64_t limit_ns = run->transport->silent_ns;

    return limit_ns > 0 && weir_clock_ns(run->clock) - end->heard_ns >
                               limit_ns + trial->bytes * trial->depth * SLOWEST_NS_PER_BYTE;
}

bool net_endpoints_are_over(struct net_run *run, const struct net_trial *trial)
{
    bool are_over = true;

    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];

        if (!end->is_opener || end->state == NET_ENDPOINT_OVER)
            continue;
        if (end->state == NET_ENDPOINT_ENDING &&
            weir_clock_ns(run->clock) - end->heard_ns > ANSWER_TIMEOUT_NS)
            net_endpoint_fail(run, end, "rank %u did not answer when all was sent", end->peer);
        else if (is_silent(run, end, trial))
            hear_loss(run, end->link, -ETIMEDOUT);
        else
            are_over = false;
    }
    return are_over;
}

/* Nothing of what is under way needs this rank's processor. */
static bool is_passive(const struct net_run *run, const struct net_trial *trial)
{
    if (!run->transport->is_one_sided || run->plan->verb == WEIR_NET_SEND ||
        (trial->is_ping_pong && run->plan->verb == WEIR_NET_WRITE))
        return false;
    for (uint32_t i = 0; i < run->endpoint_count; i++)
        if (run->endpoints[i].is_opener && run->endpoints[i].state != NET_ENDPOINT_OVER)
            return false;
    return true;
}

int net_endpoints_poll(struct net_run *run, const struct net_trial *trial,
                       struct net_event events[], unsigned max, uint64_t timeout_ns)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    if (timeout_ns > 0 && is_passive(run, trial)) {
        nanosleep(&nap, NULL);
        timeout_ns = 0;
    }
    return run->transport->ops->poll(run->transport, events, max, timeout_ns);
}

void net_endpoints_break(struct net_run *run)
{
    for (uint32_t i = 0; i < run->endpoint_count; i++)
        if (run->endpoints[i].state != NET_ENDPOINT_OVER)
            net_endpoint_fail(run, &run->endpoints[i], "the network of this rank is broken");
}

void net_endpoints_stop(struct net_run *run)
{
    for (uint32_t i = 0; i < run->endpoint_count; i++) {
        struct net_endpoint *end = &run->endpoints[i];

        if (end->state == NET_ENDPOINT_OVER || end->link == NULL)
            continue;
        if (end->is_opener)
            net_tally_stop(&end->tally);
        else if (!end->has_told_stop &&
                 run->transport->ops->tell(end->link,
                                           &(struct net_control){.kind = NET_CONTROL_STOP}) == 0)
            end->has_told_stop = true;
    }
}
