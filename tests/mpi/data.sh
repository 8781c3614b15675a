#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# data.sh API RANKS: what is written in each layout and order is read back right, and counted right.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
api=$1 ranks=$2

case $api in
posix) backend=(-a POSIX) ;;
direct) backend=(-a DIRECT); need_direct_io ;;
mmap) backend=(-a MMAP) ;;
mpiio) backend=(-a MPIIO) ;;
collective) backend=(-a MPIIO -c) ;;
esac

round_trip() { # round_trip OPTION...
    rm -f "$result"
    run "$ranks" "${backend[@]}" -t 64k -b 512k -s 2 -w -W -r -R -o "$files/f" --result "$result" "$@"
    expect_done
    expect_line '^write +[0-9.]+ +[0-9.]+ '
    expect_line '^read +[0-9.]+ +[0-9.]+ '
    expect_no_line '(nan|inf)'
    expect_record "written.bytes == $ranks * 1048576 and written.errors == 0"
    expect_record "reading.bytes == $ranks * 1048576 and reading.wrong == 0 and reading.checked > 0"
    expect_files ''
}

round_trip
round_trip -F
round_trip -C -e
round_trip -F -Z -Z
round_trip -F -C -Q 1
round_trip -Z -Z -X 7
if [[ $api != collective ]]; then
    round_trip -z
    round_trip -F -z
    round_trip --data full -Y
fi

# Random block positions are for reading what is there.
run "$ranks" "${backend[@]}" -t 64k -b 512k -s 2 -w -k -G 42 -o "$files/f"
expect_done
if [[ $api != collective ]]; then
    rm -f "$result"
    run "$ranks" "${backend[@]}" -t 64k -b 64k -s 40 -r -R -z -z -k -G 42 -o "$files/f" --result "$result"
    expect_done
    expect_record "reading.ops == $ranks * 40 and reading.wrong == 0"
fi
expect_files f
