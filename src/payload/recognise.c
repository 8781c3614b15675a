/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of data has a relation between neighbouring words, which nearly all words of a stretch
 * must have; in transfers of a few words each transfer is compared with the first one. Data are a
 * benchmark's only with 64 bits that follow from a hash or a generator, or by a signature that is a
 * time of the file: numbers that count, constants and bytes that repeat may be any program's. */
#include "weir/payload/recognise.h"

#include <stdlib.h>
#include <string.h>

/* Fewer words prove nothing. */
#define WORDS_MIN 8
/* Transfers up to this size are compared one by one: longer ones are runs of words, which cover
 * most of their bytes wherever they begin. */
#define SMALL_MAX 128
#define WORD_BYTES sizeof(uint64_t)
/* Fewer than three quarters of this many right: the size is dismissed. */
#define TRANSFERS_TRIED 16
/* A page of IOzone, and the shortest record that has its own mark. */
#define IOZONE_PAGE_WORDS 512
#define IOZONE_RECORD_WORDS 128
/* Parabench writes zeros of text; a shorter row of them may be a line. */
#define UNIFORM_MIN 4096
/* Data with fewer bits that follow from a hash or a generator may be any program's. */
#define EVIDENCE_BITS 64
/* Bits of a number of rand_r that a word of the random pattern begins with: 64 less 31 of the seed
 * and three that the shift has dropped. */
#define RANDOM_START_BITS 30
/* A rest of IOR's transfer that is no chance. */
#define TAIL_MIN 4
/* Clocks of clients and servers differ by less. */
#define CLOCK_SKEW_S 60
/* A repetition of IOR, whose start is the signature, ends within a day. */
#define REPETITION_S (24 * 60 * 60)
/* A run of ones below 64 bytes may be a number. */
#define ONES_MIN 8
/* More ranks, and more files, than any job has. */
#define RANKS_MAX (1u << 24)
/* Of the generator of rand_r: bits of a state that show in no number, and what undoes a turn. */
#define STATE_BITS_HIDDEN 16
#define TURN_INCREMENT 12345u
#define TURN_INVERSE 0xeeb9eb65u
/* Undoes the factor of the random pattern. */
#define RANDOM_INVERSE UINT64_C(0x6208001000040001)
/* Numbers that have to follow each other. */
#define NUMBERS_CHECKED 8

static uint32_t upper_half(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static bool may_be_rank(uint32_t number)
{
    return number < RANKS_MAX;
}

/* Of `all` words that are not zero, at least seven in eight. */
static bool is_most(size_t some, size_t all)
{
    return all >= WORDS_MIN && some >= all - all / 8;
}

static size_t count_data(const struct weir_stretch *stretch)
{
    size_t count = 0;

    for (size_t i = 0; i < stretch->count; i++)
        count += stretch->words[i] != 0;
    return count;
}

static bool has_ones(const struct weir_stretch *stretch)
{
    size_t length = 0;

    for (size_t i = 0; i < stretch->count && length < ONES_MIN; i++)
        length = stretch->words[i] == UINT64_MAX ? length + 1 : 0;
    return length == ONES_MIN;
}

/* The majority value, found in one pass (Boyer and Moore, 1981). */
struct ballot {
    uint64_t leader;
    size_t lead;
};

static void vote(struct ballot *ballot, uint64_t value)
{
    if (ballot->lead > 0 && value != ballot->leader) {
        ballot->lead--;
        return;
    }
    ballot->leader = value;
    ballot->lead++;
}

/* ---- words that count ---- */

bool weir_traces_has_time(const struct weir_traces *traces, uint32_t seed)
{
    int64_t age_s = traces->modified_s - (int64_t)seed;

    return age_s >= -CLOCK_SKEW_S && age_s <= REPETITION_S && (int32_t)seed > REPETITION_S;
}

/* Small numbers that count are those of any program, and so are all others unless the first one is
 * a time. */
static bool may_be_signature(const struct weir_traces *traces, uint32_t signature)
{
    if (signature <= 1)
        return false;
    return traces->has_any_signature || signature == traces->own_signature ||
           weir_traces_has_time(traces, signature);
}

/* Seconds that are over may be a record of times: the last one tells. */
static void note_count(struct weir_traces *traces, uint64_t word)
{
    if ((uint32_t)word > traces->last_count)
        traces->last_count = (uint32_t)word;
}

/* A negative signature has all upper bits set, up to where its sums become positive. */
static bool counts_on(uint64_t word, uint64_t next)
{
    bool is_carried = (uint32_t)next == 0 && upper_half(word) == UINT32_MAX;

    return (uint32_t)next == (uint32_t)word + 1 &&
           (is_carried || upper_half(next) == upper_half(word));
}

/* Most of the words behind the first one agree on it. */
static uint32_t find_signature(const struct weir_stretch *stretch)
{
    struct ballot ballot = {0};

    for (uint32_t i = 1; i < WORDS_MIN; i++)
        vote(&ballot, (uint32_t)stretch->words[i] - i);
    return (uint32_t)ballot.leader;
}

/* No transfer is longer than the file up to its end, so no word counts further. */
static bool may_count(uint32_t signature, uint64_t word, uint64_t offset)
{
    uint32_t upper = upper_half(word);

    return (may_be_rank(upper) || upper == UINT32_MAX) &&
           (uint64_t)((uint32_t)word - signature) * sizeof word <= offset;
}

/* In the first piece of a file: an offset instead of the signature. */
static enum weir_ior_pattern find_pattern(const struct weir_stretch *stretch)
{
    return (uint32_t)stretch->words[0] == 0 ? WEIR_IOR_OFFSET : WEIR_IOR_TIMESTAMP;
}

static bool is_counting(struct weir_traces *traces, const struct weir_stretch *stretch, size_t data)
{
    const uint64_t *words = stretch->words;
    size_t counting = 0, began = stretch->count;

    if (stretch->count < WORDS_MIN)
        return false;
    if (stretch->offset == 0) {
        traces->signature = find_signature(stretch);
        traces->pattern = find_pattern(stretch);
    }
    if (!may_be_signature(traces, traces->signature))
        return false;
    for (size_t i = 0; i < stretch->count; i++) {
        uint64_t offset = stretch->offset + i * sizeof *words;
        bool follows = i > 0 && counts_on(words[i - 1], words[i]);
        bool leads = i + 1 < stretch->count && counts_on(words[i], words[i + 1]);

        if (!(follows || leads) || !may_count(traces->signature, words[i], offset))
            continue;
        counting++;
        note_count(traces, words[i]);
        /* The first word of a transfer, or the one after its offset. */
        if (follows || (uint32_t)words[i] - traces->signature > 1)
            continue;
        if (began < i && i - began < WORDS_MIN)
            return false;
        began = i;
        traces->has_repeated |= offset > sizeof *words;
    }
    /* In the smallest transfers every eighth word is an offset. */
    return data >= WORDS_MIN && counting >= data - data / 7;
}

bool weir_recognise_signature(const struct weir_stretch *stretch, uint64_t transfer_bytes,
                              bool has_offset_words, int32_t *signature)
{
    const size_t transfer_words = transfer_bytes / sizeof *stretch->words;
    size_t first = (size_t)(stretch->offset % transfer_bytes) / sizeof *stretch->words;
    size_t agreeing = 0, voters = 0;
    struct ballot ballot = {0};

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < stretch->count; i++) {
            size_t at = (first + i) % transfer_words;
            uint32_t value = (uint32_t)stretch->words[i] - (uint32_t)at;

            if (stretch->words[i] == 0 || (has_offset_words && at % WEIR_IOR_PIECE_WORDS == 0))
                continue;
            if (round == 0)
                vote(&ballot, value);
            voters += round;
            agreeing += round == 1 && value == ballot.leader;
        }
    if (voters < WORDS_MIN || agreeing * 2 < voters || ballot.leader == 0)
        return false;
    *signature = (int32_t)ballot.leader;
    return true;
}

/* ---- what follows from rand_r and other generators ---- */

/* True if a word is the first one of a transfer: the state before it is a number of rand_r, of 31
 * bits, of which the shift has dropped three of the product. */
static bool is_random_start(uint64_t word)
{
    for (uint64_t dropped = 0; dropped < 8; dropped++)
        if (((word << 3 | dropped) * RANDOM_INVERSE) >> 31 == 0)
            return word != 0 && word >> 61 == 0;
    return false;
}

static bool is_random(const struct weir_stretch *stretch, size_t data)
{
    size_t following = 0;

    for (size_t i = 1; i < stretch->count; i++)
        following += stretch->words[i] != 0 &&
                     (stretch->words[i] == weir_ior_next_random(stretch->words[i - 1]) ||
                      (i + 1 < stretch->count &&
                       stretch->words[i + 1] == weir_ior_next_random(stretch->words[i])));
    return data >= WORDS_MIN && following + 1 >= data - data / 8;
}

/* True if the numbers follow each other in the sequence of rand_r. The highest bits of its state
 * show in none of them either, and do not matter. */
static bool are_of_rand(const uint32_t *numbers, size_t count)
{
    for (uint32_t hidden = 0; hidden < 1u << STATE_BITS_HIDDEN; hidden++) {
        uint32_t state = (numbers[0] >> 20) << STATE_BITS_HIDDEN | hidden;
        size_t right = 0;

        state = (state - TURN_INCREMENT) * TURN_INVERSE;
        while (right < count && weir_ior_next_number(&state) == numbers[right])
            right++;
        if (right == count)
            return true;
    }
    return false;
}

static void split(const uint64_t *words, size_t count, uint32_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        numbers[2 * i] = upper_half(words[i]);
        numbers[2 * i + 1] = (uint32_t)words[i];
    }
}

static uint64_t most_frequent(const struct weir_stretch *stretch)
{
    struct ballot ballot = {0};

    for (size_t i = 0; i < stretch->count; i++)
        if (stretch->words[i] != 0)
            vote(&ballot, stretch->words[i]);
    return ballot.leader;
}

/* One word over and over, but for one in each piece of a transfer, which marks its offset. */
static bool is_constant(struct weir_traces *traces, const struct weir_stretch *stretch, size_t data)
{
    const uint64_t constant = most_frequent(stretch);
    const uint64_t *words = stretch->words;
    size_t alike = 0, marks = 0;
    uint32_t numbers[2];

    for (size_t i = 0; i < stretch->count; i++) {
        bool is_alone = (i == 0 || words[i - 1] == constant) &&
                        (i + 1 == stretch->count || words[i + 1] == constant);

        alike += words[i] == constant;
        marks += words[i] != constant && is_alone && may_be_rank(upper_half(words[i]));
    }
    /* All samples have one constant, and the file begins with an offset, or the number of an item.
     */
    if ((traces->constant != 0 && traces->constant != constant) ||
        (stretch->offset == 0 && (words[0] == constant || !may_be_rank(upper_half(words[0])))))
        return false;
    split(&constant, 1, numbers);
    if (!is_most(alike, data) || alike + marks < data - data / 16 ||
        (marks + 1) * 2 * WEIR_IOR_PIECE_WORDS <= alike || numbers[0] == numbers[1] ||
        !are_of_rand(numbers, 2))
        return false;
    traces->constant = constant;
    return true;
}

static bool is_old_random(const struct weir_stretch *stretch, size_t data)
{
    size_t places = 4, right = 0;
    uint32_t numbers[NUMBERS_CHECKED];
    size_t words = NUMBERS_CHECKED / 2;

    if (data < WORDS_MIN || stretch->count < 2 * words)
        return false;
    for (size_t place = 0; place < places; place++) {
        split(stretch->words + 1 + (stretch->count - words - 1) * place / places, words, numbers);
        right += numbers[0] != 0 && are_of_rand(numbers, NUMBERS_CHECKED);
    }
    return right * 2 >= places;
}

/* Every other word is the rank and the signature; those between them are places, in the transfer or
 * in the file. */
static bool is_old_places(struct weir_traces *traces, const struct weir_stretch *stretch,
                          size_t data)
{
    const uint64_t *words = stretch->words;
    uint32_t signature = traces->signature;
    size_t right = 0;

    for (size_t i = 0; i < stretch->count; i++) {
        uint64_t offset = stretch->offset + i * sizeof *words;
        uint64_t place = words[i];

        if (place == 0)
            continue;
        if (offset / sizeof *words % 2 == 0) {
            if (signature == 0)
                signature = (uint32_t)place;
            right += may_be_rank(upper_half(place)) && (uint32_t)place == signature;
        } else {
            right += place == offset || (place < offset && place % 16 == 8 &&
                                         (i < 2 || place == 8 || place == words[i - 2] + 16));
        }
    }
    if (!is_most(right, data) || !may_be_signature(traces, signature))
        return false;
    traces->signature = signature;
    return true;
}

/* ---- small transfers ---- */

/* Transfers of one size that follow one another from the start of the file. */
struct small {
    const unsigned char *bytes; /* of the first one that is whole */
    size_t count;
    uint64_t offset;
    size_t transfer;
    uint64_t first_word; /* of the first one that holds data; ... */
    uint64_t second_word;
    uint64_t first_offset;
    size_t with_data; /* such transfers, counted up to TRANSFERS_TRIED */
    bool are_unlike;  /* none of these begins like the one before */
};

/* The first `bytes` of a word, at most 8, and zeros. */
static uint64_t word_at(const unsigned char *at, size_t bytes)
{
    uint64_t word = 0;

    memcpy(&word, at, bytes < sizeof word ? bytes : sizeof word);
    return word;
}

static uint64_t mask_of(size_t bytes)
{
    return bytes >= WORD_BYTES ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

/* Words of Weir: all of one key. */
static bool is_small_bare(const struct small *small, const unsigned char *data, uint64_t offset)
{
    uint64_t key = weir_bare_word(small->first_word, small->first_offset);

    return weir_bare_matches(data, small->transfer, key, offset);
}

/* Bytes after the last word of IOR's transfers hold their number. */
static bool has_ior_tail(const struct small *small, const unsigned char *data)
{
    for (size_t at = small->transfer / WORD_BYTES * WORD_BYTES; at < small->transfer; at++)
        if (data[at] != (unsigned char)at)
            return false;
    return true;
}

static bool is_small_random(const struct small *small, const unsigned char *data, uint64_t offset)
{
    uint64_t word = word_at(data, WORD_BYTES);

    (void)offset;
    if (!is_random_start(word))
        return false;
    for (size_t at = WORD_BYTES; at + WORD_BYTES <= small->transfer; at += WORD_BYTES) {
        word = weir_ior_next_random(word);
        if (word_at(data + at, WORD_BYTES) != word)
            return false;
    }
    return has_ior_tail(small, data);
}

static bool is_small_count(const struct small *small, const unsigned char *data, uint64_t offset)
{
    (void)offset;
    for (size_t at = 0; at + WORD_BYTES <= small->transfer; at += WORD_BYTES) {
        uint64_t word = word_at(data + at, WORD_BYTES);

        if ((uint32_t)word != (uint32_t)(small->first_word + at / WORD_BYTES) ||
            (!may_be_rank(upper_half(word)) && upper_half(word) != UINT32_MAX))
            return false;
    }
    return has_ior_tail(small, data);
}

/* The first word is the offset, the others count or are constant. An item of mdtest, alone in its
 * file, has its number in place of the offset. */
static bool is_small_offset(const struct small *small, const unsigned char *data, uint64_t offset,
                            bool is_constant)
{
    uint64_t word = word_at(data, WORD_BYTES);

    if (!may_be_rank(upper_half(word)) ||
        ((uint32_t)word != (uint32_t)offset && small->count != small->transfer))
        return false;
    for (size_t at = WORD_BYTES; at + WORD_BYTES <= small->transfer; at += WORD_BYTES) {
        uint64_t next = word_at(data + at, WORD_BYTES);
        uint32_t counted = (uint32_t)(small->second_word + at / WORD_BYTES - 1);

        if (is_constant ? next != small->second_word : (uint32_t)next != counted)
            return false;
        if (!is_constant && !may_be_rank(upper_half(next)) && upper_half(next) != UINT32_MAX)
            return false;
    }
    return has_ior_tail(small, data);
}

static bool is_small_counting(const struct small *small, const unsigned char *data, uint64_t offset)
{
    return is_small_offset(small, data, offset, false);
}

static bool is_small_constant(const struct small *small, const unsigned char *data, uint64_t offset)
{
    return is_small_offset(small, data, offset, true);
}

/* Counts the transfers that are right; 0: not nearly all of those that hold data are. */
static size_t count_right(const struct small *small,
                          bool (*is_right)(const struct small *, const unsigned char *, uint64_t))
{
    size_t right = 0, seen = 0;

    for (size_t at = 0; at + small->transfer <= small->count; at += small->transfer) {
        const unsigned char *data = small->bytes + at;

        if (word_at(data, small->transfer) == 0 && weir_bytes_are(data, small->transfer, 0))
            continue;
        seen++;
        right += is_right(small, data, small->offset + at);
        if (seen == TRANSFERS_TRIED && right < seen - seen / 4)
            return 0;
    }
    return right >= seen - seen / 8 ? right : 0;
}

/* The bits that follow from the key in so many transfers, without those that tell the key: file
 * number and seed, and below 8 bytes no seed. */
static size_t bare_bits(const struct small *small, size_t right, uint64_t key)
{
    size_t bits = 8 * right * small->transfer;
    size_t of_key = 8 * (small->transfer < WORD_BYTES ? small->transfer : WORD_BYTES);

    if (small->transfer < WORD_BYTES && (key & mask_of(small->transfer) & UINT32_MAX) == 0)
        of_key = of_key > 32 ? of_key - 32 : 0;
    return bits > of_key ? bits - of_key : 0;
}

/* What transfers of this size hold. Those below 64 bytes that count or tell an offset are tables of
 * any program. */
static enum weir_content recognise_size(struct weir_traces *traces, const struct small *small)
{
    const size_t words = small->transfer / WORD_BYTES;
    const size_t tail = small->transfer % WORD_BYTES;
    const bool is_alone = small->with_data == 1;
    uint64_t key = weir_bare_word(small->first_word, small->first_offset);
    uint32_t numbers[2], signature;
    bool has_offset;
    size_t right;

    if (is_alone && small->transfer != small->count)
        return WEIR_CONTENT_FOREIGN;
    if (small->transfer < WEIR_PIECE_REST_BYTES &&
        bare_bits(small, count_right(small, is_small_bare), key) >= EVIDENCE_BITS) {
        traces->bare_key = key & mask_of(small->transfer);
        traces->has_repeated = true;
        return WEIR_CONTENT_BARE;
    }
    if (words == 0)
        return WEIR_CONTENT_FOREIGN;
    right = count_right(small, is_small_random);
    if (right * RANDOM_START_BITS + (right > 0 ? 61 * (words - 1) : 0) >= EVIDENCE_BITS &&
        (words > 1 || small->are_unlike)) {
        traces->has_repeated = true;
        traces->pattern = WEIR_IOR_RANDOM;
        return WEIR_CONTENT_IOR;
    }
    split(&small->second_word, 1, numbers);
    if (words > 1 && small->with_data >= (small->transfer < WEIR_PIECE_REST_BYTES ? 3 : 1) &&
        numbers[0] != numbers[1] &&
        (traces->constant == 0 || traces->constant == small->second_word) &&
        count_right(small, is_small_constant) > 0 && are_of_rand(numbers, 2)) {
        traces->has_repeated = true;
        traces->constant = small->second_word;
        traces->pattern = WEIR_IOR_INCOMPRESSIBLE;
        return WEIR_CONTENT_IOR;
    }
    if (words < (traces->has_any_signature ? 2 : WORDS_MIN))
        return WEIR_CONTENT_FOREIGN;
    has_offset = count_right(small, is_small_count) == 0;
    signature = (uint32_t)(has_offset ? small->second_word - 1 : small->first_word);
    if (!may_be_signature(traces, signature) ||
        (small->offset > 0 && traces->signature != 0 && traces->signature != signature) ||
        (has_offset && count_right(small, is_small_counting) == 0))
        return WEIR_CONTENT_FOREIGN;
    traces->pattern = has_offset ? WEIR_IOR_OFFSET : WEIR_IOR_TIMESTAMP;
    traces->signature = signature;
    traces->has_repeated |= !is_alone || tail >= TAIL_MIN;
    note_count(traces, signature + words - 1);
    return WEIR_CONTENT_IOR;
}

static enum weir_content recognise_small(struct weir_traces *traces,
                                         const struct weir_stretch *stretch)
{
    const unsigned char *bytes = (const unsigned char *)stretch->words;
    const size_t count = stretch->count * WORD_BYTES + stretch->rest;

    for (size_t transfer = 1; transfer <= SMALL_MAX && transfer <= count; transfer++) {
        size_t skipped = (transfer - stretch->offset % transfer) % transfer;
        struct small small = {.bytes = bytes + skipped, .transfer = transfer, .are_unlike = true};
        enum weir_content content;
        uint64_t last_word = 0;

        if (skipped >= count)
            continue;
        small.count = count - skipped;
        small.offset = stretch->offset + skipped;
        for (size_t at = 0; at + transfer <= small.count && small.with_data < TRANSFERS_TRIED;
             at += transfer) {
            if (weir_bytes_are(small.bytes + at, transfer, 0))
                continue;
            small.are_unlike &= word_at(small.bytes + at, transfer) != last_word;
            last_word = word_at(small.bytes + at, transfer);
            if (small.with_data++ > 0)
                continue;
            small.first_word = word_at(small.bytes + at, transfer);
            small.first_offset = small.offset + at;
            if (transfer >= 2 * WORD_BYTES)
                small.second_word = word_at(small.bytes + at + WORD_BYTES, WORD_BYTES);
        }
        content = small.with_data > 0 ? recognise_size(traces, &small) : WEIR_CONTENT_FOREIGN;
        if (content != WEIR_CONTENT_FOREIGN)
            return content;
    }
    return WEIR_CONTENT_FOREIGN;
}

/* ---- transfers of odd sizes ---- */

/* Words from `at` on that follow one another as in a transfer of IOR; `*pattern` says how. */
static size_t run_length(const unsigned char *at, size_t left, enum weir_ior_pattern *pattern)
{
    uint64_t word, next;
    size_t length = 1;

    if (left < 2 * WORD_BYTES)
        return 0;
    word = word_at(at, WORD_BYTES);
    next = word_at(at + WORD_BYTES, WORD_BYTES);
    if (word == 0 || (!counts_on(word, next) && next != word && next != weir_ior_next_random(word)))
        return 0;
    *pattern = counts_on(word, next) ? WEIR_IOR_TIMESTAMP
               : next == word        ? WEIR_IOR_INCOMPRESSIBLE
                                     : WEIR_IOR_RANDOM;
    for (; (length + 1) * WORD_BYTES <= left; length++, word = next) {
        next = word_at(at + length * WORD_BYTES, WORD_BYTES);
        if (*pattern == WEIR_IOR_TIMESTAMP        ? !counts_on(word, next)
            : *pattern == WEIR_IOR_INCOMPRESSIBLE ? next != word
                                                  : next != weir_ior_next_random(word))
            break;
    }
    return length;
}

/* Runs of words at any byte. Those that count do not count further than their place allows. */
static bool is_in_runs(struct weir_traces *traces, const struct weir_stretch *stretch)
{
    const unsigned char *bytes = (const unsigned char *)stretch->words;
    const size_t count = stretch->count * WORD_BYTES + stretch->rest;
    size_t covered = 0, empty = 0, right = 0;
    uint64_t constant = 0;
    uint32_t numbers[2];

    for (size_t at = 0; at + WORD_BYTES <= count; at += right > 0 ? right : 1) {
        uint64_t word = word_at(bytes + at, WORD_BYTES);
        enum weir_ior_pattern pattern = WEIR_IOR_TIMESTAMP;
        size_t length = run_length(bytes + at, count - at, &pattern);

        right = word == 0 ? WORD_BYTES : 0;
        empty += right;
        if (length < WORDS_MIN)
            continue;
        if (pattern == WEIR_IOR_INCOMPRESSIBLE && length > WEIR_IOR_PIECE_WORDS)
            return false;
        if (pattern == WEIR_IOR_INCOMPRESSIBLE && word != constant) {
            split(&word, 1, numbers);
            if (constant != 0 || numbers[0] == numbers[1] || !are_of_rand(numbers, 2) ||
                (traces->constant != 0 && traces->constant != word))
                return false;
            constant = traces->constant = word;
        }
        /* An archive has a header before the files in it. */
        if (stretch->offset == 0 && covered == 0 && at > empty && at > WORD_BYTES)
            return false;
        if (pattern == WEIR_IOR_TIMESTAMP && stretch->offset == 0 && covered == 0)
            traces->signature = (uint32_t)word - (at == WORD_BYTES ? 1 : 0);
        if (pattern == WEIR_IOR_TIMESTAMP &&
            (!may_be_signature(traces, traces->signature) ||
             !may_count(traces->signature, word, stretch->offset + at)))
            return false;
        if (pattern == WEIR_IOR_TIMESTAMP)
            note_count(traces, word + length - 1);
        traces->has_repeated |= pattern != WEIR_IOR_TIMESTAMP ||
                                (covered > 0 && (uint32_t)word - traces->signature <= 1);
        traces->pattern = pattern;
        right = length * WORD_BYTES;
        covered += right;
    }
    return covered >= WEIR_SECTOR_BYTES && covered >= (count - empty) - (count - empty) / 8;
}

/* ---- IOzone ---- */

static bool is_uniform(uint64_t word)
{
    return word == (word & 0xff) * UINT64_C(0x0101010101010101);
}

static bool is_iozone(struct weir_traces *traces, const struct weir_stretch *stretch)
{
    unsigned char byte;
    size_t marks = 0;
    uint64_t mark = 0;

    if (stretch->offset % (IOZONE_RECORD_WORDS * WORD_BYTES) != 0 || stretch->rest > 0 ||
        stretch->count % IOZONE_RECORD_WORDS != 0)
        return false;
    for (size_t i = 0; i < stretch->count; i++) {
        if (stretch->words[i] == 0)
            continue;
        if (marks++ == 0)
            mark = stretch->words[i];
        if (i % IOZONE_RECORD_WORDS != 0 || stretch->words[i] != mark || !is_uniform(mark))
            return false;
    }
    /* Classes and masks of a raster; a single mark may be a row of letters, too. */
    byte = (unsigned char)mark;
    if (byte < 0x10 || byte == 0xff || (marks == 1 && byte >= ' ' && byte <= '~'))
        return false;
    if (marks * IOZONE_PAGE_WORDS < stretch->count ||
        (traces->byte != 0 && traces->byte != (unsigned char)mark))
        return false;
    traces->byte = (unsigned char)mark;
    traces->has_repeated = true;
    return true;
}

/* ---- any ---- */

static enum weir_content proven_ior(struct weir_traces *traces, enum weir_ior_pattern pattern)
{
    traces->has_repeated = true;
    traces->pattern = pattern;
    return WEIR_CONTENT_IOR;
}

static enum weir_content recognise(struct weir_traces *traces, const struct weir_stretch *stretch)
{
    const struct weir_traces before = *traces;
    size_t data = count_data(stretch);
    enum weir_content content;

    content = recognise_small(traces, stretch);
    if (content != WEIR_CONTENT_FOREIGN)
        return content;
    if (is_counting(traces, stretch, data))
        return WEIR_CONTENT_IOR;
    *traces = before;
    if (is_random(stretch, data))
        return proven_ior(traces, WEIR_IOR_RANDOM);
    if (is_constant(traces, stretch, data))
        return proven_ior(traces, WEIR_IOR_INCOMPRESSIBLE);
    if (is_iozone(traces, stretch))
        return WEIR_CONTENT_IOZONE;
    if (is_in_runs(traces, stretch))
        return WEIR_CONTENT_IOR;
    *traces = before;
    if (!is_old_places(traces, stretch, data) && !is_old_random(stretch, data))
        return WEIR_CONTENT_FOREIGN;
    traces->has_repeated = true;
    return WEIR_CONTENT_OLD_IOR;
}

/* Written by Parabench; by IOzone with -+Z, with which -V is used as well; and with -+X. */
static const unsigned char uniform_bytes[] = {'0', 0xa5, 0xbb};

enum weir_content weir_recognise(struct weir_traces *traces, const struct weir_stretch *stretch)
{
    const unsigned char *bytes = (const unsigned char *)stretch->words;
    const size_t count = stretch->count * WORD_BYTES + stretch->rest;
    struct weir_stretch cleared = *stretch;
    enum weir_content content;
    uint64_t *words;

    if (count == 0 || weir_bytes_are(bytes, count, 0))
        return WEIR_CONTENT_ZERO;
    if (weir_bytes_are(bytes, count, 0xff))
        return WEIR_CONTENT_ONES;
    if (weir_bytes_are(bytes, count, bytes[0]) &&
        memchr(uniform_bytes, bytes[0], sizeof uniform_bytes) &&
        (stretch->offset > 0 ? traces->byte == bytes[0] : count >= UNIFORM_MIN)) {
        traces->byte = bytes[0];
        return WEIR_CONTENT_UNIFORM;
    }
    content = recognise(traces, stretch);
    if (content != WEIR_CONTENT_FOREIGN || !has_ones(stretch))
        return content;

    /* Ones that are not written over yet are as good as holes. */
    words = malloc(count);
    if (words == NULL)
        return WEIR_CONTENT_FOREIGN;
    memcpy(words, stretch->words, count);
    for (size_t i = 0; i < stretch->count; i++)
        if (words[i] == UINT64_MAX)
            words[i] = 0;
    cleared.words = words;
    content = recognise(traces, &cleared);
    free(words);
    return content == WEIR_CONTENT_IOR ? content : WEIR_CONTENT_FOREIGN;
}

bool weir_traces_suffice(const struct weir_traces *traces)
{
    return traces->has_repeated ||
           (traces->signature != 0 && traces->signature == traces->own_signature) ||
           (int64_t)traces->last_count > traces->modified_s + CLOCK_SKEW_S;
}
