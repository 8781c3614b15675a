#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Locks of ranges and of whole files: data is right with them, and a transfer or an open waits for whoever else has the lock.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

for option in '' -F -z '-C -e'; do
    rm -f "$result"
    # shellcheck disable=SC2086
    run 2 --posix.rangelocks -t 64k -b 512k -s 2 -w -W -r -R $option -o "$files/f" --result "$result"
    expect_done
    expect_record "written.errors == 0 and reading.wrong == 0 and reading.checked == 32 and checking.wrong == 0"
done

hold=$work/hold.py
cat >"$hold" <<'END'
import fcntl, os, sys, time
# hold.py FILE OFFSET BYTES SECONDS READY: a write lock on the range for so long
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, int(sys.argv[3]), int(sys.argv[2]))
    open(sys.argv[5], "w").close()
    time.sleep(float(sys.argv[4]))
END

slowest() { # slowest API LOCK-OFFSET OPTION...: reads while somebody has a range for 5 s; sets $longest_ms
    local api=$1 offset=$2 holder
    shift 2
    rm -f "$work/ready" "$result"
    python3 "$hold" "$files/f" "$offset" 4096 5 "$work/ready" &
    holder=$!
    wait_until 20 test -e "$work/ready" || fail "nobody holds the lock"
    run 1 -a "$api" -t 64k -b 512k -r -k -E -o "$files/f" --result "$result" "$@"
    longest_ms=$(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    if record["record"] == "phase" and record["verb"] == "read":
        print(record["windows"]["transfer_s"] * 1000 // 1)' "$result")
    longest_ms=${longest_ms%.*}
    kill "$holder" 2>/dev/null || true
    wait "$holder" 2>/dev/null || true
    expect_done
}

run 1 -t 64k -b 512k -w -k -o "$files/f"
expect_done
slowest POSIX $((3 * 65536 + 100)) --posix.rangelocks
((longest_ms >= 1000)) || fail "the transfers took $longest_ms ms, so nobody waited for the lock"
slowest POSIX $((3 * 65536 + 100))
((longest_ms < 4000)) || fail "without the option the transfers took $longest_ms ms"
slowest POSIX $((512 * 1024)) --posix.rangelocks
((longest_ms < 4000)) || fail "the transfers took $longest_ms ms, and nobody held what they locked"

# Whole files: of each rank while it writes and reads, and of all ranks that only read.
for option in '-w -r -R -F' '-w -r -R -F -z -e'; do
    # shellcheck disable=SC2086
    run 2 --posix.filelock -t 64k -b 512k -s 2 $option -o "$files/whole"
    expect_done
done
run 2 --posix.filelock -t 64k -b 256k -r -k -E -o "$files/f"
expect_done
rm -f "$result"
run 2 --posix.filelock -t 64k -b 256k -w -o "$files/shared" --result "$result"
expect_exit 1
expect_line 'give each a file of its own'
[[ ! -e $files/shared ]] || fail "the file that could not be locked is there"

# A signal ends the wait for a lock, and the run with it, long before the lock is given.
has_ended() { ! kill -0 "$launcher"; }
end_by_signal() { # end_by_signal WAITER OPTION: a pattern of the line of who waits in /proc/locks
    local holder

    rm -f "$work/ready" "$result"
    python3 "$hold" "$files/f" $((3 * 65536)) 4096 60 "$work/ready" &
    holder=$!
    wait_until 20 test -e "$work/ready" || fail "nobody holds the lock"
    launch "$WEIR" "$2" -t 64k -b 512k -r -k -E -o "$files/f" --result "$result"
    is_waiting() { grep -qs -- "$waiter" /proc/locks; }
    waiter=${1//PID/$launcher}:$(stat -c %i "$files/f")
    wait_until 20 is_waiting || fail "nobody waits for the lock"
    kill -INT "$launcher"
    wait_until 20 has_ended || {
        kill -KILL "$launcher" "$holder"
        fail "the run waits for the lock after the signal"
    }
    end_of_run
    kill "$holder" 2>/dev/null || true
    wait "$holder" 2>/dev/null || true
    expect_exit 1
    expect_line 'Interrupted system call'
}

end_by_signal '-> POSIX .* PID .*' --posix.rangelocks
expect_record "reading.outcome == 'partial' and reading.interrupted and reading.bytes == 3 * 65536"
end_by_signal '-> OFDLCK .*' --posix.filelock
expect_record "reading.errors == 1 and reading.bytes == 0"
