#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A fact that is not known is null in the result file, or left out, and never 0: each number that is 0 in a record of a
# backend, a file system or a host that does not know something is on a list of those that may be.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Counts of what may not have happened, positions that begin with 0, and times of what was not done.
cat >"$work/may_be_zero" <<'END_OF_LIST'
end.exit_code
phase.(batch|eagain_transfers|bytes|overlap_s|depth|errors|expected_bytes|same_node_ranks|ops|outlier_count|phase|repetition|short_transfers|test|unlogged_ops)
phase.(data_share|data_in_flight_share)
phase.clock.(drift_ppm|error_s|offset_s|drift_error_ppm)
phase.cpu.(system_s|user_s)
phase.loops\[\]
phase.pace.(end_lag_s|max_lag_s|max_backlog)
phase.placement.nodes.(wrong_node_permille|wrong_node_ranks|shared_core_ranks|far_ranks|migrations|moved_ranks|narrowed_ranks|involuntary_switches|remote_ranks|steal_share|cpu_wait_share|first_waiting_rank|throttled_cpu_s|cpu_s)\[\]
phase.placement.(nodes|ranks).(cpu|page)_numa_nodes\[\]\[\]
phase.placement.ranks.(wrong_node_permille|last_cpu|migrations|node|involuntary_switches)\[\]
phase.program_result.(merged_executions|unlisted_events|unlisted_failures|calls\[\].(bytes|failed))
phase.rank_s.(max_s|mean_s|min_s|stddev_s)
phase.residency.resident_bytes
phase.dirty.dirty_bytes
phase.dirty.dirty_after_sync_bytes
phase.supply.(storage_read_bytes|left_bytes|hole_bytes|unwritten_bytes|inline_bytes|encoded_bytes|shared_bytes|extent_bytes)
phase.series.(backlog|bytes|ops)\[\]
phase.slowest\[\].(rank|seconds)
phase.stonewall.*
phase.(submission|latency|response|write_latency|read_latency).(sum_ns|total)
phase.(submission|latency|response|write_latency|read_latency|verbs\[\].latency).(buckets\[\]\[\]|min_ns|max_ns|sum_ns)
phase.traffic.(device_read_bytes|device_written_bytes|network_received_bytes|network_sent_bytes)
phase.verbs\[\].errors
phase.verification.(checked_transfers|wrong_bytes|wrong_transfers)
phase.windows.(close_s|open_s|transfer_s)
run.environment\[\].huge_pages
(run|test|phase).*plan.*
test.(existing_files|given_nodes|given_ranks_per_node|test)
test.storage\[\].devices\[\].(level|numa_node)
run.environment\[\].nics\[\].numa_node
END_OF_LIST

cat >"$work/zeros.py" <<'END_OF_SCRIPT'
import json, re, sys
allowed = re.compile("|".join(f"(?:{line.strip()})" for line in open(sys.argv[1])))
found = set()
def walk(place, value):
    if isinstance(value, dict):
        for key, member in value.items():
            walk(f"{place}.{key}", member)
    elif isinstance(value, list):
        for member in value:
            walk(place + "[]", member)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0 and not allowed.fullmatch(place):
        found.add(place)
for line in open(sys.argv[2]):
    record = json.loads(line)
    walk(record["record"], record)
sys.exit(", ".join(sorted(found)) or None)
END_OF_SCRIPT

expect_no_zeros() {
    "$WEIR_PYTHON" -B "$work/zeros.py" "$work/may_be_zero" "$result" >"$work/zeros" 2>&1 || fail "0 in place of null: $(<"$work/zeros")"
    rm -f "$result"
}

backends=(DUMMY POSIX MMAP STDIO MPIIO)
! "$WEIR" backends | grep -q '^libaio' || backends+=('AIO --depth 4')
for backend in "${backends[@]}"; do
    # shellcheck disable=SC2086
    capture "$WEIR" -a $backend -w -r -i 2 -t 64k -b 1m -o "$files/f" --result "$result"
    expect_done
    expect_no_zeros
done
# Data without a generation.
capture "$WEIR" -w -r -R --data ior -t 64k -b 1m -o "$files/f" --result "$result"
expect_done
expect_record "all(p.generation is None for p in phases if p.verb in ('write', 'read'))"
expect_record "tests[0].filesystem is not None"
expect_no_zeros
capture "$WEIR" -a DUMMY -w -t 64k -b 1m -o "$files/f" --result "$result"
expect_done
expect_record "all(p.verb != 'remove' or p.storage_s is None for p in phases)"
expect_no_zeros
for words in 'mdtest -n 10 -d tree' 'md-workbench -P 5 -I 5 -D 2 -R 1 -o tree' 'iozone -i 0 -i 1 -s 64 -r 4 -f f' \
    'dd if=/dev/zero of=f bs=4k count=10'; do
    # shellcheck disable=SC2086
    capture "$WEIR" $words --result "$result"
    expect_done
    expect_no_zeros
done

# A host that tells nothing of devices, networks and processors.
if ((EUID == 0)) && unshare -m mount -t tmpfs weir-no-sys /sys 2>/dev/null; then
    capture unshare -m bash -c 'mount -t tmpfs weir-no-sys /sys && exec "$@"' bash "$WEIR" -w -r -t 64k -b 1m -o "$files/f" --result "$result"
    expect_done
    expect_no_line '(^| )0 (cores|processors|NUMA)'
    expect_no_zeros
fi
# A file system that counts neither bytes nor inodes.
if ((EUID == 0)) && unshare -m mount -t ramfs weir-no-counts "$files" 2>/dev/null; then
    capture unshare -m bash -c 'mount -t ramfs weir-no-counts "$1" && exec "${@:2}"' bash "$files" "$WEIR" -w -t 64k -b 1m -o "$files/f" --result "$result"
    expect_done
    expect_record "(lambda f: f.bytes_total is None and f.inodes_total is None and f.inodes_used is None)(tests[0].filesystem)"
    expect_no_zeros
fi
