/* SPDX-License-Identifier: Apache-2.0 */
/* A server whose network is played by the test: whatever comes, in whatever order, it neither falls
 * nor loses anything, and each request has one answer. */
#include "network/objects/server_parts.h"

#include "weir/base/log.h"
#include "weir/base/random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINKS 3u
#define CHUNKS 6u
#define MESSAGE_BYTES 4096u
#define CREDITS 4u
#define OUTSTANDING_MAX 256u
#define ROUNDS 150000u

/* What is defined here is not taken from the library. */
struct weir_link {
    void *owner;
    void *messages[CREDITS * 8]; /* that were not given back; they go with the link */
    unsigned message_count;
    bool is_open, is_full;
    struct {
        struct weir_task *task;
        bool is_send;
    } outstanding[OUTSTANDING_MAX];
    unsigned outstanding_count;
};

struct scene {
    struct weir_object_server server;
    struct weir_link links[LINKS];
    struct weir_fabric_facts facts;
    uint64_t requests, answers, good;
    struct {
        uint64_t object, generation;
    } known[8]; /* from answers */
    uint64_t seed;
};

static struct scene *scene_of(const struct weir_link *link);

static bool is_in(const void *data, uint64_t bytes, const void *memory, uint64_t size)
{
    const unsigned char *place = data, *start = memory;

    return place >= start && bytes <= size && (uint64_t)(place - start) <= size - bytes;
}

static void learn(struct scene *scene, const struct weir_answer *answer)
{
    scene->answers++;
    scene->good += !answer->status;
    if (!answer->status && answer->object) {
        unsigned place = (unsigned)(scene->answers % 8);

        scene->known[place].object = answer->object;
        scene->known[place].generation = answer->generation;
    }
}

static void check_answer(struct scene *scene, const struct weir_wr *wr)
{
    const struct weir_answer *answer = wr->header;
    const struct weir_task *task = wr->context;

    /* What is pulled has come before it is said so, and what is pushed has not failed. */
    if (task->parsed.request.verb == WEIR_VERB_WRITE_PULL ||
        (task->parsed.request.verb == WEIR_VERB_READ_PUSH && !scene->facts.fails_in_order))
        assert_int_equal(task->outstanding, 0);
    assert_in_range(wr->header_bytes, sizeof *answer, WEIR_HEADER_BYTES);
    assert_true(wr->header_bytes + wr->bytes <= MESSAGE_BYTES);
    assert_int_equal(wr->header_bytes + wr->bytes, sizeof *answer + answer->payload_bytes);
    assert_true(answer->status <= 0 && answer->status > -4096);
    if (wr->bytes)
        assert_true(is_in(wr->data, wr->bytes, scene->server.replies,
                          (uint64_t)MESSAGE_BYTES * WEIR_REPLY_COUNT));
    learn(scene, answer);
}

static void check_data(const struct scene *scene, const struct weir_wr *wr)
{
    bool is_slab = is_in(wr->data, wr->bytes, scene->server.slab.memory, CHUNKS * WEIR_CHUNK_BYTES);
    bool is_zeros = is_in(wr->data, wr->bytes, scene->server.zeros, WEIR_CHUNK_BYTES);
    const struct weir_region_key *key = wr->remote;

    assert_true(is_slab || (is_zeros && wr->verb == WEIR_WR_WRITE));
    assert_in_range(wr->bytes, 1, scene->facts.longest_wr_bytes);
    assert_true(wr->remote_address >= key->address &&
                wr->bytes <= key->bytes - (wr->remote_address - key->address));
}

int weir_link_post(struct weir_link *link, const struct weir_wr wrs[], unsigned count)
{
    assert_int_equal(count, 1);
    assert_true(link->is_open);
    if (link->is_full || link->outstanding_count == OUTSTANDING_MAX)
        return 0;
    if (wrs->verb == WEIR_WR_SEND)
        check_answer(scene_of(link), wrs);
    else
        check_data(scene_of(link), wrs);
    link->outstanding[link->outstanding_count].task = wrs->context;
    link->outstanding[link->outstanding_count++].is_send = wrs->verb == WEIR_WR_SEND;
    return 1;
}

void weir_link_release(struct weir_link *link, void *message)
{
    unsigned at = 0;

    while (link->messages[at] != message)
        assert_true(++at < link->message_count);
    link->messages[at] = link->messages[--link->message_count];
    free(message); /* whoever still looks at it is caught by the sanitizer */
}

void weir_link_close(struct weir_link *link)
{
    assert_true(link->is_open);
    link->is_open = false;
    while (link->message_count)
        free(link->messages[--link->message_count]);
    link->outstanding_count = 0;
    link->owner = NULL;
}

void *weir_link_owner(const struct weir_link *link)
{
    return link->owner;
}

void weir_link_set_owner(struct weir_link *link, void *owner)
{
    link->owner = owner;
}

const char *weir_link_peer(const struct weir_link *link)
{
    return "peer:1";
}

unsigned weir_link_message_bytes(const struct weir_link *link)
{
    return MESSAGE_BYTES;
}

/* A backing that keeps what it is given. */
struct weir_backing {
    struct weir_backing_job *job;
};

void weir_backing_submit(struct weir_backing *backing, struct weir_backing_job *job)
{
    backing->job = job;
}

struct weir_backing_job *weir_backing_reap(struct weir_backing *backing)
{
    struct weir_backing_job *job = backing->job;

    backing->job = NULL;
    return job;
}

static struct scene *the_scene(struct scene *set)
{
    static struct scene *scene; /* of the test that runs: stand-ins get no context */

    if (set)
        scene = set;
    return scene;
}

static struct scene *scene_of(const struct weir_link *link)
{
    return the_scene(NULL);
}

const struct weir_fabric_facts *weir_fabric_facts(const struct weir_fabric *fabric)
{
    return &the_scene(NULL)->facts;
}

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct weir_object_server *server = &scene->server;
    struct weir_store_params store = {.chunk_count = CHUNKS, .first_generation = 1};

    weir_log_set_level(WEIR_LOG_ERROR);
    scene->facts.longest_wr_bytes = 300000;
    server->params = (struct weir_object_server_params){
        .client_limit = LINKS,
        .fabric = {.message_bytes = MESSAGE_BYTES, .message_credits = CREDITS}};
    server->chunk_count = CHUNKS;
    server->slab.memory = calloc(CHUNKS + 1, WEIR_CHUNK_BYTES);
    server->slab_key = (struct weir_region_key){.address = 1 << 20, .bytes = CHUNKS << 20};
    server->zeros = calloc(1, WEIR_CHUNK_BYTES);
    server->replies = calloc(WEIR_REPLY_COUNT, MESSAGE_BYTES);
    server->free_reply_count = 2; /* of so many that it starves now and then */
    for (unsigned i = 0; i < server->free_reply_count; i++)
        server->free_replies[i] = server->replies + (size_t)i * MESSAGE_BYTES;
    store.memory = server->slab.memory;
    assert_int_equal(weir_store_open(&store, &server->store), 0);
    assert_int_equal(weir_server_clients_open(server), 0);
    the_scene(scene);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    struct weir_object_server *server = &scene->server;

    weir_store_close(server->store);
    for (struct weir_task *task = server->free_tasks, *next; task; task = next) {
        next = task->next;
        free(task);
    }
    free(server->slab.memory);
    free(server->zeros);
    free(server->replies);
    free(server->clients);
    free(scene);
    return 0;
}

static uint64_t draw(struct scene *scene, uint64_t bound)
{
    return weir_random_below(weir_random_at(1, scene->seed++), bound);
}

/* ---- what comes ---- */

static void join(struct scene *scene, struct weir_link *link)
{
    struct weir_event event = {.kind = WEIR_EVENT_JOINED, .link = link, .is_incoming = true};

    *link = (struct weir_link){.is_open = true};
    weir_server_take_events(&scene->server, &event, 1);
}

static void say(struct scene *scene, struct weir_link *link, const void *bytes, size_t count)
{
    unsigned char *message = malloc(count + 1);
    struct weir_event event = {
        .kind = WEIR_EVENT_MESSAGE, .link = link, .message = message, .bytes = (uint32_t)count};

    memcpy(message, bytes, count);
    link->messages[link->message_count++] = message;
    scene->requests++;
    weir_server_take_events(&scene->server, &event, 1);
}

static void say_hello(struct scene *scene, struct weir_link *link)
{
    struct {
        struct weir_request request;
        struct weir_hello hello;
    } message = {{.verb = WEIR_VERB_HELLO, .payload_bytes = sizeof message.hello},
                 {.magic = WEIR_PROTOCOL_MAGIC,
                  .version = WEIR_PROTOCOL_VERSION,
                  .server_count = 4,
                  .unit_bytes = 4096}};

    say(scene, link, &message, sizeof message);
}

static void land(struct scene *scene, struct weir_link *link)
{
    unsigned at = (unsigned)draw(scene, link->outstanding_count);
    struct weir_event event = {.kind = WEIR_EVENT_DONE, .link = link};

    event.context = link->outstanding[at].task;
    if (!link->outstanding[at].is_send && draw(scene, 20) == 0)
        event.result = -EACCES;
    /* The others keep their order. */
    memmove(&link->outstanding[at], &link->outstanding[at + 1],
            (link->outstanding_count - at - 1) * sizeof *link->outstanding);
    link->outstanding_count--;
    weir_server_take_events(&scene->server, &event, 1);
}

static void lose(struct scene *scene, struct weir_link *link)
{
    struct weir_event event = {.kind = WEIR_EVENT_LEFT, .link = link, .result = -ECONNRESET};

    link->is_full = true;
    while (link->is_open && link->outstanding_count)
        land(scene, link);
    if (link->is_open)
        weir_server_take_events(&scene->server, &event, 1);
    assert_false(link->is_open);
}

static struct weir_request compose(struct scene *scene)
{
    unsigned which = (unsigned)draw(scene, 8);
    struct weir_request request = {.verb = (uint32_t)draw(scene, WEIR_VERB_COUNT + 1),
                                   .id = scene->requests};

    if (request.verb == WEIR_VERB_OPEN || request.verb == WEIR_VERB_MKDIR ||
        request.verb == WEIR_VERB_RMDIR || request.verb == WEIR_VERB_LIST ||
        request.verb == WEIR_VERB_RENAME || request.verb == WEIR_VERB_UNLINK)
        request.path_bytes = (uint16_t)(1 + draw(scene, 3));
    if (request.verb == WEIR_VERB_RENAME)
        request.new_path_bytes = (uint16_t)(1 + draw(scene, 3));
    if (request.verb == WEIR_VERB_OPEN) {
        request.flags = WEIR_REQUEST_CREATE;
        request.unit_bytes = 4096;
        request.count = (uint32_t)(1 + draw(scene, 2));
        return request;
    }
    if (request.verb != WEIR_VERB_UNLINK && request.verb != WEIR_VERB_MKDIR &&
        request.verb != WEIR_VERB_RMDIR && request.verb != WEIR_VERB_LIST &&
        request.verb != WEIR_VERB_RENAME && request.verb != WEIR_VERB_PING &&
        request.verb != WEIR_VERB_LOCK && request.verb != WEIR_VERB_UNLOCK) {
        request.object = scene->known[which].object;
        request.generation = scene->known[which].generation;
    }
    if (request.verb == WEIR_VERB_MAP) {
        request.count = (uint32_t)(1 + draw(scene, 3));
        request.offset = draw(scene, 4) * WEIR_CHUNK_BYTES;
        request.flags = WEIR_REQUEST_ALLOCATE;
    }
    if (request.verb == WEIR_VERB_LIST)
        request.bytes = 2000;
    if (request.verb == WEIR_VERB_PING)
        request.payload_bytes = (uint32_t)draw(scene, 3900);
    if (request.verb == WEIR_VERB_COMMIT) {
        request.count = (uint32_t)draw(scene, 3);
        request.payload_bytes = request.count * 16;
    }
    if (request.verb == WEIR_VERB_READ_SEND || request.verb == WEIR_VERB_WRITE_SEND ||
        request.verb == WEIR_VERB_READ_PUSH || request.verb == WEIR_VERB_WRITE_PULL) {
        request.offset = draw(scene, 3 * WEIR_CHUNK_BYTES);
        request.bytes = 1 + draw(scene, 3900);
    }
    if (request.verb == WEIR_VERB_WRITE_SEND)
        request.payload_bytes = (uint32_t)request.bytes;
    if (request.verb == WEIR_VERB_READ_PUSH || request.verb == WEIR_VERB_WRITE_PULL) {
        request.bytes *= 500;
        request.memory = (struct weir_region_key){.address = 4096, .bytes = 10 << 20};
        request.address = 4096 + draw(scene, 1000);
    }
    return request;
}

static void say_something(struct scene *scene, struct weir_link *link)
{
    unsigned char message[MESSAGE_BYTES];
    struct weir_request request = compose(scene);
    size_t bytes =
        sizeof request + request.path_bytes + request.new_path_bytes + request.payload_bytes;

    if (bytes > sizeof message)
        bytes = sizeof message;
    for (size_t i = sizeof request; i < bytes; i++)
        message[i] = (unsigned char)("ab/"[draw(scene, 3)]);
    memcpy(message, &request, sizeof request);
    if (draw(scene, 4) == 0) /* and now something is wrong in it */
        for (unsigned i = 0; i < 1 + draw(scene, 3); i++)
            message[draw(scene, sizeof request)] = (unsigned char)draw(scene, 256);
    if (draw(scene, 50) == 0)
        bytes = draw(scene, bytes);
    if (draw(scene, 50) == 0)
        for (size_t i = 0; i < bytes; i++)
            message[i] = (unsigned char)draw(scene, 256);
    say(scene, link, message, bytes);
}

static void whatever_comes_nothing_is_lost(void **state)
{
    struct scene *scene = *state;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct weir_link *link = &scene->links[draw(scene, LINKS)];
        uint64_t what = draw(scene, 100);

        if (!link->is_open) {
            join(scene, link);
            say_hello(scene, link);
            continue;
        }
        link->is_full = draw(scene, 8) == 0;
        if (link->outstanding_count && what < 55)
            land(scene, link);
        else if (what < 99 && link->message_count < 2 * CREDITS)
            say_something(scene, link);
        else if (what == 99 && draw(scene, 10) == 0)
            lose(scene, link);
        weir_store_tidy(scene->server.store);
    }
    for (unsigned i = 0; i < LINKS; i++)
        if (scene->links[i].is_open)
            lose(scene, &scene->links[i]);
    assert_int_equal(scene->server.client_count, 0);
    assert_null(scene->server.leaving);
    assert_int_equal(scene->server.free_reply_count, 2);
    assert_null(scene->server.starving.first);
    assert_true(scene->requests > ROUNDS / 4);
    assert_true(scene->good > scene->requests / 10);
    assert_true(weir_store_used_bytes(scene->server.store) <=
                scene->server.chunk_count * WEIR_CHUNK_BYTES);
}

static void each_request_of_a_patient_client_has_one_answer(void **state)
{
    struct scene *scene = *state;
    struct weir_link *link = &scene->links[0];

    scene->facts.fails_in_order = true;
    for (unsigned round = 0; round < 20000; round++) {
        struct weir_request request;

        if (!link->is_open) {
            join(scene, link);
            scene->answers = scene->requests;
            say_hello(scene, link);
        }
        request = compose(scene);
        if (request.path_bytes || request.new_path_bytes || request.payload_bytes)
            request = (struct weir_request){.verb = WEIR_VERB_PING};
        say(scene, link, &request, sizeof request);
        while (link->is_open && link->outstanding_count)
            land(scene, link);
        if (link->is_open)
            assert_int_equal(scene->answers, scene->requests);
    }
    if (link->is_open)
        lose(scene, link);
}

/* The server's only thread walks over what is to be written while all its clients wait. */
static void a_commit_of_the_same_ranges_again_and_again_writes_each_byte_once(void **state)
{
    struct scene *scene = *state;
    struct weir_link *link = &scene->links[0];
    struct weir_backing backing = {0};
    struct {
        struct weir_request request;
        struct weir_range ranges[WEIR_RANGES_MAX];
    } commit = {.ranges = {{0}},
                .request = {.verb = WEIR_VERB_COMMIT,
                            .flags = WEIR_REQUEST_STORAGE,
                            .object = 1,
                            .generation = 1,
                            .count = WEIR_RANGES_MAX,
                            .payload_bytes = sizeof commit.ranges}};
    struct weir_request map = {.verb = WEIR_VERB_MAP,
                               .object = 1,
                               .generation = 1,
                               .count = 3,
                               .flags = WEIR_REQUEST_ALLOCATE};
    uint64_t bytes = 0;

    scene->server.backing = &backing;
    join(scene, link);
    say_hello(scene, link);
    say(scene, link, &map, sizeof map);
    for (uint64_t i = 0; i < WEIR_RANGES_MAX; i++)
        commit.ranges[i] = (struct weir_range){(97 - i) * 1000, WEIR_OBJECT_BYTES_MAX / 2};
    say(scene, link, &commit, sizeof commit);
    assert_non_null(backing.job);
    for (uint32_t i = 0; i < backing.job->count; i++)
        bytes += backing.job->pieces[i].bytes;
    assert_int_equal(bytes, 3 * WEIR_CHUNK_BYTES - 34000);
    weir_server_reap_jobs(&scene->server);
    while (link->outstanding_count)
        land(scene, link);
    lose(scene, link);
}

static void who_takes_no_answers_fills_no_memory(void **state)
{
    struct scene *scene = *state;
    struct weir_link *link = &scene->links[0];
    struct weir_request request = {.verb = WEIR_VERB_PING};

    join(scene, link);
    link->is_full = true;
    say_hello(scene, link);
    for (unsigned i = 0; link->is_open && i < 100; i++)
        say(scene, link, &request, sizeof request);
    assert_false(link->is_open);
    assert_true(scene->requests <= 2 * CREDITS + 1);
    assert_int_equal(scene->answers, 0);
}

static void a_new_client_in_an_old_place_must_say_hello_itself(void **state)
{
    struct scene *scene = *state;
    struct weir_link *link = &scene->links[0];
    struct weir_request request = {.verb = WEIR_VERB_MAP,
                                   .object = 5,
                                   .generation = 5,
                                   .count = 1,
                                   .flags = WEIR_REQUEST_ALLOCATE};

    join(scene, link);
    say_hello(scene, link);
    say(scene, link, &request, sizeof request);
    assert_int_equal(scene->answers, 2);
    lose(scene, link);
    join(scene, link);
    say(scene, link, &request, sizeof request);
    assert_int_equal(scene->answers, 3);
    assert_int_equal(scene->good, 2); /* no hello */
    lose(scene, link);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whatever_comes_nothing_is_lost),
        TEST(each_request_of_a_patient_client_has_one_answer),
        TEST(a_commit_of_the_same_ranges_again_and_again_writes_each_byte_once),
        TEST(who_takes_no_answers_fills_no_memory),
        TEST(a_new_client_in_an_old_place_must_say_hello_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
