#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The six comparisons of docs/examples/comparisons.md on stand-ins, from pairs of real runs: weir compare names by itself what is compared.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Inside of the hosts: a file for each side. Three clients on three hosts, then on two.
if [[ ${1-} == inside ]]; then
    for hosts in n1:1,n2:1,n3:1 n1:2,n2:1; do
        servers=$(tr -dc , <<<"$hosts" | wc -c)
        mpiexec -n 3 --host "$hosts" -x WEIR --wdir "$2" "$WEIR" ior -w -r -F -e -C -i 3 -t 64k -b 1m -o "$2/f" \
            --set servers=$((servers + 1)) --result "$2/servers$((servers + 1))"
    done
    exit
fi

# ext4 and xfs for the two ways to distribute files.
bed=$WEIR_ROOT/scripts/testbed/testbed-loopfs
clean_up() {
    [[ ! -d $work/ext4 ]] || "$bed" --dir "$work/ext4" --force down >/dev/null 2>&1
    [[ ! -d $work/xfs ]] || "$bed" --dir "$work/xfs" --force down >/dev/null 2>&1
}
for type in ext4 xfs; do
    "$bed" --dir "$work/$type" --type $type --size 512M --direct-io up >"$out" 2>&1 ||
        skip "no $type can be mounted here, which takes root, a loop device and scripts/deps test: $(tail -n 1 "$out")"
done

# Each side is one run of three repetitions: what they come to is not what is tested.
job() { # job FILE RANKS OPTION...
    run "$2" ior -w -r -e -C -i 3 -t 64k -b 1m --drop-caches files --result "$work/$1" "${@:3}"
    expect_done
}

# A line of the text for each key that is compared, no other one, and no key in both lists; every row has a partner and a verdict.
expect_compared() { # expect_compared A B 'KEY A -> B'...
    local lines
    capture "$WEIR" compare "$work/$1" -- "$work/$2"
    lines=$(printf 'compared: %s\n' "${@:3}" | sort)
    [[ $(grep '^compared: ' "$out" | sort) == "$lines" ]] || fail "what is compared is not '$lines'"
    [[ $(awk 'length > 100 && !/^[0-9]+ rows?: /' "$out") == '' ]] || fail "a line is wider than 100 columns"
    expect_no_line '^differs: command .*(--set|--result|--label)'
    capture "$WEIR" compare "$work/$1" -- "$work/$2" --format json
    "$WEIR_PYTHON" - "$out" "$status" "${@:3}" <<'P' || fail "rows without a partner or a verdict"
import json, sys
document = json.load(open(sys.argv[1]))
keys = [line.split()[0] for line in sys.argv[3:]]
assert sorted(c["key"] for c in document["compared"]) == sorted(keys), document["compared"]
assert document["unmatched"] == [] and document["rows"]
assert all(row["n_a"] == row["n_b"] == 3 and row["a"] > 0 and row["b"] > 0 for row in document["rows"])
assert all((row["verdict"] == "not comparable") == (row["reason"] is not None) for row in document["rows"])
assert document["decided"] + document["undecided"] + document["not_comparable"] == len(document["rows"])
assert document["exit_code"] == int(sys.argv[2]) in (0, 1, 3), document["exit_code"]
P
}

# ---- Ethernet / InfiniBand: objects in memory, over TCP and through shared memory

for provider in tcp shm; do
    run 3 ior -a RDMA --rdma.targets 1 --rdma.provider $provider --measure memory -w -r -F -i 3 -t 64k -b 1m -o /o --result "$work/$provider"
    expect_done
done
expect_compared tcp shm 'transport TCP -> shared memory'
for provider in tcp shm; do
    run 2 net --provider $provider --size 4k --iterations 200 --repetitions 3 --measure memory --result "$work/net-$provider"
    expect_done
done
expect_compared net-tcp net-shm 'transport TCP -> shared memory'

# ---- memory of the servers, and striped / distributed with much and with little of it

job striped72 2 -F -o "$work/ext4/mnt/f" --set memory=72GB --set layout=striped --set fuse=old
job striped2 2 -F -o "$work/ext4/mnt/f" --set memory=2GB --set layout=striped --set fuse=old
job distributed72 2 -F -o "$work/xfs/mnt/f" --set memory=72GB --set layout=distributed --set fuse=old
job distributed2 2 -F -o "$work/xfs/mnt/f" --set memory=2GB --set layout=distributed --set fuse=old
expect_compared striped2 striped72 'memory 2GB -> 72GB'
for memory in 72 2; do
    expect_compared distributed$memory striped$memory 'filesystem xfs -> ext4' 'layout distributed -> striped'
done

# ---- processes, and FUSE modules

job ranks72 4 -F -o "$work/ext4/mnt/f" --set memory=72GB --set layout=striped --set fuse=old
job fuse72 4 -F -o "$work/ext4/mnt/f" --set memory=72GB --set layout=striped --set fuse=new
expect_compared striped72 ranks72 'ranks 2 -> 4'
expect_compared ranks72 fuse72 'fuse old -> new'
# A comparison that mixes two things says so.
expect_compared striped72 fuse72 'ranks 2 -> 4' 'fuse old -> new'

# ---- other work is another case: nothing is compared, and the plans say why

job shared 2 -o "$work/ext4/mnt/f" --set memory=72GB --set layout=striped --set fuse=old
run 2 ior -w -r -e -C -i 3 -t 64k -b 1m -F --direct --result "$work/direct" -o "$work/ext4/mnt/f" --set memory=72GB --set layout=striped --set fuse=old
expect_done
capture "$WEIR" compare "$work/striped72" -- "$work/shared"
expect_exit 3
expect_line '^only in A: write 64k, file per process$'
expect_line '^    plan: one for each rank -> one for all ranks$'
expect_line '^only in B: write 64k, shared file$'
[[ $(grep -c '^    plan: ' "$out") == 1 ]] || fail "a difference of the plans is printed twice"
capture "$WEIR" compare "$work/striped72" -- "$work/direct"
expect_exit 3
expect_line '^    plan: before reads, drop the files from page caches -> option posix.odirect = 1$'
tail -n 1 "$out" | grep -q '^0 rows: .* 4 unmatched; exit 3: nothing was compared' || fail "the last line gives no reason"

# ---- servers: hosts in their place

hosts=$WEIR_ROOT/scripts/testbed/testbed-hosts
"$hosts" run -- true >"$out" 2>&1 || skip "all but 3 / 2 servers hold: virtual hosts cannot be made here, which takes root, namespaces and a root that is a mount point, not a chroot: $(tail -n 1 "$out")"
capture "$hosts" --hosts 3 run -- bash "$WEIR_ROOT/tests/mpi/compare_published.sh" inside "$work"
expect_done
expect_compared servers3 servers2 'nodes 3 -> 2' 'servers 3 -> 2'
