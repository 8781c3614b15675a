/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect parabench. */
#ifndef WEIR_FRONT_PARABENCH_PARABENCH_H
#define WEIR_FRONT_PARABENCH_PARABENCH_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_parabench;

#endif
