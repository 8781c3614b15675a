/* SPDX-License-Identifier: Apache-2.0 */
/* The families of checks: each looks at the record of a phase and adds its findings, or none. */
#ifndef WEIR_AUDIT_CHECKS_H
#define WEIR_AUDIT_CHECKS_H

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>

/* A phase below this is over before caches, schedulers and networks have come to rest. */
#define WEIR_SHORT_PHASE_S 0.1

/* Of what is read or written: less of it in page caches changes a rate by less than repetitions
 * differ. */
#define WEIR_RESIDENT_SHARE 0.05

/* From this share on the figure is not the storage's; between the two it is qualified. */
#define WEIR_VOID_SHARE 0.10

static inline enum weir_effect weir_audit_share_effect(double share)
{
    return share >= WEIR_VOID_SHARE ? WEIR_VOID : WEIR_QUALIFY;
}

/* The phase that is checked. */
struct weir_audit_input {
    const struct weir_plan *plan;
    const struct weir_test *test;
    const struct weir_phase *phase;
    const struct weir_test_result *begun;
    struct weir_phase_result *record;
    double stop_s; /* length of the stop that weir_audit_stalls() reported; 0 = none */
};

/* Does the phase move data to a storage? Not so dry runs, and backends that keep nothing. */
bool weir_audit_moves_to_storage(const struct weir_audit_input *input);

/* The storage of the first file; facts that are not known if there is none. */
const struct weir_storage_facts *weir_audit_first_storage(const struct weir_audit_input *input);

/* True if the record has a finding of this kind with this effect or a graver one. */
bool weir_audit_has_finding(const struct weir_phase_result *record, enum weir_finding_kind kind,
                            enum weir_effect least);

/* Do transfers pass a page cache? */
bool weir_audit_uses_page_cache(const struct weir_audit_input *input);

/* Bytes that left the nodes' memory towards the storage, or came from there, at most: devices and
 * networks count those of others, too. False if that is not known. */
bool weir_audit_passed(const struct weir_audit_input *input, bool writes, uint64_t *bytes);

/* Did what was written leave memory, and did syncs have an effect? Of phases on files and on trees.
 */
void weir_audit_sync(const struct weir_audit_input *input);

/* The same of a program, label by label. False if the kernel did not count dirty pages of any. */
bool weir_audit_labels(const struct weir_audit_input *input);

/* Does the backend move data to a storage at all? */
void weir_audit_storage(const struct weir_audit_input *input);

/* Are the data objects in the memory of servers? */
bool weir_audit_is_server_memory(const struct weir_audit_input *input);

/* Records the answer of the counters of the ranks: the share of what they read that no device
 * supplied. What a loop device supplied may be from the cache of its file: a small share says
 * nothing of the rest. */
void weir_audit_observe_supply(const struct weir_audit_input *input, double share);

/* Did block devices supply the data of files in trees that were read? */
void weir_audit_tree_supply(const struct weir_audit_input *input);

/* The memory that keeps the files of a test: the type of the file system ("tmpfs"), or the device
 * below it ("ram0", a loop device over a file in memory). NULL = none. */
const char *weir_audit_memory(const struct weir_audit_input *input);

/* Reports that the files are in memory. */
void weir_audit_report_memory(const struct weir_audit_input *input);

/* Bytes that the phase wrote: of a mixed phase those of its writes alone. */
uint64_t weir_audit_written_bytes(const struct weir_audit_input *input);

/* Bytes that a phase of any verb wrote, or read for the first time. */
uint64_t weir_audit_moved_bytes(const struct weir_audit_input *input, bool writes);

/* What a phase is made of, for a sentence: "transfer"; "operation" on trees. */
const char *weir_audit_unit(const struct weir_audit_input *input);

/* How the phase gets longer: "move more data", or "make more items". */
const char *weir_audit_advice_more(const struct weir_audit_input *input);

/* The work of a phase on the data in its buffers: "making", "checking", ... */
const char *weir_audit_activity(const struct weir_audit_input *input);

/* How that costs less: the end of a sentence that advises something else; "" if it does not. */
const char *weir_audit_data_advice(const struct weir_audit_input *input);

/* Was all of it done? Of phases that moved nothing, too. */
void weir_audit_completeness(const struct weir_audit_input *input);

/* Are sizes and data right, and was the work of ranks equal? */
void weir_audit_work(const struct weir_audit_input *input);

/* Is it the storage that was measured? */
void weir_audit_cache(const struct weir_audit_input *input);

/* Did a cache below the page cache, or of the file system's client, answer? Records which questions
 * nothing can answer here. Of all verbs. */
void weir_audit_lower(const struct weir_audit_input *input);

/* Why nothing can answer the question for this phase, as weir doctor says beforehand; NULL = a
 * reading can. */
const char *weir_audit_obstacle(const struct weir_audit_input *input,
                                enum weir_evidence_question question);

/* Is it the file system whose names were asked for and changed? Of phases on trees. */
void weir_audit_names(const struct weir_audit_input *input);

/* The same of the calls of a program. */
void weir_audit_program_names(const struct weir_audit_input *input);

/* Do ranks and nodes work in the files and on the storage that the paths promise? Of all verbs. */
void weir_audit_targets(const struct weir_audit_input *input);

/* Is the time right? */
void weir_audit_time(const struct weir_audit_input *input);

/* Did transfers go on all the time? Returns the length of the stop that was found, in seconds;
 * 0 = none. */
double weir_audit_stalls(const struct weir_audit_input *input);

/* Did the rate stay the same all the time, without stops that come back? */
void weir_audit_course(const struct weir_audit_input *input);

/* Is the storage whole, and did it stay so? */
void weir_audit_degraded(const struct weir_audit_input *input);

/* True if the record is the last one of its verb among the tests of single targets. */
bool weir_audit_is_last_peer(const struct weir_plan *plan, const struct weir_phase_result *record);

/* Was the load that was asked for there, and what limited it? */
void weir_audit_load(const struct weir_audit_input *input);

/* Share of its time that a rank of the node waited for CPUs that others used; 0 = no finding. */
double weir_audit_pressure(const struct weir_node_places *node);

/* Did ranks run where they should, and undisturbed? */
void weir_audit_places(const struct weir_audit_input *input);

/* Did ranks of a program begin together what its labels time, and is what it tells right? */
void weir_audit_program(const struct weir_audit_input *input);

/* Did ranks move, as the watchdog saw them? */
void weir_audit_movement(const struct weir_audit_input *input);

/* Are clocks good enough for the time that was measured? */
void weir_audit_clock(const struct weir_audit_input *input);

/* Are the data that were checked right? */
void weir_audit_data(const struct weir_audit_input *input);

/* Were the ranks alike? */
void weir_audit_ranks(const struct weir_audit_input *input);

#endif
