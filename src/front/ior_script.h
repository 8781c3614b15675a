/* SPDX-License-Identifier: Apache-2.0 */
/* IOR scripts: a file of directives that describes several tests. */
#ifndef WEIR_FRONT_IOR_SCRIPT_H
#define WEIR_FRONT_IOR_SCRIPT_H

#include "ior_options.h"

#include <stdio.h>

/* Reads the script at `path` into `request`, whose settings are the defaults of the first test;
 * further tests are appended to it. 0, or an error that names file and line. */
int weir_ior_script_read(struct weir_ior_request *request, const char *path,
                         struct weir_error *error);

/* The same from an open file; `name` is what errors call it. */
int weir_ior_script_parse(struct weir_ior_request *request, FILE *file, const char *name,
                          struct weir_error *error);

#endif
