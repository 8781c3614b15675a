#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ranks that are killed or told to end while 128 writes are in flight: nobody hangs, and finished phases are kept.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

readonly timeout=30
way=
! can_bypass_cache || way=--direct

has_first_repetition() { (($(grep -c '"record":"phase"' "$result" 2>/dev/null || true) >= 1)); }
has_ended() { [[ $(ps -o stat= -p "$launcher") != [^Z]* ]]; }

# Each repetition writes its four MiB again and again for two seconds: the second one has not ended when the signal comes, even on a busy machine.
start_run() { # start_run ENGINE
    rm -f "$result"
    # shellcheck disable=SC2086
    launch mpiexec -n 2 "$WEIR" -a "$1" $way --depth 128 -w -z -t 4k -b 4m -i 20 -O minTimeDuration=2 -o "$files/f" \
        --result "$result"
    wait_until $timeout has_first_repetition || fail "the first repetition does not end"
    sleep 0.2
}

end_in_time() {
    if ! wait_until $timeout has_ended; then
        # shellcheck disable=SC2046
        kill -KILL $(ranks) "$launcher" || true
        fail "it still runs after $timeout seconds"
    fi
    end_of_run
}

expect_first_repetition_whole() {
    expect_record "writes[0].outcome == 'complete' and writes[0].ops >= 2048 and writes[0].depth == 128"
    expect_record "len([p for p in writes if p.outcome == 'complete']) < 20"
    python3 - "$result" <<'END' || fail "lines of the result file are not JSON"
import json, sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert lines.pop() == "" or True
for line in lines:
    json.loads(line)
END
    capture "$WEIR" report "$result" --format ior
    expect_done
    expect_line '^write '
}

for engine in libaio uring; do
    "$WEIR" backends | grep -q "^$engine " || continue

    # All ranks are told; one of them; and the launcher.
    for who in ranks one launcher; do
        [[ $engine == uring || $who == ranks ]] || continue
        start_run $engine
        mapfile -t ranks < <(ranks)
        case $who in
        ranks) kill -TERM "${ranks[@]}" ;;
        one) kill -TERM "${ranks[1]}" ;;
        launcher) kill -TERM "$launcher" ;;
        esac
        end_in_time
        ((status != 0)) || fail "the exit code is 0"
        if [[ $who != launcher ]]; then
            expect_exit 1
            expect_line 'interrupted'
            expect_record "writes[1].outcome == 'partial' and writes[1].interrupted"
            expect_files ''
        fi
        expect_first_repetition_whole
    done

    # One can say nothing any more, and then none.
    for count in 1 2; do
        [[ $engine == uring || $count == 1 ]] || continue
        start_run $engine
        mapfile -t ranks < <(ranks)
        kill -KILL "${ranks[@]:0:count}"
        end_in_time
        ((status != 0)) || fail "the exit code is 0"
        expect_first_repetition_whole
    done
done
