/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a program's variables, and expressions over them: compiled once, and evaluated on each
 * rank without allocating memory. Source of the rules: the language of Parabench
 * (docs/parabench.md, "Language"). */
#ifndef WEIR_PLAN_EXPR_H
#define WEIR_PLAN_EXPR_H

#include "weir/base/arena.h"
#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_VALUE_BYTES 4096      /* of a text, with its NUL: as long as a path may be */
#define WEIR_INTERPOLATION_MAX 64  /* a text names a variable whose text names a variable, ... */
#define WEIR_EXPR_NESTING_MAX 1000 /* operators around an operand */

enum weir_value_kind {
    WEIR_VALUE_NONE, /* not set, or taken away */
    WEIR_VALUE_INTEGER,
    WEIR_VALUE_TEXT,
    WEIR_VALUE_FILE
};

/* One variable of one rank. Its kind may change. */
struct weir_value {
    enum weir_value_kind kind;
    bool is_plain; /* a text in which nothing is to be replaced */
    int64_t integer;
    char *text; /* WEIR_VALUE_BYTES, taken when a text is first needed and kept; NUL-terminated */
    size_t length;
    void *file; /* the engine's */
};

/* Internal variables: what differs from rank to rank, or from call to call. */
enum weir_internal {
    WEIR_INTERNAL_RANK,          /* $$rank: of all ranks of the test, also inside of groups */
    WEIR_INTERNAL_SIZE,          /* $$size: ranks of the test */
    WEIR_INTERNAL_GROUP_RANK,    /* $$grank: in the innermost group, else as $$rank */
    WEIR_INTERNAL_GROUP_SIZE,    /* $$gsize */
    WEIR_INTERNAL_NODE,          /* $$node: number of this rank's node */
    WEIR_INTERNAL_HOST,          /* $$host: a text */
    WEIR_INTERNAL_RANDOM,        /* $$rand: the next number of this rank, 0 to 2^32 - 1 */
    WEIR_INTERNAL_COMMON_RANDOM, /* $$crand: the same for all ranks of the innermost group */
};
#define WEIR_INTERNAL_COUNT 8

/* "rank", "size", "grank", "gsize", "node", "host", "rand", "crand" */
extern const char *const weir_internal_names[WEIR_INTERNAL_COUNT];
/* Its number; WEIR_INTERNAL_COUNT if there is none. */
unsigned weir_internal_find(const char *name, size_t length);

enum weir_operator {
    WEIR_ADD,
    WEIR_SUBTRACT,
    WEIR_MULTIPLY,
    WEIR_DIVIDE, /* truncates */
    WEIR_MODULO, /* with the sign of the left operand */
    WEIR_POWER,  /* x ^ 0 is 1. A negative exponent makes 1 / x ^ n, truncated: 1 or -1 of these, 0
                    of others, a division by zero of 0 */
    WEIR_NEGATE, /* one operand */
    WEIR_EQUAL,  /* comparisons: 1 or 0; of texts if both operands are texts */
    WEIR_NOT_EQUAL,
    WEIR_LESS,
    WEIR_LESS_EQUAL,
    WEIR_GREATER,
    WEIR_GREATER_EQUAL,
};

/* The variables of a program by number. */
struct weir_variables {
    const char *const *names; /* without the $; sorted, so that a text can name one while it runs */
    unsigned count;
};

/* Number of the variable with this name (not NUL-terminated); `count` if there is none. */
unsigned weir_variables_find(const struct weir_variables *variables, const char *name,
                             size_t length);

/* What an expression sees while one rank evaluates it. */
struct weir_scope {
    const struct weir_variables *variables;
    struct weir_value *values;              /* as many */
    int64_t internals[WEIR_INTERNAL_COUNT]; /* but for host and the random ones */
    const char *host;
    uint64_t random_seed, random_count;  /* of this rank */
    uint64_t common_seed, *common_count; /* of the innermost group, which owns the count */
    char reason[256]; /* why the latest evaluation failed: a clause, "division by zero" */
};

struct weir_expr;

/* Makes it a text, which is copied into value->text; taken from the heap the first time. 0,
 * -ENAMETOOLONG or -ENOMEM. */
int weir_value_set_text(struct weir_value *value, const char *text, size_t length);

/* ---- building: by front ends. All in the arena; constants are folded. ---- */

const struct weir_expr *weir_expr_integer(struct weir_arena *arena, int64_t value);
const struct weir_expr *weir_expr_variable(struct weir_arena *arena, unsigned variable);
const struct weir_expr *weir_expr_internal(struct weir_arena *arena, enum weir_internal internal);
/* `text`: as between the quotes, with $name, $$internal, $$env(NAME) and \$ in it, which are
 * compiled; a name is the longest run of ASCII letters and digits. The environment is read now, on
 * the rank that compiles. Texts that variables hold are read in the same way when they are used.
 * NULL with a clause in `reason` (of `reason_bytes`): an unknown variable, internal variable or
 * name of the environment, a $ without a name, or too long. */
const struct weir_expr *weir_expr_text(struct weir_arena *arena,
                                       const struct weir_variables *variables, const char *text,
                                       size_t length, char *reason, size_t reason_bytes);
/* `right` is NULL for WEIR_NEGATE. NULL with a clause in `reason`: constants that overflow or are
 * divided by zero, or nested too deep. */
const struct weir_expr *weir_expr_operation(struct weir_arena *arena, enum weir_operator operation,
                                            const struct weir_expr *left,
                                            const struct weir_expr *right, char *reason,
                                            size_t reason_bytes);

/* ---- reading ---- */

bool weir_expr_is_text(const struct weir_expr *expr);
/* Its value is the same on all ranks and at any time: an integer, ... */
bool weir_expr_is_constant(const struct weir_expr *expr, int64_t *value);
/* ... or a text without variables; NULL if it is not that. */
const char *weir_expr_constant_text(const struct weir_expr *expr);
/* The variable that it is, alone; -1: it is something else. */
int weir_expr_single_variable(const struct weir_expr *expr);
/* Its value may differ from rank to rank: an internal variable but size, gsize and crand is in it.
 * Variables may hide another one. */
bool weir_expr_differs(const struct weir_expr *expr);
/* Calls `visit` for each variable that is named in it, texts included. */
void weir_expr_visit(const struct weir_expr *expr, void (*visit)(void *context, unsigned variable),
                     void *context);
/* The same for each variable that must hold a number: operands of arithmetic, and what is compared
 * with a number. `is_number`: the expression's own value must be one. */
void weir_expr_visit_numbers(const struct weir_expr *expr, bool is_number,
                             void (*visit)(void *context, unsigned variable), void *context);
/* As stable text with full parentheses, variables by name. */
void weir_expr_explain(struct weir_text *text, const struct weir_variables *variables,
                       const struct weir_expr *expr);

/* ---- evaluating: on each rank. 0, or -errno with scope->reason set. ---- */

/* -EDOM division by zero, -ERANGE overflow, -ENODATA a variable that is not set, -EINVAL a text
 * that is no number or a file. A text is read as a number with K, M, G, T for powers of 1024. */
int weir_expr_evaluate_integer(const struct weir_expr *expr, struct weir_scope *scope,
                               int64_t *value);
/* Integers are told as decimal, negative ones with a sign. -ENAMETOOLONG, -ELOOP, -ENODATA.
 * `buffer` has WEIR_VALUE_BYTES. */
int weir_expr_evaluate_text(const struct weir_expr *expr, struct weir_scope *scope, char *buffer,
                            size_t *length);
/* As it is: an integer, or a text. Texts are copied into value->text, which is taken from the heap
 * the first time (-ENOMEM). A single variable is copied; a file is shared. */
int weir_expr_assign(const struct weir_expr *expr, struct weir_scope *scope,
                     struct weir_value *value);

#endif
