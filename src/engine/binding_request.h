/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy for bindings needs from rank 0: the text of a rankfile, which may be on its node
 * alone. */
#ifndef WEIR_ENGINE_BINDING_REQUEST_H
#define WEIR_ENGINE_BINDING_REQUEST_H

#include "run.h"

/* Rank 0 reads the file of a test that has one, and all get its text, which is to be freed; *text
 * is left alone for other tests. Collective. */
int weir_binding_read_rankfile(struct weir_run *run, char **text, struct weir_error *error);

#endif
