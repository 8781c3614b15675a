#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One path that is another directory for each rank, as /tmp is on each node: whatever needs files of other ranks says so
# before it measures, in one sentence; files of a rank's own are read and written.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
need_root
unshare -m true 2>/dev/null || skip "no mount namespace can be made here, which takes root and CAP_SYS_ADMIN"
mkdir "$work/local"
cat >"$work/own" <<'END_OF_RANK'
#!/bin/bash
# Each rank has a file system of its own.
mount -t tmpfs -o size=16m weir-node-local local || exit 3
status=0
"$WEIR" "$@" || status=$?
find local -mindepth 1 >>left
exit $status
END_OF_RANK
chmod 755 "$work/own"
export IOR_FAKE_NODES=2 IOR_FAKE_TASK_PER_NODES=1 WEIR

local_run() { # local_run OPTION...: of two ranks
    : >left
    capture timeout 120 mpiexec -n 2 unshare -m "$work/own" "$@"
}

# expect_sentence NAME REMEDY OPTION...: which path is named, and what the dialect has in place of it
expect_sentence() {
    local_run "${@:3}"
    expect_exit 2
    [[ ! -s left ]] || fail "something is left: $(<left)"
    expect_error "rank 1 on host .*$1: this rank does not see the (file|directory) that rank 0 sees: is it on a file system that all nodes share\? If not, $2\$"
    ! grep -q 'No such file' "$err" || fail "an errno is told besides"
}

expect_sentence local/f 'use -F' -w -r -t 4k -b 16k -o local/f
expect_sentence local/f 'use -F' -a MPIIO -w -r -t 4k -b 16k -o local/f
for words in '-w -r' '-w -r -a MPIIO' '-w -W -r'; do
    # shellcheck disable=SC2086
    local_run $words -F -C -t 4k -b 16k -o local/f
    expect_exit 2
    grep -q 'local/f.00000000: this rank does not see the file that rank 0 sees: .* If not, leave -C out$' "$err" || fail "$words: not the sentence"
done
expect_sentence local/f.00000000 'leave -Z out' -w -r -F -Z -t 4k -b 16k -o local/f
expect_sentence local/d 'use %r in the name' dd if=/dev/zero of=local/d bs=4k count=10
for directory in local local/new; do
    for words in '' '-u' '-F -w 100' '-N 1' '-S -F' '-C -D'; do
        # shellcheck disable=SC2086
        expect_sentence $directory 'choose another directory with -d' mdtest -n 4 $words -d $directory
    done
    expect_sentence $directory 'choose another directory with -o' md-workbench -P 5 -I 5 -D 2 -R 1 -o $directory
done
# With a directory for each rank, in which both are, the trees of each are seen by it.
mkdir "$work/shared"
for words in '-w -r -F -t 4k -b 16k -o local/f' 'mdtest -n 4 -u -d shared' 'iozone -t 2 -i 0 -i 1 -s 64 -r 4 -F local/a local/b' \
    'dd if=/dev/zero of=local/d%r bs=4k count=10' 'md-workbench -P 5 -I 5 -D 2 -R 1 -o shared/k'; do
    # shellcheck disable=SC2086
    local_run $words
    expect_done
done
