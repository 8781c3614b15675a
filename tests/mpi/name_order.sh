#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Operations on names that follow from each other are made in order, also where names are queued: each of a chain of renames takes
# the place that the one before left, and directories lie in one another. What is lost or left of them is an error of the removal.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

for backend in "uring --depth 32" posix; do
    for shape in "-n 1500" "-z 3 -b 4 -I 3"; do
        # shellcheck disable=SC2086 # words
        capture "$WEIR" mdtest -a $backend $shape -d "$files/tree"
        grep -q "io_uring" "$err" && ((status == 3)) && continue # none here
        expect_done
        expect_line "Directory rename +[1-9]"
        expect_line "Directory removal +[1-9]"
        [[ ! -e $files/tree ]] || fail "something is left of the tree"
    done
done
