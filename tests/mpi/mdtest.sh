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

export WEIR
capture paths run "$files" 0
expect_done
expect_files ''

# What is made for a run goes with it; what was there before stays.
run 2 mdtest -n 4 -z 1 -b 2 -d "$files/new/out"
expect_done
[[ ! -e $files/new/out ]] || fail "the directory that was made for the run is still there"
mkdir -p "$files/old"
run 2 mdtest -n 4 -u -d "$files/old"
expect_done
[[ -d $files/old && -z $(ls -A "$files/old") ]] || fail "the directory that was there before is not as it was"
