#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# RDMA verbs over devices in software, in a virtual machine: the contract suite, command lines over remote memory, and
# runs of weir net; over soft-RoCE, and if asked for over soft-iWARP. Outside, this boots the machine; inside,
# it is the test.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

mib=1048576

# ---------------------------------------------------------------- outside

boot() { # boot KIND
    TMPDIR=/tmp WEIR_TEST_IN_MACHINE=$1 capture "$vm_run" --rdma "$1" --cpus 4 --mem 3G --timeout 550 -- \
        bash "$WEIR_ROOT/tests/mpi/rdma_vm.sh"
    cat "$out"
}

if [[ ! ${WEIR_TEST_IN_MACHINE-} ]]; then
    # shellcheck disable=SC2119 # nothing besides
    need_machine
    export WEIR WEIR_TEST WEIR_ROOT
    boot rxe
    expect_done
    # Soft-iWARP takes twice as long again: WEIR_TEST_SIW=1 asks for it.
    [[ ${WEIR_TEST_SIW-} ]] || exit 0
    boot siw
    ((status == 77)) || expect_done
    exit 0
fi

# ---------------------------------------------------------------- inside

kind=$WEIR_TEST_IN_MACHINE
[[ -e /sys/class/infiniband ]] || skip "the kernel has no $kind"
ulimit -l unlimited
# shellcheck source=rdma_lib.sh
. "$(dirname "$0")/rdma_lib.sh"
[[ $kind == siw ]] && wireup=cm || wireup=auto

verbs() { # verbs RANKS TARGETS OPTION...
    ior_with "$1" verbs "$2" --rdma.wireup "$wireup" "${@:3}"
}

contract=$(dirname "$(dirname "$WEIR")")/tests/contract/test_backends
if [[ -x $contract ]]; then
    WEIR_TEST_RDMA=rdma.provider=verbs,rdma.wireup=$wireup,rdma.targets=self,rdma.capacity=64m \
        capture timeout 250 "$contract" '*provider=verbs*.32.*'
    expect_done
fi

two_servers verbs rdma.wireup=$wireup
verbs 2 self -w -r -R -t 256k -b 2m --rdma.pairs 2 --depth 8
expect_right $((4 * mib))

# A daemon, and one that is killed.
start_daemon one verbs --wireup "$wireup"
one=$daemon hosts=$address
start_daemon two verbs --wireup "$wireup"
two=$daemon
hosts+=/$address
ior_on 2 verbs -w -k -e -t 64k -b 1m --rdma.wireup "$wireup"
expect_done
ior_on 2 verbs -r -R -t 64k -b 1m -C --rdma.wireup "$wireup"
expect_done
expect_record "reading.bytes == 2 * $mib and reading.wrong == 0"
kill -KILL "$two"
SECONDS=0
ior_on 2 verbs -w -t 64k -b 4m --rdma.timeout 3 --rdma.wireup "$wireup"
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
