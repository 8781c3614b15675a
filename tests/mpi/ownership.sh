#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files that a benchmark left may be overwritten, read and removed, whatever wrote them; files of others may not.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

file=$files/f
keep=$work/keep

ior_file() { # ior_file PATTERN SIGNATURE TRANSFER: as two ranks of IOR leave it
    local code=0
    "$WEIR_PYTHON" -B "$WEIR_ROOT/tests/mpi/ior_patterns.py" "$1" "$2" "$3" $(($3 * 8)) 2 2 "$keep" || code=$?
    ((code != 77)) || skip "the C library's rand_r is not that of glibc: nothing can be installed for it"
    ((code == 0)) || fail "no file from the generator for $*"
    touch -d "@$(($2 > 1000000000 ? $2 + 30 : $(date +%s)))" "$keep" # half a minute after its signature
}

place() { # place: the file that was made, with its holes
    rm -f "$file"
    cp --sparse=always --preserve=timestamps "$keep" "$file"
}

expect_taken() { # expect_taken [OPTION...]: overwritten, and removed at the end
    place
    capture "$WEIR" -w -t 64k -b 64k -o "$file" "$@"
    expect_done
    expect_files ''
}

expect_left() { # expect_left NAME OPTION...: neither overwritten nor removed
    local name=$1
    shift
    place
    capture "$WEIR" "$@" -o "$file"
    expect_exit 2
    expect_error "$file .*--overwrite"
    cmp -s "$keep" "$file" || fail "the file is not what it was: $name"
}

# ---------------------------------------------------------------- a benchmark's own

# What IOR left with whatever signature, in one launch: to be read and removed, and to be overwritten.
for verb in -r -w; do
    names=()
    for pattern in t o i r; do
        ior_file $pattern 1700000000 16384
        cp --preserve=timestamps "$keep" "$file.$pattern.0000000${#names[@]}"
        names+=("$file.$pattern")
    done
    run 4 $verb -F -t 16k -b 64k -o "$(IFS=@ && echo "${names[*]}")"
    expect_done
    expect_files ''
done
for options in '--data none -t 64k -b 1m' '--data ior -t 64k -b 1m' '--data ior -t 1m -b 1m' '-t 8 -b 4k' '-t 48 -b 4800 -s 3'; do
    # shellcheck disable=SC2086 # words
    capture "$WEIR" -w -k -o "$keep" $options
    expect_done
    expect_taken
    rm -f "$keep"
done
truncate -s 10G "$keep"
expect_taken
expect_taken -a MMAP
if fallocate -l 3M "$file" 2>/dev/null; then
    capture "$WEIR" -w -t 64k -b 64k -o "$file"
    expect_done
fi
dd if=/dev/zero of="$file" bs=1M count=3 status=none
capture "$WEIR" -w -t 64k -b 64k -o "$file"
expect_done

# ---------------------------------------------------------------- somebody's

# Numbers that count from any other than the time of the file and the signature of the run.
ior_file t 42 4096
expect_left 'another signature' -w -t 64k -b 64k
expect_left 'another signature' -w -t 64k -b 64k -G 43
expect_taken -G 42

make_foreign() { # make_foreign NAME
    rm -f "$keep"
    python3 - "$keep" "$1" <<'END'
import random, sys
path, name = sys.argv[1:]
noise = random.Random(7).randbytes
with open(path, "wb") as file:
    if name == "image":  # with its first MiB in a hole, and nothing where samples are taken
        file.truncate(64 << 20)
        file.seek((1 << 20) + 123 * 4096)
        file.write(b"superblock" * 50)
    elif name == "full image":  # without holes
        file.write(bytes(5000000) + noise(512) + bytes(3000000))
    elif name == "last byte":
        file.write(bytes(99999) + b"\1")
    else:
        file.write(noise(300000))
END
}

for name in image 'full image' 'last byte' noise; do
    make_foreign "$name"
    expect_left "$name" -w -t 64k -b 64k
done
expect_left "$name" -r -t 64k -b 64k
# A whole file of weir in an archive, behind its header and before what else is in it; a page of weir in front.
capture "$WEIR" -w -k -t 64k -b 1m -o "$work/stamped"
expect_done
make_foreign noise
noise=$work/noise
mv "$keep" "$noise"
cat <(head -c 4096 "$noise") "$work/stamped" <(tail -c 4096 "$noise") >"$keep"
expect_left archive -w -t 64k -b 64k
cat <(head -c 4096 "$work/stamped") "$noise" >"$keep"
expect_left 'a page of weir' -w -t 64k -b 64k
# But what has been damaged in some places is weir's still.
cat <(head -c 786432 "$work/stamped") <(head -c 262144 "$noise") >"$keep"
expect_taken
make_foreign image
expect_left image -a MMAP -w -t 64k -b 64k

# What is empty, but known to others by a second name.
for bytes in 0 1048576; do
    rm -f "$keep"
    truncate -s $bytes "$keep"
    ln "$keep" "$work/second"
    for verb in '-w' '-w -k'; do
        rm -f "$file"
        ln "$keep" "$file"
        # shellcheck disable=SC2086 # words
        capture "$WEIR" $verb -t 64k -b 64k -o "$file"
        expect_exit 2
        [[ $(stat -c '%s %b' "$work/second") == "$bytes 0" ]] || fail "it was written by its other name"
    done
    rm -f "$work/second" "$file"
done

# ---------------------------------------------------------------- unless they may be lost

make_foreign noise
place
WEIR_OVERWRITE=0 capture "$WEIR" -w -k -o "$file"
expect_exit 2
WEIR_OVERWRITE=yes capture "$WEIR" -w -k -o "$file"
expect_exit 2
expect_error 'WEIR_OVERWRITE: "yes"'
cmp -s "$keep" "$file" || fail "the file is not what it was"
WEIR_OVERWRITE=1 capture mpiexec -n 2 "$WEIR" -w -t 64k -b 64k -o "$file"
expect_done
expect_files ''
