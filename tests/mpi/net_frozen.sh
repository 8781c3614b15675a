#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir net: a rank that is held is told of, with its host, by the one that waits for it; it may move again, or the run gives up.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0

pid_of_rank() { # pid_of_rank NUMBER
    local pid
    for pid in $(pgrep -f -- "^$WEIR net .*$result"); do
        ! tr '\0' '\n' <"/proc/$pid/environ" | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$" || echo "$pid"
    done
}

measurements() { grep -c '"record":"measurement"' "$result" 2>/dev/null; }
one_is_done() { (($(measurements) >= 1)); }

start() { # start PROVIDER OPTION...: four ranks, and waits for the end of the first measurement
    rm -f "$result"
    launch timeout 90 mpiexec --oversubscribe -n 4 "$WEIR" net --provider "$1" --duration 1 --repetitions 4 --watchdog 2s --result "$result" "${@:2}"
    wait_until 40 one_is_done || fail "nothing is measured"
    # Between two measurements ranks agree through calls of MPI, in which nobody is heard: a rank that is held there is
    # not told of. The middle of the next measurement is far from both ends of it, on a busy machine as well.
    sleep 0.6
}

is_told() { grep -q "rank $1 on host .* has not answered for" "$err"; }
answers() { grep -q "rank $1 on host .* answers again" "$err"; }

for held in tcp:3 tcp:0 mpi:3; do
    rank=${held#*:}
    start "${held%:*}"
    pid=$(pid_of_rank $rank)
    kill -STOP "$pid"
    wait_until 30 is_told $rank || fail "nobody tells of rank $rank"
    kill -CONT "$pid"
    wait_until 30 answers $rank || fail "nobody tells that rank $rank answers"
    end_of_run
    ((status <= 1)) || fail "exit code $status" # a measurement with a hole may be a flaw
    ! grep 'has not answered' "$err" | grep -qv "rank $rank on" || fail "another rank is accused"
done

gone() { ! pgrep -f -- "^$WEIR net .*$result" >/dev/null; }
for provider in tcp mpi; do
    start $provider --give-up 4s
    before=$(measurements)
    kill -STOP "$(pid_of_rank 2)"
    end_of_run
    expect_exit 1
    expect_error '--give-up: rank 2 on host .* [0-9.]+ s'
    (($(measurements) >= before)) || fail "finished measurements are gone"
    wait_until 10 gone || fail "processes are left"
done

run 2 net --provider tcp --duration 0.2 --watchdog 60s --give-up 30s
expect_exit 2
expect_error '--give-up: 30s .*--watchdog, 60s'
