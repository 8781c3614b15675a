#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How far a run is, on a terminal and off it: for each phase, each pause and each measurement of a network.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip "script(1), which makes terminals, is not there: scripts/deps test"

# 7 transfers of 0.1 s each: longer than a look of half a second, however slow the machine is.
words=(-a DUMMY --dummy.delay-xfer=100000 -t 64k -b 448k)

on_terminal() { # on_terminal COMMAND...: what it prints there, as lines, goes to $out
    command_line="on a terminal: $*"
    status=0
    timeout 60 script -qec "$*" /dev/null </dev/null >"$work/typed" 2>&1 || status=$?
    tr '\r' '\n' <"$work/typed" >"$out"
}

expect_progress() {
    expect_line '^write 1 of 2 begins'
    expect_line '^write 2 of 2, [0-9.]+ MiB, [0-9.]+ MiB/s, [0-9]+ %, [0-9]+ s left'
    expect_line '^read 1 of 2, [0-9.]+ MiB, [0-9.]+ MiB/s, [0-9]+ %, [0-9]+ s left'
    expect_line '^remove 2 of 2 begins'
    expect_line 'Max Write'
}

on_terminal "$WEIR" "${words[@]}" -i 2 -d 0.1
expect_done
expect_progress
expect_line '^pause of 0 s'

# Ranks write to pipes; their launcher writes to the terminal.
on_terminal mpiexec -n 2 "$WEIR" "${words[@]}" -i 2
expect_done
expect_progress
on_terminal mpiexec -n 2 "$WEIR" "${words[@]}" -w --progress off
expect_done
expect_no_line 'begins|left'

# A file is no terminal, even where the launcher has one.
on_terminal "mpiexec -n 1 $WEIR ${words[*]} -w 2>$work/log"
expect_done
[[ ! -s $work/log ]] || fail "there is progress in a file: $(cat "$work/log")"

on_terminal mpiexec -n 2 "$WEIR" net --provider shm --duration 0.05 --warm-up 0 --sizes 1k,2k
expect_done
expect_line '^measurement 1 of 2, messages of 1k'
expect_line '^measurement 2 of 2, messages of 2k'

# Where there is no terminal nothing is said of a short run, and on request a line now and then.
run 2 "${words[@]}" -w
expect_done
[[ ! -s $err ]] || fail "there is something on standard error"
run 2 "${words[@]}" -w --progress 0.3
expect_done
grep -cE '^weir: write, [0-9.]+ MiB, .* left, slowest rank [01] at [0-9]+ %$' "$err" >/dev/null || fail "no line says how far it is"
grep -q $'[\r\033]' "$err" && fail "lines for a log steer a terminal"
exit 0
