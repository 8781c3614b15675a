/* SPDX-License-Identifier: Apache-2.0 */
/* What the home of objects records of each: its size, who has it open, and what becomes of it when
 * its name is gone. */
#include "store_parts.h"

#include "weir/base/random.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* Whether it has ended or not. */
static struct weir_record *look_up(const struct weir_store *store, uint64_t object,
                                   uint64_t generation)
{
    struct weir_node *node = weir_table_find(&store->records, weir_mix64(object));
    struct weir_record *record = (struct weir_record *)node;

    return record && record->object == object && record->generation == generation ? record : NULL;
}

static struct weir_record *find(const struct weir_store *store, uint64_t object,
                                uint64_t generation)
{
    struct weir_record *record = look_up(store, object, generation);

    return record && !record->has_ended ? record : NULL;
}

struct weir_record *weir_record_add(struct weir_store *store, uint32_t kind,
                                    const struct weir_layout *layout)
{
    struct weir_record *record = calloc(1, sizeof *record);

    assert(store->server_count);
    if (!record)
        return NULL;
    record->object = (uint64_t)store->server_index << 48 | store->next_number++;
    record->generation = store->next_generation++;
    record->kind = kind;
    record->layout = *layout;
    weir_table_add(&store->records, &record->node, weir_mix64(record->object));
    return record;
}

void weir_record_free(struct weir_node *node)
{
    free(node);
}

/* Objects of one home begin at all servers in turn, as their names may all be in one directory. */
static uint32_t first_server(const struct weir_store *store, const struct weir_record *record)
{
    return (uint32_t)((record->object & UINT64_C(0xffffffffffff)) + store->server_index) %
           store->server_count;
}

void weir_record_describe(const struct weir_store *store, const struct weir_record *record,
                          struct weir_answer *answer)
{
    answer->object = record->object;
    answer->generation = record->generation;
    answer->size = record->size;
    answer->unit_bytes = record->layout.unit_bytes;
    answer->stripe_count = record->layout.stripe_count;
    answer->first_server = first_server(store, record);
    answer->kind = record->kind;
}

/* ---- the end of an object ---- */

static void remove_record(struct weir_store *store, struct weir_record *record)
{
    weir_table_remove(&store->records, &record->node);
    free(record);
}

static void add_orphan(struct weir_store *store, struct weir_record *record)
{
    record->next_orphan = store->orphans;
    record->orphan_place = &store->orphans;
    if (record->next_orphan)
        record->next_orphan->orphan_place = &record->next_orphan;
    store->orphans = record;
}

static void remove_orphan(struct weir_record *record)
{
    *record->orphan_place = record->next_orphan;
    if (record->next_orphan)
        record->next_orphan->orphan_place = record->orphan_place;
    record->orphan_place = NULL;
}

static bool has_shards_elsewhere(const struct weir_store *store, const struct weir_record *record)
{
    return record->kind == WEIR_OBJECT_DATA &&
           (record->layout.stripe_count > 1 || first_server(store, record) != store->server_index);
}

/* Shards of other servers are dropped by a client, for servers do not talk to each other; the
 * record stays until that has been done. */
void weir_record_settle(struct weir_store *store, struct weir_record *record)
{
    if (record->entry || record->openers.users)
        return;
    if (has_shards_elsewhere(store, record)) {
        record->has_ended = true;
        add_orphan(store, record);
        return;
    }
    if (record->kind == WEIR_OBJECT_DATA)
        weir_store_drop(store, WEIR_CLIENT_NONE, record->object, record->generation);
    remove_record(store, record);
}

void weir_record_forget(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation)
{
    struct weir_record *record = look_up(store, object, generation);

    if (!record || !record->has_ended)
        return;
    if (record->orphan_place)
        remove_orphan(record);
    else if (!weir_uses_remove(&store->uses, client, &record->openers, true))
        return; /* another one is to do it */
    remove_record(store, record);
}

unsigned weir_store_take_orphans(struct weir_store *store, uint32_t client,
                                 struct weir_orphan orphans[WEIR_ORPHANS_MAX])
{
    unsigned count = 0;

    while (store->orphans && count < WEIR_ORPHANS_MAX) {
        struct weir_record *record = store->orphans;

        if (weir_uses_add(&store->uses, client, &record->openers) != 0)
            break;
        remove_orphan(record);
        orphans[count++] =
            (struct weir_orphan){record->object, record->generation, record->layout.stripe_count,
                                 first_server(store, record)};
    }
    return count;
}

/* ---- verbs by id ---- */

int weir_store_close_object(struct weir_store *store, uint32_t client, uint64_t object,
                            uint64_t generation, uint64_t end, struct weir_answer *answer)
{
    struct weir_record *record = find(store, object, generation);

    if (!record)
        return -ESTALE;
    if (!weir_uses_remove(&store->uses, client, &record->openers, false))
        return -EBADF;
    if (end > record->size)
        record->size = end;
    weir_record_describe(store, record, answer);
    weir_record_settle(store, record);
    return 0;
}

int weir_store_stat_object(struct weir_store *store, uint64_t object, uint64_t generation,
                           struct weir_answer *answer)
{
    struct weir_record *record = find(store, object, generation);

    if (!record)
        return -ESTALE;
    weir_record_describe(store, record, answer);
    return 0;
}

int weir_store_size(struct weir_store *store, uint64_t object, uint64_t generation, uint64_t bytes,
                    struct weir_answer *answer)
{
    struct weir_record *record = find(store, object, generation);

    if (!record)
        return -ESTALE;
    if (record->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    if (bytes > record->size)
        record->size = bytes;
    weir_record_describe(store, record, answer);
    return 0;
}
