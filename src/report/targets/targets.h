/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect targets. */
#ifndef WEIR_REPORT_TARGETS_TARGETS_H
#define WEIR_REPORT_TARGETS_TARGETS_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_targets_reports;

extern const struct weir_reporter weir_reporter_targets;

#endif
