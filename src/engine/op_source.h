/* SPDX-License-Identifier: Apache-2.0 */
/* Where a loop gets its next operation from. The one kind so far is the walk over a layout, with
 * reads and writes mixed if the phase asks for it; it is inline, and works ahead WEIR_WALK_AHEAD at
 * a time, so that no call stands between two transfers. A source of another kind has its own refill
 * in place of weir_walk_compute_ahead, once for each of these, and sets what differs between its
 * operations in weir_op_source_vary. */
#ifndef WEIR_ENGINE_OP_SOURCE_H
#define WEIR_ENGINE_OP_SOURCE_H

#include "weir/io/backend.h"
#include "weir/plan/layout.h"

struct weir_op_source {
    struct weir_walk walk;
    bool varies; /* verbs differ between operations */
    struct weir_mix mix;
};

/* From operation `index` on. `share` must outlive the source. */
static inline void weir_op_source_start(struct weir_op_source *source,
                                        const struct weir_share *share, uint64_t index)
{
    weir_walk_start(&source->walk, share, index);
}

/* The number of the next operation in the present pass. */
static inline uint64_t weir_op_source_index(const struct weir_op_source *source)
{
    return source->walk.index;
}

/* Makes `op` the next operation; there must be one. What is the same for all of a slot's
 * operations is left as it is; if the source varies, weir_op_source_vary must follow. */
static inline void weir_op_source_next(struct weir_op_source *source, struct weir_op *op)
{
    op->offset = weir_walk_next(&source->walk);
}

/* Sets what differs between operations: of a mixed phase, the verb. */
static inline void weir_op_source_vary(struct weir_op_source *source, struct weir_op *op)
{
    op->verb =
        weir_mix_is_read(&source->mix, source->walk.index - 1) ? WEIR_OP_READ : WEIR_OP_WRITE;
}

/* The latest operation is the next one again. */
static inline void weir_op_source_unget(struct weir_op_source *source)
{
    source->walk.index--;
}

/* Offset of the latest operation; UINT64_MAX if there was none in this pass. */
static inline uint64_t weir_op_source_latest_offset(const struct weir_op_source *source)
{
    const struct weir_walk *walk = &source->walk;

    return walk->index == 0 ? UINT64_MAX : weir_share_offset(walk->share, walk->index - 1);
}

#endif
