/* SPDX-License-Identifier: Apache-2.0 */
/* Files that hold an output of IOR, by their beginning. */
#ifndef WEIR_REPORT_IOR_SIGNATURE_H
#define WEIR_REPORT_IOR_SIGNATURE_H

#include <stdbool.h>

bool weir_ior_holds_text(const char *begin);
bool weir_ior_holds_json(const char *begin);

#endif
