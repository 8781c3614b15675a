#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Servers and clients that die or fall silent, and strangers who connect: what needs them fails in time and says whom it
# was about, and all else goes on.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=rdma_lib.sh
. "$(dirname "$0")/rdma_lib.sh"
mib=1048576
# The address sanitizer keeps what was freed, up to so much: no growth of ours.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=4"

# Four ranks with an object each, on one of two servers: for two seconds and more.
begin_slow_write() { # begin_slow_write PROVIDER OPTION...
    rm -f "$result"
    launch mpiexec -n 4 "$WEIR" ior -a RDMA --rdma.provider "$1" --rdma.hosts "$hosts" --rdma.secret-file "$secret" \
        --rdma.stripe-count 1 --rdma.timeout 2 -w -F -t 64k -b 6400k -O interIODelay=20000 -o /f --result "$result" \
        "${@:2}"
    wait_until 100 grep -qs '"record":"test"' "$result" || fail "the run does not begin"
    sleep 1
}

end_of_write() { # end_of_write SECONDS
    SECONDS=0
    end_of_run
    ((SECONDS <= $1)) || fail "it takes $SECONDS s until the run has ended"
}

# Ranks whose server is there have written all of theirs, the others what they could: a WRITE into memory that they share
# with a server that is no more is not noticed at once. Whose fault it was is said.
expect_partial() { # expect_partial ADDRESS ERROR
    expect_exit 1
    expect_record "written.outcome == 'partial' and written.errors > 0"
    expect_record "'$1' in written.failure and '/f.' in written.failure and '$2' in written.failure"
    expect_record "written.bytes >= 6400 * 1024 and written.bytes <= 4 * 6400 * 1024"
}

for provider in tcp shm; do
    # ---- a server that is killed
    start_daemon good "$provider"
    good=$daemon hosts=$address
    start_daemon killed "$provider"
    killed=$daemon
    hosts+=/$address
    begin_slow_write "$provider"
    kill -KILL "$killed"
    end_of_write 30
    expect_partial "$address" ''
    is_alive "$good" || fail "the other server has ended as well"

    # ---- one that says nothing any more
    start_daemon stopped "$provider"
    stopped=$daemon
    hosts=${hosts%%/*}/$address
    begin_slow_write "$provider" --rdma.mode pull
    kill -STOP "$stopped"
    end_of_write 40
    kill -CONT "$stopped"
    expect_partial "$address" 'timed out'
    end_daemon "$stopped" stopped

    # ---- a client that is killed in the middle of its writes
    end_daemon "$good" good # it has shards of objects whose names went with the others
    start_daemon good "$provider"
    good=$daemon hosts=$address
    for ((i = 0; i < 3; i++)); do
        rm -f "$work/killed.out"
        "$WEIR" ior -a RDMA --rdma.provider "$provider" --rdma.hosts "$hosts" --rdma.secret-file "$secret" -w -t 64k \
            -b 64m -i 1000 --depth 8 -o /killed >"$work/killed.out" 2>&1 </dev/null &
        client=$!
        daemons+=("$client")
        wait_until 100 grep -qE '^write ' "$work/killed.out" || fail "the client does not write: $(tail -n 3 "$work/killed.out")"
        ior_on 2 "$provider" -w -t 64k -b 4m -O interIODelay=5000 -k &
        other=$!
        sleep 0.4
        kill -KILL "$client"
        wait "$client" 2>/dev/null || true
        wait "$other" || fail "another client is disturbed"
        ior_on 2 "$provider" -r -R -t 64k -b 4m
        expect_done
        expect_record "reading.bytes == 8 * $mib and reading.wrong == 0"
        is_alive "$good" || fail "the server has ended"
    done

    # ---- thousands of connections that say nothing, and again when they are closed
    if [[ $provider == tcp ]]; then
        [[ $(ulimit -Hn) == unlimited ]] || (($(ulimit -Hn) >= 6500)) || fail "no 6500 descriptors can be had: ulimit -Hn"
        ulimit -Sn 6500
        python3 -B "$WEIR_ROOT/tests/mpi/rdma_handshake.py" "$hosts" 8 silent 6000 >"$work/silent.out" 2>&1 &
        silent=$!
        wait_until 100 grep -q ready "$work/silent.out" || fail "6000 connections cannot be made"
        came=$(python3 -B "$WEIR_ROOT/tests/mpi/rdma_handshake.py" "$hosts" 10 honest 200 "$secret")
        [[ ${came% *} == 200 ]] || fail "of 200 honest clients, ${came% *} were let in within 10 s, the last after ${came#* } s"
        ior_on 2 "$provider" -w -r -R -t 64k -b 1m
        expect_right $((2 * mib))
        wait "$silent" || fail "the silent ones end with $?"
    fi

    # ---- strangers
    memory_kib() { awk '/^VmRSS:/ { print $2 }' "/proc/$good/status"; }
    files_open() { find "/proc/$good/fd" -mindepth 1 | wc -l; }
    has_few_files() { (($(files_open) < 40)); }
    knock() { python3 -B "$WEIR_ROOT/tests/mpi/rdma_handshake.py" "${hosts%%/*}" "$@"; }
    # What all of them need is taken before it is looked at: the C library keeps it for the next ones.
    knock 0 connect 200 >/dev/null
    warm=$(knock 1) || fail "garbage stops the python"
    ior_on 2 "$provider" -w -r -R -t 64k -b 1m
    expect_right $((2 * mib))
    before=$(memory_kib)
    said=$(wc -l <"$work/good.err")
    came=$(knock 0 connect 1000) || fail "strangers cannot come and go"
    ((came >= 990)) || fail "only $came of 1000 strangers got in"
    came=$(knock 4) || fail "garbage stops the python"
    ((came > 50)) || fail "only $came strangers came with garbage"
    ior_on 2 "$provider" -w -r -R -t 64k -b 1m
    expect_right $((2 * mib))
    # Whoever says nothing is shown out after a while.
    wait_until 100 has_few_files || fail "$(files_open) files are still open"
    after=$(memory_kib)
    # Of tens of thousands, each a hundred bytes would be seen.
    ((after <= before + 4096)) || fail "the memory of the server grows from $before to $after KiB"
    (($(wc -l <"$work/good.err") - said <= 10)) || fail "the server says $(wc -l <"$work/good.err") lines"
    end_daemon "$good" good
    refused=$(sed -nE 's/.* ([0-9]+) strangers refused.*/\1/p' "$work/good.out")
    ((refused >= came + warm)) || fail "of $((1200 + came + warm)) strangers, $refused are counted"
done
