/* SPDX-License-Identifier: Apache-2.0 */
/* Counting completions of a flow. */
#include "tally.h"

/* A peak is the best of the parts of so large a share of all. */
enum { PARTS = 100 };

/* Completions come in heaps, of which one may follow the other at once: that is no rate. */
#define PART_LEAST_NS 10000000

static void begin_counting(struct net_tally *tally, uint64_t now_ns)
{
    tally->state = NET_TALLY_COUNTING;
    tally->begin_ns = now_ns;
    tally->end_ns = now_ns;
    tally->part_begin_ns = now_ns;
    if (tally->iterations > 0)
        tally->post_limit = tally->completed + tally->iterations;
}

void net_tally_begin(struct net_tally *tally, uint64_t start_ns)
{
    tally->state = NET_TALLY_WARMING;
    tally->post_limit = UINT64_MAX;
    if (start_ns >= tally->warm_until_ns)
        begin_counting(tally, start_ns);
}

/* Completions come in heaps: a part ends with the first heap beyond its end, and its rate is that
 * of the time which it really took. */
static void add_to_part(struct net_tally *tally, uint64_t now_ns, uint64_t done)
{
    uint64_t elapsed_ns = now_ns - tally->part_begin_ns;
    double per_s;

    tally->part_count += done;
    if (elapsed_ns < PART_LEAST_NS || elapsed_ns < tally->duration_ns / PARTS ||
        tally->part_count < tally->iterations / PARTS)
        return;
    per_s = (double)tally->part_count * 1e9 / (double)elapsed_ns;
    if (per_s > tally->peak_per_s)
        tally->peak_per_s = per_s;
    tally->part_begin_ns = now_ns;
    tally->part_count = 0;
}

static void add_to_interval(struct net_tally *tally, uint64_t now_ns, uint64_t done)
{
    uint64_t number = (now_ns - tally->begin_ns) / tally->interval_ns;

    if (number >= tally->interval_count)
        number = tally->interval_count - 1;
    tally->intervals[number] += done;
}

void net_tally_add(struct net_tally *tally, uint64_t now_ns, uint64_t done)
{
    tally->completed += done;
    if (tally->state == NET_TALLY_WARMING && now_ns >= tally->warm_until_ns) {
        begin_counting(tally, now_ns);
        return;
    }
    if (tally->state != NET_TALLY_COUNTING)
        return;
    tally->count += done;
    tally->end_ns = now_ns;
    add_to_part(tally, now_ns, done);
    if (tally->interval_ns > 0)
        add_to_interval(tally, now_ns, done);
    if (tally->duration_ns > 0 ? now_ns - tally->begin_ns >= tally->duration_ns
                               : tally->count >= tally->iterations)
        net_tally_stop(tally);
}

void net_tally_stop(struct net_tally *tally)
{
    tally->state = NET_TALLY_OVER;
    tally->post_limit = 0;
}
