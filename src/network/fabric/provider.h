/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider gives: the other side of weir/fabric/fabric.h. Doors, secrets and limits of
 * waiting are the same for all (door.h); a provider moves data. */
#ifndef WEIR_NETWORK_FABRIC_PROVIDER_H
#define WEIR_NETWORK_FABRIC_PROVIDER_H

#include "weir/fabric/fabric.h"

/* What a provider tells the peer's while a link is made, over the door's socket. */
#define WEIR_CARD_BYTES 1024
struct weir_card {
    unsigned char bytes[WEIR_CARD_BYTES];
};

struct weir_door;
struct weir_caller;

/* A provider embeds these as the first member of its own structs. */
struct weir_fabric {
    const struct weir_provider *provider;
    struct weir_fabric_params params; /* with defaults filled in; texts are borrowed, the secret
                                         is a copy */
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_fabric_facts facts;
    struct weir_door *door;
    int epoll;  /* everything that can wake a sleeping poll: the door's sockets, the provider's */
    int wakeup; /* eventfd */
    char interface[64]; /* a provider may set it in open: where to be reached when params.interface
                           is NULL; "": it does not mind */
    struct weir_link *links;   /* all, for closing */
    struct weir_link *leaving; /* links whose LEFT is still to be told */
    unsigned rounds;           /* of poll */
    uint64_t looked_ns;        /* at the door */
    bool is_woken;             /* by weir_fabric_wake */
    bool has_held;             /* an event that had no room behind the JOINED of its link */
    struct weir_event held;
};

enum weir_link_state {
    WEIR_LINK_JOINING, /* at the door */
    WEIR_LINK_UP,
    WEIR_LINK_LOST /* its wires come back with an error; then LEFT is told */
};

struct weir_link {
    struct weir_fabric *fabric;
    struct weir_link *next, *previous;
    enum weir_link_state state;
    int lost_code; /* why it is LOST */
    bool is_incoming;
    bool is_told;  /* JOINED was told */
    bool has_left; /* LEFT was told */
    void *owner;
    char peer[WEIR_ADDRESS_BYTES];
    int socket; /* the door's, kept open: its end is the peer's end. -1 */
    unsigned peer_credits;
    unsigned peer_message_bytes;
    unsigned mtu_bytes;
    unsigned flying;            /* wires posted and not handed back: kept by fabric.c */
    struct weir_caller *caller; /* at the door; NULL: not any more */
};

struct weir_region {
    struct weir_fabric *fabric;
    unsigned char *memory;
    size_t bytes;
    bool is_served;
    struct weir_region_key key;
};

/* Which stream of which link a further socket is to be. */
#define WEIR_TOKEN_BYTES 16
struct weir_stream_name {
    unsigned char token[WEIR_TOKEN_BYTES];
    uint32_t index;
};

struct weir_provider {
    const char *name;
    /* Allocates the provider's fabric, with `facts` told; the rest is filled in by fabric.c.
     * `params` have their defaults. */
    int (*open)(const struct weir_fabric_params *params, struct weir_fabric **fabric,
                struct weir_error *error);
    /* The last step of opening: descriptors can be watched now. NULL: nothing to do. */
    int (*start)(struct weir_fabric *fabric, struct weir_error *error);
    void (*close)(struct weir_fabric *fabric);
    int (*check)(const struct weir_fabric *fabric, const struct weir_fabric_need *need,
                 struct weir_error *error);             /* NULL: nothing to check */
    void (*diagnose)(struct weir_diagnosis *diagnosis); /* NULL: nothing to tell */
    /* Adds to `counters`. NULL: nothing is counted. */
    void (*counters)(const struct weir_fabric *fabric, struct weir_fabric_counters *counters);

    int (*region_open)(struct weir_fabric *fabric, void *memory, size_t bytes,
                       const struct weir_slab *slab, bool is_served, struct weir_region **region,
                       struct weir_error *error);
    void (*region_close)(struct weir_region *region);

    /* Making a link. The connecting end: link_open at once; when the door has proven the secret in
     * both directions our card goes, the peer's comes to link_join, READY goes. The other end,
     * after the proof: link_open, the peer's card comes to link_join, ours goes, READY comes. In
     * both, `card` of link_open is filled and that of link_join read. Each 0 or -errno; link_join
     * may return -EINPROGRESS: then the provider calls weir_door_link_is_up or weir_link_lose
     * later, out of its progress (rdma_cm). */
    int (*link_open)(struct weir_fabric *fabric, bool is_incoming, struct weir_link **link,
                     struct weir_card *card);
    int (*link_join)(struct weir_link *link, const struct weir_card *card);
    /* The link is up, and its socket the provider's to watch and to read (not to close). NULL: the
     * door watches it. Its end is the end of the link; bytes that come are thrown away, and only
     * wake who sleeps. 0 or -errno. */
    int (*link_up)(struct weir_link *link);
    /* Another socket has gone through the door for `link`, or (NULL) has come with the token of the
     * card of an incoming one (tcp): 0: the provider has it now; or -errno. NULL: there is no such
     * thing. */
    int (*stream_join)(struct weir_fabric *fabric, struct weir_link *link,
                       const struct weir_stream_name *name, int socket);
    /* Frees the link. Its socket is closed already. */
    void (*link_close)(struct weir_link *link);

    int (*post)(struct weir_link *link, const struct weir_wire wires[], unsigned count);
    /* Posts one wire and looks for its end as long as it may come at once: as weir_link_trip. NULL:
     * its end is not seen any sooner than by progress. */
    int (*trip)(struct weir_link *link, const struct weir_wire *wire);
    void (*release)(struct weir_link *link, void *message);
    /* Collects what has happened, without waiting: events of wires and messages. A link that fails
     * is given to weir_link_lose. Returns how many, or -errno. */
    int (*progress)(struct weir_fabric *fabric, struct weir_event events[], unsigned max);
    /* Hands back the wires of a LOST link, with its lost_code, and messages that came before its
     * end: up to `max`; 0: all are back. */
    int (*drain)(struct weir_link *link, struct weir_event events[], unsigned max);
    /* Something may sleep now: arms what wakes epoll. Returns true if there is something to be
     * collected after all. */
    bool (*arm)(struct weir_fabric *fabric);
    /* Epoll said `events` of a descriptor that was given to weir_fabric_watch with `context`. The
     * provider notes it; the next progress acts upon it. */
    void (*woken)(struct weir_fabric *fabric, void *context, uint32_t events);
    /* Progress sees only what epoll has said: poll looks there in each round, and not only now and
     * then for the sake of the door (tcp). */
    bool is_driven_by_kernel;
};

/* NULL-terminated; written by CMake. Of those left out: "name: reason". */
extern const struct weir_provider *const weir_providers[];
extern const char *const weir_providers_left_out[];

/* For providers: the link is no more, because of `code`. May be called more than once. */
void weir_link_lose(struct weir_link *link, int code);

/* For providers: what link_join began has succeeded. */
void weir_door_link_is_up(struct weir_link *link);

/* For providers: begins a further socket to where `link` goes, proven like the first. It comes to
 * stream_join, with `name`; if it does not come, the link is lost. 0 or -errno. */
int weir_door_call_stream(struct weir_link *link, const struct weir_stream_name *name);

/* For providers: from now on `woken` hears of this descriptor, and it ends the sleep of poll.
 * `events`: EPOLLIN, EPOLLOUT, EPOLLET; calling it again changes them. 0 or -errno. */
int weir_fabric_watch(struct weir_fabric *fabric, int fd, void *context, uint32_t events);
void weir_fabric_unwatch(struct weir_fabric *fabric, int fd);

#endif
