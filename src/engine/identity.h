/* SPDX-License-Identifier: Apache-2.0 */
/* What files say of themselves: whether they are ours, and which generation of data they hold. */
#ifndef WEIR_ENGINE_IDENTITY_H
#define WEIR_ENGINE_IDENTITY_H

#include "run.h"

/* Looks for stamps at a few places of the first `bytes` of an existing file (UINT64_MAX: all of
 * it), outside of any timing. Sets *found to
 * whether there is one, and then *identity to that of most of them (of equally many: the newest).
 * Where the test asks for IOR's data (WEIR_PAYLOAD_IOR), a file that begins with such data is as
 * good: the timestamp and offset patterns are recognised with any signature, the others with the
 * one that was given. The file must be the one of `id` (NULL: any). 0 or -errno. */
int weir_identity_learn(struct weir_run *run, const char *path, uint64_t bytes,
                        const struct weir_file_id *id, struct weir_identity *identity,
                        bool *found);

/* The identity that a verifying read must expect, and what a mixed phase writes must have, the same
 * on all ranks but for files of different generations: from the write of the same run, else learned
 * from the file. Data of IOR need nothing to be learned if the signature is given. Collective. */
int weir_identity_expect(struct weir_run *run, const struct weir_phase *phase, const char *path,
                         struct weir_identity *identity, struct weir_error *error);

/* The identity of what a write phase is about to write, the same on all ranks. Collective. */
int weir_identity_create(struct weir_run *run, const struct weir_phase *phase,
                         struct weir_identity *identity);

/* Noise for the seed, made when needed. 0 or -ENOMEM. */
int weir_identity_prepare_noise(struct weir_run *run, const struct weir_identity *identity);

#endif
