#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every verb of the data path at depth 1, 8, 32 and 128, with libaio and io_uring: what is read is what was written, and
# what goes wrong in the middle of many transfers is found where it is.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

depths=(1 8 32 128)
shapes=("filePerProc=0 randomOffset=0" "filePerProc=1 randomOffset=1" "filePerProc=1 randomOffset=0" "filePerProc=0 randomOffset=1")
ways=(0)
! can_bypass_cache || ways+=(1)
engines=()
for engine in libaio uring; do
    ! "$WEIR" backends | grep -q "^$engine " || engines+=("$engine")
done
((${#engines[@]})) || skip "neither libaio nor uring was built: scripts/deps build, and configure again"

queued() { # queued RANKS OPTION...: with a new result file
    local ranks=$1
    shift
    rm -rf "$result" "${files:?}"/*
    run "$ranks" -o "$files/f" --result "$result" "$@"
}

# Everything that moves data, on two ranks: each depth with another shape in the cache and past it.
turn=0
tests=()
asked=()
for engine in "${engines[@]}"; do
    for depth in "${depths[@]}"; do
        for way in "${ways[@]}"; do
            tests+=("api=$engine useO_DIRECT=$way ${shapes[turn++ % 4]} depth=$depth")
            asked+=("$depth,")
        done
    done
    turn=$((turn + 1))
done
run_script 2 "testFile=$files/f transferSize=4k blockSize=512k segmentCount=2 writeFile=1 checkWrite=1 readFile=1 checkRead=1" "${tests[@]}"
expect_done
expect_record "[p.verb for p in phases] == ['write', 'read', 'read', 'remove'] * ${#tests[@]}"
expect_record "[p.depth for p in writes] == [p.depth for p in phases if p.verb == 'read' and not p.check] == [${asked[*]}]"
expect_record "all(p.bytes == 2 * 2**20 for p in phases if p.verb != 'remove')"
expect_record "all(p.checked == 512 and p.wrong == 0 for p in phases if p.verb == 'read')"
expect_record "all(p.latency.total == 512 for p in phases if p.verb != 'remove' and not p.check)"
expect_record "all(t.existing_files == 0 for t in tests)"
expect_files ''

for engine in "${engines[@]}"; do
    # One damaged byte among many transfers in flight.
    queued 2 -a "$engine" --depth 32 -t 4k -b 1m -w -k -G 5
    expect_done
    place=$((1048576 + 77 * 4096 + 1234))
    flip_bit "$files/f" $place
    for order in "" -z; do
        rm -f "$result"
        # shellcheck disable=SC2086
        run 2 -a "$engine" --depth 32 $order -t 4k -b 1m -r -R -k -G 5 -o "$files/f" --result "$result"
        expect_exit 1
        expect_record "reading.wrong == 1 and reading.checked == 512"
        expect_record "[(m.kind, m.offset, m.bytes) for m in reading.mismatches] == [('flip', $place, 1)]"
    done

    # A sync behind each write, and at the end: they count as part of their writes, and they are made.
    queued 2 -a "$engine" --depth 8 -t 4k -b 64k -w -Y -F
    expect_done
    expect_record "written.bytes == 2 * 65536 and written.latency.total == 32"
    queued 2 -a "$engine" --depth 32 -t 4k -b 256k -w -e -F
    expect_done

    # A stonewall, and going round: no transfer is lost or counted twice.
    queued 2 -a "$engine" --depth 32 -t 4k -b 4g -w -F -D 0.3 --data none
    expect_done
    expect_record "written.stonewall and 0 < written.ops < 2**21 and written.bytes == 4096 * written.ops"
    expect_record "written.latency.total == written.ops == sum(written.series.ops)"
    queued 2 -a "$engine" --depth 32 -t 4k -b 64k -w -r -R -F -O minTimeDuration=0.2
    expect_done
    expect_record "written.ops > 32 and written.seconds >= 0.2 and reading.wrong == 0"

    # All ranks go on to the count of the furthest, with what it had in flight when it saw the deadline.
    queued 2 -a "$engine" --depth 32 -t 4k -b 4g -w -F -D 0.2 --data none -O stoneWallingWearOut=1
    expect_done
    expect_record "written.stonewall and written.ops % 2 == 0 and 0 <= written.ops // 2 - written.stonewall.ops_max <= 32"

    # The list of transfers has each of them.
    mkdir -p "$work/log"
    rm -f "$work/log"/*
    queued 2 -a "$engine" --depth 32 -t 4k -b 256k -w -z -O savePerOpDataCSV="$work/log/op"
    expect_done
    for rank in 0 1; do
        (($(wc -l <"$work/log/op-write-0-0000$rank.csv") == 64 + 1)) || fail "not 64 transfers are listed for rank $rank"
    done
done

# ---- errors that are injected while others are in flight ----

WEIR=$WEIR_TEST
for engine in "${engines[@]}"; do
    depth=32
    [[ $engine != libaio ]] || depth=8
    faulty() { # faulty EXIT OPTION...
        local code=$1
        shift
        queued 2 -a "fault:$engine" --depth $depth -w -r -R -t 4k -b 512k "$@"
        expect_exit "$code"
        expect_no_line '(nan|inf)'
    }

    # Short and interrupted ones are continued; late ones are waited for. (Rarely enough that the rest of a short one is
    # not cut to nothing.)
    faulty 0 --fault.every 64 --fault.short 1000
    expect_record "written.bytes == reading.bytes == 2**20 and written.short_transfers > 0 and reading.wrong == 0"
    faulty 0 -F --fault.every 5 --fault.errno EINTR
    expect_record "written.bytes == reading.bytes == 2**20 and reading.wrong == 0"
    faulty 0 -z --fault.every 3 --fault.late 5
    expect_record "written.bytes == reading.bytes == 2**20 and reading.wrong == 0"

    # One that fails ends the phase, with all that was in flight taken home.
    faulty 1 --fault.verb write --fault.at 50 --fault.errno EIO --fault.rank 1
    expect_record "written.outcome == 'partial' and written.errors >= 1"
    expect_record "'nput/output error' in written.failure and 'rank 1' in written.failure"
    expect_files ''
    faulty 1 -F --fault.verb read --fault.at 9 --fault.errno EIO
    expect_record "written.outcome == 'complete' and reading.outcome == 'partial' and reading.errors >= 1"
    expect_files ''

    # Syncs are really sent, each one and the last one.
    faulty 1 -Y --fault.verb sync --fault.at 3 --fault.errno EIO
    expect_record "written.errors >= 1 and written.outcome == 'partial'"
    faulty 1 -e --fault.sync EIO
    expect_record "written.errors >= 1"

    # A bit that the storage turns over.
    faulty 1 -z --fault.verb read --fault.every 16 --fault.flip
    expect_record "reading.wrong == 16 and all(m.kind == 'flip' for m in reading.mismatches)"
done

# ---- IOR's words ----

if [[ " ${engines[*]} " == *" libaio "* ]]; then
    queued 2 -a AIO --aio.max-pending=32 --aio.granularity=8 -w -r -R -t 4k -b 1m
    expect_done
    expect_line '^api +: AIO'
    expect_record "written.depth == 32 and written.batch == 8 and reading.wrong == 0"
fi
