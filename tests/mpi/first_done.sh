#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The stonewall by the first rank that is done, and what else plans have that no words of IOR ask for.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

capture timeout 120 mpiexec -n 3 "${WEIR_FIRST_DONE:?the test program}" "$files"
[[ $status == 0 ]] || fail "the program ended with $status"
