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

    /* Mixing is a bijection: those of one hash are of one object. */
    while (node && ((struct weir_shard *)node)->is_dropped)
        node = weir_table_next(node);
    return (struct weir_shard *)node;
}

static bool has_page(const struct weir_shard *shard, uint64_t index)
{
    uint64_t page = index / WEIR_SHARD_PAGE;

    return shard && page < shard->page_count && shard->pages[page];
}

static uint32_t number_at(const struct weir_shard *shard, uint64_t index)
{
    return has_page(shard, index) ? shard->pages[index / WEIR_SHARD_PAGE][index % WEIR_SHARD_PAGE]
                                  : WEIR_CHUNK_NONE;
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

        /* Neighbours in the shard become neighbours in memory: then one work request can move both.
         */
        if (*number == WEIR_CHUNK_NONE)
            *number =
                weir_chunks_take(&store->chunks, before == WEIR_CHUNK_NONE ? before : before + 1);
    }
    return 0;
}

/* The word with the bit of an object; NULL: no neighbour of it was dropped (`makes`: no memory). */
static uint64_t *dropped_word(struct weir_store *store, uint64_t object, uint64_t generation,
                              bool makes)
{
    uint64_t place = object % WEIR_DROPPED_PAGE;
    uint64_t first = object - place, first_generation = generation - place;
    uint64_t hash = weir_mix64(first ^ weir_mix64(first_generation));
    struct weir_node *node = weir_table_find(&store->dropped, hash);
    struct weir_dropped *found;

    for (; node; node = weir_table_next(node)) {
        found = (struct weir_dropped *)node;
        if (found->first == first && found->first_generation == first_generation)
            return &found->bits[place / 64];
    }
    found = makes ? calloc(1, sizeof *found) : NULL;
    if (!found)
        return NULL;
    found->first = first;
    found->first_generation = first_generation;
    weir_table_add(&store->dropped, &found->node, hash);
    return &found->bits[place / 64];
}

static bool was_dropped(struct weir_store *store, uint64_t object, uint64_t generation)
{
    const uint64_t *word = dropped_word(store, object, generation, false);

    return word && *word >> object % 64 & 1;
}

static void free_chunks(struct weir_store *store, const struct weir_shard *shard)
{
    for (uint64_t i = 0; i < (uint64_t)shard->page_count * WEIR_SHARD_PAGE; i++)
        if (number_at(shard, i) != WEIR_CHUNK_NONE)
            weir_chunks_give(&store->chunks, number_at(shard, i));
}

void weir_shard_free(struct weir_node *node)
{
    struct weir_shard *shard = (struct weir_shard *)node;

    for (uint32_t i = 0; i < shard->page_count; i++)
        free(shard->pages[i]);
    free(shard->pages);
    free(shard);
}

void weir_shard_settle(struct weir_store *store, struct weir_shard *shard)
{
    if (!shard->is_dropped || shard->holders.users || shard->pins)
        return;
    weir_table_remove(&store->shards, &shard->node);
    free_chunks(store, shard);
    weir_shard_free(&shard->node);
}

static void drop(struct weir_store *store, struct weir_shard *shard)
{
    shard->is_dropped = true;
    weir_shard_settle(store, shard);
}

/* 0, and NULL: there is none, and none is wanted. */
static int get(struct weir_store *store, uint64_t object, uint64_t generation, bool makes,
               struct weir_shard **shard)
{
    struct weir_shard *found = find(store, object);

    *shard = NULL;
    if (found && found->generation < generation) {
        drop(store, found);
        found = NULL;
    }
    if (found ? found->generation != generation : was_dropped(store, object, generation))
        return -ESTALE;
    if (!found && makes) {
        found = calloc(1, sizeof *found);
        if (!found)
            return -ENOMEM;
        found->object = object;
        found->generation = generation;
        found->holders.kind = WEIR_USED_SHARD;
        weir_table_add(&store->shards, &found->node, weir_mix64(object));
    }
    *shard = found;
    return 0;
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
    if (shard && !weir_uses_has(&store->uses, client, &shard->holders))
        code = weir_uses_add(&store->uses, client, &shard->holders);
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
    struct weir_node *node = weir_table_find(&store->shards, weir_mix64(object));

    /* Dropped or not. */
    for (struct weir_node *next; node; node = next) {
        struct weir_shard *shard = (struct weir_shard *)node;

        next = weir_table_next(node);
        if (shard->generation == generation &&
            weir_uses_remove(&store->uses, client, &shard->holders, true))
            weir_shard_settle(store, shard);
    }
}

int weir_store_drop(struct weir_store *store, uint32_t client, uint64_t object, uint64_t generation)
{
    struct weir_shard *shard = find(store, object);
    uint64_t *word = dropped_word(store, object, generation, true);

    weir_record_forget(store, client, object, generation);
    if (word)
        *word |= UINT64_C(1) << object % 64;
    if (!shard)
        return 0;
    if (shard->generation > generation)
        return -ESTALE;
    weir_uses_remove(&store->uses, client, &shard->holders, true);
    drop(store, shard);
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
    weir_shard_settle(store, shard);
}

uint64_t weir_shard_piece(const struct weir_shard *shard, uint64_t offset, uint64_t bytes,
                          uint64_t *place)
{
    uint64_t start = offset % WEIR_CHUNK_BYTES;
    uint64_t index = offset / WEIR_CHUNK_BYTES;
    uint32_t number = number_at(shard, index);
    uint64_t length = WEIR_CHUNK_BYTES - start;

    *place = WEIR_NO_CHUNK;
    if (!has_page(shard, index)) {
        length = (WEIR_SHARD_PAGE - index % WEIR_SHARD_PAGE) * WEIR_CHUNK_BYTES - start;
    } else if (number != WEIR_CHUNK_NONE) {
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
