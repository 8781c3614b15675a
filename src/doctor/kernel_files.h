/* SPDX-License-Identifier: Apache-2.0 */
/* Single facts from files of the kernel (/proc, /sys), below a root that is "" but for tests. */
#ifndef WEIR_DOCTOR_KERNEL_FILES_H
#define WEIR_DOCTOR_KERNEL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line, without blanks at its end and made visible. False if there is no such file. */
bool weir_kernel_line(const char *root, const char *path, char *line, size_t bytes);

/* The number that the file begins with; "max" is UINT64_MAX. False if there is none. */
bool weir_kernel_number(const char *root, const char *path, uint64_t *number);

/* The rest of the first line that begins with `name` and a colon, without leading blanks. */
bool weir_kernel_field(const char *root, const char *path, const char *name, char *value,
                       size_t bytes);

/* A size of /proc/meminfo, in bytes. */
bool weir_kernel_memory(const char *root, const char *name, uint64_t *bytes);

/* A row of /proc/self/limits: what counts now, and how far this process may raise it. UINT64_MAX is
 * without limit. */
bool weir_kernel_limit(const char *root, const char *name, uint64_t *soft, uint64_t *hard);

/* True if this process has a capability of linux/capability.h at the host itself, not only in a
 * user namespace. */
bool weir_kernel_has_capability(const char *root, unsigned capability);

#endif
