#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # programs have variables of their own
# What clocks and counters outside of a program say about its figures: labels lie within the run and the run within the wall clock,
# strace sees as many calls, a core time fits into the block around it, and ranks that begin later are told as later.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=parabench_lib.sh
. "$(dirname "$0")/parabench_lib.sh"

lawful() { # lawful RANKS FILE [WORD...]
    local begin
    begin=$(date +%s%N)
    program "$@"
    expect_done
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/parabench_laws.py" "$result" "$(($(date +%s%N) - begin))e-9" >"$work/.laws" 2>&1 ||
        fail "$(tail -n 20 "$work/.laws")"
}

label() { # label NAME: of a time block, as an expression over the records
    echo "next(l for l in phases[0].program_result.labels if l.label == '$1' and not l.core)"
}

# ---------------------------------------------------------------- labels within the run

for ranks in 1 2 4; do
    lawful $ranks "$examples/basic-operations.pbl" iter=50 sizes=3
done
lawful 4 "$examples/create-index.pbl" iter=20
lawful 4 "$examples/index-index.pbl" iter=20
expect_record "$(label 'index-index solo').ranks == 1 and $(label 'index-index distributed').ranks == 4"
lawful 4 "$examples/delete-index.pbl" iter=20 files=1
lawful 2 "$samples/sequential-write.pbl" size=4m block=256k
lawful 2 "$samples/mpiio.pbl"
rm mpiio

# ---------------------------------------------------------------- bytes

printf '%s\n' 'time["w"] ctime["w"] repeat $i 10 write("f$$rank.$i", 3k + $i);' >"$work/bytes.pbl"
lawful 2 "$work/bytes.pbl"
expect_record "all(l.bytes == $(cat f* | wc -c) and l.calls == 20 for l in phases[0].program_result.labels)"
expect_record "next(c for c in phases[0].program_result.calls if c.call == 'Write').bytes == $(cat f* | wc -c)"
rm f*

# ---------------------------------------------------------------- calls that the kernel has seen

if command -v strace >/dev/null; then
    cat >traced <<'END'
#!/bin/sh
exec strace -f -e trace=mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,write,pwrite64,pread64,read,stat,newfstatat,access,faccessat,faccessat2 \
    -y -o "../calls.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$WEIR" "$@"
END
    chmod 755 traced
    # Names that no file of a library has.
    cat >"$work/seen.pbl" <<'END'
$d = "seen$$rank";
mkdir($d);
repeat $i 7 write("$d/seen$i", 5k);
repeat $i 6 read("$d/seen$i");
repeat $i 5 append("$d/seen$i", 1k);
repeat $i 4 stat("$d/seen$i");
repeat $i 3 rename("$d/seen$i", "$d/new$i");
repeat $i 2 lookup("$d/new$i");
repeat $i 4 { $k = $i + 3; delete("$d/seen$k"); }
repeat $i 3 delete("$d/new$i");
rmdir($d);
END
    rm -f "$result"
    capture timeout 60 mpiexec -n 2 ./traced parabench "$work/seen.pbl" --result "$result"
    expect_done
    expect_commands 'Mkdir 2 0' 'Write 14 0' 'Read 12 0' 'Append 10 0' 'Stat 8 0' 'Rename 6 0' 'Lookup 4 0' 'Delete 14 0' 'Rmdir 2 0'
    seen() { # seen COUNT CALLS PATH: successful ones
        local count
        count=$(cat ../calls.* | grep -E "(^| )($2)\(" | grep -E "$3" | grep -vc ' = -1 ' || true)
        ((count == $1)) || fail "strace has seen $count of $2, not $1"
    }
    seen 2 'mkdir|mkdirat' 'seen[01]"'
    seen 24 'write|pwrite64' '<[^>]*/seen[01]/seen[0-9]>'
    seen 12 'pread64|read' '<[^>]*/seen[01]/seen[0-9]>.* = [1-9]'
    seen 6 'rename|renameat|renameat2' 'seen[01]/seen'
    seen 16 'unlink|unlinkat|rmdir' 'seen[01]'
    rm traced
fi

# ---------------------------------------------------------------- how far apart ranks began

inline 2 'barrier; time["near"] lookup("."); barrier; if ($$rank == 1) sleep(200000); time["far"] lookup(".");'
expect_done
expect_record "$(label far).skew_max_s >= 0.19 and $(label far).skews == 1"
is_near() {
    inline 2 'barrier; time["near"] lookup("."); barrier; if ($$rank == 1) sleep(200000); time["far"] lookup(".");'
    expect_record "$(label near).skew_max_s < 0.05"
}
once_in 4 is_near

# A block takes as long as what is in it.
inline 2 'time["sleep"] { sleep(100000 * ($$rank + 1)); } ctime["calls"] { sleep(100000); lookup("."); }'
expect_done
expect_record "$(label sleep).rank_s_min >= 0.1 and $(label sleep).rank_s_max >= 0.2 and $(label sleep).slowest[0].rank == 1"
expect_record "next(l for l in phases[0].program_result.labels if l.core).call_s < 0.1"

# ---------------------------------------------------------------- calls at times of their own

# As many in a second as the rate says, and fewer than pauses leave room for.
is_paced() {
    inline 2 'repeat $i 1000 stat(".");' --backend null --rate 1000
    expect_done
    expect_record "0.98 < phases[0].total_s < 1.02"
}
once_in 4 is_paced
inline 2 'repeat $i 100 stat(".");' --backend null --think 2ms
expect_done
expect_record "phases[0].total_s >= 0.2"
