/* SPDX-License-Identifier: Apache-2.0 */
/* Draws for tests of rules that are wrong now and then: how often, is counted. */
#ifndef WEIR_TESTS_NORMAL_NOISE_H
#define WEIR_TESTS_NORMAL_NOISE_H

#include "weir/base/random.h"

#include <math.h>
#include <stdint.h>

struct noise {
    uint64_t seed, index;
};

/* Normally distributed, of mean 0 and deviation 1 (Box and Muller 1958). */
static double draw(struct noise *noise)
{
    double a = ((double)(weir_random_at(noise->seed, noise->index++) >> 11) + 1.0) / 0x1p53;
    double b = (double)(weir_random_at(noise->seed, noise->index++) >> 11) / 0x1p53;

    return sqrt(-2.0 * log(a)) * cos(2.0 * 3.14159265358979 * b);
}

#endif
