/* SPDX-License-Identifier: Apache-2.0 */
/* The releases of mdtest whose layouts are known, by their numbers. */
#include "version.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *number;
    const char *style; /* as in src/report/mdtest/layout.c */
    bool has_old_names;
} versions[] = {
    /* What came with IOR 3.2 calls itself mdtest 1.9.3. */
    {"1.9.3", "mdtest 3.2", true}, {"3.2", "mdtest 3.2", true},  {"3.3", "mdtest 3.3", false},
    {"4.0", "mdtest 4.0", false},  {"4.1", "mdtest 4.1", false},
};

/* "3.3", "3.3.0" and "3.3+dev" are all of 3.3, and "3.31" is not. */
static bool is_of(const char *word, const char *number)
{
    size_t length = strlen(number);

    return strncmp(word, number, length) == 0 && !isalnum((unsigned char)word[length]);
}

static int find(const char *word)
{
    for (size_t i = 0; word && i < sizeof versions / sizeof *versions; i++)
        if (is_of(word, versions[i].number))
            return (int)i;
    return -1;
}

int weir_mdtest_version_read(const char *word, const char *place, struct weir_error *error,
                             const char **style)
{
    int found = find(word);

    *style = NULL;
    if (!word)
        return 0;
    if (found < 0)
        return weir_error_usage(error, place,
                                "--compat: the layout of mdtest %s is not known; there are 1.9.3, "
                                "3.2, 3.3, 4.0 and 4.1",
                                word);
    *style = versions[found].style;
    return 0;
}

bool weir_mdtest_version_has_old_names(const char *word)
{
    int found = find(word);

    return found >= 0 && versions[found].has_old_names;
}
