/* SPDX-License-Identifier: Apache-2.0 */
/* Files that name the processors of each rank: "RANK PROCESSORS", one rank a line, and Open MPI's
 * "rank N=HOST slot=PROCESSORS". */
#ifndef WEIR_SYSTEM_RANKFILE_H
#define WEIR_SYSTEM_RANKFILE_H

#include "weir/base/cpu_set.h"
#include "weir/base/error.h"

#include <stdbool.h>

struct weir_rankfile_row {
    unsigned rank;
    unsigned line;   /* from 1 */
    bool is_distant; /* the line names another host */
    struct weir_cpu_set cpus;
};

/* Rows by rank. */
struct weir_rankfile {
    struct weir_rankfile_row *rows;
    unsigned count;
};

/* Reads the text of a file whose name is `path`. Lines of other hosts than `host` are marked as
 * distant; NULL: there is one host only. 0; or a usage error that names file and line: an invalid
 * line, or a rank with two lines. */
int weir_rankfile_read(const char *text, const char *path, const char *host,
                       struct weir_rankfile *rankfile, struct weir_error *error);
void weir_rankfile_close(struct weir_rankfile *rankfile);

/* NULL: the file has no line for the rank. */
const struct weir_rankfile_row *weir_rankfile_find(const struct weir_rankfile *rankfile,
                                                   unsigned rank);

#endif
