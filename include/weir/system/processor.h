/* SPDX-License-Identifier: Apache-2.0 */
/* Where on its host a process runs. */
#ifndef WEIR_SYSTEM_PROCESSOR_H
#define WEIR_SYSTEM_PROCESSOR_H

/* The number of the processor package (socket) that this process runs on right now, as
 * sys/devices/system/cpu below `root` ("" but for tests) says; 0 if it does not. */
unsigned weir_processor_package(const char *root);

#endif
