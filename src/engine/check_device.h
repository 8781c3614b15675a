/* SPDX-License-Identifier: Apache-2.0 */
/* Whether block devices may be used as the plan says. */
#ifndef WEIR_ENGINE_CHECK_DEVICE_H
#define WEIR_ENGINE_CHECK_DEVICE_H

#include "run.h"

/* Refuses a phase on devices that are none, are too few or too small for it, or hold data of
 * others. 0 at once if the target is no device. The same on every rank.
 * Collective. */
int weir_check_device(struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error);

#endif
