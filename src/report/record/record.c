/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the result file: a run, its tests and its phases as JSON lines. */
#include "record.h"

#include "figures.h"

#include "weir/base/version.h"
#include "weir/report/report.h"

#include <inttypes.h>
#include <stdio.h>

/* Each record has the id of its run: runs may append to one file at the same time. */
json_t *weir_record_of(const char *kind, uint64_t run_id)
{
    json_t *record = json_object();
    char id[WEIR_RUN_ID_BYTES];

    json_object_set_new(record, "record", json_string(kind));
    snprintf(id, sizeof id, "%016" PRIx64, run_id);
    if (run_id != 0)
        json_object_set_new(record, "run_id", json_string(id));
    return record;
}

void weir_record_add_line(struct weir_text *text, json_t *record)
{
    weir_json_add(text, record, JSON_COMPACT);
}

void weir_record_put_build(json_t *record)
{
    json_object_set_new(record, "schema", json_string(WEIR_RECORD_SCHEMA));
    json_object_set_new(record, "weir", json_string(WEIR_VERSION));
    json_object_set_new(record, "build",
                        json_pack("{s:s,s:s,s:s}", "type", WEIR_BUILD_TYPE, "compiler",
                                  WEIR_BUILD_COMPILER, "flags", WEIR_BUILD_FLAGS));
}

void weir_record_run(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result)
{
    json_t *record = weir_record_of("run", result->run_id);

    weir_record_put_build(record);
    weir_json_put(record, weir_record_run_fields, result);
    weir_json_put(record, weir_record_plan_fields, plan);
    weir_record_add_line(text, record);
}

void weir_record_test(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test)
{
    json_t *record = weir_record_of("test", result->run_id);

    weir_json_put(record, weir_record_planned_test_fields, plan->tests[test->test]);
    weir_json_put(record, weir_record_test_fields, test);
    weir_record_add_line(text, record);
}

json_t *weir_record_phase_object(const struct weir_plan *plan,
                                 const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    json_t *object = json_object();

    json_object_set_new(object, "verb", json_string(weir_verb_name(planned->verb)));
    json_object_set_new(object, "check", json_boolean(planned->is_check));
    json_object_set_new(object, "prefill", json_boolean(planned->is_prefill));
    weir_json_put(object, weir_record_phase_fields, phase);
    return object;
}

/* A value that was found replaces the one that was asked for, under the same key: the depth of a
 * search, a seed that was drawn. */
void weir_record_phase(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    json_t *record = weir_record_of("phase", result->run_id);

    weir_json_put(record, weir_record_planned_phase_fields, weir_figures_phase(plan, phase));
    weir_json_put(record, weir_record_phase_fields, phase);
    weir_json_put(record, weir_record_detail_fields, phase);
    weir_record_add_line(text, record);
}

void weir_record_timed(struct weir_text *text, const struct weir_result *result,
                       const struct weir_timed_result *timed)
{
    json_t *record = weir_record_of("timed", result->run_id);

    weir_json_put(record, weir_record_timed_fields, timed);
    weir_record_add_line(text, record);
}

void weir_record_end(struct weir_text *text, const struct weir_result *result)
{
    json_t *record = weir_record_of("end", result->run_id);

    weir_json_put(record, weir_record_end_fields, result);
    weir_record_add_line(text, record);
}
