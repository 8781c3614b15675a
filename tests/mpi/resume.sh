#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --resume: a run is cut by a signal, by the death of all its ranks, and in the middle of a line of its result file; the next one
# keeps the tests that were finished, does not touch their files, and its record and its report are whole.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
unset SLURM_JOB_END_TIME WEIR_JOB_END_TIME
ranks=6

# Three tests of one file each: a write and a read of 0.2 s in two repetitions.
for i in 0 1 2; do
    echo "testFile=$files/f$i"
    echo RUN
done >"$work/tests"
{
    printf '%s\n' 'IOR START' transferSize=64k blockSize=640k interIODelay=20000 keepFile=1 repetitions=2
    cat "$work/tests"
    echo 'IOR STOP'
} >"$work/job.ior"
job=("$WEIR" ior -f "$work/job.ior" --result "$result")

phases() { # phases COUNT: so many phases are recorded
    local count
    count=$(grep -c '"record":"phase"' "$result" 2>/dev/null) || true
    ((count >= $1))
}

cut_after() { # cut_after PHASES SIGNAL OPTION...
    local count=$1 signal=$2
    shift 2
    launch mpiexec -n $ranks "${job[@]}" "$@"
    wait_until 60 phases "$count" || fail "there are no $count phases"
    signal_ranks "$signal"
    end_of_run
    ((status != 0)) || fail "a run that was cut ended with 0"
}

resume() { capture mpiexec -n $ranks "${job[@]}" --resume "$@"; }

of_file() { stat -c '%i %y' "$files/$1"; }

# All tests are in the last run once, those that are given kept.
expect_whole() { # expect_whole KEPT-TESTS
    expect_record "[test.test for test in tests] == [0, 1, 2]"
    expect_record "[(p.test, p.verb, p.repetition) for p in phases] == [(t, v, r) for t in range(3) for r in range(2) for v in ('write', 'read')]"
    expect_record "all(p.outcome == 'complete' for p in phases) and end.exit_code == 0"
    # Of a test that was cut, repetitions are kept that it had finished.
    expect_record "[t for t in range(3) if all(hasattr(p, 'reused_from') for p in phases if p.test == t)] == [$1]"
    expect_record "all(len({hasattr(p, 'reused_from') for p in phases if (p.test, p.repetition) == (t, r)}) == 1 for t in range(3) for r in range(2))"
    cp "$out" "$work/told"
    capture "$WEIR" report "$result"
    expect_done
    diff "$work/told" "$out" >"$work/difference" || fail "weir report prints another report: $(head -n 5 "$work/difference")"
    capture "$WEIR" report --format csv "$result"
    (($(grep -cE '^(write|read),' "$out") == 12)) || fail "the report has not each phase once"
}

expect_resumed() { # expect_resumed KEPT
    (($(grep -c "resumed: $1 of 3 " "$out") == 1)) || fail "the report does not say once that $1 of 3 steps are kept"
}

# ---- a signal: what is finished stays, and what was cut is done again

cut_after 5 TERM --resume
grep -q 'holds no run' "$err" || fail "nothing is said of a file without a run"
expect_record "not hasattr(runs[0], 'resumed')"
first=$(of_file f0)
cp "$result" "$work/cut"
resume
expect_done
expect_resumed 1
expect_whole 0
[[ $(of_file f0) == "$first" ]] || fail "the file of a test that was kept was touched"

# ---- all is kept: nothing runs

before="$(of_file f0) $(of_file f1) $(of_file f2)"
resume
expect_done
expect_resumed 3
expect_whole "0, 1, 2"
[[ "$(of_file f0) $(of_file f1) $(of_file f2)" == "$before" ]] || fail "a file was touched"
expect_record "len({p.reused_from for p in phases}) == 2" # each is of the run that measured it

# ---- another plan, and another number of ranks

cp "$result" "$work/before"
capture mpiexec -n $ranks "${job[@]}" --resume -e
expect_exit 2
grep -qF -- "$work/job.ior" "$err" || fail "the refusal does not name the command line of the last run"
capture mpiexec -n 2 "${job[@]}" --resume
expect_exit 2
grep -q '6 ranks' "$err" || fail "the refusal does not name the ranks"
cmp "$result" "$work/before" || fail "a run that was refused is in the file"
capture "$WEIR" ior -f "$work/job.ior" --resume
expect_exit 2
expect_error '--result FILE'
# What does not change the work is no other plan.
resume --plain --progress off --watchdog 2m --give-up 10m
expect_done
expect_record "all(hasattr(p, 'reused_from') for p in phases)"

# ---- all ranks die, a line is torn, and again

rm -f "$result" "$files"/*
cut_after 6 KILL
printf '{"record":"phase","run_id":"' >>"$result"
first=$(of_file f0)
cut_after 14 KILL --resume # 6 or 7, 4 that are kept, and 4 of test 1
second=$(of_file f1)
truncate -s -20 "$result"  # within the line of the last phase
resume
expect_done
[[ $(of_file f0) == "$first" ]] || fail "the file of test 0 was touched"
expect_record "all(hasattr(p, 'reused_from') for p in phases if p.test == 0)"
expect_record "len({p.reused_from for p in phases if p.test == 0}) == 1"
if grep -q 'resumed: 1 ' "$out"; then # a line that was torn was one of test 1
    expect_whole 0
else
    [[ $(of_file f1) == "$second" ]] || fail "the file of test 1 was touched"
    expect_whole "0, 1"
fi

# ---- a run that died before it had written down again what it kept: the run before it has it

head -n 1 <(grep '"resumed"' "$result") >"$work/begun"
cp "$work/cut" "$result"
run_id=$("$WEIR_PYTHON" -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["run_id"])' "$result")
sed -E "s/(\"resumed\":\\{\"run_id\":\")[0-9a-f]+/\\1$run_id/" "$work/begun" >>"$result"
first=$(of_file f0)
resume
expect_done
expect_resumed 1
expect_whole 0
[[ $(of_file f0) == "$first" ]] || fail "the file of test 0 was touched"

# ---- what is kept comes behind what is done again, which is cut once more

"$WEIR_PYTHON" - "$result" <<'END'
import json, sys
lines = open(sys.argv[1]).readlines()
last = json.loads(lines[-1])["run_id"]
lost = lambda record: record["run_id"] == last and record["record"] == "phase" and record["test"] == 0
open(sys.argv[1], "w").writelines(line for line in lines if not lost(json.loads(line)))
END
sed -i 's/,"resumed":{[^}]*}//' "$result" # of that run alone
second="$(of_file f1) $(of_file f2)"
cut_after $(($(grep -c '"record":"phase"' "$result") + 1)) TERM --resume
expect_record "sorted({(p.test, hasattr(p, 'reused_from')) for p in phases}) == [(0, False), (1, True), (2, True)]"
resume
expect_done
expect_resumed 2
expect_record "[(p.test, p.verb, p.repetition) for p in phases] == [(t, v, r) for t in range(3) for r in range(2) for v in ('write', 'read')]"
[[ "$(of_file f1) $(of_file f2)" == "$second" ]] || fail "a file of a test that was kept was touched"

# ---- a test that is longer than a job ends at last: finished repetitions are kept, and only the others are run

# How many repetitions the last run has, the first one and those after it without a gap.
count_finished() {
    "$WEIR_PYTHON" - "$result" <<'END'
import json, sys
records = [json.loads(line) for line in open(sys.argv[1]) if line.endswith("}\n")]
last = records[-1]["run_id"]
done = {(p["verb"], p["repetition"]) for p in records
        if p["run_id"] == last and p["record"] == "phase" and p["outcome"] == "complete" and not p.get("interrupted")}
count = 0
while {("write", count), ("read", count)} <= done:
    count += 1
print(count)
END
}

# The file of ranks has each rank once of each phase and repetition, in the order of the run.
expect_rank_rows() { # expect_rank_rows REPETITIONS
    "$WEIR_PYTHON" - "$work/ranks.csv" "$1" $ranks >"$work/why" 2>&1 <<'END' || fail "the file of ranks: $(tail -n 1 "$work/why")"
import csv, sys
found = [(row["access"], int(row["rank"])) for row in csv.DictReader(open(sys.argv[1]))]
wanted = [(v, rank) for r in range(int(sys.argv[2])) for v in ("write", "read") for rank in range(int(sys.argv[3]))]
assert found == wanted, f"{len(found)} rows, wanted {len(wanted)}"
END
}

rm -f "$result" "$files"/*
long=("$WEIR" ior -w -r -F -k -t 64k -b 320k -O interIODelay=20000 -i 20 -o "$files/l" --result "$result" --resume
    -O "saveRankPerformanceDetailsCSV=$work/ranks.csv")
kept=0
for signal in TERM KILL TERM; do
    before=$(grep -c '"record":"phase"' "$result" 2>/dev/null) || before=0
    launch mpiexec -n $ranks "${long[@]}"
    # Those that it keeps are written again; then two repetitions of its own, and a phase.
    wait_until 120 phases $((before + 2 * kept + 5)) || fail "there are too few phases"
    signal_ranks $signal
    end_of_run
    ((status != 0)) || fail "a run that was cut ended with 0"
    expect_record "all(hasattr(p, 'reused_from') == (p.repetition < $kept) for p in phases)"
    now=$(count_finished)
    ((now >= kept + 2)) || fail "$now repetitions are finished, and there were $kept"
    kept=$now
done
((kept < 20)) || fail "the run was not cut"

# A file of ranks that lacks rows of what is kept is not appended to.
cp "$work/ranks.csv" "$work/ranks.kept"
cp "$result" "$work/before"
head -n 4 "$work/ranks.kept" >"$work/ranks.csv"
capture mpiexec -n $ranks "${long[@]}"
expect_exit 2
expect_error "--resume: .*/ranks\\.csv has fewer than the $((12 * kept)) rows of kept tests and repetitions"
cmp "$result" "$work/before" || fail "a run that was refused is in the file"
(($(wc -l <"$work/ranks.csv") == 4)) || fail "a file that was refused was changed"
# A row that is torn is one of what was cut.
{ cat "$work/ranks.kept" && printf 'write,0,1.0'; } >"$work/ranks.csv"

capture mpiexec -n $ranks "${long[@]}"
expect_done
expect_line "resumed: 0 of 1 steps, and $kept repetitions? of unfinished ones, are reused"
expect_record "[(p.verb, p.repetition) for p in phases] == [(v, r) for r in range(20) for v in ('write', 'read')]"
expect_record "[hasattr(p, 'reused_from') for p in phases] == [r < $kept for r in range(20) for v in ('write', 'read')]"
expect_record "all(p.outcome == 'complete' for p in phases) and end.exit_code == 0"
cp "$out" "$work/told"
capture "$WEIR" report "$result"
diff "$work/told" "$out" >"$work/difference" || fail "weir report prints another report: $(head -n 5 "$work/difference")"
(($(grep -c '^access,' "$work/ranks.csv") == 1)) || fail "the file of ranks has begun anew"
expect_rank_rows 20
capture mpiexec -n $ranks "${long[@]}"
expect_done
expect_line "resumed: 1 of 1 steps are reused"

# ---- so it is of names, and of a step of a sweep

# Cuts the result file after the phases of the second repetition of the last test, and one more.
cut_in_third() {
    "$WEIR_PYTHON" - "$result" <<'END'
import json, sys
lines = open(sys.argv[1]).readlines()
test = max(r["test"] for r in map(json.loads, lines) if r["record"] == "phase")
third = [i for i, r in enumerate(map(json.loads, lines)) if r["record"] == "phase" and (r["test"], r["repetition"]) == (test, 2)]
open(sys.argv[1], "w").writelines(lines[:third[1]])
END
}

# First columns of a file of ranks: the same before and after.
keys_of_ranks() { cut -d , -f 1,2 "$work/ranks.csv"; }

for command in "mdtest -n 4 -i 4 -d $files/d --saveRankPerformanceDetails=$work/ranks.csv" \
    "sweep ranks=1,2 -- ior -w -r -F -t 64k -b 64k -i 4 -o $files/s -O saveRankPerformanceDetailsCSV=$work/ranks.csv"; do
    rm -f "$result" "$work/ranks.csv"
    IFS=' ' read -ra words <<<"$command"
    capture mpiexec -n 2 "$WEIR" "${words[@]}" --result "$result"
    expect_done
    keys_of_ranks >"$work/keys"
    (($(wc -l <"$work/keys") > 8)) || fail "the file of ranks has too few rows"
    cut_in_third
    capture mpiexec -n 2 "$WEIR" "${words[@]}" --result "$result" --resume
    expect_done
    expect_line 'resumed: . of . steps, and 2 repetitions of unfinished ones, are reused'
    expect_record "all(hasattr(p, 'reused_from') == (p.repetition < 2) for p in phases if p.test == max(q.test for q in phases))"
    expect_record "all(hasattr(p, 'reused_from') for p in phases if p.test < max(q.test for q in phases))"
    expect_record "all(p.outcome == 'complete' for p in phases) and {p.repetition for p in phases} == {0, 1, 2, 3} and end.exit_code == 0"
    expect_record "len({(p.test, p.phase, p.repetition) for p in phases}) == len(phases)"
    keys_of_ranks | diff "$work/keys" - >"$work/difference" || fail "the file of ranks has other rows: $(head -n 5 "$work/difference")"
done

# A test that was cut in its first repetition, behind one that is kept; and a test that is run again before one that is kept.
rm -f "$result" "$work/ranks.csv"
two=(mpiexec -n 2 "$WEIR" sweep transfer=64k,128k -- ior -w -r -F -b 128k -i 2 -k -o "$files/t"
    -O "saveRankPerformanceDetailsCSV=$work/ranks.csv" --result "$result")
capture "${two[@]}"
expect_done
keys_of_ranks >"$work/keys"
cp "$result" "$work/whole"
"$WEIR_PYTHON" - "$result" <<'END'
import json, sys
lines = open(sys.argv[1]).readlines()
of_second = [i for i, r in enumerate(map(json.loads, lines)) if r["record"] == "phase" and r["test"] == 1]
open(sys.argv[1], "w").writelines(lines[:of_second[1]])
END
capture "${two[@]}" --resume
expect_done
expect_line 'resumed: 1 of 2 steps are reused'
keys_of_ranks | diff "$work/keys" - >"$work/difference" || fail "the file of ranks has other rows: $(head -n 5 "$work/difference")"
sed '0,/"outcome":"complete"/s//"outcome":"partial"/' "$work/whole" >"$result" # of the first write
capture "${two[@]}" --resume
expect_exit 2
expect_error '--resume: .*/ranks\.csv has rows of a test that is run again before those of test 1, which is kept'
rm "$work/ranks.csv"
capture "${two[@]}" --resume
expect_done
(($(wc -l <"$work/ranks.csv") == 9)) || fail "the new file of ranks has not the rows of the test that was run again"

# ---- one of which no repetition fits into a job is reported, and is no reason to try for ever

rm -f "$result" "$files"/*
endless=("$WEIR" ior -w -F -t 64k -b 64m -O interIODelay=1000000 -i 2 -o "$files/e" --result "$result" --resume --stop-before 60s)
for expected in 1 3; do
    WEIR_JOB_END_TIME=$(($(date +%s) + 85)) capture mpiexec -n 2 "${endless[@]}"
    expect_exit $expected
    expect_record "end.out_of_time"
done
expect_error '--resume: the run before spent [0-9]+ s on test 0 and finished no repetition'
expect_error '--resume: two runs ended for want of time and finished nothing of test 0'

# ---- repetitions that wait for another process to unlock the file are finished all the same

locked=("$WEIR" ior -w -F -t 64k -b 640k -O interIODelay=10000 -i 100000 -o "$files/e" --result "$result" --resume --stop-before 600s)
for left in 3 6 12 24 48; do
    rm -f "$result" "$files"/*
    WEIR_JOB_END_TIME=$(($(date +%s) + 600 + left)) capture mpiexec -n 2 "${locked[@]}"
    ((status == 3)) || break
done
if ((status == 1)); then
    # As if no repetition had been finished.
    grep -v '"record":"phase"' "$result" >"$work/lost"
    cp "$work/lost" "$result"
    "$WEIR_PYTHON" -c 'import fcntl, sys, time
file = open(sys.argv[1], "r+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(600)' "$result" >"$work/lock" &
    holder=$!
    wait_until 60 grep -q locked "$work/lock" || fail "the result file is not locked"
    WEIR_JOB_END_TIME=$(($(date +%s) + 610 + left)) capture mpiexec -n 2 "${locked[@]}"
    kill "$holder"
    wait "$holder" || true
    expect_error 'records are kept in memory'
    expect_exit 1
    expect_record "end.out_of_time and end.exit_code == 1 and len(phases) > 0"
fi

# ---- the end of its time, and a dialect of lists

rm -f "$result" "$files"/*
# On a crowded machine the launch may take longer than the job has left: then nothing is begun.
for left in 2 4 8 16 32; do
    rm -f "$result" "$files"/*
    WEIR_JOB_END_TIME=$(($(date +%s) + 600 + left)) capture mpiexec -n $ranks "${job[@]}" --stop-before 600s
    ((status == 3)) || break
done
((status != 0)) || skip "the job was done before its time was over; everything before that was tried: it takes another try"
expect_exit 1
expect_record "end.out_of_time"
resume
expect_done
expect_record "len(phases) == 12 and end.exit_code == 0"

rm -f "$result"
cd "$files"
list=("$WEIR" iozone -t 2 -t 4 -i 0 -i 1 -r 64k -s 256k --result "$result" --resume)
capture mpiexec -n 4 "${list[@]}"
expect_done
cut=$(grep -n '"record":"test"' "$result" | sed -n '2s/:.*//p')
sed -i "$((cut + 1)),\$d" "$result"
capture mpiexec -n 4 "${list[@]}"
expect_done
expect_record "[hasattr(p, 'reused_from') for p in phases] == [p.test == 0 for p in phases] and len({p.test for p in phases}) == 2"
