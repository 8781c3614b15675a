#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Deadlines: a stonewall ends a phase, wear-out brings all ranks to one count, and the status file carries it to the read.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# At 4 ms a transfer, 2000 transfers take 8 s and the deadline comes after about 250.
slow=(-t 4k -b 8000k -O interIODelay=4000)

run 2 -w -r "${slow[@]}" -D 1 -o "$files/f" --result "$result"
expect_done
expect_record "written.stonewall.hit and 0 < written.ops < 2 * 2000"
# IOR expects the whole of the read too.
[ "$(grep -c '^WARNING: Expected aggregate file size       = 16384000$' "$out")" = 2 ] || fail "the sizes are not told twice"
[ "$(grep -c '^WARNING: Maybe caused by deadlineForStonewalling$' "$out")" = 2 ] || fail "the deadline is not told twice"

# Wear-out before the deadline: IOR's line and columns have what was done.
rm -f "$result"
run 2 -w -t 4k -b 64k -D 60 -O stoneWallingWearOut=1 -o "$files/f" --result "$result"
expect_done
expect_line '^stonewalling pairs accessed min: 16 max: 16 -- min data: 0.0 GiB mean data: 0.0 GiB time: 0.0s$'
expect_line '^Pairs deadlineForStonewallingaccessed: 16$'
awk '/^write / && NF > 20 { exit $11 ~ /^[0-9.]+$/ && $12 > 0 ? 0 : 1 }' "$out" || fail "the summary has no stonewall columns"
expect_record "not written.stonewall.hit and written.stonewall.bytes_min == 65536"
run 2 -w -t 4k -b 64k -D 60 -O stoneWallingWearOut=1,summaryFormat=JSON -o "$files/f"
expect_line '"StoneWallTime"'
expect_line '"StoneWallbwMeanMIB"'

rm -f "$result"
run 2 -w -k -G 3 "${slow[@]}" -D 1 -O stoneWallingWearOut=1,stoneWallingStatusFile="$work/status" -o "$files/f" \
    --result "$result"
expect_done
pairs=$(cat "$work/status")
[[ $pairs =~ ^[0-9]+$ ]] || fail "the status file holds '$pairs'"
expect_record "written.ops == 2 * $pairs and written.bytes == 2 * $pairs * 4096"
expect_record "written.stonewall and written.stonewall.ops_max == $pairs"
expect_line 'stonewalling pairs accessed min'

rm -f "$result"
run 2 -r -R -k -G 3 -t 4k -b 8000k -O stoneWallingStatusFile="$work/status" -o "$files/f" --result "$result"
expect_done
expect_record "reading.ops == 2 * $pairs and reading.wrong == 0"

# No further phase is begun once the time is over: 1.2 s, with 0.8 s each.
rm -f "$result" "$files/f"
run 2 -w -t 4k -b 800k -O interIODelay=4000 -i 20 -T 0.02 -o "$files/f" --result "$result"
expect_done
expect_record "0 < len([p for p in writes if p.outcome == 'complete']) < 10"
expect_files ''

# A layout that is done is begun again until the minimum time is over.
rm -f "$result"
run 2 -w -t 4k -b 16k -O minTimeDuration=1 -o "$files/f" --result "$result"
expect_done
expect_record "written.seconds >= 1 and written.ops > 8"

# A deadline in the middle of a pause ends it: the pauses of this run take ten minutes each.
run 2 -w -t 4k -b 64k -D 1 -O interIODelay=600000000 -F -o "$files/paused" --result "$work/paused.jsonl"
expect_done
expect_record 'writes[-1].bytes < 2 * 64 << 10 and writes[-1].windows.transfer_s < 600' "$work/paused.jsonl"

# mdtest with files and directories: each kind is cut at a number of its own, and later runs find what was made of both.
rm -rf "$files/t"
words=(mdtest -n 4000 -x "$work/both" -d "$files/t")
run 2 "${words[@]}" -C -W 1 --rate 100 --rate-of rank
expect_done
both() { find "$files/t" -name "$1.mdtest.0.*" | wc -l; }
[[ $(cat "$work/both") == "$(both file)"$'\n'"directories $(both dir)" ]] || fail "the counts are $(xargs <"$work/both"), and there are $(both file) files and $(both dir) directories"
(($(both dir) < 4000 && $(both file) < 4000)) || fail "nothing was cut"
# As if the directories had been cut elsewhere than the files.
spare=$(($(both dir) - 1))
rmdir "$files"/t/*/*/dir.mdtest.[01]."$spare"
printf '%s\ndirectories %s\n' "$(both file)" "$spare" >"$work/both"
run 2 "${words[@]}" -T
expect_done
run 2 "${words[@]}" -D -T
expect_done
run 2 "${words[@]}" -E
expect_done
run 2 "${words[@]}" -r
expect_done
[[ -z $(find "$files/t" -name '*.mdtest.*') ]] || fail "items are left"
