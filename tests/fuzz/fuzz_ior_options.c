/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes IOR's command line: the input, split at blanks, is parsed, lowered and explained. Scripts
 * are not opened. */
#include "fuzz_backends.h"

#include <string.h>

#define WORDS_MAX 256

/* Splits a string in place. */
static int split(char *text, const char *words[WORDS_MAX])
{
    static const char blanks[] = " \n";
    int count = 0;

    while (count < WORDS_MAX && *text != '\0') {
        size_t length = strcspn(text, blanks);

        words[count++] = text;
        text += length;
        if (*text != '\0')
            *text++ = '\0';
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_plan *plan = weir_plan_open("ior", 0, NULL);
    struct weir_ior_request *request = weir_ior_request_new(&plan->arena, &weir_fuzz_backends);
    char *text = weir_arena_take(&plan->arena, size + 1);
    const char *words[WORDS_MAX];
    struct weir_orders orders = {0};
    struct weir_error error = {0};

    if (size > 0)
        memcpy(text, data, size);
    if (weir_front_request_parse(&request->base, split(text, words), words, &weir_ior_order_set,
                                 &orders, &error))
        weir_plan_close(plan);
    else
        weir_fuzz_lower(plan, request);
    return 0;
}
