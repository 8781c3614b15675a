#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# After a write into one file a rank of each node is asked for its size; one that is told another one is noted.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
WEIR=$WEIR_TEST

sizes() { # sizes CODE OPTION...
    local code=$1
    shift
    rm -f "$result"
    run 3 -a fault:posix -w -r -t 64k -b 256k -o "$files/f" --result "$result" "$@"
    expect_exit "$code"
    expect_files ''
}

sizes 0
expect_record "written.file_bytes == 3 * 262144 and not written.differing_sizes and not reading.differing_sizes"

# One rank of each node asks: rank 2, which is told 4 KiB less, is not the first of its node.
sizes 0 --fault.rank 2 --fault.stat 4k
expect_record "written.file_bytes == 3 * 262144 and not written.differing_sizes and not reading.differing_sizes"

# It is alone on a second node, which is one by its host name. Rank 0 reports the size in the record.
if ((EUID == 0)) && unshare --uts true 2>/dev/null; then
    words=("$WEIR" -a fault:posix -w -r -t 64k -b 256k -o "$files/f" --result "$result" --fault.rank 2 --fault.stat 4k)
    rm -f "$result"
    # One command for all ranks: the launcher of Open MPI 5.0.7 crashes where there are several.
    # shellcheck disable=SC2016 # the inner shells expand it
    capture mpiexec -n 3 bash -c '
        [[ ${OMPI_COMM_WORLD_RANK-${PMI_RANK-}} == 2 ]] || exec "$@"
        exec unshare --uts bash -c "hostname second-node; exec \"\$@\"" bash "$@"' bash "${words[@]}"
    expect_done
    expect_files ''
    expect_record "written.file_bytes == 3 * 262144 and written.differing_sizes and not reading.differing_sizes"
fi

# All were told the same: what was written is not there.
sizes 1 --fault.stat 4k
expect_record "written.file_bytes == 3 * 262144 - 4096 and not written.differing_sizes"

# Files of their own may differ.
sizes 1 -F --fault.rank 2 --fault.stat 4k
expect_record "not written.differing_sizes"

# IOR prints its line about sizes where a part of a longer file is read on purpose: that is no warning of this run.
run 1 -a posix -w -k -t 64k -b 256k -o "$files/f"
expect_done
run 1 -a posix -r -k -t 64k -b 128k --warningAsErrors -o "$files/f"
expect_done
expect_line '^WARNING: Stat\(\) of aggregate file size'
