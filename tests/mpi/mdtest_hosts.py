# SPDX-License-Identifier: Apache-2.0
"""mdtest_hosts.py PLACEMENT DIRECTORY RESULT OPTION...: whether the files of mdtest -N lie where they should, and are found
from the hosts that they should be found from.

PLACEMENT has a digit for each rank: its node. What is expected is computed here, from the placement alone: phases are
N, 2 N and 3 N nodes from who made a file; where that is a multiple of the number of nodes, all ranks are at home, and else
as few as a permutation leaves there."""
import os
import re
import sys

from mdtest_paths import Options, Tree
from records import load

STEPS = {"stat": 1, "read-file": 2, "unlink": 3}


def check(condition, *words):
    if not condition:
        sys.exit(" ".join(map(str, words)))


def near_of(nodes, distance):
    if distance % (max(nodes) + 1) == 0:
        return len(nodes)
    largest = max(nodes.count(node) for node in nodes)
    return max(0, 2 * largest - len(nodes))


def check_leads(nodes, distance, leads, what):
    """`leads`: from each rank to that whose items, or tree, it takes."""
    ranks, node_count = len(nodes), max(nodes) + 1
    check(sorted(leads) == sorted(leads.values()) == list(range(ranks)), what, "no permutation:", leads)
    near = sum(nodes[rank] == nodes[owner] for rank, owner in leads.items())
    check(near == near_of(nodes, distance), what, near, "are near, not", near_of(nodes, distance), "of", leads)
    if len({nodes.count(node) for node in nodes}) == 1:
        further = distance * (ranks // node_count)
        check(all(owner == (rank + further) % ranks for rank, owner in leads.items()), what, "not as mdtest:", leads)


def check_names(nodes, directory, options):
    tree, found = Tree(options), {}
    for place, _, files in os.walk(directory):
        for name in files:
            match = re.fullmatch(r"file\.mdtest\.(\d+)\.(\d+)", name)
            if match:
                found[int(match[1]), int(match[2])] = os.path.relpath(place, directory)
    holders = {}
    for owner in range(len(nodes)):
        node = re.match(r"test-dir\.0-0/mdtest_tree\.(\d+)\.0", found[owner, 0]) if options.has("u") else None
        holders[owner] = int(node[1]) if node else None
        for holder in tree.holders:
            for number in range(holder * tree.per_directory, (holder + 1) * tree.per_directory):
                expected = f"test-dir.0-0/{tree.path(holder, holders[owner])}"
                check(found.pop((owner, number), None) == expected, owner, number, "is not in", expected)
    check(not found, "too many:", found)
    if options.has("u"):
        check_leads(nodes, options.number("N"), holders, "trees:")


def check_phase(nodes, phase, shift):
    node_count, distance = max(nodes) + 1, STEPS[phase.verb] * shift
    texts = [finding.text for finding in phase.findings if finding.name == "names-cached"]
    check(phase.nodes == node_count and phase.ops == 14 * len(nodes), phase.verb, phase.nodes, phase.ops)
    check(phase.same_node_ranks == near_of(nodes, distance), phase.verb, phase.same_node_ranks, "ranks are near")
    return texts, distance


def main():
    nodes = [int(digit) for digit in sys.argv[1]]
    options = Options([word for word in sys.argv[4:] if word != "-X"])
    shift, node_count = options.number("N"), max(nodes) + 1
    phases = {phase.verb: phase for phase in load(sys.argv[3]) if phase.record == "phase"}
    if "create" in phases:
        check_names(nodes, sys.argv[2], options)
        texts, distance = check_phase(nodes, phases["stat"], shift)
        # The hosts are one machine with one cache, as counters of a device tell where there are any.
        check(len(texts) >= (near_of(nodes, distance) > 0), "stat:", texts)
        if distance % node_count == 0:
            check(f"{distance} nodes further is a full circle of {node_count}" in texts[0], texts)
        elif near_of(nodes, distance) > 0:
            check(f"one node has {max(map(nodes.count, nodes))} of the ranks" in texts[0], texts)
        return
    for verb in ("read-file", "unlink"):
        check_phase(nodes, phases[verb], shift)
    wrong = {mismatch.reader: mismatch.writer for mismatch in phases["read-file"].mismatches}
    check(phases["read-file"].wrong == len(nodes), "wrong:", phases["read-file"].wrong)
    check_leads(nodes, 2 * shift, wrong, "reads:")


main()
