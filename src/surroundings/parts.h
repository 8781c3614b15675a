/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this folder. */
#ifndef WEIR_SURROUNDINGS_PARTS_H
#define WEIR_SURROUNDINGS_PARTS_H

#include "weir/surroundings/surroundings.h"

/* Finds the devices and networks behind surroundings->path, and counts their traffic: on the first
 * rank of each node. */
void weir_storage_watch_open(struct weir_surroundings *surroundings);
void weir_storage_watch_close(struct weir_surroundings *surroundings);

/* The rank has a policy for its processors. */
static inline bool weir_surroundings_is_pinned(const struct weir_surroundings *surroundings)
{
    return surroundings->test->pinning.policy != WEIR_PIN_NONE;
}

/* A process that was started with a policy for its memory keeps it unless the test has one. */
static inline bool
weir_surroundings_leaves_memory_alone(const struct weir_surroundings *surroundings)
{
    return surroundings->test->membind.policy == WEIR_MEMBIND_NONE ||
           (surroundings->test->membind.policy == WEIR_MEMBIND_AUTO &&
            surroundings->host.has_memory_policy);
}

#endif
