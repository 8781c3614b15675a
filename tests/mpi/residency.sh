#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What of a read is in the page cache is known before it: all of what was just written, nothing after --drop-caches, and
# else as much as fincore says.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What a tmpfs holds is always in memory.
if [[ $(stat -f -c %T "$work") == @(tmpfs|ramfs|overlayfs) ]]; then
    ((EUID == 0)) || skip "$work is on no file system of a disk, and only root can make another one: set TMPDIR to a directory on a disk"
    status=0
    # shellcheck disable=SC2016
    "$WEIR_ROOT/scripts/testbed/testbed-loopfs" run -- bash -c 'TMPDIR=$TESTBED_MNT exec bash "$0"' "$0" || status=$?
    exit "$status"
fi

mib=1048576

try() { # try RANKS OPTION...: the result is that of this run alone
    local ranks=$1
    shift
    rm -f "$result"
    run "$ranks" -t 64k --result "$result" "$@"
    expect_done
}

expect_residency() { # expect_residency KIND RANKS MIB EXPRESSION: of the shares of as many ranks
    expect_record "($1.residency.ranks == $2 and $1.residency.asked_bytes == $3 * $mib and
        (lambda share: $4)($1.residency.resident_bytes / $1.residency.asked_bytes))"
}

findings_of() { # findings_of KIND: an expression
    echo "{finding.name for finding in $1.findings}"
}

expect_cached() { # expect_cached KIND RANKS MIB
    expect_residency "$1" "$2" "$3" 'share > 0.97'
    expect_record "'resident' in $(findings_of "$1") and not {'maybe-cached', 'same-node'} & $(findings_of "$1")"
}

# Others may need so much memory that pages leave the cache between a write and the read: it stays in one of five runs.
try_cached() { # try_cached KIND READERS MIB RANKS OPTION...: a run that finds what it reads in the cache
    local kind=$1 readers=$2 read_mib=$3 attempt
    shift 3
    for attempt in 1 2 3 4 5; do
        try "$@"
        "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" \
            "$kind.residency.resident_bytes > 0.97 * $kind.residency.asked_bytes" >/dev/null && break
        echo "attempt $attempt: pages left the cache"
    done
    expect_cached "$kind" "$readers" "$read_mib"
}

expect_uncached() { # expect_uncached KIND RANKS MIB
    expect_residency "$1" "$2" "$3" 'share < 0.01'
    expect_record "not {'resident', 'maybe-cached', 'same-node', 'checked-before'} & $(findings_of "$1")"
}

# ---- files that were just written

for sharing in '' -F; do
    # shellcheck disable=SC2086
    try_cached reading 2 8 2 -w -r -b 4m $sharing -o "$files/f"
    expect_line 'resident.* (9[789]|100) % of the data'
    expect_record 'written.residency is None'

    # shellcheck disable=SC2086
    try 2 -w -W -r -b 4m $sharing --drop-caches files -o "$files/f"
    expect_uncached checking 2 8
    expect_uncached reading 2 8
    expect_no_line 'note resident'
done

# ---- writes that stay in memory: by dirty pages, or else devices count what left it, and what others wrote meanwhile

expect_unsynced() { # expect_unsynced VERB CONDITION, in which `share` of what was written has left memory
    expect_record "(lambda p: (lambda share: ('unsynced' in {f.name for f in p.findings}) == ($2))(
        getattr(p.traffic, 'device_written_bytes', p.bytes) / p.bytes))(next(p for p in phases if p.verb == '$1'))"
}

try 2 -w -b 32m -o "$files/f"
expect_unsynced write 'getattr(p, "dirty", None) is not None or share < 0.95'
try 2 -w -e -b 4m -o "$files/f"
expect_unsynced write False
try 2 -w -b 1m -O minTimeDuration=0.3 -o "$files/f"
expect_record "'repeated' in $(findings_of written)"
if [[ -w /dev/shm ]]; then
    try 2 -w -r -a POSIX --direct -b 1m -o "/dev/shm/weir-residency-$$"
    expect_record "all('in-memory' in {f.name for f in p.findings} for p in phases if p.verb != 'remove')"
fi

# Segments of several ranks, in any order: each rank asks for its own. They are written in order: random blocks that
# repeat leave holes, which no cache holds.
for order in -z '-z -z'; do
    try 3 -w -k -b 256k -s 4 -o "$files/f"
    # shellcheck disable=SC2086
    try_cached reading 3 3 3 -r -k -b 256k -s 4 $order -o "$files/f"
    # shellcheck disable=SC2086
    try 3 -r -b 256k -s 4 $order --drop-caches files -o "$files/f"
    expect_uncached reading 3 3
done

# What is mixed reads as well; what goes past the cache asks nobody to empty it.
try 2 -w --read-percent 50 -b 4m -o "$files/f"
expect_record "(lambda p: p.residency.asked_bytes == 8 * $mib and 'resident' in {f.name for f in p.findings})(
    next(p for p in phases if p.verb == 'mixed'))"
if can_bypass_cache; then
    try 2 -w -r -b 4m --direct -o "$files/f"
    expect_record "not {'resident', 'maybe-cached'} & $(findings_of reading)"
fi

# ROMIO's words for kinds of file systems are not those of the kernel.
if grep -q 'MCA io: romio321' < <(ompi_info 2>/dev/null); then
    export OMPI_MCA_io=romio321
    try_cached reading 2 8 2 -a MPIIO -w -r -b 4m -o "ufs:$files/f"
    try 2 -a MPIIO -w -r -b 4m --drop-caches files -o "ufs:$files/f"
    expect_uncached reading 2 8
    unset OMPI_MCA_io
fi
expect_files ''

# ---- a file that is there already

# A file of 8 MiB of which so many bytes are in the cache. They stay there as long as the process $keeper has them locked,
# where it may lock as much; else others may take them away.
keep() { # keep BYTES
    try 2 -w -k -b 4m -o "$files/kept"
    rm -f "$work/kept"
    python3 - "$files/kept" "$1" "$work/kept" <<'END' &
import ctypes, mmap, os, sys, time
path, size = sys.argv[1], int(sys.argv[2])
file = os.open(path, os.O_RDWR)
os.fsync(file)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for offset in range(0, size, 65536):
    os.pread(file, 65536, offset)
is_locked = True
if size > 0:
    memory = mmap.mmap(file, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    is_locked = ctypes.CDLL(None).mlock(ctypes.c_void_p(address), ctypes.c_size_t(size)) == 0
with open(sys.argv[3] + ".new", "w", encoding="utf-8") as told:
    print("locked" if is_locked else "free", file=told)
os.rename(sys.argv[3] + ".new", sys.argv[3])
time.sleep(3600)
END
    keeper=$!
    wait_until 60 test -e "$work/kept" || fail "the file is not brought into the cache"
}

let_go() {
    [[ ${keeper-} ]] || return 0
    kill "$keeper" 2>/dev/null || true
    wait "$keeper" 2>/dev/null || true
    keeper=
}

for cached in 0 1 3 8; do
    keep $((cached * mib))
    cached_bytes=$((cached * mib))
    ! command -v fincore >/dev/null || cached_bytes=$(fincore --bytes --noheadings --output RES "$files/kept")
    try 2 -r -E -k -b 4m -o "$files/kept"
    let_go
    if [[ $(<"$work/kept") == locked ]]; then
        expect_record "reading.residency.resident_bytes == $cached_bytes == $cached * $mib"
        expect_record "('resident' in $(findings_of reading)) == ($cached > 0)"
    else
        expect_record "reading.residency.resident_bytes <= $cached_bytes"
    fi
done
try 2 -r -E -k -b 4m --drop-caches files -o "$files/kept"
expect_uncached reading 2 8

# ---- the whole node

if ((EUID == 0)) && { : >/proc/sys/vm/drop_caches; } 2>/dev/null; then
    for sharing in '' -F; do
        # shellcheck disable=SC2086
        try 2 -w -W -r -b 4m $sharing --drop-caches node -o "$files/f"
        expect_uncached checking 2 8
        expect_uncached reading 2 8
    done
fi

# Who may not do that is told before anything is touched, and may drop files.
if ((EUID == 0)); then
    chmod 711 "$work"
    mkdir -m 777 "$files/theirs"
    unprivileged=(setpriv --reuid 65534 --regid 65534 --clear-groups env -u OMPI_MCA_orte_tmpdir_base)
    "${unprivileged[@]}" "$WEIR" --version >/dev/null 2>&1 || skip "nobody may run $WEIR, which takes a build in a directory that all may enter; the rest is fine"
else
    mkdir "$files/theirs"
    unprivileged=()
fi
rm -f "$files/kept"
capture "${unprivileged[@]}" "$WEIR" -w -r -t 64k -b 4m --drop-caches node -o "$files/theirs/f"
expect_exit 3
expect_error "drop-caches node: .* /proc/sys/vm/drop_caches .*$(hostname).*--drop-caches files"
expect_files ''
capture "${unprivileged[@]}" "$WEIR" -w -r -t 64k -b 4m --drop-caches files -o "$files/theirs/f"
expect_done
expect_no_line 'note resident|note maybe-cached'
capture "${unprivileged[@]}" "$WEIR" -w -r -t 64k -b 4m -o "$files/theirs/f"
expect_done
expect_line 'note resident.* -> --drop-caches files'
