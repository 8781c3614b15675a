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
