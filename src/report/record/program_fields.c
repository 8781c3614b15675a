/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as keys of the result file: how one was run, and what it has done. docs/result-file.md
 * explains each key. */
#include "record.h"

#include <string.h>

/* ---- how it was run ---- */

static const char *const on_errors[] = {
    [WEIR_ON_ERROR_CONTINUE] = "continue",
    [WEIR_ON_ERROR_STOP] = "stop",
};

static const char *const group_tags[] = {
    [WEIR_GROUP_SINGLE] = "single",
    [WEIR_GROUP_DISJOINT] = "disjoint",
    [WEIR_GROUP_PLAIN] = "plain",
};

/* A parameter with the name of its variable, of which the others are not kept. */
struct named_parameter {
    const char *name;
    struct weir_parameter parameter;
};

static const struct weir_json_field parameter_fields[] = {
    WEIR_JSON_FIELD(named_parameter, "name", name, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(named_parameter, "value", parameter.value, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(named_parameter, "from", parameter.origin, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(named_parameter, "text", parameter.text, STRING, .flags = WEIR_JSON_NEEDED),
    {0},
};

static json_t *write_parameters(const void *values)
{
    const struct weir_program *program = values;
    json_t *list = json_array();

    for (unsigned i = 0; i < program->parameter_count; i++) {
        const struct weir_parameter *parameter = &program->parameters[i];
        const struct named_parameter named = {.name = program->variables.names[parameter->variable],
                                              .parameter = *parameter};

        json_array_append_new(list, weir_json_object(parameter_fields, &named));
    }
    return list;
}

/* Their variables are then the only ones, in this order. */
static bool read_parameters(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_program *program = values;
    size_t count = json_array_size(value);
    struct weir_parameter *parameters = weir_arena_take(arena, (count + 1) * sizeof *parameters);
    const char **names = weir_arena_take(arena, (count + 1) * sizeof *names);

    for (size_t i = 0; i < count; i++) {
        struct named_parameter named = {0};

        if (!weir_json_take(json_array_get(value, i), parameter_fields, &named, arena))
            return false;
        names[i] = named.name;
        parameters[i] = named.parameter;
        parameters[i].variable = (unsigned)i;
    }
    program->parameters = parameters;
    program->parameter_count = (unsigned)count;
    program->variables = (struct weir_variables){.names = names, .count = (unsigned)count};
    return json_is_array(value);
}

static const struct weir_json_field group_fields[] = {
    WEIR_JSON_FIELD(weir_program_group, "name", name, STRING, .flags = WEIR_JSON_NEEDED),
    WEIR_JSON_FIELD(weir_program_group, "kind", tag, NAME, WEIR_JSON_NAMES(group_tags)),
    WEIR_JSON_FIELD(weir_program_group, "order", order, COUNT),
    WEIR_JSON_FIELD(weir_program_group, "ranks", size, COUNT),
    {0},
};

#define PROGRAM(key_text, member, ...) WEIR_JSON_FIELD(weir_program, key_text, member, __VA_ARGS__)
#define IF_ANY(key_text, member, ...) WEIR_JSON_IF_ANY(weir_program, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_planned_program_fields[] = {
    PROGRAM("path", path, STRING, .flags = WEIR_JSON_NEEDED),
    PROGRAM("on_error", on_error, NAME, WEIR_JSON_NAMES(on_errors)),
    IF_ANY("error_limit", error_limit, COUNT),
    PROGRAM("event_limit", event_limit, COUNT),
    IF_ANY("roots", roots, STRINGS, WEIR_JSON_COUNT_IN(weir_program, root_count)),
    PROGRAM("parameters", parameters, OWN, .fields = parameter_fields, .write = write_parameters,
            .read = read_parameters),
    IF_ANY("groups", groups, VECTOR, WEIR_JSON_OF(group_fields, weir_program_group),
           WEIR_JSON_COUNT_IN(weir_program, group_count)),
    IF_ANY("skips_calls", skips_calls, FLAG),
    IF_ANY("skips_sleeps", skips_sleeps, FLAG),
    IF_ANY("waits_for_signal", waits_for_signal, FLAG),
    IF_ANY("random_seed_given", seed_is_given, FLAG),
    IF_ANY("random_seed", seed, SEED),
    IF_ANY("verify", must_verify, FLAG),
    {0},
};

/* ---- what it has done ---- */

/* By the name of Parabench's reports. */
static json_t *write_call(unsigned call)
{
    return json_string(call < WEIR_CALL_COUNT ? weir_calls[call].label : "");
}

static bool read_call(const json_t *value, unsigned *call)
{
    const char *name = json_string_value(value);

    for (unsigned i = 0; name && i < WEIR_CALL_COUNT; i++)
        if (strcmp(weir_calls[i].label, name) == 0) {
            *call = i;
            return true;
        }
    return false;
}

static json_t *write_call_of_result(const void *values)
{
    return write_call(((const struct weir_call_result *)values)->call);
}

static bool read_call_of_result(const json_t *value, void *values, struct weir_arena *arena)
{
    (void)arena;
    return read_call(value, &((struct weir_call_result *)values)->call);
}

static json_t *write_call_of_failure(const void *values)
{
    return write_call(((const struct weir_call_failure *)values)->call);
}

static bool read_call_of_failure(const json_t *value, void *values, struct weir_arena *arena)
{
    (void)arena;
    return read_call(value, &((struct weir_call_failure *)values)->call);
}

#define CALL(key_text, member, ...) WEIR_JSON_FIELD(weir_call_result, key_text, member, __VA_ARGS__)

static const struct weir_json_field call_fields[] = {
    CALL("call", call, OWN, .write = write_call_of_result, .read = read_call_of_result),
    CALL("succeeded", count, COUNT),
    CALL("failed", failure_count, COUNT),
    CALL("bytes", byte_count, COUNT),
    CALL("latency", latency, POINTER, WEIR_JSON_OF(weir_record_histogram_fields, weir_histogram)),
    {0},
};

#define FAILURE(key_text, member, ...)                                                             \
    WEIR_JSON_FIELD(weir_call_failure, key_text, member, __VA_ARGS__)

static const struct weir_json_field failure_fields[] = {
    FAILURE("line", line, UNSIGNED),
    FAILURE("call", call, OWN, .write = write_call_of_failure, .read = read_call_of_failure),
    FAILURE("error", code, INTEGER),
    FAILURE("count", count, COUNT),
    FAILURE("ranks", rank_count, UNSIGNED),
    FAILURE("first_rank", rank, UNSIGNED),
    FAILURE("first_path", path, STRING),
    {0},
};

static const struct weir_json_field label_rank_fields[] = {
    WEIR_JSON_FIELD(weir_label_rank, "rank", rank, UNSIGNED),
    WEIR_JSON_FIELD(weir_label_rank, "host", host, STRING),
    WEIR_JSON_FIELD(weir_label_rank, "seconds", seconds, REAL),
    {0},
};

#define LABEL(key_text, member, ...)                                                               \
    WEIR_JSON_FIELD(weir_label_result, key_text, member, __VA_ARGS__)

static const struct weir_json_field label_fields[] = {
    LABEL("label", name, STRING),
    LABEL("core", is_core, FLAG),
    LABEL("executions", execution_count, COUNT),
    LABEL("ranks", rank_count, UNSIGNED),
    LABEL("calls", call_count, COUNT),
    LABEL("bytes", byte_count, COUNT),
    LABEL("written_bytes", written_asked_bytes, COUNT,
          WEIR_JSON_WHEN(weir_label_result, written_asked_bytes)),
    LABEL("dirty_bytes", unstored_bytes, COUNT,
          WEIR_JSON_WHEN(weir_label_result, written_asked_bytes)),
    LABEL("dirty_after_sync_bytes", unsynced_bytes, COUNT,
          WEIR_JSON_WHEN(weir_label_result, written_asked_bytes)),
    LABEL("call_s", call_s, REAL),
    LABEL("first_begin_s", first_begin_s, REAL),
    LABEL("last_end_s", last_end_s, REAL),
    LABEL("inside_s", inside_s, REAL),
    LABEL("inside_is_estimated", inside_is_estimated, FLAG),
    LABEL("skews", skew_count, COUNT),
    LABEL("skew_mean_s", skew_mean_s, REAL),
    LABEL("skew_max_s", skew_max_s, REAL),
    LABEL("rank_s_min", rank_s_min, REAL),
    LABEL("rank_s_mean", rank_s_mean, REAL),
    LABEL("rank_s_max", rank_s_max, REAL),
    LABEL("slowest", slowest, LIST, .room = WEIR_LABEL_SLOWEST,
          WEIR_JSON_OF(label_rank_fields, weir_label_rank),
          WEIR_JSON_COUNT_IN(weir_label_result, slowest_count)),
    LABEL("duration", duration, POINTER,
          WEIR_JSON_OF(weir_record_histogram_fields, weir_histogram)),
    {0},
};

#define EVENT(key_text, member, type) WEIR_JSON_FIELD(weir_program_event, key_text, member, type)

static const struct weir_json_field event_fields[] = {
    EVENT("rank", rank, UNSIGNED),
    EVENT("label", label, UNSIGNED),
    EVENT("number", number, UNSIGNED),
    EVENT("begin_s", begin_s, REAL),
    EVENT("seconds", seconds, REAL),
    EVENT("calls", call_count, COUNT),
    EVENT("bytes", byte_count, COUNT),
    EVENT("call_min_s", call_min_s, REAL),
    EVENT("call_max_s", call_max_s, REAL),
    EVENT("bytes_per_s_min", rate_min_per_s, REAL),
    EVENT("bytes_per_s_max", rate_max_per_s, REAL),
    {0},
};

#define RESULT(key_text, member, ...)                                                              \
    WEIR_JSON_FIELD(weir_program_result, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_program_fields[] = {
    RESULT("statements", statement_count, COUNT),
    RESULT("setup_s", setup_s, REAL),
    RESULT("parser_s", parser_s, REAL),
    RESULT("interpreter_s", interpreter_s, REAL),
    RESULT("finalize_s", finalize_s, REAL),
    RESULT("calls", calls, VECTOR, WEIR_JSON_OF(call_fields, weir_call_result),
           WEIR_JSON_COUNT_IN(weir_program_result, call_count)),
    RESULT("failures", failures, VECTOR, WEIR_JSON_OF(failure_fields, weir_call_failure),
           WEIR_JSON_COUNT_IN(weir_program_result, failure_count)),
    RESULT("unlisted_failures", untold_failures, COUNT, .former = "untold_failures"),
    RESULT("labels", labels, VECTOR, WEIR_JSON_OF(label_fields, weir_label_result),
           WEIR_JSON_COUNT_IN(weir_program_result, label_count)),
    RESULT("merged_executions", merged_label_count, COUNT),
    RESULT("events", events, COLUMNS, WEIR_JSON_OF(event_fields, weir_program_event),
           WEIR_JSON_COUNT_IN(weir_program_result, event_count)),
    RESULT("unlisted_events", unlisted_count, COUNT),
    RESULT("warnings", warnings, STRING),
    {0},
};

bool weir_record_is_sound_program(const struct weir_program_result *program)
{
    for (unsigned i = 0; i < program->label_count; i++)
        if (!program->labels[i].name)
            return false;
    for (uint64_t i = 0; i < program->event_count; i++)
        if (program->events[i].label >= program->label_count)
            return false;
    return true;
}
