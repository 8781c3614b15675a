/* SPDX-License-Identifier: Apache-2.0 */
/* Links: what is allocated for one, how its queue pair goes from INIT over RTR to RTS once both
 * ends know of each other, and how it is cut. */
#include "verbs.h"

#include "weir/base/log.h"
#include "weir/base/pages.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PLACES 0x10000u
#define GENERATIONS 0x8000u
#define FEWEST_REQUESTS 4u

/* A receiver that is not ready is asked again so often (7 would be for ever), after this time: with
 * credits it does not happen, and what does happen shall be seen. 16: 2.56 ms. */
#define RECEIVER_RETRIES 6
#define RECEIVER_TIMER 16
#define HOPS 64

/* ---- sizes ---- */

unsigned weir_verbs_send_requests(const struct weir_fabric_params *params)
{
    return weir_ring_size(params->depth > FEWEST_REQUESTS ? params->depth : FEWEST_REQUESTS);
}

unsigned weir_verbs_link_entries(const struct weir_fabric_params *params)
{
    return weir_verbs_send_requests(params) + params->message_credits;
}

/* A message is told at an address aligned to 64 bytes. */
static unsigned receive_bytes(const struct weir_fabric_params *params)
{
    return (params->message_bytes + 63) / 64 * 64;
}

size_t weir_verbs_link_bytes(const struct weir_fabric_params *params)
{
    return (size_t)params->message_credits * receive_bytes(params) +
           (size_t)weir_ring_size(params->message_credits) * WEIR_VERBS_SEND_BYTES;
}

/* ---- the table of links, by which completions find them ---- */

static int grow_table(struct weir_verbs_fabric *fabric)
{
    unsigned places = fabric->places > 0 ? 2 * fabric->places : 64;
    struct weir_verbs_place *table;

    if (places > PLACES)
        return -EMFILE;
    table = realloc(fabric->table, places * sizeof *table);
    if (table == NULL)
        return -ENOMEM;
    for (unsigned i = fabric->places; i < places; i++)
        table[i] = (struct weir_verbs_place){.next_free = i + 1};
    fabric->table = table;
    fabric->free_place = fabric->places;
    fabric->places = places;
    return 0;
}

static int take_place(struct weir_verbs_fabric *fabric, struct weir_verbs_link *link)
{
    int code = fabric->free_place < fabric->places ? 0 : grow_table(fabric);
    unsigned number = fabric->free_place;
    struct weir_verbs_place *place;

    if (code < 0)
        return code;
    place = &fabric->table[number];
    fabric->free_place = place->next_free;
    place->generation = (place->generation + 1) % GENERATIONS;
    place->link = link;
    link->stamp = (uint64_t)place->generation << 48 | (uint64_t)number << 32;
    return 0;
}

static void leave_place(struct weir_verbs_fabric *fabric, const struct weir_verbs_link *link)
{
    unsigned number = WEIR_VERBS_PLACE(link->stamp);

    if (number >= fabric->places || fabric->table[number].link != link)
        return;
    fabric->table[number].link = NULL;
    fabric->table[number].next_free = fabric->free_place;
    fabric->free_place = number;
}

/* ---- the queue pair ---- */

struct ibv_qp *weir_verbs_pair_create(const struct weir_verbs_fabric *fabric,
                                      const struct weir_verbs_queue *queue, uint32_t *granted)
{
    struct ibv_qp_init_attr wanted = {
        .send_cq = queue->cq,
        .recv_cq = queue->cq,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = weir_verbs_send_requests(&fabric->settings),
                .max_recv_wr = fabric->settings.message_credits,
                .max_send_sge = 2,
                .max_recv_sge = 1,
                .max_inline_data = weir_verbs_inline(&fabric->settings)},
    };
    struct ibv_qp *qp = ibv_create_qp(fabric->pd, &wanted);

    /* Requests may have no room for data: without, the same is granted. */
    if (qp == NULL && errno == EINVAL) {
        wanted.cap.max_inline_data = 0;
        qp = ibv_create_qp(fabric->pd, &wanted);
    }
    if (qp != NULL)
        *granted = wanted.cap.max_inline_data;
    return qp;
}

int weir_verbs_receive(struct weir_verbs_link *link, unsigned number)
{
    struct ibv_sge piece = {
        .addr = (uintptr_t)(link->buffers + (size_t)number * link->receive_bytes),
        .length = link->receive_bytes,
        .lkey = link->buffers_mr->lkey,
    };
    struct ibv_recv_wr request = {
        .wr_id = WEIR_VERBS_RECEIVE | link->stamp | number, .sg_list = &piece, .num_sge = 1};
    struct ibv_recv_wr *bad;

    return -ibv_post_recv(link->qp, &request, &bad);
}

static int to_init(const struct weir_verbs_link *link)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct ibv_qp_attr state = {.qp_state = IBV_QPS_INIT,
                                .pkey_index = (uint16_t)fabric->settings.pkey_index,
                                .port_num = fabric->port,
                                .qp_access_flags =
                                    IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};

    return -ibv_modify_qp(link->qp, &state,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

/* In INIT, and with its receive buffers. */
static int open_pair(struct weir_verbs_link *link)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    int code;

    link->qp = weir_verbs_pair_create(fabric, link->queue, &link->inline_bytes);
    if (link->qp == NULL) {
        code = errno != 0 ? -errno : -EIO;
        weir_log(
            WEIR_LOG_WARNING,
            "verbs: no queue pair for %u work requests: %s; `weir doctor` tells of the limits of "
            "device and control group",
            link->size, strerror(-code));
        return code;
    }
    link->qp->qp_context = link;
    code = to_init(link);
    for (unsigned i = 0; i < link->receives && code == 0; i++)
        code = weir_verbs_receive(link, i);
    return code;
}

static void fill_path(const struct weir_verbs_fabric *fabric,
                      const struct weir_verbs_endpoint *theirs, struct ibv_ah_attr *path)
{
    bool is_ethernet = fabric->attributes.link_layer == IBV_LINK_LAYER_ETHERNET;

    path->port_num = fabric->port;
    path->dlid = theirs->lid;
    path->sl = (uint8_t)fabric->settings.service_level;
    if (!theirs->has_gid)
        return;
    /* Within a subnet of InfiniBand the LID is enough. */
    if (!is_ethernet && theirs->lid != 0 && memcmp(fabric->gid.gid.raw, theirs->gid, 8) == 0)
        return;
    path->is_global = 1;
    memcpy(path->grh.dgid.raw, theirs->gid, sizeof theirs->gid);
    path->grh.sgid_index = (uint8_t)fabric->gid.index;
    path->grh.hop_limit = HOPS;
    path->grh.traffic_class = (uint8_t)fabric->settings.traffic_class;
}

static int to_ready_to_receive(const struct weir_verbs_link *link,
                               const struct weir_verbs_endpoint *theirs, enum ibv_mtu mtu,
                               uint8_t reads)
{
    struct ibv_qp_attr state = {.qp_state = IBV_QPS_RTR,
                                .path_mtu = mtu,
                                .dest_qp_num = theirs->queue_pair,
                                .rq_psn = theirs->psn,
                                .max_dest_rd_atomic = reads,
                                .min_rnr_timer = RECEIVER_TIMER};

    fill_path(weir_verbs_home(link), theirs, &state.ah_attr);
    return -ibv_modify_qp(link->qp, &state,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                              IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_ready_to_send(const struct weir_verbs_link *link, uint8_t reads)
{
    const struct weir_fabric_params *settings = &weir_verbs_home(link)->settings;
    struct ibv_qp_attr state = {.qp_state = IBV_QPS_RTS,
                                .sq_psn = link->psn,
                                .timeout = (uint8_t)settings->timeout_exponent,
                                .retry_cnt = (uint8_t)settings->retry_count,
                                .rnr_retry = RECEIVER_RETRIES,
                                .max_rd_atomic = reads};

    return -ibv_modify_qp(link->qp, &state,
                          IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                              IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int refuse_path(const struct weir_verbs_link *link, const struct weir_verbs_endpoint *theirs,
                       int code)
{
    char ours[INET6_ADDRSTRLEN], other[INET6_ADDRSTRLEN];
    union ibv_gid gid;

    memcpy(gid.raw, theirs->gid, sizeof gid.raw);
    weir_verbs_gid_text(&gid, other, sizeof other);
    weir_verbs_gid_text(&weir_verbs_home(link)->gid.gid, ours, sizeof ours);
    weir_log(WEIR_LOG_WARNING,
             "verbs: %s: no path from GID %s to GID %s (LID %u): %s; is there a route between the "
             "two, and are both of one network?",
             link->base.peer, ours, other, theirs->lid, strerror(-code));
    return code;
}

static int connect_pair(struct weir_verbs_link *link, const struct weir_verbs_endpoint *ours,
                        const struct weir_verbs_endpoint *theirs)
{
    struct weir_verbs_reads reads = weir_verbs_reads_agreed(ours, theirs);
    enum ibv_mtu mtu = ours->mtu < theirs->mtu ? ours->mtu : theirs->mtu;
    int code = to_ready_to_receive(link, theirs, mtu, reads.theirs);

    if (code < 0)
        return refuse_path(link, theirs, code);
    code = to_ready_to_send(link, reads.ours);
    if (code < 0)
        weir_log(WEIR_LOG_WARNING, "verbs: %s: a queue pair cannot begin to send: %s",
                 link->base.peer, strerror(-code));
    link->base.mtu_bytes = weir_verbs_mtu_bytes(mtu);
    return code;
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
    link->sends = weir_ring_size(link->receives);
    link->buffers = weir_pages_map(bytes);
    if (link->buffers == NULL)
        return -ENOMEM;
    link->send_buffers = link->buffers + (size_t)link->receives * link->receive_bytes;
    /* No relaxed ordering: a message must not be seen before the data that it speaks of. */
    link->buffers_mr = ibv_reg_mr(fabric->pd, link->buffers, bytes, IBV_ACCESS_LOCAL_WRITE);
    if (link->buffers_mr == NULL) {
        code = weir_verbs_refuse_region(fabric, bytes, errno != 0 ? -errno : -ENOMEM, &error);
        weir_log(WEIR_LOG_WARNING, "%s", error.text);
        return code;
    }
    return 0;
}

static uint8_t byte_of(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > UINT8_MAX ? UINT8_MAX : value);
}

static struct weir_verbs_endpoint describe(const struct weir_verbs_link *link)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    struct weir_verbs_endpoint endpoint = {
        .layer = fabric->attributes.link_layer,
        .gid_type = (uint8_t)fabric->gid.type,
        .has_gid = fabric->gid.index >= 0,
        .mtu = (uint8_t)weir_verbs_mtu(fabric->base.facts.mtu_bytes),
        .answers = byte_of(fabric->device.max_qp_rd_atom),
        .begins = byte_of((int)fabric->base.facts.read_depth),
        .lid = fabric->attributes.lid,
        .psn = link->psn,
        .queue_pair = link->qp->qp_num,
    };

    memcpy(endpoint.gid, fabric->gid.gid.raw, sizeof endpoint.gid);
    return endpoint;
}

static int begin(struct weir_verbs_link *link)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);
    int code = fabric->is_broken ? -EIO : weir_verbs_watch(fabric);

    if (code == 0)
        code = take_place(fabric, link);
    if (code < 0)
        return code;
    link->size = weir_verbs_send_requests(&fabric->settings);
    link->slots = calloc(link->size, sizeof *link->slots);
    if (link->slots == NULL)
        return -ENOMEM;
    code = weir_verbs_queue_take(fabric, weir_verbs_link_entries(&fabric->settings), &link->queue);
    if (code < 0)
        return code;
    link->entries = weir_verbs_link_entries(&fabric->settings);
    code = open_buffers(link);
    if (code < 0)
        return code;
    if (getrandom(&link->psn, sizeof link->psn, 0) < 0)
        return -errno;
    link->psn &= 0xffffff;
    return open_pair(link);
}

int weir_verbs_link_open(struct weir_fabric *base, struct weir_link **out,
                         struct weir_endpoint_info *info)
{
    struct weir_verbs_link *link = calloc(1, sizeof *link);
    struct weir_verbs_endpoint ours;
    int code;

    if (link == NULL)
        return -ENOMEM;
    link->base.fabric = base;
    code = begin(link);
    if (code < 0) {
        weir_verbs_link_close(&link->base);
        return code;
    }
    ours = describe(link);
    ours.lid = htole16(ours.lid);
    ours.psn = htole32(ours.psn);
    ours.queue_pair = htole32(ours.queue_pair);
    memcpy(info->bytes, &ours, sizeof ours);
    *out = &link->base;
    return 0;
}

int weir_verbs_link_join(struct weir_link *base, const struct weir_endpoint_info *info)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    struct weir_verbs_endpoint ours = describe(link), theirs;
    const char *mismatch;

    memcpy(&theirs, info->bytes, sizeof theirs);
    theirs.lid = le16toh(theirs.lid);
    theirs.psn = le32toh(theirs.psn);
    theirs.queue_pair = le32toh(theirs.queue_pair);
    mismatch = weir_verbs_mismatch(&ours, &theirs);
    if (mismatch != NULL) {
        weir_log(WEIR_LOG_WARNING, "verbs: %s: %s", base->peer, mismatch);
        return -EPROTONOSUPPORT;
    }
    return connect_pair(link, &ours, &theirs);
}

/* ---- the end ---- */

void weir_verbs_link_cut(struct weir_verbs_link *link)
{
    link->is_cut = true;
    if (link->qp != NULL)
        ibv_destroy_qp(link->qp);
    link->qp = NULL;
}

void weir_verbs_link_close(struct weir_link *base)
{
    struct weir_verbs_link *link = weir_verbs_link_of(base);
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);

    weir_verbs_link_cut(link);
    weir_verbs_forget_pending(fabric, link);
    leave_place(fabric, link);
    free(link->slots);
    if (link->buffers_mr != NULL)
        ibv_dereg_mr(link->buffers_mr);
    weir_pages_unmap(link->buffers, weir_verbs_link_bytes(&fabric->settings));
    if (link->queue != NULL)
        link->queue->returned += link->entries;
    free(link);
}
