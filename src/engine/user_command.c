/* SPDX-License-Identifier: Apache-2.0 */
/* A rank that waits for a command is one that others wait for: it hears and answers them. */
#include "user_command.h"

#include "watchdog.h"

struct waiting {
    struct weir_run *run;
    bool may_end;
};

static bool goes_on(void *context)
{
    const struct waiting *waiting = context;
    struct weir_run *run = waiting->run;

    if (!run->has_alarm)
        return true;
    return (!weir_run_hears_call_off(run) && !weir_run_must_stop(run)) || !waiting->may_end;
}

int weir_user_command_run(struct weir_run *run, const char *command, bool may_end,
                          char reason[WEIR_SHELL_REASON_BYTES])
{
    struct waiting waiting = {run, may_end};
    int code;

    weir_watchdog_say(run, WEIR_ACTIVITY_COMMAND, command);
    code = weir_shell_run(command, goes_on, &waiting, reason);
    weir_watchdog_say(run, WEIR_ACTIVITY_NONE, NULL);
    return code;
}

void weir_user_command_judge(const char *command, int code, const char *reason,
                             struct weir_error *error)
{
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_FLAWED, code, NULL, "the command \"%s\" failed: %s",
                       command, reason);
}
