/* SPDX-License-Identifier: Apache-2.0 */
/* What this node can do for a benchmark. */
#include "weir/doctor/doctor.h"
int weir_doctor_tell(const struct weir_doctor_params *params, struct weir_text *text,
                     struct weir_error *error)
{
    (void)params;
    (void)text;
    (void)error;
    return 0;
}
void weir_doctor_examine(const struct weir_doctor_params *params, struct weir_diagnosis *diagnosis)
{
    (void)params;
    (void)diagnosis;
}
