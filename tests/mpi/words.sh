#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lines of the originals, and names of files and options in messages, as a user has typed them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$files"

one() { # one OPTION...: weir without a launcher
    capture "$WEIR" "$@"
}

expect_count() { # expect_count NUMBER PATTERN: so many lines of the output
    local count
    count=$(grep -cE -- "$2" "$out" || true)
    ((count == $1)) || fail "$count lines of the output match '$2', and not $1"
}

# ---------------------------------------------------------------- an option of a backend, by the dialect's own option

# One note of 11 tests that are alike, which names what was typed.
one iozone -a -I -g 128k
expect_done
expect_count 1 'Note: -I: an option of backend POSIX, and tests 6 and 7 use STDIO: it changes nothing$'
expect_count 1 '^weir .*-I: .*\(11 tests\)$'
expect_no_line 'posix\.odirect'
one iozone -a -I -g 128k -i 0
expect_done
expect_no_line 'Note: -I'
one iozone -s 64k -i 0 -B -I
expect_done
expect_count 1 'Note: -I: an option of backend POSIX, and this test uses MMAP'
one iozone -t 1 -s 64k -i 0 -i 6 -W -+A 1
expect_done
expect_count 1 'Note: -W: '
expect_count 1 'Note: -\+A: an option of backend MMAP, and this test uses POSIX'
one iozone -a -g 64k -i 0 -i 6 --direct
expect_done
expect_count 1 'Note: --direct: .* tests 6 and 7 use STDIO'
one iozone -a -g 64k -i 0 -i 6 --posix.odirect
expect_done
expect_count 1 'Note: --posix\.odirect: '
one dd if=/dev/zero of=f bs=4k count=1 oflag=direct -a stdio
expect_exit 2
expect_error 'oflag=direct: backend STDIO has no transfers past the page cache'
one ior -B -a mmap -w -b 4k -t 4k -o f
expect_done
expect_count 1 'WARNING: -B: an option of backend POSIX'
# Steps of a sweep, and numbers of tasks, are tests that are alike.
one sweep transfer=4k,8k -- ior -B -a mmap -w -b 64k -o f
expect_done
expect_count 1 'WARNING: -B: '
one sweep count=1,2,3 -- dd if=/dev/zero of=f bs=4k --posix.odirect -a mmap
expect_done
expect_count 1 '^weir dd: --posix\.odirect: '
run 3 mdtest -F -n 1 -f 1 -l 3 --posix.odirect -a mmap -d d
expect_done
expect_count 1 'WARNING: --posix\.odirect'
expect_count 1 'WARNING: Read bytes is 0'

# ---------------------------------------------------------------- remedies in the options of the dialect

one iozone -s 64k -r 4k -i 0 -i 1
expect_no_line 'a shift by nodes'
expect_line '^weir  note resident .* -> --drop-caches files or --direct$'
mkdir directory
one dd if=/dev/zero of=directory bs=4k count=1
expect_exit 2
expect_error 'directory is a directory: give of= a file name in it'
one dd if=directory of=/dev/null bs=4k count=1
expect_exit 2
expect_error 'directory is a directory: give if= a file name in it'
rmdir directory

# ---------------------------------------------------------------- lines of the originals

one iozone -s 64k -r 4k -i 0 -+d
expect_done
expect_line '^	>>> I/O Diagnostic mode enabled\. <<<$'
expect_line '^	Performance measurements are invalid in this mode\.$'
one iozone -s 64k -r 4k -i 0 -+l -V 5 -M
expect_done
expect_line '^	>>> Record locking mode enabled\. <<<$'
expect_line '^	Verify Mode\. Pattern 5050505$'
expect_line "^	Machine = .* $(uname -m) GNU/Linux\$"
one iozone -s 8k -r 4k -i 0 -J 2
expect_done
grep -A 1 '^	Output is in kBytes/sec$' "$out" | grep -qx '	Compute time 0.002000 seconds for reads and writes.' ||
    fail "the line of -J does not follow that of the unit"
printf '0 4096\n4096 4096 1\n' >"$work/list"
one iozone -i 0 -i 1 -X "$work/list" -Y "$work/list"
expect_done
expect_line '^	Compute time from telemetry files for reads\.$'
expect_line '^	Compute time from telemetry files for writes\.$'
one iozone -s 256k -R -i 0
expect_done
expect_count 2 '^        "4"  "8"  "16"  "32"  "64"  "128"  "256"  "512"  "1024"  "2048"  "4096"  "8192"  "16384"$'
one mdtest -n 1 -F -C -v -d d
expect_done
expect_line '^V-1: Rank   0 Line  1435   File creation     :'
rm -rf d

# ---------------------------------------------------------------- names with an @

small=(-t 4k -b 4k)
rm -rf "${files:?}"/*
mkdir user@dom 'a@@b'
# Without -F there is one file, and no list.
one ior -w -r -k "${small[@]}" -o user@dom/f
expect_done
expect_files user@dom/f
one ior -r -k "${small[@]}" -O testFile=user@dom/f
expect_done
one ior -w "${small[@]}" -o a@@b/f
expect_done
one dd if=/dev/zero of=user@dom/d bs=4k count=1
expect_done
expect_files user@dom/d user@dom/f
one iozone -s 64k -i 0 -f user@dom/i
expect_done
one md-workbench -P 3 -I 3 -D 1 -R 1 -o user@dom/k
expect_done
rm user@dom/*
# With -F a list, as in IOR: what stands before a first @ and behind a last one is no name.
for list in d/f@e/f @d/f@e/f d/f@e/f@ @d/f@e/f@; do
    mkdir d e
    run 2 ior -w -k -F "${small[@]}" -o "$list"
    expect_done
    expect_files d/f.00000000 e/f.00000001
    rm -r d e
done
run 2 ior -w -k -F "${small[@]}" -o user@@dom/f@a@@@@b/f
expect_done
expect_files user@dom/f.00000000 a@@b/f.00000001
rm -r user@dom a@@b
for list in a@b @a@b a@b@; do
    run 2 mdtest -n 2 -F -C -u -d "$list"
    expect_done
    [[ -d a && -d b && ! -e a@b ]] || fail "$list is not the list of a and b"
    rm -r a b
done
run 2 mdtest -n 2 -F -C -u -d a@@b@c
expect_done
[[ -d a@b && -d c && ! -e a ]] || fail "@@ is not an @ of a name"
rm -r a@b c
one ior -w -F "${small[@]}" -o @
expect_exit 2
expect_error '-o: there is no name in the list "@"'

# Files of ranks would lie beside a directory, as ..00000000 or d.00000000.
mkdir d
for name in . .. d ./d d/. "$PWD/d"; do
    run 2 ior -w -F "${small[@]}" -o "$name"
    expect_exit 2
    expect_error "path ${name//./\\.} names a directory|${name//./\\.} is a directory, and files of ranks would lie beside it.*give -o a file name in it"
    [[ -z $(find . ! -type d) ]] || fail "files were made beside $name"
done
run 2 ior -w -F "${small[@]}" -o d/
expect_exit 2
run 2 ior -w -k -F "${small[@]}" -o d/f
expect_done
expect_files d/f.00000000 d/f.00000001
# Those that are there are meant, and -u has directories of its own.
mv d/f.00000000 d.00000000
mv d/f.00000001 d.00000001
run 2 ior -r -k -F "${small[@]}" -o d
expect_done
run 2 ior -w -k -F "${small[@]}" -o d
expect_done
rm -r d d.0*
one ior -w -F -u "${small[@]}" -o d
expect_done

# ---------------------------------------------------------------- times with a unit, and second spellings

one ior -w -D 1s -T 5m -O minTimeDuration=10ms "${small[@]}" -o f
expect_done
one ior -w --progress 1s "${small[@]}" -o f
expect_done
capture "$WEIR" ior -w --warnings-as-errors "${small[@]}" -o f --explain
expect_done
one mdtest -n 1 -F -W 1m --warnings-as-errors -d d
expect_exit 1
one mdtest -n 1 -F -W 1m -p 5ms -d d
expect_done
one md-workbench -P 3 -I 3 -D 1 -R 1 -w 1s -W -o k
expect_done
one iozone -t 1 -s 8k -i 0 -i 1 -J 0.2 -d 1ms -+q 20ms
expect_done
expect_line '^	Delay 0\.02 seconds between tests enabled\.$'
expect_line '^	Compute time 0\.000200 seconds for reads and writes\.$'
for words in '-D 1x' '-O minTimeDuration=1k' '--progress 0s'; do
    read -ra options <<<"$words"
    one ior -w "${options[@]}" "${small[@]}" -o f
    expect_exit 2
done
run 2 net --provider tcp --duration 200ms --warm-up 50ms --size 4k
expect_done
mkdir t u
capture "$WEIR" targets t u --size 1m --warningAsErrors --buffered --alone-only --explain
expect_done

# ---------------------------------------------------------------- the place of an option

one sweep transfer=4k,8k --result "$result" -- ior -w -b 64k -o f
expect_exit 2
expect_error '--result: an option of the command: put it behind the --, as in weir sweep AXIS=VALUES -- ior --result'
one sweep transfer=4k,8k -- ior -w -b 64k -o f --result "$result"
expect_done
