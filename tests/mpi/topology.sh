#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir topology draws the hosts of the golden tests as they are stored, this host as it was given to it, and refuses what
# it cannot draw.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
unset HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_THISSYSTEM

hosts=$WEIR_ROOT/tests/golden/topology

topology() { # topology OPTION...
    capture "$WEIR" topology "$@"
}

stored() { # stored HOST WORDS: the picture under these words of the golden file
    sed -n "/^==== $2\$/,/^\$/{/^====/d;/^\$/d;p}" "$hosts/$1.bindings"
}

drawn_as_stored() { # drawn_as_stored HOST WORDS OPTION...
    local host=$1 words=$2
    shift 2
    topology "$@"
    expect_done
    stored "$host" "$words" >"$work/.stored"
    [[ -s $work/.stored ]] || fail "$host.bindings has no picture of $words"
    diff "$work/.stored" "$out" >&2 || fail "the picture is not that of $words"
}

refused() { # refused PATTERN OPTION...
    local pattern=$1
    shift
    topology "$@"
    expect_exit 2
    expect_error "$pattern"
    [[ ! -s $out ]] || fail "something was drawn"
}

# Other hosts.
hca=(--xml "$hosts/hca.xml")
drawn_as_stored hca 'nic compact 6' "${hca[@]}" --pin nic --ranks 6
drawn_as_stored hca 'nic scatter 9' "${hca[@]}" --pin nic --pin-order scatter --ranks 9
drawn_as_stored hca 'nic standard 2' "${hca[@]}" --pin nic --nic mlx5_0 --ranks 2
drawn_as_stored given 'storage standard 2' "${hca[@]}" --pin storage --target nvme0n1 --allowed 4-6,12 --ranks 2
drawn_as_stored given 'storage standard 2' "${hca[@]}" --pin storage --target /dev/nvme0n1 --allowed 4-6,12 --ranks 2
drawn_as_stored given 'numa standard 3' "${hca[@]}" --pin numa --allowed 4-6,12 # as many ranks as there are cores
drawn_as_stored three-allowed 'core compact 3' --xml "$hosts/three-allowed.xml"
drawn_as_stored two-packages 'list standard 6' --synthetic 'pack:2 numa:4 core:8 pu:2(indexes=2*64:64*1)' \
    --pin list:63,0-3,64 # as many ranks as the list has processors
drawn_as_stored two-cores 'core compact 2' --synthetic 'pack:1 numa:1 core:2 pu:1'
HWLOC_SYNTHETIC='pack:1 numa:1 core:2 pu:1' drawn_as_stored two-cores 'core compact 2'
HWLOC_XMLFILE=$hosts/three-allowed.xml drawn_as_stored three-allowed 'core compact 3'

printf '# of two ranks\n1 0-1\nrank 0=anywhere slot=1\n' >"$work/rf"
topology --synthetic 'core:2 pu:1' --pin "rankfile:$work/rf" --ranks 2
expect_done
expect_line 'rank 0 +processor 1 +core 1'
expect_line 'rank 1 +processors 0-1 +cores 0-1'

# This host: what the process may use.
first=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
capture taskset -c "$first" "$WEIR" topology
expect_done
expect_line '^--pin core \(compact\): 1 rank'
expect_line "rank 0 +processor $first "
topology --pin list:"$first,$first"
expect_done
expect_line "processor $first .*"

# What cannot be drawn.
refused '^weir: /none\.xml: cannot read this file: No such file' --xml /none.xml
refused "rf: hwloc finds no topology in this file.*lstopo" --xml "$work/rf"
refused 'nonsense: hwloc finds no topology in this text' --synthetic nonsense
HWLOC_XMLFILE=/none.xml refused 'HWLOC_XMLFILE: cannot read /none.xml'
refused 'allowed: 16: the processors of this topology are 0-15' "${hca[@]}" --allowed 16
refused 'no network device eth7; those .* are eth0, ib0, mlx5_0, eth1' "${hca[@]}" --pin nic --nic eth7
refused 'on another host only devices' "${hca[@]}" --pin storage --target "$files"
refused 'nothing tells which processors' "${hca[@]}" --pin storage --target sda
refused 'storage.*--target' --pin storage
refused 'list names processors 16' "${hca[@]}" --pin list:0,16
refused 'rank 2 has no line' "${hca[@]}" --pin "rankfile:$work/rf" --ranks 3
refused 'how many ranks.*--ranks' "${hca[@]}" --pin "rankfile:$work/rf"
refused '/none: the rankfile cannot be read: No such file' --pin rankfile:/none --ranks 2
refused 'the rankfile cannot be read: Is a directory' --pin "rankfile:$files" --ranks 2
truncate -s 65M "$work/long"
refused 'long: more than 16 MiB are no rankfile' --pin "rankfile:$work/long" --ranks 2
