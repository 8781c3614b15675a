#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --randomPrefill fills the files before the random write: what is read afterwards is what the write left, however far it came.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

tests=()
for shape in filePerProc=0 filePerProc=1 'filePerProc=1 reorderTasksConstant=1' repetitions=2 api=MPIIO 'filePerProc=1 dataPacketType=random'; do
    for size in 4k 1m; do
        tests+=("$shape randomPrefill=$size")
    done
done
run_script 2 "api=POSIX writeFile=1 checkWrite=1 readFile=1 checkRead=1 randomOffset=1 transferSize=16k blockSize=1m segmentCount=2
    testFile=$files/f filePerProc=0 reorderTasksConstant=0 repetitions=1 dataPacketType=timestamp" "${tests[@]}"
expect_done
of_test="[[p for p in phases if p.test == t] for t in range(12)]"
expect_record "len(tests) == 12 and all([p.verb for p in of[:4]] == ['write', 'write', 'read', 'read'] for of in $of_test)"
expect_record "all(of[0].bytes == of[1].bytes == 2 * 2 * 1048576 for of in $of_test)"
expect_record "all(p.checked == 2 * 128 and p.wrong == 0 for p in phases if p.verb == 'read')"
expect_record "all(t.existing_files == 0 for t in tests)"
expect_files ''

# The write is cut, the prefill is not: half of the file keeps what was there before it.
rm -f "$result"
run 2 -w -W -r -R -z --randomPrefill 1m -t 4k -b 8m -D 1 -O interIODelay=2000 -k -o "$files/f" --result "$result"
expect_done
expect_record "phases[0].bytes == 16 * 1048576 and not phases[0].stonewall"
expect_record "phases[1].stonewall and 0 < phases[1].bytes < 16 * 1048576"
expect_record "checking.checked == phases[1].ops and checking.wrong == 0"
expect_record "reading.checked > 0 and reading.wrong == 0"
(($(stat -c %s "$files/f") == 16 * 1048576)) || fail "the file is not whole"

# The next run finds one file in its way, and verifies what it then writes.
rm -f "$result"
run 2 -w -r -R -z --randomPrefill 64k -t 4k -b 8m -o "$files/f" --result "$result"
expect_done
expect_record "tests[0].existing_files == 1 and reading.wrong == 0 and reading.checked == 4096"
expect_files ''

# A signal in the middle of a prefill: it is cut like any other phase.
rm -f "$result"
launch mpiexec -n 2 "$WEIR_TEST" -a fault:posix --fault.every 1 --fault.delay 2000 -w -z --randomPrefill 4k -t 4k -b 64m -F -o "$files/f" \
    --result "$result"
wait_until 100 test -s "$files/f.00000001" || fail "nothing is written"
signal_ranks TERM
end_of_run
expect_exit 1
expect_record "written.outcome == 'partial' and written.interrupted and len(writes) == 1"
expect_files ''
