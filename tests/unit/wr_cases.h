/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of weir/fabric/fabric.h, as cases that run over any provider: two fabrics of one
 * process, which one thread polls in turn. A test program that includes this gives the provider's
 * parameters to wr_run. */
#ifndef WEIR_TESTS_WR_CASES_H
#define WEIR_TESTS_WR_CASES_H

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

#define WR_ENDS 2
#define WR_SLAB_BYTES (4u << 20)
#define WR_TIMEOUT_NS UINT64_C(20000000000)
#define WR_NOTED_MAX 1024

/* One of the two: A connects to B. */
struct wr_end {
    struct weir_fabric *fabric;
    struct weir_slab slab;
    struct weir_region *region;
    struct weir_region_key key;
    struct weir_link *link;
    char address[WEIR_ADDRESS_BYTES];
    struct weir_event noted[WR_NOTED_MAX]; /* what poll has told */
    unsigned noted_count;
    unsigned done, messages, joined, left; /* of these */
    char greeting[WEIR_GREETING_BYTES];
    uint32_t greeting_bytes;
};

struct wr_bed {
    struct weir_fabric_params params;
    struct wr_end a, b;
};

static inline void wr_open_end(struct wr_end *end, const struct weir_fabric_params *params)
{
    struct weir_slab_params slab = {.bytes = WR_SLAB_BYTES};
    struct weir_error error = {0};

    memset(end, 0, sizeof *end);
    if (weir_fabric_open(params, &end->fabric, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(weir_slab_open(&end->slab, &slab), 0);
    if (weir_region_open(end->fabric, end->slab.memory, end->slab.bytes, &end->slab,
                         WEIR_REGION_SERVED, &end->region, &error) != 0)
        fail_msg("%s", error.text);
    end->key = weir_region_key(end->region);
}

static inline void wr_close_end(struct wr_end *end)
{
    if (end->fabric == NULL)
        return;
    weir_link_close(end->link);
    weir_region_close(end->region);
    weir_fabric_close(end->fabric);
    weir_slab_close(&end->slab);
    memset(end, 0, sizeof *end);
}

static inline void wr_note(struct wr_end *end, const struct weir_event *event)
{
    assert_true(end->noted_count < WR_NOTED_MAX);
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

static inline void wr_forget(struct wr_end *end)
{
    end->noted_count = end->done = end->messages = end->joined = end->left = 0;
}

static inline void wr_poll_end(struct wr_end *end, uint64_t timeout_ns)
{
    struct weir_event events[16];
    int count = end->fabric == NULL ? 0 : weir_fabric_poll(end->fabric, events, 16, timeout_ns);

    assert_true(count >= 0);
    for (int i = 0; i < count; i++)
        wr_note(end, &events[i]);
}

static inline void wr_poll(struct wr_bed *bed)
{
    wr_poll_end(&bed->a, 0);
    wr_poll_end(&bed->b, 0);
}

/* Polls both until the counter reads `count`. */
static inline void wr_until(struct wr_bed *bed, const unsigned *counter, unsigned count)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (*counter < count) {
        wr_poll(bed);
        if (weir_clock_kernel_ns() - start_ns > WR_TIMEOUT_NS)
            fail_msg("waited in vain: %u of %u", *counter, count);
    }
}

/* For what must not happen. */
static inline void wr_linger(struct wr_bed *bed, uint64_t ns)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (weir_clock_kernel_ns() - start_ns < ns)
        wr_poll(bed);
}

static inline void wr_listen(struct wr_end *end)
{
    struct weir_error error = {0};

    if (weir_fabric_listen(end->fabric, NULL, end->address, &error) != 0)
        fail_msg("%s", error.text);
}

static inline void wr_connect(struct wr_bed *bed)
{
    assert_int_equal(weir_fabric_connect(bed->a.fabric, bed->b.address, "who", 3, &bed->a.link), 0);
    wr_until(bed, &bed->a.joined, 1);
    wr_until(bed, &bed->b.joined, 1);
    wr_forget(&bed->a);
    wr_forget(&bed->b);
}

static inline void wr_open(struct wr_bed *bed)
{
    wr_open_end(&bed->a, &bed->params);
    wr_open_end(&bed->b, &bed->params);
    wr_listen(&bed->b);
    wr_connect(bed);
}

static inline void wr_close(struct wr_bed *bed)
{
    wr_close_end(&bed->a);
    wr_close_end(&bed->b);
}

/* From the place `offset` of A's slab to the same place of B's, or back. */
static inline struct weir_wr wr_make(struct wr_bed *bed, enum weir_wr_verb verb, uint64_t offset,
                                     uint64_t bytes)
{
    return (struct weir_wr){
        .verb = verb,
        .data = (unsigned char *)bed->a.slab.memory + offset,
        .bytes = bytes,
        .region = bed->a.region,
        .remote_address = bed->b.key.address + offset,
        .remote = &bed->b.key,
    };
}

/* All of them, however often the link is full. */
static inline void wr_post(struct wr_bed *bed, const struct weir_wr wrs[], unsigned count)
{
    uint64_t start_ns = weir_clock_kernel_ns();

    while (count > 0) {
        int taken = weir_link_post(bed->a.link, wrs, count);

        assert_true(taken >= 0 && (unsigned)taken <= count);
        wrs += taken;
        count -= (unsigned)taken;
        if (count > 0)
            wr_poll(bed);
        assert_true(weir_clock_kernel_ns() - start_ns < WR_TIMEOUT_NS);
    }
}

static inline void wr_send(struct wr_bed *bed, const char *header, const void *data, uint64_t bytes,
                           void *context)
{
    struct weir_wr wr = {.verb = WEIR_WR_SEND,
                         .data = (void *)data,
                         .bytes = bytes,
                         .region = bed->a.region,
                         .header = header,
                         .header_bytes = (uint32_t)strlen(header),
                         .context = context};

    wr_post(bed, &wr, 1);
}

static inline void wr_fill(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *byte = memory;

    for (size_t i = 0; i < bytes; i++)
        byte[i] = (unsigned char)((i * 2654435761u >> 8) + seed + (i >> 16));
}

static inline const struct weir_event *wr_find(const struct wr_end *end, enum weir_event_kind kind)
{
    for (unsigned i = 0; i < end->noted_count; i++) {
        if (end->noted[i].kind == kind)
            return &end->noted[i];
    }
    fail_msg("no such event");
    return NULL;
}

#endif
