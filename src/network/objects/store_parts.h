/* SPDX-License-Identifier: Apache-2.0 */
/* How a store is made, for the files that it is made of. */
#ifndef WEIR_NETWORK_OBJECTS_STORE_PARTS_H
#define WEIR_NETWORK_OBJECTS_STORE_PARTS_H

#include "chunks.h"
#include "store.h"
#include "store_uses.h"
#include "table.h"

#define WEIR_CLIENT_NONE UINT32_MAX

/* What the home of an object knows of it. */
struct weir_record {
    struct weir_node node;    /* by id */
    struct weir_used openers; /* has_ended: the client that is to drop the shards */
    uint64_t object;
    uint64_t generation;
    uint64_t size;
    struct weir_layout layout;
    uint32_t kind;
    struct weir_entry *entry; /* its name; NULL: that is gone, and it lives as long as it is open */
    bool has_ended;           /* nobody finds it any more, but its shards are not dropped yet */
    struct weir_record *next_orphan, **orphan_place; /* ended, and nobody is to drop them */
};

static inline struct weir_record *weir_record_of(struct weir_used *openers)
{
    return (struct weir_record *)((char *)openers - offsetof(struct weir_record, openers));
}

struct weir_entry {
    struct weir_node node; /* by name */
    struct weir_record *record;
    struct weir_directory *directory; /* that it is in, ... */
    uint32_t place;                   /* ... and where */
    size_t name_bytes;
    char name[];
};

#define WEIR_SHARD_PAGE 512u /* chunks */
#define WEIR_SHARD_CHUNKS_MAX (UINT32_C(1) << 24)

struct weir_shard {
    struct weir_node node; /* by the object's id */
    struct weir_used holders;
    uint64_t object;
    uint64_t generation;
    uint32_t **pages; /* of WEIR_SHARD_PAGE numbers; NULL: holes */
    uint32_t page_count;
    uint32_t pins;
    bool is_dropped; /* nobody finds it any more, but it is held or pinned */
};

static inline struct weir_shard *weir_shard_of(struct weir_used *holders)
{
    return (struct weir_shard *)((char *)holders - offsetof(struct weir_shard, holders));
}

/* Dropped objects are remembered as long as the server lives, with a bit each: objects of one
 * home have numbers that follow each other, and generations that do. Whoever maps one late would
 * make a shard that nobody drops. */
#define WEIR_DROPPED_PAGE 4096u

struct weir_dropped {
    struct weir_node node;
    uint64_t first; /* object */
    uint64_t first_generation;
    uint64_t bits[WEIR_DROPPED_PAGE / 64];
};

struct weir_store {
    uint32_t server_index;
    uint32_t server_count;
    uint64_t next_number;
    uint64_t next_generation;
    struct weir_chunks chunks;
    struct weir_table records;
    struct weir_table names;
    struct weir_table directories; /* that have names, or are locked */
    struct weir_table shards;
    struct weir_table dropped;
    struct weir_uses uses;
    struct weir_record *orphans;
};

/* store_objects.c */
/* NULL: no memory. */
struct weir_record *weir_record_add(struct weir_store *store, uint32_t kind,
                                    const struct weir_layout *layout);
void weir_record_describe(const struct weir_store *store, const struct weir_record *record,
                          struct weir_answer *answer);
/* Its name or one of its openers is gone, or the client that was to drop its shards: it ends if
 * that was the last, and becomes an orphan if it has shards elsewhere. */
void weir_record_settle(struct weir_store *store, struct weir_record *record);
/* The shards of an object that has ended are dropped, by the client that was to. */
void weir_record_forget(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation);
void weir_record_free(struct weir_node *node);

/* store_directories.c */
/* The name joins, or leaves, those of the directory that it is in. 0, -ENOMEM, or -EAGAIN: a client
 * has that locked. */
int weir_directory_add(struct weir_store *store, struct weir_path path, struct weir_entry *entry);
void weir_directory_remove(struct weir_store *store, struct weir_entry *entry);
bool weir_directory_has_names(const struct weir_store *store, struct weir_path path);
/* The client that had it locked is gone. */
void weir_directory_settle(struct weir_store *store, struct weir_used *lockers);
void weir_directory_free(struct weir_node *node);

/* store_shards.c */
/* A dropped shard that nobody can touch any more gives its chunks back. */
void weir_shard_settle(struct weir_store *store, struct weir_shard *shard);
void weir_shard_free(struct weir_node *node);

#endif
