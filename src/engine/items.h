/* SPDX-License-Identifier: Apache-2.0 */
/* The items, or directories, of trees that a rank works on in a phase: which one is next, what its
 * paths are, and of which steps each verb of the phase is made. */
#ifndef WEIR_ENGINE_ITEMS_H
#define WEIR_ENGINE_ITEMS_H

#include "ownership.h"

#define WEIR_ITEM_STEPS_MAX 5

/* A verb of the phase. */
struct weir_item_verb {
    enum weir_verb verb;
    enum weir_op_verb counted; /* under which its operations are counted */
    unsigned step_count;
    enum weir_op_verb steps[WEIR_ITEM_STEPS_MAX]; /* done one after the other, timed as one */
    uint64_t bytes;                               /* that it moves */
};

/* The item that is worked on in a slot of the queue. */
struct weir_item_slot {
    uint64_t index;     /* among those of the rank */
    uint64_t place;     /* where its data would lie, if all items of its owner were one file, ... */
    uint64_t owner;     /* ... and whose it is */
    uint64_t new_place; /* the same of what a cycle of a rotation creates, which has new_path */
    uint64_t new_owner;
    uint64_t directory;     /* in which it lies; of a rename, its new name; ... */
    uint64_t new_directory; /* ... and what a cycle of a rotation creates */
    unsigned verb;          /* position in weir_items.verbs, ... */
    unsigned step;          /* ... and among its steps */
    int code;               /* of the step that failed; 0: none */
    uint64_t issued_ns;     /* of the first step */
    uint64_t accepted_ns;   /* likewise */
    uint64_t found;         /* names in a directory that was listed */
    struct weir_name_request request;
    struct weir_name_facts facts;
    struct weir_file_params params;
    struct weir_item_data data; /* that params.judge compares with what is in the item's place */
    char path[WEIR_PATH_BYTES];
    char new_path[WEIR_PATH_BYTES];
};

struct weir_items {
    const struct weir_run *run;
    const struct weir_phase *phase;
    const struct weir_names *names;
    unsigned verb_count;
    struct weir_item_verb verbs[WEIR_CYCLE_MAX];
    bool are_directories; /* of the trees */
    bool is_chain;        /* the renames of mdtest: one more than items */
    bool is_queued;       /* several of them are in flight at once */
    bool must_exist;      /* what is to be removed was made by this run */
    uint64_t owner;       /* of the items; the first one, where they are of all */
    uint64_t per_owner;   /* operations */
    uint64_t count;       /* of this rank: per_owner, that of all ranks, or 0 */
    uint64_t present_owner;
    uint64_t first;             /* item of each set of a rotation */
    struct weir_source *source; /* of the data of items, ... */
    uint64_t source_owner;      /* ... which are this one's; set by the phase */
    struct weir_tree_paths paths;
    struct weir_tree_paths new_paths; /* with the pattern of new names, if there is one */
    /* of rotations with a stride: those of each set's present owner, and behind them those of the
     * owners of what is created; else NULL */
    struct weir_tree_paths *set_paths;
    uint64_t absent_count;        /* were to be removed, and not there */
    uint64_t left_count;          /* directories that were not empty, ... */
    char left[WEIR_PATH_BYTES];   /* ... and the first of them */
    struct weir_item_slot *slots; /* one per slot of the queue */
    struct weir_strangers met;    /* by this rank in this phase */
    /* Reasons, as errno, why the names of items are not removed; 0: it is removed. NULL: all are.
     */
    unsigned char *foreign;
    struct weir_visits *visits; /* of directories; NULL: they are not told apart */
};

/* The tree in which the items of `owner` are. */
uint64_t weir_items_tree_owner(const struct weir_run *run, const struct weir_phase *phase,
                               uint64_t owner);

/* 0, -ENOMEM, or what weir_tree_paths_init says. */
int weir_items_init(struct weir_items *items, const struct weir_run *run,
                    const struct weir_phase *phase);
void weir_items_fini(struct weir_items *items);

/* So many items, and those that are missing to as many of each set of a working set that moves. */
uint64_t weir_items_even(const struct weir_items *items, uint64_t count);

/* Where the data of an item of `bytes` would lie if all items of its owner were one file, so that
 * no two have the same; data of some patterns count items. */
static inline uint64_t weir_items_data_place(uint64_t bytes, enum weir_payload_mode mode,
                                             uint64_t place)
{
    const uint64_t piece = WEIR_PIECE_BYTES;

    if (mode == WEIR_PAYLOAD_IOR)
        return place;
    return place * ((bytes + piece - 1) / piece * piece);
}

/* Removes the files of this rank's items `first` to `end` - 1 of each set, as far as they are there
 * and no signal arrives. What is not a benchmark's is left, and logged. 0, or -errno with the path
 * that failed. */
int weir_items_remove_range(struct weir_items *items, uint64_t first, uint64_t end,
                            char path[WEIR_PATH_BYTES]);

/* Before a phase that removes a working set of an earlier run: judges what is in the places of its
 * items, and sets `foreign`. Returns 0 or -ENOMEM. */
int weir_items_judge_earlier(struct weir_items *items);

/* True if the owner of this rank's items is on its node; where a working set that moves on has them
 * of several, if one of these is. */
bool weir_items_are_near(const struct weir_items *items);

/* Makes `slot` item `index` (< count), its paths included. */
void weir_items_choose(struct weir_items *items, struct weir_item_slot *slot, uint64_t index);

/* Makes `slot` the link that ends a chain of which only the first `done` (> 0) were made: the item
 * that is away gets the name that is free. */
void weir_items_close_chain(struct weir_items *items, struct weir_item_slot *slot, uint64_t done);

/* Where a chain of renames that was cut has left the first item of the `owner`-th owner of this
 * rank's items. Uses slot 0. */
void weir_items_away_path(struct weir_items *items, uint64_t owner, char path[WEIR_PATH_BYTES]);

/* The order of hashes, for qsort and bsearch. */
int weir_strangers_compare(const void *left, const void *right);
/* Makes room for `count` hashes in all. The process ends if there is no memory. */
void weir_strangers_reserve(struct weir_strangers *strangers, size_t count);
/* Appends `count` hashes, unsorted. */
void weir_strangers_add(struct weir_strangers *strangers, const uint64_t *hashes, size_t count);

/* Notes that something of others is in the place of the name that `slot` was to make. */
void weir_items_meet_stranger(struct weir_items *items, const struct weir_item_slot *slot);

/* The verb under which operations of `verb` are counted; and all those of a phase, 1u << each. */
enum weir_op_verb weir_items_counted_as(enum weir_verb verb);
unsigned weir_items_counted(const struct weir_phase *phase);

#endif
