#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a person sees after a run, with every dialect: the verdict first, little else, and the verdict last if the run went wrong.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
export WEIR_DETAILS=0
unset WEIR_STRICT

# expect_block [WORD]: of the last run of $result, in what the command printed. WORD is that of its record, and expected if given.
expect_block() {
    "$WEIR_PYTHON" - "$out" "$result" "${1-}" <<'P' || fail "the block is not what a person can read"
import json, re, sys
words = ("WRONG DATA", "DO NOT USE", "PARTIAL", "UNVERIFIED", "CAUTION", "OK")
lines = open(sys.argv[1], encoding="utf-8", errors="replace").read().splitlines()
records = [json.loads(line) for line in open(sys.argv[2])]
ends = [r for r in records if r["record"] == "end"]
word, wanted = ends[-1]["believed"], sys.argv[3]
assert wanted in ("", word), (wanted, word)
# From the verdict on; "weir dd: ..." and such are before it.
first = next(i for i, line in enumerate(lines) if re.match("weir  (?:" + "|".join(words) + ")(?:  |$| [a-z])", line))
assert lines[first].startswith(f"weir  {word}"), (word, lines[first])
ours = [line for line in lines[first:] if line.startswith("weir")]
wide = [line for line in ours if len(line) > 100]
assert not wide, wide
assert not any("\t" in line or re.search(r"\(null\)|\bnan\b|-nan|\binf\b", line) for line in ours), ours
is_sweep = any("weir  sweep over" in line for line in ours)
table = ours.index("weir") if "weir" in ours else len(ours)
assert is_sweep == (table < len(ours)), ours
ends_badly = word in ("PARTIAL", "WRONG DATA")
block = [line for line in ours[:table] if not line.startswith("weir  expect ")]
if ends_badly and not is_sweep and len(block) > 1 and block[-1] == f"weir  {word}":
    block.pop()
# Reasons: the first line and those that are indented under it; a reason has two lines at most.
indent = f"weir  {' ' * len(word)}"
i, reasons = 1, [1 if len(block[0]) > len(indent) else 0]
while i < len(block) and (block[i].startswith(indent + " ") or block[i].startswith("weir    ")):
    if block[i].startswith(indent + " "):
        reasons.append(0)
    reasons[-1] += 1
    i += 1
assert len(reasons) <= 2 and max(reasons) <= 2, (reasons, block)
rows = [line for line in block[i:] if re.search(r"one measurement|median(?: of \d+)?,|  p50 ", line)]
assert len(rows) <= 8, rows
rest = [line for line in block[i:] if line not in rows]
if rest and re.match(r"weir  \d+ more: ", rest[0]):
    assert len(rows) == 8, block
    rest.pop(0)
assert 1 <= len(rest) <= 2 and re.match(r"weir  \d+(?: to \d+)? ranks?, ", rest[0]), rest
assert len(block) <= 2 * 2 + 8 + 1 + 2, block
if ends_badly:
    assert lines[-1] == f"weir  {word}" or lines[-1].startswith("weir  expect FAIL"), lines[-1]
P
}

job() { # job RANKS WORD...: a run that is done, whatever its figures are worth here
    rm -f "$result"
    run "$1" "${@:2}" --result "$result"
    expect_done
    expect_block
}

# ---- README's first run

job 2 -a POSIX -t 1m -b 64m -F -w -r -R -o "$files/weir-first"
if [[ $(stat -f -c %T "$files") != tmpfs ]]; then
    expect_block 'DO NOT USE'
    expect_line '^weir  (DO NOT USE|          )  write: .* still in memory when the write ended -> -e$'
    expect_line '^weir  (DO NOT USE|          )  read: .* in the page cache'
    (($(grep -c '^weir' "$out") <= 7)) || fail "the first run of the README has more than 7 lines of ours"
fi
# Options that were given are no remedies.
job 2 -a POSIX -t 64k -b 1m -F -w -r -e -i 3 --drop-caches files -o "$files/f"
expect_no_line '^weir.* -> .*(--drop-caches files| -e\b)'
expect_line '^weir  write .* MiB/s  median of 3, '

# ---- every dialect

mkdir "$files/t1" "$files/t2"
job 2 mdtest -n 20 -i 2 -d "$files/names"
job 2 md-workbench -D 2 -P 20 -I 10 -R 2 -o "$files/sets"
job 1 iozone -a -g 256k -n 128k -i 0 -i 1 -f "$files/io"
expect_line '^weir  [0-9]+ more: --details'
job 2 iozone -t 2 -s 1m -r 64k -i 0 -i 1 -i 2 -F "$files/io1" "$files/io2"
expect_line '^weir  (rewrite|reread) '
job 2 dd if=/dev/zero of="$files/dd%r" bs=64k count=16 conv=fsync
job 2 targets --size 1m --transfer 64k "$files/t1" "$files/t2"
expect_line "^weir  write .*t2 "
expect_line '^weir  1 to 2 ranks, '
job 2 sweep ranks=1,2 -- ior -w -r -F -t 64k -b 1m -o "$files/f"
expect_no_line '^(Summary|Max Write|write )'
expect_line '^weir  1 to 2 ranks, '
job 2 parabench "$WEIR_ROOT/docs/examples/create-index.pbl" iter=2 base="$files/olap"
job 2 net --provider tcp --size 64k --iterations 50
expect_line '^weir .* MB/s  one measurement  p50'
job 2 net --provider shm --test lat --size 8 --iterations 100 --repetitions 3
job 3 -a RDMA --rdma.targets 1 --rdma.provider tcp -w -r -t 64k -b 1m -o /o

# ---- what went wrong is the last line, too, and a condition that fails has the word

bad() { # bad WORD COMMAND...
    rm -f "$result"
    capture mpiexec -n 2 "$WEIR_TEST" "${@:2}" --result "$result"
    expect_exit 1
    expect_block "$1"
}
fault=(-a fault:posix -w -e -F -t 64k -b 1m -o "$files/f")
bad PARTIAL "${fault[@]}" --fault.verb=write --fault.rank=1 --fault.at=3 --fault.errno=ENOSPC
expect_line '^weir  PARTIAL  write: rank 1 on host .* write at offset 196608 of'
[[ $(tail -n 1 "$out") == 'weir  PARTIAL' ]] || fail "the last line of a partial run is not its verdict"
bad PARTIAL "${fault[@]}" --fault.verb=write --fault.rank=1 --fault.at=3 --fault.errno=ENOSPC --expect 'write.rate > 1MB/s'
tail -n 1 "$out" | grep -q '^weir  expect FAIL .* is PARTIAL$' || fail "a condition of a partial phase has not its verdict"
bad PARTIAL mdtest -a fault:posix -n 20 -F -d "$files/bad" --fault.verb=open --fault.rank=1 --fault.at=3 --fault.errno=ENOSPC
bad PARTIAL sweep ranks=1,2 -- ior "${fault[@]}" --fault.verb=write --fault.rank=1 --fault.at=3 --fault.errno=ENOSPC
[[ $(tail -n 1 "$out") == 'weir  PARTIAL' ]] || fail "the last line of a partial sweep is not its verdict"

rm -f "$result"
run 2 -w -k -t 64k -b 1m -o "$files/wrong"
flip_bit "$files/wrong" 300000
run 2 -r -R -t 64k -b 1m -o "$files/wrong" --result "$result"
expect_exit 1
expect_block 'WRONG DATA'
[[ $(tail -n 1 "$out") == 'weir  WRONG DATA' ]] || fail "the last line of wrong data is not its verdict"

# A rank that is killed: the record says so.
rm -f "$result"
launch mpiexec -n 2 "$WEIR" -w -F -t 64k -b 64m -i 1000 -o "$files/killed" --result "$result"
wait_until 60 grep -q '"record":"phase"' "$result" || fail "the run has not begun"
signal_ranks KILL
end_of_run
capture "$WEIR" report "$result" --format verdict
expect_line '^weir  .*  the run has no end: it was killed, or is still running$'
word=$(sed -n '1s/^\(weir  [A-Z ]*[A-Z]\).*/\1/p' "$out")
capture "$WEIR" report "$result"
[[ $word && $(tail -n 1 "$out") == "$word" ]] || fail "the last line of a killed run is not its verdict"
