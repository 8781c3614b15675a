#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Trees in which directories are not alike: a skew of the items, and directories that are slow.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

valid() { # valid KIND EXPRESSION: of the output
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/valid.py" "$1" "$out" "$2" >"$work/why" 2>&1 || fail "$1: $(cat "$work/why")"
}

# Four of ten items lie in one of five directories, and each task finds those of the other one there.
run 2 mdtest -n 100 -z 1 -b 4 --skew 40/20 -F -C -d "$files/out" --plain
expect_done
counts=$(cd "$files/out/test-dir.0-0/mdtest_tree.0" && for place in . mdtest_tree.*; do find "$place" -maxdepth 1 -name 'file.*' | wc -l; done)
[[ $(tr '\n' ' ' <<<"$counts") == '80 30 30 30 30 ' ]] || fail "items lie so: $counts"
[[ $(find "$files/out" -name 'file.*' -printf '%f\n' | sort -u | wc -l) == 200 ]] || fail "items have the same names"
run 2 mdtest -n 100 -z 1 -b 4 --skew 40/20 -F -T -E -N 1 -R -d "$files/out" --plain
expect_done
run 2 mdtest -n 100 -z 1 -b 4 --skew 40/20 -F -r -d "$files/out" --plain
expect_done
expect_files ''
rmdir "$files/out"

# The directory whose modes are slow to change is named, with what both ranks did there.
capture mpiexec -n 2 "$WEIR_TEST" mdtest -a fault:posix -n 50 -z 1 -b 4 -F --also chmod -d "$files/out" --summaryFormat JSON \
    --fault.verb chmod --fault.at 30 --fault.delay 400000
expect_done
valid json "[(row['path'].rsplit('/', 1)[1], row['ops'], row['ranks']) for phase in document['Weir']['phases'] if phase['phase'] == 3
             for row in phase['slowest_directories']][0] == ('mdtest_tree.3', 20, 2)"
valid json "all(0.04 <= row['mean_s'] <= row['max_s'] and row['max_s'] >= 0.4 for phase in document['Weir']['phases'] if phase['phase'] == 3
                for row in phase['slowest_directories'][:1])"
valid json "[phase['phase'] for phase in document['Weir']['phases'] if 'slowest_directories' in phase] == [1, 2, 3, 4, 5]"
expect_files ''

# One directory is no slowest one.
run 2 mdtest -n 20 -F -d "$files/out" --summaryFormat JSON
expect_done
valid json "not any('slowest_directories' in phase for phase in document['Weir']['phases'])"
