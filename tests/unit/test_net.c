/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of weir net: what is counted, how messages are checked, how ranks meet, and whole runs of
 * threads over tcp. */
#include "thread_group.h"

#include "network/net/barrier.h"
#include "network/net/run.h"
#include "network/net/stamps.h"
#include "network/net/tally.h"
#include "weir/net/net.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* This thread has memory for so many pieces more. */
static __thread int pieces_left = INT_MAX;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *piece, size_t bytes);
void *__wrap_realloc(void *piece, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return pieces_left-- > 0 ? __real_calloc(count, bytes) : NULL;
}

void *__wrap_realloc(void *piece, size_t bytes)
{
    return pieces_left-- > 0 ? __real_realloc(piece, bytes) : NULL;
}

/* ---- tally ---- */

static void what_the_warm_up_has_posted_does_not_count(void **state)
{
    struct net_tally tally = {.warm_until_ns = 1000, .duration_ns = 10000};

    net_tally_begin(&tally, 500);
    net_tally_post(&tally, 500, 40);
    net_tally_add(&tally, 600, 10, true);
    net_tally_add(&tally, 999, 10, true);
    assert_int_equal(tally.state, NET_TALLY_WARMING);
    assert_true(tally.post_limit == UINT64_MAX);
    net_tally_add(&tally, 1100, 10, true);
    assert_int_equal(tally.state, NET_TALLY_DRAINING);
    assert_int_equal(tally.post_limit, 40);
    net_tally_add(&tally, 1200, 10, true);
    assert_int_equal(tally.state, NET_TALLY_READY);
    assert_true(tally.post_limit == UINT64_MAX);
    net_tally_post(&tally, 1300, 20);
    assert_int_equal(tally.state, NET_TALLY_COUNTING);
    net_tally_add(&tally, 6100, 10, true);
    net_tally_post(&tally, 6100, 10);
    net_tally_add(&tally, 11299, 10, true);
    assert_true(tally.post_limit == UINT64_MAX);
    net_tally_post(&tally, 11299, 10);
    net_tally_add(&tally, 11300, 10, true);
    /* Nothing more is posted; what is in flight counts, and its time too. */
    assert_int_equal(tally.state, NET_TALLY_COUNTING);
    assert_int_equal(tally.post_limit, 80);
    net_tally_add(&tally, 20000, 10, true);
    assert_int_equal(tally.state, NET_TALLY_OVER);
    assert_int_equal(tally.count, 40);
    assert_int_equal(tally.begin_ns, 1300);
    assert_int_equal(tally.end_ns, 20000);
    assert_int_equal(tally.completed, 80);
    assert_int_equal(tally.post_limit, 0);
}

static void without_warm_up_everything_counts_from_the_first_post(void **state)
{
    struct net_tally tally = {.warm_until_ns = 500, .iterations = 25};

    net_tally_begin(&tally, 500);
    assert_int_equal(tally.post_limit, 25);
    net_tally_post(&tally, 600, 25);
    net_tally_add(&tally, 700, 24, true);
    assert_int_equal(tally.state, NET_TALLY_COUNTING);
    net_tally_add(&tally, 800, 1, true);
    assert_int_equal(tally.state, NET_TALLY_OVER);
    assert_int_equal(tally.count, 25);
    assert_int_equal(tally.begin_ns, 600);
    assert_int_equal(tally.end_ns, 800);
}

/* Any numbers of messages are accepted and completed at a time, with any number in flight. */
static void exactly_what_was_asked_for_counts_however_it_is_completed(void **state)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t depth = 1 + seed % 131, batch = 1 + seed % 17, now_ns = 1000, begun_ns = 0;
        struct net_tally tally = {.warm_until_ns = 1000 + seed % 5 * 700,
                                  .iterations = seed % 2 * (1 + seed % 97),
                                  .duration_ns = seed % 2 == 0 ? 1 + seed % 3 * 5000 : 0};
        uint64_t draw = seed, before = 0, last_ns = 0;

        net_tally_begin(&tally, now_ns);
        while (tally.state != NET_TALLY_OVER || tally.completed < tally.posted) {
            uint64_t in_flight = tally.posted - tally.completed, done;
            uint64_t left = tally.post_limit - tally.posted;

            draw = draw * 6364136223846793005u + 1442695040888963407u;
            if (tally.posted < tally.post_limit && in_flight < depth) {
                uint64_t room = depth - in_flight;

                room = room < batch ? room : batch;
                if (tally.state == NET_TALLY_READY) {
                    assert_int_equal(in_flight, 0);
                    begun_ns = now_ns;
                    before = tally.completed;
                }
                net_tally_post(&tally, now_ns, room < left ? room : left);
            }
            now_ns += 1 + (draw >> 33) % 500;
            done = (draw >> 40) % 65;
            in_flight = tally.posted - tally.completed;
            done = done < in_flight ? done : in_flight;
            if (done == 0)
                continue;
            last_ns = now_ns;
            net_tally_add(&tally, now_ns, done, true);
        }
        assert_int_equal(tally.count, tally.posted - before);
        if (tally.iterations > 0)
            assert_int_equal(tally.count, tally.iterations);
        else
            assert_true(tally.count > 0 && tally.end_ns - tally.begin_ns >= tally.duration_ns);
        assert_int_equal(tally.begin_ns, begun_ns);
        assert_int_equal(tally.end_ns, last_ns);
    }
}

/* Posts and completes `count` messages at `now_ns`. */
static void move_on(struct net_tally *tally, uint64_t now_ns, uint64_t count)
{
    net_tally_post(tally, now_ns - 1, count);
    net_tally_add(tally, now_ns, count, true);
}

static void a_peak_is_the_best_hundredth_and_not_a_single_batch(void **state)
{
    struct net_tally tally = {.duration_ns = UINT64_C(100) * 20000000};
    uint64_t now_ns = 0;

    net_tally_begin(&tally, 0);
    net_tally_post(&tally, 0, 1); /* stays in flight */
    for (int part = 0; part < 50; part++)
        for (int batch = 1; batch <= 10; batch++)
            move_on(&tally, now_ns += 2000000, part == 20 ? 3 : 1);
    /* Ten batches of 3 in 20 ms, without the message that was in flight before. */
    assert_true(tally.peak_per_s > 1440 && tally.peak_per_s < 1460);
}

static void batches_that_follow_each_other_at_once_are_no_peak(void **state)
{
    struct net_tally tally = {.iterations = 1000};
    uint64_t now_ns = 0;

    net_tally_begin(&tally, 0);
    net_tally_post(&tally, 0, 1); /* stays in flight */
    for (int batch = 0; batch < 49; batch++)
        move_on(&tally, now_ns += batch % 2 == 0 ? 9999000 : 1000, 20);
    assert_true(tally.peak_per_s > 0 && tally.peak_per_s < 4100);
}

/* They may have been completed before the part, and seen late. */
static void messages_that_were_in_flight_before_a_part_are_not_in_its_peak(void **state)
{
    struct net_tally tally = {.iterations = 1000};

    net_tally_begin(&tally, 0);
    net_tally_post(&tally, 0, 110);
    net_tally_add(&tally, 10000000, 10, true);
    assert_true(tally.peak_per_s > 999 && tally.peak_per_s < 1001);
    net_tally_add(&tally, 20000000, 100, true);
    assert_true(tally.peak_per_s < 1001);
}

static void intervals_have_what_was_seen_in_them(void **state)
{
    uint64_t intervals[3] = {0};
    struct net_tally tally = {.duration_ns = 10000,
                              .interval_ns = 1000,
                              .intervals = intervals,
                              .interval_count = COUNT(intervals)};

    net_tally_begin(&tally, 0);
    net_tally_post(&tally, 100, 20);
    net_tally_add(&tally, 1099, 1, true);
    net_tally_add(&tally, 1600, 2, true);
    net_tally_add(&tally, 2600, 4, true); /* half of them by 2100 */
    net_tally_add(&tally, 9000, 8, true);
    assert_int_equal(intervals[0], 1);
    assert_int_equal(intervals[1], 4);
    assert_int_equal(intervals[2], 10);
}

/* As of a process that had no CPU: no interval has more than there was time for. */
static void what_is_seen_late_is_spread_over_the_time_before(void **state)
{
    uint64_t intervals[8] = {0};
    struct net_tally tally = {.duration_ns = 10000,
                              .interval_ns = 1000,
                              .intervals = intervals,
                              .interval_count = COUNT(intervals)};

    net_tally_begin(&tally, 0);
    net_tally_post(&tally, 0, 129);
    net_tally_add(&tally, 8000, 64, false);
    net_tally_add(&tally, 8000, 64, true);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(intervals[i], 16);
}

/* ---- stamps ---- */

static const size_t stamped_sizes[] = {8,    9,    15,   16,   17,    24,    100,    4095,
                                       4096, 4097, 4103, 4104, 12288, 65536, 1000003};

static void a_stamp_is_read_as_it_was_written(void **state)
{
    for (size_t i = 0; i < COUNT(stamped_sizes); i++) {
        unsigned char *message = malloc(stamped_sizes[i]);
        uint64_t number = 0;

        memset(message, 0x77, stamped_sizes[i]);
        net_stamp_put(message, stamped_sizes[i], 5, 123456789);
        assert_true(net_stamp_get(message, stamped_sizes[i], 5, &number));
        assert_int_equal(number, 123456789);
        free(message);
    }
}

static void a_message_of_two_halves_is_wrong(void **state)
{
    for (size_t i = 3; i < COUNT(stamped_sizes); i++) {
        size_t bytes = stamped_sizes[i];
        unsigned char *one = malloc(bytes), *other = malloc(bytes);
        uint64_t number;

        net_stamp_put(one, bytes, 5, 1);
        net_stamp_put(other, bytes, 5, 2);
        memcpy(one + bytes / 2, other + bytes / 2, bytes - bytes / 2);
        assert_false(net_stamp_get(one, bytes, 5, &number));
        free(one);
        free(other);
    }
}

static void every_page_is_looked_at(void **state)
{
    enum { BYTES = 65536 + 100 };
    static unsigned char message[BYTES];

    for (size_t at = 0; at < BYTES; at += 4096) {
        uint64_t number;

        memset(message, 0, sizeof message);
        net_stamp_put(message, BYTES, 9, 77);
        message[at] ^= 1;
        assert_false(net_stamp_get(message, BYTES, 9, &number) && number == 77);
    }
}

static void pages_of_one_message_cannot_change_places(void **state)
{
    static unsigned char message[16384], page[4096];
    uint64_t number;

    net_stamp_put(message, sizeof message, 9, 77);
    memcpy(page, message + 4096, sizeof page);
    memcpy(message + 4096, message + 8192, sizeof page);
    memcpy(message + 8192, page, sizeof page);
    assert_false(net_stamp_get(message, sizeof message, 9, &number));
}

static void a_stamp_of_another_flow_and_a_spoilt_one_are_wrong(void **state)
{
    for (size_t i = 3; i < COUNT(stamped_sizes); i++) {
        size_t bytes = stamped_sizes[i];
        unsigned char *message = calloc(1, bytes);
        uint64_t number;

        net_stamp_put(message, bytes, 5, 3);
        assert_false(net_stamp_get(message, bytes, 6, &number));
        net_stamp_spoil(message, bytes);
        assert_false(net_stamp_get(message, bytes, 5, &number));
        free(message);
    }
}

/* ---- the two ends of one flow, without a network ---- */

enum { SLOTS = 4, STRIDE = 64, BYTES = 48 };

/* A transport that carries nothing: it remembers the last note. */
struct stub {
    struct net_transport transport;
    struct net_control told;
    unsigned told_count;
    unsigned released;
    unsigned char memory[SLOTS * STRIDE];
};

static struct stub stub;

static int stub_begin(struct net_transport *transport, const struct net_transfer *transfers,
                      unsigned count)
{
    assert_ptr_equal(transport, &stub.transport);
    assert_non_null(transfers);
    assert_int_equal(count, 1);
    return 0;
}

static int stub_tell(struct net_link *link, const struct net_control *control)
{
    assert_non_null(link);
    stub.told = *control;
    stub.told_count++;
    return 0;
}

static void stub_release(struct net_link *link, void *data)
{
    assert_non_null(link);
    assert_non_null(data);
    stub.released++;
}

static const struct net_transport_ops stub_ops = {
    .begin = stub_begin, .tell = stub_tell, .release = stub_release};

struct bench {
    struct weir_group group;
    struct weir_net_plan plan;
    struct weir_net_params params;
    struct weir_clock clock;
    struct net_link link;
    struct net_peer peers[2];
    struct weir_net_flow flow;
    struct net_endpoint end;
    struct net_transfer transfer;
    struct weir_histogram latency;
    uint32_t tokens[SLOTS];
    uint64_t post_ns[SLOTS];
    uint64_t last_number[SLOTS];
    struct net_trial trial;
    struct net_run run;
};

/* This is rank `rank` of the flow 0 -> 1. */
static void open_bench(struct bench *bench, int rank, enum weir_net_verb verb)
{
    struct weir_error error = {0};

    memset(bench, 0, sizeof *bench);
    memset(&stub, 0, sizeof stub);
    stub.transport.ops = &stub_ops;
    stub.transport.memory = stub.memory;
    bench->group = (struct weir_group){.rank = rank, .size = 2};
    bench->plan = (struct weir_net_plan){.verb = verb, .measure = WEIR_NET_BANDWIDTH};
    bench->link =
        (struct net_link){.peer = 1 - (uint32_t)rank, .is_opener = rank == 0, .is_up = true};
    bench->peers[1 - rank] = (struct net_peer){.opened = rank == 0 ? &bench->link : NULL,
                                               .accepted = rank == 0 ? NULL : &bench->link};
    bench->flow = (struct weir_net_flow){0, 1};
    bench->end.latency = &bench->latency;
    bench->end.free_tokens = bench->tokens;
    bench->end.post_ns = bench->post_ns;
    bench->end.last_number = bench->last_number;
    bench->trial = (struct net_trial){.bytes = BYTES,
                                      .stride = STRIDE,
                                      .slot_count = SLOTS,
                                      .depth = SLOTS,
                                      .batch = 1,
                                      .iterations = 100,
                                      .must_verify = true};
    bench->run = (struct net_run){.params = &bench->params,
                                  .plan = &bench->plan,
                                  .group = &bench->group,
                                  .clock = &bench->clock,
                                  .transport = &stub.transport,
                                  .peers = bench->peers,
                                  .flows = &bench->flow,
                                  .flow_count = 1,
                                  .endpoints = &bench->end,
                                  .transfers = &bench->transfer,
                                  .area_bytes = sizeof stub.memory};
    net_endpoints_list(&bench->run);
    assert_int_equal(bench->run.endpoint_count, 1);
    assert_int_equal(net_endpoints_begin(&bench->run, &bench->trial, &error), 0);
}

static void take_control(struct bench *bench, enum net_control_kind kind, uint64_t first,
                         uint64_t second, uint64_t third)
{
    const struct net_event event = {.kind = NET_EVENT_CONTROL,
                                    .link = &bench->link,
                                    .control = {.kind = kind, .values = {first, second, third}}};

    net_endpoint_hear(&bench->run, &bench->trial, &event);
}

static void hear_message(struct bench *bench, unsigned char *data, uint64_t bytes)
{
    const struct net_event event = {
        .kind = NET_EVENT_RECEIVED, .link = &bench->link, .data = data, .bytes = bytes};

    net_endpoint_hear(&bench->run, &bench->trial, &event);
}

static void a_sink_answers_when_all_that_was_sent_has_come(void **state)
{
    struct bench bench;
    unsigned char message[BYTES];

    open_bench(&bench, 1, WEIR_NET_SEND);
    net_stamp_put(message, BYTES, bench.end.seed, 0);
    hear_message(&bench, message, BYTES);
    take_control(&bench, NET_CONTROL_END, 3, 3, 0);
    assert_int_equal(stub.told_count, 0);
    net_stamp_put(message, BYTES, bench.end.seed, 1);
    message[BYTES - 1] ^= 1;
    hear_message(&bench, message, BYTES);
    assert_int_equal(stub.told_count, 0);
    hear_message(&bench, message, BYTES - 1);
    assert_int_equal(stub.told_count, 1);
    assert_int_equal(stub.told.kind, NET_CONTROL_ENDED);
    assert_int_equal(stub.told.values[0], 3);
    assert_int_equal(stub.told.values[1], 2);
    assert_int_equal(stub.released, 3);
    /* Without stamps, the length is looked at all the same. */
    open_bench(&bench, 1, WEIR_NET_SEND);
    bench.trial.must_verify = false;
    hear_message(&bench, message, BYTES);
    assert_int_equal(bench.end.wrong_count, 0);
    hear_message(&bench, message, BYTES - 1);
    assert_int_equal(bench.end.wrong_count, 1);
}

static void a_sink_finds_the_places_that_are_wrong(void **state)
{
    for (unsigned wrong = 0; wrong <= SLOTS; wrong++) {
        struct bench bench;

        open_bench(&bench, 1, WEIR_NET_WRITE);
        for (unsigned slot = wrong; slot < SLOTS; slot++)
            net_stamp_put(stub.memory + slot * STRIDE, BYTES, bench.end.seed, 10 + slot);
        take_control(&bench, NET_CONTROL_END, 14, SLOTS, 0);
        assert_int_equal(stub.told_count, 1);
        assert_int_equal(stub.told.values[1], wrong);
        if (wrong == 0)
            assert_int_equal(stub.told.values[2], 10 + 11 + 12 + 13);
    }
}

static void a_source_counts_what_its_sink_found_wrong_or_old(void **state)
{
    static const struct {
        enum weir_net_verb verb;
        uint64_t received;
        uint64_t wrong;
        uint64_t sum;
        uint64_t expected;
        bool has_failed;
    } answers[] = {
        {WEIR_NET_WRITE, 0, 0, 2 + 3 + 4 + 5, 0, false},
        {WEIR_NET_WRITE, 0, 0, 2 + 3 + 4 + 1, 1, false},
        {WEIR_NET_WRITE, 0, 3, 2, 3, false},
        {WEIR_NET_SEND, 6, 0, 15, 0, false},
        {WEIR_NET_SEND, 6, 0, 14, 1, false},
        {WEIR_NET_SEND, 6, 2, 1, 2, false},
        {WEIR_NET_SEND, 5, 0, 15, 0, true},
    };

    for (size_t i = 0; i < COUNT(answers); i++) {
        struct bench bench;

        open_bench(&bench, 0, answers[i].verb);
        bench.end.tally.posted = 6;
        for (unsigned slot = 0; slot < SLOTS; slot++)
            bench.last_number[slot] = 2 + slot;
        net_endpoint_finish(&bench.run, &bench.end);
        assert_int_equal(stub.told.kind, NET_CONTROL_END);
        assert_int_equal(stub.told.values[0], 6);
        assert_int_equal(stub.told.values[1], SLOTS);
        assert_false(net_endpoints_are_over(&bench.run, &bench.trial));
        take_control(&bench, NET_CONTROL_ENDED, answers[i].received, answers[i].wrong,
                     answers[i].sum);
        assert_true(net_endpoints_are_over(&bench.run, &bench.trial));
        assert_int_equal(bench.end.wrong_count, answers[i].expected);
        assert_int_equal(bench.end.failure[0] != '\0', answers[i].has_failed);
    }
}

static void a_lost_link_ends_its_flow_with_a_sentence(void **state)
{
    struct bench bench;
    struct net_event event = {.kind = NET_EVENT_LOST, .code = -ECONNRESET};

    open_bench(&bench, 0, WEIR_NET_WRITE);
    event.link = &bench.link;
    net_endpoint_hear(&bench.run, &bench.trial, &event);
    assert_true(net_endpoints_are_over(&bench.run, &bench.trial));
    assert_non_null(strstr(bench.end.failure, "rank 1"));
    assert_non_null(strstr(bench.end.failure, strerror(ECONNRESET)));
    assert_int_equal(bench.end.tally.state, NET_TALLY_OVER);
    assert_false(bench.link.is_up);
}

/* ---- ranks as threads ---- */

struct member {
    struct thread_group group;
    struct weir_clock clock;
    pthread_t thread;
    const struct weir_net_plan *plan;
    struct weir_net_result *result;
    struct weir_error error;
    int code;
    volatile sig_atomic_t stop;
    uint64_t flows_most;
    int pieces; /* that it has memory for; 0: for all */
    int pieces_left;
    unsigned char flag;
    uint64_t arrived_ns;
    uint64_t left_ns;
};

static void run_members(struct member *members, int size, void *(*body)(void *))
{
    struct world world;
    struct weir_clock clock;

    weir_clock_calibrate(&clock, true);
    open_world(&world, size, size);
    for (int rank = 0; rank < size; rank++) {
        join_world(&members[rank].group, &world, rank);
        members[rank].clock = clock;
        assert_int_equal(pthread_create(&members[rank].thread, NULL, body, &members[rank]), 0);
    }
    for (int rank = 0; rank < size; rank++)
        pthread_join(members[rank].thread, NULL);
    close_world(&world);
}

static void *meet_late(void *context)
{
    struct member *me = context;
    struct net_barrier barrier;
    uint64_t begin_ns = weir_clock_ns(&me->clock);
    uint64_t mine_ns = (uint64_t)(me->group.base.rank * 7 % 5) * 2000000;
    int code = 0;

    net_barrier_begin(&barrier, &me->group.base, &me->clock, NULL);
    while (code == 0) {
        bool has_arrived = weir_clock_ns(&me->clock) - begin_ns >= mine_ns;

        if (has_arrived && me->arrived_ns == 0)
            me->arrived_ns = weir_clock_ns(&me->clock);
        sched_yield(); /* there may be fewer processors than ranks */
        code = net_barrier_step(&barrier, has_arrived, me->group.base.rank == 3);
    }
    me->left_ns = weir_clock_ns(&me->clock);
    me->code = code;
    me->flag = barrier.flag;
    return NULL;
}

static void nobody_leaves_a_meeting_before_all_have_come(void **state)
{
    for (int size = 1; size <= RANKS_MAX; size++) {
        struct member members[RANKS_MAX];
        uint64_t last_ns = 0;

        memset(members, 0, sizeof members);
        run_members(members, size, meet_late);
        for (int rank = 0; rank < size; rank++)
            last_ns = members[rank].arrived_ns > last_ns ? members[rank].arrived_ns : last_ns;
        for (int rank = 0; rank < size; rank++) {
            assert_int_equal(members[rank].code, 1);
            assert_true(members[rank].left_ns >= last_ns);
            assert_int_equal(members[rank].flag, size > 3);
        }
    }
}

/* ---- whole runs ---- */

static void *run_net(void *context)
{
    struct member *me = context;

    pieces_left = me->pieces > 0 ? me->pieces : INT_MAX;
    me->code = weir_net_run(&(struct weir_net_params){.plan = me->plan,
                                                      .group = &me->group.base,
                                                      .clock = &me->clock,
                                                      .stop_signal = &me->stop,
                                                      .flows_most = me->flows_most},
                            me->result, &me->error);
    me->pieces_left = pieces_left;
    return NULL;
}

/* Returns what rank 0 found. */
static struct weir_net_result *run_plan(const struct weir_net_plan *plan, int size,
                                        struct member members[RANKS_MAX])
{
    struct weir_net_result *result = weir_net_result_open();

    for (int rank = 0; rank < size; rank++) {
        members[rank].plan = plan;
        members[rank].result = rank == 0 ? result : NULL;
    }
    run_members(members, size, run_net);
    return result;
}

static struct weir_net_plan short_plan(void)
{
    return (struct weir_net_plan){.provider = "tcp",
                                  .interface = "127.0.0.1",
                                  .gid_index = -1,
                                  .sizes = {4096, 100},
                                  .size_count = 2,
                                  .iterations = 100,
                                  .depth = 10,
                                  .batch = 4,
                                  .pairs = 1,
                                  .repetitions = 2};
}

static void assert_right(const struct weir_net_plan *plan, const struct member *members, int size,
                         const struct weir_net_result *result)
{
    uint32_t rounds = weir_net_round_count(plan, (uint32_t)size);

    for (int rank = 0; rank < size; rank++)
        if (members[rank].code != 0)
            fail_msg("rank %d: %s", rank, members[rank].error.text);
    assert_int_equal(result->measurement_count, rounds * plan->size_count * plan->repetitions);
    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *measurement = &result->measurements[i];
        struct weir_net_flow flows[2 * RANKS_MAX];

        assert_int_equal(measurement->round, i % rounds);
        assert_int_equal(measurement->message_bytes, plan->sizes[i / rounds % plan->size_count]);
        assert_int_equal(measurement->repetition, i / rounds / plan->size_count);
        assert_int_equal(measurement->flow_count,
                         weir_net_round_flows(plan, (uint32_t)size, i % rounds, flows));
        for (uint32_t f = 0; f < measurement->flow_count; f++) {
            const struct weir_net_flow_result *flow = &measurement->flows[f];

            assert_string_equal(flow->failure, "");
            assert_int_equal(flow->source, flows[f].source);
            assert_int_equal(flow->sink, flows[f].sink);
            assert_int_equal(flow->message_count, plan->iterations);
            assert_int_equal(flow->byte_count, plan->iterations * measurement->message_bytes);
            assert_int_equal(flow->wrong_count, 0);
            assert_true(flow->seconds > 0 && flow->seconds <= measurement->seconds * 1.000001);
            if (measurement->flow_count == 1)
                assert_true(measurement->seconds <= flow->seconds * 1.000001);
        }
        assert_int_equal(measurement->latency->total, plan->iterations * measurement->flow_count);
    }
    assert_false(result->has_failed);
}

static void every_verb_and_pattern_moves_what_was_asked_for(void **state)
{
    for (int verb = WEIR_NET_WRITE; verb <= WEIR_NET_SEND; verb++)
        for (int pattern = WEIR_NET_PAIR; pattern <= WEIR_NET_BISECTION; pattern++) {
            struct weir_net_plan plan = short_plan();
            struct member members[RANKS_MAX] = {0};
            struct weir_net_result *result;

            plan.verb = (enum weir_net_verb)verb;
            plan.pattern = (enum weir_net_pattern)pattern;
            plan.is_both_ways = pattern % 2 == 0;
            plan.must_verify = true;
            plan.repetitions = pattern == WEIR_NET_INCAST ? 2 : 1;
            result = run_plan(&plan, 4, members);
            assert_right(&plan, members, 4, result);
            weir_net_result_close(result);
        }
}

/* One message follows the other: their times, so many to a trip, are all of the time. A read begins
 * some time after the one before, however: there they are no more than that. */
static void latency_is_that_of_single_messages(void **state)
{
    for (int verb = WEIR_NET_WRITE; verb <= WEIR_NET_SEND; verb++) {
        struct weir_net_plan plan = short_plan();
        struct member members[RANKS_MAX] = {0};
        double seconds = 0, times = 0;
        struct weir_net_result *result;

        plan.verb = (enum weir_net_verb)verb;
        plan.measure = WEIR_NET_LATENCY;
        plan.pattern = WEIR_NET_OUTCAST;
        plan.depth = 1;
        plan.batch = 1;
        plan.iterations = 50;
        plan.repetitions = 1;
        result = run_plan(&plan, 3, members);
        assert_right(&plan, members, 3, result);
        assert_true(result->is_latency);
        for (uint32_t i = 0; i < result->measurement_count; i++) {
            times += (double)result->measurements[i].latency->sum_ns * 1e-9;
            for (uint32_t f = 0; f < result->measurements[i].flow_count; f++)
                seconds += result->measurements[i].flows[f].seconds;
        }
        times *= verb == WEIR_NET_READ ? 1 : 2;
        assert_true(times > 0 && times < seconds * 1.01);
        if (verb != WEIR_NET_READ)
            assert_true(times > seconds * 0.99);
        weir_net_result_close(result);
    }
}

static void bytes_of_intervals_are_those_of_the_flow(void **state)
{
    struct weir_net_plan plan = short_plan();
    struct member members[RANKS_MAX] = {0};
    struct weir_net_result *result;
    uint64_t bytes = 0;

    plan.size_count = 1;
    plan.repetitions = 1;
    plan.iterations = 0;
    plan.duration_ns = 50000000;
    plan.warm_up_ns = 20000000;
    plan.interval_ns = 10000000;
    result = run_plan(&plan, 2, members);
    assert_int_equal(members[0].code, 0);
    assert_in_range(result->interval_count, 5, 7);
    for (uint32_t i = 0; i < result->interval_count; i++)
        bytes += result->intervals[i].byte_count;
    assert_int_equal(bytes, result->measurements[0].flows[0].byte_count);
    assert_true(result->measurements[0].flows[0].seconds >= 0.05);
    assert_true(result->measurements[0].flows[0].begin_s >= 0.02);
    assert_true(result->measurements[0].seconds <=
                result->measurements[0].flows[0].seconds * 1.000001);
    weir_net_result_close(result);
}

/* However many messages the warm-up has in flight when it ends. */
static void a_warm_up_leaves_nothing_that_counts(void **state)
{
    for (int verb = WEIR_NET_WRITE; verb <= WEIR_NET_SEND; verb++)
        for (int test = 0; test < 2; test++) {
            struct weir_net_plan plan = short_plan();
            struct member members[RANKS_MAX] = {0};
            struct weir_net_result *result;

            plan.verb = (enum weir_net_verb)verb;
            plan.measure = test == 0 ? WEIR_NET_BANDWIDTH : WEIR_NET_LATENCY;
            plan.is_both_ways = test == 0;
            plan.depth = test == 0 ? 100 : 1;
            plan.batch = test == 0 ? 10 : 1;
            plan.iterations = 3;
            plan.warm_up_ns = 2000000;
            plan.must_verify = test == 0;
            result = run_plan(&plan, 2, members);
            assert_right(&plan, members, 2, result);
            for (uint32_t i = 0; i < result->measurement_count; i++)
                assert_true(result->measurements[i].flows[0].begin_s >= 0.002);
            weir_net_result_close(result);
        }
}

static void a_signal_ends_a_run_in_order_with_what_there_is(void **state)
{
    for (int rank = 0; rank < 2; rank++) {
        struct weir_net_plan plan = short_plan();
        struct member members[RANKS_MAX] = {0};
        struct weir_net_result *result;

        plan.size_count = 1;
        plan.iterations = UINT64_MAX / 2;
        members[rank].stop = 15;
        result = run_plan(&plan, 2, members);
        assert_int_equal(members[0].code, 0);
        assert_int_equal(members[1].code, 0);
        assert_true(result->is_interrupted);
        weir_net_result_close(result);
    }
}

static void of_too_many_flows_sums_and_the_worst_are_kept(void **state)
{
    struct weir_net_plan plan = short_plan();
    struct member members[RANKS_MAX] = {0};
    struct weir_net_summary lines[3];
    struct weir_net_result *result;

    plan.pattern = WEIR_NET_ALL;
    plan.interval_ns = 1000000;
    for (int rank = 0; rank < 4; rank++)
        members[rank].flows_most = 1;
    result = run_plan(&plan, 4, members);
    assert_int_equal(members[0].code, 0);
    assert_int_equal(result->measurement_count, 6 * plan.size_count * plan.repetitions);
    for (uint32_t i = 0; i < result->measurement_count; i++) {
        const struct weir_net_measurement *one = &result->measurements[i];

        assert_int_equal(one->flow_count, 1);
        assert_int_equal(one->totals->flow_count, 2);
        assert_int_equal(one->totals->message_count, 2 * plan.iterations);
        assert_true(one->flows->byte_count / one->flows->seconds <
                    one->totals->slowest_bytes_per_s * 1.000001);
        assert_int_equal(one->latency != NULL, i + 1 == result->measurement_count);
    }
    assert_int_equal(result->interval_count, 0);
    assert_int_equal(weir_net_result_summarise(result, lines, 3), 2);
    assert_int_equal(lines[0].message_count, 12 * plan.repetitions * plan.iterations);
    assert_true(lines[0].latency_s[WEIR_NET_LATENCY_MIN] > 0);
    assert_true(lines[1].latency_s[WEIR_NET_LATENCY_MIN] > 0);
    weir_net_result_close(result);

    plan.format = WEIR_NET_IPERF;
    result = run_plan(&plan, 4, members);
    for (int rank = 0; rank < 4; rank++) {
        assert_int_equal(members[rank].error.exit, WEIR_EXIT_USAGE);
        assert_non_null(strstr(members[rank].error.text, "48 are more than 1"));
    }
    weir_net_result_close(result);
}

/* The process does not end, nor is a rank left in a collective: all know the same error, or the
 * flow of that rank has failed. */
static void ranks_agree_that_one_has_no_memory(void **state)
{
    unsigned refused = 0;

    for (int pieces = 1;; pieces++) {
        struct weir_net_plan plan = short_plan();
        struct member members[RANKS_MAX] = {0};
        struct weir_net_result *result;
        bool has_failed;

        plan.size_count = plan.repetitions = 1;
        members[1].pieces = pieces;
        result = run_plan(&plan, 2, members);
        has_failed = result->has_failed;
        weir_net_result_close(result);
        assert_int_equal(members[0].code, members[1].code);
        assert_string_equal(members[0].error.text, members[1].error.text);
        refused += members[0].code != 0;
        if (members[1].pieces_left >= 0)
            break;
        assert_true(members[0].code != 0 || has_failed);
        assert_true(pieces < 1000);
    }
    assert_true(refused > 15);
}

static void a_rank_alone_is_refused(void **state)
{
    const struct weir_net_plan plan = short_plan();
    struct member members[RANKS_MAX] = {0};
    struct weir_net_result *result;

    result = run_plan(&plan, 1, members);
    assert_int_not_equal(members[0].code, 0);
    assert_int_equal(members[0].error.exit, WEIR_EXIT_USAGE);
    weir_net_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_warm_up_has_posted_does_not_count),
        cmocka_unit_test(without_warm_up_everything_counts_from_the_first_post),
        cmocka_unit_test(exactly_what_was_asked_for_counts_however_it_is_completed),
        cmocka_unit_test(a_peak_is_the_best_hundredth_and_not_a_single_batch),
        cmocka_unit_test(batches_that_follow_each_other_at_once_are_no_peak),
        cmocka_unit_test(messages_that_were_in_flight_before_a_part_are_not_in_its_peak),
        cmocka_unit_test(intervals_have_what_was_seen_in_them),
        cmocka_unit_test(what_is_seen_late_is_spread_over_the_time_before),
        cmocka_unit_test(a_stamp_is_read_as_it_was_written),
        cmocka_unit_test(a_message_of_two_halves_is_wrong),
        cmocka_unit_test(every_page_is_looked_at),
        cmocka_unit_test(pages_of_one_message_cannot_change_places),
        cmocka_unit_test(a_stamp_of_another_flow_and_a_spoilt_one_are_wrong),
        cmocka_unit_test(a_sink_answers_when_all_that_was_sent_has_come),
        cmocka_unit_test(a_sink_finds_the_places_that_are_wrong),
        cmocka_unit_test(a_source_counts_what_its_sink_found_wrong_or_old),
        cmocka_unit_test(a_lost_link_ends_its_flow_with_a_sentence),
        cmocka_unit_test(nobody_leaves_a_meeting_before_all_have_come),
        cmocka_unit_test(every_verb_and_pattern_moves_what_was_asked_for),
        cmocka_unit_test(latency_is_that_of_single_messages),
        cmocka_unit_test(bytes_of_intervals_are_those_of_the_flow),
        cmocka_unit_test(a_warm_up_leaves_nothing_that_counts),
        cmocka_unit_test(a_signal_ends_a_run_in_order_with_what_there_is),
        cmocka_unit_test(of_too_many_flows_sums_and_the_worst_are_kept),
        cmocka_unit_test(ranks_agree_that_one_has_no_memory),
        cmocka_unit_test(a_rank_alone_is_refused),
    };

    return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
