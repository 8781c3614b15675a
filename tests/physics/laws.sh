#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every backend, depth and kind of data in one launch per number of ranks: sums agree, parts fit into the whole, and no rate is
# above the bytes over the time; in the result file, in the file of ranks, and in each of IOR's layouts.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
physics=$WEIR_ROOT/tests/physics

lack=()
can_bypass_cache || lack+=(DIRECT)
for backend in AIO:libaio URING:uring RDMA:rdma; do
    "$WEIR" -a "${backend%:*}" -w -t 64k -b 64k -o "$files/f" >"$out" 2>"$err" || lack+=("${backend%:*}")
done
ranks=0
for style in CSV JSON default; do
    ranks=$((ranks + 1))
    rm -f "$result"
    "$WEIR_PYTHON" -B "$physics/combinations.py" $ranks "$files/f" "${lack[@]}" >"$work/all.ior"
    begin=$(date +%s%N)
    run $ranks -f "$work/all.ior" --result "$result" -O "saveRankPerformanceDetailsCSV=$work/ranks.csv,summaryFormat=$style"
    expect_done
    seconds=$(($(date +%s%N) - begin))e-9
    kind=${style,,}
    "$WEIR_PYTHON" -B "$physics/laws.py" "$result" "${kind/default/text}" "$out" "$work/ranks.csv" $seconds >"$work/why" ||
        fail "$(head -n 30 "$work/why")"
    rm -f "$work/ranks.csv"
done
[[ ! ${lack[*]} ]] || echo "without ${lack[*]}"
