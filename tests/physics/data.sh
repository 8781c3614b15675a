#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The figures of --format csv-long and json-long, for each dialect: each transfer, or operation on names, is delayed by a known
# time, so that no rate of any clock is above what this time allows; and all phases fit into the time of a clock outside.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"

readonly delay_us=3000
transfers="-a fault:posix --fault.pause $delay_us"
names="-a fault:posix --fault.verb name --fault.every 1 --fault.delay $delay_us"

lawful() { # lawful RANKS BYTES WORDS...: of an operation; 0 = names, whose bytes are not delayed
    local begin ranks=$1 bytes=$2 format
    shift 2
    rm -f "$result"
    begin=$(date +%s%N)
    # shellcheck disable=SC2086
    capture mpiexec -n "$ranks" "$WEIR_TEST" "$@" --result "$result"
    expect_done
    begin=$(($(date +%s%N) - begin))e-9
    for format in csv-long json-long; do
        "$WEIR" report "$result" --format "$format" >"$work/$format" || fail "$format is not printed"
    done
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/physics/data.py" "$work/csv-long" "$work/json-long" "$ranks" "$bytes" "${delay_us}e-6" "$begin" >"$work/why" ||
        fail "$(head -n 30 "$work/why")"
}

mkdir "$files/t1" "$files/t2"
# shellcheck disable=SC2016
printf 'repeat $i 8 { time["put"] write("p$$rank", 64K); time["get"] read("p$$rank", 64K); }\n' >"$work/p.pbl"
# shellcheck disable=SC2086
{
    lawful 2 65536 ior -w -r -W -i 2 -t 64k -b 512k -D 1 $transfers -o "$files/f"
    lawful 2 65536 iozone -t 2 -s 256k -r 64k -i 0 -i 1 -i 2 ${transfers/-a/--backend} -F "$files/z1" "$files/z2"
    lawful 1 65536 dd if=/dev/zero of="$files/d" bs=64k count=8 $transfers
    lawful 2 32768 sweep transfer=16k,32k -- ior -w -r -b 128k $transfers -o "$files/s"
    lawful 2 65536 targets "$files/t1" "$files/t2" --size 256k --transfer 64k -i 1 $transfers
    lawful 2 0 mdtest -n 6 -i 2 -d "$files/m" $names
    lawful 2 0 md-workbench -D 1 -I 4 -P 4 -R 2 -S 512 -o "$files/w" $names
}
# The dialects of which each rank works by itself.
cd "$files"
# shellcheck disable=SC2086
lawful 2 65536 parabench "$work/p.pbl" ${transfers/-a/--backend}
