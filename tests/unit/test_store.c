/* SPDX-License-Identifier: Apache-2.0 */
/* A store without any network: names lead to objects, chunks are handed out once, and what is gone
 * stays gone. */
#include "network/objects/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CHUNKS 70u
#define NONE UINT32_MAX

struct bed {
    struct weir_store *store;
    unsigned char *memory;
    struct weir_answer answer; /* the latest */
    struct weir_orphan orphans[WEIR_ORPHANS_MAX];
};

static const struct weir_layout narrow = {1 << 20, 1};
static const struct weir_layout wide = {1 << 20, 3};

static int set_up(void **state)
{
    struct bed *bed = calloc(1, sizeof *bed);
    struct weir_store_params params = {.chunk_count = CHUNKS, .first_generation = 1000};

    bed->memory = calloc(CHUNKS, WEIR_CHUNK_BYTES);
    params.memory = bed->memory;
    assert_int_equal(weir_store_open(&params, &bed->store), 0);
    weir_store_set_place(bed->store, 0, 1);
    *state = bed;
    return 0;
}

static int tear_down(void **state)
{
    struct bed *bed = *state;

    weir_store_close(bed->store);
    free(bed->memory);
    free(bed);
    return 0;
}

static struct weir_path name(const char *text)
{
    return (struct weir_path){text, strlen(text)};
}

static struct weir_answer *fresh(struct bed *bed)
{
    memset(&bed->answer, 0, sizeof bed->answer);
    return &bed->answer;
}

static int open_name(struct bed *bed, uint32_t client, const char *path,
                     const struct weir_layout *layout)
{
    return weir_store_open_object(bed->store, client, name(path), layout, fresh(bed));
}

static int close_it(struct bed *bed, uint32_t client, uint64_t end)
{
    struct weir_answer was = bed->answer;

    return weir_store_close_object(bed->store, client, was.object, was.generation, end, fresh(bed));
}

static int unlink_name(struct bed *bed, const char *path)
{
    return weir_store_unlink(bed->store, name(path), fresh(bed));
}

/* How many objects the client is to drop now. */
static unsigned take(struct bed *bed, uint32_t client)
{
    return weir_store_take_orphans(bed->store, client, bed->orphans);
}

static int map(struct bed *bed, uint32_t client, const struct weir_answer *object, uint64_t first,
               uint32_t count, bool allocates, uint32_t numbers[])
{
    return weir_store_map(bed->store, client, object->object, object->generation, first, count,
                          allocates, numbers);
}

static uint64_t used(struct bed *bed)
{
    uint64_t bytes = weir_store_used_bytes(bed->store);

    assert_int_equal(bytes % WEIR_CHUNK_BYTES, 0);
    return bytes / WEIR_CHUNK_BYTES;
}

/* ---- names ---- */

static void a_name_leads_to_one_object_until_it_gets_another(void **state)
{
    struct bed *bed = *state;
    struct weir_answer first;

    assert_int_equal(open_name(bed, 1, "/a", NULL), -ENOENT);
    assert_int_equal(open_name(bed, 1, "/a", &narrow), 0);
    assert_int_equal(bed->answer.flags, WEIR_ANSWER_CREATED);
    first = bed->answer;
    assert_int_equal(weir_object_home(first.object), 0);
    assert_int_equal(open_name(bed, 2, "/a", &wide), 0);
    assert_int_equal(bed->answer.flags, 0);
    assert_int_equal(bed->answer.object, first.object);
    assert_int_equal(bed->answer.stripe_count, 1);
    assert_int_equal(close_it(bed, 2, 0), 0);
    bed->answer = first;
    assert_int_equal(close_it(bed, 1, 0), 0);
    assert_int_equal(unlink_name(bed, "/a"), 0);
    assert_int_equal(unlink_name(bed, "/a"), -ENOENT);
    assert_int_equal(open_name(bed, 1, "/a", &narrow), 0);
    assert_int_not_equal(bed->answer.generation, first.generation);
    assert_int_equal(weir_store_stat_object(bed->store, first.object, first.generation, fresh(bed)),
                     -ESTALE);
}

static void names_of_any_bytes_are_told_apart(void **state)
{
    struct bed *bed = *state;

    for (unsigned i = 1; i < 3000; i++) {
        char text[16];

        snprintf(text, sizeof text, "%c\n\xff%u", (char)(i % 100 + 1), i);
        assert_int_equal(open_name(bed, 1, text, &narrow), 0);
        assert_int_equal(bed->answer.flags, WEIR_ANSWER_CREATED);
        assert_int_equal(close_it(bed, 1, i), 0);
    }
    for (unsigned i = 1; i < 3000; i++) {
        char text[16];

        snprintf(text, sizeof text, "%c\n\xff%u", (char)(i % 100 + 1), i);
        assert_int_equal(weir_store_stat_path(bed->store, name(text), fresh(bed)), 0);
        assert_int_equal(bed->answer.size, i);
        assert_int_equal(unlink_name(bed, text), 0);
    }
    assert_true(weir_store_is_empty(bed->store));
}

static void sizes_grow_and_never_shrink(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object;

    open_name(bed, 1, "a", &narrow);
    object = bed->answer;
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            weir_store_size(bed->store, object.object, object.generation, i ? 50 : 100, fresh(bed)),
            0);
    assert_int_equal(bed->answer.size, 100);
    assert_int_equal(
        weir_store_size(bed->store, object.object, object.generation + 1, 1, fresh(bed)), -ESTALE);
    bed->answer = object;
    assert_int_equal(close_it(bed, 1, 177), 0);
    assert_int_equal(bed->answer.size, 177);
    assert_int_equal(close_it(bed, 1, 0), -EBADF);
}

static void an_object_that_is_open_outlives_its_name(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object;
    uint32_t numbers[2];

    open_name(bed, 1, "a", &narrow);
    object = bed->answer;
    open_name(bed, 2, "a", NULL);
    assert_int_equal(map(bed, 1, &object, 0, 2, true, numbers), 0);
    assert_int_equal(unlink_name(bed, "a"), 0);
    assert_int_equal(bed->answer.flags, 0);
    assert_int_equal(used(bed), 2);
    assert_int_equal(open_name(bed, 3, "a", NULL), -ENOENT);
    weir_store_release(bed->store, 1, object.object, object.generation);
    bed->answer = object;
    assert_int_equal(close_it(bed, 1, 5), 0);
    assert_int_equal(used(bed), 2);
    assert_int_equal(bed->answer.size, 5);
    bed->answer = object;
    assert_int_equal(close_it(bed, 2, 0), 0);
    assert_int_equal(used(bed), 0);
    assert_true(weir_store_is_empty(bed->store));
}

static void a_client_that_leaves_closes_what_it_had_open(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object;
    uint32_t numbers[1];

    for (int i = 0; i < 3; i++)
        open_name(bed, 1, "a", &narrow);
    object = bed->answer;
    map(bed, 1, &object, 4, 1, true, numbers);
    unlink_name(bed, "a");
    weir_store_leave(bed->store, 2);
    assert_int_equal(used(bed), 1);
    weir_store_leave(bed->store, 1);
    assert_int_equal(used(bed), 0);
    assert_true(weir_store_is_empty(bed->store));
}

/* ---- stripes on other servers ---- */

static void the_one_who_ends_a_striped_object_drops_its_shards(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object;

    weir_store_set_place(bed->store, 2, 5);
    open_name(bed, 1, "a", &wide);
    object = bed->answer;
    assert_int_equal(weir_object_home(object.object), 2);
    unlink_name(bed, "a");
    assert_int_equal(take(bed, 2), 0);
    bed->answer = object;
    assert_int_equal(close_it(bed, 1, 0), 0);
    assert_int_equal(take(bed, 1), 1);
    assert_int_equal(take(bed, 2), 0);
    weir_store_leave(bed->store, 1); /* before it did */
    assert_int_equal(take(bed, 3), 1);
    assert_int_equal(bed->orphans[0].object, object.object);
    assert_int_equal(bed->orphans[0].stripe_count, 3);
    assert_int_equal(bed->orphans[0].first_server, object.first_server);
    weir_store_leave(bed->store, 3);
    assert_int_equal(take(bed, 4), 1);
    weir_store_drop(bed->store, 4, object.object, object.generation);
    weir_store_leave(bed->store, 4);
    assert_int_equal(take(bed, 5), 0);
}

static void many_orphans_come_in_portions(void **state)
{
    struct bed *bed = *state;
    unsigned total = 0, count;

    for (unsigned i = 0; i < 50; i++) {
        char text[8];

        snprintf(text, sizeof text, "%u", i);
        open_name(bed, 1, text, &wide);
        unlink_name(bed, text);
    }
    weir_store_leave(bed->store, 1);
    while ((count = take(bed, 2))) {
        assert_true(count <= WEIR_ORPHANS_MAX);
        total += count;
        while (count--)
            weir_store_drop(bed->store, 2, bed->orphans[count].object,
                            bed->orphans[count].generation);
    }
    assert_int_equal(total, 50);
    weir_store_leave(bed->store, 2);
    assert_int_equal(take(bed, 3), 0);
}

static void only_the_one_who_is_to_drop_an_object_can_end_it(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object;

    open_name(bed, 1, "a", &wide);
    object = bed->answer;
    weir_store_drop(bed->store, 1, object.object, object.generation); /* while it lives */
    unlink_name(bed, "a");
    bed->answer = object;
    assert_int_equal(close_it(bed, 1, 0), 0);
    assert_int_equal(take(bed, 1), 1);
    assert_int_equal(
        weir_store_stat_object(bed->store, object.object, object.generation, fresh(bed)), -ESTALE);
    weir_store_drop(bed->store, 2, object.object, object.generation);
    assert_int_equal(weir_store_object_count(bed->store), 1);
    weir_store_leave(bed->store, 1);
    assert_int_equal(take(bed, 3), 1);
    weir_store_drop(bed->store, 3, object.object, object.generation);
    weir_store_leave(bed->store, 3);
    assert_true(weir_store_is_empty(bed->store));
}

/* ---- renaming ---- */

static void renaming_keeps_the_object_and_ends_the_one_in_its_place(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object;

    open_name(bed, 1, "old", &wide);
    object = bed->answer;
    open_name(bed, 1, "new", &wide);
    close_it(bed, 1, 9);
    assert_int_equal(weir_store_rename(bed->store, name("old"), name("new"), false, fresh(bed)), 0);
    assert_int_equal(take(bed, 1), 1);
    assert_int_equal(bed->answer.size, 9);
    assert_int_equal(open_name(bed, 1, "old", NULL), -ENOENT);
    assert_int_equal(open_name(bed, 1, "new", NULL), 0);
    assert_int_equal(bed->answer.object, object.object);
    assert_int_equal(weir_store_rename(bed->store, name("new"), name("new"), false, fresh(bed)), 0);
    assert_int_equal(open_name(bed, 1, "new", NULL), 0);
    assert_int_equal(weir_store_rename(bed->store, name("none"), name("x"), false, fresh(bed)),
                     -ENOENT);
}

static void objects_of_one_directory_begin_at_all_servers(void **state)
{
    struct bed *bed = *state;
    unsigned count[5] = {0};

    weir_store_set_place(bed->store, 2, 5);
    for (unsigned i = 0; i < 20; i++) {
        char text[8];

        snprintf(text, sizeof text, "d/%u", i);
        assert_int_equal(open_name(bed, 1, text, &narrow), 0);
        assert_int_equal(weir_object_home(bed->answer.object), 2);
        count[bed->answer.first_server]++;
        assert_int_equal(weir_store_stat_path(bed->store, name(text), fresh(bed)), 0);
        assert_int_equal(close_it(bed, 1, 0), 0);
        assert_int_equal(unlink_name(bed, text), 0);
        /* Whose only shard is at another server says so. */
        assert_int_equal(take(bed, 1), bed->answer.first_server != 2);
    }
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(count[i], 4);
}

static void openers_are_counted_as_a_model_counts_them(void **state)
{
    enum { CLIENTS = 90, OBJECTS = 40, ROUNDS = 20000 };
    static unsigned opens[CLIENTS][OBJECTS];
    struct bed *bed = *state;
    struct weir_answer objects[OBJECTS];
    unsigned random = 1;
    char text[8];

    for (unsigned i = 0; i < OBJECTS; i++) {
        snprintf(text, sizeof text, "%u", i);
        open_name(bed, 0, text, &narrow);
        objects[i] = bed->answer;
        opens[0][i] = 1;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned client = (random = random * 1103515245 + 12345) >> 16 & 0x7fff;
        unsigned object = client / CLIENTS % OBJECTS;
        unsigned what = client / 7 % 100;

        client %= CLIENTS;
        snprintf(text, sizeof text, "%u", object);
        bed->answer = objects[object];
        if (what == 0) {
            weir_store_leave(bed->store, client);
            memset(opens[client], 0, sizeof opens[client]);
        } else if (what < 50) {
            assert_int_equal(open_name(bed, client, text, NULL), 0);
            opens[client][object]++;
        } else {
            assert_int_equal(close_it(bed, client, 0), opens[client][object] ? 0 : -EBADF);
            opens[client][object] -= opens[client][object] > 0;
        }
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        snprintf(text, sizeof text, "%u", i);
        assert_int_equal(unlink_name(bed, text), 0);
    }
    for (unsigned client = 0; client < CLIENTS; client++) {
        uint64_t alive = 0;

        for (unsigned i = 0; i < OBJECTS; i++) {
            unsigned after = 0;

            for (unsigned other = client; other < CLIENTS; other++)
                after += opens[other][i];
            alive += after > 0;
        }
        assert_int_equal(weir_store_object_count(bed->store), alive);
        weir_store_leave(bed->store, client);
    }
    assert_true(weir_store_is_empty(bed->store));
}

/* ---- directories ---- */

static void directories_are_no_files_and_files_no_directories(void **state)
{
    struct bed *bed = *state;

    assert_int_equal(weir_store_mkdir(bed->store, name("d"), fresh(bed)), 0);
    assert_int_equal(weir_store_mkdir(bed->store, name("d"), fresh(bed)), -EEXIST);
    assert_int_equal(open_name(bed, 1, "d", &narrow), -EISDIR);
    assert_int_equal(unlink_name(bed, "d"), -EISDIR);
    assert_int_equal(open_name(bed, 1, "f", &narrow), 0);
    assert_int_equal(weir_store_rmdir(bed->store, name("f")), -ENOTDIR);
    assert_int_equal(weir_store_rename(bed->store, name("d"), name("e"), false, fresh(bed)),
                     -EISDIR);
    assert_int_equal(bed->answer.kind, WEIR_OBJECT_DIRECTORY);
    assert_int_equal(weir_store_rename(bed->store, name("f"), name("d"), true, fresh(bed)),
                     -EISDIR);
    assert_int_equal(bed->answer.kind, WEIR_OBJECT_DATA);
    assert_int_equal(weir_store_rename(bed->store, name("d"), name("f"), true, fresh(bed)),
                     -ENOTDIR);
    assert_int_equal(weir_store_mkdir(bed->store, name("e"), fresh(bed)), 0);
    assert_int_equal(weir_store_rename(bed->store, name("d"), name("e"), true, fresh(bed)), 0);
    assert_int_equal(take(bed, 1), 0);
    assert_int_equal(weir_store_rmdir(bed->store, name("d")), -ENOENT);
    assert_int_equal(weir_store_rmdir(bed->store, name("e")), 0);
    assert_int_equal(weir_store_object_count(bed->store), 1);
}

struct listing {
    unsigned items, rounds;
    char names[4096];
};

static struct listing list(struct bed *bed, const char *directory, size_t room)
{
    struct listing listing = {0};
    uint64_t cookie = 0;

    do {
        unsigned char items[4096];
        size_t at = 0;

        assert_int_equal(
            weir_store_list(bed->store, name(directory), cookie, items, room, fresh(bed)), 0);
        for (uint32_t i = 0; i < bed->answer.count; i++) {
            struct weir_list_item item;
            size_t used;

            memcpy(&item, items + at, sizeof item);
            at += sizeof item;
            listing.items++;
            used = strlen(listing.names);
            snprintf(listing.names + used, sizeof listing.names - used, "%.*s ",
                     (int)item.name_bytes, (char *)items + at);
            at += item.name_bytes;
        }
        assert_int_equal(at, bed->answer.payload_bytes);
        assert_true(at <= room);
        assert_true(++listing.rounds < 1000);
        cookie = bed->answer.cookie;
    } while (cookie);
    return listing;
}

static void a_list_has_what_is_directly_below(void **state)
{
    struct bed *bed = *state;
    static const char *const names[] = {"/d/a", "/d/b/c", "/d/b/e", "/dx", "/d/f", "/q/r"};

    weir_store_mkdir(bed->store, name("/d"), fresh(bed));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        open_name(bed, 1, names[i], &narrow);
    assert_string_equal(list(bed, "/d", 4096).names, "a f ");
    assert_string_equal(list(bed, "/d/", 4096).names, "a f ");
    assert_string_equal(list(bed, "/d/b", 4096).names, "c e ");
    assert_string_equal(list(bed, "/", 4096).names, "d dx ");
    assert_string_equal(list(bed, "/none", 4096).names, "");
    unlink_name(bed, "/d/a");
    open_name(bed, 1, "/d/z", &narrow);
    assert_string_equal(list(bed, "/d", 4096).names, "z f ");
}

static void a_long_list_comes_in_pages_that_miss_nothing(void **state)
{
    struct bed *bed = *state;

    for (unsigned i = 0; i < 200; i++) {
        char text[16];

        snprintf(text, sizeof text, "d/%03u", i);
        open_name(bed, 1, text, &narrow);
    }
    for (size_t room = 60; room < 1000; room += 100) {
        struct listing listing = list(bed, "d", room);

        assert_int_equal(listing.items, 200);
        assert_int_equal(strlen(listing.names), 800);
    }
    weir_store_list(bed->store, name("d"), UINT64_MAX, NULL, 0, fresh(bed));
    assert_int_equal(bed->answer.cookie, 0);
}

/* Those of others are not even looked at, however many there are. */
static void a_list_takes_one_page_beside_large_directories(void **state)
{
    struct bed *bed = *state;
    struct listing listing;

    for (unsigned i = 0; i < 140000; i++) {
        char text[16];

        snprintf(text, sizeof text, "%s/%u", i % 2 ? "d" : "e", i);
        open_name(bed, 1, text, &narrow);
    }
    open_name(bed, 1, "f/a", &narrow);
    listing = list(bed, "f", 4096);
    assert_string_equal(listing.names, "a ");
    assert_int_equal(listing.rounds, 1);
    assert_int_equal(list(bed, "none", 4096).rounds, 1);
    for (unsigned i = 0; i < 139990; i++) {
        char text[16];

        snprintf(text, sizeof text, "%s/%u", i % 2 ? "d" : "e", i);
        unlink_name(bed, text);
    }
    assert_string_equal(list(bed, "d", 4096).names, "139991 139993 139995 139997 139999 ");
}

static int lock(struct bed *bed, uint32_t client, const char *path)
{
    return weir_store_lock(bed->store, client, name(path));
}

static void a_directory_that_is_locked_gets_no_names(void **state)
{
    struct bed *bed = *state;

    open_name(bed, 1, "d/x", &narrow);
    open_name(bed, 1, "y", &narrow);
    assert_int_equal(lock(bed, 1, "d"), -ENOTEMPTY);
    assert_int_equal(unlink_name(bed, "d/x"), 0);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(lock(bed, 1, "d/"), 0);
        assert_int_equal(lock(bed, 2, "d"), -EAGAIN);
        assert_int_equal(open_name(bed, 1, "d/x", &narrow), -EAGAIN);
        assert_int_equal(weir_store_mkdir(bed->store, name("d/x"), fresh(bed)), -EAGAIN);
        assert_int_equal(weir_store_rename(bed->store, name("y"), name("d/x"), false, fresh(bed)),
                         -EAGAIN);
        assert_int_equal(open_name(bed, 2, "d/x", NULL), -ENOENT);
        assert_int_equal(open_name(bed, 2, "d/e/x", &narrow), 0);
        assert_int_equal(unlink_name(bed, "d/e/x"), 0);
        weir_store_unlock(bed->store, 2, name("d")); /* it is not its own */
        assert_int_equal(open_name(bed, 2, "d/x", &narrow), -EAGAIN);
        if (round == 0)
            weir_store_unlock(bed->store, 1, name("d"));
        else
            weir_store_leave(bed->store, 1);
        assert_int_equal(open_name(bed, 2, "d/x", &narrow), 0);
        assert_int_equal(unlink_name(bed, "d/x"), 0);
    }
    assert_int_equal(weir_store_stat_path(bed->store, name("y"), fresh(bed)), 0);
    weir_store_unlock(bed->store, 1, name("none"));
}

/* ---- names against a list of them ---- */

enum { MODEL_NAMES = 24, MODEL_ROUNDS = 60000 };

struct model {
    struct bed *bed;
    char paths[MODEL_NAMES][16];
    uint64_t generations[MODEL_NAMES]; /* 0: there is no such name */
    bool is_directory[MODEL_NAMES];
};

static bool is_in(const struct model *model, unsigned number, const char *directory)
{
    const char *path = model->paths[number];
    size_t length = strlen(directory);

    return model->generations[number] && !strncmp(path, directory, length) && path[length] == '/' &&
           !strchr(path + length + 1, '/');
}

static bool has_names(const struct model *model, unsigned number)
{
    for (unsigned i = 0; i < MODEL_NAMES; i++)
        if (is_in(model, i, model->paths[number]))
            return true;
    return false;
}

static int model_rmdir(struct model *model, unsigned number)
{
    if (!model->generations[number])
        return -ENOENT;
    if (!model->is_directory[number])
        return -ENOTDIR;
    if (has_names(model, number))
        return -ENOTEMPTY;
    model->generations[number] = 0;
    return 0;
}

static int model_rename(struct model *model, unsigned from, unsigned to)
{
    size_t length = strlen(model->paths[from]);

    if (!model->generations[from])
        return -ENOENT;
    if (from == to)
        return 0;
    if (!model->is_directory[from] && model->generations[to] && model->is_directory[to])
        return -EISDIR;
    if (model->is_directory[from]) {
        if (model->generations[to] && !model->is_directory[to])
            return -ENOTDIR;
        if (!strncmp(model->paths[from], model->paths[to], length) &&
            model->paths[to][length] == '/')
            return -EINVAL;
        if (has_names(model, from) || has_names(model, to))
            return -ENOTEMPTY;
    }
    model->generations[to] = model->generations[from];
    model->is_directory[to] = model->is_directory[from];
    model->generations[from] = 0;
    return 0;
}

static void model_check(struct model *model, unsigned number)
{
    struct listing listing = list(model->bed, model->paths[number], 200);
    unsigned count = 0;

    for (unsigned i = 0; i < MODEL_NAMES; i++) {
        char word[20];

        if (!is_in(model, i, model->paths[number]))
            continue;
        count++;
        snprintf(word, sizeof word, "%s ", strrchr(model->paths[i], '/') + 1);
        assert_non_null(strstr(listing.names, word));
    }
    assert_int_equal(listing.items, count);
    assert_int_equal(
        weir_store_stat_path(model->bed->store, name(model->paths[number]), fresh(model->bed)),
        model->generations[number] ? 0 : -ENOENT);
    assert_int_equal(model->bed->answer.generation, model->generations[number]);
    if (model->generations[number])
        assert_int_equal(model->bed->answer.kind == WEIR_OBJECT_DIRECTORY,
                         model->is_directory[number]);
}

static void model_step(struct model *model, unsigned what, unsigned one, unsigned other)
{
    struct bed *bed = model->bed;
    struct weir_path path = name(model->paths[one]);
    bool is_there = model->generations[one], is_directory = model->is_directory[one];

    switch (what) {
    case 0:
        assert_int_equal(open_name(bed, 1, model->paths[one], &narrow),
                         is_there && is_directory ? -EISDIR : 0);
        if (is_there)
            break;
        model->generations[one] = bed->answer.generation;
        model->is_directory[one] = false;
        break;
    case 1:
        assert_int_equal(weir_store_mkdir(bed->store, path, fresh(bed)), is_there ? -EEXIST : 0);
        if (is_there)
            break;
        model->generations[one] = bed->answer.generation;
        model->is_directory[one] = true;
        break;
    case 2:
        assert_int_equal(unlink_name(bed, model->paths[one]), !is_there      ? -ENOENT
                                                              : is_directory ? -EISDIR
                                                                             : 0);
        model->generations[one] *= is_directory;
        break;
    case 3:
        assert_int_equal(weir_store_rmdir(bed->store, path), model_rmdir(model, one));
        break;
    default:
        assert_int_equal(
            weir_store_rename(bed->store, path, name(model->paths[other]), true, fresh(bed)),
            model_rename(model, one, other));
    }
}

static void names_are_what_a_list_of_them_would_have(void **state)
{
    struct model model = {.bed = *state};
    unsigned random = 1;

    for (unsigned i = 0; i < MODEL_NAMES; i++)
        snprintf(model.paths[i], sizeof model.paths[i],
                 i < 4    ? "/%u"
                 : i < 12 ? "/%u/%u"
                          : "/%u/%u/%u",
                 i % 4, i / 4 % 2, i / 4 % 3);
    for (unsigned round = 0; round < MODEL_ROUNDS; round++) {
        unsigned drawn = (random = random * 1103515245 + 12345) >> 8;

        model_step(&model, drawn / 4096 % 6, drawn % MODEL_NAMES, drawn / 64 % MODEL_NAMES);
        model_check(&model, drawn / 512 % MODEL_NAMES);
    }
}

/* ---- chunks ---- */

static void chunks_are_handed_out_once_and_side_by_side(void **state)
{
    struct bed *bed = *state;
    struct weir_answer a = {.object = 1, .generation = 1}, b = {.object = 2, .generation = 1};
    bool is_taken[CHUNKS] = {0};
    uint32_t numbers[64];

    assert_int_equal(map(bed, 1, &a, 0, 20, true, numbers), 0);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(numbers[i], numbers[0] + i);
        is_taken[numbers[i]] = true;
    }
    assert_int_equal(map(bed, 1, &b, 1000, 50, true, numbers), 0);
    for (unsigned i = 0; i < 50; i++) {
        assert_true(numbers[i] < CHUNKS);
        assert_false(is_taken[numbers[i]]);
        is_taken[numbers[i]] = true;
    }
    assert_int_equal(map(bed, 2, &a, 19, 2, false, numbers), 0);
    assert_true(is_taken[numbers[0]]);
    assert_int_equal(numbers[1], NONE);
    assert_int_equal(map(bed, 2, &b, 0, 1, false, numbers), 0);
    assert_int_equal(numbers[0], NONE);
}

static void a_full_slab_says_so_and_loses_nothing(void **state)
{
    struct bed *bed = *state;
    struct weir_answer a = {.object = 1, .generation = 1}, b = {.object = 2, .generation = 1};
    uint32_t numbers[64];

    assert_int_equal(map(bed, 1, &a, 0, 60, true, numbers), 0);
    assert_int_equal(map(bed, 1, &b, 0, 11, true, numbers), -ENOSPC);
    assert_int_equal(used(bed), 60);
    assert_int_equal(map(bed, 1, &b, 0, 10, true, numbers), 0);
    assert_int_equal(used(bed), CHUNKS);
    assert_int_equal(map(bed, 1, &b, 5, 6, true, numbers), -ENOSPC);
    assert_int_equal(map(bed, 1, &b, 4, 6, true, numbers), 0); /* all there already */
    assert_int_equal(weir_store_drop(bed->store, 1, 1, 1), 0);
    assert_int_equal(used(bed), 10);
    assert_int_equal(map(bed, 1, &b, 10, 60, true, numbers), 0);
    assert_int_equal(weir_store_drop(bed->store, 1, 2, 1), 0);
    assert_int_equal(used(bed), 0);
    assert_true(weir_store_is_empty(bed->store));
}

static void chunks_are_zero_when_they_are_used_again(void **state)
{
    struct bed *bed = *state;
    uint32_t numbers[64];

    for (uint64_t round = 1; round < 4; round++) {
        struct weir_answer object = {.object = round, .generation = 1};

        for (unsigned first = 0; first < CHUNKS; first += 35) {
            assert_int_equal(map(bed, 1, &object, first, 35, true, numbers), 0);
            for (unsigned i = 0; i < 35; i++) {
                unsigned char *chunk = bed->memory + numbers[i] * WEIR_CHUNK_BYTES;

                assert_int_equal(chunk[0] | chunk[4711] | chunk[WEIR_CHUNK_BYTES - 1], 0);
                memset(chunk, 0xee, WEIR_CHUNK_BYTES);
            }
        }
        weir_store_drop(bed->store, 1, round, 1);
        for (unsigned i = 0; i < 10 * round; i++)
            assert_true(weir_store_tidy(bed->store));
    }
    while (weir_store_tidy(bed->store))
        continue;
    for (uint64_t i = 0; i < CHUNKS * WEIR_CHUNK_BYTES; i += 997)
        assert_int_equal(bed->memory[i], 0);
}

static void chunks_that_others_write_to_are_not_reused(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object = {.object = 1, .generation = 1};
    uint32_t numbers[4];

    map(bed, 1, &object, 0, 4, true, numbers);
    map(bed, 2, &object, 0, 4, false, numbers);
    map(bed, 3, &object, 0, 4, false, numbers);
    assert_int_equal(weir_store_drop(bed->store, 1, 1, 1), 0);
    assert_int_equal(used(bed), 4);
    assert_int_equal(map(bed, 4, &object, 0, 1, true, numbers), -ESTALE);
    weir_store_release(bed->store, 2, 1, 1);
    assert_int_equal(used(bed), 4);
    weir_store_leave(bed->store, 3);
    assert_int_equal(used(bed), 0);
    assert_int_equal(map(bed, 4, &object, 0, 1, false, numbers), -ESTALE);
}

/* Of two homes, whose generations may be the same. */
static void what_was_dropped_is_never_made_again_however_much_was_dropped_since(void **state)
{
    struct bed *bed = *state;
    uint32_t numbers[1];

    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(weir_store_drop(bed->store, 1, UINT64_C(3) << 48 | i, 500000 + i), 0);
    for (uint64_t i = 0; i <= 20001; i++) {
        struct weir_answer object = {.object = UINT64_C(3) << 48 | i, .generation = 500000 + i};
        bool is_gone = i >= 1 && i <= 20000;

        assert_int_equal(map(bed, 4, &object, 0, 1, is_gone, numbers), is_gone ? -ESTALE : 0);
        object.object = UINT64_C(4) << 48 | i;
        assert_int_equal(map(bed, 4, &object, 0, 1, false, numbers), 0);
    }
    assert_int_equal(used(bed), 0);
}

static void a_transfer_of_the_server_keeps_its_chunks(void **state)
{
    struct bed *bed = *state;
    struct weir_shard *shard;

    assert_int_equal(weir_store_pin(bed->store, 1, 1, 5, WEIR_CHUNK_BYTES, true, &shard), 0);
    assert_int_equal(used(bed), 2);
    weir_store_drop(bed->store, 1, 1, 1);
    assert_int_equal(used(bed), 2);
    weir_store_unpin(bed->store, shard);
    assert_int_equal(used(bed), 0);
    assert_int_equal(weir_store_pin(bed->store, 1, 1, 0, 1, false, &shard), -ESTALE);
    assert_int_equal(weir_store_pin(bed->store, 2, 1, 0, 1, false, &shard), 0);
    assert_null(shard);
    assert_int_equal(weir_store_pin(bed->store, 2, 1, UINT64_C(1) << 50, 1, true, &shard), -EFBIG);
}

static void a_stale_generation_is_called_stale(void **state)
{
    struct bed *bed = *state;
    struct weir_answer object = {.object = 1, .generation = 6};
    struct weir_shard *shard;
    uint32_t numbers[1];

    map(bed, 1, &object, 0, 1, true, numbers);
    object.generation = 5;
    assert_int_equal(map(bed, 1, &object, 0, 1, true, numbers), -ESTALE);
    assert_int_equal(weir_store_drop(bed->store, 1, 1, 5), -ESTALE);
    assert_int_equal(weir_store_pin(bed->store, 1, 5, 0, 1, true, &shard), -ESTALE);
    assert_int_equal(used(bed), 1);
}

static void a_server_that_was_started_anew_gets_its_numbers_back(void **state)
{
    struct bed *bed = *state;
    struct weir_answer old = {.object = 1, .generation = 6}, anew = {.object = 1, .generation = 7};
    struct weir_shard *shard;
    uint32_t numbers[2];

    /* Its home went, and did not come back to drop it; a client holds it yet. */
    assert_int_equal(map(bed, 1, &old, 0, 2, true, numbers), 0);
    assert_int_equal(map(bed, 2, &anew, 0, 1, false, numbers), 0);
    assert_int_equal(numbers[0], NONE);
    assert_int_equal(used(bed), 2);
    assert_int_equal(map(bed, 2, &anew, 0, 1, true, numbers), 0);
    assert_int_equal(used(bed), 3);
    assert_int_equal(map(bed, 1, &old, 0, 1, true, numbers), -ESTALE);
    weir_store_release(bed->store, 1, old.object, old.generation);
    assert_int_equal(used(bed), 1);
    anew.generation = 8;
    assert_int_equal(weir_store_pin(bed->store, 1, 8, 0, 1, true, &shard), 0);
    weir_store_unpin(bed->store, shard);
    weir_store_leave(bed->store, 2);
    assert_int_equal(used(bed), 1);
    assert_int_equal(weir_store_drop(bed->store, 2, 1, 9), 0);
    assert_int_equal(used(bed), 0);
    assert_true(weir_store_is_empty(bed->store));
}

static void pieces_end_where_memory_goes_on_elsewhere(void **state)
{
    struct bed *bed = *state;
    struct weir_answer a = {.object = 1, .generation = 1}, b = {.object = 2, .generation = 1};
    struct weir_shard *shard;
    uint32_t numbers[2], other[1];
    uint64_t place;

    map(bed, 1, &a, 0, 2, true, numbers);
    map(bed, 1, &b, 0, 1, true, other);
    map(bed, 1, &a, 2, 1, true, other); /* its neighbour is taken */
    weir_store_pin(bed->store, 1, 1, 0, 0, false, &shard);
    assert_int_equal(weir_shard_piece(shard, 5, 3 * WEIR_CHUNK_BYTES, &place),
                     2 * WEIR_CHUNK_BYTES - 5);
    assert_int_equal(place, numbers[0] * WEIR_CHUNK_BYTES + 5);
    assert_int_equal(weir_shard_piece(shard, 5, 10, &place), 10);
    assert_int_equal(weir_shard_piece(shard, 2 * WEIR_CHUNK_BYTES, 10, &place), 10);
    assert_int_equal(place, other[0] * WEIR_CHUNK_BYTES);
    assert_int_equal(weir_shard_piece(shard, 3 * WEIR_CHUNK_BYTES + 1, UINT64_C(1) << 40, &place),
                     WEIR_CHUNK_BYTES - 1);
    assert_true(place == WEIR_NO_CHUNK);
    /* A hole as long as 512 chunks is stepped over at once. */
    assert_int_equal(weir_shard_piece(shard, 513 * WEIR_CHUNK_BYTES, UINT64_C(1) << 40, &place),
                     511 * WEIR_CHUNK_BYTES);
    assert_true(place == WEIR_NO_CHUNK);
    weir_store_unpin(bed->store, shard);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_leads_to_one_object_until_it_gets_another),
        TEST(names_of_any_bytes_are_told_apart),
        TEST(sizes_grow_and_never_shrink),
        TEST(an_object_that_is_open_outlives_its_name),
        TEST(a_client_that_leaves_closes_what_it_had_open),
        TEST(the_one_who_ends_a_striped_object_drops_its_shards),
        TEST(many_orphans_come_in_portions),
        TEST(only_the_one_who_is_to_drop_an_object_can_end_it),
        TEST(renaming_keeps_the_object_and_ends_the_one_in_its_place),
        TEST(objects_of_one_directory_begin_at_all_servers),
        TEST(openers_are_counted_as_a_model_counts_them),
        TEST(directories_are_no_files_and_files_no_directories),
        TEST(a_list_has_what_is_directly_below),
        TEST(a_long_list_comes_in_pages_that_miss_nothing),
        TEST(a_list_takes_one_page_beside_large_directories),
        TEST(a_directory_that_is_locked_gets_no_names),
        TEST(names_are_what_a_list_of_them_would_have),
        TEST(chunks_are_handed_out_once_and_side_by_side),
        TEST(a_full_slab_says_so_and_loses_nothing),
        TEST(chunks_are_zero_when_they_are_used_again),
        TEST(chunks_that_others_write_to_are_not_reused),
        TEST(what_was_dropped_is_never_made_again_however_much_was_dropped_since),
        TEST(a_transfer_of_the_server_keeps_its_chunks),
        TEST(a_stale_generation_is_called_stale),
        TEST(a_server_that_was_started_anew_gets_its_numbers_back),
        TEST(pieces_end_where_memory_goes_on_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
