/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the storage was measured: what was in page caches before reads, or, where that is not
 * known, which rank wrote the data and through which cache; and what of writes left memory. */
#include "checks.h"

#include "weir/base/observable.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The same files, by their names. */
static bool is_same_target(const struct weir_target *one, const struct weir_target *other)
{
    if (one == other)
        return true;
    if (one->path_count != other->path_count || one->is_shared != other->is_shared ||
        one->is_new_each_repetition != other->is_new_each_repetition)
        return false;
    for (size_t i = 0; i < one->path_count; i++)
        if (strcmp(one->paths[i], other->paths[i]) != 0)
            return false;
    return true;
}

/* By a phase of a test with a number below `limit`. */
static bool is_written_in(const struct weir_test *test, const struct weir_target *target,
                          unsigned limit)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_verb_writes(test->phases[i]->verb) && test->phases[i]->number < limit &&
            is_same_target(test->phases[i]->target, target))
            return true;
    return false;
}

/* By this run: in a test before this one, or in this one, where a repetition comes after all phases
 * of the one before. */
static bool is_written_before(const struct weir_audit_input *input)
{
    const struct weir_target *target = input->phase->target;
    bool is_again = input->record->repetition > 0 && !target->is_new_each_repetition;

    for (unsigned i = 0; i < input->test->number; i++)
        if (!input->plan->tests[i]->is_dry_run &&
            is_written_in(input->plan->tests[i], target, UINT_MAX))
            return true;
    return is_written_in(input->test, target, is_again ? UINT_MAX : input->phase->number);
}

static bool goes_full_circle(const struct weir_audit_input *input)
{
    const struct weir_shift *shift = &input->phase->shift;
    unsigned nodes = input->record->node_count;

    return shift->kind == WEIR_SHIFT_NODES && weir_shift_distance(shift, nodes) % nodes == 0;
}

/* Of two nodes the check stays on its own, as the timed reads are to find nothing cached on the
 * other one. */
static bool leaves_reads_alone(const struct weir_audit_input *input)
{
    return input->phase->is_check && input->record->node_count == 2 &&
           weir_test_phase(input->test, WEIR_READ) != NULL;
}

/* Writes what keeps ranks from the data of their own node. Ranks of a mixed phase cannot be
 * shifted: each writes its own part. */
static void add_way_to_other_nodes(const struct weir_audit_input *input, struct weir_text *text)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_shift *shift = &input->phase->shift;
    const struct weir_test *test = input->test;
    const char *letter =
        shift->kind == WEIR_SHIFT_NODES ? WEIR_REMEDY_SHIFT_NODES : WEIR_REMEDY_SHIFT_RANDOM;

    if (input->phase->verb == WEIR_MIXED)
        weir_text_add(text, "--direct");
    else if (shift->kind == WEIR_SHIFT_NONE)
        weir_text_add(text, WEIR_REMEDY_SHIFT_NODES " on several nodes, or --direct");
    else if (record->node_count < 2)
        weir_text_add(text, "several nodes for %s, or --direct", letter);
    else if (shift->kind == WEIR_SHIFT_PERMUTATION)
        weir_text_add(text, WEIR_REMEDY_SHIFT_RANDOM " instead of " WEIR_REMEDY_SHIFT_PERMUTATION
                                                     ", or --direct");
    else if (test->given_nodes > 0 || test->given_ranks_per_node > 0)
        weir_text_add(text, "no given numbers of nodes and ranks, or --direct");
    else if (shift->distance == 0)
        weir_text_add(text, WEIR_REMEDY_SHIFT_DISTANCE " 1, or --direct");
    else if (goes_full_circle(input) && leaves_reads_alone(input))
        weir_text_add(text, "verify with " WEIR_REMEDY_VERIFY_READS ", or --direct");
    else if (goes_full_circle(input))
        weir_text_add(text,
                      "another " WEIR_REMEDY_SHIFT_DISTANCE " than %" PRIu64
                      ", a full circle of %u nodes",
                      shift->distance, record->node_count);
    else /* Rank shifts leave 2L - N ranks where L of N are on one node, and else none. */
        weir_text_add(text, "equally many ranks on each node: one has %u of %u",
                      (record->rank_count + record->near_rank_count) / 2, record->rank_count);
}

/* True if it found that data may come from the node's own cache. */
static bool check_nearness(const struct weir_audit_input *input, bool may_be_cached)
{
    struct weir_phase_result *record = input->record;
    enum weir_shift_kind kind = input->phase->shift.kind;
    bool is_read_back = may_be_cached && is_written_before(input);
    struct weir_text way = {0};

    add_way_to_other_nodes(input, &way);
    if (is_read_back)
        weir_result_find(record, WEIR_FINDING_MAYBE_CACHED,
                         "%u of %u ranks read data that their node wrote -> %s",
                         record->near_rank_count, record->rank_count, weir_text_string(&way));
    else if (kind == WEIR_SHIFT_NODES || kind == WEIR_SHIFT_RANDOM)
        weir_result_find(record, WEIR_FINDING_SAME_NODE,
                         "%u of %u ranks read data that their node writes -> %s",
                         record->near_rank_count, record->rank_count, weir_text_string(&way));
    weir_text_close(&way);
    return is_read_back;
}

/* A check under a random shift draws the same parts as the reads after it; under a shift by nodes,
 * parts of other nodes. */
static bool is_checked_before(const struct weir_audit_input *input)
{
    const struct weir_test *test = input->test;
    enum weir_shift_kind kind = input->phase->shift.kind;

    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->is_check && test->phases[i]->number < input->phase->number)
            return kind == WEIR_SHIFT_RANDOM || kind == WEIR_SHIFT_PERMUTATION;
    return false;
}

/* ---- without figures of the kernel ---- */

/* A file that is there from before the run may be in the cache from before it. */
static void check_memory(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    uint64_t data_bytes = record->expected_bytes / record->node_count;
    char data[WEIR_SIZE_TEXT_BYTES], memory[WEIR_SIZE_TEXT_BYTES];

    if (is_written_before(input) || data_bytes >= record->node_memory_bytes)
        return;
    weir_result_find(record, WEIR_FINDING_FITS_IN_MEMORY,
                     "%s per node fit into %s of memory, and may be in it -> --direct",
                     weir_size_format(data_bytes, data),
                     weir_size_format(record->node_memory_bytes, memory));
}

static void check_cached(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    bool is_cached = false;

    if (record->near_rank_count > 0)
        is_cached = check_nearness(input, true);
    if (!input->phase->is_check && is_checked_before(input)) {
        is_cached = true;
        weir_result_find(record, WEIR_FINDING_CHECKED_BEFORE,
                         WEIR_REMEDY_VERIFY_WRITES " has read the same data through the page "
                                                   "cache -> " WEIR_REMEDY_VERIFY_READS
                                                   " instead, or --direct");
    }
    if (record->depth_curve.count > 0) {
        is_cached = true;
        weir_result_find(record, WEIR_FINDING_SEARCHED_BEFORE,
                         "the depth search has read the same files through the page cache -> "
                         "--direct");
    }
    if (!is_cached && !input->phase->is_check)
        check_memory(input);
}

/* ---- with figures of the kernel ---- */

/* A check of data that the node itself wrote is reported as well: it may never have reached the
 * storage. Dropping pages again does not help, and the daemon of a FUSE file system has a cache of
 * its own, which --drop-caches does not empty. */
static void report_residency(const struct weir_audit_input *input, double share)
{
    struct weir_phase_result *record = input->record;
    const struct weir_test_result *begun = input->begun;
    bool may_drop = input->test->cache_drop == WEIR_DROP_NOTHING &&
                    (begun->storage_count == 0 || !begun->storages[0].facts.may_be_network) &&
                    strncmp(begun->filesystem.type, "fuse", 4) != 0;
    unsigned knowing = record->residency.rank_count;
    struct weir_text way = {0};
    char who[48] = "";

    /* Ranks that were to read the data of other nodes stayed on their own. */
    if (record->near_rank_count > 0 && input->phase->shift.kind != WEIR_SHIFT_NONE)
        add_way_to_other_nodes(input, &way);
    else
        weir_text_add(&way, may_drop ? "--drop-caches files or --direct" : "--direct");
    if (knowing < record->rank_count)
        snprintf(who, sizeof who, " of %u of %u ranks", knowing, record->rank_count);
    weir_result_find_as(record, WEIR_FINDING_RESIDENT, WEIR_NOTE, weir_audit_share_effect(share),
                        "%.0f %% of the data%s was in the page cache -> %s", 100.0 * share, who,
                        weir_text_string(&way));
    weir_text_close(&way);
}

static void judge_residency(const struct weir_audit_input *input)
{
    const struct weir_residency_result *residency = &input->record->residency;
    double share = (double)residency->resident_bytes / (double)residency->asked_bytes;
    bool is_near = input->record->near_rank_count > 0;

    if (share >= WEIR_RESIDENT_SHARE && (is_near || !input->phase->is_check))
        report_residency(input, share);
    else if (is_near)
        check_nearness(input, false);
}

/* ---- memory in the place of storage ---- */

const char *weir_audit_memory(const struct weir_audit_input *input)
{
    const char *type = input->begun->filesystem.type, *name = NULL;
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    uint32_t level = 0;

    if (weir_filesystem_is_memory(type))
        return type;
    if (weir_filesystem_is_memory(storage->type))
        return storage->type;
    /* The lowest devices keep the data. */
    for (uint32_t i = 0; i < storage->device_count; i++)
        if (storage->devices[i].level > level)
            level = storage->devices[i].level;
    for (uint32_t i = 0; i < storage->device_count; i++) {
        if (storage->devices[i].level != level)
            continue;
        if (!storage->devices[i].is_memory)
            return NULL;
        name = storage->devices[i].name;
    }
    return name;
}

void weir_audit_report_memory(const struct weir_audit_input *input)
{
    weir_result_find(
        input->record, WEIR_FINDING_IN_MEMORY,
        "%s%s is memory, direct I/O included -> choose a storage with " WEIR_REMEDY_PATH,
        input->begun->has_several_filesystems ? "the first of several file systems, " : "",
        weir_audit_memory(input));
}

bool weir_audit_passed(const struct weir_audit_input *input, bool writes, uint64_t *bytes)
{
    /* Counters are those of the first file's storage. */
    return !input->begun->has_several_filesystems &&
           weir_counted_bytes(weir_audit_first_storage(input), &input->record->traffic, writes,
                              bytes);
}

/* Transfers of a mixed phase are of one size. */
uint64_t weir_audit_written_bytes(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    uint64_t writes = record->write_latency != NULL ? record->write_latency->total : 0;

    if (!weir_verb_writes(input->phase->verb) || record->op_count == 0)
        return 0;
    if (input->phase->verb != WEIR_MIXED)
        return record->byte_count;
    return (uint64_t)((double)record->byte_count * (double)writes / (double)record->op_count);
}

/* The part of the bytes moved that is at places that the phase had moved before. */
static double repeated_share(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_layout *layout = &input->phase->transfers.layout;
    double moved = (double)record->byte_count, once = (double)record->expected_bytes;

    if (layout->order == WEIR_ORDER_ONE_PLACE)
        once = (double)layout->transfer_bytes * record->rank_count;
    else if (layout->order == WEIR_ORDER_RANDOM_BLOCKS && moved > 0.0) {
        /* Draws of one of so many positions each: (1 - 1/n)^draws of them are left out. */
        double bytes = record->file_bytes != UINT64_MAX && record->file_bytes > 0
                           ? (double)record->file_bytes
                           : once;
        double positions = fmax(bytes / (double)layout->block_bytes, 1.0);
        double draws = moved / (double)layout->block_bytes;

        once = bytes * (1.0 - pow(1.0 - 1.0 / positions, draws));
    } else if (input->phase->stop.minimum_ns == 0)
        return 0.0;
    return moved > once ? 1.0 - once / moved : 0.0;
}

/* Synced transfers reach the storage each time. */
static void check_repeated(const struct weir_audit_input *input)
{
    double share = repeated_share(input);

    if (share < WEIR_RESIDENT_SHARE || input->phase->transfers.must_sync_each)
        return;
    weir_result_find_as(input->record, WEIR_FINDING_REPEATED, WEIR_NOTE,
                        weir_audit_share_effect(share),
                        "%.0f %% of the bytes were moved before, through the page cache -> more "
                        "data, or --direct",
                        100.0 * share);
}

/* ---- bytes that no device supplied ---- */

/* Less than this may be what opening a file had read before the phase. */
#define MISSING_LEAST_BYTES (UINT64_C(256) << 10)

/* Kinds of extents under bytes that no device was read for, and how to get others. */
static const struct {
    size_t bytes; /* member of struct weir_data_origin */
    const char *name;
    const char *remedy;
} extent_kinds[] = {
    {offsetof(struct weir_data_origin, hole_bytes), "holes",
     "write the file first (" WEIR_REMEDY_WRITE ")"},
    {offsetof(struct weir_data_origin, unwritten_bytes), "unwritten extents",
     "write the file first (" WEIR_REMEDY_WRITE ")"},
    {offsetof(struct weir_data_origin, inline_bytes), "in inodes", "larger files"},
    {offsetof(struct weir_data_origin, encoded_bytes), "in compressed extents",
     "write it with --data full"},
};
#define EXTENT_KINDS (sizeof extent_kinds / sizeof *extent_kinds)

/* Bytes that the phase read: of a mixed phase those of its reads alone. */
static uint64_t read_bytes(const struct weir_audit_input *input)
{
    return weir_verb_reads(input->phase->verb)
               ? input->record->byte_count - weir_audit_written_bytes(input)
               : 0;
}

/* The part of the bytes read that neither a device supplied nor, before the phase, the page cache
 * had. Negative: not known. */
static double missing_share(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_residency_result *residency = &record->residency;
    double read = (double)read_bytes(input), cached = 0.0;

    if (record->supply.rank_count < record->rank_count || read <= 0.0)
        return -1.0;
    if (weir_audit_uses_page_cache(input) && residency->asked_bytes > 0)
        cached = (double)residency->resident_bytes / (double)residency->asked_bytes;
    return 1.0 - cached - (double)record->supply.storage_bytes / read;
}

static void report_missing(const struct weir_audit_input *input, double share)
{
    struct weir_phase_result *record = input->record;
    const struct weir_data_origin *origin = &record->supply.origin;
    double read = (double)read_bytes(input);
    double supplied = (double)record->supply.storage_bytes / read, of_kind = 0.0;
    size_t kind = 0;

    for (size_t i = 0; i < EXTENT_KINDS; i++) {
        uint64_t bytes;

        memcpy(&bytes, (const char *)origin + extent_kinds[i].bytes, sizeof bytes);
        if ((double)bytes / read > of_kind) {
            of_kind = (double)bytes / read;
            kind = i;
        }
    }
    /* An extent map of few bytes explains little. */
    if (of_kind >= share / 2.0)
        weir_result_find_as(record, WEIR_FINDING_NO_DEVICE_IO, WEIR_NOTE,
                            weir_audit_share_effect(share),
                            "%.0f %% of the bytes read came from the device, %.0f %% are %s -> %s",
                            100.0 * supplied, 100.0 * fmin(of_kind, 1.0), extent_kinds[kind].name,
                            extent_kinds[kind].remedy);
    else if (share * read >= (double)MISSING_LEAST_BYTES)
        weir_result_find_as(record, WEIR_FINDING_NO_DEVICE_IO, WEIR_NOTE,
                            weir_audit_share_effect(share),
                            "%.0f %% of the bytes read came from the device, a cache had the rest "
                            "-> --direct",
                            100.0 * supplied);
}

void weir_audit_observe_supply(const struct weir_audit_input *input, double share)
{
    bool has_loop = weir_storage_buffered_loop(weir_audit_first_storage(input)) != NULL;
    const char *lack = has_loop ? weir_audit_obstacle(input, WEIR_EVIDENCE_SUPPLIED) : NULL;
    enum weir_evidence_state state = lack != NULL ? WEIR_CANNOT_OBSERVE : WEIR_NOT_SEEN;

    if (share >= (lack != NULL ? WEIR_VOID_SHARE : WEIR_RESIDENT_SHARE))
        state = WEIR_SEEN;
    weir_result_observe(input->record, WEIR_EVIDENCE_SUPPLIED, state,
                        state == WEIR_CANNOT_OBSERVE ? lack : NULL);
}

static void check_supply(const struct weir_audit_input *input)
{
    double share = missing_share(input);

    if (share < 0.0 && input->record->supply.rank_count < input->record->rank_count)
        return;
    weir_audit_observe_supply(input, share);
    if (share >= WEIR_RESIDENT_SHARE)
        report_missing(input, share);
}

/* Files of a tree are read whole, and nothing is known of them before the phase. */
void weir_audit_tree_supply(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    double read = (double)record->byte_count, share;

    if (input->phase->verb != WEIR_READ_FILE || record->byte_count < MISSING_LEAST_BYTES / 4 ||
        record->supply.rank_count < record->rank_count ||
        weir_filesystem_is_memory(input->begun->filesystem.type))
        return;
    share = 1.0 - (double)record->supply.storage_bytes / read;
    weir_audit_observe_supply(input, share);
    if (share >= WEIR_RESIDENT_SHARE && record->has_dropped_caches)
        weir_result_find_as(record, WEIR_FINDING_NO_DEVICE_IO, WEIR_NOTE,
                            weir_audit_share_effect(share),
                            "%.0f %% of the data of the files came from no device although caches "
                            "were dropped -> write the files again",
                            100.0 * share);
    else if (share >= WEIR_RESIDENT_SHARE)
        weir_result_find_as(record, WEIR_FINDING_RESIDENT, WEIR_NOTE,
                            weir_audit_share_effect(share),
                            "%.0f %% of the data of the files came from memory -> "
                            "--drop-caches files",
                            100.0 * share);
}

/* Pages of the file that direct I/O left in the page cache. */
static void check_direct(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    const struct weir_data_origin *origin = &record->supply.origin;
    const struct weir_test_result *begun = input->begun;
    const char *type = begun->filesystem.type, *remedy = "another file system for these files";
    double share;

    /* btrfs(5): it waits until the pages are written, and drops them. */
    if (!weir_audit_uses_page_cache(input) && weir_verb_writes(input->phase->verb) &&
        strcmp(type, "btrfs") == 0 && weir_storage_compresses(weir_audit_first_storage(input)))
        weir_result_find_as(record, WEIR_FINDING_BUFFERED_DIRECT, WEIR_NOTE, WEIR_QUALIFY,
                            "btrfs writes direct I/O through the page cache where it compresses "
                            "-> mount it without compression");
    if (origin->left_asked_bytes == 0 || origin->left_bytes < MISSING_LEAST_BYTES)
        return;
    share = (double)origin->left_bytes / (double)origin->left_asked_bytes;
    if (share < WEIR_VOID_SHARE)
        return;
    /* Hints asked for it, and the library has not done it. */
    if (weir_audit_uses_page_cache(input))
        remedy = WEIR_REMEDY_BACKEND " POSIX with --direct";
    else if (begun->storage_count > 0 && strstr(begun->storages[0].facts.options, "data=journal"))
        remedy = "mount it without data=journal";
    else if (strcmp(type, "btrfs") == 0)
        remedy = "files without checksums (chattr +C)";
    weir_result_find(record, WEIR_FINDING_BUFFERED_DIRECT,
                     "%.0f %% of the data are in the page cache after direct I/O (%s) -> %s",
                     100.0 * fmin(share, 1.0), type[0] != '\0' ? type : "unknown file system",
                     remedy);
}

/* Servers of objects hold them in memory. What a sync writes to the file behind a server
 * (weir serve --back) is not seen from here. */
bool weir_audit_is_server_memory(const struct weir_audit_input *input)
{
    const struct weir_test *test = input->test;
    const struct weir_descriptor *backend = test->inner != NULL ? test->inner : test->backend;
    const struct weir_transfers *transfers = &input->phase->transfers;

    return strcmp(backend->name, "rdma") == 0 && !transfers->must_sync_at_end &&
           !transfers->must_sync_each && !transfers->must_sync_after;
}

void weir_audit_storage(const struct weir_audit_input *input)
{
    if (input->record->op_count > 0 && !input->test->is_dry_run && !input->phase->is_prefill &&
        !input->phase->is_check && weir_verb_moves_data(input->phase->verb) &&
        weir_audit_is_server_memory(input))
        weir_result_find_as(input->record, WEIR_FINDING_IN_MEMORY, WEIR_NOTE, WEIR_QUALIFY,
                            "servers keep the objects in memory, and that is what is measured -> "
                            "--measure memory");
    if (input->record->op_count > 0 && !weir_audit_moves_to_storage(input))
        weir_result_find(input->record, WEIR_FINDING_NO_STORAGE,
                         "%s moves no data to storage -> another " WEIR_REMEDY_BACKEND
                         ", or --measure memory",
                         input->test->is_dry_run ? "a dry run" : input->test->backend->name);
}

void weir_audit_cache(const struct weir_audit_input *input)
{
    bool is_cached = weir_audit_uses_page_cache(input);

    if (!weir_audit_moves_to_storage(input))
        return;
    if (weir_audit_memory(input) != NULL)
        weir_audit_report_memory(input);
    if (weir_filesystem_is_memory(input->begun->filesystem.type))
        return;
    check_direct(input);
    weir_audit_sync(input);
    if (is_cached && !input->phase->is_check && !input->phase->is_prefill)
        check_repeated(input);
    if (!weir_verb_reads(input->phase->verb))
        return;
    if (!input->phase->is_check)
        check_supply(input);
    if (is_cached && input->record->residency.asked_bytes > 0)
        judge_residency(input);
    else if (is_cached && input->test->cache_drop == WEIR_DROP_NOTHING)
        check_cached(input);
    else if (input->record->near_rank_count > 0)
        check_nearness(input, false);
}
