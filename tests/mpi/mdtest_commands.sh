#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Commands around the phases of mdtest run on each task, once per node, or on task 0 alone; the one after a phase runs when all
# tasks are done with it. Lines of mdtest's own name them, and the finding on caches knows of them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

expect_runs() { # expect_runs TEXT...: what the commands have noted, in any order
    [[ $(sort "$work/log") == "$(printf '%s\n' "$@" | sort)" ]] || fail "the commands have noted '$(sort "$work/log" | xargs)', not '$*'"
    rm "$work/log"
}

# Three phases on files; the trees have none.
rank='$OMPI_COMM_WORLD_RANK'
run 3 mdtest -n 2 -F -C -T -r -d "$files/t" --run-cmd-before-phase "echo B $rank >>$work/log" --run-cmd-after-phase "echo A $rank >>$work/log"
expect_done
expect_runs {A,B}\ {0,1,2} {A,B}\ {0,1,2} {A,B}\ {0,1,2}
(($(grep -c "^V-0: Rank   0 Line *[0-9]* calling prologue: \"echo B $rank >>$work/log\"\$" "$out") == 3)) || fail "no line of mdtest for each command before"
(($(grep -c "^V-0: Rank   0 Line *[0-9]* calling epilogue: \"echo A $rank >>$work/log\"\$" "$out") == 3)) || fail "no line of mdtest for each command after"
run 3 mdtest -n 2 -F -C -d "$files/t" --run-cmd-on node --run-cmd-before-phase "echo B $rank >>$work/log"
expect_done
expect_runs 'B 0'
run 3 mdtest -n 2 -F -r -d "$files/t" --run-cmd-on first --run-cmd-after-phase "echo A $rank >>$work/log"
expect_done
expect_runs 'A 0'

# Task 2 makes its last file long after the others: all commands find it.
# shellcheck disable=SC2016
capture mpiexec -n 3 "$WEIR_TEST" mdtest -n 4 -F -C -d "$files/t" -a fault:posix --fault.verb open --fault.rank 2 --fault.every 1 --fault.delay 500000 \
    --run-cmd-after-phase "find $files/t -name 'file.mdtest.*' | wc -l >>$work/log"
expect_done
expect_runs 12 12 12
run 3 mdtest -n 4 -F -r -d "$files/t"
expect_done

# A command that fails on one task.
run 3 mdtest -n 2 -F -C -r -d "$files/t" --run-cmd-before-phase "test $rank != 1"
expect_exit 1
expect_error 'the command "test .*" failed: exit code 1'
expect_files ''

# What may have emptied caches on each node, and what has on one alone at the most.
finding() { sed -n 's/^weir .* names-cached [^:]*: //p' "$out"; }
run 2 mdtest -n 4 -F -d "$files/t" --run-cmd-before-phase true
expect_done
[[ $(finding) == *'unless the command before the phase has dropped it'* || $(finding) == *'from storage'* ]] || fail "the finding does not know of the command: $(finding)"
run 2 mdtest -n 4 -F -d "$files/t" --run-cmd-on first --run-cmd-before-phase true
expect_done
[[ $(finding) != *'unless the command'* && $(finding) == *'a cache '* ]] || fail "a command of one rank excuses all: $(finding)"
