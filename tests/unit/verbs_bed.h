/* SPDX-License-Identifier: Apache-2.0 */
/* An RDMA device that is made up: every call to it can be made to fail, whatever was opened and not
 * closed is counted, and the test plays the work request. */
#ifndef WEIR_TEST_VERBS_BED_H
#define WEIR_TEST_VERBS_BED_H

#include "network/fabric/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

extern const struct weir_provider weir_provider_verbs;

#define SENT 512
#define WAITING 256

/* A request as the device has taken it. */
struct sent {
    struct ibv_qp *qp;
    uint64_t id;
    enum ibv_wr_opcode opcode;
    unsigned flags;
    int pieces;
    struct ibv_sge piece[2];
    uint64_t remote;
    uint32_t rkey;
    bool is_first; /* of its chain */
};

struct file {
    const char *path;
    const char *text;
};

struct made_up {
    /* calls: which fails, the how many'th of it, and with which errno */
    const char *failing;
    unsigned failing_at;
    int failing_code;
    int live; /* opened and not closed */
    /* the device */
    struct ibv_device device;
    struct ibv_device others[3]; /* behind it: those that have a name */
    const char *down;            /* the one whose port is */
    struct ibv_device *list[5];
    bool has_no_devices;
    struct ibv_context context;
    struct ibv_device_attr attributes;
    struct ibv_port_attr port;
    struct ibv_gid_entry gids[4];
    ssize_t gid_count;
    uint32_t inline_granted;
    uint32_t inline_largest; /* more cannot be wished */
    unsigned queue_pairs, queues, regions;
    int queue_entries[8];
    /* the work request */
    struct sent sent[SENT];
    unsigned sent_count, received_count;
    unsigned takes; /* of a chain, then it fails with ENOMEM or failing_code; UINT_MAX: all */
    int take_code;
    bool answers_at_once; /* with this */
    enum ibv_wc_status answer;
    struct ibv_wc waiting[WAITING];
    unsigned waiting_count;
    bool poll_fails;
    unsigned armed, notify_code;
    struct ibv_qp_attr last_init, last_rtr, last_rts;
    uint32_t inline_wished;
    struct ibv_async_event async[4];
    unsigned async_count, async_acked;
    /* what happened to links */
    unsigned lost;
    int lost_code;
    /* files and limits */
    const struct file *files;
    rlim_t memlock;
};

static struct made_up made;

static const struct weir_provider *const verbs = &weir_provider_verbs;
static struct weir_fabric_params params; /* of the test */

static bool fails(const char *call)
{
    if (made.failing == NULL || strcmp(made.failing, call) != 0 || --made.failing_at > 0)
        return false;
    made.failing = NULL;
    errno = made.failing_code;
    return true;
}

static void *open_one(const char *call, size_t bytes)
{
    void *thing;

    if (fails(call))
        return NULL;
    thing = calloc(1, bytes);
    assert_non_null(thing);
    made.live++;
    return thing;
}

static int close_one(void *thing)
{
    assert_non_null(thing);
    made.live--;
    free(thing);
    return 0;
}

/* What is called instead of `name`. */
#define WRAP(type, name, ...)                                                                      \
    type __wrap_##name(__VA_ARGS__);                                                               \
    __attribute__((used)) type __wrap_##name(__VA_ARGS__)

/* Few of them look at all that they are given. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- devices ---- */

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

WRAP(struct ibv_device **, ibv_get_device_list, int *count)
{
    if (fails("ibv_get_device_list"))
        return NULL;
    made.live++;
    made.list[0] = made.has_no_devices ? NULL : &made.device;
    for (size_t i = 0; i < 3; i++)
        made.list[i + 1] = *made.others[i].name ? &made.others[i] : NULL;
    return made.list;
}

WRAP(void, ibv_free_device_list, struct ibv_device **list)
{
    assert_ptr_equal(list, made.list);
    made.live--;
}

WRAP(const char *, ibv_get_device_name, struct ibv_device *device)
{
    return device->name;
}

WRAP(struct ibv_context *, ibv_open_device, struct ibv_device *device)
{
    if (fails("ibv_open_device"))
        return NULL;
    made.live++;
    made.context.device = device;
    return &made.context;
}

WRAP(int, ibv_close_device, struct ibv_context *context)
{
    assert_ptr_equal(context, &made.context);
    made.live--;
    return 0;
}

WRAP(int, ibv_query_device, struct ibv_context *context, struct ibv_device_attr *attributes)
{
    *attributes = made.attributes;
    return fails("ibv_query_device") ? errno : 0;
}

WRAP(int, ibv_query_port, struct ibv_context *context, uint8_t port, void *attributes)
{
    assert_true(port >= 1);
    memcpy(attributes, &made.port, sizeof made.port);
    if (made.down && !strcmp(made.down, context->device->name))
        ((struct ibv_port_attr *)attributes)->state = IBV_PORT_DOWN;
    return fails("ibv_query_port") ? errno : 0;
}

WRAP(ssize_t, _ibv_query_gid_table, struct ibv_context *context, struct ibv_gid_entry *entries,
     size_t room, uint32_t flags, size_t bytes)
{
    assert_int_equal(bytes, sizeof *entries);
    assert_true(room >= (size_t)made.gid_count);
    if (fails("ibv_query_gid_table"))
        return -errno;
    memcpy(entries, made.gids, (size_t)made.gid_count * sizeof *entries);
    return made.gid_count;
}

/* ---- what is opened on them ---- */

WRAP(struct ibv_pd *, ibv_alloc_pd, struct ibv_context *context)
{
    assert_ptr_equal(context, &made.context);
    return open_one("ibv_alloc_pd", sizeof(struct ibv_pd));
}

WRAP(int, ibv_dealloc_pd, struct ibv_pd *pd)
{
    assert_int_equal(made.queue_pairs, 0);
    assert_int_equal(made.regions, 0);
    return close_one(pd);
}

WRAP(struct ibv_comp_channel *, ibv_create_comp_channel, struct ibv_context *context)
{
    return open_one("ibv_create_comp_channel", sizeof(struct ibv_comp_channel));
}

WRAP(int, ibv_destroy_comp_channel, struct ibv_comp_channel *channel)
{
    assert_int_equal(made.queues, 0);
    return close_one(channel);
}

WRAP(struct ibv_cq *, ibv_create_cq, struct ibv_context *context, int entries, void *owner,
     struct ibv_comp_channel *channel, int vector)
{
    struct ibv_cq *cq = open_one("ibv_create_cq", sizeof *cq);

    assert_non_null(channel);
    assert_true(entries <= made.attributes.max_cqe);
    if (cq == NULL)
        return NULL;
    cq->context = context;
    cq->cqe = entries;
    made.queue_entries[made.queues++] = entries;
    return cq;
}

WRAP(int, ibv_destroy_cq, struct ibv_cq *cq)
{
    assert_int_equal(made.queue_pairs, 0);
    made.queues--;
    return close_one(cq);
}

WRAP(struct ibv_qp *, ibv_create_qp, struct ibv_pd *pd, struct ibv_qp_init_attr *wish)
{
    struct ibv_qp *qp;

    assert_non_null(pd);
    made.inline_wished = wish->cap.max_inline_data;
    if (wish->cap.max_inline_data > made.inline_largest) {
        errno = EINVAL;
        return NULL;
    }
    qp = open_one("ibv_create_qp", sizeof *qp);
    if (qp == NULL)
        return NULL;
    wish->cap.max_inline_data = wish->cap.max_inline_data == 0 ? 0 : made.inline_granted;
    qp->context = &made.context;
    qp->qp_context = wish->qp_context;
    qp->send_cq = wish->send_cq;
    qp->qp_num = 100 + made.queue_pairs++;
    return qp;
}

WRAP(int, ibv_destroy_qp, struct ibv_qp *qp)
{
    made.queue_pairs--;
    return close_one(qp);
}

WRAP(int, ibv_modify_qp, struct ibv_qp *qp, struct ibv_qp_attr *state, int mask)
{
    assert_true((mask & IBV_QP_STATE) != 0);
    if (fails("ibv_modify_qp"))
        return errno;
    assert_int_equal(state->qp_state, qp->state + 1);
    qp->state = state->qp_state;
    if (state->qp_state == IBV_QPS_INIT)
        made.last_init = *state;
    if (state->qp_state == IBV_QPS_RTR)
        made.last_rtr = *state;
    if (state->qp_state == IBV_QPS_RTS)
        made.last_rts = *state;
    return 0;
}

static struct ibv_mr *register_memory(struct ibv_pd *pd, void *memory, size_t bytes)
{
    struct ibv_mr *mr = open_one("ibv_reg_mr", sizeof *mr);

    assert_non_null(pd);
    if (mr == NULL)
        return NULL;
    made.regions++;
    mr->addr = memory;
    mr->length = bytes;
    mr->lkey = 0x1000 + made.regions;
    mr->rkey = 0x2000 + made.regions;
    return mr;
}

WRAP(struct ibv_mr *, ibv_reg_mr, struct ibv_pd *pd, void *memory, size_t bytes, int access)
{
    struct ibv_mr *mr = register_memory(pd, memory, bytes);

    if (mr != NULL)
        mr->handle = (uint32_t)access;
    return mr;
}

WRAP(struct ibv_mr *, ibv_reg_mr_iova2, struct ibv_pd *pd, void *memory, size_t bytes, uint64_t at,
     unsigned access)
{
    return __wrap_ibv_reg_mr(pd, memory, bytes, (int)access);
}

WRAP(int, ibv_dereg_mr, struct ibv_mr *mr)
{
    made.regions--;
    return close_one(mr);
}

/* ---- the work request ---- */

static inline void complete(uint64_t id, enum ibv_wc_status status)
{
    assert_true(made.waiting_count < WAITING);
    made.waiting[made.waiting_count++] = (struct ibv_wc){.wr_id = id, .status = status};
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *request, struct ibv_send_wr **bad)
{
    bool is_first = true;

    for (unsigned taken = 0; request != NULL; request = request->next, taken++) {
        struct sent *sent = &made.sent[made.sent_count];

        if (taken == made.takes) {
            *bad = request;
            return made.take_code;
        }
        assert_true(made.sent_count < SENT);
        *sent = (struct sent){.qp = qp,
                              .id = request->wr_id,
                              .opcode = request->opcode,
                              .flags = request->send_flags,
                              .pieces = request->num_sge,
                              .remote = request->wr.rdma.remote_addr,
                              .rkey = request->wr.rdma.rkey,
                              .is_first = is_first};
        memcpy(sent->piece, request->sg_list, (size_t)request->num_sge * sizeof *sent->piece);
        is_first = false;
        made.sent_count++;
        if (made.answers_at_once)
            complete(request->wr_id, made.answer);
        assert_true(request->next != NULL || (request->send_flags & IBV_SEND_SIGNALED) != 0);
    }
    return 0;
}

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *request, struct ibv_recv_wr **bad)
{
    assert_non_null(qp);
    *bad = request;
    if (fails("ibv_post_recv"))
        return errno;
    made.received_count++;
    return 0;
}

static int poll_queue(struct ibv_cq *cq, int most, struct ibv_wc *completions)
{
    unsigned count = made.waiting_count < (unsigned)most ? made.waiting_count : (unsigned)most;

    assert_non_null(cq);
    if (made.poll_fails)
        return -1;
    memcpy(completions, made.waiting, count * sizeof *completions);
    memmove(made.waiting, made.waiting + count, (made.waiting_count - count) * sizeof *completions);
    made.waiting_count -= count;
    return (int)count;
}

static int arm_queue(struct ibv_cq *cq, int solicited)
{
    made.armed++;
    return (int)made.notify_code;
}

WRAP(int, ibv_get_cq_event, struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
    return -1;
}

WRAP(int, ibv_get_async_event, struct ibv_context *context, struct ibv_async_event *event)
{
    if (made.async_count == 0)
        return -1;
    *event = made.async[--made.async_count];
    return 0;
}

WRAP(void, ibv_ack_async_event, struct ibv_async_event *event)
{
    made.async_acked++;
}

/* ---- what fabric.c and poll.c do, which are left out ---- */

void weir_link_lose(struct weir_link *link, int code)
{
    if (link->state == WEIR_LINK_LOST)
        return;
    link->state = WEIR_LINK_LOST;
    link->lost_code = code;
    made.lost++;
    made.lost_code = code;
}

int weir_fabric_watch(struct weir_fabric *fabric, int fd, void *context, uint32_t events)
{
    return fails("weir_fabric_watch") ? -errno : 0;
}

/* ---- files and limits ---- */

WRAP(FILE *, fopen, const char *path, const char *mode)
{
    for (const struct file *file = made.files; file != NULL && file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return fmemopen((void *)(uintptr_t)file->text, strlen(file->text), "r");
    return NULL;
}

WRAP(int, getrlimit, int resource, struct rlimit *limit)
{
    assert_int_equal(resource, RLIMIT_MEMLOCK);
    limit->rlim_cur = limit->rlim_max = made.memlock;
    return 0;
}

#pragma GCC diagnostic pop

/* ---- a device as most are ---- */

static inline struct ibv_gid_entry gid_of(uint32_t index, uint32_t type, const char *address)
{
    struct ibv_gid_entry entry = {.gid_index = index, .port_num = 1, .gid_type = type};

    if (address[0] != '\0')
        assert_int_equal(inet_pton(AF_INET6, address, entry.gid.raw), 1);
    return entry;
}

static inline void make_up(void)
{
    made = (struct made_up){
        .device = {.node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB, .name = "mk0"},
        .attributes = {.max_mr_size = UINT64_C(1) << 40,
                       .max_qp = 1000,
                       .max_qp_wr = 4096,
                       .max_sge = 30,
                       .max_cq = 1000,
                       .max_cqe = 8192,
                       .max_mr = 1000,
                       .max_qp_rd_atom = 16,
                       .max_qp_init_rd_atom = 32,
                       .phys_port_cnt = 1},
        .port = {.state = IBV_PORT_ACTIVE,
                 .max_mtu = IBV_MTU_4096,
                 .active_mtu = IBV_MTU_1024,
                 .gid_tbl_len = 4,
                 .max_msg_sz = 1u << 30,
                 .active_width = 2,
                 .active_speed = 32,
                 .link_layer = IBV_LINK_LAYER_ETHERNET},
        .gid_count = 2,
        .inline_granted = 256,
        .inline_largest = UINT32_MAX,
        .takes = UINT32_MAX,
        .take_code = ENOMEM,
        .memlock = RLIM_INFINITY,
    };
    made.gids[0] = gid_of(0, IBV_GID_TYPE_ROCE_V2, "fe80::1");
    made.gids[1] = gid_of(3, IBV_GID_TYPE_ROCE_V2, "::ffff:10.0.0.7");
    made.context.async_fd = 0;
    made.context.ops.post_send = post_send;
    made.context.ops.post_recv = post_receive;
    made.context.ops.poll_cq = poll_queue;
    made.context.ops.req_notify_cq = arm_queue;
    params = (struct weir_fabric_params){.gid_index = -1,
                                         .depth = 64,
                                         .message_bytes = 4096,
                                         .message_credits = 8,
                                         .timeout_exponent = 14,
                                         .retry_count = 7,
                                         .timeout_ns = UINT64_C(1000000000)};
}

/* For each test. What it opens it closes. */
static int set_up(void **state)
{
    make_up();
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(made.live, 0);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Without that call, from the `at`th on. */
static inline void let_fail(const char *call, unsigned at, int code)
{
    made.failing = call;
    made.failing_at = at;
    made.failing_code = code;
}

static inline struct weir_fabric *open_fabric(void)
{
    struct weir_error error = {0};
    struct weir_fabric *fabric = NULL;

    if (verbs->open(&params, &fabric, &error) != 0)
        fail_msg("%s", error.text);
    fabric->provider = verbs;
    return fabric;
}

#endif
