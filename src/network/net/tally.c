/* SPDX-License-Identifier: Apache-2.0 */
/* Counting the messages of a flow. */
#include "tally.h"

/* A peak is the best of the parts of so large a share of all. */
enum { PARTS = 100 };

/* 10 ms: completions are found in batches, of which the next may follow at once. */
#define PART_LEAST_NS 10000000

/* The next post is the first one that counts. */
static void make_ready(struct net_tally *tally)
{
    tally->state = NET_TALLY_READY;
    tally->post_limit = tally->iterations > 0 ? tally->posted + tally->iterations : UINT64_MAX;
}

static void begin_part(struct net_tally *tally, uint64_t now_ns)
{
    tally->part_begin_ns = now_ns;
    tally->part_count = 0;
    tally->part_stale = tally->posted - tally->completed;
}

void net_tally_begin(struct net_tally *tally, uint64_t start_ns)
{
    tally->begin_ns = start_ns;
    tally->end_ns = start_ns;
    tally->post_limit = UINT64_MAX;
    tally->state = NET_TALLY_WARMING;
    if (start_ns >= tally->warm_until_ns)
        make_ready(tally);
}

void net_tally_post(struct net_tally *tally, uint64_t now_ns, uint64_t count)
{
    if (tally->state == NET_TALLY_READY) {
        tally->state = NET_TALLY_COUNTING;
        tally->begin_ns = now_ns;
        tally->end_ns = now_ns;
        tally->seen_ns = now_ns;
        begin_part(tally, now_ns);
    }
    tally->posted += count;
}

/* Completions are found in batches: a part ends with the first batch after its end, and its rate is
 * that of the time which it really took. Messages that were posted before the part began are not
 * part of its rate: they may have been completed before, and found late. */
static void add_to_part(struct net_tally *tally, uint64_t now_ns, uint64_t done)
{
    uint64_t elapsed_ns = now_ns - tally->part_begin_ns;
    double per_s = 0;

    tally->part_count += done;
    if (elapsed_ns < PART_LEAST_NS || elapsed_ns < tally->duration_ns / PARTS ||
        tally->part_count < tally->iterations / PARTS)
        return;
    if (tally->part_count > tally->part_stale)
        per_s = (double)(tally->part_count - tally->part_stale) * 1e9 / (double)elapsed_ns;
    if (per_s > tally->peak_per_s)
        tally->peak_per_s = per_s;
    begin_part(tally, now_ns);
}

/* They were completed since the last time when none was left to be seen, which may be long ago if
 * this process had no CPU: they are spread evenly over that time. */
static void add_to_intervals(struct net_tally *tally, uint64_t now_ns, uint64_t done)
{
    uint64_t first_ns = tally->seen_ns - tally->begin_ns, last_ns = now_ns - tally->begin_ns;
    uint64_t last = last_ns / tally->interval_ns, number = first_ns / tally->interval_ns;
    uint64_t before = 0;

    last = last < tally->interval_count ? last : tally->interval_count - 1;
    for (; number < last; number++) {
        uint64_t end_ns = (number + 1) * tally->interval_ns;
        uint64_t share = done * (end_ns - first_ns) / (last_ns - first_ns);

        tally->intervals[number] += share - before;
        before = share;
    }
    tally->intervals[last] += done - before;
}

void net_tally_add(struct net_tally *tally, uint64_t now_ns, uint64_t done, bool is_all)
{
    tally->completed += done;
    if (tally->state == NET_TALLY_WARMING && now_ns >= tally->warm_until_ns) {
        tally->state = NET_TALLY_DRAINING;
        tally->post_limit = tally->posted;
    }
    if (tally->state == NET_TALLY_DRAINING && tally->completed == tally->posted)
        make_ready(tally);
    if (tally->state != NET_TALLY_COUNTING)
        return;
    tally->count += done;
    tally->end_ns = now_ns;
    add_to_part(tally, now_ns, done);
    if (tally->interval_ns > 0)
        add_to_intervals(tally, now_ns, done);
    if (is_all)
        tally->seen_ns = now_ns;
    /* The end of the duration ends posting; messages in flight count. */
    if (tally->duration_ns > 0 && now_ns - tally->begin_ns >= tally->duration_ns &&
        tally->posted < tally->post_limit)
        tally->post_limit = tally->posted;
    if (tally->posted >= tally->post_limit && tally->completed == tally->posted)
        net_tally_stop(tally);
}

void net_tally_stop(struct net_tally *tally)
{
    tally->state = NET_TALLY_OVER;
    tally->post_limit = 0;
}
