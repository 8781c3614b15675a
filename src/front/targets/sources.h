/* SPDX-License-Identifier: Apache-2.0 */
/* The storage targets that a command line means. */
#ifndef WEIR_FRONT_TARGETS_SOURCES_H
#define WEIR_FRONT_TARGETS_SOURCES_H

#include "options.h"
#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define WEIR_TARGETS_MAX 4096

/* One of them. */
struct weir_target_source {
    const char *name; /* in reports: "/mnt/a", "OST0003", "target 101" */
    const char *path; /* what its files' names begin with; of a device, its own */
    /* makes an empty file on this target, whose path stands in the place of %s; NULL: files need
     * none */
    const char *make;
};

struct weir_target_sources {
    struct weir_target_source *all; /* in the arena */
    size_t count;
    size_t capacity;
    bool are_devices;
    const char *const *remarks; /* on what was left out */
    size_t remark_count;
};

/* Finds them. Nothing is written; commands of the file system may be run to list them. 0, or a
 * usage error. */
int weir_targets_find(struct weir_arena *arena, const struct weir_targets_request *request,
                      struct weir_target_sources *sources, struct weir_error *error);

/* Appends one. */
void weir_targets_add(struct weir_arena *arena, struct weir_target_sources *sources,
                      const struct weir_target_source *source);
void weir_targets_remark(struct weir_arena *arena, struct weir_target_sources *sources,
                         const char *remark);

/* A path as one word of the shell. */
const char *weir_targets_quote(struct weir_arena *arena, const char *path);

/* Block devices of this host that nothing uses; those that are in use are remarked on. 0, or a
 * usage error. */
int weir_targets_list_devices(struct weir_arena *arena, struct weir_target_sources *sources,
                              const char *place, struct weir_error *error);

#endif
