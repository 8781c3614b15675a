#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The ranks of a step on two virtual hosts: one of each in turn, or packed; so many nodes, and so many ranks of each.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$(dirname "$0")/hosts_lib.sh"

enter_hosts 2 sweep_hosts.sh "$@"
watch_places

# Three ranks on each host. The hosts of each step are where its ranks say they wrote: files per rank tell how many, and the
# record's figures of nodes where.
try() { # try WANTED WORD...: of each step the ranks per node, "21" for two on the first and one on the second
    local wanted=$1
    shift
    rm -f "$result"
    capture mpiexec -n 6 --host n1:3,n2:3 --map-by slot "${passed_on[@]}" --wdir "$work" "$work/placed" sweep "$@" -- \
        ior -w -F -b 64k -t 64k -o "$files/f" --result "$result"
    expect_done
    expect_files ''
    "$WEIR_PYTHON" - "$result" "$wanted" <<'END' || fail "the ranks of the steps are not $wanted"
import collections, json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
found = []
for record in records:
    if record["record"] == "phase" and record["verb"] == "write":
        nodes = collections.Counter(record["placement"]["ranks"]["node"])
        hosts = record["placement"]["nodes"]["host"]
        assert record["bytes"] == 65536 * sum(nodes.values())
        by_host = {hosts[node]: count for node, count in nodes.items()}
        found.append("".join(str(by_host.get(host, 0)) for host in ("n1", "n2")))
assert " ".join(found) == sys.argv[2], found
END
}

try '10 11 21 33' ranks=1,2,3,6
try '10 20 30 33' ranks=1,2,3,6 --packed
try '30 33' nodes=1,2
try '11 22 33' ranks-per-node=1..3+1
try '10 20 11 22' nodes=1,2 ranks-per-node=1,2
try '10 11' nodes=1,2 ranks-per-node=1

# Of a total each rank has its part: the launcher says how many there are of each node.
rm -f "$result"
capture mpiexec -n 6 --host n1:3,n2:3 --map-by slot "${passed_on[@]}" --wdir "$work" "$work/placed" sweep nodes=1,2 total=768k -- \
    ior -w -F -t 64k -o "$files/f" --result "$result"
expect_done
expect_record "[(p.ranks, p.bytes) for p in phases if p.verb == 'write'] == [(3, 786432), (6, 786432)]"
