/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a processor, from /proc/cpuinfo below `root`. */
#ifndef WEIR_SYSTEM_CPU_MODEL_H
#define WEIR_SYSTEM_CPU_MODEL_H

#include <stddef.h>

/* Of the first processor; "" if unknown. ARM tells numbers only: names of those that are known
 * here, "Neoverse V2", else "ARM implementer 0x41 part 0xd4f". */
void weir_cpu_model(const char *root, char *model, size_t bytes);

#endif
