/* SPDX-License-Identifier: Apache-2.0 */
/* The compatibility page, made from the rows that the parser reads: it cannot say anything else
 * than what is done. */
#include "compat.h"

#include "absent_backends.h"
#include "options.h"
#include "weir/base/version.h"

#include <string.h>

/* Words of a table's cell: a bar would end it, and an angle bracket begin a tag. */
static void add_cell(struct weir_text *text, const char *words)
{
    for (const char *byte = words; *byte; byte++) {
        if (*byte == '|')
            weir_text_add(text, "\\|");
        else if (*byte == '<')
            weir_text_add(text, "&lt;");
        else
            weir_text_add_bytes(text, byte, 1);
    }
}

static bool is_row(const struct weir_option *row)
{
    return row->letter != 0 || row->name;
}

/* ---- options ---- */

/* "`-b`, `--blockSize`" */
static void add_spelling(struct weir_text *text, const struct weir_option *row)
{
    if (row->letter)
        weir_text_add(text, "`-%c`", row->letter);
    if (row->letter && row->name)
        weir_text_add(text, ", ");
    if (row->name)
        weir_text_add(text, "`--%s`", row->name);
}

static const char *kind_of_value(const struct weir_option *row)
{
    switch (row->type) {
    case WEIR_OPTION_FLAG:
        return "flag";
    case WEIR_OPTION_COUNT:
    case WEIR_OPTION_INTEGER:
        return "number";
    case WEIR_OPTION_SIZE:
        return "bytes";
    case WEIR_OPTION_MICROSECONDS:
        return "microseconds";
    case WEIR_OPTION_SECONDS:
    case WEIR_OPTION_DELAY:
        return "seconds";
    case WEIR_OPTION_MINUTES:
        return "minutes";
    case WEIR_OPTION_TEXT:
        return "text";
    case WEIR_OPTION_CHOICE:
        return "word";
    case WEIR_OPTION_DIRECTIVES:
        return "directives";
    }
    return "text";
}

static void add_meaning(struct weir_text *text, const struct weir_option *row)
{
    if (row->help)
        add_cell(text, row->help);
    else
        weir_text_add(text, "known to IOR, and not taken for a mistyped word");
    weir_text_add(text, " (%s", kind_of_value(row));
    if (row->standard)
        weir_text_add(text, ", `%s` if not given", row->standard);
    weir_text_add(text, ")");
}

/* The page is the same for all builds. */
static void add_verdict(struct weir_text *text, const struct weir_option *row)
{
    if (row->refusal && !row->needs) {
        weir_text_add(text, "refused: ");
        add_cell(text, row->refusal);
        return;
    }
    weir_text_add(text, row->better ? "better: " : "same");
    if (row->better)
        add_cell(text, row->better);
    if (row->needs)
        weir_text_add(text, "%s where built with `%s`, else refused by name",
                      row->better ? ";" : ",", row->needs);
}

static void add_rows(struct weir_text *text, const struct weir_option_set *set)
{
    weir_text_add(text, "\n| option | meaning | since IOR | here |\n| --- | --- | --- | --- |\n");
    for (const struct weir_option *row = set->rows; is_row(row); row++) {
        weir_text_add(text, "| ");
        add_spelling(text, row);
        weir_text_add(text, " | ");
        add_meaning(text, row);
        weir_text_add(text, " | %s | ", row->since ? row->since : "not in IOR");
        if (row->since)
            add_verdict(text, row);
        else
            weir_text_add(text, "ours");
        weir_text_add(text, " |\n");
    }
}

static void add_modules(struct weir_text *text, const struct weir_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_descriptor *descriptor = backends->descriptors[i];

        if (!descriptor->options.rows)
            continue;
        weir_text_add(text, "\n### `-a %s`\n", descriptor->label);
        add_rows(text, &descriptor->options);
    }
}

/* ---- quirks ---- */

static void add_quirks(struct weir_text *text, const struct weir_ior_quirk_list *list)
{
    weir_text_add(text, "\n### %s\n\n| IOR | here | why |\n| --- | --- | --- |\n", list->heading);
    for (const struct weir_ior_quirk *quirk = list->quirks; quirk->theirs; quirk++) {
        weir_text_add(text, "| ");
        add_cell(text, quirk->theirs);
        weir_text_add(text, " | ");
        add_cell(text, quirk->ours);
        weir_text_add(text, " | ");
        add_cell(text, quirk->reason);
        weir_text_add(text, " |\n");
    }
}

void weir_ior_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(
        text,
        "# Weir and IOR\n\n"
        "This page is what `weir compat` prints: it is made from the tables that the parser of the "
        "command line reads, and the list of quirks in `src/front/ior/quirks.c`. A test compares "
        "the two.\n\n"
        "\"Same\" means: the same words, the same meaning, and numbers by the same definition. "
        "\"Better\": the same words and meaning, and something that the original leaves out or "
        "gets wrong. \"Refused\": the run ends with exit code 2 and a sentence before anything is "
        "touched; no word is ignored in silence. Refused words are accepted with the value "
        "that they have when they are left out, such as `noFill=0`: scripts name them all. \"Since "
        "IOR\" is the oldest release in which "
        "the word is known to work; the original is looked at up to %s.\n\n"
        "Every long name is also a key of `-O key=value[,key=value...]` and of script lines, "
        "without regard to case. In IOR, those that begin with `stoneWalling`, `summary`, `save` "
        "and `num`, and `minTimeDuration`, `interIODelay`, `memoryPerTask`, `debug` and "
        "`platform`, are such keys only (`-O minTimeDuration=10`); here they are options, too.\n\n"
        "## Options\n\n### Of IOR 4.1\n",
        WEIR_IOR_VERSION);
    add_rows(text, &weir_ior_option_set);
    weir_text_add(text, "\n### Of older versions\n");
    add_rows(text, &weir_ior_old_set);
    weir_text_add(text, "\n### Of backends that are not built\n");
    add_rows(text, &weir_absent_backend_set);
    add_modules(text, backends);
    weir_text_add(text, "\n### Beyond IOR\n");
    add_rows(text, &weir_common_set);
    add_rows(text, &weir_ior_addition_set);
    add_rows(text, &weir_ior_order_set);
    weir_text_add(text, "\n## Quirks\n\nFaults and surprises of the original, and what became of "
                        "each.\n");
    for (const struct weir_ior_quirk_list *list = weir_ior_quirk_lists; list->heading; list++)
        add_quirks(text, list);
}
