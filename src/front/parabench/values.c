/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a program's parameters, and the largest call that they lead to. */
#include "language.h"

#include "weir/base/nearest.h"
#include "weir/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- parameters ---- */

/* What a parameter is called: by itself, or else as its variable. */
static const char *name_of(const struct weir_program *program, unsigned number, int which)
{
    const struct weir_parameter *parameter = &program->parameters[number];

    return which == 0 ? parameter->text : program->variables.names[parameter->variable];
}

/* Its number; parameter_count if there is none. */
static unsigned find(const struct weir_program *program, const char *name, size_t length)
{
    for (int which = 0; which < 2; which++)
        for (unsigned i = 0; i < program->parameter_count; i++) {
            const char *each = name_of(program, i, which);

            if (strlen(each) == length && strncmp(each, name, length) == 0)
                return i;
        }
    return program->parameter_count;
}

static void read_environment(const struct weir_lowering *lowering,
                             const struct weir_program *program, struct weir_parameter *parameters)
{
    struct weir_arena *arena = &lowering->plan->arena;

    /* The name of its own is looked at last, and stays. */
    for (unsigned i = 0; i < program->parameter_count; i++)
        for (int which = 1; which >= 0; which--) {
            const char *value =
                getenv(weir_arena_printf(arena, "PARABENCH_%s", name_of(program, i, which)));

            if (value != NULL) {
                parameters[i].value = weir_arena_copy(arena, value);
                parameters[i].origin = "environment";
            }
        }
}

static int refuse_word(const struct weir_lowering *lowering, const struct weir_program *program,
                       const char *word)
{
    size_t length = strcspn(word, "=");
    struct weir_nearest nearest = {.typed = word, .length = length};
    struct weir_text names = {0};
    const char *near_name;

    for (unsigned i = 0; i < program->parameter_count; i++) {
        weir_nearest_offer(&nearest, program->parameters[i].text);
        weir_nearest_offer(&nearest, name_of(program, i, 1));
        weir_text_add(&names, "%s%s (\"%s\")", i > 0 ? ", " : "; there are ",
                      name_of(program, i, 1), program->parameters[i].text);
    }
    if (program->parameter_count == 0)
        weir_text_add(&names, "; the program has none");
    near_name = weir_nearest_word(&nearest);
    if (word[length] != '=')
        WEIR_REFUSE(lowering, "\"%s\" is a word too many: parameters are name=value%s", word,
                    weir_text_string(&names));
    else
        WEIR_REFUSE(lowering, "%s: there is no such parameter%s%s%s%s", word,
                    near_name ? " (did you mean " : "", near_name ? near_name : "",
                    near_name ? "?)" : "", weir_text_string(&names));
    weir_text_close(&names);
    return -EINVAL;
}

/* Whether PARABENCH_`name` sets a parameter. `name` ends with a =. */
static bool is_of_environment(const struct weir_program *program, const char *name)
{
    return find(program, name, strcspn(name, "=")) < program->parameter_count;
}

/* One remark for all of them. */
static void remark_on_environment(const struct weir_lowering *lowering,
                                  const struct weir_program *program)
{
    static const char prefix[] = "PARABENCH_";
    struct weir_text names = {0};

    for (char *const *at = environ; *at != NULL; at++)
        if (weir_text_begins(*at, prefix) && !is_of_environment(program, *at + strlen(prefix)))
            weir_text_add(&names, "%s%.*s", names.length > 0 ? ", " : "", (int)strcspn(*at, "="),
                          *at);
    if (names.length > 0)
        WEIR_REMARK(lowering, "%s: no parameter of the program is called so: it changes nothing",
                    weir_text_string(&names));
    weir_text_close(&names);
}

/* What the text of a value names is known now. */
static int check_value(const struct weir_lowering *lowering, const struct weir_program *program,
                       const struct weir_parameter *parameter)
{
    char reason[256];

    if (weir_expr_text(&lowering->plan->arena, &program->variables, parameter->value,
                       strlen(parameter->value), reason, sizeof reason) != NULL)
        return 0;
    return WEIR_REFUSE(lowering, "%s=%s (%s): %s", parameter->text, parameter->value,
                       parameter->origin, reason);
}

int weir_pbl_set_parameters(const struct weir_lowering *lowering, struct weir_program *program,
                            int count, const char *const words[])
{
    size_t bytes = program->parameter_count * sizeof *program->parameters;
    struct weir_parameter *parameters = weir_arena_take(&lowering->plan->arena, bytes);
    int failure = 0;

    if (bytes > 0)
        memcpy(parameters, program->parameters, bytes);
    read_environment(lowering, program, parameters);
    remark_on_environment(lowering, program);
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(words[i], "=");
        unsigned at = find(program, words[i], length);

        if (words[i][length] != '=' || at == program->parameter_count)
            return refuse_word(lowering, program, words[i]);
        parameters[at].value = words[i] + length + 1;
        parameters[at].origin = "command line";
    }
    for (unsigned i = 0; i < program->parameter_count && !failure; i++)
        failure = check_value(lowering, program, &parameters[i]);
    program->parameters = parameters;
    return failure;
}

/* ---- the largest call ---- */

/* Programs are looked at with their parameters alone, and then as in the first and in the last
 * round of each loop. Sizes of the latter may never come, as what stands behind an `if` is looked
 * at, too: no buffers above 64 MiB are made for them. */
enum pass { PARAMETERS_ALONE, FIRST_ROUNDS, LAST_ROUNDS, PASSES };
#define LARGEST_OF_ROUNDS (UINT64_C(1) << 26)

struct search {
    const struct weir_program *program;
    struct weir_scope scope;
    enum pass pass;
    uint64_t largest;
};

static void look_at_size(struct search *search, const struct weir_expr *expr)
{
    uint64_t most = search->pass == PARAMETERS_ALONE ? UINT64_MAX : LARGEST_OF_ROUNDS;
    uint64_t bytes;
    int64_t value;

    if (expr == NULL || weir_expr_differs(expr) ||
        weir_expr_evaluate_integer(expr, &search->scope, &value) != 0 || value <= 0 ||
        (uint64_t)value > most)
        return;
    bytes = (uint64_t)value < WEIR_CALL_PIECE_BYTES ? (uint64_t)value : WEIR_CALL_PIECE_BYTES;
    if (bytes > search->largest)
        search->largest = bytes;
}

/* A call moves one round of a pattern, or all of them. */
static void look_at_pattern(struct search *search, const struct weir_expr *expr)
{
    const char *name = weir_expr_constant_text(expr);
    const struct weir_pattern *pattern =
        name != NULL ? weir_program_find_pattern(search->program, name) : NULL;
    uint64_t bytes = pattern != NULL ? pattern->elem : 0;

    if (pattern != NULL && pattern->level >= 2)
        bytes *= pattern->iter;
    if (bytes > search->largest)
        search->largest = bytes;
}

static void look_at_call(struct search *search, const struct weir_statement *call)
{
    const char *kinds = weir_calls[call->call].arguments;

    for (unsigned i = 0; i < call->argument_count && kinds[i] != '\0'; i++) {
        if (kinds[i] == 'S' || kinds[i] == 's')
            look_at_size(search, call->arguments[i]);
        else if (kinds[i] == 'P')
            look_at_pattern(search, call->arguments[i]);
    }
}

/* What is not known now, or differs from rank to rank, is as a variable that is not set. */
static void assign(struct search *search, const struct weir_statement *statement)
{
    struct weir_value *value = &search->scope.values[statement->variable];

    if (weir_expr_differs(statement->arguments[0]) ||
        weir_expr_assign(statement->arguments[0], &search->scope, value) != 0)
        value->kind = WEIR_VALUE_NONE;
}

static void look_at_all(struct search *search, const struct weir_statement *statements);

static void look_at_loop(struct search *search, const struct weir_statement *loop)
{
    const bool has_variable = loop->variable != WEIR_NO_VARIABLE;
    struct weir_value *value = has_variable ? &search->scope.values[loop->variable] : NULL;
    int64_t count = 0;

    if (has_variable) {
        bool is_known = loop->argument_count > 0 && loop->arguments[0] != NULL &&
                        !weir_expr_differs(loop->arguments[0]) &&
                        weir_expr_evaluate_integer(loop->arguments[0], &search->scope, &count) == 0;

        value->kind = is_known && count > 0 ? WEIR_VALUE_INTEGER : WEIR_VALUE_NONE;
        value->integer = search->pass == LAST_ROUNDS ? count - 1 : 0;
    }
    look_at_all(search, loop->body);
    if (has_variable)
        value->kind = WEIR_VALUE_NONE;
}

static void look_at_all(struct search *search, const struct weir_statement *statements)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next) {
        if (at->kind == WEIR_DO_CALL)
            look_at_call(search, at);
        else if (at->kind == WEIR_DO_ASSIGN && search->pass != PARAMETERS_ALONE)
            assign(search, at);
        if (at->kind == WEIR_DO_REPEAT && search->pass != PARAMETERS_ALONE)
            look_at_loop(search, at);
        else
            look_at_all(search, at->body);
        look_at_all(search, at->otherwise);
    }
}

uint64_t weir_pbl_largest_bytes(const struct weir_program *program)
{
    struct weir_value *values = calloc(program->variables.count + 1, sizeof *values);
    uint64_t common_count = 0;
    struct search search = {.program = program,
                            .scope = {.variables = &program->variables,
                                      .values = values,
                                      .host = "",
                                      .common_count = &common_count}};

    if (values == NULL)
        weir_error_out_of_memory();
    for (search.pass = PARAMETERS_ALONE; search.pass < PASSES; search.pass++) {
        if (weir_program_set_parameters(program, values) == -ENOMEM)
            weir_error_out_of_memory();
        look_at_all(&search, program->statements);
    }
    for (unsigned i = 0; i < program->variables.count; i++)
        free(values[i].text);
    free(values);
    return search.largest;
}
