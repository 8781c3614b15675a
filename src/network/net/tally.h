/* SPDX-License-Identifier: Apache-2.0 */
/* What one flow has done, counted where it is posted: warm-up, the part that counts, and peaks.
 * Pure arithmetic on completions and the time at which they were seen. */
#ifndef WEIR_NETWORK_NET_TALLY_H
#define WEIR_NETWORK_NET_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum net_tally_state { NET_TALLY_WARMING, NET_TALLY_COUNTING, NET_TALLY_OVER };

struct net_tally {
    enum net_tally_state state;
    uint64_t warm_until_ns; /* completions seen before do not count */
    uint64_t duration_ns;   /* 0: by `iterations` */
    uint64_t iterations;
    uint64_t interval_ns; /* 0: none */
    uint64_t *intervals;  /* messages in each; the last takes the rest */
    uint32_t interval_count;
    /* so far */
    uint64_t posted;
    uint64_t completed;
    uint64_t post_limit; /* no more than so many are to be posted */
    uint64_t begin_ns;   /* what counts was done between this */
    uint64_t end_ns;     /* and this, the last completion that counts */
    uint64_t count;
    uint64_t part_begin_ns;
    uint64_t part_count;
    double peak_per_s; /* messages; 0: no part was long enough */
};

/* With the times and limits filled in; posting begins at `start_ns`. */
void net_tally_begin(struct net_tally *tally, uint64_t start_ns);

/* `done` more messages (> 0) were seen to be done at `now_ns`. */
void net_tally_add(struct net_tally *tally, uint64_t now_ns, uint64_t done);

/* Nothing counts from now on. */
void net_tally_stop(struct net_tally *tally);

#endif
