/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the storage was measured: what was in page caches before reads, or, where that is not
 * known, which rank wrote the data and through which cache; and what of writes left memory. */
#include "checks.h"

#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <inttypes.h>
#include <limits.h>
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

/* Ranks of a mixed phase cannot be shifted: each writes its own part. */
static const char *other_way_out(const struct weir_audit_input *input)
{
    return input->phase->verb == WEIR_MIXED ? "use direct I/O" : ", or direct I/O";
}

/* The reason why ranks stay on their own node, and the remedy. */
static void explain_nearness(const struct weir_audit_input *input, struct weir_text *text)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_shift *shift = &input->phase->shift;
    const struct weir_test *test = input->test;
    const char *letter =
        shift->kind == WEIR_SHIFT_NODES ? WEIR_REMEDY_SHIFT_NODES : WEIR_REMEDY_SHIFT_RANDOM;

    if (input->phase->verb == WEIR_MIXED)
        return;
    if (shift->kind == WEIR_SHIFT_NONE)
        weir_text_add(text, "use " WEIR_REMEDY_SHIFT_NODES " on several nodes");
    else if (record->node_count < 2)
        weir_text_add(text, "%s finds no other node: use several", letter);
    else if (shift->kind == WEIR_SHIFT_PERMUTATION)
        weir_text_add(text, WEIR_REMEDY_SHIFT_PERMUTATION
                      " takes near ranks too: use " WEIR_REMEDY_SHIFT_RANDOM);
    else if (test->given_nodes > 0 || test->given_ranks_per_node > 0)
        weir_text_add(text, "%s took the given numbers of nodes and ranks for true: leave them out",
                      letter);
    else if (shift->distance == 0)
        weir_text_add(text, WEIR_REMEDY_SHIFT_DISTANCE
                      " 0 asks for no other node: use " WEIR_REMEDY_SHIFT_DISTANCE " 1");
    else if (goes_full_circle(input) && leaves_reads_alone(input))
        weir_text_add(text, WEIR_REMEDY_VERIFY_WRITES " leaves the other node to " WEIR_REMEDY_READ
                                                      ": verify with " WEIR_REMEDY_VERIFY_READS);
    else if (goes_full_circle(input))
        weir_text_add(
            text,
            "%" PRIu64
            " nodes further is a full circle of %u: use another " WEIR_REMEDY_SHIFT_DISTANCE,
            shift->distance, record->node_count);
    else /* Rank shifts leave 2L - N ranks where L of N are on one node, and else none. */
        weir_text_add(text, "one node has %u of the %u ranks: spread them evenly",
                      (record->rank_count + record->near_rank_count) / 2, record->rank_count);
}

/* True if it found that data may come from the node's own cache. */
static bool check_nearness(const struct weir_audit_input *input, bool may_be_cached)
{
    struct weir_phase_result *record = input->record;
    enum weir_shift_kind kind = input->phase->shift.kind;
    bool is_read_back = may_be_cached && is_written_before(input);
    struct weir_text why = {0};

    explain_nearness(input, &why);
    if (is_read_back)
        weir_result_find(record, WEIR_FINDING_MAYBE_CACHED,
                         "%u of %u ranks read back what their own node wrote, through a page cache "
                         "that may have served it: %s%s",
                         record->near_rank_count, record->rank_count, weir_text_string(&why),
                         other_way_out(input));
    else if (kind == WEIR_SHIFT_NODES || kind == WEIR_SHIFT_RANDOM)
        weir_result_find(record, WEIR_FINDING_SAME_NODE,
                         "%u of %u ranks read what their own node writes: %s",
                         record->near_rank_count, record->rank_count, weir_text_string(&why));
    weir_text_close(&why);
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
                     "the %s that a node reads fit into its memory of %s, and the kernel does not "
                     "tell what was in the page cache: use --drop-caches, or direct I/O",
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
                         "each rank reads what it has read for " WEIR_REMEDY_VERIFY_WRITES
                         ", through a page cache that may "
                         "have served it: verify with " WEIR_REMEDY_VERIFY_READS
                         " instead, or use direct I/O");
    }
    if (record->depth_curve.count > 0) {
        is_cached = true;
        weir_result_find(record, WEIR_FINDING_SEARCHED_BEFORE,
                         "the search for a depth read the same files before, through a page cache "
                         "that may have served the rest: use direct I/O");
    }
    if (!is_cached && !input->phase->is_check)
        check_memory(input);
}

/* ---- with figures of the kernel ---- */

static void explain_residency(const struct weir_audit_input *input, struct weir_text *text)
{
    bool has_near_ranks = input->record->near_rank_count > 0 && input->phase->verb != WEIR_MIXED;

    if (input->test->cache_drop != WEIR_DROP_NOTHING) {
        weir_text_add(text, "--drop-caches leaves pages that others use, and those of file systems "
                            "in memory: use direct I/O, or another file system");
    } else if (!has_near_ranks) {
        weir_text_add(text, "use --drop-caches, or direct I/O");
    } else if (input->phase->shift.kind == WEIR_SHIFT_NONE) {
        weir_text_add(text, "use --drop-caches, " WEIR_REMEDY_SHIFT_NODES
                            " on several nodes, or direct I/O");
    } else {
        explain_nearness(input, text);
        weir_text_add(text, "; or use --drop-caches, or direct I/O");
    }
}

/* A check of data that the node itself wrote is reported as well: it may never have reached the
 * storage. */
static void report_residency(const struct weir_audit_input *input, double share)
{
    struct weir_phase_result *record = input->record;
    unsigned knowing = record->residency.rank_count;
    struct weir_text who = {0}, why = {0};

    if (knowing < record->rank_count)
        weir_text_add(&who, "%u of %u ranks", knowing, record->rank_count);
    else
        weir_text_add(&who, "ranks");
    explain_residency(input, &why);
    weir_result_find(record, WEIR_FINDING_RESIDENT,
                     "%.1f %% of what %s were to read was in the page cache of their node before "
                     "the phase: %s",
                     100.0 * share, weir_text_string(&who), weir_text_string(&why));
    weir_text_close(&who);
    weir_text_close(&why);
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

/* File systems without storage under them: tmpfs(5), and ramfs and hugetlbfs in the documentation
 * of the Linux kernel. */
bool weir_audit_is_memory(const char *type)
{
    static const char *const types[] = {"tmpfs", "ramfs", "hugetlbfs"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static void report_memory(const struct weir_audit_input *input)
{
    weir_result_find(input->record, WEIR_FINDING_IN_MEMORY,
                     "%s %s, which is memory: direct I/O does not change that; name a directory of "
                     "the storage with " WEIR_REMEDY_PATH,
                     input->begun->has_several_filesystems
                         ? "files are on several file systems, the first one on"
                         : "the files are on",
                     input->begun->filesystem.type);
}

/* Servers on a client's own node are reached by loopback, which processes use for other things,
 * too. */
bool weir_audit_passed(const struct weir_audit_input *input, bool writes, uint64_t *bytes)
{
    const struct weir_test_result *begun = input->begun;
    const struct weir_traffic *traffic = &input->record->traffic;
    const struct weir_storage_facts *storage =
        begun->storage_count > 0 ? &begun->storages[0].facts : NULL;
    bool is_remote = storage != NULL &&
                     (storage->is_network || (storage->may_be_network && !traffic->has_devices));

    /* Counters are those of the first file's storage. */
    if (begun->has_several_filesystems)
        return false;
    if (writes)
        *bytes = is_remote ? traffic->network_sent_bytes : traffic->device_written_bytes;
    else
        *bytes = is_remote ? traffic->network_received_bytes : traffic->device_read_bytes;
    if (is_remote)
        *bytes += traffic->loopback_bytes;
    return is_remote ? traffic->has_network || traffic->has_loopback : traffic->has_devices;
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

/* A phase of a least time starts again with the same data. */
static void check_repeated(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char once[WEIR_SIZE_TEXT_BYTES];

    if (input->phase->stop.minimum_ns == 0 || record->byte_count <= record->expected_bytes ||
        record->expected_bytes == 0 || input->phase->transfers.must_sync_each)
        return;
    weir_result_find(record, WEIR_FINDING_REPEATED,
                     "the same %s passed the page cache %.1f times -> more data instead of "
                     "%s",
                     weir_size_format(record->expected_bytes, once),
                     (double)record->byte_count / (double)record->expected_bytes,
                     WEIR_REMEDY_LONGER_PHASE);
}

void weir_audit_cache(const struct weir_audit_input *input)
{
    if (input->test->is_dry_run || (weir_test_abilities(input->test) & WEIR_CAN_KEEP) == 0)
        return;
    if (weir_audit_is_memory(input->begun->filesystem.type)) {
        report_memory(input);
        return;
    }
    weir_audit_sync(input);
    if (weir_audit_uses_page_cache(input) && !input->phase->is_check && !input->phase->is_prefill)
        check_repeated(input);
    if (!weir_verb_reads(input->phase->verb))
        return;
    if (weir_audit_uses_page_cache(input) && input->record->residency.asked_bytes > 0)
        judge_residency(input);
    else if (weir_audit_uses_page_cache(input) && input->test->cache_drop == WEIR_DROP_NOTHING)
        check_cached(input);
    else if (input->record->near_rank_count > 0)
        check_nearness(input, false);
}
