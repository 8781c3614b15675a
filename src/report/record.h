/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the result file, for its writer and its reader. The keys are explained in
 * docs/result-file.md. */
#ifndef WEIR_REPORT_RECORD_H
#define WEIR_REPORT_RECORD_H

#include "json_fields.h"

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#define WEIR_RECORD_SCHEMA "weir-result-1"

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

/* All of a phase of the plan but its histograms and its series. */
json_t *weir_record_phase_object(const struct weir_plan *plan,
                                 const struct weir_phase_result *phase);

#endif
