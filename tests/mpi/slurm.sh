#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a Slurm cluster of virtual nodes: sbatch with srun, mpiexec in an allocation, a heterogeneous job, the end of the
# job's time, a signal, and exit codes; the result knows the job and its nodes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
for command in slurmctld slurmd srun munged; do
    command -v "$command" >/dev/null || skip "there is no $command here: scripts/deps slurm"
done
unset SLURM_JOB_END_TIME WEIR_JOB_END_TIME
testbed=$WEIR_ROOT/scripts/testbed/testbed-slurm
job=$WEIR_ROOT/scripts/slurm/weir.sbatch
export WEIR PATH=$PATH:$WEIR_ROOT/scripts/slurm
"$testbed" --dir "$work/slurm" up >"$out" 2>"$err" || skip "no Slurm cluster can be made here, which takes root and namespaces: $(tail -n 1 "$err")"
clean_up() { "$testbed" --dir "$work/slurm" down >/dev/null 2>&1; }
eval "$("$testbed" --dir "$work/slurm" env)"
# A job that hangs ends, and is shown.
export SLURM_TIMELIMIT=2 SALLOC_TIMELIMIT=2
# Four processors on each of the nodes are more than there are.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
small=(-w -r -t 64k -b 128k -F -o "$files/f" --result "$result")

expect_job() { # expect_job RANKS NODES: what the result says of the job
    expect_record "tests[0].ranks == $1 and tests[0].nodes == $2"
    expect_record "vars(runs[0].job)['slurm job'].isdigit()"
}

# ---------------------------------------------------------------- srun

capture srun -N 2 --ntasks-per-node=2 "$WEIR" ior "${small[@]}"
expect_done
expect_job 4 2
expect_record "vars(runs[0].job)['slurm nodes'] == 'n[1-2]'"
expect_line 'slurm job [0-9]+.*n\[1-2\]'

# Exit codes pass through.
capture srun -n 2 "$WEIR" ior -w -t 3k -b 4k -o "$files/f"
expect_exit 2
capture srun -n 2 "$WEIR" ior -w -t 4k -b 4k -o "$files/missing/f"
status_of_missing=$status
run 2 -w -t 4k -b 4k -o "$files/missing/f"
expect_exit "$status_of_missing"
((status != 0)) || fail "a file in no directory can be written"
# Slurm before 23.02 tells steps no end: squeue is asked.
capture srun -n 2 -t 5 "$WEIR" ior -w -t 4k -b 4k -o "$files/f" --stop-before 60s
expect_done
capture srun -n 2 -t 5 "$WEIR" ior -w -t 4k -b 4k -o "$files/f" --stop-before 60m
expect_exit 3
expect_error 'the job ends in [0-9]+ s'

# ---------------------------------------------------------------- sbatch

submit() { # submit SBATCH-OPTION... -- WEIR-OPTION...
    local options=()
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    rm -f "$result"
    WEIR_RESULT=$result capture sbatch --wait --output "$work/job.txt" "${options[@]}" "$job" "$@"
    cat "$work/job.txt" >>"$out"
}

submit -N 2 --ntasks-per-node=2 -t 2 -- -w -r -t 64k -b 128k -F -o "$files/f"
expect_done
expect_job 4 2
expect_line 'write .*'

# A minute for the job, and the run ends 50 seconds before.
WEIR_STOP_BEFORE=50s submit -N 2 --ntasks-per-node=1 -t 1 -- \
    -w -t 64k -b 6400k -i 60 -O interIODelay=10000 -F -o "$files/f"
expect_exit 1
expect_record "end.out_of_time and writes[0].outcome == 'complete' and len(writes) < 15"
expect_files ''

# Open MPI 4.1 over TCP: one in some hundred jobs of several parts dies in MPI_Init, in mca_btl_tcp, where a message of
# another part is there before anybody takes it: a null pointer is called. Then our handler of crashes, or Open MPI's, is all that printed,
# or a rank waits until the end of the job.
died_in_init() {
    ((status != 0)) && grep -qE 'Signal: Segmentation fault|crashed by SIGSEGV .* during start of MPI|DUE TO TIME LIMIT' "$out" &&
        ! grep -q '^IOR-' "$out"
}

# Three components, one MPI job.
for ((try = 0; try < 3; try++)); do
    submit -N 1 -n 1 -t 2 : -N 2 --ntasks-per-node=1 -- -w -r -t 64k -b 128k -F -o "$files/f"
    died_in_init || break
done
expect_done
expect_job 3 3

# The hook is run once on each node of each component, and the step waits for it.
export WEIR_STEP_HOOK="hostname >>$work/hook"
capture salloc -N 1 -n 1 -t 2 : -N 2 --ntasks-per-node=2 -t 2 weir-step true
expect_done
[[ $(sort "$work/hook") == $'n1\nn2\nn3' ]] || fail "the hook ran on $(tr '\n' ' ' <"$work/hook")"
WEIR_STEP_HOOK=false capture salloc -n 1 -t 2 weir-step true
expect_exit 3
unset WEIR_STEP_HOOK

# ---------------------------------------------------------------- an allocation

rm -f "$result"
capture salloc -N 2 --ntasks-per-node=2 -t 2 weir-step --launcher mpiexec "${small[@]}" --stop-before 10s
expect_done
expect_job 4 2

# ---------------------------------------------------------------- a signal to the job

rm -f "$result"
sbatch --output "$work/job.txt" -n 2 -t 2 "$job" \
    -w -t 64k -b 6400k -i 30 -O interIODelay=10000 -o "$files/f" >"$work/submitted"
number=$(grep -oE '[0-9]+' "$work/submitted")
result=$work/weir-$number.jsonl
wait_until 100 grep -q '"record":"phase"' "$result" || fail "the first repetition does not end"
scancel --signal=USR1 "$number"
wait_until 100 grep -q '"record":"end"' "$result" || fail "the job does not end"
expect_record "end.interrupted and end.exit_code == 1 and writes[0].outcome == 'complete'"
