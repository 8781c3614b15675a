# SPDX-License-Identifier: Apache-2.0
"""hosts_shifts.py clean|damaged PLACEMENT TESTS RESULT: whether ranks read from the nodes that they should read from.

PLACEMENT has a digit for each rank: its node. TESTS has a line for each test of the run: "own" or "shared", the kind of
shift (C, Z or ZZ) and its distance. In `damaged` runs a bit of each rank's part was flipped, so that the result
names the reader and the writer of each part. What is expected is computed here, from the placement alone."""
import sys

from records import load


def least_near(nodes):
    """How many ranks no permutation can lead away from their own node."""
    largest = max(nodes.count(node) for node in nodes)
    return max(0, 2 * largest - len(nodes))


def fullest(nodes, count):
    """The most ranks on `count` neighbouring nodes."""
    node_count = max(nodes) + 1
    rings = [{(first + i) % node_count for i in range(count)} for first in range(node_count)]
    return max(sum(node in ring for node in nodes) for ring in rings)


def steps_of(distance, node_count, is_check):
    """How many nodes further -C leads; a check goes one further, and past its own node if there is a third one."""
    distance += is_check
    if is_check and distance % node_count == 0 and node_count > 2:
        distance += 1
    return distance % node_count


def near_of(nodes, kind, distance, is_check):
    """How many ranks are to read what their own node wrote; None: any number."""
    node_count = max(nodes) + 1
    if kind == "ZZ":
        return None
    if node_count == 1 or kind == "C" and steps_of(distance, node_count, is_check) == 0:
        return len(nodes)
    return least_near(nodes)


def rule_of_ior(nodes, distance):
    """How many ranks further -C leads by IOR's rule; None where nodes are not even, or ranks not in blocks or dealt."""
    ranks, node_count = len(nodes), max(nodes) + 1
    if nodes == [rank * node_count // ranks for rank in range(ranks)] and ranks % node_count == 0:
        return distance * (ranks // node_count)
    if nodes == [rank % node_count for rank in range(ranks)] and ranks % node_count == 0:
        return distance
    return None


def check(condition, *words):
    if not condition:
        sys.exit(" ".join(map(str, words)))


def check_owners(nodes, kind, distance, phase):
    """Looks at who read whose part."""
    ranks, node_count = len(nodes), max(nodes) + 1
    owners = {mismatch.reader: mismatch.writer for mismatch in phase.mismatches}
    where = f"{kind} {distance}: {owners}"
    check(sorted(owners) == sorted(owners.values()) == list(range(ranks)), "no permutation:", where)
    near = sum(nodes[reader] == nodes[writer] for reader, writer in owners.items())
    check(near == phase.same_node_ranks, near, "ranks are near, not", phase.same_node_ranks, "in", where)
    if kind != "C":
        return
    rule = rule_of_ior(nodes, distance)
    steps = steps_of(distance, node_count, False)
    has_room = fullest(nodes, steps) + fullest(nodes, 1) <= ranks
    for reader, writer in owners.items():
        further = (nodes[writer] - nodes[reader]) % node_count
        check(rule is None or writer == (reader + rule) % ranks, "not as IOR:", where)
        check(further >= steps or not has_room, "rank", reader, "is led", further, "nodes further, not", steps, where)


def check_sentence(nodes, kind, distance, phase):
    """Looks at what the audit says of ranks that are near."""
    # Virtual hosts have one page cache, so that what is read is resident wherever its writer was.
    names = ("maybe-cached", "same-node", "resident") if phase.same_node_ranks > 0 else ("maybe-cached", "same-node")
    texts = [finding.text for finding in phase.findings if finding.name in names]
    if kind == "ZZ":
        return
    check(bool(texts) == (phase.same_node_ranks > 0), "near ranks:", phase.same_node_ranks, "and what is said:", texts)
    if not texts:
        return
    node_count = max(nodes) + 1
    largest = max(nodes.count(node) for node in nodes)
    if node_count == 1:
        sign = f"several nodes for -{kind}"
    elif kind == "C" and steps_of(distance, node_count, phase.check) == 0:
        sign = "verify with -R" if phase.check else f"than {distance}, a full circle of {node_count} nodes"
    else:
        sign = f"one has {largest} of {len(nodes)}"
    check(sign in texts[0], f"'{sign}' is not in '{texts[0]}'")


def main():
    state, placement, tests_path, result_path = sys.argv[1:]
    nodes = [int(digit) for digit in placement]
    with open(tests_path, encoding="utf-8") as file:
        tests = [line.split() for line in file]
    reads = [record for record in load(result_path) if record.record == "phase" and record.verb == "read"]
    check({phase.test for phase in reads} == set(range(len(tests))), "tests are missing:", [phase.test for phase in reads])
    for phase in reads:
        _, kind, distance = tests[phase.test]
        distance = int(distance)
        near = near_of(nodes, kind, distance, phase.check)
        check(near in (None, phase.same_node_ranks), f"{kind} {distance}, check {phase.check}: {phase.same_node_ranks} near, not {near}")
        check(phase.nodes == max(nodes) + 1, phase.nodes, "nodes")
        check_sentence(nodes, kind, distance, phase)
        check(phase.checked > 0, "nothing was verified")
        if state == "damaged":
            check(phase.wrong == len(nodes), phase.wrong, "transfers are wrong")
            check_owners(nodes, kind, distance, phase)
        else:
            check(phase.wrong == 0 and phase.errors == 0, "wrong data:", tests[phase.test])


main()
