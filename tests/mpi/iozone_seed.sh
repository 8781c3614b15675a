#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The two command lines of a published run, as they are, on two virtual hosts with a list of clients, on an XFS of their own:
# the second one finds the files of the first, and without one of them says so before any rank waits for another.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=hosts_lib.sh
. "$(dirname "$0")/hosts_lib.sh"

if [[ ${1-} == xfs ]]; then
    enter_hosts 2 iozone_seed.sh
elif [[ ${1-} != inside ]]; then
    need_root
    loopfs=("$WEIR_ROOT/scripts/testbed/testbed-loopfs" --type xfs --size 600M)
    "${loopfs[@]}" run -- true >"$out" 2>&1 || skip "no XFS can be mounted here, which takes root, a loop device and scripts/deps test: $(tail -n 1 "$out")"
    status=0
    # shellcheck disable=SC2016
    "${loopfs[@]}" run -- bash -c 'TMPDIR=$TESTBED_MNT exec bash "$0" xfs' "$0" || status=$?
    exit "$status"
fi
[[ $(stat -f -c %T "$work") == xfs ]] || fail "$work is on no XFS"
watch_places

Size=8m
Thread=4
mkdir "$files/a" "$files/b"
cat >"$work/threadlist" <<END
# client, directory, program
n1 $files/a /usr/bin/iozone
n2 $files/b /usr/bin/iozone

n1 $files/a /usr/bin/iozone
n2 $files/b /usr/bin/iozone
END
all=(a/iozone.DUMMY.0 a/iozone.DUMMY.2 b/iozone.DUMMY.1 b/iozone.DUMMY.3)

iozone() { # iozone OPTION...: on ranks that the launcher places host by host, and not as the list has them
    rm -f "$result"
    forget_places
    capture timeout 300 mpiexec -n 4 --host n1:2,n2:2 --map-by slot "${passed_on[@]}" --wdir "$work" "$work/placed" iozone "$@" \
        --result "$result"
    expect_places 0011
}

expect_test() { # expect_test NAME-AND-TABS UNIT: its six lines; tabs, blanks and digits as the original has them
    local line
    for line in "Children see throughput for $1= *[0-9]+\.[0-9]{2} $2" "Parent sees throughput for $1= *[0-9]+\.[0-9]{2} $2" \
        "Min throughput per process \t\t\t= *[0-9]+\.[0-9]{2} $2 " "Max throughput per process \t\t\t= *[0-9]+\.[0-9]{2} $2" \
        "Avg throughput per process \t\t\t= *[0-9]+\.[0-9]{2} $2"; do
        grep -qP "^\t$line\$" "$out" || fail "no line is '$line'"
    done
}

# What is counted is part of what was done, and no faster than the clock allows.
physics="all(
    p.rank_rates.bytes_sum <= p.bytes and p.rank_rates.bytes_min * 4 <= p.rank_rates.bytes_sum and
    p.rank_rates.bytes_sum == p.rank_rates.ops_sum * p.transfer_bytes and
    p.rank_rates.bytes_per_s_min <= p.rank_rates.bytes_per_s_sum / 4 <= p.rank_rates.bytes_per_s_max and
    p.rank_rates.bytes_sum / p.total_s <= p.rank_rates.bytes_per_s_sum * 1.001 and p.bytes / p.total_s < 1e11
    for p in phases if p.bytes > 0)"

iozone -i 0 -i 1 -c -e -w -r 1m -I -s $Size -t $Thread -+n -+m "$work/threadlist"
expect_done
expect_test ' 4 initial writers \t' kB/sec
expect_test ' 4 readers \t\t' kB/sec
(($(grep -c '^iozone test complete\.$' "$out") == 1)) || fail "it is not complete once"
expect_no_line 'rewriters|re-readers'
expect_files "${all[@]}"
for file in "${all[@]}"; do
    [[ $(stat -c %s "$files/$file") == $((8 << 20)) ]] || fail "$file has another size"
done
expect_record "[p.verb for p in phases if p.bytes > 0] == ['write', 'read'] and all(p.bytes == 4 * (8 << 20) or p.verb == 'read' for p in phases if p.bytes > 0)"
expect_record "$physics"

iozone -i 2 -w -c -O -I -r 4K -s $Size -t $Thread -+n -+m "$work/threadlist"
expect_done
expect_test '4 random readers \t' ops/sec
expect_test '4 random writers \t' ops/sec
expect_files "${all[@]}"
expect_record "[p.verb for p in phases if p.bytes > 0] == ['read', 'write'] and all(p.transfer_bytes == 4096 and p.order == 'shuffled' for p in phases if p.bytes > 0)"
expect_record "$physics"

# The fourth client is on the second host.
rm "$files/b/iozone.DUMMY.3"
began=$SECONDS
iozone -i 2 -w -c -O -I -r 4K -s $Size -t $Thread -+n -+m "$work/threadlist"
((status == 2 || status == 3)) || fail "the exit code is neither 2 nor 3"
((SECONDS - began < 120)) || fail "it hung for $((SECONDS - began)) s"
expect_error 'rank 3 .*n2.*iozone\.DUMMY\.3'
expect_no_line 'Children see'
expect_files "${all[@]:0:3}"

# A host that no rank is on, and a list that is too short.
sed s/n2/n9/ "$work/threadlist" >"$work/wrong"
iozone -i 0 -w -I -r 1m -s 1m -t 4 -+m "$work/wrong"
((status == 2 || status == 3)) || fail "the exit code is neither 2 nor 3"
expect_error 'n9'
head -n 3 "$work/threadlist" >"$work/short"
iozone -i 0 -w -I -r 1m -s 1m -t 4 -+m "$work/short"
expect_exit 2
expect_files "${all[@]:0:3}"
