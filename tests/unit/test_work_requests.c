/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of the fabric, over every provider that can be opened here. */
#include "wr_cases.h"

#include <stdatomic.h>

#define DENIED_CALL 441 /* epoll_pwait2 */
#include "denied_syscall.h"

/* ---- writes, reads and messages ---- */

static void a_link_joins_at_both_ends_with_its_greeting(void **state)
{
    struct wr_bed *bed = *state;

    assert_int_equal(bed->b.greeting_bytes, 3);
    assert_memory_equal(bed->b.greeting, "who", 3);
    assert_string_equal(weir_link_peer(bed->a.link), bed->b.address);
    assert_int_equal(weir_link_credits(bed->a.link), 32);
    assert_int_equal(weir_link_message_bytes(bed->a.link), 4096);
    assert_int_equal(weir_link_credits(bed->b.link), 32);
    assert_int_equal(weir_fabric_handshake_counts(bed->b.fabric).joined, 1);
    assert_int_equal(weir_fabric_handshake_counts(bed->b.fabric).refused, 0);
}

static void writes_of_any_size_arrive_as_they_are(void **state)
{
    static const uint64_t sizes[] = {1,    7,    8,    47,    64,     4095,
                                     4096, 8192, 8193, 65536, 100001, 1 << 20};
    struct wr_bed *bed = *state;
    unsigned char *a = bed->a.slab.memory;
    unsigned char *b = bed->b.slab.memory;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weir_wr wr = wr_make(bed, WEIR_WR_WRITE, 4096 + i, sizes[i]);

        wr_fill(a, WR_SLAB_BYTES, (unsigned)i);
        memset(b, 0xee, WR_SLAB_BYTES);
        wr.context = &wr;
        wr_post(bed, &wr, 1);
        assert_int_equal(weir_link_outstanding(bed->a.link), 1);
        wr_until(bed, &bed->a.done, 1);
        assert_int_equal(bed->a.noted[0].result, 0);
        assert_ptr_equal(bed->a.noted[0].context, &wr);
        assert_ptr_equal(bed->a.noted[0].link, bed->a.link);
        assert_int_equal(weir_link_outstanding(bed->a.link), 0);
        assert_memory_equal(b + 4096 + i, a + 4096 + i, sizes[i]);
        assert_int_equal(b[4096 + i - 1], 0xee);
        assert_int_equal(b[4096 + i + sizes[i]], 0xee);
        wr_forget(&bed->a);
    }
}

static void reads_of_any_size_fetch_what_is_there(void **state)
{
    static const uint64_t sizes[] = {1,    7,    8,    47,    64,     4095,
                                     4096, 8192, 8193, 65536, 100001, 1 << 20};
    struct wr_bed *bed = *state;
    unsigned char *a = bed->a.slab.memory;
    unsigned char *b = bed->b.slab.memory;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weir_wr wr = wr_make(bed, WEIR_WR_READ, 4096 + i, sizes[i]);

        wr_fill(b, WR_SLAB_BYTES, (unsigned)i);
        memset(a, 0xee, WR_SLAB_BYTES);
        wr_post(bed, &wr, 1);
        wr_until(bed, &bed->a.done, 1);
        assert_int_equal(bed->a.noted[0].result, 0);
        assert_memory_equal(a + 4096 + i, b + 4096 + i, sizes[i]);
        assert_int_equal(a[4096 + i - 1], 0xee);
        assert_int_equal(a[4096 + i + sizes[i]], 0xee);
        wr_forget(&bed->a);
    }
}

static void a_work_request_that_is_waited_for_is_told_of_once(void **state)
{
    struct wr_bed *bed = *state;
    const unsigned char *a = bed->a.slab.memory;
    unsigned char *b = bed->b.slab.memory;

    for (unsigned i = 0; i < 300; i++) {
        struct weir_wr first = wr_make(bed, WEIR_WR_WRITE, 65536, 4096);
        struct weir_wr wr = wr_make(bed, WEIR_WR_READ, 4096, 1 + i);
        bool is_alone = i % 10 != 0;
        int code;

        memset(b + 4096, (int)i, 1 + i);
        if (!is_alone)
            wr_post(bed, &first, 1);
        code = weir_link_post_and_wait(bed->a.link, &wr);
        if (code != 1)
            assert_int_equal(code, -EINPROGRESS);
        wr_until(bed, &bed->a.done, (unsigned)!is_alone + (code == -EINPROGRESS));
        wr_poll(bed);
        assert_int_equal(bed->a.done, (unsigned)!is_alone + (code == -EINPROGRESS));
        assert_int_equal(weir_link_outstanding(bed->a.link), 0);
        assert_int_equal(a[4096], i % 256);
        assert_int_equal(a[4096 + i], i % 256);
        wr_forget(&bed->a);
    }
}

static void a_message_is_its_header_and_then_its_data(void **state)
{
    struct wr_bed *bed = *state;
    const struct weir_event *event;

    wr_fill(bed->a.slab.memory, 4096, 1);
    wr_send(bed, "header", bed->a.slab.memory, 4000, NULL);
    wr_until(bed, &bed->b.messages, 1);
    wr_until(bed, &bed->a.done, 1);
    event = wr_find(&bed->b, WEIR_EVENT_MESSAGE);
    assert_int_equal(event->bytes, 4006);
    assert_ptr_equal(event->link, bed->b.link);
    assert_memory_equal(event->message, "header", 6);
    assert_memory_equal((unsigned char *)event->message + 6, bed->a.slab.memory, 4000);
    assert_int_equal((uintptr_t)event->message % 64, 0);
    weir_link_release(bed->b.link, event->message);
}

static void both_ends_can_write_read_and_send(void **state)
{
    struct wr_bed *bed = *state;
    struct wr_bed turned = {.params = bed->params, .a = bed->b, .b = bed->a};
    struct weir_wr wrs[2] = {wr_make(&turned, WEIR_WR_WRITE, 0, 100),
                             wr_make(&turned, WEIR_WR_READ, 200, 100)};

    memset(bed->b.slab.memory, 3, 100);
    memset((unsigned char *)bed->a.slab.memory + 200, 4, 100);
    assert_int_equal(weir_link_post(bed->b.link, wrs, 2), 2);
    wr_until(bed, &bed->b.done, 2);
    assert_memory_equal(bed->a.slab.memory, bed->b.slab.memory, 100);
    assert_memory_equal((unsigned char *)bed->b.slab.memory + 200,
                        (unsigned char *)bed->a.slab.memory + 200, 100);
}

static void a_message_comes_after_the_writes_before_it(void **state)
{
    struct wr_bed *bed = *state;
    unsigned char *a = bed->a.slab.memory;
    const unsigned char *b = bed->b.slab.memory;

    for (unsigned round = 1; round <= 50; round++) {
        struct weir_wr wrs[16];

        memset(a, (int)round, 16 * 65536);
        for (unsigned i = 0; i < 16; i++)
            wrs[i] = wr_make(bed, WEIR_WR_WRITE, i * 65536, 65536);
        wr_post(bed, wrs, 16);
        wr_send(bed, "written", NULL, 0, NULL);
        while (bed->b.messages == 0)
            wr_poll(bed);
        for (unsigned i = 0; i < 16; i++) {
            assert_int_equal(b[i * 65536], round);
            assert_int_equal(b[i * 65536 + 65535], round);
        }
        weir_link_release(bed->b.link, wr_find(&bed->b, WEIR_EVENT_MESSAGE)->message);
        wr_until(bed, &bed->a.done, 17);
        wr_forget(&bed->a);
        wr_forget(&bed->b);
    }
}

static void a_read_sees_the_writes_before_it(void **state)
{
    struct wr_bed *bed = *state;
    unsigned char *a = bed->a.slab.memory;

    for (unsigned round = 1; round <= 50; round++) {
        struct weir_wr wrs[12];

        memset(a, (int)round, 1 << 20);
        memset(a + (1 << 20), 0, 1 << 20);
        for (unsigned i = 0; i < 10; i++)
            wrs[i] = wr_make(bed, WEIR_WR_WRITE, i * 100000, 100000);
        wrs[10] = wr_make(bed, WEIR_WR_READ, 0, 1000000);
        wrs[10].data = a + (1 << 20);
        wrs[11] = wr_make(bed, WEIR_WR_READ, 0, 1);
        wrs[11].data = a + (3 << 20);
        wr_post(bed, wrs, 12);
        wr_until(bed, &bed->a.done, 12);
        assert_memory_equal(a + (1 << 20), a, 1000000);
        wr_forget(&bed->a);
    }
}

static void a_long_work_request_goes_between_memories_that_are_no_slabs(void **state)
{
    enum { BYTES = 64 << 20 };
    struct wr_bed *bed = *state;
    struct weir_region *regions[WR_ENDS];
    struct weir_region_key key;
    struct weir_error error = {0};
    unsigned char *memory[WR_ENDS];
    struct weir_wr wr = {.bytes = BYTES, .remote = &key};

    for (unsigned i = 0; i < WR_ENDS; i++) {
        memory[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(memory[i] != MAP_FAILED);
        if (weir_region_open(i == 0 ? bed->a.fabric : bed->b.fabric, memory[i], BYTES, NULL,
                             WEIR_REGION_SERVED, &regions[i], &error) != 0)
            fail_msg("%s", error.text);
    }
    key = weir_region_key(regions[1]);
    wr.data = memory[0];
    wr.region = regions[0];
    wr.remote_address = key.address;
    wr_fill(memory[0], BYTES, 5);
    wr_post(bed, &wr, 1);
    wr_until(bed, &bed->a.done, 1);
    assert_int_equal(bed->a.noted[0].result, 0);
    assert_int_equal(memcmp(memory[0], memory[1], BYTES), 0);
    memset(memory[0], 0, BYTES);
    wr.verb = WEIR_WR_READ;
    wr_post(bed, &wr, 1);
    wr_until(bed, &bed->a.done, 2);
    assert_int_equal(bed->a.noted[1].result, 0);
    assert_int_equal(memcmp(memory[0], memory[1], BYTES), 0);
    for (unsigned i = 0; i < WR_ENDS; i++) {
        weir_region_close(regions[i]);
        munmap(memory[i], BYTES);
    }
}

static void writes_and_reads_cross_in_both_directions_at_once(void **state)
{
    struct wr_bed *bed = *state;
    unsigned posted[WR_ENDS] = {0};
    uint64_t start_ns = weir_clock_kernel_ns();

    wr_fill(bed->a.slab.memory, WR_SLAB_BYTES / 4, 1);
    wr_fill((unsigned char *)bed->b.slab.memory + WR_SLAB_BYTES / 2, WR_SLAB_BYTES / 4, 2);
    while (bed->a.done < 400 || bed->b.done < 400) {
        for (unsigned i = 0; i < WR_ENDS; i++) {
            struct wr_end *self = i == 0 ? &bed->a : &bed->b;
            struct wr_end *other = i == 0 ? &bed->b : &bed->a;
            uint64_t offset = i * (WR_SLAB_BYTES / 2) + posted[i] % 16 * 65536;
            struct weir_wr wr = {
                .verb = posted[i] / 16 % 2 == 0 ? WEIR_WR_WRITE : WEIR_WR_READ,
                .data = (unsigned char *)self->slab.memory + offset,
                .bytes = 65536,
                .region = self->region,
                .remote_address = other->key.address + offset,
                .remote = &other->key,
            };

            if (posted[i] < 400 && weir_link_post(self->link, &wr, 1) == 1)
                posted[i]++;
        }
        wr_poll(bed);
        assert_true(weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS);
    }
    assert_memory_equal(bed->a.slab.memory, bed->b.slab.memory, WR_SLAB_BYTES / 4);
    assert_memory_equal((unsigned char *)bed->a.slab.memory + WR_SLAB_BYTES / 2,
                        (unsigned char *)bed->b.slab.memory + WR_SLAB_BYTES / 2, WR_SLAB_BYTES / 4);
}

/* ---- what does not go on for ever ---- */

static void a_full_link_takes_fewer_and_later_the_rest(void **state)
{
    struct wr_bed *bed = *state;
    const unsigned depth = weir_fabric_facts(bed->a.fabric)->depth;
    struct weir_wr wrs[300];
    int taken;

    assert_int_equal(depth, 128);
    for (unsigned i = 0; i < 300; i++) {
        wrs[i] = wr_make(bed, i % 3 == 0 ? WEIR_WR_READ : WEIR_WR_WRITE, i * 4096, 4096);
        wrs[i].context = &wrs[i];
    }
    taken = weir_link_post(bed->a.link, wrs, 300);
    assert_true(taken > 0 && taken <= 128);
    assert_int_equal(weir_link_outstanding(bed->a.link), taken);
    wr_post(bed, wrs + taken, 300 - (unsigned)taken);
    wr_until(bed, &bed->a.done, 300);
    for (unsigned i = 0; i < 300; i++) {
        struct weir_wr *wr = bed->a.noted[i].context;

        assert_int_equal(bed->a.noted[i].result, 0);
        assert_non_null(wr->context);
        wr->context = NULL; /* each comes back once */
    }
    assert_int_equal(weir_link_outstanding(bed->a.link), 0);
}

static void messages_within_the_credits_all_arrive_in_order(void **state)
{
    struct wr_bed *bed = *state;
    char text[16];

    for (unsigned i = 0; i < 32; i++) {
        snprintf(text, sizeof text, "number %u", i);
        wr_send(bed, text, NULL, 0, NULL);
    }
    wr_until(bed, &bed->b.messages, 32);
    wr_until(bed, &bed->a.done, 32);
    for (unsigned i = 0; i < 32; i++) {
        snprintf(text, sizeof text, "number %u", i);
        assert_memory_equal(bed->b.noted[i].message, text, strlen(text));
    }
    for (unsigned i = 0; i < 32; i++)
        weir_link_release(bed->b.link, bed->b.noted[i].message);
    wr_forget(&bed->b);
    for (unsigned i = 0; i < 32; i++)
        wr_send(bed, "again", NULL, 0, NULL);
    wr_until(bed, &bed->b.messages, 32);
    for (unsigned i = 0; i < 32; i++)
        weir_link_release(bed->b.link, bed->b.noted[i].message);
}

/* ---- what is refused ---- */

static void a_work_request_with_a_wrong_key_or_range_fails_alone_or_with_its_link(void **state)
{
    static const int64_t moves[] = {-1, 1, WR_SLAB_BYTES, -(int64_t)WR_SLAB_BYTES};
    static const enum weir_wr_verb verbs[] = {WEIR_WR_WRITE, WEIR_WR_READ};
    struct wr_bed *bed = *state;

    for (unsigned i = 0; i < 10; i++) {
        struct weir_region_key key = bed->b.key;
        struct weir_wr wr = wr_make(bed, verbs[i % 2], 0, WR_SLAB_BYTES);

        wr.remote = &key;
        if (i < 8)
            wr.remote_address += (uint64_t)moves[i / 2];
        else
            key.key ^= UINT64_C(1) << 20;
        /* Over shared memory the key is the address. */
        if (i >= 8 && strcmp(bed->params.provider, "shm") == 0)
            continue;
        memset(bed->b.slab.memory, 7, WR_SLAB_BYTES);
        memset(bed->a.slab.memory, 8, WR_SLAB_BYTES);
        wr_post(bed, &wr, 1);
        wr_until(bed, &bed->a.done, 1);
        assert_int_equal(wr_find(&bed->a, WEIR_EVENT_DONE)->result, -EACCES);
        wr_linger(bed, 1000000);
        for (unsigned place = 0; place < WR_SLAB_BYTES; place += 4095) {
            assert_int_equal(((unsigned char *)bed->a.slab.memory)[place], 8);
            assert_int_equal(((unsigned char *)bed->b.slab.memory)[place], 7);
        }
        if (bed->a.left + bed->b.left > 0) {
            wr_close(bed);
            wr_open(bed);
        }
        wr_forget(&bed->a);
        wr_forget(&bed->b);
    }
}

/* ---- ends ---- */

static void the_end_of_the_peer_hands_all_work_requests_back_and_then_tells(void **state)
{
    struct wr_bed *bed = *state;
    struct weir_wr wrs[100];
    int taken;

    for (unsigned i = 0; i < 100; i++)
        wrs[i] = wr_make(bed, WEIR_WR_WRITE, 0, 1 << 20);
    taken = weir_link_post(bed->a.link, wrs, 100);
    assert_true(taken > 0);
    wr_close_end(&bed->b);
    wr_until(bed, &bed->a.left, 1);
    assert_int_equal(bed->a.done, taken);
    assert_int_equal(bed->a.noted[bed->a.noted_count - 1].kind, WEIR_EVENT_LEFT);
    assert_true(bed->a.noted[bed->a.noted_count - 1].result < 0);
    assert_int_equal(weir_link_outstanding(bed->a.link), 0);
    assert_true(weir_link_post(bed->a.link, wrs, 1) < 0);
    assert_true(weir_link_post_and_wait(bed->a.link, wrs) < 0);
}

static void a_message_before_the_end_is_still_told(void **state)
{
    struct wr_bed *bed = *state;

    wr_send(bed, "farewell", NULL, 0, NULL);
    wr_until(bed, &bed->a.done, 1);
    weir_link_close(bed->a.link);
    bed->a.link = NULL;
    wr_until(bed, &bed->b.left, 1);
    assert_int_equal(bed->b.messages, 1);
    assert_memory_equal(wr_find(&bed->b, WEIR_EVENT_MESSAGE)->message, "farewell", 8);
}

static void links_come_and_go_a_hundred_times(void **state)
{
    struct wr_bed *bed = *state;

    for (unsigned i = 0; i < 100; i++) {
        struct weir_wr wr = wr_make(bed, WEIR_WR_WRITE, 64, 8);

        wr_post(bed, &wr, 1);
        wr_until(bed, &bed->a.done, 1);
        weir_link_close(bed->a.link);
        bed->a.link = NULL;
        wr_until(bed, &bed->b.left, 1);
        weir_link_close(bed->b.link);
        bed->b.link = NULL;
        wr_forget(&bed->a);
        wr_forget(&bed->b);
        wr_connect(bed);
    }
    assert_int_equal(weir_fabric_handshake_counts(bed->b.fabric).joined, 101);
}

static void many_links_join_at_once(void **state)
{
    enum { count = 32 };
    struct wr_bed *bed = *state;
    struct weir_link *links[count];

    for (unsigned i = 0; i < count; i++)
        assert_int_equal(
            weir_fabric_connect(bed->a.fabric, bed->b.address, &i, sizeof i, &links[i]), 0);
    wr_until(bed, &bed->a.joined, count);
    wr_until(bed, &bed->b.joined, count);
    for (unsigned i = 0; i < count; i++) {
        struct weir_wr wr = wr_make(bed, WEIR_WR_WRITE, i * 4096, 4096);

        memset((unsigned char *)bed->a.slab.memory + i * 4096, (int)i + 1, 4096);
        assert_int_equal(weir_link_post(links[i], &wr, 1), 1);
    }
    wr_until(bed, &bed->a.done, count);
    assert_memory_equal(bed->a.slab.memory, bed->b.slab.memory, count * 4096);
    for (unsigned i = 0; i < count; i++)
        weir_link_close(links[i]);
    wr_until(bed, &bed->b.left, count);
    for (unsigned i = 0; i < bed->b.noted_count; i++) {
        if (bed->b.noted[i].kind == WEIR_EVENT_LEFT)
            weir_link_close(bed->b.noted[i].link);
    }
    bed->b.link = NULL; /* the first link's end is closed with its fabric */
}

static void a_link_is_told_of_before_its_first_message_however_small_the_poll(void **state)
{
    struct wr_bed *bed = *state;
    struct weir_wr wr = {.verb = WEIR_WR_SEND, .header = "first", .header_bytes = 5};
    uint64_t start_ns = weir_clock_kernel_ns();
    struct weir_event event = {0};
    struct weir_link *link;

    assert_int_equal(weir_fabric_connect(bed->a.fabric, bed->b.address, NULL, 0, &link), 0);
    while (bed->a.joined == 0) {
        wr_poll_end(&bed->a, 0);
        /* B is not to see the last word before the message is there as well. */
        if (bed->a.joined == 0 && weir_fabric_poll(bed->b.fabric, &event, 1, 0) == 1)
            break;
    }
    while (bed->a.joined == 0)
        wr_poll_end(&bed->a, 0);
    assert_int_equal(weir_link_post(link, &wr, 1), 1);
    for (unsigned i = 0; i < 2; i++) {
        while (event.link == NULL && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS) {
            wr_poll_end(&bed->a, 0);
            weir_fabric_poll(bed->b.fabric, &event, 1, 0);
        }
        assert_int_equal(event.kind, i == 0 ? WEIR_EVENT_JOINED : WEIR_EVENT_MESSAGE);
        if (i == 0)
            event.link = NULL;
    }
    assert_memory_equal(event.message, "first", 5);
    weir_link_close(link);
}

/* ---- poll ---- */

static void poll_waits_as_long_as_it_is_told(void **state)
{
    struct wr_bed *bed = *state;
    struct weir_event event;
    uint64_t start_ns = weir_clock_kernel_ns();
    uint64_t passed_ns;

    assert_int_equal(weir_fabric_poll(bed->a.fabric, &event, 1, 30000000), 0);
    passed_ns = weir_clock_kernel_ns() - start_ns;
    assert_true(passed_ns >= 30000000);
    assert_true(passed_ns < UINT64_C(5000000000));
}

static void *wake_later(void *fabric)
{
    usleep(50000);
    weir_fabric_wake(fabric);
    return NULL;
}

static void another_thread_wakes_poll(void **state)
{
    struct wr_bed *bed = *state;
    struct weir_event event;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, wake_later, bed->a.fabric), 0);
    assert_int_equal(weir_fabric_poll(bed->a.fabric, &event, 1, UINT64_MAX), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* One before poll counts for the next. */
    weir_fabric_wake(bed->a.fabric);
    assert_int_equal(weir_fabric_poll(bed->a.fabric, &event, 1, UINT64_MAX), 0);
}

/* Kernels before 5.11 do not have epoll_pwait2; containers may deny it. */
static void poll_waits_and_is_woken_where_epoll_pwait2_is_missing(void **state)
{
    static const int errors[] = {ENOSYS, EPERM};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        denied_errno = errors[i];
        denied_calls = 0;
        poll_waits_as_long_as_it_is_told(state);
        another_thread_wakes_poll(state);
        denied_errno = 0;
        assert_true(denied_calls > 0);
    }
}

struct sleeper {
    struct wr_end *end;
    atomic_bool polls;
};

/* The fabric of its end belongs to this thread as long as it runs. */
static void *poll_alone(void *context)
{
    struct sleeper *sleeper = context;
    struct wr_end *end = sleeper->end;
    uint64_t start_ns = weir_clock_kernel_ns();

    atomic_store(&sleeper->polls, true);
    while (end->messages == 0 && weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS) {
        struct weir_event event;

        if (weir_fabric_poll(end->fabric, &event, 1, UINT64_C(1000000000)) > 0)
            wr_note(end, &event);
    }
    return NULL;
}

/* Whether B, which has slept for a while, is up soon after a message is sent: within 200 ms. By
 * itself poll looks each 500 ms, so that would take 250 ms at least; a pause that became longer
 * says nothing. */
static bool is_up_soon(struct wr_bed *bed)
{
    struct sleeper sleeper = {.end = &bed->b};
    uint64_t began_ns, sent_ns, up_ns;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, poll_alone, &sleeper), 0);
    while (!atomic_load(&sleeper.polls))
        usleep(1000);
    began_ns = weir_clock_kernel_ns();
    usleep(100000);
    wr_send(bed, "wake up", NULL, 0, NULL);
    sent_ns = weir_clock_kernel_ns();
    while (pthread_tryjoin_np(thread, NULL) == EBUSY)
        wr_poll_end(&bed->a, 1000000);
    up_ns = weir_clock_kernel_ns();
    assert_int_equal(bed->b.messages, 1);
    weir_link_release(bed->b.link, bed->b.noted[0].message);
    wr_until(bed, &bed->a.done, 1);
    assert_int_equal(bed->a.noted[0].result, 0);
    wr_forget(&bed->a);
    wr_forget(&bed->b);
    return sent_ns - began_ns < UINT64_C(250000000) && up_ns - sent_ns < UINT64_C(200000000);
}

/* Others on this machine may make B late, never early. */
static void a_sleeping_peer_is_woken_by_a_message(void **state)
{
    unsigned soon = 0;

    for (unsigned tries = 0; tries < 10 && soon < 3; tries++)
        soon += is_up_soon(*state);
    assert_int_equal(soon, 3);
}

/* ---- who is refused ---- */

static void an_end_with_another_secret_is_refused_by_both(void **state)
{
    static const unsigned char other[WEIR_SECRET_BYTES] = {1};
    struct wr_bed *bed = *state;
    struct weir_fabric_params params = bed->params;
    struct wr_end *outsider = calloc(1, sizeof *outsider);
    struct wr_end a = bed->a;

    params.secret = other;
    wr_open_end(outsider, &params);
    assert_int_equal(
        weir_fabric_connect(outsider->fabric, bed->b.address, NULL, 0, &outsider->link), 0);
    bed->a = *outsider;
    wr_until(bed, &bed->a.left, 1);
    assert_int_equal(bed->a.noted[0].result, -EACCES);
    assert_int_equal(bed->a.joined, 0);
    assert_int_equal(bed->b.joined, 0);
    assert_int_equal(weir_fabric_handshake_counts(bed->b.fabric).refused, 1);
    *outsider = bed->a;
    bed->a = a;
    wr_close_end(outsider);
    free(outsider);
}

static void an_address_where_nobody_listens_is_told_as_left(void **state)
{
    struct wr_bed *bed = *state;

    weir_link_close(bed->a.link);
    bed->a.link = NULL;
    assert_int_equal(weir_fabric_connect(bed->a.fabric, "127.0.0.1:1", NULL, 0, &bed->a.link), 0);
    wr_until(bed, &bed->a.left, 1);
    assert_int_equal(bed->a.noted[0].result, -ECONNREFUSED);
}

/* ---- over all of them ---- */

static struct weir_fabric_params variants[] = {
    {.provider = "tcp", .interface = "127.0.0.1", .gid_index = -1},
    {.provider = "tcp", .interface = "::1", .gid_index = -1},
    {.provider = "shm", .interface = "127.0.0.1", .gid_index = -1},
    {.provider = "verbs", .gid_index = -1},
    {.provider = "verbs", .gid_index = -1, .signal_every = 8},
};

static int set_up(void **state)
{
    struct wr_bed *bed = calloc(1, sizeof *bed);

    if (bed == NULL)
        return -1;
    bed->params = *(const struct weir_fabric_params *)*state;
    *state = bed;
    wr_open(bed);
    return 0;
}

static int tear_down(void **state)
{
    denied_errno = 0;
    wr_close(*state);
    free(*state);
    return 0;
}

#define CASE(test)                                                                                 \
    {                                                                                              \
#test, test, set_up, tear_down, NULL                                                       \
    }

static int run(struct weir_fabric_params *params)
{
    struct CMUnitTest cases[] = {
        CASE(a_link_joins_at_both_ends_with_its_greeting),
        CASE(writes_of_any_size_arrive_as_they_are),
        CASE(reads_of_any_size_fetch_what_is_there),
        CASE(a_work_request_that_is_waited_for_is_told_of_once),
        CASE(a_message_is_its_header_and_then_its_data),
        CASE(both_ends_can_write_read_and_send),
        CASE(a_message_comes_after_the_writes_before_it),
        CASE(a_read_sees_the_writes_before_it),
        CASE(a_long_work_request_goes_between_memories_that_are_no_slabs),
        CASE(writes_and_reads_cross_in_both_directions_at_once),
        CASE(a_full_link_takes_fewer_and_later_the_rest),
        CASE(messages_within_the_credits_all_arrive_in_order),
        CASE(a_work_request_with_a_wrong_key_or_range_fails_alone_or_with_its_link),
        CASE(the_end_of_the_peer_hands_all_work_requests_back_and_then_tells),
        CASE(a_message_before_the_end_is_still_told),
        CASE(links_come_and_go_a_hundred_times),
        CASE(many_links_join_at_once),
        CASE(a_link_is_told_of_before_its_first_message_however_small_the_poll),
        CASE(poll_waits_as_long_as_it_is_told),
        CASE(another_thread_wakes_poll),
        CASE(poll_waits_and_is_woken_where_epoll_pwait2_is_missing),
        CASE(a_sleeping_peer_is_woken_by_a_message),
        CASE(an_end_with_another_secret_is_refused_by_both),
        CASE(an_address_where_nobody_listens_is_told_as_left),
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cases[i].initial_state = params;
    return cmocka_run_group_tests_name(params->provider, cases, NULL, NULL);
}

/* The names of providers as arguments choose among them. */
static bool is_chosen(const char *provider, int count, char **names)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(names[i], provider) == 0)
            return true;
    }
    return count == 1;
}

int main(int count, char **names)
{
    int failures = 0;

    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct weir_fabric *fabric = NULL;
        struct weir_error error = {0};

        if (!is_chosen(variants[i].provider, count, names))
            continue;
        if (weir_fabric_open(&variants[i], &fabric, &error) != 0) {
            print_message("skipped: %s\n", error.text);
            continue;
        }
        weir_fabric_close(fabric);
        failures += run(&variants[i]);
    }
    return failures;
}
