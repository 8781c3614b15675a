/* SPDX-License-Identifier: Apache-2.0 */
/* Where each transfer of each rank goes: pure functions from (layout, share, i) to an offset. */
#ifndef WEIR_PLAN_LAYOUT_H
#define WEIR_PLAN_LAYOUT_H

#include "weir/base/placement.h"
#include "weir/base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In which order a rank goes through its transfers. */
enum weir_order {
    WEIR_ORDER_SEQUENTIAL,
    WEIR_ORDER_SHUFFLED, /* every transfer of a segment once, in random order (IOR -z) */
    /* Per segment one block at a random position of the file, in order; positions may repeat (IOR
       -z -z). */
    WEIR_ORDER_RANDOM_BLOCKS,
    WEIR_ORDER_BACKWARD, /* from the last transfer to the first */
    /* Transfers 0, stride, 2 stride, ... to the last one of these in the share, then 1, 1 + stride,
       ...: each transfer once */
    WEIR_ORDER_STRIDED,
    WEIR_ORDER_ONE_PLACE, /* the first transfer of the share, as often as it has transfers */
    WEIR_ORDER_LISTED     /* the transfers of a list, each with its own size (IOzone -X, -Y) */
};

/* Where a rank's transfers lie, or which part of a shared file's it makes, is drawn. */
static inline bool weir_order_is_random(enum weir_order order)
{
    return order == WEIR_ORDER_SHUFFLED || order == WEIR_ORDER_RANDOM_BLOCKS;
}

#define WEIR_LISTED_BYTES_MAX (UINT64_C(1) << 30)
#define WEIR_LISTED_PAUSE_US_MAX UINT64_C(3600000000)
#define WEIR_LISTED_COUNT_MAX (UINT64_C(1) << 20)

/* One transfer of a list. */
struct weir_listed {
    uint64_t offset;
    uint32_t bytes;    /* 1 to WEIR_LISTED_BYTES_MAX */
    uint32_t pause_us; /* before it, up to WEIR_LISTED_PAUSE_US_MAX */
};

/* A list of transfers that a rank makes one after the other, and what reports need of it. */
struct weir_listing {
    const char *path; /* of the file that it was read from; NULL: there is no list */
    uint64_t hash;    /* of the transfers: a part of the plan's id */
    uint64_t count;   /* 1 to WEIR_LISTED_COUNT_MAX */
    uint64_t end;     /* bytes of the shortest file that has all of them in it */
    uint64_t pauses_ns, longest_pause_ns; /* all of them, and one */
    const struct weir_listed *transfers;  /* NULL in a plan that was read from a result */
};

/* Segments of blocks of transfers. In a shared file of N ranks a segment holds N blocks, one per
 * rank; in a file of its own a rank has one block per segment. Layout and formula: IOR's user
 * documentation. */
struct weir_layout {
    uint64_t segment_count;
    uint64_t block_bytes; /* a multiple of transfer_bytes */
    uint64_t transfer_bytes;
    enum weir_order order;
    uint64_t stride; /* STRIDED: transfers from one to the next, > 0 */
    bool seed_is_given;
    uint64_t seed; /* of a random order, if given; else the run draws one and the result keeps it */
    bool is_alike; /* random orders in files of their own are the same on all ranks */
    /* SEQUENTIAL: one operation moves all blocks of a rank (weir_descriptor.spans_blocks); data are
       still written and verified in transfers of transfer_bytes */
    bool is_at_once;
    /* LISTED: the transfers, in one segment of one block, whose bytes are those of all of them;
       transfer_bytes are those of the largest */
    struct weir_listing listing;
};

/* Bytes that one rank moves. */
uint64_t weir_layout_bytes_per_rank(const struct weir_layout *layout);
uint64_t weir_layout_ops_per_rank(const struct weir_layout *layout);

/* Bytes that one operation moves: those of a transfer, or of all of a rank's at once. */
uint64_t weir_layout_op_bytes(const struct weir_layout *layout);

/* Transfers in one operation: 1, or all of a rank's at once. */
uint64_t weir_layout_transfers_per_op(const struct weir_layout *layout);

/* Bytes of all files that so many ranks write in it: less than they move, where they write one
 * place again and again. */
uint64_t weir_layout_extent(const struct weir_layout *layout, bool is_shared, uint64_t ranks);

/* One rank's part of a layout, with all that is known only when the run starts. */
struct weir_share_params {
    bool is_shared;      /* one file for all ranks; else a file for each */
    uint64_t ranks;      /* of the job; owner < ranks */
    uint64_t owner;      /* whose part: the rank itself, or another's after a shift */
    uint64_t seed;       /* of random orders */
    uint64_t file_bytes; /* for WEIR_ORDER_RANDOM_BLOCKS; 0: what the layout would make it */
};

struct weir_share {
    enum weir_order order;
    uint64_t ops_per_block; /* transfers, also if one operation moves all of them */
    uint64_t op_count;
    uint64_t transfers_per_op;
    uint64_t transfer_bytes;
    uint64_t block_bytes;
    uint64_t segment_bytes; /* from one segment to the next */
    uint64_t first;         /* not random: offset of the first transfer in the file */
    uint64_t hop;           /* strided: transfers from one to the next */
    uint64_t stride;        /* shuffled: ranks that share a segment (1 in a file of its own) */
    uint64_t element; /* shuffled: which element of a segment is the first one of this share */
    uint64_t seed;    /* of random orders; differs between owners but for a segment that they share,
                         or if they are to be alike */
    uint64_t block_positions;         /* random blocks: how many positions there are */
    const struct weir_listed *listed; /* LISTED: its transfers; else NULL */
};

/* Shuffled orders in a shared file: transfer i of owner r in a segment is element (i * ranks + r)
 * of one permutation of the whole segment. With equal seeds and segment sizes the job as a whole
 * follows the same random sequence at any number of ranks, every rank has equally many transfers,
 * and each is made once. `layout` must have passed weir_plan_check. */
void weir_share_init(struct weir_share *share, const struct weir_layout *layout,
                     const struct weir_share_params *params);

/* Offset of transfer `index` (< op_count): the definition. */
uint64_t weir_share_offset(const struct weir_share *share, uint64_t index);

/* Offset in the file of transfer `index` (< op_count * transfers_per_op), which is the operation of
 * this index unless one operation moves all transfers. */
uint64_t weir_share_transfer_offset(const struct weir_share *share, uint64_t index);

/* Offset in the file of byte `position` of the share, in the order in which one operation moves all
 * transfers. */
uint64_t weir_share_byte_offset(const struct weir_share *share, uint64_t position);

/* Bytes of operation `index`. */
static inline uint64_t weir_share_bytes(const struct weir_share *share, uint64_t index)
{
    return share->listed != NULL ? share->listed[index].bytes
                                 : share->transfer_bytes * share->transfers_per_op;
}

/* A power of two; no more than weir_permutation_fill gives at once. */
#define WEIR_WALK_AHEAD 64

/* The same, one after the other, for the loop that moves the data: offsets are computed
 * WEIR_WALK_AHEAD at a time, so that neither divisions nor the latency of a permutation stand
 * between two transfers. */
struct weir_walk {
    const struct weir_share *share;
    uint64_t index;       /* of the next transfer */
    uint64_t known_index; /* offsets of the transfers from `index` up to here are in `ahead` */
    uint64_t in_block;    /* number within its block of transfer `known_index` */
    uint64_t segment;     /* its segment; backward: how many are behind it */
    uint64_t block;       /* offset of its block; shuffled: of its segment */
    uint64_t place;       /* strided: its number in the order of the file, ... */
    uint64_t column;      /* ... and that of the first one of those that it is among */
    struct weir_permutation permutation; /* of its segment, if shuffled */
    uint64_t ahead[WEIR_WALK_AHEAD];     /* transfer i is in entry i mod WEIR_WALK_AHEAD */
};

/* Starts at transfer `index` (<= op_count). `share` must outlive the walk. */
void weir_walk_start(struct weir_walk *walk, const struct weir_share *share, uint64_t index);

/* For weir_walk_next: computes the next offsets, up to a multiple of WEIR_WALK_AHEAD or the end of
 * the share. */
void weir_walk_compute_ahead(struct weir_walk *walk);

/* Offset of the next transfer; there must be one: `index` < op_count. */
static inline uint64_t weir_walk_next(struct weir_walk *walk)
{
    if (__builtin_expect(walk->index == walk->known_index, 0))
        weir_walk_compute_ahead(walk);
    return walk->ahead[walk->index++ % WEIR_WALK_AHEAD];
}

/* ---- which transfers of a mixed phase read ---- */

/* Of each hundred transfers in a row just `read_percent` read; which ones is random. */
struct weir_mix {
    unsigned read_percent;
    uint64_t seed;
    uint64_t hundred; /* the permutation is of these */
    struct weir_permutation permutation;
};

/* Equal seeds give equal mixes. */
void weir_mix_init(struct weir_mix *mix, unsigned read_percent, uint64_t seed);

/* Cheapest if asked in order of `index`. */
bool weir_mix_is_read(struct weir_mix *mix, uint64_t index);

/* ---- which rank's part a rank takes, when it is not its own ---- */

enum weir_shift_kind {
    WEIR_SHIFT_NONE,
    WEIR_SHIFT_NODES,  /* the rank `distance` nodes away (IOR -C) */
    WEIR_SHIFT_RANDOM, /* a random permutation that keeps at least `distance` nodes away (IOR -Z) */
    WEIR_SHIFT_PERMUTATION, /* any random permutation (IOR -Z -Z) */
    /* `distance` nodes away where there are several, else `distance` ranks (mdtest -N) */
    WEIR_SHIFT_NODES_OR_RANKS
};

struct weir_shift {
    enum weir_shift_kind kind;
    uint64_t distance; /* nodes, or ranks */
    uint64_t seed;
    bool varies; /* the number of the repetition is added to the seed */
    /* NODES: a check, one node further than the timed reads, which is not to go round to its own
     * node if any other is left */
    bool avoids_circle;
};

/* How many nodes further NODES leads on so many nodes. A multiple of them leads home. */
uint64_t weir_shift_distance(const struct weir_shift *shift, uint64_t nodes);

/* The rank whose part `rank` takes; over all ranks a permutation. Time: O(ranks).
 *
 * NODES counts forward round the ring of nodes, which are in the order of their first ranks. Where
 * the placement is regular it is IOR's rule; else each rank that can goes at least `distance`
 * nodes further. RANDOM keeps away at least `distance` nodes (nodes - 1, if there are fewer)
 * forward, and backward too if there is room for both. Of N ranks of which L are on one node, both
 * keep the smallest number that there can be on their own node: 2L - N, or none. (Not where a
 * distance of no node, or round to the own node, was asked for.) */
uint64_t weir_shift_owner(const struct weir_shift *shift, const struct weir_placement *placement,
                          uint64_t rank);

#endif
