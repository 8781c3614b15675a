#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# MPI-IO opens, syncs and closes a shared file on all ranks together: one that cannot keeps nobody waiting.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

failing() { # failing RANKS OPTION...: ends with 1
    local ranks=$1
    shift
    rm -f "$result"
    capture timeout 120 mpiexec -n "$ranks" "$WEIR_TEST" -a fault:mpiio -t 64k -b 256k -o "$files/f" --result "$result" "$@"
    expect_exit 1
    expect_record "phases[0].outcome == 'partial' and phases[0].errors >= 1 and 'rank 1 on host' in phases[0].failure"
    expect_files ''
}

failing 3 -w -r --fault.rank 1 --fault.open EACCES
expect_error 'rank 1 on host .*: fault: open .*: Permission denied'
failing 3 -w -r -c -e --fault.rank 1 --fault.open EIO
failing 2 -w -e -g --fault.rank 1 --fault.sync EIO
failing 2 -w -r -c -Y --fault.rank 1 --fault.sync EIO
failing 2 -w -r --fault.rank 1 --fault.close EIO
# With own files only the rank itself is concerned, but for collective transfers.
failing 2 -w -c -F --fault.rank 1 --fault.open EACCES

# For real: the file is closed to one rank, which has given up the rights of root.
need_root
command -v setpriv >/dev/null || skip "there is no setpriv here: scripts/deps test"
run 3 -w -k -t 64k -b 256k -o "$files/f"
expect_done
chown nobody "$files/f"
chmod 600 "$files/f"
# shellcheck disable=SC2016
without_rights='case ${OMPI_COMM_WORLD_RANK-${PMI_RANK-}} in 1) exec setpriv --bounding-set -dac_override,-dac_read_search,-fowner "$@" ;; esac; exec "$@"'
for words in "-r" "-r -c" "-w -E --overwrite"; do
    rm -f "$result"
    # shellcheck disable=SC2086
    capture timeout 120 mpiexec -n 3 bash -c "$without_rights" ranks "$WEIR" -a mpiio $words -k -t 64k -b 256k -o "$files/f" --result "$result"
    expect_exit 1
    expect_error 'rank 1 on host .*: mpiio: open .*: Permission denied'
    expect_record "phases[0].outcome == 'partial' and phases[0].errors == 1 and phases[0].ops == 0"
done
expect_files f
