#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir net over MPI: a rank that takes no more messages ends its flow after --give-up, and not the run, which has an end of its own.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
[[ -z ${ASAN_OPTIONS-} ]] || skip "a library is preloaded, which AddressSanitizer would not let be first: this takes a build without it"

deaf_run() { # deaf_run HOW
    rm -f "$result"
    capture timeout 60 mpiexec -n 4 env LD_PRELOAD="$WEIR_DEAF_MPI" WEIR_DEAF="$1" "$WEIR" net --provider mpi --op send --pattern bisection --both \
        --size 64k --duration 0.5 --warm-up 0 --repetitions 2 --watchdog 1s --give-up 2s --result "$result"
    expect_line ' [01] -> 3 failed: the link to rank 3 was lost: Connection timed out'
}

# The other flows are measured, and so is what follows.
deaf_run silent
expect_exit 1
expect_line '^not finished'
"$WEIR_PYTHON" - "$result" <<'P' || fail "other flows than those to rank 3 have failed, or those have not"
import json, sys
measurements = [r["flows"] for r in map(json.loads, open(sys.argv[1])) if r["record"] == "measurement"]
assert len(measurements) == 4
for flow in sum(measurements, []):
    assert bool(flow["failure"]) == (flow["sink"] == 3) and (flow["failure"] or flow["messages"] > 0), flow
P

# The rank says so itself when it is to receive again.
deaf_run failing
expect_exit 3
expect_error 'rank 3 on host .*: net: a measurement cannot begin: '
