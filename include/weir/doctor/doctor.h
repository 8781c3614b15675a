/* SPDX-License-Identifier: Apache-2.0 */
/* Examines this node for benchmarks: limits, drivers, devices, and how each is improved. Needs
 * no MPI. */
#ifndef WEIR_DOCTOR_DOCTOR_H
#define WEIR_DOCTOR_DOCTOR_H

#include "weir/base/diagnosis.h"
#include "weir/base/error.h"
#include "weir/base/launch.h"
#include "weir/base/pinning.h"
#include "weir/base/text.h"
#include "weir/io/backend.h"

struct weir_doctor_params {
    const struct weir_registry *registry; /* its backends are asked what they can do here */
    const char *path;                     /* to look at; NULL: what needs a path is left out */
    const struct weir_pinning *pinning;   /* for the picture of the host */
    unsigned rank_count;                  /* on this node; 0: no ranks are drawn */
    /* Tasks of the launch that prints this page against those of MPI; NULL = not known. */
    const struct weir_launch_mismatch *mismatch;
    const char *root; /* files of the system are below it: "" but for tests */
};

/* Appends the whole page: verdicts by subject, then the picture. 0, or a usage error about the path
 * or the policy. */
int weir_doctor_write(const struct weir_doctor_params *params, struct weir_text *text,
                      struct weir_error *error);

/* Adds the verdicts alone to `diagnosis`. 0, or a usage error about the path. */
int weir_doctor_examine(const struct weir_doctor_params *params, struct weir_diagnosis *diagnosis,
                        struct weir_error *error);

#endif
