#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# -M takes memory away for the length of a test: as much as was said, split among the ranks, and never more than there is.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The largest resident set that any rank of a run has had, in KiB; each rank notes its own.
cat >"$work/noted" <<'END'
#!/usr/bin/env python3
import os, resource, subprocess, sys
# A search for leaks, in builds that have one, takes memory of its own at the end.
settings = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
code = subprocess.run([os.environ["WEIR"], *sys.argv[1:]], env=settings).returncode
with open(f"noted.{os.environ.get('OMPI_COMM_WORLD_RANK', os.environ.get('PMI_RANK', '0'))}", "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(code)
END
chmod 755 "$work/noted"
run_noted() { # run_noted RANKS OPTION...: sets peaks
    local ranks=$1
    shift
    rm -f noted.*
    capture mpiexec -n "$ranks" "$work/noted" -a null -w -t 4k -b 64k -o "$files/f" "$@"
    mapfile -t peaks < <(cat noted.*)
    ((${#peaks[@]} == ranks)) || fail "${#peaks[@]} ranks noted their memory, not $ranks"
}
expect_more() { # expect_more KIB: than without, each rank, within 8 MiB
    local peak
    for peak in "${peaks[@]}"; do
        ((peak > without + $1 - 8192 && peak < without + $1 + 8192)) ||
            fail "a rank had $peak KiB; without -M it is $without KiB, and $1 KiB more were asked for"
    done
}

run_noted 2
expect_done
without=${peaks[0]}

run_noted 2 -M 256m
expect_done
expect_more $((128 * 1024))

run_noted 4 -M 256m
expect_done
expect_more $((64 * 1024))

run_noted 2 -O memoryPerTask=96m
expect_done
expect_more $((96 * 1024))

total_kib=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
limit=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | grep -E '^[0-9]+$' | sort -n | head -n 1) || true
if [[ -z $limit ]] || ((${#limit} > 15)); then
    run_noted 2 -M 2%
    expect_done
    expect_more $((total_kib / 100))
fi

# What the host does not have is refused before anything happens, with one sentence.
for asked in "-M 1p" "-M 100%" "-O memoryPerTask=100t"; do
    # shellcheck disable=SC2086
    run 2 -w -t 4k -b 64k -o "$files/f" $asked
    expect_exit 3
    expect_error 'ask for less'
    expect_no_line '^write'
    expect_files ''
done

# A signal while memory is taken ends the run, and nothing has been done.
available_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
launch mpiexec -n 2 "$WEIR" -w -t 64k -b 6400k -O interIODelay=20000 -M "$((available_kib / 4))k" -o "$files/f"
ranks_take() { # both have more than without -M: they are past MPI's start, and take memory
    local rank taking=0
    for rank in $(pgrep -P "$launcher" -f -- "$files/f"); do
        (($(awk '/^VmRSS:/ { print $2 }' "/proc/$rank/status") > without + 64 * 1024)) && ((++taking))
    done
    ((taking == 2))
}
wait_until 60 ranks_take || fail "no rank takes memory"
signal_ranks TERM
end_of_run
expect_exit 1
expect_files ''
