#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ranks in another order than they were started in, on two virtual hosts: where each of them ran is in the result file.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$(dirname "$0")/hosts_lib.sh"

enter_hosts 2 dd_hosts.sh "$@"
watch_places

try() { # try PLACEMENT MAPPING WANTED OPTION...: a digit for each rank, as launched and as it is to be
    local placement=$1 mapping=$2 wanted=$3
    shift 3
    rm -f "$result" "$files"/*
    forget_places
    capture mpiexec -n "${#placement}" --host n1:3,n2:3 --map-by "$mapping" "${passed_on[@]}" --wdir "$work" \
        "$work/placed" dd if=/dev/zero of="$files/f%r" bs=64K count=4 "$@" --result "$result"
    expect_places "$placement"
    [[ $wanted ]] || return 0
    expect_done
    expect_record "''.join(str(int(written.placement.nodes.host[n][1:]) - 1) for n in written.placement.ranks.node) == '$wanted'"
}

try 000111 slot 010101 --rank-order round-robin
try 010101 node 000111 --rank-order packed
try 000111 slot 000111 --rank-order packed
try 000111 slot 110010 --rank-order n2,N2.cluster,n1,n1,n2,n1
expect_record 'runs[-1].plan.rank_order.kind == "listed" and runs[-1].host.node == "n2"'
# Those that are not listed come last, in their order.
try 000111 slot 100011 --rank-order n2

# A line for which there is no rank.
for list in n1,n2,n1,n1,n1 n2,n3; do
    try 000111 slot '' --rank-order $list
    expect_exit 2
    expect_files ''
    [[ $list == n2,n3 ]] || expect_error 'line 5 names n1 once more than the 3 ranks that are there.*--host'
    [[ $list != n2,n3 ]] || expect_error 'line 2 names n3, where none of the 6 ranks is.*--host'
done

# A rank of the new order that fails is named by its number there, and by its host.
capture mpiexec -n 4 --host n1:2,n2:2 "${passed_on[@]}" --wdir "$work" "$WEIR" dd if="$files/none%r" of=/dev/null bs=64K count=4 \
    --rank-order n2,n1,n2,n1
((status != 0)) || fail "a read of nothing has succeeded"
grep -qE 'rank 0 on host n2' "$out" "$err" || fail "the rank is not the first one of the list"

# MPI-IO works with the communicator of the new order: each rank's part is where its number says.
rm -f "$result" "$files"/*
capture mpiexec -n 4 --host n1:2,n2:2 "${passed_on[@]}" --wdir "$work" "$WEIR" dd if=/dev/zero of="$files/one" bs=64K count=4 -a mpiio \
    --rank-order n2,n1,n2,n1 --result "$result"
expect_done
expect_record 'written.bytes == 1 << 20 and written.file_bytes == 1 << 20'

# A signal ends the run in order, and all that was recorded is there.
rm -f "$result" "$files"/*
launch mpiexec -n 4 --host n1:2,n2:2 "${passed_on[@]}" --wdir "$work" "$WEIR" dd if=/dev/zero of="$files/f%r" bs=4K count=100000 --rate 40 \
    --rank-order n2,n1,n2,n1 --result "$result"
wait_until 100 test -s "$files/f3" || fail "rank 3 does not write"
kill -USR1 "$launcher"
end_of_run
((status != 0)) || fail "the run was not interrupted"
expect_record 'end.interrupted and written.interrupted and 0 < written.bytes < 4 * 4096 * 100000'
