#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# net.sh PROVIDER: weir net moves what it says with every pattern, operation and size, and what is refused is told.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

provider=$1
json=$work/net.json

# A Python expression over the JSON of the last run, as `r`; see net.py for other names.
expect_net() { # expect_net EXPRESSION
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/net.py" "$json" "$1" || fail "of the result is not true: $1"
}

net() { # net RANKS OPTION...
    local ranks=$1
    shift
    run "$ranks" net --provider "$provider" --duration 0.05 --warm-up 0.01 --result "$json" "$@"
}

if [[ $provider == mpi ]]; then ops=(send); else ops=(write read send); fi

for op in "${ops[@]}"; do
    net 2 --op "$op" --verify --sizes 8,64,4k,100000,1m
    expect_done
    expect_net "provider == '$provider' and sizes == [8, 64, 4096, 100000, 1048576]"
    expect_net "all(bytes_of(f) > 0 and f['wrong_messages'] == 0 for f in flows)"
    net 2 --op "$op" --both --verify
    expect_done
    expect_net "pairs == {(0, 1), (1, 0)}"
    net 2 --op "$op" --test lat --sizes 1,8,4k
    expect_done
    expect_net "all(0 < f['latency_min_s'] <= f['latency_median_s'] for f in flows)"
    net 4 --op "$op" --pattern all --size 4k
    expect_done
    expect_net "pairs == every_pair(4) and matrix_is_complete()"
    # One message at a time.
    net 2 --op "$op" --depth 1 --verify
    expect_done
done

for pattern in pairs incast outcast bisection; do
    net 4 --pattern $pattern --both
    expect_done
    expect_net "sums_fit()"
done
# More links than stay open: each round has its own.
if [[ $provider != mpi ]]; then
    net 18 --pattern all --size 1k
    expect_done
    expect_net "pairs == every_pair(18) and matrix_is_complete() and not any(f['failure'] for f in flows)"
fi
net 3 --pattern all --test lat
expect_done
expect_net "pairs == every_pair(3)"

run 2 net --provider "$provider" --iterations 1000 --warm-up 0 --size 1k --repetitions 2 --result "$json"
expect_done
expect_net "len(flows) == 2 and all(f['messages'] == 1000 for f in flows)"
# Runs are appended, each with its records: killed ones keep what they have measured.
"$WEIR_PYTHON" - "$json" <<'P' || fail "the result file does not hold all runs"
import json, sys
runs = {}
for record in map(json.loads, open(sys.argv[1])):
    runs.setdefault(record["run_id"], []).append(record)
assert len(runs) > 5
last = list(runs.values())[-1]
assert [r["record"] for r in last] == ["run", "network", "measurement", "measurement", "end"], last
assert last[0]["dialect"] == "net" and last[0]["environment"] and "job" in last[0]
P
capture "$WEIR" report "$json"
expect_exit 2
expect_error 'weir net'
capture "$WEIR" report "$json" --format verdict
expect_done
expect_line '^weir  (OK|CAUTION|UNVERIFIED|DO NOT USE)(  |$)'
expect_line '^weir +[0-9]+[kMG]? .* n [0-9]+$'
expect_line '^weir  [0-9]+ ranks, 1 node, [a-z]+, (bandwidth|latency)$'
capture "$WEIR" report "$json" --format markdown
expect_done
expect_line '^### (OK|CAUTION|UNVERIFIED|DO NOT USE)'
expect_line '^\| [0-9]+[kMG]? \|.*n [0-9]+ \|$'
# Fewer places than messages in flight, and lists that do not fit the depth.
net 2 --depth 10 --batch 4 --working-set 12k --size 4k
expect_done

net 2 --format json
expect_done
cp "$out" "$json"
expect_net "pairs == {(0, 1)}"
rm "$json"
net 2 --format iperf --interval 0.02
expect_done
expect_line '^\[ *[0-9]+\] .*bits/sec'
net 2 --format perftest
expect_done
expect_line '^ *#bytes +#iterations'

# ---------------------------------------------------------------- what is refused
run 1 net --provider "$provider"
expect_exit 2
expect_error 'net: data go from one rank to another, and there is one rank; '
run 2 net --patern all
expect_exit 2
run 2 net --provider "$provider" --mtu 1k
expect_exit 2
expect_error "net: --mtu: .*$provider"
run 2 net --provider "$provider" --result "$work/there/is/none"
expect_exit 2
expect_error 'net: --result: .*there/is/none'
