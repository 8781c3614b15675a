/* SPDX-License-Identifier: Apache-2.0 */
/* Completions become events: messages that came, work requests that are done with, and what becomes
 * of those that a lost link leaves behind; and they wake who sleeps until the next one.
 *
 * A completion stands for all requests before it on its queue pair: few are signalled. */
#include "verbs.h"

#include <assert.h>
#include <errno.h>

/* So often is looked for the end of a work request that is waited for: longer than any network
 * takes whose latency is worth the effort. */
#define POST_AND_WAIT_POLLS 256

static void put_pending(struct weir_verbs_fabric *fabric, struct weir_verbs_link *link)
{
    if (link->is_pending)
        return;
    link->is_pending = true;
    link->next_pending = fabric->pending;
    fabric->pending = link;
}

void weir_verbs_forget_pending(struct weir_verbs_fabric *fabric, struct weir_verbs_link *link)
{
    struct weir_verbs_link **at = &fabric->pending;

    while (*at != NULL && *at != link)
        at = &(*at)->next_pending;
    if (*at != NULL)
        *at = link->next_pending;
    link->is_pending = false;
}

/* The oldest work request comes back. */
static void hand_back(struct weir_verbs_link *link, int result, struct weir_event *event)
{
    const struct weir_verbs_slot *slot = &link->slots[link->tail++ & (link->size - 1)];

    link->send_tail += slot->has_buffer;
    *event = (struct weir_event){
        .kind = WEIR_EVENT_DONE, .link = &link->base, .result = result, .context = slot->context};
}

/* Of the work requests that are done, those that there is room for. */
static unsigned hand_back_done(struct weir_verbs_link *link, struct weir_event events[],
                               unsigned max)
{
    unsigned count = 0;

    while (link->tail != link->done && count < max)
        hand_back(link, 0, &events[count++]);
    return count;
}

static unsigned hand_back_pending(struct weir_verbs_fabric *fabric, struct weir_event events[],
                                  unsigned max)
{
    unsigned count = 0;

    while (fabric->pending != NULL && count < max) {
        struct weir_verbs_link *link = fabric->pending;

        count += hand_back_done(link, events + count, max - count);
        if (link->tail == link->done) {
            fabric->pending = link->next_pending;
            link->is_pending = false;
        }
    }
    return count;
}

/* The first completion that is not good tells what has happened; what was before it is done, though
 * it may not have said so. */
static void take_failure(struct weir_verbs_fabric *fabric, struct weir_verbs_link *link,
                         const struct ibv_wc *completion)
{
    int code = weir_verbs_status_code(completion->status);

    if ((completion->wr_id & WEIR_VERBS_RECEIVE) != 0) {
        /* The queue pair failed under its receives: the peer ended it, or did what it may not. */
        weir_verbs_lose(link, code == -ECANCELED ? -ECONNRESET : code, completion);
        return;
    }
    if (link->has_failed)
        return;
    link->has_failed = true;
    link->failed = (uint32_t)completion->wr_id;
    link->failed_code = code;
    link->done = link->failed;
    if (link->tail != link->done)
        put_pending(fabric, link);
    weir_verbs_lose(link, code, completion);
}

/* NULL: of a queue pair that is gone. */
static struct weir_verbs_link *link_of(const struct weir_verbs_fabric *fabric,
                                       const struct ibv_wc *completion)
{
    unsigned place = WEIR_VERBS_PLACE(completion->wr_id);
    struct weir_verbs_link *link = place < fabric->places ? fabric->table[place].link : NULL;
    bool is_its_own = link != NULL && link->stamp == (completion->wr_id & WEIR_VERBS_STAMP);

    return is_its_own && !link->is_cut ? link : NULL;
}

/* A work request is done, and with it those before it: an event for each, up to `max` (> 0); the
 * rest is noted. */
static unsigned take_wrs(struct weir_verbs_fabric *fabric, struct weir_verbs_link *link,
                         const struct ibv_wc *completion, struct weir_event events[], unsigned max)
{
    unsigned count;

    /* Nobody vouches for what a device says of requests behind one that failed. */
    if (link->has_failed)
        return 0;
    link->done = (uint32_t)completion->wr_id + 1;
    count = hand_back_done(link, events, max);
    if (link->tail != link->done)
        put_pending(fabric, link);
    return count;
}

/* One completion, of a message or of work requests: how many events it makes, up to `max` (> 0). */
static unsigned take_completion(struct weir_verbs_fabric *fabric, const struct ibv_wc *completion,
                                struct weir_event events[], unsigned max)
{
    struct weir_verbs_link *link = link_of(fabric, completion);

    if (link == NULL)
        return 0;
    if (completion->status != IBV_WC_SUCCESS) {
        take_failure(fabric, link, completion);
        return 0;
    }
    if ((completion->wr_id & WEIR_VERBS_RECEIVE) == 0)
        return take_wrs(fabric, link, completion, events, max);
    /* It came before the READY of a link that will never be told of: nobody could release it. */
    if (link->base.state == WEIR_LINK_LOST && !link->base.is_told)
        return 0;
    events[0] = (struct weir_event){
        .kind = WEIR_EVENT_MESSAGE,
        .link = &link->base,
        .message = link->buffers + (size_t)(uint32_t)completion->wr_id * link->receive_bytes,
        .bytes = completion->byte_len,
    };
    return 1;
}

/* What was found while a work request was waited for comes first. `max`: WEIR_VERBS_CHAIN at
 * most. */
static int collect(struct weir_verbs_fabric *fabric, struct weir_verbs_queue *queue, unsigned max)
{
    bool has_deferred = fabric->has_deferred;

    assert(max <= WEIR_VERBS_CHAIN);
    fabric->has_deferred = false;
    return has_deferred ? 1 : ibv_poll_cq(queue->cq, (int)max, fabric->completions);
}

/* A queue that was found empty holds nothing of links that are gone any more. */
static void is_empty_now(struct weir_verbs_queue *queue)
{
    queue->taken -= queue->returned;
    queue->returned = 0;
}

/* Events of one queue, until it is empty or `max` is reached. */
static unsigned progress_queue(struct weir_verbs_fabric *fabric, struct weir_verbs_queue *queue,
                               struct weir_event events[], unsigned max)
{
    unsigned count = 0;

    while (count < max) {
        unsigned wanted = weir_verbs_smaller(max - count, WEIR_VERBS_CHAIN);
        bool is_deferred = fabric->has_deferred;
        int found = collect(fabric, queue, wanted);

        if (found < 0) {
            fabric->is_broken = true;
            weir_verbs_lose_all(fabric, -EIO);
            break;
        }
        /* Each has room for one event at least. */
        for (int i = 0; i < found; i++)
            count += take_completion(fabric, &fabric->completions[i], &events[count],
                                     max - count - (unsigned)(found - 1 - i));
        if (fabric->pending != NULL)
            count += hand_back_pending(fabric, events + count, max - count);
        if (found == 0 && queue->returned > 0)
            is_empty_now(queue);
        if (!is_deferred && (unsigned)found < wanted)
            break;
    }
    return count;
}

/* What comes from now on wakes who sleeps; what came before does not. */
static bool arm(const struct weir_verbs_fabric *fabric)
{
    bool is_armed = true;

    for (struct weir_verbs_queue *queue = fabric->queues; queue != NULL; queue = queue->next)
        is_armed &= ibv_req_notify_cq(queue->cq, 0) == 0;
    return is_armed;
}

int weir_verbs_progress(struct weir_fabric *base, struct weir_event events[], unsigned max,
                        bool *sleeps)
{
    struct weir_verbs_fabric *fabric = weir_verbs_fabric_of(base);
    unsigned count = 0;

    if (sleeps != NULL)
        *sleeps = !fabric->is_broken && arm(fabric);
    /* First it is told that all links have left. */
    if (fabric->is_broken)
        return base->leaving != NULL ? 0 : -EIO;
    if (fabric->has_event)
        weir_verbs_events_progress(fabric);
    if (fabric->pending != NULL)
        count = hand_back_pending(fabric, events, max);
    for (struct weir_verbs_queue *queue = fabric->queues; queue != NULL && count < max;
         queue = queue->next)
        count += progress_queue(fabric, queue, events + count, max - count);
    return (int)count;
}

/* ---- a work request that is waited for ---- */

int weir_verbs_wait(struct weir_verbs_link *link)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct ibv_wc *completion = fabric->completions;
    struct weir_event event;
    int found = 0;

    /* What was found before is told before. */
    if (fabric->has_deferred)
        return -EINPROGRESS;
    for (unsigned looks = 0; looks < POST_AND_WAIT_POLLS && found == 0; looks++)
        found = ibv_poll_cq(link->queue->cq, 1, completion);
    if (found <= 0)
        return -EINPROGRESS;
    /* Of the only work request in flight on this link. */
    if (link_of(fabric, completion) == link && completion->status == IBV_WC_SUCCESS &&
        (completion->wr_id & WEIR_VERBS_RECEIVE) == 0)
        return (int)take_wrs(fabric, link, completion, &event, 1);
    fabric->has_deferred = true;
    return -EINPROGRESS;
}

/* ---- the end of a link ---- */

/* The one work request that failed has its own code; those behind it were never begun, or nobody
 * knows. */
static int fate(const struct weir_verbs_link *link)
{
    if ((int32_t)(link->done - link->tail) > 0)
        return 0;
    if (link->has_failed && link->tail == link->failed)
        return link->failed_code;
    return link->has_failed ? -ECANCELED : link->base.lost_code;
}

int weir_verbs_drain(struct weir_link *base, struct weir_event events[], unsigned max)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    unsigned count = 0;

    /* Before a work request comes back, nothing may touch its memory any more. */
    weir_verbs_link_cut(link);
    if (link->is_pending)
        weir_verbs_forget_pending(weir_verbs_home(link), link);
    while (link->tail != link->head && count < max) {
        int result = fate(link);

        hand_back(link, result, &events[count++]);
    }
    return (int)count;
}
