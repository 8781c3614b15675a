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
# hold.py FILE OFFSET BYTES READY: a write lock on the range until this process is ended
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, int(sys.argv[3]), int(sys.argv[2]))
    open(sys.argv[4], "w").close()
    time.sleep(3600)
END

hold_range() { # hold_range OFFSET BYTES: somebody has a range of $files/f; sets $holder
    rm -f "$work/ready" "$result"
    python3 "$hold" "$files/f" "$1" "$2" "$work/ready" &
    holder=$!
    wait_until 60 test -e "$work/ready" || fail "nobody holds the lock"
}

let_go() {
    [[ ${holder-} ]] || return 0
    kill "$holder" 2>/dev/null || true
    wait "$holder" 2>/dev/null || true
    holder=
}

has_ended() { ! kill -0 "$launcher"; }

# What a process that waits for a lock has as its line of /proc/locks.
is_waiting() { grep -qs -- "$waiter" /proc/locks; }

read_file() { # read_file OPTION...: in the background
    launch "$WEIR" -t 64k -b 512k -r -k -E -o "$files/f" --result "$result" "$@"
}

run 1 -t 64k -b 512k -w -k -o "$files/f"
expect_done

# A transfer whose range somebody has waits until it is free: the lock is held for a second from when the run waits for it.
hold_range $((3 * 65536 + 100)) 4096
read_file --posix.rangelocks
waiter="-> POSIX .* $launcher .*:$(stat -c %i "$files/f")"
wait_until 60 is_waiting || fail "nobody waits for the lock"
sleep 1
! has_ended || fail "the run ended, and the lock was held"
let_go
end_of_run
expect_done
expect_record "reading.seconds >= 1 and reading.errors == 0"

# Without the option, and where the range is another one, the run ends while the lock is held.
for option in '--posix.odirect=0' --posix.rangelocks; do
    [[ $option == --posix.rangelocks ]] && offset=$((512 * 1024)) || offset=$((3 * 65536 + 100))
    hold_range "$offset" 4096
    read_file "$option"
    wait_until 120 has_ended || {
        kill -KILL "$launcher" "$holder"
        fail "with $option the run waits for a lock that it does not need"
    }
    kill -0 "$holder" || fail "the holder of the lock is gone"
    end_of_run
    let_go
    expect_done
done

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
end_by_signal() { # end_by_signal WAITER OPTION: a pattern of the line of who waits in /proc/locks
    hold_range $((3 * 65536)) 4096
    read_file "$2"
    waiter=${1//PID/$launcher}:$(stat -c %i "$files/f")
    wait_until 60 is_waiting || fail "nobody waits for the lock"
    kill -INT "$launcher"
    wait_until 60 has_ended || {
        kill -KILL "$launcher" "$holder"
        fail "the run waits for the lock after the signal"
    }
    end_of_run
    let_go
    expect_exit 1
    expect_line 'Interrupted system call'
}

end_by_signal '-> POSIX .* PID .*' --posix.rangelocks
expect_record "reading.outcome == 'partial' and reading.interrupted and reading.bytes == 3 * 65536"
end_by_signal '-> OFDLCK .*' --posix.filelock
expect_record "reading.errors == 1 and reading.bytes == 0"
