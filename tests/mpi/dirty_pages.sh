#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What of the data had not left memory, and syncs without effect, in every dialect: by dirty pages of the files, whatever
# other processes write to the same device meanwhile. Each finding has a clean twin.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need_root
if [[ ! ${TESTBED_MNT-} ]]; then
    bed=("$WEIR_ROOT/scripts/testbed/testbed-loopfs" --direct-io)
    "${bed[@]}" --size 20M run -- true >"$out" 2>&1 || skip "no ext4 can be mounted from a loop device with direct I/O, which takes root and a file system for \$XDG_RUNTIME_DIR or /tmp that has it: $(tail -n 2 "$out" | head -n 1)"
    status=0
    # shellcheck disable=SC2016
    "${bed[@]}" --size 600M run -- bash -c 'TMPDIR=$TESTBED_MNT exec bash "$0"' "$0" || status=$?
    exit "$status"
fi

try() { # try RANKS OPTION...: the result is that of this run alone
    local ranks=$1
    shift
    rm -f "$result"
    sync -f "$files"
    run "$ranks" "$@" --result "$result"
    expect_done
}

# The phases that write have this finding, or none of them has.
expect_finding() { # expect_finding NAME
    expect_record "any('$1' in {f.name for f in p.findings} for p in phases)"
}

expect_no_finding() { # expect_no_finding NAME...
    local name
    for name; do
        expect_record "all('$name' not in {f.name for f in p.findings} for p in phases)"
    done
}

expect_state() { # expect_state QUESTION STATE: of the first phase that writes data
    expect_record "next(getattr(p.evidence, '$1').state for p in phases if p.dirty) == '$2'"
}

reset_queue "$TESTBED_LOOP" || true

uncounted() { # uncounted COMMAND...: true if this kernel does not count dirty pages
    ! "$WEIR_PYTHON" - "$files" <<'END'
import ctypes, os, sys
path = sys.argv[1] + "/probe"
file = os.open(path, os.O_RDWR | os.O_CREAT)
os.unlink(path)
ok = ctypes.CDLL(None).syscall(451, file, (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 5)(), 0) == 0
sys.exit(0 if ok else 1)
END
}
! uncounted || skip "this kernel does not count dirty pages of a file, which takes Linux 6.5"

# ---- each dialect, without a sync and with one

cat >"$work/p.pbl" <<'END'
$bytes = 1m;
time["lazy"] { $f = fcreat("lazy$$rank"); repeat $i 8 fwrite($f, $bytes, $i * $bytes); fclose($f); }
time["safe"] { $f = fcreat("safe$$rank"); repeat $i 8 fwrite($f, $bytes, $i * $bytes); fsync($f); fclose($f); }
delete("lazy$$rank");
delete("safe$$rank");
END
sed '/lazy/d' "$work/p.pbl" >"$work/safe.pbl"

lazy=("ior -w -t 1m -b 8m -o $files/f" "ior -w -t 64k -b 8m -z -F -o $files/f" "ior -a MPIIO -c -w -t 1m -b 8m -o $files/f"
    "ior -a MMAP -w -t 1m -b 8m -o $files/f" "ior -w --read-percent 50 -t 64k -b 8m -o $files/f"
    "mdtest -F -n 40 -w 16k -d $files/t" "md-workbench -I 10 -P 10 -D 2 -R 1 -o $files/m"
    "iozone -i 0 -r 1m -s 8m -t 2 -F $files/a $files/b" "dd if=/dev/zero of=$files/d%r bs=1M count=8"
    "sweep transferSize=64k,1m -- ior -w -b 8m -o $files/f")
safe=("ior -w -e -t 1m -b 8m -o $files/f" "ior -w -Y -t 1m -b 4m -F -o $files/f" "ior -a MPIIO -c -w -e -t 1m -b 8m -o $files/f"
    "ior -a MMAP -w -e -t 1m -b 8m -o $files/f" "mdtest -F -n 40 -w 16k -y -d $files/t"
    "iozone -e -i 0 -r 1m -s 8m -t 2 -F $files/a $files/b" "dd if=/dev/zero of=$files/d%r bs=1M count=8 conv=fsync"
    "sweep transferSize=64k,1m -- ior -w -e -b 8m -o $files/f")
for command in "${lazy[@]}"; do
    # shellcheck disable=SC2086
    try 2 $command
    expect_finding unsynced
    expect_no_finding sync-no-effect
    expect_state stored seen
    rm -rf "${files:?}"/*
done
for command in "${safe[@]}" "ior -w --direct -t 1m -b 8m -o $files/f"; do
    # shellcheck disable=SC2086
    try 2 $command
    expect_no_finding unsynced sync-no-effect volatile-mount volatile-cache
    expect_state stored 'not seen'
    rm -rf "${files:?}"/*
done

# Of a program the label that does not sync is named, and no other.
cd "$files"
try 2 parabench "$work/p.pbl"
expect_finding unsynced
expect_line 'unsynced.*"lazy".*fsync'
expect_no_line 'unsynced.*"safe"'
try 2 parabench "$work/safe.pbl"
expect_no_finding unsynced sync-no-effect

# ---- a library that swallows syncs

export LD_PRELOAD=$WEIR_SWALLOW_SYNCS
for command in "${safe[@]}"; do
    # shellcheck disable=SC2086
    [[ $command != *MMAP* ]] || continue
    try 2 $command
    expect_finding sync-no-effect
    expect_state synced seen
    rm -rf "${files:?}"/*
done
try 2 parabench "$work/safe.pbl"
expect_finding sync-no-effect
unset LD_PRELOAD

# ---- others that write to the same device neither hide nor invent

"$WEIR_PYTHON" - "$files/foreign" <<'END' &
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
while os.getppid() > 1:
    os.pwrite(file, bytes(8 << 20), 0)
    os.fsync(file)
END
foreign=$!
try 2 ior -w -t 1m -b 8m -o "$files/f"
expect_finding unsynced
try 2 ior -w -e -t 1m -b 8m -o "$files/f"
expect_no_finding unsynced sync-no-effect
kill "$foreign"
wait "$foreign" 2>/dev/null || true
rm -f "$files/foreign"

# ---- mounts on which a sync makes nothing stable, and memory below a loop device

mounted() { # mounted DIRECTORY EXPECTED-FINDING...: of a phase that syncs, and these findings of none that does not
    local directory=$1 finding
    shift
    try 2 ior -w -e -t 1m -b 4m -o "$directory/f"
    for finding; do
        expect_finding "$finding"
    done
    (($#)) || expect_no_finding volatile-mount volatile-cache sync-no-effect unsynced
    try 2 ior -w -t 1m -b 4m -o "$directory/f"
    expect_no_finding volatile-mount volatile-cache
    expect_finding unsynced
}

mkdir "$files"/{lower,upper,work,point}
image=
clean_up() {
    umount "$files/point" 2>/dev/null
    [[ ! $image ]] || rm "$image"
}
for options in '' ,volatile; do
    mount -t overlay overlay -o "lowerdir=$files/lower,upperdir=$files/upper,workdir=$files/work$options" "$files/point" 2>/dev/null || continue
    if [[ $options ]]; then
        mounted "$files/point" volatile-mount sync-no-effect
    else
        mounted "$files/point"
    fi
    # Pages of a file on an overlay are those of its layer.
    try 2 ior -w -r -t 1m -b 4m -o "$files/point/f"
    expect_finding resident
    # No counter shows the bytes of an overlay: the doctor names the readings that the runs above had.
    capture "$WEIR" doctor "$files/point"
    expect_done
    expect_line 'good +stored .*dirty pages of the files'
    expect_line 'good +synced .*dirty pages of the files'
    expect_line 'good +supplied .*/proc/self/io'
    umount "$files/point"
    rm -rf "$files/work" && mkdir "$files/work"
done
mount -o remount,nobarrier "$TESTBED_MNT"
mounted "$files" volatile-mount
mount -o remount,barrier "$TESTBED_MNT"
mounted "$files"
if [[ -w /dev/shm ]]; then
    image=$(mktemp /dev/shm/weir-dirty.XXXXXX)
    truncate -s 40M "$image"
    mkfs.ext4 -q "$image"
    mount -o loop "$image" "$files/point"
    reset_queue "$(findmnt -no SOURCE "$files/point")" || true
    mounted "$files/point" volatile-cache
fi
