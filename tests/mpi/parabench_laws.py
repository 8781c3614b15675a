# SPDX-License-Identifier: Apache-2.0
"""parabench_laws.py RESULT WALL-SECONDS: what must be true of any program with labels that has run, whatever the storage does.

Labels lie within the run and the run within WALL-SECONDS, a rank makes one call at a time, sums of events are those of their
labels, and where a core time is inside of a time block, its calls take no longer than the block."""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import records  # noqa: E402

SLACK_S = 1e-6
broken = []


def law(holds, label, *facts):
    if not holds:
        broken.append(f"{label.label} ({'core' if label.core else 'time'}): {facts}")


def at_most(low, high, label, what):
    law(low <= high * (1 + 1e-9) + SLACK_S, label, what, low, high)


def check_label(label, phase, wall_s):
    span_s = label.last_end_s - label.first_begin_s
    at_most(0, label.first_begin_s + SLACK_S, label, "begins before the run")
    at_most(span_s, phase.total_s, label, "its span is longer than the run")
    law(label.bytes * span_s <= label.bytes * wall_s, label, "its span is longer than the wall clock", span_s, wall_s)
    at_most(label.rank_s_min, label.rank_s_mean, label, "least and mean of ranks")
    at_most(label.rank_s_mean, label.rank_s_max, label, "mean and most of ranks")
    at_most(label.rank_s_max, span_s, label, "a rank takes longer than the span")
    at_most(label.call_s, label.ranks * span_s, label, "calls of ranks take longer than the span on each of them")
    at_most(label.duration.max_ns / 1e9, span_s, label, "an execution takes longer than the span")
    law(label.duration.total == label.executions, label, "executions in the histogram", label.duration.total, label.executions)
    if label.core:
        law(abs(label.duration.sum_ns / 1e9 - label.call_s) <= 1e-6 * label.executions, label, "sum of core times",
            label.duration.sum_ns, label.call_s)


def check_events(number, label, events):
    mine = [i for i, of in enumerate(events.label) if of == number]
    law(len(mine) == label.executions, label, "executions in the list", len(mine), label.executions)
    law(len({events.rank[i] for i in mine}) == label.ranks, label, "ranks in the list")
    if label.core:
        law(sum(events.bytes[i] for i in mine) == label.bytes, label, "bytes of executions", label.bytes)
        law(sum(events.calls[i] for i in mine) == label.calls, label, "calls of executions", label.calls)


def spans(done, core):
    """Begin, seconds and label of all events of a kind, by rank."""
    events, found = done.events, collections.defaultdict(list)
    for rank, label, begin_s, seconds in zip(events.rank, events.label, events.begin_s, events.seconds):
        if done.labels[label].core == core:
            found[rank].append((begin_s, seconds, done.labels[label]))
    return found


def check_nesting(done):
    """The calls of all core times of one name that begin within an execution of a time block of this name fit into it."""
    cores = spans(done, True)
    for rank, blocks in spans(done, False).items():
        for begin_s, seconds, label in blocks:
            inside = sum(s for b, s, core in cores[rank]
                         if core.label == label.label and begin_s <= b <= begin_s + seconds)
            at_most(inside, seconds, label, f"calls on rank {rank} take longer than the block around them")


def main():
    phase = next(r for r in records.load(sys.argv[1]) if r.record == "phase")
    wall_s = float(sys.argv[2])
    done = phase.program_result
    for number, label in enumerate(done.labels):
        check_label(label, phase, wall_s)
        check_events(number, label, done.events)
    check_nesting(done)
    first_s, last_s = min(label.first_begin_s for label in done.labels), max(label.last_end_s for label in done.labels)
    if last_s - first_s > phase.total_s + SLACK_S or phase.total_s > wall_s:
        broken.append(f"labels span {last_s - first_s} s, the run {phase.total_s} s, the wall clock {wall_s} s")
    print("\n".join(broken))
    sys.exit(bool(broken))


main()
