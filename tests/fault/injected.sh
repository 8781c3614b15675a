#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Errors that the fault backend injects, in each place: counted, told once, and no rank left waiting.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
WEIR=$WEIR_TEST

faulty() { # faulty EXIT OPTION...
    local code=$1
    shift
    rm -rf "$result" "${files:?}"/*
    run 2 -a fault:posix -w -r -t 64k -b 1m -o "$files/f" --result "$result" "$@"
    expect_exit "$code"
    expect_no_line '(nan|inf)'
}

faulty 0
expect_record "written.bytes == reading.bytes == 2 * 1048576"

for shape in "" -F; do
    # One failed transfer ends the phase, and the sentence tells rank and error.
    faulty 1 $shape --fault.verb write --fault.at 5 --fault.errno EIO
    expect_record "written.outcome == 'partial' and written.errors >= 1"
    expect_record "'nput/output error' in written.failure"
    expect_files ''

    faulty 1 $shape --fault.verb read --fault.at 3 --fault.errno EIO
    expect_record "written.outcome == 'complete' and reading.outcome == 'partial' and reading.errors >= 1"
    expect_files ''

    # On one rank alone: the other does not wait for it for ever.
    faulty 1 $shape --fault.verb write --fault.at 5 --fault.errno ENOSPC --fault.rank 1
    expect_record "written.outcome == 'partial' and 'rank 1' in written.failure"

    faulty 1 $shape --fault.open EACCES --fault.rank 1
    expect_record "written.errors >= 1 and 'ermission' in written.failure"
    faulty 1 $shape --fault.close EIO
    faulty 1 $shape --fault.sync EIO -e

    # Short transfers are continued, unless a single attempt was asked for.
    faulty 0 $shape --fault.every 4 --fault.short 1000
    expect_record "written.bytes == 2 * 1048576 and written.short_transfers > 0"
    faulty 1 $shape --fault.every 4 --fault.short 1000 -x

    # An interrupted call is tried again.
    faulty 0 $shape --fault.every 5 --fault.errno EINTR
    expect_record "written.bytes == 2 * 1048576"

    # A bit that the storage turns over is found by both kinds of check.
    faulty 1 $shape --fault.verb read --fault.every 4 --fault.flip -R
    expect_record "reading.wrong > 0 and all(m.kind == 'flip' for m in reading.mismatches)"
    faulty 1 $shape --fault.verb read --fault.every 4 --fault.flip -W
done

# With -K the files of a failed check stay.
faulty 1 -F --fault.verb read --fault.at 2 --fault.flip -R -K
expect_files f.00000000 f.00000001

# Before the read, files of an earlier run are searched for their stamps: where that fails, it is told like a transfer.
rm -f "$result"
run 2 -w -k -t 64k -b 1m -o "$files/f"
expect_done
for verb in read open; do
    place='open'
    words='--fault.open EACCES --fault.rank 0'
    [[ $verb == open ]] || { place='read at offset [0-9]+ of' && words='--fault.verb read --fault.at 3 --fault.errno EIO --fault.rank 0'; }
    # shellcheck disable=SC2086
    run 2 -a fault:posix -r -R -k -t 64k -b 1m -o "$files/f" $words
    expect_exit 1
    expect_error "^weir: (read 0: )?rank 0 on host .*: fault: $place $files/f.*: (Input/output error|Permission denied)\$"
done

# A slow rank is named.
faulty 0 -F --fault.every 1 --fault.delay 2000 --fault.rank 1
expect_record "written.slowest[0].rank == 1"

# Of collective transfers one fails on one rank: all end together, none waits for another one's next.
for words in '' '-D 10' '-D 10 -O stoneWallingWearOut=1' '-Y'; do
    # shellcheck disable=SC2086
    faulty 1 -a fault:mpiio -c $words --fault.verb write --fault.at 5 --fault.errno EIO --fault.rank 1
    expect_record "written.outcome == 'partial' and written.errors == 1 and 'rank 1' in written.failure and reading is None"
    expect_files ''
done
