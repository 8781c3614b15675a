/* SPDX-License-Identifier: Apache-2.0 */
/* From the words of the command line to the command, and its exit code. */
#include "weir/base/crash.h"
#include "weir/base/log.h"
#include "weir/base/memory.h"
#include "weir/commands/commands.h"
#include "weir/front/front.h"
#include "weir/group/group.h"
#include "weir/io/backend.h"

#include <fcntl.h>
#include <signal.h>
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
}

/* A closed descriptor would go to the next file that is opened, of MPI or of data. A report to a
 * closed standard output fails: what takes its place cannot be written. */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

static void list_backends(struct weir_backends *backends, struct weir_arena *arena)
{
    const struct weir_descriptor **descriptors =
        weir_arena_take(arena, weir_registry.count * sizeof *descriptors);

    for (size_t i = 0; i < weir_registry.count; i++)
        descriptors[i] = &weir_registry.backends[i]->descriptor;
    *backends = (struct weir_backends){.descriptors = descriptors,
                                       .count = weir_registry.count,
                                       .left_out = weir_registry.left_out};
}

/* Rank 0 does the talking. */
static int obey(struct weir_group *group, const struct weir_command *command,
                struct weir_shell_helper *helper, struct weir_error *error)
{
    int exit_code = WEIR_EXIT_DONE;

    if (weir_group_agree(group, error) != 0)
        exit_code = (int)error->exit;
    else if (command->kind == WEIR_COMMAND_RUN)
        exit_code = weir_run_plan(group, command->plan, helper, &stop_signal, error);
    else if (command->kind == WEIR_COMMAND_NET)
        exit_code = weir_run_net(group, command->net, helper, &stop_signal, error);
    else if (command->kind == WEIR_COMMAND_SERVE)
        exit_code = weir_serve(&command->serve, &stop_signal, error);
    else if (group->rank == 0 && weir_show(command, group, &exit_code, error) != 0)
        exit_code = (int)error->exit;
    weir_group_broadcast(group, &exit_code, sizeof exit_code, 0);
    return exit_code;
}

/* Commands that only print need no MPI, unless several ranks were started to print. Servers know
 * nothing of each other: the end of one is not that of all. */
static bool needs_mpi(const struct weir_command *command, const struct weir_error *error)
{
    if (!weir_error_is_set(error) && command->kind == WEIR_COMMAND_SERVE)
        return false;
    return (!weir_error_is_set(error) &&
            (command->kind == WEIR_COMMAND_RUN || command->kind == WEIR_COMMAND_NET)) ||
           weir_group_is_launched();
}

/* The log has lines; an error in a script shows the place in lines of its own. */
static void tell(const struct weir_error *error)
{
    for (const char *line = error->text; line != NULL;) {
        const char *end = strchr(line, '\n');

        weir_log(WEIR_LOG_ERROR, "%.*s", (int)(end != NULL ? (size_t)(end - line) : strlen(line)),
                 line);
        line = end != NULL ? end + 1 : NULL;
    }
}

/* Every rank reads the same words and comes to the same command. */
int main(int argc, char *argv[])
{
    struct weir_arena arena = {0};
    struct weir_backends backends;
    struct weir_command command = {0};
    struct weir_error error = {0}, failure = {0};
    struct weir_group *group = NULL;
    struct weir_shell_helper *helper = NULL;
    int exit_code = WEIR_EXIT_ENVIRONMENT;

    keep_standard_descriptors();
    /* MPI writes files as well when it starts. */
    signal(SIGXFSZ, SIG_IGN);
    weir_crash_watch();
    weir_memory_reserve();
    list_backends(&backends, &arena);
    weir_front_read(argc, (const char *const *)argv, &backends, &command, &error);
    weir_use_words_of(&command);
    if (needs_mpi(&command, &error)) {
        helper = weir_prepare_process(&command);
        weir_crash_set_work("start of MPI");
        weir_group_mpi_open(&argc, &argv, &group, &failure);
        /* Libraries that MPI loads may have installed handlers of their own. */
        weir_crash_watch();
        if (group != NULL)
            weir_crash_set_rank(group->rank, group->node_names[group->node]);
        weir_crash_set_work("start of the command");
    } else {
        weir_group_self_open(&group);
    }
    catch_signals();
    if (group != NULL)
        exit_code = obey(group, &command, helper, &error);
    else
        error = failure;
    if ((group == NULL || group->rank == 0) && weir_error_is_set(&error))
        tell(&error);
    weir_shell_helper_close(helper);
    weir_command_close(&command);
    weir_crash_set_work("end of MPI");
    weir_group_close(group);
    weir_arena_close(&arena);
    weir_crash_set_work("exit");
    return exit_code;
}
