/* SPDX-License-Identifier: Apache-2.0 */
/* The composition root: front end, check, engine, audit, report, exit code. */
#include "deadline.h"
#include "net_run.h"
#include "serve.h"
#include "show.h"
#include "teller.h"

#include "weir/audit/audit.h"
#include "weir/base/log.h"
#include "weir/base/memory.h"
#include "weir/base/random.h"
#include "weir/base/version.h"
#include "weir/front/front.h"
#include "weir/group/group.h"
#include "weir/system/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal;

static void note_signal(int number)
{
    stop_signal = number;
}

/* nohup and some batch systems have a process ignore it. */
static bool is_ignored(int number)
{
    struct sigaction present;

    return sigaction(number, NULL, &present) == 0 && present.sa_handler == SIG_IGN;
}

/* These end a run in order (SIGALRM: weir_deadline_set; SIGXCPU and SIGUSR2: batch systems send
 * them before the end); SIGQUIT and SIGKILL still end it at once. A reader of our output that has
 * gone, and a file that reaches its limit, are errors of writing like any other. */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM};
    struct sigaction action = {.sa_handler = note_signal};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    if (!is_ignored(SIGHUP))
        sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

/* A closed descriptor would go to the next file that is opened, of MPI or of data. A report to a
 * closed standard output fails: what takes its place cannot be written. */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* ---- the run ---- */

/* Ranks that read different scripts would wait for each other forever. */
static int agree_on_plan(struct weir_group *group, const struct weir_plan *plan,
                         struct weir_error *error)
{
    char id[sizeof plan->id];

    memcpy(id, plan->id, sizeof id);
    if (weir_group_broadcast(group, id, sizeof id, 0) == 0 && strcmp(id, plan->id) != 0)
        weir_error_usage(
            error, plan->dialect,
            "this rank read another plan (%s) than rank 0 (%s): are the script and IOR_FAKE_... in "
            "the environment the same on all nodes?",
            plan->id, id);
    return weir_group_agree(group, error);
}

static struct weir_result *begin_result(const struct weir_plan *plan,
                                        const struct weir_clock *clock)
{
    struct weir_result *result = weir_result_open((unsigned)plan->test_count);

    result->begun_s = weir_wall_clock_s();
    result->run_id = weir_random_draw();
    snprintf(result->clock_name, sizeof result->clock_name, "%s", weir_clock_name(clock));
    weir_host_describe(&result->host);
    return result;
}

static int judge(const struct weir_plan *plan, const struct weir_result *result)
{
    int exit_code = weir_result_judge(result);

    if (exit_code == WEIR_EXIT_DONE && plan->output.warnings_are_errors &&
        weir_audit_warns(plan, result))
        return WEIR_EXIT_FLAWED;
    return exit_code;
}

/* Rank 0 has heard all that there is to tell. */
static int conclude(struct weir_teller *teller, struct weir_result *result,
                    const struct weir_plan *plan, struct weir_error *error)
{
    result->finished_s = weir_wall_clock_s();
    result->exit_code = weir_error_is_set(error) ? (int)error->exit : judge(plan, result);
    weir_teller_close(teller, error);
    return weir_error_is_set(error) ? (int)error->exit : result->exit_code;
}

/* What the end of a run needs that is not its own. */
struct ending {
    struct weir_group *group;
    const struct weir_plan *plan;
    struct weir_result *result; /* rank 0 only, as the teller */
    struct weir_teller *teller;
};

/* The result tells of all phases that were finished. */
static void give_up(void *context, const char *reason, bool is_held)
{
    struct ending *ending = context;
    struct weir_error error = {0};

    weir_error_set(&error, WEIR_EXIT_FLAWED, -ETIMEDOUT, "--give-up",
                   "%s: the run ends, and its files stay", reason);
    weir_log(WEIR_LOG_ERROR, "%s", error.text);
    if (ending->result != NULL)
        conclude(ending->teller, ending->result, ending->plan, &error);
    /* The launcher ends the others when this process is gone. */
    if (is_held)
        _exit(WEIR_EXIT_FLAWED);
    weir_group_abort(ending->group, WEIR_EXIT_FLAWED);
}

static int run(struct weir_group *group, const struct weir_plan *plan, struct weir_error *error)
{
    struct weir_clock clock;
    struct weir_result *result = NULL;
    struct weir_teller teller;
    struct weir_observer observer = {0};
    struct ending ending = {.group = group, .plan = plan, .teller = &teller};
    bool has_deadline;
    int exit_code = WEIR_EXIT_DONE;
    int code;

    if (agree_on_plan(group, plan, error) != 0)
        return (int)error->exit;
    if (weir_deadline_set(group, plan, &has_deadline, error) != 0)
        return (int)error->exit;
    if (weir_group_share_clock(group, &clock) != 0)
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    if (group->rank == 0) {
        result = begin_result(plan, &clock);
        weir_teller_open(&teller, plan, result, &observer);
        ending.result = result;
    }
    code = weir_engine_run(&(struct weir_engine_params){.plan = plan,
                                                        .registry = &weir_registry,
                                                        .group = group,
                                                        .clock = &clock,
                                                        .observer = &observer,
                                                        .give_up = give_up,
                                                        .give_up_context = &ending,
                                                        .stop_signal = &stop_signal},
                           result, error);
    if (has_deadline)
        weir_deadline_clear();
    if (result != NULL) {
        /* Without a deadline of ours, somebody else has sent it. */
        result->is_out_of_time = has_deadline && result->is_interrupted && stop_signal == SIGALRM;
        exit_code = conclude(&teller, result, plan, error);
    }
    weir_result_close(result);
    /* Without an error that all know of, it was the agreement that failed. */
    if ((code != 0 && !weir_error_is_set(error)) ||
        weir_group_broadcast(group, &exit_code, sizeof exit_code, 0) != 0)
        weir_group_abort(group, WEIR_EXIT_ENVIRONMENT);
    return exit_code;
}

static void list_backends(struct weir_backends *backends, struct weir_arena *arena)
{
    const struct weir_descriptor **descriptors =
        weir_arena_take(arena, weir_registry.count * sizeof *descriptors);

    for (size_t i = 0; i < weir_registry.count; i++)
        descriptors[i] = &weir_registry.backends[i]->descriptor;
    *backends = (struct weir_backends){.descriptors = descriptors, .count = weir_registry.count};
}

/* Rank 0 does the talking. */
static int obey(struct weir_group *group, const struct weir_command *command,
                const struct weir_backends *backends, struct weir_error *error)
{
    int exit_code = WEIR_EXIT_DONE;

    if (weir_group_agree(group, error) != 0)
        exit_code = (int)error->exit;
    else if (command->kind == WEIR_COMMAND_RUN)
        exit_code = run(group, command->plan, error);
    else if (command->kind == WEIR_COMMAND_NET)
        exit_code = weir_net_run_command(group, command->net, &stop_signal, error);
    else if (command->kind == WEIR_COMMAND_SERVE)
        exit_code = weir_serve(&command->serve, &stop_signal, error);
    else if (group->rank == 0 && weir_show(command, backends, (unsigned)group->size, error) != 0)
        exit_code = (int)error->exit;
    weir_group_broadcast(group, &exit_code, sizeof exit_code, 0);
    return exit_code;
}

/* What only prints needs no MPI, unless several ranks were started to print it. Servers know
 * nothing of each other: the end of one is not that of all. */
static bool needs_mpi(const struct weir_command *command, const struct weir_error *error)
{
    if (!weir_error_is_set(error) && command->kind == WEIR_COMMAND_SERVE)
        return false;
    return (!weir_error_is_set(error) &&
            (command->kind == WEIR_COMMAND_RUN || command->kind == WEIR_COMMAND_NET)) ||
           weir_group_is_launched();
}

/* Every rank reads the same words and comes to the same command. */
int main(int argc, char *argv[])
{
    struct weir_arena arena = {0};
    struct weir_backends backends;
    struct weir_command command = {0};
    struct weir_error error = {0}, failure = {0};
    struct weir_group *group = NULL;
    int exit_code = WEIR_EXIT_ENVIRONMENT;

    keep_standard_descriptors();
    weir_memory_reserve();
    list_backends(&backends, &arena);
    weir_front_read(argc, (const char *const *)argv, &backends, &command, &error);
    if (needs_mpi(&command, &error))
        weir_group_mpi_open(&argc, &argv, &group, &failure);
    else
        weir_group_self_open(&group);
    catch_signals();
    if (group != NULL)
        exit_code = obey(group, &command, &backends, &error);
    else
        error = failure;
    if ((group == NULL || group->rank == 0) && weir_error_is_set(&error))
        weir_log(WEIR_LOG_ERROR, "%s", error.text);
    weir_command_close(&command);
    weir_group_close(group);
    weir_arena_close(&arena);
    return exit_code;
}
