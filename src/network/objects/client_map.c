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
static int track_dirty_ranges(const struct weir_object_client *client, struct shard *shard)
{
    bool is_wanted = client->params.flush == WEIR_FLUSH_STORAGE ||
                     (client->params.flush == WEIR_FLUSH_BEST && shard->server->has_backing);

    if (is_wanted && !shard->dirty_ranges)
        shard->dirty_ranges = calloc(1, sizeof *shard->dirty_ranges);
    return is_wanted && !shard->dirty_ranges ? -ENOMEM : 0;
}

/* ---- asking ---- */

static int ask(struct weir_object_client *client, const struct shared_object *shared_object,
               struct shard *shard, uint64_t first, uint64_t count, bool is_write)
{
    int rc;

    shard->was_asked_for = true;
    rc = weir_client_call(client, shard->server,
                          &(struct weir_request){
                              .verb = WEIR_VERB_MAP,
                              .flags = is_write ? WEIR_REQUEST_ALLOCATE : 0,
                              .object = shared_object->id,
                              .generation = shared_object->facts.generation,
                              .offset = first * WEIR_CHUNK_BYTES,
                              .count = (uint32_t)count,
                          },
                          NULL);

    if (rc == 0)
        rc = remember(shard, first, count, &client->call.answer, client->call.payload);
    if (rc == -EPROTO)
        weir_client_lose_server(client, shard->server, rc);
    return rc;
}

static uint64_t chunks_of(const struct shared_object *shared_object, uint32_t shard, uint64_t bytes)
{
    uint64_t held = weir_stripe_shard_bytes(&shared_object->pattern, shard, bytes);

    return (held + WEIR_CHUNK_BYTES - 1) / WEIR_CHUNK_BYTES;
}

/* Up to which chunk it is worth asking, when those from `first` to `end` are needed: a write asks
 * for twice what there is, but not for more than the object will ever have, so that memory runs out
 * when it is full and not before. */
static uint64_t look_ahead(const struct shared_object *shared_object, const struct shard *shard,
                           uint64_t first, uint64_t end, bool is_write)
{
    uint64_t goal = is_write ? end + shard->held : first + WEIR_MAP_CHUNKS_MAX;
    uint64_t known = is_write ? shared_object->expected_bytes : shared_object->facts.bytes;
    uint64_t most = chunks_of(shared_object, (uint32_t)(shard - shared_object->shards), known);

    if (known > 0 && goal > most)
        goal = most;
    if (goal < end)
        goal = end;
    return goal < first + WEIR_MAP_CHUNKS_MAX ? goal : first + WEIR_MAP_CHUNKS_MAX;
}

static int ask_some(struct weir_object_client *client, const struct shared_object *shared_object,
                    struct shard *shard, uint64_t first, uint64_t *end, bool is_write)
{
    uint64_t needed = *end < first + WEIR_MAP_CHUNKS_MAX ? *end : first + WEIR_MAP_CHUNKS_MAX;
    uint64_t goal = look_ahead(shared_object, shard, first, *end, is_write);
    int rc = ask(client, shared_object, shard, first, goal - first, is_write);

    if (rc == -ENOSPC && goal > needed) {
        goal = needed;
        rc = ask(client, shared_object, shard, first, goal - first, is_write);
    }
    *end = goal;
    return rc;
}

static int map_shard(struct weir_object_client *client, const struct shared_object *shared_object,
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
        rc = weir_client_reach(client, shard->server);
        if (rc == 0)
            rc = track_dirty_ranges(client, shard);
        if (rc == 0)
            rc = ask_some(client, shared_object, shard, chunk, &asked, is_write);
        if (rc < 0) {
            weir_client_note_failure(client, shard->server, rc);
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

static struct part part_of(const struct shared_object *shared_object, uint32_t shard,
                           uint64_t offset, uint64_t bytes)
{
    return (struct part){weir_stripe_shard_bytes(&shared_object->pattern, shard, offset),
                         weir_stripe_shard_bytes(&shared_object->pattern, shard, offset + bytes)};
}

/* So many shards, from that of its first byte on, have a part of a range. */
static uint32_t shards_of(const struct shared_object *shared_object, uint64_t offset,
                          uint64_t bytes)
{
    const struct weir_striping_pattern *pattern = &shared_object->pattern;
    uint64_t units = (offset + bytes - 1) / pattern->unit_bytes - offset / pattern->unit_bytes + 1;

    return units < pattern->count ? (uint32_t)units : pattern->count;
}

int weir_client_map(struct weir_object_client *client, struct shared_object *shared_object,
                    uint64_t offset, uint64_t bytes, bool is_write)
{
    uint32_t first = weir_stripe_locate(&shared_object->pattern, offset, bytes).shard;
    uint32_t count = shards_of(shared_object, offset, bytes);
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        uint32_t shard = (first + i) % shared_object->pattern.count;
        struct part part = part_of(shared_object, shard, offset, bytes);

        rc = map_shard(client, shared_object, &shared_object->shards[shard], part.begin, part.end,
                       is_write);
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
static void add_dirty_range(struct dirty_ranges *dirty_ranges, uint64_t begin, uint64_t end)
{
    struct weir_range *nearest = NULL;

    for (unsigned i = dirty_ranges->count; i-- > 0;)
        if (!nearest ||
            distance(&dirty_ranges->ranges[i], begin, end) < distance(nearest, begin, end))
            nearest = &dirty_ranges->ranges[i];
    if (nearest && (touches(nearest, begin, end) || dirty_ranges->count == WEIR_RANGES_MAX))
        widen(nearest, begin, end);
    else
        dirty_ranges->ranges[dirty_ranges->count++] = (struct weir_range){begin, end - begin};
}

void weir_client_note_written(struct shared_object *shared_object, uint64_t offset, uint64_t bytes)
{
    uint32_t first = weir_stripe_locate(&shared_object->pattern, offset, bytes).shard;
    uint32_t count = shards_of(shared_object, offset, bytes);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = (first + i) % shared_object->pattern.count;
        struct shard *shard = &shared_object->shards[number];

        shard->written++;
        if (shard->dirty_ranges) {
            struct part part = part_of(shared_object, number, offset, bytes);

            add_dirty_range(shard->dirty_ranges, part.begin, part.end);
        }
    }
}

void weir_client_note_all_written(struct shard *shard)
{
    if (shard->dirty_ranges)
        add_dirty_range(shard->dirty_ranges, 0, shard->chunk_count * WEIR_CHUNK_BYTES);
    shard->written++;
}
