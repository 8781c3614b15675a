/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs, and their way from INIT over RTR to RTS when the numbers of both ends came over a
 * socket. */
#include "verbs.h"

#include "weir/base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* Receivers that are not ready are asked again so often (7 would be for ever), after this time:
 * with credits it does not happen, and what does happen shall be seen. 16: 2.56 ms. */
#define RECEIVER_RETRIES 6
#define RECEIVER_TIMER 16
#define HOPS 64

void weir_verbs_pair_wish(const struct weir_verbs_link *link, const struct weir_verbs_lane *lane,
                          struct ibv_qp_init_attr *wish)
{
    bool is_first = lane == &link->lanes[0];

    *wish = (struct ibv_qp_init_attr){
        .qp_context = (void *)(uintptr_t)lane,
        .send_cq = link->queue->cq,
        .recv_cq = link->queue->cq,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = lane->size,
                .max_recv_wr = is_first ? link->receives : 1,
                .max_send_sge = 2,
                .max_recv_sge = 1,
                .max_inline_data = weir_verbs_inline(&weir_verbs_home(link)->settings)},
    };
}

int weir_verbs_receive(struct weir_verbs_link *link, unsigned number)
{
    struct ibv_sge piece = {
        .addr = (uintptr_t)(link->buffers + (size_t)number * link->receive_bytes),
        .length = link->receive_bytes,
        .lkey = link->buffers_mr->lkey,
    };
    struct ibv_recv_wr request = {.wr_id = WEIR_VERBS_RECEIVE | link->lanes[0].stamp | number,
                                  .sg_list = &piece,
                                  .num_sge = 1};
    struct ibv_recv_wr *bad;

    return -ibv_post_recv(link->lanes[0].qp, &request, &bad);
}

int weir_verbs_lane_begin(struct weir_verbs_lane *lane, const struct ibv_qp_init_attr *granted)
{
    struct weir_verbs_link *link = lane->link;
    int code = 0;

    lane->inline_bytes = granted->cap.max_inline_data;
    if (lane != &link->lanes[0])
        return 0;
    for (unsigned i = 0; i < link->receives && code == 0; i++)
        code = weir_verbs_receive(link, i);
    return code;
}

/* ---- over the socket ---- */

/* The same refusal is a smaller wish away from being granted, for want of room in requests. */
static struct ibv_qp *create_pair(struct weir_verbs_fabric *fabric, struct ibv_qp_init_attr *wish)
{
    struct ibv_qp *qp = ibv_create_qp(fabric->pd, wish);

    if (qp == NULL && errno == EINVAL) {
        wish->cap.max_inline_data = 0;
        qp = ibv_create_qp(fabric->pd, wish);
    }
    return qp;
}

static int to_init(const struct weir_verbs_lane *lane)
{
    const struct weir_verbs_fabric *fabric = weir_verbs_home(lane->link);
    struct ibv_qp_attr state = {.qp_state = IBV_QPS_INIT,
                                .pkey_index = (uint16_t)fabric->settings.pkey_index,
                                .port_num = fabric->port,
                                .qp_access_flags =
                                    IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};

    return -ibv_modify_qp(lane->qp, &state,
                          IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int weir_verbs_pairs_open(struct weir_verbs_link *link)
{
    struct weir_verbs_fabric *fabric = weir_verbs_home(link);

    for (unsigned i = 0; i < link->lane_count; i++) {
        struct weir_verbs_lane *lane = &link->lanes[i];
        struct ibv_qp_init_attr wish;
        int code;

        weir_verbs_pair_wish(link, lane, &wish);
        lane->qp = create_pair(fabric, &wish);
        if (lane->qp == NULL) {
            code = errno != 0 ? -errno : -EIO;
            weir_log(WEIR_LOG_WARNING,
                     "verbs: no queue pair number %u of a link for %u wires: %s; `weir doctor` "
                     "tells of the limits of device and control group",
                     i, lane->size, strerror(-code));
            return code;
        }
        code = to_init(lane);
        if (code == 0)
            code = weir_verbs_lane_begin(lane, &wish);
        if (code < 0)
            return code;
    }
    return 0;
}

static void fill_path(const struct weir_verbs_fabric *fabric, const struct weir_verbs_card *theirs,
                      struct ibv_ah_attr *path)
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

static int to_ready_to_receive(const struct weir_verbs_lane *lane, unsigned number,
                               const struct weir_verbs_card *theirs, enum ibv_mtu mtu,
                               uint8_t reads)
{
    struct ibv_qp_attr state = {.qp_state = IBV_QPS_RTR,
                                .path_mtu = mtu,
                                .dest_qp_num = theirs->pairs[number],
                                .rq_psn = theirs->psn,
                                .max_dest_rd_atomic = reads,
                                .min_rnr_timer = RECEIVER_TIMER};

    fill_path(weir_verbs_home(lane->link), theirs, &state.ah_attr);
    return -ibv_modify_qp(lane->qp, &state,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                              IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_ready_to_send(const struct weir_verbs_lane *lane, uint8_t reads)
{
    const struct weir_fabric_params *settings = &weir_verbs_home(lane->link)->settings;
    struct ibv_qp_attr state = {.qp_state = IBV_QPS_RTS,
                                .sq_psn = lane->link->psn,
                                .timeout = (uint8_t)settings->timeout_exponent,
                                .retry_cnt = (uint8_t)settings->retry_count,
                                .rnr_retry = RECEIVER_RETRIES,
                                .max_rd_atomic = reads};

    return -ibv_modify_qp(lane->qp, &state,
                          IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                              IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int refuse_path(const struct weir_verbs_link *link, const struct weir_verbs_card *theirs,
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

int weir_verbs_pairs_connect(struct weir_verbs_link *link, const struct weir_verbs_card *ours,
                             const struct weir_verbs_card *theirs)
{
    struct weir_verbs_reads reads = weir_verbs_reads_agreed(ours, theirs);
    enum ibv_mtu mtu = ours->mtu < theirs->mtu ? ours->mtu : theirs->mtu;

    for (unsigned i = 0; i < link->lane_count; i++) {
        int code = to_ready_to_receive(&link->lanes[i], i, theirs, mtu, reads.theirs);

        if (code < 0)
            return refuse_path(link, theirs, code);
        code = to_ready_to_send(&link->lanes[i], reads.ours);
        if (code < 0) {
            weir_log(WEIR_LOG_WARNING, "verbs: %s: a queue pair cannot begin to send: %s",
                     link->base.peer, strerror(-code));
            return code;
        }
    }
    return 0;
}
