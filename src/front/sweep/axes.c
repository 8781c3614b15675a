/* SPDX-License-Identifier: Apache-2.0 */
#include "axes.h"

#include "weir/base/nearest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Those of all dialects. A dialect's own row of the same name comes first. */
static const struct weir_dialect_axis common_axes[] = {
    {.name = WEIR_SWEEP_RANKS, .kind = WEIR_AXIS_COUNTS},
    {.name = WEIR_SWEEP_NODES, .kind = WEIR_AXIS_COUNTS},
    {.name = WEIR_SWEEP_RANKS_PER_NODE, .kind = WEIR_AXIS_COUNTS},
    {.name = "depth", .kind = WEIR_AXIS_COUNTS, .words = {"--depth", "%"}},
    {0},
};

/* ---- which axis ---- */

static const struct weir_dialect_axis *find_row(const struct weir_dialect_axis rows[],
                                                const char *name)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static const struct weir_option *find_option(const struct weir_front_request *request,
                                             const char *name)
{
    const struct weir_option *option = NULL;

    for (size_t i = 0; i < request->parser.binding_count && option == NULL; i++)
        option = weir_options_find(request->parser.bindings[i].set->rows, name);
    return option;
}

/* Numbers may be ranges; other values are words. */
static enum weir_axis_kind kind_of(const struct weir_option *option)
{
    if (option->type == WEIR_OPTION_SIZE)
        return WEIR_AXIS_SIZES;
    return option->type == WEIR_OPTION_COUNT ? WEIR_AXIS_COUNTS : WEIR_AXIS_TEXTS;
}

/* Options of the whole run: of several values all but the last one would be lost. */
static bool is_of_run(const char *name)
{
    static const char *const names[] = {"result",         "progress",      "stop-before",
                                        "watchdog",       "give-up",       "compat",
                                        "summary-file",   "summaryFile",   "rank-order",
                                        "summary-format", "summaryFormat", "scriptFile"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const struct weir_dialect_axis *make_row(const struct weir_front_request *request,
                                                const char *name, struct weir_arena *arena)
{
    const struct weir_option *option = find_option(request, name);
    struct weir_dialect_axis *row;

    /* IOzone's options with a plus have a letter alone that can be typed. */
    if (option == NULL || option->plus || option->type == WEIR_OPTION_FLAG ||
        option->type == WEIR_OPTION_DIRECTIVES || option->refusal != NULL ||
        is_of_run(option->name))
        return NULL;
    row = weir_arena_take(arena, sizeof *row);
    *row =
        (struct weir_dialect_axis){.name = option->name,
                                   .kind = kind_of(option),
                                   .words = {weir_arena_printf(arena, "--%s", option->name), "%"}};
    return row;
}

static int refuse_axis(const struct weir_dialect *dialect, const char *name,
                       struct weir_error *error)
{
    const struct weir_dialect_axis *const lists[] = {dialect->axes, common_axes};
    struct weir_nearest nearest = {.typed = name, .length = strlen(name)};
    struct weir_text names = {0};
    const char *near_name;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const struct weir_dialect_axis *row = lists[i]; row != NULL && row->name; row++) {
            if (i > 0 && find_row(dialect->axes, row->name) != NULL)
                continue;
            weir_nearest_offer(&nearest, row->name);
            weir_text_add(&names, "%s%s", names.length > 0 ? ", " : "", row->name);
        }
    }
    near_name = weir_nearest_word(&nearest);
    weir_error_usage(error, "sweep",
                     "%s: there is no such axis%s%s%s; with %s there are %s, and options that take "
                     "a value, by their long names",
                     name, near_name ? " (did you mean " : "", near_name ? near_name : "",
                     near_name ? "?)" : "", dialect->name, weir_text_string(&names));
    weir_text_close(&names);
    return error->code;
}

/* ---- its values ---- */

/* The shortest that says it exactly: "4k", "16m", "1000". */
static const char *spell_size(struct weir_arena *arena, uint64_t bytes)
{
    static const char units[] = "kmgtp";
    const char *unit = units;
    uint64_t number = bytes;
    char found = '\0';

    for (; *unit != '\0' && number > 0 && number % 1024 == 0; number /= 1024)
        found = *unit++;
    return found == '\0' ? weir_arena_printf(arena, "%" PRIu64, number)
                         : weir_arena_printf(arena, "%" PRIu64 "%c", number, found);
}

static int read_numbers(struct weir_sweep_axis_words *axis, const char *list,
                        struct weir_arena *arena, struct weir_error *error)
{
    bool are_sizes = axis->row->kind != WEIR_AXIS_COUNTS;
    struct weir_sweep_values values;
    const char **texts;

    if (weir_sweep_values_read(list, are_sizes, axis->row->name, arena, &values, error))
        return -EINVAL;
    texts = weir_arena_take(arena, values.count * sizeof *texts);
    for (unsigned i = 0; i < values.count; i++) {
        if (axis->row->kind == WEIR_AXIS_SIZES_IN_K && values.numbers[i] % 1024 != 0)
            return weir_error_usage(error, "sweep",
                                    "%s=%s: %" PRIu64 " bytes are not whole kilobytes",
                                    axis->row->name, list, values.numbers[i]);
        texts[i] = are_sizes ? spell_size(arena, values.numbers[i])
                             : weir_arena_printf(arena, "%" PRIu64, values.numbers[i]);
    }
    axis->numbers = values.numbers;
    axis->count = values.count;
    axis->texts = texts;
    return 0;
}

/* The number of `word` in "posix|uring"; -1: it is not there. */
static int find_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);

    for (int number = 0;; number++) {
        size_t end = strcspn(choices, "|");

        if (end == length && strncmp(choices, word, length) == 0)
            return number;
        if (choices[end] == '\0')
            return -1;
        choices += end + 1;
    }
}

static int read_texts(struct weir_sweep_axis_words *axis, const char *list,
                      struct weir_arena *arena, struct weir_error *error)
{
    const char **texts = weir_arena_take(arena, WEIR_SWEEP_VALUES_MAX * sizeof *texts);

    axis->texts = texts;
    axis->numbers = weir_arena_take(arena, WEIR_SWEEP_VALUES_MAX * sizeof *axis->numbers);
    for (char *word = weir_arena_copy(arena, list), *next; word != NULL; word = next) {
        int number = (int)axis->count;

        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        if (axis->row->kind == WEIR_AXIS_CHOICES)
            number = find_choice(axis->row->choices, word);
        if (*word == '\0' || number < 0)
            return weir_error_usage(error, "sweep", "%s=%s: \"%s\" is not one of %s",
                                    axis->row->name, list, word,
                                    axis->row->choices ? axis->row->choices : "a list of values");
        for (unsigned i = 0; i < axis->count; i++)
            if (strcmp(texts[i], word) == 0)
                return weir_error_usage(error, "sweep", "%s=%s: %s stands there twice",
                                        axis->row->name, list, word);
        if (axis->count == WEIR_SWEEP_VALUES_MAX)
            return weir_error_usage(error, "sweep", "%s: more than %d values", axis->row->name,
                                    WEIR_SWEEP_VALUES_MAX);
        axis->numbers[axis->count] = (uint64_t)number;
        texts[axis->count++] = word;
    }
    return 0;
}

int weir_sweep_axis_read(const struct weir_dialect *dialect,
                         const struct weir_front_request *request, const char *word,
                         struct weir_arena *arena, struct weir_sweep_axis_words *axis,
                         struct weir_error *error)
{
    size_t length = strcspn(word, "=");
    const char *name = weir_arena_printf(arena, "%.*s", (int)length, word);

    if (word[length] == '\0')
        return weir_error_usage(error, "sweep",
                                "%s: an axis has values, such as ranks=1..32x2, and -- stands "
                                "before the command line: weir sweep ranks=1..32x2 -- ior -w -r",
                                word);
    axis->row = find_row(dialect->axes, name);
    axis->row = axis->row ? axis->row : find_row(common_axes, name);
    axis->row = axis->row ? axis->row : make_row(request, name, arena);
    if (axis->row == NULL)
        return refuse_axis(dialect, name, error);
    return axis->row->kind >= WEIR_AXIS_CHOICES
               ? read_texts(axis, word + length + 1, arena, error)
               : read_numbers(axis, word + length + 1, arena, error);
}

/* ---- its words ---- */

int weir_sweep_axis_spell(const struct weir_sweep_axis_words *axis, unsigned i,
                          struct weir_arena *arena, const char *words[])
{
    const char *value = axis->texts[i];
    int count = 0;

    if (axis->row->kind == WEIR_AXIS_SIZES || axis->row->kind == WEIR_AXIS_CHOICES)
        value = weir_arena_printf(arena, "%" PRIu64, axis->numbers[i]);
    if (axis->row->kind == WEIR_AXIS_SIZES_IN_K)
        value = weir_arena_printf(arena, "%" PRIu64 "k", axis->numbers[i] / 1024);
    for (; count < WEIR_SWEEP_WORDS_MAX && axis->row->words[count] != NULL; count++) {
        const char *word = axis->row->words[count];
        const char *place = strchr(word, '%');

        words[count] = place == NULL ? word
                                     : weir_arena_printf(arena, "%.*s%s%s", (int)(place - word),
                                                         word, value, place + 1);
    }
    return count;
}

/* ---- help ---- */

void weir_sweep_axes_add_help(struct weir_text *text)
{
    weir_text_add(text, "\nAxes\n  of all dialects  ");
    for (const struct weir_dialect_axis *row = common_axes; row->name != NULL; row++)
        weir_text_add(text, "%s%s", row > common_axes ? ", " : "", row->name);
    weir_text_add(text, "\n");
    for (size_t i = 0; weir_dialects[i] != NULL; i++) {
        const struct weir_dialect *dialect = weir_dialects[i];

        if (dialect->axes == NULL)
            continue;
        weir_text_add(text, "  of %-15s", dialect->name);
        for (const struct weir_dialect_axis *row = dialect->axes; row->name != NULL; row++) {
            weir_text_add(text, "%s%s", row > dialect->axes ? ", " : "", row->name);
            if (row->words[0] != NULL)
                weir_text_add(text, " (%.*s)", (int)strcspn(row->words[0], "%="), row->words[0]);
            if (row->choices != NULL)
                weir_text_add(text, ": %s", row->choices);
        }
        weir_text_add(text, "%s\n", dialect->split ? "; total=" : "");
    }
    weir_text_add(text, "  and each option of the dialect that takes a value, by its long name\n");
}
