/* SPDX-License-Identifier: Apache-2.0 */
/* How a server is made, for the files that it is made of: it has clients, and each has tasks, one
 * for every request that is not yet answered. All but the facts belongs to the server's thread. */
#ifndef WEIR_NETWORK_OBJECTS_SERVER_PARTS_H
#define WEIR_NETWORK_OBJECTS_SERVER_PARTS_H

#include "backing.h"
#include "protocol.h"
#include "store.h"

#include <pthread.h>
#include <stdatomic.h>

#define WEIR_SERVER_EVENTS_MAX 64
#define WEIR_REPLY_COUNT 64u /* long answers under way at once */
#define WEIR_TASK_PAYLOAD_BYTES (WEIR_HEADER_BYTES - sizeof(struct weir_answer))

struct weir_server_client;

enum weir_task_state {
    WEIR_TASK_STARTED,
    WEIR_TASK_STARVING,    /* waits for a long buffer */
    WEIR_TASK_MOVING,      /* work requests of data are to be posted */
    WEIR_TASK_OUTSTANDING, /* all are posted, and not all done */
    WEIR_TASK_COMMITTING,  /* with the thread of the backing */
    WEIR_TASK_ANSWERING,   /* the answer is to be posted */
    WEIR_TASK_ANSWERED     /* it is posted */
};

struct weir_task {
    struct weir_server_client *client; /* NULL: gone, while the backing had the task */
    struct weir_task *next, *previous; /* of the client, or free (next) */
    struct weir_task *next_queued;     /* to be posted, or starving */
    enum weir_task_state state;
    void *message; /* where the request points into; NULL: given back */
    struct weir_parsed_request parsed;
    /* The answer as it goes out, ... */
    struct {
        struct weir_answer answer;
        unsigned char payload[WEIR_TASK_PAYLOAD_BYTES];
    } header;
    unsigned char *reply; /* ... but with its payload here, if that is not NULL */
    /* data in one of the server's own work requests */
    struct weir_shard *shard;
    uint64_t posted_bytes;
    unsigned outstanding;
    struct weir_backing_job job;
};

struct weir_task_queue {
    struct weir_task *first, *last;
};

struct weir_server_client {
    struct weir_link *link; /* NULL: this place is free */
    uint32_t number;
    bool has_said_hello;
    struct weir_server_client *next; /* of those that are free, or leaving */
    bool is_leaving; /* its link is closed as soon as nothing can be told of it any more */
    struct weir_task *tasks;
    unsigned task_count;
    struct weir_task_queue posting;
    /* Messages that came while it had too many tasks. */
    struct weir_held_message {
        void *message;
        uint32_t bytes;
    } * held;
    unsigned held_first, held_count;
};

struct weir_object_server {
    struct weir_object_server_params params; /* with defaults filled in; texts are not used later */
    char address[WEIR_ADDRESS_BYTES];
    struct weir_fabric *fabric;
    struct weir_slab slab;
    struct weir_region *slab_region;
    struct weir_region_key slab_key;
    unsigned char *zeros; /* holes are written to clients from here */
    struct weir_region *zeros_region;
    unsigned char *replies; /* WEIR_REPLY_COUNT of message_bytes each */
    struct weir_region *replies_region;
    unsigned char *free_replies[WEIR_REPLY_COUNT];
    unsigned free_reply_count;
    struct weir_task_queue starving;
    struct weir_store *store;
    struct weir_backing *backing;
    uint64_t boot_id;
    uint32_t server_count; /* as clients told; 0: nobody did */
    uint32_t server_index;
    uint32_t chunk_count;
    struct weir_server_client *clients; /* client_limit */
    unsigned client_count;
    struct weir_server_client *free_clients, *leaving;
    unsigned committing_count;
    struct weir_task *free_tasks;
    uint64_t logged_ns; /* the latest complaint */
    uint64_t unlogged_count;

    pthread_t thread;
    bool has_thread;
    atomic_bool is_closing;
    struct {
        atomic_ullong used_bytes, object_count, client_count, message_count, refused_count;
        atomic_bool is_broken;
    } told;
};

/* server.c */

/* Each link has buffers for as many messages as it has credits, which verbs pins: so many that
 * those of all servers of the node take an eighth of the memory there is, but four at least, and 32
 * at most. */
unsigned weir_server_credits(const struct weir_object_server_params *params,
                             uint64_t available_bytes);

/* server_links.c */

/* Places for as many as there may be. 0 or -ENOMEM. */
int weir_server_clients_open(struct weir_object_server *server);
/* What poll told. */
void weir_server_take_events(struct weir_object_server *server, const struct weir_event events[],
                             unsigned count);
/* The request is answered with `status`; messages and buffers go back by themselves. */
void weir_task_finish(struct weir_object_server *server, struct weir_task *task, int status);
/* Data are to be moved by work requests, then the request is answered. */
void weir_task_move(struct weir_object_server *server, struct weir_task *task);
/* Room for `bytes` of payload in the answer; NULL: the task starves, and is dispatched again. */
unsigned char *weir_task_room(struct weir_object_server *server, struct weir_task *task,
                              size_t bytes);
size_t weir_task_most_payload(const struct weir_object_server *server,
                              const struct weir_task *task);
/* The client does what no client does: it is cut off, which is logged, but not each time. */
void weir_server_disconnect(struct weir_object_server *server, struct weir_server_client *client,
                            const char *why);
/* Jobs that the backing is done with. */
void weir_server_reap_jobs(struct weir_object_server *server);
void weir_server_disconnect_all(struct weir_object_server *server);

/* server_verbs.c */
void weir_server_dispatch(struct weir_object_server *server, struct weir_task *task);

/* server_data.c: each calls finish or move, or gives the task to the backing */
void weir_server_commit(struct weir_object_server *server, struct weir_task *task);
void weir_server_move_data(struct weir_object_server *server, struct weir_task *task);
void weir_server_write_sent(struct weir_object_server *server, struct weir_task *task);
void weir_server_read_sent(struct weir_object_server *server, struct weir_task *task);
/* The next work request of a task that is MOVING; all are posted when posted_bytes is
 * request.bytes. */
struct weir_wr weir_server_next_wr(struct weir_object_server *server, struct weir_task *task);

#endif
