#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# JSON and CSV parse whatever happens, the plain report is IOR's alone, and a stored result can be told again.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
small=(-t 64k -b 256k -i 2)

valid_json() { # valid_json FILE
    python3 -m json.tool "$1" >/dev/null || fail "$1 is not valid JSON"
}

valid_lines() { # valid_lines FILE
    python3 -m json.tool --json-lines "$1" >/dev/null || fail "$1 is not valid JSON lines"
}

valid_csv() { # valid_csv FILE ROWS
    python3 - "$1" "$2" <<'END' || fail "$1 is not valid CSV"
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert len(rows) == 1 + int(sys.argv[2]), rows
assert all(len(row) == len(rows[0]) == 14 for row in rows), rows
assert rows[0][:3] == ["access", "bw(MiB/s)", "IOPS"] and rows[0][12:] == ["believed", "findings"], rows[0]
assert all(row[0] in ("write", "read") and [float(x) for x in row[1:12]] for row in rows[1:]), rows
assert all(row[12] and ":" not in row[13] for row in rows[1:]), rows
END
}

name="$files/it's \"quoted\""
for options in "" "-v" "-vv" "-F -W -R"; do
    # shellcheck disable=SC2086
    run 2 "${small[@]}" -w -r $options -O summaryFormat=JSON -o "$name" --result "$result"
    expect_done
    valid_json "$out"
    # shellcheck disable=SC2086
    run 2 "${small[@]}" -w -r $options -O summaryFormat=CSV -o "$name"
    expect_done
    valid_csv "$out" 4
done
valid_lines "$result"

run 2 "${small[@]}" -w -r -O summaryFile="$work/summary.json",summaryFormat=JSON -o "$files/f"
expect_done
valid_json "$work/summary.json"

# Errors do not get in between.
run 2 "${small[@]}" -r -O summaryFormat=JSON -o "$files/missing"
expect_exit 1
valid_json "$out"

rm -f "$result"
run 2 "${small[@]}" -w -r -o "$files/f" --result "$result"
expect_done
expect_line '^IOR-4\.1\.0\+weir'
expect_line '^Max Write: [0-9.]+ MiB/sec \([0-9.]+ MB/sec\)$'
expect_line '^Max Read:  [0-9.]+ MiB/sec \([0-9.]+ MB/sec\)$'
valid_lines "$result"
cp "$out" "$work/full"

# Our own block stands behind IOR's end, and no script that greps for IOR's words finds them there.
sed '1,/^Finished/d' "$work/full" >"$work/ours"
[[ -s $work/ours ]] || fail "there is no block of our own"
! grep -E '^ *(read|write|remove|Max|IOR|Operation)' "$work/ours" || fail "our block looks like IOR's rows"
run 2 "${small[@]}" -w -r --plain -o "$files/f"
expect_done
[[ -z $(sed '1,/^Finished/d' "$out") ]] || fail "--plain leaves something behind 'Finished'"

# The summary has 27 fields, as its header has names.
awk '/^Operation/ { fields = NF } /^(write|read) .* POSIX/ && NF != fields { exit 1 } END { exit fields != 27 }' \
    "$out" || fail "the summary has not 27 fields"

capture "$WEIR" report "$result" --format json
expect_done
valid_json "$out"
capture "$WEIR" report "$result" --format csv
expect_done
valid_csv "$out" 4
capture "$WEIR" report "$result" --format ior
expect_done
diff <(grep -E '^(write|read) ' "$out") <(grep -E '^(write|read) ' "$work/full") >"$work/differ" ||
    fail "the stored result is told differently: $(cat "$work/differ")"

# Told again, in any layout that there was, it is the same to the letter.
tell_again() { # tell_again VERSION SUMMARY_FORMAT FORMAT
    rm -f "$result"
    run 2 "${small[@]}" -v -w -r -W --compat "$1" -O summaryFormat="$2" --plain -o "$files/f" --result "$result"
    expect_done
    cp "$out" "$work/full"
    capture "$WEIR" report "$result" --compat "$1" --format "$3" --plain
    expect_done
    diff "$out" "$work/full" >"$work/differ" || fail "the $2 of $1 is told differently: $(cat "$work/differ")"
}
for version in 4.1 4.0 3.3 3.2 3.0 2.10; do tell_again $version default ior; done
for version in 4.1 4.0 3.3 3.2; do tell_again $version JSON json; done
for version in 4.1 4.0; do tell_again $version CSV csv; done
# With our own block, of loads that are in no version of IOR.
for load in "-a DUMMY --depth auto:4" "-a DUMMY --depth 8 --rate 20000" "--read-percent 30 --rate 50m"; do
    rm -f "$result"
    # shellcheck disable=SC2086
    run 2 "${small[@]}" -w -r $load -o "$files/f" --result "$result"
    expect_done
    cp "$out" "$work/full"
    capture "$WEIR" report "$result"
    expect_done
    diff "$out" "$work/full" >"$work/differ" || fail "$load is told differently: $(cat "$work/differ")"
done

capture "$WEIR" --version
expect_done
expect_line '^weir [0-9]'
capture "$WEIR" backends
expect_done
for backend in posix direct mpiio null; do expect_line "^ *$backend\b"; done
expect_no_line '^ *fault\b'
capture "$WEIR_TEST" backends
expect_line '^ *fault\b'

# A file name cannot make up lines of results or steer a terminal: not in the report, not in a refusal, not in the plan.
odd="$files/a"$'\nMax Write: 9 MiB\x1b[31m\xc2\x9b1m\xe2\x80\xa8Max Read:  9 MiB'
no_odd_bytes() { # no_odd_bytes FILE
    python3 - "$1" <<'END' || fail "$1 has what a file name put there: $(cat -v "$1")"
import sys
text = open(sys.argv[1], errors="surrogateescape").read()
assert "\x1b" not in text and "\x9b" not in text
assert "\nMax Write: 9 MiB" not in text and not any(line.startswith("Max Read:  9 MiB") for line in text.splitlines())
END
}
run 2 "${small[@]}" -v -w -r -k -o "$odd"
expect_done
no_odd_bytes "$out"
run 2 "${small[@]}" -w -O summaryFormat=CSV -o "$odd"
expect_done
expect_error "^weir: $files/a.*Max Write"
no_odd_bytes "$err"
run 1 "${small[@]}" -w -o "$odd/nowhere/f"
expect_exit 2
no_odd_bytes "$out"
no_odd_bytes "$err"

# A report is made of the file alone: words that are refused today, and a script and backend that are gone, change nothing.
rm -f "$result"
run 2 "${small[@]}" -w -r -o "$files/f" --result "$result"
expect_done
cp "$out" "$work/full"
sed -E 's/"argv":\[[^]]*\]/"argv":["ior","-a","TAPE","--no-such-option","-t","0"]/; s/"name":"posix"/"name":"tape"/g' \
    "$result" >"$work/older"
cmp -s "$result" "$work/older" && fail "the words stand as they were"
capture "$WEIR" report "$work/older"
expect_done
diff "$out" "$work/full" >"$work/differ" || fail "words that are refused are told differently: $(cat "$work/differ")"

# Another schema is refused by both names.
sed 's/weir-result-2/weir-result-1/' "$result" >"$work/other"
capture "$WEIR" report "$work/other"
expect_exit 3
expect_error 'weir-result-1.*weir-result-2'

# A least time moves the data again: more bytes than the layout has are what was asked for.
run 2 -t 64k -b 64k -w -r -O minTimeDuration=0.1,summaryFormat=CSV -o "$files/f" --result "$result"
expect_done
expect_record "written.bytes > 131072 and reading.bytes > 131072"
! grep -q 'bytes were moved' "$err" || fail "bytes of a phase that fills a least time are called too many"
