/* SPDX-License-Identifier: Apache-2.0 */
/* Memory to memory between processes: links over which data are written to, read from and sent to
 * memory of another process. One small interface, and behind it the providers: RDMA verbs, TCP,
 * and shared memory of one node. What is said of all of them is said here; docs/fabric.md has the
 * rest. */
#ifndef WEIR_FABRIC_FABRIC_H
#define WEIR_FABRIC_FABRIC_H

#include "weir/base/diagnosis.h"
#include "weir/base/error.h"
#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_fabric; /* this process's end of a network, opened; used by one thread at a time */
struct weir_link;   /* a connection to one peer; between two fabrics of one provider */
struct weir_region; /* memory that the network may touch */

/* ---- opening ---- */

#define WEIR_SECRET_BYTES 32
#define WEIR_ADDRESS_BYTES 128

/* Zero is a default everywhere, but for gid_index. */
struct weir_fabric_params {
    const char *provider;   /* "verbs", "tcp", "shm"; NULL: verbs where there is a device, or where
                               what follows speaks of them, else tcp */
    const char *device;     /* verbs: "mlx5_0", or "mlx5_0/1" with a port; NULL: an active one, */
    unsigned device_number; /* that behind so many; behind the last one comes the first again */
    const char *interface;  /* name or IP address of the network device to be reached at; NULL: that
                               of the verbs device, else the one this host's name stands for */
    int gid_index;          /* verbs: of the port's table; -1: chosen */
    unsigned depth;         /* work requests in flight on a link; 0: 128 */
    unsigned message_bytes; /* the longest message that can be received; 0: 4096 */
    unsigned message_credits; /* messages that can be received before one is released; 0: 32 */
    unsigned signal_every;  /* verbs: of a list posted at once, every so many is signalled, and the
                               last; 0: the last only */
    unsigned mtu_bytes;     /* verbs: at most; 0: the port's */
    unsigned read_depth;    /* verbs: reads in flight; 0: the device's maximum */
    unsigned inline_bytes;  /* verbs: data of so many are copied into the request at most; 0: 220;
                               WEIR_INLINE_NONE */
    unsigned service_level; /* verbs: 0 to 15, the virtual lane (InfiniBand) or VLAN priority */
    unsigned traffic_class; /* verbs: 0 to 255, DSCP << 2 of RoCE v2 packets, with which switches
                               choose their lossless queue */
    unsigned pkey_index;    /* verbs: entry of the port's P_Key table; 0: the default partition */
    unsigned timeout_exponent; /* verbs: local ACK timeout 4.096 us * 2^n; 0: 14 */
    unsigned retry_count;      /* verbs; 0: 7 */
    unsigned incoming_limit;   /* links of peers that connect, at once; 0: any number */
    uint64_t spin_ns;    /* poll watches so long before it sleeps; 0: 50 us, WEIR_SPIN_ALWAYS */
    uint64_t timeout_ns; /* of connecting, and with a peer that does not answer; 0: 10 s */
    const unsigned char *secret; /* WEIR_SECRET_BYTES that both ends must have; NULL: all zero */
};

#define WEIR_SPIN_ALWAYS UINT64_MAX
#define WEIR_INLINE_NONE UINT32_MAX

/* What was opened. Plain data. */
struct weir_fabric_facts {
    char provider[16];     /* "verbs" */
    char device[32];       /* "rxe0/1", "eth0", "" */
    char transport[24];    /* "RoCE v2", "InfiniBand", "TCP", "shared memory" */
    char address[64];      /* GID or IP address, "" */
    int32_t gid_index;     /* -1: none */
    int32_t numa_node;     /* of the device; WEIR_NUMA_UNKNOWN */
    uint32_t mtu_bytes;    /* of the path; 0: not told */
    uint32_t inline_bytes; /* up to so many are posted with the request; 0 */
    uint32_t read_depth;   /* reads in flight on a link; 0: not limited */
    uint32_t depth;
    uint64_t bits_per_s; /* of the link; 0: not told */
    uint64_t longest_wr_bytes;
    bool is_one_sided;   /* the peer's processor has no part in writes and reads */
    bool fails_in_order; /* nothing that was posted behind what fails reaches the peer */
};

/* Fails with a sentence that names the way out: no device, no port up, no provider in this build.
 * 0 or the error. */
int weir_fabric_open(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                     struct weir_error *error);

/* Links that are still up are cut: nothing touches the memory any more. Regions are to be closed
 * before. */
void weir_fabric_close(struct weir_fabric *fabric);

const struct weir_fabric_facts *weir_fabric_facts(const struct weir_fabric *fabric);

/* What a user of a fabric is about to open. */
struct weir_fabric_need {
    uint64_t locked_bytes; /* of all regions together */
    uint64_t region_bytes; /* of the largest */
    unsigned regions;
    unsigned links;
};

/* Refuses, with the way out, what this process cannot have. Verbs: against RLIMIT_MEMLOCK, limits
 * of the device and of the control group. 0 or the error. */
int weir_fabric_check(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                      struct weir_error *error);

/* Adds what this host lets the providers do, and the way to more, for `weir doctor`. */
void weir_fabric_diagnose(struct weir_diagnosis *diagnosis);

/* ---- memory ---- */

/* Memory that other processes of this node can map as well (memfd), so that every provider can
 * serve it. */
struct weir_slab {
    void *memory;
    size_t bytes;
    int fd;
    bool is_huge; /* of reserved huge pages */
    /* After a failure: the system call that this process may not make, as a seccomp filter forbids
     * it; NULL = another reason. */
    const char *denied_call;
};

/* The way out where weir_slab.denied_call is set. */
#define WEIR_SLAB_DENIED                                                                           \
    "%s is forbidden to this process, as some containers do: have its seccomp profile allow it"

struct weir_slab_params {
    size_t bytes;
    bool wants_huge_pages; /* reserved ones, else ordinary pages: slab.is_huge tells */
    /* Called before any page is touched, to have it placed: 0, or -errno which ends the attempt.
     * NULL: the kernel places it. */
    int (*place)(void *context, void *memory, size_t bytes);
    void *place_context;
};

/* Every page is touched. 0 or -errno. */
int weir_slab_open(struct weir_slab *slab, const struct weir_slab_params *params);
/* Returns how much of the slab is in huge pages: all of it in reserved ones, or what the kernel has
 * made huge by itself. */
uint64_t weir_slab_huge_bytes(const struct weir_slab *slab);
void weir_slab_close(struct weir_slab *slab);

/* What a peer must know to touch a region: it travels in messages. */
struct weir_region_key {
    uint64_t address; /* of its first byte, as `remote_address` of work requests counts */
    uint64_t key;
    uint64_t bytes;
    /* shm: process and descriptor of a slab; -1: ordinary memory of that process */
    int32_t process;
    int32_t fd;
};

enum weir_region_access {
    WEIR_REGION_LOCAL = 0,  /* work requests of this end */
    WEIR_REGION_SERVED = 1, /* and writes and reads by peers */
    /* Somebody watches the memory for what a WRITE or READ puts there, instead of waiting for a
       message or an event behind it: its bytes come in order. Without, PCIe may reorder them
       (relaxed ordering), which large transfers on some hosts need for the full rate. */
    WEIR_REGION_WATCHED = 2
};

/* Registers memory. `access`: of weir_region_access. `slab`: the one it is part of, or NULL. 0, or
 * the error: a sentence on limits and the way out. */
int weir_region_open(struct weir_fabric *fabric, void *memory, size_t bytes,
                     const struct weir_slab *slab, unsigned access, struct weir_region **region,
                     struct weir_error *error);
/* No work request may be in flight in it. NULL is allowed. */
void weir_region_close(struct weir_region *region);
struct weir_region_key weir_region_key(const struct weir_region *region);

/* ---- links ---- */

/* Refuses an address that no peer can have: "HOST:PORT" and "[ADDRESS]:PORT" with a known host and
 * a port from 1 to 65535; of a listener, port 0 and "HOST" too. `place` is the option that gives
 * it. 0, or a usage error. Looking a name up may wait. */
int weir_fabric_check_address(const char *address, bool is_listener, const char *place,
                              struct weir_error *error);

/* Every process may listen, at one place: `where` is "HOST:PORT", "HOST" or NULL (the interface of
 * the fabric, any port). Links that come in are told by poll, after their peer has proven the
 * secret. *address receives "HOST:PORT" as peers can use it. */
int weir_fabric_listen(struct weir_fabric *fabric, const char *where,
                       char address[WEIR_ADDRESS_BYTES], struct weir_error *error);

/* Begins to connect: poll tells of the end, WEIR_EVENT_JOINED or WEIR_EVENT_LEFT, within the
 * timeout. `greeting` (up to WEIR_GREETING_BYTES, copied) is shown to the peer with its JOINED
 * event. 0 or -errno (an address that cannot be read, a host that is not known, no memory): then
 * there is no link. Only a host's name, which is looked up here, can make this wait. */
#define WEIR_GREETING_BYTES 64
int weir_fabric_connect(struct weir_fabric *fabric, const char *address, const void *greeting,
                        size_t greeting_bytes, struct weir_link **link);

/* Cuts the link: what is in flight is not handed back any more. The link is gone. NULL is
 * allowed. */
void weir_link_close(struct weir_link *link);

/* For the user of the link: whatever belongs to it. */
void weir_link_set_owner(struct weir_link *link, void *owner);
void *weir_link_owner(const struct weir_link *link);

/* "n2:7471": whom errors name. Valid as long as the link. */
const char *weir_link_peer(const struct weir_link *link);

/* How many messages may be under way to the peer at once: it has so many buffers. The user of the
 * link sees to it. Known once joined. */
unsigned weir_link_credits(const struct weir_link *link);
/* The longest message that the peer can receive. Known once joined. */
unsigned weir_link_message_bytes(const struct weir_link *link);

/* ---- work requests: what goes over a link ---- */

enum weir_wr_verb {
    WEIR_WR_WRITE, /* data -> memory of the peer */
    WEIR_WR_READ,  /* memory of the peer -> data */
    WEIR_WR_SEND   /* header and data -> a message at the peer */
};

#define WEIR_HEADER_BYTES 1536

struct weir_wr {
    enum weir_wr_verb verb;
    void *data;     /* lies in `region`; may be NULL for SEND if `bytes` is 0 */
    uint64_t bytes; /* WRITE, READ: 1 to longest_wr_bytes */
    struct weir_region *region;
    uint64_t remote_address;              /* WRITE, READ: within a region of the peer; */
    const struct weir_region_key *remote; /* that one. Valid until the work request is done */
    const void *header;                   /* SEND: copied when it is posted, goes before the data */
    uint32_t header_bytes;                /* up to WEIR_HEADER_BYTES */
    void *context;                        /* comes back with WEIR_EVENT_DONE */
};

/* Hands work requests over, in order; returns how many were taken (fewer than `count`: the link is
 * full, or its peer, which has just connected, cannot receive yet: poll first), or -errno if the
 * link is no more, or (-EMSGSIZE: none was taken) if a message is longer than the peer can receive.
 * Never blocks. What each work request is done with comes back from poll. On one link: a READ or
 * SEND sees at the peer what WRITEs before it wrote. */
int weir_link_post(struct weir_link *link, const struct weir_wr wrs[], unsigned count);

/* Hands one work request over and looks for its end, for some microseconds and at nothing else: the
 * shortest way there, for who has nothing to do but to wait for it. Returns 1: it is done, without
 * a failure, and poll does not tell of it; -EINPROGRESS: poll will; 0 or another -errno: it was not
 * taken, as of post. */
int weir_link_post_and_wait(struct weir_link *link, const struct weir_wr *wr);

/* Work requests posted and not yet done. */
unsigned weir_link_outstanding(const struct weir_link *link);

enum weir_event_kind {
    WEIR_EVENT_DONE, /* a work request; `result` is 0 or -errno. A WRITE that is done was accepted
                        by the peer's end (verbs, shm: is in its memory or on the way; tcp: is in
                        it) */
    WEIR_EVENT_MESSAGE, /* was received; give it back with weir_link_release */
    WEIR_EVENT_JOINED,  /* a link is up: one that was connected, or (is_incoming) a new one */
    WEIR_EVENT_LEFT /* the link is no more, for the reason `result`: its work requests were handed
                       back before. weir_link_close is still to be called */
};

struct weir_event {
    enum weir_event_kind kind;
    struct weir_link *link;
    int result;
    void *context;    /* DONE */
    void *message;    /* MESSAGE: aligned to 64 bytes; JOINED and incoming: the greeting, to 8 */
    uint32_t bytes;   /* of it */
    bool is_incoming; /* JOINED */
};

/* What has happened on any link: up to `max` events; 0 only after it has waited for `timeout_ns`
 * (0: not at all; UINT64_MAX: for ever), a signal has come, weir_fabric_wake was called, or an
 * incoming link that was told of can be posted to. Returns how many, or -errno if the fabric is
 * broken. Allocates only when links come or go. */
int weir_fabric_poll(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                     uint64_t timeout_ns);

/* Ends a poll of another thread, now or the next one. The only call that other threads may make. */
void weir_fabric_wake(struct weir_fabric *fabric);

/* The buffer of a message can receive again. */
void weir_link_release(struct weir_link *link, void *message);

/* ---- handshakes ---- */

struct weir_handshake_counts {
    uint64_t joined;
    uint64_t refused; /* wrong secret, version or provider, garbage, silence */
};
struct weir_handshake_counts weir_fabric_handshake_counts(const struct weir_fabric *fabric);

/* The secret in a file: its bytes, without white space at the end, at least 16 of them; they become
 * WEIR_SECRET_BYTES by SHA-256. Refused if others than its owner may read it. 0 or the error. */
int weir_secret_read(const char *path, unsigned char secret[WEIR_SECRET_BYTES],
                     struct weir_error *error);
/* A new one from the kernel. 0 or -errno. */
int weir_secret_draw(unsigned char secret[WEIR_SECRET_BYTES]);

#endif
