#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the file system said of a transfer of MPI-IO is told where MPI passes it on, and where it does not, that is told.
# shellcheck source=../mpi/lib.sh
. "$(dirname "$0")/../mpi/lib.sh"
library=${1:?the library that refuses}
[[ ! ${ASAN_OPTIONS-} ]] || skip "a sanitizer wants to be the first library: this takes a build without it"

refused() { # refused ERRNO OPTION...: from 1 MiB on
    local number=$1
    shift
    rm -f "$result"
    capture mpiexec -n 1 -x LD_PRELOAD="$library" -x REFUSE_PREFIX="$files/f" -x REFUSE_FROM=1048576 -x REFUSE_ERRNO="$number" "$WEIR" -a MPIIO \
        -k -t 64k -b 2m -o "$files/f" --result "$result" "$@"
    expect_exit 1
}

run 1 -w -k -t 64k -b 2m -o "$files/f"
expect_done
# EIO and EROFS are about the file.
refused 5 -r
expect_error '^weir: .*read at offset 1048576 of .*/f: Input/output error$'
expect_record "reading.outcome == 'partial' and 'nput/output error' in reading.failure"
# Nor can such a file be read to see whose it is.
refused 30 -w -E --overwrite
expect_error '^weir: .*write at offset 1048576 of .*/f: Read-only file system$'
# EINVAL may be left over from anything.
refused 22 -r
expect_error '^weir: .*read at offset 1048576 of .*/f: Input/output error \(MPI says'
# The end of the file is no failure of it.
run 1 -a MPIIO -r -k -t 64k -b 3m --on-error continue -o "$files/f"
expect_exit 1
expect_error '^weir: .*short read at offset 2097152 of .*/f: No data available$'
