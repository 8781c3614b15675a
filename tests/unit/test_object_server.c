/* SPDX-License-Identifier: Apache-2.0 */
/* A server as its clients see it, over TCP and shared memory. */
#include "object_server_bed.h"

#include "network/objects/server_parts.h"

#define MIB WEIR_CHUNK_BYTES

struct bed {
    const char *provider;
    char backing[64];
    struct weir_object_server *server;
    struct bed_peer peers[3]; /* two are connected, and have said hello */
};

static struct weir_object_server_facts facts_of(struct bed *bed)
{
    struct weir_object_server_facts facts;

    weir_object_server_facts(bed->server, &facts);
    return facts;
}

/* Facts are told after the answer has gone. */
static void await_clients(struct bed *bed, uint64_t count)
{
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    while (facts_of(bed).client_count != count) {
        assert_true(weir_clock_kernel_ns() < end);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void open_server(struct bed *bed, const char *backing)
{
    struct weir_object_server_params params = {
        .fabric = {.provider = bed->provider,
                   .gid_index = -1,
                   .message_bytes = BED_MESSAGE_BYTES,
                   .interface = "127.0.0.1"},
        .listen = "127.0.0.1",
        .capacity_bytes = BED_CHUNKS * MIB - 5,
        .client_limit = 3,
        .backing_path = backing,
    };
    struct weir_error error = {0};

    if (weir_object_server_open(&params, &bed->server, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < 2; i++) {
        bed_connect(&bed->peers[i], bed->provider, weir_object_server_address(bed->server));
        assert_true(bed->peers[i].has_joined);
        assert_int_equal(bed_hello(&bed->peers[i], 2, 1), 0);
    }
    await_clients(bed, 2);
}

static int set_up(void **state, const char *provider, bool has_backing)
{
    struct bed *bed = calloc(1, sizeof *bed);

    bed->provider = provider;
    if (has_backing)
        snprintf(bed->backing, sizeof bed->backing, "/tmp/weir-server-%ld", (long)getpid());
    *state = bed;
    open_server(bed, has_backing ? bed->backing : NULL);
    return 0;
}

static int set_up_tcp(void **state)
{
    return set_up(state, "tcp", false);
}

static int set_up_shm(void **state)
{
    return set_up(state, "shm", false);
}

static int set_up_tcp_backed(void **state)
{
    return set_up(state, "tcp", true);
}

static int set_up_shm_backed(void **state)
{
    return set_up(state, "shm", true);
}

static int tear_down(void **state)
{
    struct bed *bed = *state;

    for (size_t i = 0; i < sizeof bed->peers / sizeof *bed->peers; i++)
        if (bed->peers[i].fabric)
            bed_disconnect(&bed->peers[i]);
    weir_object_server_close(bed->server);
    if (*bed->backing)
        unlink(bed->backing);
    free(bed);
    return 0;
}

static uint64_t used(struct bed *bed, struct bed_peer *peer)
{
    struct weir_object_server_facts facts;

    /* Facts are told after each round of events, and the one before this request is over. */
    assert_int_equal(bed_ask(peer, (struct weir_request){.verb = WEIR_VERB_PING}, NULL), 0);
    weir_object_server_facts(bed->server, &facts);
    return facts.used_bytes / MIB;
}

static struct weir_answer create(struct bed_peer *peer, const char *path, uint32_t stripes)
{
    struct weir_request request = {
        .verb = WEIR_VERB_OPEN, .flags = WEIR_REQUEST_CREATE, .unit_bytes = MIB, .count = stripes};

    assert_int_equal(bed_path(peer, request, path), 0);
    assert_int_equal(weir_object_home(peer->answer.object), 1);
    return peer->answer;
}

static struct weir_request of(uint32_t verb, const struct weir_answer *object)
{
    return (struct weir_request){
        .verb = verb, .object = object->object, .generation = object->generation};
}

/* As clients do: the data of an object need not be where its name is. */
static void drop_if_told(struct bed_peer *peer)
{
    struct weir_answer object = peer->answer;

    if (object.count > 0)
        assert_int_equal(bed_ask(peer, of(WEIR_VERB_DROP, &object), NULL), 0);
}

/* Address of a chunk, of `count` that lie in one piece. */
static uint64_t map(struct bed_peer *peer, const struct weir_answer *object, uint64_t first,
                    uint32_t count)
{
    struct weir_request request = of(WEIR_VERB_MAP, object);
    struct weir_chunk_run run;

    request.offset = first * MIB;
    request.count = count;
    request.flags = WEIR_REQUEST_ALLOCATE;
    assert_int_equal(bed_ask(peer, request, NULL), 0);
    memcpy(&run, peer->payload, sizeof run);
    assert_int_equal(run.count, count);
    assert_true(run.address >= peer->admit.slab.address);
    assert_true(run.address + count * MIB <= peer->admit.slab.address + BED_CHUNKS * MIB);
    return run.address;
}

static void fill(unsigned char *memory, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)(i * 7 + i / 4096 + seed);
}

static int pull_or_push(struct bed_peer *peer, uint32_t verb, const struct weir_answer *object,
                        uint64_t offset, size_t at, uint64_t bytes)
{
    struct weir_request request = of(verb, object);

    request.offset = offset;
    request.bytes = bytes;
    request.memory = weir_region_key(peer->region);
    request.address = request.memory.address + at;
    return bed_ask(peer, request, NULL);
}

/* ---- */

static void what_one_client_writes_past_the_server_another_reads(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *writer = &bed->peers[0], *reader = &bed->peers[1];
    struct weir_answer object = create(writer, "/a/b", 1);
    uint64_t address = map(writer, &object, 0, 2);

    fill(writer->memory, MIB + 777, 3);
    assert_int_equal(bed_move(writer, WEIR_WR_WRITE, 0, address + 5, MIB + 777), 0);
    assert_int_equal(bed_ask(writer, of(WEIR_VERB_COMMIT, &object), NULL), 0);
    assert_int_equal(writer->answer.level, WEIR_FLUSH_VISIBLE);
    assert_int_equal(bed_path(reader, (struct weir_request){.verb = WEIR_VERB_OPEN}, "/a/b"), 0);
    assert_int_equal(reader->answer.object, object.object);
    address = map(reader, &object, 0, 2);
    assert_int_equal(bed_move(reader, WEIR_WR_READ, 0, address + 5, MIB + 777), 0);
    assert_memory_equal(reader->memory, writer->memory, MIB + 777);
    assert_int_equal(bed_move(reader, WEIR_WR_READ, 0, address, 5), 0);
    assert_memory_equal(reader->memory, "\0\0\0\0", 5);
}

static void data_that_the_server_moves_arrive_whole(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    struct weir_answer object = create(peer, "f", 1);
    uint64_t bytes = MIB + 4321;

    fill(peer->memory, bytes, 9);
    assert_int_equal(pull_or_push(peer, WEIR_VERB_WRITE_PULL, &object, MIB - 11, 0, bytes), 0);
    assert_int_equal(peer->answer.bytes, bytes);
    memset(peer->memory + 2 * MIB, 0xaa, MIB + MIB / 2);
    assert_int_equal(pull_or_push(peer, WEIR_VERB_READ_PUSH, &object, MIB - 11, 2 * MIB, bytes), 0);
    assert_memory_equal(peer->memory, peer->memory + 2 * MIB, bytes);
    /* Holes, in front and where no chunk is. */
    assert_int_equal(pull_or_push(peer, WEIR_VERB_READ_PUSH, &object, 0, 2 * MIB, 100), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(peer->memory[2 * MIB + (size_t)i], 0);
    memset(peer->memory + 2 * MIB, 0xaa, 10000);
    assert_int_equal(pull_or_push(peer, WEIR_VERB_READ_PUSH, &object, 5 * MIB, 2 * MIB, 10000), 0);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(peer->memory[2 * MIB + (size_t)i], 0);
    assert_int_equal(used(bed, peer), 3);
    assert_int_equal(pull_or_push(peer, WEIR_VERB_WRITE_PULL, &object, 0, 0, 3 * MIB), 0);
    assert_int_equal(used(bed, peer), 3);
}

static void a_push_that_failed_is_not_told_as_done(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    struct weir_answer object = create(peer, "f", 1);
    struct weir_request request = of(WEIR_VERB_READ_PUSH, &object);

    request.memory = weir_region_key(peer->region);
    request.memory.address = request.address = 64; /* nothing is there */
    request.memory.key ^= 1;
    request.bytes = 1000;
    bed_send(peer, request, NULL);
    assert_false(bed_await(peer, peer->answers + 1));
    assert_true(peer->has_left);
    assert_int_equal(used(bed, &bed->peers[1]), 0);
}

static void messages_carry_data_up_to_their_size(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    struct weir_answer object = create(peer, "f", 1);
    struct weir_request request = of(WEIR_VERB_WRITE_SEND, &object);
    static unsigned char data[BED_MESSAGE_BYTES];

    fill(data, sizeof data, 1);
    request.offset = MIB - 100;
    request.bytes = request.payload_bytes = 16000;
    assert_int_equal(bed_ask(peer, request, data), 0);
    request.verb = WEIR_VERB_READ_SEND;
    request.payload_bytes = 0;
    assert_int_equal(bed_ask(peer, request, NULL), 0);
    assert_int_equal(peer->answer.payload_bytes, 16000);
    assert_memory_equal(peer->payload, data, 16000);
    request.bytes = 40;
    request.offset += 16000 - 20;
    assert_int_equal(bed_ask(peer, request, NULL), 0);
    assert_memory_equal(peer->payload, data + 16000 - 20, 20);
    assert_memory_equal(peer->payload + 20, "\0\0\0\0\0\0\0", 8);
    request.bytes = BED_MESSAGE_BYTES;
    assert_int_equal(bed_ask(peer, request, NULL), -EMSGSIZE);
}

static void a_message_as_long_as_can_be_comes_back_as_it_was(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    static unsigned char data[BED_MESSAGE_BYTES];
    struct weir_request request = {.verb = WEIR_VERB_PING,
                                   .payload_bytes = BED_MESSAGE_BYTES - sizeof request};

    fill(data, sizeof data, 5);
    assert_int_equal(bed_ask(peer, request, data), 0);
    assert_int_equal(peer->answer.payload_bytes, request.payload_bytes);
    assert_memory_equal(peer->payload, data, request.payload_bytes);
}

static void more_long_answers_than_buffers_come_all_the_same(void **state)
{
    struct bed *bed = *state;
    static unsigned char data[12000];

    for (unsigned round = 0; round < 20; round++)
        for (unsigned p = 0; p < 2; p++) {
            struct bed_peer *peer = &bed->peers[p];
            unsigned expected = peer->answers + 30;

            /* The data lie in one place, and are the same for all. */
            fill(data, sizeof data, 0);
            for (unsigned i = 0; i < 30; i++)
                bed_send(peer,
                         (struct weir_request){.verb = WEIR_VERB_PING, .payload_bytes = 12000},
                         data);
            assert_true(bed_await(peer, expected));
            assert_memory_equal(peer->payload, data, sizeof data);
        }
}

static void the_scratch_is_nobodys_and_can_be_written(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    const struct weir_welcome *admit = &peer->admit;

    assert_int_equal(admit->scratch_bytes, MIB);
    assert_int_equal(admit->capacity_bytes, BED_CHUNKS * MIB);
    assert_int_equal(admit->scratch_address - admit->slab.address, BED_CHUNKS * MIB);
    fill(peer->memory, MIB, 4);
    assert_int_equal(bed_move(peer, WEIR_WR_WRITE, 0, admit->scratch_address, MIB), 0);
    assert_int_equal(bed_move(peer, WEIR_WR_READ, MIB, admit->scratch_address, MIB), 0);
    assert_memory_equal(peer->memory, peer->memory + MIB, MIB);
}

static void a_full_server_says_so_and_is_none_the_worse(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    struct weir_answer a = create(peer, "a", 1), b = create(peer, "b", 1);
    struct weir_request request = of(WEIR_VERB_MAP, &b);

    map(peer, &a, 0, 7);
    request.count = 2;
    request.flags = WEIR_REQUEST_ALLOCATE;
    assert_int_equal(bed_ask(peer, request, NULL), -ENOSPC);
    assert_int_equal(pull_or_push(peer, WEIR_VERB_WRITE_PULL, &b, 0, 0, MIB + 1), -ENOSPC);
    assert_int_equal(used(bed, peer), 7);
    assert_int_equal(bed_ask(peer, of(WEIR_VERB_RELEASE, &a), NULL), 0);
    assert_int_equal(bed_ask(peer, of(WEIR_VERB_CLOSE, &a), NULL), 0);
    assert_int_equal(bed_path(peer, (struct weir_request){.verb = WEIR_VERB_UNLINK}, "a"), 0);
    drop_if_told(peer);
    assert_int_equal(used(bed, peer), 0);
    assert_int_equal(bed_ask(peer, request, NULL), 0);
    assert_int_equal(used(bed, peer), 2);
}

static void a_client_that_is_cut_off_frees_what_it_had(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0], *other = &bed->peers[1];
    struct weir_answer object = create(peer, "a", 1);

    map(peer, &object, 0, 5);
    assert_int_equal(bed_path(other, (struct weir_request){.verb = WEIR_VERB_UNLINK}, "a"), 0);
    assert_int_equal(used(bed, other), 5);
    bed_disconnect(peer);
    await_clients(bed, 1);
    /* Its only shard might be at the other server, which nobody told. */
    create(other, "b", 1);
    assert_int_equal(other->answer.count, 1);
    assert_memory_equal(other->payload, &object.object, sizeof object.object);
    assert_int_equal(bed_ask(other, of(WEIR_VERB_DROP, &object), NULL), 0);
    assert_int_equal(used(bed, other), 0);
    bed_connect(peer, bed->provider, weir_object_server_address(bed->server));
    assert_int_equal(bed_ask(peer, of(WEIR_VERB_STAT, &object), NULL), -EINVAL); /* no hello */
    assert_int_equal(bed_hello(peer, 2, 1), 0);
    assert_int_equal(bed_ask(peer, of(WEIR_VERB_STAT, &object), NULL), -ESTALE);
}

static void a_client_may_leave_in_the_middle_of_anything(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0], *other = &bed->peers[1];
    struct weir_answer object = create(other, "a", 1);

    for (unsigned round = 0; round < 20; round++) {
        struct weir_request request = of(WEIR_VERB_WRITE_PULL, &object);

        request.bytes = 3 * MIB;
        request.memory = weir_region_key(peer->region);
        request.address = request.memory.address;
        for (unsigned i = 0; i < 8; i++) {
            request.verb = i % 2 ? WEIR_VERB_WRITE_PULL : WEIR_VERB_READ_PUSH;
            bed_send(peer, request, NULL);
        }
        for (unsigned i = 0; i < round % 4; i++)
            bed_turn(peer);
        bed_disconnect(peer);
        bed_connect(peer, bed->provider, weir_object_server_address(bed->server));
        if (!peer->has_joined) /* the server may still have the place taken */
            fail_msg("could not come back in round %u", round);
        assert_int_equal(bed_hello(peer, 2, 1), 0);
    }
    assert_int_equal(bed_ask(other, of(WEIR_VERB_CLOSE, &object), NULL), 0);
    assert_int_equal(bed_path(other, (struct weir_request){.verb = WEIR_VERB_UNLINK}, "a"), 0);
    drop_if_told(other);
    bed_disconnect(peer);
    await_clients(bed, 1);
    assert_int_equal(used(bed, other), 0);
}

static void clients_that_disagree_are_refused_with_a_sentence(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[2];
    struct weir_hello hello = {.magic = WEIR_PROTOCOL_MAGIC, .version = 99};
    struct weir_request request = {.verb = WEIR_VERB_HELLO, .payload_bytes = sizeof hello};

    bed_connect(peer, bed->provider, weir_object_server_address(bed->server));
    assert_int_equal(bed_hello(peer, 3, 1), -EPROTO);
    peer->payload[peer->answer.payload_bytes] = 0;
    assert_non_null(strstr((char *)peer->payload, "number 1 of 2"));
    assert_non_null(strstr((char *)peer->payload, "number 1 of 3"));
    assert_int_equal(bed_hello(peer, 2, 0), -EPROTO);
    assert_int_equal(bed_ask(peer, request, &hello), -EPROTO);
    peer->payload[peer->answer.payload_bytes] = 0;
    assert_non_null(strstr((char *)peer->payload, "version 3"));
    hello.magic++;
    assert_int_equal(bed_ask(peer, request, &hello), -EPROTO);
    assert_int_equal(bed_path(peer, (struct weir_request){.verb = WEIR_VERB_MKDIR}, "d"), -EINVAL);
    assert_int_equal(bed_hello(peer, 2, 1), 0);
}

static void an_empty_server_learns_a_new_place(void **state)
{
    struct bed *bed = *state;
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    bed_disconnect(&bed->peers[1]);
    while (bed_hello(&bed->peers[0], 9, 8)) /* until it has noticed */
        assert_true(weir_clock_kernel_ns() < end);
    assert_int_equal(bed_path(&bed->peers[0], (struct weir_request){.verb = WEIR_VERB_MKDIR}, "d"),
                     0);
    assert_int_equal(weir_object_home(bed->peers[0].answer.object), 8);
    assert_int_equal(bed_hello(&bed->peers[0], 9, 7), -EPROTO);
}

static void one_client_more_than_allowed_is_sent_away(void **state)
{
    struct bed *bed = *state;
    struct bed_peer more = {0};
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    bed_connect(&bed->peers[2], bed->provider, weir_object_server_address(bed->server));
    assert_int_equal(bed_hello(&bed->peers[2], 2, 1), 0);
    bed_connect(&more, bed->provider, weir_object_server_address(bed->server));
    while (!more.has_left) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(&more);
    }
    bed_disconnect(&more);
    assert_int_equal(used(bed, &bed->peers[2]), 0);
    await_clients(bed, 3);
}

static void a_client_that_cannot_receive_an_answer_is_cut_off(void **state)
{
    struct bed *bed = *state;
    struct bed_peer small = {0};
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    bed_connect_with(&small, bed->provider, weir_object_server_address(bed->server), 512);
    if (!small.has_left)
        bed_send(&small, (struct weir_request){.verb = WEIR_VERB_PING}, NULL);
    while (!small.has_left) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(&small);
    }
    bed_disconnect(&small);
    assert_int_equal(used(bed, &bed->peers[0]), 0);
    await_clients(bed, 2);
}

static void what_is_no_request_cuts_the_link_and_no_other(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    struct weir_wr wr = {.verb = WEIR_WR_SEND, .header = "garbage", .header_bytes = 7};
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    bed_post(peer, &wr);
    while (!peer->has_left) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(peer);
    }
    assert_int_equal(used(bed, &bed->peers[1]), 0);
}

static void nothing_to_do_costs_nothing(void **state)
{
    struct bed *bed = *state;
    struct timespec before, after;
    double spent;

    (void)used(bed, &bed->peers[0]);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    spent = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    assert_true(spent < 0.1);
}

static void the_backing_has_what_was_committed(void **state)
{
    struct bed *bed = *state;
    struct bed_peer *peer = &bed->peers[0];
    struct weir_answer object = create(peer, "a", 1);
    uint64_t address = map(peer, &object, 0, 2);
    uint64_t place = address - peer->admit.slab.address;
    struct weir_range ranges[2] = {{100, MIB}, {UINT64_C(1) << 61, 5}};
    struct weir_request request = of(WEIR_VERB_COMMIT, &object);
    unsigned char *read = malloc(MIB);
    FILE *file = fopen(bed->backing, "r");

    assert_int_equal(peer->admit.has_backing, 1);
    assert_true(facts_of(bed).has_backing);
    fill(peer->memory, MIB, 8);
    assert_int_equal(bed_move(peer, WEIR_WR_WRITE, 0, address + 100, MIB), 0);
    request.count = 2;
    request.payload_bytes = sizeof ranges;
    assert_int_equal(bed_ask(peer, request, ranges), 0);
    assert_int_equal(peer->answer.level, WEIR_FLUSH_VISIBLE);
    fseek(file, (long)place + 100, SEEK_SET);
    assert_int_equal(fread(read, 1, MIB, file), MIB);
    assert_int_equal(read[0] | read[4711] | read[MIB - 1], 0);
    request.flags = WEIR_REQUEST_STORAGE;
    assert_int_equal(bed_ask(peer, request, ranges), 0);
    assert_int_equal(peer->answer.level, WEIR_FLUSH_STORAGE);
    rewind(file);
    fseek(file, (long)place + 100, SEEK_SET);
    assert_int_equal(fread(read, 1, MIB, file), MIB);
    assert_memory_equal(read, peer->memory, MIB);
    fclose(file);
    free(read);
    /* And who leaves while it is written hurts nobody. */
    bed_send(peer, request, ranges);
    bed_disconnect(peer);
    await_clients(bed, 1);
    assert_int_equal(bed_ask(&bed->peers[1], request, ranges), 0);
}

#define BOTH(function)                                                                             \
    cmocka_unit_test_setup_teardown(function, set_up_tcp, tear_down),                              \
        cmocka_unit_test_setup_teardown(function, set_up_shm, tear_down)

static void servers_of_a_node_share_an_eighth_of_its_memory(void **state)
{
    static const struct {
        unsigned message_kib, clients, servers, gib, credits;
    } cases[] = {
        {64, 16, 0, 64, 32},    {64, 16, 4, 64, 32},   {64, 4096, 1, 64, 32},
        {64, 4097, 1, 64, 16},  {64, 4096, 2, 64, 16}, {64, 4096, 3, 64, 8},
        {64, 4096, 8, 64, 4},   {64, 4096, 64, 64, 4}, {64, 1000000, 1, 1, 4},
        {64, 1000000, 1, 0, 4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_object_server_params params = {.fabric.message_bytes =
                                                             cases[i].message_kib << 10,
                                                         .client_count = cases[i].clients,
                                                         .node_server_count = cases[i].servers};

        assert_int_equal(weir_server_credits(&params, (uint64_t)cases[i].gib << 30),
                         cases[i].credits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(what_one_client_writes_past_the_server_another_reads),
        BOTH(data_that_the_server_moves_arrive_whole),
        BOTH(a_push_that_failed_is_not_told_as_done),
        BOTH(messages_carry_data_up_to_their_size),
        BOTH(a_message_as_long_as_can_be_comes_back_as_it_was),
        BOTH(a_client_that_cannot_receive_an_answer_is_cut_off),
        BOTH(more_long_answers_than_buffers_come_all_the_same),
        BOTH(the_scratch_is_nobodys_and_can_be_written),
        BOTH(a_full_server_says_so_and_is_none_the_worse),
        BOTH(a_client_that_is_cut_off_frees_what_it_had),
        BOTH(a_client_may_leave_in_the_middle_of_anything),
        BOTH(clients_that_disagree_are_refused_with_a_sentence),
        BOTH(an_empty_server_learns_a_new_place),
        BOTH(one_client_more_than_allowed_is_sent_away),
        BOTH(what_is_no_request_cuts_the_link_and_no_other),
        BOTH(nothing_to_do_costs_nothing),
        cmocka_unit_test(servers_of_a_node_share_an_eighth_of_its_memory),
        cmocka_unit_test_setup_teardown(the_backing_has_what_was_committed, set_up_tcp_backed,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_backing_has_what_was_committed, set_up_shm_backed,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
