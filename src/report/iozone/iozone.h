/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect iozone in reports, and its reporters. */
#ifndef WEIR_REPORT_IOZONE_IOZONE_H
#define WEIR_REPORT_IOZONE_IOZONE_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_iozone_reports;

extern const struct weir_reporter weir_reporter_iozone;

/* The lines of the file of -b. */
extern const struct weir_rank_csv_format weir_iozone_rank_csv;

#endif
