/* SPDX-License-Identifier: Apache-2.0 */
/* Times and counts of one rank in a program. All memory is taken before the start; what a program
 * does not use of it stays untouched. */
#include "program_times.h"

#include "cache_state.h"

#include "weir/base/log.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SLOTS 4096 /* a power of two, far more than labels */
/* Asking for dirty pages at the end of an outermost block takes no longer. */
#define SURVEY_NS UINT64_C(200000)
/* Failures of different kinds that a rank tells at once, and how many ranks do: the first ones. */
#define TOLD_MAX 16
#define TELLING_RANKS 8

/* ---- memory ---- */

int weir_program_times_open(struct weir_program_walk *walk)
{
    const struct weir_program *program = walk->program;
    struct weir_program_times *times = calloc(1, sizeof *times);
    uint64_t events = program->event_limit > 0 ? program->event_limit : 1;

    walk->times = times;
    if (times == NULL)
        return -ENOMEM;
    times->calls = calloc(WEIR_CALL_COUNT, sizeof *times->calls);
    times->labels = calloc(WEIR_LABEL_PLACES, sizeof *times->labels);
    times->table = calloc(TABLE_SLOTS, sizeof *times->table);
    times->of_statement = calloc((size_t)program->statement_count + 1, sizeof *times->of_statement);
    times->open = calloc((size_t)program->nesting + 1, sizeof *times->open);
    times->written = calloc(WEIR_WRITTEN_RANGES, sizeof *times->written);
    times->events = calloc(events, sizeof *times->events);
    times->failures = calloc(WEIR_CALL_FAILURES_MAX, sizeof *times->failures);
    if (!times->calls || !times->labels || !times->table || !times->of_statement || !times->open ||
        !times->written || !times->events || !times->failures)
        return -ENOMEM;
    for (unsigned i = 0; i < WEIR_CALL_COUNT; i++)
        weir_histogram_clear(&times->calls[i].latency);
    return 0;
}

void weir_program_times_close(struct weir_program_walk *walk)
{
    struct weir_program_times *times = walk->times;

    if (times == NULL)
        return;
    free(times->calls);
    free(times->labels);
    free(times->table);
    free(times->of_statement);
    free(times->open);
    free(times->written);
    free(times->events);
    free(times->failures);
    free(times);
    walk->times = NULL;
}

/* ---- labels ---- */

static struct weir_label *begin_label(struct weir_program_times *times, unsigned number,
                                      const char *name, size_t length, bool is_core)
{
    struct weir_label *label = &times->labels[number];

    memcpy(label->name, name, length);
    label->is_core = is_core;
    label->first_begin_ns = UINT64_MAX;
    weir_histogram_clear(&label->duration);
    return label;
}

static unsigned other_label(struct weir_program_times *times, bool is_core)
{
    unsigned number = WEIR_LABELS_MAX + is_core;

    if (times->labels[number].name[0] == '\0')
        begin_label(times, number, WEIR_OTHER_LABELS, strlen(WEIR_OTHER_LABELS), is_core);
    return number;
}

static unsigned find_label(struct weir_program_times *times, const char *name, size_t length,
                           bool is_core)
{
    uint64_t slot = weir_text_hash(name, length) + is_core;

    for (;; slot++) {
        uint32_t *place = &times->table[slot % TABLE_SLOTS];
        const struct weir_label *label;

        if (*place == 0 && times->label_count == WEIR_LABELS_MAX)
            return other_label(times, is_core);
        if (*place == 0) {
            begin_label(times, times->label_count, name, length, is_core);
            *place = ++times->label_count;
            return *place - 1;
        }
        label = &times->labels[*place - 1];
        if (label->is_core == is_core && memcmp(label->name, name, length) == 0 &&
            label->name[length] == '\0')
            return *place - 1;
    }
}

/* Names are told apart as they are printed. No character is cut in two. */
static size_t make_name(char *text, size_t length)
{
    if (length >= WEIR_LABEL_NAME_BYTES) {
        length = WEIR_LABEL_NAME_BYTES - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    text[length] = '\0';
    weir_text_make_visible(text, "");
    return strlen(text);
}

/* -ECANCELED: the expression has no value. */
static int label_of(struct weir_program_walk *walk, const struct weir_statement *statement,
                    unsigned *label)
{
    struct weir_program_times *times = walk->times;
    uint32_t *known = &times->of_statement[statement->number];
    const struct weir_expr *expr = statement->argument_count > 0 ? statement->arguments[0] : NULL;
    bool is_core = statement->kind == WEIR_DO_CORE_TIME;
    char name[WEIR_VALUE_BYTES];
    size_t length = 0;

    if (*known != 0) {
        *label = *known - 1;
        return 0;
    }
    if (expr != NULL && weir_expr_evaluate_text(expr, &walk->scope, name, &length) != 0)
        return weir_program_fail(walk, statement, "%s", walk->scope.reason);
    *label = find_label(times, name, make_name(name, length), is_core);
    if (expr == NULL || weir_expr_constant_text(expr) != NULL)
        *known = *label + 1;
    return 0;
}

/* ---- events ---- */

/* False: there is no more room. */
static bool take_event(struct weir_program_walk *walk, unsigned label, bool is_core,
                       uint64_t *position)
{
    struct weir_program_times *times = walk->times;
    uint32_t number = times->numbers[is_core]++;

    if (times->event_count == walk->program->event_limit) {
        times->unlisted_count++;
        return false;
    }
    *position = times->event_count++;
    times->events[*position] = (struct weir_label_event){.label = label, .number = number};
    return true;
}

static void fill_event(struct weir_label_event *event, const struct weir_open_block *block,
                       uint64_t duration_ns)
{
    uint32_t label = event->label, number = event->number;

    *event = block->sums;
    event->label = label;
    event->number = number;
    event->begin_ns = block->begin_ns;
    event->duration_ns = duration_ns;
}

/* Reads the counter before an outermost block begins and after it ended. Of the blocks in it the
 * counter, which costs some microseconds, would be read within its time. */
static uint64_t read_storage(const struct weir_program_walk *walk, const struct weir_label *label)
{
    const struct weir_surroundings *surroundings = walk->run->surroundings;

    return walk->times->open_count == 0 && label->execution_count < WEIR_LABEL_STARTS &&
                   surroundings->counts_reads
               ? weir_run_probe_storage_read(surroundings->host.probe)
               : WEIR_UNKNOWN;
}

int weir_program_time_begin(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_program_times *times = walk->times;
    struct weir_open_block *block = &times->open[times->open_count];
    bool is_core = statement->kind == WEIR_DO_CORE_TIME;
    unsigned label;

    if (label_of(walk, statement, &label) != 0)
        return -ECANCELED;
    assert(times->open_count < walk->program->nesting);
    *block = (struct weir_open_block){.label = label, .is_core = is_core};
    block->sums.call_min_ns = UINT64_MAX;
    if (is_core)
        block->has_event = take_event(walk, label, true, &block->event);
    block->storage_read_bytes = read_storage(walk, &times->labels[label]);
    times->open_count++;
    times->labels[label].open_count++;
    block->begin_ns = weir_run_now(walk->run);
    return 0;
}

/* What is in a block is in those around it, too: of blocks of one label only the outermost adds it.
 */
static void add_to_label(struct weir_label *label, const struct weir_open_block *block,
                         uint64_t duration_ns, uint64_t storage_read_bytes)
{
    if (--label->open_count > 0)
        return;
    label->call_count += block->sums.call_count;
    label->byte_count += block->sums.byte_count;
    label->call_ns += block->call_ns;
    label->total_ns += duration_ns;
    if (storage_read_bytes == WEIR_UNKNOWN)
        return;
    label->read_bytes += block->read_bytes;
    label->storage_read_bytes += storage_read_bytes;
}

static void add_survey(struct weir_label *label, const struct weir_residency *seen, bool is_synced)
{
    label->unsynced_bytes += is_synced ? seen->dirty_bytes : 0;
    label->written_asked_bytes += seen->asked_bytes;
    label->unstored_bytes += seen->dirty_bytes;
}

/* Asks which pages that the outermost block wrote are dirty, when its time has ended. Of a label in
 * a loop it does so after the first execution, the second, the fourth and so on. */
static void survey_written(struct weir_program_walk *walk, unsigned outermost)
{
    struct weir_program_times *times = walk->times;
    const uint64_t end_ns = weir_run_now(walk->run) + SURVEY_NS;
    uint64_t number = ++times->labels[outermost].survey_count;
    unsigned count = (number & (number - 1)) == 0 ? times->written_count : 0;

    for (unsigned i = 0; i < count && weir_run_now(walk->run) < end_ns; i++) {
        const struct weir_written_range *range = &times->written[i];
        struct weir_residency seen;

        weir_cache_state_count_dirty_range(
            walk->run, range->path,
            (struct weir_extent){.offset = range->begin, .bytes = range->end - range->begin},
            &seen);
        add_survey(&times->labels[range->label], &seen, range->is_synced);
        if (range->label != outermost)
            add_survey(&times->labels[outermost], &seen, range->is_synced);
    }
    times->written_count = 0;
}

void weir_program_time_end(struct weir_program_walk *walk)
{
    uint64_t end_ns = weir_run_now(walk->run);
    struct weir_program_times *times = walk->times;
    struct weir_open_block *block = &times->open[--times->open_count];
    struct weir_label *label = &times->labels[block->label];
    uint64_t duration_ns = block->is_core ? block->call_ns : end_ns - block->begin_ns;
    uint64_t storage_read_bytes =
        block->read_bytes > 0 ? weir_growth(block->storage_read_bytes, read_storage(walk, label))
                              : WEIR_UNKNOWN;

    if (label->execution_count < WEIR_LABEL_STARTS) {
        label->starts_ns[label->execution_count] = block->begin_ns;
        label->ends_ns[label->execution_count] = end_ns;
    }
    label->execution_count++;
    times->merged_count += block->label >= WEIR_LABELS_MAX;
    add_to_label(label, block, duration_ns, storage_read_bytes);
    label->last_end_ns = end_ns;
    if (block->begin_ns < label->first_begin_ns)
        label->first_begin_ns = block->begin_ns;
    weir_histogram_add(&label->duration, duration_ns);
    if (!block->is_core)
        block->has_event = take_event(walk, block->label, false, &block->event);
    if (block->has_event)
        fill_event(&times->events[block->event], block, duration_ns);
    if (times->open_count == 0 && times->written_count > 0)
        survey_written(walk, block->label);
}

/* ---- calls ---- */

static void add_to_block(struct weir_open_block *block, uint64_t latency_ns, uint64_t bytes,
                         bool reads)
{
    struct weir_label_event *sums = &block->sums;
    double rate;

    sums->call_count++;
    sums->byte_count += bytes;
    block->read_bytes += reads ? bytes : 0;
    block->call_ns += latency_ns;
    if (latency_ns < sums->call_min_ns)
        sums->call_min_ns = latency_ns;
    if (latency_ns > sums->call_max_ns)
        sums->call_max_ns = latency_ns;
    if (bytes == 0 || latency_ns == 0)
        return;
    rate = (double)bytes / (double)latency_ns;
    if (sums->rate_min == 0.0 || rate < sums->rate_min)
        sums->rate_min = rate;
    if (rate > sums->rate_max)
        sums->rate_max = rate;
}

/* How an open loop keeps up. */
static void note_pace(struct weir_program_walk *walk, const struct weir_program_outcome *outcome)
{
    struct weir_tally *tally = walk->run->tally;
    struct weir_pace_tally *pace = &tally->pace;
    uint64_t lag_ns = outcome->begin_ns > walk->due_ns ? outcome->begin_ns - walk->due_ns : 0;

    pace->offered_ns = walk->due_ns - walk->begun_ns;
    pace->end_lag_ns = lag_ns;
    if (lag_ns > pace->max_lag_ns)
        pace->max_lag_ns = lag_ns;
    weir_histogram_add(tally->response,
                       outcome->end_ns > walk->due_ns ? outcome->end_ns - walk->due_ns : 0);
    if (lag_ns > 0) {
        uint64_t backlog = weir_pacer_backlog(&walk->pacer, outcome->begin_ns);

        weir_series_note_backlog(&tally->series, outcome->begin_ns, backlog);
        if (backlog > pace->max_backlog)
            pace->max_backlog = backlog;
    }
}

/* Calls that write one file piece by piece are one range, from the first byte to the last. Patterns
 * do not tell their offsets: all of the file. */
static void note_written(struct weir_program_times *times,
                         const struct weir_program_outcome *outcome)
{
    unsigned label = times->open[times->open_count - 1].label;
    struct weir_written_range *range =
        times->written_count > 0 ? &times->written[times->written_count - 1] : NULL;
    bool is_pattern = outcome->call == WEIR_CALL_PFWRITE;
    uint64_t begin = is_pattern ? 0 : outcome->offset;
    uint64_t end = is_pattern ? UINT64_MAX : outcome->offset + outcome->bytes;

    if (range == NULL || range->label != label || strcmp(range->path, outcome->path) != 0) {
        if (times->written_count == WEIR_WRITTEN_RANGES)
            return;
        range = &times->written[times->written_count++];
        range->label = label;
        range->is_synced = false;
        range->begin = begin;
        range->end = end;
        snprintf(range->path, sizeof range->path, "%s", outcome->path);
        return;
    }
    range->is_synced = false;
    range->begin = begin < range->begin ? begin : range->begin;
    range->end = end > range->end ? end : range->end;
}

static void note_sync(struct weir_program_times *times, const struct weir_program_outcome *outcome)
{
    for (unsigned i = 0; i < times->written_count; i++)
        times->written[i].is_synced |= strcmp(times->written[i].path, outcome->path) == 0;
}

static void count(struct weir_program_walk *walk, const struct weir_program_outcome *outcome)
{
    const struct weir_call_row *row = &weir_calls[outcome->call];
    struct weir_program_times *times = walk->times;
    struct weir_call_counts *call = &times->calls[outcome->call];
    struct weir_tally *tally = walk->run->tally;
    uint64_t latency_ns = outcome->end_ns - outcome->begin_ns;

    call->byte_count += outcome->bytes;
    weir_histogram_add(&call->latency, latency_ns);
    weir_tally_add(tally, row->verb, latency_ns);
    tally->verbs[row->verb].byte_count += outcome->bytes;
    weir_series_add(&tally->series, outcome->end_ns, outcome->bytes);
    if (tally->response != NULL)
        note_pace(walk, outcome);
    if (row->moves_data && row->writes && outcome->bytes > 0 && times->open_count > 0 &&
        outcome->call != WEIR_CALL_DIRECT_WRITE)
        note_written(times, outcome);
    if (outcome->call == WEIR_CALL_FSYNC)
        note_sync(times, outcome);
    for (unsigned i = 0; i < times->open_count; i++)
        if (!times->open[i].is_core || row->is_timed)
            add_to_block(&times->open[i], latency_ns, outcome->bytes,
                         row->moves_data && !row->writes);
}

/* ---- failures ---- */

/* "read ./x: why" */
static void describe(char *text, size_t bytes, const struct weir_program_outcome *outcome)
{
    const char *word = weir_calls[outcome->call].word;
    const char *blank = outcome->path[0] != '\0' ? " " : "";

    if (outcome->code == -ENODATA && outcome->asked > 0)
        snprintf(text, bytes,
                 "%s%s%s: the file %s offset %" PRIu64 ", and %" PRIu64 " bytes were to be read",
                 word, blank, outcome->path, outcome->bytes > 0 ? "ended at" : "has nothing at",
                 outcome->offset + outcome->bytes, outcome->asked);
    else
        snprintf(text, bytes, "%s%s%s: %s", word, blank, outcome->path, strerror(-outcome->code));
}

static void say(const struct weir_program_walk *walk, unsigned line,
                const struct weir_program_outcome *outcome)
{
    int rank = walk->run->group->rank;
    char text[WEIR_PATH_BYTES + 256];

    describe(text, sizeof text, outcome);
    weir_log(WEIR_LOG_WARNING, "rank %d: line %u: %s", rank, line, text);
    if (walk->times->failure_count == TOLD_MAX)
        weir_log(WEIR_LOG_WARNING, "rank %d: more failures are only counted", rank);
}

void weir_program_tell_wrong(struct weir_program_walk *walk, const struct weir_statement *statement,
                             const char *path, uint64_t offset)
{
    struct weir_program_times *times = walk->times;

    for (unsigned i = 0; i < times->wrong_line_count; i++)
        if (times->wrong_lines[i] == statement->line)
            return;
    if (times->wrong_line_count == WEIR_WRONG_LINES || walk->run->group->rank >= TELLING_RANKS)
        return;
    times->wrong_lines[times->wrong_line_count++] = statement->line;
    weir_log(WEIR_LOG_WARNING, "rank %d: line %u: %s %s: wrong data at offset %" PRIu64,
             walk->run->group->rank, statement->line, weir_calls[statement->call].word, path,
             offset);
}

static struct weir_failure *find_failure(struct weir_program_times *times, unsigned line,
                                         const struct weir_program_outcome *outcome)
{
    for (unsigned i = 0; i < times->failure_count; i++)
        if (times->failures[i].line == line && times->failures[i].call == outcome->call &&
            times->failures[i].code == outcome->code)
            return &times->failures[i];
    return NULL;
}

/* The failure that ends the program is told with its end. */
static bool tells(const struct weir_program_walk *walk)
{
    const struct weir_program *program = walk->program;
    bool is_last =
        program->on_error == WEIR_ON_ERROR_STOP && walk->failure_count + 1 >= program->error_limit;

    return walk->run->group->rank < TELLING_RANKS && !is_last;
}

static void note_kind(struct weir_program_walk *walk, const struct weir_statement *statement,
                      const struct weir_program_outcome *outcome)
{
    struct weir_program_times *times = walk->times;
    struct weir_failure *failure = find_failure(times, statement->line, outcome);

    if (failure != NULL) {
        failure->count++;
        return;
    }
    if (times->failure_count == WEIR_CALL_FAILURES_MAX) {
        times->untold_count++;
        return;
    }
    failure = &times->failures[times->failure_count++];
    failure->line = statement->line;
    failure->call = outcome->call;
    failure->code = outcome->code;
    failure->count = 1;
    snprintf(failure->path, sizeof failure->path, "%s", outcome->path);
    if (times->failure_count <= TOLD_MAX && tells(walk))
        say(walk, statement->line, outcome);
}

static void end_after(struct weir_program_walk *walk, const struct weir_statement *statement,
                      const struct weir_program_outcome *outcome)
{
    char place[WEIR_PATH_BYTES + 32], text[WEIR_PATH_BYTES + 256];

    describe(text, sizeof text, outcome);
    snprintf(place, sizeof place, "%s:%u", walk->program->path, statement->line);
    weir_error_set(&walk->run->failure, WEIR_EXIT_FLAWED, outcome->code, place, "%s", text);
    walk->run->tally->failed_ns = weir_run_now(walk->run);
    walk->must_end = true;
    weir_run_call_off(walk->run);
}

static void note_failure(struct weir_program_walk *walk, const struct weir_statement *statement,
                         const struct weir_program_outcome *outcome)
{
    const struct weir_program *program = walk->program;

    walk->times->calls[outcome->call].failure_count++;
    weir_tally_fail(walk->run->tally, weir_calls[outcome->call].verb, outcome->code, 0);
    walk->run->tally->partial_bytes += outcome->bytes;
    note_kind(walk, statement, outcome);
    walk->failure_count++;
    if (program->on_error == WEIR_ON_ERROR_STOP && walk->failure_count >= program->error_limit)
        end_after(walk, statement, outcome);
}

/* A call that was given up between its pieces has not failed: what it moved is counted. */
static bool is_given_up(struct weir_program_walk *walk, const struct weir_program_outcome *outcome)
{
    if (outcome->code == -EINTR)
        weir_program_look(walk, outcome->end_ns);
    return outcome->code == -EINTR && walk->must_end;
}

static void note_error(struct weir_program_walk *walk, const struct weir_statement *statement,
                       const struct weir_program_outcome *outcome)
{
    if (is_given_up(walk, outcome))
        walk->run->tally->partial_bytes += outcome->bytes;
    else
        note_failure(walk, statement, outcome);
}

void weir_program_note(struct weir_program_walk *walk, const struct weir_statement *statement,
                       const struct weir_program_outcome *outcome)
{
    if (__builtin_expect(outcome->code != 0, 0))
        note_error(walk, statement, outcome);
    else
        count(walk, outcome);
    if (__builtin_expect(weir_program_must_look(walk, outcome->end_ns), 0))
        weir_program_look(walk, outcome->end_ns);
}

void weir_program_note_beside(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              const struct weir_program_outcome *outcome)
{
    assert(outcome->call >= WEIR_CALL_WORDS);
    if (__builtin_expect(outcome->code != 0, 0))
        note_error(walk, statement, outcome);
    else
        weir_histogram_add(&walk->times->calls[outcome->call].latency,
                           outcome->end_ns - outcome->begin_ns);
}
