/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts in short: "n[1-3,7]". */
#include "weir/base/text.h"
#include "weir/measure/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More digits than these are no number of a host. */
#define DIGITS_MAX 15

/* A name, and the number at its end. */
struct name {
    const char *text;
    size_t stem_length;
    unsigned width;  /* digits; 0: there is no number */
    unsigned padded; /* digits that all numbers of its kind are filled up to; 0: none is */
    uint64_t number;
};

static struct name read_name(const char *text)
{
    struct name name = {.text = text, .stem_length = strlen(text)};

    while (name.stem_length > 0 && name.width < DIGITS_MAX && text[name.stem_length - 1] >= '0' &&
           text[name.stem_length - 1] <= '9') {
        name.stem_length--;
        name.width++;
    }
    if (name.width > 0)
        name.number = strtoull(text + name.stem_length, NULL, 10);
    return name;
}

/* ---- order ---- */

static int compare_stems(const struct name *a, const struct name *b)
{
    size_t common = a->stem_length < b->stem_length ? a->stem_length : b->stem_length;
    int order = memcmp(a->text, b->text, common);

    return order != 0 ? order
                      : (a->stem_length > b->stem_length) - (a->stem_length < b->stem_length);
}

static int compare_numbers(const struct name *a, const struct name *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static int by_width(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    int order = compare_stems(a, b);

    if (order == 0)
        order = (a->width > b->width) - (a->width < b->width);
    return order != 0 ? order : compare_numbers(a, b);
}

/* Names with a number behind those without one. */
static int by_group(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    int order = compare_stems(a, b);

    if (order == 0)
        order = (a->width > 0) - (b->width > 0);
    if (order == 0)
        order = (a->padded > b->padded) - (a->padded < b->padded);
    return order != 0 ? order : compare_numbers(a, b);
}

static bool is_filled_up(const struct name *name)
{
    return name->width > 1 && name->text[name->stem_length] == '0';
}

/* Where one number of a width begins with 0, all of that width are filled up: "n08" and "n10". Of
 * names in order of width the least comes first. */
static void find_padding(struct name *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool is_alike = i > 0 && compare_stems(&names[i - 1], &names[i]) == 0 &&
                        names[i - 1].width == names[i].width;

        if (is_alike)
            names[i].padded = names[i - 1].padded;
        else
            names[i].padded = is_filled_up(&names[i]) ? names[i].width : 0;
    }
}

static bool is_same(const struct name *a, const struct name *b)
{
    return strcmp(a->text, b->text) == 0;
}

static unsigned leave_out_doubles(struct name *names, unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (kept == 0 || !is_same(&names[kept - 1], &names[i]))
            names[kept++] = names[i];
    return kept;
}

/* ---- text ---- */

static bool is_of_group(const struct name *a, const struct name *b)
{
    return a->width > 0 && b->width > 0 && a->padded == b->padded && compare_stems(a, b) == 0;
}

/* How many names from the first on are numbered one after the other. */
static unsigned range_length(const struct name *names, unsigned count)
{
    unsigned length = 1;

    while (length < count && is_of_group(&names[0], &names[length]) &&
           names[length].number == names[length - 1].number + 1)
        length++;
    return length;
}

static unsigned group_length(const struct name *names, unsigned count)
{
    unsigned length = 1;

    while (length < count && is_of_group(&names[0], &names[length]))
        length++;
    return length;
}

static void add_range(struct weir_text *text, const struct name *names, unsigned length)
{
    const struct name *last = &names[length - 1];

    weir_text_add(text, "%s", names[0].text + names[0].stem_length);
    if (length > 1)
        weir_text_add(text, "-%s", last->text + last->stem_length);
}

/* As many ranges of a group as there is room for; returns how many names these are. */
static unsigned add_group(struct weir_text *text, const struct name *names, unsigned length,
                          unsigned *room)
{
    unsigned told = 0;

    if (length == 1) {
        weir_text_add(text, "%s", names[0].text);
        --*room;
        return 1;
    }
    weir_text_add(text, "%.*s[", (int)names[0].stem_length, names[0].text);
    for (; *room > 0 && told < length; --*room) {
        unsigned range = range_length(names + told, length - told);

        weir_text_add(text, "%s", told > 0 ? "," : "");
        add_range(text, names + told, range);
        told += range;
    }
    weir_text_add(text, "]");
    return told;
}

static void add_names(struct weir_text *text, const struct name *names, unsigned count,
                      unsigned shown_max)
{
    unsigned told = 0;
    unsigned room = shown_max > 0 ? shown_max : 1;

    while (told < count && room > 0) {
        unsigned length = group_length(names + told, count - told);
        unsigned added;

        weir_text_add(text, "%s", told > 0 ? ", " : "");
        added = add_group(text, names + told, length, &room);
        told += added;
        if (added < length)
            break;
    }
    if (told < count)
        weir_text_add(text, " and %u more", count - told);
}

const char *weir_hosts_fold(struct weir_arena *arena, const char *const *names, unsigned count,
                            unsigned shown_max)
{
    struct weir_arena scratch = {0};
    struct name *list = weir_arena_take(&scratch, (count + 1) * sizeof *list);
    struct weir_text text = {0};
    const char *folded;

    for (unsigned i = 0; i < count; i++)
        list[i] = read_name(names[i]);
    qsort(list, count, sizeof *list, by_width);
    count = leave_out_doubles(list, count);
    find_padding(list, count);
    qsort(list, count, sizeof *list, by_group);
    add_names(&text, list, count, shown_max);
    folded = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    weir_arena_close(&scratch);
    return folded;
}
