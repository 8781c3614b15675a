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
    WEIR_JSON_TEXT   /* array of char */
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

/* A string; bytes that are not UTF-8 become U+FFFD. */
json_t *weir_json_readable(const char *text);

/* Text that must come back byte for byte: a string, or {"hex": "..."} if it is not UTF-8. */
json_t *weir_json_exact(const char *text);

/* Reads what weir_json_exact made; NULL if it is something else. */
char *weir_json_exact_read(const json_t *value, struct weir_arena *arena);

/* A finite number: what is not finite becomes 0. */
json_t *weir_json_number(double value);

#endif
