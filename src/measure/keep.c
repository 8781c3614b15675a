/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps records that have been shown. A run may have many thousand phases that are alike: what
 * they have in common is stored once. */
#include "weir/base/memory.h"
#include "weir/measure/result.h"

#include <math.h>
#include <string.h>

/* ---- histories ---- */

static struct weir_phase_history *find_history(const struct weir_result *result, unsigned test,
                                               unsigned phase)
{
    for (unsigned i = result->history_count; i-- > 0;)
        if (result->histories[i].test == test && result->histories[i].phase == phase)
            return &result->histories[i];
    return NULL;
}

const struct weir_phase_history *weir_result_history(const struct weir_result *result,
                                                     unsigned test, unsigned phase)
{
    const struct weir_phase_history *history = find_history(result, test, phase);

    return history != NULL && history->sum != NULL ? history : NULL;
}

static struct weir_phase_history *history_of(struct weir_result *result,
                                             const struct weir_phase_result *record)
{
    struct weir_phase_history *history = find_history(result, record->test, record->phase);
    unsigned count = result->history_count;

    if (history != NULL)
        return history;
    /* Grows at 1, 2, 4, 8, ... */
    if ((count & (count - 1)) == 0)
        result->histories = weir_memory_grow(result->histories,
                                             (count > 0 ? 2 * (size_t)count : 1) * sizeof *history);
    history = &result->histories[result->history_count++];
    *history = (struct weir_phase_history){.test = record->test, .phase = record->phase};
    return history;
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

static bool has_same_notes(const struct weir_phase_result *record,
                           const struct weir_phase_result *earlier)
{
    if (record->finding_count != earlier->finding_count)
        return false;
    for (unsigned i = 0; i < record->finding_count; i++) {
        const struct weir_finding *one = &record->findings[i], *other = &earlier->findings[i];

        if (one->severity != WEIR_NOTE || other->severity != WEIR_NOTE ||
            one->effect != other->effect || strcmp(one->name, other->name) != 0 ||
            strcmp(one->text, other->text) != 0)
            return false;
    }
    return true;
}

/* Into a list of its own, with the room that weir_finding_add takes for granted. */
void weir_result_forget(struct weir_phase_result *phase, enum weir_finding_kind kind)
{
    const char *name = weir_finding_rows[kind].name;
    const struct weir_finding *earlier = phase->findings;
    unsigned count = phase->finding_count;

    phase->findings =
        weir_arena_take(phase->arena, (2 * (size_t)count + 4) * sizeof *phase->findings);
    phase->finding_count = 0;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(earlier[i].name, name) != 0)
            phase->findings[phase->finding_count++] = earlier[i];
}

static void keep_findings(struct weir_arena *arena, struct weir_phase_result *record)
{
    record->findings =
        keep_list(arena, record->findings, record->finding_count * sizeof *record->findings);
    for (unsigned i = 0; i < record->finding_count; i++)
        record->findings[i].text = weir_arena_copy(arena, record->findings[i].text);
}

static void keep_evidence(struct weir_arena *arena, struct weir_phase_result *record,
                          const struct weir_phase_result *earlier)
{
    for (unsigned i = 0; i < WEIR_EVIDENCE_COUNT; i++) {
        const char *reason = record->evidence[i].reason;
        const char *before = earlier == NULL ? NULL : earlier->evidence[i].reason;

        if (reason == NULL)
            continue;
        record->evidence[i].reason =
            before != NULL && strcmp(reason, before) == 0 ? before : weir_arena_copy(arena, reason);
    }
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
    if (!(node->waited_share <= sum->waited_share)) {
        sum->waited_share = node->waited_share;
        sum->first_waited = node->first_waited;
        sum->pressure = node->pressure;
    }
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

/* Shown at the end only: percentiles and, of an open loop, how its backlog grew. */
static void keep_times(struct weir_arena *arena, struct weir_phase_result *record)
{
    record->latency = weir_histogram_trim(arena, record->latency);
    record->submission = weir_histogram_trim(arena, record->submission);
    record->response = weir_histogram_trim(arena, record->response);
    record->write_latency = weir_histogram_trim(arena, record->write_latency);
    record->read_latency = weir_histogram_trim(arena, record->read_latency);
    for (unsigned i = 0; i < record->verb_count; i++)
        record->verbs[i].latency = weir_histogram_trim(arena, record->verbs[i].latency);
    record->series =
        record->response == NULL ? NULL : keep_list(arena, record->series, sizeof *record->series);
}

/* ---- sums ---- */

static bool has_same_text(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Nothing in it needs a line of its own. */
static bool is_plain(const struct weir_phase_result *record)
{
    return record->outcome == WEIR_OUTCOME_COMPLETE && !record->is_interrupted &&
           record->failure[0] == '\0' && record->error_count == 0 && !record->has_lost_bytes &&
           !record->has_differing_sizes && record->mismatches.wrong_transfers == 0 &&
           record->outlier_count == 0 && record->notes == NULL && record->shortfall == NULL &&
           record->stall == NULL && record->absent_count == 0 && record->found_count == 0 &&
           record->left_count == 0 && !record->stonewall.has_deadline && record->response == NULL &&
           record->program == NULL && !weir_result_has_drift(record);
}

static struct weir_history_note *find_note(struct weir_phase_history *history, const char *name)
{
    for (unsigned i = 0; i < history->note_count; i++)
        if (strcmp(history->notes[i].name, name) == 0)
            return &history->notes[i];
    return NULL;
}

static bool has_known_notes(struct weir_phase_history *history,
                            const struct weir_phase_result *record)
{
    for (unsigned i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity != WEIR_NOTE ||
            find_note(history, record->findings[i].name) == NULL)
            return false;
    return true;
}

static void learn_notes(struct weir_phase_history *history, const struct weir_phase_result *record)
{
    for (unsigned i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity == WEIR_NOTE && history->note_count < WEIR_HISTORY_NOTES &&
            find_note(history, record->findings[i].name) == NULL)
            history->notes[history->note_count++].name = record->findings[i].name;
}

static bool is_like(const struct weir_phase_result *record, const struct weir_phase_result *earlier)
{
    return is_plain(record) && is_plain(earlier) && record->rank_count == earlier->rank_count &&
           record->depth == earlier->depth && record->batch == earlier->batch &&
           record->believed == earlier->believed && record->data_seed == earlier->data_seed &&
           record->order_seed == earlier->order_seed &&
           has_same_text(record->granted, earlier->granted);
}

static struct weir_histogram *empty_histogram(struct weir_arena *arena,
                                              const struct weir_histogram *like)
{
    struct weir_histogram *histogram;

    if (like == NULL)
        return NULL;
    histogram = weir_arena_take(arena, sizeof *histogram);
    weir_histogram_reset(histogram);
    return histogram;
}

static struct weir_phase_result *begin_sum(struct weir_arena *arena,
                                           const struct weir_phase_result *record)
{
    struct weir_phase_result *sum = weir_arena_take(arena, sizeof *sum);

    sum->latency = empty_histogram(arena, record->latency);
    sum->write_latency = empty_histogram(arena, record->write_latency);
    sum->read_latency = empty_histogram(arena, record->read_latency);
    sum->verb_count = record->verb_count;
    for (unsigned i = 0; i < record->verb_count; i++) {
        sum->verbs[i].verb = record->verbs[i].verb;
        sum->verbs[i].latency = empty_histogram(arena, record->verbs[i].latency);
    }
    sum->rank_s_min = INFINITY;
    return sum;
}

/* The worst clock of the run is taken from the record that stays. */
static void add_up(struct weir_arena *arena, struct weir_phase_history *history,
                   const struct weir_phase_result *record, struct weir_phase_result *earlier)
{
    double total_s = record->windows.total_s;

    if (history->sum == NULL)
        history->sum = begin_sum(arena, record);
    weir_result_merge(history->sum, record, 1);
    for (unsigned i = 0; i < record->finding_count; i++)
        find_note(history, record->findings[i].name)->count++;
    weir_sums_add(&history->bytes_per_s,
                  total_s >= 1e-9 ? (double)record->byte_count / total_s : 0.0);
    weir_sums_add(&history->ops_per_s, total_s >= 1e-9 ? (double)record->op_count / total_s : 0.0);
    weir_sums_add(&history->total_s, total_s);
    history->checked_transfers += record->mismatches.checked_transfers;
    earlier->clock.error_s = fmax(earlier->clock.error_s, record->clock.error_s);
    earlier->clock.offset_s = fmax(earlier->clock.offset_s, record->clock.offset_s);
}

/* ---- one record ---- */

static unsigned outliers_kept(const struct weir_phase_result *record)
{
    return record->outlier_count < WEIR_OUTLIERS_KEPT ? record->outlier_count : WEIR_OUTLIERS_KEPT;
}

/* True if the sums of the repetitions contain everything about this one. `earlier`: the latest
 * record that was kept. */
static bool belongs_to_sums(struct weir_phase_history *history,
                            const struct weir_phase_result *record,
                            const struct weir_phase_result *earlier, bool is_first)
{
    return history->kept >= WEIR_REPETITIONS_KEPT && !is_first && is_like(record, earlier) &&
           has_known_notes(history, record) &&
           (record->node_places == NULL || has_same_nodes(record, record - 1));
}

static void keep_record(struct weir_arena *arena, struct weir_phase_result *record,
                        const struct weir_phase_result *earlier, bool is_first)
{
    record->arena = arena;
    record->rows = record->earlier_rows = NULL;
    record->rank_times = record->earlier_rank_times = NULL;
    record->rank_rates = (struct weir_rank_rates){0};
    record->rank_series = (struct weir_rank_series){0};
    record->gap = (struct weir_rank_gap){.seconds = 0.0};
    record->granted = keep_text(arena, record->granted, earlier ? earlier->granted : NULL);
    record->shortfall = keep_text(arena, record->shortfall, earlier ? earlier->shortfall : NULL);
    record->notes = keep_text(arena, record->notes, earlier ? earlier->notes : NULL);
    record->failure = keep_text(arena, record->failure, "");
    record->stall = weir_arena_copy(arena, record->stall);
    for (unsigned i = 0; i < record->slow_directory_count; i++)
        record->slow_directories[i].path = weir_arena_copy(arena, record->slow_directories[i].path);
    record->outliers =
        keep_list(arena, record->outliers, outliers_kept(record) * sizeof *record->outliers);
    record->mismatches.first = keep_list(arena, record->mismatches.first,
                                         record->mismatches.kept * sizeof(struct weir_mismatch));
    if (earlier != NULL && has_same_notes(record, earlier))
        record->findings = earlier->findings;
    else
        keep_findings(arena, record);
    keep_evidence(arena, record, earlier);
    keep_places(arena, record, is_first ? NULL : record - 1);
    keep_times(arena, record);
}

/* `earlier` is the same phase of an earlier repetition; the record before, of any phase of the
 * test, lends its places. */
void weir_result_keep_phase(struct weir_result *result, bool keeps_each_note)
{
    unsigned position = result->phase_count - 1;
    struct weir_phase_result *record = &result->phases[position];
    struct weir_phase_history *history = history_of(result, record);
    struct weir_phase_result *earlier = history->kept > 0 ? &result->phases[history->latest] : NULL;
    bool is_first = position == 0 || record[-1].test != record->test;

    if (!keeps_each_note && belongs_to_sums(history, record, earlier, is_first)) {
        keep_places(&result->arena, record, record - 1);
        add_up(&result->arena, history, record, earlier);
        result->phase_count--;
    } else {
        history->kept++;
        history->latest = position;
        learn_notes(history, record);
        keep_record(&result->arena, record, earlier, is_first);
    }
    weir_arena_clear(&result->shown);
}
