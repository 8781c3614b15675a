#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RDMA verbs over soft-RoCE, in a virtual machine: the contract suite, command lines over remote memory, and runs of
# weir net. Outside, this boots the machine; inside, it is the test.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mib=1048576

# ---------------------------------------------------------------- outside

boot() {
    TMPDIR=/tmp WEIR_TEST_IN_MACHINE=1 capture "$vm_run" --rdma rxe --cpus 4 --mem 3G --timeout 550 -- \
        bash "$WEIR_ROOT/tests/mpi/rdma_vm.sh"
    cat "$out"
}

if [[ ! ${WEIR_TEST_IN_MACHINE-} ]]; then
    # shellcheck disable=SC2119 # nothing besides
    need_machine
    export WEIR WEIR_TEST WEIR_ROOT
    boot
    expect_done
    exit 0
fi

# ---------------------------------------------------------------- inside

[[ -e /sys/class/infiniband ]] || skip "the kernel has no soft-RoCE, which takes CONFIG_RDMA_RXE"
ulimit -l unlimited
# shellcheck source=rdma_lib.sh
. "$(dirname "$0")/rdma_lib.sh"

verbs() { # verbs RANKS TARGETS OPTION...
    ior_with "$1" verbs "$2" "${@:3}"
}

contract=$(dirname "$(dirname "$WEIR")")/tests/contract/test_backends
if [[ -x $contract ]]; then
    WEIR_TEST_RDMA=rdma.provider=verbs,rdma.targets=self,rdma.capacity=64m \
        capture timeout 250 "$contract" '*provider=verbs*.32.*'
    expect_done
fi

two_servers verbs
verbs 2 self -w -r -R -t 256k -b 2m --depth 8
expect_right $((4 * mib))

# A daemon, and one that is killed.
start_daemon one verbs
one=$daemon hosts=$address
start_daemon two verbs
two=$daemon
hosts+=/$address
ior_on 2 verbs -w -k -e -t 64k -b 1m
expect_done
ior_on 2 verbs -r -R -t 64k -b 1m -C
expect_done
expect_record "reading.bytes == 2 * $mib and reading.wrong == 0"
kill -KILL "$two"
SECONDS=0
ior_on 2 verbs -w -t 64k -b 4m --rdma.timeout 3
((status != 0 && SECONDS < 60)) || fail "a server is dead, and that takes $SECONDS s"
is_alive "$one" || fail "the other server has ended"
end_daemon "$one" one

# Memory to memory.
for pattern in pair incast; do
    run 4 net --provider verbs --pattern "$pattern" --sizes 64k --duration 0.5
    expect_done
done

capture "$WEIR" doctor
expect_done
expect_line '^  good +verbs '
