/* SPDX-License-Identifier: Apache-2.0 */
/* A report as a JSON document: what all dialects have in common. */
#ifndef WEIR_REPORT_JSON_REPORT_H
#define WEIR_REPORT_JSON_REPORT_H

#include "json_fields.h"

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdint.h>

/* Adds a member to an object. */
void weir_json_put_value(json_t *object, const char *key, json_t *value);
void weir_json_put_text(json_t *object, const char *key, const char *value);
void weir_json_put_integer(json_t *object, const char *key, int64_t value);
void weir_json_put_real(json_t *object, const char *key, double value);
/* A whole number, unless it has a fraction. */
void weir_json_put_number(json_t *object, const char *key, double value);

/* The head of a report. `version` NULL: it has none. */
json_t *weir_json_begin(const struct weir_plan *plan, const struct weir_result *result,
                        const char *version);

/* The head of a test. */
json_t *weir_json_test(const struct weir_test_result *begun, const char *path);

/* Mean, percentiles and maximum of a histogram, in nanoseconds. */
json_t *weir_json_latency(const struct weir_histogram *histogram);

/* The end of a report, with our own object unless the output is plain; appends it all to the text,
 * and frees it. */
void weir_json_end(struct weir_text *text, json_t *report, const struct weir_plan *plan,
                   const struct weir_result *result);

#endif
