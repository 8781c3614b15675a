/* SPDX-License-Identifier: Apache-2.0 */
/* Loops around phases, and times of labels, as records have them. */
#include "record.h"

static json_t *write_loops(const uint64_t *loops, unsigned count)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)loops[i]));
    return list;
}

static bool read_loops(const json_t *value, struct weir_arena *arena, const uint64_t **loops,
                       unsigned *count)
{
    size_t length = json_array_size(value);
    uint64_t *rounds = weir_arena_take(arena, (length + 1) * sizeof *rounds);

    for (size_t i = 0; i < length; i++) {
        json_int_t round = json_integer_value(json_array_get(value, i));

        if (round < 0)
            return false;
        rounds[i] = (uint64_t)round;
    }
    *loops = rounds;
    *count = (unsigned)length;
    return json_is_array(value) && length <= WEIR_PLAN_NESTING_MAX;
}

static json_t *write_phase_loops(const void *values)
{
    const struct weir_phase_result *phase = values;

    return write_loops(phase->loops, phase->loop_count);
}

static bool read_phase_loops(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_phase_result *phase = values;

    return read_loops(value, arena, &phase->loops, &phase->loop_count);
}

static json_t *write_timed_loops(const void *values)
{
    const struct weir_timed_result *timed = values;

    return write_loops(timed->loops, timed->loop_count);
}

static bool read_timed_loops(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_timed_result *timed = values;

    return read_loops(value, arena, &timed->loops, &timed->loop_count);
}

const struct weir_json_field weir_record_loops_fields[] = {
    WEIR_JSON_FIELD(weir_phase_result, "loops", loops, OWN, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_phase_result, loop_count), .write = write_phase_loops,
                    .read = read_phase_loops),
    {0},
};

#define TIMED(key_text, member, ...)                                                               \
    WEIR_JSON_FIELD(weir_timed_result, key_text, member, __VA_ARGS__)

const struct weir_json_field weir_record_timed_fields[] = {
    TIMED("test", test, UNSIGNED),
    TIMED("label", label, STRING, .flags = WEIR_JSON_NEEDED),
    TIMED("loops", loops, OWN, .flags = WEIR_JSON_OMITTED,
          WEIR_JSON_WHEN(weir_timed_result, loop_count), .write = write_timed_loops,
          .read = read_timed_loops),
    TIMED("ranks", rank_count, UNSIGNED),
    TIMED("outcome", outcome, NAME, WEIR_JSON_NAMES(weir_record_outcomes)),
    TIMED("begun_s", begun_s, REAL),
    TIMED("seconds", seconds, REAL),
    TIMED("clock_error_s", clock_error_s, REAL),
    {0},
};
