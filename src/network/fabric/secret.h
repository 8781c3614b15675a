/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of a secret. */
#ifndef WEIR_NETWORK_FABRIC_SECRET_H
#define WEIR_NETWORK_FABRIC_SECRET_H

#include "weir/fabric/fabric.h"

#define WEIR_SECRET_PROOF_BYTES 32

/* HMAC-SHA256 of the role ("client", "server") and both texts. 0 or -errno. */
int weir_secret_prove(const unsigned char secret[WEIR_SECRET_BYTES], const char *role,
                      const void *first, size_t first_bytes, const void *second,
                      size_t second_bytes, unsigned char proof[WEIR_SECRET_PROOF_BYTES]);
/* Takes the same time whatever they are. */
bool weir_secret_equal(const void *left, const void *right, size_t count);
/* Bytes that nobody can guess. 0 or -errno. */
int weir_secret_random(void *bytes, size_t count);

#endif
