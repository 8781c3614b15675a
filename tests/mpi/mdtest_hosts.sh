#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Virtual hosts with unequal numbers of ranks: -N finds what ranks of other hosts have made, wherever that is possible, with
# and without -u in a deep tree. Who read what is given away by damage; the rest is computed from the placement alone.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$(dirname "$0")/hosts_lib.sh"

enter_hosts 4 mdtest_hosts.sh "$@"
watch_places

launch() { # launch PLACEMENT HOSTS OPTION...
    local placement=$1 list=$2
    shift 2
    rm -f "$result"
    forget_places
    capture mpiexec -n "${#placement}" --host "$list" --map-by slot "${passed_on[@]}" --wdir "$work" "$work/placed" \
        mdtest "${words[@]}" "$@" --result "$result"
    expect_places "$placement"
}

oracle() { # oracle PLACEMENT: judges names and reads
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/mdtest_hosts.py" "$1" "$files" "$result" "${words[@]}" >"$work/.oracle" 2>&1 ||
        fail "ranks on $1, ${words[*]}: $(cat "$work/.oracle")"
}

try() { # try PLACEMENT HOSTS N [-u]
    local rank
    words=(-n 14 -z 2 -b 2 -F -w 256 -e 256 -d "$files" -N "$3" ${4+"$4"})
    launch "$1" "$2" -C -T
    expect_done
    oracle "$1"
    for ((rank = 0; rank < ${#1}; rank++)); do
        flip_bit "$(find "$files" -name "file.mdtest.$rank.6")" 99
    done
    launch "$1" "$2" -E -X -r
    expect_exit 1
    oracle "$1"
    [[ -z $(ls -A "$files") ]] || fail "something is left: $(find "$files" | head -n 3)"
}

for own in '' -u; do
    # shellcheck disable=SC2086
    try 0111 n1:1,n2:3 1 $own
    # shellcheck disable=SC2086
    try 01122 n1:1,n2:2,n3:2 1 $own
done
try 0011 n1:2,n2:2 1 -u
try 0123 n1:1,n2:1,n3:1,n4:1 1 -u
try 0123 n1:1,n2:1,n3:1,n4:1 2

# Commands around a phase: each task, the first task of each host, or task 0.
commands() { # commands WHO TASK...: those that run one
    capture mpiexec -n 4 --host n1:2,n2:2 --map-by slot "${passed_on[@]}" --wdir "$work" "$work/placed" \
        mdtest -n 2 -F -C -r -d "$files" --run-cmd-on "$1" --run-cmd-before-phase "echo \$OMPI_COMM_WORLD_RANK >>$work/log"
    expect_done
    shift
    [[ $(sort -u "$work/log" | xargs) == "$*" ]] || fail "the command ran on the tasks $(sort -u "$work/log" | xargs), not on $*"
    rm "$work/log"
}
commands task 0 1 2 3
commands node 0 2
commands first 0
