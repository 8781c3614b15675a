# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# What the tests of remote memory share: runs over it, and daemons that are looked after. To be read after lib.sh.

secret=$work/secret
(umask 077 && head -c 32 /dev/urandom | base64 >"$secret")
daemons=()

# Whatever becomes of the test, no daemon stays.
clean_up() {
    local process
    for process in "${daemons[@]}"; do
        kill -KILL "$process" 2>/dev/null || true
    done
}

# Starts weir serve: its process is in $daemon then, and where it is in $address.
start_daemon() { # start_daemon NAME PROVIDER OPTION...
    local name=$1 provider=$2
    shift 2
    # A process that has only just begun has not yet emptied what an earlier one of that name said.
    rm -f "$work/$name.out"
    "$WEIR" serve --secret-file "$secret" --provider "$provider" --listen 127.0.0.1 --capacity 256m "$@" \
        >"$work/$name.out" 2>"$work/$name.err" </dev/null &
    daemon=$!
    daemons+=("$daemon")
    # shellcheck disable=SC2034 # for fail
    command_line="weir serve --provider $provider $*"
    wait_until 100 grep -q '^serving at ' "$work/$name.out" ||
        fail "the server $name does not say where it is: $(tail -n 3 "$work/$name.err")"
    # shellcheck disable=SC2034 # for the tests
    address=$(sed -nE 's/^serving at ([^ ]+): .*/\1/p' "$work/$name.out")
}

is_alive() { # is_alive PROCESS
    kill -0 "$1" 2>/dev/null
}
is_gone() { ! is_alive "$1"; }

# Tells a daemon to end, and expects that it does so in order.
end_daemon() { # end_daemon PROCESS NAME [SIGNAL]
    kill -"${3-TERM}" "$1"
    status=0
    wait "$1" || status=$?
    ((status == 0)) || fail "the server $2 ends with $status: $(tail -n 3 "$work/$2.err")"
    grep -q '^served for ' "$work/$2.out" || fail "the server $2 says nothing at its end"
}

# A run over servers that are there; their addresses are in $hosts.
ior_on() { # ior_on RANKS PROVIDER OPTION...
    local ranks=$1 provider=$2
    shift 2
    rm -f "$result"
    run "$ranks" ior -a RDMA --rdma.provider "$provider" --rdma.hosts "$hosts" --rdma.secret-file "$secret" \
        --rdma.timeout 10 -o /f --result "$result" "$@"
}

# A run that brings its servers along.
ior_with() { # ior_with RANKS PROVIDER TARGETS OPTION...
    local ranks=$1 provider=$2 targets=$3
    shift 3
    rm -f "$result"
    run "$ranks" ior -a RDMA --rdma.provider "$provider" --rdma.targets "$targets" --rdma.capacity 64m \
        -o /f --result "$result" "$@"
}

# Nothing was wrong, and that is known because it was looked.
expect_right() { # expect_right BYTES: of the write and of the read
    expect_done
    expect_record "(written.bytes == reading.bytes == $1 and written.outcome == reading.outcome == 'complete' and
        reading.checked > 0 and reading.wrong == 0)"
}

# Two clients and two servers of a job: one object for all; each its own; in random order, many at once; and each way to
# move data.
two_servers() { # two_servers PROVIDER [DIRECTIVE...]
    local reads="[p for p in phases if p.verb == 'read' and not p.check]" mib=1048576
    run_script 4 "api=RDMA rdma.provider=$1 rdma.targets=2 rdma.capacity=64m testFile=/f writeFile=1 readFile=1 checkRead=1
        transferSize=64k blockSize=1m segmentCount=1 checkWrite=0 reorderTasksConstant=0 fsync=0 filePerProc=0
        randomOffset=0 depth=1 rdma.mode=onesided ${*:2}" \
        "segmentCount=2 checkWrite=1 reorderTasksConstant=1 fsync=1" filePerProc=1 "randomOffset=1 transferSize=4k depth=16" \
        "reorderTasksConstant=1 depth=4 rdma.mode="{pull,send}
    expect_done
    expect_record "[p.bytes for p in writes] == [p.bytes for p in $reads] == [4 * $mib] + [2 * $mib] * 4"
    expect_record "all(p.outcome == 'complete' and p.checked > 0 and p.wrong == 0 for p in $reads)"
    expect_record "all(p.outcome == 'complete' and p.ranks == 2 for p in writes)"
    expect_record "all('2 servers' in p.enabled_features and '$1' in p.enabled_features for p in writes)"
    expect_record "checking.bytes == 4 * $mib and checking.wrong == 0"
}
