/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect parabench: "parabench" (the three reports of the original, and our
 * tables unless the output is plain), "parabench labels" (our tables alone), and "parabench xml"
 * (the original's results.xml). */
#ifndef WEIR_REPORT_PARABENCH_PARABENCH_H
#define WEIR_REPORT_PARABENCH_PARABENCH_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_parabench_reports;

extern const struct weir_reporter weir_reporter_parabench;
extern const struct weir_reporter weir_reporter_parabench_labels;
extern const struct weir_reporter weir_reporter_parabench_xml;

#endif
