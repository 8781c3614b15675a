/* SPDX-License-Identifier: Apache-2.0 */
/* The names of each directory, which need not have been made: found without looking at those of
 * others. */
#include "store_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LOOKS 65536u /* places looked at for one answer: other clients wait so long */
#define NO_PLACE UINT32_MAX

struct weir_directory {
    struct weir_node node;    /* by path */
    struct weir_used lockers; /* the client that has it locked, if one has */
    /* What cookies count: a name keeps its place. */
    struct place {
        struct weir_entry *entry; /* NULL: free */
        uint32_t next_free;
    } * places;
    uint32_t place_count, room;
    uint32_t first_free;
    uint32_t name_count;
    size_t path_bytes;
    char path[];
};

static struct weir_directory *directory_of(struct weir_used *lockers)
{
    return (struct weir_directory *)((char *)lockers - offsetof(struct weir_directory, lockers));
}

static struct weir_directory *find(const struct weir_store *store, struct weir_path path)
{
    struct weir_node *node = weir_table_find(&store->directories, weir_path_hash(path));

    for (; node; node = weir_table_next(node)) {
        struct weir_directory *directory = (struct weir_directory *)node;

        if (weir_path_is_same((struct weir_path){directory->path, directory->path_bytes}, path))
            return directory;
    }
    return NULL;
}

/* Makes it if it is not known yet; NULL: no memory. */
static struct weir_directory *get(struct weir_store *store, struct weir_path path)
{
    struct weir_directory *directory = find(store, path);

    if (directory)
        return directory;
    directory = calloc(1, sizeof *directory + path.count);
    if (!directory)
        return NULL;
    directory->lockers.kind = WEIR_USED_DIRECTORY;
    directory->first_free = NO_PLACE;
    directory->path_bytes = path.count;
    memcpy(directory->path, path.bytes, path.count);
    weir_table_add(&store->directories, &directory->node, weir_path_hash(path));
    return directory;
}

void weir_directory_free(struct weir_node *node)
{
    free(((struct weir_directory *)node)->places);
    free(node);
}

static void settle(struct weir_store *store, struct weir_directory *directory)
{
    if (directory->name_count || directory->lockers.users)
        return;
    weir_table_remove(&store->directories, &directory->node);
    weir_directory_free(&directory->node);
}

void weir_directory_settle(struct weir_store *store, struct weir_used *lockers)
{
    settle(store, directory_of(lockers));
}

static bool make_room(struct weir_directory *directory)
{
    uint32_t room = directory->room ? 2 * directory->room : 8;
    struct place *places;

    if (directory->first_free != NO_PLACE || directory->place_count < directory->room)
        return true;
    places = realloc(directory->places, room * sizeof *places);
    if (!places)
        return false;
    directory->places = places;
    directory->room = room;
    return true;
}

int weir_directory_add(struct weir_store *store, struct weir_path path, struct weir_entry *entry)
{
    struct weir_directory *directory = get(store, weir_path_directory(path));
    uint32_t place;

    if (!directory)
        return -ENOMEM;
    if (directory->lockers.users)
        return -EAGAIN;
    if (!make_room(directory)) {
        settle(store, directory);
        return -ENOMEM;
    }
    place = directory->first_free;
    if (place == NO_PLACE)
        place = directory->place_count++;
    else
        directory->first_free = directory->places[place].next_free;
    directory->places[place] = (struct place){.entry = entry};
    directory->name_count++;
    entry->directory = directory;
    entry->place = place;
    return 0;
}

void weir_directory_remove(struct weir_store *store, struct weir_entry *entry)
{
    struct weir_directory *directory = entry->directory;

    directory->places[entry->place] = (struct place){.next_free = directory->first_free};
    directory->first_free = entry->place;
    directory->name_count--;
    settle(store, directory);
}

bool weir_directory_has_names(const struct weir_store *store, struct weir_path path)
{
    const struct weir_directory *directory = find(store, weir_path_trim(path));

    return directory && directory->name_count;
}

/* ---- verbs ---- */

int weir_store_lock(struct weir_store *store, uint32_t client, struct weir_path path)
{
    struct weir_directory *directory = get(store, weir_path_trim(path));
    int code;

    if (!directory)
        return -ENOMEM;
    if (directory->name_count)
        return -ENOTEMPTY;
    if (directory->lockers.users)
        return -EAGAIN;
    code = weir_uses_add(&store->uses, client, &directory->lockers);
    settle(store, directory);
    return code;
}

void weir_store_unlock(struct weir_store *store, uint32_t client, struct weir_path path)
{
    struct weir_directory *directory = find(store, weir_path_trim(path));

    if (directory && weir_uses_remove(&store->uses, client, &directory->lockers, true))
        settle(store, directory);
}

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

int weir_store_list(struct weir_store *store, struct weir_path path, uint64_t cookie, void *items,
                    size_t room, struct weir_answer *answer)
{
    const struct weir_directory *directory = find(store, weir_path_trim(path));
    uint64_t end = directory ? directory->place_count : 0;
    uint64_t stop = cookie < end && end - cookie > LIST_LOOKS ? cookie + LIST_LOOKS : end;
    unsigned char *item_place = items;

    for (; cookie < stop; cookie++) {
        const struct weir_entry *entry = directory->places[cookie].entry;
        struct weir_list_item item;
        struct weir_path name;

        if (!entry)
            continue;
        name = weir_path_last((struct weir_path){entry->name, entry->name_bytes});
        item = describe(entry->record, name.count);
        if (room < sizeof item + name.count)
            break;
        memcpy(item_place, &item, sizeof item);
        memcpy(item_place + sizeof item, name.bytes, name.count);
        item_place += sizeof item + name.count;
        room -= sizeof item + name.count;
        answer->count++;
    }
    answer->payload_bytes = (uint32_t)(item_place - (unsigned char *)items);
    answer->cookie = cookie < end ? cookie : 0;
    return 0;
}
