/* SPDX-License-Identifier: Apache-2.0 */
/* Errors for users: the first one set is the one reported. */
#include "weir/base/error.h"

#include "weir/base/log.h"
#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct weir_exit_row weir_exit_rows[WEIR_EXIT_COUNT] = {
    [WEIR_EXIT_DONE] = {"done, and every condition that was asked for holds", 0},
    [WEIR_EXIT_FLAWED] = {"done, but operations failed, data were wrong, or a condition does not "
                          "hold",
                          2},
    [WEIR_EXIT_USAGE] = {"the command line or the plan is wrong; nothing was touched", 5},
    [WEIR_EXIT_ENVIRONMENT] = {"the host, MPI or a library lacks what is needed, a file cannot be "
                               "read or written, or nothing could be judged",
                               4},
    [WEIR_EXIT_UNFINISHED] = {"unfinished, or rows are undecided under --fail-if-unsure", 1},
    [WEIR_EXIT_MISSING_CASES] = {"the cases of --expect-cases are not all there", 3},
};

enum weir_exit weir_exit_worse(enum weir_exit one, enum weir_exit other)
{
    return weir_exit_rows[other].precedence > weir_exit_rows[one].precedence ? other : one;
}

/* Room for two paths. */
#define WHOLE_TEXT_BYTES 12288

/* A sentence that does not fit loses the middle of its paths, and not its cause, which is last. */
static void write_text(struct weir_error *error, const char *place, const char *format,
                       va_list arguments)
{
    char whole[WHOLE_TEXT_BYTES];
    size_t used = 0;

    whole[0] = '\0';
    if (place)
        used = (size_t)snprintf(whole, sizeof whole, "%s: ", place);
    if (used < sizeof whole)
        vsnprintf(whole + used, sizeof whole - used, format, arguments);
    weir_text_shorten(whole, sizeof error->text);
    memcpy(error->text, whole, strlen(whole) + 1);
}

int weir_error_set(struct weir_error *error, enum weir_exit exit, int code, const char *place,
                   const char *format, ...)
{
    va_list arguments;

    assert(code < 0);
    if (weir_error_is_set(error))
        return error->code;
    error->code = code;
    error->exit = exit;
    va_start(arguments, format);
    write_text(error, place, format, arguments);
    va_end(arguments);
    return code;
}

int weir_error_usage(struct weir_error *error, const char *place, const char *format, ...)
{
    va_list arguments;

    if (weir_error_is_set(error))
        return error->code;
    error->code = -EINVAL;
    error->exit = WEIR_EXIT_USAGE;
    va_start(arguments, format);
    write_text(error, place, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

void weir_error_out_of_memory(void)
{
    weir_log(WEIR_LOG_ERROR, "out of memory for the description of the run");
    exit(WEIR_EXIT_ENVIRONMENT);
}
