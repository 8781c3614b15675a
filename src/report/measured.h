/* SPDX-License-Identifier: Apache-2.0 */
/* The reporters of figures as data, which every dialect has. */
#ifndef WEIR_REPORT_MEASURED_H
#define WEIR_REPORT_MEASURED_H

#include "dialect.h"

/* A row without a dialect: it has reporters only. */
extern const struct weir_dialect_reports weir_measured_reports;

#endif
