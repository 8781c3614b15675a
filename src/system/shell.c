/* SPDX-License-Identifier: Apache-2.0 */
/* The child is spawned and not forked: MPI libraries have memory that a fork must not copy. */
#include "weir/system/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static int spawn(const char *command, pid_t *child)
{
    /* The option of the shell in two parts: one in whole would be taken for one of a dialect. */
    char *const words[] = {(char[]){"sh"},
                           (char[]){"-"
                                    "c"},
                           (char *)(void *)command, NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);

    if (code != 0)
        return -code;
    code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (code == 0)
        code = posix_spawn(child, "/bin/sh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return -code;
}

int weir_shell_run(const char *command)
{
    pid_t child;
    int status, code = spawn(command, &child);

    if (code != 0)
        return code;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}
