/* SPDX-License-Identifier: Apache-2.0 */
/* Names: each leads to an object of this server. */
#include "store_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LOOKS 65536u /* names looked at for one answer: other clients wait so long */

static struct weir_path path_of(const struct weir_entry *entry)
{
    return (struct weir_path){entry->name, entry->name_bytes};
}

static struct weir_entry *find(const struct weir_store *store, struct weir_path path)
{
    struct weir_node *node = weir_table_find(&store->names, weir_path_hash(path));

    for (; node; node = weir_table_next(node))
        if (weir_path_is_same(path_of((struct weir_entry *)node), path))
            return (struct weir_entry *)node;
    return NULL;
}

static bool make_room(struct weir_store *store)
{
    uint32_t room = store->entry_room ? 2 * store->entry_room : 64;
    struct weir_entry **entries;

    if (store->names.count < store->entry_room)
        return true;
    entries = realloc(store->entries, room * sizeof *entries);
    if (!entries)
        return false;
    memset(entries + store->entry_room, 0, (room - store->entry_room) * sizeof *entries);
    store->entries = entries;
    store->entry_room = room;
    return true;
}

/* The record has no other name. 0 or -ENOMEM. */
static int add(struct weir_store *store, struct weir_path path, struct weir_record *record)
{
    struct weir_entry *entry = malloc(sizeof *entry + path.count);

    if (!entry || !make_room(store)) {
        free(entry);
        return -ENOMEM;
    }
    *entry = (struct weir_entry){.record = record, .name_bytes = path.count};
    memcpy(entry->name, path.bytes, path.count);
    while (store->entries[store->lowest_unused])
        store->lowest_unused++;
    entry->index = store->lowest_unused;
    store->entries[entry->index] = entry;
    if (entry->index >= store->entry_count)
        store->entry_count = entry->index + 1;
    weir_table_add(&store->names, &entry->node, weir_path_hash(path));
    record->entry = entry;
    return 0;
}

static void take_away(struct weir_store *store, struct weir_entry *entry)
{
    weir_table_remove(&store->names, &entry->node);
    store->entries[entry->index] = NULL;
    if (entry->index < store->lowest_unused)
        store->lowest_unused = entry->index;
    free(entry);
}

/* The name, and what it led to as far as nobody has that open. */
static void remove_entry(struct weir_store *store, uint32_t client, struct weir_entry *entry,
                         struct weir_answer *answer)
{
    struct weir_record *record = entry->record;

    take_away(store, entry);
    record->entry = NULL;
    weir_record_describe(store, record, answer);
    weir_record_settle(store, client, record, answer);
}

/* ---- verbs ---- */

static int create(struct weir_store *store, struct weir_path path, uint32_t kind,
                  const struct weir_layout *layout, struct weir_record **record)
{
    struct weir_record *made = weir_record_add(store, kind, layout);
    int code = made ? add(store, path, made) : -ENOMEM;

    if (made && code) {
        weir_table_remove(&store->records, &made->node);
        weir_record_free(&made->node);
    }
    *record = made;
    return code;
}

int weir_store_open_object(struct weir_store *store, uint32_t client, struct weir_path path,
                           const struct weir_layout *created, struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, path);
    struct weir_record *record = entry ? entry->record : NULL;
    int code;

    if (!entry && !created)
        return -ENOENT;
    code = entry ? 0 : create(store, path, WEIR_OBJECT_DATA, created, &record);
    if (code)
        return code;
    if (record->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    if (weir_uses_add(&store->uses, client, &record->openers))
        return -ENOMEM; /* as if another client had created it */
    weir_record_describe(store, record, answer);
    answer->flags |= entry ? 0 : WEIR_ANSWER_CREATED;
    return 0;
}

int weir_store_stat_path(struct weir_store *store, struct weir_path path,
                         struct weir_answer *answer)
{
    const struct weir_entry *entry = find(store, path);

    if (!entry)
        return -ENOENT;
    weir_record_describe(store, entry->record, answer);
    return 0;
}

int weir_store_unlink(struct weir_store *store, uint32_t client, struct weir_path path,
                      struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, path);

    if (!entry)
        return -ENOENT;
    if (entry->record->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    remove_entry(store, client, entry, answer);
    return 0;
}

int weir_store_mkdir(struct weir_store *store, struct weir_path path, struct weir_answer *answer)
{
    static const struct weir_layout none;
    struct weir_record *record;
    int code;

    if (find(store, path))
        return -EEXIST;
    code = create(store, path, WEIR_OBJECT_DIRECTORY, &none, &record);
    if (!code)
        weir_record_describe(store, record, answer);
    return code;
}

int weir_store_rmdir(struct weir_store *store, struct weir_path path)
{
    struct weir_entry *entry = find(store, path);

    if (!entry)
        return -ENOENT;
    if (entry->record->kind != WEIR_OBJECT_DIRECTORY)
        return -ENOTDIR;
    remove_entry(store, WEIR_CLIENT_NONE, entry, &(struct weir_answer){0}); /* it has no shards */
    return 0;
}

int weir_store_rename(struct weir_store *store, uint32_t client, struct weir_path path,
                      struct weir_path new_path, bool may_be_directory, struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, path);
    struct weir_entry *old = find(store, new_path);
    struct weir_record *record;
    bool is_directory;

    if (!entry)
        return -ENOENT;
    if (entry == old)
        return 0;
    record = entry->record;
    is_directory = record->kind == WEIR_OBJECT_DIRECTORY;
    if ((is_directory && !may_be_directory) ||
        (old && old->record->kind == WEIR_OBJECT_DIRECTORY && !is_directory)) {
        weir_record_describe(store, record, answer);
        return -EISDIR;
    }
    if (old && is_directory && old->record->kind != WEIR_OBJECT_DIRECTORY)
        return -ENOTDIR;
    if (add(store, new_path, record))
        return -ENOMEM;
    take_away(store, entry);
    if (old)
        remove_entry(store, client, old, answer);
    return 0;
}

/* ---- list ---- */

static struct weir_list_item describe(const struct weir_record *record, size_t name_bytes)
{
    return (struct weir_list_item){
        .generation = record->generation,
        .size = record->size,
        .unit_bytes = record->layout.unit_bytes,
        .stripe_count = record->layout.stripe_count,
        .kind = record->kind,
        .name_bytes = (uint32_t)name_bytes,
    };
}

int weir_store_list(struct weir_store *store, struct weir_path directory, uint64_t cookie,
                    void *items, size_t room, struct weir_answer *answer)
{
    unsigned char *place = items;
    uint64_t stop = cookie > store->entry_count ? store->entry_count : cookie + LIST_LOOKS;

    directory = weir_path_trim(directory);
    for (; cookie < store->entry_count && cookie < stop; cookie++) {
        const struct weir_entry *entry = store->entries[cookie];
        struct weir_list_item item;
        struct weir_path name;

        if (!entry || !weir_path_is_same(weir_path_directory(path_of(entry)), directory))
            continue;
        name = weir_path_last(path_of(entry));
        item = describe(entry->record, name.count);
        if (room < sizeof item + name.count)
            break;
        memcpy(place, &item, sizeof item);
        memcpy(place + sizeof item, name.bytes, name.count);
        place += sizeof item + name.count;
        room -= sizeof item + name.count;
        answer->count++;
    }
    answer->payload_bytes = (uint32_t)(place - (unsigned char *)items);
    answer->cookie = cookie < store->entry_count ? cookie : 0;
    return 0;
}
