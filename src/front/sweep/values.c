/* SPDX-License-Identifier: Apache-2.0 */

#include "values.h"

#include "weir/base/text.h"

#include <inttypes.h>
#include <string.h>

struct reader {
    const char *axis;
    const char *text; /* all of it, for errors */
    bool are_sizes;
    struct weir_sweep_values *values;
    struct weir_error *error;
};

static int read_number(const struct reader *reader, const char *word, uint64_t *number)
{
    bool has_unit = word[strspn(word, "0123456789")] != '\0';

    if (weir_size_parse(word, number) != 0 || *number == 0 || (has_unit && !reader->are_sizes))
        return weir_error_usage(reader->error, "sweep", "%s=%s: \"%s\" is not a %s above 0",
                                reader->axis, reader->text, word,
                                reader->are_sizes ? "size" : "whole number");
    return 0;
}

static int add(const struct reader *reader, uint64_t number)
{
    struct weir_sweep_values *values = reader->values;

    for (unsigned i = 0; i < values->count; i++)
        if (values->numbers[i] == number)
            return weir_error_usage(reader->error, "sweep", "%s=%s: %" PRIu64 " stands there twice",
                                    reader->axis, reader->text, number);
    if (values->count == WEIR_SWEEP_VALUES_MAX)
        return weir_error_usage(reader->error, "sweep", "%s=%s: more than %d values", reader->axis,
                                reader->text, WEIR_SWEEP_VALUES_MAX);
    values->numbers[values->count++] = number;
    return 0;
}

/* `word` is FIRST, whose end the caller has cut off, and `rest` is LASTxSTEP or LAST+STEP. */
static int add_range(const struct reader *reader, const char *word, char *rest)
{
    char *sign = strpbrk(rest, "x*+");
    bool is_product = sign != NULL && *sign != '+';
    struct reader factor = *reader;
    uint64_t first, last, step;
    int failure;

    if (sign == NULL)
        return weir_error_usage(reader->error, "sweep",
                                "%s=%s: a range says its steps, such as %s..%sx2 or %s..%s+1",
                                reader->axis, reader->text, word, rest, word, rest);
    *sign = '\0';
    factor.are_sizes = reader->are_sizes && !is_product;
    failure = read_number(reader, word, &first);
    failure = failure ? failure : read_number(reader, rest, &last);
    failure = failure ? failure : read_number(&factor, sign + 1, &step);
    if (failure)
        return failure;
    if (last < first || (is_product && step == 1))
        return weir_error_usage(reader->error, "sweep",
                                "%s=%s: the steps do not lead from %s to %s", reader->axis,
                                reader->text, word, rest);
    for (uint64_t number = first;;) {
        failure = add(reader, number);
        if (failure || (is_product ? number > last / step : step > last - number))
            return failure;
        number = is_product ? number * step : number + step;
    }
}

int weir_sweep_values_read(const char *text, bool are_sizes, const char *axis,
                           struct weir_arena *arena, struct weir_sweep_values *values,
                           struct weir_error *error)
{
    struct reader reader = {axis, text, are_sizes, values, error};
    int failure = 0;

    values->numbers = weir_arena_take(arena, WEIR_SWEEP_VALUES_MAX * sizeof *values->numbers);
    values->count = 0;
    for (char *word = weir_arena_copy(arena, text), *next; word != NULL && !failure; word = next) {
        char *dots;
        uint64_t number;

        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        dots = strstr(word, "..");
        if (dots != NULL) {
            *dots = '\0';
            failure = add_range(&reader, word, dots + 2);
        } else {
            failure = read_number(&reader, word, &number);
            failure = failure ? failure : add(&reader, number);
        }
    }
    return failure;
}

uint64_t weir_sweep_share(uint64_t total, uint64_t ranks, uint64_t transfer)
{
    uint64_t round, transfers;

    if (__builtin_mul_overflow(ranks, transfer, &round))
        return transfer;
    transfers = total / round + (total % round >= round - round / 2);
    return (transfers > 0 ? transfers : 1) * transfer;
}
