/* SPDX-License-Identifier: Apache-2.0 */
/* IOR scripts: a file of directives that describes several tests. */
#ifndef WEIR_FRONT_IOR_SCRIPT_H
#define WEIR_FRONT_IOR_SCRIPT_H

#include "options.h"

/* The text of the script at `path`, in `arena`. 0, or a usage error. */
int weir_ior_script_load(const char *path, struct weir_arena *arena, const char **text,
                         const char *place, struct weir_error *error);

/* Reads a script into `request`, whose settings are the defaults of the first test; further tests
 * are appended to it. `name` is what errors call it. 0, or an error that names the line. */
int weir_ior_script_parse(struct weir_ior_request *request, const char *text, const char *name,
                          struct weir_error *error);

#endif
