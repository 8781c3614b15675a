/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the client share. Links and their operations are in client.c and
 * client_calls.c, names in client_names.c, places of chunks in client_map.c, transfers in
 * client_data.c. */
#ifndef WEIR_NETWORK_OBJECTS_CLIENT_PARTS_H
#define WEIR_NETWORK_OBJECTS_CLIENT_PARTS_H

#include "paths.h"
#include "protocol.h"
#include "weir/base/clock.h"
#include "weir/objects/client.h"
#include "weir/objects/server.h"
#include "weir/objects/stripe.h"

#define TIMEOUT_NS UINT64_C(10000000000)
#define WAIT_SLICE_NS UINT64_C(200000000)
#define SLEEP_GRAIN_NS UINT64_C(2000000)
#define LOCK_PAUSE_NS UINT64_C(100000) /* between two tries at a directory that is locked */
#define BOUNCE_TOTAL_BYTES (UINT64_C(32) << 20)
#define BOUNCE_PIECE_BYTES (UINT64_C(1) << 20)

enum {
    BATCH = 32,           /* work requests that are posted together at most */
    EVENTS = 32,          /* looked at together */
    MESSAGE_BYTES = 8192, /* answers about names and chunks */
    CREDITS = 32,
    OPS_MAX = 65535,
    NO_OP = 65535
};

enum wait_end { WAIT_EVENT, WAIT_OVER, WAIT_SIGNAL, WAIT_BROKEN };

/* ---- servers ---- */

/* What was handed to a link and is not back: a work request, or a request until its answer comes.
 */
struct op {
    struct slot *slot; /* whose it is; NULL: a call's */
    struct client_server *server;
    struct weir_request request; /* of data: valid until it is posted */
    void *place;                 /* READ_SEND: where the data go */
    struct shard *shard;         /* COMMIT: whose data */
    uint64_t bytes;              /* READ_*: so many are expected; SIZE: what is told; COMMIT: the
                                    shard's `written` when it was sent */
    uint16_t generation;         /* a late answer finds it changed */
    uint16_t next_free;
    bool is_request;
    bool is_probe; /* its answer is of no use but that it came */
    bool is_outstanding;
};

enum server_state { SERVER_UNTRIED, SERVER_JOINING, SERVER_UP, SERVER_GONE };

struct client_server {
    struct weir_link *link;
    struct weir_link *old_link; /* to be closed when all events are looked at */
    enum server_state state;
    int lost_code; /* GONE: why */
    unsigned number;
    unsigned credits;           /* messages that may be sent now */
    struct weir_region_key key; /* of its memory */
    uint64_t message_bytes;     /* the longest that may be sent to it */
    uint64_t scratch_address;
    uint64_t scratch_bytes;
    bool has_backing;
    bool has_joined;  /* the server accepted us */
    bool was_touched; /* its memory was reached, for once */
    bool is_in_posts;
    bool was_heard;    /* since somebody looked: anything, ... */
    bool has_answered; /* ... or a message */
    bool was_probed;   /* since it was heard */
    uint64_t quiet_ns; /* when it was last known to have been heard; 0: not known */
    unsigned asked;    /* requests in flight */
    unsigned reserve;  /* of the credits, for a probe */
    struct op *ops;
    unsigned op_count;
    unsigned outstanding;
    uint16_t first_free;
    struct slot *stalled; /* slots that wait for room on the link: a list, the longest first */
    struct slot *last_stalled;
    unsigned batch_count;
    struct weir_wr batch[BATCH];
};

/* ---- objects ---- */

/* Ranges of a shard that fsync must bring to the backing. */
struct dirty_ranges {
    struct weir_range ranges[WEIR_RANGES_MAX];
    unsigned count;
};

/* What a server holds of an object. */
struct shard {
    struct client_server *server;
    uint64_t *chunks; /* their addresses at the server */
    uint64_t chunk_count;
    uint64_t held;      /* of them that are known */
    bool was_asked_for; /* the server may have noted that we hold it, if only in order to refuse */
    uint64_t written;   /* a count that grows with each write; ... */
    uint64_t committed; /* ... and what it was when the last commit that was answered was sent */
    struct dirty_ranges *dirty_ranges; /* NULL: there is no backing to bring it to */
};

/* An object as this client knows it, however often it is open here. */
struct shared_object {
    struct shared_object *next;
    unsigned openings;
    uint64_t id;
    struct weir_striping_pattern pattern;
    struct weir_object_facts facts; /* .bytes: as far as it is known here */
    uint64_t told_bytes;            /* the home knows that it is so long */
    uint64_t expected_bytes;
    struct shard shards[];
};

struct weir_object {
    struct weir_object *next;
    struct shared_object *shared_object;
    bool can_read;
    bool can_write;
    unsigned slots; /* in flight */
};

/* ---- transfers ---- */

enum slot_phase { SLOT_FREE, SLOT_MOVING, SLOT_TELLING, SLOT_WAITING, SLOT_COMMITTING };

struct slot {
    struct weir_object_io *io;
    enum slot_phase phase;
    bool is_listed;        /* in `todo`, or stalled at a server */
    bool is_bounced;       /* its data do not lie in lent memory */
    unsigned pending;      /* operations */
    int error;             /* the first */
    uint64_t limit;        /* bytes that there are to move */
    uint64_t sent;         /* handed over, of them; COMMITTING: shards */
    uint64_t window_begin; /* what goes through the bounce buffer now; all of it without one */
    uint64_t window_end;
    uint64_t number;            /* in the order of submission */
    struct client_server *full; /* where there was no room, of late */
    struct slot *next_stalled;
    enum weir_object_flush level; /* that a sync has reached */
};

/* A list of slots, each at most once in it. */
struct slot_ring {
    struct slot **slots;
    unsigned begin;
    unsigned count;
};

/* The call that waits for its answer. */
struct client_call {
    bool is_waiting;
    int status; /* of the way; that of the answer is in it */
    struct weir_answer answer;
    const unsigned char *payload; /* in the client's `answer`, valid until the next call */
};

struct weir_object_client {
    struct weir_object_client_params params;
    unsigned char secret[WEIR_SECRET_BYTES];
    struct weir_fabric *fabric;
    const struct weir_fabric_facts *facts;
    struct client_server *servers;
    char (*addresses)[WEIR_ADDRESS_BYTES];
    struct weir_object *objects;
    struct shared_object *shared_objects;

    struct slot *slots;
    struct slot_ring todo; /* something can be done for them */
    struct slot_ring done;
    struct client_server **posts; /* servers with a batch */
    unsigned post_count;
    uint64_t submitted; /* count of all */
    unsigned waiting_syncs;
    unsigned polls;
    uint64_t looked_ns; /* for silent servers */
    bool is_handling;   /* events are being looked at */
    bool has_old_links;

    unsigned char *lent;
    size_t lent_bytes;
    struct weir_region *lent_region;
    unsigned char *bounce; /* one piece per slot; NULL: nobody needed it yet */
    size_t bounce_bytes;   /* of a piece */
    struct weir_region *bounce_region;

    struct client_call call;
    unsigned char *answer;  /* to it: message_bytes */
    unsigned char *request; /* the request: as many */
    struct weir_region *request_region;
    size_t request_bytes;
    enum weir_object_flush flushed;
    int failed_server; /* of the latest failure; -1: none */
    int failed_code;
};

/* ---- client.c ---- */

/* The server, linked; it is connected to if that was not yet tried. 0 or -errno. */
int weir_client_reach(struct weir_object_client *client, struct client_server *server);
/* It is no more: what was under way to it fails with `code`, and so does all that is to come. */
void weir_client_lose_server(struct weir_object_client *client, struct client_server *server,
                             int code);
void weir_client_note_failure(struct weir_object_client *client, const struct client_server *server,
                              int code);
/* Looks at what has happened, and does what follows from it. Returns the number of events, or
 * -errno if the fabric is broken. */
int weir_client_poll(struct weir_object_client *client, uint64_t timeout_ns);
/* One turn of waiting; `*until_ns` is 0 at the first. */
enum wait_end weir_client_wait(struct weir_object_client *client, uint64_t timeout_ns,
                               uint64_t *until_ns);
/* Gives up the servers that have owed something for too long, and said nothing meanwhile. */
void weir_client_find_silent(struct weir_object_client *client, uint64_t now_ns);

/* ---- client_preflight.c ---- */

/* Reads a few bytes of the server's memory that is nobody's (others may compare what they wrote
 * there): over shm, memory is mapped for that, which would take long in a transfer. 0 or -errno. */
int weir_client_touch(struct weir_object_client *client, struct client_server *server);

/* ---- client_data.c ---- */

/* Something can be done for the slot. */
void weir_client_schedule(struct weir_object_client *client, struct slot *slot);
/* One of the slots that wait for room at the server is tried again, or all of them. */
void weir_client_retry_stalled(struct weir_object_client *client, struct client_server *server,
                               bool all);
void weir_client_run_slots(struct weir_object_client *client);
/* Where the next byte of a transfer lies in registered memory. */
struct data_place {
    unsigned char *data;
    struct weir_region *region;
    uint64_t offset; /* in the region */
};
struct data_place weir_client_data_place(const struct weir_object_client *client,
                                         const struct slot *slot);
/* What was in flight is back. */
void weir_client_complete_op(struct weir_object_client *client, struct op *op, int result);
/* Memory for transfers outside of what was lent. 0 or -errno. */
int weir_client_open_bounce(struct weir_object_client *client);
void weir_client_close_bounce(struct weir_object_client *client);

/* ---- client_calls.c ---- */

/* One more is pending for the slot, if it is not a call's. NULL: there are no more. */
struct op *weir_client_take_op(struct client_server *server, struct slot *slot);
void weir_client_give_op(struct op *op);
/* Of an operation whose work request was not taken. False: the link was found to be gone on the
 * way, and the operation is completed with the others, with the error. */
bool weir_client_cancel_op(struct op *op);
/* The place of a work request, to be filled in, behind the others that go to the server with the
 * next flush. NULL: there is no room. */
struct weir_wr *weir_client_next_wr(struct weir_object_client *client,
                                    struct client_server *server);
void weir_client_flush(struct weir_object_client *client);
/* What came from a server. */
void weir_client_take_message(struct weir_object_client *client, struct client_server *server,
                              const struct weir_event *event);
int weir_client_say_hello(struct weir_object_client *client, struct client_server *server);
/* Asks and waits: `request` without lengths and id, which are filled in, and its parts. The answer
 * is in client->call. Its status, or -errno of the way. */
struct parts {
    struct weir_path path;
    struct weir_path new_path;
    const void *payload;
    size_t payload_bytes;
};
int weir_client_call(struct weir_object_client *client, struct client_server *server,
                     const struct weir_request *request, const struct parts *parts);
/* Memory for what calls say and hear. */
int weir_client_open_messages(struct weir_object_client *client, struct weir_error *error);
void weir_client_close_messages(struct weir_object_client *client);

/* Requests of slots, whose answers complete their operations. False: there is no room. */
bool weir_client_send_size(struct weir_object_client *client, struct slot *slot);
bool weir_client_send_commit(struct weir_object_client *client, struct slot *slot,
                             struct shard *shard);
/* Asks the server whether it is there at all. False: there is no room. */
bool weir_client_send_probe(struct weir_object_client *client, struct client_server *server);
/* PULL and SEND: of so many bytes at most; *bytes becomes what was asked for. */
bool weir_client_send_data(struct weir_object_client *client, struct slot *slot, uint64_t *bytes,
                           struct shard *shard, uint64_t offset);

/* ---- client_map.c ---- */

/* Sees to it that the chunks of a range are known; those that there are, or (`is_write`) all. 0 or
 * -errno. */
int weir_client_map(struct weir_object_client *client, struct shared_object *shared_object,
                    uint64_t offset, uint64_t bytes, bool is_write);
/* A write of this range is done: a sync has something to do. */
void weir_client_note_written(struct shared_object *shared_object, uint64_t offset, uint64_t bytes);
/* The same of all that a shard has: a commit failed. */
void weir_client_note_all_written(struct shard *shard);

/* ---- client_names.c ---- */

int weir_client_reach_and_call(struct weir_object_client *client, struct client_server *server,
                               const struct weir_request *request, const struct parts *parts);
int weir_client_call_home(struct weir_object_client *client, enum weir_verb verb, uint64_t object,
                          uint64_t generation, uint64_t bytes);
void weir_client_read_facts(const struct weir_answer *answer, struct weir_object_facts *facts);
/* Forgets all objects; nobody hears of it. */
void weir_client_forget_objects(struct weir_object_client *client);
/* Asks the home. 0 or -errno. */
int weir_client_ask_size(struct weir_object_client *client, struct shared_object *shared_object);

#endif
