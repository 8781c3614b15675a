#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What may happen to a run of iozone's tests, of which the original says nothing or ends with 0: the file system is full, a file
# is short, missing, another one's or damaged, a rank is killed, the user ends it. No number is printed that was not measured.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$files"

iozone() { # iozone RANKS OPTION...
    local ranks=$1
    shift
    rm -f "$result"
    capture timeout 300 mpiexec -n "$ranks" "$WEIR" iozone "$@" --result "$result"
}

full() { # full: a small file system, which only this shell sees
    mount -t tmpfs -o size=6m tmpfs "$files"
    cd "$files"
    iozone 2 -i 0 -i 1 -t 2 -s 4m -r 64k
    expect_exit 1
    expect_error 'No space left'
    expect_no_line 'for +2 readers'
    ! grep -E 'Min throughput.*[1-9]' "$out" || fail "a rank that failed has a rate"
    expect_files
    # The removal of these files is a phase of a later test, through stdio, which is not reached.
    for words in '-a -g 64m -f f' '-s 64m -i 0 -i 6 -f f' '-t 1 -s 64m -i 0 -i 6'; do
        # shellcheck disable=SC2086
        iozone 1 $words
        expect_exit 1
        expect_no_line 'iozone test complete'
        expect_files
    done
    iozone 1 -s 64m -i 0 -i 6 -f f -w
    expect_exit 1
    expect_files f
    cd "$work"
    umount "$files"
}
if [[ ${1-} == full ]]; then
    full
    exit
fi
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    unshare -m bash "$0" full || exit 1
fi

# ---------------------------------------------------------------- files

iozone 2 -i 0 -w -t 2 -s 1m -r 64k
expect_done
expect_files iozone.DUMMY.0 iozone.DUMMY.1

# Another one's file is not written over, and stays as it is.
mv iozone.DUMMY.1 "$work/kept"
echo precious >iozone.DUMMY.1
iozone 2 -i 0 -w -t 2 -s 1m -r 64k
((status != 0)) || fail "a foreign file was written over"
[[ $(cat iozone.DUMMY.1) == precious ]] || fail "a foreign file was touched"
expect_error 'iozone\.DUMMY\.1'

# A short one cannot be read to the end.
head -c 300000 "$work/kept" >iozone.DUMMY.1
iozone 2 -i 1 -w -t 2 -s 1m -r 64k -x
((status != 0)) || fail "a short file was read without a word"
expect_error 'iozone\.DUMMY\.1'

# A missing one, in one process and in two.
rm iozone.DUMMY.1
for test in 1 2 3 5; do
    iozone 2 -i $test -w -t 2 -s 1m -r 64k
    ((status == 2 || status == 3)) || fail "-i $test: the exit code is neither 2 nor 3"
    expect_error 'iozone\.DUMMY\.1'
    expect_no_line '^.Children see'
    iozone 1 -i $test -w -s 1m -r 64k -f nowhere
    ((status == 2 || status == 3)) || fail "-i $test: the exit code is neither 2 nor 3"
    expect_error 'nowhere'
done
cp "$work/kept" iozone.DUMMY.1

# A damaged byte is found where verification is asked for, by the rank that reads it.
flip_bit iozone.DUMMY.1 300000
iozone 2 -i 1 -+n -w -t 2 -s 1m -r 64k -x -V 5
expect_exit 1
grep -q 'iozone\.DUMMY\.1' "$out" "$err" || fail "the damaged file is not named"

# The files of two ranks changed places: their data say whose they are.
cp "$work/kept" iozone.DUMMY.1
mv iozone.DUMMY.0 swapped && mv iozone.DUMMY.1 iozone.DUMMY.0 && mv swapped iozone.DUMMY.1
iozone 2 -i 1 -+n -w -t 2 -s 1m -r 64k -x -V 5
expect_exit 1
rm iozone.DUMMY.*

# ---------------------------------------------------------------- words

for words in '-i 99' '-i 0 -t 2 -f x' '-a -t 2' '-t 2 -s 1m -s 2m' '-r 1m -s 64k -t 2' '-N -t 2' '-t 3' '-l 3 -u 2' '-+y' '-s 1x'; do
    # shellcheck disable=SC2086
    iozone 2 $words
    expect_exit 2
    expect_no_line 'Children see|iozone test complete'
    expect_files
done

# The original prints how it is used.
capture "$WEIR" iozone
expect_exit 2
expect_files
# Bounds begin no auto mode: one row of the size that is used without them. Lists do.
iozone 1 -n 64 -g 128 -y 4 -q 8 -i 0 -+n
expect_done
expect_line '^ +512 +4 +[0-9]'
expect_no_line '^ +(64|128) +[0-9]'
iozone 1 -s 64 -s 128 -i 0 -+n
expect_done
(($(grep -cE '^ +(64|128) +(4|8|16|32|64|128) +[0-9]' "$out") == 11)) || fail "not all records of both files are run"

# The Excel text of one row has all record sizes in its heading, as scripts that plot it expect.
iozone 1 -R -s 256 -i 0 -+n
expect_done
expect_line '^ +"4"  "8"  .*  "8192"  "16384"$'
expect_line '^"256"   [0-9]+ $'

# ---------------------------------------------------------------- ranks end

start() { # start OPTION...: until the first phase is recorded
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" iozone "$@" --result "$result"
    wait_until 120 grep -q '"record":"phase"' "$result" || fail "no phase is recorded"
}

start -i 0 -i 1 -t 2 -s 64m -r 4k -+O 2000
kill -KILL "$(ranks | tail -n 1)"
begin=$SECONDS
end_of_run
((status != 0 && SECONDS - begin < 120)) || fail "mpiexec ends with $status after $((SECONDS - begin)) s"
rm -f iozone.DUMMY.*

for signal in TERM INT; do
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" iozone -i 0 -i 1 -t 2 -s 64m -r 4k -+O 2000 --result "$result"
    wait_until 120 test -s iozone.DUMMY.1 || fail "nothing is written"
    sleep 0.3
    signal_ranks $signal
    end_of_run
    expect_exit 1
    expect_files
    expect_no_line 'for +2 readers'
done

# A signal in the first of two parts, in each mode: what was made goes, unless -w keeps it.
interrupt() { # interrupt SIGNAL OPTION...
    local signal=$1
    shift
    rm -f "$result"
    launch mpiexec -n 1 "$WEIR" iozone "$@" -+O 2000 --result "$result"
    wait_until 60 bash -c 'compgen -G "*" >/dev/null' || fail "nothing is written"
    signal_ranks "$signal"
    end_of_run
    expect_exit 1
    expect_no_line 'iozone test complete'
}
interrupt TERM -i 0 -i 6 -s 64m -r 4k -f f
expect_files
interrupt INT -a -n 64m -g 64m -z -f f
expect_files
interrupt TERM -t 1 -i 0 -i 7 -s 64m -r 4k
expect_files
interrupt INT -i 0 -i 6 -s 64m -r 4k -f f -w
expect_files f
rm f
launch mpiexec -n 1 "$WEIR" sweep transfer=4k,8k -- iozone -i 0 -i 6 -s 64m -f f -+O 2000 --result "$result"
wait_until 60 test -e f || fail "nothing is written"
signal_ranks TERM
end_of_run
expect_exit 1
expect_files
# The second part is refused before it begins: what the first one left to it goes, too, on the ranks that it has.
rm -f "$result"
for ranks in 1 2; do
    IMON_STOP='mkdir -p Child_0_frol.dat; :' capture timeout 300 mpiexec -n 3 "$WEIR" iozone -t $ranks -i 0 -i 7 -s 1m -r 64k -Q
    expect_exit 1
    expect_error 'Child_0_frol\.dat'
    rm -r Child_*
    expect_files
done
# The row is one step for --resume: its second part alone would find no file.
for round in 1 2; do
    IMON_STOP='test -e again || mkdir -p Child_0_frol.dat; :' capture timeout 300 mpiexec -n 1 "$WEIR" iozone -t 1 \
        -i 0 -i 7 -s 1m -r 64k -Q --result "$result" --resume
    ((round == 1)) || continue
    expect_exit 1
    rm -r Child_*
    expect_files
    touch again
done
expect_done
rm -r Child_* again
expect_files
# The end of a job is a signal like any other.
rm -f "$result"
WEIR_JOB_END_TIME=$(($(date +%s) + 64)) iozone 1 -i 0 -i 6 -s 64m -r 4k -f f -+O 200 --stop-before 60s
expect_exit 1
expect_files
expect_line '^iozone: interrupted$'
expect_no_line 'iozone test complete'

# ---------------------------------------------------------------- what is counted

# The first that is done ends what is counted of the others; -x has everybody do everything.
law="lambda p: (p.rank_rates.bytes_sum <= p.bytes and p.rank_rates.bytes_min * p.ranks <= p.rank_rates.bytes_sum and
    p.rank_rates.bytes_per_s_min * p.ranks <= p.rank_rates.bytes_per_s_sum * 1.0001 and
    p.rank_rates.bytes_per_s_sum <= p.rank_rates.bytes_per_s_max * p.ranks * 1.0001 and
    p.bytes / p.total_s <= p.rank_rates.bytes_per_s_sum * 1.01 + (p.bytes - p.rank_rates.bytes_sum) / p.total_s)"
iozone 4 -t 4 -s 1m -r 4k
expect_done
expect_files
expect_record "all(($law)(p) for p in phases if p.bytes > 0)"
# What goes on behind the stonewall leaves whole files.
expect_record "(lambda whole: len(whole) == 4 and all(p.bytes == 4 << 20 for p in whole))(
    [p for p in phases if getattr(p, 'wear_out', False)])"
iozone 4 -t 4 -s 1m -r 4k -x
expect_done
expect_record "all(($law)(p) and p.rank_rates.bytes_sum == p.bytes == 4 << 20 for p in phases if p.bytes > 0)"

# The lines are the record's: children in kB/s, the parent over the wall clock.
"$WEIR_PYTHON" - "$out" "$result" <<'END' || fail "lines and record differ"
import json, re, sys
lines = open(sys.argv[1], encoding="utf-8").read()
phases = [r for r in map(json.loads, open(sys.argv[2], encoding="utf-8")) if r["record"] == "phase" and r.get("rank_rates")]
number = re.compile(r"= +([\d.]+)")
def values(word):
    return [float(number.search(line)[1]) for line in lines.splitlines() if word in line]
children, parent = values("Children see throughput"), values("Parent sees throughput")
assert len(children) == len(parent) == len(phases) == 13, (len(children), len(parent), len(phases))
for seen, wall, phase in zip(children, parent, phases):
    assert abs(seen * 1024 / phase["rank_rates"]["bytes_per_s_sum"] - 1) < 1e-3, (seen, phase["rank_rates"])
    assert wall <= seen * 1.001, (wall, seen)
END
