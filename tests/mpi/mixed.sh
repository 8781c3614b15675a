#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A phase in which some transfers read and the others write: as many as were asked for, and the data are right afterwards.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

expect_share() { # expect_share PERCENT [TEST]: of 512 transfers
    local mix="next(p for p in phases if p.verb == 'mixed' and p.test == ${2-0})"
    expect_record "(lambda m: m.ops == m.latency.total == 512 and m.bytes == 2 * 2**20 and m.outcome == 'complete')($mix)"
    expect_record "(lambda m: m.checked == (m.read_latency.total if m.read_latency else 0) and m.wrong == 0)($mix)"
    expect_record "(lambda m: sum(h.total for h in (m.read_latency, m.write_latency) if h) == 512)($mix)"
    case $1 in
    0) expect_record "(lambda m: m.write_latency.total == 512)($mix)" ;;
    100) expect_record "(lambda m: m.read_latency.total == 512)($mix)" ;;
    # Four standard deviations, if it were drawn.
    *) expect_record "(lambda m: abs(m.read_latency.total - 512 * $1 / 100) <= 4 * (512 * $1 * (100 - $1)) ** 0.5 / 100)($mix)" ;;
    esac
}

backends=(posix)
for engine in libaio uring; do
    ! "$WEIR" backends | grep -q "^$engine " || backends+=("$engine")
done

# What is read is verified while others write, and all of the file is read and verified afterwards.
tests=()
percents=()
for backend in "${backends[@]}"; do
    depth=32
    [[ $backend != posix ]] || depth=1
    for shape in 'filePerProc=0 randomOffset=0' 'filePerProc=1 randomOffset=1'; do
        [[ $backend != posix || $shape == *0 ]] || continue
        for percent in 0 30 100; do
            tests+=("api=$backend depth=$depth $shape read-percent=$percent")
            percents+=("$percent")
        done
    done
done
run_script 2 "writeFile=1 transferSize=4k blockSize=1m readFile=1 checkRead=1 testFile=$files/f" "${tests[@]}"
expect_done
(($(grep -c '^mixed ' "$out") == 2 * ${#tests[@]})) || fail "not all of ${#tests[@]} mixed phases have their rows"
expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'read'] == [(512, 0)] * ${#tests[@]}"
expect_record "all(t.existing_files == 0 for t in tests)"
expect_files ''
for ((test = 0; test < ${#tests[@]}; test++)); do
    expect_share "${percents[test]}" "$test"
done

# A file that is not written is filled first, or is there already, and another run finds the data right.
run 2 -t 4k -b 1m -o "$files/f" -k -z --read-percent 50
expect_done
run 2 -t 4k -b 1m -o "$files/f" -r -R -k --read-percent 20 --result "$result"
expect_done
expect_share 20
run 2 -t 4k -b 1m -o "$files/f" -r -R --result "$result"
expect_done
expect_record "reading.checked == 512 and reading.wrong == 0"

run 2 -w --read-percent 101 -o "$files/f"
expect_exit 2
expect_error 'read-percent'
