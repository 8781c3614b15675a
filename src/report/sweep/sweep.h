/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a sweep: formats that every dialect has if its run is one. */
#ifndef WEIR_REPORT_SWEEP_SWEEP_H
#define WEIR_REPORT_SWEEP_SWEEP_H

#include "dialect.h"

/* Not of a dialect of its own: only reporters. */
extern const struct weir_dialect_reports weir_sweep_reports;

extern const struct weir_reporter weir_reporter_sweep;

#endif
