#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Operations on names that fail while others are in flight (io_uring): a quota, permissions, and a directory that vanishes.
# For each phase of mdtest and md-workbench the run ends with 1 and one sentence that names the path, and removes what it can.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

"$WEIR" backends | grep -q '^uring ' || skip "uring was not built: scripts/deps build, and configure again"
mdtest=(mdtest -d "$files/t" --depth 8 -n 40 -w 512 -e 512)
bench=(md-workbench -o "$files/t" --depth 8 -P 40 -I 10 -D 6 -S 600)
capture timeout 120 "$WEIR" "${mdtest[@]}" -a uring --result "$result"
((status == 0)) || ! grep -q io_uring "$err" || skip "this test takes a kernel that allows io_uring: $(head -n 1 "$err")"
expect_done
"$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/records.py" "$result" \
    "{p.depth for p in phases if p.verb in ('create', 'stat', 'read-file', 'unlink')} == {8}" ||
    skip "this test takes a kernel whose io_uring queues operations on names: 5.15 or later"

# Lines of Open MPI and "it still holds", which a removal says that comes after, are not the sentence that is counted.
expect_sentence() { # expect_sentence PHASE REASON
    local count
    expect_exit 1
    count=$(grep -cE "^weir: $1 0: (rank [01] on host .*: )?(fault|uring): [a-z-]+ $files/t.*: $2\$" "$err") || true
    ((count == 1)) || fail "$count sentences say that '$1' failed in $files/t with '$2'"
}

expect_left() { # expect_left COUNT: names below $files
    local left
    left=$(find "$files" -mindepth 1 | wc -l)
    ((left == $1)) || fail "$left names are left, not $1: $(find "$files" -mindepth 1 | head -n 20 | tr '\n' ' ')"
}

declare -A reasons=([EDQUOT]='Disk quota exceeded' [EACCES]='Permission denied' [ENOENT]='No such file or directory')

faulty() { # faulty PHASE VERB ERRNO LEFT OPTION...
    local phase=$1 verb=$2 errno=$3 left=$4
    shift 4
    rm -rf "${files:?}"/*
    capture timeout 120 mpiexec -n 2 "$WEIR_TEST" "$@" -a fault:uring --fault.verb "$verb" --fault.at 6 --fault.errno "$errno"
    expect_sentence "$phase" "${reasons[$errno]}"
    [[ $left == any ]] || expect_left "$left"
}

# One operation of one rank: what could not be removed stays, with the directories above it.
one=(--fault.rank 1)
faulty mkdir mkdir EDQUOT 0 "${mdtest[@]}" "${one[@]}"
faulty create open EACCES 0 "${mdtest[@]}" "${one[@]}"
faulty create write EDQUOT 0 "${mdtest[@]}" "${one[@]}"
faulty create close EDQUOT 0 "${mdtest[@]}" "${one[@]}"
faulty read-file read ENOENT 0 "${mdtest[@]}" "${one[@]}"
faulty stat stat EACCES 0 "${mdtest[@]}" "${one[@]}"
faulty unlink unlink EACCES 4 "${mdtest[@]}" "${one[@]}"
faulty rmdir rmdir ENOENT 4 "${mdtest[@]}" "${one[@]}"
faulty create write EDQUOT 0 "${bench[@]}" "${one[@]}"
faulty cycle read EACCES 0 "${bench[@]}" "${one[@]}"
faulty cycle stat ENOENT 0 "${bench[@]}" "${one[@]}"
faulty cycle unlink EACCES 0 "${bench[@]}" "${one[@]}"

# All operations from there on, of both ranks: several fail that were in flight together. A run with -r removes the rest.
faulty create open EDQUOT 0 "${mdtest[@]}" --fault.every 1
faulty unlink unlink EACCES any "${mdtest[@]}" --fault.every 1
capture timeout 120 mpiexec -n 2 "$WEIR" "${mdtest[@]}" -a uring -r
expect_done
[[ -z $(find "$files" -name '*mdtest*') ]] || fail "-r leaves items of the run before"

# The directory vanishes before a phase, or may not be used in it: for those who are not root.
cat >"$work/before" <<'END'
#!/bin/sh
# before COUNTER PHASE COMMAND COMMAND-AFTER: called before each phase
count=$(($(cat "$1" 2>/dev/null || echo 0) + 1))
echo $count >"$1"
[ $count -ne "$2" ] || eval "$3"
[ $count -ne $(($2 + 1)) ] || eval "$4"
END
chmod 755 "$work" "$work/before"
phases=(mkdir stat rename rmdir create stat read-file unlink)
tree=$files/t/test-dir.0-0/mdtest_tree.0

disturbed() { # disturbed PHASE-NUMBER COMMAND COMMAND-AFTER PREFIX...: in the directory of the items
    local number=$1 command=$2 after=$3
    shift 3
    rm -rf "${files:?}"/* "$files/.count"
    capture timeout 120 "$@" "$WEIR" "${mdtest[@]}" -a uring --run-cmd-on first \
        --run-cmd-before-phase "$work/before $files/.count $number '$command' '$after'"
    rm -f "$files/.count"
}

for number in 1 2 3 4 5 6 7 8; do
    disturbed $number "rm -r $tree" true env
    expect_sentence "${phases[number - 1]}" 'No such file or directory'
    expect_left 0
done

as=(env)
if ((EUID == 0)); then
    mkdir "$work/tmp" # of Open MPI
    chown 65534:65534 "$files" "$work/tmp"
    as=(setpriv --reuid 65534 --regid 65534 --clear-groups env "HOME=$work/tmp" "TMPDIR=$work/tmp")
    rm -rf "${files:?}"/*
    "${as[@]}" timeout 120 "$WEIR" "${mdtest[@]}" -a uring >"$out" 2>"$err" </dev/null || as=()
fi
if ((${#as[@]} == 0)); then
    echo "without the part on permissions: another user than root cannot run $WEIR: $(head -n 1 "$err")"
else
    for number in 1 2 3 4 5 6 7 8; do
        disturbed $number "chmod 400 $tree" "chmod 700 $tree" "${as[@]}"
        expect_sentence "${phases[number - 1]}" 'Permission denied'
        # No phase on items follows a removal, so that the directory stays as it is.
        case ${phases[number - 1]} in rmdir | unlink) chmod 700 "$tree" ;; *) expect_left 0 ;; esac
    done
fi
