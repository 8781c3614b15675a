#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# MPI-IO through views: what is written in one is read back in it and without it, in both of Open MPI's components.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Written, checked and read through a view, each in a file of its own, and then read without one.
views() { # views RANKS READS DIRECTIVES-OF-A-VIEW...: the first READS of them are read without a view as well
    local ranks=$1 reads=$2 tests=() count=0 view
    shift 2
    for view in "$@"; do
        tests+=("testFile=$files/f$((count++)) $view")
    done
    for ((count = 0; count < reads; count++)); do
        view=filePerProc=0
        [[ ${*:count+1:1} != *filePerProc* ]] || view=filePerProc=1
        tests+=("testFile=$files/f$count api=POSIX writeFile=0 checkWrite=0 $view")
    done
    run_script "$ranks" "api=MPIIO transferSize=64k blockSize=128k segmentCount=5 writeFile=1 checkWrite=1 readFile=1 checkRead=1
        keepFile=1 setTimeStampSignature=5 filePerProc=0 collective=0 mpiio.useFileView=0 mpiio.useStridedDatatype=0" "${tests[@]}"
    expect_done
    expect_record "[p.verb for p in phases] == ['write', 'read', 'read'] * $# + ['read'] * $reads"
    expect_record "all(p.bytes == $ranks * 655360 and p.errors == 0 for p in writes)"
    expect_record "all(p.wrong == 0 and p.checked == $ranks * 10 and p.errors == 0 for p in phases if p.verb == 'read')"
    rm -f "$files"/*
}

both=()
for view in mpiio.useFileView=1 "mpiio.useFileView=1 mpiio.useStridedDatatype=1"; do
    both+=("$view" "$view collective=1" "$view filePerProc=1")
done

components=('')
if grep -q 'MCA io: romio321' < <(ompi_info 2>/dev/null); then
    components=(ompio romio321)
fi
for component in "${components[@]}"; do
    if [[ -n $component ]]; then
        export OMPI_MCA_io=$component
    fi
    views 1 0 "${both[@]}"
    views 4 6 "${both[@]}" "mpiio.useFileView=1 mpiio.useStridedDatatype=1 reorderTasksRandom=2 reorderTasksRandomSeed=7"
    views 2 0 "mpiio.useFileView=1 collective=1 reorderTasksConstant=1 fsync=1" \
        "mpiio.useFileView=1 collective=0 reorderTasksConstant=0 fsync=0 mpiio.preallocate=1 deadlineForStonewalling=60"
done
unset OMPI_MCA_io

# What IOR prints, before the row: once for each file that a phase opens. JSON has no place for it.
run 2 -a MPIIO -c --mpiio.showHints --mpiio.useFileView -t 64k -b 128k -w -r -o "$files/f"
expect_done
expect_hints() { # expect_hints FILE
    local line
    for line in 'hints passed to MPI_File_open() {' 'hints returned from opened file {'; do
        (($(grep -cxF "$line" "$1") == 2)) || fail "'$line' is not there for each of the two phases"
    done
}
expect_hints "$out"
(($(grep -cx '}' "$out") == 4)) || fail "the hints have no end"
run 2 -a MPIIO -c --mpiio.showHints -O summaryFormat=JSON -t 64k -b 128k -w -r -o "$files/f"
expect_done
python3 -m json.tool "$out" >"$work/.parsed" || fail "hints spoil the JSON"
expect_hints "$err"

# Random offsets do not go with a view.
run 2 -a MPIIO --mpiio.useFileView -z -t 64k -b 128k -w -o "$files/f"
((status == 2)) || fail "random offsets went through a view"
expect_files ''
