/* SPDX-License-Identifier: Apache-2.0 */
/* Names: each leads to an object of this server. */
#include "store_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* 0, -ENOMEM, or -EAGAIN: another client has the directory locked. */
static int add(struct weir_store *store, struct weir_path path, struct weir_record *record)
{
    struct weir_entry *entry = malloc(sizeof *entry + path.count);
    int code = entry ? weir_directory_add(store, path, entry) : -ENOMEM;

    if (code) {
        free(entry);
        return code;
    }
    entry->record = record;
    entry->name_bytes = path.count;
    memcpy(entry->name, path.bytes, path.count);
    weir_table_add(&store->names, &entry->node, weir_path_hash(path));
    record->entry = entry;
    return 0;
}

static void take_away(struct weir_store *store, struct weir_entry *entry)
{
    weir_table_remove(&store->names, &entry->node);
    weir_directory_remove(store, entry);
    free(entry);
}

/* The name, and what it led to as far as nobody has that open. */
static void remove_entry(struct weir_store *store, struct weir_entry *entry,
                         struct weir_answer *answer)
{
    struct weir_record *record = entry->record;

    take_away(store, entry);
    record->entry = NULL;
    weir_record_describe(store, record, answer);
    weir_record_settle(store, record);
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

int weir_store_unlink(struct weir_store *store, struct weir_path path, struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, path);

    if (!entry)
        return -ENOENT;
    if (entry->record->kind == WEIR_OBJECT_DIRECTORY)
        return -EISDIR;
    remove_entry(store, entry, answer);
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
    if (weir_directory_has_names(store, path))
        return -ENOTEMPTY;
    remove_entry(store, entry, &(struct weir_answer){0}); /* it has no shards */
    return 0;
}

static bool is_below(struct weir_path path, struct weir_path directory)
{
    return path.count > directory.count && path.bytes[directory.count] == '/' &&
           !memcmp(path.bytes, directory.bytes, directory.count);
}

/* What leads to a directory may only take the place of another one, and names below either would
 * stay where they are, or turn up in the other. */
static int check_rename(const struct weir_store *store, const struct weir_entry *entry,
                        const struct weir_entry *old, struct weir_path new_path,
                        bool may_be_directory)
{
    bool is_directory = entry->record->kind == WEIR_OBJECT_DIRECTORY;
    bool was_directory = old && old->record->kind == WEIR_OBJECT_DIRECTORY;

    if (is_directory ? !may_be_directory : was_directory)
        return -EISDIR;
    if (!is_directory)
        return 0;
    if (old && !was_directory)
        return -ENOTDIR;
    if (is_below(new_path, path_of(entry)))
        return -EINVAL;
    return weir_directory_has_names(store, path_of(entry)) ||
                   weir_directory_has_names(store, new_path)
               ? -ENOTEMPTY
               : 0;
}

int weir_store_rename(struct weir_store *store, struct weir_path path, struct weir_path new_path,
                      bool may_be_directory, struct weir_answer *answer)
{
    struct weir_entry *entry = find(store, path);
    struct weir_entry *old = find(store, new_path);
    struct weir_record *record;
    int code;

    if (!entry)
        return -ENOENT;
    if (weir_path_server(weir_path_directory(new_path), store->server_count) != store->server_index)
        return -EXDEV;
    if (entry == old)
        return 0;
    record = entry->record;
    code = check_rename(store, entry, old, new_path, may_be_directory);
    if (code == -EISDIR)
        weir_record_describe(store, record, answer);
    if (!code)
        code = add(store, new_path, record);
    if (code)
        return code;
    take_away(store, entry);
    if (old)
        remove_entry(store, old, answer);
    return 0;
}
