/* SPDX-License-Identifier: Apache-2.0 */
/* What files say of themselves: which generation of data they hold. */
#ifndef WEIR_ENGINE_IDENTITY_H
#define WEIR_ENGINE_IDENTITY_H

#include "run.h"

/* The identity that a verifying read must expect, and what a mixed phase writes must have, the same
 * on all ranks but for files of different generations: from the write of the same run, else learned
 * from the file. Data of IOR need nothing to be learned if the signature is given. Collective. */
int weir_identity_expect(struct weir_run *run, const struct weir_phase *phase, const char *path,
                         struct weir_identity *identity, struct weir_error *error);

/* The identity of what a write phase is about to write, the same on all ranks. Collective. */
int weir_identity_create(struct weir_run *run, const struct weir_phase *phase,
                         struct weir_identity *identity);

#endif
