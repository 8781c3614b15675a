/* SPDX-License-Identifier: Apache-2.0 */
/* How a store is made, for the files that it is made of. */
#ifndef WEIR_NETWORK_OBJECTS_STORE_PARTS_H
#define WEIR_NETWORK_OBJECTS_STORE_PARTS_H

#include "chunks.h"
#include "store.h"
#include "table.h"

#define WEIR_CLIENT_NONE UINT32_MAX

/* Clients that have or hold something, each so many times. */
struct weir_users {
    struct weir_user {
        uint32_t client;
        uint32_t count;
    } * list;
    uint32_t count;
    uint32_t room;
};

/* 0 or -ENOMEM. */
int weir_users_add(struct weir_users *users, uint32_t client);
bool weir_users_has(const struct weir_users *users, uint32_t client);
/* Once less, or (`wholly`) not at all any more. False: it was none. */
bool weir_users_remove(struct weir_users *users, uint32_t client, bool wholly);
void weir_users_fini(struct weir_users *users);

/* What a server keeps of an object. */
struct weir_kept {
    struct weir_node node; /* by id */
    uint64_t object;
    uint64_t generation;
    uint64_t size;
    struct weir_layout layout;
    uint32_t kind;
    bool is_nameless; /* lives as long as somebody has it open */
    struct weir_users openers;
};

struct weir_entry {
    struct weir_node node; /* by name */
    uint64_t object;
    uint64_t generation;
    uint32_t kind;
    uint32_t index; /* in store->entries: what cookies count */
    size_t name_bytes;
    char name[];
};

/* Dropped objects whose shards are still to be dropped, by `client` or (WEIR_CLIENT_NONE) whoever
 * asks. */
struct weir_debt {
    struct weir_orphan orphan;
    uint32_t client;
};

#define WEIR_SHARD_PAGE 512u /* chunks */
#define WEIR_SHARD_CHUNKS_MAX (UINT32_C(1) << 24)

struct weir_shard {
    struct weir_node node; /* by id */
    uint64_t object;
    uint64_t generation;
    uint32_t **pages; /* of WEIR_SHARD_PAGE numbers; NULL: holes */
    uint32_t page_count;
    uint32_t pins;
    struct weir_users holders;
    bool is_dropped; /* not in the table, but in the list of those that wait */
    struct weir_shard *next_dropped;
};

#define WEIR_GONE_COUNT 1024u /* dropped shards that are remembered */

struct weir_store {
    uint32_t server_index;
    uint64_t next_number;
    uint64_t next_generation;
    struct weir_chunks chunks;
    struct weir_table kept;
    struct weir_table names;
    struct weir_table shards;
    struct weir_entry **entries; /* NULL: nobody has this index */
    uint32_t entry_count;
    uint32_t entry_room;
    uint32_t lowest_unused; /* no index below is unused */
    struct weir_debt *debts;
    uint32_t debt_count;
    uint32_t debt_room;
    uint32_t orphan_count;
    struct weir_shard *dropped;
    struct {
        uint64_t object, generation;
    } gone[WEIR_GONE_COUNT];
    uint32_t gone_next;
};

/* store_objects.c */
struct weir_kept *weir_kept_find(struct weir_store *store, uint64_t object, uint64_t generation);
/* NULL: no memory. */
struct weir_kept *weir_kept_add(struct weir_store *store, uint32_t kind,
                                const struct weir_layout *layout);
void weir_kept_tell(const struct weir_store *store, const struct weir_kept *kept,
                    struct weir_answer *answer);
/* Its name is gone: so is it, if nobody has it open. -ENOMEM: nothing was done. */
int weir_kept_lose_name(struct weir_store *store, uint32_t client, struct weir_kept *kept,
                        struct weir_answer *answer);
void weir_kept_release(struct weir_node *node);
void weir_kept_leave(struct weir_store *store, uint32_t client);
void weir_debt_pay(struct weir_store *store, uint64_t object, uint64_t generation);

/* store_shards.c */
void weir_shards_leave(struct weir_store *store, uint32_t client);
void weir_shards_fini(struct weir_store *store);

#endif
