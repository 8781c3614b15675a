/* SPDX-License-Identifier: Apache-2.0 */
/* Rates that the user knows to be possible, such as 5.5GB/s. */
#ifndef WEIR_FRONT_LIMIT_WORDS_H
#define WEIR_FRONT_LIMIT_WORDS_H

#include "weir/base/error.h"

/* Reads the value of `option` as bytes per second, > 0: decimal units, and binary ones with an i;
 * "/s" may be missing. 0, or a usage error at `place`. */
int weir_limit_read(const char *option, const char *text, const char *place, double *per_s,
                    struct weir_error *error);

#endif
