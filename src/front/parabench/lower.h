/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of the words of parabench, and the page that compares them with the original. */
#ifndef WEIR_FRONT_PARABENCH_LOWER_H
#define WEIR_FRONT_PARABENCH_LOWER_H

#include "options.h"

/* Appends the test of the program. 0, or a usage error. */
int weir_parabench_lower(struct weir_plan *plan, const struct weir_parabench_request *request,
                         struct weir_error *error);

void weir_parabench_compat_page(struct weir_text *text, const struct weir_backends *backends);

#endif
