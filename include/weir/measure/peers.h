/* SPDX-License-Identifier: Apache-2.0 */
/* Things that should be alike, such as storage targets of one kind, and which of them are not. */
#ifndef WEIR_MEASURE_PEERS_H
#define WEIR_MEASURE_PEERS_H

#include <stdbool.h>

/* With fewer, the median lies among the outliers as easily as among the others: of two, both are
 * equally far from it, and of three, one good pair by chance condemns the third. */
#define WEIR_PEERS_MIN 4

/* The rate of one of them: mean over its repetitions and, of two or more, standard deviation of the
 * sample; else 0. */
struct weir_peer {
    double mean;
    double stddev;
};

/* What is usual among them. A value x stands apart if
 *
 *     |ln x - ln median| > 3.5 * scale  and  |x - median| > 0.1 * median,
 *     scale = max(1.4826 * MAD, median of the deviations over repetitions in parts of their mean),
 *
 * where MAD is the median of the |ln x - ln median|; 1.4826 makes it the standard deviation of
 * normally distributed values. 3.5 is the cut of the modified z-score: B. Iglewicz and D. Hoaglin,
 * How to Detect and Handle Outliers, ASQC Quality Press, 1993. Logarithms, since what disturbs a
 * rate changes it by a factor: whatever the noise is, there are rates low enough to stand apart.
 * The terms beside the score are ours: of few values the MAD is often tiny by chance, and so what
 * repetitions of a single one differ by, and a tenth of the median, are taken as alike. */
struct weir_peers {
    unsigned count;
    double median;
    double scale;
    double low;    /* values below, and ... */
    double high;   /* ... above these stand apart */
    bool can_tell; /* WEIR_PEERS_MIN of them at least, and a median above 0 */
    /* Half of them at least have a deviation over repetitions, which takes two: else MAD is all
     * that is known of noise, and chance makes it small. */
    bool knows_noise;
    /* They differ so much that one with half of the median's rate would be called alike. */
    bool is_wide;
};

enum weir_peer_verdict { WEIR_PEER_ALIKE, WEIR_PEER_SLOW, WEIR_PEER_FAST };

/* `work` has room for `count` numbers. */
struct weir_peers weir_peers_of(const struct weir_peer *all, unsigned count, double work[]);

/* ALIKE if nothing can be told. */
enum weir_peer_verdict weir_peers_judge(const struct weir_peers *peers, double value);

#endif
