#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every row of docs/exit-codes.md is provoked: the command returns that code, and says why where it is not 0. The table of codes
# is the one that the program prints.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

readonly page=$WEIR_ROOT/docs/exit-codes.md
diff <(sed -nE 's/^\| ([0-9]) \| (.*) \|$/\1  \2/p' "$page") <(capture "$WEIR" help exit-codes; grep -E '^[0-9]' "$out") ||
    fail "the codes of the page are not those of weir help exit-codes"
capture "$WEIR" help exit-codes
grep -qF "$(sed -nE 's/^Where several hold, the first of these is returned: (.*)\.$/\1/p' "$page")." "$out" || fail "another order"

declare -A provoked
row() { # row CODE IF COMMAND...: of the command that $of names
    local code=$1 if=$2
    shift 2
    provoked["$of|$code|$if"]=1
    capture "$@"
    expect_exit "$code"
    ((code == 0)) || [[ -s $err ]] || fail "nothing says why"
}
reason() { # reason CODE REGEX: of the record of the last run
    expect_record "end.exit_code == $1"
    expect_record "(end.exit_reason or '') == '' if $1 == 0 else __import__('re').search(r'${2-}', end.exit_reason)"
}
printf 'repeat $i 2 { $f = fopen("p$$rank", "O_RDWR|O_CREAT"); fclose($f); }\n' >p.pbl
mkdir t1 t2
head -c 32 /dev/urandom | base64 >secret
chmod 600 secret
small=(-t 64k -b 64k -k -o f)
slow=(-w -t 64k -b 64m --rate 10 -k -o slow)
kept=(--result "$result")

# ---------------------------------------------------------------- runs
of='ior, mdtest, md-workbench, iozone, dd, parabench, targets, sweep'
for words in "ior -w ${small[*]}" 'mdtest -n 4 -d names' 'md-workbench -D 1 -I 2 -P 2 -R 1 -S 4096 -o sets' 'iozone -s 64k -r 16k -i 0 -f z' \
    'dd if=/dev/zero of=x bs=4k count=4' 'parabench p.pbl' 'targets t1 t2 --alone-only --size 256k --transfer 64k -i 1' 'sweep transfer=32k,64k -- ior -w -b 64k -o s'; do
    # shellcheck disable=SC2086
    row 0 'all phases are complete, and no condition of --expect fails' "$WEIR" $words "${kept[@]}"
    reason 0
    rm -f "$result"
done
row 1 'an operation failed, or data were wrong' "$WEIR_TEST" ior -a fault:posix -w -t 64k -b 1m -k -o f --fault.verb write --fault.at 5 --fault.errno EIO "${kept[@]}"
reason 1 '^write 0: .*Input/output error'
rm -f "$result"
row 1 'a signal, --stop-before or --give-up ended the run' timeout --preserve-status -s TERM 2 "$WEIR" ior "${slow[@]}" "${kept[@]}"
reason 1 '^write 0: interrupted'
rm -f "$result"
for words in "ior -w ${small[*]} --expect rate>=1000TB/s" 'mdtest -n 4 -d names --expect ops>=1T/s' 'dd if=/dev/zero of=x bs=4k count=4 --expect rate>=1000TB/s' \
    'sweep transfer=32k,64k -- ior -w -b 64k -o s --expect rate>=1000TB/s'; do
    # shellcheck disable=SC2086
    row 1 'a condition of --expect does not hold' "$WEIR" $words "${kept[@]}"
    reason 1 '^--expect: (rate|ops)>=1'
    rm -f "$result"
done
row 1 '--warningAsErrors: a warning; --strict: a warning, or a finding that voids a figure' "$WEIR" ior -w "${small[@]}" -O warningAsErrors=1 "${kept[@]}"
reason 1 'a warning'
rm -f "$result"
row 2 'an option, a script or a target is refused' "$WEIR" ior -w "${small[@]}" --nonsense
row 2 'an option, a script or a target is refused' "$WEIR" ior -w -t 64k -b 64k -o t1
row 2 'a figure or a phase of --expect does not exist' "$WEIR" ior -w "${small[@]}" --expect 'speed >= 1GB/s'
row 2 'a figure or a phase of --expect does not exist' "$WEIR" ior -w "${small[@]}" --expect 'read.rate >= 1GB/s'
[[ ! -e $result ]] || fail "a refused run left a result file"
row 3 'MPI, a backend, a device or memory is not available' "$WEIR" ior -a RDMA --rdma.hosts 127.0.0.1:1 --rdma.secret-file secret -w -t 64k -b 64k -o /f
row 3 'a script cannot be read, or the report cannot be written' "$WEIR" ior -f no-such-script
row 3 'a script cannot be read, or the report cannot be written' bash -c "'$WEIR' ior -w ${small[*]} >/dev/full"

# ---------------------------------------------------------------- net and serve
of=net
net=(net --provider tcp --duration 0.05 --warm-up 0)
row 0 'all flows are measured' mpiexec -n 2 "$WEIR" "${net[@]}" --format json
grep -q '"exit_reason": null' "$out" || fail "a reason for the exit code 0"
row 1 '--strict: a warning, or a finding that voids a figure' mpiexec -n 2 "$WEIR" "${net[@]}" --strict --format json
grep -q '"exit_reason": "--strict' "$out" || fail "no reason"
waited=0
launch mpiexec -n 2 "$WEIR" net --provider tcp --duration 30 "${kept[@]}"
until grep -q '"record":"network"' "$result" 2>/dev/null || (($(ranks | wc -l) == 2 && ++waited > 20)); do sleep 0.1; done
signal_ranks INT
end_of_run
expect_exit 1
expect_error 'exit code 1: interrupted'
provoked["$of|1|a flow failed, or a signal ended the run"]=1
row 1 'a condition of --expect does not hold' mpiexec -n 2 "$WEIR" "${net[@]}" --expect 'rate >= 1000TB/s' --format json
grep -q '"exit_reason": "--expect: rate >= 1000TB/s: bandwidth of 64k ' "$out" || fail "no reason"
row 1 'a condition of --expect does not hold' mpiexec -n 2 "$WEIR" "${net[@]}" --expect 'rate >= 1000TB/s' "${kept[@]}"
tail -n 1 "$out" | grep -q '^weir  expect FAIL  rate >= 1000TB/s: ' || fail "the reason is not the last line"
expect_record "end.exit_code == 1 and end.exit_reason.startswith('--expect: rate')"
row 1 'a condition of --expect does not hold' "$WEIR" report "$result" --format csv-long --expect 'rate >= 1000TB/s'
rm -f "$result"
row 2 'an option is refused' "$WEIR" net --nonsense
row 2 'a figure or a phase of --expect does not exist' mpiexec -n 2 "$WEIR" "${net[@]}" --expect 'read.rate >= 1GB/s' "${kept[@]}"
row 2 'a figure or a phase of --expect does not exist' mpiexec -n 2 "$WEIR" "${net[@]}" --test lat --expect 'rate >= 1GB/s' "${kept[@]}"
[[ ! -e $result ]] || fail "a refused run left a result file"
row 3 'the report or the result file cannot be written' bash -c "mpiexec -n 2 '$WEIR' ${net[*]} --result /dev/full"
rm -f "$result"
of=serve
serve=(serve --secret-file secret --provider tcp --interface lo --capacity 1m)
row 0 'a signal, --once or --idle ended the server' "$WEIR" "${serve[@]}" --idle 0.2
row 2 'an option is refused' "$WEIR" serve --nonsense
row 3 'an address, a device or memory is not available' "$WEIR" serve --secret-file secret --provider tcp --listen 192.0.2.1:9 --idle 0.2

# ---------------------------------------------------------------- result files
capture "$WEIR" ior -w "${small[@]}" "${kept[@]}"
of=report
row 0 'the report is printed, whatever the run returned' "$WEIR" report "$result"
row 1 'a condition of --expect does not hold' "$WEIR" report "$result" --expect 'rate >= 1000TB/s'
row 2 'an option is refused, or the file does not have the run' "$WEIR" report "$result" --nonsense
row 2 'an option is refused, or the file does not have the run' "$WEIR" report "$result" --run 7
row 2 'a figure or a phase of --expect does not exist' "$WEIR" report "$result" --expect 'read.rate >= 1GB/s'
row 2 'a figure or a phase of --expect does not exist' "$WEIR" report no-such-file --expect 'speed >= 1'
row 3 'the file cannot be read, is damaged, or holds no run' "$WEIR" report no-such-file
row 3 'the file cannot be read, is damaged, or holds no run' "$WEIR" report p.pbl
sed '1s/"tests"/"damaged"/' "$result" >damaged
for format in csv csv-long json-long verdict markdown junit tap; do
    row 3 'the file cannot be read, is damaged, or holds no run' "$WEIR" report damaged --format "$format"
    [[ ! -s $out ]] || fail "something is printed of a file in which nothing can be read"
done
row 3 'the file cannot be read, is damaged, or holds no run' "$WEIR" report damaged --expect 'errors = 0'
row 3 'the file cannot be read, is damaged, or holds no run' bash -c "'$WEIR' report '$result' >/dev/full"
row 0 'the report is printed, whatever the run returned' bash -c "cat '$result' damaged >both; '$WEIR' report both --run all --format csv"
expect_error '^weir: both: [0-9]+ lines are damaged or cut off, and left out'
if "$WEIR" help compare >/dev/null 2>&1; then
    for i in 1 2 3; do
        "$WEIR" ior -w "${small[@]}" --measure cache --result a >/dev/null
        "$WEIR" ior -w "${small[@]}" --measure cache --result b >/dev/null
    done
    of=compare
    row 2 'an option is refused, or a run is compared with itself' "$WEIR" compare a -- a
    row 3 'a file cannot be read, or no row is matched or decided' "$WEIR" compare a -- no-such-file
    row 3 'a file cannot be read, or no row is matched or decided' "$WEIR" compare a -- damaged
    row 3 'a file cannot be read, or no row is matched or decided' "$WEIR" compare damaged -- a --allow-unsure
    row 3 'a file cannot be read, or no row is matched or decided' "$WEIR" compare a --run 1 -- b --run 1
    tail -n 1 "$out" | grep -q 'exit 3: ' || fail "the reason is not the last line"
    capture "$WEIR" compare a --run 1 -- b --run 1 --allow-unsure
    expect_exit 0
fi
if "$WEIR" help export >/dev/null 2>&1; then
    of=export
    row 0 'all runs are in the database' "$WEIR" export sqlite "$result" -o site.db
    row 2 'an option is refused' "$WEIR" export sqlite "$result"
    row 3 'a file cannot be read, written or locked' "$WEIR" export sqlite no-such-file -o site.db
fi

# ---------------------------------------------------------------- make and set -e
printf 'gate:\n\t@"%s" report "%s" --expect "rate >= 1000TB/s"\n' "$WEIR" "$result" >Makefile
capture make -s
expect_exit 2
tail -n 1 "$out" | grep -q '^weir  expect FAIL  rate >= 1000TB/s: ' || fail "make hides the reason"
expect_error '^weir: --expect: rate >= 1000TB/s: '
# shellcheck disable=SC2016
capture bash -ec '"$1" report "$2" --expect "rate >= 1000TB/s"; echo not reached' - "$WEIR" "$result"
expect_exit 1
tail -n 1 "$out" | grep -q '^weir  expect FAIL  rate >= 1000TB/s: ' || fail "set -e hides the reason"
# shellcheck disable=SC2016
capture bash -ec '"$1" ior -w -t 64k -b 64k -k -o f --expect "rate >= 1000TB/s"; echo not reached' - "$WEIR"
expect_exit 1
tail -n 1 "$out" | grep -q '^weir  expect FAIL  rate >= 1000TB/s: ' || fail "the reason is not the last line of a run"

# ---------------------------------------------------------------- pages
of=doctor
row 0 'the host is examined, whatever is missing' "$WEIR" doctor
row 2 'an option is refused' "$WEIR" doctor --nonsense
row 3 'the page cannot be written' bash -c "'$WEIR' doctor >/dev/full"
of=topology
row 0 'the host is drawn' "$WEIR" topology
row 2 'an option is refused' "$WEIR" topology --nonsense
row 3 'a topology cannot be read, or the page not written' "$WEIR" topology --xml no-such-file
row 3 'a topology cannot be read, or the page not written' bash -c "'$WEIR' topology >/dev/full"
of='backends, compat, help, version'
for words in backends 'compat dd' 'help resident' version; do
    # shellcheck disable=SC2086
    row 0 'the page is printed' "$WEIR" $words
    row 3 'the page cannot be written' bash -c "'$WEIR' $words >/dev/full"
done
for words in 'backends nonsense' 'compat nonsense' 'help nonsense'; do
    # shellcheck disable=SC2086
    row 2 'a word is refused' "$WEIR" $words
done

# ---------------------------------------------------------------- nothing is left
command=
while IFS='|' read -r of code if; do
    command=${of:-$command}
    [[ -z ${provoked["$command|$code|$if"]-} ]] || continue
    # Rows of weir compare are also rows of its own test.
    [[ $command == compare || $command == export ]] || fail "no test for: $command, $code: $if"
done < <(sed -nE '/^\| command/,$s/^\| *(.*) \| ([0-9]) \| (.*) \|$/\1|\2|\3/p' "$page" | sed -E 's/^ *\|/|/')
