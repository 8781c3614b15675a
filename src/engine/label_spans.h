/* SPDX-License-Identifier: Apache-2.0 */
/* When ranks were in the executions of a label, as rank 0 puts it together: the n-th execution of
 * each of them is one. */
#ifndef WEIR_ENGINE_LABEL_SPANS_H
#define WEIR_ENGINE_LABEL_SPANS_H

#include "weir/measure/program.h"

/* One execution. Relative to the agreed start. */
struct weir_label_span {
    int64_t begin_ns;
    int64_t end_ns;
};

/* Of all ranks together; zeroed before the first is added. */
struct weir_label_spans {
    uint64_t most_executions;                /* of a rank */
    uint32_t rank_counts[WEIR_LABEL_STARTS]; /* that did this execution */
    int64_t last_begins_ns[WEIR_LABEL_STARTS];
    struct weir_label_span spans[WEIR_LABEL_STARTS]; /* from the first begin to the last end */
};

/* A rank's execution with this number, below WEIR_LABEL_STARTS. */
void weir_label_spans_add(struct weir_label_spans *spans, uint64_t number,
                          const struct weir_label_span *span);

/* Sets how far apart ranks began, and how long any of them was inside. Sorts `spans`: once. */
void weir_label_spans_finish(struct weir_label_spans *spans, struct weir_label_result *result);

#endif
