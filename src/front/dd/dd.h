/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect dd. */
#ifndef WEIR_FRONT_DD_DD_H
#define WEIR_FRONT_DD_DD_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_dd;

#endif
