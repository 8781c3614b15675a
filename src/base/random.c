/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the constants of a permutation from its seed, and computes many of its elements at a
 * time. */
#include "weir/base/random.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <assert.h>

/* Fewest bits k with count <= 2^k. */
static unsigned bits_of(uint64_t count)
{
    return count < 2 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
}

static uint64_t shuffled_table(uint64_t count, uint64_t seed)
{
    uint64_t table = 0;

    /* Fisher and Yates, inside out: element i takes the place of a random earlier one, which moves
     * to place i. */
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = weir_random_below(weir_random_at(seed, i), i + 1);
        uint64_t moved = table >> 4 * place & 15;

        table |= moved << 4 * i;
        table &= ~(UINT64_C(15) << 4 * place);
        table |= i << 4 * place;
    }
    return table;
}

/* Multipliers near 0 or 2^bits, or near 1 modulo 8, leave long runs of inputs in order: take the
 * middle half of the range, and 3 or 5 modulo 8. */
static uint64_t multiplier(uint64_t mask, uint64_t random)
{
    uint64_t quarter = mask / 4;
    uint64_t middle = quarter + weir_random_below(random, 2 * quarter + 1);

    return (middle & ~UINT64_C(7)) | (random & 1 ? 3 : 5);
}

void weir_permutation_init(struct weir_permutation *permutation, uint64_t count, uint64_t seed)
{
    unsigned bits = bits_of(count);
    uint64_t key = weir_random_at(seed, count);

    *permutation = (struct weir_permutation){.count = count > 0 ? count : 1};
    if (permutation->count <= WEIR_PERMUTATION_TABLE_COUNT) {
        permutation->table = shuffled_table(permutation->count, key);
        return;
    }
    assert(bits > 0);
    permutation->mask = UINT64_MAX >> (64 - bits);
    permutation->shift = (bits + 1) / 2;
    for (uint64_t i = 0; i < 2; i++)
        permutation->add[i] = weir_random_at(key, i);
    for (uint64_t i = 0; i < WEIR_PERMUTATION_ROUNDS; i++)
        permutation->multiply[i] = multiplier(permutation->mask, weir_random_at(key, 2 + i));
}

void weir_permutation_fill(const struct weir_permutation *permutation, uint64_t first,
                           uint64_t step, unsigned value_count, uint64_t values[])
{
    const struct weir_permutation constants = *permutation;
    unsigned outside[WEIR_PERMUTATION_BATCH];
    unsigned outside_count = 0;

    assert(value_count <= WEIR_PERMUTATION_BATCH);
    if (constants.count <= WEIR_PERMUTATION_TABLE_COUNT) {
        for (unsigned i = 0; i < value_count; i++)
            values[i] = weir_permutation_at(&constants, first + i * step);
        return;
    }
    /* Whether an element falls inside is as good as a coin toss: count instead of branching, and
     * take the next turn for all that fell outside together. */
    for (unsigned i = 0; i < value_count; i++) {
        values[i] = weir_permutation_turn(&constants, first + i * step);
        outside[outside_count] = i;
        outside_count += values[i] >= constants.count;
    }
    while (outside_count > 0) {
        unsigned still_outside = 0;

        for (unsigned i = 0; i < outside_count; i++) {
            unsigned place = outside[i];

            values[place] = weir_permutation_turn(&constants, values[place]);
            outside[still_outside] = place;
            still_outside += values[place] >= constants.count;
        }
        outside_count = still_outside;
    }
}

/* ---- what cannot be repeated ---- */

uint64_t weir_random_draw(void)
{
    struct timespec now;
    uint64_t drawn = 0;

    if (getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) != (ssize_t)sizeof drawn || drawn == 0) {
        clock_gettime(CLOCK_REALTIME, &now);
        drawn = weir_mix64((uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec) ^
                weir_mix64((uint64_t)getpid());
        drawn |= 1;
    }
    return drawn;
}
