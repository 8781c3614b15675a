/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of findings and verdicts, from the tables of src/base/finding.c and src/base/verdict.c. */
#include "finding_pages.h"

#include <ctype.h>
#include <string.h>

#define COLUMNS 100

/* Appends words from column `column` on; lines that follow are indented by `indent`. */
static void add_wrapped(struct weir_text *text, const char *words, size_t column, size_t indent)
{
    bool is_first = true;

    for (const char *word = words + strspn(words, " "); *word != '\0';) {
        size_t length = strcspn(word, " ");

        if (!is_first && column + 1 + length > COLUMNS) {
            weir_text_add(text, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            weir_text_add(text, " ");
            column++;
        }
        weir_text_add_bytes(text, word, length);
        column += length;
        word += length;
        word += strspn(word, " ");
        is_first = false;
    }
    weir_text_add(text, "\n");
}

/* Appends a text of the table as sentences: with a capital, unless it begins with an option or a
 * name of the system such as cachestat(2), and with a full stop. */
static void add_sentences(struct weir_text *text, const char *words)
{
    size_t length = strcspn(words, " ,:");
    bool is_word = islower((unsigned char)*words) != 0;

    for (size_t i = 0; i < length; i++)
        is_word = is_word && (isalpha((unsigned char)words[i]) != 0 || words[i] == '\'');
    weir_text_add(text, "%c%s%s", is_word ? toupper((unsigned char)*words) : *words, words + 1,
                  words[strlen(words) - 1] == '.' ? "" : ".");
}

static void add_effect(struct weir_text *text, const struct weir_finding_row *row)
{
    /* By the halves of weir_finding_weigh(), which separates the verdicts. */
    static const char *const effects[WEIR_FINDING_WEIGHTS / 2] = {
        "void: the data are wrong (WRONG DATA), with --allow as well.",
        "void: the figure is not that of the storage (DO NOT USE).",
        "qualify: the figure is that of the part of the work that was done (PARTIAL), with --allow "
        "as well.",
        "qualify: the figure is true, but not what its name suggests (CAUTION).",
        "inform: the figure is valid.",
    };
    const struct weir_finding finding = {
        .name = row->name, .severity = row->severity, .effect = row->effect};
    unsigned verdict = weir_finding_weigh(&finding) / 2;

    weir_text_add(text, "%s", effects[verdict]);
    if (verdict != 1 && verdict != 3)
        return;
    if (row->measures != WEIR_MEASURE_STORAGE)
        weir_text_add(text, " --measure %s or --allow %s removes the effect.",
                      weir_measure_names[row->measures], row->name);
    else
        weir_text_add(text, " --allow %s removes the effect.", row->name);
}

static void add_level(struct weir_text *text, const struct weir_finding_row *row)
{
    if (row->severity == WEIR_WARNING)
        weir_text_add(text, "warning: --warningAsErrors makes the exit code 1, as does --strict.");
    else if (row->effect == WEIR_VOID)
        weir_text_add(text, "note: --strict makes the exit code 1.");
    else
        weir_text_add(text, "note: the exit code does not change.");
}

enum { FIELD_COUNT = 9 };

/* Appends field `number` of a page, and returns its title; NULL, and nothing, if it is empty. */
static const char *add_field(struct weir_text *text, const struct weir_finding_row *row,
                             unsigned number)
{
    const struct {
        const char *title;
        const char *words;
    } fields[FIELD_COUNT] = {
        {"Meaning", row->meaning}, {"Detection", row->detection}, {"Threshold", row->threshold},
        {"Effect", row->name},     {"Level", row->name},          {"Remedy", row->remedy},
        {"Test", row->test},       {"Manual", row->page},         {"Former name", row->former[0]},
    };
    const char *words = fields[number].words;

    if (words == NULL || *words == '\0')
        return NULL;
    if (number == 3)
        add_effect(text, row);
    else if (number == 4)
        add_level(text, row);
    else if (number == 7)
        weir_text_add(text, "docs/%s.md", words);
    else if (number == 8)
        weir_text_add(text, "%s%s%s", words, row->former[1] != NULL ? ", " : "",
                      row->former[1] != NULL ? row->former[1] : "");
    else
        add_sentences(text, words);
    return fields[number].title;
}

void weir_front_add_finding_page(struct weir_text *text, enum weir_finding_kind kind,
                                 const char *name)
{
    const struct weir_finding_row *row = &weir_finding_rows[kind];

    if (strcmp(name, row->name) != 0)
        weir_text_add(text, "%s is the former name of %s.\n\n", name, row->name);
    weir_text_add(text, "%s (%s, %s)\n\n", row->name, weir_severity_names[row->severity],
                  weir_effect_names[row->effect]);
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        struct weir_text words = {0};
        const char *title = add_field(&words, row, i);

        if (title != NULL) {
            weir_text_add(text, "  %-12s ", title);
            add_wrapped(text, weir_text_string(&words), 15, 15);
        }
        weir_text_close(&words);
    }
}

/* Bytes of the first sentence. */
static int first_sentence(const char *words)
{
    const char *end = strstr(words, ". ");

    return (int)(end != NULL ? (size_t)(end - words) : strlen(words));
}

void weir_front_add_finding_list(struct weir_text *text)
{
    weir_text_add(text, "%-20s %-8s %-8s %s\n", "finding", "level", "effect", "meaning");
    for (unsigned i = 0; i < WEIR_FINDING_COUNT; i++) {
        const struct weir_finding_row *row = &weir_finding_rows[i];
        struct weir_text words = {0};

        weir_text_add(&words, "%.*s", first_sentence(row->meaning), row->meaning);
        weir_text_add(text, "%-20s %-8s %-8s ", row->name, weir_severity_names[row->severity],
                      weir_effect_names[row->effect]);
        add_wrapped(text, weir_text_string(&words), 39, 39);
        weir_text_close(&words);
    }
    weir_text_add(text, "\nweir help NAME prints the page of one of them, weir help believed the "
                        "verdicts from OK to WRONG DATA.\n");
}

/* ---- verdicts ---- */

static const char about_verdicts[] =
    "The verdict of a phase is derived from its outcome, findings and evidence. "
    "The worst verdict of its phases is that of a run. Result files, JSON and CSV have it as "
    "`believed`. The exit code does not depend on it: --strict fails on the findings themselves.";

void weir_front_add_verdict_page(struct weir_text *text, enum weir_believed believed)
{
    const struct weir_believed_page *page = &weir_believed_pages[believed];
    const char *const fields[][2] = {
        {"Meaning", page->meaning}, {"Cause", page->cause}, {"Action", page->action}};

    weir_text_add(text, "%s%s (verdict)\n\n", text->length > 0 ? "\n" : "",
                  weir_believed_names[believed]);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct weir_text words = {0};

        add_sentences(&words, fields[i][1]);
        weir_text_add(text, "  %-12s ", fields[i][0]);
        add_wrapped(text, weir_text_string(&words), 15, 15);
        weir_text_close(&words);
    }
}

void weir_front_add_verdict_list(struct weir_text *text)
{
    add_wrapped(text, about_verdicts, 0, 0);
    for (unsigned i = WEIR_BELIEVED_COUNT; i-- > 0;)
        weir_front_add_verdict_page(text, i);
}

/* Appends the section of docs/findings.md. */
static void add_verdict_section(struct weir_text *text)
{
    weir_text_add(text, "## Verdicts\n\n");
    add_wrapped(text, about_verdicts, 0, 0);
    weir_text_add(text,
                  "`weir help believed` prints this section. From the worst to the best:\n\n");
    for (unsigned i = WEIR_BELIEVED_COUNT; i-- > 0;) {
        const struct weir_believed_page *page = &weir_believed_pages[i];
        struct weir_text line = {0};

        weir_text_add(&line, "* **%s**: ", weir_believed_names[i]);
        add_sentences(&line, page->meaning);
        weir_text_add(&line, " *Cause*: ");
        add_sentences(&line, page->cause);
        weir_text_add(&line, " *Action*: ");
        add_sentences(&line, page->action);
        add_wrapped(text, weir_text_string(&line), 0, 2);
        weir_text_close(&line);
    }
}

static const char manual_head[] =
    "# Findings\n"
    "\n"
    "    weir help resident         # the page of one finding\n"
    "    weir help findings         # a line for each\n"
    "    weir help believed         # the verdicts: OK, CAUTION, DO NOT USE ...\n"
    "\n"
    "A finding is one line about a figure that is not what it seems, with the reason. Reports\n"
    "print findings after the tables, the weightiest first:\n"
    "\n"
    "    weir  what to know\n"
    "    weir  note unsynced write: 100 % of the data was still in memory when the write ended -> "
    "-e\n"
    "    weir  note short read: the phase took 46 ms -> move more data\n"
    "\n"
    "Each line has level, name and phase, then the fact with its number, then the option that "
    "helps.\n"
    "A finding that another one explains is printed with `-v` only. Result files and JSON have "
    "all\n"
    "findings, each with `level`, `name`, `effect`, `text` and `explained_by`\n"
    "([result-file](result-file.md)).\n"
    "\n"
    "**Level** and **effect** are two things.\n"
    "\n"
    "| level | counted by | |\n"
    "|---|---|---|\n"
    "| warning | `--warningAsErrors`, `--strict` | exit code 1 |\n"
    "| note | `--strict`, if the effect is void | exit code 1 |\n"
    "\n"
    "| effect | the figure | verdict of the phase |\n"
    "|---|---|---|\n"
    "| void | is not that of the storage | DO NOT USE |\n"
    "| qualify | is true, but not what its name suggests | CAUTION |\n"
    "| qualify, of work that was not completed | is that of a part | PARTIAL |\n"
    "| inform | is valid | none |\n"
    "\n"
    "With `--measure cache` or `--measure memory` a cache or memory is the subject of the run, "
    "and\n"
    "findings about it have no effect. `--allow NAME` removes the effect of one finding. The "
    "result\n"
    "file records both options.\n"
    "\n"
    "Two more lines in the same place are not findings. `warning partial` counts the work of a\n"
    "phase that failed or was interrupted. `warning left` counts directories that were not "
    "removed\n"
    "because they contain files of others.\n"
    "\n"
    "This page is generated from the tables in `src/base/finding.c` and `src/base/verdict.c`.\n"
    "\n";

void weir_front_add_finding_manual(struct weir_text *text)
{
    weir_text_add(text, "%s", manual_head);
    add_verdict_section(text);
    weir_text_add(text, "\n## List of findings\n\n| finding | level | effect |\n|---|---|---|\n");
    for (unsigned i = 0; i < WEIR_FINDING_COUNT; i++)
        weir_text_add(text, "| `%s` | %s | %s |\n", weir_finding_rows[i].name,
                      weir_severity_names[weir_finding_rows[i].severity],
                      weir_effect_names[weir_finding_rows[i].effect]);
    for (unsigned i = 0; i < WEIR_FINDING_COUNT; i++) {
        const struct weir_finding_row *row = &weir_finding_rows[i];

        weir_text_add(text, "\n## %s\n\n", row->name);
        for (unsigned k = 0; k < FIELD_COUNT; k++) {
            struct weir_text words = {0}, line = {0};
            const char *title = add_field(&words, row, k);

            if (title != NULL && strcmp(title, "Manual") == 0)
                weir_text_add(&line, "* **%s**: [%s](%s.md)", title, row->page, row->page);
            else if (title != NULL)
                weir_text_add(&line, "* **%s**: %s", title, weir_text_string(&words));
            if (title != NULL)
                add_wrapped(text, weir_text_string(&line), 0, 2);
            weir_text_close(&words);
            weir_text_close(&line);
        }
    }
}
