#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# skipped.sh ROOT: scripts/test names each skipped test with its reason and ends with ctest's own lines and exit code; each reason in
# the tests says what it takes.
set -euo pipefail

readonly root=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/weir-skipped.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() {
    echo "failed: $*"
    cat "$work/said"
    exit 1
}

# A tree of its own, in which nothing is installed or built, and ctest's tests are these.
mkdir -p "$work/tree/scripts" "$work/tree/build/test" "$work/bin"
cp "$root/scripts/test" "$work/tree/scripts/test"
for program in "$work/tree/scripts/deps" "$work/bin/cmake"; do
    printf '#!/bin/sh\nexit 0\n' >"$program"
    chmod +x "$program"
done
make_tests() { # make_tests NAME=COMMAND...
    local each
    for each; do
        printf 'add_test(%s bash -c "%s")\nset_tests_properties(%s PROPERTIES SKIP_RETURN_CODE 77)\n' "${each%%=*}" "${each#*=}" "${each%%=*}"
    done >"$work/tree/build/test/CTestTestfile.cmake"
}
try() {
    status=0
    PATH=$work/bin:$PATH "$work/tree/scripts/test" "$@" >"$work/said" 2>&1 || status=$?
}

make_tests "mpi.disk=echo 'skipped: no disk: scripts/deps test'; exit 77" 'unit.good=true' 'contract.silent=exit 77'
try
((status == 0)) || fail "the exit code is $status"
grep -qxE '  mpi\.disk +no disk: scripts/deps test' "$work/said" || fail "the reason is not printed"
grep -qxE '  contract\.silent +no reason is given' "$work/said" || fail "a test without a reason is not named"
tail -n 4 "$work/said" | grep -q 'contract.silent (Skipped)' || fail "ctest's lines are not the last ones"
list=$(grep -n '^Skipped, and what' "$work/said" | cut -d: -f1)
summary=$(grep -n 'tests passed' "$work/said" | cut -d: -f1)
((list < summary)) || fail "the list comes after ctest's summary"

make_tests 'unit.good=true' 'unit.bad=exit 1'
try
((status == 8)) || fail "the exit code of ctest is lost: $status"
! grep -q '^Skipped' "$work/said" || fail "a list without skipped tests"
grep -q 'unit.bad (Failed)' "$work/said" || fail "the failed test is not listed"
try -R good
((status == 0)) || fail "options do not reach ctest"
grep -q '100% tests passed, 0 tests failed out of 1' "$work/said" || fail "there is no summary"
try -N
grep -q 'Total Tests: 2' "$work/said" || fail "-N does not list"

# Lines are passed on as they come: the second test waits until the end of the first one has been printed.
make_tests 'unit.a=true' "unit.b=for i in {1..600}; do [[ ! -e $work/seen ]] || exit 0; sleep 0.1; done; exit 1"
try &
for ((i = 0; i < 600; i++)); do
    ! grep -q 'unit\.a .*Passed' "$work/said" || break
    sleep 0.1
done
touch "$work/seen"
wait $!
grep -q '100% tests passed, 0 tests failed out of 2' "$work/said" || fail "lines of tests come only when all are over"

# What a reason must say: what it takes, the command that gets it, or that nothing can be done.
if grep -nE '\bskip "' "$root"/tests/*/*.sh | grep -vE ' takes? | needs |scripts/(deps|testbed)|set TMPDIR|nothing can be' >"$work/said"; then
    fail "reasons that do not say what they take"
fi

# Words that are no options are refused before anything is installed.
printf '#!/bin/sh\ntouch "%s"\n' "$work/installed" >"$work/tree/scripts/deps"
refused() { # refused PATTERN WORD...
    local pattern=$1
    shift
    try "$@"
    ((status == 2)) || fail "the exit code of $* is $status"
    grep -qE "^test: $pattern" "$work/said" || fail "$* is refused with another sentence"
    [[ ! -e $work/installed ]] || fail "$* installs packages before it is refused"
}
refused '--nonsense: neither an option' --nonsense
refused '--nonsense=1: neither an option' -R unit --nonsense=1
refused '--quick: give it before' -R unit --quick
refused '--keep: an option for --root' --keep
refused '--root: the name of a root directory is missing' --root
refused '--nonsense: neither' --root debian11 --nonsense
try --rerun-failed --timeout=10 --repeat until-pass:2
[[ -e $work/installed ]] || fail "options of ctest are refused"
