/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect ior in reports, and its reporters. */
#ifndef WEIR_REPORT_IOR_IOR_H
#define WEIR_REPORT_IOR_IOR_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_ior_reports;

extern const struct weir_rank_csv_format weir_ior_rank_csv;

extern const struct weir_reporter weir_reporter_ior;
extern const struct weir_reporter weir_reporter_ior_csv;
extern const struct weir_reporter weir_reporter_ior_json;

#endif
