/* SPDX-License-Identifier: Apache-2.0 */
/* Single values as JSON, valid whatever bytes texts hold. */
#include "json_values.h"

#include "weir/base/cpu_set.h"
#include "weir/base/error.h"
#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

/* Length of the UTF-8 sequence that `bytes` begin with, 0 if there is none. The JSON library knows
 * which bytes are. */
static size_t sequence_length(const char *bytes)
{
    for (size_t length = 1; length <= 4 && bytes[length - 1] != '\0'; length++) {
        json_t *string = json_stringn(bytes, length);

        json_decref(string);
        if (string)
            return length;
    }
    return 0;
}

json_t *weir_json_readable(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *string = json_string(text);
    struct weir_text valid = {0};

    if (string)
        return string;
    while (*text) {
        size_t length = sequence_length(text);

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
