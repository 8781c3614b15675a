/* SPDX-License-Identifier: Apache-2.0 */
/* How a file is spread over servers, as its file system tells in extended attributes: Lustre,
 * CephFS, GlusterFS. */
#ifndef WEIR_SYSTEM_STRIPES_H
#define WEIR_SYSTEM_STRIPES_H

#include "weir/base/text.h"

#include <stddef.h>

/* Appends a sentence on a file, or on new files in a directory, of a file system of that type (as
 * mountinfo calls it): "4 stripes of 1 MiB". Nothing if it does not tell. The path must exist. */
void weir_stripes_describe(const char *path, const char *type, struct weir_text *text);

/* The same for what the attributes hold: "lustre.lov", of versions 1 and 3 and composite; */
void weir_stripes_of_lustre(const void *layout, size_t bytes, struct weir_text *text);
/* "ceph.file.layout" and "ceph.dir.layout"; */
void weir_stripes_of_ceph(const char *layout, struct weir_text *text);
/* "glusterfs.pathinfo". */
void weir_stripes_of_gluster(const char *places, struct weir_text *text);

#endif
