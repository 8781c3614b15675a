#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --stop-before: the run ends in order before its job would be ended, and what was done is in the result file.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
unset SLURM_JOB_END_TIME WEIR_JOB_END_TIME
slow=(-w -t 64k -b 6400k -i 30 -O interIODelay=10000 -o "$files/f" --result "$result") # 1 s a repetition

# Nobody tells when the job ends.
run 2 "${slow[@]}" --stop-before 60s
expect_exit 2
expect_error '--stop-before: .*WEIR_JOB_END_TIME'
expect_files ''

WEIR_JOB_END_TIME=soon run 2 "${slow[@]}" --stop-before 60s
expect_exit 2
expect_error 'WEIR_JOB_END_TIME: "soon"'

# Too late to begin.
WEIR_JOB_END_TIME=$(($(date +%s) + 30)) run 2 "${slow[@]}" --stop-before 1m
expect_exit 3
expect_error ' 60 s '
expect_files ''
[[ ! -e $result ]] || fail "a result file was made"

# In the middle of a write of ten seconds, and after a short one, which is kept.
cat >"$work/short_and_long.ior" <<END
IOR START
    testFile=$files/f
    readFile=0
    transferSize=64k
    interIODelay=10000
    blockSize=640k
RUN
    blockSize=64000k
RUN
IOR STOP
END
end=$(($(date +%s) + 64))
WEIR_JOB_END_TIME=$end run 2 -f "$work/short_and_long.ior" --result "$result" --stop-before 60s
(($(date +%s) < end - 50)) || fail "the run did not end before its time"
expect_exit 1
expect_record "writes[0].outcome == 'complete' and writes[-1].outcome != 'complete'"
expect_record "end.out_of_time and end.interrupted and end.exit_code == 1"
expect_files ''

# Slurm before 23.02 sets no variable: rank 0 asks squeue, then scontrol, once, without a shell, and for ten seconds at most.
mkdir "$work/slurm"
mock() { # mock PROGRAM LINE...: a shell script that notes its words
    printf '%s\n' '#!/bin/bash' "echo \"\${0##*/} \$*\" >>'$work/asked'" "${@:2}" >"$work/slurm/$1"
    chmod +x "$work/slurm/$1"
}
in_job() { # in_job NUMBER OPTION...
    rm -f "$work/asked" "$result"
    capture env -u SLURM_HET_JOB_ID SLURM_JOB_ID="$1" PATH="$work/slurm:$PATH" mpiexec -n 2 "$WEIR" -w -t 64k -b 640k -o "$files/f" --result "$result" "${@:2}"
}
expect_asked() { # expect_asked LINE...
    [[ $(cat "$work/asked" 2>/dev/null) == "$(printf '%s\n' "$@")" ]] || fail "asked was: $(cat "$work/asked" 2>/dev/null)"
}
mock squeue '[[ $SLURM_TIME_FORMAT == standard ]] || exit 1' 'date -d "+ 1 hour" +%Y-%m-%dT%H:%M:%S'
mock scontrol 'echo "JobId=7 JobName=x StartTime=Unknown EndTime=$(date -d "+ 1 hour" +%Y-%m-%dT%H:%M:%S) Deadline=N/A"'
SLURM_TIME_FORMAT=relative in_job 7 --stop-before 60s
expect_done
expect_asked 'squeue -h -j 7 -o %e'
in_job 7 --stop-before 2h
expect_exit 3
expect_error 'the job ends in 3[56][0-9][0-9] s'
in_job 7 # without the option nobody is asked
expect_done
expect_asked ''
mock squeue 'exit 1'
in_job 7 --stop-before 60s
expect_done
expect_asked 'squeue -h -j 7 -o %e' 'scontrol -o show job 7'
# No end, no answer, and what is no number of a job.
mock squeue 'echo N/A'
mock scontrol 'echo "JobId=7 EndTime=Unknown"'
in_job 7 --stop-before 60s
expect_exit 2
expect_error 'nothing tells when this job ends, not even squeue and scontrol: .*WEIR_JOB_END_TIME'
in_job "7; touch $work/run" --stop-before 60s
expect_exit 2
[[ ! -e $work/run && ! -e $work/asked ]] || fail "the number of a job was run"
mock squeue 'sleep 300 & wait'
begun=$SECONDS
in_job 7 --stop-before 60s
expect_exit 2
((SECONDS - begun < 120)) || fail "a program that does not answer was waited for"
expect_asked 'squeue -h -j 7 -o %e'
# A signal while it is asked ends the run as any other signal does.
rm -f "$work/asked" "$result" "$files"/*
env -u SLURM_HET_JOB_ID SLURM_JOB_ID=7 PATH="$work/slurm:$PATH" \
    "$WEIR" -w -t 64k -b 640k -o "$files/f" --result "$result" --stop-before 60s >"$out" 2>"$err" &
asker=$!
wait_until 100 test -s "$work/asked" || fail "nobody is asked"
kill -TERM $asker
status=0
wait $asker || status=$?
expect_exit 1
expect_asked 'squeue -h -j 7 -o %e'
! grep -q 'nothing tells' "$err" || fail "the signal was not acted on"
expect_record "end.interrupted and all(w.outcome != 'complete' for w in writes)"
rm -f "$files"/*

# A signal of its kind that somebody else sends is an interruption like any other.
rm -f "$result"
launch "$WEIR" ior "${slow[@]}"
wait_until 100 test -s "$files/f" || fail "nothing is written"
kill -ALRM "$launcher"
end_of_run
expect_exit 1
expect_record "end.interrupted and not end.out_of_time"

# dd's lines are those of a finished copy, and are left out.
WEIR_JOB_END_TIME=$(($(date +%s) + 64)) run 2 dd if=/dev/zero of="$files/f%r" bs=4k count=100000 --rate 100 --stop-before 60s
expect_exit 1
expect_line '^weir dd: not all was done'
expect_no_line 'copied|records'
rm -f "$files"/*

# What the user says goes before what Slurm says; and time enough is time enough.
SLURM_JOB_END_TIME=1 WEIR_JOB_END_TIME=$(($(date +%s) + 3600)) \
    run 2 -w -t 64k -b 640k -o "$files/f" --stop-before 1m --result "$result"
expect_done
expect_record "not end.out_of_time"

# Of the batch system alone.
SLURM_JOB_END_TIME=1 run 2 -w -t 64k -b 640k -o "$files/f" --stop-before 1m
expect_exit 3
expect_error '[0-9]+ s .*SLURM_JOB_END_TIME'
