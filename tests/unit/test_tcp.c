/* SPDX-License-Identifier: Apache-2.0 */
/* Frames over TCP, from a peer that speaks them by hand: right ones in small pieces, and wrong
 * ones. */
#include "network/fabric/tcp.h"
#include "raw_peer.h"

#define TIMEOUT_NS UINT64_C(400000000)
#define DEPTH 4

struct bed {
    struct wr_end end;
    struct raw_peer peer;
};

static int set_up(void **state)
{
    struct bed *bed = calloc(1, sizeof *bed);
    struct weir_fabric_params params = {
        .provider = "tcp", .interface = "127.0.0.1", .gid_index = -1, .timeout_ns = TIMEOUT_NS};

    if (bed == NULL)
        return -1;
    wr_open_end(&bed->end, &params);
    wr_listen(&bed->end);
    bed->peer.fd = raw_peer_dial(bed->end.address);
    raw_peer_set_hello(&bed->peer, "tcp");
    raw_peer_join(&bed->peer, &bed->end, DEPTH);
    while (bed->end.joined == 0 || !bed->end.link->is_ready)
        wr_poll_end(&bed->end, 1000000);
    wr_forget(&bed->end);
    *state = bed;
    return 0;
}

static int tear_down(void **state)
{
    struct bed *bed = *state;

    close(bed->peer.fd);
    wr_close_end(&bed->end);
    free(bed);
    return 0;
}

static struct tcp_frame frame_at(const struct bed *bed, enum tcp_kind kind, uint64_t offset,
                                 uint64_t bytes)
{
    return (struct tcp_frame){
        .kind = (uint8_t)kind,
        .bytes = htole64(bytes),
        .address = htole64(bed->end.key.address + offset),
        .key = htole64(bed->end.key.key),
    };
}

static void say(struct bed *bed, const void *bytes, size_t count)
{
    raw_peer_say(&bed->peer, bytes, count);
}

static struct tcp_frame hear(struct bed *bed)
{
    struct tcp_frame frame = {0};

    assert_int_equal(raw_peer_hear(&bed->peer, &bed->end, &frame, sizeof frame), sizeof frame);
    return frame;
}

/* Polls until the link has left; why. */
static int why_left(struct bed *bed)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (bed->end.left == 0 && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS)
        wr_poll_end(&bed->end, 1000000);
    return wr_find(&bed->end, WEIR_EVENT_LEFT)->result;
}

static void frames_in_single_bytes_are_understood(void **state)
{
    struct bed *bed = *state;
    struct tcp_frame frame = frame_at(bed, TCP_WRITE, 100, 5);
    const unsigned char *bytes = (const unsigned char *)&frame;

    for (size_t i = 0; i < sizeof frame; i++) {
        say(bed, bytes + i, 1);
        wr_poll_end(&bed->end, 0);
    }
    for (size_t i = 0; i < 5; i++) {
        say(bed, &"hello"[i], 1);
        wr_poll_end(&bed->end, 0);
    }
    frame = hear(bed);
    assert_int_equal(frame.kind, TCP_HANDLED);
    assert_int_equal(le32toh(frame.handled), 1);
    assert_memory_equal((unsigned char *)bed->end.slab.memory + 100, "hello", 5);
}

static void many_frames_in_one_piece_are_understood(void **state)
{
    struct bed *bed = *state;
    unsigned char text[100 * (sizeof(struct tcp_frame) + 8)];
    uint32_t handled = 0;

    for (uint64_t i = 0; i < 100; i++) {
        struct tcp_frame frame = frame_at(bed, TCP_WRITE, i * 8, 8);

        memcpy(text + i * (sizeof frame + 8), &frame, sizeof frame);
        memcpy(text + i * (sizeof frame + 8) + sizeof frame, &i, 8);
    }
    say(bed, text, sizeof text);
    while (handled < 100) {
        struct tcp_frame frame = hear(bed);

        assert_int_equal(frame.kind, TCP_HANDLED);
        assert_true(le32toh(frame.handled) > handled);
        handled = le32toh(frame.handled);
    }
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(((uint64_t *)bed->end.slab.memory)[i], i);
}

static void what_a_key_does_not_open_is_answered_and_the_link_stays(void **state)
{
    struct bed *bed = *state;
    const struct {
        uint64_t key, offset, bytes;
    } cases[] = {
        {1, 0, 8},                 /* another slot */
        {UINT64_C(1) << 16, 0, 8}, /* another number */
        {0, WR_SLAB_BYTES - 7, 8}, /* one byte beyond */
        {0, WR_SLAB_BYTES + 1, 8},
        {0, (uint64_t)-8, 8}, /* before */
        {0, 8 - bed->end.key.address, 8},
        {0, -bed->end.key.address - 4, 8}, /* round the end of numbers */
    };
    uint32_t handled = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tcp_frame write = frame_at(bed, TCP_WRITE, cases[i].offset, cases[i].bytes);
        struct tcp_frame read = frame_at(bed, TCP_READ, cases[i].offset, cases[i].bytes);
        struct tcp_frame answer;

        write.key ^= htole64(cases[i].key);
        read.key ^= htole64(cases[i].key);
        say(bed, &write, sizeof write);
        say(bed, "refused!", 8);
        answer = hear(bed);
        assert_int_equal(answer.kind, TCP_FAILED);
        assert_int_equal(le64toh(answer.bytes), EACCES);
        assert_int_equal(le32toh(answer.handled), ++handled);
        say(bed, &read, sizeof read);
        answer = hear(bed);
        assert_int_equal(answer.kind, TCP_FAILED);
        assert_int_equal(le64toh(answer.bytes), EACCES);
        assert_int_equal(le32toh(answer.handled), ++handled);
    }
    assert_int_equal(bed->end.left, 0);
}

static void a_big_refused_write_is_thrown_away_and_what_follows_is_done(void **state)
{
    struct bed *bed = *state;
    struct tcp_frame frame = frame_at(bed, TCP_WRITE, 0, 300000);
    unsigned char *waste = calloc(1, 300000);
    struct tcp_frame answer;

    frame.key ^= htole64(1);
    say(bed, &frame, sizeof frame);
    for (size_t done = 0; done < 300000; done += 30000) {
        say(bed, waste + done, 30000);
        wr_poll_end(&bed->end, 0);
    }
    answer = hear(bed);
    assert_int_equal(answer.kind, TCP_FAILED);
    frame = frame_at(bed, TCP_WRITE, 0, 4);
    say(bed, &frame, sizeof frame);
    say(bed, "done", 4);
    answer = hear(bed);
    assert_int_equal(answer.kind, TCP_HANDLED);
    assert_int_equal(le32toh(answer.handled), 2);
    assert_memory_equal(bed->end.slab.memory, "done", 4);
    free(waste);
}

static void memory_that_is_not_served_is_not_found(void **state)
{
    struct bed *bed = *state;
    unsigned char memory[64] = {0};
    struct weir_region *region;
    struct weir_error error = {0};
    struct tcp_frame frame;

    assert_int_equal(
        weir_region_open(bed->end.fabric, memory, 64, NULL, WEIR_REGION_LOCAL, &region, &error), 0);
    frame = (struct tcp_frame){.kind = TCP_READ,
                               .bytes = htole64(8),
                               .address = htole64(weir_region_key(region).address),
                               .key = htole64(weir_region_key(region).key)};
    say(bed, &frame, sizeof frame);
    assert_int_equal(hear(bed).kind, TCP_FAILED);
    weir_region_close(region);
}

static void memory_that_is_withdrawn_is_not_written_any_more(void **state)
{
    struct bed *bed = *state;
    struct tcp_frame frame = frame_at(bed, TCP_WRITE, 0, 200000);
    unsigned char *bytes = malloc(200000);
    unsigned char *memory = bed->end.slab.memory;
    struct tcp_frame answer;

    memset(bytes, 9, 200000);
    say(bed, &frame, sizeof frame);
    say(bed, bytes, 100000);
    while (memory[90000] == 0)
        wr_poll_end(&bed->end, 0);
    for (unsigned i = 0; i < 100; i++)
        wr_poll_end(&bed->end, 0);
    weir_region_close(bed->end.region);
    bed->end.region = NULL;
    say(bed, bytes, 100000);
    answer = hear(bed);
    assert_int_equal(answer.kind, TCP_FAILED);
    assert_int_equal(memory[100000], 0);
    assert_int_equal(memory[199999], 0);
    say(bed, &frame, sizeof frame);
    say(bed, bytes, 200000);
    assert_int_equal(hear(bed).kind, TCP_FAILED);
    free(bytes);
}

static void a_frame_that_nobody_agreed_on_ends_the_link(void **state)
{
    static const struct {
        struct tcp_frame frame;
        int code;
    } cases[] = {
        {{.kind = 0}, -EPROTO},
        {{.kind = 7}, -EPROTO},
        {{.kind = 255}, -EPROTO},
        {{.kind = TCP_HANDLED, .handled = 1}, -EPROTO},
        {{.kind = TCP_HANDLED, .handled = 0x7fffffff}, -EPROTO},
        {{.kind = TCP_DATA, .handled = 1, .bytes = 8}, -EPROTO},
        {{.kind = TCP_FAILED, .handled = 1, .bytes = EACCES}, -EPROTO},
        {{.kind = TCP_SEND, .bytes = 4097}, -EMSGSIZE},
        {{.kind = TCP_SEND, .bytes = UINT64_MAX}, -EMSGSIZE},
    };

    tear_down(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed *bed;

        set_up(state);
        bed = *state;
        say(bed, &cases[i].frame, sizeof cases[i].frame);
        assert_int_equal(why_left(bed), cases[i].code);
        if (i + 1 < sizeof cases / sizeof *cases)
            tear_down(state);
    }
}

static void answers_that_do_not_fit_their_request_end_the_link(void **state)
{
    static const struct tcp_frame answers[] = {
        {.kind = TCP_DATA, .handled = 1, .bytes = 99},  /* for 100 */
        {.kind = TCP_DATA, .handled = 2, .bytes = 100}, /* for a later one */
        {.kind = TCP_FAILED, .handled = 1, .bytes = 0},
        {.kind = TCP_FAILED, .handled = 1, .bytes = 5000},
        {.kind = TCP_FAILED, .handled = 2, .bytes = EACCES},
    };

    tear_down(state);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct bed *bed;
        struct weir_wr wr;

        set_up(state);
        bed = *state;
        wr = (struct weir_wr){.verb = WEIR_WR_READ,
                              .data = bed->end.slab.memory,
                              .bytes = 100,
                              .region = bed->end.region,
                              .remote = &bed->end.key};
        assert_int_equal(weir_link_post(bed->end.link, &wr, 1), 1);
        assert_int_equal(hear(bed).kind, TCP_READ);
        say(bed, &answers[i], sizeof answers[i]);
        assert_int_equal(why_left(bed), -EPROTO);
        assert_int_equal(wr_find(&bed->end, WEIR_EVENT_DONE)->result, -EPROTO);
        if (i + 1 < sizeof answers / sizeof *answers)
            tear_down(state);
    }
}

static void a_count_alone_does_not_make_a_read(void **state)
{
    struct bed *bed = *state;
    struct tcp_frame frame = {.kind = TCP_HANDLED, .handled = htole32(1)};
    struct weir_wr wr = {.verb = WEIR_WR_READ,
                         .data = bed->end.slab.memory,
                         .bytes = 100,
                         .region = bed->end.region,
                         .remote = &bed->end.key};

    assert_int_equal(weir_link_post(bed->end.link, &wr, 1), 1);
    hear(bed);
    say(bed, &frame, sizeof frame);
    while (bed->end.done == 0)
        wr_poll_end(&bed->end, 1000000);
    assert_int_equal(wr_find(&bed->end, WEIR_EVENT_DONE)->result, -EPROTO);
}

static void who_asks_for_more_than_was_agreed_loses_the_link(void **state)
{
    struct bed *bed = *state;

    for (unsigned i = 0; i < 16; i++) {
        struct tcp_frame frame = frame_at(bed, TCP_READ, 0, WR_SLAB_BYTES);

        say(bed, &frame, sizeof frame);
    }
    assert_int_equal(why_left(bed), -EPROTO);
}

static void a_peer_that_says_nothing_is_left_within_the_timeout(void **state)
{
    struct bed *bed = *state;
    uint64_t start_ns = weir_clock_kernel_ns();
    struct weir_wr wr = {.verb = WEIR_WR_SEND, .header = "anybody?", .header_bytes = 8};

    assert_int_equal(weir_link_post(bed->end.link, &wr, 1), 1);
    assert_int_equal(why_left(bed), -ETIMEDOUT);
    assert_true(weir_clock_kernel_ns() - start_ns >= TIMEOUT_NS);
    assert_int_equal(wr_find(&bed->end, WEIR_EVENT_DONE)->result, -ETIMEDOUT);
}

static void a_peer_that_has_nothing_to_say_may_be_silent(void **state)
{
    struct bed *bed = *state;
    struct weir_event event;

    assert_int_equal(weir_fabric_poll(bed->end.fabric, &event, 1, 3 * TIMEOUT_NS), 0);
    assert_int_equal(bed->end.left, 0);
}

/* Data and the end in one go are one edge of epoll. */
static void an_end_right_behind_a_frame_is_seen(void **state)
{
    struct bed *bed = *state;
    struct tcp_frame frame = frame_at(bed, TCP_WRITE, 0, 4);

    say(bed, &frame, sizeof frame);
    say(bed, "last", 4);
    close(bed->peer.fd);
    bed->peer.fd = -1;
    assert_int_equal(why_left(bed), -ECONNRESET);
    assert_memory_equal(bed->end.slab.memory, "last", 4);
}

static void messages_wait_for_buffers_and_then_go_on(void **state)
{
    struct bed *bed = *state;

    for (uint32_t i = 0; i < 40; i++) {
        struct tcp_frame frame = {.kind = TCP_SEND, .bytes = htole64(sizeof i)};

        say(bed, &frame, sizeof frame);
        say(bed, &i, sizeof i);
    }
    while (bed->end.messages < 32)
        wr_poll_end(&bed->end, 1000000);
    for (unsigned i = 0; i < 100; i++)
        wr_poll_end(&bed->end, 1000000);
    assert_int_equal(bed->end.messages, 32);
    for (uint32_t i = 0; i < 40; i++) {
        while (bed->end.messages <= i)
            wr_poll_end(&bed->end, 1000000);
        assert_memory_equal(bed->end.noted[i].message, &i, sizeof i);
        weir_link_release(bed->end.link, bed->end.noted[i].message);
    }
}

/* ---- two ends of ours ---- */

/* As if so many requests of A had been answered. */
static void skip_requests(struct wr_bed *bed, uint32_t count)
{
    struct tcp_link *asking = (struct tcp_link *)bed->a.link;
    struct tcp_link *answering = (struct tcp_link *)bed->b.link;

    assert_int_equal(asking->settled, asking->posted);
    assert_int_equal(answering->handled, asking->posted);
    asking->posted = asking->laid = asking->sent += count;
    asking->acknowledged = asking->settled += count;
    answering->handled += count;
    answering->told = answering->handled;
}

static void move(struct wr_bed *bed, enum weir_wr_verb verb, unsigned count)
{
    wr_forget(&bed->a);
    for (unsigned i = 0; i < count; i++) {
        struct weir_wr wr = wr_make(bed, verb, i * 64, 64);

        wr_post(bed, &wr, 1);
    }
    wr_until(bed, &bed->a.done, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(bed->a.noted[i].result, 0);
}

/* Counts of requests wrap after 2^32 and are compared by their difference. */
static void reads_go_on_when_counts_of_requests_wrap(void **state)
{
    struct wr_bed bed = {.params = {.provider = "tcp", .interface = "127.0.0.1", .gid_index = -1}};

    wr_open(&bed);
    move(&bed, WEIR_WR_WRITE, 4);
    for (unsigned i = 0; i < 9; i++) {
        skip_requests(&bed, UINT32_C(1) << 29);
        move(&bed, WEIR_WR_READ, 4);
    }
    move(&bed, WEIR_WR_WRITE, 4);
    move(&bed, WEIR_WR_READ, 4);
    wr_close(&bed);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(frames_in_single_bytes_are_understood),
        CASE(many_frames_in_one_piece_are_understood),
        CASE(what_a_key_does_not_open_is_answered_and_the_link_stays),
        CASE(a_big_refused_write_is_thrown_away_and_what_follows_is_done),
        CASE(memory_that_is_not_served_is_not_found),
        CASE(memory_that_is_withdrawn_is_not_written_any_more),
        CASE(a_frame_that_nobody_agreed_on_ends_the_link),
        CASE(answers_that_do_not_fit_their_request_end_the_link),
        CASE(a_count_alone_does_not_make_a_read),
        CASE(who_asks_for_more_than_was_agreed_loses_the_link),
        CASE(a_peer_that_says_nothing_is_left_within_the_timeout),
        CASE(a_peer_that_has_nothing_to_say_may_be_silent),
        CASE(an_end_right_behind_a_frame_is_seen),
        CASE(messages_wait_for_buffers_and_then_go_on),
        cmocka_unit_test(reads_go_on_when_counts_of_requests_wrap),
    };

    return cmocka_run_group_tests_name("tcp", cases, NULL, NULL);
}
