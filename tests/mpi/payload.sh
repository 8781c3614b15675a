#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random and incompressible data do not shrink, and every kind of data verifies without a signature being given.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

expect_incompressible() {
    local file bytes packed
    for file in "$files"/*; do
        bytes=$(stat -c %s "$file")
        packed=$(gzip -9c "$file" | wc -c)
        ((packed * 100 >= bytes * 99)) || fail "$file shrinks from $bytes to $packed bytes"
    done
}

for kind in random incompressible; do
    for size in 4k 1m; do
        run 2 -w -W -k -F -l $kind -t $size -b 4m -o "$files/f"
        expect_done
        expect_files f.00000000 f.00000001
        expect_incompressible
        cmp -s "$files/f.00000000" "$files/f.00000001" && fail "two ranks wrote the same data"
        rm -f "$files"/*
    done
done

for kind in random incompressible timestamp offset; do
    run 2 -w -W -r -R -l $kind -t 64k -b 1m -o "$files/f"
    expect_done
done

# Odd sizes, too: below a stamp, and with a rest behind the last whole piece.
for size in 8 48 56 64 4104 47008; do
    run 2 -w -W -r -R -t $size -b $((size * 8)) -s 2 -o "$files/f"
    expect_done
done
