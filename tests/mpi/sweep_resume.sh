#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sweep of 1 to 32 ranks with a fixed total is killed in the middle and run again with --resume: what was finished is kept as it
# was measured, the rest is done once, and the last run of the file has every phase of every step.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# 4 MiB in pieces of 64 KiB at 400 a second: each phase takes 0.16 s on any machine.
words=(sweep ranks=1..32x2 total=4m -- ior -w -r -F -t 64k -i 2 --rate 400 -o "$files/f" --result "$result")

phases() { grep -c '"record":"phase"' "$result"; }
has_phases() { (($(phases) >= $1)); }

launch mpiexec -n 32 "$WEIR" "${words[@]}"
wait_until 120 has_phases 15 || fail "the run does not come to its third step"
signal_ranks KILL
end_of_run
((status != 0)) || fail "a run that was killed ends with 0"
cp "$result" "$work/cut.jsonl"

capture mpiexec -n 32 "$WEIR" "${words[@]}" --resume
expect_done
expect_files ''
"$WEIR_PYTHON" - "$work/cut.jsonl" "$result" <<'END' || fail "finished steps are not kept, or others not done once"
import json, sys
def phases(lines):
    found = {}
    for line in lines:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if record["record"] == "phase":
            key = record["test"], record["repetition"], record["phase"]
            assert key not in found, key
            found[key] = record
    return found
cut = open(sys.argv[1]).read().splitlines()
whole = open(sys.argv[2]).read().splitlines()
begin = max(number for number, line in enumerate(whole) if line.startswith('{"record":"run"'))
first, last = phases(cut), phases(whole[begin:])
assert len(last) == 6 * 2 * 3 and all(phase["outcome"] == "complete" for phase in last.values()), len(last)
kept = {key for key, phase in last.items() if phase.get("reused_from")}
finished = {test for test in range(6) if sum(key[0] == test for key in first) == 6}
# Of the step that was cut, the first repetition is kept if its write, read and removal were finished.
whole_first = {test for test in range(6) if sum(key[:2] == (test, 0) for key in first) == 3}
assert finished >= {0, 1}, finished
assert kept == {key for key in first if key[0] in finished or (key[1] == 0 and key[0] in whole_first)}, (finished, whole_first, kept)
ran = json.loads(cut[0])["run_id"]
for key in kept:
    assert last[key]["reused_from"] == ran
    assert (last[key]["windows"], last[key]["begun_s"], last[key]["bytes"]) == (first[key]["windows"], first[key]["begun_s"], first[key]["bytes"]), key
died = max(phase["begun_s"] for phase in first.values())
assert all(phase["begun_s"] > died for key, phase in last.items() if key not in kept)
assert all(phase["bytes"] == 4 << 20 for phase in last.values() if phase["verb"] != "remove")
END
[[ $("$WEIR" report "$result" --format csv-long 2>"$err" | grep ',write,write,' | grep ',rate,' | cut -d, -f11 | sort -u | wc -l) == 6 ]] ||
    fail "the lines of writes have not six steps"
