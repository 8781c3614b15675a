/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: how each type is read, stored, compared with its default and written again. */
#include "option_values.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static uint64_t unit_ns_of(enum weir_option_type type)
{
    switch (type) {
    case WEIR_OPTION_MICROSECONDS:
        return UINT64_C(1000);
    case WEIR_OPTION_MILLISECONDS:
        return UINT64_C(1000000);
    case WEIR_OPTION_SECONDS:
    case WEIR_OPTION_DELAY:
        return UINT64_C(1000000000);
    case WEIR_OPTION_MINUTES:
        return UINT64_C(60000000000);
    default:
        return 0;
    }
}

static const char *expectation(enum weir_option_type type)
{
    switch (type) {
    case WEIR_OPTION_FLAG:
        return "a flag's count (nothing, or =0, =1, ...)";
    case WEIR_OPTION_COUNT:
        return "a count (a whole number, 0 or more)";
    case WEIR_OPTION_SIZE:
        return "a size (whole bytes, or a number with k, m, g, t or p behind it)";
    case WEIR_OPTION_INTEGER:
        return "a whole number";
    case WEIR_OPTION_MICROSECONDS:
        return "a time (0 or more): microseconds, or a number with ms, s, m or h behind it";
    case WEIR_OPTION_MILLISECONDS:
        return "a time (0 or more): milliseconds, or a number with ms, s, m or h behind it";
    case WEIR_OPTION_SECONDS:
        return "a time (0 or more): seconds, or a number with ms, s, m or h behind it";
    case WEIR_OPTION_DELAY:
        return "a time: seconds, or a number with ms, s, m or h behind it";
    case WEIR_OPTION_MINUTES:
        return "a time (0 or more): minutes, or a number with ms, s, m or h behind it";
    default:
        return "a value";
    }
}

/* A value of any type: how rows address it is `offset`, how it is stored is the type. */
union value {
    int64_t integer;
    uint64_t natural;
    const char *text;
};

/* A duration with or without a sign. 0, -EINVAL or -ERANGE. */
static int parse_delay(const char *text, union value *value)
{
    bool is_negative = text[0] == '-';
    uint64_t delay_ns;
    int failure = weir_time_parse(text + is_negative, unit_ns_of(WEIR_OPTION_DELAY), &delay_ns);

    if (!failure)
        value->integer = is_negative ? -(int64_t)delay_ns : (int64_t)delay_ns;
    return failure;
}

/* 0, -EINVAL or -ERANGE. */
static int parse_number(enum weir_option_type type, const char *text, union value *value)
{
    int failure;

    switch (type) {
    case WEIR_OPTION_FLAG:
        failure = weir_integer_parse(text, &value->integer);
        if (!failure && value->integer < 0)
            value->integer = 0;
        return failure;
    case WEIR_OPTION_INTEGER:
        return weir_integer_parse(text, &value->integer);
    case WEIR_OPTION_DELAY:
        return parse_delay(text, value);
    case WEIR_OPTION_COUNT:
    case WEIR_OPTION_SIZE:
        return weir_size_parse(text, &value->natural);
    default:
        return weir_time_parse(text, unit_ns_of(type), &value->natural);
    }
}

/* Part of a list of choices. */
struct word {
    const char *text;
    size_t length;
};

/* Ends a list of choices whose first letters alone decide: "cat|dog|..." takes "cow" for cat. */
static const char any_other[] = "...";

/* Finds the one word of `choices` that the first `wanted` characters of `text` are or uniquely
 * begin. */
static bool find_word(const char *choices, const char *text, size_t wanted, struct word *choice)
{
    unsigned candidates = 0;

    for (const char *word = choices; *word != '\0' && strcmp(word, any_other) != 0;) {
        size_t length = strcspn(word, "|");

        if (wanted <= length && strncasecmp(word, text, wanted) == 0) {
            *choice = (struct word){word, length};
            if (wanted == length)
                return true;
            candidates++;
        }
        word += length + (word[length] == '|');
    }
    return candidates == 1;
}

static bool find_choice(const char *choices, const char *text, struct word *choice)
{
    const char *last = strrchr(choices, '|');

    if (find_word(choices, text, strlen(text), choice))
        return true;
    return last && strcmp(last + 1, any_other) == 0 && find_word(choices, text, 1, choice);
}

size_t weir_option_choices_length(const char *choices)
{
    const char *last = strrchr(choices, '|');

    return last && strcmp(last + 1, any_other) == 0 ? (size_t)(last - choices) : strlen(choices);
}

bool weir_option_is_text(const struct weir_option *row)
{
    return row->type == WEIR_OPTION_TEXT || row->type == WEIR_OPTION_CHOICE;
}

/* Stored as a pointer to its text. */
static bool is_pointer(const struct weir_option *row)
{
    return weir_option_is_text(row) && row->bytes != sizeof(int);
}

static union value load(const struct weir_option *row, const void *values)
{
    const char *slot = (const char *)values + row->offset;
    bool is_signed = row->type == WEIR_OPTION_INTEGER || row->type == WEIR_OPTION_CHOICE;

    if (is_pointer(row))
        return (union value){.text = *(const char *const *)slot};
    if (row->bytes == sizeof(bool))
        return (union value){.integer = *(const bool *)slot};
    if (row->bytes == sizeof(int) && is_signed)
        return (union value){.integer = *(const int *)slot};
    if (row->bytes == sizeof(int))
        return (union value){.natural = *(const unsigned *)slot};
    return (union value){.natural = *(const uint64_t *)slot};
}

static void store(const struct weir_option *row, void *values, union value value)
{
    char *slot = (char *)values + row->offset;

    if (is_pointer(row))
        *(const char **)slot = value.text;
    else if (row->bytes == sizeof(bool))
        *(bool *)slot = value.integer != 0;
    else if (row->bytes == sizeof(int))
        *(unsigned *)slot = (unsigned)value.natural;
    else
        *(uint64_t *)slot = value.natural;
}

/* The arguments of weir_option_read. */
struct reading {
    const struct weir_option *row;
    const char *text;
    struct weir_arena *arena;
    const char *place;
    struct weir_error *error;
};

/* How many words of the list stand before this one. */
static int64_t number_of(const char *choices, const char *word)
{
    int64_t number = 0;

    while (choices < word)
        number += *choices++ == '|';
    return number;
}

static int read_choice(const struct reading *reading, union value *value)
{
    struct word choice;

    if (!find_choice(reading->row->choices, reading->text, &choice))
        return weir_error_usage(
            reading->error, reading->place, "\"%s\" is not one of %.*s", reading->text,
            (int)weir_option_choices_length(reading->row->choices), reading->row->choices);
    if (is_pointer(reading->row))
        value->text = weir_arena_printf(reading->arena, "%.*s", (int)choice.length, choice.text);
    else
        value->integer = number_of(reading->row->choices, choice.text);
    return 0;
}

static const char *format_bound(const struct weir_option *row, int64_t bound,
                                char buffer[WEIR_SIZE_TEXT_BYTES])
{
    if (row->type == WEIR_OPTION_SIZE)
        return weir_size_format_exact((uint64_t)bound, buffer);
    snprintf(buffer, WEIR_SIZE_TEXT_BYTES, "%" PRId64, bound);
    return buffer;
}

/* Those that the row gives, or those of its member. */
static int check_bounds(const struct reading *reading, union value value)
{
    const struct weir_option *row = reading->row;
    bool is_int = row->bytes == sizeof(int);
    int64_t least = row->type == WEIR_OPTION_INTEGER ? is_int ? INT_MIN : INT64_MIN : 0;
    int64_t most = is_int ? INT_MAX : INT64_MAX;
    char low[WEIR_SIZE_TEXT_BYTES], high[WEIR_SIZE_TEXT_BYTES];

    if (row->least != 0 || row->most != 0) {
        least = row->least;
        most = row->most;
    }
    if ((row->type != WEIR_OPTION_COUNT && row->type != WEIR_OPTION_SIZE &&
         row->type != WEIR_OPTION_INTEGER) ||
        (value.integer >= least && value.integer <= most))
        return 0;
    return weir_error_usage(reading->error, reading->place, "%s is not between %s and %s",
                            reading->text, format_bound(row, least, low),
                            format_bound(row, most, high));
}

/* Blanks around a number say nothing. */
static const char *without_blanks(struct weir_arena *arena, const char *text)
{
    size_t length;

    while (isblank((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length > 0 && isblank((unsigned char)text[length - 1]))
        length--;
    return text[length] == '\0' ? text : weir_arena_printf(arena, "%.*s", (int)length, text);
}

static int read_number(const struct reading *reading, union value *value)
{
    const char *text = without_blanks(reading->arena, reading->text);
    int failure = parse_number(reading->row->type, text, value);

    if (failure == -ERANGE)
        return weir_error_usage(reading->error, reading->place, "%s is out of range",
                                reading->text);
    if (failure && reading->row->type == WEIR_OPTION_SIZE && isdigit((unsigned char)text[0]) &&
        strpbrk(text, ",-:") != NULL)
        return weir_error_usage(reading->error, reading->place,
                                "\"%s\" is not one size: another command, weir sweep, runs a "
                                "test with several, as in weir sweep AXIS=4k,8k -- DIALECT ...",
                                reading->text);
    if (failure)
        return weir_error_usage(reading->error, reading->place, "\"%s\" is not %s", reading->text,
                                expectation(reading->row->type));
    return check_bounds(reading, *value);
}

int weir_option_read(const struct weir_option *row, void *values, const char *text,
                     struct weir_arena *arena, const char *place, struct weir_error *error)
{
    const struct reading reading = {row, text, arena, place, error};
    union value value = {0};
    int failure = 0;

    if (row->type == WEIR_OPTION_TEXT && row->is_list && load(row, values).text != NULL)
        value.text = weir_arena_printf(arena, "%s\n%s", load(row, values).text, text);
    else if (row->type == WEIR_OPTION_TEXT)
        value.text = weir_arena_copy(arena, text);
    else if (row->type == WEIR_OPTION_CHOICE)
        failure = read_choice(&reading, &value);
    else
        failure = read_number(&reading, &value);
    if (!failure)
        store(row, values, value);
    return failure;
}

void weir_option_count_up(const struct weir_option *row, void *values)
{
    union value value = load(row, values);

    assert(row->type == WEIR_OPTION_FLAG);
    value.integer++;
    store(row, values, value);
}

/* ---- defaults ---- */

/* Rows without a value of their own. */
static bool is_bare(const struct weir_option *row)
{
    return row->type == WEIR_OPTION_DIRECTIVES || row->refusal || row->alias;
}

static int64_t number_of_word(const struct weir_option *row)
{
    struct word choice = {row->choices, 0};

    if (!find_choice(row->choices, row->standard, &choice))
        assert(!"the default of an option is none of its choices");
    return number_of(row->choices, choice.text);
}

static union value standard_of(const struct weir_option *row)
{
    union value value = {0};

    if (is_pointer(row))
        value.text = row->standard;
    else if (weir_option_is_text(row))
        value.integer = row->standard ? number_of_word(row) : -1;
    else if (row->standard && parse_number(row->type, row->standard, &value))
        assert(!"the default of an option is not of its type");
    return value;
}

void weir_option_reset(const struct weir_option *row, void *values)
{
    if (!is_bare(row))
        store(row, values, standard_of(row));
}

bool weir_options_is_changed(const struct weir_option *row, const void *values)
{
    union value value, standard;

    if (is_bare(row))
        return false;
    value = load(row, values);
    standard = standard_of(row);
    if (!is_pointer(row))
        return value.natural != standard.natural;
    return strcmp(value.text ? value.text : "", standard.text ? standard.text : "") != 0;
}

/* ---- dumps ---- */

/* A duration in its unit, with as many decimals as it needs, and never in a form that cannot be
 * read again. */
static void add_duration(struct weir_text *text, uint64_t value_ns, uint64_t unit_ns)
{
    const uint64_t scale = UINT64_C(1000000000000);
    uint64_t part;
    char decimals[24];
    size_t length;

    assert(unit_ns > 0);
    part = (uint64_t)(((unsigned __int128)(value_ns % unit_ns) * scale + unit_ns / 2) / unit_ns);
    weir_text_add(text, "%" PRIu64, value_ns / unit_ns);
    if (part == 0)
        return;
    length = (size_t)snprintf(decimals, sizeof decimals, "%012" PRIu64, part);
    while (decimals[length - 1] == '0')
        length--;
    weir_text_add(text, ".%.*s", (int)length, decimals);
}

/* The word with this number; nothing, if it was not given. */
static void add_word(struct weir_text *text, const char *choices, int64_t number)
{
    if (number < 0)
        return;
    while (number-- > 0)
        choices += strcspn(choices, "|") + 1;
    weir_text_add(text, "%.*s", (int)strcspn(choices, "|"), choices);
}

void weir_options_value(struct weir_text *text, const struct weir_option *row, const void *values)
{
    char size[WEIR_SIZE_TEXT_BYTES];
    union value value;

    if (is_bare(row))
        return;
    value = load(row, values);
    switch (row->type) {
    case WEIR_OPTION_CHOICE:
        if (!is_pointer(row)) {
            add_word(text, row->choices, value.integer);
            break;
        }
        /* fall through */
    case WEIR_OPTION_TEXT:
        weir_text_add(text, "%s", value.text ? value.text : "");
        break;
    case WEIR_OPTION_SIZE:
        weir_text_add(text, "%s", weir_size_format_exact(value.natural, size));
        break;
    case WEIR_OPTION_FLAG:
    case WEIR_OPTION_COUNT:
    case WEIR_OPTION_INTEGER:
        weir_text_add(text, "%" PRId64, value.integer);
        break;
    case WEIR_OPTION_DELAY:
        weir_text_add(text, "%s", value.integer < 0 ? "-" : "");
        add_duration(text, (uint64_t)(value.integer < 0 ? -value.integer : value.integer),
                     unit_ns_of(row->type));
        break;
    default:
        add_duration(text, value.natural, unit_ns_of(row->type));
    }
}
