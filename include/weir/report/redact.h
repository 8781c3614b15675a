/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudonyms for names of hosts, users and paths: records get them when they are read, so that no
 * report sees the names (docs/results-as-data.md). */
#ifndef WEIR_REPORT_REDACT_H
#define WEIR_REPORT_REDACT_H

#include "weir/base/error.h"
#include "weir/base/export_request.h"

struct json_t;
struct weir_redaction;

/* Sets *redaction, to NULL if none is requested. Returns 0, or an error: the key cannot be read, or
 * has fewer than 16 bytes. */
int weir_redaction_open(const struct weir_redact_request *request,
                        struct weir_redaction **redaction, struct weir_error *error);
/* Replaces the names in a record of a result file. A name has the same pseudonym in all records
 * that are given to one redaction, and to all redactions with the same key. */
void weir_redaction_apply(struct weir_redaction *redaction, struct json_t *record);
/* The pseudonym of a path, which lives as long as the redaction; without one, the path. */
const char *weir_redaction_path(struct weir_redaction *redaction, const char *path);
void weir_redaction_close(struct weir_redaction *redaction); /* NULL is allowed */

#endif
