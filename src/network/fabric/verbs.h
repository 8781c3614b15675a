/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the verbs provider know of each other. */
#ifndef WEIR_NETWORK_FABRIC_VERBS_H
#define WEIR_NETWORK_FABRIC_VERBS_H

#include "provider.h"

#include <infiniband/verbs.h>

/* Requests handed to the device in one call, and completions taken in one. */
#define WEIR_VERBS_CHAIN 32u
/* Asked of the device for data that travel in the request itself. */
#define WEIR_VERBS_INLINE 220u
/* A message's header, and data behind it that are small enough to be copied. */
#define WEIR_VERBS_SEND_BYTES 2048u

/* What completions carry in wr_id: whether it was a receive; the link's place in the table, with
 * the generation of that place, since completions of queue pairs that are gone may still come; the
 * sequence of the request or the number of the receive buffer. */
#define WEIR_VERBS_RECEIVE (UINT64_C(1) << 63)
#define WEIR_VERBS_STAMP UINT64_C(0x7fffffff00000000)
#define WEIR_VERBS_PLACE(id) ((unsigned)((id) >> 32) & 0xffffu)

static inline uint32_t weir_verbs_inline(const struct weir_fabric_params *settings)
{
    if (settings->inline_bytes == WEIR_INLINE_NONE)
        return 0;
    return settings->inline_bytes > 0 ? settings->inline_bytes : WEIR_VERBS_INLINE;
}

static inline unsigned weir_verbs_smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* What one end tells the other before the queue pairs are connected: little-endian, no padding. */
struct weir_verbs_endpoint {
    uint8_t layer; /* link layer: IBV_LINK_LAYER_... */
    uint8_t gid_type;
    uint8_t has_gid;
    uint8_t mtu;     /* enum ibv_mtu */
    uint8_t answers; /* reads that it answers at once */
    uint8_t begins;  /* reads that it begins at once */
    uint16_t lid;
    uint32_t psn;
    uint32_t queue_pair;
    uint8_t gid[16];
};
_Static_assert(sizeof(struct weir_verbs_endpoint) == 32, "padding travels");

/* Reads in flight that both ends bear: those that we begin, and those that we answer. */
struct weir_verbs_reads {
    uint8_t ours, theirs;
};

/* A work request in flight. */
struct weir_verbs_slot {
    void *context;
    bool has_buffer; /* a message with a send buffer */
};

/* One reliable connection: a queue pair. Sequences count requests and wrap around. */
struct weir_verbs_link {
    struct weir_link base;
    struct ibv_qp *qp;
    uint64_t stamp; /* of its completions, without WEIR_VERBS_RECEIVE */
    struct weir_verbs_slot *slots;
    uint32_t size; /* of its send queue as used by us: a power of two */
    uint32_t head; /* of the next request */
    uint32_t done; /* before it, all are completed */
    uint32_t tail; /* before it, all were handed back */
    uint32_t inline_bytes;
    uint32_t failed; /* has_failed: the request that did */
    int failed_code;
    bool has_failed;
    bool is_cut;     /* the queue pair is gone: memory is touched no more */
    bool is_pending; /* has work requests that are done and not handed back */
    struct weir_verbs_link *next_pending;
    uint32_t psn;
    struct weir_verbs_queue *queue; /* where it completes */
    unsigned entries;               /* taken there */
    /* messages: receive buffers, then send buffers, in one piece */
    unsigned char *buffers;
    struct ibv_mr *buffers_mr;
    unsigned receive_bytes; /* of each */
    unsigned receives;
    unsigned char *send_buffers;
    unsigned sends; /* a power of two */
    unsigned send_head, send_tail;
};

/* A completion queue; when one has no room for another link, a further one is opened that is twice
 * as large, so there are few, and entries never move. */
struct weir_verbs_queue {
    struct ibv_cq *cq;
    unsigned entries;
    unsigned taken;    /* by links: all their sends and receives fit at once */
    unsigned returned; /* of links that are gone, whose completions may still be there */
    struct weir_verbs_queue *next;
};

struct weir_verbs_region {
    struct weir_region base;
    struct ibv_mr *mr;
};

/* The address that peers send to. */
struct weir_verbs_gid {
    union ibv_gid gid;
    int index; /* -1: none */
    int type;  /* enum ibv_gid_type */
};

/* Where completions find their link. */
struct weir_verbs_place {
    struct weir_verbs_link *link; /* NULL: free */
    unsigned generation;
    unsigned next_free; /* the number of the next free place; the last: `places` */
};

struct weir_verbs_fabric {
    struct weir_fabric base;
    struct ibv_context *context;
    struct weir_fabric_params settings; /* what the device makes of the params */
    uint8_t port;
    struct ibv_device_attr device;
    struct ibv_port_attr attributes;
    struct weir_verbs_gid gid;
    struct ibv_pd *pd;
    struct ibv_comp_channel *channel;
    struct weir_verbs_queue *queues;
    struct weir_verbs_place *table; /* by WEIR_VERBS_PLACE */
    unsigned places, free_place;
    struct weir_verbs_link *pending;
    bool is_watched; /* its descriptors, since the first link was opened */
    bool has_event;  /* a descriptor has said so */
    bool is_broken;
    /* what is handed to the device, with all that never changes filled in */
    struct ibv_send_wr requests[WEIR_VERBS_CHAIN];
    struct ibv_sge pieces[WEIR_VERBS_CHAIN][2];
    struct ibv_wc completions[WEIR_VERBS_CHAIN];
    bool has_deferred; /* the first completion is still to be taken */
};

static inline struct weir_verbs_fabric *weir_verbs_fabric_of(struct weir_fabric *fabric)
{
    return (struct weir_verbs_fabric *)fabric;
}

static inline const struct weir_verbs_fabric *
weir_verbs_const_fabric_of(const struct weir_fabric *fabric)
{
    return (const struct weir_verbs_fabric *)fabric;
}

static inline struct weir_verbs_link *weir_verbs_link_of(struct weir_link *link)
{
    return (struct weir_verbs_link *)link;
}

static inline struct weir_verbs_fabric *weir_verbs_home(const struct weir_verbs_link *link)
{
    return (struct weir_verbs_fabric *)link->base.fabric;
}

/* ---- verbs_device.c ---- */

/* Opens the device and the port that `params` name, or the first that is active, and chooses the
 * GID: context, device, attributes, port, gid. 0 or the error. */
int weir_verbs_device_open(struct weir_verbs_fabric *fabric,
                           const struct weir_fabric_params *params, struct weir_error *error);
void weir_verbs_device_close(struct weir_verbs_fabric *fabric);

/* The best of the entries of a port, or number `wanted` if that is not negative: -1 if there is
 * none. */
int weir_verbs_gid_choose(const struct ibv_gid_entry entries[], size_t count, unsigned port,
                          int wanted);
/* What speaks for an entry: 0 if it cannot be used. */
unsigned weir_verbs_gid_score(const struct ibv_gid_entry *entry);
/* "::ffff:10.77.0.1" */
void weir_verbs_gid_text(const union ibv_gid *gid, char *text, size_t bytes);

/* "InfiniBand", "RoCE v2" */
const char *weir_verbs_transport(const struct ibv_port_attr *port, int gid_type);
/* Bits per second; 0: not told. */
uint64_t weir_verbs_rate(const char *device, unsigned port);
unsigned weir_verbs_mtu_bytes(enum ibv_mtu mtu);
enum ibv_mtu weir_verbs_mtu(unsigned bytes);

/* The first line of /sys/class/infiniband/DEVICE/`name`; false if there is none. */
bool weir_verbs_sysfs_line(const char *device, const char *name, char *line, size_t bytes);

/* ---- verbs_link.c ---- */

int weir_verbs_link_open(struct weir_fabric *fabric, struct weir_link **link,
                         struct weir_endpoint_info *info);
int weir_verbs_link_join(struct weir_link *link, const struct weir_endpoint_info *info);
void weir_verbs_link_close(struct weir_link *link);
/* Destroys the queue pair: when it returns, no memory is touched by it any more. */
void weir_verbs_link_cut(struct weir_verbs_link *link);
/* A receive buffer can receive again. 0 or -errno. */
int weir_verbs_receive(struct weir_verbs_link *link, unsigned number);
/* What a link takes of locked memory, of its send queue and of the completion queue. */
size_t weir_verbs_link_bytes(const struct weir_fabric_params *params);
unsigned weir_verbs_send_requests(const struct weir_fabric_params *params);
unsigned weir_verbs_link_entries(const struct weir_fabric_params *params);
/* A queue pair that is not connected, or NULL with errno. `granted`: of inline bytes. */
struct ibv_qp *weir_verbs_pair_create(const struct weir_verbs_fabric *fabric,
                                      const struct weir_verbs_queue *queue, uint32_t *granted);

/* ---- verbs_match.c ---- */

/* NULL if both ends can speak with each other, else why not. */
const char *weir_verbs_mismatch(const struct weir_verbs_endpoint *ours,
                                const struct weir_verbs_endpoint *theirs);
struct weir_verbs_reads weir_verbs_reads_agreed(const struct weir_verbs_endpoint *ours,
                                                const struct weir_verbs_endpoint *theirs);

/* ---- verbs_queue.c ---- */

/* Room for so many completions at once, in a queue that has it or a new one. 0 or -errno. */
int weir_verbs_queue_take(struct weir_verbs_fabric *fabric, unsigned entries,
                          struct weir_verbs_queue **queue);
/* Opens the first one. */
int weir_verbs_queues_open(struct weir_verbs_fabric *fabric, struct weir_error *error);
void weir_verbs_queues_close(struct weir_verbs_fabric *fabric);

/* ---- verbs_post.c ---- */

void weir_verbs_requests_init(struct weir_verbs_fabric *fabric);
int weir_verbs_post(struct weir_link *link, const struct weir_wr wrs[], unsigned count, bool waits);
void weir_verbs_release(struct weir_link *link, void *message);

/* ---- verbs_completion.c ---- */

/* For the end of the only work request in flight: 1, or -EINPROGRESS. */
int weir_verbs_wait(struct weir_verbs_link *link);
int weir_verbs_progress(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                        bool *sleeps);
int weir_verbs_drain(struct weir_link *link, struct weir_event events[], unsigned max);
void weir_verbs_forget_pending(struct weir_verbs_fabric *fabric, struct weir_verbs_link *link);

/* ---- verbs_events.c ---- */

/* Looks what the descriptors have to say. */
void weir_verbs_events_progress(struct weir_verbs_fabric *fabric);
void weir_verbs_woken(struct weir_fabric *fabric, void *context, uint32_t events);
/* The fabric's descriptors wake poll from now on. 0 or -errno. */
int weir_verbs_watch(struct weir_verbs_fabric *fabric);
/* The link is lost because of `code`; of `completion`, people are told more. NULL: of nothing. */
void weir_verbs_lose(struct weir_verbs_link *link, int code, const struct ibv_wc *completion);
void weir_verbs_lose_all(struct weir_verbs_fabric *fabric, int code);

/* ---- verbs_status.c ---- */

/* 0 or -errno. */
int weir_verbs_status_code(enum ibv_wc_status status);
/* What it means and where to look. */
const char *weir_verbs_status_text(enum ibv_wc_status status);

/* ---- verbs_check.c ---- */

int weir_verbs_check(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                     struct weir_error *error);
/* Says what was in the way of registering so much, and the way out. Returns `code`. */
int weir_verbs_refuse_region(const struct weir_verbs_fabric *fabric, uint64_t bytes, int code,
                             struct weir_error *error);

/* What raises the limit: ways, with `or` between them. */
#define WEIR_VERBS_MEMLOCK_WAYS(or)                                                                \
    "ulimit -l unlimited, or `memlock unlimited` in /etc/security/limits.conf" or                  \
        "LimitMEMLOCK=infinity of the service, or --ulimit memlock=-1 of the container" or         \
        "Slurm: PropagateResourceLimitsExcept=MEMLOCK"

/* Memory that this process may lock. */
struct weir_verbs_memlock {
    uint64_t limit; /* UINT64_MAX: none */
    uint64_t pinned;
};
void weir_verbs_memlock(struct weir_verbs_memlock *memlock);
/* Fewer of an RDMA resource than the control groups of this process would give: NULL `resource` of
 * the file: "hca_object", "hca_handle". false: no limit. */
bool weir_verbs_group_limit(const char *device, const char *resource, uint64_t *limit,
                            uint64_t *taken);

/* ---- verbs_diagnosis.c ---- */

void weir_verbs_diagnose(struct weir_diagnosis *diagnosis);

#endif
