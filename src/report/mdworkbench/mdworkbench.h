/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect md-workbench. JSON and CSV are those of mdtest. */
#ifndef WEIR_REPORT_MDWORKBENCH_MDWORKBENCH_H
#define WEIR_REPORT_MDWORKBENCH_MDWORKBENCH_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_mdworkbench_reports;

extern const struct weir_reporter weir_reporter_mdworkbench;

#endif
