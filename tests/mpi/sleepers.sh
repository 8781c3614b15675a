#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Signals that end a run in order wake every sleep; a limit of file sizes is an error of writing like any other.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

starts() { [[ -s $result ]]; }

interrupted() { # interrupted SIGNAL OPTION...: of a run that sleeps for minutes
    local signal=$1 begin
    shift
    rm -f "$result"
    launch "$WEIR" "$@" -t 64k -b 1m -o "$files/f" --result "$result"
    wait_until 100 starts || fail "it does not start"
    sleep 0.3
    begin=$SECONDS
    kill "-$signal" "$launcher"
    end_of_run
    expect_exit 1
    ((SECONDS - begin < 60)) || fail "it ended $((SECONDS - begin)) s after the signal"
    expect_record "writes[-1].interrupted and writes[-1].outcome == 'partial'"
    expect_files ''
}

interrupted INT -w -r -O interIODelay=100000000
interrupted XCPU -w -a dummy --dummy.delay-xfer=100000000
interrupted USR2 -w -a dummy --dummy.delay-create=100000000
interrupted HUP -w -r -O interIODelay=100000000 -a libaio --depth 2
interrupted TERM -w -a dummy --dummy.delay-xfer=100000000 --depth 2

# Of several ranks that sleep between repetitions, one is told: the others do not sleep on.
rm -f "$result"
OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0 launch mpiexec -n 2 "$WEIR" -w -t 64k -b 64k -i 2 -d 100 -o "$files/f" --result "$result"
wait_until 100 starts || fail "it does not start"
sleep 1
begin=$SECONDS
kill -TERM "$(pgrep -f -- "^$WEIR .*$result" | head -n 1)"
end_of_run
expect_exit 1
((SECONDS - begin < 60)) || fail "it ended $((SECONDS - begin)) s after the signal"
expect_files ''

# A rank that sits a step or a test out receives a signal: the ranks at work end as well. Alone they would take minutes.
rank_number() { tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^\(OMPI_COMM_WORLD_RANK\|PMI_RANK\)=//p' | head -n 1; }

pid_of_rank() { # pid_of_rank NUMBER
    local pid
    for pid in $(pgrep -f -- "^$WEIR_TEST .*$work"); do
        [[ $(rank_number "$pid") != "$1" ]] || echo "$pid"
    done
}

sits_out() { # sits_out NAME OPTION...: rank 1 of the command does, once there is a file of that name
    local name=$1 begin
    shift
    mkdir -p "$files/one" "$files/other"
    OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0 launch "${launcher_of_ranks[@]}" "$WEIR_TEST" "$@"
    begins() { [[ $(find "$files" -name "$name" -type f) ]]; }
    wait_until 60 begins || fail "it does not start"
    sleep 0.5
    begin=$SECONDS
    kill -TERM "$(pid_of_rank 1)"
    end_of_run
    expect_exit 1
    ((SECONDS - begin < 30)) || fail "it ended $((SECONDS - begin)) s after the signal"
    expect_files ''
}

launcher_of_ranks=(mpiexec -n 2)
slow=(--fault.every 1 --fault.delay 100000)
sits_out 'f*' sweep ranks=1,2 -- ior -a fault:posix "${slow[@]}" -w -F -t 4k -b 10m -o "$files/f"
expect_line interrupted
sits_out 'f*' ior -N 1 -a fault:posix "${slow[@]}" -w -F -t 4k -b 10m -o "$files/f"
expect_line interrupted
sits_out 'weir*' targets -a fault:posix "${slow[@]}" --size 10m --transfer 4k --buffered "$files/one" "$files/other"
expect_error interrupted
sits_out 'file*' mdtest -f 1 -l 2 -F -n 3000 --rate 20 -d "$files"
sits_out 'f*' iozone -l 1 -u 2 -i 0 -r 4k -s 10m --rate 20 -F "$files/f1" "$files/f2"
# Of two hosts, one sits out.
hosts=$WEIR_ROOT/scripts/testbed/testbed-hosts
if "$hosts" run -- true >"$out" 2>&1; then
    launcher_of_ranks=("$hosts" run -- mpiexec -n 2 --host n1:1,n2:1 --wdir "$work")
    OMPI_MCA_orte_tmpdir_base=/tmp sits_out 'f*' ior -N 1 -a fault:posix "${slow[@]}" -w -F -t 4k -b 10m -o "$files/f"
    expect_line interrupted
fi

# SIGXFSZ would kill; the write says EFBIG instead.
for api in posix mpiio; do
    rm -f "$result"
    OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0 launch mpiexec -n 2 "$WEIR" -a "$api" -w -r -F -t 64k -b 64k -s 400 -O interIODelay=10000 -o "$files/f" --result "$result"
    wait_until 100 starts || fail "it does not start"
    for pid in $(pgrep -f -- "^$WEIR .*$result"); do
        prlimit --fsize=4000000 --pid "$pid"
    done
    end_of_run
    expect_exit 1
    expect_error 'write at offset [0-9]+ of .*: File too large'
    expect_record "written.outcome == 'partial' and written.errors >= 1 and written.bytes > 0"
    expect_files ''
done

# The start of MPI makes files of shared memory: where it cannot, MPI or the run may fail, but no signal ends a rank. The limit is that of
# the ranks alone: the daemon of a program that is started without mpiexec takes all memory under it.
capture mpiexec -n 2 bash -c 'ulimit -f 0; exec "$@"' bash "$WEIR" mdtest -n 1 -d "$files"
((status < 128)) || fail "a signal ended it"
