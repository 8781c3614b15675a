/* SPDX-License-Identifier: Apache-2.0 */
/* The data path: wires become requests to the device, completions become events.
 *
 * What must not be overtaken: on one queue pair, a SEND or READ comes after the WRITEs before it by
 * the rules of reliable connections. With several pairs, messages have the first one, and wait
 * until WRITEs on the others are completed; a READ waits for those WRITEs on others that touch what
 * it reads. Waiting means that post takes no more: it never blocks.
 *
 * A completion stands for all requests before it on its queue pair. Software iWARP lets others
 * complete before the READs in front of them. Its fence is no remedy: where both ends read, each
 * may wait for the other's answers behind it for ever (siw of Linux 6.1 answers four READs, then
 * looks at its own queue, and sleeps if that is fenced or has as many READs in flight as may be).
 * So nothing that would have to wait is handed to it, nor to iWARP in hardware, of which we have
 * seen none. */
#include "verbs.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* So often is looked for the end of a wire that is waited for: longer than any network takes whose
 * latency is worth the effort. */
#define TRIP_LOOKS 256

void weir_verbs_wires_init(struct weir_verbs_fabric *fabric)
{
    for (unsigned i = 0; i < WEIR_VERBS_CHAIN; i++) {
        fabric->requests[i].sg_list = fabric->pieces[i];
        fabric->requests[i].next = i + 1 < WEIR_VERBS_CHAIN ? &fabric->requests[i + 1] : NULL;
    }
}

/* ---- posting ---- */

/* A WRITE on another queue pair may still be under way to the same place. */
static bool is_overtaking(const struct weir_verbs_link *link, const struct weir_verbs_lane *mine,
                          const struct weir_wire *wire)
{
    uint64_t start = wire->remote_address, end = start + wire->bytes;

    for (unsigned i = 0; i < link->lane_count; i++) {
        const struct weir_verbs_lane *lane = &link->lanes[i];

        if (lane == mine || lane->writes == 0)
            continue;
        for (uint32_t at = lane->done; at != lane->head; at++) {
            const struct weir_verbs_slot *slot = &lane->slots[at & (lane->size - 1)];

            if (slot->start < end && start < slot->end)
                return true;
        }
    }
    return false;
}

static bool others_write(const struct weir_verbs_link *link)
{
    for (unsigned i = 1; i < link->lane_count; i++)
        if (link->lanes[i].writes > 0)
            return true;
    return false;
}

/* Whether iWARP would have to wait for READs in flight before it begins this one. */
static bool waits_for_reads(const struct weir_verbs_link *link, const struct weir_verbs_lane *lane,
                            const struct weir_wire *wire)
{
    return lane->reads > 0 && (wire->verb != WEIR_WIRE_READ || lane->reads >= link->reads.ours);
}

static bool may_go(const struct weir_verbs_link *link, const struct weir_verbs_lane *lane,
                   const struct weir_wire *wire)
{
    if (link->is_iwarp && waits_for_reads(link, lane, wire))
        return false;
    if (wire->verb == WEIR_WIRE_SEND)
        return lane == &link->lanes[0] && !others_write(link) &&
               link->send_head - link->send_tail < link->sends;
    return wire->verb == WEIR_WIRE_WRITE || link->lane_count == 1 ||
           !is_overtaking(link, lane, wire);
}

static uint32_t lkey_of(const struct weir_region *region)
{
    return ((const struct weir_verbs_region *)region)->mr->lkey;
}

/* A message: in the request itself, or its header in a buffer of ours, with the data if they are
 * small, else behind it from where they lie. */
static void fill_send(struct weir_verbs_link *link, struct weir_verbs_lane *lane,
                      const struct weir_wire *wire, struct ibv_send_wr *request,
                      struct weir_verbs_slot *slot)
{
    struct ibv_sge *piece = request->sg_list;
    uint64_t bytes = wire->header_bytes + wire->bytes;
    unsigned char *buffer;

    request->opcode = IBV_WR_SEND;
    request->num_sge = 1;
    slot->has_buffer = bytes > lane->inline_bytes;
    if (!slot->has_buffer) {
        request->send_flags |= IBV_SEND_INLINE;
        request->num_sge = 0;
        if (wire->header_bytes > 0)
            piece[request->num_sge++] =
                (struct ibv_sge){.addr = (uintptr_t)wire->header, .length = wire->header_bytes};
        if (wire->bytes > 0)
            piece[request->num_sge++] =
                (struct ibv_sge){.addr = (uintptr_t)wire->data, .length = (uint32_t)wire->bytes};
        return;
    }
    buffer = link->send_buffers +
             (size_t)(link->send_head++ & (link->sends - 1)) * WEIR_VERBS_SEND_BYTES;
    if (wire->header_bytes > 0)
        memcpy(buffer, wire->header, wire->header_bytes);
    piece[0] = (struct ibv_sge){
        .addr = (uintptr_t)buffer, .length = wire->header_bytes, .lkey = link->buffers_mr->lkey};
    if (bytes <= WEIR_VERBS_SEND_BYTES) {
        if (wire->bytes > 0)
            memcpy(buffer + wire->header_bytes, wire->data, wire->bytes);
        piece[0].length = (uint32_t)bytes;
    } else {
        struct ibv_sge *data = &piece[wire->header_bytes > 0 ? 1 : 0];

        *data = (struct ibv_sge){.addr = (uintptr_t)wire->data,
                                 .length = (uint32_t)wire->bytes,
                                 .lkey = lkey_of(wire->region)};
        request->num_sge = (int)(data - piece) + 1;
    }
}

static void fill(struct weir_verbs_link *link, struct weir_verbs_lane *lane,
                 const struct weir_wire *wire, struct ibv_send_wr *request)
{
    struct weir_verbs_slot *slot = &lane->slots[lane->head & (lane->size - 1)];
    struct ibv_sge *piece = request->sg_list;

    slot->context = wire->context;
    slot->start = slot->end = 0;
    slot->has_buffer = false;
    slot->is_read = wire->verb == WEIR_WIRE_READ;
    request->wr_id = lane->stamp | lane->head;
    request->send_flags = 0;
    lane->head++;
    if (wire->verb == WEIR_WIRE_SEND) {
        fill_send(link, lane, wire, request, slot);
        return;
    }
    piece->addr = (uintptr_t)wire->data;
    piece->length = (uint32_t)wire->bytes;
    piece->lkey = lkey_of(wire->region);
    request->num_sge = 1;
    request->wr.rdma.remote_addr = wire->remote_address;
    request->wr.rdma.rkey = (uint32_t)wire->remote->key;
    if (wire->verb == WEIR_WIRE_READ) {
        request->opcode = IBV_WR_RDMA_READ;
        lane->reads++;
        return;
    }
    request->opcode = IBV_WR_RDMA_WRITE;
    if (wire->bytes <= lane->inline_bytes)
        request->send_flags |= IBV_SEND_INLINE;
    slot->start = wire->remote_address;
    slot->end = wire->remote_address + wire->bytes;
    lane->writes++;
}

/* Takes back what was filled in and not handed over. */
static void unfill(struct weir_verbs_link *link, struct weir_verbs_lane *lane, unsigned count)
{
    while (count-- > 0) {
        struct weir_verbs_slot *slot = &lane->slots[--lane->head & (lane->size - 1)];

        link->send_head -= slot->has_buffer;
        lane->writes -= slot->end != 0;
        lane->reads -= slot->is_read;
    }
}

/* Fills requests for up to `most` wires, as many as may go on this lane now. */
static unsigned build(struct weir_verbs_link *link, struct weir_verbs_lane *lane,
                      const struct weir_wire wires[], unsigned most)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    unsigned every = fabric->settings.signal_every, since = 0, count = 0;

    while (count < most && may_go(link, lane, &wires[count])) {
        fill(link, lane, &wires[count], &fabric->requests[count]);
        if (++since == every) {
            fabric->requests[count].send_flags |= IBV_SEND_SIGNALED;
            since = 0;
        }
        count++;
    }
    return count;
}

/* Hands over what was built, the last one signalled. How many the device took, or -errno if it is
 * none of them. */
static int hand_over(struct weir_verbs_link *link, struct weir_verbs_lane *lane, unsigned count)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct ibv_send_wr *last = &fabric->requests[count - 1], *next = last->next, *bad = NULL;
    unsigned taken = count;
    int code;

    last->send_flags |= IBV_SEND_SIGNALED;
    last->next = NULL;
    code = -ibv_post_send(lane->qp, fabric->requests, &bad);
    last->next = next;
    if (code != 0) {
        /* Without a word on where it stopped, it is the first one. */
        taken = bad != NULL ? (unsigned)(bad - fabric->requests) : 0;
        unfill(link, lane, count - taken);
    }
    link->flying += taken;
    if (code == 0)
        return (int)taken;
    /* What was taken may be unsignalled, with nothing behind it that would tell of its end: then
     * only the end of the link hands it back. A full queue, as some drivers have it earlier than
     * they said, is no failure as long as completions will make room. */
    if (taken > 0 || code != -ENOMEM || link->flying == 0)
        weir_link_lose(&link->base, code);
    return taken > 0 ? (int)taken : code;
}

static struct weir_verbs_lane *next_lane(struct weir_verbs_link *link, const struct weir_wire *wire)
{
    if (wire->verb == WEIR_WIRE_SEND || link->lane_count == 1)
        return &link->lanes[0];
    for (unsigned i = 0; i < link->lane_count; i++) {
        struct weir_verbs_lane *lane = &link->lanes[link->next_lane];

        if (++link->next_lane == link->lane_count)
            link->next_lane = 0;
        if (lane->head - lane->tail < lane->size)
            return lane;
    }
    return &link->lanes[0];
}

static unsigned smallest(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

int weir_verbs_post(struct weir_link *base, const struct weir_wire wires[], unsigned count)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    unsigned depth = weir_verbs_home(link)->settings.depth;
    unsigned share = link->lane_count == 1 ? WEIR_VERBS_CHAIN
                                           : (count + link->lane_count - 1) / link->lane_count;
    unsigned taken = 0;

    share = smallest(share, WEIR_VERBS_CHAIN);
    while (taken < count && link->flying < depth) {
        struct weir_verbs_lane *lane = next_lane(link, &wires[taken]);
        unsigned room = smallest(lane->size - (lane->head - lane->tail), depth - link->flying);
        unsigned most = smallest(smallest(share, lane->size / 2), smallest(room, count - taken));
        unsigned built = build(link, lane, wires + taken, most);
        int handed;

        if (built == 0)
            break;
        handed = hand_over(link, lane, built);
        if (handed < 0)
            return taken > 0 || handed == -ENOMEM ? (int)taken : handed;
        taken += (unsigned)handed;
        if ((unsigned)handed < built)
            break;
    }
    return (int)taken;
}

void weir_verbs_release(struct weir_link *base, void *message)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    size_t offset = (size_t)((unsigned char *)message - link->buffers);
    unsigned number = (unsigned)(offset >> link->receive_shift);
    int code;

    assert(number < link->receives);
    if (link->is_cut || base->state == WEIR_LINK_LOST)
        return;
    code = weir_verbs_receive(link, number);
    if (code < 0)
        weir_link_lose(base, code);
}

/* ---- completions ---- */

static void put_pending(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane)
{
    if (lane->is_pending)
        return;
    lane->is_pending = true;
    lane->next_pending = fabric->pending;
    fabric->pending = lane;
}

void weir_verbs_forget_pending(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane)
{
    struct weir_verbs_lane **at = &fabric->pending;

    while (*at != NULL && *at != lane)
        at = &(*at)->next_pending;
    if (*at != NULL)
        *at = lane->next_pending;
    lane->is_pending = false;
}

/* The oldest wire of a lane comes back. */
static void hand_back(struct weir_verbs_lane *lane, int result, struct weir_event *event)
{
    struct weir_verbs_link *link = lane->link;
    struct weir_verbs_slot *slot = &lane->slots[lane->tail++ & (lane->size - 1)];

    link->send_tail += slot->has_buffer;
    lane->writes -= slot->end != 0;
    lane->reads -= slot->is_read;
    link->flying--;
    *event = (struct weir_event){
        .kind = WEIR_EVENT_DONE, .link = &link->base, .result = result, .context = slot->context};
}

/* Of a lane's wires that are done, those that there is room for. */
static unsigned hand_back_done(struct weir_verbs_lane *lane, struct weir_event events[],
                               unsigned max)
{
    unsigned count = 0;

    while (lane->tail != lane->done && count < max)
        hand_back(lane, 0, &events[count++]);
    return count;
}

static unsigned hand_back_pending(struct weir_verbs_fabric *fabric, struct weir_event events[],
                                  unsigned max)
{
    unsigned count = 0;

    while (fabric->pending != NULL && count < max) {
        struct weir_verbs_lane *lane = fabric->pending;

        count += hand_back_done(lane, events + count, max - count);
        if (lane->tail == lane->done) {
            fabric->pending = lane->next_pending;
            lane->is_pending = false;
        }
    }
    return count;
}

/* An iWARP peer that refuses ends the connection. For a WRITE that is told as if our own request
 * were wrong; a READ is flushed as it would be if the peer were gone: then nobody knows. */
static int cause_of(const struct weir_verbs_link *link, enum ibv_wc_status status, int code)
{
    if (link->is_iwarp && status == IBV_WC_LOC_QP_OP_ERR)
        return weir_verbs_status_code(IBV_WC_REM_ACCESS_ERR);
    return link->is_iwarp && status == IBV_WC_WR_FLUSH_ERR ? -ECONNRESET : code;
}

/* The first completion of a lane that is not good tells what has happened; what was before it is
 * done, though it may not have said so. */
static void take_failure(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane,
                         const struct ibv_wc *completion)
{
    struct weir_verbs_link *link = lane->link;
    int code = weir_verbs_status_code(completion->status);

    if ((completion->wr_id & WEIR_VERBS_RECEIVE) != 0) {
        /* The queue pair failed under its receives: the peer ended it, or did what it may not. */
        weir_verbs_lose(link, code == -ECANCELED ? -ECONNRESET : code, completion);
        return;
    }
    if (lane->has_failed)
        return;
    code = cause_of(link, completion->status, code);
    lane->has_failed = true;
    lane->failed = (uint32_t)completion->wr_id;
    lane->failed_code = code;
    lane->done = lane->failed;
    link->wire_failed = true;
    if (lane->tail != lane->done)
        put_pending(fabric, lane);
    weir_verbs_lose(link, code, completion);
}

/* NULL: of a queue pair that is gone. */
static struct weir_verbs_lane *lane_of(const struct weir_verbs_fabric *fabric,
                                       const struct ibv_wc *completion)
{
    unsigned place = WEIR_VERBS_PLACE(completion->wr_id);
    struct weir_verbs_lane *lane = place < fabric->places ? fabric->table[place] : NULL;
    bool is_its_own = lane != NULL && lane->stamp == (completion->wr_id & WEIR_VERBS_STAMP);

    return is_its_own && !lane->link->is_cut ? lane : NULL;
}

/* One completion: a message makes an event, a wire one for each that is done with it, up to `max`
 * (> 0); the rest is noted. */
static unsigned take_completion(struct weir_verbs_fabric *fabric, const struct ibv_wc *completion,
                                struct weir_event events[], unsigned max)
{
    struct weir_verbs_lane *lane = lane_of(fabric, completion);
    struct weir_verbs_link *link;

    if (lane == NULL)
        return 0;
    if (completion->status != IBV_WC_SUCCESS) {
        take_failure(fabric, lane, completion);
        return 0;
    }
    if ((completion->wr_id & WEIR_VERBS_RECEIVE) == 0) {
        unsigned count;

        lane->done = (uint32_t)completion->wr_id + 1;
        count = hand_back_done(lane, events, max);
        if (lane->tail != lane->done)
            put_pending(fabric, lane);
        return count;
    }
    link = lane->link;
    /* It came before the READY of a link that will never be told of: nobody could release it. */
    if (link->base.state == WEIR_LINK_LOST && !link->base.is_told)
        return 0;
    events[0] = (struct weir_event){
        .kind = WEIR_EVENT_MESSAGE,
        .link = &link->base,
        .message = link->buffers + ((size_t)(uint32_t)completion->wr_id << link->receive_shift),
        .bytes = completion->byte_len,
    };
    return 1;
}

/* Completions that arming has found come first. */
static int collect(struct weir_verbs_fabric *fabric, struct weir_verbs_queue *queue, unsigned max,
                   const struct ibv_wc **completions)
{
    unsigned count = smallest(fabric->stash_count, max);

    if (count > 0) {
        *completions = fabric->completions + fabric->stash_first;
        fabric->stash_first += count;
        fabric->stash_count -= count;
        return (int)count;
    }
    *completions = fabric->completions;
    return ibv_poll_cq(queue->cq, (int)smallest(max, WEIR_VERBS_CHAIN), fabric->completions);
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
        const struct ibv_wc *completions;
        unsigned wanted = smallest(max - count, WEIR_VERBS_CHAIN);
        bool is_stash = fabric->stash_count > 0;
        int found = collect(fabric, queue, wanted, &completions);

        if (found < 0) {
            fabric->is_broken = true;
            weir_verbs_lose_all(fabric, -EIO);
            break;
        }
        /* Each has room for one event at least. */
        for (int i = 0; i < found; i++)
            count += take_completion(fabric, &completions[i], &events[count],
                                     max - count - (unsigned)(found - 1 - i));
        if (fabric->pending != NULL)
            count += hand_back_pending(fabric, events + count, max - count);
        if (found == 0 && queue->returned > 0)
            is_empty_now(queue);
        if (!is_stash && (unsigned)found < wanted)
            break;
    }
    return count;
}

int weir_verbs_progress(struct weir_fabric *base, struct weir_event events[], unsigned max)
{
    struct weir_verbs_fabric *fabric = weir_verbs_fabric_of(base);
    unsigned count = 0;

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

/* ---- a wire that is waited for ---- */

/* Of the only wire in flight on this link. */
static bool ends_trip(const struct weir_verbs_fabric *fabric, const struct weir_verbs_link *link,
                      const struct ibv_wc *completion)
{
    const struct weir_verbs_lane *lane = lane_of(fabric, completion);

    return completion->status == IBV_WC_SUCCESS && (completion->wr_id & WEIR_VERBS_RECEIVE) == 0 &&
           lane != NULL && lane->link == link;
}

int weir_verbs_trip(struct weir_link *base, const struct weir_wire *wire)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct ibv_wc *completion = fabric->completions;
    struct weir_event event;
    int code = weir_verbs_post(base, wire, 1), found = 0;

    if (code != 1)
        return code;
    /* What was found before is told before. */
    if (fabric->stash_count > 0)
        return -EINPROGRESS;
    for (unsigned looks = 0; looks < TRIP_LOOKS && found == 0; looks++)
        found = ibv_poll_cq(link->queue->cq, 1, completion);
    if (found <= 0)
        return -EINPROGRESS;
    if (ends_trip(fabric, link, completion))
        return (int)take_completion(fabric, completion, &event, 1);
    fabric->stash_first = 0;
    fabric->stash_count = 1;
    return -EINPROGRESS;
}

/* ---- the end of a link ---- */

/* The one wire that failed has its own code; those behind it were never begun, or nobody knows. */
static int fate(const struct weir_verbs_lane *lane)
{
    const struct weir_verbs_link *link = lane->link;

    if ((int32_t)(lane->done - lane->tail) > 0)
        return 0;
    if (lane->has_failed && lane->tail == lane->failed)
        return lane->failed_code;
    return link->wire_failed ? -ECANCELED : link->base.lost_code;
}

int weir_verbs_drain(struct weir_link *base, struct weir_event events[], unsigned max)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    unsigned count = 0;

    /* Before a wire comes back, nothing may touch its memory any more. */
    weir_verbs_link_cut(link);
    for (unsigned i = 0; i < link->lane_count; i++) {
        struct weir_verbs_lane *lane = &link->lanes[i];

        if (lane->is_pending)
            weir_verbs_forget_pending(fabric, lane);
        while (lane->tail != lane->head && count < max) {
            int result = fate(lane);

            hand_back(lane, result, &events[count++]);
        }
    }
    return (int)count;
}

/* ---- sleeping ---- */

bool weir_verbs_arm(struct weir_fabric *base)
{
    struct weir_verbs_fabric *fabric = weir_verbs_fabric_of(base);

    if (fabric->is_broken || fabric->pending != NULL || fabric->stash_count > 0)
        return true;
    for (struct weir_verbs_queue *queue = fabric->queues; queue != NULL; queue = queue->next) {
        int found;

        if (ibv_req_notify_cq(queue->cq, 0) != 0)
            return true;
        /* What came before it was armed will not wake anybody. */
        found = ibv_poll_cq(queue->cq, WEIR_VERBS_CHAIN, fabric->completions);
        fabric->stash_first = 0;
        fabric->stash_count = found > 0 ? (unsigned)found : 0;
        if (found != 0)
            return true;
    }
    return false;
}
