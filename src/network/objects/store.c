/* SPDX-License-Identifier: Apache-2.0 */
/* A store as a whole. */
#include "store_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int weir_store_open(const struct weir_store_params *params, struct weir_store **store)
{
    struct weir_store *made = calloc(1, sizeof *made);

    if (!made)
        return -ENOMEM;
    made->next_number = 1;
    made->next_generation = params->first_generation;
    if (weir_chunks_init(&made->chunks, params->memory, params->chunk_count) ||
        weir_table_init(&made->records) || weir_table_init(&made->names) ||
        weir_table_init(&made->directories) || weir_table_init(&made->shards) ||
        weir_table_init(&made->dropped) || weir_uses_init(&made->uses)) {
        weir_store_close(made);
        return -ENOMEM;
    }
    *store = made;
    return 0;
}

static void free_node(struct weir_node *node)
{
    free(node);
}

void weir_store_close(struct weir_store *store)
{
    if (!store)
        return;
    weir_table_fini(&store->shards, weir_shard_free);
    weir_table_fini(&store->records, weir_record_free);
    weir_table_fini(&store->names, free_node);
    weir_table_fini(&store->directories, weir_directory_free);
    weir_table_fini(&store->dropped, free_node);
    weir_uses_fini(&store->uses);
    weir_chunks_fini(&store->chunks);
    free(store);
}

void weir_store_set_place(struct weir_store *store, uint32_t server_index, uint32_t server_count)
{
    assert(weir_store_is_empty(store));
    store->server_index = server_index;
    store->server_count = server_count;
}

bool weir_store_is_empty(const struct weir_store *store)
{
    return !store->records.count && !store->shards.count;
}

uint64_t weir_store_used_bytes(const struct weir_store *store)
{
    return (store->chunks.count - store->chunks.free_count) * WEIR_CHUNK_BYTES;
}

uint64_t weir_store_object_count(const struct weir_store *store)
{
    return store->records.count;
}

void weir_store_leave(struct weir_store *store, uint32_t client)
{
    struct weir_used *used;

    while ((used = weir_uses_any(&store->uses, client))) {
        weir_uses_remove(&store->uses, client, used, true);
        if (used->kind == WEIR_USED_SHARD)
            weir_shard_settle(store, weir_shard_of(used));
        else if (used->kind == WEIR_USED_DIRECTORY)
            weir_directory_settle(store, used);
        else
            weir_record_settle(store, weir_record_of(used));
    }
}

bool weir_store_tidy(struct weir_store *store)
{
    return weir_chunks_tidy(&store->chunks);
}
