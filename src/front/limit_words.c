/* SPDX-License-Identifier: Apache-2.0 */
#include "limit_words.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Factor of "G", "GB", "GiB" and the like; 0 if it is none. */
static double unit_of(const char *text, size_t length)
{
    static const char prefixes[] = "kmgtp";
    const char *prefix = length > 0 ? strchr(prefixes, text[0] | 0x20) : NULL;
    double base = 1000.0, factor = 1.0;

    if (prefix != NULL) {
        text++;
        length--;
        if (length > 0 && (*text == 'i' || *text == 'I')) {
            base = 1024.0;
            text++;
            length--;
        }
        for (const char *each = prefixes; each <= prefix; each++)
            factor *= base;
    }
    return length == 0 || (length == 1 && text[0] == 'B') ? factor : 0.0;
}

int weir_limit_read(const char *option, const char *text, const char *place, double *per_s,
                    struct weir_error *error)
{
    char *end = NULL;
    double number = strtod(text, &end);
    double unit;
    size_t length;

    end += strspn(end, " ");
    length = strlen(end);
    if (length > 2 && strcasecmp(end + length - 2, "/s") == 0)
        length -= 2;
    unit = length > 0 ? unit_of(end, length) : 0.0;
    *per_s = number * unit;
    if (end == text || !(*per_s > 0.0) || *per_s > 1e18)
        return weir_error_usage(error, place,
                                "%s: \"%s\" is no rate; give one such as 5.5GB/s or 5GiB/s", option,
                                text);
    return 0;
}
