/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of expressions: what one is compiled to, and the scanner of texts. */
#ifndef WEIR_PLAN_EXPR_TREE_H
#define WEIR_PLAN_EXPR_TREE_H

#include "weir/plan/expr.h"

enum weir_expr_kind {
    WEIR_EXPR_INTEGER,
    WEIR_EXPR_VARIABLE,
    WEIR_EXPR_INTERNAL,
    WEIR_EXPR_TEXT,
    WEIR_EXPR_OPERATION
};

enum weir_piece_kind { WEIR_PIECE_END, WEIR_PIECE_VARIABLE, WEIR_PIECE_INTERNAL };

/* A part of a text: characters, and behind them the value of a variable. */
struct weir_piece {
    const char *literal; /* NUL-terminated */
    size_t length;
    enum weir_piece_kind kind; /* END: nothing is behind them, and no piece after this one */
    unsigned number;           /* of the variable, or of the internal one */
};

struct weir_expr {
    enum weir_expr_kind kind;
    unsigned height; /* operators around its deepest operand */
    bool differs;
    enum weir_operator operation;
    union {
        int64_t integer;
        unsigned variable;
        enum weir_internal internal;
        const struct weir_piece *pieces;
        const struct weir_expr *operands[2]; /* the second is NULL for WEIR_NEGATE */
    };
};

/* ---- expr_text.c ---- */

/* Parts of a text as it is written. */
enum weir_token {
    WEIR_TOKEN_END,
    WEIR_TOKEN_LITERAL,
    WEIR_TOKEN_VARIABLE,    /* $name */
    WEIR_TOKEN_INTERNAL,    /* $$name */
    WEIR_TOKEN_ENVIRONMENT, /* $$env(NAME) */
    WEIR_TOKEN_WRONG        /* a $ without a name, or a $$env without (NAME) */
};

struct weir_scan {
    const char *at, *end;
    const char *word; /* of the token that was found last: its characters, or its name */
    size_t length;
};

enum weir_token weir_scan_next(struct weir_scan *scan);

/* -ENODATA if a name of the environment is missing. */
int weir_scan_environment(const struct weir_scan *scan, const char **value);

/* ---- expr_evaluate.c ---- */

/* Notes why an evaluation failed; returns `code`. */
int weir_expr_fail(struct weir_scope *scope, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The number of an internal variable but of host. */
int64_t weir_internal_value(struct weir_scope *scope, enum weir_internal internal);

#endif
