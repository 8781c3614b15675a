/* SPDX-License-Identifier: Apache-2.0 */
/* The text reports of releases before 3.2. */
#ifndef WEIR_REPORT_IOR_OLD_H
#define WEIR_REPORT_IOR_OLD_H

#include "weir/report/report.h"

extern const struct weir_reporter weir_ior_old_3_0;
extern const struct weir_reporter weir_ior_old_2_10;

#endif
