/* SPDX-License-Identifier: Apache-2.0 */
/* What a program would do: each rank's statements are gone through in turn, and its calls are
 * counted instead of made. */
#include "weir/base/random.h"
#include "weir/base/saturate.h"
#include "weir/plan/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rank. */
struct walk {
    const struct weir_program *program;
    const struct weir_rank_range *groups; /* behind those of the program, all ranks */
    uint64_t *common_counts;              /* of each of these */
    struct weir_scope scope;
    unsigned innermost; /* group */
    uint64_t rank;
    uint64_t left;               /* statements and rounds that may still be looked at */
    char text[WEIR_VALUE_BYTES]; /* here, as statements are nested deep */
    struct weir_program_count *count;
};

/* False: for callers to return, as the walk ends here. */
static bool end(struct walk *walk, const struct weir_statement *statement, const char *reason)
{
    walk->count->line = statement->line;
    walk->count->rank = walk->rank;
    snprintf(walk->count->reason, sizeof walk->count->reason, "%s", reason);
    return false;
}

static bool look(struct walk *walk, const struct weir_statement *statement)
{
    if (walk->left == 0)
        return end(walk, statement, "there are more statements and rounds than are looked at");
    walk->left--;
    return true;
}

static bool evaluate(struct walk *walk, const struct weir_statement *statement,
                     const struct weir_expr *expr, int64_t *value)
{
    return weir_expr_evaluate_integer(expr, &walk->scope, value) == 0 ||
           end(walk, statement, walk->scope.reason);
}

static bool evaluate_text(struct walk *walk, const struct weir_statement *statement,
                          const struct weir_expr *expr)
{
    size_t length;

    return weir_expr_evaluate_text(expr, &walk->scope, walk->text, &length) == 0 ||
           end(walk, statement, walk->scope.reason);
}

/* ---- calls ---- */

static bool add_pattern(struct walk *walk, const struct weir_statement *call,
                        const struct weir_expr *expr)
{
    const struct weir_pattern *pattern;

    if (!evaluate_text(walk, call, expr))
        return false;
    pattern = weir_program_find_pattern(walk->program, walk->text);
    if (pattern == NULL)
        return end(walk, call, "there is no such pattern");
    walk->count->bytes[call->call] =
        weir_plus(walk->count->bytes[call->call], weir_times(pattern->iter, pattern->elem));
    return true;
}

/* Reading without a size, or with -1, reads the whole file. */
static bool add_size(struct walk *walk, const struct weir_statement *call,
                     const struct weir_expr *expr)
{
    int64_t size = -1;

    if (expr != NULL && !evaluate(walk, call, expr, &size))
        return false;
    if (size >= 0)
        walk->count->bytes[call->call] = weir_plus(walk->count->bytes[call->call], (uint64_t)size);
    else if (weir_calls[call->call].writes)
        return end(walk, call, "a size is negative");
    else
        walk->count->reads_whole_files = true;
    return true;
}

static void keep_file(struct walk *walk, const struct weir_statement *call)
{
    if (call->variable != WEIR_NO_VARIABLE)
        walk->scope.values[call->variable].kind = WEIR_VALUE_FILE;
}

static void keep_name(struct walk *walk, const struct weir_statement *call)
{
    const struct weir_call_row *row = &weir_calls[call->call];
    bool is_of_data = row->moves_data || row->gives_handle;

    if (walk->count->name[0] != '\0' && (walk->count->is_name_of_data || !is_of_data))
        return;
    snprintf(walk->count->name, sizeof walk->count->name, "%s",
             weir_program_skip_prefix(call->call, walk->text));
    walk->count->is_name_of_data = is_of_data;
}

static bool do_argument(struct walk *walk, const struct weir_statement *call, unsigned argument)
{
    const struct weir_call_row *row = &weir_calls[call->call];
    const struct weir_expr *expr =
        argument < call->argument_count ? call->arguments[argument] : NULL;

    switch (row->arguments[argument]) {
    case 'N':
        if (!evaluate_text(walk, call, expr))
            return false;
        keep_name(walk, call);
        return true;
    case 'P':
        return !row->moves_data || add_pattern(walk, call, expr);
    case 'S':
    case 's':
        return add_size(walk, call, expr);
    default:
        return true;
    }
}

static bool do_call(struct walk *walk, const struct weir_statement *call)
{
    walk->count->calls[call->call]++;
    keep_file(walk, call);
    for (unsigned i = 0; weir_calls[call->call].arguments[i] != '\0'; i++)
        if (!do_argument(walk, call, i))
            return false;
    return true;
}

/* ---- statements ---- */

static bool do_all(struct walk *walk, const struct weir_statement *statements);

static bool do_repeat(struct walk *walk, const struct weir_statement *loop)
{
    struct weir_value none = {0}, *value = &none;
    int64_t count;

    if (loop->duration_ns > 0 || loop->argument_count == 0 || loop->arguments[0] == NULL)
        return end(walk, loop, "how many rounds it makes depends on the time they take");
    if (!evaluate(walk, loop, loop->arguments[0], &count))
        return false;
    if (count < 0)
        return end(walk, loop, "its number of rounds is negative");
    if (loop->variable != WEIR_NO_VARIABLE)
        value = &walk->scope.values[loop->variable];
    for (int64_t i = 0; i < count; i++) {
        value->kind = WEIR_VALUE_INTEGER;
        value->integer = i;
        if (!look(walk, loop) || !do_all(walk, loop->body))
            return false;
    }
    value->kind = WEIR_VALUE_NONE;
    return true;
}

/* What is printed, or a label. */
static bool do_texts(struct walk *walk, const struct weir_statement *statement)
{
    for (unsigned i = 0; i < statement->argument_count; i++)
        if (statement->arguments[i] != NULL &&
            !evaluate_text(walk, statement, statement->arguments[i]))
            return false;
    return true;
}

static bool do_if(struct walk *walk, const struct weir_statement *statement)
{
    int64_t value;

    return evaluate(walk, statement, statement->arguments[0], &value) &&
           do_all(walk, value != 0 ? statement->body : statement->otherwise);
}

static void enter(struct walk *walk, unsigned group)
{
    const struct weir_rank_range *ranks = &walk->groups[group];

    walk->innermost = group;
    walk->scope.internals[WEIR_INTERNAL_GROUP_RANK] = (int64_t)(walk->rank - ranks->first);
    walk->scope.internals[WEIR_INTERNAL_GROUP_SIZE] = (int64_t)ranks->count;
    walk->scope.common_count = &walk->common_counts[group];
}

static bool do_group(struct walk *walk, const struct weir_statement *statement)
{
    unsigned all = walk->program->group_count, outer = walk->innermost;
    unsigned group = statement->group < all               ? statement->group
                     : statement->group == WEIR_INNERMOST ? outer
                                                          : all;
    const struct weir_rank_range *ranks = &walk->groups[group];
    bool is_on;

    if (walk->rank < ranks->first || walk->rank - ranks->first >= ranks->count)
        return true;
    enter(walk, group);
    is_on = do_all(walk, statement->body);
    enter(walk, outer);
    return is_on;
}

static bool do_assign(struct walk *walk, const struct weir_statement *statement)
{
    return weir_expr_assign(statement->arguments[0], &walk->scope,
                            &walk->scope.values[statement->variable]) == 0 ||
           end(walk, statement, walk->scope.reason);
}

static bool do_statement(struct walk *walk, const struct weir_statement *statement)
{
    switch (statement->kind) {
    case WEIR_DO_ASSIGN:
        return do_assign(walk, statement);
    case WEIR_DO_CALL:
        return do_call(walk, statement);
    case WEIR_DO_REPEAT:
        return do_repeat(walk, statement);
    case WEIR_DO_IF:
        return do_if(walk, statement);
    case WEIR_DO_GROUP:
        return do_group(walk, statement);
    case WEIR_DO_MASTER:
        return walk->rank != walk->groups[walk->innermost].first || do_all(walk, statement->body);
    case WEIR_DO_PRINT:
    case WEIR_DO_TIME:
    case WEIR_DO_CORE_TIME:
        return do_texts(walk, statement) && do_all(walk, statement->body);
    default: /* it makes no calls */
        return true;
    }
}

static bool do_all(struct walk *walk, const struct weir_statement *statements)
{
    for (const struct weir_statement *at = statements; at != NULL; at = at->next)
        if (!look(walk, at) || !do_statement(walk, at))
            return false;
    return true;
}

/* ---- ranks ---- */

static bool do_rank(struct walk *walk, uint64_t rank)
{
    const struct weir_program *program = walk->program;

    for (unsigned i = 0; i < program->variables.count; i++)
        walk->scope.values[i].kind = WEIR_VALUE_NONE;
    memset(walk->common_counts, 0, (program->group_count + 1) * sizeof *walk->common_counts);
    if (weir_program_set_parameters(program, walk->scope.values) == -ENOMEM)
        weir_error_out_of_memory();
    walk->rank = rank;
    walk->scope.internals[WEIR_INTERNAL_RANK] = (int64_t)rank;
    walk->scope.internals[WEIR_INTERNAL_SIZE] = (int64_t)walk->groups[program->group_count].count;
    walk->scope.random_seed = weir_random_at(program->seed, rank);
    walk->scope.common_seed = program->seed;
    walk->scope.random_count = 0;
    enter(walk, program->group_count);
    if (!do_all(walk, program->statements))
        return false;
    walk->count->draws_numbers |= walk->scope.random_count > 0;
    for (unsigned i = 0; i <= program->group_count; i++)
        walk->count->draws_numbers |= walk->common_counts[i] > 0;
    return true;
}

bool weir_program_count(const struct weir_program *program, uint64_t ranks, uint64_t most,
                        struct weir_program_count *count)
{
    size_t groups = program->group_count + 1, variables = program->variables.count + 1;
    struct weir_rank_range *ranges = calloc(groups, sizeof *ranges);
    struct walk walk = {
        .program = program,
        .groups = ranges,
        .common_counts = calloc(groups, sizeof *walk.common_counts),
        .scope = {.variables = &program->variables,
                  .values = calloc(variables, sizeof *walk.scope.values),
                  .host = ""},
        .left = most,
        .count = count,
    };
    bool is_whole = true;

    if (ranges == NULL || walk.common_counts == NULL || walk.scope.values == NULL)
        weir_error_out_of_memory();
    *count = (struct weir_program_count){0};
    weir_program_map_groups(program, ranks, ranges, NULL);
    ranges[program->group_count] = (struct weir_rank_range){0, ranks};
    for (uint64_t rank = 0; rank < ranks && is_whole; rank++)
        is_whole = do_rank(&walk, rank);
    for (unsigned i = 0; i < program->variables.count; i++)
        free(walk.scope.values[i].text);
    free(walk.scope.values);
    free(walk.common_counts);
    free(ranges);
    return is_whole;
}
