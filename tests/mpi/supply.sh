#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bytes that no device supplied, direct I/O that was buffered, and queues and requests smaller than asked for: provoked on
# file systems in loop devices, each with a clean twin.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs
if [[ ! ${SUPPLY_PART-} ]]; then
    ((EUID == 0)) || skip "mounting file systems in loop devices needs root"
    [[ -e /dev/loop-control ]] || skip "this needs /dev/loop-control"
    parts=(ext4 xfs journal)
    ! command -v mkfs.btrfs >/dev/null || parts+=(btrfs)
    for part in "${parts[@]}"; do
        options=(--type "$part" --size 320M)
        [[ $part != journal ]] || options=(--type ext4 --size 200M --mount-options data=journal)
        [[ $part != btrfs ]] || options+=(--mount-options compress=zstd)
        echo "-- $part"
        # shellcheck disable=SC2016
        SUPPLY_PART=$part "$bed" "${options[@]}" run -- bash -c 'TMPDIR=$TESTBED_MNT exec bash "$0"' "$0"
    done
    exit 0
fi

names="(lambda p: {f.name for f in p.findings})"

try() { # try RANKS OPTION...: the result is that of this run alone
    local ranks=$1
    shift
    rm -f "$result"
    run "$ranks" --result "$result" "$@"
    expect_done
}

expect_found() { # expect_found VERB NAME: in the phases of that verb
    expect_record "all('$2' in $names(p) for p in phases if p.verb == '$1')"
}

expect_clean() { # expect_clean VERB: none of the findings of this test
    expect_record "all(not {'no-device-io', 'buffered-direct', 'queue-limit', 'small-requests', 'read-ahead', 'repeated'} & $names(p)
        for p in phases if p.verb == '$1')"
}

fresh() { # fresh FILE: written data, out of the page cache
    head -c 16M /dev/urandom >"$1"
    sync -f "$1"
    dd if="$1" iflag=nocache count=0 status=none
}

read_both() { # read_both FINDING FILE: found by buffered and by direct reads
    try 2 -r -E -k -t 256k -b 8m --drop-caches files -o "$2"
    expect_found read "$1"
    try 2 -r -E -k -t 256k -b 8m --direct -o "$2"
    expect_found read "$1"
}

queue=/sys/block/$(basename "$TESTBED_LOOP")/queue
reset_queue "$TESTBED_LOOP" || skip "setting the queue of a loop device needs root"

case $SUPPLY_PART in
ext4 | xfs)
    # ---- a written file, read cold
    fresh "$files/full"
    for api in POSIX MMAP MPIIO STDIO; do
        try 2 -a "$api" -r -E -k -t 256k -b 8m --drop-caches files -o "$files/full"
        expect_clean read
        expect_record "all(p.supply.ranks == 2 and p.supply.storage_read_bytes >= p.bytes for p in phases if p.verb == 'read')"
    done
    try 2 -r -E -k -t 256k -b 8m --direct -o "$files/full"
    expect_clean read
    try 2 -w -r -t 256k -b 8m --direct -o "$files/f"
    expect_clean write
    expect_clean read

    # ---- hints that ask for direct I/O, which OMPIO does not know
    if mpiexec --version | grep -q 'Open MPI'; then
        for value in true false; do
            export OMPI_MCA_io=ompio IOR_HINT__MPI__direct_write=$value
            try 2 -a MPIIO -w -e -t 256k -b 8m -o "$files/f"
            [[ $value == true ]] && expect_found write buffered-direct || expect_clean write
        done
        unset OMPI_MCA_io IOR_HINT__MPI__direct_write
    fi

    # ---- holes, extents that were never written, and half of a file that was punched out
    truncate -s 16M "$files/hole"
    read_both no-device-io "$files/hole"
    expect_line 'no-device-io.*0 % of the bytes read came from the device, 100 % are holes -> '
    fallocate -l 16M "$files/unwritten"
    read_both no-device-io "$files/unwritten"
    expect_line 'no-device-io.*100 % are unwritten extents -> '
    fallocate -p -o 4M -l 8M "$files/full"
    sync -f "$files/full"
    read_both no-device-io "$files/full"
    expect_line 'no-device-io.*50 % are holes -> '
    for dialect in "iozone -i 1 -r 256k -s 16m -w -I -f $files/hole" "dd if=$files/hole of=/dev/null bs=256k count=64 iflag=direct"; do
        rm -f "$result"
        # shellcheck disable=SC2086
        capture "$WEIR" $dialect --result "$result"
        expect_done
        expect_found read no-device-io
    done

    # ---- a label of a program: the same bytes that two ranks read may have been supplied once
    fresh "$files/full"
    cat >"$work/program.pbl" <<END
time["full"] read("$files/full", 8m, 0);
time["holes"] read("$files/hole", 8m, 0);
END
    for ranks in 1 2; do
        rm -f "$result"
        dd if="$files/full" iflag=nocache count=0 status=none
        capture mpiexec -n "$ranks" "$WEIR" parabench "$work/program.pbl" --result "$result"
        expect_done
        expect_record "all(f.text.find('\"holes\"') > 0 for p in phases for f in p.findings if f.name == 'resident')"
        expect_record "any(f.name == 'resident' for p in phases for f in p.findings)"
    done

    # ---- an overlay over it
    mkdir "$work/upper" "$work/lower" "$work/worker" "$work/merged"
    if mount -t overlay -o "lowerdir=$work/lower,upperdir=$work/upper,workdir=$work/worker" none "$work/merged" 2>/dev/null; then
        fresh "$work/merged/full"
        truncate -s 16M "$work/merged/hole"
        try 2 -r -E -k -t 256k -b 8m --direct -o "$work/merged/full"
        expect_clean read
        try 2 -r -E -k -t 256k -b 8m --direct -o "$work/merged/hole"
        expect_found read no-device-io
        umount "$work/merged"
    fi

    # ---- what a file in memory says nothing of
    if [[ -w /dev/shm ]]; then
        try 1 -w -r -t 256k -b 4m -o "/dev/shm/weir-supply-$$"
        expect_clean read
    fi

    # ---- the queue of the device, and its requests
    fresh "$files/full"
    try 1 -a URING -r -E -k -t 64k -b 16m --direct --depth 130 -o "$files/full"
    expect_found read queue-limit
    try 1 -a URING -r -E -k -t 64k -b 16m --direct --depth 8 -o "$files/full"
    expect_clean read
    echo 64 >"$queue/max_sectors_kb"
    try 1 -r -E -k -t 1m -b 16m --direct -o "$files/full"
    expect_found read small-requests
    try 1 -r -E -k -t 64k -b 16m --direct -o "$files/full"
    expect_clean read
    echo 1280 >"$queue/max_sectors_kb"
    try 1 -r -E -k -t 1m -b 16m --direct -o "$files/full"
    expect_clean read
    # Four transfers do not fill a depth of 16.
    try 1 -a URING -r -E -k -t 4m -b 16m --direct --depth 16 -o "$files/full"
    expect_found read depth-not-reached
    try 1 -a URING -r -E -k -t 64k -b 16m --direct --depth 4 -o "$files/full"
    expect_record "all('depth-not-reached' not in $names(p) for p in phases)"

    # ---- read-ahead, and places that are read again
    head -c 64M /dev/urandom >"$files/large"
    sync -f "$files/large"
    try 1 -r -E -k -t 4k -b 64m --drop-caches files -o "$files/large"
    expect_found read read-ahead
    try 1 -a MMAP -r -E -k -z -z -t 4k -b 4k -s 256 --drop-caches files -o "$files/large"
    expect_found read read-ahead
    try 1 -r -E -k -z -z -t 64k -b 64k -s 1024 --drop-caches files -o "$files/large"
    expect_found read repeated
    try 1 -r -E -k -z -t 64k -b 64m --drop-caches files -o "$files/large"
    expect_clean read
    ;;
journal)
    try 2 -w -r -t 256k -b 8m --direct -o "$files/f"
    expect_found write buffered-direct
    expect_line 'warning buffered-direct.*100 % of the data are in the page cache after direct I/O .* -> mount it without data=journal'
    ;;
btrfs)
    yes "the same line again" | head -c 16M >"$files/text" || true
    sync -f "$files/text"
    try 2 -r -E -k -t 128k -b 8m --drop-caches files -o "$files/text"
    expect_found read no-device-io
    expect_line 'no-device-io.*compressed extents -> write it with --data full'
    fresh "$files/full"
    try 2 -r -E -k -t 128k -b 8m --drop-caches files -o "$files/full"
    expect_clean read
    # A mount that compresses is told by its options, as it leaves no pages.
    try 2 -w -t 256k -b 8m --direct -o "$files/f"
    expect_found write buffered-direct
    mount -o remount,compress=no "$TESTBED_MNT"
    # Kernels before 6.15 keep checksums of direct writes, and do not buffer them for that.
    try 2 -w -t 256k -b 8m --direct -o "$files/f"
    expect_record "all(('buffered-direct' in $names(p)) == (p.supply.left_bytes > p.bytes / 10 if hasattr(p.supply, 'left_bytes') else False)
        for p in phases if p.verb == 'write')"
    mkdir "$files/plain"
    chattr +C "$files/plain"
    try 2 -w -t 256k -b 8m --direct -o "$files/plain/f"
    expect_clean write
    ;;
esac
