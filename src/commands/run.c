/* SPDX-License-Identifier: Apache-2.0 */

#include "check_targets.h"
#include "deadline.h"
#include "rank_order.h"
#include "recorder.h"

#include "weir/audit/audit.h"
#include "weir/base/log.h"
#include "weir/base/memory.h"
#include "weir/base/output_file.h"
#include "weir/base/random.h"
#include "weir/base/remedy.h"
#include "weir/commands/commands.h"
#include "weir/report/expect.h"
#include "weir/system/host.h"
#include "weir/system/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks that read different scripts would wait for each other forever: also of different ends,
 * which the id of the plan leaves out. */
static int agree_on_plan(struct weir_group *group, const struct weir_plan *plan,
                         struct weir_error *error)
{
    struct weir_text text = {0};
    uint64_t mine, first;

    weir_plan_explain(plan, &text);
    mine = first = weir_text_hash(weir_text_string(&text), text.length);
    weir_text_close(&text);
    if (weir_group_broadcast(group, &first, sizeof first, 0) == 0 && first != mine)
        weir_error_usage(error, plan->dialect,
                         "this rank read another plan (%016" PRIx64 ") than rank 0 (%016" PRIx64
                         "): are the "
                         "script and the environment the same on all nodes%s?",
                         mine, first,
                         plan->sweep.total_bytes > 0 || plan->sweep.total_items > 0
                             ? ", and does each have as many ranks, or does the sweep have "
                               "ranks-per-node="
                             : "");
    weir_expect_check(plan->output.expect, plan, WEIR_EXPECT_PLACE, error);
    return weir_group_agree(group, error);
}

/* The first node that has too few ranks for a test, among those that it takes; -1: there is none.
 */
static int find_small_node(const struct weir_group *group, const struct weir_test *test)
{
    for (int node = 0; node < group->node_count; node++) {
        int ranks = group->node_start[node + 1] - group->node_start[node];

        if (test->node_limit > 0 && (uint64_t)node >= test->node_limit)
            break;
        if ((uint64_t)ranks < test->ranks_per_node_limit)
            return node;
    }
    return -1;
}

static int check_node_need(const struct weir_group *group, const struct weir_plan *plan,
                           struct weir_error *error)
{
    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];
        int small = find_small_node(group, test);

        if (test->node_limit > (uint64_t)group->node_count)
            return weir_error_usage(error, plan->dialect,
                                    "%" PRIu64 " nodes are needed, and the ranks are on %d: start "
                                    "them on more, or " WEIR_REMEDY_FEWER_RANKS,
                                    test->node_limit, group->node_count);
        if (small >= 0)
            return weir_error_usage(error, plan->dialect,
                                    "%" PRIu64 " ranks per node are needed, and %s has %d: start "
                                    "more there, or " WEIR_REMEDY_FEWER_RANKS,
                                    test->ranks_per_node_limit, group->node_names[small],
                                    group->node_start[small + 1] - group->node_start[small]);
    }
    return 0;
}

/* Later tests may need more ranks than the first ones. */
static int check_rank_need(struct weir_group *group, const struct weir_plan *plan,
                           struct weir_error *error)
{
    check_node_need(group, plan, error);
    if (plan->rank_need > (uint64_t)group->size && group->mismatch.fact[0] != '\0')
        weir_error_usage(error, plan->dialect, "%" PRIu64 " ranks are needed, and %s; %s",
                         plan->rank_need, group->mismatch.fact, group->mismatch.remedy);
    else if (plan->rank_need > (uint64_t)group->size)
        weir_error_usage(error, plan->dialect,
                         "%" PRIu64 " ranks are needed, and there %s %d: start them with "
                         "mpiexec -n %" PRIu64 ", or " WEIR_REMEDY_FEWER_RANKS,
                         plan->rank_need, group->size == 1 ? "is" : "are", group->size,
                         plan->rank_need);
    return weir_group_agree(group, error);
}

/* ---- going on with an earlier run ---- */

static void tell_kept(const struct weir_plan *plan, const struct weir_resumption *resumption)
{
    if (resumption->run_count == 0)
        weir_log(WEIR_LOG_WARNING,
                 "--resume: %s is not there, or holds no run yet: this one begins from the start",
                 plan->output.result_path);
    else if (resumption->kept_repetitions > 0)
        weir_log(
            WEIR_LOG_WARNING,
            "--resume: %u of %u steps, and %u repetition%s of unfinished ones, are reused from "
            "%s",
            resumption->kept_count, resumption->step_count, resumption->kept_repetitions,
            resumption->kept_repetitions == 1 ? "" : "s", plan->output.result_path);
    else
        weir_log(WEIR_LOG_WARNING, "--resume: %u of %u steps are reused from %s",
                 resumption->kept_count, resumption->step_count, plan->output.result_path);
}

/* What is no result file is not read, or waited for. */
static int read_earlier(const struct weir_plan *plan, unsigned rank_count,
                        struct weir_resumption *resumption, struct weir_error *error)
{
    const struct weir_output_file file = {.path = plan->output.result_path,
                                          .place = "--result",
                                          .kind = WEIR_OUTPUT_RESULT,
                                          .must_append = true};

    if (weir_output_file_check(&file, error) != 0 ||
        weir_resumption_open(resumption, plan, rank_count, error) != 0)
        return error->code;
    tell_kept(plan, resumption);
    return 0;
}

/* Tests, and repetitions of others from the first one on, that are not run. */
struct kept {
    bool *tests; /* behind them, whether there was an earlier run */
    uint64_t *repetitions;
};

/* Rank 0 reads the file and broadcasts which tests and repetitions are not run. */
static int find_kept(struct weir_group *group, const struct weir_plan *plan,
                     struct weir_resumption *resumption, const struct kept *kept,
                     struct weir_error *error)
{
    if (group->rank == 0 && plan->output.must_resume)
        read_earlier(plan, (unsigned)group->size, resumption, error);
    for (size_t i = 0; i < plan->test_count && resumption->kept != NULL; i++) {
        kept->tests[i] = resumption->kept[i] != NULL;
        kept->repetitions[i] = resumption->repetitions[i];
    }
    kept->tests[plan->test_count] = resumption->run_count > 0;
    if (weir_group_agree(group, error) == 0 &&
        (weir_group_broadcast(group, kept->tests, (plan->test_count + 1) * sizeof *kept->tests,
                              0) != 0 ||
         weir_group_broadcast(group, kept->repetitions,
                              plan->test_count * sizeof *kept->repetitions, 0) != 0))
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    return error->code;
}

static void describe_resumed(const struct weir_resumption *resumption, struct weir_resumed *resumed)
{
    const struct weir_result *latest =
        resumption->run_count > 0 ? resumption->runs[0].result : NULL;

    if (latest == NULL)
        return;
    snprintf(resumed->run_id, sizeof resumed->run_id, "%016" PRIx64, latest->run_id);
    resumed->begun_s = latest->begun_s;
    resumed->step_count = resumption->step_count;
    resumed->kept_count = resumption->kept_count;
    resumed->kept_repetitions = resumption->kept_repetitions;
}

/* A batch script that requeues its job would do so for ever. */
static void warn_of_lost_time(const struct weir_plan *plan,
                              const struct weir_resumption *resumption, double rest_s)
{
    /* Runs differ, and the time before the test is not in lost_s. */
    bool is_as_short = rest_s <= 1.25 * resumption->lost_s + 1;

    if (resumption->lost_s <= 0 || rest_s <= 0)
        return;
    weir_log(
        WEIR_LOG_WARNING,
        "--resume: the run before spent %.0f s on test %u and finished %s that could be kept; "
        "this one has %.0f s%s",
        resumption->lost_s, resumption->lost_test,
        plan->tests[resumption->lost_test]->repetitions > 1 ? "no repetition" : "nothing", rest_s,
        is_as_short ? ": the test will not end within it, so have a longer job, or less work" : "");
}

/* Whether the result file has more finished steps or repetitions than when this run began. */
static bool has_advanced(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_resumption *before)
{
    struct weir_resumption now = {0};
    struct weir_error error = {0};
    bool has_more = weir_resumption_open(&now, plan, result->rank_count, &error) != 0 ||
                    now.kept_count > before->kept_count ||
                    now.kept_repetitions > before->kept_repetitions;

    weir_resumption_close(&now);
    return has_more;
}

/* The second run in a row that ended for want of time and finished nothing is an error of the
 * environment: a third one would finish nothing either. */
static void check_advance(const struct weir_plan *plan, const struct weir_result *result,
                          const struct weir_resumption *before, struct weir_error *error)
{
    if (before->lost_s <= 0 || !result->is_out_of_time || weir_error_is_set(error) ||
        has_advanced(plan, result, before))
        return;
    weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ETIME, "--resume",
                   "two runs ended for want of time and finished nothing of test %u that could be "
                   "kept: have a longer job, or less work",
                   before->lost_test);
}

static struct weir_result *begin_result(const struct weir_group *group,
                                        const struct weir_plan *plan,
                                        const struct weir_clock *clock)
{
    struct weir_result *result = weir_result_open((unsigned)plan->test_count);

    result->begun_s = weir_wall_clock_s();
    result->run_id = weir_random_draw();
    result->rank_count = (unsigned)group->size;
    snprintf(result->clock_name, sizeof result->clock_name, "%s", weir_clock_name(clock));
    weir_host_describe(&result->host);
    return result;
}

/* Appends why a phase makes the exit code 1. */
static void add_flaw(struct weir_text *reason, const struct weir_plan *plan,
                     const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_plan_find_phase(plan, phase->test, phase->phase);

    if (plan->test_count > 1)
        weir_text_add(reason, "test %u, ", phase->test);
    weir_text_add(reason, "%s %u: ", weir_verb_name(planned->verb), phase->repetition);
    if (phase->failure[0] != '\0')
        weir_text_add(reason, "%s", phase->failure);
    else if (phase->mismatches.wrong_transfers > 0)
        weir_text_add(reason, "data were wrong in %" PRIu64 " of %" PRIu64,
                      phase->mismatches.wrong_transfers, phase->mismatches.checked_transfers);
    else if (phase->error_count > 0)
        weir_text_add(reason, "%" PRIu64 " operations failed", phase->error_count);
    else if (phase->has_lost_bytes)
        weir_text_add(reason, "the files hold less than was written");
    else
        weir_text_add(reason, "%s", phase->is_interrupted ? "interrupted" : "not complete");
}

/* Sets the exit code of a run and its reason, and `unmet` if a condition of --expect does not hold.
 */
static void judge(const struct weir_plan *plan, struct weir_result *result,
                  const struct weir_recorder *recorder, const struct weir_error *error,
                  struct weir_error *unmet)
{
    const struct weir_phase_result *flaw = weir_result_flaw(result);
    const struct weir_output *output = &plan->output;
    struct weir_text reason = {0};

    if (output->expect != NULL)
        weir_expect_fail(weir_expect_judge(&result->arena, plan, result), unmet);
    if (weir_error_is_set(error))
        weir_text_add(&reason, "%s", error->text);
    else if (flaw != NULL)
        add_flaw(&reason, plan, flaw);
    else if (result->is_interrupted)
        weir_text_add(&reason, "interrupted between phases");
    else if (output->is_strict && weir_audit_voids(result))
        weir_text_add(&reason, "--strict: a finding voids a figure");
    else if (output->warnings_are_errors &&
             (weir_audit_warns(plan, result) || weir_recorder_warnings(recorder) > 0))
        weir_text_add(&reason, "a warning, which is an error as asked");
    else
        weir_text_add(&reason, "%s", unmet->text);
    result->exit_code = weir_error_is_set(error) ? (int)error->exit
                        : reason.length > 0      ? WEIR_EXIT_FLAWED
                                                 : WEIR_EXIT_DONE;
    /* Errors and conditions are printed as such; warnings of an original only in its report. */
    if (result->exit_code == WEIR_EXIT_FLAWED && weir_result_judge(result) == WEIR_EXIT_DONE &&
        !weir_error_is_set(unmet) && !weir_error_is_set(error))
        weir_log(WEIR_LOG_WARNING, "exit code 1: %s", reason.data);
    if (reason.length > 0)
        result->exit_reason = weir_arena_copy(&result->arena, weir_text_string(&reason));
    weir_text_close(&reason);
}

static bool has_deadline(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    return weir_plan_find_phase(plan, phase->test, phase->phase)->stop.deadline_ns > 0;
}

/* A run that did not do all that was asked for cannot say where its working set lies; nor one that
 * keeps a phase of which a deadline may have left something undone. */
static bool has_position(const struct weir_plan *plan, const struct weir_result *result)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].outcome != WEIR_OUTCOME_COMPLETE ||
            (result->phases[i].kept_from[0] != '\0' && has_deadline(plan, &result->phases[i])))
            return false;
    return plan->output.position_path != NULL && !result->is_interrupted;
}

static void store_position(const struct weir_plan *plan, const struct weir_result *result,
                           struct weir_error *error)
{
    const char *path = plan->output.position_path;
    struct weir_text text = {0};
    int code;

    weir_text_add(&text, "pos: %" PRIu64 "\n", plan->output.position - result->lag_items);
    code = weir_output_file_replace(path, text.data, text.length, 0);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, plan->dialect, "%s: %s", path,
                       strerror(-code));
    weir_text_close(&text);
}

/* Everything has been gathered on rank 0. */
static int conclude(struct weir_recorder *recorder, struct weir_result *result,
                    const struct weir_plan *plan, struct weir_error *error)
{
    struct weir_error unmet = {0};

    result->finished_s = weir_wall_clock_s();
    /* While another process locks the result file, records of this run are not yet in it. */
    if (recorder->record.pending.length == 0)
        check_advance(plan, result, recorder->resumption, error);
    if (!weir_error_is_set(error) && has_position(plan, result))
        store_position(plan, result, error);
    judge(plan, result, recorder, error, &unmet);
    result->believed = weir_result_believed(result);
    weir_recorder_close(recorder, error);
    /* Printed after all else: of a job that is piped to a file, this may be all that is read. */
    if (weir_error_is_set(&unmet) && !weir_error_is_set(error))
        *error = unmet;
    return weir_error_is_set(error) ? (int)error->exit : result->exit_code;
}

/* State of the caller that the end of a run needs. */
struct ending {
    struct weir_group *group;
    const struct weir_plan *plan;
    struct weir_result *result; /* rank 0 only, as the recorder */
    struct weir_recorder *recorder;
};

/* The result has all phases that were finished. */
static void give_up(void *context, const char *reason, bool is_held)
{
    struct ending *ending = context;
    struct weir_error error = {0};

    weir_error_set(&error, WEIR_EXIT_FLAWED, -ETIMEDOUT, "--give-up",
                   "%s: the run ends, and its files stay", reason);
    weir_log(WEIR_LOG_ERROR, "%s", error.text);
    if (ending->result != NULL && !weir_recorder_seize(ending->recorder)) {
        weir_log(WEIR_LOG_ERROR, "the report and the result file have no end: they are being "
                                 "written, and what reads them does not read on");
    } else if (ending->result != NULL) {
        ending->result->given_up = reason;
        conclude(ending->recorder, ending->result, ending->plan, &error);
    }
    /* The launcher ends the others when this process is gone. */
    if (is_held)
        _exit(WEIR_EXIT_FLAWED);
    weir_group_abort(ending->group, WEIR_EXIT_FLAWED);
}

struct weir_shell_helper *weir_prepare_process(const struct weir_command *command)
{
    /* A command line that was refused has no plan. */
    const char *on_phase = command->kind == WEIR_COMMAND_RUN && command->plan != NULL
                               ? command->plan->output.live.on_phase
                           : command->kind == WEIR_COMMAND_NET && command->net != NULL
                               ? command->net->live.on_phase
                               : NULL;
    struct weir_shell_helper *helper = on_phase != NULL ? weir_shell_helper_open(on_phase) : NULL;

    weir_report_use_reserve();
    weir_clock_read_early();
    weir_topology_leave_out_plugins();
    return helper;
}

/* With the ranks in the order of the plan. */
static int run_in_order(struct weir_group *group, const struct weir_plan *plan,
                        const struct weir_resumption *resumption, const struct kept *kept,
                        struct weir_shell_helper *helper, volatile sig_atomic_t *stop_signal,
                        struct weir_error *error)
{
    struct weir_clock clock;
    struct weir_result *result = NULL;
    struct weir_recorder recorder;
    struct weir_observer observer = {0};
    struct ending ending = {.group = group, .plan = plan, .recorder = &recorder};
    double rest_s;
    int exit_code = WEIR_EXIT_DONE;
    int code;

    if (check_rank_need(group, plan, error) != 0 || weir_check_targets(group, plan, error) != 0)
        return (int)error->exit;
    if (group->rank == 0)
        weir_recorder_check_files(plan, resumption, error);
    if (weir_group_agree(group, error) != 0)
        return (int)error->exit;
    if (weir_deadline_set(group, plan, stop_signal, &rest_s, error) != 0)
        return (int)error->exit;
    if (group->rank == 0)
        warn_of_lost_time(plan, resumption, rest_s);
    if (weir_group_share_clock(group, &clock) != 0)
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    if (group->rank == 0) {
        result = begin_result(group, plan, &clock);
        describe_resumed(resumption, &result->resumed);
        weir_recorder_open(&recorder, plan, result, resumption, helper, stop_signal, &observer);
        ending.result = result;
    }
    code = weir_engine_run(&(struct weir_engine_params){.plan = plan,
                                                        .registry = &weir_registry,
                                                        .group = group,
                                                        .clock = &clock,
                                                        .is_skipped = kept->tests,
                                                        .first_repetitions = kept->repetitions,
                                                        .is_resumed = kept->tests[plan->test_count],
                                                        .observer = &observer,
                                                        .give_up = give_up,
                                                        .give_up_context = &ending,
                                                        .stop_signal = stop_signal},
                           result, error);
    if (rest_s > 0)
        weir_deadline_clear();
    if (result != NULL) {
        /* Without a deadline of ours, the signal came from outside. */
        result->is_out_of_time = rest_s > 0 && result->is_interrupted && *stop_signal == SIGALRM;
        exit_code = conclude(&recorder, result, plan, error);
    }
    weir_result_close(result);
    /* Without an error that all know of, it was the agreement that failed. */
    if ((code != 0 && !weir_error_is_set(error)) ||
        weir_group_broadcast(group, &exit_code, sizeof exit_code, 0) != 0)
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    return exit_code;
}

int weir_run_plan(struct weir_group *group, const struct weir_plan *plan,
                  struct weir_shell_helper *helper, volatile sig_atomic_t *stop_signal,
                  struct weir_error *error)
{
    struct weir_resumption resumption = {0};
    struct weir_group *ordered;
    struct kept kept;
    int exit_code;

    if (agree_on_plan(group, plan, error) != 0 ||
        weir_rank_order_open(plan, group, &ordered, error) != 0)
        return (int)error->exit;
    kept.tests = weir_memory_take((plan->test_count + 1) * sizeof *kept.tests);
    kept.repetitions = weir_memory_take(plan->test_count * sizeof *kept.repetitions);
    if (find_kept(ordered, plan, &resumption, &kept, error) == 0)
        exit_code = run_in_order(ordered, plan, &resumption, &kept, helper, stop_signal, error);
    else
        exit_code = (int)error->exit;
    weir_resumption_close(&resumption);
    free(kept.tests);
    free(kept.repetitions);
    if (ordered != group)
        weir_group_close(ordered);
    return exit_code;
}
