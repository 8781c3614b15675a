# shellcheck shell=bash disable=SC2154,SC2034,SC2164
# SPDX-License-Identifier: Apache-2.0
# What the tests of programs share: running one, and what its reports say. To be read after lib.sh.
samples=$WEIR_ROOT/tests/samples/parabench
examples=$WEIR_ROOT/docs/examples
cd "$files"

# mpiexec forwards what a rank prints in the middle of a long report of another, and of a line of it: such a print goes before that line.
unglue() {
    perl -0pi -e 's/^([^\[\n][^\n]*?)(\[\d+\] [^\n]*)\n([^\n]*)/$2\n$1$3/mg' "$out"
}

program() { # program RANKS FILE [WORD...]: with a new result file
    local ranks=$1
    shift
    told=("$ranks" "$WEIR" parabench "$@")
    rm -f "$result"
    capture timeout 60 mpiexec -n "$ranks" "$WEIR" parabench "$@" --result "$result"
    unglue
}

inline() { # inline RANKS STATEMENTS [WORD...]: a program that is no file yet
    local ranks=$1
    printf '%s\n' "$2" >"$work/inline.pbl"
    shift 2
    program "$ranks" "$work/inline.pbl" "$@"
}

expect_commands() { # expect_commands 'NAME SUCCESSFUL FAILED'...: the whole Command Report
    local found wanted
    found=$(sed -nE 's/^ ([A-Za-z]+) +([0-9]+) successful \/ +([0-9]+) failed$/\1 \2 \3/p' "$out" | sort)
    wanted=$(printf '%s\n' "$@" | sort)
    [[ $found == "$wanted" ]] || fail "the Command Report has '${found//$'\n'/, }', not '${wanted//$'\n'/, }'"
}

expect_prints() { # expect_prints RANK LINE...: what this rank printed, in this order
    local found wanted
    found=$(sed -n "s/^\[$1\] //p" "$out")
    shift
    wanted=$(printf '%s\n' "$@")
    [[ $found == "$wanted" ]] || fail "$(head -n 8 "$out"): the prints are '${found//$'\n'/, }', not '${wanted//$'\n'/, }'"
}

# Rows of the Time Report; of the Core Time Report, which have no seconds behind the label.
expect_times() { # expect_times COUNT
    (($(sed -n '/ Time Report /,/ Core Time Report /p' "$out" | grep -cE '^ +[0-9]+ +[0-9]+ .*s$' || true) == $1)) ||
        fail "the Time Report does not have $1 events"
}

expect_core_times() { # expect_core_times COUNT
    (($(sed -n '/ Core Time Report /,/ Command Report /p' "$out" | grep -cE '^ +[0-9]+ +[0-9]+ .*avg' || true) == $1)) ||
        fail "the Core Time Report does not have $1 events"
}

expect_foretold() { # --explain tells the calls that the last program has made, and their bytes
    local line
    line=$(timeout 60 mpiexec -n "${told[@]}" --explain | sed -n 's/^  calls   //p')
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/foretold.py" "$line" "$result" || fail "--explain does not tell what ${told[*]} does: $line"
}
