/* SPDX-License-Identifier: Apache-2.0 */
/* The data that is written: every sector of it depends on where it belongs, who wrote it and when.
 */
#ifndef WEIR_PAYLOAD_PAYLOAD_H
#define WEIR_PAYLOAD_PAYLOAD_H

#include "weir/base/random.h"
#include "weir/payload/payload_ior.h"
#include "weir/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A transfer is cut into pieces of 4 KiB from its start; a rest below 64 bytes belongs to the piece
 * before it. Each piece begins with a stamp of six 64-bit words in host order:
 *
 *   0: check, a hash of all that follows
 *
 *   1: offset of the piece in its file
 *
 *   2: file number << 32 | rank that wrote it
 *
 *   3: generation, the microseconds since 1970 when the phase began
 *
 *   4: seed << 32 | mode << 24 | format << 16 | number of its filler
 *
 *   5: size of the transfer it was part of
 *
 * Words 1 to 5 are masked with rotations of the check, so that a stamp looks as random as the rest.
 *
 * Behind the stamp, WEIR_PAYLOAD_STAMP has a piece of fixed filler. In it, the first word of every
 * further 512 bytes of the piece, and the last word of the piece, follow from the check and their
 * number: storage that takes a sector from elsewhere takes such a word with it, whatever the place
 * of the piece. This is format 2 of the mode; earlier builds had no such words (0) or others (1).
 *
 * Behind the stamp, WEIR_PAYLOAD_FULL has a sequence that follows from the check, in its format 0.
 * Transfers below 64 bytes have no stamp: each word is the hash of its offset, xor file number <<
 * 32 | seed, and of those below 8 bytes without the seed. What is written without payload has
 * stamps too, but each buffer has one for all its transfers: they tell no place, only that the file
 * is a benchmark's. WEIR_PAYLOAD_IOR has no stamps: see payload_ior.h. */
#define WEIR_PIECE_BYTES 4096
#define WEIR_PIECE_WORDS (WEIR_PIECE_BYTES / sizeof(uint64_t))
#define WEIR_SECTOR_BYTES 512 /* the least that storage transfers as a whole */
#define WEIR_SECTOR_WORDS (WEIR_SECTOR_BYTES / sizeof(uint64_t))
#define WEIR_STAMP_BYTES 48
#define WEIR_STAMP_WORDS 6
#define WEIR_PIECE_REST_BYTES 64
#define WEIR_FILLER_PIECES 256
#define WEIR_FILLER_BYTES ((size_t)WEIR_FILLER_PIECES * WEIR_PIECE_BYTES)

/* Properties common to all data of one write phase. */
struct weir_identity {
    uint64_t generation; /* 0: unknown or none */
    uint64_t transfer_bytes;
    uint32_t seed;
    enum weir_payload_mode mode;
    uint32_t format;               /* of data that were found */
    enum weir_ior_pattern pattern; /* of WEIR_PAYLOAD_IOR, whose data have no generation */
    bool is_blank; /* of WEIR_PAYLOAD_IOR: all ones, which fill a file before random writes */
};

/* A stamp in the clear. */
struct weir_stamp_facts {
    uint64_t offset;
    uint64_t generation;
    uint64_t transfer_bytes;
    uint32_t file;
    uint32_t writer;
    uint32_t seed;
    uint32_t mode;
    uint32_t format;
    uint32_t filler;
};

/* The format of what is written today. */
static inline uint32_t weir_stamp_format(enum weir_payload_mode mode)
{
    return mode == WEIR_PAYLOAD_STAMP ? 2 : 0;
}

/* True if `bytes` (WEIR_STAMP_BYTES of them, at any address) are a stamp. */
bool weir_stamp_read(const void *bytes, struct weir_stamp_facts *facts);

/* The data of one rank in one file in one phase: written, or expected by reads. */
struct weir_source {
    struct weir_identity identity;
    /* WEIR_FILLER_BYTES and one piece more; NULL but for WEIR_PAYLOAD_STAMP */
    const unsigned char *filler;
    uint64_t base;  /* hash of what is the same in all its stamps */
    uint64_t place; /* words 2 and 4 of its stamps */
    uint64_t kind;
    size_t piece_count; /* of a transfer */
    size_t last_piece_bytes;
    size_t last_piece_words; /* whole ones */
    /* a transfer is one stamp and filler: weir_source_stamp is all that it needs */
    bool is_one_stamp;
    struct weir_ior_data ior; /* of WEIR_PAYLOAD_IOR */
};

/* Odd constants with about as many ones as zeros; any such would do. */
#define WEIR_STAMP_PLACE_FACTOR UINT64_C(0xd1b54a32d192ed03)
#define WEIR_STAMP_MIX_FACTOR UINT64_C(0xaef17502108ef2d9)

/* Word 0 of a stamp. The number of the filler goes where no offset reaches. */
static inline uint64_t weir_stamp_check(uint64_t base, uint64_t offset, uint64_t filler)
{
    uint64_t x = base + (offset ^ filler << 56) * WEIR_STAMP_PLACE_FACTOR;

    x ^= x >> 32;
    x *= WEIR_STAMP_MIX_FACTOR;
    return x ^ x >> 29;
}

/* What word `index` is masked with. The rotations keep the words from being near copies of each
 * other, which a compressor would find. */
static inline uint64_t weir_stamp_mask(uint64_t check, unsigned index)
{
    return check << 11 * index | check >> (64 - 11 * index);
}

/* Writes the stamp of the piece at `offset`, and returns its check. */
static inline uint64_t weir_stamp_write(uint64_t words[WEIR_STAMP_WORDS],
                                        const struct weir_source *source, uint64_t offset,
                                        uint64_t filler)
{
    uint64_t check = weir_stamp_check(source->base, offset, filler);

    words[0] = check;
    words[1] = offset ^ weir_stamp_mask(check, 1);
    words[2] = source->place ^ weir_stamp_mask(check, 2);
    words[3] = source->identity.generation ^ weir_stamp_mask(check, 3);
    words[4] = (source->kind | filler) ^ weir_stamp_mask(check, 4);
    words[5] = source->identity.transfer_bytes ^ weir_stamp_mask(check, 5);
    return check;
}

/* Odd; its multiples fit into an instruction. */
#define WEIR_SECTOR_STEP UINT64_C(0x9e3779b)

/* Word `number` (from 1) of those that a piece has in its filler. The check is mixed already: a sum
 * is as good a proof, and nothing in the loop costs less. */
static inline uint64_t weir_sector_word(uint64_t check, uint64_t number)
{
    return check + number * WEIR_SECTOR_STEP;
}

/* Puts them into a piece of at least WEIR_PIECE_REST_BYTES. */
static inline void weir_sectors_write(uint64_t *words, size_t word_count, uint64_t check)
{
    uint64_t word = weir_sector_word(check, 1);

    if (word_count == WEIR_PIECE_WORDS) {
#pragma GCC unroll 8
        for (size_t at = WEIR_SECTOR_WORDS; at < WEIR_PIECE_WORDS; at += WEIR_SECTOR_WORDS) {
            words[at] = word;
            word += WEIR_SECTOR_STEP;
        }
    } else {
        for (size_t at = WEIR_SECTOR_WORDS; at + 1 < word_count; at += WEIR_SECTOR_WORDS) {
            words[at] = word;
            word += WEIR_SECTOR_STEP;
        }
    }
    words[word_count - 1] = word;
}

/* Makes a buffer that holds filler the transfer at `offset`, if the source is_one_stamp. */
static inline void weir_source_stamp(const struct weir_source *source, uint64_t *words,
                                     uint64_t offset, uint64_t filler)
{
    uint64_t check = weir_stamp_write(words, source, offset, filler);

    weir_sectors_write(words, source->last_piece_words, check);
}

/* True if a buffer that was laid out has to be filled for each transfer. */
static inline bool weir_source_varies(const struct weir_source *source)
{
    if (source->identity.mode == WEIR_PAYLOAD_IOR)
        return !source->identity.is_blank && weir_ior_varies(source->identity.pattern);
    return source->identity.mode != WEIR_PAYLOAD_NONE;
}

/* The filler of a generation is its own: what is left of an earlier one shows behind the stamp. */
uint64_t weir_filler_seed(const struct weir_identity *identity);

/* Pieces of filler that follow from a seed. All zero: none. */
struct weir_filler {
    unsigned char *bytes; /* WEIR_FILLER_BYTES + WEIR_PIECE_BYTES; NULL: none */
    uint64_t seed;
    uint32_t piece_count; /* made so far, from the first one on */
};

/* Makes the first `piece_count` pieces for `seed` (at most WEIR_FILLER_PIECES) that are not there
 * yet: a phase of few transfers does not pay for all. The memory is kept. 0 or -ENOMEM. */
int weir_filler_prepare(struct weir_filler *filler, uint64_t seed, uint32_t piece_count);

void weir_filler_close(struct weir_filler *filler);

void weir_source_init(struct weir_source *source, const struct weir_identity *identity,
                      const unsigned char *filler, uint64_t file_number, uint32_t writer);

/* Fills a buffer once with the filler pieces from `first_filler` on, or with what all
 * transfers have in common; weir_source_fill then only puts stamps, or what differs. */
void weir_source_init_buffer(const struct weir_source *source, void *buffer, uint32_t first_filler);

/* Makes `buffer` the transfer at `offset`. The buffer was laid out, with the filler from
 * `first_filler` on if the mode has filler. */
void weir_source_fill(const struct weir_source *source, void *buffer, uint64_t offset,
                      uint32_t first_filler);

/* Damages every sector of what a verifying read is about to overwrite, so that a read that does
 * nothing, or not all, is seen. */
void weir_source_poison(const struct weir_source *source, void *buffer);

/* The piece at `offset` as it ought to be, written by `writer`: for the comparison with a damaged
 * one. */
void weir_source_rebuild(const struct weir_source *source, void *to, size_t bytes, uint64_t offset,
                         uint32_t writer, uint32_t filler);

/* True if `words` are the sequence that follows from `check`. */
bool weir_sequence_matches(const uint64_t *words, size_t count, uint64_t check);

/* A word at `offset` of data without stamps, from the key of its file, and the other way round. */
static inline uint64_t weir_bare_word(uint64_t key, uint64_t offset)
{
    return weir_mix64(offset + WEIR_STAMP_PLACE_FACTOR) ^ key;
}

/* True if all bytes from `offset` on are those of data without stamps; the last word may be cut. */
static inline bool weir_bare_matches(const void *data, uint64_t bytes, uint64_t key,
                                     uint64_t offset)
{
    const unsigned char *from = data;

    for (uint64_t at = 0; at < bytes; at += sizeof key) {
        const uint64_t word = weir_bare_word(key, offset + at), left = bytes - at;

        if (memcmp(from + at, &word, left < sizeof word ? left : sizeof word) != 0)
            return false;
    }
    return true;
}

/* True if each of `count` bytes is `value`; true of none. */
static inline bool weir_bytes_are(const void *bytes, size_t count, unsigned char value)
{
    const unsigned char *first = bytes;

    return count == 0 || (first[0] == value && memcmp(first, first + 1, count - 1) == 0);
}

/* File number << 32 | seed; transfers below 8 bytes would show nothing but a part of the seed, and
 * have none, so that they are recognised. */
static inline uint64_t weir_source_bare_key(const struct weir_source *source)
{
    return (source->place & ~UINT64_C(0xffffffff)) |
           (source->identity.transfer_bytes < sizeof(uint64_t) ? 0 : source->identity.seed);
}

static inline bool weir_source_is_bare(const struct weir_source *source)
{
    return source->identity.transfer_bytes < WEIR_PIECE_REST_BYTES;
}

/* The filler that buffer number `buffer` begins with: neighbouring buffers go on where one
 * ends. */
static inline uint32_t weir_source_first_filler(const struct weir_source *source, unsigned buffer)
{
    return (uint32_t)(buffer * source->piece_count % WEIR_FILLER_PIECES);
}

/* Bytes of piece `piece`. */
static inline size_t weir_source_piece_bytes(const struct weir_source *source, size_t piece)
{
    return piece + 1 == source->piece_count ? source->last_piece_bytes : WEIR_PIECE_BYTES;
}

#endif
