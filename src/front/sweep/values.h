/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a sweep's axis as people type them: "1,2,4", "1..1024x2", "4..64+4". */
#ifndef WEIR_FRONT_SWEEP_VALUES_H
#define WEIR_FRONT_SWEEP_VALUES_H

#include "weir/base/arena.h"
#include "weir/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_SWEEP_VALUES_MAX 1024 /* of one axis: each is a test of the plan at least */

struct weir_sweep_values {
    uint64_t *numbers; /* in `arena`; all > 0 and none twice, in the order of the steps */
    unsigned count;
};

/* Reads numbers, or sizes with units. A range has its last value only if its steps meet it:
 * "1..6x2" is 1, 2, 4. `axis` is what errors call it. 0, or a usage error. */
int weir_sweep_values_read(const char *text, bool are_sizes, const char *axis,
                           struct weir_arena *arena, struct weir_sweep_values *values,
                           struct weir_error *error);

/* What each of `ranks` ranks does of `total` bytes in whole transfers: the nearest number of them,
 * and one at least. `ranks` and `transfer` are > 0. */
uint64_t weir_sweep_share(uint64_t total, uint64_t ranks, uint64_t transfer);

#endif
