/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps of messages. */
#include "stamps.h"

#include <assert.h>
#include <string.h>

enum { WORD = 8, PAGE = 4096 };

/* The step of splitmix64 (Steele, Lea, Flood 2014): every bit of the number reaches every bit of
 * the mark. */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static uint64_t mark_of(uint64_t seed, uint64_t number, size_t at)
{
    return mix(mix(seed ^ mix(number)) + at);
}

/* The place of the next mark: the beginning of each page but the first, and the last word. */
static size_t next_place(size_t at, size_t bytes)
{
    size_t next = at / PAGE * PAGE + PAGE;

    if (at + WORD >= bytes)
        return bytes;
    return next + WORD <= bytes ? next : bytes - WORD;
}

void net_stamp_put(unsigned char *message, size_t bytes, uint64_t seed, uint64_t number)
{
    uint64_t hidden = number ^ mix(seed);

    assert(bytes >= NET_STAMP_BYTES);
    for (size_t at = next_place(0, bytes); at < bytes; at = next_place(at, bytes)) {
        uint64_t mark = mark_of(seed, number, at);

        memcpy(message + at, &mark, sizeof mark);
    }
    /* Last: in messages of less than two words it lies over the mark of the end. */
    memcpy(message, &hidden, sizeof hidden);
}

bool net_stamp_get(const unsigned char *message, size_t bytes, uint64_t seed, uint64_t *number)
{
    uint64_t hidden, found, expected;

    assert(bytes >= NET_STAMP_BYTES);
    memcpy(&hidden, message, sizeof hidden);
    *number = hidden ^ mix(seed);
    for (size_t at = next_place(0, bytes); at < bytes; at = next_place(at, bytes)) {
        size_t overlap = at < WORD ? WORD - at : 0;

        expected = mark_of(seed, *number, at);
        memcpy(&found, message + at, sizeof found);
        if (memcmp((const char *)&found + overlap, (const char *)&expected + overlap,
                   WORD - overlap) != 0)
            return false;
    }
    return true;
}

void net_stamp_spoil(unsigned char *message, size_t bytes)
{
    uint64_t word;

    memcpy(&word, message, sizeof word);
    word = mix(word ^ UINT64_C(0xa5a5a5a5a5a5a5a5));
    memcpy(message, &word, sizeof word);
    if (bytes >= 2 * WORD)
        memcpy(message + bytes - WORD, &word, sizeof word);
}
