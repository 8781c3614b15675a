#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which calls of MPI-IO a run makes, by name and number: those of IOR. The files are those that POSIX writes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

: "${WEIR_COUNT_MPIIO:?the library that counts}"
calls=$work/calls
right=$work/right
mkdir "$right"

# Runs weir on two ranks under the library that counts, writing IOR's data with a signature of our own.
count() { # count OPTION...
    rm -f "$calls".* "$result"
    WEIR_MPIIO_CALLS=$calls capture mpiexec -n 2 -x LD_PRELOAD="$WEIR_COUNT_MPIIO" -x WEIR_MPIIO_CALLS "$WEIR" -a MPIIO \
        --data ior -l o -G 42 -k -o "$files/f" --result "$result" "$@"
}

# Each rank makes these calls and no others; BYTES is the largest amount of one call.
expect_calls() { # expect_calls "CALL COUNT BYTES"...
    local rank
    expect_done
    for rank in 0 1; do
        diff <(printf '%s\n' "$@" | sort) <(sort "$calls.$rank") || fail "rank $rank made other calls: $(tr '\n' ';' <"$calls.$rank")"
    done
}

# The files that POSIX writes with the same options are in $right.
write_right() { # write_right OPTION...
    rm -f "$right"/*
    capture mpiexec -n 2 "$WEIR" -a POSIX --data ior -l o -G 42 -k -w -o "$right/f" "$@"
    expect_done
}

expect_same_files() {
    local name
    expect_files "$(cd "$right" && ls)"
    for name in "$right"/*; do
        cmp "$name" "$files/${name##*/}" || fail "${name##*/} is not what POSIX writes"
    done
}

both='--mpiio.useStridedDatatype --mpiio.useFileView'
sizes='-t 4k -b 8k -s 8'

components=('')
if grep -q 'MCA io: romio321' < <(ompi_info 2>/dev/null); then
    components=(ompio romio321)
fi
for component in "${components[@]}"; do
    [[ -z $component ]] || export OMPI_MCA_io=$component
    for own in '' -F; do
        # shellcheck disable=SC2086 # several options
        write_right $sizes $own
        bytes=65536

        # One call over all segments, collective and not, with the older letters as well.
        count $sizes $own -c $both -w -r -W -R
        expect_calls 'set_view 3 0' 'seek 3 0' "write_all 1 $bytes" "read_all 2 $bytes"
        expect_record "[p.ops for p in phases] == [2, 2, 2] and all(p.bytes == 2 * $bytes for p in phases)"
        expect_record "reading.checked == checking.checked == 32 and reading.wrong == checking.wrong == 0"
        expect_same_files
        rm -f "$files"/*
        count $sizes $own -S -V -w -r -W -R -C
        expect_calls 'set_view 3 0' 'seek 3 0' "write 1 $bytes" "read 2 $bytes"
        expect_record "reading.checked == checking.checked == 32 and reading.wrong == checking.wrong == 0"
        expect_same_files
        rm -f "$files"/*

        # One of the two alone: a call per transfer, in a view or at explicit offsets.
        count $sizes $own --mpiio.useFileView -w -r
        expect_calls 'set_view 2 0' 'seek 32 0' 'write 16 4096' 'read 16 4096'
        expect_same_files
        rm -f "$files"/*
        count $sizes $own -c --mpiio.useFileView -w -r
        expect_calls 'set_view 2 0' 'seek 32 0' 'write_all 16 4096' 'read_all 16 4096'
        expect_same_files
        rm -f "$files"/*
        count $sizes $own --mpiio.useStridedDatatype -w -r
        expect_calls 'write_at 16 4096' 'read_at 16 4096'
        expect_same_files
        rm -f "$files"/*

        count $sizes $own --mpiio.preallocate -w -r
        expect_calls 'preallocate 1 0' 'write_at 16 4096' 'read_at 16 4096'
        expect_same_files
        rm -f "$files"/*
        count $sizes $own -c -w -r -e
        expect_calls 'write_at_all 16 4096' 'read_at_all 16 4096' 'sync 1 0'
        expect_same_files
        rm -f "$files"/*
    done
done
unset OMPI_MCA_io

# A deadline is looked at between calls, and a least time begins the one call again.
count $sizes -c $both -w -D 1
expect_calls 'set_view 1 0' 'seek 1 0' 'write_all 1 65536'
rm -f "$files"/*
count $sizes $both -w -O minTimeDuration=1
expect_done
expect_record "written.ops > 2 and written.bytes == written.ops * 65536"
rm -f "$files"/*

# The status file counts IOR's transfers, which other backends read.
count $sizes $both -w -D 30 -O stoneWallingWearOut=1 -O stoneWallingStatusFile="$work/status"
expect_done
[[ $(<"$work/status") == 16 ]] || fail "the status file has $(<"$work/status") transfers"
run 2 -a POSIX --data ior -l o -G 42 $sizes -r -R -k -o "$files/f" -O stoneWallingStatusFile="$work/status" --result "$result"
expect_done

# A file that ends in the middle of a rank's blocks: what is there is right, and the rest is missing where it is.
truncate -s 100000 "$files/f"
for option in '' -c; do
    # shellcheck disable=SC2086 # several options, or none
    count $sizes $option $both -r -R --on-error continue
    expect_exit 1
    expect_record "reading.errors == 2 and reading.bytes == 100000"
    expect_error "short read at offset 100000 of"
done
rm -f "$files"/*

# A wrong byte is found in its block.
count $sizes -c $both -w
flip_bit "$files/f" 70000
count $sizes -c $both -r -R
expect_exit 1
expect_record "reading.wrong == 1 and reading.mismatches[0].offset == 70000"
rm -f "$files"/*

# Of a shared file, one rank of a node asks the server for its size, however many ranks there are.
sizes_asked() { # sizes_asked API OPTION...
    local api=$1
    shift
    rm -f "$calls".*
    WEIR_STAT_PATH=$files/f WEIR_MPIIO_CALLS=$calls capture mpiexec -n 4 -x LD_PRELOAD="$WEIR_COUNT_MPIIO" -x WEIR_MPIIO_CALLS \
        -x WEIR_STAT_PATH "$WEIR" -a "$api" -o "$files/f" -t 64k -b 128k "$@"
    expect_done
    (($(<"$calls.0.sizes") > 0)) || fail "nobody asks for the size"
    [[ $(cat "$calls".[123].sizes) == $'0\n0\n0' ]] || fail "the ranks ask $(cat "$calls".?.sizes | tr '\n' ' ') times for the size"
}

sizes_asked POSIX -w -k -W -i 2
sizes_asked POSIX -r -k -E
sizes_asked POSIX -r -k -E -z -z
sizes_asked MPIIO -c -w -r -W
expect_files ''

# Blocks of a rank that the memory does not hold are refused before anything is made.
count -t 1m -b 1m -s 1000000 $both -w
expect_exit 3
expect_error 'use fewer segments or smaller blocks'
expect_files ''
