/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the result file, for its writer and its reader. The keys are explained in
 * docs/result-file.md. */
#ifndef WEIR_REPORT_RECORD_RECORD_H
#define WEIR_REPORT_RECORD_RECORD_H

#include "json_fields.h"

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* A row that is left out where it is 0, false or NULL: most of a plan is. */
#define WEIR_JSON_IF_ANY(structure, key_text, member, ...)                                         \
    WEIR_JSON_FIELD(structure, key_text, member, __VA_ARGS__, .flags = WEIR_JSON_OMITTED,          \
                    WEIR_JSON_WHEN(structure, member))

#define WEIR_RECORD_SCHEMA "weir-result-2"

/* By enum weir_outcome and enum weir_order: "complete", ...; "sequential", "shuffled", ... */
extern const char *const weir_record_outcome_names[WEIR_OUTCOME_SKIPPED + 1];
extern const char *const weir_record_order_names[WEIR_ORDER_LISTED + 1];

/* A record without fields yet, and its line of the file; the record is given up. */
json_t *weir_record_of(const char *kind, uint64_t run_id);
void weir_record_add_line(struct weir_text *text, json_t *record);

/* Which schema the run is in, and what program and build wrote it. */
void weir_record_put_build(json_t *record);

/* Of struct weir_program (WEIR_PROGRAM), without its statements, and of what it has done. */
extern const struct weir_json_field weir_record_planned_program_fields[];
extern const struct weir_json_field weir_record_program_fields[]; /* struct weir_program_result */

/* Of struct weir_plan: what was asked for. */
extern const struct weir_json_field weir_record_plan_fields[];
/* Of struct weir_test and struct weir_phase, without their phases and steps. They stand in the plan
 * of the run, and again in the records of the test and the phase, so that each of these can be
 * understood alone. */
extern const struct weir_json_field weir_record_planned_test_fields[];
extern const struct weir_json_field weir_record_planned_phase_fields[];

/* The steps of struct weir_test. */
extern const struct weir_json_field weir_record_step_fields[];
json_t *weir_record_write_steps(const void *values);
bool weir_record_read_steps(const json_t *value, void *values, struct weir_arena *arena);

/* Of struct weir_result, ..._test_result and ..._phase_result. */
extern const struct weir_json_field weir_record_run_fields[];
extern const struct weir_json_field weir_record_end_fields[];
extern const struct weir_json_field weir_record_test_fields[];
extern const struct weir_json_field weir_record_phase_fields[];
extern const struct weir_json_field weir_record_timed_fields[]; /* struct weir_timed_result */
/* Histograms, series, and where the ranks ran. */
extern const struct weir_json_field weir_record_detail_fields[];

extern const struct weir_json_field weir_record_finding_fields[];   /* struct weir_finding */
extern const struct weir_json_field weir_record_histogram_fields[]; /* struct weir_histogram */

/* All of a phase of the plan but its details. */
json_t *weir_record_phase_object(const struct weir_plan *plan,
                                 const struct weir_phase_result *phase);

/* Whether what refers to something else of a program's result finds it. False: damaged. */
bool weir_record_is_sound_program(const struct weir_program_result *program);

/* Counts the phases of a plan that was read, and looks at what reports take for granted. False:
 * damaged. */
bool weir_record_is_sound(struct weir_plan *plan);

#endif
