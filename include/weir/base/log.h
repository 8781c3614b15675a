/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics on standard error. Results never go through here. */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

enum weir_log_level { WEIR_LOG_ERROR, WEIR_LOG_WARNING, WEIR_LOG_INFO, WEIR_LOG_DEBUG };

/* Messages above `level` are dropped from now on (the default is WEIR_LOG_WARNING). */
void weir_log_set_level(enum weir_log_level level);

/* Prints "weir: sentence" as one line, in one write. Never called between a phase's stamps. */
void weir_log(enum weir_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
