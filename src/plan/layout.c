/* SPDX-License-Identifier: Apache-2.0 */
/* Computes offsets: one by one from their definition, and many in a row for the loop that moves the
 * data. */
#include "weir/plan/layout.h"

#include <assert.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t ops_per_block(const struct weir_layout *layout)
{
    return layout->block_bytes / layout->transfer_bytes;
}

uint64_t weir_layout_bytes_per_rank(const struct weir_layout *layout)
{
    return layout->segment_count * layout->block_bytes;
}

uint64_t weir_layout_ops_per_rank(const struct weir_layout *layout)
{
    if (layout->order == WEIR_ORDER_LISTED)
        return layout->listing.count;
    return layout->is_at_once ? 1 : layout->segment_count * ops_per_block(layout);
}

uint64_t weir_layout_op_bytes(const struct weir_layout *layout)
{
    return layout->is_at_once ? weir_layout_bytes_per_rank(layout) : layout->transfer_bytes;
}

uint64_t weir_layout_transfers_per_op(const struct weir_layout *layout)
{
    return layout->is_at_once ? layout->segment_count * ops_per_block(layout) : 1;
}

uint64_t weir_layout_extent(const struct weir_layout *layout, bool is_shared, uint64_t ranks)
{
    if (layout->order == WEIR_ORDER_LISTED)
        return layout->listing.end * ranks;
    if (layout->order != WEIR_ORDER_ONE_PLACE)
        return weir_layout_bytes_per_rank(layout) * ranks;
    return is_shared ? (ranks - 1) * layout->block_bytes + layout->transfer_bytes
                     : ranks * layout->transfer_bytes;
}

static uint64_t count_block_positions(const struct weir_layout *layout,
                                      const struct weir_share_params *params)
{
    uint64_t positions;

    if (params->file_bytes > 0)
        positions = params->file_bytes / layout->block_bytes;
    else
        positions = layout->segment_count * (params->is_shared ? params->ranks : 1);
    return positions > 0 ? positions : 1;
}

void weir_share_init(struct weir_share *share, const struct weir_layout *layout,
                     const struct weir_share_params *params)
{
    bool is_shared_shuffle = params->is_shared && layout->order == WEIR_ORDER_SHUFFLED;
    bool has_common_seed = is_shared_shuffle || (layout->is_alike && !params->is_shared);
    uint64_t stride = params->is_shared ? params->ranks : 1;
    uint64_t place = params->is_shared ? params->owner : 0;

    assert(params->owner < params->ranks);
    *share = (struct weir_share){
        .order = layout->order,
        .ops_per_block = ops_per_block(layout),
        .op_count = weir_layout_ops_per_rank(layout),
        .transfers_per_op = weir_layout_transfers_per_op(layout),
        .transfer_bytes = layout->transfer_bytes,
        .block_bytes = layout->block_bytes,
        .segment_bytes = stride * layout->block_bytes,
        .first = place * layout->block_bytes,
        .stride = stride,
        .element = place,
        .hop = layout->stride,
        .seed = has_common_seed ? params->seed : weir_random_at(params->seed, params->owner),
        .block_positions = count_block_positions(layout, params),
        .listed = layout->order == WEIR_ORDER_LISTED ? layout->listing.transfers : NULL,
    };
}

/* The permutation of one segment's transfers, of all ranks that share it. */
static void permute_segment(struct weir_permutation *permutation, const struct weir_share *share,
                            uint64_t segment)
{
    weir_permutation_init(permutation, share->ops_per_block * share->stride,
                          weir_random_at(share->seed, segment));
}

/* Where the block of a segment begins; for a shuffled order, where the segment does. */
static uint64_t block_offset(const struct weir_share *share, uint64_t segment)
{
    uint64_t position;

    switch (share->order) {
    case WEIR_ORDER_SEQUENTIAL:
    case WEIR_ORDER_STRIDED:
        return share->first + segment * share->segment_bytes;
    case WEIR_ORDER_BACKWARD:
        segment = share->op_count / share->ops_per_block - 1 - segment;
        return share->first + segment * share->segment_bytes;
    case WEIR_ORDER_ONE_PLACE:
        return share->first;
    case WEIR_ORDER_SHUFFLED:
        return segment * share->segment_bytes;
    case WEIR_ORDER_RANDOM_BLOCKS:
        position = weir_random_below(weir_random_at(share->seed, segment), share->block_positions);
        return position * share->block_bytes;
    case WEIR_ORDER_LISTED:
        break;
    }
    assert(!"an order that is none");
    return 0;
}

/* Of a strided order: which column transfer `index` is in, counted from 0. The first columns, as
 * many as the share has transfers beyond a multiple of the stride, are longer by one. */
static uint64_t column_of(const struct weir_share *share, uint64_t index, uint64_t *in_column)
{
    uint64_t rows = share->op_count / share->hop;
    uint64_t longer = share->op_count % share->hop;
    uint64_t in_longer = longer * (rows + 1);

    if (index < in_longer) {
        *in_column = index % (rows + 1);
        return index / (rows + 1);
    }
    *in_column = rows > 0 ? (index - in_longer) % rows : 0;
    return longer + (rows > 0 ? (index - in_longer) / rows : 0);
}

uint64_t weir_share_transfer_offset(const struct weir_share *share, uint64_t index)
{
    uint64_t segment, in_block, row;
    struct weir_permutation permutation;

    assert(index < share->op_count * share->transfers_per_op);
    if (share->listed != NULL)
        return share->listed[index].offset;
    if (share->order == WEIR_ORDER_STRIDED) {
        index = column_of(share, index, &row);
        index += row * share->hop;
    }
    segment = index / share->ops_per_block;
    in_block = index % share->ops_per_block;
    if (share->order == WEIR_ORDER_SHUFFLED) {
        permute_segment(&permutation, share, segment);
        in_block = weir_permutation_at(&permutation, in_block * share->stride + share->element);
    } else if (share->order == WEIR_ORDER_BACKWARD) {
        in_block = share->ops_per_block - 1 - in_block;
    } else if (share->order == WEIR_ORDER_ONE_PLACE) {
        in_block = 0;
    }
    return block_offset(share, segment) + in_block * share->transfer_bytes;
}

uint64_t weir_share_offset(const struct weir_share *share, uint64_t index)
{
    return weir_share_transfer_offset(share, index * share->transfers_per_op);
}

uint64_t weir_share_byte_offset(const struct weir_share *share, uint64_t position)
{
    return share->first + position / share->block_bytes * share->segment_bytes +
           position % share->block_bytes;
}

static void enter_segment(struct weir_walk *walk, uint64_t segment, uint64_t in_block)
{
    walk->segment = segment;
    walk->in_block = in_block;
    walk->block = block_offset(walk->share, segment);
    if (walk->share->order == WEIR_ORDER_SHUFFLED)
        permute_segment(&walk->permutation, walk->share, segment);
}

void weir_walk_start(struct weir_walk *walk, const struct weir_share *share, uint64_t index)
{
    uint64_t row;

    assert(index <= share->op_count);
    walk->share = share;
    walk->index = index;
    walk->known_index = index;
    if (share->listed != NULL)
        return;
    if (share->order == WEIR_ORDER_STRIDED && index < share->op_count) {
        walk->column = column_of(share, index, &row);
        index = walk->place = walk->column + row * share->hop;
    }
    if (index < share->op_count)
        enter_segment(walk, index / share->ops_per_block, index % share->ops_per_block);
}

/* Offsets of the next `count` transfers, all of the block that the walk is in. */
static void look_within_block(struct weir_walk *walk, unsigned count, uint64_t offsets[])
{
    const struct weir_share *share = walk->share;
    uint64_t transfer_bytes = share->transfer_bytes;
    uint64_t block = walk->block;

    if (share->order == WEIR_ORDER_SHUFFLED) {
        weir_permutation_fill(&walk->permutation, walk->in_block * share->stride + share->element,
                              share->stride, count, offsets);
        for (unsigned i = 0; i < count; i++)
            offsets[i] = block + offsets[i] * transfer_bytes;
    } else {
        bool is_backward = share->order == WEIR_ORDER_BACKWARD;
        uint64_t first = is_backward ? share->ops_per_block - 1 - walk->in_block : walk->in_block;
        uint64_t step = is_backward ? -transfer_bytes : transfer_bytes;
        uint64_t offset = block + first * transfer_bytes;

        if (share->order == WEIR_ORDER_ONE_PLACE) {
            offset = block;
            step = 0;
        }
        for (unsigned i = 0; i < count; i++, offset += step)
            offsets[i] = offset;
    }
}

/* No division stands between two transfers of a column. */
static void look_along_columns(struct weir_walk *walk, uint64_t end)
{
    const struct weir_share *share = walk->share;
    uint64_t hop_segments = share->hop / share->ops_per_block;
    uint64_t hop_in_block = share->hop % share->ops_per_block;

    while (walk->known_index < end) {
        walk->ahead[walk->known_index++ % WEIR_WALK_AHEAD] = share->first +
                                                             walk->segment * share->segment_bytes +
                                                             walk->in_block * share->transfer_bytes;
        if (share->hop >= share->op_count - walk->place) {
            walk->place = ++walk->column;
            walk->segment = walk->column / share->ops_per_block;
            walk->in_block = walk->column % share->ops_per_block;
            continue;
        }
        walk->place += share->hop;
        walk->segment += hop_segments;
        walk->in_block += hop_in_block;
        if (walk->in_block >= share->ops_per_block) {
            walk->in_block -= share->ops_per_block;
            walk->segment++;
        }
    }
}

void weir_walk_compute_ahead(struct weir_walk *walk)
{
    const struct weir_share *share = walk->share;
    uint64_t ahead_end = (walk->index / WEIR_WALK_AHEAD + 1) * WEIR_WALK_AHEAD;
    uint64_t end = least(ahead_end, share->op_count);

    assert(walk->index < share->op_count);
    if (share->listed != NULL) {
        for (; walk->known_index < end; walk->known_index++)
            walk->ahead[walk->known_index % WEIR_WALK_AHEAD] =
                share->listed[walk->known_index].offset;
        return;
    }
    if (share->order == WEIR_ORDER_STRIDED) {
        look_along_columns(walk, end);
        return;
    }
    while (walk->known_index < end) {
        uint64_t count;

        if (walk->in_block == share->ops_per_block)
            enter_segment(walk, walk->segment + 1, 0);
        count = least(end - walk->known_index, share->ops_per_block - walk->in_block);
        look_within_block(walk, (unsigned)count, &walk->ahead[walk->known_index % WEIR_WALK_AHEAD]);
        walk->known_index += count;
        walk->in_block += count;
    }
}
