/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of a whole program that would end it while it runs: values of parameters that it takes for
 * numbers, and that are none, or negative where that cannot be; and files that are closed twice. */
#include "language.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is known of each variable. */
struct use {
    bool is_assigned;   /* by a statement: the value of the parameter may be gone */
    unsigned number_in; /* the first line that takes it for a number; 0: none */
    unsigned count_in;  /* ... for a number of rounds, a time, or a size of what is written */
    unsigned sleep_in;  /* ... for the time of a sleep */
};

struct search {
    const struct weir_program *program;
    struct use *uses;
    unsigned line;
};

static void note_number(void *context, unsigned variable)
{
    struct search *search = context;

    if (search->uses[variable].number_in == 0)
        search->uses[variable].number_in = search->line;
}

/* The statement asks for a number in its argument. */
static bool takes_number(const struct weir_statement *statement, unsigned argument)
{
    char kind =
        statement->kind == WEIR_DO_CALL ? weir_calls[statement->call].arguments[argument] : '\0';

    return statement->kind == WEIR_DO_REPEAT || statement->kind == WEIR_DO_SLEEP ||
           statement->kind == WEIR_DO_IF || (kind != '\0' && strchr("SsOoWw", kind) != NULL);
}

/* The number is not negative. */
static bool takes_count(const struct weir_statement *statement, unsigned argument)
{
    return takes_number(statement, argument) &&
           (statement->kind == WEIR_DO_REPEAT || statement->kind == WEIR_DO_SLEEP ||
            (statement->kind == WEIR_DO_CALL && weir_calls[statement->call].writes &&
             strchr("Ss", weir_calls[statement->call].arguments[argument]) != NULL));
}

static void look_at(struct search *search, const struct weir_statement *statement,
                    unsigned argument)
{
    const struct weir_expr *expr = statement->arguments[argument];
    int variable = weir_expr_single_variable(expr);

    weir_expr_visit_numbers(expr, takes_number(statement, argument), note_number, search);
    if (variable >= 0 && takes_count(statement, argument) && search->uses[variable].count_in == 0)
        search->uses[variable].count_in = statement->line;
    if (variable >= 0 && statement->kind == WEIR_DO_SLEEP && search->uses[variable].sleep_in == 0)
        search->uses[variable].sleep_in = statement->line;
}

/* What is run on some condition alone may never be: its numbers are looked at there. */
static bool may_be_left_out(const struct search *search, const struct weir_statement *statement)
{
    return statement->kind == WEIR_DO_IF ||
           (statement->kind == WEIR_DO_GROUP && statement->group < search->program->group_count &&
            search->program->groups[statement->group].size == 0);
}

static void look_at_all(struct search *search, const struct weir_statement *statements,
                        bool is_certain)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next) {
        bool is_body_certain = is_certain && !may_be_left_out(search, at);

        search->line = at->line;
        for (unsigned i = 0; i < at->argument_count && is_certain; i++)
            if (at->arguments[i] != NULL)
                look_at(search, at, i);
        if (at->variable != WEIR_NO_VARIABLE)
            search->uses[at->variable].is_assigned = true;
        look_at_all(search, at->body, is_body_certain);
        look_at_all(search, at->otherwise, is_body_certain);
    }
}

/* A value with variables in it is known when the program comes to it. */
static int check(const struct weir_lowering *lowering, const struct search *search,
                 const struct weir_parameter *parameter)
{
    const struct use *use = &search->uses[parameter->variable];
    const char *name = search->program->variables.names[parameter->variable];
    int64_t number;

    if (use->is_assigned || use->number_in == 0 || strchr(parameter->value, '$') != NULL)
        return 0;
    if (weir_integer_parse(parameter->value, &number) != 0)
        return WEIR_REFUSE(lowering,
                           "%s=%s (%s): that is no whole number, and line %u takes $%s (\"%s\") "
                           "for one",
                           name, parameter->value, parameter->origin, use->number_in, name,
                           parameter->text);
    if (number < 0 && use->count_in != 0)
        return WEIR_REFUSE(lowering,
                           "%s=%s (%s): line %u takes $%s (\"%s\") for a number of rounds, a size "
                           "or a time, and it is negative",
                           name, parameter->value, parameter->origin, use->count_in, name,
                           parameter->text);
    if (number > WEIR_SLEEP_US_MAX && use->sleep_in != 0)
        return WEIR_REFUSE(lowering,
                           "%s=%s (%s): line %u sleeps $%s (\"%s\") microseconds, and a sleep has "
                           "at most %" PRId64 " (292 years)",
                           name, parameter->value, parameter->origin, use->sleep_in, name,
                           parameter->text, WEIR_SLEEP_US_MAX);
    return 0;
}

int weir_pbl_check_numbers(const struct weir_lowering *lowering, const struct weir_program *program)
{
    struct search search = {.program = program,
                            .uses = calloc(program->variables.count + 1, sizeof *search.uses)};
    int failure = 0;

    if (search.uses == NULL)
        weir_error_out_of_memory();
    look_at_all(&search, program->statements, true);
    for (unsigned i = 0; i < program->parameter_count && !failure; i++)
        failure = check(lowering, &search, &program->parameters[i]);
    free(search.uses);
    return failure;
}

/* ---- files ---- */

static bool may_assign(const struct weir_statement *statements, unsigned variable)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next)
        if (at->variable == variable || may_assign(at->body, variable) ||
            may_assign(at->otherwise, variable))
            return true;
    return false;
}

/* The variable with the file that a call works on; WEIR_NO_VARIABLE = the call is by name. */
static unsigned handle_of(const struct weir_statement *statement)
{
    int variable = -1;

    if (statement->kind == WEIR_DO_CALL && weir_calls[statement->call].arguments[0] == 'H')
        variable = weir_expr_single_variable(statement->arguments[0]);
    return variable >= 0 ? (unsigned)variable : WEIR_NO_VARIABLE;
}

/* Statements of inner blocks may be left out: those that assign end the search, and calls in them
 * are left to the run. */
static int check_closed(const struct weir_lowering *lowering, const struct weir_program *program,
                        const struct weir_statement *close)
{
    unsigned file = handle_of(close);

    for (const struct weir_statement *at = close->next; at != NULL; at = at->next) {
        if (handle_of(at) == file)
            return WEIR_REFUSE(lowering,
                               "line %u: %s: the file of $%s was closed in line %u: leave it out, "
                               "or open the file again before",
                               at->line, weir_calls[at->call].word, program->variables.names[file],
                               close->line);
        if (at->variable == file || may_assign(at->body, file) || may_assign(at->otherwise, file))
            return 0;
    }
    return 0;
}

static int check_files(const struct weir_lowering *lowering, const struct weir_program *program,
                       const struct weir_statement *statements)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next) {
        bool closes = at->kind == WEIR_DO_CALL &&
                      (at->call == WEIR_CALL_FCLOSE || at->call == WEIR_CALL_PFCLOSE);

        if ((closes && handle_of(at) != WEIR_NO_VARIABLE && check_closed(lowering, program, at)) ||
            check_files(lowering, program, at->body) ||
            check_files(lowering, program, at->otherwise))
            return -EINVAL;
    }
    return 0;
}

int weir_pbl_check_handles(const struct weir_lowering *lowering, const struct weir_program *program)
{
    return check_files(lowering, program, program->statements);
}
