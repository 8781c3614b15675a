/* SPDX-License-Identifier: Apache-2.0 */
/* What a server knows: names, the objects that it keeps, and shards, which are lists of chunks.
 * Knows nothing of links: a client is a number. Functions fill in the facts of an answer
 * (protocol.h) and return 0 or -errno; ids are checked with their generations: -ESTALE. */
#ifndef WEIR_NETWORK_OBJECTS_STORE_H
#define WEIR_NETWORK_OBJECTS_STORE_H

#include "protocol.h"

struct weir_store;
struct weir_shard;

struct weir_store_params {
    void *memory; /* zeroed */
    uint32_t chunk_count;
    uint32_t server_index;
    uint64_t first_generation; /* > 0; another one for each start of a server */
};

/* 0 or -ENOMEM. */
int weir_store_open(const struct weir_store_params *params, struct weir_store **store);
void weir_store_close(struct weir_store *store); /* NULL is allowed */

/* Which server it is, told by clients; only while it has no objects. */
void weir_store_set_index(struct weir_store *store, uint32_t server_index);
/* No names, no objects, no shards. */
bool weir_store_is_empty(const struct weir_store *store);
void weir_store_space(const struct weir_store *store, struct weir_space_answer *space);

/* The client is gone: what it had open is closed, what it held is let go. */
void weir_store_leave(struct weir_store *store, uint32_t client);

/* Does what can wait, a little of it. False: nothing is left to do. */
bool weir_store_tidy(struct weir_store *store);

/* ---- names and objects (store_names.c, store_objects.c); verbs of protocol.h ---- */

struct weir_name {
    const char *bytes; /* 1 to WEIR_PATH_BYTES_MAX, none of them NUL */
    size_t count;
};

struct weir_layout {
    uint64_t unit_bytes;
    uint32_t stripe_count;
};

/* `created`: how, if there is none; NULL: -ENOENT then. */
int weir_store_open_name(struct weir_store *store, uint32_t client, struct weir_name name,
                         const struct weir_layout *created, struct weir_answer *answer);
int weir_store_open_id(struct weir_store *store, uint32_t client, uint64_t object,
                       uint64_t generation, struct weir_answer *answer);
int weir_store_close_id(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation, uint64_t end, struct weir_answer *answer);
int weir_store_stat_name(struct weir_store *store, struct weir_name name,
                         struct weir_answer *answer);
int weir_store_stat_id(struct weir_store *store, uint64_t object, uint64_t generation,
                       struct weir_answer *answer);
/* At least, or (is_exact) exactly so long. */
int weir_store_size(struct weir_store *store, uint64_t object, uint64_t generation, uint64_t bytes,
                    bool is_exact, struct weir_answer *answer);
int weir_store_unlink_name(struct weir_store *store, uint32_t client, struct weir_name name,
                           struct weir_answer *answer);
int weir_store_unlink_id(struct weir_store *store, uint32_t client, uint64_t object,
                         uint64_t generation, struct weir_answer *answer);
int weir_store_rename(struct weir_store *store, uint32_t client, struct weir_name name,
                      struct weir_name new_name, struct weir_answer *answer);
int weir_store_adopt(struct weir_store *store, uint32_t client, struct weir_name name,
                     uint64_t object, uint64_t generation, uint32_t kind,
                     struct weir_answer *answer);
int weir_store_disown(struct weir_store *store, struct weir_name name, uint64_t object,
                      uint64_t generation);
int weir_store_mkdir(struct weir_store *store, struct weir_name name, struct weir_answer *answer);
int weir_store_rmdir(struct weir_store *store, uint32_t client, struct weir_name name,
                     struct weir_answer *answer);
/* Items from `cookie` on, as many as fit into `room` bytes. Sets count, cookie and payload_bytes of
 * the answer. */
int weir_store_list(struct weir_store *store, struct weir_name directory, uint64_t cookie,
                    void *items, size_t room, struct weir_answer *answer);

/* Up to WEIR_ORPHANS_MAX, from now on the client's to drop. */
unsigned weir_store_take_orphans(struct weir_store *store, uint32_t client,
                                 struct weir_orphan orphans[WEIR_ORPHANS_MAX]);
bool weir_store_has_orphans(const struct weir_store *store);

/* ---- shards (store_shards.c) ---- */

/* Numbers of the chunks from `first` on; WEIR_CHUNK_NONE: a hole. All that are missing are
 * allocated, or none, -ENOSPC. The client holds the shard from now on. */
int weir_store_map(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation,
                   uint64_t first, uint32_t count, bool allocates, uint32_t numbers[]);
void weir_store_release(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation);
int weir_store_cut(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation,
                   uint64_t bytes);
/* Gone for all; its chunks are free as soon as nobody holds or pins it. Nothing is wrong if there
 * is none. */
int weir_store_drop(struct weir_store *store, uint32_t client, uint64_t object,
                    uint64_t generation);

/* For the server's own transfers: its chunks stay until unpin. NULL in *shard, and 0: there is no
 * such shard (and none was made: `allocates` is false), it is one hole. */
int weir_store_pin(struct weir_store *store, uint64_t object, uint64_t generation, uint64_t offset,
                   uint64_t bytes, bool allocates, struct weir_shard **shard);
void weir_store_unpin(struct weir_store *store, struct weir_shard *shard);

/* How much of what begins at `offset` of the shard, of at most `bytes`, lies in one piece of the
 * slab, and where: *place, WEIR_NO_CHUNK in a hole. */
uint64_t weir_shard_piece(const struct weir_shard *shard, uint64_t offset, uint64_t bytes,
                          uint64_t *place);

/* No chunk lies at or behind it. */
uint64_t weir_shard_end(const struct weir_shard *shard);

#endif
