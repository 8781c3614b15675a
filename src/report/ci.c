/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit and TAP: a test case for the run, one for the verdict of each phase, and one for each
 * condition of --expect. */
#include "dialect.h"
#include "json_fields.h"

#include "weir/report/expect.h"

#include <inttypes.h>
#include <string.h>

enum ci_state { CI_PASSED, CI_FAILED, CI_SKIPPED };

struct ci_case {
    const char *kind; /* "run", "verdict", "expect" */
    const char *name;
    enum ci_state state;
    const char *type; /* "DO NOT USE" */
    const char *text;
};

/* A run that was cut, or has measured nothing, is not a success of no test cases. */
static struct ci_case *find_cases(struct weir_arena *arena, const struct weir_plan *plan,
                                  const struct weir_result *result, unsigned *count)
{
    const struct weir_expectations *all = weir_expect_judge(arena, plan, result);
    bool has_ended = result->finished_s > 0.0 && !result->is_interrupted;
    bool is_whole = has_ended && weir_result_is_whole(result);
    struct ci_case *cases =
        weir_arena_take(arena, (1 + all->verdicts.case_count + all->count) * sizeof *cases);

    *count = 0;
    cases[(*count)++] =
        (struct ci_case){"run", "ended by itself", is_whole ? CI_PASSED : CI_FAILED, "unfinished",
                         is_whole                      ? "all phases have a record"
                         : result->exit_reason != NULL ? result->exit_reason
                         : result->lost_records > 0    ? "records of it are damaged or lost"
                         : has_ended                   ? "no phase was measured"
                                                       : "the run has no end"};
    for (unsigned i = 0; i < all->verdicts.case_count; i++) {
        const struct weir_expect_case *each = &all->verdicts.cases[i];

        cases[(*count)++] =
            (struct ci_case){"verdict", each->phase,
                             each->holds                                  ? CI_PASSED
                             : each->believed == WEIR_BELIEVED_UNVERIFIED ? CI_SKIPPED
                                                                          : CI_FAILED,
                             weir_believed_names[each->believed], each->text};
    }
    for (unsigned i = 0; i < all->count; i++)
        cases[(*count)++] = (struct ci_case){"expect", all->rows[i].condition->text,
                                             all->rows[i].holds ? CI_PASSED : CI_FAILED,
                                             "condition", all->rows[i].text};
    return cases;
}

/* ---- JUnit ---- */

static void add_attribute(struct weir_text *text, const char *name, const char *value)
{
    weir_text_add(text, " %s=\"", name);
    weir_report_add_xml(text, value);
    weir_text_add(text, "\"");
}

static void add_junit(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count, states[3] = {0};
    const struct ci_case *cases = find_cases(&arena, plan, result, &count);
    double seconds = result->finished_s > 0.0 ? result->finished_s - result->begun_s : 0.0;
    const char *counts;
    char date[WEIR_DATE_BYTES];

    for (unsigned i = 0; i < count; i++)
        states[cases[i].state]++;
    counts = weir_arena_printf(&arena, "tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\"",
                               count, states[CI_FAILED], states[CI_SKIPPED]);
    weir_date_format_iso(result->begun_s, date);
    weir_text_add(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"weir\" %s>\n",
                  counts);
    weir_text_add(text, "  <testsuite name=\"weir %s\" %s time=\"%.3f\" timestamp=\"%.10sT%s\"",
                  plan->dialect, counts, seconds, date, date + strcspn(date, " ") + 1);
    add_attribute(text, "hostname", result->host.node);
    weir_text_add(text, ">\n    <properties>\n      <property name=\"run_id\" value=\"%016" PRIx64,
                  result->run_id);
    weir_text_add(text, "\"/>\n      <property name=\"command\"");
    add_attribute(text, "value", plan->command_line);
    weir_text_add(text, "/>\n    </properties>\n");
    for (unsigned i = 0; i < count; i++) {
        weir_text_add(text, "    <testcase classname=\"weir.%s.%s\"", plan->dialect, cases[i].kind);
        add_attribute(text, "name", cases[i].name);
        if (cases[i].state == CI_PASSED) {
            weir_text_add(text, "><system-out>");
            weir_report_add_xml(text, cases[i].text);
            weir_text_add(text, "</system-out></testcase>\n");
            continue;
        }
        weir_text_add(text, "><%s", cases[i].state == CI_FAILED ? "failure" : "skipped");
        if (cases[i].state == CI_FAILED)
            add_attribute(text, "type", cases[i].type);
        add_attribute(text, "message", cases[i].text);
        weir_text_add(text, "/></testcase>\n");
    }
    weir_text_add(text, "  </testsuite>\n</testsuites>\n");
    weir_arena_close(&arena);
}

/* ---- TAP ---- */

/* One line of UTF-8, whatever others chose. */
static void add_tap_text(struct weir_text *text, const char *string)
{
    json_t *readable = weir_json_readable(string);

    weir_text_add_visible(text, json_string_value(readable));
    json_decref(readable);
}

#define TAP_FIRST "TAP version 13\n# weir "

static void add_tap(struct weir_text *text, const struct weir_plan *plan,
                    const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct ci_case *cases = find_cases(&arena, plan, result, &count);

    weir_text_add(text, TAP_FIRST "run %016" PRIx64 ": ", result->run_id);
    add_tap_text(text, plan->command_line);
    weir_text_add(text, "\n1..%u\n", count);
    for (unsigned i = 0; i < count; i++) {
        size_t begin;

        weir_text_add(text, "%sok %u - %s.%s: ", cases[i].state == CI_FAILED ? "not " : "", i + 1,
                      plan->dialect, cases[i].kind);
        begin = text->length;
        add_tap_text(text, cases[i].name);
        /* A directive would follow it. */
        for (char *mark = text->data + begin; (mark = strchr(mark, '#')) != NULL;)
            *mark = '?';
        if (cases[i].state == CI_SKIPPED)
            weir_text_add(text, " # SKIP %s", cases[i].type);
        weir_text_add(text, "\n# ");
        add_tap_text(text, cases[i].text);
        weir_text_add(text, "\n");
    }
    weir_arena_close(&arena);
}

static const struct weir_reporter junit = {
    .name = "junit",
    .is_document = true,
    .openings = (const char *const[]){"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                      "<testsuites name=\"weir\"",
                                      NULL},
    .end = add_junit,
};

static const struct weir_reporter tap = {
    .name = "tap",
    .is_document = true,
    .openings = (const char *const[]){TAP_FIRST, NULL},
    .end = add_tap,
};

static const struct weir_reporter *const reporters[] = {&junit, &tap, NULL};

const struct weir_dialect_reports weir_ci_reports = {.dialect = "ci", .reporters = reporters};
