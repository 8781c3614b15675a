/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of programs: what their phase must be, and what the backend must be able to do. */
#include "check.h"

#include <string.h>

/* ---- the phase ---- */

static int check_phase(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_target *target = phase->target;
    size_t length;

    if (!phase->program)
        return REFUSE(scope, "a phase without its program: give the program");
    if (!target || target->path_count != 1 || target->tree || !target->is_shared)
        return REFUSE(scope, "a program works in one directory, which all ranks share: give one");
    length = target->paths[0] ? strlen(target->paths[0]) : 0;
    if (length == 0 || length >= WEIR_PATH_BYTES)
        return REFUSE(scope, "the path of the program's directory has %zu bytes: give 1 to %d",
                      length, WEIR_PATH_BYTES - 1);
    if (phase->depth != 1 || phase->must_find_depth)
        return REFUSE(scope, "a program makes one call after the other: give depth 1");
    if (phase->shift.kind != WEIR_SHIFT_NONE)
        return REFUSE(scope, "a program says itself which rank works on what: leave the shift out");
    return 0;
}

static int check_pace(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    const struct weir_stop *stop = &phase->stop;

    if (phase->rate.arrivals == WEIR_ARRIVALS_POISSON || phase->rate.is_in_bytes ||
        (phase->rate.arrivals != WEIR_ARRIVALS_CLOSED && !phase->rate.is_per_rank))
        return REFUSE(scope, "a program has a constant rate of calls per rank: give such a one, or "
                             "none");
    if (phase->stagger_ns > 0 || phase->think_ppm > 0)
        return REFUSE(scope, "a program has a pause after each call at most: write sleep for "
                             "others");
    if (stop->op_limit > 0 || stop->minimum_ns > 0 || stop->has_wear_out || stop->status_path ||
        stop->ends_with_first)
        return REFUSE(scope, "a program ends by itself or at a time limit: leave other ends out");
    return 0;
}

static int check_terms(const struct weir_check_scope *scope)
{
    const struct weir_program *program = scope->phase->program;
    const struct weir_payload stamped = {.mode = WEIR_PAYLOAD_FULL};

    if (scope->test->cache_drop != WEIR_DROP_NOTHING)
        return REFUSE(scope, "caches that are emptied before a program are not built: leave it "
                             "out, or read files that were not written before");
    if (program->on_error == WEIR_ON_ERROR_STOP && program->error_limit == 0)
        return REFUSE(scope, "a program that ends after 0 failed calls: give at least 1");
    return program->must_verify ? weir_check_verifiable(scope, &stamped) : 0;
}

/* ---- the backend ---- */

/* What calls ask of it. */
struct demand {
    unsigned name_verbs; /* of enum weir_name_verb */
    unsigned open_flags; /* of enum weir_open_flag, from TRUNCATE on */
};

static struct demand demand_of(const struct weir_statement *statement)
{
    static const struct demand demands[WEIR_CALL_COUNT] = {
        [WEIR_CALL_WRITE] = {.open_flags = WEIR_OPEN_TRUNCATE},
        [WEIR_CALL_APPEND] = {.open_flags = WEIR_OPEN_APPEND},
        [WEIR_CALL_DIRECT_WRITE] = {.open_flags = WEIR_OPEN_TRUNCATE | WEIR_OPEN_DIRECT},
        [WEIR_CALL_DIRECT_READ] = {.open_flags = WEIR_OPEN_DIRECT},
        [WEIR_CALL_CREATE] = {.open_flags = WEIR_OPEN_TRUNCATE},
        [WEIR_CALL_FCREAT] = {.open_flags = WEIR_OPEN_TRUNCATE},
        [WEIR_CALL_RENAME] = {.name_verbs = WEIR_NAMES_RENAME},
        [WEIR_CALL_LINK] = {.name_verbs = WEIR_NAMES_LINK},
        [WEIR_CALL_LIST] = {.name_verbs = WEIR_NAMES_LIST},
    };
    struct demand demand = demands[statement->call];

    if (statement->call == WEIR_CALL_FOPEN)
        demand.open_flags = statement->open_flags & ~(WEIR_OPEN_TRUNCATE - 1u);
    return demand;
}

/* As they are written in a program. */
static const char *flag_name(unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = {
        {WEIR_OPEN_TRUNCATE, "O_TRUNC"},    {WEIR_OPEN_APPEND, "O_APPEND"},
        {WEIR_OPEN_EXCLUSIVE, "O_EXCL"},    {WEIR_OPEN_SYNC, "O_SYNC"},
        {WEIR_OPEN_DIRECT, "O_DIRECT"},     {WEIR_OPEN_DIRECTORY, "O_DIRECTORY"},
        {WEIR_OPEN_NOFOLLOW, "O_NOFOLLOW"}, {WEIR_OPEN_NOATIME, "O_NOATIME"},
        {WEIR_OPEN_NONBLOCK, "O_NONBLOCK"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].flag)
            return names[i].name;
    return "such flags";
}

static int check_call(const struct weir_check_scope *scope, const struct weir_statement *statement)
{
    const struct weir_test *test = scope->test;
    const struct weir_descriptor *backend = test->inner ? test->inner : test->backend;
    struct demand demand = demand_of(statement);

    if (demand.name_verbs & ~backend->name_verbs)
        return REFUSE(scope,
                      "line %u: backend %s has no %s: choose posix, or another one that has it, or "
                      "leave it out",
                      statement->line, test->backend->name, weir_calls[statement->call].word);
    if (demand.open_flags & ~backend->open_flags)
        return REFUSE(scope,
                      "line %u: backend %s does not open files with %s, which %s asks for: choose "
                      "posix, or another one that does, or leave it out",
                      statement->line, test->backend->name,
                      flag_name(demand.open_flags & ~backend->open_flags),
                      weir_calls[statement->call].word);
    if (scope->phase->program->must_verify && demand.open_flags & WEIR_OPEN_APPEND)
        return REFUSE(scope,
                      "line %u: %s: where the data will be is not known before, so it cannot be "
                      "verified: use write or fwrite, or leave the verification out",
                      statement->line, weir_calls[statement->call].word);
    return 0;
}

/* Of statements at all levels. */
static int check_calls(const struct weir_check_scope *scope,
                       const struct weir_statement *statements)
{
    int status = 0;

    for (const struct weir_statement *at = statements; at && !status; at = at->next) {
        if (at->kind == WEIR_DO_CALL)
            status = check_call(scope, at);
        status = status ? status : check_calls(scope, at->body);
        status = status ? status : check_calls(scope, at->otherwise);
    }
    return status;
}

static int check_backend(const struct weir_check_scope *scope)
{
    const struct weir_test *test = scope->test;
    const struct weir_descriptor *backend = test->inner ? test->inner : test->backend;

    if (!(backend->abilities & WEIR_CAN_NAME) && !(backend->name_verbs & WEIR_NAMES_ARE_VOID))
        return REFUSE(scope,
                      "backend %s has no names of files and directories, which programs work on: "
                      "choose posix, or another one that has them",
                      test->backend->name);
    return check_calls(scope, scope->phase->program->statements);
}

int weir_check_program(const struct weir_check_scope *scope)
{
    static weir_check_rule *const rules[] = {check_phase, check_pace, check_terms, check_backend,
                                             NULL};

    return weir_check_apply(rules, scope);
}
