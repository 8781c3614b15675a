#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# No rate of weir net is above that of the wire, whatever is counted and however short it is. The wire is slowed by a library that sleeps in
# the calls that move data, so its rate does not come from weir's clock; and a run takes no longer than its launcher saw.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
library=${1:?the library that slows calls}
[[ ! ${ASAN_OPTIONS-} ]] || skip "a sanitizer wants to be the first library: this takes a build without it"
limit=50000000

held() { # held FORMAT RANKS OPTION...: what the run prints keeps the laws
    local format=$1 ranks=$2 begin
    shift 2
    rm -f "$result"
    begin=$(date +%s%N)
    capture mpiexec -x LD_PRELOAD="$library" -x SLOWED_BYTES_PER_S=$limit -n "$ranks" "$WEIR" net --size 8k --format "$format" --result "$result" "$@"
    expect_done
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/physics/net.py" $limit "$result" "$format" "$out" $(($(date +%s%N) - begin))e-9 >"$work/why" ||
        fail "$(head -n 30 "$work/why")"
}

formats=(json table iperf perftest)
loads=("--iterations 1" "--duration 0.001" "--iterations 300 --warm-up 0" "--iterations 10" "--duration 0.02 --warm-up 0")
next=0
for provider in tcp:write tcp:read tcp:send shm:write shm:read shm:send mpi:send; do
    words=(--provider "${provider%:*}" --op "${provider#*:}" --warm-up 0.05)
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # words of the load
        held "${formats[next % 4]}" 2 "${words[@]}" ${loads[next++ % 5]}
    done
    held "${formats[next % 4]}" 2 "${words[@]}" --iterations 10 --both
    held json 2 "${words[@]}" --iterations 10 --test lat
done
held table 4 --provider tcp --pattern pairs --iterations 10 --warm-up 0.02
held iperf 4 --provider shm --pattern incast --duration 0.05 --warm-up 0.02 --interval 0.01
held json 2 --provider tcp --pairs 4 --iterations 10 --warm-up 0.02
held perftest 2 --provider tcp --iterations 50 --warm-up 0.02 --repetitions 3
