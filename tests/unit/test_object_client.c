/* SPDX-License-Identifier: Apache-2.0 */
/* Clients and servers of objects together in one process: what is written is read, wherever it
 * lies, and a server that is gone takes only its own along. */
#include "network/fabric/provider.h"
#include "network/objects/client_parts.h"
#include "weir/base/random.h"
#include "weir/objects/server.h"
#include "weir/objects/stripe.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { SERVERS_MAX = 4, DEPTH = 24 };

static const unsigned char secret[WEIR_SECRET_BYTES] = "nobody knows but we";

/* How long the storage behind a server takes to sync. */
static atomic_uint sync_ms;

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

int __wrap_fdatasync(int fd)
{
    const unsigned ms = sync_ms;

    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    return __real_fdatasync(fd);
}

/* How the servers and the client of a test are. */
struct setting {
    const char *provider;
    enum weir_object_mode mode;
    unsigned servers;
    unsigned stripe_count;
    uint64_t unit_bytes;
    unsigned depth;     /* work requests of a link; 0: as usual */
    unsigned transfers; /* of the client in flight; 0: DEPTH */
    unsigned first_server;
    unsigned credits;
    enum weir_object_flush flush;
    uint64_t capacity_bytes; /* 0: 48 MiB */
    const char *backing;
    uint64_t timeout_ns;
    bool is_strict;
    bool leaves_trial;
    unsigned clients;      /* that the job has, as clients say */
    unsigned client_limit; /* of servers */
};

static const struct setting on_three = {.provider = "tcp", .servers = 3, .unit_bytes = 65536};
static const struct setting on_two = {.provider = "tcp", .servers = 2, .unit_bytes = 65536};

struct bed {
    const struct setting *setting;
    struct weir_object_server *servers[SERVERS_MAX];
    char addresses[SERVERS_MAX][WEIR_ADDRESS_BYTES];
    struct weir_object_client *client;
};

static struct weir_fabric_params network_of(const struct setting *setting)
{
    return (struct weir_fabric_params){
        .provider = setting->provider,
        .gid_index = -1,
        .depth = setting->depth,
        .message_credits = setting->credits,
        .timeout_ns = setting->timeout_ns ? setting->timeout_ns : UINT64_C(10000000000),
        .secret = secret,
    };
}

static void open_server(struct bed *bed, unsigned number)
{
    const struct setting *setting = bed->setting;
    const struct weir_object_server_params params = {
        .fabric = network_of(setting),
        .listen = "127.0.0.1",
        .capacity_bytes = setting->capacity_bytes ? setting->capacity_bytes : UINT64_C(48) << 20,
        .backing_path = setting->backing,
        .client_limit = setting->client_limit,
    };
    struct weir_error error = {0};

    if (weir_object_server_open(&params, &bed->servers[number], &error) < 0)
        fail_msg("%s", error.text);
    snprintf(bed->addresses[number], sizeof bed->addresses[number], "%s",
             weir_object_server_address(bed->servers[number]));
}

static struct weir_object_client *open_client(struct bed *bed)
{
    const struct setting *setting = bed->setting;
    const char *addresses[SERVERS_MAX];
    struct weir_object_client_params params = {
        .fabric = network_of(setting),
        .addresses = addresses,
        .server_count = setting->servers,
        .depth = setting->transfers > 0 ? setting->transfers : DEPTH,
        .first_server = setting->first_server,
        .client_count = setting->clients,
        .leaves_trial = setting->leaves_trial,
        .stripe_unit_bytes = setting->unit_bytes,
        .stripe_count = setting->stripe_count,
        .mode = setting->mode,
        .flush = setting->flush,
        .tells_size_at_once = setting->is_strict,
    };
    struct weir_object_client *client;
    struct weir_error error = {0};

    for (unsigned i = 0; i < setting->servers; i++)
        addresses[i] = bed->addresses[i];
    if (weir_object_client_open(&params, &client, &error) < 0)
        fail_msg("%s", error.text);
    return client;
}

static void open_bed(struct bed *bed, const struct setting *setting)
{
    memset(bed, 0, sizeof *bed);
    sync_ms = 0;
    bed->setting = setting;
    for (unsigned i = 0; i < setting->servers; i++)
        open_server(bed, i);
    bed->client = open_client(bed);
}

static void close_bed(struct bed *bed)
{
    weir_object_client_close(bed->client);
    for (unsigned i = 0; i < bed->setting->servers; i++)
        weir_object_server_close(bed->servers[i]);
}

static struct weir_object *open_object(struct weir_object_client *client, const char *path,
                                       uint64_t expected_bytes)
{
    struct weir_object *object = NULL;

    assert_int_equal(
        weir_object_open(client,
                         &(struct weir_object_params){.path = path,
                                                      .can_write = true,
                                                      .can_read = true,
                                                      .must_create = true,
                                                      .expected_bytes = expected_bytes},
                         &object),
        0);
    return object;
}

/* There is one of this name then, and it is open nowhere. */
static void make_object(struct weir_object_client *client, const char *path)
{
    assert_int_equal(weir_object_close(client, open_object(client, path, 0)), 0);
}

static int64_t move(struct weir_object_client *client, struct weir_object *object,
                    enum weir_object_verb verb, void *data, uint64_t offset, uint64_t bytes)
{
    struct weir_object_io io = {
        .object = object, .verb = verb, .data = data, .offset = offset, .bytes = bytes};
    struct weir_object_io *list = &io;
    int rc = weir_object_submit(client, &list, 1);

    assert_int_equal(rc, 1);
    do
        rc = weir_object_reap(client, &list, 1, 1, UINT64_MAX);
    while (rc == 0);
    assert_int_equal(rc, 1);
    assert_ptr_equal(list, &io);
    return io.result;
}

static void fill(unsigned char *data, uint64_t bytes, uint64_t seed)
{
    for (uint64_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(weir_random_at(seed, i / 8) >> i % 8 * 8);
}

/* ---- against a plain array ---- */

enum { MODEL_BYTES = 9 << 20, PART_MAX = 300000, STEPS = 2500 };

struct model {
    struct bed bed;
    struct weir_object *object;
    unsigned char *bytes; /* what should be there */
    uint64_t size;
    unsigned char *data; /* of the slots */
    struct weir_object_io ios[DEPTH];
    bool is_busy[DEPTH];
    uint64_t seed;
    uint64_t drawn;
};

static uint64_t draw(struct model *model, uint64_t below)
{
    return weir_random_below(weir_random_at(model->seed, model->drawn++), below);
}

/* Nothing in flight may touch what a write is about. */
static bool is_free(const struct model *model, uint64_t offset, uint64_t bytes)
{
    for (unsigned i = 0; i < DEPTH; i++)
        if (model->is_busy[i] && model->ios[i].offset < offset + bytes &&
            offset < model->ios[i].offset + model->ios[i].bytes)
            return false;
    return true;
}

static void settle(struct model *model, struct weir_object_io *io)
{
    uint64_t there = model->size > io->offset ? model->size - io->offset : 0;

    model->is_busy[io->slot] = false;
    if (io->verb == WEIR_OBJECT_WRITE) {
        assert_int_equal(io->result, io->bytes);
        memset(io->data, 0xee, io->bytes);
        return;
    }
    assert_int_equal(io->result, io->bytes < there ? io->bytes : there);
    if (memcmp(io->data, model->bytes + io->offset, (size_t)io->result) != 0)
        fail_msg("%llu bytes at %llu are not what was written", (unsigned long long)io->bytes,
                 (unsigned long long)io->offset);
}

static void reap_some(struct model *model, unsigned min)
{
    struct weir_object_io *done[DEPTH];
    int count = weir_object_reap(model->bed.client, done, min, DEPTH, UINT64_MAX);

    assert_in_range(count, min, DEPTH);
    for (int i = 0; i < count; i++)
        settle(model, done[i]);
}

static unsigned count_busy(const struct model *model)
{
    unsigned count = 0;

    for (unsigned i = 0; i < DEPTH; i++)
        count += model->is_busy[i];
    return count;
}

static void send_one(struct model *model, unsigned slot)
{
    struct weir_object_io *io = &model->ios[slot];
    bool is_write = draw(model, 2) == 0;
    uint64_t bytes = 1 + draw(model, draw(model, 4) == 0 ? PART_MAX : 5000);
    uint64_t offset = draw(model, MODEL_BYTES - bytes);

    while (!is_free(model, offset, bytes))
        reap_some(model, 1);
    /* The end moves while a write that moves it is in flight: nobody looks there then. */
    if (offset + bytes > model->size)
        while (count_busy(model) > 0)
            reap_some(model, 1);
    *io = (struct weir_object_io){.object = model->object,
                                  .verb = is_write ? WEIR_OBJECT_WRITE : WEIR_OBJECT_READ,
                                  .data = model->data + (size_t)slot * PART_MAX,
                                  .offset = offset,
                                  .bytes = bytes,
                                  .slot = slot};
    if (is_write) {
        fill(io->data, bytes, model->drawn);
        memcpy(model->bytes + offset, io->data, bytes);
    }
    assert_int_equal(weir_object_submit(model->bed.client, (struct weir_object_io *[]){io}, 1), 1);
    model->is_busy[slot] = true;
    if (is_write && offset + bytes > model->size) {
        model->size = offset + bytes;
        reap_some(model, 1);
    }
}

static void run_model(const struct setting *setting, bool is_lent)
{
    struct model *model = calloc(1, sizeof *model);
    struct weir_error error = {0};

    assert_non_null(model);
    open_bed(&model->bed, setting);
    model->seed = setting->unit_bytes * 64 + setting->mode;
    model->bytes = calloc(1, MODEL_BYTES);
    model->data = malloc((size_t)DEPTH * PART_MAX);
    assert_true(model->bytes && model->data);
    /* Half of the slots lie outside, and one across the end. */
    if (is_lent && weir_object_lend(model->bed.client, model->data,
                                    (size_t)DEPTH / 2 * PART_MAX + 1000, &error) < 0)
        fail_msg("%s", error.text);
    model->object = open_object(model->bed.client, "model", 0);
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned slot = i % DEPTH;

        while (model->is_busy[slot])
            reap_some(model, 1);
        send_one(model, slot);
    }
    while (count_busy(model) > 0)
        reap_some(model, 1);
    assert_int_equal(weir_object_sync(model->bed.client, model->object), 0);
    assert_int_equal(weir_object_size(model->bed.client, model->object), model->size);
    assert_int_equal(weir_object_close(model->bed.client, model->object), 0);
    close_bed(&model->bed);
    free(model->bytes);
    free(model->data);
    free(model);
}

static const char *const providers[] = {"tcp", "shm"};

static void what_is_read_is_what_an_array_would_hold(void **state)
{
    static const struct setting settings[] = {
        {.servers = 3, .unit_bytes = 70001},
        {.servers = 3, .unit_bytes = 1000, .depth = 8},
        {.servers = 3, .unit_bytes = 1 << 20, .stripe_count = 2},
        {.servers = 1, .unit_bytes = 4096},
        {.servers = 3, .unit_bytes = 70001, .mode = WEIR_OBJECT_PULL, .credits = 4},
        {.servers = 2, .unit_bytes = 9999, .mode = WEIR_OBJECT_SEND, .credits = 3},
        {.servers = 2, .unit_bytes = 4096, .mode = WEIR_OBJECT_ONE_SIDED, .is_strict = true},
    };

    for (size_t i = 0; i < 2 * (sizeof settings / sizeof *settings); i++) {
        struct setting setting = settings[i / 2];

        setting.provider = providers[i % 2];
        run_model(&setting, i % 4 < 2);
    }
}

/* ---- names ---- */

static bool count_names(void *context, const char *name, const struct weir_object_facts *facts)
{
    unsigned *count = context;

    assert_non_null(strchr("abcdef", name[0]));
    *count += 1;
    return true;
}

static void names_live_on_all_servers(void **state)
{
    struct weir_object_facts facts;
    unsigned count = 0;
    struct bed bed;
    char path[64];

    open_bed(&bed, &on_three);
    assert_int_equal(weir_object_mkdir(bed.client, "d"), 0);
    assert_int_equal(weir_object_mkdir(bed.client, "d"), -EEXIST);
    assert_int_equal(weir_object_stat(bed.client, "d", &facts), 0);
    assert_int_equal(facts.kind, WEIR_OBJECT_DIRECTORY);
    for (unsigned i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "d/%c", (int)('a' + i));
        assert_int_equal(weir_object_stat(bed.client, path, &facts), -ENOENT);
        make_object(bed.client, path);
        assert_int_equal(weir_object_stat(bed.client, path, &facts), 0);
        assert_int_equal(facts.kind, WEIR_OBJECT_DATA);
        assert_int_equal(facts.stripe_count, 3);
        assert_int_equal(facts.unit_bytes, 65536);
    }
    assert_int_equal(weir_object_list(bed.client, "d", count_names, &count), 0);
    assert_int_equal(count, 6);
    assert_int_equal(weir_object_rmdir(bed.client, "d"), -ENOTEMPTY);
    for (unsigned i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "d/%c", (int)('a' + i));
        assert_int_equal(weir_object_unlink(bed.client, path), 0);
        assert_int_equal(weir_object_unlink(bed.client, path), -ENOENT);
    }
    assert_int_equal(weir_object_rmdir(bed.client, "d"), 0);
    assert_int_equal(weir_object_rmdir(bed.client, "d"), -ENOENT);
    assert_int_equal(weir_object_mkdir(bed.client, ""), -ENOENT);
    close_bed(&bed);
}

/* Over names of one server and of two, and over one that is there already. */
static void a_renamed_object_keeps_its_data(void **state)
{
    struct weir_object_facts facts;
    unsigned char data[100];
    unsigned char back[100];
    char paths[2][64];
    struct bed bed;

    open_bed(&bed, &on_three);
    fill(data, sizeof data, 7);
    for (unsigned i = 0; i < 12; i++) {
        struct weir_object *object;

        snprintf(paths[0], sizeof paths[0], "from%u", i);
        snprintf(paths[1], sizeof paths[1], "to%u", i);
        object = open_object(bed.client, paths[0], 0);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, data, 0, sizeof data), 100);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        if (i % 2 == 0)
            make_object(bed.client, paths[1]);
        assert_int_equal(weir_object_rename(bed.client, paths[0], paths[1]), 0);
        assert_int_equal(weir_object_stat(bed.client, paths[0], &facts), -ENOENT);
        assert_int_equal(weir_object_stat(bed.client, paths[1], &facts), 0);
        assert_int_equal(facts.bytes, sizeof data);
        object = open_object(bed.client, paths[1], 0);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_READ, back, 0, sizeof back), 100);
        assert_memory_equal(data, back, sizeof data);
        assert_int_equal(weir_object_close(bed.client, object), 0);
    }
    close_bed(&bed);
}

/* The server, of three, of the names in a directory. */
static uint32_t home_of(const char *directory)
{
    return weir_path_server((struct weir_path){directory, strlen(directory)}, 3);
}

static void an_object_goes_to_any_directory_of_its_server(void **state)
{
    unsigned gone[2] = {0};
    struct bed bed;

    open_bed(&bed, &on_three);
    for (unsigned i = 0; i < 12; i++) {
        struct weir_object_facts was, is;
        char from[16], to[16], directory[16];
        struct weir_text text = {0};
        bool is_near;

        snprintf(directory, sizeof directory, "d%u", i);
        snprintf(from, sizeof from, "%s/a", directory);
        is_near = home_of(directory) == home_of("to/below");
        snprintf(to, sizeof to, "to/below/%u", i);
        make_object(bed.client, from);
        assert_int_equal(weir_object_stat(bed.client, from, &was), 0);
        assert_int_equal(weir_object_rename(bed.client, from, to), is_near ? 0 : -EXDEV);
        assert_int_equal(weir_object_stat(bed.client, from, &is), is_near ? -ENOENT : 0);
        assert_int_equal(weir_object_stat(bed.client, to, &is), is_near ? 0 : -ENOENT);
        if (is_near) {
            assert_int_equal(is.generation, was.generation);
        } else {
            weir_object_client_explain(bed.client, &text);
            assert_non_null(strstr(weir_text_string(&text), " has the name"));
            weir_text_close(&text);
        }
        gone[is_near]++;
    }
    assert_true(gone[0] > 0 && gone[1] > 0);
    close_bed(&bed);
}

/* The directory's own name is one server's, and those in it another one's. */
static void a_directory_takes_no_names_while_it_is_removed(void **state)
{
    static const struct setting setting = {
        .provider = "tcp", .servers = 3, .unit_bytes = 65536, .timeout_ns = 700000000};
    struct weir_object_client *other;
    struct weir_object_facts facts;
    struct weir_object *object;
    char directory[16] = "", name[20];
    struct bed bed;

    open_bed(&bed, &setting);
    other = open_client(&bed);
    for (unsigned i = 0; !*directory || home_of(directory) == home_of(""); i++)
        snprintf(directory, sizeof directory, "d%u", i);
    snprintf(name, sizeof name, "%s/x", directory);
    for (unsigned round = 0; round < 2; round++) {
        const struct parts parts = {.path = {directory, strlen(directory)}};
        struct weir_object_params params = {.path = name, .can_write = true, .must_create = true};

        assert_int_equal(weir_object_mkdir(bed.client, directory), 0);
        assert_int_equal(
            weir_client_reach_and_call(bed.client, &bed.client->servers[home_of(directory)],
                                       &(struct weir_request){.verb = WEIR_VERB_LOCK}, &parts),
            0);
        assert_int_equal(weir_object_open(other, &params, &object), -EBUSY);
        assert_int_equal(weir_object_mkdir(other, name), -EBUSY);
        assert_int_equal(weir_object_rmdir(other, directory), -EBUSY);
        assert_int_equal(weir_object_stat(other, directory, &facts), 0);
        if (round == 0) {
            assert_int_equal(weir_client_reach_and_call(
                                 bed.client, &bed.client->servers[home_of(directory)],
                                 &(struct weir_request){.verb = WEIR_VERB_UNLOCK}, &parts),
                             0);
        } else {
            weir_object_client_close(bed.client);
            bed.client = open_client(&bed);
        }
        assert_int_equal(weir_object_open(other, &params, &object), 0);
        assert_int_equal(weir_object_close(other, object), 0);
        assert_int_equal(weir_object_rmdir(other, directory), -ENOTEMPTY);
        assert_int_equal(weir_object_unlink(other, name), 0);
        assert_int_equal(weir_object_rmdir(other, directory), 0);
        /* Nor does it stay locked. */
        assert_int_equal(weir_object_mkdir(other, name), 0);
        assert_int_equal(weir_object_rmdir(other, name), 0);
    }
    weir_object_client_close(other);
    close_bed(&bed);
}

/* Wherever the names below it and its new name belong to. */
static void a_directory_is_renamed_while_it_is_empty(void **state)
{
    struct weir_object_facts facts;
    char below[80], next[64];
    struct bed bed;

    open_bed(&bed, &on_three);
    assert_int_equal(weir_object_mkdir(bed.client, "d"), 0);
    for (unsigned i = 0; i < 12; i++) {
        snprintf(below, sizeof below, "d/%u", i);
        snprintf(next, sizeof next, "e%u", i);
        make_object(bed.client, below);
        assert_int_equal(weir_object_rename(bed.client, "d", next), -ENOTEMPTY);
        assert_int_equal(weir_object_stat(bed.client, next, &facts), -ENOENT);
        assert_int_equal(weir_object_unlink(bed.client, below), 0);
        assert_int_equal(weir_object_rename(bed.client, "d", next), 0);
        assert_int_equal(weir_object_stat(bed.client, "d", &facts), -ENOENT);
        assert_int_equal(weir_object_stat(bed.client, next, &facts), 0);
        assert_int_equal(facts.kind, WEIR_OBJECT_DIRECTORY);
        assert_int_equal(weir_object_rename(bed.client, next, "d"), 0);
        /* Nor does it take the place of one that is not. */
        assert_int_equal(weir_object_mkdir(bed.client, next), 0);
        snprintf(below, sizeof below, "%s/x", next);
        make_object(bed.client, below);
        assert_int_equal(weir_object_rename(bed.client, "d", next), -ENOTEMPTY);
        assert_int_equal(weir_object_unlink(bed.client, below), 0);
        assert_int_equal(weir_object_rmdir(bed.client, next), 0);
        /* Nor goes it below itself. */
        snprintf(below, sizeof below, "d/%u/y", i);
        snprintf(next, sizeof next, "d/%u", i);
        assert_int_equal(weir_object_rename(bed.client, "d", below),
                         home_of(next) == home_of("") ? -EINVAL : -EXDEV);
    }
    assert_int_equal(weir_object_rename(bed.client, "d", "d"), 0);
    assert_int_equal(weir_object_rename(bed.client, "none", "d"), -ENOENT);
    close_bed(&bed);
}

static void long_names_are_taken_up_to_their_limit(void **state)
{
    char names[2][WEIR_OBJECT_PATH_BYTES + 1];
    struct weir_object_facts facts;
    struct bed bed;

    open_bed(&bed, &on_three);
    memset(names, 'n', sizeof names);
    memset(names[1], 'm', sizeof names[1]);
    names[0][WEIR_OBJECT_PATH_BYTES] = '\0';
    assert_int_equal(weir_object_stat(bed.client, names[0], &facts), -ENAMETOOLONG);
    for (size_t length = WEIR_OBJECT_PATH_BYTES - 1; length > WEIR_OBJECT_PATH_BYTES - 8;
         length--) {
        names[0][length] = '\0';
        names[1][length] = '\0';
        make_object(bed.client, names[0]);
        assert_int_equal(weir_object_rename(bed.client, names[0], names[1]), 0);
        assert_int_equal(weir_object_stat(bed.client, names[0], &facts), -ENOENT);
        assert_int_equal(weir_object_unlink(bed.client, names[1]), 0);
    }
    close_bed(&bed);
}

/* ---- data ---- */

static void what_nobody_wrote_reads_as_zeros(void **state)
{
    enum { BYTES = 3 << 20 };
    static const unsigned char zeros[BYTES];
    unsigned char *data = malloc(BYTES);
    struct weir_object *object;
    struct bed bed;

    assert_non_null(data);
    open_bed(&bed, &on_two);
    object = open_object(bed.client, "hole", 0);
    assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, (void *)"end", 16 << 20, 3), 3);
    memset(data, 1, BYTES);
    assert_int_equal(move(bed.client, object, WEIR_OBJECT_READ, data, 4 << 20, BYTES), BYTES);
    assert_memory_equal(data, zeros, BYTES);
    memset(data, 1, BYTES);
    assert_int_equal(move(bed.client, object, WEIR_OBJECT_READ, data, (16 << 20) - 10, 100), 13);
    assert_memory_equal(data, zeros, 10);
    assert_memory_equal(data + 10, "end", 3);
    assert_int_equal(weir_object_close(bed.client, object), 0);
    close_bed(&bed);
    free(data);
}

/* To the last chunk, and others have what is given back. */
static void a_full_server_is_a_result(void **state)
{
    enum { CHUNKS = 6 };
    struct setting setting = {.provider = "tcp",
                              .servers = 1,
                              .unit_bytes = 1 << 20,
                              .capacity_bytes = CHUNKS * WEIR_CHUNK_BYTES};

    for (unsigned mode = 0; mode < 6; mode++) {
        uint64_t expected = mode % 2 ? CHUNKS * WEIR_CHUNK_BYTES + 1 : 0;
        unsigned char byte = 1;
        struct weir_object *object;
        struct weir_text text = {0};
        struct bed bed;

        setting.mode = (enum weir_object_mode)(mode / 2);
        open_bed(&bed, &setting);
        for (unsigned round = 0; round < 2; round++) {
            object = open_object(bed.client, "large", expected);
            for (unsigned i = 0; i < CHUNKS; i++)
                assert_int_equal(
                    move(bed.client, object, WEIR_OBJECT_WRITE, &byte, i * WEIR_CHUNK_BYTES, 1), 1);
            assert_int_equal(
                move(bed.client, object, WEIR_OBJECT_WRITE, &byte, CHUNKS * WEIR_CHUNK_BYTES, 1),
                -ENOSPC);
            assert_int_equal(
                move(bed.client, object, WEIR_OBJECT_WRITE, &byte, 3 * WEIR_CHUNK_BYTES, 1), 1);
            assert_int_equal(weir_object_close(bed.client, object), 0);
            assert_int_equal(weir_object_unlink(bed.client, "large"), 0);
        }
        weir_object_client_explain(bed.client, &text);
        assert_non_null(strstr(weir_text_string(&text), "server 0 at 127.0.0.1:"));
        assert_non_null(strstr(weir_text_string(&text), "no memory left"));
        weir_text_close(&text);
        close_bed(&bed);
    }
}

/* Bytes and objects of all servers. */
static uint64_t used(struct bed *bed)
{
    struct weir_object_server_facts facts;
    uint64_t sum = 0;

    for (unsigned i = 0; i < bed->setting->servers; i++) {
        weir_object_server_facts(bed->servers[i], &facts);
        sum += facts.used_bytes + facts.object_count;
    }
    return sum;
}

static void what_is_removed_lives_until_it_is_closed(void **state)
{
    struct weir_object *object;
    struct weir_object *other;
    unsigned char data[200000];
    unsigned char back[200000];
    struct bed bed;

    open_bed(&bed, &on_two);
    fill(data, sizeof data, 1);
    object = open_object(bed.client, "gone", 0);
    other = open_object(bed.client, "gone", 0);
    assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, data, 0, sizeof data),
                     sizeof data);
    assert_int_equal(weir_object_unlink(bed.client, "gone"), 0);
    assert_int_equal(weir_object_close(bed.client, object), 0);
    assert_int_equal(move(bed.client, other, WEIR_OBJECT_READ, back, 0, sizeof back), sizeof back);
    assert_memory_equal(data, back, sizeof data);
    assert_true(used(&bed) > 0);
    assert_int_equal(weir_object_close(bed.client, other), 0);
    /* Servers tell their facts after they have answered. */
    for (unsigned i = 0; i < 1000 && used(&bed) > 0; i++)
        usleep(1000);
    assert_int_equal(used(&bed), 0);
    close_bed(&bed);
}

/* It was the last one to have the object open, and could not drop what servers have of it. */
static void what_a_client_leaves_behind_the_next_one_drops(void **state)
{
    unsigned char data[200000] = {1};
    struct weir_object_client *other;
    struct weir_object *object;
    struct bed bed;

    open_bed(&bed, &on_two);
    other = open_client(&bed);
    object = open_object(other, "gone", 0);
    assert_int_equal(move(other, object, WEIR_OBJECT_WRITE, data, 0, sizeof data), sizeof data);
    assert_int_equal(weir_object_unlink(bed.client, "gone"), 0);
    assert_true(used(&bed) > 2 * WEIR_CHUNK_BYTES);
    weir_object_client_close(other);
    for (unsigned i = 0; i < 10000 && used(&bed) != 1; i++) {
        make_object(bed.client, "next");
        usleep(1000);
    }
    assert_int_equal(used(&bed), 1);
    close_bed(&bed);
}

static void others_see_the_size_when_they_should(void **state)
{
    struct setting setting = {.provider = "tcp", .servers = 2, .unit_bytes = 65536};
    unsigned char data[1000];

    fill(data, sizeof data, 3);
    for (unsigned is_strict = 0; is_strict < 2; is_strict++) {
        struct weir_object_client *other;
        struct weir_object *object;
        struct weir_object_facts facts;
        struct bed bed;

        setting.is_strict = is_strict;
        open_bed(&bed, &setting);
        other = open_client(&bed);
        object = open_object(bed.client, "grows", 0);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, data, 0, 1000), 1000);
        assert_int_equal(weir_object_stat(other, "grows", &facts), 0);
        assert_int_equal(facts.bytes, is_strict ? 1000 : 0);
        assert_int_equal(weir_object_sync(bed.client, object), 0);
        assert_int_equal(weir_object_stat(other, "grows", &facts), 0);
        assert_int_equal(facts.bytes, 1000);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, data, 1000, 1000), 1000);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        assert_int_equal(weir_object_stat(other, "grows", &facts), 0);
        assert_int_equal(facts.bytes, 2000);
        weir_object_client_close(other);
        close_bed(&bed);
    }
}

/* ---- how far a sync goes ---- */

static void a_sync_goes_as_far_as_asked(void **state)
{
    static const struct {
        enum weir_object_flush asked;
        bool has_backing;
        int result;
        enum weir_object_flush reached;
    } cases[] = {
        {WEIR_FLUSH_BEST, false, 0, WEIR_FLUSH_VISIBLE},
        {WEIR_FLUSH_BEST, true, 0, WEIR_FLUSH_STORAGE},
        {WEIR_FLUSH_ACCEPTED, true, 0, WEIR_FLUSH_ACCEPTED},
        {WEIR_FLUSH_VISIBLE, true, 0, WEIR_FLUSH_VISIBLE},
        {WEIR_FLUSH_STORAGE, true, 0, WEIR_FLUSH_STORAGE},
        {WEIR_FLUSH_STORAGE, false, -EOPNOTSUPP, WEIR_FLUSH_VISIBLE},
    };
    struct setting setting = {
        .provider = "tcp", .servers = 1, .unit_bytes = 65536, .capacity_bytes = 4 << 20};
    unsigned char data[5000];

    fill(data, sizeof data, 9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char backing[] = "backing-XXXXXX";
        struct weir_object *object;
        struct weir_text text = {0};
        struct bed bed;
        int fd = mkstemp(backing);

        assert_true(fd >= 0);
        setting.flush = cases[i].asked;
        setting.backing = cases[i].has_backing ? backing : NULL;
        open_bed(&bed, &setting);
        object = open_object(bed.client, "synced", 0);
        assert_int_equal(weir_object_client_flushed(bed.client), WEIR_FLUSH_BEST);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, data, 0, sizeof data),
                         sizeof data);
        assert_int_equal(weir_object_sync(bed.client, object), cases[i].result);
        assert_int_equal(weir_object_client_flushed(bed.client), cases[i].reached);
        if (cases[i].result < 0) {
            /* Nothing was written since, but what was is not where it should be yet. */
            assert_int_equal(weir_object_sync(bed.client, object), cases[i].result);
            weir_object_client_explain(bed.client, &text);
            assert_non_null(strstr(weir_text_string(&text), "--rdma.back"));
            weir_text_close(&text);
        }
        if (cases[i].reached == WEIR_FLUSH_STORAGE) {
            unsigned char *all = calloc(1, setting.capacity_bytes);

            assert_non_null(all);
            assert_int_equal(pread(fd, all, setting.capacity_bytes, 0), setting.capacity_bytes);
            assert_non_null(memmem(all, setting.capacity_bytes, data, sizeof data));
            free(all);
        }
        assert_int_equal(weir_object_close(bed.client, object), 0);
        close_bed(&bed);
        close(fd);
        unlink(backing);
    }
}

/* A server whose storage takes longer for a sync than it may be silent. */
struct slow {
    char backing[16];
    int fd;
    struct setting setting;
    struct bed bed;
};

enum { SLOW_SYNC_MS = 1500 };

static void open_slow(struct slow *slow, const char *provider)
{
    *slow = (struct slow){.backing = "backing-XXXXXX"};
    slow->fd = mkstemp(slow->backing);
    assert_true(slow->fd >= 0);
    slow->setting = (struct setting){.provider = provider,
                                     .servers = 1,
                                     .unit_bytes = 65536,
                                     .capacity_bytes = 4 << 20,
                                     .backing = slow->backing,
                                     .timeout_ns = 400000000};
    open_bed(&slow->bed, &slow->setting);
}

static void close_slow(struct slow *slow)
{
    close_bed(&slow->bed);
    close(slow->fd);
    unlink(slow->backing);
}

static void storage_may_take_longer_than_a_server_may_be_silent(void **state)
{
    unsigned char data[15] = {1};
    struct weir_object *object;
    struct slow slow;

    open_slow(&slow, "tcp");
    object = open_object(slow.bed.client, "synced", 0);
    assert_int_equal(move(slow.bed.client, object, WEIR_OBJECT_WRITE, data, 0, sizeof data),
                     sizeof data);
    sync_ms = SLOW_SYNC_MS;
    assert_int_equal(weir_object_sync(slow.bed.client, object), 0);
    sync_ms = 0;
    assert_int_equal(weir_object_client_flushed(slow.bed.client), WEIR_FLUSH_STORAGE);
    assert_int_equal(weir_object_close(slow.bed.client, object), 0);
    close_slow(&slow);
}

/* Between two phases there may be a barrier, or a delay. */
static void a_client_may_pause_for_longer_than_a_server_may_be_silent(void **state)
{
    for (unsigned kind = 0; kind < 6; kind++) {
        const struct setting setting = {.provider = providers[kind % 2],
                                        .mode = (enum weir_object_mode)(kind / 2),
                                        .servers = 1,
                                        .unit_bytes = 1 << 20,
                                        .timeout_ns = 200000000};
        unsigned char byte = 1;
        struct weir_object *object;
        struct bed bed;

        open_bed(&bed, &setting);
        object = open_object(bed.client, "kept", 0);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, &byte, 0, 1), 1);
        assert_int_equal(weir_object_sync(bed.client, object), 0);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        nanosleep(&(struct timespec){.tv_nsec = 900000000}, NULL);
        object = open_object(bed.client, "kept", 0);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_READ, &byte, 0, 1), 1);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        close_bed(&bed);
    }
}

/* One-sided transfers of another object go on all the time, before and while it syncs. */
static void what_else_is_under_way_makes_no_server_late(void **state)
{
    const struct timespec pause = {.tv_nsec = 1000000}; /* large transfers make few polls */
    unsigned char data[4096] = {1};
    struct weir_object_io ios[2] = {
        {.verb = WEIR_OBJECT_SYNC},
        {.verb = WEIR_OBJECT_WRITE, .data = data, .bytes = sizeof data, .slot = 1}};
    struct weir_object_io *lists[2] = {&ios[0], &ios[1]}, *done = NULL;
    struct weir_object_client *client;
    struct slow slow;
    uint64_t begin_ns;

    open_slow(&slow, "shm");
    client = slow.bed.client;
    ios[0].object = open_object(client, "synced", 0);
    ios[1].object = open_object(client, "written", 0);
    assert_int_equal(move(client, ios[0].object, WEIR_OBJECT_WRITE, data, 0, sizeof data),
                     sizeof data);
    begin_ns = weir_clock_kernel_ns();
    while (weir_clock_kernel_ns() - begin_ns < 2 * slow.setting.timeout_ns) {
        nanosleep(&pause, NULL);
        assert_int_equal(move(client, ios[1].object, WEIR_OBJECT_WRITE, data, 0, sizeof data),
                         sizeof data);
    }
    sync_ms = SLOW_SYNC_MS;
    assert_int_equal(weir_object_submit(client, lists, 2), 2);
    while (done != &ios[0]) {
        if (weir_object_reap(client, &done, 1, 1, UINT64_MAX) != 1 || done == &ios[0])
            continue;
        assert_int_equal(done->result, sizeof data);
        nanosleep(&pause, NULL);
        assert_int_equal(weir_object_submit(client, &lists[1], 1), 1);
    }
    assert_int_equal(ios[0].result, 0);
    while (weir_object_reap(client, &done, 1, 1, UINT64_MAX) != 1)
        ;
    assert_int_equal(weir_object_close(client, ios[0].object), 0);
    assert_int_equal(weir_object_close(client, ios[1].object), 0);
    close_slow(&slow);
}

/* ---- servers that are no more ---- */

static uint64_t now_ns(void)
{
    return weir_clock_kernel_ns();
}

enum { LOSS_ROUNDS = 400, LOSS_BYTES = 40000 };
#define LOSS_LIMIT_NS UINT64_C(20000000000)

/* Writes to two objects, each at a server of its own. */
struct loss {
    struct bed bed;
    struct weir_object *objects[2];
    struct weir_object_io ios[DEPTH];
    unsigned char *data;
    uint64_t begin_ns;
    unsigned outstanding;
    unsigned rounds;
    unsigned failed;
};

static void open_loss(struct loss *loss, const struct setting *setting)
{
    char path[16];

    open_bed(&loss->bed, setting);
    for (unsigned i = 0; !loss->objects[0] || !loss->objects[1]; i++) {
        struct weir_object *object;
        uint32_t home;

        /* Names and data at the same server. */
        snprintf(path, sizeof path, "d%u/o", i);
        object = open_object(loss->bed.client, path, 0);
        home = weir_object_home(object->shared_object->id);
        if (loss->objects[home] || object->shared_object->pattern.first_server != home)
            weir_object_close(loss->bed.client, object);
        else
            loss->objects[home] = object;
    }
    loss->data = calloc(DEPTH, LOSS_BYTES);
    assert_non_null(loss->data);
    loss->begin_ns = now_ns();
    for (unsigned i = 0; i < DEPTH; i++) {
        struct weir_object_io *io = &loss->ios[i];

        *io = (struct weir_object_io){.object = loss->objects[i % 2],
                                      .data = loss->data + i * LOSS_BYTES,
                                      .offset = i / 2 * LOSS_BYTES,
                                      .bytes = LOSS_BYTES,
                                      .slot = i};
        weir_object_submit(loss->bed.client, &io, 1);
        loss->outstanding++;
    }
}

/* What comes back goes out again, until enough was seen; half-way, server 1 goes. */
static void take_lost(struct loss *loss, struct weir_object_io *io)
{
    bool is_early = loss->failed == 0 && now_ns() - loss->begin_ns < LOSS_LIMIT_NS;

    loss->outstanding--;
    if (io->result < 0) {
        assert_ptr_equal(io->object, loss->objects[1]);
        assert_true(io->result == -EHOSTDOWN || io->result == -ETIMEDOUT);
        loss->failed++;
    } else {
        assert_int_equal(io->result, LOSS_BYTES);
    }
    if (++loss->rounds == LOSS_ROUNDS / 2) {
        weir_object_server_close(loss->bed.servers[1]);
        loss->bed.servers[1] = NULL;
    }
    if (loss->rounds < LOSS_ROUNDS || is_early) {
        weir_object_submit(loss->bed.client, &io, 1);
        loss->outstanding++;
    }
}

static void close_loss(struct loss *loss)
{
    struct weir_object_client *client = loss->bed.client;
    struct weir_text text = {0};

    weir_object_client_explain(client, &text);
    assert_non_null(strstr(weir_text_string(&text), "server 1 at "));
    assert_non_null(strstr(weir_text_string(&text), "cut the link"));
    weir_text_close(&text);
    assert_true(move(client, loss->objects[1], WEIR_OBJECT_WRITE, loss->data, 0, LOSS_BYTES) < 0);
    assert_int_equal(move(client, loss->objects[0], WEIR_OBJECT_WRITE, loss->data, 0, LOSS_BYTES),
                     LOSS_BYTES);
    assert_true(weir_object_close(client, loss->objects[1]) < 0);
    assert_int_equal(weir_object_close(client, loss->objects[0]), 0);
    close_bed(&loss->bed);
    free(loss->data);
}

static void a_server_that_goes_takes_only_its_own_along(void **state)
{
    for (unsigned kind = 0; kind < 6; kind++) {
        const struct setting setting = {.provider = providers[kind % 2],
                                        .mode = (enum weir_object_mode)(kind / 2),
                                        .servers = 2,
                                        .unit_bytes = 1 << 20,
                                        .stripe_count = 1};
        struct loss loss = {0};

        open_loss(&loss, &setting);
        while (loss.outstanding > 0) {
            struct weir_object_io *done[DEPTH];
            int count = weir_object_reap(loss.bed.client, done, 1, DEPTH, UINT64_MAX);

            assert_in_range(count, 0, loss.outstanding);
            for (int i = 0; i < count; i++)
                take_lost(&loss, done[i]);
        }
        assert_true(loss.failed > 0);
        assert_true(now_ns() - loss.begin_ns < LOSS_LIMIT_NS);
        close_loss(&loss);
    }
}

/* A process with a server, which writes its address to a pipe. */
static pid_t fork_server(const struct setting *setting, char address[WEIR_ADDRESS_BYTES])
{
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct bed bed = {.setting = setting};
        ssize_t written;

        alarm(60);
        open_server(&bed, 0);
        written = write(ends[1], bed.addresses[0], sizeof bed.addresses[0]);
        while (written > 0)
            pause();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], address, WEIR_ADDRESS_BYTES), WEIR_ADDRESS_BYTES);
    close(ends[0]);
    return child;
}

static void stop_server(pid_t child)
{
    assert_int_equal(kill(child, SIGSTOP), 0);
    assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
}

static void end_server(pid_t child)
{
    kill(child, SIGCONT);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void a_server_that_is_silent_is_given_up_in_time(void **state)
{
    static const struct setting setting = {
        .provider = "tcp", .servers = 1, .unit_bytes = 1 << 20, .timeout_ns = UINT64_C(700000000)};
    struct bed bed = {.setting = &setting};
    struct weir_text text = {0};
    unsigned char byte = 1;
    struct weir_object *object;
    struct weir_object_facts facts;
    uint64_t begin_ns;
    pid_t child;

    child = fork_server(&setting, bed.addresses[0]);
    bed.client = open_client(&bed);
    object = open_object(bed.client, "silent", 0);
    assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, &byte, 0, 1), 1);
    stop_server(child);
    begin_ns = now_ns();
    assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, &byte, 0, 1), -ETIMEDOUT);
    assert_true(now_ns() - begin_ns >= setting.timeout_ns / 2);
    assert_true(now_ns() - begin_ns < 20 * setting.timeout_ns);
    weir_object_client_explain(bed.client, &text);
    assert_non_null(strstr(weir_text_string(&text), "does not answer"));
    weir_text_close(&text);
    begin_ns = now_ns();
    assert_int_equal(weir_object_stat(bed.client, "silent", &facts), -ETIMEDOUT);
    assert_true(now_ns() - begin_ns < setting.timeout_ns / 2);
    end_server(child);
    weir_object_client_close(bed.client);
}

/* Its memory takes what is written there, its processor answers nothing. */
static void memory_that_can_be_reached_does_not_hide_a_stopped_process(void **state)
{
    static const struct setting setting = {
        .provider = "shm", .servers = 1, .unit_bytes = 1 << 20, .timeout_ns = UINT64_C(700000000)};
    unsigned char byte = 1;
    struct weir_object_io ios[2] = {
        {.verb = WEIR_OBJECT_SYNC},
        {.verb = WEIR_OBJECT_WRITE, .data = &byte, .bytes = 1, .slot = 1}};
    struct weir_object_io *lists[2] = {&ios[0], &ios[1]}, *done = NULL;
    struct bed bed = {.setting = &setting};
    uint64_t begin_ns, writes = 0;
    pid_t child;

    child = fork_server(&setting, bed.addresses[0]);
    bed.client = open_client(&bed);
    ios[0].object = ios[1].object = open_object(bed.client, "stopped", 0);
    assert_int_equal(move(bed.client, ios[1].object, WEIR_OBJECT_WRITE, &byte, 0, 1), 1);
    stop_server(child);
    begin_ns = now_ns();
    assert_int_equal(weir_object_submit(bed.client, lists, 2), 2);
    while (done != &ios[0] && now_ns() - begin_ns < 20 * setting.timeout_ns) {
        if (weir_object_reap(bed.client, &done, 1, 1, UINT64_MAX) != 1 || done == &ios[0])
            continue;
        writes += done->result == 1;
        assert_int_equal(weir_object_submit(bed.client, &lists[1], 1), 1);
    }
    assert_ptr_equal(done, &ios[0]);
    assert_int_equal(ios[0].result, -ETIMEDOUT);
    assert_true(writes > 1);
    while (weir_object_reap(bed.client, &done, 1, 1, UINT64_MAX) != 1)
        ;
    assert_int_equal(done->result, -ETIMEDOUT);
    end_server(child);
    weir_object_client_close(bed.client);
}

static void a_server_that_is_not_there_is_named(void **state)
{
    static const struct setting setting = {
        .provider = "tcp", .servers = 2, .unit_bytes = 1 << 20, .timeout_ns = 2000000000};
    struct weir_error error = {0};
    struct bed bed;

    open_bed(&bed, &setting);
    assert_int_equal(weir_object_client_preflight(bed.client, &error), 0);
    weir_object_client_close(bed.client);
    weir_object_server_close(bed.servers[1]);
    bed.servers[1] = NULL;
    bed.client = open_client(&bed);
    assert_int_equal(weir_object_client_preflight(bed.client, &error), -ECONNREFUSED);
    assert_non_null(strstr(error.text, "server 1 at 127.0.0.1:"));
    assert_non_null(strstr(error.text, "connecting"));
    close_bed(&bed);
}

/* Clients begin with different servers, so that not all of them connect to one at once. */
static void the_preflight_begins_with_the_server_it_is_given(void **state)
{
    struct setting setting = {
        .provider = "tcp", .servers = 3, .unit_bytes = 1 << 20, .timeout_ns = 2000000000};
    struct bed bed;

    open_bed(&bed, &setting);
    for (unsigned i = 0; i < 3; i++) {
        weir_object_server_close(bed.servers[i]);
        bed.servers[i] = NULL;
    }
    for (unsigned first = 0; first < 5; first++) {
        struct weir_error error = {0};
        char name[32];

        setting.first_server = first;
        weir_object_client_close(bed.client);
        bed.client = open_client(&bed);
        assert_int_equal(weir_object_client_preflight(bed.client, &error), -ECONNREFUSED);
        snprintf(name, sizeof name, "server %u at", first % 3);
        assert_non_null(strstr(error.text, name));
    }
    close_bed(&bed);
}

/* The others need no more than their links, and those of objects on some servers not even these. */
static void one_client_tries_the_way_for_all_on_its_node(void **state)
{
    static const struct {
        bool leaves_trial;
        unsigned stripe_count, messages, links;
    } cases[] = {{false, 3, 6, 3}, {false, 1, 6, 3}, {true, 3, 3, 3}, {true, 2, 1, 1}};
    unsigned char data[100] = {1}, back[100];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct setting setting = {.provider = "tcp",
                                        .mode = WEIR_OBJECT_PULL,
                                        .servers = 3,
                                        .unit_bytes = 1 << 20,
                                        .stripe_count = cases[i].stripe_count,
                                        .transfers = 200,
                                        .first_server = 1,
                                        .leaves_trial = cases[i].leaves_trial};
        struct weir_object_server_facts facts;
        unsigned messages = 0, links = 0;
        struct weir_object *object;
        struct bed bed;

        open_bed(&bed, &setting);
        assert_int_equal(weir_object_client_preflight(bed.client, &(struct weir_error){0}), 0);
        for (unsigned server = 0; server < 3; server++) {
            weir_object_server_facts(bed.servers[server], &facts);
            messages += (unsigned)facts.message_count;
            links += bed.client->servers[server].state == SERVER_UP;
        }
        assert_int_equal(messages, cases[i].messages);
        assert_int_equal(links, cases[i].links);
        assert_int_equal(bed.client->servers[1].state, SERVER_UP);
        assert_int_equal(weir_object_client_depth(bed.client), 3 * (CREDITS - 1));
        for (unsigned n = 0; n < 6; n++) {
            char path[16];

            snprintf(path, sizeof path, "d%u/o", n);
            object = open_object(bed.client, path, 0);
            /* Connected to before anything is moved. */
            for (unsigned shard = 0; shard < cases[i].stripe_count; shard++)
                assert_true(object->shared_object->shards[shard].server->was_touched);
            assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, data, 0, sizeof data),
                             sizeof data);
            assert_int_equal(move(bed.client, object, WEIR_OBJECT_READ, back, 0, sizeof back),
                             sizeof back);
            assert_memory_equal(back, data, sizeof data);
            assert_int_equal(weir_object_close(bed.client, object), 0);
        }
        close_bed(&bed);
    }
}

/* The first one that comes, and not the one that finds no place. */
static void a_job_with_more_clients_than_a_server_takes_is_refused_at_once(void **state)
{
    struct setting setting = {
        .provider = "tcp", .servers = 2, .unit_bytes = 1 << 20, .client_limit = 4};

    for (unsigned clients = 4; clients < 6; clients++) {
        struct weir_error error = {0};
        struct bed bed;

        setting.clients = clients;
        setting.leaves_trial = clients % 2;
        open_bed(&bed, &setting);
        assert_int_equal(weir_object_client_preflight(bed.client, &error),
                         clients > 4 ? -EPROTO : 0);
        assert_int_equal(strstr(error.text, "server 0 at 127.0.0.1:") != NULL, clients > 4);
        assert_int_equal(strstr(error.text, "5 clients") != NULL, clients > 4);
        assert_int_equal(strstr(error.text, "4 in at once") != NULL, clients > 4);
        close_bed(&bed);
    }
}

static void who_does_not_know_the_secret_is_refused(void **state)
{
    static const struct setting setting = {
        .provider = "tcp", .servers = 1, .unit_bytes = 1 << 20, .timeout_ns = 2000000000};
    unsigned char wrong[WEIR_SECRET_BYTES] = "a guess";
    struct weir_object_client_params params = {.depth = 1, .server_count = 1};
    struct weir_object_client *client;
    struct weir_error error = {0};
    const char *addresses[1];
    struct bed bed;

    open_bed(&bed, &setting);
    addresses[0] = bed.addresses[0];
    params.fabric = network_of(&setting);
    params.fabric.secret = wrong;
    params.addresses = addresses;
    assert_int_equal(weir_object_client_open(&params, &client, &error), 0);
    assert_true(weir_object_client_preflight(client, &error) < 0);
    assert_non_null(strstr(error.text, "secret"));
    weir_object_client_close(client);
    assert_int_equal(weir_object_client_preflight(bed.client, &(struct weir_error){0}), 0);
    close_bed(&bed);
}

/* ---- waiting ---- */

static void a_reap_of_nothing_comes_back_at_once(void **state)
{
    struct weir_object_io *done[1];
    struct bed bed;

    open_bed(&bed, &on_two);
    assert_int_equal(weir_object_reap(bed.client, done, 0, 1, UINT64_MAX), 0);
    close_bed(&bed);
}

/* Over shm a served region lets any process of the user trace this one (PR_SET_PTRACER). */
static void memory_is_open_to_servers_only_where_they_move_the_data(void **state)
{
    for (enum weir_object_mode mode = WEIR_OBJECT_ONE_SIDED; mode <= WEIR_OBJECT_SEND; mode++) {
        const struct setting setting = {
            .provider = "shm", .servers = 1, .unit_bytes = 1 << 20, .mode = mode};
        unsigned char byte = 1;
        struct weir_object *object;
        struct bed bed;

        open_bed(&bed, &setting);
        object = open_object(bed.client, "one", 1);
        assert_int_equal(move(bed.client, object, WEIR_OBJECT_WRITE, &byte, 0, 1), 1);
        assert_int_equal(bed.client->bounce_region->is_served, mode == WEIR_OBJECT_PULL);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        close_bed(&bed);
    }
}

/* As many work requests are with the link as transfers were submitted, where it has room for them;
 * and all come back where it has not. */
static void the_depth_that_is_said_is_in_flight(void **state)
{
    enum { MANY = 4096, BYTES = 64 };
    static const struct {
        unsigned transfers, depth, in_flight;
    } cases[] = {{1, 128, 1},    {8, 128, 8},        {128, 128, 128},   {512, 512, 512},
                 {1000, 16, 16}, {1000, 1024, 1000}, {4096, 4096, 4096}};
    static unsigned char data[MANY * BYTES];
    static struct weir_object_io ios[MANY], *list[MANY], *done[MANY];

    for (unsigned kind = 0; kind < 2 * sizeof cases / sizeof *cases; kind++) {
        const unsigned count = cases[kind / 2].transfers;
        const struct setting setting = {.provider = providers[kind % 2],
                                        .servers = 1,
                                        .unit_bytes = 1 << 20,
                                        .transfers = count,
                                        .depth = cases[kind / 2].depth};
        struct weir_object *object;
        unsigned back = 0;
        struct bed bed;

        open_bed(&bed, &setting);
        object = open_object(bed.client, "many", sizeof data);
        move(bed.client, object, WEIR_OBJECT_WRITE, data, 0, sizeof data);
        assert_int_equal(weir_object_client_depth(bed.client), cases[kind / 2].in_flight);
        for (unsigned i = 0; i < count; i++) {
            ios[i] = (struct weir_object_io){.object = object,
                                             .verb = WEIR_OBJECT_WRITE,
                                             .data = data + i * BYTES,
                                             .offset = i * BYTES,
                                             .bytes = BYTES,
                                             .slot = i};
            list[i] = &ios[i];
        }
        assert_int_equal(weir_object_submit(bed.client, list, count), count);
        assert_int_equal(weir_link_outstanding(bed.client->servers[0].link),
                         cases[kind / 2].in_flight);
        while (back < count)
            back += (unsigned)weir_object_reap(bed.client, done, 1, count, UINT64_MAX);
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(ios[i].result, BYTES);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        close_bed(&bed);
    }
}

/* Writes before it, of which many wait for room, are in it. */
static void a_queued_sync_is_behind_the_writes_before_it(void **state)
{
    struct setting setting = {.servers = 3, .unit_bytes = 4096, .depth = 4, .credits = 2};
    enum { BYTES = 100000 };
    static unsigned char data[DEPTH * BYTES];

    for (unsigned kind = 0; kind < 6; kind++) {
        struct weir_object_io ios[DEPTH];
        struct weir_object_io *list[DEPTH];
        struct weir_object *object;
        unsigned writes_back = 0;
        unsigned back = 0;
        struct bed bed;

        setting.provider = providers[kind % 2];
        setting.mode = (enum weir_object_mode)(kind / 2);
        open_bed(&bed, &setting);
        object = open_object(bed.client, "synced", 0);
        for (unsigned i = 0; i < DEPTH; i++) {
            ios[i] = (struct weir_object_io){.object = object,
                                             .data = data + i * BYTES,
                                             .offset = i * BYTES,
                                             .bytes = BYTES,
                                             .slot = i};
            list[i] = &ios[i];
        }
        ios[DEPTH - 1].verb = WEIR_OBJECT_SYNC;
        assert_int_equal(weir_object_submit(bed.client, list, DEPTH), DEPTH);
        while (back < DEPTH) {
            struct weir_object_io *done[DEPTH];
            int count = weir_object_reap(bed.client, done, 1, 1, UINT64_MAX);

            assert_in_range(count, 0, 1);
            back += (unsigned)count;
            if (count == 0)
                continue;
            if (done[0]->verb == WEIR_OBJECT_SYNC) {
                assert_int_equal(done[0]->result, 0);
                assert_int_equal(writes_back, DEPTH - 1);
            } else {
                assert_int_equal(done[0]->result, BYTES);
                writes_back++;
            }
        }
        assert_int_equal(weir_object_client_flushed(bed.client), WEIR_FLUSH_VISIBLE);
        assert_int_equal(weir_object_close(bed.client, object), 0);
        close_bed(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_live_on_all_servers),
        cmocka_unit_test(a_renamed_object_keeps_its_data),
        cmocka_unit_test(an_object_goes_to_any_directory_of_its_server),
        cmocka_unit_test(a_directory_takes_no_names_while_it_is_removed),
        cmocka_unit_test(a_directory_is_renamed_while_it_is_empty),
        cmocka_unit_test(long_names_are_taken_up_to_their_limit),
        cmocka_unit_test(what_nobody_wrote_reads_as_zeros),
        cmocka_unit_test(a_full_server_is_a_result),
        cmocka_unit_test(what_is_removed_lives_until_it_is_closed),
        cmocka_unit_test(what_a_client_leaves_behind_the_next_one_drops),
        cmocka_unit_test(others_see_the_size_when_they_should),
        cmocka_unit_test(a_sync_goes_as_far_as_asked),
        cmocka_unit_test(storage_may_take_longer_than_a_server_may_be_silent),
        cmocka_unit_test(a_client_may_pause_for_longer_than_a_server_may_be_silent),
        cmocka_unit_test(what_else_is_under_way_makes_no_server_late),
        cmocka_unit_test(memory_is_open_to_servers_only_where_they_move_the_data),
        cmocka_unit_test(the_depth_that_is_said_is_in_flight),
        cmocka_unit_test(a_queued_sync_is_behind_the_writes_before_it),
        cmocka_unit_test(a_reap_of_nothing_comes_back_at_once),
        cmocka_unit_test(a_server_that_is_silent_is_given_up_in_time),
        cmocka_unit_test(memory_that_can_be_reached_does_not_hide_a_stopped_process),
        cmocka_unit_test(a_server_that_is_not_there_is_named),
        cmocka_unit_test(the_preflight_begins_with_the_server_it_is_given),
        cmocka_unit_test(one_client_tries_the_way_for_all_on_its_node),
        cmocka_unit_test(a_job_with_more_clients_than_a_server_takes_is_refused_at_once),
        cmocka_unit_test(who_does_not_know_the_secret_is_refused),
        cmocka_unit_test(a_server_that_goes_takes_only_its_own_along),
        cmocka_unit_test(what_is_read_is_what_an_array_would_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
