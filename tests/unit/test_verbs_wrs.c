/* SPDX-License-Identifier: Apache-2.0 */
/* The data path of the verbs provider: what is handed to the device, and that each work request
 * comes back once, with its own result. */
#include <arpa/inet.h>

#include "verbs_bed.h"

#define MEMORY (1u << 20)

/* A link that is up; its peer is the test. */
struct bed {
    struct weir_fabric *fabric;
    struct weir_link *link;
    struct weir_region *region;
    struct weir_region_key key; /* of the peer's memory */
    unsigned char memory[MEMORY];
    struct weir_event events[256];
};

static struct bed bed;

static void begin(void)
{
    struct weir_error error = {0};
    struct weir_endpoint_info info;

    bed.fabric = open_fabric();
    assert_int_equal(verbs->link_open(bed.fabric, &bed.link, &info), 0);
    assert_int_equal(verbs->link_join(bed.link, &info), 0);
    bed.link->state = WEIR_LINK_UP;
    assert_int_equal(
        verbs->region_open(bed.fabric, bed.memory, MEMORY, NULL, false, &bed.region, &error), 0);
    bed.key = (struct weir_region_key){.address = 1 << 30, .key = 0xabc, .bytes = MEMORY};
}

static void end(void)
{
    verbs->link_close(bed.link);
    verbs->region_close(bed.region);
    verbs->close(bed.fabric);
    assert_int_equal(made.live, 0);
}

static int begin_test(void **state)
{
    set_up(state);
    begin();
    return 0;
}

static int end_test(void **state)
{
    end();
    return 0;
}

/* With a link that is up, or one that the test begins. */
#define LINKED(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
#define OWN_LINK(name) cmocka_unit_test_setup_teardown(name, set_up, end_test)

static struct weir_wr wr(enum weir_wr_verb verb, uint64_t offset, uint64_t bytes, unsigned number)
{
    return (struct weir_wr){.verb = verb,
                            .data = bed.memory + offset,
                            .bytes = bytes,
                            .region = bed.region,
                            .remote_address = bed.key.address + offset,
                            .remote = &bed.key,
                            .context = (void *)(uintptr_t)(number + 1)};
}

static int post_many(enum weir_wr_verb verb, unsigned count, uint64_t bytes)
{
    struct weir_wr wrs[256];

    for (unsigned i = 0; i < count; i++)
        wrs[i] = wr(verb, (uint64_t)i * bytes, bytes, i);
    return verbs->post(bed.link, wrs, count, false);
}

static bool is_signalled(unsigned number)
{
    return (made.sent[number].flags & IBV_SEND_SIGNALED) != 0;
}

/* ---- posting ---- */

static void work_requests_become_requests_in_chains_with_the_last_signalled(void **state)
{
    unsigned chains = 0;

    params.depth = 100;
    begin();
    assert_int_equal(post_many(WEIR_WR_WRITE, 100, 4096), 100);
    assert_int_equal(made.sent_count, 100);
    for (unsigned i = 0; i < 100; i++) {
        const struct sent *sent = &made.sent[i];

        assert_int_equal(sent->opcode, IBV_WR_RDMA_WRITE);
        assert_int_equal(sent->pieces, 1);
        assert_int_equal(sent->piece[0].addr, (uintptr_t)bed.memory + i * 4096);
        assert_int_equal(sent->piece[0].length, 4096);
        assert_int_equal(sent->piece[0].lkey, ((struct weir_verbs_region *)bed.region)->mr->lkey);
        assert_int_equal(sent->remote, bed.key.address + i * 4096);
        assert_int_equal(sent->rkey, 0xabc);
        assert_int_equal(sent->flags & IBV_SEND_INLINE, 0);
        chains += sent->is_first;
        assert_int_equal(is_signalled(i), i == 31 || i == 63 || i == 95 || i == 99);
    }
    assert_int_equal(chains, 4);
}

static void every_nth_work_request_of_a_list_is_signalled_on_request(void **state)
{
    params.signal_every = 5;
    begin();
    assert_int_equal(post_many(WEIR_WR_READ, 12, 4096), 12);
    for (unsigned i = 0; i < 12; i++) {
        assert_int_equal(made.sent[i].opcode, IBV_WR_RDMA_READ);
        assert_int_equal(is_signalled(i), i == 4 || i == 9 || i == 11);
    }
}

static void no_more_than_half_a_send_queue_goes_unsignalled(void **state)
{
    unsigned unsignalled = 0;

    params.depth = 16;
    begin();
    assert_int_equal(post_many(WEIR_WR_WRITE, 16, 4096), 16);
    for (unsigned i = 0; i < 16; i++) {
        unsignalled = is_signalled(i) ? 0 : unsignalled + 1;
        assert_true(unsignalled < 8);
    }
}

static void small_data_travel_in_the_request_but_for_reads(void **state)
{
    static const struct {
        enum weir_wr_verb verb;
        uint64_t bytes;
        bool is_inline;
    } cases[] = {{WEIR_WR_WRITE, 1, true},
                 {WEIR_WR_WRITE, 256, true},
                 {WEIR_WR_WRITE, 257, false},
                 {WEIR_WR_READ, 8, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_up();
        begin();
        assert_int_equal(post_many(cases[i].verb, 1, cases[i].bytes), 1);
        assert_int_equal((made.sent[0].flags & IBV_SEND_INLINE) != 0, cases[i].is_inline);
        end();
    }
}

/* What the device would send, put together from the pieces. */
static size_t gather(const struct sent *sent, unsigned char *out)
{
    size_t length = 0;

    for (int i = 0; i < sent->pieces; i++) {
        memcpy(out + length, (const void *)(uintptr_t)sent->piece[i].addr, sent->piece[i].length);
        length += sent->piece[i].length;
    }
    return length;
}

static void a_message_is_its_header_and_data_however_large(void **state)
{
    static const struct {
        uint32_t header;
        uint64_t data;
        int pieces;
        bool is_inline;
    } cases[] = {
        {16, 0, 1, true},     {100, 156, 2, true},   {0, 200, 1, true},
        {100, 157, 1, false}, {1536, 512, 1, false}, {1536, 513, 2, false},
        {0, 4096, 1, false},  {0, 2048, 1, false},   {0, 0, 0, true},
    };
    static unsigned char expected[8192], found[8192], header[WEIR_HEADER_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_wr message;

        make_up();
        begin();
        for (unsigned k = 0; k < MEMORY; k++)
            bed.memory[k] = (unsigned char)(k * 7 + 1);
        for (unsigned k = 0; k < sizeof header; k++)
            header[k] = (unsigned char)(k * 3 + i);
        message = wr(WEIR_WR_SEND, 4096, cases[i].data, 0);
        message.header = header;
        message.header_bytes = cases[i].header;
        memcpy(expected, header, cases[i].header);
        memcpy(expected + cases[i].header, bed.memory + 4096, cases[i].data);
        assert_int_equal(verbs->post(bed.link, &message, 1, false), 1);
        /* Copied: the header can be used again. */
        if (!cases[i].is_inline)
            memset(header, 0, sizeof header);
        assert_int_equal(made.sent[0].opcode, IBV_WR_SEND);
        assert_int_equal(made.sent[0].pieces, cases[i].pieces);
        assert_int_equal((made.sent[0].flags & IBV_SEND_INLINE) != 0, cases[i].is_inline);
        assert_int_equal(gather(&made.sent[0], found), cases[i].header + cases[i].data);
        assert_memory_equal(found, expected, cases[i].header + cases[i].data);
        end();
    }
}

static void messages_wait_when_their_buffers_are_all_under_way(void **state)
{
    unsigned char header[WEIR_HEADER_BYTES] = {1};
    struct weir_wr messages[12];

    for (unsigned i = 0; i < 12; i++) {
        messages[i] = wr(WEIR_WR_SEND, 0, 0, i);
        messages[i].header = header;
        messages[i].header_bytes = sizeof header;
    }
    assert_int_equal(verbs->post(bed.link, messages, 12, false), 8);
    assert_int_equal(verbs->post(bed.link, messages, 1, false), 0);
    complete(made.sent[7].id, IBV_WC_SUCCESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 8);
    assert_int_equal(verbs->post(bed.link, messages, 12, false), 8);
    assert_int_equal(made.sent[8].piece[0].addr, made.sent[0].piece[0].addr);
}

/* ---- completions ---- */

static void a_completion_hands_back_all_before_it_in_order(void **state)
{
    assert_int_equal(post_many(WEIR_WR_WRITE, 40, 4096), 40);
    complete(made.sent[31].id, IBV_WC_SUCCESS);
    /* Few at a time: what is left comes with the next calls. */
    for (unsigned i = 0; i < 32; i += 8) {
        assert_int_equal(verbs->progress(bed.fabric, bed.events, 8, NULL), 8);
        for (unsigned k = 0; k < 8; k++) {
            assert_int_equal(bed.events[k].kind, WEIR_EVENT_DONE);
            assert_int_equal(bed.events[k].result, 0);
            assert_ptr_equal(bed.events[k].link, bed.link);
            assert_int_equal((uintptr_t)bed.events[k].context, i + k + 1);
        }
    }
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 8, NULL), 0);
    complete(made.sent[39].id, IBV_WC_SUCCESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 8);
}

/* One completion may hand back more than there is room for: what comes with it has its place. */
static void a_message_finds_room_beside_many_work_requests_that_are_done(void **state)
{
    unsigned found = 4;

    assert_int_equal(post_many(WEIR_WR_WRITE, 32, 4096), 32);
    complete(made.sent[31].id, IBV_WC_SUCCESS);
    complete(WEIR_VERBS_RECEIVE | weir_verbs_link_of(bed.link)->stamp | 5, IBV_WC_SUCCESS);
    bed.events[4].kind = WEIR_EVENT_LEFT;
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 4, NULL), 4);
    assert_int_equal(bed.events[4].kind, WEIR_EVENT_LEFT);
    assert_int_equal(bed.events[3].kind, WEIR_EVENT_MESSAGE);
    found += (unsigned)verbs->progress(bed.fabric, bed.events, 256, NULL);
    assert_int_equal(found, 33);
}

static void slots_are_used_again_and_again(void **state)
{
    unsigned posted = 0, handed_back = 0;

    params.depth = 4;
    begin();
    while (handed_back < 1000) {
        int taken = post_many(WEIR_WR_WRITE, 3, 512), count;

        assert_true(taken >= 0);
        posted += (unsigned)taken;
        complete(made.sent[made.sent_count - 1].id, IBV_WC_SUCCESS);
        made.sent_count = 0;
        count = verbs->progress(bed.fabric, bed.events, 256, NULL);
        handed_back += (unsigned)count;
        assert_int_equal(posted, handed_back);
    }
}

static void messages_come_from_their_buffers_which_are_posted_again(void **state)
{
    struct weir_verbs_link *link;
    unsigned received;

    link = weir_verbs_link_of(bed.link);
    received = made.received_count;
    assert_int_equal(received, 8);
    complete(WEIR_VERBS_RECEIVE | link->stamp | 5, IBV_WC_SUCCESS);
    made.waiting[0].byte_len = 77;
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 1);
    assert_int_equal(bed.events[0].kind, WEIR_EVENT_MESSAGE);
    assert_int_equal(bed.events[0].bytes, 77);
    assert_ptr_equal(bed.events[0].message, link->buffers + 5 * 4096);
    assert_int_equal((uintptr_t)bed.events[0].message % 64, 0);
    verbs->release(bed.link, bed.events[0].message);
    assert_int_equal(made.received_count, received + 1);
    let_fail("ibv_post_recv", 1, ENOMEM);
    verbs->release(bed.link, bed.events[0].message);
    assert_int_equal(made.lost_code, -ENOMEM);
}

static void completions_of_pairs_that_are_gone_are_nobodys(void **state)
{
    struct weir_link *other;
    struct weir_endpoint_info info;
    uint64_t stamp;

    assert_int_equal(verbs->link_open(bed.fabric, &other, &info), 0);
    stamp = weir_verbs_link_of(other)->stamp;
    verbs->link_close(other);
    complete(stamp | 1, IBV_WC_SUCCESS);
    complete(stamp | WEIR_VERBS_RECEIVE | 1, IBV_WC_WR_FLUSH_ERR);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    /* Its place in the table goes to another, whom they do not concern either. */
    assert_int_equal(verbs->link_open(bed.fabric, &other, &info), 0);
    assert_true(weir_verbs_link_of(other)->stamp != stamp);
    complete(stamp | WEIR_VERBS_RECEIVE | 1, IBV_WC_WR_FLUSH_ERR);
    complete(stamp | 1, IBV_WC_RETRY_EXC_ERR);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    assert_int_equal(made.lost, 0);
    verbs->link_close(other);
}

/* ---- failures ---- */

static void each_work_request_of_a_link_that_fails_comes_back_once_with_its_own_code(void **state)
{
    int count;

    assert_int_equal(post_many(WEIR_WR_WRITE, 10, 4096), 10);
    complete(made.sent[4].id, IBV_WC_REM_ACCESS_ERR);
    complete(made.sent[7].id, IBV_WC_SUCCESS);
    complete(made.sent[9].id, IBV_WC_WR_FLUSH_ERR);
    complete(WEIR_VERBS_RECEIVE | weir_verbs_link_of(bed.link)->stamp, IBV_WC_WR_FLUSH_ERR);
    count = verbs->progress(bed.fabric, bed.events, 256, NULL);
    assert_int_equal(made.lost, 1);
    assert_int_equal(made.lost_code, -EACCES);
    count += verbs->drain(bed.link, bed.events + count, 2);
    count += verbs->drain(bed.link, bed.events + count, 256 - (unsigned)count);
    assert_int_equal(made.queue_pairs, 0);
    assert_int_equal(count, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal((uintptr_t)bed.events[i].context, i + 1);
        assert_int_equal(bed.events[i].result, i < 4 ? 0 : i == 4 ? -EACCES : -ECANCELED);
    }
    assert_int_equal(verbs->drain(bed.link, bed.events, 256), 0);
}

static void work_requests_of_a_link_that_was_lost_have_the_reason(void **state)
{
    assert_int_equal(post_many(WEIR_WR_WRITE, 6, 4096), 6);
    complete(made.sent[2].id, IBV_WC_SUCCESS);
    /* Noted, but not handed back before the peer was found gone. */
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 1, NULL), 1);
    weir_link_lose(bed.link, -EPIPE);
    assert_int_equal(verbs->drain(bed.link, bed.events + 1, 255), 5);
    assert_int_equal(bed.events[1].result, 0);
    assert_int_equal(bed.events[2].result, 0);
    for (unsigned i = 3; i < 6; i++)
        assert_int_equal(bed.events[i].result, -EPIPE);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
}

static void a_pair_that_fails_under_its_receives_loses_the_link(void **state)
{
    complete(WEIR_VERBS_RECEIVE | weir_verbs_link_of(bed.link)->stamp, IBV_WC_WR_FLUSH_ERR);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    assert_int_equal(made.lost_code, -ECONNRESET);
}

static void a_full_device_is_back_pressure_and_other_refusals_lose_the_link(void **state)
{
    assert_int_equal(post_many(WEIR_WR_WRITE, 2, 4096), 2);
    made.takes = 0;
    assert_int_equal(post_many(WEIR_WR_WRITE, 4, 4096), 0);
    assert_int_equal(made.lost, 0);
    made.takes = UINT32_MAX;
    complete(made.sent[1].id, IBV_WC_SUCCESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 2);
    /* With nothing in flight, nothing would ever make room. */
    made.takes = 0;
    assert_int_equal(post_many(WEIR_WR_WRITE, 4, 4096), 0);
    assert_int_equal(made.lost_code, -ENOMEM);
    end();

    make_up();
    begin();
    made.takes = 3;
    made.take_code = EINVAL;
    assert_int_equal(post_many(WEIR_WR_WRITE, 8, 4096), 3);
    assert_int_equal(made.lost_code, -EINVAL);
    assert_int_equal(verbs->drain(bed.link, bed.events, 256), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(bed.events[i].result, -EINVAL);
    end();

    make_up();
    begin();
    made.takes = 0;
    made.take_code = EINVAL;
    assert_int_equal(post_many(WEIR_WR_WRITE, 8, 4096), -EINVAL);
    assert_int_equal(verbs->drain(bed.link, bed.events, 256), 0);
}

static void a_queue_that_cannot_be_polled_breaks_the_fabric(void **state)
{
    made.poll_fails = true;
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    assert_int_equal(made.lost_code, -EIO);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), -EIO);
}

static void what_the_device_reports_loses_the_links_that_it_concerns(void **state)
{
    const struct {
        enum ibv_event_type type;
        int code; /* 0: nothing is lost */
        bool is_broken;
    } cases[] = {{IBV_EVENT_DEVICE_FATAL, -ENODEV, true},
                 {IBV_EVENT_PORT_ERR, 0, false},
                 {IBV_EVENT_CQ_ERR, -EOVERFLOW, true},
                 {IBV_EVENT_QP_FATAL, -EIO, false},
                 {IBV_EVENT_QP_ACCESS_ERR, -EACCES, false},
                 {IBV_EVENT_PORT_ACTIVE, 0, false},
                 {IBV_EVENT_COMM_EST, 0, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ibv_async_event *event = &made.async[0];

        make_up();
        begin();
        event->event_type = cases[i].type;
        event->element.port_num = 1;
        if (cases[i].type == IBV_EVENT_CQ_ERR)
            event->element.cq = weir_verbs_fabric_of(bed.fabric)->queues->cq;
        if (cases[i].type == IBV_EVENT_QP_FATAL || cases[i].type == IBV_EVENT_QP_ACCESS_ERR ||
            cases[i].type == IBV_EVENT_COMM_EST)
            event->element.qp = weir_verbs_link_of(bed.link)->qp;
        made.async_count = 1;
        verbs->woken(bed.fabric, NULL, 0);
        verbs->progress(bed.fabric, bed.events, 256, NULL);
        assert_int_equal(made.async_acked, 1);
        assert_int_equal(made.lost_code, cases[i].code);
        assert_int_equal(weir_verbs_fabric_of(bed.fabric)->is_broken, cases[i].is_broken);
        end();
    }
}

/* ---- sleeping ---- */

static void what_came_before_arming_is_found_and_kept(void **state)
{
    bool sleeps = false;

    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, &sleeps), 0);
    assert_true(sleeps);
    assert_int_equal(made.armed, 1);
    assert_int_equal(post_many(WEIR_WR_WRITE, 40, 4096), 40);
    complete(made.sent[31].id, IBV_WC_SUCCESS);
    complete(made.sent[39].id, IBV_WC_SUCCESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 1, &sleeps), 1);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, &sleeps), 39);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, &sleeps), 0);
    assert_true(sleeps);
    assert_int_equal(made.armed, 4);
    made.notify_code = EINVAL;
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, &sleeps), 0);
    assert_false(sleeps);
}

/* ---- a work request that is waited for ---- */

static int post_and_wait(enum weir_wr_verb verb, unsigned number)
{
    struct weir_wr only = wr(verb, 4096, 8, number);

    return verbs->post(bed.link, &only, 1, true);
}

static void an_exchange_is_over_when_it_returns(void **state)
{
    made.answers_at_once = true;
    for (unsigned i = 0; i < 200; i++) {
        made.sent_count = 0;
        assert_int_equal(post_and_wait(i % 2 == 0 ? WEIR_WR_READ : WEIR_WR_WRITE, i), 1);
        assert_int_equal(made.sent_count, 1);
        assert_int_equal(made.sent[0].opcode, i % 2 == 0 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE);
    }
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    made.answers_at_once = false;
    made.sent_count = 0;
    assert_int_equal(post_many(WEIR_WR_WRITE, 64, 8), 64);
}

static void an_exchange_that_takes_longer_is_told_of_by_progress(void **state)
{
    assert_int_equal(post_and_wait(WEIR_WR_READ, 6), -EINPROGRESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    complete(made.sent[0].id, IBV_WC_SUCCESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 1);
    assert_int_equal((uintptr_t)bed.events[0].context, 7);
    assert_int_equal(bed.events[0].result, 0);
}

static void what_comes_before_the_end_of_an_exchange_is_told_before_it(void **state)
{
    uint64_t message;

    message = WEIR_VERBS_RECEIVE | weir_verbs_link_of(bed.link)->stamp | 5;
    made.answers_at_once = true;
    for (unsigned i = 0; i < 2; i++) {
        complete(message, IBV_WC_SUCCESS);
        assert_int_equal(post_and_wait(WEIR_WR_READ, i), -EINPROGRESS);
        assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 2);
        assert_int_equal(bed.events[0].kind, WEIR_EVENT_MESSAGE);
        assert_int_equal(bed.events[1].kind, WEIR_EVENT_DONE);
        assert_int_equal((uintptr_t)bed.events[1].context, i + 1);
    }
    assert_int_equal(post_and_wait(WEIR_WR_READ, 3), 1);
}

static void an_exchange_that_fails_is_told_of_with_its_link(void **state)
{
    made.answers_at_once = true;
    made.answer = IBV_WC_REM_ACCESS_ERR;
    assert_int_equal(post_and_wait(WEIR_WR_READ, 0), -EINPROGRESS);
    assert_int_equal(verbs->progress(bed.fabric, bed.events, 256, NULL), 0);
    assert_int_equal(made.lost_code, -EACCES);
    assert_int_equal(verbs->drain(bed.link, bed.events, 256), 1);
    assert_int_equal(bed.events[0].result, -EACCES);
}

static void an_exchange_that_the_device_refuses_is_none(void **state)
{
    made.takes = 0;
    made.take_code = EINVAL;
    assert_int_equal(post_and_wait(WEIR_WR_READ, 0), -EINVAL);
    assert_int_equal(made.lost_code, -EINVAL);
    assert_int_equal(verbs->drain(bed.link, bed.events, 256), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OWN_LINK(work_requests_become_requests_in_chains_with_the_last_signalled),
        OWN_LINK(every_nth_work_request_of_a_list_is_signalled_on_request),
        OWN_LINK(no_more_than_half_a_send_queue_goes_unsignalled),
        CASE(small_data_travel_in_the_request_but_for_reads),
        CASE(a_message_is_its_header_and_data_however_large),
        LINKED(messages_wait_when_their_buffers_are_all_under_way),
        LINKED(a_completion_hands_back_all_before_it_in_order),
        LINKED(a_message_finds_room_beside_many_work_requests_that_are_done),
        OWN_LINK(slots_are_used_again_and_again),
        LINKED(messages_come_from_their_buffers_which_are_posted_again),
        LINKED(completions_of_pairs_that_are_gone_are_nobodys),
        LINKED(each_work_request_of_a_link_that_fails_comes_back_once_with_its_own_code),
        LINKED(work_requests_of_a_link_that_was_lost_have_the_reason),
        LINKED(a_pair_that_fails_under_its_receives_loses_the_link),
        LINKED(a_full_device_is_back_pressure_and_other_refusals_lose_the_link),
        LINKED(a_queue_that_cannot_be_polled_breaks_the_fabric),
        CASE(what_the_device_reports_loses_the_links_that_it_concerns),
        LINKED(what_came_before_arming_is_found_and_kept),
        LINKED(an_exchange_is_over_when_it_returns),
        LINKED(an_exchange_that_takes_longer_is_told_of_by_progress),
        LINKED(what_comes_before_the_end_of_an_exchange_is_told_before_it),
        LINKED(an_exchange_that_fails_is_told_of_with_its_link),
        LINKED(an_exchange_that_the_device_refuses_is_none),
    };

    return cmocka_run_group_tests_name("verbs work requests", tests, NULL, NULL);
}
