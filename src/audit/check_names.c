/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on the names of trees: is it the file system that answered, or a cache of it; and is
 * what was done more than a change in memory? */
#include "checks.h"

#include "weir/base/remedy.h"

#include <assert.h>

static bool makes(enum weir_verb verb)
{
    return verb == WEIR_CREATE || verb == WEIR_MKNOD || verb == WEIR_MKDIR;
}

/* The answer is an attribute, a name or an open file, which a client may have kept. */
static bool asks(enum weir_verb verb)
{
    return verb == WEIR_STAT || verb == WEIR_OPEN || verb == WEIR_READ_FILE ||
           verb == WEIR_GETXATTR || verb == WEIR_LIST || verb == WEIR_LIST_STAT;
}

/* Earlier in the plan, items of the same kind. */
static bool is_made_before(const struct weir_audit_input *input)
{
    const struct weir_test *test = input->test;

    for (size_t i = 0; i < test->phase_count && test->phases[i] != input->phase; i++)
        if (makes(test->phases[i]->verb) && test->phases[i]->names.item != NULL &&
            test->phases[i]->names.is_directory == input->phase->names.is_directory)
            return true;
    return false;
}

/* Behind the first path of the test; true if all nodes see a local one. */
static bool is_local(const struct weir_audit_input *input)
{
    const struct weir_test_result *begun = input->begun;

    for (unsigned i = 0; i < begun->storage_count; i++)
        if (!begun->storages[i].facts.is_known || begun->storages[i].facts.is_network)
            return false;
    return begun->storage_count > 0;
}

/* --drop-caches node drops dentries and inodes with the pages; files leaves them. */
static void check_client(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;

    if (!asks(input->phase->verb) || record->near_rank_count == 0 || !is_made_before(input) ||
        input->test->cache_drop == WEIR_DROP_NODE)
        return;
    weir_result_find(record, WEIR_NOTE, "names-cached",
                     "%u of %u ranks asked for what their own node had made: its memory may have "
                     "answered, and not the file system: use " WEIR_REMEDY_SHIFT_NODES
                     " on several nodes, or --drop-caches node",
                     record->near_rank_count, record->rank_count);
}

/* A network file system answers when its server has the change. */
static void check_delay(const struct weir_audit_input *input)
{
    const struct weir_names *names = &input->phase->names;
    bool changes = makes(input->phase->verb) || weir_verb_removes(input->phase->verb) ||
                   input->phase->verb == WEIR_RENAME;

    if (!changes || names->item == NULL || names->must_sync || names->must_sync_all ||
        !is_local(input))
        return;
    weir_result_find(input->record, WEIR_NOTE, "names-delayed",
                     "a local file system (%s) changes names in memory, and writes them later: the "
                     "time has no such writes; " WEIR_REMEDY_SYNC_ALL " has them in it",
                     input->begun->storages[0].facts.type);
}

/* Names that this run made are missed as failures; these were another run's. */
static void check_absent(const struct weir_audit_input *input)
{
    if (input->record->absent_count > 0)
        weir_result_find(input->record, WEIR_NOTE, "absent",
                         "%llu names that were to be removed were not there: rates count those "
                         "that were",
                         (unsigned long long)input->record->absent_count);
}

void weir_audit_names(const struct weir_audit_input *input)
{
    check_client(input);
    check_delay(input);
    check_absent(input);
}
