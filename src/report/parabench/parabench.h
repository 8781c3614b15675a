/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of a program's labels. */
#ifndef WEIR_REPORT_PARABENCH_PARABENCH_H
#define WEIR_REPORT_PARABENCH_PARABENCH_H

#include "dialect.h"

/* Bytes/s from the first begin of any rank to the last end; 0: no bytes, or that time is not known.
 */
double weir_parabench_label_rate(const struct weir_label_result *label);

#endif
