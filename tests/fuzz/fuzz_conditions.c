/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes conditions of --expect: the input is parsed as a list, and as a value in every unit. */
#include "weir/report/expect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const units[] = {"bytes/s", "1/s", "s", "bytes", "1"};
    struct weir_arena arena = {0};
    char *text = weir_arena_take(&arena, size + 1);
    struct weir_condition *conditions;
    struct weir_error error = {0};
    unsigned count = 0;
    double value;

    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    if (weir_conditions_parse(text, &arena, &conditions, &count, "--expect", &error) != 0 &&
        (error.exit != WEIR_EXIT_USAGE || count > 0))
        abort();
    for (unsigned i = 0; i < count; i++)
        if (conditions[i].figure[0] == '\0' || !isfinite(conditions[i].limit) ||
            conditions[i].limit < 0)
            abort();
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (weir_condition_value(text, units[i], &value) == 0 && (!isfinite(value) || value < 0))
            abort();
    weir_arena_close(&arena);
    return 0;
}
