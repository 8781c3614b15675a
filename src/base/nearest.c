/* SPDX-License-Identifier: Apache-2.0 */
/* Mistyped words: which word of a list is meant. */
#include "weir/base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#define WORD_BYTES 64
#define PREFIX_BYTES 3

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool is_alike(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* UINT_MAX for words too long to be one of ours. */
static unsigned edit_distance(const char *typed, size_t typed_length, const char *word)
{
    unsigned costs[3][WORD_BYTES]; /* of the row before the last, the last, and this one */
    unsigned *before = costs[0], *last = costs[1], *now = costs[2], *spare;
    size_t length = strlen(word);

    if (length >= WORD_BYTES || typed_length >= WORD_BYTES)
        return UINT_MAX;
    for (size_t j = 0; j <= length; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= typed_length; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= length; j++) {
            unsigned change = is_alike(typed[i - 1], word[j - 1]) ? 0 : 1;

            now[j] = least_of(least_of(last[j], now[j - 1]) + 1, last[j - 1] + change);
            if (i > 1 && j > 1 && is_alike(typed[i - 1], word[j - 2]) &&
                is_alike(typed[i - 2], word[j - 1]))
                now[j] = least_of(now[j], before[j - 2] + 1);
        }
        spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[length];
}

static unsigned edits_allowed(size_t length)
{
    if (length < PREFIX_BYTES)
        return 0;
    return length < 6 ? 1 : length < 9 ? 2 : 3;
}

static bool begins(const char *word, const char *start, size_t length)
{
    return length >= PREFIX_BYTES && strncasecmp(word, start, length) == 0;
}

/* Both begin as typed: the shorter one is meant if the longer one goes on from it. */
static void choose_begun(struct weir_nearest *nearest, const char *word)
{
    size_t old_length = strlen(nearest->word), new_length = strlen(word);
    const char *shorter = new_length < old_length ? word : nearest->word;
    const char *longer = new_length < old_length ? nearest->word : word;

    if (!begins(longer, shorter, strlen(shorter)))
        nearest->is_ambiguous = true;
    nearest->word = shorter;
}

void weir_nearest_offer(struct weir_nearest *nearest, const char *word)
{
    bool is_begun = begins(word, nearest->typed, nearest->length);
    unsigned cost = is_begun ? 1 : edit_distance(nearest->typed, nearest->length, word);

    if (cost > edits_allowed(nearest->length))
        return;
    if (!nearest->word || cost < nearest->cost) {
        nearest->word = word;
        nearest->cost = cost;
    } else if (is_begun && begins(nearest->word, nearest->typed, nearest->length)) {
        choose_begun(nearest, word);
    }
}

const char *weir_nearest_word(const struct weir_nearest *nearest)
{
    return nearest->is_ambiguous ? NULL : nearest->word;
}
