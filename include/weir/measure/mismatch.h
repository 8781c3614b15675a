/* SPDX-License-Identifier: Apache-2.0 */
/* The result of verification: how many transfers are wrong, where the first ones are, and how
 * they differ. */
#ifndef WEIR_MEASURE_MISMATCH_H
#define WEIR_MEASURE_MISMATCH_H

#include "weir/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_mismatch_kind {
    WEIR_MISMATCH_MISPLACED, /* a whole, valid piece or sector of this data set that belongs to
                                another place or writer */
    WEIR_MISMATCH_STALE,     /* right place, older generation */
    WEIR_MISMATCH_NEWER,     /* right place, newer generation than expected */
    WEIR_MISMATCH_FOREIGN,   /* a valid piece of a run with another seed */
    WEIR_MISMATCH_TORN,      /* the start of a piece is right, a longer part of the rest is not */
    WEIR_MISMATCH_ZERO,      /* nothing but zeros where data should be */
    WEIR_MISMATCH_FLIP,      /* a few wrong bits */
    WEIR_MISMATCH_GARBAGE    /* nothing recognisable */
};
#define WEIR_MISMATCH_KIND_COUNT 8

/* "misplaced", "stale", ... */
extern const char *const weir_mismatch_names[WEIR_MISMATCH_KIND_COUNT];
const char *weir_mismatch_name(enum weir_mismatch_kind kind);

/* The origin that misplaced data carry in their stamp. */
enum weir_found {
    WEIR_FOUND_NOTHING,
    WEIR_FOUND_PLACE, /* all the found_ members are known */
    WEIR_FOUND_WRITER /* but for the offset: IOR's default pattern does not hold it */
};

/* One wrong stretch. Plain data, exchanged between ranks. */
struct weir_mismatch {
    uint32_t kind;         /* enum weir_mismatch_kind */
    uint32_t has_found;    /* enum weir_found */
    uint64_t file_number;  /* where it was read */
    uint64_t offset;       /* first wrong byte in that file */
    uint64_t bytes;        /* length of the wrong stretch */
    uint32_t writer;       /* rank that should have written it */
    uint32_t reader;       /* rank that read it */
    uint32_t found_writer; /* what the data says of itself */
    uint32_t found_file;
    uint64_t found_offset;
    uint64_t found_generation;
};

#define WEIR_MISMATCHES_KEPT 16

/* All zero: nothing wrong. */
struct weir_mismatch_log {
    uint64_t checked_transfers;
    uint64_t wrong_transfers;
    uint64_t wrong_bytes;
    uint64_t kinds[WEIR_MISMATCH_KIND_COUNT]; /* wrong stretches by kind */
    uint64_t kept;
    struct weir_mismatch first[WEIR_MISMATCHES_KEPT]; /* in the order found */
    struct weir_mismatch latest; /* the last one added, which the next may continue */
    bool latest_is_kept;
};

/* The logs of all ranks together, as a record keeps them. */
struct weir_mismatch_summary {
    uint64_t checked_transfers;
    uint64_t wrong_transfers;
    uint64_t wrong_bytes;
    uint64_t kinds[WEIR_MISMATCH_KIND_COUNT];
    uint64_t kept;
    struct weir_mismatch *first; /* `kept` of them; NULL if there are none */
};

/* Counts a wrong stretch, and keeps it if there is room. One that carries on where the one before
 * it ended is counted with it: a megabyte at the wrong place is one stretch, in however many
 * transfers it was read. */
void weir_mismatch_log_add(struct weir_mismatch_log *log, const struct weir_mismatch *mismatch);

/* Adds the counts, and keeps the first mismatches by (file number, offset). */
void weir_mismatch_log_merge(struct weir_mismatch_log *into, const struct weir_mismatch_log *from);

/* `first` is copied into the arena. */
struct weir_mismatch_summary weir_mismatch_summarise(struct weir_arena *arena,
                                                     const struct weir_mismatch_log *log);

#endif
