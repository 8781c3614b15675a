/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect iozone in reports, and its reporters. */
#ifndef WEIR_REPORT_IOZONE_IOZONE_H
#define WEIR_REPORT_IOZONE_IOZONE_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_iozone_reports;

extern const struct weir_reporter weir_reporter_iozone;
extern const struct weir_reporter weir_reporter_iozone_csv;
extern const struct weir_reporter weir_reporter_iozone_json;

/* The lines of "iozone csv", which the file of -b has, too. */
extern const struct weir_rank_csv_format weir_iozone_rank_csv;

#endif
