/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier runs of a plan have finished, as the result file tells. */
#include "weir/base/memory.h"
#include "weir/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tests that a run has finished ---- */

struct search {
    const uint64_t *records; /* complete ones, by phase */
    bool needs_end;          /* records alone do not tell whether the test came to its end */
};

static bool is_whole(const struct weir_phase_result *phase)
{
    return phase->outcome == WEIR_OUTCOME_COMPLETE && !phase->is_interrupted &&
           phase->error_count == 0 && (!phase->failure || phase->failure[0] == '\0');
}

static bool has_all(struct search *search, const struct weir_step *step, uint64_t rounds,
                    bool is_open);

/* A loop until a time has one round or more. Files that need no removal, or are to stay if their
 * data are wrong, leave no record of it. */
static bool has_phase(struct search *search, const struct weir_phase *phase, uint64_t rounds,
                      bool is_open)
{
    uint64_t found = search->records[phase->number];
    bool is_removal =
        weir_verb_works_on_names(phase->verb) && !weir_verb_works_on_trees(phase->verb);

    search->needs_end |= is_removal && found < rounds;
    return (is_open ? found >= rounds : found == rounds) || (is_removal && found < rounds);
}

static bool has_step(struct search *search, const struct weir_step *step, uint64_t rounds,
                     bool is_open)
{
    switch (step->kind) {
    case WEIR_STEP_PHASE:
        return has_phase(search, step->phase, rounds, is_open);
    case WEIR_STEP_REPEAT:
        return !__builtin_mul_overflow(rounds, step->count, &rounds) &&
               has_all(search, step->body, rounds, is_open);
    case WEIR_STEP_ON_RANKS: /* without rank 0 there are no records */
        return step->ranks.first != 0 || has_all(search, step->body, rounds, is_open);
    case WEIR_STEP_UNTIL:
        search->needs_end = true;
        return has_all(search, step->body, rounds, true);
    case WEIR_STEP_TIMED:
        search->needs_end = true;
        return has_all(search, step->body, rounds, is_open);
    case WEIR_STEP_COMMAND:
        search->needs_end = true;
        break;
    case WEIR_STEP_BARRIER:
    case WEIR_STEP_SLEEP:
        break;
    }
    return true;
}

static bool has_all(struct search *search, const struct weir_step *step, uint64_t rounds,
                    bool is_open)
{
    for (; step; step = step->next)
        if (!has_step(search, step, rounds, is_open))
            return false;
    return true;
}

/* True if an earlier run has measured all phases of the test. */
static bool is_kept(const struct weir_result *result, unsigned test)
{
    bool has_phases = false;

    for (unsigned i = 0; i < result->phase_count; i++) {
        if (result->phases[i].test == test && result->phases[i].kept_from[0] == '\0')
            return false;
        has_phases |= result->phases[i].test == test;
    }
    return has_phases;
}

/* Then another one began in that run, or the run itself ended. A test that was kept may have been
 * written down behind one that was cut. */
static bool has_ended(const struct weir_result *result, unsigned test)
{
    bool has_begun = false;

    for (unsigned i = 0; i < result->test_count; i++) {
        if (has_begun && !is_kept(result, result->tests[i].test))
            return true;
        has_begun |= result->tests[i].test == test;
    }
    return has_begun && result->finished_s > 0.0 && !result->is_interrupted && !result->given_up;
}

static bool has_flaw(const struct weir_result *result, unsigned test)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].test == test && !is_whole(&result->phases[i]))
            return true;
    return false;
}

static bool has_finished(const struct weir_recorded *run, unsigned test, const uint64_t *records)
{
    struct search search = {.records = records};

    return !has_flaw(run->result, test) &&
           has_all(&search, run->plan->tests[test]->steps, 1, false) &&
           (!search.needs_end || has_ended(run->result, test));
}

/* ---- steps ---- */

/* It removes its files only if the run ends in it: the next one finds them. */
static bool leaves_files(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->names.only_if_ending)
            return true;
    return false;
}

/* Without a sweep, tests that need each other's files are one step, numbered by the first. */
static unsigned step_of(const struct weir_plan *plan, unsigned test)
{
    if (plan->sweep.axis_count > 0)
        return plan->tests[test]->sweep_step;
    while (test > 0 && leaves_files(plan->tests[test - 1]))
        test--;
    return test;
}

static bool is_first_of_step(const struct weir_plan *plan, unsigned test)
{
    for (unsigned i = 0; i < test; i++)
        if (step_of(plan, i) == step_of(plan, test))
            return false;
    return true;
}

static uint64_t *count_records(const struct weir_recorded *run)
{
    uint64_t *records = weir_memory_take((run->plan->phase_count + 1) * sizeof *records);

    for (unsigned i = 0; i < run->result->phase_count; i++)
        if (run->result->phases[i].phase < run->plan->phase_count)
            records[run->result->phases[i].phase]++;
    return records;
}

/* A step is of one run: its tests may belong together. */
static bool has_finished_step(const struct weir_recorded *run, unsigned step,
                              const uint64_t *records)
{
    for (unsigned i = 0; i < run->plan->test_count; i++)
        if (step_of(run->plan, i) == step && !has_finished(run, i, records))
            return false;
    return true;
}

/* ---- repetitions ---- */

/* Repetitions of a test that may be measured by several runs: the test consists of them alone, and
 * none depends on the depth that an earlier one found, or on the place where it left a working set
 * that moves on. 0 = there are none such. */
static uint64_t count_repetitions(const struct weir_test *test)
{
    const struct weir_step *loop = test->steps;

    if (loop == NULL || loop->next != NULL || loop->kind != WEIR_STEP_REPEAT)
        return 0;
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->must_find_depth || (weir_verb_works_on_trees(test->phases[i]->verb) &&
                                                 test->phases[i]->names.rotation.count > 0))
            return 0;
    return loop->count;
}

/* Repetitions of the test that the run has finished, from the first one on. */
static uint64_t finished_repetitions(const struct weir_recorded *run, unsigned number)
{
    const struct weir_test *test = run->plan->tests[number];
    const struct weir_result *result = run->result;
    uint64_t count = count_repetitions(test), repetition = 0, last = 0;
    uint64_t *records = weir_memory_take((run->plan->phase_count + 1) * sizeof *records);

    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].test == number && result->phases[i].repetition > last)
            last = result->phases[i].repetition;
    for (bool is_finished = true; is_finished && repetition + 1 < count;
         repetition += is_finished) {
        struct search search = {.records = records};

        memset(records, 0, run->plan->phase_count * sizeof *records);
        for (unsigned i = 0; i < result->phase_count && is_finished; i++) {
            const struct weir_phase_result *phase = &result->phases[i];

            if (phase->test != number || phase->repetition != repetition)
                continue;
            is_finished = is_whole(phase) && phase->phase < run->plan->phase_count;
            records[is_finished ? phase->phase : 0]++;
        }
        is_finished = is_finished && has_all(&search, test->steps->body, 1, false) &&
                      (!search.needs_end || last > repetition);
    }
    free(records);
    return repetition;
}

/* Of a step of several tests, all are repeated: they may belong together. */
static bool is_alone_in_step(const struct weir_plan *plan, unsigned test)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (i != test && step_of(plan, i) == step_of(plan, test))
            return false;
    return true;
}

static void keep_steps(struct weir_resumption *resumption, const struct weir_recorded *run)
{
    const struct weir_plan *plan = run->plan;
    uint64_t *records = count_records(run);

    for (unsigned i = 0; i < plan->test_count; i++) {
        if (resumption->kept[i] || !is_first_of_step(plan, i) ||
            !has_finished_step(run, step_of(plan, i), records))
            continue;
        resumption->kept_count++;
        for (unsigned j = i; j < plan->test_count; j++)
            if (step_of(plan, j) == step_of(plan, i))
                resumption->kept[j] = run->result;
    }
    free(records);
}

/* ---- refusals ---- */

/* Cuts both texts to the first lines that differ. */
static void find_difference(char **one, char **other)
{
    char *next, *other_next;

    while ((next = strchr(*one, '\n')) && (other_next = strchr(*other, '\n')) &&
           next - *one == other_next - *other && memcmp(*one, *other, (size_t)(next - *one)) == 0) {
        *one = next + 1;
        *other = other_next + 1;
    }
    *one += strspn(*one, " ");
    *other += strspn(*other, " ");
    (*one)[strcspn(*one, "\n")] = '\0';
    (*other)[strcspn(*other, "\n")] = '\0';
}

static int refuse_plan(const struct weir_plan *plan, const struct weir_recorded *last,
                       struct weir_error *error)
{
    struct weir_text here = {0}, there = {0};
    char *mine, *other;

    weir_plan_explain_work(plan, &here);
    weir_plan_explain_work(last->plan, &there);
    weir_text_add(&here, "\n");
    weir_text_add(&there, "\n");
    mine = here.data;
    other = there.data;
    find_difference(&mine, &other);
    weir_error_usage(
        error, plan->dialect,
        "--resume: %s has no run of this plan: where this one has \"%.150s\", the last "
        "one has \"%.150s\"; take another file, or leave --resume out. The last one "
        "is: %s",
        plan->output.result_path, mine, other, last->plan->command_line);
    weir_text_close(&here);
    weir_text_close(&there);
    return error->code;
}

static int refuse_last(const struct weir_plan *plan, struct weir_error *error)
{
    struct weir_recorded last = {0};
    int code = weir_record_read(plan->output.result_path, WEIR_LAST_RUN, &last, error);

    if (code == 0)
        code = refuse_plan(plan, &last, error);
    weir_recorded_close(&last);
    return code;
}

static int check_ranks(const struct weir_plan *plan, const struct weir_recorded *run,
                       unsigned rank_count, struct weir_error *error)
{
    unsigned earlier = run->result->rank_count;

    if (earlier == rank_count)
        return 0;
    return weir_error_usage(error, plan->dialect,
                            "--resume: the run of this plan in %s was one of %u ranks, and now "
                            "there %s %u: start as many, take another file, or leave --resume out",
                            plan->output.result_path, earlier, rank_count == 1 ? "is" : "are",
                            rank_count);
}

/* ---- runs ---- */

struct list {
    struct weir_recorded_run *runs;
    unsigned count;
};

/* Their positions plus one; 0: there is none. */
static unsigned find_plan(const struct list *list, const char *plan_id)
{
    unsigned i = list->count;

    while (i > 0 &&
           !(list->runs[i - 1].has_report && strcmp(list->runs[i - 1].plan_id, plan_id) == 0))
        i--;
    return i;
}

static unsigned find_earlier(const struct list *list, unsigned run)
{
    const char *id = list->runs[run].resumed_id;
    unsigned i = id[0] == '\0' ? 0 : run;

    while (i > 0 && strcmp(list->runs[i - 1].id, id) != 0)
        i--;
    return i;
}

static bool has_report(const struct list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->runs[i].has_report)
            return true;
    return false;
}

/* What a run that was killed had not yet written down again stands in the one before it; each is a
 * reading of the file. */
static int read_chain(struct weir_resumption *resumption, const struct weir_plan *plan,
                      const struct list *list, unsigned rank_count, struct weir_error *error)
{
    unsigned next = find_plan(list, plan->id);
    int code = 0;

    while (next > 0 && code == 0 && resumption->kept_count < resumption->step_count) {
        struct weir_recorded *run;

        resumption->runs = weir_memory_grow(resumption->runs,
                                            (resumption->run_count + 1) * sizeof *resumption->runs);
        run = &resumption->runs[resumption->run_count];
        *run = (struct weir_recorded){0};
        code = weir_record_read(plan->output.result_path, next - 1, run, error);
        if (code != 0)
            break;
        resumption->run_count++;
        code = check_ranks(plan, run, rank_count, error);
        if (code == 0 && run->plan->test_count != plan->test_count)
            code = refuse_plan(plan, run, error);
        if (code == 0) {
            keep_steps(resumption, run);
            for (unsigned i = 0; i < run->plan->test_count; i++) {
                uint64_t count = is_alone_in_step(run->plan, i) ? finished_repetitions(run, i) : 0;

                if (count <= resumption->repetitions[i])
                    continue;
                resumption->repetitions[i] = count;
                resumption->partly[i] = run->result;
            }
        }
        next = find_earlier(list, next - 1);
    }
    return code;
}

int weir_resumption_open(struct weir_resumption *resumption, const struct weir_plan *plan,
                         unsigned rank_count, struct weir_error *error)
{
    struct weir_error unread = {0};
    struct weir_arena arena = {0};
    struct list list = {0};
    int code = weir_record_list(plan->output.result_path, &arena, &list.runs, &list.count, &unread);

    *resumption = (struct weir_resumption){0};
    resumption->kept = weir_memory_take(plan->test_count * sizeof *resumption->kept);
    resumption->partly = weir_memory_take(plan->test_count * sizeof *resumption->partly);
    resumption->repetitions = weir_memory_take(plan->test_count * sizeof *resumption->repetitions);
    for (unsigned i = 0; i < plan->test_count; i++)
        resumption->step_count += is_first_of_step(plan, i);
    if (code != 0 && code != -ENOENT && code != -ENODATA)
        *error = unread;
    else if (code == 0 && has_report(&list))
        find_plan(&list, plan->id) > 0 ? read_chain(resumption, plan, &list, rank_count, error)
                                       : refuse_last(plan, error);
    weir_arena_close(&arena);
    /* Drops the repetitions of tests that are kept whole, and adds up the others. */
    for (unsigned i = 0; i < plan->test_count; i++) {
        if (resumption->kept[i] != NULL)
            resumption->repetitions[i] = 0;
        resumption->kept_repetitions += (unsigned)resumption->repetitions[i];
    }

    /* The time of its last test, if the latest run has got no further than the one that it went on
     * with. */
    const struct weir_result *latest =
        resumption->run_count > 0 ? resumption->runs[0].result : NULL;

    if (latest != NULL && latest->is_out_of_time &&
        resumption->kept_count <= latest->resumed.kept_count &&
        resumption->kept_repetitions <= latest->resumed.kept_repetitions) {
        for (unsigned i = 0; i < latest->test_count; i++) {
            double seconds = latest->finished_s - latest->tests[i].begun_s;

            if (is_kept(latest, latest->tests[i].test) || seconds <= 0)
                continue;
            resumption->lost_s = seconds;
            resumption->lost_test = latest->tests[i].test;
        }
    }

    return error->code;
}

void weir_resumption_close(struct weir_resumption *resumption)
{
    weir_recorded_close_all(resumption->runs, resumption->run_count);
    free(resumption->kept);
    free(resumption->partly);
    free(resumption->repetitions);
    *resumption = (struct weir_resumption){0};
}
