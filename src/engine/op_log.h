/* SPDX-License-Identifier: Apache-2.0 */
/* When each transfer of a phase began and how long it took, rank by rank, for those who want to see
 * them all. */
#ifndef WEIR_ENGINE_OP_LOG_H
#define WEIR_ENGINE_OP_LOG_H

#include "run.h"

struct weir_op_entry {
    uint64_t issued_ns;
    uint64_t duration_ns : 58;
    uint64_t verb : 6; /* enum weir_op_verb: as what it is counted */
};

#define WEIR_OP_DURATION_MAX ((UINT64_C(1) << 58) - 1)

/* Of a log with offsets. */
struct weir_op_place {
    uint64_t offset;
    uint64_t bytes;
};

struct weir_op_log {
    struct weir_op_entry *entries; /* NULL: nothing is logged */
    struct weir_op_place *places;  /* NULL: offsets are not logged */
    uint64_t capacity;
    uint64_t count;
    uint64_t unlogged; /* found no more room */
};

/* True if operations of the phase are logged, if the test asks: transfers of all phases but
 * prefills, and operations on items whose phase names the log. */
bool weir_op_log_is_wanted(const struct weir_run *run, const struct weir_phase *phase);

/* Refuses this rank's files of a phase, in all repetitions, that cannot be made or hold something
 * else. */
int weir_op_log_check(const struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error);

/* Room for `op_limit` transfers or items, touched, or for as many as are ever logged. 0; or
 * -ENOMEM, also if the ranks of a node would take more than half of its memory for it.
 * weir_op_log_close gives it back. */
int weir_op_log_open(struct weir_op_log *log, const struct weir_run *run,
                     const struct weir_phase *phase, uint64_t op_limit);
void weir_op_log_close(struct weir_op_log *log);

static inline void weir_op_log_add(struct weir_op_log *log, const struct weir_op *op,
                                   enum weir_op_verb verb)
{
    if (log->count == log->capacity) {
        log->unlogged++;
        return;
    }
    if (log->places != NULL)
        log->places[log->count] = (struct weir_op_place){op->offset, op->size};
    log->entries[log->count++] =
        (struct weir_op_entry){.issued_ns = op->issued_ns,
                               .duration_ns = (op->done_ns - op->issued_ns) & WEIR_OP_DURATION_MAX,
                               .verb = verb};
}

/* Writes what was logged to <prefix>-<verb>-<repetition>-<rank>.csv (of items, whose log has a name
 * of its own in place of the verb, without the repetition in the first one), the format of IOR's
 * savePerOpDataCSV: one line per transfer with its start in seconds from that of the first, its
 * duration, and bytes (of operations that move none: operations) per second. Of a cycle, each verb
 * has a file: <prefix>-<name>-<repetition>-<verb>.csv, in md-workbench's words. Where the test
 * wants rank 0 alone, names have no rank; where it wants one file of all, they have -all in its
 * place, and the ranks follow one another in it: both without the rates. Collective if the file is
 * one of all. Of transfers whose phase names the log: appended to the files that its plan says
 * (weir_transfers.log_name), in the columns of IOzone. */
int weir_op_log_write(const struct weir_op_log *log, struct weir_run *run,
                      const struct weir_phase *phase, struct weir_error *error);

#endif
