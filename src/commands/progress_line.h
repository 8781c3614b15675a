/* SPDX-License-Identifier: Apache-2.0 */
/* One line on standard error that says how far a run is. Rank 0 only. */
#ifndef WEIR_COMMANDS_PROGRESS_LINE_H
#define WEIR_COMMANDS_PROGRESS_LINE_H

#include "weir/base/text.h"

struct weir_progress_line {
    bool is_terminal;     /* the line is written over itself; else it is a line of its own */
    bool is_launchers;    /* the terminal is: standard output comes to it by another pipe */
    bool is_shown;        /* on the terminal, now */
    uint64_t interval_ns; /* between lines; 0: there are none */
    uint64_t due_ns;      /* of the next one, if not on a terminal */
};

/* `wanted_ns`: nanoseconds between lines, or WEIR_PROGRESS_AUTO, _ON or _OFF. A terminal is
 * standard error itself, or that of the launcher, if it started this process here and reads its
 * standard error from a pipe. */
void weir_progress_line_open(struct weir_progress_line *line, uint64_t wanted_ns);

/* Nanoseconds between two reports of progress; 0: none are made. */
uint64_t weir_progress_line_interval(const struct weir_progress_line *line);

/* True if a text would be shown, and standard error takes it at once. */
bool weir_progress_line_is_due(const struct weir_progress_line *line);

/* Shows the text, unless it is too early for one more line; the text is closed. */
void weir_progress_line_show(struct weir_progress_line *line, struct weir_text *text);

/* Takes the line off the terminal, before something else is printed. */
void weir_progress_line_clear(struct weir_progress_line *line);

#endif
