/* SPDX-License-Identifier: Apache-2.0 */
/* `weir export`: measured phases in a database. */
#ifndef WEIR_REPORT_EXPORT_H
#define WEIR_REPORT_EXPORT_H

#include "weir/base/error.h"
#include "weir/base/export_request.h"
#include "weir/base/text.h"

/* Imports the runs of the request into its SQLite database, which is made if there is none, and
 * appends a line that says what was imported. Returns 0; or an error, which leaves the database as
 * it was. */
int weir_export_sqlite(const struct weir_export_request *request, struct weir_text *text,
                       struct weir_error *error);

#endif
