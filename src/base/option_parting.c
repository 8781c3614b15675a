/* SPDX-License-Identifier: Apache-2.0 */
/* Options among words that stand alone: which words are values, the tables say. */
#include "weir/base/options.h"

#include <string.h>

/* Whether the word after this one is its value. */
static bool takes_next(const struct weir_option_parser *parser, const char *word)
{
    bool has_value = strncmp(word, "--", 2) == 0 ? strchr(word, '=') != NULL : strlen(word) > 2;

    for (size_t i = 0; i < parser->binding_count && !has_value; i++) {
        const struct weir_option *row =
            weir_options_find_typed(parser->bindings[i].set->rows, word);

        if (row)
            return row->type != WEIR_OPTION_FLAG;
    }
    return false;
}

int weir_options_part(const struct weir_option_parser *parser, int count, const char *const words[],
                      const char **parted)
{
    int options = 0, alone = 0;

    for (int i = 0; i < count; i++) {
        if (words[i][0] != '-') {
            parted[count - ++alone] = words[i];
            continue;
        }
        parted[options++] = words[i];
        if (takes_next(parser, words[i]) && i + 1 < count)
            parted[options++] = words[++i];
    }
    for (int first = options, last = count - 1; first < last; first++, last--) {
        const char *word = parted[first];

        parted[first] = parted[last];
        parted[last] = word;
    }
    return options;
}
