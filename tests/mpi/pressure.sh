#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What keeps ranks from running or from I/O, and clocks that drift: busy processes on their CPUs; more ranks than cores; a control group's
# limit of a loop device; clock_gettime that runs fast. Each has a clean twin. Busy processes next to other dialects: tests/trust, family 1.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

read -r first second < <(python3 -B "$WEIR_ROOT/tests/mpi/ranks.py" processors) || skip "this test may use one core only, and needs two"
[[ $(awk '{ print ($1 + $3 > 0) }' /proc/thread-self/schedstat 2>/dev/null) == 1 ]] || skip "this needs a kernel with schedstat"
: "${WEIR_FAST_CLOCK:?a library with a clock that runs fast}"

# Three busy processes on each CPU of the ranks while a command runs, and for 200 s at most.
crowded() { # crowded COMMAND...
    local busy=() cpu
    for cpu in "$first" "$second" "$first" "$second" "$first" "$second"; do
        timeout 200 taskset -c "$cpu" sh -c 'while :; do :; done' &
        busy+=($!)
    done
    rm -f "$result"
    capture taskset -c "$first,$second" "$@" --result "$result"
    kill "${busy[@]}" 2>/dev/null || true # on a crowded machine they may have ended
    wait "${busy[@]}" || true
    expect_done
}

has() { # has NAME [EXPRESSION]: a phase has a finding of that name, for which the expression about f is true
    expect_record "any(f.name == '$1' and ${2:-True} for p in phases for f in getattr(p, 'findings', []))"
}

has_not() { # has_not NAME
    expect_record "not any(f.name == '$1' for p in phases for f in getattr(p, 'findings', []))"
}

# ---------------------------------------------------------------- busy processes
load=(-a null -w -t 64k -b 64k -O minTimeDuration=1.5 -o "$files/f")
crowded mpiexec -n 2 "$WEIR" --pin core "${load[@]}"
has cpu-pressure "f.level == 'warning' and f.effect == 'qualify'"
expect_record "written.placement.nodes.cpu_wait_share[0] > 0.1 and written.placement.nodes.load_hundredths[0] > 0"
expect_record "written.placement.nodes.busiest_permille[0] > 0 and written.placement.nodes.busiest_pid[0] > 0"
expect_line 'cpu-pressure.* waited [0-9]+ % for a CPU \(load [0-9.]+.*\) -> '
expect_line 'CPU wait  nodes'

# ---------------------------------------------------------------- clocks
capture env LD_PRELOAD="$WEIR_FAST_CLOCK" "$WEIR" -a null -w -t 64k -b 64k -O minTimeDuration=0.3 -o "$files/f" --result "$result.fast"
expect_done
result=$result.fast has clock-drift "f.level == 'warning'"
expect_line 'clock-drift.* 9?[0-9]* ppm faster than its kernel'
rm -f "$result"
run 1 -a null -w -t 64k -b 64k -O minTimeDuration=0.3 -o "$files/f" --result "$result"
expect_done
has_not clock-drift
run 2 net --provider tcp --iterations 100 --result "$work/net.jsonl"
expect_done
! grep -q '"name":"clock-drift"' "$work/net.jsonl" || fail "weir net has a finding clock-drift"

# ---------------------------------------------------------------- a machine of their own
# In a control group that gets nearly all CPU time, whoever else runs here: ranks that wait little, and ranks that wait for one another.
group=
if ((EUID == 0)) && [[ -w /sys/fs/cgroup/cpu/cgroup.procs ]]; then
    group=/sys/fs/cgroup/cpu/weir-pressure.$$
    mkdir "$group" && echo 262144 >"$group/cpu.shares"
elif ((EUID == 0)) && grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
    group=/sys/fs/cgroup/weir-pressure.$$
    mkdir "$group" && echo 10000 >"$group/cpu.weight"
fi
[[ $group ]] || skip "no control group with most of the CPU time can be made here, which takes root; the rest is fine"
limits=$files/limits # a loop device with a file system
device=
clean_up() {
    ! mountpoint -q "$limits" || umount "$limits"
    [[ ! $device ]] || losetup -d "$device" || true
    wait_until 60 rmdir "$group" || true
    [[ ! ${io_group-} ]] || wait_until 60 rmdir "$io_group" || true
}

alone() { # alone COMMAND...: with a new result file
    rm -f "$result"
    # shellcheck disable=SC2016 # the inner shell expands them
    capture bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" taskset -c "$first,$second" "$@" --result "$result"
    expect_done
}

quiet() {
    alone mpiexec -n 2 "$WEIR" --pin core "${load[@]}"
    has_not cpu-pressure
    has_not imbalance
}
once_in 5 quiet

own_waits() {
    alone mpiexec -n 4 "$WEIR" "${load[@]}"
    has oversubscribed
    has_not cpu-pressure
    expect_record "written.placement.nodes.cpu_wait_share[0] > 0.3"
}
once_in 5 own_waits

# ---------------------------------------------------------------- limits of I/O
if [[ -w /sys/fs/cgroup/blkio/cgroup.procs ]]; then
    io_group=/sys/fs/cgroup/blkio/weir-pressure.$$
    limit() { echo "$number $1" >"$io_group/blkio.throttle.write_bps_device"; }
elif grep -qw io /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
    io_group=/sys/fs/cgroup/weir-pressure-io.$$
    limit() { echo "$number wbps=$1" >"$io_group/io.max"; }
else
    skip "limiting I/O needs root and a writable control group; the rest is fine"
fi
mkdir "$io_group" "$limits"
truncate -s 200M "$work/image"
mkfs.ext4 -q "$work/image" && device=$(losetup -f --show "$work/image") && mount "$device" "$limits" ||
    skip "a loop device needs root and /dev/loop-control; the rest is fine"
reset_queue "$device" || true
number=$(cat "/sys/class/block/${device#/dev/}/dev")

limited() { # limited COMMAND...
    rm -f "$result"
    # shellcheck disable=SC2016 # the inner shell expands them
    capture bash -c 'echo $$ >"$1/cgroup.procs"; echo $$ >"$2/cgroup.procs"; shift 2; exec "$@"' - "$group" "$io_group" "$@"
}

limit 8388608
at_limit() {
    limited "$WEIR" -a DIRECT -w -r -t 256k -b 24m -o "$limits/f" --result "$result"
    expect_done
    has io-limit "f.level == 'warning' and f.effect == 'qualify'"
    expect_record "not any(f.name == 'io-limit' for f in reading.findings)"
}
once_in 5 at_limit
expect_line 'io-limit.* writes at [0-9]+ % of the 8 MiB/s'
limited "$WEIR" doctor "$limits"
expect_line 'I/O limit +a control group limits writes to 8 MiB/s'

# Far below the limit it is a note, and without a limit there is none.
limit 8388608000
limited "$WEIR" -a DIRECT -w -t 64k -b 1m -o "$limits/f" --result "$result"
expect_done
has io-limit "f.level == 'note' and f.effect == 'inform'"
alone "$WEIR" -a DIRECT -w -t 64k -b 1m -o "$limits/f"
has_not io-limit
