/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of weir/fabric/fabric.h, as cases that run over any provider: two fabrics of one
 * process, which one thread polls in turn. A test program that includes this gives the provider's
 * parameters to wire_run. */
#ifndef WEIR_TESTS_WIRE_CASES_H
#define WEIR_TESTS_WIRE_CASES_H

#include "weir/base/clock.h"
#include "weir/fabric/fabric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIRE_ENDS 2
#define WIRE_SLAB_BYTES (4u << 20)
#define WIRE_TIMEOUT_NS UINT64_C(20000000000)
#define WIRE_NOTED_MAX 1024

/* One of the two: A connects to B. */
struct wire_end {
    struct weir_fabric *fabric;
    struct weir_slab slab;
    struct weir_region *region;
    struct weir_region_key key;
    struct weir_link *link;
    char address[WEIR_ADDRESS_BYTES];
    struct weir_event noted[WIRE_NOTED_MAX]; /* what poll has told */
    unsigned noted_count;
    unsigned done, messages, joined, left; /* of these */
    char greeting[WEIR_GREETING_BYTES];
    uint32_t greeting_bytes;
};

struct wire_bed {
    struct weir_fabric_params params;
    struct wire_end a, b;
};

static inline void wire_open_end(struct wire_end *end, const struct weir_fabric_params *params)
{
    struct weir_slab_params slab = {.bytes = WIRE_SLAB_BYTES};
    struct weir_error error = {0};

    memset(end, 0, sizeof *end);
    if (weir_fabric_open(params, &end->fabric, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(weir_slab_open(&end->slab, &slab), 0);
    if (weir_region_open(end->fabric, end->slab.memory, end->slab.bytes, &end->slab, true,
                         &end->region, &error) != 0)
        fail_msg("%s", error.text);
    end->key = weir_region_key(end->region);
}

static inline void wire_close_end(struct wire_end *end)
{
    if (end->fabric == NULL)
        return;
    weir_link_close(end->link);
    weir_region_close(end->region);
    weir_fabric_close(end->fabric);
    weir_slab_close(&end->slab);
    memset(end, 0, sizeof *end);
}

static inline void wire_note(struct wire_end *end, const struct weir_event *event)
{
    assert_true(end->noted_count < WIRE_NOTED_MAX);
    end->noted[end->noted_count++] = *event;
    end->done += event->kind == WEIR_EVENT_DONE;
    end->messages += event->kind == WEIR_EVENT_MESSAGE;
    end->joined += event->kind == WEIR_EVENT_JOINED;
    end->left += event->kind == WEIR_EVENT_LEFT;
    if (event->kind == WEIR_EVENT_JOINED && event->is_incoming) {
        end->link = event->link;
        end->greeting_bytes = event->bytes;
        if (event->bytes > 0)
            memcpy(end->greeting, event->message, event->bytes);
    }
}

static inline void wire_forget(struct wire_end *end)
{
    end->noted_count = end->done = end->messages = end->joined = end->left = 0;
}

static inline void wire_poll_end(struct wire_end *end, uint64_t timeout_ns)
{
    struct weir_event events[16];
    int count = end->fabric == NULL ? 0 : weir_fabric_poll(end->fabric, events, 16, timeout_ns);

    assert_true(count >= 0);
    for (int i = 0; i < count; i++)
        wire_note(end, &events[i]);
}

static inline void wire_poll(struct wire_bed *bed)
{
    wire_poll_end(&bed->a, 0);
    wire_poll_end(&bed->b, 0);
}

/* Polls both until the counter reads `count`. */
static inline void wire_until(struct wire_bed *bed, const unsigned *counter, unsigned count)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (*counter < count) {
        wire_poll(bed);
        if (weir_clock_kernel_ns() - start_ns > WIRE_TIMEOUT_NS)
            fail_msg("waited in vain: %u of %u", *counter, count);
    }
}

/* For what must not happen. */
static inline void wire_linger(struct wire_bed *bed, uint64_t ns)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (weir_clock_kernel_ns() - start_ns < ns)
        wire_poll(bed);
}

static inline void wire_listen(struct wire_end *end)
{
    struct weir_error error = {0};

    if (weir_fabric_listen(end->fabric, NULL, end->address, &error) != 0)
        fail_msg("%s", error.text);
}

static inline void wire_connect(struct wire_bed *bed)
{
    assert_int_equal(weir_fabric_connect(bed->a.fabric, bed->b.address, "who", 3, &bed->a.link), 0);
    wire_until(bed, &bed->a.joined, 1);
    wire_until(bed, &bed->b.joined, 1);
    wire_forget(&bed->a);
    wire_forget(&bed->b);
}

static inline void wire_open(struct wire_bed *bed)
{
    wire_open_end(&bed->a, &bed->params);
    wire_open_end(&bed->b, &bed->params);
    wire_listen(&bed->b);
    wire_connect(bed);
}

static inline void wire_close(struct wire_bed *bed)
{
    wire_close_end(&bed->a);
    wire_close_end(&bed->b);
}

/* From the place `offset` of A's slab to the same place of B's, or back. */
static inline struct weir_wire wire_make(struct wire_bed *bed, enum weir_wire_verb verb,
                                         uint64_t offset, uint64_t bytes)
{
    return (struct weir_wire){
        .verb = verb,
        .data = (unsigned char *)bed->a.slab.memory + offset,
        .bytes = bytes,
        .region = bed->a.region,
        .remote_address = bed->b.key.address + offset,
        .remote = &bed->b.key,
    };
}

/* All of them, however often the link is full. */
static inline void wire_post(struct wire_bed *bed, const struct weir_wire wires[], unsigned count)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (count > 0) {
        int taken = weir_link_post(bed->a.link, wires, count);

        assert_true(taken >= 0 && (unsigned)taken <= count);
        wires += taken;
        count -= (unsigned)taken;
        if (count > 0)
            wire_poll(bed);
        assert_true(weir_clock_kernel_ns() - start_ns < WIRE_TIMEOUT_NS);
    }
}

static inline void wire_send(struct wire_bed *bed, const char *header, const void *data,
                             uint64_t bytes, void *context)
{
    struct weir_wire wire = {.verb = WEIR_WIRE_SEND,
                             .data = (void *)data,
                             .bytes = bytes,
                             .region = bed->a.region,
                             .header = header,
                             .header_bytes = (uint32_t)strlen(header),
                             .context = context};

    wire_post(bed, &wire, 1);
}

static inline void wire_fill(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *byte = memory;

    for (size_t i = 0; i < bytes; i++)
        byte[i] = (unsigned char)((i * 2654435761u >> 8) + seed + (i >> 16));
}

static inline const struct weir_event *wire_find(const struct wire_end *end,
                                                 enum weir_event_kind kind)
{
    for (unsigned i = 0; i < end->noted_count; i++) {
        if (end->noted[i].kind == kind)
            return &end->noted[i];
    }
    fail_msg("no such event");
    return NULL;
}

#endif
