#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 32 ranks with a directory each, new files in each repetition: all gone at the end, or with -k exactly those that IOR leaves.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
many=(-t 4k -b 8k -w -r -F -u -m -i 3 -o "$files/f")

expect_nothing() {
    [[ -z $(ls -A "$files") ]] || fail "there is still: $(cd "$files" && find . -mindepth 1 | head -n 20)"
}

run 32 "${many[@]}"
expect_done
expect_nothing

# Each removes what another one wrote, and its own directory then.
run 32 "${many[@]}" -C -O numNodes=8,numTasksOnNode0=4 --result "$result"
expect_done
expect_record "all(p.ops == 32 for p in phases if p.verb == 'remove')"
expect_nothing

# What was in the way before stays: then the directories were not made by the run.
mkdir "$files/7"
run 32 "${many[@]}"
expect_done
[[ $(ls "$files") == 7 ]] || fail "not only directory 7 is there: $(ls "$files")"
rmdir "$files/7"

run 32 "${many[@]}" -k
expect_done
names=()
for ((rank = 0; rank < 32; rank++)); do
    for repetition in 0 1 2; do
        names+=("$(printf '%d/f.%08d.%d' "$rank" "$rank" "$repetition")")
    done
done
expect_files "${names[@]}"

# Written again and removed by a run that finds them: the directories are not its own.
run 32 "${many[@]}" --result "$result"
expect_done
expect_record "tests[0].existing_files == 96 and tests[0].existing_path.endswith('/0/f.00000000.0')"
expect_files ''
[[ $(find "$files" -mindepth 1 -type d | wc -l) == 32 ]] || fail "32 directories should still be there"
