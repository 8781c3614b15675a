/* SPDX-License-Identifier: Apache-2.0 */
/* Builds plans piece by piece in an arena, and answers simple questions about them. */
#include "weir/plan/plan.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool weir_step_has_body(enum weir_step_kind kind)
{
    return kind == WEIR_STEP_REPEAT || kind == WEIR_STEP_UNTIL || kind == WEIR_STEP_ON_RANKS ||
           kind == WEIR_STEP_TIMED;
}

/* ---- building ---- */

static const char *join(struct weir_arena *arena, int count, const char *const words[])
{
    struct weir_text text = {0};
    const char *joined;

    for (int i = 0; i < count; i++)
        weir_text_add(&text, "%s%s", i > 0 ? " " : "", words[i]);
    joined = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return joined;
}

struct weir_plan *weir_plan_open(const char *dialect, int word_count, const char *const words[])
{
    struct weir_arena arena = {0};
    struct weir_plan *plan = weir_arena_take(&arena, sizeof *plan);
    const char **copies = weir_arena_take(&arena, ((size_t)word_count + 1) * sizeof *copies);

    for (int i = 0; i < word_count; i++)
        copies[i] = weir_arena_copy(&arena, words[i]);
    plan->source.words = copies;
    plan->source.word_count = (size_t)word_count;
    plan->command_line = join(&arena, word_count, words);
    plan->dialect = weir_arena_copy(&arena, dialect);
    plan->output.reporter = plan->dialect;
    plan->arena = arena;
    return plan;
}

void weir_plan_insert_word(struct weir_plan *plan, size_t index, const char *word)
{
    const char **words =
        weir_arena_take(&plan->arena, (plan->source.word_count + 2) * sizeof *words);

    assert(index <= plan->source.word_count);
    memcpy(words, plan->source.words, index * sizeof *words);
    words[index] = weir_arena_copy(&plan->arena, word);
    memcpy(words + index + 1, plan->source.words + index,
           (plan->source.word_count - index) * sizeof *words);
    plan->source.words = words;
    plan->source.word_count++;
}

void weir_plan_close(struct weir_plan *plan)
{
    struct weir_arena arena;

    if (!plan)
        return;
    arena = plan->arena; /* the plan itself lies in it */
    weir_arena_close(&arena);
}

/* A list that doubles whenever its count is a power of two: `items`, or a longer copy with room for
 * one more. */
static void *room_for_one_more(struct weir_arena *arena, void *items, size_t count,
                               size_t item_bytes)
{
    void *longer;

    if (count & (count - 1))
        return items;
    longer = weir_arena_take(arena, (count > 0 ? 2 * count : 1) * item_bytes);
    if (count > 0)
        memcpy(longer, items, count * item_bytes);
    return longer;
}

struct weir_test *weir_plan_add_test(struct weir_plan *plan)
{
    struct weir_test *test = weir_arena_take(&plan->arena, sizeof *test);

    test->number = (unsigned)plan->test_count;
    test->dialect = plan->dialect;
    test->repetitions = 1;
    plan->tests =
        room_for_one_more(&plan->arena, plan->tests, plan->test_count, sizeof *plan->tests);
    plan->tests[plan->test_count++] = test;
    return test;
}

static struct weir_step *append_step(struct weir_plan *plan, struct weir_step **steps,
                                     enum weir_step_kind kind)
{
    struct weir_step *step = weir_arena_take(&plan->arena, sizeof *step);

    step->kind = kind;
    while (*steps)
        steps = &(*steps)->next;
    *steps = step;
    return step;
}

struct weir_step *weir_plan_add_repeat(struct weir_plan *plan, struct weir_step **steps,
                                       uint64_t count)
{
    struct weir_step *step = append_step(plan, steps, WEIR_STEP_REPEAT);

    step->count = count;
    return step;
}

struct weir_step *weir_plan_add_until(struct weir_plan *plan, struct weir_step **steps,
                                      uint64_t until_ns)
{
    struct weir_step *step = append_step(plan, steps, WEIR_STEP_UNTIL);

    step->until_ns = until_ns;
    return step;
}

struct weir_step *weir_plan_add_on_ranks(struct weir_plan *plan, struct weir_test *test,
                                         struct weir_step **steps,
                                         const struct weir_rank_set *ranks)
{
    struct weir_step *step = append_step(plan, steps, WEIR_STEP_ON_RANKS);

    step->ranks = *ranks;
    step->number = test->rank_set_count++;
    return step;
}

struct weir_step *weir_plan_add_timed(struct weir_plan *plan, struct weir_step **steps,
                                      const char *label)
{
    struct weir_step *step = append_step(plan, steps, WEIR_STEP_TIMED);

    step->label = weir_arena_copy(&plan->arena, label);
    return step;
}

void weir_plan_add_barrier(struct weir_plan *plan, struct weir_step **steps)
{
    append_step(plan, steps, WEIR_STEP_BARRIER);
}

void weir_plan_add_sleep(struct weir_plan *plan, struct weir_step **steps, uint64_t sleep_ns)
{
    append_step(plan, steps, WEIR_STEP_SLEEP)->sleep_ns = sleep_ns;
}

void weir_plan_add_command(struct weir_plan *plan, struct weir_step **steps, const char *command,
                           bool is_per_node)
{
    struct weir_step *step = append_step(plan, steps, WEIR_STEP_COMMAND);

    step->command = weir_arena_copy(&plan->arena, command);
    step->is_per_node = is_per_node;
}

struct weir_phase *weir_plan_add_phase(struct weir_plan *plan, struct weir_test *test,
                                       struct weir_step **steps, const struct weir_phase *phase)
{
    struct weir_phase *copy = weir_arena_take(&plan->arena, sizeof *copy);

    *copy = *phase;
    copy->number = plan->phase_count++;
    append_step(plan, steps, WEIR_STEP_PHASE)->phase = copy;
    test->phases =
        room_for_one_more(&plan->arena, test->phases, test->phase_count, sizeof *test->phases);
    test->phases[test->phase_count++] = copy;
    return copy;
}

void weir_plan_add_remark(struct weir_plan *plan, struct weir_test *test, const char *format, ...)
{
    const char **remarks =
        room_for_one_more(&plan->arena, (void *)test->remarks, test->remark_count, sizeof *remarks);
    char *remark = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&remark, format, arguments) < 0)
        weir_error_out_of_memory();
    va_end(arguments);
    remarks[test->remark_count++] = weir_arena_copy(&plan->arena, remark);
    test->remarks = remarks;
    free(remark);
}

bool weir_plan_repeats_remark(const struct weir_plan *plan, const struct weir_test *test,
                              size_t remark)
{
    for (unsigned i = test->number; i-- > 0;)
        for (size_t k = 0; k < plan->tests[i]->remark_count; k++)
            if (strcmp(plan->tests[i]->remarks[k], test->remarks[remark]) == 0)
                return true;
    return false;
}

/* Of nested rank sets the smallest count holds. Steps that are nested too deep are left to the
 * check. */
static void limit_ranks(const struct weir_step *step, uint64_t limit, unsigned nesting)
{
    if (nesting > WEIR_PLAN_NESTING_MAX)
        return;
    for (; step; step = step->next) {
        uint64_t inner = limit;

        if (step->kind == WEIR_STEP_ON_RANKS && (limit == 0 || step->ranks.count < limit))
            inner = step->ranks.count;
        if (step->kind == WEIR_STEP_PHASE)
            step->phase->rank_limit = limit;
        limit_ranks(step->body, inner, nesting + 1);
    }
}

/* Options of a backend that the front end did not read have their defaults. */
static void set_backend_options(struct weir_plan *plan, struct weir_test *test)
{
    const struct weir_option_set *set = &test->backend->options;
    const struct weir_option_binding binding = {set,
                                                weir_arena_take(&plan->arena, set->values_bytes)};

    weir_options_reset(&(struct weir_option_parser){
        .arena = &plan->arena, .bindings = &binding, .binding_count = 1});
    test->backend_options = binding.values;
}

/* Has one operation move all blocks of a rank where the options of the backend ask for it. Only
 * transfers in order are blocks one after the other. */
static void span_blocks(struct weir_test *test)
{
    const struct weir_descriptor *loop = test->inner ? test->inner : test->backend;
    const void *options = weir_test_options(test);

    if (!loop || !loop->spans_blocks || !options || !loop->spans_blocks(options))
        return;
    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_verb_moves_data(test->phases[i]->verb))
            test->phases[i]->transfers.layout.is_at_once =
                test->phases[i]->transfers.layout.order == WEIR_ORDER_SEQUENTIAL;
}

int weir_plan_freeze(struct weir_plan *plan, struct weir_error *error)
{
    struct weir_text text = {0};
    int status;

    for (size_t i = 0; i < plan->test_count; i++) {
        struct weir_test *test = plan->tests[i];

        limit_ranks(test->steps, 0, 0);
        if (test->backend && test->backend->options.rows && !test->backend_options)
            set_backend_options(plan, test);
        span_blocks(test);
    }
    status = weir_plan_check(plan, error);
    if (status)
        return status;
    weir_plan_explain_work(plan, &text);
    snprintf(plan->id, sizeof plan->id, "%016" PRIx64,
             weir_text_hash(weir_text_string(&text), text.length));
    weir_text_close(&text);
    for (size_t i = 0; i < plan->test_count; i++)
        for (size_t j = 0; j < plan->tests[i]->phase_count; j++)
            weir_plan_case_id(plan->tests[i], plan->tests[i]->phases[j],
                              plan->tests[i]->phases[j]->case_id);
    return 0;
}

/* ---- reading ---- */

/* Appends to a path; false if it does not fit. */
static bool add_to_path(char path[WEIR_PATH_BYTES], size_t *length, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool add_to_path(char path[WEIR_PATH_BYTES], size_t *length, const char *format, ...)
{
    size_t room = WEIR_PATH_BYTES - *length;
    va_list arguments;
    int added;

    va_start(arguments, format);
    added = vsnprintf(path + *length, room, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added >= room)
        return false;
    *length += (size_t)added;
    return true;
}

/* The path that numbers are added to. */
static bool add_stem(const struct weir_target *target, const struct weir_file_place *place,
                     char stem[WEIR_PATH_BYTES])
{
    const char *whole = target->paths[place->number % target->path_count];
    size_t length = 0;

    if (target->has_package_directory)
        return add_to_path(stem, &length, "%s%" PRIu64 "/data", whole, place->package);
    return add_to_path(stem, &length, "%s", whole);
}

/* A file's name with its number, in a directory named by the number if the target asks. */
static bool add_own_name(const struct weir_target *target, const struct weir_file_place *place,
                         char path[WEIR_PATH_BYTES], size_t *length)
{
    char stem[WEIR_PATH_BYTES];
    const char *slash, *name;

    if (!add_stem(target, place, stem))
        return false;
    slash = strrchr(stem, '/');
    name = slash ? slash + 1 : stem;
    if (!target->has_own_directory)
        return add_to_path(path, length, "%s.%08" PRIu64, stem, place->number);
    return add_to_path(path, length, "%.*s%" PRIu64 "/%s.%08" PRIu64, (int)(name - stem), stem,
                       place->number, name, place->number);
}

/* What the file's pattern says. */
static bool add_exact_name(const struct weir_target *target, const struct weir_file_place *place,
                           char path[WEIR_PATH_BYTES], size_t *length)
{
    const char *pattern = target->paths[place->number % target->path_count];
    bool fits = true;

    while (fits && *pattern != '\0') {
        size_t plain = strcspn(pattern, "%");

        fits = add_to_path(path, length, "%.*s", (int)plain, pattern);
        pattern += plain;
        if (fits && pattern[0] == '%') {
            fits = pattern[1] == 'r' ? add_to_path(path, length, "%" PRIu64, place->number)
                                     : add_to_path(path, length, "%%");
            pattern += pattern[1] != '\0' ? 2 : 1;
        }
    }
    return fits;
}

int weir_target_path(const struct weir_target *target, const struct weir_file_place *place,
                     char path[WEIR_PATH_BYTES])
{
    size_t length = 0;
    bool fits;

    assert(target->path_count > 0);
    if (target->is_shared)
        fits = add_to_path(path, &length, "%s", target->paths[0]);
    else if (target->is_device)
        fits = add_to_path(path, &length, "%s", target->paths[place->number % target->path_count]);
    else if (target->has_exact_names)
        fits = add_exact_name(target, place, path, &length);
    else
        fits = add_own_name(target, place, path, &length);
    if (fits && target->is_new_each_repetition)
        fits = add_to_path(path, &length, ".%" PRIu64, place->repetition);
    return fits ? 0 : -ENAMETOOLONG;
}

bool weir_target_has_numbers(const struct weir_target *target)
{
    for (size_t i = 0; i < target->path_count; i++) {
        const char *at = target->paths[i];

        while ((at = strchr(at, '%')) != NULL && at[1] == '%')
            at += 2;
        if (at == NULL)
            return false;
    }
    return true;
}

bool weir_rank_set_has(const struct weir_rank_set *set, uint64_t rank)
{
    return rank >= set->first && (rank - set->first) % set->stride == 0 &&
           (rank - set->first) / set->stride < set->count;
}

static unsigned nesting_of(const struct weir_step *step, unsigned nesting)
{
    unsigned deepest = nesting;

    for (; step && nesting <= WEIR_PLAN_NESTING_MAX; step = step->next) {
        unsigned inner = step->body ? nesting_of(step->body, nesting + 1) : nesting;

        if (inner > deepest)
            deepest = inner;
    }
    return deepest;
}

unsigned weir_test_nesting(const struct weir_test *test)
{
    return nesting_of(test->steps, 0);
}

const char *weir_test_setting(const struct weir_test *test, const char *key)
{
    for (size_t i = 0; i < test->setting_count; i++)
        if (strcmp(test->settings[i].key, key) == 0)
            return test->settings[i].value;
    return NULL;
}

const struct weir_phase *weir_plan_find_phase(const struct weir_plan *plan, unsigned test,
                                              unsigned phase)
{
    if (test >= plan->test_count)
        return NULL;
    for (size_t i = 0; i < plan->tests[test]->phase_count; i++)
        if (plan->tests[test]->phases[i]->number == phase)
            return plan->tests[test]->phases[i];
    return NULL;
}

unsigned weir_test_abilities(const struct weir_test *test)
{
    return test->inner != NULL ? test->inner->abilities : test->backend->abilities;
}

const void *weir_test_options(const struct weir_test *test)
{
    return test->inner != NULL ? test->inner_options : test->backend_options;
}

const struct weir_phase *weir_test_phase(const struct weir_test *test, enum weir_verb verb)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->verb == verb && !test->phases[i]->is_check &&
            !test->phases[i]->is_prefill)
            return test->phases[i];
    return NULL;
}

static bool reads_files(const struct weir_phase *phase)
{
    bool reads = phase->verb == WEIR_READ_FILE;

    for (unsigned i = 0; i < phase->names.cycle_count; i++)
        reads |= phase->names.cycle[i] == WEIR_READ_FILE;
    return reads && phase->names.bytes > 0;
}

enum weir_cache_drop weir_phase_cache_drop(const struct weir_test *test,
                                           const struct weir_phase *phase)
{
    bool looks = weir_verb_works_on_trees(phase->verb) && !weir_verb_makes_items(phase->verb);

    if (weir_verb_reads(phase->verb) || reads_files(phase) || phase->verb == WEIR_PROGRAM ||
        (looks && test->cache_drop == WEIR_DROP_NODE))
        return test->cache_drop;
    return WEIR_DROP_NOTHING;
}

uint64_t weir_phase_op_bytes(const struct weir_phase *phase)
{
    const struct weir_names *names = &phase->names;
    uint64_t times = phase->verb == WEIR_CREATE || phase->verb == WEIR_READ_FILE;

    if (!weir_verb_works_on_trees(phase->verb))
        return weir_layout_op_bytes(&phase->transfers.layout);
    for (unsigned i = 0; i < names->cycle_count; i++)
        times += names->cycle[i] == WEIR_CREATE || names->cycle[i] == WEIR_READ_FILE;
    return times * names->bytes;
}

/* Trials that make items remove them again: those that all ranks make have no owner to do so. */
static bool is_tried(const struct weir_phase *phase)
{
    return !weir_verb_works_on_trees(phase->verb) || weir_verb_is_repeatable(phase->verb) ||
           (weir_verb_makes_items(phase->verb) && phase->names.item && !phase->names.is_shared);
}

const struct weir_phase *weir_test_tried_phase(const struct weir_test *test,
                                               const struct weir_phase *phase)
{
    const struct weir_phase *first = NULL;

    if (is_tried(phase))
        return phase;
    for (size_t i = 0; i < test->phase_count && test->phases[i]->number != phase->number; i++) {
        if (!test->phases[i]->must_find_depth || !is_tried(test->phases[i]))
            continue;
        if (test->phases[i]->names.is_directory == phase->names.is_directory)
            return test->phases[i];
        first = first ? first : test->phases[i];
    }
    return first;
}

bool weir_transfers_rank_reads(const struct weir_transfers *transfers, uint64_t rank,
                               uint64_t ranks)
{
    if (transfers->alternates)
        return rank % 2 == 0;
    if (transfers->reader_count > 0)
        return rank < transfers->reader_count;
    return rank < ranks * transfers->read_percent / 100;
}
