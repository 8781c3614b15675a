#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Servers as daemons: found by a file, asked for a secret, they keep data from run to run, and end when they are told to.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=rdma_lib.sh
. "$(dirname "$0")/rdma_lib.sh"
mib=1048576
servers=$work/servers
advertised() { [[ -s $servers ]] && (($(wc -l <"$servers") == $1)); }

for provider in tcp shm; do
    # ---- two of them, found by a file
    rm -f "$servers"
    start_daemon one "$provider" --advertise "$servers"
    one=$daemon first=$address
    start_daemon two "$provider" --advertise "$servers"
    two=$daemon
    hosts=$first/$address
    advertised 2 || fail "the file names not two servers: $(cat "$servers")"
    grep -qx "$first" "$servers" || fail "$first is not in the file"

    rm -f "$result"
    run 2 ior -a RDMA --rdma.provider "$provider" --rdma.hosts-file "$servers" --rdma.secret-file "$secret" \
        -w -k -e -t 64k -b 1m -s 2 -o /f --result "$result"
    expect_done
    expect_record "written.bytes == 4 * $mib and '2 servers' in written.enabled_features"

    # ---- the data outlive the run, and are found by other clients in other numbers
    ior_on 4 "$provider" -r -R -k -t 64k -b 1m -C
    expect_done
    expect_record "reading.bytes == 4 * $mib and reading.checked == 64 and reading.wrong == 0"
    ior_on 1 "$provider" -w -r -R -F -t 64k -b 1m --depth 8
    expect_right $mib

    # ---- who does not know the secret gets nothing, and the server says so once
    cp "$secret" "$work/right"
    head -c 32 /dev/urandom | base64 >"$secret"
    for ((i = 0; i < 3; i++)); do
        ior_on 2 "$provider" -r -t 64k -b 1m
        ((status != 0)) || fail "another secret is as good"
    done
    grep -q secret "$err" || fail "the client is not told that it is the secret"
    is_alive "$one" || fail "the server has ended"
    (($(grep -c . "$work/one.err") <= 2)) || fail "the server says too much: $(head -n 5 "$work/one.err")"
    cp "$work/right" "$secret"

    # ---- a secret that others can read is none
    chmod 644 "$secret"
    ior_on 1 "$provider" -r -t 64k -b 1m
    ((status >= 2)) || fail "a secret for all to read is taken"
    expect_error 'secret'
    capture "$WEIR" serve --secret-file "$secret" --provider "$provider" --idle 1
    ((status >= 2)) || fail "a secret for all to read is served"
    expect_error 'secret'
    chmod 600 "$secret"
    ior_on 2 "$provider" -r -R -k -t 64k -b 1m -s 2
    expect_done

    # ---- the end: in order, and whoever comes afterwards is told in time
    end_daemon "$one" one TERM
    advertised 1 || fail "the server that has ended is still in the file"
    grep -qE 'Terminated: [0-9]+ .*, [1-9][0-9]* strangers' "$work/one.out" ||
        fail "the totals are not told: $(tail -n 1 "$work/one.out")"
    end_daemon "$two" two INT
    [[ ! -e $servers ]] || fail "a file without servers is left"
    SECONDS=0
    ior_on 2 "$provider" -r -t 64k -b 1m
    ((status != 0 && SECONDS < 60)) || fail "nobody is there, and that takes $SECONDS s"
    grep -qE "$first|${hosts#*/}" "$err" || fail "it is not said which server is not there"
done

# ---------------------------------------------------------------- when it ends by itself

start_daemon once tcp --once
once=$daemon hosts=$address
sleep 0.5
is_alive "$once" || fail "a server without a client yet has ended"
ior_on 2 tcp -w -r -R -t 64k -b 1m
expect_right $((2 * mib))
wait_until 100 is_gone "$once" || fail "the last client has left, and the server has not ended"
wait "$once" || fail "the server ends with $?"

start_daemon idle tcp --idle 1
wait_until 100 is_gone "$daemon" || fail "the server is idle, and has not ended"
wait "$daemon" || fail "the server ends with $?"

# ---------------------------------------------------------------- ranks of a launcher

rm -f "$servers"
mpiexec -n 2 "$WEIR" serve --secret-file "$secret" --provider tcp --listen 127.0.0.1 --capacity 64m --once \
    --back "$files/back.%d" --advertise "$servers" >"$work/ranks.out" 2>&1 </dev/null &
launcher=$!
daemons+=("$launcher")
command_line="mpiexec -n 2 weir serve"
wait_until 100 advertised 2 || fail "two ranks do not serve: $(cat "$work/ranks.out")"
hosts=$(paste -sd/ "$servers")
ior_on 2 tcp -w -r -R -e -t 64k -b 1m
expect_right $((2 * mib))
expect_record "'storage' in written.enabled_features"
wait "$launcher" || fail "the ranks end with $?: $(cat "$work/ranks.out")"
expect_files back.0 back.1
# What was synced is in the files behind them: a block of the object in each.
for file in "$files"/back.*; do
    (($(stat -c %s "$file") == 64 * mib + 4096)) || fail "$file is not as large as the memory and a stamp"
    cmp -s -n $((64 * mib)) "$file" /dev/zero && fail "$file is empty"
done

# ---------------------------------------------------------------- what is refused

serve() { capture "$WEIR" serve "$@"; }
serve --provider tcp
expect_exit 2
expect_error 'serve: --secret-file'
serve --secret-file "$work/none"
((status >= 2)) || fail "a secret that is not there is served"
start_daemon here tcp
serve --secret-file "$secret" --provider tcp --listen "$address"
expect_exit 3
expect_error "$address"
serve --secret-file "$secret" --provider tcp --listen 127.0.0.1 --capacity 1m --idle 1 --back /proc/none/file
((status >= 2)) || fail "a file that cannot be made is behind the memory"
end_daemon "$daemon" here

# ---- addresses that no server has
for bad in 127.0.0.1:99999 127.0.0.1:-1 127.0.0.1:port none.invalid:7471; do
    serve --secret-file "$secret" --provider tcp --listen "$bad" --idle 1
    expect_exit 2
    expect_error "serve: --listen: \"$bad\""
done
for bad in 127.0.0.1:0 127.0.0.1:99999 127.0.0.1:-1 127.0.0.1:port none.invalid:7471; do
    hosts=$bad
    ior_on 2 tcp -w -t 64k -b 64k
    expect_exit 2
    expect_error "--rdma.hosts: \"$bad\""
    printf '# servers\n%s\n' "$bad" >"$servers"
    run 1 ior -a RDMA --rdma.hosts-file "$servers" --rdma.secret-file "$secret" -w -t 64k -b 64k -o /f
    expect_exit 2
    expect_error "--rdma.hosts-file: $servers:2: \"$bad\""
done
printf '127.0.0.1:7471\n127.0.0.1:74\00072\n127.0.0.1:7473\n' >"$servers"
run 1 ior -a RDMA --rdma.hosts-file "$servers" --rdma.secret-file "$secret" -w -t 64k -b 64k -o /f
expect_exit 2
expect_error "--rdma.hosts-file: $servers:2: .*zero byte"

# ---- nobody learns where it is
rm -f "$servers"
command_line="weir serve >/dev/full"
for words in "" "--advertise $servers"; do
    status=0
    # shellcheck disable=SC2086 # two words
    timeout 60 "$WEIR" serve --secret-file "$secret" --provider tcp --listen 127.0.0.1 --capacity 1m $words >/dev/full 2>"$err" || status=$?
    expect_exit 3
    expect_error 'standard output cannot be written'
    [[ ! -e $servers ]] || fail "a server that has ended is still in the file"
done

# ---- an address that cannot be written is refused before anything is served
for path in "$work/none/servers" "$work" /dev/null/servers; do
    capture timeout 60 "$WEIR" serve --secret-file "$secret" --provider tcp --listen 127.0.0.1 --capacity 1m --advertise "$path"
    expect_exit 2
    expect_error "serve: --advertise: $path"
    [[ ! -s $out ]] || fail "it has served: $(<"$out")"
done

# ---- a lock that another process holds does not make it deaf
printf '127.0.0.1:7471\n' >"$servers"
"$WEIR_PYTHON" -c 'import fcntl, sys, time
file = open(sys.argv[1], "r+")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(600)' "$servers" >"$work/holder" &
holder=$!
daemons+=("$holder")
wait_until 100 grep -q locked "$work/holder"
"$WEIR" serve --secret-file "$secret" --provider tcp --listen 127.0.0.1 --capacity 1m --advertise "$servers" >"$out" 2>"$err" &
daemon=$!
daemons+=("$daemon")
wait_until 100 grep -q "another process has locked $servers" "$err" || fail "the wait is not reported"
kill -TERM "$daemon"
status=0
wait "$daemon" || status=$?
expect_exit 0
[[ $(<"$servers") == 127.0.0.1:7471 ]] || fail "the file has changed: $(<"$servers")"
kill "$holder"
