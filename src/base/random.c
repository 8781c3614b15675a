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

/* Where the compiler can, one copy of a function for each width of vectors; the loader picks. */
#if defined(__x86_64__) && __has_attribute(target_clones)
#define FOR_EACH_VECTOR_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_VECTOR_WIDTH
#endif

#define TURN_VALUES 16

/* One turn of each value, in 32 bits: no bit above the mask reaches one below it. Values are taken
 * TURN_VALUES at a time; those behind `count` become anything. */
FOR_EACH_VECTOR_WIDTH static void turn_narrow(const struct weir_permutation *permutation,
                                              uint32_t values[WEIR_PERMUTATION_BATCH],
                                              unsigned count)
{
    const uint32_t mask = (uint32_t)permutation->mask;
    const uint32_t first = (uint32_t)permutation->add[0], last = (uint32_t)permutation->add[1];
    const uint32_t m0 = (uint32_t)permutation->multiply[0];
    const uint32_t m1 = (uint32_t)permutation->multiply[1];
    const uint32_t m2 = (uint32_t)permutation->multiply[2];
    const uint32_t m3 = (uint32_t)permutation->multiply[3];
    const uint32_t shift = permutation->shift;

    _Static_assert(WEIR_PERMUTATION_ROUNDS == 4, "one multiplier for each round");
    _Static_assert(WEIR_PERMUTATION_BATCH % TURN_VALUES == 0, "a batch is turned as a whole");
    for (uint32_t *block = values; block < values + count; block += TURN_VALUES)
        for (int i = 0; i < TURN_VALUES; i++) {
            uint32_t x = (block[i] + first) & mask;

            x = (x ^ x >> shift) * m0 & mask;
            x = (x ^ x >> shift) * m1 & mask;
            x = (x ^ x >> shift) * m2 & mask;
            x = (x ^ x >> shift) * m3 & mask;
            block[i] = (x + last) & mask;
        }
}

/* The same as fill_wide, of at most 2^32 elements. */
static void fill_narrow(const struct weir_permutation *permutation, uint64_t first, uint64_t step,
                        unsigned value_count, uint64_t values[])
{
    uint32_t turned[WEIR_PERMUTATION_BATCH] = {0};
    unsigned char place[WEIR_PERMUTATION_BATCH];
    unsigned count = value_count;

    for (unsigned i = 0; i < value_count; i++) {
        turned[i] = (uint32_t)(first + i * step);
        place[i] = (unsigned char)i;
    }
    while (count > 0) {
        unsigned outside = 0;

        turn_narrow(permutation, turned, count);
        for (unsigned i = 0; i < count; i++) {
            uint32_t value = turned[i];

            values[place[i]] = value;
            turned[outside] = value;
            place[outside] = place[i];
            outside += value >= permutation->count;
        }
        count = outside;
    }
}

static void fill_wide(const struct weir_permutation *permutation, uint64_t first, uint64_t step,
                      unsigned value_count, uint64_t values[])
{
    const struct weir_permutation constants = *permutation;
    unsigned outside[WEIR_PERMUTATION_BATCH];
    unsigned outside_count = 0;

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

void weir_permutation_fill(const struct weir_permutation *permutation, uint64_t first,
                           uint64_t step, unsigned value_count, uint64_t values[])
{
    assert(value_count <= WEIR_PERMUTATION_BATCH);
    if (permutation->count <= WEIR_PERMUTATION_TABLE_COUNT) {
        for (unsigned i = 0; i < value_count; i++)
            values[i] = weir_permutation_at(permutation, first + i * step);
        return;
    }
    if (permutation->mask <= UINT32_MAX)
        fill_narrow(permutation, first, step, value_count, values);
    else
        fill_wide(permutation, first, step, value_count, values);
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
