#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Caches that the page cache of a file does not show: of the file below a loop device, and of the daemon of a FUSE file
# system. Each is found where it answers, in each dialect, and not where the same path has none; what nothing here can
# observe is unverified, and weir doctor says so beforehand.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
need_root 'mounts file systems'
PATH=$PATH:/usr/sbin:/sbin
command -v losetup mkfs.ext4 >/dev/null || skip "losetup or mkfs.ext4 is not there (scripts/deps testbed)"

mounts=()
loop=
clean_up() {
    local point
    for point in "${mounts[@]}"; do
        umount "$point" 2>/dev/null || umount -l "$point" 2>/dev/null || true
    done
    [[ -z $loop ]] || losetup -d "$loop" 2>/dev/null || true
}

kind=$(stat -f -c %T "$work")
[[ $kind != @(tmpfs|ramfs|overlayfs) ]] || skip "$work is on $kind: set TMPDIR to a directory on a disk"

names() { # names PHASE: an expression
    echo "{f.name for f in $1.findings}"
}

voids() { # voids KIND PHASE: an expression: the finding says that the figure is not the storage's
    echo "any(f.name == '$1' and f.effect == 'void' for f in $2.findings)"
}

try() { # try OPTION...: the result is that of this run alone
    rm -f "$result"
    run 1 "$@" --result "$result"
    expect_done
}

# ---- a loop device with and without direct I/O to its file

# The program's own transfers may leave the machine's disk busy: what others read from it counts as supplied.
truncate -s 512M "$work/image"
mkfs.ext4 -q "$work/image"
loop=$(losetup --find --show "$work/image" 2>/dev/null) || skip "no loop device can be had here, which takes root and /dev/loop-control"
reset_queue "$loop" || true
mkdir "$work/loop"
mount "$loop" "$work/loop" || skip "a loop device cannot be mounted here, which takes root outside of containers"
mounts+=("$work/loop")
here=$work/loop/f

set_direct() { # set_direct on|off
    losetup --direct-io="$1" "$loop" || skip "losetup cannot set direct I/O, which takes Linux 4.4 and util-linux 2.28"
    sync
}

# Disks count what others read meanwhile: a cache is found in one of eight runs, and without one in none.
phase=
expect() { # expect found|none OPTION...: of the phase $phase
    local wanted=$1 attempt
    shift
    for attempt in 1 2 3 4 5 6 7 8; do
        try "$@"
        if [[ $wanted == none ]]; then
            expect_record "not {'lower-cache', 'client-cache'} & $(names "$phase")"
            return
        fi
        "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" "$(voids lower-cache "$phase")" >/dev/null && return
        echo "attempt $attempt: others read from the disk"
    done
    fail "no cache was found below the loop device"
}

read_all() { # read_all found|none: each dialect reads 32 MiB that were written before
    phase=reading
    expect "$1" ior -a POSIX --direct -r -E -k -t 1m -b 32m -o "$here"
    [[ $1 == none ]] || expect_record "reading.believed == 'DO NOT USE'"
    expect "$1" ior -a POSIX -r -E -k -t 1m -b 32m --drop-caches files -o "$here"
    expect "$1" dd "if=$here" of=/dev/null bs=1M count=32 iflag=direct
    phase="[p for p in phases if p.verb == 'read'][-1]"
    expect "$1" iozone -i 0 -i 1 -I -e -s 32m -r 1m -f "$work/loop/i"
}

set_direct off
try ior -a POSIX -w -e -k -t 1m -b 32m -o "$here"
read_all found
# What direct writes left in that cache is written at any time: no verdict says that the disk has it.
try ior -a POSIX --direct -w -k -t 1m -b 32m -o "$here"
expect_record "all(p.evidence.stored.state != 'not seen' and p.believed in ('UNVERIFIED', 'DO NOT USE') for p in phases)"
# The advice against a cached read would lead there: one sentence says so, and voids nothing by itself.
rm -f "$work/loop/g"
try ior -a POSIX -w -r -i 2 -t 1m -b 8m -o "$work/loop/g"
expect_record "len([f for p in phases for f in p.findings if f.name == 'lower-cache']) == 1"
capture "$WEIR" doctor "$work/loop"
expect_done
expect_line 'limited +loop[0-9]+ '
expect_line 'losetup --direct-io=on'
for question in supplied stored synced names; do
    expect_line "limited +$question .*cannot be observed here"
done

if losetup --direct-io=on "$loop" 2>/dev/null && [[ $(<"/sys/block/${loop#/dev/}/loop/dio") == 1 ]]; then
    try ior -a POSIX -w -e -k -t 1m -b 32m -o "$here"
    read_all none
    capture "$WEIR" doctor "$work/loop"
    expect_no_line 'losetup --direct-io=on'
fi

# ---- the daemon of a FUSE file system

[[ -w /dev/fuse ]] || skip "FUSE takes /dev/fuse, which is not there; loop devices were tried"
[[ -x ${WEIR_CACHING_FUSE-} ]] || skip "the FUSE daemon takes libfuse 3 when weir is built (libfuse3-dev); loop devices were tried"

mount_fuse() { # mount_fuse cache|through SUBTYPE
    mkdir -p "$work/back.$1" "$work/fuse"
    "$WEIR_CACHING_FUSE" "$1" "$work/back.$1" "$work/fuse" -o "subtype=$2,fsname=nowhere" || skip "FUSE cannot be mounted here, which takes root and /dev/fuse"
    mounts+=("$work/fuse")
}

# Of a network file system: nothing crosses a network, so that all came from the daemon.
mount_fuse cache sshfs
for words in 'ior -a POSIX -w -e -r -t 1m -b 32m -o f' 'ior -a POSIX --direct -w -r -t 1m -b 32m -o f' \
    'ior -a POSIX -w -e -r --drop-caches files -t 1m -b 32m -o f' 'iozone -i 0 -i 1 -e -s 32m -r 1m -f f'; do
    # shellcheck disable=SC2086
    (cd "$work/fuse" && exec "$WEIR" $words --result "$result.fuse") >"$out" 2>"$err" || fail "$words"
    command_line=$words
    expect_record "all($(voids client-cache p) for p in phases if p.verb in ('write', 'read'))" "$result.fuse"
    rm -f "$result.fuse"
done
wait_until 30 umount "$work/fuse" || fail "the FUSE file system stays mounted"

# Of a type that nobody knows: a daemon that answers from memory moves neither a disk nor a network (others may, meanwhile);
# one that does not is believed by nobody, and is not accused.
cached_reads_are_found() {
    rm -f "$result"
    (cd "$work/fuse" && "$WEIR" ior -a POSIX -w -r --direct -t 1m -b 64m -o f --result "$result") >"$out" 2>"$err" || return 1
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" "$(voids client-cache reading)" >/dev/null
}
mount_fuse cache weirtest
if compgen -G '/sys/class/net/*/device' >/dev/null && compgen -G '/sys/class/block/*/device' >/dev/null; then
    once_in 5 cached_reads_are_found
else
    echo "no port or disk with hardware is counted here: reads from an unknown daemon are not judged"
fi
wait_until 30 umount "$work/fuse" || fail "the FUSE file system stays mounted"
mount_fuse through weirtest
(cd "$work/fuse" && "$WEIR" ior -a POSIX -w -e -r --direct -t 1m -b 16m -o f --result "$result.through") >"$out" 2>"$err" || fail 'ior on FUSE'
expect_record "not any($(names p) & {'client-cache', 'lower-cache'} for p in phases)" "$result.through"
expect_record "all(p.evidence.supplied.state == 'cannot be observed here' and p.believed == 'UNVERIFIED'
    for p in phases if p.verb == 'read')" "$result.through"
reason=$("$WEIR_PYTHON" -c 'import json, sys
print(next(r["evidence"]["supplied"]["reason"] for r in map(json.loads, open(sys.argv[1])) if r.get("verb") == "read"))' "$result.through")
capture "$WEIR" doctor "$work/fuse" --format json
expect_done
"$WEIR_PYTHON" -c 'import json, sys
lines = {l["subject"]: l for l in json.load(open(sys.argv[1]))["lines"] if l["heading"].startswith("Evidence")}
assert lines["supplied"]["verdict"] == "limited" and sys.argv[2] in lines["supplied"]["text"] and lines["supplied"]["remedies"], lines
assert lines["cpu"]["verdict"] == "good", lines' "$out" "$reason" || fail "the doctor says something else than the run: $reason"
wait_until 30 umount "$work/fuse" || fail "the FUSE file system stays mounted"

# ---- a file system of this node's own disk has all its evidence

rm -f "$result"
run 1 ior -a POSIX -w -e -r --drop-caches files -t 1m -b 8m -o "$files/f" --result "$result"
expect_done
expect_record "all(e.state != 'cannot be observed here' for p in phases for e in vars(p.evidence).values())"
