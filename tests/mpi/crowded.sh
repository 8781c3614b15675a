#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Trees in which directories are not alike: a skew of the items, and directories that are slow.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

valid() { # valid json|records EXPRESSION: of the output, or of the result file
    local file=$out
    [[ $1 == json ]] || file=$result
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/valid.py" "$1" "$file" "$2" >"$work/why" 2>&1 || fail "$1: $(cat "$work/why")"
}

# Four of ten items lie in one of five directories, and each task finds those of the other one there.
run 2 mdtest -n 100 -z 1 -b 4 --skew 40/20 -F -C -d "$files/out" --plain
expect_done
counts=$(cd "$files/out/test-dir.0-0/mdtest_tree.0" && for place in . mdtest_tree.*; do find "$place" -maxdepth 1 -name 'file.*' | wc -l; done)
[[ $(tr '\n' ' ' <<<"$counts") == '80 30 30 30 30 ' ]] || fail "items lie so: $counts"
[[ $(find "$files/out" -name 'file.*' -printf '%f\n' | sort -u | wc -l) == 200 ]] || fail "items have the same names"
run 2 mdtest -n 100 -z 1 -b 4 --skew 40/20 -F -T -E -N 1 -R -d "$files/out" --plain
expect_done
run 2 mdtest -n 100 -z 1 -b 4 --skew 40/20 -F -r -d "$files/out" --plain
expect_done
expect_files ''
rmdir "$files/out"

# The directory whose modes are slow to change is named, with what both ranks did there.
capture mpiexec -n 2 "$WEIR_TEST" mdtest -a fault:posix -n 50 -z 1 -b 4 -F --also chmod -d "$files/out" --result "$result" \
    --fault.verb chmod --fault.at 30 --fault.delay 400000
expect_done
valid records "([(row['path'].rsplit('/', 1)[1], row['ops'], row['ranks']) for phase in phases if phase['phase'] == 3
             for row in phase['slowest_directories']][0] == ('mdtest_tree.3', 20, 2))"
valid records "all(0.04 <= row['mean_s'] <= row['max_s'] and row['max_s'] >= 0.4 for phase in phases if phase['phase'] == 3
                for row in phase['slowest_directories'][:1])"
valid records "[phase['phase'] for phase in phases if 'slowest_directories' in phase] == [1, 2, 3, 4, 5]"
rm "$result"
expect_files ''

# One directory is no slowest one.
run 2 mdtest -n 20 -F -d "$files/out" --result "$result"
expect_done
valid records "not any('slowest_directories' in phase for phase in phases)"
rm "$result"

# The same once more in one directory: two tables, and ratios for which there are iterations enough.
run 2 mdtest -n 20 -u -F -i 3 --compare-crowded -d "$files/out" --result "$result"
expect_done
expect_files ''
[[ $(grep -c '^SUMMARY rate' "$out") == 2 ]] || fail "there are not two tables"
[[ $(grep -cE '^weir +1 +all (create|stat|read-file|unlink) +files +([0-9.]+ +){4}[a-z ]+$' "$out") == 4 ]] ||
    fail "there are not four ratios"
run 2 mdtest -n 20 -u -F --compare-crowded -d "$files/out"
expect_done
[[ $(grep -c 'too few iterations to tell' "$out") == 4 ]] || fail "one iteration is enough for a ratio"

# Each phase by a process of its own finds what the one before has made in both trees.
run 2 mdtest -n 20 -z 1 -b 3 -F -C --compare-crowded -d "$files/out" --plain
expect_done
[[ $(find "$files/out/test-dir.crowded.0-0/mdtest_tree.0" -name 'file.*' | wc -l) == 40 ]] || fail "the crowd is another one"
run 2 mdtest -n 20 -z 1 -b 3 -F -T -E -r --compare-crowded -d "$files/out" --plain
expect_done
expect_files ''

# Of each verb there are percentiles over all ranks; the result file has the series.
rm "$result"
run 2 mdtest -n 50 -z 1 -b 4 -F -d "$files/out" --summaryFormat JSON --result "$result"
expect_done
valid json "all(0 < phase['figures'].get('p50', phase['figures']['latency_max'])['value'] <= phase['figures']['latency_max']['value']
             for phase in document['runs'][0]['phases'])"
"$WEIR_PYTHON" - "$result" <<'END' || fail "the series do not hold all operations"
import json, sys
phases = [record for record in map(json.loads, open(sys.argv[1])) if "series" in record]
sys.exit(not (len(phases) == 6 and all(sum(phase["series"]["ops"]) == phase["ops"] for phase in phases)))
END
rm "$result"
run 2 md-workbench -D 2 -I 5 -P 10 -R 2 -o "$files/out" --summaryFormat JSON --result "$result"
expect_done
valid json "[(phase['name'], phase['figures']['operations']['value'], 0 < phase['figures']['p50']['value'] <= phase['figures']['latency_max']['value'])
            for phase in document['runs'][0]['phases'] if phase['part'] == 'verb'] == [(word, 20, True) for word in ('stat', 'read-file', 'unlink', 'create')] * 2"
valid records "all(len(phase['slowest_directories']) == 3 for phase in phases if 'verbs' in phase)"

# A billion items take no more memory than a thousand, in any order, and no more time to plan.
peak() { # peak OPTION...: KiB that a rank took at most
    capture "$WEIR_PYTHON" -c 'import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)' "$WEIR" mdtest -a null -z 3 -b 10 -F -C -T -r -W 0.2 "$@"
    expect_done
    kib=$(tail -n 1 "$out")
}
for order in '' '--shuffle' '-u --shuffle --skew 80/20'; do
    # shellcheck disable=SC2086
    peak -n 2222 $order
    few=$kib
    # shellcheck disable=SC2086
    peak -n 1000000000 $order
    ((kib < few + 4096)) || fail "$order: a billion items take $kib KiB, few take $few"
done
capture timeout 60 "$WEIR" mdtest -n 1000000000 -z 3 -b 10 -F --explain
expect_done
