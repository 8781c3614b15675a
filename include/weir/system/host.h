/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of this host and of the file system behind a path. */
#ifndef WEIR_SYSTEM_HOST_H
#define WEIR_SYSTEM_HOST_H

#include "weir/base/facts.h"

/* From uname(2). */
void weir_host_describe(struct weir_host_facts *facts);

/* Describes the file system of `path`, or of its nearest existing parent. is_known is false if
 * there is none. */
void weir_filesystem_describe(const char *path, struct weir_filesystem_facts *facts);

#endif
