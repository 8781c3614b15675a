/* SPDX-License-Identifier: Apache-2.0 */
/* Single values as JSON, valid whatever bytes texts hold. */
#include "json_fields.h"

#include "weir/base/cpu_set.h"
#include "weir/base/error.h"
#include "weir/base/facts.h"
#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

json_t *weir_json_readable(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *string = json_string(text);
    struct weir_text valid = {0};

    if (string)
        return string;
    while (*text) {
        unsigned length = weir_utf8_bytes(text);

        if (length > 0)
            weir_text_add_bytes(&valid, text, length);
        else
            weir_text_add(&valid, "%s", replacement);
        text += length > 0 ? length : 1;
    }
    string = json_string(weir_text_string(&valid));
    weir_text_close(&valid);
    return string;
}

json_t *weir_json_exact(const char *text)
{
    json_t *string = json_string(text);
    struct weir_text hex = {0};

    if (string)
        return string;
    for (; *text; text++)
        weir_text_add(&hex, "%02x", (unsigned char)*text);
    string = json_pack("{s:s}", "hex", weir_text_string(&hex));
    weir_text_close(&hex);
    return string;
}

static int hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = digit ? strchr(digits, digit) : NULL;

    return found ? (int)(found - digits) : -1;
}

char *weir_json_exact_read(const json_t *value, struct weir_arena *arena)
{
    const char *hex;
    size_t count;
    char *text;

    if (json_is_string(value))
        return weir_arena_copy(arena, json_string_value(value));
    hex = json_string_value(json_object_get(value, "hex"));
    if (!hex || strlen(hex) % 2 != 0)
        return NULL;
    count = strlen(hex) / 2;
    text = weir_arena_take(arena, count + 1);
    for (size_t i = 0; i < count; i++) {
        int high = hex_value(hex[2 * i]);
        int low = hex_value(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return NULL;
        text[i] = (char)(high * 16 + low);
    }
    return text;
}

/* ---- numbers ---- */

json_t *weir_json_number(double value)
{
    return json_real(isfinite(value) ? value : 0.0);
}

static json_t *hexadecimal(uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "0x%016" PRIx64, value);
    return json_string(text);
}

json_t *weir_json_count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : hexadecimal(value);
}

bool weir_json_take_count(const json_t *value, uint64_t *count)
{
    const char *text = json_string_value(value);
    char *end;

    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *count = (uint64_t)json_integer_value(value);
        return true;
    }
    if (!text || strncmp(text, "0x", 2) != 0)
        return false;
    errno = 0;
    *count = strtoull(text, &end, 16);
    return errno == 0 && *end == '\0';
}

/* ---- sets ---- */

static json_t *bits_of(uint64_t bits)
{
    json_t *list = json_array();

    for (int i = 0; i < 64; i++)
        if (bits >> i & 1)
            json_array_append_new(list, json_integer(i));
    return list;
}

static bool read_bits(const json_t *list, uint64_t *bits)
{
    uint64_t read = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *bit = json_array_get(list, i);

        if (!json_is_integer(bit) || json_integer_value(bit) < 0 || json_integer_value(bit) > 63)
            return false;
        read |= UINT64_C(1) << json_integer_value(bit);
    }
    *bits = read;
    return json_is_array(list);
}

static json_t *cpus_of(const struct weir_cpu_set *set)
{
    struct weir_text text = {0};
    json_t *string;

    weir_cpu_set_format(set, &text);
    string = json_string(weir_text_string(&text));
    weir_text_close(&text);
    return string;
}

static bool read_cpus(const json_t *value, struct weir_cpu_set *set)
{
    const char *list = json_string_value(value);

    *set = (struct weir_cpu_set){0};
    return list && (*list == '\0' || weir_cpu_set_parse(list, set) == 0);
}

/* ---- members ---- */

static int64_t integer_in(const void *member, size_t bytes)
{
    return bytes == sizeof(int) ? *(const int *)member : *(const int64_t *)member;
}

json_t *weir_json_scalar(const struct weir_json_field *field, const void *member)
{
    switch (field->type) {
    case WEIR_JSON_UNSIGNED:
        return json_integer(*(const unsigned *)member);
    case WEIR_JSON_INTEGER:
        return json_integer(integer_in(member, field->bytes));
    case WEIR_JSON_COUNT:
        return weir_json_count(*(const uint64_t *)member);
    case WEIR_JSON_SEED:
        return hexadecimal(*(const uint64_t *)member);
    case WEIR_JSON_REAL:
        return weir_json_number(*(const double *)member);
    case WEIR_JSON_KNOWN_REAL:
        return isnan(*(const double *)member) ? json_null()
                                              : weir_json_number(*(const double *)member);
    case WEIR_JSON_FLAG:
        return json_boolean(*(const bool *)member);
    case WEIR_JSON_TEXT:
        return weir_json_exact(member);
    case WEIR_JSON_KNOWN:
        return *(const uint64_t *)member == UINT64_MAX ? json_null()
                                                       : weir_json_count(*(const uint64_t *)member);
    case WEIR_JSON_PLACE:
        return *(const int32_t *)member < 0 ? json_null() : json_integer(*(const int32_t *)member);
    case WEIR_JSON_BITS:
        return bits_of(*(const uint64_t *)member);
    case WEIR_JSON_CPUS:
        return cpus_of(member);
    case WEIR_JSON_NAME:
        assert(*(const unsigned *)member < field->name_count);
        return json_string(field->names[*(const unsigned *)member]);
    default:
        assert(!"a type that is not written");
        return NULL;
    }
}

static bool take_text(const struct weir_json_field *field, const json_t *value, char *member)
{
    struct weir_arena arena = {0};
    const char *text = weir_json_exact_read(value, &arena);
    bool is_read = text && strlen(text) < field->bytes;

    if (is_read)
        memcpy(member, text, strlen(text) + 1);
    weir_arena_close(&arena);
    return is_read;
}

static bool take_unsigned(const json_t *value, unsigned *member)
{
    uint64_t count;

    if (!weir_json_take_count(value, &count) || count > UINT32_MAX)
        return false;
    *member = (unsigned)count;
    return true;
}

static bool take_integer(const struct weir_json_field *field, const json_t *value, void *member)
{
    json_int_t number = json_integer_value(value);

    if (field->bytes != sizeof(int)) {
        *(int64_t *)member = number;
        return json_is_integer(value);
    }
    *(int *)member = (int)number;
    return json_is_integer(value) && number >= INT32_MIN && number <= INT32_MAX;
}

static bool take_real(const json_t *value, double *member)
{
    /* Figures derived of anything larger may not be finite. */
    *member = json_number_value(value);
    return json_is_number(value) && fabs(*member) <= 1e30;
}

static bool take_known(const json_t *value, uint64_t *member)
{
    if (!json_is_null(value))
        return weir_json_take_count(value, member);
    *member = UINT64_MAX;
    return true;
}

static bool take_place(const json_t *value, int32_t *member)
{
    json_int_t number = json_is_null(value) ? -1 : json_integer_value(value);

    *member = (int32_t)number;
    return json_is_null(value) || (json_is_integer(value) && number >= 0 && number <= INT32_MAX);
}

static bool take_name(const struct weir_json_field *field, const json_t *value, unsigned *member)
{
    const char *name = json_string_value(value);

    for (unsigned i = 0; name && i < field->name_count; i++) {
        if (strcmp(field->names[i], name) == 0) {
            *member = i;
            return true;
        }
    }
    return false;
}

bool weir_json_take_scalar(const struct weir_json_field *field, const json_t *value, void *member)
{
    switch (field->type) {
    case WEIR_JSON_UNSIGNED:
        return take_unsigned(value, member);
    case WEIR_JSON_INTEGER:
        return take_integer(field, value, member);
    case WEIR_JSON_COUNT:
    case WEIR_JSON_SEED:
        return weir_json_take_count(value, member);
    case WEIR_JSON_REAL:
        return take_real(value, member);
    case WEIR_JSON_KNOWN_REAL:
        if (!json_is_null(value))
            return take_real(value, member);
        *(double *)member = (double)NAN;
        return true;
    case WEIR_JSON_FLAG:
        *(bool *)member = json_is_true(value);
        return json_is_boolean(value);
    case WEIR_JSON_TEXT:
        return take_text(field, value, member);
    case WEIR_JSON_KNOWN:
        return take_known(value, member);
    case WEIR_JSON_PLACE:
        return take_place(value, member);
    case WEIR_JSON_BITS:
        return read_bits(value, member);
    case WEIR_JSON_CPUS:
        return read_cpus(value, member);
    case WEIR_JSON_NAME:
        return take_name(field, value, member);
    default:
        return false;
    }
}

/* ---- documents ---- */

void weir_json_add(struct weir_text *text, json_t *document, size_t flags)
{
    char *dump = json_dumps(document, flags);

    if (dump == NULL)
        weir_error_out_of_memory();
    weir_text_add(text, "%s\n", dump);
    free(dump);
    json_decref(document);
}

/* ---- members ---- */

static bool is_zero(const void *bytes, size_t count)
{
    const char *at = bytes;

    for (size_t i = 0; i < count; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static bool is_there(const struct weir_json_field *field, const void *values)
{
    return field->when_bytes == 0 ||
           !is_zero((const char *)values + field->when, field->when_bytes);
}

static size_t count_in(const struct weir_json_field *field, const void *values)
{
    const void *member = (const char *)values + field->count;
    size_t count = field->count_bytes == sizeof(uint32_t) ? *(const uint32_t *)member
                                                          : (size_t) * (const uint64_t *)member;

    return field->room > 0 && count > field->room ? field->room : count;
}

static void set_count(const struct weir_json_field *field, void *values, size_t count)
{
    void *member = (char *)values + field->count;

    if (field->count_bytes == sizeof(uint32_t))
        *(uint32_t *)member = (uint32_t)count;
    else
        *(uint64_t *)member = count;
}

/* ---- writing ---- */

json_t *weir_json_object(const struct weir_json_field *fields, const void *values)
{
    json_t *object = json_object();

    weir_json_put(object, fields, values);
    return object;
}

json_t *weir_json_list(const struct weir_json_field *fields, const void *elements, size_t stride,
                       size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, weir_json_object(fields, (const char *)elements + i * stride));
    return list;
}

static json_t *pointed_list(const struct weir_json_field *field, const void *const *elements,
                            size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, weir_json_object(field->fields, elements[i]));
    return list;
}

static json_t *counts_of(const uint64_t *values, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, weir_json_count(values[i]));
    return list;
}

static json_t *strings_of(const char *const *texts, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, weir_json_exact(texts[i]));
    return list;
}

static json_t *pairs_of(const struct weir_fact *facts, size_t count)
{
    json_t *object = json_object();

    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, facts[i].key, weir_json_exact(facts[i].value));
    return object;
}

static json_t *value_of(const struct weir_json_field *field, const void *values)
{
    const void *member = (const char *)values + field->offset;
    const void *pointed = field->bytes == sizeof pointed ? *(const void *const *)member : NULL;

    switch (field->type) {
    case WEIR_JSON_STRING:
        return pointed ? weir_json_exact(pointed) : json_null();
    case WEIR_JSON_OBJECT:
        return weir_json_object(field->fields, member);
    case WEIR_JSON_POINTER:
        return pointed ? weir_json_object(field->fields, pointed) : json_null();
    case WEIR_JSON_LIST:
        return weir_json_list(field->fields, member, field->stride, count_in(field, values));
    case WEIR_JSON_VECTOR:
        return weir_json_list(field->fields, pointed, field->stride, count_in(field, values));
    case WEIR_JSON_POINTERS:
        return pointed_list(field, pointed, count_in(field, values));
    case WEIR_JSON_COLUMNS:
        return weir_json_columns(field->fields, pointed, field->stride, count_in(field, values));
    case WEIR_JSON_COUNTS:
        return counts_of(member, count_in(field, values));
    case WEIR_JSON_NUMBERS:
        return counts_of(pointed, count_in(field, values));
    case WEIR_JSON_STRINGS:
        return strings_of(pointed, count_in(field, values));
    case WEIR_JSON_PAIRS:
        return pairs_of(pointed, count_in(field, values));
    case WEIR_JSON_OWN:
        return field->write(values);
    default:
        return weir_json_scalar(field, member);
    }
}

void weir_json_put(json_t *object, const struct weir_json_field *fields, const void *values)
{
    for (const struct weir_json_field *field = fields; field->key; field++) {
        if (field->type == WEIR_JSON_FLAT)
            weir_json_put(object, field->fields, (const char *)values + field->offset);
        else if (is_there(field, values))
            json_object_set_new(object, field->key, value_of(field, values));
        else if (!(field->flags & WEIR_JSON_OMITTED))
            json_object_set_new(object, field->key, json_null());
    }
}

json_t *weir_json_columns(const struct weir_json_field *fields, const void *elements, size_t stride,
                          size_t count)
{
    json_t *columns = json_object();

    for (const struct weir_json_field *field = fields; field->key; field++) {
        json_t *list = json_array();

        for (size_t i = 0; i < count; i++) {
            const void *element = (const char *)elements + i * stride;

            json_array_append_new(list, is_there(field, element) ? value_of(field, element)
                                                                 : json_null());
        }
        json_object_set_new(columns, field->key, list);
    }
    return columns;
}

/* ---- reading ---- */

/* The member under its key, else under the key of older files; NULL if there is none. */
static json_t *member_of(const json_t *object, const struct weir_json_field *field)
{
    json_t *value = json_object_get(object, field->key);

    return value || !field->former ? value : json_object_get(object, field->former);
}

/* As many as there is room for, and as the count says that has a key of its own. */
static bool take_count(const struct weir_json_field *field, size_t count, void *values)
{
    bool is_array = field->type == WEIR_JSON_LIST || field->type == WEIR_JSON_COUNTS;
    size_t element = field->type == WEIR_JSON_COUNTS ? sizeof(uint64_t) : field->stride;

    if (field->flags & WEIR_JSON_COUNTED)
        return count == count_in(field, values);
    if ((is_array && count > field->bytes / element) || (field->room > 0 && count > field->room))
        return false;
    set_count(field, values, count);
    return true;
}

/* With room for some more, as lists in arenas have that grow. */
static void *elements_in(struct weir_arena *arena, size_t count, size_t bytes)
{
    size_t room = 4;

    while (room <= count)
        room *= 2;
    return weir_arena_take(arena, room * bytes);
}

static bool take_list(const struct weir_json_field *field, const json_t *list, void *elements,
                      struct weir_arena *arena)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        if (!json_is_object(value) ||
            !weir_json_take(value, field->fields, (char *)elements + i * field->stride, arena))
            return false;
    }
    return true;
}

static bool take_pointers(const struct weir_json_field *field, const json_t *list, void **pointers,
                          struct weir_arena *arena)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        pointers[i] = weir_arena_take(arena, field->stride);
        if (!json_is_object(value) || !weir_json_take(value, field->fields, pointers[i], arena))
            return false;
    }
    return true;
}

static bool take_counts(const json_t *list, uint64_t *counts)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!weir_json_take_count(json_array_get(list, i), &counts[i]))
            return false;
    return true;
}

static bool take_strings(const json_t *list, const char **texts, struct weir_arena *arena)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        texts[i] = weir_json_exact_read(json_array_get(list, i), arena);
        if (!texts[i])
            return false;
    }
    return true;
}

static bool take_array(const struct weir_json_field *field, const json_t *list, void *values,
                       struct weir_arena *arena)
{
    void *member = (char *)values + field->offset;
    size_t count = json_array_size(list);
    void *elements;

    if (!json_is_array(list) || !take_count(field, count, values))
        return false;
    switch (field->type) {
    case WEIR_JSON_LIST:
        return take_list(field, list, member, arena);
    case WEIR_JSON_COUNTS:
        return take_counts(list, member);
    case WEIR_JSON_NUMBERS:
        *(void **)member = elements = elements_in(arena, count, sizeof(uint64_t));
        return take_counts(list, elements);
    case WEIR_JSON_VECTOR:
        *(void **)member = elements = elements_in(arena, count, field->stride);
        return take_list(field, list, elements, arena);
    case WEIR_JSON_POINTERS:
        *(void **)member = elements = elements_in(arena, count, sizeof(void *));
        return take_pointers(field, list, elements, arena);
    default:
        *(void **)member = elements = elements_in(arena, count, sizeof(char *));
        return take_strings(list, elements, arena);
    }
}

static bool take_pairs(const struct weir_json_field *field, json_t *object, void *values,
                       struct weir_arena *arena)
{
    struct weir_fact *facts = elements_in(arena, json_object_size(object), sizeof *facts);
    const char *key;
    json_t *value;

    *(void **)((char *)values + field->offset) = facts;
    set_count(field, values, json_object_size(object));
    json_object_foreach(object, key, value)
    {
        facts->key = weir_arena_copy(arena, key);
        facts->value = weir_json_exact_read(value, arena);
        if (!facts->value)
            return false;
        facts++;
    }
    return json_is_object(object);
}

static bool take_column(const struct weir_json_field *field, const json_t *list, size_t stride,
                        size_t count, char *elements)
{
    if (json_array_size(list) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);

        if (!(json_is_null(value) && field->when_bytes > 0) &&
            !weir_json_take_scalar(field, value, elements + i * stride + field->offset))
            return false;
    }
    return true;
}

/* The first column says how many elements there are: a count that is damaged takes no memory. */
static bool take_columns(const struct weir_json_field *field, const json_t *columns, void *values,
                         struct weir_arena *arena)
{
    size_t count = json_array_size(member_of(columns, field->fields));
    char *elements;

    if (!json_is_object(columns) || !take_count(field, count, values))
        return false;
    elements = elements_in(arena, count, field->stride);
    for (const struct weir_json_field *column = field->fields; column->key; column++) {
        const json_t *list = member_of(columns, column);

        if (list && !take_column(column, list, field->stride, count, elements))
            return false;
    }
    *(void **)((char *)values + field->offset) = elements;
    return true;
}

static bool take_pointed(const struct weir_json_field *field, const json_t *value, void **member,
                         struct weir_arena *arena)
{
    *member = weir_arena_take(arena, field->stride);
    return json_is_object(value) && weir_json_take(value, field->fields, *member, arena);
}

static bool take_value(const struct weir_json_field *field, json_t *value, void *values,
                       struct weir_arena *arena)
{
    void *member = (char *)values + field->offset;

    switch (field->type) {
    case WEIR_JSON_STRING:
        *(char **)member = weir_json_exact_read(value, arena);
        return *(char **)member != NULL;
    case WEIR_JSON_OBJECT:
        return json_is_object(value) && weir_json_take(value, field->fields, member, arena);
    case WEIR_JSON_POINTER:
        return take_pointed(field, value, member, arena);
    case WEIR_JSON_LIST:
    case WEIR_JSON_VECTOR:
    case WEIR_JSON_POINTERS:
    case WEIR_JSON_COUNTS:
    case WEIR_JSON_NUMBERS:
    case WEIR_JSON_STRINGS:
        return take_array(field, value, values, arena);
    case WEIR_JSON_COLUMNS:
        return take_columns(field, value, values, arena);
    case WEIR_JSON_PAIRS:
        return take_pairs(field, value, values, arena);
    case WEIR_JSON_OWN:
        return field->read(value, values, arena);
    default:
        return weir_json_take_scalar(field, value, member);
    }
}

/* Null for what was not there. */
static bool may_be_null(const struct weir_json_field *field)
{
    return field->when_bytes > 0 || field->type == WEIR_JSON_STRING ||
           field->type == WEIR_JSON_POINTER;
}

bool weir_json_take(const json_t *object, const struct weir_json_field *fields, void *values,
                    struct weir_arena *arena)
{
    for (const struct weir_json_field *field = fields; field->key; field++) {
        json_t *value = member_of(object, field);

        if (field->type == WEIR_JSON_FLAT &&
            !weir_json_take(object, field->fields, (char *)values + field->offset, arena))
            return false;
        if (value && !(json_is_null(value) && may_be_null(field))) {
            if (field->when_bytes == sizeof(bool))
                *((char *)values + field->when) = true;
            if (!take_value(field, value, values, arena))
                return false;
        }
        if ((field->flags & WEIR_JSON_NEEDED) &&
            is_zero((char *)values + field->offset, field->bytes))
            return false;
    }
    return true;
}
