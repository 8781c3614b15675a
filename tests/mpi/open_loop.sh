#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Transfers at given times: half of what the storage can do is done in time, with response times that stay as they are; half
# as much again is not, which is told, and the backlog grows.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A storage that takes its time is the same on any machine: at most 1000 transfers per second and slot.
slow=(-a null --dummy.delay-xfer=1000 -w -t 4k)

open_loop() { # open_loop RANKS OPTION...
    rm -f "$result"
    run "$@" -o "$files/f" --result "$result"
    expect_done
}

done_per_s() { # of the first phase that moved data
    python3 -B - "$result" <<'END'
import json, sys
phase = next(r for r in map(json.loads, open(sys.argv[1], encoding="utf-8")) if r["record"] == "phase")
print(phase["ops"] / phase["windows"]["transfer_s"])
END
}

share_of() { # share_of RATE FRACTION
    awk -v rate="$1" -v share="$2" 'BEGIN { printf "%.3f\n", rate * share }'
}

percentile_ms() { # percentile_ms FRACTION: of the response
    python3 -B - "$result" "$1" <<'END'
import json, sys
phase = next(r for r in map(json.loads, open(sys.argv[1], encoding="utf-8")) if r["record"] == "phase")
left = float(sys.argv[2]) * phase["response"]["total"]
for low, count in phase["response"]["buckets"]:
    left -= count
    if left <= 0:
        break
print(round(low / 1e6))
END
}

finding="any(f.name == 'rate-not-sustained' for f in phases[0].findings)"
# Means of the backlog in both halves of the time in which transfers were due: behind it no more come, and it falls.
due="(lambda p: p.series.backlog[:max(2, int(p.pace.offered_s * 1e9 / p.series.interval_ns))])(phases[0])"
half="(lambda b: (sum(b[:len(b) // 2]) / (len(b) // 2), sum(b[len(b) // 2:]) / (len(b) - len(b) // 2)))($due)"

expect_in_time() { # expect_in_time RATE TOLERANCE: of the job
    expect_record "not $finding and abs(phases[0].pace.asked_per_s / $1 - 1) < 0.001"
    expect_record "abs(phases[0].ops / phases[0].seconds / $1 - 1) < $2"
    # Response times hold service times.
    expect_record "phases[0].response.total == phases[0].ops and phases[0].response.sum_ns >= phases[0].latency.sum_ns"
}

expect_too_much() {
    expect_record "$finding"
    expect_line 'rate-not-sustained'
    # The second half of the time has more that waits than the first, and the last has waited longest.
    expect_record "${half}[1] > 1.5 * ${half}[0] > 0"
    expect_record "phases[0].pace.end_lag_s > 0.5 * phases[0].pace.max_lag_s > 0"
    expect_record "phases[0].response.sum_ns > 2 * phases[0].latency.sum_ns"
}

paced() { # paced TOLERANCE ARRIVALS OPTION...: at half of the maximum, and half as much above it
    local tolerance=$1 arrivals=$2 maximum rate flat grown
    shift 2
    open_loop 2 "${slow[@]}" "$@"
    maximum=$(done_per_s)

    rate=$(share_of "$maximum" 0.5)
    open_loop 2 "${slow[@]}" "$@" --rate "$rate" --arrivals "$arrivals"
    expect_in_time "$rate" "$tolerance"
    flat=$(percentile_ms 0.99)

    rate=$(share_of "$maximum" 1.5)
    open_loop 2 "${slow[@]}" "$@" --rate "$rate" --arrivals "$arrivals"
    expect_too_much
    # Those of an overload grow with its length, up to a third of the time of the run; the others do not.
    grown=$(percentile_ms 0.99)
    ((flat * 3 <= grown)) || fail "99 % of the responses took up to $flat ms at half of the maximum, $grown ms above it"
}

once_in 4 paced 0.05 constant --depth 1 -b 1200k
# The sum of n random distances differs from its mean by 1 / sqrt(n): here less than 0.02; four times that, and what is above.
once_in 4 paced 0.13 poisson --depth 16 -b 12000k

# Per rank and per job, in transfers and in bytes: all the same load, 200 transfers per second of each of two ranks.
at_400() { # at_400 OPTION...
    open_loop 2 "${slow[@]}" --depth 4 -b 400k "$@"
    expect_in_time 400 0.05
}

for words in "--rate 400" "--rate 200 --rate-of rank" "--rate 1600k" "--rate 0.78125m --rate-of rank"; do
    # shellcheck disable=SC2086
    once_in 4 at_400 $words
done

# A closed loop has no response times of its own.
open_loop 1 "${slow[@]}" -b 40k
expect_record "phases[0].response is None and not phases[0].pace"

# ---- real transfers, which block or not ----

backends=(posix)
for engine in libaio uring; do
    ! "$WEIR" backends | grep -q "^$engine " || backends+=("$engine")
done

# Far below and far above what it can do, as this may be a busy machine.
real_loop() { # real_loop BACKEND PATH OPTION...
    local backend=$1 path=$2 maximum
    shift 2
    real_run "$backend" "$path" "$@"
    maximum=$(done_per_s)
    real_run "$backend" "$path" "$@" --rate "$(share_of "$maximum" 0.2)"
    expect_in_time "$(share_of "$maximum" 0.2)" 0.1
    real_run "$backend" "$path" "$@" --rate "$(share_of "$maximum" 3)"
    expect_record "$finding"
}

real_run() { # real_run BACKEND PATH OPTION...
    local backend=$1 path=$2 depth=()
    shift 2
    [[ $backend == posix ]] || depth=(--depth 16)
    rm -f "$result"
    run 1 -a "$backend" "${depth[@]}" -w -E -k -z -t 4k -b 16m -D 0.4 -O minTimeDuration=0.4 --data none -o "$path" \
        --result "$result" --overwrite "$@"
    expect_done
}

for backend in "${backends[@]}"; do
    once_in 4 real_loop "$backend" "$files/real"
done
