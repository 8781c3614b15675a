/* SPDX-License-Identifier: Apache-2.0 */
/* The striping of a file over servers, from extended attributes of its file system: Lustre,
 * CephFS, GlusterFS. */
#ifndef WEIR_SYSTEM_STRIPES_H
#define WEIR_SYSTEM_STRIPES_H

#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends a sentence on a file, or on new files in a directory, of a file system of that type
 * (in the words of mountinfo): "4 stripes of 1 MiB". Nothing if it is not known. The path must
 * exist. */
void weir_stripes_describe(const char *path, const char *type, struct weir_text *text);

/* The same for what the attributes hold: "lustre.lov", of versions 1 and 3 and composite; */
void weir_stripes_of_lustre(const void *layout, size_t bytes, struct weir_text *text);
/* "ceph.file.layout" and "ceph.dir.layout"; */
void weir_stripes_of_ceph(const char *layout, struct weir_text *text);
/* "glusterfs.pathinfo", and that of the directory around a file, or NULL: a file is on some of the
 * bricks that files of the directory are on. */
void weir_stripes_of_gluster(const char *places, const char *around, struct weir_text *text);

/* Counts the bricks in this directory, and those that are down. True if the volume is dispersed. */
bool weir_stripes_count_bricks(const char *graph, unsigned *count, unsigned *down);

/* Adds what the client of a GlusterFS volume knows of its bricks, in the directory
 * .meta/graphs/active at the top of the mount: how many of them are down; and how many there are,
 * if `text` is empty, as glusterfs.pathinfo leaves out those that are down and is not there on
 * dispersed volumes. False if `graph` has no bricks. */
bool weir_stripes_of_gluster_client(const char *graph, struct weir_text *text);

#endif
