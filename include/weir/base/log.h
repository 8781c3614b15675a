/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics on standard error. Results never go through here. */
#ifndef WEIR_BASE_LOG_H
#define WEIR_BASE_LOG_H

#include "weir/base/remedy.h"

#include <stdint.h>

enum weir_log_level { WEIR_LOG_ERROR, WEIR_LOG_WARNING, WEIR_LOG_INFO, WEIR_LOG_DEBUG };

/* Messages above `level` are dropped from now on (the default is WEIR_LOG_WARNING). */
void weir_log_set_level(enum weir_log_level level);

/* Remedies are said in these words from now on (the default is NULL: neutral ones). */
void weir_log_set_words(const struct weir_remedy_word *words);

/* Prints "weir: sentence" as one line, in one write. Never called between a phase's stamps. */
void weir_log(enum weir_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How often a run tells on standard error how far it is: so many nanoseconds apart, or one of
 * these. */
#define WEIR_PROGRESS_AUTO UINT64_C(0) /* often on a terminal, else seldom */
#define WEIR_PROGRESS_ON UINT64_C(1)   /* often on a terminal, else now and then */
#define WEIR_PROGRESS_OFF UINT64_MAX

#endif
