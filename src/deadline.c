/* SPDX-License-Identifier: Apache-2.0 */
/* When the job ends, and a timer for some time before it. */
#include "deadline.h"

int weir_deadline_set(struct weir_group *group, const struct weir_plan *plan, bool *is_set,
                      struct weir_error *error)
{
    (void)group;
    (void)plan;
    (void)error;
    *is_set = false;
    return 0;
}

void weir_deadline_clear(void)
{
}
