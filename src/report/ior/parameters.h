/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's block "Parameters": what a test was asked for, by the names of IOR's own variables. JSON
 * always has it, the text at -vvv. */
#ifndef WEIR_REPORT_IOR_PARAMETERS_H
#define WEIR_REPORT_IOR_PARAMETERS_H

#include "words.h"

/* Calls the listener with the keys of the version that plan->output.style says, in its order. */
void weir_parameters_say(const struct weir_words_listener *listener, const struct weir_plan *plan,
                         const struct weir_result *result, const struct weir_test_result *begun);

#endif
