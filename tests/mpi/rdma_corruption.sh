#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory of a server that has changed behind its back: a read that checks says what is wrong, and where in the object.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=rdma_lib.sh
. "$(dirname "$0")/rdma_lib.sh"
mib=1048576

slab() { # slab COMMAND...: in the memory of the server
    python3 -B "$WEIR_ROOT/tests/mpi/rdma_slab.py" "$daemon" "$@"
}

write_object() {
    ior_on 1 "$provider" -w -k -t 1m -b 4m -G 7 --data full
    expect_done
}

read_object() {
    ior_on 1 "$provider" -r -R -k -t 1m -b 4m -G 7 --data full
}

expect_wrong() { # expect_wrong KIND OFFSET BYTES: this and nothing else, in the object
    expect_exit 1
    expect_record "reading.wrong == 1 and [(m.kind, m.offset, m.bytes) for m in reading.mismatches] == [('$1', $2, $3)]"
    grep -q '/f' "$out" "$err" || fail "the object is not named"
}

for provider in tcp shm; do
    start_daemon "$provider" "$provider"
    hosts=$address
    write_object
    read_object
    expect_done
    expect_record "reading.checked == 4 and reading.wrong == 0"

    # One bit, in the stamp and behind it.
    for offset in $((mib + 12)) $((3 * mib + 777)); do
        place=$(($(slab find $((offset / mib * mib)) $mib) + offset % mib))
        slab flip "$place"
        read_object
        expect_wrong flip "$offset" 1
        slab flip "$place"
    done

    # A block as it was before it was written again.
    slab save "$(slab find $((2 * mib)) $mib)" $mib "$work/old"
    write_object
    place=$(slab find $((2 * mib)) $mib)
    slab save "$place" $mib "$work/new"
    slab restore "$place" "$work/old"
    read_object
    expect_wrong stale $((2 * mib)) $mib

    # The block of another place.
    slab save "$(slab find 0 $mib)" $mib "$work/first"
    slab restore "$place" "$work/first"
    read_object
    expect_wrong misplaced $((2 * mib)) $mib

    # Memory that has lost what was in it.
    head -c 65536 /dev/zero >"$work/zeros"
    slab restore "$place" "$work/new"
    slab restore $((place + 131072)) "$work/zeros"
    read_object
    expect_wrong zero $((2 * mib + 131072)) 65536
    end_daemon "$daemon" "$provider"
done
