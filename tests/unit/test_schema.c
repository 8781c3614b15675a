/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schema-result.json is what the tables of the result file say: WEIR_BLESS=1 writes it. The
 * manual names all figures. */
#include "golden_text.h"
#include "report_scenes.h"

#include "weir/report/measures.h"

#include "report/record/record.h"

#include <jansson.h>

static json_t *schema_of(const struct weir_json_field *fields);

static json_t *of_types(const char *one, const char *two, const char *three)
{
    json_t *types = json_array();

    json_array_append_new(types, json_string(one));
    if (two != NULL)
        json_array_append_new(types, json_string(two));
    if (three != NULL)
        json_array_append_new(types, json_string(three));
    return json_pack("{s:o}", "type", types);
}

static json_t *of_names(const struct weir_json_field *field)
{
    json_t *names = json_array();

    for (unsigned i = 0; i < field->name_count; i++)
        if (field->names[i] != NULL)
            json_array_append_new(names, json_string(field->names[i]));
    return json_pack("{s:o}", "enum", names);
}

static json_t *value_of(const struct weir_json_field *field)
{
    switch (field->type) {
    case WEIR_JSON_UNSIGNED:
    case WEIR_JSON_INTEGER:
        return of_types("integer", NULL, NULL);
    case WEIR_JSON_COUNT:
        return of_types("integer", "string", NULL);
    case WEIR_JSON_SEED:
    case WEIR_JSON_CPUS:
        return of_types("string", NULL, NULL);
    case WEIR_JSON_REAL:
        return of_types("number", NULL, NULL);
    case WEIR_JSON_KNOWN_REAL:
        return of_types("number", "null", NULL);
    case WEIR_JSON_FLAG:
        return of_types("boolean", NULL, NULL);
    case WEIR_JSON_TEXT: /* {"hex": ...}: it is not UTF-8 */
        return of_types("string", "object", NULL);
    case WEIR_JSON_STRING:
        return of_types("string", "object", "null");
    case WEIR_JSON_KNOWN:
        return of_types("integer", "string", "null");
    case WEIR_JSON_PLACE:
        return of_types("integer", "null", NULL);
    case WEIR_JSON_NAME:
        return of_names(field);
    case WEIR_JSON_OBJECT:
    case WEIR_JSON_POINTER:
        return schema_of(field->fields);
    case WEIR_JSON_LIST:
    case WEIR_JSON_VECTOR:
    case WEIR_JSON_POINTERS:
        return json_pack("{s:s,s:o}", "type", "array", "items", schema_of(field->fields));
    case WEIR_JSON_BITS:
    case WEIR_JSON_COUNTS:
    case WEIR_JSON_NUMBERS:
    case WEIR_JSON_STRINGS:
        return of_types("array", NULL, NULL);
    case WEIR_JSON_COLUMNS:
    case WEIR_JSON_PAIRS:
        return of_types("object", NULL, NULL);
    default:
        return json_object(); /* as docs/result-file.md says */
    }
}

static void add_properties(json_t *properties, json_t *required,
                           const struct weir_json_field *fields)
{
    for (; fields->key != NULL; fields++) {
        json_t *value;

        if (fields->type == WEIR_JSON_FLAT) {
            add_properties(properties, required, fields->fields);
            continue;
        }
        value = value_of(fields);
        if ((fields->when_bytes > 0 || fields->type == WEIR_JSON_POINTER) &&
            !(fields->flags & WEIR_JSON_OMITTED))
            value = json_pack("{s:[o,{s:s}]}", "anyOf", value, "type", "null");
        json_object_set_new(properties, fields->key, value);
        if (fields->flags & WEIR_JSON_NEEDED)
            json_array_append_new(required, json_string(fields->key));
    }
}

static json_t *schema_of(const struct weir_json_field *fields)
{
    json_t *properties = json_object(), *required = json_array();

    add_properties(properties, required, fields);
    return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties, "required",
                     required);
}

/* What holds of a record of this kind. */
static void add_kind(json_t *rules, const char *kind, const struct weir_json_field *first,
                     const struct weir_json_field *second, const struct weir_json_field *third)
{
    json_t *schema = schema_of(first), *properties = json_object_get(schema, "properties");
    json_t *required = json_object_get(schema, "required");

    if (second != NULL)
        add_properties(properties, required, second);
    if (third != NULL)
        add_properties(properties, required, third);
    json_array_append_new(rules, json_pack("{s:{s:{s:{s:s},s:{s:{s:s}}}},s:o}", "if", "properties",
                                           "record", "const", kind, "dialect", "not", "const",
                                           "net", "then", schema));
}

static void the_schema_of_the_result_file_is_what_its_tables_say(void **state)
{
    json_t *rules = json_array();
    struct weir_text text = {0};

    (void)state;
    add_kind(rules, "run", weir_record_run_fields, weir_record_plan_fields, NULL);
    add_kind(rules, "test", weir_record_planned_test_fields, weir_record_test_fields, NULL);
    add_kind(rules, "phase", weir_record_planned_phase_fields, weir_record_phase_fields,
             weir_record_detail_fields);
    add_kind(rules, "timed", weir_record_timed_fields, NULL, NULL);
    add_kind(rules, "end", weir_record_end_fields, NULL, NULL);
    weir_json_add(&text,
                  json_pack("{s:s,s:s,s:s,s:{s:{s:s},s:{s:s},s:{s:s},s:{s:s},s:{}},s:[s],s:o}",
                            "$schema", "https://json-schema.org/draft/2020-12/schema", "title",
                            "A line of a result file of weir, " WEIR_RECORD_SCHEMA, "type",
                            "object", "properties", "record", "type", "string", "run_id", "type",
                            "string", "schema", "type", "string", "weir", "type", "string", "build",
                            "required", "record", "allOf", rules),
                  JSON_INDENT(1));
    golden_expect("schema-result.json", &text);
    weir_text_close(&text);
}

static void the_manual_has_each_figure_and_its_unit(void **state)
{
    struct weir_text page = {0}, row = {0};

    (void)state;
    scene_load(WEIR_TEST_GOLDEN "/results-as-data.md", &page);
    for (const struct weir_figure_row *figure = weir_figure_rows; figure->name != NULL; figure++) {
        weir_text_clear(&row);
        weir_text_add(&row, "| `%s` | %s | %s |", figure->name, figure->unit, figure->meaning);
        if (strstr(page.data, row.data) == NULL)
            fail_msg("docs/results-as-data.md has not the line: %s", row.data);
    }
    weir_text_close(&page);
    weir_text_close(&row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_of_the_result_file_is_what_its_tables_say),
        cmocka_unit_test(the_manual_has_each_figure_and_its_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
