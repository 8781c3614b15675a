/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect ior. */
#ifndef WEIR_FRONT_IOR_IOR_H
#define WEIR_FRONT_IOR_IOR_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_ior;

#endif
