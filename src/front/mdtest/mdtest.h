/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect mdtest. */
#ifndef WEIR_FRONT_MDTEST_MDTEST_H
#define WEIR_FRONT_MDTEST_MDTEST_H

#include "dialect.h"

extern const struct weir_dialect weir_dialect_mdtest;

#endif
