/* SPDX-License-Identifier: Apache-2.0 */
/* Compares medians of the rows of weir/report/measures.h with the limits of --expect. */
#include "weir/report/expect.h"

#include "weir/base/nearest.h"
#include "weir/measure/median.h"
#include "weir/report/measures.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONDITIONS_MAX 1000 /* more are a mistake of a script */

/* ---- as they are typed ---- */

#define BELOW 1u
#define EQUAL 2u
#define ABOVE 4u
#define OPERATOR_LETTERS "<>=!"

/* ">=" precedes ">", which it begins with. */
static const struct {
    const char *word;
    unsigned accepts;
} operators[] = {{">=", EQUAL | ABOVE}, {"<=", BELOW | EQUAL}, {"!=", BELOW | ABOVE}, {"==", EQUAL},
                 {">", ABOVE},          {"<", BELOW},          {"=", EQUAL}};

static const struct {
    const char *unit, *example;
} examples[] = {{"bytes/s", "1GB/s or 5GiB/s"},
                {"1/s", "20000 or 20k/s"},
                {"s", "5ms or 250us"},
                {"bytes", "4k or 1GiB"},
                {"1", "0, 0.5 or 50%"}};

int weir_condition_value(const char *text, const char *unit, double *value)
{
    /* What options do not have: times of operations are short, and shares are numbers. */
    static const struct {
        const char *unit, *suffix;
        double factor;
    } suffixes[] = {{"s", "us", 1e-6}, {"s", "ns", 1e-9}, {"1", "%", 0.01}, {"1", "", 1.0}};
    const uint64_t billion = UINT64_C(1000000000);
    size_t digits = strspn(text, "0123456789.");
    char number[32];
    uint64_t whole;
    int code;

    if (strcmp(unit, "bytes/s") == 0 || strcmp(unit, "1/s") == 0)
        return weir_rate_parse(text, unit[0] == 'b', value);
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    for (size_t i = 0; digits < sizeof number && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(unit, suffixes[i].unit) == 0 && strcmp(text + digits, suffixes[i].suffix) == 0 &&
            weir_duration_parse(number, billion, &whole) == 0) {
            *value = (double)whole / 1e9 * suffixes[i].factor;
            return 0;
        }
    code = unit[0] == 's' ? weir_time_parse(text, billion, &whole) : weir_size_parse(text, &whole);
    if (code == 0)
        *value = unit[0] == 's' ? (double)whole / 1e9 : (double)whole;
    return code;
}

/* A copy without the blanks at both ends. */
static char *trim(struct weir_arena *arena, const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return weir_arena_printf(arena, "%.*s", (int)length, text);
}

static int refuse_figure(const struct weir_condition *condition, const char *place,
                         struct weir_error *error)
{
    struct weir_nearest nearest = {.typed = condition->figure, .length = strlen(condition->figure)};
    struct weir_text names = {0};
    const char *near;

    for (const struct weir_figure_row *row = weir_figure_rows; row->name != NULL; row++) {
        weir_nearest_offer(&nearest, row->name);
        weir_text_add(&names, "%s%s", names.length > 0 ? ", " : "", row->name);
    }
    near = weir_nearest_word(&nearest);
    weir_error_usage(error, place, "%s: there is no figure \"%s\"%s%s%s; there are: %s",
                     condition->text, condition->figure, near ? " (did you mean " : "",
                     near ? near : "", near ? "?)" : "", weir_text_string(&names));
    weir_text_close(&names);
    return error->code;
}

static int parse_one(const char *text, struct weir_arena *arena, struct weir_condition *condition,
                     const char *place, struct weir_error *error)
{
    const size_t name_length = strcspn(text, OPERATOR_LETTERS);
    const size_t operator_count = sizeof operators / sizeof *operators;
    char *name = trim(arena, text, name_length), *dot = strrchr(name, '.');
    const struct weir_figure_row *row;
    const char *limit;
    size_t i = 0, unit = 0;

    while (i < operator_count && !weir_text_begins(text + name_length, operators[i].word))
        i++;
    if (i == operator_count)
        return weir_error_usage(error, place,
                                "\"%s\" is no condition: give [PHASE.]FIGURE OP VALUE, such as "
                                "write.rate >= 1GB/s; OP is one of >= <= > < = !=",
                                text);
    limit = text + name_length + strlen(operators[i].word);
    limit = trim(arena, limit, strlen(limit));
    condition->text = text;
    condition->phase = dot != NULL ? trim(arena, name, (size_t)(dot - name)) : NULL;
    condition->figure = dot != NULL ? trim(arena, dot + 1, strlen(dot + 1)) : name;
    condition->accepts = operators[i].accepts;
    row = weir_figure_find(condition->figure);
    if (condition->phase != NULL && condition->phase[0] == '\0')
        return weir_error_usage(error, place, "%s: a phase is missing before the dot", text);
    if (row == NULL)
        return refuse_figure(condition, place, error);
    condition->unit = row->unit;
    while (strcmp(examples[unit].unit, row->unit) != 0)
        unit++;
    if (weir_condition_value(limit, row->unit, &condition->limit) != 0)
        return weir_error_usage(error, place, "%s: \"%s\" is no value of %s; give one such as %s",
                                text, limit, row->name, examples[unit].example);
    return 0;
}

int weir_conditions_parse(const char *list, struct weir_arena *arena,
                          struct weir_condition **conditions, unsigned *count, const char *place,
                          struct weir_error *error)
{
    struct weir_condition *all = weir_arena_take(arena, CONDITIONS_MAX * sizeof *all);
    unsigned parsed = 0;

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",\n");
        const char *text = trim(arena, at, length);

        if (text[0] == '\0')
            return weir_error_usage(error, place,
                                    "a condition is missing (is there a comma too many?)");
        if (parsed == CONDITIONS_MAX)
            return weir_error_usage(error, place, "more than %d conditions", CONDITIONS_MAX);
        if (parse_one(text, arena, &all[parsed++], place, error) != 0)
            return error->code;
        at += length;
        if (*at == '\0')
            break;
    }
    *conditions = all;
    *count = parsed;
    return 0;
}

/* ---- before the run ---- */

static bool is_of_phase(const struct weir_condition *condition, const char *name, const char *verb)
{
    return condition->phase == NULL || strcasecmp(condition->phase, name) == 0 ||
           strcasecmp(condition->phase, verb) == 0;
}

static int check_condition(const struct weir_condition *condition, const struct weir_plan *plan,
                           const char *place, struct weir_error *error)
{
    struct weir_arena arena = {0};
    struct weir_text names = {0};
    const struct weir_figure_row *row = weir_figure_find(condition->figure);
    bool has_phase = false, has_figure = false;

    for (size_t i = 0; i < plan->test_count; i++)
        for (size_t k = 0; k < plan->tests[i]->phase_count; k++) {
            const struct weir_phase *phase = plan->tests[i]->phases[k];
            const char *name = weir_measures_name_phase(&arena, plan->tests[i], phase);
            /* The labels of a program are known when it has run. */
            bool is_meant =
                phase->program != NULL || is_of_phase(condition, name, weir_verb_name(phase->verb));

            has_phase |= is_meant;
            has_figure |= is_meant && weir_figure_is_of(row, phase, false);
            for (unsigned c = 0; c < phase->names.cycle_count; c++) {
                is_meant = is_of_phase(condition, weir_verb_name(phase->names.cycle[c]), "");
                has_phase |= is_meant;
                has_figure |= is_meant && weir_figure_is_of(row, phase, true);
            }
            if (names.length < 400 && !weir_text_list_has(weir_text_string(&names), name))
                weir_text_add(&names, "%s%s", names.length > 0 ? "," : "", name);
        }
    if (!has_phase)
        weir_error_usage(error, place, "%s: there is no phase \"%s\"; the plan has %s",
                         condition->text, condition->phase, weir_text_string(&names));
    else if (!has_figure)
        weir_error_usage(error, place, "%s: no such phase of the plan measures %s", condition->text,
                         condition->figure);
    weir_text_close(&names);
    weir_arena_close(&arena);
    return error->code;
}

int weir_expect_check(const char *list, const struct weir_plan *plan, const char *place,
                      struct weir_error *error)
{
    struct weir_arena arena = {0};
    struct weir_condition *conditions;
    unsigned count = 0;

    if (list != NULL)
        weir_conditions_parse(list, &arena, &conditions, &count, place, error);
    for (unsigned i = 0; i < count && plan != NULL && !weir_error_is_set(error); i++)
        check_condition(&conditions[i], plan, place, error);
    weir_arena_close(&arena);
    return error->code;
}

int weir_expect_check_net(const char *list, const char *phase, const char *place,
                          struct weir_error *error)
{
    static const char figures[] = "rate,ops,p50,p90,p99,p999,latency_mean,latency_max,time,overlap,"
                                  "cpu,bytes,operations,errors,wrong,retransmits";
    struct weir_arena arena = {0};
    struct weir_condition *conditions;
    unsigned count = 0;

    if (list != NULL)
        weir_conditions_parse(list, &arena, &conditions, &count, place, error);
    for (unsigned i = 0; i < count && !weir_error_is_set(error); i++) {
        const struct weir_condition *each = &conditions[i];
        bool has_figure = weir_text_list_has(figures, each->figure) &&
                          (strcmp(each->figure, "rate") != 0 || strcmp(phase, "bandwidth") == 0);

        if (!is_of_phase(each, phase, weir_arena_printf(&arena, "%s alone", phase)))
            weir_error_usage(error, place, "%s: there is no phase \"%s\"; the plan has %s",
                             each->text, each->phase, phase);
        else if (!has_figure)
            weir_error_usage(error, place, "%s: %s of weir net has no figure %s", each->text, phase,
                             each->figure);
    }
    weir_arena_close(&arena);
    return error->code;
}

/* ---- after it ---- */

/* -1, 0, 1: below the limit, equal, above it; rounding apart. */
static int side_of(double value, double limit)
{
    return fabs(value - limit) <= 1e-12 * fabs(limit) ? 0 : value < limit ? -1 : 1;
}

/* With as many digits as show on which side of the limit the value is. */
static const char *format_value(const struct weir_condition *condition, double value, char text[32])
{
    static const struct {
        const char *unit;
        double factor;
        const char *suffix;
    } scales[] = {{"bytes/s", 1e12, " TB/s"},
                  {"bytes/s", 1e9, " GB/s"},
                  {"bytes/s", 1e6, " MB/s"},
                  {"bytes/s", 1e3, " kB/s"},
                  {"bytes/s", 1, " B/s"},
                  {"bytes/s", 0x1p40, " TiB/s"},
                  {"bytes/s", 0x1p30, " GiB/s"},
                  {"bytes/s", 0x1p20, " MiB/s"},
                  {"bytes/s", 0x1p10, " KiB/s"},
                  {"bytes/s", 1, " B/s"},
                  {"bytes", 0x1p40, " TiB"},
                  {"bytes", 0x1p30, " GiB"},
                  {"bytes", 0x1p20, " MiB"},
                  {"bytes", 0x1p10, " KiB"},
                  {"bytes", 1, " bytes"},
                  {"s", 1, " s"},
                  {"s", 1e-3, " ms"},
                  {"s", 1e-6, " us"},
                  {"s", 1e-9, " ns"},
                  {"1/s", 1, "/s"},
                  {"1", 1, ""}};
    const unsigned binary_rates = 5, row_count = sizeof scales / sizeof *scales;
    bool is_number = condition->unit[0] == '1';
    unsigned i = strstr(condition->text, "iB") != NULL ? binary_rates : 0;

    while (strcmp(scales[i].unit, condition->unit) != 0)
        i++;
    /* Each row of scales descends. */
    while (value > 0 && value < scales[i].factor && i + 1 < row_count &&
           strcmp(scales[i + 1].unit, condition->unit) == 0 &&
           scales[i + 1].factor < scales[i].factor)
        i++;
    while (value == 0 && scales[i].factor > 1)
        i++;
    for (int digits = is_number ? 7 : 4; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g%s", digits, value / scales[i].factor, scales[i].suffix);
        if (side_of(strtod(text, NULL) * scales[i].factor, condition->limit) ==
            side_of(value, condition->limit))
            break;
    }
    return text;
}

/* Returns the name of a phase with its target, step or test. */
static const char *describe_phase(struct weir_arena *arena, const struct weir_plan *plan,
                                  unsigned test, const char *name, const char *target)
{
    const struct weir_sweep *sweep = &plan->sweep;
    unsigned inner = sweep->axis_count > 1 ? sweep->axes[1].count : 1;
    unsigned step = plan->tests[test]->sweep_step;

    if (target[0] != '\0')
        return weir_arena_printf(arena, "%s of %s", name, target);
    if (sweep->axis_count == 0 || step / inner >= sweep->axes[0].count)
        return plan->test_count > 1 ? weir_arena_printf(arena, "%s of test %u", name, test)
                                    : weir_arena_copy(arena, name);
    name = weir_arena_printf(arena, "%s at %s=%s", name, sweep->axes[0].name,
                             sweep->axes[0].values[step / inner]);
    return sweep->axis_count == 1 ? name
                                  : weir_arena_printf(arena, "%s %s=%s", name, sweep->axes[1].name,
                                                      sweep->axes[1].values[step % inner]);
}

static bool is_same_case(const struct weir_measured_phase *one,
                         const struct weir_measured_phase *other)
{
    return one->test == other->test && one->phase == other->phase &&
           strcmp(one->part, other->part) == 0 && strcmp(one->name, other->name) == 0 &&
           strcmp(one->target, other->target) == 0;
}

/* Judges the phase of run->phases[first] with its repetitions, which follow it. Condition NULL =
 * its verdict alone, whatever became of the rest of the run. */
static void judge_case(struct weir_arena *arena, struct weir_expect_case *each,
                       const struct weir_condition *condition, const struct weir_measured_run *run,
                       unsigned first, bool allows_unverified)
{
    const struct weir_measured_phase *worst = &run->phases[first];
    double *values = weir_arena_take(arena, (run->phase_count - first) * sizeof *values);
    char value[32], least[32], most[32], range[128] = "";
    unsigned side;
    /* The verdict has quantiles of the operations of all repetitions. */
    bool is_cut, is_latency = condition != NULL &&
                              weir_figure_find(condition->figure)->kind == WEIR_FIGURE_LATENCY;

    for (unsigned k = first; k < run->phase_count; k++) {
        const struct weir_measured_phase *phase = &run->phases[k];
        const struct weir_measured_figure *figure;

        if (!is_same_case(phase, &run->phases[first]))
            continue;
        worst = phase->believed > worst->believed ? phase : worst;
        figure = condition != NULL ? weir_measured_find(phase, condition->figure) : NULL;
        if (figure != NULL)
            values[each->count++] = figure->value;
    }
    each->phase = run->plan != NULL
                      ? describe_phase(arena, run->plan, worst->test, worst->name, worst->target)
                      : weir_arena_printf(arena, "%s of %s", worst->name,
                                          weir_size_format_exact(worst->transfer_bytes, value));
    each->believed = worst->believed;
    is_cut = condition != NULL && !run->is_whole && each->believed < WEIR_BELIEVED_PARTIAL;
    each->believed = is_cut ? WEIR_BELIEVED_PARTIAL : each->believed;
    each->holds = each->believed < WEIR_BELIEVED_UNVERIFIED ||
                  (each->believed == WEIR_BELIEVED_UNVERIFIED && allows_unverified);
    if (condition == NULL) {
        each->text = weir_arena_printf(arena, "%s%s%s%s%s", weir_believed_names[each->believed],
                                       worst->findings[0] != '\0' ? ": " : "", worst->findings,
                                       worst->failure[0] != '\0' ? ": " : "", worst->failure);
        return;
    }
    if (each->count == 0) {
        each->holds = false;
        each->text = weir_arena_printf(arena, "%s has no %s", each->phase, condition->figure);
        return;
    }
    each->value = weir_median_sort(values, each->count);
    if (each->count > 1)
        snprintf(range, sizeof range, ", median of %u%s%s, %s to %s", each->count,
                 is_latency ? " values of " : "", is_latency ? condition->figure : "",
                 format_value(condition, values[0], least),
                 format_value(condition, values[each->count - 1], most));
    each->text = weir_arena_printf(arena, "%s %s%s%s%s", each->phase,
                                   format_value(condition, each->value, value), range,
                                   each->holds ? ""
                                   : is_cut    ? ", and the run is "
                                               : ", and is ",
                                   each->holds ? "" : weir_believed_names[each->believed]);
    side = each->value < condition->limit ? BELOW : each->value > condition->limit ? ABOVE : EQUAL;
    each->holds = each->holds && (condition->accepts & side) != 0;
}

/* Adds a case for each phase of the plan that the condition means, and that has no record. */
static void add_missing(struct weir_arena *arena, struct weir_expectation *row,
                        const struct weir_measured_run *run)
{
    for (unsigned i = 0; i < run->plan->test_count; i++)
        for (size_t k = 0; k < run->plan->tests[i]->phase_count; k++) {
            const struct weir_phase *phase = run->plan->tests[i]->phases[k];
            const char *name = weir_measures_name_phase(arena, run->plan->tests[i], phase);
            bool has_record = phase->is_check || phase->is_prefill || phase->verb == WEIR_REMOVE;
            bool is_meant = !run->leaves_tests_out;

            for (unsigned p = 0; p < run->phase_count && !has_record; p++) {
                has_record = run->phases[p].planned == phase;
                is_meant |= run->phases[p].test == i;
            }
            if (has_record || !is_meant ||
                !weir_figure_is_of(weir_figure_find(row->condition->figure), phase, false) ||
                !is_of_phase(row->condition, name, weir_verb_name(phase->verb)))
                continue;
            name = describe_phase(arena, run->plan, i, name, "");
            row->cases[row->case_count++] =
                (struct weir_expect_case){.phase = name,
                                          .believed = WEIR_BELIEVED_PARTIAL,
                                          .text = weir_arena_printf(arena, "%s did not run", name)};
        }
}

static void judge_row(struct weir_arena *arena, struct weir_expectation *row,
                      const struct weir_measured_run *run, bool allows_unverified)
{
    const struct weir_condition *condition = row->condition;
    const struct weir_expect_case *worst = NULL;
    const char *letter;
    bool is_quantile;
    unsigned failed = 0;

    row->cases = weir_arena_take(
        arena, (run->phase_count + (run->plan != NULL ? run->plan->phase_count : 0) + 1) *
                   sizeof *row->cases);
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        struct weir_expect_case *each = &row->cases[row->case_count];
        bool is_first = condition != NULL ? is_of_phase(condition, phase->name, phase->verb)
                                          : phase->part[0] == '\0';

        is_first = is_first && strcmp(phase->part, "pair") != 0; /* of all flows together */
        for (unsigned k = 0; k < i && is_first; k++)
            is_first = !is_same_case(&run->phases[k], phase);
        if (!is_first)
            continue;
        *each = (struct weir_expect_case){0};
        judge_case(arena, each, condition, run, i, allows_unverified);
        row->case_count += condition == NULL || condition->phase != NULL || each->count > 0;
    }
    if (condition == NULL)
        return;
    letter = strrchr(condition->figure, 'p');
    if (run->plan != NULL)
        add_missing(arena, row, run);
    for (unsigned i = 0; i < row->case_count; i++) {
        const struct weir_expect_case *each = &row->cases[i];
        bool is_worse = worst == NULL || (condition->accepts & ABOVE ? each->value < worst->value
                                                                     : each->value > worst->value);

        if (worst == NULL || (worst->holds && !each->holds) ||
            (worst->holds == each->holds && is_worse))
            worst = each;
        failed += !each->holds;
    }
    row->holds = worst != NULL && worst->holds;
    is_quantile = letter != NULL && isdigit((unsigned char)letter[1]); /* "p99", "read_p50" */
    row->text = worst == NULL && is_quantile ? "no phase has enough operations for it"
                : worst == NULL              ? "no phase has measured it"
                : row->case_count == 1       ? worst->text
                : failed == 0 ? weir_arena_printf(arena, "%s (the worst of %u phases)", worst->text,
                                                  row->case_count)
                              : weir_arena_printf(arena, "%s (%u of %u phases fail)", worst->text,
                                                  failed, row->case_count);
}

const struct weir_expectations *weir_expect_judge(struct weir_arena *arena,
                                                  const struct weir_plan *plan,
                                                  const struct weir_result *result)
{
    return weir_expect_judge_run(arena, weir_measures_of(arena, plan, result), plan->output.expect,
                                 plan->output.allows_unverified);
}

const struct weir_expectations *weir_expect_judge_run(struct weir_arena *arena,
                                                      const struct weir_measured_run *run,
                                                      const char *list, bool allows_unverified)
{
    struct weir_expectations *all = weir_arena_take(arena, sizeof *all);
    struct weir_condition *conditions;
    struct weir_error error = {0};

    judge_row(arena, &all->verdicts, run, allows_unverified);
    /* Conditions of another version may be unknown to this one. */
    if (list == NULL ||
        weir_conditions_parse(list, arena, &conditions, &all->count, NULL, &error) != 0)
        return all;
    all->rows = weir_arena_take(arena, all->count * sizeof *all->rows);
    for (unsigned i = 0; i < all->count; i++) {
        all->rows[i].condition = &conditions[i];
        judge_row(arena, &all->rows[i], run, allows_unverified);
        if (!all->rows[i].holds && all->failed == NULL)
            all->failed = &all->rows[i];
    }
    return all;
}

void weir_expect_add_lines(struct weir_text *text, const struct weir_expectations *expectations)
{
    for (unsigned holds = 2; holds-- > 0;)
        for (unsigned i = 0; i < expectations->count; i++) {
            const struct weir_expectation *row = &expectations->rows[i];

            if (row->holds != holds)
                continue;
            weir_text_add(text, "weir  expect %s  ", holds ? "pass" : "FAIL");
            weir_text_add_visible(text, row->condition->text);
            weir_text_add(text, ": ");
            weir_text_add_visible(text, row->text);
            weir_text_add(text, "\n");
        }
}

void weir_expect_fail(const struct weir_expectations *expectations, struct weir_error *error)
{
    const struct weir_expectation *failed = expectations->failed;

    if (failed != NULL)
        weir_error_set(error, WEIR_EXIT_FLAWED, -ERANGE, WEIR_EXPECT_PLACE, "%s: %s",
                       failed->condition->text, failed->text);
}
