#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A file system of 8 MiB fills up: a partial result that says so, exit code 1, and the files are removed or kept as asked.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs

need_root
mkfs_options=
full_on() { # full_on TYPE KEPT OPTION...
    local type=$1 kept=$2
    shift 2
    fill "$type" "$kept" "$@"
    expect_record "written.outcome == 'partial' and 0 < written.bytes < 2 * 16777216 and written.errors > 0"
}

fill() { # fill TYPE KEPT OPTION...
    local type=$1 kept=$2
    shift 2
    rm -f "$result"
    # shellcheck disable=SC2016
    capture "$bed" --type "$type" --mkfs-options "$mkfs_options" --size 8M run -- "$BASH" -c '
        status=0
        mpiexec -n 2 "$WEIR" -w -t 256k -b 16m -o "$TESTBED_MNT/f" --result "$0" "$@" || status=$?
        find "$TESTBED_MNT" -type f -name "f*" | wc -l >"$0.kept"
        exit $status' "$result" "$@"
    expect_exit 1
    grep -qi 'no space left' "$out" "$err" || fail "nobody says that there is no space left"
    expect_no_line '(nan|inf)'
    (($(cat "$result.kept") == kept)) || fail "$(cat "$result.kept") files were kept, not $kept"
}

"$bed" --type tmpfs --size 8M run -- true >"$out" 2>&1 || skip "no tmpfs can be mounted here, which takes root and CAP_SYS_ADMIN: $(tail -n 1 "$out")"
full_on tmpfs 0
full_on tmpfs 0 -F
full_on tmpfs 2 -F -k
full_on tmpfs 0 -a MPIIO
full_on tmpfs 0 -a MPIIO -c

# Mapped files have their blocks from the start: what does not fit says so when it is opened, and is not left behind.
mapped_on() { # mapped_on TYPE
    fill "$1" 0 -a MMAP
    expect_record "written.bytes == 0 and written.errors == 2"
    fill "$1" 0 -a MMAP -F -k
    expect_record "written.bytes == 0 and written.errors == 2"
}
mapped_on tmpfs

# A status file that does not fit is refused before the run, and leaves nothing of itself behind.
# shellcheck disable=SC2016
capture "$bed" --type tmpfs --size 64k run -- "$BASH" -c '
    status=0
    cat /dev/zero >"$TESTBED_MNT/fill" 2>/dev/null
    mpiexec -n 2 "$WEIR" -w -k -t 4k -b 1m -D 1 -o "$0" -O "stoneWallingWearOut=1,stoneWallingStatusFile=$TESTBED_MNT/status" || status=$?
    ls "$TESTBED_MNT" >"$1"
    exit $status' "$files/f" "$work/left"
expect_exit 2
expect_error 'status cannot be made: No space left on device'
[[ $(cat "$work/left") == fill ]] || fail "beside the file that fills the disk there is: $(cat "$work/left")"

"$bed" --type ext4 --size 8M run -- true >"$out" 2>&1 || skip "no loop device here, which takes root and the module loop on the host; the tmpfs was fine: $(tail -n 1 "$out")"
full_on ext4 0
full_on ext4 0 -F -a DIRECT -i 2
full_on ext4 1 -k
mapped_on ext4
# Where blocks cannot be had in advance, a copy comes to the end of the disk: an error like any other.
mkfs_options='-O ^extent,^64bit'
full_on ext4 0 -a MMAP
full_on ext4 2 -a MMAP -F -k -Y
