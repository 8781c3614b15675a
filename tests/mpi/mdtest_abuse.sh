#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What may happen to a tree: ranks are killed or told to end, the file system is full or says no, directories vanish or are replaced by
# links, and other people's files lie in it. Nothing hangs, nothing outside of the tree is touched, and the same command line with -r
# removes what is left.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
tree=$files/tree
top=$tree/test-dir.0-0/mdtest_tree.0
many=(mdtest -n 60000 -F -z 1 -b 2 -d "$tree" --result "$result")

expect_nothing() { [[ ! -e $tree ]] || fail "there is still $(find "$tree" | head -n 3)"; }

# The directory of -d, which another run has made, stays.
expect_empty() { rmdir "$tree" 2>/dev/null || fail "there is still $(find "$tree" | head -n 3)"; }

phase() { # phase VERB EXPRESSION: of the first phase with that verb on items
    expect_record "(lambda p: $2)([p for p in phases if p.verb == '$1' and p.ranks][0])"
}

start() { # start VERB-BEFORE OPTION...: until the phase before is recorded, and this one has begun
    local before=$1
    shift
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" "$@"
    wait_until 100 grep -q "\"record\":\"phase\".*\"verb\":\"$before\"" "$result" || fail "the phase after $before does not begin"
    sleep 0.2
}

# ---------------------------------------------------------------- no room

full() { # full: a small file system, which only this shell sees
    mount -t tmpfs -o size=1m,nr_inodes=200 tmpfs "$files"
    run 2 mdtest -n 100 -F -w 16k -d "$tree"
    expect_exit 1
    expect_error "create $top/file.mdtest.*: No space left"
    expect_nothing
    run 2 mdtest -n 100 -F -w 16k -d "$tree" --on-error continue --result "$result"
    expect_exit 1
    phase create "p.errors > 1 and p.ops + p.errors == 200"
    expect_nothing
    run 2 mdtest -n 300 -d "$tree"
    expect_exit 1
    expect_error "mkdir $top/dir.mdtest.*: No space left"
    expect_nothing
    # Names on the disk are those that the result counts.
    run 2 mdtest -n 300 -F -C -d "$tree" --on-error continue --result "$work/kept"
    expect_exit 1
    expect_record "sum(p.ops for p in phases if p.verb == 'create') == $(find "$tree" -type f | wc -l)" "$work/kept"
    run 2 mdtest -n 300 -F -r -d "$tree"
    expect_done
    expect_empty
    umount "$files"
}
if [[ ${1-} == full ]]; then
    full
    exit
fi

# ---------------------------------------------------------------- ranks end

start mkdir "${many[@]}"
kill -KILL "$(ranks | tail -n 1)"
begin=$SECONDS
end_of_run
((status != 0 && SECONDS - begin < 20)) || fail "mpiexec ends with $status after $((SECONDS - begin)) s"
"$WEIR_PYTHON" -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$result" || fail "a line of the result file is cut"
[[ -d $top ]] || fail "the run was over before it was killed"
run 2 "${many[@]}" -r
expect_done
expect_nothing

for signal in TERM INT; do
    start mkdir "${many[@]}"
    signal_ranks $signal
    end_of_run
    expect_exit 1
    phase create "p.interrupted and p.outcome == 'partial' and 0 < p.ops < 120000"
    phase unlink "not p.interrupted and p.outcome == 'complete'"
    expect_nothing
done
start mkdir "${many[@]}"
kill -TERM "$(ranks | tail -n 1)"
end_of_run
expect_exit 1
expect_nothing
start create mdtest -n 3000 -F -d "$tree" --result "$result" --rate 3000
kill -INT "$(ranks | head -n 1)"
end_of_run
expect_exit 1
phase stat "p.interrupted and p.ops < 6000"
expect_nothing

# The same line with --resume goes on after a kill, also in a sweep, and with another run that failed in between.
kill_in_creation() { # kill_in_creation WORDS...: two ranks, after some items were made
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" "$@" --result "$result" --resume
    wait_until 60 eval '(($(find "$tree" -name "*.mdtest.*" 2>/dev/null | wc -l) > 20))' || fail "no items are made"
    signal_ranks KILL
    end_of_run
}
for words in '-z 1 -b 2' '-u -N 1' '-c'; do
    # shellcheck disable=SC2206
    line=(mdtest -n 40 -D -C -r --rate 20 $words -d "$tree")
    kill_in_creation "${line[@]}"
    run 2 "${line[@]}" # one that is not resumed names the way out
    expect_exit 1
    expect_error 'mkdir .*: File exists: the same options with -r remove what an earlier run has left'
    expect_no_line '^SUMMARY|finished at'
    expect_line '^INCOMPLETE rate .*\(of 1 iterations, not all of which were completed\)$'
    expect_line '^-- ended early at '
    run 2 "${line[@]}" --result "$result" --resume
    expect_done
    expect_error '--resume: [0-9]* names that an earlier run has left in .* are removed first'
    expect_line '^SUMMARY rate'
    [[ -z $(find "$tree" -mindepth 1 2>/dev/null) ]] || fail "there is still $(find "$tree" | head -n 3)"
    rm -rf "$tree"
done
kill_in_creation sweep items=5,40 -- mdtest -D -C -r --rate 20 -d "$tree"
run 2 sweep items=5,40 -- mdtest -D -C -r --rate 20 -d "$tree" --result "$result" --resume
expect_done
expect_error '--resume: 1 of 2 steps are reused'
rm -rf "$tree"

# ---------------------------------------------------------------- things of others

small=(mdtest -n 9 -z 1 -b 2 -d "$tree")
run 2 "${small[@]}" -C
expect_done
echo precious >"$top/mdtest_tree.1/theirs"
ln -s /etc "$top/mdtest_tree.2/link"
run 2 "${small[@]}" -r
expect_exit 1
expect_error "$top/mdtest_tree.2: it still holds link"
[[ $(cat "$top/mdtest_tree.1/theirs") == precious && -L $top/mdtest_tree.2/link ]] || fail "something of others was removed"
[[ $(find "$tree" -type f) == "$top/mdtest_tree.1/theirs" ]] || fail "something of ours is left"
rm -r "$tree"

# A link in the place of a directory leads to names like ours.
run 2 "${small[@]}" -C
mkdir "$work/outside"
mv "$top/mdtest_tree.1" "$work/outside/in"
ln -s "$work/outside/in" "$top/mdtest_tree.1"
(cd "$work/outside" && find . | sort) >"$work/before"
for phases in -r -C '' -CD; do
    # shellcheck disable=SC2086
    run 2 "${small[@]}" $phases
    expect_exit 1
    expect_error "$top/mdtest_tree.1 is a symbolic link"
    (cd "$work/outside" && find . | sort) | cmp -s "$work/before" - || fail "something behind a link was touched"
done
rm "$top/mdtest_tree.1"
run 2 "${small[@]}" -r
expect_done
expect_empty

# A directory vanishes between two runs.
run 2 "${small[@]}" -C
mv "$top/mdtest_tree.1" "$work/away"
for phases in -T -E; do
    run 2 "${small[@]}" $phases
    expect_exit 1
    expect_error "$top/mdtest_tree.1/.*No such file"
done
run 2 "${small[@]}" -r
expect_done
expect_empty

# ---------------------------------------------------------------- where it may be

touch "$files/file"
run 2 mdtest -n 2 -d "$files/file"
expect_exit 2
expect_error "$files/file is no directory"
mkdir "$files/real"
ln -s real "$files/link"
run 2 mdtest -n 2 -d "$files/link/"
expect_done
[[ -L $files/link && -z $(ls -A "$files/real") ]] || fail "what a link leads to is not as it was"
run 2 mdtest -n 2 -i 2 -d "$files/new/a/b/"
expect_done
mkdir "$files/old"
run 2 mdtest -n 2 -u -d "$files/old@$files/new/x@$files/new/y/z"
expect_done
[[ ! -e $files/new && -d $files/old ]] || fail "not just what was made is gone"

launch mpiexec -n 1 "$WEIR" mdtest -n 200000 -F -d "$tree"
wait_until 100 test -d "$top" || fail "the first job does not begin"
mv "$out" "$work/first"
run 1 mdtest -n 2 -d "$tree"
expect_exit 2
expect_error "$tree: another run works in this directory"
signal_ranks TERM
end_of_run
expect_nothing

# ---------------------------------------------------------------- a count for other runs

# It is that of a task, whoever makes the files, and less than what the words say.
run 2 mdtest -n 4 -F -c -C -x "$work/count" -d "$tree"
expect_done
[[ $(cat "$work/count") == 4 ]] || fail "the status file says $(cat "$work/count"), not 4"
run 2 mdtest -n 4 -F -c -r -x "$work/count" -d "$tree"
expect_done
expect_empty
run 2 mdtest -n 3 -F -C -d "$tree"
printf 3 >"$work/count"
for phases in '-T -E' '-c -r'; do
    # shellcheck disable=SC2086
    run 2 mdtest -n 5 -F $phases -x "$work/count" -d "$tree" --result "$result"
    expect_done
    expect_record "all(p.ops == 6 for p in phases if p.verb != 'rmdir')"
    rm "$result"
done
expect_empty

# ---------------------------------------------------------------- errors

fault() { # fault RANKS VERB AT OPTION...
    run "$1" mdtest -a fault:posix --fault.verb="$2" --fault.errno=EDQUOT --fault.rank=$(($1 - 1)) --fault.at="$3" -n 9 -w 100 -e 100 -z 1 -b 2 \
        -d "$tree" "${@:4}"
    expect_exit 1
}
WEIR=$WEIR_TEST
for verb in mkdir stat rename open write read close; do
    fault 2 $verb 3 -u
    expect_error 'rank 1 on host .*: Disk quota exceeded'
    expect_nothing
done
# What could not be removed stays, alone, and goes with -r.
for verb in unlink rmdir; do
    fault 2 $verb 3
    expect_error 'rank 1 on host .*: Disk quota exceeded'
    [[ $(find "$tree" -name '*mdtest.*' | wc -l) == 1 ]] || fail "an error of one removal stopped others"
    run 2 mdtest -n 9 -z 1 -b 2 -d "$tree" -r
    expect_done
    expect_empty
done
fault 2 open 3 --on-error continue --fault.every=2 --result "$result"
expect_nothing

run 2 mdtest -n 2 -d "$tree" --run-cmd-before-phase false
expect_exit 1
expect_error 'the command "false" failed'
expect_nothing
run 2 mdtest -n 2 -F -C -d "$tree" --run-cmd-after-phase false
expect_exit 1
expect_error 'the command "false" failed: exit code 1'
run 2 mdtest -n 2 -F -r -d "$tree"
expect_empty

if "$WEIR" backends | grep -q '^uring' && "$WEIR" -a URING -w -t 64k -b 64k -o "$files/probe" >/dev/null 2>&1; then
    (
        ulimit -n 40
        run 1 mdtest -a uring --depth 64 -n 500 -F -d "$tree"
        expect_exit 1
        expect_error "$top/file.mdtest.0.*: Too many open files"
        expect_nothing
    )
fi
if ((EUID == 0)) && command -v setpriv >/dev/null; then
    mkdir -m 700 "$files/closed"
    chmod 755 "$work"
    capture setpriv --reuid 65534 --regid 65534 --clear-groups env -u OMPI_MCA_orte_tmpdir_base "$WEIR" mdtest -n 2 -d "$files/closed/new"
    expect_exit 1
    expect_error "$files/closed/new: Permission denied"
fi

if unshare --user --map-root-user --mount true 2>/dev/null; then
    unshare --user --map-root-user --mount bash "$WEIR_ROOT/tests/mpi/mdtest_abuse.sh" full
else
    echo "without a full file system"
fi

# ---------------------------------------------------------------- many ranks

run 16 mdtest -n 15 -i 3 -z 3 -b 2 -d "$tree"
expect_done
expect_nothing
