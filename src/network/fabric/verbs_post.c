/* SPDX-License-Identifier: Apache-2.0 */
/* Wires become requests to the device, and receive buffers are given back to it.
 *
 * What must not be overtaken: on one queue pair, a SEND or READ comes after the WRITEs before it by
 * the rules of reliable connections. With several pairs, messages have the first one, and wait
 * until WRITEs on the others are completed; a READ waits for those WRITEs on others that touch what
 * it reads. Waiting means that post takes no more: it never blocks.
 *
 * Software iWARP lets others complete before the READs in front of them, though we take a
 * completion for the end of all requests before it (verbs_completion.c). Its fence is no remedy:
 * where both ends read, each may wait for the other's answers behind it for ever (siw of Linux 6.1
 * answers four READs, then looks at its own queue, and sleeps if that is fenced or has as many
 * READs in flight as may be). So nothing that would have to wait is handed to it, nor to iWARP in
 * hardware, of which we have seen none. */
#include "verbs.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

void weir_verbs_requests_init(struct weir_verbs_fabric *fabric)
{
    for (unsigned i = 0; i < WEIR_VERBS_CHAIN; i++) {
        fabric->requests[i].sg_list = fabric->pieces[i];
        fabric->requests[i].next = i + 1 < WEIR_VERBS_CHAIN ? &fabric->requests[i + 1] : NULL;
    }
}

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

int weir_verbs_post(struct weir_link *base, const struct weir_wire wires[], unsigned count)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    unsigned depth = weir_verbs_home(link)->settings.depth;
    unsigned share = link->lane_count == 1 ? WEIR_VERBS_CHAIN
                                           : (count + link->lane_count - 1) / link->lane_count;
    unsigned taken = 0;

    share = weir_verbs_smaller(share, WEIR_VERBS_CHAIN);
    while (taken < count && link->flying < depth) {
        struct weir_verbs_lane *lane = next_lane(link, &wires[taken]);
        unsigned room =
            weir_verbs_smaller(lane->size - (lane->head - lane->tail), depth - link->flying);
        unsigned most = weir_verbs_smaller(weir_verbs_smaller(share, lane->size / 2),
                                           weir_verbs_smaller(room, count - taken));
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
    unsigned number = (unsigned)offset / link->receive_bytes;
    int code;

    assert(number < link->receives);
    if (link->is_cut || base->state == WEIR_LINK_LOST)
        return;
    code = weir_verbs_receive(link, number);
    if (code < 0)
        weir_link_lose(base, code);
}
