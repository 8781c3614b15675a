/* SPDX-License-Identifier: Apache-2.0 */
/* What a server knows: names and the objects that they lead to, and shards, which are lists of
 * chunks. Knows nothing of links: a client is a number, from 0 on. Functions fill in the facts of
 * an answer (protocol.h) and return 0 or -errno; ids are checked with their generations: -ESTALE.
 */
#ifndef WEIR_NETWORK_OBJECTS_STORE_H
#define WEIR_NETWORK_OBJECTS_STORE_H

#include "paths.h"
#include "protocol.h"

struct weir_store;
struct weir_shard;

struct weir_store_params {
    void *memory; /* zeroed */
    uint32_t chunk_count;
    uint64_t first_generation; /* > 0; a greater one for each start of a server */
};

/* 0 or -ENOMEM. */
int weir_store_open(const struct weir_store_params *params, struct weir_store **store);
void weir_store_close(struct weir_store *store); /* NULL is allowed */

/* Which server of how many it is, told by clients; before there is an object, and only while it has
 * none. */
void weir_store_set_place(struct weir_store *store, uint32_t server_index, uint32_t server_count);
/* No names, no objects, no shards. */
bool weir_store_is_empty(const struct weir_store *store);
uint64_t weir_store_used_bytes(const struct weir_store *store);
uint64_t weir_store_object_count(const struct weir_store *store);

/* The client is gone: what it had open is closed, what it held is let go. */
void weir_store_leave(struct weir_store *store, uint32_t client);

/* Does what can wait, a little of it. False: nothing is left to do. */
bool weir_store_tidy(struct weir_store *store);

/* ---- names and objects (store_names.c, store_directories.c, store_objects.c); verbs of protocol.h
 * ---- */

struct weir_layout {
    uint64_t unit_bytes;
    uint32_t stripe_count;
};

/* `created`: how, if there is none; NULL: -ENOENT then. */
int weir_store_open_object(struct weir_store *store, uint32_t client, struct weir_path path,
                           const struct weir_layout *created, struct weir_answer *answer);
int weir_store_close_object(struct weir_store *store, uint32_t client, uint64_t object,
                            uint64_t generation, uint64_t end, struct weir_answer *answer);
int weir_store_stat_path(struct weir_store *store, struct weir_path path,
                         struct weir_answer *answer);
int weir_store_stat_object(struct weir_store *store, uint64_t object, uint64_t generation,
                           struct weir_answer *answer);
/* At least so long. */
int weir_store_size(struct weir_store *store, uint64_t object, uint64_t generation, uint64_t bytes,
                    struct weir_answer *answer);
int weir_store_unlink(struct weir_store *store, struct weir_path path, struct weir_answer *answer);
/* The answer describes the object under the old name in the case of -EISDIR, else the one that was
 * replaced. */
int weir_store_rename(struct weir_store *store, struct weir_path path, struct weir_path new_path,
                      bool may_be_directory, struct weir_answer *answer);
int weir_store_mkdir(struct weir_store *store, struct weir_path path, struct weir_answer *answer);
/* -ENOTEMPTY if this server has names in it; those of another one stay. */
int weir_store_rmdir(struct weir_store *store, struct weir_path path);
/* The directory has no names, and gets none (-EAGAIN) until the client unlocks it or leaves.
 * -ENOTEMPTY, or -EAGAIN: a client has it locked. */
int weir_store_lock(struct weir_store *store, uint32_t client, struct weir_path path);
void weir_store_unlock(struct weir_store *store, uint32_t client, struct weir_path path);
/* Items from `cookie` on, as many as fit into `room` bytes. Sets count, cookie and payload_bytes of
 * the answer. */
int weir_store_list(struct weir_store *store, struct weir_path directory, uint64_t cookie,
                    void *items, size_t room, struct weir_answer *answer);

/* Objects that are gone and have shards elsewhere, the latest first, up to WEIR_ORPHANS_MAX: from
 * now on the client's to drop. */
unsigned weir_store_take_orphans(struct weir_store *store, uint32_t client,
                                 struct weir_orphan orphans[WEIR_ORPHANS_MAX]);

/* ---- shards (store_shards.c) ----
 *
 * A greater generation than that of the shard there is belongs to an object of a server that was
 * started anew, and has the id of one that went with it: its shard is dropped. */

/* Numbers of the chunks from `first` on; WEIR_CHUNK_NONE: a hole. All that are missing are
 * allocated, or none, -ENOSPC. The client holds the shard from now on. */
int weir_store_map(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation,
                   uint64_t first, uint32_t count, bool allocates, uint32_t numbers[]);
void weir_store_release(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation);
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
