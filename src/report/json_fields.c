/* SPDX-License-Identifier: Apache-2.0 */
/* JSON made of plain structs and texts, valid whatever bytes these hold. */
#include "json_fields.h"

#include "weir/base/cpu_set.h"
#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0u) == 0x80u;
}

/* Length of the UTF-8 sequence that `bytes` begins with, 0 if there is none. Forms that are
 * overlong, surrogates or beyond U+10FFFF are none (Unicode, table 3-7). */
static size_t sequence_length(const unsigned char *bytes)
{
    unsigned char first = bytes[0];
    unsigned char low = 0x80u;
    unsigned char high = 0xbfu;

    if (first < 0x80u)
        return 1;
    if (first >= 0xc2u && first <= 0xdfu)
        return is_continuation(bytes[1]) ? 2 : 0;
    if (first < 0xe0u || first > 0xf4u)
        return 0;
    if (first == 0xe0u)
        low = 0xa0u;
    else if (first == 0xedu)
        high = 0x9fu;
    else if (first == 0xf0u)
        low = 0x90u;
    else if (first == 0xf4u)
        high = 0x8fu;
    if (bytes[1] < low || bytes[1] > high || !is_continuation(bytes[2]))
        return 0;
    if (first < 0xf0u)
        return 3;
    return is_continuation(bytes[3]) ? 4 : 0;
}

static bool is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at) {
        size_t length = sequence_length(at);

        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

json_t *weir_json_readable(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t room = 3 * strlen(text) + 1;
    char *valid = malloc(room);
    size_t used = 0;
    json_t *string;

    if (!valid)
        return NULL;
    while (*text) {
        size_t length = sequence_length((const unsigned char *)text);

        memcpy(valid + used, length ? text : replacement, length ? length : 3);
        used += length ? length : 3;
        text += length ? length : 1;
    }
    string = json_stringn(valid, used);
    free(valid);
    return string;
}

json_t *weir_json_exact(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    size_t count = strlen(text);
    char *hex;
    json_t *object;

    if (is_utf8(text))
        return json_string(text);
    hex = malloc(2 * count + 1);
    if (!hex)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        hex[2 * i] = digits[(unsigned char)text[i] >> 4];
        hex[2 * i + 1] = digits[(unsigned char)text[i] & 15u];
    }
    object = json_object();
    json_object_set_new(object, "hex", json_stringn(hex, 2 * count));
    free(hex);
    return object;
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

static json_t *count_of(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : hexadecimal(value);
}

static bool read_count(const json_t *value, uint64_t *count)
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

/* ---- tables ---- */

static json_t *value_of(const struct weir_json_field *field, const void *member)
{
    switch (field->type) {
    case WEIR_JSON_UNSIGNED:
        return json_integer(*(const unsigned *)member);
    case WEIR_JSON_COUNT:
        return count_of(*(const uint64_t *)member);
    case WEIR_JSON_SEED:
        return hexadecimal(*(const uint64_t *)member);
    case WEIR_JSON_REAL:
        return weir_json_number(*(const double *)member);
    case WEIR_JSON_FLAG:
        return json_boolean(*(const bool *)member);
    case WEIR_JSON_TEXT:
        return weir_json_exact(member);
    case WEIR_JSON_KNOWN:
        return *(const uint64_t *)member == UINT64_MAX ? json_null()
                                                       : count_of(*(const uint64_t *)member);
    case WEIR_JSON_PLACE:
        return *(const int32_t *)member < 0 ? json_null() : json_integer(*(const int32_t *)member);
    case WEIR_JSON_BITS:
        return bits_of(*(const uint64_t *)member);
    case WEIR_JSON_CPUS:
        return cpus_of(member);
    }
    return NULL;
}

void weir_json_put(json_t *object, const struct weir_json_field *fields, const void *values)
{
    for (const struct weir_json_field *field = fields; field->key; field++)
        json_object_set_new(object, field->key,
                            value_of(field, (const char *)values + field->offset));
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

    if (!read_count(value, &count) || count > UINT32_MAX)
        return false;
    *member = (unsigned)count;
    return true;
}

static bool take_known(const json_t *value, uint64_t *member)
{
    if (!json_is_null(value))
        return read_count(value, member);
    *member = UINT64_MAX;
    return true;
}

static bool take_place(const json_t *value, int32_t *member)
{
    json_int_t number = json_is_null(value) ? -1 : json_integer_value(value);

    *member = (int32_t)number;
    return json_is_null(value) || (json_is_integer(value) && number >= 0 && number <= INT32_MAX);
}

static bool take_value(const struct weir_json_field *field, const json_t *value, void *member)
{
    switch (field->type) {
    case WEIR_JSON_UNSIGNED:
        return take_unsigned(value, member);
    case WEIR_JSON_COUNT:
    case WEIR_JSON_SEED:
        return read_count(value, member);
    case WEIR_JSON_REAL:
        /* What is derived of anything larger may not be finite. */
        *(double *)member = json_number_value(value);
        return json_is_number(value) && fabs(*(double *)member) <= 1e30;
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
    }
    return false;
}

bool weir_json_take(const json_t *object, const struct weir_json_field *fields, void *values)
{
    for (const struct weir_json_field *field = fields; field->key; field++) {
        const json_t *value = json_object_get(object, field->key);

        if (value && !take_value(field, value, (char *)values + field->offset))
            return false;
    }
    return true;
}

/* ---- columns ---- */

static json_t *column_of(const struct weir_json_field *field, const void *elements, size_t stride,
                         size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              value_of(field, (const char *)elements + i * stride + field->offset));
    return list;
}

json_t *weir_json_columns(const struct weir_json_field *fields, const void *elements, size_t stride,
                          size_t count)
{
    json_t *columns = json_object();

    for (const struct weir_json_field *field = fields; field->key; field++)
        json_object_set_new(columns, field->key, column_of(field, elements, stride, count));
    return columns;
}

static bool take_column(const json_t *list, const struct weir_json_field *field, void *elements,
                        size_t stride, size_t count)
{
    if (json_array_size(list) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!take_value(field, json_array_get(list, i),
                        (char *)elements + i * stride + field->offset))
            return false;
    return true;
}

bool weir_json_take_columns(const json_t *columns, const struct weir_json_field *fields,
                            void *elements, size_t stride, size_t count)
{
    for (const struct weir_json_field *field = fields; field->key; field++) {
        const json_t *list = json_object_get(columns, field->key);

        if (list && !take_column(list, field, elements, stride, count))
            return false;
    }
    return true;
}
