/* SPDX-License-Identifier: Apache-2.0 */
/* Options as tables: words, directives, help and dumps all go through the same rows. */
#include "weir/base/options.h"

#include "weir/base/nearest.h"

#include "option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PLACE_BYTES 320
#define HELP_COLUMN 36

static bool is_end(const struct weir_option *row)
{
    return row->letter == 0 && !row->name;
}

static bool takes_value(const struct weir_option *row)
{
    return row->type != WEIR_OPTION_FLAG;
}

/* ---- which rows are meant ---- */

/* The word as typed, without dashes and value. */
struct asked {
    const char *text;
    size_t length;
};

static bool is_asked_letter(const struct weir_option *row, struct asked asked)
{
    return asked.length == 1 && row->letter == asked.text[0];
}

/* A name that ends with a star stands for all names that begin like it: "hdf5.*". */
static bool is_family(const struct weir_option *row)
{
    return row->name && row->name[strlen(row->name) - 1] == '*';
}

static bool is_asked_name(const struct weir_option *row, struct asked asked)
{
    return row->name && strlen(row->name) == asked.length &&
           strncasecmp(row->name, asked.text, asked.length) == 0;
}

static bool is_asked(const struct weir_option *row, struct asked asked)
{
    return is_asked_letter(row, asked) || is_asked_name(row, asked);
}

static bool is_family_of(const struct weir_option *row, struct asked asked)
{
    size_t length = is_family(row) ? strlen(row->name) : 0;

    return length > 0 && asked.length >= length &&
           strncasecmp(row->name, asked.text, length - 1) == 0;
}

typedef bool row_test(const struct weir_option *row, struct asked asked);

/* The next row, over all tables, that the test is true of; NULL after the last. `*binding` and
 * `row` start as 0 and NULL. */
static const struct weir_option *next_row(const struct weir_option_parser *parser,
                                          struct asked asked, row_test *is_meant, size_t *binding,
                                          const struct weir_option *row)
{
    for (; *binding < parser->binding_count; ++*binding, row = NULL) {
        const struct weir_option *rows = parser->bindings[*binding].set->rows;

        for (row = row ? row + 1 : rows; row && !is_end(row); row++) {
            if (is_meant(row, asked))
                return row;
        }
    }
    return NULL;
}

/* The same for names asked for. A family is skipped where the name has a row of its own. */
static const struct weir_option *next_asked(const struct weir_option_parser *parser,
                                            struct asked asked, size_t *binding,
                                            const struct weir_option *row)
{
    size_t first = 0;
    bool has_row = next_row(parser, asked, is_asked, &first, NULL);

    return next_row(parser, asked, has_row ? is_asked : is_family_of, binding, row);
}

static const struct weir_option *first_asked(const struct weir_option_parser *parser,
                                             struct asked asked)
{
    size_t binding = 0;

    return next_asked(parser, asked, &binding, NULL);
}

/* ---- the name that was probably meant ---- */

/* NULL if no name is close. Refused names are not suggested. */
static const char *nearest_name(const struct weir_option_parser *parser, struct asked asked)
{
    struct weir_nearest nearest = {.typed = asked.text, .length = asked.length};

    for (size_t i = 0; i < parser->binding_count; i++) {
        const struct weir_option *row = parser->bindings[i].set->rows;

        for (; row && !is_end(row); row++)
            if (row->name && !row->refusal)
                weir_nearest_offer(&nearest, row->name);
    }
    return weir_nearest_word(&nearest);
}

static bool is_among(const char *words, struct asked asked)
{
    for (const char *word = words; *word != '\0';) {
        size_t length = strcspn(word, "|");

        if (length == asked.length && strncasecmp(word, asked.text, length) == 0)
            return true;
        word += length + (word[length] == '|');
    }
    return false;
}

/* Weir's name of an option of another program; NULL if there is none. */
static const char *foreign_name(const struct weir_option_parser *parser, struct asked asked)
{
    const struct weir_foreign_word *row = parser->foreign;

    for (; row && row->words; row++)
        if (is_among(row->words, asked))
            return row->ours;
    return NULL;
}

/* Refuses a name that no row has: "unknown option", `what`, and what was probably meant. A name is
 * typed behind `dashes`. */
static int refuse_unknown(const struct weir_option_parser *parser, const char *place,
                          struct asked asked, const char *what, const char *dashes,
                          struct weir_error *error)
{
    const char *foreign = foreign_name(parser, asked);
    const char *nearest = foreign ? NULL : nearest_name(parser, asked);

    if (foreign)
        return weir_error_usage(error, place, "%s: use %s", what, foreign);
    if (!nearest)
        return weir_error_usage(error, place, "%s", what);
    return weir_error_usage(error, place, "%s (did you mean %s%s?)", what, dashes, nearest);
}

/* ---- assigning ---- */

/* Whether the value is the one that the option has when it is not given: that can be done without
 * what the option needs. */
static bool asks_for_nothing(const struct weir_option_parser *parser, const struct weir_option *row,
                             const char *text)
{
    struct weir_option alone = *row;
    union {
        int64_t number;
        const char *text;
    } value = {0};
    struct weir_error error = {0};

    alone.offset = 0;
    alone.refusal = NULL;
    return text && !weir_option_read(&alone, &value, text, parser->arena, parser->place, &error) &&
           !weir_options_is_changed(&alone, &value);
}

static int assign_row(const struct weir_option_parser *parser, const struct weir_option *row,
                      void *values, const char *place, const char *text, struct weir_error *error)
{
    if (row->type == WEIR_OPTION_DIRECTIVES)
        return weir_options_assign_list(parser, place, text, error);
    return weir_option_read(row, values, text, parser->arena, place, error);
}

static void record_spelling(const struct weir_option_parser *parser, const struct weir_option *row,
                            const char *typed)
{
    struct weir_option_spelling *spelling;

    if (parser->spellings == NULL)
        return;
    spelling = weir_arena_take(parser->arena, sizeof *spelling);
    *spelling = (struct weir_option_spelling){row, typed, *parser->spellings};
    *parser->spellings = spelling;
}

/* The end of a place, "ior: -O: useFileView" or "ior: -U", is the name as typed. */
static const char *copy_typed_name(const struct weir_option_parser *parser, const char *place)
{
    const char *typed = place, *next;

    while ((next = strstr(typed, ": ")) != NULL)
        typed = next + 2;
    return parser->spellings ? weir_arena_printf(parser->arena, "%s", typed) : NULL;
}

/* Gives `text` to every row that is asked for; NULL counts a flag up. */
static int assign_asked(const struct weir_option_parser *parser, struct asked asked,
                        const char *place, const char *text, struct weir_error *error)
{
    size_t binding = 0;
    const struct weir_option *row = NULL;
    bool is_final = false;
    int failure = 0;

    if (text && *text == '\0')
        return weir_error_usage(error, place, "value is empty");
    while (!failure && !is_final && (row = next_asked(parser, asked, &binding, row))) {
        void *values = parser->bindings[binding].values;

        if (row->refusal) {
            if (!asks_for_nothing(parser, row, text))
                failure = weir_error_usage(error, place, "%s", row->refusal);
        } else if (row->alias) {
            /* Errors name the option that was typed. */
            failure = assign_asked(parser, (struct asked){row->alias, strlen(row->alias)}, place,
                                   text ? text : "1", error);
        } else if (text) {
            failure = assign_row(parser, row, values, place, text, error);
        } else {
            weir_option_count_up(row, values);
        }
        if (!failure)
            record_spelling(parser, row, copy_typed_name(parser, place));
        is_final = row->is_final;
    }
    return failure;
}

/* ---- defaults ---- */

void weir_options_reset(const struct weir_option_parser *parser)
{
    for (size_t i = 0; i < parser->binding_count; i++) {
        const struct weir_option_binding *binding = &parser->bindings[i];

        for (const struct weir_option *row = binding->set->rows; row && !is_end(row); row++)
            weir_option_reset(row, binding->values);
    }
}

/* ---- words ---- */

/* The words of a command line and how far they are read. */
struct word_reader {
    const struct weir_option_parser *parser;
    const char *const *words;
    int count;
    int next;
    struct weir_error *error;
};

static bool is_negative_number(const char *word)
{
    return word[0] == '-' && (isdigit((unsigned char)word[1]) || word[1] == '.');
}

/* A word that begins with a dash is an option, but for numbers, and for directives whose key is
 * typed as an option is (-O --posix.odirect=1). */
static bool is_value_word(const struct weir_option *row, const char *word)
{
    return word[0] != '-' || is_negative_number(word) ||
           (row->type == WEIR_OPTION_DIRECTIVES && strchr(word, '='));
}

/* The value that stands behind an option as a word of its own. 0, or a usage error if there is
 * none; a refused option is refused with or without one (NULL). */
static int take_value_word(struct word_reader *reader, const struct weir_option *row,
                           const char *place, const char **value)
{
    const char *word = reader->next < reader->count ? reader->words[reader->next] : NULL;

    if (word && is_value_word(row, word)) {
        reader->next++;
        *value = word;
        return 0;
    }
    if (row->refusal)
        return 0;
    return weir_error_usage(reader->error, place, "value is missing%s%s%s%s%.*s",
                            word ? " (the next word, " : "", word ? word : "",
                            word ? ", is an option)" : "", row->choices ? "; there are " : "",
                            row->choices ? (int)weir_option_choices_length(row->choices) : 0,
                            row->choices ? row->choices : "");
}

static void write_place(const struct word_reader *reader, const char *dashes, struct asked asked,
                        char place[PLACE_BYTES])
{
    snprintf(place, PLACE_BYTES, "%s: %s%.*s", reader->parser->place, dashes, (int)asked.length,
             asked.text);
}

/* A name behind `dashes`, "--" or of an operand "", and maybe "=" and its value. */
static int read_name(struct word_reader *reader, const char *dashes, const char *name)
{
    struct asked asked = {name, strcspn(name, "=")};
    const char *value = asked.text[asked.length] == '=' ? asked.text + asked.length + 1 : NULL;
    const struct weir_option *row = first_asked(reader->parser, asked);
    char place[PLACE_BYTES];

    write_place(reader, dashes, asked, place);
    if (!row)
        return refuse_unknown(reader->parser, place, asked,
                              *dashes ? "unknown option" : "unknown operand", dashes,
                              reader->error);
    if (!value && takes_value(row) && take_value_word(reader, row, place, &value))
        return -EINVAL;
    return assign_asked(reader->parser, asked, place, value, reader->error);
}

/* Reads the letter at `*letter` and steps over it, and over its value if one is attached. */
static int read_letter(struct word_reader *reader, const char **letter)
{
    struct asked asked = {*letter, 1};
    const struct weir_option *row = first_asked(reader->parser, asked);
    const char *rest = *letter + 1;
    const char *value = NULL;
    char place[PLACE_BYTES];

    write_place(reader, "-", asked, place);
    if (!row)
        return weir_error_usage(reader->error, place, "unknown option");
    *letter = rest + strlen(rest);
    if (*rest == '=')
        value = rest + 1;
    else if (!takes_value(row))
        *letter = rest;
    else if (*rest != '\0')
        value = rest;
    else if (take_value_word(reader, row, place, &value))
        return -EINVAL;
    return assign_asked(reader->parser, asked, place, value, reader->error);
}

/* A value that no option takes: the word before it may be one of another program ("-np 4"). */
static int refuse_stray(const struct word_reader *reader, const char *word)
{
    const char *before = reader->next > 1 ? reader->words[reader->next - 2] : "";
    const char *name = before + strspn(before, "-");
    const char *foreign = foreign_name(reader->parser, (struct asked){name, strlen(name)});

    if (foreign)
        return weir_error_usage(reader->error, reader->parser->place, "%s %s: use %s", before, word,
                                foreign);
    return weir_error_usage(reader->error, reader->parser->place,
                            "\"%s\" is not an option; options begin with -", word);
}

/* A table has operands or options. */
static bool is_operand(const struct weir_option_parser *parser, const char *word)
{
    for (size_t i = 0; i < parser->binding_count; i++)
        if (parser->bindings[i].set->rows && parser->bindings[i].set->rows->is_operand)
            return word[0] != '-' && strchr(word, '=') != NULL;
    return false;
}

static int read_word(struct word_reader *reader)
{
    const char *word = reader->words[reader->next++];
    int failure = 0;

    if (is_operand(reader->parser, word))
        return read_name(reader, "", word);
    if (word[0] != '-')
        return refuse_stray(reader, word);
    if (word[strspn(word, "-")] == '\0')
        return weir_error_usage(reader->error, reader->parser->place,
                                "\"%s\" is an option without a name", word);
    if (word[1] == '-')
        return read_name(reader, "--", word + 2);
    for (const char *letter = word + 1; *letter != '\0' && !failure;)
        failure = read_letter(reader, &letter);
    return failure;
}

int weir_options_parse(const struct weir_option_parser *parser, int count,
                       const char *const words[], struct weir_error *error)
{
    struct word_reader reader = {.parser = parser, .words = words, .count = count, .error = error};
    int failure = 0;

    while (reader.next < count && !failure)
        failure = read_word(&reader);
    return failure;
}

/* ---- directives ---- */

int weir_options_assign(const struct weir_option_parser *parser, const char *place, const char *key,
                        const char *value, struct weir_error *error)
{
    struct asked asked = {.text = key + strspn(key, "-")};
    const struct weir_option *row;
    char key_place[PLACE_BYTES];

    asked.length = strlen(asked.text);
    row = first_asked(parser, asked);
    /* Directives in directives would only be a way to overflow the stack. */
    if (!row || row->type == WEIR_OPTION_DIRECTIVES)
        return refuse_unknown(parser, place, asked,
                              weir_arena_printf(parser->arena, "unknown key \"%s\"", key), "",
                              error);
    snprintf(key_place, sizeof key_place, "%s: %s", place, key);
    return assign_asked(parser, asked, key_place, value, error);
}

/* A copy of `count` bytes without the blanks at both ends. */
static char *trimmed(struct weir_arena *arena, const char *text, size_t count)
{
    while (count > 0 && isspace((unsigned char)*text)) {
        text++;
        count--;
    }
    while (count > 0 && isspace((unsigned char)text[count - 1]))
        count--;
    return weir_arena_printf(arena, "%.*s", (int)count, text);
}

static int assign_piece(const struct weir_option_parser *parser, const char *place,
                        const char *piece, size_t length, struct weir_error *error)
{
    const char *comment = memchr(piece, '#', length);
    size_t count = comment ? (size_t)(comment - piece) : length;
    const char *equals = memchr(piece, '=', count);
    const char *text = trimmed(parser->arena, piece, count);

    if (*text == '\0' && comment)
        return 0;
    if (*text == '\0')
        return weir_error_usage(error, place,
                                "a key=value is missing (is there a comma too many?)");
    if (!equals || *text == '=')
        return weir_error_usage(error, place, "\"%s\" is not key=value", text);
    return weir_options_assign(
        parser, place, trimmed(parser->arena, piece, (size_t)(equals - piece)),
        trimmed(parser->arena, equals + 1, count - (size_t)(equals - piece) - 1), error);
}

static bool is_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return *text == '\0';
}

int weir_options_assign_list(const struct weir_option_parser *parser, const char *place,
                             const char *list, struct weir_error *error)
{
    int failure = 0;

    do {
        size_t length = strcspn(list, ",");

        failure = assign_piece(parser, place, list, length, error);
        list += length + (list[length] == ',');
    } while (!failure && !is_blank(list));
    return failure;
}

/* ---- spellings ---- */

const char *weir_options_spelling(const struct weir_option_parser *parser, const char *name,
                                  const char *otherwise)
{
    const struct weir_option_spelling *spelling = parser->spellings ? *parser->spellings : NULL;

    while (spelling && !is_asked(spelling->row, (struct asked){name, strlen(name)}))
        spelling = spelling->earlier;
    return spelling ? spelling->typed : otherwise;
}

void weir_options_spell(const struct weir_option_parser *parser, const char *name,
                        const char *typed)
{
    struct asked asked = {name, strlen(name)};
    size_t binding = 0;
    const struct weir_option *row = NULL;

    while ((row = next_asked(parser, asked, &binding, row)))
        record_spelling(parser, row, typed);
}

/* ---- help ---- */

/* "-t, --transferSize"; of an operand, "bs" */
static void add_names(struct weir_text *text, const struct weir_option *row)
{
    if (row->letter)
        weir_text_add(text, "-%c", row->letter);
    if (row->plus)
        weir_text_add(text, "-+%c", row->plus);
    if ((row->letter || row->plus) && row->name)
        weir_text_add(text, ", ");
    if (row->name)
        weir_text_add(text, "%s%s", row->is_operand ? "" : "--", row->name);
}

static void add_help_row(struct weir_text *text, const struct weir_option *row)
{
    struct weir_text left = {0};

    weir_text_add(&left, "  ");
    add_names(&left, row);
    if (weir_option_is_text(row) || row->type == WEIR_OPTION_DIRECTIVES)
        weir_text_add(&left, "=%s", row->standard ? row->standard : "STRING");
    else if (takes_value(row))
        weir_text_add(&left, "=%s", row->standard ? row->standard : "0");
    weir_text_add(text, "%-*s  %s", HELP_COLUMN, weir_text_string(&left), row->help);
    if (row->choices)
        weir_text_add(text, " [%s]", row->choices);
    weir_text_add(text, "\n");
    weir_text_close(&left);
}

static void add_help_part(struct weir_text *text, const struct weir_option_set *set,
                          bool are_values, const char *title)
{
    bool has_title = false;

    for (const struct weir_option *row = set->rows; row && !is_end(row); row++) {
        if (row->refusal || takes_value(row) != are_values)
            continue;
        if (!has_title)
            weir_text_add(text, "\n%s\n", title);
        has_title = true;
        add_help_row(text, row);
    }
}

/* Rows that follow one another and are refused alike share a sentence. */
static void add_refusals(struct weir_text *text, const struct weir_option_set *set)
{
    const char *sentence = NULL;

    for (const struct weir_option *row = set->rows; row && !is_end(row); row++) {
        bool is_alike = sentence && row->refusal && strcmp(sentence, row->refusal) == 0;

        if (!row->refusal)
            continue;
        if (!sentence)
            weir_text_add(text, "\nKnown, but refused\n  ");
        else if (!is_alike)
            weir_text_add(text, "\n      %s\n  ", sentence);
        else
            weir_text_add(text, ", ");
        add_names(text, row);
        sentence = row->refusal;
    }
    if (sentence)
        weir_text_add(text, "\n      %s\n", sentence);
}

void weir_options_help(struct weir_text *text, const struct weir_option_set *set)
{
    add_help_part(text, set, false, "Flags");
    add_help_part(text, set, true, "Optional arguments");
    add_refusals(text, set);
}

const struct weir_option *weir_options_find(const struct weir_option rows[], const char *name)
{
    for (const struct weir_option *row = rows; row && !is_end(row); row++)
        if (row->name && strcasecmp(row->name, name) == 0)
            return row;
    return NULL;
}

const struct weir_option *weir_options_find_typed(const struct weir_option rows[], const char *word)
{
    bool is_name = strncmp(word, "--", 2) == 0;
    struct asked name = {is_name ? word + 2 : "", is_name ? strcspn(word + 2, "=") : 0};

    if (word[0] != '-' || word[1] == '\0')
        return NULL;
    for (const struct weir_option *row = rows; row && !is_end(row); row++)
        if (is_name ? is_asked_name(row, name) : row->letter == word[1])
            return row;
    return NULL;
}

const char *weir_options_find_changed(const struct weir_option rows[], const void *values,
                                      const char *const names[])
{
    for (; *names; names++) {
        const struct weir_option *row = weir_options_find(rows, *names);

        if (row && weir_options_is_changed(row, values))
            return row->name;
    }
    return NULL;
}

bool weir_options_are_same(const struct weir_option_set *set, const void *values,
                           const void *others)
{
    struct weir_text one = {0}, other = {0};
    bool is_same;

    for (const struct weir_option *row = set->rows; row && !is_end(row); row++) {
        weir_options_value(&one, row, values);
        weir_options_value(&other, row, others);
        weir_text_add(&one, "\n");
        weir_text_add(&other, "\n");
    }
    is_same = strcmp(weir_text_string(&one), weir_text_string(&other)) == 0;
    weir_text_close(&one);
    weir_text_close(&other);
    return is_same;
}
