/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the parser need of each other: its state, and its parts. All functions return
 * 0, or -EINVAL with a refusal that points at a place in the program. */
#ifndef WEIR_FRONT_PARABENCH_PARSER_H
#define WEIR_FRONT_PARABENCH_PARSER_H

#include "common_lowering.h"
#include "language.h"
#include "tokens.h"

#include "weir/base/nearest.h"
#include "weir/plan/program.h"

#define WEIR_PBL_DEFINITIONS_MAX 1000 /* groups, patterns and parameters, of each */
#define WEIR_PBL_ARGUMENTS_MAX 64

/* What a statement asks of a variable. */
enum weir_pbl_need { WEIR_PBL_NEEDS_VALUE, WEIR_PBL_NEEDS_FILE, WEIR_PBL_NEEDS };

/* What is known of a variable at a place of the source. */
struct weir_pbl_variable {
    bool is_set;                            /* a statement before sets it */
    bool was_file;                          /* such a statement opens a file */
    unsigned taken_line;                    /* the loop of this line has taken it away; 0: none */
    const char *missing_at[WEIR_PBL_NEEDS]; /* in a loop that may do it further down; NULL: none */
};

/* What is counted in the program. */
struct weir_pbl_definitions {
    struct weir_parameter parameters[WEIR_PBL_DEFINITIONS_MAX];
    struct weir_program_group groups[WEIR_PBL_DEFINITIONS_MAX];
    bool is_group_used[WEIR_PBL_DEFINITIONS_MAX];
    struct weir_pattern patterns[WEIR_PBL_DEFINITIONS_MAX];
};

struct weir_pbl_parser {
    const struct weir_lowering *lowering;
    const struct weir_pbl_job *job;
    struct weir_pbl_source source;
    struct weir_arena *arena;
    struct weir_program *program;
    const struct weir_pbl_token *token; /* the next one */
    struct weir_pbl_variable *variables;
    struct weir_pbl_definitions *defined;

    unsigned first_line;       /* of the first statement */
    unsigned nesting;          /* statements around the next one */
    unsigned expression_depth; /* operators and parentheses around the next operand */
    unsigned group;            /* around the next statement, or WEIR_ALL_RANKS */
    unsigned loops;            /* around the next statement */
    bool has_doubts;           /* some variable has a missing_at */
    const char *master;        /* the outermost `master` around the next statement; NULL: none */
    bool is_conditional;       /* the next statement may be left out, or be done again */
    bool has_meeting;          /* some statement since the latest time-bounded loop began is one of
                                  several ranks together */
};

#define WEIR_PBL_REFUSE(parser, at, ...) weir_pbl_refuse(&(parser)->source, at, __VA_ARGS__)

static inline bool weir_pbl_next_is(const struct weir_pbl_parser *parser, const char *sign)
{
    return weir_pbl_is_sign(parser->token, sign);
}

/* Steps over the sign or word if it is the next one. */
bool weir_pbl_take_sign(struct weir_pbl_parser *parser, const char *sign);
bool weir_pbl_take_word(struct weir_pbl_parser *parser, const char *word);
/* The sign must be next: else it is missing behind `what` ("the arguments"). */
int weir_pbl_expect(struct weir_pbl_parser *parser, const char *sign, const char *what);
/* A text without variables must be next, `what` says which: a name that is copied. */
int weir_pbl_take_name(struct weir_pbl_parser *parser, const char *what, const char **name);

/* " (did you mean X?)", with `mark` before X ("$"; or around it: "\""); "" if no word is near. */
const char *weir_pbl_guess(const struct weir_pbl_parser *parser, const struct weir_nearest *nearest,
                           const char *mark);

/* ---- expressions.c ---- */

int weir_pbl_expression(struct weir_pbl_parser *parser, const struct weir_expr **expr);
/* The statement at `at` needs a value or a file in this variable: refused if none before it gives
 * one, or, inside of a loop, at its end if none in it does. */
int weir_pbl_need(struct weir_pbl_parser *parser, enum weir_pbl_need need, unsigned variable,
                  const char *at);
/* A loop has ended: settles what was missing in it, or refuses if it was the outermost one. */
int weir_pbl_settle_doubts(struct weir_pbl_parser *parser);
/* An integer that is known now. */
int weir_pbl_constant(struct weir_pbl_parser *parser, const char *what, int64_t *value);

/* ---- definitions.c ---- */

/* `define` is the next word. */
int weir_pbl_definition(struct weir_pbl_parser *parser);
/* Position of a group; `at` is where its name is. */
int weir_pbl_find_group(struct weir_pbl_parser *parser, const char *name, const char *at,
                        unsigned *group);

/* The same of a name that is next, `what` says which; of "world", WEIR_ALL_RANKS. */
int weir_pbl_take_ranks(struct weir_pbl_parser *parser, const char *what, unsigned *group);

/* ---- calls.c ---- */

struct weir_pbl_arguments {
    const struct weir_expr *exprs[WEIR_PBL_ARGUMENTS_MAX];
    const char *at[WEIR_PBL_ARGUMENTS_MAX];
    unsigned count;
};

/* In parentheses or without; `word` is what they are for. */
int weir_pbl_arguments(struct weir_pbl_parser *parser, struct weir_pbl_arguments *arguments);
void weir_pbl_set_arguments(struct weir_pbl_parser *parser, struct weir_statement *statement,
                            const struct weir_pbl_arguments *arguments);
/* The word of a call is next: fills in the call and its arguments. */
int weir_pbl_call(struct weir_pbl_parser *parser, struct weir_statement *statement);
/* Ranks of `group` (or WEIR_INNERMOST) meet at the statement at `at`: refused where only one of
 * them comes. */
int weir_pbl_note_meeting(struct weir_pbl_parser *parser, unsigned group, const char *what,
                          const char *at);

/* ---- open_modes.c ---- */

/* Of enum weir_open_flag. False: there is no such mode. */
bool weir_pbl_open_flags(const char *text, unsigned *flags);

/* Appends the list of all. */
void weir_pbl_add_open_modes(struct weir_text *text);

#endif
