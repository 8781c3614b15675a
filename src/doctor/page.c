/* SPDX-License-Identifier: Apache-2.0 */
/* The page: headings, verdicts in a column, remedies below them, and the totals. */
#include "subjects.h"

#include <string.h>

enum { PAGE_COLUMNS = 118, VERDICT_COLUMNS = 9, SUBJECT_COLUMNS = 16, INDENT = 2 };

#define TEXT_COLUMN (INDENT + VERDICT_COLUMNS + SUBJECT_COLUMNS)

/* Bytes of `words` that fit into `room`: up to a blank, or more if there is none. */
static size_t length_that_fits(const char *words, size_t room)
{
    size_t length = strlen(words);
    size_t fitting = 0;

    if (length <= room)
        return length;
    for (size_t i = 0; (i <= room || fitting == 0) && words[i] != '\0'; i++)
        if (words[i] == ' ')
            fitting = i;
    return fitting > 0 ? fitting : length;
}

/* From column `indent`, where the text already is. */
static void add_wrapped(struct weir_text *text, const char *words, size_t indent)
{
    for (;;) {
        size_t length = length_that_fits(words, PAGE_COLUMNS - indent);

        weir_text_add_bytes(text, words, length);
        weir_text_add(text, "\n");
        words += length + strspn(words + length, " ");
        if (*words == '\0')
            return;
        weir_text_add(text, "%*s", (int)indent, "");
    }
}

/* Remedies are lines of their own, and not wrapped: commands in them are to be copied. */
static void add_remedies(struct weir_text *text, const char *remedies)
{
    while (*remedies != '\0') {
        size_t length = strcspn(remedies, "\n");

        weir_text_add(text, "%*s-> %.*s\n", INDENT + VERDICT_COLUMNS, "", (int)length, remedies);
        remedies += length + (remedies[length] == '\n');
    }
}

static void add_line(struct weir_text *text, const struct weir_diagnosis_line *line)
{
    size_t subject_length = strlen(line->subject);
    int gap = subject_length < SUBJECT_COLUMNS ? SUBJECT_COLUMNS - (int)subject_length : 1;

    weir_text_add(text, "%*s%-*s%s%*s", INDENT, "", VERDICT_COLUMNS,
                  weir_verdict_name(line->verdict), line->subject, gap, "");
    add_wrapped(text, line->text, TEXT_COLUMN);
    if (line->remedy != NULL)
        add_remedies(text, line->remedy);
}

void weir_doctor_write_page(const struct weir_diagnosis *diagnosis, struct weir_text *text)
{
    const char *heading = "";

    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct weir_diagnosis_line *line = &diagnosis->lines[i];

        if (strcmp(line->heading, heading) != 0)
            weir_text_add(text, "\n%s\n", line->heading);
        heading = line->heading;
        add_line(text, line);
    }
    weir_text_add(text, "\n%zu good, %zu limited, %zu missing\n",
                  weir_diagnosis_count(diagnosis, WEIR_GOOD),
                  weir_diagnosis_count(diagnosis, WEIR_LIMITED),
                  weir_diagnosis_count(diagnosis, WEIR_MISSING));
}
