#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command lines of IOR's own shell tests, one per line, with the exit code that IOR has; each line runs under the name of its
# program. Three lines read files that their own set-up has removed: there IOR ends with 0, and Weir with 1 and a sentence.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
mkdir "$work/bin"
for program in ior mdtest md-workbench; do
    ln -s "$WEIR" "$work/bin/$program"
done

# Blanks, tabs and comments in odd places, a lower-case run, options of backends, and a second test that is never run.
{
    printf 'IOR START\n\tapi=posix\n  writeFile =1\n\trandomOffset= 1\n  reorderTasks = 1\n'
    printf '# a comment\n  filePerProc=1 # another one\n\tkeepFile=1\n fsync=1\n\t\trepetitions=1\n multiFile=1\n\n'
    printf '# a tab\t and a comment\n transferSize=10k\nblockSize=20k\n\nrun\n--dummy.delay-create=1000\nuseo_direct=0\napi=dummy\n ior stop\n'
} >"$work/test_comments.ior"
{
    echo 'IOR START'
    printf '%s\n' reorderTasksConstant=1 repetitions=1 segmentCount=1 verbose=0 fsync=0 checkWrite=1 blockSize=16 \
        setTimeStampSignature=1511817315 checkRead=0 readFile=1 filePerProc=0 writeFile=1 transferSize=16 intraTestBarriers=0 RUN
    echo 'IOR STOP'
} >"$work/bug-multi-node.conf"

one_line() { # one_line EXPECTED PROGRAM RANKS OPTION...
    local expected=$1 program=$2 ranks=$3 place
    shift 3
    case $program in
    ior) place=(-o "$files/ior") ;;
    mdtest) place=(-d "$files/mdest" -V=4) && rm -rf "$files/mdest" ;;
    *)
        place=(-o="$files/md-workbench")
        [[ $program == kept ]] || rm -rf "$files/md-workbench"
        program=md-workbench
        ;;
    esac
    capture mpiexec -n "$ranks" "$work/bin/$program" "$@" "${place[@]}"
    expect_exit "$expected"
    [[ $program != md-workbench || $expected == 1 ]] || expect_no_line '!!!'
    case " $* " in
    *' summaryFormat=JSON '*) "$WEIR_PYTHON" -m json.tool OUT.json >/dev/null || fail "OUT.json is no JSON" ;;
    esac
}

lines=0
while read -r expected program ranks options; do
    [[ -n $expected && $expected != \#* ]] || continue
    read -ra words <<<"$options"
    if [[ ${words[0]} == IOR_FAKE_TASK_PER_NODES=1 ]]; then
        IOR_FAKE_TASK_PER_NODES=1 one_line "$expected" "$program" "$ranks" "${words[@]:1}"
    else
        one_line "$expected" "$program" "$ranks" "${words[@]}"
    fi
    if [[ $expected == 1 ]]; then
        grep -q '^weir: cycle .*file-[0-9]*: No such file or directory' "$err" || fail "no sentence says which file is missing"
    fi
    lines=$((lines + 1))
done <<'TABLE'
# exit program ranks options; "kept" is md-workbench on what the line before it left
0 mdtest 1 -a POSIX
0 mdtest 2 -a POSIX -W 2
0 mdtest 1 -C -T -r -F -I 1 -z 1 -b 1 -L -u
0 mdtest 1 -C -T -I 1 -z 1 -b 1 -u
0 mdtest 2 -n 1 -f 1 -l 2
0 ior 1 -a POSIX -w -z -F -Y -e -i1 -m -t 100k -b 2000k
0 ior 1 -a POSIX -w -z -F -k -e -i2 -m -t 100k -b 200k
0 ior 1 -a MMAP -r -z -F -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -w -C -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -r -k -e -i1 -m -t 100k -b 200k -s 10 -z -z
0 ior 2 -a POSIX -w -z -C -F -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -w -z -C -Q 1 -F -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -r -z -Z -Q 2 -F -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -r -z -Z -Q 3 -X 13 -F -k -e -i1 -m -t 100k -b 200k
0 ior 3 -a POSIX -w -z -Z -Q 1 -X -13 -F -e -i1 -m -t 100k -b 200k
0 ior 2 -f test_comments.ior
0 ior 2 -a DUMMY -e -F -t 1m -b 1m -A 328883 -O summaryFormat=JSON -O summaryFile=OUT.json
0 md-workbench 3 -a POSIX -O=1 -D=1 -G=10 -P=1 -I=1 -R=2 -X
0 md-workbench 3 -a POSIX -O=1 -D=4 -G=10 -P=4 -I=1 -R=2 -X -t=0.001 -L=latency.txt
0 md-workbench 3 -a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -R=2 -X -W -w 1
0 md-workbench 3 -a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -1 -W -w 1 --run-info-file=mdw.tst --print-detailed-stats
1 md-workbench 3 -a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --run-info-file=mdw.tst --print-detailed-stats
1 md-workbench 3 -a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --read-only --run-info-file=mdw.tst --print-detailed-stats
1 md-workbench 3 -a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --read-only --run-info-file=mdw.tst --print-detailed-stats
0 md-workbench 3 -a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -3 -W -w 1 --run-info-file=mdw.tst --print-detailed-stats
0 md-workbench 2 -a POSIX -O=1 -D=1 -G=3 -P=2 -I=2 -R=2 -X -S 772 --dataPacketType=t
0 kept 2 -a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -1
0 kept 2 -a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -2
0 kept 2 -a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -3
0 ior 2 -a DUMMY -w -O stoneWallingStatusFile=stonewall.log -O stoneWallingWearOut=1 -D 1 -t 1000 -b 1000 -s 15 -k
0 ior 2 -a DUMMY -r -O stoneWallingStatusFile=stonewall.log -D 1 -t 1000 -b 1000 -s 30 -k
0 ior 2 -a DUMMY -r -O stoneWallingStatusFile=stonewall.log -t 1000 -b 1000 -s 30 -k
0 mdtest 2 -I 20 -a DUMMY -W 1 -x stonewall-md.log -C
0 mdtest 2 -I 20 -a DUMMY -x stonewall-md.log -T -v
0 mdtest 2 -I 20 -a DUMMY -x stonewall-md.log -D -v
0 ior 2 -a POSIX -w -z -Y -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -w -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -r -z-k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -w -z -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -w -z -k -e -i1 -m -t 100k -b 200k
0 ior 2 -a POSIX -w -Z -i1 -m -t 100k -b 100k -d 0.1
0 ior 2 IOR_FAKE_TASK_PER_NODES=1 -a POSIX -f bug-multi-node.conf
# before a stray exit of the shipped script
0 ior 2 -a POSIX -w -C -F -k -e -i1 -m -t 100k -b 200k
TABLE
((lines == 43)) || fail "$lines command lines were run"
