#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One file behind the names of two ranks, by hard links, symbolic links, and bind mounts of its directory, is found in each
# dialect; files of their own are silent. So are items that are there before they are made, and files of an earlier day.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$files"

has() { # has FINDING: of any phase
    expect_record "any(f.name == '$1' for p in phases for f in p.findings)"
}

has_not() { # has_not FINDING
    expect_record "not any(f.name == '$1' for p in phases for f in p.findings)"
}

try() { # try RANKS OPTION...
    rm -f "$result"
    run "$1" "${@:2}" --result "$result"
    expect_done
}

read_both() { # read_both DIRECTORY DIRECTORY: files 0 and 1 there, of two ranks, in each dialect
    local expect=$1 first=$2 second=$3
    try 2 -r -F -E -k -t 64k -b 1m -o "$first/f@$second/f"
    "$expect" same-file
    try 2 -r -F -E -k -t 64k -b 1m -a MPIIO -o "$first/f@$second/f"
    "$expect" same-file
    try 2 iozone -t 2 -i 1 -w -s 1m -r 64k -F "$first/f.00000000" "$second/f.00000001"
    "$expect" same-file
    printf 'read("%s/f.0000000$$rank", 1048576);\n' "$second" >"$work/program.pbl"
    try 2 parabench "$work/program.pbl"
    [[ $first != "$second" ]] || "$expect" same-file
}

mkdir a
try 2 -w -F -k -t 64k -b 1m -o a/f
has_not same-file
read_both has_not a a
try 2 dd if=a/f.0000000%r of=/dev/null bs=64k count=16
has_not same-file
for link in '' -s; do
    ln -f $link "$files/a/f.00000000" a/f.00000001
    read_both has a a
    expect_record "all(p.believed == 'DO NOT USE' for p in phases)"
    try 2 dd if=a/f.0000000%r of=/dev/null bs=64k count=16
    has same-file
    # A shared file has one name.
    try 2 -r -E -k -t 64k -b 512k -o a/f.00000000
    has_not same-file
done
try 2 dd if=a/f.0000000%r of=/dev/null bs=64k count=16
has same-file
rm a/*

# ---- a directory under two names

ln -s a link
try 2 -w -F -k -t 64k -b 1m -o a/f@link/f
has_not same-file # each rank has a file of its own there, ...
ln -f a/f.00000000 a/f.00000001
read_both has a link # ... and here they have not
rm a/*
try 2 mdtest -F -u -n 20 -d a@link
has same-file
mkdir c
try 2 mdtest -F -u -n 20 -d a@c
has_not same-file
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    mkdir bound
    export -f try has run capture expect_done expect_record fail 2>/dev/null
    rm -f "$result"
    capture unshare -m bash -c 'mount --bind a bound && exec mpiexec -n 2 "$WEIR" mdtest -F -u -n 20 -d a@bound --result "$0"' "$result"
    expect_done
    has same-file
fi

# ---- items of an earlier run

for words in '' '-a uring --depth 4'; do
    # shellcheck disable=SC2086
    try 2 mdtest -F -n 20 -C -d tree $words
    has_not old-names
    # shellcheck disable=SC2086
    try 2 mdtest -F -n 20 -C -d tree $words
    expect_record "any(p.existing_names == 40 and 'old-names' in {f.name for f in p.findings} for p in phases if hasattr(p, 'existing_names'))"
    expect_line 'old-names'
    # shellcheck disable=SC2086
    try 2 mdtest -F -n 20 -r -d tree $words
    has_not old-names
done

# ---- files of an earlier day

try 2 -w -k -t 64k -b 512k -o f
try 2 -r -E -k -t 64k -b 512k -o f
has_not old-names
touch -d '3 days ago' f
try 2 -r -E -k -t 64k -b 512k -o f
has old-names
expect_line 'old-names.* 3 days ago'
expect_record "reading.believed != 'DO NOT USE' or any(f.effect == 'void' for f in reading.findings)"
