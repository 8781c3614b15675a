/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and lists in dd's operands. */
#include "options.h"

#include <string.h>

/* Steps over a suffix, if there is one, and tells what it multiplies by. */
static uint64_t read_suffix(const char **text)
{
    static const char powers[] = "kMGTPE";
    uint64_t base = 1024, factor = 1;
    const char *power;

    if (**text != '\0' && strchr("cwbB", **text) != NULL) {
        factor = **text == 'w' ? 2 : **text == 'b' ? 512 : 1;
        ++*text;
        return factor;
    }
    power = **text == 'K' ? powers : **text != '\0' ? strchr(powers, **text) : NULL;
    if (power == NULL)
        return 1;
    ++*text;
    if (strncmp(*text, "iB", 2) == 0) {
        *text += 2;
    } else if (**text == 'B') {
        base = 1000;
        ++*text;
    }
    for (const char *step = powers; step <= power; step++)
        factor *= base;
    return factor;
}

/* One factor. A suffix alone is one behind an x: 2xM. False: it is none, or too large. */
static bool read_factor(const char **text, uint64_t *value)
{
    const char *begin = *text;
    size_t digits = strspn(*text, "0123456789");
    uint64_t number = digits == 0;

    for (; digits > 0; digits--, ++*text)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(**text - '0'), &number))
            return false;
    return !__builtin_mul_overflow(number, read_suffix(text), value) && *text != begin;
}

int weir_dd_number_read(const char *operand, const char *text, struct weir_dd_number *number,
                        struct weir_error *error)
{
    const char *rest = text;
    uint64_t product = 1, factor;
    bool is_number = strspn(text, "0123456789") > 0, has_more = true;

    while (is_number && has_more) {
        is_number = read_factor(&rest, &factor) &&
                    !__builtin_mul_overflow(product, factor, &product) && product <= INT64_MAX;
        has_more = *rest == 'x';
        rest += has_more;
    }
    if (!is_number || *rest != '\0')
        return weir_error_usage(error, "dd",
                                "%s=%s: no number, or one beyond 8 EiB; give digits, with c, w, b, "
                                "kB, K, KiB, MB, M, MiB and so on behind them, such as 1M or 2x512",
                                operand, text);
    *number = (struct weir_dd_number){product, strchr(text, 'B') != NULL};
    return 0;
}

bool weir_dd_list_has(const char *list, const char *word)
{
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");

        if (length == strlen(word) && strncmp(list, word, length) == 0)
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}
