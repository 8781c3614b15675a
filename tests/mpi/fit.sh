#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files, or transfers in memory, that do not fit are told before anything is written; what fits is not spoken of.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs
does_not_fit='do not fit|DO NOT FIT'

# Nowhere is there room for this. A mistake would fill the disk: the deadline ends it.
run 2 -w -F -t 1m -b 512t --must-fit -o "$files/f"
expect_exit 2
expect_error ' 1024 TiB .*--must-fit|--must-fit.* 1024 TiB '
expect_files ''
run 2 -w -F -t 64k -b 15t -D 0.01 --must-fit -o "$files/f" -O summaryFormat=JSON --result "$result"
expect_exit 0 # the deadline may end it before the disk is full
expect_error ' 30 TiB '
"$WEIR_PYTHON" - "$out" "$result" <<'END' || fail "the JSON or the result file does not say so"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    whole = json.load(file)
assert "do not fit" in json.dumps(whole["Weir"])
with open(sys.argv[2], encoding="utf-8") as file:
    tests = [line for line in map(json.loads, file) if "no_space" in line]
assert len(tests) == 1 and "do not fit" in tests[0]["no_space"]
END
run 2 -w -F -t 64k -b 64k --must-fit -o "$files/f"
expect_done
grep -qE "$does_not_fit" "$out" "$err" && fail "128 KiB are told not to fit"

# Other dialects say it in their texts. Nearly nothing is written until the signal: a transfer each 200 ms.
mkdir "$files/target"
for words in "dd if=/dev/zero of=$files/f%r bs=4K count=64G" "targets $files/target --size 512t --transfer 4k --buffered" \
    "iozone -i 0 -s 512t -r 4 -f $files/f"; do
    # shellcheck disable=SC2086 # words without blanks
    capture timeout -s INT 3 "$WEIR" $words --rate 5 --plain
    grep -q 'do not fit' "$out" || fail "files that do not fit are not told"
    find "$files" -type f -delete
done
rmdir "$files/target"

# The plan and what it would come to here, for as many ranks as there are.
run 3 -w -F -t 1m -b 4m -s 2 -i 2 -D 10 --explain -o "$files/f"
expect_done
expect_line ' test 0 with 3 ranks, 2 repetitions'
expect_line '  write +8 MiB .* 24 MiB '
expect_line '  files +3, .* 24 MiB'
expect_line '  memory +1 MiB .* 3 MiB '
expect_line '  time +20.0 s '
grep -qE "$does_not_fit" "$out" && fail "24 MiB are told not to fit"
capture "$WEIR" -w -t 1m -b 64m --rate 1m -N 1 --explain -o "$files/f"
expect_line '  time +64.0 s '
capture "$WEIR" -w -t 1m -b 512t --explain -o "$files/f"
expect_line '  files +1, together 512 TiB; .* THEY DO NOT FIT'
capture "$WEIR" -w -a RDMA -t 1m -b 512t --explain -o "$files/f"
expect_no_line '^  files '

# More memory than any host has.
run 1 -w -a URING -t 64g -b 256t --depth 4096 -o "$files/f"
expect_exit 3
expect_error ' 256 TiB '
expect_files ''

# Blocks that are given back by what replaces them are free; files of all repetitions are counted where they stay.
"$bed" --type tmpfs --size 8M run -- true >"$out" 2>&1 || skip "no tmpfs can be mounted here, which takes root and CAP_SYS_ADMIN; everything else was tried"
# shellcheck disable=SC2016
capture "$bed" --type tmpfs --size 8M run -- "$BASH" -c '
    words=(-w -F -t 256k -b 3m --must-fit)
    mpiexec -n 2 "$WEIR" "${words[@]}" -k -o "$TESTBED_MNT/f" >/dev/null || exit 98
    mpiexec -n 2 "$WEIR" "${words[@]}" -k -o "$TESTBED_MNT/f" >/dev/null || exit 99
    mpiexec -n 1 "$WEIR" "${words[@]}" -i 3 -m -o "$TESTBED_MNT/g" -b 1m >/dev/null || exit 97
    exec mpiexec -n 1 "$WEIR" "${words[@]}" -i 3 -m -k -o "$TESTBED_MNT/g" -b 1m'
expect_exit 2
expect_error ' 3 MiB .* (2|2\.0[0-9]|1\.9[0-9]) MiB'

# Some MPI libraries call a collective write that found no room a success: the size of the file tells.
# shellcheck disable=SC2016
capture timeout 60 "$bed" --type tmpfs --size 4M run -- "$BASH" -c '
    exec mpiexec -n 4 "$WEIR" -a MPIIO -c -w -k -t 2m -b 2m -o "$TESTBED_MNT/f"'
expect_exit 1
