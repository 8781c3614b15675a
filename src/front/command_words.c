/* SPDX-License-Identifier: Apache-2.0 */
/* Commands whose words are one table of options. */
#include "command_words.h"

#include <errno.h>

static bool is_help_asked(const struct weir_option *row, const void *values)
{
    while (row->letter != 'h')
        row++;
    return weir_options_is_changed(row, values);
}

int weir_command_words_read(const struct weir_command_words *words, int count,
                            const char *const typed[], void *values, struct weir_arena *arena,
                            struct weir_command *command, struct weir_error *error)
{
    const struct weir_option_binding binding = {words->set, values};
    const struct weir_option_parser parser = {.place = words->place,
                                              .arena = arena,
                                              .bindings = &binding,
                                              .binding_count = 1,
                                              .foreign = words->foreign};

    weir_options_reset(&parser);
    if (weir_options_parse(&parser, count, typed, error))
        return -EINVAL;
    if (is_help_asked(words->set->rows, values)) {
        command->kind = WEIR_COMMAND_SAY;
        weir_text_add(&command->text, "%s", words->usage);
        weir_options_help(&command->text, words->set);
    }
    return 0;
}
