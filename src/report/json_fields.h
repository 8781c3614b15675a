/* SPDX-License-Identifier: Apache-2.0 */
/* Members of plain structs as keys of JSON objects: one table row serves for writing and for
 * reading. */
#ifndef WEIR_REPORT_JSON_FIELDS_H
#define WEIR_REPORT_JSON_FIELDS_H

#include "weir/base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_json_type {
    WEIR_JSON_UNSIGNED, /* unsigned or uint32_t */
    WEIR_JSON_COUNT, /* uint64_t; above 2^63 - 1 a hexadecimal string: JSON's readers stop there */
    WEIR_JSON_SEED,  /* uint64_t, always a hexadecimal string: all 64 bits count */
    WEIR_JSON_REAL,  /* double */
    WEIR_JSON_FLAG,  /* bool */
    WEIR_JSON_TEXT,  /* array of char */
    WEIR_JSON_KNOWN, /* uint64_t; null for UINT64_MAX: not known, or without limit */
    WEIR_JSON_PLACE, /* int32_t; null for what is below 0: not known */
    WEIR_JSON_BITS,  /* uint64_t; the numbers of its bits, as an array */
    WEIR_JSON_CPUS   /* struct weir_cpu_set; "0-3,8", "" for the empty one */
};

struct weir_json_field {
    const char *key; /* NULL ends a table */
    enum weir_json_type type;
    size_t offset;
    size_t bytes;
};

#define WEIR_JSON_FIELD(structure, key_text, member, json_type)                                    \
    {                                                                                              \
        .key = (key_text), .type = (json_type), .offset = offsetof(struct structure, member),      \
        .bytes = sizeof((struct structure *)0)->member                                             \
    }

/* Appends the members of `values` to `object`. */
void weir_json_put(json_t *object, const struct weir_json_field *fields, const void *values);

/* Sets the members of `values` that `object` has keys for. False if one has another type than the
 * table says. */
bool weir_json_take(const json_t *object, const struct weir_json_field *fields, void *values);

/* An object with the same keys that has an array for each, one entry per element: `count` of them,
 * `stride` bytes apart. Far shorter than an array of objects, and as easily made a table. */
json_t *weir_json_columns(const struct weir_json_field *fields, const void *elements, size_t stride,
                          size_t count);

/* Sets the members of `count` elements from such columns. False if one has another length or
 * another type. */
bool weir_json_take_columns(const json_t *columns, const struct weir_json_field *fields,
                            void *elements, size_t stride, size_t count);

/* A string; bytes that are not UTF-8 become U+FFFD. */
json_t *weir_json_readable(const char *text);

/* Text that must come back byte for byte: a string, or {"hex": "..."} if it is not UTF-8. */
json_t *weir_json_exact(const char *text);

/* Reads what weir_json_exact made; NULL if it is something else. */
char *weir_json_exact_read(const json_t *value, struct weir_arena *arena);

/* A finite number: what is not finite becomes 0. */
json_t *weir_json_number(double value);

#endif
