# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# What the tests on virtual hosts share that place ranks by hand: the way in, and where ranks really are. To be read after lib.sh.

# Outside of the hosts the test runs itself there, and ends with its exit code.
enter_hosts() { # enter_hosts HOSTS SCRIPT [inside]
    local hosts=$WEIR_ROOT/scripts/testbed/testbed-hosts status=0
    [[ ${3-} != inside ]] || return 0
    "$hosts" run -- true >"$out" 2>&1 || skip "virtual hosts cannot be made here, which takes root, namespaces and a root that is a mount point, not a chroot: $(tail -n 1 "$out")"
    "$hosts" --hosts "$1" run -- bash "$WEIR_ROOT/tests/mpi/$2" inside || status=$?
    exit "$status"
}

# Every rank notes its host: the placement is what the system says, not what the launcher was told.
watch_places() {
    local name
    export OMPI_MCA_orte_tmpdir_base=/tmp
    passed_on=(-x WEIR -x WEIR_DETAILS)
    for name in ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS; do
        [[ ! ${!name-} ]] || passed_on+=(-x "$name")
    done
    mkdir "$work/where"
    cat >"$work/placed" <<END
#!/bin/sh
hostname >"$work/where/\$OMPI_COMM_WORLD_RANK"
exec "\$WEIR" "\$@"
END
    chmod 755 "$work/placed"
}

forget_places() { rm -f "$work/where"/*; }

expect_places() { # expect_places PLACEMENT: a digit for each rank
    local rank found=
    for ((rank = 0; rank < ${#1}; rank++)); do
        found+=$(($(tr -d n <"$work/where/$rank") - 1)) || fail "rank $rank was not started"
    done
    [[ $found == "$1" ]] || fail "the ranks were placed on $found, not on $1"
}
