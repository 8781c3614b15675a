#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs of weir md-workbench that end early: by a signal at any moment, on a full file system, by an error of each operation, by an object
# that is too short. What they have made goes; where a run is to keep its objects, -3 removes all of them; and after SIGKILL the same command
# line begins again.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
sets=$files/sets
many=(md-workbench --plain -D 2 -P 60 -I 40 -R 20000 -o "$sets")
few=(md-workbench --plain -D 2 -P 12 -I 8 -R 3 -o "$sets" --run-info-file "$work/position")

expect_nothing() { [[ ! -e $sets ]] || fail "there is still $(find "$sets" | sort | head -n 5)"; }

# The directory of -o, which an earlier run has made, may stay.
expect_empty() { [[ -z $(find "$files" -mindepth 2) ]] || fail "there is still $(find "$files" -mindepth 2 | sort | head -n 5)"; }

# The working set has moved on to objects whose numbers have 3 digits.
wait_for_cycles() {
    wait_until 100 compgen -G "$sets/0_0/file-[0-9][0-9][0-9]*" || fail "the cycles do not begin"
    sleep "0.$((RANDOM % 5))"
}

# ---------------------------------------------------------------- no room

full() { # full: a small file system, which only this shell sees
    local inodes
    for inodes in 3 12 40 70; do # in precreate, on all sides of its end, and in a cycle
        mount -t tmpfs -o size=8m,nr_inodes="$inodes" tmpfs "$files"
        run 1 "${few[@]}" -R 500
        expect_exit $((inodes < 40))
        ((inodes >= 40)) || grep -q "No space left" "$err" || fail "nothing says that there is no space"
        expect_nothing
        run 2 "${few[@]}" -R 3 -P 30 -I 20
        expect_exit 1
        expect_nothing
        umount "$files"
    done
}
if [[ ${1-} == full ]]; then
    full
    exit
fi
if unshare --user --map-root-user --mount true 2>/dev/null; then
    unshare --user --map-root-user --mount bash "$WEIR_ROOT/tests/mpi/md_workbench_abuse.sh" full
fi

# The cost before the first object does not grow with -R.
capture "$WEIR" md-workbench -R 65536 -T -I 1 -o "$sets" --explain
expect_done
(($(wc -l <"$out") < 30)) || fail "each iteration is a step of the plan"

# ---------------------------------------------------------------- signals

begin_cycles() { # begin_cycles RANKS OPTION...: until some cycles are over
    local count=$1
    shift
    launch mpiexec -n "$count" "$WEIR" "${many[@]}" "$@"
    wait_for_cycles
}

for count in 1 2 4; do
    for signal in INT TERM; do
        begin_cycles "$count"
        signal_ranks "$signal"
        end_of_run
        ((status != 0)) || fail "the run was not interrupted"
        expect_nothing
    done
done
begin_cycles 2 --start-item 70
kill -TERM "$(ranks | tail -n 1)" # one rank alone
end_of_run
expect_nothing

# The same command line after SIGKILL, and -3 after it.
have_begun() { (($(ranks | wc -l) == 2)); }
for delay in 0.1 0.6 1.2; do
    launch mpiexec -n 2 "$WEIR" "${many[@]}"
    wait_until 100 have_begun || fail "the ranks do not start"
    sleep "$delay"
    signal_ranks KILL
    end_of_run
    run 2 "${many[@]}" -R 2
    expect_done
    expect_nothing
done
begin_cycles 2
signal_ranks KILL
end_of_run
[[ -e $sets ]] || fail "nothing is left by SIGKILL"
run 2 "${many[@]}" -2 -R 2
expect_exit 2
expect_error "files of the items [0-9]+ to [0-9]+, of which some may be missing: remove them with -3, and make new ones with -1"
run 2 "${many[@]}" -3
expect_done
expect_empty

# ---------------------------------------------------------------- runs of their own

for offset in 1 2; do
    run 2 "${few[@]}" -1
    expect_done
    launch mpiexec -n 2 "$WEIR" "${few[@]}" -O "$offset" -2 -R 20000
    wait_for_cycles
    signal_ranks INT
    end_of_run
    expect_exit 1
    [[ $(cat "$work/position") == "pos: 0" ]] || fail "a run that was cut changes the position"
    run 2 "${few[@]}" -O "$offset" -3
    expect_done
    expect_empty
    rm "$work/position"
done

# ---------------------------------------------------------------- errors

for verb in open write read stat unlink close; do
    for at in 5 30; do
        capture mpiexec -n 2 "$WEIR_TEST" "${few[@]}" -a fault:posix --fault.verb "$verb" --fault.at "$at" --fault.errno ENOSPC
        expect_exit 1
        if [[ $verb == unlink && -e $sets ]]; then # the one that failed stays, and is named
            grep -qE "unlink .*file-[0-9]+: No space left on device" "$out" "$err" || fail "the object that stays is not named"
            run 2 "${few[@]}" -3
            expect_done
        fi
        expect_empty
    done
done

# An object that is too short, in a run of its own and in the next one.
run 2 "${few[@]}" -1
expect_done
: >"$sets/1_1/file-5"
run 2 "${few[@]}" -2 -X
expect_exit 1
run 2 "${few[@]}" -3
expect_done
expect_empty

# Names of others stay.
run 2 "${few[@]}" -1
expect_done
echo mine >"$sets/0_1/thesis"
launch mpiexec -n 2 "$WEIR" "${few[@]}" -2 -R 20000
wait_for_cycles
signal_ranks TERM
end_of_run
run 2 "${few[@]}" -3
expect_exit 1
[[ $(find "$sets" -type f) == "$sets/0_1/thesis" ]] || fail "other files are left than the one of another: $(find "$sets" -type f | head -n 5)"
