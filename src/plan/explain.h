/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that tell a plan as text: quantities and clauses, and what each file tells.
 */
#ifndef WEIR_PLAN_EXPLAIN_H
#define WEIR_PLAN_EXPLAIN_H

#include "weir/plan/plan.h"

/* ---- explain_words.c ---- */

/* A quantity as text, always exact, to be printed in the expression that made it. */
struct weir_words {
    char text[48];
};

struct weir_words weir_words_size(uint64_t bytes);                    /* "4 KiB" */
struct weir_words weir_words_duration(uint64_t ns);                   /* "1.5 s" */
struct weir_words weir_words_count(uint64_t count, const char *noun); /* "2 ranks" */

/* "; CLAUSE" */
void weir_explain_if(struct weir_text *text, bool is_true, const char *clause);
/* "; part of the rank 1 node further", where `whose` is "part of" */
void weir_explain_shift(struct weir_text *text, const char *whose, const struct weir_shift *shift);
void weir_explain_payload(struct weir_text *text, const struct weir_payload *payload);
/* What a phase has of these: `noun` is what it makes, "transfer". */
void weir_explain_stop(struct weir_text *text, const struct weir_stop *stop, const char *noun,
                       bool is_status_read);
void weir_explain_rate(struct weir_text *text, const struct weir_rate *rate, const char *noun);
/* Depth, as it is used or looked for. */
void weir_explain_depth(struct weir_text *text, const struct weir_test *test,
                        const struct weir_phase *phase);

/* ---- explain_names.c ---- */

/* "trees in out  one for all ranks: ..." */
void weir_explain_tree(struct weir_text *text, const struct weir_target *target);
bool weir_tree_is_same(const struct weir_tree *one, const struct weir_tree *other);
/* A phase that works on trees. */
void weir_explain_names(struct weir_text *text, const struct weir_test *test,
                        const struct weir_phase *phase);

/* ---- explain_place.c ---- */

/* Where ranks and buffers are, and what is done to page caches: whole lines. */
void weir_plan_explain_place(struct weir_text *text, const struct weir_test *test);

#endif
