/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect iozone. */
#ifndef WEIR_FRONT_IOZONE_IOZONE_H
#define WEIR_FRONT_IOZONE_IOZONE_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_iozone;

#endif
