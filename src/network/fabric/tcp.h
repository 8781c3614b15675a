/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a link over TCP. Each end numbers the requests (WRITE, READ, SEND) that it sends, and
 * handles those of the peer in their order; what has been handled is told by a count in every
 * frame. */
#ifndef WEIR_NETWORK_FABRIC_TCP_H
#define WEIR_NETWORK_FABRIC_TCP_H

#include "provider.h"

#include <sys/uio.h>

enum tcp_kind {
    TCP_WRITE = 1, /* address, key, bytes; then the data */
    TCP_READ,      /* address, key, bytes */
    TCP_SEND,      /* bytes; then the message */
    TCP_DATA,      /* answers a READ: bytes; then the data */
    TCP_FAILED,    /* answers any request: `bytes` is an errno value */
    TCP_HANDLED    /* says nothing but its count */
};

/* Numbers are little-endian. */
struct tcp_frame {
    uint8_t kind;
    uint8_t reserved[3];
    uint32_t handled; /* requests that this end has handled, up to and with the one answered */
    uint64_t bytes;
    uint64_t address;
    uint64_t key;
};

#define TCP_DEPTH_MAX 65536

/* Small frames come many at once; of big ones the header and what comes with it. */
#define TCP_STAGE_BYTES 8192
/* From here on, what follows a payload is received for itself, so that nothing is copied. */
#define TCP_BULK_BYTES 16384
#define TCP_PARTS 64

/* A request of ours: from post until it is told as done. */
struct tcp_request {
    struct tcp_frame frame;
    enum weir_wr_verb verb;
    uint32_t header_bytes;
    int result;
    void *data;
    uint64_t bytes;
    void *context;
};

/* An answer that is more than a count. */
struct tcp_reply {
    struct tcp_frame frame;
    uint32_t number; /* requests handled, with this one */
    unsigned char *data;
    uint64_t bytes;
};

/* What the end of a part that is being sent is the end of. */
enum tcp_part { TCP_PART_INNER, TCP_PART_REQUEST, TCP_PART_REPLY, TCP_PART_HANDLED };

enum tcp_stage { TCP_HEADER, TCP_WAITING /* a message, for a buffer */, TCP_PAYLOAD };

struct tcp_link {
    struct weir_link base;
    uint32_t peer_depth;
    bool is_readable; /* for all we know */
    bool is_writable;
    bool has_ended; /* the peer sends no more: receive until nothing is left */

    /* Requests: counts that wrap, settled <= acknowledged <= sent <= laid <= posted. */
    struct tcp_request *requests;
    unsigned char *headers; /* of messages, one per request */
    uint32_t request_mask;
    uint32_t posted, laid, sent, acknowledged, settled;

    /* The peer's. */
    struct tcp_reply *replies;
    uint32_t reply_mask;
    uint32_t replied, reply_laid, reply_sent;
    uint32_t handled;
    uint32_t told; /* of these the peer knows, or will when what is laid out is sent */
    bool is_reply_turn;

    /* Being sent. */
    struct iovec parts[TCP_PARTS];
    uint8_t ends[TCP_PARTS]; /* enum tcp_part */
    unsigned part_first, part_count;
    uint64_t part_bytes;
    struct tcp_frame handled_frame;
    bool is_telling; /* handled_frame is being sent */

    /* Being received. */
    enum tcp_stage stage;
    struct tcp_frame frame;
    unsigned char *target; /* NULL: the payload is thrown away */
    uint64_t left;         /* of the payload */
    int failure;           /* what the request is answered with */
    unsigned char *message;
    unsigned stage_first, stage_end;
    unsigned char staged[TCP_STAGE_BYTES];

    /* Messages. */
    unsigned char *buffers; /* credits of them */
    size_t buffer_bytes;
    void **free_buffers;
    unsigned free_count;
    struct weir_event *inbox; /* messages not told of: a ring of credits */
    unsigned inbox_first, inbox_count;

    bool is_queued; /* in the list of those that progress looks at */
    struct tcp_link *next_ready;
    uint64_t activity; /* grows with whatever moves */
    uint64_t seen_activity;
    uint64_t seen_ns;
};

struct tcp_fabric {
    struct weir_fabric fabric;
    struct tcp_link *ready_first, *ready_last;
    struct weir_region **regions;
    unsigned region_count; /* slots, some of which are free: NULL */
    unsigned rounds;
    unsigned char *waste; /* where refused payloads go */
};

#define TCP_WASTE_BYTES 65536

static inline struct tcp_fabric *tcp_fabric_of(const struct tcp_link *link)
{
    return (struct tcp_fabric *)link->base.fabric;
}

/* True if `count` is not before `other`: they wrap. */
static inline bool tcp_reaches(uint32_t count, uint32_t other)
{
    return (int32_t)(count - other) >= 0;
}

/* tcp_send.c */
int weir_tcp_post(struct weir_link *link, const struct weir_wr wrs[], unsigned count, bool waits);
/* Sends what is there to be sent, as long as the socket takes it. */
void weir_tcp_transmit(struct tcp_link *link);
/* A request of the peer is answered. 0, or -EPROTO: more were asked than was agreed. */
int weir_tcp_reply(struct tcp_link *link, enum tcp_kind kind, unsigned char *data, uint64_t bytes);
bool weir_tcp_owes(const struct tcp_link *link);

/* tcp_receive.c */
void weir_tcp_receive(struct tcp_link *link);

/* tcp.c */
void weir_tcp_set_ready(struct tcp_link *link);

/* tcp_region.c */
int weir_tcp_region_open(struct weir_fabric *fabric, void *memory, size_t bytes,
                         const struct weir_slab *slab, unsigned access, struct weir_region **region,
                         struct weir_error *error);
void weir_tcp_region_close(struct weir_region *region);
/* Where a peer may touch; NULL: it may not. */
unsigned char *weir_tcp_find(const struct tcp_fabric *fabric, uint64_t key, uint64_t address,
                             uint64_t bytes);

#endif
