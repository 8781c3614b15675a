#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # programs have variables of their own
# Programs that are wrong, and what may happen to those that are not: each ends soon, with a sentence that has the line, and with what
# was done until then.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=parabench_lib.sh
. "$(dirname "$0")/parabench_lib.sh"

in_time() { # in_time COMMAND...: well before the minute at which a program that hangs is ended
    local begin=$SECONDS
    "$@"
    ((SECONDS - begin <= 45)) || fail "it took $((SECONDS - begin)) s"
}

full() { # full: a small file system, which only this shell sees
    mount -t tmpfs -o size=3m tmpfs "$files"
    cd "$files"
    inline 2 'ctime["w"] repeat $i 20 write("f$$rank.$i", 256k);'
    expect_exit 1
    expect_error 'rank 0: line 1: write f0\..*: No space left'
    expect_error 'rank 1: line 1: write f1\..*: No space left'
    grep -qE '^ Write +[1-9][0-9]* successful / +[1-9][0-9]* failed' "$out" || fail "successful and failed writes are not counted"
    expect_record "sum(c.succeeded + c.failed for c in phases[0].program_result.calls if c.call == 'Write') == 40"
    cd "$work"
    umount "$files"
}
if [[ ${1-} == full ]]; then
    clean_up() { cd / && umount "$files" 2>/dev/null; }
    full
    exit
fi
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
    unshare -m bash "$0" full || exit 1
fi

# ---------------------------------------------------------------- errors of a program, before or while it runs

wrong() { # wrong LINE SENTENCE STATEMENTS: of a program on two ranks, which both stop
    in_time inline 2 "$3"
    ((status == 1 || status == 2)) || fail "the exit code is neither 1 nor 2"
    grep -E "(line |:)$1(:|[^0-9]|$)" "$err" | grep -qiE -- "$2" || fail "standard error does not say '$2' of line $1"
}
wrong 2 'division by zero' $'$a = $$rank - $$rank;\n$b = 7 / $a;'
wrong 2 'division by zero|modulo' $'$a = $$rank - $$rank;\n$b = 7 % $a;'
wrong 2 'division by zero' $'\n$b = 7 / 0;'
wrong 2 'negative|-1' $'$n = $$rank - $$rank - 1;\nrepeat $i $n print $i;'
# A parameter that is a negative count is refused before the first statement, but not where it may come to nothing.
param='define param "n" $n "-1"'
wrong 2 '\$n .* negative' "$param"$'\nwrite("f0", 1); repeat $i $n print $i;'
wrong 2 '\$n .* negative' "$param"$'\nwrite("f0", 1); write("f1", $n);'
[[ ! -e f0 ]] || fail "a program that is refused has begun"
inline 1 "$param"$'\nif ($n > 0) repeat $i $n print 1; repeat $i 3 + $n print 1; write("f0", 4); read("f0", $n);'
expect_done
expect_prints 0 1 1
inline 1 "$param"$'\n$n = 1; repeat $i $n print 1;'
expect_done
wrong 1 'WEIRNOTSET' 'print "$$env(WEIRNOTSET)";'
wrong 3 'closed|no file|not set' $'$f = fcreat("f$$rank");\nfclose($f);\nfclose($f);'
wrong 1 'nothere' 'print $nothere;'
wrong 1 'nothere' 'print "$nothere";'
wrong 2 'beyond 64 bits' $'$a = 1g * 1g;\n$b = $a * 8 + $a * $a;'
wrong 1 'unknown|frobnicate' 'frobnicate("x");'
wrong 1 '; is missing' $'print 1\nprint 2;'
# A text that names itself, and one that grows.
wrong 2 'without end' $'$a = "\\$a";\nprint "$a";'
wrong 2 'more than 4095 bytes' $'$a = "xxxxxxxxxxxxxxxx";\nrepeat $i 10 $a = "$a$a";'
rm -f f?

# ---------------------------------------------------------------- names outside of the roots

mkdir "$work/outside"
for name in ../outside/f "$work/outside/f" ./a/../../outside/f; do
    in_time inline 1 "write(\"$name\", 1k);"
    ((status != 0)) || fail "$name is outside"
    grep -q -- '--root' "$err" || fail "the way out is not told"
    [[ ! -e $work/outside/f ]] || fail "$name was written"
done
# Behind a link that leads out, .. is not where the text of the name says: the name that is compared is the one that is used.
ln -s "$work/outside" way
: >"$work/keep"
inline 1 'delete("./way/../keep");'
expect_exit 1
[[ -e $work/keep ]] || fail "a name left the root through .. behind a link"
rm way "$work/keep"
inline 1 "write(\"../outside/f\", 1k); delete(\"../outside/f\");" --root "$work/outside"
expect_done
inline 1 "write(\"../outside/f\", 1k); delete(\"../outside/f\");" --anywhere
expect_done
inline 2 'mkdir("a$$rank"); write("a$$rank/../f$$rank", 1k); delete("./a$$rank/.././f$$rank"); rmdir("a$$rank");'
expect_done
expect_files ''

# ---------------------------------------------------------------- many open files

# As many as a process may have, or a sentence that says how many those are.
many='repeat $i 10000 $f = fopen("many", "w"); delete("many");'
printf '%s\n' "$many" >"$work/many.pbl"
in_time capture bash -c 'ulimit -n 20000 2>/dev/null; exec "$0" parabench "$@"' "$WEIR" "$work/many.pbl"
if ((status == 0)); then
    expect_commands 'FOpen 10000 0' 'Delete 1 0'
else
    grep -qiE 'too many open files|ulimit' "$err" || fail "neither 10000 files nor a sentence"
fi
in_time capture bash -c 'ulimit -n 100; exec "$0" parabench "$@"' "$WEIR" "$work/many.pbl"
expect_exit 1
grep -qiE 'too many open files' "$err" || fail "the limit is not told"
expect_files ''

# ---------------------------------------------------------------- ranks that do not meet

# One fails, the others wait for it.
in_time inline 3 'if ($$rank == 1) delete("nowhere"); barrier; print "behind";' --on-error stop
expect_exit 1
expect_error 'delete nowhere' # once
expect_error '^weir: rank 1 on host .*: .*inline.pbl:1: delete nowhere: No such file'
expect_no_line behind
# It goes on as the original does, and the exit code says that something failed.
in_time inline 3 'if ($$rank == 1) delete("nowhere"); barrier; print "behind";'
expect_exit 1
expect_commands 'Delete 0 1'
(($(grep -c behind "$out") == 3)) || fail "the ranks have not gone on"

# What all ranks have in common is not told by each of them.
in_time inline 10 'delete("nowhere");'
expect_exit 1
(($(grep -cE '^weir: rank [0-7]: line 1: delete nowhere: No such file' "$err") == 8 && $(grep -c 'delete nowhere' "$err") == 8)) ||
    fail "not 8 ranks tell what failed on 10"
expect_line '^weir +1 Delete +10 +10 +No such file .*: first on rank 0: nowhere'
# Who reads too much learns how much there is; one sentence says what ends a program.
inline 1 'write("f", 1k); read("f", 2k); read("f", 10, 4k); delete("f");'
expect_error 'rank 0: line 1: read f: the file ended at offset 1024, and 2048 bytes were to be read'
expect_line '1 Read +2 +1 +file shorter than'
inline 1 'write("f", 1k); read("f", 10, 4k);' --on-error stop
expect_error '^weir: .*inline.pbl:1: read f: the file has nothing at offset 4096, and 10 bytes were to be read'
rm f
inline 2 '$a = $$rank - $$rank; if ($$rank == 1) $b = 7 / $a; barrier;'
expect_error '^weir: rank 1 on host .*: .*inline.pbl:1: division by zero'

apart() { # apart RANKS STATEMENTS
    in_time inline "$1" "$2"
    ((status == 1 || status == 2)) || fail "the exit code is neither 1 nor 2"
    grep -qE 'rank [0-9]+ .*(line [0-9]|barrier|end)|wait for ever' "$err" || fail "it is not told who waits where"
}
apart 3 'if ($$rank == 0) barrier;'
apart 3 'master barrier;'
apart 2 'if ($$rank == 0) { barrier; } else { sleep(1000); barrier; barrier; }'
printf '%s\n' 'define pattern {"p", 1, 2, 4k, 1};' 'if ($$rank == 0) pwrite("f", "p");' >"$work/apart.pbl"
in_time program 2 "$work/apart.pbl"
expect_exit 1

# Each waits where the other one does not come before it itself has come: the watchdog tells both, and ends them.
cat >"$work/circle.pbl" <<'END'
define groups {"a"};
if ($$rank == 0) {
    barrier("a");
    barrier;
} else {
    barrier;
    barrier("a");
}
END
in_time program 2 "$work/circle.pbl" -g a:2 --watchdog 2 --give-up 4
expect_exit 1
expect_error 'rank 0 on host .* has not moved for [0-9]+ s: wait for other ranks of .*, line 3$'
expect_error 'rank 1 on host .* has not moved for [0-9]+ s: wait for other ranks of .*, line 6$'
expect_error '--give-up'
# Not so one that waits for another that moves, however long.
inline 2 'if ($$rank == 0) sleep(5000000); barrier; sleep(300000); barrier;' --watchdog 2 --give-up 4
expect_done
! grep -q 'has not moved' "$err" || fail "who waits at a barrier is told as one that does not move"

# ---------------------------------------------------------------- the end comes from outside

endless='repeat $i 9000000000000 { time["t"] lookup("."); }'
in_time inline 2 "$endless" --time-limit 1s
expect_record "phases[0].program_result.statements > 100 and 0.9 < phases[0].total_s < 5"
in_time inline 2 'repeat $i 9000000000000 $a = $i;' --time-limit 1s
in_time inline 3 'if ($$rank == 0) repeat $i 9000000000000 $a = $i; barrier;' --time-limit 1s
in_time inline 2 'sleep(600000000);' --time-limit 1s
# Between the pieces of one call, and between the rounds of a pattern that ranks move alone or together.
in_time inline 2 'write("f$$rank", 1t);' --time-limit 1s
rm -f f?
for level in 0 1; do
    in_time inline 2 'define pattern {"p", 1, 9000000, 4k, '"$level"'}; pwrite("f", "p");' --time-limit 1s
    expect_exit 1
    expect_error 'the time limit of 1 s has ended it'
    rm -f f
done

for statements in "$endless" 'repeat $i 9000000000000 $a = $i;' 'if ($$rank == 0) sleep(600000000); barrier;'; do
    printf '%s\n' "write(\"begun\$\$rank\", 1k); $statements" >"$work/inline.pbl"
    rm -f "$result"
    launch mpiexec -n 2 "$WEIR" parabench "$work/inline.pbl" --result "$result"
    wait_until 100 test -s begun0 -a -s begun1 || fail "the program does not begin"
    sleep 0.3
    signal_ranks TERM
    in_time end_of_run
    expect_exit 1
    expect_line 'Write +2 successful'
    expect_record "end.interrupted and phases[0].outcome == 'partial'"
    rm begun?
done

# One rank alone hears it, amid the rounds of a pattern that all make together: none is left waiting for its word while it closes the
# file with the others.
printf '%s\n' 'define pattern {"p", 1, 9000000, 4k, 1}; pwrite("f", "p");' >"$work/inline.pbl"
for rank in 0 1 2 0 1 2; do
    rm -f "$result"
    launch timeout -k 5 60 mpiexec -n 3 "$WEIR" parabench "$work/inline.pbl" --result "$result"
    wait_until 100 test -s f || fail "the program does not begin"
    sleep 0.3
    mapfile -t processes < <(pgrep -f -- "^$WEIR parabench .*$result")
    kill -TERM "${processes[rank]}"
    in_time end_of_run
    expect_exit 1
    expect_record "end.interrupted and phases[0].outcome == 'partial'"
    rm f
done

# ---------------------------------------------------------------- what the check of the whole program finds

# Nothing is done before a constant name outside of the roots, and --explain says so too.
for call in 'stat("/etc/passwd");' 'if ($$rank > 9) lookup("../x");' 'rename("f0", "/tmp/f0");' '$f = fopen("/etc/passwd", "r");' \
    'repeat $i 3 list("/");'; do
    in_time inline 1 "write(\"before\", 1k); $call"
    expect_exit 2
    grep -qE "line 1: [a-z]+: .* is outside of .*--root.*--anywhere" "$err" || fail "the name of $call is not refused"
    [[ ! -e before ]] || fail "the program was begun"
done
inline 1 'write("before", 1k); stat("before"); stat("./before"); stat("../'"${PWD##*/}"'/before"); delete("before");'
expect_done
inline 1 'write("before", 1k); $n = "/etc"; lookup("$n/passwd");'
[[ $status != 2 ]] || fail "a name with a variable is known when the program comes to it"
rm -f before
# A file that is closed twice in one block.
for uses in 'fclose($f); fclose($f);' 'fclose($f); fwrite($f, 1k);' 'repeat $i 2 { fclose($f); print $i; fsync($f); }'; do
    in_time inline 1 "\$f = fcreat(\"before\"); $uses"
    expect_exit 2
    grep -qE 'line 1: f(close|write|sync): the file of \$f was closed in line 1' "$err" || fail "$uses is not refused"
    [[ ! -e before ]] || fail "the program was begun"
done
inline 1 '$f = fcreat("before"); fclose($f); $f = fopen("before", "r"); fclose($f); if (1 == 1) { $f = fopen("before", "r"); } fclose($f);'
expect_done
rm -f before

# Data of another run are known by its seed alone.
inline 1 'write("before", 64k);' --verify --seed 7
expect_done
inline 1 'read("before");' --verify
expect_exit 2
expect_error 'give --seed N in both runs'
inline 1 'read("before");' --verify --seed 7
expect_done
inline 1 'read("before");' --verify --seed 8
expect_exit 1
expect_error 'read before: wrong data at offset 0'
rm -f before
