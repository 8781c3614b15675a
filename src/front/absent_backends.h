/* SPDX-License-Identifier: Apache-2.0 */
/* Options of backends that IOR and mdtest have, and that are not built here. */
#ifndef WEIR_FRONT_ABSENT_BACKENDS_H
#define WEIR_FRONT_ABSENT_BACKENDS_H

#include "weir/base/options.h"

/* Refused families of names, without values: "hdf5.*". */
extern const struct weir_option_set weir_absent_backend_set;

#endif
