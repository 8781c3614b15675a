/* SPDX-License-Identifier: Apache-2.0 */
/* A program as text: what it is given, what it declares, and a line for each statement. */
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- what stands before the statements ---- */

static void add_parameters(struct weir_text *text, const struct weir_program *program)
{
    for (unsigned i = 0; i < program->parameter_count; i++) {
        weir_text_add(text, "    param $%s = \"",
                      program->variables.names[program->parameters[i].variable]);
        weir_text_add_visible(text, program->parameters[i].value);
        weir_text_add(text, "\"\n");
    }
}

/* In the words in which groups are written, and where ranks begin if there are enough of them. */
static void add_group(struct weir_text *text, const struct weir_program_group *group,
                      uint64_t first)
{
    weir_text_add(text, "    group ");
    weir_text_add_visible(text, group->name);
    if (group->tag == WEIR_GROUP_PLAIN)
        weir_text_add(text, ": without letter");
    else
        weir_text_add(text, ": %c", group->tag == WEIR_GROUP_SINGLE ? 'S' : 'D');
    if (group->order > 0)
        weir_text_add(text, " %" PRIu64, group->order);
    weir_text_add(text, ", %s", weir_words_count(group->size, "rank").text);
    if (group->size > 0)
        weir_text_add(text, ", from rank %" PRIu64 " on", first);
    weir_text_add(text, "\n");
}

static void add_groups(struct weir_text *text, const struct weir_program *program)
{
    struct weir_rank_range *ranges = calloc(program->group_count + 1, sizeof *ranges);

    if (ranges == NULL)
        weir_error_out_of_memory();
    weir_program_map_groups(program, WEIR_PLAN_RANKS_MAX, ranges, NULL);
    for (unsigned i = 0; i < program->group_count; i++)
        add_group(text, &program->groups[i], ranges[i].first);
    free(ranges);
}

static void add_group_name(struct weir_text *text, const struct weir_program *program,
                           unsigned group)
{
    if (group == WEIR_ALL_RANKS)
        weir_text_add(text, "all ranks");
    else
        weir_text_add_visible(text, program->groups[group].name);
}

static void add_patterns(struct weir_text *text, const struct weir_program *program)
{
    for (unsigned i = 0; i < program->pattern_count; i++) {
        const struct weir_pattern *pattern = &program->patterns[i];

        weir_text_add(text, "    pattern ");
        weir_text_add_visible(text, pattern->name);
        weir_text_add(text, ": type %u, level %u, %" PRIu64 " x %s per rank of ", pattern->type,
                      pattern->level, pattern->iter, weir_words_size(pattern->elem).text);
        add_group_name(text, program, pattern->group);
        weir_text_add(text, "\n");
    }
}

static void add_line_if(struct weir_text *text, bool is_true, const char *line)
{
    if (is_true)
        weir_text_add(text, "    %s\n", line);
}

static void add_terms(struct weir_text *text, const struct weir_program *program)
{
    for (unsigned i = 0; i < program->root_count; i++) {
        weir_text_add(text, i > 0 ? ", " : "    names may be in: ");
        weir_text_add_visible(text, program->roots[i]);
    }
    if (program->root_count > 0)
        weir_text_add(text, "\n");
    if (program->on_error == WEIR_ON_ERROR_STOP)
        weir_text_add(text, "    end after %s of a rank\n",
                      weir_words_count(program->error_limit, "failed call").text);
    if (program->seed_is_given)
        weir_text_add(text, "    seed %" PRIu64 "\n", program->seed);
    add_line_if(text, program->must_verify, "verify");
    add_line_if(text, program->skips_calls, "without calls");
    add_line_if(text, program->skips_sleeps, "without sleeps");
    add_line_if(text, program->waits_for_signal, "wait for a signal first");
}

/* ---- statements ---- */

/* Where the text of statements goes, and whose they are. */
struct telling {
    struct weir_text *text;
    const struct weir_program *program;
};

static void add_arguments(const struct telling *telling, const struct weir_statement *statement)
{
    for (unsigned i = 0; i < statement->argument_count; i++) {
        weir_text_add(telling->text, i > 0 ? ", " : " ");
        if (statement->arguments[i])
            weir_expr_explain(telling->text, &telling->program->variables, statement->arguments[i]);
        else
            weir_text_add(telling->text, "-");
    }
}

static void add_open_flags(struct weir_text *text, unsigned flags)
{
    static const char *const words[] = {"read",   "write",    "create",  "truncate",
                                        "append", "excl",     "sync",    "direct",
                                        "dir",    "nofollow", "noatime", "nonblock"};
    const char *before = " (";

    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(flags & 1u << i))
            continue;
        weir_text_add(text, "%s%s", before, words[i]);
        before = " ";
    }
    if (before[1] == '\0')
        weir_text_add(text, ")");
}

static void add_call(const struct telling *telling, const struct weir_statement *statement)
{
    if (statement->variable != WEIR_NO_VARIABLE)
        weir_text_add(telling->text,
                      "$%s = ", telling->program->variables.names[statement->variable]);
    weir_text_add(telling->text, "%s", weir_calls[statement->call].word);
    add_arguments(telling, statement);
    if (statement->call == WEIR_CALL_FOPEN)
        add_open_flags(telling->text, statement->open_flags);
}

static void add_repeat(const struct telling *telling, const struct weir_statement *statement)
{
    weir_text_add(telling->text, "repeat");
    if (statement->variable != WEIR_NO_VARIABLE)
        weir_text_add(telling->text, " $%s",
                      telling->program->variables.names[statement->variable]);
    if (statement->duration_ns == 0)
        add_arguments(telling, statement);
    else
        weir_text_add(telling->text, " for %s%s", weir_words_duration(statement->duration_ns).text,
                      statement->is_together ? " by the first rank's clock" : "");
}

static void add_barrier(const struct telling *telling, const struct weir_statement *statement)
{
    weir_text_add(telling->text, "barrier");
    if (statement->group == WEIR_INNERMOST)
        return;
    weir_text_add(telling->text, " of ");
    add_group_name(telling->text, telling->program, statement->group);
}

static void add_statement(const struct telling *telling, const struct weir_statement *statement)
{
    static const char *const words[] = {
        [WEIR_DO_PRINT] = "print",     [WEIR_DO_IF] = "if",         [WEIR_DO_TIME] = "time",
        [WEIR_DO_CORE_TIME] = "ctime", [WEIR_DO_MASTER] = "master", [WEIR_DO_SLEEP] = "sleep",
    };

    switch (statement->kind) {
    case WEIR_DO_ASSIGN:
        weir_text_add(telling->text,
                      "$%s =", telling->program->variables.names[statement->variable]);
        add_arguments(telling, statement);
        break;
    case WEIR_DO_CALL:
        add_call(telling, statement);
        break;
    case WEIR_DO_REPEAT:
        add_repeat(telling, statement);
        break;
    case WEIR_DO_GROUP:
        weir_text_add(telling->text, "on ");
        add_group_name(telling->text, telling->program, statement->group);
        break;
    case WEIR_DO_BARRIER:
        add_barrier(telling, statement);
        break;
    default:
        weir_text_add(telling->text, "%s", words[statement->kind]);
        add_arguments(telling, statement);
    }
    weir_text_add(telling->text, "\n");
}

/* The parser bounds how deep statements are nested. */
static void add_statements(const struct telling *telling, const struct weir_statement *statements,
                           int indent)
{
    for (const struct weir_statement *at = statements; at; at = at->next) {
        weir_text_add(telling->text, "%*s", indent, "");
        add_statement(telling, at);
        add_statements(telling, at->body, indent + 2);
        if (!at->otherwise)
            continue;
        weir_text_add(telling->text, "%*selse\n", indent, "");
        add_statements(telling, at->otherwise, indent + 2);
    }
}

void weir_program_explain(const struct weir_program *program, struct weir_text *text)
{
    const struct telling telling = {.text = text, .program = program};

    add_parameters(text, program);
    add_groups(text, program);
    add_patterns(text, program);
    add_terms(text, program);
    add_statements(&telling, program->statements, 4);
}
