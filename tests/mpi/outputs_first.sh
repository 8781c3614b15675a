#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each option that names a file to be written, in every dialect: a directory that is missing or may not be written, a directory in the
# file's place, and a full file system are refused with exit code 2 before anything is touched. Options that name files are found in the
# help, so that a new one must be added here, to those that are written or to the others.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

program=$work/program.pbl
echo 'define param "d" $d "."; mkdir("$d/made");' >"$program"

# dialect | option, up to the path | command line without it; "+": what the path begins, more than one file.
outputs=(
    'ior|--result=|-w -t 64k -b 64k -o DATA'
    'ior|-O summaryFile=|-w -t 64k -b 64k -o DATA'
    'ior|-O saveRankPerformanceDetailsCSV=|-w -t 64k -b 64k -o DATA'
    'ior|-O savePerOpDataCSV=+|-w -t 64k -b 64k -o DATA'
    'ior|-O stoneWallingStatusFile=|-w -k -t 64k -b 64k -D 9 -O stoneWallingWearOut=1 -o DATA'
    'mdtest|--result=|-n 2 -d DATA'
    'mdtest|--summaryFile=|-n 2 -d DATA'
    'mdtest|--saveRankPerformanceDetails=|-n 2 -d DATA'
    'mdtest|--stone-wall-status-file=|-n 2 -F -C -W 9 -d DATA'
    'md-workbench|--result=|-D 1 -P 4 -I 2 -R 1 -o DATA'
    'md-workbench|--summaryFile=|-D 1 -P 4 -I 2 -R 1 -o DATA'
    'md-workbench|--latency=+|-D 1 -P 4 -I 2 -R 1 -o DATA'
    'md-workbench|--run-info-file=|-1 -D 1 -P 4 -I 2 -R 1 -o DATA'
    'iozone|--result=|-i 0 -s 64k -r 4k -f DATA'
    'iozone|--summaryFile=|-i 0 -s 64k -r 4k -f DATA'
    'iozone|--excel-file=|-i 0 -s 64k -r 4k -f DATA'
    'dd|--result=|if=/dev/zero bs=64k count=2 of=DATA'
    'dd|--summaryFile=|if=/dev/zero bs=64k count=2 of=DATA'
    'parabench|--result=|PROGRAM d=DATADIR'
    'parabench|--summaryFile=|PROGRAM d=DATADIR'
    'targets|--result=|--size 1m DATADIR'
    'targets|--summary-file=|--size 1m DATADIR'
)
# Files that are read, values with "file" in their help, and that of --live, without which runs go on (mpi.live).
others=' scriptFile hintsFileName hosts-file secret-file back file files largest-file smallest-file size write-telemetry read-telemetry
 conv give-up host-list name-list if of root mmap.advice device write savePerOpDataCSV testFile skew also group live '

for dialect in ior mdtest md-workbench iozone dd parabench targets; do
    capture "$WEIR" "$dialect" --help
    while read -r name; do
        grep -qE "^$dialect\|.*$name=" < <(printf "%s\n" "${outputs[@]}") || [[ ${others//$'\n'/ } == *" ${name##*.} "* ]] ||
            fail "$dialect --$name names a file: add it to the table of this test"
    done < <(grep -E '=[^ ]+ +.*(\<file|goes there)' "$out" | grep -v '=-\?[0-9.]\+\>\|\[' | sed -nE 's/^ *(-\+?., )?(--)?([A-Za-z.+-]+)=.*/\3/p')
done

data=$files/data
count=0
refuse() { # refuse ROW PATH REASON: the path in the place of the file of a row
    local dialect option words
    IFS='|' read -r dialect option words <<<"$1"
    words=${words//DATADIR/$files} words=${words//DATA/$data} words=${words//PROGRAM/$program}
    read -ra words <<<"$words ${option%+}$2"
    # A word with a space, as in -O key=value, is split rightly.
    capture timeout 60 "$WEIR" "$dialect" "${words[@]}"
    expect_exit 2
    expect_error "$2.*$3"
    [[ -z $(ls -A "$files") ]] || fail "something was made before it was refused: $(ls -A "$files")"
    count=$((count + 1))
}

# ---------------------------------------------------------------- a full or read-only file system, which only this shell sees

mounted() {
    local row
    mkdir "$work/full" "$work/closed"
    mount -t tmpfs -o size=1m,nr_inodes=2 tmpfs "$work/full"
    : >"$work/full/taken"
    mount -t tmpfs -o ro tmpfs "$work/closed"
    for row in "${outputs[@]}"; do
        refuse "$row" "$work/full/new" 'No space left'
        refuse "$row" "$work/closed/new" 'Read-only'
    done
    umount "$work/full" "$work/closed"
}
if [[ ${1-} == mounted ]]; then
    mounted
    exit
fi

for row in "${outputs[@]}"; do
    refuse "$row" "$work/missing/new" 'No such file'
    mkdir -p "$work/directory"
    [[ $row == *+\|* ]] || refuse "$row" "$work/directory" '(is a directory|something else in it)'
done
if unshare --user --map-root-user --mount true 2>/dev/null; then
    unshare --user --map-root-user --mount bash "$WEIR_ROOT/tests/mpi/outputs_first.sh" mounted
fi

# Files of a later test are refused before the first one runs.
printf '%s\n' 'IOR START' "testFile=$data" blockSize=64k transferSize=64k RUN "savePerOpDataCSV=$work/missing/new" RUN 'IOR STOP' >"$work/job.ior"
capture "$WEIR" -f "$work/job.ior"
expect_exit 2
expect_no_line '^write'
expect_files ''

# The result file of weir net, which is written at its end.
run 2 net --duration 0.1 --result "$work/missing/new"
expect_exit 2
expect_error 'net: --result: .*missing/new cannot be made: No such file or directory'
