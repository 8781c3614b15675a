/* SPDX-License-Identifier: Apache-2.0 */
/* The reporters there are, each with a row in the table of report.c. */
#ifndef WEIR_REPORT_REPORTERS_H
#define WEIR_REPORT_REPORTERS_H

#include "weir/report/report.h"

extern const struct weir_reporter weir_reporter_ior;
extern const struct weir_reporter weir_reporter_ior_csv;
extern const struct weir_reporter weir_reporter_ior_json;

#endif
