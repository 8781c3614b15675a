/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzzers share: made-up backends, and requests that become plans. */
#ifndef WEIR_TESTS_FUZZ_BACKENDS_H
#define WEIR_TESTS_FUZZ_BACKENDS_H

#include "front/ior/lower.h"

#include <stddef.h>
#include <stdint.h>

extern const struct weir_backends weir_fuzz_backends;

/* Lowers the requests, freezes the plan and explains it; errors are fine. Closes the plan. */
void weir_fuzz_lower(struct weir_plan *plan, const struct weir_ior_request *request);

/* The entry point that libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
