/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines as words, read by the front end against the includer's `backends`. */
#ifndef WEIR_TESTS_FRONT_BED_H
#define WEIR_TESTS_FRONT_BED_H

#include "weir/front/front.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WORDS_MAX 24

/* Defined by the includer. */
static const struct weir_backends backends;

static int read_words(const char *const words[], struct weir_command *command,
                      struct weir_error *error)
{
    int count = 0;

    while (count < WORDS_MAX && words[count])
        count++;
    *error = (struct weir_error){0};
    return weir_front_read(count, words, &backends, command, error);
}

/* The plan of words that must be right. */
static inline const struct weir_plan *plan_of(const char *const words[],
                                              struct weir_command *command)
{
    struct weir_error error;

    if (read_words(words, command, &error))
        fail_msg("%s", error.text);
    return command->plan;
}

#endif
