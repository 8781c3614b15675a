/* SPDX-License-Identifier: Apache-2.0 */
/* Stateless mixing, and permutations computed by index: any element of a random order in O(1) time
 * and memory. */
#ifndef WEIR_BASE_RANDOM_H
#define WEIR_BASE_RANDOM_H

#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
 * Generators", OOPSLA 2014): a bijection on 64 bits in which every input bit reaches every output
 * bit. */
static inline uint64_t weir_mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A unique number of 64 bits from the kernel, never 0. */
uint64_t weir_random_draw(void);

/* Number `index` of the random sequence `seed`. */
static inline uint64_t weir_random_at(uint64_t seed, uint64_t index)
{
    return weir_mix64(seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* A value in [0, bound) from 64 random bits, without division (Lemire 2019, without his rejection
 * step: the bias is below bound / 2^64). */
static inline uint64_t weir_random_below(uint64_t random, uint64_t bound)
{
    return (uint64_t)((unsigned __int128)random * bound >> 64);
}

#define WEIR_PERMUTATION_ROUNDS 4
#define WEIR_PERMUTATION_TABLE_COUNT 16 /* as many four-bit numbers as fit into 64 bits */
#define WEIR_PERMUTATION_BATCH 64       /* most elements that one weir_permutation_fill gives */

/* A bijection of [0, count) on itself. Rounds of xor-shift and odd multiplication permute [0,
 * 2^bits); results outside of [0, count) are fed back until one falls inside (cycle walking, Black
 * and Rogaway 2002: fewer than two turns on average, exactly one where count is a power of two). So
 * few elements that they fit into one word are shuffled and stored, for every order of them to be
 * equally likely. */
struct weir_permutation {
    uint64_t count;
    uint64_t mask;  /* 2^bits - 1 */
    uint64_t table; /* of a small count: element i in bits 4i to 4i+3 */
    uint64_t add[2];
    uint64_t multiply[WEIR_PERMUTATION_ROUNDS];
    uint32_t shift;
};

/* `count` of 0 is taken as 1. Equal seeds and counts give equal permutations, on any machine. */
void weir_permutation_init(struct weir_permutation *permutation, uint64_t count, uint64_t seed);

/* One turn: permutes [0, mask]. */
static inline uint64_t weir_permutation_turn(const struct weir_permutation *permutation, uint64_t x)
{
    x = (x + permutation->add[0]) & permutation->mask;
    for (int round = 0; round < WEIR_PERMUTATION_ROUNDS; round++) {
        x ^= x >> permutation->shift;
        x = x * permutation->multiply[round] & permutation->mask;
    }
    return (x + permutation->add[1]) & permutation->mask;
}

/* Where `index` (< count) goes. */
static inline uint64_t weir_permutation_at(const struct weir_permutation *permutation,
                                           uint64_t index)
{
    uint64_t x = index;

    if (permutation->count <= WEIR_PERMUTATION_TABLE_COUNT)
        return permutation->table >> 4 * index & 15;
    do
        x = weir_permutation_turn(permutation, x);
    while (x >= permutation->count);
    return x;
}

/* values[i] = weir_permutation_at(first + i * step) for i < `value_count` (at most
 * WEIR_PERMUTATION_BATCH). Up to three times as fast as one by one, as cycle walking does not
 * mislead branch prediction. */
void weir_permutation_fill(const struct weir_permutation *permutation, uint64_t first,
                           uint64_t step, unsigned value_count, uint64_t values[]);

#endif
