/* SPDX-License-Identifier: Apache-2.0 */
/* Which chunks of a server's memory an object has: asked for once, remembered as long as the object
 * is open, and what was written in them since the last sync. This is the slow way: it may allocate.
 */
#include "client_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is known ---- */

static bool is_known(const struct shard *shard, uint64_t chunk)
{
    return chunk < shard->chunk_count && shard->chunks[chunk] != WEIR_NO_CHUNK;
}

static int make_room(struct shard *shard, uint64_t count)
{
    uint64_t room = shard->chunk_count ? shard->chunk_count : WEIR_MAP_CHUNKS_MAX;
    uint64_t *chunks;

    if (count <= shard->chunk_count)
        return 0;
    while (room < count)
        room *= 2;
    if (room > SIZE_MAX / sizeof *chunks)
        return -ENOMEM;
    chunks = realloc(shard->chunks, room * sizeof *chunks);
    if (!chunks)
        return -ENOMEM;
    for (uint64_t i = shard->chunk_count; i < room; i++)
        chunks[i] = WEIR_NO_CHUNK;
    shard->chunks = chunks;
    shard->chunk_count = room;
    return 0;
}

/* All of them lie in the memory that the server serves. */
static bool is_run(const struct shard *shard, const struct weir_chunk_run *run)
{
    const struct weir_region_key *key = &shard->server->key;

    return run->address == WEIR_NO_CHUNK ||
           (run->address >= key->address && run->address - key->address <= key->bytes &&
            run->count <= (key->bytes - (run->address - key->address)) / WEIR_CHUNK_BYTES);
}

static int remember(struct shard *shard, uint64_t first, uint64_t count,
                    const struct weir_answer *answer, const unsigned char *payload)
{
    uint64_t chunk = first;
    int rc;

    if (answer->payload_bytes != answer->count * sizeof(struct weir_chunk_run))
        return -EPROTO;
    rc = make_room(shard, first + count);
    for (uint32_t i = 0; rc == 0 && i < answer->count; i++) {
        struct weir_chunk_run run;

        memcpy(&run, payload + i * sizeof run, sizeof run);
        if (run.count > first + count - chunk || !is_run(shard, &run))
            return -EPROTO;
        for (uint64_t n = 0; n < run.count; n++, chunk++) {
            uint64_t address =
                run.address == WEIR_NO_CHUNK ? WEIR_NO_CHUNK : run.address + n * WEIR_CHUNK_BYTES;

            shard->held += address != WEIR_NO_CHUNK;
            shard->held -= shard->chunks[chunk] != WEIR_NO_CHUNK;
            shard->chunks[chunk] = address;
        }
    }
    return rc < 0 ? rc : chunk == first + count ? 0 : -EPROTO;
}

/* Where fsync ends in memory, nobody needs to know what was written. */
static int watch_dirt(const struct weir_object_client *client, struct shard *shard)
{
    bool is_wanted = client->params.flush == WEIR_FLUSH_STORAGE ||
                     (client->params.flush == WEIR_FLUSH_BEST && shard->server->has_backing);

    if (is_wanted && !shard->dirt)
        shard->dirt = calloc(1, sizeof *shard->dirt);
    return is_wanted && !shard->dirt ? -ENOMEM : 0;
}

/* ---- asking ---- */

static int ask(struct weir_object_client *client, const struct body *body, struct shard *shard,
               uint64_t first, uint64_t count, bool is_write)
{
    int rc;

    shard->was_asked_for = true;
    rc = call(client, shard->server,
              &(struct weir_request){
                  .verb = WEIR_VERB_MAP,
                  .flags = is_write ? WEIR_REQUEST_ALLOCATE : 0,
                  .object = body->id,
                  .generation = body->facts.generation,
                  .offset = first * WEIR_CHUNK_BYTES,
                  .count = (uint32_t)count,
              },
              NULL);

    if (rc == 0)
        rc = remember(shard, first, count, &client->call.answer, client->call.payload);
    if (rc == -EPROTO)
        lose_server(client, shard->server, rc);
    return rc;
}

static uint64_t chunks_of(const struct body *body, uint32_t shard, uint64_t bytes)
{
    uint64_t held = weir_stripe_shard_bytes(&body->pattern, shard, bytes);

    return (held + WEIR_CHUNK_BYTES - 1) / WEIR_CHUNK_BYTES;
}

/* Up to which chunk it is worth asking, when those from `first` to `end` are needed: a write asks
 * for twice what there is, but not for more than the object will ever have, so that memory runs out
 * when it is full and not before. */
static uint64_t look_ahead(const struct body *body, const struct shard *shard, uint64_t first,
                           uint64_t end, bool is_write)
{
    uint64_t goal = is_write ? end + shard->held : first + WEIR_MAP_CHUNKS_MAX;
    uint64_t known = is_write ? body->expected_bytes : body->facts.bytes;
    uint64_t most = chunks_of(body, (uint32_t)(shard - body->shards), known);

    if (known > 0 && goal > most)
        goal = most;
    if (goal < end)
        goal = end;
    return goal < first + WEIR_MAP_CHUNKS_MAX ? goal : first + WEIR_MAP_CHUNKS_MAX;
}

static int ask_some(struct weir_object_client *client, const struct body *body, struct shard *shard,
                    uint64_t first, uint64_t *end, bool is_write)
{
    uint64_t needed = *end < first + WEIR_MAP_CHUNKS_MAX ? *end : first + WEIR_MAP_CHUNKS_MAX;
    uint64_t goal = look_ahead(body, shard, first, *end, is_write);
    int rc = ask(client, body, shard, first, goal - first, is_write);

    if (rc == -ENOSPC && goal > needed) {
        goal = needed;
        rc = ask(client, body, shard, first, goal - first, is_write);
    }
    if (rc == -ENOSPC && drop_orphans(client))
        rc = ask(client, body, shard, first, goal - first, is_write);
    *end = goal;
    return rc;
}

static int map_shard(struct weir_object_client *client, const struct body *body,
                     struct shard *shard, uint64_t begin, uint64_t end, bool is_write)
{
    uint64_t last = (end + WEIR_CHUNK_BYTES - 1) / WEIR_CHUNK_BYTES;
    uint64_t chunk = begin / WEIR_CHUNK_BYTES;

    while (chunk < last) {
        uint64_t asked = last;
        int rc;

        if (is_known(shard, chunk)) {
            chunk++;
            continue;
        }
        rc = reach_server(client, shard->server);
        if (rc == 0)
            rc = watch_dirt(client, shard);
        if (rc == 0)
            rc = ask_some(client, body, shard, chunk, &asked, is_write);
        if (rc < 0) {
            note_failure(client, shard->server, rc);
            return rc;
        }
        chunk = asked;
    }
    return 0;
}

/* What of a range is in a shard lies together there: between what it holds of the bytes before the
 * range, and of those up to its end. */
struct part {
    uint64_t begin;
    uint64_t end;
};

static struct part part_of(const struct body *body, uint32_t shard, uint64_t offset, uint64_t bytes)
{
    return (struct part){weir_stripe_shard_bytes(&body->pattern, shard, offset),
                         weir_stripe_shard_bytes(&body->pattern, shard, offset + bytes)};
}

/* So many shards, from that of its first byte on, have a part of a range. */
static uint32_t shards_of(const struct body *body, uint64_t offset, uint64_t bytes)
{
    const struct weir_striping_pattern *pattern = &body->pattern;
    uint64_t units = (offset + bytes - 1) / pattern->unit_bytes - offset / pattern->unit_bytes + 1;

    return units < pattern->count ? (uint32_t)units : pattern->count;
}

int map_range(struct weir_object_client *client, struct body *body, uint64_t offset, uint64_t bytes,
              bool is_write)
{
    uint32_t first = weir_stripe_locate(&body->pattern, offset, bytes).shard;
    uint32_t count = shards_of(body, offset, bytes);
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        uint32_t shard = (first + i) % body->pattern.count;
        struct part part = part_of(body, shard, offset, bytes);

        rc = map_shard(client, body, &body->shards[shard], part.begin, part.end, is_write);
    }
    return rc;
}

/* ---- what a sync must see to ---- */

static bool touches(const struct weir_range *range, uint64_t begin, uint64_t end)
{
    return begin <= range->offset + range->bytes && range->offset <= end;
}

static uint64_t distance(const struct weir_range *range, uint64_t begin, uint64_t end)
{
    if (touches(range, begin, end))
        return 0;
    return begin > range->offset ? begin - (range->offset + range->bytes) : range->offset - end;
}

static void widen(struct weir_range *range, uint64_t begin, uint64_t end)
{
    uint64_t old_end = range->offset + range->bytes;

    if (begin < range->offset)
        range->offset = begin;
    range->bytes = (end > old_end ? end : old_end) - range->offset;
}

/* Where there is no room for a range of its own, the nearest one is widened: too much is written,
 * but nothing forgotten. */
static void add_dirt(struct dirt *dirt, uint64_t begin, uint64_t end)
{
    struct weir_range *nearest = NULL;

    for (unsigned i = dirt->count; i-- > 0;)
        if (!nearest || distance(&dirt->ranges[i], begin, end) < distance(nearest, begin, end))
            nearest = &dirt->ranges[i];
    if (nearest && (touches(nearest, begin, end) || dirt->count == WEIR_RANGES_MAX))
        widen(nearest, begin, end);
    else
        dirt->ranges[dirt->count++] = (struct weir_range){begin, end - begin};
}

void note_written(struct body *body, uint64_t offset, uint64_t bytes)
{
    uint32_t first = weir_stripe_locate(&body->pattern, offset, bytes).shard;
    uint32_t count = shards_of(body, offset, bytes);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = (first + i) % body->pattern.count;
        struct shard *shard = &body->shards[number];

        shard->written++;
        if (shard->dirt) {
            struct part part = part_of(body, number, offset, bytes);

            add_dirt(shard->dirt, part.begin, part.end);
        }
    }
}

void note_all_written(struct shard *shard)
{
    if (shard->dirt)
        add_dirt(shard->dirt, 0, shard->chunk_count * WEIR_CHUNK_BYTES);
    shard->written++;
}
