/* SPDX-License-Identifier: Apache-2.0 */
/* Progress for people at a terminal, and for logs of long runs. */
#include "progress_line.h"

#include "weir/base/log.h"
#include "weir/group/group.h"

#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define TERMINAL_NS (NS_PER_S / 2)
#define LOG_NS (10 * NS_PER_S)
#define LONG_NS (600 * NS_PER_S)
/* Due times of lines count from the start of the run; those of reports by ranks from the start
 * of their phase. */
#define LOOK_NS (60 * NS_PER_S)

/* Numbers of devices: Documentation/admin-guide/devices.txt of Linux. */
static bool is_terminal_device(dev_t device)
{
    unsigned number = major(device);

    return number == 4 || number == 5 || (number >= 136 && number <= 143);
}

/* Launchers read what ranks write from pipes, and pass it on. */
static bool has_launcher_terminal(void)
{
    struct stat mine, theirs;
    char path[64];

    if (!weir_group_is_launched() || fstat(STDERR_FILENO, &mine) != 0 ||
        !(S_ISFIFO(mine.st_mode) || S_ISSOCK(mine.st_mode)))
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), STDERR_FILENO);
    return stat(path, &theirs) == 0 && S_ISCHR(theirs.st_mode) &&
           is_terminal_device(theirs.st_rdev);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void weir_progress_line_open(struct weir_progress_line *line, uint64_t wanted_ns)
{
    *line =
        (struct weir_progress_line){.is_terminal = isatty(STDERR_FILENO), .interval_ns = wanted_ns};
    line->is_launchers = !line->is_terminal && has_launcher_terminal();
    line->is_terminal |= line->is_launchers;
    if (wanted_ns == WEIR_PROGRESS_OFF)
        line->interval_ns = 0;
    else if (wanted_ns == WEIR_PROGRESS_AUTO)
        line->interval_ns = line->is_terminal ? TERMINAL_NS : LONG_NS;
    else if (wanted_ns == WEIR_PROGRESS_ON)
        line->interval_ns = line->is_terminal ? TERMINAL_NS : LOG_NS;
    line->due_ns = now_ns() + line->interval_ns;
}

uint64_t weir_progress_line_interval(const struct weir_progress_line *line)
{
    return line->interval_ns < LOOK_NS ? line->interval_ns : LOOK_NS;
}

/* The launcher passes on the two streams in the order in which it finds them. Lines begin and end
 * between phases, where there is time. */
static void let_pass(const struct weir_progress_line *line)
{
    const struct timespec pause = {.tv_nsec = 20000000};

    if (line->is_launchers)
        nanosleep(&pause, NULL);
}

bool weir_progress_line_is_due(const struct weir_progress_line *line)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};

    /* A terminal that was stopped, or a pipe without a reader, does not hold the run. */
    return line->interval_ns > 0 && (line->is_terminal || now_ns() >= line->due_ns) &&
           poll(&ready, 1, 0) > 0;
}

void weir_progress_line_show(struct weir_progress_line *line, struct weir_text *text)
{
    bool is_due = line->is_terminal || now_ns() >= line->due_ns;

    if (line->interval_ns > 0 && !line->is_shown)
        let_pass(line);
    if (line->interval_ns > 0 && line->is_terminal)
        fprintf(stderr, "\r%s\033[K", weir_text_string(text));
    else if (line->interval_ns > 0 && is_due)
        fprintf(stderr, "weir: %s\n", weir_text_string(text));
    if (is_due)
        line->due_ns = now_ns() + line->interval_ns;
    line->is_shown |= line->interval_ns > 0 && line->is_terminal;
    weir_text_close(text);
}

void weir_progress_line_clear(struct weir_progress_line *line)
{
    if (!line->is_shown)
        return;
    fputs("\r\033[K", stderr);
    let_pass(line);
    line->is_shown = false;
}
