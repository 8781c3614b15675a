#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A launcher that started more tasks than MPI knows, by made-up variables and by the mpiexec of another MPI, is a warning at
# the top of each command's report, a finding, and a line of doctor; a second task on the same file is told why it is refused.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}"
fact='the launcher started 4 tasks, and MPI knows 1: each is a run of its own'
srun=(env SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=0)
cat >"$work/p.pbl" <<'END'
define param "directory" $base "./b";
time["w"] write("$base/f", 4k);
END
expect_clean() { # as a report without a mismatch is
    expect_no_line 'launcher started|launcher-mismatch'
    ! grep -q 'launcher started' "$err" || fail "a mismatch is reported on standard error"
}

# ---------------------------------------------------------------- each command

# The warning comes before the first number: among the first lines, and again with its name after the last.
check_command() { # check_command LABEL LINES COMMAND...
    local label=$1 lines=$2
    shift 2
    rm -rf "${files:?}"/*
    capture "${srun[@]}" "$WEIR" "$@" --result "$result"
    expect_done
    grep -nE "^$label$fact; .*srun --mpi=pmix" "$out" >"$work/found" || fail "no '$label' line has the mismatch"
    (($(cut -d: -f1 <"$work/found" | head -n 1) <= lines)) || fail "the mismatch is not among the first $lines lines"
    expect_line "warning launcher-mismatch all phases: ${fact%%:*} -> srun --mpi"
    expect_record "runs[0].launch_mismatch.startswith('$fact')"
    expect_record "all(any(f.name == 'launcher-mismatch' and f.level == 'warning' for f in p.findings) for p in phases)"
    # A stored run is told alike.
    capture "$WEIR" report "$result"
    expect_line "^$label$fact"
    rm -f "$result"
    rm -rf "${files:?}"/*
    capture "$WEIR" "$@" --result "$result"
    expect_done
    expect_clean
    expect_record "not hasattr(runs[0], 'launch_mismatch')"
    rm -f "$result"
}
check_command 'WARNING: ' 6 -w -b 1m -o "$files/f"
for version in 2.10.3 3.0.1 3.2.1; do
    check_command 'WARNING: ' 10 --compat "$version" -w -b 1m -o "$files/f"
done
check_command 'WARNING: ' 6 -a RDMA -w -b 1m -o /f
check_command 'WARNING: ' 6 mdtest -n 3 -F -d "$files/d"
check_command 'WARNING: ' 4 md-workbench -P 3 -I 3 -D 1 -R 1 -o "$files/k"
check_command $'\tNote: ' 50 iozone -i 0 -s 64k -r 4k -f "$files/f"
check_command 'weir dd: ' 1 dd if=/dev/zero of="$files/f" bs=4k count=4
check_command 'weir parabench: ' 1 parabench "$work/p.pbl" base="$files"
check_command 'WARNING: ' 6 sweep transfer=64k,128k -- ior -w -b 128k -o "$files/f"

mkdir -p "$files/t"
capture "${srun[@]}" "$WEIR" targets "$files/t" --size 1m --alone-only
expect_done
expect_line "^WARNING: $fact"
capture "$WEIR" targets "$files/t" --size 1m --alone-only
expect_done
expect_clean

# Formats for programs keep to their format.
for format in CSV JSON; do
    capture "${srun[@]}" "$WEIR" -w -t 64k -b 64k -o "$files/f" --summaryFormat "$format"
    expect_done
    expect_error "^weir: $fact"
done
expect_line '"name": "launcher-mismatch"'
# It is a warning like any other.
capture "${srun[@]}" "$WEIR" -w -t 64k -b 64k -o "$files/f" --warningAsErrors
expect_exit 1
capture "${srun[@]}" "$WEIR" -w -t 64k -b 64k -o "$files/f" --warningAsErrors --summaryFormat CSV
expect_exit 1

# ---------------------------------------------------------------- pages, refusals, doctor

for page in "-w -o $files/f --explain" 'net --explain' 'topology'; do
    # shellcheck disable=SC2086
    capture "${srun[@]}" "$WEIR" $page
    expect_done
    [[ $(head -n 1 "$out") == "WARNING: $fact; "* ]] || fail "$page does not begin with the mismatch"
    # shellcheck disable=SC2086
    capture "$WEIR" $page
    expect_done
    expect_clean
done

capture "${srun[@]}" "$WEIR" net
expect_exit 2
expect_error "net: data go from one rank to another, and $fact; .*srun"
! grep -q 'there is one rank' "$err" || fail "several tasks are called one rank"
capture "$WEIR" net
expect_exit 2
expect_error 'there is one rank'
capture "${srun[@]}" "$WEIR" sweep ranks=2 -- ior -w -t 64k -b 64k -o "$files/f"
expect_exit 2
expect_error "2 ranks are needed, and $fact; .*srun"

for variables in 'OMPI_COMM_WORLD_SIZE=4' 'PMI_RANK=0 PMI_SIZE=4' 'MV2_COMM_WORLD_RANK=0 MV2_COMM_WORLD_SIZE=4' 'PALS_RANKID=0 PALS_SIZE=4'; do
    # shellcheck disable=SC2086
    capture env $variables "$WEIR" doctor
    expect_done
    expect_line "limited +tasks +$fact"
done
for variables in 'A=1' 'SLURM_NTASKS=4' 'SLURM_NTASKS=4 SLURM_PROCID=0' 'SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 SLURM_NTASKS=4'; do
    # shellcheck disable=SC2086
    capture env $variables "$WEIR" doctor
    expect_done
    expect_clean
    # shellcheck disable=SC2086
    capture env $variables "$WEIR" -w -t 64k -b 64k -o "$files/f"
    expect_done
    expect_clean
done

# The tasks of a step on one file: the second one is told that it may be of its own launch. One of another job is not.
"${srun[@]}" "$WEIR" -w -k -t 64k -b 64k -i 2 -d 60 -o "$files/f" >"$work/first" 2>&1 &
first=$!
wait_until 60 compgen -G "$files/.weir-*" || fail "the first task does not begin"
capture "${srun[@]}" SLURM_PROCID=1 "$WEIR" -w -t 64k -b 64k -o "$files/f"
expect_exit 2
expect_error "another run works on this file .*job 1, step 0.*another task of this launch: $fact; .*srun"
capture "${srun[@]}" SLURM_JOB_ID=2 "$WEIR" -w -t 64k -b 64k -o "$files/f"
expect_exit 2
expect_error 'another run works on this file .*choose another name'
capture "$WEIR" -w -t 64k -b 64k -o "$files/f"
expect_exit 2
expect_error 'another run works on this file .*choose another name'
kill $first
wait $first || true

# ---------------------------------------------------------------- launchers themselves

# Ranks that MPI knows of, and one that is meant.
for ranks in 1 2; do
    rm -rf "${files:?}"/*
    run "$ranks" -w -t 64k -b 64k -o "$files/f"
    expect_done
    expect_clean
done
capture "${srun[@]}" mpiexec -n 1 "$WEIR" -w -t 64k -b 64k -o "$files/f"
expect_done
expect_clean

# The mpiexec of another MPI, where there is one: WEIR_OTHER_MPIEXEC names it.
other=${WEIR_OTHER_MPIEXEC-}
[[ $other ]] || other=$(command -v mpiexec.hydra) || other=
[[ $(mpiexec --version 2>&1) == *'(Open'* ]] || other=
if [[ $other ]]; then
    capture "$other" -n 4 "$WEIR" -w -t 64k -b 64k -F -o "$files/g" --overwrite --plain
    expect_line "^WARNING: $fact; start them with the mpiexec of Open MPI"
fi
