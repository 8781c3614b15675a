/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a record that has been shown. A run may have many thousand phases that are alike:
 * what they have in common is kept once. */
#include "weir/base/memory.h"
#include "weir/measure/result.h"

#include <math.h>
#include <string.h>

/* The phases of other tests are not looked through. */
static const struct weir_phase_result *find_earlier(const struct weir_result *result,
                                                    const struct weir_phase_result *record)
{
    for (const struct weir_phase_result *earlier = record; earlier-- > result->phases;) {
        if (earlier->test != record->test)
            return NULL;
        if (earlier->phase == record->phase)
            return earlier;
    }
    return NULL;
}

static const char *keep_text(struct weir_arena *arena, const char *text, const char *earlier)
{
    if (text != NULL && earlier != NULL && strcmp(text, earlier) == 0)
        return earlier;
    return weir_arena_copy(arena, text);
}

static void *keep_list(struct weir_arena *arena, const void *list, size_t bytes)
{
    return list == NULL || bytes == 0 ? NULL : memcpy(weir_arena_take(arena, bytes), list, bytes);
}

/* ---- findings ---- */

/* Of equal notes the first is told, with the number of all. */
static bool has_same_notes(const struct weir_phase_result *record,
                           const struct weir_phase_result *earlier)
{
    if (record->finding_count != earlier->finding_count)
        return false;
    for (unsigned i = 0; i < record->finding_count; i++) {
        const struct weir_finding *one = &record->findings[i], *other = &earlier->findings[i];

        if (one->severity != WEIR_NOTE || other->severity != WEIR_NOTE ||
            strcmp(one->name, other->name) != 0)
            return false;
    }
    return true;
}

static void keep_findings(struct weir_arena *arena, struct weir_phase_result *record)
{
    record->findings =
        keep_list(arena, record->findings, record->finding_count * sizeof *record->findings);
    for (unsigned i = 0; i < record->finding_count; i++)
        record->findings[i].text = weir_arena_copy(arena, record->findings[i].text);
}

/* ---- places ---- */

/* All but times and counts of what happened there. */
static bool is_same_node(const struct weir_node_places *one, const struct weir_node_places *other)
{
    return strcmp(one->host, other->host) == 0 && one->rank_count == other->rank_count &&
           weir_cpu_set_equals(&one->cpus, &other->cpus) && one->core_count == other->core_count &&
           one->is_pinned == other->is_pinned && one->crowded_count == other->crowded_count &&
           one->moved_count == other->moved_count && one->cpu_nodes == other->cpu_nodes &&
           one->page_nodes == other->page_nodes && one->away_count == other->away_count &&
           one->remote_count == other->remote_count;
}

static void add_known(uint64_t *sum, uint64_t value)
{
    if (value != WEIR_UNKNOWN)
        *sum = *sum == WEIR_UNKNOWN ? value : *sum + value;
}

static void add_node(struct weir_node_places *sum, const struct weir_node_places *node)
{
    sum->cpu_s += node->cpu_s;
    sum->wall_s += node->wall_s;
    add_known(&sum->migrations, node->migrations);
    add_known(&sum->preemptions, node->preemptions);
    sum->throttled_s = fmax(sum->throttled_s, node->throttled_s);
    sum->stolen_share = fmax(sum->stolen_share, node->stolen_share);
}

static bool has_same_nodes(const struct weir_phase_result *record,
                           const struct weir_phase_result *before)
{
    if (record->node_places == NULL || before->node_places == NULL ||
        record->node_count != before->node_count)
        return false;
    for (unsigned i = 0; i < record->node_count; i++)
        if (!is_same_node(&record->node_places[i], &before->node_places[i]))
            return false;
    return true;
}

/* `before`: the phase before in the same test, or NULL. */
static void keep_places(struct weir_arena *arena, struct weir_phase_result *record,
                        const struct weir_phase_result *before)
{
    const size_t rank_bytes = record->rank_count * sizeof *record->rank_places;

    if (before != NULL && has_same_nodes(record, before)) {
        for (unsigned i = 0; i < record->node_count; i++)
            add_node(&before->node_places[i], &record->node_places[i]);
        record->node_places = before->node_places;
    } else {
        record->node_places =
            keep_list(arena, record->node_places, record->node_count * sizeof *record->node_places);
    }
    if (before != NULL && before->node_places == record->node_places && record->rank_places &&
        before->rank_places && before->rank_count == record->rank_count)
        record->rank_places = memcpy(before->rank_places, record->rank_places, rank_bytes);
    else
        record->rank_places = keep_list(arena, record->rank_places, rank_bytes);
}

/* ---- times of single transfers ---- */

/* What is told at the end: percentiles, and of an open loop how its backlog grew. */
static void keep_times(struct weir_arena *arena, struct weir_phase_result *record)
{
    record->latency = weir_histogram_trim(arena, record->latency);
    record->submission = weir_histogram_trim(arena, record->submission);
    record->response = weir_histogram_trim(arena, record->response);
    record->write_latency = weir_histogram_trim(arena, record->write_latency);
    record->read_latency = weir_histogram_trim(arena, record->read_latency);
    record->series =
        record->response == NULL ? NULL : keep_list(arena, record->series, sizeof *record->series);
}

static unsigned outliers_kept(const struct weir_phase_result *record)
{
    return record->outlier_count < WEIR_OUTLIERS_KEPT ? record->outlier_count : WEIR_OUTLIERS_KEPT;
}

void weir_result_keep_phase(struct weir_result *result, bool keeps_each_note)
{
    struct weir_phase_result *record = &result->phases[result->phase_count - 1];
    const struct weir_phase_result *earlier = find_earlier(result, record);
    bool is_first = record == result->phases || record[-1].test != record->test;
    struct weir_arena *arena = &result->arena;

    record->arena = arena;
    record->rows = NULL;
    record->gap = (struct weir_rank_gap){.seconds = 0.0};
    record->granted = keep_text(arena, record->granted, earlier ? earlier->granted : NULL);
    record->shortfall = keep_text(arena, record->shortfall, earlier ? earlier->shortfall : NULL);
    record->notes = keep_text(arena, record->notes, earlier ? earlier->notes : NULL);
    record->failure = keep_text(arena, record->failure, "");
    record->stall = weir_arena_copy(arena, record->stall);
    record->outliers =
        keep_list(arena, record->outliers, outliers_kept(record) * sizeof *record->outliers);
    record->mismatches.first = keep_list(arena, record->mismatches.first,
                                         record->mismatches.kept * sizeof(struct weir_mismatch));
    if (!keeps_each_note && earlier != NULL && has_same_notes(record, earlier))
        record->findings = earlier->findings;
    else
        keep_findings(arena, record);
    keep_places(arena, record, is_first ? NULL : record - 1);
    keep_times(arena, record);
    weir_arena_clear(&result->shown);
}
