/* SPDX-License-Identifier: Apache-2.0 */
/* Containers and virtual machines around this process, as far as they can be recognised from
 * within; files below `root`. */
#ifndef WEIR_SYSTEM_WRAPPING_H
#define WEIR_SYSTEM_WRAPPING_H

#include <stddef.h>

/* "docker", "podman", "apptainer", ... of the innermost container; "" if it seems to be none. Reads
 * the environment, too: by `get`, which is getenv but for tests. */
void weir_container_name(const char *root, const char *(*get)(const char *name), char *name,
                         size_t bytes);

/* "kvm", "vmware", ...; "unnamed" for a hypervisor without a name; "" if there seems to be none.
 * */
void weir_hypervisor_name(const char *root, char *name, size_t bytes);

#endif
