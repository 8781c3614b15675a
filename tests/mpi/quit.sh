#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quitOnError: a rank ends its read at the first wrong transfer, one rank alone or all together in a collective one.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
WEIR=$WEIR_TEST
wrong=(--fault.verb read --fault.at 40 --fault.every 8 --fault.flip --fault.rank 1 -w -r -R -t 4k -b 1m --result "$result"
    -o "$files/f")

quits() { # quits OPTION...: with exit code 1 in any case
    rm -f "$result"
    run 2 "${wrong[@]}" "$@"
    expect_exit 1
    expect_files ''
}

quits -a fault:posix
expect_record "reading.ops == 512 and reading.wrong == 27"

quits -a fault:posix -q
expect_record "reading.ops == 256 + 41 and reading.wrong == 1 and reading.outcome == 'complete'"

quits -a fault:posix -q -F -O minTimeDuration=1
expect_record "reading.wrong == 1 and reading.ops > 256 + 41"

# Collective reads are agreed upon every few transfers.
quits -a fault:mpiio -c -q
expect_record "82 <= reading.ops <= 2 * 64 and reading.ops % 2 == 0 and 1 <= reading.wrong <= 4"

quits -a fault:mpiio -c -q -D 20
expect_record "reading.ops == 2 * 41 and reading.wrong == 1"

# Nothing wrong: nothing ends early.
rm -f "$result"
run 2 -a fault:posix -w -r -R -q -t 4k -b 1m -o "$files/f" --result "$result"
expect_done
expect_record "reading.ops == 512 and reading.wrong == 0"
