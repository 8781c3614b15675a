/* SPDX-License-Identifier: Apache-2.0 */
/* Which transfers of a mixed phase read: exact in every hundred, random within it. */
#include "weir/plan/layout.h"

#define HUNDRED 100

static void turn_to(struct weir_mix *mix, uint64_t hundred)
{
    mix->hundred = hundred;
    weir_permutation_init(&mix->permutation, HUNDRED, weir_random_at(mix->seed, hundred));
}

void weir_mix_init(struct weir_mix *mix, unsigned read_percent, uint64_t seed)
{
    *mix = (struct weir_mix){.read_percent = read_percent, .seed = seed};
    turn_to(mix, 0);
}

bool weir_mix_is_read(struct weir_mix *mix, uint64_t index)
{
    if (index / HUNDRED != mix->hundred)
        turn_to(mix, index / HUNDRED);
    return weir_permutation_at(&mix->permutation, index % HUNDRED) < mix->read_percent;
}
