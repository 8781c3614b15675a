#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --depth auto: all ranks search together, before the phase and outside of its record, and nothing of it is left.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

engine=
for name in uring libaio; do
    [[ -n $engine ]] || ! "$WEIR" backends | grep -q "^$name " || engine=$name
done
[[ -n $engine ]] || skip "neither uring nor libaio was built: scripts/deps build, and configure again"

expect_curve() { # expect_curve PHASE DEPTH: powers of two and the greatest depth at least, in order; what was chosen is worth it
    expect_record "(lambda c: [p.depth for p in c] == sorted({p.depth for p in c}) and c[-1].depth == $2)($1.depth_curve)"
    expect_record "{p.depth for p in $1.depth_curve} >= {1, 2, 4}"
    # Times are measured: at most half of the operations take twice the mean, which is depth x ranks / rate, and trials have medians of their own.
    expect_record "all(0 < p.p50_s <= 4 * p.depth * $1.ranks / p.ops_per_s and p.p50_s != p.depth * $1.ranks / p.ops_per_s for p in $1.depth_curve)"
    expect_record "(lambda best: min(p.depth for p in $1.depth_curve if p.ops_per_s >= 0.98 * best) == $1.depth)(max(p.ops_per_s for p in $1.depth_curve))"
}

# A write and a read have a search each, repetitions have none of their own; what is written is that of the phase.
rm -f "$result"
run 2 -a $engine -w -r -R -i 2 -t 4k -b 1m --depth auto:6 --batch 4 -o "$files/f" --result "$result"
expect_done
expect_curve written 6
expect_curve reading 6
expect_record "all(p.batch == min(4, p.depth) for p in phases if p.verb in ('write', 'read'))"
expect_record "[p.depth for p in writes] == [written.depth] * 2 and len({p.depth for p in phases if p.verb == 'read'}) == 1"
expect_record "all(p.ops == 512 and p.latency.total == 512 and p.bytes == p.file_bytes == 2097152 for p in writes)"
expect_record "all(p.checked == 512 and p.wrong == 0 for p in phases if p.verb == 'read')"
expect_line 'least depth'
expect_files ''

# A file for each rank, in random order and mixed, kept: the data are right for the next run.
rm -f "$result"
run 2 -a $engine -w -F -z -k -t 4k -b 1m --read-percent 50 --depth auto:4 -o "$files/f" --result "$result"
expect_done
expect_curve "next(p for p in phases if p.verb == 'mixed')" 4
rm -f "$result"
run 2 -a posix -r -R -F -k -t 4k -b 1m -o "$files/f" --result "$result"
expect_done
expect_record "reading.checked == 512 and reading.wrong == 0"
rm -f "$files"/*

# A disk that is full, on one rank and in a trial: the phase tells it, moves nothing, and all end.
rm -f "$result"
capture mpiexec -n 2 "$WEIR_TEST" -a fault:$engine --fault.verb=write --fault.rank=1 --fault.at=40 --fault.errno=ENOSPC \
    -w -r -t 4k -b 1m --depth auto:8 -o "$files/f" --result "$result"
expect_exit 1
expect_record "written.outcome == 'partial' and written.ops == 0 and written.errors == 1"
expect_record "'rank 1' in written.failure and 'No space left' in written.failure and not reading"
expect_files ''

# A signal in a trial: one rank sees it, all of them end, and what is not to be kept is gone.
rm -f "$result"
launch mpiexec -n 2 "$WEIR" -a $engine -w -r -t 4k -b 4m --depth auto:4096 -o "$files/f" --result "$result"
wait_until 100 test -s "$files/f" || fail "no trial writes anything"
kill -TERM "$(ranks | tail -n 1)"
end_of_run
expect_exit 1
expect_line 'interrupted'
expect_record "len(writes) == 1 and not reading"
expect_files ''

# Operations on names: where one rank cannot queue them, as its kernel is older, none searches, and all go on one at a time.
if [[ $engine == uring && -z ${ASAN_OPTIONS-} ]]; then
    for preload in '' "$WEIR_OLD_URING"; do
        rm -f "$result"
        capture timeout 60 mpiexec -n 2 env LD_PRELOAD="$preload" "$WEIR" mdtest -a uring -F -n 50 -d "$files/tree" --depth auto:2 --result "$result"
        expect_done
        expect_record "all((p.depth_curve is not None) == ('$preload' == '' and p.verb in ('create', 'stat', 'read-file')) for p in phases)"
        expect_record "'$preload' == '' or all(p.depth == 1 for p in phases)"
        expect_record "all(p.ops == 100 and p.errors == 0 for p in phases if p.verb not in ('mkdir', 'rmdir'))"
    done
    # A depth that is given: each rank queues what its kernel can, and the record has the least and the greatest.
    for preload in '' "$WEIR_OLD_URING"; do
        rm -f "$result"
        capture timeout 60 mpiexec -n 2 env LD_PRELOAD="$preload" "$WEIR" mdtest -a uring -F -n 50 -d "$files/tree" --depth 8 --result "$result"
        expect_done
        if [[ $preload ]]; then
            expect_record "all((p.depth, p.depth_max) == (1, 8) for p in phases if p.verb in ('create', 'stat', 'read-file', 'unlink'))"
        fi
        expect_record "all(('depths-differ' in {f.name for f in p.findings}) == ('$preload' != '' and p.verb not in ('mkdir', 'rmdir')) for p in phases)"
    done
    # The search says which depth it tries.
    run 2 mdtest -a uring -F -n 50 -d "$files/tree" --depth auto:2 --progress 0.001
    expect_done
    grep -qE '^weir: create, depth [12] on trial' "$err" || fail "nothing is said of the depths that are tried"
fi

# A backend that makes one transfer at a time has nothing to search for.
run 2 -a posix -w -t 4k -b 1m --depth auto -o "$files/f"
expect_exit 2
expect_error 'queue depth'
