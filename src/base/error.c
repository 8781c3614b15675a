/* SPDX-License-Identifier: Apache-2.0 */
/* Errors for humans: the first one set is the one that is told. */
#include "weir/base/error.h"

#include "weir/base/log.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sentence that did not fit shows that it goes on. */
static void mark_cut(char *text, size_t capacity)
{
    static const char ellipsis[] = "...";

    memcpy(text + capacity - sizeof ellipsis, ellipsis, sizeof ellipsis);
}

static void write_text(struct weir_error *error, const char *place, const char *format,
                       va_list arguments)
{
    size_t used = 0;
    int length;

    if (place) {
        length = snprintf(error->text, sizeof error->text, "%s: ", place);
        used = length < 0 ? 0 : (size_t)length;
    }
    if (used < sizeof error->text) {
        length = vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
        used += length < 0 ? 0 : (size_t)length;
    }
    if (used >= sizeof error->text)
        mark_cut(error->text, sizeof error->text);
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
