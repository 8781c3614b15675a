#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Items, directories and bytes of trees that do not fit into the inodes and the space of their file systems are told before
# anything is made; --must-fit refuses them. On small file systems that only this shell sees.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if [[ ${1-} != inside ]]; then
    unshare --user --map-root-user --mount mount -t tmpfs -o size=4m,nr_inodes=400 tmpfs "$files" 2>"$err" ||
        skip "no file system can be mounted here, which takes root and CAP_SYS_ADMIN: $(cat "$err")"
    status=0
    unshare --user --map-root-user --mount bash "$0" inside || status=$?
    exit "$status"
fi
clean_up() { cd / && umount "$files" "$work/b" 2>/dev/null; }

# The root of the file system and the directory of -d, which is there, have two of the inodes; the mark of a run beside that one has a third.
mount -t tmpfs -o size=4m,nr_inodes=400 tmpfs "$files"
mkdir "$files/a"

try() { # try OPTION...
    run 2 mdtest -d "$files/a" "$@"
}

expect_refusal() { # expect_refusal PATTERN OPTION...: with --must-fit; and nothing is made
    local pattern=$1
    shift
    try "$@" --must-fit
    expect_exit 2
    expect_error "$files/a: $pattern.*--must-fit"
    [[ -z $(ls -A "$files/a") ]] || fail "something was made: $(find "$files/a" | head -n 3)"
}

expect_room() { # expect_room OPTION...
    try "$@" --must-fit
    expect_done
    ! grep -q 'new files and directories\|do not fit' "$out" "$err" || fail "what fits is said not to"
}

expect_refusal '402 new files and directories are more than the 397 ' -n 200 -F
expect_room -n 197 -F
expect_refusal '402 new' -n 200 -F -c
expect_room -n 200 -S -F
# Directories go before files come, but for -C.
expect_room -n 150
expect_refusal '602 new' -n 150 -C
# Trees of their own: 121 directories each, and as many items; of 40, they fit.
expect_refusal '485 new' -u -I 1 -z 4 -b 3 -F
expect_room -u -I 1 -z 3 -b 3 -F
# A directory around each set; iterations that stay.
expect_refusal '400 new' -n 100 -I 1 -F
expect_refusal '426 new' -n 70 -F -C -i 3
expect_room -n 70 -F -i 3
expect_refusal 'files that need 6.25 MiB more do not fit: .* MiB' -n 100 -F -w 32k
expect_room -n 100 -F -w 8k

# --explain counts the same, and has a time at most only where all phases have one.
explained() { # explained PATTERN OPTION...
    local pattern=$1
    shift
    try "$@" --explain
    expect_exit 0
    grep -q -- "$pattern" "$out" || fail "--explain has no line like $pattern: $(<"$out")"
    ! grep -q ' 0 s at most' "$out" || fail "it says that the run takes no time"
}
explained '^  names   400 items and 2 directories .* and 398 inodes free: THEY DO NOT FIT$' -n 200 -F
explained '^  names   394 items and 2 directories .* and 398 inodes free$' -n 197 -F
explained '^  names   242 items and 243 directories .*: THEY DO NOT FIT$' -u -I 1 -z 4 -b 3 -F
explained '^  names   200 items .* together 6.25 MiB; .*: THEY DO NOT FIT$' -n 100 -F -w 32k
explained '^  memory  32768 bytes of transfers in flight per rank, 65536 bytes in all' -n 100 -F -w 32k
explained '^  time    1.00 s at least$' -n 100 -F --rate 800

# Without --must-fit it is said, and tried.
try -n 200 -F --result "$result"
expect_exit 1
grep -q '402 new files and directories' "$out" || fail "it is not told"
expect_record "len([t for t in tests if '402 new' in t.no_space]) == 1"
# A deadline may end it before.
try -n 200 -F --must-fit -W 60
((status != 2)) || fail "what a deadline may cut is refused"

# What an earlier run has made needs no room.
expect_room -n 150 -F -C
expect_room -n 150 -F -C
expect_room -n 150 -F -r

# Each file system for itself.
mkdir "$work/b"
mount -t tmpfs -o size=4m,nr_inodes=400 tmpfs "$work/b"
run 2 mdtest -d "$files/a@$work/b" -u -n 250 -F --must-fit
expect_done
run 2 mdtest -d "$files/a@$files/b" -u -n 250 -F --must-fit
expect_exit 2
run 3 mdtest -d "$files/a@$work/b" -u -n 250 -F --must-fit
expect_exit 2
expect_error "$files/a: 50[0-9] new files"

run 2 md-workbench -D 2 -P 100 -I 10 -R 1 -o "$files/a/sets" --run-info-file="$work/position" --must-fit
expect_exit 2
expect_error '404 new files and directories'
