/* SPDX-License-Identifier: Apache-2.0 */
/* Names: each leads to an object, which another server may keep. */
#include "store_parts.h"

#include "weir/base/random.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LOOKS 65536u /* names looked at for one answer: other clients wait so long */

static uint64_t hash_name(struct weir_name name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < name.count; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * UINT64_C(0x100000001b3);
    return weir_mix64(hash);
}

static struct weir_entry *find(const struct weir_store *store, struct weir_name name)
{
    struct weir_node *node = weir_table_find(&store->names, hash_name(name));

    for (; node; node = weir_table_next(node)) {
        struct weir_entry *entry = (struct weir_entry *)node;

        if (entry->name_bytes == name.count && !memcmp(entry->name, name.bytes, name.count))
            return entry;
    }
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

/* NULL: no memory. */
static struct weir_entry *add(struct weir_store *store, struct weir_name name, uint64_t object,
                              uint64_t generation, uint32_t kind)
{
    struct weir_entry *entry = malloc(sizeof *entry + name.count);

    if (!entry || !make_room(store)) {
        free(entry);
        return NULL;
    }
    *entry = (struct weir_entry){
        .object = object, .generation = generation, .kind = kind, .name_bytes = name.count};
    memcpy(entry->name, name.bytes, name.count);
    while (store->entries[store->lowest_unused])
        store->lowest_unused++;
    entry->index = store->lowest_unused;
    store->entries[entry->index] = entry;
    if (entry->index >= store->entry_count)
        store->entry_count = entry->index + 1;
    weir_table_add(&store->names, &entry->node, hash_name(name));
    return entry;
}

static void take_away(struct weir_store *store, struct weir_entry *entry)
{
    weir_table_remove(&store->names, &entry->node);
    store->entries[entry->index] = NULL;
    if (entry->index < store->lowest_unused)
        store->lowest_unused = entry->index;
    free(entry);
}

/* The object, if it is kept here. */
static struct weir_kept *kept_of(struct weir_store *store, const struct weir_entry *entry)
{
    return weir_kept_find(store, entry->object, entry->generation);
}

static void tell_elsewhere(const struct weir_entry *entry, struct weir_answer *answer)
{
    answer->flags |= WEIR_ANSWER_ELSEWHERE;
    answer->object = entry->object;
    answer->generation = entry->generation;
    answer->kind = entry->kind;
}

static void tell(struct weir_store *store, const struct weir_entry *entry,
                 struct weir_answer *answer)
{
    struct weir_kept *kept = kept_of(store, entry);

    if (kept)
        weir_kept_tell(store, kept, answer);
    else
        tell_elsewhere(entry, answer);
}

/* What the name led to loses it. */
static int let_go(struct weir_store *store, uint32_t client, struct weir_entry *entry,
                  struct weir_answer *answer)
{
    struct weir_kept *kept = kept_of(store, entry);

    if (kept)
        return weir_kept_lose_name(store, client, kept, answer);
    tell_elsewhere(entry, answer);
    return 0;
}

static int remove_entry(struct weir_store *store, uint32_t client, struct weir_entry *entry,
                        struct weir_answer *answer)
{
    int code = let_go(store, client, entry, answer);

    if (!code)
        take_away(store, entry);
    return code;
}

static bool is_below(const struct weir_entry *entry, struct weir_name directory)
{
    if (!directory.count)
        return true;
    if (entry->name_bytes <= directory.count ||
        memcmp(entry->name, directory.bytes, directory.count) != 0)
        return false;
    return directory.bytes[directory.count - 1] == '/' || entry->name[directory.count] == '/';
}

static bool has_children(const struct weir_store *store, struct weir_name directory)
{
    for (uint32_t i = 0; i < store->entry_count; i++)
        if (store->entries[i] && is_below(store->entries[i], directory))
            return true;
    return false;
}

/* ---- verbs ---- */

static int create(struct weir_store *store, uint32_t client, struct weir_name name,
                  const struct weir_layout *layout, struct weir_answer *answer)
{
    struct weir_kept *kept = weir_kept_add(store, WEIR_OBJECT_DATA, layout);

    if (!kept)
        return -ENOMEM;
    if (weir_users_add(&kept->openers, client) ||
        !add(store, name, kept->object, kept->generation, kept->kind)) {
        weir_table_remove(&store->kept, &kept->node);
        weir_kept_release(&kept->node);
        return -ENOMEM;
    }
    weir_kept_tell(store, kept, answer);
    answer->flags |= WEIR_ANSWER_CREATED;
    return 0;
}

int weir_store_open_name(struct weir_store *store, uint32_t client, struct weir_name name,
                         const struct weir_layout *created, struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, name);

    if (!entry)
        return created ? create(store, client, name, created, answer) : -ENOENT;
    if (entry->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    if (kept_of(store, entry))
        return weir_store_open_id(store, client, entry->object, entry->generation, answer);
    tell_elsewhere(entry, answer);
    return 0;
}

int weir_store_stat_name(struct weir_store *store, struct weir_name name,
                         struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, name);

    if (!entry)
        return -ENOENT;
    tell(store, entry, answer);
    return 0;
}

int weir_store_unlink_name(struct weir_store *store, uint32_t client, struct weir_name name,
                           struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, name);

    if (!entry)
        return -ENOENT;
    if (entry->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    return remove_entry(store, client, entry, answer);
}

int weir_store_mkdir(struct weir_store *store, struct weir_name name, struct weir_answer *answer)
{
    struct weir_layout none = {0};
    struct weir_kept *kept;

    if (find(store, name))
        return -EEXIST;
    kept = weir_kept_add(store, WEIR_OBJECT_DIRECTORY, &none);
    if (!kept)
        return -ENOMEM;
    if (!add(store, name, kept->object, kept->generation, kept->kind)) {
        weir_table_remove(&store->kept, &kept->node);
        weir_kept_release(&kept->node);
        return -ENOMEM;
    }
    weir_kept_tell(store, kept, answer);
    return 0;
}

int weir_store_rmdir(struct weir_store *store, uint32_t client, struct weir_name name,
                     struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, name);

    if (!entry)
        return -ENOENT;
    if (entry->kind != WEIR_OBJECT_DIRECTORY)
        return -ENOTDIR;
    if (has_children(store, name))
        return -ENOTEMPTY;
    return remove_entry(store, client, entry, answer);
}

/* May something of `kind` take the place of `old`? */
static int check_replacing(const struct weir_store *store, const struct weir_entry *old,
                           uint32_t kind, struct weir_name name)
{
    if (old->kind == WEIR_OBJECT_DIRECTORY && kind != WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    if (old->kind != WEIR_OBJECT_DIRECTORY && kind == WEIR_OBJECT_DIRECTORY)
        return -ENOTDIR;
    return kind == WEIR_OBJECT_DIRECTORY && has_children(store, name) ? -ENOTEMPTY : 0;
}

int weir_store_adopt(struct weir_store *store, uint32_t client, struct weir_name name,
                     uint64_t object, uint64_t generation, uint32_t kind,
                     struct weir_answer *answer)
{
    struct weir_entry *old = find(store, name);
    int code;

    if (!old)
        return add(store, name, object, generation, kind) ? 0 : -ENOMEM;
    if (old->object == object && old->generation == generation)
        return 0;
    code = check_replacing(store, old, kind, name);
    if (!code)
        code = let_go(store, client, old, answer);
    if (code)
        return code;
    old->object = object;
    old->generation = generation;
    old->kind = kind;
    return 0;
}

int weir_store_disown(struct weir_store *store, struct weir_name name, uint64_t object,
                      uint64_t generation)
{
    struct weir_entry *entry = find(store, name);

    if (!entry)
        return -ENOENT;
    if (entry->object != object || entry->generation != generation)
        return -ESTALE;
    take_away(store, entry);
    return 0;
}

int weir_store_rename(struct weir_store *store, uint32_t client, struct weir_name name,
                      struct weir_name new_name, struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, name);
    int code;

    if (!entry)
        return -ENOENT;
    if (name.count == new_name.count && !memcmp(name.bytes, new_name.bytes, name.count))
        return 0;
    /* Names below would stay where they are. */
    if (entry->kind == WEIR_OBJECT_DIRECTORY && has_children(store, name))
        return -ENOTEMPTY;
    code = weir_store_adopt(store, client, new_name, entry->object, entry->generation, entry->kind,
                            answer);
    if (!code)
        take_away(store, entry);
    return code;
}

/* ---- list ---- */

/* The part of an entry's name that is directly below the directory. */
static struct weir_name child_of(const struct weir_entry *entry, struct weir_name directory)
{
    struct weir_name child = {entry->name, entry->name_bytes};
    const char *slash;
    size_t skipped = directory.count;

    while (skipped < child.count && child.bytes[skipped] == '/')
        skipped++;
    child.bytes += skipped;
    child.count -= skipped;
    slash = memchr(child.bytes, '/', child.count);
    if (slash)
        child.count = (size_t)(slash - child.bytes);
    return child;
}

static struct weir_list_item describe(struct weir_store *store, const struct weir_entry *entry,
                                      struct weir_name child)
{
    struct weir_answer facts = {0};
    struct weir_list_item item = {.name_bytes = (uint32_t)child.count};

    if (child.bytes + child.count != entry->name + entry->name_bytes) {
        item.kind = WEIR_OBJECT_DIRECTORY;
        item.flags = WEIR_LIST_IMPLIED;
        return item;
    }
    tell(store, entry, &facts);
    item.object = facts.object;
    item.generation = facts.generation;
    item.size = facts.size;
    item.unit_bytes = facts.unit_bytes;
    item.stripe_count = facts.stripe_count;
    item.kind = facts.kind;
    item.flags = facts.flags & WEIR_ANSWER_ELSEWHERE ? WEIR_LIST_ELSEWHERE : 0;
    return item;
}

static bool is_same(struct weir_name a, struct weir_name b)
{
    return a.count == b.count && !memcmp(a.bytes, b.bytes, a.count);
}

int weir_store_list(struct weir_store *store, struct weir_name directory, uint64_t cookie,
                    void *items, size_t room, struct weir_answer *answer)
{
    unsigned char *place = items;
    struct weir_name implied = {"", 0}; /* the latest: a tree is often made branch by branch */
    uint64_t stop = cookie > store->entry_count ? store->entry_count : cookie + LIST_LOOKS;

    while (directory.count && directory.bytes[directory.count - 1] == '/')
        directory.count--;
    for (; cookie < store->entry_count && cookie < stop; cookie++) {
        const struct weir_entry *entry = store->entries[cookie];
        struct weir_name child;
        struct weir_list_item item;

        if (!entry || !is_below(entry, directory))
            continue;
        child = child_of(entry, directory);
        item = describe(store, entry, child);
        if (!child.count || (item.flags & WEIR_LIST_IMPLIED && is_same(child, implied)))
            continue;
        if (room < sizeof item + child.count)
            break;
        memcpy(place, &item, sizeof item);
        memcpy(place + sizeof item, child.bytes, child.count);
        place += sizeof item + child.count;
        room -= sizeof item + child.count;
        answer->count++;
        if (item.flags & WEIR_LIST_IMPLIED)
            implied = child;
    }
    answer->payload_bytes = (uint32_t)(place - (unsigned char *)items);
    answer->cookie = cookie < store->entry_count ? cookie : 0;
    return 0;
}
