#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A phase makes the collective calls that docs/scale.md tells, whatever the number of ranks, and a client of an object
# server as many requests, whatever the number of clients.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v mpicc >/dev/null || skip "mpicc, which builds what counts the calls, is not there: scripts/deps build"
bench=$WEIR_ROOT/scripts/bench.d
mpicc -std=c17 -O1 -shared -fPIC -o "$work/scale.so" "$bench/scale.c" || fail "scale.c is not compiled"
command_line="scale.py --ranks 2,3"
programs=$(dirname "$(dirname "$WEIR")")/scripts/bench.d
python3 -B "$bench/scale.py" --weir "$WEIR" --shim "$work/scale.so" --json "$work/scale.json" --ranks 2,3 \
    --programs "$programs" --clients 2,20 --client-ranks 2 --rounds 1 >"$out" 2>"$err" || fail "$(tail -n 1 "$err")"
