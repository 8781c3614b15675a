#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Damage that was done by hand is told with its kind and its place, and makes the exit code 1.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mib=1048576
first=$files/f.00000000
second=$files/f.00000001

write_files() { # write_files OPTION...
    run 2 -w -k -F -t 1m -b 4m -G 7 -o "$files/f" "$@"
    expect_done
    expect_files f.00000000 f.00000001
}

restore_files() { # restore_files: as the latest run wrote them
    cp "$work/right"/* "$files"
}

read_files() { # read_files
    rm -f "$result"
    run 2 -r -R -k -F -t 1m -b 4m -G 7 -o "$files/f" --result "$result"
}

copy_block() { # copy_block FROM BLOCK TO BLOCK
    dd if="$1" skip="$2" of="$3" seek="$4" bs=1M count=1 conv=notrunc status=none
}

# Zeros beside a hole that were right all along would be told with it: it is made where there are none.
place_hole() { # place_hole FILE OFFSET STEP: the first of OFFSET, OFFSET + STEP ... whose hole of 512 bytes ends sharply
    python3 - "$1" "$2" "$3" <<'END'
import sys
with open(sys.argv[1], "rb") as file:
    data = file.read()
offset, step = int(sys.argv[2]), int(sys.argv[3])
while (offset % 1048576 and not data[offset - 1]) or not data[offset + 512]:
    offset += step
print(offset)
END
}

expect_wrong() { # expect_wrong KIND FILE-NUMBER OFFSET BYTES
    expect_exit 1
    expect_record "any(m.kind == '$1' and m.file == $2 and m.offset == $3 and m.bytes == $4 for m in reading.mismatches)"
}

for mode in stamp full; do
    write_files --data $mode
    read_files
    expect_done
    expect_record "reading.wrong == 0 and reading.checked == 8"

    # Two blocks of one file, swapped.
    copy_block "$first" 1 "$work/block" 0
    copy_block "$first" 3 "$first" 1
    copy_block "$work/block" 0 "$first" 3
    read_files
    expect_wrong misplaced 0 $mib $mib
    expect_wrong misplaced 0 $((3 * mib)) $mib
    expect_record "reading.wrong == 2"
    cat "$out" "$err" >"$work/said"
    grep -q misplaced "$work/said" || fail "the report does not say 'misplaced'"
    expect_files f.00000000 f.00000001

    # The block of an earlier generation.
    cp "$second" "$work/old"
    write_files --data $mode
    rm -rf "$work/right"
    cp -r "$files" "$work/right"
    copy_block "$work/old" 1 "$second" 1
    read_files
    expect_wrong stale 1 $mib $mib

    # The block of the other rank's file.
    restore_files
    copy_block "$second" 2 "$first" 2
    read_files
    expect_wrong misplaced 0 $((2 * mib)) $mib
    expect_record "reading.wrong == 1 and reading.mismatches[0].found.writer == 1"

    # A hole of 512 bytes: in the middle of a page, across the start of one, and at the start of a transfer.
    for hole in "$((2 * mib + 8192 + 1024)) 8" "$((mib + 4096 * 5 - 256)) 8" "$((3 * mib)) -$mib"; do
        restore_files
        # shellcheck disable=SC2086 # an offset and a step
        offset=$(place_hole "$second" $hole)
        dd if=/dev/zero of="$second" bs=1 count=512 seek="$offset" conv=notrunc status=none
        read_files
        expect_exit 1
        expect_record "reading.wrong == 1 and all(m.kind == 'zero' for m in reading.mismatches)"
        expect_record "min(m.offset for m in reading.mismatches) == $offset"
        expect_record "sum(m.bytes for m in reading.mismatches) == 512"
    done

    # One bit: in the stamp and behind it.
    for offset in $((mib + 12)) $((3 * mib + 777)); do
        restore_files
        flip_bit "$first" $offset
        read_files
        expect_wrong flip 0 $offset 1
    done

    # A file that ends too early.
    restore_files
    truncate -s $((3 * mib)) "$first"
    read_files
    expect_exit 1
done

# What the data are is learned from the files: no signature needs to be given.
rm -f "$files"/*
run 2 -w -k -F -t 1m -b 4m -o "$files/f"
expect_done
copy_block "$first" 2 "$second" 2
rm -f "$result"
run 2 -r -R -k -F -t 1m -b 4m -o "$files/f" --result "$result"
expect_wrong misplaced 1 $((2 * mib)) $mib

# A sector of another file of the same run, at the same offset.
rm -f "$files"/*
run 2 -w -k -F -t 1m -b 4m -o "$files/f"
expect_done
dd if="$first" of="$second" bs=512 skip=9 seek=9 count=1 conv=notrunc status=none
rm -f "$result"
run 2 -r -R -k -F -t 1m -b 4m -o "$files/f" --result "$result"
expect_wrong misplaced 1 4608 512
expect_record "reading.wrong == 1 and reading.mismatches[0].found.file == 0 and reading.mismatches[0].found.offset == 4608"

# What an early build wrote is told as that, not as damaged: a stamp of format 0 and nothing else.
rm -f "$files"/*
printf '%b' '\xab\x6a\x18\xa1\xc9\x14\xdd\xf5\xae\x5f\x55\xc3\x08\x4d\xa6\xe8\x45\x77\xfd\xaa\x1a\x46\x68\x32' \
    '\x93\x69\xa4\xf3\x73\xdf\x36\x42\x16\x9a\x4c\xd1\x77\xbf\xaa\x86\x35\x9c\xd0\x64\x8a\xee\xfa\x55' >"$files/f"
truncate -s 4096 "$files/f"
run 1 -r -R -k -t 4k -b 4k -o "$files/f"
expect_exit 1
expect_error ' format 0.* format 2'
