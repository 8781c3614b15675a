#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Block devices: only with --device, never one that somebody uses or has something on, and they are there afterwards.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need_root
command -v losetup >/dev/null || skip "there is no losetup: scripts/deps test"

mib=1048576
loops=()
clean_up() {
    local loop
    ! mountpoint -q "$work/mounted" || umount "$work/mounted"
    for loop in "${loops[@]}"; do losetup -d "$loop" || true; done
}

add_device() { # add_device NAME MIB: a loop device over the file NAME; sets $loop
    truncate -s "${2}M" "$work/$1"
    loop=$(losetup --find --show "$work/$1" 2>"$err") || skip "no loop device can be had, which takes root, and the module loop on the host: $(cat "$err")"
    loops+=("$loop")
}

sum_of() { sha256sum <"$1"; }

expect_refused() { # expect_refused PATTERN: with that sentence, and the devices are as they were
    expect_exit 2
    expect_error "$1"
    [[ $(sum_of "$first") == "$before" ]] || fail "$first was written to"
}

add_device one 16
first=$loop
add_device two 16
second=$loop
before=$(sum_of "$first")

# ---- what is refused

run 2 -w -t 64k -b 1m -o "$first"
expect_refused "$first .*--device allow"
ln -s "$first" "$work/alias"
for ask in -w '-w -E -k' '-E -k --read-percent 50' -r; do
    # shellcheck disable=SC2086
    run 1 $ask --overwrite -t 64k -b 1m -o "$work/alias"
    expect_refused "$work/alias .*--device allow"
    [[ -h $work/alias ]] || fail "the name of the device is gone"
done
run 2 -w --device allow -t 64k -b 9m -o "$first"
expect_refused "$first .* $((16 * mib)) .*$((18 * mib))"
run 3 -w -F --device allow -t 64k -b 1m -o "$first@$second"
expect_refused "3 ranks .* 2"
run 2 -w -F --device allow -t 64k -b 1m -o "$first@$work/alias"
expect_refused "$work/alias .* rank 0 "
run 2 -w --device allow -t 64k -b 1m -o "$work/one"
expect_refused "$work/one .*--device"
run 2 -w --device allow -t 64k -b 1m -o /dev/null
expect_refused "/dev/null .*--device"
run 2 -w --device allow -t 64k -b 1m -o "$work/none"
expect_refused "$work/none .*: No such file"

# Somebody has it for himself.
python3 -c 'import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
print("held", flush=True)
time.sleep(60)' "$first" >"$work/holder" &
holder=$!
wait_until 100 grep -q held "$work/holder" || fail "the device cannot be held"
run 2 -w --device allow -t 64k -b 1m -o "$first"
kill "$holder"
wait "$holder" || true
expect_refused "$first "

# ---- what is allowed: the data stay there, and so does the device

for engine in posix direct libaio uring; do
    "$WEIR" backends | grep -q "^$engine " || continue
    rm -f "$result"
    run 2 -a "$engine" -w -W -r -R --device allow -t 64k -b 2m -s 3 -o "$first" --result "$result"
    expect_done
    expect_record "reading.checked == checking.checked == 2 * 3 * 32 and reading.wrong == 0"
    expect_record "written.outcome == 'complete' and not removed and tests[0].existing_files == 0"
    [[ -b $first ]] || fail "the device is gone"
    rm -f "$result"
    run 2 -r -R --device allow -t 64k -b 2m -s 3 -o "$first" --result "$result"
    expect_done
    expect_record "reading.checked == 2 * 3 * 32 and reading.wrong == 0"
done

# Less than last time: what is left of that behind it is no reason to doubt.
rm -f "$result"
run 2 -w -k --device allow -t 64k -b 1m -o "$first"
run 2 -r -R --device allow -t 64k -b 1m -o "$first" --result "$result"
expect_done
expect_record "reading.checked == 32 and reading.wrong == 0"

# A device for each rank.
rm -f "$result"
run 2 -w -r -R -F -z -i 2 --device allow -t 64k -b 16m -o "$first@$second" --result "$result"
expect_done
expect_record "all(p.checked == 512 and p.wrong == 0 for p in phases if p.verb == 'read')"
[[ $(sum_of "$first") != $(sum_of "$second") ]] || fail "both ranks wrote the same"

# A mix needs no file that is made first.
rm -f "$result"
run 2 -E --read-percent 50 --device allow -t 64k -b 4m -o "$first" --result "$result"
expect_done
rm -f "$result"
run 2 -r -R --device allow -t 64k -b 4m -o "$first" --result "$result"
expect_done
expect_record "reading.checked == 128 and reading.wrong == 0"
expect_files ''

# ---- file systems and tables of partitions

label_device() { # label_device: a file system on the first device, if there is a program to make one
    command -v mkfs.ext4 >/dev/null || skip "there is no mkfs.ext4 (scripts/deps test); everything else was tried"
    mkfs.ext4 -q -F -L scratch "$first" >"$out" 2>"$err" || fail "mkfs.ext4 does not work"
    before=$(sum_of "$first")
}

label_device
run 2 -w --device allow -t 64k -b 1m -o "$first"
expect_refused "$first .*ext4 .*scratch: .*--device force"
run 2 -w -F --device allow -t 64k -b 1m -o "$second@$first"
expect_refused "$first .*ext4 .*--device force"
run 2 -r --device allow -t 64k -b 1m -o "$first"
expect_done

mkdir "$work/mounted"
if mount -o ro "$first" "$work/mounted" 2>"$err"; then
    before=$(sum_of "$first")
    run 2 -w --device allow -t 64k -b 1m -o "$first"
    expect_refused "$first .* $work/mounted"
    run 2 -r --device allow -t 64k -b 1m -o "$first"
    expect_done
    umount "$work/mounted"
fi

run 2 -w --device force -t 64k -b 1m -o "$first"
expect_done
rm -f "$result"
run 2 -r -R --device allow -t 64k -b 1m -o "$first" --result "$result"
expect_done
expect_record "reading.checked == 32 and reading.wrong == 0"
[[ -b $first ]] || fail "the device is gone"
