#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # programs have variables of their own
# Programs of each kind on so many ranks: the counts of their commands, their prints in order, their events, the files that they
# leave, and their exit codes. Most counts are those of the original (its output of the same work on 2 ranks).
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=parabench_lib.sh
. "$(dirname "$0")/parabench_lib.sh"
n=$1

# ---------------------------------------------------------------- the language

program "$n" "$samples/expressions.pbl"
expect_done
expect_commands ''
for ((rank = 0; rank < n; rank++)); do
    mapfile -t random < <(sed -n "s/^\[$rank\] rand = //p" "$out")
    ((${#random[@]} == 5)) || fail "rank $rank has not printed 5 random numbers"
    for number in "${random[@]}"; do
        ((number >= 0 && number < 32)) || fail "rank $rank: $number is not below 32"
    done
    expect_prints "$rank" '>> 8' 8 '8 and 8' '>> strstr' strstrstrstr '1 2 4 512 3' '3 6 64 9' '3 -3 -30 10' \
        '1024 10240 4194304 1073741824 2147483648 1049600 1152921504606846976' \
        '2^0 = 1' '2^1 = 2' '2^2 = 4' '2^3 = 8' '2^4 = 16' "${random[@]/#/rand = }"
done

program "$n" "$samples/tests.pbl" "text=of the command line"
expect_done
for ((rank = 0; rank < n; rank++)); do
    expect_prints "$rank" 'of the command line' "$files" {0..14}
done
expect_times "$n"
capture env PARABENCH_text=surroundings timeout 60 mpiexec -n "$n" "$WEIR" parabench "$samples/tests.pbl"
expect_done
expect_prints 0 surroundings "$files" {0..14}

# With -w no rank makes a call before rank 0 gets SIGUSR1.
echo 'write("begun-$$rank", 1);' >"$work/waits.pbl"
launch mpiexec -n "$n" "$WEIR" parabench "$work/waits.pbl" -w
wait_until 60 grep -q 'gets SIGUSR1' "$err" || fail "-w: nothing is said of the signal"
[[ ! -e begun-0 ]] || fail "-w: the program has begun without the signal"
kill -USR1 "$(sed -n 's/.*when process \([0-9]*\) on host .*/\1/p' "$err")"
end_of_run
expect_done
for ((rank = 0; rank < n; rank++)); do
    [[ -e begun-$rank ]] || fail "-w: rank $rank has not begun after the signal"
    rm "begun-$rank"
done

# With -s nothing but the summary follows the prints; with -d there is no results.xml.
inline "$n" 'time["x"] { master print 1; }' -s
expect_done
[[ -e results.xml ]] || fail "-s writes no results.xml"
rm results.xml
[[ $(grep -cvE '^(\[0\] 1|(Runtime|Setup|Parser|Interpreter|Finalize): .*|)$' "$out") == 0 ]] || fail "-s prints more than the summary"
inline "$n" 'time["x"] { master print 1; }' -d -s
expect_done
[[ ! -e results.xml ]] || fail "-d writes results.xml"

# What is told before a run is known.
inline "$n" 'write("f", 48k);' --explain
! grep -q '^  time ' "$out" || fail "--explain knows the time of a program"
grep -q "^  files   $((48 * n * 1024)) bytes are written in all; .* free$" "$out" || fail "--explain does not tell what a program writes"
grep -q '^  memory  49152 bytes of buffers' "$out" || fail "--explain does not tell the buffers of a program"
not_foretold() { # not_foretold STATEMENTS RANK REASON
    inline "$n" "$1" --explain
    grep -q "^  calls   not known behind line 1 of rank $2: .*$3" "$out" || fail "--explain of $1: $(grep '^  calls' "$out")"
}
not_foretold 'repeat 60s write("f", 1);' 0 'how many rounds'
not_foretold 'repeat $i 20m { $x = 1; }' 0 'more statements'
not_foretold '$y = 1 / ($$rank - $$size + 1);' $((n - 1)) 'division by zero'
inline "$n" 'write("f", 48k);' --explain --time-limit 5min
grep -qx '  time    300 s at most' "$out" || fail "--explain does not tell the time limit of a program"

begin=$(date +%s%N)
program "$n" "$samples/sleep.pbl" microseconds=300000
expect_done
expect_commands ''
(($(date +%s%N) - begin >= 300000000)) || fail "the ranks have not slept"
program "$n" "$samples/sleep.pbl" microseconds=1000000000 -a
expect_done

# ---------------------------------------------------------------- names

program "$n" "$samples/testrename.pbl"
expect_exit $((n > 1))
expect_commands "Create $n 0" "Rename 1 $((n - 1))"
expect_files rename.new
rm rename.new

# A link is what it leads to, and nothing if that is not there.
ln -s nowhere dangling
ln -s . here
inline "$n" 'lookup("dangling"); stat("dangling"); lookup("here"); stat("here/here");'
expect_exit 1
expect_commands "Lookup $n $n" "Stat $n $n"
rm dangling here

program "$n" "$samples/fileop.pbl" num=20
expect_exit $((n > 1)) # all ranks make the same directory, one of them does
expect_commands "Write $((20 * n)) 0" "Append $((20 * n)) 0" "Read $((20 * n)) 0" "Lookup $((20 * n)) 0" "Delete $((20 * n)) 0" \
    "Mkdir $((21 * n + 1)) $((n - 1))" "Rmdir $((20 * n)) 0" "Create $((20 * n)) 0" "Stat $((20 * n)) 0"
expect_foretold
expect_times $((9 * n))
expect_files ''
(($(find fileop -mindepth 1 -type d | wc -l) == n)) || fail "there is no directory for each rank"
rm -r fileop

program "$n" "$samples/posixio.pbl" num=20
expect_exit $((n > 1))
lost=$((20 * (n - 1)))
expect_commands "FOpen $((2 * n)) 0" "FClose $((2 * n)) 0" "FWrite $((2 * n)) 0" "FRead $n 0" "FSync $n 0" "FSeek $n 0" \
    "Write $((21 * n)) 0" "Append $((21 * n)) 0" "Read $((21 * n)) 0" "Lookup $((21 * n)) 0" "Create $((21 * n)) 0" \
    "Stat $((21 * n)) 0" "Mkdir $((n + 20)) $lost" "Rmdir $((n + 20)) $lost" "Delete $((2 * n + 20)) $lost"
for ((rank = 0; rank < n; rank++)); do
    expect_prints "$rank" 'by name: begin' 'by name: end' 'shared: begin' 'shared: end' 'handles: begin' 'handles: end'
done
expect_times $((3 * n))
expect_files ''

# ---------------------------------------------------------------- data

program "$n" "$samples/sequential-write.pbl" size=4m block=256k
expect_done
expect_commands "FOpen $n 0" "FClose $n 0" "FWrite $((16 * n)) 0" "Delete $n 0"
expect_foretold
expect_times $((16 * n))
expect_core_times $((17 * n))
expect_files ''

program "$n" "$samples/sequential-read.pbl" size=16m block=64k
expect_done
expect_commands "FOpen $n 0" "FClose $n 0" "FRead $((256 * n)) 0" "Write $n 0" "Delete $n 0"

program "$n" "$samples/random-write.pbl" size=16m block=64k
expect_done
expect_commands "FOpen $n 0" "FClose $n 0" "FWrite $((256 * n)) 0" "Delete $n 0"

# A read that begins less than a block before the end is short, and failed.
program "$n" "$samples/random-read.pbl" size=1m block=512k
tries=$((2 * n))
short=$(sed -nE 's/^ FRead .* ([0-9]+) failed$/\1/p' "$out")
((short >= 0 && short <= tries)) || fail "of $tries reads $short have failed"
expect_exit $((short > 0))
expect_commands "FOpen $n 0" "FClose $n 0" "FRead $((tries - short)) $short" "Write $n 0" "Delete $n 0"
# With the same seed the same ones.
program "$n" "$samples/random-read.pbl" size=1m block=8k --seed 7
first=$(grep "^ FRead" "$out")
program "$n" "$samples/random-read.pbl" size=1m block=8k --seed 7
[[ $(grep "^ FRead" "$out") == "$first" ]] || fail "with the same seed other reads have failed than '$first'"
expect_files ''

program "$n" "$samples/stridedread.pbl" block=64k
expect_done
expect_commands "FOpen $((2 * n)) 0" "FClose $((2 * n)) 0" "FRead $((11 * n)) 0" "Write $n 0"
expect_foretold
expect_times $((12 * n))
expect_files strided
(($(stat -c %s strided) == 20 * 65536)) || fail "the file has another size"
[[ ! $(tr -d 0 <strided) ]] || fail "there are other bytes than zeros as text"
rm strided

program "$n" "$samples/mpiio.pbl"
expect_done
expect_commands "PFOpen $n 0" "PFClose $n 0" "PFWrite $((4 * n)) 0" "PFRead $((4 * n)) 0" "PWrite $((4 * n)) 0" "PRead $((4 * n)) 0"
expect_foretold
expect_times $((20 * n))
(($(stat -c %s mpiio) == n * 10 * 65536)) || fail "the file has another size"
for ((rank = 0; rank < n; rank++)); do
    expect_prints "$rank" 'by name: begin' 'by name: end' 'by handle: begin' 'by handle: end'
done
rm mpiio
# Each level writes what all others read.
program "$n" "$samples/mpiio.pbl" --verify
expect_done
rm mpiio

if can_bypass_cache; then
    program "$n" "$samples/directio.pbl" num=4
    expect_done
    expect_commands "DWrite $((4 * n)) 0" "DRead $((4 * n)) 0" "Delete $((4 * n)) 0"
    expect_times $((2 * n))
    expect_files ''
fi

# ---------------------------------------------------------------- labels

# With a character that is not printed, with one that the longest name cuts in two, and two that look the same.
long=$(printf 'x%.0s' {1..254})
inline "$n" "$(printf 'time ["a\tb"] lookup("."); time ["a\vb"] lookup("."); time ["%sä"] lookup(".");' "$long")"
expect_done
expect_record "[(l.label[-3:], l.ranks, l.executions, l.skews > 0) for l in phases[0].program_result.labels] == \
    [('a?b', $n, $((2 * n)), $n > 1), ('xxx', $n, $n, $n > 1)]"

# Labels beyond those that are told apart: a rank is one rank, and its time is that of all of them together.
inline "$n" 'repeat $i 1100 time ["r$$rank-$i"] {} repeat $i 2 time ["r$$rank-last$i"] sleep(20000);'
expect_done
expect_record "next((l.ranks, l.executions, len(l.slowest), len({s.rank for s in l.slowest}), l.rank_s_min >= 0.04)
    for l in phases[0].program_result.labels if l.label == '(others)') == \
    ($n, $((n * 1102 - 1024)), $((n < 3 ? n : 3)), $((n < 3 ? n : 3)), True)"

# Wrong data are told once for each line: what nobody wrote is not what belongs there.
inline "$n" $'$f = fcreat("h$$rank"); fwrite($f, 1, 5000); fclose($f);\nrepeat $i 3 read("h$$rank");\nread("h$$rank", 10, 20);' --verify
expect_exit 1
for line in '2: read h0: wrong data at offset 0' '3: read h0: wrong data at offset 20'; do
    [[ $(grep -c "rank 0: line $line\$" "$err") == 1 ]] || fail "wrong data are not told once: $line"
done

# Who waits at a barrier does not work: ranks but the first wait for 0.3 s, and all for the end.
inline "$n" 'if ($$rank == 0) sleep 300000; barrier; sleep(100000);'
expect_done
expect_record "abs(phases[0].rank_s.mean_s - (0.1 + 0.3 / $n)) < 0.05 and phases[0].rank_s.max_s >= 0.4"

# ---------------------------------------------------------------- the four patterns

program "$n" "$examples/create-index.pbl" iter=2
expect_done
expect_commands "Write $((8 * n)) 0" "Delete $((2 * n)) 0" "Mkdir $((7 * n + 1)) 0" "Rename $((6 * n)) 0"
expect_foretold
(($(find olap -type f | wc -l) == 6 * n && $(cat "olap/p$((n - 1))/idx1"/{layout,attr/*} | wc -c) == 59 * 1024)) ||
    fail "there are not the files of 59 KiB in each index"
program "$n" "$examples/index-index.pbl" iter=2 files=2
expect_done
expect_commands "Write $((8 * n)) 0" "Read $((8 * n)) 0"
expect_record "phases[0].program_result.labels[0].ranks == $n"
program "$n" "$examples/delete-index.pbl" iter=2 files=2
expect_done
expect_commands "Write $((2 * n)) 0" "Delete $((11 * n)) 0" "Rmdir $((7 * n + 1)) 0"
[[ ! -e olap ]] || fail "something is left"
program "$n" "$examples/basic-operations.pbl" iter=10 block=64k sizes=1
expect_done
expect_commands "FCreat $n 0" "FClose $n 0" "FSync $n 0" "FWrite $((64 * n)) 0" "Write $((10 * n)) 0" "Append $((10 * n)) 0" \
    "Read $((74 * n)) 0" "Rename $((10 * n)) 0" "Delete $((11 * n)) 0" "Mkdir $((n + 1)) 0" "Rmdir $((n + 1)) 0"
expect_foretold
expect_times $((7 * n))
expect_core_times $((7 * n))
[[ ! -e basic ]] || fail "something is left"
