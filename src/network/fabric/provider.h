/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider gives: the other side of weir/fabric/fabric.h. Handshakes, secrets and limits of
 * waiting are the same for all (listener.h); a provider moves data. */
#ifndef WEIR_NETWORK_FABRIC_PROVIDER_H
#define WEIR_NETWORK_FABRIC_PROVIDER_H

#include "weir/fabric/fabric.h"

/* What a provider tells the peer's while a link is made, in the handshake. */
#define WEIR_ENDPOINT_INFO_BYTES 256
struct weir_endpoint_info {
    unsigned char bytes[WEIR_ENDPOINT_INFO_BYTES];
};

struct weir_listener;
struct weir_connection;

/* A provider embeds these as the first member of its own structs. */
struct weir_fabric {
    const struct weir_provider *provider;
    struct weir_fabric_params params; /* with defaults filled in; texts are borrowed, the secret
                                         is a copy */
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_fabric_facts facts;
    struct weir_listener *listener;
    int epoll;  /* everything that can wake a sleeping poll: sockets, the provider's descriptors */
    int wakeup; /* eventfd */
    char interface[64]; /* a provider may set it in open: where to be reached when params.interface
                           is NULL; "": it does not mind */
    struct weir_link *links;                      /* all, for closing */
    unsigned incoming_count;                      /* of them, from their handshake on */
    struct weir_link *leaving;                    /* links whose LEFT is still to be told */
    struct weir_link *joined_first, *joined_last; /* links whose JOINED is still to be told */
    unsigned rounds;                              /* of poll */
    uint64_t looked_ns;                           /* at the sockets */
    bool is_woken;                                /* poll returns though it has nothing to tell */
};

enum weir_link_state {
    WEIR_LINK_JOINING, /* in the handshake */
    WEIR_LINK_UP,
    WEIR_LINK_LOST /* its work requests come back with an error; then LEFT is told */
};

struct weir_link {
    struct weir_fabric *fabric;
    struct weir_link *next, *previous;
    enum weir_link_state state;
    int lost_code; /* why it is LOST */
    bool is_incoming;
    bool is_ready; /* the peer can receive: known of an incoming link by READY, or a message */
    bool is_told;  /* JOINED was told */
    bool has_left; /* LEFT was told */
    void *owner;
    char peer[WEIR_ADDRESS_BYTES];
    int socket; /* that of the handshake, kept open: its end is the peer's end. -1 */
    unsigned peer_credits;
    unsigned peer_message_bytes;
    unsigned mtu_bytes;
    unsigned outstanding; /* work requests posted and not handed back: kept by fabric.c */
    _Alignas(8) unsigned char greeting[WEIR_GREETING_BYTES];
    uint32_t greeting_bytes;
    struct weir_connection *connection; /* its handshake; NULL: that is over */
    struct weir_link *next_joined;
};

struct weir_region {
    struct weir_fabric *fabric;
    unsigned char *memory;
    size_t bytes;
    bool is_served;
    struct weir_region_key key;
};

/* What this host lets a provider do. */
struct weir_provider_host {
    int (*check)(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                 struct weir_error *error);
    void (*diagnose)(struct weir_diagnosis *diagnosis);
};

struct weir_provider {
    const char *name;
    const struct weir_provider_host *host; /* NULL: all that it needs */
    /* Allocates the provider's fabric, with `facts` told; the rest is filled in by fabric.c.
     * `params` have their defaults. */
    int (*open)(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                struct weir_error *error);
    void (*close)(struct weir_fabric *fabric);

    int (*region_open)(struct weir_fabric *fabric, void *memory, size_t bytes,
                       const struct weir_slab *slab, unsigned access, struct weir_region **region,
                       struct weir_error *error);
    void (*region_close)(struct weir_region *region);

    /* Making a link. The connecting end: link_open at once; when the handshake has proven the
     * secret in both directions our info goes, and the peer's comes to link_join. The other end,
     * after the proof: link_open, then link_join with the peer's info, then ours goes, and the
     * peer may send from then on: a peer that shall not is refused by link_join, which finds the
     * link's socket. link_open fills `info` in. Each 0 or -errno. */
    int (*link_open)(struct weir_fabric *fabric, struct weir_link **link,
                     struct weir_endpoint_info *info);
    int (*link_join)(struct weir_link *link, const struct weir_endpoint_info *info);
    /* Frees the link. Its socket is closed already. */
    void (*link_close)(struct weir_link *link);

    /* `waits`, where can_wait: of one work request, looks for its end as long as it may come at
     * once, as weir_link_post_and_wait. */
    int (*post)(struct weir_link *link, const struct weir_wr wrs[], unsigned count, bool waits);
    void (*release)(struct weir_link *link, void *message);
    /* Collects what has happened, without waiting: events of work requests and messages. A link
     * that fails is given to weir_link_lose. Returns how many, or -errno. `sleeps` not NULL: who
     * polls sleeps if this returns 0, so what wakes epoll is armed before; *sleeps becomes whether
     * it is, and nothing is left to be done. */
    int (*progress)(struct weir_fabric *fabric, struct weir_event events[], unsigned max,
                    bool *sleeps);
    /* Hands back the work requests of a LOST link, with its lost_code, and messages that came
     * before its end: up to `max`; 0: all are back. */
    int (*drain)(struct weir_link *link, struct weir_event events[], unsigned max);
    /* Epoll said `events` of a descriptor that was given to weir_fabric_watch with `context`, or
     * (socket_events) of the socket of the link `context`. The provider notes it; the next progress
     * acts upon it. */
    void (*woken)(struct weir_fabric *fabric, void *context, uint32_t events);
    /* What woken hears of a link's socket, which is the provider's to read (not to close) when the
     * handshake is over. 0: its end is the end of the link, and bytes that come are thrown away. */
    uint32_t socket_events;
    bool can_wait; /* an end is seen sooner by post than by progress */
    /* Progress sees only what epoll has said: poll looks there in each round, and not only now and
     * then for the sake of handshakes (tcp). */
    bool is_driven_by_kernel;
};

/* NULL-terminated; written by CMake. Of those left out: "name: reason". */
extern const struct weir_provider *const weir_providers[];
extern const char *const weir_providers_left_out[];

/* For providers: the size of a ring with so many places at least, a power of two: counts that wrap
 * find their places in it. */
static inline uint32_t weir_ring_size(uint32_t least)
{
    uint32_t size = 1;

    while (size < least && size < UINT32_C(1) << 31)
        size *= 2;
    return size;
}

/* For providers: the link is no more, because of `code`. May be called more than once. */
void weir_link_lose(struct weir_link *link, int code);

/* For providers: from now on `woken` hears of this descriptor, and it ends the sleep of poll.
 * `events`: EPOLLIN, EPOLLOUT, EPOLLET; calling it again changes them. 0 or -errno. */
int weir_fabric_watch(struct weir_fabric *fabric, int fd, void *context, uint32_t events);
void weir_fabric_unwatch(struct weir_fabric *fabric, int fd);

#endif
