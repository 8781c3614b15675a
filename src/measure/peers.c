/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/measure/peers.h"

#include "weir/measure/median.h"

#include <math.h>

#define NORMAL_PER_MAD 1.4826
#define SCORE_MAX 3.5
#define SHARE_MIN 0.1
#define SHARE_WIDE 0.5

struct weir_peers weir_peers_of(const struct weir_peer *all, unsigned count, double work[])
{
    struct weir_peers peers = {.count = count};

    if (count == 0)
        return peers;
    for (unsigned i = 0; i < count; i++)
        work[i] = all[i].mean;
    peers.median = weir_median_sort(work, count);
    if (!(peers.median > 0.0))
        return peers;
    for (unsigned i = 0; i < count; i++)
        work[i] = all[i].mean > 0.0 ? all[i].stddev / all[i].mean : 0.0;
    peers.scale = weir_median_sort(work, count);
    peers.knows_noise = peers.scale > 0.0;
    for (unsigned i = 0; i < count; i++)
        work[i] = fabs(log(fmax(all[i].mean, 0.0) / peers.median));
    peers.scale = fmax(peers.scale, NORMAL_PER_MAD * weir_median_sort(work, count));
    peers.low = peers.median * fmin(1.0 - SHARE_MIN, exp(-SCORE_MAX * peers.scale));
    peers.high = peers.median * fmax(1.0 + SHARE_MIN, exp(SCORE_MAX * peers.scale));
    peers.is_wide = peers.low < SHARE_WIDE * peers.median;
    peers.can_tell = count >= WEIR_PEERS_MIN;
    return peers;
}

enum weir_peer_verdict weir_peers_judge(const struct weir_peers *peers, double value)
{
    if (!peers->can_tell || (value >= peers->low && value <= peers->high))
        return WEIR_PEER_ALIKE;
    return value < peers->low ? WEIR_PEER_SLOW : WEIR_PEER_FAST;
}
