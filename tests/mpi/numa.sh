#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two real NUMA nodes, those of a virtual machine: ranks are where the policy puts them, their buffers where they should
# be, by the kernel's own numbers and by the result, and what is elsewhere is found. Outside, this boots the machine;
# inside, it is the test.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"


# ---------------------------------------------------------------- outside

# The write of a run has these findings, no other ones that this is about, and the expression is true of its places.
all_findings="migrated wrong-node remote-memory shared-core"
expect_places() { # expect_places RUN FINDINGS EXPRESSION: of nodes and ranks
    expect_record "(lambda nodes, ranks: written.bytes == written.expected_bytes
                    and {f.name for f in written.findings} & set('$all_findings'.split()) == set('$2'.split())
                    and $3)(written.placement.nodes, written.placement.ranks)" "$kept/$1.jsonl"
}

# What the results must say; what the kernel says was looked at inside. Python is slow in a machine that is emulated.
expect_results() {
    expect_places numa "" "ranks.cpus == ['0-1', '2-3'] * 2
        and ranks.cpu_numa_nodes == ranks.page_numa_nodes == [[0], [1]] * 2
        and all(cpu // 2 == rank % 2 for rank, cpu in enumerate(ranks.last_cpu))
        and nodes.page_numa_nodes == [[0, 1]] and nodes.remote_ranks == nodes.wrong_node_ranks == [0]"
    expect_places core "" "ranks.cpus == ['0', '1', '2'] and ranks.wrong_node_permille == [0] * 3
        and ranks.page_numa_nodes == [[0], [0], [1]]"
    expect_places storage "" "ranks.cpus == ['2', '3'] and nodes.page_numa_nodes == [[1]]"
    expect_places node remote-memory "nodes.remote_ranks == [2] and nodes.wrong_node_ranks == [0]
        and ranks.cpu_numa_nodes == [[0]] * 2 and ranks.page_numa_nodes == [[1]] * 2"
    expect_places interleave remote-memory "ranks.page_numa_nodes == [[0, 1]] * 2 and nodes.wrong_node_ranks == [0]"
    [[ ! -e $kept/numactl.jsonl ]] ||
        expect_places numactl remote-memory "ranks.page_numa_nodes == [[1]] * 2 and nodes.remote_ranks == [2]
            and nodes.wrong_node_ranks == [0]"
    expect_places moved "migrated wrong-node" "ranks.moved == [True, False] and ranks.cpus == ['2-3', '2-3']
        and ranks.wrong_node_permille == [1000, 0] and nodes.wrong_node_ranks == [1]"
}

if [[ ! ${WEIR_TEST_IN_MACHINE-} ]]; then
    need_machine taskset
    kept=$work/kept
    mkdir "$kept"
    export WEIR WEIR_TEST WEIR_ROOT WEIR_TEST_IN_MACHINE=$kept
    # What else it writes is in the machine's memory.
    TMPDIR=/tmp capture "$vm_run" --numa --cpus 4 --nvme --timeout 540 --rw "$kept" -- \
        bash "$WEIR_ROOT/tests/mpi/numa.sh"
    expect_done
    expect_results
    exit 0
fi

# ---------------------------------------------------------------- inside

kept=$WEIR_TEST_IN_MACHINE
# Node 0 has the processors 0 and 1, node 1 has 2 and 3.
for node in 0 1; do
    [[ $(<"/sys/devices/system/node/node$node/cpulist") == "$((2 * node))-$((2 * node + 1))" ]] ||
        fail "this is not the machine with two nodes"
done

buffer_pages=4096 # of 4 KiB: what one rank has
load=(-a null -w -t 16m -b 16m -o "$files/f" --result "$result")

process_of() { # process_of RANK: nothing as long as there is none
    local process name
    for process in /proc/[0-9]*; do
        read -r name <"$process/comm" || continue
        if [[ $name == weir ]] && grep -qzx "OMPI_COMM_WORLD_RANK=$1" "$process/environ"; then
            echo "${process#/proc/}"
            return
        fi
    done 2>/dev/null
}

# The mapping with the most pages of its own is that of the buffers. The kernel counts, node by node, where they are.
buffers_of() { # buffers_of PROCESS
    awk 'match($0, / anon=[0-9]+/) {
             pages = substr($0, RSTART + 6, RLENGTH - 6) + 0
             if (pages > most) { most = pages; best = $0 }
         }
         END { print most + 0, best }' "/proc/$1/numa_maps"
}

has_buffers() { # has_buffers PROCESS
    local pages
    read -r pages _ < <(buffers_of "$1") && ((pages >= buffer_pages))
}

# In the pause: whoever waits for the others does not sleep on a clock.
are_asleep() {
    local process
    for process in "${processes[@]}"; do
        grep -q nanosleep "/proc/$process/wchan" || return 1
    done
}

# Starts ranks whose only transfer is followed by a pause that does not end by itself, so that there is time to look.
start() { # start RANKS OPTION...
    local ranks=$1 rank
    shift
    rm -f "$result"
    launch mpiexec -n "$ranks" "$WEIR" "${load[@]}" -O interIODelay=900000000 "$@"
    wait_until 60 test -s "$result" || fail "the job does not begin"
    processes=()
    for ((rank = 0; rank < ranks; rank++)); do
        processes+=("$(process_of "$rank")")
        [[ ${processes[rank]} ]] || fail "rank $rank is not there"
        wait_until 100 has_buffers "${processes[rank]}" || fail "rank $rank has no buffers"
    done
}

# Ends the pause, and with it the run.
finish() {
    wait_until 100 are_asleep || fail "the ranks do not come to their pause"
    kill -INT "${processes[@]}"
    end_of_run
    expect_exit 1
}

short_run() { # short_run RANKS OPTION...
    rm -f "$result"
    run "$1" "${load[@]}" "${@:2}"
    expect_done
}

# All threads of a rank, the MPI library's as well, may run on these processors and on no others.
expect_threads() { # expect_threads RANK CPUS
    local lists
    lists=$(cat "/proc/${processes[$1]}"/task/*/status | awk '$1 == "Cpus_allowed_list:" { print $2 }' | sort -u)
    [[ $lists == "$2" ]] || fail "the threads of rank $1 may run on ${lists//$'\n'/ and }, not on $2"
}

expect_buffers() { # expect_buffers RANK POLICY NODE: all on this one
    local pages line
    read -r pages line < <(buffers_of "${processes[$1]}")
    [[ $line =~ ^[0-9a-f]+\ "$2"\  ]] || fail "the buffers of rank $1 should have the policy '$2': $line"
    [[ $line =~ \ N$3=([0-9]+) ]] || fail "the buffers of rank $1 have no page on node $3: $line"
    ((BASH_REMATCH[1] == pages)) || fail "not all buffers of rank $1 are on node $3: $line"
}

keep() { # keep RUN: its result, to be judged outside
    mv "$result" "$kept/$1.jsonl"
}

# ---------------------------------------------------------------- the modules by themselves

unit=$(dirname "$(dirname "$WEIR")")/tests/unit
if [[ -x $unit/test_memory_place && -x $unit/test_running ]]; then
    capture "$unit/test_memory_place"
    expect_done
    for node in 0 1; do
        expect_line "NODE +$node .* 1024 pages looked at, 2048 in numa_maps"
    done
    capture "$unit/test_running"
    expect_done
fi

# ---------------------------------------------------------------- near

start 4 --pin numa
for rank in 0 1 2 3; do
    node=$((rank % 2))
    expect_threads "$rank" "$((2 * node))-$((2 * node + 1))"
    expect_buffers "$rank" "prefer (many):$node" "$node"
done
finish
keep numa

short_run 3 --pin core --membind local
keep core

# The disk is at node 1.
mkfs.ext4 -q /dev/nvme0n1 && mkdir "$work/disk" && mount /dev/nvme0n1 "$work/disk"
rm -f "$result"
run 2 -w -t 64k -b 1m -o "$work/disk/f" --pin storage --result "$result"
expect_done
umount "$work/disk"
keep storage

# ---------------------------------------------------------------- elsewhere, as asked

start 2 --pin core --membind node:1
for rank in 0 1; do
    expect_threads "$rank" "$rank"
    expect_buffers "$rank" bind:1 1
done
finish
keep node

short_run 2 --pin core --membind interleave
keep interleave

run 2 "${load[@]}" --membind node:7
((status != 0)) || fail "there is no node 7"
expect_error 'no NUMA node 7'

# A policy that the process comes with stays.
if command -v numactl >/dev/null; then
    rm -f "$result"
    capture numactl --membind=1 mpiexec -n 2 "$WEIR" "${load[@]}" --pin core
    expect_done
    keep numactl
fi

# ---------------------------------------------------------------- elsewhere, and nobody has asked

start 2 --pin numa
expect_threads 0 0-1
taskset -a -pc 2,3 "${processes[0]}" >/dev/null
expect_buffers 0 'prefer (many):0' 0
finish
keep moved
