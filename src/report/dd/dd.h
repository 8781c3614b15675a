/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect dd. */
#ifndef WEIR_REPORT_DD_DD_H
#define WEIR_REPORT_DD_DD_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_dd_reports;

#endif
