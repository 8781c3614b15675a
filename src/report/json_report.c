/* SPDX-License-Identifier: Apache-2.0 */
/* What documents of all dialects have: always valid, with numbers in full, and how far these can be
 * believed. */
#include "json_report.h"

#include "figures.h"
#include "ior/ior.h"
#include "record/record.h"

#include "weir/base/version.h"
#include "weir/report/expect.h"

#include <math.h>
#include <string.h>

void weir_json_put_value(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void weir_json_put_text(json_t *object, const char *key, const char *value)
{
    weir_json_put_value(object, key, weir_json_readable(value));
}

void weir_json_put_integer(json_t *object, const char *key, int64_t value)
{
    weir_json_put_value(object, key, json_integer(value));
}

void weir_json_put_real(json_t *object, const char *key, double value)
{
    weir_json_put_value(object, key, weir_json_number(value));
}

void weir_json_put_number(json_t *object, const char *key, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        weir_json_put_integer(object, key, (int64_t)value);
    else
        weir_json_put_real(object, key, value);
}

static void put_date(json_t *object, const char *key, double seconds)
{
    char date[WEIR_DATE_BYTES];

    weir_json_put_text(object, key, weir_date_format(seconds, date));
}

/* ---- our own object: how far the numbers can be believed ---- */

json_t *weir_json_latency(const struct weir_histogram *histogram)
{
    static const struct {
        const char *key;
        double fraction;
    } percentiles[] = {{"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p999_ns", 0.999}};
    json_t *object = json_object();

    weir_json_put_integer(object, "count", (int64_t)histogram->total);
    weir_json_put_real(object, "mean_ns", weir_histogram_mean_ns(histogram));
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
        if (weir_histogram_has_quantile(histogram, percentiles[i].fraction))
            weir_json_put_integer(
                object, percentiles[i].key,
                (int64_t)weir_histogram_percentile(histogram, percentiles[i].fraction));
    weir_json_put_integer(object, "max_ns", (int64_t)histogram->max_ns);
    return object;
}

/* The facts of a test before its phases. */
static json_t *facts_of(const struct weir_plan *plan, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    json_t *object = json_object();
    json_t *texts = json_array();

    for (size_t i = 0; i < test->remark_count; i++)
        json_array_append_new(texts, weir_json_readable(test->remarks[i]));
    weir_json_put_integer(object, "test", begun->test);
    weir_json_put_integer(object, "existing_files", (int64_t)begun->existing_count);
    weir_json_put_value(object, "remarks", texts);
    if (begun->no_room[0] != '\0')
        weir_json_put_value(object, "no_space", weir_json_readable(begun->no_room));
    return object;
}

static void put_latencies(json_t *entry, const struct weir_phase_result *phase)
{
    const struct {
        const char *key;
        const struct weir_histogram *histogram;
    } rows[] = {
        {"latency", phase->latency},           {"submission", phase->submission},
        {"response", phase->response},         {"write_latency", phase->write_latency},
        {"read_latency", phase->read_latency},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].histogram && rows[i].histogram->total > 0)
            weir_json_put_value(entry, rows[i].key, weir_json_latency(rows[i].histogram));
}

/* All findings of the run, the weightiest first, each with its phase. */
static json_t *findings_of(const struct weir_plan *plan, const struct weir_result *result)
{
    json_t *list = json_array();

    for (unsigned weight = 0; weight < WEIR_FINDING_WEIGHTS; weight++)
        for (unsigned i = 0; i < result->phase_count; i++) {
            const struct weir_phase_result *phase = &result->phases[i];
            const struct weir_phase *planned = weir_figures_phase(plan, phase);

            for (unsigned k = 0; planned && k < phase->finding_count; k++) {
                json_t *object;

                if (weir_finding_weigh(&phase->findings[k]) != weight)
                    continue;
                object = weir_json_object(weir_record_finding_fields, &phase->findings[k]);
                weir_json_put_integer(object, "test", phase->test);
                weir_json_put_integer(object, "phase", phase->phase);
                weir_json_put_integer(object, "repetition", phase->repetition);
                weir_json_put_text(object, "verb", weir_verb_name(planned->verb));
                json_array_append_new(list, object);
            }
        }
    return list;
}

/* Conditions of --expect, each with the phases that it was compared with. */
static json_t *conditions_of(const struct weir_plan *plan, const struct weir_result *result)
{
    struct weir_arena arena = {0};
    const struct weir_expectations *all = weir_expect_judge(&arena, plan, result);
    json_t *list = json_array();

    for (unsigned i = 0; i < all->count; i++) {
        const struct weir_expectation *row = &all->rows[i];
        json_t *object = json_object(), *cases = json_array();

        for (unsigned k = 0; k < row->case_count; k++)
            json_array_append_new(cases,
                                  json_pack("{s:o, s:f, s:s, s:i, s:s, s:b}", "phase",
                                            weir_json_readable(row->cases[k].phase), "value",
                                            row->cases[k].value, "unit", row->condition->unit,
                                            "repetitions", (int)row->cases[k].count, "believed",
                                            weir_believed_names[row->cases[k].believed], "holds",
                                            (int)row->cases[k].holds));
        weir_json_put_text(object, "condition", row->condition->text);
        weir_json_put_value(object, "holds", json_boolean(row->holds));
        weir_json_put_text(object, "text", row->text);
        weir_json_put_value(object, "phases", cases);
        json_array_append_new(list, object);
    }
    weir_arena_close(&arena);
    return list;
}

static json_t *trust_of(const struct weir_plan *plan, const struct weir_result *result)
{
    json_t *object = json_object();
    json_t *tests = json_array();
    json_t *phases = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, facts_of(plan, &result->tests[i]));
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        json_t *entry;

        if (!weir_figures_phase(plan, phase))
            continue;
        entry = weir_record_phase_object(plan, phase);
        weir_json_put_text(entry, "failure", phase->failure);
        put_latencies(entry, phase);
        if (weir_verb_works_on_trees(weir_figures_phase(plan, phase)->verb)) {
            /* Of phases on trees. */
            weir_json_put_real(entry, "waiting_percent",
                               weir_figures_waiting(weir_figures_phase(plan, phase), phase));
            if (phase->verb_count > 0) {
                /* Of a cycle, each for itself. */
                json_t *verbs = json_array();

                for (unsigned k = 0; k < phase->verb_count && k < WEIR_VERB_RESULTS_MAX; k++) {
                    const struct weir_verb_result *verb = &phase->verbs[k];
                    json_t *each = json_object();

                    weir_json_put_text(each, "verb", weir_verb_name((enum weir_verb)verb->verb));
                    weir_json_put_integer(each, "ops", (int64_t)verb->op_count);
                    if (verb->latency && verb->latency->total > 0)
                        weir_json_put_value(each, "latency", weir_json_latency(verb->latency));
                    json_array_append_new(verbs, each);
                }
                weir_json_put_value(entry, "verbs", verbs);
            }
        }
        json_array_append_new(phases, entry);
    }
    weir_json_put_text(object, "version", WEIR_VERSION);
    weir_json_put_text(object, "plan_id", plan->id);
    weir_json_put_text(object, "clock", result->clock_name);
    weir_json_put_value(object, "interrupted", json_boolean(result->is_interrupted));
    weir_json_put_integer(object, "exit_code", result->exit_code);
    weir_json_put_value(object, "exit_reason",
                        result->exit_reason != NULL ? weir_json_readable(result->exit_reason)
                                                    : json_null());
    if (plan->output.expect != NULL)
        weir_json_put_value(object, "conditions", conditions_of(plan, result));
    weir_json_put_text(object, "believed", weir_believed_names[weir_result_believed(result)]);
    weir_json_put_value(object, "findings", findings_of(plan, result));
    weir_json_put_value(object, "tests", tests);
    weir_json_put_value(object, "phases", phases);
    return object;
}

/* ---- the whole ---- */

json_t *weir_json_begin(const struct weir_plan *plan, const struct weir_result *result,
                        const char *version)
{
    json_t *report = json_object();
    struct weir_text text = {0};

    if (version != NULL)
        weir_json_put_text(report, "Version", version);
    put_date(report, "Began", result->begun_s);
    weir_json_put_text(report, "Command line", plan->command_line);
    weir_words_machine(&text, plan, &result->host);
    weir_json_put_text(report, "Machine", weir_text_string(&text));
    weir_text_close(&text);
    return report;
}

json_t *weir_json_test(const struct weir_test_result *begun, const char *path)
{
    struct weir_words_filesystem words = weir_words_filesystem(&begun->filesystem);
    json_t *object = json_object();

    weir_json_put_integer(object, "TestID", begun->test);
    put_date(object, "StartTime", begun->begun_s);
    weir_json_put_text(object, "Path", path);
    weir_json_put_text(object, "Capacity", words.capacity);
    weir_json_put_text(object, "Used Capacity", words.used_capacity);
    weir_json_put_text(object, "Inodes", words.inodes);
    weir_json_put_text(object, "Used Inodes", words.used_inodes);
    return object;
}

void weir_json_end(struct weir_text *text, json_t *report, const struct weir_plan *plan,
                   const struct weir_result *result)
{
    if (weir_figures_has_end(plan, result))
        put_date(report, "Finished", result->finished_s);
    else
        weir_json_put_value(report, "Finished", json_null());
    if (!plan->output.is_plain)
        weir_json_put_value(report, "Weir", trust_of(plan, result));
    weir_json_add(text, report, JSON_INDENT(2));
}

/* ---- weir doctor ---- */

void weir_report_diagnosis(const struct weir_diagnosis *diagnosis, const char *path,
                           struct weir_text *text)
{
    json_t *object = json_object(), *lines = json_array();

    weir_json_put_text(object, "weir", WEIR_VERSION);
    if (path != NULL)
        weir_json_put_text(object, "path", path);
    for (unsigned i = 0; i < WEIR_VERDICTS; i++)
        weir_json_put_integer(object, weir_verdict_name((enum weir_verdict)i),
                              (int64_t)weir_diagnosis_count(diagnosis, (enum weir_verdict)i));
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct weir_diagnosis_line *line = &diagnosis->lines[i];
        json_t *each = json_object(), *remedies = json_array();
        struct weir_text remedy = {0};

        weir_json_put_text(each, "heading", line->heading);
        weir_json_put_text(each, "subject", line->subject);
        weir_json_put_text(each, "verdict", weir_verdict_name(line->verdict));
        weir_json_put_text(each, "text", line->text);
        for (const char *at = line->remedy; at != NULL && *at != '\0';) {
            size_t length = strcspn(at, "\n");

            weir_text_add_bytes(&remedy, at, length);
            json_array_append_new(remedies, weir_json_readable(weir_text_string(&remedy)));
            weir_text_clear(&remedy);
            at += length + (at[length] == '\n');
        }
        weir_text_close(&remedy);
        if (json_array_size(remedies) > 0)
            weir_json_put_value(each, "remedies", remedies);
        else
            json_decref(remedies);
        json_array_append_new(lines, each);
    }
    weir_json_put_value(object, "lines", lines);
    weir_json_add(text, object, JSON_INDENT(2));
}
