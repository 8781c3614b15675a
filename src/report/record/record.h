/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the result file, for its writer and its reader. The keys are explained in
 * docs/result-file.md. */
#ifndef WEIR_REPORT_RECORD_RECORD_H
#define WEIR_REPORT_RECORD_RECORD_H

#include "json_fields.h"

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#define WEIR_RECORD_SCHEMA "weir-result-1"

/* A record without fields yet, and its line of the file; the record is given up. */
json_t *weir_record_of(const char *kind, uint64_t run_id);
void weir_record_add_line(struct weir_text *text, json_t *record);

bool weir_record_is(const json_t *record, const char *kind);

/* The records of a run as an array that begins with its "run". `run` as for weir_record_read. */
int weir_record_load(const char *path, unsigned run, json_t **records, struct weir_error *error);

extern const struct weir_json_field weir_record_host_fields[];
extern const struct weir_json_field weir_record_test_fields[];
extern const struct weir_json_field weir_record_filesystem_fields[];
extern const struct weir_json_field weir_record_phase_fields[];
extern const struct weir_json_field weir_record_windows_fields[];
extern const struct weir_json_field weir_record_spread_fields[];
extern const struct weir_json_field weir_record_slow_rank_fields[];
extern const struct weir_json_field weir_record_outlier_fields[];
extern const struct weir_json_field weir_record_cpu_fields[];
extern const struct weir_json_field weir_record_depth_point_fields[];
extern const struct weir_json_field weir_record_pace_fields[];
extern const struct weir_json_field weir_record_stonewall_fields[];
extern const struct weir_json_field weir_record_clock_fields[];
extern const struct weir_json_field weir_record_verification_fields[];
extern const struct weir_json_field weir_record_mismatch_fields[];
extern const struct weir_json_field weir_record_found_fields[];
extern const struct weir_json_field weir_record_found_writer_fields[]; /* WEIR_FOUND_WRITER */
extern const struct weir_json_field weir_record_histogram_fields[];

/* Entry k is the name of enum weir_outcome k, of enum weir_severity k, of enum weir_outlier_kind
 * k. */
extern const char *const weir_record_outcomes[3];
extern const char *const weir_record_severities[2];
extern const char *const weir_record_outlier_kinds[WEIR_OUTLIER_KINDS];

/* A list of objects: severity, name, and text as `write` (weir_json_exact, ..._readable) makes it.
 */
json_t *weir_record_findings(const struct weir_finding *findings, unsigned count,
                             json_t *(*write)(const char *text));

/* All of a phase of the plan but its histograms, its series, and where its ranks ran. */
json_t *weir_record_phase_object(const struct weir_plan *plan,
                                 const struct weir_phase_result *phase);

/* What is known of the build, of the nodes and of the job: into and out of the record of a run.
 * Each of these readers gives false for what is damaged, and leaves empty what is not there, as in
 * files of older versions. */
void weir_record_put_environment(json_t *record, const struct weir_result *result);
bool weir_record_take_environment(const json_t *record, struct weir_result *result);

/* What is behind the target of a test: as a list, and out of it. */
json_t *weir_record_storages(const struct weir_test_result *test);
bool weir_record_take_storages(const json_t *list, struct weir_arena *arena,
                               struct weir_test_result *test);

/* Page caches, devices and memory of a phase; where its ranks ran; and both out of its record, when
 * its numbers of ranks and nodes are known. */
void weir_record_put_cache(json_t *record, const struct weir_phase_result *phase);
void weir_record_put_places(json_t *record, const struct weir_phase_result *phase);
bool weir_record_take_places(const json_t *record, struct weir_arena *arena,
                             struct weir_phase_result *phase);

/* What a test wants of places: policies, huge pages, empty caches. */
json_t *weir_record_placement(const struct weir_test *test);

#endif
