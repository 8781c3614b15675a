/* SPDX-License-Identifier: Apache-2.0 */
/* The releases of IOR whose layouts are known, by their numbers. */
#include "version.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *number;
    enum weir_compat compat;
} versions[] = {
    {"2.10", WEIR_COMPAT_IOR_2_10}, {"3.0", WEIR_COMPAT_IOR_3_0}, {"3.2", WEIR_COMPAT_IOR_3_2},
    {"3.3", WEIR_COMPAT_IOR_3_3},   {"4.0", WEIR_COMPAT_IOR_4_0}, {"4.1", WEIR_COMPAT_IOR_4_1},
};

/* "3.0", "3.0.1" and "3.0+dev" are all of 3.0, and "3.01" is not. */
static bool is_of(const char *word, const char *number)
{
    size_t length = strlen(number);

    return strncmp(word, number, length) == 0 && !isalnum((unsigned char)word[length]);
}

int weir_ior_version_read(const char *word, const char *place, struct weir_error *error,
                          enum weir_compat *compat)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (is_of(word, versions[i].number)) {
            *compat = versions[i].compat;
            return 0;
        }
    }
    return weir_error_usage(error, place,
                            "--compat: the layout of IOR %s is not known; there are 2.10, 3.0, "
                            "3.2, 3.3, 4.0 and 4.1",
                            word);
}
