#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# weir sweep: each step does the total, on as many ranks as it says and with its own words; the steps are tests of one run; too
# few ranks are refused before anything is made.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

in_steps() { # in_steps EXPRESSION: over `rows`, the data phases as (step, verb, ranks, bytes)
    "$WEIR_PYTHON" - "$result" "$1" <<'END' || fail "of the steps is not true: $1"
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
plan = next(record for record in records if record["record"] == "run")["plan"]
steps = {test["test"]: test.get("sweep_step", 0) for test in plan["tests"]}
phases = [record for record in records if record["record"] == "phase"]
rows = [(steps[phase["test"]], phase["verb"], phase["ranks"]["count"] if isinstance(phase["ranks"], dict) else phase["ranks"], phase["bytes"])
        for phase in phases if phase.get("bytes")]
sys.exit(not eval(sys.argv[2]))
END
}

# A fixed total on 1 to 8 ranks, three repetitions, and what the ranks are bound to do.
run 8 sweep ranks=1..8x2 total=8m --limit 100GB/s -- ior -w -r -t 64k -i 3 -F -o "$files/f" --result "$result"
expect_done
expect_files ''
in_steps 'sorted(set(row[0] for row in rows)) == [0, 1, 2, 3]'
in_steps 'len(rows) == 4 * 3 * 2 and all(row[3] == 8 << 20 for row in rows)'
in_steps 'all(row[2] == 1 << row[0] for row in rows)'
expect_record 'runs[-1].plan.sweep.axes[0].name == "ranks" and runs[-1].plan.sweep.axes[0].values == ["1", "2", "4", "8"]'
expect_record 'runs[-1].plan.sweep.read_limit_per_s == 1e11 and runs[-1].plan.rank_order.kind == "round_robin"'

# Two axes: the first one varies slowest; transfers are those of the step.
rm "$result"
run 2 sweep transfer=4k,64k segments=1,3 -- ior -w -b 64k -o "$files/f" --result "$result"
expect_done
in_steps '[row[3] for row in rows] == [2 << 16, 6 << 16] * 2'
expect_record '[test.sweep_step for test in runs[-1].plan.tests[1:]] == [1, 2, 3]'

# Without --details the verdict comes first and the table follows, in 100 columns, without a head of IOR for each step.
WEIR_DETAILS=0 run 2 sweep transfer=4k,64k -- ior -w -b 64k -o "$files/f"
expect_done
grep -v '^weir\(  \|$\)' "$out" && fail "a line of standard output is not of the verdict or the table"
head -n 1 "$out" | grep -qE '^weir  (OK|CAUTION|UNVERIFIED|DO NOT USE)' || fail "the verdict is not first"
(($(grep -c '^weir  sweep: write' "$out") == 1 && $(wc -L <"$out") <= 100)) || fail "there is not one table of 100 columns"

# Names: each rank has its part of the total, and what does not divide is told.
rm "$result"
run 3 sweep ranks=1,3 total=100 -- mdtest -F -d "$files/tree" --result "$result"
expect_done
grep -q 'total: 99 of 100 items' "$out" "$err" || fail "the remainder is not told"
expect_record 'sorted(set(phase.ops for phase in phases if phase.verb == "create")) == [99, 100]'

# Children of iozone, and blocks of dd.
rm "$result"
run 2 sweep ranks=1,2 total=1m -- iozone -i 0 -r 64k -F "$files/a" "$files/b" --result "$result" || true
((status != 2)) || grep -q -- '-F' "$err" || fail "files of two children for one: $(cat "$err")"
rm -f "$result"
run 2 sweep ranks=1,2 total=1m -- dd if=/dev/zero of="$files/d%r" bs=64K --result "$result"
expect_done
in_steps '[row[2:] for row in rows] == [(1, 1 << 20), (2, 1 << 20)]'
[[ $(stat -c %s "$files/d1") == $((512 * 1024)) ]] || fail "rank 1 has not done its half"
rm "$files"/d?

# Ranks per node as Open MPI's variables say: two nodes of 4, or not as many on each, as the nodes show (4 + 2 + 2), or a
# remainder (4 + 3), for which no variable of another launcher stands in.
launched() { # launched LOCAL ALL NODES
    capture env OMPI_COMM_WORLD_LOCAL_SIZE="$1" OMPI_COMM_WORLD_SIZE="$2" OMPI_MCA_orte_num_nodes="$3" \
        SLURM_STEP_TASKS_PER_NODE=1 "$WEIR" sweep nodes=1 total=8m --explain -- ior -w -t 1m -o "$files/f"
}
launched 4 8 2
expect_done
for counts in "4 8 3" "2 8 3" "4 7 2"; do
    # shellcheck disable=SC2086
    launched $counts
    expect_exit 2
    expect_error 'nodes= and ranks-per-node=, as no launcher says that all nodes have as many'
done

# Too few ranks, nodes, or ranks of a node: nothing is made.
rm "$result"
for words in "ranks=1,4 need:mpiexec.-n.4" "nodes=1,2 need:2.nodes.are.needed" "ranks-per-node=1,4 need:4.ranks.per.node"; do
    run 3 sweep "${words% *}" -- ior -w -o "$files/f" --result "$result"
    expect_exit 2
    grep -qE "${words#*need:}" "$err" || fail "${words% *}: the need is not named: $(cat "$err")"
    expect_files ''
done

# One rank of a step fails: the run ends with 1, steps before it are there, and it is named.
run 2 sweep ranks=1,2 -- ior -w -F -b 64k -t 64k -o "$files/none/f" --result "$result"
((status != 0)) || fail "a step that cannot write makes the exit code 0"
