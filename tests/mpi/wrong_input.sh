#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Wrong input is refused with a sentence and exit code 2 (3: it cannot be read), by one rank, before anything is created or removed.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

listing() { find "$files" -printf '%P %y %s %T@\n' | sort; }

code=2
refused() { # refused PATTERN OPTION...: with the exit code $code
    local pattern=$1 before
    shift
    before=$(listing)
    rm -f "$result"
    run 2 "$@" --result "$result"
    expect_exit "$code"
    expect_error "$pattern"
    [[ $(listing) == "$before" ]] || fail "something was created, changed or removed"
    [[ ! -e $result ]] || fail "a result file was made"
}

mkdir "$files/directory"
echo 'my thesis' >"$files/precious"
cp "$files/precious" "$files/precious.00000000"
truncate -s 1M "$files/image" # as a disk's: zeros alone are a benchmark's own, a label after them is not
printf 'label' | dd of="$files/image" bs=1 seek=1080 conv=notrunc status=none
small=(-t 64k -b 64k)
f=$files/new

refused '-b: .* 102400 .* 65536' -t 64k -b 100k -o "$f"
refused 'nonsense' "${small[@]}" --nonsense -o "$f"
refused 'stray' "${small[@]}" -o "$f" stray
refused 'NOPE' "${small[@]}" -a NOPE -o "$f"
refused '\-1m' -t 64k -b -1m -o "$f"
refused '1\.5' -t 1.5 -b 3 -o "$f"
refused '12x' -t 12x -b 1m -o "$f"
refused '-t: ' -t 0 -b 1m -o "$f"
refused 'directory' "${small[@]}" -w -o "$files/directory"
refused 'precious.*overwrite' "${small[@]}" -w -o "$files/precious"
refused 'precious.*overwrite' "${small[@]}" -w -F -o "$files/precious"
refused 'precious.*overwrite' "${small[@]}" -w -E -o "$files/precious"
refused 'image.*overwrite' "${small[@]}" -w -o "$files/image"
code=3 refused 'no-such-script' -f "$work/no-such-script"
refused 'quirk' "${small[@]}" -O quirk=1 -o "$f"
refused 'packet|-l' "${small[@]}" -l zebra -o "$f"

cat >"$work/job.ior" <<END
IOR START
    api=POSIX
    transferSize=64k
    blockSize=64k
    testFile=$f
    quirk=1
RUN
IOR STOP
END
refused 'job\.ior:6: .*quirk' -f "$work/job.ior"

device=
if ((EUID == 0)) && mknod "$work/device" b 7 250 2>/dev/null; then
    device=$work/device
else
    device=$(find /dev -type b -print -quit 2>/dev/null) || true
fi
[[ ! $device ]] || refused 'device' "${small[@]}" -w -o "$device"

# Without a launcher the answer is the same.
capture "$WEIR" -t 64k -b 100k -o "$f"
expect_exit 2
expect_error '-b: '

# The way out that the refusal names.
run 2 "${small[@]}" -w --overwrite -o "$files/precious"
expect_done
[[ ! -e $files/precious ]] || fail "an overwritten file was kept without -k"

# What is not ours is not removed either.
rm -f "$files"/*.00000000
echo 'my thesis' >"$files/precious"
run 2 "${small[@]}" -r -o "$files/precious"
[[ -e $files/precious ]] || fail "a file that was only read was removed"
