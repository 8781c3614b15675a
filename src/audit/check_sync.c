/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that what was written left the memory of the nodes, and that syncs had an effect. Dirty
 * pages of the files decide; counters of devices and networks, which others' traffic passes too,
 * are asked where the kernel does not count these, or where a client has a cache of its own. */
#include "checks.h"

#include "weir/base/observable.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <stdio.h>
#include <string.h>

/* An untimed sync below this is the commit of a journal. */
#define SYNC_LEAST_S 0.1
#define SEVERAL_FILESYSTEMS "the files are on several file systems, of which one is observed"

/* After a sync of each rank no page that it wrote is dirty. Less than this is a neighbour that
 * writes into the same page later. */
#define SYNC_SHARE 0.01
/* Counters of a sync with effect have all of it; half leaves room for what the file system packs.
 */
#define SYNCED_SHARE 0.5
/* Counters that move less than this of the data do not see their path. */
#define SEEN_SHARE 0.01
/* A program's label that writes less is about names. */
#define LABEL_LEAST_BYTES (UINT64_C(1) << 20)

/* ---- counters ---- */

enum counted { COUNTED_UNKNOWN, COUNTED_LESS, COUNTED_ALL };

/* Compares what passed towards the storage with `share` of `bytes`. Others' traffic makes it more,
 * so that "less" is certain, unless the file system compresses, or the counters do not see the
 * path. */
static enum counted weigh_counters(const struct weir_audit_input *input, uint64_t bytes,
                                   double share, uint64_t *passed)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    bool is_remote = storage->is_network || storage->may_be_network;

    if (bytes == 0 || !weir_audit_passed(input, true, passed))
        return COUNTED_UNKNOWN;
    if ((double)*passed >= share * (double)bytes)
        return weir_audit_obstacle(input, WEIR_EVIDENCE_STORED) == NULL ? COUNTED_ALL
                                                                        : COUNTED_UNKNOWN;
    if (is_remote && (double)*passed < SEEN_SHARE * (double)bytes)
        return COUNTED_UNKNOWN;
    return weir_storage_compresses(storage) ? COUNTED_UNKNOWN : COUNTED_LESS;
}

/* ---- did the data leave memory? ---- */

static void observe(const struct weir_audit_input *input, enum weir_evidence_question question,
                    enum weir_evidence_state state, const char *reason)
{
    weir_result_observe(input->record, question, state, reason);
}

/* Returns why counters do not show what was written, as weir doctor says it; else `other`. */
static const char *find_lack(const struct weir_audit_input *input, const char *other)
{
    const char *lack =
        input->begun->storage_count > 0 ? weir_audit_obstacle(input, WEIR_EVIDENCE_STORED) : NULL;

    return lack != NULL ? lack : other;
}

/* Tests that work on objects in cycles count these, and have no sync: as for the names, that a
 * phase ends before the storage has them qualifies the figure. */
static bool has_cycles(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->names.cycle_count > 0)
            return true;
    return false;
}

static void report_unsynced(const struct weir_audit_input *input, const char *least, double share)
{
    bool is_of_objects = has_cycles(input->test);

    weir_result_find_as(
        input->record, WEIR_FINDING_UNSYNCED, WEIR_NOTE, is_of_objects ? WEIR_QUALIFY : WEIR_VOID,
        "%s%.0f %% of the data was still in memory when the write ended -> %s", least,
        100.0 * share, is_of_objects ? "more objects than memory holds" : WEIR_REMEDY_SYNC);
    observe(input, WEIR_EVIDENCE_STORED, WEIR_SEEN, NULL);
}

/* IOzone's sync after a test lies in the window of the close and not in its time: the rate leaves
 * its duration out. */
static void check_untimed_sync(const struct weir_audit_input *input)
{
    const struct weir_windows *windows = &input->record->windows;

    if (windows->close_s < SYNC_LEAST_S || windows->close_s < windows->transfer_s)
        return;
    weir_result_find(input->record, WEIR_FINDING_UNSYNCED,
                     "the time of %.3f s leaves out a sync of %.3f s -> %s", windows->transfer_s,
                     windows->close_s, WEIR_REMEDY_SYNC);
    observe(input, WEIR_EVIDENCE_STORED, WEIR_SEEN, NULL);
}

static void check_stored(const struct weir_audit_input *input, uint64_t written_bytes)
{
    const struct weir_dirty_result *dirty = &input->record->dirty;
    bool has_pages = dirty->asked_bytes > 0, is_direct = !weir_audit_uses_page_cache(input);
    bool is_known = has_pages || is_direct;
    double share = has_pages ? (double)dirty->unstored_bytes / (double)dirty->asked_bytes : 0.0;
    enum counted counted;
    uint64_t passed = 0;

    if (share >= WEIR_RESIDENT_SHARE) {
        if (is_direct)
            observe(input, WEIR_EVIDENCE_STORED, WEIR_SEEN, "direct I/O");
        else
            report_unsynced(input, "", share < 1.0 ? share : 1.0);
        return;
    }
    if (input->begun->has_several_filesystems && !is_direct) {
        observe(input, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE, SEVERAL_FILESYSTEMS);
        return;
    }
    if (is_known && !weir_storage_hides_writes(weir_audit_first_storage(input))) {
        observe(input, WEIR_EVIDENCE_STORED, WEIR_NOT_SEEN,
                is_direct ? "direct I/O" : "dirty pages of the files");
        return;
    }
    if (!is_known && input->phase->transfers.must_sync_after)
        check_untimed_sync(input);
    counted = input->phase->transfers.must_sync_after
                  ? COUNTED_UNKNOWN
                  : weigh_counters(input, written_bytes, 1.0 - WEIR_RESIDENT_SHARE, &passed);
    if (counted == COUNTED_LESS && !is_known)
        report_unsynced(input, "at least ", 1.0 - (double)passed / (double)written_bytes);
    else if (counted == COUNTED_ALL && is_known)
        observe(input, WEIR_EVIDENCE_STORED, WEIR_NOT_SEEN,
                is_direct ? "direct I/O, and counters" : "clean pages, and counters");
    observe(input, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE,
            is_known
                ? find_lack(input, "the client has a cache of its own, and counters do not show "
                                   "the bytes")
                : "the kernel does not count dirty pages, and counters have others' traffic");
}

/* ---- did syncs have an effect? ---- */

static void report_void_sync(const struct weir_audit_input *input)
{
    observe(input, WEIR_EVIDENCE_SYNCED, WEIR_SEEN, NULL);
    observe(input, WEIR_EVIDENCE_STORED, WEIR_SEEN, NULL);
}

/* What a FUSE daemon does with a sync is not seen by the kernel: the bytes that leave it decide. */
static void check_synced(const struct weir_audit_input *input, uint64_t written_bytes,
                         bool is_in_time)
{
    const struct weir_dirty_result *dirty = &input->record->dirty;
    bool is_known = dirty->synced_asked_bytes > 0;
    double share =
        is_known ? (double)dirty->unsynced_bytes / (double)dirty->synced_asked_bytes : 0.0;
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    bool is_synced = is_known && !weir_storage_hides_writes(storage);
    const char *reading = "dirty pages of the files", *lack;
    uint64_t passed = 0;

    if (share >= SYNC_SHARE) {
        weir_result_find(input->record, WEIR_FINDING_SYNC_NO_EFFECT,
                         "%.0f %% of the data was still dirty after the sync -> check LD_PRELOAD",
                         100.0 * (share < 1.0 ? share : 1.0));
        report_void_sync(input);
        return;
    }
    if (input->begun->has_several_filesystems) {
        observe(input, WEIR_EVIDENCE_SYNCED, WEIR_CANNOT_OBSERVE, SEVERAL_FILESYSTEMS);
        observe(input, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE, SEVERAL_FILESYSTEMS);
        return;
    }
    if (!is_synced) {
        enum counted counted = weigh_counters(input, written_bytes, SYNCED_SHARE, &passed);

        /* A loop device syncs its file when the file system above it syncs. */
        if (counted == COUNTED_LESS && !storage->is_network &&
            (!weir_storage_hides_writes(storage) || weir_storage_buffered_loop(storage) != NULL)) {
            weir_result_find(
                input->record, WEIR_FINDING_SYNC_NO_EFFECT,
                "devices wrote %.0f %% of the data in spite of the sync -> check LD_PRELOAD",
                100.0 * (double)passed / (double)written_bytes);
            report_void_sync(input);
            return;
        }
        is_synced = counted == COUNTED_ALL;
        reading = "counters of devices or networks";
    }
    lack = find_lack(input, "neither dirty pages nor counters show the bytes");
    observe(input, WEIR_EVIDENCE_SYNCED, is_synced ? WEIR_NOT_SEEN : WEIR_CANNOT_OBSERVE,
            is_synced ? reading : lack);
    if (is_in_time)
        observe(input, WEIR_EVIDENCE_STORED, is_synced ? WEIR_NOT_SEEN : WEIR_CANNOT_OBSERVE,
                is_synced ? "the phase syncs in its time" : lack);
}

/* ---- what a sync is worth ---- */

/* As kernels print them: of overlays "volatile", from Linux 6.18 on "fsync=volatile"; of ext4
 * "nobarrier" or "barrier=0". That a server exports "async" is not visible to its clients. */
static void check_volatile(const struct weir_audit_input *input)
{
    static const char *const options[] = {"volatile",     "fsync=volatile", "nobarrier",
                                          "barrier=0",    "barrier=none",   "fsync_mode=nobarrier",
                                          "sync=disabled"};
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (weir_text_list_has(storage->options, options[i])) {
            weir_result_find(input->record, WEIR_FINDING_VOLATILE_MOUNT,
                             "syncs make nothing stable with mount option %s -> remount",
                             options[i]);
            return;
        }
    for (uint32_t i = 0; i < storage->device_count; i++)
        if (storage->devices[i].is_memory) {
            weir_result_find(input->record, WEIR_FINDING_VOLATILE_CACHE,
                             "a sync ends in the memory behind %s -> use a device that keeps data",
                             storage->devices[i].name);
            return;
        }
}

/* Of files whose dirty pages the kernel does not tell (overlays), what was written. */
static uint64_t written_in_trees(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;

    if (record->dirty.asked_bytes > 0)
        return record->dirty.asked_bytes;
    return input->phase->verb == WEIR_CREATE ? record->byte_count : 0;
}

static bool changes_names(enum weir_verb verb)
{
    return weir_verb_makes_items(verb) || weir_verb_removes(verb) || verb == WEIR_RENAME;
}

void weir_audit_sync(const struct weir_audit_input *input)
{
    const struct weir_transfers *transfers = &input->phase->transfers;
    const struct weir_phase_result *record = input->record;
    const struct weir_names *names = &input->phase->names;
    bool is_tree = weir_verb_works_on_trees(input->phase->verb);
    uint64_t written_bytes = is_tree ? written_in_trees(input) : weir_audit_written_bytes(input);
    bool is_synced_in_time = is_tree ? names->must_sync || names->must_sync_all
                                     : transfers->must_sync_at_end || transfers->must_sync_each;
    /* Names alone have no pages whose state the kernel tells. */
    bool syncs_names = is_tree && is_synced_in_time && changes_names(input->phase->verb);

    if ((written_bytes == 0 && !syncs_names) || record->op_count == 0 ||
        !weir_audit_moves_to_storage(input) || input->phase->is_check || input->phase->is_prefill ||
        weir_filesystem_is_memory(input->begun->filesystem.type))
        return;
    /* A sync that failed is a failure, and ranks that are interrupted do not sync. */
    if ((is_synced_in_time || transfers->must_sync_after) && record->error_count == 0 &&
        record->outcome == WEIR_OUTCOME_COMPLETE && !record->is_interrupted) {
        if (written_bytes > 0)
            check_synced(input, written_bytes, is_synced_in_time);
        check_volatile(input);
    }
    if (!is_synced_in_time && written_bytes > 0)
        check_stored(input, written_bytes);
}

/* ---- the labels of programs ---- */

static double share_of(uint64_t dirty_bytes, uint64_t asked_bytes)
{
    return asked_bytes > 0 ? (double)dirty_bytes / (double)asked_bytes : 0.0;
}

/* The label of which most was dirty, after its syncs or without any. NULL if there is none. */
static const struct weir_label_result *find_dirty(const struct weir_program_result *program,
                                                  bool is_synced, unsigned *others)
{
    const struct weir_label_result *worst = NULL;
    double most = 0.0;

    *others = 0;
    for (unsigned i = 0; i < program->label_count; i++) {
        const struct weir_label_result *label = &program->labels[i];
        double share = share_of(is_synced ? label->unsynced_bytes : label->unstored_bytes,
                                label->written_asked_bytes);

        if (share < (is_synced ? SYNC_SHARE : WEIR_RESIDENT_SHARE) ||
            label->byte_count < LABEL_LEAST_BYTES)
            continue;
        *others += worst != NULL && strcmp(worst->name, label->name) != 0;
        if (share > most) {
            most = share;
            worst = label;
        }
    }
    return worst;
}

bool weir_audit_labels(const struct weir_audit_input *input)
{
    const struct weir_program_result *program = input->record->program;
    const struct weir_label_result *label;
    bool is_known = false;
    char more[32] = "";
    unsigned others;

    for (unsigned i = 0; i < program->label_count; i++)
        is_known |= program->labels[i].written_asked_bytes > 0;
    label = find_dirty(program, true, &others);
    if (label != NULL) {
        weir_result_find(
            input->record, WEIR_FINDING_SYNC_NO_EFFECT,
            "%.0f %% of what \"%.40s\" wrote was dirty after its fsync -> check LD_PRELOAD",
            100.0 * share_of(label->unsynced_bytes, label->written_asked_bytes), label->name);
        report_void_sync(input);
    }
    label = find_dirty(program, false, &others);
    if (label != NULL) {
        if (others > 0)
            snprintf(more, sizeof more, ", and of %u more,", others);
        weir_result_find(input->record, WEIR_FINDING_UNSYNCED,
                         "%.0f %% of what \"%.40s\" wrote%s was in memory at its end -> fsync in "
                         "it, or dwrite",
                         100.0 * share_of(label->unstored_bytes, label->written_asked_bytes),
                         label->name, more);
        observe(input, WEIR_EVIDENCE_STORED, WEIR_SEEN, NULL);
    } else if (is_known && !weir_storage_hides_writes(weir_audit_first_storage(input))) {
        observe(input, WEIR_EVIDENCE_STORED, WEIR_NOT_SEEN, "dirty pages of the files");
    }
    return is_known;
}
