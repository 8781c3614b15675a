/* SPDX-License-Identifier: Apache-2.0 */
/* Members of plain structs as keys of JSON objects: one table row serves for writing and for
 * reading. */
#ifndef WEIR_REPORT_JSON_FIELDS_H
#define WEIR_REPORT_JSON_FIELDS_H

#include "weir/base/arena.h"
#include "weir/base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_json_type {
    WEIR_JSON_UNSIGNED, /* unsigned or uint32_t */
    WEIR_JSON_INTEGER,  /* int or int64_t */
    WEIR_JSON_COUNT, /* uint64_t; above 2^63 - 1 a hexadecimal string: JSON's readers stop there */
    WEIR_JSON_SEED,  /* uint64_t, always a hexadecimal string: all 64 bits count */
    WEIR_JSON_REAL,  /* double */
    WEIR_JSON_KNOWN_REAL, /* double; null for NAN: not known */
    WEIR_JSON_FLAG,       /* bool */
    WEIR_JSON_TEXT,       /* array of char */
    WEIR_JSON_KNOWN,      /* uint64_t; null for UINT64_MAX: not known, or without limit */
    WEIR_JSON_PLACE,      /* int32_t; null for what is below 0: not known */
    WEIR_JSON_BITS,       /* uint64_t; the numbers of its bits, as an array */
    WEIR_JSON_CPUS,       /* struct weir_cpu_set; "0-3,8", "" for the empty one */
    WEIR_JSON_NAME,       /* an enum or uint32_t; its entry of `names` */
    WEIR_JSON_STRING,     /* const char *; null for NULL */
    WEIR_JSON_OBJECT,     /* a struct by `fields` */
    WEIR_JSON_FLAT,       /* the same, its keys in the object itself; the row's own key is "" */
    WEIR_JSON_POINTER,    /* pointer to one; null for NULL */
    WEIR_JSON_LIST,       /* array of structs, counted: an array of objects */
    WEIR_JSON_VECTOR,     /* pointer to one */
    WEIR_JSON_POINTERS,   /* pointer to an array of pointers to structs: an array of objects */
    WEIR_JSON_COLUMNS,    /* pointer to an array of structs: an object of arrays, one per field */
    WEIR_JSON_COUNTS,     /* array of uint64_t, counted */
    WEIR_JSON_NUMBERS,    /* const uint64_t *, counted */
    WEIR_JSON_STRINGS,    /* const char *const *, counted */
    WEIR_JSON_PAIRS,      /* pointer to an array of struct weir_fact, counted: an object of texts */
    WEIR_JSON_OWN         /* as `write` and `read` say, which are given the whole struct */
};

enum weir_json_flag {
    WEIR_JSON_OMITTED = 1 << 0, /* left out, not null, where it is not there */
    WEIR_JSON_NEEDED = 1 << 1,  /* damaged without it, and if it is 0 or NULL */
    WEIR_JSON_COUNTED = 1 << 2, /* the count has a key of its own, and comes before this one */
};

/* What the reader allocates lies in its arena. */
struct weir_json_field {
    const char *key;    /* NULL ends a table */
    const char *former; /* the key in files of older versions, which are read as well; or NULL */
    enum weir_json_type type;
    unsigned flags; /* enum weir_json_flag */
    size_t offset;
    size_t bytes;
    /* a member that says by not being 0 that this one is there, which is null otherwise; a bool is
     * set by the reader. 0 bytes: it is always there */
    size_t when;
    size_t when_bytes;
    size_t count; /* the member that counts elements: 4 or 8 bytes */
    size_t count_bytes;
    size_t stride; /* bytes of a struct of `fields` */
    size_t room;   /* elements at most that a file may have; 0: any number, or all of an array */
    const struct weir_json_field *fields;
    const char *const *names;
    unsigned name_count;
    json_t *(*write)(const void *values);
    bool (*read)(const json_t *value, void *values, struct weir_arena *arena);
};

/* A row; the type without its prefix, and behind it what else there is to say: */
#define WEIR_JSON_FIELD(structure, key_text, member, json_type, ...)                               \
    {                                                                                              \
        .key = (key_text), .type = WEIR_JSON_##json_type,                                          \
        .offset = offsetof(struct structure, member),                                              \
        .bytes = sizeof(((struct structure *)0)->member), __VA_ARGS__                              \
    }
/* A row whose keys are members of the same struct. */
#define WEIR_JSON_PART(key_text, table, ...)                                                       \
    {                                                                                              \
        .key = (key_text), .type = WEIR_JSON_OBJECT, .fields = (table), __VA_ARGS__                \
    }
#define WEIR_JSON_ROWS_OF(table)                                                                   \
    {                                                                                              \
        .key = "", .type = WEIR_JSON_FLAT, .fields = (table)                                       \
    }
#define WEIR_JSON_WHEN(structure, member)                                                          \
    .when = offsetof(struct structure, member),                                                    \
    .when_bytes = sizeof(((struct structure *)0)->member)
#define WEIR_JSON_COUNT_IN(structure, member)                                                      \
    .count = offsetof(struct structure, member),                                                   \
    .count_bytes = sizeof(((struct structure *)0)->member)
#define WEIR_JSON_OF(table, structure) .fields = (table), .stride = sizeof(struct structure)
#define WEIR_JSON_NAMES(array) .names = (array), .name_count = sizeof(array) / sizeof *(array)

/* Appends the members of `values` to `object`. */
void weir_json_put(json_t *object, const struct weir_json_field *fields, const void *values);

/* An object with these members. */
json_t *weir_json_object(const struct weir_json_field *fields, const void *values);

/* Sets the members of `values` that `object` has keys for. False if one has another type than the
 * table says. */
bool weir_json_take(const json_t *object, const struct weir_json_field *fields, void *values,
                    struct weir_arena *arena);

/* An array of objects: `count` elements, `stride` bytes apart. */
json_t *weir_json_list(const struct weir_json_field *fields, const void *elements, size_t stride,
                       size_t count);

/* An object with the same keys that has an array for each, one entry per element. Far shorter than
 * an array of objects, and as easily made a table. */
json_t *weir_json_columns(const struct weir_json_field *fields, const void *elements, size_t stride,
                          size_t count);

/* A string; bytes that are not UTF-8 become U+FFFD. */
json_t *weir_json_readable(const char *text);

/* Text that must come back byte for byte: a string, or {"hex": "..."} if it is not UTF-8. */
json_t *weir_json_exact(const char *text);

/* Appends a document, written with the flags of json_dumps(), and a line end; frees the document. */
void weir_json_add(struct weir_text *text, json_t *document, size_t flags);

/* Reads what weir_json_exact made; NULL if it is something else. */
char *weir_json_exact_read(const json_t *value, struct weir_arena *arena);

/* A finite number: what is not finite becomes 0. */
json_t *weir_json_number(double value);

/* Of the types up to WEIR_JSON_NAME. False: it is something else. */
json_t *weir_json_scalar(const struct weir_json_field *field, const void *member);
bool weir_json_take_scalar(const struct weir_json_field *field, const json_t *value, void *member);

json_t *weir_json_count(uint64_t value);
bool weir_json_take_count(const json_t *value, uint64_t *count);

#endif
