/* SPDX-License-Identifier: Apache-2.0 */
/* The families of doubts: each looks at the record of a phase and adds its findings, or none. */
#ifndef WEIR_AUDIT_DOUBTS_H
#define WEIR_AUDIT_DOUBTS_H

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>

/* A phase below this is over before caches, schedulers and networks have come to rest. */
#define WEIR_SHORT_PHASE_S 0.1

/* What is doubted. */
struct weir_subject {
    const struct weir_plan *plan;
    const struct weir_test *test;
    const struct weir_phase *phase;
    struct weir_phase_result *record;
};

/* Do transfers pass a page cache? */
bool weir_subject_passes_cache(const struct weir_subject *subject);

/* What a phase of this kind does with the data in its buffers: "making", "checking", ... */
const char *weir_subject_deed(const struct weir_subject *subject);

/* How that costs less: the end of a sentence that advises something else; "" if it does not. */
const char *weir_subject_data_advice(const struct weir_subject *subject);

/* Was all of it done? Of phases that moved nothing, too. */
void weir_doubt_completeness(const struct weir_subject *subject);

/* Are sizes and data right, and was the work of ranks equal? */
void weir_doubt_work(const struct weir_subject *subject);

/* Is it the storage that was measured? */
void weir_doubt_cache(const struct weir_subject *subject);

/* Is the time right? */
void weir_doubt_time(const struct weir_subject *subject);

/* Did transfers go on all the time? */
void weir_doubt_stalls(const struct weir_subject *subject);

/* Was the load that was asked for there, and what limited it? */
void weir_doubt_load(const struct weir_subject *subject);

/* Did ranks run where they should, and undisturbed? */
void weir_doubt_places(const struct weir_subject *subject);

/* Were the ranks alike? */
void weir_doubt_ranks(const struct weir_subject *subject);

#endif
