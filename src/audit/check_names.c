/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on the names of trees: is it the file system that answered, or a cache of it; and is
 * what was done more than a change in memory? */
#include "checks.h"

#include "weir/base/remedy.h"
#include "weir/base/text.h"

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
    for (unsigned i = 0; i < begun->storage_count; i++)
        if (!begun->storages[i].facts.is_known ||
            !weir_audit_is_memory(begun->storages[i].facts.type))
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
        weir_text_add(why, ", as %" PRIu64 " nodes further is a full circle of %u", distance,
                      record->node_count);
        advise_distance(input, way);
    } else if (distance > 0 && record->node_count > 1) {
        /* Rank shifts leave 2L - N ranks where L of N are on one node, and else none. */
        weir_text_add(why, ", as one node has %u of them",
                      (record->rank_count + record->near_rank_count) / 2);
        weir_text_add(way, "as many ranks on each node");
    } else if (input->phase->names.rotation.stride > 0) {
        weir_text_add(way, "a greater " WEIR_REMEDY_SHIFT_DISTANCE " on several nodes");
    } else {
        weir_text_add(way, WEIR_REMEDY_SHIFT_NODES " on several nodes");
    }
}

/* Trials ask for what the phase will ask for, also where another node has made it. */
static void check_trials(const struct weir_audit_input *input)
{
    if (input->record->depth_curve.count > 0 && asks(input->phase->verb))
        weir_result_find(input->record, WEIR_FINDING_NAMES_CACHED,
                         "trials of depths have asked for the same names on the same nodes: their "
                         "memory may have answered, and not the file system: use --depth %u, or "
                         "--drop-caches node",
                         input->record->depth);
}

/* True if a command of the user has run on each node before the phase: nothing tells whether it has
 * dropped caches. One on a single rank leaves those of other nodes. */
static bool may_command_drop(const struct weir_names *names)
{
    return names->command_before != NULL && names->command_ranks != WEIR_COMMAND_FIRST_RANK;
}

/* --drop-caches node drops names and attributes with the pages; files leaves them. A change of what
 * this node made is worth a word where the user wants it done elsewhere. */
static void check_client(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    bool is_near = record->near_rank_count > 0 && is_made_before(input);
    const struct weir_names *names = &input->phase->names;
    struct weir_text why = {0}, way = {0};

    if (record->has_dropped_caches && input->test->cache_drop == WEIR_DROP_NODE)
        return;
    if (!is_near || (!does_ask(input->phase) && !goes_full_circle(input))) {
        check_trials(input);
        return;
    }
    explain_nearness(input, &why, &way);
    weir_result_find(record, WEIR_FINDING_NAMES_CACHED,
                     "%u of %u ranks worked on what their own node had made%s: its memory may "
                     "have answered, and not the file system%s: use %s, or --drop-caches node",
                     record->near_rank_count, record->rank_count, weir_text_string(&why),
                     may_command_drop(names) ? ", unless the command before the phase has emptied "
                                               "it"
                                             : "",
                     weir_text_string(&way));
    weir_text_close(&why);
    weir_text_close(&way);
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
                     "a local file system (%s) changes names in memory, and writes them later: the "
                     "time has no such writes; " WEIR_REMEDY_SYNC_ALL " has them in it",
                     input->begun->storages[0].facts.type);
}

/* Which has no other names than those in its caches, and writes none. */
static void check_memory(const struct weir_audit_input *input)
{
    if (input->phase->names.item != NULL && !input->test->is_dry_run)
        weir_result_find(input->record, WEIR_FINDING_IN_MEMORY,
                         "the names are on %s, which is memory: name a directory of the storage "
                         "with " WEIR_REMEDY_PATH,
                         input->begun->storages[0].facts.type);
}

/* Names that this run made are missed as failures; these were another run's. */
static void check_absent(const struct weir_audit_input *input)
{
    if (input->record->absent_count > 0)
        weir_result_find(input->record, WEIR_FINDING_ABSENT,
                         "%llu names that were to be removed were not there: rates count those "
                         "that were",
                         (unsigned long long)input->record->absent_count);
}

/* Each rank queues the operations that its own kernel can queue, unless a depth is searched for. */
static void check_depths(const struct weir_audit_input *input)
{
    if (input->record->depth_max > 0)
        weir_result_find(input->record, WEIR_FINDING_DEPTHS_DIFFER,
                         "some ranks had %u operation%s in flight and others %u, as not every "
                         "rank can queue those of this phase: use --depth %u for all of them",
                         input->record->depth, input->record->depth == 1 ? "" : "s",
                         input->record->depth_max, input->record->depth);
}

void weir_audit_names(const struct weir_audit_input *input)
{
    if (is_in_memory(input)) {
        check_memory(input);
    } else {
        check_client(input);
        check_delay(input);
    }
    check_absent(input);
    check_depths(input);
}
