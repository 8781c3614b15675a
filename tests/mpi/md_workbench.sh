#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The working set of weir md-workbench lies where its options and the runs before say: the files of each data set are counted
# after each run of its own. Data that an earlier run has made are verified, and one wrong byte of them is found.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
sets="$files/sets"
words=(md-workbench --plain -D 2 -P 8 -I 6 -R 2 -o "$sets" "--run-info-file=$work/position")

phase() { # phase RANKS OPTION...: some of -1, -2 and -3
    local ranks=$1
    shift
    capture mpiexec -n "$ranks" "$WEIR" "${words[@]}" "$@"
}

expect_set() { # expect_set RANKS FIRST: each data set has the objects FIRST to FIRST + 7, and the position says so
    local expected directory
    expected=$(seq -f 'file-%g' "$2" $(($2 + 7)) | sort)
    for ((rank = 0; rank < $1; rank++)); do
        for directory in "$sets/${rank}_0" "$sets/${rank}_1"; do
            [[ $(find "$directory" -type f -printf '%f\n' | sort) == "$expected" ]] ||
                fail "$directory does not hold the objects $2 to $(($2 + 7)): $(ls "$directory")"
        done
    done
    [[ $(cat "$work/position") == "pos: $2" ]] || fail "the position is not $2: $(cat "$work/position")"
}

for ranks in 1 3; do
    for offset in 0 1 2; do
        phase "$ranks" -O "$offset" -1
        expect_done
        expect_set "$ranks" 0
        # 2 sets of 8 objects, and 2 iterations of 6, which a run with -2 would make.
        grep -q "^MD-Workbench total objects: $((ranks * 2 * (8 + 2 * 6))) " "$out" || fail "-1 counts other objects than -2"
        for first in 12 24; do
            phase "$ranks" -O "$offset" -2 -X
            expect_done
            expect_set "$ranks" "$first"
            (($(grep -c "^benchmark process .* objects:$((ranks * 12)) .*(0 errs)" "$out") == 2)) || fail "there are not two right iterations"
        done
        phase "$ranks" -O "$offset" -2 -X --read-only
        expect_done
        expect_set "$ranks" 24
        phase "$ranks" -O "$offset" -3
        expect_done
        [[ ! -e $sets || -z $(find "$sets" -mindepth 1) ]] || fail "something is left: $(find "$sets")"
    done
done

# A deadline moves all of it by what the furthest task has done, and later phases and runs go on there.
for offset in 0 2; do
    words=(md-workbench --plain -D 2 -P 800 -I 800 -R 2 -t 20 -O "$offset" -o "$sets" "--run-info-file=$work/position")
    phase 3 -1 -2 -X -w 0.05 -W
    expect_done
    stopped=$(sed -n 's/^benchmark .* stonewall-iter:\([0-9]*\) .* waiting:20.0000$/\1/p' "$out" | paste -sd+)
    [[ $stopped == *+* ]] || fail "the deadline did not come in both iterations"
    position=$((stopped))
    [[ $(cat "$work/position") == "pos: $position" ]] || fail "the position is not $stopped: $(cat "$work/position")"
    for directory in "$sets"/?_?; do
        [[ $(find "$directory" -name 'file-*' -printf '%f\n' | sort -t- -k2n | sed -n '1p;$p' | xargs) == "file-$position file-$((position + 799))" ]] ||
            fail "$directory does not begin at $position"
    done
    phase 3 -2 -X -R 1 -w 0.05 -W
    expect_done
    phase 3 -3
    expect_done
    [[ ! -e $sets || -z $(find "$sets" -mindepth 1) ]] || fail "something is left: $(find "$sets")"
done
words=(md-workbench --plain -D 2 -P 8 -I 6 -R 2 -o "$sets" "--run-info-file=$work/position")
rm "$work/position"
phase 3
expect_done
phase 3 -1 -2 --read-only -w 0.01 -t 999
expect_done
expect_set 3 0
phase 3 -3
expect_done

# The run that removes the objects removes the directory of -o, with those above it, if an earlier run has made it; one that was
# there before stays. Two runs with -1 are as one.
if "$WEIR_PYTHON" -c 'import os, sys; os.setxattr(sys.argv[1], "user.weir-test", b"x")' "$files" 2>/dev/null; then
    for precreations in 1 2; do
        for ((i = 0; i < precreations; i++)); do
            capture mpiexec -n 2 "$WEIR" md-workbench -1 -D 2 -P 8 -I 6 -R 1 -o "$files/above/made" "--run-info-file=$work/position"
            expect_done
        done
        capture mpiexec -n 2 "$WEIR" md-workbench -2 -D 2 -P 8 -I 6 -R 1 -o "$files/above/made" "--run-info-file=$work/position"
        expect_done
        capture mpiexec -n 2 "$WEIR" md-workbench -3 -D 2 -P 8 -I 6 -R 1 -o "$files/above/made" "--run-info-file=$work/position"
        expect_done
        [[ ! -e $files/above ]] || fail "the directory of -o that was made is still there: $(find "$files/above")"
    done
    # Where the directory of -o has been moved, those above it are not of the run that made it.
    mkdir -p "$files/elsewhere/empty"
    capture mpiexec -n 2 "$WEIR" md-workbench -1 -D 2 -P 8 -I 6 -R 1 -o "$files/above/made" "--run-info-file=$work/position"
    expect_done
    mv "$files/above/made" "$files/elsewhere/empty/made"
    capture mpiexec -n 2 "$WEIR" md-workbench -3 -D 2 -P 8 -I 6 -R 1 -o "$files/elsewhere/empty/made" "--run-info-file=$work/position"
    expect_done
    [[ -d $files/elsewhere/empty ]] || fail "directories above a moved one are gone"
    [[ -z $(find "$files/elsewhere" -type f) ]] || fail "objects of a moved directory are left"
    rm -r "$files/elsewhere" "$files/above"
    # Other spellings of the same place name it as well.
    capture mpiexec -n 2 "$WEIR" md-workbench -1 -D 2 -P 8 -I 6 -R 1 -o "$files/above/made" "--run-info-file=$work/position"
    expect_done
    capture mpiexec -n 2 "$WEIR" md-workbench -3 -D 2 -P 8 -I 6 -R 1 -o "$files/above/../above/made/" "--run-info-file=$work/position"
    expect_done
    [[ ! -e $files/above ]] || fail "the directory of -o that was made is still there: $(find "$files/above")"
    mkdir "$files/own"
    capture mpiexec -n 2 "$WEIR" md-workbench -1 -D 2 -P 8 -I 6 -R 1 -o "$files/own/made" "--run-info-file=$work/position"
    expect_done
    touch "$files/own/made/mine"
    capture mpiexec -n 2 "$WEIR" md-workbench -3 -D 2 -P 8 -I 6 -R 1 -o "$files/own/made" "--run-info-file=$work/position"
    expect_done
    [[ -e $files/own/made/mine ]] || fail "a file of another is gone"
    rm -r "$files/own"
fi
mkdir "$files/there"
for part in -1 -3; do
    capture mpiexec -n 2 "$WEIR" md-workbench $part -D 2 -P 8 -I 6 -R 1 -o "$files/there" "--run-info-file=$work/position"
    expect_done
done
rmdir "$files/there" || fail "a directory of -o that was there before is gone, or something is left in it"

# Files with the times of operations: each has those of its operation, in the order of their starts, and together with what is
# printed of tasks they say the same.
check_files() { # check_files TASK FILE...: 2 sets of 6 objects in each; the greatest of each operation is that of the task's line
    local task=$1 path longest
    shift
    for path; do
        [[ $(head -n 1 "$path") == time,runtime ]] || fail "another header in $path: $(head -n 1 "$path")"
        (($(wc -l <"$path") == 13)) || fail "$path has not 12 operations"
        sed 1d "$path" | sort -t, -k1g -C || fail "operations of $path are in another order"
        longest=$(sed 1d "$path" | cut -d, -f2 | sort -g | tail -n 1)
        [[ $path =~ -1-([a-z]+)(-of-[0-9]+)?\.csv$ ]] || fail "another name: $path"
        # In double precision, as the program has it: that of the shell is longer, and rounds a last 5 otherwise.
        grep "^$task: benchmark " "$out" | tail -n 1 |
            grep -q "${BASH_REMATCH[1]}([^)]*, $(awk -v longest="$longest" 'BEGIN { printf "%.4e", longest }')s)" || fail "$path has $longest as the longest, and not the line of task $task"
    done
}
phase 3 --process-reports -L "$work/lat"
expect_done
expect_logs() { # expect_logs NAME...: these files of -L and no others
    [[ $(cd "$work" && printf '%s\n' lat-* | sort) == "$(printf '%s\n' "$@" | sort)" ]] || fail "other files: $(cd "$work" && echo lat-*)"
}
expect_logs lat-0.00-{0,1}-{stat,read,delete,create}.csv lat-0.00-0-precreate.csv lat-0.00-2-cleanup.csv
check_files 0 "$work"/lat-0.00-1-{stat,read,delete,create}.csv
for path in "$work"/lat-0.00-{0-precreate,2-cleanup}.csv; do
    [[ $(head -n 1 "$path") == time,runtime ]] && (($(wc -l <"$path") == 17)) || fail "$path has not 2 sets of 8 objects"
done
(($(grep -c '^[012]: \(precreate\|benchmark\|cleanup\) .* create\?[^ ]*(\|^[012]: cleanup .* delete(' "$out") == 12)) || fail "not each task has a line of each phase"
rm "$work"/lat-*
phase 3 --process-reports -L "$work/lat" --latency-all -t 0.25
expect_done
expect_logs lat-0.25-{0,1}-{stat,read,delete,create}-all.csv lat-0.25-0-precreate-all.csv lat-0.25-2-cleanup-all.csv
for operation in stat read delete create; do
    path=$work/lat-0.25-1-$operation-all.csv
    (($(wc -l <"$path") == 37)) || fail "$path has not the 12 operations of each of 3 tasks"
    for task in 0 1 2; do
        { head -n 1 "$path" && sed -n "$((2 + 12 * task)),$((13 + 12 * task))p" "$path"; } >"$work/part-1-$operation-of-$task.csv"
        check_files "$task" "$work/part-1-$operation-of-$task.csv"
    done
done
rm "$work"/lat-*
phase 2 -1 -L "$work/lat"
expect_done
expect_logs lat-0.00-0-precreate.csv
phase 2 -3 -L "$work/lat"
expect_done
expect_logs lat-0.00-0-precreate.csv lat-0.00-0-cleanup.csv
rm "$work"/lat-*
echo mine >"$work/lat-0.25-0-stat-all.csv"
phase 3 -L "$work/lat" --latency-all -t 0.25
expect_exit 2
[[ $(cat "$work/lat-0.25-0-stat-all.csv") == mine ]] || fail "a file of another was overwritten"
rm -rf "$work"/lat-* "$sets"

# The start line has the figures of options with units, and the bare version where only the original's lines are printed.
capture "$WEIR" md-workbench --plain -a DUMMY -1 -D 2 -P 1k -I 1k -S 1m
expect_done
expect_line '^MD-Workbench total objects: 8192 workingset size: 2048\.000 MiB \(version: [0-9.]+\) time: '
capture "$WEIR" md-workbench -a DUMMY -1 -D 1 -P 4 -I 4 -S 1m
expect_line '^MD-Workbench total objects: 16 workingset size: 4\.000 MiB \(version: [0-9.]+\+weir-[0-9.]+\) time: '

# An option that has nothing to do in this run is said, and the run goes on.
phase 2 -1 -X
expect_done
expect_line '^WARNING: -X: nothing is read: it changes nothing$'
phase 2 -3 -X
expect_done
expect_line '^WARNING: -X: nothing is read: it changes nothing$'

# Pauses are as long as asked, and no part of what operations take.
rm -f "$result"
phase 2 -a DUMMY --dummy.delay-create 500 -T -R 1 --result "$result"
expect_done
[[ $(sed -n 's/^benchmark .* waiting://p' "$out" | xargs) == "0.0000 0.0625 0.1250 0.2500 0.5000 1.0000 2.0000 4.0000" ]] || fail "other waiting times"
expect_record "all(p.ranks * p.rank_s.mean_s * 1e9 >= (1 + getattr(p, 'think_ppm', 0) / 1e6) * sum(v.latency.sum_ns for v in p.verbs) > 1.1e7 for p in phases if p.verb == 'cycle')"
rm -f "$result"

# A backend that does nothing has no place of a working set.
rm -f "$work/position"
phase 2 -a DUMMY -1
expect_done
[[ ! -e $work/position ]] || fail "a dummy has a position"

# One byte.
phase 2 -1
expect_done
printf 'X' | dd of="$sets/1_0/file-5" bs=1 seek=3000 conv=notrunc status=none
phase 2 -2 -X
expect_exit 1
grep -q '^benchmark process .*(1 errs!!!)' "$out" || fail "the wrong object is not counted"
expect_set 2 12

# What is not of the data sets stays, and the exit code says so.
echo mine >"$sets/0_0/thesis"
phase 2 -3
expect_exit 1
[[ $(find "$sets" -type f) == "$sets/0_0/thesis" ]] || fail "other files are left than the one of another"
rm -r "$sets"

# What was recorded is told as it was printed.
phase 2 --result "$result"
expect_done
cp "$out" "$work/printed"
capture "$WEIR" report "$result" --plain
expect_done
diff "$work/printed" "$out" >"$work/why" || fail "what is told later is another report: $(cat "$work/why")"
