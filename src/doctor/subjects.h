/* SPDX-License-Identifier: Apache-2.0 */
/* One function a subject, or a few that belong together: each adds its lines. */
#ifndef WEIR_DOCTOR_SUBJECTS_H
#define WEIR_DOCTOR_SUBJECTS_H

#include "weir/doctor/doctor.h"
#include "weir/system/environment.h"

#include <stdbool.h>

struct weir_examination {
    const char *root;
    const char *path; /* NULL: none is looked at */
    unsigned rank_count;
    const struct weir_registry *registry;
    struct weir_diagnosis *diagnosis;
    const struct weir_node_facts *node;
    const struct weir_launch_mismatch *mismatch; /* NULL = none */
    bool is_in_job;                              /* of Slurm */
};

/* Diagnoses of the backends themselves, and the backends that were not built. */
void weir_examine_backends(const struct weir_examination *examination);
/* File system, space and devices behind the path. */
void weir_examine_target(const struct weir_examination *examination);
void weir_examine_page_cache(const struct weir_examination *examination);
/* Which questions about figures of a run on the path can be answered. */
void weir_examine_evidence(const struct weir_examination *examination);
void weir_examine_memory(const struct weir_examination *examination);
/* How much of it may be locked. */
void weir_examine_locking(const struct weir_examination *examination);
/* On which NUMA node it is. */
void weir_examine_page_places(const struct weir_examination *examination);
void weir_examine_processors(const struct weir_examination *examination);
void weir_examine_clock(const struct weir_examination *examination);
void weir_examine_rdma(const struct weir_examination *examination);
/* The launcher of ranks, and the limits on what ranks open. */
void weir_examine_launch(const struct weir_examination *examination);

/* The verdicts and the summary, for people: lines keep to about 120 columns. */
void weir_doctor_write_page(const struct weir_diagnosis *diagnosis, struct weir_text *text);

#endif
