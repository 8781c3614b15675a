/* SPDX-License-Identifier: Apache-2.0 */
/* Stateless mixing, and permutations computed by index: any element of a random order in O(1) time and memory. */
#ifndef WEIR_BASE_RANDOM_H
#define WEIR_BASE_RANDOM_H

#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014): a bijection on 64 bits in which every input bit reaches every output bit. */
static inline uint64_t weir_mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Number `index` of the random sequence `seed`. */
static inline uint64_t weir_random_at(uint64_t seed, uint64_t index)
{
    return weir_mix64(seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* A value in [0, bound) from 64 random bits, without division (Lemire 2019, without his rejection step: the
 * bias is below bound / 2^64). */
static inline uint64_t weir_random_below(uint64_t random, uint64_t bound)
{
    return (uint64_t)((unsigned __int128)random * bound >> 64);
}

/* A bijection of [0, count) on itself. Rounds of odd multiplication and xor-shift permute [0, 2^bits); results
 * outside of [0, count) are fed back until one falls inside (cycle walking: fewer than two rounds on average,
 * exactly one where count is a power of two). */
struct weir_permutation {
    uint64_t count;
    uint64_t mask;
    uint64_t add;
    uint64_t multiply[3]; /* odd */
    uint32_t shift;
};

/* `count` of 0 is taken as 1. Equal seeds and counts give equal permutations, on any machine. */
void weir_permutation_init(struct weir_permutation *permutation, uint64_t count, uint64_t seed);

/* Where `index` (< count) goes. */
static inline uint64_t weir_permutation_at(const struct weir_permutation *permutation, uint64_t index)
{
    uint64_t x = index;

    do {
        x = (x + permutation->add) * permutation->multiply[0] & permutation->mask;
        x ^= x >> permutation->shift;
        x = x * permutation->multiply[1] & permutation->mask;
        x ^= x >> permutation->shift;
        x = x * permutation->multiply[2] & permutation->mask;
        x ^= x >> permutation->shift;
    } while (__builtin_expect(x >= permutation->count, 0));
    return x;
}

#endif
