/* SPDX-License-Identifier: Apache-2.0 */
/* What carries the messages of a net run: a fabric, or MPI. The loops that measure know only this.
 */
#ifndef WEIR_NETWORK_NET_TRANSPORT_H
#define WEIR_NETWORK_NET_TRANSPORT_H

#include "weir/fabric/fabric.h"
#include "weir/flows/plan.h"
#include "weir/group/group.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A short message between the ends of a link, beside the data. */
enum net_control_kind {
    NET_CONTROL_KEY = 1, /* of the transport itself: the region of whoever tells it */
    NET_CONTROL_CREDIT,  /* of the transport itself: so many messages were given back */
    NET_CONTROL_END,     /* opener: `values` are messages posted, places used, sum of stamps */
    NET_CONTROL_ENDED,   /* acceptor: messages received, wrong ones, sum of stamps found */
    NET_CONTROL_STOP     /* acceptor: a signal has come, end it now */
};

#define NET_CONTROL_MAGIC UINT64_C(0x7765697220e2809c)

struct net_control {
    uint64_t magic; /* no data begin with it */
    uint64_t kind;
    uint64_t values[4];
    struct weir_region_key key;
};

/* Control messages that could not go yet: however many, for a peer that takes none is no reason to
 * fail here. */
struct net_controls {
    struct net_control *items;
    unsigned count, capacity;
};

struct net_transport;

/* From the rank that opens it to the one that accepts it: who opens posts what is measured. A
 * transport embeds this as the first member of its own. */
struct net_link {
    struct net_transport *transport;
    struct net_link *next;
    struct net_controls pending;
    uint32_t peer;
    bool is_opener;
    bool is_up;
    int code;  /* why it is no more; 0 */
    void *end; /* what it is used for in this round; NULL */
};

enum net_event_kind {
    NET_EVENT_NONE,     /* of no interest: skip it */
    NET_EVENT_DONE,     /* a message that was posted: `token`, and `code` if it failed */
    NET_EVENT_RECEIVED, /* `data`, to be given back with release */
    NET_EVENT_CONTROL,  /* `control` */
    NET_EVENT_JOINED,   /* the link is up */
    NET_EVENT_LOST      /* the link is no more, because of `code` */
};

struct net_event {
    enum net_event_kind kind;
    int code;
    struct net_link *link;
    uint32_t token;
    void *data;
    uint64_t bytes;
    struct net_control control;
};

/* A message: from `offset` in our memory, or into it, and where at the peer. */
struct net_piece {
    uint32_t token; /* comes back with NET_EVENT_DONE */
    uint64_t offset;
    uint64_t remote_offset;
};

/* What a link does in one measurement. */
struct net_transfer {
    struct net_link *link;
    enum weir_net_verb verb;
    uint64_t bytes;      /* of a message */
    unsigned depth;      /* messages in flight */
    uint64_t offset;     /* of this end's memory: where messages are received, */
    uint64_t stride;     /* one behind the other, */
    uint64_t slot_count; /* in so many places */
    bool is_sending;
    bool is_receiving;
};

struct net_transport_ops {
    /* Fills in what rank 0 tells of it. */
    void (*describe)(const struct net_transport *transport, struct weir_fabric_facts *facts);
    /* The memory of all ends of this rank. 0 or the error. */
    int (*take_memory)(struct net_transport *transport, uint64_t bytes, bool wants_huge_pages,
                       unsigned links, struct weir_error *error);
    /* Where links are accepted: text. */
    int (*listen)(struct net_transport *transport, char address[WEIR_ADDRESS_BYTES],
                  struct weir_error *error);
    /* Begins to link: NET_EVENT_JOINED or NET_EVENT_LOST follows. 0 or -errno. */
    int (*open_link)(struct net_transport *transport, uint32_t peer, const char *address,
                     struct net_link **link);
    /* That rank will open one: NET_EVENT_JOINED will tell of it. 0 or -errno. NULL: it is told
     * unasked. */
    int (*expect_link)(struct net_transport *transport, uint32_t peer);
    /* Closes all links of this rank; their net_links are gone. NULL: they cost nothing. */
    void (*close_links)(struct net_transport *transport);
    /* Before and after a measurement, with all links of this rank that have a part in it. `begin`
     * comes before any rank posts. 0 or -errno. NULL: nothing is to be done. */
    int (*begin)(struct net_transport *transport, const struct net_transfer transfers[],
                 unsigned count);
    void (*end)(struct net_transport *transport);
    /* Hands messages over, in order: how many were taken, or -errno. */
    int (*post)(struct net_link *link, const struct net_transfer *transfer,
                const struct net_piece pieces[], unsigned count);
    /* Hands a message over and waits for its end for a moment: 1: it is done, and poll does not
     * tell of it; -EINPROGRESS: poll will; 0 or another -errno: it was not taken. NULL: post it. */
    int (*post_and_wait)(struct net_link *link, const struct net_transfer *transfer,
                         const struct net_piece *piece);
    /* Never fails for want of room: what does not go now goes with later polls. 0 or -errno. */
    int (*tell)(struct net_link *link, const struct net_control *control);
    /* What has happened: up to `max` events, waiting up to `timeout_ns` for the first. */
    int (*poll)(struct net_transport *transport, struct net_event events[], unsigned max,
                uint64_t timeout_ns);
    void (*release)(struct net_link *link, void *data);
    void (*close)(struct net_transport *transport);
};

struct net_transport {
    const struct net_transport_ops *ops;
    struct net_link *links;
    struct weir_slab slab;
    unsigned char *memory; /* of all ends, after take_memory */
    bool is_one_sided;     /* the processor of the other end has no part in reads and writes */
    /* A message that is sent is completed before it has arrived: the peer's answer at the end is
     * what says that all have. */
    bool is_done_early;
    uint64_t longest_bytes; /* of a message */
    /* Messages to a peer of which none is done for so long are given up, for the transport does not
     * tell that a link is lost. 0: it does. */
    uint64_t silent_ns;
};

/* ---- what transports have in common: transport.c ---- */

/* Zeroed, with what is common filled in, and `bytes` long; NULL: out of memory. */
void *net_transport_new(const struct net_transport_ops *ops, size_t bytes,
                        struct weir_error *error);
/* Memory for all ends, in use from here on. 0 or the error. */
int net_transport_take_memory(struct net_transport *transport, uint64_t bytes,
                              bool wants_huge_pages, struct weir_error *error);
/* With its memory, unless others may still look at that; its links are gone. */
void net_transport_free(struct net_transport *transport, bool keeps_memory);
/* A link of `bytes` bytes, first of the transport's; NULL: out of memory. */
void *net_link_new(struct net_transport *transport, size_t bytes, uint32_t peer, bool is_opener);
/* Takes the first link off its transport and frees it. */
void net_link_free(struct net_transport *transport);
/* Behind those that wait; of credits, the first one tells all. 0 or -ENOMEM. */
int net_controls_add(struct net_controls *controls, const struct net_control *control);
/* The first `count` have gone. */
void net_controls_drop(struct net_controls *controls, unsigned count);

struct net_transport_params {
    const struct weir_net_plan *plan;
    const struct weir_group *group;
    const char *provider;        /* NULL: chosen */
    const unsigned char *secret; /* WEIR_SECRET_BYTES */
    uint64_t longest_bytes;      /* of a message */
};

/* 0 or the error. */
int net_fabric_transport_open(const struct net_transport_params *params,
                              struct net_transport **transport, struct weir_error *error);
int net_mpi_transport_open(const struct net_transport_params *params,
                           struct net_transport **transport, struct weir_error *error);

static inline void net_transport_close(struct net_transport *transport)
{
    if (transport != NULL)
        transport->ops->close(transport);
}

#endif
