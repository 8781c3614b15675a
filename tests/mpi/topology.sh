#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir topology draws the hosts of the golden tests as they are stored, this host as it was given to it. What it
# cannot draw is in golden.refusals.
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
