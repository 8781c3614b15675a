#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A rank that fails, or is told to end, alone: the others, which have minutes of work left, learn it at once.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Three ranks whose transfers take a tenth of a second and are a thousand: nobody waits for the end of that.
minutes=(-w -F -t 4k -b 4000k --result "$result" -o "$files/f")
seconds() { "$WEIR_PYTHON" -c "import time; print(time.monotonic())"; }
less_than() { "$WEIR_PYTHON" -c "import sys; sys.exit(not $1 < $2)"; }

# A disk that is full for one rank, whether the others move, pause, or wait to do so.
for words in "-O interIODelay=100000" "-O interIODelay=5000000" "--rate 10 --rate-of rank" "-D 60 -O interIODelay=100000,stoneWallingWearOut=1"; do
    rm -f "$result"
    # shellcheck disable=SC2086
    capture timeout 120 mpiexec -n 3 "$WEIR_TEST" -a fault:posix "${minutes[@]}" $words --fault.rank 1 --fault.at 1 --fault.errno ENOSPC
    expect_exit 1
    expect_error 'rank 1 on host .*: fault: write at offset 4096 of .*f.00000001: No space left'
    expect_record "written.outcome == 'partial' and not written.interrupted and written.errors == 1 and 0 < written.ops < 3000"
    expect_files ''
done

# The same of an open, a sync and a close; depth does not matter.
rm -f "$result"
capture timeout 120 mpiexec -n 3 "$WEIR_TEST" -a fault:posix "${minutes[@]}" -O interIODelay=100000 --fault.rank 2 --fault.open EACCES
expect_exit 1
expect_record "written.outcome == 'partial' and written.errors == 1 and written.ops < 2000"
rm -f "$result"
capture timeout 120 mpiexec -n 3 "$WEIR_TEST" -a fault:libaio "${minutes[@]}" --depth 4 -O interIODelay=100000 --fault.rank 0 --fault.at 9 --fault.errno EIO
expect_exit 1
expect_record "written.outcome == 'partial' and written.errors == 1 and written.ops < 3000"

# --on-error continue: what fails is counted, everybody goes on, and the exit code still says that something failed.
for api in posix "libaio --depth 4"; do
    rm -f "$result"
    # shellcheck disable=SC2086
    capture timeout 120 mpiexec -n 3 "$WEIR_TEST" -a fault:$api -w -r -F -t 4k -b 400k --result "$result" -o "$files/f" \
        --on-error continue --fault.rank 1 --fault.verb write --fault.at 3 --fault.every 10 --fault.errno EIO
    expect_exit 1
    expect_record "written.outcome == 'partial' and written.errors == 10 and written.ops == 290"
    expect_record "reading.outcome == 'complete' and reading.ops == 300"
done

# A signal to one rank.
rm -f "$result"
launch timeout 60 mpiexec -n 3 "$WEIR" "${minutes[@]}" -O interIODelay=100000
command_line="a signal to one of three ranks"
has_begun() { [[ -s $files/f.00000000 && -s $files/f.00000001 && -s $files/f.00000002 ]]; }
wait_until 100 has_begun || fail "the ranks do not write"
begin=$(seconds)
kill -TERM "$(pgrep -f -- "^$WEIR .*$result" | tail -n 1)"
end_of_run
expect_exit 1
less_than "$(seconds) - $begin" 30 || fail "the others went on"
expect_record "written.outcome == 'partial' and written.interrupted and written.ops < 2000"
expect_files ''
