/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on the names of trees: is it the file system that answered, or a cache of it; and is
 * what was done more than a change in memory? */
#include "checks.h"

#include "weir/base/observable.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/plan/program.h"

#include <inttypes.h>

/* The answer is an attribute, a name or an open file, which a client may have kept. */
static bool asks(enum weir_verb verb)
{
    return verb == WEIR_STAT || verb == WEIR_OPEN || verb == WEIR_READ_FILE ||
           verb == WEIR_GETXATTR || verb == WEIR_LIST || verb == WEIR_LIST_STAT;
}

static bool does_ask(const struct weir_phase *phase)
{
    bool does = asks(phase->verb);

    for (unsigned i = 0; i < phase->names.cycle_count; i++)
        does |= asks(phase->names.cycle[i]);
    return does;
}

/* Earlier in the plan, items of the same kind. */
static bool is_made_before(const struct weir_audit_input *input)
{
    const struct weir_test *test = input->test;

    for (size_t i = 0; i < test->phase_count && test->phases[i] != input->phase; i++)
        if (weir_verb_makes_items(test->phases[i]->verb) && test->phases[i]->names.item != NULL &&
            test->phases[i]->names.is_directory == input->phase->names.is_directory)
            return true;
    return false;
}

/* Behind the first path of the test; true if all nodes see a local one. */
static bool is_local(const struct weir_audit_input *input)
{
    const struct weir_test_result *begun = input->begun;

    if (begun->has_several_filesystems)
        return false;
    for (unsigned i = 0; i < begun->storage_count; i++)
        if (!weir_storage_is_local(&begun->storages[i].facts))
            return false;
    return begun->storage_count > 0;
}

static bool is_in_memory(const struct weir_audit_input *input)
{
    const struct weir_test_result *begun = input->begun;

    if (begun->has_several_filesystems)
        return false;
    if (weir_audit_memory(input) == NULL)
        return false;
    for (unsigned i = 0; i < begun->storage_count; i++)
        if (!begun->storages[i].facts.is_known ||
            (weir_filesystem_is_memory(begun->storages[0].facts.type) &&
             !weir_filesystem_is_memory(begun->storages[i].facts.type)))
            return false;
    return begun->storage_count > 0;
}

/* ---- shifts that lead home ---- */

static uint64_t distance_of(const struct weir_phase *phase)
{
    return weir_verb_works_on_trees(phase->verb) && phase->shift.kind == WEIR_SHIFT_NODES_OR_RANKS
               ? phase->shift.distance
               : 0;
}

/* Does no phase of the test come home, if all go `factor` times as far over `divisor`? */
static bool leads_away(const struct weir_test *test, uint64_t factor, uint64_t divisor,
                       uint64_t nodes)
{
    for (size_t i = 0; i < test->phase_count; i++) {
        uint64_t distance = distance_of(test->phases[i]);

        if (distance > 0 && (unsigned __int128)(distance / divisor) * factor % nodes == 0)
            return false;
    }
    return true;
}

/* What the user gave, of which all distances are multiples; 0 if there is but one distance, of
 * which it may be any part. */
static uint64_t unit_of(const struct weir_test *test)
{
    uint64_t unit = 0;
    bool are_several = false;

    for (size_t i = 0; i < test->phase_count; i++) {
        uint64_t distance = distance_of(test->phases[i]), rest = unit;

        are_several |= distance > 0 && unit > 0 && distance != unit;
        unit = distance > 0 ? distance : unit;
        while (rest > 0) {
            uint64_t next = unit % rest;

            unit = rest;
            rest = next;
        }
    }
    return are_several ? unit : 0;
}

/* A distance that leads all phases away on as many nodes; else a number of nodes. */
static void advise_distance(const struct weir_audit_input *input, struct weir_text *text)
{
    uint64_t unit = unit_of(input->test), nodes = input->record->node_count;

    for (uint64_t distance = 1; unit > 0 && distance < nodes; distance++)
        if (leads_away(input->test, distance, unit, nodes)) {
            weir_text_add(text, WEIR_REMEDY_SHIFT_DISTANCE " %" PRIu64, distance);
            return;
        }
    while (!leads_away(input->test, 1, 1, nodes))
        nodes++;
    weir_text_add(text, "%" PRIu64 " nodes", nodes);
}

static bool goes_full_circle(const struct weir_audit_input *input)
{
    unsigned nodes = input->record->node_count;

    return nodes > 1 && distance_of(input->phase) > 0 &&
           weir_shift_distance(&input->phase->shift, nodes) % nodes == 0;
}

/* Why ranks find what their own node made, and behind it what leads them elsewhere. */
static void explain_nearness(const struct weir_audit_input *input, struct weir_text *why,
                             struct weir_text *way)
{
    const struct weir_phase_result *record = input->record;
    uint64_t distance = distance_of(input->phase);

    if (goes_full_circle(input)) {
        weir_text_add(why, ", %" PRIu64 " nodes further is a full circle of %u", distance,
                      record->node_count);
        advise_distance(input, way);
    } else if (distance > 0 && record->node_count > 1) {
        /* Rank shifts leave 2L - N ranks where L of N are on one node, and else none. */
        weir_text_add(why, ", one node has %u of the ranks",
                      (record->rank_count + record->near_rank_count) / 2);
        weir_text_add(way, "as many ranks on each node");
    } else if (input->phase->names.rotation.stride > 0) {
        weir_text_add(way, "a greater " WEIR_REMEDY_SHIFT_DISTANCE " on several nodes");
    } else {
        weir_text_add(way, WEIR_REMEDY_SHIFT_NODES " on several nodes");
    }
}

/* True if a command of the user has run on each node before the phase: nothing tells whether it has
 * dropped caches. One on a single rank leaves those of other nodes. */
static bool may_command_drop(const struct weir_names *names)
{
    return names->command_before != NULL && names->command_ranks != WEIR_COMMAND_FIRST_RANK;
}

/* ---- what counters say ---- */

/* Names that no cache has cost 34 to 298 bytes of a device each (ext4, xfs and btrfs), and requests
 * to a server more; names that a cache has cost nothing, but for what programs read besides. */
#define CACHED_BYTES 24.0
/* With fewer operations, the bytes that others move are as many. */
#define COUNTED_OPS 1000
/* File systems read no less than a page of a file. */
#define PAGE_BYTES 4096

/* Operations on names, and the data that were moved with them. */
struct name_work {
    uint64_t operations;
    uint64_t read_bytes;
    uint64_t written_bytes;
};

static void add_work(struct name_work *work, const struct weir_names *names, enum weir_verb verb,
                     uint64_t operations)
{
    uint64_t bytes = (names->bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;

    if (verb == WEIR_READ_FILE)
        work->read_bytes += bytes * operations;
    if (verb == WEIR_CREATE)
        work->written_bytes += bytes * operations;
    if (!weir_verb_makes_items(verb))
        work->operations += operations;
}

static struct name_work measure_work(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    struct name_work work = {0};

    if (record->verb_count == 0)
        add_work(&work, &input->phase->names, input->phase->verb, record->op_count);
    for (unsigned i = 0; i < record->verb_count; i++)
        add_work(&work, &input->phase->names, record->verbs[i].verb, record->verbs[i].op_count);
    return work;
}

static enum weir_evidence_state observe(const struct weir_audit_input *input,
                                        enum weir_evidence_state state, const char *reason)
{
    weir_result_observe(input->record, WEIR_EVIDENCE_NAMES, state, reason);
    return state;
}

/* True if devices supplied less than the data of the files that were read. */
static bool lacks_data(const struct weir_audit_input *input, uint64_t data_bytes)
{
    const struct weir_phase_result *record = input->record;

    return data_bytes > 0 && input->phase->verb == WEIR_READ_FILE &&
           record->supply.rank_count == record->rank_count &&
           (double)record->supply.storage_bytes <
               (1.0 - WEIR_RESIDENT_SHARE) * (double)record->byte_count;
}

/* Counters of devices include what others had them read; those of the ranks leave out what the
 * kernel reads for them. */
static uint64_t device_bytes(const struct weir_phase_result *record)
{
    uint64_t bytes = record->traffic.device_read_bytes;

    return record->supply.rank_count == record->rank_count && record->supply.storage_bytes < bytes
               ? record->supply.storage_bytes
               : bytes;
}

/* Sets *bytes to what storage moved for the names alone, as far as counters tell. */
static enum weir_evidence_state count_names(const struct weir_audit_input *input,
                                            const struct name_work *work, uint64_t *bytes)
{
    const struct weir_storage_facts *storage = weir_audit_first_storage(input);
    const char *lack = weir_audit_obstacle(input, WEIR_EVIDENCE_NAMES);
    struct weir_traffic traffic = input->record->traffic;
    uint64_t received, sent, data_bytes;
    bool is_remote;

    /* Below a loop device, few bytes prove that a cache answered, and many prove nothing. */
    if (lack != NULL &&
        (input->begun->has_several_filesystems || weir_storage_buffered_loop(storage) == NULL))
        return observe(input, WEIR_CANNOT_OBSERVE, lack);
    /* Clients count payloads, not the requests for names. */
    traffic.has_client = false;
    if (!weir_counted_bytes(storage, &traffic, false, &received) ||
        !weir_counted_bytes(storage, &traffic, true, &sent))
        return observe(input, WEIR_CANNOT_OBSERVE, "no counter of a device or network");
    is_remote = weir_counted_by(storage, &traffic) != WEIR_COUNTED_BY_DEVICES;
    data_bytes = work->read_bytes + (is_remote ? work->written_bytes : 0);
    /* Both directions have what passed the loopback device. */
    *bytes = is_remote ? received + sent - traffic.loopback_bytes : device_bytes(input->record);
    if ((double)*bytes < CACHED_BYTES * (double)work->operations)
        return observe(input, WEIR_SEEN, "bytes of devices and networks for each name");
    /* Holes and cached data are not among these bytes, and nothing tells how much of them is. */
    if (!is_remote && lacks_data(input, data_bytes))
        return observe(input, WEIR_CANNOT_OBSERVE, "a part of the data came from no device");
    *bytes = *bytes > data_bytes ? *bytes - data_bytes : 0;
    if ((double)*bytes < CACHED_BYTES * (double)work->operations)
        return observe(input, WEIR_SEEN, "bytes of devices and networks for each name");
    if (lack != NULL)
        return observe(input, WEIR_CANNOT_OBSERVE, lack);
    if (work->operations < COUNTED_OPS && input->record->has_dropped_caches &&
        input->test->cache_drop == WEIR_DROP_NODE)
        return observe(input, WEIR_NOT_SEEN, "caches that were dropped");
    if (work->operations < COUNTED_OPS)
        return observe(input, WEIR_CANNOT_OBSERVE, "too few names for counters of bytes");
    return observe(input, WEIR_NOT_SEEN, "bytes of devices and networks for each name");
}

static void add_drop(const struct weir_audit_input *input, struct weir_text *way)
{
    bool is_dropped =
        input->record->has_dropped_caches && input->test->cache_drop == WEIR_DROP_NODE;

    weir_text_add(way, "%s%s", way->length > 0 ? ", or " : "",
                  is_dropped ? "a new mount" : "--drop-caches node");
}

/* The plan alone says that a cache may have answered. */
static void report_guess(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    struct weir_text why = {0}, way = {0};

    explain_nearness(input, &why, &way);
    add_drop(input, &way);
    weir_result_find_as(record, WEIR_FINDING_NAMES_CACHED, WEIR_NOTE, WEIR_QUALIFY,
                        "nodes of %u of %u ranks made the names and may cache them%s%s -> %s",
                        record->near_rank_count, record->rank_count, weir_text_string(&why),
                        may_command_drop(&input->phase->names)
                            ? ", unless the command before the phase has dropped it"
                            : "",
                        weir_text_string(&way));
    weir_text_close(&why);
    weir_text_close(&way);
}

static void report_cached(const struct weir_audit_input *input, const struct name_work *work,
                          uint64_t bytes)
{
    bool is_near = input->record->near_rank_count > 0 && is_made_before(input);
    struct weir_text why = {0}, way = {0};
    char size[WEIR_SIZE_TEXT_BYTES];

    if (is_near)
        explain_nearness(input, &why, &way);
    add_drop(input, &way);
    weir_result_find(input->record, WEIR_FINDING_NAMES_CACHED,
                     "a cache answered %" PRIu64 " operations on names (%s from storage%s) -> %s",
                     work->operations, weir_size_format(bytes, size), weir_text_string(&why),
                     weir_text_string(&way));
    weir_text_close(&why);
    weir_text_close(&way);
}

/* --drop-caches node drops names and attributes with the pages; files leaves them. A change of what
 * this node made is worth a word where the user wants it done elsewhere, and a change of names that
 * an earlier run made always: they may be in the cache or not. */
static void check_client(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    bool is_near = record->near_rank_count > 0 && is_made_before(input);
    bool is_dropped = record->has_dropped_caches && input->test->cache_drop == WEIR_DROP_NODE;
    bool has_tried = record->depth_curve.count > 0 && asks(input->phase->verb);
    bool finds_names = does_ask(input->phase) ||
                       (!weir_verb_makes_items(input->phase->verb) && !is_made_before(input));
    struct name_work work = measure_work(input);
    enum weir_evidence_state state;
    uint64_t bytes = 0;

    if (input->phase->names.item == NULL || work.operations == 0 || input->test->is_dry_run ||
        input->begun->storage_count == 0 || (!finds_names && !goes_full_circle(input)))
        return;
    state = count_names(input, &work, &bytes);
    if (state == WEIR_SEEN)
        report_cached(input, &work, bytes);
    if (state != WEIR_CANNOT_OBSERVE || is_dropped)
        return;
    if (is_near)
        report_guess(input);
    else if (has_tried)
        weir_result_find_as(input->record, WEIR_FINDING_NAMES_CACHED, WEIR_NOTE, WEIR_QUALIFY,
                            "a cache may have answered, as trials of depths asked for the same "
                            "names -> --depth %u, or --drop-caches node",
                            record->depth);
}

void weir_audit_program_names(const struct weir_audit_input *input)
{
    const struct weir_program_result *program = input->record->program;
    struct name_work work = {0};
    uint64_t bytes;

    for (unsigned i = 0; program != NULL && i < program->call_count; i++) {
        const struct weir_call_result *call = &program->calls[i];
        const struct weir_call_row *row = &weir_calls[call->call];

        if (call->call == WEIR_CALL_STAT || call->call == WEIR_CALL_LOOKUP ||
            call->call == WEIR_CALL_LIST || call->call == WEIR_CALL_FOPEN)
            work.operations += call->count;
        if (row->moves_data && row->writes)
            work.written_bytes += call->byte_count;
        else if (row->moves_data)
            work.read_bytes += call->byte_count;
    }
    /* Programs that ask for fewer names are about data. */
    if (work.operations < COUNTED_OPS || input->test->is_dry_run ||
        input->begun->storage_count == 0 || is_in_memory(input))
        return;
    if (count_names(input, &work, &bytes) == WEIR_SEEN)
        report_cached(input, &work, bytes);
}

/* ---- the others ---- */

/* A network file system answers when its server has the change. */
static void check_delay(const struct weir_audit_input *input)
{
    const struct weir_names *names = &input->phase->names;
    bool changes = weir_verb_makes_items(input->phase->verb) ||
                   weir_verb_removes(input->phase->verb) || input->phase->verb == WEIR_RENAME;

    if (!changes || names->item == NULL || names->must_sync || names->must_sync_all ||
        !is_local(input))
        return;
    weir_result_find(input->record, WEIR_FINDING_NAMES_DELAYED,
                     "%s keeps changed names in memory beyond the phase -> " WEIR_REMEDY_SYNC_ALL,
                     input->begun->storages[0].facts.type);
}

/* Which has no other names than those in its caches, and writes none. */
static void check_memory(const struct weir_audit_input *input)
{
    if (input->phase->names.item != NULL && !input->test->is_dry_run)
        weir_result_find(input->record, WEIR_FINDING_IN_MEMORY,
                         "%s keeps the names in memory -> choose a storage with " WEIR_REMEDY_PATH,
                         input->begun->storages[0].facts.type);
}

/* Names of an earlier run: those of this run are failures where they are missing. An item that
 * exists is only opened. */
static void check_earlier(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;

    if (record->absent_count > 0)
        weir_result_find(input->record, WEIR_FINDING_ABSENT,
                         "%" PRIu64 " names to be removed did not exist, and are not in the rate",
                         record->absent_count);
    if (record->found_count > 0)
        weir_result_find(input->record, WEIR_FINDING_OLD_NAMES,
                         "%" PRIu64 " items to be created existed already -> remove them first "
                         "with " WEIR_REMEDY_REMOVE,
                         record->found_count);
}

/* Each rank queues the operations that its own kernel can queue, unless a depth is searched for. */
static void check_depths(const struct weir_audit_input *input)
{
    if (input->record->depth_max > 0)
        weir_result_find(input->record, WEIR_FINDING_DEPTHS_DIFFER,
                         "ranks had %u to %u operations in flight, as some kernels queue fewer -> "
                         "--depth %u",
                         input->record->depth, input->record->depth_max, input->record->depth);
}

void weir_audit_names(const struct weir_audit_input *input)
{
    if (is_in_memory(input)) {
        check_memory(input);
    } else {
        check_client(input);
        check_delay(input);
    }
    check_earlier(input);
    check_depths(input);
}
