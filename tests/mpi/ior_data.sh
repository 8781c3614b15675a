#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# With --data ior, what Weir writes is what IOR 4 writes, and what IOR 4 wrote is verified by Weir: against files that an independent generator makes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

right=$work/right
file=$files/f
mkdir "$right"

make_files() { # make_files PATTERN SIGNATURE TRANSFER BLOCK SEGMENTS RANKS PATH [own] [seed-with-rank]
    local code=0
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/ior_patterns.py" "$@" || code=$?
    ((code != 77)) || skip "the C library's rand_r is not that of glibc: nothing can be installed for it"
    ((code == 0)) || fail "no files from the generator for $*"
}

expect_same_files() {
    local name
    expect_files "$(cd "$right" && ls)"
    for name in "$right"/*; do
        cmp "$name" "$files/${name##*/}" || fail "${name##*/} is not what IOR writes"
    done
}

read_files() { # read_files RANKS OPTION...
    local ranks=$1
    shift
    rm -f "$result"
    run "$ranks" -r -R -k --data ior -o "$file" --result "$result" "$@"
}

expect_all_right() { # expect_all_right TRANSFERS
    expect_done
    expect_record "reading.wrong == 0 and reading.checked == $1"
}

expect_wrong() { # expect_wrong KIND FILE-NUMBER OFFSET BYTES
    expect_exit 1
    expect_record "any(m.kind == '$1' and m.file == $2 and m.offset == $3 and m.bytes == $4 for m in reading.mismatches)"
}

reads='data=ior writeFile=0 readFile=1 checkRead=1 keepFile=1'
writes='data=ior writeFile=1 readFile=0 keepFile=1'

# ---------------------------------------------------------------- both ways

of_patterns() { # of_patterns: a test for each of them
    tests=()
    local pattern
    for pattern in t o i r; do
        tests+=("dataPacketType=$pattern testFile=$files/$pattern")
    done
}

both_ways() { # both_ways SIGNATURE TRANSFER SEGMENTS RANKS [own]
    local signature=$1 transfer=$2 segments=$3 ranks=$4 own=${5:-} pattern
    local block=$((transfer * 3))
    local common="transferSize=$transfer blockSize=$block segmentCount=$segments filePerProc=${own:+1}"
    [[ $own ]] || common+=0
    rm -f "$files"/* "$right"/*
    for pattern in t o i r; do
        make_files $pattern "$signature" "$transfer" "$block" "$segments" "$ranks" "$right/$pattern" ${own:+own}
    done
    of_patterns
    run_script "$ranks" "$writes $common setTimeStampSignature=$signature" "${tests[@]}"
    expect_done
    expect_same_files
    cp "$right"/* "$files"
    run_script "$ranks" "$reads $common setTimeStampSignature=$signature" "${tests[@]}"
    expect_done
    expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'read'] == 4 * [($((3 * segments * ranks)), 0)]"
}

both_ways 42 65536 2 3
both_ways -7 6144 1 2 own
both_ways 2147483647 512 3 2
# Another signature was given: all is wrong.
run_script 2 "$reads transferSize=512 blockSize=1536 segmentCount=3 setTimeStampSignature=43" "${tests[@]}"
expect_exit 1
expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'read'] == 4 * [(18, 18)]"
expect_record "all(m.kind == 'foreign' for p in phases for m in p.mismatches)"

# Random orders change neither the data nor, in a file of one's own, whose they are. In one file for all, a transfer may be
# anybody's; and another rank's part is still that rank's.
rm -f "$files"/* "$right"/*
common='setTimeStampSignature=42 transferSize=4096 blockSize=32768 segmentCount=2'
for pattern in t o i r; do
    make_files $pattern 42 4096 32768 2 2 "$right/$pattern" own
done
of_patterns
run_script 2 "$writes $common filePerProc=1 randomOffset=1" "${tests[@]}"
expect_done
expect_same_files
cases=()
for pattern in t o i r; do
    make_files $pattern 42 4096 32768 2 2 "$files/$pattern"
    for case in filePerProc=1 filePerProc=0 'filePerProc=0 reorderTasksRandom=2 reorderTasksRandomSeed=3'; do
        random=1
        [[ $case != *reorder* ]] || random=0
        cases+=("dataPacketType=$pattern testFile=$files/$pattern randomOffset=$random $case")
    done
done
run_script 2 "$reads $common" "${cases[@]}"
expect_done
expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'read'] == 12 * [(32, 0)]"
rm -f "$files"/* "$right"/*

# Incompressible data whose seed holds the rank are as right.
make_files i 42 8192 32768 1 3 "$file" seed-with-rank
read_files 3 -l i -G 42 -t 8192 -b 32768
expect_all_right 12

# ---------------------------------------------------------------- without a signature

for pattern in t o; do
    for signature in 1700000000 -7; do
        make_files $pattern $signature 16384 65536 2 2 "$file"
        read_files 2 -l $pattern -t 16384 -b 65536 -s 2
        expect_all_right 16
        expect_record "int(reading.data_seed, 16) == $signature % 2**32"
    done
    rm -f "$files"/*
    make_files $pattern 1700000000 512 2048 2 2 "$file" own
    read_files 2 -F -l $pattern -t 512 -b 2048 -s 2
    expect_all_right 16
    # A file that an earlier run left is as wrong as it would be for IOR.
    make_files $pattern 1600000000 512 2048 2 1 "$file" own
    read_files 2 -F -l $pattern -t 512 -b 2048 -s 2
    expect_exit 1
    expect_record "reading.wrong == 8 and all(m.kind == 'foreign' and m.file == 0 for m in reading.mismatches)"
    rm -f "$files"/*
done
dd if=/dev/urandom of="$file" bs=64k count=2 status=none
read_files 1 -t 65536 -b 131072
expect_exit 1
expect_error '-G'

# ---------------------------------------------------------------- damage

damage() { # damage: what happens to $file, which has 16 transfers of 8 KiB, 8 of each of two ranks
    python3 - "$file" <<'END'
import os, sys
with open(sys.argv[1], "rb") as file:
    right = file.read()
data = bytearray(right)

def put(at, content):
    data[at : at + len(content)] = content

put(1 * 8192, right[13 * 8192 : 14 * 8192])  # of the other rank
put(3 * 8192, right[2 * 8192 : 3 * 8192])  # of the same rank
put(4 * 8192 + 1024, bytes(512))
put(5 * 8192 + 777, bytes([right[5 * 8192 + 777] ^ 16]))
put(6 * 8192 + 2048, os.urandom(2048))  # the second half of a piece
put(9 * 8192, bytes(8192))
put(11 * 8192, os.urandom(4096))
with open(sys.argv[1], "wb") as file:
    file.write(data)
END
}

for pattern in t o i r; do
    rm -f "$files"/*
    make_files $pattern 42 8192 65536 1 2 "$file"
    damage
    read_files 2 -l $pattern -G 42 -t 8192 -b 65536
    expect_wrong misplaced 0 8192 8192
    expect_line 'offset 8192: misplaced, 8192 bytes, of rank 0, seen by rank 0; found data of file 0.*, rank 1'
    expect_wrong zero 0 $((4 * 8192 + 1024)) 512
    expect_wrong flip 0 $((5 * 8192 + 777)) 1
    expect_record "any(m.kind == 'torn' and m.offset in range(51200, 51216) for m in reading.mismatches)"
    expect_wrong zero 0 $((9 * 8192)) 8192
    expect_record "any(m.kind == 'garbage' and m.offset in range(90112, 90128) for m in reading.mismatches)"
    if [[ $pattern == t ]]; then # which cannot tell transfers of a rank apart
        expect_record "reading.wrong == 6 and vars(reading.mismatches[0].found).keys() == {'file', 'writer', 'generation'}"
        capture "$WEIR" report "$result"
        expect_line 'misplaced, 8192 bytes, of rank 0, seen by rank 0; found data of file 0, rank 1$'
    else
        expect_record "reading.wrong == 7 and reading.mismatches[0].found.offset == 13 * 8192"
        expect_wrong misplaced 0 $((3 * 8192)) 8192
        expect_record "reading.mismatches[1].found.offset == 2 * 8192 and reading.mismatches[1].found.writer == 0"
    fi
done

# ---------------------------------------------------------------- data of others

# Who expects stamps gets data of IOR verified as such, with the signature that is given, or learned where words count.
for pattern in t o i r; do
    make_files $pattern 42 8192 65536 1 2 "$file"
    flip_bit "$file" $((5 * 8192 + 777))
    signature=(-G 42)
    [[ $pattern != [to] ]] || signature=()
    rm -f "$result"
    run 2 -r -R -k -t 8k -b 64k -o "$file" "${signature[@]}" --result "$result"
    expect_wrong flip 0 $((5 * 8192 + 777)) 1
    expect_record "reading.wrong == 1 and reading.checked == 16"
    expect_line "IOR, -l $pattern"
    rm -f "$files"/*
done
make_files r 42 8192 65536 1 1 "$file"
run 1 -r -R -k -t 8k -b 64k -o "$file"
expect_exit 1
expect_error '-G'
dd if=/dev/urandom of="$file" bs=64k count=1 status=none
run 1 -r -R -k -t 8k -b 64k -o "$file"
expect_exit 1
expect_error '--data ior'
rm -f "$files"/*

# A damaged first block hides no signature.
for pattern in t o; do
    make_files $pattern 1700000000 8192 65536 1 2 "$file"
    flip_bit "$file" 4002
    read_files 2 -l $pattern -t 8192 -b 65536
    expect_wrong flip 0 4002 1
    expect_record "reading.wrong == 1 and int(reading.data_seed, 16) == 1700000000"
    rm -f "$files"/*
done

# ---------------------------------------------------------------- filled before random writes

run 1 -w -k -z -l o -G 42 -t 4k -b 64k --randomPrefill=16k -O stoneWallingWearOutIterations=3 --data ior -o "$file"
expect_done
python3 - "$file" <<'END' || fail "not all bytes that no transfer wrote are ones"
import sys
with open(sys.argv[1], "rb") as file:
    data = file.read()
pieces = [data[at : at + 4096] for at in range(0, len(data), 4096)]
sys.exit(len(pieces) != 16 or pieces.count(b"\xff" * 4096) != 13)
END
rm -f "$files"/*

# ---------------------------------------------------------------- within one run, and with no signature

tests=()
for options in 'dataPacketType=t' 'dataPacketType=o' 'dataPacketType=i' 'dataPacketType=r' 'dataPacketType=r filePerProc=1'; do
    tests+=("testFile=$file $options")
done
run_script 2 'data=ior writeFile=1 checkWrite=1 readFile=1 checkRead=1 transferSize=12k blockSize=120k segmentCount=2' "${tests[@]}"
expect_done
expect_record "[(p.checked, p.wrong) for p in phases if p.verb == 'read'] == 2 * 5 * [(40, 0)]"
expect_files ''
run 2 -w -W -l r -t 12k -b 120k -o "$file"
expect_done
