#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mapped files: shared and own, of the size their layout gives and no other; and one that is cut while it is read.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

kept() { # kept RANKS OPTION...: written, checked, read and kept
    local ranks=$1
    shift
    rm -f "$result" "$files"/*
    run "$ranks" -a MMAP -t 64k -b 512k -s 3 -w -W -r -R -k -o "$files/f" --result "$result" "$@"
    expect_done
    expect_record "written.bytes == $ranks * 3 * 524288 and written.errors == 0"
    expect_record "reading.bytes == $ranks * 3 * 524288 and reading.wrong == 0 and reading.checked == $ranks * 24"
    expect_record "checking.wrong == 0 and checking.checked == $ranks * 24"
    expect_line '^api +: MMAP$'
}

expect_size() { # expect_size BYTES NAME...
    local bytes=$1 name
    shift
    for name; do
        [[ $(stat -c %s "$files/$name") == "$bytes" ]] || fail "$name is not $bytes bytes long"
    done
}

kept 2
expect_size $((2 * 3 * 524288)) f
# IOR maps each file of its own at the size of all together.
kept 2 -F
expect_files f.00000000 f.00000001
expect_size $((3 * 524288)) f.00000000 f.00000001
kept 2 -F --mmap.madv_dont_need --mmap.madv_pattern -e
kept 2 -C -Y --mmap.madvise_dont_need=1
kept 4 -z -G 7 --mmap.madv_pattern
kept 1 -O mmap.madv_pattern=1

# An existing file is neither cut nor emptied, and what is written over it is read back by others.
kept 2
run 2 -a MMAP -t 64k -b 512k -s 1 -w -E -k -o "$files/f"
expect_done
expect_size $((2 * 3 * 524288)) f
run 2 -a MMAP -t 64k -b 512k -s 3 -w -E -k -G 7 -o "$files/f"
expect_done
for api in POSIX MMAP; do
    rm -f "$result"
    run 2 -a "$api" -t 64k -b 512k -s 3 -r -R -E -k -G 7 -o "$files/f" --result "$result"
    expect_done
    expect_record "reading.wrong == 0 and reading.checked == 48"
done

# Somebody cuts the file while it is read: an error, and no crash. The wait between two transfers makes it last.
rm -f "$files"/*
run 2 -a MMAP -t 64k -b 8m -w -k -o "$files/f"
expect_done
rm -f "$result"
are_reading() { grep -qs "$files/f" /proc/[0-9]*/maps; }
(
    wait_until 60 are_reading
    sleep 0.5
    truncate -s 128k "$files/f"
) &
cutter=$!
run 2 -a MMAP -t 64k -b 8m -r -E -k -O interIODelay=50000 -o "$files/f" --result "$result"
wait "$cutter"
expect_exit 1
expect_record "reading.outcome == 'partial' and 0 < reading.bytes < 2 * 8388608 and reading.errors > 0"
expect_no_line '(nan|inf)'
expect_no_line 'Bus error'
! grep -qi 'bus error' "$err" || fail "the program died of a bus error"
grep -q 'Input/output error' "$out" || fail "nobody says what went wrong"
