#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --until-interval: repetitions end when the medians are known, and at the latest by --max-repetitions and --repeat-time.
. "$(dirname "$0")/lib.sh"

repetitions() { # repetitions: how many the result file has of each timed phase
    "$WEIR_PYTHON" - "$result" <<'P'
import json, sys
phases = [json.loads(line) for line in open(sys.argv[1])]
counts = {}
for phase in phases:
    if phase["record"] == "phase" and phase["verb"] in ("write", "read", "create", "stat"):
        counts[phase["verb"]] = counts.get(phase["verb"], 0) + 1
assert len(set(counts.values())) == 1, counts
print(*set(counts.values()))
P
}

# ranks RANKS WORD...: a run whose file has this run only
again() {
    rm -f "$result"
    run "$@" --result "$result"
    [[ $status == 0 ]] || fail "exit code $status"
}

# The delays make all repetitions alike: five suffice, and -i asks for more.
delayed=(ior -a DUMMY --dummy.delay-xfer 60000 -w -r -t 64k -b 128k -o "$files/f")
again 2 "${delayed[@]}" --until-interval 50%
[[ $(repetitions) == 5 ]] || fail "$(repetitions) repetitions of alike ones, not 5"
grep -Eq '^write .* 2 +5 ' "$out" || grep -Eq '^write .*[^0-9]5[^0-9]' "$out" || fail "the summary does not have 5 repetitions"
again 2 "${delayed[@]}" --until-interval 50% -i 7
[[ $(repetitions) == 7 ]] || fail "$(repetitions) repetitions, and -i 7 asks for more"

# Nothing is as narrow as 0.1 % here: the two limits end it, and a warning has the width.
again 2 ior -w -r -t 64k -b 64k -o "$files/f" --until-interval 0.1% --max-repetitions 9
[[ $(repetitions) == 9 ]] || fail "$(repetitions) repetitions, and not --max-repetitions 9"
grep -q 'is +-.* after 9 repetitions, more than 0.1 %: --max-repetitions ended them' "$err" || fail "a wide interval has no warning"
again 1 ior -a DUMMY --dummy.delay-xfer 300000 -w -t 64k -b 64k -o "$files/f" --until-interval 0.1% --repeat-time 500ms
(($(repetitions) < 9)) || fail "$(repetitions) repetitions in half a second"
grep -q -- '--repeat-time ended them' "$err" || fail "a wide interval has no warning"

again 2 mdtest -F -n 10 -d "$files/d" --until-interval 0.1% --max-repetitions 6
[[ $(repetitions) == 6 ]] || fail "$(repetitions) repetitions of mdtest, and not --max-repetitions 6"
grep -q 'of 6 iterations' "$out" || fail "mdtest does not have 6 iterations"

# What cannot be is refused with its reason.
refuse() { # refuse PATTERN WORD...
    local pattern=$1
    shift
    capture "$WEIR" "$@"
    [[ $status == 2 ]] || fail "exit code $status, not 2"
    grep -Eq -- "$pattern" "$err" || fail "the reason is not \"$pattern\""
}
refuse 'has no repetitions' dd if=/dev/zero of="$files/x" bs=64k count=1 --until-interval 3%
refuse 'has no repetitions' md-workbench -I 2 -P 2 -o "$files/d" --until-interval 3%
refuse 'fewer than the 5' ior -o "$files/f" --until-interval 3% --max-repetitions 4
refuse 'use both' ior -o "$files/f" --max-repetitions 9
refuse 'is no share' ior -o "$files/f" --until-interval 3s
refuse '--resume' ior -o "$files/f" --until-interval 3% --resume --result "$result"
