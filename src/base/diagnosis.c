/* SPDX-License-Identifier: Apache-2.0 */
/* A list of verdicts that grows. */
#include "weir/base/diagnosis.h"

#include "weir/base/text.h"

#include <stdarg.h>
#include <string.h>

static void grow(struct weir_diagnosis *diagnosis)
{
    size_t capacity = diagnosis->capacity > 0 ? 2 * diagnosis->capacity : 16;
    struct weir_diagnosis_line *lines =
        weir_arena_take(&diagnosis->arena, capacity * sizeof *lines);

    if (diagnosis->count > 0)
        memcpy(lines, diagnosis->lines, diagnosis->count * sizeof *lines);
    diagnosis->lines = lines;
    diagnosis->capacity = capacity;
}

void weir_diagnosis_add(struct weir_diagnosis *diagnosis, enum weir_verdict verdict,
                        const char *subject, const char *remedy, const char *format, ...)
{
    struct weir_text text = {0};
    va_list arguments;

    if (diagnosis->count == diagnosis->capacity)
        grow(diagnosis);
    va_start(arguments, format);
    weir_text_add_list(&text, format, arguments);
    va_end(arguments);
    diagnosis->lines[diagnosis->count++] = (struct weir_diagnosis_line){
        .verdict = verdict,
        .subject = weir_arena_copy(&diagnosis->arena, subject),
        .text = weir_arena_copy(&diagnosis->arena, weir_text_string(&text)),
        .remedy = weir_arena_copy(&diagnosis->arena, remedy),
    };
    weir_text_close(&text);
}

void weir_diagnosis_close(struct weir_diagnosis *diagnosis)
{
    weir_arena_close(&diagnosis->arena);
    *diagnosis = (struct weir_diagnosis){0};
}
