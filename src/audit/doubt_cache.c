/* SPDX-License-Identifier: Apache-2.0 */
/* Doubts whether reads came from the storage: whose data a rank read, and through which cache. */
#include "doubts.h"

#include "weir/base/text.h"

#include <inttypes.h>

static bool is_written_before(const struct weir_subject *subject)
{
    const struct weir_test *test = subject->test;

    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_phase_writes(test->phases[i]) && test->phases[i]->number < subject->phase->number)
            return true;
    return false;
}

static bool goes_full_circle(const struct weir_subject *subject)
{
    const struct weir_shift *shift = &subject->phase->shift;
    unsigned nodes = subject->record->node_count;

    return shift->kind == WEIR_SHIFT_NODES && weir_shift_distance(shift, nodes) % nodes == 0;
}

/* Of two nodes the check stays on its own, as the timed reads are to find nothing cached on the
 * other one. */
static bool leaves_reads_alone(const struct weir_subject *subject)
{
    return subject->phase->is_check && subject->record->node_count == 2 &&
           weir_test_phase(subject->test, WEIR_READ) != NULL;
}

/* What is mixed cannot be shifted: a rank writes its own part. */
static const char *other_way_out(const struct weir_subject *subject)
{
    return subject->phase->verb == WEIR_MIXED ? "use direct I/O" : ", or direct I/O";
}

/* Why ranks stay on their own node, and the way out. */
static void explain_nearness(const struct weir_subject *subject, struct weir_text *text)
{
    const struct weir_phase_result *record = subject->record;
    const struct weir_shift *shift = &subject->phase->shift;
    const struct weir_test *test = subject->test;
    const char *letter = shift->kind == WEIR_SHIFT_NODES ? "-C" : "-Z";

    if (subject->phase->verb == WEIR_MIXED)
        return;
    if (shift->kind == WEIR_SHIFT_NONE)
        weir_text_add(text, "use -C on several nodes");
    else if (record->node_count < 2)
        weir_text_add(text, "%s finds no other node: use several", letter);
    else if (shift->kind == WEIR_SHIFT_PERMUTATION)
        weir_text_add(text, "-Z -Z takes near ranks too: use -Z");
    else if (test->given_nodes > 0 || test->given_ranks_per_node > 0)
        weir_text_add(text, "%s took the given numbers of nodes and ranks for true: leave them out",
                      letter);
    else if (shift->distance == 0)
        weir_text_add(text, "-Q 0 asks for no other node: use -Q 1");
    else if (goes_full_circle(subject) && leaves_reads_alone(subject))
        weir_text_add(text, "-W leaves the other node to -r: verify with -R");
    else if (goes_full_circle(subject))
        weir_text_add(text, "%" PRIu64 " nodes further is a full circle of %u: use another -Q",
                      shift->distance, record->node_count);
    else /* Rank shifts leave 2L - N ranks where L of N are on one node, and else none. */
        weir_text_add(text, "one node has %u of the %u ranks: spread them evenly",
                      (record->rank_count + record->near_rank_count) / 2, record->rank_count);
}

static void doubt_nearness(const struct weir_subject *subject, bool may_be_cached)
{
    struct weir_phase_result *record = subject->record;
    enum weir_shift_kind kind = subject->phase->shift.kind;
    struct weir_text why = {0};

    explain_nearness(subject, &why);
    if (may_be_cached && is_written_before(subject))
        weir_result_find(record, WEIR_NOTE, "cache",
                         "%u of %u ranks read back what their own node wrote, through a page cache "
                         "that may have served it: %s%s",
                         record->near_rank_count, record->rank_count, weir_text_string(&why),
                         other_way_out(subject));
    else if (kind == WEIR_SHIFT_NODES || kind == WEIR_SHIFT_RANDOM)
        weir_result_find(record, WEIR_NOTE, "near",
                         "%u of %u ranks read what their own node writes: %s",
                         record->near_rank_count, record->rank_count, weir_text_string(&why));
    weir_text_close(&why);
}

/* A check under -Z draws the same parts as the reads after it; under -C, parts of other nodes. */
static bool is_checked_before(const struct weir_subject *subject)
{
    const struct weir_test *test = subject->test;
    enum weir_shift_kind kind = subject->phase->shift.kind;

    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->is_check && test->phases[i]->number < subject->phase->number)
            return kind == WEIR_SHIFT_RANDOM || kind == WEIR_SHIFT_PERMUTATION;
    return false;
}

void weir_doubt_cache(const struct weir_subject *subject)
{
    bool may_be_cached = weir_subject_passes_cache(subject);

    if (!weir_phase_reads(subject->phase) || subject->test->is_dry_run ||
        (weir_test_abilities(subject->test) & WEIR_CAN_KEEP) == 0)
        return;
    if (subject->record->near_rank_count > 0)
        doubt_nearness(subject, may_be_cached);
    if (may_be_cached && !subject->phase->is_check && is_checked_before(subject))
        weir_result_find(subject->record, WEIR_NOTE, "checked-before",
                         "each rank reads what it has read for -W, through a page cache that may "
                         "have served it: verify with -R instead, or use direct I/O");
    if (may_be_cached && subject->record->depth_curve.count > 0)
        weir_result_find(subject->record, WEIR_NOTE, "searched-before",
                         "the search for a depth read the same files before, through a page cache "
                         "that may have served the rest: use direct I/O");
}
