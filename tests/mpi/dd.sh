#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir dd beside dd: 32 ranks with a file each and with one for all, their lines and bytes, what is refused, and names of the program.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export LC_ALL=C

expect_lines() { # expect_lines EXPRESSION [FILE...]
    local expression=$1
    shift
    (($# > 0)) || set -- "$out"
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/dd_lines.py" "$expression" "$@" >"$work/.oracle" 2>&1 ||
        fail "$(tail -n 3 "$work/.oracle")"
}

# ---------------------------------------------------------------- a file for each of 32 ranks

run 32 dd if=/dev/zero of="$files/f%r" bs=64K count=16 conv=fsync --each-rank --result "$result"
expect_done
# shellcheck disable=SC2046 # names without blanks
expect_files $(printf 'f%d ' {0..31})
expect_lines 'len(copies) == 33 and last.label == "all ranks" and [c.label for c in copies[:-1]] == [f"rank {r}" for r in range(32)]'
expect_lines 'all(c.full_in == c.full_out == 16 and c.part_in == c.part_out == 0 and c.bytes == 1 << 20 for c in copies[:-1])'
expect_lines 'last.full_out == 512 and last.bytes == sum(c.bytes for c in copies[:-1]) and last.seconds >= max(c.seconds for c in copies[:-1]) * 0.99999'
expect_record 'written.bytes == 32 << 20 and sum(written.series.bytes) == 32 << 20'

# What dd finds in each of them.
for rank in {0..31}; do
    dd if="$files/f$rank" of=/dev/null bs=64K 2>"$work/dd.$rank" || fail "dd cannot read f$rank"
done
expect_lines 'len(copies) == 1 and last.full_in == last.full_out == 16 and last.part_in == 0 and last.bytes == 1 << 20' "$work"/dd.{0..31}
(($(cat "$files"/f* | dd of=/dev/null bs=64K iflag=fullblock 2>&1 | sed -n 's/ bytes.*//p') == 32 << 20)) || fail "dd reads other bytes"

run 32 dd if="$files/f%r" of=/dev/null bs=64K count=16 iflag=fullblock
expect_done
expect_lines 'len(copies) == 1 and last.label is None and last.full_in == 512 and last.bytes == 32 << 20'

run 32 dd if="$files/f%r" of=/dev/null bs=64K count=16 --summaryFormat CSV
grep -q ',read,read,.*,rate,[0-9.]*,bytes/s,higher,1$' "$out" || fail "there is no line of CSV"
capture "$WEIR" report "$result" --format csv
grep -q ',write,write,.*,rate,[0-9.]*,bytes/s,higher,1$' "$out" || fail "there is no line of CSV in the report of a file"
capture "$WEIR" report "$result" --format json
"$WEIR_PYTHON" -c 'import json, sys; row = json.load(open(sys.argv[1]))["runs"][0]["phases"][0]; assert row["name"] == "write" and row["figures"]["rate"]["value"] > 0, row' "$out" ||
    fail "JSON does not have the write"

# A file that is too short is told before anything is read: the rank, the file, what it has and what is wanted.
truncate -s 100000 "$files/f3"
run 4 dd if="$files/f%r" of=/dev/null bs=64K count=16 --result "$work/short.jsonl"
expect_exit 2
expect_error 'rank 3 .*/f3 has 100000 bytes, .* 1048576'
! grep -q '"record": *"phase"' "$work/short.jsonl" || fail "something was read first"
"$WEIR" dd if=/dev/zero of="$files/f3" bs=64K count=16 conv=notrunc,fsync --overwrite >/dev/null 2>&1

if can_bypass_cache; then
    run 4 dd if="$files/f%r" of=/dev/null bs=64K count=16 iflag=direct --result "$work/direct.jsonl"
    expect_done
    expect_record 'reading.bytes == 4 << 20' "$work/direct.jsonl"
    expect_record 'getattr(tests[-1].settings, "posix.odirect") == "1"' "$work/direct.jsonl"
fi

# Percent signs, and numbers in the middle of a name.
rm -f "$files"/*
run 3 dd if=/dev/urandom of="$files/100%%-%r.x%r" bs=1000 count=7B --plain
expect_exit 2
run 3 dd if=/dev/urandom of="$files/100%%-%r.x%r" bs=1000 count=7kB --plain
expect_done
expect_files 100%-0.x0 100%-1.x1 100%-2.x2
expect_lines 'last.full_out == 21 and last.bytes == 21000'

# ---------------------------------------------------------------- parts of one file

rm -f "$files"/*
run 8 dd if=/dev/zero of="$files/10%" bs=4K count=16
expect_done
expect_files 10%
expect_lines 'last.full_out == 128 and last.bytes == 512 << 10'
dd if="$files/10%" of=/dev/null bs=4K 2>"$work/dd.one"
expect_lines 'last.full_out == 128 and last.bytes == 512 << 10' "$work/dd.one"

# Emptied by dd, a file that is written anew is shorter; with conv=notrunc it is as long as before.
run 2 dd if=/dev/zero of="$files/10%" bs=4K count=1 conv=notrunc
expect_done
(($(stat -c %s "$files/10%") == 512 << 10)) || fail "conv=notrunc has cut the file"
run 2 dd if=/dev/zero of="$files/10%" bs=4K count=1
expect_done
(($(stat -c %s "$files/10%") == 8 << 10)) || fail "the old file is still there"

# ---------------------------------------------------------------- the same bytes in the same words

for bytes in 1 999 1000 1023 1024 9949 9950 10239 99499 99500 999499 999500 1000000 1023999 1047553 1048576 10485760; do
    dd if=/dev/zero of=/dev/null bs=$bytes count=1 2>"$work/dd.words"
    rm -f "$files/words" # too short for the stamp that says whose it is
    capture "$WEIR" dd if=/dev/zero of="$files/words" bs=$bytes count=1 --plain
    expect_done
    expect_lines "last.bytes == $bytes" "$work/dd.words" "$out"
    [[ $(sed '/copied/s/copied.*//' "$work/dd.words") == $(sed '1d;/copied/s/copied.*//' "$out") ]] ||
        fail "$bytes bytes: dd says $(tail -n 1 "$work/dd.words")"
done
rm -f "$files/words"
capture "$WEIR" dd if=/dev/zero of="$files/words" count=1 status=noxfer --plain
expect_line '^1\+0 records out$'
expect_no_line copied
capture "$WEIR" dd if=/dev/zero of="$files/words" count=1 status=none --plain
expect_done
expect_no_line records

# Scripts take the three lines for a copy that is done.
rm -f "$files"/*
for words in '--fault.errno ENOSPC --fault.at 5' '--fault.open EACCES' '--fault.errno EIO --fault.at 2 --on-error continue'; do
    # shellcheck disable=SC2086
    capture "$WEIR_TEST" dd if=/dev/zero of="$files/f" bs=4k count=16 -a fault:posix $words
    expect_exit 1
    expect_line '^weir dd: not all was done: [0-9]+ of 16 blocks$'
    expect_no_line 'copied|records'
    rm -f "$files"/*
done
launch mpiexec -n 2 "$WEIR" dd if=/dev/zero of="$files/f%r" bs=4k count=100000 --rate 100 --each-rank
wait_until 60 test -s "$files/f1" || fail "nothing is written"
signal_ranks TERM
end_of_run
expect_exit 1
expect_line '^weir dd: not all was done'
expect_no_line 'copied|records'
rm -f "$files"/*
capture "$WEIR" dd if="$files/none" of=/dev/null bs=4k count=1
((status != 0)) || fail "a missing file is read"
expect_no_line 'copied|records'

# ---------------------------------------------------------------- what belongs to others

rm -f "$files"/*
printf 'thesis %d\n' {1..200} >thesis
cp thesis "$files/f1"
run 2 dd if=/dev/zero of="$files/f%r" count=1
expect_exit 2
expect_error 'f1.*--overwrite'
expect_files f1
cmp -s "$files/f1" thesis || fail "the file of others was changed"
run 2 dd if=/dev/zero of="$files/f%r" count=1 --overwrite
expect_done
(($(stat -c %s "$files/f1") == 512)) || fail "the file of others is still there"

# ---------------------------------------------------------------- names of the program

ln -s "$WEIR" weir-dd
ln -s "$WEIR" dd
rm -f "$files"/*
capture ./dd if=/dev/zero of="$files/taken" count=1
expect_exit 2
expect_files ''
capture ./weir-dd if=/dev/zero of="$files/made" count=1
expect_done
expect_files made
expect_no_line '^weir$' # our block is on standard error, where no reader looks
