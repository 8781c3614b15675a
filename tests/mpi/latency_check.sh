#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The latencies of a phase against what the kernel counted for the device in the same time: a view that knows nothing of ours.
#
# The device's time begins when the block layer makes a request and ends when the device has done it. Ours begins before the
# system call that leads there and ends after the one that tells. So per transfer:
#
#   device <= ours, but for what the kernel counts of a request while others of its batch are made. Both means are exact sums
#       (a histogram of ours rounds percentiles, never the mean), so only the clocks' rates may differ: 2 % is allowed.
#   ours - device <= what the way there and back costs: system calls, the file system and the wake-up. That was 6 to 8 us at depth
#       1 on the machine that this was made on, and 15 to 22 us where one of a batch waits until others are submitted and reaped.
#       60 us and 2 us per transfer in flight are allowed, as others may work there at the same time.
#
# A process that does not get a processor for some milliseconds breaks any such bound; so each is tried up to five times, and
# must hold once, or the machine was so crowded that the test is skipped, and all that is run here goes before the work of others. The kernel takes the device's time after it has woken
# the process that waits, and to wake a halted processor of a virtual machine takes long: then the device's time was up to a fifth
# above ours. A process of the idle class on each processor keeps them from halting, and gives way to all others.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs

if [[ ${1-} != inside ]]; then
    need_root
    image_dir=$work
    [[ ! -w /dev/shm ]] || image_dir=/dev/shm
    xfs=("$bed" --type xfs --size 320M --direct-io --image-dir "$image_dir")
    "${xfs[@]}" run -- true >"$out" 2>&1 || skip "no XFS on a loop device with direct I/O here, which takes root and scripts/deps test: $(tail -n 1 "$out")"
    "${xfs[@]}" run -- "$BASH" "$0" inside || exit
    exit
fi

export TESTBED_MNT TESTBED_LOOP
files=$TESTBED_MNT
renice -n -20 -p $BASHPID >/dev/null || skip "no right to run before others, which takes root or CAP_SYS_NICE"

compare() { # compare ENGINE DEPTH: 0 if both views agree
    local stat=/sys/block/${TESTBED_LOOP#/dev/}/stat
    rm -f "$result"
    read -ra before <"$stat"
    run 1 -a "$1" --direct --depth "$2" --batch 1 -r -z -k -t 4k -b 64m -D 0.5 -O minTimeDuration=0.5 -o "$files/f" --result "$result"
    read -ra after <"$stat"
    expect_done
    python3 -B - "$result" "$2" $((after[0] - before[0])) $((after[1] - before[1])) \
        $((after[3] - before[3])) <<'END'
import json, sys
phase = next(r for r in map(json.loads, open(sys.argv[1], encoding="utf-8")) if r["record"] == "phase")
depth, count, merged, ticks_ms = map(int, sys.argv[2:])
latency = phase["latency"]
# A look at the file's beginning, and blocks of the file system itself, come with it.
if not phase["ops"] <= count + merged <= phase["ops"] * 1.01 + 16:
    sys.exit(f"weir counted {phase['ops']} transfers, the device {count}, and {merged} that were merged with others")
ours, device = latency["sum_ns"] / latency["total"] / 1e3, ticks_ms * 1e3 / count
is_late = ours - device > 60 + 2 * depth
print(f"depth {depth}: {ours:.1f} us by weir, {device:.1f} us by the device, {phase['ops']} transfers{', late' if is_late else ''}",
      file=sys.stderr)
sys.exit(0 if device <= ours * 1.02 and not is_late else 1)
END
}

# Steal time and all time of the CPUs, in ticks.
cpu_ticks() { awk '/^cpu / { print $9, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat; }

# A rank that waits for a core hears late of completions, and reports that time, as any application would see it. What is
# not so is a device time above ours. The processes that keep CPUs awake are in the load average: one for each.
was_late() {
    grep -q ' late$' "$work/views" || return 1
    ((100 * (steal - steal_before) > total - total_before)) ||
        awk -v cores="$(nproc)" '{ exit !($1 > 2 * cores + 1) }' /proc/loadavg
}

for processor in $(python3 -c 'import os; print(*os.sched_getaffinity(0))'); do
    taskset -c "$processor" chrt --idle 0 timeout 120 "$BASH" -c 'while :; do :; done' &
done

run 1 -a direct -w -k -t 1m -b 64m -o "$files/f"
expect_done
for engine in posix libaio uring; do
    "$WEIR" backends | grep -q "^$engine " || continue
    for depth in 1 8 32; do
        [[ $engine != posix ]] || ((depth == 1)) || continue
        read -r steal_before total_before < <(cpu_ticks)
        for _ in 1 2 3 4 5; do
            agrees=0
            compare $engine $depth 2>"$work/views" && agrees=1 && break
        done
        cat "$work/views"
        read -r steal total < <(cpu_ticks)
        ((agrees)) || ! was_late || skip "others had the cores: ranks heard late of what the device had done; both views agreed before; it takes an idle machine"
        ((agrees)) || fail "$engine: both views do not agree: $(cat "$work/views")"
    done
done
