#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A signal in the middle of the second repetition: the first one is whole in the result file, and the end is in order.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

finished_phases() { grep -c '"record":"phase"' "$result" 2>/dev/null || true; }
has_first_repetition() { (($(finished_phases) >= 1)); }

# Starts three slow repetitions, and waits for the second to be under way.
start_slow_run() {
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" -w -t 64k -b 6400k -i 3 -O interIODelay=20000 -o "$files/f" \
        --result "$result"
    wait_until 100 has_first_repetition || fail "the first repetition does not end"
    sleep 0.5
}


expect_first_repetition_whole() {
    expect_record "writes[0].outcome == 'complete' and writes[0].bytes == 2 * 6400 * 1024"
    expect_record "len(writes) < 3"
}

expect_said_so() {
    expect_line 'interrupted'
    expect_record "writes[1].outcome == 'partial' and writes[1].interrupted and writes[1].bytes < writes[0].bytes"
    expect_files ''
}

for signal in TERM INT USR1; do
    start_slow_run
    signal_ranks $signal
    end_of_run
    expect_exit 1
    expect_first_repetition_whole
    expect_said_so
done

# The launcher hands the signal on, and may then kill: what was finished is on disk in any case.
start_slow_run
kill -TERM "$launcher"
end_of_run
((status != 0)) || fail "the exit code is 0"
expect_first_repetition_whole

# One rank alone is told; all of them end.
start_slow_run
kill -TERM "$(ranks | tail -n 1)"
end_of_run
expect_exit 1
expect_first_repetition_whole
expect_said_so

# A rank that has hit its deadline does not catch up with the others once a signal has arrived: its part is cut. Rank 0 makes three transfers
# until the deadline of 5 s and rank 1 one, whose second one takes 4 s and may be in flight when the signal arrives.
rm -f "$result"
launch mpiexec -n 2 "$WEIR_TEST" -a fault:posix --fault.rank 1 --fault.every 1 --fault.delay 4000000 -w -F -t 4k -b 64k -D 5 \
    -O stoneWallingWearOut=1,interIODelay=2000000 -o "$files/f" --result "$result"
has_a_transfer() { (($(stat -c %s "$files/f.00000001") >= 4096)); }
wait_until 60 has_a_transfer || fail "the slower rank makes no transfer"
sleep 2
signal_ranks TERM
end_of_run
expect_exit 1
expect_record "written.ops in (3 + 1, 3 + 2) and written.stonewall and written.outcome == 'partial' and written.interrupted"
expect_files ''

# Names are removed as fast as can be once a signal has arrived, whatever --rate asks for: 400 at that rate would take 40 s.
rm -f "$result"
launch "$WEIR" mdtest -F -n 400 --rate 10 -d "$files/t" --result "$result"
has_items() { (($(find "$files/t" -name 'file.mdtest.*' 2>/dev/null | wc -l) >= 3)); }
wait_until 60 has_items || fail "no item is made"
kill -INT "$launcher"
SECONDS=0
end_of_run
expect_exit 1
((SECONDS < 30)) || fail "the removal was paced: it took $SECONDS s"
expect_files ''
expect_error 'create 0: interrupted by a signal; -r removes names that remain'

# No rank can say anything any more.
start_slow_run
signal_ranks KILL
end_of_run
((status != 0)) || fail "the exit code is 0"
expect_first_repetition_whole
capture "$WEIR" report "$result" --format ior
expect_done
expect_line '^write '

# A fatal signal prints the rank, what it was doing, and its stack, and its exit code is 128 and the number of the signal.
start_slow_run
crashed=$(ranks | tail -n 1)
kill -SEGV "$crashed"
end_of_run
((status != 0)) || fail "the exit code is 0"
expect_error "^weir: rank 1: crashed by SIGSEGV from process $$, host .*, process $crashed, during write of test 0, repetition 1\$"
expect_error '^weir: rank 1: in weir_engine_run'
expect_error '^weir: rank 1: in main\+'
launch "$WEIR" -w -t 64k -b 6400k -O interIODelay=20000 -o "$files/alone"
wait_until 100 test -s "$files/alone" || fail "the run does not begin to write"
kill -ABRT "$launcher"
end_of_run
((status == 128 + 6)) || [[ ${ASAN_OPTIONS-} ]] || fail "the exit code is not that of the signal"
expect_error '^weir: rank 0: crashed by SIGABRT from process .*during write of test 0, repetition 0$'
expect_error '^weir: rank 0: in main\+'

# ---------------------------------------------------------------- a launcher that prints nothing after a signal

# prterun of Open MPI 5 sets this variable. Without another place for the report, an interrupted run writes it to a file.
export PRTE_LAUNCHED=1
spare() { compgen -G "$work/weir-interrupted-*.txt" || true; }
interrupt() { # interrupt WAIT-PATTERN COMMAND...: in the middle of the run, which has printed such a line
    local pattern=$1
    shift
    rm -f "$work"/weir-interrupted-*.txt
    launch "$@"
    wait_until 60 grep -qE "$pattern" "$out" || fail "the run does not begin"
    sleep 1
    mapfile -t processes < <(pgrep -P "$launcher")
    kill -INT "${processes[@]}"
    end_of_run
    expect_exit 1
}
slow=(-w -t 64k -b 6400k -i 100 -O interIODelay=20000 -o "$files/f")
interrupt '^write' mpiexec -n 2 "$WEIR" "${slow[@]}"
[[ $(spare | wc -l) == 1 ]] || fail "the report is not kept"
cmp "$out" "$(spare)" || fail "the file is not what was printed"
grep -q 'interrupted' "$(spare)" || fail "the file does not say that the run was interrupted"
expect_error 'all of it is in weir-interrupted-[0-9a-f]{16}\.txt'
interrupt '^write' mpiexec -n 2 "$WEIR" "${slow[@]}" -O summaryFormat=CSV
cmp "$out" "$(spare)" || fail "the CSV is not what was printed"
interrupt '^ +0 +4096' mpiexec -n 2 "$WEIR" net --provider tcp --size 4k --duration 1 --repetitions 60
cmp "$out" "$(spare)" || fail "the report of net is not what was printed"

# Not where the report has a file, for another launcher, or after a run that was not interrupted.
rm -f "$result"
interrupt '^write' mpiexec -n 2 "$WEIR" "${slow[@]}" --result "$result"
[[ ! $(spare) ]] || fail "a report is kept beside the result file"
unset PRTE_LAUNCHED
interrupt '^write' mpiexec -n 2 "$WEIR" "${slow[@]}"
[[ ! $(spare) ]] || fail "a report is kept under another launcher"
PRTE_LAUNCHED=1 run 2 -w -t 64k -b 64k -o "$files/f"
expect_done
[[ ! $(spare) ]] || fail "a report is kept of a finished run"
