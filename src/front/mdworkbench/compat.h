/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-md-workbench.md. */
#ifndef WEIR_FRONT_MDWORKBENCH_COMPAT_H
#define WEIR_FRONT_MDWORKBENCH_COMPAT_H

#include "compat_page.h"

void weir_mdworkbench_compat_page(struct weir_text *text, const struct weir_backends *backends);

#endif
