/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the fault backend: its options and the state of its session. */
#ifndef WEIR_BACKENDS_FAULT_H
#define WEIR_BACKENDS_FAULT_H

#include "weir/io/backend.h"

#include <limits.h>

struct fault_options {
    const char *verb;
    int64_t at;
    int64_t every;
    int64_t short_bytes;
    int64_t must_flip;
    int64_t rank;
    const char *part_of_path;
    uint64_t delay_ns;
    uint64_t pause_ns; /* before each transfer */
    const char *transfer_error;
    const char *open_error;
    const char *close_error;
    const char *sync_error;
    int64_t stat_bytes;
    int64_t late_count;
    const char *swapped_in;
    const char *swaps_at;
};

/* What has become of the request in a slot. */
struct fault_slot {
    struct weir_file *file; /* as the caller has it */
    uint64_t size;
    bool is_hit;
    int64_t late_count;        /* others that come back before it does */
    struct fault_file *opened; /* around what OPEN is about to open */
};

struct fault_session {
    struct weir_session base;
    struct weir_session *inner;
    struct fault_options options;
    bool is_target_rank; /* this rank is one that goes wrong */
    bool is_elsewhere;   /* the file opened last is not one of those that go wrong */
    int transfer_rc;     /* the errors as numbers; 0: none */
    int open_rc;
    int close_rc;
    int sync_rc;
    uint64_t op_count;
    struct fault_slot *slots; /* one per slot */
    unsigned inner_count;     /* with the inner backend */
    /* done without the inner backend, or held back until others have come back; oldest first */
    struct weir_op **kept;
    unsigned kept_count;
};

struct fault_file {
    struct weir_file base;
    struct weir_file *inner;
    char path[PATH_MAX]; /* of a file that is written; else "" */
};

static inline struct fault_session *weir_fault_session(struct weir_session *session)
{
    return (struct fault_session *)session;
}

static inline struct weir_file *weir_fault_inner_file(struct weir_file *file)
{
    return ((struct fault_file *)file)->inner;
}

/* True if this operation is hit. Counts it if it is of the kind that is counted. */
bool weir_fault_hits(struct fault_session *fault, enum weir_op_verb verb);

/* The error of an operation that is hit; 0 if it is not to fail. */
int weir_fault_error(const struct fault_session *fault, enum weir_op_verb verb, bool is_hit);

/* Both, for what does not go through the queue, with the pause before. */
int weir_fault_stage(struct fault_session *fault, enum weir_op_verb verb);

/* Tells a size too small, if that is asked for. */
void weir_fault_hide_bytes(const struct fault_session *fault, struct weir_name_facts *facts);

extern const struct weir_transfer_ops weir_fault_transfer_ops;
extern const struct weir_name_ops weir_fault_name_ops;

#endif
