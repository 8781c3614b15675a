/* SPDX-License-Identifier: Apache-2.0 */
/* Shards: the chunks that a server has for a part of an object, and who may touch them. */
#include "store_parts.h"

#include "weir/base/random.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct weir_shard *find(struct weir_store *store, uint64_t object)
{
    struct weir_node *node = weir_table_find(&store->shards, weir_mix64(object));

    assert(!node || ((struct weir_shard *)node)->object == object); /* mixing is a bijection */
    return (struct weir_shard *)node;
}

static uint32_t number_at(const struct weir_shard *shard, uint64_t index)
{
    uint64_t page = index / WEIR_SHARD_PAGE;

    if (page >= shard->page_count || !shard->pages[page])
        return WEIR_CHUNK_NONE;
    return shard->pages[page][index % WEIR_SHARD_PAGE];
}

static int make_pages(struct weir_shard *shard, uint64_t first, uint64_t count)
{
    uint32_t last = (uint32_t)((first + count - 1) / WEIR_SHARD_PAGE);

    if (last >= shard->page_count) {
        uint32_t **pages = realloc(shard->pages, (last + 1) * sizeof *pages);

        if (!pages)
            return -ENOMEM;
        memset(pages + shard->page_count, 0, (last + 1 - shard->page_count) * sizeof *pages);
        shard->pages = pages;
        shard->page_count = last + 1;
    }
    for (uint32_t page = (uint32_t)(first / WEIR_SHARD_PAGE); page <= last; page++) {
        if (shard->pages[page])
            continue;
        shard->pages[page] = malloc(WEIR_SHARD_PAGE * sizeof(uint32_t));
        if (!shard->pages[page])
            return -ENOMEM;
        memset(shard->pages[page], 0xff, WEIR_SHARD_PAGE * sizeof(uint32_t));
    }
    return 0;
}

/* All that are missing, or none. */
static int fill(struct weir_store *store, struct weir_shard *shard, uint64_t first, uint64_t count)
{
    uint64_t missing = 0;
    int code;

    for (uint64_t i = 0; i < count; i++)
        missing += number_at(shard, first + i) == WEIR_CHUNK_NONE;
    if (!missing)
        return 0;
    if (missing > store->chunks.free_count)
        return -ENOSPC;
    code = make_pages(shard, first, count);
    if (code)
        return code;
    for (uint64_t i = first; i < first + count; i++) {
        uint32_t *number = &shard->pages[i / WEIR_SHARD_PAGE][i % WEIR_SHARD_PAGE];
        uint32_t before = i ? number_at(shard, i - 1) : WEIR_CHUNK_NONE;

        /* Neighbours in the shard become neighbours in memory: then one wire can move both. */
        if (*number == WEIR_CHUNK_NONE)
            *number =
                weir_chunks_take(&store->chunks, before == WEIR_CHUNK_NONE ? before : before + 1);
    }
    return 0;
}

static bool is_gone(const struct weir_store *store, uint64_t object, uint64_t generation)
{
    for (unsigned i = 0; i < WEIR_GONE_COUNT; i++)
        if (store->gone[i].object == object && store->gone[i].generation == generation)
            return true;
    return false;
}

/* 0, and NULL: there is none, and none is wanted. */
static int get(struct weir_store *store, uint64_t object, uint64_t generation, bool makes,
               struct weir_shard **shard)
{
    struct weir_shard *found = find(store, object);

    *shard = found;
    if (found)
        return found->generation == generation ? 0 : -ESTALE;
    if (is_gone(store, object, generation))
        return -ESTALE;
    if (!makes)
        return 0;
    found = calloc(1, sizeof *found);
    if (!found)
        return -ENOMEM;
    found->object = object;
    found->generation = generation;
    weir_table_add(&store->shards, &found->node, weir_mix64(object));
    *shard = found;
    return 0;
}

static void free_from(struct weir_store *store, struct weir_shard *shard, uint64_t first)
{
    for (uint64_t i = first; i < (uint64_t)shard->page_count * WEIR_SHARD_PAGE; i++) {
        uint32_t number = number_at(shard, i);

        if (number == WEIR_CHUNK_NONE)
            continue;
        weir_chunks_give(&store->chunks, number);
        shard->pages[i / WEIR_SHARD_PAGE][i % WEIR_SHARD_PAGE] = WEIR_CHUNK_NONE;
    }
}

static void release(struct weir_node *node)
{
    struct weir_shard *shard = (struct weir_shard *)node;

    for (uint32_t i = 0; i < shard->page_count; i++)
        free(shard->pages[i]);
    free(shard->pages);
    weir_users_fini(&shard->holders);
    free(shard);
}

/* A dropped shard that nobody can touch any more gives its chunks back. */
static void settle(struct weir_store *store, struct weir_shard *shard)
{
    struct weir_shard **place = &store->dropped;

    if (!shard->is_dropped || shard->holders.count || shard->pins)
        return;
    while (*place != shard)
        place = &(*place)->next_dropped;
    *place = shard->next_dropped;
    free_from(store, shard, 0);
    release(&shard->node);
}

/* ---- verbs ---- */

int weir_store_map(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation,
                   uint64_t first, uint32_t count, bool allocates, uint32_t numbers[])
{
    struct weir_shard *shard;
    int code;

    if (first + count > WEIR_SHARD_CHUNKS_MAX)
        return -EFBIG;
    code = get(store, object, generation, allocates, &shard);
    if (code)
        return code;
    if (shard && !weir_users_has(&shard->holders, client))
        code = weir_users_add(&shard->holders, client);
    if (!code && allocates)
        code = fill(store, shard, first, count);
    if (code)
        return code;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = shard ? number_at(shard, first + i) : WEIR_CHUNK_NONE;
    return 0;
}

void weir_store_release(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation)
{
    struct weir_shard *shard = find(store, object);

    if (shard && shard->generation == generation)
        weir_users_remove(&shard->holders, client, true);
    for (struct weir_shard *next = store->dropped; (shard = next);) {
        next = shard->next_dropped;
        if (shard->object == object && shard->generation == generation) {
            weir_users_remove(&shard->holders, client, true);
            settle(store, shard);
        }
    }
}

/* Zeroes what the shard has of a range. */
static void zero(struct weir_store *store, struct weir_shard *shard, uint64_t from, uint64_t end)
{
    while (from < end) {
        uint64_t start = from % WEIR_CHUNK_BYTES;
        uint64_t bytes =
            WEIR_CHUNK_BYTES - start < end - from ? WEIR_CHUNK_BYTES - start : end - from;
        uint32_t number = number_at(shard, from / WEIR_CHUNK_BYTES);

        if (number != WEIR_CHUNK_NONE)
            memset(store->chunks.memory + number * WEIR_CHUNK_BYTES + start, 0, bytes);
        from += bytes;
    }
}

int weir_store_cut(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation,
                   uint64_t bytes)
{
    struct weir_shard *shard;
    int code = get(store, object, generation, false, &shard);
    uint64_t first = (bytes + WEIR_CHUNK_BYTES - 1) / WEIR_CHUNK_BYTES;
    uint64_t end;
    bool has_others;

    if (code || !shard)
        return code;
    end = weir_shard_end(shard);
    has_others = shard->pins || shard->holders.count > weir_users_has(&shard->holders, client);
    /* Others go on writing to the places that they know. */
    if (has_others) {
        zero(store, shard, bytes, end);
        return 0;
    }
    if (bytes < end)
        zero(store, shard, bytes, first * WEIR_CHUNK_BYTES);
    free_from(store, shard, first);
    return 0;
}

int weir_store_drop(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation)
{
    struct weir_shard *shard = find(store, object);

    weir_debt_pay(store, object, generation);
    if (!is_gone(store, object, generation)) {
        store->gone[store->gone_next].object = object;
        store->gone[store->gone_next].generation = generation;
        store->gone_next = (store->gone_next + 1) % WEIR_GONE_COUNT;
    }
    if (!shard)
        return 0;
    if (shard->generation != generation)
        return -ESTALE;
    weir_users_remove(&shard->holders, client, true);
    weir_table_remove(&store->shards, &shard->node);
    shard->is_dropped = true;
    shard->next_dropped = store->dropped;
    store->dropped = shard;
    settle(store, shard);
    return 0;
}

int weir_store_pin(struct weir_store *store, uint64_t object, uint64_t generation, uint64_t offset,
                   uint64_t bytes, bool allocates, struct weir_shard **shard)
{
    uint64_t first = offset / WEIR_CHUNK_BYTES;
    uint64_t last = bytes ? (offset + bytes - 1) / WEIR_CHUNK_BYTES : first;
    int code;

    if (allocates && last >= WEIR_SHARD_CHUNKS_MAX)
        return -EFBIG;
    code = get(store, object, generation, allocates, shard);
    if (!code && allocates)
        code = fill(store, *shard, first, last - first + 1);
    if (!code && *shard)
        (*shard)->pins++;
    return code;
}

void weir_store_unpin(struct weir_store *store, struct weir_shard *shard)
{
    if (!shard)
        return;
    assert(shard->pins);
    shard->pins--;
    settle(store, shard);
}

uint64_t weir_shard_piece(const struct weir_shard *shard, uint64_t offset, uint64_t bytes,
                          uint64_t *place)
{
    uint64_t start = offset % WEIR_CHUNK_BYTES;
    uint64_t index = offset / WEIR_CHUNK_BYTES;
    uint32_t number = shard ? number_at(shard, index) : WEIR_CHUNK_NONE;
    uint64_t length = WEIR_CHUNK_BYTES - start;

    *place = WEIR_NO_CHUNK;
    if (number != WEIR_CHUNK_NONE) {
        *place = number * WEIR_CHUNK_BYTES + start;
        while (length < bytes && number_at(shard, ++index) == ++number)
            length += WEIR_CHUNK_BYTES;
    }
    return length < bytes ? length : bytes;
}

uint64_t weir_shard_end(const struct weir_shard *shard)
{
    return (uint64_t)shard->page_count * WEIR_SHARD_PAGE * WEIR_CHUNK_BYTES;
}

/* ---- the end ---- */

struct leaving {
    struct weir_store *store;
    uint32_t client;
};

static void let_go(void *context, struct weir_node *node)
{
    struct leaving *leaving = context;

    weir_users_remove(&((struct weir_shard *)node)->holders, leaving->client, true);
}

void weir_shards_leave(struct weir_store *store, uint32_t client)
{
    struct leaving leaving = {store, client};

    weir_table_walk(&store->shards, let_go, &leaving);
    for (struct weir_shard *shard = store->dropped, *next; shard; shard = next) {
        next = shard->next_dropped;
        weir_users_remove(&shard->holders, client, true);
        settle(store, shard);
    }
}

void weir_shards_fini(struct weir_store *store)
{
    for (struct weir_shard *shard = store->dropped, *next; shard; shard = next) {
        next = shard->next_dropped;
        release(&shard->node);
    }
    store->dropped = NULL;
    weir_table_fini(&store->shards, release);
}
