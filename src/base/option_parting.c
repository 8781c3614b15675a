/* SPDX-License-Identifier: Apache-2.0 */
/* Options among words that stand alone: which words are values, the tables say. */
#include "weir/base/options.h"

#include <string.h>

/* The row of a word that is nothing but a name, or one letter. NULL: there is none. */
static const struct weir_option *row_of_word(const struct weir_option_set *set, const char *word)
{
    if (strncmp(word, "--", 2) == 0)
        return weir_options_find(set->rows, word + 2);
    for (const struct weir_option *row = set->rows; row && (row->letter || row->name); row++)
        if (row->letter && row->letter == word[1] && word[2] == '\0')
            return row;
    return NULL;
}

/* Whether the word after this one is its value. */
static bool takes_next(const struct weir_option_parser *parser, const char *word)
{
    for (size_t i = 0; i < parser->binding_count; i++) {
        const struct weir_option *row = row_of_word(parser->bindings[i].set, word);

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
