/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of processors as bits. */
#include "weir/base/cpu_set.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (sizeof(struct weir_cpu_set) / sizeof(uint64_t))

void weir_cpu_set_add(struct weir_cpu_set *set, unsigned cpu)
{
    if (cpu < WEIR_CPUS_MAX)
        set->words[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

bool weir_cpu_set_has(const struct weir_cpu_set *set, unsigned cpu)
{
    return cpu < WEIR_CPUS_MAX && (set->words[cpu / 64] >> cpu % 64 & 1) != 0;
}

unsigned weir_cpu_set_count(const struct weir_cpu_set *set)
{
    unsigned count = 0;

    for (size_t i = 0; i < WORDS; i++)
        count += (unsigned)__builtin_popcountll(set->words[i]);
    return count;
}

unsigned weir_cpu_set_next(const struct weir_cpu_set *set, unsigned from)
{
    for (size_t i = from / 64; i < WORDS; i++) {
        uint64_t word = set->words[i];

        if (i == from / 64)
            word &= ~UINT64_C(0) << from % 64;
        if (word != 0)
            return (unsigned)i * 64 + (unsigned)__builtin_ctzll(word);
    }
    return WEIR_CPUS_MAX;
}

bool weir_cpu_set_is_empty(const struct weir_cpu_set *set)
{
    return weir_cpu_set_count(set) == 0;
}

bool weir_cpu_set_equals(const struct weir_cpu_set *a, const struct weir_cpu_set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool weir_cpu_set_is_within(const struct weir_cpu_set *part, const struct weir_cpu_set *whole)
{
    struct weir_cpu_set common = weir_cpu_set_and(part, whole);

    return weir_cpu_set_equals(&common, part);
}

struct weir_cpu_set weir_cpu_set_or(const struct weir_cpu_set *a, const struct weir_cpu_set *b)
{
    struct weir_cpu_set either = {0};

    for (size_t i = 0; i < WORDS; i++)
        either.words[i] = a->words[i] | b->words[i];
    return either;
}

struct weir_cpu_set weir_cpu_set_and(const struct weir_cpu_set *a, const struct weir_cpu_set *b)
{
    struct weir_cpu_set both = {0};

    for (size_t i = 0; i < WORDS; i++)
        both.words[i] = a->words[i] & b->words[i];
    return both;
}

/* ---- text ---- */

/* Digits at `*text`, which then stands behind them. */
static int read_number(const char **text, unsigned long *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return -EINVAL;
    errno = 0;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return errno != 0 || *number >= WEIR_CPUS_MAX ? -ERANGE : 0;
}

static int read_range(const char **text, struct weir_cpu_set *set)
{
    unsigned long first, last;
    int code = read_number(text, &first);

    if (code != 0)
        return code;
    last = first;
    if (**text == '-') {
        (*text)++;
        code = read_number(text, &last);
    }
    if (code == 0 && last < first)
        code = -EINVAL;
    for (; code == 0 && first <= last; first++)
        weir_cpu_set_add(set, (unsigned)first);
    return code;
}

int weir_cpu_set_parse(const char *list, struct weir_cpu_set *set)
{
    struct weir_cpu_set read = {0};
    int code = read_range(&list, &read);

    while (code == 0 && *list == ',') {
        list++;
        code = read_range(&list, &read);
    }
    if (code == 0 && *list != '\0')
        code = -EINVAL;
    if (code == 0)
        *set = read;
    return code;
}

void weir_cpu_set_format(const struct weir_cpu_set *set, struct weir_text *text)
{
    const char *separator = "";
    unsigned first = weir_cpu_set_next(set, 0);

    while (first < WEIR_CPUS_MAX) {
        unsigned last = first;

        while (weir_cpu_set_has(set, last + 1))
            last++;
        if (last == first)
            weir_text_add(text, "%s%u", separator, first);
        else
            weir_text_add(text, "%s%u-%u", separator, first, last);
        separator = ",";
        first = weir_cpu_set_next(set, last + 1);
    }
}
