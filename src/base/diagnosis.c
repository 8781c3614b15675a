/* SPDX-License-Identifier: Apache-2.0 */
/* A list of verdicts that grows. */
#include "weir/base/diagnosis.h"

#include "weir/base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

void weir_diagnosis_begin(struct weir_diagnosis *diagnosis, const char *heading)
{
    diagnosis->heading = weir_arena_copy(&diagnosis->arena, heading);
}

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
        .heading = diagnosis->heading != NULL ? diagnosis->heading : "",
        .subject = weir_arena_copy(&diagnosis->arena, subject),
        .text = weir_arena_copy(&diagnosis->arena, weir_text_string(&text)),
        .remedy = weir_arena_copy(&diagnosis->arena, remedy),
    };
    weir_text_close(&text);
}

void weir_diagnosis_help(struct weir_diagnosis *diagnosis, const char *format, ...)
{
    struct weir_diagnosis_line *line;
    struct weir_text remedy = {0};
    va_list arguments;

    assert(diagnosis->count > 0);
    line = &diagnosis->lines[diagnosis->count - 1];
    if (line->remedy != NULL)
        weir_text_add(&remedy, "%s\n", line->remedy);
    va_start(arguments, format);
    weir_text_add_list(&remedy, format, arguments);
    va_end(arguments);
    line->remedy = weir_arena_copy(&diagnosis->arena, weir_text_string(&remedy));
    weir_text_close(&remedy);
}

size_t weir_diagnosis_count(const struct weir_diagnosis *diagnosis, enum weir_verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < diagnosis->count; i++)
        count += diagnosis->lines[i].verdict == verdict;
    return count;
}

const char *weir_verdict_name(enum weir_verdict verdict)
{
    static const char *const names[WEIR_VERDICTS] = {
        [WEIR_GOOD] = "good",
        [WEIR_LIMITED] = "limited",
        [WEIR_MISSING] = "missing",
        [WEIR_NOTED] = "note",
    };

    return names[verdict];
}

void weir_diagnosis_close(struct weir_diagnosis *diagnosis)
{
    weir_arena_close(&diagnosis->arena);
    *diagnosis = (struct weir_diagnosis){0};
}
