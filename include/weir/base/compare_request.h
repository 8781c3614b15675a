/* SPDX-License-Identifier: Apache-2.0 */
/* The request of `weir compare`, as plain data between front end and report. */
#ifndef WEIR_BASE_COMPARE_REQUEST_H
#define WEIR_BASE_COMPARE_REQUEST_H

#include "weir/base/export_request.h"

#include <stdbool.h>
#include <stdint.h>

/* Names of keys that every run has. Tags cannot have them. */
#define WEIR_COMPARE_KEYS                                                                          \
    "filesystem,target,transport,ranks,nodes,label,kernel,version,mpi_library,storage,options,"    \
    "distribution,cpu_model,hosts,cpus,command,governor,transparent_huge_pages,memory_limit,"      \
    "container,hypervisor,clock_source"

/* Runs of result files. */
struct weir_compare_source {
    const char *const *paths;
    unsigned path_count; /* 0 = none */
    const char *run;     /* last, a number or an id; NULL = all */
    const char *label;   /* NULL = any */
};

struct weir_compare_request {
    struct weir_compare_source sides[2]; /* A and B; with `by`, A alone */
    struct weir_compare_source earlier;  /* --noise-from */
    const char *across;                  /* keys that leave the match, separated by commas; NULL */
    const char *by;                      /* key whose values are the groups; NULL */
    const char *figures;                 /* names, separated by commas; NULL = rate or operations */
    double limit;                        /* --fail-if-slower, 0 to 1 */
    const char *expected_path;           /* --expect-cases: a result file; NULL */
    int64_t expected_count;              /* --expect-cases: a number; 0 = none */
    bool fails_if_unsure;
    bool allows_unsure;
    bool is_json;
    const char *drawn;       /* "html"; or a picture as "svg", "gnuplot" or "text"; NULL = none */
    const char *picture;     /* its name; NULL = the change of each case */
    const char *output_path; /* --output; NULL = standard output */
    struct weir_redact_request redact;
};

#endif
