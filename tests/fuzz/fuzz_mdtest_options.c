/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the command line of mdtest, or with WEIR_FUZZ_COMPARE that of weir compare: the input, split
 * at blanks, is read as the program's words, and the plan explained. */
#include "fuzz_backends.h"

#include <assert.h>
#include <string.h>

#define WORDS_MAX 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A first word without a dash would be a command. */
#ifdef WEIR_FUZZ_COMPARE
    const char *words[WORDS_MAX] = {"weir", "compare"};
#else
    const char *words[WORDS_MAX] = {"mdtest", "--plain"};
#endif
    struct weir_arena arena = {0};
    struct weir_command command;
    struct weir_error error = {0};
    struct weir_text text = {0};
    char *input = weir_arena_take(&arena, size + 1);
    int count = 2, failure;

    if (size > 0)
        memcpy(input, data, size);
    while (count < WORDS_MAX && *input != '\0') {
        size_t length = strcspn(input, " \n");

        words[count++] = input;
        input += length;
        if (*input != '\0')
            *input++ = '\0';
    }
    failure = weir_front_read(count, words, &weir_fuzz_backends, &command, &error);
    assert(!failure == !weir_error_is_set(&error));
    if (command.plan)
        weir_plan_explain(command.plan, &text);
    weir_text_close(&text);
    weir_command_close(&command);
    weir_arena_close(&arena);
    return 0;
}
