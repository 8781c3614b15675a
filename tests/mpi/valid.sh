#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# JSON and CSV are valid whatever the files are called and however the run goes, and nothing else is on standard output.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
small=(-t 64k -b 256k)

valid() { # valid KIND FILE [EXPRESSION]
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/valid.py" "$@" >"$work/why" 2>&1 || fail "$2 is no valid $1: $(cat "$work/why")"
}

# The same run in both formats; each is told again from its result file in both.
both() { # both EXIT JSON_EXPRESSION CSV_EXPRESSION RANKS OPTION...
    local code=$1 of_json=$2 of_csv=$3 ranks=$4
    shift 4
    rm -f "$result"
    run "$ranks" "$@" -O summaryFormat=JSON --result "$result"
    expect_exit "$code"
    valid json "$out" "$of_json"
    capture "$WEIR" report "$result" --format json
    expect_done
    valid json "$out" "$of_json"
    capture "$WEIR" report "$result" --format csv
    expect_done
    valid csv "$out" "$of_csv"
    run "$ranks" "$@" -O summaryFormat=CSV
    expect_exit "$code"
    valid csv "$out" "$of_csv"
}

# ---------------------------------------------------------------- names

rows_of_both='[r["access"] for r in document["tests"][0]["Results"]] == ["write", "read"]'
plain="$files/"$'a "b", c\n\xc3\xbc\t\\d'
name_is="document['tests'][0]['Parameters']['testFileName'].endswith('a \"b\", c\\n\\xfc\\t\\\\d')"
both 0 "$rows_of_both and $name_is" 'len(rows) == 2' 2 "${small[@]}" -w -r -o "$plain"
both 0 "$rows_of_both" 'len(rows) == 2' 2 "${small[@]}" -w -r -F -o "$files/"$'\xff\xfe \xc3'

# ---------------------------------------------------------------- loads

# Mixed phases, and open loops that keep up with their rate or do not.
pace_of='[p["pace"] and p["pace"]["asked_per_s"] for p in document["Weir"]["phases"] if p["verb"] != "remove"]'
both 0 '[r["access"] for r in document["tests"][0]["Results"]] == ["write", "mixed", "read"]' \
    '[row["access"] for row in rows] == ["write", "mixed", "read"]' 2 "${small[@]}" -w -r --read-percent 70 -o "$files/f"
both 0 "$pace_of == [2000.0, 2000.0]" 'len(rows) == 2' 2 -a DUMMY -t 64k -b 2m -w -r --rate 2000 -o "$files/f"
for format in JSON CSV; do
    run 2 -a DUMMY --dummy.delay-xfer=2000 -t 64k -b 2m -w --rate 2000 -O summaryFormat=$format -o "$files/f"
    expect_done
    valid "${format,,}" "$out"
    expect_error ' 2000 transfers/s '
done
run 2 -a DUMMY --dummy.delay-xfer=2000 -t 64k -b 2m -w --rate 2000 -O warningAsErrors=1 -o "$files/f"
expect_exit 1
expect_error 'lower --rate'

# ---------------------------------------------------------------- warnings

# Files that are there, a deadline with wear-out, and a format of 3.2: what the text has lines for is on standard error.
run 2 "${small[@]}" -w -k -o "$files/f"
expect_done
for options in "" "--compat 3.3" "--compat 3.2"; do
    # shellcheck disable=SC2086
    run 2 "${small[@]}" -w -k $options -O summaryFormat=JSON -o "$files/f"
    expect_done
    valid json "$out"
    expect_error "^weir: $files/f "
done
run 2 "${small[@]}" -w -k -E -O summaryFormat=CSV -o "$files/f"
expect_done
valid csv "$out" 'len(rows) == 1'
expect_error "^weir: $files/f "
rm -f "$files/f"

for options in "-D 0.2" "-D 0.2 -O stoneWallingWearOut=1" "-D 0.000001"; do
    # shellcheck disable=SC2086
    both 0 'len(document["summary"]) == 1' 'len(rows) == 1' 2 -a DUMMY --dummy.delay-xfer=1000 -t 64k -b 64k -s 400 \
        -w $options -o "$files/f"
done
run 2 -a DUMMY --dummy.delay-xfer=1000 -t 64k -b 64k -s 400 -w -D 0.1 -O summaryFormat=CSV -o "$files/f"
expect_done
expect_error ' 52428800 '

# ---------------------------------------------------------------- runs that do little, or not all

both 0 "$rows_of_both" 'len(rows) == 2' 2 "${small[@]}" --dryRun -o "$files/f"
both 0 'document["tests"][0]["Options"]["tasks"] == 1' 'len(rows) == 2 and rows[0]["numTasks"] == "1"' 3 "${small[@]}" -N 1 \
    -o "$files/f"
both 0 'len(document["tests"][0]["Results"]) <= 1' 'len(rows) <= 1' 2 -a DUMMY --dummy.delay-xfer=30000 -t 64k -b 1m -i 3 \
    -T 0.001 -o "$files/f"
both 0 '[r["access"] for r in document["tests"][0]["Results"]] == ["write", "read", "remove"]' 'len(rows) == 2' 2 \
    "${small[@]}" -v -o "$files/f"

# ---------------------------------------------------------------- runs that fail

both 1 'document["tests"][0]["Results"] == [] and document["summary"] == []' 'rows == []' 2 "${small[@]}" -r \
    -o "$files/missing"
for format in JSON CSV; do
    run 2 "${small[@]}" -w -O summaryFormat=$format -o "$work/nowhere/f"
    ((status != 0)) || fail "a missing directory is no error"
    if [[ -s $out ]]; then valid "${format,,}" "$out"; fi
    capture mpiexec -n 2 "$WEIR_TEST" -a fault:posix --fault.verb write --fault.at 5 --fault.errno ENOSPC \
        -t 64k -b 1m -w -r -v -O summaryFormat=$format -o "$files/f"
    expect_exit 1
    valid "${format,,}" "$out"
    expect_error 'No space left on device'
    capture mpiexec -n 2 "$WEIR_TEST" -a fault:posix --fault.verb read --fault.every 2 --fault.flip \
        "${small[@]}" -w -R -i 2 -O summaryFormat=$format -o "$files/f"
    expect_exit 1
    valid "${format,,}" "$out"
    (($(grep -c ' read .* wrong' "$err") == 2)) || fail "wrong data are not told twice"
done

# ---------------------------------------------------------------- runs that are ended

has_result() { grep -q '"record":"phase"' "$result" 2>/dev/null; }
for format in JSON CSV; do
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" -w -t 64k -b 3200k -i 3 -O interIODelay=20000,summaryFormat=$format -o "$files/f" \
        --result "$result"
    wait_until 100 has_result || fail "the first repetition does not end"
    sleep 0.2
    signal_ranks TERM
    end_of_run
    expect_exit 1
    valid "${format,,}" "$out"
    expect_error 'interrupted'
done

# ---------------------------------------------------------------- several tests, and a file for the report

cat >"$work/job.ior" <<END
IOR START
    testFile=$files/f
    transferSize=64k
    blockSize=256k
RUN
    filePerProc=1
    repetitions=2
RUN
    readFile=1
    testFile=$files/missing
IOR STOP
END
both 1 'len(document["tests"]) == 3 and [len(t["Results"]) for t in document["tests"]] == [2, 4, 0]' 'len(rows) == 6' 2 \
    -f "$work/job.ior"
for format in JSON CSV; do
    run 2 -f "$work/job.ior" --summaryFile="$work/sum, \"1\"" -O summaryFormat=$format \
        --saveRankPerformanceDetailsCSV="$work/rank, \"1\"" --savePerOpDataCSV="$work/op, \"1\""
    expect_exit 1
    [[ ! -s $out ]] || fail "the report is not in its file alone"
    valid "${format,,}" "$work/sum, \"1\""
    valid rank-csv "$work/rank, \"1\"" 'len(rows) == 12'
    for ops in "$work/op, "*; do valid op-csv "$ops" 'len(rows) in (0, 4)'; done
    rm -f "$work/op, "*
done
