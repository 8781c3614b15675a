/* SPDX-License-Identifier: Apache-2.0 */
/* Modes of fopen: those of the C library, or flags of open by name. */
#ifndef WEIR_FRONT_PARABENCH_OPEN_MODES_H
#define WEIR_FRONT_PARABENCH_OPEN_MODES_H

#include "weir/base/text.h"

#include <stdbool.h>

/* Of enum weir_open_flag. False: there is no such mode. */
bool weir_pbl_open_flags(const char *text, unsigned *flags);

/* Appends the list of all. */
void weir_pbl_add_open_modes(struct weir_text *text);

#endif
