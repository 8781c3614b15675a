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

union piece {
    uint64_t words[(WEIR_PIECE_BYTES + WEIR_PIECE_REST_BYTES) / sizeof(uint64_t)];
    unsigned char bytes[WEIR_PIECE_BYTES + WEIR_PIECE_REST_BYTES];
};

/* What differs between a piece and what it ought to be. */
struct difference {
    size_t first; /* wrong byte */
    size_t last;
    size_t bits;
    size_t words;
};

static struct difference compare(const struct suspect *suspect, const union piece *right)
{
    struct difference all = {.first = suspect->bytes};
    size_t word = SIZE_MAX;

    for (size_t i = 0; i < suspect->bytes; i++) {
        unsigned bits = suspect->piece[i] ^ right->bytes[i];

        if (bits == 0)
            continue;
        if (all.first > i)
            all.first = i;
        all.last = i;
        all.bits += (size_t)__builtin_popcount(bits);
        all.words += word != i / sizeof(uint64_t);
        word = i / sizeof(uint64_t);
    }
    return all;
}

/* Zeros that happened to be right are part of a hole. Data that are full of zeros themselves say
 * so no further than to the end of a word: `reach`. */
static void widen_hole(const struct suspect *suspect, size_t reach, struct difference *all)
{
    while (all->first % reach != 0 && suspect->piece[all->first - 1] == 0)
        all->first--;
    while (all->last + 1 < suspect->bytes && (all->last + 1) % reach != 0 &&
           suspect->piece[all->last + 1] == 0)
        all->last++;
}

/* Compares with the piece as it ought to be, and narrows the mismatch to the bytes that differ. */
static enum weir_mismatch_kind kind_of_difference(const struct suspect *suspect,
                                                  const union piece *right, size_t reach,
                                                  struct weir_mismatch *mismatch)
{
    struct difference all = compare(suspect, right);
    size_t count = all.last + 1 - all.first;
    bool is_hole = count >= sizeof(uint64_t) && is_zero(suspect->piece + all.first, count);

    if (is_hole)
        widen_hole(suspect, reach, &all);
    mismatch->offset = suspect->offset + all.first;
    mismatch->bytes = all.last + 1 - all.first;
    if (is_hole)
        return WEIR_MISMATCH_ZERO;
    if (all.bits <= FLIPPED_BITS_MAX)
        return WEIR_MISMATCH_FLIP;
    return all.words * sizeof(uint64_t) * 4 < suspect->bytes * 3 ? WEIR_MISMATCH_TORN
                                                                 : WEIR_MISMATCH_GARBAGE;
}

/* Compares with the piece of a writer. */
static enum weir_mismatch_kind kind_of_damage(const struct suspect *suspect, uint32_t writer,
                                              uint32_t noise, struct weir_mismatch *mismatch)
{
    union piece right;

    weir_source_rebuild(suspect->source, &right, suspect->bytes, suspect->offset, writer, noise);
    return kind_of_difference(suspect, &right, suspect->bytes, mismatch);
}

static struct weir_mismatch mismatch_of(const struct suspect *suspect)
{
    return (struct weir_mismatch){
        .file_number = suspect->reading->file_number,
        .offset = suspect->offset,
        .bytes = suspect->bytes,
        .writer = suspect->reading->writer,
        .reader = suspect->reading->reader,
    };
}

static void tell_stamp(const struct weir_stamp_facts *facts, struct weir_mismatch *mismatch)
{
    mismatch->has_found = WEIR_FOUND_PLACE;
    mismatch->found_file = facts->file;
    mismatch->found_writer = facts->writer;
    mismatch->found_offset = facts->offset;
    mismatch->found_generation = facts->generation;
}

static void classify(const struct suspect *suspect, struct weir_mismatch *mismatch)
{
    struct weir_stamp_facts facts;

    *mismatch = mismatch_of(suspect);
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
    tell_stamp(&facts, mismatch);
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

/* ---- data of IOR ---- */

/* True if the suspect, one piece or more, is right for another place: with all that its pattern
 * tells of that. */
static bool is_stray(const struct suspect *suspect, const struct weir_ior_data *expected,
                     struct weir_mismatch *mismatch)
{
    const struct weir_reading *reading = suspect->reading;
    uint64_t at = suspect->offset - reading->offset;
    struct weir_ior_stray stray = {
        .expected = expected,
        .bytes = suspect->piece,
        .count = suspect->bytes,
        .transfer_bytes = suspect->source->identity.transfer_bytes,
        .offset = reading->offset,
        .piece = at / WEIR_IOR_PIECE_BYTES,
        .ranks = reading->ranks,
    };
    struct weir_ior_origin origin;

    if (!weir_ior_find_origin(&stray, &origin))
        return false;
    mismatch->kind = origin.is_foreign ? WEIR_MISMATCH_FOREIGN : WEIR_MISMATCH_MISPLACED;
    if (!origin.has_writer)
        return true;
    mismatch->has_found = origin.has_offset ? WEIR_FOUND_PLACE : WEIR_FOUND_WRITER;
    mismatch->found_writer = origin.data.writer;
    mismatch->found_file = reading->is_own_file ? origin.data.writer : 0;
    mismatch->found_offset = origin.offset + origin.piece * WEIR_IOR_PIECE_BYTES;
    return true;
}

/* `maker` stands at the piece. */
static bool is_ior_piece_right(const struct suspect *suspect, struct weir_ior_maker *maker,
                               struct weir_mismatch *mismatch)
{
    struct weir_stamp_facts facts;
    struct weir_mismatch stray;
    union piece right;

    weir_ior_make_piece(maker, &right, suspect->bytes);
    if (memcmp(suspect->piece, &right, suspect->bytes) == 0)
        return true;
    *mismatch = stray = mismatch_of(suspect);
    if (is_zero(suspect->piece, suspect->bytes)) {
        mismatch->kind = WEIR_MISMATCH_ZERO;
    } else if (suspect->bytes >= WEIR_STAMP_BYTES && weir_stamp_read(suspect->piece, &facts)) {
        mismatch->kind = WEIR_MISMATCH_FOREIGN;
        tell_stamp(&facts, mismatch);
    } else {
        mismatch->kind = kind_of_difference(suspect, &right, sizeof(uint64_t), mismatch);
        /* One wrong bit may turn one place into another; that it did not is as likely. */
        if (compare(suspect, &right).bits > 1 && is_stray(suspect, maker->data, &stray))
            *mismatch = stray;
    }
    return false;
}

/* Where the whole transfer comes from, if from one place; else piece by piece. */
static void tell_ior(const struct weir_source *source, const struct weir_reading *reading,
                     const struct weir_ior_data *expected, const unsigned char *data,
                     struct weir_mismatch_log *log)
{
    struct suspect suspect = {.source = source,
                              .reading = reading,
                              .piece = data,
                              .bytes = reading->bytes,
                              .offset = reading->offset};
    struct weir_mismatch mismatch = mismatch_of(&suspect);
    struct weir_ior_maker maker;
    uint64_t left;

    if (!is_zero(data, reading->bytes) && is_stray(&suspect, expected, &mismatch)) {
        weir_mismatch_log_add(log, &mismatch);
        return;
    }
    weir_ior_start(&maker, expected, reading->offset);
    while ((left = reading->bytes - maker.at) > 0) {
        suspect.piece = data + maker.at;
        suspect.offset = reading->offset + maker.at;
        suspect.bytes = left < WEIR_IOR_PIECE_BYTES ? left : WEIR_IOR_PIECE_BYTES;
        if (!is_ior_piece_right(&suspect, &maker, &mismatch))
            weir_mismatch_log_add(log, &mismatch);
    }
}

static bool verify_ior(const struct weir_source *source, const struct weir_reading *reading,
                       const unsigned char *data, struct weir_mismatch_log *log)
{
    struct weir_ior_data expected = source->ior;

    weir_ior_adapt(&expected, data, reading->bytes, reading->offset, reading->ranks,
                   reading->any_writer);
    if (weir_ior_matches(&expected, data, reading->bytes, reading->offset))
        return true;
    tell_ior(source, reading, &expected, data, log);
    return false;
}

/* ---- any data ---- */

static bool is_right(const struct weir_source *source, const struct weir_reading *reading,
                     const void *data, struct weir_mismatch_log *log)
{
    if (source->identity.mode == WEIR_PAYLOAD_IOR)
        return verify_ior(source, reading, data, log);
    if (weir_source_is_bare(source))
        return verify_bare(source, reading, data, log);
    return verify_pieces(source, reading, data, log);
}

bool weir_verify(const struct weir_source *source, const struct weir_reading *reading,
                 const void *data, struct weir_mismatch_log *log)
{
    bool was_right = is_right(source, reading, data, log);

    log->checked_transfers++;
    if (!was_right)
        log->wrong_transfers++;
    return was_right;
}
