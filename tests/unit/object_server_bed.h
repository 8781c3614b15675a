/* SPDX-License-Identifier: Apache-2.0 */
/* A server in a thread, and clients that speak its protocol word by word. */
#ifndef TESTS_UNIT_OBJECT_SERVER_BED_H
#define TESTS_UNIT_OBJECT_SERVER_BED_H

#include "network/objects/protocol.h"

#include "weir/base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define BED_CHUNKS 8u
#define BED_MESSAGE_BYTES 16384u
#define BED_MEMORY_BYTES (4 * WEIR_CHUNK_BYTES)
#define BED_TIMEOUT_NS UINT64_C(20000000000)

struct bed_peer {
    struct weir_fabric *fabric;
    struct weir_link *link;
    struct weir_region *region;
    unsigned char *memory; /* BED_MEMORY_BYTES, served */
    bool has_joined;
    bool has_left;
    unsigned done;
    int done_code;
    /* the latest answer */
    struct weir_answer answer;
    unsigned char payload[BED_MESSAGE_BYTES];
    unsigned answers;
    struct weir_welcome admit;
};

static inline void bed_turn(struct bed_peer *peer)
{
    struct weir_event events[16];
    int count = weir_fabric_poll(peer->fabric, events, 16, 10000000);

    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        const unsigned char *payload;

        switch (events[i].kind) {
        case WEIR_EVENT_JOINED:
            peer->has_joined = true;
            break;
        case WEIR_EVENT_LEFT:
            peer->has_left = true;
            break;
        case WEIR_EVENT_DONE:
            peer->done++;
            peer->done_code = events[i].result;
            break;
        case WEIR_EVENT_MESSAGE:
            assert_int_equal(
                weir_answer_parse(events[i].message, events[i].bytes, &peer->answer, &payload), 0);
            memcpy(peer->payload, payload, peer->answer.payload_bytes);
            peer->answers++;
            weir_link_release(events[i].link, events[i].message);
            break;
        }
    }
}

static inline void bed_post(struct bed_peer *peer, const struct weir_wr *wr)
{
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    while (weir_link_post(peer->link, wr, 1) == 0) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(peer);
    }
}

/* Sends a request, with `tail` (as long as it says) from the last part of the memory. */
static inline void bed_send(struct bed_peer *peer, struct weir_request request, const void *tail)
{
    size_t rest = (size_t)request.path_bytes + request.new_path_bytes + request.payload_bytes;
    unsigned char *place = peer->memory + BED_MEMORY_BYTES - BED_MESSAGE_BYTES;
    struct weir_wr wr = {.verb = WEIR_WR_SEND,
                         .header = &request,
                         .header_bytes = sizeof request,
                         .data = place,
                         .bytes = rest,
                         .region = peer->region};

    if (tail)
        memcpy(place, tail, rest);
    bed_post(peer, &wr);
}

static inline bool bed_await(struct bed_peer *peer, unsigned answers)
{
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;

    while (peer->answers < answers && !peer->has_left) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(peer);
    }
    return peer->answers >= answers;
}

/* The status of the answer. */
static inline int bed_ask(struct bed_peer *peer, struct weir_request request, const void *tail)
{
    unsigned expected = peer->answers + 1;

    request.id = 7000 + expected;
    bed_send(peer, request, tail);
    assert_true(bed_await(peer, expected));
    assert_int_equal(peer->answer.id, request.id);
    return peer->answer.status;
}

static inline int bed_path(struct bed_peer *peer, struct weir_request request, const char *path)
{
    request.path_bytes = (uint16_t)strlen(path);
    return bed_ask(peer, request, path);
}

/* A WRITE or READ past the server; waits for its end. */
static inline int bed_move(struct bed_peer *peer, enum weir_wr_verb verb, size_t at,
                           uint64_t address, uint64_t bytes)
{
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;
    struct weir_wr wr = {.verb = verb,
                         .data = peer->memory + at,
                         .bytes = bytes,
                         .region = peer->region,
                         .remote_address = address,
                         .remote = &peer->admit.slab,
                         .context = peer};
    unsigned outstanding;

    while (weir_link_outstanding(peer->link) && weir_clock_kernel_ns() < end)
        bed_turn(peer);
    outstanding = peer->done + 1;
    bed_post(peer, &wr);
    while (peer->done < outstanding) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(peer);
    }
    return peer->done_code;
}

static inline int bed_hello(struct bed_peer *peer, uint32_t server_count, uint32_t server_index)
{
    struct weir_hello hello = {.magic = WEIR_PROTOCOL_MAGIC,
                               .version = WEIR_PROTOCOL_VERSION,
                               .server_count = server_count,
                               .server_index = server_index,
                               .unit_bytes = 1 << 20};
    int code =
        bed_ask(peer, (struct weir_request){.verb = WEIR_VERB_HELLO, .payload_bytes = sizeof hello},
                &hello);

    if (!code) {
        assert_int_equal(peer->answer.payload_bytes, sizeof peer->admit);
        memcpy(&peer->admit, peer->payload, sizeof peer->admit);
    }
    return code;
}

/* A peer whose receive buffers have `message_bytes` each. */
static inline void bed_connect_with(struct bed_peer *peer, const char *provider,
                                    const char *address, unsigned message_bytes)
{
    uint64_t end = weir_clock_kernel_ns() + BED_TIMEOUT_NS;
    struct weir_fabric_params params = {.provider = provider,
                                        .gid_index = -1,
                                        .message_bytes = message_bytes,
                                        .interface = "127.0.0.1"};
    struct weir_error error = {0};

    memset(peer, 0, sizeof *peer);
    if (weir_fabric_open(&params, &peer->fabric, &error))
        fail_msg("%s", error.text);
    peer->memory =
        mmap(NULL, BED_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (weir_region_open(peer->fabric, peer->memory, BED_MEMORY_BYTES, NULL, WEIR_REGION_SERVED,
                         &peer->region, &error))
        fail_msg("%s", error.text);
    assert_int_equal(weir_fabric_connect(peer->fabric, address, NULL, 0, &peer->link), 0);
    while (!peer->has_joined && !peer->has_left) {
        assert_true(weir_clock_kernel_ns() < end);
        bed_turn(peer);
    }
}

static inline void bed_connect(struct bed_peer *peer, const char *provider, const char *address)
{
    bed_connect_with(peer, provider, address, BED_MESSAGE_BYTES);
}

static inline void bed_disconnect(struct bed_peer *peer)
{
    weir_link_close(peer->link);
    weir_region_close(peer->region);
    weir_fabric_close(peer->fabric);
    munmap(peer->memory, BED_MEMORY_BYTES);
    memset(peer, 0, sizeof *peer);
}

#endif
