#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A phase in which some transfers read and the others write: as many as were asked for, and the data are right afterwards.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mixed() { # mixed OPTION...: after a write, and all of the file is read and verified afterwards
    rm -f "$result"
    run 2 -w -t 4k -b 1m -r -R -o "$files/f" --result "$result" "$@"
    expect_done
    expect_line '^mixed '
    expect_record "reading.checked == 512 and reading.wrong == 0"
    expect_files ''
}

mix="next(p for p in phases if p.verb == 'mixed')"
expect_share() { # expect_share PERCENT: of 512 transfers
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

for backend in "${backends[@]}"; do
    depth=()
    [[ $backend == posix ]] || depth=(--depth 32)
    # What is read is verified while others write.
    for shape in "" "-F -z"; do
        [[ $backend != posix || ! $shape ]] || continue
        for percent in 0 30 100; do
            # shellcheck disable=SC2086
            mixed -a "$backend" "${depth[@]}" $shape --read-percent $percent
            expect_share $percent
        done
    done
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
