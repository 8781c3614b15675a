#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Remote memory with servers in the job: the command lines that files have as well, over the providers that need no device.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=rdma_lib.sh
. "$(dirname "$0")/rdma_lib.sh"
mib=1048576

for provider in tcp shm; do
    two_servers "$provider"
    (($(grep -cE '^tasks +: 2$' "$out") == 5 && $(grep -cE '^api +: RDMA' "$out") == 5)) || fail "not five tests of two clients"

    run_script 4 "api=RDMA rdma.provider=$provider rdma.targets=2 rdma.capacity=64m testFile=/f writeFile=1 readFile=1 checkRead=1
        transferSize=64k blockSize=1m reorderTasksRandom=1 depth=4" rdma.mode={pull,send}
    expect_done
    expect_record "[(p.bytes, p.outcome) for p in phases if p.verb in ('write', 'read')] == [(2 * $mib, 'complete')] * 4"
    expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'read'] == [(32, 0)] * 2"

    # Small stripes.
    ior_with 3 "$provider" 2 -w -r -R -t 47008 -b 47008 -s 20 --rdma.stripe-unit 4k
    expect_right $((20 * 47008))

    # Every rank is both; alone as well.
    ior_with 3 "$provider" self -w -r -R -C -t 64k -b 1m
    expect_right $((3 * mib))
    expect_line '^tasks +: 3$'
    ior_with 1 "$provider" self -w -r -R -t 64k -b 1m
    expect_right $mib

    # Descriptors are needed for the clients of the job, not for as many as a daemon serves.
    descriptors=$(ulimit -Sn)
    ulimit -Sn 128
    ior_with 3 "$provider" 1 -w -r -R -t 64k -b 64k
    ulimit -Sn "$descriptors"
    expect_right $((2 * 65536))

    # Fewer clients than there could be; ranks that sit it out are let go.
    ior_with 4 "$provider" 1 -N 2 -w -r -R -t 64k -b 1m
    expect_right $((2 * mib))
    expect_line '^tasks +: 2$'

    # What the first test of a script leaves, the second one finds: servers stay.
    run_script 4 "" "api=RDMA testFile=/kept transferSize=64k blockSize=1m rdma.provider=$provider rdma.targets=2 rdma.capacity=64m writeFile=1
        readFile=0 keepFile=1" "writeFile=0 readFile=1 checkRead=1 rdma.mode=pull"
    expect_right $((2 * mib))

    # And not if they are to be other ones.
    sed 's/rdma.mode=pull/rdma.capacity=32m/' "$work/job.ior" >"$work/others.ior"
    run 4 ior -f "$work/others.ior"
    ((status != 0)) || fail "an object has outlived its server"

    # No room: an error of the write like any other, and the end is in order.
    ior_with 4 "$provider" 2 -w -t 1m -b 96m
    expect_exit 1
    expect_record "written.outcome == 'partial' and 'No space left on device' in written.failure"
done

# ---------------------------------------------------------------- what is refused, before anything is touched

refused() { # refused PATTERN RANKS OPTION...
    local pattern=$1
    shift
    run "$1" ior -a RDMA -o /f "${@:2}"
    expect_exit 2
    expect_error "$pattern"
}

refused 'a queue depth of 64 .* 31' 2 --rdma.provider tcp --rdma.mode pull --depth 64 -w -t 4k -b 4k
refused 'rdma.targets 4: ' 4 --rdma.provider tcp --rdma.targets 4
refused 'rdma.targets some: ' 2 --rdma.provider tcp --rdma.targets some
refused 'rdma.targets per-node: ' 1 --rdma.provider tcp --rdma.targets per-node
refused 'secret' 1 --rdma.provider tcp --rdma.hosts 127.0.0.1:1
refused 'rdma.targets .*rdma.hosts ' 2 --rdma.targets 1 --rdma.hosts 127.0.0.1:1 --rdma.secret-file "$secret"

# ---------------------------------------------------------------- the end, before its time

# A signal to all ranks: clients end in order, and servers serve them until then.
finished_phases() { grep -c '"record":"phase"' "$result" 2>/dev/null || true; }
has_phase() { (($(finished_phases) >= 1)); }
rm -f "$result"
launch mpiexec -n 4 "$WEIR" ior -a RDMA --rdma.provider tcp --rdma.targets 2 -w -t 64k -b 3200k -i 3 -O interIODelay=20000 -o /f \
    --result "$result"
wait_until 100 has_phase || fail "the first repetition does not end"
sleep 0.5
signal_ranks TERM
end_of_run
expect_exit 1
expect_line 'interrupted'
expect_record "writes[0].outcome == 'complete' and writes[-1].interrupted"

# ---------------------------------------------------------------- two hosts

testbed=$WEIR_ROOT/scripts/testbed/testbed-hosts
"$testbed" run -- true >"$out" 2>&1 || skip "virtual hosts cannot be made here, which takes root, namespaces and a root that is a mount point, not a chroot: $(tail -n 1 "$out"); the rest is fine"
export OMPI_MCA_orte_tmpdir_base=/tmp
passed_on=(-x WEIR -x WEIR_DETAILS)
for name in ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS; do
    [[ ! ${!name-} ]] || passed_on+=(-x "$name")
done

on_hosts() { # on_hosts OPTION...
    rm -f "$result"
    capture "$testbed" run -- mpiexec -n 4 --host n1:2,n2:2 "${passed_on[@]}" --wdir "$work" "$WEIR" ior -a RDMA \
        -w -r -R -C -e -t 64k -b 1m --rdma.capacity 64m -o /f --result "$result" "$@"
}

on_hosts --rdma.provider tcp --rdma.targets per-node
expect_right $((2 * mib))
expect_line '^nodes +: 2$'
expect_line '^tasks +: 2$'
expect_line '^clients per node +: 1$'
on_hosts --rdma.provider tcp --rdma.targets self -F
expect_right $((4 * mib))
on_hosts --rdma.provider tcp --rdma.targets 2
expect_right $((2 * mib))
on_hosts --rdma.provider shm --rdma.targets 2
expect_exit 2
expect_error ' shm: '
