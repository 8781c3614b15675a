/* SPDX-License-Identifier: Apache-2.0 */
/* Checks pieces at memory speed, and takes its time only for those that are wrong. */
#include "verify.h"

#include <string.h>

/* A piece is told as damaged in a few bits up to this many; above, as torn. */
#define FLIPPED_BITS_MAX 32

static bool is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool is_expected_stamp(const struct weir_source *source, const struct weir_reading *reading,
                              const struct weir_stamp_facts *facts, uint64_t offset)
{
    return facts->offset == offset && facts->file == (uint32_t)reading->file_number &&
           facts->generation == source->identity.generation &&
           facts->seed == source->identity.seed && facts->mode == source->identity.mode &&
           (!reading->is_own_file || facts->writer == reading->writer);
}

/* The part of a piece behind its stamp. */
static bool is_body_right(const struct weir_source *source, const unsigned char *piece,
                          size_t bytes, const struct weir_stamp_facts *facts)
{
    const uint64_t *words = (const uint64_t *)(const void *)piece;

    if (source->identity.mode == WEIR_PAYLOAD_FULL)
        return weir_sequence_matches(words + WEIR_STAMP_WORDS,
                                     bytes / sizeof *words - WEIR_STAMP_WORDS, words[0]);
    return memcmp(piece + WEIR_STAMP_BYTES,
                  source->noise + (size_t)facts->noise * WEIR_PIECE_BYTES + WEIR_STAMP_BYTES,
                  bytes - WEIR_STAMP_BYTES) == 0;
}

/* ---- what kind of wrong ---- */

struct suspect {
    const struct weir_source *source;
    const struct weir_reading *reading;
    const unsigned char *piece;
    size_t bytes;
    uint64_t offset;
};

static enum weir_mismatch_kind kind_of_stamp(const struct suspect *suspect,
                                             const struct weir_stamp_facts *facts)
{
    const struct weir_identity *identity = &suspect->source->identity;

    if (facts->seed != identity->seed)
        return WEIR_MISMATCH_FOREIGN;
    if (facts->offset != suspect->offset || facts->file != (uint32_t)suspect->reading->file_number)
        return WEIR_MISMATCH_MISPLACED;
    if (facts->generation < identity->generation)
        return WEIR_MISMATCH_STALE;
    if (facts->generation > identity->generation)
        return WEIR_MISMATCH_NEWER;
    return WEIR_MISMATCH_MISPLACED; /* of another writer, or of the other mode */
}

/* A damaged stamp does not tell its noise; the end of the piece may. */
static uint32_t guess_noise(const struct suspect *suspect)
{
    size_t tail = suspect->bytes - sizeof(uint64_t);
    size_t middle = suspect->bytes / 2;

    if (suspect->source->noise == NULL)
        return 0;
    for (uint32_t noise = 0; noise < WEIR_NOISE_PIECES; noise++) {
        const unsigned char *right = suspect->source->noise + (size_t)noise * WEIR_PIECE_BYTES;

        if (memcmp(suspect->piece + tail, right + tail, sizeof(uint64_t)) == 0 ||
            memcmp(suspect->piece + middle, right + middle, sizeof(uint64_t)) == 0)
            return noise;
    }
    return 0;
}

/* Compares with the piece as it ought to be, and narrows the mismatch to the bytes that differ. */
static enum weir_mismatch_kind kind_of_damage(const struct suspect *suspect, uint32_t writer,
                                              uint32_t noise, struct weir_mismatch *mismatch)
{
    union {
        uint64_t words[(WEIR_PIECE_BYTES + WEIR_PIECE_REST_BYTES) / sizeof(uint64_t)];
        unsigned char bytes[WEIR_PIECE_BYTES + WEIR_PIECE_REST_BYTES];
    } right;
    size_t first = suspect->bytes, last = 0, flipped = 0;

    weir_source_rebuild(suspect->source, &right, suspect->bytes, suspect->offset, writer, noise);
    for (size_t i = 0; i < suspect->bytes; i++) {
        unsigned difference = suspect->piece[i] ^ right.bytes[i];

        if (difference == 0)
            continue;
        if (first > i)
            first = i;
        last = i;
        flipped += (size_t)__builtin_popcount(difference);
    }
    mismatch->offset = suspect->offset + first;
    mismatch->bytes = last + 1 - first;
    if (is_zero(suspect->piece + first, mismatch->bytes) && mismatch->bytes >= sizeof(uint64_t)) {
        /* Zeros that happened to be right are part of the hole. */
        while (first > 0 && suspect->piece[first - 1] == 0)
            first--;
        while (last + 1 < suspect->bytes && suspect->piece[last + 1] == 0)
            last++;
        mismatch->offset = suspect->offset + first;
        mismatch->bytes = last + 1 - first;
        return WEIR_MISMATCH_ZERO;
    }
    if (flipped <= FLIPPED_BITS_MAX)
        return WEIR_MISMATCH_FLIP;
    return flipped < suspect->bytes * 3 ? WEIR_MISMATCH_TORN : WEIR_MISMATCH_GARBAGE;
}

static void classify(const struct suspect *suspect, struct weir_mismatch *mismatch)
{
    struct weir_stamp_facts facts;

    *mismatch = (struct weir_mismatch){
        .file_number = suspect->reading->file_number,
        .offset = suspect->offset,
        .bytes = suspect->bytes,
        .writer = suspect->reading->writer,
        .reader = suspect->reading->reader,
    };
    if (is_zero(suspect->piece, suspect->bytes)) {
        mismatch->kind = WEIR_MISMATCH_ZERO;
        return;
    }
    if (!weir_stamp_read(suspect->piece, &facts)) {
        mismatch->kind =
            kind_of_damage(suspect, suspect->reading->writer, guess_noise(suspect), mismatch);
        return;
    }
    if (is_expected_stamp(suspect->source, suspect->reading, &facts, suspect->offset)) {
        mismatch->kind =
            kind_of_damage(suspect, facts.writer, facts.noise % WEIR_NOISE_PIECES, mismatch);
        return;
    }
    mismatch->kind = kind_of_stamp(suspect, &facts);
    mismatch->has_found = true;
    mismatch->found_file = facts.file;
    mismatch->found_writer = facts.writer;
    mismatch->found_offset = facts.offset;
    mismatch->found_generation = facts.generation;
}

static bool is_piece_right(const struct suspect *suspect)
{
    struct weir_stamp_facts facts;

    return weir_stamp_read(suspect->piece, &facts) &&
           is_expected_stamp(suspect->source, suspect->reading, &facts, suspect->offset) &&
           facts.noise < WEIR_NOISE_PIECES &&
           is_body_right(suspect->source, suspect->piece, suspect->bytes, &facts);
}

static bool verify_bare(const struct weir_source *source, const struct weir_reading *reading,
                        const unsigned char *data, struct weir_mismatch_log *log)
{
    const uint64_t *words = (const uint64_t *)(const void *)data;
    struct weir_mismatch mismatch = {
        .kind = is_zero(data, reading->bytes) ? WEIR_MISMATCH_ZERO : WEIR_MISMATCH_GARBAGE,
        .file_number = reading->file_number,
        .offset = reading->offset,
        .bytes = reading->bytes,
        .writer = reading->writer,
        .reader = reading->reader,
    };

    if (weir_sequence_matches(words, reading->bytes / sizeof *words,
                              weir_source_bare_check(source, reading->offset)))
        return true;
    weir_mismatch_log_add(log, &mismatch);
    return false;
}

static bool verify_pieces(const struct weir_source *source, const struct weir_reading *reading,
                          const unsigned char *data, struct weir_mismatch_log *log)
{
    struct weir_mismatch mismatch;
    bool is_right = true;
    uint64_t at = 0;

    for (size_t piece = 0; piece < source->piece_count; piece++) {
        struct suspect suspect = {
            .source = source,
            .reading = reading,
            .piece = data + at,
            .bytes = weir_source_piece_bytes(source, piece),
            .offset = reading->offset + at,
        };

        at += suspect.bytes;
        if (at > reading->bytes || is_piece_right(&suspect))
            continue;
        is_right = false;
        classify(&suspect, &mismatch);
        weir_mismatch_log_add(log, &mismatch);
    }
    return is_right;
}

bool weir_verify(const struct weir_source *source, const struct weir_reading *reading,
                 const void *data, struct weir_mismatch_log *log)
{
    bool is_right = weir_source_is_bare(source) ? verify_bare(source, reading, data, log)
                                                : verify_pieces(source, reading, data, log);

    log->checked_transfers++;
    if (!is_right)
        log->wrong_transfers++;
    return is_right;
}
