/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a comparison for people, and its JSON document. */
#include "compare.h"

#include "json_fields.h"

#include "weir/base/version.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CELL_BYTES 192
#define COLUMNS 8
#define WIDTH 100 /* of a line */

static const char *const verdict_names[] = {
    [WEIR_COMPARE_FASTER] = "faster",
    [WEIR_COMPARE_SLOWER] = "SLOWER",
    [WEIR_COMPARE_SAME] = "same",
    [WEIR_COMPARE_NO_DIFFERENCE] = "no difference seen",
    [WEIR_COMPARE_CANNOT_TELL] = "cannot tell",
    [WEIR_COMPARE_NOT_COMPARABLE] = "not comparable",
};

static const char *or_none(const char *value)
{
    return value[0] != '\0' ? value : "(none)";
}

static unsigned count_decided(const unsigned verdicts[])
{
    return verdicts[WEIR_COMPARE_FASTER] + verdicts[WEIR_COMPARE_SLOWER] +
           verdicts[WEIR_COMPARE_SAME];
}

static unsigned count_undecided(const unsigned verdicts[])
{
    return verdicts[WEIR_COMPARE_NO_DIFFERENCE] + verdicts[WEIR_COMPARE_CANNOT_TELL];
}

/* ---- names of rows ---- */

#define CASE_PARTS 9 /* besides one per key */

/* The name of a case, and texts of what it may differ in from others of the same name. */
static const char **parts_of(struct weir_comparison_table *table,
                             const struct weir_compare_sample *sample)
{
    const struct weir_measured_phase *phase = sample->phase;
    struct weir_arena *arena = &table->arena;
    const char **parts = weir_arena_take(arena, (CASE_PARTS + table->key_count) * sizeof *parts);
    char size[WEIR_SIZE_TEXT_BYTES];

    for (unsigned k = 0; k < CASE_PARTS + table->key_count; k++)
        parts[k] = "";
    parts[0] = phase->name;
    if (phase->transfer_bytes > 0)
        parts[0] = weir_arena_printf(arena, "%s %s", phase->name,
                                     weir_size_format_exact(phase->transfer_bytes, size));
    parts[1] = phase->dialect;
    parts[2] = phase->backend;
    parts[3] = phase->layout;
    parts[4] = phase->pattern;
    if (phase->block_bytes > 0)
        parts[5] = weir_arena_printf(arena, "blocks of %s",
                                     weir_size_format_exact(phase->block_bytes, size));
    if (phase->segments > 0)
        parts[6] = weir_arena_printf(arena, "%" PRIu64 " segments", phase->segments);
    if (phase->items > 0)
        parts[7] = weir_arena_printf(arena, "%" PRIu64 " items", phase->items);
    if (phase->depth > 0)
        parts[8] = weir_arena_printf(arena, "depth %u", phase->depth);
    for (unsigned k = 0; k < table->key_count; k++)
        if (table->keys[k].is_matched && !table->keys[k].is_compared && !table->keys[k].is_across)
            parts[CASE_PARTS + k] =
                weir_arena_printf(arena, "%s %s", table->keys[k].name, or_none(sample->values[k]));
    return parts;
}

void weir_compare_set_names(struct weir_comparison_table *table)
{
    unsigned lines = table->judged.count, count = lines + table->unmatched_count;
    unsigned part_count = CASE_PARTS + table->key_count;
    struct weir_arena *arena = &table->arena;
    const char ***parts = weir_arena_take(arena, (count + 1) * sizeof *parts);
    bool *differs = weir_arena_take(arena, part_count * sizeof *differs);
    struct weir_text name = {0};

    for (unsigned i = 0; i < count; i++)
        parts[i] =
            parts_of(table, i < lines ? table->lines[i].a : table->unmatched[i - lines].sample);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_compare_line *line = i < lines ? &table->lines[i] : NULL;

        memset(differs, 0, part_count * sizeof *differs);
        for (unsigned other = 0; other < count; other++)
            for (unsigned k = 1; k < part_count && strcmp(parts[i][0], parts[other][0]) == 0; k++)
                differs[k] |= strcmp(parts[i][k], parts[other][k]) != 0;
        weir_text_clear(&name);
        if (line != NULL && table->request->figures != NULL)
            weir_text_add(&name, "%s of ", line->figure->name);
        weir_text_add(&name, "%s", parts[i][0]);
        for (unsigned k = 1; k < part_count; k++)
            if (differs[k] && parts[i][k][0] != '\0')
                weir_text_add(&name, ", %s", parts[i][k]);
        for (unsigned k = 0; line != NULL && k < table->key_count && table->group_count > 2; k++)
            if (table->keys[k].is_compared)
                weir_text_add(&name, ", %s", or_none(line->b->values[k]));
        /* Cases that differ in nothing that is shown. */
        for (unsigned k = 0; line != NULL && k < i; k++)
            if (strcmp(table->lines[k].name, weir_text_string(&name)) == 0 &&
                strcmp(table->lines[k].a->match, line->a->match) != 0)
                weir_text_add(&name, ", case %.8s", line->a->phase->case_id);
        *(line != NULL ? &table->lines[i].name : &table->unmatched[i - lines].name) =
            weir_arena_copy(arena, weir_text_string(&name));
    }
    weir_text_close(&name);
}

/* ---- text ---- */

static void format_value(char cell[CELL_BYTES], double value, const char *unit)
{
    char duration[WEIR_DURATION_TEXT_BYTES], rate[WEIR_RATE_TEXT_BYTES];

    if (!(value > 0)) {
        cell[0] = '\0';
        return;
    }
    if (strcmp(unit, "s") == 0) {
        snprintf(cell, CELL_BYTES, "%s", weir_duration_format(value, duration));
        return;
    }
    snprintf(cell, CELL_BYTES, "%s",
             weir_rate_format(value, strcmp(unit, "bytes/s") == 0 ? "B/s" : "/s", rate));
}

/* Appends the keys of --across that are not compared or, of a sample, their values: "4,old". */
static void add_across(const struct weir_comparison_table *table, struct weir_text *text,
                       const struct weir_compare_sample *sample)
{
    size_t begin = text->length;

    for (unsigned k = 0; k < table->key_count; k++)
        if (table->keys[k].is_across && !table->keys[k].is_compared)
            weir_text_add(text, "%s%s", text->length > begin ? "," : "",
                          sample != NULL ? or_none(sample->values[k]) : table->keys[k].name);
}

/* Cells of a row: case, keys of --across, A, B, change, 95 % range, detectable, verdict. Unknown
 * ones are empty. */
static void fill_cells(const struct weir_comparison_table *table, unsigned number,
                       char cells[COLUMNS][CELL_BYTES])
{
    const struct weir_compare_line *line = &table->lines[number];
    const struct weir_compare_row *row = &table->judged.rows[number];
    const char *verdict = verdict_names[row->verdict];
    struct weir_text across = {0};

    memset(cells, 0, COLUMNS * CELL_BYTES);
    snprintf(cells[0], CELL_BYTES, "%s", line->name);
    weir_text_make_visible(cells[0], "");
    add_across(table, &across, line->a);
    if (across.length > 0) {
        weir_text_add(&across, " -> ");
        add_across(table, &across, line->b);
        snprintf(cells[1], CELL_BYTES, "%s", weir_text_string(&across));
        weir_text_make_visible(cells[1], "");
    }
    weir_text_close(&across);
    format_value(cells[2], row->a.median, line->figure->unit);
    format_value(cells[3], row->b.median, line->figure->unit);
    if (row->ratio > 0)
        snprintf(cells[4], CELL_BYTES, "%+.1f %%", 100 * (row->ratio - 1));
    if (row->has_range) {
        double low = 100 * (row->ratio_low - 1), high = 100 * (row->ratio_high - 1);
        double detectable = 100 * row->detectable;

        snprintf(cells[5], CELL_BYTES, "%+.*f..%+.*f %%", fabs(low) < 9.95, low, fabs(high) < 9.95,
                 high);
        snprintf(cells[6], CELL_BYTES, "%.*f %%", detectable < 9.95, detectable);
    }
    if (row->verdict == WEIR_COMPARE_SAME)
        snprintf(cells[7], CELL_BYTES, "same within %g %%", 100 * table->judged.limit);
    else if (row->verdict == WEIR_COMPARE_CANNOT_TELL && !row->has_range)
        snprintf(cells[7], CELL_BYTES, "%s (one measurement)", verdict);
    else if (row->verdict == WEIR_COMPARE_CANNOT_TELL && row->runs_needed > 0)
        snprintf(cells[7], CELL_BYTES, "%s (%u runs would)", verdict, row->runs_needed);
    else
        snprintf(cells[7], CELL_BYTES, "%s", verdict);
}

/* Names that do not fit into 100 columns are on lines of their own. */
static void add_rows(const struct weir_comparison_table *table, struct weir_text *text)
{
    static const char *const heads[COLUMNS] = {"case",   "",           "A",          "B",
                                               "change", "95 % range", "detectable", "verdict"};
    char cells[COLUMNS][CELL_BYTES];
    int widths[COLUMNS] = {0}, room = WIDTH;
    struct weir_text across = {0};

    add_across(table, &across, NULL);

    for (unsigned line = 0; line < 2 * (table->judged.count + 1); line++) {
        unsigned i = line % (table->judged.count + 1);
        bool is_wide;

        for (unsigned c = 0; i == 0 && c < COLUMNS; c++)
            snprintf(cells[c], CELL_BYTES, "%s", c == 1 ? weir_text_string(&across) : heads[c]);
        if (i > 0)
            fill_cells(table, i - 1, cells);
        /* The first pass measures, the second one prints. */
        if (line < table->judged.count + 1) {
            for (unsigned c = 0; c < COLUMNS; c++)
                widths[c] = (int)fmax(widths[c], (double)strlen(cells[c]));
            continue;
        }
        for (unsigned c = 1; i == 0 && c < COLUMNS; c++)
            room -= widths[c] > 0 ? widths[c] + 2 : 0;
        widths[0] = (int)fmin(widths[0], fmax(room, 4));
        is_wide = (int)strlen(cells[0]) > widths[0];
        weir_text_add(text, "%-*s%s", widths[0], cells[0], is_wide ? "\n" : "");
        if (is_wide)
            weir_text_add(text, "%*s", widths[0], "");
        for (unsigned c = 1; c + 1 < COLUMNS; c++)
            if (widths[c] > 0)
                weir_text_add(text, "  %*s", widths[c], cells[c]);
        weir_text_add(text, "  %s\n", cells[COLUMNS - 1]);
    }
    weir_text_close(&across);
}

/* How many runs a side has, and of which files. */
static void add_side(const struct weir_comparison_table *table, struct weir_text *text, int group)
{
    const char *first = NULL, *latest = NULL;
    unsigned files = 0, runs = 0;

    for (unsigned i = 0; i < table->run_count; i++) {
        const char *source = table->runs[i]->source;

        if (table->run_groups[i] != group)
            continue;
        runs++;
        files += latest == NULL || strcmp(latest, source) != 0;
        first = first != NULL ? first : source;
        latest = source;
    }
    weir_text_add(text, "%s  %u run%s of ",
                  table->request->by != NULL ? "runs"
                  : group > 0                ? "B"
                                             : "A",
                  runs, runs == 1 ? "" : "s");
    weir_text_add_visible(text, first);
    if (files > 1)
        weir_text_add(text, " and %u more file%s", files - 1, files == 2 ? "" : "s");
    weir_text_add(text, "\n");
}

/* Appends a value of a key or, of a list, the words in it that the other value lacks. */
static void add_value(struct weir_text *text, const char *own, const char *other, bool is_list)
{
    struct weir_text words = {0};

    for (size_t length; is_list && own != NULL && other != NULL && *own != '\0';
         own += length + (own[length] != '\0')) {
        bool is_common;

        length = strcspn(own, ", ");
        is_common = length == 0;
        for (const char *at = other; *at != '\0' && !is_common;) {
            size_t other_length = strcspn(at, ", ");

            is_common = other_length == length && strncmp(at, own, length) == 0;
            at += other_length + (at[other_length] != '\0');
        }
        if (!is_common)
            weir_text_add(&words, "%s%.*s", words.length > 0 ? " " : "", (int)length, own);
    }
    if (words.length == 0 && !is_list)
        weir_text_add(&words, "%s", own != NULL ? own : "(several)");
    weir_text_add(text, "%s", or_none(weir_text_string(&words)));
    weir_text_close(&words);
}

/* Appends "HEAD A -> B", in two lines if one were too wide; then long words are cut. */
static void add_change(struct weir_text *text, const char *head, const char *a, const char *b)
{
    const char *const values[2] = {a, b};
    int indent = (int)strlen(head);
    bool is_wide = strlen(head) + strlen(a) + strlen(" -> ") + strlen(b) > WIDTH;

    weir_text_add(text, "%s", head);
    for (int side = 0; side < 2; side++) {
        struct weir_text value = {0};

        weir_text_add_visible(&value, values[side]);
        if (is_wide)
            weir_text_shorten(value.data, WIDTH - (size_t)indent - 3 + 1);
        if (side > 0)
            weir_text_add(text, is_wide ? "\n%*s-> " : "%*s -> ", is_wide ? indent : 0, "");
        weir_text_add(text, "%s", value.data);
        weir_text_close(&value);
    }
    weir_text_add(text, "\n");
}

/* The keys that are compared or, else, those in which groups differ besides. */
static void add_keys(const struct weir_comparison_table *table, struct weir_text *text,
                     bool is_compared)
{
    struct weir_text head = {0}, one = {0}, other = {0};

    for (unsigned k = 0; k < table->key_count; k++) {
        const struct weir_compare_key *key = &table->keys[k];
        const char *a = key->values[0], *b;
        bool is_list = strcmp(key->name, "command") == 0 || strcmp(key->name, "options") == 0;

        for (unsigned g = 1; g < table->group_count && key->is_compared == is_compared; g++) {
            b = key->values[g];
            if (a == b || (a != NULL && b != NULL && strcmp(a, b) == 0))
                continue;
            weir_text_clear(&head);
            weir_text_clear(&one);
            weir_text_clear(&other);
            weir_text_add(&head, is_compared ? "compared: " : "differs: ");
            weir_text_add_visible(&head, key->name);
            weir_text_add(&head, " ");
            add_value(&one, a, b, is_list && a != NULL && b != NULL);
            add_value(&other, b, a, is_list && a != NULL && b != NULL);
            add_change(text, head.data, one.data, other.data);
        }
    }
    weir_text_close(&head);
    weir_text_close(&one);
    weir_text_close(&other);
}

/* What is compared, what else differs, and the order of runs. */
static void add_preface(const struct weir_comparison_table *table, struct weir_text *text)
{
    unsigned earlier = 0;

    add_side(table, text, 0);
    if (table->request->by == NULL)
        add_side(table, text, 1);
    add_keys(table, text, true);
    add_keys(table, text, false);
    for (unsigned i = 0; i < table->judged.count; i++)
        earlier += table->judged.rows[i].earlier_count >= WEIR_COMPARE_EARLIER_LEAST;
    if (table->request->earlier.path_count > 0)
        weir_text_add(text, "noise: of at least %d earlier runs in %u of %u rows\n",
                      WEIR_COMPARE_EARLIER_LEAST, earlier, table->judged.count);
    if (table->precedence > WEIR_COMPARE_PRECEDENCE_MAX ||
        table->precedence < 1 - WEIR_COMPARE_PRECEDENCE_MAX)
        weir_text_add(text,
                      "not interleaved: %c ran before %c, and drift looks like a difference -> run "
                      "A and B by turns\n",
                      table->precedence > 0.5 ? 'A' : 'B', table->precedence > 0.5 ? 'B' : 'A');
    if (table->drift != 0)
        weir_text_add(text, "drift: later repetitions are %s (rank correlation with time %+.2f)\n",
                      table->drift > 0 ? "faster" : "slower", table->drift);
}

/* Cases that are not comparable, with the reason, and those without a partner. */
static void add_others(const struct weir_comparison_table *table, struct weir_text *text)
{
    for (unsigned i = 0; i < table->judged.count; i++)
        if (table->lines[i].obstacle != NULL) {
            weir_text_add(text, "not comparable: ");
            weir_text_add_visible(text, table->lines[i].name);
            weir_text_add(text, ": ");
            weir_text_add_visible(text, table->lines[i].obstacle);
            weir_text_add(text, "\n");
        }
    for (unsigned i = 0; i < table->unmatched_count; i++) {
        const struct weir_compare_unmatched *one = &table->unmatched[i];
        size_t begin = text->length;
        bool is_known;

        if (table->group_count == 2)
            weir_text_add(text, "only in %c: ", one->sample->group > 0 ? 'B' : 'A');
        else
            weir_text_add(text, "not in group %d: ", one->group + 1);
        weir_text_add(text, "%s", one->name);
        if (one->hint[0] != '\0')
            weir_text_add(text, " (the other side differs in %s: --across %s)", one->hint,
                          one->hint);
        weir_text_make_visible(text->data + begin, "");
        weir_text_add(text, "\n");
        /* The plans of write and read, and those of A and B, often differ in the same. */
        is_known = one->plans[0] == NULL;
        for (unsigned k = 0; k < i && !is_known; k++)
            is_known = table->unmatched[k].plans[0] != NULL &&
                       strcmp(one->plans[0], table->unmatched[k].plans[0]) == 0 &&
                       strcmp(one->plans[1], table->unmatched[k].plans[1]) == 0;
        if (!is_known)
            add_change(text, "    plan: ", or_none(one->plans[0]), or_none(one->plans[1]));
    }
}

void weir_compare_print(const struct weir_comparison_table *table, struct weir_text *text)
{
    const unsigned *verdicts = table->judged.verdicts;

    add_preface(table, text);
    weir_text_add(text, "\n");
    if (table->judged.count > 0)
        add_rows(table, text);
    add_others(table, text);
    weir_text_add(text, "%u row%s: %u decided, %u undecided, ", table->judged.count,
                  table->judged.count == 1 ? "" : "s", count_decided(verdicts),
                  count_undecided(verdicts));
    if (verdicts[WEIR_COMPARE_NOT_COMPARABLE] > 0)
        weir_text_add(text, "%u not comparable, ", verdicts[WEIR_COMPARE_NOT_COMPARABLE]);
    weir_text_add(text, "%u unmatched; exit %d: ", table->unmatched_count, table->exit_code);
    weir_text_add_visible(text, weir_text_string(&table->reason));
    weir_text_add(text, "\n");
}

/* ---- JSON ---- */

static json_t *run_json(const struct weir_measured_run *run)
{
    return json_pack("{s:o, s:o}", "run_id", weir_json_readable(run->run_id), "file",
                     weir_json_readable(run->source));
}

static json_t *runs_json(const struct weir_comparison_table *table, int group)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < table->run_count; i++)
        if (table->run_groups[i] == group)
            json_array_append_new(list, run_json(table->runs[i]));
    return list;
}

/* With --by, a run may be in several groups: those of its phases. */
static json_t *groups_json(const struct weir_comparison_table *table)
{
    json_t *list = json_array();

    for (unsigned g = 0; g < table->group_count; g++) {
        const char *value = NULL;
        json_t *runs = table->request->by == NULL ? runs_json(table, (int)g) : json_array();

        for (unsigned k = 0; k < table->key_count && table->request->by != NULL; k++)
            if (strcmp(table->keys[k].name, table->request->by) == 0)
                value = table->keys[k].values[g];
        for (unsigned i = 0; i < table->run_count && table->request->by != NULL; i++) {
            bool is_in = false;

            for (unsigned k = 0; k < table->sample_count; k++)
                is_in |= table->samples[k].group == (int)g &&
                         table->samples[k].phase->run == table->runs[i];
            if (is_in)
                json_array_append_new(runs, run_json(table->runs[i]));
        }
        json_array_append_new(
            list, json_pack("{s:o, s:o}", "value",
                            value != NULL ? weir_json_readable(value) : json_null(), "runs", runs));
    }
    return list;
}

/* Keys whose values differ between groups; null = several values in a group. */
static json_t *keys_json(const struct weir_comparison_table *table, bool is_compared)
{
    json_t *list = json_array();

    for (unsigned k = 0; k < table->key_count; k++) {
        const struct weir_compare_key *key = &table->keys[k];
        json_t *values = json_array();
        bool differs = false;

        for (unsigned g = 0; g < table->group_count; g++) {
            differs |= key->values[g] != key->values[0] &&
                       (key->values[0] == NULL || key->values[g] == NULL ||
                        strcmp(key->values[0], key->values[g]) != 0);
            json_array_append_new(
                values, key->values[g] != NULL ? weir_json_readable(key->values[g]) : json_null());
        }
        if (differs && key->is_compared == is_compared)
            json_array_append_new(list, json_pack("{s:o, s:O}", "key",
                                                  weir_json_readable(key->name), "values", values));
        json_decref(values);
    }
    return list;
}

static json_t *known(double value, bool is_known)
{
    return is_known ? weir_json_number(value) : json_null();
}

static json_t *row_json(const struct weir_comparison_table *table, unsigned number)
{
    const struct weir_compare_line *line = &table->lines[number];
    const struct weir_compare_row *row = &table->judged.rows[number];

    return json_pack(
        "{s:o, s:i, s:s, s:o, s:o, s:o, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, "
        "s:o, "
        "s:o}",
        "name", weir_json_readable(line->name), "group", line->b->group, "case_id",
        line->a->phase->case_id, "phase", weir_json_readable(line->a->phase->name), "across_a",
        weir_json_readable(line->a->across), "across_b", weir_json_readable(line->b->across),
        "figure", line->figure->name, "unit", line->figure->unit, "n_a", (int)row->a.count, "n_b",
        (int)row->b.count, "a", known(row->a.median, row->a.count > 0), "b",
        known(row->b.median, row->b.count > 0), "change", known(row->ratio - 1, row->ratio > 0),
        "change_low", known(row->ratio_low - 1, row->has_range), "change_high",
        known(row->ratio_high - 1, row->has_range), "detectable",
        known(row->detectable, row->has_range), "verdict", verdict_names[row->verdict],
        "runs_needed", known(row->runs_needed, row->runs_needed > 0), "reason",
        line->obstacle != NULL ? weir_json_readable(line->obstacle) : json_null());
}

void weir_compare_print_json(const struct weir_comparison_table *table, struct weir_text *text)
{
    json_t *rows = json_array(), *unmatched = json_array();
    const unsigned *verdicts = table->judged.verdicts;

    for (unsigned i = 0; i < table->judged.count; i++)
        json_array_append_new(rows, row_json(table, i));
    for (unsigned i = 0; i < table->unmatched_count; i++) {
        const struct weir_compare_unmatched *one = &table->unmatched[i];

        json_array_append_new(
            unmatched, json_pack("{s:o, s:s, s:i, s:o}", "name", weir_json_readable(one->name),
                                 "case_id", one->sample->phase->case_id, "group",
                                 one->sample->group, "differs_in", weir_json_readable(one->hint)));
    }
    weir_json_add(
        text,
        json_pack(
            "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:i, s:i, s:i, s:i, "
            "s:o}",
            "schema", "weir-compare-1", "weir", WEIR_VERSION, "a",
            table->request->by == NULL ? runs_json(table, 0) : json_null(), "b",
            table->request->by == NULL ? runs_json(table, 1) : json_null(), "groups",
            groups_json(table), "compared", keys_json(table, true), "differs",
            keys_json(table, false), "a_before_b",
            known(table->precedence, !isnan(table->precedence)), "drift", table->drift, "limit",
            table->judged.limit, "rows", rows, "unmatched", unmatched, "decided",
            (int)count_decided(verdicts), "undecided", (int)count_undecided(verdicts),
            "not_comparable", (int)verdicts[WEIR_COMPARE_NOT_COMPARABLE], "exit_code",
            table->exit_code, "exit_reason", weir_json_readable(weir_text_string(&table->reason))),
        JSON_INDENT(2));
}
