/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the dialect ior for remedies. */
#ifndef WEIR_REPORT_IOR_REMEDIES_H
#define WEIR_REPORT_IOR_REMEDIES_H

#include "weir/base/remedy.h"

extern const struct weir_remedy_word weir_ior_remedies[];

#endif
