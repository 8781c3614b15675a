/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of this host and of the file system behind a path. */
#ifndef WEIR_SYSTEM_HOST_H
#define WEIR_SYSTEM_HOST_H

#include "weir/base/facts.h"

struct statvfs;

/* From uname(2). */
void weir_host_describe(struct weir_host_facts *facts);

/* Describes the file system of `path`, or of its nearest existing parent. is_known is false if
 * there is none. */
void weir_filesystem_describe(const char *path, struct weir_filesystem_facts *facts);

/* Sets *sight from stat(2) of a path; all zero if that fails. */
void weir_sight_take(const char *path, struct weir_sight *sight);

/* Counts what statvfs(3) reports. Totals that cannot be right are unknown (0): some network file
 * systems report 1 file of which -1 are free. */
void weir_filesystem_count(const struct statvfs *filesystem, struct weir_filesystem_facts *facts);

#endif
