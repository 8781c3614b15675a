/* SPDX-License-Identifier: Apache-2.0 */
/* Single members of structs as JSON. */
#ifndef WEIR_REPORT_JSON_VALUES_H
#define WEIR_REPORT_JSON_VALUES_H

#include "json_fields.h"

/* Of the types up to WEIR_JSON_NAME. False: it is something else. */
json_t *weir_json_scalar(const struct weir_json_field *field, const void *member);
bool weir_json_take_scalar(const struct weir_json_field *field, const json_t *value, void *member);

json_t *weir_json_count(uint64_t value);
bool weir_json_take_count(const json_t *value, uint64_t *count);

#endif
