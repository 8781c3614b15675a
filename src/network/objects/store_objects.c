/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that a server keeps: their size, who has them open, and what becomes of them when
 * their name is gone. */
#include "store_parts.h"

#include "weir/base/random.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t hash_id(uint64_t object)
{
    return weir_mix64(object);
}

struct weir_kept *weir_kept_find(struct weir_store *store, uint64_t object, uint64_t generation)
{
    struct weir_node *node = weir_table_find(&store->kept, hash_id(object));
    struct weir_kept *kept = (struct weir_kept *)node;

    return kept && kept->object == object && kept->generation == generation ? kept : NULL;
}

struct weir_kept *weir_kept_add(struct weir_store *store, uint32_t kind,
                                const struct weir_layout *layout)
{
    struct weir_kept *kept = calloc(1, sizeof *kept);

    if (!kept)
        return NULL;
    kept->object = (uint64_t)store->server_index << 48 | store->next_number++;
    kept->generation = store->next_generation++;
    kept->kind = kind;
    kept->layout = *layout;
    weir_table_add(&store->kept, &kept->node, hash_id(kept->object));
    return kept;
}

void weir_kept_release(struct weir_node *node)
{
    struct weir_kept *kept = (struct weir_kept *)node;

    weir_users_fini(&kept->openers);
    free(kept);
}

void weir_kept_tell(const struct weir_store *store, const struct weir_kept *kept,
                    struct weir_answer *answer)
{
    answer->object = kept->object;
    answer->generation = kept->generation;
    answer->size = kept->size;
    answer->unit_bytes = kept->layout.unit_bytes;
    answer->stripe_count = kept->layout.stripe_count;
    answer->first_server = store->server_index;
    answer->kind = kept->kind;
}

/* ---- debts ---- */

static int make_room_for_debt(struct weir_store *store)
{
    uint32_t room = store->debt_room ? 2 * store->debt_room : 16;
    struct weir_debt *debts;

    if (store->debt_count < store->debt_room)
        return 0;
    debts = realloc(store->debts, room * sizeof *debts);
    if (!debts)
        return -ENOMEM;
    store->debts = debts;
    store->debt_room = room;
    return 0;
}

void weir_debt_pay(struct weir_store *store, uint64_t object, uint64_t generation)
{
    for (uint32_t i = store->debt_count; i-- > 0;)
        if (store->debts[i].orphan.object == object &&
            store->debts[i].orphan.generation == generation) {
            store->orphan_count -= store->debts[i].client == WEIR_CLIENT_NONE;
            store->debts[i] = store->debts[--store->debt_count];
            return;
        }
}

unsigned weir_store_take_orphans(struct weir_store *store, uint32_t client,
                                 struct weir_orphan orphans[WEIR_ORPHANS_MAX])
{
    unsigned count = 0;

    for (uint32_t i = 0; i < store->debt_count && count < WEIR_ORPHANS_MAX; i++)
        if (store->debts[i].client == WEIR_CLIENT_NONE) {
            store->debts[i].client = client;
            orphans[count++] = store->debts[i].orphan;
        }
    store->orphan_count -= count;
    return count;
}

bool weir_store_has_orphans(const struct weir_store *store)
{
    return store->orphan_count;
}

/* ---- the end of an object ---- */

/* Shards of other servers are dropped by the client, for servers do not talk to each other; a debt
 * remembers that until it has done so. */
static int end(struct weir_store *store, uint32_t client, struct weir_kept *kept,
               struct weir_answer *answer)
{
    bool has_others = kept->kind == WEIR_OBJECT_DATA && kept->layout.stripe_count > 1;

    if (has_others && make_room_for_debt(store))
        return -ENOMEM;
    if (has_others) {
        store->debts[store->debt_count++] = (struct weir_debt){
            .orphan = {kept->object, kept->generation, kept->layout.stripe_count,
                       store->server_index},
            .client = client,
        };
        store->orphan_count += client == WEIR_CLIENT_NONE;
        if (answer)
            answer->flags |= WEIR_ANSWER_DROP;
    } else if (kept->kind == WEIR_OBJECT_DATA) {
        weir_store_drop(store, client, kept->object, kept->generation);
    }
    weir_table_remove(&store->kept, &kept->node);
    weir_kept_release(&kept->node);
    return 0;
}

int weir_kept_lose_name(struct weir_store *store, uint32_t client, struct weir_kept *kept,
                        struct weir_answer *answer)
{
    weir_kept_tell(store, kept, answer);
    if (kept->openers.count) {
        kept->is_nameless = true;
        return 0;
    }
    return end(store, client, kept, answer);
}

/* ---- verbs by id ---- */

int weir_store_open_id(struct weir_store *store, uint32_t client, uint64_t object,
                       uint64_t generation, struct weir_answer *answer)
{
    struct weir_kept *kept = weir_kept_find(store, object, generation);

    if (!kept || kept->is_nameless)
        return -ESTALE;
    if (kept->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    if (weir_users_add(&kept->openers, client))
        return -ENOMEM;
    weir_kept_tell(store, kept, answer);
    return 0;
}

int weir_store_close_id(struct weir_store *store, uint32_t client, uint64_t object,
                        uint64_t generation, uint64_t size, struct weir_answer *answer)
{
    struct weir_kept *kept = weir_kept_find(store, object, generation);

    if (!kept)
        return -ESTALE;
    if (!weir_users_remove(&kept->openers, client, false))
        return -EBADF;
    if (size > kept->size)
        kept->size = size;
    weir_kept_tell(store, kept, answer);
    return kept->is_nameless && !kept->openers.count ? end(store, client, kept, answer) : 0;
}

int weir_store_stat_id(struct weir_store *store, uint64_t object, uint64_t generation,
                       struct weir_answer *answer)
{
    struct weir_kept *kept = weir_kept_find(store, object, generation);

    if (!kept)
        return -ESTALE;
    weir_kept_tell(store, kept, answer);
    return 0;
}

int weir_store_size(struct weir_store *store, uint64_t object, uint64_t generation, uint64_t bytes,
                    bool is_exact, struct weir_answer *answer)
{
    struct weir_kept *kept = weir_kept_find(store, object, generation);

    if (!kept)
        return -ESTALE;
    if (kept->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    if (is_exact || bytes > kept->size)
        kept->size = bytes;
    weir_kept_tell(store, kept, answer);
    return 0;
}

int weir_store_unlink_id(struct weir_store *store, uint32_t client, uint64_t object,
                         uint64_t generation, struct weir_answer *answer)
{
    struct weir_kept *kept = weir_kept_find(store, object, generation);

    if (!kept || kept->is_nameless)
        return -ESTALE;
    return weir_kept_lose_name(store, client, kept, answer);
}

/* ---- a client that is gone ---- */

struct leaving {
    struct weir_store *store;
    uint32_t client;
};

static void close_all(void *context, struct weir_node *node)
{
    struct leaving *leaving = context;
    struct weir_kept *kept = (struct weir_kept *)node;

    if (weir_users_remove(&kept->openers, leaving->client, true) && kept->is_nameless &&
        !kept->openers.count)
        end(leaving->store, WEIR_CLIENT_NONE, kept, NULL);
}

void weir_kept_leave(struct weir_store *store, uint32_t client)
{
    struct leaving leaving = {store, client};

    weir_table_walk(&store->kept, close_all, &leaving);
    for (uint32_t i = 0; i < store->debt_count; i++)
        if (store->debts[i].client == client) {
            store->debts[i].client = WEIR_CLIENT_NONE;
            store->orphan_count++;
        }
}
