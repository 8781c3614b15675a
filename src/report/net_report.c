/* SPDX-License-Identifier: Apache-2.0 */
/* A net result as text. */
#include "weir/report/net_report.h"

#include <errno.h>

void weir_net_report_begin(const struct weir_net_plan *plan, const struct weir_net_result *result,
                           struct weir_text *text)
{
    (void)plan;
    (void)result;
    (void)text;
}

void weir_net_report_measurement(const struct weir_net_plan *plan,
                                 const struct weir_net_result *result, uint32_t measurement,
                                 struct weir_text *text)
{
    (void)plan;
    (void)result;
    (void)measurement;
    (void)text;
}

void weir_net_report_end(const struct weir_net_plan *plan, const struct weir_net_result *result,
                         struct weir_text *text)
{
    (void)plan;
    (void)result;
    (void)text;
}

void weir_net_report_json(const struct weir_net_plan *plan, const struct weir_net_result *result,
                          struct weir_text *text)
{
    (void)plan;
    (void)result;
    (void)text;
}
