/* SPDX-License-Identifier: Apache-2.0 */
/* The command that prints runs of a result file. */
#ifndef WEIR_COMMANDS_SHOW_REPORT_H
#define WEIR_COMMANDS_SHOW_REPORT_H

#include "weir/front/front.h"

/* Appends the report of the run that the command chooses, of all, or their list. What the reader
 * must know besides (other runs in the file, a run without an end) goes to the log. 0, or the
 * error. The first condition of the command (--expect) that does not hold goes to `failed`. */
int weir_show_report(const struct weir_command *command, struct weir_text *text,
                     struct weir_error *failed, struct weir_error *error);

#endif
