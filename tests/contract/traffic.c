/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer belongs to its slot, and is spoilt as soon as its transfer is over: whoever touches it
 * too early or too late is found out. */
#include "traffic.h"

#include <string.h>

/* Far more failures than any fault that is staged brings. */
enum { STEP = 101, ATTEMPTS_MAX = 10000 };

static uint64_t word_of(const struct traffic *traffic, const struct weir_op *op, uint64_t unit)
{
    uint64_t file = op->file == traffic->files[0] ? 1 : 2;

    return (unit * 4 + file + (uint64_t)traffic->salt * 4096) * UINT64_C(0x9e3779b97f4a7c15);
}

static unsigned char *buffer_of(const struct traffic *traffic, const struct weir_op *op)
{
    return traffic->memory + (size_t)op->slot * UNIT_BYTES;
}

static void fill_buffer(const struct traffic *traffic, const struct weir_op *op)
{
    uint64_t *words = (uint64_t *)buffer_of(traffic, op);
    uint64_t word = word_of(traffic, op, op->offset / UNIT_BYTES);

    for (uint64_t i = 0; i < UNIT_BYTES / sizeof word; i++)
        words[i] = word + i;
}

static void check_buffer(const struct traffic *traffic, const struct weir_op *op)
{
    const uint64_t *words = (const uint64_t *)buffer_of(traffic, op);
    uint64_t word = word_of(traffic, op, op->offset / UNIT_BYTES);

    for (uint64_t i = 0; i < UNIT_BYTES / sizeof word; i++)
        if (words[i] != word + i)
            fail_msg("word %u of unit %u is wrong", (unsigned)i,
                     (unsigned)(op->offset / UNIT_BYTES));
}

static void send_unit(struct bench *bench, const struct traffic *traffic, uint64_t number)
{
    struct weir_op *op = weir_queue_take(&bench->queue);

    op->verb = traffic->verb;
    op->is_collective = false;
    op->file = traffic->files[number % traffic->file_count];
    op->data = buffer_of(traffic, op);
    op->offset = number / traffic->file_count * STEP % TRAFFIC_UNITS * UNIT_BYTES;
    op->size = UNIT_BYTES;
    if (op->verb == WEIR_OP_WRITE)
        fill_buffer(traffic, op);
    weir_queue_send(&bench->queue, op);
}

/* Whether the unit is done; what is left of it is sent otherwise. */
static bool finish_unit(struct bench *bench, struct traffic *traffic, struct weir_op *op)
{
    uint64_t moved = op->result > 0 ? (uint64_t)op->result : 0;

    if (op->result == (int64_t)op->size)
        return true;
    traffic->failed_count += op->result < 0;
    if (traffic->failed_count > ATTEMPTS_MAX)
        fail_msg("%u failures, this one with %d", ATTEMPTS_MAX, (int)op->result);
    traffic->short_count += op->result >= 0;
    op->data = (unsigned char *)op->data + moved;
    op->offset += moved;
    op->size -= moved;
    weir_queue_send(&bench->queue, op);
    return false;
}

static void reap_units(struct bench *bench, struct traffic *traffic)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    unsigned outstanding = weir_queue_outstanding(&bench->queue);
    unsigned least = traffic->batch < outstanding ? traffic->batch : outstanding;
    int count = weir_queue_reap(&bench->queue, done, traffic->batch, WEIR_DEPTH_MAX, WEIR_FOREVER);

    assert_in_range(count, traffic->may_be_interrupted ? 0 : least, outstanding);
    for (int i = 0; i < count; i++) {
        if (!finish_unit(bench, traffic, done[i]))
            continue;
        if (traffic->verb == WEIR_OP_READ)
            check_buffer(traffic, done[i]);
        memset(buffer_of(traffic, done[i]), 0xee, UNIT_BYTES);
        weir_queue_give(&bench->queue, done[i]);
    }
}

void run_traffic(struct bench *bench, struct traffic *traffic)
{
    const uint64_t total = (uint64_t)TRAFFIC_UNITS * traffic->file_count;
    unsigned char *memory = traffic->memory;
    uint64_t number = 0;

    if (!memory)
        traffic->memory = make_data(bench, bench->session->depth, 1);
    while (number < total || weir_queue_outstanding(&bench->queue) > 0) {
        while (number < total && weir_queue_has_free(&bench->queue))
            send_unit(bench, traffic, number++);
        reap_units(bench, traffic);
    }
    traffic->memory = memory;
}
