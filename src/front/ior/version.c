/* SPDX-License-Identifier: Apache-2.0 */
/* The releases of IOR whose layouts are known, by their numbers. */
#include "version.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *number;
    const char *style; /* as in src/report/ior/layout.c */
    bool has_csv, has_json;
} versions[] = {
    {"2.10", "IOR 2.10", false, false}, {"3.0", "IOR 3.0", false, false},
    {"3.2", "IOR 3.2", false, true},    {"3.3", "IOR 3.3", false, true},
    {"4.0", "IOR 4.0", true, true},     {"4.1", "IOR 4.1", true, true},
};

/* "3.0", "3.0.1" and "3.0+dev" are all of 3.0, and "3.01" is not. */
static bool is_of(const char *word, const char *number)
{
    size_t length = strlen(number);

    return strncmp(word, number, length) == 0 && !isalnum((unsigned char)word[length]);
}

int weir_ior_version_read(const char *word, const char *place, struct weir_error *error,
                          const char **style)
{
    *style = NULL;
    if (!word)
        return 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (is_of(word, versions[i].number)) {
            *style = versions[i].style;
            return 0;
        }
    }
    return weir_error_usage(error, place,
                            "--compat: the layout of IOR %s is not known; there are 2.10, 3.0, "
                            "3.2, 3.3, 4.0 and 4.1",
                            word);
}

int weir_ior_version_check(const struct weir_output *output, const char *place,
                           struct weir_error *error)
{
    for (size_t i = 0; output->style && i < sizeof versions / sizeof *versions; i++) {
        if (strcmp(versions[i].style, output->style) != 0)
            continue;
        if (strcmp(output->reporter, WEIR_IOR_REPORTER_JSON) == 0 && !versions[i].has_json)
            return weir_error_usage(error, place,
                                    "IOR before 3.2 had no JSON: choose the layout of a later "
                                    "one, or text");
        if (strcmp(output->reporter, WEIR_IOR_REPORTER_CSV) == 0 && !versions[i].has_csv)
            return weir_error_usage(error, place,
                                    "IOR before 4.0 had no CSV: choose the layout of a later "
                                    "one, or text");
    }
    return 0;
}
