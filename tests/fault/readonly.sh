#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a file system that is mounted read-only, and in a directory that is not there, a run ends with a sentence.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs

for api in POSIX MPIIO; do
    for own in "" -F; do
        run 2 -a $api $own -w -t 64k -b 64k -o "$work/not/there/f"
        expect_exit 2
        grep -qi 'no such file' "$out" "$err" || fail "nobody says that there is no such directory"
        run 2 -a $api $own -r -t 64k -b 64k -o "$files/missing"
        expect_exit 1
        grep -qi 'no such file' "$out" "$err" || fail "nobody says that there is no such file"
        expect_no_line '^(Summary|Finished)'
    done
done

need_root
"$bed" --type tmpfs --size 8M run -- true >"$out" 2>&1 || skip "no tmpfs can be mounted here, which takes root and CAP_SYS_ADMIN: $(tail -n 1 "$out")"
# One sentence, the same on one rank and on several, in one file and in files of their own.
for api in POSIX MPIIO; do
    # shellcheck disable=SC2016
    capture "$bed" --type tmpfs --size 8M run -- "$BASH" -c '
        mpiexec -n 2 "$WEIR" -w -k -G 3 -F -t 64k -b 64k -o "$TESTBED_MNT/f" >/dev/null || exit 99
        mount -o remount,ro "$TESTBED_MNT" || exit 77
        mpiexec -n 2 "$WEIR" -r -R -k -G 3 -F -t 64k -b 64k -o "$TESTBED_MNT/f" >/dev/null || exit 98
        for ranks in 1 2; do
            for own in "" -F; do
                mpiexec -n $ranks "$WEIR" -a "$1" -w $own -t 64k -b 64k -o "$TESTBED_MNT/f" 2>"$0.$ranks$own" >"$0.out"
                echo "exit $?" >>"$0.$ranks$own"
            done
        done' "$work/told" $api
    ((status != 77)) || skip "tmpfs cannot be mounted read-only here, which takes root and CAP_SYS_ADMIN"
    expect_exit 0
    for told in "$work"/told.[12]*; do
        grep -q '^exit 1$' "$told" || fail "another exit code: $(cat "$told")"
        [[ $(grep -c '^weir: ' "$told") == 1 ]] || fail "not one sentence: $(cat "$told")"
        grep -q '^weir: .*make .*/f.*: Read-only file system' "$told" || fail "another sentence: $(cat "$told")"
    done
done
