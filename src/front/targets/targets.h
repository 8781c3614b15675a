/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect targets, which is our own. */
#ifndef WEIR_FRONT_TARGETS_TARGETS_H
#define WEIR_FRONT_TARGETS_TARGETS_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_targets;

#endif
