/* SPDX-License-Identifier: Apache-2.0 */
/* The reporters of figures as data, which every dialect has. */
#ifndef WEIR_REPORT_MEASURED_H
#define WEIR_REPORT_MEASURED_H

#include "dialect.h"
#include "json_fields.h"

/* Columns of csv-long: of the run, then of the phase, then of the run again. */
extern const struct weir_json_field weir_measured_first_columns[], weir_measured_phase_columns[],
    weir_measured_last_columns[];
/* Keys of a run in json-long. */
extern const struct weir_json_field weir_measured_run_fields[];
/* The value of a column; bytes that are not UTF-8 become U+FFFD. */
json_t *weir_measured_value(const struct weir_json_field *field, const void *values);
/* Appends the shortest text that is the same number again. */
void weir_measured_add_number(struct weir_text *text, double value);

#endif
