/* SPDX-License-Identifier: Apache-2.0 */
/* `weir export sqlite` where weir was built without SQLite. */
#include "weir/base/version.h"
#include "weir/report/export.h"

#include <errno.h>

int weir_export_sqlite(const struct weir_export_request *request, struct weir_text *text,
                       struct weir_error *error)
{
    (void)request;
    (void)text;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOTSUP, "export",
                          "sqlite is " WEIR_SQLITE ": build weir with it, or use weir report "
                          "--format csv-long");
}
