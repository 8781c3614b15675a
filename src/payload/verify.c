/* SPDX-License-Identifier: Apache-2.0 */
/* Compares pieces at the speed of memory; only pieces that are wrong are examined further. */
#include "weir/payload/verify.h"

#include <string.h>

/* A piece is reported as damaged if at most so many bits differ, and so many per word on
 * average; with more it is torn. */
#define FLIPPED_BITS_MAX 32
#define FLIPPED_BITS_PER_WORD 8
/* Places that are tried for the origin of a sector. */
#define ORIGINS_TRIED 4096

static bool is_expected_stamp(const struct weir_source *source,
                              const struct weir_expectation *reading,
                              const struct weir_stamp_facts *facts, uint64_t offset)
{
    return facts->offset == offset && facts->file == (uint32_t)reading->file_number &&
           facts->generation == source->identity.generation &&
           facts->seed == source->identity.seed && facts->mode == source->identity.mode &&
           facts->format == weir_stamp_format(source->identity.mode) &&
           (!reading->is_own_file || facts->writer == reading->writer);
}

static const uint64_t *filler_words(const struct weir_source *source, uint32_t filler)
{
    return (const uint64_t *)(const void *)(source->filler + (size_t)filler * WEIR_PIECE_BYTES);
}

/* The filler, and the words in it that follow from the check word. */
static bool is_filler_right(const uint64_t *words, const uint64_t *filler, size_t count)
{
    size_t from = WEIR_STAMP_WORDS;
    uint64_t number = 1;

    for (size_t at = WEIR_SECTOR_WORDS; at + 1 < count; at += WEIR_SECTOR_WORDS) {
        if (words[at] != weir_sector_word(words[0], number++) ||
            memcmp(words + from, filler + from, (at - from) * sizeof *words) != 0)
            return false;
        from = at + 1;
    }
    return words[count - 1] == weir_sector_word(words[0], number) &&
           memcmp(words + from, filler + from, (count - 1 - from) * sizeof *words) == 0;
}

/* The part of a piece behind its stamp. */
static bool is_body_right(const struct weir_source *source, const unsigned char *piece,
                          size_t bytes, const struct weir_stamp_facts *facts)
{
    const uint64_t *words = (const uint64_t *)(const void *)piece;

    if (source->identity.mode == WEIR_PAYLOAD_FULL)
        return weir_sequence_matches(words + WEIR_STAMP_WORDS,
                                     bytes / sizeof *words - WEIR_STAMP_WORDS, words[0]);
    return is_filler_right(words, filler_words(source, facts->filler), bytes / sizeof *words);
}

/* ---- what kind of wrong ---- */

struct bad_piece {
    const struct weir_source *source;
    const struct weir_expectation *reading;
    const unsigned char *piece;
    size_t bytes;
    uint64_t offset;
};

static enum weir_mismatch_kind kind_of_stamp(const struct bad_piece *bad_piece,
                                             const struct weir_stamp_facts *facts)
{
    const struct weir_identity *identity = &bad_piece->source->identity;

    if (facts->seed != identity->seed)
        return WEIR_MISMATCH_FOREIGN;
    if (facts->offset != bad_piece->offset ||
        facts->file != (uint32_t)bad_piece->reading->file_number)
        return WEIR_MISMATCH_MISPLACED;
    if (facts->generation < identity->generation)
        return WEIR_MISMATCH_STALE;
    if (facts->generation > identity->generation)
        return WEIR_MISMATCH_NEWER;
    return WEIR_MISMATCH_MISPLACED; /* of another writer, or of the other mode */
}

/* A damaged stamp does not tell its filler; the end of the piece may. */
static uint32_t guess_filler(const struct bad_piece *bad_piece)
{
    size_t tail = bad_piece->bytes - 2 * sizeof(uint64_t);
    size_t middle = bad_piece->bytes / 2 / WEIR_SECTOR_BYTES * WEIR_SECTOR_BYTES + WEIR_STAMP_BYTES;

    if (bad_piece->source->filler == NULL)
        return 0;
    for (uint32_t filler = 0; filler < WEIR_FILLER_PIECES; filler++) {
        const unsigned char *right = bad_piece->source->filler + (size_t)filler * WEIR_PIECE_BYTES;

        if (memcmp(bad_piece->piece + tail, right + tail, sizeof(uint64_t)) == 0 ||
            memcmp(bad_piece->piece + middle, right + middle, sizeof(uint64_t)) == 0)
            return filler;
    }
    return 0;
}

union piece {
    uint64_t words[(WEIR_PIECE_BYTES + WEIR_PIECE_REST_BYTES) / sizeof(uint64_t)];
    unsigned char bytes[WEIR_PIECE_BYTES + WEIR_PIECE_REST_BYTES];
};

/* The difference between a piece and its expected content. */
struct difference {
    size_t first; /* wrong byte */
    size_t last;
    size_t bits;
    size_t words;
};

static struct difference compare(const struct bad_piece *bad_piece, const union piece *right)
{
    struct difference all = {.first = bad_piece->bytes};
    size_t word = SIZE_MAX;

    for (size_t i = 0; i < bad_piece->bytes; i++) {
        unsigned bits = bad_piece->piece[i] ^ right->bytes[i];

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
static void widen_hole(const struct bad_piece *bad_piece, size_t reach, struct difference *all)
{
    while (all->first % reach != 0 && bad_piece->piece[all->first - 1] == 0)
        all->first--;
    while (all->last + 1 < bad_piece->bytes && (all->last + 1) % reach != 0 &&
           bad_piece->piece[all->last + 1] == 0)
        all->last++;
}

/* Compares with the piece as it ought to be, and narrows the mismatch to the bytes that differ. */
static enum weir_mismatch_kind kind_of_difference(const struct bad_piece *bad_piece,
                                                  const union piece *right, size_t reach,
                                                  struct weir_mismatch *mismatch)
{
    struct difference all = compare(bad_piece, right);
    size_t count = all.last + 1 - all.first;
    bool is_hole =
        count >= sizeof(uint64_t) && weir_bytes_are(bad_piece->piece + all.first, count, 0);

    if (is_hole)
        widen_hole(bad_piece, reach, &all);
    mismatch->offset = bad_piece->offset + all.first;
    mismatch->bytes = all.last + 1 - all.first;
    if (is_hole)
        return WEIR_MISMATCH_ZERO;
    if (all.bits <= FLIPPED_BITS_MAX && all.bits <= all.words * FLIPPED_BITS_PER_WORD)
        return WEIR_MISMATCH_FLIP;
    return all.words * sizeof(uint64_t) * 4 < bad_piece->bytes * 3 ? WEIR_MISMATCH_TORN
                                                                   : WEIR_MISMATCH_GARBAGE;
}

static struct weir_mismatch mismatch_of(const struct bad_piece *bad_piece)
{
    return (struct weir_mismatch){
        .file_number = bad_piece->reading->file_number,
        .offset = bad_piece->offset,
        .bytes = bad_piece->bytes,
        .writer = bad_piece->reading->writer,
        .reader = bad_piece->reading->reader,
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

/* ---- sectors of WEIR_PAYLOAD_STAMP at the wrong place ---- */

/* A sector of a piece, or what is left of one at its end. */
struct sector {
    const struct bad_piece *bad_piece;
    const uint64_t *words;
    size_t at; /* in the piece */
    size_t word_count;
    uint32_t filler; /* that it carries, ... */
    uint64_t number; /* ... and where in the piece it was written in */
};

static struct sector sector_of(const struct bad_piece *bad_piece, size_t at)
{
    size_t left = bad_piece->bytes - at;

    return (struct sector){
        .bad_piece = bad_piece,
        .words = (const uint64_t *)(const void *)(bad_piece->piece + at),
        .at = at,
        .word_count = (left < WEIR_SECTOR_BYTES ? left : WEIR_SECTOR_BYTES) / sizeof(uint64_t),
    };
}

static size_t sector_bytes(const struct sector *sector)
{
    return sector->word_count * sizeof *sector->words;
}

/* Whatever follows a first word: the last word of a sector may be that of its piece. */
static bool has_filler(const struct sector *sector, const uint64_t *filler)
{
    return memcmp(sector->words + WEIR_STAMP_WORDS, filler + WEIR_STAMP_WORDS,
                  (sector->word_count - 1 - WEIR_STAMP_WORDS) * sizeof *filler) == 0;
}

/* Which filler a sector carries. A sector that begins a piece has a stamp, which tells more. */
static bool find_filler(struct sector *sector)
{
    if (sector->word_count < WEIR_PIECE_REST_BYTES / sizeof *sector->words)
        return false;
    for (sector->filler = 0; sector->filler < WEIR_FILLER_PIECES; sector->filler++)
        for (sector->number = 1; sector->number < WEIR_PIECE_BYTES / WEIR_SECTOR_BYTES;
             sector->number++)
            if (has_filler(sector, filler_words(sector->bad_piece->source, sector->filler) +
                                       sector->number * WEIR_SECTOR_WORDS))
                return true;
    return false;
}

static bool is_from(const struct sector *sector, uint64_t file, uint32_t writer, uint64_t offset,
                    struct weir_mismatch *mismatch)
{
    struct weir_source origin;
    uint64_t check;

    weir_source_init(&origin, &sector->bad_piece->source->identity, NULL, file, writer);
    check = weir_stamp_check(origin.base, offset, sector->filler);
    if (sector->words[0] != weir_sector_word(check, sector->number))
        return false;
    mismatch->has_found = WEIR_FOUND_PLACE;
    mismatch->found_file = (uint32_t)file;
    mismatch->found_writer = writer;
    mismatch->found_offset = offset + sector->number * WEIR_SECTOR_BYTES;
    mismatch->found_generation = origin.identity.generation;
    return true;
}

/* The same place of other files or other writers, then places around it. */
static bool find_origin(const struct sector *sector, struct weir_mismatch *mismatch)
{
    const struct bad_piece *bad_piece = sector->bad_piece;
    const struct weir_expectation *reading = bad_piece->reading;
    uint32_t ranks = reading->ranks < ORIGINS_TRIED ? reading->ranks : ORIGINS_TRIED;
    uint64_t transfer_bytes = bad_piece->source->identity.transfer_bytes;
    uint64_t step = transfer_bytes % WEIR_PIECE_BYTES == 0 ? WEIR_PIECE_BYTES : transfer_bytes;

    for (uint32_t rank = 0; rank < ranks; rank++)
        if (is_from(sector, reading->is_own_file ? rank : reading->file_number, rank,
                    bad_piece->offset, mismatch))
            return true;
    for (uint64_t distance = 0; distance <= ORIGINS_TRIED / 2 * step; distance += step)
        if (is_from(sector, reading->file_number, reading->writer, bad_piece->offset + distance,
                    mismatch) ||
            (distance <= bad_piece->offset && is_from(sector, reading->file_number, reading->writer,
                                                      bad_piece->offset - distance, mismatch)))
            return true;
    return false;
}

/* True if a wrong sector is right for another place. */
static bool is_stray_sector(struct sector *sector, struct weir_mismatch *mismatch)
{
    struct weir_stamp_facts facts;

    *mismatch = mismatch_of(sector->bad_piece);
    mismatch->offset += sector->at;
    mismatch->bytes = sector_bytes(sector);
    if (sector->word_count >= WEIR_STAMP_WORDS && weir_stamp_read(sector->words, &facts)) {
        if (sector->at == 0 &&
            is_expected_stamp(sector->bad_piece->source, sector->bad_piece->reading, &facts,
                              sector->bad_piece->offset))
            return false;
        mismatch->kind = kind_of_stamp(sector->bad_piece, &facts);
        tell_stamp(&facts, mismatch);
        return true;
    }
    mismatch->kind = WEIR_MISMATCH_MISPLACED;
    return find_filler(sector) && find_origin(sector, mismatch);
}

static bool is_sector_wrong(const struct sector *sector, const union piece *right)
{
    return memcmp(sector->words, right->bytes + sector->at, sector_bytes(sector)) != 0;
}

static bool is_any_sector_right(const struct bad_piece *bad_piece, const union piece *right)
{
    for (size_t at = 0; at < bad_piece->bytes; at += WEIR_SECTOR_BYTES) {
        struct sector sector = sector_of(bad_piece, at);

        if (!is_sector_wrong(&sector, right))
            return true;
    }
    return false;
}

/* Reports the sectors that belong elsewhere, and counts them as right from then on. */
static void tell_stray_sectors(const struct bad_piece *bad_piece, union piece *right,
                               struct weir_mismatch_log *log)
{
    struct weir_mismatch mismatch;

    for (size_t at = 0; at < bad_piece->bytes; at += WEIR_SECTOR_BYTES) {
        struct sector sector = sector_of(bad_piece, at);

        if (!is_sector_wrong(&sector, right) || !is_stray_sector(&sector, &mismatch))
            continue;
        weir_mismatch_log_add(log, &mismatch);
        memcpy(right->bytes + at, sector.words, sector_bytes(&sector));
    }
}

/* ---- pieces ---- */

/* A wrong piece that is not all zeros. `found` is its stamp, NULL if that is damaged. */
static void tell_piece(const struct bad_piece *bad_piece, const struct weir_stamp_facts *found,
                       struct weir_mismatch_log *log)
{
    bool is_expected = found != NULL && is_expected_stamp(bad_piece->source, bad_piece->reading,
                                                          found, bad_piece->offset);
    struct weir_mismatch mismatch = mismatch_of(bad_piece);
    bool has_sectors = bad_piece->source->filler != NULL;
    union piece right;

    weir_source_rebuild(bad_piece->source, &right, bad_piece->bytes, bad_piece->offset,
                        is_expected ? found->writer : mismatch.writer,
                        is_expected ? found->filler % WEIR_FILLER_PIECES : guess_filler(bad_piece));
    if (found != NULL && !is_expected && !(has_sectors && is_any_sector_right(bad_piece, &right))) {
        mismatch.kind = kind_of_stamp(bad_piece, found);
        tell_stamp(found, &mismatch);
        weir_mismatch_log_add(log, &mismatch);
        return;
    }
    if (has_sectors)
        tell_stray_sectors(bad_piece, &right, log);
    if (memcmp(bad_piece->piece, &right, bad_piece->bytes) == 0)
        return;
    mismatch.kind = kind_of_difference(bad_piece, &right, bad_piece->bytes, &mismatch);
    weir_mismatch_log_add(log, &mismatch);
}

static void tell(const struct bad_piece *bad_piece, struct weir_mismatch_log *log)
{
    struct weir_mismatch mismatch = mismatch_of(bad_piece);
    struct weir_stamp_facts found;

    if (!weir_bytes_are(bad_piece->piece, bad_piece->bytes, 0)) {
        tell_piece(bad_piece, weir_stamp_read(bad_piece->piece, &found) ? &found : NULL, log);
        return;
    }
    mismatch.kind = WEIR_MISMATCH_ZERO;
    weir_mismatch_log_add(log, &mismatch);
}

static bool is_piece_right(const struct bad_piece *bad_piece)
{
    struct weir_stamp_facts facts;

    return weir_stamp_read(bad_piece->piece, &facts) &&
           is_expected_stamp(bad_piece->source, bad_piece->reading, &facts, bad_piece->offset) &&
           facts.filler < WEIR_FILLER_PIECES &&
           is_body_right(bad_piece->source, bad_piece->piece, bad_piece->bytes, &facts);
}

static bool verify_bare(const struct weir_source *source, const struct weir_expectation *reading,
                        const unsigned char *data, struct weir_mismatch_log *log)
{
    struct weir_mismatch mismatch;

    if (weir_bare_matches(data, reading->bytes, weir_source_bare_key(source), reading->offset))
        return true;
    mismatch = (struct weir_mismatch){
        .kind =
            weir_bytes_are(data, reading->bytes, 0) ? WEIR_MISMATCH_ZERO : WEIR_MISMATCH_GARBAGE,
        .file_number = reading->file_number,
        .offset = reading->offset,
        .bytes = reading->bytes,
        .writer = reading->writer,
        .reader = reading->reader,
    };
    weir_mismatch_log_add(log, &mismatch);
    return false;
}

static bool verify_pieces(const struct weir_source *source, const struct weir_expectation *reading,
                          const unsigned char *data, struct weir_mismatch_log *log)
{
    bool is_right = true;
    uint64_t at = 0;

    for (size_t piece = 0; piece < source->piece_count; piece++) {
        struct bad_piece bad_piece = {
            .source = source,
            .reading = reading,
            .piece = data + at,
            .bytes = weir_source_piece_bytes(source, piece),
            .offset = reading->offset + at,
        };

        at += bad_piece.bytes;
        if (at > reading->bytes || is_piece_right(&bad_piece))
            continue;
        is_right = false;
        tell(&bad_piece, log);
    }
    return is_right;
}

/* ---- data of IOR ---- */

/* True if the bad_piece, one piece or more, is right for another place: with all that its pattern
 * tells of that. */
static bool is_stray(const struct bad_piece *bad_piece, const struct weir_ior_data *expected,
                     struct weir_mismatch *mismatch)
{
    const struct weir_expectation *reading = bad_piece->reading;
    uint64_t at = bad_piece->offset - reading->offset;
    struct weir_ior_stray stray = {
        .expected = expected,
        .bytes = bad_piece->piece,
        .count = bad_piece->bytes,
        .transfer_bytes = bad_piece->source->identity.transfer_bytes,
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
static bool is_ior_piece_right(const struct bad_piece *bad_piece, struct weir_ior_maker *maker,
                               struct weir_mismatch *mismatch)
{
    struct weir_stamp_facts facts;
    struct weir_mismatch stray;
    union piece right;

    weir_ior_make_piece(maker, &right, bad_piece->bytes);
    if (memcmp(bad_piece->piece, &right, bad_piece->bytes) == 0)
        return true;
    *mismatch = stray = mismatch_of(bad_piece);
    if (weir_bytes_are(bad_piece->piece, bad_piece->bytes, 0)) {
        mismatch->kind = WEIR_MISMATCH_ZERO;
    } else if (bad_piece->bytes >= WEIR_STAMP_BYTES && weir_stamp_read(bad_piece->piece, &facts)) {
        mismatch->kind = WEIR_MISMATCH_FOREIGN;
        tell_stamp(&facts, mismatch);
    } else {
        mismatch->kind = kind_of_difference(bad_piece, &right, sizeof(uint64_t), mismatch);
        /* A difference of one bit is more likely a flipped bit than another place. */
        if (compare(bad_piece, &right).bits > 1 && is_stray(bad_piece, maker->data, &stray))
            *mismatch = stray;
    }
    return false;
}

/* The origin of the whole transfer if all of it comes from one place; else each piece is
 * examined. */
static void tell_ior(const struct weir_source *source, const struct weir_expectation *reading,
                     const struct weir_ior_data *expected, const unsigned char *data,
                     struct weir_mismatch_log *log)
{
    struct bad_piece bad_piece = {.source = source,
                                  .reading = reading,
                                  .piece = data,
                                  .bytes = reading->bytes,
                                  .offset = reading->offset};
    struct weir_mismatch mismatch = mismatch_of(&bad_piece);
    struct weir_ior_maker maker;
    uint64_t left;

    if (!weir_bytes_are(data, reading->bytes, 0) && is_stray(&bad_piece, expected, &mismatch)) {
        weir_mismatch_log_add(log, &mismatch);
        return;
    }
    weir_ior_start(&maker, expected, reading->offset);
    while ((left = reading->bytes - maker.at) > 0) {
        bad_piece.piece = data + maker.at;
        bad_piece.offset = reading->offset + maker.at;
        bad_piece.bytes = left < WEIR_IOR_PIECE_BYTES ? left : WEIR_IOR_PIECE_BYTES;
        if (!is_ior_piece_right(&bad_piece, &maker, &mismatch))
            weir_mismatch_log_add(log, &mismatch);
    }
}

static bool verify_ior(const struct weir_source *source, const struct weir_expectation *reading,
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

static bool is_right(const struct weir_source *source, const struct weir_expectation *reading,
                     const void *data, struct weir_mismatch_log *log)
{
    if (source->identity.mode == WEIR_PAYLOAD_IOR)
        return verify_ior(source, reading, data, log);
    if (weir_source_is_bare(source))
        return verify_bare(source, reading, data, log);
    return verify_pieces(source, reading, data, log);
}

bool weir_verify(const struct weir_source *source, const struct weir_expectation *reading,
                 const void *data, struct weir_mismatch_log *log)
{
    bool was_right = is_right(source, reading, data, log);

    log->checked_transfers++;
    if (!was_right)
        log->wrong_transfers++;
    return was_right;
}
