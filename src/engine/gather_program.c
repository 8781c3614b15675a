/* SPDX-License-Identifier: Apache-2.0 */
/* Calls are the same on all ranks and are added up. Labels, events and failures differ: each rank
 * sends its own in one message, and rank 0 puts them together in the order of ranks. */
#include "gather_program.h"

#include "gather_tally.h"
#include "label_spans.h"
#include "program_times.h"

#include "weir/base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

struct header {
    uint64_t statement_count;
    uint64_t label_count;
    uint64_t event_count;
    uint64_t failure_count;
    uint64_t merged_count;
    uint64_t unlisted_count;
    uint64_t untold_count;
    uint64_t bytes; /* of the message */
};

/* A label, which is followed by `span_count` spans and by the buckets of its histogram from the
 * least value to the greatest. Times relative to the agreed start. */
struct label_part {
    char name[WEIR_LABEL_NAME_BYTES];
    uint64_t is_core;
    uint64_t execution_count;
    uint64_t call_count;
    uint64_t byte_count;
    uint64_t call_ns;
    uint64_t total_ns;
    uint64_t written_asked_bytes;
    uint64_t unstored_bytes;
    uint64_t unsynced_bytes;
    uint64_t read_bytes;
    uint64_t storage_read_bytes;
    int64_t first_begin_ns;
    int64_t last_end_ns;
    uint64_t span_count;
    uint64_t sum_ns; /* of the histogram */
    uint64_t min_ns;
    uint64_t max_ns;
};

/* A failure, which is followed by its path. */
struct failure_part {
    uint64_t count;
    uint32_t line;
    uint32_t call;
    int32_t code;
    uint32_t path_bytes;
};

/* ---- what a rank sends ---- */

static int64_t time_of(const struct weir_phase_facts *facts, uint64_t local_ns)
{
    return weir_time_global(&facts->before, &facts->after, local_ns) -
           weir_time_global(&facts->before, &facts->after, facts->start_ns);
}

static void add(struct weir_text *message, const void *data, size_t bytes)
{
    weir_text_add_bytes(message, data, bytes);
}

static void pack_label(struct weir_text *message, const struct weir_phase_facts *facts,
                       const struct weir_label *label)
{
    const struct weir_histogram *duration = &label->duration;
    struct label_part part = {
        .is_core = label->is_core,
        .execution_count = label->execution_count,
        .call_count = label->call_count,
        .byte_count = label->byte_count,
        .call_ns = label->call_ns,
        .total_ns = label->total_ns,
        .written_asked_bytes = label->written_asked_bytes,
        .unstored_bytes = label->unstored_bytes,
        .unsynced_bytes = label->unsynced_bytes,
        .read_bytes = label->read_bytes,
        .storage_read_bytes = label->storage_read_bytes,
        .first_begin_ns = time_of(facts, label->first_begin_ns),
        .last_end_ns = time_of(facts, label->last_end_ns),
        .span_count =
            label->execution_count < WEIR_LABEL_STARTS ? label->execution_count : WEIR_LABEL_STARTS,
        .sum_ns = duration->sum_ns,
        .min_ns = duration->min_ns,
        .max_ns = duration->max_ns,
    };
    unsigned first = weir_histogram_bucket(duration->min_ns);

    memcpy(part.name, label->name, sizeof part.name);
    add(message, &part, sizeof part);
    for (uint64_t i = 0; i < part.span_count; i++) {
        struct weir_label_span span = {.begin_ns = time_of(facts, label->starts_ns[i]),
                                       .end_ns = time_of(facts, label->ends_ns[i])};

        add(message, &span, sizeof span);
    }
    add(message, duration->counts + first,
        (weir_histogram_bucket(duration->max_ns) + 1 - first) * sizeof *duration->counts);
}

/* Those of labels that were executed to their end, in the order in which they were met; what they
 * are called in the message stands in `numbers`. */
static uint64_t pack_labels(struct weir_text *message, const struct weir_phase_facts *facts,
                            uint32_t numbers[WEIR_LABEL_PLACES])
{
    const struct weir_program_times *times = facts->walk->times;
    uint32_t count = 0;

    for (unsigned i = 0; i < WEIR_LABEL_PLACES; i++) {
        bool is_one = i < times->label_count || i >= WEIR_LABELS_MAX;

        if (!is_one || times->labels[i].execution_count == 0)
            continue;
        pack_label(message, facts, &times->labels[i]);
        numbers[i] = count++;
    }
    return count;
}

static void pack_event(struct weir_text *message, const struct weir_phase_facts *facts,
                       const struct weir_label_event *event,
                       const uint32_t numbers[WEIR_LABEL_PLACES])
{
    struct weir_program_event part = {
        .rank = (uint32_t)facts->walk->run->group->rank,
        .label = numbers[event->label],
        .number = event->number,
        .begin_s = (double)time_of(facts, event->begin_ns) * 1e-9,
        .seconds = (double)event->duration_ns * 1e-9,
        .call_count = event->call_count,
        .byte_count = event->byte_count,
        .call_min_s = event->call_count > 0 ? (double)event->call_min_ns * 1e-9 : 0.0,
        .call_max_s = (double)event->call_max_ns * 1e-9,
        .rate_min_per_s = event->rate_min * 1e9,
        .rate_max_per_s = event->rate_max * 1e9,
    };

    add(message, &part, sizeof part);
}

/* The first `count` events: `time` first, then `ctime`: each kind is in the order of its numbers.
 */
static void pack_events(struct weir_text *message, const struct weir_phase_facts *facts,
                        uint64_t count, const uint32_t numbers[WEIR_LABEL_PLACES])
{
    const struct weir_program_times *times = facts->walk->times;

    for (unsigned is_core = 0; is_core < 2; is_core++)
        for (uint64_t i = 0; i < count; i++)
            if (times->labels[times->events[i].label].is_core == is_core)
                pack_event(message, facts, &times->events[i], numbers);
}

static void pack_failures(struct weir_text *message, const struct weir_program_times *times)
{
    for (unsigned i = 0; i < times->failure_count; i++) {
        const struct weir_failure *failure = &times->failures[i];
        struct failure_part part = {.count = failure->count,
                                    .line = failure->line,
                                    .call = failure->call,
                                    .code = failure->code,
                                    .path_bytes = (uint32_t)strlen(failure->path)};

        add(message, &part, sizeof part);
        add(message, failure->path, part.path_bytes);
    }
}

static struct header pack(struct weir_text *message, const struct weir_phase_facts *facts,
                          uint64_t event_count)
{
    const struct weir_program_times *times = facts->walk->times;
    uint32_t numbers[WEIR_LABEL_PLACES] = {0};
    struct header header = {
        .statement_count = facts->walk->statement_count,
        .label_count = pack_labels(message, facts, numbers),
        .event_count = event_count,
        .failure_count = times->failure_count,
        .merged_count = times->merged_count,
        .unlisted_count = times->unlisted_count + times->event_count - event_count,
        .untold_count = times->untold_count,
    };

    pack_events(message, facts, event_count, numbers);
    pack_failures(message, times);
    header.bytes = message->length;
    return header;
}

/* ---- what rank 0 makes of it ---- */

struct merged_label {
    struct weir_label_result result;
    uint64_t first_ns;
    double sum_s; /* over ranks, of all executions */
    struct weir_histogram duration;
    struct weir_label_spans spans;
};

struct merge {
    struct weir_arena *arena;
    const char *const *hosts;
    struct weir_program_result *result;
    struct merged_label *labels; /* WEIR_LABEL_PLACES; the others are the last ones */
    uint32_t rank;
    /* the message of the present rank */
    const char *next;
    const char *end;
    uint32_t numbers[WEIR_LABEL_PLACES];
    struct {
        unsigned count;
        uint64_t total_ns;
    } others[2]; /* its labels that are merged with others: `time` and `ctime` */
};

static void take(struct merge *merge, void *data, size_t bytes)
{
    assert((size_t)(merge->end - merge->next) >= bytes);
    memcpy(data, merge->next, bytes);
    merge->next += bytes;
}

static unsigned begin_merged(struct merge *merge, unsigned number, const char *name, bool is_core)
{
    struct merged_label *label = &merge->labels[number];

    label->result.name = weir_arena_copy(merge->arena, name);
    label->result.is_core = is_core;
    label->result.rank_s_min = HUGE_VAL;
    label->result.first_begin_s = HUGE_VAL;
    label->result.last_end_s = -HUGE_VAL;
    weir_histogram_clear(&label->duration);
    return number;
}

static bool is_label(const struct merged_label *label, const struct label_part *part)
{
    return label->result.name != NULL && label->result.is_core == part->is_core &&
           strcmp(label->result.name, part->name) == 0;
}

/* Ranks that have the same labels have them at the same places, as a rule. */
static unsigned find_merged(struct merge *merge, const struct label_part *part, uint32_t likely)
{
    unsigned count = merge->result->label_count, other = WEIR_LABELS_MAX + (part->is_core != 0);

    if (strcmp(part->name, WEIR_OTHER_LABELS) != 0) {
        if (likely < count && is_label(&merge->labels[likely], part))
            return likely;
        for (unsigned i = 0; i < count; i++)
            if (is_label(&merge->labels[i], part))
                return i;
        if (count < WEIR_LABELS_MAX) {
            merge->result->label_count++;
            return begin_merged(merge, count, part->name, part->is_core != 0);
        }
        merge->result->merged_label_count += part->execution_count;
    }
    if (merge->labels[other].result.name == NULL)
        begin_merged(merge, other, WEIR_OTHER_LABELS, part->is_core != 0);
    return other;
}

static void add_slow_rank(struct merge *merge, struct weir_label_result *label, double seconds)
{
    unsigned place = label->slowest_count;

    while (place > 0 && label->slowest[place - 1].seconds < seconds)
        place--;
    if (place == WEIR_LABEL_SLOWEST)
        return;
    if (label->slowest_count < WEIR_LABEL_SLOWEST)
        label->slowest_count++;
    memmove(&label->slowest[place + 1], &label->slowest[place],
            (label->slowest_count - place - 1) * sizeof *label->slowest);
    label->slowest[place] = (struct weir_label_rank){
        .rank = merge->rank, .seconds = seconds, .host = merge->hosts[merge->rank]};
}

static void add_sums(struct merged_label *label, const struct label_part *part)
{
    struct weir_label_result *result = &label->result;

    if (part->execution_count > label->spans.most_executions)
        label->spans.most_executions = part->execution_count;
    result->execution_count += part->execution_count;
    result->call_count += part->call_count;
    result->byte_count += part->byte_count;
    result->written_asked_bytes += part->written_asked_bytes;
    result->unstored_bytes += part->unstored_bytes;
    result->unsynced_bytes += part->unsynced_bytes;
    result->call_s += (double)part->call_ns * 1e-9;
    result->read_bytes += part->read_bytes;
    if (part->read_bytes > result->read_bytes_max)
        result->read_bytes_max = part->read_bytes;
    result->storage_read_bytes += part->storage_read_bytes;
    result->first_begin_s = fmin(result->first_begin_s, (double)part->first_begin_ns * 1e-9);
    result->last_end_s = fmax(result->last_end_s, (double)part->last_end_ns * 1e-9);
}

/* One rank, and its time in all executions. */
static void add_rank(struct merge *merge, struct merged_label *label, uint64_t total_ns)
{
    struct weir_label_result *result = &label->result;
    double seconds = (double)total_ns * 1e-9;

    result->rank_count++;
    result->rank_s_min = fmin(result->rank_s_min, seconds);
    result->rank_s_max = fmax(result->rank_s_max, seconds);
    label->sum_s += seconds;
    add_slow_rank(merge, result, seconds);
}

static void add_durations(struct merge *merge, struct merged_label *label,
                          const struct label_part *part)
{
    struct weir_histogram *duration = &label->duration;
    unsigned last = weir_histogram_bucket(part->max_ns);

    duration->total += part->execution_count;
    duration->sum_ns += part->sum_ns;
    duration->min_ns = part->min_ns < duration->min_ns ? part->min_ns : duration->min_ns;
    duration->max_ns = part->max_ns > duration->max_ns ? part->max_ns : duration->max_ns;
    for (unsigned i = weir_histogram_bucket(part->min_ns); i <= last; i++) {
        uint64_t count;

        take(merge, &count, sizeof count);
        duration->counts[i] += count;
    }
}

/* Labels that are merged with others have several executions with one number: their spans are not
 * compared. */
static void unpack_label(struct merge *merge, uint32_t position)
{
    struct label_part part;
    struct merged_label *label;
    unsigned number;

    take(merge, &part, sizeof part);
    number = merge->numbers[position] = find_merged(merge, &part, position);
    label = &merge->labels[number];
    for (uint64_t i = 0; i < part.span_count; i++) {
        struct weir_label_span span;

        take(merge, &span, sizeof span);
        if (number < WEIR_LABELS_MAX)
            weir_label_spans_add(&label->spans, i, &span);
    }
    add_durations(merge, label, &part);
    add_sums(label, &part);
    if (number < WEIR_LABELS_MAX) {
        add_rank(merge, label, part.total_ns);
    } else {
        merge->others[number - WEIR_LABELS_MAX].count++;
        merge->others[number - WEIR_LABELS_MAX].total_ns += part.total_ns;
    }
}

static void unpack_event(struct merge *merge)
{
    struct weir_program_event *event = &merge->result->events[merge->result->event_count++];

    take(merge, event, sizeof *event);
    event->label = merge->numbers[event->label];
}

static struct weir_call_failure *find_failure(const struct weir_program_result *result,
                                              const struct failure_part *part)
{
    for (unsigned i = 0; i < result->failure_count; i++)
        if (result->failures[i].line == part->line && result->failures[i].call == part->call &&
            result->failures[i].code == part->code)
            return &result->failures[i];
    return NULL;
}

static void unpack_failure(struct merge *merge)
{
    struct weir_program_result *result = merge->result;
    struct weir_call_failure *failure;
    struct failure_part part;
    char path[WEIR_PATH_BYTES] = "";

    take(merge, &part, sizeof part);
    take(merge, path, part.path_bytes);
    failure = find_failure(result, &part);
    if (failure == NULL && result->failure_count == WEIR_CALL_FAILURES_MAX) {
        result->untold_failures += part.count;
        return;
    }
    if (failure == NULL) {
        failure = &result->failures[result->failure_count++];
        *failure = (struct weir_call_failure){.line = part.line,
                                              .call = part.call,
                                              .code = part.code,
                                              .rank = merge->rank,
                                              .path = weir_arena_copy(merge->arena, path)};
    }
    failure->count += part.count;
    failure->rank_count++;
}

static void unpack(struct merge *merge, const struct header *header, const char *message)
{
    struct weir_program_result *result = merge->result;

    memset(merge->others, 0, sizeof merge->others);
    merge->next = message;
    merge->end = message + header->bytes;
    result->statement_count += header->statement_count;
    result->merged_label_count += header->merged_count;
    result->unlisted_count += header->unlisted_count;
    result->untold_failures += header->untold_count;
    for (uint64_t i = 0; i < header->label_count; i++)
        unpack_label(merge, (uint32_t)i);
    for (unsigned i = 0; i < 2; i++)
        if (merge->others[i].count > 0)
            add_rank(merge, &merge->labels[WEIR_LABELS_MAX + i], merge->others[i].total_ns);
    for (uint64_t i = 0; i < header->event_count; i++)
        unpack_event(merge);
    for (uint64_t i = 0; i < header->failure_count; i++)
        unpack_failure(merge);
}

/* ---- the result ---- */

static void finish_label(struct merge *merge, struct merged_label *label)
{
    struct weir_label_result *result = &label->result;

    weir_label_spans_finish(&label->spans, result);
    result->rank_s_mean = label->sum_s / result->rank_count;
    result->duration = weir_histogram_trim(merge->arena, &label->duration);
    for (unsigned i = 0; i < result->slowest_count; i++)
        result->slowest[i].host = weir_arena_copy(merge->arena, result->slowest[i].host);
}

/* The others come behind all that have a name, and events find them there. */
static void keep_labels(struct merge *merge)
{
    struct weir_program_result *result = merge->result;
    uint32_t places[WEIR_LABEL_PLACES];
    unsigned count = result->label_count;

    result->labels = weir_arena_take(merge->arena, (count + 2) * sizeof *result->labels);
    result->label_count = 0;
    for (unsigned i = 0; i < WEIR_LABEL_PLACES; i++) {
        if (merge->labels[i].result.name == NULL || (i >= count && i < WEIR_LABELS_MAX))
            continue;
        finish_label(merge, &merge->labels[i]);
        places[i] = result->label_count;
        result->labels[result->label_count++] = merge->labels[i].result;
    }
    for (uint64_t i = 0; i < result->event_count; i++)
        result->events[i].label = places[result->events[i].label];
}

static void begin_result(struct merge *merge, const struct header *headers, unsigned rank_count)
{
    struct weir_program_result *result = weir_arena_take(merge->arena, sizeof *result);
    uint64_t events = 0, failures = 0;

    for (unsigned i = 0; i < rank_count; i++) {
        events += headers[i].event_count;
        failures += headers[i].failure_count;
    }
    failures = failures < WEIR_CALL_FAILURES_MAX ? failures : WEIR_CALL_FAILURES_MAX;
    result->events = weir_arena_take(merge->arena, events * sizeof *result->events);
    result->failures = weir_arena_take(merge->arena, failures * sizeof *result->failures);
    merge->result = result;
    merge->labels = weir_memory_take(WEIR_LABEL_PLACES * sizeof *merge->labels);
}

static int merge_ranks(struct weir_run *run, struct merge *merge, const struct header *headers,
                       const char *own)
{
    struct weir_group *group = run->group;
    char *message = NULL;
    int code = 0;

    for (int rank = 0; code == 0 && rank < group->size; rank++) {
        merge->rank = (uint32_t)rank;
        if (rank > 0 && headers[rank].bytes > 0) {
            message = weir_memory_grow(message, headers[rank].bytes);
            code = group->ops->receive(group, message, headers[rank].bytes, rank);
        }
        if (code == 0)
            unpack(merge, &headers[rank], rank == 0 ? own : message);
    }
    free(message);
    return code;
}

void weir_program_share_events(uint64_t counts[], unsigned ranks, uint64_t limit)
{
    const uint64_t share = limit / ranks;
    uint64_t left = limit;

    for (unsigned i = 0; i < ranks; i++)
        left -= counts[i] < share ? counts[i] : share;
    for (unsigned i = 0; i < ranks; i++) {
        uint64_t more = counts[i] > share ? counts[i] - share : 0;

        if (more > left)
            more = left;
        left -= more;
        counts[i] = (counts[i] < share ? counts[i] : share) + more;
    }
}

/* How many events this rank sends. */
static int agree_events(struct weir_run *run, const struct weir_phase_facts *facts, uint64_t *count)
{
    struct weir_group *group = run->group;
    uint64_t *counts = weir_memory_take((size_t)group->size * sizeof *counts);
    int code;

    *count = facts->walk->times->event_count;
    code = weir_group_gather(group, count, sizeof *count, counts);
    if (group->rank == 0)
        weir_program_share_events(counts, (unsigned)group->size, facts->walk->program->event_limit);
    if (code == 0)
        code = weir_group_broadcast(group, counts, (size_t)group->size * sizeof *counts, 0);
    *count = counts[group->rank];
    free(counts);
    return code;
}

/* Labels, events and failures. */
static int gather_lists(struct weir_run *run, const struct weir_phase_facts *facts,
                        struct weir_program_result **result)
{
    struct weir_group *group = run->group;
    bool is_first = group->rank == 0;
    struct merge merge = {.arena = is_first ? &run->result->arena : NULL,
                          .hosts = run->gather.hosts};
    struct weir_text message = {0};
    struct header mine, *headers = NULL;
    uint64_t event_count;
    int code = agree_events(run, facts, &event_count);

    if (code != 0)
        return code;
    mine = pack(&message, facts, event_count);
    if (is_first)
        headers = weir_memory_take((size_t)group->size * sizeof *headers);
    code = weir_group_gather(group, &mine, sizeof mine, headers);
    if (code == 0 && is_first) {
        begin_result(&merge, headers, (unsigned)group->size);
        code = merge_ranks(run, &merge, headers, message.data);
        if (code == 0)
            keep_labels(&merge);
        free(merge.labels);
        *result = merge.result;
    } else if (code == 0 && mine.bytes > 0) {
        code = group->ops->send(group, message.data, mine.bytes, 0);
    }
    free(headers);
    weir_text_close(&message);
    return code;
}

/* ---- calls ---- */

static void keep_calls(struct weir_arena *arena, const struct weir_program_times *times,
                       const uint64_t sums[2 * WEIR_CALL_COUNT], struct weir_program_result *result)
{
    result->calls = weir_arena_take(arena, WEIR_CALL_COUNT * sizeof *result->calls);
    for (unsigned i = 0; i < WEIR_CALL_COUNT; i++) {
        const struct weir_histogram *latency = &times->calls[i].latency;

        if (latency->total + sums[2 * i] > 0)
            result->calls[result->call_count++] =
                (struct weir_call_result){.call = i,
                                          .count = latency->total,
                                          .failure_count = sums[2 * i],
                                          .byte_count = sums[2 * i + 1],
                                          .latency = weir_histogram_trim(arena, latency)};
    }
}

static int gather_calls(struct weir_run *run, struct weir_program_times *times,
                        uint64_t sums[2 * WEIR_CALL_COUNT])
{
    struct weir_histogram *histograms[WEIR_CALL_COUNT];
    int code;

    for (unsigned i = 0; i < WEIR_CALL_COUNT; i++) {
        sums[2 * i] = times->calls[i].failure_count;
        sums[2 * i + 1] = times->calls[i].byte_count;
        histograms[i] = &times->calls[i].latency;
    }
    code = weir_group_reduce(run->group, sums, 2 * (size_t)WEIR_CALL_COUNT, WEIR_SUM);
    return code != 0 ? code : weir_gather_histograms(run, histograms, WEIR_CALL_COUNT);
}

int weir_gather_program(struct weir_run *run, const struct weir_phase_facts *facts,
                        struct weir_phase_result *record)
{
    uint64_t sums[2 * WEIR_CALL_COUNT], begun_ns = weir_run_now(run);
    struct weir_program_result *result = NULL;
    const uint64_t *stamps = run->tally->stamps_ns;
    int code;

    if (facts->walk == NULL)
        return 0;
    code = gather_calls(run, facts->walk->times, sums);
    if (code == 0)
        code = gather_lists(run, facts, &result);
    if (code != 0 || record == NULL)
        return code;
    keep_calls(&run->result->arena, facts->walk->times, sums, result);
    result->warnings =
        weir_arena_copy(&run->result->arena, weir_text_string(&facts->walk->warnings));
    result->setup_s = (double)(facts->start_ns - run->started_ns) * 1e-9;
    result->parser_s = (double)facts->walk->program->parse_ns * 1e-9;
    result->interpreter_s =
        (double)(stamps[WEIR_STAMP_MOVE_STOP] - stamps[WEIR_STAMP_MOVE_START]) * 1e-9;
    result->finalize_s = (double)(weir_run_now(run) - begun_ns) * 1e-9;
    record->program = result;
    return 0;
}
