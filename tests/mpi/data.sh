#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# data.sh API RANKS: what is written in each layout and order is read back right, and counted right.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
api=$1 ranks=$2

case $api in
posix) backend=(-a POSIX) ;;
direct) backend=(-a DIRECT); need_direct_io ;;
mmap) backend=(-a MMAP) ;;
stdio) backend=(-a STDIO) ;;
mpiio) backend=(-a MPIIO) ;;
collective) backend=(-a MPIIO -c) ;;
esac

tests=(fsync=0 filePerProc=1 'reorderTasksConstant=1 fsync=1' 'filePerProc=1 reorderTasksRandom=2'
    'filePerProc=1 reorderTasksConstant=1 taskPerNodeOffset=1' 'reorderTasksRandom=2 reorderTasksRandomSeed=7')
[[ $api == collective ]] || tests+=(randomOffset=1 'filePerProc=1 randomOffset=1' 'data=full fsyncPerWrite=1')
run_script "$ranks" "api=${backend[1]} collective=$((${#backend[@]} - 2)) transferSize=64k blockSize=512k segmentCount=2
    writeFile=1 checkWrite=1 readFile=1 checkRead=1 testFile=$files/f filePerProc=0 fsync=0 reorderTasksConstant=0 reorderTasksRandom=0 randomOffset=0" \
    "${tests[@]}"
expect_done
expect_no_line '(nan|inf)'
for access in write read; do
    rows=$(grep -cE "^$access +[0-9.]+ +[0-9.]+ " "$out")
    ((rows == 2 * ${#tests[@]})) || fail "there are $rows rows of $access"
done
reads="[p for p in phases if p.verb == 'read' and not p.check]"
expect_record "len(tests) == len(writes) == len($reads) == ${#tests[@]}"
expect_record "all(p.bytes == $ranks * 1048576 and p.errors == 0 for p in writes)"
expect_record "all(p.bytes == $ranks * 1048576 and p.wrong == 0 and p.checked > 0 for p in $reads)"
expect_record "all(t.existing_files == 0 for t in tests)"
expect_files ''

# Random block positions are for reading what is there.
run "$ranks" "${backend[@]}" -t 64k -b 512k -s 2 -w -k -G 42 -o "$files/f"
expect_done
if [[ $api != collective ]]; then
    rm -f "$result"
    run "$ranks" "${backend[@]}" -t 64k -b 64k -s 40 -r -R -z -z -k -G 42 -o "$files/f" --result "$result"
    expect_done
    expect_record "reading.ops == $ranks * 40 and reading.wrong == 0"
fi
expect_files f
