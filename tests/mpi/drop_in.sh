#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Called as ior, what loose scripts look at is IOR's alone; what IOR warns of can be made an error; a report replaces reports only.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
small=(-t 64k -b 256k)
f=$files/f

# ---------------------------------------------------------------- a link named ior
ln -s "$WEIR" "$work/ior"
product=$WEIR
WEIR=$work/ior
run 2 "${small[@]}" -w -r -v -o "$f"
expect_done
expect_no_line '^weir'
[[ $(tail -n 1 "$out") == Finished* ]] || fail "the last line is not IOR's"
max=$(sed -nE 's/^Max Write: ([0-9.]+) MiB.*/\1/p' "$out")
[[ $max && $(grep write "$out" | tail -n 1 | awk '{print $2}') == "$max" ]] ||
    fail "the last line on writes is not that of the summary"
grep -q '^weir  time of single transfers' "$err" || fail "our own block is not on standard error"
run 2 "${small[@]}" -w --plain -o "$f"
expect_done
! grep -q '^weir' "$err" || fail "--plain leaves our own block on standard error"
WEIR=$product
run 2 "${small[@]}" -w -o "$f"
expect_done
expect_line '^weir  time of single transfers'

# ---------------------------------------------------------------- warnings as errors
warned() { # warned PATTERN OPTION...
    local pattern=$1
    shift
    run 2 "${small[@]}" -w "$@" -o "$f"
    expect_exit 0
    expect_line "^WARNING: .*$pattern"
    run 2 "${small[@]}" -w "$@" --warningAsErrors -o "$f"
    expect_exit 1
    expect_line "^WARNING: .*$pattern"
}

run 2 "${small[@]}" -w -W -r -R --warningAsErrors -o "$f"
expect_done
warned 'More tasks requested \(5\) than available \(2\)' -N 5
warned 'repetitions' -i 0
warned 'collective' -c
run 2 "${small[@]}" -w -k -o "$f"
warned 'exists already and will be deleted' -k
run 2 "${small[@]}" -w -k -s 3 -o "$f"
warned 'Expected aggregate file size' -E -k
rm -f "$f"

# ---------------------------------------------------------------- reports replace reports
echo 'my thesis' >"$work/precious"
run 2 "${small[@]}" -w -O summaryFile="$work/precious" -o "$f"
expect_exit 2
expect_error 'precious.*--overwrite'
[[ $(<"$work/precious") == 'my thesis' ]] || fail "a file that is no report was overwritten"
for format in default CSV JSON; do
    for _ in 1 2; do
        run 2 "${small[@]}" -w -O summaryFile="$work/report",summaryFormat=$format -o "$f"
        expect_done
    done
done
for version in 2.10 3.0 3.2; do
    run 2 "${small[@]}" -w --compat $version -O summaryFile="$work/report" -o "$f"
    expect_done
done
run 2 "${small[@]}" -w --overwrite -O summaryFile="$work/precious" -o "$f"
expect_done
grep -q '^IOR-' "$work/precious" || fail "--overwrite does not allow it"
expect_files ''
