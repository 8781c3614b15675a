#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir net over tcp, shm and mpi: every pattern, operation and size moves what it says, and what is refused is told.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

json=$work/net.json

# A Python expression over the JSON of the last run, as `r`; see net.py for other names.
expect_net() { # expect_net EXPRESSION
    python3 -B "$WEIR_ROOT/tests/mpi/net.py" "$json" "$1" || fail "of the result is not true: $1"
}

net() { # net RANKS OPTION...
    local ranks=$1
    shift
    run "$ranks" net --duration 0.05 --warm-up 0.01 --result "$json" "$@"
}

ops() { # ops PROVIDER
    [[ $1 == mpi ]] && echo send || echo write read send
}

for provider in ${WEIR_NET_PROVIDERS:-tcp shm mpi}; do
    for op in $(ops "$provider"); do
        net 2 --provider "$provider" --op "$op" --verify --sizes 8,64,4k,100000,1m
        expect_done
        expect_net "provider == '$provider' and sizes == [8, 64, 4096, 100000, 1048576]"
        expect_net "all(bytes_of(f) > 0 and f['wrong_messages'] == 0 for f in flows)"
        net 2 --provider "$provider" --op "$op" --both --verify
        expect_done
        expect_net "pairs == {(0, 1), (1, 0)}"
        net 2 --provider "$provider" --op "$op" --test lat --sizes 1,8,4k
        expect_done
        expect_net "all(0 < f['latency_min_s'] <= f['latency_median_s'] for f in flows)"
        net 4 --provider "$provider" --op "$op" --pattern all --size 4k
        expect_done
        expect_net "pairs == every_pair(4) and matrix_is_complete()"
    done
    for pattern in pairs incast outcast bisection; do
        net 4 --provider "$provider" --pattern $pattern --both
        expect_done
        expect_net "sums_fit()"
    done
    net 3 --provider "$provider" --pattern all --test lat
    expect_done
    expect_net "pairs == every_pair(3)"
    run 2 net --provider "$provider" --iterations 1000 --warm-up 0 --size 1k --repetitions 2 --result "$json"
    expect_done
    expect_net "len(flows) == 2 and all(f['messages'] == 1000 for f in flows)"
    net 2 --provider "$provider" --format json
    expect_done
    cp "$out" "$json"
    expect_net "pairs == {(0, 1)}"
    net 2 --provider "$provider" --format iperf --interval 0.02
    expect_done
    net 2 --provider "$provider" --format perftest
    expect_done
    # Few places, more messages in flight than places, lists that do not fit the depth, one message at a time.
    net 2 --provider "$provider" --depth 10 --batch 4 --working-set 12k --size 4k
    expect_done
    net 2 --provider "$provider" --depth 1 --op "$(ops "$provider" | sed 's/ .*//')" --verify
    expect_done
done

# ---------------------------------------------------------------- what is refused
run 1 net --provider mpi
expect_exit 2
expect_error 'this is one rank'
run 2 net --provider mpi --op write
expect_exit 2
expect_error '--op write: over mpi, messages are sent; say --op send'
run 2 net --patern all
expect_exit 2
run 2 net --provider mpi --result "$work/there/is/none"
expect_exit 3
expect_error 'there/is/none cannot be written'
