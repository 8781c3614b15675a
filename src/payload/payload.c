/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps, filler and sequences: stateless, so that any rank can make and check any piece. */
#include "weir/payload/payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Arbitrary constants with about as many ones as zeros. */
#define SEQUENCE_STEP UINT64_C(0x9e3779b97f4a7c15)
#define BASE_SALT UINT64_C(0xe95fd39a1f8e7c11)
#define SEQUENCE_SALT UINT64_C(0x8cb92ba72f3d8dd7)

/* The two loops over whole pieces are compiled once for each width of vectors, and chosen when the
 * program starts. */
#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define FOR_EACH_VECTOR_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef FOR_EACH_VECTOR_WIDTH
#define FOR_EACH_VECTOR_WIDTH
#endif

static uint64_t kind_word(uint32_t seed, enum weir_payload_mode mode)
{
    return (uint64_t)seed << 32 | (uint64_t)mode << 24 | (uint64_t)weir_stamp_format(mode) << 16;
}

static uint64_t base_of(uint64_t place, uint64_t generation, uint64_t kind, uint64_t transfer_bytes)
{
    /* With the salt, a page of zeros is not a valid stamp of zeros. */
    return weir_mix64(weir_mix64(weir_mix64(place + BASE_SALT) + generation) + kind) +
           transfer_bytes;
}

bool weir_stamp_read(const void *bytes, struct weir_stamp_facts *facts)
{
    uint64_t words[WEIR_STAMP_WORDS];
    uint64_t filler, kind;

    memcpy(words, bytes, sizeof words);
    for (unsigned i = 1; i < WEIR_STAMP_WORDS; i++)
        words[i] ^= weir_stamp_mask(words[0], i);
    filler = words[4] & 0xffff;
    kind = words[4] & ~UINT64_C(0xffff);
    if (words[0] != weir_stamp_check(base_of(words[2], words[3], kind, words[5]), words[1], filler))
        return false;
    *facts = (struct weir_stamp_facts){
        .offset = words[1],
        .generation = words[3],
        .transfer_bytes = words[5],
        .file = (uint32_t)(words[2] >> 32),
        .writer = (uint32_t)words[2],
        .seed = (uint32_t)(kind >> 32),
        .mode = (uint32_t)(kind >> 24) & 0xff,
        .format = (uint32_t)(kind >> 16) & 0xff,
        .filler = (uint32_t)filler,
    };
    return true;
}

/* The word that follows from a counter. One 32 x 32 bit multiplication, which every vector unit
 * has; the upper half of the product and the counter itself make up for its weak low bits. */
static inline uint64_t sequence_word(uint64_t x)
{
    uint64_t product = (uint64_t)(uint32_t)x * (x >> 32);

    return product ^ product >> 32 ^ x;
}

static uint64_t sequence_key(uint64_t check)
{
    return weir_mix64(check ^ SEQUENCE_SALT);
}

FOR_EACH_VECTOR_WIDTH
static void make_sequence(uint64_t *words, size_t count, uint64_t check)
{
    uint64_t counter = sequence_key(check);

    for (size_t i = 0; i < count; i++, counter += SEQUENCE_STEP)
        words[i] = sequence_word(counter);
}

FOR_EACH_VECTOR_WIDTH
static bool matches_sequence(const uint64_t *words, size_t count, uint64_t check)
{
    uint64_t counter = sequence_key(check);
    uint64_t difference = 0;

    for (size_t i = 0; i < count; i++, counter += SEQUENCE_STEP)
        difference |= words[i] ^ sequence_word(counter);
    return difference == 0;
}

bool weir_sequence_matches(const uint64_t *words, size_t count, uint64_t check)
{
    return matches_sequence(words, count, check);
}

uint64_t weir_filler_seed(const struct weir_identity *identity)
{
    return weir_mix64(identity->generation) + identity->seed;
}

/* The last piece of a transfer may be longer than others: it goes on into the one behind. */
int weir_filler_prepare(struct weir_filler *filler, uint64_t seed, uint32_t piece_count)
{
    size_t first = 0, end = ((size_t)piece_count + 1) * WEIR_PIECE_BYTES / sizeof(uint64_t);
    uint64_t *words;

    if (filler->bytes == NULL)
        filler->bytes = aligned_alloc(WEIR_PIECE_BYTES, WEIR_FILLER_BYTES + WEIR_PIECE_BYTES);
    else if (filler->seed == seed && filler->piece_count > 0)
        first = ((size_t)filler->piece_count + 1) * WEIR_PIECE_BYTES / sizeof(uint64_t);
    if (filler->bytes == NULL)
        return -ENOMEM;
    words = (uint64_t *)(void *)filler->bytes;
    for (size_t i = first; i < end; i++)
        words[i] = weir_random_at(seed, i);
    if (filler->seed != seed || piece_count > filler->piece_count)
        filler->piece_count = piece_count;
    filler->seed = seed;
    return 0;
}

void weir_filler_close(struct weir_filler *filler)
{
    free(filler->bytes);
    *filler = (struct weir_filler){0};
}

static void cut_into_pieces(struct weir_source *source)
{
    uint64_t bytes = source->identity.transfer_bytes;
    uint64_t rest = bytes % WEIR_PIECE_BYTES;

    source->piece_count = bytes / WEIR_PIECE_BYTES + (rest >= WEIR_PIECE_REST_BYTES);
    if (source->piece_count == 0)
        source->piece_count = 1;
    source->last_piece_bytes = bytes - (source->piece_count - 1) * WEIR_PIECE_BYTES;
    source->last_piece_words = source->last_piece_bytes / sizeof(uint64_t);
}

static uint64_t place_word(uint64_t file_number, uint32_t writer)
{
    return file_number << 32 | writer;
}

void weir_source_init(struct weir_source *source, const struct weir_identity *identity,
                      const unsigned char *filler, uint64_t file_number, uint32_t writer)
{
    *source = (struct weir_source){
        .identity = *identity,
        .filler = identity->mode == WEIR_PAYLOAD_STAMP ? filler : NULL,
        .place = place_word(file_number, writer),
        .kind = kind_word(identity->seed, identity->mode),
    };
    source->base =
        base_of(source->place, identity->generation, source->kind, identity->transfer_bytes);
    cut_into_pieces(source);
    if (identity->mode == WEIR_PAYLOAD_IOR)
        weir_ior_init(&source->ior, identity->pattern, identity->seed, writer);
    source->is_one_stamp = identity->mode == WEIR_PAYLOAD_STAMP && source->piece_count == 1 &&
                           !weir_source_is_bare(source);
}

static const unsigned char *filler_piece(const struct weir_source *source, uint32_t number)
{
    return source->filler + (size_t)(number % WEIR_FILLER_PIECES) * WEIR_PIECE_BYTES;
}

/* These words identify the run and the writer, not the place: they do not change from transfer
 * to transfer. */
static void lay_marks(const struct weir_source *source, void *buffer)
{
    unsigned char *to = buffer;

    for (uint64_t at = 0; at + WEIR_PIECE_REST_BYTES <= source->identity.transfer_bytes;
         at += WEIR_PIECE_BYTES)
        weir_stamp_write((uint64_t *)(void *)(to + at), source, at, 0);
}

void weir_source_init_buffer(const struct weir_source *source, void *buffer, uint32_t first_filler)
{
    unsigned char *to = buffer;

    if (source->identity.is_blank)
        memset(buffer, 0xff, source->identity.transfer_bytes);
    else if (source->identity.mode == WEIR_PAYLOAD_IOR)
        weir_ior_init_buffer(&source->ior, buffer, source->identity.transfer_bytes);
    if (weir_source_is_bare(source))
        return;
    if (source->identity.mode == WEIR_PAYLOAD_NONE)
        lay_marks(source, buffer);
    for (size_t piece = 0; source->filler != NULL && piece < source->piece_count; piece++)
        memcpy(to + piece * WEIR_PIECE_BYTES, filler_piece(source, first_filler + (uint32_t)piece),
               weir_source_piece_bytes(source, piece));
}

static void fill_bare(const struct weir_source *source, uint64_t *words, uint64_t offset)
{
    const uint64_t key = weir_source_bare_key(source);

    for (uint64_t at = 0; at < source->identity.transfer_bytes; at += sizeof *words)
        words[at / sizeof *words] = weir_bare_word(key, offset + at);
}

static void fill_full(const struct weir_source *source, void *buffer, uint64_t offset)
{
    unsigned char *to = buffer;

    for (size_t piece = 0; piece < source->piece_count; piece++) {
        uint64_t at = piece * WEIR_PIECE_BYTES;
        uint64_t *words = (uint64_t *)(void *)(to + at);
        size_t count = weir_source_piece_bytes(source, piece) / sizeof *words;
        uint64_t check = weir_stamp_write(words, source, offset + at, 0);

        make_sequence(words + WEIR_STAMP_WORDS, count - WEIR_STAMP_WORDS, check);
    }
}

static void fill_stamps(const struct weir_source *source, void *buffer, uint64_t offset,
                        uint32_t first_filler)
{
    unsigned char *to = buffer;

    for (size_t piece = 0; piece < source->piece_count; piece++) {
        uint64_t at = piece * WEIR_PIECE_BYTES;
        uint64_t *words = (uint64_t *)(void *)(to + at);
        uint64_t check = weir_stamp_write(words, source, offset + at,
                                          (first_filler + piece) % WEIR_FILLER_PIECES);

        weir_sectors_write(words, weir_source_piece_bytes(source, piece) / sizeof *words, check);
    }
}

void weir_source_fill(const struct weir_source *source, void *buffer, uint64_t offset,
                      uint32_t first_filler)
{
    if (source->identity.mode == WEIR_PAYLOAD_NONE || source->identity.is_blank)
        return;
    if (source->identity.mode == WEIR_PAYLOAD_IOR)
        weir_ior_fill(&source->ior, buffer, source->identity.transfer_bytes, offset);
    else if (weir_source_is_bare(source))
        fill_bare(source, buffer, offset);
    else if (source->identity.mode == WEIR_PAYLOAD_FULL)
        fill_full(source, buffer, offset);
    else
        fill_stamps(source, buffer, offset, first_filler);
}

void weir_source_poison(const struct weir_source *source, void *buffer)
{
    unsigned char *to = buffer;

    for (uint64_t at = 0; at < source->identity.transfer_bytes; at += WEIR_SECTOR_BYTES) {
        uint64_t *word = (uint64_t *)(void *)(to + at);

        *word = ~*word;
    }
}

void weir_source_rebuild(const struct weir_source *source, void *to, size_t bytes, uint64_t offset,
                         uint32_t writer, uint32_t filler)
{
    struct weir_source of_writer;
    uint64_t *words = to;
    uint64_t check;

    weir_source_init(&of_writer, &source->identity, source->filler, source->place >> 32, writer);
    check = weir_stamp_write(words, &of_writer, offset, filler);
    if (source->identity.mode == WEIR_PAYLOAD_FULL) {
        make_sequence(words + WEIR_STAMP_WORDS, bytes / sizeof *words - WEIR_STAMP_WORDS, check);
        return;
    }
    memcpy(words + WEIR_STAMP_WORDS, filler_piece(source, filler) + WEIR_STAMP_BYTES,
           bytes - WEIR_STAMP_BYTES);
    weir_sectors_write(words, bytes / sizeof *words, check);
}
