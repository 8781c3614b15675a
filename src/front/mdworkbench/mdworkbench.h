/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect md-workbench. */
#ifndef WEIR_FRONT_MDWORKBENCH_MDWORKBENCH_H
#define WEIR_FRONT_MDWORKBENCH_MDWORKBENCH_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_mdworkbench;

#endif
