/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of data has a relation between neighbouring words, which nearly all words of a stretch
 * must have. */
#include "weir/payload/recognise.h"

#include <string.h>

/* Fewer words prove nothing. */
#define WORDS_MIN 8
#define BARE_WORDS_MIN 2
/* More ranks, and more files, than any job has. */
#define RANKS_MAX (1u << 24)
/* The earliest plausible time stamp: IOR was first released in 2001. */
#define TIME_MIN 1000000000u
/* Of the generator of rand_r: bits of a state that show in no number, and what undoes a turn. */
#define STATE_BITS_HIDDEN 16
#define TURN_INCREMENT 12345u
#define TURN_INVERSE 0xeeb9eb65u
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

static bool is_all(const struct weir_stretch *stretch, uint64_t word)
{
    for (size_t i = 0; i < stretch->count; i++)
        if (stretch->words[i] != word)
            return false;
    return true;
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

/* ---- small transfers of Weir ---- */

static bool is_bare(struct weir_traces *traces, const struct weir_stretch *stretch, size_t data)
{
    size_t alike = 0;
    uint64_t key = 0;

    for (size_t i = 0; i < stretch->count; i++) {
        uint64_t found = weir_bare_word(stretch->words[i], stretch->offset + i * sizeof key);

        if (stretch->words[i] == 0)
            continue;
        if (alike == 0)
            key = found;
        alike += found == key;
    }
    if (alike < BARE_WORDS_MIN || alike < data - data / 8 || !may_be_rank(upper_half(key)))
        return false;
    traces->bare_key = key;
    traces->has_repeated = true;
    return true;
}

/* ---- words that count ---- */

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
    size_t counting = 0, repeated = 0;

    if (stretch->count < WORDS_MIN)
        return false;
    if (stretch->offset == 0) {
        traces->signature = find_signature(stretch);
        traces->pattern = find_pattern(stretch);
    }
    if (traces->signature == 0)
        return false;
    for (size_t i = 0; i < stretch->count; i++) {
        uint64_t offset = stretch->offset + i * sizeof *words;
        bool follows = i > 0 && counts_on(words[i - 1], words[i]);
        bool leads = i + 1 < stretch->count && counts_on(words[i], words[i + 1]);

        if (!(follows || leads) || !may_count(traces->signature, words[i], offset))
            continue;
        counting++;
        repeated += (uint64_t)((uint32_t)words[i] - traces->signature) * sizeof *words < offset;
    }
    traces->has_repeated |= repeated >= WORDS_MIN;
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
static bool is_constant(const struct weir_stretch *stretch, size_t data)
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
    split(&constant, 1, numbers);
    return is_most(alike, data) && alike + marks >= data - data / 16 &&
           (marks + 1) * 2 * WEIR_IOR_PIECE_WORDS > alike && numbers[0] != numbers[1] &&
           are_of_rand(numbers, 2);
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
static bool is_old_places(const struct weir_stretch *stretch, size_t data)
{
    const uint64_t *words = stretch->words;
    size_t right = 0;

    for (size_t i = 0; i < stretch->count; i++) {
        uint64_t offset = stretch->offset + i * sizeof *words;
        uint64_t place = words[i];

        if (place == 0)
            continue;
        if (offset / sizeof *words % 2 == 0)
            right += may_be_rank(upper_half(place)) && (uint32_t)place != 0 &&
                     (i + 2 >= stretch->count || (uint32_t)place == (uint32_t)words[i + 2]);
        else
            right += place == offset || (place < offset && place % 16 == 8 &&
                                         (i < 2 || place == 8 || place == words[i - 2] + 16));
    }
    return is_most(right, data);
}

/* ---- any ---- */

static enum weir_content proven_ior(struct weir_traces *traces, enum weir_ior_pattern pattern)
{
    traces->has_repeated = true;
    traces->pattern = pattern;
    return WEIR_CONTENT_IOR;
}

enum weir_content weir_recognise(struct weir_traces *traces, const struct weir_stretch *stretch)
{
    size_t data = count_data(stretch);

    if (data == 0)
        return WEIR_CONTENT_ZERO;
    if (is_all(stretch, UINT64_MAX))
        return WEIR_CONTENT_ONES;
    if (is_bare(traces, stretch, data))
        return WEIR_CONTENT_BARE;
    if (is_counting(traces, stretch, data))
        return WEIR_CONTENT_IOR;
    if (is_random(stretch, data))
        return proven_ior(traces, WEIR_IOR_RANDOM);
    if (is_constant(stretch, data))
        return proven_ior(traces, WEIR_IOR_INCOMPRESSIBLE);
    traces->has_repeated = true;
    return is_old_places(stretch, data) || is_old_random(stretch, data) ? WEIR_CONTENT_OLD_IOR
                                                                        : WEIR_CONTENT_FOREIGN;
}

/* A recorded time in seconds is not later than the file's modification. */
bool weir_traces_suffice(const struct weir_traces *traces, uint64_t file_bytes, int64_t modified_s)
{
    int64_t end_s = (int64_t)traces->signature + (int64_t)(file_bytes / sizeof(uint64_t));
    bool is_time = traces->signature >= TIME_MIN && modified_s >= (int64_t)traces->signature &&
                   modified_s < end_s;

    return traces->has_repeated || (is_time && file_bytes % WEIR_IOR_PIECE_BYTES == 0);
}
