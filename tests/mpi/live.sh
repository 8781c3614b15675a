#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --live, --on-phase and progress on a terminal in every command, and that nothing that reads them stops or changes a run.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
"$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/live.py" "$WEIR" "$WEIR_ROOT" || status=$?
[[ ${status-0} != 77 ]] || exit 77
[[ ${status-0} == 0 ]] || fail "see above"
