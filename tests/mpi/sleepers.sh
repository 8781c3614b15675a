#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Signals that end a run in order wake every sleep; a limit of file sizes is an error of writing like any other.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

starts() { [[ -s $result ]]; }

interrupted() { # interrupted SIGNAL OPTION...: of a run that sleeps for minutes
    local signal=$1 begin
    shift
    rm -f "$result"
    launch "$WEIR" "$@" -t 64k -b 1m -o "$files/f" --result "$result"
    wait_until 20 starts || fail "it does not start"
    sleep 0.3
    begin=$SECONDS
    kill "-$signal" "$launcher"
    end_of_run
    expect_exit 1
    ((SECONDS - begin < 60)) || fail "it ended $((SECONDS - begin)) s after the signal"
    expect_record "writes[-1].interrupted and writes[-1].outcome == 'partial'"
    expect_files ''
}

interrupted INT -w -r -O interIODelay=100000000
interrupted XCPU -w -a dummy --dummy.delay-xfer=100000000
interrupted USR2 -w -a dummy --dummy.delay-create=100000000
interrupted HUP -w -r -O interIODelay=100000000 -a libaio --depth 2
interrupted TERM -w -a dummy --dummy.delay-xfer=100000000 --depth 2

# Of several ranks that sleep between repetitions, one is told: the others do not sleep on.
rm -f "$result"
OMPI_MCA_odls_base_sigkill_timeout=0 launch mpiexec -n 2 "$WEIR" -w -t 64k -b 64k -i 2 -d 100 -o "$files/f" --result "$result"
wait_until 20 starts || fail "it does not start"
sleep 1
begin=$SECONDS
kill -TERM "$(pgrep -f -- "^$WEIR .*$result" | head -n 1)"
end_of_run
expect_exit 1
((SECONDS - begin < 60)) || fail "it ended $((SECONDS - begin)) s after the signal"
expect_files ''

# SIGXFSZ would kill; the write says EFBIG instead.
for api in posix mpiio; do
    rm -f "$result"
    OMPI_MCA_odls_base_sigkill_timeout=0 launch mpiexec -n 2 "$WEIR" -a "$api" -w -r -F -t 64k -b 64k -s 400 -O interIODelay=10000 -o "$files/f" --result "$result"
    wait_until 20 starts || fail "it does not start"
    for pid in $(pgrep -f -- "^$WEIR .*$result"); do
        prlimit --fsize=4000000 --pid "$pid"
    done
    end_of_run
    expect_exit 1
    expect_error 'write at offset [0-9]+ of .*: File too large'
    expect_record "written.outcome == 'partial' and written.errors >= 1 and written.bytes > 0"
    expect_files ''
done
