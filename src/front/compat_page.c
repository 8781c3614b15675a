/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a compatibility page, made from the rows that the parser reads: they cannot say
 * anything else than what is done. */
#include "compat_page.h"

#include "absent_backends.h"

/* Words of a table's cell: a bar would end it, and an angle bracket begin a tag, but in code. */
static void add_cell(struct weir_text *text, const char *words)
{
    bool is_code = false;

    for (const char *byte = words; *byte; byte++) {
        is_code ^= *byte == '`';
        if (*byte == '|')
            weir_text_add(text, "\\|");
        else if (*byte == '<' && !is_code)
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

/* "`-b`, `--blockSize`"; of an operand, "`bs`" */
static void add_spelling(struct weir_text *text, const struct weir_option *row)
{
    if (row->letter)
        weir_text_add(text, "`-%c`", row->letter);
    if (row->plus)
        weir_text_add(text, "`-+%c`", row->plus);
    if ((row->letter || row->plus) && row->name)
        weir_text_add(text, ", ");
    if (row->name)
        weir_text_add(text, "`%s%s`", row->is_operand ? "" : "--", row->name);
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
    case WEIR_OPTION_MILLISECONDS:
        return "milliseconds";
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
        weir_text_add(text, "known, and not taken for a mistyped word");
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

/* With `has_since` false, "since" is a release of another program: the original never had these. */
static void add_rows(struct weir_text *text, const char *original, bool has_since,
                     const struct weir_option_set *set)
{
    weir_text_add(text, "\n| option | meaning | since %s | here |\n| --- | --- | --- | --- |\n",
                  original);
    for (const struct weir_option *row = set->rows; is_row(row); row++) {
        weir_text_add(text, "| ");
        add_spelling(text, row);
        weir_text_add(text, " | ");
        add_meaning(text, row);
        weir_text_add(text, " | %s | ", row->since && has_since ? row->since : "never");
        if (row->since && (has_since || row->refusal))
            add_verdict(text, row);
        else
            weir_text_add(text, "ours");
        weir_text_add(text, " |\n");
    }
}

static void add_backends(struct weir_text *text, const char *original, bool has_since,
                         const struct weir_backends *backends)
{
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_descriptor *descriptor = backends->descriptors[i];

        if (!descriptor->options.rows)
            continue;
        weir_text_add(text, "\n### `-a %s`\n", descriptor->label);
        add_rows(text, original, has_since, &descriptor->options);
    }
}

void weir_compat_add_options(struct weir_text *text, const struct weir_front_tables *tables,
                             const struct weir_backends *backends)
{
    struct weir_option rows[WEIR_COMMON_ROWS_MAX];
    const struct weir_option_set common = weir_front_common_set(tables, rows);
    const char *title = tables->title;
    bool is_of_ior = tables->release == NULL; /* one release of IOR, mdtest and md-workbench */

    weir_text_add(text, "## Options\n\n### Of %s %s\n", title,
                  tables->release ? tables->release : "4.1");
    add_rows(text, title, true, tables->options);
    if (tables->old) {
        weir_text_add(text, "\n### Of older versions\n");
        add_rows(text, title, true, tables->old);
    }
    weir_text_add(text, "\n### Of backends that are not built\n");
    add_rows(text, title, is_of_ior, &weir_absent_backend_set);
    if (backends)
        add_backends(text, title, is_of_ior, backends);
    weir_text_add(text, "\n### Beyond %s\n", title);
    add_rows(text, title, true, &common);
    add_rows(text, title, true, tables->additions);
    add_rows(text, title, true, tables->orders);
}

/* ---- quirks ---- */

static void add_quirks(struct weir_text *text, const char *original,
                       const struct weir_quirk_list *list)
{
    weir_text_add(text, "\n### %s\n\n| %s | here | why |\n| --- | --- | --- |\n", list->heading,
                  original);
    for (const struct weir_quirk *quirk = list->quirks; quirk->theirs; quirk++) {
        weir_text_add(text, "| ");
        add_cell(text, quirk->theirs);
        weir_text_add(text, " | ");
        add_cell(text, quirk->ours);
        weir_text_add(text, " | ");
        add_cell(text, quirk->reason);
        weir_text_add(text, " |\n");
    }
}

void weir_compat_add_quirks(struct weir_text *text, const char *original,
                            const struct weir_quirk_list lists[])
{
    weir_text_add(text, "\n## Quirks\n\nFaults and surprises of the original, and what became of "
                        "each.\n");
    for (; lists->heading; lists++)
        add_quirks(text, original, lists);
}
