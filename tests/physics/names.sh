#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Phases on trees: operations of ranks, of the histogram and of the series are the same; times of operations fit into those of ranks, these
# into the phase, and all phases into the time that a clock outside has seen. What -Y syncs is within the phase.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"

lawful() { # lawful OPTION...
    rm -f "$result" "$work/ranks.csv"
    local begin
    begin=$(date +%s%N)
    run 2 mdtest -n 300 -z 1 -b 2 -d "$files/tree" --result "$result" --saveRankPerformanceDetails "$work/ranks.csv" "$@"
    expect_done
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/physics/names.py" "$result" "$work/ranks.csv" $(($(date +%s%N) - begin))e-9 >"$work/why" ||
        fail "$(head -n 30 "$work/why")"
}

lawful
lawful -u -w 3000 -e 3000
lawful -a dummy -R
lawful -Y
expect_record "all(p.windows.close_s <= p.windows.total_s for p in phases)"
if "$WEIR" -a URING -w -t 64k -b 64k -o "$files/f" >/dev/null 2>&1; then
    lawful -a uring
    lawful -a uring --depth 32 -w 3000 -e 3000
fi
