#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pictures and pages of real runs: what is recorded of single ranks agrees with the sums of the phase, and each form is made.
. "$(dirname "$0")/lib.sh"

run 4 ior -w -r -F -e -t 64k -b 4m --rate 400 -i 3 -o "$files/f" --result "$work/r" --label '"><script>'
run 4 mdtest -n 40 -d "$files/t" --result "$work/m"
run 1 ior -w -t 64k -b 1m -o "$files/g" --result "$work/one"
capture timeout 120 mpiexec -n 2 "$WEIR_TEST" -a fault:posix -w -F -t 4k -b 64m --fault.rank 1 --fault.at 9000 --fault.errno ENOSPC -o "$files/full" \
    --result "$work/failed"
expect_exit 1

# ---- the record

"$WEIR_PYTHON" - "$work/r" <<'P' || fail "the record of ranks does not agree with the phase"
import json, sys
phases = [line for line in map(json.loads, open(sys.argv[1])) if line["record"] == "phase" and line["verb"] in ("write", "read")]
assert len(phases) == 6
for phase in phases:
    series, each = phase["rank_series"], phase["each_rank"]
    cells = [int(row[i:i + 2], 16) for row in series["levels"] for i in range(0, len(row), 2)]
    total = sum(cell * cell for cell in cells) / 255**2 * series["greatest"]
    inexact = sum(cell + 0.25 for cell in cells) / 255**2 * series["greatest"]
    rates = each["rates"]
    assert series["in_bytes"] and len(series["levels"]) == 4 and series["ranks_per_row"] == 1
    # The last interval of 64 may have fewer parts than the others, whose mean it is.
    assert phase["bytes"] - inexact - 1 <= total <= phase["bytes"] + inexact + 4 * series["greatest"] + 1, (total, phase["bytes"])
    assert max(cells) == 255 and series["interval_ns"] * len(series["levels"][0]) / 2 >= phase["series"]["interval_ns"] * len(phase["series"]["ops"])
    assert each["in_bytes"] and sorted(rates["rank"]) == [0, 1, 2, 3] and rates["per_s"] == sorted(rates["per_s"])
    assert abs(rates["per_s"][-1] / phase["rank_rates"]["bytes_per_s_max"] - 1) < 1e-9
    assert abs(sum(rates["per_s"]) / phase["rank_rates"]["bytes_per_s_sum"] - 1) < 1e-9
P
"$WEIR_PYTHON" - "$work/failed" "$("$WEIR" report "$work/failed" --picture rate-write --format gnuplot 2>/dev/null | grep '^set arrow')" <<'P' ||
import json, re, sys
phase = next(line for line in map(json.loads, open(sys.argv[1])) if line["record"] == "phase" and line["failure"])
assert 0 < phase["failure_s"] < phase["windows"]["total_s"] + 1, (phase["failure_s"], phase["windows"]) # since the start of all, the time of the phase since its first open
assert abs(float(re.search(r"first ([0-9.e-]+)", sys.argv[2])[1]) / phase["failure_s"] - 1) < 1e-6, sys.argv[2]
P
    fail "a failure is not marked where it happened"
grep -q rank_series "$work/one" && fail "a run of one rank has a matrix of ranks"

# ---- each form

capture "$WEIR" report "$work/r" --picture list
cp "$out" "$work/names"
for name in repetitions rate-write rate-read latency-write ranks-write heat-read backlog-write; do
    grep -q "^$name " "$work/names" || fail "there is no picture $name"
    capture "$WEIR" report "$work/r" --picture "$name" --format svg --output "$work/$name.svg"
    [[ $status == 0 && $(stat -c %a "$work/$name.svg") == 644 ]] || fail "no picture $name"
done
capture "$WEIR" report "$work/m" --picture operations
grep -q 'File creation' "$out" || fail "no picture of operations"
capture "$WEIR" report "$work/r" --picture rate --format svg
[[ $status == 2 ]] && grep -q 'choose one of rate-write, rate-read' "$err" || fail "two pictures in one file"
capture "$WEIR" report "$work/r" --picture nothing
[[ $status == 2 ]] && grep -q 'it has ' "$err" || fail "a picture that is not there"
capture "$WEIR" report "$work/r" "$work/m" --run all --format html --output "$work/page"
capture "$WEIR" report "$work/r" --run last --format html --output "$work/page" # in the place of the old one
echo precious >"$work/foreign"
capture "$WEIR" report "$work/r" --format html --output "$work/foreign"
[[ $status == 2 && $(cat "$work/foreign") == precious ]] || fail "a file of others was replaced"
capture "$WEIR" report "$work/r" --format html --redact
grep -qw -e "$(hostname)" -e "$files" "$out" && fail "the page has names"

# ---- comparisons

run 2 ior -w -r -F -e -t 64k -b 256k -i 3 -o "$files/f" --result "$work/a"
run 2 ior -w -r -F -e -t 64k -b 256k -i 3 -o "$files/f" --result "$work/b"
for format in html svg gnuplot; do
    capture "$WEIR" compare "$work/a" -- "$work/b" --allow-unsure --format $format --output "$work/compared.$format"
    [[ -s $work/compared.$format ]] || fail "no comparison as $format"
done
for name in change sides; do
    capture "$WEIR" compare "$work/a" -- "$work/b" --allow-unsure --picture $name
    grep -q 'write' "$out" || fail "no picture $name of the comparison"
done
for format in text json html; do # the second one takes the place of the first
    for again in 1 2; do
        capture "$WEIR" compare "$work/a" -- "$work/b" --allow-unsure --format $format --output "$work/replaced.$format"
        grep -q 'holds no report' "$err" && fail "a comparison as $format was not replaced"
    done
done
capture "$WEIR" compare "$work/a" -- "$work/b" --allow-unsure --output "$work/foreign"
[[ $status == 2 && $(cat "$work/foreign") == precious ]] || fail "a comparison replaced a file of others"
capture "$WEIR" compare "$work/a" -- "$work/b" --picture speed
[[ $status == 2 ]] && grep -q '^weir: compare: .*it has change, sides' "$err" || fail "a picture that is not there"
"$WEIR_PYTHON" - "$work"/*.svg <<'P' || fail "a picture is no XML"
import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    assert tree.parse(path).getroot().get("aria-label"), path
P
grep -q '<script' "$work/page" "$work/compared.html" && fail "a label became markup"
exit 0
