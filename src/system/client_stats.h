/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that the client of a network file system keeps of its own bytes: those that servers sent
 * and received for one mount, and what the client caches. */
#ifndef WEIR_SYSTEM_CLIENT_STATS_H
#define WEIR_SYSTEM_CLIENT_STATS_H

#include "weir/base/facts.h"

#include <stddef.h>

struct weir_client_watch;

/* NULL if the file system of the mount has no counters of this kind, or this process may not read
 * them. Files below `root`; `facts` is not kept. */
struct weir_client_watch *weir_client_watch_open(const char *root,
                                                 const struct weir_storage_facts *facts);
void weir_client_watch_close(struct weir_client_watch *watch);

/* Sets the client_... members of `traffic`, and has_client if all counters could be read. A watch
 * whose counters take long to read reads them once per second: within it the next call, at the
 * begin of the next phase, returns the same values, and further calls clear has_client, as bytes of
 * an earlier phase would count for a later one. */
void weir_client_watch_read(struct weir_client_watch *watch, struct weir_traffic *traffic);

/* Sets `prefix` to "NAME-", with which the names of the devices of a Lustre file system begin.
 * False if the source of its mount, "MGS@tcp:OTHER@tcp:/NAME/DIRECTORY", has no name. */
#define WEIR_LUSTRE_PREFIX_BYTES 80
bool weir_lustre_prefix(const char *source, char prefix[WEIR_LUSTRE_PREFIX_BYTES]);

/* Describes the cache of the client next to the page cache: "buffered (tuneFileCacheType)" of
 * BeeGFS; "" if no file names it. */
void weir_client_describe_cache(const char *root, const struct weir_storage_facts *facts,
                                char *text, size_t bytes);

#endif
