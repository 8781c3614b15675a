#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As many wrong transfers as there are, and exit code 1: also where the count, or that of a rank, is 0 in 8 or 16 bits.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

file=$files/f
size=512
total=131072 # transfers, of two ranks

corrupt() { # corrupt COUNT: one byte in each of so many transfers, spread over the file
    python3 - "$file" "$1" $size $total <<'END'
import random, sys
path, count, size, total = sys.argv[1], *map(int, sys.argv[2:])
random.seed(count)
with open(path, "r+b") as file:
    data = bytearray(file.read())
    for transfer in random.sample(range(total), count):
        data[transfer * size + random.randrange(size)] ^= 1 << random.randrange(8)
    file.seek(0)
    file.write(data)
END
}

for data in stamp ior; do
    options=(2 -t "$size" -b "$((size * total / 2))" -k -G 42 --data "$data" -o "$file")
    run "${options[@]}" -w
    expect_done
    cp "$file" "$work/right"
    for count in 0 1 128 256 65536 131072; do
        cp "$work/right" "$file"
        corrupt $count
        rm -f "$result"
        run "${options[@]}" -r -R --result "$result"
        expect_exit $((count > 0))
        expect_record "reading.wrong == $count and reading.checked == $total"
        if ((count > 0)); then
            expect_line "WARNING: Incorrect data on read \($count errors found\)\."
            expect_line "^weir .* read +$count of $total transfers wrong"
        else
            expect_no_line 'Incorrect data'
            expect_line "^weir .* read +all $total transfers right"
        fi
    done
done

# The check of -W counts alike.
cp "$work/right" "$file"
corrupt 256
rm -f "$result"
run "${options[@]}" -W --result "$result"
expect_exit 1
expect_record "checking.wrong == 256 and checking.checked == $total"
