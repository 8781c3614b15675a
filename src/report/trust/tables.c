/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and tables of our block. */
#include "tables.h"

#include <stdarg.h>
#include <stdio.h>

#define PREFIX "weir"

void weir_trust_line(struct weir_text *text, const char *format, ...)
{
    struct weir_text line = {0};
    va_list arguments;

    va_start(arguments, format);
    weir_text_add_list(&line, format, arguments);
    va_end(arguments);
    while (line.length > 0 && line.data[line.length - 1] == ' ')
        line.data[--line.length] = '\0';
    weir_text_add(text, PREFIX "%s", line.length > 0 ? "  " : "");
    weir_text_add_visible(text, weir_text_string(&line));
    weir_text_add(text, "\n");
    weir_text_close(&line);
}

/* What the verb of a phase on trees is done to. */
static const char *kind_of(const struct weir_names *names)
{
    if (names->item == NULL)
        return "tree";
    return names->is_directory ? "dirs" : "files";
}

static const char *activity_of(const struct weir_phase *phase)
{
    return phase->is_check ? "check" : phase->is_prefill ? "fill" : weir_verb_name(phase->verb);
}

bool weir_trust_counts_ops(const struct weir_phase *phase)
{
    return weir_verb_works_on_trees(phase->verb) || phase->verb == WEIR_PROGRAM;
}

void weir_trust_add_phase(struct weir_text *text, const struct weir_phase *phase)
{
    bool has_kind = weir_verb_works_on_trees(phase->verb);

    weir_text_add(text, "%s%s%s", activity_of(phase), has_kind ? " " : "",
                  has_kind ? kind_of(&phase->names) : "");
    if (phase->program != NULL)
        weir_text_add(text, " %s", phase->program->path);
}

char *weir_trust_phase(const struct weir_repetitions *all, const char *iteration,
                       char buffer[WEIR_TRUST_PHASE_BYTES])
{
    const struct weir_phase *phase = all->phase;
    const char *activity = activity_of(phase);

    if (weir_trust_counts_ops(phase))
        snprintf(buffer, WEIR_TRUST_PHASE_BYTES, "  %4u %4s %-9s %-5s", all->test, iteration,
                 activity, phase->program != NULL ? "" : kind_of(&phase->names));
    else
        snprintf(buffer, WEIR_TRUST_PHASE_BYTES, "  %4u %4s %-6s", all->test, iteration, activity);
    return buffer;
}

char *weir_trust_repetition(const struct weir_repetitions *all,
                            const struct weir_phase_result *result,
                            char buffer[WEIR_TRUST_PHASE_BYTES])
{
    char iteration[16];

    snprintf(iteration, sizeof iteration, "%u", result->repetition);
    return weir_trust_phase(all, iteration, buffer);
}

void weir_trust_begin(struct weir_text *text, struct weir_trust_table *table)
{
    if (table->is_begun)
        return;
    table->is_begun = true;
    weir_trust_line(text, "%s", "");
    weir_trust_line(text, "%s", table->title);
    if (table->columns)
        weir_trust_line(text, "%s", table->columns);
}

void weir_trust_rows(struct weir_text *text, const struct weir_trust_view *view,
                     struct weir_trust_rows rows)
{
    char name[WEIR_TRUST_PHASE_BYTES];

    for (unsigned i = 0; i < view->phase_count; i++) {
        const struct weir_repetitions *all = &view->phases[i];
        unsigned count = all->whole != NULL ? 1 : all->row_count;

        if (weir_trust_counts_ops(all->phase) != rows.counts_ops)
            continue;
        for (unsigned j = 0; j < count; j++) {
            const struct weir_phase_result *row = all->whole != NULL ? all->whole : all->rows[j];

            if (rows.is_due != NULL && !rows.is_due(row))
                continue;
            if (all->whole != NULL)
                weir_trust_phase(all, "all", name);
            else
                weir_trust_repetition(all, row, name);
            weir_trust_begin(text, &rows.table);
            rows.add(text, name, all->phase, row);
        }
    }
}
