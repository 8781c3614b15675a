/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a test as a list in the result file: the tree in the order in which it is walked,
 * each step with its level. */
#include "record.h"

static const char *const step_kinds[] = {
    [WEIR_STEP_REPEAT] = "repeat",     [WEIR_STEP_UNTIL] = "until",
    [WEIR_STEP_ON_RANKS] = "on_ranks", [WEIR_STEP_TIMED] = "timed",
    [WEIR_STEP_BARRIER] = "barrier",   [WEIR_STEP_SLEEP] = "sleep",
    [WEIR_STEP_COMMAND] = "command",   [WEIR_STEP_PHASE] = "phase",
};

struct flat_step {
    unsigned level; /* steps around it */
    unsigned phase; /* number */
    struct weir_step step;
};

const struct weir_json_field weir_record_step_fields[] = {
    WEIR_JSON_FIELD(flat_step, "level", level, UNSIGNED),
    WEIR_JSON_FIELD(flat_step, "step", step.kind, NAME, WEIR_JSON_NAMES(step_kinds)),
    WEIR_JSON_IF_ANY(flat_step, "count", step.count, COUNT),
    WEIR_JSON_IF_ANY(flat_step, "until_ns", step.until_ns, COUNT),
    WEIR_JSON_IF_ANY(flat_step, "sleep_ns", step.sleep_ns, COUNT),
    WEIR_JSON_IF_ANY(flat_step, "first_rank", step.ranks.first, COUNT),
    WEIR_JSON_IF_ANY(flat_step, "ranks", step.ranks.count, COUNT),
    WEIR_JSON_IF_ANY(flat_step, "rank_stride", step.ranks.stride, COUNT),
    WEIR_JSON_IF_ANY(flat_step, "label", step.label, STRING),
    WEIR_JSON_IF_ANY(flat_step, "command", step.command, STRING),
    WEIR_JSON_IF_ANY(flat_step, "per_node", step.is_per_node, FLAG),
    WEIR_JSON_IF_ANY(flat_step, "phase", phase, UNSIGNED),
    {0},
};

static void add_steps(json_t *list, const struct weir_step *step, unsigned level)
{
    for (; step; step = step->next) {
        const struct flat_step flat = {
            .level = level, .phase = step->phase ? step->phase->number : 0, .step = *step};

        json_array_append_new(list, weir_json_object(weir_record_step_fields, &flat));
        add_steps(list, step->body, level + 1);
    }
}

json_t *weir_record_write_steps(const void *values)
{
    json_t *list = json_array();

    add_steps(list, ((const struct weir_test *)values)->steps, 0);
    return list;
}

static bool make_step(const struct weir_test *test, const struct flat_step *flat,
                      struct weir_step *step)
{
    *step = flat->step;
    for (size_t i = 0; step->kind == WEIR_STEP_PHASE && i < test->phase_count; i++)
        if (test->phases[i]->number == flat->phase)
            step->phase = test->phases[i];
    if (step->kind == WEIR_STEP_TIMED)
        return step->label != NULL;
    return step->kind != WEIR_STEP_PHASE || step->phase;
}

/* `ends` are where the next step of each level goes; a level begins below a repeat. */
bool weir_record_read_steps(const json_t *value, void *values, struct weir_arena *arena)
{
    struct weir_test *test = values;
    size_t count = json_array_size(value);
    struct weir_step *steps = weir_arena_take(arena, (count + 1) * sizeof *steps);
    struct weir_step ***ends = weir_arena_take(arena, (count + 2) * sizeof *ends);
    unsigned depth = 0;

    ends[0] = &test->steps;
    for (size_t i = 0; i < count; i++) {
        struct flat_step flat = {0};

        if (!weir_json_take(json_array_get(value, i), weir_record_step_fields, &flat, arena) ||
            flat.level > depth || !make_step(test, &flat, &steps[i]))
            return false;
        *ends[flat.level] = &steps[i];
        ends[flat.level] = &steps[i].next;
        depth = flat.level;
        if (weir_step_has_body(steps[i].kind))
            ends[++depth] = &steps[i].body;
    }
    return json_is_array(value);
}
