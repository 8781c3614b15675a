/* SPDX-License-Identifier: Apache-2.0 */
/* The data that IOR 4.x writes, byte for byte: for files that it shall verify, or that it wrote. */
#ifndef WEIR_PAYLOAD_PAYLOAD_IOR_H
#define WEIR_PAYLOAD_PAYLOAD_IOR_H

#include "weir/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A transfer is a row of 64-bit words in host order, cut into pieces of 4 KiB from its start. With
 * p the rank that wrote it, G the signature (32 bits with sign) and i the number of the word in the
 * transfer:
 *
 *   timestamp: p << 32 | (G + i). A negative sum sets the upper half, and the rank is lost.
 *
 *   offset: the same, but the first word of piece k (from 1) is p << 32 | (offset * k mod 2^32),
 *   with the offset of the transfer in its file.
 *
 *   incompressible: the first two numbers of rand_r for seed G, one in each half, in all words but
 *   the first of each piece, which is that of offset.
 *
 *   random: from x = the first number of rand_r for seed G + p + offset mod 2^32, each word is
 *   x = x * 0x9e37fffffffc0001 >> 3.
 *
 * Bytes behind the last whole word hold their number in the transfer, mod 256. The numbers were
 * found from what IOR 4 wrote as rank 0 with -G 42; rand_r is that of glibc. */
#define WEIR_IOR_PIECE_BYTES 4096
#define WEIR_IOR_PIECE_WORDS (WEIR_IOR_PIECE_BYTES / sizeof(uint64_t))

/* glibc's rand_r. */
uint32_t weir_ior_next_number(uint32_t *state);

/* What follows a word of the random pattern. The factor is a golden ratio prime of the Linux
 * kernel's hashes. */
static inline uint64_t weir_ior_next_random(uint64_t word)
{
    return word * UINT64_C(0x9e37fffffffc0001) >> 3;
}

/* The data of one rank in one phase. */
struct weir_ior_data {
    enum weir_ior_pattern pattern;
    int32_t signature;
    uint32_t writer;
    uint64_t constant; /* that an incompressible transfer repeats */
};

void weir_ior_init(struct weir_ior_data *data, enum weir_ior_pattern pattern, uint32_t seed,
                   uint32_t writer);

/* A transfer being made, piece after piece. */
struct weir_ior_maker {
    const struct weir_ior_data *data;
    uint64_t offset; /* of the transfer in its file */
    uint64_t at;     /* bytes that were made */
    uint64_t state;  /* of the random pattern */
};

void weir_ior_start(struct weir_ior_maker *maker, const struct weir_ior_data *data,
                    uint64_t offset);

/* The next bytes of the transfer: a piece, or what is left of the last one. */
void weir_ior_make_piece(struct weir_ior_maker *maker, void *to, size_t bytes);

/* True if a transfer differs from the one before: else a buffer is laid out once and stays. */
static inline bool weir_ior_varies(enum weir_ior_pattern pattern)
{
    return pattern != WEIR_IOR_TIMESTAMP;
}

/* Lays out a buffer with what is the same in all transfers; weir_ior_fill makes it the one at
 * `offset`. */
void weir_ior_init_buffer(const struct weir_ior_data *data, void *buffer, uint64_t bytes);
void weir_ior_fill(const struct weir_ior_data *data, void *buffer, uint64_t bytes, uint64_t offset);

/* True if `bytes` are the start of the transfer at `offset`. */
bool weir_ior_matches(const struct weir_ior_data *data, const void *bytes, uint64_t count,
                      uint64_t offset);

/* ---- what data say of themselves ---- */

/* Sets in `data` what cannot be known before: with `any_writer`, which of the first `ranks` ranks
 * wrote the transfer at `offset`. Left as it is where the bytes do not tell. */
void weir_ior_adapt(struct weir_ior_data *data, const void *bytes, uint64_t count, uint64_t offset,
                    uint32_t ranks, bool any_writer);

/* Where data that are not what they ought to be come from. */
struct weir_ior_origin {
    struct weir_ior_data data;
    uint64_t offset; /* of its transfer */
    uint64_t piece;  /* number of its first piece */
    bool has_writer; /* the pattern tells who wrote it */
    bool has_offset; /* and where */
    bool is_foreign; /* another signature */
};

/* A stretch that was read where it does not belong. */
struct weir_ior_stray {
    const struct weir_ior_data *expected;
    const void *bytes;
    uint64_t count;
    uint64_t transfer_bytes;
    uint64_t offset; /* of the transfer that it was read in */
    uint64_t piece;  /* number in it of the stretch's first piece */
    uint32_t ranks;
};

/* True if the stretch is, to its last byte, the pattern of another rank, place or signature. */
bool weir_ior_find_origin(const struct weir_ior_stray *stray, struct weir_ior_origin *origin);

#endif
