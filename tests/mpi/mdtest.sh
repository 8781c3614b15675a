#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The files of weir mdtest are those of mdtest, in name and place: what its documentation says is compared with what is
# there after -C, for more than forty command lines; -T, -E and -r, each by a process of its own, find just that.
# What somebody else has put into a tree stays, is named, and makes the exit code 1.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
paths() { "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/mdtest_paths.py" "$@"; }

# What is computed is right: mdtest itself named such paths.
paths sample "$WEIR_ROOT/tests/golden/samples/mdtest-V4-create.txt" >"$out" 2>"$err" ||
    fail "the paths that are computed are not those of mdtest"
(($(paths cases | wc -l) >= 40)) || fail "there are not forty command lines"

valid() { # valid KIND EXPRESSION: of the output
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/valid.py" "$1" "$out" "$2" >"$work/why" 2>&1 || fail "$1: $(cat "$work/why")"
}

# Documents are valid to the letter, and have a row per phase and iteration.
run 2 mdtest -n 8 -i 2 -d "$files/out" --summaryFormat JSON
expect_done
valid json "[phase['repetition'] for phase in document['runs'][0]['phases']] == [0] * 10 + [1] * 10"
valid json "all(phase['figures']['ops']['value'] > 0 and phase['figures']['time']['value'] > 0 for phase in document['runs'][0]['phases'])"
run 2 mdtest -n 8 -i 2 -F -d "$files/out" --summaryFormat CSV
expect_done
valid csv-long "list(dict.fromkeys(row['name'] for row in rows)) == ['Tree creation', 'File creation', 'File stat', 'File read', 'File removal', 'Tree removal']"
valid csv-long "[float(row['value']) for row in rows if row['name'] == 'File stat' and row['figure'] == 'operations'] == [16, 16]"

# A report of what was recorded is the one that was printed, but for the values of all processes, which are not kept.
run 2 mdtest -n 8 -i 3 -I 4 -P --showRankStatistics -v -d "$files/out" --plain --result "$result"
expect_done
cp "$out" "$work/printed"
capture "$WEIR" report "$result" --plain
expect_done
diff "$work/printed" "$out" >"$work/why" || fail "what is told later is another report: $(cat "$work/why")"

# What direct I/O refuses is named by the directory that was given, and by the option of the size.
run 2 mdtest -n 4 -F -w 3901 --posix.odirect -d "$files/odd"
expect_exit 2
grep -q "$files/odd: \(items of 3901 bytes are not .*: change -w and -e,\|this file system takes no direct I/O\)" "$err" ||
    fail "direct I/O of 3901 bytes is refused in other words: $(cat "$err")"

# Modes, before the umask, are those of mdtest.
(umask 0 && "$WEIR" mdtest -n 1 -C -d "$files/modes" --plain) >"$out" 2>"$err" || fail "mdtest -C fails: $(cat "$err")"
modes=$(find "$files/modes" -mindepth 1 -printf '%y%m\n' | sort -u | tr '\n' ' ')
[[ $modes == "d775 f664 " ]] || fail "mdtest makes items of modes $modes"
rm -r "$files/modes"

# What did nothing has neither a table nor an end.
touch "$files/nowhere"
run 2 mdtest -n 4 -d "$files/nowhere/out" --plain
rm "$files/nowhere"
expect_exit 1
expect_error 'nowhere/out: Not a directory'
expect_no_line '^SUMMARY|finished'

# Several numbers of tasks: a table for each.
run 3 mdtest -n 4 -F -f 1 -l 3 -d "$files/out" --plain
expect_done
[[ $(grep -cE '^[123] tasks, (4|8|12) files$' "$out") == 3 && $(grep -c '^SUMMARY rate' "$out") == 3 ]] ||
    fail "there are not three tests"

export WEIR
capture paths run "$files" 0
expect_done
expect_files ''

# What is made for a run goes with it; what was there before stays.
run 2 mdtest -n 4 -z 1 -b 2 -d "$files/new"
expect_done
[[ ! -e $files/new ]] || fail "the directory that was made for the run is still there"
mkdir -p "$files/old"
run 2 mdtest -n 4 -u -d "$files/old"
expect_done
[[ -d $files/old && -z $(ls -A "$files/old") ]] || fail "the directory that was there before is not as it was"
