/* SPDX-License-Identifier: Apache-2.0 */
/* Where limits are set: containers, Slurm, logins, services, and the user's own shell. */
#include "ways_out.h"

#include <inttypes.h>

void weir_help_with_group(const struct weir_examination *examination, const char *container_words,
                          const char *slurm_words, const struct weir_limiting_group *group)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;
    bool is_in_container = examination->node->container[0] != '\0';

    if (examination->is_in_job)
        weir_diagnosis_help(diagnosis, "ask Slurm for more: %s", slurm_words);
    if (is_in_container)
        weir_diagnosis_help(diagnosis, "start the container with %s (Docker, Podman)",
                            container_words);
    if (!examination->is_in_job && !is_in_container && group != NULL)
        weir_diagnosis_help(diagnosis, "as root: echo %s > %s", group->unlimited, group->file);
}

void weir_help_with_limit(const struct weir_examination *examination,
                          const struct weir_limit_words *words, uint64_t soft, uint64_t hard)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;

    if (hard == UINT64_MAX)
        weir_diagnosis_help(diagnosis, "in the shell that starts weir: ulimit -%c %s",
                            words->letter, words->value);
    else if (hard > soft)
        weir_diagnosis_help(diagnosis,
                            "in the shell that starts weir, up to the hard limit: ulimit -%c "
                            "%" PRIu64,
                            words->letter, hard / words->unit_bytes);
    if (examination->is_in_job)
        weir_diagnosis_help(diagnosis,
                            "of Slurm: %s for slurmd, and PropagateResourceLimitsExcept=%s in "
                            "slurm.conf",
                            words->unit_setting, words->slurm_name);
    if (examination->node->container[0] != '\0') {
        weir_diagnosis_help(diagnosis, "start the container with --ulimit %s=%s (Docker, Podman)",
                            words->name, words->container_value);
        return;
    }
    weir_diagnosis_help(diagnosis,
                        "as root: echo '* - %s %s' > /etc/security/limits.d/weir-%s.conf, then log "
                        "in again",
                        words->name, words->value, words->name);
    weir_diagnosis_help(diagnosis, "where a service of systemd starts it: %s in its unit",
                        words->unit_setting);
}
