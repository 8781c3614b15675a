/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of this host, and on it the ranks that a policy would place. */
#ifndef WEIR_DOCTOR_PICTURE_H
#define WEIR_DOCTOR_PICTURE_H

#include "weir/doctor/doctor.h"
#include "weir/system/topology.h"

/* Appends it. 0, or an error about the policy. */
int weir_doctor_draw(const struct weir_doctor_params *params, const struct weir_topology *topology,
                     struct weir_text *text, struct weir_error *error);

#endif
