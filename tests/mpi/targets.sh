#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir targets: one slow target of five is named, in its table, as a finding, and again from the result file; too few ranks are
# refused before anything is made; files are gone afterwards, or stay with --keep; OSTs and BeeGFS targets are those that
# stand-ins for lfs and beegfs-ctl list.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
names=(a b c d e)
mkdir -p "${names[@]/#/$files/}"

small() { # small: the second target has too little room, and the third is read-only, in a mount namespace of this shell
    mount -t tmpfs -o size=1m tmpfs "$files/b"
    run 1 targets "$files/a" "$files/b" --size 8m --buffered --alone-only --must-fit --result "$result"
    ((status == 2)) && grep -q "$files/b: files of 8 MiB do not fit into 1" "$err" || fail "a target without room is not found before"
    [[ ! -e $result ]] || ! grep -q '"phase"' "$result" || fail "something was measured first"
    run 1 targets "$files/a" "$files/b" --size 8m --buffered --alone-only
    ((status == 1)) && grep -q "$files/b: files of 8 MiB do not fit into 1" "$err" || fail "a target without room is not warned of"
    # Two directories on one file system are named, and two file systems are not.
    mount -t tmpfs -o size=16m tmpfs "$files/d"
    mount -t tmpfs -o size=16m tmpfs "$files/e"
    mkdir "$files/d/one" "$files/d/two"
    run 1 targets "$files/d/one" "$files/d/two" --size 1m --buffered --alone-only -i 1
    expect_done
    expect_line "shared-target [^:]*: $files/d/one and $files/d/two are on one disk or file system"
    run 1 targets "$files/d/one" "$files/e" --size 1m --buffered --alone-only -i 1
    expect_done
    expect_no_line shared-target
    # A bind mount of a tmpfs has no disk and another mount point.
    mkdir "$files/bound"
    mount --bind "$files/d/one" "$files/bound"
    run 1 targets "$files/d/two" "$files/bound" --size 1m --buffered --alone-only -i 1
    expect_done
    expect_line "shared-target [^:]*: $files/d/two and $files/bound are on one disk or file system"
    umount "$files/bound"
    rmdir "$files/bound"
    umount "$files/d" "$files/e"
    mount -t tmpfs -o ro tmpfs "$files/c"
    run 1 targets "$files/a" "$files/c" --size 1m --buffered --alone-only --result "$result"
    ((status == 2)) && grep -q "$files/c: Read-only" "$err" || fail "a read-only target is not found before"
    umount "$files/b" "$files/c"
}
if [[ ${1-} == small ]]; then
    small
    exit
fi
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    unshare -m bash "$0" small || exit 1
fi

expect_empty() {
    [[ -z $(find "$files" -type f) ]] || fail "files are left: $(find "$files" -type f)"
}

# Transfers are due at a rate that any machine keeps up with; those on one target come a second late each: as late as a crowded
# machine makes those on the others seldom are.
slow() { # slow OPTION...: five targets, of which c is slow
    capture mpiexec -n 5 "$WEIR_TEST" targets "${names[@]/#/$files/}" -a fault:posix --buffered --size 512k --transfer 256k \
        --rate 10 --rate-of rank --fault.in /c/ --fault.every 1 --fault.delay 1000000 -i 2 "$@"
}

run 4 targets "${names[@]/#/$files/}" --size 1m --buffered
((status == 2)) || fail "4 ranks are not refused with 2"
grep -q 'mpiexec -n 5' "$err" || fail "the refusal does not name the number of ranks"
grep -q -- '--alone-only' "$err" || fail "the refusal does not name the other way out"
expect_empty

# What is wrong with any of them is told before the first is written, all of it at once.
run 2 targets "$files/a" "$files/gone" "$files/b" "$files/c/gone" --size 1m --buffered --alone-only --result "$work/none.jsonl"
((status == 2)) && grep -q "$files/gone: No such.*$files/c/gone: No such" "$err" || fail "missing directories are not told at once"
! grep -q '"phase"' "$work/none.jsonl" 2>/dev/null || fail "something was measured first"
expect_empty

is_named() { # with the report and the result file of the last try
    rm -f "$result"
    slow --result "$result"
    ((status == 0)) || fail "a slow target alone makes the exit code $status"
    # Tables and findings have numbers of tests.
    expect_line "^weir +test [0-9]+, [0-9]+: $files/c\$"
    expect_line '^weir +test [0-9]+: all targets at once$'
    expect_empty
    cp "$out" "$work/told"
    "$WEIR_PYTHON" - "$WEIR_TEST" "$result" "$files" <<'END' || fail "the slow one is not named"
import csv, io, json, subprocess, sys
weir, result, files = sys.argv[1:]
report = lambda form: subprocess.run([weir, "report", result, "--format", form, "--plain"], capture_output=True, text=True, check=True).stdout
rows = list(csv.DictReader(io.StringIO(report("csv"))))
rows = [row for row in rows if row["figure"] == "rate"]
for access in ("write", "read"):
    rates = {}
    for row in rows:
        if row["name"] == access:
            rates.setdefault(row["target"], []).append(float(row["value"]))
    alone = {target: sum(values) / len(values) for target, values in rates.items() if target != ""}
    assert len(alone) == 5 and "" in rates, rates
    assert min(alone, key=alone.get) == files + "/c", alone
    assert len({row["case_id"] for row in rows if row["name"] == access and row["target"] != ""}) == 1, rows
found = [(record["phase"], finding) for record in map(json.loads, open(result)) if record.get("record") == "phase" or "findings" in record
         for finding in record.get("findings", []) if finding["name"] == "slow-target"]
assert sum(files + "/c has" in finding["text"] for _, finding in found) == 2, found
assert all(finding["level"] == "warning" for _, finding in found), found
END
}
once_in 3 is_named
"$WEIR_TEST" report "$result" >"$work/again"
diff <(grep -v '^weir' "$work/told") <(grep -v '^weir' "$work/again") || fail "the report from the file differs"
# shellcheck disable=SC2016
grep -q '^weir .* slow-target [^:]*: ' "$work/told" || fail "the finding is not in the report"

slow --alone-only -i 1 --warnings-as-errors
((status == 1)) || fail "warnings as errors: $status, not 1"
# One repetition tells nothing of noise; half of the targets slow, and there is no usual.
grep -q ' slow?$' "$out" && grep -q -- '-i tell' "$out" || fail "one repetition leaves no doubt"
! grep -q ' slow?$' "$work/told" || fail "two repetitions leave it"
mkdir -p "$files/c/1" "$files/c/2"
capture mpiexec -n 4 "$WEIR_TEST" targets "$files/a" "$files/b" "$files/c/1" "$files/c/2" -a fault:posix --buffered --size 512k \
    --transfer 256k --rate 10 --rate-of rank --fault.in /c/ --fault.every 1 --fault.delay 1000000 -i 2 --alone-only
((status == 0)) && grep -q 'slow: cannot tell' "$out" || fail "none is slow where none could be seen"
rm -r "$files/c/1" "$files/c/2"

# Files that stay are read again; K ranks for each.
run 4 targets "$files/a" "$files/b" --size 1m --transfer 256k --ranks-per-target 2 -i 2 --buffered --keep --warnings-as-errors
((status == 0)) || grep -q 'oversubscribed' "$out" || fail "there is something to warn of"
[[ $(find "$files" -type f -printf '%P\n' | sort | xargs) == "$(printf "%s/weir-targets.%s " a 00000000 a 00000001 a all.00000000 a all.00000002 b 00000000 b 00000001 b all.00000001 b all.00000003 | sed "s/ $//")" ]] ||
    fail "other files than those of two ranks each: $(find "$files" -type f)"
run 4 targets "$files/a" "$files/b" --size 1m --transfer 256k --ranks-per-target 2 -i 1 --buffered --read-only
expect_done
run 4 targets "$files/a" "$files/b" --size 1m --transfer 256k --ranks-per-target 2 -i 1 --buffered --read-only
grep -q 'needs 4; ' "$out" || fail "two targets are judged"
! grep -q '^write' "$out" || fail "something was written"
rm "$files"/?/weir-targets.*

# Stand-ins, for they are not here.
PATH="$WEIR_ROOT/tests/mocks/bin:$PATH" LFS_LOG=$work/lfs run 3 targets --lustre "$files/a" --size 64k --transfer 64k -i 1 --buffered
expect_done
grep -q '^scratch-OST0003 ' "$out" || fail "an OST is not in the table"
! grep -q '^scratch-OST0002 ' "$out" || fail "an inactive OST is in the table"
[[ $(cut -d' ' -f1 "$work/lfs" | xargs) == "0 1 3 0 1 3" ]] || fail "files were made elsewhere: $(cat "$work/lfs")"
PATH="$WEIR_ROOT/tests/mocks/bin:$PATH" run 2 targets --beegfs "$files/a" --size 64k --transfer 64k -i 1 --buffered
expect_done
grep -q '^target 102 ' "$out" || fail "a target of BeeGFS is not in the table"
expect_empty
for kind in lustre beegfs; do
    capture env "PATH=/nowhere" "$WEIR" targets --$kind "$files/a"
    ((status == 2)) || fail "--$kind without its tools: $status"
done

# A file that cannot be made on its target ends the run, and those that were made are removed.
mkdir "$work/bin"
sed 's/^setstripe)$/&\n    [[ $5 != 3 ]] || exit 1/' "$WEIR_ROOT/tests/mocks/bin/lfs" >"$work/bin/lfs"
chmod +x "$work/bin/lfs"
PATH="$work/bin:$PATH" run 3 targets --lustre "$files/a" --size 64k --transfer 64k -i 1 --buffered
((status == 1)) || fail "a command that fails makes the exit code $status"
grep -q 'setstripe -c 1 -i 3' "$err" || fail "the command that failed is not named"
expect_empty

# Without --size a run that would move more than 1 GiB is refused and says how much that is; --explain says it, too.
run 2 targets "$files/a" "$files/b" -i 2
expect_exit 2
expect_error '^weir: targets: --size: without it, 10 GiB on each of the targets \(2\) would be written and read 2 times, and again by all together: 160 GiB in all; give --size'
capture "$WEIR" targets "$files/a" -i 1 --explain
expect_done
expect_error '20 GiB in all$'
expect_empty

# An option that has nothing to do is said, and the run goes on.
run 1 targets "$files/a" --size 64k --transfer 64k -i 1 --buffered --write allow --limit-together 5GB/s
expect_done
expect_line '^WARNING: --write: .*: it changes nothing$'
expect_line '^WARNING: --limit-together: .*: it changes nothing$'

# A signal in a test of one target and in the test of all leaves no file.
in_test_of_all() { ls "$files"/?/weir-targets.all.*; }
in_test_of_one() { ls "$files"/?/weir-targets.0*; }
interrupt() { # interrupt SIGNAL WHEN OPTION...
    local signal=$1 when=$2
    shift 2
    launch mpiexec -n 2 "$WEIR" targets "$files/a" "$files/b" -i 1 --buffered --transfer 64k --rate 20 --rate-of rank "$@"
    wait_until 60 "$when" || fail "the test did not begin"
    signal_ranks "$signal"
    end_of_run
    ((status != 0)) || fail "a run that was interrupted ends with 0"
    expect_empty
}
for signal in INT TERM; do
    interrupt "$signal" in_test_of_one --size 64m
    interrupt "$signal" in_test_of_all --size 4m # 3 s to write, and as many to read
done
