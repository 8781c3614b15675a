#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make.sh: makes the stored results again, by runs of all dialects that end in all verdicts. Takes root (a loop device with direct I/O), and
# WEIR and WEIR_TEST, the programs. unit.verdict reads them; the texts that they give are beside them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
mkdir "$work/m" "$work/u"
image=$work/image
truncate -s 1G "$image"
mkfs.ext4 -q "$image"
device=$(losetup --direct-io=on -f --show "$image")
trap 'cd /; umount "$work/m"; losetup -d "$device"; rm -rf "$work"' EXIT
mount "$device" "$work/m"
cd "$work/m"

make() { # make NAME RANKS COMMAND...
    local name=$1 ranks=$2
    shift 2
    rm -f "$work/result"
    OMPI_MCA_rmaps_base_oversubscribe=1 mpiexec -n "$ranks" "$@" --result "$work/result" >/dev/null 2>&1 || true
    cp "$work/result" "$here/$name.jsonl"
    rm -rf ./*
    echo "$name: $(wc -c <"$here/$name.jsonl") bytes, $(tail -n 1 "$here/$name.jsonl" | grep -o '"believed":"[^"]*"')"
}

make ior-cached 2 "$WEIR" ior -w -r -F -t 64k -b 2m -i 3 -o f
# On a busy machine this run ends with CAUTION: repeat it until it does not.
make ior-ok 2 "$WEIR" ior -a DIRECT -w -r -F -t 256k -b 24m -i 3 --allow short,cpu-pressure,imbalance -o f
make ior-caution 2 "$WEIR" ior -a DIRECT -w -F -t 64k -b 1m -o f
make ior-one 1 "$WEIR" ior -w -e -t 4k -b 64k -o f
make ior-failed 2 "$WEIR_TEST" ior -a fault:posix --fault.verb write --fault.at 3 --fault.errno EIO -w -e -F -t 64k -b 1m -o f
make ior-wrong 2 "$WEIR_TEST" ior -a fault:posix --fault.verb read --fault.every 4 --fault.flip -w -r -R -e -F -t 64k -b 1m -o f
make ior-null 2 "$WEIR" ior -a null -w -r -t 64k -b 4m -o f
make ior-as-asked 2 "$WEIR" ior -w -r -F -t 64k -b 2m --measure cache --allow unsynced,short,cpu-pressure,imbalance -o f
make ior-many 2 "$WEIR" ior -a DIRECT -w -e -F -t 64k -b 128k -i 6 -o f
make ior-queue 2 "$WEIR" ior -a uring --direct --depth 8 -w -r -z -F -t 4k -b 1m -o f
make mdtest 2 "$WEIR" mdtest -n 50 -i 2 -d md
make mdtest-files 2 "$WEIR" mdtest -n 200 -F -Y -u -w 3901 -e 3901 --drop-caches node -d md
make md-workbench 2 "$WEIR" md-workbench -D 2 -P 100 -I 20 -R 2 -o sets
make iozone-children 2 "$WEIR" iozone -t 2 -s 1m -r 64k -i 0 -i 1 -i 2 -F a b
make iozone-auto 1 "$WEIR" iozone -a -n 64k -g 64k -i 0 -i 1 -f a
make dd 2 "$WEIR" dd if=/dev/zero of=d%r bs=1M count=8 conv=fsync
make targets 2 "$WEIR" targets --size 4m -i 2 . "$work/u"
make sweep 2 "$WEIR" sweep transfer=64k,256k -- ior -a DIRECT -w -r -F -b 1m -i 2 -o f
printf '%s\n' 'time["write"] write("p$$rank", 1m);' 'barrier;' 'time["read"] read("p$$rank");' 'time["delete"] delete("p$$rank");' >"$work/p.pbl"
make parabench 2 "$WEIR" parabench "$work/p.pbl"
cd /dev/shm && mkdir "weir-verdict.$$" && cd "weir-verdict.$$"
make ior-memory 2 "$WEIR" ior -w -r -F -t 64k -b 1m -o f
make mdtest-memory 2 "$WEIR" mdtest -n 100 -d md
cd / && rmdir "/dev/shm/weir-verdict.$$"
