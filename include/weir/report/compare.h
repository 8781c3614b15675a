/* SPDX-License-Identifier: Apache-2.0 */
/* `weir compare`: runs of result files, A with B. */
#ifndef WEIR_REPORT_COMPARE_H
#define WEIR_REPORT_COMPARE_H

#include "weir/base/compare_request.h"
#include "weir/base/error.h"
#include "weir/base/text.h"

/* Reads the files of the request, appends the comparison to `text`, and sets *exit_code by
 * docs/compare.md. Returns 0; or an error, with exit code 2 or 3, if there is no comparison. */
int weir_report_compare(const struct weir_compare_request *request, struct weir_text *text,
                        int *exit_code, struct weir_error *error);

#endif
