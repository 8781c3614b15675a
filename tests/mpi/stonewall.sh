#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Deadlines: a stonewall ends a phase, wear-out brings all ranks to one count, and the status file carries it to the read.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# At 4 ms a transfer, 2000 transfers take 8 s and the deadline comes after about 250.
slow=(-t 4k -b 8000k -O interIODelay=4000)

run 2 -w "${slow[@]}" -D 1 -o "$files/f" --result "$result"
expect_done
expect_record "written.stonewall and 0 < written.ops < 2 * 2000"

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
