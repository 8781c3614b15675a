#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir net: a rank that is held is told of, with its host, by the one that waits for it; it may move again, or the run gives up.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0

pid_of_rank() { # pid_of_rank NUMBER
    local pid
    for pid in $(pgrep -f -- "^$WEIR net .*$result"); do
        ! grep -qzE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$" "/proc/$pid/environ" || echo "$pid"
    done
}

measurements() { grep -c '"record":"measurement"' "$result" 2>/dev/null; }
one_is_done() { (($(measurements) >= 1)); }

start() { # start PROVIDER OPTION...: four ranks, without an end of their own, and waits for the end of the first measurement
    rm -f "$result"
    launch timeout 500 mpiexec -n 4 "$WEIR" net --provider "$1" --duration 2 --repetitions 1000 --result "$result" "${@:2}"
    wait_until 120 one_is_done || fail "nothing is measured"
}

is_told() { grep -q "rank $1 on host .* has not answered for" "$err"; }
answers() { grep -q "rank $1 on host .* answers again" "$err"; }

# Between two measurements ranks agree through calls of MPI, in which nobody is heard: a rank that is held there is not
# reported, so it is released and held again.
hold() { # hold RANK: until it is reported; its process is in $pid
    local try
    pid=$(pid_of_rank "$1")
    for ((try = 0; try < 5; try++)); do
        kill -STOP "$pid"
        ! wait_until 20 is_told "$1" || return 0
        kill -CONT "$pid"
        sleep 0.9
    done
    fail "nobody tells of rank $1"
}

for held in tcp:3 tcp:0 mpi:3; do
    rank=${held#*:}
    start "${held%:*}" --watchdog 3s
    hold "$rank"
    kill -CONT "$pid"
    wait_until 60 answers "$rank" || fail "nobody tells that rank $rank answers"
    kill -INT "$(pid_of_rank 0)"
    end_of_run
    ((status <= 1)) || fail "exit code $status"
    # On a busy machine, others may have had no CPU for so long: they answer again.
    for other in 0 1 2 3; do
        ((other == rank)) || ! is_told $other || answers $other || fail "rank $other is accused"
    done
done

gone() { ! pgrep -f -- "^$WEIR net .*$result" >/dev/null; }
for provider in tcp mpi; do
    start $provider --watchdog 4s --give-up 8s
    before=$(measurements)
    hold 2
    end_of_run
    expect_exit 1
    expect_error '--give-up: rank 2 on host .* [0-9.]+ s'
    (($(measurements) >= before)) || fail "finished measurements are gone"
    wait_until 60 gone || fail "processes are left"
done

run 2 net --provider tcp --duration 0.2 --watchdog 60s --give-up 30s
expect_exit 2
expect_error '--give-up: 30s .*--watchdog, 60s'
