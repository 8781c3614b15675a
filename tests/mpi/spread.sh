#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One number for what differs: repetitions, the time of a phase, and devices that have failed. Each is provoked, and has a
# clean twin that says nothing. Traffic of others is in tests/trust.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What others on this machine do to a run is a finding of its own, and explains these.
try() { # try EXPRESSION COMMAND...: holds in one of three runs
    local expression=$1 attempt
    shift
    for attempt in 1 2 3; do
        rm -f "$result"
        capture "$@" --result "$result"
        expect_done
        "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" "$expression" >/dev/null && return
    done
    fail "in no run of $attempt: $expression"
}
names='{f.name for p in phases for f in p.findings}'
# Without those that the load of the machine explains.
shown="{f.name for p in phases for f in p.findings if not getattr(f, 'explained_by', None)}"

# ---------------------------------------------------------------- repetitions
# Files of repetitions have their number at the end: one of them is three times as slow as it is, in each dialect.
ior=(mpiexec -n 2 "$WEIR_TEST" ior -a fault:posix -w -r -m -t 64k -b 1m --fault.pause 20000 --fault.every 1 -o "$files/f" -i 3)
try "not {'spread', 'warm-up'} & $shown" "${ior[@]}"
try "'spread' in $names and 'warm-up' not in $names" "${ior[@]}" --fault.in f.1 --fault.delay 40000
try "{'spread', 'warm-up'} <= $names and sum(f.name == 'spread' for p in phases for f in p.findings) == 2" \
    "${ior[@]}" --fault.in f.0 --fault.delay 40000
expect_record "all(p.repetition == 2 for p in phases for f in p.findings if f.name in ('spread', 'warm-up'))"
# On a crowded machine waits for CPUs explain it as well, and come first.
expect_record "all(f.explained_by in ('warm-up', 'cpu-pressure') for p in phases for f in p.findings if f.name == 'spread')"
mdtest=(mpiexec -n 2 "$WEIR_TEST" mdtest -a fault:posix -F -C -n 8 -i 3 -d "$files/tree" --fault.verb open --fault.every 1)
try "'spread' not in $shown" "${mdtest[@]}" --fault.delay 40000
try "'spread' in $names" "${mdtest[@]}" --fault.delay 40000 --fault.at 16
targets=("$WEIR_TEST" targets "$files/a" "$files/b" -a fault:posix --buffered --alone-only --size 1m --transfer 64k -i 3 --fault.pause 20000)
mkdir "$files/a" "$files/b"
try "'spread' not in $shown" "${targets[@]}"

# ---------------------------------------------------------------- time
course=("$WEIR_TEST" -a fault:posix -w -t 64k --fault.pause 4000 -o "$files/f")
try "not {'trend', 'periodic-stalls', 'stall'} & $shown" "${course[@]}" -b 64m
try "'trend' in $names and 'periodic-stalls' not in $names" "${course[@]}" -b 48m --fault.at 384 --fault.every 1 --fault.delay 4000
try "'periodic-stalls' in $names and 'trend' not in $names" "${course[@]}" -b 48m --fault.every 96 --fault.delay 200000
try "'stall' in $names" "${course[@]}" -b 24m --fault.at 100 --fault.delay 1500000

# ---------------------------------------------------------------- devices
devices() { # devices: btrfs without one of its devices, in a mount namespace of this shell, which ends with it
    local device other image=$work/memory/image twin=$work/memory/twin
    command -v mkfs.btrfs >/dev/null || { echo "no mkfs.btrfs: not tested"; return 0; }
    mkdir -p "$files/mount" "$work/memory"
    mount -t tmpfs tmpfs "$work/memory"
    truncate -s 256M "$image" "$twin"
    device=$(losetup -f --show "$image" 2>/dev/null) && other=$(losetup -f --show "$twin") || { echo "no loop devices: not tested"; return 0; }
    reset_queue "$device" && reset_queue "$other" || true
    mkfs.btrfs -q -f -m raid1 -d raid1 "$device" "$other"
    mount "$device" "$files/mount"
    losetup -d "$device" "$other" # once they are unmounted
    try "'degraded' not in $names" "$WEIR" -a POSIX -w -t 1m -b 8m -o "$files/mount/f"
    umount "$files/mount"
    btrfs device scan --forget >/dev/null 2>&1 || true
    device=$(losetup -f --show "$image")
    mount -o degraded "$device" "$files/mount"
    losetup -d "$device"
    try "'degraded' in $names" "$WEIR" -a POSIX -w -t 1m -b 8m -o "$files/mount/f"
    umount "$files/mount"
}
clean_up() { umount -l "$files/mount" "$work/memory" 2>/dev/null; }
if [[ ${1-} == devices ]]; then
    devices
    exit
fi
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    unshare -m bash "$0" devices || exit 1
else
    echo "no mounts: a missing device is not tested"
fi
