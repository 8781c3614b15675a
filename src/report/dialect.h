/* SPDX-License-Identifier: Apache-2.0 */
/* A dialect in the reports. Each is a folder here and a row in the table of report.c. */
#ifndef WEIR_REPORT_DIALECT_H
#define WEIR_REPORT_DIALECT_H

#include "weir/report/report.h"

struct weir_dialect_reports {
    const char *dialect;
    const struct weir_reporter *const *reporters; /* NULL ends the list */
    const struct weir_remedy_word *remedies;      /* in its own options; NULL: neutral words */
};

#endif
