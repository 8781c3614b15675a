/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for caches below and next to the page cache: of the file behind a loop device, and of the
 * clients of network file systems. Records what no counter here can answer. */
#include "checks.h"

#include "weir/base/observable.h"

#include <math.h>
#include <string.h>

/* Less than half of the bytes: transports and disks below a daemon may compress, and ranks of a
 * node may read the same data, which cross the network once. */
#define ROUGH_SHARE 0.5
/* Less than this is lost among requests for names. */
#define BYTES_LEAST (UINT64_C(1) << 20)
#define MIB 1048576.0

static uint64_t sum_calls(const struct weir_program_result *program, bool writes)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; program != NULL && i < program->call_count; i++)
        if (weir_calls[program->calls[i].call].moves_data &&
            weir_calls[program->calls[i].call].writes == writes)
            bytes += program->calls[i].byte_count;
    return bytes;
}

/* Bytes that the phase read or wrote. What is read again may come from the page cache. */
uint64_t weir_audit_moved_bytes(const struct weir_audit_input *input, bool writes)
{
    const struct weir_phase_result *record = input->record;
    enum weir_verb verb = input->phase->verb;
    uint64_t bytes;

    if (verb == WEIR_PROGRAM)
        return sum_calls(record->program, writes);
    if (weir_verb_works_on_trees(verb))
        return verb == (writes ? WEIR_CREATE : WEIR_READ_FILE) ? record->byte_count : 0;
    bytes = weir_audit_written_bytes(input);
    if (writes)
        return bytes;
    bytes = weir_verb_reads(verb) ? record->byte_count - bytes : 0;
    return record->expected_bytes > 0 && bytes > record->expected_bytes ? record->expected_bytes
                                                                        : bytes;
}

/* True if the audit of the program has looked at the pages that it wrote, or none were written. */
static bool knows_pages(const struct weir_program_result *program)
{
    bool has_pages = false, knows = false;

    for (unsigned i = 0; program != NULL && i < program->label_count; i++)
        knows |= program->labels[i].written_asked_bytes > 0;
    for (unsigned i = 0; program != NULL && i < program->call_count; i++)
        has_pages |= weir_calls[program->calls[i].call].moves_data &&
                     weir_calls[program->calls[i].call].writes &&
                     program->calls[i].call != WEIR_CALL_DIRECT_WRITE &&
                     program->calls[i].byte_count > 0;
    return knows || !has_pages;
}

/* True if what was written is to be past all caches of the node when the phase ends. */
static bool is_through(const struct weir_audit_input *input)
{
    const struct weir_transfers *transfers = &input->phase->transfers;

    if (input->phase->verb == WEIR_PROGRAM)
        return input->record->evidence[WEIR_EVIDENCE_STORED].state != WEIR_SEEN &&
               knows_pages(input->record->program);
    return weir_verb_moves_data(input->phase->verb) &&
           (!weir_audit_uses_page_cache(input) || transfers->must_sync_at_end ||
            transfers->must_sync_each || transfers->must_sync_after);
}

/* Direct I/O passes pages of the file that are in the page cache. */
static double resident_share(const struct weir_audit_input *input)
{
    const struct weir_residency_result *residency = &input->record->residency;

    return weir_audit_uses_page_cache(input) && residency->asked_bytes > 0
               ? (double)residency->resident_bytes / (double)residency->asked_bytes
               : 0.0;
}

/* ---- findings ---- */

static void report_cache(const struct weir_audit_input *input, bool writes, double passed,
                         double due)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    const struct weir_device_facts *loop = weir_storage_buffered_loop(storage);
    enum weir_counted_by by = weir_counted_by(storage, &input->record->traffic);
    int digits = due < 10 * MIB ? 1 : 0;

    if (loop == NULL && by == WEIR_COUNTED_BY_DEVICES)
        weir_result_find_as(input->record, WEIR_FINDING_NO_DEVICE_IO, WEIR_NOTE,
                            weir_audit_share_effect(1.0 - passed / due),
                            "devices wrote %.*f of %.*f MiB, %s compressed the data -> mount it "
                            "without compression",
                            digits, passed / MIB, digits, due / MIB, storage->type);
    else if (loop != NULL && by == WEIR_COUNTED_BY_DEVICES)
        weir_result_find(input->record, WEIR_FINDING_LOWER_CACHE,
                         "the cache of %s %s at least %.*f of %.*f MiB -> losetup --direct-io=on",
                         loop->name, writes ? "has" : "had", digits, (due - passed) / MIB, digits,
                         due / MIB);
    else
        weir_result_find(input->record, WEIR_FINDING_CLIENT_CACHE,
                         "%.*f of %.*f MiB crossed %s, a client cache %s the rest -> %s", digits,
                         passed / MIB, digits, due / MIB,
                         by == WEIR_COUNTED_BY_ALL ? "a network or disk" : "the network",
                         writes ? "has" : "had", writes ? "mount without write-back" : "remount");
}

/* What the ranks had devices move, at most: the cache of a device below has no more of it. Holes
 * and extents that were never written are no requests, nor is what a swallowed sync left in the
 * page cache. Requests to the loop device include those of others. */
static double find_asked(const struct weir_phase_result *record, bool writes, double due)
{
    const struct weir_traffic *traffic = &record->traffic;

    if (!writes && record->supply.rank_count == record->rank_count)
        due = fmin(due, (double)record->supply.storage_bytes);
    return fmin(due, (double)(writes ? traffic->top_written_bytes : traffic->top_read_bytes));
}

/* Compares what was moved with what counters below the caches saw. */
static void check_crossing(const struct weir_audit_input *input, bool writes)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    const struct weir_traffic *traffic = &input->record->traffic;
    enum weir_counted_by by = weir_counted_by(storage, traffic);
    uint64_t moved = weir_audit_moved_bytes(input, writes), passed;
    bool is_exact = by == WEIR_COUNTED_BY_CLIENT && !weir_audit_uses_page_cache(input);
    const struct weir_data_origin *origin = &input->record->supply.origin;
    /* Holes, data in inodes and compressed data are on no device as they are read. */
    double absent = writes ? 0.0
                           : (double)(origin->hole_bytes + origin->unwritten_bytes +
                                      origin->inline_bytes + origin->encoded_bytes);
    double due = fmax((double)moved * (writes ? 1.0 : 1.0 - resident_share(input)) - absent, 0.0);
    double share;

    if (by == WEIR_COUNTED_BY_DEVICES && weir_storage_buffered_loop(storage) != NULL)
        due = find_asked(input->record, writes, due);
    if (moved < BYTES_LEAST || due < (double)BYTES_LEAST || (writes && !is_through(input)) ||
        !weir_counted_bytes(storage, traffic, writes, &passed))
        return;
    if (by == WEIR_COUNTED_BY_DEVICES && weir_storage_buffered_loop(storage) == NULL &&
        !(writes && weir_storage_compresses(storage)))
        return;
    is_exact |= by == WEIR_COUNTED_BY_DEVICES;
    share = 1.0 - (double)passed / due;
    if (share >= (is_exact ? WEIR_RESIDENT_SHARE : ROUGH_SHARE)) {
        report_cache(input, writes, (double)passed, due);
        weir_result_observe(input->record, writes ? WEIR_EVIDENCE_STORED : WEIR_EVIDENCE_SUPPLIED,
                            WEIR_SEEN, "counters below the page cache");
    } else if (weir_obstacle_find(WEIR_EVIDENCE_SUPPLIED,
                                  &(struct weir_probes){.storage = storage, .traffic = traffic})
                   .reason == NULL) {
        weir_result_observe(
            input->record, writes ? WEIR_EVIDENCE_STORED : WEIR_EVIDENCE_SUPPLIED, WEIR_NOT_SEEN,
            weir_observer_name(WEIR_EVIDENCE_SUPPLIED,
                               &(struct weir_probes){.storage = storage, .traffic = traffic}));
    }
}

/* A loop device whose file is on no known device: that its cache answers is likely, and not
 * counted. */
static void check_blind_loop(const struct weir_audit_input *input)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    const struct weir_device_facts *loop = weir_storage_buffered_loop(storage);
    const struct weir_device_facts *last = &storage->devices[storage->device_count - 1];

    if (loop == NULL || (loop < last && loop[1].level > loop->level))
        return;
    if (weir_audit_moved_bytes(input, false) < BYTES_LEAST &&
        (weir_audit_moved_bytes(input, true) < BYTES_LEAST || !is_through(input)))
        return;
    weir_result_find_as(
        input->record, WEIR_FINDING_LOWER_CACHE, WEIR_NOTE, WEIR_QUALIFY,
        "%s caches its file, and no disk below is counted -> losetup --direct-io=on", loop->name);
}

/* Once in a run, where the advice against a cached read would lead to the next cache. */
static void warn_of_next_cache(const struct weir_audit_input *input)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    const struct weir_device_facts *loop = weir_storage_buffered_loop(storage);
    struct weir_phase_result *record = input->record;

    if (input->test->number > 0 || record->repetition > 0 ||
        weir_test_phase(input->test, input->phase->verb) != input->phase ||
        resident_share(input) < WEIR_RESIDENT_SHARE)
        return;
    if (loop != NULL)
        weir_result_find_as(
            record, WEIR_FINDING_LOWER_CACHE, WEIR_NOTE, WEIR_INFORM,
            "%s has a cache below direct I/O and --drop-caches -> losetup --direct-io=on",
            loop->name);
    else if (weir_storage_has_client_cache(storage))
        weir_result_find_as(record, WEIR_FINDING_CLIENT_CACHE, WEIR_NOTE, WEIR_INFORM,
                            "--drop-caches leaves the cache of %s -> remount", storage->type);
}

/* ---- what cannot be observed ---- */

const char *weir_audit_obstacle(const struct weir_audit_input *input,
                                enum weir_evidence_question question)
{
    const struct weir_test_result *begun = input->begun;
    const struct weir_traffic *traffic = &input->record->traffic;
    /* Dirty pages and what ranks had devices read are recorded where they are judged. */
    const struct weir_probes probes = {
        .storage = weir_audit_first_storage(input),
        .traffic = traffic,
        .knows_residency = input->record->residency.asked_bytes > 0,
        .knows_cpu_wait = true,
    };

    if (begun->storage_count == 0)
        return traffic->has_devices
                   ? NULL
                   : "no counter of a device or network shows the bytes of this file system";
    if (begun->has_several_filesystems)
        return "counters are those of the first of several file systems";
    return weir_obstacle_find(question, &probes).reason;
}

static void note_obstacle(const struct weir_audit_input *input,
                          enum weir_evidence_question question)
{
    const char *reason = weir_audit_obstacle(input, question);

    if (reason != NULL)
        weir_result_observe(input->record, question, WEIR_CANNOT_OBSERVE, reason);
}

/* Of questions that the audit of data does not ask: a reading that answers them is recorded where
 * it is made. */
static void note_obstacles(const struct weir_audit_input *input)
{
    enum weir_verb verb = input->phase->verb;
    const struct weir_transfers *transfers = &input->phase->transfers;

    /* Phases without items make or remove a few directories around them, and have no figure. */
    if (weir_verb_works_on_trees(verb) && input->phase->names.item != NULL)
        note_obstacle(input, WEIR_EVIDENCE_NAMES);
    if (verb == WEIR_PROGRAM && weir_audit_moved_bytes(input, false) > 0)
        note_obstacle(input, WEIR_EVIDENCE_SUPPLIED);
    if (verb == WEIR_PROGRAM && weir_audit_moved_bytes(input, true) > 0)
        note_obstacle(input, WEIR_EVIDENCE_STORED);
    if (weir_verb_writes(verb) && (transfers->must_sync_at_end || transfers->must_sync_each))
        note_obstacle(input, WEIR_EVIDENCE_SYNCED);
}

void weir_audit_lower(const struct weir_audit_input *input)
{
    if (!weir_audit_moves_to_storage(input) || input->record->op_count == 0 ||
        input->begun->storage_count == 0 || input->phase->is_prefill ||
        weir_filesystem_is_memory(weir_audit_first_storage(input)->type))
        return;
    if (!input->begun->has_several_filesystems) {
        check_crossing(input, false);
        check_crossing(input, true);
        if (weir_audit_first_storage(input)->device_count > 0)
            check_blind_loop(input);
        warn_of_next_cache(input);
    }
    if (!input->phase->is_check)
        note_obstacles(input);
}
