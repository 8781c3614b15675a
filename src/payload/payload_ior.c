/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's patterns: made, compared, and read for what they tell. */
#include "weir/payload/payload_ior.h"

#include <string.h>

#define WORD_BYTES sizeof(uint64_t)
/* Places that are tried for the origin of a random transfer. */
#define ORIGINS_TRIED 4096

/* ---- generators ---- */

/* Three turns of a linear congruential generator for 31 bits. */
uint32_t weir_ior_next_number(uint32_t *state)
{
    static const struct {
        unsigned bits;
        uint32_t mask;
    } turns[] = {{0, 0x7ff}, {10, 0x3ff}, {10, 0x3ff}};
    uint32_t number = 0;

    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        *state = *state * 1103515245 + 12345;
        number = number << turns[i].bits ^ (*state >> 16 & turns[i].mask);
    }
    return number;
}

static uint64_t constant_of(uint32_t seed)
{
    uint64_t upper = weir_ior_next_number(&seed);

    return upper << 32 | weir_ior_next_number(&seed);
}

static uint64_t random_state(const struct weir_ior_data *data, uint64_t offset)
{
    uint32_t seed = (uint32_t)data->signature + data->writer + (uint32_t)offset;

    return weir_ior_next_number(&seed);
}

static uint64_t rank_bits(const struct weir_ior_data *data)
{
    return (uint64_t)data->writer << 32;
}

static bool has_offset_words(enum weir_ior_pattern pattern)
{
    return pattern == WEIR_IOR_OFFSET || pattern == WEIR_IOR_INCOMPRESSIBLE;
}

/* The first word of a piece. The product has 32 bits. */
static uint64_t offset_word(const struct weir_ior_data *data, uint64_t offset, uint64_t piece)
{
    return rank_bits(data) | (uint32_t)(offset * (piece + 1));
}

void weir_ior_init(struct weir_ior_data *data, enum weir_ior_pattern pattern, uint32_t seed,
                   uint32_t writer)
{
    *data = (struct weir_ior_data){
        .pattern = pattern,
        .signature = (int32_t)seed,
        .writer = writer,
        .constant = constant_of(seed),
    };
}

/* ---- making ---- */

static void make_count(uint64_t *words, size_t count, uint64_t rank, uint64_t first)
{
    for (size_t i = 0; i < count; i++)
        words[i] = rank | (first + i);
}

static void make_constant(uint64_t *words, size_t count, uint64_t constant)
{
    for (size_t i = 0; i < count; i++)
        words[i] = constant;
}

static uint64_t make_random(uint64_t *words, size_t count, uint64_t state)
{
    for (size_t i = 0; i < count; i++)
        words[i] = state = weir_ior_next_random(state);
    return state;
}

void weir_ior_start(struct weir_ior_maker *maker, const struct weir_ior_data *data, uint64_t offset)
{
    *maker = (struct weir_ior_maker){.data = data, .offset = offset};
    if (data->pattern == WEIR_IOR_RANDOM)
        maker->state = random_state(data, offset);
}

void weir_ior_make_piece(struct weir_ior_maker *maker, void *to, size_t bytes)
{
    const struct weir_ior_data *data = maker->data;
    size_t count = bytes / WORD_BYTES;
    unsigned char *tail = to;
    uint64_t *words = to;

    if (data->pattern == WEIR_IOR_RANDOM)
        maker->state = make_random(words, count, maker->state);
    else if (data->pattern == WEIR_IOR_INCOMPRESSIBLE)
        make_constant(words, count, data->constant);
    else
        make_count(words, count, rank_bits(data),
                   (uint64_t)(int64_t)data->signature + maker->at / WORD_BYTES);
    if (count > 0 && has_offset_words(data->pattern))
        words[0] = offset_word(data, maker->offset, maker->at / WEIR_IOR_PIECE_BYTES);
    for (size_t i = count * WORD_BYTES; i < bytes; i++)
        tail[i] = (unsigned char)(maker->at + i);
    maker->at += bytes;
}

static size_t piece_bytes(uint64_t left)
{
    return left < WEIR_IOR_PIECE_BYTES ? (size_t)left : WEIR_IOR_PIECE_BYTES;
}

static void make_all(const struct weir_ior_data *data, void *buffer, uint64_t bytes,
                     uint64_t offset)
{
    unsigned char *to = buffer;
    struct weir_ior_maker maker;

    weir_ior_start(&maker, data, offset);
    while (maker.at < bytes)
        weir_ior_make_piece(&maker, to + maker.at, piece_bytes(bytes - maker.at));
}

void weir_ior_init_buffer(const struct weir_ior_data *data, void *buffer, uint64_t bytes)
{
    make_all(data, buffer, bytes, 0);
}

void weir_ior_fill(const struct weir_ior_data *data, void *buffer, uint64_t bytes, uint64_t offset)
{
    unsigned char *to = buffer;
    uint64_t word;

    if (data->pattern == WEIR_IOR_RANDOM)
        make_all(data, buffer, bytes, offset);
    if (!has_offset_words(data->pattern))
        return;
    for (uint64_t at = 0; at + WORD_BYTES <= bytes; at += WEIR_IOR_PIECE_BYTES) {
        word = offset_word(data, offset, at / WEIR_IOR_PIECE_BYTES);
        memcpy(to + at, &word, sizeof word);
    }
}

/* ---- comparing ---- */

static inline uint64_t word_at(const void *bytes, size_t index)
{
    uint64_t word;

    memcpy(&word, (const unsigned char *)bytes + index * WORD_BYTES, sizeof word);
    return word;
}

/* Compares what `maker` goes on with. */
static bool goes_on_with(struct weir_ior_maker *maker, const unsigned char *bytes, uint64_t count)
{
    uint64_t right[WEIR_IOR_PIECE_WORDS];
    uint64_t first = maker->at;

    while (maker->at - first < count) {
        const unsigned char *piece = bytes + (maker->at - first);
        size_t size = piece_bytes(count - (maker->at - first));

        weir_ior_make_piece(maker, right, size);
        if (memcmp(piece, right, size) != 0)
            return false;
    }
    return true;
}

/* True if each word follows from the one before it, the first one from `state`. Not bound by the
 * latency of making them one after the other. */
static bool follow_one_another(const unsigned char *bytes, uint64_t word_count, uint64_t state)
{
    uint64_t difference = 0;

    for (uint64_t i = 0; i < word_count; i++) {
        uint64_t word = word_at(bytes, i);

        difference |= word ^ weir_ior_next_random(state);
        state = word;
    }
    return difference == 0;
}

bool weir_ior_matches(const struct weir_ior_data *data, const void *bytes, uint64_t count,
                      uint64_t offset)
{
    struct weir_ior_maker maker;

    if (data->pattern == WEIR_IOR_RANDOM && count % WORD_BYTES == 0)
        return follow_one_another(bytes, count / WORD_BYTES, random_state(data, offset));
    weir_ior_start(&maker, data, offset);
    return goes_on_with(&maker, bytes, count);
}

/* ---- reading ---- */

static uint32_t upper_half(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* The rank whose random numbers begin like this; the expected one if there is none. */
static uint32_t find_random_writer(const struct weir_ior_data *data, uint64_t word, uint64_t offset,
                                   uint32_t ranks)
{
    struct weir_ior_data other = *data;

    if (weir_ior_next_random(random_state(data, offset)) == word)
        return data->writer;
    for (other.writer = 0; other.writer < ranks; other.writer++)
        if (weir_ior_next_random(random_state(&other, offset)) == word)
            return other.writer;
    return data->writer;
}

void weir_ior_adapt(struct weir_ior_data *data, const void *bytes, uint64_t count, uint64_t offset,
                    uint32_t ranks, bool any_writer)
{
    uint32_t writer = data->writer;

    if (count < WORD_BYTES)
        return;
    if (data->pattern == WEIR_IOR_RANDOM)
        writer = any_writer ? find_random_writer(data, word_at(bytes, 0), offset, ranks) : writer;
    else if (any_writer && (data->pattern != WEIR_IOR_TIMESTAMP || data->signature >= 0))
        writer = upper_half(word_at(bytes, 0));
    if (writer < ranks)
        data->writer = writer;
    /* Known from files of rank 0 only, whose constant follows from the signature. If other ranks
     * add their number to the seed, as for random data, this is right for them too. */
    if (data->pattern == WEIR_IOR_INCOMPRESSIBLE && count >= 2 * WORD_BYTES &&
        word_at(bytes, 1) == constant_of((uint32_t)data->signature + data->writer))
        data->constant = word_at(bytes, 1);
}

/* ---- origins ---- */

/* The signature from words that count, and who counted. A stretch whose words are off by whole
 * pieces of the transfer is another piece of it. */
static void read_count(const struct weir_ior_stray *stray, struct weir_ior_origin *origin)
{
    const uint64_t words = stray->count / WORD_BYTES;
    uint64_t last = word_at(stray->bytes, words - 1);
    int64_t expected = (int64_t)stray->expected->signature +
                       (int64_t)(stray->piece * WEIR_IOR_PIECE_WORDS + words - 1);
    int32_t shift = (int32_t)((uint32_t)last - (uint32_t)expected);
    int64_t piece = (int64_t)stray->piece + shift / (int32_t)WEIR_IOR_PIECE_WORDS;
    uint64_t pieces = (stray->transfer_bytes + WEIR_IOR_PIECE_BYTES - 1) / WEIR_IOR_PIECE_BYTES;

    if (words < 2 && has_offset_words(origin->data.pattern))
        return;
    if (shift % (int32_t)WEIR_IOR_PIECE_WORDS == 0 && piece >= 0 && (uint64_t)piece < pieces) {
        origin->piece = (uint64_t)piece;
    } else {
        origin->data.signature = (int32_t)((uint32_t)origin->data.signature + (uint32_t)shift);
        origin->is_foreign = true;
    }
    if (origin->data.pattern != WEIR_IOR_TIMESTAMP)
        return;
    origin->has_writer = (int64_t)origin->data.signature +
                             (int64_t)(origin->piece * WEIR_IOR_PIECE_WORDS + words - 1) >=
                         0;
    if (origin->has_writer)
        origin->data.writer = upper_half(last);
}

/* The first word of a piece. A product that was cut to 32 bits tells no offset; the offset expected
 * is then as good as any. */
static void read_offset_word(const struct weir_ior_stray *stray, struct weir_ior_origin *origin)
{
    uint64_t word = word_at(stray->bytes, 0);
    uint32_t product = (uint32_t)word;
    uint64_t factor = origin->piece + 1;

    origin->data.writer = upper_half(word);
    origin->has_writer = true;
    if (product == (uint32_t)(stray->offset * factor)) {
        origin->has_offset = true;
    } else if (product % factor == 0 && product / factor % stray->transfer_bytes == 0) {
        origin->offset = product / factor;
        origin->has_offset = true;
    }
}

static void read_constant(const struct weir_ior_stray *stray, struct weir_ior_origin *origin)
{
    if (stray->count < 2 * WORD_BYTES || word_at(stray->bytes, 1) == origin->data.constant)
        return;
    origin->data.constant = word_at(stray->bytes, 1);
    origin->is_foreign = origin->data.constant != constant_of((uint32_t)origin->data.signature +
                                                              upper_half(word_at(stray->bytes, 0)));
}

static bool is_random_start(const struct weir_ior_origin *origin, uint64_t word)
{
    return weir_ior_next_random(random_state(&origin->data, origin->offset)) == word;
}

static bool try_random_writers(uint64_t word, uint32_t ranks, struct weir_ior_origin *origin)
{
    for (origin->data.writer = 0; origin->data.writer < ranks; origin->data.writer++)
        if (is_random_start(origin, word))
            return true;
    return false;
}

/* Transfers of this place and of those around it, of all ranks. */
static bool try_random_origins(const struct weir_ior_stray *stray, struct weir_ior_origin *origin)
{
    uint64_t word = word_at(stray->bytes, 0);
    uint32_t ranks = stray->ranks < ORIGINS_TRIED ? stray->ranks : ORIGINS_TRIED;
    uint64_t far = ORIGINS_TRIED / 2 / ranks * stray->transfer_bytes;

    if (try_random_writers(word, ranks, origin))
        return true;
    for (uint64_t distance = stray->transfer_bytes; distance <= far;
         distance += stray->transfer_bytes) {
        origin->offset = stray->offset + distance;
        if (try_random_writers(word, ranks, origin))
            return true;
        if (stray->offset < distance)
            continue;
        origin->offset = stray->offset - distance;
        if (try_random_writers(word, ranks, origin))
            return true;
    }
    return false;
}

/* Random data of a distant place, or with another signature, cannot be told apart: the place
 * cannot be read back from them. */
static bool find_random_origin(const struct weir_ior_stray *stray, struct weir_ior_origin *origin)
{
    const unsigned char *bytes = stray->bytes;
    uint64_t words = stray->count / WORD_BYTES;

    if (words < 2 || !follow_one_another(bytes + WORD_BYTES, words - 1, word_at(bytes, 0)))
        return false;
    if (stray->piece == 0 && try_random_origins(stray, origin))
        origin->has_writer = origin->has_offset = true;
    else
        origin->is_foreign = stray->piece == 0;
    return true;
}

bool weir_ior_find_origin(const struct weir_ior_stray *stray, struct weir_ior_origin *origin)
{
    struct weir_ior_maker maker;

    *origin = (struct weir_ior_origin){
        .data = *stray->expected, .offset = stray->offset, .piece = stray->piece};
    if (stray->count < WORD_BYTES)
        return false;
    if (stray->expected->pattern == WEIR_IOR_RANDOM)
        return find_random_origin(stray, origin);
    if (stray->expected->pattern == WEIR_IOR_INCOMPRESSIBLE)
        read_constant(stray, origin);
    else
        read_count(stray, origin);
    if (has_offset_words(stray->expected->pattern)) {
        read_offset_word(stray, origin);
        if (!origin->has_offset)
            return false;
    }
    if (origin->has_writer && origin->data.writer >= stray->ranks)
        return false;
    weir_ior_start(&maker, &origin->data, origin->offset);
    maker.at = origin->piece * WEIR_IOR_PIECE_BYTES;
    return goes_on_with(&maker, stray->bytes, stray->count);
}
