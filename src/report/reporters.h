/* SPDX-License-Identifier: Apache-2.0 */
/* The reporters there are: one for each format and family of layouts. */
#ifndef WEIR_REPORT_REPORTERS_H
#define WEIR_REPORT_REPORTERS_H

#include "weir/report/report.h"

extern const struct weir_reporter weir_reporter_ior; /* 3.2 and later */
extern const struct weir_reporter weir_reporter_ior_3_0;
extern const struct weir_reporter weir_reporter_ior_2_10;
extern const struct weir_reporter weir_reporter_ior_csv;
extern const struct weir_reporter weir_reporter_ior_json;

#endif
