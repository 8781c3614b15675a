/* SPDX-License-Identifier: Apache-2.0 */
/* The words for places of ranks and memory, which several commands share. */
#ifndef WEIR_FRONT_PINNING_WORDS_H
#define WEIR_FRONT_PINNING_WORDS_H

#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/base/pinning.h"

/* The arguments of --pin, --pin-order and --nic; NULL: not given. */
struct weir_pinning_words {
    const char *pin;   /* "core", "list:0-3,8", "rankfile:PATH" */
    const char *order; /* "auto", "compact", "scatter" */
    const char *nic;   /* "auto": as if it was not given */
};

/* The word that cancels an earlier choice. */
#define WEIR_WORD_AUTO "auto"

/* Policies are matched without regard to case. A list may have + in place of its commas, as commas
 * end a directive of IOR. Texts of `pinning` live in `arena`. 0, or a usage error at `place`: an
 * unknown policy, a list that is none, an order that the policy does not have, --nic without --pin
 * nic. */
int weir_pinning_read(const struct weir_pinning_words *words, struct weir_arena *arena,
                      const char *place, struct weir_pinning *pinning, struct weir_error *error);

/* "auto", "local", "interleave", "node:1", "none"; NULL is auto. */
int weir_membind_read(const char *word, const char *place, struct weir_membind *membind,
                      struct weir_error *error);

#endif
