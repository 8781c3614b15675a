/* SPDX-License-Identifier: Apache-2.0 */
/* The block that a person reads: the verdict with its reasons, a line for each kind of phase, and
 * what was measured. At most 100 columns. */
#include "dialect.h"
#include "tables.h"

#include "weir/measure/median.h"
#include "weir/report/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMNS = 100,   /* of a line */
    REASONS_MAX = 2, /* that are printed */
    ROWS_MAX = 8,
};

static const char indent[] = "weir  ";

/* ---- reasons ---- */

/* Why the run's verdict is not better. `text` has remedies of the dialect already. */
struct reason {
    unsigned weight; /* weir_finding_weigh() */
    unsigned test;
    const char *name; /* of a finding; "" = another reason, which is never merged */
    const char *text;
    const struct weir_phase *phases[REASONS_MAX + 1]; /* the kinds of phases that it is true of */
    unsigned phase_count;
};

struct reasons {
    struct weir_arena *arena;
    const struct weir_plan *plan;
    struct reason *list;
    unsigned count;
    unsigned capacity;
};

/* "create files" of two tests is one kind. */
static bool is_kind(const struct weir_plan *plan, unsigned test, const struct weir_phase *one,
                    unsigned other_test, const struct weir_phase *other)
{
    char a[WEIR_SHOWN_NAME_BYTES], b[WEIR_SHOWN_NAME_BYTES];

    weir_report_phase_name(plan->tests[test], one, a);
    weir_report_phase_name(plan->tests[other_test], other, b);
    return strcmp(a, b) == 0;
}

static void add_reason(struct reasons *reasons, const struct weir_repetitions *all, unsigned weight,
                       const char *name, const char *text)
{
    const struct weir_remedy_word *words = weir_report_words_of(reasons->plan, all->test);
    char spelt[2 * WEIR_FINDING_TEXT_BYTES];
    struct reason *reason;

    for (unsigned i = 0; i < reasons->count && name[0] != '\0'; i++) {
        bool is_known = false;

        reason = &reasons->list[i];
        if (strcmp(reason->name, name) != 0 || reason->weight != weight)
            continue;
        for (unsigned k = 0; k < reason->phase_count && k <= REASONS_MAX; k++)
            is_known |=
                is_kind(reasons->plan, reason->test, reason->phases[k], all->test, all->phase);
        if (!is_known && reason->phase_count <= REASONS_MAX)
            reason->phases[reason->phase_count++] = all->phase;
        return;
    }
    if (reasons->count == reasons->capacity) {
        struct reason *grown;

        reasons->capacity = reasons->capacity == 0 ? 16 : 2 * reasons->capacity;
        grown = weir_arena_take(reasons->arena, reasons->capacity * sizeof *grown);
        if (reasons->count > 0)
            memcpy(grown, reasons->list, reasons->count * sizeof *grown);
        reasons->list = grown;
    }
    weir_remedy_spell(words, text, spelt, sizeof spelt);
    reasons->list[reasons->count++] =
        (struct reason){.weight = weight,
                        .test = all->test,
                        .name = name,
                        .text = weir_arena_copy(reasons->arena, spelt),
                        .phases = {all->phase},
                        .phase_count = 1};
}

/* The weight of a reason that no finding gives: that of findings with the same effect. */
static unsigned weigh(enum weir_effect effect, const char *name)
{
    return weir_finding_weigh(
        &(struct weir_finding){.effect = effect, .name = name, .severity = WEIR_WARNING});
}

static void add_reasons_of(struct reasons *reasons, const struct weir_repetitions *all,
                           const struct weir_phase_result *phase)
{
    char text[WEIR_FINDING_TEXT_BYTES];
    bool is_told = phase->failure[0] != '\0'; /* why it is PARTIAL */

    /* The first failure tells more than the finding of that name. */
    if (phase->failure[0] != '\0')
        add_reason(reasons, all, weigh(WEIR_QUALIFY, "failed"), "failed", phase->failure);
    for (unsigned i = 0; i < phase->finding_count; i++) {
        const struct weir_finding *finding = &phase->findings[i];

        is_told |= weir_finding_weigh(finding) / 2 == weigh(WEIR_QUALIFY, "partial") / 2;
        if (finding->effect != WEIR_INFORM && finding->explained_by == NULL)
            add_reason(reasons, all, weir_finding_weigh(finding), finding->name, finding->text);
    }
    if (phase->outcome == WEIR_OUTCOME_PARTIAL && !is_told)
        add_reason(reasons, all, weigh(WEIR_QUALIFY, "partial"), "partial",
                   phase->is_interrupted ? "was interrupted" : "did not do all that was asked for");
    if (phase->mismatches.wrong_transfers > 0) {
        snprintf(text, sizeof text, "%llu of %llu %s wrong",
                 (unsigned long long)phase->mismatches.wrong_transfers,
                 (unsigned long long)phase->mismatches.checked_transfers,
                 weir_verb_works_on_trees(all->phase->verb) ? "files are" : "transfers are");
        add_reason(reasons, all, weigh(WEIR_VOID, "wrong-data"), "wrong-data", text);
    }
    for (unsigned i = 0; i < WEIR_EVIDENCE_COUNT && phase->believed == WEIR_BELIEVED_UNVERIFIED;
         i++) {
        const struct weir_evidence *evidence = &phase->evidence[i];

        if (evidence->state != WEIR_CANNOT_OBSERVE || !weir_evidence_rows[i].is_decisive)
            continue;
        snprintf(text, sizeof text, "%s cannot be observed%s%s -> weir doctor PATH",
                 weir_evidence_rows[i].question, evidence->reason != NULL ? ": " : "",
                 evidence->reason != NULL ? evidence->reason : "");
        add_reason(reasons, all, weigh(WEIR_QUALIFY, "partial") + 1, weir_evidence_rows[i].name,
                   text);
    }
}

/* Is an alternative of a remedy an option of the command line? "--size 64m" is one if --size is. */
static bool is_given(const struct weir_plan *plan, const char *remedy, size_t length)
{
    size_t option = strcspn(remedy, " =");

    if (option > length)
        option = length;
    for (size_t i = 0; remedy[0] == '-' && i < plan->source.word_count; i++) {
        const char *word = plan->source.words[i];

        if (strncmp(word, remedy, option) == 0 && (word[option] == '\0' || word[option] == '='))
            return true;
    }
    return false;
}

/* Adds "fact -> remedy", without the alternatives of the remedy that were given already. */
static void add_fact(struct weir_text *text, const struct weir_plan *plan, const char *sentence)
{
    const char *remedy = strstr(sentence, " -> ");
    const char *separator = " -> ";

    if (remedy == NULL) {
        weir_text_add_visible(text, sentence);
        return;
    }
    weir_text_add(text, "%.*s", (int)(remedy - sentence), sentence);
    remedy += strlen(separator);
    while (*remedy != '\0') {
        const char *end = strstr(remedy, " or ");
        size_t length = end != NULL ? (size_t)(end - remedy) : strlen(remedy);

        if (!is_given(plan, remedy, length)) {
            weir_text_add(text, "%s%.*s", separator, (int)length, remedy);
            separator = " or ";
        }
        remedy += length + (end != NULL ? strlen(" or ") : 0);
    }
}

void weir_trust_broken(struct weir_text *text, const char *head, const char *sentence)
{
    size_t used = strlen(head), left;

    size_t begin = text->length;

    weir_text_add(text, "%s", head);
    while (*sentence != '\0') {
        left = strlen(sentence);
        if (used + left > COLUMNS) {
            const char *arrow = strstr(sentence, " -> ");

            left = COLUMNS - used;
            while (left > 0 && sentence[left] != ' ')
                left--;
            if (arrow != NULL && arrow > sentence && (size_t)(arrow - sentence) <= COLUMNS - used)
                left = (size_t)(arrow - sentence);
            if (left == 0)
                left = COLUMNS - used;
        }
        weir_text_add_bytes(text, sentence, left);
        while (text->length > 0 && text->data[text->length - 1] == ' ')
            text->length--;
        weir_text_add(text, "\n");
        sentence += left;
        sentence += strspn(sentence, " ");
        used = strlen(indent) + 2;
        if (*sentence != '\0')
            weir_text_add(text, "%s  ", indent);
    }
    weir_text_make_visible(text->data + begin, "\n");
}

/* Adds "write, read: ". */
static void add_where(struct weir_text *text, const struct weir_plan *plan,
                      const struct reason *reason)
{
    for (unsigned i = 0; i < reason->phase_count; i++) {
        char name[WEIR_SHOWN_NAME_BYTES];

        if (i == REASONS_MAX) {
            weir_text_add(text, " and more");
            break;
        }
        weir_report_phase_name(plan->tests[reason->test], reason->phases[i], name);
        weir_text_add(text, "%s%s", i > 0 ? ", " : "", name);
    }
    weir_text_add(text, ": ");
}

const char *weir_trust_end(const struct weir_result *result)
{
    bool is_in_phase = false; /* which is to blame */

    for (unsigned i = 0; i < result->phase_count; i++)
        is_in_phase |= result->phases[i].is_interrupted;
    if (result->given_up != NULL)
        return result->given_up;
    if (result->is_out_of_time)
        return "the run ended before the limit of its batch system";
    if (result->lost_records > 0)
        return "records of the run are damaged";
    if (result->finished_s <= 0.0)
        return "the run has no end: it was killed, or is still running";
    if (result->is_interrupted && !is_in_phase)
        return "the run was interrupted";
    return result->phase_count == 0 ? "no phase ran" : NULL;
}

/* The word of the run: that of its worst phase, "CAUTION cache, as asked" where all that are of
 * that verdict are as asked. */
static void add_word(char word[WEIR_BELIEVED_TEXT_BYTES], const struct weir_result *result)
{
    enum weir_believed worst = weir_result_believed(result);
    const struct weir_phase_result *shown = NULL;

    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].believed == worst &&
            (shown == NULL || result->phases[i].believed_as == WEIR_MEASURE_STORAGE))
            shown = &result->phases[i];
    if (shown != NULL)
        weir_result_believed_text(shown, word);
    else
        snprintf(word, WEIR_BELIEVED_TEXT_BYTES, "%s", weir_believed_names[worst]);
}

/* Long words of a reason that has more than two lines, paths as a rule, are shortened. */
static void add_two_lines(struct weir_text *text, const char *head, char *reason)
{
    size_t begin = text->length;
    unsigned lines = 3;

    for (size_t capacity = 2 * COLUMNS; lines > 2 && capacity >= COLUMNS; capacity -= 8) {
        text->length = begin;
        lines = 0;
        weir_text_shorten(reason, capacity);
        weir_trust_broken(text, head, reason);
        for (size_t i = begin; i < text->length; i++)
            lines += text->data[i] == '\n';
    }
}

static void add_verdict(struct weir_text *text, const struct weir_trust_view *view,
                        struct weir_arena *arena, bool is_markdown)
{
    struct reasons reasons = {.arena = arena, .plan = view->plan};
    const struct reason *failure = NULL;
    const char *end = weir_trust_end(view->result);
    char word[WEIR_BELIEVED_TEXT_BYTES], head[WEIR_BELIEVED_TEXT_BYTES + sizeof indent + 2];
    struct weir_text lines[REASONS_MAX] = {{0}};
    unsigned count = 0, room = end != NULL ? REASONS_MAX - 1 : REASONS_MAX;

    for (unsigned i = 0; i < view->phase_count; i++)
        for (unsigned k = 0; k < view->phases[i].count; k++)
            add_reasons_of(&reasons, &view->phases[i], view->phases[i].members[k]);
    for (unsigned i = 0; i < reasons.count && failure == NULL; i++)
        if (strcmp(reasons.list[i].name, "failed") == 0)
            failure = &reasons.list[i];
    for (unsigned weight = 0; weight < WEIR_FINDING_WEIGHTS + 1; weight++)
        for (unsigned i = 0; i < reasons.count && count < room; i++) {
            const struct reason *reason = &reasons.list[i];

            if (reason->weight != weight)
                continue;
            /* What failed is said in any case, as is the end of a run that was cut. */
            if (reason == failure || (count + 1 == room && failure != NULL)) {
                reason = failure;
                failure = NULL;
            }
            add_where(&lines[count], view->plan, reason);
            add_fact(&lines[count++], view->plan, reason->text);
        }
    if (end != NULL)
        weir_text_add(&lines[count++], "%s", end);
    add_word(word, view->result);
    if (is_markdown || count == 0)
        weir_text_add(text, "%s%s\n%s", is_markdown ? "### " : indent, word,
                      is_markdown && count > 0 ? "\n" : "");
    snprintf(head, sizeof head, "%s%s  ", indent, word);
    for (unsigned i = 0; i < count; i++) {
        weir_text_make_visible(lines[i].data, "");
        if (is_markdown) {
            weir_text_add(text, "* ");
            weir_text_add_markdown(text, lines[i].data);
            weir_text_add(text, "\n");
        } else {
            add_two_lines(text, head, lines[i].data);
        }
        snprintf(head, sizeof head, "%s%*s  ", indent, (int)strlen(word), "");
        weir_text_close(&lines[i]);
    }
}

/* ---- rows ---- */

/* A kind of phase of a test, or a label of a program. */
struct row {
    const char *name;  /* whole: rows of one name are one */
    size_t kind_bytes; /* of the name, before a target; at most 11 */
    char printed[WEIR_SHOWN_NAME_BYTES];
    struct weir_shown_figure figure; /* unit and decimals; the value is that of one repetition */
    double *values;
    unsigned count;    /* of values */
    unsigned of_count; /* repetitions, with those without a record */
    struct weir_histogram *latency;
    enum weir_believed believed; /* worst of its repetitions */
    unsigned worse;              /* rows with a worse verdict, or the same one and before it */
};

#define CELL_BYTES 64

/* At least four digits: "901.8", "1052", "0.01234". */
static void add_number(struct weir_text *text, double value)
{
    int decimals = value >= 1000.0 || value <= 0.0 ? 0 : 3 - (int)floor(log10(value));

    weir_text_add(text, "%.*f", decimals > 6 ? 6 : decimals, value);
}

/* Scales bytes per second so that the number has one to three digits before the point. */
static void scale(struct weir_shown_figure *figure, double values[], unsigned count, double median)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    double factor = 1.0;
    size_t i = 0;

    if (!figure->is_scaled)
        return;
    for (; median * factor >= 1000.0 && i + 1 < sizeof units / sizeof *units; i++)
        factor /= 1000.0;
    figure->unit = units[i];
    for (unsigned k = 0; k < count; k++)
        values[k] *= factor;
}

static void fill_cells(struct row *row, char rate[CELL_BYTES], char spread[CELL_BYTES])
{
    double median = weir_median_sort(row->values, row->count);
    struct weir_text text = {0};

    scale(&row->figure, row->values, row->count, median);
    median = weir_median_sort(row->values, row->count);
    snprintf(rate, CELL_BYTES, "%.*f %s", row->figure.decimals, median, row->figure.unit);
    if (row->of_count > 1) {
        weir_text_add(&text, "median of %u, ", row->of_count);
        add_number(&text, row->values[0]);
        weir_text_add(&text, " to ");
        add_number(&text, row->values[row->count - 1]);
    } else {
        weir_text_add(&text, "one measurement");
    }
    snprintf(spread, CELL_BYTES, "%s", weir_text_string(&text));
    weir_text_close(&text);
}

/* "p50  175 us   p99 25.3 ms   n 384": quantiles that the samples are enough for. */
static void fill_latency(const struct row *row, bool has_p99, char cell[CELL_BYTES])
{
    static const double fractions[] = {0.5, 0.99};
    static const char *const names[] = {"p50", "p99"};
    char value[WEIR_DURATION_TEXT_BYTES];
    size_t length = 0;

    cell[0] = '\0';
    if (row->latency == NULL || row->latency->total == 0)
        return;
    for (size_t i = 0; i < 2; i++) {
        double ns = (double)weir_histogram_percentile(row->latency, fractions[i]);

        if (weir_histogram_has_quantile(row->latency, fractions[i]))
            length += (size_t)snprintf(cell + length, CELL_BYTES - length, "%s %7s  ", names[i],
                                       weir_duration_format(ns / 1e9, value));
        else if (i == 0 || has_p99)
            length += (size_t)snprintf(cell + length, CELL_BYTES - length, "%13s", "");
    }
    snprintf(cell + length, CELL_BYTES - length, "n %llu", (unsigned long long)row->latency->total);
}

static struct row *find_row(struct row *rows, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* The labels of a program are its kinds of phases. */
static unsigned add_labels(struct row *rows, unsigned count, unsigned room,
                           struct weir_arena *arena, const struct weir_repetitions *all)
{
    for (unsigned i = 0; i < all->row_count; i++) {
        const struct weir_program_result *program = all->rows[i]->program;

        for (unsigned k = 0; program != NULL && k < program->label_count; k++) {
            const struct weir_label_result *label = &program->labels[k];
            double seconds = label->last_end_s - label->first_begin_s;
            bool has_bytes = label->byte_count > 0;
            struct row *row;

            if (!(seconds > 0.0) || (!has_bytes && label->call_count == 0))
                continue;
            row = find_row(rows, count, label->name);
            if (row == NULL && count < room) {
                row = &rows[count++];
                *row = (struct row){.believed = all->rows[i]->believed};
                row->name = weir_arena_copy(arena, label->name);
                row->values = weir_arena_take(arena, all->row_count * sizeof *row->values);
                row->figure = has_bytes ? (struct weir_shown_figure){.unit = "MiB/s", .decimals = 2}
                                        : (struct weir_shown_figure){.unit = "calls/s"};
            }
            if (row == NULL || row->count == all->row_count)
                continue;
            row->values[row->count++] = has_bytes ? (double)label->byte_count / seconds / WEIR_MIB
                                                  : (double)label->call_count / seconds;
            row->of_count++;
        }
    }
    return count;
}

static void add_repetitions(struct row *row, const struct weir_trust_view *view,
                            const struct weir_repetitions *all)
{
    for (unsigned i = 0; i < all->row_count; i++) {
        const struct weir_phase_result *found = all->rows[i];
        const struct weir_histogram *latency = found->response ? found->response : found->latency;
        struct weir_shown_figure figure;

        if (!weir_report_shown_figure(view->plan, view->result, found, &figure) ||
            !(figure.value > 0.0))
            continue;
        row->figure = figure;
        row->values[row->count++] = figure.value;
        row->of_count++;
        if (latency != NULL)
            weir_histogram_merge(row->latency, latency);
        if (found->believed > row->believed)
            row->believed = found->believed;
    }
    row->of_count += all->folded_count;
    if (all->folded_count > 0 && all->history->sum->latency != NULL)
        weir_histogram_merge(row->latency, all->history->sum->latency);
}

/* Sets what is printed of each name. Of a long one that is its kind and the end or, where names
 * have that in common, the part in which they differ. */
static void set_printed(struct row *rows, unsigned count)
{
    const size_t shown = 17;

    for (unsigned i = 0; i < count; i++) {
        struct row *row = &rows[i];
        size_t bytes = strlen(row->name), tail = bytes > shown ? bytes - shown : 0;
        const char *end = &row->name[tail];

        snprintf(row->printed, sizeof row->printed, "%s", row->name);
        for (unsigned k = 0; k < count && bytes >= sizeof row->printed; k++) {
            size_t other = strlen(rows[k].name), same = 0;

            if (other < shown || strcmp(&rows[k].name[other - shown], end) != 0)
                continue;
            while (row->name[same] != '\0' && row->name[same] == rows[k].name[same])
                same++;
            if (k == i || same < row->kind_bytes)
                continue;
            while (same > row->kind_bytes && row->name[same - 1] != '/')
                same--;
            tail = same < tail ? same : tail;
        }
        if (bytes >= sizeof row->printed)
            snprintf(row->printed, sizeof row->printed, "%.*s...%.*s", (int)row->kind_bytes,
                     row->name, (int)shown, &row->name[tail]);
        weir_text_make_visible(row->printed, "");
    }
}

/* Finds the kinds of phases in the order of the run. Names of several tests begin with the number
 * of the test, and those of targets end with the target. Returns the number of kinds. */
static unsigned find_rows(const struct weir_trust_view *view, struct weir_arena *arena,
                          struct row **rows)
{
    unsigned count = 0, room = view->phase_count, most = 0;

    for (unsigned i = 0; i < view->phase_count; i++)
        most += view->phases[i].row_count;
    for (unsigned i = 0; i < view->phase_count; i++)
        for (unsigned k = 0; k < view->phases[i].row_count; k++)
            if (view->phases[i].rows[k]->program != NULL)
                room += view->phases[i].rows[k]->program->label_count;
    *rows = weir_arena_take(arena, (room + 1) * sizeof **rows);
    for (unsigned i = 0; i < view->phase_count; i++) {
        const struct weir_repetitions *all = &view->phases[i];
        const struct weir_test *test = view->plan->tests[all->test];
        char kind[WEIR_SHOWN_NAME_BYTES];
        const char *name = kind;
        struct row *row;

        if (all->row_count == 0)
            continue;
        if (all->phase->program != NULL) {
            count = add_labels(*rows, count, room, arena, all);
            continue;
        }
        weir_report_phase_name(test, all->phase, kind);
        if (test->peer != NULL)
            name = weir_arena_printf(arena, "%s %s", kind, test->peer);
        else if (strcmp(view->plan->dialect, "targets") == 0)
            name = weir_arena_printf(arena, "%s all", kind);
        else if (view->plan->test_count > 1 && strcmp(view->plan->dialect, "iozone") == 0)
            /* The automatic mode has a test for each size of the file and of the record. */
            name = weir_arena_printf(
                arena, "%s %u/%u kB", kind,
                (unsigned)(weir_layout_bytes_per_rank(&all->phase->transfers.layout) / 1024),
                (unsigned)(all->phase->transfers.layout.transfer_bytes / 1024));
        else if (view->plan->test_count > 1)
            name = weir_arena_printf(arena, "%u %s", all->test, kind);
        row = find_row(*rows, count, name);
        if (row == NULL) {
            row = &(*rows)[count];
            *row = (struct row){.name = weir_arena_copy(arena, name),
                                .kind_bytes =
                                    test->peer != NULL && strlen(kind) < 11 ? strlen(kind) + 1 : 0,
                                .latency = weir_arena_take(arena, sizeof *row->latency),
                                .values = weir_arena_take(arena, most * sizeof(double))};
            weir_histogram_reset(row->latency);
        }
        add_repetitions(row, view, all);
        count += row == &(*rows)[count] && row->count > 0;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++)
            (*rows)[i].worse += (*rows)[k].believed > (*rows)[i].believed ||
                                ((*rows)[k].believed == (*rows)[i].believed && k < i);
    set_printed(*rows, count);
    return count;
}

struct cells {
    char rate[CELL_BYTES];
    char spread[CELL_BYTES];
    char latency[CELL_BYTES];
};

static void add_rows(struct weir_text *text, const struct weir_trust_view *view,
                     struct weir_arena *arena, bool is_markdown)
{
    struct row *rows;
    unsigned count = find_rows(view, arena, &rows);
    struct cells cells[ROWS_MAX];
    const struct row *shown[ROWS_MAX];
    int name_width = 0, rate_width = 0, spread_width = 0;
    unsigned printed = 0;
    bool has_p99 = false; /* else its column is left out */

    for (unsigned i = 0; i < count; i++)
        has_p99 |= rows[i].worse < ROWS_MAX && rows[i].latency != NULL &&
                   weir_histogram_has_quantile(rows[i].latency, 0.99);
    for (unsigned i = 0; i < count; i++) {
        if (rows[i].worse >= ROWS_MAX)
            continue;
        shown[printed] = &rows[i];
        fill_cells(&rows[i], cells[printed].rate, cells[printed].spread);
        fill_latency(&rows[i], has_p99, cells[printed].latency);
        name_width = (int)fmax(name_width, (double)strlen(rows[i].printed));
        rate_width = (int)fmax(rate_width, (double)strlen(cells[printed].rate));
        spread_width = (int)fmax(spread_width, (double)strlen(cells[printed].spread));
        printed++;
    }
    if (is_markdown && printed > 0)
        weir_text_add(text, "\n| phase | rate | repetitions | latency |\n|---|---:|---|---|\n");
    for (unsigned i = 0; i < printed; i++) {
        struct weir_text line = {0};

        if (is_markdown) {
            weir_text_add(text, "| ");
            weir_text_add_markdown(text, shown[i]->printed);
            weir_text_add(text, " | %s | %s | %s |\n", cells[i].rate, cells[i].spread,
                          cells[i].latency);
            continue;
        }
        weir_text_add(&line, "%s%-*s  %*s  %-*s  %s", indent, name_width, shown[i]->printed,
                      rate_width, cells[i].rate, spread_width, cells[i].spread, cells[i].latency);
        /* Of a wide line the number of samples goes first, then the quantiles. */
        for (const char *const *cut = (const char *const[]){"  n ", "p99", "p50", NULL};
             line.length > COLUMNS && *cut != NULL; cut++) {
            char *place = strstr(line.data, *cut);

            if (place != NULL)
                line.length = (size_t)(place - line.data);
        }
        while (line.length > 0 && line.data[line.length - 1] == ' ')
            line.length--;
        weir_text_add_bytes(text, weir_text_string(&line),
                            line.length < COLUMNS ? line.length : COLUMNS);
        weir_text_add(text, "\n");
        weir_text_close(&line);
    }
    if (count > printed)
        weir_text_add(text, "%s%u more: " WEIR_REMEDY_DETAILS "\n", is_markdown ? "\n" : indent,
                      count - printed);
}

/* ---- identity ---- */

/* "2 ranks", or "1 to 4 ranks" over several tests. */
static void add_count(struct weir_text *text, const unsigned range[2], const char *name)
{
    if (range[0] != range[1])
        weir_text_add(text, "%u to ", range[0]);
    weir_text_add(text, "%u %s%s", range[1], name, range[1] == 1 ? "" : "s");
}

/* The device of the file system is left out where the line would be too long. */
static void add_identity(struct weir_text *text, const struct weir_trust_view *view,
                         bool has_device, bool has_details)
{
    const struct weir_result *result = view->result;
    const struct weir_test_result *begun = result->test_count > 0 ? &result->tests[0] : NULL;
    const struct weir_test *test = begun != NULL ? view->plan->tests[begun->test] : NULL;
    const struct weir_phase *phase = NULL; /* the first one that is timed */
    const struct weir_storage_facts *storage =
        begun != NULL && begun->storage_count > 0 ? &begun->storages[0].facts : NULL;
    unsigned ranks[2] = {result->rank_count, result->rank_count}, nodes[2] = {0, 0};
    uint64_t bytes[2] = {UINT64_MAX, 0}; /* least and greatest transfers */

    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test_result *one = &result->tests[i];
        const struct weir_test *planned = view->plan->tests[one->test];

        for (size_t k = 0; k < planned->phase_count; k++) {
            const struct weir_phase *each = planned->phases[k];
            uint64_t size = each->transfers.layout.transfer_bytes;

            if (each->is_prefill || (!weir_verb_moves_data(each->verb) && phase != NULL))
                continue;
            phase = phase == NULL ? each : phase;
            if (weir_verb_moves_data(each->verb) && each->target->tree == NULL && size > 0) {
                bytes[0] = size < bytes[0] ? size : bytes[0];
                bytes[1] = size > bytes[1] ? size : bytes[1];
            }
        }
        ranks[0] = i == 0 || one->rank_count < ranks[0] ? one->rank_count : ranks[0];
        ranks[1] = i == 0 || one->rank_count > ranks[1] ? one->rank_count : ranks[1];
        nodes[0] = i == 0 || one->node_count < nodes[0] ? one->node_count : nodes[0];
        nodes[1] = i == 0 || one->node_count > nodes[1] ? one->node_count : nodes[1];
    }
    add_count(text, ranks, "rank");
    if (nodes[1] > 0) {
        weir_text_add(text, ", ");
        add_count(text, nodes, "node");
    }
    if (test != NULL)
        weir_text_add(text, ", %s", test->label != NULL ? test->label : test->backend->name);
    if (phase != NULL)
        weir_text_add(text, ", %s",
                      phase->program != NULL ? "a program" : weir_measures_layout(phase));
    for (unsigned i = bytes[0] == bytes[1]; i < 2 && bytes[1] > 0; i++) {
        char size[WEIR_SIZE_TEXT_BYTES];

        if (bytes[i] % 1024 == 0 && bytes[i] < (1 << 20))
            snprintf(size, sizeof size, "%u KiB", (unsigned)(bytes[i] / 1024));
        else
            weir_size_format(bytes[i], size);
        weir_text_add(text, "%s%s", i == 0 || bytes[0] == bytes[1] ? ", " : " to ", size);
    }
    if (storage != NULL && storage->is_known && storage->type[0] != '\0')
        weir_text_add(text, ", %s%s%s", storage->type,
                      has_device && storage->device_count > 0 ? " on " : "",
                      has_device && storage->device_count > 0 ? storage->devices[0].name : "");
    if (result->test_count > 1)
        weir_text_add(text, ", %u tests", result->test_count);
    if (result->run_id != 0)
        weir_text_add(text, ", run %04x", (unsigned)(result->run_id >> 48));
    weir_text_add(text, ", plan %.4s", view->plan->id);
    if (!has_details)
        weir_text_add(text, "; more: " WEIR_REMEDY_DETAILS);
    weir_report_spell(text, 0, weir_report_words_of(view->plan, 0)); /* before it is broken */
}

void weir_report_verdict(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_result *result, bool is_markdown)
{
    struct weir_arena arena = {0};
    struct weir_trust_view view = {.plan = plan, .result = result};
    struct weir_text identity = {0};
    char *run;
    bool has_details = weir_report_has_details(&plan->output);
    size_t begin = text->length;

    view.phases = weir_repetitions_find(&arena, plan, result, &view.phase_count);
    add_identity(&identity, &view, true, has_details || is_markdown);
    if (!is_markdown && strlen(indent) + identity.length > COLUMNS) {
        weir_text_clear(&identity);
        add_identity(&identity, &view, false, has_details);
    }
    add_verdict(text, &view, &arena, is_markdown);
    if (is_markdown) {
        add_rows(text, &view, &arena, true);
        weir_text_make_visible(identity.data, "");
        weir_text_add(text, "\n");
        weir_text_add_markdown(text, weir_text_string(&identity));
        weir_text_add(text, "\n");
    } else {
        if (plan->sweep.axis_count == 0) /* it has its own table */
            add_rows(text, &view, &arena, false);
        run = strlen(indent) + identity.length > COLUMNS ? strstr(identity.data, ", run ") : NULL;
        if (run != NULL)
            run[1] = '\0'; /* what follows has a line of its own */
        weir_trust_broken(text, indent, weir_text_string(&identity));
        if (run != NULL)
            weir_trust_broken(text, "weir    ", run + strlen(", "));
    }
    weir_report_spell(text, begin, weir_report_words_of(plan, 0));
    weir_text_close(&identity);
    weir_arena_close(&arena);
}
