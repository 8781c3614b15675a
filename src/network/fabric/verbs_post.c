/* SPDX-License-Identifier: Apache-2.0 */
/* Work requests become requests to the device, and receive buffers are given back to it. On a
 * reliable connection a SEND or READ comes after the WRITEs before it: nothing has to wait here. */
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

static uint32_t lkey_of(const struct weir_region *region)
{
    return ((const struct weir_verbs_region *)region)->mr->lkey;
}

/* A message in the request itself. */
static void fill_inline_send(const struct weir_wr *wr, struct ibv_send_wr *request)
{
    struct ibv_sge *piece = request->sg_list;

    request->send_flags |= IBV_SEND_INLINE;
    request->num_sge = 0;
    if (wr->header_bytes > 0)
        piece[request->num_sge++] =
            (struct ibv_sge){.addr = (uintptr_t)wr->header, .length = wr->header_bytes};
    if (wr->bytes > 0)
        piece[request->num_sge++] =
            (struct ibv_sge){.addr = (uintptr_t)wr->data, .length = (uint32_t)wr->bytes};
}

/* The header in a buffer of ours, with the data if they are small, else behind it from where they
 * lie. */
static void fill_send(struct weir_verbs_link *link, const struct weir_wr *wr,
                      struct ibv_send_wr *request)
{
    struct ibv_sge *piece = request->sg_list;
    uint64_t bytes = wr->header_bytes + wr->bytes;
    unsigned char *buffer = link->send_buffers +
                            (size_t)(link->send_head++ & (link->sends - 1)) * WEIR_VERBS_SEND_BYTES;

    request->num_sge = 1;
    if (wr->header_bytes > 0)
        memcpy(buffer, wr->header, wr->header_bytes);
    piece[0] = (struct ibv_sge){
        .addr = (uintptr_t)buffer, .length = wr->header_bytes, .lkey = link->buffers_mr->lkey};
    if (bytes <= WEIR_VERBS_SEND_BYTES) {
        if (wr->bytes > 0)
            memcpy(buffer + wr->header_bytes, wr->data, wr->bytes);
        piece[0].length = (uint32_t)bytes;
    } else {
        struct ibv_sge *data = &piece[wr->header_bytes > 0 ? 1 : 0];

        *data = (struct ibv_sge){.addr = (uintptr_t)wr->data,
                                 .length = (uint32_t)wr->bytes,
                                 .lkey = lkey_of(wr->region)};
        request->num_sge = (int)(data - piece) + 1;
    }
}

static void fill(struct weir_verbs_link *link, const struct weir_wr *wr,
                 struct ibv_send_wr *request)
{
    struct weir_verbs_slot *slot = &link->slots[link->head & (link->size - 1)];
    struct ibv_sge *piece = request->sg_list;
    bool is_inline = wr->header_bytes + wr->bytes <= link->inline_bytes;

    *slot = (struct weir_verbs_slot){.context = wr->context,
                                     .has_buffer = wr->verb == WEIR_WR_SEND && !is_inline};
    request->wr_id = link->stamp | link->head++;
    request->send_flags = 0;
    if (wr->verb == WEIR_WR_SEND) {
        request->opcode = IBV_WR_SEND;
        if (is_inline)
            fill_inline_send(wr, request);
        else
            fill_send(link, wr, request);
        return;
    }
    *piece = (struct ibv_sge){
        .addr = (uintptr_t)wr->data, .length = (uint32_t)wr->bytes, .lkey = lkey_of(wr->region)};
    request->num_sge = 1;
    request->wr.rdma.remote_addr = wr->remote_address;
    request->wr.rdma.rkey = (uint32_t)wr->remote->key;
    request->opcode = wr->verb == WEIR_WR_READ ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
    if (wr->verb == WEIR_WR_WRITE && is_inline)
        request->send_flags |= IBV_SEND_INLINE;
}

/* Takes back what was filled in and not handed over. */
static void unfill(struct weir_verbs_link *link, unsigned count)
{
    while (count-- > 0)
        link->send_head -= link->slots[--link->head & (link->size - 1)].has_buffer;
}

/* Fills requests for up to `most` work requests: fewer if messages find no buffer. */
static unsigned build(struct weir_verbs_link *link, const struct weir_wr wrs[], unsigned most)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    unsigned every = fabric->settings.signal_every, since = 0, count = 0;

    while (count < most &&
           (wrs[count].verb != WEIR_WR_SEND || link->send_head - link->send_tail < link->sends)) {
        fill(link, &wrs[count], &fabric->requests[count]);
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
static int hand_over(struct weir_verbs_link *link, unsigned count)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct ibv_send_wr *last = &fabric->requests[count - 1], *next = last->next, *bad = NULL;
    unsigned taken = count;
    int code;

    last->send_flags |= IBV_SEND_SIGNALED;
    last->next = NULL;
    code = -ibv_post_send(link->qp, fabric->requests, &bad);
    last->next = next;
    if (code == 0)
        return (int)taken;
    /* Without a word on where it stopped, it is the first one. */
    taken = bad != NULL ? (unsigned)(bad - fabric->requests) : 0;
    unfill(link, count - taken);
    /* What was taken may be unsignalled, with nothing behind it that would tell of its end: then
     * only the end of the link hands it back. A full queue, as some drivers have it earlier than
     * they said, is no failure as long as completions will make room. */
    if (taken > 0 || code != -ENOMEM || link->head == link->tail)
        weir_link_lose(&link->base, code);
    return taken > 0 ? (int)taken : code;
}

int weir_verbs_post(struct weir_link *base, const struct weir_wr wrs[], unsigned count, bool waits)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    unsigned chain = weir_verbs_smaller(WEIR_VERBS_CHAIN, link->size / 2);
    unsigned taken = 0;

    while (taken < count) {
        unsigned room = link->size - (link->head - link->tail);
        unsigned most = weir_verbs_smaller(weir_verbs_smaller(chain, room), count - taken);
        unsigned built = build(link, wrs + taken, most);
        int handed;

        if (built == 0)
            break;
        handed = hand_over(link, built);
        if (handed < 0)
            return taken > 0 || handed == -ENOMEM ? (int)taken : handed;
        taken += (unsigned)handed;
        if ((unsigned)handed < built)
            break;
    }
    return waits && taken == 1 ? weir_verbs_wait(link) : (int)taken;
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
