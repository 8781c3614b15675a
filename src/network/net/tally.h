/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the messages of one flow where they are posted. What counts are the messages posted after
 * the warm-up, all of them, and the time from the first such post to the last completion: the queue
 * is drained between the two, so that nothing that the warm-up has posted is counted. Pure
 * arithmetic on posts, completions and the times at which they were seen. */
#ifndef WEIR_NETWORK_NET_TALLY_H
#define WEIR_NETWORK_NET_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum net_tally_state {
    NET_TALLY_WARMING,
    NET_TALLY_DRAINING, /* after the warm-up, until its messages in flight are completed */
    NET_TALLY_READY,    /* nothing is in flight; counting begins with the next post */
    NET_TALLY_COUNTING,
    NET_TALLY_OVER
};

struct net_tally {
    enum net_tally_state state;
    uint64_t warm_until_ns; /* the queue is drained at the first completion seen after that */
    uint64_t duration_ns;   /* of posting, from the first post that counts; 0 = by `iterations` */
    uint64_t iterations;
    uint64_t interval_ns; /* 0: none */
    uint64_t *intervals;  /* messages in each; the last one has the rest */
    uint32_t interval_count;
    /* so far */
    uint64_t posted;
    uint64_t completed;
    uint64_t post_limit; /* no more than so many are to be posted */
    uint64_t begin_ns;   /* the first post that counts */
    uint64_t end_ns;     /* the last completion that counts */
    uint64_t count;
    uint64_t seen_ns; /* the last poll that left no completion */
    uint64_t part_begin_ns;
    uint64_t part_count;
    uint64_t part_stale; /* messages that were in flight when the part began */
    double peak_per_s;   /* messages; 0 = no part was long enough */
};

/* Begins with the times and limits filled in; posting begins at `start_ns`. */
void net_tally_begin(struct net_tally *tally, uint64_t start_ns);

/* Adds `count` messages (> 0) that were accepted by a post begun at `now_ns`. */
void net_tally_post(struct net_tally *tally, uint64_t now_ns, uint64_t count);

/* Adds `done` messages (> 0) whose completions were found at `now_ns`; `is_all`: no others were
 * left.
 */
void net_tally_add(struct net_tally *tally, uint64_t now_ns, uint64_t done, bool is_all);

/* Nothing counts from now on. */
void net_tally_stop(struct net_tally *tally);

#endif
