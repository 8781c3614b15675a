#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What mdtest's words make, is where mdtest has it, and another run finds and removes all of it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

cd "$files"
"$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/mdtest_paths.py" "$WEIR"
