/* SPDX-License-Identifier: Apache-2.0 */
/* A store as a whole, and lists of clients. */
#include "store_parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

static void release_entry(struct weir_node *node)
{
    free(node);
}

int weir_store_open(const struct weir_store_params *params, struct weir_store **store)
{
    struct weir_store *made = calloc(1, sizeof *made);

    if (!made)
        return -ENOMEM;
    made->server_index = params->server_index;
    made->next_number = 1;
    made->next_generation = params->first_generation;
    if (weir_chunks_init(&made->chunks, params->memory, params->chunk_count) ||
        weir_table_init(&made->kept) || weir_table_init(&made->names) ||
        weir_table_init(&made->shards)) {
        weir_store_close(made);
        return -ENOMEM;
    }
    *store = made;
    return 0;
}

void weir_store_close(struct weir_store *store)
{
    if (!store)
        return;
    weir_shards_fini(store);
    weir_table_fini(&store->kept, weir_kept_release);
    weir_table_fini(&store->names, release_entry);
    weir_chunks_fini(&store->chunks);
    free(store->entries);
    free(store->debts);
    free(store);
}

void weir_store_set_index(struct weir_store *store, uint32_t server_index)
{
    assert(weir_store_is_empty(store));
    store->server_index = server_index;
}

bool weir_store_is_empty(const struct weir_store *store)
{
    return !store->kept.count && !store->names.count && !store->shards.count;
}

void weir_store_space(const struct weir_store *store, struct weir_space_answer *space)
{
    const struct weir_chunks *chunks = &store->chunks;

    *space = (struct weir_space_answer){
        .capacity_bytes = chunks->count * WEIR_CHUNK_BYTES,
        .used_bytes = (chunks->count - chunks->free_count) * WEIR_CHUNK_BYTES,
        .object_count = store->kept.count,
    };
}

void weir_store_leave(struct weir_store *store, uint32_t client)
{
    weir_shards_leave(store, client);
    weir_kept_leave(store, client);
}

bool weir_store_tidy(struct weir_store *store)
{
    return weir_chunks_tidy(&store->chunks);
}

/* ---- users ---- */

static struct weir_user *find(const struct weir_users *users, uint32_t client)
{
    for (uint32_t i = 0; i < users->count; i++)
        if (users->list[i].client == client)
            return &users->list[i];
    return NULL;
}

int weir_users_add(struct weir_users *users, uint32_t client)
{
    struct weir_user *user = find(users, client);

    if (user) {
        user->count++;
        return 0;
    }
    if (users->count == users->room) {
        uint32_t room = users->room ? 2 * users->room : 4;

        user = realloc(users->list, room * sizeof *user);
        if (!user)
            return -ENOMEM;
        users->list = user;
        users->room = room;
    }
    users->list[users->count++] = (struct weir_user){client, 1};
    return 0;
}

bool weir_users_has(const struct weir_users *users, uint32_t client)
{
    return find(users, client);
}

bool weir_users_remove(struct weir_users *users, uint32_t client, bool wholly)
{
    struct weir_user *user = find(users, client);

    if (!user)
        return false;
    if (wholly || !--user->count)
        *user = users->list[--users->count];
    return true;
}

void weir_users_fini(struct weir_users *users)
{
    free(users->list);
    *users = (struct weir_users){0};
}
