/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of `weir export` and --redact, as plain data between front end and report. */
#ifndef WEIR_BASE_EXPORT_REQUEST_H
#define WEIR_BASE_EXPORT_REQUEST_H

#include <stdbool.h>

/* Names of hosts, users and paths become pseudonyms. */
struct weir_redact_request {
    bool redacts;
    const char *key_path; /* --redact-key: file with the key of the pseudonyms; NULL = numbers */
};

struct weir_export_request {
    const char *const *paths; /* result files */
    unsigned path_count;
    const char *run;   /* last, a number or an id; NULL = all */
    const char *label; /* NULL = any */
    const char *database_path;
    bool has_histograms;
    bool has_series;
    struct weir_redact_request redact;
};

#endif
