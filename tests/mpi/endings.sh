#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The end of a report is there only where everything was done, the exit code is 2 only where nothing was, standard error says why it is not
# 0 whatever is printed, and a line that warns counts where warnings are errors.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

expect_no_end() { expect_no_line '^(Summary of all tests|Finished|Run finished|Total runtime|Runtime:)'; }

# ---------------------------------------------------------------- refused

run 1 ior -w -k -t 64k -b 64k -o "$files/f"
expect_done
expect_line '^Finished'
run 1 ior -r -k -t 64k -b 64k -o "$files/f" -O stoneWallingStatusFile="$work/none"
expect_exit 3
expect_no_end
run 1 ior -r -k -t 64k -b 64k -o "$files/f" -O stoneWallingStatusFile="$work/none",summaryFormat=JSON
expect_exit 3
! grep -q '"Finished": "' "$out" || fail "JSON says that it is finished"

# A later test: what ran before it is told, and the code is that of a run that did something.
echo precious >"$work/foreign"
write_script "blockSize=64k transferSize=64k writeFile=1 readFile=0 keepFile=0" "testFile=$files/g" "testFile=$work/foreign"
for format in default JSON; do
    run 2 -f "$work/job.ior" -O summaryFormat="$format"
    expect_exit 1
    expect_error 'foreign'
    expect_no_end
    ! grep -q '"Finished": "' "$out" || fail "JSON says that it is finished"
done
run 1 -f "$work/job.ior" --result "$result"
expect_exit 1
capture "$WEIR" report "$result"
expect_no_end
[[ $(cat "$work/foreign") == precious ]] || fail "somebody else's file was changed"

# ---------------------------------------------------------------- interrupted

rm -f "$files"/*
launch mpiexec -n 2 "$WEIR" md-workbench -D 1 -P 20 -I 10 -R 60000 -o "$files/sets"
wait_until 60 compgen -G "$files/sets/0_0/file-[0-9][0-9][0-9]*" || fail "no cycle begins"
signal_ranks INT
end_of_run
expect_exit 1
expect_line '^benchmark '
expect_no_end
echo 'print "begun"; sleep 60000000; print "over";' >"$work/p.pbl"
launch mpiexec -n 2 "$WEIR" parabench "$work/p.pbl"
wait_until 60 grep -q begun "$out" || sleep 3
signal_ranks TERM
end_of_run
expect_exit 1
expect_no_end
echo 'print "begun";' >"$work/p.pbl"
run 1 parabench "$work/p.pbl"
expect_done
expect_line '^Runtime:'

# ---------------------------------------------------------------- lost bytes, said also under --plain

lost() { # lost DIALECT WORD...
    capture "$WEIR_TEST" "$@" --fault.stat 4096 --plain
    expect_exit 1
    expect_error 'the files hold [0-9]+ bytes, and [0-9]+ were written'
}
lost ior -a fault:posix -w -t 64k -b 256k -o "$files/f"
lost dd --api=fault:posix if=/dev/zero of="$files/f" bs=64k count=4
lost iozone --backend fault:posix -i 0 -+n -s 256k -r 64k -f "$files/i"
lost targets -a fault:posix --size 256k --transfer 64k -i 1 "$files"

# ---------------------------------------------------------------- warnings

# A line of the report itself, which is no finding.
for format in default JSON CSV; do
    empty=(mdtest -n 2 -F -E -C -r -d "$files/tree" --summaryFormat "$format")
    run 1 "${empty[@]}"
    expect_done
    [[ $format != default ]] || expect_line '^WARNING: Read bytes is 0'
    run 1 "${empty[@]}" --warningAsErrors
    expect_exit 1
done
