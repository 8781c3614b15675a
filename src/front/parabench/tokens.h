/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a program as tokens, and refusals that point at a place in it. */
#ifndef WEIR_FRONT_PARABENCH_TOKENS_H
#define WEIR_FRONT_PARABENCH_TOKENS_H

#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/plan/expr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_pbl_kind {
    WEIR_PBL_END,
    WEIR_PBL_WORD,     /* letters, digits and _ */
    WEIR_PBL_VARIABLE, /* $name: `value` is its number */
    WEIR_PBL_INTERNAL, /* $$name */
    WEIR_PBL_NUMBER,   /* `value`, with its suffix */
    WEIR_PBL_TIME,     /* `value` nanoseconds: 60s */
    WEIR_PBL_TEXT,     /* with its quotes */
    WEIR_PBL_SIGN      /* one or two characters */
};

struct weir_pbl_token {
    enum weir_pbl_kind kind;
    unsigned line;
    const char *at; /* in the source */
    size_t length;
    int64_t value;
};

/* A program as it was read. */
struct weir_pbl_source {
    const char *path; /* as typed */
    const char *text;
    const char *place; /* what errors begin with: "parabench" */
    struct weir_error *error;
};

struct weir_pbl_tokens {
    struct weir_pbl_token *list; /* the last one is END */
    size_t count;
    size_t room;
    struct weir_variables variables; /* all names behind a $, in texts too; in the arena */
    unsigned large_suffix_line; /* the first with K, M or G, which once multiplied by 1; 0: none */
};

/* Refuses the program at `at`, which is in its text: the sentence, the line and a mark under the
 * place. Returns -EINVAL. */
int weir_pbl_refuse(const struct weir_pbl_source *source, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0, or a usage error. `tokens` is all zero; weir_pbl_tokens_close in either case. */
int weir_pbl_scan(const struct weir_pbl_source *source, struct weir_arena *arena,
                  struct weir_pbl_tokens *tokens);
void weir_pbl_tokens_close(struct weir_pbl_tokens *tokens);

/* The token is this word, without regard to case; this sign. */
bool weir_pbl_is_word(const struct weir_pbl_token *token, const char *word);
bool weir_pbl_is_sign(const struct weir_pbl_token *token, const char *sign);

/* What is between the quotes: all of those at both ends are left out. Not NUL-terminated. */
const char *weir_pbl_text_of(const struct weir_pbl_token *token, size_t *length);

#endif
