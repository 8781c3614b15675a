/* SPDX-License-Identifier: Apache-2.0 */
/* The plan, multiplied by ranks and held against what this host has. */
#include "outlook.h"

#include "weir/base/remedy.h"
#include "weir/base/saturate.h"
#include "weir/engine/engine.h"
#include "weir/io/backend.h"
#include "weir/plan/need.h"
#include "weir/system/memory.h"
#include "weir/system/room.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_S 1e9

/* The totals. */
struct outlook {
    struct weir_text *text;
    const struct weir_test *test;
    uint64_t ranks;
};

static uint64_t ranks_of(const struct weir_test *test, unsigned ranks)
{
    uint64_t limit = test->node_limit > 0 && test->ranks_per_node_limit > 0
                         ? weir_times(test->node_limit, test->ranks_per_node_limit)
                         : test->rank_limit;

    return limit > 0 && limit < ranks ? limit : ranks;
}

static bool moves_data(const struct weir_phase *phase)
{
    return weir_verb_moves_data(phase->verb);
}

static bool works_on_items(const struct weir_phase *phase)
{
    return weir_verb_works_on_trees(phase->verb) && phase->names.item != NULL;
}

/* Of one rank, in a phase that moves data or works on items. */
static uint64_t ops_of(const struct weir_phase *phase)
{
    uint64_t ops = works_on_items(phase) ? weir_phase_items(phase)
                                         : weir_layout_ops_per_rank(&phase->transfers.layout);

    return phase->stop.op_limit > 0 && phase->stop.op_limit < ops ? phase->stop.op_limit : ops;
}

static const char *purpose_of(const struct weir_phase *phase)
{
    return phase->is_check ? ", to verify" : phase->is_prefill ? ", to fill the file" : "";
}

/* What it does is known when it has been run. */
static bool is_program(const struct weir_test *test)
{
    return test->phase_count > 0 && test->phases[0]->verb == WEIR_PROGRAM;
}

/* ---- amounts ---- */

static void add_amounts(const struct outlook *outlook, const struct weir_phase *phase)
{
    const struct weir_layout *layout = &phase->transfers.layout;
    uint64_t bytes = layout->order == WEIR_ORDER_LISTED
                         ? weir_layout_bytes_per_rank(layout)
                         : ops_of(phase) * weir_layout_op_bytes(layout);
    char one[WEIR_SIZE_TEXT_BYTES], all[WEIR_SIZE_TEXT_BYTES];

    weir_text_add(outlook->text, "  %-7s %s per rank, %s in all%s%s\n", weir_verb_name(phase->verb),
                  weir_size_format(bytes, one), weir_size_format(bytes * outlook->ranks, all),
                  phase->stop.deadline_ns > 0 ? " at most" : "", purpose_of(phase));
}

/* ---- files ---- */

static bool has_files(const struct weir_test *test)
{
    const struct weir_descriptor *loop = test->inner != NULL ? test->inner : test->backend;
    const struct weir_backend *backend = weir_backend_find(&weir_registry, loop->name);

    return backend != NULL && backend->names != NULL && backend->server == NULL;
}

/* MPI-IO may take the text before a colon for a kind of file system: which file a name means is
 * known in a run. */
static bool has_kernel_paths(const struct weir_test *test)
{
    const struct weir_descriptor *loop = test->inner != NULL ? test->inner : test->backend;
    const struct weir_backend *backend = weir_backend_find(&weir_registry, loop->name);

    if (backend->names->kernel_path == NULL)
        return true;
    for (size_t i = 0; i < test->phase_count; i++)
        for (size_t k = 0; k < test->phases[i]->target->path_count; k++)
            if (strchr(test->phases[i]->target->paths[k], ':') != NULL)
                return false;
    return true;
}

static void add_room(struct weir_text *text, const struct weir_room_facts *room, uint64_t bytes,
                     uint64_t names)
{
    bool is_full = bytes > room->bytes_free || names > room->inodes_free;
    char left[WEIR_SIZE_TEXT_BYTES];

    if (!room->is_known || room->bytes_free == UINT64_MAX)
        return;
    weir_text_add(text, "; %s", weir_size_format(room->bytes_free, left));
    if (names > 0 && room->inodes_free != UINT64_MAX)
        weir_text_add(text, " and %" PRIu64 " inodes", room->inodes_free);
    weir_text_add(text, " free%s%s", room->is_quota ? " within the quota" : "",
                  is_full ? ": THEY DO NOT FIT" : "");
}

static void add_files(const struct outlook *outlook)
{
    struct weir_room_facts room;
    struct weir_need need;
    uint64_t files, bytes;
    char path[WEIR_PATH_BYTES], all[WEIR_SIZE_TEXT_BYTES];

    weir_test_need(outlook->test, &need);
    if (need.target == NULL || need.target->is_device || !has_files(outlook->test) ||
        weir_target_path(need.target, &(struct weir_file_place){0}, path) != 0)
        return;
    files = (need.target->is_shared ? 1 : outlook->ranks) * need.copies;
    bytes = need.bytes_per_rank * outlook->ranks * need.copies;
    weir_text_add(outlook->text, "  files   %" PRIu64 ", together %s", files,
                  weir_size_format(bytes, all));
    weir_room_describe(path, 0, &room);
    add_room(outlook->text, &room, bytes > room.file_bytes ? bytes - room.file_bytes : 0, 0);
    weir_text_add(outlook->text, "\n");
}

/* Of the target as it is now: a test before this one may change that. */
static void add_problems(const struct outlook *outlook)
{
    if (outlook->test->number == 0 && !outlook->test->is_dry_run && has_files(outlook->test) &&
        has_kernel_paths(outlook->test))
        weir_engine_examine(&weir_registry, outlook->test, outlook->ranks, outlook->text);
}

/* Those of all paths are held against the first one. */
static void add_trees(const struct outlook *outlook)
{
    const struct weir_phase *maker;
    struct weir_room_facts room;
    struct weir_tree_need need;
    uint64_t owners, items, bytes, directories;
    char all[WEIR_SIZE_TEXT_BYTES];

    weir_test_tree_need(outlook->test, &need);
    maker = need.phase;
    if (maker == NULL || !has_files(outlook->test))
        return;
    owners = maker->names.is_shared ? 1 : outlook->ranks;
    items = weir_times(need.items, owners);
    bytes = weir_times(need.bytes, owners);
    directories = weir_times(need.directories, maker->target->tree->is_own ? outlook->ranks : 1);
    directories = weir_plus(directories, need.tops);
    weir_text_add(outlook->text,
                  "  names   %" PRIu64 " items and %" PRIu64
                  " directories around them at one time%s",
                  items, directories, need.may_be_cut ? " at most" : "");
    if (bytes > 0)
        weir_text_add(outlook->text, ", together %s", weir_size_format(bytes, all));
    weir_room_describe(maker->target->paths[0], 0, &room);
    add_room(outlook->text, &room, bytes, weir_plus(items, directories));
    weir_text_add(outlook->text, "\n");
}

/* ---- calls of programs ---- */

#define PROGRAM_STATEMENTS_MAX 10000000 /* they take less than a second */

static void add_call_counts(struct weir_text *text, const struct weir_program *program,
                            const struct weir_program_count *count)
{
    const char *before = "  calls   ";
    char size[WEIR_SIZE_TEXT_BYTES];

    for (unsigned i = 0; i < WEIR_CALL_WORDS; i++) {
        if (count->calls[i] == 0)
            continue;
        weir_text_add(text, "%s%" PRIu64 " %s", before, count->calls[i], weir_calls[i].word);
        if (count->bytes[i] > 0)
            weir_text_add(text, " (%s)", weir_size_format(count->bytes[i], size));
        before = ", ";
    }
    weir_text_add(
        text, "%s%s%s\n", before[0] == ',' ? "" : "  calls   none",
        count->reads_whole_files ? "; whole files that are read are not in the bytes" : "",
        count->draws_numbers && !program->seed_is_given ? "; random numbers may change that" : "");
}

/* What is written over or removed takes less. */
static void add_written(const struct outlook *outlook, const struct weir_program_count *count)
{
    struct weir_room_facts room;
    uint64_t bytes = 0;
    char all[WEIR_SIZE_TEXT_BYTES];

    for (unsigned i = 0; i < WEIR_CALL_WORDS; i++)
        if (weir_calls[i].writes)
            bytes = weir_plus(bytes, count->bytes[i]);
    if (bytes == 0 || !has_files(outlook->test))
        return;
    weir_text_add(outlook->text, "  files   %s are written in all", weir_size_format(bytes, all));
    weir_room_describe(outlook->test->phases[0]->target->paths[0], 0, &room);
    add_room(outlook->text, &room, 0, 0);
    weir_text_add(outlook->text, "\n");
}

static void add_calls(const struct outlook *outlook)
{
    const struct weir_program *program = outlook->test->phases[0]->program;
    struct weir_program_count count;

    if (program->skips_calls)
        return;
    if (weir_program_count(program, outlook->ranks, PROGRAM_STATEMENTS_MAX, &count)) {
        add_call_counts(outlook->text, program, &count);
        add_written(outlook, &count);
    } else {
        weir_text_add(outlook->text, "  calls   not known behind line %u of rank %" PRIu64 ": %s\n",
                      count.line, count.rank, count.reason);
    }
}

/* ---- memory ---- */

static uint64_t in_flight(const struct weir_phase *phase)
{
    if (phase->verb == WEIR_PROGRAM)
        return phase->program->largest_bytes;
    if (works_on_items(phase))
        return weir_times(phase->depth, phase->names.bytes);
    return moves_data(phase) ? weir_times(phase->depth, weir_phase_op_bytes(phase)) : 0;
}

static void add_memory(const struct outlook *outlook)
{
    struct weir_memory_facts memory;
    uint64_t bytes = 0;
    char one[WEIR_SIZE_TEXT_BYTES], all[WEIR_SIZE_TEXT_BYTES], left[WEIR_SIZE_TEXT_BYTES];

    for (size_t i = 0; i < outlook->test->phase_count; i++) {
        if (in_flight(outlook->test->phases[i]) > bytes)
            bytes = in_flight(outlook->test->phases[i]);
    }
    if (is_program(outlook->test) && bytes == 0)
        return; /* there are no sizes in it, or none is known */
    weir_text_add(
        outlook->text, "  memory  %s of %s per rank, %s in all", weir_size_format(bytes, one),
        is_program(outlook->test) ? "buffers for calls of known size" : "transfers in flight",
        weir_size_format(weir_times(bytes, outlook->ranks), all));
    if (weir_memory_describe("", &memory) == 0)
        weir_text_add(outlook->text, "; %s available on this host",
                      weir_size_format(memory.bytes_available, left));
    weir_text_add(outlook->text, "\n");
}

/* ---- time ---- */

struct span {
    double least_s;
    double most_s;
    bool is_open; /* no limit to the most is known */
};

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static double most_of(double a, double b)
{
    return a > b ? a : b;
}

static void add_phase(const struct outlook *outlook, const struct weir_phase *phase,
                      struct span *span)
{
    const struct weir_rate *rate = &phase->rate;
    double work, least_s = 0;
    double deadline_s = (double)phase->stop.deadline_ns / NS_PER_S;

    if (phase->verb == WEIR_PROGRAM)
        span->most_s += deadline_s;
    if (!moves_data(phase) && !works_on_items(phase))
        return;
    work = (double)ops_of(phase);
    if (rate->is_in_bytes)
        work *= (double)weir_phase_op_bytes(phase);
    if (rate->arrivals != WEIR_ARRIVALS_CLOSED)
        least_s = work * (rate->is_per_rank ? 1 : (double)outlook->ranks) / rate->per_s;
    least_s += (double)phase->think_ns / NS_PER_S * (double)ops_of(phase) +
               (double)phase->transfers.layout.listing.pauses_ns / NS_PER_S;
    if (deadline_s > 0)
        least_s = least_of(least_s, deadline_s);
    if (least_s < (double)phase->stop.minimum_ns / NS_PER_S)
        least_s = (double)phase->stop.minimum_ns / NS_PER_S;
    span->least_s += least_s;
    span->most_s += deadline_s;
    span->is_open |= deadline_s == 0 || phase->stop.has_wear_out;
}

static void add_steps(const struct outlook *outlook, const struct weir_step *steps,
                      struct span *span)
{
    for (const struct weir_step *step = steps; step != NULL; step = step->next) {
        struct span body = {0};

        add_steps(outlook, step->body, &body);
        if (step->kind == WEIR_STEP_SLEEP) {
            body.least_s = body.most_s = (double)step->sleep_ns / NS_PER_S;
        } else if (step->kind == WEIR_STEP_PHASE) {
            add_phase(outlook, step->phase, &body);
        } else if (step->kind == WEIR_STEP_REPEAT) {
            body.least_s *= (double)step->count;
            body.most_s *= (double)step->count;
        } else if (step->kind == WEIR_STEP_UNTIL) {
            /* The last round begins before the time is over. */
            body.least_s = most_of(body.least_s, (double)step->until_ns / NS_PER_S);
            body.most_s += (double)step->until_ns / NS_PER_S;
        }
        span->least_s += body.least_s;
        span->most_s += body.most_s;
        span->is_open |= body.is_open;
    }
}

static void add_time(const struct outlook *outlook)
{
    struct span span = {0};
    char least[WEIR_DURATION_TEXT_BYTES], most[WEIR_DURATION_TEXT_BYTES];

    add_steps(outlook, outlook->test->steps, &span);
    weir_text_add(outlook->text, "  time    ");
    if (span.least_s > 0)
        weir_text_add(outlook->text, "%s at least", weir_duration_format(span.least_s, least));
    if (!span.is_open)
        weir_text_add(outlook->text, "%s%s at most%s", span.least_s > 0 ? ", " : "",
                      weir_duration_format(span.most_s, most),
                      is_program(outlook->test) ? "" : ", opening, closing and removing apart");
    else if (span.least_s <= 0)
        weir_text_add(outlook->text, "as long as it takes: neither " WEIR_REMEDY_DEADLINE
                                     " nor a rate (--rate) is given");
    weir_text_add(outlook->text, "\n");
}

void weir_outlook_add(struct weir_text *text, const struct weir_plan *plan, unsigned ranks)
{
    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];
        const struct outlook outlook = {text, test, ranks_of(test, ranks)};

        weir_text_add(text,
                      "\non this host, test %u with %" PRIu64 " rank%s, %" PRIu64 " repetition%s\n",
                      test->number, outlook.ranks, outlook.ranks == 1 ? "" : "s", test->repetitions,
                      test->repetitions == 1 ? "" : "s");
        for (size_t k = 0; k < test->phase_count; k++)
            if (moves_data(test->phases[k]))
                add_amounts(&outlook, test->phases[k]);
        add_files(&outlook);
        add_trees(&outlook);
        add_problems(&outlook);
        if (is_program(test))
            add_calls(&outlook);
        add_memory(&outlook);
        if (!is_program(test) || test->phases[0]->stop.deadline_ns > 0)
            add_time(&outlook);
    }
}
