/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies for limits of control groups and of ulimit. */
#ifndef WEIR_DOCTOR_WAYS_OUT_H
#define WEIR_DOCTOR_WAYS_OUT_H

#include "subjects.h"

#include "weir/system/limiting_group.h"

/* Adds the remedies to the line that was added last: how a container is started, what Slurm is
 * asked for, or the file of the group, which may be NULL. */
void weir_help_with_group(const struct weir_examination *examination, const char *container_words,
                          const char *slurm_words, const struct weir_limiting_group *group);

/* The names of a limit in the configuration of those who set it. */
struct weir_limit_words {
    char letter; /* of ulimit */
    unsigned unit_bytes;
    const char *name; /* of limits.conf, Docker and Podman */
    const char *value;
    const char *container_value;
    const char *unit_setting; /* of systemd */
    const char *slurm_name;
};

/* The same for a limit of which `soft` counts and `hard` is how far this user may raise it. */
void weir_help_with_limit(const struct weir_examination *examination,
                          const struct weir_limit_words *words, uint64_t soft, uint64_t hard);

#endif
