#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whoever reads a file of mdtest finds what is wrong in it: a byte, another file's data, data of an earlier run, a file that
# was cut. File, offset and rank are named, and the exit code is 1.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
top=$files/test-dir.0-0/mdtest_tree.0
words=(mdtest -n 6 -F -w 4096 -e 4096 -N 1 -d "$files")

# Of three tasks, task r reads what task r + 2 has made.
read_all() { # read_all OPTION...
    rm -f "$result"
    run 3 "${words[@]}" -E -X --result "$result" "$@"
}

restore() {
    rm -rf "$files"
    cp -a "$work/sound" "$files"
}

# A line of the report; the offset is that in the file.
expect_wrong() { # expect_wrong FILE OFFSET KIND WRITER READER
    expect_exit 1
    expect_line " $top/$1, offset $2: $3, .* of rank $4, seen by rank $5"
    expect_record "len(phases[0].mismatches) == $6 and phases[0].wrong == $6"
}

run 3 "${words[@]}" -C
expect_done
cp -a "$files" "$work/old"
run 3 "${words[@]}" -C
expect_done
cp -a "$files" "$work/sound"

for load in '' '-a uring --depth 4' -R; do
    if [[ $load == *uring* ]]; then
        "$WEIR" backends | grep -q '^uring' && "$WEIR" -a URING -w -t 64k -b 64k -o "$work/probe" >/dev/null 2>&1 || continue
    fi
    # shellcheck disable=SC2206
    load=($load)
    read_all "${load[@]}"
    expect_done
    expect_record 'phases[0].checked == 18 and phases[0].wrong == 0 and phases[0].same_node_ranks == 3'

    flip_bit "$top/file.mdtest.1.2" 3001
    read_all "${load[@]}"
    expect_wrong file.mdtest.1.2 3001 flip 1 2 1
    restore

    # The first byte of the first file, from which a rank learns what the others should hold, and one of the last.
    flip_bit "$top/file.mdtest.0.0" 0
    flip_bit "$top/file.mdtest.2.5" 3001
    read_all "${load[@]}"
    expect_wrong file.mdtest.0.0 0 '[a-z]+' 0 1 2
    expect_wrong file.mdtest.2.5 3001 flip 2 0 2
    restore

    # Of one owner, and of two.
    for pair in '0.3 0.4 0 1 0 1' '0.1 2.4 0 1 2 0'; do
        read -r one other one_writer one_reader other_writer other_reader <<<"$pair"
        cp "$work/sound/test-dir.0-0/mdtest_tree.0/file.mdtest.$one" "$top/file.mdtest.$other"
        cp "$work/sound/test-dir.0-0/mdtest_tree.0/file.mdtest.$other" "$top/file.mdtest.$one"
        read_all "${load[@]}"
        expect_wrong "file.mdtest.$one" 0 misplaced "$one_writer" "$one_reader" 2
        expect_wrong "file.mdtest.$other" 0 misplaced "$other_writer" "$other_reader" 2
        restore
    done

    cp "$work/old/test-dir.0-0/mdtest_tree.0/file.mdtest.2.1" "$top/"
    read_all "${load[@]}"
    # Of the same second, it has the same seed.
    expect_wrong file.mdtest.2.1 0 '(stale|foreign)' 2 0 1
    restore

    truncate -s 2000 "$top/file.mdtest.1.5"
    read_all "${load[@]}"
    expect_exit 1
    expect_error "rank 2 on host .* read-file $top/file.mdtest.1.5: .* offset 2000"
    expect_record "phases[0].errors == 1 and phases[0].wrong == 0 and phases[0].outcome == 'partial'"
    restore
done

# With the seed of now it is known as one that was not written anew.
words+=(-G 27)
run 3 "${words[@]}" -C
cp "$top/file.mdtest.2.1" "$work/old.one"
run 3 "${words[@]}" -C
cp "$work/old.one" "$top/file.mdtest.2.1"
read_all
expect_wrong file.mdtest.2.1 0 stale 2 0 1

# md-workbench likewise; with -O 1 task r works on what the task before it has made.
sets=(md-workbench -D 1 -P 4 -I 4 -R 1 -S 4096 -o "$work/sets" --run-info-file="$work/position")
run 3 "${sets[@]}" -1
expect_done
flip_bit "$work/sets/1_0/file-2" 3001
run 3 "${sets[@]}" -2 -X --read-only
expect_exit 1
expect_line " $work/sets/1_0/file-2, offset 3001: flip, .* of rank 1, seen by rank 2"

# What was made is read back at once: a read that returns another byte is one that the file may hold.
WEIR=$WEIR_TEST
rm -rf "${files:?}/test-dir.0-0"
fault=(-a fault:posix --fault.verb=read --fault.rank=2 --fault.at=3 --fault.flip)
run 3 mdtest -n 6 -F -w 4096 -C -d "$files" --verify-write "${fault[@]}" --result "$result"
expect_exit 1
expect_line " $top/file.mdtest.2.3, offset [0-9]+: flip, 1 bytes, of rank 2, seen by rank 2"
expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'create'] == [(18, 1)]"
run 3 mdtest -n 6 -F -w 4096 -C -d "$files" --verify-write --result "$result"
expect_done
expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'create'] == [(18, 0)]"
