#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A file that stays open over the phases of a repetition: opened once, closed once, also where a phase of the row fails.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# All kinds of data phases in one file: the data are right, and nothing is left.
tests=()
for backend in posix direct mmap libaio uring MPIIO; do
    ! "$WEIR" backends | grep -qi "^$backend " || tests+=("api=$backend filePerProc=0" "api=$backend filePerProc=1")
done
run_script 2 "writeFile=1 checkWrite=1 readFile=1 checkRead=1 read-percent=50 keep-open=1 repetitions=2 transferSize=4k blockSize=64k
    testFile=$files/f" "${tests[@]}"
expect_done
expect_record "len(phases) == 2 * 5 * ${#tests[@]} and all(p.wrong == 0 and p.errors == 0 for p in phases)"
expect_files ''

# Each close fails: only the last phase of a row closes. Both ranks tell of it.
WEIR=$WEIR_TEST
closes() { # closes ERRORS_OF_WRITE ERRORS_OF_READ OPTION...
    rm -f "$result"
    run 2 -a fault:posix --fault.close EIO -w -r -t 4k -b 64k -o "$files/f" --result "$result" "${@:3}"
    expect_exit 1
    expect_record "(written.errors, reading.errors if reading else None) == ($1, $2)"
    expect_files ''
}
closes 2 None
closes 0 2 --keep-open

# A write that fails leaves nothing open: the read is left out, and the file is closed before it is removed.
rm -f "$result"
run 2 -a fault:posix --fault.close EIO --fault.verb write --fault.at 3 --fault.errno ENOSPC -w -r -t 4k -b 64k --keep-open \
    -o "$files/f" --result "$result"
expect_exit 1
expect_error 'that a phase left open: Input/output error'
expect_record "written.errors >= 1 and reading is None"
expect_files ''
