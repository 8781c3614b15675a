/* SPDX-License-Identifier: Apache-2.0 */
/* Links: what is allocated for one, how it comes up and how it is cut. */
#include "verbs.h"

#include "weir/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#define PLACES 0x10000u
#define GENERATIONS 0x8000u
#define FEWEST_REQUESTS 4u

/* ---- sizes ---- */

static unsigned power_of_two(unsigned least)
{
    unsigned power = 1;

    while (power < least)
        power *= 2;
    return power;
}

unsigned weir_verbs_lane_size(const struct weir_fabric_params *params)
{
    unsigned share = (params->depth + params->pairs - 1) / params->pairs;

    return power_of_two(share > FEWEST_REQUESTS ? share : FEWEST_REQUESTS);
}

/* All lanes have a receive queue, those without messages one of one entry. */
unsigned weir_verbs_link_entries(const struct weir_fabric_params *params)
{
    return params->pairs * weir_verbs_lane_size(params) + params->message_credits + params->pairs -
           1;
}

/* A message is told at an address aligned to 64 bytes. */
static unsigned receive_bytes(const struct weir_fabric_params *params)
{
    return (params->message_bytes + 63) / 64 * 64;
}

size_t weir_verbs_link_bytes(const struct weir_fabric_params *params)
{
    return (size_t)params->message_credits * receive_bytes(params) +
           (size_t)power_of_two(params->message_credits) * WEIR_VERBS_SEND_BYTES;
}

/* ---- the table of lanes, by which completions find them ---- */

static int grow_table(struct weir_verbs_fabric *fabric)
{
    unsigned places = fabric->places > 0 ? 2 * fabric->places : 64;
    struct weir_verbs_lane **table;
    unsigned *generations;

    if (places > PLACES)
        return -EMFILE;
    table = realloc(fabric->table, places * sizeof *table);
    if (table == NULL)
        return -ENOMEM;
    fabric->table = table;
    generations = realloc(fabric->generations, places * sizeof *generations);
    if (generations == NULL)
        return -ENOMEM;
    fabric->generations = generations;
    memset(table + fabric->places, 0, (places - fabric->places) * sizeof *table);
    memset(generations + fabric->places, 0, (places - fabric->places) * sizeof *generations);
    fabric->places = places;
    return 0;
}

static int take_place(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane)
{
    unsigned place = 0;
    int code;

    while (place < fabric->places && fabric->table[place] != NULL)
        place++;
    if (place == fabric->places) {
        code = grow_table(fabric);
        if (code < 0)
            return code;
    }
    fabric->generations[place] = (fabric->generations[place] + 1) % GENERATIONS;
    fabric->table[place] = lane;
    lane->stamp = (uint64_t)fabric->generations[place] << 48 | (uint64_t)place << 32;
    return 0;
}

static void leave_place(struct weir_verbs_fabric *fabric, struct weir_verbs_lane *lane)
{
    unsigned place = WEIR_VERBS_PLACE(lane->stamp);

    if (place < fabric->places && fabric->table[place] == lane)
        fabric->table[place] = NULL;
}

int weir_verbs_lane_renew(struct weir_verbs_lane *lane)
{
    struct weir_verbs_link *link = lane->link;
    struct weir_verbs_queue *queue = link->queue;

    if (queue->entries - queue->taken < link->receives)
        return -EAGAIN;
    queue->taken += link->receives;
    queue->returned += link->receives;
    leave_place(weir_verbs_home(link), lane);
    return take_place(weir_verbs_home(link), lane);
}

/* ---- opening ---- */

static int open_buffers(struct weir_verbs_link *link)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    size_t bytes = weir_verbs_link_bytes(&fabric->settings);
    struct weir_error error = {0};
    int code;

    link->receives = fabric->settings.message_credits;
    link->receive_bytes = receive_bytes(&fabric->settings);
    link->sends = power_of_two(link->receives);
    link->buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (link->buffers == MAP_FAILED) {
        link->buffers = NULL;
        return -ENOMEM;
    }
    link->send_buffers = link->buffers + (size_t)link->receives * link->receive_bytes;
    link->buffers_mr = ibv_reg_mr(fabric->pd, link->buffers, bytes, IBV_ACCESS_LOCAL_WRITE);
    if (link->buffers_mr == NULL) {
        code = weir_verbs_refuse_region(fabric, bytes, errno != 0 ? -errno : -ENOMEM, &error);
        weir_log(WEIR_LOG_WARNING, "%s", error.text);
        return code;
    }
    return 0;
}

static int open_lanes(struct weir_verbs_link *link)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    unsigned size = weir_verbs_lane_size(&fabric->settings);

    link->lane_count = fabric->settings.pairs;
    for (unsigned i = 0; i < link->lane_count; i++) {
        struct weir_verbs_lane *lane = &link->lanes[i];
        int code;

        lane->link = link;
        lane->size = size;
        lane->slots = calloc(size, sizeof *lane->slots);
        if (lane->slots == NULL)
            return -ENOMEM;
        code = take_place(fabric, lane);
        if (code < 0)
            return code;
    }
    return 0;
}

static uint8_t byte_of(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value);
}

static void describe(const struct weir_verbs_link *link, struct weir_verbs_card *card)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_home(link);

    card->transport = (uint8_t)fabric->context->device->transport_type;
    card->layer = fabric->attributes.link_layer;
    card->gid_type = (uint8_t)fabric->gid.type;
    card->uses_cm = fabric->uses_cm;
    card->mtu = (uint8_t)weir_verbs_mtu(fabric->base.facts.mtu_bytes);
    card->answers = byte_of(fabric->device.max_qp_rd_atom);
    card->begins = byte_of((int)fabric->base.facts.read_depth);
    card->lanes = (uint8_t)link->lane_count;
    card->lid = fabric->attributes.lid;
    card->psn = link->psn;
    card->has_gid = fabric->gid.index >= 0;
    memcpy(card->gid, fabric->gid.gid.raw, sizeof card->gid);
    for (unsigned i = 0; i < link->lane_count; i++)
        card->pairs[i] = link->lanes[i].qp != NULL ? link->lanes[i].qp->qp_num : 0;
}

static int begin(struct weir_verbs_link *link, bool is_incoming, struct weir_card *card)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct weir_verbs_card values = {0};
    int code = fabric->is_broken ? -EIO : open_lanes(link);

    if (code < 0)
        return code;
    code = weir_verbs_queue_take(fabric, weir_verbs_link_entries(&fabric->settings), &link->queue);
    if (code < 0)
        return code;
    link->entries = weir_verbs_link_entries(&fabric->settings);
    code = open_buffers(link);
    if (code < 0)
        return code;
    if (getrandom(&link->psn, sizeof link->psn, 0) < 0 ||
        getrandom(&link->token, sizeof link->token, 0) < 0)
        return -errno;
    link->psn &= 0xffffff;
    if (!fabric->uses_cm)
        code = weir_verbs_pairs_open(link);
    else if (is_incoming)
        code = weir_verbs_cm_listen(fabric, &values);
    if (code < 0)
        return code;
    describe(link, &values);
    values.token = is_incoming ? link->token : 0;
    weir_verbs_card_write(&values, card);
    return 0;
}

int weir_verbs_link_open(struct weir_fabric *base, bool is_incoming, struct weir_link **out,
                         struct weir_card *card)
{
    struct weir_verbs_link *link = calloc(1, sizeof *link);
    int code;

    if (link == NULL)
        return -ENOMEM;
    link->base.fabric = base;
    link->base.is_incoming = is_incoming;
    link->base.socket = -1;
    link->is_iwarp = weir_verbs_fabric_of(base)->is_iwarp;
    code = begin(link, is_incoming, card);
    if (code < 0) {
        weir_verbs_link_close(&link->base);
        return code;
    }
    *out = &link->base;
    return 0;
}

/* ---- joining ---- */

/* The end with more of them has the rest for nothing. */
static void keep_lanes(struct weir_verbs_link *link, unsigned count)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);

    while (link->lane_count > count) {
        struct weir_verbs_lane *lane = &link->lanes[--link->lane_count];

        if (lane->qp != NULL)
            ibv_destroy_qp(lane->qp);
        leave_place(fabric, lane);
        free(lane->slots);
        *lane = (struct weir_verbs_lane){0};
    }
}

int weir_verbs_link_join(struct weir_link *base, const struct weir_card *card)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    struct weir_verbs_card ours = {0}, theirs;
    const char *quarrel;

    describe(link, &ours);
    weir_verbs_card_read(card, &theirs);
    quarrel = weir_verbs_card_quarrel(&ours, &theirs);
    if (quarrel != NULL) {
        weir_log(WEIR_LOG_WARNING, "verbs: %s: %s", base->peer, quarrel);
        return -EPROTONOSUPPORT;
    }
    keep_lanes(link, theirs.lanes);
    base->mtu_bytes =
        weir_verbs_mtu_bytes((enum ibv_mtu)(ours.mtu < theirs.mtu ? ours.mtu : theirs.mtu));
    link->reads = weir_verbs_reads_agreed(&ours, &theirs);
    if (!ours.uses_cm)
        return weir_verbs_pairs_connect(link, &ours, &theirs);
    /* Who comes in waits for the connections of the other end, which says READY after them. */
    return base->is_incoming ? 0 : weir_verbs_cm_connect(link, &theirs);
}

/* ---- the end ---- */

void weir_verbs_link_cut(struct weir_verbs_link *link)
{
    if (link->is_cut)
        return;
    link->is_cut = true;
    for (unsigned i = 0; i < link->lane_count; i++) {
        struct weir_verbs_lane *lane = &link->lanes[i];

        if (lane->id != NULL) {
            if (lane->qp != NULL)
                rdma_destroy_qp(lane->id);
            rdma_destroy_id(lane->id);
        } else if (lane->qp != NULL) {
            ibv_destroy_qp(lane->qp);
        }
        lane->id = NULL;
        lane->qp = NULL;
    }
}

void weir_verbs_link_close(struct weir_link *base)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);

    weir_verbs_link_cut(link);
    for (unsigned i = 0; i < link->lane_count; i++) {
        weir_verbs_forget_pending(fabric, &link->lanes[i]);
        leave_place(fabric, &link->lanes[i]);
        free(link->lanes[i].slots);
    }
    if (link->buffers_mr != NULL)
        ibv_dereg_mr(link->buffers_mr);
    if (link->buffers != NULL)
        munmap(link->buffers, weir_verbs_link_bytes(&fabric->settings));
    if (link->queue != NULL)
        link->queue->returned += link->entries;
    free(link);
}
