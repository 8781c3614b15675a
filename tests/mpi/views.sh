#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# MPI-IO through views: what is written in one is read back in it and without it, in both of Open MPI's components.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

check() { # check RANKS OPTION...
    local ranks=$1
    shift
    rm -f "$result"
    run "$ranks" -a MPIIO -t 64k -b 128k -s 5 -w -W -r -R -k -o "$files/f" --result "$result" "$@"
    expect_done
    expect_record "written.bytes == $ranks * 655360 and written.errors == 0 and checking.wrong == 0"
    expect_record "reading.wrong == 0 and reading.checked == $ranks * 10 and reading.errors == 0"
    expect_record "checking.wrong == 0 and checking.checked == $ranks * 10"
}

both_ways() { # both_ways OPTION...: with the view, and the same file without one
    local view
    for view in --mpiio.useFileView --mpiio.useStridedDatatype; do
        for ranks in 1 4; do
            check "$ranks" "$view" "$@"
            ((ranks != 1)) || continue
            rm -f "$result"
            run "$ranks" -a POSIX -t 64k -b 128k -s 5 -r -R -G 5 -k -o "$files/f" --result "$result" "${own[@]}"
            expect_done
            expect_record "reading.wrong == 0 and reading.checked == $ranks * 10"
            rm -f "$files"/*
        done
    done
}

components=('')
if ompi_info 2>/dev/null | grep -q 'MCA io: romio321'; then
    components=(ompio romio321)
fi
for component in "${components[@]}"; do
    if [[ -n $component ]]; then
        export OMPI_MCA_io=$component
    fi
    own=()
    both_ways -G 5
    both_ways -G 5 -c
    own=(-F)
    both_ways -G 5 -F
    own=()
    check 2 --mpiio.useFileView -c -C -e
    check 4 --mpiio.useStridedDatatype -Z -Z -X 7
    check 2 --mpiio.useFileView --mpiio.preallocate -D 60
    rm -f "$files"/*
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
