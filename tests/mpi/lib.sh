# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the tests share that run the program: launching it on ranks, a directory of their own, and expectations.
# A test ends with 0, with 1 and a reason, or with 77 and the reason why it was skipped.
set -euo pipefail

: "${WEIR:?the weir program}" "${WEIR_TEST:?weir with the test backends}" "${WEIR_ROOT:?the source tree}"
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-test.XXXXXX")
mkdir "$work/files"
files=$work/files # what the runs write goes here, and nothing else
result=$work/result.jsonl
cd "$work"

# What the last run printed, and its exit code.
out=$work/.out
err=$work/.err
status=0
command_line=

# More ranks than CPUs, none of them bound: for Open MPI 4, and for the launcher of Open MPI 5 (PRRTE).
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
# To look for networks that are not there takes more than half of the time of a launch.
export OMPI_MCA_pml=${OMPI_MCA_pml-ob1}
if ((EUID == 0)); then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# What version managers put in the place of Python takes longer than the scripts that are called most: it is asked once.
WEIR_PYTHON=${WEIR_PYTHON-$(python3 -c 'import sys; print(sys.executable)')}
export WEIR_PYTHON

skip() { # skip REASON...
    echo "skipped: $*"
    exit 77
}

# What fatal signals printed (weir/base/crash.h) stays in the output of a failed test, whichever file it went to.
show_crashes() {
    local file
    for file in "$work"/* "$work"/.[!.]*; do
        if [[ -f $file ]] && grep -q '^weir: .*crashed by SIG' "$file"; then
            echo "--- crash in $file"
            grep -A 100 '^weir: .*crashed by SIG' "$file" | head -n 200
        fi
    done
}

# Ends the background processes of a test: they would keep the pipe open that ctest reads, which is a timeout in place of a reason, and
# disturb the tests after it. A test that sets up more than these defines clean_up. A test that ends without fail shows crashes as well.
end_test() {
    local code=$? processes
    ((code == 0 || code == 77)) || show_crashes
    mapfile -t processes <<<"$(jobs -pr)"
    [[ ! ${processes[0]} ]] || kill "${processes[@]}" 2>/dev/null || true
    ! declare -F clean_up >/dev/null || clean_up || true
    rm -rf "$work"
}
trap end_test EXIT

fail() { # fail REASON...
    echo "failed: $*"
    echo "after: $command_line"
    echo "exit code: $status"
    echo "--- standard output"
    tail -n 80 "$out" 2>/dev/null || true
    echo "--- standard error"
    tail -n 40 "$err" 2>/dev/null || true
    exit 1
}

# Where a rank ends with another code than 0, Open MPI sends the others two signals and SIGKILL, with so many seconds
# before each, though all of ours end by themselves: they have met in MPI_Finalize. Only the search for leaks after that
# takes time. Tests of what ranks do after a signal start them by something else than capture.
[[ ${ASAN_OPTIONS-} ]] && kill_after=1 || kill_after=0

# Runs a command, and keeps what it prints and its exit code.
capture() { # capture COMMAND...
    command_line="$*"
    status=0
    OMPI_MCA_odls_base_sigkill_timeout=$kill_after PRTE_MCA_odls_base_sigkill_timeout=$kill_after "$@" >"$out" 2>"$err" </dev/null || status=$?
    # Users read "use -k": "{keep}" is the name that sentences have inside (weir/base/remedy.h).
    ! grep -qE '\{[a-z]+(-[a-z]+)*\}' "$out" "$err" || fail "the name of a remedy is shown in place of an option"
}

run() { # run RANKS OPTION...: weir on so many ranks
    local ranks=$1
    shift
    capture mpiexec -n "$ranks" "$WEIR" "$@"
}

# Runs a command in the background, until end_of_run: $launcher is its process.
launch() { # launch COMMAND...
    command_line="$*"
    "$@" >"$out" 2>"$err" </dev/null &
    launcher=$!
}

end_of_run() {
    status=0
    wait "$launcher" || status=$?
}

ranks() { pgrep -P "$launcher" -f -- "$work"; } # the processes of the ranks of an mpiexec

signal_ranks() { # signal_ranks SIGNAL
    local processes
    mapfile -t processes < <(ranks)
    kill -"$1" "${processes[@]}"
}

# Several tests in one launch: each has the directives of all, and its own. What one of them turns on, those of all turn
# off: a test has what those before it had.
run_script() { # run_script RANKS DIRECTIVES-OF-ALL DIRECTIVES-OF-A-TEST...: with a new result file
    local ranks=$1
    shift
    write_script "$@"
    rm -f "$result"
    run "$ranks" -f "$work/job.ior" --result "$result"
}

write_script() { # write_script DIRECTIVES-OF-ALL DIRECTIVES-OF-A-TEST...
    local common=$1 test separator='IOR START'
    shift
    for test in "$@"; do
        echo "$separator"
        tr ' ' '\n' <<<"$common $test"
        separator=RUN
    done >"$work/job.ior"
    echo 'IOR STOP' >>"$work/job.ior"
}

# ---------------------------------------------------------------- the virtual machine

vm_run=$WEIR_ROOT/scripts/testbed/vm-run

# Its packages are those of "scripts/deps vm"; nothing is fetched but the kernel, once, and only where that is expected.
need_machine() { # need_machine COMMAND...: what a test uses besides
    local command
    PATH=$PATH:/usr/sbin:/sbin
    [[ $(uname -m) == x86_64 ]] || skip "the virtual machine takes a host that is x86-64"
    for command in qemu-system-x86_64 busybox xz depmod "$@"; do
        command -v "$command" >/dev/null || skip "there is no $command here: scripts/deps vm"
    done
    [[ ! -e ${XDG_CACHE_HOME:-${HOME-}/.cache}/weir-vm/kernel/version ]] || return 0
    [[ ${CI-} == true ]] || skip "no kernel for the virtual machine is here yet: scripts/testbed/vm-run --prepare"
    "$vm_run" --prepare >"$out" 2>"$err" || skip "no kernel for the virtual machine, which scripts/testbed/vm-run --prepare fetches: $(tail -n 1 "$err")"
}

# ---------------------------------------------------------------- expectations

expect_exit() { # expect_exit CODE
    ((status == $1)) || fail "the exit code is not $1"
}

expect_done() { expect_exit 0; }

expect_line() { # expect_line PATTERN: an extended regular expression that matches a line of the output
    grep -qE -- "$1" "$out" || fail "no line of the output matches '$1'"
}

expect_no_line() { # expect_no_line PATTERN
    ! grep -qE -- "$1" "$out" || fail "a line of the output matches '$1'"
}

expect_error() { # expect_error PATTERN: a line on standard error, once and not from every rank
    local count
    count=$(grep -cE -- "$1" "$err") || fail "no line of standard error matches '$1'"
    ((count == 1)) || fail "$count lines of standard error match '$1'"
}

expect_files() { # expect_files NAME...: these and no others in $files
    local found wanted
    found=$(cd "$files" && find . -mindepth 1 ! -type d -printf '%P\n' | sort)
    wanted=$(printf '%s\n' "$@" | sort)
    [[ $found == "$wanted" ]] || fail "there should be the files '${wanted//$'\n'/ }', there are '${found//$'\n'/ }'"
}

# A Python expression over the records of the result file; see records.py for its names.
expect_record() { # expect_record EXPRESSION [FILE]
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "${2:-$result}" "$1" ||
        fail "of the result file is not true: $1"
}

# ---------------------------------------------------------------- surroundings

can_bypass_cache() {
    dd if=/dev/zero of="$work/.probe" bs=64k count=1 oflag=direct status=none 2>/dev/null
}

need_direct_io() {
    can_bypass_cache || skip "the file system of $work knows no O_DIRECT: set TMPDIR to a directory on a disk"
}

need_root() {
    ((EUID == 0)) || skip "this test takes root"
}

# A loop device keeps what others have set before. Fails if this user cannot set it.
reset_queue() { # reset_queue DEVICE
    local queue=/sys/block/${1#/dev/}/queue
    { echo 1280 >"$queue/max_sectors_kb" && echo 128 >"$queue/nr_requests" && echo 128 >"$queue/read_ahead_kb"; } 2>/dev/null
}

wait_until() { # wait_until SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}

# Others on this machine can spoil what a clock says, and never mend it: to be seen once in a few times is enough.
once_in() { # once_in TIMES COMMAND...: the last time tells why not
    local times=$1
    shift
    while ((--times > 0)); do
        ! ("$@") >/dev/null || return 0
    done
    "$@"
}

flip_bit() { # flip_bit FILE OFFSET
    python3 - "$1" "$2" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 0x10]))
END
}
